"""An analysis of judgments as tables, pictures, one long table and JSON."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from itertools import product
from typing import Any

from adequa.charts import series_chart
from adequa.human.analysis.study import Analysis, GroupDifference, Part, SystemScore
from adequa.human.judgments import Preference
from adequa.stats import CORRECTION_NOTES
from adequa.tables import Cell, Column, Table, as_json, render_tables, rounded, significant

FORMATS = ("text", "markdown", "latex", "csv", "json")
_BESIDE = 6
"""Values of a breakdown that are side by side in one table."""


def render_analysis(analysis: Analysis, form: str = "text") -> str:
    """The analysis in one of the formats, without a newline at the end."""
    if form == "json":
        return as_json(analysis_to_object(analysis))
    if form == "csv":
        return _long_table(analysis).csv()
    notes = (*_legend(analysis), *analysis.notes)
    return render_tables(analysis_tables(analysis), notes, form, forms=FORMATS)


def render_preferences(found: Sequence[Preference], form: str = "text") -> str:
    """Pairs of systems in one of the formats, without a newline at the end."""
    if form == "json":
        return as_json({"preferences": [asdict(one) | {"losses": one.losses} for one in found]})
    columns: dict[str | Column, Any] = {
        "criterion": "criterion",
        "first": "first",
        "second": "second",
        "texts": "texts",
        "answers": "answers",
        "first better": "wins",
        "alike": "ties",
        "second better": "losses",
        "mean": "mean",
        Column("p", 4): "p",
    }
    table = Table.of("Preferences", found, columns)
    if form == "csv":
        return table.csv()
    notes = ["A text is decided by the mean of its answers; p is that of the sign test over texts."]
    return render_tables([table], notes, form, forms=FORMATS)


def analysis_tables(analysis: Analysis) -> list[Table]:
    """One table per criterion, then one per breakdown and criterion, values side by side."""
    tables = [_criterion_table(analysis, criterion) for criterion in analysis.criteria]
    for (field, parts), criterion in product(analysis.by.items(), analysis.criteria):
        tables += _breakdown_tables(field, criterion, parts)
    return tables


def _legend(analysis: Analysis) -> Iterator[str]:
    settings = analysis.settings
    values = "the mean judgments of texts" if settings.data == "averaged" else "single judgments"
    if settings.z:
        values += ", standardised by rater (z)"
    if len(analysis.systems) > 1:
        yield (
            f"Systems that share a letter do not differ: Wilcoxon's {settings.test} test of "
            f"{values}, alpha {settings.alpha:g}, {CORRECTION_NOTES[settings.correction]}."
        )
    yield (
        f"Intervals and ranks: the middle {1 - settings.alpha:.0%} of {settings.n:,} resamples of "
        f"inputs (seed {settings.seed}), over {values}."
    )
    if settings.lower_is_better:
        yield f"Lower is better: {', '.join(settings.lower_is_better)}."
    if analysis.excluded:
        yield f"Without the raters {', '.join(analysis.excluded)}."


def _criterion_table(analysis: Analysis, criterion: str) -> Table:
    part = analysis.overall
    scores = part.of(criterion)
    judged = any(score.judgments is not None for score in scores)
    unseen = any(score.not_shown for score in scores)
    letters = part.groups[criterion].letters
    columns: dict[str | Column, str | Callable[[SystemScore], Cell]] = {
        Column("system", align="left"): "system",
        Column("mean", 2): "mean",
        Column(f"{1 - analysis.settings.alpha:.0%} interval", align="right"): _interval,
        Column("median", 2): "median",
        "texts": "texts",
        **({"judgments": "judgments"} if judged else {}),
        **({"not shown": "not_shown"} if unseen else {}),
        Column("rank", align="right"): _ranks,
        Column("group", align="left"): lambda score: letters.get(score.system),
    }
    return Table.of(criterion, scores, columns)


def _interval(score: SystemScore) -> str | None:
    if score.interval is None:
        return None
    # Adding zero turns -0.0 into 0.0.
    low, high = (round(end, 2) + 0.0 for end in score.interval)
    return f"{low:.2f} to {high:.2f}"


def _ranks(score: SystemScore) -> str:
    low, high = score.ranks or (score.rank, score.rank)
    return str(low) if low == high else f"{low}-{high}"


def _breakdown_tables(field: str, criterion: str, parts: Sequence[Part]) -> Iterator[Table]:
    """Systems in the rows, ordered by the first value; a few values per table."""
    rated = [part for part in parts if part.of(criterion)]
    for start in range(0, len(rated), _BESIDE):
        some = rated[start : start + _BESIDE]
        scores = [part.of(criterion) for part in some]
        groups = [group for part in some for group in part.groups[criterion].letters.values()]
        width = max(map(len, groups), default=0)
        cells = [
            {score.system: _cell(score, part, width) for score in found}
            for part, found in zip(some, scores, strict=True)
        ]
        sizes = [max(score.texts for score in found) for found in scores]
        heads = [f"{part.name} ({size:,})" for part, size in zip(some, sizes, strict=True)]
        columns = [Column("system", align="left"), *(Column(one, align="right") for one in heads)]
        order = dict.fromkeys(score.system for found in scores for score in found)
        rows: list[list[Cell]] = [[name, *(found.get(name) for found in cells)] for name in order]
        yield Table(f"{criterion} by {field}", columns, rows)


def _cell(score: SystemScore, part: Part, width: int) -> str:
    # Padding aligns the numbers for any number of letters.
    letters = part.groups[score.criterion].letters.get(score.system, "")
    return f"{round(score.mean, 2) + 0.0:.2f} {letters.ljust(width)}"


def _long_table(analysis: Analysis) -> Table:
    """One row per system, criterion and part; rows over all texts have no `by` and `value`."""
    columns = [
        *("by", "value", "criterion", "system", "mean", "low", "high", "median", "texts"),
        *("judgments", "not_shown", "rank", "rank_low", "rank_high", "group"),
    ]
    rows: list[list[Cell]] = []
    parts: list[tuple[str | None, Part]] = [(None, analysis.overall)]
    parts += [(field, part) for field, some in analysis.by.items() for part in some]
    for field, part in parts:
        for score in part.scores:
            low, high = score.interval or (None, None)
            rows.append(
                [
                    *(field, part.name, score.criterion, score.system, rounded(score.mean)),
                    *(rounded(low), rounded(high), rounded(score.median), score.texts),
                    *(score.judgments, score.not_shown, score.rank),
                    *(score.ranks or (None, None)),
                    part.groups[score.criterion].letters.get(score.system),
                ]
            )
    return Table("", columns, rows)


def analysis_to_object(analysis: Analysis) -> dict[str, Any]:
    """The analysis as JSON: means, groups and so on by criterion and system, parts under `by`."""
    settings = analysis.settings
    return {
        "criteria": list(analysis.criteria),
        "systems": list(analysis.systems),
        "settings": {**asdict(settings), "lower_is_better": list(settings.lower_is_better)},
        "excluded": list(analysis.excluded),
        **_part_object(analysis.overall),
        "by": {
            field: {str(part.name): _part_object(part) for part in parts}
            for field, parts in analysis.by.items()
        },
        "notes": list(analysis.notes),
    }


def _part_object(part: Part) -> dict[str, Any]:
    def each(value: Callable[[SystemScore], Any]) -> dict[str, dict[str, Any]]:
        found: dict[str, dict[str, Any]] = {}
        for score in part.scores:
            found.setdefault(score.criterion, {})[score.system] = value(score)
        return found

    return {
        "means": each(lambda score: rounded(score.mean)),
        "groups": {name: dict(grouping.letters) for name, grouping in part.groups.items()},
        "intervals": each(lambda score: _pair(score.interval)),
        "medians": each(lambda score: rounded(score.median)),
        "ranks": each(lambda score: {"rank": score.rank, "range": _pair(score.ranks)}),
        "counts": each(
            lambda score: {n: getattr(score, n) for n in ("texts", "judgments", "not_shown")}
        ),
        "pairs": {
            name: [_pair_object(pair) for pair in grouping.differences]
            for name, grouping in part.groups.items()
        },
    }


def _pair_object(pair: GroupDifference) -> dict[str, Any]:
    found = asdict(pair) | {"p": significant(pair.p), "corrected": significant(pair.corrected)}
    del found["values"]
    return found


def _pair(values: tuple[float, float] | None) -> list[float] | None:
    return None if values is None else [round(value, 6) for value in values]


def analysis_pictures(analysis: Analysis) -> dict[str, str]:
    """Mean scores over the values of each breakdown, as SVG by file name without its suffix."""
    pictures: dict[str, str] = {}
    for (field, parts), criterion in product(analysis.by.items(), analysis.criteria):
        rated = {str(part.name): part.of(criterion) for part in parts if part.of(criterion)}
        means = {name: {one.system: one.mean for one in found} for name, found in rated.items()}
        lines = {
            system: [(name, found.get(system)) for name, found in means.items()]
            for system in analysis.systems
        }
        pictures[_file_name(f"{criterion}-by-{field}", pictures)] = series_chart(
            lines, title=f"{criterion}: mean by {field}", x_label=field, y_label=f"mean {criterion}"
        )
    return pictures


def _file_name(wanted: str, taken: dict[str, str]) -> str:
    """A new file name of letters, digits, dots and dashes, because criteria can have any name."""
    plain = re.sub(r"[^\w.-]+", "-", wanted).strip(".-") or "picture"
    name, number = plain, 2
    while name in taken:
        name, number = f"{plain}-{number}", number + 1
    return name
