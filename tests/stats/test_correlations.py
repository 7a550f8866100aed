"""Correlations, their resamples, tests of differences, and pairwise accuracy."""

from __future__ import annotations

import math
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adequa.errors import UnknownName
from adequa.stats.correlations import (
    COEFFICIENTS,
    cluster_counts,
    cluster_draws,
    complete_pairs,
    kendall,
    pairwise_accuracy,
    pearson,
    permute_both,
    resampled_correlations,
    resampled_kendall,
    resampled_pearson,
    rowwise_correlations,
    soft_pairwise_accuracy,
    spearman,
    williams,
)

NUMBERS = st.lists(st.tuples(st.integers(-50, 50), st.integers(-50, 50)), min_size=0, max_size=25)


def test_hand_values() -> None:
    one, other = [1, 2, 3, 4, 5], [2, 1, 4, 3, 5]
    # Deviations -2..2 and -1, -2, 1, 0, 2: their products add up to 8, their squares to 10 each.
    found = pearson(one, other)
    assert found is not None
    assert found.value == pytest.approx(0.8)
    assert found.pairs == 5
    # No ties: 1 - 6 · 4 / (5 · 24).
    assert spearman(one, other).value == pytest.approx(0.8)  # type: ignore[union-attr]
    # Of ten pairs two are in the other order.
    assert kendall(one, other).value == pytest.approx(0.6)  # type: ignore[union-attr]


def test_ties_share_their_rank() -> None:
    found = spearman([1, 1, 2, 3], [1, 2, 3, 4])
    assert found is not None
    assert found.value == pytest.approx(4.5 / math.sqrt(4.5 * 5))
    # tau-b: five pairs in order, one tied on one side: 5 / sqrt(5 · 6).
    assert kendall([1, 1, 2, 3], [1, 2, 3, 4]).value == pytest.approx(  # type: ignore[union-attr]
        5 / math.sqrt(30)
    )


@pytest.mark.parametrize("name", COEFFICIENTS)
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ([], []),
        ([1, 2], [1, 2]),
        ([1, 1, 1], [1, 2, 3]),
        ([1, 2, 3], [0, 0, 0]),
        ([0.1 + 0.2, 0.3, 0.3], [1, 2, 3]),
        ([1, math.nan, 3], [1, 2, 3]),
        ([1, 2, 3], [1, math.inf, 3]),
    ],
)
def test_no_correlation_is_none(name: str, first: list[float], second: list[float]) -> None:
    assert COEFFICIENTS[name](first, second) is None


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_unequal_lengths_cannot_be_paired(name: str) -> None:
    with pytest.raises(ValueError, match="paired"):
        COEFFICIENTS[name]([1, 2, 3], [1, 2])
    with pytest.raises(ValueError, match="paired"):
        complete_pairs([1], [])


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_values_of_any_size(name: str) -> None:
    for factor in (1e-300, 1e300):
        found = COEFFICIENTS[name]([factor, 2 * factor, 3 * factor, 4 * factor], [1, 2, 3, 5])
        assert found is not None
        assert found.value > 0.9


@given(NUMBERS)
def test_the_same_as_scipy(pairs: list[tuple[int, int]]) -> None:
    import scipy.stats

    one, other = [float(pair[0]) for pair in pairs], [float(pair[1]) for pair in pairs]
    oracles = {
        "pearson": scipy.stats.pearsonr,
        "spearman": scipy.stats.spearmanr,
        "kendall": scipy.stats.kendalltau,
    }
    for name, oracle in oracles.items():
        found = COEFFICIENTS[name](one, other)
        assert (found is None) == (len(pairs) < 3 or len(set(one)) == 1 or len(set(other)) == 1)
        if found is None:
            continue
        expected = oracle(one, other)
        assert found.value == pytest.approx(float(expected.statistic), abs=1e-9)
        assert found.p == pytest.approx(float(expected.pvalue), abs=1e-6)
        assert -1 <= found.value <= 1
        reverse = COEFFICIENTS[name](other, one)
        assert reverse is not None
        assert reverse.value == pytest.approx(found.value, abs=1e-9)


def test_complete_pairs_leave_out_missing_values() -> None:
    one, other = complete_pairs([1, None, 3, math.nan, 5], [1, 2, None, 4, 6])
    assert one.tolist() == [1, 5]
    assert other.tolist() == [1, 6]
    assert [len(side) for side in complete_pairs([], [])] == [0, 0]
    assert isinstance(one, np.ndarray)


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[list[float]], list[list[float]]]:
    columns = draw(st.integers(1, 7))
    value = st.sampled_from([-3.0, 0.0, 0.5, 1.0, 2.0, 1e9, float("nan"), float("inf")])
    row = st.lists(value, min_size=columns, max_size=columns)
    first = draw(st.lists(row, min_size=1, max_size=4))
    count = draw(st.sampled_from([1, len(first)]))
    return first, draw(st.lists(row, min_size=count, max_size=count))


