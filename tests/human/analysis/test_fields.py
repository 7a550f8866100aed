"""By what judgments can be broken down."""

from __future__ import annotations

import pytest

from adequa.data import Item, Rating, Triple
from adequa.errors import DataError, SettingError
from adequa.fields import NO_VALUE, natural_order
from adequa.human.analysis.study import Fields, entries

FACT = Triple("Bex", "country", "Vaudland")


def rating(text: str, system: str = "T5", **meta: object) -> Rating:
    return Rating(text, system, "ann", "fluency", 1.0, meta=meta)


def item(text: str, system: str = "T5", size: int = 1, **meta: object) -> Item:
    return Item(text, (FACT,) * size, "Bex.", system=system, category="City", meta=meta)


def test_a_field_of_the_ratings() -> None:
    ratings = [rating("a", type="seen"), rating("b", type="unseen"), rating("c")]
    parts = Fields.of(ratings).split(ratings, "type")
    assert {name: [one.id for one in some] for name, some in parts.items()} == {
        "seen": ["a"],
        "unseen": ["b"],
        NO_VALUE: ["c"],
    }


def test_the_names_of_2017_are_understood() -> None:
    one = rating("a", type="seen", triplesize="2triple")
    fields = Fields.of([one])
    assert fields.value(one, "seen") == "seen"
    assert fields.value(one, "size") == "2triple"


def test_fields_of_the_items() -> None:
    one, other = rating("a"), rating("b", system="GPT")
    fields = Fields.of([one, other], [item("a", size=2, seen=False, shape="chain"), item("b")])
    assert fields.value(one, "size") == "2"
    assert fields.value(one, "seen") == "unseen"
    assert fields.value(one, "category") == "City"
    assert fields.value(one, "meta.shape") == fields.value(one, "shape") == "chain"
    assert fields.value(one, "lang") is None
    assert fields.value(other, "size") == "1", "another system's item of the same input"
    assert {"category", "size", "meta.shape"} <= set(fields.known)


def test_a_reference_has_the_fields_of_its_entry() -> None:
    one = rating("Id1", system="reference")
    assert Fields.of([one], [item("Id1/Id2", "reference", 3)]).value(one, "size") == "3"


def test_what_all_ratings_of_an_input_say_holds_for_one_that_says_less() -> None:
    full = [rating("a", type="seen", team="x"), rating("a", system="B", type="seen", team="y")]
    bare = rating("a", system="C")
    fields = Fields.of([*full, bare])
    assert fields.value(bare, "type") == "seen"
    assert fields.value(bare, "team") is None


def test_numbers_stand_in_their_order() -> None:
    ratings = [rating(str(n), size=n) for n in (10, 2, 1)]
    assert list(Fields.of(ratings).split(ratings, "size")) == ["1", "2", "10"]
    mixed = ["x", "(none)", "2", "10", "", "²"]
    assert sorted(mixed, key=natural_order) == ["", "2", "10", "x", "²", "(none)"]


def test_the_input_pairs_references_with_systems() -> None:
    texts = [rating("Id1"), rating("Id1/Id2", "reference"), rating("Id9/Id1", "reference")]
    assert entries(texts) == {
        ("T5", "Id1"): "Id1",
        ("reference", "Id1/Id2"): "Id1",
        ("reference", "Id9/Id1"): "Id9/Id1",
    }


def test_an_unknown_field_is_told_with_those_there_are() -> None:
    ratings = [rating("a", type="seen")]
    with pytest.raises(
        SettingError, match=r"no rated text has a 'kind'; there are: type; with --i"
    ):
        Fields.of(ratings).split(ratings, "kind")


def test_too_many_values_are_refused() -> None:
    ratings = [rating(str(number), words=str(number)) for number in range(201)]
    with pytest.raises(SettingError, match="201 values"):
        Fields.of(ratings).split(ratings, "words")


def test_items_that_nobody_rated_are_refused() -> None:
    with pytest.raises(DataError, match="a rating has id 'a', an item 'z'"):
        Fields.of([rating("a")], [item("z")])
