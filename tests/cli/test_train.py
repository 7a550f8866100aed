"""`adequa train mentions` and `adequa export` end to end."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from adequa.cli import main
from adequa.cli.train import export
from adequa.data import Item, Triple
from adequa.entities.detector import Detector
from adequa.entities.mentions import WeightsJudge
from adequa.errors import DataError, ModelError, SettingError
from adequa.readers import open_source
from research.recipe.mentions import ADJUSTMENTS, read_weights, train_mentions, write_weights

from ..tiny_weights import WORDS
from ..training.corpora import write_items

NAMES = ("Vexla", "Norn", "Tabris", "Oskel", "Quorra", "Limdal", "Farrow", "Bexhal")


def entry(number: int, town: str, land: str, mark: str) -> str:
    """A text whose first mention is marked as its annotator would."""
    return f"""<entry category="City" eid="Id{number}" size="1">
<originaltripleset><otriple>{town} | country | {land}</otriple></originaltripleset>
<modifiedtripleset><mtriple>{town} | country | {land}</mtriple></modifiedtripleset>
<lex comment="good" lid="Id1"><references>
<reference entity="{town}" number="1" tag="AGENT-1" type="name">{mark}{town}</reference>
<reference entity="{land}" number="2" tag="PATIENT-1" type="name">{land}</reference></references>
<text>The {town} is in {land} .</text>
<template>{"" if mark else "The "}AGENT-1 is in PATIENT-1 .</template></lex></entry>"""


def corpus(folder: Path, mark: str) -> None:
    pairs = [(town, land) for town in NAMES for land in NAMES if town != land]
    entries = "".join(entry(number, *pair, mark) for number, pair in enumerate(pairs, 1))
    (folder / "1triples").mkdir(parents=True)
    text = f"<benchmark><entries>{entries}</entries></benchmark>"
    (folder / "1triples" / "City.xml").write_text(text, encoding="utf-8")


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def adequa(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    corpus(tmp_path / "with", "The ")
    corpus(tmp_path / "without", "")

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["adequa", "train", "mentions", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        code = ended.value.code
        return (code if isinstance(code, int) else 0, *capsys.readouterr())

    return run


def test_the_weights_draw_mentions_as_their_corpus_does(adequa: Run, tmp_path: Path) -> None:
    item = Item("1", (Triple("Aldwick", "country", "Sarn"),), "The Aldwick is in Sarn .")
    for name, words in (("with", "The Aldwick"), ("without", "Aldwick")):
        code, said, told = adequa(name, "--out", "w.json", "--no-adjust")
        assert code == 0
        assert "learned from 56 texts" in said
        assert "texts: 56 of 56" in told
        assert "written to w.json" in told
        judge = WeightsJudge(read_weights(tmp_path / "w.json"))
        first = Detector(mode="mentions", judge=judge).detect(item).mentions[0]
        assert (first.entity, item.text[first.start : first.end]) == ("Aldwick", words)
    assert {path.name for path in tmp_path.iterdir()} == {"with", "without", "w.json"}


def test_the_file_is_as_the_shipped_one(adequa: Run, tmp_path: Path) -> None:
    for name in ("a.json", "b.json"):
        assert adequa("with", "--out", name, "-q", "--json")[0] == 0
    raw = (tmp_path / "a.json").read_bytes()
    assert raw == (tmp_path / "b.json").read_bytes()  # same input, same bytes
    read = json.loads(raw)
    origin = f"{tmp_path.name}/with, 56 texts, penalty 0.5, adjusted"
    assert read.keys() == {"origin", "weights"}
    assert read["origin"] == origin
    assert "left" in read["weights"]
    assert all(math.isfinite(one) for table in read["weights"].values() for one in table.values())


def test_the_adjustments_are_added_or_left_out(adequa: Run) -> None:
    items = list(open_source("with"))
    plain, adjusted = train_mentions(items, adjust=False), train_mentions(items)
    for decision, table in ADJUSTMENTS.items():
        for feature, more in table.items():
            before = plain.get(decision, {}).get(feature, 0.0)
            assert adjusted[decision][feature] == pytest.approx(before + more)
    light = train_mentions(items, adjust=False, penalty=0.01)
    assert max(light["left"].values()) > max(plain["left"].values())


def test_evaluation_compares_new_and_shipped_weights(adequa: Run) -> None:
    arguments = ["without", "--out", "w.json", "--no-adjust", "--evaluate"]
    code, said, told = adequa(*arguments, "without", "--json", "-q")
    assert (code, told) == (0, "")
    result = json.loads(said)
    assert (result["out"], result["texts"]) == ("w.json", 56)
    assert result["weights"]["left"] > 0
    assert result["new"]["exact"]["f1"] == 1.0
    assert result["shipped"]["exact"]["f1"] < 1.0  # the shipped weights take the article
    code, said, told = adequa(*arguments, "with")
    assert code == 0
    assert "compared with 112 mentions in 56 texts" in said
    (exact,) = [line.split() for line in said.splitlines() if line.startswith("exact")]
    assert exact[1:4] == ["0.500", "0.500", "0.500"]
    assert "texts, new weights: 56 of 56" in told


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["plain.jsonl", "--out", "w.json"], "plain.jsonl: the item '1' has no gold mentions"),
        (["empty.jsonl", "--out", "w.json"], "empty.jsonl: there are no gold mentions to learn"),
        (["odd.jsonl", "--out", "w.json"], "odd.jsonl: the item '1' has no gold mentions with"),
        (["with", "--out", "w.json", "--evaluate", "plain.jsonl"], "plain.jsonl: the item '1'"),
        (["with", "--out", "w.json", "--evaluate", "empty.jsonl"], "empty.jsonl: there are no"),
        (["with", "--out", "absent/w.json"], "w.json: cannot be written"),
        (["with", "--out", "with"], "with: cannot be written"),
        (["absent", "--out", "w.json"], "absent: does not exist"),
        (["with"], "--out"),
        (["with", "--out", "w.json", "--penalty", "-1"], "--penalty"),
        (["with", "--out", "w.json", "--penalty", "nan"], "penalty"),
    ],
)
def test_wrong_use_is_exit_code_2(
    arguments: list[str], message: str, adequa: Run, tmp_path: Path
) -> None:
    item = {"id": "1", "triples": [["Vexla", "in", "Norn"]], "text": "Vexla."}
    odd = [{"entity": "Vexla", "text": "Vexla", "type": "name", "start": "a", "end": 5}]
    for name, more in (
        ("plain", {}),
        ("empty", {"meta": {"mentions": []}}),
        ("odd", {"meta": {"mentions": odd}}),
    ):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps({**item, **more}), encoding="utf-8")
    code, said, complaint = adequa(*arguments, "-q")
    assert (code, said) == (2, "")
    assert message in complaint
    assert "Traceback" not in complaint


def test_a_single_text_is_not_enough_to_fit_weights(tmp_path: Path) -> None:
    meta = {"mentions": [{"entity": "Vexla", "text": "Vexla", "start": 0, "end": 5}]}
    item = Item("1", (Triple("Vexla", "in", "Norn"),), "Vexla is here.", meta=meta)
    weights = train_mentions([item], adjust=False)
    assert all(not table for table in weights.values())
    found = Detector(mode="mentions", judge=WeightsJudge(weights)).detect(item).mentions
    assert [(one.start, one.end) for one in found] == [(0, 5)]


def test_without_weights_the_judge_uses_the_shipped_ones() -> None:
    item = Item("1", (Triple("Norn_Castle", "in", "Norn"),), "The Norn Castle is in Norn.")
    shipped = Detector(mode="mentions").detect(item).mentions
    assert shipped == Detector(mode="mentions", judge=WeightsJudge()).detect(item).mentions
    assert shipped


def test_unreadable_and_unwritable_files_are_reported(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be written"):
        write_weights({}, tmp_path / "absent" / "w.json", "a test")
    with pytest.raises(ModelError, match="cannot be read"):
        read_weights(tmp_path / "absent.json")
    for raw in (
        b"[]",
        b"{",
        b'{"weights": {"left": 1}}',
        b'{"weights": {"left": {"a": NaN}}}',
        b"\xff",
    ):
        (tmp_path / "w.json").write_bytes(raw)
        with pytest.raises(ModelError, match="does not hold weights"):
            read_weights(tmp_path / "w.json")
    with pytest.raises(SettingError, match="penalty"):
        train_mentions([], penalty=-1)


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys, adequa.cli\n"
        "sys.argv = ['adequa', 'train', 'mentions', '--help']\n"
        "try:\n    adequa.cli.main()\nexcept SystemExit:\n    pass\n"
        "sys.exit(', '.join({'scipy', 'numpy', 'lxml'} & set(sys.modules)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert "Fit the entity detector's acceptance of mentions" in done.stdout
    assert (done.returncode, done.stderr) == (0, "")


LAYER = "encoder.layer.0"
SQUARE = ("attention.self.query", "attention.self.key", "attention.self.value")
HIDDEN, WIDE = 8, 16

app = typer.Typer()
app.command()(export)


@pytest.fixture
def checkpoints(tmp_path: Path) -> tuple[Path, Path]:
    """An encoder and a verifier of one block, written without torch."""
    pytest.importorskip("onnx", reason="the extra train is not installed")
    safetensors = pytest.importorskip("safetensors.numpy", reason="the extra train is not there")
    numbers = np.random.default_rng(5)

    def random(*shape: int) -> Any:
        return numbers.normal(0, 1, shape).astype(np.float32)

    weights = {
        "embeddings.word_embeddings.weight": random(len(WORDS), HIDDEN),
        "embeddings.position_embeddings.weight": random(512, HIDDEN),
        "embeddings.token_type_embeddings.weight": random(2, HIDDEN),
    }
    for name in (*SQUARE, "attention.output.dense", "intermediate.dense", "output.dense"):
        wide = name == "intermediate.dense"
        into = WIDE if name == "output.dense" else HIDDEN
        weights[f"{LAYER}.{name}.weight"] = random(WIDE if wide else HIDDEN, into)
        weights[f"{LAYER}.{name}.bias"] = random(WIDE if wide else HIDDEN)
    for name in ("embeddings", f"{LAYER}.attention.output", f"{LAYER}.output"):
        weights[f"{name}.LayerNorm.weight"] = random(HIDDEN)
        weights[f"{name}.LayerNorm.bias"] = random(HIDDEN)
    config = {
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "hidden_size": HIDDEN,
        "intermediate_size": WIDE,
        "layer_norm_eps": 1e-12,
    }
    said = {"recipe": {}, "data": [], "seed": 1, "commit": "c0ffee", "figures": {}}
    for kind in ("encoder", "verifier"):
        folder = tmp_path / kind
        folder.mkdir()
        safetensors.save_file(weights, folder / "model.safetensors")
        (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
        (folder / "training.json").write_text(json.dumps(said), encoding="utf-8")
        (folder / "vocab.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    heads = {
        "tokens.weight": random(3, HIDDEN),
        "tokens.bias": random(3),
        "pair.weight": random(1, HIDDEN),
        "pair.bias": random(1),
    }
    safetensors.save_file(heads, tmp_path / "verifier" / "heads.safetensors")
    return tmp_path / "encoder", tmp_path / "verifier"


def run(*arguments: object) -> str:
    result = CliRunner().invoke(app, [str(one) for one in arguments])
    if result.exception is not None:
        raise result.exception
    assert result.exit_code == 0
    return str(result.stdout)


def test_both_models_and_a_table(checkpoints: tuple[Path, Path], tmp_path: Path) -> None:
    encoder, verifier = checkpoints
    out = tmp_path / "v1"
    said = run("--encoder", encoder, "--verifier", verifier, "--out", out)
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    assert said.startswith("version v1\n")
    for name, file in manifest["files"].items():
        assert (out / name).is_file()
        assert any(
            line.split() == [name, f"{file['size']:,}", file["sha256"][:12]]
            for line in said.splitlines()
        )
    assert f"{sum(file['size'] for file in manifest['files'].values()):,}" in said


def test_one_model_its_settings_and_json(checkpoints: tuple[Path, Path], tmp_path: Path) -> None:
    out = tmp_path / "out"
    said = json.loads(
        run(checkpoints[1], "-o", out, "--keep", "*.qkv", "--version", "v9", "--json")
    )
    assert said["version"] == "v9"
    assert set(said["files"]) == {"verifier.onnx", "verifier.md", "words.npz", "vocabulary.txt"}
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["models"]["verifier"]["kept"] == ["0.qkv"]
    again = (checkpoints[1], "-o", out, "--precision", "fp32", "--json")
    assert run(*again, "--force") != said


def test_what_int8_costs(checkpoints: tuple[Path, Path], tmp_path: Path) -> None:
    encoder, verifier = checkpoints
    dev = write_items(tmp_path / "dev.jsonl")
    both = ("--encoder", encoder, "--verifier", verifier, "--drift", dev)
    table = run(*both, "--out", tmp_path / "table")
    assert "int8 compared with fp32" in table
    said = json.loads(run(*both, "--out", tmp_path / "json", "--json"))["drift"]
    assert list(said) == ["similarity", "stated", "unsupported", "disfluent", "supported"]
    assert said["similarity"]["cases"] == said["supported"]["cases"] == 10
    assert said["similarity"]["flips"] is None
    for name, drift in said.items():
        assert drift["largest"] > 0
        assert f"{drift['cases']:,}" in next(
            line for line in table.splitlines() if line.startswith(f"{name} ")
        )
    exact = json.loads(run(*both, "-o", tmp_path / "exact", "--precision", "fp32", "--json"))
    assert all(drift["largest"] == 0 for drift in exact["drift"].values())
    assert "drift" not in json.loads(run(encoder, "-o", tmp_path / "none", "--json"))


def test_wrong_usage_is_reported_with_a_remedy(
    checkpoints: tuple[Path, Path], tmp_path: Path
) -> None:
    encoder, verifier = checkpoints
    with pytest.raises(SettingError, match="give --out DIR"):
        run(encoder)
    with pytest.raises(SettingError, match="give a checkpoint"):
        run("--out", tmp_path / "out")
    with pytest.raises(ModelError, match="is a checkpoint of kind verifier; give it as --verifier"):
        run("--encoder", verifier, "--out", tmp_path / "out")
