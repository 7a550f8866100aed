"""The parts of a reproduction: sections with tables and figures, chapters, and marks.

Each paper has `data` (reads its data), `printed` (its printed numbers), modules that build its
sections, and `reproduction`, which assembles them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from adequa.errors import DataError, UnknownName
from adequa.progress import Progress
from adequa.tables import Cell, Table, one_line

Shown = Callable[[str], AbstractContextManager[Progress]]
"""Opens a progress bar by its title."""

Content = str | Callable[[], str]
"""A text to write, or a function that draws it."""


@dataclass(frozen=True)
class Section:
    """A part of a paper: tables, single values, notes and figures.

    `values` are single numbers by their JSON key, each with its description; `records` replace the
    tables' rows in JSON; `files` are figures and worksheets by file name.
    """

    key: str
    tables: Sequence[Table] = ()
    values: Mapping[str, tuple[str, Cell]] = field(default_factory=dict)
    notes: Sequence[str] = ()
    records: Sequence[Mapping[str, object]] | None = None
    files: Mapping[str, Content] = field(default_factory=dict)
    options: str | None = None
    """The options of the paper's command that give this section alone, where not `--only KEY`."""

    def text(self) -> str:
        """For a terminal."""
        parts = [table.text() for table in self.tables if table.rows]
        lines = [*self.value_lines(), *(f"note: {one_line(note)}" for note in self.notes)]
        return "\n\n".join([*parts, *(["\n".join(lines)] if lines else [])])

    def value_lines(self) -> list[str]:
        """One line per single value."""
        return [f"{words}: {_shown(value)}" for words, value in self.values.values()]

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


@dataclass(frozen=True)
class Chapter:
    """The sections of a data set, a year or a whole paper, and the missing data.

    `signatures` are of the models or metrics behind it; in JSON they are under `signatures_key`.
    """

    key: str = ""
    title: str = ""
    sections: Sequence[Section] = ()
    absent: Sequence[str] = ()
    signatures: Mapping[str, str] | None = None
    signatures_key: str = "signatures"
    notes: Sequence[str] | None = None
    extra_files: Mapping[str, Content] = field(default_factory=dict)

    @property
    def files(self) -> dict[str, Content]:
        """Figures and other files to write, by name."""
        files = dict(self.extra_files)
        for section in self.sections:
            files.update(section.files)
        return files

    def text(self) -> str:
        """For a terminal."""
        head = [self.title] if self.title else []
        head += [f"{name}: {signature}" for name, signature in (self.signatures or {}).items()]
        head += [f"n/a: {one}" for one in self.absent]
        head += [f"note: {one}" for one in self.notes or ()]
        parts = ["\n".join(head)] if head else []
        return "\n\n".join([*parts, *(section.text() for section in self.sections)])

    def as_object(self) -> dict[str, object]:
        """For `--json`."""
        found: dict[str, object] = {}
        if self.signatures is not None:
            found[self.signatures_key] = dict(self.signatures)
        found |= {section.key: section.as_object() for section in self.sections}
        if self.notes is not None:
            found["notes"] = list(self.notes)
        return {**found, "absent": list(self.absent)}


@dataclass(frozen=True)
class Reproduction:
    """A paper reproduced, chapter by chapter; in JSON the chapters are under `key`, if given."""

    chapters: Sequence[Chapter]
    signature: str = ""
    key: str = ""

    @property
    def sections(self) -> list[Section]:
        """The sections of all chapters."""
        return [section for chapter in self.chapters for section in chapter.sections]

    @property
    def absent(self) -> list[str]:
        """The missing data of all chapters."""
        return [one for chapter in self.chapters for one in chapter.absent]

    @property
    def files(self) -> dict[str, Content]:
        """The files of all chapters."""
        return {name: file for chapter in self.chapters for name, file in chapter.files.items()}

    def text(self) -> str:
        """For a terminal."""
        head = [self.signature] if self.signature else []
        return "\n\n\n".join([*head, *(chapter.text() for chapter in self.chapters)])

    def as_object(self) -> dict[str, object]:
        """For `--json`."""
        if len(self.chapters) == 1 and not self.chapters[0].key:
            return self.chapters[0].as_object()
        found: dict[str, object] = {one.key: one.as_object() for one in self.chapters}
        return {"signature": self.signature, self.key: found} if self.key else found

    def write(self, folder: Path) -> list[Path]:
        """Write the figures and worksheets, replacing those of an earlier run.

        A worksheet that differs from ours may have been filled in, and is kept.
        """
        return write_texts(self.files, folder, filled="worksheet")


