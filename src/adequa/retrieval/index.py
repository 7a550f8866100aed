"""An index on disk: how its items are read, and how it is built, resumed and opened.

It is a folder of plain files that are mapped into memory. They grow by whole batches, and the
status in the manifest is `building` until the last one is complete. To resume, the items are read
from the beginning and must equal those already there.

| file | content |
|---|---|
| `manifest.json` | the kind of items, their number, the encoder, and the size of every other file |
| `vectors.npy` | one row per item, of 32-bit or 8-bit numbers |
| `scales.npy` | for 8-bit rows: the factor of each row |
| `items.jsonl` | id, triples and text, one line per item |
| `offsets.npy` | the beginning of each line, and the end of the last |
| `graph.usearch` | the graph of neighbours of an approximate index |
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from threading import Lock
from typing import IO, Any, Literal, cast, get_args

import numpy as np
import numpy.typing as npt

from adequa import __version__
from adequa.codec import item_from_object, item_to_object
from adequa.data import Item, Term, Triple
from adequa.errors import DataError, SettingError
from adequa.files import LOCK, dump_line, lines, load_object, locked, write_errors, write_json
from adequa.readers import PlacedItem, Source, open_source, unique
from adequa.readers.formats import files_of
from adequa.retrieval.vectors import (
    Encoder,
    Kind,
    Nearest,
    StoredVectors,
    Vectors,
    build_graph,
    encode_items,
    nearest,
    nearest_in_graph,
    open_graph,
    quantise,
    require_usearch,
)

FORMAT = 1
"""The version of the folder's format; an index of another version must be built again."""

MANIFEST, VECTORS, SCALES = "manifest.json", "vectors.npy", "scales.npy"
ITEMS, OFFSETS, GRAPH = "items.jsonl", "offsets.npy", "graph.usearch"
_REMEDY = "build the index again with force=True"


@dataclass(frozen=True)
class Index:
    """A finished index; vectors and items are loaded from disk when they are used."""

    path: Path
    manifest: Mapping[str, Any]
    vectors: StoredVectors
    _lines: npt.NDArray[np.uint8]
    _offsets: npt.NDArray[np.uint64]
    _lock: Lock = field(default_factory=Lock, compare=False)

    def __len__(self) -> int:
        return len(self.vectors)

    @property
    def of(self) -> Kind:
        """Whether the index has texts or graphs."""
        return cast(Kind, self.manifest["of"])

    @property
    def is_approximate(self) -> bool:
        """Whether it has a graph of neighbours."""
        return bool(self.manifest["approximate"])

    def require_encoder(self, encoder: Encoder) -> None:
        """Raise unless the index was built with this encoder."""
        own = self.manifest["encoder"]
        if encoder.signature != own:
            problem = f"was built with the encoder {own!r}, not {encoder.signature!r}"
            remedy = "search with that encoder, or build the index again"
            raise DataError(problem, path=self.path, remedy=remedy)

    def item(self, position: int) -> Item:
        """The item at a position, with its id, triples and text."""
        start, end = (int(one) for one in self._offsets[position : position + 2])
        try:
            return _item(load_object(self._lines[start:end].tobytes().decode()))
        except (DataError, UnicodeDecodeError, KeyError, TypeError, AttributeError):
            problem, place = "was changed after it was written", self.path / ITEMS
            raise DataError(problem, path=place, line=position + 1, remedy=_REMEDY) from None

    def nearest(self, queries: Vectors, k: int, *, exact: bool | None = None) -> Nearest:
        """The nearest items of each unit vector; uses the graph of neighbours if there is one."""
        own, other = self.vectors.dimension, queries.shape[1]
        if own != other:
            problem = f"has vectors of {own} numbers, the query of {other}"
            remedy = "search with the encoder it was built with"
            raise DataError(problem, path=self.path, remedy=remedy)
        if exact or not self.is_approximate:
            return nearest(self.vectors, queries, k)
        with self._lock:  # a search sets the search width of the graph
            return nearest_in_graph(self._graph, self.vectors, queries, k)

    @cached_property
    def _graph(self) -> Any:
        return open_graph(self.path / GRAPH, self.vectors)


