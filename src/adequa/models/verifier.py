"""Every triple of a graph against a text in one pass, and every word of the text against the graph.

What is longer than the model can read is never cut off: the text is read in overlapping windows,
the graph in chunks of triples, each window with each chunk, and the evidence is pooled.
- A triple is stated if any window states it: the highest value.
- A word is unsupported, or disfluent, only if it is so in every pass that saw it: the lowest value.
- The text is supported only as far as its weakest window, and a window as far as the chunk that
  supports it best: for a graph in several chunks, a value on the safe side.
- The state is the mean over the passes.
A triple that is too long even beside a short window is not read, and its value is None; so are then
the values of what the whole graph must be known for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from adequa.data import Term, Triple
from adequa.errors import SettingError
from adequa.models.runtime import Network, WordTable
from adequa.models.shipped import DEFAULT, weights
from adequa.models.windows import breaks_of, chunks, windows
from adequa.models.wordpiece import EncodedPair, Piece, WordPiece
from adequa.text.values import word_triple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Wording = Callable[[Triple, Mapping[str, Term]], Sequence[str]]
"""How a triple is said to the verifier: its subject, predicate and object as words."""
Run = Callable[[Sequence[Sequence[int]], Sequence[Sequence[int]]], Sequence[Mapping[str, Any]]]
"""Word numbers and types in, the outputs of a network out: `Network.run`, or a test's function."""

_SPECIAL = 3
_LEAST_TEXT = 48
"""Words of the text that a long triple must leave room for."""
_OVERLAP = 48


class TextAndGraph(Protocol):
    """What can be verified: an `Item`, or a `Pair`."""

    @property
    def text(self) -> str:
        """The text."""

    @property
    def triples(self) -> Sequence[Triple]:
        """The data."""

    @property
    def terms(self) -> Mapping[str, Term]:
        """What is known of the data's terms."""


class VerifierPair(NamedTuple):
    """A text and the graph to hold it against, where there is no item."""

    text: str
    triples: Sequence[Triple]
    terms: Mapping[str, Term] = {}


@dataclass(frozen=True, slots=True)
class VerifierOutput:
    """What the verifier says of a text and a graph; logits, and None for what it could not read.

    `stated` has a value a triple; `unsupported` and `disfluent` have one a piece of the text, whose
    places are `offsets`; `supported` is of the pair, `state` the mean of its hidden states.
    """

    stated: tuple[float | None, ...]
    offsets: tuple[tuple[int, int], ...]
    unsupported: tuple[float | None, ...]
    disfluent: tuple[float, ...]
    supported: float | None
    state: NDArray[np.float32]


class _Pass(NamedTuple):
    """One reading: a window of the text with a chunk of the graph."""

    window: int
    start: int
    triples: tuple[int, ...]
    encoded: EncodedPair


class Verifier:
    """The three questions to the verifier in one: is it stated, supported, fluent."""

    def __init__(self, reader: WordPiece, run: Run, *, positions: int = 512) -> None:
        if positions < 2 * _LEAST_TEXT:
            raise SettingError(f"positions is {positions}: give at least {2 * _LEAST_TEXT}")
        self.reader = reader
        self.run = run
        self.positions = positions

    def verify(
        self, pairs: Sequence[TextAndGraph], wording: Wording = word_triple
    ) -> list[VerifierOutput]:
        """One answer a pair, in the order of the pairs."""
        plans = [self._plan(pair, wording) for pair in pairs]
        encoded = [one.encoded for plan in plans for one in plan]
        outputs = iter(self.run([one.ids for one in encoded], [one.types for one in encoded]))
        return [
            _pool(len(pair.triples), plan, [next(outputs) for _ in plan])
            for pair, plan in zip(pairs, plans, strict=True)
        ]

    def _plan(self, pair: TextAndGraph, wording: Wording) -> list[_Pass]:
        """The passes: one, where text and graph fit together."""
        pieces = self.reader.pieces(pair.text)
        triples = [self.reader.parts(wording(triple, pair.terms)) for triple in pair.triples]
        room = self.positions - _SPECIAL
        lengths = [len(triple) for triple in triples]
        if len(pieces) + sum(lengths) <= room:
            encoded = self.reader.join(pieces, triples)
            return [_Pass(0, 0, tuple(range(len(triples))), encoded)]
        half = room // 2
        together = chunks(lengths, max(half, room - len(pieces)))
        # A triple that is longer than that has a chunk to itself, and the text less room.
        most = room - min(len(pieces), _LEAST_TEXT)
        known = {number for chunk in together for number in chunk}
        together += [
            (number,)
            for number, length in enumerate(lengths)
            if number not in known and length <= most
        ]
        longest = max((sum(lengths[number] for number in chunk) for chunk in together), default=0)
        stretches = _stretches(pair.text, pieces, room - longest)
        return [
            _Pass(
                window,
                start,
                chunk,
                self.reader.join(pieces[start:end], [triples[number] for number in chunk]),
            )
            for window, (start, end) in enumerate(stretches)
            for chunk in together or [()]
        ]


def _stretches(text: str, pieces: Sequence[Piece], size: int) -> list[tuple[int, int]]:
    if len(pieces) <= size:
        return [(0, len(pieces))]
    breaks = breaks_of(text, [(start, end) for _, start, end in pieces])
    return windows(len(pieces), size, overlap=min(_OVERLAP, size // 4), breaks=breaks)


def _pool(
    triples: int, plan: Sequence[_Pass], outputs: Sequence[Mapping[str, Any]]
) -> VerifierOutput:
    import numpy as np

    count = max(one.start + len(one.encoded.offsets) for one in plan)
    offsets: list[tuple[int, int]] = [(0, 0)] * count
    stated = np.full(triples, -np.inf)
    words = np.full((count, 2), np.inf)
    supported: dict[int, float] = {}
    for one, output in zip(plan, outputs, strict=True):
        tokens = output["tokens"]
        end = one.start + len(one.encoded.offsets)
        offsets[one.start : end] = one.encoded.offsets
        own = tokens[1 : 1 + len(one.encoded.offsets), 1:3]
        words[one.start : end] = np.minimum(words[one.start : end], own)
        if one.triples:
            numbers = list(one.triples)
            stated[numbers] = np.maximum(stated[numbers], tokens[one.encoded.subjects, 0])
        value = float(output["pair"][0])
        supported[one.window] = max(value, supported.get(one.window, value))
    complete = bool(np.isfinite(stated).all())
    return VerifierOutput(
        stated=tuple(value if np.isfinite(value) else None for value in stated.tolist()),
        offsets=tuple(offsets),
        unsupported=tuple(words[:, 0].tolist()) if complete else (None,) * count,
        disfluent=tuple(words[:, 1].tolist()),
        supported=min(supported.values()) if complete else None,
        state=np.mean([output["state"] for output in outputs], axis=0, dtype=np.float32),
    )


@lru_cache(maxsize=4)
def load_verifier(name: str = DEFAULT, *, threads: int = 1, positions: int = 512) -> Verifier:
    """The verifier of shipped weights or of a folder; the network itself loads when first used."""
    folder = weights(name)
    reader = WordPiece.read(folder.path("vocabulary.txt"))
    network = Network(
        folder.path("verifier.onnx"),
        WordTable.read(folder.path("words.npz")),
        outputs=("tokens", "pair", "state"),
        typed=True,
        pad=reader.pad,
        threads=threads,
    )
    return Verifier(reader, network.run, positions=positions)
