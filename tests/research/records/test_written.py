"""Written records: edits, what is held out, and records in which the wrong words are right."""

from __future__ import annotations

from pathlib import Path

import pytest

from research.records.written import (
    DATA,
    HELD_OUT,
    WrongText,
    read_parts,
    read_written,
    split,
    turn_record,
)

from .tiny import RECORD, TEXT, write


def wrong(old: str, new: str, kind: str, path: str) -> WrongText:
    return WrongText(TEXT.replace(old, new), 0, ((0, 1),), kind, path, old, new)


def test_edits_become_texts_with_places(tmp_path: Path) -> None:
    edit = {"of": 0, "old": "no sauna", "new": "a large sauna", "span": "large", "kind": "added"}
    (one,) = read_written(write(tmp_path / "a.jsonl", wrong=[edit]))
    (made,) = one.wrong
    assert made.text == TEXT.replace("no sauna", "a large sauna")
    assert [made.text[slice(*span)] for span in made.spans] == ["large"]
    assert one.same[0][1] == "You will find no sauna at Lamsen."


def test_whole_wrong_texts_are_read_too(tmp_path: Path) -> None:
    whole = {
        "text": TEXT.replace("90", "80"),
        "of": 0,
        "kind": "wrong_value",
        "start": 64,
        "end": 66,
    }
    (one,) = read_written(write(tmp_path / "a.jsonl", wrong=[whole]))
    assert (one.wrong[0].old, one.wrong[0].new) == ("9", "8")
    assert one.wrong[0].text[64:66] == "80"


def test_the_record_is_turned_so_that_the_wrong_words_are_right() -> None:
    turned = turn_record(RECORD, wrong("no sauna", "a sauna", "polarity", "/sauna"))
    assert turned == {**RECORD, "sauna": True}
    turned = turn_record(RECORD, wrong("90", "80", "wrong_value", "/price"))
    assert turned == {**RECORD, "price": 80}
    turned = turn_record(RECORD, wrong("lake", "yard", "wrong_owner", "/rooms/0/view"))
    assert [room["view"] for room in turned["rooms"]] == ["yard", "lake"]
    assert RECORD["rooms"][0]["view"] == "lake"  # the record itself stays


@pytest.mark.parametrize(
    ("old", "new", "kind", "path"),
    [
        ("no sauna", "a sauna", "polarity", None),
        ("no sauna", "a sauna", "polarity", "/pool"),
        ("a night", "two nights", "wrong_comparison", "/price"),
        ("lake", "the far end of the old town hall", "wrong_value", "/rooms/0/view"),
    ],
)
def test_a_record_that_cannot_be_turned(old: str, new: str, kind: str, path: str) -> None:
    assert turn_record(RECORD, wrong(old, new, kind, path)) is None


def test_every_eighth_record_is_held_out() -> None:
    learned, held = split([*range(20)])
    assert held == [7, 15]
    assert sorted(learned + held) == [*range(20)]


def test_later_files_are_held_out_as_a_whole(tmp_path: Path) -> None:
    assert [len(part) for part in read_parts(write(tmp_path / "v.jsonl"))] == [1, 0]
    assert [len(part) for part in read_parts(write(tmp_path / "w.jsonl"))] == [0, 1]


def test_the_written_records_are_sound() -> None:
    known: set[str] = set()
    count = 0
    for path in sorted(DATA.glob("*.jsonl")):
        for one in read_written(path):
            assert one.id not in known, one.id
            known.add(one.id)
            for wrong_text in one.wrong:
                assert wrong_text.text != one.faithful[wrong_text.of], one.id
                assert all(
                    0 <= start < end <= len(wrong_text.text) for start, end in wrong_text.spans
                )
            count += 1
    assert count // HELD_OUT > 30