@pytest.mark.parametrize("name", COEFFICIENTS)
@given(tables())
def test_as_one_after_the_other(
    name: str, both: tuple[list[list[float]], list[list[float]]]
) -> None:
    first, second = both
    found = rowwise_correlations(first, second, name)
    for place, row in enumerate(first):
        expected = COEFFICIENTS[name](row, second[place if len(second) > 1 else 0])
        if expected is None:
            assert np.isnan(found[place])
        else:
            assert found[place] == pytest.approx(expected.value, abs=1e-9)


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_long_rows(name: str) -> None:
    random = np.random.default_rng(0)
    first, second = random.integers(0, 9, (3, 100)), random.integers(0, 9, 100)
    expected = [COEFFICIENTS[name](row, second).value for row in first]  # type: ignore[union-attr]
    assert rowwise_correlations(first, second, name) == pytest.approx(expected)
    assert rowwise_correlations(second, first, name) == pytest.approx(expected)


def test_what_cannot_be_paired() -> None:
    with pytest.raises(ValueError, match="cannot be paired"):
        rowwise_correlations([[1, 2, 3]], [[1, 2]], "pearson")
    with pytest.raises(ValueError, match="cannot be paired"):
        rowwise_correlations(np.ones((2, 3)), np.ones((3, 3)), "pearson")
    with pytest.raises(UnknownName, match="pearson"):
        rowwise_correlations([[1, 2, 3]], [[1, 2, 3]], "person")


_ROWS = st.lists(
    st.tuples(st.integers(0, 4), st.integers(-3, 3), st.integers(-3, 3)), min_size=3, max_size=12
)


@settings(max_examples=40, deadline=None)
@given(_ROWS, st.sampled_from(["pearson", "spearman"]))
def test_as_if_the_texts_were_written_out(rows: list[tuple[int, int, int]], name: str) -> None:
    clusters, first, second = zip(*rows, strict=True)
    counts = cluster_counts(clusters, n=5, seed=1)
    found = resampled_correlations(first, second, counts, name)  # type: ignore[arg-type]
    for value, drawn in zip(found, counts.astype(int), strict=True):
        expected = COEFFICIENTS[name](np.repeat(first, drawn), np.repeat(second, drawn))
        if expected is None:
            assert np.isnan(value) or drawn.sum() < 3
        else:
            assert value == pytest.approx(expected.value)


@settings(max_examples=40, deadline=None)
@given(_ROWS, st.sampled_from([("kendall", resampled_kendall), ("pearson", resampled_pearson)]))
def test_by_clusters_as_if_the_texts_were_written_out(rows: list, way: tuple) -> None:
    name, resampled = way
    clusters, first, second = zip(*rows, strict=True)
    names = sorted(set(clusters))
    places = np.array([names.index(one) for one in clusters])
    draws = cluster_draws(len(names), n=5, seed=1)
    found = resampled(first, second, places, draws)
    for value, drawn in zip(found, draws[:, places].astype(int), strict=True):
        expected = COEFFICIENTS[name](np.repeat(first, drawn), np.repeat(second, drawn))
        if expected is None:
            assert np.isnan(value) or drawn.sum() < 3
        else:
            assert value == pytest.approx(expected.value)


@given(st.lists(st.sampled_from("abcde"), min_size=1, max_size=20))
def test_texts_of_a_graph_are_drawn_together(clusters: list[str]) -> None:
    counts = cluster_counts(clusters, n=20, seed=0)
    assert counts.shape == (20, len(clusters))
    for name in set(clusters):
        own = counts[:, [place for place, one in enumerate(clusters) if one == name]]
        assert (own == own[:, :1]).all()
    first = [clusters.index(name) for name in dict.fromkeys(clusters)]
    assert (counts[:, first].sum(axis=1) == len(first)).all()


def test_the_same_again_and_another_seed() -> None:
    clusters = [*"aabbccdd"]
    first, again = (cluster_counts(clusters, n=9, seed=3) for _ in range(2))
    assert (first == again).all()
    assert (first != cluster_counts(clusters, n=9, seed=4)).any()
    assert cluster_counts([], n=2, seed=0).shape == (2, 0)


