"""A comparison as tables for people; what machines read is in `records`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from adequa.analysis.compare.model import Comparison, Measure, Slice, SystemPair, SystemValue
from adequa.errors import UnknownName
from adequa.stats.effects import magnitude_of_d
from adequa.tables import Cell, Column, Table, escape_markdown, one_line

# ---
# A comparison for machines: one long table, or one JSON object.
# ---


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


def _pair_object(pair: SystemPair) -> dict[str, Any]:
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


FORMATS = ("text", "markdown", "latex", "json", "csv")
SHOWN_PAIRS = 40
"""More rows than this nobody reads in a terminal; the letters say the same in short."""

_TEST_WORDS = {"bootstrap": "paired bootstrap", "randomisation": "approximate randomisation"}
_CORRECTION_WORDS = {
    "holm": "p corrected after Holm",
    "bonferroni": "p corrected after Bonferroni",
    "bh": "p corrected after Benjamini and Hochberg",
    "none": "p not corrected",
}


def render(comparison: Comparison, form: str = "text", *, every_pair: bool = False) -> str:
    """A comparison written down; text, Markdown and LaTeX leave out what is too much to read."""
    if form == "json":
        return json.dumps(to_object(comparison), ensure_ascii=False, allow_nan=False, indent=2)
    if form == "csv":
        return long_table(comparison).csv()
    writers: Mapping[str, Callable[[Table], str]] = {
        "text": Table.text,
        "markdown": Table.markdown,
        "latex": Table.latex,
    }
    if form not in writers:
        raise UnknownName("format", form, FORMATS)
    tables = comparison_tables(comparison, every_pair=every_pair)
    remarks = [one_line(remark) for remark in _remarks(comparison, every_pair=every_pair)]
    if form == "latex":
        remarks = ["\n".join(f"% {remark}" for remark in remarks)]
    elif form == "markdown":
        remarks = [escape_markdown(remark) for remark in remarks]
    else:
        remarks = ["\n".join(remarks)]
    return "\n\n".join([*(writers[form](table) for table in tables), *remarks]).rstrip()


def comparison_tables(comparison: Comparison, *, every_pair: bool = False) -> list[Table]:
    """Systems by measures, over all and by slice, then the pairs."""
    tables = [_systems_table(comparison)]
    if comparison.slices:
        tables.append(_slices_table(comparison))
    if _shows(comparison.overall.pairs, every_pair):
        tables.append(_pairs_table("Pairs", [comparison.overall], comparison))
    if _shows(_slice_pairs(comparison), every_pair):
        tables.append(_pairs_table(f"Pairs by {comparison.by}", comparison.slices, comparison))
    return tables


def _shows(pairs: Sequence[SystemPair], every_pair: bool) -> bool:
    return bool(pairs) and (every_pair or len(pairs) <= SHOWN_PAIRS)


def _slice_pairs(comparison: Comparison) -> list[SystemPair]:
    return [pair for one in comparison.slices for pair in one.pairs]


def _systems_table(comparison: Comparison) -> Table:
    return Table(
        f"{_counted(len(comparison.systems), 'system')}, value ± half its "
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
    found: dict[str, list[SystemValue]] = {}
    for value in one.values:
        found.setdefault(value.system, []).append(value)
    return found


def _group_width(slices: Sequence[Slice]) -> int:
    return max((len(value.group or "") for one in slices for value in one.values), default=0)


def _system_rows(one: Slice, comparison: Comparison, width: int) -> list[list[Cell]]:
    """A row a system, the best by the first measure on top."""
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
        shown += f" ± {(value.interval[1] - value.interval[0]) / 2:.{digits}f}"
    # The padding keeps the numbers in line, whatever the number of letters.
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
        for pair in one.pairs:
            places = digits[pair.measure]
            rows.append(
                [
                    *([one.name] if by else []),
                    pair.measure,
                    pair.first,
                    pair.second,
                    pair.items,
                    None if pair.difference is None else _signed(pair.difference, places),
                    None
                    if pair.interval is None
                    else " … ".join(_signed(end, places) for end in pair.interval),
                    *(
                        found.corrected if corrected else found.p
                        for found in (pair.tests[test] for test in comparison.tests)
                    ),
                    pair.paired_d,
                    magnitude_of_d(pair.paired_d),
                    pair.winner,
                ]
            )
    return Table(title, columns, rows)


def _signed(value: float, places: int) -> str:
    # What rounds to nothing has no direction.
    shown = f"{value:+.{places}f}"
    return shown if float(shown) else shown[1:]


def _digits(comparison: Comparison) -> dict[str, int]:
    """Three digits for a measure that lives between 0 and 1, two for one that counts to 100."""
    return {
        measure.name: 3 if _largest(comparison, measure) <= 1.5 else 2
        for measure in comparison.measures
    }


def _largest(comparison: Comparison, measure: Measure) -> float:
    found = [
        abs(value.value)
        for value in comparison.overall.values
        if value.measure == measure.name and value.value is not None
    ]
    return max(found, default=0.0)


def _remarks(comparison: Comparison, *, every_pair: bool) -> list[str]:
    """What a reader of the tables must know to trust them."""
    pairs = [*comparison.overall.pairs, *_slice_pairs(comparison)]
    remarks = []
    if pairs:
        tests = " and ".join(
            f"{_TEST_WORDS[test]} ({comparison.trials[test]:,} trials)" for test in comparison.tests
        )
        alpha = f"p < {1 - comparison.level:.3g}"
        how = f"{tests}, seed {comparison.seed}, {_CORRECTION_WORDS[comparison.correction]}"
        remarks.append(
            f"Systems that share a letter do not differ ({alpha}): {how}."
            if comparison.baseline is None
            else f"A star marks what differs from {comparison.baseline} ({alpha}): {how}."
        )
    hidden = sum(
        len(some)
        for some in (comparison.overall.pairs, _slice_pairs(comparison))
        if not _shows(some, every_pair)
    )
    if hidden:
        remarks.append(
            f"{hidden:,} pairs are not shown: --pairs shows them, --format csv or json has all, "
            "--baseline SYSTEM asks for fewer."
        )
    remarks += _left_out(comparison.overall.pairs)
    return [*remarks, *comparison.notes]


def _left_out(pairs: Sequence[SystemPair]) -> list[str]:
    """One line a reason, with the pair that lost most by it."""
    reasons = {
        "only_first": "are in {first} only",
        "only_second": "are in {second} only",
        "not_scorable": "could not be scored in both",
        "different_triples": "have other triples in one than in the other",
    }
    lines = []
    for reason, words in reasons.items():
        losing = [pair for pair in pairs if getattr(pair.left_out, reason)]
        if losing:
            worst = max(losing, key=lambda pair: int(getattr(pair.left_out, reason)))
            said = words.format(first=worst.first, second=worst.second)
            more = "" if len(losing) == 1 else f", and {len(losing) - 1} more pairs leave some out"
            lines.append(
                f"Left out of {worst.first} against {worst.second} by {worst.measure}: "
                f"{_counted(getattr(worst.left_out, reason), 'item')} that {said}{more}."
            )
    return lines


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _percent(level: float) -> str:
    return f"{100 * level:.3g} %"
