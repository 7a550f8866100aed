"""A text and its graph while they are being spoilt, with what is known to be wrong so far."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from adequa.data import Triple
from adequa.perturb.pairs import GraphTextPair

TRUE, FALSE, UNKNOWN = 1, 0, -1
_SENTENCE_END = re.compile(r"(?<=[a-z0-9)\"”'’][.!?])\s+(?=[A-Z\"“(])")


@dataclass
class DraftSpan:
    """A stretch of the text; `entity` is who it names, if anyone."""

    start: int
    end: int
    entity: str | None = None


@dataclass
class Draft:
    """Labels: for each triple whether the text states it, for stretches of text what is wrong."""

    text: str
    triples: list[Triple]
    stated: list[int]
    spans: list[DraftSpan]
    unsupported: list[DraftSpan] = field(default_factory=list)
    unclear: list[DraftSpan] = field(default_factory=list)
    """Where it is not known whether the graph supports the words."""
    disfluent: list[DraftSpan] = field(default_factory=list)
    supported: int = TRUE
    said: tuple[frozenset[Triple], ...] = ()
    """Which triples each sentence says, as long as the text has its sentences."""
    gone: set[Triple] = field(default_factory=set)
    """Triples that the text says and the graph has lost."""

    def places(self) -> Iterator[DraftSpan]:
        """All that moves when the text changes."""
        yield from self.spans
        yield from self.unsupported
        yield from self.unclear
        yield from self.disfluent

    def write(self, start: int, end: int, new: str) -> DraftSpan:
        """Put `new` in place of a stretch; what stood inside it is gone, the rest moves along."""
        shift = len(new) - (end - start)
        self.text = self.text[:start] + new + self.text[end:]
        for kept in (self.spans, self.unsupported, self.unclear, self.disfluent):
            kept[:] = [place for place in kept if not start <= place.start < place.end <= end]
        for place in self.places():
            if place.start >= end:
                place.start, place.end = place.start + shift, place.end + shift
            elif place.end > start:  # it overlaps what was there
                place.end = place.end + shift if place.end >= end else start
                place.start = start + len(new) if place.start > start else place.start
        return DraftSpan(start, start + len(new))

    def entities(self) -> set[str]:
        """The subjects and objects of the graph as it is now."""
        return {end for triple in self.triples for end in (triple.subject, triple.object)}

    def of(self, entity: str) -> list[DraftSpan]:
        """Where an entity is named."""
        return [place for place in self.spans if place.entity == entity]

    def sentences(self) -> list[DraftSpan]:
        """The sentences, roughly: they end where a full stop is followed by a capital."""
        return sentences_of(self.text)


def start_draft(pair: GraphTextPair) -> Draft:
    """A pair as people wrote it: everything stated, everything supported."""
    return Draft(
        pair.text,
        list(pair.triples),
        [TRUE] * len(pair.triples),
        [DraftSpan(start, end, entity) for entity, start, end in pair.spans],
        said=pair.said,
    )


def sentences_of(text: str) -> list[DraftSpan]:
    """The stretches between sentence ends.

    >>> [(one.start, one.end) for one in sentences_of("It is here. Ann is there.")]
    [(0, 11), (12, 25)]
    """
    places, start = [], 0
    for gap in _SENTENCE_END.finditer(text):
        places.append(DraftSpan(start, gap.start()))
        start = gap.end()
    places.append(DraftSpan(start, len(text)))
    return places
