"""Moments and confidence intervals."""

from __future__ import annotations

import dataclasses
import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from adequa.stats.resampling import (
    Moments,
    bootstrap_interval,
    bootstrap_totals,
    percentile_interval,
    rowwise,
)

numbers = st.floats(-1e6, 1e6)


@given(st.lists(numbers, min_size=2, max_size=50))
def test_moments_agree_with_the_standard_library(values: list[float]) -> None:
    moments = Moments.of(values)
    assert moments.count == len(values)
    assert moments.mean == pytest.approx(statistics.fmean(values), abs=1e-6)
    assert moments.variance == pytest.approx(statistics.variance(values), rel=1e-9, abs=1e-6)


@given(st.lists(numbers, max_size=30), st.lists(numbers, min_size=2, max_size=30))
def test_merging_is_the_same_as_adding_all(first: list[float], second: list[float]) -> None:
    merged = Moments.of(first)
    merged.merge(Moments.of(second))
    whole = Moments.of(first + second)
    assert merged.count == whole.count
    assert merged.mean == pytest.approx(whole.mean, abs=1e-6)
    assert merged.variance == pytest.approx(whole.variance, rel=1e-9, abs=1e-6)


def test_merging_nothing_changes_nothing() -> None:
    moments = Moments.of([1.0, 2.0])
    moments.merge(Moments())
    assert moments == Moments.of([1.0, 2.0])


def test_a_large_mean_does_not_eat_the_spread() -> None:
    moments = Moments.of([1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16])
    assert moments.variance == pytest.approx(30.0)


def test_interval_is_students() -> None:
    # mean 3, s = sqrt(2.5), n = 5; t(4, 0.975) = 2.776445, from any printed table.
    low, high = Moments.of([1, 2, 3, 4, 5]).interval() or pytest.fail("no interval")
    half = 2.7764451 * math.sqrt(2.5) / math.sqrt(5)
    assert (low, high) == pytest.approx((3 - half, 3 + half))


def test_too_few_numbers_have_no_interval() -> None:
    nothing = Moments()
    assert (nothing.mean, nothing.variance, nothing.deviation) == (None, None, None)
    assert nothing.interval() is None
    single = Moments.of([0.5])
    assert single.mean == 0.5
    assert single.interval() is None


def test_equal_numbers_have_an_interval_of_no_width() -> None:
    assert Moments.of([0.25] * 9).interval() == (0.25, 0.25)


def test_numbers_too_large_to_square_have_no_interval() -> None:
    assert Moments.of([1e300, -1e300, 1e300]).interval() is None


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="is not a finite number"):
        Moments().add(value)


@pytest.mark.parametrize("level", [0, 1, -0.5, 95])
def test_a_level_is_a_probability(level: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        Moments.of([1.0, 2.0]).interval(level)


SKEWED = np.random.default_rng(12).exponential(size=40)


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_agrees_with_scipy_on_the_same_replicates(level: float) -> None:
    replicates = bootstrap_totals(SKEWED[:, None], n=500, seed=3)[:, 0] / len(SKEWED)
    theirs = scipy_stats.bootstrap((SKEWED,), np.mean, n_resamples=9, method="percentile")
    known = dataclasses.replace(theirs, bootstrap_distribution=replicates)
    expected = scipy_stats.bootstrap(
        (SKEWED,),
        np.mean,
        n_resamples=0,
        confidence_level=level,
        method="percentile",
        bootstrap_result=known,
    ).confidence_interval
    found = bootstrap_interval(SKEWED, n=500, seed=3, level=level)
    assert found == pytest.approx((expected.low, expected.high))


def test_comes_near_students_on_many_values() -> None:
    sample = np.random.default_rng(1).normal(size=500)
    expected = Moments.of(sample.tolist()).interval()
    assert expected is not None
    assert bootstrap_interval(sample, n=4000) == pytest.approx(expected, abs=0.01)


def test_corpus_values_have_intervals() -> None:
    rows = np.random.default_rng(2).integers(1, 9, size=(50, 2)).astype(float)
    value = rows[:, 0].sum() / rows[:, 1].sum()
    ratio = rowwise(lambda totals: totals[0] / totals[1])
    low, high = bootstrap_interval(rows, ratio) or pytest.fail("no interval")
    assert low < value < high


def test_degenerate_samples() -> None:
    assert bootstrap_interval([]) is None
    assert bootstrap_interval([1.0]) is None
    assert bootstrap_interval([0.5] * 8) == (0.5, 0.5)
    undefined = np.array([np.nan, np.nan])
    assert percentile_interval(undefined) is None
    assert percentile_interval(np.array([np.nan, 1.0])) == (1.0, 1.0)
