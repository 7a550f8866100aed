"""Error spans that people or detectors marked, in every form; D2T-Eval with its records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import adequa
from adequa.data import ErrorSpan, Marking
from adequa.errors import DataError, SettingError, UnknownName
from adequa.readers import open_source, read_markings, recognise

TEXT = "The Alba 🚤 is red\nand long."


def write(path: Path, *rows: Any) -> Path:
    """JSON lines, or a JSON list."""
    is_lines = path.suffix == ".jsonl"
    content = ("\n" if is_lines else ",\n").join(map(json.dumps, rows))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if is_lines else f"[{content}]", encoding="utf-8")
    return path


def test_plain_spans(tmp_path: Path) -> None:
    spans = [{"start": 4, "end": 8, "type": "name", "confidence": 0.5}, {"start": 14, "end": 17}]
    path = write(
        tmp_path / "a.jsonl",
        {"id": 7, "system": "S", "text": TEXT, "spans": spans, "domain": "boats"},
        {"id": "8", "spans": [], "verdict": "hallucination", "score": 2},
    )
    first, second = read_markings(path)
    named = ErrorSpan(4, 8, "name", 0.5)
    assert first == Marking("7", "S", "", (named, ErrorSpan(14, 17)), TEXT, "boats")
    assert first.is_flagged
    assert first.signal == 1.5
    assert second.is_flagged
    assert second.signal == 2
    assert second.system == ""


def test_d2t_eval(tmp_path: Path) -> None:
    row = {"id": "a", "system": "S", "domain": "boats", "text": TEXT}
    marks = [[{"start": 0, "end": 3, "type": "other"}], []]
    write(tmp_path / "texts.jsonl", {**row, "annotators": marks})
    one, other = read_markings(tmp_path)
    assert (one.marker, one.spans) == ("annotator 1", (ErrorSpan(0, 3, "other"),))
    assert (other.marker, other.spans, other.is_flagged) == ("annotator 2", (), False)


def test_factgenie(tmp_path: Path) -> None:
    row = {
        "dataset": "boats",
        "split": "test",
        "setup_id": "gpt",
        "example_idx": 3,
        "metadata": {"annotator_id": "ann", "annotator_group": 1},
        "annotations": [{"text": "red", "start": 14, "type": 1, "reason": "it is blue"}],
    }
    campaign = tmp_path / "campaign"
    path = write(campaign / "files" / "0.jsonl", row)
    (bare,) = read_markings(path)
    assert bare == Marking(
        *("boats-test-3", "gpt", "ann"),
        spans=(ErrorSpan(14, 17, "1", why="it is blue"),),
        domain="boats",
    )
    names = {"config": {"annotation_span_categories": [{"name": "Wrong"}, {"name": "Colour"}]}}
    (campaign / "metadata.json").write_text(json.dumps(names), encoding="utf-8")
    (named,) = read_markings(campaign)
    assert named.spans[0].type == "Colour"


def task(*regions: dict[str, Any], **data: Any) -> dict[str, Any]:
    results = [{"type": "labels", "value": region} for region in regions]
    results.append({"type": "choices", "value": {"choices": ["good"]}})
    done = {"completed_by": {"id": 4, "email": "ann@example.org"}, "result": results}
    cancelled = {"completed_by": 5, "was_cancelled": True, "result": []}
    return {"id": 99, "data": {"text": TEXT, **data}, "annotations": [done, cancelled]}


def test_label_studio(tmp_path: Path) -> None:
    # A browser counts the boat as two: "red\nand" begins at 14 for Python, at 15 for it.
    region = {"start": 15, "end": 22, "text": "red\\nand", "labels": ["wrong"]}
    (one,) = read_markings(write(tmp_path / "a.json", task(region, id="7", system="S")))
    assert (one.id, one.system, one.marker) == ("7", "S", "ann@example.org")
    assert one.spans == (ErrorSpan(14, 21, "wrong"),)
    early = {"start": 4, "end": 8, "text": "Alba", "labels": ["a", "b"]}
    (one,) = read_markings(write(tmp_path / "b.json", task(early)))
    assert one.id == ""
    assert one.text == TEXT
    assert one.spans == (ErrorSpan(4, 8, "a+b"),)


def test_predictions_of_label_studio(tmp_path: Path) -> None:
    value = {"start": 0, "end": 3, "labels": ["x"]}
    raw = task() | {
        "predictions": [{"model_version": "m1", "result": [{"type": "labels", "value": value}]}]
    }
    path = write(tmp_path / "a.json", raw)
    assert [one.marker for one in read_markings(path, predicted=True)] == ["m1"]
    assert [one.marker for one in read_markings(path)] == ["ann@example.org"]


def test_lettuce_detect(tmp_path: Path) -> None:
    found = [{"start": 4, "end": 8, "text": "Alba", "confidence": 0.9}]
    labels = [{"start": 14, "end": 17, "label": "Evident Conflict"}]
    path = write(
        tmp_path / "a.json",
        {"id": "7", "answer": TEXT, "predictions": found},
        {"prompt": "?", "answer": TEXT, "labels": labels},
    )
    first, second = read_markings(path)
    assert (first.id, first.spans) == ("7", (ErrorSpan(4, 8, "", 0.9),))
    assert (second.id, second.spans) == ("", (ErrorSpan(14, 17, "Evident Conflict"),))


def test_ratings_with_spans(tmp_path: Path) -> None:
    row = {"id": "1", "system": "S", "value": 1}
    marks = [{"start": 4, "end": 8, "label": "wrong", "text": "Alba"}]
    omitted = [{"triple": ["a", "b", "c"], "label": "omission"}]
    path = write(
        tmp_path / "a.jsonl",
        {**row, "rater": "ann", "criterion": "errors", "spans": marks + omitted},
        {**row, "rater": "bob", "criterion": "errors", "value": 0},
        {**row, "rater": "eve", "criterion": "fluency"},
    )
    path.rename(tmp_path / "ratings.jsonl")
    ann, bob = read_markings(tmp_path)
    assert (ann.marker, ann.spans) == ("ann", (ErrorSpan(4, 8, "wrong"),))
    assert (bob.marker, bob.spans) == ("bob", ())
    bad = {**row, "rater": "ann", "criterion": "errors", "spans": [{"start": 3}]}
    with pytest.raises(DataError, match=r"c.jsonl:1: a span goes from 3 to None"):
        read_markings(write(tmp_path / "c.jsonl", bad))
    table = tmp_path / "a.csv"
    spans = '"[{""start"": 4, ""end"": 8, ""label"": ""wrong""}]"'
    table.write_text(f"id,system,rater,criterion,value,spans\n1,S,ann,errors,1,{spans}\n")
    assert read_markings(table) == [Marking("1", "S", "ann", (ErrorSpan(4, 8, "wrong"),))]
    with pytest.raises(DataError, match="nobody marked spans"):
        read_markings(write(tmp_path / "b.jsonl", {**row, "rater": "a", "criterion": "c"}))


def spans(*given: Any, **fields: Any) -> dict[str, Any]:
    return {"id": "1", "text": TEXT, "spans": list(given), **fields}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (spans({"start": 3, "end": 3}), r"a.jsonl:2: a span goes from 3 to 3"),
        (spans({"start": 3}), r"a.jsonl:2: a span goes from 3 to None"),
        (spans({"start": 3, "end": 99}), r"ends at 99, but the text has 27 characters"),
        (spans({"start": 4, "end": 8, "text": "Alda"}), r"'Alda', but the text has 'Alba' there"),
        (spans("x"), r"a.jsonl:2: 'spans' is not a list of objects"),
        (spans(id=None, text=None), r"has neither 'id' nor text"),
        (spans(score="high"), r"'score' is a string, not a number"),
        ({"id": "0", "spans": []}, r"the text '0' of '' is marked twice"),
    ],
)
def test_bad_spans_are_reported_with_their_place(
    row: dict[str, Any], message: str, tmp_path: Path
) -> None:
    path = write(tmp_path / "a.jsonl", {"id": "0", "spans": []}, row)
    with pytest.raises(DataError, match=message):
        read_markings(path)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"id": "1", "sentence": "x"}, r"not in a known form of spans \(its keys: id, sentence\)"),
        ({"example_idx": 1, "annotations": []}, r"a.jsonl:1: has no 'dataset'"),
        (task({"start": "0", "end": "1"}), r"a region has no numbers as 'start' and 'end'"),
        (task({"start": 0, "end": 3, "text": "Alba"}), r"'Alba', but the text has 'The' there"),
        ({"id": "1", "annotators": 3}, r"has no list 'annotators'"),
    ],
)
def test_other_forms_are_as_strict(row: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=message):
        read_markings(write(tmp_path / "a.jsonl", row))


def test_a_format_can_be_named(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", {"id": "1", "spans": [], "labels": 3})
    assert read_markings(path, format="spans")
    with pytest.raises(UnknownName, match="did you mean 'factgenie'"):
        read_markings(path, format="factgeny")
    with pytest.raises(DataError, match="does not exist"):
        read_markings(tmp_path / "absent.jsonl")
    with pytest.raises(DataError, match=r"is a folder without texts\.jsonl"):
        read_markings(tmp_path)


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
