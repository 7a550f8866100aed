"""The Item contract in columns: what CSV, TSV, Parquet and frames share."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping
from datetime import date, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

from adequa.codec import item_from_object, item_to_object, load_object
from adequa.data import Item
from adequa.errors import DataError

__all__ = ["COLUMNS", "check_columns", "item_from_cells", "item_to_cells", "plain_value"]

COLUMNS = ("id", "system", "category", "lang", "triples", "text", "references", "terms", "meta")
"""The columns of an item; any other column is a field of `meta`."""

_REQUIRED = ("id", "triples", "text")
_JSON = frozenset({"references", "terms", "meta"})
_MAX_DEPTH = 100
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def check_columns(
    columns: Collection[str],
    *,
    bare: bool = False,
    path: Path | None = None,
    line: int | None = None,
) -> None:
    """Raise where a column is missing that every item needs; `bare`: the text may be absent."""
    for name in _REQUIRED:
        if name not in columns and not (bare and name == "text"):
            there = ", ".join(map(repr, columns)) or "none"
            raise DataError(
                f"has no column {name!r} (there are: {there[:200]})",
                path=path,
                line=line,
                remedy="an item needs 'id', 'triples' and 'text'; is it a table of records?",
            )


def item_from_cells(cells: Mapping[str, Any], *, bare: bool = False) -> Item:
    """An item from a row: lists are JSON or native, and an empty cell is an absent field.

    Only an empty `text` is a text.
    """
    raw: dict[str, Any] = {}
    for name, value in cells.items():
        if type(value) is not str:
            value = plain_value(value, name)
        if value is None and name == "text" and not bare:
            raise DataError("has no 'text'", remedy="an empty text is '', not null: fill it")
        if value is None or (value == "" and name != "text"):
            continue
        if name in _JSON and type(value) is str:
            try:
                value = load_object(value)
            except DataError as error:
                raise DataError(
                    f"the cell {name!r} {error.problem}", remedy="write the cell as JSON"
                ) from None
        raw[name] = value
    return item_from_object(raw, bare=bare)


def item_to_cells(item: Item) -> dict[str, str | None]:
    """The cells of an item, in the order of COLUMNS; lists are JSON, absent fields None."""
    raw = item_to_object(item)
    try:
        return {
            name: value if value is None or type(value) is str else _encode(value)
            for name, value in ((name, raw.get(name)) for name in COLUMNS)
        }
    except (TypeError, ValueError, RecursionError) as error:
        raise DataError(f"item {item.id!r} has a 'meta' that is not JSON ({error})") from None


def plain_value(value: Any, column: str, *, depth: int = 0) -> Any:
    """A cell of a typed table as JSON knows it; NaN and the other signs of absence are None."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return None if math.isnan(value) else _finite(float(value), column)
    if depth > _MAX_DEPTH:
        raise DataError(f"the cell {column!r} is nested too deeply", remedy="flatten it")
    if isinstance(value, (list, tuple)):
        return [plain_value(part, column, depth=depth + 1) for part in value]
    if isinstance(value, dict):
        pairs = ((name, plain_value(part, column, depth=depth + 1)) for name, part in value.items())
        return {str(name): part for name, part in pairs if part is not None}
    if type(value).__name__ in ("NAType", "NaTType"):
        return None
    if hasattr(value, "tolist"):  # an array or a number of numpy
        return plain_value(value.tolist(), column, depth=depth + 1)
    if isinstance(value, (date, time)):  # a datetime is a date
        return value.isoformat()
    if isinstance(value, (Decimal, timedelta, UUID)):
        return str(value)
    if isinstance(value, bytes):
        return _text(value, column)
    raise DataError(
        f"the cell {column!r} is of the type {type(value).__name__}, which JSON does not know",
        remedy="make it a string",
    )


def _finite(value: float, column: str) -> float:
    if math.isinf(value):
        raise DataError(f"the cell {column!r} is infinite", remedy="leave it empty")
    return value


def _text(value: bytes, column: str) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise DataError(f"the cell {column!r} is not UTF-8", remedy="make it a string") from None
