"""The perturbations there are, and cases drawn from items: the same for a seed, in any order."""

from __future__ import annotations

import calendar
import hashlib
import heapq
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations, islice
from typing import NamedTuple

from adequa.data import Item, Triple
from adequa.errors import UnknownName
from adequa.perturb.items import (
    BOTH_KINDS,
    ItemReading,
    Perturbation,
    PerturbationSource,
    PerturbedCase,
    few_places,
    read_items,
    rewritten,
    share_words,
    values_of,
    with_triples,
    words,
)
from adequa.text.labels import label_of
from adequa.text.predicates import is_symmetric
from adequa.text.values.dates import date_of
from adequa.text.values.numbers import quantity_of

# ---
# Something more: a sentence in the text that the data does not have, a triple that only it has.
# ---

_TRIES = 20
_END = (".", "!", "?", '."', ".”", ".)")


def add_sentence(
    reading: ItemReading, corpus: PerturbationSource, generator: random.Random
) -> list[PerturbedCase]:
    """A sentence of another text of the category at the end, about nothing that this one has."""
    item = reading.item
    pool = corpus.sayings.get(item.category, [])
    bare = item.text.rstrip()
    if not pool or not reading.mentions or not bare.endswith(_END):
        return []
    known = words(" ".join([*values_of(item), item.text]))
    for saying in generator.sample(pool, min(_TRIES, len(pool))):
        if not share_words(saying.entities, known):
            place = len(bare)
            changed, [(start, end)] = rewritten(
                item, [(place, len(item.text), f" {saying.sentence}")]
            )
            what = f"one more sentence: {saying.sentence}"
            # In the original nothing stood there; its end is the place.
            return [PerturbedCase(item, changed, what, after=((start + 1, end),))]
    return []


def add_triple(
    reading: ItemReading, corpus: PerturbationSource, generator: random.Random
) -> list[PerturbedCase]:
    """One more fact about a subject that the text names, of a kind that its like have.

    Neither data nor text has a word of the new object.
    """
    item = reading.item
    known = words(" ".join([*values_of(item), item.text]))
    subjects = sorted({one.subject for one in item.triples if reading.spoken(one.subject)})
    for subject in generator.sample(subjects, len(subjects)):
        own = sorted({one.predicate for one in item.triples if one.subject == subject})
        pool = [
            one
            for predicate in own
            for one in corpus.beside.get(predicate, ())
            if one.predicate not in own
        ]
        for one in generator.sample(pool, min(_TRIES, len(pool))):
            if share_words(label_of(one.object).base, known):
                continue
            new = Triple(subject, one.predicate, one.object)
            return [
                PerturbedCase(
                    item,
                    with_triples(item, (*item.triples, new)),
                    f"data with {' | '.join(new)} as well",
                    triples=frozenset({new}),
                    entities=frozenset({new.object}),
                )
            ]
    return []


# ---
# Who does what to whom: two names exchanged in the text, a triple turned round in the data.
# ---

_MOST_NAMES = 12
"""Names of a text that are paired with each other."""


def swap_entities(
    reading: ItemReading, corpus: PerturbationSource, generator: random.Random
) -> list[PerturbedCase]:
    """The names of two entities in each other's place, where that says something else.

    Each has one name in the text, and the names have no word in common.
    """
    del corpus
    item = reading.item
    once = sorted((entity, spans[0]) for entity, spans in reading.names.items() if len(spans) == 1)
    if len(once) > _MOST_NAMES:
        once = sorted(generator.sample(once, _MOST_NAMES))
    found: list[PerturbedCase] = []
    for (one, first), (other, second) in combinations(once, 2):
        left, right = reading.called(first), reading.called(second)
        wrong = _no_longer_said(item.triples, one, other)
        if not wrong or share_words(f"{one} {left}", words(f"{other} {right}")):
            continue
        changed, after = rewritten(
            item,
            [(*first, reading.fitted(first, right)), (*second, reading.fitted(second, left))],
        )
        found.append(
            PerturbedCase(
                item,
                changed,
                f"{left} and {right} exchanged",
                before=tuple(sorted((first, second))),
                after=after,
                triples=wrong,
                entities=frozenset({one, other}),
            )
        )
    return found


