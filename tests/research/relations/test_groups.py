"""Groups: exchanged names, quads, located names, and groups written by hand."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from adequa.data import Triple
from adequa.errors import DataError
from adequa.perturb import FALSE, TRUE, LabelledDocument
from research.relations.groups import (
    WRITTEN,
    RelationText,
    broken_by_exchange,
    exchange_names,
    fill,
    first_names,
    locate,
    make_quad,
    read_written,
    shift_names,
)

from .tiny import ANN, BO, COMPANY, documents

KINDS = {
    "roles", "inverse", "other_relation", "not_said", "negation", "wrong_entity", "modality",
    "quantifier", "time_order", "start_end",
}  # fmt: skip
TEXT = COMPANY.text
NAMES = ((0, 7, "Ann_Lee"), (16, 20, "Acme"), (26, 32, "Bo_Ray"), (39, 43, "Acme"))
CALLED = {"Ann_Lee": "Ann Lee", "Bo_Ray": "Bo Ray"}


def test_an_exchange_moves_names_and_their_places() -> None:
    made = exchange_names(TEXT, NAMES, CALLED)
    assert made is not None
    text, names = made
    assert text == "Bo Ray founded Acme, and Ann Lee leads Acme."
    assert [text[start:end] for start, end, _ in names] == ["Bo Ray", "Acme", "Ann Lee", "Acme"]
    assert [entity for *_, entity in names] == ["Bo_Ray", "Acme", "Ann_Lee", "Acme"]


def test_names_that_overlap_cannot_be_exchanged() -> None:
    assert exchange_names(TEXT, ((0, 7, "Ann_Lee"), (4, 7, "Bo_Ray")), CALLED) is None


def test_a_quad_is_right_when_text_and_graph_are_both_exchanged() -> None:
    group = make_quad("x", TEXT, NAMES, [ANN, BO], CALLED)
    assert group is not None
    right, wrong = (TRUE, TRUE), (FALSE, FALSE)
    assert [text.stated for text in group.texts] == [right, wrong, wrong, right]
    assert group.texts[1].triples == (ANN._replace(object="Bo_Ray"), BO._replace(object="Ann_Lee"))
    for (one, fact), (other, same) in group.above:
        assert fact == same
        assert group.texts[one].stated[fact] == TRUE
        assert group.texts[other].stated[fact] == FALSE
    assert len(group.above) == 8


def test_an_exchange_that_changes_nothing_makes_no_quad() -> None:
    spouse = Triple("Ann_Lee", "spouse", "Bo_Ray")
    assert broken_by_exchange([spouse], "Ann_Lee", "Bo_Ray") == [False]
    names = ((0, 7, "Ann_Lee"), (16, 22, "Bo_Ray"))
    assert make_quad("x", "Ann Lee married Bo Ray.", names, [spouse], CALLED) is None


def test_only_facts_of_the_exchanged_names_are_broken() -> None:
    town = Triple("Acme", "city", "Oslo")
    assert broken_by_exchange([ANN, BO, town], "Ann_Lee", "Bo_Ray") == [True, True, False]


def test_names_are_located_by_their_strings_unless_they_are_known() -> None:
    text = RelationText(TEXT, (ANN, BO), (TRUE, TRUE), ((0, 3, "Ann_Lee"),))
    assert locate(text) == ((0, 3, "Ann_Lee"), *NAMES[1:])


def test_of_overlapping_names_the_first_and_longer_one_is_kept() -> None:
    names = [(4, 7, "Lee"), (0, 7, "Ann Lee"), (0, 3, "Ann")]
    assert first_names(names) == ((0, 7, "Ann Lee"),)
    assert shift_names(names[:1], 2) == ((6, 9, "Lee"),)


def test_gaps_are_filled() -> None:
    assert fill("{o} wrote {s}.", {"s": "Emma", "o": "Jane"})[0] == "Jane wrote Emma."


def test_a_document_becomes_a_text_without_pronouns_among_its_names() -> None:
    labelled = LabelledDocument.of(documents()[0])
    text = RelationText.of(labelled)
    assert text.stated == (TRUE, TRUE)
    assert {text.text[start:end] for start, end, _ in text.names} == {"Ann Lee", "Acme", "Bo Ray"}


@pytest.mark.parametrize("dev", [False, True])
def test_written_groups_are_complete(dev: bool) -> None:
    groups = read_written(dev=dev)
    assert len(groups) > (30 if dev else 300)
    for group in groups:
        assert group.triples
        assert 2 <= len(group.faithful) <= 5
        for one in group.wrong:
            assert one.kind in KINDS
            assert one.text != group.faithful[one.original]
            assert one.facts
            assert all(fact < len(group.triples) for fact in one.facts)


def test_held_out_written_groups_are_not_trained_on() -> None:
    train, dev = ({one.faithful for one in read_written(dev=dev)} for dev in (False, True))
    assert not train & dev


def test_an_earlier_stage_reads_fewer_files(tmp_path: Path) -> None:
    line = (WRITTEN / "a.jsonl").read_text(encoding="utf-8").splitlines()[0]
    for name in "abc":
        (tmp_path / f"{name}.jsonl").write_text(f"{line}\n" * 2, encoding="utf-8")
    assert len(read_written(tmp_path, dev=False, last="b")) == 2
    assert len(read_written(tmp_path, dev=True)) == 3
    with pytest.raises(DataError, match=r"there is no file d\.jsonl"):
        read_written(tmp_path, dev=True, last="d")


def test_a_written_group_has_each_wrong_text_below_its_original() -> None:
    written = read_written(dev=True)[0]
    group = written.draw(random.Random(1))
    assert group.above
    for (one, fact), (other, _) in group.above:
        assert group.texts[one].text in written.faithful
        assert group.texts[other].text in {wrong.text for wrong in written.wrong}
        assert group.texts[one].stated[fact] == TRUE
        assert group.texts[other].stated[fact] == FALSE
    assert all(text.names for text in group.texts)
