"""Entries: things of a record that stand side by side, and what a text says of one of them.

The objects of a list are entries, and so are the fields of an object that measure the same
(`loans: {fiction, children}`) or have the same fields (`home`, `away`). A text names an entry by
a word that no other entry of its list has ("the posters" for `posters A2`), by its place ("the
second quarter") or by its day. A number, a comparison or a second name that the text ties to one
entry must hold for it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import NamedTuple

from adequa.data import Triple
from adequa.entities.owners import _DAY, _DAYS, OwnerFault, part_at, say_fact
from adequa.entities.roles import _GENERAL, _TOGETHER, stem_of
from adequa.text import LONGEST_SENTENCE, SMALL_WORDS, fold, split_sentences, starting_in, word_set
from adequa.text.values import UNITS, Explainer, ValueFact, ValueSpan, dimension_of_key, quote_value
from adequa.text.values.units import CURRENCIES, parts_of_key, unit_in, words_of_key

_LEAST, _MOST = 2, 60
"""How many entries a list has that is looked at."""
_CUT = re.compile(
    r"[;:()—]\s|,\s|\s(?:and|but|while|whereas|although|though|before|then|which|where|when|who"
    r"|followed)\s"
)
_WORD = re.compile(r"[^\W_]+(?:['’]s)?")
_LETTERS = re.compile(r"[^\W\d_]{2}")
_ORDINALS = {
    "first": 0, "opening": 0, "1st": 0, "second": 1, "2nd": 1, "third": 2, "3rd": 2, "fourth": 3,
    "4th": 3, "fifth": 4, "5th": 4, "sixth": 5, "last": -1, "final": -1,
}  # fmt: skip
_WHOSE = re.compile(r"\b(?:whose|his|her|its|their|my|our)\s\Z")
_QUARTER = re.compile(r"q([1-4])\Z", re.IGNORECASE)
_LABELS = word_set(
    "week day lap set no nr number period round stage step leg move lot page chapter quarter year "
    "month hour platform rank pos position place lane seat seed room gate floor version code id zip"
)
"""Fields whose numbers tell things apart rather than measure them."""


class Series(NamedTuple):
    """One field of a list of entries: of each entry its number and its fact."""

    words: frozenset[str]
    """The stems of the words that name the field."""
    dimension: str | None
    values: dict[int, tuple[float, int]]


class EntryList(NamedTuple):
    """Things that stand side by side."""

    nouns: frozenset[str]
    """The stems of the words for one of them: "quarter"."""
    names: list[frozenset[str]]
    """Of each entry the stems that name it and no other."""
    heads: list[frozenset[str]]
    """Of each entry the last words of its names."""
    proper: frozenset[str]
    """Stems that have a capital letter in the data."""
    days: dict[int, frozenset[int]]
    """The entries by day of the week."""
    series: list[Series]
    fields: dict[str, str]
    """Of each stem the field that it is from."""
    moments: dict[str, dict[int, frozenset[int]]]
    """The entries by month (1 to 12) and by minute of the day."""
    row_of: dict[int, int]
    """Of each fact its entry."""
    field_of: dict[int, str]
    """Of each fact its field."""
    is_list: bool
    kinds: dict[str, dict[str, frozenset[int]]]
    """The fields of words that recur, with the entries of each; yes and no by the field's name."""


class Reference(NamedTuple):
    """A place of a text that names one entry."""

    start: int
    end: int
    entry: int
    field: str = ""
    """The field that the name is the value of; empty for a day, a time or a place in the list."""


def read_entries(
    facts: Sequence[ValueFact],
    paths: Sequence[str],
    explainer: Explainer,
    subjects: Sequence[str],
) -> list[EntryList]:
    """The lists of entries of a record."""
    places: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for place, path in enumerate(paths):
        parts = path.split("/")
        for at in range(1, len(parts)):
            places["/".join(parts[:at])][parts[at]].append(place)
    found = []
    for parent, children in places.items():
        if not _LEAST <= len(children) <= _MOST:
            continue
        is_list = all(map(str.isdigit, children)) and not any(
            len(one) == len("2024") for one in children
        )
        if parent == "" and not is_list:
            continue  # the fields of the record itself
        made = _read_list(
            parent, children, facts, paths, explainer, subjects=subjects, is_list=is_list
        )
        if made is not None:
            found.append(made)
    return found


