"""What English texts call places, languages, people and the ends of a triple, from small tables.

The tables lie in `resources/*.tsv`: a header, then one row a line, several values of a cell parted
by `;`. They are facts of general knowledge, written for adequa and taken from no corpus. A table is
read at its first use and kept. Keys are casefolded, their accents kept; what a lookup returns keeps
its case, for "US" and "IN" mean nothing without it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from importlib import resources
from typing import Literal, NamedTuple, cast

from adequa.text import split_camel

Gender = Literal["f", "m", "u"]
Forms = tuple[str, ...]


class PredicateUse(NamedTuple):
    """What a predicate says about its ends: their kinds, and the nouns texts refer to them by.

    A kind is `p` person, `l` place, `o` organisation, `w` work, `t` thing, `v` value, `-` unknown.
    """

    subject_kind: str
    subject_nouns: Forms
    object_kind: str
    object_nouns: Forms


class Place(NamedTuple):
    """A row of the table of places."""

    name: str
    other_names: Forms
    demonyms: Forms


def demonyms(place_label: str) -> Forms:
    """The adjectives and names of inhabitants of a place: `Spain` → Spanish, Spaniard."""
    return _distinct(form for place in _places_called(place_label) for form in place.demonyms)


def other_names(place_label: str) -> Forms:
    """The other names and abbreviations of a place: `Texas` gives TX and Tex. and more.

    A label that is only some place's other name gives that place's names: `Holland` → Netherlands.
    """
    names = (name for place in _places_called(place_label) for name in (place.name, *place[1]))
    return _distinct(names, without=_key(place_label))


def place_of_demonym(word: str) -> Forms:
    """The places whose people or things a word may name: `Congolese` → two countries."""
    return _demonym_index().get(_key(word), ())


def language_names(label: str) -> Forms:
    """What texts call a language: `Persian_language` → Persian, Farsi."""
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

    Ambiguous on purpose: a caller tries them inside a name, where the wrong ones match nothing.
    """
    return _variants("abbreviations", word)


def acronyms(label: str) -> Forms:
    """The acronyms of a well-known name, or the names behind an acronym."""
    return _variants("acronyms", label)


def gender(given_name: str) -> Gender | None:
    """The gender a given name is mostly borne by, `u` for both, None for an unknown name."""
    key = _key(given_name)
    table = _genders()
    found = table.get(key)
    if found is None and "-" in key:
        # Rare compounds are not listed; they go by their first part that tells: Jean-Pierre is m.
        parts = [table.get(part) for part in key.split("-")]
        found = next((part for part in parts if part in ("f", "m")), "u" if any(parts) else None)
    return found


@lru_cache(maxsize=4096)
def predicate_use(predicate: str) -> PredicateUse | None:
    """What is known about the ends of triples with a predicate, in whatever way it is spelt."""
    return _predicates().get(_predicate_key(predicate))


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


def _places_called(label: str) -> tuple[Place, ...]:
    by_name, by_other = _places()
    key = _key(label)
    # "Georgia_(U.S._state)" has a row; "Macedonia_(region)" has to do with the one for Macedonia.
    for form in (key, key.partition(" (")[0]):
        if form in by_name:
            return (by_name[form],)
        if form in by_other:
            return by_other[form]
    return ()


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
    """Every form of a two-column table with the rows it stands in, own row first."""
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
    groups = _groups(table).get(key, ())
    firsts = [group[0] for group in groups]
    return _distinct([*firsts, *(other for group in groups for other in group[1:])], without=key)


@cache
def _genders() -> Mapping[str, Gender]:
    return {_key(name): cast(Gender, value) for name, value in _rows("given_names")}


@cache
def _predicates() -> Mapping[str, PredicateUse]:
    return {
        _predicate_key(predicate): PredicateUse(kind, _cells(nouns), object_kind, _cells(objects))
        for predicate, kind, nouns, object_kind, objects in _rows("type_nouns")
    }
