"""Items to and from JSON objects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from adequa.codec.values import kind_of, without_none
from adequa.data import Item, Term, Triple
from adequa.errors import DataError

__all__ = ["item_from_object", "item_to_object"]

_ITEM_FIELDS = frozenset(field.name for field in fields(Item))
_TERM_FIELDS = frozenset(field.name for field in fields(Term))
_new_tuple = tuple.__new__
"""A Triple of a list that was checked, without the cost of its keyword constructor."""


def item_from_object(raw: Any, *, bare: bool = False) -> Item:
    """An Item from its JSON object; unknown fields go to `meta`; `bare`: a text may be absent."""
    if type(raw) is not dict:
        raise DataError(f"is {kind_of(raw)}, not an object", remedy='write {"id": …, "triples": …}')
    try:
        identifier = raw["id"]
        triples = raw["triples"]
        text = raw.get("text", "") if bare else raw["text"]
    except KeyError as error:
        raise DataError(
            f"has no {error.args[0]!r}", remedy="an item needs 'id', 'triples' and 'text'"
        ) from None
    if type(identifier) is int:
        identifier = str(identifier)
    if type(identifier) is not str or not identifier:
        what = "empty" if identifier == "" else kind_of(identifier)
        raise DataError(f"'id' is {what}, not a name", remedy='write a string: "Id1"')
    meta = _meta(raw)
    if text is None or (bare and text):
        # A system that gave nothing, or a text that another will replace: `meta` remembers it.
        text, meta = "", {**meta, "text": text}
    if type(text) is not str:
        raise DataError(
            f"'text' is {kind_of(text)}, not a string", remedy='an empty text is written ""'
        )
    return Item(
        identifier,
        triples_from_object(triples),
        text,
        _optional_string(raw, "system") or "",
        _optional_string(raw, "category"),
        _optional_string(raw, "lang"),
        _strings(raw["references"]) if raw.get("references") else (),
        _terms(raw["terms"]) if raw.get("terms") else {},
        meta,
    )


def triples_from_object(raw: Any) -> tuple[Triple, ...]:
    """Triples from a list of lists of three strings, or from a linearised form."""
    if type(raw) is str:
        # The linearised forms people have; imported here because few files need it.
        from adequa.readers.linearised import parse_triples

        return parse_triples(raw)
    if type(raw) is not list:
        raise DataError(f"'triples' is {kind_of(raw)}, not a list")
    if not raw:
        raise DataError("'triples' is empty", remedy="a text without data cannot be judged")
    triples = []
    for position, triple in enumerate(raw, 1):
        if type(triple) is not list or len(triple) != 3:
            raise DataError(
                f"triple {position} is not [subject, predicate, object]",
                remedy="write three strings for each triple",
            )
        subject, predicate, value = triple
        if not (type(subject) is type(predicate) is type(value) is str):
            raise DataError(
                f"triple {position} has a part that is not a string",
                remedy='write numbers and dates as strings: "16800"',
            )
        if not (subject and predicate and value):
            raise DataError(
                f"triple {position} has an empty part", remedy="fill it or drop the triple"
            )
        triples.append(_new_tuple(Triple, triple))
    return tuple(triples)


def _optional_string(raw: Mapping[str, Any], name: str) -> str | None:
    value = raw.get(name)
    if value is None or type(value) is str:
        return value
    raise DataError(f"{name!r} is {kind_of(value)}, not a string")


def _strings(raw: Any) -> tuple[str, ...]:
    if type(raw) is not list or any(type(part) is not str for part in raw):
        raise DataError(
            "'references' is not a list of strings", remedy='write ["one text", "another"]'
        )
    return tuple(raw)


def _terms(raw: Any) -> dict[str, Term]:
    if type(raw) is not dict:
        raise DataError(f"'terms' is {kind_of(raw)}, not an object")
    terms = {}
    for name, value in raw.items():
        if type(value) is not dict or not _TERM_FIELDS.issuperset(value):
            raise DataError(
                f"the term {name!r} is not an object with {', '.join(sorted(_TERM_FIELDS))}"
            )
        if any(part is not None and type(part) is not str for part in value.values()):
            raise DataError(f"the term {name!r} has a part that is not a string")
        terms[name] = Term(**value)
    return terms


def _meta(raw: Mapping[str, Any]) -> dict[str, Any]:
    meta = raw.get("meta") or {}
    if type(meta) is not dict:
        raise DataError(f"'meta' is {kind_of(meta)}, not an object")
    if _ITEM_FIELDS.issuperset(raw):
        return meta
    extra = {name: value for name, value in raw.items() if name not in _ITEM_FIELDS}
    clash = sorted(extra.keys() & meta.keys())
    if clash:
        raise DataError(f"{clash[0]!r} stands both beside and inside 'meta'", remedy="keep one")
    return {**meta, **extra}


def item_to_object(item: Item) -> dict[str, Any]:
    """The JSON object of an item; absent fields are left out."""
    raw: dict[str, Any] = {"id": item.id}
    if item.system:
        raw["system"] = item.system
    if item.category is not None:
        raw["category"] = item.category
    if item.lang is not None:
        raw["lang"] = item.lang
    raw["triples"] = item.triples
    raw["text"] = item.text
    if item.references:
        raw["references"] = item.references
    if item.terms:
        raw["terms"] = {name: without_none(term) for name, term in item.terms.items()}
    if item.meta:
        raw["meta"] = dict(item.meta)
    return raw
