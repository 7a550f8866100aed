"""The paired tests, against enumeration, slow loops, scipy and their own promises."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from adequa.stats import resampling
from adequa.stats.resampling import bootstrap_totals, rowwise, swapped_totals

from .paired import PairedTest, approximate_randomisation, paired_bootstrap

Test = Callable[..., PairedTest]

values = st.integers(0, 10).map(lambda tenth: tenth / 10)
paired = st.lists(st.tuples(values, values), min_size=2, max_size=8)
counts = st.tuples(st.integers(0, 5), st.integers(1, 6)).map(lambda row: (row[0], float(sum(row))))
paired_counts = st.lists(st.tuples(counts, counts), min_size=2, max_size=7)


def ratio(totals: Sequence[float]) -> float:
    """A corpus value that is no mean: hits over tries."""
    return totals[0] / totals[1]


def exact_randomisation(first: Sequence[float], second: Sequence[float]) -> float:
    """Every way of exchanging the items, by a loop."""
    observed = abs(statistics.fmean(first) - statistics.fmean(second))
    extreme = 0
    for swaps in itertools.product([False, True], repeat=len(first)):
        pairs = zip(first, second, swaps, strict=True)
        left, right = zip(*[(b, a) if swap else (a, b) for a, b, swap in pairs], strict=True)
        extreme += abs(statistics.fmean(left) - statistics.fmean(right)) >= observed - 1e-9
    return extreme / 2 ** len(first)


@given(paired)
def test_few_items_are_enumerated_exactly(pairs: list[tuple[float, float]]) -> None:
    first, second = zip(*pairs, strict=True)
    assert approximate_randomisation(first, second, n=256).p == exact_randomisation(first, second)


@given(paired_counts)
@settings(max_examples=50)
def test_corpus_values_are_enumerated_exactly(rows: list[tuple[tuple[float, float], ...]]) -> None:
    first, second = (np.array(side, dtype=float) for side in zip(*rows, strict=True))
    observed = abs(ratio(first.sum(axis=0)) - ratio(second.sum(axis=0)))
    extreme = 0
    for swaps in itertools.product([False, True], repeat=len(rows)):
        mask = np.array(swaps)[:, None]
        left = ratio(np.where(mask, second, first).sum(axis=0))
        right = ratio(np.where(mask, first, second).sum(axis=0))
        extreme += abs(left - right) >= observed - 1e-9
    tested = approximate_randomisation(first, second, rowwise(ratio), n=128)
    assert tested.p == extreme / 2 ** len(rows)


def test_randomisation_comes_near_the_exact_value() -> None:
    generator = np.random.default_rng(5)
    first, second = generator.random(14) + 0.2, generator.random(14)
    exact = exact_randomisation(first.tolist(), second.tolist())
    sampled = approximate_randomisation(first, second, n=10_000, seed=1).p
    assert 0.01 < exact < 0.5
    assert sampled == pytest.approx(exact, abs=0.02)
    assert sampled != exact, "2^14 ways are more than were asked for"


def test_randomisation_agrees_with_scipy() -> None:
    generator = np.random.default_rng(6)
    first, second = generator.random(12) + 0.15, generator.random(12)
    expected = scipy_stats.permutation_test(
        (first, second),
        lambda one, other, axis: np.mean(one - other, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf,
    )
    assert approximate_randomisation(first, second, n=4096).p == pytest.approx(expected.pvalue)


def test_bootstrap_agrees_with_a_slow_loop() -> None:
    generator = np.random.default_rng(3)
    first = generator.integers(0, 9, size=(20, 2)) + np.array([0.0, 9.0])
    second = generator.integers(0, 9, size=(20, 2)) + np.array([0.0, 9.0])
    draws = np.random.default_rng(11).integers(0, 20, size=(300, 20))
    differences = [
        ratio([first[row, 0].sum(), first[row, 1].sum()])
        - ratio([second[row, 0].sum(), second[row, 1].sum()])
        for row in draws
    ]
    observed = ratio(first.sum(axis=0)) - ratio(second.sum(axis=0))
    centre = statistics.fmean(differences)
    extreme = sum(abs(one - centre) >= abs(observed) for one in differences)

    tested = paired_bootstrap(first, second, rowwise(ratio), n=300, seed=11, level=0.9)
    assert tested.items == 20
    assert tested.difference == pytest.approx(observed)
    assert tested.p == pytest.approx((extreme + 1) / 301)
    assert tested.interval == pytest.approx(tuple(np.quantile(differences, [0.05, 0.95])))
    assert tested.wins == pytest.approx(statistics.fmean(one > 0 for one in differences), abs=0.02)


def test_bootstrap_interval_comes_near_students() -> None:
    generator = np.random.default_rng(8)
    first, second = generator.normal(0.1, 1, 400), generator.normal(0, 1, 400)
    expected = scipy_stats.ttest_rel(first, second)
    tested = paired_bootstrap(first, second, n=4000)
    assert tested.p == pytest.approx(expected.pvalue, abs=0.02)
    assert tested.interval == pytest.approx(tuple(expected.confidence_interval()), abs=0.01)


@pytest.mark.parametrize("test", [paired_bootstrap, approximate_randomisation])
@given(
    st.lists(st.tuples(st.floats(-9, 9), st.floats(-9, 9)), min_size=2, max_size=12),
    st.integers(0, 99),
)
def test_swapping_the_systems_flips_the_sign_and_keeps_p(
    test: Test, pairs: list[tuple[float, float]], seed: int
) -> None:
    first, second = zip(*pairs, strict=True)
    there: PairedTest = test(first, second, n=50, seed=seed)
    back: PairedTest = test(second, first, n=50, seed=seed)
    assert there.p == back.p
    assert there.difference == -(back.difference or 0)
    if there.interval and back.interval:
        assert there.interval == pytest.approx((-back.interval[1], -back.interval[0]))
        assert (there.wins or 0) + (back.wins or 0) == pytest.approx(1)


@pytest.mark.parametrize("test", [paired_bootstrap, approximate_randomisation])
def test_p_is_uniform_when_the_systems_are_the_same(test: Test) -> None:
    generator = np.random.default_rng(2024)
    found = []
    for trial in range(400):
        shared = generator.normal(size=60)
        first, second = (shared + generator.normal(size=60) for _ in range(2))
        found.append(test(first, second, n=199, seed=trial).p)
    found = np.array(found)
    assert 0.02 < (found <= 0.05).mean() < 0.09
    assert 0.43 < (found <= 0.5).mean() < 0.57
    assert found.max() <= 1
    assert found.min() >= 1 / 200


@pytest.mark.parametrize("test", [paired_bootstrap, approximate_randomisation])
def test_a_clear_difference_gets_the_smallest_p(test: Test) -> None:
    generator = np.random.default_rng(1)
    second = generator.random(200)
    first = second + 0.2 + generator.random(200) / 10
    assert test(first, second, n=999).p == pytest.approx(1 / 1000)


@pytest.mark.parametrize("test", [paired_bootstrap, approximate_randomisation])
def test_degenerate_samples_say_none_or_one_never_nan(test: Test) -> None:
    assert test([], []) == PairedTest(0, None, None, None)
    assert test([0.4], [0.1]).p is None
    assert test([0.4], [0.1]).difference == pytest.approx(0.3)
    assert test([0.4] * 30, [0.4] * 30, n=99).p == 1
    ties = np.random.default_rng(0).random(40)
    assert test(ties, ties, n=99).p == 1


@pytest.mark.parametrize("test", [paired_bootstrap, approximate_randomisation])
def test_an_undefined_corpus_value_is_none(test: Test) -> None:
    rows = np.ones((20, 2))
    tested: PairedTest = test(rows, rows, rowwise(lambda _: None), n=9)
    assert tested == PairedTest(20, None, None, None)


def test_undefined_resamples_are_left_out() -> None:
    def often_undefined(totals: Sequence[float]) -> float | None:
        return totals[0] / totals[1] if totals[1] > 10 else None

    generator = np.random.default_rng(4)
    rows = generator.integers(0, 2, size=(2, 20, 2)).astype(float)
    rows[:, :, 1] = [1, 0, 1, 0, 1] * 4
    tested = paired_bootstrap(rows[0], rows[1], rowwise(often_undefined), n=200)
    assert tested.p is not None
    assert tested.interval is not None


def test_the_seed_decides() -> None:
    generator = np.random.default_rng(9)
    first, second = generator.random(30), generator.random(30)
    assert paired_bootstrap(first, second, seed=1) == paired_bootstrap(first, second, seed=1)
    assert paired_bootstrap(first, second, seed=1) != paired_bootstrap(first, second, seed=2)
    one, other = (approximate_randomisation(first, second, seed=seed) for seed in (1, 2))
    assert one.p != other.p


def test_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(0).integers(0, 9, size=(10, 3)).astype(float)

    def draw() -> list[np.ndarray]:
        every, some = (swapped_totals(rows, n=n, seed=4) for n in (2000, 70))
        return [bootstrap_totals(rows, n=70, seed=4), every, some]

    whole = draw()
    monkeypatch.setattr(resampling, "_CHUNK", 64)
    for one, other in zip(whole, draw(), strict=True):
        assert np.array_equal(one, other)
    assert [len(one) for one in whole] == [70, 2**10, 70]


def test_swapping_is_even() -> None:
    swapped = swapped_totals(np.eye(37), n=4000, seed=1)
    assert set(np.unique(swapped)) == {0, 1}
    assert np.abs(swapped.mean(axis=0) - 0.5).max() < 0.04
    assert np.abs(np.corrcoef(swapped, rowvar=False) - np.eye(37)).max() < 0.08


def test_systems_side_by_side_are_resampled_alike() -> None:
    rows = np.random.default_rng(0).integers(0, 9, size=(30, 4)).astype(float)
    together = bootstrap_totals(rows, n=40, seed=7)
    alone = bootstrap_totals(rows[:, 1:3], n=40, seed=7)
    assert np.array_equal(together[:, 1:3], alone)
