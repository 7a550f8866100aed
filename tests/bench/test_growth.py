"""Items of any size for measuring growth, and the exponent of times."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from adequa.caches import Cache, deep_size
from adequa.data import Item
from adequa.metrics import load_metric
from adequa.metrics.nli.relevance import related_facts
from bench import growth
from bench.growth import exponent, forget, made_item, made_record, pieces_read


def test_the_exponent_of_linear_and_quadratic_times() -> None:
    sizes = [100, 200, 400, 800]
    assert exponent(sizes, [0.1, 0.2, 0.4, 0.8]) == pytest.approx(1)
    assert exponent(sizes, [size**2 for size in sizes]) == pytest.approx(2)


@pytest.mark.parametrize(("facts", "characters"), [(20, 1_000), (300, 200), (7, 5_000)])
def test_items_have_the_size_they_are_asked_for(facts: int, characters: int) -> None:
    item = made_item(facts, characters)
    assert (len(item.triples), len(item.text)) == (facts, characters)
    assert item == made_item(facts, characters)
    assert made_item(facts, characters, seed=2) != item


def test_no_fact_can_be_left_out() -> None:
    item = made_item(200, 1_000)
    root = item.triples[0].subject
    assert len(related_facts(item.triples, [root])) == 200


def seconds_of_esa(item: Item) -> float:
    """The least of three turns, without a collection of what other tests have left."""
    metric = load_metric("esa")
    turns = []
    gc.collect()
    gc.disable()
    try:
        for _ in range(3):
            forget()
            started = time.process_time()
            metric.score([item])
            turns.append(time.process_time() - started)
    finally:
        gc.enable()
    return min(turns)


@pytest.mark.parametrize(
    ("made", "small", "large"),
    [
        (made_item, (400, 1_000), (3_200, 1_000)),
        (made_item, (20, 20_000), (20, 160_000)),
        (made_record, (600, 500), (4_800, 500)),
        (made_record, (40, 4_000), (40, 32_000)),
    ],
)
def test_time_of_esa_is_not_quadratic_in_facts_or_text(
    made: Callable[[int, int], Item], small: tuple[int, int], large: tuple[int, int]
) -> None:
    """Eight times the facts or the text: 64 times the time if it were."""
    seconds_of_esa(made_item(2, 100, seed=2))
    assert seconds_of_esa(made(*large)) < 24 * seconds_of_esa(made(*small))


@pytest.mark.parametrize(
    "words",
    ["1957 384 20 7 ", "on 3 May 1957 ", "Barfen Delgro, ", "a.m. p.m. "],
    ids=["numbers", "dates", "names", "abbreviations"],
)
def test_time_of_esa_is_not_quadratic_in_the_length_of_a_sentence(words: str) -> None:
    """Eight times the text without a full stop: 64 times the time if each word met all others."""
    made = made_item(20, 100)
    seconds_of_esa(made)
    small, large = (
        seconds_of_esa(replace(made, text=words * (size // len(words)))) for size in (1_500, 12_000)
    )
    assert large < 24 * max(small, 0.02)


def test_the_caches_of_esa_count_what_they_hold() -> None:
    """A cache that counts too little outgrows its bound."""
    metric = load_metric("esa")
    forget()
    metric.score([made_item(300, 1_000, seed=seed) for seed in range(3)])
    caches = [one for one in gc.get_objects() if issubclass(type(one), Cache) and len(one)]
    assert len(caches) > 4
    for one in caches:
        held = deep_size([value for value, _ in one._entries.values()])
        assert held < 1.5 * one.bytes, type(next(iter(one._entries.values()))[0])


@pytest.mark.parametrize("name", ["nli", "similarity"])
@pytest.mark.parametrize(
    ("small", "large"), [((1_250, 1_000), (2_500, 1_000)), ((20, 20_000), (20, 40_000))]
)
def test_what_the_models_read_is_linear_in_facts_and_text(
    name: str, small: tuple[int, int], large: tuple[int, int]
) -> None:
    """Twice the facts or the text: about twice the word pieces, which take most of the time."""
    metric = load_metric(name)
    pieces = []
    with pieces_read() as read:
        for size in (small, large):
            read.clear()
            forget()
            metric.score([made_item(*size)])
            pieces.append(sum(read))
    assert 1.5 * pieces[0] < pieces[1] < 2.3 * pieces[0]


def test_what_the_log_has_is_not_measured_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured: list[int] = []

    def seconds(name: str, item: Item, begin: Callable[[], None]) -> float:
        if len(measured) == 5:
            raise KeyboardInterrupt
        measured.append(len(item.triples))
        return float(len(item.triples) + len(item.text))

    monkeypatch.setattr(growth, "_seconds", seconds)
    log = tmp_path / "log"
    with pytest.raises(KeyboardInterrupt):
        growth.measure(tmp_path, quick=True, parts=["esa"], log=log)
    measured.clear()
    rows = growth.measure(tmp_path, quick=True, parts=["esa"], log=log)
    assert len(measured) == 3  # of eight sizes
    assert rows == growth.measure(tmp_path, quick=True, parts=["esa"], log=log)
    assert len(log.read_text(encoding="utf-8").splitlines()) == 8
