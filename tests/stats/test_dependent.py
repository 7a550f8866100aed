"""Two measures against a third: published values, an exact oracle, and what must hold by nature."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.stats.correlations import pearson, permute_both, rowwise_correlations, williams


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


def test_a_measure_is_no_better_than_itself() -> None:
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
