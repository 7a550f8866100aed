"""Figures 4 to 7 of paper 004: correlations of human and automatic scores."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations

from adequa.charts import heat_map
from adequa.stats import COEFFICIENTS, Correlation
from adequa.tables import Cell, Column, Table
from research.papers.human.data import AUTOMATIC, REFERENCE, HumanStudy
from research.papers.human.printed import CRITERIA, METRICS
from research.papers.human.ranking import OWN_CORPUS, corpus_values
from research.papers.section import Content, Section, without_zero

NAMES = (*CRITERIA, *AUTOMATIC)
STRONG, WEAK = 0.001, 0.05
"""The paper's text uses p < .001; its figures cross out cells with p above .05."""

Pair = tuple[str, str]
Cells = Mapping[Pair, Correlation | None]
Columns = Mapping[str, Sequence[float]]

_FIGURES = (
    (4, "spearman", "system"),
    (5, "spearman", "text"),
    (6, "pearson", "system"),
    (7, "pearson", "text"),
)
_TEXT_MEANS = "means of the file's text scores"
_PRINTED = "the paper's Table 1"


def figures(study: HumanStudy) -> Section:
    """The four matrices without human references, and the text's statements about them."""
    texts = _text_columns(study)
    by_system = _system_columns(study)
    tables, records = [], []
    pictures: dict[str, Content] = {}
    found: dict[tuple[str, str, str], Cells] = {}
    for number, coefficient, level in _FIGURES:
        sources = by_system if level == "system" else {"the file": texts}
        for source, columns in sources.items():
            cells = _matrix(columns, coefficient)
            found[coefficient, level, source] = cells
            points = len(next(iter(columns.values())))
            tables.append(_table(number, coefficient, level, source, points, cells))
            records += [
                _record(number, coefficient, level, source, pair, one)
                for pair, one in cells.items()
            ]
        first = found[coefficient, level, next(iter(sources))]
        pictures[f"figure{number}.svg"] = _picture(number, coefficient, level, first)
    tables.append(_statements(found))
    brackets = (
        f"in brackets: p is {WEAK} or more (crossed out in the pictures); with only nine systems, "
        "significance depends on which values are used"
    )
    notes = ["human references are left out, as in the paper", brackets]
    return Section("figures4_7", tables, {}, notes, records, pictures)


def _text_columns(study: HumanStudy) -> Columns:
    rows = [row for (system, _), row in study.values.items() if system != REFERENCE]
    return {name: [row[name] for row in rows] for name in NAMES}


def _system_columns(study: HumanStudy) -> dict[str, Columns]:
    """The values of the nine systems, with printed, mean and our corpus-level automatic scores."""
    by_system: dict[str, list[Mapping[str, float]]] = defaultdict(list)
    for (system, _), row in study.values.items():
        by_system[system].append(row)
    means = {
        name: [
            sum(row[name] for row in by_system[system]) / len(by_system[system])
            for system in study.systems
        ]
        for name in NAMES
    }
    printed = {
        name: [METRICS[name][system].value for system in study.systems] for name in AUTOMATIC
    }
    found: dict[str, Columns] = {_PRINTED: {**means, **printed}, _TEXT_MEANS: means}
    own = {name: corpus_values(study, name) for name in AUTOMATIC}
    if all(set(study.systems) <= set(values) for values in own.values()):
        columns = {name: [own[name][system] for system in study.systems] for name in AUTOMATIC}
        found[OWN_CORPUS] = {**means, **columns}
    return found


def _matrix(columns: Columns, coefficient: str) -> Cells:
    return {
        pair: COEFFICIENTS[coefficient](columns[pair[0]], columns[pair[1]])
        for pair in combinations(NAMES, 2)
    }


