"""Unrelated facts for items of the sample."""

from __future__ import annotations

from importlib.resources import files

import pytest

import adequa
from adequa.text import key_of, label_of
from bench.distractors import expected_verdict, with_distractors

ITEMS = list(adequa.read(str(files("adequa") / "sample" / "items.jsonl")))


@pytest.mark.parametrize("count", [0, 10, 300])
def test_added_facts_name_nothing_of_the_text(count: int) -> None:
    for item in ITEMS[::40]:
        wide = with_distractors(item, ITEMS, count)
        added = [triple for triple in wide.triples if triple not in item.triples]
        assert len(added) == len({*added}) == count
        assert [triple for triple in wide.triples if triple in item.triples] == [*item.triples]
        text = key_of(item.text)
        ends = {end for triple in added for end in (triple.subject, triple.object)}
        assert not any(key_of(label_of(end).base) in text for end in ends)
        assert wide == with_distractors(item, ITEMS, count)


def test_the_sample_has_hallucinations() -> None:
    assert sum("hallucination" in expected_verdict(item) for item in ITEMS) == 37
