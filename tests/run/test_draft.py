"""Runs that are cut off at any moment: what is left can be read or refused, and is completed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import pytest

import adequa.run.engines
from adequa.errors import RunError
from adequa.metrics.base import Metric
from adequa.readers import open_source
from adequa.run import Run, add_metrics, open_run, score_run

ItemsFile = Callable[[int], Path]


class Crash(BaseException):
    """The process ends here."""


@contextmanager
def crashing(after: int) -> Iterator[list[int]]:
    """Ends the process before its n-th change of a file; nothing works after that."""
    steps = [0]

    def crash() -> None:
        steps[0] += 1
        if steps[0] > after:
            raise Crash

    def crashing_call(original: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **options: Any) -> Any:
            crash()
            return original(*args, **options)

        return call

    def append(stream: IO[bytes], data: bytes, folder: Path) -> None:
        try:
            crash()
        except Crash:
            if steps[0] == after + 1:
                stream.write(data[: len(data) // 2])
            raise
        original_append(stream, data, folder)

    original_append = adequa.run.engines.append
    with pytest.MonkeyPatch.context() as patch:
        for owner, name in ((Path, "replace"), (Path, "unlink"), (Path, "rmdir"), (os, "fsync")):
            patch.setattr(owner, name, crashing_call(getattr(owner, name)))
        patch.setattr(adequa.run.engines, "append", append)
        yield steps


def cut_at_every_step(work: Callable[[], object]) -> Iterator[int]:
    """Does the work again and again, cut off one step later each time, until it is complete."""
    for after in range(1000):
        try:
            with crashing(after):
                work()
        except Crash:
            yield after
        else:
            return
    raise AssertionError("the work does not end")


def bytes_of(run: Run) -> bytes:
    return (run.path / "scores.jsonl").read_bytes()


def names_of(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


FILES = {"manifest.json", "scores.jsonl", "summary.json"}


def test_a_new_run_is_complete_or_refused(
    items_file: ItemsFile, tmp_path: Path, words: Metric
) -> None:
    source, metrics = open_source(items_file(12)), {"words": words}
    whole = score_run(source, metrics, tmp_path / "whole")
    folder = tmp_path / "run"
    cuts = 0
    for cuts in cut_at_every_step(lambda: score_run(source, metrics, folder, batch_size=5)):  # noqa: B007
        if (folder / "manifest.json").is_file():
            with suppress(RunError):
                assert bytes_of(open_run(folder)) == bytes_of(whole)
        mended = score_run(source, metrics, folder, resume=True)
        assert bytes_of(mended) == bytes_of(whole)
        assert names_of(folder) == FILES
        for path in folder.iterdir():
            path.unlink()
    assert cuts > 8


def test_a_forced_run_is_the_old_one_or_the_new_one(
    items_file: ItemsFile, tmp_path: Path, words: Metric
) -> None:
    old_source, new_source = open_source(items_file(9)), open_source(items_file(12))
    old = bytes_of(score_run(old_source, {"words": words}, tmp_path / "old"))
    new = bytes_of(score_run(new_source, {"words": words}, tmp_path / "new"))
    folder = tmp_path / "run"
    score_run(old_source, {"words": words}, folder)

    def replace() -> Run:
        return score_run(new_source, {"words": words}, folder, force=True, batch_size=5)

    seen = set()
    for cut in cut_at_every_step(replace):
        run = open_run(folder)  # complete at any moment
        lines = run.scores_path.read_bytes()
        assert lines == {9: old, 12: new}[run.manifest["counts"]["items"]]
        assert run.summary["items"] == run.manifest["counts"]["items"]
        seen.add(lines)
        if cut % 2 and (folder / "manifest.json.next").is_file():
            score_run(new_source, {"words": words}, folder, resume=True)
        else:
            replace()
        assert (folder / "scores.jsonl").read_bytes() == new
        assert names_of(folder) == FILES
        score_run(old_source, {"words": words}, folder, force=True)
    assert seen == {old, new}


def test_an_added_metric_is_there_or_not(
    items_file: ItemsFile, tmp_path: Path, words: Metric
) -> None:
    source, double = open_source(items_file(12)), type(words)(factor=2.0)
    score_run(source, {"a": words}, tmp_path / "run")
    old = (tmp_path / "run" / "scores.jsonl").read_bytes()
    new = bytes_of(score_run(source, {"a": words, "b": double}, tmp_path / "both"))
    folder = tmp_path / "run"

    def add() -> Run:
        return add_metrics(open_run(folder), {"b": double}, batch_size=5)

    seen = set()
    for _ in cut_at_every_step(add):
        run = open_run(folder)
        labels = tuple(run.manifest["metrics"])
        assert run.scores_path.read_bytes() == {("a",): old, ("a", "b"): new}[labels]
        assert {label for result in run.results() for label in result.scores} == set(labels)
        assert set(run.summary["systems"]["A"]["metrics"]) == set(labels)
        seen.add(labels)
        if labels == ("a",):
            add()
        else:
            add_metrics(run, {"c": double})
        assert names_of(folder) == FILES
        score_run(source, {"a": words}, folder, force=True)
    assert seen == {("a",), ("a", "b")}


def test_a_run_is_read_again_before_a_metric_is_added(
    items_file: ItemsFile, tmp_path: Path, words: Metric
) -> None:
    """Another process may have added one since it was opened."""
    opened = score_run(open_source(items_file(5)), {"a": words}, tmp_path / "run")
    add_metrics(opened, {"b": type(words)(factor=2.0)})
    run = add_metrics(opened, {"c": type(words)(factor=3.0)})
    assert [*run.manifest["metrics"]] == ["a", "b", "c"]
    assert all([*result.scores] == ["a", "b", "c"] for result in run.results())


def test_adding_continues_what_was_scored(
    items_file: ItemsFile, tmp_path: Path, words: Metric
) -> None:
    source, double = open_source(items_file(40)), type(words)(factor=2.0)
    run = score_run(source, {"a": words}, tmp_path / "run")
    wanted = bytes_of(score_run(source, {"a": words, "b": double}, tmp_path / "both"))
    with pytest.raises(KeyboardInterrupt):
        add_metrics(run, {"b": double}, batch_size=5, progress=_interrupt_after(10))
    started: list[int] = []
    added = add_metrics(run, {"b": double}, progress=lambda done, total: started.append(done))
    assert started[0] >= 10
    assert bytes_of(added) == wanted


def test_adding_another_metric_starts_from_nothing(
    items_file: ItemsFile, tmp_path: Path, words: Metric
) -> None:
    source, double = open_source(items_file(40)), type(words)(factor=2.0)
    run = score_run(source, {"a": words}, tmp_path / "run")
    with pytest.raises(KeyboardInterrupt):
        add_metrics(run, {"b": words}, batch_size=5, progress=_interrupt_after(10))
    added = add_metrics(run, {"b": double})
    both = score_run(source, {"a": words, "b": double}, tmp_path / "both")
    assert bytes_of(added) == bytes_of(both)


def test_an_interrupted_replacement_is_not_lost_by_adding(
    items_file: ItemsFile, tmp_path: Path, words: Metric
) -> None:
    source = open_source(items_file(40))
    run = score_run(source, {"a": words}, tmp_path / "run")
    with pytest.raises(KeyboardInterrupt):
        score_run(
            open_source(items_file(50)),
            {"a": words},
            run.path,
            force=True,
            batch_size=5,
            progress=_interrupt_after(10),
        )
    with pytest.raises(RunError, match="its replacement was interrupted; complete it"):
        add_metrics(run, {"b": words})
    assert open_run(run.path).manifest["counts"]["items"] == 40


def _interrupt_after(items: int) -> Callable[[int, int], None]:
    def progress(done: int, total: int) -> None:
        del total
        if done >= items:
            raise KeyboardInterrupt

    return progress
