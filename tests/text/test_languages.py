"""The languages: which one a text is in, and that their tables are complete."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa import read
from adequa.data import Item, Triple
from adequa.text import languages
from adequa.text.languages import LANGUAGES, code_of, find_language, language_code, language_name


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Die Brücke liegt in der Nähe des Hafens und ist nicht beleuchtet.", "de"),
        ("Le pont se trouve près du port et il n'est pas éclairé.", "fr"),
        ("El puente está cerca del puerto y no tiene luz.", "es"),
        ("Il ponte si trova vicino al porto e non è illuminato.", "it"),
        ("A ponte fica perto do porto e não está iluminada.", "pt"),
        ("De brug ligt bij de haven en wordt niet verlicht.", "nl"),
        ("Most se nachází u přístavu a není osvětlen.", "cs"),
        ("Мост находится рядом с портом и не освещён.", "ru"),
        ("Most znajduje się w pobliżu portu i nie jest oświetlony.", "pl"),
        ("Міст розташований біля порту і не освітлений.", "uk"),
        ("橋は港の近くにあり、照明がありません。", "ja"),
        ("橋の長さは140mです。", "ja"),
        ("这座桥长140米。", "zh"),
        ("다리가 길다.", "ko"),
        ("Вена", "ru"),
        ("Cây cầu là một phần của cảng và không có đèn.", "vi"),
        ("Jembatan ini adalah bagian dari pelabuhan dan tidak terang.", "id"),
    ],
)
def test_a_language_is_recognised(text: str, code: str) -> None:
    assert find_language(text) == code


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The bridge is near the port.",
        "San Sebastián de los Reyes is in Spain.",
        "John van den Brom plays for AZ Alkmaar.",
        "A.D. Isidro Metapán's full name is Asociación Deportiva.",
        "Le Pont",
        "Café «酒馆»",
        "Vienna (Вена)",
        "Rio de la Plata, Los Angeles and El Paso are names of places.",
        "toni orto plays for a . s . d . s . s . tarna and manages a . c . milo .",
        "the anthem of the united provinces is de ș teapt ă te , rom â ne .",
        "u . s . citta di tarna play in serie a .",
        "uruguay ' s leader is tabaré vázquez .",
        "alison o ' connel 's genre is folk .",
        "são josé dos montes airport is located in the south .",
    ],
)
def test_english_and_short_texts_are_not_another_language(text: str) -> None:
    assert find_language(text) is None


def find_slowly(text: str) -> str | None:
    """`find_language` without its early ends, for texts in Latin letters."""
    if text.isascii() and languages._all_frequent().isdisjoint(text.lower().split()):
        return None
    spoken = languages._NOT_A_WORD.sub(" ", text)
    words = {word for word in languages._LETTERS_ONLY.findall(spoken) if word.islower()}
    words |= {*map(str.lower, languages._SENTENCE_START.findall(spoken))}
    marks = "".join(languages._MARKED.findall(spoken))
    counts = {code: len(frequent & words) for code, frequent in languages._frequent().items()}
    for code, letters in languages._MARKS.items():
        if counts[code] or not languages._ENGLISH & words:
            counts[code] += min(languages._MOST_MARKS, sum(map(marks.count, letters)))
    best = max(counts, key=counts.__getitem__)
    least = languages._LEAST
    english = languages._ENGLISH & words
    enough = counts[best] >= least and counts[best] > len(english)
    if len(words) <= languages._SHORT_TEXT and english <= {"in"}:
        enough = enough or counts[best] >= least - 1
    sure = languages._TIMES * len(languages._SURE_ENGLISH & words)
    return best if enough and counts[best] >= sure else None


_WORDS = [
    *("The", "the", "is", "in", "in", "and", "Reyes", "Die", "die", "und", "von", "des", "liegt"),
    *("los", "de", "del", "la", "está", "été", "für", "le", "et", "il", "non", "è", "não", "1990"),
    *("Österreich", "město", "se", "een", "het", "bridge", ".", "das", "der", "Der", "l'eau"),
    *("s", "d", "u", "'s", "c .", "à", "ă", "A", "y", "l ' été"),
]


@given(st.lists(st.sampled_from(_WORDS), max_size=14))
def test_early_ends_change_no_answer(words: list[str]) -> None:
    text = " ".join(words)
    assert find_language(text) == find_slowly(text)


@pytest.mark.parametrize(
    ("text", "name", "code"),
    [
        ("the copper kettle , cerca del teatro", "The_Copper_Kettle", "es"),
        ("abel durán club u.s. città di tarna", "U.S._Città_di_Tarna", "en"),
        ("san telmo de los prados is a town", "San_Telmo_de_los_Prados", "en"),
        ("Abel Durán (שלום) in Xy", "Abel Durán", "en"),
        ("Александровский мост is a bridge", "Александровский_мост", "en"),
        ("Александровский мост is a bridge", "Alexander_Bridge", "ru"),
        ("Мост Абель находится у порта", "Abel Bridge", "ru"),
    ],
)
def test_names_of_the_data_say_nothing(text: str, name: str, code: str) -> None:
    facts = (Triple(name, "place", "X"), Triple("Abel_Durán", "club", name))
    assert language_code(Item("1", facts, text)) == code


def test_words_that_stand_for_english_are_not_frequent_elsewhere() -> None:
    lists = [one.frequent for one in LANGUAGES.values()]
    lists += [words for _, words in languages._OTHERS.values()]
    for words in lists:
        assert languages._SURE_ENGLISH.isdisjoint(words.split())


@pytest.mark.data
def test_english_outputs_of_systems_are_english(data_dir: Path) -> None:
    """The outputs of 2017 are mostly in lower case, with spaces between letters and points."""
    systems = {path.stem: path for path in (data_dir / "webnlg2017/systems").glob("*.txt")}
    assert len(systems) == 9
    items = [
        *read(data_dir / "webnlg2017/test", texts=systems),
        *read(data_dir / "webnlg2020/dev"),
    ]
    taken = [item.text for item in items if language_code(replace(item, lang=None)) != "en"]
    assert len(items) == 21_226
    assert taken == []


def test_what_is_given_comes_first() -> None:
    german = "Die Brücke liegt in der Nähe des Hafens."
    assert language_code(Item("1", (), german, lang=None)) == "de"
    assert language_code(Item("1", (), german, lang="fr-CA")) == "fr"
    assert language_code(Item("1", (), german, lang="und")) == "de"
    assert language_code(Item("1", (), "The bridge.")) == "en"


@pytest.mark.parametrize(
    ("lang", "code"),
    [("de-AT", "de"), ("DEU", "de"), ("Czech", "cs"), ("pt_BR", "pt"), ("", None), ("br", "br")],
)
def test_codes(lang: str, code: str | None) -> None:
    assert code_of(lang) == code


def test_names() -> None:
    assert language_name("nl") == "Dutch"
    assert language_name("xx") == "'xx'"


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_tables_of_a_language_are_complete(code: str) -> None:
    language = LANGUAGES[code]
    assert {*language.month_numbers.values()} == {*range(1, 13)}
    assert len(language.weekdays.split()) >= 7
    known = {value for _, value, ordinal in language.number_words.values() if not ordinal}
    assert {*range(2, 20), 30, 90, 1000, 10**6} <= known
    for pattern in (language.ending, language.negators, language.hour, language.day_end):
        re.compile(pattern)
    assert language.words_for("rain")
    assert language.words_for("bridge")
    assert language.words_for("germany")
    assert language.words_for("no such word") == ()
