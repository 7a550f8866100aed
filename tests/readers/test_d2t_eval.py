"""Records with texts about them, in the form of D2T-Eval."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import adequa
from adequa.errors import DataError, SettingError
from adequa.readers import open_source, recognise

RECORDS = [
    {"id": "boat-1", "domain": "boats", "record": {"name": "Alba", "length": 12.50}},
    {"id": "hill-1", "domain": "hills", "record": {"height": {"m": 300}, "names": ["Law", "Dun"]}},
]
TEXTS = [
    {"id": "boat-1", "system": "A", "domain": "boats", "text": "Alba is long.", "annotators": [[]]},
    {"id": "boat-1", "system": "B", "domain": "boats", "text": "Alba sank.", "seconds": 3},
    {"id": "hill-1", "system": "A", "domain": "hills", "text": "", "annotators": [[], []]},
]


def lines(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "records.jsonl").write_text(
        lines(RECORDS).replace("12.5}", "12.50}"), encoding="utf-8"
    )
    (tmp_path / "texts.jsonl").write_text(lines(TEXTS), encoding="utf-8")
    return tmp_path


def test_each_text_has_the_facts_of_its_record(folder: Path) -> None:
    first, second, third = adequa.read(folder)
    assert first.key == ("A", "boat-1")
    assert first.category == "boats"
    assert ("Alba", "length", "12.50") in first.triples
    assert first.meta == {"annotators": [[]]}
    assert second.triples == first.triples
    assert second.meta == {"seconds": 3}
    assert third.text == ""
    assert {triple.object for triple in third.triples} == {"300", "Law", "Dun"}


def test_folder_and_texts_are_recognised(folder: Path) -> None:
    assert recognise(folder) == recognise(folder / "texts.jsonl") == "d2t-eval"
    source = open_source(folder / "texts.jsonl")
    assert [item.key for item in source] == [item.key for item in adequa.read(folder)]
    assert {file.name for file in source.files} == {"records.jsonl", "texts.jsonl"}


def test_a_sample_is_always_the_same_and_grows(folder: Path) -> None:
    every = [item.key for item in adequa.read(folder)]
    samples = [
        [item.key for item in adequa.read(folder, format=f"d2t-eval:sample={size}")]
        for size in (1, 2, 3, 9)
    ]
    assert list(map(len, samples)) == [1, 2, 3, 3]
    assert set(samples[0]) < set(samples[1]) < set(samples[2]) == set(every)
    assert samples[1] == [key for key in every if key in samples[1]]


def test_one_domain(folder: Path) -> None:
    (item,) = adequa.read(folder, format="d2t-eval:domain=hills")
    assert item.id == "hill-1"
    with pytest.raises(SettingError, match="there are boats, hills"):
        list(adequa.read(folder, format="d2t-eval:domain=dogs"))
    with pytest.raises(SettingError, match="at least 1"):
        adequa.read(folder, format="d2t-eval:sample=0")


def test_texts_of_another_file(folder: Path) -> None:
    texts = folder / "new.txt"
    texts.write_text("One.\nTwo.\n", encoding="utf-8")
    items = list(open_source(folder, texts={"new": texts}))
    assert [(item.key, item.text) for item in items] == [
        (("new", "boat-1"), "One."),
        (("new", "hill-1"), "Two."),
    ]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"id": "boat-2", "text": "x"}, r"texts.jsonl:4: no record of records.jsonl has the id"),
        ({"id": "boat-1"}, r"texts.jsonl:4: has no 'text'"),
        ({"id": 1, "text": "x"}, r"texts.jsonl:4: 'id' is a number, not a string"),
        ({"id": "boat-1", "text": None}, r"texts.jsonl:4: 'text' is null, not a string"),
    ],
)
def test_bad_texts_are_reported_with_their_place(
    folder: Path, row: dict[str, Any], message: str
) -> None:
    with (folder / "texts.jsonl").open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(row) + "\n")
    with pytest.raises(DataError, match=message):
        list(adequa.read(folder))


def test_texts_without_records(folder: Path) -> None:
    (folder / "records.jsonl").unlink()
    with pytest.raises(DataError, match=r"records.jsonl: cannot be opened"):
        list(adequa.read(folder / "texts.jsonl"))


def test_the_public_half(data_dir: Path) -> None:
    items = list(adequa.read(data_dir / "d2t-eval"))
    assert len(items) == 684
    assert len({item.id for item in items}) == 171
    assert {item.category for item in items} == {"football", "gsmarena", "openweather"}
