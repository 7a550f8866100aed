"""The studies of paper 003 on a tiny BERT: rows are saved, resumed, and put into tables."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the extra train is not installed")
pytest.importorskip("transformers", reason="the extra train is not installed")
pytest.importorskip("accelerate", reason="the extra train is not installed")

from safetensors.torch import load_file  # noqa: E402

from adequa.errors import DataError, UnknownName  # noqa: E402
from adequa.readers import open_source  # noqa: E402
from research.papers.joint import torch_study  # noqa: E402
from research.papers.joint.data import JointStudy  # noqa: E402
from research.papers.joint.models import cosines  # noqa: E402
from research.papers.joint.reproduction import reproduce_joint  # noqa: E402
from research.papers.joint.studies import (  # noqa: E402
    ROWS,
    STUDIES,
    StudyRun,
    StudySchedule,
    inversion_figures,
    reproduce_studies,
    sentence_items,
    study_section,
)

from ....training.bases import write_base  # noqa: E402
from ...relations.tiny import PARAGRAPH, write_json  # noqa: E402


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_base(tmp_path_factory.mktemp("base"))


@pytest.fixture
def data(corpus: Path) -> Path:
    relations = corpus / "relations"
    relations.mkdir()
    write_json(relations / "fewrel_pid2name.json", {"P6": ["leader", "who leads"]})
    write_json(relations / "redocred_dev.json", [PARAGRAPH])
    write_json(relations / "redocred_test.json", [])
    return corpus


def run_of(data: Path, folder: Path, base: Path, **more: Any) -> StudyRun:
    schedule = StudySchedule(
        base=str(base), layers=2, steps=4, batch=4, rate=3e-3, frozen=1, longest=60, look_every=2,
        rating_steps=3,
    )  # fmt: skip
    return StudyRun(JointStudy(data=data), folder, schedule, threads=1, **more)


def test_a_study_is_a_table_of_saved_rows(
    data: Path, base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = run_of(data, tmp_path / "rows", base)
    (section,) = reproduce_studies(run, ["negatives"], only=["in-batch", "both"])
    rows = {row["row"]: row for row in section.tables[0].json_rows()}
    assert list(rows) == list(STUDIES["negatives"].rows)
    assert 0 <= float(str(rows["both"]["R@1"])) <= 1
    assert rows["replaced"]["R@1"] is None
    assert section.notes[1] == (
        "n/a: not run yet: replaced, replaced-again, inverted, both-again, four"
    )
    saved = json.loads((tmp_path / "rows" / "both.json").read_text(encoding="utf-8"))
    assert saved["schedule"] == asdict(run.schedule)
    assert (saved["figures"]["pool"], saved["figures"]["pairs"]) == (4, 3)
    assert not (tmp_path / "rows" / "trainings" / "both" / "checkpoints").exists()
    recipes = [
        json.loads((tmp_path / "rows" / "trainings" / row / "recipe.json").read_text("utf-8"))
        for row in ("in-batch", "both")
    ]
    assert [one["recipe"]["negatives"] for one in recipes] == [
        {},
        {"replaced": 0.5, "inverted": 0.5},
    ]
    # A second call measures nothing that is there.
    monkeypatch.setattr(torch_study, "train_row", None)
    assert reproduce_studies(run, ["negatives"], only=["both"])[0].tables == section.tables
    # The whole paper shows what is saved.
    shown = reproduce_joint(data, rows=tmp_path / "rows").as_object()
    assert shown["study-negatives"]["rows"] == section.tables[0].json_rows()  # type: ignore[index]
    assert "study-best-half" not in shown


def test_a_row_with_another_seed_sees_other_batches(data: Path, base: Path, tmp_path: Path) -> None:
    run = run_of(data, tmp_path / "rows", base)
    reproduce_studies(run, ["negatives"], only=["both", "both-again"])
    recipes = [
        json.loads((tmp_path / "rows" / "trainings" / row / "recipe.json").read_text("utf-8"))
        for row in ("both", "both-again")
    ]
    assert [one["seed"] for one in recipes] == [0, 1]
    assert recipes[0]["recipe"] == recipes[1]["recipe"]
    assert recipes[0]["recipe"]["layers"] == [0, 1]


class Letters:
    """A text or graph as the counts of some letters."""

    signature = "letters"

    def encode(self, texts: Sequence[str]) -> Any:
        counts = np.array([[text.count(letter) + 0.1 for letter in "aeiost"] for text in texts])
        return counts / np.linalg.norm(counts, axis=1, keepdims=True)

    def encode_graphs(self, graphs: Sequence[Any]) -> Any:
        return self.encode([str(graph) for graph in graphs])


def test_a_pool_limits_what_is_measured(data: Path, base: Path, tmp_path: Path) -> None:
    run = run_of(data, tmp_path / "rows", base)
    assert (run.figures(Letters())["pool"], run.figures(Letters())["pairs"]) == (4, 3)
    run.joint.pool = 2
    assert (run.figures(Letters())["pool"], run.figures(Letters())["pairs"]) == (2, 2)


def test_batches_have_one_number_of_texts(data: Path, base: Path, tmp_path: Path) -> None:
    run = run_of(data, tmp_path / "rows", base)
    reproduce_studies(run, ["batches"], only=["batch-64"])
    text = (tmp_path / "rows" / "trainings" / "batch-64" / "recipe.json").read_text("utf-8")
    recipe = json.loads(text)["recipe"]
    assert (recipe["batch"], recipe["steps"]) == (64, 1)


def test_a_row_that_was_stopped_ends_with_the_same_weights(
    data: Path, base: Path, tmp_path: Path
) -> None:
    def stop(what: str, done: int, total: int) -> None:
        if what == "steps" and done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_of(data, tmp_path / "stopped", base, report=stop).run("both")
    assert not (tmp_path / "stopped" / "both.json").exists()
    found = [run_of(data, tmp_path / name, base).run("both") for name in ("stopped", "whole")]
    assert found[0]["figures"] == found[1]["figures"]
    first, second = (
        load_file(tmp_path / name / "trainings" / "both" / "model.safetensors")
        for name in ("stopped", "whole")
    )
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_rows_of_another_schedule_are_not_mixed(data: Path, base: Path, tmp_path: Path) -> None:
    run_of(data, tmp_path / "rows", base).run("in-batch")
    other = StudyRun(JointStudy(data=data), tmp_path / "rows", StudySchedule(base=str(base)))
    with pytest.raises(DataError, match="was made with another schedule"):
        other.run("in-batch")
    (tmp_path / "rows" / "both.json").write_text("[]", encoding="utf-8")
    with pytest.raises(DataError, match="is not a saved row"):
        other.saved("both")
    with pytest.raises(UnknownName, match="unknown study 'magic'"):
        reproduce_studies(other, ["magic"])
    with pytest.raises(UnknownName, match="unknown row 'dart'"):
        reproduce_studies(other, ["negatives"], only=["dart"])


def test_the_best_half_is_the_most_similar_one(data: Path, base: Path, tmp_path: Path) -> None:
    run = run_of(data, tmp_path / "rows", base)
    sections = reproduce_studies(run, ["best-half", "loss"], only=["mixture", "best-half"])
    mixture = list(open_source(run.corpus("mixture")))
    # Four entries of WebNLG, one row of DART, two sentences of Re-DocRED.
    assert len(mixture) == 7
    near = cosines(torch_study.load_network(run, run.checkpoint("mixture")), mixture)
    best = {item.id for item in open_source(run.corpus("best-half"))}
    assert len(best) == 3
    inside = [value for item, value in zip(mixture, near, strict=True) if item.id in best]
    outside = [value for item, value in zip(mixture, near, strict=True) if item.id not in best]
    assert min(map(float, inside)) >= max(map(float, outside))  # type: ignore[arg-type]
    curve = sections[1].tables[0].json_rows()
    assert [row["step"] for row in curve] == [2, 4]
    assert all(isinstance(row["R@1, mixture"], float) for row in curve)
    drawn = sections[1].files["figure3-study.svg"]
    assert isinstance(drawn, str)
    assert "mixture" in drawn


def test_fine_tuning_on_ratings(data: Path, base: Path, tmp_path: Path) -> None:
    run = run_of(data, tmp_path / "rows", base)
    (section,) = reproduce_studies(run, ["ratings"], only=["untuned", "bi", "cross"])
    rows = {row["row"]: row for row in section.tables[0].json_rows()}
    assert list(rows) == ["untuned", "bi", "cross", "mean", "shipped"]
    assert all(isinstance(rows[row]["Pearson"], float) for row in ("untuned", "bi", "cross"))
    saved = {row: run.saved(row) for row in ("untuned", "bi", "cross")}
    scores = {row: one["scores"]["rated"] for row, one in saved.items() if one is not None}
    assert len(scores["bi"]) == 12
    assert scores["bi"] != scores["untuned"]
    empty = [item.text for item in run.rated_items()].index("")
    assert [scores[row][empty] for row in ("bi", "cross")] == [0.0, 0.0]
    assert isinstance(rows["mean"]["Pearson"], float)
    assert (rows["shipped"]["Pearson"], rows["mean"]["CPU minutes"]) == (None, None)
    assert "fine-tuned on 12 rated texts in batches of 4, some more than once" in section.notes
    # A longer fine-tuning needs no other encoder, and is not taken for the same row.
    run.schedule = replace(run.schedule, rating_steps=5)
    assert run.run("untuned") == saved["untuned"]
    with pytest.raises(DataError, match="was made with another schedule"):
        run.run("bi")
    run.path("bi").unlink()
    assert run.run("bi")["scores"]["rated"] != scores["bi"]


def test_a_stopped_fine_tuning_continues(data: Path, base: Path, tmp_path: Path) -> None:
    run = run_of(data, tmp_path / "rows", base)
    run.run("both")

    def stop(what: str, done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    run.report = stop
    with pytest.raises(KeyboardInterrupt):
        run.run("cross")
    run.report = None
    stopped = run.run("cross")
    run.path("cross").unlink()
    (tmp_path / "rows" / "trainings" / "cross-3" / "network.safetensors").unlink()
    assert run.run("cross")["scores"] == stopped["scores"]


def test_inverted_triples_count_when_they_are_as_near() -> None:
    assert inversion_figures([0.5, 0.4, 0.5, 0.5, 0.1, 0.3]) == {"inverted": 2 / 3, "pairs": 3}
    assert inversion_figures([]) == {}


def test_a_look_has_the_last_loss_before_it(data: Path, base: Path, tmp_path: Path) -> None:
    run = run_of(data, tmp_path / "rows", base)
    log = [
        *({"step": step, "loss": loss} for step, loss in ((10, 0.5), (20, 0.25), (30, 0.125))),
        {"step": 25, "dev_r@1": 0.75},
        {"step": 50, "dev_r@1": 1.0},
    ]
    saved = {"schedule": asdict(run.schedule), "figures": {}, "log": log, "cpu_seconds": 1}
    (tmp_path / "rows").mkdir()
    (tmp_path / "rows" / "both.json").write_text(json.dumps(saved), encoding="utf-8")
    rows = study_section(run, "loss").tables[0].json_rows()
    assert [(row["step"], row["loss, both"], row["R@1, both"]) for row in rows] == [
        (25, 0.25, 0.75),
        (50, 0.125, 1.0),
    ]


def test_sentences_have_the_facts_that_they_alone_state(data: Path) -> None:
    first, second = sentence_items(data / "relations")
    assert [tuple(triple) for triple in first.triples] == [("Acme", "leader", "Bo Ray")]
    assert (first.text, second.text) == ("Bo Ray leads Acme.", "Cy Dun leads Dorn.")


def test_every_row_of_a_study_is_known() -> None:
    for name, study in STUDIES.items():
        if name not in ("baselines", "ratings"):
            assert set(study.rows) <= set(ROWS)
