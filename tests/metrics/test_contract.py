"""What every metric of the table keeps; a new one is tested here by standing in the table."""

from __future__ import annotations

import math
import pickle
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import FrozenInstanceError, fields, replace
from pathlib import Path
from typing import Any

import pytest

import adequa
from adequa import Item, Metric, Score, Triple
from adequa.metrics import TABLE, metric_class
from adequa.settings import plain_settings, settings_of
from tests.chat_server import chat_server

TRIPLES = (Triple("Blue_Spice", "eatType", "pub"), Triple("Blue_Spice", "area", "riverside"))
TEXTS = (
    ("Blue Spice is a pub by the river.", ("Blue Spice is a pub at the riverside.", "A pub.")),
    ("", ("Blue Spice is a pub.",)),
    ("Blue Spice is a pub.", ("Blue Spice is a pub.",)),
    ("pub " * 60, ("Blue Spice is a pub.", "There is a pub, Blue Spice.", "Blue Spice, a pub")),
    ("Nothing in common", ("Blue Spice is a pub.",)),
    ("Ein Wirtshaus — «Blauer» 酒馆 \u2028 \ud800", ("Blue Spice is a pub.",)),
    ("No reference here.", ()),
    (".", ("?", "", "\n")),
)
ITEMS = [
    Item(f"Id{number}", TRIPLES, text, system="A", references=references)
    for number, (text, references) in enumerate(TEXTS)
]


class Words:
    """Stands for a module of evaluate."""

    def compute(self, predictions: list[str], references: list[Any]) -> dict[str, float]:
        return {"words": float(len(predictions[0].split()))}


Build = Callable[[str], Metric]


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory, shared_wordnet: Path) -> Iterator[Build]:
    """Metrics as they are set, with what those need that have no default."""
    file = tmp_path_factory.mktemp("scores") / "scores.csv"
    rows = "".join(f"{number},A,{number / 10}\n" for number in range(0, len(ITEMS), 2))
    file.write_text("id,system,x\n" + rows)
    with chat_server() as judge:
        needed: dict[str, dict[str, Any]] = {
            "evaluate": {"module": "words", "key": "words", "loaded": Words()},
            "judge": {"url": judge.url, "model": "tiny"},
            "meteor": {"wordnet": shared_wordnet},
            "precomputed": {"file": file, "key": "x"},
        }
        yield lambda name: adequa.load_metric(name, **needed.get(name, {}))


pytestmark = pytest.mark.parametrize("name", sorted(TABLE))


def alike(metric: Metric, found: Sequence[Score], others: Sequence[Score]) -> bool:
    """The same scores; what a model says may differ in digits that do not count."""
    if not metric.expensive:
        return found == others
    rest = [
        [replace(score, value=None, statistics=()) for score in scores]
        for scores in (found, others)
    ]
    return rest[0] == rest[1] and all(
        one.value == pytest.approx(other.value, abs=1e-4)
        and one.statistics == pytest.approx(other.statistics, abs=1e-4)
        for one, other in zip(found, others, strict=True)
    )


def test_one_score_an_item_in_order(name: str, build: Build) -> None:
    scores = build(name).score(ITEMS)
    assert [type(score) for score in scores] == [Score] * len(ITEMS)
    for score in scores:
        assert (score.reason is None) == (score.value is not None)
        assert score.value is None or type(score.value) is float


def test_some_can_be_scored_and_the_empty_text_is_a_text(name: str, build: Build) -> None:
    metric = build(name)
    scores = metric.score(ITEMS)
    assert sum(score.value is not None for score in scores) >= len(ITEMS) // 2
    if "text" in metric.reads:
        assert scores[1].value is not None
    if metric.needs_references:
        assert (scores[6].value, scores[6].reason) == (None, "no references")


def test_between_worst_and_best(name: str, build: Build) -> None:
    metric = build(name)
    low, high = sorted((metric.best, metric.worst))
    assert low < high
    assert metric.higher_is_better == (metric.best > metric.worst)
    for score in metric.score(ITEMS):
        if score.value is not None:
            assert math.isfinite(score.value)
            assert low - 1e-9 <= score.value <= high + 1e-9


