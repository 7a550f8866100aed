"""The formats, how a path finds its reader, and the sources of items that come of it.

A new format is a reader class in a module of its own and a line of `_READERS`; where its files can
be recognised, also an entry of `SUFFIXES` or a case of `recognise`.
"""

from __future__ import annotations

import importlib
import itertools
import json
import re
import tempfile
import typing
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from adequa.checkout import from_research, has_research
from adequa.codec import item_from_object
from adequa.data import Coverage, Item
from adequa.errors import DataError, SettingError, UnknownName, require_known
from adequa.files import (
    FileVersion,
    LineRange,
    divide_lines,
    file_version,
    lines,
    load_object,
    open_bytes,
)
from adequa.readers.base import PlacedItem, Reader, delimiter_of, files_inside, unique
from adequa.settings import Spec, build
from adequa.tables import counted
from adequa.text.linearised import parse_triples

_HEAD_BYTES = 64 * 1024

SUFFIXES = {
    ".csv": "csv",
    ".json": "records",
    ".jsonl": "jsonl",
    ".jsonld": "rdf",
    ".n3": "rdf",
    ".ndjson": "jsonl",
    ".nq": "rdf",
    ".nt": "rdf",
    ".owl": "rdf",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".rdf": "rdf",
    ".trig": "rdf",
    ".tsv": "tsv",
    ".ttl": "rdf",
    ".txt": "lines",
    ".xml": "webnlg",
}
"""The first guess; for CSV, TSV, JSON and XML the content decides."""

_KEYS = {
    frozenset(("triples", "gen_sentence")): "kelm",
    frozenset(("triples", "sentence")): "tekgen",
    frozenset(("docid", "sentences_boundaries")): "trex",
    frozenset(("_id", "title", "text")): "passages",
}
"""Corpora that are recognised by the keys of their JSON lines."""

_REMEDY = 'name the format: format="NAME"'


def _require_readable(path: Path) -> None:
    """Raise unless the path is a file or a folder, which can be read again and again."""
    if not path.exists():
        raise DataError("does not exist", path=path, remedy="check the spelling of the path")
    if not (path.is_file() or path.is_dir()):
        problem = "is a pipe or a device, which can be read only once"
        raise DataError(problem, path=path, remedy="write its content to a file, and name the file")


def recognise(path: Path) -> str:
    """The name of the reader for `path`; raises a DataError if there is none."""
    _require_readable(path)
    if path.is_dir():
        return _recognise_folder(path)
    name = SUFFIXES.get(path.suffix.lower())
    if name is None:
        problem = f"has an ending ({path.suffix or 'none'}) of no known format"
        raise DataError(problem, path=path, remedy=_REMEDY)
    if name == "parquet":
        return name
    with open_bytes(path) as stream:
        head = stream.read(_HEAD_BYTES).decode("utf-8", errors="replace")
    if name == "webnlg":
        return _recognise_xml(path, head)
    if name in ("csv", "tsv"):
        return _recognise_table(head, name)
    if name == "jsonl":
        return _recognise_json_lines(head)
    if name == "records" and '"sentences_boundaries"' in head and '"docid"' in head:
        return "trex"
    return name


def _recognise_folder(path: Path) -> str:
    if all((path / name).is_file() for name in ("records.jsonl", "texts.jsonl")):
        return "d2t-eval"
    files = [file for file in files_inside(path) if file.suffix.lower() in SUFFIXES]
    by_suffix: dict[str, Path] = {}
    for file in files:
        by_suffix.setdefault(file.suffix.lower(), file)
    if ".xml" in by_suffix:
        return recognise(by_suffix[".xml"])
    formats = {recognise(file) for file in by_suffix.values()}
    if len(formats) == 1:
        return formats.pop()
    found = (
        f"with files of several formats ({', '.join(sorted(formats))})"
        if formats
        else "without files of a known format"
    )
    remedy = "name a file, or a folder of WebNLG files (<n>triples/<Category>.xml)"
    raise DataError(f"is a folder {found}", path=path, remedy=remedy)


def files_of(folder: Path, name: str) -> list[Path]:
    """The files of a folder that have the format, sorted by name."""
    files = [file for file in files_inside(folder) if file.suffix.lower() in SUFFIXES]
    chosen = [file for file in files if recognise(file) == name]
    if not chosen:
        raise DataError(f"is a folder without {name} files", path=folder, remedy="name a file")
    return chosen


