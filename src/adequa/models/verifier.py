"""The verifier: each triple of a graph against a text, and each word of the text against the graph.

Long inputs are never cut off: the text is read in overlapping windows, and the results are pooled.
- A triple is stated if any window states it: the highest value.
- A word is unsupported, or disfluent, only if it is so in every pass: the lowest value.
- The text is supported as far as its weakest window.
- The state is the mean over the passes.
A wide graph, which does not fit beside a window, is read as `relevance` ranks its triples: a window
with the triples that could bear on it, whose passes judge its words, and every other triple with
the one window that it fits best. So the number of passes is linear in text and graph, and triples
about something else support nothing. Without a relevance each window is read with each chunk of the
graph, a word is supported if any chunk supports it, and the passes are as many as windows times
chunks: for measuring what relevance loses.
A triple that is too long even beside a short window is not read; its value is None, and so are the
values that depend on the whole graph.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from adequa.data import Term, Triple
from adequa.errors import SettingError
from adequa.models.runtime import breaks_of, chunks, windows
from adequa.models.shipped import DEFAULT, open_network
from adequa.models.wordpiece import EncodedPair, Piece, WordPiece
from adequa.text.values import word_triple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Wording = Callable[[Triple, Mapping[str, Term]], Sequence[str]]
"""The wording of a triple for the verifier: its subject, predicate and object as words."""
Run = Callable[[Sequence[Sequence[int]], Sequence[Sequence[int]]], Sequence[Mapping[str, Any]]]
"""From word numbers and types to a network's outputs: `Network.run`, or a test's function."""

Ranking = Callable[[int, int], Sequence[int]]
"""The triples that could bear on the characters of a text from a start to an end, best first."""
Relevance = Callable[[Any], Ranking]
"""From an input of the verifier to the ranking of its triples."""

_SPECIAL = 3
"""The markers of start and end around text and graph."""
_LEAST_TEXT = 48
"""Word pieces of the text that a long triple must leave room for."""
_OVERLAP = 48
"""Word pieces that windows share. No record of how it was chosen; kept for stable scores."""


# Chosen on 40 texts of d2t-eval with some 150 facts each: the area under the curve of word doubts
# against marked errors is .62 with these, .59 with windows of 128, .55 with 24 triples beside them.
_WINDOW = 64
"""Word pieces of a window of the text beside a wide graph: a sentence or two, as in training."""
_MOST_BESIDE = 8
"""The most triples of a wide graph that are read with a window to judge its words."""
_MOST_TOKENS = 1 << 17
"""Word pieces that are read before their outputs are pooled; bounds the memory of a batch."""


class TextAndGraph(Protocol):
    """An input of the verifier: an `Item` or a `VerifierPair`."""

    @property
    def text(self) -> str:
        """The text."""

    @property
    def triples(self) -> Sequence[Triple]:
        """The data."""

    @property
    def terms(self) -> Mapping[str, Term]:
        """The labels and datatypes of the data's terms."""


class VerifierPair(NamedTuple):
    """A text and the graph to verify it against, without an item."""

    text: str
    triples: Sequence[Triple]
    terms: Mapping[str, Term] = {}


@dataclass(frozen=True, slots=True)
class VerifierOutput:
    """The verifier's logits for a text and a graph, with None for parts it could not read.

    `stated` has one value per triple; `unsupported` and `disfluent` have one per word piece of the
    text, at `offsets`; `supported` is for the pair, `state` the mean of its hidden states.
    """

    stated: tuple[float | None, ...]
    offsets: tuple[tuple[int, int], ...]
    unsupported: tuple[float | None, ...]
    disfluent: tuple[float, ...]
    supported: float | None
    state: NDArray[np.float32]
    passes: int = 1
    """How often the model read a part of the input; 1 for an input that fits as a whole."""


class _Pass(NamedTuple):
    """One reading: a window of the text with a chunk of the graph."""

    window: int
    start: int
    triples: tuple[int, ...]
    encoded: EncodedPair
    judges_words: bool = True
    """Whether its triples are those that could bear on the window."""


