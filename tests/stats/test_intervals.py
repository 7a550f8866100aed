"""Bootstrap intervals, against scipy's on the same replicates."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from scipy import stats as scipy_stats

from adequa.stats.intervals import Moments, bca_interval, bootstrap_interval, percentile_interval
from adequa.stats.resampling import bootstrap_totals, rowwise

SKEWED = np.random.default_rng(12).exponential(size=40)


@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_agrees_with_scipy_on_the_same_replicates(method: str, level: float) -> None:
    replicates = bootstrap_totals(SKEWED[:, None], n=500, seed=3)[:, 0] / len(SKEWED)
    theirs = scipy_stats.bootstrap((SKEWED,), np.mean, n_resamples=9, method="percentile")
    known = dataclasses.replace(theirs, bootstrap_distribution=replicates)
    expected = scipy_stats.bootstrap(
        (SKEWED,),
        np.mean,
        n_resamples=0,
        confidence_level=level,
        method={"percentile": "percentile", "bca": "BCa"}[method],
        bootstrap_result=known,
    ).confidence_interval
    found = bootstrap_interval(SKEWED, n=500, seed=3, level=level, method=method)  # type: ignore[arg-type]
    assert found == pytest.approx((expected.low, expected.high))


def test_skewed_samples_move_the_corrected_interval() -> None:
    plain = bootstrap_interval(SKEWED, n=2000)
    corrected = bootstrap_interval(SKEWED, n=2000, method="bca")
    assert plain is not None
    assert corrected is not None
    assert corrected[0] > plain[0]
    assert corrected[1] > plain[1]


def test_comes_near_students_on_many_values() -> None:
    sample = np.random.default_rng(1).normal(size=500)
    expected = Moments.of(sample.tolist()).interval()
    assert expected is not None
    assert bootstrap_interval(sample, n=4000) == pytest.approx(expected, abs=0.01)


def test_corpus_values_have_intervals() -> None:
    rows = np.random.default_rng(2).integers(1, 9, size=(50, 2)).astype(float)
    value = rows[:, 0].sum() / rows[:, 1].sum()
    for method in ("percentile", "bca"):
        low, high = bootstrap_interval(
            rows,
            rowwise(lambda totals: totals[0] / totals[1]),
            method=method,  # type: ignore[arg-type]
        ) or pytest.fail("no interval")
        assert low < value < high


def test_degenerate_samples() -> None:
    assert bootstrap_interval([]) is None
    assert bootstrap_interval([1.0]) is None
    assert bootstrap_interval([0.5] * 8) == (0.5, 0.5)
    assert bootstrap_interval([0.5] * 8, method="bca") == (0.5, 0.5)
    undefined = np.array([np.nan, np.nan])
    assert percentile_interval(undefined) is None
    assert bca_interval(undefined, 0.0, np.zeros(2)) is None
    assert bca_interval(np.zeros(2), 0.0, undefined) is None
    assert percentile_interval(np.array([np.nan, 1.0])) == (1.0, 1.0)
