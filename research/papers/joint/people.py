"""Paper 003's scores and human ratings: section 6.2, Figure 6, and the scatter of appendix B."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Literal, get_args

import numpy as np

from adequa.stats import percentile_interval
from adequa.stats.correlations import (
    COEFFICIENTS,
    Matrix,
    cluster_counts,
    complete_pairs,
    resampled_correlations,
)
from adequa.tables import Cell, Column, Table
from research.papers.figures import Bar, bars, scatter
from research.papers.joint.data import NO_WEIGHTS, JointStudy, RatedTexts
from research.papers.joint.models import PARTS, Values
from research.papers.joint.printed import BI_CROSS, CORRELATIONS, RATED_TEXTS
from research.papers.section import Section

Coefficient = Literal["pearson", "spearman"]
_COEFFICIENTS: tuple[Coefficient, ...] = get_args(Coefficient)
RESAMPLES = 1000
MEAN = "mean"
NO_RATINGS = "n/a: no rated texts; see the list of missing data"
_TITLES = {2020: "Figure 6, 2020", 2017: "Ratings of 2017"}
_KEYS = {2020: "figure6", 2017: "ratings2017"}


@dataclass(frozen=True)
class JointAgreement:
    """The correlation of a measure with a criterion, or its mean over several criteria."""

    measure: str
    coefficient: Coefficient
    criterion: str
    value: float | None
    interval: tuple[float, float] | None
    texts: int
    paper: float | None = None


def bi_and_cross(study: JointStudy) -> Section:
    """The correlation of bi-encoder and cross-encoder scores on the rated texts of 2020."""
    rated = study.rated(2020)
    notes = [] if rated else [NO_RATINGS]
    rows: list[list[Cell]] = [["paper", BI_CROSS, None, RATED_TEXTS]]
    measures = study.measures(2020)
    for model in study.models if rated else ():
        bi, cross = (measures.get(study.label(part, model)) for part in ("bi", "cross"))
        if bi is None or cross is None:
            notes.append(f"n/a: {model.name}: {model.reason('bi' if bi is None else 'cross')}")
            continue
        pairs = complete_pairs(bi, cross)
        found = [COEFFICIENTS[name](*pairs) for name in _COEFFICIENTS]
        rows.append([model.name, *(one.value if one else None for one in found), len(pairs[0])])
    if not study.models:
        notes.append(f"n/a: our models: {NO_WEIGHTS}")
    columns: list[str | Column] = ["weights", "Pearson", "Spearman", "texts"]
    title = "Section 6.2: correlation of bi-encoder and cross-encoder scores, 2020"
    return Section("section6.2", [Table(title, columns, rows)], notes=notes)


def correlations(study: JointStudy, year: int) -> Section:
    """Each measure with each criterion of adequacy; intervals from resampled entries."""
    rated = study.rated(year)
    if rated is None:
        return Section(_KEYS[year], notes=[NO_RATINGS])
    counts = cluster_counts([item.id for item in rated.items], n=RESAMPLES, seed=study.seed)
    found = [
        agreement
        for name, values in study.measures(year).items()
        for coefficient in _COEFFICIENTS
        for agreement in _agreements(rated, name, values, coefficient, counts)
    ]
    last = found[-1].criterion
    shown = {
        coefficient.title(): [
            Bar(one.measure, one.value, one.interval)
            for one in found
            if (one.coefficient, one.criterion) == (coefficient, last) and one.value is not None
        ]
        for coefficient in _COEFFICIENTS
    }
    title = f"{_TITLES[year]}: correlation with {'three criteria' if last == MEAN else last}"
    return Section(
        _KEYS[year],
        [_table(rated, coefficient, found) for coefficient in _COEFFICIENTS],
        notes=_notes(study, rated),
        records=[asdict(one) for one in found],
        files={f"{_KEYS[year]}.svg": partial(bars, shown, title)},
    )


def _agreements(
    rated: RatedTexts, measure: str, values: Values, coefficient: Coefficient, counts: Matrix
) -> list[JointAgreement]:
    """One per criterion, and one for their mean if there are several."""
    found, replicates = [], []
    for criterion, ratings in rated.criteria.items():
        first, second = complete_pairs(values, ratings)
        value = COEFFICIENTS[coefficient](first, second)
        interval = None
        if value is not None:
            both = [
                place
                for place, (one, other) in enumerate(zip(values, ratings, strict=True))
                if one is not None and other is not None
            ]
            replicates.append(resampled_correlations(first, second, counts[:, both], coefficient))
            interval = percentile_interval(replicates[-1])
        number = value.value if value else None
        found.append(JointAgreement(measure, coefficient, criterion, number, interval, len(first)))
    if len(found) == 1:
        return found
    numbers = [one.value for one in found if one.value is not None]
    complete = len(numbers) == len(found)
    mean = JointAgreement(
        measure,
        coefficient,
        MEAN,
        float(np.mean(numbers)) if complete else None,
        percentile_interval(np.mean(replicates, axis=0)) if complete else None,
        min(one.texts for one in found),
        CORRELATIONS.get((measure, coefficient)),
    )
    return [*found, mean]


def _table(rated: RatedTexts, coefficient: str, found: Sequence[JointAgreement]) -> Table:
    """One row per measure; the interval is that of the last criterion or of the mean."""
    rows: dict[str, list[Cell]] = {}
    lasts: dict[str, JointAgreement] = {}
    for one in found:
        if one.coefficient == coefficient:
            rows.setdefault(one.measure, [one.measure]).append(one.value)
            lasts[one.measure] = one
    several = len(rated.criteria) > 1
    for measure, row in rows.items():
        interval = lasts[measure].interval
        row.append(f"{interval[0]:.3f} to {interval[1]:.3f}" if interval else None)
        row += [lasts[measure].paper] if several else []
    columns: list[str | Column] = [
        *("measure", *rated.criteria, *((MEAN,) if several else ()), "95 %"),
        *(("paper's mean",) if several else ()),
    ]
    title = f"{_TITLES[rated.year]}: {coefficient.title()}, {len(rated.items):,} texts of systems"
    return Table(title, columns, list(rows.values()))


def _notes(study: JointStudy, rated: RatedTexts) -> list[str]:
    notes = study.without_scores(study.measures(rated.year))
    entries = len({item.id for item in rated.items})
    notes.append(
        f"intervals: {RESAMPLES:,} resamples of the {entries} entries, each with all its texts"
    )
    if rated.year == 2017:
        return [
            *notes,
            "the paper trains on these ratings and has no figure of them; no human references",
            (
                "WebNLG v3.0 train, on which our models are trained, contains entries of the 2017 "
                "test set; scores fine-tuned on these ratings are not out of fold here"
            ),
            "n/a: fact-spotter: its scores of these texts are not available",
        ]
    return [
        *notes,
        *([] if rated.given else ["n/a: the peers: human/peers.jsonl is missing"]),
        f"{entries} of the 178 rated entries are public; the paper uses all of them",
        (
            "the paper's means: similarity as read off Figure 6, BLEURT by the differences in "
            "section 6.3 (+0.053 Pearson, -0.047 Spearman)"
        ),
        "bleurt, bert-f1, bart, meteor and bleu use references, fact-spotter does not",
        "n/a: Data-QuestEval: its scores are not available",
    ]


def figure_8(study: JointStudy) -> Section:
    """One dot per text: the mean rating against our metric and against BLEURT."""
    rated = study.rated(2020)
    if rated is None:
        return Section("figure8", notes=[NO_RATINGS])
    measures = study.measures(2020)
    people: Values = []
    for row in zip(*rated.criteria.values(), strict=True):
        numbers = [value for value in row if value is not None]
        people.append(sum(numbers) / len(numbers) if len(numbers) == len(row) else None)
    ours = next((name for name in reversed(PARTS.values()) if name in measures), "esa")
    panels = {}
    rows: list[list[Cell]] = []
    for name in (ours, "bleurt"):
        if name in measures:
            first, second = complete_pairs(people, measures[name])
            panels[name] = list(zip(first.tolist(), second.tolist(), strict=True))
            found = [COEFFICIENTS[coefficient](first, second) for coefficient in _COEFFICIENTS]
            rows.append([name, len(first), *(one.value if one else None for one in found)])
    notes = ["Pearson and Spearman are with the mean rating, not means of three as in Figure 6"]
    if ours != PARTS["similarity"]:
        notes.append(f"n/a: similarity: {ours} is shown instead")
    if "bleurt" not in panels:
        notes.append("n/a: bleurt: human/peers.jsonl is missing")
    title = "Figure 8: ratings and metrics by text, 2020"
    columns: list[str | Column] = ["measure", "texts", "Pearson", "Spearman"]
    files = {"figure8.svg": partial(scatter, panels, title, "mean rating of three criteria")}
    return Section("figure8", [Table(title, columns, rows)], notes=notes, files=files)
