"""Models for natural language inference as a user would name them, and the evidence they give."""

from __future__ import annotations

import importlib
import json
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.data import Item, Triple
from adequa.errors import MissingExtra, ModelError
from adequa.metrics.nli.evidence import Evidence
from adequa.metrics.nli.pairs import pair_evidence
from adequa.models.hub import HubPairs
from adequa.models.pairs import NliLabels, OnnxPairs, open_pairs
from adequa.models.wordpiece import WordPiece

from ..tiny_hub import write_classifier
from ..tiny_pairs import INPUTS, INTEGER_32, POSITIONS, write_onnx_classifier, write_tokenizer
from ..tiny_weights import SPECIAL, WORDS, Onnx

pytestmark = pytest.mark.filterwarnings("default")  # what others warn of is theirs
THREE = ("entailment", "neutral", "contradiction")
TWO = ("entailment", "not_entailment")
ORDERS = [*permutations(THREE), *permutations(TWO)]
ITEMS = [
    Item("1", (Triple("Pub", "city", "Aarhus"),), "The pub is in the city of Aarhus."),
    Item(
        "2",
        (Triple("Aarhus_Airport", "serves", "Aarhus"), Triple("Pub", "serves", "cafe")),
        "Aarhus airport serves the city, which is a pub. The cafe serves the airport.",
    ),
    # Longer than the model: windows of sentences.
    Item("3", (Triple("Cafe", "is", "pub"),) * 3, "The pub is the cafe. The city has a pub. " * 5),
]


def _evidence(folder: Path | str) -> list[Evidence]:
    pairs = open_pairs(str(folder))
    labels = NliLabels.of(pairs)
    return pair_evidence(pairs, labels, lambda triple, _: " ".join(triple) + ".")(ITEMS)


def _same(found: list[Evidence], expected: list[Evidence]) -> None:
    for one, other in zip(found, expected, strict=True):
        assert one.stated == pytest.approx(other.stated, abs=1e-4)
        assert one.supported == pytest.approx(other.supported, abs=1e-4)
        assert one.value == pytest.approx(other.value, abs=1e-4)
        for stretch, wanted in zip(one.stretches, other.stretches, strict=True):
            assert (stretch.start, stretch.end) == (wanted.start, wanted.end)
            assert (stretch.level, stretch.fact) == (wanted.level, wanted.fact)
            assert stretch.unsupported == pytest.approx(wanted.unsupported, abs=1e-4)
            assert stretch.contradicted == pytest.approx(wanted.contradicted, abs=1e-4)


def _told_apart(found: list[Evidence]) -> None:
    """Not all the same, or the comparison would say nothing."""
    values = [value for one in found for value in one.stated if value is not None]
    assert max(values) - min(values) > 0.1
    assert any(one.stretches for one in found)


def _permuted(folder: Path, labels: tuple[str, ...], order: tuple[str, ...]) -> str:
    """A model in transformers' own format, its labels in another order."""
    transformers = pytest.importorskip("transformers", reason="the extra hf is not installed")
    # Large random numbers: of small ones a model says the same of everything.
    write_classifier(folder, *labels, initializer_range=1.0)
    auto = transformers.AutoModelForSequenceClassification
    model = auto.from_pretrained(folder)
    rows = [labels.index(name) for name in order]
    model.classifier.weight.data = model.classifier.weight.data[rows]
    model.classifier.bias.data = model.classifier.bias.data[rows]
    model.config.id2label = dict(enumerate(order))
    model.config.label2id = {name: number for number, name in enumerate(order)}
    model.save_pretrained(folder)
    return str(folder)


@pytest.mark.parametrize("labels", [THREE, TWO])
def test_a_transformers_model_gives_the_same_in_every_order(
    tmp_path: Path, labels: tuple[str, ...]
) -> None:
    expected = _evidence(_permuted(tmp_path / "first", labels, labels))
    _told_apart(expected)
    for number, order in enumerate(permutations(labels)):
        folder = _permuted(tmp_path / str(number), labels, order)
        assert isinstance(open_pairs(folder), HubPairs)
        assert NliLabels.of(open_pairs(folder)).entailment == order.index("entailment")
        _same(_evidence(folder), expected)