def test_williams_as_published() -> None:
    # Silver, Hittner and May (2006), the program DEPCOR; also a test of the R package cocor.
    found = williams(0.3, 0.4, 0.5, 100)
    assert found is not None
    assert (round(found.t, 4), found.df, round(found.p, 4)) == (-1.0767, 97, 0.2843)


def test_williams_where_there_is_nothing_to_tell() -> None:
    assert williams(0.3, 0.4, 0.5, 3) is None
    assert williams(0.5, 0.5, 1.0, 100) is None
    with pytest.raises(ValueError, match="from -1 to 1"):
        williams(1.2, 0.4, 0.5, 100)


@given(st.floats(-0.9, 0.9), st.floats(-0.9, 0.9), st.floats(-0.3, 0.9), st.integers(4, 500))
def test_williams_changes_sides(first: float, second: float, between: float, n: int) -> None:
    one, other = williams(first, second, between, n), williams(second, first, between, n)
    if one is None or other is None:
        assert one is other
    else:
        assert one.t == pytest.approx(-other.t)
        assert 0 <= one.p <= 1


def agreement_with(target: list[float], name: str = "pearson"):
    return lambda rows: rowwise_correlations(rows, target, name)


def test_permutations_against_all_there_are() -> None:
    random = np.random.default_rng(3)
    target = random.normal(size=8)
    first, second = target + random.normal(size=8), random.normal(size=8)
    one, other = ((side - side.mean()) / side.std() for side in (first, second))
    observed = pearson(one, target).value - pearson(other, target).value  # type: ignore[union-attr]
    extreme = []
    for change in product([False, True], repeat=8):
        left, right = np.where(change, other, one), np.where(change, one, other)
        drawn = pearson(left, target).value - pearson(right, target).value  # type: ignore[union-attr]
        extreme.append(abs(drawn) >= abs(observed) - 1e-9)
    found = permute_both(first, second, agreement_with(target), n=20_000)
    assert found is not None
    assert found.value == pytest.approx(observed)
    assert found.p == pytest.approx(np.mean(extreme), abs=0.015)


def test_permutations_do_not_see_the_scale_and_are_seeded() -> None:
    random = np.random.default_rng(1)
    target = list(random.normal(size=40))
    first, second = np.array(target) + random.normal(size=40), random.normal(size=40)
    found = permute_both(first, second, agreement_with(target), n=500, seed=4)
    scaled = permute_both(1000 * first + 7, second / 9, agreement_with(target), n=500, seed=4)
    again = permute_both(first, second, agreement_with(target), n=500, seed=4)
    assert found is not None
    assert scaled is not None
    assert found == again
    assert found.p == scaled.p
    assert found.p < 0.05


def test_a_measure_is_not_better_than_itself() -> None:
    values = [1.0, 5.0, 2.0, 8.0]
    found = permute_both(values, values, agreement_with([1.0, 2.0, 3.0, 4.0]))
    assert found is not None
    assert found == (0.0, 1.0)


def test_what_cannot_be_permuted() -> None:
    agreement = agreement_with([1.0, 2.0, 3.0])
    assert permute_both([1, 1, 1], [1, 2, 3], agreement) is None
    assert permute_both([1, 2, float("nan")], [1, 2, 3], agreement) is None
    assert permute_both([1, 2, 3], [1, 2, 3], agreement_with([1.0, 1.0, 1.0])) is None
    with pytest.raises(ValueError, match="change sides"):
        permute_both([1, 2, 3], [1, 2], agreement)


ROWS = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(0, 2)), min_size=2, max_size=14
)


def slow_accuracy(rows: list[tuple[int, int, int]], epsilon: float) -> float | None:
    shares = []
    for group in sorted({row[2] for row in rows}):
        right = []
        for (m1, h1, _), (m2, h2, _) in combinations([row for row in rows if row[2] == group], 2):
            tied_m, tied_h = abs(m1 - m2) <= epsilon, h1 == h2
            right.append(tied_m if tied_h else not tied_m and (m1 > m2) == (h1 > h2))
        if right:
            shares.append(sum(right) / len(right))
    return sum(shares) / len(shares) if shares else None


@given(ROWS, st.sampled_from([0, 0.5, 1, 2, 9]))
def test_accuracy_as_counted_slowly(rows: list[tuple[int, int, int]], epsilon: float) -> None:
    found = pairwise_accuracy(*zip(*rows, strict=True), epsilon=epsilon)
    expected = slow_accuracy(rows, epsilon)
    assert (found is None) == (expected is None)
    if found is not None:
        assert found.value == pytest.approx(expected)


