"""A small corpus of our own: towns with countries, people, dates and a neighbour."""

from __future__ import annotations

import json
from pathlib import Path

from adequa.data import Item, Triple
from adequa.perturb import Document, Knowledge
from adequa.training.setup import read_pairs

TOWNS = ("Velmora", "Tarnova", "Oskel", "Quorra", "Limdal")
LANDS = ("Sarn", "Norland", "Bexhal", "Farrow", "Aldwick")
PEOPLE = ("Ida Thorvald", "Otto Lind", "Vera Quist", "Jon Marr", "Lea Brandt")


def items() -> list[Item]:
    """Four texts per town: one fact, two, three with a number, and one that holds both ways."""
    found = []
    for number, (town, land, person) in enumerate(zip(TOWNS, LANDS, PEOPLE, strict=True)):
        name = person.replace(" ", "_")
        country = Triple(town, "country", land)
        leader = Triple(town, "leader", name)
        people = Triple(town, "population", str(1200 + 37 * number))
        born = Triple(name, "birthDate", f"19{40 + number}-05-0{number + 1}")
        twin = Triple(town, "twinTown", TOWNS[number - 1])
        found += [
            Item(f"a{number}", (country,), f"{town} is in {land}.", category="Town"),
            Item(
                f"b{number}",
                (country, leader),
                f"{town} is a town in {land}. The leader of {town} is {person}.",
                category="Town",
            ),
            Item(
                f"c{number}",
                (people, leader, born),
                f"{town} has {1200 + 37 * number} inhabitants and is led by {person}. "
                f"{person} was born on May {number + 1}, 19{40 + number}.",
                category="Town",
            ),
            Item(
                f"d{number}",
                (twin,),
                f"{town} and {TOWNS[number - 1]} are twin towns.",
                category="Town",
            ),
        ]
    return found


def pairs() -> list[Document]:
    return read_pairs(items())


def knowledge() -> Knowledge:
    return Knowledge.of(pairs())


def write_items(path: Path, count: int = 10) -> Path:
    """The first texts as a file."""
    chosen = [item for item in items() if item.id[0] in "ab"][:count]
    lines = [
        {"id": item.id, "category": item.category, "triples": item.triples, "text": item.text}
        for item in chosen
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path
