"""The index of a run and the selection of texts, compared with plain loops."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from adequa.errors import DataError
from adequa.run import open_run
from adequa.web.errors import Refusal
from adequa.web.workbench.index import (
    BackgroundTask,
    Indexes,
    RunIndex,
    TextSelection,
    _read,
    build_index,
    choose,
)
from adequa.web.workbench.runs import predicate_rows, system_table

from ...report.made_runs import made_lines, write_lines

LINES = made_lines(3, systems=("Anna", "Bert", "Cleo"), inputs=25)
LINES[7]["text"] = 'Straße "Ä | b" \\ end'
LINES[11]["id"] = "İstanbul/11"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> RunIndex:
    folder = write_lines(tmp_path_factory.mktemp("index") / "run", LINES)
    return build_index(open_run(folder))


def at_fault(line: dict[str, Any]) -> list[str]:
    return [
        fact["triple"][1] for fact in line["facts"] if fact["status"] in ("missing", "contradicted")
    ]


FILTERS: dict[str, Any] = {
    "system=Bert": lambda line: line["system"] == "Bert",
    "system=Nobody": lambda line: False,
    "verdict=OK": lambda line: line["verdict"] == "OK",
    "verdict=fault": lambda line: line["verdict"] not in (None, "OK"),
    "verdict=omission": lambda line: "omission" in (line["verdict"] or ""),
    "verdict=hallucination": lambda line: "hallucination" in (line["verdict"] or ""),
    "verdict=hallucination+omission": lambda line: line["verdict"] == "hallucination+omission",
    "verdict=none": lambda line: line["verdict"] is None,
    "verdict=<b>": lambda line: False,
    "category=Lake": lambda line: line["category"] == "Lake",
    "size=3": lambda line: len(line["triples"]) == 3,
    "size=x": lambda line: False,
    "seen=unseen": lambda line: not line["meta"]["seen"],
    "predicate=owner": lambda line: "owner" in at_fault(line),
    "predicate=nothing": lambda line: False,
    "search=FERRY 1": lambda line: "ferry 1" in (line["text"] + line["id"]).casefold(),
    "search=straße": lambda line: "Straße" in line["text"],
    'search="Ä | b" \\': lambda line: '"ä | b" \\' in line["text"].casefold(),
    "search=ferry_3 | ": lambda line: line["triples"][0][0] == "Ferry_3",
    "search=does not say": lambda line: False,
}


@pytest.mark.parametrize("written", FILTERS)
def test_filters_let_through_what_a_plain_loop_does(index, written):
    name, _, value = written.partition("=")
    wanted = [row for row, line in enumerate(LINES) if FILTERS[written](line)]
    assert choose(index, TextSelection(**{name: value})).rows.tolist() == wanted


def test_filters_go_together(index):
    chosen = choose(
        index, TextSelection(system="Anna", category="Port", verdict="fault", search="joy")
    )
    wanted = [
        row
        for row, line in enumerate(LINES)
        if line["system"] == "Anna"
        and line["category"] == "Port"
        and line["verdict"] not in (None, "OK")
        and "joy" in line["text"]
    ]
    assert chosen.rows.tolist() == wanted


def key_of(sort: str, line: dict[str, Any]) -> float:
    by, _, label = sort.partition(":")
    if not by:
        sure = 1.0 if line["confidence"] is None else line["confidence"]
        faults = -key_of("missing", line) - key_of("unsupported", line)
        kinds = {None: 3.0, "OK": 1 + sure}
        return kinds.get(line["verdict"], -faults - sure)
    if by == "missing":
        return -len(
            [fact for fact in line["facts"] if fact["status"] in ("missing", "contradicted")]
        )
    if by == "unsupported":
        return -len([one for one in line["findings"] if one["kind"] == "hallucination"])
    value = line["confidence"] if by == "unsure" else line["scores"][label]
    if by == "unsure":
        return math.inf if value is None else value
    if value is None:
        return math.inf
    return value if (by == "worst") is (label == "esa") else -value


@pytest.mark.parametrize(
    "sort",
    ["", "missing", "unsupported", "unsure", "worst:esa", "best:esa", "worst:ter", "best:ter"],
)
def test_sorting_is_stable_and_missing_values_come_last(index, sort):
    wanted = sorted(range(len(LINES)), key=lambda row: key_of(sort, LINES[row]))
    assert choose(index, TextSelection(sort=sort)).rows.tolist() == wanted


def test_furthest_from_another_system(index):
    chosen = choose(
        index, TextSelection(system="Anna", compare="Bert", sort="apart:ter")
    ).rows.tolist()
    apart = [abs(LINES[row]["scores"]["ter"] - LINES[row + 1]["scores"]["ter"]) for row in chosen]
    assert apart == sorted(apart, reverse=True)
    assert len(chosen) == 25


@pytest.mark.parametrize("sort", ["x", "worst:none", "apart:esa", "worst"])
def test_an_unknown_order_is_that_of_the_file(index, sort):
    assert choose(index, TextSelection(sort=sort)).rows.tolist() == list(range(len(LINES)))


def test_lines_are_found_by_system_and_id(index):
    for row, line in enumerate(LINES):
        assert index.find(line["system"], line["id"]) == row
        found = json.loads(json.dumps(index.line(row)))
        assert (found["text"], found["facts"]) == (line["text"], line["facts"])
    assert index.find("Anna", "no such id") is None
    assert index.find("Nobody", "Id1") is None
    assert list(index.beside(4)) == ["Anna", "Bert", "Cleo"]


def test_a_search_that_takes_too_long_reports_its_progress(index):
    chosen = choose(index, TextSelection(search="ferry"), seconds=-1.0)
    assert (chosen.rows.tolist(), chosen.searched) == ([], 0)


def test_slices_are_what_a_plain_loop_counts(index):
    tables = {name: rows for name, rows, _ in index.slices.tables(30)}
    assert list(tables) == ["category", "size", "seen"]
    for value, row in tables["category"]:
        own = [line for line in LINES if line["category"] == value]
        verdicts = [line["verdict"] for line in own]
        assert row.texts == len(own)
        assert row.judged == len([one for one in verdicts if one])
        assert row.not_ok == len([one for one in verdicts if one not in (None, "OK")])
        assert row.omission == len([one for one in verdicts if one and "omission" in one])
        assert row.hallucination == len([one for one in verdicts if one and "hall" in one])
        scores = [line["scores"]["esa"] for line in own if line["scores"]["esa"] is not None]
        assert row.mean("esa") == pytest.approx(sum(scores) / len(scores))


def test_predicates_are_counted(index):
    rows, left_out = predicate_rows(index)
    assert left_out == 0
    for name, counts in rows:
        own = [fact for line in LINES for fact in line["facts"] if fact["triple"][1] == name]
        assert counts.facts == len(own)
        assert counts.missing == len([fact for fact in own if fact["status"] == "missing"])
    faults = [one.missing + one.contradicted for _, one in rows]
    assert faults == sorted(faults, reverse=True)


def test_the_systems_are_as_the_run_sums_them_up(sample_run):
    run = open_run(sample_run)
    measures, rows = system_table(run.summary, run.manifest)
    assert [one["name"] for one in measures] == ["esa"]
    assert [row.name for row in rows] == ["careful", "hasty", "dreamer"]
    assert all(sum(count for _, count in row.verdicts) == row.texts == 40 for row in rows)
    assert rows[0].values[0][0] == run.summary["systems"]["careful"]["metrics"]["esa"]["mean"]


@pytest.mark.parametrize("wrong", ["{", '{"id": 3}', '"text"', "[]", '{"id": "1"}', "\xff"])
def test_a_line_that_breaks_the_contract_is_named(tmp_path, wrong):
    folder = write_lines(tmp_path / "run", LINES[:4])
    lines = (folder / "scores.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "scores.jsonl").write_bytes(b"".join([*lines[:3], wrong.encode("latin-1"), b"\n"]))
    with pytest.raises(DataError, match="breaks the contract") as told:
        build_index(open_run(folder))
    assert told.value.line == 4


def test_a_file_that_changed_in_the_meantime_is_reported(tmp_path):
    folder = write_lines(tmp_path / "run", LINES[:3])
    found = build_index(open_run(folder))
    lines = (folder / "scores.jsonl").read_text().splitlines()
    (folder / "scores.jsonl").write_text("\n".join(["x", *lines]))
    with pytest.raises(DataError, match="has changed"):
        found.line(0)


def test_escaped_letters_are_searched_too(tmp_path):
    folder = write_lines(tmp_path / "run", LINES[:9])
    lines = [json.dumps(line) for line in LINES[:9]]
    (folder / "scores.jsonl").write_text("\n".join(lines) + "\n")
    found = choose(build_index(open_run(folder)), TextSelection(search="STRASSE"))
    assert found.rows.tolist() == [7]


def test_a_search_reads_only_texts_that_can_have_the_words(tmp_path):
    index = build_index(open_run(write_lines(tmp_path / "run", LINES)))
    for row in range(index.count):
        line = index.line(row)
        for part in (line["id"], line["text"], " | ".join(line["triples"][0])):
            for words in (part, part.upper(), part[2:9], part[:2]):
                assert index.signatures.may_have(words.casefold())[row]
    assert not index.signatures.may_have("zyxwvutsrq").any()


def test_progress_is_reported(tmp_path, monkeypatch):
    monkeypatch.setattr("adequa.web.workbench.index._EVERY", 2)
    told: list[float] = []
    build_index(open_run(write_lines(tmp_path / "run", LINES)), told.append)
    assert told == sorted(told)
    assert 0 < told[0] < told[-1] <= 1


def test_a_server_that_stops_does_not_read_on(tmp_path, monkeypatch):
    monkeypatch.setattr("adequa.web.workbench.index._EVERY", 1)
    folder = write_lines(tmp_path / "run", LINES)
    indexes = Indexes()
    indexes.close()
    closed = indexes._closed
    reading: BackgroundTask[RunIndex] = BackgroundTask()
    with pytest.raises(Refusal, match="stopping"):
        _read(open_run(folder), reading, closed)
    assert 0 < reading.share < 0.1


def test_addresses_contain_the_selection():
    choice = TextSelection(search="a&b", system="T5 <x>", sort="worst:esa")
    assert choice.query() == "search=a%26b&system=T5+%3Cx%3E&sort=worst%3Aesa"
    assert choice.query(page=3, sort="").endswith("&page=3")
    assert TextSelection.read({"search": "x" * 999, "other": "1"}).search == "x" * 300
    assert not TextSelection(sort="missing", compare="T5").is_narrow
    assert TextSelection(seen="seen").is_narrow


def test_an_empty_run_has_an_empty_index(tmp_path):
    found = build_index(open_run(write_lines(Path(tmp_path / "run"), [])))
    assert found.count == 0
    assert (
        choose(found, TextSelection(predicate="x", search="y", sort="worst:esa")).rows.tolist()
        == []
    )
    assert found.slices.tables(30) == []
