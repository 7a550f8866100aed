"""Pairs put in order: examples by hand, slow oracles, and what must hold by nature."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.stats.correlations import pairwise_accuracy, soft_pairwise_accuracy

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
