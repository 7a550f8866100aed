"""Corrections, letters and rank tests."""

from __future__ import annotations

from itertools import combinations, product
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from adequa.errors import UnknownName
from adequa.stats.significance import (
    CORRECTIONS,
    adjust,
    rank_sum,
    signed_rank,
    significance_letters,
)

p_values = st.lists(st.floats(0, 1), max_size=20)
corrections = st.sampled_from(sorted(CORRECTIONS))


def holm_by_definition(p_values: list[float]) -> list[float]:
    """p of rank i is the largest of (m - j) p_j over all ranks j up to i."""
    ranked = sorted(p_values)
    return [
        max(
            min(1.0, (len(ranked) - rank) * ranked[rank])
            for rank in range(ranked.index(p) + ranked.count(p))
        )
        for p in p_values
    ]


@pytest.mark.parametrize(
    ("correction", "expected"),
    [
        # m = 4, worked by hand: 4·0.005, 3·0.01, 2·0.03, 1·0.04 raised to its predecessor.
        ("holm", [0.03, 0.06, 0.06, 0.02]),
        ("bonferroni", [0.04, 0.16, 0.12, 0.02]),
        # 4/4·0.04, 4/3·0.03 = 0.04, 4/2·0.01, 4/1·0.005.
        ("bh", [0.02, 0.04, 0.04, 0.02]),
        ("none", [0.01, 0.04, 0.03, 0.005]),
    ],
)
def test_worked_example(correction: str, expected: list[float]) -> None:
    assert adjust([0.01, 0.04, 0.03, 0.005], correction) == pytest.approx(expected)


def test_benjamini_hochberg_1995() -> None:
    # The 15 p-values of their section 3.2; at 0.05 the first four are rejected, Bonferroni: three.
    published = [
        *(0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344),
        *(0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000),
    ]
    assert sum(p <= 0.05 for p in adjust(published, "bh") if p is not None) == 4
    assert sum(p <= 0.05 for p in adjust(published, "bonferroni") if p is not None) == 3


@given(p_values.filter(bool))
def test_benjamini_hochberg_agrees_with_scipy(values: list[float]) -> None:
    expected = scipy_stats.false_discovery_control(values)
    assert np.allclose(adjust(values, "bh"), expected)


@given(p_values)
def test_holm_agrees_with_its_definition(values: list[float]) -> None:
    assert adjust(values, "holm") == pytest.approx(holm_by_definition(values))


@given(p_values, corrections)
def test_never_below_the_raw_value_and_in_the_same_order(values: list[float], name: str) -> None:
    adjusted = [p for p in adjust(values, name) if p is not None]
    assert len(adjusted) == len(values)
    assert all(raw - 1e-12 <= p <= 1 for raw, p in zip(values, adjusted, strict=True))
    for raw, p in zip(values, adjusted, strict=True):
        for other_raw, other in zip(values, adjusted, strict=True):
            assert raw > other_raw or p <= other


@given(st.lists(st.floats(0, 1), max_size=12), corrections, st.randoms())
def test_the_order_of_the_comparisons_does_not_matter(
    values: list[float], name: str, random: Random
) -> None:
    order = list(range(len(values)))
    random.shuffle(order)
    shuffled = adjust([values[place] for place in order], name)
    assert shuffled == [adjust(values, name)[place] for place in order]


def test_a_missing_p_value_does_not_count() -> None:
    assert adjust([None, 0.02, None], "bonferroni") == [None, 0.02, None]
    assert adjust([], "holm") == []


def test_unknown_correction_names_the_known() -> None:
    with pytest.raises(UnknownName, match="holm"):
        adjust([0.1], "hulm")


@pytest.mark.parametrize("p", [-0.1, 1.5, float("nan")])
def test_a_p_value_is_a_probability(p: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        adjust([p])


SYSTEMS = 6
index_pairs = st.sets(st.sampled_from(list(combinations(range(SYSTEMS), 2))))


@given(index_pairs)
def test_two_systems_share_a_letter_unless_they_differ(different: set[tuple[int, int]]) -> None:
    letters = significance_letters(SYSTEMS, different)
    assert letters is not None
    for one, other in combinations(range(SYSTEMS), 2):
        assert bool(set(letters[one]) & set(letters[other])) == ((one, other) not in different)


@given(index_pairs, st.randoms())
def test_the_order_of_the_pairs_does_not_matter(
    different: set[tuple[int, int]], random: Random
) -> None:
    shuffled = [pair[::-1] for pair in different]
    random.shuffle(shuffled)
    assert significance_letters(SYSTEMS, shuffled) == significance_letters(SYSTEMS, different)


def test_no_difference_is_one_letter_and_all_differences_are_as_many() -> None:
    assert significance_letters(3, []) == ["a", "a", "a"]
    assert significance_letters(3, combinations(range(3), 2)) == ["a", "b", "c"]
    assert significance_letters(0, []) == []


def test_too_many_groups_have_no_letters() -> None:
    assert significance_letters(60, combinations(range(60), 2)) is None
    # Twenty separate pairs split the whole into 2^20 groups.
    assert significance_letters(40, [(2 * k, 2 * k + 1) for k in range(20)]) is None


def test_a_system_does_not_differ_from_itself() -> None:
    with pytest.raises(ValueError, match="itself"):
        significance_letters(2, [(1, 1)])


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


def test_undefined_results_are_none() -> None:
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
def test_a_value_that_is_not_a_number_is_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        rank_sum([1, bad], [1, 2])
    with pytest.raises(ValueError, match="finite"):
        signed_rank([1, bad], [1, 2])


def test_unequal_lengths_cannot_be_paired() -> None:
    with pytest.raises(ValueError, match="paired"):
        signed_rank([1, 2], [1])
