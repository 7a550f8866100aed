"""The names a text may use for an entity."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.entities.names import WEAK, Name, names_of
from adequa.text.labels import label_of
from adequa.text.words import key_of


def names(entity: str, *, aliases: tuple[str, ...] = (), person: bool = False) -> dict[str, Name]:
    found = names_of(label_of(entity), aliases=aliases, person=person)
    return {name.key: name for name in found}


@pytest.mark.parametrize(
    ("entity", "name"),
    [
        ("The_Beatles", "Beatles"),
        ("Mermaid_(Train_song)", "Mermaid"),
        ("Mermaid_(Train_song)", "Train song Mermaid"),
        ("Adams_County,_Pennsylvania", "Adams County"),
        ("Adams_County,_Pennsylvania", "Adams County in Pennsylvania"),
        ("Turkish_people", "Turkish"),
        ("United_States", "American"),
        ("United_States", "USA"),
        ("English_language", "English"),
        ("A.C._Milan", "Milan"),
        ("Acme_Inc.", "Acme"),
        ("Smith_&_Sons", "Smith and Sons"),
        ("Alba_County", "County of Alba"),
        ("Felipe_VI_of_Spain", "Felipe VI"),
        ("2014–15_Serie_C", "Serie C 2014-15"),
        ("United_States_invasion_of_Panama", "invasion of Panama"),
        ("Onions", "onion"),
    ],
)
def test_sure_names(entity: str, name: str) -> None:
    assert names(entity)[key_of(name)].tier < WEAK


@pytest.mark.parametrize(
    ("entity", "name"),
    [
        ("Massachusetts_Bay_Association", "MBA"),
        ("Boston_Regional_Airport", "Boston Regional"),
        ("Lockheed_AC-130", "AC-130"),
        ("Singing", "singer"),
    ],
)
def test_weak_names(entity: str, name: str) -> None:
    assert names(entity)[key_of(name)].tier == WEAK


@pytest.mark.parametrize(
    ("entity", "name"),
    [("Spain", "pain"), ("Adams_County,_Pennsylvania", "Pennsylvania"), ("The_Beatles", "The")],
)
def test_names_that_are_not_sure(entity: str, name: str) -> None:
    found = names(entity).get(key_of(name))
    assert found is None or found.tier >= WEAK


def test_a_person_has_a_surname_and_a_given_name() -> None:
    found = names("Edwin_E._Aldrin_Jr.", person=True)
    assert found["edwinaldrin"].tier < WEAK
    assert (found["aldrin"].method, found["edwin"].method) == ("surname", "given name")
    assert found["aldrin"].cased
    assert "jr" not in found
    assert "deboer" in names("Frank_de_Boer", person=True)
    assert "surname" not in {name.method for name in names("Aarhus_Airport").values()}


def test_aliases_are_names() -> None:
    assert names("Big_Apple", aliases=("New York City",))["newyorkcity"] == Name(
        "newyorkcity", 0, "alias"
    )


def test_short_ones_need_their_capital() -> None:
    assert names("IT_(comics)")["it"].cased
    assert names("United_States")["us"].cased


@given(st.text(), st.booleans(), st.booleans())
def test_each_key_once_and_the_surest_first(entity: str, person: bool, place: bool) -> None:
    found = names_of(label_of(entity), person=person, place=place)
    tiers = [name.tier for name in found]
    assert tiers == sorted(tiers)
    assert len({name.key for name in found}) == len(found)
    assert all(name.key for name in found)