def _no_longer_said(triples: Iterable[Triple], one: str, other: str) -> frozenset[Triple]:
    """The facts that a text denies after the exchange; none where the exchange changes nothing."""
    turned = {one: other, other: one}
    touching = [triple for triple in triples if {triple.subject, triple.object} & turned.keys()]
    said = {
        _undirected(
            Triple(
                turned.get(triple.subject, triple.subject),
                triple.predicate,
                turned.get(triple.object, triple.object),
            )
        )
        for triple in touching
    }
    return frozenset(triple for triple in touching if _undirected(triple) not in said)


def _undirected(triple: Triple) -> Triple:
    """The same for both ways to write what holds both ways."""
    if not is_symmetric(triple.predicate):
        return triple
    first, second = sorted((triple.subject, triple.object))
    return Triple(first, triple.predicate, second)


def invert_triple(
    reading: ItemReading, corpus: PerturbationSource, generator: random.Random
) -> list[PerturbedCase]:
    """A triple with subject and object exchanged, where the text names both.

    Not where the relation holds both ways, where the object is a value, or where another
    triple has the same two ends.
    """
    item = reading.item
    found: list[PerturbedCase] = []
    for place in few_places(item, generator):
        triple = item.triples[place]
        ends = {triple.subject, triple.object}
        new = triple._replace(subject=triple.object, object=triple.subject)
        alike = [one for one in item.triples if {one.subject, one.object} == ends]
        spans = reading.spans(triple.subject, triple.object)
        if (
            len(ends) < 2
            or len(alike) > 1
            or is_symmetric(triple.predicate)
            or new in corpus.triples
            or not all(reading.spoken(end) for end in ends)
            or _is_value(item, triple.object)
        ):
            continue
        triples = (*item.triples[:place], new, *item.triples[place + 1 :])
        found.append(
            PerturbedCase(
                item,
                with_triples(item, triples),
                f"data with {' | '.join(new)}, turned round",
                before=spans,
                after=spans,
                triples=frozenset({triple, new}),
            )
        )
    return found


def _is_value(item: Item, entity: str) -> bool:
    """Whether it could not be a subject: a number, a date, or what stands in quotes."""
    string = label_of(entity).string
    term = item.terms.get(entity)
    return (
        entity.startswith('"')
        or (term is not None and term.datatype is not None)
        or quantity_of(string) is not None
        or date_of(string) is not None
    )


# ---
# An entity by the name of another.
# ---


def rename_entity(
    reading: ItemReading, corpus: PerturbationSource, generator: random.Random
) -> list[PerturbedCase]:
    """The name of another entity of the same place in a triple, wherever the text has the name.

    It is taken from the other texts of the category, and has no word of this text or its data.
    """
    item = reading.item
    found: list[PerturbedCase] = []
    for entity, spans in sorted(reading.names.items()):
        others = next(corpus.names.others(item, entity))
        if not others:
            continue
        new = generator.choice(others)
        changed, after = rewritten(item, [(*span, reading.fitted(span, new)) for span in spans])
        ends = frozenset(one for one in item.triples if entity in (one.subject, one.object))
        what = f"{reading.called(spans[0])} becomes {new}"
        found.append(PerturbedCase(item, changed, what, spans, after, ends, frozenset({entity})))
    return found


# ---
# A sentence denied.
# ---

_VERB = re.compile(r"(?<![\w'’-])(?:is|are|was|were|can|will)(?![\w'’-])")
_DENIED = re.compile(r"\b(?:not|no|never|neither|nor|without|cannot)\b|n['’]t\b", re.IGNORECASE)


