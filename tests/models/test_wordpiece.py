"""Word pieces, against the reference wherever it is installed."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from adequa.data import Term, Triple
from adequa.errors import ModelError
from adequa.models import wordpiece
from adequa.models import wordpiece as characters
from adequa.models.shipped import weights
from adequa.models.wordpiece import WordPiece

TRIPLES = (Triple("Aarhus_Airport", "cityServed", "Aarhus"), Triple("A", "b", ""))
ALPHABET = st.one_of(
    st.sampled_from("abcdest THEPUBserving 0123456789.,!?'-()[]"),
    st.sampled_from(
        "\t\n\r\x00\x0b\x0c\x1c\x7f\x85\u00a0\u00ad\u200b\u200d\u2028\u3000\ufeff\ufffd"
    ),
    st.sampled_from("éÉñçåøßẞﬁİıΣςσ한국가文本漢豈\u0301\u0327\u0345\u093f\u20dd\U0001d165"),
    st.sampled_from("😀👨🏽\ufe0f€£¿·—…`\u037e\u1fef\u212a\u00b4\u2460\u0e33"),
    st.characters(exclude_categories=["Cs"]),
)
TEXTS = st.text(ALPHABET, max_size=40)


def _reference(words: list[str]) -> Any:
    """What reads as BERT does, without its markers: those must not be found in a text."""
    tokenizers = pytest.importorskip("tokenizers", reason="the reference is not installed")
    vocabulary = {word: number for number, word in enumerate(words)}
    made = tokenizers.Tokenizer(
        tokenizers.models.WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=100)
    )
    made.normalizer = tokenizers.normalizers.BertNormalizer()
    made.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    return made


@pytest.fixture(scope="module")
def reference(words: list[str]) -> Any:
    return _reference(words)


def _pieces(reference: Any, text: str) -> list[tuple[int, int, int]]:
    found = reference.encode(text)
    return [(number, *span) for number, span in zip(found.ids, found.offsets, strict=True)]


@given(text=TEXTS)
@example(text="Café CAFE\u0301 İstanbul, ΣΑΣ ẞ ﬁ 한국 文本a\u200db")
@example(text="x" * 100 + " " + "x" * 101 + "." + "é" * 101)
def test_pieces_and_places_are_those_of_the_reference(
    reader: WordPiece, reference: Any, text: str
) -> None:
    assert reader.pieces(text) == _pieces(reference, text)


@given(text=TEXTS)
def test_pieces_are_in_order_inside_the_text_and_the_same_without_places(
    reader: WordPiece, text: str
) -> None:
    pieces = reader.pieces(text)
    assert [number for number, _, _ in pieces] == reader.numbers(text)
    assert all(0 <= start < end <= len(text) for _, start, end in pieces)
    assert [start for _, start, _ in pieces] == sorted(start for _, start, _ in pieces)


def _characters() -> list[str]:
    """All but the inside of the great blocks of Chinese, Korean, private and unassigned ones."""
    numbers = {*range(0x3400), *range(0xA000, 0xAC00), *range(0xF8F0, 0x20000)}
    tables = (characters.ACCENTS, characters.DROPPED, characters.IDEOGRAPHS, characters.PUNCTUATION)
    for table in tables:
        for place in (*table.firsts, *table.lasts):
            numbers |= {place - 1, place, place + 1}
    return [
        chr(number)
        for number in sorted(numbers)
        if 0 <= number <= sys.maxunicode and not 0xD800 <= number < 0xE000
    ]


def test_the_tables_of_characters_are_those_of_the_reference() -> None:
    tokenizers = pytest.importorskip("tokenizers", reason="the reference is not installed")
    every = _characters()

    def through(separator: str, **settings: bool) -> list[str]:
        off = {"clean_text": False, "handle_chinese_chars": False, "lowercase": False}
        normalise = tokenizers.normalizers.BertNormalizer(
            **{**off, "strip_accents": False, **settings}
        )
        asked = [character for character in every if character != separator]
        found = normalise.normalize_str(separator.join(asked)).split(separator)
        return [*found[: every.index(separator)], separator, *found[every.index(separator) :]]

    clean = through("|", clean_text=True)
    alone = through("|", handle_chinese_chars=True)
    plain = through("\n", strip_accents=True)
    for character, cleaned, parted, stripped in zip(every, clean, alone, plain, strict=True):
        assert (cleaned == "") == (character in characters.DROPPED), hex(ord(character))
        assert (cleaned == " ") == (character in characters.SPACES), hex(ord(character))
        assert (parted != character) == (character in characters.IDEOGRAPHS), hex(ord(character))
        assert (stripped == "") == (character in characters.ACCENTS), hex(ord(character))


def test_the_table_of_punctuation_is_that_of_the_reference() -> None:
    tokenizers = pytest.importorskip("tokenizers", reason="the reference is not installed")
    every = [character for character in _characters() if not character.isspace()]
    split = tokenizers.pre_tokenizers.BertPreTokenizer()
    # A character that is none is a word of three letters with its neighbours.
    found = split.pre_tokenize_str(" ".join(f"a{character}b" for character in every))
    alone = {word for word, _ in found if len(word) == 1} - {"a", "b"}
    assert alone == {character for character in every if character in characters.PUNCTUATION}


def test_a_text_cannot_write_our_markers(reader: WordPiece) -> None:
    markers = {reader.start, reader.separator, reader.pad, *reader.markers}
    assert not markers & set(reader.numbers("[CLS] [SEP] [PAD] [unused1] [S]"))
    assert not markers & set(reader.numbers("[unused1]"))


def test_half_a_character_is_not_there(reader: WordPiece) -> None:
    assert reader.pieces("pub\ud83d the") == [
        (*reader.numbers("pub"), 0, 3),
        (*reader.numbers("the"), 5, 8),
    ]


def test_places_are_those_of_the_text_as_it_was(reader: WordPiece) -> None:
    text = "\u200b Café e\u0301 ẞ 가"
    found = [text[start:end] for _, start, end in reader.pieces(text)]
    assert found == ["Café", "e", "ẞ", "가", "가"]


def test_a_graph_has_a_marker_before_each_part(reader: WordPiece) -> None:
    graph = reader.encode_graph(TRIPLES)
    subject, predicate, object_ = reader.markers
    assert [graph.ids[place] for place in graph.subjects] == [subject, subject]
    assert graph.ids == [
        reader.start,
        *(subject, *reader.numbers("aarhus airport")),
        *(predicate, *reader.numbers("city served")),
        *(object_, *reader.numbers("aarhus")),
        *(subject, *reader.numbers("a"), predicate, *reader.numbers("b"), object_),
        reader.separator,
    ]
    assert reader.encode_graph([]).ids == [reader.start, reader.separator]


def test_terms_are_read_by_their_labels(reader: WordPiece) -> None:
    terms = {"Q1": Term(label="the pub")}
    triple = Triple("Q1", "serves", "Q1")
    assert reader.encode_graph([triple], terms).ids[2:4] == reader.numbers("the pub")
    pair = reader.encode_pair("", [triple], terms)
    assert pair.ids[3:5] == reader.numbers("the pub")


def test_a_pair_is_the_text_and_then_the_graph(reader: WordPiece) -> None:
    text = "Aarhus  Airport serves the city."
    pair = reader.encode_pair(text, TRIPLES)
    edge = len(pair.offsets) + 2
    assert pair.ids[:edge] == reader.encode_text(text)
    assert pair.ids[edge:] == reader.encode_graph(TRIPLES).ids[1:]
    assert pair.types == [0] * edge + [1] * (len(pair.ids) - edge)
    assert [pair.ids[place] for place in pair.subjects] == [reader.markers[0]] * 2
    assert [text[start:end] for start, end in pair.offsets][:3] == ["Aarhus", "Airport", "serve"]


def test_nothing_against_nothing(reader: WordPiece) -> None:
    pair = reader.encode_pair("", [])
    assert pair.ids == [reader.start, reader.separator, reader.separator]
    assert pair.types == [0, 0, 1]


def test_many_words_and_threads_do_not_disturb_each_other(
    words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wordpiece, "_CACHED_WORDS", 5)
    reader = WordPiece(words)
    texts = [f"word{number} the pub{number}" for number in range(300)]
    expected = [WordPiece(words).pieces(text) for text in texts]
    found: list[bool] = []

    def read() -> None:
        found.append([reader.pieces(text) for text in texts] == expected)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 4
    assert len(reader._cuts) <= 5 + 4


@pytest.mark.parametrize(
    ("content", "problem"),
    [(b"[PAD]\n[CLS]\n", r"without \[UNK\], \[SEP\]"), (b"\xff\n", "cannot be read")],
    ids=["markers", "encoding"],
)
def test_a_vocabulary_that_is_none(tmp_path: Path, content: bytes, problem: str) -> None:
    path = tmp_path / "vocabulary.txt"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=rf"vocabulary\.txt: .*{problem}.*exported with"):
        WordPiece.read(path)


def test_a_vocabulary_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"none\.txt: cannot be read"):
        WordPiece.read(tmp_path / "none.txt")


def test_a_vocabulary_is_read_line_by_line(tmp_path: Path, words: list[str]) -> None:
    path = tmp_path / "vocabulary.txt"
    path.write_text("\n".join([*words, "\u2028x"]) + "\n", encoding="utf-8")
    assert list(WordPiece.read(path).ids) == [*words, "\u2028x"]


@pytest.fixture(scope="module")
def shipped() -> tuple[WordPiece, Any]:
    reader = WordPiece.read(weights().path("vocabulary.txt"))
    return reader, _reference(list(reader.ids))


@given(text=TEXTS)
def test_the_shipped_vocabulary_reads_as_the_reference(
    shipped: tuple[WordPiece, Any], text: str
) -> None:
    reader, reference = shipped
    assert reader.pieces(text) == _pieces(reference, text)


def test_transformers_reads_the_same(words: list[str], reader: WordPiece, tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers", reason="the extra hf is not installed")
    path = tmp_path / "vocab.txt"
    path.write_text("\n".join(words) + "\n", encoding="utf-8")
    tokenizer = transformers.BertTokenizerFast(vocab=str(path), do_lower_case=True)
    for text in ("The pub’s Café, İ 文本!", "x" * 101, "", "\x00a\u0301 the-cafe"):
        assert reader.encode_text(text) == tokenizer(text)["input_ids"]
