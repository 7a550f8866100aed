"""A part of a paper, told again: tables, single values and notes, for people and for machines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from adequa.tables import Cell, Table, one_line

__all__ = ["Section"]


@dataclass(frozen=True)
class Section:
    """Tables with what belongs to them.

    `values` are single numbers by their key in JSON, each with the words people read; `records`
    stand for the tables' rows in JSON.
    """

    key: str
    tables: Sequence[Table] = ()
    values: Mapping[str, tuple[str, Cell]] = field(default_factory=dict)
    notes: Sequence[str] = ()
    records: Sequence[Mapping[str, object]] | None = None

    def text(self) -> str:
        """For a terminal."""
        parts = [table.text() for table in self.tables if table.rows]
        lines = [f"{words}: {_shown(value)}" for words, value in self.values.values()]
        lines += [f"note: {one_line(note)}" for note in self.notes]
        return "\n\n".join([*parts, *(["\n".join(lines)] if lines else [])])

    def as_object(self) -> dict[str, object]:
        """For `--json`."""
        rows = self.records
        if rows is None:
            rows = [row for table in self.tables for row in table.json_rows()]
        values = {key: value for key, (_, value) in self.values.items()}
        return {"rows": list(rows), "values": values, "notes": list(self.notes)}


def _shown(value: Cell) -> str:
    if value is None:
        return "n/a"
    return f"{value:.3f}" if isinstance(value, float) else str(value)
