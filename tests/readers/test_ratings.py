"""Human judgments: the long form and the two campaigns."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import adequa
from adequa.data import Item, Rating, Triple
from adequa.errors import DataError, UnknownName
from adequa.readers.ratings import read_ratings

HEADER_2017 = "id,mr,team,text,category,type,bleu,triplesize,fluency,grammar,semantics\n"
ROW_2017 = (
    '7,Bex | in | Vaud<br>Bex | area | 3,vietnam,"bex , vaud",City,seen,0.1,2triples,1,2.5,3\n'
)
LONG = '{"id": "1", "system": "S", "rater": "r", "criterion": "c", "value": 2}'


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_the_long_form_as_json_lines(tmp_path: Path) -> None:
    raw = {"id": "1", "system": "S", "rater": "r", "criterion": "c", "value": 2, "colour": "red"}
    path = write(tmp_path / "r.jsonl", json.dumps(raw) + "\n\n")
    assert list(read_ratings(path)) == [Rating("1", "S", "r", "c", 2.0, meta={"colour": "red"})]


def test_the_long_form_as_a_table(tmp_path: Path) -> None:
    text = (
        "id,system,rater,criterion,value,seconds,spans,meta,colour\n"
        '1,S,,c,2.5,30,"[{""start"": 1}]","{""a"": 1}",red\n'
    )
    (rating,) = read_ratings(write(tmp_path / "r.csv", text))
    assert rating == Rating(
        *("1", "S", "", "c", 2.5),
        seconds=30.0,
        spans=({"start": 1},),
        meta={"a": 1, "colour": "red"},
    )


def test_2020_ids_become_those_of_the_items(tmp_path: Path) -> None:
    raw = {"system": "S", "id": 29, "worker": "w", "Correctness": 56, "Fluency": 3, "size": 2}
    path = write(tmp_path / "judgments.jsonl", json.dumps(raw))
    assert list(read_ratings(path)) == [
        Rating("Id29", "S", "w", "Correctness", 56.0, meta={"size": 2}),
        Rating("Id29", "S", "w", "Fluency", 3.0, meta={"size": 2}),
    ]


def test_2017_rows_find_their_entry_by_triples(tmp_path: Path) -> None:
    path = write(tmp_path / "averaged.csv", HEADER_2017 + ROW_2017)
    write(tmp_path / "sample-ids.txt", "18\n\n")
    write(tmp_path / "MRs.txt", "Bex | area | 3<br>Bex | in | Vaud")
    ratings = list(read_ratings(path))
    assert [(one.id, one.system, one.rater, one.criterion, one.value) for one in ratings] == [
        ("Id18", "UIT-VNU-HCM", "", "fluency", 1.0),
        ("Id18", "UIT-VNU-HCM", "", "grammar", 2.5),
        ("Id18", "UIT-VNU-HCM", "", "semantics", 3.0),
    ]
    assert ratings[0].meta["triplesize"] == "2triples"


def test_2017_references_find_their_item_by_text(tmp_path: Path) -> None:
    triples = (Triple("Bex", "in", "Vaud"), Triple("Bex", "area", "3"))
    items = [
        Item("Id18/Id1", triples, "Another text.", "reference"),
        Item("Id18/Id2", triples, "Bex, Vaud", "reference"),
        Item("Id18", triples, "x", "UIT-VNU-HCM"),
    ]
    rows = ROW_2017 + ROW_2017.replace("vietnam", "webnlg")
    path = write(tmp_path / "averaged.csv", HEADER_2017 + rows)
    ids = [(one.system, one.id) for one in read_ratings(path, items=items)]
    assert ids[::3] == [("UIT-VNU-HCM", "Id18"), ("reference", "Id18/Id2")]


def test_2017_single_judgments_have_the_same_criteria(tmp_path: Path) -> None:
    text = (
        ",X_unit_id,X_worker_id,fluency,grammaticality,semantic_adequacy,mr,team,text\n"
        "1,14,13,3,1,2,Bex | in | Vaud,adapt,t\n"
    )
    path = write(tmp_path / "single.csv", text)
    items = [Item("Id1", (Triple("Bex", "in", "Vaud"),), "t", "ADAPT")]
    ratings = list(read_ratings(path, items=items))
    assert {one.criterion: one.value for one in ratings} == {
        "fluency": 3.0,
        "grammar": 1.0,
        "semantics": 2.0,
    }
    assert {one.rater for one in ratings} == {"13"}


def test_2017_has_a_worker_for_nobody(tmp_path: Path) -> None:
    text = (
        ",X_unit_id,X_worker_id,fluency,grammaticality,semantic_adequacy,mr,team,text\n"
        "1,na,na,1,1,1,Bex | in | Vaud,adapt,\n"
    )
    path = write(tmp_path / "single.csv", text)
    ratings = list(read_ratings(path, items=[Item("Id1", (Triple("Bex", "in", "Vaud"),), "", "A")]))
    assert {(one.rater, one.meta["not_shown"]) for one in ratings} == {("", "empty")}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("r.jsonl", "", "holds no ratings"),
        ("r.jsonl", "[1]", ":1: is not an object"),
        ("r.jsonl", '{"a": 1}', "is not in a known form"),
        ("peers.jsonl", '{"id": 1, "system": "S", "bleu": 0.5}', "holds scores, not ratings"),
        ("r.jsonl", '{"id": 0, "system": "S", "Correctness": 1}', ":1: 'id' is 0"),
        ("r.jsonl", '{"id": 1, "system": "S", "Correctness": "high"}', "'Correctness' is 'high'"),
        ("r.jsonl", '{"id": 1, "system": "S", "Correctness": true}', "not a number"),
        ("r.jsonl", '{"id": 1, "system": 3, "Correctness": 1}', "not a string"),
        ("r.csv", "id,system,rater,criterion,value\n1,S,r,c,\n", ":2: has no 'value'"),
        ("r.csv", "id,system,rater,criterion,value\n1,S,r,c,nan\n", ":2: 'value' is"),
        ("r.csv", "id,system,rater,criterion,value\n1,S,r,c,x\n", "'value' is 'x', not a number"),
        ("r.csv", HEADER_2017 + ROW_2017, "has triples instead of ids"),
        ("r.jsonl", LONG.replace("2", "1" * 400), ":1: 'value' is a number, not a finite number"),
        ("r.jsonl", LONG.replace('"c"', '""'), ":1: 'criterion' is empty"),
        ("r.jsonl", LONG.replace('"1"', '""'), ":1: 'id' is empty"),
        ("r.jsonl", LONG[:-1] + ', "a": 1, "meta": {"a": 2}}', "both inside and outside of 'meta'"),
        ("r.jsonl", '{"id": 1, "system": "S", "Fluency": %s}' % ("1" * 400), "not a number"),
        (
            "r.jsonl",
            '{"id": 1, "system": "S", "Fluency": 1}\n{"id": 2, "system": "S"}',
            ":2: has no criterion",
        ),
    ],
)
def test_broken_ratings_are_named(name: str, text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=message):
        list(read_ratings(write(tmp_path / name, text)))


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (ROW_2017.replace("vietnam", "oslo"), ":2: the team 'oslo' did not take part"),
        (ROW_2017.replace("Bex | in", "Aigle | in"), ":2: has triples that no item has"),
        (ROW_2017.replace(",1,2.5,3", ",1,,3"), "'grammar' is ''"),
    ],
)
def test_broken_2017_rows_are_named(row: str, message: str, tmp_path: Path) -> None:
    path = write(tmp_path / "averaged.csv", HEADER_2017 + row)
    triples = (Triple("Bex", "in", "Vaud"), Triple("Bex", "area", "3"))
    with pytest.raises(DataError, match=message):
        list(read_ratings(path, items=[Item("Id1", triples, "")]))


def test_an_unknown_form_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="webnlg2020"):
        list(read_ratings(write(tmp_path / "r.jsonl", "{}"), format="webnlg20"))


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "ratings", "raters"),
    [
        ("webnlg2017/human/all_data_final_averaged.csv", 3 * 2_230, 1),
        ("webnlg2017/human/all_data_final_scores_anonymised.csv", 3 * 6_111, 254),
        ("webnlg2020/human/averaged.jsonl", 5 * 1_529, 1),
        ("webnlg2020/human/judgments.jsonl", 5 * 4_249, None),
    ],
)
def test_the_real_files_count(name: str, ratings: int, raters: int | None, data_dir: Path) -> None:
    read = list(read_ratings(data_dir / name))
    assert len(read) == ratings
    assert raters is None or len({one.rater for one in read}) == raters


@pytest.mark.data
def test_every_real_row_of_2017_finds_one_item(data_dir: Path) -> None:
    test = data_dir / "webnlg2017" / "test" / "testdata_with_lex.xml"
    outputs = {path.stem: path for path in (data_dir / "webnlg2017" / "systems").glob("*.txt")}
    items = {item.key: item for item in adequa.read(test, texts=outputs)}
    references = {item.key: item for item in adequa.read(test)}
    path = data_dir / "webnlg2017" / "human" / "all_data_final_averaged.csv"
    ratings = list(read_ratings(path, items=[*items.values(), *references.values()]))
    keys = {(one.system, one.id) for one in ratings}
    assert len(keys) == 2_230
    assert sum(system != "reference" for system, _ in keys) == 2_007
    assert keys <= items.keys() | references.keys()
    by_sample = {(one.system, one.id) for one in read_ratings(path)}
    assert {key for key in by_sample if key[0] != "reference"} <= items.keys()
    for one in ratings:
        if one.system != "reference":
            text = items[one.system, one.id].text
            assert "".join(text.lower().split()) == "".join(one.meta["text"].lower().split())
