"""The summary of a run, computed from the lines of its `scores.jsonl` alone."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import astuple
from typing import TYPE_CHECKING, Any

from adequa import __version__
from adequa.errors import AdequaError, ServiceError, load_package, require_known
from adequa.metrics import Metric, plugin_errors
from adequa.stats import ExactSum, Moments, bounded

if TYPE_CHECKING:
    from pathlib import Path

    from adequa.run.folder import Run
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
        scale = (-math.inf, math.inf) if metric is None else metric.scale
        low, high = bounded(self.moments.interval(LEVEL), scale) or (None, None)
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
    """The systems side by side: mean and interval, and the corpus value if there is one."""
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
    from adequa.tables import interval_words

    ends = None if column["high"] is None else (column["low"], column["high"])
    around = "" if ends is None else f" {interval_words(column['mean'], ends, digits)}"
    return f"{column['mean']:.{digits}f}{around}"


def unscored_lines(summary: Mapping[str, Any]) -> list[str]:
    """One line per metric that could not score some texts, with the most frequent reason."""
    found: dict[str, Counter[str]] = {}
    for entry in summary["systems"].values():
        for label, column in entry.get("metrics", {}).items():
            found.setdefault(label, Counter()).update(column.get("reasons", {}))
    return [
        unscored_line(label, reasons, texts=summary["items"])
        for label, reasons in found.items()
        if reasons
    ]


def unscored_line(label: str, reasons: Mapping[str, int], *, texts: int) -> str:
    """How many of the texts a metric could not score, and the most frequent reason.

    >>> unscored_line("bleu", {"no references": 3}, texts=4)
    'bleu: 3 of 4 texts are not scorable: no references'
    """
    from adequa.tables import counted  # scoring does not need it

    total, reason = sum(reasons.values()), min(reasons, key=lambda one: (-reasons[one], one))
    verb = "is" if total == 1 else "are"
    most = "; most often" if len(reasons) > 1 else ""
    return f"{label}: {total:,} of {counted(texts, 'text')} {verb} not scorable{most}: {reason}"


def run_figures(summary: Any) -> dict[str, float]:
    """The numbers of a summary by name: `SYSTEM/METRIC/mean`, `SYSTEM/verdict/OK`.

    No name is the beginning of another, since MLflow keeps them as paths.

    >>> run_figures({"systems": {"T5": {"items": 4, "verdicts": {"OK": 3}, "metrics": {
    ...     "esa": {"mean": 0.5, "not_scorable": 1, "corpus": {"ESA_C": 0.25}}}}}})
    {'T5/esa/mean': 0.5, 'T5/esa/ESA_C': 0.25, 'T5/esa/not scorable': 0.25, 'T5/verdict/OK': 0.75}
    """
    figures: dict[str, float | None] = {}
    for system, entry in summary["systems"].items():
        own, items = system or "unnamed", entry["items"]
        for metric, column in entry["metrics"].items():
            figures[f"{own}/{metric}/mean"] = column["mean"]
            corpus = column.get("corpus")
            parts = corpus if isinstance(corpus, dict) else {"corpus": corpus}
            figures |= {f"{own}/{metric}/{part}": value for part, value in parts.items()}
            figures[f"{own}/{metric}/not scorable"] = column["not_scorable"] / items
        for name, count in entry["verdicts"].items():
            figures[f"{own}/verdict/{name}"] = count / items
    return {name: float(value) for name, value in figures.items() if value is not None}


def log_run(
    run: Run, to: str, *, name: str | None = None, project: str | None = None, texts: bool = False
) -> dict[str, float]:
    """Log a run to an experiment tracker, `mlflow` or `wandb`; returns the figures.

    `texts` also uploads `scores.jsonl`.
    """
    require_known("tracker", [to], _TRACKERS)
    files = [run.path / "manifest.json", run.summary_path, *([run.scores_path] if texts else [])]
    figures = run_figures(run.summary)
    try:
        _TRACKERS[to](name or run.name, project, _parameters(run), figures, files)
    except AdequaError:
        raise
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
        raise ServiceError(to, problem, "check its settings in the environment") from error
    return figures


def _parameters(run: Run) -> dict[str, str]:
    manifest = run.manifest
    files = manifest["inputs"]["files"]
    return {
        "adequa": manifest["version"],
        "input": manifest["inputs"]["path"],
        "items": str(run.items),
        **{f"sha256 {place}": one["sha256"] for place, one in enumerate(files, 1)},
        **{f"signature {label}": one["signature"] for label, one in manifest["metrics"].items()},
    }


def _to_mlflow(
    name: str,
    project: str | None,
    parameters: dict[str, str],
    figures: dict[str, float],
    files: list[Path],
) -> None:
    import re

    mlflow = load_package("mlflow")
    if project is not None:
        mlflow.set_experiment(project)

    def safe(key: str) -> str:
        return re.sub(r"[^\w\-. /]", "_", key)  # what MLflow allows in a name

    with mlflow.start_run(run_name=name):
        # A parameter has at most 6,000 characters.
        mlflow.log_params({safe(key): value[:6000] for key, value in parameters.items()})
        mlflow.log_metrics({safe(key): value for key, value in figures.items()})
        for file in files:
            mlflow.log_artifact(str(file))


def _to_wandb(
    name: str,
    project: str | None,
    parameters: dict[str, str],
    figures: dict[str, float],
    files: list[Path],
) -> None:
    wandb = load_package("wandb")
    with wandb.init(project=project, name=name, job_type="evaluation", config=parameters) as run:
        run.log(figures)
        artifact = wandb.Artifact(f"adequa-{run.id}", type="evaluation")
        for file in files:
            artifact.add_file(str(file))
        run.log_artifact(artifact)


_TRACKERS = {"mlflow": _to_mlflow, "wandb": _to_wandb}
