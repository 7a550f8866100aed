"""Runs: the contract of the folder, resuming after a kill, refusals, adding metrics."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from adequa.data import Item, Result, Score
from adequa.errors import DataError, ModelError, RunError
from adequa.metrics import resolve
from adequa.metrics.base import Metric
from adequa.readers import open_source
from adequa.run import LocalEngine, Run, add_metrics, open_run, score_run

ItemsFile = Callable[[int], Path]


def bytes_of(run: Run) -> bytes:
    return (run.path / "scores.jsonl").read_bytes()


@pytest.fixture
def whole(items_file: ItemsFile, tmp_path: Path, words: Metric) -> Run:
    return score_run(
        open_source(items_file(50)), {"words": words}, tmp_path / "whole", batch_size=7
    )


def test_a_run_has_one_line_an_item_in_input_order(whole: Run) -> None:
    lines = [json.loads(line) for line in bytes_of(whole).splitlines()]
    assert [line["id"] for line in lines] == [f"Id{number // 2}" for number in range(50)]
    first = lines[0]
    assert list(first)[:2] == ["id", "system"]
    assert first["scores"] == {"words": 0.0}
    assert first["verdicts"] == {"words": "omission"}
    assert first["verdict"] == "omission"
    assert first["findings"][0]["triple"] == ["Entity_0", "count", "0"]
    assert set(first["facts"][0]) == {"triple", "status", "confidence", "start", "end"}
    assert set(first["mentions"][0]) == {"entity", "start", "end", "method", "distance"}


def test_the_manifest_names_inputs_by_hash_and_metrics_by_signature(whole: Run) -> None:
    manifest = whole.manifest
    assert manifest["status"] == "complete"
    assert len(manifest["inputs"]["files"][0]["sha256"]) == 64
    assert manifest["metrics"]["words"]["signature"].startswith("words|factor:1.0|version:")
    assert manifest["counts"] == {"items": 50, "systems": {"A": 25, "B": 25}}


def test_the_summary_counts_what_could_not_be_scored(tmp_path: Path, words: Metric) -> None:
    path = tmp_path / "items.jsonl"
    rows = [
        {"id": str(number), "triples": [["a", "b", "c"]], "text": text}
        for number, text in enumerate(["one", "one two c", "unscorable", ""])
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    run = score_run(open_source(path), {"w": words}, tmp_path / "run")
    column = run.summary["systems"][""]["metrics"]["w"]
    assert column["scored"] == 3
    assert column["not_scorable"] == 1
    assert column["reasons"] == {"a test said so": 1}
    assert column["mean"] == pytest.approx(4 / 3, abs=1e-6)
    assert column["low"] < column["mean"] < column["high"]
    assert column["corpus"] == pytest.approx(4 / 3, abs=1e-6)
    assert run.summary["systems"][""]["verdicts"] == {"OK": 1, "omission": 2}


@pytest.mark.parametrize("batch_size", [1, 3, 50, 1000])
def test_the_batch_size_does_not_change_the_bytes(
    batch_size: int, items_file: ItemsFile, tmp_path: Path, words: Metric, whole: Run
) -> None:
    source = open_source(items_file(50))
    run = score_run(source, {"words": words}, tmp_path / "run", batch_size=batch_size)
    assert bytes_of(run) == bytes_of(whole)


def test_the_number_of_processes_does_not_change_the_bytes(
    items_file: ItemsFile, tmp_path: Path
) -> None:
    source, metrics = open_source(items_file(40)), resolve(["chrf"])
    one = score_run(source, metrics, tmp_path / "one", batch_size=5)
    two = score_run(source, metrics, tmp_path / "two", batch_size=5, engine=LocalEngine(2))
    assert bytes_of(one) == bytes_of(two)


def test_a_run_cut_at_any_byte_resumes_to_the_same_bytes(
    items_file: ItemsFile, tmp_path: Path, words: Metric
) -> None:
    source, metrics = open_source(items_file(6)), {"words": words}
    whole = score_run(source, metrics, tmp_path / "whole")
    wanted = bytes_of(whole)
    manifest = {**whole.manifest, "status": "running"}
    folder = tmp_path / "cut"
    folder.mkdir()
    for length in range(0, len(wanted) + 1, 41):
        (folder / "manifest.json").write_text(json.dumps(manifest))
        (folder / "scores.jsonl").write_bytes(wanted[:length])
        (folder / "summary.json").unlink(missing_ok=True)
        run = score_run(source, metrics, folder, resume=True)
        assert bytes_of(run) == wanted
        assert run.summary == whole.summary


def test_resume_begins_where_nothing_was_begun(
    items_file: ItemsFile, tmp_path: Path, words: Metric, whole: Run
) -> None:
    source = open_source(items_file(50))
    run = score_run(source, {"words": words}, tmp_path / "new", resume=True)
    assert bytes_of(run) == bytes_of(whole)


def test_resuming_a_finished_run_scores_nothing(
    items_file: ItemsFile, whole: Run, words: Metric
) -> None:
    calls: list[int] = []
    score_run(
        open_source(items_file(50)),
        {"words": words},
        whole.path,
        resume=True,
        progress=lambda done, total: calls.append(done),
    )
    assert calls == []


def test_changed_settings_refuse_to_resume(
    items_file: ItemsFile, whole: Run, words: Metric
) -> None:
    changed = {"words": type(words)(factor=2.0)}
    with pytest.raises(RunError, match=r"factor:1\.0.*then, .*factor:2\.0.*now"):
        score_run(open_source(items_file(50)), changed, whole.path, resume=True)


def test_changed_input_refuses_to_resume(items_file: ItemsFile, whole: Run, words: Metric) -> None:
    path = items_file(50)
    path.write_text(path.read_text(encoding="utf-8").replace("word", "Word"), encoding="utf-8")
    with pytest.raises(RunError, match="an input file has changed"):
        score_run(open_source(path), {"words": words}, whole.path, resume=True)


def test_an_edited_score_file_refuses_to_resume(
    items_file: ItemsFile, whole: Run, words: Metric
) -> None:
    (whole.path / "manifest.json").write_text(json.dumps({**whole.manifest, "status": "running"}))
    lines = bytes_of(whole).splitlines(keepends=True)
    (whole.path / "scores.jsonl").write_bytes(b"".join(lines[:5] + lines[6:8]))
    with pytest.raises(RunError, match="damaged or edited"):
        score_run(open_source(items_file(50)), {"words": words}, whole.path, resume=True)


def test_a_run_is_not_overwritten_without_force(
    items_file: ItemsFile, whole: Run, words: Metric
) -> None:
    source = open_source(items_file(10))
    with pytest.raises(RunError, match="already contains a run"):
        score_run(source, {"words": words}, whole.path)
    run = score_run(source, {"words": words}, whole.path, force=True)
    assert run.manifest["counts"]["items"] == 10


def test_force_only_deletes_runs(items_file: ItemsFile, tmp_path: Path, words: Metric) -> None:
    folder = tmp_path / "thesis"
    folder.mkdir()
    (folder / "thesis.tex").write_text("years of work")
    with pytest.raises(RunError, match="contains other files"):
        score_run(open_source(items_file(5)), {"words": words}, folder, force=True)
    assert (folder / "thesis.tex").read_text() == "years of work"


def test_adding_a_metric_equals_scoring_with_both(
    items_file: ItemsFile, tmp_path: Path, words: Metric
) -> None:
    source, double = open_source(items_file(30)), type(words)(factor=2.0)
    both = score_run(source, {"a": words, "b": double}, tmp_path / "both")
    one = score_run(source, {"a": words}, tmp_path / "one")
    added = add_metrics(one, {"b": double}, batch_size=4)
    assert bytes_of(added) == bytes_of(both)
    assert list(added.manifest["metrics"]) == ["a", "b"]
    columns = [run.summary["systems"]["A"]["metrics"]["b"] for run in (added, both)]
    assert columns[0] == {**columns[1], "corpus": columns[0]["corpus"]}


def test_a_metric_is_not_added_twice(whole: Run, words: Metric) -> None:
    with pytest.raises(RunError, match="has the metric 'words' already"):
        add_metrics(whole, {"words": words})


def test_results_read_back_what_was_written(whole: Run) -> None:
    results = list(whole.results())
    assert len(results) == 50
    assert isinstance(results[0], Result)
    assert results[3].item.key == ("B", "Id1")
    assert results[0].missing[0].triple == ("Entity_0", "count", "0")


def test_an_unfinished_run_does_not_open(whole: Run) -> None:
    (whole.path / "manifest.json").write_text(json.dumps({**whole.manifest, "status": "running"}))
    with pytest.raises(RunError, match="not finished"):
        open_run(whole.path)


@dataclass(frozen=True)
class Broken(Metric):
    name = "broken"
    doc = "breaks its promise"
    best = 1.0
    worst = 0.0
    value: float = float("nan")
    short: bool = False

    def score(self, items: list[Item]) -> list[Score]:  # type: ignore[override]
        return [Score(self.value) for _ in items][self.short :]


@pytest.mark.parametrize(
    ("metric", "message"),
    [(Broken(), "gave nan for the item"), (Broken(0.5, short=True), "gave 4 scores for 5 items")],
)
def test_a_metric_that_breaks_its_promise_is_named(
    metric: Metric, message: str, items_file: ItemsFile, tmp_path: Path
) -> None:
    with pytest.raises(ModelError, match=message):
        score_run(open_source(items_file(5)), {"broken": metric}, tmp_path / "run")


def test_wrong_input_shows_before_the_first_score(
    items_file: ItemsFile, tmp_path: Path, words: Metric
) -> None:
    path = items_file(20)
    with path.open("a", encoding="utf-8") as stream:
        stream.write("{broken\n")
    with pytest.raises(DataError, match=r"items-20\.jsonl:21: is not JSON"):
        score_run(open_source(path), {"words": words}, tmp_path / "run")
    assert not (tmp_path / "run").exists()


COMMAND = [sys.executable, "-c", "from adequa.cli import main; main()", "score"]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_killed_run_resumes_to_the_same_bytes(
    jobs: str, items_file: Callable[[int], Path], tmp_path: Path
) -> None:
    options = [str(items_file(3_000)), "-m", "chrf", "--batch-size", "5", "--quiet", "--no-cache"]
    subprocess.run([*COMMAND, *options, "--out", str(tmp_path / "whole")], check=True)
    parts = tmp_path / "killed" / "shards"
    out = ["--out", str(tmp_path / "killed"), "--jobs", jobs]
    with subprocess.Popen([*COMMAND, *options, *out]) as process:
        deadline = time.monotonic() + 60
        while not size_of(parts) and time.monotonic() < deadline:
            time.sleep(0.01)
        process.kill()
    wanted = (tmp_path / "whole" / "scores.jsonl").read_bytes()
    assert 0 < size_of(parts) < len(wanted)
    subprocess.run([*COMMAND, *options, *out, "--resume"], check=True)
    assert (tmp_path / "killed" / "scores.jsonl").read_bytes() == wanted
    assert not parts.exists()


def size_of(parts: Path) -> int:
    return sum(path.stat().st_size for path in parts.glob("*.jsonl*"))
