"""Each outcome of a gate on runs whose truth is known, and the gate in each form."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from adequa.analysis import Gate, Limit, evaluate_gate, parse_limit
from adequa.analysis.gate import (
    LimitResult,
    gate_github,
    gate_junit,
    gate_markdown,
    gate_table,
    gate_to_object,
)
from adequa.errors import RunError, SettingError, UnknownName

METRICS = ("esa", "nli")


def line(
    number: int,
    *,
    system: str,
    esa: float | None,
    missing: int,
    facts: int,
    confidence: float | None = None,
) -> dict[str, Any]:
    """A line of a run; the first `missing` of its facts are not stated."""
    triples = [[f"Ferry_{number}", f"fact{one}", f"value {one}"] for one in range(facts)]
    verdict = "omission" if missing else "OK"
    why = "the text does not say it"
    return {
        "id": f"Id{number}",
        "system": system,
        "triples": triples,
        "text": f"Ferry {number} sails.",
        "scores": {"esa": esa, "nli": 1 - missing / facts},
        "mentions": [],
        "facts": [
            {"triple": triple, "status": "missing" if place < missing else "stated"}
            for place, triple in enumerate(triples)
        ],
        "findings": [
            {"metric": "nli", "kind": "omission", "detail": "missing", "triple": triple, "why": why}
            for triple in triples[:missing]
        ],
        "verdicts": {"esa": "OK", "nli": verdict},
        "verdict": verdict,
        "confidence": confidence,
        **({"reasons": {"esa": "no triples"}} if esa is None else {}),
    }


@pytest.fixture
def write_run(tmp_path: Path) -> Callable[..., Path]:
    """Writes a run; each number is how many of an item's four facts the text leaves out."""

    def write(
        name: str,
        missing: Sequence[int],
        *,
        system: str = "T5",
        esa: Sequence[float | None] = (),
        more: Sequence[dict[str, Any]] = (),
    ) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        rows = [
            line(
                number,
                system=system,
                esa=esa[number] if esa else 1 - count / 10,
                missing=count,
                facts=4,
            )
            for number, count in enumerate(missing)
        ]
        rows += more
        (folder / "scores.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        metrics = {
            label: {
                "name": label,
                "settings": {},
                "higher_is_better": True,
                "signature": f"{label}|version:0",
            }
            for label in METRICS
        }
        counts = {"items": len(rows)}
        manifest = {"status": "complete", "counts": counts, "metrics": metrics}
        (folder / "manifest.json").write_text(json.dumps(manifest))
        systems = dict.fromkeys(row["system"] for row in rows)
        unscored = sum(row["scores"]["esa"] is None for row in rows)
        reasons = {"no triples": unscored} if unscored else {}
        column = {"metrics": {"esa": {"reasons": reasons}}}
        summary = {"items": len(rows), "systems": dict.fromkeys(systems, column)}
        (folder / "summary.json").write_text(json.dumps(summary))
        return folder

    return write


def outcome(gate):
    (result,) = gate.results
    return result.outcome, gate.is_open


@pytest.mark.parametrize(
    ("faulty", "of", "limit", "expected", "is_open"),
    [
        (0, 100, 0.05, "pass", True),
        (30, 100, 0.05, "fail", False),
        (0, 10, 0.05, "not enough data", True),  # nothing seen, little asked
        (1, 10, 0.05, "not enough data", False),  # the number itself is past the limit
        (5, 100, 0.05, "not enough data", True),
        (100, 100, 1.0, "pass", True),
        (0, 100, 0.0, "pass", True),  # none at all is about the texts at hand
        (1, 100, 0.0, "fail", False),
    ],
)
def test_rates_are_judged_by_their_interval(write_run, faulty, of, limit, expected, is_open):
    run = write_run("new", [1] * faulty + [0] * (of - faulty))
    gate = evaluate_gate(run, [Limit("max", "omission", limit)])
    assert outcome(gate) == (expected, is_open)
    (result,) = gate.results
    assert result.value == faulty / of
    assert result.items == of


