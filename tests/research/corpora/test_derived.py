"""Inverted triples, renamed properties and the statistics of a corpus."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from adequa.data import Item, Triple
from adequa.perturb.paraphrases import read_properties, shipped_properties
from adequa.readers import open_source
from research.corpora import derived
from research.corpora.derived import (
    CorpusTally,
    Statistics,
    inverted,
    statistics,
    to_wikidata,
    wikidata_properties,
)
from research.papers.joint.data import read_entries

TOWN = Item(
    "1", (Triple("Tarnova", "country", "Ilmland"),), "Tarnova is in Ilmland.", meta={"a": 1}
)
SPOUSE = Item("2", (Triple("Ida", "spouse", "Otto"),), "Ida is married to Otto.")
TWO = Item("3", (*TOWN.triples, *SPOUSE.triples), "Both.")
SELF = Item("4", (Triple("Tarnova", "capital", "Tarnova"),), "Tarnova is its own capital.")


def test_single_triples_with_a_direction_are_inverted() -> None:
    tally = CorpusTally()
    (pair,) = inverted([TOWN, SPOUSE, TWO, SELF], tally)
    assert (pair.right.id, pair.wrong.id) == ("1", "1/inverted")
    assert pair.right.triples == TOWN.triples
    assert pair.wrong.triples == (Triple("Ilmland", "country", "Tarnova"),)
    assert pair.right.text == pair.wrong.text == TOWN.text
    assert pair.right.meta == {"a": 1, "inverted": False}
    assert pair.wrong.meta == {"a": 1, "inverted": True}
    assert tally.left_out == {
        "symmetric predicate": 1,
        "not one triple": 1,
        "subject is object": 1,
    }
    assert (tally.kept, tally.seen) == (1, 4)


def test_the_caller_s_item_is_not_changed() -> None:
    list(inverted([TOWN]))
    assert TOWN.meta == {"a": 1}


NAMES = st.sampled_from("abcd")
ITEMS = st.lists(
    st.builds(
        lambda triples, text: Item("x", tuple(triples), text),
        st.lists(st.builds(Triple, NAMES, NAMES, NAMES), min_size=1, max_size=3),
        st.sampled_from(["", "one", "two"]),
    ),
    max_size=12,
)


@given(ITEMS)
def test_statistics_count_what_sets_count(items: list[Item]) -> None:
    triples = [triple for item in items for triple in item.triples]
    assert statistics(items) == Statistics(
        len(items),
        len({item.text for item in items}),
        len({frozenset(item.triples) for item in items}),
        len({triple.predicate for triple in triples}),
        len({part for triple in triples for part in (triple.subject, triple.object)}),
    )


def test_the_order_of_triples_makes_no_other_graph() -> None:
    turned = Item("5", TWO.triples[::-1], "Both.")
    assert statistics([TWO, turned]) == Statistics(2, 1, 1, 2, 4)


def test_webnlg_has_the_entities_of_table_1(data_dir: Path) -> None:
    """Table 1 of paper 003: 3,210 entities in WebNLG-DB, of an earlier release."""
    counted = statistics(open_source(data_dir / "webnlg2020" / "train"))
    assert counted.entities == 3209
    assert counted.properties == 385


BORN = Triple("Ida", "birthPlace", "Tarnova")
GENRE = Triple("Polka", "musicSubgenre", "Ilm polka")
ODD = Triple("Ida", "shoeSize", "39")


def test_items_are_renamed_turned_or_left_out() -> None:
    tally = CorpusTally()
    items = [Item("1", (BORN, GENRE), "x", meta={"a": 1}), Item("2", (BORN, ODD), "y")]
    (item,) = to_wikidata(items, tally=tally)
    assert item == Item(
        "1",
        (Triple("Ida", "place of birth", "Tarnova"), Triple("Ilm polka", "subclass of", "Polka")),
        "x",
        meta={"a": 1, "dbpedia": [list(BORN), list(GENRE)]},
    )
    assert (tally.kept, tally.left_out) == (1, {"shoeSize": 1})


def test_spelling_does_not_matter() -> None:
    named = [
        Item("1", (Triple("Ida", name, "Tarnova"),), "")
        for name in (
            "birth place",
            "Birth_Place",
            "dbo:birthPlace",
            "http://dbpedia.org/ontology/birthPlace",
        )
    ]
    renamed = [item.triples[0].predicate for item in to_wikidata(named)]
    assert renamed == ["place of birth"] * 4


def test_the_mapping_adds_to_what_is_shipped() -> None:
    """A property of Wikidata has one label, and what is shipped is not mapped otherwise."""
    path = Path(derived.__file__).with_name("resources") / "wikidata.tsv"
    assert not set(read_properties(path)) & set(shipped_properties())
    labels: dict[str, str] = {}
    for one in wikidata_properties().values():
        assert one.id[0] == "P"
        assert one.id[1:].isdigit()
        assert labels.setdefault(one.id, one.label) == one.label
    assert len(set(labels.values())) == len(labels)


def test_webnlg_wd_is_as_large_as_that_of_table_1(data_dir: Path) -> None:
    """Table 1 of paper 003: 10,384 pairs, 188 properties and 2,783 entities."""
    counted = statistics(to_wikidata(read_entries(data_dir / "webnlg2020" / "train")))
    assert (counted.pairs, counted.properties, counted.entities) == (11_098, 189, 2_931)
