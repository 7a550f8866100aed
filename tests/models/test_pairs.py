"""Models for natural language inference as a user would name them, and the evidence they give."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.data import Item, Triple
from adequa.errors import MissingExtra, ModelError
from adequa.metrics.nli.evidence import Evidence
from adequa.metrics.nli.pairs import pair_evidence
from adequa.models.hub import HubPairs
from adequa.models.pairs import NliLabels, OnnxPairs, open_pairs

from ..tiny_hub import write_classifier
from ..tiny_pairs import write_onnx_classifier

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
        (["positive", "negative"], "some: none of its labels is entailment: positive, negative; "),
        (["not_entailment", "neutral"], "none of its labels is entailment"),
        ([], "none of its labels is entailment: none"),
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
    with pytest.raises(ModelError, match="is no folder; give"):
        open_pairs(str(tmp_path / "file"))


def test_a_name_of_the_hub_is_not_looked_up_before_it_is_used() -> None:
    assert open_pairs("roberta-large-mnli", "main") == HubPairs("roberta-large-mnli", "main")
    assert open_pairs("some-team/some.model") == HubPairs("some-team/some.model")


@pytest.mark.parametrize(
    ("config", "problem"),
    [
        (None, r"has no config\.json; give the folder of a whole model"),
        ("{", r"config\.json: cannot be read .*copy the model again"),
        ("[]", r"config\.json: is no JSON object"),
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
    with pytest.raises(ModelError, match=r"onnx: (its labels have no names|none of its labels)"):
        _evidence(folder)
    with pytest.raises(ModelError, match=r"pairs: (its labels have no names|none of its labels)"):
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