def negate(
    reading: ItemReading, corpus: PerturbationSource, generator: random.Random
) -> list[PerturbedCase]:
    """A "not" after the first verb of a sentence that has a fact's object behind it; English."""
    del corpus, generator
    item = reading.item
    if item.lang is not None and not item.lang.lower().startswith("en"):
        return []
    found: list[PerturbedCase] = []
    for start, end in reading.sentences:
        verb = _VERB.search(item.text, start, end)
        if verb is None or _DENIED.search(item.text, start, end) or item.text[end - 1] == "?":
            continue
        if any(one.start < verb.end() and verb.start() < one.end for one in reading.mentions):
            continue
        objects = {one.object for one in item.triples}
        behind = [one for one in reading.mentions if verb.end() <= one.start < end]
        said = next((one.entity for one in behind if one.entity in objects), None)
        if said is None:
            continue
        denied = frozenset(one for one in item.triples if one.object == said)
        changed, [(_, last)] = rewritten(item, [(verb.end(), verb.end(), " not")])
        what = f"“{verb[0]}” denied"
        after = ((verb.start(), last),)
        found.append(PerturbedCase(item, changed, what, (verb.span(),), after, denied))
    return found


# ---
# Something left out: a sentence of the text, or a triple of the data.
# ---


def drop_sentence(
    reading: ItemReading, corpus: PerturbationSource, generator: random.Random
) -> list[PerturbedCase]:
    """The text without a sentence that alone had the object of a fact.

    Not where the rest still speaks of something that only the lost sentence names.
    """
    del corpus, generator
    item, places = reading.item, reading.sentences
    found: list[PerturbedCase] = []
    for number, (start, end) in enumerate(places if len(places) > 1 else ()):
        lost = _lost(reading, start, end)
        last = number == len(places) - 1
        cut = (places[number - 1][1], end) if last else (start, places[number + 1][0])
        changed, _ = rewritten(item, [(*cut, "")])
        left = words(changed.text)
        gone = frozenset(one for one in item.triples if {one.subject, one.object} & lost)
        objects = {one.object for one in gone} & lost
        if (
            not objects
            or _speaks_of(reading, lost)
            or any(share_words(label_of(one).base, left) for one in objects)
        ):
            continue
        found.append(
            PerturbedCase(
                item,
                changed,
                f"without the sentence about {', '.join(sorted(objects))}",
                before=((start, end),),
                triples=gone,
                entities=frozenset(lost),
            )
        )
    return found


def _lost(reading: ItemReading, start: int, end: int) -> set[str]:
    """The entities that have words of their own between two places alone."""
    return {
        entity
        for entity in {one.entity for one in reading.mentions if start <= one.start < end}
        if (spoken := reading.spoken(entity)) and all(start <= one.start < end for one in spoken)
    }


def _speaks_of(reading: ItemReading, lost: set[str]) -> bool:
    """Whether the rest says "it" of what is lost, or has what was said of it."""
    return any(len(reading.spoken(one)) < len(reading.anywhere(one)) for one in lost) or any(
        one.subject in lost and one.object not in lost and reading.spoken(one.object)
        for one in reading.item.triples
    )


def drop_triple(
    reading: ItemReading, corpus: PerturbationSource, generator: random.Random
) -> list[PerturbedCase]:
    """The data without a triple whose object the text has, and no other triple has.

    So the text says more than its data.
    """
    del corpus
    item = reading.item
    found: list[PerturbedCase] = []
    for place in few_places(item, generator) if len(item.triples) > 1 else ():
        triple = item.triples[place]
        rest = item.triples[:place] + item.triples[place + 1 :]
        left = {end for one in rest for end in (one.subject, one.object)}
        spans = reading.spans(triple.object)
        values = words(" ".join(label_of(end).string for end in left))
        if not spans or triple.object in left or share_words(label_of(triple.object).base, values):
            continue
        subject = () if triple.subject in left else reading.spans(triple.subject)
        found.append(
            PerturbedCase(
                item,
                with_triples(item, rest),
                f"data without {' | '.join(triple)}",
                before=(*spans, *subject),
                after=(*spans, *subject),
            )
        )
    return found


# ---
# A number or a date of the text changed to one that the data does not have.
#
# Only what the text has from its data is changed: a number or date that stands in a value of a
# triple.
# ---


