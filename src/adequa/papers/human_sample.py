"""The sample of paper 004: 15 categories by 5 sizes by low, medium and high METEOR."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping

from adequa.papers.esa_sections import Section
from adequa.papers.human_data import REFERENCE, HumanStudy
from adequa.papers.human_tables import SAMPLE
from adequa.stats.correlations import spearman
from adequa.tables import Cell, Table

__all__ = ["sample"]

A_CELL = 3
"""Entries of a category and size: one of low, of medium and of high METEOR."""


def sample(study: HumanStudy) -> Section:
    """Whether the sampled entries fill their cells, as far as the files can tell."""
    sampled = {
        rating.id.partition("/")[0]: (
            str(rating.meta.get("category", "")),
            str(rating.meta.get("triplesize", "")),
        )
        for rating in study.averages
    }
    cells = Counter(sampled.values())
    categories = sorted({category for category, _ in cells})
    sizes = sorted({size for _, size in cells}, key=lambda size: (len(size), size))
    rows: list[list[Cell]] = [
        [category, *(cells[category, size] for size in sizes)] for category in categories
    ]
    short = [
        f"{category}, {size}: {cells[category, size]}"
        for category in categories
        for size in sizes
        if cells[category, size] != A_CELL
    ]
    full = A_CELL * len(categories) * len(sizes)
    values: dict[str, tuple[str, Cell]] = {
        "entries": (f"entries (paper {SAMPLE})", len(sampled)),
        "full": ("entries if every cell had three (paper 225)", full),
        "short": (
            "cells that do not have three (paper: ComicsCharacter, one size)",
            "; ".join(short) or "none",
        ),
    }
    notes: list[str] = []
    thirds, counted, by_chance = _thirds(study, sampled)
    if counted:
        values["thirds"] = (
            "cells with an entry in each third of the METEOR of their entries",
            f"{thirds} of {counted} (by chance about {by_chance:.0f})",
        )
        near = _agreement(study)
        values["spearman"] = ("Spearman of our METEOR with the file's, entries of the sample", near)
        notes.append(
            "METEOR is ours, averaged over the systems: the files have the Java program's for the "
            "sampled texts alone; what the authors took for low, medium and high is not said"
        )
    tables = [Table("The sample: entries by category and size", ["category", *sizes], rows)]
    return Section("sample", tables, values, notes)


def _means(study: HumanStudy) -> dict[str, float]:
    """Our METEOR of each entry of the test, averaged over the systems."""
    sums: dict[str, list[float]] = defaultdict(list)
    for (_, entry), score in study.scores("meteor", everywhere=True).items():
        if score.value is not None:
            sums[entry].append(score.value)
    return {entry: sum(values) / len(values) for entry, values in sums.items()}


def _agreement(study: HumanStudy) -> float | None:
    given: dict[str, list[float]] = defaultdict(list)
    for (system, entry), row in study.values.items():
        if system != REFERENCE:
            given[entry].append(row["meteor"])
    ours = _means(study)
    shared = sorted(given.keys() & ours.keys())
    found = spearman(
        [ours[entry] for entry in shared],
        [sum(given[entry]) / len(given[entry]) for entry in shared],
    )
    return found.value if found else None


def _thirds(study: HumanStudy, sampled: Mapping[str, tuple[str, str]]) -> tuple[int, int, float]:
    """Cells with an entry in each third, cells with three, and how many chance would give."""
    means = _means(study)
    pools: dict[tuple[str | None, int], list[str]] = defaultdict(list)
    seen: set[str] = set()
    for item in study.corpus.items:
        if item.id in means and item.id not in seen:
            seen.add(item.id)
            pools[item.category, len(item.triples)].append(item.id)
    thirds, counted, by_chance = 0, 0, 0.0
    for pool in pools.values():
        ranked = sorted(pool, key=lambda entry: (means[entry], entry))
        chosen = [place for place, entry in enumerate(ranked) if entry in sampled]
        if len(chosen) != A_CELL:
            continue
        counted += 1
        count = len(ranked)
        thirds += len({3 * place // count for place in chosen}) == 3
        parts = Counter(3 * place // count for place in range(count))
        ways = count * (count - 1) * (count - 2) / 6
        by_chance += parts[0] * parts[1] * parts[2] / ways
    return thirds, counted, by_chance
