"""Spans of a text that may mention an entity, and the choice among them.

Names are found as they are (`exact_candidates`), misspelt (`fuzzy_candidates`) or with their words
in another order (`bag_candidates`); numbers, dates and periods by value (`value_candidates`).
The weights and limits below have no record of the data they were chosen on, except where stated;
they are kept for stable scores. docs/results.md has the figures of the detector they make.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

from adequa.entities.graph import Entity, Graph
from adequa.entities.names import Name
from adequa.text import SMALL_WORDS, TITLES, PreparedText, common_words
from adequa.text.values import (
    DateMatch,
    DateSpan,
    NumberSpan,
    compare_dates,
    is_converted,
    is_rounded,
    is_same,
)

# No record of the data these were chosen on; kept for stable scores.
_LEAST_PLURAL = 3
"""A longer name is also found with a plural or adverb ending."""
_ENDINGS = ("es", "ly")
_COMPOUND = {"new", "north", "south", "east", "west", "fort", "san", "saint", "lake", "port"}
_PLURAL = 0.02
"""The distance of a plural: a name without an ending is preferred."""
_WEIGHT = (1.0, 0.95, 0.4, 0.3)
"""The weight of a span's length by the tier of its name, when overlapping spans compete."""
_INFLECTED = 0.9
"""The weight of demonyms and singulars: Spanish is the language before it is Spain."""
_ABBREVIATION = 4
"""Letters of the longest word after which a full stop may belong to an abbreviation."""
_NEGATIONS = {"not", "no", "non", "never", "isn", "aren", "doesn", "don", "t", "without", "un"}


class Candidate(NamedTuple):
    """A span that may mention an entity."""

    start: int
    end: int
    entity: int
    tier: int
    distance: float
    method: str
    reach: int = 0
    """Another possible end of the span: after the unit of a number, or after `, Texas`."""


_FEW_NAMES = 200
"""Names of a graph up to which each is looked for by itself. With fewer than 100, as in the graphs
of the WebNLG 2020 test, `str.find` takes less time than the index, which also has to be built."""


class _Names(NamedTuple):
    """Names in the order of their entities."""

    keys: tuple[str, ...]
    names: tuple[Name, ...]
    entities: tuple[int, ...]
    """The entity of each."""


def exact_candidates(graph: Graph, text: PreparedText, *, weak: bool) -> list[Candidate]:
    """Every occurrence of the sure names of all entities as whole words, or of the weak ones."""
    known = (
        graph.derive("weak names", _weak_names) if weak else graph.derive("sure names", _sure_names)
    )
    if len(known.keys) <= _FEW_NAMES:
        return _occurrences(known, text)
    index = graph.derive("weak index" if weak else "sure index", lambda _: _index(known.keys))
    key, places, openings, short = text.key, text.places, index.openings, index.short
    opened = [
        (word, place)
        for word, place in enumerate(places)
        if key[place : place + _OPENING] in openings
        or (short and (key[place : place + 1] in short or key[place : place + 2] in short))
    ]
    keys, numbers, longest = index.keys, index.numbers, index.longest
    hits: list[tuple[int, int]] = []
    for word, place in opened:
        # Whatever begins here is the last name before these letters in the alphabet, or one that
        # this name begins with.
        last = bisect_right(keys, key[place : place + longest]) - 1
        hits += [
            (numbers[one], word)
            for one in (index.beginnings[last] if last >= 0 else ())
            if key.startswith(keys[one], place)
        ]
    hits.sort()  # in the order of the names
    found: list[Candidate] = []
    for number, word in hits:
        candidate = _occurrence(known.names[number], known.entities[number], word, text)
        if candidate is not None:
            found.append(candidate)
    return found


def weak_candidates(graph: Graph, text: PreparedText, only: Iterable[int]) -> list[Candidate]:
    """Every occurrence of the weak names of some entities, which are few, as whole words."""
    return _occurrences(_names_of([(one, graph.entities[one].weak_names) for one in only]), text)


def _sure_names(graph: Graph) -> _Names:
    return _names_of(enumerate([one.sure_names for one in graph.entities]))


def _weak_names(graph: Graph) -> _Names:
    return _names_of(enumerate([one.weak_names for one in graph.entities]))