def _recognise_xml(path: Path, head: str) -> str:
    if "<rdf:RDF" in head or "http://www.w3.org/1999/02/22-rdf-syntax-ns#" in head:
        return "rdf"
    if "<benchmark" not in head:
        raise DataError("is XML, but neither WebNLG nor RDF/XML", path=path, remedy=_REMEDY)
    return (
        "enriched" if re.search(r"<(references|template|sortedtripleset)[\s>/]", head) else "webnlg"
    )


def _recognise_table(head: str, name: str) -> str:
    first = head.split("\n", 1)[0].strip("\r")
    separator = delimiter_of(first) if name == "csv" else "\t"
    if name == "tsv" and first.startswith("{") and '"triples"' in first:
        return _recognise_json_lines(head)  # TeKGen names its JSON lines .tsv
    columns = [column.strip().strip('"').casefold() for column in first.split(separator)]
    if columns[:2] in (["mr", "ref"], ["mr", "output"]):
        return "e2e"
    if name == "tsv" and sorted(columns) == ["id", "text", "title"]:
        return "passages"
    if {"id", "triples"} <= set(columns):
        return name
    # A column of that name may also count something; triples have marks.
    marked = any(sign in line for line in head.split("\n")[1:3] for sign in "|[")
    return name if {"triples", "text"} <= set(columns) and marked else "records"


def _recognise_json_lines(head: str) -> str:
    first = next((line for line in head.splitlines() if line.strip()), "")
    try:
        keys = json.loads(first)
    except (ValueError, RecursionError):
        return "jsonl"  # its reader reports the error and its place
    if not isinstance(keys, dict):
        return "jsonl"
    for mark, name in _KEYS.items():
        if mark <= keys.keys() and "id" not in keys:
            return name
    if {"id", "text", "annotators"} <= keys.keys():
        return "d2t-eval"
    return "jsonl" if "triples" in keys else "records"


def parse_texts(pairs: Iterable[str]) -> dict[str, Path]:
    """The files of `SYSTEM=FILE` pairs by system; a plain FILE is named by its stem."""
    texts: dict[str, Path] = {}
    for pair in pairs:
        system, equals, file = pair.partition("=")
        path = Path(file if equals else pair)
        system = system.strip() if equals else path.stem
        if not system or not str(path):
            raise SettingError(f"texts=… has {pair!r}, which is not SYSTEM=FILE")
        if system in texts:
            raise SettingError(f"texts=… names the system {system!r} twice; rename one")
        texts[system] = path
    return texts


def count_lines(path: Path) -> int:
    """The number of lines of a file, all of them checked."""
    number = 0
    for number, _ in lines(path):  # noqa: B007
        pass
    return number


def check_lengths(path: Path, found: int, wanted: int) -> None:
    """Raise unless a file has one line per item."""
    if found == wanted:
        return
    few = found < wanted
    difference = abs(found - wanted)
    problem = (
        f"has {counted(found, 'line')} for {counted(wanted, 'item')}: "
        f"{counted(difference, 'line')} too {'few' if few else 'many'}"
    )
    remedy = "line i is the text of item i; an empty text is an empty line"
    raise DataError(problem, path=path, line=min(found, wanted) + 1, remedy=remedy)


def align(
    items: Iterable[PlacedItem], system: str, path: Path, reader: Reader
) -> Iterator[PlacedItem]:
    """The items with the lines of `path` as their texts and `system` as their system."""
    for placed, (number, text) in zip(items, lines(path), strict=True):
        item = reader.with_text(replace(placed.item, system=system), text)
        yield PlacedItem(item, path, number)


_READERS: Mapping[str, str] = {
    "csv": "adequa.readers.tables:CsvReader",
    "d2t-eval": "adequa.readers.spans:D2tEvalReader",
    "e2e": "adequa.readers.e2e:E2eReader",
    "enriched": "adequa.readers.enriched:EnrichedReader",
    "jsonl": "adequa.readers.base:JsonlReader",
    "lines": "adequa.readers.base:LinesReader",
    "parquet": "adequa.readers.tables:ParquetReader",
    "rdf": "adequa.readers.rdf.reader:RdfReader",
    "records": "adequa.readers.records:RecordsReader",
    "tsv": "adequa.readers.tables:TsvReader",
    "webnlg": "adequa.readers.webnlg:WebNlgReader",
}
"""The formats of the package, imported when they are used."""
_CORPORA = {
    "kelm": "research.corpora.kelm:KelmReader",
    "passages": "research.corpora.passages:PassagesReader",
    "tekgen": "research.corpora.kelm:TekgenReader",
    "trex": "research.corpora.trex:TrexReader",
}
"""The corpora that a checkout adds."""