class Change(NamedTuple):
    """What to write in place of a stretch of the text."""

    start: int
    end: int
    new: str


def change_number(
    reading: ItemReading, corpus: PerturbationSource, generator: random.Random
) -> list[PerturbedCase]:
    """A number that the data has becomes one that it has not, not even rounded."""
    del corpus
    return _cases(reading, other_numbers, generator)


def change_date(
    reading: ItemReading, corpus: PerturbationSource, generator: random.Random
) -> list[PerturbedCase]:
    """The day, month or year of a date that the data has becomes another."""
    del corpus
    return _cases(reading, other_dates, generator)


def _cases(
    reading: ItemReading,
    changes: Callable[[Item, random.Random], list[Change]],
    generator: random.Random,
) -> list[PerturbedCase]:
    item = reading.item
    found = []
    for change in changes(item, generator) if reading.sentences else ():
        changed, after = rewritten(item, [change])
        said = {
            one.entity
            for one in reading.mentions
            if one.start < change.end and change.start < one.end
        }
        found.append(
            PerturbedCase(
                item,
                changed,
                f"{item.text[change.start : change.end]} becomes {change.new}",
                before=((change.start, change.end),),
                after=after,
                triples=frozenset(one for one in item.triples if one.object in said),
                entities=frozenset(said),
            )
        )
    return found


# Numbers

_NUMBER = re.compile(
    r"(?<![\w°/:–-])(?<![\d)][.,])\d+(?:,\d{3})*(?:\.\d+)?(?![\w°]|[.,/:–-]\d|-?[A-Za-z])"
)
_YEAR = re.compile(r"1\d{3}|20[0-4]\d")
_DIGITS = re.compile(r"\d+(?:\.\d+)?")
_ENOUGH = 50
"""Numbers of one text that are tried; a table would give thousands."""


def other_numbers(item: Item, generator: random.Random) -> list[Change]:
    """Another number with as many digits, some of them drawn anew; a year keeps its century."""
    known = {
        Decimal(digits)
        for value in values_of(item)
        for digits in _DIGITS.findall(value.replace(",", ""))
    }
    dated = [match.span() for match in _find_dates(item.text)]
    ours = (
        match
        for match in _NUMBER.finditer(item.text)
        if _amount(match[0]) in known
        and not any(start < match.end() and match.start() < end for start, end in dated)
    )
    found = []
    for match in islice(ours, _ENOUGH):
        new = _other_number(match[0], known, generator)
        if new is not None:
            found.append(Change(*match.span(), new))
    return found


def _other_number(old: str, known: Iterable[Decimal], generator: random.Random) -> str | None:
    places = [place for place, character in enumerate(old) if character.isdigit()]
    if _YEAR.fullmatch(old):
        places = places[2:]
    for _ in range(_TRIES):
        new = list(old)
        for place in generator.sample(places, generator.randint(1, len(places))):
            new[place] = generator.choice("123456789")
        other = "".join(new)
        if not any(_may_be(value, other) for value in known):
            return other
    return None


def _may_be(value: Decimal, written: str) -> bool:
    """Whether a number is the value, or the value rounded."""
    amount, digits = _amount(written), written.replace(",", "")
    decimals = len(digits.partition(".")[2])
    zeros = 0 if decimals else len(digits) - len(digits.rstrip("0"))
    return abs(value - amount) * 2 <= Decimal(10) ** (zeros - decimals)


def _amount(written: str) -> Decimal:
    return Decimal(written.replace(",", ""))


# Dates

