"""The perturbations there are, and cases drawn from items: the same for a seed, in any order."""

from __future__ import annotations

import hashlib
import heapq
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from adequa.data import Item
from adequa.doctor.additions import add_sentence, add_triple
from adequa.doctor.arguments import invert_triple, swap_entities
from adequa.doctor.model import BOTH_KINDS, Case, Perturbation
from adequa.doctor.names import rename_entity
from adequa.doctor.negation import negate
from adequa.doctor.omissions import drop_sentence, drop_triple
from adequa.doctor.reading import Corpus, Reading, read_items
from adequa.doctor.values import change_date, change_number
from adequa.errors import UnknownName

__all__ = ["PERTURBATIONS", "Made", "draw_items", "make_cases", "named_perturbations"]

PERTURBATIONS: Mapping[str, Perturbation] = {
    one.name: one
    for one in (
        Perturbation(
            "drop-sentence",
            "text",
            "the text loses the only sentence with a fact's object",
            frozenset({"omission"}),
            "lost sentences",
            drop_sentence,
        ),
        Perturbation(
            "drop-triple",
            "data",
            "the data loses a triple that the text says",
            frozenset({"hallucination"}),
            "facts that the data does not have",
            drop_triple,
        ),
        Perturbation(
            "swap-entities",
            "text",
            "two names change places in the text",
            BOTH_KINDS,
            "exchanged names",
            swap_entities,
        ),
        Perturbation(
            "invert-triple",
            "data",
            "subject and object of a triple change places in the data",
            BOTH_KINDS,
            "inverted arguments",
            invert_triple,
        ),
        Perturbation(
            "change-number",
            "text",
            "a number of the data becomes another in the text",
            BOTH_KINDS,
            "wrong numbers",
            change_number,
        ),
        Perturbation(
            "change-date",
            "text",
            "the day, month or year of a date becomes another in the text",
            BOTH_KINDS,
            "wrong dates",
            change_date,
        ),
        Perturbation(
            "rename-entity",
            "text",
            "an entity gets the name of another in the text",
            BOTH_KINDS,
            "wrong names",
            rename_entity,
        ),
        Perturbation(
            "add-sentence",
            "text",
            "the text ends with a sentence of another text",
            frozenset({"hallucination"}),
            "added sentences",
            add_sentence,
        ),
        Perturbation(
            "add-triple",
            "data",
            "the data gets a triple that the text does not say",
            frozenset({"omission"}),
            "facts that the text leaves out",
            add_triple,
        ),
        Perturbation(
            "negate", "text", "a sentence of the text is denied", BOTH_KINDS, "negation", negate
        ),
    )
}


@dataclass(frozen=True, slots=True)
class Made:
    """The cases of one perturbation, one an item, and how many items allowed it."""

    perturbation: Perturbation
    cases: tuple[Case, ...]
    allowed: int
    items: int
    """How many were looked at."""


def named_perturbations(names: Iterable[str] = ()) -> list[Perturbation]:
    """The perturbations of these names, or all, in the table's order."""
    wanted = set(names) or set(PERTURBATIONS)
    for name in sorted(wanted - PERTURBATIONS.keys()):
        raise UnknownName("perturbation", name, PERTURBATIONS)
    return [one for one in PERTURBATIONS.values() if one.name in wanted]


def draw_items(items: Iterable[Item], most: int, seed: int) -> list[Item]:
    """So many of the items, or all where there are fewer, drawn by their keys."""
    return heapq.nsmallest(most, items, key=lambda item: (_lot(seed, item), item.key))


def make_cases(
    items: Sequence[Item],
    perturbations: Sequence[Perturbation],
    *,
    count: int,
    seed: int,
    progress: Callable[[int, int], None] | None = None,
) -> list[Made]:
    """At most so many cases of each perturbation, one an item.

    Where more items allow one, the same items are taken for all, as far as they go: then there are
    fewer originals to score.
    """
    drawn = sorted(items, key=lambda item: (_lot(seed, item), item.key))
    readings: list[Reading] = []
    for done, reading in enumerate(read_items(drawn), 1):
        readings.append(reading)
        if progress is not None:
            progress(done, len(drawn))
    corpus = Corpus(sorted(readings, key=lambda one: one.item.key))
    made = []
    for perturbation in perturbations:
        found = [_one(perturbation, reading, corpus, seed) for reading in readings]
        cases = [case for case in found if case is not None]
        made.append(Made(perturbation, tuple(cases[:count]), len(cases), len(drawn)))
    return made


def _one(perturbation: Perturbation, reading: Reading, corpus: Corpus, seed: int) -> Case | None:
    """One case of an item; each has a generator of its own, so none changes another's."""
    item = reading.item
    if not reading.mentions:
        return None
    generator = random.Random(f"{seed} {perturbation.name} {item.system} {item.id}")  # noqa: S311
    cases = [
        case
        for case in perturbation.make(reading, corpus, generator)
        if case.changed != case.original
    ]
    return generator.choice(cases) if cases else None


def _lot(seed: int, item: Item) -> bytes:
    return hashlib.sha256(f"{seed} {item.system} {item.id}".encode(errors="surrogatepass")).digest()
