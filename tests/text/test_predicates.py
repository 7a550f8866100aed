"""Spellings of one predicate."""

from __future__ import annotations

import pytest

from adequa.text.predicates import folded, is_symmetric, local_name


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


# Paper 003, appendix C, as printed.
APPENDIX_C = [
    "taxon synonym",
    "partner in business or sport",
    "opposite of",
    "partially coincident with",
    "physically interacts with",
    "partner",
    "relative",
    "related category",
    "connects with",
    "twinned administrative body",
    "different from",
    "said to be the same as",
    "sibling",
    "adjacent station",
    "shares border with",
]


@pytest.mark.parametrize("predicate", APPENDIX_C)
def test_the_list_of_the_paper(predicate: str) -> None:
    assert is_symmetric(predicate)


@pytest.mark.parametrize(
    "predicate",
    [
        "spouse",
        "associatedBand/associatedMusicalArtist",
        "neighboringMunicipality",
        "related",
        "relatedMeanOfTransportation",
        "twinTown",
        "sisterStation",
    ],
)
def test_the_like_in_dbpedia(predicate: str) -> None:
    assert is_symmetric(predicate)


@pytest.mark.parametrize(
    "predicate",
    [
        "Shares_Border_With",
        "sharesBorderWith",
        " SHARES BORDER WITH ",
        "shares-border-with",
        "P47",
        "wdt:P47",
        "http://www.wikidata.org/prop/direct/P47",
        "<http://www.wikidata.org/prop/direct/P47>",
        "dbo:spouse",
        "http://dbpedia.org/ontology/spouse/",
        "http://www.w3.org/2002/07/owl#sameAs",
    ],
)
def test_spelling_is_folded(predicate: str) -> None:
    assert is_symmetric(predicate)


@pytest.mark.parametrize(
    "predicate",
    ["", "/", "birthPlace", "successor", "child", "spouse/child", "spouseName", "P4", "P", "dbo:"],
)
def test_other_predicates_have_a_direction(predicate: str) -> None:
    assert not is_symmetric(predicate)
