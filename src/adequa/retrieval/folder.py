"""An index on disk, and how it is opened: a folder of plain files, mapped, not read.

| file | content |
|---|---|
| `manifest.json` | what is indexed, by which encoder, how many, and the size of every other file |
| `vectors.npy` | a row each, 32-bit or 8-bit numbers |
| `scales.npy` | for 8-bit rows: what to multiply each with |
| `items.jsonl` | id, triples and text, a line each |
| `offsets.npy` | where each line begins, and the end of the last |
| `graph.usearch` | the graph of neighbours, where one was asked for |
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from adequa.codec import dump_line, item_to_object, load_object
from adequa.data import Item, Term, Triple
from adequa.errors import DataError
from adequa.retrieval.encoding import Encoder, Kind, Vectors
from adequa.retrieval.vectors import Nearest, Stored, nearest

__all__ = [
    "FORMAT",
    "GRAPH",
    "ITEMS",
    "MANIFEST",
    "OFFSETS",
    "SCALES",
    "VECTORS",
    "Index",
    "item_line",
    "open_index",
    "read_manifest",
]

FORMAT = 1
"""Of the folder; one of another format has to be built again."""

MANIFEST, VECTORS, SCALES = "manifest.json", "vectors.npy", "scales.npy"
ITEMS, OFFSETS, GRAPH = "items.jsonl", "offsets.npy", "graph.usearch"
_REMEDY = "build the index again: adequa retrieve index INPUT --out INDEX --force"


@dataclass(frozen=True)
class Index:
    """A finished index; its vectors and items stay on disk until they are asked for."""

    path: Path
    manifest: Mapping[str, Any]
    vectors: Stored
    _lines: npt.NDArray[np.uint8]
    _offsets: npt.NDArray[np.uint64]
    _lock: Lock = field(default_factory=Lock, compare=False)

    def __len__(self) -> int:
        return len(self.vectors)

    @property
    def of(self) -> Kind:
        """What is found in it: texts or graphs."""
        return cast(Kind, self.manifest["of"])

    @property
    def is_approximate(self) -> bool:
        """Whether it has a graph of neighbours."""
        return bool(self.manifest["approximate"])

    def check(self, encoder: Encoder) -> None:
        """Refuse an encoder whose vectors have nothing to do with those of the index."""
        if encoder.signature != self.manifest["encoder"]:
            raise DataError(
                f"was built with the encoder {self.manifest['encoder']!r}, not"
                f" {encoder.signature!r}",
                path=self.path,
                remedy="search with that encoder, or build the index again",
            )

    def item(self, position: int) -> Item:
        """What stands at a position: its id, and the triples and the text it came with."""
        start, end = (int(one) for one in self._offsets[position : position + 2])
        try:
            return _item(load_object(self._lines[start:end].tobytes().decode()))
        except (DataError, UnicodeDecodeError, KeyError, TypeError, AttributeError):
            raise DataError(
                "is not as it was written", path=self.path / ITEMS, line=position + 1,
                remedy=_REMEDY,
            ) from None  # fmt: skip

    def nearest(self, queries: Vectors, k: int, *, exact: bool | None = None) -> Nearest:
        """The nearest of each unit vector; through the graph of neighbours where there is one."""
        if queries.shape[1] != self.vectors.dimension:
            raise DataError(
                f"has vectors of {self.vectors.dimension} numbers, the query of {queries.shape[1]}",
                path=self.path,
                remedy="search with the encoder it was built with",
            )
        if exact or not self.is_approximate:
            return nearest(self.vectors, queries, k)
        from adequa.retrieval.approximate import nearest_in_graph

        with self._lock:  # a search sets how far the graph is to look
            return nearest_in_graph(self._graph, self.vectors, queries, k)

    @cached_property
    def _graph(self) -> Any:
        from adequa.retrieval.approximate import open_graph

        return open_graph(self.path / GRAPH, self.vectors)


def open_index(path: Path | str) -> Index:
    """Open a finished index; a DataError says what to do with anything else."""
    path = Path(path)
    manifest = read_manifest(path)
    if manifest["status"] != "complete":
        raise DataError(
            "is not finished", path=path, remedy="complete it with the same command and --resume"
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
        raise DataError("has other vectors than its manifest says", path=path, remedy=_REMEDY)
    lines = np.memmap(path / ITEMS, dtype=np.uint8, mode="r")
    return Index(path, manifest, Stored(vectors, scales), lines, offsets)


def read_manifest(path: Path) -> dict[str, Any]:
    """What an index says of itself, finished or not."""
    file = path / MANIFEST
    if not file.is_file():
        raise DataError(
            f"is not an index: it has no {MANIFEST}",
            path=path,
            remedy="name the folder that `adequa retrieve index --out` wrote",
        )
    try:
        manifest = load_object(file.read_text(encoding="utf-8"))
        number = manifest["retrieval"]
        for name in ("status", "of", "encoder", "dtype"):
            manifest[name]
    except (DataError, KeyError, TypeError, UnicodeDecodeError):
        raise DataError("is not the manifest of an index", path=file, remedy=_REMEDY) from None
    if number != FORMAT:
        raise DataError(f"is of format {number}, not {FORMAT}", path=file, remedy=_REMEDY)
    known: dict[str, Any] = manifest
    return known


def _map(path: Path) -> npt.NDArray[Any]:
    try:
        mapped: npt.NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError) as error:
        raise DataError(f"cannot be read ({error})", path=path, remedy=_REMEDY) from None
    return mapped


def item_line(item: Item) -> bytes:
    """An item as an index keeps it: without references and meta, which no search needs."""
    raw = item_to_object(item)
    kept = {
        name: raw[name]
        for name in ("id", "system", "category", "lang", "triples", "text", "terms")
        if raw.get(name)
    }
    return dump_line(kept).encode()


def _item(raw: Mapping[str, Any]) -> Item:
    # Not the reader's way: what is indexed may have a text and no triples, or the reverse.
    return Item(
        raw["id"],
        tuple(Triple(*triple) for triple in raw.get("triples", ())),
        raw.get("text", ""),
        raw.get("system", ""),
        raw.get("category"),
        raw.get("lang"),
        terms={name: Term(**term) for name, term in raw.get("terms", {}).items()},
    )
