"""The report's tables as the template and the script take them: plain values, ranked and cut."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from adequa.analysis.comparison import Comparison, Measure, SystemValue
from adequa.report.figures import axis, digits_for, histogram, percent, range_of
from adequa.report.tallies import DIMENSIONS, FactTally, RunTallies, ScoreTally, SystemTexts
from adequa.report.texts import VERDICTS
from adequa.run import Run

MOST_ROWS = 20
"""Of the most common missing facts and unsupported spans."""
MOST_SLICES = 60
MOST_PREDICATES = 250
FEWEST_FACTS = 10
"""A share of fewer facts is no headline."""

Names = Mapping[int, str]
"""What the report calls each system, by its number."""


def system_table(
    collected: RunTallies, comparison: Comparison, runs: Sequence[Run]
) -> dict[str, Any]:
    """Systems side by side, the best by the first measure on top."""
    by_system: dict[str, dict[str, SystemValue]] = {name: {} for name in comparison.systems}
    for value in comparison.overall.values:
        by_system[value.system][value.measure] = value
    entries = {label: run.manifest["metrics"][label] for run in runs for label in _labels(run)}
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


def _labels(run: Run) -> list[str]:
    return list(run.manifest["metrics"])


def _rank(measure: Measure | None, values: Sequence[SystemValue | None]) -> tuple[bool, float]:
    if measure is None or values[0] is None:
        return True, 0.0
    return measure.rank(values[0].value)


def slice_tables(collected: RunTallies) -> list[dict[str, Any]]:
    """All systems together, by category, size and seen; what no text says is left out."""
    tables = []
    for dimension in DIMENSIONS:
        pooled: dict[str, ScoreTally] = {}
        for _, system in collected.shown():
            for value, tally in system.slices.get(dimension, {}).items():
                _pool(pooled.setdefault(value, ScoreTally()), tally)
        if len(pooled) > 1:
            values = _chosen(dimension, pooled)
            rows = [(value, pooled[value]) for value in values]
            tables.append({"name": dimension, "rows": rows, "left_out": len(pooled) - len(values)})
    return tables


def _pool(into: ScoreTally, tally: ScoreTally) -> None:
    for name in ("texts", "judged", "omission", "hallucination", "not_ok"):
        setattr(into, name, getattr(into, name) + getattr(tally, name))
    for label, (count, total) in tally.totals.items():
        known = into.totals.get(label, (0, 0.0))
        into.totals[label] = known[0] + count, known[1] + total


def _chosen(dimension: str, pooled: Mapping[str, ScoreTally]) -> list[str]:
    """The largest slices, sizes in the order of numbers and words by the alphabet."""
    largest = sorted(pooled, key=lambda value: (-pooled[value].texts, value))[:MOST_SLICES]
    return sorted(largest, key=int) if dimension == "size" else sorted(largest)


def _predicates(collected: RunTallies) -> dict[str, FactTally]:
    """What became of the facts of each predicate, the most often faulty on top."""
    pooled: dict[str, FactTally] = {}
    for _, system in collected.shown():
        for predicate, tally in system.predicates.items():
            into = pooled.setdefault(predicate, FactTally())
            for name in ("facts", "missing", "contradicted", "unchecked"):
                setattr(into, name, getattr(into, name) + getattr(tally, name))
    ranked = sorted(pooled, key=lambda one: (-_faults(pooled[one]), -pooled[one].facts, one))
    return {predicate: pooled[predicate] for predicate in ranked}


def _faults(tally: FactTally) -> int:
    return tally.missing + tally.contradicted


def lists(collected: RunTallies) -> dict[str, Any]:
    """The predicates, the facts most often left out, and the spans most often made up."""
    predicates = _predicates(collected)
    facts = sorted(
        ((triple, tally) for triple, tally in collected.facts.items() if _faults(tally)),
        key=lambda pair: (-_faults(pair[1]), pair[0]),
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


def headlines(collected: RunTallies, table: Mapping[str, Any]) -> list[str]:
    """What a reader in a hurry should know, in sentences."""
    verdicts: Counter[str] = Counter()
    for _, system in collected.shown():
        verdicts.update(system.verdicts)
    judged = sum(count for verdict, count in verdicts.items() if verdict)
    said = []
    if judged:
        parts = [
            f"{percent(count, judged)} {words}"
            for words, count in (
                ("say all and only what the data says", verdicts["OK"]),
                ("leave something out", _naming(verdicts, "omission")),
                ("say something the data does not support", _naming(verdicts, "hallucination")),
            )
        ]
        said.append(f"Of {judged:,} judged texts, {parts[0]}, {parts[1]}, {parts[2]}.")
    said += _leaders(table)
    rated = [
        (predicate, tally)
        for predicate, tally in _predicates(collected).items()
        if tally.facts >= FEWEST_FACTS and tally.missing
    ]
    if rated:
        predicate, tally = max(rated, key=lambda pair: pair[1].missing / pair[1].facts)
        said.append(
            f"{predicate} is missing in {percent(tally.missing, tally.facts)} "
            f"of the {tally.facts:,} texts that should say it: the most of all predicates with "
            f"{FEWEST_FACTS} facts or more."
        )
    if collected.spans and collected.spans[0].texts > 1:
        span = collected.spans[0]
        said.append(f"Most often unsupported: “{span.words}”, in {span.texts:,} texts.")
    return said


def _naming(verdicts: Mapping[str, int], fault: str) -> int:
    return sum(count for verdict, count in verdicts.items() if fault in verdict)


def _leaders(table: Mapping[str, Any]) -> list[str]:
    """Who is best by the first measure, and who cannot be told from it."""
    rows = [row for row in table["rows"] if row["values"] and row["values"][0] is not None]
    if len(rows) < 2 or rows[0]["values"][0].value is None:
        return []
    measure, best = table["measures"][0], rows[0]["values"][0]
    equal = [row["name"] for row in rows[1:] if _shares_letter(best, row["values"][0])]
    value = f"{best.value:.{measure['digits']}f}"
    found = f"{rows[0]['name']} is best by {measure['name']} ({value})"
    if not equal:
        return [found + ", significantly better than every other system."]
    shown = ", ".join(equal[:3]) + (f" and {len(equal) - 3} more" if len(equal) > 3 else "")
    return [found + f"; it does not differ significantly from {shown}."]


def _shares_letter(one: SystemValue, other: SystemValue) -> bool:
    return one.group is None or other.group is None or bool(set(one.group) & set(other.group))


def script_summary(
    collected: RunTallies, names: Names, table: Mapping[str, Any], partners: Mapping[int, int]
) -> dict[str, Any]:
    """What the page's script draws tables of systems by slices from."""
    order = [row["number"] for row in table["rows"]]
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
        "predicates": _predicate_cells(collected, order),
    }


def _cell(tally: ScoreTally | None) -> list[Any] | None:
    if tally is None:
        return None
    means = {label: [count, round(total, 4)] for label, (count, total) in tally.totals.items()}
    return [tally.texts, tally.judged, tally.not_ok, tally.omission, tally.hallucination, means]


def _predicate_cells(collected: RunTallies, order: Sequence[int]) -> dict[str, Any]:
    chosen = list(_predicates(collected))[:MOST_PREDICATES]

    def cell(system: SystemTexts, predicate: str) -> list[int] | None:
        tally = system.predicates.get(predicate)
        return None if tally is None else [tally.facts, tally.missing, tally.contradicted]

    return {
        "values": chosen,
        "cells": [
            [cell(collected.systems[number], predicate) for number in order] for predicate in chosen
        ],
    }
