"""Cutting words: NLTK's word tokeniser is the oracle for a sentence; where one ends is our rule."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.tokenize import NLTKWordTokenizer

import adequa
from adequa.metrics.words import cut, treebank, treebank_sentences

SENTENCES = [
    'The "Blue Spice" is a pub (cheap).',
    "Bakso's a dish; it isn't from Peru, it's from Indonesia!",
    "He said: 'It costs $3.50, i.e. 10% more' -- really?",
    "They cannot go, we're gonna stay, and 'tis fine...",
    "Its runway 14L/32R is 4,349.0 m long: the name's “Main” & it's 08:30",
    "The players' club (the [old] one) has 1,000 members.",
    '"AIP Adv." is what they call it, and they say "A Long Way."',
    "''08/26'' is a name",
    "I'd've liked the Dons' won't",
    "rock 'n' roll and the 'Year of Light'",
    "",
    "   ",
]


@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_sentence_is_cut_as_by_nltk(sentence: str) -> None:
    assert treebank_sentences(sentence) in ([sentence], [])
    assert treebank(sentence) == NLTKWordTokenizer().tokenize(sentence)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("It is in Peru. It is old.", 2),
        ("It is in Peru. it is old.", 2),
        ("Dr. Lee and J. V. Jones met in St. Louis. They left.", 2),
        ("She has an M.A. in law from the U.S. She left.", 2),
        ("It was built in 2006. the owner left!", 1),
        ('He said "Go!" Then he left.', 2),
        ("Is it? Yes!", 2),
        ("No. 5 is fine", 1),
        ("The end.   ", 1),
    ],
)
def test_periods_of_abbreviations_end_no_sentence(text: str, sentences: int) -> None:
    assert len(treebank_sentences(text)) == sentences


def test_the_period_of_each_sentence_is_a_word() -> None:
    assert treebank("It is in Peru. It is old.").count(".") == 2


@given(st.text())
def test_no_letter_is_lost(text: str) -> None:
    marks = str.maketrans("", "", "\"'`")  # quotes are rewritten
    assert "".join(treebank(text)).translate(marks) == "".join(text.split()).translate(marks)


def test_the_ways_to_cut() -> None:
    assert cut("A pub, (cheap)", "whitespace", True) == ("a", "pub,", "(cheap)")
    assert cut("A pub, (cheap)", "13a", False) == ("A", "pub", ",", "(", "cheap", ")")
    long = "Word. " * 1000
    assert cut(long, "treebank", True) == ("word", ".") * 1000


@pytest.mark.data
def test_real_sentences_are_cut_as_by_nltk(data_dir: Path) -> None:
    items = itertools.islice(adequa.read(data_dir / "webnlg2020" / "dev"), 0, None, 3)
    sentences = [one for item in items for one in treebank_sentences(item.text)]
    oracle = NLTKWordTokenizer()
    different = [one for one in sentences if treebank(one) != oracle.tokenize(one)]
    assert len(sentences) > 2000
    assert len(different) <= 2, different
