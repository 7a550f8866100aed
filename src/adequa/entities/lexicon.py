"""English names of places, languages and people, and nouns for the ends of a triple.

The tables are in `resources/*.tsv`: a header, then one row per line, with `;` between several
values of a cell. They hold general knowledge, written for adequa and taken from no corpus. A table
is read at its first use and kept (170 kB in all). Keys are casefolded with their accents; results
keep their case, because "US" and "IN" mean nothing without it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from importlib import resources
from typing import Literal, NamedTuple, cast, get_args

from adequa.text import split_camel

Gender = Literal["f", "m", "u"]
EntityType = Literal["unknown", "place", "organisation", "person", "thing", "value", "work"]
# The order in which types become features. Sums of weights depend on it in their last digits.
ENTITY_TYPES: tuple[EntityType, ...] = get_args(EntityType)
Forms = tuple[str, ...]


class PredicateUse(NamedTuple):
    """The types of a predicate's subject and object, and the common nouns for them."""

    subject_type: EntityType
    subject_nouns: Forms
    object_type: EntityType
    object_nouns: Forms


class Place(NamedTuple):
    """A row of the table of places."""

    name: str
    other_names: Forms
    demonyms: Forms


def demonyms(place_label: str) -> Forms:
    """The adjectives and names of inhabitants of a place: `Spain` → Spanish, Spaniard."""
    places = _places_called(place_label)
    return _distinct(form for place in places for form in place.demonyms) if places else ()


def other_names(place_label: str) -> Forms:
    """The other names and abbreviations of a place: `Texas` → TX, Tex. and more.

    For a label that is itself another name, the names of that place: `Holland` → Netherlands.
    """
    places = _places_called(place_label)
    if not places:
        return ()
    names = (name for place in places for name in (place.name, *place[1]))
    return _distinct(names, without=_key(place_label))


def place_of_demonym(word: str) -> Forms:
    """The places of a demonym: `Congolese` → two countries."""
    return _demonym_index().get(_key(word), ())


def language_names(label: str) -> Forms:
    """The names of a language in texts: `Persian_language` → Persian, Farsi."""
    key = _key(label)
    rows = _languages()
    names = rows.get(key) or rows.get(f"{key} language")
    if names is not None:
        return _distinct(names, without=key)
    words = label.replace("_", " ").split()
    if len(words) > 1 and words[-1].casefold() in {"language", "languages"}:
        return (" ".join(words[:-1]),)
    return ()


def word_variants(word: str) -> Forms:
    """The usual abbreviations, expansions and other spellings of a word: `St.` → Saint, Street.

    Ambiguous on purpose: callers try them inside a name, where the wrong ones match nothing.
    """
    return _variants("abbreviations", word)


def acronyms(label: str) -> Forms:
    """The acronyms of a well-known name, or the names behind an acronym."""
    return _variants("acronyms", label)


def is_listed(label: str) -> bool:
    """Whether any of the tables that give other forms of a label may have it."""
    key = _key(label)
    return key in _listed() or key.endswith((" language", " languages"))


@cache
def _listed() -> frozenset[str]:
    by_name, by_other = _places()
    tables = (by_name, by_other, _demonym_index(), _languages())
    names = (name.removesuffix(" language") for name in _languages())
    return frozenset().union(*tables, names, _groups("abbreviations"), _groups("acronyms"))


def gender(given_name: str) -> Gender | None:
    """The usual gender of a given name, `u` for both, None for an unknown name."""
    key = _key(given_name)
    table = _genders()
    found = table.get(key)
    if found is None and "-" in key:
        # Rare compounds are not listed; their first part with a gender decides: Jean-Pierre is m.
        parts = [table.get(part) for part in key.split("-")]
        found = next((part for part in parts if part in ("f", "m")), "u" if any(parts) else None)
    return found


