"""The detector: which entities of some triples a text mentions, where, and how.

*Adequacy* asks whether an entity is there with the right value; *mentions* looks for every span
that refers to one, drawn as an annotator would. Both stand on `cores`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, NamedTuple

from adequa.data import Item, Mention, Term, Triple
from adequa.entities.cores import Search, find_cores
from adequa.entities.graph import Graph, compile_graph
from adequa.entities.matching import Candidate
from adequa.entities.mentions import Judge, WeightsJudge, draw
from adequa.entities.text import PreparedText

__all__ = ["Detection", "Detector", "Mode"]

Mode = Literal["adequacy", "mentions"]
THRESHOLDS: Mapping[Mode, float] = {"adequacy": 0.25, "mentions": 0.4}
_COMPILED = 2048


class Detection(NamedTuple):
    """What was found in one text."""

    graph: Graph
    text: PreparedText
    mentions: tuple[Mention, ...]

    @property
    def found(self) -> set[str]:
        """The entities with a mention."""
        return {mention.entity for mention in self.mentions}


@dataclass(frozen=True)
class Detector:
    """Finds mentions; compiles the triples once and uses them for every system's text."""

    mode: Mode = "adequacy"
    threshold: float | None = None
    conversions: bool = True
    judge: Judge = field(default_factory=WeightsJudge)

    def detect(
        self,
        item: Item,
        aliases: Mapping[str, Sequence[str]] | None = None,
    ) -> Detection:
        """The mentions of an item's entities in its text, in text order."""
        terms: tuple[tuple[str, Term], ...] = ()
        if item.terms:
            labelled = [(name, term) for name, term in item.terms.items() if term.label]
            terms = tuple(sorted(labelled, key=lambda pair: pair[0]))
        others = (
            tuple((entity, tuple(names)) for entity, names in aliases.items()) if aliases else ()
        )
        graph = _compiled(item.triples, terms, others)
        text = PreparedText(item.text)
        threshold = THRESHOLDS[self.mode] if self.threshold is None else self.threshold
        if self.mode == "adequacy":
            search = Search(threshold, 0.95, repeat_weak=False, conversions=self.conversions)
            spans = find_cores(graph, text, search)
            spans.sort()
        else:
            search = Search(threshold, 0.6, repeat_weak=True, conversions=self.conversions)
            spans = draw(find_cores(graph, text, search), graph, text, self.judge, anaphors=True)
        return Detection(graph, text, tuple([_mention(span, graph) for span in spans]))


def _mention(span: Candidate, graph: Graph) -> Mention:
    return Mention(
        graph.entities[span.entity].string,
        span.start,
        span.end,
        span.method,
        round(span.distance, 6) if span.distance else 0.0,
    )


@lru_cache(maxsize=_COMPILED)
def _compiled(
    triples: tuple[Triple, ...],
    terms: tuple[tuple[str, Term], ...],
    aliases: tuple[tuple[str, tuple[str, ...]], ...],
) -> Graph:
    return compile_graph(triples, dict(terms), dict(aliases))
