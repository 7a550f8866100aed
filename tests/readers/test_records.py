"""Records: rows, dicts and nested JSON, by convention and by mapping."""

from __future__ import annotations

import json
import pickle
import string
import tracemalloc
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adequa.data import Item, Triple
from adequa.errors import DataError, SettingError, UnknownName
from adequa.files import reject_constant
from adequa.readers import open_source, records
from adequa.readers.records import (
    JsonValue,
    RecordsReader,
    from_record,
    members,
    stream_json,
)


def write(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def stream(path: Path) -> Iterator[JsonValue]:
    return stream_json(path, json.JSONDecoder(parse_constant=reject_constant).raw_decode)


def read(path: Path, *, bare: bool = False, **options: Any) -> list[Item]:
    return [place.item for place in RecordsReader(**options).read(path, bare=bare)]


NESTED = """{"id": 7, "name": "Mill Inn", "rating": 1.50, "seats": 40, "open": true, "closed": null,
 "address": {"city": "Ely", "geo": {"lat": 52.40}}, "food": ["Thai", "", "tea"], "note": "",
 "category": "pub", "text": "An inn.", "references": ["One.", "Two."], "system": "mine"}"""


def test_a_nested_object_becomes_triples() -> None:
    item = from_record(json.loads(NESTED))
    assert (item.id, item.system, item.text) == ("7", "mine", "An inn.")
    assert item.references == ("One.", "Two.")
    assert {triple.subject for triple in item.triples} == {"Mill Inn"}
    assert [triple[1:] for triple in item.triples] == [
        ("rating", "1.5"),
        ("seats", "40"),
        ("open", "true"),
        ("address city", "Ely"),
        ("food", "Thai"),
        ("food", "tea"),
        ("category", "pub"),
    ]


@pytest.mark.parametrize("ending", ["json", "jsonl"])
def test_a_number_in_a_file_keeps_its_digits(tmp_path: Path, ending: str) -> None:
    (item,) = read(write(tmp_path / f"one.{ending}", NESTED.replace("\n", "")))
    assert item.id == "7"
    assert Triple("Mill Inn", "rating", "1.50") in item.triples
    assert item.record["rating"] == 1.5
    assert pickle.loads(pickle.dumps(item)) == item


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.jsonl", '{"name": "A", "p": 1, "text": "x"}\n\n{"name": "B", "p": 2, "text": "y"}\n'),
        ("a.json", '{"name": "A", "p": 1, "text": "x"}\n\n{"name": "B", "p": 2, "text": "y"}'),
        ("a.json", '[{"name": "A", "p": 1,\n "text": "x"},\n{"name": "B", "p": 2, "text": "y"}]\n'),
        ("a.txt", '{"name": "A", "p":\n 1, "text": "x"}\n{"name": "B", "p": 2, "text": "y"}'),
        ("a.csv", "name,p,text\nA,1,x\n\nB,2,y\n"),
        ("a.tsv", "name\tp\ttext\nA\t1\tx\n\nB\t2\ty\n"),
        ("a.txt", "name\tp\ttext\nA\t1\tx\n\nB\t2\ty\n"),
        ("a.dat", 'name,p,text\nA,1,"x"\n\nB,2,y\n'),
    ],
)
def test_each_shape_of_file_gives_the_same_items(tmp_path: Path, name: str, text: str) -> None:
    placed = list(RecordsReader().read(write(tmp_path / name, text)))
    assert [(one.item.id, one.item.triples, one.item.text) for one in placed] == [
        ("1", (Triple("A", "p", "1"),), "x"),
        ("2", (Triple("B", "p", "2"),), "y"),
    ]
    assert [one.item.record["name"] for one in placed] == ["A", "B"]
    assert {(one.item.paths, one.item.coverage) for one in placed} == {(("/p",), "selected")}
    assert [place.line for place in placed] == [
        next(n for n, line in enumerate(text.split("\n"), 1) if mark in line) for mark in "AB"
    ]


def test_an_object_of_objects_is_keyed_by_id(tmp_path: Path) -> None:
    text = '{"Oak": {"p": 1, "text": "x"},\n\n "k2": {"id": 5, "name": "Elm", "p": 2, "text": ""}}'
    placed = list(RecordsReader().read(write(tmp_path / "a.json", text)))
    assert [(place.item.id, place.item.triples[0].subject) for place in placed] == [
        ("Oak", "Oak"),
        ("5", "Elm"),
    ]
    assert [place.line for place in placed] == [1, 3]
    # In JSON lines a line is a record, whatever is nested in it.
    with pytest.raises(DataError, match="has no 'text'"):
        read(write(tmp_path / "a.jsonl", text.replace("\n", "")))


