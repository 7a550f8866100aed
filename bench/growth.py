"""How the time of `esa`, `nli` and `similarity` grows with the facts and with the text of an item.

One item is doubled again and again: its facts beside a text of about a thousand characters, or its
text beside twenty facts. All facts are connected with a thing that the text names, so that none can
be left out. The part `records` does so for `esa` with the rows of a list. The exponent is the slope
of a line through the logarithms: 1 linear, 2 quadratic. The seconds are the processor's, on one
thread: what else runs on the machine does not count.

A megabyte keeps `nli` and `similarity` busy for many minutes, nearly all of them in the models,
whose time goes by the word pieces they read. The part `pieces` counts these at full size without
running the models, and measures the seconds of everything else.

With `--log` each time is kept in a file, and what it has is not measured again.
"""

from __future__ import annotations

import json
import math
import random
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import patch

from adequa.data import Item, Triple
from adequa.metrics import load_metric
from adequa.readers.records import read_record

EXPONENT, STEP = 1.2, 2.3
"""The most that is accepted: of the exponent, and of a single doubling."""
PARTS = ("esa", "records", "nli", "similarity", "pieces")
OPTIONS = ("quick", "parts", "log")
FACTS, MOST_FACTS = 20, 10_000
CHARACTERS, MOST_CHARACTERS = 1_000, 1_000_000
DOUBLINGS = 3
_TIMES, _SHORT = 5, 20.0
"""A time is taken so often, unless these seconds are over."""
_METRICS = {"records": ("esa",), "pieces": ("nli", "similarity")}
"""The metrics of parts that are not one."""
Counting = AbstractContextManager[list[int]]
Key = tuple[str, str, str, int]
"""A part, a metric, what grows, and its size."""
_QUICK = {"esa": (2, 2), "nli": (8, 32), "similarity": (8, 32)}
"""By what the largest items have fewer facts and characters with --quick."""
_SYLLABLES = ("bar", "del", "fen", "gro", "hul", "jor", "kem", "lis", "mov", "nar", "pel", "quo")
_PREDICATES = ("owner", "builtBy", "locatedIn", "height (m)", "openingDate", "partOf", "client")
_SENTENCES = (
    "{0} is owned by {1}.",
    "The height of {0} is {2} m, and it belongs to {1}.",
    "It was opened on {3} May {4} by {1}.",
    "{0} lies near the river, which many people like in summer.",
)
_RECORD_SENTENCES = (
    "{0} scored {1} goals in {1} minutes.",
    "The price of {0} was {2} euros, {1}% more than before.",
    "{0} was not injured, and played on 3 May 2021.",
    "After {1} minutes {0} came on for {2} euros",  # without a full stop
)


def measure(
    data: Path, *, quick: bool = False, parts: Sequence[str] = PARTS, log: Path | None = None
) -> list[dict[str, object]]:
    """The exponent and the largest step of each metric, in facts and in text."""
    del data
    known = _read_log(log)
    rows: list[dict[str, object]] = []
    for name in (one for one in PARTS if one in parts):
        for metric in _METRICS.get(name, (name,)):
            fewer, shorter = _QUICK[metric] if quick else (1, 1)
            most = {"facts": MOST_FACTS // fewer, "characters": MOST_CHARACTERS // shorter}
            for what, largest in most.items():
                sizes = [largest >> step for step in range(DOUBLINGS, -1, -1)]
                given = {"facts": FACTS, "characters": CHARACTERS}
                seconds, counts = [], []
                for size in sizes:
                    key = (name, metric, what, size)
                    if key not in known:
                        made = made_record if name == "records" else made_item
                        item = made(**{**given, what: size})
                        run: Counting = nullcontext([])
                        counting = pieces_read() if name == "pieces" else run
                        with counting as read:
                            known[key] = (_seconds(metric, item, read.clear), sum(read))
                        _append(log, key, known[key])
                    seconds.append(known[key][0])
                    counts.append(known[key][1])
                if name != "pieces":
                    about = f"{metric} on records" if name == "records" else metric
                    rows += _rows(f"{about} with {what}", sizes, seconds, "s")
                    continue
                rows += _rows(f"what the models of {metric} read, with {what}", sizes, counts, "")
                rows += _rows(f"{metric} without its models, with {what}", sizes, seconds, "s")
    return rows


def _read_log(log: Path | None) -> dict[Key, tuple[float, int]]:
    if log is None or not log.is_file():
        return {}
    lines = map(json.loads, log.read_text(encoding="utf-8").splitlines())
    return {tuple(key): (seconds, pieces) for key, seconds, pieces in lines}


def _append(log: Path | None, key: Key, found: tuple[float, int]) -> None:
    if log is not None:
        with log.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps([key, *found]) + "\n")


