"""Exported models against torch, against plain arithmetic, and against themselves."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as runtime
import pytest

from adequa.data import Item, Triple
from adequa.errors import DataError, MissingExtra, ModelError, SettingError, UnknownName
from adequa.training.export import _logits, export, measure_drift, perturbed_items, restore, seal
from adequa.training.onnx import read_checkpoint

from ..tiny_weights import WORDS
from . import checkpoints as made
from . import checkpoints as tiny
from .checkpoints import write_checkpoint
from .corpora import items
from .drift import drift

onnx = pytest.importorskip("onnx", reason="the extra train is not installed")
torch = pytest.importorskip("torch", reason="the extra train is not installed")
transformers = pytest.importorskip("transformers", reason="the extra train is not installed")

Folders = dict[str, Path]
Model = Callable[[dict[str, Any]], dict[str, Any]]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Folders:
    root = tmp_path_factory.mktemp("export")
    encoder = made.write_checkpoint(root / "encoder")
    verifier = made.write_checkpoint(root / "verifier", seed=8, verifier=True)
    for precision in ("fp32", "int8"):
        export(encoder, verifier, out=root / precision, precision=precision)
    return {name: root / name for name in ("encoder", "verifier", "fp32", "int8")}


def load(path: Path) -> Model:
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    session = runtime.InferenceSession(
        path.read_bytes(), options, providers=["CPUExecutionProvider"]
    )
    outputs = [output.name for output in session.get_outputs()]
    table = np.load(path.parent / "words.npz")
    words = table["rows"] * table["scales"][:, None]

    def run(batch: dict[str, Any]) -> dict[str, Any]:
        feeds = {"words": words[batch["ids"]], **batch}
        names = {given.name for given in session.get_inputs()}
        found = session.run(None, {name: feeds[name] for name in names})
        return dict(zip(outputs, found, strict=True))

    return run


def by_torch(folder: Path, batch: dict[str, Any], words: Path, *, types: bool) -> Any:
    """The last hidden states of transformers' BERT, given the same (quantised) word vectors."""
    model = transformers.BertModel.from_pretrained(
        folder, add_pooling_layer=False, attn_implementation="eager"
    ).eval()
    table = np.load(words)
    vectors = (table["rows"] * table["scales"][:, None])[batch["ids"]]
    kinds = batch["types"] if types else np.zeros_like(batch["types"])
    with torch.no_grad():
        return model(
            inputs_embeds=torch.tensor(vectors),
            attention_mask=torch.tensor(batch["mask"]),
            token_type_ids=torch.tensor(kinds),
        ).last_hidden_state.numpy()


def test_the_exact_encoder_is_torchs(folders: Folders) -> None:
    batch = made.batch([9, 14, 1, 23])
    states = by_torch(folders["encoder"], batch, folders["fp32"] / "words.npz", types=False)
    mask = batch["mask"][..., None]
    mean = (states * mask).sum(axis=1) / mask.sum(axis=1)
    expected = mean / np.linalg.norm(mean, axis=1, keepdims=True)
    found = load(folders["fp32"] / "encoder.onnx")(batch)["vector"]
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert np.abs(expected[0] - expected[1]).max() > 0.1


def test_the_exact_verifier_is_torchs(folders: Folders) -> None:
    batch = made.batch([9, 14, 2, 23])
    states = by_torch(folders["verifier"], batch, folders["fp32"] / "words.npz", types=True)
    heads = made.heads(8)
    found = load(folders["fp32"] / "verifier.onnx")(batch)
    there = batch["mask"].astype(bool)
    tokens = states @ heads["tokens.weight"].T + heads["tokens.bias"]
    np.testing.assert_allclose(found["tokens"][there], tokens[there], atol=1e-4)
    mask = batch["mask"][..., None]
    mean = (states * mask).sum(axis=1) / mask.sum(axis=1)
    np.testing.assert_allclose(found["state"], mean, atol=1e-4)
    pair = states[:, 0] @ heads["pair.weight"].T + heads["pair.bias"]
    np.testing.assert_allclose(found["pair"], pair, atol=1e-4)
    assert found["pair"].shape == (4, 1)


@pytest.mark.parametrize(("precision", "tolerance"), [("fp32", 1e-5), ("int8", 1e-4)])
@pytest.mark.parametrize("kind", ["encoder", "verifier"])
def test_an_item_depends_neither_on_batch_nor_padding(
    folders: Folders, precision: str, tolerance: float, kind: str
) -> None:
    model = load(folders[precision] / f"{kind}.onnx")
    lengths = [5, 17, 30, 1, 9]
    together = model(made.batch(lengths))
    for row, length in enumerate(lengths):
        for width in (length, length + 1, 48):
            alone = model(made.batch([length], width=width))
            for name, values in alone.items():
                here, there = values[0], together[name][row]
                if name == "tokens":
                    here, there = here[:length], there[:length]
                np.testing.assert_allclose(here, there, atol=tolerance)


