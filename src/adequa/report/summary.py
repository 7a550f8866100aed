"""The summary of a report: tables, headlines and notes as values for the template."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np

from adequa.analysis.comparison import Comparison, Measure, SystemValue
from adequa.data import CONFIDENT
from adequa.errors import DataError
from adequa.files import load_object
from adequa.metrics import Metric
from adequa.report.tallies import FactTally, RunTallies, ScoreTally, Slices
from adequa.report.texts import VERDICTS
from adequa.run import Run, unscored_line
from adequa.tables import digits_for, percent

BINS = 20
"""Bars of a histogram; no record of the data it was chosen on."""
WIDTH = 120
"""The width of a picture in a table cell."""
MOST_ROWS = 20
"""Rows of the most common missing facts and unsupported spans."""
MOST_SLICES = 60
MOST_PREDICATES = 250
"""Rows of the tables of slices, chosen for the length of the page, not on data."""
FEWEST_FACTS = 10
"""Predicates with fewer facts make no headline. No record of the data it was chosen on."""

_FIELDS = ("metric", "data", "criterion", "command")
_NUMBERS = ("pearson", "spearman")

Names = Mapping[int, str]
"""The name of each system, by its number."""


@dataclass(frozen=True, slots=True)
class Axis:
    """The range of an axis, which maps numbers to positions."""

    low: float
    high: float

    def place(self, value: float, width: float = WIDTH) -> float:
        """The position of a number, from 0 to `width`."""
        share = (value - self.low) / (self.high - self.low)
        return round(width * min(1.0, max(0.0, share)), 1)


@dataclass(frozen=True, slots=True)
class Histogram:
    """The distribution of scores, one bar per bin."""

    counts: tuple[int, ...]
    edges: tuple[float, float]
    median: float

    @property
    def heights(self) -> tuple[float, ...]:
        """The heights of the bars; square roots keep bins with few texts visible."""
        most = max(self.counts)
        return tuple(round(math.sqrt(count / most), 3) for count in self.counts)


def axis(values: Iterable[float | None]) -> Axis:
    """An axis that covers all values, with a margin."""
    known = [value for value in values if value is not None]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    margin = 0.05 * (high - low) or 0.5
    return Axis(low - margin, high + margin)


def range_of(entry: Mapping[str, Any], values: Iterable[Sequence[float]]) -> tuple[float, float]:
    """From a metric's worst to its best value, or the range of the scores if it has none."""
    ends = [entry.get("worst"), entry.get("best")]
    known = [float(end) for end in ends if isinstance(end, (int, float))]
    seen = [one for some in values if len(some) for one in (min(some), max(some))]
    low, high = min([*known, *seen], default=0.0), max([*known, *seen], default=1.0)
    return (low, high) if low < high else (low - 0.5, high + 0.5)


def histogram(values: Sequence[float], ends: tuple[float, float]) -> Histogram | None:
    """The histogram of a system's scores; None without scores."""
    if not len(values):
        return None
    scores = np.asarray(values, dtype=np.float64)
    counts, _ = np.histogram(scores, bins=BINS, range=ends)
    return Histogram(tuple(int(count) for count in counts), ends, float(np.median(scores)))


def system_table(
    collected: RunTallies, comparison: Comparison, runs: Sequence[Run]
) -> dict[str, Any]:
    """Systems side by side, the best by the first measure on top."""
    by_system: dict[str, dict[str, SystemValue]] = {name: {} for name in comparison.systems}
    for value in comparison.overall.values:
        by_system[value.system][value.measure] = value
    entries = {name: one for run in runs for name, one in run.manifest["metrics"].items()}
    measures: list[dict[str, Any]] = []
    for measure in comparison.measures:
        some = [found[measure.name] for found in by_system.values() if measure.name in found]
        ends = [end for one in some for end in (one.value, *(one.interval or ()))]
        scores = [system.scores.get(measure.name, ()) for _, system in collected.shown()]
        measures.append(
            {
                "name": measure.name,
                "kind": measure.kind,
                "higher": measure.higher_is_better,
                "digits": digits_for(ends),
                "axis": axis(ends),
                "range": range_of(entries[measure.name], scores),
            }
        )
    numbered = list(zip(collected.shown(), comparison.systems, strict=True))
    rows: list[dict[str, Any]] = [
        {
            "number": number,
            "name": name,
            "texts": system.overall.texts,
            "verdicts": [
                (verdict or "", system.verdicts[verdict or ""]) for verdict in (*VERDICTS[1:], None)
            ],
            "judged": system.overall.judged,
            "values": [by_system[name].get(measure.name) for measure in comparison.measures],
            "histograms": [
                histogram(system.scores.get(one["name"], ()), one["range"]) for one in measures
            ],
        }
        for (number, system), name in numbered
    ]
    first = comparison.measures[0] if comparison.measures else None
    rows.sort(key=lambda row: _rank(first, row["values"]))
    return {"measures": measures, "rows": rows}


