"""A worker process: the lines of a run, and an end to what hangs or dies."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path

import pytest

from adequa.codec import result_to_object
from adequa.data import Item, Triple
from adequa.errors import ModelError
from adequa.metrics import resolve
from adequa.metrics.base import Metric
from adequa.run.engines import score_items
from adequa.strict_json import dump_line
from adequa.web.api.scoring import InProcess, WorkerLost

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
        with pytest.raises(WorkerLost, match="longer than 1 seconds"):
            worker.score([_item("hang")], ["moody"], 1)
        assert b'"moody": 1.0' in worker.score([_item("fine")], ["moody"], 60)[0]
        with pytest.raises(WorkerLost, match="died"):
            worker.score([_item("die")], ["moody"], 60)
        for text, words in (("fail", "it fails"), ("bug", "ZeroDivisionError")):
            with pytest.raises(ModelError, match=words):
                worker.score([_item(text)], ["moody"], 60)
        # An error is no reason to start anew.
        assert b'"moody": 1.0' in worker.score([_item("fine")], ["moody"], 60)[0]
    finally:
        worker.close()
