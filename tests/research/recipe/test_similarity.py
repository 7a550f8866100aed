"""Rated texts in, a calibration out, and a similarity that goes by it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from adequa.data import Item, Rating, Triple
from adequa.errors import DataError, ModelError
from adequa.metrics.similarity import Similarity
from adequa.metrics.sources import read_blends, read_rating
from adequa.models.shipped import weights
from research.recipe.similarity import (
    EVIDENCE,
    PARTS,
    fit_similarity,
    open_weights,
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
    assert metric.provenance()["calibration"] == "none"
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


def test_both_models_are_needed(folder: Path, tmp_path: Path) -> None:
    open_weights(folder)
    (folder / "verifier.onnx").unlink()
    seal(folder)
    with pytest.raises(DataError, match=r"has no verifier\.onnx.*adequa export"):
        open_weights(folder)
    (folder / "encoder.onnx").unlink()
    seal(folder)
    with pytest.raises(DataError, match=r"has no encoder\.onnx and no verifier\.onnx"):
        open_weights(folder)
    with pytest.raises(ModelError, match=r"manifest\.json"):
        open_weights(tmp_path)


def test_ratings_are_named_by_the_end_of_their_path(tmp_path: Path) -> None:
    path = tmp_path / "campaign" / "human" / "ratings.csv"
    assert rated_source(path, "semantics") == "human/ratings.csv, semantics"
    assert rated_source(Path(tmp_path.anchor) / "ratings.csv", "fluency") == "ratings.csv, fluency"
