"""The fit of how credible findings on records are."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest
from typer.testing import CliRunner

from adequa.entities.credibility import Credibility
from adequa.errors import DataError
from adequa.metrics.nli.contradictions import RULE, UNSUPPORTED
from adequa.models import NamedText, SentenceReading, load_encoder
from research.records import command
from research.records.command import app
from research.records.findings import (
    READER_LIMIT,
    Case,
    JudgedText,
    find_cases,
    find_readings,
    fit_findings,
    fit_reader,
    judge_file,
    read_groups,
)


def texts(count: int = 30) -> list[JudgedText]:
    """Right findings have a counterpart; those of the rule `row` are few."""
    found = []
    for number in range(count):
        right = Case({"rule number": 1.0, "counterpart": 1.0}, right=True)
        false = Case({"rule number": 1.0}, right=False)
        few = Case({"rule row": 1.0}, right=False)
        group = str(number)
        found.append(JudgedText("a.jsonl", group, "", () if number % 2 else (false,)))
        own = (right, few) if number == 0 else (right,)
        found.append(JudgedText("a.jsonl", group, "wrong_value", own))
    return found


def test_the_limit_leaves_faithful_texts_clean() -> None:
    fit = fit_findings(texts(), clean=0.9)
    before, after = fit.point(0.0), fit.point(fit.model.limit)
    assert (before.clean, before.noticed, before.placed) == (0.5, 1.0, 1.0)
    assert (after.clean, after.noticed, after.placed) == (1.0, 1.0, 1.0)
    assert fit.model.weights["counterpart"] > 0
    assert fit.model.fitted_on == "30 records (a.jsonl)"


def test_each_kind_of_fault_counts_alike() -> None:
    """Of two features, one is right in a frequent kind, the other as often in a rare one."""
    found = []
    for number in range(100):
        frequent = number % 10 > 0
        name = "often" if frequent else "seldom"
        kind = "polarity" if frequent else "wrong_unit"
        right = Case({"rule number": 1.0, name: 1.0}, right=True)
        false = Case({"rule number": 1.0, "often" if number % 2 else "seldom": 1.0}, right=False)
        found.append(JudgedText("a.jsonl", str(number), kind, (right,)))
        found.append(JudgedText("a.jsonl", str(number), "", (false,)))
    model = fit_findings(found, clean=0.0).model
    assert model.weights["often"] == pytest.approx(model.weights["seldom"], abs=0.3)


def test_rules_for_matches_and_weather_are_not_rated() -> None:
    few = (Case({"rule series range": 1.0}, right=False),)
    found = [*texts(), *(JudgedText("a.jsonl", str(one), "", few) for one in range(30))]
    fit = fit_findings(found, clean=0.1)
    assert "rule series range" not in fit.model.weights
    assert fit.chances[-1] == [1.0]


def test_a_rule_with_few_findings_is_not_rated() -> None:
    fit = fit_findings(texts(), clean=0.9)
    assert "rule row" not in fit.model.weights
    assert fit.chances[1][1] == 1.0


def test_nothing_to_tell_apart() -> None:
    with pytest.raises(DataError, match="no right or no wrong finding"):
        fit_findings([one for one in texts() if one.kind])


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
    judged = judge_file(str(file), partial(find_cases, load_encoder().encode))
    assert [one.kind for one in judged] == ["", "", "polarity"]
    assert [case.right for case in judged[2].cases] == [True]

    def read(texts: Sequence[NamedText]) -> list[list[SentenceReading]]:
        """The sentence that has a sauna is against the first fact."""
        return [
            [SentenceReading(0, len(one.text), 0, 2.0, -1.0, None, ((11, 18, 2.0),))]
            if "has a sauna" in one.text
            else []
            for one in texts
        ]

    judged = judge_file(str(file), partial(find_readings, read))
    assert [one.kind for one in judged] == ["", "", "polarity"]
    assert [[case.right for case in one.cases] for one in judged] == [[], [], [True]]


def test_contradictions_of_the_reader_are_rated_beside_the_rules() -> None:
    rules = Credibility({"rule number": 0.5}, offset=-1.0, limit=0.2, fitted_on="10 records")
    cases = [
        Case({RULE: 1.0, "reader: contradicts": logit}, right=logit > 0)
        for logit in (-2.0, -1.0, 1.0, 2.0)
    ]
    doubts = [
        Case({UNSUPPORTED: 1.0, "support: sentence": logit}, right=logit < 0)
        for logit in (-2.0, -1.0, 1.0, 2.0)
    ]
    judged = [
        JudgedText("b.jsonl", str(at), "polarity", both)
        for at, both in enumerate(zip(cases, doubts, strict=True))
    ]
    model = fit_reader(judged * 10, rules)
    unlikely, *_, likely = (model.chance(one.features) for one in cases)
    supported, *_, doubtful = (model.chance(one.features) for one in doubts)
    assert supported is not None
    assert doubtful is not None
    assert supported > 0.5 > doubtful  # each has weights of its own
    assert likely is not None
    assert unlikely is not None
    assert likely > READER_LIMIT > unlikely
    assert model.keeps(likely, RULE)
    assert not model.keeps(unlikely, RULE)
    assert model.chance({"rule number": 1.0}) == rules.chance({"rule number": 1.0})
    assert model.keeps(0.25)  # the limit of the rules stays
    assert model.fitted_on == "10 records; the reader: 4 records (b.jsonl)"
    with pytest.raises(DataError, match="no right or no wrong contradiction"):
        fit_reader(judged[:2], rules)


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def judge(place: str, find: object, *, progress: object) -> list[JudgedText]:
        del place, find, progress
        return texts()

    monkeypatch.setattr(command, "judge_file", judge)
    out = tmp_path / "credibility.json"
    run = CliRunner().invoke(app, ["findings", "a.jsonl:odd", "--clean", "0.9", "--out", str(out)])
    assert run.exit_code == 0, run.output
    assert "out of fold, 30 faithful and 30 wrong texts" in run.output
    written = json.loads(out.read_text(encoding="utf-8"))
    assert written["out_of_fold"]["with the limit"]["clean"] == 1.0
    assert written["limits"] == {}  # other records were given, and none for the reader