def _names_of(some: Iterable[tuple[int, Sequence[Name]]]) -> _Names:
    """The names of some entities."""
    pairs = [(entity, name) for entity, own in some for name in own if name.key]
    names = tuple([name for _, name in pairs])
    return _Names(
        tuple([name.key for name in names]), names, tuple([entity for entity, _ in pairs])
    )


def _occurrences(known: _Names, text: PreparedText) -> list[Candidate]:
    """Every occurrence of names as whole words, each name looked for by itself."""
    key, places, (keys, names, entities) = text.key, text.places, known
    found: list[Candidate] = []
    for number in [number for number, letters in enumerate(keys) if letters in key]:
        letters, name, entity = keys[number], names[number], entities[number]
        place = key.find(letters)
        while place >= 0:
            word = bisect_left(places, place)
            if word < len(places) and places[word] == place:
                candidate = _occurrence(name, entity, word, text)
                if candidate is not None:
                    found.append(candidate)
            place = key.find(letters, place + 1)
    return found


_OPENING = 3
"""Letters by which names are looked up at each word of a text; shorter names by all of theirs."""


class _NameIndex(NamedTuple):
    """The keys of names in alphabetical order.

    A text is looked through once, however many names there are.
    """

    keys: list[str]
    numbers: list[int]
    """The number of the name of each key."""
    beginnings: list[tuple[int, ...]]
    """Of each key the places of those that it begins with, and its own."""
    openings: frozenset[str]
    short: frozenset[str]
    """The keys that are shorter than an opening."""
    longest: int
    """Letters of the longest key."""


def _index(unordered: Sequence[str]) -> _NameIndex:
    order = sorted((key, number) for number, key in enumerate(unordered))
    keys = [key for key, _ in order]
    beginnings: list[tuple[int, ...]] = []
    shorter: list[int] = []
    for place, key in enumerate(keys):
        while shorter and not key.startswith(keys[shorter[-1]]):
            shorter.pop()
        shorter.append(place)
        beginnings.append((*shorter,))
    return _NameIndex(
        keys=keys,
        numbers=[number for _, number in order],
        beginnings=beginnings,
        openings=frozenset([key[:_OPENING] for key in keys if len(key) >= _OPENING]),
        short=frozenset([key for key in keys if len(key) < _OPENING]),
        longest=max(map(len, keys), default=0),
    )


def _occurrence(name: Name, entity: int, first: int, text: PreparedText) -> Candidate | None:
    """A name whose letters begin with a word of the text, unless it is part of something else."""
    letters, tier, method, cased, one_word = name
    ends = text.place_ends
    end = text.places[first] + len(letters)
    last = bisect_left(ends, end, first)
    distance = 0.0
    if ends[last] != end:
        if len(letters) <= _LEAST_PLURAL:
            return None
        # A plural or an adverb: the word continues with s, es or ly.
        key = text.key
        if ends[last] != end + 1 or key[end] != "s":
            if key[end : end + 2] not in _ENDINGS:
                return None
            last = bisect_left(ends, end + 2, last)
            if ends[last] != end + 2:
                return None
        distance = _PLURAL
    string, start, stop = text.string, text.starts[first], text.ends[last]
    gaps = last - first
    if not gaps:
        doubtful = one_word or (first > 0 and text.words[first - 1] in _COMPOUND)
        if doubtful and _within(name, first, text):
            return None
    elif (
        # Most names have one space between their words, as many as there are other characters.
        one_word
        or stop - start - (ends[last] - text.places[first]) != gaps
        or string.count(" ", start, stop) != gaps
    ) and not _holds(name, first, last, text):
        return None
    if string[stop : stop + 1] == ")" and "(" in string[start:stop]:
        stop += 1
    if cased and not text.lower_cased:
        letter, following = string[start], string[start + 1 : start + 2]
        if not (letter.isupper() or letter.isdigit() or following == "."):
            return None
    return Candidate(start, stop, entity, tier, distance, method)


def _within(name: Name, word: int, text: PreparedText) -> bool:
    """Whether one word is part of another name, as `York` in New York, or is not an acronym."""
    string, start = text.string, text.starts[word]
    if name.one_word and name.method == "acronym":
        return not text.lower_cased and not string[start : text.ends[word]].isupper()
    return (
        word > 0
        and text.words[word - 1] in _COMPOUND
        and string[start - 1] in " -"
        and string[start].isupper()
        and string[text.starts[word - 1]].isupper()
    )


