"""Weights learned from choices."""

from __future__ import annotations

import pytest

from adequa.entities.mentions import probabilities
from research.recipe.mentions import OptionChoice, learn


def test_the_right_option_becomes_the_likeliest() -> None:
    choices = [
        OptionChoice([["short", "first"], ["long"]], 1),
        OptionChoice([["short"], ["long", "first"]], 1),
        OptionChoice([["middle"], ["short"], ["long"]], 2),
        OptionChoice([["middle"], ["short"]], 0),
    ] * 5
    weights = learn(choices)
    assert weights["long"] > weights["middle"] > weights["short"]
    for options, right in choices:
        chances = probabilities(weights, options)
        assert chances.index(max(chances)) == right


def test_with_little_penalty_chances_are_shares() -> None:
    choices = [OptionChoice([["a"], ["b"]], 0)] * 30 + [OptionChoice([["a"], ["b"]], 1)] * 10
    weights = learn(choices, penalty=1e-6)
    assert probabilities(weights, [["a"], ["b"]]) == pytest.approx([0.75, 0.25], abs=1e-3)


def test_the_penalty_draws_to_nought_and_rare_features_are_left_out() -> None:
    choices = [OptionChoice([["a"], ["b"]], 0)] * 20 + [OptionChoice([["rare"], ["b"]], 0)] * 4
    loose, tight = learn(choices, penalty=0.1), learn(choices, penalty=100.0)
    assert 0 < tight["a"] < loose["a"]
    assert set(loose) == {"a", "b"}
    assert set(learn(choices, least=1)) == {"a", "b", "rare"}


def test_the_same_choices_give_the_same_weights() -> None:
    choices = [OptionChoice([["a", "x"], ["b"], ["c", "x"]], number % 3) for number in range(30)]
    assert learn(choices) == learn(choices)
