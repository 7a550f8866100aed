"""Other people's metrics behind our interface."""

from __future__ import annotations

import math
import pickle
import sys
from pathlib import Path
from typing import Any

import pytest
from sacrebleu.metrics import BLEU, CHRF, TER

import adequa
from adequa import Item, Triple
from adequa.errors import MissingExtra, ModelError, SettingError
from adequa.metrics.adapters import Evaluate, Sacrebleu

TRIPLES = (Triple("s", "p", "o"),)
ITEMS = [
    Item("1", TRIPLES, "the cat sat", references=("the cat sat down", "a cat")),
    Item("2", TRIPLES, "a dog", references=("the dog ran",)),
    Item("3", TRIPLES, "no reference"),
]


@pytest.mark.parametrize("own", [BLEU(effective_order=True), CHRF(word_order=1), TER()])
def test_a_sacrebleu_object_gives_its_own_numbers(own: Any) -> None:
    metric = Sacrebleu(own, lower_is_better=isinstance(own, TER))
    first, second, none = metric.score(ITEMS)
    for item, score in zip(ITEMS[:2], (first, second), strict=True):
        assert score.value == own.sentence_score(item.text, list(item.references)).score
    assert (none.value, none.reason) == (None, "no references")
    totals = [a + b for a, b in zip(first.statistics, second.statistics, strict=True)]
    transposed = [["the cat sat down", "the dog ran"], ["a cat", None]]
    texts = [item.text for item in ITEMS[:2]]
    assert metric.corpus(totals) == own.corpus_score(texts, transposed).score
    assert metric.higher_is_better == (not isinstance(own, TER))


def test_its_signature_says_what_the_object_is() -> None:
    metric = Sacrebleu(CHRF(word_order=1))
    assert metric.signature.startswith("sacrebleu|metric:CHRF|lower_is_better:false|case:mixed|")
    assert "|nw:1|" in metric.signature
    assert metric.signature != Sacrebleu(CHRF(word_order=2)).signature
    assert metric.signature == pickle.loads(pickle.dumps(metric)).signature


def test_what_is_no_sacrebleu_object_is_refused() -> None:
    with pytest.raises(ModelError, match="object is not a metric object as sacrebleu 2 has them"):
        Sacrebleu(object())


class Share:
    """As many modules do: one number for all texts together."""

    def compute(self, predictions: list[str], references: list[Any], **more: Any) -> dict[str, Any]:
        hits = [text in wanted for text, wanted in zip(predictions, references, strict=True)]
        return {"share": sum(hits) / len(hits), "texts": len(hits), **more}


