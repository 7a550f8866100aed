"""The readers of the corpora: their records, and what is held out."""

from __future__ import annotations

from pathlib import Path

import pytest

from adequa.data import Triple
from research.relations.sources import (
    FEWREL_DEV,
    by_relation,
    join_tokens,
    read_entailments,
    read_paragraphs,
    read_rel2text,
    read_sentences,
    rel2text_relations,
    relation_names,
)

from .tiny import write_data


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_data(tmp_path / "data")


def test_answers_are_right_or_wrong_and_have_wordings(data: Path) -> None:
    answers = read_rel2text(data / "relations", "train")
    assert [one.right for one in answers] == [True, True, True, False]
    assert answers[0].wording == "{o} wrote {s}."
    assert answers[0].triple == Triple("Emma", "author", "Jane")
    assert list(by_relation(answers)) == ["author"]


def test_a_relation_of_a_later_split_is_held_out(data: Path) -> None:
    held_out = read_rel2text(data / "relations", "dev")
    assert {one.relation for one in held_out} == {"mouth"}
    assert [one.wording for one in held_out if not one.right] == [""]


def test_sentences_have_the_places_of_their_names(data: Path) -> None:
    first, second = read_sentences(data / "relations", dev=False)
    assert first.text == "Bo Ray leads Acme now."
    assert first.ends == ("Acme", "Bo Ray")
    assert second.relation == "leader"
    (held_out,) = read_sentences(data / "relations", dev=True)
    assert held_out.ends == ("Long Bridge", "Kelda")


def test_paragraphs_have_no_facts_of_held_out_relations(data: Path) -> None:
    (paragraph,) = read_paragraphs(data / "relations")
    assert [one.name for one in paragraph.entities] == ["Bo Ray", "Acme", "Cy Dun", "Dorn"]
    assert [tuple(one) for one in paragraph.facts] == [
        (1, "leader", 0, (0,)),
        (3, "leader", 2, (1,)),
    ]


def test_every_fortieth_entailment_is_held_out(data: Path) -> None:
    train = read_entailments(data / "entailment", dev=False)
    (first, second) = read_entailments(data / "entailment", dev=True)
    assert (first.premise, second.premise) == ("A dog 7 runs.", "A dog 47 runs.")
    assert len(train) == 49
    assert train[0].premise == "Two cats. They sleep."
    assert train[0].entailed


def test_permissive_entailments_leave_sick_and_rte_out(tmp_path: Path) -> None:
    for name in ("mnli_dev", "rte_train", "sick_dev", "snli_dev"):
        line = f"{name},It is so.,entailment\n"
        (tmp_path / f"{name}.csv").write_text(f"premise,hypothesis,label\n{line}", encoding="utf-8")
    found = read_entailments(tmp_path, dev=False, permissive=True)
    assert [one.premise for one in found] == ["mnli_dev", "snli_dev"]


def test_names_of_dates_are_added(data: Path) -> None:
    assert relation_names(data / "relations")["P569"] == "date of birth"


def test_tokens_are_joined_with_natural_spaces() -> None:
    text, places = join_tokens(["Ann", "'s", "dog", "(", "old", ")", "."])
    assert text == "Ann's dog (old)."
    assert [text[start:end] for start, end in places] == ["Ann", "'s", "dog", "(", "old", ")", "."]


@pytest.mark.data
def test_the_real_corpora_can_be_read(data_dir: Path) -> None:
    folder = data_dir / "relations"
    train, dev = read_rel2text(folder, "train"), read_rel2text(folder, "dev")
    assert len(train) > 3000
    assert not {one.relation.lower() for one in train} & rel2text_relations(folder, "test")
    assert not {one.relation for one in train} & {one.relation for one in dev}
    assert all(one.text[slice(*one.head)] for one in read_sentences(folder, dev=True))
    held_out = {relation_names(folder)[number] for number in FEWREL_DEV}
    paragraphs = read_paragraphs(folder)
    assert not {fact.relation for one in paragraphs for fact in one.facts} & held_out
    assert len(read_entailments(data_dir / "entailment", dev=True)) > 1000
