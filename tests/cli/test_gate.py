"""`adequa gate`: exit codes and files."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from adequa.cli import app
from adequa.errors import DataError


@pytest.fixture(scope="module")
def demo_run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("gate") / "run"
    found = CliRunner().invoke(app, ["demo", "--out", str(folder)])
    assert found.exit_code == 0, found.output
    return folder


def gate(run, *options):
    return CliRunner().invoke(app, ["gate", str(run), *options])


def test_a_run_that_passes_and_one_that_does_not(demo_run):
    good = gate(demo_run, "--system", "careful", "--max", "omission=0.3")
    assert good.exit_code == 0
    assert "the gate is open" in good.output
    bad = gate(demo_run, "--max", "omission=0.05")
    assert bad.exit_code == 1
    assert "the gate is closed" in bad.output
    assert "… and" in bad.output


def test_json_and_files(demo_run, tmp_path):
    files = tmp_path / "junit.xml", tmp_path / "summary.md"
    files[1].write_text("before\n")
    found = gate(
        demo_run,
        *("--max", "missing=0.1", "--min", "esa=0.9", "--json"),
        *("--junit", str(files[0]), "--markdown", str(files[1])),
    )
    assert found.exit_code == 1
    answer = json.loads(found.stdout)
    assert {one["system"] for one in answer["checks"]} == {"careful", "hasty", "dreamer"}
    assert files[0].read_text().startswith("<?xml")
    assert files[1].read_text().startswith("before\n## adequa: not passed")


def test_github_lines(demo_run):
    found = gate(demo_run, "--system", "hasty", "--max", "omission=0.05", "--github")
    assert "::error title=adequa%3A omission" in found.output


def test_against_itself_nothing_is_worse(demo_run, tmp_path):
    import shutil

    old = tmp_path / "old"
    shutil.copytree(demo_run, old)
    found = gate(demo_run, "--baseline", str(old), "--no-worse", "nli", "--json")
    assert found.exit_code == 0
    assert {one["outcome"] for one in json.loads(found.stdout)["checks"]} == {"pass"}


def test_a_file_that_cannot_be_written_is_an_error(demo_run, tmp_path):
    found = gate(demo_run, "--max", "omission=1", "--junit", str(tmp_path / "no" / "x.xml"))
    assert isinstance(found.exception, DataError)


def test_ids_and_systems_are_not_obeyed_by_a_terminal_or_a_ci_service(tmp_path):
    evil = "x\n::stop-commands::y\n\nthe gate is open\x1b[2J\u202e##[error]"
    item = {"system": evil, "triples": [[f"Alba {evil}", "port", f"Oban {evil}"]], "text": "No."}
    lines = [json.dumps({"id": f"{number}{evil}", **item}) + "\n" for number in range(30)]
    (tmp_path / "items.jsonl").write_text("".join(lines))
    run = tmp_path / "run"
    words = ["score", str(tmp_path / "items.jsonl"), "-m", "esa", "--out", str(run), "--quiet"]
    scored = CliRunner().invoke(app, words)
    options = ("--max", "omission=0.01", "--max", "unscored=0")
    for found in (scored, gate(run, *options), gate(run, *options, "--github")):
        assert "stop-commands" in found.output
        for line in found.output.splitlines():
            assert not line.lstrip().startswith("::s")
            assert line != "the gate is open"
            assert line.isprintable()
    assert found.exit_code == 1
    printed = gate(run, *options, "--json").stdout
    assert "\x1b" not in printed
    assert "##[" not in printed
    assert json.loads(printed)["checks"][0]["system"] == evil
