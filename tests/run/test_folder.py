"""Opening runs: only complete ones, by one function, with the remedy."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import adequa.files
from adequa.analysis import compare
from adequa.errors import AdequaError, RunError
from adequa.metrics.base import Metric
from adequa.readers import open_source
from adequa.run import Run, open_run, score_run

ItemsFile = Callable[[int], Path]


@pytest.fixture
def run(items_file: ItemsFile, tmp_path: Path, words: Metric) -> Run:
    return score_run(open_source(items_file(30)), {"words": words}, tmp_path / "run")


def _half(path: Path) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[: len(lines) // 2]))


def _append(path: Path) -> None:
    path.write_bytes(path.read_bytes() + path.read_bytes().splitlines(keepends=True)[0])


def _edit(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"Airport", b"Airports"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_half, "has 15 of 30 items; score it with the same settings and resume=True to complete"),
        (_append, "has 31 of 30 items"),
        (_edit, r"scores\.jsonl was changed after it was written"),
        (Path.unlink, r"scores\.jsonl cannot be read"),
    ],
)
def test_a_run_with_other_items_is_refused(
    change: Callable[[Path], None], message: str, run: Run
) -> None:
    change(run.path / "scores.jsonl")
    with pytest.raises(RunError, match=message):
        open_run(run.path)
    with pytest.raises(AdequaError, match=message):
        compare([run.path])


@pytest.mark.parametrize("change", [_half, _append])
def test_a_run_of_an_earlier_version_is_counted(change: Callable[[Path], None], run: Run) -> None:
    manifest = {name: value for name, value in run.manifest.items() if name != "files"}
    (run.path / "manifest.json").write_text(json.dumps(manifest))
    assert len(list(open_run(run.path).results())) == 30
    change(run.path / "scores.jsonl")
    with pytest.raises(RunError, match="of 30 items"):
        open_run(run.path)


def test_an_unfinished_run_says_how_far_it_is(run: Run) -> None:
    (run.path / "manifest.json").write_text(json.dumps({**run.manifest, "status": "running"}))
    _half(run.path / "scores.jsonl")
    with pytest.raises(RunError, match=r"not finished \(15 of 30 items are scored\)"):
        open_run(run.path)


def test_a_line_with_other_metrics_than_the_manifest_is_refused(run: Run) -> None:
    """As a kill in the last phase of `--add` left it before version 1."""
    manifest = {name: value for name, value in run.manifest.items() if name != "files"}
    (run.path / "manifest.json").write_text(json.dumps(manifest))
    path = run.path / "scores.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"scores": {', b'"scores": {"nli": 0.5, '))
    with pytest.raises(RunError, match="has scores of nli, words, but"):
        list(open_run(run.path).results())


def test_a_run_that_shrinks_while_it_is_read_is_an_error(run: Run) -> None:
    opened = open_run(run.path)
    _half(run.path / "scores.jsonl")
    with pytest.raises(RunError, match="changed while it was read"):
        list(opened.results())


def test_a_line_of_a_run_may_have_any_length(
    run: Run, monkeypatch: pytest.MonkeyPatch, items_file: ItemsFile, words: Metric
) -> None:
    """A long text has more evidence than an input line may have bytes."""
    monkeypatch.setattr(adequa.files, "MAX_LINE_BYTES", 100)
    assert len(list(open_run(run.path).results())) == 30


def test_a_summary_that_is_lost_is_made_again(
    run: Run, items_file: ItemsFile, words: Metric
) -> None:
    before = (run.path / "summary.json").read_bytes()
    (run.path / "summary.json").write_text("{")
    with pytest.raises(RunError, match=r"summary\.json was changed"):
        open_run(run.path)
    score_run(open_source(items_file(30)), {"words": words}, run.path, resume=True)
    assert (run.path / "summary.json").read_bytes() == before