def open_index(path: Path | str) -> Index:
    """Open a finished index; raises a DataError for anything else."""
    path = Path(path)
    manifest = read_manifest(path)
    if manifest["status"] != "complete":
        raise DataError(
            "is not finished",
            path=path,
            remedy="complete it with the same settings and resume=True",
        )
    for name, size in manifest["files"].items():
        file = path / name
        found = file.stat().st_size if file.is_file() else None
        if found != size:
            what = "is missing" if found is None else f"has {found:,} bytes, not {size:,}"
            raise DataError(what, path=file, remedy=_REMEDY)
    vectors = _map(path / VECTORS)
    scales = _map(path / SCALES) if manifest["dtype"] == "int8" else None
    offsets = _map(path / OFFSETS)
    count, dimension = manifest["count"], manifest["dimension"]
    if (
        vectors.shape != (count, dimension)
        or vectors.dtype != manifest["dtype"]
        or (scales is not None and scales.shape != (count,))
        or offsets.shape != (count + 1,)
    ):
        raise DataError("has vectors that do not match its manifest", path=path, remedy=_REMEDY)
    written = np.memmap(path / ITEMS, dtype=np.uint8, mode="r")
    return Index(path, manifest, StoredVectors(vectors, scales), written, offsets)


def read_manifest(path: Path) -> dict[str, Any]:
    """The manifest of an index, finished or not."""
    file = path / MANIFEST
    if not file.is_file():
        remedy = "name the folder of an index; `adequa retrieve index` builds one"
        raise DataError(f"is not an index: it has no {MANIFEST}", path=path, remedy=remedy)
    try:
        manifest: dict[str, Any] = load_object(file.read_text(encoding="utf-8"))
        number, *_ = (manifest[name] for name in ("retrieval", "status", "of", "encoder", "dtype"))
    except (DataError, KeyError, TypeError, UnicodeDecodeError):
        raise DataError("is not the manifest of an index", path=file, remedy=_REMEDY) from None
    if number != FORMAT:
        raise DataError(f"is of format {number}, not {FORMAT}", path=file, remedy=_REMEDY)
    return manifest


def _map(path: Path) -> npt.NDArray[Any]:
    try:
        mapped: npt.NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError) as error:
        raise DataError(f"cannot be read ({error})", path=path, remedy=_REMEDY) from None
    return mapped


def item_line(item: Item) -> bytes:
    """The line of an item in an index, without references and meta."""
    raw = item_to_object(item)
    kept = ("id", "system", "category", "lang", "triples", "text", "terms")
    return dump_line({name: raw[name] for name in kept if raw.get(name)}).encode()


def _item(raw: Mapping[str, Any]) -> Item:
    # Not `item_from_object`: an indexed item may have a text without triples, or the reverse.
    return Item(
        raw["id"],
        tuple(Triple(*triple) for triple in raw.get("triples", ())),
        raw.get("text", ""),
        raw.get("system", ""),
        raw.get("category"),
        raw.get("lang"),
        terms={name: Term(**term) for name, term in raw.get("terms", {}).items()},
    )


_HEADER = 128
"""Bytes before the first row: enough for any shape, so that the header can be rewritten."""


class Appender:
    """An `.npy` file that grows by rows; whole rows survive a kill."""

    def __init__(self, path: Path, dtype: npt.DTypeLike, width: int | None = None) -> None:
        self._path = path
        self._dtype = np.dtype(dtype)
        self._width = width
        self._stream = path.open("rb+" if path.exists() else "xb+")
        self._row = self._dtype.itemsize * (1 if width is None else width)
        size = self._stream.seek(0, os.SEEK_END)
        self.rows = max(0, size - _HEADER) // self._row
        if size >= _HEADER and not self._is_own_header():
            self._stream.close()
            problem = "was begun with other vectors"
            raise DataError(problem, path=path, remedy="replace it with force=True")
        self.cut(self.rows)

    def cut(self, rows: int) -> None:
        """Keep only the first rows."""
        self.rows = rows
        self._stream.truncate(_HEADER + rows * self._row)
        self._write_header(0)
        self._stream.seek(0, os.SEEK_END)

    def append(self, rows: npt.NDArray[Any]) -> None:
        """Add rows at the end."""
        self._stream.write(np.ascontiguousarray(rows, dtype=self._dtype).tobytes())
        self._stream.flush()
        self.rows += len(rows)

    def finish(self) -> None:
        """Write the number of rows into the header, and close the file."""
        self._write_header(self.rows)
        self._stream.flush()
        os.fsync(self._stream.fileno())
        self.close()

    def close(self) -> None:
        """Close the file as it is; it can be opened again and continued."""
        self._stream.close()

    def _is_own_header(self) -> bool:
        self._stream.seek(0)
        try:
            np.lib.format.read_magic(self._stream)
            shape, _, dtype = np.lib.format.read_array_header_1_0(self._stream)
        except ValueError:
            return False
        return bool(dtype == self._dtype and shape[1:] == self._shape(0)[1:])

    def _write_header(self, rows: int) -> None:
        shape = self._shape(rows)
        written = repr({"descr": self._dtype.str, "fortran_order": False, "shape": shape})
        begin = np.lib.format.magic(1, 0) + (_HEADER - 10).to_bytes(2, "little")
        self._stream.seek(0)
        self._stream.write(begin + written.encode().ljust(_HEADER - 11) + b"\n")

    def _shape(self, rows: int) -> tuple[int, ...]:
        return (rows,) if self._width is None else (rows, self._width)


