"""Mentions mode: every span that refers to an entity, with the boundaries an annotator would draw.

Names, numbers and dates give cores; then each core is kept or dropped, its ends are drawn, and
pronouns and nouns are given their entities. Every such decision goes through a `Judge`, so that the
learned weights can be used, learned, or left out.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from adequa.entities import anaphora, boundaries
from adequa.entities.anaphora import Anaphor, History
from adequa.entities.graph import Graph
from adequa.entities.linear import Weights, load_weights, probabilities
from adequa.entities.matching import Candidate
from adequa.entities.text import PreparedText

__all__ = ["Judge", "Option", "WeightsJudge", "draw"]


_REMEMBERED = 40
"""Mentions before an anaphor that it may look back to."""


class Option(NamedTuple):
    """One way to decide: the span and entity it would give, and what speaks for it."""

    start: int
    end: int
    entity: int | None
    features: Sequence[str]


class Judge(Protocol):
    """Decides; `decision` is one of keep, left, right and anaphor."""

    def decide(self, decision: str, options: Sequence[Option]) -> int:
        """The number of the option to take."""


class WeightsJudge:
    """Decides by weights: the shipped ones, or those that `adequa train mentions` wrote."""

    def __init__(self, weights: Mapping[str, Weights] | None = None) -> None:
        self._weights = weights

    def decide(self, decision: str, options: Sequence[Option]) -> int:
        """The likeliest option."""
        known = load_weights() if self._weights is None else self._weights
        weights = known.get(decision, {})  # a small corpus may leave nothing to learn: the first
        chances = probabilities(weights, [option.features for option in options])
        return chances.index(max(chances))


def draw(
    cores: Sequence[Candidate], graph: Graph, text: PreparedText, judge: Judge, *, anaphors: bool
) -> list[Candidate]:
    """The mentions that cores and anaphors make, in text order."""
    taken = bytearray(len(text.string) + 1)
    kept = _keep(sorted(cores), graph, text, judge)
    for core in kept:
        taken[core.start : core.end] = b"\1" * (core.end - core.start)
    drawn: list[Candidate] = []
    for core in kept:
        if not drawn or core.start >= drawn[-1].end:  # `Texas` within `Abilene, Texas`
            mention = _draw(core, graph, text, taken, judge)
            taken[mention.start : mention.end] = b"\1" * (mention.end - mention.start)
            drawn.append(mention)
    if anaphors:
        drawn += _resolve(drawn, graph, text, taken, judge)
    return sorted(drawn)


def _keep(
    cores: Sequence[Candidate], graph: Graph, text: PreparedText, judge: Judge
) -> list[Candidate]:
    kept: list[Candidate] = []
    seen: Counter[int] = Counter()
    all_of = Counter(core.entity for core in cores)
    for core in cores:
        entity = graph.entities[core.entity]
        before = seen[core.entity]
        others = all_of[core.entity] - 1
        features = boundaries.keep_features(core, entity, graph, text, before, others)
        options = [
            Option(core.start, core.end, core.entity, features),
            Option(core.start, core.end, None, []),
        ]
        if judge.decide("keep", options) == 0:
            kept.append(core)
            seen[core.entity] += 1
    return kept


def _draw(
    core: Candidate, graph: Graph, text: PreparedText, taken: bytearray, judge: Judge
) -> Candidate:
    entity = graph.entities[core.entity]
    right = boundaries.right_sides(core, entity, graph, text, taken)
    if len(right) > 1:
        options = [Option(core.start, side.offset, core.entity, side.features) for side in right]
        core = core._replace(end=right[judge.decide("right", options)].offset)
    left = boundaries.left_sides(core, entity, graph, text, taken)
    if len(left) > 1:
        options = [Option(side.offset, core.end, core.entity, side.features) for side in left]
        core = core._replace(start=left[judge.decide("left", options)].offset)
    return core


def _resolve(
    drawn: Sequence[Candidate],
    graph: Graph,
    text: PreparedText,
    taken: bytearray,
    judge: Judge,
) -> list[Candidate]:
    pairs = sorted((bisect_left(text.starts, core.start), core.entity) for core in drawn)
    found: list[Candidate] = []
    for anaphor in anaphora.anaphors(graph, text, taken):
        at = bisect_left(pairs, (anaphor.word, -1))
        near = pairs[max(at - _REMEMBERED, 0) : at + 3]
        history = History([word for word, _ in near], [entity for _, entity in near])
        entity = _referent(anaphor, graph, text, history, judge)
        if entity is not None:
            method = "noun" if anaphor.noun else "pronoun"
            found.append(Candidate(anaphor.start, anaphor.end, entity, 2, 0.0, method))
            insort(pairs, (anaphor.word, entity))
    return found


def _referent(
    anaphor: Anaphor, graph: Graph, text: PreparedText, history: History, judge: Judge
) -> int | None:
    none = anaphora.none_features(anaphor, text, history)
    options = [Option(anaphor.start, anaphor.end, None, none)]
    for number, entity in enumerate(graph.entities):
        if anaphor.noun and anaphor.noun not in entity.nouns:
            continue
        if entity.kind in ("date", "number", "boolean"):
            continue
        features = anaphora.option_features(anaphor, number, graph, text, history)
        options.append(Option(anaphor.start, anaphor.end, number, features))
    return options[judge.decide("anaphor", options)].entity if len(options) > 1 else None
