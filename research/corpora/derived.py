"""Sets derived from a corpus: Wikidata names, inverted triples, labelled facts, and statistics.

The first two sets and the statistics (Table 1) are those of paper 003. A set is an iterator of
items, and a `CorpusTally` counts what was left out.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

from adequa.data import Item, Triple
from adequa.perturb import Knowledge
from adequa.perturb.paraphrases import Property, read_properties, shipped_properties
from adequa.readers import SeenKeys
from adequa.text import folded, is_symmetric


@dataclass
class CorpusTally:
    """The number of items kept, and the reasons for the others; filled while items are read."""

    kept: int = 0
    left_out: Counter[str] = field(default_factory=Counter)

    @property
    def seen(self) -> int:
        """The number of all items, kept or not."""
        return self.kept + self.left_out.total()


@cache
def wikidata_properties() -> Mapping[str, Property]:
    """The mapping of WebNLG-WD: what adequa ships, and properties that mean nearly the same.

    The latter (`leaderName` is the *head of government*) serve to search for texts. They are not
    shipped, since a model that learns from other words for a fact needs those that mean the same.
    """
    nearly = read_properties(Path(__file__).with_name("resources") / "wikidata.tsv")
    return {**nearly, **shipped_properties()}


def to_wikidata(
    items: Iterable[Item],
    properties: Mapping[str, Property] | None = None,
    tally: CorpusTally | None = None,
) -> Iterator[Item]:
    """WebNLG-WD: the items all of whose predicates have a Wikidata name, renamed.

    `meta.dbpedia` has the original triples; `tally` counts the other items by the first predicate
    that is not mapped.
    """
    properties = wikidata_properties() if properties is None else properties
    tally = CorpusTally() if tally is None else tally
    for item in items:
        known = [properties.get(folded(triple.predicate)) for triple in item.triples]
        if None in known:
            tally.left_out[item.triples[known.index(None)].predicate] += 1
            continue
        tally.kept += 1
        triples = tuple(
            Triple(triple.object, one.label, triple.subject)
            if one.inverse
            else Triple(triple.subject, one.label, triple.object)
            for triple, one in zip(item.triples, known, strict=True)
            if one is not None
        )
        original = [list(triple) for triple in item.triples]
        yield replace(item, triples=triples, meta={**item.meta, "dbpedia": original})


class Inversion(NamedTuple):
    """A text with its triple, and with subject and object of that triple swapped."""

    right: Item
    wrong: Item


def inverted(items: Iterable[Item], tally: CorpusTally | None = None) -> Iterator[Inversion]:
    """WebNLG-INV: items of one triple whose meaning changes when it is inverted (section 6.2).

    The id of the wrong item is that of the right one with `/inverted`, and its `meta.inverted` is
    true.
    """
    tally = CorpusTally() if tally is None else tally
    for item in items:
        reason = _not_invertible(item.triples)
        if reason:
            tally.left_out[reason] += 1
            continue
        tally.kept += 1
        subject, predicate, value = item.triples[0]
        yield Inversion(
            replace(item, meta={**item.meta, "inverted": False}),
            replace(
                item,
                id=f"{item.id}/inverted",
                triples=(Triple(value, predicate, subject),),
                meta={**item.meta, "inverted": True},
            ),
        )


def _not_invertible(triples: tuple[Triple, ...]) -> str | None:
    if len(triples) != 1:
        return "not one triple"
    if is_symmetric(triples[0].predicate):
        return "symmetric predicate"
    return "subject is object" if triples[0].subject == triples[0].object else None


@dataclass(frozen=True, slots=True)
class Statistics:
    """The columns of the paper's Table 1."""

    pairs: int
    texts: int
    graphs: int
    properties: int
    entities: int


def statistics(items: Iterable[Item]) -> Statistics:
    """Count pairs, and distinct texts, graphs, properties and entities, in bounded memory.

    The order of triples does not matter. Entities are subjects and objects, including values, which
    gives the paper's figure for WebNLG. Each distinct element takes 16 bytes.
    """
    pairs = 0
    texts, graphs, properties, entities = (SeenKeys() for _ in range(4))
    for item in items:
        pairs += 1
        texts.add(item.text)
        graphs.add(frozenset(item.triples))
        for subject, predicate, value in item.triples:
            properties.add(predicate)
            entities.add(subject)
            entities.add(value)
    return Statistics(pairs, len(texts), len(graphs), len(properties), len(entities))


def make_labels(
    items: Iterable[Item], tally: CorpusTally | None = None, *, seed: int = 0
) -> Iterator[Item]:
    """Labelled items without a labeller: each item unchanged, and with one wrong or added fact.

    A wrong fact has another value of its predicate; an added fact has a predicate that the item
    does not have. `meta.label` has 1 for each original fact and 0 for the others. The labels are
    slightly noisy, since the writer of a text may have left a fact out.
    """
    known = [item for item in items if item.triples and item.text.strip()]
    knowledge = Knowledge([item.triples for item in known])
    tally = CorpusTally() if tally is None else tally
    for number, item in enumerate(known):
        chance = random.Random(f"{seed}:{number}")  # noqa: S311
        tally.kept += 1
        yield _labelled(item, item.triples, [1] * len(item.triples), "right")
        place = chance.randrange(len(item.triples))
        if (wrong := _wrong(item.triples[place], knowledge, chance)) is not None:
            triples = [*item.triples[:place], wrong, *item.triples[place + 1 :]]
            labels = [int(number != place) for number in range(len(triples))]
            yield _labelled(item, triples, labels, "wrong")
        if (strange := _strange(item.triples, knowledge, chance)) is not None:
            yield _labelled(
                item, [*item.triples, strange], [1] * len(item.triples) + [0], "strange"
            )


def _labelled(item: Item, triples: Sequence[Triple], labels: list[int], kind: str) -> Item:
    return replace(
        item,
        id=f"{item.id}/{kind}",
        triples=tuple(triples),
        references=(),
        meta={**item.meta, "label": labels},
    )


def _wrong(triple: Triple, knowledge: Knowledge, chance: random.Random) -> Triple | None:
    value = knowledge.another(triple.predicate, subject=False, instead=triple.object, chance=chance)
    return None if value is None else triple._replace(object=value)


def _strange(
    triples: Sequence[Triple], knowledge: Knowledge, chance: random.Random
) -> Triple | None:
    taken = {triple.predicate for triple in triples}
    pool = sorted({name for name, subject in knowledge.fillers if not subject} - taken)
    beside = [
        name
        for name in pool
        if any(name in knowledge.predicates.get(triple.predicate, ()) for triple in triples)
    ]
    if not beside:
        return None
    name = chance.choice(beside)
    return Triple(triples[0].subject, name, chance.choice(knowledge.fillers[name, False]))
