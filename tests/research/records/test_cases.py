"""Written records as cases: edits, records in which the wrong words are right, rows, batches."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adequa.models.records import RecordReader
from adequa.models.runtime import WordTable
from adequa.models.shipped import DEFAULT, weights
from adequa.models.wordpiece import WordPiece
from research.records.cases import (
    DATA,
    HELD_OUT,
    Batches,
    Case,
    Row,
    Source,
    WrongText,
    changed_places,
    read_sources,
    read_written,
    record_cases,
    relation_cases,
    split,
    turn_record,
)

RECORD = {
    "inn": "Lamsen",
    "sauna": False,
    "rooms": [{"name": "Ask", "view": "lake"}, {"name": "Bjørk", "view": "yard"}],
    "price": 90,
}
TEXT = "Lamsen has no sauna. Ask looks onto the lake, and a night costs 90."


@pytest.fixture(scope="module")
def reader() -> RecordReader:
    folder = weights(DEFAULT)
    tokens = WordPiece.read(folder.path("vocabulary.txt"))
    return RecordReader(tokens, WordTable.read(folder.path("words.npz")), lambda *_: [])


def write(path: Path, **more: object) -> Path:
    lines = {
        "id": "1",
        "record": RECORD,
        "faithful": [TEXT, "There is no sauna at Lamsen."],
        "wrong": [
            {"of": 0, "old": "has no sauna", "new": "has a sauna", "kind": "polarity"},
            {"of": 0, "old": "lake", "new": "yard", "kind": "wrong_owner"},
        ],
        "same": [{"of": 1, "old": "There is no sauna", "new": "You will find no sauna"}],
        **more,
    }
    path.write_text(json.dumps(lines) + "\n", encoding="utf-8")
    return path


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


def test_a_wrong_sentence_is_learned_beside_its_twin(tmp_path: Path, reader: RecordReader) -> None:
    edit = {"of": 0, "old": "no sauna", "new": "a sauna", "kind": "polarity", "path": "/sauna"}
    (one,) = read_written(write(tmp_path / "a.jsonl", wrong=[edit]))
    first, *others = record_cases(reader, one)
    words = {number: word for word, number in reader.reader.ids.items()}

    def marked(row: Row) -> list[str]:
        pairs = zip(row.places, row.labels, strict=True)
        return [words[row.ids[place]] for place, label in pairs if label]

    assert [marked(row) for row in first.rows] == [
        ["a", "sa", "##una"],
        [],
        ["no", "sa", "##una"],
        [],
    ]
    assert first.worse == ((0, 1), (2, 3), (0, 3), (2, 1))
    assert all(len(case.rows) == 1 and not case.rows[0].is_wrong for case in others)
    assert len(others) == 3  # the edited text, and two sentences without a wrong twin


def test_groups_of_the_relation_reader(reader: RecordReader) -> None:
    group = {
        "triples": [["Ann", "employer", "Acme"]],
        "faithful": ["Ann works for Acme.", "Acme employs Ann."],
        "wrong": [
            {"text": "Ann never works for Acme.", "of": 0, "facts": [0], "kind": "negation"},
            {"text": "Ann knows Acme.", "of": 0, "facts": [0], "kind": "not_said"},
        ],
    }
    first, second = relation_cases(reader, group)
    assert first.worse == ((0, 1),)
    assert sum(first.rows[0].labels) == 1
    assert second.rows[0].labels == (0,) * len(second.rows[0].labels)


def test_places_that_changed() -> None:
    after = "Ann may have led Acme."
    found = changed_places("Ann led Acme.", after)
    assert [after[slice(*span)] for span in found or ()] == ["may have"]
    assert changed_places("Ann led Acme.", "Ann Acme.") == [
        (0, 8)
    ]  # the neighbours of what is gone
    assert changed_places("Ann led Acme.", "Something else entirely happened here") is None


def test_cases_are_kept_until_a_file_changes(
    tmp_path: Path, reader: RecordReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    write(folder / "a.jsonl")
    graphs = tmp_path / "graphs"
    graphs.mkdir()
    monkeypatch.setattr("research.records.cases.DATA", folder)
    monkeypatch.setattr("research.records.cases.WRITTEN", graphs)
    sources = read_sources(reader, tmp_path / "cache", 0.3)
    assert [(one.share, one.items) for one in sources] == [(0.7, 1), (0.3, 0)]
    monkeypatch.setattr("research.records.cases.record_cases", lambda *_: pytest.fail("made again"))
    assert read_sources(reader, tmp_path / "cache", 0.3) == sources
    write(folder / "a.jsonl", same=[])
    with pytest.raises(pytest.fail.Exception, match="made again"):
        read_sources(reader, tmp_path / "cache", 0.3)


def test_batches_follow_from_the_seed_and_keep_their_size() -> None:
    def case(length: int) -> Case:
        row = Row((1,) * length, (0,) * length, (1,), (0,))
        return Case((row, row), ((0, 1),))

    source = Source("a", 1.0, 3, [case(length) for length in (10, 20, 30)])
    batches = Batches([source], seed=3, pool=40, size=100, stacks=2)
    steps = batches.steps(0)
    assert steps == Batches([source], seed=3, pool=40, size=100, stacks=2).steps(0)
    assert steps != batches.steps(1)
    for step in steps:
        assert len(step) == 2
        for stack in step:
            longest = max(len(row.ids) for one in stack for row in one.rows)
            assert len(stack) == 1 or longest * sum(len(one.rows) for one in stack) <= 100


def test_every_eighth_record_is_held_out() -> None:
    learned, held = split([*range(20)])
    assert held == [7, 15]
    assert sorted(learned + held) == [*range(20)]


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
