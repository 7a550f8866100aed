"""`adequa export` end to end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from adequa.cli.train import export
from adequa.errors import ModelError, SettingError

from ..tiny_weights import WORDS
from ..training.corpora import write_items

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
