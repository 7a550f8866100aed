"""A gate's answer in each form, whatever stands in names and reasons."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from adequa.analysis.gate import (
    Gate,
    Limit,
    LimitResult,
    github_lines,
    junit,
    markdown,
    table,
    to_object,
)

NASTY = '<T5> & \x00 "100%", a|b\nnext'


def check(outcome, *, broken=False, examples=(), more=0):
    limit = Limit("max", "omission", 0.05)
    return LimitResult(
        NASTY, limit, outcome, broken, 0.5, (0.25, 0.75), 40, NASTY, examples=examples, more=more
    )


GATE = Gate(
    "runs/new",
    (
        check("pass"),
        check("fail", broken=True, examples=(NASTY,), more=3),
        check("not enough data"),
        check("not enough data", broken=True),
    ),
    0.95,
    notes=("a note",),
)


def test_junit_counts_and_escapes():
    root = ET.fromstring(junit(GATE))
    suite = root[0]
    assert {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")} == {
        "tests": "4",
        "failures": "2",
        "errors": "0",
        "skipped": "1",
    }
    kinds = [case[0].tag for case in suite]
    assert kinds == ["system-out", "failure", "skipped", "failure"]
    assert "… and 3 more" in suite[1][0].text
    assert suite[0].get("classname").startswith("adequa.<T5> &")


def test_markdown_is_one_table_and_the_reasons():
    written = markdown(GATE)
    assert written.startswith("## adequa: not passed\n")
    assert "\x00" not in written
    rows = [line for line in written.splitlines() if line.startswith("|")]
    assert len(rows) == 2 + 4
    assert r"a\|b" in rows[2]
    assert "… and 3 more" in written


def test_annotations_are_one_line_each():
    lines = github_lines(GATE).splitlines()
    assert [one.split(" ", 1)[0] for one in lines] == ["::error", "::warning", "::error"]
    assert "%25" in lines[0]
    assert "%0A" in lines[0]
    assert github_lines(Gate("run", (check("pass"),), 0.95)) == ""


def test_the_object_says_everything():
    written = to_object(GATE)
    assert written["open"] is False
    assert [one["stops"] for one in written["checks"]] == [False, True, False, True]
    assert written["checks"][1]["more"] == 3
    assert len(table(GATE).rows) == 4
