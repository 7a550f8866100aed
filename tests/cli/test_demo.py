"""The built-in sample agrees with its documentation, and its labels are exact."""

from __future__ import annotations

from collections import Counter

import pytest

from adequa.cli.demo import sample_path
from adequa.codec import item_to_object
from adequa.data import Item
from adequa.files import dump_line
from adequa.readers.base import JsonlReader

SYSTEMS = ["careful", "hasty", "dreamer"]


@pytest.fixture(scope="module")
def items() -> list[Item]:
    return [placed.item for placed in JsonlReader().read(sample_path())]


def test_forty_graphs_each_with_a_text_by_three_systems(items: list[Item]) -> None:
    assert len(items) == 120
    assert len({item.key for item in items}) == 120
    assert len({item.id for item in items}) == 40
    assert [item.system for item in items] == SYSTEMS * 40


def test_ten_domains_of_four_graphs_named_by_their_ids(items: list[Item]) -> None:
    careful = [item for item in items if item.system == "careful"]
    assert Counter(Counter(item.category for item in careful).values()) == {4: 10}
    assert Counter(Counter(item.id.rpartition("-")[0] for item in careful).values()) == {4: 10}
    assert {item.lang for item in items} == {"en"}


def test_sizes_one_to_seven_are_spread_evenly(items: list[Item]) -> None:
    sizes = Counter(len(item.triples) for item in items if item.system == "careful")
    assert sorted(sizes) == [1, 2, 3, 4, 5, 6, 7]
    assert max(sizes.values()) - min(sizes.values()) <= 1


def test_the_systems_share_triples_and_references(items: list[Item]) -> None:
    for first, *others in zip(*[iter(items)] * 3, strict=True):
        assert len(first.references) == 2
        for other in others:
            assert (other.id, other.category) == (first.id, first.category)
            assert (other.triples, other.references) == (first.triples, first.references)


def test_no_text_or_triple_is_ragged(items: list[Item]) -> None:
    for item in items:
        assert len(set(item.triples)) == len(item.triples)
        for part in [*(part for triple in item.triples for part in triple), *item.references]:
            assert part
            assert part == part.strip()
        assert item.text == item.text.strip()
        assert "  " not in item.text


def test_labels_are_exact(items: list[Item]) -> None:
    for item in items:
        expected = item.meta["expected"]
        assert sorted(expected) == ["missing", "unsupported", "verdict"]
        missing = [tuple(triple) for triple in expected["missing"]]
        assert len(set(missing)) == len(missing)
        assert set(missing) <= set(item.triples), item.key
        for span in expected["unsupported"]:
            assert item.text.count(span) == 1, item.key
        kinds = ["hallucination"] * bool(expected["unsupported"]) + ["omission"] * bool(missing)
        assert expected["verdict"] == ("+".join(kinds) or "OK"), item.key


def test_the_systems_have_their_characters(items: list[Item]) -> None:
    verdicts = Counter((item.system, item.meta["expected"]["verdict"]) for item in items)
    assert verdicts["careful", "OK"] == 40
    assert verdicts["hasty", "OK"] + verdicts["hasty", "omission"] == 40
    assert verdicts["hasty", "omission"] > 20
    assert verdicts["hasty", "OK"] > 0
    dreamt = verdicts["dreamer", "hallucination"] + verdicts["dreamer", "hallucination+omission"]
    assert 20 < dreamt < 40
    assert verdicts["dreamer", "OK"] == 40 - dreamt


def test_one_text_is_empty_and_one_repeats_itself(items: list[Item]) -> None:
    (empty,) = (item for item in items if not item.text)
    assert empty.system == "hasty"
    assert empty.meta["expected"]["missing"] == [list(triple) for triple in empty.triples]
    sentences = [Counter(item.text.split(". ")) for item in items]
    assert sum(max(counts.values()) >= 4 for counts in sentences) == 1


def test_texts_of_careful_differ_from_the_references(items: list[Item]) -> None:
    for item in items:
        if item.system == "careful":
            assert item.text not in item.references, item.key


def test_the_file_is_the_contract_to_the_byte(items: list[Item]) -> None:
    written = "".join(dump_line(item_to_object(item)) for item in items)
    assert sample_path().read_bytes() == written.encode()


def test_the_sample_is_licensed_beside_it() -> None:
    licence = (sample_path().parent / "LICENSE").read_text(encoding="utf-8")
    assert "SPDX-License-Identifier: CC0-1.0" in licence
