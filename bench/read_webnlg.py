"""Reading WebNLG v3.0 train, one item per text, against a bare lxml parse of the same files."""

from __future__ import annotations

from pathlib import Path

from lxml import etree

from adequa.readers.webnlg import WebNlgReader
from bench.clock import ratio

NEEDS_DATA = True
TARGET = 2.5


def measure(data: Path) -> list[dict[str, object]]:
    """Both read each file from disk and discard the result."""
    folder = data / "webnlg2020" / "train"
    files = sorted(map(str, folder.rglob("*.xml")))
    ours, bare = ratio(lambda: _read(folder), lambda: _parse(files), repeats=15)
    return [
        {
            "figure": f"WebNLG v3.0 train: adequa {ours * 1000:.0f} ms / lxml {bare * 1000:.0f} ms",
            "value": ours / bare,
            "target": f"≤ {TARGET}",
            "reached": ours / bare <= TARGET,
        }
    ]


def _read(folder: Path) -> None:
    for _ in WebNlgReader().read(folder):
        pass


def _parse(files: list[str]) -> None:
    for file in files:
        etree.parse(file)
