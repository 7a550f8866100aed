"""The cache: right scores, keyed by everything that can change them, shared by processes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

import pytest

from adequa.data import Finding, Item, Score, Triple
from adequa.errors import RunError
from adequa.metrics.base import Metric
from adequa.run.cache import CachedMetric, default_folder
from adequa.run.writer import with_cache

ITEM = Item("1", (Triple("a", "b", "c"),), "a text", system="S", meta={"seen": True})


@dataclass(frozen=True)
class Slow(Metric):
    name: ClassVar[str] = "slow"
    doc: ClassVar[str] = "counts what it was asked"
    best: ClassVar[float] = 10.0
    worst: ClassVar[float] = 0.0
    expensive: ClassVar[bool] = True
    reads: ClassVar[tuple[str, ...]] = ("text", "triples")

    power: int = 1
    seen: list[Item] = field(default_factory=list, compare=False, init=False)

    def score(self, items: Sequence[Item]) -> list[Score]:
        self.seen.extend(items)
        finding = Finding(self.name, "omission", "missing", "why", triple=Triple("a", "b", "c"))
        return [
            Score(len(item.text) ** self.power / 7, statistics=(1.0,), findings=(finding,))
            for item in items
        ]


def test_a_known_item_is_not_scored_again(tmp_path: Path) -> None:
    metric = Slow()
    first = CachedMetric(metric, tmp_path).score([ITEM])
    again = CachedMetric(metric, tmp_path).score([ITEM, replace(ITEM, text="other")])
    assert [item.text for item in metric.seen] == ["a text", "other"]
    assert again[0].value == pytest.approx(first[0].value, abs=1e-6)
    assert replace(again[0], value=None) == replace(first[0], value=None)


def test_one_text_of_two_systems_is_scored_once(tmp_path: Path) -> None:
    metric = Slow()
    scores = CachedMetric(metric, tmp_path).score([ITEM, replace(ITEM, system="T", id="9")])
    assert len(metric.seen) == 1
    assert scores[0] == scores[1]


def test_the_metric_sees_only_the_fields_it_declares(tmp_path: Path) -> None:
    metric = Slow()
    CachedMetric(metric, tmp_path).score([ITEM])
    assert metric.seen == [Item("", ITEM.triples, ITEM.text)]


@pytest.mark.parametrize(
    "change", [{"text": "b text"}, {"triples": (Triple("a", "b", "d"),)}], ids=["text", "triples"]
)
def test_another_item_has_another_key(change: dict[str, object], tmp_path: Path) -> None:
    metric = Slow()
    CachedMetric(metric, tmp_path).score([ITEM])
    CachedMetric(metric, tmp_path).score([replace(ITEM, **change)])  # type: ignore[arg-type]
    assert len(metric.seen) == 2


def test_other_settings_have_other_keys(tmp_path: Path) -> None:
    first = CachedMetric(Slow(), tmp_path).score([ITEM])
    other = CachedMetric(Slow(power=2), tmp_path).score([ITEM])
    assert first[0].value != other[0].value


def test_cheap_metrics_are_not_cached(tmp_path: Path, words: Metric) -> None:
    chosen = with_cache({"slow": Slow(), "words": words}, tmp_path)
    assert isinstance(chosen["slow"], CachedMetric)
    assert chosen["words"] is words
    assert with_cache({"slow": Slow()}, None)["slow"] == Slow()


def test_a_damaged_cache_is_named(tmp_path: Path) -> None:
    (tmp_path / "scores.sqlite").write_bytes(b"not a database" * 100)
    with pytest.raises(RunError, match="delete it, or give cache=None"):
        CachedMetric(Slow(), tmp_path).score([ITEM])


def test_a_damaged_row_is_scored_again(tmp_path: Path) -> None:
    import sqlite3

    metric = Slow()
    CachedMetric(metric, tmp_path).score([ITEM])
    with sqlite3.connect(tmp_path / "scores.sqlite") as store:
        store.execute("UPDATE scores SET score = '{}'")
    store.close()
    assert CachedMetric(metric, tmp_path).score([ITEM])[0].value is not None
    assert len(metric.seen) == 2


def test_the_environment_names_the_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ADEQUA_CACHE", str(tmp_path))
    assert default_folder() == tmp_path


@dataclass(frozen=True)
class Unreadable(Slow):
    def score(self, items: Sequence[Item]) -> list[Score]:
        raise FileNotFoundError(2, "No such file or directory", "weights.bin")


def test_an_error_of_the_metric_is_not_one_of_the_cache(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"weights\.bin"):
        CachedMetric(Unreadable(), tmp_path).score([ITEM])


@pytest.mark.parametrize(
    "row",
    [
        5,
        2.5,
        b"\x00\xff",
        "5",
        "[]",
        (
            '{"value": "0.5", "statistics": [], "mentions": [], "facts": [], "findings": [],'
            ' "verdict": null, "reason": null}'
        ),
        (
            '{"value": 0.5, "statistics": ["1"], "mentions": [], "facts": [], "findings": [],'
            ' "verdict": null, "reason": null}'
        ),
        (
            '{"value": 0.5, "statistics": [], "mentions": [], "facts": [{"triple": [1, 2, 3],'
            ' "status": "stated"}], "findings": [], "verdict": null, "reason": null}'
        ),
    ],
)
def test_a_row_of_a_wrong_type_is_scored_again_and_replaced(row: object, tmp_path: Path) -> None:
    import sqlite3

    metric = Slow()
    wanted = CachedMetric(metric, tmp_path).score([ITEM])
    with sqlite3.connect(tmp_path / "scores.sqlite") as store:
        store.execute("UPDATE scores SET score = ?", (row,))
    store.close()
    assert CachedMetric(metric, tmp_path).score([ITEM]) == wanted
    assert CachedMetric(metric, tmp_path).score([ITEM])[0].findings == wanted[0].findings
    assert len(metric.seen) == 2


@dataclass(frozen=True)
class Signed(Slow):
    ignore: tuple[str, ...] = ()


def test_one_predicate_with_a_plus_is_not_two_predicates(tmp_path: Path) -> None:
    one, two = Signed(ignore=("x+y",)), Signed(ignore=("x", "y"))
    CachedMetric(one, tmp_path).score([ITEM])
    CachedMetric(two, tmp_path).score([ITEM])
    assert len(two.seen) == 1