def test_strict_stops_where_there_is_not_enough_data(write_run):
    run = write_run("new", [0] * 10)
    assert not evaluate_gate(run, [Limit("max", "omission", 0.05)], strict=True).is_open


@pytest.mark.parametrize(
    ("limit", "expected"), [(0.9, "pass"), (0.97, "fail"), (0.95, "not enough data")]
)
def test_means_are_judged_by_students_interval(write_run, limit, expected):
    run = write_run("new", [0, 1] * 50)  # esa 1 and .9: .95 ± .01
    assert outcome(evaluate_gate(run, [Limit("min", "esa", limit)]))[0] == expected


def test_facts_are_counted_one_by_one_and_resampled_by_text(write_run):
    run = write_run("new", [0, 1] * 50)
    gate = evaluate_gate(run, [Limit("max", "missing", 0.2)])
    (result,) = gate.results
    assert (result.value, result.items, result.outcome) == (0.125, 400, "pass")
    # 50 of 100 texts have one: the share's deviation is a quarter of a coin's, .0125.
    assert result.interval[1] - result.interval[0] == pytest.approx(4 * 0.0125, abs=0.008)


def test_a_metric_by_itself_and_all_faults_together(write_run):
    run = write_run("new", [1] * 50 + [0] * 50)
    limits = [Limit("max", name, 0.2) for name in ("esa.omission", "nli.omission", "not-ok")]
    assert [result.value for result in evaluate_gate(run, limits).results] == [0, 0.5, 0.5]


def test_texts_that_cannot_be_scored_are_left_out_counted_and_can_be_limited(write_run):
    run = write_run("new", [0, 0, 0], esa=[1.0, None, 1.0])
    gate = evaluate_gate(run, [Limit("min", "esa", 0.5), Limit("max", "unscored", 0.1)])
    assert gate.notes == ("esa: 1 of 3 texts is not scorable: no triples",)
    mean, unscored = gate.results
    assert mean.items == 2
    assert "1 has no value" in mean.why
    assert unscored.value == pytest.approx(1 / 3)
    assert unscored.examples == ("Id1: esa: no triples",)


def test_a_gate_without_values_is_closed(write_run):
    run = write_run("new", [0, 0], esa=[None, None])
    gate = evaluate_gate(run, [Limit("min", "esa", 0.5)])
    assert outcome(gate) == ("not enough data", False)


def test_examples_name_the_items_and_the_facts(write_run):
    run = write_run("new", [2] * 30)
    (result,) = evaluate_gate(run, [Limit("max", "missing", 0.1)]).results
    assert result.examples[0] == "Id0: Ferry_0 | fact0 | value 0; Ferry_0 | fact1 | value 1"
    assert (len(result.examples), result.more) == (10, 20)


def test_no_worse_passes_a_run_that_is_the_same_and_stops_one_that_lost(write_run):
    old = write_run("old", [0] * 40)
    same, worse = write_run("same", [0] * 40), write_run("worse", [2] * 40)
    limit = [Limit("no-worse", "nli")]
    assert outcome(evaluate_gate(same, limit, baseline=old)) == ("pass", True)
    gate = evaluate_gate(worse, limit, baseline=old)
    assert outcome(gate) == ("fail", False)
    (result,) = gate.results
    assert (result.value, result.baseline) == (0.5, 1.0)
    assert outcome(evaluate_gate(old, limit, baseline=worse)) == (
        "pass",
        True,
    )  # better is no worse


def test_a_tolerated_loss_must_be_excluded_by_the_interval(write_run):
    old = write_run("old", [0] * 100)
    new = write_run("new", [1] * 10 + [0] * 90)  # nli loses .025 in the mean
    cases = {0.1: "pass", 0.025: "not enough data", 0.001: "fail"}
    for loss, expected in cases.items():
        gate = evaluate_gate(new, [Limit("no-worse", "nli", loss)], baseline=old)
        assert outcome(gate)[0] == expected, loss


