"""A campaign with known truth: the spammers and the label of each item.

Three answers an item. Raters are right in 70 to 95 of 100 answers; spammers are of four kinds: one
answers at random, one always the same, one by the shares of the labels, one a, b, c in turn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

__all__ = ["EVEN", "SKEWED", "Campaign", "Rows", "accuracy", "authors_set", "campaign", "majority"]

Rows = list[tuple[str, str, str | None]]
"""Item, rater, answer."""

EVEN = (1 / 3, 1 / 3, 1 / 3)
SKEWED = (0.6, 0.25, 0.15)


class Campaign(NamedTuple):
    """The answers, and the hidden truth."""

    rows: Rows
    truth: dict[str, str]
    spammers: set[str]


def campaign(
    seed: int,
    *,
    items: int = 2000,
    raters: int = 60,
    spammers: int = 20,
    shares: Sequence[float] = EVEN,
) -> Campaign:
    """Every rater has an equal share of the answers; the first raters are the spammers."""
    generator = np.random.default_rng(seed)
    truth = generator.choice(3, items, p=shares)
    right = generator.uniform(0.7, 0.95, raters)
    given_so_far = [0] * raters
    rows: Rows = []
    for item in range(items):
        # The three with the fewest answers, ties by lot: an equal share for all.
        chosen = sorted(range(raters), key=lambda one: (given_so_far[one], generator.random()))[:3]
        for rater in chosen:
            kind = rater % 4
            if rater >= spammers:
                wrong = (truth[item] + generator.integers(1, 3)) % 3
                answer = truth[item] if generator.random() < right[rater] else wrong
            elif kind == 0:
                answer = generator.integers(3)
            elif kind == 1:
                answer = rater % 3
            elif kind == 2:
                answer = generator.choice(3, p=shares)
            else:
                answer = given_so_far[rater] % 3
            given_so_far[rater] += 1
            rows.append((f"item {item}", f"rater {rater}", "abc"[answer]))
    labels = {f"item {item}": "abc"[label] for item, label in enumerate(truth)}
    return Campaign(rows, labels, {f"rater {rater}" for rater in range(spammers)})


def majority(rows: Rows) -> dict[str, str]:
    """The most frequent answer; of ties the first in alphabetical order."""
    votes: dict[str, Counter[str]] = {}
    for item, _, label in rows:
        if label is not None:
            votes.setdefault(item, Counter())[label] += 1
    return {
        item: min(counter, key=lambda label: (-counter[label], label))
        for item, counter in votes.items()
    }


def accuracy(labels: Mapping[str, str | None], truth: Mapping[str, str]) -> float:
    """The share of items with their true label."""
    return sum(labels[item] == label for item, label in truth.items()) / len(truth)


def authors_set(folder: Path, name: str) -> tuple[Rows, dict[str, str]]:
    """A test set of MACE's authors: one line per item, one column per annotator."""
    lines = (folder / f"{name}.csv").read_text(encoding="utf-8").splitlines()
    rows: Rows = [
        (f"{item}", f"{annotator}", answer or None)
        for item, line in enumerate(lines)
        for annotator, answer in enumerate(line.split(","))
    ]
    key = (folder / f"{name}.key").read_text(encoding="utf-8").splitlines()
    if len(key) != len(lines):
        raise ValueError(f"{name} has {len(lines)} items and {len(key)} labels")
    return rows, {f"{item}": label.strip() for item, label in enumerate(key)}
