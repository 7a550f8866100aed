"""The record reader: which facts a sentence is asked about, and how they are shown."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adequa.data import Triple
from adequa.models.records import (
    ASKED,
    RecordReader,
    WordLikeness,
    load_record_reader,
    word_field,
)
from adequa.models.relations import PLACEHOLDERS, NamedText
from adequa.models.runtime import WordTable
from adequa.models.shipped import DEFAULT, weights
from adequa.models.wordpiece import WordPiece

WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[unused1]", "[unused2]", "[unused3]", *PLACEHOLDERS)
WORDS += ("isnes", "aldby", "towns", "railway", "area", "yes", "no", "has", "a", ".", "it", "31")
WORDS += ("and", "large", "'", "s", "is", ":", ",", ";", "list")
SUBJECT, OBJECT, OTHER, KNOWN = (*PLACEHOLDERS[:3], PLACEHOLDERS[-1])
TOWNS = (
    Triple("list", "towns", "Isnes"),
    Triple("Isnes", "railway", "false"),
    Triple("Isnes", "area", "31"),
    Triple("list", "towns", "Aldby"),
    Triple("Aldby", "railway", "true"),
)


class Doubting:
    """A network that finds every no contradicted by the word "railway"; it keeps its inputs."""

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
            tokens[[place for place, word in enumerate(words) if word == "railway"][:1], 1] = 2.0
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


def named(text: str, *names: str, triples: Sequence[Triple] = TOWNS) -> NamedText:
    """A text with the places of some of its words, each of which names an entity."""
    places = ((text.index(name), text.index(name) + len(name), name) for name in names)
    return NamedText(text, triples, {}, sorted(places))


def test_a_sentence_is_asked_about_one_fact_at_a_time_the_most_alike_first() -> None:
    own, run = reader()
    (found,) = own.read([named("Isnes has a railway.", "Isnes")])
    assert run.seen[1:] == [
        f"[CLS] {SUBJECT} has a railway . [SEP] towns {SUBJECT} ' s railway is no [SEP]",
        f"[CLS] {SUBJECT} has a railway . [SEP] towns {SUBJECT} ' s area is 31 [SEP]",
        f"[CLS] {OTHER} has a railway . [SEP] towns aldby ' s railway is yes [SEP]",
        # What may be contradicted is asked about once more, the other way round.
        f"[CLS] {SUBJECT} has a railway . [SEP] towns {SUBJECT} ' s railway is yes [SEP]",
    ]
    assert [(one.start, one.end) for one in found] == [(0, 20)] * 4
    assert [one.fact for one in found] == [None, 1, 2, 4]  # the names of objects are no facts
    assert [one.logit for one in found[1:]] == [3.0, -4.0, -4.0]
    assert [one.turned for one in found] == [None, -4.0, None, None]
    assert found[1].words[3] == (12, 19, 2.0)


def test_a_sentence_is_asked_once_about_the_facts_together_those_of_each_object_in_a_row() -> None:
    own, run = reader()
    (found,) = own.read([named("Isnes, 31, has a railway and Aldby.", "Isnes", "31", "Aldby")])
    isnes, number, aldby = PLACEHOLDERS[:3]
    assert run.seen[0] == (
        f"[CLS] {isnes} , {number} , has a railway and {aldby} . [SEP] "
        f"towns {isnes} : area {number} , railway no ; towns {aldby} : railway yes ; [SEP]"
    )
    assert found[0].fact is None
    assert found[0].logit == 3.0


def test_together_at_most_some_word_pieces_of_facts_are_shown() -> None:
    own, run = reader()
    facts = [Triple("list", f"area {'large ' * 20}{number}", "31") for number in range(9)]
    own.read([named("The area is large.", triples=facts)])
    words = run.seen[0].split(" [SEP] ")[1].split()
    assert 70 < len(words) <= 97
    assert words.count("area") == 3


def test_numbers_of_the_data_are_hidden_and_others_shown() -> None:
    own, run = reader()
    own.read([named("Isnes has 31 and 7.", "Isnes", "31")])
    sentence = f"[CLS] {SUBJECT} has {OBJECT} and [UNK] . [SEP]"
    assert run.seen[1] == f"{sentence} towns {SUBJECT} ' s area is {OBJECT} [SEP]"
    assert f"has {KNOWN} and" in run.seen[2]  # the number of another fact


def test_a_sentence_that_refers_to_the_one_before_is_read_after_it() -> None:
    own, run = reader()
    (found,) = own.read([named("Isnes is large. It has a railway.", "Isnes")])
    second = [one for one in found if one.start == 16]
    assert f"[CLS] {SUBJECT} is large . it has a railway . [SEP]" in run.seen[-4]
    assert min(start for one in second for start, _, _ in one.words) == 16


def test_what_no_sentence_names_has_its_name_and_the_whole_is_it() -> None:
    own, run = reader()
    facts = (Triple("Isnes", "area", "31"), Triple("Aldby", "area", "7"))
    own.read([named("The area is large.", triples=facts)])
    assert any(one.endswith("it ' s area is 31 [SEP]") for one in run.seen)
    assert any(one.endswith("aldby ' s area is [UNK] [SEP]") for one in run.seen)


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
    (found,) = own.read([named("The area is 31.", triples=rows)])
    assert len(found) == len(run.seen) == ASKED + 1
    facts = [one.fact for one in found[1:] if one.fact is not None]
    assert facts[0] == 101  # its field and its value
    assert all(fact % 2 for fact in facts)  # then the same field of other objects


def test_a_long_sentence_is_read_in_windows_that_cover_it() -> None:
    own, _ = reader()
    text = "Isnes has a railway and " * 60
    places = [one.place for one in own.open(named(text)).sentences]
    assert len(places) > 1
    assert places[0][0] == 0
    assert places[-1][1] == len(text.rstrip())
    assert all(later[0] <= earlier[1] + 1 for earlier, later in pairwise(places))


def test_a_text_without_words_and_a_record_without_facts_have_no_answers() -> None:
    own, run = reader()
    assert own.read([named(" ")]) == [[]]
    assert own.read([named("Isnes has a railway.", triples=())]) == [[]]
    assert run.seen == []


@pytest.mark.parametrize(
    ("predicate", "value", "expected"),
    [
        ("inStock", "true", ("'s in Stock is", "yes")),
        ("tumble_dry", "N", ("'s tumble dry is", "no")),
        ("due", "2025-03-14", ("'s due is", "14 March 2025")),
        ("visitors", "12840", ("'s visitors is", "12,840")),
        ("located in", "old_town", ("located in", "old town")),
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


def test_weights_without_a_record_reader_have_none(tmp_path: Path) -> None:
    manifest = dict(weights(DEFAULT).manifest)
    manifest["files"] = {
        name: file for name, file in manifest["files"].items() if name != "records.onnx"
    }
    (tmp_path / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    assert load_record_reader(str(tmp_path)) is None


def test_the_shipped_reader_prefers_the_sentence_that_agrees() -> None:
    own = load_record_reader()
    assert own is not None
    facts = (Triple("Lamsen", "has_sauna", "false"), Triple("Lamsen", "heating", "wood stove"))
    right, wrong = own.read(
        [
            named("Lamsen has no sauna.", "Lamsen", triples=facts),
            named("Lamsen has a large sauna.", "Lamsen", triples=facts),
        ]
    )
    assert max(one.logit for one in wrong[1:]) > 0 > max(one.logit for one in right[1:])
    assert wrong[0].logit > right[0].logit  # the facts together
