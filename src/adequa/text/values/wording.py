"""Coded values in natural wording: dates, booleans, numbers, units, IRIs, and codes.

Codes are compass points, days of the week, months and words in capitals: `spellings_of` are the
ways to write one, and `find_siblings` finds where a text has another kind than the data.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple
from urllib.parse import unquote

from adequa.data import Term, Triple
from adequa.text.labels import label_of, readable
from adequa.text.sentences import word_set
from adequa.text.values.units import lowered, unit_named, unit_of_key, words_of_key

TripleWords = tuple[str, str, str]
"""Subject, predicate and object in words."""

_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August"),
    *("September", "October", "November", "December"),
)
_DATE = re.compile(
    r"^(?P<year>-?\d{4})-(?P<month>0[1-9]|1[0-2])-(?P<day>0[1-9]|[12]\d|3[01])"
    r"(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$"
)
_MONTH_OF_YEAR = re.compile(r"^(?P<year>\d{4})-(?P<month>0[1-9]|1[0-2])(?:-00)?$")
_DAY_OF_YEAR = re.compile(r"^--(?P<month>0[1-9]|1[0-2])-(?P<day>0[1-9]|[12]\d|3[01])$")
_SCIENTIFIC = re.compile(r"^[+-]?\d{1,20}(?:\.\d{1,20})?[eE][+-]?\d{1,2}$")
_MEASURE = re.compile(
    r"^(?P<number>[+-]?\d[\d.,]{0,40}(?: (?:thousand|million|billion|trillion))?)"
    r" \((?P<unit>[^()]{1,60})\)$"
)
_RATE = re.compile(r"^(?P<unit>\w*(?:metre|meter|gram|litre|liter|mile)) per (?P<per>[\w ]+)s$")
_ADDRESS = re.compile(
    r"^<?https?://\S+?/(?:resource|ontology|property|wiki|page|entity)/(?P<name>[^\s/#?<>]+)>?$"
)
_LONGEST_QUALITY = 60
"""Characters; longer values are sentences."""
_LETTER = re.compile(r"[^\W\d_]")
_NAME_OR_NUMBER = re.compile(r"[^\W_a-z\u00df-\u00ff]")
_YES = {"yes", "true"}
_NO = {"no", "false"}
_VERBS = {
    **{verb: (verb, f"{verb} not") for verb in ("is", "are", "was")},
    **dict.fromkeys(("has", "have"), ("has", "does not have")),
    "can": ("can", "cannot"),
    **{
        f"{verb}s": (f"{verb}s", f"does not {verb}")
        for verb in ("allow", "accept", "offer", "serve", "support", "include")
    },
}
"""A predicate's first word, and the verb for the value yes and for no."""


def word_triple(triple: Triple, terms: Mapping[str, Term] | None = None) -> TripleWords:
    """A triple in words, with a yes or no value as a verb.

    >>> word_triple(Triple("Blue_Spice", "familyFriendly", "no"))
    ('Blue Spice', 'is not', 'family friendly')
    >>> word_triple(Triple("Ada", "birthDate", '"1815-12-10"'))
    ('Ada', 'birth date', '10 December 1815')
    """
    subject, predicate, value = word_parts(triple, terms)
    verb, quality = say_boolean(predicate, value)
    return (subject, verb, quality) if verb else (subject, predicate, value)


def word_parts(triple: Triple, terms: Mapping[str, Term] | None = None) -> TripleWords:
    """Subject, predicate and value in words, a yes or no unchanged.

    >>> word_parts(Triple("Dam", "height", '"3.9"(metres)'))
    ('Dam', 'height', '3.9 metres')
    """
    subject, predicate, value = readable(triple, terms)
    value = say_number(say_unit(say_date(say_address(value))))
    return say_date(say_address(subject)), predicate, value


def say_boolean(predicate: str, value: str) -> tuple[str, str]:
    """The verb and the quality for a yes or no; two empty strings for any other value.

    >>> say_boolean("has parking", "false"), say_boolean("colour", "red")
    (('does not have', 'parking'), ('', ''))
    """
    answer = value.casefold()
    if answer not in _YES and answer not in _NO:
        return "", ""
    first, _, rest = predicate.partition(" ")
    verbs, quality = (_VERBS[first], rest) if rest and first in _VERBS else (_VERBS["is"], "")
    return verbs[answer in _NO], quality or predicate