def test_a_list_that_is_all_an_object_has_is_its_records(tmp_path: Path) -> None:
    oak, elm = '{"name": "Oak", "p": 1, "text": "x"}', '{"name": "Elm", "p": 2, "text": ""}'
    text = f'{{"trees": [\n {oak},\n {elm}]}}'
    placed = list(RecordsReader().read(write(tmp_path / "a.json", text)))
    assert [place.item.triples[0].subject for place in placed] == ["Oak", "Elm"]
    assert [place.line for place in placed] == [2, 3]
    # With anything beside the list, or with one row in it, the object is the record.
    more = text.replace('"trees"', '"text": "y", "trees"')
    (one,) = RecordsReader().read(write(tmp_path / "b.json", more))
    assert one.item.text == "y"


def test_an_object_that_has_triples_is_an_item(tmp_path: Path) -> None:
    text = '[{"id": "a", "triples": [["A", "p", "B"]], "text": "x", "score": 1.5}]'
    assert list(open_source(write(tmp_path / "a.json", text))) == [
        Item("a", (Triple("A", "p", "B"),), "x", meta={"score": 1.5})
    ]
    # But a count of triples, as in baseball, is a fact.
    assert from_record({"name": "A", "triples": 12}, "").triples == (Triple("A", "triples", "12"),)


@pytest.mark.parametrize(
    ("record", "subject", "facts"),
    [
        ({"name": "A", "title": "Dr", "p": "x"}, "A", [("title", "Dr"), ("p", "x")]),
        ({"Title": "A", "label": "B", "id": "1"}, "A", [("label", "B")]),
        ({"name": "", "LABEL": "B", "p": "x"}, "B", [("p", "x")]),
        ({"id": "1", "p": "x"}, "1", [("p", "x")]),
        ({"name": "A"}, "A", [("name", "A")]),
        ({"Name": "A", "name": "B"}, "B", [("Name", "A")]),
    ],
)
def test_the_subject_by_convention(
    record: dict[str, str], subject: str, facts: list[tuple[str, str]]
) -> None:
    assert from_record(record, "").triples == tuple(Triple(subject, *fact) for fact in facts)


def test_values_of_python_and_numpy() -> None:
    record = {
        "name": np.str_("A"),
        "count": np.int64(3),
        "share": np.float64(0.25),
        "gone": float("nan"),
        "open": np.bool_(True),
        "day": date(2020, 2, 29),
        "price": Decimal("1.50"),
        "sizes": np.array([1, 2]),
        "pair": ("x", None),
        5: "five",
    }
    assert [triple[1:] for triple in from_record(record, "").triples] == [
        ("count", "3"),
        ("share", "0.25"),
        ("open", "true"),
        ("day", "2020-02-29"),
        ("price", "1.50"),
        ("sizes", "1"),
        ("sizes", "2"),
        ("pair", "x"),
        ("5", "five"),
    ]


def test_a_text_may_come_beside_the_record() -> None:
    item = from_record({"name": "A", "p": "x", "reference": "One."}, "A says x.")
    assert (item.id, item.text, item.references) == ("1", "A says x.", ("One.",))


MAPPING = {
    "id": "code",
    "subject": "place.called",
    "text": "summary",
    "references": ["gold", "silver"],
    "system": "model",
    "category": "kind",
    "ignore": ["internal", "weight"],
    "rename": {"place": "location", "n": "count"},
}


def test_a_mapping_says_what_columns_mean(tmp_path: Path) -> None:
    record = {
        "code": "c1",
        "name": "shadow",
        "place": {"called": "Ely", "county": "Cambs"},
        "summary": "Ely.",
        "gold": "One.",
        "silver": ["Two.", ""],
        "model": "m",
        "kind": "Town",
        "internal": {"a": 1, "b": [2, 3]},
        "weight": "9",
        "n": 4,
        "text": "is a fact now",
    }
    item = from_record(record, mapping=MAPPING)
    assert item == Item(
        "c1",
        tuple(
            Triple("Ely", *fact)
            for fact in (
                ("name", "shadow"),
                ("location county", "Cambs"),
                ("count", "4"),
                ("text", "is a fact now"),
            )
        ),
        "Ely.",
        "m",
        "Town",
        references=("One.", "Two."),
        meta={"internal": {"a": 1, "b": [2, 3]}, "weight": "9"},
        record={
            "name": "shadow",
            "place": {"called": "Ely", "county": "Cambs"},
            "internal": {"a": 1, "b": [2, 3]},
            "weight": "9",
            "n": 4,
            "text": "is a fact now",
        },
        paths=("/name", "/place/county", "/n", "/text"),
        coverage="selected",
    )
    path = write(tmp_path / "mapping.json", json.dumps(MAPPING))
    data = write(tmp_path / "data.jsonl", json.dumps(record))
    assert list(open_source(data, format=f"records:mapping={path}")) == [item]