def _rank(measure: Measure | None, values: Sequence[SystemValue | None]) -> tuple[bool, float]:
    if measure is None or values[0] is None:
        return True, 0.0
    return measure.rank(values[0].value)


def slice_tables(collected: RunTallies) -> list[dict[str, Any]]:
    """All systems together by category, size and seen, where there are several values."""
    pooled = Slices()
    for _, system in collected.shown():
        for dimension, tallies in system.slices.items():
            into = pooled.setdefault(dimension, {})
            for value, tally in tallies.items():
                _pool(into.setdefault(value, ScoreTally()), tally)
    tables = pooled.tables(MOST_SLICES)
    return [{"name": name, "rows": rows, "left_out": left} for name, rows, left in tables]


def _pool(into: ScoreTally, tally: ScoreTally) -> None:
    for name in ("texts", "judged", "omission", "hallucination", "not_ok"):
        setattr(into, name, getattr(into, name) + getattr(tally, name))
    for label, (count, total) in tally.totals.items():
        known = into.totals.get(label, (0, 0.0))
        into.totals[label] = known[0] + count, known[1] + total


def _predicates(collected: RunTallies) -> dict[str, FactTally]:
    """The facts of each predicate by status, the most faults first."""
    pooled: dict[str, FactTally] = {}
    for _, system in collected.shown():
        for predicate, tally in system.predicates.items():
            into = pooled.setdefault(predicate, FactTally())
            for name in ("facts", "missing", "contradicted", "unchecked"):
                setattr(into, name, getattr(into, name) + getattr(tally, name))
    ranked = sorted(pooled, key=lambda one: (-pooled[one].faults, -pooled[one].facts, one))
    return {predicate: pooled[predicate] for predicate in ranked}


def lists(collected: RunTallies) -> dict[str, Any]:
    """The predicates, the facts most often missing, and the most common unsupported spans."""
    predicates = _predicates(collected)
    facts = sorted(
        ((triple, tally) for triple, tally in collected.facts.items() if tally.faults),
        key=lambda pair: (-pair[1].faults, pair[0]),
    )
    return {
        "predicates": list(predicates.items())[:MOST_PREDICATES],
        "predicate_count": len(predicates),
        "facts": facts[:MOST_ROWS],
        "fact_count": len(facts),
        "spans": collected.spans[:MOST_ROWS],
        "span_count": len(collected.spans),
        "any_unchecked": any(tally.unchecked for tally in predicates.values()),
    }


def unsure_words(collected: RunTallies) -> str | None:
    """How many OK verdicts are not sure; None if no confidence is known."""
    known = [value for _, system in collected.shown() for value in system.confidences]
    if not known:
        return None
    share = percent(sum(value < CONFIDENT for value in known), len(known))
    passed = sum(system.verdicts["OK"] for _, system in collected.shown())
    if len(known) == passed:
        return f"Of the OK verdicts, {share} have a confidence below {CONFIDENT}"
    without = f"{passed - len(known):,} of {passed:,} OK verdicts have no confidence"
    return f"{without}; of the others, {share} are below {CONFIDENT}"


Headline = list[tuple[str, str]]
"""A sentence in parts, each with the address of the texts it counts, or ""."""


