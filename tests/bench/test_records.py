"""The bench of records: what counts as noticed, and at the right place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from adequa.data import Finding, Item, Result
from bench import records
from bench.joined import BOTH

GROUP = {
    "id": "g",
    "domain": "boats",
    "record": {"length": 12, "colour": "red"},
    "faithful": ["It is red.", "It is 12 m long."],
    "wrong": [
        {"kind": "wrong_value", "of": 0, "text": "It is blue.", "start": 6, "end": 10, "why": ""},
        {
            "kind": "wrong_unit",
            "of": 1,
            "text": "It is 12 km long.",
            "start": 6,
            "end": 11,
            "why": "",
        },
        {
            "kind": "wrong_unit",
            "of": 1,
            "text": "It is 12 ft long.",
            "start": 6,
            "end": 11,
            "why": "",
        },
    ],
}
PLACES: dict[str, list[tuple[int | None, int | None]]] = {
    "It is 12 m long.": [(0, 2)],
    "It is blue.": [(9, 11)],
    "It is 12 km long.": [(0, 6)],
    "It is 12 ft long.": [(None, None)],
}


@pytest.fixture
def outcome(monkeypatch: pytest.MonkeyPatch) -> records.Outcome:
    def judged(items: Sequence[Item]) -> dict[str, list[Result]]:
        found = [
            tuple(
                Finding("esa", "hallucination", "unsupported", "why", start=start, end=end)
                for start, end in PLACES.get(item.text, [])
            )
            for item in items
        ]
        pairs = zip(items, found, strict=True)
        return {BOTH: [Result(item, {}, findings=findings) for item, findings in pairs]}

    monkeypatch.setattr(records, "judge_items", judged)
    return records.judge([GROUP])


def test_figures(outcome: records.Outcome) -> None:
    assert outcome.clean == [True, False]
    assert [fault.noticed for fault in outcome.faults] == [True, True, True]
    assert [fault.placed for fault in outcome.faults] == [True, False, False]
    assert [fault.twin_clean for fault in outcome.faults] == [True, False, False]
    assert outcome.figures() == {
        "faithful texts clean": 0.5,
        "faults noticed": 1.0,
        "at the right place": pytest.approx(1 / 3),
    }


def test_the_table_has_a_row_for_each_kind(outcome: records.Outcome) -> None:
    rows: dict[Any, Any] = {row[0]: row for row in records.table(outcome).rows}
    assert list(rows) == ["wrong_unit", "wrong_value", "all"]
    assert rows["wrong_unit"] == ["wrong_unit", 2, 1.0, 0.0, 0, 0.0]
    assert rows["wrong_value"] == ["wrong_value", 1, 1.0, 1.0, 1, 1.0]


def test_details_show_the_words(outcome: records.Outcome) -> None:
    wrong = next(one for one in outcome.details if one["kind"] == "wrong_value")
    assert wrong["fault"] == "blue"
    assert wrong["findings"][0]["words"] == "e."
    assert wrong["findings"][0]["at_fault"]