def test_settings_override_the_mapping(tmp_path: Path) -> None:
    mapping = write(tmp_path / "m.json", '{"subject": "a", "text": "t"}')
    data = write(tmp_path / "data.csv", "a,b,t,u,k,s\n1,2,3,4,5,6\n")
    item = read(data, mapping=mapping, key="b", text="u", id="k", system="s", category="t")[0]
    assert (item.id, item.text, item.system, item.category) == ("5", "4", "6", "3")
    assert item.triples == (Triple("2", "a", "1"),)
    assert read(data, key="a", text="t", bare=True)[0].references == ("3",)


def test_a_table_must_have_the_columns_that_are_named(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "name,text\nA,x\n")
    with pytest.raises(DataError, match=r"a\.csv:1: has no column 'summary'"):
        read(path, text="summary")
    with pytest.raises(SettingError, match="one character"):
        RecordsReader(delimiter="")
    path = write(tmp_path / "b.csv", "name;p;text\nA;1;x, y\n")
    assert read(path, delimiter=";")[0].text == "x, y"


WRONG = {
    "empty": ("a.json", "", None, "is empty"),
    "no text": ("a.jsonl", '{"name": "A", "p": 1}', 1, "has no 'text'"),
    "null text": ("a.jsonl", '{"name": "A", "p": 1, "text": null}', 1, "has no 'text'"),
    "two texts": ("a.jsonl", '{"name": "A", "text": ["a", "b"]}', 1, "2 values for 'text'"),
    "only id": ("a.csv", "id,p,text\n1,,x\n", 2, "has no facts"),
    "no facts": ("a.json", '{"a": {"p": 1, "text": ""},\n"b": {"text": ""}}', 2, "has no facts"),
    "empty key": ("a.jsonl", '{"name": "A", "": 1, "text": ""}', 1, "empty key"),
    "empty inner": ("a.jsonl", '{"name": "A", "p": {"": 1}, "text": ""}', 1, "empty key in 'p'"),
    "twice": ("a.jsonl", '{"name": "A", "p": 1, "p": 2, "text": ""}', 1, "key 'p' twice"),
    "nan": ("a.json", '[\n{"name": "A", "p": NaN}]', 2, "NaN is not a JSON number"),
    "list": ("a.json", '[{"name": "A", "p": 1, "text": ""},\n[1]]', 2, "is not an object"),
    "number": ("a.json", "{}\n5", 2, "has '5' where an object should begin"),
    "string": ("a.txt", '[\n"a"]', 2, "is not an object"),
    "comma": ("a.json", '[{"name": "A", "p": 1, "text": ""},\n]', 2, "a comma too many"),
    "comma first": ("a.json", "[,1]", 1, "a comma too many"),
    "bracket": ("a.json", '[{"name": "A", "p": 1, "text": ""}\n}', 2, "has '}' where ']'"),
    "after": ("a.json", "[]\n\n[", 3, "has '[' after the end"),
    "cut off": ("a.json", '[{"name": "A", "p": 1, "text": ""},\n{"name": ', 2, "never closed"),
    "cut list": ("a.json", "[", 1, "never closed"),
    "open string": ("a.json", '[\n{"name": "A\n"}]', 2, "string that is not closed"),
    "spread": ("a.jsonl", '{"name": "A",\n"p": 1, "text": ""}', 1, "write one object per line"),
    "bare value": ("a.jsonl", '{"name": "A", "p": 1, "text": ""}\n5', 2, "is not an object"),
    "mixed": ("a.jsonl", '{"name": "A"]', 1, "is not JSON"),
    "deep": ("a.json", '{"a":' * 100_000, 1, "nested too deeply"),
    "deepish": ("a.json", '{"text": "", "a":' * 300 + "1" + "}" * 300, 1, "nested too deeply"),
    "surrogate": ("a.jsonl", '{"name": "\\ud800", "p": 1, "text": ""}', 1, "surrogate"),
    "cells": ("a.csv", "name,p,text\nA,1\n", 2, "2 cells for 3 columns"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_with_records_is_said(tmp_path: Path, case: str) -> None:
    name, text, line, problem = WRONG[case]
    path = write(tmp_path / name, text)
    with pytest.raises(DataError) as caught:
        read(path)
    assert problem in str(caught.value)
    assert (caught.value.path, caught.value.line) == (path, line)


def test_what_is_wrong_with_a_dict_is_said() -> None:
    with pytest.raises(DataError, match="'p' has the type object"):
        from_record({"name": "A", "p": object()}, "")
    with pytest.raises(DataError, match="not a mapping"):
        from_record([1], "")  # type: ignore[arg-type]
    loop: dict[str, Any] = {"name": "A"}
    loop["self"] = loop
    with pytest.raises(DataError, match="nested too deeply"):
        from_record(loop, "")


def test_a_value_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adequa.readers.records.MAX_LINE_BYTES", 1 << 20)
    path = write(tmp_path / "a.json", "[{}, [\n" + "1,\n" * 400_000)
    with pytest.raises(DataError, match="longer than 1 MB") as caught:
        list(stream(path))
    assert caught.value.line == 1


json_value = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=("Cs",))),
    lambda parts: st.lists(parts, max_size=3) | st.dictionaries(st.text('ab{}[],"\\'), parts),
    max_leaves=8,
)
json_object = st.dictionaries(st.text(st.characters(exclude_categories=("Cs",))), json_value)


