"""Made-up items for measuring, the same for a seed, as many as wanted."""

from __future__ import annotations

import json
import random
from pathlib import Path

__all__ = ["write_items"]

_WORDS = (
    *("the", "airport", "of", "serves", "city", "runway", "length", "located", "in", "country"),
    *("with", "population", "leader", "operates", "founded", "near", "river", "museum", "opened"),
    *("by", "architect", "born", "station", "club", "ground"),
)


def write_items(path: Path, count: int, seed: int = 1) -> None:
    """Items of one to seven triples with a text and two references, about one kilobyte per line."""
    generator = random.Random(seed)
    with path.open("w", encoding="utf-8") as stream:
        for number in range(count):
            triples = [
                [
                    f"Entity_{number}",
                    generator.choice(_WORDS),
                    f"Value_{generator.randrange(10**6)}",
                ]
                for _ in range(1 + number % 7)
            ]
            raw = {
                "id": f"Id{number}",
                "system": "made-up",
                "category": generator.choice(("Airport", "City", "Person")),
                "triples": triples,
                "text": " ".join(generator.choices(_WORDS, k=6 * len(triples))) + ".",
                "references": [
                    " ".join(generator.choices(_WORDS, k=6 * len(triples))) + "." for _ in range(2)
                ],
            }
            stream.write(json.dumps(raw) + "\n")
