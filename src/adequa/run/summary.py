"""The summary of a run, computed from the lines of its `scores.jsonl` alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import astuple
from typing import TYPE_CHECKING, Any

from adequa import __version__
from adequa.metrics import Metric, plugin_errors
from adequa.stats import ExactSum, Moments

if TYPE_CHECKING:
    from adequa.tables import Table

LEVEL = 0.95
"""Of the intervals; the default level of `adequa compare` and `adequa gate`."""


class _Column:
    """The scores of one metric for one system."""

    def __init__(self, raw: Mapping[str, Any] | None = None) -> None:
        raw = raw or {"moments": [0, 0, 0, 0, 0], "reasons": {}, "totals": []}
        count, *sums = raw["moments"]
        self.moments = Moments(count, ExactSum(*sums[:2]), ExactSum(*sums[2:]))
        self.reasons: Counter[str] = Counter(raw["reasons"])
        self.totals = [ExactSum(*total) for total in raw["totals"]]

    def object(self) -> dict[str, Any]:
        sums = (self.moments.total, self.moments.squares)
        return {
            "moments": [self.moments.count, *(part for one in sums for part in astuple(one))],
            "reasons": dict(self.reasons),
            "totals": [astuple(total) for total in self.totals],
        }

    def add(self, value: float | None, reason: str, statistics: list[float] | None) -> None:
        if value is None:
            self.reasons[reason] += 1
        else:
            self.moments.add(value)
        if statistics:
            self.totals = self.totals or [ExactSum() for _ in statistics]
            for total, part in zip(self.totals, statistics, strict=True):
                total.add(part)

    def merge(self, other: _Column) -> None:
        self.moments.merge(other.moments)
        self.reasons.update(other.reasons)
        if other.totals:
            self.totals = self.totals or [ExactSum() for _ in other.totals]
            for total, part in zip(self.totals, other.totals, strict=True):
                total.add_units(part.units, part.bits)

    def summary(self, label: str, metric: Metric | None) -> dict[str, Any]:
        low, high = self.moments.interval(LEVEL) or (None, None)
        summary: dict[str, Any] = {
            "mean": _rounded(self.moments.mean),
            "low": _rounded(low),
            "high": _rounded(high),
            "level": LEVEL,
            "scored": self.moments.count,
            "not_scorable": self.reasons.total(),
            "reasons": dict(sorted(self.reasons.items())),
        }
        corpus = None
        if metric is not None and self.totals:
            with plugin_errors(label, metric):
                corpus = metric.corpus([total.value for total in self.totals])
        if isinstance(corpus, Mapping):
            summary["corpus"] = {name: _rounded(value) for name, value in corpus.items()}
        elif corpus is not None:
            summary["corpus"] = _rounded(corpus)
        return summary


class Tally:
    """What the summary of a run needs of its lines: counts and exact sums.

    Those of the shards add up to those of the run, to the last digit.
    """

    def __init__(self, raw: Mapping[str, Any] | None = None) -> None:
        self._systems: dict[str, _System] = {
            system: _System(entry) for system, entry in (raw or {}).items()
        }

    def object(self) -> dict[str, Any]:
        """As JSON, for the part of a shard."""
        return {system: entry.object() for system, entry in self._systems.items()}

    def add(self, raw: Mapping[str, Any]) -> None:
        """Add a line."""
        system = raw.get("system", "")
        entry = self._systems.get(system)
        if entry is None:
            entry = self._systems[system] = _System()
        entry.add(raw)

    def merge(self, other: Tally) -> None:
        """Add all lines of another tally, which come after those of this one."""
        for system, entry in other._systems.items():
            self._systems.setdefault(system, _System()).merge(entry)

    def summary(self, metrics: Mapping[str, Metric]) -> dict[str, Any]:
        """Per system: mean, interval, counts, corpus value of each metric; verdicts; findings."""
        return {
            "version": __version__,
            "items": sum(entry.items for entry in self._systems.values()),
            "systems": {system: entry.summary(metrics) for system, entry in self._systems.items()},
        }


class _System:
    """The lines of one system."""

    def __init__(self, raw: Mapping[str, Any] | None = None) -> None:
        raw = raw or {"items": 0, "columns": {}, "verdicts": {}, "findings": {}}
        self.items: int = raw["items"]
        self.columns = {label: _Column(column) for label, column in raw["columns"].items()}
        self.verdicts: Counter[str] = Counter(raw["verdicts"])
        self.findings: Counter[str] = Counter(raw["findings"])

    def object(self) -> dict[str, Any]:
        return {
            "items": self.items,
            "columns": {label: column.object() for label, column in self.columns.items()},
            "verdicts": dict(self.verdicts),
            "findings": dict(self.findings),
        }

    def add(self, raw: Mapping[str, Any]) -> None:
        self.items += 1
        reasons, statistics = raw.get("reasons", {}), raw.get("statistics", {})
        for label, value in raw["scores"].items():
            if label not in self.columns:
                self.columns[label] = _Column()
            self.columns[label].add(value, reasons.get(label, ""), statistics.get(label))
        if raw["verdict"] is not None:
            self.verdicts[raw["verdict"]] += 1
        for finding in raw["findings"]:
            self.findings[finding["kind"]] += 1

    def merge(self, other: _System) -> None:
        self.items += other.items
        for label, column in other.columns.items():
            self.columns.setdefault(label, _Column()).merge(column)
        self.verdicts.update(other.verdicts)
        self.findings.update(other.findings)

    def summary(self, metrics: Mapping[str, Metric]) -> dict[str, Any]:
        return {
            "items": self.items,
            "metrics": {
                label: column.summary(label, metrics.get(label))
                for label, column in self.columns.items()
            },
            "verdicts": dict(sorted(self.verdicts.items())),
            "findings": dict(sorted(self.findings.items())),
        }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6)


def summary_table(summary: Mapping[str, Any], manifest: Mapping[str, Any]) -> Table:
    """The systems side by side: mean ± half the interval, and the corpus value if there is one."""
    from adequa.tables import Table  # scoring does not need it

    labels = list(manifest["metrics"])
    corpus = {
        label
        for entry in summary["systems"].values()
        for label, column in entry["metrics"].items()
        if isinstance(column.get("corpus"), float)
    }
    headers = ["system", "texts"]
    for label in labels:
        arrow = "↑" if manifest["metrics"][label]["higher_is_better"] else "↓"
        headers += [f"{label} {arrow}", *([f"{label} corpus"] if label in corpus else [])]
    verdicts = sorted({name for entry in summary["systems"].values() for name in entry["verdicts"]})
    rows = []
    for system, entry in summary["systems"].items():
        row = [system or "(unnamed)", f"{entry['items']:,}"]
        for label in labels:
            column = entry["metrics"].get(label, {})
            row.append(_cell(column))
            if label in corpus:
                value = column.get("corpus")
                row.append("–" if value is None else f"{value:.2f}")
        rows.append([*row, *(f"{entry['verdicts'].get(name, 0):,}" for name in verdicts)])
    return Table("", [*headers, *verdicts], rows)


def _cell(column: Mapping[str, Any]) -> str:
    if column.get("mean") is None:
        return "–"
    digits = 3 if abs(column["mean"]) <= 1 else 2
    half = "" if column["high"] is None else f" ± {column['high'] - column['mean']:.{digits}f}"
    unscored = f" ({column['not_scorable']:,} not scorable)" if column["not_scorable"] else ""
    return f"{column['mean']:.{digits}f}{half}{unscored}"
