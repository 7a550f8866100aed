"""Names in other languages: endings, translated types, other scripts."""

from __future__ import annotations

import pytest

from adequa.data import Item, Term, Triple
from adequa.entities import JudgmentSettings, judge
from adequa.entities.inflections import is_inflected
from adequa.text import LANGUAGES


@pytest.mark.parametrize(
    ("code", "name", "word"),
    [
        ("de", "osterreich", "osterreichs"),
        ("de", "genf", "genfer"),
        ("de", "schweden", "schwedische"),
        ("cs", "praha", "prahou"),
        ("cs", "praha", "praze"),
        ("cs", "viden", "vidni"),
        ("cs", "holberg", "holbergovi"),
        ("ru", "германия", "германии"),
        ("ru", "женева", "женеву"),
        ("it", "tedesco", "tedesca"),
        ("nl", "lindeman", "lindemans"),
    ],
)
def test_forms_of_a_name(code: str, name: str, word: str) -> None:
    assert is_inflected(name, word, LANGUAGES[code])


@pytest.mark.parametrize(
    ("code", "name", "word"),
    [("de", "maurits", "marquardt"), ("cs", "velda", "veldensko"), ("ru", "вена", "венеция")],
)
def test_other_names_are_not_forms_of_it(code: str, name: str, word: str) -> None:
    assert not is_inflected(name, word, LANGUAGES[code])


def found(data: str, text: str, **labels: str) -> dict[str, tuple[str, str]]:
    triples = tuple(Triple(*triple.split(" | ")) for triple in data.split(" && "))
    code = "ru" if any(letter > "\u0400" for letter in text) else "nl"
    terms = {name.replace("_", " "): Term(labels={code: label}) for name, label in labels.items()}
    item = Item("1", triples, text, lang=code, terms=terms)
    mentions = judge(item, JudgmentSettings()).mentions
    return {one.entity: (text[one.start : one.end], one.method) for one in mentions}


def test_a_type_is_translated() -> None:
    data = "Karsten Bridge | architect | Ernst Kolman"
    assert found(data, "Мост Карстен построил Эрнст Кольман.") == {
        "Karsten Bridge": ("Мост Карстен", "transliterated"),
        "Ernst Kolman": ("Эрнст Кольман", "transliterated"),
    }
    assert found(data, "De Karstenbrug is van Ernst Kolman.") == {
        "Karsten Bridge": ("Karstenbrug", "inflected"),
        "Ernst Kolman": ("Ernst Kolman", "name"),
    }


def test_labels_of_the_language_count() -> None:
    assert found(
        "Cologne | river | Rhine", "Кёльн стоит на Рейне.", Cologne="Кёльн", Rhine="Рейн"
    ) == {
        "Cologne": ("Кёльн", "alias"),
        "Rhine": ("Рейне", "inflected"),
    }


def test_a_value_of_several_numbers() -> None:
    data = "Golden Fox | rating | 4.5 out of 5"
    assert found(data, "Golden Fox krijgt een 4,5 op 5.")["4.5 out of 5"] == ("4,5 op 5", "number")
    assert "4.5 out of 5" not in found(data, "Golden Fox krijgt een 3,5 op 5.")
