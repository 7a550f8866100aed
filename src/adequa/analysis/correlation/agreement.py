"""The agreement of metrics with people: coefficients, differences, the human ceiling, rankings.

docs/correlate.md explains the four levels at which metrics and people are compared. Intervals come
from resampled inputs; all texts on one input are drawn together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from adequa import stats
from adequa.analysis.comparison import CorpusValue, corpus_value
from adequa.analysis.correlation.sample import (
    Codes,
    MetricValues,
    RatedSample,
    Text,
    Vector,
    take_subset,
)
from adequa.data import Rating
from adequa.errors import DataError, require_known
from adequa.human.judgments import Key
from adequa.stats.correlations import FEWEST_PAIRS

Matrix = npt.NDArray[np.float64]

LEVELS = ("text", "item", "system-mean", "system")
MOST_KENDALL = 30_000
"""Kendall's coefficient is resampled over pairs of texts; with more texts it takes minutes."""
ACCURACY, SOFT_ACCURACY = "acc_eq", "spa"
ONE_RATER = "one rater"
_OVER_SYSTEMS = ("item", "system")
_WILLIAMS = ("text", "system")
"""The levels at which the coefficient is one correlation, not a mean of several."""


class Places(NamedTuple):
    """The number of each text's input and of its system."""

    inputs: Codes
    systems: Codes


class Coefficient(NamedTuple):
    """A coefficient, its p-value where defined, its pairs, and the groups it is averaged over."""

    value: float | None
    p: float | None
    pairs: int
    groups: int | None = None


def correlate_at(
    level: str, coefficient: str, first: Vector, second: Vector, places: Places
) -> Coefficient:
    """The coefficient at a level; all values are finite.

    The p-value at text level treats texts as independent, which those on one input are not. At item
    level it is Student's t test of the inputs' coefficients against 0. Systems share their inputs,
    so the mean over systems has no p-value.
    """
    require_known("level", [level], LEVELS)
    if level == "system":
        first, second = (system_means(side, places.systems) for side in (first, second))
    if level in ("text", "system"):
        found = stats.COEFFICIENTS[coefficient](first, second)
        if found is None:
            return Coefficient(None, None, len(first))
        return Coefficient(found.value, found.p, found.pairs)
    values = _by_group(coefficient, first, second, _groups(level, places))
    defined = values[np.isfinite(values)]
    if not len(defined):
        return Coefficient(None, None, len(first), 0)
    p = _student_p(defined) if level == "item" else None
    return Coefficient(float(defined.mean()), p, len(first), len(defined))


def agreement_of(
    level: str, coefficient: str, target: Vector, places: Places
) -> Callable[[Matrix], Vector]:
    """A function from rows of scores, one column per text, to coefficients with the target."""
    require_known("level", [level], LEVELS)
    if level == "text":
        return lambda rows: stats.rowwise_correlations(rows, target, coefficient)
    if level == "system":
        names, codes = np.unique(places.systems, return_inverse=True)
        share = np.eye(len(names))[codes] / np.bincount(codes)
        goal = _tied(target @ share)
        return lambda rows: stats.rowwise_correlations(_tied(rows @ share), goal, coefficient)
    groups = _members(_groups(level, places))

    def mean(rows: Matrix) -> Vector:
        found = np.array(
            [stats.rowwise_correlations(rows[:, one], target[one], coefficient) for one in groups]
        )
        return _mean_of_defined(found)

    return mean


def resample_at(
    level: str, coefficient: str, first: Vector, second: Vector, places: Places, draws: Matrix
) -> Vector | None:
    """The coefficient in each resample of the inputs; None where that would take too long.

    `draws` has one row per resample: how often each input is drawn.
    """
    require_known("level", [level], LEVELS)
    if level == "text":
        return _resample(coefficient, first, second, places.inputs, draws)
    if level == "item":
        values = _by_group(coefficient, first, second, places.inputs)
        return _resampled_mean(values, np.unique(places.inputs), draws)
    if level == "system":
        sides = [_resampled_means(side, places, draws) for side in (first, second)]
        values = stats.rowwise_correlations(sides[0], sides[1], coefficient)
        # Where a system was not drawn, only the others are compared.
        for row in np.flatnonzero(np.isnan(sides[0]).any(axis=1)):
            there = np.isfinite(sides[0][row])
            one = stats.COEFFICIENTS[coefficient](sides[0][row, there], sides[1][row, there])
            values[row] = np.nan if one is None else one.value
        return values
    each = [
        _resample(coefficient, first[one], second[one], places.inputs[one], draws)
        for one in _members(places.systems)
    ]
    defined_in = [values for values in each if values is not None]
    return _mean_of_defined(np.array(defined_in)) if len(defined_in) == len(each) else None