def format_names() -> list[str]:
    """Every format that can be named, in alphabetical order."""
    return sorted([*_READERS, *_CORPORA] if has_research() else _READERS)


def reader_class(name: str) -> type[Reader]:
    """The class behind the name of a format."""
    if name in _CORPORA:
        corpus: type[Reader] = from_research(_CORPORA[name], f"the format {name}")
        return corpus
    if name not in _READERS:
        raise UnknownName("format", name, format_names())
    module, _, attribute = _READERS[name].partition(":")
    target: type[Reader] = getattr(importlib.import_module(module), attribute)
    return target


def load_reader(name: str, /, **settings: Any) -> Reader:
    """A reader by name with its options, as in `load_reader("webnlg", tripleset="original")`."""
    return build(name, reader_class(name), settings)


@dataclass(frozen=True)
class Source:
    """An input that can be read repeatedly, each time from its beginning."""

    path: Path
    format: str
    reader: Reader
    texts: Mapping[str, Path] = field(default_factory=dict)
    coverage: Coverage | None = None
    """Whether texts must say every fact; None leaves it to each item."""
    label: str = ""
    """What a manifest calls the path, where it is a copy of stdin or of a pipe."""

    def placed(self) -> Iterator[PlacedItem]:
        """The items with their places, checked for unique ids; with texts, system by system.

        A file that changes until the last item is read is a DataError.
        """
        before = self.versions()
        placed = self._covered(self._aligned() if self.texts else unique(self._read(bare=False)))
        first = next(placed, None)
        if first is None:
            raise DataError("holds no items", path=self.path, remedy="is it the right file?")
        return itertools.chain([first], placed, self._nothing_if_unchanged(before))

    def divide(self, count: int) -> list[LineRange] | None:
        """Parts of about equal size that `within` reads; None if it must be read from its start."""
        if self.texts or not self.path.is_file() or not self.reader.has_lines(self.path):
            return None
        return divide_lines(self.path, count)

    def within(self, part: LineRange, position: int) -> Iterator[Item]:
        """The items of a part, before which there are `position` items; ids are not compared."""
        placed = self._covered(self.reader.read_within(self.path, part, position))
        return (place.item for place in placed)

    def _covered(self, placed: Iterator[PlacedItem]) -> Iterator[PlacedItem]:
        if (coverage := self.coverage) is None:
            return placed
        return (place._replace(item=replace(place.item, coverage=coverage)) for place in placed)

    def versions(self) -> dict[Path, FileVersion | None]:
        """The version of every file, None for one that is gone; for `require_unchanged`."""
        return {path: _version(path) for path in self.files}

    def require_unchanged(self, before: Mapping[Path, FileVersion | None]) -> None:
        """Raise a DataError if the files have other versions than before."""
        now = self.versions()
        for path in {**before, **now}:
            if path not in before or path not in now or before[path] != now[path]:
                remedy = "wait until it is complete, then start again"
                raise DataError("changed while it was read", path=path, remedy=remedy)

    def _nothing_if_unchanged(
        self, before: Mapping[Path, FileVersion | None]
    ) -> Iterator[PlacedItem]:
        self.require_unchanged(before)
        yield from ()

    def _read(self, *, bare: bool) -> Iterator[PlacedItem]:
        if self.path.is_file() or self.reader.takes_folders:
            return self.reader.read(self.path, bare=bare)
        return itertools.chain.from_iterable(
            self.reader.read(file, bare=bare) for file in files_of(self.path, self.format)
        )

    def count(self) -> int:
        """The number of items; reads the whole input and so finds all of its errors."""
        return sum(self.coverages().values())

    def coverages(self) -> Counter[Coverage]:
        """The number of items by coverage; reads the whole input."""
        return Counter(place.item.coverage for place in self.placed())

    def _aligned(self) -> Iterator[PlacedItem]:
        graphs = (
            place._replace(item=replace(place.item, system="")) for place in self._read(bare=True)
        )
        wanted = sum(1 for _ in unique(graphs))
        for path in self.texts.values():
            # All lengths are checked before the first item is scored.
            check_lengths(path, count_lines(path), wanted)
        for system, path in self.texts.items():
            yield from align(self._read(bare=True), system, path, self.reader)

    def __iter__(self) -> Iterator[Item]:
        return (placed.item for placed in self.placed())

    @property
    def files(self) -> list[Path]:
        """Every file the items depend on, for the hashes of the manifest."""
        inside = files_inside(self.path) if self.path.is_dir() else ()
        # A file of no known format (notes, a log that grows) does not decide an item.
        own = [file for file in inside if file.suffix.lower() in SUFFIXES] or [self.path]
        settings = [value for value in vars(self.reader).values() if isinstance(value, Path)]
        beside = self.reader.companions(self.path)
        candidates = dict.fromkeys([*own, *beside, *settings, *self.texts.values()])
        return [path for path in candidates if path.is_file()]


