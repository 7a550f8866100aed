"""Labels: from an entity as the data writes it to readable words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.text.labels import folded, is_symmetric, label_of, local_name


@pytest.mark.parametrize(
    ("entity", "base", "qualifier"),
    [
        ("Aarhus_Airport", "Aarhus Airport", ""),
        ("Mermaid_(Train_song)", "Mermaid", "Train song"),
        ('"52.0"(minutes)', "52.0", "minutes"),
        ("610.0 (metres)", "610.0", "metres"),
        ('"25.3"^^xsd:double', "25.3", ""),
        ('"Zürich"@de', "Zürich", ""),
        ('"Celery, salt"', "Celery, salt", ""),
        ("“Quoted”", "Quoted", ""),
        ("windowCleaning", "window Cleaning", ""),
        ("iPhone", "i Phone", ""),
        ("McDonald", "McDonald", ""),
        ("USAToday", "USAToday", ""),
        ("Air_(a_(b))", "Air (a (b))", ""),
        ("(410777)_2009_FD", "(410777) 2009 FD", ""),
        ("(only)", "(only)", ""),
        ("  a  _ b\t", "a b", ""),
        ("http://example.org/A_b", "http://example.org/A_b", ""),
        ("<http://example.org/A_b>", "http://example.org/A_b", ""),
        ("", "", ""),
        ('"', '"', ""),
    ],
)
def test_labels(entity: str, base: str, qualifier: str) -> None:
    label = label_of(entity)
    assert (label.base, label.qualifier) == (base, qualifier)
    assert label.string == (f"{base} ({qualifier})" if qualifier else base)


@given(st.text())
def test_any_string_has_a_label(entity: str) -> None:
    label = label_of(entity)
    assert label.base in label.string
    assert bool(label.string) == bool(entity.replace("_", " ").strip()) or entity.startswith('"')


# Spellings of one predicate


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
