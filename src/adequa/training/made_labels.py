"""Labelled items without a labeller: texts that say their graph, and facts that they do not say."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from adequa.data import Item, Triple
from adequa.training.derived import Tally
from adequa.training.material import Knowledge

__all__ = ["make_labels"]


def make_labels(
    items: Iterable[Item], tally: Tally | None = None, *, seed: int = 0
) -> Iterator[Item]:
    """Each item twice: with facts left as they are, and with one wrong or strange fact among them.

    A wrong one has another value of its predicate; a strange one has a predicate that the item does
    not have. `meta.label` has 1 for each fact of the text and 0 for the others. A person who wrote
    a text may have left a fact out: such labels are a little noisy.
    """
    known = [item for item in items if item.triples and item.text.strip()]
    knowledge = Knowledge([item.triples for item in known])
    tally = Tally() if tally is None else tally
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
