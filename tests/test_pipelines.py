"""The GitHub action and the pre-commit hook: their own scripts are run, with a small corpus."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from .conftest import ROOT

yaml = pytest.importorskip("yaml", reason="PyYAML, which the docs extra brings, is not installed")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    lines = [
        {"id": str(number), "triples": [["Osterine", "density", "2.31"]]} for number in range(4)
    ]
    (tmp_path / "data.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines))
    good = "The density of osterine is 2.31.\n"
    (tmp_path / "good.txt").write_text(good * 4)
    (tmp_path / "bad.txt").write_text("Osterine; $(touch owned) `touch owned`\n" + good * 3)
    return tmp_path


def step(name: str) -> str:
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    steps = {one["name"]: one for one in action["runs"]["steps"]}
    for one in steps.values():
        assert "${{" not in one["run"], "an expression in a script is run by the shell"
        assert one["shell"] == "bash"
    return str(steps[name]["run"])


def run_step(folder: Path, **inputs: str) -> tuple[int, str]:
    defaults: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())["inputs"]
    given = {name.upper(): one.get("default", "") for name, one in defaults.items()} | inputs
    environment = {
        **os.environ,
        **given,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "ADEQUA_CACHE": str(folder / "cache"),
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
        "GITHUB_OUTPUT": str(folder / "output.txt"),
    }
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step("Score and gate")],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_the_action_lets_good_texts_pass(corpus: Path) -> None:
    code, said = run_step(
        corpus,
        INPUT="data.jsonl",
        TEXTS="writer=good.txt",
        METRICS="esa\n",
        LIMITS="--max not-ok=0",
    )
    assert code == 0, said
    assert (corpus / "output.txt").read_text() == "folder=adequa-run\nopen=true\n"
    assert "## adequa: passed" in (corpus / "summary.md").read_text()
    assert (corpus / "adequa-run/report.html").stat().st_size > 10_000
    assert ET.parse(corpus / "adequa-run/gate.xml").getroot().get("failures") == "0"


def test_the_action_stops_bad_texts_and_runs_nothing_that_they_say(corpus: Path) -> None:
    code, said = run_step(
        corpus,
        INPUT="data.jsonl",
        TEXTS="writer=bad.txt\n",
        METRICS="esa\nstrict=esa_strict",
        LIMITS="--max not-ok=0\n--min strict=0.1\n--strict\n",
        OUT="out; touch owned",
    )
    assert code == 1, said
    assert "::error title=adequa" in said
    assert "open=false" in (corpus / "output.txt").read_text()
    assert not (corpus / "owned").exists()
    sarif = json.loads((corpus / "out; touch owned/gate.sarif").read_text())
    levels = [one["level"] for one in sarif["runs"][0]["results"]]
    assert levels[0] == "error"
    assert "warning" in levels
    places = [
        one["locations"][0]["physicalLocation"]
        for one in sarif["runs"][0]["results"]
        if one["level"] == "warning"
    ]
    assert {place["artifactLocation"]["uri"] for place in places} == {"bad.txt"}
    assert {place["region"]["startLine"] for place in places} == {1}


def test_the_action_says_what_is_wrong(corpus: Path) -> None:
    code, said = run_step(corpus, INPUT="absent.jsonl", METRICS="esa")
    assert code == 2
    assert "absent.jsonl: does not exist" in said


def test_the_hook_gates_the_files_that_it_is_given(corpus: Path, command: Any) -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    (hook,) = hooks
    name, *words = hook["entry"].split()
    assert name == "adequa"
    good, bad = corpus / "good.jsonl", corpus / "bad.jsonl"
    item = {
        "triples": [["Osterine", "density", "2.31"]],
        "text": "The density of osterine is 2.31.",
    }
    good.write_text(json.dumps(item) + "\n")
    bad.write_text(json.dumps(item | {"text": "Osterine is dense."}) + "\n")
    code, said, told = command(*words, *hook["args"], str(good))
    assert code == 0, told
    code, said, _ = command(*words, *hook["args"], str(good), str(bad))
    assert code == 1
    assert said.count("the gate is open") == said.count("the gate is closed") == 1
    assert "no mention of '2.31'" in said
    code, _, told = command(*words, *hook["args"], str(corpus / "absent.jsonl"))
    assert code == 2
    assert "does not exist" in told