def _read_list(
    parent: str,
    children: dict[str, list[int]],
    facts: Sequence[ValueFact],
    paths: Sequence[str],
    explainer: Explainer,
    *,
    subjects: Sequence[str],
    is_list: bool,
) -> EntryList | None:
    own = parent.rpartition("/")[2] if not parent.rpartition("/")[2].isdigit() else ""
    readings = explainer.index.readings
    row_of: dict[int, int] = {}
    field_of: dict[int, str] = {}
    numbers: dict[tuple[str, str | None], dict[int, tuple[float, int]]] = defaultdict(dict)
    written: list[list[str]] = []
    sources: dict[str, str] = {}
    months: dict[int, set[int]] = defaultdict(set)
    minutes: dict[int, set[int]] = defaultdict(set)
    days: dict[int, set[int]] = defaultdict(set)
    for row, (child, members) in enumerate(children.items()):
        written.append([] if is_list else [" ".join(_without_unit(child))])
        if (month := _month(child)) is not None:
            months[month].add(row)
        for subject in {subjects[place] for place in members} - {""}:
            written[row].append(subject)
            for word in _words(subject):
                sources.setdefault(_singular(word), "name")
        for place in members:
            rest = paths[place][len(parent) + 1 + len(child) :]
            if not rest and is_list and readings[place].quantities:
                return None  # a plain list of numbers
            row_of[place], field_of[place] = row, rest
            reading, value = readings[place], facts[place].value
            day = next((n for n, name in enumerate(_DAYS) if _is_day(value, name)), None)
            if (month := _month(value)) is not None:
                months[month].add(row)
            for clock in reading.clocks[:1] if not reading.dates else ():
                minutes[clock.minutes].add(row)
            if day is not None:
                days[day].add(row)
            elif reading.quantities and not reading.clocks and not reading.moment:
                quantity = reading.quantities[0]
                unit = UNITS.get(quantity.unit or "")
                number = float(quantity.value)
                measure = quantity.unit if unit is None else unit.dimension
                measure = _money(measure) or measure or dimension_of_key(facts[place].key)
                base = number if unit is None else unit.base(number)
                numbers[rest, measure].setdefault(row, (base, place))
            elif not reading.dates and not reading.clocks and _is_name(value, rest):
                written[row].append(value)
                for word in _words(value):
                    sources[_singular(word)] = rest or "name"
    series = []
    for (rest, measure), values in numbers.items():
        if len(values) < _LEAST or (not is_list and len(values) < len(children) / 2):
            continue
        key = rest.strip("/").replace("/", ".") or own
        words = frozenset(stem_of(word) for word in words_of_key(key) if word not in _GENERAL)
        last = words_of_key(key)[-1:]
        if not last or last[0].removesuffix("s") in _LABELS:
            continue
        series.append(Series(words, measure, values))
    fields = {stem for one in series for stem in one.words}
    fields |= {stem_of(word) for word in words_of_key(own)}
    stems = [{_singular(word) for name in names for word in _words(name)} for names in written]
    counts: dict[str, int] = defaultdict(int)
    for some in stems:
        for stem in some:
            counts[stem] += 1
    unique = [
        frozenset(stem for stem in some if counts[stem] == 1 and stem_of(stem) not in fields)
        for some in stems
    ]
    heads = [
        frozenset(
            _singular(spelt[-1])
            for name in names
            if (spelt := [word for word in _words(name) if word.isalpha()])
        )
        for names in written
    ]
    proper = frozenset(
        _singular(word)
        for names in written
        for name in names
        for word in _words(name)
        if word[:1].isupper() and not name.isupper()
    )
    if not is_list and not series and len(row_of) == len(children):
        return None
    nouns = {_singular(word) for word in words_of_key(own) if len(word) > 2}
    if any(_QUARTER.match(word) for names in written for name in names for word in [name]):
        nouns.add("quarter")
    return EntryList(
        frozenset(nouns), unique, heads, proper,
        {day: frozenset(rows) for day, rows in days.items()}, series, sources,
        {
            name: {key: frozenset(rows) for key, rows in found.items()}
            for name, found in (("month", months), ("minute", minutes))
        },
        row_of, field_of, is_list, _kinds(row_of, field_of, facts),
    )  # fmt: skip