Numbers = Literal["float32", "int8"]
_FILES = (VECTORS, SCALES, ITEMS, OFFSETS, GRAPH)


def build_index(
    items: Iterable[Item],
    out: Path | str,
    encoder: Encoder,
    *,
    of: Kind = "texts",
    dtype: Numbers = "float32",
    approximate: bool = False,
    batch_size: int = 1024,
    resume: bool = False,
    force: bool = False,
    progress: Callable[[int], None] = lambda _done: None,
) -> Index:
    """Write the texts or the graphs of items to the folder `out`; empty texts are left out.

    `dtype="int8"` takes a quarter of the space; `approximate` adds a graph of neighbours (extra
    `retrieval`) for millions of items. The same items and encoder give the same bytes. `progress`
    is called with the number of items done; their total is not known.
    """
    out = Path(out)
    if of not in get_args(Kind):
        raise SettingError(f"an index is of texts or graphs, not {of!r}")
    if dtype not in get_args(Numbers):
        raise SettingError(f"vectors are float32 or int8, not {dtype!r}")
    if batch_size < 1:
        raise SettingError(f"the size of a batch is at least 1, not {batch_size}")
    if approximate:
        require_usearch()  # before hours of work, not after
    plan = {"retrieval": FORMAT, "version": __version__, "status": "building", "of": of}
    plan |= {"encoder": encoder.signature, "dtype": dtype, "approximate": approximate}
    if out.exists() and not out.is_dir():
        raise _not_an_index(out)
    with locked(out), write_errors(out, remedy="check the path and the disk"):
        if _begin(out, plan, resume=resume, force=force):
            return open_index(out)
        wanted = (item for item in items if of == "graphs" or item.text.strip())
        with (out / ITEMS).open("ab+") as stream:
            count, dimension = _write(
                wanted,
                stream,
                out,
                encoder=encoder,
                of=of,
                dtype=dtype,
                batch_size=batch_size,
                progress=progress,
            )
            _write_offsets(stream, out / OFFSETS)
        _finish(out, {**plan, "count": count, "dimension": dimension})
    return open_index(out)


def _begin(out: Path, plan: dict[str, Any], *, resume: bool, force: bool) -> bool:
    """Prepare the folder; True if the index is already complete."""
    if resume and (out / MANIFEST).is_file():
        begun = read_manifest(out)
        for name, value in plan.items():
            if name not in ("status", "version") and begun.get(name) != value:
                problem = f"was begun with another {name}: {begun.get(name)!r} then, {value!r} now"
                remedy = "give the same, or replace the index with force=True"
                raise DataError(problem, path=out, remedy=remedy)
        return bool(begun["status"] == "complete")
    if (out / MANIFEST).is_file():
        if not force:
            remedy = "name another folder, or replace it with force=True"
            raise DataError("is already an index", path=out, remedy=remedy)
        # Removed rather than truncated: another process may have them mapped.
        for name in (MANIFEST, *_FILES):
            (out / name).unlink(missing_ok=True)
    elif any(entry.name != LOCK for entry in out.iterdir()):
        raise _not_an_index(out)
    write_json(out / MANIFEST, plan)
    return False


def _not_an_index(out: Path) -> DataError:
    remedy = "name a new or an empty folder"
    return DataError("exists and is not an index", path=out, remedy=remedy)


