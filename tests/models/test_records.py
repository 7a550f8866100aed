"""The record reader: what it is shown of a record, and where its answers are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from adequa.data import Item, Triple
from adequa.models.records import (
    ROOM,
    Mark,
    RecordReader,
    RecordWords,
    WordLikeness,
    load_record_reader,
    word_field,
)
from adequa.models.relations import PLACEHOLDERS
from adequa.models.runtime import WordTable
from adequa.models.wordpiece import WordPiece

WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[unused1]", "[unused2]", "[unused3]", *PLACEHOLDERS)
WORDS += ("isnes", "aldby", "towns", "railway", "area", "yes", "no", "has", "a", ".", "it", "31")
WORDS += ("and", "large")
TOWNS = (
    Triple("list", "towns", "Isnes"),
    Triple("Isnes", "railway", "false"),
    Triple("Isnes", "area", "31"),
    Triple("list", "towns", "Aldby"),
    Triple("Aldby", "railway", "true"),
)


class Doubting:
    """A network that doubts the word `a`, and a sentence with it; it keeps its inputs."""

    def __init__(self, reader: WordPiece) -> None:
        self.words = {number: word for word, number in reader.ids.items()}
        self.seen: list[str] = []

    def __call__(
        self, sequences: Sequence[Sequence[int]], types: Sequence[Sequence[int]]
    ) -> list[Mapping[str, Any]]:
        found = []
        for ids, kinds in zip(sequences, types, strict=True):
            words = [self.words[number] for number in ids]
            self.seen.append(" ".join(words))
            tokens = np.full((len(ids), 3), -4.0)
            for place, (word, kind) in enumerate(zip(words, kinds, strict=True)):
                if word == "a" and kind == 0:
                    tokens[place, 1] = 3.0
            found.append({"tokens": tokens, "pair": np.array([tokens[:, 1].max()])})
        return found


def table(tokens: WordPiece) -> WordTable:
    """Vectors that are alike only for equal words."""
    rows = np.eye(len(tokens), dtype=np.int8) * 100
    return WordTable(rows, np.ones(len(tokens), np.float32))


def reader() -> tuple[RecordReader, Doubting]:
    tokens = WordPiece(WORDS)
    run = Doubting(tokens)
    return RecordReader(tokens, table(tokens), run), run


def test_a_sentence_is_read_after_the_one_before_beside_the_facts_of_each_object() -> None:
    own, run = reader()
    item = Item("1", TOWNS, "Isnes has a railway. It has 31.")
    ((first, second),) = own.read([item], [[(27, Mark.EXPLAINED)]])
    facts = (
        "[unused1] towns isnes [unused2] railway [unused3] no [unused2] area [unused3] 31 "
        "[unused1] towns aldby [unused2] railway [unused3] yes [SEP]"
    )
    assert run.seen == [
        f"[CLS] [SEP] isnes has a railway . [SEP] {facts}",
        f"[CLS] isnes has a railway . [SEP] it has {PLACEHOLDERS[-3]} 31 . [SEP] {facts}",
    ]
    assert first.words == [-4.0, -4.0, 3.0, -4.0, -4.0]
    assert first.offsets[2] == (10, 11)
    assert first.fault == 3.0
    assert second.words == [-4.0] * 4
    assert [item.text[start:end] for start, end in second.offsets] == ["It", "has", "31", "."]
    assert second.facts == (1, 2, 4)  # a link is said by the name of its object


def test_every_mark_is_another_word() -> None:
    own, run = reader()
    text = "Isnes has 31."
    for mark in Mark:
        own.read([Item("1", TOWNS, text)], [[(10, mark)]])
    assert len({one.split()[4] for one in run.seen}) == len(Mark)


def test_of_a_large_record_the_facts_are_read_whose_words_are_like_the_sentence() -> None:
    tokens = WordPiece(WORDS)
    likeness = WordLikeness(table(tokens))
    rows = [
        fact
        for number in range(60)
        for fact in (
            Triple(f"Isnes {number}", "large", "and"),
            Triple(f"Isnes {number}", "area", "31" if number == 50 else "7"),
        )
    ]
    words = RecordWords(tokens, rows)
    chosen = words.choose(tokens.numbers("the area is 31"), 40, likeness)
    assert 101 in chosen  # its field and its value
    # The same field of other rows comes next, and what else fits of a row that is named.
    assert all(number % 2 for number in chosen if number != 100)
    assert chosen == sorted(chosen)
    assert 35 < len(words.join(chosen)) <= 40
    own = RecordReader(tokens, table(tokens), lambda *_: [])
    for one in own.inputs(Item("1", tuple(rows), "It has a railway. " * 40)):
        assert one.types.count(1) <= ROOM + 1


def test_a_long_sentence_is_read_in_windows_that_cover_it() -> None:
    own, _ = reader()
    text = "Isnes has a railway and " * 60
    found = own.inputs(Item("1", TOWNS, text))
    assert len(found) > 1
    covered = {place for one in found for place in one.offsets}
    assert covered == {(start, end) for _, start, end in own.reader.pieces(text)}


def test_a_text_without_sentences_has_no_reading() -> None:
    own, run = reader()
    assert own.read([Item("1", TOWNS, " ")], [[]]) == [[]]
    assert run.seen == []


@pytest.mark.parametrize(
    ("predicate", "value", "expected"),
    [
        ("inStock", "true", ("in Stock", "yes")),
        ("tumble_dry", "N", ("tumble dry", "no")),
        ("due", "2025-03-14", ("due", "14 March 2025")),
        ("visitors", "12840", ("visitors", "12,840")),
        ("zip_direction", "top_to_bottom", ("zip direction", "top to bottom")),
    ],
)
def test_fields_and_values_in_words(predicate: str, value: str, expected: tuple[str, str]) -> None:
    assert word_field(Triple("It", predicate, value)) == expected


def test_weights_without_a_record_reader_have_none(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    from adequa.training.export import seal

    folder = tmp_path_factory.mktemp("weights")
    seal(folder, version="empty", models={"encoder": {}})
    assert load_record_reader(str(folder)) is None