def _groups(level: str, places: Places) -> Codes:
    return places.inputs if level == "item" else places.systems


def _members(groups: Codes) -> list[Codes]:
    """The rows of the texts of each group, groups in order."""
    order = np.argsort(groups, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(groups[order])) + 1) if len(groups) else []


def _by_group(coefficient: str, first: Vector, second: Vector, groups: Codes) -> Vector:
    found = [stats.COEFFICIENTS[coefficient](first[one], second[one]) for one in _members(groups)]
    return np.array([np.nan if one is None else one.value for one in found])


def _student_p(values: Vector) -> float | None:
    if len(values) < 2 or np.ptp(values) <= 1e-12:
        return None
    from scipy.stats import ttest_1samp

    return float(ttest_1samp(values, 0).pvalue)


def system_means(values: Vector, systems: Codes) -> Vector:
    """The mean of each system's values, systems in order."""
    return _tied(np.array([values[one].mean() for one in _members(systems)]))


def _tied(means: Matrix) -> Matrix:
    """Means rounded so that ties are not broken by the order of summation."""
    greatest = np.nanmax(np.abs(means), initial=0.0)
    if not np.isfinite(greatest) or greatest == 0:
        return means
    tied: Matrix = np.round(means / greatest, 12) * greatest
    return tied


def _resampled_means(values: Vector, places: Places, draws: Matrix) -> Matrix:
    names, codes = np.unique(places.systems, return_inverse=True)
    sums, counts = (np.zeros((draws.shape[1], len(names))) for _ in range(2))
    np.add.at(sums, (places.inputs, codes), values)
    np.add.at(counts, (places.inputs, codes), 1.0)
    drawn = draws @ counts
    means: Matrix = np.full(drawn.shape, np.nan)
    np.divide(draws @ sums, drawn, out=means, where=drawn > 0)
    return _tied(means)


def _resample(
    coefficient: str, first: Vector, second: Vector, inputs: Codes, draws: Matrix
) -> Vector | None:
    if coefficient == "kendall":
        if len(first) > MOST_KENDALL:
            return None
        return stats.resampled_kendall(first, second, inputs, draws)
    if coefficient == "pearson":
        return stats.resampled_pearson(first, second, inputs, draws)
    counts = draws[:, inputs]
    drawn = counts.sum(axis=1) > 0
    found: Vector = np.full(len(draws), np.nan)
    found[drawn] = stats.resampled_correlations(first, second, counts[drawn], "spearman")
    return found


def _resampled_mean(values: Vector, inputs: Codes, draws: Matrix) -> Vector:
    """The mean of the inputs' finite values in each resample; NaN where none was drawn."""
    defined = np.isfinite(values)
    weights = draws[:, inputs[defined]]
    total = weights.sum(axis=1)
    found: Vector = np.full(len(draws), np.nan)
    np.divide(weights @ values[defined], total, out=found, where=total > 0)
    return found


def _mean_of_defined(values: Matrix) -> Vector:
    """The mean of the finite values of each column; NaN where there are none."""
    defined = np.isfinite(values)
    count = defined.sum(axis=0)
    found: Vector = np.full(values.shape[1], np.nan)
    np.divide(np.where(defined, values, 0.0).sum(axis=0), count, out=found, where=count > 0)
    return found


@dataclass(frozen=True, slots=True)
class Options:
    """The settings of a study: all combinations of levels, coefficients and subsets."""

    levels: tuple[str, ...] = ("text",)
    coefficients: tuple[str, ...] = ("pearson", "spearman")
    subsets: tuple[str, ...] = ("all",)
    n: int = 1000
    seed: int = 0
    confidence: float = 0.95