def _kinds(
    row_of: dict[int, int], field_of: dict[int, str], facts: Sequence[ValueFact]
) -> dict[str, dict[str, frozenset[int]]]:
    found: dict[str, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    for fact, row in row_of.items():
        value = facts[fact].value.lower()
        words = re.findall(r"[^\W\d_]+", value)
        if value in _TRUTHS:
            names = [one for one in words_of_key(field_of[fact].strip("/")) if len(one) > 3]
            if len(names) == 1:
                key = names[0] if value in ("yes", "true", "y") else f"not {names[0]}"
                found[field_of[fact]][key].add(row)
        elif len(words) == 1 and len(words[0]) > 3 and words[0] == value.strip("_- "):
            found[field_of[fact]][words[0]].add(row)
    return {
        field: {value: frozenset(rows) for value, rows in values.items()}
        for field, values in found.items()
        if len(values) < sum(map(len, values.values()))
        and sum(map(len, values.values())) == len({*row_of.values()})
    }


_TRUTHS = word_set("yes no true false y n none null")


_MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july", "august"),
    *("september", "october", "november", "december"),
)
_LONGEST_NAME = 60


def _is_name(value: str, field: str) -> bool:
    """Whether a value may name an entry: it has letters, and is neither a yes nor deep inside."""
    return (
        field.count("/") < _LEAST
        and len(value) < _LONGEST_NAME
        and value.lower() not in _TRUTHS
        and _LETTERS.search(value) is not None
    )


def _month(value: str) -> int | None:
    """The number of a month by its name or its first three letters."""
    word = value.lower().rstrip(".")
    found = [n for n, name in enumerate(_MONTHS, 1) if word in (name, name[:3])]
    return found[0] if found else None


def _is_day(value: str, name: str) -> bool:
    return value.lower() == name or (len(value) <= 4 and value.lower().rstrip(".") == name[:3])


def _without_unit(key: str) -> list[str]:
    words = words_of_key(key)
    if len(words) > 1 and unit_in(words[-1]) is not None:
        words = words[:-1]
    return words


def _singular(word: str) -> str:
    """A word of a name without its plural: "holds" is not `holding`."""
    word = fold(word)
    for ending, other in (("ies", "y"), ("es", "e"), ("s", "")):
        if word.endswith(ending) and len(word) > len(ending) + 2 and not word.endswith("ss"):
            return word[: -len(ending)] + other
    return word


def _words(name: str) -> list[str]:
    return [
        word
        for word in re.findall(r"[^\W_]+", name)
        if len(word) > 1 and word.lower() not in SMALL_WORDS and not word.isdigit()
        if word.lower() not in _MONTHS and word.lower() not in _DAYS
    ]


# What a text says ------------------------------------------------------------------------------

