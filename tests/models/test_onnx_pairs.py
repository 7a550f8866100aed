"""Classifiers of others in ONNX, on tiny random ones."""

from __future__ import annotations

import importlib
import json
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adequa.errors import MissingExtra, ModelError
from adequa.models.pairs import OnnxPairs
from adequa.models.wordpiece import WordPiece

from ..tiny_pairs import INPUTS, INTEGER_32, POSITIONS, write_onnx_classifier, write_tokenizer
from ..tiny_weights import SPECIAL, WORDS, Onnx

THREE = ("contradiction", "neutral", "entailment")
PAIRS = [
    ("The pub is in Aarhus.", "A pub serves the city"),
    ("", ""),
    ("airport", "the airport serves Aarhus, the city; it is a CAFÉ [SEP] too"),
    ("the pub serves", "the city"),
    ("The pub is in Aarhus.", "A cafe serves the city"),
    ("city", "pub"),
]
LONG = ("the pub " * 20, "city")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_onnx_classifier(tmp_path / "pairs", *THREE)


def _rows(pairs: OnnxPairs, given: list[tuple[str, str]]) -> np.ndarray[Any, Any]:
    found = pairs.probabilities(given)
    assert None not in found
    return np.array(found)


def _configure(folder: Path, **values: Any) -> None:
    path = folder / "config.json"
    config = json.loads(path.read_text(encoding="utf-8")) | values
    path.write_text(json.dumps(config), encoding="utf-8")


def test_labels_and_probabilities(folder: Path) -> None:
    pairs = OnnxPairs(folder)
    assert pairs.labels == THREE
    found = _rows(pairs, PAIRS)
    assert found.shape == (6, 3)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    assert np.ptp(found[:, 2]) > 0.05
    assert pairs.probabilities([]) == []


def test_company_and_order_change_nothing(folder: Path) -> None:
    together = _rows(OnnxPairs(folder), PAIRS)
    for settings in ({"batch_size": 1}, {"batch_tokens": 1}, {"batch_size": 2, "threads": 2}):
        np.testing.assert_allclose(_rows(OnnxPairs(folder, **settings), PAIRS), together, atol=1e-5)
    np.testing.assert_allclose(_rows(OnnxPairs(folder), PAIRS[::-1])[::-1], together, atol=1e-5)
    assert OnnxPairs(str(folder)).probabilities(PAIRS) == OnnxPairs(folder).probabilities(PAIRS)


def test_padding_counts_for_nothing(folder: Path) -> None:
    """Against the network itself, fed without padding."""
    import onnxruntime

    reader = WordPiece(WORDS)
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"))
    for pair, row in zip(PAIRS, _rows(OnnxPairs(folder), PAIRS), strict=True):
        encoded = reader.join(reader.pieces(pair[0]), [reader.numbers(pair[1])])
        feed = {
            "input_ids": np.array([encoded.ids]),
            "attention_mask": np.ones((1, len(encoded.ids)), dtype=np.int64),
            "token_type_ids": np.array([encoded.types]),
        }
        powers = np.exp(session.run(None, feed)[0][0].astype(float))
        np.testing.assert_allclose(row, powers / powers.sum(), atol=1e-5)


def test_a_pair_that_is_too_long_is_not_scored(folder: Path, tmp_path: Path) -> None:
    reader = WordPiece(WORDS)
    fits = ("the " * (POSITIONS - 4), "pub")
    assert len(reader.numbers(" ".join(fits))) + 3 == POSITIONS
    found = OnnxPairs(folder).probabilities([LONG, PAIRS[0], fits, (fits[0] + "the", "pub")])
    assert [row is None for row in found] == [True, False, False, True]
    (folder / "tokenizer_config.json").write_text('{"model_max_length": 10}', encoding="utf-8")
    _configure(folder, max_position_embeddings=None)
    moved = folder.rename(tmp_path / "shorter")
    found = OnnxPairs(moved).probabilities([PAIRS[0], PAIRS[5]])
    assert [row is None for row in found] == [True, False]


