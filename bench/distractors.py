"""The built-in sample with unrelated facts added: does `nli` still notice its hallucinations?

The added facts come from other items of the sample and, where these are not enough, from the same
facts with made-up names. None of their names is in the text. A text cannot state them, so omissions
are not counted: only whether the words of the text are still judged by the facts they are about.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

from adequa.api import read
from adequa.data import Item, Triple
from adequa.metrics import load_metric
from adequa.text import key_of, label_of

COUNTS = (0, 10, 30, 100, 300)
POINTS = 0.03
"""How much the shares may change."""
_SYLLABLES = ("bar", "del", "fen", "gro", "hul", "jor", "kem", "lis", "mov", "nar", "pel", "quo")


def measure(data: Path) -> list[dict[str, object]]:
    """The shares of hallucinations noticed, and of other texts suspected, by added facts."""
    del data
    items = list(read(str(files("adequa") / "sample" / "items.jsonl")))
    wrong = [item for item in items if "hallucination" in expected_verdict(item)]
    right = [item for item in items if "hallucination" not in expected_verdict(item)]
    metric = load_metric("nli")
    rows: list[dict[str, object]] = []
    for name, group in (("hallucinations noticed", wrong), ("other texts suspected", right)):
        bare = 0.0
        for count in COUNTS:
            wider = [with_distractors(item, items, count) for item in group]
            scores = metric.score(wider)
            found = sum("hallucination" in (score.verdict or "") for score in scores)
            share = found / len(group)
            bare = share if count == 0 else bare
            rows.append(
                {
                    "figure": f"{name}, {count} unrelated facts added",
                    "value": f"{found} of {len(group)}",
                    "target": f"± {POINTS:.0%} of without" if count else "–",
                    "reached": abs(share - bare) <= POINTS,
                }
            )
    return rows


def expected_verdict(item: Item) -> str:
    """The verdict that a sample item was written for."""
    return str(item.meta["expected"]["verdict"])


def with_distractors(item: Item, others: Sequence[Item], count: int) -> Item:
    """The item with unrelated facts among its own, the same ones for the same item."""
    generator = random.Random(f"{item.id} {count}")
    text = key_of(item.text)
    own = {entity for triple in item.triples for entity in (triple.subject, triple.object)}

    def is_unrelated(triple: Triple) -> bool:
        ends = (triple.subject, triple.object)
        return not any(end in own or key_of(label_of(end).base) in text for end in ends)

    known = list(dict.fromkeys(triple for other in others for triple in other.triples))
    generator.shuffle(known)
    source = filter(is_unrelated, _without_end(known, generator))
    added = list(dict.fromkeys(next(source) for _ in range(2 * count)))[:count]
    triples = list(item.triples)
    for triple in added:
        triples.insert(generator.randint(0, len(triples)), triple)
    return replace(item, triples=tuple(triples))


def _without_end(known: Sequence[Triple], generator: random.Random) -> Iterator[Triple]:
    """The known facts, and then the same facts of things with made-up names and figures."""
    yield from known
    while True:
        triple = generator.choice(known)
        yield triple._replace(
            subject=_made_up(triple.subject, generator), object=_made_up(triple.object, generator)
        )


def _made_up(entity: str, generator: random.Random) -> str:
    if any(map(str.isdigit, entity)):
        return re.sub(r"\d", lambda _: str(generator.randint(1, 9)), entity)
    words = ("".join(generator.choices(_SYLLABLES, k=3)).title() for _ in range(2))
    return "_".join(words)