def _holds(name: Name, first: int, last: int, text: PreparedText) -> bool:
    """Whether words that together spell a name can be that name: no sentence ends among them."""
    string, starts, ends, one_word = text.string, text.starts, text.ends, name.one_word
    for word in range(first, last):
        gap = string[ends[word] : starts[word + 1]]
        if one_word:
            if gap.isspace() or "," in gap:
                return False
            if name.method == "acronym" and gap not in (".", "", ". ", "&"):
                return False
        elif gap == " ":
            continue
        # After a long word a full stop and a space end a sentence; not in St. Louis.
        if len(gap) > 1 and gap[0] in ".!?" and len(text.words[word]) > _ABBREVIATION:
            return False
    return True


def says_so(candidate: Candidate, entity: Entity, text: PreparedText) -> bool:
    """Whether a truth value is expressed correctly: `not family friendly` expresses no."""
    first = bisect_left(text.starts, candidate.start)
    negated = not _NEGATIONS.isdisjoint(text.words[max(first - 4, 0) : first])
    return negated == (entity.label.string.casefold() in ("no", "false"))


def stands_alone(
    candidate: Candidate, entity: Entity, text: PreparedText, taken: bytearray
) -> bool:
    """Whether a weak name is not part of another name: `Alan` in Alan Bean is not Alan Shepard."""
    if candidate.method in ("head", "abbreviation"):
        return True  # a title or a synonym, which may precede a name
    if not text.lower_cased and text.string[candidate.start].islower():
        return True
    first = bisect_left(text.starts, candidate.start)
    last = bisect_left(text.ends, candidate.end)
    for word, near in ((first - 1, first), (last + 1, last)):
        if not 0 <= word < len(text.words) or text.words[word] in entity.words:
            continue
        if taken[text.starts[word]]:
            continue  # American Bean: the word beside it is another mention
        gap = text.between(min(word, near), max(word, near))
        if candidate.method == "given name" and word > near and gap == " ":
            # Grigory negovmin: a surname that is not the entity's, with or without a capital.
            other = text.words[word]
            if other.isalpha() and other not in SMALL_WORDS and other not in common_words():
                return False
        initial = candidate.method != "acronym" and len(text.words[min(word, near)]) < 3
        joined = gap == " " or (gap == ". " and initial)
        if gap in (".", "-") or (joined and _names_something(text, word)):
            return False
    return True


def _names_something(text: PreparedText, word: int) -> bool:
    """Whether a word beside a name looks like part of a name: a figure or a capital letter."""
    string = text.words[word]
    if string in SMALL_WORDS or string in TITLES:
        return False
    if text.lower_cased:
        return string.isdigit() or string not in common_words()
    if word == 0 or text.sentences[word - 1] != text.sentences[word]:
        return string not in common_words() and text.string[text.starts[word]].isupper()
    return string.isdigit() or text.string[text.starts[word]].isupper()


def choose(
    candidates: Iterable[Candidate], taken: bytearray, order: Sequence[int] | None = None
) -> list[Candidate]:
    """Candidates that do not overlap, the best first; marks their characters in `taken`.

    `order` ranks entities among equal candidates, independently of the order of triples.
    """
    ranked = []
    for number, candidate in enumerate(candidates):
        start, end, entity, tier, distance, method, _ = candidate
        value: float = end - start
        if tier or distance:  # most are neither derived nor misspelt
            value = value * (1 - 2 * distance) * _WEIGHT[tier]
            if method == "demonym" or method == "singular":
                value *= _INFLECTED
        place = entity if order is None else order[entity]
        ranked.append((-value, tier, start, place, number, candidate))
    ranked.sort()
    chosen: list[Candidate] = []
    for _, _, start, _, _, candidate in ranked:
        end = candidate[1]
        if taken.find(1, start, end) < 0:
            taken[start:end] = b"\1" * (end - start)
            chosen.append(candidate)
    return chosen