_ADJECTIVES: dict[str, tuple[bool, frozenset[str] | None]] = {
    word: (up, None if dims == "any" else frozenset(dims.split()))
    for up, dims, words in (
        (True, "any", "high larg great big strong bus top maximum peak most more"),
        (False, "any", "low small weak quiet minimum least fewest few less"),
        (True, "time length", "long"), (False, "time length", "short"),
        (True, "mass", "heav"), (False, "mass", "light"),
        (True, "temperature", "warm hot"), (False, "temperature", "cold cool"),
        (True, "money", "expensiv dear pric"), (False, "money", "cheap"),
        (True, "length", "deep tall wid far furth"), (False, "length", "narrow clos near shallow"),
    )
    for word in words.split()
}  # fmt: skip
_GRADED = (
    "high|larg|great|bigg|strong|bus(?:i)|top|low|small|weak|quiet|long|short|heav(?:i)|light|warm"
    "|hott|cold|cool|dear|pric(?:i)|cheap|deep|tall|wid|furth|narrow|clos|near|shallow"
)
_BETTER = re.compile(
    rf"\b(?P<word>(?:{_GRADED})er|more expensive|more|less|fewer)\b[^.;,!?]{{0,30}}?\bthan\s"
)
_HEDGED = re.compile(
    r"\b(?:not|no|never|nor|neither|among|except|apart from|excluding|other than|one of|second"
    r"|third|so far|combined|together|total|per|average|between|both|each|if|would|expected"
    r"|forecast|planned|of the (?:two|three|four|five)|after|before|until|since|almost|nearly"
    r"|gain|loss|difference|gap|margin|share|proportion|ratio|profit|increase|decrease|rise|drop|fall|change"
    r"|single|first half|second half|weekdays|weekends?|remaining|rest|others)\b"
)
_RELATED = re.compile(
    r"\b(?:than|more|less|fewer|by|compared|against|versus|difference|between|from|up|down|until"
    r"|before|after|since|total|altogether|average|together|combined|both|each(?! ?[,.])|over"
    r"|of the|respectively|all|sum|ahead|behind|as many|as much|twice|half)\b"
)
_APART = re.compile(
    r"[,;:.()]|\b(?:and|or|but|than|with|against|while|after|before|from|to|beat|behind|ahead|like|as"
    r"|both|then|over|under|between|instead|replac\w+|follow\w+|joined|met|told|asked|when|where"
    r"|who|which|whose|next|near|by|via|it|they|he|she|on|trail\w*|leads?|led|tops?|topped)\b"
)
_NEGATION = re.compile(r"\b(?:not|no|never|nor|neither)\b|n['’]t\b")
_ARE = re.compile(
    r" (?:of (?:them|these|those|the (?:\w+ )??(?P<noun>[a-z]+)) (?:were |was |are |being "
    r"|had been |have been |because of |due to )?|(?:were|was|are|being|had been|have been) )"
)
_OF = re.compile(r"\bof (?:the |its |their |these |all |top )*\Z")
_NOT_COUNTED = re.compile(
    r"\b(?:not|no|never|more|other|another|further|first|last|next|least|most|than|only after|per"
    r"|each|every|and|hours?|minutes?|days?|weeks?|years?|times)\b"
)
_NEXT_WORDS = 3
_FAR = 40
"""Characters between two names that are said of each other."""


class _Word(NamedTuple):
    word: str
    stem: str
    match: re.Match[str]


class _Words(NamedTuple):
    """The words of a text without the ending of a genitive."""

    words: tuple[_Word, ...]
    stems: frozenset[str]


@lru_cache(maxsize=4)  # a record has many lists, and the text is the same for all of them
def _read_words(text: str) -> _Words:
    found = []
    for match in _WORD.finditer(text):
        word = match[0].removesuffix("'s").removesuffix("’s")
        found.append(_Word(word, _singular(word), match))
    return _Words(tuple(found), frozenset(one.stem for one in found))


@lru_cache(maxsize=4)
def _sentences_of(text: str) -> tuple[tuple[int, int], ...]:
    return tuple(split_sentences(text))


