"""`adequa compare` end to end."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from adequa.cli import main
from adequa.cli.demo import sample_path
from adequa.metrics import resolve
from adequa.readers import open_source
from adequa.run import score_run


class Done(NamedTuple):
    code: int
    out: str
    err: str


Compare = Callable[..., Done]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("compare") / "sample"
    return score_run(open_source(sample_path()), resolve(["bleu", "chrf"]), folder).path


@pytest.fixture
def compare(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Compare:
    def call(*arguments: str | Path) -> Done:
        monkeypatch.setattr(sys, "argv", ["adequa", "compare", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        code = ended.value.code
        return Done(code if isinstance(code, int) else 0, *capsys.readouterr())

    return call


def test_default_output(compare: Compare, run: Path) -> None:
    done = compare(run)
    assert done.code == 0
    assert done.out.startswith("3 systems, value and its 95 % interval\nsystem")
    assert "\nPairs\n" in done.out
    assert "paired bootstrap (1,000 trials)" in done.out
    assert "comparing: 6 of 6" in done.err


def test_quiet_is_silent(compare: Compare, run: Path) -> None:
    assert compare(run, "--quiet", "-m", "bleu").err == ""


def test_options_reach_the_comparison(compare: Compare, run: Path) -> None:
    done = compare(
        *(run, "-m", "chrf", "--by", "category", "--baseline", "hasty", "--test", "both"),
        *("--n", "50", "--seed", "7", "--level", "0.9", "--correction", "bh", "--json"),
    )
    said = json.loads(done.out)
    assert done.code == 0
    assert list(said["metrics"]) == ["chrf"]
    assert said["baseline"] == "hasty"
    assert said["tests"] == {"bootstrap": {"n": 50}, "randomisation": {"n": 50}}
    assert (said["seed"], said["correction"]) == (7, "bh")
    assert said["interval"]["level"] == 0.9
    assert [pair["against"] for pair in said["pairs"]] == ["hasty", "hasty"]
    assert len(said["by"]["category"]) == 10


def test_same_command_same_bytes(compare: Compare, run: Path) -> None:
    assert compare(run, "--json", "--n", "100").out == compare(run, "--json", "--n", "100").out


@pytest.mark.parametrize(
    ("form", "beginning"),
    [("markdown", "**3 systems"), ("latex", r"\begin{table}"), ("csv", "slice,metric,system")],
)
def test_formats(compare: Compare, run: Path, form: str, beginning: str) -> None:
    assert compare(run, "--format", form, "--n", "20").out.startswith(beginning)


def test_out_writes_a_file(compare: Compare, run: Path, tmp_path: Path) -> None:
    target = tmp_path / "table.csv"
    done = compare(run, "--format", "csv", "--out", target, "--n", "20")
    assert done.out == ""
    rows = list(csv.DictReader(io.StringIO(target.read_text(encoding="utf-8"))))
    assert len(rows) == 12


def test_every_pair_is_shown_when_asked_for(compare: Compare, run: Path) -> None:
    few = compare(run, "--by", "category", "--n", "20")
    assert "60 pairs are not shown" in few.out
    every = compare(run, "--by", "category", "--n", "20", "--pairs")
    assert "Pairs by category" in every.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--format", "html"], "unknown format 'html'"),
        (["-m", "chfr"], "did you mean 'chrf'?"),
        (["--baseline", "carefull"], "did you mean 'careful'?"),
        (["--by", "domain"], "unknown breakdown 'domain'"),
        (["--test", "sign"], "unknown test 'sign'"),
        (["--correction", "sidak"], "unknown correction 'sidak'"),
        (["--level", "95"], "between 0 and 1"),
        (["--out", "no/such/folder/table.txt"], "table.txt: cannot be written"),
    ],
)
def test_wrong_use_is_one_line(
    compare: Compare, run: Path, arguments: list[str], words: str
) -> None:
    done = compare(run, "--quiet", "--n", "20", *arguments)
    assert done.code == 2
    assert done.out == ""
    assert words in done.err
    assert done.err.count("\n") == 1


def test_a_folder_without_a_run_is_reported_in_one_line(compare: Compare, tmp_path: Path) -> None:
    done = compare(tmp_path)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "is not a run" in done.err
