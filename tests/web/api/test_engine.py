"""The engine batches under load, takes turns and isolates faults; workers are replaced if lost."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from adequa.codec import result_to_object
from adequa.data import Item, Triple
from adequa.errors import ModelError
from adequa.files import dump_line
from adequa.metrics import resolve
from adequa.metrics.base import Metric
from adequa.run.engines import score_items
from adequa.web.api.engine import InProcess, ProcessLost, ScoringEngine
from adequa.web.errors import Refusal


class Fake:
    """Gives each item's text back when it is let go; notes what it was shown."""

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.gate.set()
        self.busy = threading.Event()
        self.batches: list[list[str]] = []
        self.seconds: list[float] = []

    def start(self) -> None:
        return

    def score(self, items: Sequence[Item], labels: Sequence[str], seconds: float) -> list[bytes]:
        texts = [item.text for item in items]
        self.batches.append(texts)
        self.seconds.append(seconds)
        self.busy.set()
        assert self.gate.wait(30)
        if "bad" in texts:
            raise ModelError("a bad text")
        if "deadly" in texts:
            raise ProcessLost("it died")
        if "bug" in texts:
            raise ZeroDivisionError
        return [f"{'+'.join(labels)} {text}".encode() for text in texts]

    def close(self) -> None:
        self.gate.set()


def items(*texts: str) -> list[Item]:
    return [Item(text, (Triple("a", "b", "c"),), text) for text in texts]


def held(engine: ScoringEngine, fake: Fake) -> None:
    """The worker is kept busy with one item, so that others gather behind it."""
    fake.gate.clear()
    fake.busy.clear()
    engine.submit(items("first"), ["m"])
    assert fake.busy.wait(30)


Made = tuple[ScoringEngine, Fake]


@pytest.fixture
def make() -> Iterator[Callable[..., Made]]:
    engines: list[ScoringEngine] = []

    def build(**options: int) -> Made:
        fake = Fake()

        def worker(_metrics: Mapping[str, Metric]) -> Fake:
            return fake

        engine = ScoringEngine({}, make=worker, **options)  # type: ignore[arg-type]
        engine.start()
        engines.append(engine)
        return engine, fake

    yield build
    for engine in engines:
        engine.close()


def test_a_lone_request_starts_at_once_and_keeps_its_order(make: Callable[..., Made]) -> None:
    engine, fake = make(batch=2)
    texts = [str(number) for number in range(7)]
    lines = engine.submit(items(*texts), ["m"]).result(30)
    assert lines == [f"m {text}".encode() for text in texts]
    assert [len(batch) for batch in fake.batches] == [2, 2, 2, 1]


def test_waiting_requests_become_one_batch(make: Callable[..., Made]) -> None:
    engine, fake = make()
    held(engine, fake)
    futures = [engine.submit(items(f"t{number}"), ["m"]) for number in range(5)]
    assert engine.waiting == 5
    fake.gate.set()
    assert [future.result(30) for future in futures] == [[f"m t{n}".encode()] for n in range(5)]
    assert fake.batches[1] == ["t0", "t1", "t2", "t3", "t4"]


def test_a_long_request_does_not_hold_up_a_short_one(make: Callable[..., Made]) -> None:
    engine, fake = make(batch=8)
    held(engine, fake)
    long = engine.submit(items(*(f"l{number}" for number in range(100))), ["m"])
    short = engine.submit(items("s0", "s1"), ["m"])
    fake.gate.set()
    assert short.result(30) == [b"m s0", b"m s1"]
    assert fake.batches[1] == ["l0", "l1", "l2", "l3", "s0", "s1", "l4", "l5"]
    assert len(long.result(30)) == 100


def test_only_requests_for_the_same_metrics_share_a_batch(make: Callable[..., Made]) -> None:
    engine, fake = make()
    held(engine, fake)
    given = [("a", ["m"]), ("b", ["n"]), ("c", ["m"]), ("d", ["m", "n"])]
    futures = [engine.submit(items(text), labels) for text, labels in given]
    fake.gate.set()
    found = [future.result(30) for future in futures]
    assert found == [[b"m a"], [b"n b"], [b"m c"], [b"m+n d"]]
    assert fake.batches[1:] == [["a", "c"], ["b"], ["d"]]


@pytest.mark.parametrize(
    ("text", "error"), [("bad", ModelError), ("deadly", Refusal), ("bug", ZeroDivisionError)]
)
def test_a_request_fails_alone(
    make: Callable[..., Made], text: str, error: type[Exception], capsys: pytest.CaptureFixture[str]
) -> None:
    engine, fake = make()
    held(engine, fake)
    good, evil = engine.submit(items("good"), ["m"]), engine.submit(items(text), ["m"])
    fake.gate.set()
    with pytest.raises(error):
        evil.result(30)
    if text != "bug":  # what no code of ours expects is not tried again
        assert good.result(30) == [b"m good"]
        assert fake.seconds[1:] == [15, 60, 60]
    assert engine.submit(items("next"), ["m"]).result(30) == [b"m next"]
    assert capsys.readouterr().err


