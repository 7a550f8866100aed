"""Every metric against every criterion, with intervals from resampled inputs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from adequa.analysis.correlate.levels import (
    Places,
    agreement_of,
    correlate_at,
    resample_at,
    system_means,
)
from adequa.analysis.correlate.model import (
    Codes,
    Matrix,
    MetricAgreement,
    MetricDifference,
    MetricValues,
    Options,
    Rank,
    Ranking,
    RatedSample,
    Text,
    Vector,
    take_subset,
)
from adequa.data import Rating
from adequa.errors import AdequaError, DataError
from adequa.human.judgments import Key
from adequa.metrics import load_metric
from adequa.stats.correlations import (
    FEWEST_PAIRS,
    cluster_draws,
    kendall,
    pearson,
    permute_both,
    williams,
)
from adequa.stats.intervals import percentile_interval
from adequa.stats.pairwise import pairwise_accuracy, soft_pairwise_accuracy
from adequa.stats.significance import adjust

ACCURACY, SOFT_ACCURACY = "acc_eq", "spa"
_OVER_SYSTEMS = ("item", "system")


class Subset:
    """The texts of a subset with the draws of their inputs, the same for every measure."""

    def __init__(self, name: str, sample: RatedSample, options: Options) -> None:
        self.name, self.sample, self.options = name, sample, options
        names, inputs = np.unique(sample.inputs, return_inverse=True)
        self.places = Places(inputs.astype(np.int64), sample.systems)
        self.draws: Matrix = cluster_draws(len(names), n=options.n, seed=options.seed)

    def complete(self, *columns: Vector) -> tuple[list[Vector], Places]:
        """The columns where all are finite, and the places of those texts."""
        there = np.isfinite(np.array(columns)).all(axis=0)
        places = Places(self.places.inputs[there], self.places.systems[there])
        return [column[there] for column in columns], places


def subset_of(sample: RatedSample, name: str, options: Options) -> Subset:
    """A subset of the sample; a DataError where a level has too few systems in it."""
    chosen = take_subset(sample, name)
    systems = len(np.unique(chosen.systems))
    for level in options.levels:
        if level in _OVER_SYSTEMS and systems < FEWEST_PAIRS:
            raise DataError(
                f"level {level} compares systems, and {systems} of the rated ones "
                f"{'is' if systems == 1 else 'are'} scored (subset {name})",
                remedy=f"score at least {FEWEST_PAIRS}, or ask for --level text",
            )
    return Subset(name, chosen, options)


def correlations(
    subset: Subset,
    higher_is_better: Mapping[str, bool],
    progress: Callable[[], None] = lambda: None,
) -> tuple[list[MetricAgreement], list[str]]:
    """All that is asked of a subset, and notes on what cannot be said."""
    found: list[MetricAgreement] = []
    notes: dict[str, None] = {}
    for level in subset.options.levels:
        for metric, scores in subset.sample.metrics.items():
            for criterion, ratings in subset.sample.criteria.items():
                for coefficient in subset.options.coefficients:
                    one, note = _one(subset, level, coefficient, metric, scores, criterion, ratings)
                    found.append(one)
                    notes.update(dict.fromkeys(note))
                sign = 1.0 if higher_is_better[metric] else -1.0
                if level == "item":
                    found.append(_accuracy(subset, metric, sign * scores, criterion, ratings))
                if level == "system":
                    found.append(_soft(subset, metric, sign * scores, criterion, ratings))
                progress()
    return found, list(notes)


def _one(
    subset: Subset,
    level: str,
    coefficient: str,
    metric: str,
    scores: Vector,
    criterion: str,
    ratings: Vector,
) -> tuple[MetricAgreement, list[str]]:
    (first, second), places = subset.complete(scores, ratings)
    found = correlate_at(level, coefficient, first, second, places)
    interval, notes = None, []
    if found.value is None:
        notes = [_reason(metric, first, criterion, second, level, subset.name)]
    else:
        replicates = resample_at(level, coefficient, first, second, places, subset.draws)
        if replicates is None:
            notes = [f"no intervals of {coefficient}: {len(first):,} texts would take too long"]
        else:
            interval = percentile_interval(replicates, subset.options.confidence)
    one = MetricAgreement(
        metric,
        criterion,
        level,
        coefficient,
        subset.name,
        found.value,
        interval,
        found.p,
        found.pairs,
        found.groups,
    )
    return one, notes


def _reason(
    metric: str, scores: Vector, criterion: str, ratings: Vector, level: str, subset: str
) -> str:
    where = f"{metric} with {criterion}, subset {subset}: no correlation"
    if len(scores) < FEWEST_PAIRS:
        return f"{where}: {len(scores)} texts have both, and {FEWEST_PAIRS} are needed"
    for name, values in ((metric, scores), (criterion, ratings)):
        if np.ptp(values) == 0:
            return f"{where}: {name} is {values[0]:g} for every text"
    return f"{where} at level {level}: one of them does not vary, or there are too few to compare"


def _accuracy(
    subset: Subset, metric: str, scores: Vector, criterion: str, ratings: Vector
) -> MetricAgreement:
    (first, second), places = subset.complete(scores, ratings)
    found = pairwise_accuracy(first, second, places.inputs)
    if found is None:
        return MetricAgreement(metric, criterion, "item", ACCURACY, subset.name, None, n=0)
    inputs = np.unique(places.inputs)
    defined = np.isfinite(found.by_group)
    weights = subset.draws[:, inputs[defined]]
    total = weights.sum(axis=1)
    replicates: Vector = np.full(len(weights), np.nan)
    np.divide(weights @ found.by_group[defined], total, out=replicates, where=total > 0)
    return MetricAgreement(
        metric,
        criterion,
        "item",
        ACCURACY,
        subset.name,
        found.value,
        percentile_interval(replicates, subset.options.confidence),
        n=len(first),
        groups=int(defined.sum()),
        epsilon=found.epsilon,
    )


def _soft(
    subset: Subset, metric: str, scores: Vector, criterion: str, ratings: Vector
) -> MetricAgreement:
    (first, second), places = subset.complete(scores, ratings)
    tables = []
    for values in (first, second):
        table = np.full((len(subset.sample.system_names), subset.draws.shape[1]), np.nan)
        table[places.systems, places.inputs] = values
        tables.append(table)
    value = soft_pairwise_accuracy(*tables, n=subset.options.n, seed=subset.options.seed)
    systems = len(np.unique(places.systems))
    return MetricAgreement(
        metric, criterion, "system", SOFT_ACCURACY, subset.name, value, n=systems
    )


def matrix(subset: Subset) -> list[MetricAgreement]:
    """Every two of metrics and criteria, at each level and by each coefficient."""
    columns = dict(subset.sample.metrics)
    for name, values in subset.sample.criteria.items():
        columns[f"{name} (people)" if name in columns else name] = values
    found = []
    for level in subset.options.levels:
        for coefficient in subset.options.coefficients:
            for first, second in combinations(columns, 2):
                both, places = subset.complete(columns[first], columns[second])
                one = correlate_at(level, coefficient, both[0], both[1], places)
                found.append(
                    MetricAgreement(
                        first,
                        second,
                        level,
                        coefficient,
                        subset.name,
                        one.value,
                        None,
                        one.p,
                        one.pairs,
                        one.groups,
                    )
                )
    return found


# ---
# Does one metric agree better with people than another?
# ---

_WILLIAMS = ("text", "system")
"""The levels whose coefficient is one correlation and no mean of several."""


def compare_with(
    subset: Subset,
    against: str,
    higher_is_better: Mapping[str, bool],
    progress: Callable[[], None] = lambda: None,
) -> list[MetricDifference]:
    """Each other metric against one, on the texts that both scored, p-values corrected by Holm.

    A family is all that one table shows: metrics and criteria at one level by one coefficient.
    Metrics of which less is better are turned round, so that to agree is to be positive.
    """
    found: list[MetricDifference] = []
    for level in subset.options.levels:
        for coefficient in subset.options.coefficients:
            family = []
            for metric in subset.sample.metrics:
                if metric == against:
                    continue
                signs = [1.0 if higher_is_better[name] else -1.0 for name in (metric, against)]
                for criterion in subset.sample.criteria:
                    family.append(
                        _one_against(subset, level, coefficient, metric, against, criterion, signs)
                    )
                    progress()
            found += _corrected(family)
    return found


def _one_against(
    subset: Subset,
    level: str,
    coefficient: str,
    metric: str,
    against: str,
    criterion: str,
    signs: Sequence[float],
) -> MetricDifference:
    columns, places = subset.complete(
        signs[0] * subset.sample.metrics[metric],
        signs[1] * subset.sample.metrics[against],
        subset.sample.criteria[criterion],
    )
    first, second, target = columns
    agreement = agreement_of(level, coefficient, target, places)
    difference = permute_both(
        first, second, agreement, n=subset.options.n, seed=subset.options.seed
    )
    one = MetricDifference(
        metric,
        against,
        criterion,
        level,
        coefficient,
        subset.name,
        len(first),
        None if difference is None else difference.value,
        permutation_p=None if difference is None else difference.p,
    )
    if coefficient != "pearson" or level not in _WILLIAMS:
        return one
    if level == "system":
        sides = [system_means(side, places.systems) for side in columns]
    else:
        sides = columns
    pairs = [pearson(sides[i], sides[j]) for i, j in ((0, 2), (1, 2), (0, 1))]
    if pairs[0] is None or pairs[1] is None or pairs[2] is None:
        return one
    tested = williams(pairs[0].value, pairs[1].value, pairs[2].value, len(sides[0]))
    if tested is None:
        return one
    return replace(one, williams_t=tested.t, williams_p=tested.p)


def _corrected(family: Sequence[MetricDifference]) -> list[MetricDifference]:
    by_t = adjust([one.williams_p for one in family])
    by_permutation = adjust([one.permutation_p for one in family])
    return [
        replace(one, williams_corrected=first, permutation_corrected=second)
        for one, first, second in zip(family, by_t, by_permutation, strict=True)
    ]


# ---
# How well one rater agrees with the others: a yardstick for metrics.
# ---

ONE_RATER = "one rater"


def has_single_judgments(ratings: Sequence[Rating]) -> bool:
    """Whether some text has the values of two raters."""
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

    A pair is a text and a rater of it, where somebody else rated it too; who judged a text twice
    counts once, with the mean. Both lists are over the same pairs, so a metric above the first is
    as good as a person. Inputs are resampled; the p-values take pairs for independent.
    """
    if not has_single_judgments(ratings):
        raise DataError(
            "the ceiling needs single judgments by several raters, and these are averages or of "
            "one rater a text",
            remedy="give the file of single judgments, or --no-ceiling",
        )
    draws = cluster_draws(int(sample.inputs.max()) + 1, n=options.n, seed=options.seed)
    people: list[MetricAgreement] = []
    metrics: list[MetricAgreement] = []
    for criterion in sample.criteria:
        rows, own, others = _pairs(ratings, sample, criterion)
        if not len(rows):
            continue
        for coefficient in options.coefficients:
            people.append(
                _agreement(
                    ONE_RATER, criterion, coefficient, own, others, rows, sample, draws, options
                )
            )
            for name, scores in sample.metrics.items():
                metrics.append(
                    _agreement(
                        name,
                        criterion,
                        coefficient,
                        scores[rows],
                        others,
                        rows,
                        sample,
                        draws,
                        options,
                    )
                )
    return people, metrics


