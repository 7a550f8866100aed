"""The doctor's perturbations, and the cases drawn from items: the same for a seed, in any order."""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Literal

from adequa.data import Finding, FindingKind, Item
from adequa.errors import require_known
from adequa.perturb.claims import bound_number, doubt, restrict, state_opposite
from adequa.perturb.documents import Change, Document, read_documents
from adequa.perturb.graphs import add_triple, drop_triple, invert_triple
from adequa.perturb.knowledge import Knowledge
from adequa.perturb.texts import (
    Operator,
    add_sentence,
    change_date,
    change_number,
    draw,
    drop_sentence,
    negate,
    rename_entity,
    swap_entities,
)
from adequa.progress import Progress, silent

Side = Literal["text", "data"]
_OMISSION: frozenset[FindingKind] = frozenset({"omission"})
_HALLUCINATION: frozenset[FindingKind] = frozenset({"hallucination"})
_BOTH = _OMISSION | _HALLUCINATION
"""A fact stated wrongly is a fact left out, and a statement that the data does not support."""


@dataclass(frozen=True, slots=True)
class PerturbedCase:
    """An item with one thing wrong that was right before, in its text or in its data."""

    original: Item
    changed: Item
    change: Change

    def points_at(self, finding: Finding, *, original: bool = False) -> bool:
        """Whether a finding on the changed item, or on the original one, is about the change."""
        change = self.change
        if finding.triple in change.facts or finding.entity in change.entities:
            return True
        start, end = finding.start, finding.end
        if start is None or end is None:
            return False
        spans = change.before if original else change.after
        return any(start < last and first < end for first, last in spans)


@dataclass(frozen=True, slots=True)
class Perturbation:
    """A kind of change that makes an item wrong."""

    name: str
    side: Side
    doc: str
    kinds: frozenset[FindingKind]
    """The faults that a verdict may report for it."""
    failing: str
    """The faults in words, for a metric that misses them: `inverted arguments`."""
    operator: Operator = field(repr=False)


_TABLE: tuple[tuple[str, Side, frozenset[FindingKind], str, Operator, str], ...] = (
    ("drop-sentence", "text", _OMISSION, "lost sentences", drop_sentence,
     "the text loses the only sentence with a fact's object"),
    ("drop-triple", "data", _HALLUCINATION, "facts that the data does not have", drop_triple,
     "the data loses a triple that the text says"),
    ("swap-entities", "text", _BOTH, "exchanged names", swap_entities,
     "two names change places in the text"),
    ("invert-triple", "data", _BOTH, "inverted arguments", invert_triple,
     "subject and object of a triple change places in the data"),
    ("change-number", "text", _BOTH, "wrong numbers", change_number,
     "a number of the data becomes another in the text"),
    ("change-date", "text", _BOTH, "wrong dates", change_date,
     "the day, month or year of a date becomes another in the text"),
    ("rename-entity", "text", _BOTH, "wrong names", rename_entity,
     "an entity gets the name of another in the text"),
    ("add-sentence", "text", _HALLUCINATION, "added sentences", add_sentence,
     "the text ends with a sentence of another text"),
    ("add-triple", "data", _OMISSION, "facts that the text leaves out", add_triple,
     "the data gets a triple that the text does not say"),
    ("negate", "text", _BOTH, "negation", negate,
     "a sentence of the text is denied"),
    ("doubt", "text", _BOTH, "plans and rumours", doubt,
     "a fact becomes a plan, a rumour or a possibility in the text"),
    ("state-opposite", "text", _BOTH, "opposites", state_opposite,
     "a word of the text becomes one that turns the relation, such as before and after"),
    ("bound-number", "text", _BOTH, "bounds in place of numbers", bound_number,
     "a number of the text becomes a bound, such as more than it"),
    ("restrict", "text", _BOTH, "restrictions", restrict,
     "a fact is restricted or widened in the text, such as by only, in part, or and others"),
)  # fmt: skip
PERTURBATIONS: Mapping[str, Perturbation] = {
    name: Perturbation(name, side, doc, kinds, failing, operator)
    for name, side, kinds, failing, operator, doc in _TABLE
}


@dataclass(frozen=True, slots=True)
class PerturbedSet:
    """The cases of one perturbation, one per item, and how many items allowed it."""

    perturbation: Perturbation
    cases: tuple[PerturbedCase, ...]
    allowed: int
    items: int
    """The number of items tried."""


def named_perturbations(names: Iterable[str] = ()) -> list[Perturbation]:
    """The perturbations of these names, or all, in the table's order."""
    wanted = set(names) or set(PERTURBATIONS)
    require_known("perturbation", sorted(wanted), PERTURBATIONS)
    return [one for one in PERTURBATIONS.values() if one.name in wanted]


def draw_items(items: Iterable[Item], most: int, seed: int) -> list[Item]:
    """At most `most` of the items, drawn by their keys."""
    return heapq.nsmallest(most, items, key=lambda item: (_lot(seed, item), item.key))


def make_cases(
    items: Sequence[Item],
    perturbations: Sequence[Perturbation],
    *,
    count: int,
    seed: int,
    progress: Progress = silent,
) -> list[PerturbedSet]:
    """At most `count` cases of each perturbation, one per item.

    Where more items allow one, the same items are taken for all perturbations as far as possible,
    so that there are fewer originals to score.
    """
    drawn = sorted(items, key=lambda item: (_lot(seed, item), item.key))
    documents = list(read_documents(drawn, progress=lambda done: progress(done, len(drawn))))
    knowledge = Knowledge.of(sorted(documents, key=lambda one: one.item.key))
    made = []
    for perturbation in perturbations:
        found = [_draw_case(perturbation, document, knowledge, seed) for document in documents]
        cases = [case for case in found if case is not None]
        made.append(PerturbedSet(perturbation, tuple(cases[:count]), len(cases), len(drawn)))
    return made


def _draw_case(
    perturbation: Perturbation, document: Document, knowledge: Knowledge, seed: int
) -> PerturbedCase | None:
    """One case of an item; each item has a generator of its own, so none affects another's."""
    item = document.item
    if not document.mentions:
        return None
    chance = Random(f"{seed} {perturbation.name} {item.system} {item.id}")  # noqa: S311
    change = draw(perturbation.operator, document, knowledge, chance)
    return None if change is None else PerturbedCase(item, change.apply(item), change)


def _lot(seed: int, item: Item) -> bytes:
    return hashlib.sha256(f"{seed} {item.system} {item.id}".encode(errors="surrogatepass")).digest()
