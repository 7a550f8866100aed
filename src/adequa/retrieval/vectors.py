"""Vectors of texts and graphs: encoders by name, stored rows, and the nearest of them.

Rows are of 32-bit or 8-bit numbers. The search is exact, or approximate through a graph of
neighbours (HNSW, by usearch) for millions of vectors.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from adequa.data import Item, Term, Triple
from adequa.errors import DataError, ModelError, SettingError, load_extra
from adequa.settings import signature

Kind: TypeAlias = Literal["texts", "graphs"]
Vectors: TypeAlias = npt.NDArray[np.float32]
Graph: TypeAlias = tuple[Sequence[Triple], Mapping[str, Term] | None]

_HUB = "hub:"


class _Coder(Protocol):
    """An encoder of `adequa.models`, which has no signature."""

    def encode(self, texts: Sequence[str]) -> npt.NDArray[Any]:
        """One vector per text."""

    def encode_graphs(self, graphs: Sequence[Graph]) -> npt.NDArray[Any]:
        """One vector per graph, which is its triples and the `terms` of its item."""


class Encoder(_Coder, Protocol):
    """Encodes texts and graphs as vectors of one space, one row each.

    `signature` names the model and its weights; vectors of different signatures are not compared.
    """

    @property
    def signature(self) -> str:
        """The model, its weights and everything else that changes a vector."""


@dataclass(frozen=True)
class _Signed:
    """An encoder of `adequa.models` with the signature of its weights."""

    signature: str
    coder: _Coder

    def encode(self, texts: Sequence[str]) -> npt.NDArray[Any]:
        return self.coder.encode(texts)

    def encode_graphs(self, graphs: Sequence[Graph]) -> npt.NDArray[Any]:
        return self.coder.encode_graphs(graphs)


def load_encoder(name: str | None = None) -> Encoder:
    """An encoder by name; without one, that of `$ADEQUA_WEIGHTS` or the shipped one.

    A name is a version of the shipped weights, a folder of weights that `adequa export` wrote,
    `hub:MODEL[@REVISION]` for a sentence-transformers model (extra `hf`; its folder, or its name on
    the hub), or `package.module:attribute` for an object of your own.
    """
    if name is not None and name.startswith(_HUB):
        return _hub_encoder(name.removeprefix(_HUB))
    if name is not None and ":" in name and not Path(name).is_dir():
        return cast(Encoder, import_object(name, "encoder"))
    from adequa.models import encoder, shipped

    name = shipped.chosen_weights() if name is None else name
    weights = shipped.weights(name)
    # Without the version of adequa: an index stays valid as long as the weights are the same.
    own = signature("encoder", {"weights": weights.digest}, weights.version)
    return _Signed(own, encoder.load_encoder(name))


def _hub_encoder(name: str) -> Encoder:
    from adequa.models import HubEncoder

    model, _, revision = name.partition("@")
    if not model:
        raise SettingError("hub: has no model; write hub:MODEL or hub:MODEL@REVISION")
    folder = Path(model)
    own = {"model": folder if folder.is_dir() else model}
    return _Signed(signature("hub", own, revision or "latest"), HubEncoder(model, revision or None))


def import_object(name: str, kind: str) -> object:
    """The object that a user names as `package.module:attribute`."""
    module, _, attribute = name.partition(":")
    remedy = f"name an {kind} as package.module:attribute"
    if not module or not attribute:
        raise SettingError(f"{name!r} is not the name of an {kind}; {remedy}")
    try:
        return getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise SettingError(f"the {kind} {name!r} cannot be loaded ({error}); {remedy}") from None


def encode_items(encoder: Encoder, items: Sequence[Item], kind: Kind) -> Vectors:
    """The texts or the graphs of items as unit vectors."""
    if kind == "texts":
        raw = encoder.encode([item.text for item in items])
    else:
        raw = encoder.encode_graphs([(item.triples, item.terms) for item in items])
    vectors = np.asarray(raw, dtype=np.float32)
    if vectors.ndim != 2 or len(vectors) != len(items):
        raise ModelError(
            f"the encoder {encoder.signature!r} gave an array of shape {vectors.shape} for"
            f" {len(items)} {kind}; it must give one row each"
        )
    if not np.isfinite(vectors).all():
        raise ModelError(f"the encoder {encoder.signature!r} gave numbers that are not finite")
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    lengths[lengths == 0] = 1
    units: Vectors = vectors / lengths
    return units


BLOCK = 8192
"""Rows compared at once: 12 MB of vectors with 384 numbers."""

QUERIES = 256
"""Queries compared at once."""

_LARGEST = 127


class Nearest(NamedTuple):
    """The positions of the nearest rows of each query, nearest first, and their cosines."""

    positions: npt.NDArray[np.int64]
    scores: Vectors


@dataclass(frozen=True)
class StoredVectors:
    """Unit vectors in memory or mapped from a file; each 8-bit row has a scale."""

    rows: npt.NDArray[Any]
    scales: Vectors | None = None

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def dimension(self) -> int:
        """The length of a vector."""
        return int(self.rows.shape[1])

    def take(self, chosen: slice | npt.NDArray[np.int64]) -> Vectors:
        """Some rows as 32-bit numbers."""
        rows = self.rows[chosen].astype(np.float32, copy=False)
        return rows if self.scales is None else rows * self.scales[chosen][:, np.newaxis]

    def blocks(self, size: int = BLOCK) -> Iterator[tuple[int, Vectors]]:
        """All rows in blocks, with the position of the first row of each."""
        for start in range(0, len(self), size):
            yield start, self.take(slice(start, start + size))


def quantise(vectors: Vectors) -> tuple[npt.NDArray[np.int8], Vectors]:
    """Rows of integers from -127 to 127, and the factor of each row.

    >>> rows, scales = quantise(np.array([[0.6, -0.8]], dtype=np.float32))
    >>> rows.tolist(), round(float(scales[0]), 6)
    ([[95, -127]], 0.006299)
    """
    scales = np.abs(vectors).max(axis=1, initial=0) / _LARGEST
    scaled = vectors / np.where(scales > 0, scales, 1)[:, np.newaxis]
    whole = np.clip(np.rint(scaled), -_LARGEST, _LARGEST)  # the scales of tiny numbers are inexact
    return whole.astype(np.int8), scales.astype(np.float32)


def nearest(stored: StoredVectors, queries: Vectors, k: int, *, block: int = BLOCK) -> Nearest:
    """The `k` nearest rows of each query, or all if there are fewer; of equals the first."""
    k = min(k, len(stored))
    scores = np.full((len(queries), k), -np.inf, dtype=np.float32)
    positions = np.zeros((len(queries), k), dtype=np.int64)
    for first in range(0, len(queries) if k else 0, QUERIES):
        some = slice(first, first + QUERIES)
        for start, rows in stored.blocks(block):
            _merge(queries[some] @ rows.T, start, positions[some], scores[some])
    return Nearest(positions, scores)


def _merge(found: Vectors, start: int, positions: npt.NDArray[np.int64], scores: Vectors) -> None:
    """Merge the rows of a block into the best so far, in place."""
    k = scores.shape[1]
    # A later row with the same cosine as the last of the best does not replace it.
    better = found > scores[:, -1:]
    for query in np.flatnonzero(better.any(axis=1)):
        places = np.flatnonzero(better[query])
        if len(places) > k:
            values = found[query, places]
            places = places[values >= np.partition(values, -k)[-k]]
        together = np.concatenate([scores[query], found[query, places]])
        numbers = np.concatenate([positions[query], places + start])
        order = np.argsort(-together, kind="stable")[:k]
        scores[query] = together[order]
        positions[query] = numbers[order]


def cosines(stored: StoredVectors, queries: Vectors, positions: npt.NDArray[np.int64]) -> Vectors:
    """The exact cosines of some rows for each query."""
    rows = stored.take(positions.ravel()).reshape(*positions.shape, stored.dimension)
    found: Vectors = np.einsum("qd,qkd->qk", queries, rows)
    return found


CONNECTIVITY = 16
EXPANSION_BUILD = 128
EXPANSION_SEARCH = 128
"""Candidates kept in a build and in a search: the defaults of most HNSW libraries."""

_OVERSAMPLE = 4
"""Neighbours fetched for each one wanted, since the graph has 8-bit vectors and ours decide.

