"""A text prepared for matching."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.text.words import (
    CALENDAR,
    GENERIC,
    TITLES,
    PreparedText,
    common_words,
    fold,
    key_of,
    words_of,
)


@pytest.mark.parametrize(
    ("string", "folded"),
    [
        ("Agremiação", "agremiacao"),
        ("ŁÓDŹ", "lodz"),
        ("Ærø", "aro"),
        ("İzmir", "izmir"),
        ("Straße", "strase"),  # as long as it was
        ("Москва", "москва"),
        ("ﬁne", "fne"),
        ("東京 ٣", "東京 ٣"),
        ("", ""),
    ],
)
def test_folding(string: str, folded: str) -> None:
    assert fold(string) == folded


@given(st.text())
def test_folding_keeps_every_place(string: str) -> None:
    folded = fold(string)
    assert len(folded) == len(string)
    assert [letter.isalnum() for letter in folded] == [letter.isalnum() for letter in string]


@given(st.text(alphabet=st.characters(categories=["Lu", "Ll", "Nd"], max_codepoint=0x17F)))
def test_an_accent_or_a_capital_makes_no_difference(string: str) -> None:
    plain = "".join(unicodedata.normalize("NFD", letter)[:1] for letter in string)
    assert fold(string) == fold(plain)
    assert fold(fold(string)) == fold(string)


def test_keys() -> None:
    assert key_of("St. Louis, Missouri") == key_of("st louis_missouri") == "stlouismissouri"
    assert words_of("FC Köln-1948's (men)") == ["fc", "koln", "1948", "s", "men"]
    assert key_of("…!") == ""


@given(st.text())
def test_words_are_at_their_offsets(string: str) -> None:
    text = PreparedText(string)
    assert text.words == words_of(string)
    assert text.key == key_of(string)
    for number, word in enumerate(text.words):
        assert text.folded[text.starts[number] : text.ends[number]] == word
        assert text.key.startswith(word, text.places[number])
        assert text.starts_at[text.places[number]] == number
        assert text.ends_at[text.places[number] + len(word)] == number
    if text.words:
        assert len(text.sentences) == len(text.words)
        assert text.sentences == sorted(text.sentences)


@pytest.mark.parametrize(
    ("string", "sentences"),
    [
        ("One two. Three! Four", [0, 0, 1, 2]),
        ('He said "no." Then left.', [0, 0, 0, 1, 1]),
        ("One\n\nTwo", [0, 1]),
        ("3.5 and a.b", [0] * 5),
        ("One two.", [0, 0]),
        ("", []),
    ],
)
def test_sentences(string: str, sentences: list[int]) -> None:
    assert PreparedText(string).sentences == sentences


def test_dates_numbers_and_gaps() -> None:
    text = PreparedText("Born 3 May 1957, 1.78 m")
    assert [string_of(text, span.start, span.end) for span in text.dates] == ["3 May 1957"]
    assert "1.78" in [string_of(text, span.start, span.end) for span in text.numbers]
    assert text.between(3, 4) == ", "
    assert not text.lower_cased
    assert PreparedText("born 3 may").lower_cased
    assert not PreparedText("1957").lower_cased


def string_of(text: PreparedText, start: int, end: int) -> str:
    return text.string[start:end]


def test_every_word_is_one_folded_word() -> None:
    for word in (*common_words(), *CALENDAR, *GENERIC):
        assert words_of(word) == [word]


def test_common_words_are_common() -> None:
    assert {"the", "located", "however", "born", "his"} <= common_words()
    assert not common_words() & {"aarhus", "paris", "london", "shepard", "willis", "pakistan"}


def test_titles_and_the_calendar() -> None:
    assert TITLES <= GENERIC
    assert {"may", "sunday", "sept"} <= CALENDAR
    assert {"president", "dr"} <= TITLES


@given(st.text(alphabet="ab .!?…\n\"')", max_size=30))
def test_sentences_end_as_the_rule_says(string: str) -> None:
    text = PreparedText(string)
    ends = [one.start() for one in re.finditer(r"(?<![.!?…])[.!?…]+[\"'”’)\]]*\s+|\n+", string)]
    assert text.sentences == [sum(end < start for end in ends) for start in text.starts]


def test_words_by_letters_and_by_initial() -> None:
    text = PreparedText("To be or not to be.")
    assert text.numbers_of["be"] == [1, 5]
    assert text.initials == "tbontb"