def is_quality(value: str) -> bool:
    """Whether a value is a word or a few such as "moderate" or "yes", not a name or a number.

    >>> [value for value in ("yes", "by the river", "Oslo", "12 m", "1,250") if is_quality(value)]
    ['yes', 'by the river']
    """
    few = len(value) <= _LONGEST_QUALITY
    return few and _LETTER.search(value) is not None and _NAME_OR_NUMBER.search(value) is None


def is_value(entity: str) -> bool:
    """Whether an object is a number or a date, which the detector reads better than a model."""
    label = label_of(entity).base
    letters = sum(map(str.isalpha, label))
    return any(map(str.isdigit, label)) and (
        letters < sum(map(str.isdigit, label)) or say_date(label) != label
    )


def say_date(value: str) -> str:
    """A numeric date as day, month and year; anything else unchanged.

    >>> say_date("1987-08-27"), say_date("1987-02"), say_date("1987-13-01")
    ('27 August 1987', 'February 1987', '1987-13-01')
    """
    if not value or not value[-1].isascii() or "-" not in value:
        return value
    if found := _DATE.match(value):
        year = found["year"].lstrip("0") if not found["year"].startswith("-") else None
        named = year or f"{found['year'].lstrip('-0') or '0'} BC"
        return f"{int(found['day'])} {_MONTHS[int(found['month']) - 1]} {named}"
    if found := _MONTH_OF_YEAR.match(value):
        return f"{_MONTHS[int(found['month']) - 1]} {found['year']}"
    if found := _DAY_OF_YEAR.match(value):
        return f"{int(found['day'])} {_MONTHS[int(found['month']) - 1]}"
    return value


def say_number(value: str) -> str:
    """A number in scientific notation written out; anything else unchanged.

    >>> say_number("1.2E7"), say_number("2.5e-3"), say_number("E7")
    ('12000000', '0.0025', 'E7')
    """
    if not _SCIENTIFIC.match(value):
        return value
    plain = f"{Decimal(value):f}"
    return plain.rstrip("0").rstrip(".") if "." in plain else plain


_LONG_NUMBER = re.compile(r"(?P<whole>[-+]?[1-9][0-9]{4,14})(?P<rest>\.[0-9]+)?(?P<unit>(?: .*)?)")
"""A number that is easier to read with commas; one with more digits is an id."""


def show_value(value: str, beside: str = "") -> str:
    """A value of the data for people to read: a long number has commas.

    It stays as it is where the words of the text beside it have a long number without commas: a
    postcode is not 90,210.

    >>> show_value("98500000.0 euros"), show_value("1.3e6", "1.4 million"), show_value("44.0")
    ('98,500,000 euros', '1,300,000', '44.0')
    >>> show_value("90210", "postcode 90211")
    '90210'
    """
    number, space, unit = value.partition(" ")
    plain = say_number(number) + space + unit
    long = _LONG_NUMBER.fullmatch(plain)
    if long is not None and not re.search(r"(?<![0-9.,])[0-9]{5}", beside):
        rest = (long["rest"] or "").rstrip("0").rstrip(".")
        plain = f"{int(long['whole']):,}{rest}{long['unit']}"
    return plain


def quote_value(value: str, beside: str = "") -> str:
    """A value of the data for people to read, in quotes.

    >>> quote_value("98500000.0 euros")
    "'98,500,000 euros'"
    """
    return repr(show_value(value, beside))


def say_unit(value: str) -> str:
    """A number with its unit without the brackets; anything else unchanged.

    >>> say_unit("3.9 (metres)"), say_unit("18.29 (kilometre Per Seconds)"), say_unit("2014 (film)")
    ('3.9 metres', '18.29 kilometres per second', '2014 (film)')
    """
    found = _MEASURE.match(value) if value.endswith(")") else None
    if found is None:
        return value
    unit = found["unit"].strip()
    if unit_named(unit) is None:
        return value
    if unit_named(unit.lower()) == unit_named(unit):
        unit = _RATE.sub(r"\g<unit>s per \g<per>", unit.lower())
    return f"{found['number']} {unit}"


def say_address(value: str) -> str:
    """The name in the IRI of a knowledge graph's entity; anything else unchanged.

    >>> say_address("http://dbpedia.org/resource/Blue_Spice"), say_address("https://example.org/")
    ('Blue Spice', 'https://example.org/')
    """
    found = _ADDRESS.match(value) if "://" in value else None
    if found is None:
        return value
    return " ".join(unquote(found["name"]).replace("_", " ").split()) or value


# Codes -----------------------------------------------------------------------------------------

