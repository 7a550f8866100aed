"""Changes since a baseline: pairs, broken facts, tests."""

from __future__ import annotations

import copy

import pytest

from adequa.errors import RunError
from adequa.report import write_report
from adequa.report.changes import changed_score, paired_tests
from adequa.report.tallies import collect
from adequa.run import open_run

from .made_runs import made_lines, write_lines


@pytest.fixture
def runs(tmp_path):
    """Then and now: two systems, some hundred inputs, every fact of Anna's 3 first texts broken."""
    then = made_lines(1, inputs=60)
    for line in then:
        line["scores"]["esa"] = 0.9
        line.pop("reasons", None)
        for fact in line["facts"]:
            fact["status"] = "stated"
    now = copy.deepcopy(then)
    for line in now:
        if line["system"] == "Anna":
            line["scores"]["esa"] = 0.5 if line["id"] == "Id0" else 0.7
            if line["id"] in ("Id0", "Id1", "Id2"):
                for fact in line["facts"]:
                    fact["status"] = "missing"
    then[1]["facts"][0]["status"] = "missing"  # Bert's first text, mended since
    return write_lines(tmp_path / "new", now), write_lines(tmp_path / "old", then)


def test_broken_and_mended_facts_are_counted(runs):
    new, old = map(open_run, runs)
    collected = collect([new], baseline=old)
    names = [(one.name, one.is_baseline) for one in collected.systems]
    assert names == [("Anna", True), ("Bert", True), ("Anna", False), ("Bert", False)]
    anna, bert = collected.changed[2], collected.changed[3]
    assert (anna.before, bert.before) == (0, 1)
    assert (anna.paired, anna.unpaired) == (60, 0)
    assert sum(anna.broken.values()) == 1 + 2 + 3
    assert sum(bert.broken.values()) == 0
    assert sum(bert.mended.values()) == 1
    assert changed_score(anna.differences["esa"], higher_is_better=True) == (0, 60, 0)
    assert changed_score(anna.differences["ter"], higher_is_better=False) == (0, 0, 60)
    assert sum(anna.verdicts.values()) == 60


def test_the_paired_test_sees_what_was_done(runs):
    new, old = map(open_run, runs)
    tests = paired_tests([new], old, {2: 0, 3: 1})
    by_name = {measure.name: place for place, measure in enumerate(tests.measures)}
    anna, bert = (tests.pairs[number][by_name["esa"]] for number in (2, 3))
    assert anna.difference == pytest.approx(-0.2 - 0.2 / 60)
    assert anna.winner == anna.second
    assert bert.winner is None


def test_other_triples_are_another_item(runs, tmp_path):
    lines = made_lines(1, systems=["Anna"], inputs=4)
    other = copy.deepcopy(lines)
    other[0]["triples"][0][2] = "something else"
    for fact in other[0]["facts"]:
        fact["triple"] = other[0]["triples"][0]
    new = open_run(write_lines(tmp_path / "a", other))
    old = open_run(write_lines(tmp_path / "b", lines))
    changed = collect([new], baseline=old).changed[1]
    assert (changed.paired, changed.unpaired) == (3, 1)


def test_one_system_each_may_be_renamed_but_not_several(tmp_path):
    write = lambda name, *systems: write_lines(  # noqa: E731
        tmp_path / name, made_lines(2, systems=systems, inputs=6)
    )
    report = tmp_path / "report.html"
    write_report([write("new", "v2")], report, baseline=write("old", "v1"))
    assert "v1 (baseline)" in report.read_text(encoding="utf-8")
    with pytest.raises(RunError, match="none of the systems"):
        write_report([write("two", "c", "d")], report, baseline=write("other", "a"), force=True)
