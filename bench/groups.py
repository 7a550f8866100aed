"""What the challenge sets share: groups of faithful texts and texts with one fault, in two halves.

The half `open` is for developing; the half `sealed` is scored at the end of a piece of work only.
The records have more parts: `marked`, longer texts with one to four faults; `further`, texts as in
`open`, part of them rich in derived values and all faithful; `fresh`, texts as in `open` that were
written later; `domains`, football matches, phones and weather forecasts; and `everyday`, short
texts about records as developers have them, with the mistakes that language models make.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

from adequa.errors import DataError
from adequa.tables import Cell, Table

HALVES = ("open", "sealed", "marked", "further", "fresh", "domains", "everyday")
_CHALLENGES = Path(__file__).resolve().parent / "challenges"


class _HasKind(Protocol):
    @property
    def kind(self) -> str: ...


_Fault = TypeVar("_Fault", bound=_HasKind)


class Measured(NamedTuple):
    """A half as measured: a table by kind of fault, and the figures that have a target."""

    table: Table
    figures: Mapping[str, float]
    details: Sequence[Mapping[str, Any]] = ()
    """What was found in each text, for reading."""


def read_groups(name: str, half: str) -> list[dict[str, Any]]:
    """The groups of a part of a challenge set, one of `HALVES`."""
    path = _CHALLENGES / name / f"{half}.jsonl"
    if not path.is_file():
        raise DataError("does not exist", path=path, remedy="give another --half")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def share(values: Sequence[bool]) -> float:
    """The share of values that are true; 0 without values."""
    return sum(values) / len(values) if values else 0.0


def table_by_kind(
    title: str,
    faults: Sequence[_Fault],
    columns: Mapping[str, Callable[[Sequence[_Fault]], Cell]],
) -> Table:
    """One row per kind of fault, and one for all; a column is a function of faults."""
    kinds = sorted({fault.kind for fault in faults})
    rows = [
        [
            kind,
            *(
                read([one for one in faults if kind in (one.kind, "all")])
                for read in columns.values()
            ),
        ]
        for kind in [*kinds, "all"]
    ]
    return Table(title, ["kind", *columns], rows)


def figure_rows(
    name: str, half: str, figures: Mapping[str, float], targets: Mapping[str, float]
) -> list[dict[str, object]]:
    """The figures with their targets, as `python -m bench` prints them."""
    return [
        {
            "figure": f"{name}, {half} half: {figure}",
            "value": value,
            "target": f"≥ {targets[figure]}",
            "reached": value >= targets[figure],
        }
        for figure, value in figures.items()
    ]
