"""A gate's answer as a table, JSON, JUnit XML, Markdown and GitHub's annotation lines."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

from adequa.gate.model import Check, Gate
from adequa.tables import Cell, Table, escape_markdown, one_line

__all__ = ["github_lines", "junit", "markdown", "table", "to_object"]

_NOT_XML = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 0xFFFE, 0xFFFF], "\ufffd")


def table(gate: Gate) -> Table:
    """A row a check."""
    rows: list[list[Cell]] = [
        [
            check.system or "(unnamed)",
            str(check.limit),
            None if check.value is None else f"{check.value:.3f}",
            None if check.interval is None else f"{check.interval[0]:.3f}–{check.interval[1]:.3f}",
            check.items,
            _said(gate, check),
        ]
        for check in gate.checks
    ]
    return Table("", ["system", "limit", "value", "interval", "of", "outcome"], rows)


def to_object(gate: Gate) -> dict[str, Any]:
    """The answer for machines."""
    return {
        "run": gate.run,
        "open": gate.is_open,
        "level": gate.level,
        "strict": gate.strict,
        "checks": [
            {
                "system": check.system,
                "bound": check.limit.bound,
                "measure": check.limit.measure,
                "limit": check.limit.value,
                "outcome": check.outcome,
                "stops": gate.stops(check),
                "value": check.value,
                "low": check.interval[0] if check.interval else None,
                "high": check.interval[1] if check.interval else None,
                "baseline": check.baseline,
                "p": check.p,
                "of": check.items,
                "why": check.why,
                "examples": list(check.examples),
                "more": check.more,
            }
            for check in gate.checks
        ],
        "notes": list(gate.notes),
    }


def junit(gate: Gate) -> str:
    """A test suite with a test case a check, as test reports of most services read it.

    What there is not enough data for is `skipped`, unless it stops the gate.
    """
    stopping = [check for check in gate.checks if gate.stops(check)]
    skipped = [
        check
        for check in gate.checks
        if check.outcome == "not enough data" and check not in stopping
    ]
    counts = {
        "tests": str(len(gate.checks)),
        "failures": str(len(stopping)),
        "errors": "0",
        "skipped": str(len(skipped)),
    }
    suites = ET.Element("testsuites", counts)
    suite = ET.SubElement(suites, "testsuite", {"name": "adequa gate", **counts})
    for check in gate.checks:
        case = ET.SubElement(
            suite,
            "testcase",
            {
                "classname": _xml(f"adequa.{check.system or 'unnamed'}"),
                "name": _xml(str(check.limit)),
            },
        )
        if gate.stops(check):
            failure = ET.SubElement(
                case, "failure", {"type": check.outcome, "message": _xml(check.why)}
            )
            failure.text = _xml("\n".join([check.why, *_examples(check)]))
        elif check in skipped:
            ET.SubElement(case, "skipped", {"message": _xml(f"not enough data: {check.why}")})
        else:
            ET.SubElement(case, "system-out").text = _xml(check.why)
    ET.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(suites, "unicode") + "\n"


def markdown(gate: Gate) -> str:
    """A summary for a pull request."""
    lines = [f"## adequa: {'passed' if gate.is_open else 'not passed'}", "", table(gate).markdown()]
    for check in gate.checks:
        if gate.stops(check):
            lines += ["", f"**{_markdown(check.system)}: {_markdown(str(check.limit))}**. "]
            lines[-1] += _markdown(check.why)
            lines += ["", *(f"- {_markdown(example)}" for example in _examples(check))]
    lines += [f"\n{_markdown(note)}" for note in gate.notes]
    return "\n".join(lines) + "\n"


def github_lines(gate: Gate) -> str:
    """A line a check that did not pass, in the form that GitHub shows beside the run."""
    lines = []
    for check in gate.checks:
        if check.outcome == "pass" and not gate.stops(check):
            continue
        level = "error" if gate.stops(check) else "warning"
        title = _property(f"adequa: {check.limit}")
        words = [f"{check.system or 'unnamed'}: {check.why}", *_examples(check)]
        lines.append(f"::{level} title={title}::{_message(chr(10).join(words))}")
    return "\n".join(lines)


def _said(gate: Gate, check: Check) -> str:
    if check.outcome == "not enough data":
        return f"not enough data{', stops' if gate.stops(check) else ''}"
    return check.outcome


def _examples(check: Check) -> list[str]:
    return [*check.examples, *([f"… and {check.more:,} more"] if check.more else [])]


def _markdown(text: str) -> str:
    return escape_markdown(one_line(text))


def _xml(text: str) -> str:
    """Without the characters that no XML document may hold."""
    return text.translate(_NOT_XML)


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
