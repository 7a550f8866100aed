"""Effect sizes, against values worked by hand and slow readable oracles."""

from __future__ import annotations

import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.stats.significance import (
    area_under_curve,
    cliffs_delta,
    magnitude_of_d,
    paired_d,
    resampled_areas,
    superiority,
)

values = st.integers(-20, 20).map(float)
samples = st.lists(values, min_size=1, max_size=15)
paired = st.lists(st.tuples(values, values), min_size=2, max_size=15)


def test_paired_d_by_hand() -> None:
    # differences 1, 3, 2: mean 2, standard deviation 1
    assert paired_d([3, 5, 4], [2, 2, 2]) == pytest.approx(2.0)


def test_cliffs_delta_by_hand() -> None:
    # 9 pairs: 1 > none; 2 > 1; 3 > 1, 2 … against (1, 2, 5): above 3, below 4, ties 2
    assert cliffs_delta([1, 2, 3], [1, 2, 5]) == pytest.approx((3 - 4) / 9)


@given(samples, samples)
def test_cliffs_delta_agrees_with_counting(first: list[float], second: list[float]) -> None:
    signs = [math.copysign(1, one - other) * (one != other) for one in first for other in second]
    assert cliffs_delta(first, second) == pytest.approx(statistics.fmean(signs))


@given(samples, samples)
def test_superiority_is_a_chance(first: list[float], second: list[float]) -> None:
    ahead, behind = superiority(first, second), superiority(second, first)
    assert ahead is not None
    assert behind is not None
    assert ahead + behind == pytest.approx(1)
    assert 0 <= ahead <= 1


@given(paired)
def test_swapping_the_samples_flips_the_sign(pairs: list[tuple[float, float]]) -> None:
    first, second = zip(*pairs, strict=True)
    for effect in (paired_d, cliffs_delta):
        there, back = effect(first, second), effect(second, first)
        assert there is back is None or there == -(back or 0)


@given(paired)
def test_paired_d_agrees_with_the_standard_library(pairs: list[tuple[float, float]]) -> None:
    first, second = zip(*pairs, strict=True)
    differences = [one - other for one, other in pairs]
    deviation = statistics.stdev(differences)
    expected = statistics.fmean(differences) / deviation if deviation else None
    assert paired_d(first, second) == (None if expected is None else pytest.approx(expected))


def test_undefined_results_are_none() -> None:
    assert paired_d([], []) is None
    assert paired_d([1], [2]) is None
    assert paired_d([0.3, 0.2, 0.1], [0.2, 0.1, 0.0]) is None, "equal differences, but for rounding"
    assert cliffs_delta([], [1]) is None
    assert superiority([1], []) is None
    assert magnitude_of_d(None) is None


def test_unequal_lengths_cannot_be_paired() -> None:
    with pytest.raises(ValueError, match="paired"):
        paired_d([1, 2], [1])


@pytest.mark.parametrize(
    ("effect", "word"),
    [(0, "negligible"), (-0.2, "small"), (0.49, "small"), (0.5, "medium"), (-0.8, "large")],
)
def test_words_for_d(effect: float, word: str) -> None:
    assert magnitude_of_d(effect) == word


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(-3, 3)), max_size=30))
def test_the_area_is_the_share_of_pairs_in_order(cases: list[tuple[int, int]]) -> None:
    high = [score for label, score in cases if label == 1]
    low = [score for label, score in cases if label == 0]
    area = area_under_curve([label for label, _ in cases], [float(one) for _, one in cases])
    if not high or not low:
        assert area is None
        return
    won = [(one > other) + 0.5 * (one == other) for one in high for other in low]
    assert area == pytest.approx(sum(won) / len(won))


def test_resampled_areas_are_the_areas_of_the_resamples() -> None:
    random = np.random.default_rng(1)
    labels = random.integers(0, 2, 30)
    scores = random.integers(0, 5, 30).astype(float)
    counts = random.integers(0, 3, (20, 30)).astype(float)
    counts[0] = labels  # a resample without zeros
    found = resampled_areas(labels, scores, counts)
    assert np.isnan(found[0])
    for row, area in zip(counts[1:].astype(int), found[1:], strict=True):
        expected = area_under_curve(np.repeat(labels, row), np.repeat(scores, row))
        assert area == pytest.approx(expected)
