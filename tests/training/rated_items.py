"""Texts of two systems on a dozen graphs, rated as people would who see what tiny models see."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from adequa.data import Item, Rating, Triple
from adequa.metrics.sources import Members, Sources, cosine_source, entity_source, verifier_source

PUBS = ("Anvil", "Beacon", "Crane", "Drum", "Elm", "Fiddle", "Gate", "Harp", "Inn", "Jug", "Keg")
PUBS = (*PUBS, "Lantern")
CITIES = ("Aarhus", "Bex", "Cork")
SAW = ("bi", "stated", "supported", "tokens")
"""What these people go by, in equal parts."""


def items() -> list[Item]:
    """One system names both ends; the other rambles, or leaves the city out."""
    found = []
    for number, pub in enumerate(PUBS):
        city = CITIES[number % 3]
        graph = (Triple(pub, "city", city), Triple(pub, "eatType", "pub"))
        hasty = f"Nice {'very ' * (number % 4)}{pub.lower()}!"
        found += [
            Item(pub, graph, f"The {pub} is a pub in {city}.", system="careful"),
            Item(pub, graph, hasty, system="hasty"),
        ]
    return found


def members_of(folder: Path, own: list[Item]) -> list[Members]:
    """What the models of a folder say, without a rating."""
    name = str(folder)
    return Sources(cosine_source(name, 1), verifier_source(name, 1), None, entity_source).gather(
        own
    )


def ratings(folder: Path, own: list[Item]) -> list[Rating]:
    """From 1 to 3, by two raters who differ by a little."""
    members = members_of(folder, own)
    table = np.array([[getattr(row, name) for name in SAW] for row in members])
    means = ((table - table.mean(axis=0)) / table.std(axis=0)).mean(axis=1)
    values = 1.1 + 1.8 * (means - means.min()) / (means.max() - means.min())
    return [
        Rating(item.id, item.system, rater, "semantics", round(float(value + more), 3))
        for item, value in zip(own, values, strict=True)
        for rater, more in (("ida", 0.1), ("otto", -0.1))
    ]


def write_rated(folder: Path, weights: Path) -> tuple[Path, Path]:
    """The items and their ratings as files: `items.jsonl` and `ratings.jsonl`."""
    own = items()
    rows = [
        {"id": one.id, "system": one.system, "triples": one.triples, "text": one.text}
        for one in own
    ]
    said = [
        {
            "id": one.id,
            "system": one.system,
            "rater": one.rater,
            "criterion": one.criterion,
            "value": one.value,
        }
        for one in ratings(weights, own)
    ]
    for name, lines in (("items.jsonl", rows), ("ratings.jsonl", said)):
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / name).write_text(text, encoding="utf-8")
    return folder / "items.jsonl", folder / "ratings.jsonl"