def test_a_copy_of_a_reference_is_as_good_as_any_text(name: str, build: Build) -> None:
    metric = build(name)
    if "references" not in metric.reads or name == "evaluate":
        pytest.skip("does not compare with references")
    values = [score.value for score in metric.score(ITEMS) if score.value is not None]
    copy = metric.score(ITEMS)[2].value
    assert copy == pytest.approx(max(values) if metric.higher_is_better else min(values))


def test_alone_in_a_batch_and_in_any_order(name: str, build: Build) -> None:
    metric = build(name)
    together = metric.score(ITEMS)
    assert alike(metric, [metric.score([item])[0] for item in ITEMS], together)
    assert alike(metric, metric.score(ITEMS[::-1]), together[::-1])
    assert metric.score(tuple(ITEMS)) == together


def test_twice_the_same(name: str, build: Build) -> None:
    assert build(name).score(ITEMS) == build(name).score(ITEMS)


def test_no_items_no_scores(name: str, build: Build) -> None:
    assert build(name).score([]) == []


def test_only_what_it_reads_counts(name: str, build: Build) -> None:
    metric = build(name)
    blank: dict[str, Any] = {
        "id": "?",
        "triples": (Triple("?", "?", "?"),),
        "text": "?",
        "system": "?",
        "category": "?",
        "lang": "?",
        "references": ("?",),
        "terms": {},
        "meta": {"?": "?"},
        "coverage": "selected",
        "paths": (),
    }
    assert set(metric.reads) <= blank.keys()
    for item, score in zip(ITEMS, metric.score(ITEMS), strict=True):
        kept = {own: getattr(item, own) for own in metric.reads}
        assert alike(metric, metric.score([Item(**{**blank, **kept})]), [score])


def test_a_corpus_value_is_between_worst_and_best(name: str, build: Build) -> None:
    metric = build(name)
    rows = [score.statistics for score in metric.score(ITEMS) if score.value is not None]
    if not any(rows):
        pytest.skip("the mean is its corpus value")
    totals = [sum(column) for column in zip(*rows, strict=True)]
    value = metric.corpus(totals)
    assert value is not None
    low, high = sorted((metric.best, metric.worst))
    for one in value.values() if isinstance(value, Mapping) else [value]:
        assert isinstance(one, float)
        assert low <= one <= high
    assert metric.corpus([float(total) for total in totals]) == value


def test_it_goes_to_a_worker_and_back(name: str, build: Build) -> None:
    metric = build(name)
    sent = pickle.loads(pickle.dumps(metric))
    assert sent.score(ITEMS) == metric.score(ITEMS)
    assert sent.signature == metric.signature
    assert sent.higher_is_better == metric.higher_is_better


def test_its_signature_has_the_form(name: str, build: Build) -> None:
    metric = build(name)
    head, *pairs = metric.signature.split("|")
    assert head == name == metric.name
    assert all(re.fullmatch(r"[\w-]+:[^:|]*", pair) for pair in pairs), pairs
    assert pairs[-1] == f"version:{adequa.__version__}"
    keys = [pair.split(":")[0] for pair in pairs]
    assert len(keys) == len(set(keys))
    scoring = [one for one in fields(metric) if one.metadata.get("changes_score", True)]
    assert {field.name for field in scoring if field.init} <= set(keys)
    assert " at 0x" not in metric.signature


def test_it_is_a_value_and_documented(name: str, build: Build) -> None:
    metric = build(name)
    first = fields(metric)[0].name
    with pytest.raises(FrozenInstanceError):
        setattr(metric, first, None)
    assert metric == build(name) or name == "evaluate"  # which holds an object here
    hash(metric)
    assert metric_class(name).doc
    assert metric_class(name).__doc__
    assert all(setting.doc for setting in settings_of(metric_class(name)))


def test_its_written_settings_build_it_again(name: str, build: Build) -> None:
    metric = build(name)
    if name == "evaluate":
        pytest.skip("holds an object here")
    assert adequa.load_metric(name, **plain_settings(metric)) == metric
