"""Values as labels."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.errors import DataError, SettingError
from adequa.human.judgments import MOST_LABELS, Scale

values = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40)


def test_a_few_points_are_labels_and_many_are_cut_into_bins():
    assert Scale.of([1, 2, 3]).bins == 0
    assert Scale.of(range(MOST_LABELS)).bins == 0
    assert Scale.of(range(MOST_LABELS + 1)).bins == 5
    assert Scale.of([2.5, 1]).label(2.5) == "2.5"


def test_bins_are_equal_and_named_by_their_middle():
    scale = Scale.of(range(101), bins=4)
    assert scale.step == 25
    assert [scale.label(value) for value in (0, 24.9, 25, 99, 100)] == [
        "12.5",
        "12.5",
        "37.5",
        "87.5",
        "87.5",
    ]
    assert scale.label(-3) == "12.5"
    assert scale.label(300) == "87.5"


@given(values, st.integers(2, 9))
def test_no_more_labels_than_bins_and_their_order_is_kept(given_values, bins):
    scale = Scale.of(given_values, bins=bins)
    labels = [float(scale.label(value)) for value in sorted(given_values)]
    if scale.bins:
        assert len(set(labels)) <= bins
        assert labels == sorted(labels)
    assert all(scale.same(value, value) for value in given_values)


def test_near_enough_is_a_bins_width():
    assert Scale.of(range(101)).same(60, 80)
    assert not Scale.of(range(101)).same(60, 81)
    assert not Scale.of([1, 2, 3]).same(2, 3)


def test_wrong_use_is_said():
    with pytest.raises(SettingError, match="two bins"):
        Scale.of([1, 2], bins=1)
    with pytest.raises(DataError, match="too large for a rating"):
        Scale.of([1, -1e300])
