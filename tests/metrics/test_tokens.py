"""Tokens, stems and synonyms: NLTK is the oracle, except for where a sentence ends."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.stem import PorterStemmer
from nltk.tokenize import NLTKWordTokenizer

import adequa
from adequa.errors import DataError, MissingExtra, SettingError
from adequa.metrics.tokens import (
    find_wordnet,
    fingerprint,
    open_wordnet,
    stem,
    tokens,
    treebank,
    treebank_sentences,
)

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
    assert tokens("A pub, (cheap)", "whitespace", lowercase=True) == ("a", "pub,", "(cheap)")
    assert tokens("A pub, (cheap)", "13a", lowercase=False) == ("A", "pub", ",", "(", "cheap", ")")
    long = "Word. " * 1000
    assert tokens(long, "treebank", lowercase=True) == ("word", ".") * 1000


@pytest.mark.data
def test_real_sentences_are_cut_as_by_nltk(data_dir: Path) -> None:
    items = itertools.islice(adequa.read(data_dir / "webnlg2020" / "dev"), 0, None, 3)
    sentences = [one for item in items for one in treebank_sentences(item.text)]
    oracle = NLTKWordTokenizer()
    different = [one for one in sentences if treebank(one) != oracle.tokenize(one)]
    assert len(sentences) > 2000
    assert len(different) <= 2, different


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


WORDS = (
    *("dog", "dogs", "city", "cities", "cars", "goose", "geese", "paris", "pubs", "built"),
    *("builds", "building", "bought", "making", "ran", "runs", "bigger", "biggest", "better"),
    *("best", "well", "asleep", "quickly", "fine", "nothing", "", "domestic_dog", "\ud800", "é"),
)


def synonyms_by(oracle: Any, word: str) -> frozenset[str]:
    lemmas = (lemma.name() for sense in oracle.synsets(word) for lemma in sense.lemmas())
    return frozenset(lemma for lemma in lemmas if "_" not in lemma)


def test_synonyms_of_inflected_words(shared_wordnet: Path) -> None:
    known = open_wordnet(shared_wordnet).synonyms
    assert known("cities") == {"city", "metropolis"}
    assert known("bought") == {"buy", "purchase"}
    assert known("geese") == {"goose"}
    assert known("larger") == {"big", "large"}
    assert known("well") == {"good", "well", "fine"}
    assert known("better") == {"good", "well", "fine"}
    assert known("paris") == {"Paris"}
    assert known("automobiles") == {"car", "auto", "automobile"}
    assert known("nothing") == frozenset()
    assert known("x" * 1000) == frozenset()


@pytest.mark.parametrize("word", [word for word in WORDS if word != "\ud800"])
def test_our_own_wordnet_as_nltk_reads_it(
    word: str, shared_wordnet: Path, nltk_wordnet: Callable[[Path], Any]
) -> None:
    assert open_wordnet(shared_wordnet).synonyms(word) == synonyms_by(
        nltk_wordnet(shared_wordnet), word
    )


def test_half_a_character_is_in_no_wordnet(shared_wordnet: Path) -> None:
    assert open_wordnet(shared_wordnet).synonyms("\ud800s") == frozenset()


def test_the_real_wordnet_as_nltk_reads_it(
    system_wordnet: Path, nltk_wordnet: Callable[[Path], Any]
) -> None:
    oracle, known = nltk_wordnet(system_wordnet), open_wordnet(system_wordnet).synonyms
    lines = (system_wordnet / "index.noun").read_text().splitlines()[40::400]
    lines += (system_wordnet / "index.verb").read_text().splitlines()[40::60]
    lines += (system_wordnet / "index.adj").read_text().splitlines()[40::100]
    roots = [line.split(" ", 1)[0] for line in lines]
    for root in roots:
        for ending in ("", "s", "es", "ed", "ing", "er"):
            assert known(root + ending) == synonyms_by(oracle, root + ending)


def test_threads_share_one(shared_wordnet: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(lambda _: open_wordnet(shared_wordnet).synonyms("cities"), range(64)))
    assert found == {frozenset({"city", "metropolis"})}


def test_a_wordnet_that_changes_is_read_again(tiny_wordnet: Path) -> None:
    before = fingerprint(tiny_wordnet)
    assert open_wordnet(tiny_wordnet).synonyms("mice") == frozenset()
    with (tiny_wordnet / "noun.exc").open("a") as stream:
        stream.write("mice dog\n")
    assert open_wordnet(tiny_wordnet).synonyms("mice") == {"dog"}
    assert fingerprint(tiny_wordnet) != before


def test_a_fingerprint_is_of_wordnets_files_alone(tiny_wordnet: Path) -> None:
    before = fingerprint(tiny_wordnet)
    (tiny_wordnet / "README").write_text("not ours")
    assert fingerprint(tiny_wordnet) == before


def test_where_it_is_looked_for(
    tiny_wordnet: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adequa.metrics.tokens._PLACES", ())
    monkeypatch.delenv("WNSEARCHDIR", raising=False)
    monkeypatch.delenv("WNHOME", raising=False)
    with pytest.raises(SettingError, match=r"wordnet-base.*meteor:wordnet=.*synonyms=false"):
        find_wordnet(None)
    monkeypatch.setenv("WNSEARCHDIR", str(tiny_wordnet))
    assert find_wordnet(None) == tiny_wordnet
    monkeypatch.delenv("WNSEARCHDIR")
    (tmp_path / "home").mkdir()
    tiny_wordnet.rename(tmp_path / "home" / "dict")
    monkeypatch.setenv("WNHOME", str(tmp_path / "home"))
    assert find_wordnet(None) == tmp_path / "home" / "dict"
    assert find_wordnet(tmp_path / "home") == tmp_path / "home" / "dict"
    with pytest.raises(SettingError, match=r"is not a WordNet folder: it has no index\.noun"):
        find_wordnet(tmp_path)


@pytest.mark.parametrize(
    ("name", "old", "new", "named"),
    [
        ("index.noun", b"dog n 1 0 1 0 ", b"dog n 1 0 1 0 9", "data.noun"),
        ("index.noun", b"dog n 1 0 1 0 ", b"dog n 1 0 1 0 -", "data.noun"),
        ("index.noun", b"dog n 1 0 1 0 ", b"dog n 1 0 1 0 x", "index.noun"),
        ("index.noun", b"dog n 1 0", b"dog n many 0", "index.noun"),
        ("index.noun", b"dog n 1 0 1 0 ", b"dog n 0 0 1 0 ", "index.noun"),
        ("data.noun", b" 03 n 03 dog", b" 03 n zz dog", "data.noun"),
        ("data.noun", b" 03 n 03 dog", b" 03 n 33 dog", "data.noun"),
        ("data.noun", b"dog 0", b"\xff\xfeg 0", "data.noun"),
        ("data.noun", b"  1 This", b"  This", "data.noun"),
    ],
)
def test_damage_is_named(name: str, old: bytes, new: bytes, named: str, tiny_wordnet: Path) -> None:
    path = tiny_wordnet / name
    assert old in path.read_bytes()
    path.write_bytes(path.read_bytes().replace(old, new, 1))
    with pytest.raises(DataError, match=rf"{named}: .* not as WordNet writes it; install"):
        open_wordnet(tiny_wordnet).synonyms("dogs")


def test_an_empty_file_is_damage_too(tiny_wordnet: Path) -> None:
    (tiny_wordnet / "data.noun").write_bytes(b"")
    with pytest.raises(DataError, match=r"data\.noun"):
        open_wordnet(tiny_wordnet).synonyms("dog")


@pytest.mark.parametrize("name", ["meteor", "bleu_nltk"])
def test_without_nltk_the_extra_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nltk", None)
    with pytest.raises(MissingExtra, match=r"adequa\[nltk\]"):
        adequa.load_metric(name)