@dataclass(frozen=True, slots=True)
class MetricAgreement:
    """How well one variable agrees with another; None where it is not defined."""

    metric: str
    criterion: str
    level: str
    coefficient: str
    """pearson, spearman, kendall; acc_eq (level item) and spa (level system)."""
    subset: str
    value: float | None = None
    interval: stats.Interval | None = None
    p: float | None = None
    n: int = 0
    """The number of pairs: of texts, or of systems at system level."""
    groups: int | None = None
    """The number of inputs or systems whose coefficients were averaged."""
    epsilon: float | None = None
    """For acc_eq: scores that differ by at most this are tied."""


@dataclass(frozen=True, slots=True)
class MetricDifference:
    """The difference in agreement of two metrics with people; positive: the first agrees better."""

    metric: str
    against: str
    criterion: str
    level: str
    coefficient: str
    subset: str
    n: int = 0
    difference: float | None = None
    williams_t: float | None = None
    williams_p: float | None = None
    williams_corrected: float | None = None
    permutation_p: float | None = None
    permutation_corrected: float | None = None


@dataclass(frozen=True, slots=True)
class Rank:
    """A system's place by one metric, 1 the best; equal values share the better place."""

    system: str
    sample: float
    sample_rank: int
    whole: float
    whole_rank: int
    texts: int
    all_texts: int

    @property
    def change(self) -> int:
        """How many places the system is better on the sample than on all texts."""
        return self.whole_rank - self.sample_rank


@dataclass(frozen=True, slots=True)
class Ranking:
    """The systems ranked by one metric, on the rated texts and on all texts."""

    metric: str
    kind: str
    """`mean`, or `corpus` for a corpus value that the metric defines."""
    ranks: tuple[Rank, ...]
    kendall: float | None


class Subset:
    """The texts of a subset with the draws of their inputs, shared by all measures."""

    def __init__(self, name: str, sample: RatedSample, options: Options) -> None:
        self.name, self.sample, self.options = name, sample, options
        names, inputs = np.unique(sample.inputs, return_inverse=True)
        self.places = Places(inputs.astype(np.int64), sample.systems)
        self.draws: Matrix = stats.cluster_draws(len(names), n=options.n, seed=options.seed)

    def complete(self, *columns: Vector) -> tuple[list[Vector], Places]:
        """The columns where all are finite, and the places of those texts."""
        there = np.isfinite(np.array(columns)).all(axis=0)
        places = Places(self.places.inputs[there], self.places.systems[there])
        return [column[there] for column in columns], places


def subset_of(sample: RatedSample, name: str, options: Options) -> Subset:
    """A subset of the sample; a DataError where it has too few systems for a level."""
    chosen = take_subset(sample, name)
    systems = len(np.unique(chosen.systems))
    for level in options.levels:
        if level in _OVER_SYSTEMS and systems < FEWEST_PAIRS:
            raise DataError(
                f"level {level} compares systems, and {systems} of the rated ones "
                f"{'is' if systems == 1 else 'are'} scored (subset {name})",
                remedy=f'score at least {FEWEST_PAIRS}, or use level="text"',
            )
    return Subset(name, chosen, options)


def correlations(
    subset: Subset,
    higher_is_better: Mapping[str, bool],
    progress: Callable[[], None] = lambda: None,
) -> tuple[list[MetricAgreement], list[str]]:
    """Every metric against every criterion, and notes on what is not defined."""
    found: list[MetricAgreement] = []
    notes: dict[str, None] = {}
    for level in subset.options.levels:
        for metric, scores in subset.sample.metrics.items():
            sign = 1.0 if higher_is_better[metric] else -1.0
            for criterion, ratings in subset.sample.criteria.items():
                sides, places = subset.complete(scores, ratings)
                for coefficient in subset.options.coefficients:
                    one = _agreement(
                        MetricAgreement(metric, criterion, level, coefficient, subset.name),
                        sides,
                        places,
                        draws=subset.draws,
                        confidence=subset.options.confidence,
                    )
                    found.append(one)
                    notes.update(dict.fromkeys(_undefined(one, *sides)))
                if level == "item":
                    found.append(_accuracy(subset, metric, sign * scores, criterion))
                if level == "system":
                    found.append(_soft_accuracy(subset, metric, sign * scores, criterion))
                progress()
    return found, list(notes)


