"""Corrected p-values, against worked examples and the procedures' own definitions."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from adequa.errors import UnknownName
from adequa.stats.significance import CORRECTIONS, adjust

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


def test_none_is_no_comparison() -> None:
    assert adjust([None, 0.02, None], "bonferroni") == [None, 0.02, None]
    assert adjust([], "holm") == []


def test_unknown_correction_names_the_known() -> None:
    with pytest.raises(UnknownName, match="holm"):
        adjust([0.1], "hulm")


@pytest.mark.parametrize("p", [-0.1, 1.5, float("nan")])
def test_a_p_value_is_a_probability(p: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        adjust([p])
