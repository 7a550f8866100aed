"""Correlations against hand values, against scipy, and where there is none."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.stats.correlations import COEFFICIENTS, complete_pairs, kendall, pearson, spearman

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


def test_complete_pairs_leave_out_what_is_not_there() -> None:
    one, other = complete_pairs([1, None, 3, math.nan, 5], [1, 2, None, 4, 6])
    assert one.tolist() == [1, 5]
    assert other.tolist() == [1, 6]
    assert [len(side) for side in complete_pairs([], [])] == [0, 0]
    assert isinstance(one, np.ndarray)