class EntryCheck:
    """Checks what a text says of the entries of one list."""

    def __init__(
        self,
        entries: EntryList,
        text: str,
        values: Sequence[ValueSpan],
        facts: Sequence[ValueFact],
        triples: Sequence[Triple],
        explainer: Explainer,
    ) -> None:
        self.entries, self.text, self.values = entries, text, values
        self.facts, self.triples, self.explainer = facts, triples, explainer
        self.lower = text.lower() if len(text.lower()) == len(text) else text
        self.sentences = _sentences_of(text)

    @cached_property
    def references(self) -> list[Reference]:
        """Where the text names one entry, in order."""
        entries = self.entries
        found: list[Reference] = []
        owner: dict[str, int] = {}
        for entry, names in enumerate(entries.names):
            owner |= dict.fromkeys(names, entry)
        words = _read_words(self.text)
        known = owner.keys() & words.stems
        for number, (word, stem, match) in enumerate(words.words) if known else ():
            row = owner.get(stem)
            if row is None or (stem in entries.proper and not word[:1].isupper()):
                continue
            if stem not in entries.heads[row] and stem not in entries.proper:
                following = words.words[number + 1 : number + 2]
                if not any(one.stem in entries.heads[row] for one in following):
                    continue  # "fresh" is not yet "fresh spinach"
            if found and found[-1].entry == row and match.start() - found[-1].end < _NEXT_WORDS:
                found[-1] = found[-1]._replace(end=match.end())
            else:
                field = entries.fields.get(stem, "")
                found.append(Reference(match.start(), match.end(), row, field))
        for span in self.values:
            moments = [
                *(
                    entries.moments["month"].get(date.month or 0, frozenset())
                    for date in span.dates
                    if date.day is None
                ),
                *(
                    entries.moments["minute"].get(clock.minutes, frozenset())
                    for clock in span.clocks
                    if span.kind == "time"
                ),
            ]
            some: frozenset[int] = frozenset().union(*moments)
            if len(some) == 1:
                found.append(Reference(span.start, span.end, min(some)))
        for match in _DAY.finditer(self.lower):
            day = _DAYS.index(match[0] if match[0] in _DAYS else match[0][:-1])
            if len(rows := entries.days.get(day, frozenset())) == 1:
                found.append(Reference(match.start(), match.end(), min(rows)))
        count = len(entries.names)
        if entries.is_list and entries.nouns:
            for match in re.finditer(rf"\b({'|'.join(_ORDINALS)}) (\w+)", self.lower):
                place = _ORDINALS[match[1]]
                whose = _WHOSE.search(self.lower, max(0, match.start() - 8), match.start())
                if whose is None and _singular(match[2]) in entries.nouns and place < count:
                    found.append(Reference(match.start(), match.end(), place % count))
        return sorted({*found})

    def _part(self, place: int, sentence: tuple[int, int]) -> tuple[int, int]:
        return part_at(self.lower, place, sentence, _CUT)

    def _in(self, part: tuple[int, int]) -> list[Reference]:
        return [*starting_in(self.references, *part)]

    def faults(self) -> Iterator[OwnerFault]:
        """Every claim about an entry that does not hold for it."""
        if not self.references and not self.entries.series:
            return
        for sentence in self.sentences:
            yield from self._numbers(sentence)
            yield from self._comparisons(sentence)
            yield from self._pairs(sentence)
            yield from self._counts(sentence)

    # Numbers ------------------------------------------------------------------------------------

    def _numbers(self, sentence: tuple[int, int]) -> Iterator[OwnerFault]:
        for span in starting_in(self.values, *sentence):
            if span.kind not in ("number", "time"):
                continue
            if span.range or not (span.quantities or span.clocks):
                continue
            if span.words and span.quantities and span.quantities[0].value <= 1:
                continue
            part = self._part(span.start, sentence)
            spoken = {one.entry for one in self._in(part)}
            before = self._in((span.start - LONGEST_SENTENCE, span.start + 1))
            inside = any(span.start < one.end for one in before)
            label = self._label(span.start)
            if len(spoken) != 1 or inside:
                continue
            if label is None and _RELATED.search(self.lower, *part):
                continue
            (row,) = spoken
            if self._is_nearer(span, part):
                continue
            if (fault := self._number(span, row, part)) is not None:
                yield fault

    def _label(self, start: int) -> str | None:
        """The word before a number that makes it a label: "platform 5"."""
        match = re.search(r"([a-z]+) \Z", self.lower[max(0, start - 14) : start])
        return match[1] if match and match[1] in _LABELS else None

    def _is_nearer(self, span: ValueSpan, part: tuple[int, int]) -> bool:
        """Whether another number of the part is nearer to what it names: "nine to their six"."""
        gaps = {
            one.start: min(
                max(one.start - named.end, named.start - one.end) for named in self._in(part)
            )
            for one in self._inside(part)
            if one.quantities or one.clocks
            if one.start == span.start or not self._in((one.start, one.start + 1))
        }
        return any(gap < gaps[span.start] for gap in gaps.values())

    def _number(self, span: ValueSpan, row: int, part: tuple[int, int]) -> OwnerFault | None:
        entries = self.entries
        supports = self.explainer.index.explain(span, self.text)
        facts = {fact for one in supports for fact in one.facts}
        if any(one.how in ("part", "score") for one in supports):
            return None
        if self.explainer.is_gap(span, self.text):
            return None
        if not facts:
            made = self.explainer.explain(span, self.text)
            weak = all(one.how == "difference" for one in made)
            return self._other_number(span, row) if weak else None
        if any(fact not in entries.row_of for fact in facts):
            return None
        rows = {entries.row_of[fact] for fact in facts}
        sentence = next(one for one in self.sentences if one[0] <= span.start < one[1])
        if row in rows or any(one.entry in rows for one in self._in(sentence)):
            return None
        fields = {entries.field_of[fact] for fact in facts}
        own = [
            fact
            for fact, other in entries.row_of.items()
            if other == row and entries.field_of[fact] in fields
        ]
        if len(own) != 1 or ("" in fields and not entries.moments["month"]):
            return None
        readings = self.explainer.index.readings
        kinds = {
            (bool(one.clocks), tuple(quantity.unit for quantity in one.quantities[:1]))
            for one in (readings[fact] for fact in (*facts, own[0]))
        }
        if len(kinds) != 1:
            return None
        bare = span.words or not any(one.unit for one in span.quantities)
        if bare and not span.clocks:
            number = span.quantities[0].value if span.quantities else 0
            named = {
                stem_of(word) for word in words_of_key(parts_of_key(self.facts[own[0]].key)[-1])
            }
            said = {stem_of(word) for word in _WORD.findall(self.lower[slice(*part)])}
            if (number < 100 or span.words) and not named & said:
                return None
        seen = self.text[span.start : span.end]
        other = self.triples[min(facts)]
        same = other.subject == self.triples[own[0]].subject
        whose = other.predicate if same else other.subject
        note = say_fact(self.triples[own[0]], seen)
        note += f"; {quote_value(other.object, seen)} is that of {whose}"
        return OwnerFault(span.start, span.end, "owner", note, own[0])

    def _other_number(self, span: ValueSpan, row: int) -> OwnerFault | None:
        """A measured number that no fact has, beside an entry that has one of its kind."""
        if not span.quantities or span.hedge not in ("none", "about") or span.words:
            return None
        unit = UNITS.get(span.quantities[0].unit or "")
        if unit is None or unit.dimension in ("share", "time"):
            return None
        own = [
            one.values[row][1]
            for one in self.entries.series
            if one.dimension == (_money(unit.dimension) or unit.dimension) and row in one.values
        ]
        if len(own) != 1 or self.entries.field_of[own[0]] == "":
            return None
        note = say_fact(self.triples[own[0]], self.text[span.start : span.end])
        return OwnerFault(span.start, span.end, "owner", note, own[0])

    # Names --------------------------------------------------------------------------------------

    def _pairs(self, sentence: tuple[int, int]) -> Iterator[OwnerFault]:
        """Two names in one clause that stand in two entries: an actor with another's role."""
        for one, other in pairwise(self._in(sentence)):
            if one.entry == other.entry or not one.field or not other.field:
                continue
            if one.field == other.field or other.start - one.end > _FAR:
                continue
            between = self.lower[one.end : other.start]
            if _APART.search(between) or _NEGATION.search(between):
                continue
            own = [
                fact
                for fact, row in self.entries.row_of.items()
                if row == one.entry and self.entries.field_of[fact] == other.field
            ]
            back = [
                fact
                for fact, row in self.entries.row_of.items()
                if row == other.entry and self.entries.field_of[fact] == one.field
            ]
            if len(own) != 1 or len(back) != 1:
                continue
            note = say_fact(self.triples[own[0]], self.text[one.start : other.end])
            yield OwnerFault(one.start, other.end, "owner", note, own[0])

    def _counts(self, sentence: tuple[int, int]) -> Iterator[OwnerFault]:
        """How many entries are of a kind: "two were cancelled"."""
        entries = self.entries
        inside = starting_in(self.values, *sentence)
        for span in inside if entries.kinds and entries.is_list else ():
            if span.kind != "number":
                continue
            after = _ARE.match(self.lower, span.end)
            if after is None or span.hedge != "none" or span.range or len(span.quantities) != 1:
                continue
            if span.quantities[0].unit or span.quantities[0].value > len(entries.names):
                continue
            if after["noun"] and _singular(after["noun"]) not in entries.nouns:
                continue
            if _OF.search(self.lower, max(0, span.begin - 14), span.begin):
                continue  # "three of the five"
            part = self._part(span.start, sentence)
            named = [one for one in self._in(part) if one.field not in entries.kinds]
            if _NOT_COUNTED.search(self.lower, *part) or named:
                continue
            said = [stem_of(one) for one in _WORD.findall(self.lower[after.end() : part[1]])]
            spoken = [
                (field, value, rows)
                for field, kinds in entries.kinds.items()
                for value, rows in kinds.items()
                if stem_of(value) in said
            ]
            number = span.quantities[0].value
            if len(spoken) == 1 and len(spoken[0][2]) != number:
                field, value, rows = spoken[0]
                note = f"the data has {len(rows)} with {field.strip('/')} {value!r}"
                yield OwnerFault(span.start, min(part[1], after.end() + 20), "count", note)

    # Comparisons --------------------------------------------------------------------------------

    def _chosen(
        self, part: tuple[int, int], adjective: str, rows: Sequence[int]
    ) -> tuple[list[Series], bool] | None:
        """The fields that a comparison may speak of, and whether more is meant."""
        known = next(
            (
                (up, dims)
                for stem, (up, dims) in _ADJECTIVES.items()
                if adjective.removeprefix("most ").removeprefix("more ").startswith(stem)
            ),
            None,
        )
        if known is None:
            return None
        up, dims = known
        said = {stem_of(word) for word in _WORD.findall(self.lower[slice(*part)])}
        series = [one for one in self.entries.series if all(row in one.values for row in rows)]
        if dims is not None:
            series = [one for one in series if one.dimension in dims]
        named = [one for one in series if one.words and one.words <= said]
        named = named or [one for one in series if one.words & said]
        counted = adjective in ("most", "least", "more", "less", "fewer", "fewest")
        if not named and counted and len(self.entries.field_of) > len(self.entries.names):
            return None
        series = named or series
        mixed = any(
            min(numbers) < 0 < max(numbers)
            for one in series
            for numbers in [[value for value, _ in one.values.values()]]
        )
        return (series, up) if series and not mixed else None

    def _comparisons(self, sentence: tuple[int, int]) -> Iterator[OwnerFault]:
        for match in _BETTER.finditer(self.lower, *sentence):
            if _HEDGED.search(self.lower, max(sentence[0], match.start() - 25), match.start()):
                continue
            left = self._in((sentence[0], match.start()))
            right = self._in((match.end(), min(sentence[1], match.end() + 40)))
            if not left or not right or left[-1].entry == right[0].entry:
                continue
            if starting_in(self.values, match.end(), right[0].start):
                continue
            if _TOGETHER.search(self.lower, match.end(), sentence[1]):
                continue
            rows = [left[-1].entry, right[0].entry]
            part = (left[-1].start, self._part(match.end(), sentence)[1])
            chosen = self._chosen(part, match["word"], rows)
            if chosen is None:
                continue
            series, up = chosen
            pairs = [[one.values[row][0] for row in rows] for one in series]
            if any(one == other or (one > other) == up for one, other in pairs):
                continue
            yield self._told(match.start(), match.end() - 1, "comparison", series[0], *rows)

    def _inside(self, part: tuple[int, int]) -> Sequence[ValueSpan]:
        return starting_in(self.values, *part)

    def _told(
        self, start: int, end: int, kind: str, series: Series, one: int, other: int
    ) -> OwnerFault:
        first, second = (self.triples[series.values[row][1]] for row in (one, other))
        note = f"{say_fact(first, '')} and {quote_value(second.object)} for {second.subject}"
        if first.subject == second.subject:
            note = f"the data has {first.predicate} {quote_value(first.object)}"
            note += f" and {second.predicate} {quote_value(second.object)}"
        return OwnerFault(start, end, kind, note, series.values[one][1])


def _money(dimension: str | None) -> str | None:
    return "money" if dimension in CURRENCIES else None