def test_a_full_queue_refuses_with_retry_after(make: Callable[..., Made]) -> None:
    engine, fake = make(waiting=3)
    held(engine, fake)
    kept = engine.submit(items("a", "b"), ["m"])
    with pytest.raises(Refusal) as refused:
        engine.submit(items("c", "d"), ["m"])
    assert (refused.value.status, refused.value.code) == (503, "busy")
    assert refused.value.wait is not None
    assert refused.value.wait >= 1
    engine.submit(items("c"), ["m"])
    assert engine.is_full
    fake.gate.set()
    kept.result(30)
    # One request may bring more than may wait, where nothing waits.
    assert len(engine.submit(items(*"abcdefgh"), ["m"]).result(30)) == 8


def test_an_abandoned_request_makes_room(make: Callable[..., Made]) -> None:
    engine, fake = make(waiting=3)
    held(engine, fake)
    given_up = engine.submit(items("a", "b", "c"), ["m"])
    assert engine.is_full
    assert given_up.cancel()
    assert engine.waiting == 0
    next_one = engine.submit(items("d"), ["m"])
    fake.gate.set()
    assert next_one.result(30) == [b"m d"]
    assert "a" not in [text for batch in fake.batches for text in batch]


def test_giving_up_in_the_middle_harms_nobody(make: Callable[..., Made]) -> None:
    engine, fake = make(batch=4)
    held(engine, fake)
    one, other = engine.submit(items(*"abcdefgh"), ["m"]), engine.submit(items("z"), ["m"])
    fake.busy.clear()
    fake.gate.set()
    assert other.result(30) == [b"m z"]
    one.cancel()
    assert engine.submit(items("y"), ["m"]).result(30) == [b"m y"]
    assert engine.waiting == 0


def test_a_closed_engine_refuses(make: Callable[..., Made]) -> None:
    engine, fake = make()
    held(engine, fake)
    waiting = engine.submit(items("a"), ["m"])
    engine.close()
    with pytest.raises(Refusal):
        waiting.result(30)
    with pytest.raises(Refusal):
        engine.submit(items("a"), ["m"])


@pytest.mark.parametrize("error", [ModelError("no weights"), ProcessLost("no memory")])
def test_what_cannot_be_loaded_is_raised_at_the_start(error: Exception) -> None:
    class Broken(Fake):
        def start(self) -> None:
            raise error

    engine = ScoringEngine({}, workers=2, make=lambda _metrics: Broken())
    with pytest.raises(ModelError, match=str(error)):
        engine.start()


def test_many_threads_at_once(make: Callable[..., Made]) -> None:
    engine, _ = make(waiting=10_000)
    found: list[bool] = []

    def ask(name: str) -> None:
        for number in range(50):
            text = f"{name}-{number}"
            found.append(engine.submit(items(text), ["m"]).result(30) == [f"m {text}".encode()])

    threads = [threading.Thread(target=ask, args=(f"t{number}",)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 400
    assert engine.waiting == 0


FACTS = (Triple("MV_Alba", "homePort", "Oban"),)
METRIC = """
import os, time
from dataclasses import dataclass
from typing import ClassVar
from adequa.data import Score
from adequa.errors import ModelError
from adequa.metrics.base import Metric

@dataclass(frozen=True)
class Moody(Metric):
    name: ClassVar[str] = "moody"
    doc: ClassVar[str] = "does what the text says"
    best: ClassVar[float] = 1.0
    worst: ClassVar[float] = 0.0

    def score(self, items):
        for item in items:
            if item.text == "hang":
                time.sleep(60)
            if item.text == "die":
                os._exit(9)
            if item.text == "fail":
                raise ModelError("it fails")
            if item.text == "bug":
                raise ZeroDivisionError
        return [Score(1.0) for item in items]
"""


@pytest.fixture
def moody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Mapping[str, Metric]:
    """A metric that another process can import."""
    (tmp_path / "moody_metric.py").write_text(METRIC, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    return {"moody": importlib.import_module("moody_metric").Moody()}


def _item(text: str) -> Item:
    return Item("1", FACTS, text)


def test_lines_are_those_of_a_run() -> None:
    metrics = resolve(["esa"])
    items = [Item(str(number), FACTS, f"MV Alba №{number}.") for number in range(3)]
    worker = InProcess(metrics)
    try:
        worker.start()
        lines = worker.score(items, ["esa"], 60)
    finally:
        worker.close()
    wanted = [dump_line(result_to_object(result)) for result in score_items(items, metrics)]
    assert [line.decode() + "\n" for line in lines] == wanted


def test_what_hangs_is_ended_and_what_dies_is_replaced(moody: Mapping[str, Metric]) -> None:
    worker = InProcess(moody)
    try:
        with pytest.raises(ProcessLost, match="longer than 1 seconds"):
            worker.score([_item("hang")], ["moody"], 1)
        assert b'"moody": 1.0' in worker.score([_item("fine")], ["moody"], 60)[0]
        with pytest.raises(ProcessLost, match="died"):
            worker.score([_item("die")], ["moody"], 60)
        for text, words in (("fail", "it fails"), ("bug", "ZeroDivisionError")):
            with pytest.raises(ModelError, match=words):
                worker.score([_item(text)], ["moody"], 60)
        # An error is no reason to start anew.
        assert b'"moody": 1.0' in worker.score([_item("fine")], ["moody"], 60)[0]
    finally:
        worker.close()
