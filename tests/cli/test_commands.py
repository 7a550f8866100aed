"""The command line end to end: exit codes, streams, one-line errors."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from adequa.cli import main

GRAPHS = """<benchmark><entries>
<entry category="City" eid="Id1" size="1"><originaltripleset><otriple>Bex | in | Vaud</otriple>
</originaltripleset>
<modifiedtripleset><mtriple>Bex | country | Vaudland</mtriple></modifiedtripleset>
<lex comment="good" lid="Id1">Bex is in Vaudland.</lex>
<lex comment="good" lid="Id2">Vaudland has Bex.</lex>
</entry></entries></benchmark>
"""


class Done(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def adequa(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Done]:
    """Runs a command in the folder, in this process."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("ADEQUA_CACHE", str(folder / "cache"))
    monkeypatch.setenv("COLUMNS", "200")

    def run(*arguments: str) -> Done:
        monkeypatch.setattr(sys, "argv", ["adequa", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        code = ended.value.code
        return Done(code if isinstance(code, int) else 0, *capsys.readouterr())

    return run


def in_a_process(*arguments: str, cwd: Path, **environment: str) -> Done:
    code = "from adequa.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        check=False,
        cwd=cwd,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "ADEQUA_CACHE": str(cwd / "cache"), **environment},
    )
    return Done(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "test.xml").write_text(GRAPHS, encoding="utf-8")
    (tmp_path / "t5.txt").write_text("Bex is in Vaudland.\n", encoding="utf-8")
    (tmp_path / "lstm.txt").write_text("Bex Bex Bex.", encoding="utf-8")
    return tmp_path


def scores(folder: Path) -> list[dict[str, Any]]:
    text = (folder / "run" / "scores.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_the_main_job(folder: Path, adequa: Callable[..., Done]) -> None:
    done = adequa(
        "score", "test.xml", "--texts", "T5=t5.txt", "--texts", "LSTM=lstm.txt",
        "-m", "bleu", "-m", "plain=chrf:word_order=0", "--out", "run",
    )  # fmt: skip
    assert (done.returncode, done.stderr.count("Traceback")) == (0, 0)
    assert "T5" in done.stdout
    assert "scoring: 2 of 2" in done.stderr
    lines = scores(folder)
    assert [(line["system"], line["id"]) for line in lines] == [("T5", "Id1"), ("LSTM", "Id1")]
    assert lines[0]["scores"] == {"bleu": 100.0, "plain": 100.0}
    assert lines[0]["references"] == ["Bex is in Vaudland.", "Vaudland has Bex."]

    summary = adequa("score", "test.xml", "--texts", "T5=t5.txt", "--texts", "LSTM=lstm.txt",
                     "-m", "bleu", "-m", "plain=chrf:word_order=0", "--out", "run", "--resume",
                     "--json")  # fmt: skip
    assert json.loads(summary.stdout)["systems"]["T5"]["metrics"]["bleu"]["corpus"] == 100.0

    added = adequa("score", "--add", "run", "-m", "ter")
    assert added.returncode == 0
    assert list(scores(folder)[0]["scores"]) == ["bleu", "plain", "ter"]


def test_reader_options_come_with_the_format(folder: Path, adequa: Callable[..., Done]) -> None:
    done = adequa("convert", "test.xml", "--format", "webnlg:tripleset=original")
    assert json.loads(done.stdout.splitlines()[0])["triples"] == [["Bex", "in", "Vaud"]]


def test_convert_writes_what_can_be_scored(folder: Path, adequa: Callable[..., Done]) -> None:
    assert adequa("convert", "test.xml", "--out", "items.csv").returncode == 0
    again = adequa("convert", "items.csv")
    assert again.stdout == adequa("convert", "test.xml").stdout


def test_metrics_and_formats_describe_themselves(folder: Path, adequa: Callable[..., Done]) -> None:
    assert "chrf" in adequa("metrics").stdout
    assert "word_order" in adequa("metrics", "chrf").stdout
    entries = json.loads(adequa("metrics", "--json").stdout)
    assert {"name", "settings", "signature", "direction"} <= set(entries[0])
    assert "webnlg" in adequa("formats").stdout
    assert json.loads(adequa("formats", "--json").stdout)


def test_demo_shows_a_result(folder: Path, adequa: Callable[..., Done]) -> None:
    done = adequa("demo")
    assert done.returncode == 0
    for word in ("careful", "hasty", "dreamer", "left out", "demo-run"):
        assert word in done.stdout
    again = adequa("demo")
    assert again.returncode == 2
    assert "--force" in again.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["score"], "give INPUT and --out, or --add RUN"),
        (["score", "test.xml", "-m", "bleu"], "give --out RUN"),
        (["score", "test.xml", "--add", "run", "-m", "bleu"], "or --add RUN"),
        (["score", "absent.xml", "-m", "bleu", "--out", "run"], "absent.xml: does not exist"),
        (["score", "test.xml", "-m", "blue", "--out", "run"], "did you mean 'bleu'"),
        (["score", "test.xml", "-m", "chrf:words=1", "--out", "run"], "unknown setting of chrf"),
        (["score", "test.xml", "-m", "chrf:word_order=x", "--out", "run"], "whole number"),
        (["score", "test.xml", "--format", "xml", "-m", "bleu", "--out", "run"], "unknown format"),
        (["score", "test.xml", "--texts", "T=no.txt", "-m", "bleu", "--out", "run"], "no.txt"),
        (["score", "--add", "nothing", "-m", "bleu"], "not a folder"),
        (["score", "--add", ".", "-m", "bleu"], "is not a run"),
        (["metrics", "blue"], "did you mean"),
        (["compare", "nothing"], "not a folder"),
        (["convert", "test.xml", "--out", "items.docx"], "unknown file ending '.docx'"),
        (["nonsense"], "nonsense"),
        (["score", "test.xml", "--jobs", "0", "-m", "bleu", "--out", "run"], "--jobs"),
    ],
)
def test_wrong_use_is_one_line_and_exit_code_2(
    arguments: list[str], message: str, adequa: Callable[..., Done]
) -> None:
    done = adequa(*arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_a_fault_of_our_own_keeps_its_traceback(folder: Path, adequa: Callable[..., Done]) -> None:
    code = (
        "import adequa.metrics, sys\n"
        "adequa.metrics.names = lambda: 1 / 0\n"
        "from adequa.cli import main; sys.argv = ['adequa', 'metrics']; main()"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=folder)
    assert done.returncode == 3
    assert "ZeroDivisionError" in done.stderr


def test_the_version(folder: Path, adequa: Callable[..., Done]) -> None:
    from adequa import __version__

    assert adequa("--version").stdout == f"adequa {__version__}\n"


@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_other_locales_change_nothing(locale: str, folder: Path) -> None:
    (folder / "é.jsonl").write_text(
        '{"id": "1", "triples": [["é", "→", "ß"]], "text": "Ünïcode — 漢字"}\n', encoding="utf-8"
    )
    done = in_a_process(
        "convert", "é.jsonl", "--out", "out.jsonl", cwd=folder,
        LC_ALL=locale, PYTHONUTF8="0", PYTHONCOERCECLOCALE="0",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "漢字" in (folder / "out.jsonl").read_text(encoding="utf-8")
    shown = in_a_process("metrics", cwd=folder, LC_ALL=locale, PYTHONIOENCODING="ascii")
    assert shown.returncode == 0
