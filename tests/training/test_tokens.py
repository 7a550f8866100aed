"""The tokens of training are those of the reference, and those of the shipped models."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.data import Triple
from adequa.errors import DataError
from adequa.models.wordpiece import WordPiece
from adequa.text import readable
from adequa.training.tokens import TokenReader

from . import bases, corpora

WORDS = bases.vocabulary()
TOKENS = TokenReader(WordPiece(WORDS))
TEXTS = st.text(st.sampled_from("aAeÉzß ,.-'1\n中İ"), max_size=30)


def reference() -> object:
    tokenizers = pytest.importorskip("tokenizers", reason="tokenizers is not installed")
    numbers = {word: number for number, word in enumerate(WORDS)}
    found = tokenizers.Tokenizer(tokenizers.models.WordPiece(numbers, unk_token="[UNK]"))
    found.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=True)
    found.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    return found


@given(TEXTS)
def test_texts_as_the_reference_reads_them(text: str) -> None:
    expected = reference().encode(text, add_special_tokens=False)  # type: ignore[attr-defined]
    found = TOKENS.text(text)
    assert found.ids == expected.ids
    assert found.offsets == expected.offsets


def test_graphs_as_the_reference_reads_them() -> None:
    known = reference()
    for item in corpora.items():
        ids: list[int] = []
        marks = []
        for triple in item.triples:
            marks.append(len(ids))
            for marker, words in zip((1, 2, 3), readable(triple), strict=True):
                ids += [marker, *known.encode(words).ids]  # type: ignore[attr-defined]
        found = TOKENS.graph(item.triples)
        assert (found.ids, found.marks, found.offsets) == (ids, marks, [])


def test_what_is_read_in_training_is_what_is_read_later() -> None:
    reader = TOKENS.reader
    for item in corpora.items():
        text, graph = TOKENS.text(item.text), TOKENS.graph(item.triples)
        assert text.closed(512) == reader.encode_text(item.text)
        assert graph.closed(512) == reader.encode_graph(item.triples).ids
        ids, types = TOKENS.pair(text, graph)
        later = reader.encode_pair(item.text, item.triples)
        assert (ids, types, text.offsets) == (later.ids, later.types, later.offsets)
        assert [len(text.ids) + 2 + mark for mark in graph.marks] == later.subjects


def test_what_is_too_long_is_cut_between_the_edges() -> None:
    whole = TOKENS.graph([Triple("Velmora", "country", "Sarn")] * 3)
    cut = whole.closed(8)
    assert len(cut) == 8
    assert (cut[0], cut[-1]) == (WORDS.index("[CLS]"), WORDS.index("[SEP]"))
    assert cut[1:-1] == whole.ids[:6]


def test_a_folder_without_words(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"vocab\.txt.*give the folder of an uncased BERT"):
        TokenReader.read(tmp_path)
