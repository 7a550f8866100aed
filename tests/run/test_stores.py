"""Inputs and runs on an object store: that of fsspec in memory has the same interface."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from adequa.files import url_of
from adequa.run import open_run

fsspec = pytest.importorskip("fsspec", reason="fsspec is not installed")
Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def store() -> Iterator[Any]:
    files = fsspec.filesystem("memory")
    yield files
    files.store.clear()
    files.pseudo_dirs[:] = [""]


def test_an_address_survives_a_path() -> None:
    assert url_of(Path("s3://bucket/a.jsonl")) == "s3://bucket/a.jsonl"
    assert url_of(Path("hf://datasets/a/b/c.jsonl")) == "hf://datasets/a/b/c.jsonl"
    for path in ("a.jsonl", "/a/b", "C:/a/b", "a:b/c", "runs/s3:/x"):
        assert url_of(Path(path)) is None


def test_shards_of_a_store(
    store: Any, items_file: Callable[[int], Path], tmp_path: Path, command: Command
) -> None:
    path, metrics = items_file(30), ["-m", "chrf", "--no-cache", "--quiet"]
    store.pipe_file("/bucket/items.jsonl", path.read_bytes())
    source = "memory://bucket/items.jsonl"
    assert command("score", str(path), *metrics, "--out", str(tmp_path / "whole"))[0] == 0
    wanted = open_run(tmp_path / "whole")

    code, said, _ = command("score", source, *metrics, "--out", "memory://bucket/one")
    assert code == 0
    assert "written to memory://bucket/one" in said
    assert store.cat_file("/bucket/one/scores.jsonl") == wanted.scores_path.read_bytes()

    out = ["--out", "memory://bucket/run", "--shard"]
    assert command("score", source, *metrics, *out, "2/2")[0] == 0
    code, _, said = command("merge", "memory://bucket/run")
    assert code == 2
    assert "lacks 1 of 2 shards (1)" in said
    for _ in range(2):
        assert command("score", source, *metrics, *out, "1/2")[0] == 0
    code, _, said = command("score", source, *metrics, *out, "1/3")
    assert code == 2
    assert "planned with 2 shards" in said
    assert command("merge", "memory://bucket/run")[0] == 0
    assert store.cat_file("/bucket/run/scores.jsonl") == wanted.scores_path.read_bytes()
    assert store.cat_file("/bucket/run/summary.json") == wanted.summary_path.read_bytes()
    manifest = json.loads(store.cat_file("/bucket/run/manifest.json"))
    assert manifest["status"] == "complete"
    assert manifest["inputs"]["path"] == source
    assert sorted(Path(one).name for one in store.find("/bucket/run")) == [
        "manifest.json",
        "scores.jsonl",
        "summary.json",
    ]
    assert command("score", source, *metrics, *out, "1/2")[1] == "memory://bucket/run is complete\n"


def test_what_cannot_be_opened(
    store: Any, items_file: Callable[[int], Path], command: Command
) -> None:
    code, _, said = command("score", "memory://bucket/absent.jsonl", "--out", "run")
    assert code == 2
    assert "does not exist" in said
    code, _, said = command("score", "nowhere://bucket/x.jsonl", "--out", "run")
    assert code == 2
    assert "cannot be opened" in said
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "fsspec.core", None)
        code, _, said = command("score", str(items_file(3)), "--out", "memory://bucket/run")
    assert code == 2
    assert "pip install 'adequa[ray]'" in said
