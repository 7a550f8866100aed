"""A run in tables: its systems, and its texts by category, size, seen and predicate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from adequa.report.figures import Axis, axis, digits_for
from adequa.report.items import SEEN
from adequa.web.workbench.index import FactCounts, Numbers, RunIndex

__all__ = ["Slice", "SystemRow", "predicate_rows", "slice_tables", "system_table"]

_MOST_ROWS = 30
_VERDICTS = ("OK", "omission", "hallucination", "hallucination+omission")


@dataclass(frozen=True, slots=True)
class SystemRow:
    """A system of a run; values are mean, half of the interval's width or None, not scorable."""

    name: str
    texts: int
    values: tuple[tuple[float | None, tuple[float, float] | None, int], ...]
    verdicts: tuple[tuple[str, int], ...]

    @property
    def judged(self) -> int:
        """Texts with a verdict."""
        return sum(count for name, count in self.verdicts if name)


def system_table(
    summary: Mapping[str, Any], manifest: Mapping[str, Any]
) -> tuple[list[dict[str, Any]], list[SystemRow]]:
    """Metrics and systems, from what the run itself sums up."""
    rows = [_row(name, one, manifest["metrics"]) for name, one in summary["systems"].items()]
    measures = []
    for place, (label, entry) in enumerate(manifest["metrics"].items()):
        ends = [end for row in rows for end in _ends(row.values[place])]
        scale: Axis = axis(ends)
        measures.append(
            {
                "name": label,
                "higher": bool(entry["higher_is_better"]),
                "digits": digits_for(ends),
                "axis": scale,
                "signature": entry["signature"],
            }
        )
    return measures, rows


def _row(name: str, one: Mapping[str, Any], metrics: Mapping[str, Any]) -> SystemRow:
    values = []
    for label in metrics:
        found = one.get("metrics", {}).get(label, {})
        low, high = found.get("low"), found.get("high")
        reach = None if low is None or high is None else (low, high)
        values.append((found.get("mean"), reach, found.get("not_scorable", 0)))
    counts, texts = one.get("verdicts", {}), one.get("items", 0)
    verdicts = [(verdict, counts.get(verdict, 0)) for verdict in _VERDICTS]
    verdicts.append(("", texts - sum(count for _, count in verdicts)))
    return SystemRow(name, texts, tuple(values), tuple(verdicts))


def _ends(value: tuple[float | None, tuple[float, float] | None, int]) -> list[float | None]:
    return [value[0], *(value[1] or ())]


@dataclass(frozen=True, slots=True)
class Slice:
    """The texts of one category, size or kind, of all systems."""

    value: str
    texts: int
    judged: int
    not_ok: int
    omission: int
    hallucination: int
    means: tuple[float | None, ...]


def slice_tables(index: RunIndex) -> list[tuple[str, list[Slice], int]]:
    """By dimension: its slices, the largest ones if they are many, and how many were left out."""
    sizes = np.unique(index.size)
    dimensions: list[tuple[str, Numbers, Sequence[str]]] = [
        ("category", index.category, index.categories),
        ("size", np.searchsorted(sizes, index.size), [str(size) for size in sizes]),
        ("seen", index.seen, [name or "" for name in SEEN]),
    ]
    tables = []
    for name, codes, values in dimensions:
        slices = [one for one in _slices(index, codes, values) if one.value and one.texts]
        if len(slices) > 1:
            largest = sorted(slices, key=lambda one: -one.texts)[:_MOST_ROWS]
            shown = [one for one in slices if one in largest]
            if name == "category":
                shown.sort(key=lambda one: one.value)
            tables.append((name, shown, len(slices) - len(shown)))
    return tables


def _slices(index: RunIndex, codes: Numbers, values: Sequence[str]) -> list[Slice]:
    def counts(mask: Numbers) -> list[int]:
        return [int(one) for one in np.bincount(codes[mask], minlength=len(values))]

    verdict = index.verdict
    columns = [
        counts(np.ones(index.count, dtype=bool)),
        counts(verdict > 0),
        counts(verdict > 1),
        counts((verdict == 2) | (verdict == 4)),
        counts(verdict >= 3),
    ]
    means = [_means(index.scores[label], codes, len(values)) for label in index.labels]
    each = zip(values, *columns, *means, strict=True)
    return [
        Slice(value, texts, judged, not_ok, omission, hallucination, tuple(found))
        for value, texts, judged, not_ok, omission, hallucination, *found in each
    ]


def _means(scores: Numbers, codes: Numbers, count: int) -> list[float | None]:
    known = ~np.isnan(scores)
    totals = np.bincount(codes[known], weights=scores[known], minlength=count)
    counts = np.bincount(codes[known], minlength=count)
    return [
        float(total / many) if many else None for total, many in zip(totals, counts, strict=True)
    ]


def predicate_rows(index: RunIndex) -> tuple[list[tuple[str, FactCounts]], int]:
    """Predicates by how often they are at fault, and how many were left out."""
    faulty = [
        (name, counts)
        for name, counts in index.predicates.items()
        if counts.missing or counts.contradicted
    ]
    faulty.sort(key=lambda pair: (-pair[1].missing - pair[1].contradicted, pair[0]))
    return faulty[:_MOST_ROWS], max(0, len(faulty) - _MOST_ROWS)