def test_positions_that_begin_after_the_padding(tmp_path: Path) -> None:
    config = {"model_type": "roberta", "pad_token_id": 1}
    folder = write_onnx_classifier(tmp_path / "shifted", *THREE, config=config)
    most = "the " * (POSITIONS - 6)
    found = OnnxPairs(folder).probabilities([(most, "pub"), (most + "the", "pub")])
    assert [row is None for row in found] == [False, True]


def test_labels_in_any_order_have_their_own_numbers(tmp_path: Path) -> None:
    rows = []
    for labels in permutations(THREE):
        pairs = OnnxPairs(write_onnx_classifier(tmp_path / "-".join(labels), *labels))
        rows.append([dict(zip(pairs.labels, row, strict=True)) for row in _rows(pairs, PAIRS)])
    for row in rows[1:]:
        for one, other in zip(row, rows[0], strict=True):
            assert one == pytest.approx(other, abs=1e-6)


def test_one_label_and_labels_that_do_not_exclude_each_other(tmp_path: Path) -> None:
    (row,) = _rows(OnnxPairs(write_onnx_classifier(tmp_path / "one", "entailment")), PAIRS[:1])
    assert row.shape == (1,)
    assert 0 < row[0] < 1
    config = {"problem_type": "multi_label_classification"}
    several = write_onnx_classifier(tmp_path / "several", *THREE, config=config)
    (row,) = _rows(OnnxPairs(several), PAIRS[:1])
    assert row.sum() != pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("inputs", [INPUTS[:2], INPUTS])
@pytest.mark.parametrize("place", ["model.onnx", "onnx/model.onnx"])
def test_inputs_that_the_graph_asks_for(
    tmp_path: Path, inputs: tuple[str, ...], place: str
) -> None:
    settings: dict[str, Any] = {"place": place, "inputs": inputs}
    plain = write_onnx_classifier(tmp_path / "plain", *THREE, **settings)
    small = write_onnx_classifier(tmp_path / "small", *THREE, **settings, kind=INTEGER_32)
    named = write_onnx_classifier(tmp_path / "named", *THREE, **settings, output="scores")
    found = _rows(OnnxPairs(plain), PAIRS)
    np.testing.assert_allclose(_rows(OnnxPairs(small), PAIRS), found, atol=1e-6)
    np.testing.assert_allclose(_rows(OnnxPairs(named), PAIRS), found, atol=1e-6)


def test_a_tokenizer_of_others_cuts_the_same(folder: Path, tmp_path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers", reason="the extra hf is not installed")
    other = write_onnx_classifier(tmp_path / "other", *THREE)
    write_tokenizer(other, tokenizers)
    plain = [pair for pair in PAIRS if "[SEP]" not in "".join(pair)]
    found = _rows(OnnxPairs(other), plain)
    np.testing.assert_allclose(found, _rows(OnnxPairs(folder), plain), atol=1e-6)
    assert OnnxPairs(other).probabilities([LONG]) == [None]


def test_a_vocabulary_without_our_markers(folder: Path, tmp_path: Path) -> None:
    words = [word for word in WORDS if not word.startswith("[unused")]
    other = write_onnx_classifier(tmp_path / "other", *THREE, words=len(words))
    (other / "vocab.txt").write_text("\r\n".join(words), encoding="utf-8", newline="")
    assert _rows(OnnxPairs(other), PAIRS).shape == (6, 3)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"do_lower_case": False}, WORDS),
        ({"strip_accents": False}, WORDS),
        ({}, [*WORDS, "Pub"]),
        ({}, [word for word in WORDS if word not in SPECIAL] + ["<s>", "</s>", "<pad>"]),
    ],
)
def test_a_vocabulary_of_another_kind_needs_its_tokenizer(
    folder: Path, settings: dict[str, Any], words: list[str]
) -> None:
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")
    (folder / "vocab.txt").write_text("\n".join(words), encoding="utf-8")
    with pytest.raises(ModelError, match=r"neither the vocab\.txt of an uncased BERT nor a token"):
        OnnxPairs(folder).probabilities(PAIRS)