def _agreement(
    asked: MetricAgreement,
    sides: Sequence[Vector],
    places: Places,
    *,
    draws: Matrix | None = None,
    confidence: float = 0.95,
) -> MetricAgreement:
    """The coefficient that is asked for, with an interval where `draws` are given."""
    level, coefficient = asked.level, asked.coefficient
    first, second = sides
    value, p, pairs, groups = correlate_at(level, coefficient, first, second, places)
    interval = None
    if draws is not None and value is not None:
        replicates = resample_at(level, coefficient, first, second, places, draws)
        interval = None if replicates is None else stats.percentile_interval(replicates, confidence)
    return replace(asked, value=value, interval=interval, p=p, n=pairs, groups=groups)


def _undefined(one: MetricAgreement, scores: Vector, ratings: Vector) -> list[str]:
    """A note on why there is no coefficient, or no interval."""
    if one.value is not None:
        too_many = one.coefficient == "kendall" and len(scores) > MOST_KENDALL
        if one.interval is not None or not too_many:
            return []
        return [f"no intervals for {one.coefficient}: {len(scores):,} texts would take too long"]
    where = f"{one.metric} with {one.criterion}, subset {one.subset}: no correlation"
    if len(scores) < FEWEST_PAIRS:
        return [f"{where}: {len(scores)} texts have both, and {FEWEST_PAIRS} are needed"]
    for name, values in ((one.metric, scores), (one.criterion, ratings)):
        if np.ptp(values) == 0:
            return [f"{where}: {name} is {values[0]:g} for every text"]
    return [
        f"{where} at level {one.level}: one of them does not vary, or there are too few to compare"
    ]


def _accuracy(subset: Subset, metric: str, scores: Vector, criterion: str) -> MetricAgreement:
    asked = MetricAgreement(metric, criterion, "item", ACCURACY, subset.name)
    (first, second), places = subset.complete(scores, subset.sample.criteria[criterion])
    found = stats.pairwise_accuracy(first, second, places.inputs)
    if found is None:
        return asked
    replicates = _resampled_mean(found.by_group, np.unique(places.inputs), subset.draws)
    return replace(
        asked,
        value=found.value,
        interval=stats.percentile_interval(replicates, subset.options.confidence),
        n=len(first),
        groups=int(np.isfinite(found.by_group).sum()),
        epsilon=found.epsilon,
    )


def _soft_accuracy(subset: Subset, metric: str, scores: Vector, criterion: str) -> MetricAgreement:
    sides, places = subset.complete(scores, subset.sample.criteria[criterion])
    tables = []
    for values in sides:
        table = np.full((len(subset.sample.system_names), subset.draws.shape[1]), np.nan)
        table[places.systems, places.inputs] = values
        tables.append(table)
    value = stats.soft_pairwise_accuracy(*tables, n=subset.options.n, seed=subset.options.seed)
    asked = MetricAgreement(metric, criterion, "system", SOFT_ACCURACY, subset.name)
    return replace(asked, value=value, n=len(np.unique(places.systems)))


def matrix(subset: Subset) -> list[MetricAgreement]:
    """Every pair of metrics and criteria, at each level and by each coefficient."""
    columns = dict(subset.sample.metrics)
    for name, values in subset.sample.criteria.items():
        columns[f"{name} (people)" if name in columns else name] = values
    return [
        _agreement(
            MetricAgreement(first, second, level, coefficient, subset.name),
            *subset.complete(columns[first], columns[second]),
        )
        for level in subset.options.levels
        for coefficient in subset.options.coefficients
        for first, second in combinations(columns, 2)
    ]