@lru_cache(maxsize=4096)
def predicate_use(predicate: str) -> PredicateUse | None:
    """The row of a predicate in any spelling, or None."""
    return _predicates().get(_predicate_key(predicate))


@lru_cache(maxsize=1024)  # a label is looked up in several tables one after another
def _key(label: str) -> str:
    return " ".join(label.replace("_", " ").split()).casefold()


_BRACKETS = re.compile(r"\([^()]*\)")


def _predicate_key(predicate: str) -> str:
    bare = _BRACKETS.sub(" ", predicate)
    return _key(split_camel(bare.replace("-", " ")))


def _distinct(forms: Iterable[str], without: str = "") -> Forms:
    return tuple(dict.fromkeys(form for form in forms if form.casefold() != without))


def _cells(text: str) -> Forms:
    return tuple(text.split(";")) if text else ()


def _rows(table: str) -> Iterator[list[str]]:
    file = resources.files("adequa.entities") / "resources" / f"{table}.tsv"
    lines = file.read_text(encoding="utf-8").splitlines()
    return (line.split("\t") for line in lines[1:])


@cache
def _places() -> tuple[Mapping[str, Place], Mapping[str, tuple[Place, ...]]]:
    by_name: dict[str, Place] = {}
    by_other: dict[str, list[Place]] = {}
    for name, others, people in _rows("places"):
        place = Place(name, _cells(others), _cells(people))
        by_name[_key(name)] = place
        for other in dict.fromkeys(map(_key, place.other_names)):
            by_other.setdefault(other, []).append(place)
    return by_name, {other: tuple(places) for other, places in by_other.items()}


@cache
def _places_by_any_name() -> Mapping[str, tuple[Place, ...]]:
    by_name, by_other = _places()
    return {**by_other, **{name: (place,) for name, place in by_name.items()}}


def _places_called(label: str) -> tuple[Place, ...]:
    key = _key(label)
    # "Georgia_(U.S._state)" has a row; "Macedonia_(region)" uses the row of Macedonia.
    found = _places_by_any_name().get(key, ())
    if not found and " (" in key:
        found = _places_by_any_name().get(key.partition(" (")[0], ())
    return found


@cache
def _demonym_index() -> Mapping[str, Forms]:
    index: dict[str, list[str]] = {}
    for place in _places()[0].values():
        for form in dict.fromkeys(map(_key, place.demonyms)):
            index.setdefault(form, []).append(place.name)
    return {form: tuple(names) for form, names in index.items()}


@cache
def _languages() -> Mapping[str, Forms]:
    return {_key(name): _cells(others) for name, others in _rows("languages")}


@cache
def _groups(table: str) -> Mapping[str, tuple[Forms, ...]]:
    """The rows of each form in a two-column table, the form's own row first."""
    own: dict[str, list[Forms]] = {}
    others: dict[str, list[Forms]] = {}
    for name, short in _rows(table):
        forms = (name, *_cells(short))
        own.setdefault(_key(name), []).append(forms)
        for key in dict.fromkeys(map(_key, forms[1:])):
            others.setdefault(key, []).append(forms)
    return {key: (*own.get(key, ()), *others.get(key, ())) for key in {**own, **others}}


def _variants(table: str, form: str) -> Forms:
    key = _key(form)
    groups = _groups(table).get(key)
    if groups is None:
        return ()
    firsts = [group[0] for group in groups]
    return _distinct([*firsts, *(other for group in groups for other in group[1:])], without=key)


@cache
def _genders() -> Mapping[str, Gender]:
    return {_key(name): cast(Gender, value) for name, value in _rows("given_names")}


@cache
def _predicates() -> Mapping[str, PredicateUse]:
    return {
        _predicate_key(predicate): PredicateUse(
            *(cast(EntityType, subject), _cells(subject_nouns)),
            *(cast(EntityType, value), _cells(value_nouns)),
        )
        for predicate, subject, subject_nouns, value, value_nouns in _rows("type_nouns")
    }
