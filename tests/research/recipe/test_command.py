"""`adequa train blend` as a user meets it."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from adequa.cli import main
from research.recipe.similarity import PARTS

from ...tiny_weights import seal, write_weights
from ...training.rated_items import write_rated

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Weights before their blend, a dozen graphs with two texts each, and their ratings."""
    root = tmp_path_factory.mktemp("blend")
    folder = write_weights(root / "weights")
    (folder / "calibration.json").unlink()
    seal(folder)
    write_rated(root, folder)
    return root


@pytest.fixture
def adequa(
    made: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Run:
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["adequa", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        code = ended.value.code
        return (code if isinstance(code, int) else 0, *capsys.readouterr())

    return run


BLEND = ("train", "blend", "items.jsonl", "--ratings", "ratings.jsonl", "--weights", "weights")


def test_from_ratings_to_scores(adequa: Run, tmp_path: Path) -> None:
    code, said, told = adequa(*BLEND)
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

    code, _, told = adequa("score", "items.jsonl", "-m", "similarity:weights=weights", "-o", "run")
    assert code == 0, told
    summary = (tmp_path / "run" / "summary.json").read_text(encoding="utf-8")
    assert '"rated"' in summary  # the head is asked, and its mean shown


def test_for_machines(adequa: Run) -> None:
    code, said, told = adequa(*BLEND, "--json", "--quiet", "--criterion", "SEMANTICS")
    assert (code, told) == (0, "")
    result = json.loads(said)
    assert result["texts"] == 24
    for figures in result["out_of_fold"].values():
        assert set(figures) == {"pearson", "spearman"}
        assert all(-1 <= value <= 1 for value in figures.values())
    again = adequa(*BLEND, "--json", "--quiet")
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
def test_wrong_use_says_what_to_do(
    adequa: Run, tmp_path: Path, changed: tuple[str, ...], problem: str
) -> None:
    code, said, told = adequa(*BLEND, *changed)
    assert code != 0
    assert said == ""
    assert problem in told
    assert "Traceback" not in told
    assert not (tmp_path / "weights" / "calibration.json").exists()


def test_half_a_folder_is_refused_before_anything_is_read(adequa: Run, tmp_path: Path) -> None:
    (tmp_path / "weights" / "verifier.onnx").unlink()
    seal(tmp_path / "weights")
    (tmp_path / "items.jsonl").unlink()
    code, _, told = adequa(*BLEND)
    assert code != 0
    assert "has no verifier.onnx" in told
    assert "adequa export" in told