class Lengths:
    """As bertscore does: a list with a value a text."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def compute(self, predictions: list[str], references: list[Any]) -> dict[str, Any]:
        self.asked.append(len(predictions))
        return {"length": [len(text) for text in predictions], "hash": "x"}


def test_a_module_with_one_number_is_asked_text_by_text() -> None:
    items = [ITEMS[0], Item("4", TRIPLES, "a dog", references=("a dog",)), ITEMS[2]]
    scores = Evaluate("mine", "share", loaded=Share()).score(items)
    assert [score.value for score in scores] == [0.0, 1.0, None]
    assert scores[2].reason == "no references"


def test_a_module_with_a_value_a_text_is_asked_for_all() -> None:
    module = Lengths()
    items = [*ITEMS, *(Item(str(n), TRIPLES, "x" * n, references=("y",)) for n in range(5))]
    scores = Evaluate("mine", "length", loaded=module).score(items)
    assert [score.value for score in scores] == [11, 5, None, 0, 1, 2, 3, 4]
    assert module.asked == [1, 6]


def test_references_are_given_as_the_module_wants_them() -> None:
    seen: list[Any] = []

    class Sees:
        def compute(self, predictions: list[str], references: list[Any]) -> dict[str, Any]:
            seen.extend(references)
            return {"x": len(references[0])}

    def score(**settings: Any) -> float | None:
        seen.clear()
        return Evaluate("mine", "x", loaded=Sees(), **settings).score(ITEMS[:1])[0].value

    assert (score(), seen) == (2, [["the cat sat down", "a cat"]])
    assert (score(references="first"), seen) == (16, ["the cat sat down"])
    assert (score(references="best"), seen) == (16, ["the cat sat down", "a cat"])
    assert score(references="best", lower_is_better=True) == 5


def test_more_arguments_are_passed_on() -> None:
    metric = Evaluate("mine", "lang", loaded=Share(), arguments='{"lang": 7}')
    assert metric.score(ITEMS[:1])[0].value == 7
    for wrong in ("{", "[1]", "null"):
        with pytest.raises(SettingError, match="arguments is a JSON object"):
            Evaluate("mine", "x", arguments=wrong)


def test_a_value_that_is_no_number_is_no_score() -> None:
    class Nan:
        def compute(self, predictions: list[str], references: list[Any]) -> dict[str, Any]:
            return {"x": math.nan}

    score = Evaluate("mine", "x", loaded=Nan()).score(ITEMS[:1])[0]
    assert (score.value, score.reason) == (None, "mine gave no number")


@pytest.mark.parametrize(
    ("key", "message"),
    [("f1", "gives no 'f1'; it gives: length, hash"), ("hash", "'hash' of mine is not a number")],
)
def test_a_wrong_key_is_named(key: str, message: str) -> None:
    with pytest.raises(SettingError, match=message):
        Evaluate("mine", key, loaded=Lengths()).score(ITEMS)


def test_a_module_that_fails_is_named_with_its_error() -> None:
    class Broken:
        def compute(self, predictions: list[str], references: list[Any]) -> dict[str, Any]:
            raise ZeroDivisionError("inside")

    with pytest.raises(ModelError, match=r"mine cannot score 'the cat sat' \(ZeroDivisionError"):
        Evaluate("mine", "x", loaded=Broken()).score(ITEMS)


def test_a_module_that_forgets_texts_is_refused() -> None:
    class Forgets:
        def compute(self, predictions: list[str], references: list[Any]) -> dict[str, Any]:
            return {"x": [1.0]}

    class Changes:
        def compute(self, predictions: list[str], references: list[Any]) -> dict[str, Any]:
            return {"x": [1.0] if predictions == ["the cat sat"] else 1.0}

    items = [*ITEMS, Item("4", TRIPLES, "a", references=("a",))]
    for module in (Forgets(), Changes()):
        with pytest.raises(ModelError, match="neither one number nor one value per text"):
            Evaluate("mine", "x", loaded=module).score(items)


def test_evaluate_is_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "evaluate", None)
    metric = adequa.load_metric("evaluate", module="never-loaded", key="x")
    with pytest.raises(MissingExtra, match=r"adequa\[hf\]"):
        metric.score(ITEMS)


SCRIPT = """
import datasets
import evaluate

class Exact(evaluate.Metric):
    def _info(self):
        texts = datasets.Value("string")
        features = datasets.Features({"predictions": texts, "references": datasets.Sequence(texts)})
        return evaluate.MetricInfo(
            description="", citation="", inputs_description="", features=features
        )

    def _compute(self, predictions, references):
        return {"exact": sum(p in r for p, r in zip(predictions, references)) / len(predictions)}
"""


@pytest.mark.filterwarnings("ignore")
def test_a_real_module_of_evaluate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("evaluate", reason="the extra hf is not installed")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    (tmp_path / "exact").mkdir()
    (tmp_path / "exact" / "exact.py").write_text(SCRIPT)
    metric = adequa.load_metric("evaluate", module=str(tmp_path / "exact"), key="exact")
    items = [ITEMS[0], Item("4", TRIPLES, "a dog", references=("a dog", "b")), ITEMS[2]]
    assert [score.value for score in metric.score(items)] == [0.0, 1.0, None]
    with pytest.raises(ModelError, match="cannot be loaded"):
        adequa.load_metric("evaluate", module=str(tmp_path / "none"), key="x").score(items)
