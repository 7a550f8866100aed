"""A comparison as tables for people, as one long table, and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from adequa.analysis.comparison.study import Comparison, Slice, SystemPair, SystemValue
from adequa.fields import grouped
from adequa.stats import CORRECTION_NOTES, magnitude_of_d
from adequa.tables import (
    Cell,
    Column,
    Table,
    as_json,
    counted,
    interval_words,
    render_tables,
    rounded,
)

FORMATS = ("text", "markdown", "latex", "json", "csv")
SHOWN_PAIRS = 40
"""Longer tables of pairs are hidden by default, because the letters summarise them."""

_TEST_NAMES = {"bootstrap": "paired bootstrap", "randomisation": "approximate randomisation"}


def render_comparison(
    comparison: Comparison, form: str = "text", *, every_pair: bool = False
) -> str:
    """A comparison in one of the formats; long tables of pairs are hidden from people."""
    if form == "json":
        return as_json(comparison_to_object(comparison))
    if form == "csv":
        return _long_table(comparison).csv()
    return render_tables(
        comparison_tables(comparison, every_pair=every_pair),
        _notes(comparison, every_pair=every_pair),
        form,
        forms=FORMATS,
    )


def comparison_to_object(comparison: Comparison) -> dict[str, Any]:
    """The comparison as JSON: values and groups by metric and system, then the pairs."""
    return {
        "runs": list(comparison.runs),
        "systems": list(comparison.systems),
        "metrics": {
            one.name: {key: value for key, value in asdict(one).items() if key != "name"}
            for one in comparison.measures
        },
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


def _slice_object(one: Slice) -> dict[str, Any]:
    values: dict[str, dict[str, Any]] = {}
    groups: dict[str, dict[str, str]] = {}
    for value in one.values:
        values.setdefault(value.measure, {})[value.system] = {
            **_value_object(value),
            "scored": value.items,
            "not_scorable": value.not_scorable,
        }
        if value.group is not None:
            groups.setdefault(value.measure, {})[value.system] = value.group
    return {"values": values, "groups": groups, "pairs": [_pair_object(pair) for pair in one.pairs]}


def _value_object(value: SystemValue) -> dict[str, float | None]:
    low, high = value.interval or (None, None)
    return {"value": rounded(value.value), "low": rounded(low), "high": rounded(high)}


def _pair_object(pair: SystemPair) -> dict[str, Any]:
    low, high = pair.interval or (None, None)
    return {
        "metric": pair.measure,
        "system": pair.first,
        "against": pair.second,
        "items": pair.items,
        "left_out": asdict(pair.left_out),
        "value": rounded(pair.first_value),
        "against_value": rounded(pair.second_value),
        "difference": rounded(pair.difference),
        "low": rounded(low),
        "high": rounded(high),
        "wins": rounded(pair.wins),
        "tests": {
            test: {"p": rounded(found.p), "corrected": rounded(found.corrected)}
            for test, found in pair.tests.items()
        },
        "paired_d": rounded(pair.paired_d),
        "magnitude": magnitude_of_d(pair.paired_d),
        "cliffs_delta": rounded(pair.cliffs_delta),
        "better": pair.winner,
    }


def _long_table(comparison: Comparison) -> Table:
    """One row per system, without `against`, then one per pair; over all items without `slice`."""
    columns = [
        *("slice", "metric", "system", "against", "items", "left_out", "value", "low", "high"),
        *("group", "against_value", "difference", "difference_low", "difference_high"),
        *(f"{name}_{test}" for test in comparison.tests for name in ("p", "corrected_p")),
        *("wins", "paired_d", "cliffs_delta", "better"),
    ]
    rows: list[dict[str, Any]] = []
    for one in (comparison.overall, *comparison.slices):
        rows += [
            {
                "slice": one.name,
                "metric": value.measure,
                "system": value.system,
                "items": value.items,
                "left_out": value.not_scorable,
                "group": value.group,
                **_value_object(value),
            }
            for value in one.values
        ]
        for pair in one.pairs:
            row = _pair_object(pair)
            for test, found in row["tests"].items():
                row |= {f"p_{test}": found["p"], f"corrected_p_{test}": found["corrected"]}
            row["difference_low"], row["difference_high"] = row.pop("low"), row.pop("high")
            rows.append(row | {"slice": one.name, "left_out": pair.left_out.total})
    return Table("", columns, [[row.get(name) for name in columns] for row in rows])


def comparison_tables(comparison: Comparison, *, every_pair: bool = False) -> list[Table]:
    """Systems by measures, over all and by slice, then the pairs."""
    tables = [_systems_table(comparison)]
    if comparison.slices:
        tables.append(_slices_table(comparison))
    if _is_shown(comparison.overall.pairs, every_pair):
        tables.append(_pairs_table("Pairs", [comparison.overall], comparison))
    if _is_shown(_slice_pairs(comparison), every_pair):
        tables.append(_pairs_table(f"Pairs by {comparison.by}", comparison.slices, comparison))
    return tables


def _is_shown(pairs: Sequence[SystemPair], every_pair: bool) -> bool:
    return any(map(_has_items, pairs)) and (every_pair or len(pairs) <= SHOWN_PAIRS)


def _slice_pairs(comparison: Comparison) -> list[SystemPair]:
    return [pair for one in comparison.slices for pair in one.pairs]


def _systems_table(comparison: Comparison) -> Table:
    return Table(
        f"{counted(len(comparison.systems), 'system')}, value and its "
        f"{_percent(comparison.level)} interval",
        [Column("system", align="left"), *_measure_columns(comparison)],
        _system_rows(comparison.overall, comparison, _group_width([comparison.overall])),
    )


def _slices_table(comparison: Comparison) -> Table:
    columns: list[str | Column] = [
        Column(str(comparison.by), align="left"),
        "items",
        Column("system", align="left"),
        *_measure_columns(comparison),
    ]
    rows: list[list[Cell]] = []
    width = _group_width(comparison.slices)
    for one in comparison.slices:
        items = {
            system: max(value.items + value.not_scorable for value in values)
            for system, values in _by_system(one).items()
        }
        rows += [
            [one.name, items[str(row[0])], *row]
            for row in _system_rows(one, comparison, width)
            if items[str(row[0])]
        ]
    return Table(f"By {comparison.by}", columns, rows)


def _measure_columns(comparison: Comparison) -> list[Column]:
    return [
        Column(f"{measure.name} {'↑' if measure.higher_is_better else '↓'}", align="right")
        for measure in comparison.measures
    ]


def _by_system(one: Slice) -> dict[str, list[SystemValue]]:
    return grouped(one.values, lambda value: value.system)


def _group_width(slices: Sequence[Slice]) -> int:
    return max((len(value.group or "") for one in slices for value in one.values), default=0)


def _system_rows(one: Slice, comparison: Comparison, width: int) -> list[list[Cell]]:
    """One row per system, the best by the first measure on top."""
    systems = _by_system(one)
    digits = _digits(comparison)
    ranked = sorted(systems, key=lambda name: comparison.measures[0].rank(systems[name][0].value))
    return [
        [name, *(_value_cell(value, digits[value.measure], width) for value in systems[name])]
        for name in ranked
    ]


def _value_cell(value: SystemValue, digits: int, width: int) -> Cell:
    if value.value is None:
        return None
    shown = f"{value.value:.{digits}f}"
    if value.interval is not None:
        shown += f" {interval_words(value.value, value.interval, digits)}"
    # The padding aligns the numbers for any number of letters.
    return shown + (" " + (value.group or "").ljust(width) if width else "")


def _pairs_table(title: str, slices: Sequence[Slice], comparison: Comparison) -> Table:
    by = [Column(str(comparison.by), align="left")] if slices[0].name is not None else []
    corrected = comparison.correction != "none"
    tests = [
        Column(f"p {test}" if len(comparison.tests) > 1 else "p", 4) for test in comparison.tests
    ]
    columns: list[str | Column] = [
        *by,
        "metric",
        "system",
        "against",
        "items",
        Column("difference", align="right"),
        Column(f"{_percent(comparison.level)} interval", align="right"),
        *tests,
        Column("d of items", 2),
        "effect",
        "better",
    ]
    digits = _digits(comparison)
    rows: list[list[Cell]] = []
    for one in slices:
        for pair in filter(_has_items, one.pairs):
            places = digits[pair.measure]
            tested = [pair.tests[test] for test in comparison.tests]
            ends = [_signed(end, places) for end in pair.interval or ()]
            row: list[Cell] = [one.name] if by else []
            row += [pair.measure, pair.first, pair.second, pair.items]
            row += [None if pair.difference is None else _signed(pair.difference, places)]
            row += [" … ".join(ends) or None]
            row += [found.corrected if corrected else found.p for found in tested]
            row += [pair.paired_d, magnitude_of_d(pair.paired_d), pair.winner]
            rows.append(row)
    return Table(title, columns, rows)


def _has_items(pair: SystemPair) -> bool:
    """Whether there is anything to say of a pair; a note tells which are not compared."""
    return pair.items > 0


def _signed(value: float, places: int) -> str:
    # A difference that rounds to zero has no sign.
    shown = f"{value:+.{places}f}"
    return shown if float(shown) else shown[1:]


def _digits(comparison: Comparison) -> dict[str, int]:
    """Three decimals for measures between 0 and 1, two for measures up to 100."""
    largest = {measure.name: 0.0 for measure in comparison.measures}
    for one in comparison.overall.values:
        largest[one.measure] = max(largest[one.measure], abs(one.value or 0.0))
    return {name: 3 if most <= 1.5 else 2 for name, most in largest.items()}


_MOST_UNSCORED = 6
"""Systems and metrics with texts that are not scorable, shown in one note."""


def _notes(comparison: Comparison, *, every_pair: bool) -> list[str]:
    """The settings of the tests, and the rows that the tables leave out."""
    slice_pairs = _slice_pairs(comparison)
    notes = []
    if any(pair.is_tested for pair in (*comparison.overall.pairs, *slice_pairs)):
        tests = " and ".join(
            f"{_TEST_NAMES[test]} ({comparison.trials[test]:,} trials)" for test in comparison.tests
        )
        alpha = f"p < {1 - comparison.level:.3g}"
        how = f"{tests}, seed {comparison.seed}, {CORRECTION_NOTES[comparison.correction]}"
        notes.append(
            f"Systems that share a letter do not differ ({alpha}): {how}."
            if comparison.baseline is None
            else f"A star marks systems that differ from {comparison.baseline} ({alpha}): {how}."
        )
    hidden = sum(
        len(some)
        for some in (comparison.overall.pairs, slice_pairs)
        if not every_pair and len(some) > SHOWN_PAIRS
    )
    if hidden:
        notes.append(
            f"{hidden:,} pairs are not shown here; CSV and JSON have all of them. With a baseline "
            "there are fewer."
        )
    unscored = [
        f"{counted(value.not_scorable, 'text')} of {value.system} by {value.measure}"
        for value in comparison.overall.values
        if value.not_scorable
    ]
    if unscored:
        more = len(unscored) - _MOST_UNSCORED
        listed = ", ".join(unscored[:_MOST_UNSCORED]) + (f" and {more} more" if more > 0 else "")
        notes.append(f"Not scorable, and in no value: {listed}.")
    return [
        *notes,
        *_exclusion_notes([*filter(_has_items, comparison.overall.pairs)]),
        *comparison.notes,
    ]


def _exclusion_notes(pairs: Sequence[SystemPair]) -> list[str]:
    """One line per reason for leaving out items, with the pair that lost most."""
    reasons = {
        "only_first": "are in {first} only",
        "only_second": "are in {second} only",
        "not_scorable": "could not be scored in both",
        "different_triples": "have different triples in the two systems",
    }
    lines = []
    for reason, words in reasons.items():
        losing = [pair for pair in pairs if getattr(pair.left_out, reason)]
        if losing:
            worst = max(losing, key=lambda pair: int(getattr(pair.left_out, reason)))
            why = words.format(first=worst.first, second=worst.second)
            more = "" if len(losing) == 1 else f"; {len(losing) - 1} more pairs leave some out"
            lines.append(
                f"Left out of {worst.first} against {worst.second} by {worst.measure}: "
                f"{counted(getattr(worst.left_out, reason), 'item')} that {why}{more}."
            )
    return lines


def _percent(level: float) -> str:
    return f"{100 * level:.3g} %"
