"""Outcomes: who won, draws, and whose goals they were."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from adequa.entities.judgment import read_findings
from adequa.entities.outcomes import read_contest
from adequa.entities.values import values_of
from adequa.readers.records import read_record

MATCH = {
    "home": "Rovers", "away": "United", "score": {"home": 2, "away": 3},
    "goals": [
        {"player": "Ali Sen", "team": "Rovers", "minute": 12},
        {"player": "Max Orr", "team": "United", "minute": 33},
        {"player": "Max Orr", "team": "United", "minute": 58},
        {"player": "Ben Kay", "team": "Rovers", "minute": 71},
        {"player": "Joe Lund", "team": "United", "minute": 88},
    ],
}  # fmt: skip


def faults(record: Any, text: str) -> list[str]:
    found = read_findings(read_record(record, text, id="1").item).found
    return [text[slice(*one.place)] for one in found if one.rule.startswith(("outcome", "object"))]


@pytest.mark.parametrize(
    ("record", "score"),
    [
        ({"home_team": "Rovers", "away_team": "United", "home_score": 1, "away_score": 4}, (1, 4)),
        ({"homeTeam": "Rovers", "awayTeam": "United", "result": "1-3"}, (1, 3)),
        ({"home": {"name": "Rovers", "goals": 1}, "away": {"name": "United", "goals": 0}}, (1, 0)),
        ({"teams": [{"name": "Rovers", "score": 80}, {"name": "United", "score": 79}]}, (80, 79)),
        (
            {
                "home": "Rovers",
                "away": "United",
                "halfTime": {"home": 0, "away": 1},
                "fullTime": {"home": 2, "away": 1},
            },
            (2, 1),
        ),
        ({"home": "Rovers", "away": "United", "shots": {"home": 9, "away": 4}}, None),
        ({"name": "Rovers", "score": 7}, None),
    ],
)
def test_the_sides_and_the_final_score(record: Any, score: tuple[int, int] | None) -> None:
    values = values_of(read_record(record, "x", id="1").item)
    contest = read_contest(values.roles, values.rows)
    if score is None:
        assert contest is None
    else:
        assert contest is not None
        assert contest.names == ("Rovers", "United")
        assert contest.score == tuple(map(Decimal, score))


@pytest.mark.parametrize(
    "text",
    [
        "Rovers beat United 3-2.",
        "United lost 3-2 to Rovers.",
        "United were beaten by Rovers.",
        "It was a narrow win for Rovers.",
        "The hosts won 3-2.",
        "Rovers and United drew.",
        "United won 3-2. Max Orr scored a hat-trick.",
        "United won 3-2. Ben Kay scored the winner.",
        "Max Orr opened the scoring.",
        "United beat Rovers, with Joe Lund scoring in the 78th minute.",
    ],
)
def test_a_wrong_outcome_is_a_fault(text: str) -> None:
    assert faults(MATCH, text)


@pytest.mark.parametrize(
    "text",
    [
        "United beat Rovers 3-2.",
        "Rovers lost 3-2 to United.",
        "The visitors won 3-2 away at Rovers.",
        "Rovers would have won with a little more luck.",
        "Rovers had beaten United last season.",
        "At half-time it was level; Rovers drew level again later.",
        "Ali Sen opened the scoring in the 12th minute, and Max Orr scored twice.",
        "Joe Lund scored the winner in the 88th minute.",
        "Joe Lund was booked.",
    ],
)
def test_a_right_outcome_is_not_a_fault(text: str) -> None:
    assert faults(MATCH, text) == []
