"""The calibration of similarity: blends, the rating head, and the files of weights."""

from __future__ import annotations

import json
import math
import shutil
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from adequa.data import Item, Rating, Triple
from adequa.errors import DataError, ModelError
from adequa.metrics.similarity import Similarity
from adequa.metrics.sources import Blend, Members, read_blends, read_rating
from adequa.models.shipped import weights
from research.recipe.similarity import (
    EVIDENCE,
    FAVOUR,
    PARTS,
    PENALTY,
    fit_blend,
    fit_blends,
    fit_head,
    fit_similarity,
    open_weights,
    out_of_fold,
    pair_ratings,
    rated_source,
)

from ...tiny_weights import DIMENSIONS, calibration, seal, write_weights
from ...training.rated_items import SAW, items, members_of, ratings

ITEMS = items()
MODELS = ("encoder.onnx", "verifier.onnx", "words.npz", "vocabulary.txt")


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Weights before their blend, for the tests that do not change them."""
    folder = write_weights(tmp_path_factory.mktemp("rated") / "weights")
    (folder / "calibration.json").unlink()
    seal(folder)
    return folder


@pytest.fixture
def folder(plain: Path, tmp_path: Path) -> Path:
    """A copy that may be changed."""
    return Path(shutil.copytree(plain, tmp_path / "weights"))


@pytest.fixture(scope="module")
def rated(plain: Path) -> list[tuple[Item, float]]:
    return pair_ratings(ITEMS, ratings(plain, ITEMS), "Semantics", 1, 3)


def test_each_text_has_the_mean_of_its_ratings() -> None:
    said = [
        Rating("Elm", "hasty", "ida", "semantics", 1.0),
        Rating("Elm", "hasty", "otto", "Semantics", 2.0),
        Rating("Elm", "hasty", "ida", "fluency", 9.0),  # of another scale
        Rating("Elm", "careful", "ida", "semantics", 3.0),
        Rating("Oak", "careful", "ida", "semantics", 2.0),  # of no item
    ]
    found = pair_ratings(ITEMS, said, "semantics", 1, 3)
    assert [(item.system, item.id, value) for item, value in found] == [
        ("careful", "Elm", 1.0),
        ("hasty", "Elm", 0.25),
    ]


@pytest.mark.parametrize(
    ("said", "scale", "problem"),
    [
        ([], (1, 3), "'semantics'.*there are: none"),
        ([Rating("Elm", "hasty", "", "grammar", 1.0)], (1, 3), "there are: grammar"),
        ([Rating("Oak", "hasty", "", "semantics", 1.0)], (1, 3), "do systems and ids agree"),
        ([Rating("Elm", "hasty", "", "semantics", 1.0)], (3, 1), "a scale from 3 to 1"),
        ([Rating("Elm", "hasty", "", "semantics", 1.0)], (2, 2), "a scale from 2 to 2"),
        ([Rating("Elm", "hasty", "", "semantics", 4.0)], (1, 3), "rated 4,.*--scale LOW,HIGH"),
        ([Rating("Elm", "hasty", "", "semantics", 0.0)], (1, 3), "'Elm' of 'hasty' is rated 0"),
    ],
)
def test_ratings_that_are_none(
    said: list[Rating], scale: tuple[float, float], problem: str
) -> None:
    with pytest.raises(DataError, match=problem):
        pair_ratings(ITEMS, said, "semantics", *scale)


def test_a_similarity_goes_by_what_was_fitted(
    folder: Path, rated: list[tuple[Item, float]]
) -> None:
    before = {name: (folder / name).read_bytes() for name in MODELS}
    metric = Similarity(weights=str(folder))
    first = [score.value for score in metric.score(ITEMS)]
    assert metric.provenance()["calibration"] is None
    told: list[tuple[int, int]] = []
    fitted = fit_similarity(folder, rated, "us", lambda done, of: told.append((done, of)))

    assert {name: (folder / name).read_bytes() for name in MODELS} == before
    assert fitted.texts == len(ITEMS)
    assert told == [(len(ITEMS), len(ITEMS))]
    written = json.loads((folder / "calibration.json").read_text(encoding="utf-8"))
    assert set(written) == {"similarity", "rating"}
    assert {part: set(one["members"]) for part, one in written["similarity"].items()} == {
        part: set(names) for part, names in PARTS.items()
    }
    assert all(one["fitted_on"] == "us" for one in written["similarity"].values())
    assert (written["rating"]["fitted_on"], written["rating"]["texts"]) == ("us", len(ITEMS))
    assert len(written["rating"]["state"]) == DIMENSIONS
    assert set(written["rating"]["members"]) == set(EVIDENCE)

    second = [score.value for score in metric.score(ITEMS)]  # of the same process, and at once
    assert second != first
    assert "calibration" not in metric.provenance()
    values = [value for _, value in rated]
    assert np.corrcoef(second, values)[0, 1] > 0.5
    assert np.mean(second) == pytest.approx(np.mean(values), abs=0.05)  # type: ignore[arg-type]


def test_the_figures_are_out_of_fold(folder: Path, rated: list[tuple[Item, float]]) -> None:
    fitted = fit_similarity(folder, rated, "us")
    values = [value for _, value in rated]
    head = read_rating(str(folder))
    assert head is not None
    assert set(fitted.figures) == {
        *("bi", "entities", "rated", *EVIDENCE),
        *(f"{part} (part)" for part in PARTS),
    }
    members = members_of(folder, ITEMS)
    for name in SAW:
        own = [getattr(row, name) for row in members]
        expected = np.corrcoef(own, values)[0, 1]
        assert fitted.figures[name]["pearson"] == pytest.approx(expected, abs=1e-4)
    seen = [one.rated for one in Similarity(weights=str(folder), part="cross").members(ITEMS)]
    assert None not in seen
    assert np.corrcoef(seen, values)[0, 1] > fitted.figures["rated"]["pearson"] + 0.01
    # A curve changes no order, so that a part of one member orders as its member does.
    for part, name in (("bi", "bi"), ("cross", "rated")):
        found = fitted.figures[f"{part} (part)"]["spearman"]
        assert found == pytest.approx(fitted.figures[name]["spearman"])


def test_what_cannot_be_read_has_no_say(folder: Path, rated: list[tuple[Item, float]]) -> None:
    triples = ITEMS[0].triples
    long = (*triples, Triple("Anvil", "motto", "serve " * 600))
    more = [
        (Item("blank", triples, " \n"), 1.0),
        (Item("no data", (), "The Anvil."), 1.0),
        (Item("long", long, "The Anvil is a pub."), 1.0),
    ]
    fitted = fit_similarity(folder, [*more, *rated], "us")
    assert fitted.texts == len(rated)
    alone = fit_similarity(folder, rated, "us")
    assert (fitted.blank, alone.blank) == (1, 0)
    for name, figures in fitted.figures.items():
        if not name.endswith("(part)"):  # the blank text counts as 0 in those
            assert figures == pytest.approx(alone.figures[name], abs=1e-3)
    assert fitted.figures["bi (part)"] != alone.figures["bi (part)"]


def test_what_else_is_calibrated_stays(folder: Path, rated: list[tuple[Item, float]]) -> None:
    path = folder / "calibration.json"
    known = {"stated": {"slope": 1.0}, "similarity": calibration(), "rating": None}
    path.write_text(json.dumps(known), encoding="utf-8")  # and the manifest does not know yet
    fit_similarity(folder, rated, "us")
    written = json.loads(path.read_text(encoding="utf-8"))
    assert written["stated"] == {"slope": 1.0}
    assert written["rating"] is not None
    blends = read_blends(str(folder))
    assert blends is not None
    assert set(blends["cross"].members) == {"rated"}
    assert weights(str(folder)).version == "test"
    assert weights(str(folder)).path("calibration.json") == path


@pytest.mark.parametrize("text", ["{", "[1]", "\udcff"])
def test_a_calibration_that_is_broken_is_not_written_over(
    folder: Path, rated: list[tuple[Item, float]], text: str
) -> None:
    path = folder / "calibration.json"
    raw = text.encode(errors="surrogateescape")
    path.write_bytes(raw)
    with pytest.raises(ModelError, match=r"calibration\.json: .*remove or repair it"):
        fit_similarity(folder, rated, "us")
    assert path.read_bytes() == raw


def test_nothing_is_written_where_nothing_fits(
    folder: Path, rated: list[tuple[Item, float]]
) -> None:
    with pytest.raises(DataError, match="at least 10"):
        fit_similarity(folder, rated[:8], "us")
    with pytest.raises(DataError, match="several graphs"):
        fit_similarity(folder, rated[:2], "us")
    with pytest.raises(DataError, match="0 texts"):
        fit_similarity(folder, [], "us")
    with pytest.raises(DataError, match="do not rise"):
        fit_similarity(folder, [(item, 1 - value) for item, value in rated], "us")
    assert not (folder / "calibration.json").exists()


def test_the_models_that_are_needed(folder: Path, tmp_path: Path) -> None:
    both = ("encoder", "verifier")
    open_weights(folder, *both)
    (folder / "verifier.onnx").unlink()
    seal(folder)
    open_weights(folder, "encoder")
    with pytest.raises(DataError, match=r"has no verifier\.onnx.*adequa export"):
        open_weights(folder, *both)
    (folder / "encoder.onnx").unlink()
    seal(folder)
    with pytest.raises(DataError, match=r"has no encoder\.onnx and no verifier\.onnx"):
        open_weights(folder, *both)
    with pytest.raises(ModelError, match=r"manifest\.json"):
        open_weights(tmp_path)


def test_ratings_are_named_by_the_end_of_their_path(tmp_path: Path) -> None:
    path = tmp_path / "campaign" / "human" / "ratings.csv"
    assert rated_source(path, "semantics") == "human/ratings.csv, semantics"
    assert rated_source(Path(tmp_path.anchor) / "ratings.csv", "fluency") == "ratings.csv, fluency"


NAMES = [field.name for field in fields(Members)]


def drawn_members(count: int, seed: int = 3) -> list[Members]:
    numbers = np.random.default_rng(seed).uniform(size=(count, len(NAMES)))
    return [Members(**dict(zip(NAMES, row.tolist(), strict=True))) for row in numbers]


def ratings_of(
    members: list[Members], names: list[str], slope: float, offset: float, noise: float = 0.0
) -> list[float]:
    """Ratings that are a logistic curve over the mean of z-scores."""
    table = np.array([[getattr(row, name) for name in names] for row in members])
    means = ((table - table.mean(axis=0)) / table.std(axis=0)).mean(axis=1)
    ratings = 1 / (1 + np.exp(-(slope * means + offset)))
    ratings += np.random.default_rng(4).normal(0, noise, len(members))
    return np.clip(ratings, 0, 1).tolist()  # type: ignore[no-any-return]


@settings(max_examples=20)
@given(st.floats(0.2, 4), st.floats(-2, 2), st.sampled_from(sorted(PARTS)))
def test_the_curve_is_found_again(slope: float, offset: float, part: str) -> None:
    members = drawn_members(60)
    blend = fit_blend(members, ratings_of(members, [*PARTS[part]], slope, offset), PARTS[part])
    assert blend.slope == pytest.approx(slope, abs=1e-3)
    assert blend.offset == pytest.approx(offset, abs=1e-3)


def test_ratings_decide_the_curve_and_not_the_order() -> None:
    members = drawn_members(80)
    ratings = ratings_of(members, ["bi"], 2.0, 0.5, noise=0.1)  # they know one member of five
    blend = fit_blend(members, ratings, PARTS["ensemble"])
    order = sorted(range(80), key=lambda number: blend(members[number]) or 0)
    assert order == sorted(range(80), key=lambda number: blend.mean(members[number]) or 0)
    assert {member.weight for member in blend.members.values()} == {1.0}
    for name, member in blend.members.items():
        values = [getattr(row, name) for row in members]
        assert member.mean == pytest.approx(np.mean(values))
        assert member.spread == pytest.approx(np.std(values))


def test_the_value_is_what_people_say_on_the_whole() -> None:
    members = drawn_members(200)
    ratings = ratings_of(members, [*PARTS["ensemble"]], 1.5, 0.4, noise=0.1)
    blend = fit_blend(members, ratings, PARTS["ensemble"])
    values = [blend(row) or 0 for row in members]
    assert np.mean(values) == pytest.approx(np.mean(ratings), abs=0.02)


def test_weights_count() -> None:
    members = drawn_members(40)
    ratings = ratings_of(members, ["stated"], 2.0, 0.0)
    blend = fit_blend(members, ratings, {"bi": 0.0, "stated": 2.0})
    assert blend.slope == pytest.approx(2.0, abs=1e-3)
    for row in members[:5]:
        assert blend(replace(row, bi=0.0)) == blend(replace(row, bi=1.0))


def test_a_calibration_file_is_read_as_it_was_fitted() -> None:
    members = drawn_members(50)
    members[0] = replace(members[0], entities=None)
    ratings = ratings_of(members[1:], [*PARTS["ensemble"]], 1.0, 0.0, noise=0.05)
    entry = json.loads(json.dumps(fit_blends(members, [0.5, *ratings], "some ratings")))
    assert list(entry) == list(PARTS)
    for part, shares in PARTS.items():
        assert set(shares) <= set(NAMES)
        assert entry[part]["fitted_on"] == "some ratings"
        assert entry[part]["texts"] == 50 - (part == "ensemble")
        blend = Blend.read(entry[part], "calibration.json")
        assert blend == fit_blend(members, [0.5, *ratings], shares)
        assert (blend(members[0]) is None) == (part == "ensemble")


def test_ratings_of_two_kinds_that_members_tell_apart() -> None:
    members = [
        replace(row, bi=0.9 if number % 2 else 0.1) for number, row in enumerate(drawn_members(20))
    ]
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
def test_a_blend_that_cannot_be_fitted_is_an_error(change: object, problem: str) -> None:
    members = drawn_members(30)
    rows, ratings = change(members, ratings_of(members, ["bi"], 2.0, 0.0))  # type: ignore[operator]
    with pytest.raises(DataError, match=problem):
        fit_blend(rows, ratings, PARTS["bi"])


def test_ratings_that_are_all_the_same_make_no_curve() -> None:
    with pytest.raises(DataError, match="do not rise"):
        fit_blend(drawn_members(30), [0.5] * 30, PARTS["bi"])


SIZE = 5


def drawn_states(count: int, seed: int = 3) -> tuple[list[Any], list[Members], list[float]]:
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
    states, members, ratings = drawn_states(30)
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
    states, members, ratings = drawn_states(400)
    head = fit_head(states, members, ratings, penalty=1e-6)
    said = [head(state, own) for state, own in zip(states, members, strict=True)]
    assert np.corrcoef(said, ratings)[0, 1] > 0.98
    assert max(head.members, key=lambda name: abs(head.members[name])) == "weakest"


def test_a_heavy_penalty_leaves_the_mean() -> None:
    states, members, ratings = drawn_states(40)
    head = fit_head(states, members, ratings, penalty=1e12)
    assert head(states[0], members[0]) == pytest.approx(np.mean(ratings), abs=1e-3)


def test_a_column_that_is_the_same_for_all_has_no_weight() -> None:
    states, members, ratings = drawn_states(40)
    members = [replace(own, fluent=0.5) for own in members]
    for state in states:
        state[2] = 7.0
    head = fit_head(states, members, ratings)
    assert head.members["fluent"] == 0
    assert head.state[2] == 0


def test_what_is_out_of_fold_has_not_seen_its_group() -> None:
    states, members, ratings = drawn_states(30)
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
    states, members, ratings = drawn_states(12)
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


def test_a_head_without_enough_data_is_an_error() -> None:
    states, members, ratings = drawn_states(12)
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
