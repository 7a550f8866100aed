"""Meta-evaluation: how well each metric agrees with people, and how certain that is.

A study is shown as tables, heat maps, one long table and JSON. Tables have criteria in the columns
and metrics in the rows; the best of each column is marked.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from adequa.analysis.correlation import agreement
from adequa.analysis.correlation import sample as samples
from adequa.analysis.correlation.sample import MetricValues, RatedSample, ScoreSource, Text, Where
from adequa.charts import heat_map, save_picture
from adequa.data import Rating
from adequa.errors import DataError, SettingError, require_known
from adequa.fields import grouped
from adequa.files import as_list, write_errors
from adequa.human.judgments import Key, averaged
from adequa.progress import Progress, silent
from adequa.run import Run, open_run
from adequa.stats import COEFFICIENTS, require_draws
from adequa.tables import Cell, Column, Table, render_tables, rounded, significant


@dataclass(frozen=True, slots=True)
class Study:
    """All results of a study, in display order."""

    sample: RatedSample
    measured: tuple[MetricValues, ...]
    options: agreement.Options
    results: tuple[agreement.MetricAgreement, ...]
    ceiling: tuple[agreement.MetricAgreement, ...] = ()
    footing: tuple[agreement.MetricAgreement, ...] = ()
    """Each metric against the mean of all raters but one, over the same pairs as the ceiling."""
    comparisons: tuple[agreement.MetricDifference, ...] = ()
    against: str | None = None
    matrices: tuple[agreement.MetricAgreement, ...] = ()
    ranking: tuple[agreement.Ranking, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def higher_is_better(self) -> dict[str, bool]:
        """The direction of each metric."""
        return {one.name: one.higher_is_better for one in self.measured}


def correlate(
    runs: Run | Path | str | Sequence[Run | Path | str],
    ratings: Path | str | Sequence[Path | str],
    *,
    scores: Path | str | Sequence[Path | str] = (),
    ratings_format: str | None = None,
    criteria: Sequence[str] = (),
    metrics: Sequence[str] = (),
    lower_is_better: Collection[str] = (),
    options: agreement.Options | None = None,
    where: Sequence[str] = (),
    exclude: Sequence[str] = (),
    exclude_systems: Sequence[str] = (),
    references: bool = False,
    z: bool = False,
    against: str | None = None,
    ceiling: bool | None = None,
    with_matrix: bool = False,
    ranking: bool = False,
    progress: Progress = silent,
) -> Study:
    """Correlate every metric of runs and score files with every criterion of the ratings.

    `ceiling` compares one rater with the others; None means wherever there are single judgments.
    `z` standardises ratings by rater. Texts are joined by system and id; results do not depend on
    the order of rows.
    """
    options = options or agreement.Options()
    _validate(options)
    conditions = samples.parse_where(where)
    opened = [open_run(run) for run in as_list(runs)]
    if not ratings:
        raise SettingError("there are no ratings; name their file with ratings=…")
    paths = [Path(path) for path in as_list(ratings)]
    judged = samples.read_people(paths, format=ratings_format, runs=opened, exclude=exclude, z=z)
    judged, notes = samples.drop_systems(judged, exclude_systems, references=references)
    every = sorted({rating.criterion for rating in judged})
    require_known("criterion", criteria, every)
    chosen = list(dict.fromkeys(criteria)) or every
    judged = [rating for rating in judged if rating.criterion in chosen]
    rated = {(rating.system, rating.id) for rating in judged}
    scored = samples.read_texts(
        opened,
        [Path(path) for path in as_list(scores)],
        rated=rated,
        everything=ranking,
        metrics=metrics,
        lower_is_better=lower_is_better,
    )
    names = [one.name for one in scored.measured]
    require_known("metric", [against] if against else [], names)
    if against is not None and len(names) == 1:
        raise SettingError(f"there is no metric to compare with {against!r}; name more: metrics=…")
    notes += _matched(scored, rated)
    texts = _filtered(scored.texts, rated, judged, conditions)
    means = averaged(judged)
    sample = samples.make_sample(texts, scored.measured, {one: means[one] for one in chosen})
    notes += [*scored.notes, *_gaps(sample)]
    direction = {one.name: one.higher_is_better for one in scored.measured}
    notes += [
        f"{name}: lower is better, so a negative correlation is agreement"
        for name, higher in direction.items()
        if not higher
    ]
    total = _step_count(sample, options, against)
    done = count(1)
    progress(0, total)

    def step() -> None:
        progress(next(done), total)

    results: list[agreement.MetricAgreement] = []
    comparisons: list[agreement.MetricDifference] = []
    matrices: list[agreement.MetricAgreement] = []
    for name in options.subsets:
        subset = agreement.subset_of(sample, name, options)
        found, why = agreement.correlations(subset, direction, step)
        results += found
        notes += why
        if against is not None:
            comparisons += agreement.compare_with(subset, against, direction, step)
            notes += _too_few_permutations(sample, options)
        if with_matrix:
            matrices += agreement.matrix(subset)
    if all(one.value is None for one in results):
        raise DataError(
            f"no correlation can be computed: {notes[-1] if notes else 'nothing varies'}",
            remedy="give more texts, or metrics and ratings that differ between texts",
        )
    people: list[agreement.MetricAgreement] = []
    footing: list[agreement.MetricAgreement] = []
    if ceiling or (ceiling is None and agreement.has_single_judgments(judged)):
        people, footing = agreement.ceiling(judged, sample, options)
    elif ceiling is None:
        notes.append("no ceiling: the ratings are averages; single judgments would give one")
    ranked: list[agreement.Ranking] = []
    if ranking:
        ranked, why = agreement.rank_systems(scored.texts, scored.measured, sample)
        notes += why
    return Study(
        sample=sample,
        measured=scored.measured,
        options=options,
        results=tuple(results),
        ceiling=tuple(people),
        footing=tuple(footing),
        comparisons=tuple(comparisons),
        against=against,
        matrices=tuple(matrices),
        ranking=tuple(ranked),
        notes=tuple(dict.fromkeys(notes)),
    )


def _step_count(sample: RatedSample, options: agreement.Options, against: str | None) -> int:
    metrics = len(sample.metrics)
    each = len(options.subsets) * len(options.levels) * len(sample.criteria)
    if against is None:
        return each * metrics
    return each * (metrics + len(options.coefficients) * (metrics - 1))


def _validate(options: agreement.Options) -> None:
    require_known("level", options.levels, agreement.LEVELS)
    require_known("coefficient", options.coefficients, COEFFICIENTS)
    for subset in options.subsets:
        samples.validate_subset(subset)
    require_draws(options.n, options.seed, options.confidence)


def _too_few_permutations(sample: RatedSample, options: agreement.Options) -> list[str]:
    """A note where no p-value can stay significant after correction."""
    family = (len(sample.metrics) - 1) * len(sample.criteria)
    alpha = 1 - options.confidence
    if family / (options.n + 1) < alpha:
        return []
    lowest, enough = family / (options.n + 1), math.ceil(2 * family / alpha)
    note = f"{options.n:,} permutations are too few for {family:,} comparisons: "
    return [note + f"no corrected p can be below {lowest:.3g}; draw {enough:,}"]


def _matched(scored: ScoreSource, rated: Collection[Key]) -> list[str]:
    """Notes on texts that are only rated or only scored; a DataError where none is both."""
    both = sum(key in rated for key in scored.texts)
    if not both:
        system, identifier = min(rated)
        raise DataError(
            f"no rated text is scored: the ratings have {identifier!r} of {system!r}, "
            f"the scores {scored.example!r}",
            remedy="give scores with the ids and systems of the ratings",
        )
    notes = []
    if len(rated) > both:
        notes.append(f"rated texts without scores: {len(rated) - both:,}")
    if scored.found > both:
        notes.append(f"scored texts without ratings: {scored.found - both:,}")
    return notes


def _filtered(
    texts: Mapping[Key, Text], rated: Collection[Key], judged: Sequence[Rating], where: Where
) -> dict[Key, Text]:
    """The rated texts that fulfil the conditions, by the fields of their runs or the ratings."""
    chosen = {key: text for key, text in texts.items() if key in rated}
    if not where:
        return chosen
    known = samples.rated_fields(judged)
    fields = {key: {**known.get(key, {}), **text.fields} for key, text in chosen.items()}
    samples.validate_where(where, fields.values())
    kept = {
        key: text
        for key, text in chosen.items()
        if all(fields[key].get(name) in values for name, values in where.items())
    }
    if not kept:
        raise DataError("no rated text fulfils all conditions", remedy="give fewer with where=…")
    return kept


def _gaps(sample: RatedSample) -> list[str]:
    """Notes on texts that a metric did not score or that were not rated by a criterion."""
    return [
        f"{name}: {missing:,} of {len(sample):,} texts are not {verb} by it"
        for verb, columns in (("scored", sample.metrics), ("rated", sample.criteria))
        for name, values in columns.items()
        if (missing := int(np.isnan(values).sum()))
    ]


FORMATS = ("text", "markdown", "latex", "csv")
TITLES = {
    "pearson": "Pearson",
    "spearman": "Spearman",
    "kendall": "Kendall",
    agreement.ACCURACY: "Pairwise accuracy (acc_eq, ε calibrated on these ratings)",
    agreement.SOFT_ACCURACY: "Soft pairwise accuracy",
}
_LEVELS = {
    "text": "texts of all systems in one pool",
    "item": "over the systems of each input, then averaged",
    "system-mean": "over the texts of each system, then averaged",
    "system": "systems by their means",
}
_GROUPS = {"item": "inputs", "system-mean": "systems"}
_BEST = "*"
Place = tuple[str, str, str]
"""The subset, level and coefficient of one table."""


def study_to_object(study: Study) -> dict[str, Any]:
    """The study as JSON; parts that were not requested are null."""
    options = study.options
    return {
        "n": len(study.sample),
        "inputs": len({identifier for _, identifier in study.sample.keys}),
        "systems": list(study.sample.system_names),
        "metrics": {one.name: {"higher_is_better": one.higher_is_better} for one in study.measured},
        "criteria": list(study.sample.criteria),
        "interval": {"confidence": options.confidence, "n": options.n, "seed": options.seed},
        "results": [_agreement(one) for one in study.results],
        "ceiling": [_agreement(one) for one in study.ceiling] or None,
        "same_footing": [_agreement(one) for one in study.footing] or None,
        "comparisons": [_comparison(one) for one in study.comparisons] or None,
        "matrix": [_agreement(one) for one in study.matrices] or None,
        "ranking": [_ranking(one) for one in study.ranking] or None,
        "notes": list(study.notes),
    }


def _agreement(one: agreement.MetricAgreement) -> dict[str, Cell]:
    low, high = one.interval or (None, None)
    names = ("metric", "criterion", "level", "coefficient", "subset")
    row: dict[str, Cell] = {
        **{name: getattr(one, name) for name in names},
        "value": rounded(one.value),
        "low": rounded(low),
        "high": rounded(high),
        "p": significant(one.p),
        "n": one.n,
    }
    if one.groups is not None:
        row["groups"] = one.groups
    if one.epsilon is not None:
        row["epsilon"] = significant(one.epsilon)
    return row


def _comparison(one: agreement.MetricDifference) -> dict[str, Cell]:
    row = asdict(one).items()
    return {key: significant(cell) if isinstance(cell, float) else cell for key, cell in row}


def _ranking(ranking: agreement.Ranking) -> dict[str, Any]:
    return {
        "metric": ranking.metric,
        "kind": ranking.kind,
        "kendall": rounded(ranking.kendall),
        "systems": [
            {
                "system": rank.system,
                "sample": rounded(rank.sample),
                "sample_rank": rank.sample_rank,
                "texts": rank.texts,
                "all": rounded(rank.whole),
                "all_rank": rank.whole_rank,
                "all_texts": rank.all_texts,
                "change": rank.change,
            }
            for rank in ranking.ranks
        ],
    }


def _long_table(study: Study) -> Table:
    """Every number of the study in one table, each row with the part it belongs to."""
    rows: list[dict[str, Cell]] = []
    parts = {"result": study.results, "ceiling": study.ceiling}
    parts |= {"same_footing": study.footing, "matrix": study.matrices}
    rows += [{"part": part, **_agreement(one)} for part, some in parts.items() for one in some]
    rows += [{"part": "comparison", **_comparison(one)} for one in study.comparisons]
    for ranking in study.ranking:
        rows += [
            {"part": "ranking", "metric": ranking.metric, **system}
            for system in _ranking(ranking)["systems"]
        ]
    names = list(dict.fromkeys(name for row in rows for name in row))
    return Table("", names, [[row.get(name) for name in names] for row in rows])


def render_study(study: Study, form: str) -> str:
    """All tables and notes in one of the formats; CSV is one table with one row per result."""
    require_known("table", [form], FORMATS)
    if form == "csv":
        return _long_table(study).csv()
    return render_tables(study_tables(study), [f"note: {note}" for note in _notes(study)], form)


def study_tables(study: Study) -> Iterator[Table]:
    """The results, the ceiling, comparisons of metrics, matrices and rankings."""
    direction = study.higher_is_better
    for (subset, level, coefficient), found in _by_place(study.results).items():
        rows = list(found)
        if (level, subset) == ("text", "all"):
            rows += [one for one in study.ceiling if one.coefficient == coefficient]
        yield _agreement_table(_title((subset, level, coefficient)), rows, direction, study)
    for (_, _, coefficient), people in _by_place(study.ceiling).items():
        metrics = [one for one in study.footing if one.coefficient == coefficient]
        title = (
            f"{TITLES[coefficient]} with the mean of all raters but one, per text and omitted rater"
        )
        yield _agreement_table(title, [*metrics, *people], direction, study)
    for place, compared in _by_place(study.comparisons).items():
        yield _differences_table(place, compared, study)
    for place, found in _by_place(study.matrices).items():
        yield _matrix_table(place, found, study)
    for ranking in study.ranking:
        yield _ranking_table(ranking)


def _title(place: Place) -> str:
    subset, level, coefficient = place
    title = f"{TITLES[coefficient]}, {_LEVELS[level]}"
    return title if subset == "all" else f"{title}, subset {subset}"


def _by_place(found: Iterable[Any]) -> dict[Place, list[Any]]:
    return grouped(found, lambda one: (one.subset, one.level, one.coefficient))


def _agreement_table(
    title: str,
    found: Sequence[agreement.MetricAgreement],
    direction: Mapping[str, bool],
    study: Study,
) -> Table:
    cells = {(one.metric, one.criterion): one for one in found}
    criteria = list(dict.fromkeys(one.criterion for one in found))
    best: dict[str, float] = {}
    for one in found:
        value = _oriented(one, direction)
        if value is not None:
            best[one.criterion] = max(value, best.get(one.criterion, value))
    counts = {one.n for one in found if one.metric != agreement.ONE_RATER}
    if len(counts) == 1:
        title += f" (n = {counts.pop():,}"
        if any(one.interval for one in found):
            title += f"; [{study.options.confidence:.0%} interval]"
        title += ")"
    with_groups = any(one.groups is not None for one in found)
    rows: list[list[Cell]] = []
    for metric, own in grouped(found, lambda one: one.metric).items():
        row: list[Cell] = [metric]
        for criterion in criteria:
            cell = cells.get((metric, criterion))
            value = None if cell is None else _oriented(cell, direction)
            row.append(_cell(cell, _BEST if value is not None and value == best[criterion] else ""))
        row += [_range([one.groups for one in own])] if with_groups else []
        row += [_range([one.n for one in own])] if len(counts) > 1 else []
        rows.append(row)
    names = [*criteria, *([_GROUPS[found[0].level]] if with_groups else [])]
    names += ["n"] if len(counts) > 1 else []
    return Table(title, ["metric", *(Column(name, align="right") for name in names)], rows)


def _oriented(one: agreement.MetricAgreement, direction: Mapping[str, bool]) -> float | None:
    """The value with agreement positive: accuracies already are, correlations keep their sign."""
    if one.value is None or one.metric == agreement.ONE_RATER:
        return None
    turned = not direction[one.metric] and one.coefficient in ("pearson", "spearman", "kendall")
    return -one.value if turned else one.value


def _cell(one: agreement.MetricAgreement | None, mark: str) -> str | None:
    if one is None or one.value is None:
        return None
    shown = f"{one.value:.3f}{mark}"
    if one.interval is not None:
        shown += f" [{one.interval[0]:.2f}, {one.interval[1]:.2f}]"
    if one.epsilon is not None:
        shown += f" ε {one.epsilon:.3g}"
    return shown.replace("-0.000", "0.000")


def _range(counts: Iterable[int | None]) -> str | None:
    there = [count for count in counts if count is not None]
    if not there:
        return None
    least, most = min(there), max(there)
    return f"{least:,}" if least == most else f"{least:,}–{most:,}"


def _differences_table(
    place: Place, compared: Sequence[agreement.MetricDifference], study: Study
) -> Table:
    alpha = 1 - study.options.confidence
    with_williams = any(one.williams_p is not None for one in compared)
    rows: list[list[Cell]] = []
    for one in compared:
        winner = None
        if one.permutation_corrected is not None and one.permutation_corrected < alpha:
            winner = one.metric if (one.difference or 0) > 0 else one.against
        row: list[Cell] = [one.metric, one.criterion, one.difference]
        row += [_chance(one.permutation_p), _chance(one.permutation_corrected)]
        if with_williams:
            row += [_chance(one.williams_p), _chance(one.williams_corrected)]
        rows.append([*row, winner])
    tests = ["p PERM-BOTH", "corrected"]
    tests += ["p Williams", "corrected (Williams)"] if with_williams else []
    columns = [Column(one, align="right") for one in tests]
    names: list[str | Column] = ["metric", "criterion", "difference", *columns, "better"]
    return Table(f"Against {study.against}: {_title(place)}", names, rows)


def _chance(p: float | None) -> str | None:
    """A p-value, never shown as zero."""
    return None if p is None else f"{p:.4f}" if p >= 0.0001 else "<0.0001"


def variables(found: Sequence[agreement.MetricAgreement]) -> list[str]:
    """The names on both sides of a matrix, from its pairs."""
    return list(dict.fromkeys(name for one in found for name in (one.metric, one.criterion)))


def _matrix_table(place: Place, found: Sequence[agreement.MetricAgreement], study: Study) -> Table:
    names = variables(found)
    cells = {frozenset((one.metric, one.criterion)): one for one in found}
    alpha = 1 - study.options.confidence
    rows: list[list[Cell]] = []
    for number, name in enumerate(names):
        row: list[Cell] = [name]
        for other in names[:number]:
            one = cells[frozenset((name, other))]
            unsure = one.p is not None and one.p >= alpha
            shown = None if one.value is None else f"{one.value:.2f}".replace("-0.00", "0.00")
            row.append(f"({shown})" if unsure and shown is not None else shown)
        rows.append([*row, *[""] * (len(names) - number)])
    title = f"All pairs of metrics and criteria: {_title(place)}; in brackets: p ≥ {alpha:.3g}"
    return Table(title, ["", *(Column(name, align="right") for name in names)], rows)


def _ranking_table(ranking: agreement.Ranking) -> Table:
    together = "not defined" if ranking.kendall is None else f"{ranking.kendall:.3f}"
    title = (
        f"Systems by {ranking.metric} ({ranking.kind}): Kendall between both rankings {together}"
    )
    return Table.of(
        title,
        ranking.ranks,
        {
            "rank": "sample_rank",
            "system": "system",
            "on rated texts": "sample",
            "rated": "texts",
            "on all texts": "whole",
            "all": "all_texts",
            "rank on all": "whole_rank",
            Column("change", align="right"): lambda rank: (
                f"{rank.change:+d}" if rank.change else ""
            ),
        },
    )


def _notes(study: Study) -> list[str]:
    own = [
        f"{_BEST} marks the best of a column; intervals: {study.options.n:,} resamples of inputs"
    ]
    if any(one.groups is not None for one in study.results):
        own.append(
            "inputs, systems: the number a mean is over; without variation in a metric or in the "
            "ratings there is no coefficient"
        )
    if study.matrices:
        own.append("p treats texts as independent, which those on one input are not")
    if study.ceiling:
        own.append(
            f"{agreement.ONE_RATER}: one rater with the mean of the others, over "
            f"{study.ceiling[0].n:,} pairs of text and rater"
        )
    if study.comparisons:
        own.append("corrected: Holm, over metrics and criteria of a table; better: by PERM-BOTH")
    return [*own, *study.notes]


def draw_matrices(study: Study, folder: Path, *, png: bool = False) -> list[Path]:
    """Write each matrix of a study as a heat map; returns the paths. Creates the folder."""
    with write_errors(folder, remedy="name another folder"):
        folder.mkdir(parents=True, exist_ok=True)
    written = []
    for (subset, level, coefficient), found in _by_place(study.matrices).items():
        svg = _picture(study, f"{TITLES[coefficient]}, level {level}, {subset} texts", found)
        stem = re.sub(r"[^\w-]+", "-", f"{coefficient}-{level}-{subset}")
        for suffix in (".svg", ".png") if png else (".svg",):
            path = folder / (stem + suffix)
            save_picture(svg, path)
            written.append(path)
    return written


def _picture(study: Study, title: str, found: list[agreement.MetricAgreement]) -> str:
    names = variables(found)
    cells = {(one.metric, one.criterion): one for one in found}
    alpha = 1 - study.options.confidence
    values: list[list[float | None]] = []
    crossed = set()
    for r, name in enumerate(names):
        row: list[float | None] = []
        for c, other in enumerate(names):
            one = cells.get((other, name)) if c < r else None
            row.append(1.0 if c == r else one.value if one else None)
            if one is not None and one.p is not None and one.p >= alpha:
                crossed.add((r, c))
        values.append(row)
    return heat_map(names, names, values, title=title, crossed=crossed)
