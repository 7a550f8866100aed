"""Aggregates against plain loops over the lines."""

from __future__ import annotations

from collections import Counter

import pytest

from adequa.errors import DataError, RunError
from adequa.report.tallies import collect
from adequa.run import open_run

from .made_runs import made_lines, write_lines


@pytest.fixture
def lines():
    return made_lines(5, inputs=30)


@pytest.fixture
def collected(lines, tmp_path):
    return collect([open_run(write_lines(tmp_path / "run", lines))])


def test_counts_and_means_of_each_system(lines, collected):
    for _, system in collected.shown():
        own = [line for line in lines if line["system"] == system.name]
        verdicts = [line["verdict"] for line in own if line["verdict"]]
        assert system.overall.texts == len(own)
        assert system.overall.judged == len(verdicts)
        assert system.overall.omission == sum("omission" in one for one in verdicts)
        assert system.overall.hallucination == sum("hallucination" in one for one in verdicts)
        assert system.overall.not_ok == sum(one != "OK" for one in verdicts)
        assert system.verdicts == Counter(line["verdict"] or "" for line in own)
        for label in ("esa", "ter"):
            scores = [s for line in own if (s := line["scores"][label]) is not None]
            assert list(system.scores[label]) == scores
            count, total = system.overall.totals[label]
            assert (count, total) == (len(scores), pytest.approx(sum(scores)))
        reasons = Counter(line["reasons"]["esa"] for line in own if "reasons" in line)
        assert system.reasons.get("esa", Counter()) == reasons


def test_slices(lines, collected):
    values = {
        "category": lambda line: line["category"],
        "size": lambda line: str(len(line["triples"])),
        "seen": lambda line: "seen" if line["meta"]["seen"] else "unseen",
    }
    for _, system in collected.shown():
        own = [line for line in lines if line["system"] == system.name]
        for dimension, value_of in values.items():
            found = {value: tally.texts for value, tally in system.slices[dimension].items()}
            assert found == Counter(value_of(line) for line in own)
            for value, tally in system.slices[dimension].items():
                inside = [line for line in own if value_of(line) == value]
                assert tally.omission == sum("omission" in (x["verdict"] or "") for x in inside)


def test_predicates_facts_and_spans(lines, collected):
    statuses = Counter(
        (line["system"], fact["triple"][1], fact["status"])
        for line in lines
        for fact in line["facts"]
    )
    for _, system in collected.shown():
        for predicate, tally in system.predicates.items():
            for status in ("missing", "contradicted", "unchecked"):
                assert getattr(tally, status) == statuses[system.name, predicate, status]
            assert tally.facts == sum(
                count
                for (name, other, _), count in statuses.items()
                if (name, other) == (system.name, predicate)
            )
    missing = Counter(
        tuple(fact["triple"])
        for line in lines
        for fact in line["facts"]
        if fact["status"] == "missing"
    )
    assert missing == {
        triple: tally.missing for triple, tally in collected.facts.items() if tally.missing
    }
    spans = Counter(
        line["text"][finding["start"] : finding["end"]].strip()
        for line in lines
        for finding in line["findings"]
        if finding["kind"] == "hallucination"
    )
    assert {span.words: span.texts for span in collected.spans} == spans
    assert [span.texts for span in collected.spans] == sorted(spans.values(), reverse=True)


def test_fewer_texts_are_shown_than_counted(lines, tmp_path):
    run = open_run(write_lines(tmp_path / "run", lines))
    some = collect([run], max_items=20)
    assert some.text_count == len(lines)
    assert some.packed.text_count == 20
    assert some.packed.input_count == 10
    assert collect([run], max_items=0).packed.text_count == 0


def test_a_run_without_texts_and_one_that_was_edited(lines, tmp_path):
    with pytest.raises(RunError, match="no text was scored"):
        collect([open_run(write_lines(tmp_path / "empty", []))])
    lines[3]["verdict"] = "splendid"
    with pytest.raises(DataError, match=r"breaks the contract.*score again"):
        collect([open_run(write_lines(tmp_path / "edited", lines))])
    lines[3]["verdict"] = "OK"
    lines[3]["scores"]["esa"] = "high"
    with pytest.raises(DataError, match=r"breaks the contract.*score again"):
        collect([open_run(write_lines(tmp_path / "words", lines))])
