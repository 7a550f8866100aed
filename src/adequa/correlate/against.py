"""Does one metric agree better with people than another?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from adequa.correlate.levels import agreement_of, system_means
from adequa.correlate.measuring import Subset
from adequa.correlate.model import Beaten
from adequa.stats.corrections import adjust
from adequa.stats.correlations import pearson
from adequa.stats.dependent import permute_both, williams

__all__ = ["compare_with"]

_WILLIAMS = ("text", "system")
"""The levels whose coefficient is one correlation and no mean of several."""


def compare_with(
    subset: Subset,
    against: str,
    higher_is_better: Mapping[str, bool],
    progress: Callable[[], None] = lambda: None,
) -> list[Beaten]:
    """Each other metric against one, on the texts that both scored, p-values corrected by Holm.

    A family is all that one table shows: metrics and criteria at one level by one coefficient.
    Metrics of which less is better are turned round, so that to agree is to be positive.
    """
    found: list[Beaten] = []
    for level in subset.options.levels:
        for coefficient in subset.options.coefficients:
            family = []
            for metric in subset.sample.metrics:
                if metric == against:
                    continue
                signs = [1.0 if higher_is_better[name] else -1.0 for name in (metric, against)]
                for criterion in subset.sample.criteria:
                    family.append(
                        _one(subset, level, coefficient, metric, against, criterion, signs)
                    )
                    progress()
            found += _corrected(family)
    return found


def _one(
    subset: Subset,
    level: str,
    coefficient: str,
    metric: str,
    against: str,
    criterion: str,
    signs: Sequence[float],
) -> Beaten:
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
    one = Beaten(
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


def _corrected(family: Sequence[Beaten]) -> list[Beaten]:
    by_t = adjust([one.williams_p for one in family])
    by_permutation = adjust([one.permutation_p for one in family])
    return [
        replace(one, williams_corrected=first, permutation_corrected=second)
        for one, first, second in zip(family, by_t, by_permutation, strict=True)
    ]
