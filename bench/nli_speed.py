"""`nli` against RoBERTa-large in torch doing the paper's checks of the same items, on one thread.

The paper asks once a fact whether the text entails it, and once whether all facts entail the text.
RoBERTa-large is made here with random weights, which costs as much as trained ones; the facts are
said by the backoff, and words counted by our own vocabulary. Its pairs come sorted by length and
four at a time, so that it reads little padding. All of `nli` counts: words, verifier, entities, and
the second pass that looks for contradictions; each item has a graph of its own. The same is done
with texts about records, which have hundreds of facts. The seconds are the
processor's, as both use one thread: what else runs on the machine counts for neither.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from adequa.data import Item
from adequa.metrics import load_metric
from adequa.models import WordPiece, weights
from adequa.readers import open_source
from bench.roberta_large import large_model, read_lengths

NEEDS_DATA = True
ITEMS = 18
GROUPS = 3
BATCH = 4
TIMES = 25.0
RECORDS = 6
RECORD_TIMES = 30.0
EVERY = 20
"""A record has hundreds of facts: one pair in so many is read, spread over all lengths."""
LONGEST = 512
_SPECIAL = 4
"""<s> premise </s> </s> hypothesis </s>"""
_MISSING = "nli / RoBERTa-large: n/a, install torch and transformers (adequa[hf]) to measure it"


def measure(data: Path) -> list[dict[str, object]]:
    """Items per second, ours over theirs."""
    try:
        torch = importlib.import_module("torch")
        transformers = importlib.import_module("transformers")
    except ImportError:
        return [{"figure": _MISSING, "value": "–", "target": "–", "reached": True}]
    large = large_model(torch, transformers)
    return [
        _compare(torch, large, _items(data), name="items", times=TIMES),
        _compare(
            torch,
            large,
            _records(data),
            name="records of d2t-eval",
            times=RECORD_TIMES,
            every=EVERY,
        ),
    ]


def _compare(
    torch: Any, large: Any, sample: Sequence[Item], *, name: str, times: float, every: int = 1
) -> dict[str, object]:
    """Items per second, ours over theirs; of their pairs one in `every` is read, and counted so."""
    warm, *items = sample
    reader = WordPiece.read(weights().path("vocabulary.txt"))
    metric = load_metric("nli", threads=1)
    metric.score([warm])  # loading is not scoring
    mine = theirs = 0.0
    pairs = 0
    for group in (items[start::GROUPS] for start in range(GROUPS)):
        # In turns, so that a noisy neighbour meets both.
        started = time.process_time()
        metric.score(group)
        mine += time.process_time() - started
        lengths = sorted(length for item in group for length in _pairs(item, reader))
        pairs += len(lengths)
        chosen = lengths[every // 2 :: every]
        started = time.process_time()
        for start in range(0, len(chosen), BATCH):
            read_lengths(torch, large, chosen[start : start + BATCH])
        theirs += (time.process_time() - started) * len(lengths) / len(chosen)
    value = theirs / mine
    return {
        "figure": f"nli / RoBERTa-large, {name} per second ({len(items) / mine:.1f} / "
        f"{len(items) / theirs:.3f}; {len(items)} items, {pairs} pairs)",
        "value": value,
        "target": f"≥ {times:g}",
        "reached": value >= times,
    }


def _records(data: Path) -> list[Item]:
    """Texts about records of three domains, and one more to warm up."""
    source = open_source(data / "d2t-eval", format=f"d2t-eval:sample={RECORDS + 1}")
    return list({item.id: item for item in source}.values())[: RECORDS + 1]


def _outputs(data: Path) -> list[Item]:
    """The outputs of 2017, entry by entry, each from the next system in turn."""
    folder = data / "webnlg2017"
    (entries,) = sorted((folder / "test").glob("*.xml"))
    files = {path.stem: path for path in sorted((folder / "systems").glob("*.txt"))}
    items = list(open_source(entries, format="webnlg", texts=files))
    systems = sorted(files)
    numbers = {entry: number for number, entry in enumerate(dict.fromkeys(one.id for one in items))}
    return [
        item
        for item in items
        if item.system == systems[numbers[item.id] % len(systems)] and item.text.strip()
    ]


def _items(data: Path) -> list[Item]:
    """Items spread over the test set with distinct graphs, and one more to warm up."""
    outputs = list({frozenset(item.triples): item for item in _outputs(data)}.values())
    return outputs[:: len(outputs) // (ITEMS + 1)][: ITEMS + 1]


def _pairs(item: Item, reader: WordPiece) -> list[int]:
    """The lengths of the paper's pairs: the text with each fact, and all facts with the text."""
    text = len(reader.numbers(item.text))
    facts = [
        len(reader.numbers(f"The {predicate} of {subject} is {value}."))
        for subject, predicate, value in item.triples
    ]
    pairs = [text + fact for fact in facts] + [sum(facts) + text]
    return [min(pair + _SPECIAL, LONGEST) for pair in pairs]
