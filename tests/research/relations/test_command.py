"""The commands: each has help, and they pass on what they are given."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from adequa.data import Triple
from adequa.errors import ModelError
from adequa.readers import open_source, read_ratings
from research.relations.command import app
from research.relations.groups import WRITTEN, WrittenGroup, WrongText, read_written
from research.relations.mixture import SHARES, STAGES

from . import tiny


@pytest.mark.parametrize("command", ["lexicon", "pairs", "train", "figures", "calibrate"])
def test_every_command_has_help(command: str) -> None:
    result = CliRunner().invoke(app, [command, "--help"])
    assert result.exit_code == 0
    assert "--data" in result.output


def test_the_lexicon_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from research.relations import lexicon, mixture

    from .test_lexicon import vectors

    data = tiny.write_data(tmp_path / "data")
    monkeypatch.setattr(
        mixture, "read_training_documents", lambda data, permissive: tiny.documents()
    )
    monkeypatch.setattr(
        lexicon, "open_encoder", lambda folder: lambda own: vectors(*range(len(own)))
    )
    out = tmp_path / "lexicon.json"
    arguments = ["lexicon", "--data", str(data), "--encoder", str(tmp_path), "--out", str(out)]
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    assert "author" in {one["name"] for one in json.loads(out.read_text(encoding="utf-8"))}


def test_pairs_have_no_text_of_webnlg(tmp_path: Path) -> None:
    data = tiny.write_data(tmp_path / "data")
    (data / "dart").mkdir()
    row = '{"id": "d1", "triples": [["Ilm", "length", "9"]], "text": "The Ilm has 9 km."}\n'
    (data / "dart" / "tables.jsonl").write_text(row, encoding="utf-8")
    found = {}
    for name, more in (("train", []), ("dev", ["--held-out"])):
        out = tmp_path / f"{name}.jsonl"
        arguments = ["pairs", "--data", str(data), "--out", str(out), *more]
        assert CliRunner().invoke(app, arguments, catch_exceptions=False).exit_code == 0
        found[name] = {item.text for item in open_source(out)}
    assert "The Ilm has 9 km." in found["train"] - found["dev"]
    for name, dev in (("train", False), ("dev", True)):
        own = {text for group in read_written(dev=dev) for text in group.faithful}
        assert own <= found[name]
    wrong = {one.text for group in read_written(dev=False) for one in group.wrong}
    assert not wrong & found["train"]


def test_texts_are_rated_by_the_share_that_is_right(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from research.relations import calibration

    facts = (Triple("Ann Ode", "boss", "Bo Lind"), Triple("Ann Ode", "home", "Ghent"))
    faithful = ("Bo Lind is the boss of Ann Ode. Her home is Ghent.",)
    wrong = (WrongText("Bo Lind is the boss of Ann Ode. Ghent is far.", 0, (1,), "not_said"),)
    group = WrittenGroup(facts, faithful, wrong)
    monkeypatch.setattr(calibration, "read_written", lambda *, dev: [group] if dev else [])
    out, ratings = tmp_path / "items.jsonl", tmp_path / "ratings.jsonl"
    arguments = ["rated", "--out", str(out), "--ratings", str(ratings)]
    assert CliRunner().invoke(app, arguments, catch_exceptions=False).exit_code == 0
    items = list(open_source(out))
    rated = {one.system: one.value for one in read_ratings(ratings, items=items)}
    assert rated.keys() == {item.system for item in items}
    assert (rated.pop("written0"), rated.pop("written1")) == (1.0, 0.5)
    assert {"drop-sentence-written0", "add-triple-written0"} & rated.keys()
    assert all(0 <= value < 1 for value in rated.values())


def test_a_training_and_its_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from research.relations import figures, mixture

    base = tiny.write_base(tmp_path / "base")
    data = tiny.write_data(tmp_path / "data")
    claim = (tiny.TOWN.text, tiny.TOWN.triples)
    held_out = figures.HeldOut(twins={"x": [(claim, claim)]})
    monkeypatch.setattr(mixture, "read_mixture", lambda *_, **__: tiny.mixture(data))
    monkeypatch.setattr(figures, "read_held_out", lambda *_, **__: held_out)
    out = tmp_path / "out"
    options = ["--lexicon", "x", "--base", str(base), "--steps", "1", "--data", str(data)]
    result = CliRunner().invoke(app, ["train", *options, "--out", str(out)], catch_exceptions=False)
    assert result.exit_code == 0
    assert '"x": 0.5' in result.output
    arguments = ["figures", str(out), "--data", str(data)]
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert json.loads(result.output) == {"checkpoint": str(out), "x": 0.5}


def test_weights_without_a_relation_reader_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from adequa import models

    monkeypatch.setattr(models, "load_relation_reader", lambda name: None)
    arguments = ["calibrate", "--weights", "v3", "--data", str(tmp_path)]
    with pytest.raises(ModelError, match="no relation reader"):
        CliRunner().invoke(app, arguments, catch_exceptions=False)


def test_there_are_no_more_stages_than_were_run(tmp_path: Path) -> None:
    number = str(len(STAGES) + 1)
    arguments = ["stage", number, "--data", str(tmp_path), "--lexicon", "none", "--out", "none"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    assert f"there are {len(STAGES)} stages" in result.output


def test_every_stage_has_known_kinds_and_files_that_exist() -> None:
    for stage in STAGES:
        assert stage.shares.keys() <= SHARES.keys()  # earlier stages had fewer kinds
        assert sum(stage.shares.values()) == pytest.approx(
            1, abs=0.03
        )  # weights, drawn in proportion
        assert (WRITTEN / f"{stage.last_written}.jsonl").is_file()


def test_an_exported_reader_is_restored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from adequa.training import export

    asked: list[tuple[Path, str, Path]] = []

    def restore(weights: Path, kind: str, out: Path) -> Path:
        asked.append((weights, kind, out))
        return out

    monkeypatch.setattr(export, "restore", restore)
    result = CliRunner().invoke(app, ["restore", str(tmp_path), "--out", str(tmp_path / "out")])
    assert result.exit_code == 0
    assert asked == [(tmp_path, "relations", tmp_path / "out")]
