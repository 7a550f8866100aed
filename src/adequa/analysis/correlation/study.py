"""Meta-evaluation: how well each metric agrees with people, and how certain that is."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import numpy as np

from adequa.analysis.correlation import agreement
from adequa.analysis.correlation import sample as samples
from adequa.analysis.correlation.sample import MetricValues, RatedSample, ScoreSource, Text, Where
from adequa.data import Rating
from adequa.errors import DataError, SettingError, require_known
from adequa.human.judgments import Key, averaged
from adequa.progress import Progress, silent
from adequa.run import Run, open_run
from adequa.stats import COEFFICIENTS, require_draws


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
    runs: Sequence[Run | Path | str],
    ratings: Sequence[Path | str],
    *,
    scores: Sequence[Path | str] = (),
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
    opened = [open_run(run) for run in runs]
    if not ratings:
        raise SettingError("there are no ratings; name their file with ratings=…")
    paths = [Path(path) for path in ratings]
    judged = samples.read_people(paths, format=ratings_format, runs=opened, exclude=exclude, z=z)
    judged, notes = samples.drop_systems(judged, exclude_systems, references=references)
    every = sorted({rating.criterion for rating in judged})
    require_known("criterion", criteria, every)
    chosen = list(dict.fromkeys(criteria)) or every
    judged = [rating for rating in judged if rating.criterion in chosen]
    rated = {(rating.system, rating.id) for rating in judged}
    scored = samples.read_texts(
        opened,
        [Path(path) for path in scores],
        rated=rated,
        everything=ranking,
        metrics=metrics,
        lower_is_better=lower_is_better,
    )
    names = [one.name for one in scored.measured]
    require_known("metric", [against] if against else [], names)
    if against is not None and len(names) == 1:
        raise SettingError(f"there is no metric to compare with {against!r}; name another with -m")
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
    return [note + f"no corrected p can be below {lowest:.3g}; draw {enough:,} (--n)"]


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
