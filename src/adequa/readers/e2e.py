"""The E2E challenge: `mr,ref` tables, and the outputs of its systems with their slot errors."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

from adequa.data import Item, Triple
from adequa.errors import DataError
from adequa.files import lines
from adequa.readers.base import PlacedItem, Reader
from adequa.readers.tables import DelimitedTable, Row, read_table
from adequa.settings import setting
from adequa.text.linearised import DEFAULT_SUBJECT, attributes_to_triples, parse_attributes

_COUNTS = frozenset({"added", "missing", "valerr", "repeated"})
_WHOLE_NUMBER = re.compile(r"[0-9]{1,9}")
_REMEDY = "the columns are mr,ref, or MR and output separated by tabs"


@dataclass
class _Entry:
    """The rows with the same meaning representation, in their order."""

    line: int
    references: list[str] = field(default_factory=list)
    extra: list[dict[str, str]] = field(default_factory=list)


@dataclass(frozen=True)
class E2eReader(Reader):
    """Reads attribute lists as triples about the attribute `name`.

    Rows with the same `mr` are one entry, numbered by first occurrence; they need not be adjacent,
    so a table with references is held in memory (the largest of the challenge has 42,061 rows). The
    outputs of a system are streamed, and row n is entry n.
    """

    name: ClassVar[str] = "e2e"
    doc: ClassVar[str] = "E2E mr,ref tables and system outputs (MR, output, slot errors)"

    subject: str = setting(
        DEFAULT_SUBJECT, "the attribute that names the subject; the first one if a list lacks it"
    )

    def read(self, path: Path, *, bare: bool = False) -> Iterator[PlacedItem]:
        """One item per reference or output; with `bare`, one item per entry."""
        table = self._open(path)
        columns = {column.casefold(): column for column in table.columns}
        if len(columns) < len(table.columns):
            problem = "has two columns with the same name"
            raise DataError(problem, path=path, line=1, remedy="rename one")
        if "mr" not in columns:
            raise DataError("has no column 'mr'", path=path, line=1, remedy=_REMEDY)
        if "output" in columns and "ref" not in columns:
            return self._outputs(path, table, columns, bare=bare)
        if "ref" not in columns and not bare:
            problem = "has meaning representations but no texts"
            remedy = "give the texts, one per line: texts={system: file}"
            raise DataError(problem, path=path, line=1, remedy=remedy)
        return self._references(path, table, columns, bare=bare)

    def _open(self, path: Path) -> DelimitedTable:
        first = next((line for _, line in islice(lines(path), 1)), "")
        # The outputs of systems are not quoted: a quote in them is a character.
        return read_table(path, "\t", quotes=False) if "\t" in first else read_table(path, ",")

    def _outputs(
        self, path: Path, table: DelimitedTable, columns: Mapping[str, str], *, bare: bool
    ) -> Iterator[PlacedItem]:
        for number, row in enumerate(table.rows, 1):
            known = {columns["mr"]} if bare else {columns["mr"], columns["output"]}
            triples, meta = self._triples(path, row.line, row.cells[columns["mr"]])
            for name, value in row.cells.items():
                if name not in known:
                    meta[name] = _count(path, row, name) if name in _COUNTS else value
            text = "" if bare else row.cells[columns["output"]]
            item = Item(str(number), triples, text, path.stem, meta=meta)
            yield PlacedItem(item, path, row.line)

    def _references(
        self, path: Path, table: DelimitedTable, columns: Mapping[str, str], *, bare: bool
    ) -> Iterator[PlacedItem]:
        mr, ref = columns["mr"], columns.get("ref")
        entries: dict[str, _Entry] = {}
        order: list[tuple[str, int, int]] = []
        for line, cells in table.rows:
            entry = entries.setdefault(cells[mr], _Entry(line))
            if ref is not None:
                entry.references.append(cells[ref])
            entry.extra.append({name: cells[name] for name in cells if name not in (mr, ref)})
            order.append((cells[mr], len(entry.references), line))
        yield from (self._entries(path, entries) if bare else self._texts(path, entries, order))

    def _entries(self, path: Path, entries: Mapping[str, _Entry]) -> Iterator[PlacedItem]:
        for number, (written, entry) in enumerate(entries.items(), 1):
            triples, meta = self._triples(path, entry.line, written)
            # The other columns are kept as lists parallel to the references.
            meta.update({name: [row[name] for row in entry.extra] for name in entry.extra[0]})
            references = tuple(entry.references)
            item = Item(str(number), triples, "", references=references, meta=meta)
            yield PlacedItem(item, path, entry.line)

    def _texts(
        self, path: Path, entries: Mapping[str, _Entry], order: list[tuple[str, int, int]]
    ) -> Iterator[PlacedItem]:
        numbers = {written: number for number, written in enumerate(entries, 1)}
        for written, position, line in order:
            triples, meta = self._triples(path, line, written)
            entry = entries[written]
            references = entry.references
            meta.update(entry.extra[position - 1])
            item = Item(
                f"{numbers[written]}/{position}",
                triples,
                references[position - 1],
                "reference",
                references=(*references[: position - 1], *references[position:]),
                meta=meta,
            )
            yield PlacedItem(item, path, line)

    def _triples(
        self, path: Path, line: int, written: str
    ) -> tuple[tuple[Triple, ...], dict[str, Any]]:
        try:
            pairs = parse_attributes(written)
        except DataError as error:
            raise error.at(path, line) from None
        if self.subject in (name for name, _ in pairs):
            return attributes_to_triples(pairs, self.subject), {}
        # No triple has the attribute of the subject then, so `meta` keeps it.
        return attributes_to_triples(pairs, self.subject), {"subject": pairs[0][0]}


def _count(path: Path, row: Row, name: str) -> int:
    if not _WHOLE_NUMBER.fullmatch(row.cells[name]):
        problem = f"the cell {name!r} is {row.cells[name]!r}, not a count"
        raise DataError(problem, path=path, line=row.line, remedy="write a whole number")
    return int(row.cells[name])
