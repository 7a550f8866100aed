"""A run in numbers: a pure function of its `scores.jsonl`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from adequa.__about__ import __version__
from adequa.metrics.base import Metric
from adequa.stats.means import Moments

__all__ = ["summarise"]

LEVEL = 0.95


class _Column:
    """One metric on one system, added up line by line."""

    def __init__(self) -> None:
        self.moments = Moments()
        self.reasons: Counter[str] = Counter()
        self.totals: list[float] = []

    def add(self, value: float | None, reason: str, statistics: list[float] | None) -> None:
        if value is None:
            self.reasons[reason] += 1
        else:
            self.moments.add(value)
        if statistics:
            self.totals = (
                [total + part for total, part in zip(self.totals, statistics, strict=True)]
                if self.totals
                else list(statistics)
            )

    def summary(self, metric: Metric | None) -> dict[str, Any]:
        interval = self.moments.interval(LEVEL)
        summary: dict[str, Any] = {
            "mean": _rounded(self.moments.mean if self.moments.count else None),
            "low": _rounded(interval[0] if interval else None),
            "high": _rounded(interval[1] if interval else None),
            "level": LEVEL,
            "scored": self.moments.count,
            "not_scorable": self.reasons.total(),
            "reasons": dict(sorted(self.reasons.items())),
        }
        corpus = metric.corpus(self.totals) if metric is not None and self.totals else None
        if isinstance(corpus, Mapping):
            summary["corpus"] = {name: _rounded(value) for name, value in corpus.items()}
        elif corpus is not None:
            summary["corpus"] = _rounded(corpus)
        return summary


def summarise(
    objects: Iterable[Mapping[str, Any]], metrics: Mapping[str, Metric]
) -> dict[str, Any]:
    """Per system: its metrics' means, intervals, counts and corpus values; verdicts; findings."""
    columns: dict[str, dict[str, _Column]] = {}
    items: Counter[str] = Counter()
    verdicts: dict[str, Counter[str]] = {}
    findings: dict[str, Counter[str]] = {}
    for raw in objects:
        system = raw.get("system", "")
        if system not in columns:
            columns[system], verdicts[system], findings[system] = {}, Counter(), Counter()
        items[system] += 1
        reasons, statistics = raw.get("reasons", {}), raw.get("statistics", {})
        for label, value in raw["scores"].items():
            column = columns[system].setdefault(label, _Column())
            column.add(value, reasons.get(label, ""), statistics.get(label))
        if raw["verdict"] is not None:
            verdicts[system][raw["verdict"]] += 1
        findings[system].update(finding["kind"] for finding in raw["findings"])
    return {
        "version": __version__,
        "items": items.total(),
        "systems": {
            system: {
                "items": items[system],
                "metrics": {
                    label: column.summary(metrics.get(label)) for label, column in labels.items()
                },
                "verdicts": dict(sorted(verdicts[system].items())),
                "findings": dict(sorted(findings[system].items())),
            }
            for system, labels in columns.items()
        },
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6)
