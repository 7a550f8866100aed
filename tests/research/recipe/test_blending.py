"""The blend of a similarity: found again in ratings made by one, refused where it has no sense."""

from __future__ import annotations

import json
import math
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adequa.errors import DataError
from adequa.metrics.sources import Blend, Members
from research.recipe.similarity import PARTS, fit_blend, fit_blends

NAMES = [field.name for field in fields(Members)]


def drawn(count: int, seed: int = 3) -> list[Members]:
    numbers = np.random.default_rng(seed).uniform(size=(count, len(NAMES)))
    return [Members(**dict(zip(NAMES, row.tolist(), strict=True))) for row in numbers]


def rated(
    members: list[Members], names: list[str], slope: float, offset: float, noise: float = 0.0
) -> list[float]:
    """What people would say whose opinion is a curve over the mean of z-scores."""
    table = np.array([[getattr(row, name) for name in names] for row in members])
    means = ((table - table.mean(axis=0)) / table.std(axis=0)).mean(axis=1)
    ratings = 1 / (1 + np.exp(-(slope * means + offset)))
    ratings += np.random.default_rng(4).normal(0, noise, len(members))
    return np.clip(ratings, 0, 1).tolist()  # type: ignore[no-any-return]


@settings(max_examples=20)
@given(st.floats(0.2, 4), st.floats(-2, 2), st.sampled_from(sorted(PARTS)))
def test_the_curve_is_found_again(slope: float, offset: float, part: str) -> None:
    members = drawn(60)
    blend = fit_blend(members, rated(members, [*PARTS[part]], slope, offset), PARTS[part])
    assert blend.slope == pytest.approx(slope, abs=1e-3)
    assert blend.offset == pytest.approx(offset, abs=1e-3)


def test_ratings_decide_the_curve_and_not_the_order() -> None:
    members = drawn(80)
    ratings = rated(members, ["bi"], 2.0, 0.5, noise=0.1)  # they know one member of five
    blend = fit_blend(members, ratings, PARTS["ensemble"])
    order = sorted(range(80), key=lambda number: blend(members[number]) or 0)
    assert order == sorted(range(80), key=lambda number: blend.mean(members[number]) or 0)
    assert {member.weight for member in blend.members.values()} == {1.0}
    for name, member in blend.members.items():
        values = [getattr(row, name) for row in members]
        assert member.mean == pytest.approx(np.mean(values))
        assert member.spread == pytest.approx(np.std(values))


def test_the_value_is_what_people_say_on_the_whole() -> None:
    members = drawn(200)
    ratings = rated(members, [*PARTS["ensemble"]], 1.5, 0.4, noise=0.1)
    blend = fit_blend(members, ratings, PARTS["ensemble"])
    values = [blend(row) or 0 for row in members]
    assert np.mean(values) == pytest.approx(np.mean(ratings), abs=0.02)


def test_weights_count() -> None:
    members = drawn(40)
    ratings = rated(members, ["stated"], 2.0, 0.0)
    blend = fit_blend(members, ratings, {"bi": 0.0, "stated": 2.0})
    assert blend.slope == pytest.approx(2.0, abs=1e-3)
    for row in members[:5]:
        assert blend(replace(row, bi=0.0)) == blend(replace(row, bi=1.0))


def test_a_calibration_file_is_read_as_it_was_fitted() -> None:
    members = drawn(50)
    members[0] = replace(members[0], entities=None)
    ratings = rated(members[1:], [*PARTS["ensemble"]], 1.0, 0.0, noise=0.05)
    entry = json.loads(json.dumps(fit_blends(members, [0.5, *ratings], "some ratings")))
    assert list(entry) == list(PARTS)
    for part, weights in PARTS.items():
        assert set(weights) <= set(NAMES)
        assert entry[part]["fitted_on"] == "some ratings"
        assert entry[part]["texts"] == 50 - (part == "ensemble")
        blend = Blend.read(entry[part], "calibration.json")
        assert blend == fit_blend(members, [0.5, *ratings], weights)
        assert (blend(members[0]) is None) == (part == "ensemble")


def test_ratings_of_two_kinds_that_members_tell_apart() -> None:
    members = [replace(row, bi=0.9 if number % 2 else 0.1) for number, row in enumerate(drawn(20))]
    blend = fit_blend(members, [float(number % 2) for number in range(20)], PARTS["bi"])
    assert math.isfinite(blend.slope)
    assert (blend(members[0]) or 0) < 0.1 < 0.9 < (blend(members[1]) or 0)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda rows, ratings: (rows[:9], ratings[:9]), r"^9 texts have .*at least 10"),
        (
            lambda rows, ratings: ([replace(row, bi=None) for row in rows], ratings),
            "^0 texts have a rating and every member",
        ),
        (
            lambda rows, ratings: ([replace(row, bi=0.7) for row in rows], ratings),
            "^bi is the same for all 30 texts",
        ),
        (lambda rows, ratings: (rows, [1 - one for one in ratings]), "^the ratings do not rise"),
        (lambda rows, ratings: (rows, [100 * one for one in ratings]), "^a rating is .*0–1"),
        (lambda rows, ratings: (rows, [*ratings[1:], math.nan]), "^a rating is nan"),
    ],
    ids=["few", "none", "constant", "falling", "scale", "nan"],
)
def test_what_has_no_sense_is_refused(change: object, problem: str) -> None:
    members = drawn(30)
    rows, ratings = change(members, rated(members, ["bi"], 2.0, 0.0))  # type: ignore[operator]
    with pytest.raises(DataError, match=problem):
        fit_blend(rows, ratings, PARTS["bi"])


def test_ratings_that_are_all_the_same_make_no_curve() -> None:
    with pytest.raises(DataError, match="do not rise"):
        fit_blend(drawn(30), [0.5] * 30, PARTS["bi"])
