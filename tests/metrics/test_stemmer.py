"""Porter's stemmer: NLTK's is the oracle, as published and as extended."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.stem import PorterStemmer

from adequa.metrics.stemmer import stem

PLAIN = PorterStemmer(mode=PorterStemmer.ORIGINAL_ALGORITHM)
EXTENDED = PorterStemmer(mode=PorterStemmer.NLTK_EXTENSIONS)
ENDINGS = (
    *("", "s", "es", "ies", "sses", "ed", "eed", "ied", "ing", "y", "e", "ll", "er", "est"),
    *("ational", "tional", "enci", "izer", "abli", "bli", "alli", "fulli", "logi", "ization"),
    *("ator", "alism", "iveness", "fulness", "ousness", "aliti", "iviti", "biliti", "icate"),
    *("ative", "alize", "iciti", "ical", "ful", "ness", "ement", "ion", "sion", "ou", "ism"),
)
ROOTS = "relat hop hopp fil feel agre plaster s sk happ enjo tr oat vietnam digit electr roll a yy"

# Mostly what English is made of, with the letters the rules ask for more often.
made_up = st.text("aeiouyylsztbinedgrcwx", max_size=10)


@pytest.mark.parametrize(("oracle", "extended"), [(PLAIN, False), (EXTENDED, True)])
def test_every_ending_of_the_rules(oracle: Any, extended: bool) -> None:
    for root in ROOTS.split():
        for ending in ENDINGS:
            assert stem(root + ending, extended=extended) == oracle.stem(root + ending)


@settings(max_examples=400)
@given(made_up, st.sampled_from(ENDINGS), st.sampled_from(ENDINGS))
def test_made_up_words(root: str, first: str, second: str) -> None:
    word = root + first + second
    assert stem(word) == PLAIN.stem(word)
    assert stem(word, extended=True) == EXTENDED.stem(word)


@pytest.mark.parametrize(
    "word", ["skies", "dying", "news", "innings", "proceed", "howe", "is", "s"]
)
def test_irregular_and_short_words(word: str) -> None:
    assert stem(word, extended=True) == EXTENDED.stem(word)
    assert stem(word) == PLAIN.stem(word)


def test_the_words_of_wordnet(system_wordnet: Path) -> None:
    words = {
        line.split(" ", 1)[0]
        for part in ("noun", "verb", "adj", "adv")
        for line in (system_wordnet / f"index.{part}").read_text().splitlines()[::12]
        if not line.startswith(" ")
    }
    assert len(words) > 10_000
    assert [word for word in words if stem(word) != PLAIN.stem(word)] == []
    assert [word for word in words if stem(word, extended=True) != EXTENDED.stem(word)] == []


def test_what_is_no_word_stays() -> None:
    assert stem("ing" * 100) == "ing" * 100
    assert stem("") == ""
