"""`similarity` against RoBERTa-large in torch on the same pairs, each scored once, on one thread.

RoBERTa-large is made here with random weights, which costs as much as trained ones, and reads as
many words as our verifier does of each pair. Both get batches of 32, sorted by length. All of
`similarity` counts: words, encoder, verifier and entities; each pair has a graph of its own, so
that no vector of a graph is used twice.
"""

from __future__ import annotations

import importlib
import time
from pathlib import Path

from adequa.data import Item
from adequa.metrics import load_metric
from adequa.models import WordPiece, weights
from adequa.readers import open_source
from bench.roberta_large import large_model, read_lengths

NEEDS_DATA = True
PAIRS = 96
BATCH = 32
TIMES = 30.0
MEGABYTES = 60.0


def measure(data: Path) -> list[dict[str, object]]:
    """Items per second, ours over theirs, and the size of the shipped weights."""
    megabytes = sum(one["size"] for one in weights().manifest["files"].values()) / 1e6
    size = {
        "figure": "shipped weights, MB",
        "value": megabytes,
        "target": f"<= {MEGABYTES:g}",
        "reached": megabytes <= MEGABYTES,
    }
    try:
        torch = importlib.import_module("torch")
        transformers = importlib.import_module("transformers")
    except ImportError:
        figure = "similarity / RoBERTa-large: n/a, torch and transformers are not installed"
        return [size, {"figure": figure, "value": "–", "target": "–", "reached": True}]
    items = _items(data)
    lengths = _lengths(items)
    large = large_model(torch, transformers)
    metric = load_metric("similarity", threads=1)
    metric.score(items[:1])  # loading is not scoring
    mine = theirs = 0.0
    for start in range(0, len(items), BATCH):  # in turns: a noisy neighbour meets both
        batch = items[start : start + BATCH]
        started = time.perf_counter()
        metric.score(batch)
        mine += time.perf_counter() - started
        started = time.perf_counter()
        read_lengths(torch, large, lengths[start : start + BATCH])
        theirs += time.perf_counter() - started
    value = theirs / mine
    return [
        size,
        {
            "figure": f"similarity / RoBERTa-large, items per second ({len(items) / mine:.1f} / "
            f"{len(items) / theirs:.2f})",
            "value": value,
            "target": f">= {TIMES:g}",
            "reached": value >= TIMES,
        },
    ]


def _items(data: Path) -> list[Item]:
    """Outputs of one system, spread over the test set, the longest first."""
    folder = data / "webnlg2020"
    (entries,) = sorted((folder / "test").glob("*.xml"))
    texts = sorted((folder / "systems").glob("*.txt"))[:1]
    items = list(open_source(entries, format="webnlg", texts={one.stem: one for one in texts}))
    chosen = [item for item in items[:: len(items) // PAIRS] if item.text.strip()][:PAIRS]
    lengths = dict(zip(map(id, chosen), _lengths(chosen), strict=True))
    return sorted(chosen, key=lambda item: -lengths[id(item)])


def _lengths(items: list[Item]) -> list[int]:
    reader = WordPiece.read(weights().path("vocabulary.txt"))
    return [len(reader.encode_pair(item.text, item.triples, item.terms).ids) for item in items]
