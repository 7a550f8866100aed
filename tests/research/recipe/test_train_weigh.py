"""`adequa train weigh` as a user meets it."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adequa.cli import main
from adequa.metrics.nli.signs import FACT_SIGNS, WORD_SIGNS, read_weighing
from adequa.models.shipped import weights as shipped

from ...tiny_weights import calibration, seal, write_weights
from ...training import corpora

Run = Callable[..., tuple[int, str, str]]
WEIGH = ("train", "weigh", "items.jsonl", "--weights", "town-weights")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
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
def adequa(
    made: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Run:
    shutil.copytree(made, tmp_path, dirs_exist_ok=True, symlinks=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["adequa", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        code = ended.value.code
        return (code if isinstance(code, int) else 0, *capsys.readouterr())

    return run


def known(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "calibration.json").read_text(encoding="utf-8"))
    return found


def test_from_texts_to_scores(adequa: Run, tmp_path: Path) -> None:
    code, said, told = adequa(*WEIGH, "--picture", "reliable.svg")
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

    code, _, told = adequa("score", "items.jsonl", "-m", "nli:weights=town-weights", "-o", "run")
    assert code == 0, told


def test_for_machines_and_twice_the_same(adequa: Run, tmp_path: Path) -> None:
    code, said, told = adequa(*WEIGH, "--json", "--quiet", "--composed", "0")
    assert (code, told) == (0, "")
    result = json.loads(said)
    assert result == known(tmp_path / "town-weights")["nli"]
    assert set(result["stated"]["signs"]) == {*FACT_SIGNS}
    assert set(result["unsupported"]["signs"]) == {*WORD_SIGNS}
    assert result["stated"]["cases"] > result["stated"]["positive"] > 0
    assert adequa(*WEIGH, "--json", "--quiet", "--composed", "0") == (0, said, "")


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
def test_wrong_use_says_what_to_do(
    adequa: Run, tmp_path: Path, changed: tuple[str, ...], problem: str
) -> None:
    before = known(tmp_path / "tiny")
    code, said, told = adequa(*WEIGH, *changed)
    assert code == 2
    assert said == ""
    assert problem in told
    assert "Traceback" not in told
    assert "nli" not in known(tmp_path / "town-weights")
    assert known(tmp_path / "tiny") == before


def test_what_is_broken_shows_before_anything_is_read(adequa: Run, tmp_path: Path) -> None:
    (tmp_path / "items.jsonl").unlink()
    (tmp_path / "town-weights" / "calibration.json").write_text("{", encoding="utf-8")
    code, _, told = adequa(*WEIGH)
    assert code == 2
    assert "calibration.json" in told
    assert "repair it" in told
    (tmp_path / "tiny" / "verifier.onnx").unlink()
    seal(tmp_path / "tiny")
    code, _, told = adequa("train", "weigh", "items.jsonl", "--weights", "tiny")
    assert code == 2
    assert "has no verifier.onnx" in told


def test_texts_that_say_nothing(adequa: Run, tmp_path: Path) -> None:
    row = {"id": "1", "triples": [["Velmora", "country", "Sarn"]], "text": ""}
    (tmp_path / "items.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    code, _, told = adequa(*WEIGH)
    assert code == 2
    assert "items.jsonl: has no item with triples and a text" in told
