"""The fit of how credible findings on records are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from adequa.errors import DataError
from adequa.models import load_encoder
from research.records import command
from research.records.command import app
from research.records.findings import (
    Case,
    JudgedText,
    fit_findings,
    judge_file,
    read_groups,
)


def texts(seen: bool, count: int = 30) -> list[JudgedText]:
    """Right findings have a counterpart; those of the rule `row` are few."""
    found = []
    for number in range(count):
        right = Case({"rule number": 1.0, "counterpart": 1.0}, right=True)
        false = Case({"rule number": 1.0}, right=False)
        few = Case({"rule row": 1.0}, right=False)
        group = str(number)
        found.append(JudgedText("a.jsonl", seen, group, True, () if number % 2 else (false,)))
        own = (right, few) if number == 0 and not seen else (right,)
        found.append(JudgedText("a.jsonl", seen, group, False, own))
    return found


def test_the_limit_leaves_faithful_texts_clean() -> None:
    fit = fit_findings([*texts(seen=False), *texts(seen=True)], clean=0.9)
    before, after = fit.point(0.0), fit.point(fit.model.limit)
    assert (before.clean, before.noticed, before.placed) == (0.5, 1.0, 1.0)
    assert (after.clean, after.noticed, after.placed) == (1.0, 1.0, 1.0)
    assert fit.model.weights["counterpart"] > 0
    assert fit.model.fitted_on == "30 unread records (a.jsonl), 30 seen records (a.jsonl)"


def test_a_rule_with_few_findings_is_not_rated() -> None:
    fit = fit_findings(texts(seen=False), clean=0.9)
    assert "rule row" not in fit.model.weights
    assert fit.chances[1][1] == 1.0


def test_nothing_to_tell_apart() -> None:
    with pytest.raises(DataError, match="no right or no wrong finding"):
        fit_findings(texts(seen=True))


def test_parts_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "records.jsonl"
    groups = [
        {"id": str(number), "record": {"a": 1}, "faithful": ["A is 1."], "wrong": []}
        for number in range(9)
    ]
    file.write_text("".join(f"{json.dumps(one)}\n" for one in groups), encoding="utf-8")
    assert len([*read_groups(str(file))]) == 9
    assert [one.id for one in read_groups(f"{file}:odd")] == ["1", "3", "5", "7"]
    assert [one.id for one in read_groups(f"{file}:held")] == ["7"]
    with pytest.raises(DataError, match="not a part"):
        next(read_groups(f"{file}:third"))
    with pytest.raises(DataError, match="give a file of records"):
        next(read_groups(str(tmp_path / "none.jsonl")))


def test_the_rules_judge_all_texts_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "records.jsonl"
    group = {
        "id": "1",
        "record": {"inn": "Lamsen", "sauna": False},
        "faithful": ["Lamsen has no sauna."],
        "wrong": [{"of": 0, "old": "no sauna", "new": "a sauna", "kind": "polarity"}],
        "same": [{"of": 0, "old": "has no sauna", "new": "is without a sauna"}],
    }
    file.write_text(json.dumps(group) + "\n", encoding="utf-8")
    judged = judge_file(str(file), load_encoder().encode, seen=False)
    assert [one.faithful for one in judged] == [True, True, False]
    assert [case.right for case in judged[2].cases] == [True]


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def judge(place: str, encode: object, *, seen: bool, progress: object) -> list[JudgedText]:
        del place, encode, progress
        return texts(seen)

    monkeypatch.setattr(command, "judge_file", judge)
    out = tmp_path / "credibility.json"
    run = CliRunner().invoke(app, ["findings", "a.jsonl:odd", "--clean", "0.9", "--out", str(out)])
    assert run.exit_code == 0, run.output
    assert "out of fold, 30 faithful and 30 wrong unread texts" in run.output
    written = json.loads(out.read_text(encoding="utf-8"))
    assert written["out_of_fold"]["with the limit"]["clean"] == 1.0
