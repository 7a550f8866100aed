"""Files in, items out: the formats there are, and how a path finds its reader."""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from adequa.data import Item
from adequa.errors import DataError, UnknownName
from adequa.readers.base import Placed, Reader
from adequa.readers.recognise import files_of, recognise
from adequa.readers.texts import align, check_lengths, count_lines, parse_texts
from adequa.readers.unique import unique
from adequa.settings import Spec, build

__all__ = ["TABLE", "Placed", "Reader", "Source", "load_reader", "open_source", "reader_class"]

TABLE: Mapping[str, str] = {
    "csv": "adequa.readers.tables:CsvReader",
    "e2e": "adequa.readers.e2e:E2eReader",
    "enriched": "adequa.readers.enriched:EnrichedReader",
    "jsonl": "adequa.readers.jsonl:JsonlReader",
    "kelm": "adequa.readers.kelm:KelmReader",
    "lines": "adequa.readers.lines:LinesReader",
    "parquet": "adequa.readers.tables:ParquetReader",
    "passages": "adequa.readers.passages:PassagesReader",
    "rdf": "adequa.readers.rdf:RdfReader",
    "records": "adequa.readers.records:RecordsReader",
    "tekgen": "adequa.readers.kelm:TekgenReader",
    "trex": "adequa.readers.trex:TrexReader",
    "tsv": "adequa.readers.tables:TsvReader",
    "webnlg": "adequa.readers.webnlg:WebNlgReader",
}
"""Every format by name; nothing is imported before it is used."""


def reader_class(name: str) -> type[Reader]:
    """The class behind the name of a format."""
    if name not in TABLE:
        raise UnknownName("format", name, TABLE)
    module, _, attribute = TABLE[name].partition(":")
    target: type[Reader] = getattr(importlib.import_module(module), attribute)
    return target


def load_reader(name: str, /, **settings: Any) -> Reader:
    """A reader by name with its options: `load_reader("webnlg", tripleset="original")`."""
    return build(name, reader_class(name), settings)


@dataclass(frozen=True)
class Source:
    """An input that can be read as often as one likes, from its beginning each time."""

    path: Path
    format: str
    reader: Reader
    texts: Mapping[str, Path] = field(default_factory=dict)

    def placed(self) -> Iterator[Placed]:
        """The items with their places, each (system, id) once; with texts, system after system."""
        placed = self._aligned() if self.texts else unique(self._read(bare=False))
        first = next(placed, None)
        if first is None:
            raise DataError("holds no items", path=self.path, remedy="is it the right file?")
        return itertools.chain([first], placed)

    def _read(self, *, bare: bool) -> Iterator[Placed]:
        if self.path.is_file() or self.reader.takes_folders:
            return self.reader.read(self.path, bare=bare)
        return itertools.chain.from_iterable(
            self.reader.read(file, bare=bare) for file in files_of(self.path, self.format)
        )

    def count(self) -> int:
        """How many items there are; reads the whole input, so whatever is wrong with it shows."""
        return sum(1 for _ in self.placed())

    def _aligned(self) -> Iterator[Placed]:
        graphs = (
            place._replace(item=replace(place.item, system="")) for place in self._read(bare=True)
        )
        wanted = sum(1 for _ in unique(graphs))
        for path in self.texts.values():
            # Before the first item is scored, not after the last.
            check_lengths(path, count_lines(path), wanted)
        for system, path in self.texts.items():
            yield from align(self._read(bare=True), system, path)

    def __iter__(self) -> Iterator[Item]:
        return (placed.item for placed in self.placed())

    @property
    def files(self) -> list[Path]:
        """Every file the items depend on, for the manifest's hashes."""
        own = sorted(self.path.rglob("*")) if self.path.is_dir() else [self.path]
        settings = [value for value in vars(self.reader).values() if isinstance(value, Path)]
        beside = self.reader.companions(self.path)
        candidates = dict.fromkeys([*own, *beside, *settings, *self.texts.values()])
        return [path for path in candidates if path.is_file()]


def open_source(
    path: Path | str,
    *,
    format: str | None = None,  # noqa: A002
    texts: Mapping[str, Path | str] | Iterable[str] = (),
) -> Source:
    """The source behind a path; `format` is `NAME[:key=value,…]`, recognised if not given."""
    path = Path(path)
    spec = Spec.parse(format) if format else Spec(recognise(path), {})
    reader = load_reader(spec.name, **spec.settings)
    if not path.exists():
        raise DataError("does not exist", path=path, remedy="check the spelling of the path")
    if isinstance(texts, Mapping):
        aligned = {system: Path(file) for system, file in texts.items()}
    else:
        aligned = parse_texts(texts)
    return Source(path, spec.name, reader, aligned)
