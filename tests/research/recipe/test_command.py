"""`adequa train blend` and `adequa train weigh`, as a user calls them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adequa.metrics.nli.signs import FACT_SIGNS, WORD_SIGNS, read_weighing
from adequa.models.shipped import weights as shipped
from research.recipe.similarity import PARTS

from ...tiny_weights import calibration, seal, write_weights
from ...training import corpora
from ...training.rated_items import write_rated

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def blend_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Weights before their blend, a dozen graphs with two texts each, and their ratings."""
    root = tmp_path_factory.mktemp("blend")
    folder = write_weights(root / "weights")
    (folder / "calibration.json").unlink()
    seal(folder)
    write_rated(root, folder)
    return root


@pytest.fixture
def blend(blend_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Run) -> Run:
    shutil.copytree(blend_folder, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    return command


BLEND = ("train", "blend", "items.jsonl", "--ratings", "ratings.jsonl", "--weights", "weights")


def test_from_ratings_to_scores(blend: Run, tmp_path: Path) -> None:
    code, said, told = blend(*BLEND)
    assert code == 0, told
    first, *rows = said.splitlines()
    assert first == "semantics of 24 texts, out of fold; parts: with 0 blank"
    names = {row.rsplit(maxsplit=2)[0] for row in rows if row[:1].isalpha()}
    assert {"bi", "rated", "entities", *(f"{part} (part)" for part in PARTS)} <= names
    assert "cross" not in names  # no member of these weights
    assert "texts: 24 of 24" in told
    assert told.rstrip().endswith("written to weights")
    known = json.loads((tmp_path / "weights" / "calibration.json").read_text(encoding="utf-8"))
    source = f"{'/'.join((tmp_path / 'ratings.jsonl').parts[1:][-2:])}, semantics"
    assert known["rating"]["fitted_on"] == source

    code, _, told = blend("score", "items.jsonl", "-m", "similarity:weights=weights", "-o", "run")
    assert code == 0, told
    summary = (tmp_path / "run" / "summary.json").read_text(encoding="utf-8")
    assert '"rated"' in summary  # the head is asked, and its mean shown


def test_for_machines(blend: Run) -> None:
    code, said, told = blend(*BLEND, "--json", "--quiet", "--criterion", "SEMANTICS")
    assert (code, told) == (0, "")
    result = json.loads(said)
    assert result["texts"] == 24
    for figures in result["out_of_fold"].values():
        assert set(figures) == {"pearson", "spearman"}
        assert all(-1 <= value <= 1 for value in figures.values())
    again = blend(*BLEND, "--json", "--quiet")
    assert again == (0, said, "")  # the same figures over a calibration that is there


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        (("--criterion", "grammar"), "there are: semantics"),
        (("--scale", "1"), "is not a scale"),
        (("--scale", "1,2,3"), "is not a scale"),
        (("--scale", "low,high"), "is not a scale"),
        (("--scale", "3,1"), "a scale from 3 to 1"),
        (("--scale", "1,2"), "--scale LOW,HIGH"),
        (("--weights", "nowhere"), "nowhere"),
    ],
)
def test_blend_wrong_use_says_what_to_do(
    blend: Run, tmp_path: Path, changed: tuple[str, ...], problem: str
) -> None:
    code, said, told = blend(*BLEND, *changed)
    assert code != 0
    assert said == ""
    assert problem in told
    assert "Traceback" not in told
    assert not (tmp_path / "weights" / "calibration.json").exists()


def test_half_a_folder_is_refused_before_anything_is_read(blend: Run, tmp_path: Path) -> None:
    (tmp_path / "weights" / "verifier.onnx").unlink()
    seal(tmp_path / "weights")
    (tmp_path / "items.jsonl").unlink()
    code, _, told = blend(*BLEND)
    assert code != 0
    assert "has no verifier.onnx" in told
    assert "adequa export" in told


WEIGH = ("train", "weigh", "items.jsonl", "--weights", "town-weights")


