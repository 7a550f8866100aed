"""Reading N-Triples, every term named and checked, against a bare parse by pyoxigraph."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

import pyoxigraph

from adequa.readers.rdf.reader import RdfReader
from bench.clock import ratio

TARGET = 3.0
_SUBJECTS = 20_000
_SEED = 7
_WORDS = (
    *("a", "small", "old", "harbour", "town", "north", "of", "the", "river", "with", "two"),
    *("mills", "and", "one", "long", "stone", "bridge"),
)
_XSD = "http://www.w3.org/2001/XMLSchema#"


def measure(data: Path | None = None) -> list[dict[str, object]]:
    """On a generated file of 200,000 triples, read as one graph."""
    del data
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "made-up.nt"
        write_triples(path, _SUBJECTS, _SEED)
        ours, bare = ratio(lambda: _read(path), lambda: _bare(path), repeats=15)
    return [
        {
            "figure": "N-Triples reading / pyoxigraph.parse, 200,000 made-up triples",
            "value": ours / bare,
            "target": f"≤ {TARGET}",
            "reached": ours / bare <= TARGET,
        }
    ]


def write_triples(path: Path, subjects: int, seed: int) -> None:
    """Ten triples per subject: label, type, links, numbers, dates and words, as in real files."""
    dice = random.Random(seed)
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for number in range(subjects):
            for predicate, value in _facts(dice, number, subjects):
                file.write(f"<http://example.org/resource/Place_{number}> {predicate} {value} .\n")


def _facts(dice: random.Random, number: int, subjects: int) -> list[tuple[str, str]]:
    def link() -> str:
        # A few places have many links, and most have hardly any.
        return f"<http://example.org/resource/Place_{int(subjects * dice.random() ** 3)}>"

    def typed(value: object, datatype: str) -> str:
        return f'"{value}"^^<{_XSD}{datatype}>'

    date = f"{dice.randint(1900, 2020)}-{dice.randint(1, 12):02}-{dice.randint(1, 28):02}"
    words = " ".join(dice.choices(_WORDS, k=8))
    facts = {
        "http://www.w3.org/2000/01/rdf-schema#label": f'"Place number {number}"@en',
        "http://www.w3.org/1999/02/22-rdf-syntax-ns#type": (
            f"<http://example.org/ontology/Class_{dice.randint(1, 40)}>"
        ),
        "http://example.org/ontology/partOf": link(),
        "http://example.org/ontology/neighbour": link(),
        "http://example.org/ontology/leader": link(),
        "http://example.org/ontology/population": typed(dice.randint(100, 50_000), "integer"),
        "http://example.org/ontology/elevation": typed(dice.randint(0, 900), "integer"),
        "http://example.org/ontology/founded": typed(date, "date"),
        "http://example.org/ontology/postalCode": f'"{dice.randint(1000, 9999)}"',
        "http://example.org/ontology/comment": f'"{words} {number}"@en',
    }
    return [(f"<{predicate}>", value) for predicate, value in facts.items()]


def _read(path: Path) -> None:
    for _ in RdfReader().read(path):
        pass


def _bare(path: Path) -> None:
    with path.open("rb") as stream:
        for _ in pyoxigraph.parse(stream, pyoxigraph.RdfFormat.N_TRIPLES):
            pass