def headlines(collected: RunTallies, table: Mapping[str, Any]) -> list[Headline]:
    """The main findings as sentences."""
    verdicts: Counter[str] = Counter()
    for _, system in collected.shown():
        verdicts.update(system.verdicts)
    judged = sum(count for verdict, count in verdicts.items() if verdict)
    found: list[Headline] = []
    if judged:

        def part(count: int, words: str, choice: str) -> tuple[str, str]:
            shown = f"{count:,} ({percent(count, judged)}) {words}"
            return shown, f"#/texts?{choice}" if count else ""

        found.append(
            [
                (f"Of {judged:,} judged texts, ", ""),
                part(judged - verdicts["OK"], "have a fault", "verdict=fault"),
                (": ", ""),
                part(_naming(verdicts, "omission"), "leave something out", "verdict=omission"),
                (", ", ""),
                part(
                    _naming(verdicts, "hallucination"),
                    "say something the data does not support",
                    "verdict=hallucination",
                ),
                (". ", ""),
                part(verdicts["OK"], "are OK", "verdict=OK&sort=unsure"),
                (": no fault was found, which does not mean that there is none.", ""),
            ]
        )
    found += [[(sentence, "")] for sentence in _leaders(table)]
    rated = [
        (predicate, tally)
        for predicate, tally in _predicates(collected).items()
        if tally.facts >= FEWEST_FACTS and tally.missing
    ]
    if rated:
        predicate, tally = max(rated, key=lambda pair: pair[1].missing / pair[1].facts)
        most = f"the most of all predicates with at least {FEWEST_FACTS} facts"
        found.append(
            [
                (
                    f"{predicate} is missing in {percent(tally.missing, tally.facts)}",
                    f"#/texts?{urlencode({'predicate': predicate})}",
                ),
                (f" of the {tally.facts:,} texts that should state it, {most}.", ""),
            ]
        )
    if collected.spans and collected.spans[0].texts > 1:
        span = collected.spans[0]
        search = urlencode({"search": span.words, "verdict": "hallucination"})
        found.append(
            [
                (f"Most often unsupported: “{span.words}”, ", ""),
                (f"in {span.texts:,} texts", f"#/texts?{search}"),
                (".", ""),
            ]
        )
    return [*found, *([(sentence, "")] for sentence in _unscored(collected))]


def _unscored(collected: RunTallies) -> list[str]:
    """The metrics that could not score some texts, and why."""
    reasons: dict[str, Counter[str]] = {label: Counter() for label in collected.labels}
    texts = 0
    for _, system in collected.shown():
        texts += system.overall.texts
        for label, some in system.reasons.items():
            reasons[label].update(some)
    lines = (unscored_line(label, some, texts=texts) for label, some in reasons.items() if some)
    return [f"{line}." for line in lines]


def _naming(verdicts: Mapping[str, int], fault: str) -> int:
    return sum(count for verdict, count in verdicts.items() if fault in verdict)


def _leaders(table: Mapping[str, Any]) -> list[str]:
    """The best system by the first measure, and the systems that do not differ from it."""
    rows = [row for row in table["rows"] if row["values"] and row["values"][0] is not None]
    if len(rows) < 2 or rows[0]["values"][0].value is None:
        return []
    measure, best = table["measures"][0], rows[0]["values"][0]
    # Without letters nothing differs; otherwise systems that share one do not.
    letters = [(row["name"], row["values"][0].group) for row in rows[1:]]
    if letters and None in (best.group, *(group for _, group in letters)):
        return []  # not all are tested, and the notes say why
    equal = [name for name, group in letters if {*(best.group or "")} & {*(group or "")}]
    value = f"{best.value:.{measure['digits']}f}"
    found = f"{rows[0]['name']} is best by {measure['name']} ({value})"
    if not equal:
        return [found + ", significantly better than every other system."]
    shown = ", ".join(equal[:3]) + (f" and {len(equal) - 3} more" if len(equal) > 3 else "")
    return [found + f"; it does not differ significantly from {shown}."]


def script_summary(
    collected: RunTallies, names: Names, table: Mapping[str, Any], partners: Mapping[int, int]
) -> dict[str, Any]:
    """The data from which the page's script draws tables of systems by slices."""
    order = [row["number"] for row in table["rows"]]
    chosen = list(_predicates(collected))[:MOST_PREDICATES]
    digits = {one["name"]: one["digits"] for one in table["measures"]}
    higher = {one["name"]: one["higher"] for one in table["measures"]}
    return {
        "systems": [names[number] for number in range(len(collected.systems))],
        "baselines": [one.is_baseline for one in collected.systems],
        "partners": {str(number): old for number, old in partners.items()},
        "order": order,
        "labels": [
            {"name": label, "digits": digits.get(label, 3), "higher": higher.get(label, True)}
            for label in collected.labels
        ],
        "slices": {
            one["name"]: {
                "values": [value for value, _ in one["rows"]],
                "cells": [
                    [
                        _cell(collected.systems[number].slices.get(one["name"], {}).get(value))
                        for number in order
                    ]
                    for value, _ in one["rows"]
                ],
            }
            for one in slice_tables(collected)
        },
        "predicates": {
            "values": chosen,
            "cells": [
                [_facts(collected.systems[number].predicates.get(one)) for number in order]
                for one in chosen
            ],
        },
    }


def _cell(tally: ScoreTally | None) -> list[Any] | None:
    if tally is None:
        return None
    means = {label: [count, round(total, 4)] for label, (count, total) in tally.totals.items()}
    return [tally.texts, tally.judged, tally.not_ok, tally.omission, tally.hallucination, means]