def _pairs(
    ratings: Sequence[Rating], sample: RatedSample, criterion: str
) -> tuple[Codes, Vector, Vector]:
    """Of each pair: the place of its text, the rater's value, the mean of the others."""
    values: dict[Key, dict[str, list[float]]] = {}
    for rating in ratings:
        if rating.criterion == criterion and rating.rater:
            key = rating.system, rating.id
            values.setdefault(key, {}).setdefault(rating.rater, []).append(rating.value)
    rows, own, others = [], [], []
    for place, key in enumerate(sample.keys):
        by_rater = _means(values.get(key, {}))
        if len(by_rater) < 2:
            continue
        total = sum(by_rater.values())
        for value in by_rater.values():
            rows.append(place)
            own.append(value)
            others.append((total - value) / (len(by_rater) - 1))
    return np.array(rows, dtype=np.int64), np.array(own), np.array(others)


def _means(by_rater: Mapping[str, Sequence[float]]) -> dict[str, float]:
    return {rater: sum(values) / len(values) for rater, values in sorted(by_rater.items())}


def _agreement(
    name: str,
    criterion: str,
    coefficient: str,
    first: Vector,
    second: Vector,
    rows: Codes,
    sample: RatedSample,
    draws: Matrix,
    options: Options,
) -> MetricAgreement:
    there = np.isfinite(first)
    places = Places(sample.inputs[rows[there]], sample.systems[rows[there]])
    found = correlate_at("text", coefficient, first[there], second[there], places)
    interval = None
    if found.value is not None:
        again = resample_at("text", coefficient, first[there], second[there], places, draws)
        interval = None if again is None else percentile_interval(again, options.confidence)
    return MetricAgreement(
        name, criterion, "text", coefficient, "all", found.value, interval, found.p, found.pairs
    )