_BREAK = re.compile(r"[();:!?\"“”]|^\..")  # no name continues across these
# No record of the data these were chosen on; kept for stable scores.
_TYPING = 0.15
"""Up to this distance a misspelt name may also begin with another letter."""
_SHORT_NAME, _SHORT_DISTANCE = 9, 0.2
"""Names with fewer letters must be nearer than this: Kent is not Kant."""
_LIKE = 0.34
"""The greatest distance of each single word of a misspelt name."""
_LEAST_LIKENESS = 0.1
"""Bounds the length of a run of words where the threshold is near 1."""
_GAP = 8
"""The most other words between two words of a long value."""
_LEAST_BAG = 2
"""Words of a value that can be in another order."""
_MOST_WORDS = 60
_WORDS_COST = 0.25
"""The greatest cost of a long value whose words are in another order."""


def fuzzy_candidates(
    number: int,
    entity: Entity,
    text: PreparedText,
    threshold: float,
    taken: bytearray,
    *,
    strict: bool = False,
) -> list[Candidate]:
    """Runs of free words within an edit distance of a name.

    With `strict` each word of the name may be misspelt, but not replaced by another word.
    """
    found: list[Candidate] = []
    parts, figures = _telling_parts(entity.words)
    if strict and not text.different_words.issuperset(figures):
        return []  # figures are not misspelt
    least, likeness = 1 - threshold, max(1 - threshold, _LEAST_LIKENESS)
    lengths = [len(name.key) for name in entity.spellings]
    known: dict[str, list[_Window]] = {}
    for name, length in zip(entity.spellings, lengths, strict=True):
        letters = name.key[:2]
        if letters not in known:  # the spellings of a name begin with the same letters
            low, high = min(lengths) * least, max(lengths) / likeness
            known[letters] = _windows(text, low, high, taken, letters)
        low, high = length * least, length / likeness
        for begin, end, first, last in known[letters]:
            if not low <= end - begin <= high:
                continue
            distance = Levenshtein.normalized_distance(
                name.key, text.key[begin:end], score_cutoff=threshold
            )
            if distance > threshold:
                continue
            words = text.words[first : last + 1]
            if strict and not distance and text.string[text.starts[first]].isupper():
                continue  # spelt correctly and refused before: York of New York
            if _plausible(name, distance, words) and not (strict and not _each(parts, words)):
                span, tier = (text.starts[first], text.ends[last]), name.tier
                found.append(
                    Candidate(*span, entity=number, tier=tier, distance=distance, method="fuzzy")
                )
    return found


