"""Wilcoxon's tests, against R's documented examples, scipy, and their own properties."""

from __future__ import annotations

from itertools import combinations, product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.stats.significance import rank_sum, signed_rank

# The examples of R's help page of wilcox.test, from Hollander & Wolfe (1973): 27f. (depression
# scores at two visits) and 69f. (permeability of the placenta), with the p that R prints.
FIRST_VISIT = (1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30)
SECOND_VISIT = (0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29)
AT_TERM = (0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46)
EARLIER = (1.15, 0.88, 0.90, 0.74, 1.21)

tied = st.lists(st.integers(1, 5).map(float), min_size=1, max_size=60)
pairs = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=1, max_size=60)


def test_rank_sum_of_the_documented_example() -> None:
    found = rank_sum(AT_TERM, EARLIER)
    assert found is not None
    assert found.statistic == 35
    assert found.exact
    assert found.p == pytest.approx(2 * 0.1272, abs=1e-4), "R prints the one-sided p 0.1272"


def test_signed_rank_of_the_documented_example() -> None:
    found = signed_rank(FIRST_VISIT, SECOND_VISIT)
    assert found is not None
    assert found.statistic == 40
    assert found.exact
    assert found.p == pytest.approx(2 * 0.01953, abs=1e-5), "R prints the one-sided p 0.01953"


def test_rank_sum_by_hand() -> None:
    # Of the 20 ways to choose 3 of 6 ranks only {1, 2, 3} is as low, only {4, 5, 6} as high.
    found = rank_sum([1, 2, 3], [4, 5, 6])
    assert found is not None
    assert found.statistic == 0
    assert found.p == pytest.approx(2 / 20)


@given(tied, tied, st.booleans())
def test_rank_sum_with_ties_is_scipys(
    first: list[float], second: list[float], continuity: bool
) -> None:
    from scipy.stats import mannwhitneyu

    found = rank_sum(first, second, continuity=continuity)
    if len({*first, *second}) == 1:
        assert found is None
        return
    assert found is not None
    expected = mannwhitneyu(
        first, second, use_continuity=continuity, method="exact" if found.exact else "asymptotic"
    )
    assert found.statistic == pytest.approx(expected.statistic)
    if not continuity or found.exact or found.statistic != len(first) * len(second) / 2:
        assert found.p == pytest.approx(float(expected.pvalue))
    else:  # scipy moves a statistic that is at its mean already
        assert found.p == 1


@given(pairs, st.booleans())
def test_signed_rank_with_ties_is_scipys(pairs: list[tuple[int, int]], continuity: bool) -> None:
    from scipy.stats import wilcoxon

    first, second = zip(*pairs, strict=True)
    found = signed_rank(first, second, continuity=continuity)
    if first == second:
        assert found is None
        return
    assert found is not None
    expected = wilcoxon(
        first, second, correction=continuity, method="exact" if found.exact else "approx"
    )
    assert found.p == pytest.approx(float(expected.pvalue))


@given(st.sets(st.integers(0, 200), min_size=2, max_size=9), st.data())
def test_exact_rank_sum_counts_all_ways(values: set[int], data: st.DataObject) -> None:
    size = data.draw(st.integers(1, len(values) - 1))
    chosen = data.draw(st.permutations(sorted(values)))
    first, second = chosen[:size], chosen[size:]
    found = rank_sum(first, second)
    assert found is not None
    assert found.exact
    middle = size * (len(values) - size) / 2
    ways = [
        abs(sum(one > other for one in some for other in values - set(some)) - middle)
        for some in combinations(values, size)
    ]
    observed = abs(found.statistic - middle)
    assert found.p == pytest.approx(sum(way >= observed for way in ways) / len(ways))


@given(st.lists(st.booleans(), min_size=1, max_size=9), st.randoms())
def test_exact_signed_rank_counts_all_signs(signs: list[bool], random: Random) -> None:
    sizes = random.sample(range(1, 50), len(signs))
    differences = [size if up else -size for size, up in zip(sizes, signs, strict=True)]
    found = signed_rank(differences, [0] * len(signs))
    assert found is not None
    ranks = range(1, len(signs) + 1)
    middle = sum(ranks) / 2
    ways = [
        abs(sum(rank for rank, up in zip(ranks, some, strict=True) if up) - middle)
        for some in product((True, False), repeat=len(signs))
    ]
    observed = abs(found.statistic - middle)
    assert found.p == pytest.approx(sum(way >= observed for way in ways) / len(ways))


@given(tied, tied, st.randoms(), st.integers(-50, 50))
def test_neither_order_nor_a_constant_matters(
    first: list[float], second: list[float], random: Random, constant: int
) -> None:
    found = rank_sum(first, second)
    mixed = [value + constant for value in first]
    random.shuffle(mixed)
    assert rank_sum(mixed, [value + constant for value in second]) == found
    back = rank_sum(second, first)
    assert (None if back is None else back.p) == (None if found is None else found.p)


def test_rounding_errors_break_no_ties() -> None:
    # In floating point 0.3 - 0.2 is not 0.2 - 0.1.
    found = signed_rank([0.3, 0.2, 0.9], [0.2, 0.1, 0.4])
    assert found is not None
    assert not found.exact, "the first two differences tie"
    far = signed_rank([1e6 + 0.3, 1e6 + 0.2, 1e6 + 0.9], [1e6 + 0.2, 1e6 + 0.1, 1e6 + 0.4])
    assert far == found


def test_what_cannot_be_said_is_none() -> None:
    assert rank_sum([], [1]) is rank_sum([1], []) is None
    assert rank_sum([2, 2], [2]) is rank_sum([0], [0]) is None
    assert signed_rank([], []) is signed_rank([1, 2], [1, 2]) is None


def test_large_samples_without_ties_are_not_exact() -> None:
    small = rank_sum(range(49), [value + 0.5 for value in range(49)])
    large = rank_sum(range(50), [value + 0.5 for value in range(49)])
    assert small is not None
    assert large is not None
    assert small.exact
    assert not large.exact


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_a_value_that_is_no_number_is_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        rank_sum([1, bad], [1, 2])
    with pytest.raises(ValueError, match="finite"):
        signed_rank([1, bad], [1, 2])


def test_unequal_lengths_cannot_be_paired() -> None:
    with pytest.raises(ValueError, match="paired"):
        signed_rank([1, 2], [1])
