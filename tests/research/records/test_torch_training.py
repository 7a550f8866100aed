"""The training: steps on a tiny BERT, resuming, its loss, its checkpoint and its figures."""

from __future__ import annotations

import json
from pathlib import Path
from shutil import copytree

import pytest

torch = pytest.importorskip("torch", reason="the extra train is not installed")
pytest.importorskip("transformers", reason="the extra train is not installed")
pytest.importorskip("accelerate", reason="the extra train is not installed")

from safetensors.torch import load_file, save_file  # noqa: E402
from typer.testing import CliRunner  # noqa: E402

from adequa.errors import ModelError  # noqa: E402
from adequa.models.records import RecordReader, load_record_reader  # noqa: E402
from adequa.models.relations import NamedText  # noqa: E402
from adequa.models.runtime import WordTable  # noqa: E402
from adequa.training.export import export  # noqa: E402
from research.records.cases import Case, Row, Source  # noqa: E402
from research.records.command import app  # noqa: E402
from research.records.figures import HeldOutText  # noqa: E402
from research.records.torch_training import (  # noqa: E402
    MARGIN,
    RecordSettings,
    case_losses,
    logits_of,
    train_records,
)
from research.relations.torch_training import load_checkpoint, open_run  # noqa: E402

from ..relations.tiny import COMPANY, write_base  # noqa: E402

RIGHT = Row((2, 8, 9, 3, 10, 3), 4, wrong=False, stated=True)
WRONG = Row((2, 8, 11, 3, 10, 3), 4, wrong=True, stated=False, words=(2,))
SOURCE = Source("tiny", 1.0, 1, [Case((WRONG, RIGHT), ((0, 1),)), Case((RIGHT,))])
HELD_OUT = [
    HeldOutText("1", "faithful", 0, (RIGHT,), (RIGHT,)),
    HeldOutText("1", "polarity", 0, (WRONG,), (WRONG,)),
]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_base(tmp_path_factory.mktemp("base"))


def settings(base: Path, out: Path, **more: object) -> RecordSettings:
    values = {
        "data": (base,), "base": base, "out": out, "steps": 6, "batch": 64, "pool": 30, "stacks": 2,
        "warm_up": 2, "look_every": 3, "save_every": 2, "threads": 1, "rate": 1e-3,
    }  # fmt: skip
    return RecordSettings(**{**values, **more})


def test_a_training_that_was_stopped_ends_with_the_same_weights(base: Path, tmp_path: Path) -> None:
    whole = train_records(settings(base, tmp_path / "whole"), [SOURCE], HELD_OUT)
    assert whole.training["kind"] == "records"
    assert whole.training["data"] == [{"name": "tiny", "items": 1}]
    assert 0 <= whole.figures["auc"] <= 1
    steps = iter(range(100))
    parts = settings(base, tmp_path / "parts", resume=True)
    train_records(parts, [SOURCE], HELD_OUT, stop=lambda: next(steps) >= 3)
    train_records(parts, [SOURCE], HELD_OUT)
    for name in ("model.safetensors", "heads.safetensors"):
        one, other = (load_file(tmp_path / folder / name) for folder in ("whole", "parts"))
        assert all(torch.equal(one[key], other[key]) for key in one)
    log = (tmp_path / "parts" / "log.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["step"] for line in log] == [3, 6]


def test_the_loss_knows_the_contradicted_fact_and_the_worse_sentence(
    base: Path, tmp_path: Path
) -> None:
    trained = train_records(settings(base, tmp_path / "out", steps=60), [SOURCE])
    network, _ = load_checkpoint(trained.out)
    before, _ = load_checkpoint(
        train_records(settings(base, tmp_path / "a", steps=1), [SOURCE]).out
    )
    with torch.no_grad():
        first, last = (case_losses(one, SOURCE.cases) for one in (before, network))
    assert set(first) == {"fact", "stated", "words", "margin"}
    assert float(first["margin"]) == pytest.approx(MARGIN, abs=0.5)
    assert all(float(last[name]) < float(first[name]) for name in first)
    wrong, right = logits_of(network, [WRONG, RIGHT])
    assert wrong > right


def test_the_command(base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("research.records.cases.read_sources", lambda *_, **__: [SOURCE])
    monkeypatch.setattr("research.records.figures.read_held_out", lambda *_: HELD_OUT)
    options = ["--base", str(base), "--out", str(tmp_path / "out"), "--steps", "2", "--bf16"]
    run = CliRunner().invoke(app, ["train", *options])
    assert run.exit_code == 0, run.output
    refused = CliRunner().invoke(app, ["train", *options, "--entailment", "0.1"])
    assert refused.exit_code == 2
    record = json.loads((tmp_path / "out" / "training.json").read_text(encoding="utf-8"))
    assert record["done"]["step"] == 2
    assert record["recipe"]["bf16"]


def test_the_checkpoint_reads_alike_in_torch_and_exported(base: Path, tmp_path: Path) -> None:
    trained = train_records(settings(base, tmp_path / "out", steps=1), [SOURCE])
    weights = tmp_path / "weights"
    export(trained.out, out=weights, precision="fp32")
    exported = load_record_reader(str(weights))
    assert exported is not None
    network, tokens = load_checkpoint(trained.out)
    table = WordTable.read(weights / "words.npz")
    text = NamedText(COMPANY.text, COMPANY.triples, {}, ((0, 7, "Ann_Lee"),))
    expected = RecordReader(tokens, table, open_run(network.eval())).read([text])
    assert expected != [[]]
    for one, other in zip(exported.read([text])[0], expected[0], strict=True):
        assert (one.start, one.end, one.fact) == (other.start, other.end, other.fact)
        assert (one.logit, one.stated) == pytest.approx((other.logit, other.stated), abs=1e-3)


def test_a_reader_with_other_placeholders_is_refused(base: Path, tmp_path: Path) -> None:
    trained = train_records(settings(base, tmp_path / "out", steps=1), [SOURCE])
    export(trained.out, out=tmp_path / "weights", precision="fp32")
    other = tmp_path / "other"
    copytree(trained.out, other)
    content = load_file(other / "model.safetensors")
    content["embeddings.word_embeddings.weight"] += 1.0
    save_file(content, other / "model.safetensors", metadata={"format": "pt"})
    record = json.loads((other / "training.json").read_text(encoding="utf-8"))
    (other / "training.json").write_text(json.dumps({**record, "kind": "relations"}), "utf-8")
    with pytest.raises(ModelError, match="other placeholders than the records"):
        export(other, out=tmp_path / "weights", precision="fp32")