@given(ROWS)
def test_the_calibrated_tie_is_the_smallest_of_the_best(rows: list[tuple[int, int, int]]) -> None:
    found = pairwise_accuracy(*zip(*rows, strict=True))
    if found is None:
        return
    candidates = sorted({0, *(abs(a[0] - b[0]) for a, b in combinations(rows, 2) if a[2] == b[2])})
    accuracies = {epsilon: slow_accuracy(rows, epsilon) or 0.0 for epsilon in candidates}
    best = max(accuracies.values())
    assert found.value == pytest.approx(best)
    assert found.epsilon == next(e for e in candidates if accuracies[e] > best - 1e-9)


def test_accuracy_by_hand() -> None:
    # People: a > b = c. The metric: a > b > c, all apart; (a, b) and (a, c) are right.
    plain = pairwise_accuracy([9, 5, 4], [2, 1, 1], [0, 0, 0], epsilon=0)
    assert plain is not None
    assert plain.value == pytest.approx(2 / 3)
    # A tie within one point makes (b, c) right as well.
    found = pairwise_accuracy([9, 5, 4], [2, 1, 1], [0, 0, 0])
    assert found is not None
    assert (found.value, found.epsilon, found.pairs) == (1.0, 1.0, 3)
    # A constant metric gets the pairs that people tie.
    tied = pairwise_accuracy([1, 1, 1], [2, 1, 1], [0, 0, 0])
    assert tied is not None
    assert (tied.value, tied.epsilon) == (pytest.approx(1 / 3), 0)


def test_groups_count_alike_and_none_without_pairs() -> None:
    found = pairwise_accuracy([1, 2, 5, 4, 3, 7], [1, 2, 1, 2, 3, 1], [*"aabbbc"], epsilon=0)
    assert found is not None
    assert found.by_group == pytest.approx([1, 0, np.nan], nan_ok=True)
    assert found.value == 0.5
    assert pairwise_accuracy([1, 2], [1, 2], [0, 1]) is None
    assert pairwise_accuracy([], [], []) is None


@pytest.mark.parametrize(
    ("metric", "human", "groups", "epsilon"),
    [([1], [1, 2], [0, 0], 0), ([1, np.nan], [1, 2], [0, 0], 0), ([1, 2], [1, 2], [0, 0], -1)],
)
def test_wrong_use(metric, human, groups, epsilon) -> None:
    with pytest.raises(ValueError, match=r"needs|finite|from 0"):
        pairwise_accuracy(metric, human, groups, epsilon=epsilon)


def test_soft_accuracy_against_every_sign() -> None:
    random = np.random.default_rng(5)
    metric, human = random.integers(0, 6, (2, 3, 6)).astype(float)
    metric[0, 2] = np.nan
    shares = []
    for one, other in combinations(range(3), 2):
        chance = []
        for table in (metric, human):
            there = np.isfinite(metric[one]) & np.isfinite(metric[other])
            apart = (table[one] - table[other])[there]
            signs = np.array(np.meshgrid(*[[-1, 1]] * len(apart))).reshape(len(apart), -1)
            drawn = apart @ signs
            chance.append((drawn > apart.sum()).mean() + (drawn == apart.sum()).mean() / 2)
        shares.append(1 - abs(chance[0] - chance[1]))
    found = soft_pairwise_accuracy(metric, human, n=20_000)
    assert found == pytest.approx(np.mean(shares), abs=0.01)


def test_soft_accuracy_by_nature() -> None:
    random = np.random.default_rng(2)
    human = random.normal(size=(5, 30)) + np.arange(5)[:, None]
    assert soft_pairwise_accuracy(human, human) == 1
    assert soft_pairwise_accuracy(3 * human - 9, human) == 1
    assert soft_pairwise_accuracy(-human, human) == pytest.approx(0, abs=0.05)
    order = [3, 0, 4, 2, 1]
    metric = human + random.normal(size=(5, 30))
    assert soft_pairwise_accuracy(metric, human) == pytest.approx(
        soft_pairwise_accuracy(metric[order], human[order])
    )
    assert soft_pairwise_accuracy(np.ones((3, 4)), np.ones((3, 4))) == 1


def test_soft_accuracy_without_shared_inputs() -> None:
    nothing = np.array([[1.0, np.nan], [np.nan, 1.0]])
    assert soft_pairwise_accuracy(nothing, nothing) is None
    assert soft_pairwise_accuracy(np.ones((1, 4)), np.ones((1, 4))) is None
    with pytest.raises(ValueError, match="one shape"):
        soft_pairwise_accuracy(np.ones((2, 4)), np.ones((2, 3)))
    with pytest.raises(ValueError, match="at least once"):
        soft_pairwise_accuracy(np.ones((2, 4)), np.ones((2, 4)), n=0)
