"""Fields of items as words, and their order."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.data import Item, Triple
from adequa.errors import UnknownName
from adequa.fields import NO_VALUE, item_field, natural_order

ITEM = Item("Id1", (Triple("a", "b", "c"),), "", category="City", meta={"seen": False, "n": 3})


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("size", "1"),
        ("category", "City"),
        ("lang", None),
        ("seen", "unseen"),
        ("meta.n", "3"),
        ("meta.x", None),
    ],
)
def test_a_field_is_a_word_or_nothing(name, word):
    assert item_field(name)(ITEM) == word


@pytest.mark.parametrize("name", ["colour", "meta.", ""])
def test_an_unknown_field_lists_the_known(name):
    with pytest.raises(UnknownName, match="category"):
        item_field(name)


def test_numbers_are_ordered_by_size_and_no_value_is_last():
    words = ["10", "9", "-3", "2.5", "b", "a-10", "a-9", NO_VALUE]
    assert sorted(words, key=natural_order) == [
        *("-3", "2.5", "9", "10", "a-9", "a-10", "b"),
        NO_VALUE,
    ]


@given(st.lists(st.none() | st.text()))
def test_any_words_can_be_ordered(words):
    ordered = [natural_order(word) for word in sorted(words, key=natural_order)]
    assert all(one <= other for one, other in pairwise(ordered))
