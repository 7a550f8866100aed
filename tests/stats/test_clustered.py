"""Resampled correlations against a slow and readable oracle."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adequa.stats.correlations import (
    COEFFICIENTS,
    cluster_counts,
    cluster_draws,
    resampled_correlations,
    resampled_kendall,
    resampled_pearson,
)

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
