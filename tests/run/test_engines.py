"""Batches: bounded in items, data and time, in any number of processes; plug-ins that fail."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import ClassVar

import pytest

from adequa.data import Item, Result, Score, Triple
from adequa.errors import ModelError
from adequa.metrics.base import Metric
from adequa.run import score_items
from adequa.run.engines import _FIRST_WEIGHT, _MOST_WEIGHT, scored_batches

ITEM = Item("1", (Triple("a", "b", "c"),), "a text")


@dataclass(frozen=True)
class Paced(Metric):
    """Takes its time for each item."""

    name: ClassVar[str] = "paced"
    doc: ClassVar[str] = "slow"
    best: ClassVar[float] = 1.0
    worst: ClassVar[float] = 0.0

    seconds: float = 0.0

    def score(self, items: Sequence[Item]) -> list[Score]:
        time.sleep(self.seconds * len(items))
        return [Score(1.0) for _ in items]


def sizes(count: int, metric: Metric, *, text: str = "word", batch_size: int = 256) -> list[int]:
    results = (Result(replace(ITEM, id=str(number), text=text), {}) for number in range(count))
    batches = scored_batches(results, {"m": metric}, batch_size=batch_size)
    return [len(batch.lines) for batch in batches]


def test_a_batch_has_at_most_its_number_of_items() -> None:
    found = sizes(1000, Paced(), batch_size=50)
    assert sum(found) == 1000
    assert max(found) == 50


def test_a_batch_of_slow_items_takes_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(0, 10**6, 10))  # every batch seems to take ten seconds
    monkeypatch.setattr("adequa.run.engines.time.perf_counter", lambda: next(clock))
    found = sizes(600, Paced(), text="word" * 20)
    assert found[0] == _FIRST_WEIGHT // 83
    assert all(later <= max(1, earlier // 5) for earlier, later in pairwise(found))
    assert found[-1] == 1


def test_a_batch_of_long_texts_is_bounded() -> None:
    text = "x" * (_MOST_WEIGHT // 3)
    assert max(sizes(9, Paced(), text=text)) <= 3
    assert sizes(1, Paced(), text="x" * (2 * _MOST_WEIGHT)) == [1]


def test_how_items_are_divided_changes_no_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    def lines() -> bytes:
        results = (Result(replace(ITEM, id=str(number)), {}) for number in range(100))
        batches = scored_batches(results, {"m": Paced()}, batch_size=256)
        return b"".join(batch.data for batch in batches)

    usual = lines()
    monkeypatch.setattr("adequa.run.engines._FIRST_WEIGHT", 1)
    monkeypatch.setattr("adequa.run.engines._MOST_WEIGHT", 20)
    assert lines() == usual


@dataclass(frozen=True)
class Failing(Paced):
    """Raises what a programming error of its authors raises."""

    def score(self, items: Sequence[Item]) -> list[Score]:
        return [Score(1 / (len(item.text) - len(item.text))) for item in items]


@dataclass(frozen=True)
class Careless(Paced):
    """Gives something else than scores."""

    def score(self, items: Sequence[Item]) -> list[Score]:
        return [0.5 for _ in items]  # type: ignore[misc]


def test_an_exception_of_a_plugin_names_the_plugin() -> None:
    with pytest.raises(ModelError, match=r"'mine' of the package 'tests' failed \(ZeroDivision"):
        score_items([ITEM], {"mine": Failing()})
    with pytest.raises(ModelError, match="must give a list of"):
        score_items([ITEM], {"mine": Careless()})


def test_an_exception_of_our_own_keeps_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Failing, "__module__", "adequa.metrics.failing")
    with pytest.raises(ZeroDivisionError):
        score_items([ITEM], {"ours": Failing()})


INTERRUPTED = """
import sys
from pathlib import Path
from tests.run.test_engines import Paced
from adequa.readers import open_source
from adequa.run import LocalEngine, score_run
def report(done, total):
    print(done, flush=True)
if __name__ == "__main__":
    source = open_source(sys.argv[1])
    out, engine = Path(sys.argv[2]), LocalEngine(2)
    score_run(source, {"p": Paced(2.0)}, out, engine=engine, progress=report, batch_size=20)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_an_interrupt_does_not_wait_for_the_batches(
    items_file: Callable[[int], Path], tmp_path: Path
) -> None:
    script = tmp_path / "interrupted.py"
    script.write_text(INTERRUPTED)
    command = [sys.executable, str(script), str(items_file(60)), str(tmp_path / "run")]
    root = Path(__file__).resolve().parents[2]
    paths = os.pathsep.join([str(root / "src"), str(root), os.environ.get("PYTHONPATH", "")])
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": paths},
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()  # the run is planned; its processes start now
        time.sleep(4)
        started = time.monotonic()
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the whole group
        _, errors = process.communicate(timeout=60)
        # A batch takes forty seconds here.
        assert time.monotonic() - started < 15
    assert errors.count(b"KeyboardInterrupt") == 1  # none of a worker
