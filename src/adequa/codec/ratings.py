"""Ratings in the long form to and from JSON objects."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from adequa.codec.values import kind_of, without_none
from adequa.data import Rating
from adequa.errors import DataError

__all__ = ["rating_from_object", "rating_to_object"]

_RATING_FIELDS = frozenset(field.name for field in fields(Rating))


def rating_from_object(raw: Any) -> Rating:
    """A Rating from the long form; unknown fields are kept in `meta`."""
    if type(raw) is not dict:
        raise DataError(f"is {kind_of(raw)}, not an object")
    for name in ("id", "system", "rater", "criterion", "value"):
        if name not in raw:
            raise DataError(
                f"has no {name!r}", remedy="id, system, rater, criterion, value are needed"
            )
    spans = raw.get("spans") or []
    if type(spans) is not list or any(type(span) is not dict for span in spans):
        raise DataError("'spans' is not a list of objects")
    meta = raw.get("meta") or {}
    if type(meta) is not dict:
        raise DataError(f"'meta' is {kind_of(meta)}, not an object")
    extra = {name: value for name, value in raw.items() if name not in _RATING_FIELDS}
    clash = sorted(extra.keys() & meta.keys())
    if clash:
        raise DataError(f"{clash[0]!r} stands both beside and inside 'meta'", remedy="keep one")
    return Rating(
        id=_filled(raw, "id"),
        system=_name(raw, "system"),
        rater=_name(raw, "rater"),
        criterion=_filled(raw, "criterion"),
        value=_finite(raw, "value"),
        seconds=None if raw.get("seconds") is None else _finite(raw, "seconds"),
        round=None if raw.get("round") is None else _name(raw, "round"),
        spans=tuple(spans),
        meta={**meta, **extra},
    )


def _name(raw: Mapping[str, Any], field: str) -> str:
    value = raw[field]
    if type(value) is int:
        return str(value)
    if type(value) is not str:
        raise DataError(f"{field!r} is {kind_of(value)}, not a string")
    return value


def _filled(raw: Mapping[str, Any], field: str) -> str:
    value = _name(raw, field)
    if not value:
        raise DataError(f"{field!r} is empty", remedy="say which")
    return value


def _finite(raw: Mapping[str, Any], field: str) -> float:
    value = raw[field]
    try:
        number = float(value) if type(value) in (int, float) else math.nan
    except OverflowError:  # JSON has integers of any length
        number = math.inf
    if not math.isfinite(number):
        raise DataError(f"{field!r} is {kind_of(value)}, not a finite number")
    return number


def rating_to_object(rating: Rating) -> dict[str, Any]:
    """The long form of a rating; absent optional fields are left out."""
    raw = without_none(rating)
    raw["spans"] = list(rating.spans)
    raw["meta"] = dict(rating.meta)
    return {name: value for name, value in raw.items() if name not in ("spans", "meta") or value}
