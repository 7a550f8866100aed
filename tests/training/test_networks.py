"""Trainings of a tiny BERT: ten items by heart, on again where it stopped, and out as ONNX."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adequa.errors import DataError
from adequa.training.encoder import EncoderSettings, train_encoder
from adequa.training.onnx import read_checkpoint
from adequa.training.setup import read_tokenizer
from adequa.training.verifier import Cases, VerifierSettings, train_verifier

from . import bases, corpora

torch = pytest.importorskip("torch", reason="the extra train is not installed")
pytest.importorskip("transformers", reason="the extra train is not installed")
pytest.importorskip("accelerate", reason="the extra train is not installed")

Settings = EncoderSettings | VerifierSettings
Train = Callable[..., Any]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bases.write_base(tmp_path_factory.mktemp("networks") / "base")


@pytest.fixture(scope="module")
def items(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return corpora.write_items(tmp_path_factory.mktemp("items") / "items.jsonl")


def short(kind: str, base: Path, items: Path, out: Path) -> tuple[Train, Settings]:
    """A training of a few steps."""
    given: dict[str, Any] = {"data": (items,), "dev": (items,), "base": base, "out": out}
    given |= {"steps": 6, "batch": 4, "frozen": 1, "longest": 64, "threads": 1}
    given |= {"look_every": 3, "save_every": 2}
    if kind == "encoder":
        return train_encoder, EncoderSettings(**given)
    return train_verifier, VerifierSettings(**given)


def test_the_encoder_learns_ten_items_by_heart(base: Path, items: Path, tmp_path: Path) -> None:
    settings = EncoderSettings(
        data=(items,),
        dev=(items,),
        out=tmp_path / "run",
        base=base,
        steps=60,
        batch=10,
        rate=3e-3,
        frozen=0,
        longest=100,
        look_every=30,
        negatives={},
        threads=1,
    )
    trained = train_encoder(settings)
    assert trained.pairs == 10
    assert trained.figures["r@1"] == 1.0
    losses = [line["loss"] for line in trained.log if "loss" in line]
    assert losses[-1] < 0.05 < losses[0]


@dataclass
class SameBatch:
    """The same cases, whatever the number."""

    batch: dict[str, object]

    def __call__(self, numbers: Sequence[int]) -> dict[str, object]:
        return self.batch


def test_the_verifier_learns_ten_cases_by_heart(base: Path, tmp_path: Path) -> None:
    from adequa.training.torch_data import CaseCollator, VerifierEvaluation
    from adequa.training.torch_fit import Schedule, fit, silence
    from adequa.training.torch_networks import VerifierNetwork, load_bert

    known = Cases(corpora.pairs(), corpora.knowledge(), seed=2)
    cases = [known.case(number) for number in range(10)]
    assert {one for case in cases for one in case.document.stated} >= {0, 1}
    assert len({case.document.supported for case in cases}) > 1
    collator = CaseCollator(known, read_tokenizer(base), longest=128)
    torch.manual_seed(0)
    with silence():
        network = VerifierNetwork(load_bert(base))
        evaluation = VerifierEvaluation(cases, collator)
        fit(network, SameBatch(collator.collate(cases)), Schedule(80, 4e-3), tmp_path)
        network.eval()
        with torch.no_grad():
            figures = evaluation(network)
    assert figures["accuracy_stated"] == 1.0
    assert figures["accuracy_supported"] == 1.0
    assert figures["auc_unsupported"] > 0.99


@pytest.mark.parametrize("kind", ["encoder", "verifier"])
def test_an_interrupted_training_goes_on_as_if_nothing_had_been(
    kind: str, base: Path, items: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    train, settings = short(kind, base, items, tmp_path / "whole")
    steps: list[tuple[str, int, int]] = []
    whole = train(settings, lambda *more: steps.append(more))
    assert [one for one in steps if one[0] == "steps"] == [
        ("steps", number, 6) for number in range(1, 7)
    ]
    assert capfd.readouterr() == ("", "")

    def stop(what: str, done: int, total: int) -> None:
        if (what, done) == ("steps", 5):
            raise KeyboardInterrupt

    torn = replace(settings, out=tmp_path / "torn")
    with pytest.raises(KeyboardInterrupt):
        train(torn, stop)
    assert not (torn.out / "training.json").exists()
    with pytest.raises(DataError, match="has a training already; give resume=True"):
        train(torn)
    with pytest.raises(DataError, match="was begun with other recipe"):
        train(replace(torn, resume=True, steps=7))
    # The last checkpoint was being written when it stopped.
    (torn.out / "checkpoints" / "checkpoint-4" / "trainer_state.json").unlink()
    steps.clear()
    resumed = train(replace(torn, resume=True), lambda *more: steps.append(more))
    assert [done for what, done, _ in steps if what == "steps"] == [3, 4, 5, 6]
    one, other = read_checkpoint(settings.out), read_checkpoint(torn.out)
    assert one.kind == other.kind == kind
    for name, weights in {**one.weights, **one.heads}.items():
        again = {**other.weights, **other.heads}[name]
        np.testing.assert_array_equal(weights, again, err_msg=name)
    assert resumed.figures == whole.figures
    assert any(not np.array_equal(one[name], _start(base)[name]) for name in one.weights)


def _start(base: Path) -> dict[str, Any]:
    from safetensors.numpy import load_file

    found: dict[str, Any] = load_file(base / "model.safetensors")
    return found


def test_the_folder_is_what_export_reads(base: Path, items: Path, tmp_path: Path) -> None:
    for kind in ("encoder", "verifier"):
        train, settings = short(kind, base, items, tmp_path / kind)
        train(replace(settings, licence="CC0", steps=2))
        said = json.loads((tmp_path / kind / "training.json").read_text(encoding="utf-8"))
        assert (said["kind"], said["seed"], said["pairs"]) == (kind, 0, 10)
        assert said["data"] == [{"name": f"{items.parent.name}/items.jsonl", "items": 10}]
        assert said["licence"] == {"base": None, "data": "CC0"}
        assert said["recipe"]["steps"] == 2
        assert said["figures"]["dev"]
        assert str(tmp_path) not in json.dumps(said)
        assert "<svg" in (tmp_path / kind / "curves.svg").read_text(encoding="utf-8")
        assert json.loads((tmp_path / kind / "log.json").read_text(encoding="utf-8"))
        # Frozen: the words as they ship, and the first layer.
        weights, start = read_checkpoint(tmp_path / kind), _start(base)
        layer = "encoder.layer.0.output.dense.weight"
        np.testing.assert_array_equal(weights[layer], start[layer])
        words = "embeddings.word_embeddings.weight"
        largest = np.abs(start[words]).max(axis=1, keepdims=True)
        assert (np.abs(weights[words] - start[words]) <= largest / 254 + 1e-6).all()
    pytest.importorskip("onnx", reason="the extra train is not installed")
    from adequa.training.export import export

    exported = export(tmp_path / "encoder", tmp_path / "verifier", out=tmp_path / "v0")
    assert {"encoder.onnx", "verifier.onnx"} <= set(exported.manifest["files"])


def test_a_second_stage_keeps_some_layers_and_says_what_was_before(
    base: Path, items: Path, tmp_path: Path
) -> None:
    train, settings = short("encoder", base, items, tmp_path / "one")
    train(replace(settings, steps=1, dev=(), licence="CC0"))
    again = replace(settings, base=tmp_path / "one", out=tmp_path / "two", steps=1, dev=())
    train(replace(again, layers=(1,), frozen=0, rate=1e-9, small=1.0, negatives={"inverted": 1.0}))
    one, two = read_checkpoint(tmp_path / "one"), read_checkpoint(tmp_path / "two")
    assert (one.layers, two.layers) == (2, 1)
    name = "output.dense.weight"
    np.testing.assert_allclose(
        two[f"encoder.layer.0.{name}"], one[f"encoder.layer.1.{name}"], atol=1e-6
    )
    assert two.training["recipe"]["layers"] == [1]
    before = two.training["base"]["stage_before"]
    assert (before["licence"]["data"], before["recipe"]["steps"]) == ("CC0", 1)


def test_another_seed_is_another_training(base: Path, items: Path, tmp_path: Path) -> None:
    weights = []
    for seed in (0, 1):
        train, settings = short("verifier", base, items, tmp_path / str(seed))
        train(replace(settings, seed=seed, steps=1, dev=()))
        weights.append(read_checkpoint(tmp_path / str(seed)).heads["tokens.weight"])
    assert not np.array_equal(*weights)


def test_of_several_processes_the_first_alone_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    from adequa.training.torch_fit import is_first

    assert is_first()
    monkeypatch.setenv("RANK", "1")
    assert not is_first()
