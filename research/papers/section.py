"""A part of a paper, told again: tables, single values and notes, for people and for machines."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from adequa.errors import DataError
from adequa.tables import Cell, Table, one_line


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


# ---
# How near a number of ours is to a printed one: equal, close or different.
# ---

CLOSE = 0.02
"""Numbers of two decimals are close within this."""

EQUAL, NEAR, DIFFERENT, ABSENT = MARKS = ("equal", "close", "different", "n/a")

SIGNS: Mapping[str, str] = {EQUAL: "=", NEAR: "~", DIFFERENT: "≠", ABSENT: ""}
"""A mark as one character beside the number."""


def mark(
    ours: float | None, printed: float | None, *, digits: int = 2, close: float = CLOSE
) -> str:
    """Equal where ours rounds to what is printed, close where it is at most `close` away.

    >>> mark(0.734, 0.73), mark(0.75, 0.73), mark(0.751, 0.73), mark(None, 0.73)
    ('equal', 'close', 'different', 'n/a')
    """
    if ours is None or printed is None or not (math.isfinite(ours) and math.isfinite(printed)):
        return ABSENT
    # Printed numbers come from rounding as ours do: half a unit of the last digit either way.
    if abs(ours - printed) <= 0.5 * 10**-digits + 1e-9:
        return EQUAL
    return NEAR if abs(ours - printed) <= close + 1e-9 else DIFFERENT


def counts(marks: Iterable[str]) -> dict[str, int]:
    """How often each mark stands there, those that do not as zero."""
    found = Counter(marks)
    return {one: found[one] for one in MARKS}


def shown_pair(ours: float | None, printed: float | None, digits: int = 2) -> str:
    """Ours with its sign, for a cell below or beside the printed number.

    >>> shown_pair(0.734, 0.73), shown_pair(-0.5, 0.73), shown_pair(None, 0.73)
    ('.73=', '-.50≠', 'n/a')
    """
    if ours is None:
        return "n/a"
    return without_zero(ours, digits) + SIGNS[mark(ours, printed, digits=digits)]


def without_zero(value: float, digits: int = 2) -> str:
    """A number below one without the zero before its point, which narrow tables have no room for.

    >>> without_zero(-0.5), without_zero(1.0), without_zero(-0.001)
    ('-.50', '1.00', '.00')
    """
    text = f"{abs(value):.{digits}f}"
    sign = "-" if value < 0 and float(text) else ""
    return sign + (text[1:] if text.startswith("0.") else text)


# ---
# Pictures and worksheets of a paper into a folder.
# ---


def write_texts(files: Mapping[str, str], folder: Path, *, filled: str | None = None) -> list[Path]:
    """Write texts by file name, replacing those of an earlier run, and say where they are.

    People fill files whose name begins with `filled`: one that is not as we would write it stays.
    """
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            path = folder / name
            by_hand = filled is not None and name.startswith(filled)
            if by_hand and path.exists() and path.read_bytes() != content.encode("utf-8"):
                raise DataError(
                    "is there already and may have been filled",
                    path=path,
                    remedy="name another folder, or move it away",
                )
            path.write_text(content, encoding="utf-8", newline="\n")
            written.append(path)
    except OSError as error:
        raise DataError(
            f"cannot be written ({error.strerror})", path=folder, remedy="name another folder"
        ) from None
    return written