def _table(
    number: int, coefficient: str, level: str, source: str, points: int, cells: Cells
) -> Table:
    rows: list[list[Cell]] = []
    for name in NAMES[:-1]:
        shown: list[Cell] = [
            _shown(cells[name, other]) if (name, other) in cells else "" for other in NAMES[1:]
        ]
        rows.append([name, *shown])
    title = (
        f"Figure {number}: {coefficient.title()} at {level} level, {points:,} points, automatic "
        f"scores: {source}"
    )
    return Table(title, ["", *(Column(name, align="right") for name in NAMES[1:])], rows)


def _shown(one: Correlation | None) -> str:
    if one is None:
        return "n/a"
    return without_zero(one.value) if one.p < WEAK else f"({without_zero(one.value)})"


def _record(
    number: int, coefficient: str, level: str, source: str, pair: Pair, one: Correlation | None
) -> dict[str, object]:
    return {
        "figure": number,
        "coefficient": coefficient,
        "level": level,
        "source": source,
        "first": pair[0],
        "second": pair[1],
        "value": one.value if one else None,
        "p": one.p if one else None,
        "points": one.pairs if one else None,
    }


def _picture(number: int, coefficient: str, level: str, cells: Cells) -> str:
    values: list[list[float | None]] = [[1.0 if a == b else None for b in NAMES] for a in NAMES]
    crossed = []
    for (first, second), one in cells.items():
        row, column = NAMES.index(second), NAMES.index(first)
        values[row][column] = one.value if one else None
        if one is not None and one.p >= WEAK:
            crossed.append((row, column))
    title = f"Figure {number}: {coefficient.title()} at {level} level, WebNLG 2017"
    return heat_map(NAMES, NAMES, values, title=title, crossed=crossed)


def _statements(found: Mapping[tuple[str, str, str], Cells]) -> Table:
    """The text's statements about Figures 4 and 5 next to our values."""
    across = [(human, metric) for human in CRITERIA for metric in AUTOMATIC]
    text = found["spearman", "text", "the file"]
    sizes = {pair: abs(one.value) for pair, one in text.items() if one is not None}
    best = sizes.get(("semantics", "meteor"))
    rest = [sizes[pair] for pair in across if pair in sizes and pair != ("semantics", "meteor")]
    metrics = [sizes[pair] for pair in combinations(AUTOMATIC, 2) if pair in sizes]
    strong = sum(one is not None and one.p < STRONG for one in text.values())
    rows: list[list[Cell]] = [
        _row("texts: METEOR and semantics", "0.73", _two(best)),
        _row("texts: the rest of human and automatic", "0.49 to 0.59", _span(rest)),
        _row(
            "texts: automatic metrics with each other, from",
            "0.78",
            _two(min(metrics, default=None)),
        ),
        _row(
            "texts: correlations with p < .001",
            "all 15",
            f"all {strong}" if strong == 15 else str(strong),
        ),
    ]
    for (coefficient, level, source), cells in found.items():
        if coefficient == "spearman" and level == "system":
            sure = [pair for pair in across if (one := cells[pair]) and one.p < STRONG]
            said = ", ".join(f"{metric}–{human}" for human, metric in sure) or "none"
            words = f"systems, {source}: human and automatic with p < .001"
            rows.append(_row(words, "meteor–semantics", said))
            for first, second in (("bleu", "ter"), ("grammar", "fluency")):
                one = cells[first, second]
                shown = "n/a" if one is None else f"{without_zero(one.value)}, p {_p(one.p)}"
                held = "n/a" if one is None else "equal" if one.p < WEAK else "different"
                rows.append([f"systems, {source}: {first} and {second}", "strong", shown, held])
    columns = ["statement", "paper", "ours", "is"]
    return Table("Figures 4 and 5: the text's statements", columns, rows)


def _row(words: str, paper: str, ours: str) -> list[Cell]:
    return [
        words,
        paper,
        ours,
        "equal" if paper == ours else "n/a" if ours == "n/a" else "different",
    ]


def _two(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.2f}"


def _span(values: Sequence[float]) -> str:
    return f"{min(values):.2f} to {max(values):.2f}" if values else "n/a"


def _p(value: float) -> str:
    return "< .001" if value < STRONG else f"{value:.3f}"