@pytest.mark.parametrize("labels", [THREE, TWO])
def test_an_onnx_model_gives_the_same_in_every_order(
    tmp_path: Path, labels: tuple[str, ...]
) -> None:
    expected = _evidence(write_onnx_classifier(tmp_path / "first", *labels))
    _told_apart(expected)
    for number, order in enumerate(permutations(labels)):
        folder = write_onnx_classifier(tmp_path / str(number), *(name.upper() for name in order))
        assert isinstance(open_pairs(str(folder)), OnnxPairs)
        _same(_evidence(folder), expected)


def test_an_item_alone_and_in_company(tmp_path: Path) -> None:
    folder = str(write_onnx_classifier(tmp_path / "pairs", *THREE))
    pairs = open_pairs(folder)
    check = pair_evidence(pairs, NliLabels.of(pairs), lambda triple, _: " ".join(triple) + ".")
    _same([check([item])[0] for item in ITEMS], check(ITEMS))


@pytest.mark.parametrize("order", ORDERS)
def test_labels_in_any_order(order: tuple[str, ...]) -> None:
    found = NliLabels.read("some", order)
    assert order[found.entailment] == "entailment"
    for name in ("contradiction", "neutral"):
        column = getattr(found, name)
        assert column == (order.index(name) if name in order else None)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["CONTRADICTION", "NEUTRAL", "ENTAILMENT"], NliLabels(2, 0, 1)),
        (["Entailed", "Contradicted"], NliLabels(0, 1)),
        (["not-entailment", "entailment"], NliLabels(1)),
        (["non_entailment", "ENTAILMENT"], NliLabels(1)),
        (["SUPPORTS", "REFUTES", "NOT ENOUGH INFO"], NliLabels(0, 1, 2)),
        (["inconsistent", "consistent"], NliLabels(1)),
        (["entailment"], NliLabels(0)),
    ],
)
def test_labels_by_other_names(names: list[str], expected: NliLabels) -> None:
    assert NliLabels.read("some", names) == expected


@pytest.mark.parametrize(
    ("names", "problem"),
    [
        (
            ["LABEL_0", "LABEL_1", "LABEL_2"],
            r"some: its labels have no names \(LABEL_0, .*id2label",
        ),
        (["0", "1"], "its labels have no names"),
        (["positive", "negative"], "some: has no entailment label: positive, negative; "),
        (["not_entailment", "neutral"], "has no entailment label"),
        ([], "has no entailment label: none"),
        (["entailment", "Entailment", "neutral"], "the labels entailment and Entailment mean the"),
    ],
)
def test_labels_that_do_not_say(names: list[str], problem: str) -> None:
    with pytest.raises(ModelError, match=problem):
        NliLabels.read("some", names)


@given(st.lists(st.floats(0.01, 1), min_size=2, max_size=4), st.integers(0, 1))
def test_above_one_half_is_the_most_likely_label(weights: list[float], column: int) -> None:
    row = [one / sum(weights) for one in weights]
    others = max(one for number, one in enumerate(row) if number != column)
    share = NliLabels(column).entailed(row)
    assert 0 < share < 1
    if abs(row[column] - others) > 1e-9:
        assert (share > 0.5) == (row[column] > others)
    if len(row) == 2:
        assert share == pytest.approx(row[column])
    assert NliLabels(column).contradicted(row) is None
    assert NliLabels(1 - column, column).contradicted(row) == share


def test_a_single_label_stands_by_itself() -> None:
    assert NliLabels(0).entailed([0.3]) == pytest.approx(0.3)
    assert NliLabels(0).entailed([0.0, 0.0]) == 0


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    for name in (str(tmp_path / "none"), "./none", "none/of/these", "a b"):
        with pytest.raises(ModelError, match="there is no such folder; give the folder of a model"):
            open_pairs(name)
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(ModelError, match="is not a folder; give"):
        open_pairs(str(tmp_path / "file"))


def test_a_name_of_the_hub_is_not_looked_up_before_it_is_used() -> None:
    assert open_pairs("roberta-large-mnli", "main") == HubPairs("roberta-large-mnli", "main")
    assert open_pairs("some-team/some.model") == HubPairs("some-team/some.model")


@pytest.mark.parametrize(
    ("config", "problem"),
    [
        (None, r"has no config\.json; give the folder of a whole model"),
        ("{", r"config\.json: cannot be read .*copy the model again"),
        ("[]", r"config\.json: is not a JSON object"),
    ],
)
def test_a_folder_without_a_configuration(tmp_path: Path, config: str | None, problem: str) -> None:
    if config is not None:
        (tmp_path / "config.json").write_text(config, encoding="utf-8")
    with pytest.raises(ModelError, match=problem):
        open_pairs(str(tmp_path))