def require_sections(only: Iterable[str], sections: Collection[str]) -> None:
    """Raise if a requested section does not exist."""
    for name in only:
        if name not in sections:
            raise UnknownName("section", name, sections)


def require_folder(data: Path, content: str) -> None:
    """Raise if the data folder is not a folder."""
    if not data.is_dir():
        raise DataError("is not a folder", path=data, remedy=f"name the folder with {content}")


def require_new(worksheet: Path) -> None:
    """Raise if a worksheet exists, since it may have been filled in."""
    if worksheet.exists():
        raise DataError(
            "already exists and may have been filled in",
            path=worksheet,
            remedy="omit --data to summarise it, give --show to read it, or move it",
        )


def write_texts(
    files: Mapping[str, Content], folder: Path, *, filled: str | None = None
) -> list[Path]:
    """Write files by name into a folder and return their paths.

    Files whose name begins with `filled` are filled in by people: one that differs from what we
    would write is kept, and an error.
    """
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            path = folder / name
            text = content if isinstance(content, str) else content()
            by_hand = filled is not None and name.startswith(filled)
            if by_hand and path.exists() and path.read_bytes() != text.encode("utf-8"):
                raise DataError(
                    "already exists and may have been filled in",
                    path=path,
                    remedy="name another folder, or move the file",
                )
            path.write_text(text, encoding="utf-8", newline="\n")
            written.append(path)
    except OSError as error:
        raise DataError(
            f"cannot be written ({error.strerror})", path=folder, remedy="name another folder"
        ) from None
    return written


CLOSE = 0.02
"""Numbers with two decimals are close within this; chosen by hand, no record of the data."""

EQUAL, NEAR, DIFFERENT, ABSENT = MARKS = ("equal", "close", "different", "n/a")

SIGNS: Mapping[str, str] = {EQUAL: "=", NEAR: "~", DIFFERENT: "≠", ABSENT: ""}
"""A mark as one character next to the number."""


def mark(
    ours: float | None, printed: float | None, *, digits: int = 2, close: float = CLOSE
) -> str:
    """Equal if ours rounds to the printed number, close if it is at most `close` away.

    >>> mark(0.734, 0.73), mark(0.75, 0.73), mark(0.751, 0.73), mark(None, 0.73)
    ('equal', 'close', 'different', 'n/a')
    """
    if ours is None or printed is None or not (math.isfinite(ours) and math.isfinite(printed)):
        return ABSENT
    # The printed number is rounded: half a unit of its last digit either way.
    if abs(ours - printed) <= 0.5 * 10**-digits + 1e-9:
        return EQUAL
    return NEAR if abs(ours - printed) <= close + 1e-9 else DIFFERENT


def counts(marks: Iterable[str]) -> dict[str, int]:
    """How often each mark occurs, including those that do not."""
    found = Counter(marks)
    return {one: found[one] for one in MARKS}


def shown_pair(ours: float | None, printed: float | None, digits: int = 2) -> str:
    """Our number with its sign, for a cell next to the printed number.

    >>> shown_pair(0.734, 0.73), shown_pair(-0.5, 0.73), shown_pair(None, 0.73)
    ('.73=', '-.50≠', 'n/a')
    """
    if ours is None:
        return "n/a"
    return without_zero(ours, digits) + SIGNS[mark(ours, printed, digits=digits)]


def without_zero(value: float, digits: int = 2) -> str:
    """A number below one without its leading zero, for narrow tables.

    >>> without_zero(-0.5), without_zero(1.0), without_zero(-0.001)
    ('-.50', '1.00', '.00')
    """
    text = f"{abs(value):.{digits}f}"
    sign = "-" if value < 0 and float(text) else ""
    return sign + (text[1:] if text.startswith("0.") else text)