No record of the data it was chosen on."""


def require_usearch() -> Any:
    """The module usearch; raises MissingExtra if it is not installed."""
    return load_extra("retrieval", "usearch.index")


def build_graph(stored: StoredVectors, path: Path) -> None:
    """Write the graph of all rows to `path`, whole or not at all.

    It uses one thread, since with several the graph would differ each time.
    """
    graph = require_usearch().Index(
        ndim=stored.dimension,
        metric="cos",
        dtype="i8",
        connectivity=CONNECTIVITY,
        expansion_add=EXPANSION_BUILD,
        expansion_search=EXPANSION_SEARCH,
    )
    for start, rows in stored.blocks(1024):
        graph.add(np.arange(start, start + len(rows), dtype=np.uint64), rows, threads=1)
    temporary = path.with_name(path.name + ".new")
    graph.save(str(temporary))
    temporary.replace(path)


def open_graph(path: Path, stored: StoredVectors) -> Any:
    """The graph, mapped from its file."""
    module = require_usearch()
    try:
        graph = module.Index.restore(str(path), view=True)
    except Exception as error:  # noqa: BLE001  # usearch raises whatever C++ threw
        graph, why = None, str(error)
    else:
        why = "no graph in it" if graph is None else "of other vectors"
    if graph is None or len(graph) != len(stored) or graph.ndim != stored.dimension:
        problem = f"is not the graph of this index ({why})"
        raise DataError(problem, path=path, remedy="build the index again")
    graph.expansion_search = EXPANSION_SEARCH
    return graph


def nearest_in_graph(graph: Any, stored: StoredVectors, queries: Vectors, k: int) -> Nearest:
    """The nearest rows that the graph finds, with exact cosines."""
    k = min(k, len(stored))
    wanted = min(_OVERSAMPLE * k, len(stored))
    graph.expansion_search = max(EXPANSION_SEARCH, wanted)
    positions = np.zeros((len(queries), k), dtype=np.int64)
    scores = np.zeros((len(queries), k), dtype=np.float32)
    for number, query in enumerate(queries):
        near: npt.NDArray[np.int64] = graph.search(query, wanted, threads=1).keys.astype(np.int64)
        if len(near) < k:  # rare: some rows cannot be reached, so all are compared
            positions[number], scores[number] = (one[0] for one in nearest(stored, query[None], k))
            continue
        near.sort()
        exact = cosines(stored, query[np.newaxis], near[np.newaxis])[0]
        order = np.argsort(-exact, kind="stable")[:k]
        positions[number], scores[number] = near[order], exact[order]
    return Nearest(positions, scores)
