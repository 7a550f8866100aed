"""A choice by a sum of weights."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.entities.mentions import load_weights, probabilities

FEATURES = st.lists(st.sampled_from("abcd"), max_size=4)


@given(
    st.dictionaries(st.sampled_from("abcd"), st.floats(-50, 50)),
    st.lists(FEATURES, min_size=1, max_size=5),
)
def test_a_softmax_of_sums(weights: dict[str, float], options: list[list[str]]) -> None:
    powers = [math.exp(sum(weights.get(one, 0) for one in option)) for option in options]
    expected = [power / sum(powers) for power in powers]
    assert probabilities(weights, options) == pytest.approx(expected)


def test_great_weights_do_not_overflow() -> None:
    assert probabilities({"a": 5000.0, "b": -5000.0}, [["a"], ["b"], []]) == [1.0, 0.0, 0.0]


def test_the_shipped_weights_know_every_decision() -> None:
    weights = load_weights()
    assert set(weights) >= {"keep", "left", "right", "anaphor"}
    for table in weights.values():
        assert table
        assert all(math.isfinite(weight) for weight in table.values())
    assert load_weights() is weights