def _rows(
    figure: str, sizes: Sequence[int], found: Sequence[float], unit: str
) -> list[dict[str, object]]:
    """The exponent, and the largest step of a doubling."""
    steps = [after / before for before, after in pairwise(found)]
    shown = ", ".join(f"{one:,.3g}" for one in found)
    times = " ".join(f"×{one:.2f}" for one in steps)
    sys.stderr.write(f"  {figure}, {sizes[0]:,} to {sizes[-1]:,}: {shown} {unit} ({times})\n")
    limits = {"exponent": (exponent(sizes, found), EXPONENT), "a doubling": (max(steps), STEP)}
    return [
        {
            "figure": f"growth of {figure}, up to {sizes[-1]:,} ({kind})",
            "value": value,
            "target": f"≤ {limit}",
            "reached": value <= limit,
        }
        for kind, (value, limit) in limits.items()
    ]


@contextmanager
def pieces_read() -> Iterator[list[int]]:
    """Models that are not run, in the block: the word pieces of each batch that they would read."""
    import numpy as np

    from adequa.models.runtime import Network

    read: list[int] = []

    def count(self: Network, feed: Mapping[str, Any]) -> list[Any]:
        rows, length = feed["mask"].shape
        read.append(rows * length)
        axes = {2: (rows,), 3: (rows, length)}  # one vector per sequence, or per word piece
        shapes = {one.name: one.shape for one in self._session().get_outputs()}
        outputs = [shapes[name] for name in self.outputs]
        return [np.zeros((*axes[len(one)], one[-1]), np.float32) for one in outputs]

    with patch.object(Network, "_run", count):
        yield read


def exponent(sizes: Sequence[int], seconds: Sequence[float]) -> float:
    """The slope of the least-squares line through the logarithms.

    >>> round(exponent([1, 2, 4], [3.0, 12.0, 48.0]), 6)
    2.0
    """
    x, y = [math.log(one) for one in sizes], [math.log(one) for one in seconds]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    above = sum((one - mean_x) * (other - mean_y) for one, other in zip(x, y, strict=True))
    return above / sum((one - mean_x) ** 2 for one in x)


def made_item(facts: int, characters: int, seed: int = 1) -> Item:
    """An item of a size, the same for a seed; its text says some of its facts, and other things."""
    generator = random.Random(seed)
    root = _name(generator)
    things = [root]
    triples: list[Triple] = []
    while len(triples) < facts:
        thing = _name(generator)
        triples.append(Triple(root, "partOf", thing))
        things.append(thing)
        triples += [
            Triple(thing, predicate, _value(predicate, things, generator))
            for predicate in generator.sample(_PREDICATES, k=5)
        ]
    said = [
        root,
        *(one.subject for one in triples[:FACTS]),
        *(one.object for one in triples[:FACTS]),
    ]
    text = ""
    parts: list[str] = []
    length = 0
    while length < characters:
        one, other = (
            generator.choice(said) if generator.random() < 0.7 else _name(generator) for _ in "ab"
        )
        numbers = generator.randint(2, 900), generator.randint(1, 28), generator.randint(1800, 2020)
        text = generator.choice(_SENTENCES).format(one, other, *numbers).replace("_", " ")
        parts.append(text)
        length += len(text) + 1
    return Item("1", tuple(triples[:facts]), " ".join(parts)[:characters])


def made_record(facts: int, characters: int, seed: int = 1) -> Item:
    """An item about a list of rows; its text says something of the first ones, much of it wrong."""
    generator = random.Random(seed)
    rows = [
        {
            "name": _name(generator).replace("_", " "),
            "goals": generator.randint(0, 5),
            "minutes": generator.randint(1, 90),
            "price_eur": generator.randint(1_000, 99_999),
            "injured": generator.random() < 0.5,
        }
        for _ in range(facts // 5)
    ]
    parts: list[str] = []
    length = 0
    while length < characters:
        name = generator.choice(rows[:FACTS])["name"]
        few, many = generator.randint(1, 90), generator.randint(1_000, 99_999)
        sentence = generator.choice(_RECORD_SENTENCES).format(name, few, many)
        parts.append(sentence)
        length += len(sentence) + 1
    return read_record({"players": rows}, " ".join(parts)[:characters], id="1").item


def _name(generator: random.Random) -> str:
    words = ("".join(generator.choices(_SYLLABLES, k=3)).title() for _ in range(2))
    return "_".join(words)


def _value(predicate: str, things: Sequence[str], generator: random.Random) -> str:
    if predicate.startswith("height"):
        return str(generator.randint(2, 9000))
    if predicate.endswith("Date"):
        return f"{generator.randint(1800, 2020)}-05-{generator.randint(10, 28)}"
    return generator.choice(things) if generator.random() < 0.3 else _name(generator)


def _seconds(name: str, item: Item, begin: Callable[[], None] = lambda: None) -> float:
    """The shortest of up to five times, where it is short: a busy machine has cold caches.

    `begin` is called before each.
    """
    metric = load_metric(name)
    metric.score([made_item(2, 100, seed=2)])  # loading is not scoring
    times: list[float] = []
    while len(times) < _TIMES and sum(times) < _SHORT:
        forget()
        begin()
        started = time.process_time()
        metric.score([item])
        times.append(time.process_time() - started)
    return min(times)


def forget() -> None:
    """Empty the caches, which another metric or a smaller item has filled."""
    import gc

    from adequa.caches import Cache

    for one in gc.get_objects():
        if issubclass(type(one), Cache):  # isinstance would ask lazy modules for their class
            one.clear()
