"""Texts and graphs as vectors in one space, near each other if they say the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from adequa.caches import MEGABYTE, Cache
from adequa.data import Term, Triple
from adequa.errors import SettingError
from adequa.models.runtime import breaks_of, windows
from adequa.models.shipped import DEFAULT, open_network
from adequa.models.wordpiece import WordPiece

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Graph = tuple[Sequence[Triple], Mapping[str, Term] | None]
"""Triples, and the labels and datatypes of their terms."""
Run = Callable[[Sequence[Sequence[int]]], Sequence[Mapping[str, Any]]]
"""From word numbers to the outputs of a network: `Network.run`, or a test's function."""

_GRAPH_BYTES = 32 * MEGABYTE
"""The cache of graphs' vectors: the texts of all systems of a corpus refer to the same graphs."""


class ShippedEncoder:
    """The encoder of shipped or exported weights; its vectors have length one.

    An input longer than `positions` is read in parts, cut between sentences or triples if possible;
    its vector is the mean of theirs, weighted by their length.
    """

    def __init__(self, reader: WordPiece, run: Run, *, positions: int = 512) -> None:
        if positions < 8:
            raise SettingError(
                f"positions is {positions}: a model reads at least 8 words at a time"
            )
        self.reader = reader
        self.run = run
        self.positions = positions
        self._graphs: Cache[NDArray[np.float32]] = Cache(_GRAPH_BYTES)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row per text, in the order of the texts; equal texts are read once."""
        parts = {text: self._text(text) for text in texts}
        rows = dict(zip(parts, self._vectors(list(parts.values())), strict=True))
        return _stack([rows[text] for text in texts])

    def encode_graphs(self, graphs: Iterable[Graph]) -> NDArray[np.float32]:
        """One row per graph, in the order of the graphs."""
        encoded = [self.reader.encode_graph(*graph) for graph in graphs]
        keys = [tuple(graph.ids) for graph in encoded]
        known = {key: self._graphs.get(key) for key in keys}
        rows = {key: row for key, row in known.items() if row is not None}
        new = {
            key: self._parts(graph.ids[1:-1], [[place - 1 for place in graph.subjects]])
            for key, graph in zip(keys, encoded, strict=True)
            if key not in rows
        }
        for key, row in zip(new, self._vectors(list(new.values())), strict=True):
            rows[key] = self._graphs.put(key, row)
        return _stack([rows[key] for key in keys])

    def _text(self, text: str) -> list[list[int]]:
        ids = self.reader.numbers(text)
        if len(ids) + 2 <= self.positions:
            return self._parts(ids, [])
        pieces = self.reader.pieces(text)
        return self._parts(ids, breaks_of(text, [(start, end) for _, start, end in pieces]))

    def _parts(self, ids: Sequence[int], breaks: Sequence[Sequence[int]]) -> list[list[int]]:
        """The parts of one vector; a single one if the input fits."""
        return [
            [self.reader.start, *ids[start:end], self.reader.separator]
            for start, end in windows(len(ids), self.positions - 2, breaks=breaks)
        ]

    def _vectors(self, inputs: Sequence[Sequence[Sequence[int]]]) -> list[NDArray[np.float32]]:
        import numpy as np

        outputs = iter(self.run([part for parts in inputs for part in parts]))
        found: list[NDArray[np.float32]] = []
        for parts in inputs:
            vectors = [next(outputs)["vector"] for _ in parts]
            vector = vectors[0]
            if len(parts) > 1:
                vector = np.average(vectors, axis=0, weights=[len(part) for part in parts])
                vector = (vector / max(float(np.linalg.norm(vector)), 1e-12)).astype(np.float32)
            found.append(vector)
        return found


@lru_cache(maxsize=4)  # the weights themselves are shared by all encoders of a process
def load_encoder(name: str = DEFAULT, *, threads: int = 1, positions: int = 512) -> ShippedEncoder:
    """The encoder of shipped weights or of a folder; its network is loaded at first use."""
    reader, network = open_network(name, "encoder", ("vector",), threads=threads)
    return ShippedEncoder(reader, network.run, positions=positions)


def _stack(rows: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
    import numpy as np

    # Without a row the length of a row is unknown.
    return np.stack(rows) if rows else np.zeros((0, 0), dtype=np.float32)