def compare_with(
    subset: Subset,
    against: str,
    higher_is_better: Mapping[str, bool],
    progress: Callable[[], None] = lambda: None,
) -> list[MetricDifference]:
    """Each other metric against one, on the texts that both scored, p-values corrected by Holm.

    A family is one table: metrics and criteria at one level by one coefficient. Metrics where
    lower is better are negated, so that agreement is positive.
    """
    signs = {name: 1.0 if higher else -1.0 for name, higher in higher_is_better.items()}
    others = [name for name in subset.sample.metrics if name != against]
    found: list[MetricDifference] = []
    for level, coefficient in product(subset.options.levels, subset.options.coefficients):
        family = []
        for metric, criterion in product(others, subset.sample.criteria):
            asked = MetricDifference(metric, against, criterion, level, coefficient, subset.name)
            family.append(_difference(subset, asked, signs))
            progress()
        found += _corrected(family)
    return found


def _difference(
    subset: Subset, asked: MetricDifference, signs: Mapping[str, float]
) -> MetricDifference:
    """The difference that is asked for, by PERM-BOTH and, where it applies, by Williams' test."""
    metrics = subset.sample.metrics
    columns, places = subset.complete(
        signs[asked.metric] * metrics[asked.metric],
        signs[asked.against] * metrics[asked.against],
        subset.sample.criteria[asked.criterion],
    )
    first, second, target = columns
    agreement = agreement_of(asked.level, asked.coefficient, target, places)
    difference = stats.permute_both(
        first, second, agreement, n=subset.options.n, seed=subset.options.seed
    )
    one = replace(asked, n=len(first))
    if difference is not None:
        one = replace(one, difference=difference.value, permutation_p=difference.p)
    if asked.coefficient != "pearson" or asked.level not in _WILLIAMS:
        return one
    if asked.level == "system":
        columns = [system_means(side, places.systems) for side in columns]
    pairs = [stats.pearson(columns[i], columns[j]) for i, j in ((0, 2), (1, 2), (0, 1))]
    if pairs[0] is None or pairs[1] is None or pairs[2] is None:
        return one
    tested = stats.williams(pairs[0].value, pairs[1].value, pairs[2].value, len(columns[0]))
    return one if tested is None else replace(one, williams_t=tested.t, williams_p=tested.p)


def _corrected(family: Sequence[MetricDifference]) -> list[MetricDifference]:
    by_t = stats.adjust([one.williams_p for one in family])
    by_permutation = stats.adjust([one.permutation_p for one in family])
    return [
        replace(one, williams_corrected=first, permutation_corrected=second)
        for one, first, second in zip(family, by_t, by_permutation, strict=True)
    ]


def has_single_judgments(ratings: Sequence[Rating]) -> bool:
    """Whether some text has values from two raters."""
    raters: dict[tuple[str, str, str], str] = {}
    return any(
        rating.rater
        and raters.setdefault((rating.criterion, rating.system, rating.id), rating.rater)
        != rating.rater
        for rating in ratings
    )


def ceiling(
    ratings: Sequence[Rating], sample: RatedSample, options: Options
) -> tuple[list[MetricAgreement], list[MetricAgreement]]:
    """One rater against the mean of the others, and each metric against that mean.

    A pair is a text and one of its raters, where somebody else rated the text too; a rater who
    judged a text twice counts once, with the mean. Both lists are over the same pairs, so a metric
    above the first is as good as a person. Inputs are resampled; the p-values treat pairs as
    independent.
    """
    if not has_single_judgments(ratings):
        raise DataError(
            "the ceiling needs single judgments by several raters, and these are averages or have "
            "one rater per text",
            remedy="give the file of single judgments, or ceiling=False",
        )
    draws = stats.cluster_draws(int(sample.inputs.max()) + 1, n=options.n, seed=options.seed)
    people: list[MetricAgreement] = []
    metrics: list[MetricAgreement] = []
    for criterion in sample.criteria:
        rows, own, others = _rater_pairs(ratings, sample, criterion)
        if not len(rows):
            continue
        columns = {ONE_RATER: own} | {name: all_[rows] for name, all_ in sample.metrics.items()}
        for coefficient in options.coefficients:
            for name, column in columns.items():
                there = np.isfinite(column)
                one = _agreement(
                    MetricAgreement(name, criterion, "text", coefficient, "all"),
                    (column[there], others[there]),
                    Places(sample.inputs[rows[there]], sample.systems[rows[there]]),
                    draws=draws,
                    confidence=options.confidence,
                )
                (people if name == ONE_RATER else metrics).append(one)
    return people, metrics