def test_int8_drifts_little_and_kept_layers_less(folders: Folders, tmp_path: Path) -> None:
    batches = [made.batch(list(range(4, 20)), seed=seed) for seed in range(4)]
    found = {
        kind: drift(load(folders["fp32"] / kind), load(folders["int8"] / kind), batches)
        for kind in ("encoder.onnx", "verifier.onnx")
    }
    assert set(found["verifier.onnx"]) == {"stated", "unsupported", "disfluent", "pair"}
    similarity = found["encoder.onnx"]["similarity"]
    assert similarity.cases == 4 * 16 * 15 / 2
    assert similarity.flips is None
    for one in (similarity, *found["verifier.onnx"].values()):
        assert 0.97 < one.correlation < 1
        assert one.largest > 0
    pair = found["verifier.onnx"]["pair"]
    assert pair.cases == 64
    for name, keep in (("half", ["0.*", "1.qkv"]), ("whole", ["*.*"])):
        export(folders["verifier"], out=tmp_path / name, keep=keep)
    exact = load(folders["fp32"] / "verifier.onnx")
    half = drift(exact, load(tmp_path / "half" / "verifier.onnx"), batches)["pair"]
    whole = drift(exact, load(tmp_path / "whole" / "verifier.onnx"), batches)["pair"]
    assert whole.largest < 1e-5 < half.largest < pair.largest
    sizes = [(tmp_path / name / "verifier.onnx").stat().st_size for name in ("half", "whole")]
    assert (folders["int8"] / "verifier.onnx").stat().st_size < sizes[0] < sizes[1]
    manifest = json.loads((tmp_path / "half" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["models"]["verifier"]["kept"] == ["0.down", "0.mix", "0.qkv", "0.up", "1.qkv"]


def test_drift_of_made_up_models() -> None:
    batch = {
        "mask": np.asarray([[1, 1, 1, 0]] * 2),
        "types": np.asarray([[0, 1, 1, 1]] * 2),
        "facts": np.asarray([[0, 1, 0, 1]] * 2),
    }
    tokens = np.zeros((2, 4, 3))
    tokens[:, 1, 0] = [-1, 3]
    tokens[:, 0, 1] = [1, 2]
    tokens[:, 0, 2] = [1, 2]
    pair = np.asarray([[1.0], [-2.0]])
    other = tokens.copy()
    other[:, 1, 0] = [1, 3]  # the first changes sides
    other[:, 0, 1] = [2, 1]  # the order is turned
    other[:, 2:] = 99  # nobody reads there
    found = drift(
        lambda given: {"tokens": tokens, "pair": pair},
        lambda given: {"tokens": other, "pair": pair},
        [batch],
    )
    assert (found["stated"].cases, found["stated"].flips, found["stated"].largest) == (2, 0.5, 2.0)
    assert found["stated"].correlation == pytest.approx(1.0)
    assert found["unsupported"].correlation == pytest.approx(-1.0)
    assert found["unsupported"].flips == 0
    assert found["disfluent"] == found["disfluent"].__class__(2, 1.0, 0.0, 0.0)
    with pytest.raises(DataError, match="no inputs"):
        drift(dict, dict, [])
    with pytest.raises(DataError, match="several items"):
        drift(lambda _: {"vector": pair[:1]}, lambda _: {"vector": pair[:1]}, [batch])


def test_the_folder_and_its_manifest(folders: Folders) -> None:
    folder = folders["int8"]
    names = {path.name for path in folder.iterdir()}
    assert names == {
        *("encoder.onnx", "encoder.md", "verifier.onnx", "verifier.md"),
        *("words.npz", "vocabulary.txt", "manifest.json"),
    }
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["version"] == "int8"
    assert set(manifest["files"]) == names - {"manifest.json"}
    for name, file in manifest["files"].items():
        content = (folder / name).read_bytes()
        assert file == {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content)}
    assert manifest["models"]["encoder"]["commit"] == "0123abc"
    card = (folder / "encoder.md").read_text(encoding="utf-8")
    assert "## Base\n\n- name: random numbers\n- licence: CC0\n" in card
    assert "- name: none; licence: CC0\n- a second one\n" in card
    assert "## Figures\n\n- dev:\n  - r@1: 0.025\n" in card
    assert "## Limits\n\nnot stated\n" in card
    table = np.load(folder / "words.npz")
    assert table["rows"].dtype == np.int8
    assert table["rows"].shape == (made.WORDS, made.HIDDEN)
    words = np.random.default_rng(1).normal(0, 1, (made.WORDS, made.HIDDEN))
    back = table["rows"] * table["scales"][:, None]
    assert (np.abs(back - words) <= table["scales"][:, None] * 0.501).all()


def test_the_same_checkpoint_gives_the_same_bytes(folders: Folders, tmp_path: Path) -> None:
    export(folders["encoder"], folders["verifier"], out=tmp_path / "int8")
    for path in folders["int8"].iterdir():
        assert (tmp_path / "int8" / path.name).read_bytes() == path.read_bytes()


def test_a_second_model_joins_and_nothing_is_replaced_unasked(
    folders: Folders, tmp_path: Path
) -> None:
    out = tmp_path / "v3"
    export(folders["encoder"], out=out)
    (out / "calibration.json").write_text("{}", encoding="utf-8")
    joined = export(str(folders["verifier"]), out=out)
    assert set(joined.manifest["models"]) == {"encoder", "verifier"}
    assert "calibration.json" in joined.manifest["files"]
    assert joined.size == sum(
        path.stat().st_size for path in out.iterdir() if path.name != "manifest.json"
    )
    with pytest.raises(DataError, match=r"has the encoder already; .*force=True"):
        export(folders["encoder"], out=out)
    export(folders["encoder"], out=out, precision="fp32", force=True)
    (out / "calibration.json").unlink()
    sealed = seal(out)
    assert sealed["version"] == "v3"
    assert "calibration.json" not in sealed["files"]
    assert sealed["models"]["encoder"]["precision"] == "fp32"


def change_words(folder: Path, rows: int) -> None:
    from safetensors.numpy import load_file, save_file

    weights = load_file(folder / "model.safetensors")
    weights["embeddings.word_embeddings.weight"][:rows] += 0.5
    save_file(weights, folder / "model.safetensors")


def test_two_models_must_share_their_words(folders: Folders, tmp_path: Path) -> None:
    other = made.write_checkpoint(tmp_path / "other", verifier=True)
    change_words(other, 3)
    with pytest.raises(ModelError, match="for 3 words; train both with frozen word vectors"):
        export(folders["encoder"], other, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()
    export(folders["encoder"], out=tmp_path / "out")
    with pytest.raises(DataError, match=r"words\.npz: belongs to the model that stays"):
        export(other, out=tmp_path / "out", force=True)
    with pytest.raises(ModelError, match="second encoder"):
        export(folders["encoder"], folders["encoder"], out=tmp_path / "out")


def test_what_cannot_be_exported_is_refused(folders: Folders, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(SettingError, match="give a checkpoint"):
        export(out=out)
    with pytest.raises(ModelError, match=r"config\.json: cannot be read .*that training wrote"):
        export(tmp_path, out=out)
    with pytest.raises(UnknownName, match=r"unknown precision 'int4'.*fp32, int8"):
        export(folders["encoder"], out=out, precision="int4")
    with pytest.raises(UnknownName, match=r"unknown layer '2\.qkv'"):
        export(folders["encoder"], out=out, keep=["2.qkv"])
    broken = made.write_checkpoint(tmp_path / "broken", said={"seed": 1})
    with pytest.raises(ModelError, match="lacks recipe, data, commit, figures"):
        export(broken, out=out)
    (broken / "training.json").write_text(json.dumps(made.SAID), encoding="utf-8")
    (broken / "vocab.txt").write_text("one\n", encoding="utf-8")
    with pytest.raises(ModelError, match="has 1 words, the model 40"):
        export(broken, out=out)
    (broken / "model.safetensors").write_bytes(b"nonsense")
    with pytest.raises(ModelError, match="is not a safetensors file"):
        export(broken, out=out)
    config = json.loads((broken / "config.json").read_text(encoding="utf-8"))
    (broken / "config.json").write_text(json.dumps({**config, "hidden_act": "relu"}))
    with pytest.raises(ModelError, match="hidden_act is 'relu'; only 'gelu'"):
        export(broken, out=out)
    assert not out.exists()


def test_without_onnx_the_extra_is_named(
    folders: Folders, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(MissingExtra, match=r"'onnx'.*adequa\[train\]"):
        export(folders["encoder"], out=tmp_path / "out")


# What int8 costs: nothing where nothing is made smaller, and a little where it is


LOGITS = {"stated", "unsupported", "disfluent", "supported"}


def test_items_right_and_wrong_and_the_same_each_time() -> None:
    own = items()
    changed = perturbed_items(own, 12, seed=3)
    assert changed == perturbed_items(own, 12, seed=3)
    assert changed != perturbed_items(own, 12, seed=4)
    assert len(changed) == 12
    assert len({item.id for item in changed}) == 12
    assert all(item.triples and item.text for item in changed)
    right = {(item.triples, item.text) for item in own}
    wrong = [item for item in changed if (item.triples, item.text) not in right]
    assert wrong
    assert len(perturbed_items(own, 500)) == len(own)  # not more than there are


@pytest.fixture(scope="module")
def checkpoint_pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Checkpoints whose words are letters and their like, with room for a text and a graph."""
    pytest.importorskip("onnx", reason="the extra train is not installed")
    root = tmp_path_factory.mktemp("drift")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(tiny, "WORDS", len(WORDS))
        folders = (
            write_checkpoint(root / "encoder"),
            write_checkpoint(root / "verifier", verifier=True),
        )
    for folder in folders:
        (folder / "vocab.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    return folders


ITEMS = [
    Item("1", (Triple("Bex", "in", "Cork"),), "Bex, Cork."),
    Item("2", (Triple("Bex", "is", "city"),), "the city"),
    Item("3", (Triple("pub", "in", "Bex"),), "the pub!"),
]


def test_drift_of_both_models(checkpoint_pair: tuple[Path, Path], tmp_path: Path) -> None:
    from adequa.training.export import export

    export(*checkpoint_pair, out=tmp_path / "exact", precision="fp32")
    export(*checkpoint_pair, out=tmp_path / "small")
    same = measure_drift(tmp_path / "exact", checkpoint_pair, ITEMS)
    small = measure_drift(tmp_path / "small", checkpoint_pair, ITEMS)
    assert set(same) == set(small) == {"similarity", *LOGITS}
    for name, one in same.items():
        assert one.largest == 0
        assert one.correlation == 1
        assert one.flips in (0, None)
        other = small[name]
        assert other.cases == one.cases
        assert other.largest > 0
        assert other.correlation > 0.8
    assert same["supported"].cases == same["similarity"].cases == len(ITEMS)
    assert same["stated"].cases == 3
    assert same["unsupported"].cases == same["disfluent"].cases > len(ITEMS)


def test_drift_of_one_model(checkpoint_pair: tuple[Path, Path], tmp_path: Path) -> None:
    from adequa.training.export import export

    export(checkpoint_pair[1], out=tmp_path / "small")
    assert set(measure_drift(tmp_path / "small", checkpoint_pair[1:], ITEMS)) == LOGITS
    with pytest.raises(DataError, match="too few"):
        measure_drift(tmp_path / "small", checkpoint_pair[1:], ITEMS[:1])


def test_what_could_not_be_read_has_its_place() -> None:
    from adequa.models.verifier import VerifierOutput

    check = VerifierOutput((1.0, None), (), (), (), None, np.zeros(2, dtype=np.float32))
    assert _logits([check, check], "stated").tolist() == pytest.approx(
        [1.0, np.nan, 1.0, np.nan], nan_ok=True
    )
    assert np.isnan(_logits([check], "supported")).all()
    assert _logits([check], "unsupported").tolist() == []


@pytest.mark.parametrize("kind", ["encoder", "verifier"])
def test_an_exact_export_is_restored_to_the_weights_it_was_made_of(
    folders: Folders, kind: str, tmp_path: Path
) -> None:
    out = restore(folders["fp32"], kind, tmp_path / "restored")
    assert read_checkpoint(out).kind == kind
    export(out, out=tmp_path / "again", precision="fp32")
    name = f"{kind}.onnx"
    before, after = ((one / name).read_bytes() for one in (folders["fp32"], tmp_path / "again"))
    assert before == after


def test_an_int8_export_is_restored_as_rounded(folders: Folders, tmp_path: Path) -> None:
    out = restore(folders["int8"], "verifier", tmp_path / "restored")
    rounded, exact = read_checkpoint(out), read_checkpoint(folders["verifier"])
    for name, weight in exact.weights.items():
        assert rounded.weights[name] == pytest.approx(
            weight, abs=float(np.abs(weight).max()) / 60
        ), name
    assert rounded.training["recipe"] == exact.training["recipe"]


def test_a_model_that_is_not_there_is_not_restored(folders: Folders, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="has no relations; it has: encoder, verifier"):
        restore(folders["fp32"], "relations", tmp_path / "restored")
