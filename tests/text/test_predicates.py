"""Spellings of one predicate."""

from __future__ import annotations

import pytest

from adequa.text.predicates import folded, local_name


@pytest.mark.parametrize(
    "spelling",
    ["birthPlace", "birth_place", "Birth Place", "dbo:birthPlace", "<http://x.example/birthPlace>"],
)
def test_all_spellings_are_one(spelling: str) -> None:
    assert folded(spelling) == "birthplace"


def test_other_predicates_are_others() -> None:
    assert folded("birthPlace") != folded("birthDate")
    assert local_name("Age at: 3 pm") == "Age at: 3 pm"  # no prefix: it has spaces
    assert folded("–") == ""
