"""Coded values in natural wording: dates, booleans, numbers, units and IRIs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from urllib.parse import unquote

from adequa.data import Term, Triple
from adequa.text.labels import readable
from adequa.text.values.units import unit_named

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