# ---
# Systems ranked on the rated sample and on all texts: Table 1 of paper 004.
# ---

Corpus = Callable[[Sequence[float]], float | None]


def rank_systems(
    texts: Mapping[Key, Text], measured: Sequence[MetricValues], sample: RatedSample
) -> tuple[list[Ranking], list[str]]:
    """Each metric's ranking of the rated systems, and notes on what has none.

    A metric whose corpus value is one number ranks by it, as BLEU does; the others by their mean.
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
        parts, wholes = (
            _ranks([sign * row[1] for row in rows]),
            _ranks([sign * row[2] for row in rows]),
        )
        ranks = [
            Rank(system, part, place, whole, whole_place, few, many)
            for (system, part, whole, few, many), place, whole_place in zip(
                rows, parts, wholes, strict=True
            )
        ]
        ranks.sort(key=lambda rank: (rank.sample_rank, rank.system))
        together = kendall([row[1] for row in rows], [row[2] for row in rows])
        kind = "mean" if corpus is None else "corpus"
        value = None if together is None else together.value
        rankings.append(Ranking(one.name, kind, tuple(ranks), value))
    return rankings, notes


def _ranks(values: Sequence[float]) -> list[int]:
    """1 is the highest; equal values share the better place."""
    return [1 + sum(other > value for other in values) for value in values]


def _value(
    name: str, texts: Mapping[Key, Text], keys: Sequence[Key], corpus: Corpus | None
) -> float | None:
    if corpus is not None:
        rows = [texts[key].statistics[name] for key in keys if name in texts[key].statistics]
        return corpus([math.fsum(column) for column in zip(*rows, strict=True)]) if rows else None
    scores = [texts[key].scores.get(name) for key in keys]
    values = [score for score in scores if score is not None]
    return math.fsum(values) / len(values) if values else None


def _corpus(one: MetricValues, texts: Mapping[Key, Text]) -> Corpus | None:
    """How a metric makes one number of all texts; None where it is the mean."""
    row = next(
        (text.statistics[one.name] for text in texts.values() if one.name in text.statistics), None
    )
    if one.builder is None or row is None:
        return None
    name, settings = one.builder
    try:
        metric = load_metric(name, **settings)
    except AdequaError:  # a metric of somebody's own that is not installed here
        return None
    if not isinstance(metric.corpus(row), float | int):
        return None

    def value(totals: Sequence[float]) -> float | None:
        found = metric.corpus(totals)
        return float(found) if isinstance(found, float | int) else None

    return value
