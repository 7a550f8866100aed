"""The record reader: which facts a sentence is asked about, and how they are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from adequa.data import Item, Triple
from adequa.models.runtime import WordTable
from adequa.models.wordpiece import WordPiece
from research.records.reader import ASKED, RecordReader, RecordWords, WordLikeness, word_field

WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[unused1]", "[unused2]", "[unused3]")
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
    """A network that finds every no contradicted; it keeps its inputs."""

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
            tokens = np.zeros((len(ids), 3))
            tokens[kinds.index(1), 1] = 3.0 if "no" in words else -4.0
            found.append({"tokens": tokens})
        return found


def table(tokens: WordPiece) -> WordTable:
    """Vectors that are alike only for equal words."""
    rows = np.eye(len(tokens), dtype=np.int8) * 100
    return WordTable(rows, np.ones(len(tokens), np.float32))


def reader() -> tuple[RecordReader, Doubting]:
    tokens = WordPiece(WORDS)
    run = Doubting(tokens)
    return RecordReader(tokens, table(tokens), run), run


def test_a_sentence_is_asked_about_one_fact_at_a_time_the_most_alike_first() -> None:
    own, run = reader()
    ((first, second),) = own.read([Item("1", TOWNS, "Isnes has a railway. It has 31.")])
    sentence = "[CLS] isnes has a railway . [SEP]"
    assert run.seen[:3] == [
        f"{sentence} [unused1] towns isnes [unused2] railway [unused3] no [SEP]",
        f"{sentence} [unused1] towns aldby [unused2] railway [unused3] yes [SEP]",
        f"{sentence} [unused1] towns isnes [unused2] area [unused3] 31 [SEP]",
    ]
    assert (first.start, first.end) == (0, 20)
    assert first.facts == (1, 4, 2)  # the names of objects are no facts of their own
    assert first.logits == (3.0, -4.0, -4.0)
    assert second.facts[0] == 2


def test_of_a_large_record_only_the_facts_most_like_the_sentence_are_asked_about() -> None:
    own, run = reader()
    rows = [
        fact
        for number in range(60)
        for fact in (
            Triple(f"Isnes {number}", "large", "and"),
            Triple(f"Isnes {number}", "area", "31" if number == 50 else "7"),
        )
    ]
    ((one,),) = own.read([Item("1", tuple(rows), "The area is 31.")])
    assert len(one.facts) == len(run.seen) == ASKED
    assert one.facts[0] == 101  # its field and its value
    assert all(number % 2 for number in one.facts)  # then the same field of other objects


def test_a_long_sentence_is_read_in_windows_that_cover_it() -> None:
    own, _ = reader()
    text = "Isnes has a railway and " * 60
    found = own.sentences(text)
    assert len(found) > 1
    assert found[0][0][0] == 0
    assert found[-1][0][1] == len(text.rstrip())
    assert all(later[0][0] <= earlier[0][1] + 1 for earlier, later in pairwise(found))


def test_a_text_without_words_and_a_record_without_facts_have_no_answers() -> None:
    own, run = reader()
    assert own.read([Item("1", TOWNS, " ")]) == [[]]
    ((one,),) = own.read([Item("1", (), "Isnes has a railway.")])
    assert one.logits == ()
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


def test_likeness_is_that_of_the_nearest_word() -> None:
    tokens = WordPiece(WORDS)
    likeness = WordLikeness(table(tokens))
    alike, other = (np.array(tokens.numbers(one)) for one in ("railway area", "railway"))
    assert likeness.best(alike, other).tolist() == pytest.approx([1.0, 0.0], abs=0.05)
    assert likeness.best(alike, other[:0]).tolist() == [0.0, 0.0]
    words = RecordWords(tokens, TOWNS)
    assert words.choose(tokens.numbers("area"), 1, likeness) == [2]