def _rater_pairs(
    ratings: Sequence[Rating], sample: RatedSample, criterion: str
) -> tuple[Codes, Vector, Vector]:
    """For each pair: the row of its text, the rater's value, the mean of the others."""
    values: dict[Key, dict[str, list[float]]] = {}
    for rating in ratings:
        if rating.criterion == criterion and rating.rater:
            key = rating.system, rating.id
            values.setdefault(key, {}).setdefault(rating.rater, []).append(rating.value)
    pairs = []
    for row, key in enumerate(sample.keys):
        means = [sum(given) / len(given) for _, given in sorted(values.get(key, {}).items())]
        total = sum(means)
        if len(means) > 1:
            pairs += [(row, value, (total - value) / (len(means) - 1)) for value in means]
    rows, own, others = np.array(pairs, dtype=np.float64).reshape(-1, 3).T
    return rows.astype(np.int64), own, others


def rank_systems(
    texts: Mapping[Key, Text], measured: Sequence[MetricValues], sample: RatedSample
) -> tuple[list[Ranking], list[str]]:
    """Each metric's ranking of the rated systems, on the rated texts and on all, and notes.

    This is Table 1 of paper 004. A metric whose corpus value is one number ranks by it, as BLEU
    does; the others rank by their mean.
    """
    rated = set(sample.keys)
    by_system: dict[str, list[Key]] = {name: [] for name in sample.system_names}
    for key in sorted(texts, key=lambda key: (key[1], key[0])):
        if key[0] in by_system:
            by_system[key[0]].append(key)
    rankings, notes = [], []
    if not any(key not in rated for keys in by_system.values() for key in keys):
        notes.append("ranking: every scored text of the systems is rated, so nothing can change")
    for one in measured:
        corpus = _corpus(one, texts)
        rows = []
        for system, keys in by_system.items():
            chosen = [key for key in keys if key in rated]
            part, whole = (_value(one.name, texts, some, corpus) for some in (chosen, keys))
            if part is None or whole is None:
                notes.append(f"ranking: {one.name} has no value for {system}, which is left out")
            else:
                rows.append((system, part, whole, len(chosen), len(keys)))
        if not rows:
            continue
        sign = 1.0 if one.higher_is_better else -1.0
        places = _ranks([sign * row[1] for row in rows])
        whole_places = _ranks([sign * row[2] for row in rows])
        ranks = [
            Rank(
                system=system,
                sample=part,
                sample_rank=place,
                whole=whole,
                whole_rank=whole_place,
                texts=few,
                all_texts=many,
            )
            for (system, part, whole, few, many), place, whole_place in zip(
                rows, places, whole_places, strict=True
            )
        ]
        ranks.sort(key=lambda rank: (rank.sample_rank, rank.system))
        together = stats.kendall([row[1] for row in rows], [row[2] for row in rows])
        rankings.append(
            Ranking(
                metric=one.name,
                kind="mean" if corpus is None else "corpus",
                ranks=tuple(ranks),
                kendall=None if together is None else together.value,
            )
        )
    return rankings, notes


def _ranks(values: Sequence[float]) -> list[int]:
    """1 is the highest; equal values share the better rank."""
    return [1 + sum(other > value for other in values) for value in values]


def _value(
    name: str, texts: Mapping[Key, Text], keys: Sequence[Key], corpus: CorpusValue | None
) -> float | None:
    if corpus is not None:
        rows = [texts[key].statistics[name] for key in keys if name in texts[key].statistics]
        return corpus([math.fsum(column) for column in zip(*rows, strict=True)]) if rows else None
    scores = [texts[key].scores.get(name) for key in keys]
    values = [score for score in scores if score is not None]
    return math.fsum(values) / len(values) if values else None


def _corpus(one: MetricValues, texts: Mapping[Key, Text]) -> CorpusValue | None:
    """The corpus value of a metric; None where the mean ranks."""
    row = next(
        (text.statistics[one.name] for text in texts.values() if one.name in text.statistics), None
    )
    if one.metric is None or row is None:
        return None
    return corpus_value(one.metric) if isinstance(one.metric.corpus(row), float | int) else None