@lru_cache(maxsize=4096)  # what one system leaves out, others often do too
def _telling_parts(words: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words that are not function words, and those of them that are figures."""
    parts = [word for word in words if word not in SMALL_WORDS]
    return tuple(parts), tuple([part for part in parts if part.isdigit()])


_Window = tuple[int, int, int, int]


def _windows(
    text: PreparedText, least: float, most: float, taken: bytearray, letters: str
) -> list[_Window]:
    """Runs of words of a name's possible length: place in the key, and first and last word.

    They begin with one of `letters`: a name is seldom misspelt at its beginning, and comparing runs
    with any other first letter took most of the time.
    """
    windows: list[_Window] = []
    string, words, starts, ends = text.string, text.words, text.starts, text.ends
    places, count = text.places, len(words)
    for first in _places_of(letters, text.initials):
        if taken[starts[first]]:
            continue
        begin = places[first]
        for last in range(first, count):
            if taken[starts[last]]:
                break
            if last > first:
                gap = string[ends[last - 1] : starts[last]]
                if gap != " " and _BREAK.search(gap):
                    break
            end = places[last] + len(words[last])
            if end - begin > most:
                break
            if end - begin >= least:
                windows.append((begin, end, first, last))
    return windows


def _places_of(letters: str, string: str) -> list[int]:
    """Where a string has one of some letters."""
    places: list[int] = []
    for letter in {*letters}:
        place = string.find(letter)
        while place >= 0:
            places.append(place)
            place = string.find(letter, place + 1)
    return sorted(places)


def _each(parts: Sequence[str], words: Sequence[str]) -> bool:
    """Whether every word of a name has a similar word among `words`; figures must be equal."""
    joined = "".join(words)
    return bool(parts) and all(
        part in words
        if part.isdigit()
        else any(
            Levenshtein.normalized_distance(part, word, score_cutoff=_LIKE) <= _LIKE
            for word in (*words, joined)
        )
        for part in parts
    )


def _plausible(name: Name, distance: float, words: Sequence[str]) -> bool:
    """Whether a run of words can be a misspelt name: it begins and ends with it."""
    first, last = words[0], words[-1]
    if first in SMALL_WORDS and not name.key.startswith(first):
        return False
    if last in SMALL_WORDS and not name.key.endswith(last):
        return False
    if len(name.key) < _SHORT_NAME and distance > _SHORT_DISTANCE:
        return False  # Kent is not Kant
    return distance <= _TYPING or first[0] == name.key[0]


def bag_candidates(entity: int, graph: Graph, text: PreparedText, least: float) -> list[Candidate]:
    """The run of words with most of a long value's words, in any order."""
    if len(graph.entities[entity].words) < _LEAST_BAG:
        return []
    bags = graph.derive("bags", _no_bags)
    if entity not in bags:
        bags[entity] = _bag(graph.entities[entity])
    bag = bags[entity]
    if bag.size < _LEAST_BAG:
        return []
    stands_for = bag.stands_for
    both = stands_for.keys() & text.different_words
    if least * bag.letters > _letters({part for word in both for part in stands_for[word]}):
        return []
    # The numbers of the words that stand for a word of the value, in the order of the text.
    places = sorted(chain.from_iterable([text.numbers_of[word] for word in both]))
    best = (1.0, 0.0, 0, 0)
    for start, first in enumerate(places):
        seen: set[str] = set()
        letters, before = 0, first
        for last in places[start : start + _MOST_WORDS]:
            if last - before > _GAP:
                break
            before = last
            for part in stands_for[text.words[last]]:
                if part not in seen:
                    seen.add(part)
                    letters += len(part)
            share = min(1.0, letters / bag.letters)
            if share < least:
                continue
            inside = text.words[first : last + 1]
            others = (word for word in inside if word not in stands_for)
            foreign = sum(len(word) > 1 and word not in SMALL_WORDS for word in others)
            if bag.close and (foreign or len(inside) > bag.size + 2):
                continue  # two words far apart are not a name
            cost = 0.4 * (1 - share) + 0.3 * foreign / len(inside) + 0.002 * len(inside)
            if cost < best[0]:
                best = (cost, share, first, last)
    cost, share, first, last = best
    if share < least or cost > _WORDS_COST:
        return []
    while first and text.words[first - 1] in stands_for:
        first -= 1
    while last + 1 < len(text.words) and text.words[last + 1] in stands_for:
        last += 1
    start, end = text.starts[first], text.ends[last]
    return [Candidate(start, end, entity=entity, tier=0, distance=cost, method="words")]


class _Bag(NamedTuple):
    """The words of a value: their number and letters, and the words that stand for them."""

    size: int
    letters: int
    stands_for: dict[str, tuple[str, ...]]
    close: bool
    """Whether it is a name of two words, which must be close together."""


def _no_bags(_: Graph) -> dict[int, _Bag]:
    """The bags of a graph, which are filled when they are needed."""
    return {}


def _bag(entity: Entity) -> _Bag:
    wanted = {word for word in entity.words if word not in SMALL_WORDS}
    stands_for: dict[str, tuple[str, ...]] = {}
    for word in sorted(wanted):
        for ending in ("s", "es"):
            stands_for[word + ending] = (word,)
            if word.endswith(ending):
                stands_for[word.removesuffix(ending)] = (word,)
    stands_for.update(entity.short_forms)
    stands_for.update((word, (word,)) for word in wanted)
    close = len(wanted) == 2 and entity.kind != "list"
    return _Bag(len(wanted), _letters(wanted), stands_for, close)


def _letters(words: Iterable[str]) -> int:
    return sum(map(len, words))


_FIGURE_BEFORE = re.compile(r"[\w.,:/~$€£–-]\s?\Z(?<!\s)|\d\s\Z")
_FIGURE_AFTER = re.compile(r"\s?[.,:/–-]\s?\d|[\w%]|\s(?:thousand|million|billion|percent|%)")
_SPACED_DECIMAL = re.compile(r"\d\s?\.\s{1,2}\d")


def value_candidates(
    graph: Graph, text: PreparedText, *, conversions: bool = False
) -> list[Candidate]:
    """Numbers, dates and periods of the text that express a value of the graph."""
    dated, counted, periods = graph.derive("values by kind", _by_kind)
    found: list[Candidate] = []
    for span in text.dates if dated else ():
        found.extend(_dates(span, dated))
    for place, entity in periods:
        found.extend(_period(place, entity, text))
    # In other languages "3" may be the beginning of "3 Millionen".
    english = text.language is None
    plain = [_plainly(place, entity, text) for place, entity in counted] if english else []
    if plain and all(plain):
        # Every number is in the text as in the data, or with commas: others need not be read.
        return found + [one for candidates in plain for one in candidates]
    if counted:
        for number in text.numbers:
            found.extend(_numbers(number, counted, conversions=conversions))
        if _SPACED_DECIMAL.search(text.string):
            for place, entity in counted:
                found.extend(_spaced(place, entity, text))
    return found


_Numbered = list[tuple[int, Entity]]


def _by_kind(graph: Graph) -> tuple[_Numbered, _Numbered, _Numbered]:
    """The dates, the numbers and the periods of a graph, with the numbers of their entities."""
    pairs = list(enumerate(graph.entities))
    return (
        [pair for pair in pairs if pair[1].kind == "date"],
        [pair for pair in pairs if pair[1].kind == "number"],
        [pair for pair in pairs if pair[1].period],
    )


def _exactly(start: int, end: int, entity: int, method: str, *, reach: int = 0) -> Candidate:
    return Candidate(start, end, entity, tier=0, distance=0.0, method=method, reach=reach)


def _nearly(start: int, end: int, entity: int, method: str, *, reach: int = 0) -> Candidate:
    """A value that is not written in full, after all that are: tier 1, distance 0.1."""
    return Candidate(start, end, entity, tier=1, distance=0.1, method=method, reach=reach)


def _plainly(place: int, entity: Entity, text: PreparedText) -> list[Candidate]:
    """A number without a unit where its figures are not part of a longer number."""
    value = entity.quantity
    if value is None or value.unit is not None or value.value < 0:
        return []
    for form in entity.figures:
        at = text.string.find(form)
        end = at + len(form)
        if at >= 0 and not (
            _FIGURE_BEFORE.search(text.string, max(at - 2, 0), at)
            or _FIGURE_AFTER.match(text.string, end)
        ):
            return [_exactly(at, end, place, "number", reach=end)]
    return []


def _spaced(place: int, entity: Entity, text: PreparedText) -> Iterator[Candidate]:
    """A decimal that a tokeniser split: `3. 04`."""
    if entity.quantity is None:
        return
    whole, point, rest = format(entity.quantity.value, "f").partition(".")
    if point:
        pattern = rf"(?<![\d.,]){re.escape(whole)}\s?\.\s{{1,2}}{rest}(?!\d)"
        for match in re.finditer(pattern, text.string):
            yield _exactly(*match.span(), place, "number", reach=match.end())


def _period(place: int, entity: Entity, text: PreparedText) -> Iterator[Candidate]:
    spans = []
    for end in entity.period:
        for span in text.dates:
            if any(compare_dates(end, reading) is DateMatch.SAME for reading in span.readings):
                spans.append(span)
                break
    if len(spans) == len(entity.period):
        first, last = min(span.start for span in spans), max(span.end for span in spans)
        yield _exactly(first, last, place, "period")


def _dates(span: DateSpan, dated: Iterable[tuple[int, Entity]]) -> Iterator[Candidate]:
    for number, entity in dated:
        if entity.date is None:
            continue
        if entity.date in span.readings:
            yield _exactly(span.start, span.end, number, "date")
        elif any(
            compare_dates(entity.date, reading) is DateMatch.PARTIAL for reading in span.readings
        ):
            yield _nearly(span.start, span.end, number, "partial date")


def _numbers(
    span: NumberSpan, counted: Iterable[tuple[int, Entity]], *, conversions: bool
) -> Iterator[Candidate]:
    for number, entity in counted:
        value = entity.quantity
        if value is None:
            continue
        end, reach = span.end, span.unit_end
        if any(is_same(value, reading) for reading in span.readings):
            yield _exactly(span.start, end, number, "number", reach=reach)
        elif any(is_rounded(value, reading) for reading in span.readings):
            yield _nearly(span.start, end, number, "rounded number", reach=reach)
        elif conversions and any(is_converted(value, reading) for reading in span.readings):
            yield _nearly(span.start, end, number, "converted number", reach=reach)