_POINTS = (
    "n", "nne", "ne", "ene", "e", "ese", "se", "sse", "s", "ssw", "sw", "wsw", "w", "wnw", "nw",
    "nnw",
)  # fmt: skip
_SIDES = {"n": "north", "e": "east", "s": "south", "w": "west"}
_WIND_WORDS = word_set(
    "wind direction dir deg heading bearing drift toward towards orientation facing aspect course"
)
_DAY_NAMES = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTH_NAMES = (
    *("january", "february", "march", "april", "may", "june", "july", "august"),
    *("september", "october", "november", "december"),
)
_BEARING = re.compile(r"[0-9]{1,3}(?:\.[0-9]+)?")
_CODE = re.compile(r"[A-Z]+(?:[_-][A-Z]+)+|[a-z]+(?:[_][a-z]+)+")
_CIRCLE = 360.0


def compass_point(value: str, key: str) -> str | None:
    """The compass point of a value (`NW`, `north-west`, or degrees), as letters.

    Letters and degrees count only where the key speaks of a direction.

    >>> compass_point("NW", "wind_dir"), compass_point("315", "wind.deg"), compass_point("E", "x")
    ('nw', 'nw', None)
    """
    word = re.sub(r"[\s_-]", "", value.strip().lower())
    directed = bool(_WIND_WORDS.intersection(words_of_key(key)))
    if word in _POINTS:
        return word if directed else None
    if word in _points_by_name():
        return _points_by_name()[word]
    degrees = _BEARING.fullmatch(word) and unit_of_key(key) in (None, "degree")
    if directed and degrees and float(word) <= _CIRCLE:
        return _POINTS[round(float(word) / 22.5) % 16]
    return None


@cache
def _points_by_name() -> dict[str, str]:
    return {_name(point, ""): point for point in _POINTS}


def _name(point: str, glue: str) -> str:
    """`nnw` is north-north-west."""
    sides = [_SIDES[letter] for letter in point]
    return glue.join(sides)


@lru_cache(maxsize=1024)
def compass_words(point: str) -> tuple[str, ...]:
    """The ways to write a compass point: "north-west", "northwesterly", "NW".

    A text may give a finer point by the nearest coarser ones: "north" or "north-west" for NNW.

    >>> compass_words("nw")[:3]
    ('northwest', 'north-west', 'north west')
    """
    near = [point] if len(point) < 3 else [point, point[0], point[1:]]
    names: list[str] = []
    for one in near:
        for glue in ("", "-", " "):
            name = _name(one, glue)
            names += [name, f"{name}erly", f"{name}ern", f"{name}erlies"]
    return tuple(
        dict.fromkeys(
            [*sorted(names, key=lambda name: name.endswith(("y", "n", "s"))), point.upper()]
        )
    )


@lru_cache(maxsize=4096)
@lru_cache(maxsize=4096)  # asked of every text that leaves the value out
def spellings_of(key: str, value: str) -> tuple[str, ...]:
    """Other ways in which a text may write a coded value; empty for a value that is not a code.

    >>> spellings_of("status", "IN_STOCK"), spellings_of("day", "tue")
    (('in stock',), ('tuesday',))
    """
    if point := compass_point(value, key):
        return compass_words(point)
    word = value.strip().lower()
    for names in (_DAY_NAMES, _MONTH_NAMES):
        found = [name for name in names if word in (name[:3], name[:4]) and word != name]
        if found:
            return tuple(found)
    return (word.replace("_", " ").replace("-", " "),) if _CODE.fullmatch(value.strip()) else ()


class Sibling(NamedTuple):
    """A word of a text that stands for another kind than the data has."""

    start: int
    end: int
    fact: int


class _Kinds(NamedTuple):
    """The families of kinds: where each spelling belongs, and a pattern of all of them."""

    places: Mapping[str, frozenset[tuple[int, int]]]
    """Of each spelling the numbers of its families and of its members there."""
    pattern: re.Pattern[str]


@lru_cache(maxsize=1)
def _kinds() -> _Kinds:
    table = (files("adequa.text") / "resources" / "kinds.txt").read_text(encoding="utf-8")
    rows = [line for line in table.splitlines() if line.strip() and not line.startswith("#")]
    places: dict[str, set[tuple[int, int]]] = {}
    for family, row in enumerate(rows):
        for member, spellings in enumerate(row.split("|")):
            for one in spellings.split("/"):
                places.setdefault(one.strip().replace("-", " "), set()).add((family, member))
    longest = sorted(places, key=len, reverse=True)
    names = "|".join(re.escape(one).replace("\\ ", "[ -]") for one in longest)
    pattern = re.compile(rf"(?<![\w-])(?P<kind>{names})(?:s|es)?(?![\w-])")
    return _Kinds({one: frozenset(found) for one, found in places.items()}, pattern)