def _write(
    items: Iterator[Item],
    stream: IO[bytes],
    out: Path,
    *,
    encoder: Encoder,
    of: Kind,
    dtype: Numbers,
    batch_size: int,
    progress: Callable[[int], None],
) -> tuple[int, int]:
    """Encode the items that are missing; the number of all items and the length of a vector."""
    first = next(items, None)
    if first is None:
        raise DataError(f"there are no {of} to index", path=out, remedy="is it the right input?")
    # The length of a vector is known only from a first one.
    dimension = encode_items(encoder, [first], of).shape[1]
    items = chain([first], items)
    files = [Appender(out / VECTORS, dtype, dimension)]
    if dtype == "int8":
        files.append(Appender(out / SCALES, np.float32))
    try:
        count = _skip(items, stream, out, files)
        progress(count)
        while batch := list(islice(items, batch_size)):
            vectors = encode_items(encoder, batch, of)
            stream.write(b"".join(map(item_line, batch)))
            stream.flush()
            columns: tuple[npt.NDArray[Any], ...] = (vectors,)
            if dtype == "int8":
                columns = quantise(vectors)
            for file, rows in zip(files, columns, strict=True):
                file.append(rows)
            count += len(batch)
            progress(count)
        os.fsync(stream.fileno())
        for file in files:
            file.finish()
    finally:
        for file in files:
            file.close()
    return count, dimension


def _skip(items: Iterator[Item], stream: IO[bytes], out: Path, files: Sequence[Appender]) -> int:
    """Skip the items that all files have, cut off those that only some have; their number."""
    whole = min(file.rows for file in files)
    count = end = 0
    stream.seek(0)
    while count < whole and (line := stream.readline()).endswith(b"\n"):
        item = next(items, None)
        if item is None or item_line(item) != line:
            problem = "was begun with other items"
            remedy = "give the same input, or replace the index with force=True"
            raise DataError(problem, path=out / ITEMS, line=count + 1, remedy=remedy)
        count += 1
        end += len(line)
    stream.truncate(end)
    for file in files:
        file.cut(count)
    return count


def _write_offsets(stream: IO[bytes], path: Path) -> None:
    path.unlink(missing_ok=True)
    offsets = Appender(path, np.uint64)
    end = 0
    offsets.append(np.array([0]))
    stream.seek(0)
    while some := list(islice(stream, 4096)):
        ends = end + np.cumsum([len(line) for line in some])
        offsets.append(ends)
        end = int(ends[-1])
    offsets.finish()


def _finish(out: Path, manifest: dict[str, Any]) -> None:
    if manifest["approximate"]:
        scales = np.load(out / SCALES, mmap_mode="r") if manifest["dtype"] == "int8" else None
        build_graph(StoredVectors(np.load(out / VECTORS, mmap_mode="r"), scales), out / GRAPH)
    sizes = {name: (out / name).stat().st_size for name in _FILES if (out / name).exists()}
    write_json(out / MANIFEST, {**manifest, "status": "complete", "files": sizes})


_FIELDS = {one.name for one in fields(Item)}


def read_documents(path: Path | str, of: Kind, *, format: str | None = None) -> Iterator[Item]:  # noqa: A002
    """The items to index: every text, or every distinct graph.

    Texts need no triples: a `.txt` file has one text per line, and a JSONL file may leave the
    triples out. Graphs need no texts.
    """
    path = Path(path)
    if of == "texts" and format is None and path.suffix.lower() == ".txt":
        return (Item(str(number), (), line) for number, line in lines(path) if line.strip())
    if of == "texts" and format is None and _has_texts_alone(path):
        return (place.item for place in unique(_texts_of_jsonl(path)))
    source = open_source(path, format=format)
    return read_graphs(source) if of == "graphs" else iter(source)


def read_graphs(source: Source) -> Iterator[Item]:
    """The distinct graphs of a source, with all texts of each as references."""
    if source.path.is_file() or source.reader.takes_folders:
        placed = source.reader.read(source.path, bare=True)
    else:
        files = files_of(source.path, source.format)
        placed = chain.from_iterable(source.reader.read(file, bare=True) for file in files)
    return (place.item for place in unique(placed))


def _has_texts_alone(path: Path) -> bool:
    """Whether the first line of a JSONL file is an item without triples."""
    if path.suffix.lower() != ".jsonl" or not path.is_file():
        return False
    try:
        raw = load_object(next((line for _, line in lines(path) if line.strip()), ""))
    except DataError:  # the reader of the format reports it
        return False
    return isinstance(raw, dict) and "text" in raw and raw.keys() <= _FIELDS - {"triples"}


def _texts_of_jsonl(path: Path) -> Iterator[PlacedItem]:
    for number, line in lines(path):
        if line.strip():
            try:
                yield PlacedItem(_text_item(load_object(line)), path, number)
            except DataError as error:
                raise error.at(path, number) from None


def _text_item(raw: object) -> Item:
    if isinstance(raw, dict) and "triples" not in raw:
        # The contract requires triples, so it is validated with a placeholder.
        return replace(item_from_object({**raw, "triples": [["–", "–", "–"]]}), triples=())
    return item_from_object(raw)
