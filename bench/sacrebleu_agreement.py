"""Our corpus BLEU, chrF++ and TER against sacrebleu's own command line, on real outputs.

Items have one to five references, and the command line wants the same number for each. So each
corpus is compared twice: with empty lines where a reference is absent, which the command line
counts as empty references (ours: `pad_references`), and with a reference repeated in their place,
which changes neither BLEU nor chrF++ and so shows our plain setting. TER averages over references,
hence only the first comparison fits it. Sacrebleu needs minutes for a corpus's TER.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import adequa
from adequa import Item, Metric

NEEDS_DATA = True
SYSTEMS = ("DANGNT-SGU", "RALI", "TGen")
DIGITS = 10


def measure(data: Path) -> list[dict[str, object]]:
    """Whether the values agree to ten printed digits."""
    with ThreadPoolExecutor(max_workers=min(len(SYSTEMS), os.cpu_count() or 1)) as pool:
        tables = pool.map(lambda system: _compare(system, _items(data, system)), SYSTEMS)
    return [row for table in tables for row in table]


def _items(data: Path, system: str) -> list[Item]:
    folder = data / "webnlg2020"
    source = folder / "test" / "rdf-to-text-generation-test-data-with-refs-en.xml"
    return list(adequa.read(source, texts={system: folder / "systems" / f"{system}.txt"}))


def _compare(system: str, items: Sequence[Item]) -> list[dict[str, object]]:
    most = max(len(item.references) for item in items)
    blank = command_line(items, most, repeat=False, names=("bleu", "chrf", "ter"))
    repeated = command_line(items, most, repeat=True, names=("bleu", "chrf"))
    rows = []
    for theirs, padding, what in (
        (blank, most, "empty lines for absent references"),
        (repeated, 0, "references repeated"),
    ):
        for name, wanted in theirs.items():
            found = corpus_value(adequa.load_metric(name, pad_references=padding), items)
            rows.append(
                {
                    "figure": f"corpus {name}, {system}, {what}",
                    "value": f"{found:.{DIGITS}f}",
                    "target": f"{wanted:.{DIGITS}f}",
                    "reached": f"{found:.{DIGITS}f}" == f"{wanted:.{DIGITS}f}",
                }
            )
    return rows


def corpus_value(metric: Metric, items: Sequence[Item]) -> float:
    """The corpus value as a run computes it: from statistics added up in the items' order."""
    statistics = (score.statistics for score in metric.score(items))
    totals = [sum(column) for column in zip(*statistics, strict=True)]
    value = metric.corpus(totals)
    if not isinstance(value, float):
        raise TypeError(f"{metric.name} has no corpus value")
    return value


def command_line(
    items: Sequence[Item], most: int, *, repeat: bool, names: Sequence[str]
) -> dict[str, float]:
    """The output of `sacrebleu` for the items, by the names of our metrics."""
    with tempfile.TemporaryDirectory() as folder:
        texts = Path(folder) / "texts"
        _write(texts, [item.text for item in items])
        files = []
        for number in range(most):
            files.append(Path(folder) / f"references{number}")
            _write(files[-1], [_reference(item, number, repeat=repeat) for item in items])
        module = [sys.executable, "-m", "sacrebleu"]
        options = ["-m", *names, "--chrf-word-order", "2", "-w", str(DIGITS), "-f", "json"]
        done = subprocess.run(
            [*module, *map(str, files), "-i", str(texts), *options],
            check=True,
            capture_output=True,
            text=True,
        )
    found = json.loads(done.stdout)
    scores = found if isinstance(found, list) else [found]
    return dict(zip(sorted(names), (score["score"] for score in scores), strict=True))


def _reference(item: Item, number: int, *, repeat: bool) -> str:
    if number < len(item.references):
        return item.references[number]
    return item.references[0] if repeat else ""


def _write(path: Path, lines: Sequence[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
