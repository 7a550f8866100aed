"""The tables of language are well formed, and the lookups find what they hold."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import adequa.entities.lexicon as lexicon
from adequa.readers import open_source

FOLDER = Path(lexicon.__file__).parent / "resources"
COLUMNS = {
    "abbreviations": 2,
    "acronyms": 2,
    "given_names": 2,
    "languages": 2,
    "places": 3,
    "type_nouns": 5,
}
LOOKUPS = [
    lexicon.acronyms,
    lexicon.demonyms,
    lexicon.language_names,
    lexicon.other_names,
    lexicon.place_of_demonym,
    lexicon.word_variants,
]


def rows(table: str) -> list[list[str]]:
    lines = (FOLDER / f"{table}.tsv").read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines]


def test_every_table_is_known() -> None:
    assert {file.stem for file in FOLDER.glob("*.tsv")} == set(COLUMNS)


@pytest.mark.parametrize(("table", "columns"), COLUMNS.items())
def test_a_table_has_its_columns_and_clean_cells(table: str, columns: int) -> None:
    for row in rows(table):
        assert len(row) == columns, row
        assert row[0], row
        for cell in row[1:]:
            values = cell.split(";") if cell else []
            assert all(value and value == value.strip() for value in values), row
            assert len(set(values)) == len(values), row
        assert table == "type_nouns" or row[0] not in row[1].split(";"), row


@pytest.mark.parametrize("table", COLUMNS)
def test_a_key_stands_once(table: str) -> None:
    key = lexicon._predicate_key if table == "type_nouns" else lexicon._key
    keys = [key(row[0]) for row in rows(table)]
    assert sorted(keys) == sorted(set(keys))


def test_genders_and_types_are_valid() -> None:
    assert {row[1] for row in rows("given_names")[1:]} == {"f", "m", "u"}
    for row in rows("type_nouns")[1:]:
        assert {row[1], row[3]} <= set(lexicon.ENTITY_TYPES), row


def test_places_have_names_and_people() -> None:
    assert {"USA", "U.S.", "America"} <= set(lexicon.other_names("United_States"))
    assert {"TX", "Tex."} <= set(lexicon.other_names("Texas"))
    assert {"Netherlands", "The Netherlands"} <= set(lexicon.other_names("Holland"))
    assert "Holland" not in lexicon.other_names("Holland")
    assert {"American", "Americans"} <= set(lexicon.demonyms("united states"))
    assert {"Dutch", "Dutchman"} <= set(lexicon.demonyms("Netherlands"))
    assert lexicon.demonyms("USA") == lexicon.demonyms("United_States")
    assert lexicon.place_of_demonym("dutch")[0] == "Netherlands"
    assert lexicon.place_of_demonym("Americans")[0] == "United States"
    assert len(lexicon.place_of_demonym("Congolese")) == 2


def test_namesakes_are_kept_apart_by_their_brackets() -> None:
    assert "GA" in lexicon.other_names("Georgia_(U.S._state)")
    assert "GA" not in lexicon.other_names("Georgia_(country)")
    assert "Republic of Georgia" in lexicon.other_names("Georgia")
    assert "Macedonian" in lexicon.demonyms("Macedonia_(region)")


def test_languages() -> None:
    assert lexicon.language_names("English_language") == ("English",)
    assert lexicon.language_names("Persian_language") == ("Persian", "Farsi")
    assert "Arabic" in lexicon.language_names("Modern_Standard_Arabic")
    assert lexicon.language_names("Farsi") == ()
    assert lexicon.language_names("Klingon_language") == ("Klingon",)
    assert lexicon.language_names("language") == ()


def test_abbreviations_work_both_ways() -> None:
    assert {"St", "St."} <= set(lexicon.word_variants("saint"))
    assert {"Saint", "Street"} <= set(lexicon.word_variants("St."))
    assert "&" in lexicon.word_variants("and")
    assert lexicon.word_variants("&")[0] == "and"
    assert {"2", "Second"} <= set(lexicon.word_variants("II"))
    assert "second" not in [form.casefold() for form in lexicon.word_variants("2")]
    assert "B.Sc." in lexicon.word_variants("Bachelor of Science")
    assert lexicon.word_variants("xylophone") == ()


def test_acronyms_work_both_ways() -> None:
    assert "NASA" in lexicon.acronyms("National_Aeronautics_and_Space_Administration")
    assert "National Aeronautics and Space Administration" in lexicon.acronyms("NASA")
    assert "WWII" in lexicon.acronyms("World_War_II")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Maria", "f"),
        ("JOHN", "m"),
        ("Alex", "u"),
        ("Jean-Pierre", "m"),
        ("Anne-Sophie", "f"),
        ("Zyzzyx", None),
    ],
)
def test_gender(name: str, expected: str | None) -> None:
    assert lexicon.gender(name) == expected


@pytest.mark.parametrize(
    ("spelling", "same_as"),
    [
        ("elevationAboveTheSeaLevel_(in_metres)", "elevation above the sea level"),
        ("birth place", "birthPlace"),
        ("PLACE_OF_BIRTH", "placeOfBirth"),
        ("office (workedAt, workedAs)", "office"),
        ("UTCOffset", "utc-offset"),
    ],
)
def test_a_predicate_in_any_spelling(spelling: str, same_as: str) -> None:
    assert lexicon.predicate_use(spelling) is not None
    assert lexicon.predicate_use(spelling) == lexicon.predicate_use(same_as)


def test_predicate_use() -> None:
    use = lexicon.predicate_use("cityServed")
    assert use is not None
    assert (use.subject_type, use.object_type) == ("place", "place")
    assert "airport" in use.subject_nouns
    assert "city" in use.object_nouns
    assert lexicon.predicate_use("no such predicate") is None


@given(st.text())
def test_any_label_is_answered(label: str) -> None:
    for lookup in LOOKUPS:
        answer = lookup(label)
        assert isinstance(answer, tuple)
        assert label not in answer or lookup in (lexicon.demonyms, lexicon.place_of_demonym)
    lexicon.gender(label)
    lexicon.predicate_use(label)


def test_a_long_label_takes_no_time() -> None:
    for label in ("(" * 500_000, "aB" * 500_000, "_ " * 500_000, "-(" * 500_000):
        for lookup in LOOKUPS:
            assert lookup(label) == ()
        assert lexicon.predicate_use(label) is None


@pytest.mark.data
def test_every_predicate_of_the_training_data_is_known(data_dir: Path) -> None:
    predicates = {
        triple.predicate
        for item in open_source(data_dir / "webnlg2020" / "train")
        for triple in item.triples
    }
    assert sorted(name for name in predicates if lexicon.predicate_use(name) is None) == []
