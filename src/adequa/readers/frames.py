"""pandas and polars frames in and out; neither is imported unless a frame of it is in hand."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterable, Iterator
from typing import Any

from adequa.data import Item, Result
from adequa.errors import DataError, SettingError, UnknownName
from adequa.readers.tables import COLUMNS, check_columns, item_from_cells, item_to_cells

_LIBRARIES = ("pandas", "polars")
_RESULT_COLUMNS = ("id", "system", "category", "text", "triples")


def items_from_frame(frame: Any, *, bare: bool = False) -> list[Item]:
    """The items of a frame, a row each, in the columns of the Item contract.

    Lists are native or JSON, other columns become fields of `meta`, and NaN, NA, null and None are
    absent. `bare`: the texts come from elsewhere.
    """
    columns, rows = _take_apart(frame)
    check_columns(columns, bare=bare)
    items = []
    for number, cells in enumerate(rows, 1):
        try:
            items.append(item_from_cells(dict(zip(columns, cells, strict=True)), bare=bare))
        except DataError as error:
            problem = f"row {number} of the frame: {error.problem}"
            raise DataError(problem, remedy=error.remedy) from None
    return items


def _take_apart(frame: Any) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
    # By name, along the bases: a subclass of a frame is a frame, and nothing must be imported.
    bases = type(frame).__mro__
    frames = [base.__module__.partition(".")[0] for base in bases if base.__name__ == "DataFrame"]
    library = next((name for name in frames if name in _LIBRARIES), None)
    if library is None:
        raise DataError(
            f"{type(frame).__module__}.{type(frame).__name__} is not a pandas or polars DataFrame",
            remedy="collect a lazy frame first; for anything else make a list of items",
        )
    columns = [str(column) for column in frame.columns]
    twice = sorted({column for column in columns if columns.count(column) > 1})
    if twice:
        raise DataError(f"the frame has the column {twice[0]!r} twice", remedy="rename one")
    if library == "polars":
        return columns, frame.iter_rows()
    cells = [frame.iloc[:, position].tolist() for position in range(len(columns))]
    return columns, zip(*cells, strict=True)


def items_to_frame(items: Iterable[Item], library: str = "pandas") -> Any:
    """A frame of items in the columns of the Item contract: lists as JSON, absent fields as null.

    What it gives, `items_from_frame` takes, and so do our readers of the CSV or Parquet it writes.
    """
    table: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    for item in items:
        for name, value in item_to_cells(item).items():
            table[name].append(value)
    return _put_together(table, (), library)


def results_to_frame(results: Iterable[Result], library: str = "pandas") -> Any:
    """A frame of results: the item, a column for each metric, and the verdict.

    The triples are JSON; what could not be scored is null.
    """
    results = list(results)
    metrics = list(dict.fromkeys(name for result in results for name in result.scores))
    for name in metrics:
        if name in (*_RESULT_COLUMNS, "verdict"):
            raise SettingError(
                f"a metric is called {name!r} like another column; give it an alias: my{name}=…"
            )
    table: dict[str, list[Any]] = {name: [] for name in (*_RESULT_COLUMNS, *metrics, "verdict")}
    for result in results:
        item = result.item
        triples = json.dumps(item.triples, ensure_ascii=False)
        cells = (item.id, item.system or None, item.category, item.text, triples)
        for name, cell in zip(_RESULT_COLUMNS, cells, strict=True):
            table[name].append(cell)
        for name in metrics:
            table[name].append(result.scores.get(name))
        table["verdict"].append(result.verdict)
    return _put_together(table, metrics, library)


def _put_together(table: dict[str, list[Any]], numbers: Iterable[str], library: str) -> Any:
    if library not in _LIBRARIES:
        raise UnknownName("frame library", library, _LIBRARIES)
    try:
        module = importlib.import_module(library)
    except ImportError:
        raise SettingError(
            f"a {library} frame needs the package {library!r}, which is not installed: "
            f"pip install {library}"
        ) from None
    numbers = set(numbers)
    if library == "polars":
        schema = {name: module.Float64 if name in numbers else module.String for name in table}
        return module.DataFrame(table, schema=schema)
    return module.DataFrame(
        {
            # Without a type, a column of nothing but None would not know what it is.
            name: module.Series(column, dtype="float64" if name in numbers else object)
            for name, column in table.items()
        }
    )