def _facts(tally: FactTally | None) -> list[int] | None:
    return None if tally is None else [tally.facts, tally.missing, tally.contradicted]


@dataclass(frozen=True, slots=True)
class PeopleAgreement:
    """The correlation of a metric with people's ratings of the same texts."""

    metric: str
    data: str
    criterion: str
    texts: int | None
    pearson: float | None
    spearman: float | None
    command: str


def read_people(path: Path | None = None) -> tuple[PeopleAgreement, ...]:
    """The agreement of metrics with people: the shipped file, or one of the same form."""
    if path is None:
        shipped = files("adequa.report") / "assets" / "people.json"
        return _agreements(load_object(shipped.read_text(encoding="utf-8")))
    try:
        return _agreements(load_object(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise DataError.of_file(error, path, remedy="name another file") from None
    except UnicodeDecodeError:
        raise DataError("is not UTF-8", path=path, remedy="save it as UTF-8") from None
    except DataError as error:
        raise error.at(path) from None


def _agreements(raw: Any) -> tuple[PeopleAgreement, ...]:
    remedy = (
        'write {"agreement": [{"metric": "esa", "data": "my ratings", "criterion": "Correctness", '
        '"texts": 200, "pearson": 0.52, "spearman": 0.41, "command": "adequa correlate …"}]}'
    )
    rows = raw.get("agreement") if type(raw) is dict else None
    if type(rows) is not list:
        raise DataError("has no list 'agreement'", remedy=remedy)
    found = []
    for number, row in enumerate(rows, 1):
        if type(row) is not dict:
            raise DataError(f"agreement {number} is not an object", remedy=remedy)
        for name in _FIELDS:
            if type(row.get(name)) is not str:
                raise DataError(f"agreement {number} has no {name!r} or a wrong one", remedy=remedy)
        if row.get("texts") is not None and type(row["texts"]) is not int:
            raise DataError(f"agreement {number}: 'texts' is not a count", remedy=remedy)
        for name in _NUMBERS:
            value = row.get(name)
            if value is not None and (type(value) not in (int, float) or not -1 <= value <= 1):
                raise DataError(f"agreement {number}: {name!r} is not a correlation", remedy=remedy)
        names = (*_FIELDS, *_NUMBERS, "texts")
        values: dict[str, Any] = {name: row.get(name) for name in names}
        found.append(PeopleAgreement(**values))
    return tuple(found)


def metric_notes(
    runs: Sequence[Run], collected: RunTallies, people: Sequence[PeopleAgreement]
) -> list[dict[str, Any]]:
    """One note per metric, in the order of the runs."""
    notes = []
    for label in collected.labels:
        entries = [run.manifest["metrics"].get(label) for run in runs]
        known = [entry for entry in entries if entry]
        reasons: Counter[str] = Counter()
        for _, system in collected.shown():
            reasons.update(system.reasons.get(label, {}))
        name = str(known[0].get("name", label))
        notes.append(
            {
                "label": label,
                "name": name,
                "signatures": list(dict.fromkeys(str(entry["signature"]) for entry in known)),
                "higher_is_better": bool(known[0]["higher_is_better"]),
                "not_scorable": sorted(reasons.items(), key=lambda pair: (-pair[1], pair[0])),
                "agreement": [one for one in people if one.metric == name],
            }
        )
    return notes


def reading_notes(metrics: Mapping[str, Metric]) -> list[dict[str, Any]]:
    """What a reader must know of each metric: what it says, its scale, and what it does not see."""
    return [
        {
            "label": label,
            "doc": metric.doc,
            "limits": metric.limits,
            "scale": f"{metric.worst:g} is the worst value, {metric.best:g} the best"
            if all(map(math.isfinite, metric.scale))
            else f"{'higher' if metric.higher_is_better else 'lower'} is better",
        }
        for label, metric in metrics.items()
    ]


def run_notes(runs: Sequence[Run], baseline: Run | None) -> list[dict[str, Any]]:
    """One note per run, with the file names of its inputs but not their paths."""
    return [
        {
            "name": run.name,
            "is_baseline": run is baseline,
            "version": str(run.manifest.get("version", "")),
            "created": str(run.manifest.get("created", "")),
            "files": [
                f"{Path(str(entry['path'])).name} (sha256 {entry['sha256'][:12]})"
                for entry in run.manifest.get("inputs", {}).get("files", [])
            ],
        }
        for run in [*runs, *([baseline] if baseline else [])]
    ]
