"""The challenge sets keep their format: what the measurements rely on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[2] / "bench" / "challenges"
RELATION_KINDS = {
    *("roles", "inverse", "other_relation", "negation", "wrong_entity", "modality"),
    *("quantifier", "time_order", "start_end"),
}
RECORD_KINDS = {
    *("wrong_value", "wrong_unit", "wrong_owner", "polarity", "wrong_aggregate"),
    *("wrong_comparison", "wrong_relation", "added", "wrong_rounding_or_range", "wrong_category"),
}

SPAN_TYPES = {"contradictory", "not_checkable", "misleading", "incoherent", "repetitive"}


def groups(kind: str, half: str) -> list[dict[str, Any]]:
    lines = (FOLDER / kind / f"{half}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def resolve(record: Any, pointer: str) -> Any:
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        record = record[int(key)] if isinstance(record, list) else record[key]
    return record


@pytest.mark.parametrize("half", ["open", "sealed"])
def test_relations(half: str) -> None:
    read = groups("relations", half)
    assert len(read) == 110
    for group in read:
        texts = {text["style"]: text["text"] for text in group["faithful"]}
        assert set(texts) == {"plain", "llm"}
        assert len(group["wrong"]) == 3
        for wrong in group["wrong"]:
            assert wrong["kind"] in RELATION_KINDS
            assert 0 <= wrong["triple"] < len(group["triples"])
            assert wrong["text"] not in texts.values()
            assert wrong["of"] in texts
    assert {wrong["kind"] for group in read for wrong in group["wrong"]} == RELATION_KINDS


@pytest.mark.parametrize("half", ["open", "sealed"])
def test_records(half: str) -> None:
    read = groups("records", half)
    assert len(read) == 80
    for group in read:
        assert len(group["faithful"]) == 2
        assert len(group["wrong"]) == 3
        for wrong in group["wrong"]:
            assert wrong["kind"] in RECORD_KINDS
            assert 0 <= wrong["start"] < wrong["end"] <= len(wrong["text"])
            assert wrong["text"] not in group["faithful"]
            if wrong["path"] is not None:
                resolve(group["record"], wrong["path"])
    assert {wrong["kind"] for group in read for wrong in group["wrong"]} == RECORD_KINDS


def test_marked_records() -> None:
    read = groups("records", "marked")
    assert len(read) == 190
    for group in read:
        assert len(group["faithful"]) == 2
        assert len(group["wrong"]) == 4
        for wrong in group["wrong"]:
            assert wrong["text"] not in group["faithful"]
            assert 1 <= len(wrong["spans"]) <= 4
            for span in wrong["spans"]:
                assert span["type"] in SPAN_TYPES
                assert 0 <= span["start"] < span["end"] <= len(wrong["text"])
                assert wrong["text"][span["start"] : span["end"]].strip()
                if span["path"] is not None:
                    resolve(group["record"], span["path"])


def test_ids_are_unique_over_all_parts() -> None:
    parts = {"relations": ("open", "sealed"), "records": ("open", "sealed", "marked")}
    for kind, halves in parts.items():
        ids = [group["id"] for half in halves for group in groups(kind, half)]
        assert len(ids) == len(set(ids))
