"""The measurements of scale: what is written down is not measured again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench import scale


def test_a_measurement_continues_where_it_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", "")
    log = tmp_path / "log.jsonl"
    monkeypatch.setattr(scale, "TURNS", 1)
    scale.measure(tmp_path, sizes=(40,), parts=["overhead"], log=log)
    (known,) = map(json.loads, log.read_text().splitlines())
    monkeypatch.setattr(scale, "TURNS", 2)
    (row,) = scale.measure(tmp_path, sizes=(40,), parts=["overhead"], log=log)
    again, other = map(json.loads, log.read_text().splitlines())
    assert again == known
    assert other["name"] != known["name"]
    assert row["value"] == pytest.approx(
        min(other["values"][1], known["values"][1]) / min(other["values"][0], known["values"][0])
        - 1
    )
    assert not list(tmp_path.glob("*.work"))


def test_a_kill_is_met_and_leaves_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", "")
    monkeypatch.setattr(scale, "KILL_ITEMS", 60)
    log = tmp_path / "log.jsonl"
    (row,) = scale.measure(tmp_path, cycles=1, parts=["kills"], log=log)
    assert (row["value"], row["reached"]) == (0, True)
    assert json.loads(log.read_text())["values"] == [1.0, 0.0]