def _version(path: Path) -> FileVersion | None:
    try:
        return file_version(path)
    except OSError:
        return None


def open_source(
    path: Path | str,
    *,
    format: str | None = None,  # noqa: A002
    texts: Mapping[str, Path | str] | Iterable[str] = (),
    coverage: str | None = None,
) -> Source:
    """The source of a path; `format` is `NAME[:key=value,…]`, recognised if not given."""
    path = Path(path)
    spec = Spec.parse(format) if format else Spec(recognise(path), {})
    reader = load_reader(spec.name, **spec.settings)
    _require_readable(path)
    if isinstance(texts, Mapping):
        aligned = {system: Path(file) for system, file in texts.items()}
    else:
        aligned = parse_texts(texts)
    for file in aligned.values():
        _require_readable(file)
    return Source(path, spec.name, reader, aligned, parse_coverage(coverage))


def parse_coverage(written: str | None) -> Coverage | None:
    """A coverage by its name; None stays None."""
    if written is not None:
        require_known("coverage", [written], typing.get_args(Coverage))
    return cast("Coverage | None", written)


_SEVERAL = "give one graph here; `adequa score` and adequa.evaluate take a corpus"
_TURTLE = re.compile(
    r"@prefix\s|@base\s|prefix\s+\S*:\s*<|base\s*<|<[^\s<>|]*>\s+(<|a\s|[\w-]*:)|_:\w+\s",
    re.IGNORECASE,
)
"""The beginning of Turtle, TriG and N-Triples, but not of linearised `<S> Alba <P> …`."""
_COMMENTS = re.compile(r"(\s*#[^\n]*\n)+")


def parse_graph(written: str) -> Item:
    """The single graph of a string in a linearised form, as an item without a text."""
    triples = parse_triples(written)
    lines = [line for line in written.splitlines() if line.strip()]
    if len(lines) > 1 and any(_count(line) > 1 for line in lines):
        raise DataError("holds several graphs, one per line", remedy=_SEVERAL)
    return Item("1", triples, "")


def _count(line: str) -> int:
    """The number of triples of a line; 0 if it is part of something longer."""
    try:
        return len(parse_triples(line))
    except DataError:
        return 0


def read_one(path: Path, format_: str | None = None) -> Item:
    """The single graph of a file, as an item without a text; several are an error."""
    source = open_source(path, format=format_)
    placed = list(itertools.islice(source.reader.read(path, bare=True), 2))
    if not placed:
        raise DataError("holds no items", path=path, remedy="is it the right file?")
    if len(placed) > 1:
        raise DataError(f"holds several items ({source.format})", path=path, remedy=_SEVERAL)
    return placed[0].item


def read_pasted(written: str) -> Item:
    """The single graph of a linearised, JSON, Turtle, N-Triples, JSON-LD or XML string.

    >>> read_pasted('<http://e.org/Alba> <http://e.org/port> "Oban" .').triples[0].object
    'Oban'
    """
    suffix = _suffix(_COMMENTS.sub("", written, count=1).strip())
    if suffix is None:
        return parse_graph(written)
    if suffix == ".json":
        from adequa.readers.records import parse_record

        raw = load_object(written)
        if isinstance(raw, dict) and "triples" in raw:
            return item_from_object({"id": "1", "text": "", **raw})
        return parse_record(written)
    with tempfile.TemporaryDirectory(prefix="adequa-pasted-") as folder:
        path = Path(folder) / f"pasted{suffix}"
        path.write_text(written, encoding="utf-8")
        try:
            return read_one(path)
        except DataError as error:
            # The user does not know the temporary file, only the line.
            raise DataError(error.problem, line=error.line, remedy=error.remedy) from None


def _suffix(start: str) -> str | None:
    """The ending of a file with such content; None for a linearised graph."""
    if start.startswith(("{", "[")) and re.search(r'"@(id|context|graph)"\s*:', start):
        return ".jsonld"
    if re.match(r"\{|\[\s*\{", start):
        return ".json"
    if re.match(r"<\?xml|<!|<rdf:|<benchmark", start):
        return ".xml"
    return ".trig" if _TURTLE.match(start) else None
