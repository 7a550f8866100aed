"""Scores from a file as a metric."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

import adequa
from adequa import Item, Triple
from adequa.errors import DataError
from adequa.metrics import resolve
from adequa.metrics.precomputed import Precomputed

TRIPLES = (Triple("s", "p", "o"),)
JSONL = '{"system": "A", "id": 29, "x": 0.5, "y": 1}\n\n{"system": "A", "id": "b", "x": null}\n'


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("s.jsonl", JSONL),
        ("s.ndjson", JSONL),
        ("s.csv", "system,id,x\nA,29,0.5\nA,b,\n"),
        ("s.tsv", "x\tsystem\tid\n0.5\tA\t29\n\tA\tb\n"),
    ],
)
def test_scores_come_from_a_file(name: str, text: str, tmp_path: Path) -> None:
    path = write(tmp_path / name, text)
    metric = adequa.load_metric("precomputed", file=str(path), key="x")
    items = [Item(own, TRIPLES, "", system="A") for own in ("Id29", "29", "b", "c")]
    items.append(Item("29", TRIPLES, "", system="B"))
    scores = metric.score(items)
    assert [score.value for score in scores] == [0.5, 0.5, None, None, None]
    assert [score.reason for score in scores[2:]] == [
        f"no value in {name}",
        f"not in {name}",
        f"not in {name}",
    ]


def test_an_id_that_matches_as_it_is_comes_first(tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", '{"id": "Id1", "x": 1}\n{"id": "1", "x": 2}\n')
    items = [Item("Id1", TRIPLES, ""), Item("1", TRIPLES, ""), Item("no1", TRIPLES, "")]
    found = [score.value for score in Precomputed(path, "x").score(items)]
    assert found == [1.0, 2.0, None]
    found = [score.value for score in Precomputed(path, "x", id_prefix="no").score(items)]
    assert found == [1.0, 2.0, 2.0]


def test_a_line_of_a_run_keeps_its_scores_one_level_down(tmp_path: Path) -> None:
    path = write(tmp_path / "scores.jsonl", '{"id": "1", "system": "A", "scores": {"esa": 0.25}}\n')
    item = Item("1", TRIPLES, "", system="A")
    assert Precomputed(path, "esa").score([item])[0].value == 0.25
    with pytest.raises(DataError, match="has no 'nli'; name one of: esa"):
        Precomputed(path, "nli")


def test_it_is_named_on_the_command_line(tmp_path: Path) -> None:
    path = write(tmp_path / "peers.jsonl", JSONL)
    chosen = resolve([f"bleurt=precomputed:file={path},key=x,lower_is_better=true"])
    assert list(chosen) == ["bleurt"]
    assert not chosen["bleurt"].higher_is_better
    assert chosen["bleurt"].best < chosen["bleurt"].worst
    assert Precomputed(path, "x").higher_is_better


def test_the_signature_names_the_content(tmp_path: Path) -> None:
    first = Precomputed(write(tmp_path / "a.jsonl", JSONL), "x")
    second = Precomputed(write(tmp_path / "b.jsonl", JSONL), "x")
    assert first.signature == second.signature
    assert str(tmp_path) not in first.signature
    before = first.signature
    write(tmp_path / "a.jsonl", JSONL.replace("0.5", "0.75"))
    assert first.signature != before
    item = Item("29", TRIPLES, "", system="A")
    assert first.score([item])[0].value == 0.75
    assert pickle.loads(pickle.dumps(first)).score([item])[0].value == 0.75


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"id": "1", "x": 1}\n{"id": 1, "x": 2}', r":2: has a second row for '1'.* is line 1"),
        ('{"id": "1", "y": 1}', r":1: has no 'x'; name one of: y"),
        ('{"x": 1}', r":1: has no 'id'"),
        ('{"id": "", "x": 1}', r":1: has no 'id'"),
        ('{"id": "1", "system": 3, "x": 1}', r":1: 'system' is 3"),
        ('{"id": "1", "x": "high"}', r":1: 'x' is 'high', not a finite number"),
        ('{"id": "1", "x": "0.5"}', r":1: 'x' is '0.5', not a finite number"),
        ('{"id": "1", "x": true}', r":1: 'x' is True, not a finite number"),
        ('{"id": "1", "x": 1e999}', r":1: 'x' is inf"),
        ('{"id": "1", "x": NaN}', r":1: NaN is not a JSON number"),
        ('{"id": "1", "x": [1]}', "not a finite number"),
        ('\n{"id": "1"', r":2: is not JSON"),
        ("[1]", r":1: is not an object"),
        ("", r"has no scores"),
        ("\n\n", r"has no scores"),
    ],
)
def test_a_broken_file_is_named_when_the_metric_is_made(
    text: str, message: str, tmp_path: Path
) -> None:
    path = write(tmp_path / "s.jsonl", text)
    with pytest.raises(DataError, match=message):
        adequa.load_metric("precomputed", file=path, key="x")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,x\n1,high\n", r":2: 'x' is 'high', not a finite number"),
        ("id,x\n1,nan\n", r":2: 'x' is nan"),
        ("id,x\n1,1_0\n", r":2: 'x' is '1_0'"),
        ("id,x\n1\n", r":2: "),
        ("id,y\n1,2\n", r":2: has no 'x'; name one of: y"),
        ("", "is empty"),
    ],
)
def test_a_broken_table_is_named(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=message):
        Precomputed(write(tmp_path / "s.csv", text), "x")


def test_an_absent_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none\.jsonl: cannot be opened"):
        Precomputed(tmp_path / "none.jsonl", "x")


@pytest.mark.data
def test_the_peers_of_2020_are_metrics(data_dir: Path) -> None:
    folder = data_dir / "webnlg2020"
    source = folder / "test" / "rdf-to-text-generation-test-data-with-refs-en.xml"
    peers = folder / "human" / "peers.jsonl"
    items = list(adequa.read(source, texts={"RALI": folder / "systems" / "RALI.txt"}))
    for key in ("bleu", "meteor", "bert-f1", "bart", "bleurt", "fact-spotter"):
        scores = adequa.load_metric("precomputed", file=peers, key=key).score(items)
        assert sum(score.value is not None for score in scores) == 90
        assert {score.reason for score in scores} == {None, "not in peers.jsonl"}