_MONTH = "|".join(calendar.month_name[1:])
_DAY = r"(?P<day>\d\d?(?:st|nd|rd|th)?)"
_BEFORE = r"(?:[Ii]n|[Ss]ince|[Ff]rom|[Uu]ntil|[Bb]y|of|year)"
_SHAPES = (
    re.compile(r"(?<![\w-])(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)(?![\w-])"),
    re.compile(rf"\b(?P<month>{_MONTH}) {_DAY}\b(?:,? (?P<year>\d{{4}})\b)?"),
    re.compile(rf"\b{_DAY}(?: of)? (?P<month>{_MONTH})\b(?:,? (?P<year>\d{{4}})\b)?"),
    re.compile(rf"\b(?P<month>{_MONTH}),? (?P<year>\d{{4}})\b"),
    re.compile(rf"\b{_BEFORE} (?P<year>1\d{{3}}|20[0-4]\d)(?![,.]\d|[\w–/-])"),
)
_ISO = _SHAPES[0]
_PARTS = ("year", "month", "day")
_FARTHEST = 30
_LEAP = 2000
_LAST_YEAR = 9999
Parts = tuple[int | None, int | None, int | None]


def other_dates(item: Item, generator: random.Random) -> list[Change]:
    """Another day, month or year in a date; a year after "in", "since" and such is a date too."""
    values = [value.replace("_", " ").strip('"') for value in values_of(item)]
    known = [_parts(match) for value in values for match in _find_dates(value)]
    known += [(int(value), None, None) for value in values if re.fullmatch(r"\d{4}", value)]
    found = []
    for match in _find_dates(item.text):
        if not any(_agree(date, _parts(match)) for date in known):
            continue
        for part in _PARTS:
            new = _other_part(match, part, generator)
            if new is not None and not any(_agree(date, new[1]) for date in known):
                found.append(Change(*match.span(part), new[0]))
    return found


def _find_dates(text: str) -> Iterator[re.Match[str]]:
    """Dates, the longer shapes first, none within another."""
    taken: list[tuple[int, int]] = []
    for shape in _SHAPES:
        for match in shape.finditer(text):
            if not any(start < match.end() and match.start() < end for start, end in taken):
                taken.append(match.span())
                yield match


def _parts(match: re.Match[str]) -> Parts:
    groups = match.groupdict()
    return _whole(groups.get("year")), _month(groups.get("month")), _whole(groups.get("day"))


def _whole(written: str | None) -> int | None:
    return int(re.sub(r"\D", "", written)) if written else None


def _month(written: str | None) -> int | None:
    if not written:
        return None
    return int(written) if written.isdigit() else list(calendar.month_name).index(written)


def _agree(date: Parts, other: Parts) -> bool:
    """Whether they may be the same day: what both say is equal."""
    both = [(one, two) for one, two in zip(date, other, strict=True) if one and two]
    return bool(both) and all(one == two for one, two in both)


def _other_part(
    match: re.Match[str], part: str, generator: random.Random
) -> tuple[str, Parts] | None:
    """Another value of a part, as that part was written, and the date that it makes."""
    year, month, day = _parts(match)
    if not match.groupdict().get(part) or month not in (None, *range(1, 13)):
        return None
    width = 2 if _ISO.fullmatch(match[0]) else 1
    if part == "year" and year:
        year += generator.choice((-1, 1)) * generator.randint(1, _FARTHEST)
        new = f"{year:04}"
        if not 0 < year <= _LAST_YEAR:
            return None
    elif part == "month" and month:
        month = generator.choice([other for other in range(1, 13) if other != month])
        new = f"{month:02}" if match[part].isdigit() else calendar.month_name[month]
    else:
        day = generator.choice([other for other in range(1, 29) if other != day])
        new = f"{day:0{width}}" + ("" if match[part].isdigit() else _ordinal(day))
    if month and day and day > calendar.monthrange(year or _LEAP, month)[1]:
        return None
    return new, (year, month, day)


def _ordinal(day: int) -> str:
    return "th" if 10 < day < 20 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")