@given(objects=st.lists(json_object, max_size=4), indent=st.sampled_from([None, 0, 1]))
@settings(
    deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_values_are_those_of_the_whole_file(
    tmp_path: Path, objects: list[dict[str, Any]], indent: int | None
) -> None:
    as_list = write(tmp_path / "a.json", json.dumps(objects, indent=indent))
    assert [json.loads(one.text) for one in stream(as_list)] == objects
    if objects:
        parts = [json.dumps(each, indent=indent, ensure_ascii=False) for each in objects]
        in_lines = write(tmp_path / "a.txt", "\n".join(parts))
        assert [json.loads(one.text) for one in stream(in_lines)] == objects
        inside = members(JsonValue(1, objects[0], parts[0]))
        assert {key: json.loads(one.text) for key, one in inside} == objects[0]


@given(
    text=st.text(st.sampled_from('{}[],:"\\ \n1ae'))
    | st.text(st.sampled_from(string.printable))
    | json_object.map(json.dumps)
)
@settings(
    deadline=None, max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_text_is_records_or_a_data_error(tmp_path: Path, text: str) -> None:
    for name in ("any.json", "any.jsonl", "any.csv", "any.dat"):
        path = write(tmp_path / name, text)
        try:
            items = read(path, bare=True)
        except DataError as error:
            places = {error.path}
        else:
            places = {path}
            assert all(all(all(triple) for triple in item.triples) for item in items)
        assert places == {path}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(
    rows=st.lists(json_object, min_size=1, max_size=5),
    piece=st.integers(1, 40),
    indent=st.sampled_from([None, 1]),
    listed=st.booleans(),
    escaped=st.booleans(),
)
def test_a_stream_in_pieces_equals_the_whole(
    rows: list[dict[str, Any]],
    piece: int,
    indent: int | None,
    listed: bool,
    escaped: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(records, "_PIECE_BYTES", piece)
    options: dict[str, Any] = {"indent": indent, "ensure_ascii": escaped}
    if listed:
        text = json.dumps(rows, **options)
    else:
        text = "\n".join(json.dumps(row, **options) for row in rows)
    path = write(tmp_path / "a.json", text)
    assert [one.value for one in stream(path)] == rows


def test_the_line_of_a_streamed_value_is_where_it_begins(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", '\n[\n{"a":\n 1},\n\n {"b": 2}, {"c": 3}\n]\n')
    assert [one.line for one in stream(path)] == [3, 6, 6]


WRONG_STREAMS = [
    ("", "is empty", 1),
    (" \n ", "is empty", 2),
    ('[{"a": 1},\n{"b": 2}', "never closed; is the file cut off?", 2),
    ('[{"a": 1},\n{"b": ', "is the file cut off?", 2),
    ('[{"a": 1}\n{"b": 2}]', "has '{' where ']' or a comma should be", 2),
    ('[{"a": 1},]', "has a comma too many", 1),
    ('{"a": 1}\n, {"b": 2}', "where an object should begin", 2),
    ('[{"a": 1}]\nx', "after the end of the list", 2),
    ('[{"a": 1,\n "b" 2}]', "is not JSON", 2),
    ('[{"a": NaN}]', "NaN is not a JSON number", 1),
    ('[{"a": ' + "9" * 9000 + "}]", "too many digits", 1),
    ('[{"a": "\\ud800"}]', "surrogate", 1),
    ('[{"a": ' + "[" * 200_000, "nested too deeply", 1),
    ('[{},\n{"a": "é"}]'.encode("latin-1"), "is not UTF-8", 2),
    ('[{}, {"a": "é'.encode()[:-1], "is not UTF-8", 1),
    ('[{},\n{"a": "\0"}]', "NUL", 2),
]


@pytest.mark.parametrize(
    ("text", "says", "line"), WRONG_STREAMS, ids=[says for _, says, _ in WRONG_STREAMS]
)
def test_an_error_in_a_stream_names_its_line(
    text: str | bytes, says: str, line: int, tmp_path: Path
) -> None:
    path = write(tmp_path / "a.json", text)
    with pytest.raises(DataError) as caught:
        list(stream(path))
    assert says in str(caught.value)
    assert (caught.value.path, caught.value.line) == (path, line)


def test_reading_stops_at_the_longest_allowed_value(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "MAX_LINE_BYTES", 3 << 20)
    path = write(tmp_path / "a.json", '[{"a": "' + "x" * (12 << 20))
    with pytest.raises(DataError, match="begins a value longer than 3 MB"):
        list(stream(path))


def test_a_long_line_is_not_held_in_memory(tmp_path: Path) -> None:
    """Twenty megabytes on one line, read in less than twelve."""
    row = json.dumps({"text": "x" * 1000})
    path = write(tmp_path / "a.json", "[" + ",".join([row] * 20_000) + "]")
    tracemalloc.start()
    try:
        assert sum(1 for _ in stream(path)) == 20_000
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert path.stat().st_size > 20_000_000
    assert peak < 12_000_000


def test_the_text_is_the_only_column_of_prose(tmp_path: Path) -> None:
    rows = ["name,p,blurb", "A,1,This is a sentence about A.", "B,2,This is a sentence about B."]
    path = write(tmp_path / "a.csv", "\n".join(rows))
    assert [item.text for item in read(path)] == [row.rpartition(",")[2] for row in rows[1:]]
    path = write(tmp_path / "b.csv", "name,output,note\nA,x,This is a long sentence about A.\n")
    assert read(path)[0].text == "x"


def test_several_texts_are_named_with_the_argument(tmp_path: Path) -> None:
    said = "This is a sentence about A."
    path = write(tmp_path / "a.csv", f"name,one,two\nA,{said},{said}\n")
    with pytest.raises(DataError) as caught:
        read(path)
    assert "it could be 'one' or 'two'" in str(caught.value)
    assert 'name its column: format="records:text=one"; or give texts=…' in str(caught.value)


def test_a_cell_may_hold_json(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", 'name,made,text\nA,"{""by"": ""Ada"", ""year"": 1.50}",A.\n')
    assert [triple[1:] for triple in read(path)[0].triples] == [
        ("made by", "Ada"),
        ("made year", "1.50"),
    ]
    path = write(tmp_path / "b.csv", 'record,text\n"{""name"": ""A"", ""p"": 1}",A.\n')
    assert read(path)[0].record == {"name": "A", "p": 1}


def test_texts_from_another_file_name_records(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", '{"orderId": "REQ-3391", "n": 3}\n')
    texts = write(tmp_path / "t.txt", "Order REQ-3391 has 3 parts.\n")
    (item,) = open_source(path, texts={"T": texts})
    assert item.triples == (Triple("REQ-3391", "n", "3"),)
    texts.write_text("It has 3 parts.\n")
    (item,) = open_source(path, texts={"T": texts})
    assert item.triples == (Triple("record", "n", "3"),)


def test_coverage_can_be_told(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "name,p,text\nA,1,x\n")
    assert [item.coverage for item in open_source(path)] == ["selected"]
    assert [item.coverage for item in open_source(path, coverage="all")] == ["all"]
    with pytest.raises(UnknownName, match="coverage"):
        open_source(path, coverage="some")


def test_semicolons_separate_the_cells_of_a_spreadsheet(tmp_path: Path) -> None:
    path = tmp_path / "sales.csv"
    path.write_text(
        "shop;sales, eur;text\nOban;1200;Oban sold for 1,200 euros.\n", encoding="utf-8"
    )
    (item,) = read(path)
    assert item.triples == (Triple("Oban", "sales, eur", "1200"),)
    assert item.text == "Oban sold for 1,200 euros."
    path = write(tmp_path / "two.csv", "shop,sales;text\nOban,1\n")
    with pytest.raises(DataError, match="has no 'text'"):
        read(path)  # two columns