def test_a_system_missing_from_the_baseline_is_an_error(write_run):
    one = write_run("one", [0])
    two = write_run("two", [0], system="other")
    assert evaluate_gate(
        one, [Limit("no-worse", "nli")], baseline=two
    ).results  # one each: the same
    both = write_run("both", [0], more=[line(7, system="B", esa=1.0, missing=0, facts=4)])
    with pytest.raises(RunError, match="has no system 'T5'"):
        evaluate_gate(both, [Limit("no-worse", "nli")], baseline=two)


def test_systems_are_judged_each_or_as_named(write_run):
    rows = [line(n, system="B", esa=1.0, missing=4, facts=4) for n in range(50)]
    run = write_run("new", [0] * 100, more=rows)
    limit = [Limit("max", "omission", 0.05)]
    assert [result.outcome for result in evaluate_gate(run, limit).results] == ["pass", "fail"]
    assert evaluate_gate(run, limit, systems=["T5"]).is_open
    with pytest.raises(UnknownName, match="'T6'"):
        evaluate_gate(run, limit, systems=["T6"])


def test_wrong_use_is_an_error(write_run):
    run = write_run("new", [0])
    with pytest.raises(SettingError, match="no limit"):
        evaluate_gate(run, [])
    with pytest.raises(SettingError, match="baseline="):
        evaluate_gate(run, [Limit("no-worse", "nli")])
    with pytest.raises(UnknownName, match="omision"):
        evaluate_gate(run, [Limit("max", "omision", 0.1)])
    with pytest.raises(SettingError, match="confidence"):
        evaluate_gate(run, [Limit("max", "omission", 0.1)], level=95)


@pytest.mark.parametrize("written", ["omission", "=0.1", "omission=", "omission=few", "esa=nan"])
def test_a_limit_without_a_number_is_refused(written):
    with pytest.raises(SettingError):
        parse_limit("max", written)


def test_limits_are_parsed():
    assert parse_limit("max", "omission=0.05") == Limit("max", "omission", 0.05)
    assert parse_limit("no-worse", "nli") == Limit("no-worse", "nli", 0.0)
    assert parse_limit("no-worse", "nli=.01") == Limit("no-worse", "nli", 0.01)
    with pytest.raises(SettingError):
        parse_limit("no-worse", "nli=-1")


NASTY = '<T5> & \x00 "100%", a|b\nnext'


def limit_result(outcome, *, broken=False, examples=(), more=0):
    limit = Limit("max", "omission", 0.05)
    return LimitResult(
        system=NASTY,
        limit=limit,
        outcome=outcome,
        is_broken=broken,
        value=0.5,
        interval=(0.25, 0.75),
        items=40,
        why=NASTY,
        examples=examples,
        more=more,
    )


GATE = Gate(
    "runs/new",
    (
        limit_result("pass"),
        limit_result("fail", broken=True, examples=(NASTY,), more=3),
        limit_result("not enough data"),
        limit_result("not enough data", broken=True),
    ),
    0.95,
    notes=("a note",),
)


def test_junit_counts_and_escapes():
    root = ET.fromstring(gate_junit(GATE))
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
    written = gate_markdown(GATE)
    assert written.startswith("## adequa: not passed\n")
    unnamed = replace(GATE, results=tuple(replace(one, system="") for one in GATE.results))
    assert "**(unnamed): " in gate_markdown(unnamed)
    assert "\x00" not in written
    rows = [line for line in written.splitlines() if line.startswith("|")]
    assert len(rows) == 2 + 4
    assert r"a\|b" in rows[2]
    assert "… and 3 more" in written


def test_annotations_are_one_line_each():
    lines = gate_github(GATE).splitlines()
    assert [one.split(" ", 1)[0] for one in lines] == ["::error", "::warning", "::error"]
    assert "%25" in lines[0]
    assert "%0A" in lines[0]
    assert gate_github(Gate("run", (limit_result("pass"),), 0.95)) == ""


def test_the_object_is_complete():
    written = gate_to_object(GATE)
    assert written["open"] is False
    assert [one["stops"] for one in written["checks"]] == [False, True, False, True]
    assert written["checks"][1]["more"] == 3
    assert len(gate_table(GATE).rows) == 4