PERTURBATIONS: Mapping[str, Perturbation] = {
    one.name: one
    for one in (
        Perturbation(
            "drop-sentence",
            "text",
            "the text loses the only sentence with a fact's object",
            frozenset({"omission"}),
            "lost sentences",
            drop_sentence,
        ),
        Perturbation(
            "drop-triple",
            "data",
            "the data loses a triple that the text says",
            frozenset({"hallucination"}),
            "facts that the data does not have",
            drop_triple,
        ),
        Perturbation(
            "swap-entities",
            "text",
            "two names change places in the text",
            BOTH_KINDS,
            "exchanged names",
            swap_entities,
        ),
        Perturbation(
            "invert-triple",
            "data",
            "subject and object of a triple change places in the data",
            BOTH_KINDS,
            "inverted arguments",
            invert_triple,
        ),
        Perturbation(
            "change-number",
            "text",
            "a number of the data becomes another in the text",
            BOTH_KINDS,
            "wrong numbers",
            change_number,
        ),
        Perturbation(
            "change-date",
            "text",
            "the day, month or year of a date becomes another in the text",
            BOTH_KINDS,
            "wrong dates",
            change_date,
        ),
        Perturbation(
            "rename-entity",
            "text",
            "an entity gets the name of another in the text",
            BOTH_KINDS,
            "wrong names",
            rename_entity,
        ),
        Perturbation(
            "add-sentence",
            "text",
            "the text ends with a sentence of another text",
            frozenset({"hallucination"}),
            "added sentences",
            add_sentence,
        ),
        Perturbation(
            "add-triple",
            "data",
            "the data gets a triple that the text does not say",
            frozenset({"omission"}),
            "facts that the text leaves out",
            add_triple,
        ),
        Perturbation(
            "negate", "text", "a sentence of the text is denied", BOTH_KINDS, "negation", negate
        ),
    )
}


@dataclass(frozen=True, slots=True)
class PerturbedSet:
    """The cases of one perturbation, one an item, and how many items allowed it."""

    perturbation: Perturbation
    cases: tuple[PerturbedCase, ...]
    allowed: int
    items: int
    """How many were looked at."""


def named_perturbations(names: Iterable[str] = ()) -> list[Perturbation]:
    """The perturbations of these names, or all, in the table's order."""
    wanted = set(names) or set(PERTURBATIONS)
    for name in sorted(wanted - PERTURBATIONS.keys()):
        raise UnknownName("perturbation", name, PERTURBATIONS)
    return [one for one in PERTURBATIONS.values() if one.name in wanted]


def draw_items(items: Iterable[Item], most: int, seed: int) -> list[Item]:
    """So many of the items, or all where there are fewer, drawn by their keys."""
    return heapq.nsmallest(most, items, key=lambda item: (_lot(seed, item), item.key))


def make_cases(
    items: Sequence[Item],
    perturbations: Sequence[Perturbation],
    *,
    count: int,
    seed: int,
    progress: Callable[[int, int], None] | None = None,
) -> list[PerturbedSet]:
    """At most so many cases of each perturbation, one an item.

    Where more items allow one, the same items are taken for all, as far as they go: then there are
    fewer originals to score.
    """
    drawn = sorted(items, key=lambda item: (_lot(seed, item), item.key))
    readings: list[ItemReading] = []
    for done, reading in enumerate(read_items(drawn), 1):
        readings.append(reading)
        if progress is not None:
            progress(done, len(drawn))
    corpus = PerturbationSource(sorted(readings, key=lambda one: one.item.key))
    made = []
    for perturbation in perturbations:
        found = [_one(perturbation, reading, corpus, seed) for reading in readings]
        cases = [case for case in found if case is not None]
        made.append(PerturbedSet(perturbation, tuple(cases[:count]), len(cases), len(drawn)))
    return made


def _one(
    perturbation: Perturbation, reading: ItemReading, corpus: PerturbationSource, seed: int
) -> PerturbedCase | None:
    """One case of an item; each has a generator of its own, so none changes another's."""
    item = reading.item
    if not reading.mentions:
        return None
    generator = random.Random(f"{seed} {perturbation.name} {item.system} {item.id}")  # noqa: S311
    cases = [
        case
        for case in perturbation.make(reading, corpus, generator)
        if case.changed != case.original
    ]
    return generator.choice(cases) if cases else None


def _lot(seed: int, item: Item) -> bytes:
    return hashlib.sha256(f"{seed} {item.system} {item.id}".encode(errors="surrogatepass")).digest()