def test_a_folder_has_no_revision(tmp_path: Path) -> None:
    folder = write_onnx_classifier(tmp_path / "pairs", *THREE)
    with pytest.raises(ModelError, match="has no revision 'main'; leave revision out"):
        open_pairs(str(folder), "main")


def test_a_broken_transformers_model(tmp_path: Path) -> None:
    folder = Path(write_classifier(tmp_path / "pairs", *THREE))
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:100])
    with pytest.raises(ModelError, match=r"pairs cannot be loaded .*local folder"):
        _evidence(folder)


@pytest.mark.parametrize("labels", [("LABEL_0", "LABEL_1"), ("good", "bad")])
def test_models_without_an_entailment_label(tmp_path: Path, labels: tuple[str, ...]) -> None:
    folder = write_onnx_classifier(tmp_path / "onnx", *labels)
    with pytest.raises(
        ModelError, match=r"onnx: (its labels have no names|has no entailment label)"
    ):
        _evidence(folder)
    with pytest.raises(
        ModelError, match=r"pairs: (its labels have no names|has no entailment label)"
    ):
        _evidence(write_classifier(tmp_path / "pairs", *labels))


def test_without_the_extra_a_transformers_folder_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import importlib

    (tmp_path / "config.json").write_text(json.dumps({"model_type": "bert"}), encoding="utf-8")

    def missing(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(MissingExtra, match=r"adequa\[hf\]"):
        _evidence(tmp_path)


THREE_LABELS = ("contradiction", "neutral", "entailment")
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
    return write_onnx_classifier(tmp_path / "pairs", *THREE_LABELS)


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
    assert pairs.labels == THREE_LABELS
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
    folder = write_onnx_classifier(tmp_path / "shifted", *THREE_LABELS, config=config)
    most = "the " * (POSITIONS - 6)
    found = OnnxPairs(folder).probabilities([(most, "pub"), (most + "the", "pub")])
    assert [row is None for row in found] == [False, True]


def test_labels_in_any_order_have_their_own_numbers(tmp_path: Path) -> None:
    rows = []
    for labels in permutations(THREE_LABELS):
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
    several = write_onnx_classifier(tmp_path / "several", *THREE_LABELS, config=config)
    (row,) = _rows(OnnxPairs(several), PAIRS[:1])
    assert row.sum() != pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("inputs", [INPUTS[:2], INPUTS])
@pytest.mark.parametrize("place", ["model.onnx", "onnx/model.onnx"])
def test_inputs_that_the_graph_asks_for(
    tmp_path: Path, inputs: tuple[str, ...], place: str
) -> None:
    settings: dict[str, Any] = {"place": place, "inputs": inputs}
    plain = write_onnx_classifier(tmp_path / "plain", *THREE_LABELS, **settings)
    small = write_onnx_classifier(tmp_path / "small", *THREE_LABELS, **settings, kind=INTEGER_32)
    named = write_onnx_classifier(tmp_path / "named", *THREE_LABELS, **settings, output="scores")
    found = _rows(OnnxPairs(plain), PAIRS)
    np.testing.assert_allclose(_rows(OnnxPairs(small), PAIRS), found, atol=1e-6)
    np.testing.assert_allclose(_rows(OnnxPairs(named), PAIRS), found, atol=1e-6)


def test_a_tokenizer_of_others_cuts_the_same(folder: Path, tmp_path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers", reason="the extra hf is not installed")
    other = write_onnx_classifier(tmp_path / "other", *THREE_LABELS)
    write_tokenizer(other, tokenizers)
    plain = [pair for pair in PAIRS if "[SEP]" not in "".join(pair)]
    found = _rows(OnnxPairs(other), plain)
    np.testing.assert_allclose(found, _rows(OnnxPairs(folder), plain), atol=1e-6)
    assert OnnxPairs(other).probabilities([LONG]) == [None]


def test_a_vocabulary_without_our_markers(folder: Path, tmp_path: Path) -> None:
    words = [word for word in WORDS if not word.startswith("[unused")]
    other = write_onnx_classifier(tmp_path / "other", *THREE_LABELS, words=len(words))
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
