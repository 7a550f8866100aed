"""Items of any size for measuring growth, and the exponent of times."""

from __future__ import annotations

import pytest

from adequa.metrics.nli.relevance import related_facts
from bench.growth import exponent, made_item


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
