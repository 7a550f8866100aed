"""Passages of pages: DPR's TSV (`id`, `text`, `title`), or JSON lines with the same keys."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

from adequa.data import Item, Triple
from adequa.errors import DataError, SettingError
from adequa.files import kind_of, lines, load_object
from adequa.readers import PlacedItem, Reader, read_table
from adequa.readers.records import JSON_LINES

_WORD = re.compile(r"\S+")
_IDS = ("id", "_id")


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of the page `title`, and its line in the file."""

    id: str
    title: str
    text: str
    line: int = 1
    meta: Mapping[str, Any] = field(default_factory=dict)


def chunks(text: str, words: int = 100) -> Iterator[str]:
    """Pieces of `words` words, the last one shorter; spaces inside a piece are kept.

    >>> list(chunks("one  two three", 2))
    ['one  two', 'three']
    """
    if words < 1:
        raise SettingError(f"words is 1 or more, not {words}")
    found = _WORD.finditer(text)
    while piece := list(islice(found, words)):
        yield text[piece[0].start() : piece[-1].end()]


@dataclass(frozen=True)
class PassagesReader(Reader):
    """Reads passages, whole or cut into pieces of `words` words with the ids `<id>/<n>` from 1.

    A passage has no triples, so an item states only its title, as a record with only a name does;
    `passages` gives the passages themselves.
    """

    name: ClassVar[str] = "passages"
    doc: ClassVar[str] = "passages of pages (DPR's id, text, title; BEIR's JSON lines)"

    words: int | None = field(
        default=None, metadata={"doc": "cut each text into pieces of this many words"}
    )
    quotes: bool = field(
        default=True, metadata={"doc": "in TSV, a cell that begins with a quote is quoted"}
    )

    def __post_init__(self) -> None:
        if self.words is not None and self.words < 1:
            raise SettingError(f"{self.name}:words is 1 or more, not {self.words}")

    def read(self, path: Path, *, bare: bool = False) -> Iterator[PlacedItem]:
        """Stream the passages as items."""
        for passage in self.passages(path):
            item = Item(
                passage.id,
                (Triple(passage.title, "title", passage.title),),
                "" if bare else passage.text,
                references=(passage.text,) if bare and passage.text else (),
                meta=passage.meta,
            )
            yield PlacedItem(item, path, passage.line)

    def passages(self, path: Path) -> Iterator[Passage]:
        """Stream the passages; none has an empty id or title."""
        for line, cells in self._rows(path):
            try:
                passage = _passage(cells, line)
            except DataError as error:
                raise error.at(path, line) from None
            if self.words is None:
                yield passage
                continue
            for number, text in enumerate(chunks(passage.text, self.words), 1):
                yield Passage(f"{passage.id}/{number}", passage.title, text, line, passage.meta)

    def _rows(self, path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
        if path.suffix.lower() not in JSON_LINES:
            yield from read_table(path, "\t", quotes=self.quotes).rows
            return
        for number, line in lines(path):
            if not line or line.isspace():
                continue
            try:
                raw = load_object(line)
            except DataError as error:
                raise error.at(path, number) from None
            if type(raw) is not dict:
                remedy = "a passage is an object"
                raise DataError(
                    f"is {kind_of(raw)}, not an object", path=path, line=number, remedy=remedy
                )
            yield number, raw


def _passage(cells: Mapping[str, Any], line: int) -> Passage:
    key = next((name for name in _IDS if name in cells), "id")
    identifier = cells.get(key)
    named = {
        key: str(identifier) if type(identifier) is int else identifier,
        "text": cells.get("text"),
        "title": cells.get("title"),
    }
    for name, value in named.items():
        if name not in cells:
            raise DataError(f"has no {name!r}", remedy="a passage has 'id', 'text' and 'title'")
        if type(value) is not str or not (value or name == "text"):
            found = "empty" if value == "" else kind_of(value)
            raise DataError(f"{name!r} is {found}", remedy="write a string that is not empty")
    rest = {name: value for name, value in cells.items() if name not in named}
    return Passage(str(named[key]), str(named["title"]), str(named["text"]), line, rest)