def test_without_the_extra_the_error_names_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "vocab.txt").rename(folder / "tokenizer.json")

    def missing(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(MissingExtra, match=r"'tokenizers'.*adequa\[hf\]"):
        OnnxPairs(folder).probabilities(PAIRS)


def test_a_broken_tokenizer(folder: Path) -> None:
    pytest.importorskip("tokenizers", reason="the extra hf is not installed")
    (folder / "vocab.txt").rename(folder / "tokenizer.json")
    with pytest.raises(ModelError, match=r"tokenizer\.json: cannot be read .*save it again"):
        OnnxPairs(folder).probabilities(PAIRS)


@pytest.mark.parametrize(
    ("names", "problem"),
    [
        (None, "id2label does not name the labels from 0 on"),
        ({"1": "entailment", "2": "neutral"}, "id2label does not name"),
        ({"zero": "entailment"}, "id2label does not name"),
        (["entailment"], "id2label does not name"),
        ({"0": "entailment", "1": "neutral"}, r"shape \(\d, 3\) for \d pairs and 2 labels"),
    ],
)
def test_labels_that_do_not_fit(folder: Path, names: Any, problem: str) -> None:
    _configure(folder, id2label=names)
    with pytest.raises(ModelError, match=problem):
        OnnxPairs(folder).probabilities(PAIRS)


def test_a_broken_model(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = folder / "model.onnx"
    path.write_bytes(path.read_bytes()[:150])
    with pytest.raises(ModelError, match=r"model\.onnx: cannot be loaded .*export it again"):
        OnnxPairs(folder).probabilities(PAIRS)
    assert capfd.readouterr() == ("", "")


def test_a_model_with_other_inputs_or_outputs(folder: Path) -> None:
    onnx = Onnx()
    onnx.add("Identity", "words", name="one")
    onnx.add("Identity", "words", name="other")
    (folder / "model.onnx").write_bytes(onnx.finish({"words": 1}, ["one", "other"]))
    with pytest.raises(ModelError, match="reads words, where whole numbers for input_ids"):
        OnnxPairs(folder).probabilities(PAIRS)
    onnx = Onnx()
    onnx.add("Cast", "input_ids", name="one", to=1)
    onnx.add("Cast", "input_ids", name="other", to=1)
    (folder / "model.onnx").write_bytes(onnx.finish({"input_ids": 7}, ["one", "other"]))
    with pytest.raises(ModelError, match="gives one, other and no logits"):
        OnnxPairs(folder).probabilities(PAIRS)


@pytest.mark.parametrize("how", ["not finite", "failing"])
def test_a_model_that_misbehaves(folder: Path, how: str) -> None:
    onnx = Onnx()
    numbers = onnx.add("Cast", "input_ids", to=1)
    if how == "failing":
        onnx.add("MatMul", numbers, onnx.constant(np.zeros((3, 3))), name="logits")
    else:
        total = onnx.add("ReduceSum", numbers, onnx.constant([1]), keepdims=1)
        columns = onnx.add("MatMul", total, onnx.constant(-np.ones((1, 3))))
        onnx.add("Log", columns, name="logits")
    (folder / "model.onnx").write_bytes(onnx.finish({"input_ids": 7}, ["logits"]))
    problem = "fails on 1 × 8 word pieces" if how == "failing" else "not finite"
    with pytest.raises(ModelError, match=f"{problem}.*export it again"):
        OnnxPairs(folder).probabilities([("the pub", "city")])


def test_a_folder_without_a_model(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"has no model\.onnx or onnx/model\.onnx"):
        OnnxPairs(tmp_path).probabilities(PAIRS)
