"""Logs of inputs and outputs, and chats."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from adequa.data import Triple
from adequa.errors import DataError
from adequa.readers import open_source
from adequa.readers.logs import read_log
from adequa.readers.records import read_object

RECORD = {"name": "Alba", "port": "Oban"}
ASKED = f"Describe this ship:\n```json\n{json.dumps(RECORD)}\n```\nUse [brackets] never."
ANSWER = "The Alba is at home in Oban."
CHAT = [
    {"role": "system", "content": "You write {short} texts."},
    {"role": "user", "content": ASKED},
    {"role": "assistant", "content": ANSWER},
]


def log(line: dict[str, Any]) -> Any:
    return read_log(line, record=None, text=None, decode=json.JSONDecoder().raw_decode)


@pytest.mark.parametrize(
    "line",
    [
        {"record": RECORD, "text": ANSWER},
        {"input": RECORD, "output": ANSWER},
        {"Input": json.dumps(RECORD), "Output": ANSWER},
        {"data": RECORD, "output": ANSWER, "latency": 3},
        {"prompt": ASKED, "completion": ANSWER},
        {"context": RECORD, "response": ANSWER},
        {"messages": CHAT},
        {"messages": CHAT[:2], "response": {"choices": [{"message": CHAT[2]}]}},
        {"messages": CHAT[:2], "choices": [{"message": CHAT[2]}]},
        {"prompt": CHAT[:2], "completion": CHAT[2:]},
        {"conversations": [{"from": "human", "value": ASKED}, {"from": "gpt", "value": ANSWER}]},
        {"messages": [{"role": "user", "content": [{"type": "text", "text": ASKED}]}, CHAT[2]]},
    ],
    ids="+".join,
)
def test_a_line_of_a_log(line: dict[str, Any]) -> None:
    found = log(line)
    assert (found.record, found.text) == (RECORD, ANSWER)
    item = read_object(line, position=4)
    assert (item.id, item.text, item.record) == ("4", ANSWER, RECORD)
    assert item.triples == (Triple("Alba", "port", "Oban"),)
    assert item.paths == ("/port",)
    assert item.coverage == "selected"


@pytest.mark.parametrize(
    "line",
    [
        {"name": "Alba", "data": {"port": "Oban"}, "text": ANSWER},
        {"name": "Alba", "context": "harbour", "text": ANSWER},
        {"input": "a plain question", "output": ANSWER},
        {"port": "Oban", "text": ANSWER},
    ],
)
def test_a_row_with_such_a_field_is_no_log(line: dict[str, Any]) -> None:
    assert log(line) is None


def test_triples_in_a_log_are_triples() -> None:
    for written in ("Alba | port | Oban", [["Alba", "port", "Oban"]]):
        item = read_object({"input": written, "output": ANSWER}, position=1)
        assert item.triples == (Triple("Alba", "port", "Oban"),)
        assert (item.record, item.coverage) == (None, "all")


def test_the_rest_of_a_line_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    line = {"id": "x", "system": "m1", "category": "ship", "input": RECORD, "output": ANSWER}
    path.write_text(json.dumps(line | {"latency": 3, "meta": {"a": 1}, "coverage": "all"}))
    (item,) = open_source(path)
    assert (item.id, item.system, item.category) == ("x", "m1", "ship")
    assert item.meta == {"latency": 3, "a": 1}
    assert item.coverage == "all"


def test_what_is_wrong_with_a_log_is_said(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(json.dumps({"messages": [{"role": "user", "content": "Hello."}, CHAT[2]]}))
    with pytest.raises(DataError, match=r"log\.jsonl:1: 'messages' has no JSON"):
        list(open_source(path))
    path.write_text(json.dumps({"record": "nothing", "text": "A."}))
    with pytest.raises(DataError, match="'record' has no JSON object"):
        list(open_source(path))
    path.write_text(json.dumps({"messages": CHAT[:2]}))
    with pytest.raises(DataError, match="has no 'text'"):
        list(open_source(path))
