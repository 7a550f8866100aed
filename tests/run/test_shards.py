"""Shards: the same bytes however a run is divided, killed, repeated or joined."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.cli.demo import sample_path
from adequa.errors import RunError
from adequa.files import LineRange, divide_lines, lines, locked
from adequa.metrics import resolve
from adequa.metrics.base import Metric
from adequa.readers import Source, open_source
from adequa.run import Run, merge_run, open_run, score_run, score_shard
from tests.run.test_draft import cut_at_every_step

ItemsFile = Callable[[int], Path]


def files_of(run: Run) -> tuple[bytes, bytes]:
    return run.scores_path.read_bytes(), run.summary_path.read_bytes()


def by_shards(source: Source, metrics: dict[str, Metric], out: Path, count: int) -> Run:
    for number in reversed(range(1, count + 1)):
        score_shard(source, metrics, out, number=number, count=count, batch_size=7)
    return merge_run(out, metrics)


@pytest.mark.parametrize("count", [1, 2, 7, 60])
def test_a_run_of_shards_has_the_same_bytes(
    count: int, items_file: ItemsFile, tmp_path: Path, words: Metric
) -> None:
    source, metrics = open_source(items_file(50)), {"words": words, **resolve(["bleu", "chrf"])}
    whole = score_run(source, metrics, tmp_path / "whole")
    merged = by_shards(source, metrics, tmp_path / "merged", count)
    assert files_of(merged) == files_of(whole)
    assert {path.name for path in merged.path.iterdir()} == {
        path.name for path in whole.path.iterdir()
    }


def formats(folder: Path) -> dict[str, Source]:
    """An input of every kind: lines with and without ids, records, XML, texts of other files."""
    rows = [{"triples": [["a", "b", str(n)]], "text": f"a {n}\u2028"} for n in range(30)]
    (folder / "plain.jsonl").write_text("\n\n".join(json.dumps(row) for row in rows))
    (folder / "marked.jsonl").write_bytes(
        b"\xef\xbb\xbf" + b"\r\n".join(json.dumps(row).encode() for row in rows)
    )
    records = [
        {"record": {"town": f"T{n}", "river": "Sill"}, "text": f"T{n} is."} for n in range(9)
    ]
    (folder / "records.jsonl").write_text("".join(json.dumps(row) + "\n" for row in records))
    (folder / "graphs.txt").write_text("".join(f"a | b | {n}\n" for n in range(11)))
    (folder / "one.txt").write_text("".join(f"a b {n}\n" for n in range(11)))
    texts = {"one": folder / "one.txt", "two": folder / "one.txt"}
    return {
        "plain": open_source(folder / "plain.jsonl"),
        "marked": open_source(folder / "marked.jsonl", coverage="selected"),
        "records": open_source(folder / "records.jsonl"),
        "xml": open_source(sample_path()),
        "texts": open_source(folder / "graphs.txt", texts=texts),
    }


@pytest.mark.parametrize("name", ["plain", "marked", "records", "xml", "texts"])
def test_every_format_can_be_divided(name: str, tmp_path: Path, words: Metric) -> None:
    source = formats(tmp_path)[name]
    whole = score_run(source, {"w": words}, tmp_path / "whole")
    assert files_of(by_shards(source, {"w": words}, tmp_path / "merged", 4)) == files_of(whole)


@given(st.lists(st.text(alphabet="ab\r\u2028é", max_size=9)), st.integers(1, 9), st.booleans())
def test_lines_fall_into_one_part_each(
    tmp_path_factory: pytest.TempPathFactory, written: list[str], count: int, ends: bool
) -> None:
    path = tmp_path_factory.getbasetemp() / "divided"
    path.write_bytes("\n".join(written).encode() + b"\n" * ends)
    parts = divide_lines(path, count)
    assert len(parts) == count
    found = [row for part in parts for row in lines(path, within=part)]
    assert found == list(lines(path))
    assert [part.line for part in parts] == [
        sum(1 for _ in lines(path, within=LineRange(0, part.start))) if part.start else 0
        for part in parts
    ]


def test_a_missing_shard_is_named(items_file: ItemsFile, tmp_path: Path, words: Metric) -> None:
    source, out = open_source(items_file(50)), tmp_path / "run"
    for number in (1, 2, 4):
        score_shard(source, {"w": words}, out, number=number, count=5)
    with pytest.raises(RunError, match=r"lacks 2 of 5 shards \(3, 5\).*score shard 3/5"):
        merge_run(out, {"w": words})
    with pytest.raises(RunError, match="not finished"):
        open_run(out)
    run = score_run(source, {"w": words}, out, resume=True)  # scores the others, and joins all
    assert run.manifest["counts"]["items"] == 50
    assert merge_run(out, {"w": words}).manifest == run.manifest


def test_a_metric_that_cannot_be_built_is_named(
    items_file: ItemsFile, tmp_path: Path, words: Metric
) -> None:
    score_shard(open_source(items_file(5)), {"w": words}, tmp_path / "run", number=1, count=1)
    with pytest.raises(RunError, match=r"the metric 'w' of .* cannot be built here"):
        merge_run(tmp_path / "run")


def test_a_shard_twice_does_no_harm(items_file: ItemsFile, tmp_path: Path, words: Metric) -> None:
    source, out = open_source(items_file(20)), tmp_path / "run"
    for number in (1, 1, 2, 1, 2):
        parts = score_shard(source, {"w": words}, out, number=number, count=2)
    assert all(part.is_whole for part in parts)
    merge_run(out, {"w": words})
    assert score_shard(source, {"w": words}, out, number=2, count=2) == []
    assert open_run(out).manifest["counts"]["items"] == 20


def test_shards_are_planned_once(items_file: ItemsFile, tmp_path: Path, words: Metric) -> None:
    path, out = items_file(20), tmp_path / "run"
    score_shard(open_source(path), {"w": words}, out, number=1, count=2)
    with pytest.raises(RunError, match=r"planned with 2 shards, not 3; score shard 2/2 instead"):
        score_shard(open_source(path), {"w": words}, out, number=2, count=3)
    with pytest.raises(RunError, match=r"w: .*factor:1.* then, .*factor:2.* now"):
        score_shard(open_source(path), {"w": type(words)(2.0)}, out, number=2, count=2)
    path.write_text(path.read_text(encoding="utf-8").replace("word 19", "Word 19"))
    with pytest.raises(RunError, match=r"shard 2/2 are not those of the plan"):
        score_shard(open_source(path), {"w": words}, out, number=2, count=2)
    path.write_text(path.read_text(encoding="utf-8") * 2)
    with pytest.raises(RunError, match="an input file has changed"):
        score_shard(open_source(path), {"w": words}, out, number=2, count=2)


def test_a_damaged_shard_is_not_joined(
    items_file: ItemsFile, tmp_path: Path, words: Metric
) -> None:
    source, out = open_source(items_file(20)), tmp_path / "run"
    for number in (1, 2):
        parts = score_shard(source, {"w": words}, out, number=number, count=2)
    whole = parts[1].path.read_bytes()
    parts[1].path.write_bytes(whole.replace(b"word", b"Word", 1))
    with pytest.raises(RunError, match=r"2-of-2\.jsonl was damaged.* score the shard 2/2 again"):
        merge_run(out, {"w": words})
    parts[1].path.unlink()
    score_shard(source, {"w": words}, out, number=2, count=2)
    assert merge_run(out, {"w": words}).scores_path.read_bytes().endswith(whole)


@pytest.mark.parametrize("change", ["a shard less", "an item more"])
def test_a_run_is_not_joined_of_other_items_than_were_planned(
    change: str, items_file: ItemsFile, tmp_path: Path, words: Metric
) -> None:
    source, out = open_source(items_file(20)), tmp_path / "run"
    for number in (1, 2):
        score_shard(source, {"w": words}, out, number=number, count=2)
    manifest = json.loads((out / "manifest.json").read_text())
    if change == "a shard less":
        # Its file has the name of the only one of one shard.
        first = manifest["shards"][0]
        manifest["shards"] = [first]
        for path in (out / "shards").glob("1-of-2.json*"):
            path.replace(path.with_name(path.name.replace("1-of-2", "1-of-1")))
    else:
        manifest["planned"]["items"] += 1
    (out / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(RunError, match="was damaged or edited"):
        merge_run(out, {"w": words})


def test_shards_share_the_lock_of_a_run(
    items_file: ItemsFile, tmp_path: Path, words: Metric
) -> None:
    source, out = open_source(items_file(20)), tmp_path / "run"
    score_shard(source, {"w": words}, out, number=1, count=2)
    with locked(out, is_shared=True):
        score_shard(source, {"w": words}, out, number=2, count=2)
        for write in (
            lambda: merge_run(out, {"w": words}),
            lambda: score_run(source, {"w": words}, out, force=True),
            lambda: score_run(source, {"w": words}, out, resume=True),
        ):
            with pytest.raises(RunError, match="is being written by another process"):
                write()
    assert merge_run(out, {"w": words}).manifest["counts"]["items"] == 20


def test_joining_can_be_cut_at_any_step(
    items_file: ItemsFile, tmp_path: Path, words: Metric
) -> None:
    source, metrics = open_source(items_file(12)), {"words": words}
    whole = score_run(source, metrics, tmp_path / "whole")
    folder = tmp_path / "run"

    def work() -> None:
        by_shards(source, metrics, folder, 3)

    cuts = 0
    for cuts in cut_at_every_step(work):  # noqa: B007
        if (folder / "manifest.json").is_file():
            with suppress(RunError):
                assert files_of(open_run(folder)) == files_of(whole)
        work()
        assert files_of(open_run(folder)) == files_of(whole)
        assert {path.name for path in folder.iterdir()} == {
            "manifest.json",
            "scores.jsonl",
            "summary.json",
        }
        for path in folder.iterdir():
            path.unlink()
    assert cuts > 20


COMMAND = [sys.executable, "-c", "from adequa.cli import main; main()"]


def test_many_processes_plan_and_score_at_once(items_file: ItemsFile, tmp_path: Path) -> None:
    path, out = items_file(2_000), tmp_path / "run"
    options = ["score", str(path), "-m", "chrf", "--batch-size", "5", "--quiet", "--no-cache"]
    score = [*COMMAND, *options, "--out"]
    subprocess.run([*score, str(tmp_path / "whole")], check=True, stdout=subprocess.DEVNULL)
    shards = [[*score, str(out), "--shard", f"{number}/3"] for number in (1, 2, 3, 2)]
    started = [subprocess.Popen(one, stdout=subprocess.DEVNULL) for one in shards]
    deadline = time.monotonic() + 60
    while not list(out.glob("shards/2-of-3.jsonl*")) and time.monotonic() < deadline:
        time.sleep(0.01)
    started[2].kill()
    assert [process.wait(120) for process in started][:2] == [0, 0]
    assert started[3].returncode == 0
    subprocess.run(shards[2], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([*COMMAND, "merge", str(out)], check=True, stdout=subprocess.DEVNULL)
    assert files_of(open_run(out)) == files_of(open_run(tmp_path / "whole"))
