"""A comparison for machines: one long table, or one JSON object."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from adequa.compare.model import Comparison, Measure, Pair, Slice
from adequa.stats.effects import magnitude_of_d
from adequa.tables import Cell, Table

__all__ = ["long_table", "to_object"]


def long_table(comparison: Comparison) -> Table:
    """Everything in one table: a row a system and measure, then a row a pair and measure.

    Rows of a system leave `against` empty; rows over all items leave `slice` empty.
    """
    columns = [
        *("slice", "metric", "system", "against", "items", "left_out", "value", "low", "high"),
        *("group", "against_value", "difference", "difference_low", "difference_high"),
        *(f"{name}_{test}" for test in comparison.tests for name in ("p", "corrected_p")),
        *("wins", "paired_d", "cliffs_delta", "better"),
    ]
    blank: dict[str, Cell] = dict.fromkeys(columns)
    rows = []
    for one in (comparison.overall, *comparison.slices):
        for value in one.values:
            row: dict[str, Cell] = {
                "slice": one.name,
                "metric": value.measure,
                "system": value.system,
                "items": value.items,
                "left_out": value.not_scorable,
                "value": _rounded(value.value),
                "group": value.group,
            }
            if value.interval is not None:
                row["low"], row["high"] = map(_rounded, value.interval)
            rows.append(list((blank | row).values()))
        for pair in one.pairs:
            row = {
                "slice": one.name,
                "metric": pair.measure,
                "system": pair.first,
                "against": pair.second,
                "items": pair.items,
                "left_out": pair.left_out.total,
                "value": _rounded(pair.first_value),
                "against_value": _rounded(pair.second_value),
                "difference": _rounded(pair.difference),
                "wins": _rounded(pair.wins),
                "paired_d": _rounded(pair.paired_d),
                "cliffs_delta": _rounded(pair.cliffs_delta),
                "better": pair.winner,
            }
            if pair.interval is not None:
                row["difference_low"], row["difference_high"] = map(_rounded, pair.interval)
            for test, found in pair.tests.items():
                row[f"p_{test}"] = _rounded(found.p)
                row[f"corrected_p_{test}"] = _rounded(found.corrected)
            rows.append(list((blank | row).values()))
    return Table("", columns, rows)


def to_object(comparison: Comparison) -> dict[str, Any]:
    """The comparison as JSON: values and groups by metric and system, then the pairs."""
    return {
        "runs": list(comparison.runs),
        "systems": list(comparison.systems),
        "metrics": {measure.name: _measure_object(measure) for measure in comparison.measures},
        "baseline": comparison.baseline,
        "tests": {test: {"n": comparison.trials[test]} for test in comparison.tests},
        "interval": {"level": comparison.level, "n": comparison.trials["bootstrap"]},
        "seed": comparison.seed,
        "correction": comparison.correction,
        **_slice_object(comparison.overall),
        "by": {}
        if comparison.by is None
        else {comparison.by: {str(one.name): _slice_object(one) for one in comparison.slices}},
        "notes": list(comparison.notes),
    }


def _measure_object(measure: Measure) -> dict[str, Any]:
    return {
        "kind": measure.kind,
        "higher_is_better": measure.higher_is_better,
        "signature": measure.signature,
    }


def _slice_object(one: Slice) -> dict[str, Any]:
    values: dict[str, dict[str, Any]] = {}
    groups: dict[str, dict[str, str]] = {}
    for value in one.values:
        low, high = value.interval or (None, None)
        values.setdefault(value.measure, {})[value.system] = {
            "value": _rounded(value.value),
            "low": _rounded(low),
            "high": _rounded(high),
            "scored": value.items,
            "not_scorable": value.not_scorable,
        }
        if value.group is not None:
            groups.setdefault(value.measure, {})[value.system] = value.group
    return {"values": values, "groups": groups, "pairs": [_pair_object(pair) for pair in one.pairs]}


def _pair_object(pair: Pair) -> dict[str, Any]:
    low, high = pair.interval or (None, None)
    return {
        "metric": pair.measure,
        "system": pair.first,
        "against": pair.second,
        "items": pair.items,
        "left_out": asdict(pair.left_out),
        "value": _rounded(pair.first_value),
        "against_value": _rounded(pair.second_value),
        "difference": _rounded(pair.difference),
        "low": _rounded(low),
        "high": _rounded(high),
        "wins": _rounded(pair.wins),
        "tests": {
            test: {"p": _rounded(found.p), "corrected": _rounded(found.corrected)}
            for test, found in pair.tests.items()
        },
        "paired_d": _rounded(pair.paired_d),
        "magnitude": magnitude_of_d(pair.paired_d),
        "cliffs_delta": _rounded(pair.cliffs_delta),
        "better": pair.winner,
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6)
