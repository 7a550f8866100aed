"""The reader interface, the files of a folder, the formats with one item per line, unique ids."""

from __future__ import annotations

import itertools
import json
from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, NamedTuple, TypeVar

from adequa.data import Item
from adequa.errors import DataError
from adequa.files import LOCK, LineRange, lines, load_object
from adequa.text.linearised import parse_triples

_Row = TypeVar("_Row")


class PlacedItem(NamedTuple):
    """An item with its file and line, so that a later error can name the place."""

    item: Item
    path: Path
    line: int


@dataclass(frozen=True)
class Reader(ABC):
    """A file format: a frozen dataclass whose fields are its options.

    `read` streams. It keeps every string as the file has it, and everything beyond the fields of an
    Item goes into `meta`. With `bare` it gives one item per graph, in file order, with an empty
    `text`, because the texts come from another file, line by line; human texts of the graph are its
    `references`, and a system's text is kept in `meta`.
    """

    name: ClassVar[str]
    doc: ClassVar[str]
    takes_folders: ClassVar[bool] = False
    """Whether `read` takes a whole folder; otherwise a folder is read file by file."""

    @abstractmethod
    def read(self, path: Path, *, bare: bool = False) -> Iterator[PlacedItem]:
        """The items of `path`, in file order."""

    def with_text(self, item: Item, text: str) -> Item:
        """An item of `read(bare=True)` with its text, which comes from another file."""
        return replace(item, text=text)

    def has_lines(self, path: Path) -> bool:  # noqa: ARG002
        """Whether each line is an item by itself, so that `read_within` can read a part."""
        return False

    def read_within(self, path: Path, within: LineRange, position: int) -> Iterator[PlacedItem]:
        """The items of a part of a file, before which there are `position` items."""
        raise NotImplementedError

    def companions(self, path: Path) -> list[Path]:  # noqa: ARG002
        """Other files that the items of `path` depend on, for the hashes of the manifest."""
        return []


def files_inside(folder: Path) -> list[Path]:
    """The files of a folder and of all folders in it, sorted; runs in it are output and left out.

    A folder that is being written is left out too.
    """
    inside = sorted(folder.rglob("*"))
    marks = (file for file in inside if file.name in (LOCK, "manifest.json"))
    output = {file.parent for file in marks if file.parent != folder and _marks_output(file)}
    return [
        file
        for file in inside
        if file.is_file() and file.name != LOCK and output.isdisjoint(file.parents)
    ]


def _marks_output(file: Path) -> bool:
    if file.name == LOCK:
        return True
    try:
        raw = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(raw, dict) and {"status", "inputs", "metrics"} <= raw.keys()


def place_items(
    path: Path, rows: Iterable[tuple[int, _Row]], build: Callable[[int, _Row], Item | None]
) -> Iterator[PlacedItem]:
    """The item of each row, built from its line number and content; None leaves a row out.

    An error in a row gets the path and the line.
    """
    for line, row in rows:
        try:
            item = build(line, row)
        except DataError as error:
            raise error.at(path, line) from None
        if item is not None:
            yield PlacedItem(item, path, line)


@dataclass(frozen=True)
class JsonlReader(Reader):
    """Reads the Item contract from JSON lines; skips blank lines."""

    name: ClassVar[str] = "jsonl"
    doc: ClassVar[str] = "JSON lines with id, triples and text"

    def read(self, path: Path, *, bare: bool = False) -> Iterator[PlacedItem]:
        """Stream the items; every error names its line."""
        return self._read(path, LineRange(), 0, bare=bare)

    def has_lines(self, path: Path) -> bool:  # noqa: ARG002
        """Always."""
        return True

    def read_within(self, path: Path, within: LineRange, position: int) -> Iterator[PlacedItem]:
        """Stream the items of a part of the file."""
        return self._read(path, within, position, bare=False)

    def _read(
        self, path: Path, within: LineRange, before: int, *, bare: bool
    ) -> Iterator[PlacedItem]:
        from adequa.readers.records import read_object

        rows = lines(path, within=within)
        filled = (row for row in rows if row[1] and not row[1].isspace())
        position = itertools.count(before + 1)
        return place_items(
            path,
            filled,
            lambda _, line: read_object(load_object(line), position=next(position), bare=bare),
        )


@dataclass(frozen=True)
class LinesReader(Reader):
    """Reads the triples of each line, without a text; the id is the number of the line.

    WebNLG 2017 published the sample of its human evaluation in this form.
    """

    name: ClassVar[str] = "lines"
    doc: ClassVar[str] = "one graph per line (s | p | o <br> …, [S] … [P] … [O] …); texts elsewhere"

    def read(self, path: Path, *, bare: bool = False) -> Iterator[PlacedItem]:
        """Stream the items; a blank line is an error, since texts are aligned by line."""
        if not bare:
            remedy = "give the texts, one per line: texts={system: file}"
            raise DataError("has graphs but no texts", path=path, remedy=remedy)
        return place_items(
            path, lines(path), lambda number, line: Item(str(number), parse_triples(line), "")
        )


class SeenKeys:
    """A set of 64-bit hashes in one flat array: a million take 16 MB, and 100 MB in a `set`.

    Two of n keys share a hash with probability n² / 2⁶⁵: for a million items, 3 in 10⁸.
    """

    def __init__(self) -> None:
        self._table = array("q", bytes(8 << 12))
        self._count = 0

    def add(self, key: object) -> bool:
        """Whether the key is new."""
        table = self._table
        mask = len(table) - 1
        value = hash(key) or 1  # 0 marks a free slot
        slot = value & mask
        while found := table[slot]:
            if found == value:
                return False
            slot = (slot + 1) & mask
        table[slot] = value
        self._count += 1
        if self._count * 4 > len(table) * 3:
            self._grow()
        return True

    def __len__(self) -> int:
        return self._count

    def _grow(self) -> None:
        old = self._table
        self._table = array("q", bytes(16 * len(old)))
        table, mask = self._table, len(self._table) - 1
        for value in old:
            if value:
                slot = value & mask
                while table[slot]:
                    slot = (slot + 1) & mask
                table[slot] = value


def unique(placed: Iterable[PlacedItem]) -> Iterator[PlacedItem]:
    """The same items; a repeated (system, id) raises a DataError at its place."""
    seen = SeenKeys()
    for place in placed:
        if not seen.add(place.item.key):
            system, identifier = place.item.key
            of = f" of system {system!r}" if system else ""
            problem = f"the id {identifier!r}{of} was used before"
            remedy = "give each text of a system its own id"
            raise DataError(problem, path=place.path, line=place.line, remedy=remedy)
        yield place


def delimiter_of(header: str) -> str:
    """The character between the cells of CSV: a semicolon where the comma is for decimals.

    >>> delimiter_of("town;area, km2;text"), delimiter_of("town,area;text")
    (';', ',')
    """
    return ";" if header.count(";") > header.count(",") else ","