@lru_cache(maxsize=4096)
def _kinds_of(written: str) -> frozenset[tuple[int, int]]:
    """The kinds that a value of the data is: by its words, or as a code that theirs begin with."""
    if len(written) > _LONGEST_KIND:
        return frozenset()
    kinds = _kinds().places
    words = re.sub(r"[\s_-]+", " ", written).strip().lower().split()
    parts: tuple[list[str], ...] = (words, words[1:], words[:-1], words[1:-1])
    if {"semi", "non", "half", "part"} & {*words}:
        parts = (words,)
    found = {kind for part in parts for kind in kinds.get(" ".join(part), ())}
    if written.isupper() and len(written) <= _LONGEST_CODE and min(map(len, words), default=0) > 1:
        for name, places in kinds.items():
            full = name.split()
            if len(full) == len(words) and all(map(str.startswith, full, words)):
                found |= places
    return frozenset(found)


_POINT = r"(?:north|south)[ -]?(?:east|west)|north|south|east|west"
_FROM_POINT = re.compile(
    rf"\b(?:from|towards?|faces|facing) (?:the )?(?P<point>{_POINT})\b"
    rf"|\b(?P<wind>{_POINT})(?:erl(?:y|ies)\b|[ -](?:facing|wind|winds|breeze|gale)\b)"
)


def _find_points(facts: Sequence[tuple[str, str]], lower: str) -> list[Sibling]:
    """Where a text gives another compass point than the only one of the data.

    A coarser point that is next to it is right: "west" for NW.
    """
    points = {
        place: point
        for place, (key, value) in enumerate(facts)
        if (point := compass_point(value, key)) is not None
    }
    if len({*points.values()}) != 1:
        return []
    place, point = next(iter(points.items()))
    known = {*compass_words(point)}
    found = []
    for match in _FROM_POINT.finditer(lower):
        said = re.sub(r"[\s-]", "", match["point"] or match["wind"])
        other = _points_by_name()[said]
        apart = abs(_POINTS.index(other) - _POINTS.index(point))
        apart = min(apart, len(_POINTS) - apart)  # of sixteen points
        near = 1 if len(other) >= len(point) else 2
        if said not in known and apart > near:
            found.append(Sibling(match.start(), match.end(), place))
    return found


_LONGEST_KIND, _LONGEST_CODE = 40, 8
_NEGATED = re.compile(r"\b(?:not|no|non|than|never|nor|without|neither|cannot)\b|n['’]t\b")


def find_siblings(facts: Sequence[tuple[str, str]], text: str) -> list[Sibling]:
    """Where a text gives another kind of a family than the data, which has one of its kinds.

    A code stands for the kinds that begin with it. Kinds that any value or key of the data has
    are not wrong, and a kind after a negation is not said. `facts` are keys and values.

    >>> find_siblings([("format", "PAPERBACK")], "It is a hardback.")
    [Sibling(start=8, end=16, fact=0)]
    """
    lower = lowered(text)
    turned = _find_points(facts, lower)
    said = [
        (match, _kinds().places[match["kind"].replace("-", " ")])
        for match in _kinds().pattern.finditer(lower)
        if not _NEGATED.search(lower, max(0, match.start() - 24), match.start())
    ]
    if not said:
        return turned
    known: dict[tuple[int, int], int] = {}
    for place, (_, value) in enumerate(facts):
        for kind in _kinds_of(value.strip()):
            known.setdefault(kind, place)
    families = {family: place for (family, _), place in reversed(known.items())}
    fields: dict[str, list[frozenset[tuple[int, int]]]] = {}
    for key, value in facts:
        fields.setdefault(key, []).append(_kinds_of(value.strip()))
    for family, place in [*families.items()]:
        # Other objects may have a kind that the table does not know: it may be a synonym.
        if any(all(one != family for one, _ in kinds) for kinds in fields[facts[place][0]]):
            del families[family]
    everything = " ".join(
        " ".join(re.split(r"[\s_-]+", part.lower())) for fact in facts for part in fact
    )
    return turned + [
        Sibling(match.start(), match.end(), families[family])
        for match, kinds in said
        for family, member in sorted(kinds)[:1]
        if family in families and not any(kind in known for kind in kinds)
        if not re.search(rf"\b{re.escape(match['kind'].replace('-', ' '))}(?!y\b)", everything)
        and (family, member) not in known
    ]