class Verifier:
    """Decides which triples are stated, and which words are supported and fluent."""

    def __init__(self, reader: WordPiece, run: Run, *, positions: int = 512) -> None:
        if positions < 2 * _LEAST_TEXT:
            raise SettingError(f"positions is {positions}: give at least {2 * _LEAST_TEXT}")
        self.reader = reader
        self.run = run
        self.positions = positions

    def verify(
        self,
        pairs: Sequence[TextAndGraph],
        wording: Wording = word_triple,
        relevance: Relevance | None = None,
    ) -> list[VerifierOutput]:
        """One output per pair, in the order of the pairs."""
        found: list[VerifierOutput] = []
        waiting: list[tuple[int, list[_Pass]]] = []
        tokens = 0
        for pair in pairs:
            plan = self._plan(pair, wording, relevance)
            waiting.append((len(pair.triples), plan))
            tokens += sum(len(one.encoded.ids) for one in plan)
            if tokens >= _MOST_TOKENS:
                found += self._read(waiting)
                waiting, tokens = [], 0
        return found + self._read(waiting)

    def _read(self, plans: Sequence[tuple[int, list[_Pass]]]) -> list[VerifierOutput]:
        encoded = [one.encoded for _, plan in plans for one in plan]
        outputs = iter(self.run([one.ids for one in encoded], [one.types for one in encoded]))
        return [_pool(count, plan, [next(outputs) for _ in plan]) for count, plan in plans]

    def _plan(
        self, pair: TextAndGraph, wording: Wording, relevance: Relevance | None
    ) -> list[_Pass]:
        """The passes; a single one if text and graph fit together."""
        pieces = self.reader.pieces(pair.text)
        triples = [self.reader.parts(wording(triple, pair.terms)) for triple in pair.triples]
        room = self.positions - _SPECIAL
        lengths = [len(triple) for triple in triples]
        if len(pieces) + sum(lengths) <= room:
            encoded = self.reader.join(pieces, triples)
            return [_Pass(0, 0, tuple(range(len(triples))), encoded)]
        half = room // 2
        together = chunks(lengths, max(half, room - len(pieces)))
        # A longer triple has a chunk to itself, and leaves less room for the text.
        most = room - min(len(pieces), _LEAST_TEXT)
        known = {number for chunk in together for number in chunk}
        together += [
            (number,)
            for number, length in enumerate(lengths)
            if number not in known and length <= most
        ]
        if relevance is not None and len(together) > 1:
            return self._plan_relevant(pair.text, pieces, triples, relevance(pair))
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

    def _plan_relevant(
        self,
        text: str,
        pieces: Sequence[Piece],
        triples: Sequence[Sequence[int]],
        rank: Ranking,
    ) -> list[_Pass]:
        """Each window with the triples that could bear on it, every other triple with one window.

        At most two passes per window and one per chunk of triples, besides those of triples that
        leave little room for the text.
        """
        room = self.positions - _SPECIAL
        stretches = _stretches(text, pieces, min(_WINDOW, room // 2))
        passes: list[_Pass] = []
        home: dict[int, tuple[int, int]] = {}
        chosen: Sequence[int] = range(len(triples))
        for window, (start, end) in enumerate(stretches):
            ranked = rank(pieces[start][1], pieces[end - 1][2]) if start < end else ()
            for place, number in enumerate(ranked):
                home[number] = min(home.get(number, (place, window)), (place, window))
            # A sentence that no triple could bear on goes on about what was said before.
            chosen = _filled(ranked or chosen, triples, room - (end - start))
            encoded = self.reader.join(pieces[start:end], [triples[number] for number in chosen])
            passes.append(_Pass(window, start, tuple(chosen), encoded))
        read = {number for one in passes for number in one.triples}
        others: dict[int, list[int]] = {}
        for number in range(len(triples)):
            if number not in read:
                others.setdefault(home.get(number, (0, 0))[1], []).append(number)
        for window, numbers in sorted(others.items()):
            start, end = stretches[window]
            lengths = [len(triples[number]) for number in numbers]
            together = chunks(lengths, room - (end - start))
            for chunk in together:
                own = tuple(numbers[place] for place in chunk)
                encoded = self.reader.join(pieces[start:end], [triples[one] for one in own])
                passes.append(_Pass(window, start, own, encoded, judges_words=False))
            for number in {*numbers} - {numbers[place] for chunk in together for place in chunk}:
                passes += self._beside_long(number, triples[number], pieces, (start, end), window)
        return passes

    def _beside_long(
        self,
        number: int,
        triple: Sequence[int],
        pieces: Sequence[Piece],
        window: tuple[int, int],
        place: int,
    ) -> list[_Pass]:
        """A triple that does not fit beside its window, with parts of the window."""
        size = self.positions - _SPECIAL - len(triple)
        start, end = window
        if size < min(end - start, _LEAST_TEXT):
            return []
        return [
            _Pass(
                place,
                start + first,
                (number,),
                self.reader.join(pieces[start + first : start + last], [triple]),
                judges_words=False,
            )
            for first, last in windows(end - start, size, overlap=size // 4)
        ]


def _filled(ranked: Sequence[int], triples: Sequence[Sequence[int]], room: int) -> list[int]:
    """The best triples that fit, in the order of the data."""
    found: list[int] = []
    for number in ranked:
        if len(found) == _MOST_BESIDE:
            break
        if len(triples[number]) <= room:
            found.append(number)
            room -= len(triples[number])
    return sorted(found)


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
    states: list[NDArray[np.float32]] = []
    for one, output in zip(plan, outputs, strict=True):
        tokens = output["tokens"]
        end = one.start + len(one.encoded.offsets)
        offsets[one.start : end] = one.encoded.offsets
        if one.triples:
            numbers = list(one.triples)
            stated[numbers] = np.maximum(stated[numbers], tokens[one.encoded.subjects, 0])
        if not one.judges_words:
            continue
        own = tokens[1 : 1 + len(one.encoded.offsets), 1:3]
        words[one.start : end] = np.minimum(words[one.start : end], own)
        states.append(output["state"])
        value = float(output["pair"][0])
        supported[one.window] = max(value, supported.get(one.window, value))
    complete = bool(np.isfinite(stated).all())
    return VerifierOutput(
        stated=tuple(value if np.isfinite(value) else None for value in stated.tolist()),
        offsets=tuple(offsets),
        unsupported=tuple(words[:, 0].tolist()) if complete else (None,) * count,
        disfluent=tuple(words[:, 1].tolist()),
        supported=min(supported.values()) if complete else None,
        state=np.mean(states, axis=0, dtype=np.float32),
        passes=len(plan),
    )


@lru_cache(maxsize=4)  # the weights themselves are shared by all verifiers of a process
def load_verifier(name: str = DEFAULT, *, threads: int = 1, positions: int = 512) -> Verifier:
    """The verifier of shipped weights or of a folder; its network is loaded at first use."""
    reader, network = open_network(
        name, "verifier", ("tokens", "pair", "state"), threads=threads, typed=True
    )
    return Verifier(reader, network.run, positions=positions)
