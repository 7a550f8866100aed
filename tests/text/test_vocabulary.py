"""Words of English that name nothing in particular."""

from __future__ import annotations

from adequa.text.words import CALENDAR, GENERIC, TITLES, common_words, words_of


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