@pytest.fixture(scope="module")
def weigh_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shipped weights before their weighing, tiny ones, and texts that say their graph."""
    root = tmp_path_factory.mktemp("weigh")
    write_weights(root / "tiny")
    real = tmp_path_factory.mktemp("shipped") / "weights"
    shutil.copytree(shipped().folder, real)
    (root / "town-weights").mkdir()
    for path in real.iterdir():
        (root / "town-weights" / path.name).symlink_to(path)
    for name, content in (("calibration.json", {"similarity": calibration()}), ("log.json", {})):
        (root / "town-weights" / name).unlink(missing_ok=True)
        (root / "town-weights" / name).write_text(json.dumps(content), encoding="utf-8")
    (root / "town-weights" / "manifest.json").unlink()
    seal(root / "town-weights")
    rows = [
        {"id": one.id, "category": one.category, "triples": one.triples, "text": one.text}
        for one in corpora.items()
    ]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (root / "items.jsonl").write_text(lines, encoding="utf-8")
    return root


@pytest.fixture
def weigh(weigh_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Run) -> Run:
    shutil.copytree(weigh_folder, tmp_path, dirs_exist_ok=True, symlinks=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    return command


def known(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "calibration.json").read_text(encoding="utf-8"))
    return found


def test_from_texts_to_scores(weigh: Run, tmp_path: Path) -> None:
    code, said, told = weigh(*WEIGH, "--picture", "reliable.svg")
    assert code == 0, told
    assert said.startswith("20 texts, out of fold")
    rows = [row.split() for row in said.splitlines()]
    assert {row[0] for row in rows if row} >= {"stated", "unsupported"}
    for sign in (*FACT_SIGNS, *WORD_SIGNS, "logit", "offset"):
        assert sign in said
    assert "texts: 20 of 20" in told
    assert told.rstrip().endswith("written to town-weights")
    assert (tmp_path / "reliable.svg").read_text(encoding="utf-8").startswith("<svg")
    written = known(tmp_path / "town-weights")
    assert written["similarity"] == calibration()
    parent = tmp_path.name
    assert written["nli"]["fitted_on"] == f"{parent}/items.jsonl, 20 texts changed"
    assert str(tmp_path) not in json.dumps(written)
    assert read_weighing("town-weights").stated.slope > 0

    code, _, told = weigh("score", "items.jsonl", "-m", "nli:weights=town-weights", "-o", "run")
    assert code == 0, told


def test_for_machines_and_twice_the_same(weigh: Run, tmp_path: Path) -> None:
    code, said, told = weigh(*WEIGH, "--json", "--quiet", "--composed", "0")
    assert (code, told) == (0, "")
    result = json.loads(said)
    assert result == known(tmp_path / "town-weights")["nli"]
    assert set(result["stated"]["signs"]) == {*FACT_SIGNS}
    assert set(result["unsupported"]["signs"]) == {*WORD_SIGNS}
    assert result["stated"]["cases"] > result["stated"]["positive"] > 0
    assert weigh(*WEIGH, "--json", "--quiet", "--composed", "0") == (0, said, "")


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        (("--weights", "nowhere"), "nowhere"),
        (("--weights", "tiny"), "are not higher for true claims"),  # random numbers know nothing
        (("--composed", "2"), "--composed"),
        (("--format", "nothing"), "nothing"),
        (("--gold", "nowhere.xml"), "nowhere.xml"),
    ],
)
def test_weigh_wrong_use_says_what_to_do(
    weigh: Run, tmp_path: Path, changed: tuple[str, ...], problem: str
) -> None:
    before = known(tmp_path / "tiny")
    code, said, told = weigh(*WEIGH, *changed)
    assert code == 2
    assert said == ""
    assert problem in told
    assert "Traceback" not in told
    assert "nli" not in known(tmp_path / "town-weights")
    assert known(tmp_path / "tiny") == before


def test_what_is_broken_shows_before_anything_is_read(weigh: Run, tmp_path: Path) -> None:
    (tmp_path / "items.jsonl").unlink()
    (tmp_path / "town-weights" / "calibration.json").write_text("{", encoding="utf-8")
    code, _, told = weigh(*WEIGH)
    assert code == 2
    assert "calibration.json" in told
    assert "repair it" in told
    (tmp_path / "tiny" / "verifier.onnx").unlink()
    seal(tmp_path / "tiny")
    code, _, told = weigh("train", "weigh", "items.jsonl", "--weights", "tiny")
    assert code == 2
    assert "has no verifier.onnx" in told


def test_texts_that_say_nothing(weigh: Run, tmp_path: Path) -> None:
    row = {"id": "1", "triples": [["Velmora", "country", "Sarn"]], "text": ""}
    (tmp_path / "items.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    code, _, told = weigh(*WEIGH)
    assert code == 2
    assert "items.jsonl: has no item with triples and a text" in told