def sure_line(number: int, confidence: float | None, missing: int = 0) -> dict[str, Any]:
    return line(number, system="T5", esa=1.0, missing=missing, facts=4, confidence=confidence)


def test_ok_verdicts_of_little_confidence_are_unsure(write_run):
    rows = [sure_line(number, 0.7) for number in range(3)]
    rows += [sure_line(number, 0.9) for number in range(3, 9)]
    rows += [sure_line(9, 0.6, missing=1), sure_line(10, None)]
    rows[0]["facts"][1] |= {"status": "unchecked", "confidence": 0.4}
    run = write_run("new", [], more=rows)
    (result,) = evaluate_gate(run, [Limit("max", "unsure", 0.2)]).results
    assert (result.value, result.items) == (0.3, 10)
    assert "1 has no value" in result.why
    assert result.examples[0] == "Id0: confidence 0.70; not sure of Ferry_0 | fact1 | value 1"
    (strict,) = evaluate_gate(run, [Limit("max", "unsure", 0.2)], min_confidence=0.95).results
    assert strict.value == 0.9
    (lax,) = evaluate_gate(run, [Limit("max", "unsure", 0.2)], min_confidence=0.5).results
    assert lax.value == 0


def test_a_fact_in_doubt_counts_among_the_facts(write_run):
    row = sure_line(0, 0.7, missing=1)
    row["facts"][1] |= {"status": "unchecked", "confidence": 0.4}
    row["facts"][2] |= {"status": "unchecked"}
    run = write_run("new", [], more=[row])
    (result,) = evaluate_gate(run, [Limit("max", "missing", 0.5)]).results
    assert result.items == 3


def test_a_least_confidence_needs_its_limit(write_run):
    run = write_run("new", [0])
    with pytest.raises(SettingError, match="on the measure unsure"):
        evaluate_gate(run, [Limit("max", "omission", 0.2)], min_confidence=0.8)
    with pytest.raises(SettingError, match="between 0 and 1"):
        evaluate_gate(run, [Limit("max", "unsure", 0.2)], min_confidence=80)


def test_sarif_has_limits_faults_and_their_lines(tmp_path: Path) -> None:
    import adequa
    from adequa.analysis.gate import gate_sarif
    from adequa.run import score_run

    texts = ["Osterine: density 2.31.", "Osterine:\u2028 ünd.", "Density 2.31, osterine, in 1999."]
    items = [
        {"id": f"Id{n}", "triples": [["Osterine", "density", "2.31"]], "text": text}
        for n, text in enumerate(texts)
    ]
    source = tmp_path / "two words.jsonl"
    source.write_text("".join(json.dumps(item) + "\n" for item in items))
    run = score_run(adequa.read(source), {"esa": adequa.load_metric("esa")}, tmp_path / "run")
    gate = evaluate_gate(run, [parse_limit("max", "not-ok=0")])
    found = json.loads(json.dumps(gate_sarif(gate, run)))
    assert found["version"] == "2.1.0"
    limit, missing, year = found["runs"][0]["results"]
    assert (limit["level"], limit["ruleId"]) == ("error", "gate")
    assert (missing["ruleId"], year["ruleId"]) == (
        "omission/missing",
        "hallucination/unexplained number",
    )
    assert "'1999'" in year["message"]["text"]
    rules = [rule["id"] for rule in found["runs"][0]["tool"]["driver"]["rules"]]
    assert {one["ruleId"] for one in (limit, missing, year)} == set(rules)
    places = [one["locations"][0]["physicalLocation"] for one in (missing, year)]
    assert [place["region"]["startLine"] for place in places] == [2, 3]
    assert places[0]["artifactLocation"]["uri"].endswith("two%20words.jsonl")
    prints = {one["partialFingerprints"]["adequa/v1"] for one in (missing, year)}
    assert len(prints) == 2
    source.write_text(source.read_text() + "\n")  # its lines are no longer those of the items
    again = gate_sarif(gate, run)["runs"][0]["results"][1]
    place = again["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"].endswith("run/scores.jsonl")
    assert place["region"]["startLine"] == 2
    assert again["partialFingerprints"] == missing["partialFingerprints"]
