"""The rating head: against a slow fit of the same sum, and blind to what it is tested on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from adequa.errors import DataError
from adequa.metrics.sources import Members
from research.recipe.similarity import EVIDENCE, FAVOUR, PENALTY, fit_head, out_of_fold

SIZE = 5


def drawn(count: int, seed: int = 3) -> tuple[list[Any], list[Members], list[float]]:
    """States, members, and ratings that are a sum of some of them."""
    numbers = np.random.default_rng(seed)
    states = list(numbers.normal(size=(count, SIZE)).astype(np.float32))
    shares = numbers.uniform(size=(count, len(EVIDENCE)))
    members = [Members(**dict(zip(EVIDENCE, row.tolist(), strict=True))) for row in shares]
    ratings = [
        float(np.clip(0.5 + 0.1 * state[0] + 0.5 * (own.weakest or 0) - 0.25, 0, 1))
        for state, own in zip(states, members, strict=True)
    ]
    return states, members, ratings


def test_the_head_is_the_least_of_errors_and_weights() -> None:
    states, members, ratings = drawn(30)
    head = fit_head(states, members, ratings, penalty=20.0)
    rows = np.array(
        [
            [*state, *(getattr(own, name) for name in EVIDENCE)]
            for state, own in zip(states, members, strict=True)
        ]
    )
    spread = rows.std(axis=0)
    favour = np.array([1.0] * SIZE + [FAVOUR] * len(EVIDENCE))

    def loss(weights: Any) -> float:
        errors = rows @ weights[:-1] + weights[-1] - ratings
        return float((errors**2).sum() + 20.0 * ((weights[:-1] * spread / favour) ** 2).sum())

    found = np.array([*head.state, *head.members.values(), head.offset])
    slowly = minimize(loss, np.zeros(len(found)), method="BFGS", options={"gtol": 1e-9})
    assert list(head.members) == list(EVIDENCE)
    assert found == pytest.approx(slowly.x, abs=1e-4)


def test_it_finds_again_what_made_the_ratings() -> None:
    states, members, ratings = drawn(400)
    head = fit_head(states, members, ratings, penalty=1e-6)
    said = [head(state, own) for state, own in zip(states, members, strict=True)]
    assert np.corrcoef(said, ratings)[0, 1] > 0.98
    assert max(head.members, key=lambda name: abs(head.members[name])) == "weakest"


def test_a_heavy_penalty_leaves_the_mean() -> None:
    states, members, ratings = drawn(40)
    head = fit_head(states, members, ratings, penalty=1e12)
    assert head(states[0], members[0]) == pytest.approx(np.mean(ratings), abs=1e-3)


def test_a_column_that_is_the_same_for_all_has_no_weight() -> None:
    states, members, ratings = drawn(40)
    members = [replace(own, fluent=0.5) for own in members]
    for state in states:
        state[2] = 7.0
    head = fit_head(states, members, ratings)
    assert head.members["fluent"] == 0
    assert head.state[2] == 0


def test_what_is_out_of_fold_has_not_seen_its_group() -> None:
    states, members, ratings = drawn(30)
    groups = [f"graph {number // 3}" for number in range(30)]
    before = out_of_fold(states, members, ratings, groups)
    assert np.corrcoef(before, ratings)[0, 1] > 0.2
    inside = [number for number, group in enumerate(groups) if group == "graph 4"]
    changed = [0.0 if number in inside else value for number, value in enumerate(ratings)]
    after = out_of_fold(states, members, changed, groups)
    for number in inside:
        assert after[number] == before[number]
    assert after != before  # the others were told of the change


def test_every_fold_is_judged_by_a_head_of_the_others() -> None:
    states, members, ratings = drawn(12)
    groups = [str(number) for number in range(12)]
    found = out_of_fold(states, members, ratings, groups, folds=12)
    for number in (0, 7):
        rest = [place for place in range(12) if place != number]
        head = fit_head(
            [states[place] for place in rest],
            [members[place] for place in rest],
            [ratings[place] for place in rest],
            PENALTY,
        )
        assert found[number] == pytest.approx(head(states[number], members[number]))
    assert out_of_fold(states, members, ratings, groups, seed=1) != found
    again = out_of_fold(states, members, ratings, groups, folds=12)
    assert again == found


def test_what_has_no_sense_is_refused() -> None:
    states, members, ratings = drawn(12)
    with pytest.raises(DataError, match="12 texts and 11 ratings"):
        fit_head(states, members, ratings[1:])
    with pytest.raises(DataError, match="1 texts and 1 ratings"):
        fit_head(states[:1], members[:1], ratings[:1])
    with pytest.raises(DataError, match="0 texts and 0 ratings"):
        fit_head([], [], [])
    with pytest.raises(DataError, match="could not read all of a text"):
        fit_head(states, [replace(members[0], worst_word=None), *members[1:]], ratings)
    with pytest.raises(DataError, match=r"are of 1 graphs.*several graphs"):
        out_of_fold(states, members, ratings, ["one"] * 12)
