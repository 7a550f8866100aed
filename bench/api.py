"""`adequa serve` with the default metrics: delay, throughput, and behaviour under a flood.

Everything is a ratio within one run: of the server to the library in this process, text by text in
turns; of the server to `adequa score --jobs 2` on the same items, the time of starting taken off;
of the server to itself. Each request holds one text. `ADEQUA_FLOOD_SECONDS` shortens the flood.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from adequa.codec import item_to_object
from adequa.data import Item
from adequa.files import dump_line
from adequa.metrics import resolve
from adequa.readers import open_source
from adequa.run import score_items
from adequa.web.client import Client
from bench.api_load import Answer, at_a_rate, closed_loop, percentile

NEEDS_DATA = True
DELAYED = 80
SCORED = 256
JOBS = 2
BATCH = 64
CONNECTIONS = 48
SIZE = 3
WINDOWS = 5
WARMING = 4
IN_WINDOW = 128
TIMES_FLOOD = 4.0
FLOOD_SECONDS = float(os.environ.get("ADEQUA_FLOOD_SECONDS", "120"))


def measure(data: Path) -> list[dict[str, object]]:
    """A server on a free port, called from this process."""
    items = _items(data)
    delayed, first, second, steady = (
        items[:DELAYED],
        items[DELAYED : DELAYED + SCORED],
        items[DELAYED + SCORED : DELAYED + 2 * SCORED],
        items[DELAYED + 2 * SCORED :],
    )
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder, _server() as (url, process):
        rows = [_delay(url, delayed), _saturated(url, Path(folder), [first, second])]
        # The rate is measured again for each: on a shared machine it changes with the minutes.
        rows.append(_steady(url, steady))
        rows += _flood(url, steady[-SCORED:], process)
    rows.append(_row("others on the machine: its load before", load, "–", True))
    return rows


def _delay(url: str, items: Sequence[Item]) -> dict[str, object]:
    client, metrics = Client(url), resolve(None)
    score_items(items[:1], metrics)
    ours, theirs = [], []
    for item in items[1:]:
        started = time.perf_counter()
        client.score(item.triples, item.text)
        between = time.perf_counter()
        score_items([item], metrics)
        ours.append(between - started)
        theirs.append(time.perf_counter() - between)
    mine, library = median(ours), median(theirs)
    figure = (
        f"p50 of one text over HTTP ({mine * 1e3:.1f} ms) / in process ({library * 1e3:.1f} ms)"
    )
    return _row(figure, mine / library, "≤ 1.3", mine / library <= 1.3)


def _saturated(url: str, folder: Path, groups: Sequence[Sequence[Item]]) -> dict[str, object]:
    """In turns, group by group; the best of each, since the others were disturbed."""
    ours, theirs = [], []
    for number, items in enumerate(groups):
        ours.append(_rate(url, _bodies(items)))
        theirs.append(_command_rate(folder / str(number), items))
    best, command = max(ours), max(theirs)
    figure = f"texts/s at saturation ({best:.0f}) / adequa score --jobs {JOBS} ({command:.0f})"
    return _row(figure, best / command, "≥ 0.8", best / command >= 0.8)


def _rate(url: str, bodies: Sequence[bytes]) -> float:
    """Texts per second of a saturated server."""
    started = time.perf_counter()
    answers = closed_loop(url, bodies, CONNECTIONS)
    seconds = time.perf_counter() - started
    if any(answer.status != 200 for answer in answers):
        raise SystemExit(f"the server refused within its limits: {_statuses(answers)}")
    return len(answers) / seconds


def _command_rate(folder: Path, items: Sequence[Item]) -> float:
    folder.mkdir()
    few = JOBS * 2
    started = [_command_seconds(folder, items[:few], f"few-{turn}") for turn in range(2)]
    whole = _command_seconds(folder, items, "all")
    return (len(items) - few) / (whole - min(started))


def _command_seconds(folder: Path, items: Sequence[Item], name: str) -> float:
    path = folder / f"{name}.jsonl"
    path.write_text("".join(dump_line(item_to_object(item)) for item in items), encoding="utf-8")
    size = BATCH if len(items) > BATCH else len(items) // JOBS
    options = ["--jobs", str(JOBS), "--batch-size", str(size), "--no-cache", "--quiet"]
    command = [sys.executable, "-c", _MAIN, "score", str(path), "--out", str(folder / name)]
    started = time.perf_counter()
    subprocess.run([*command, *options], check=True, capture_output=True)
    return time.perf_counter() - started


def _steady(url: str, items: Sequence[Item]) -> dict[str, object]:
    """Texts of one size, evenly spaced; the best of some windows, since others were disturbed.

    Of one size, and seen by each worker before, because that alone changes what one costs: the
    largest take three times the median, and a graph that is new twice one that is not.
    """
    same = [item for item in items if len(item.triples) == SIZE][:IN_WINDOW]
    bodies = _bodies(same)
    for _ in range(WARMING):
        _rate(url, bodies)
    windows, alone = [], []
    for _ in range(WINDOWS):
        rate = _rate(url, bodies) / 2
        answers = at_a_rate(url, bodies, rate, IN_WINDOW / rate)
        alone.append(_spread_alone(same))
        seconds = [answer.seconds for answer in answers if answer.status == 200]
        if len(seconds) < len(answers):
            raise SystemExit(f"the server refused at half load: {_statuses(answers)}")
        windows.append((percentile(seconds, 0.99), percentile(seconds, 0.5)))
    ratios = sorted(last / middle for last, middle in windows)
    last, middle = min(windows, key=lambda window: window[0] / window[1])
    return _row(
        f"p99 ({last * 1e3:.0f} ms) / p50 ({middle * 1e3:.0f} ms) at half of it, the best of "
        f"{WINDOWS} windows (their median {median(ratios):.1f}; of the library alone, in turns: "
        f"best {min(alone):.1f}, median {median(alone):.1f})",
        ratios[0],
        "≤ 3",
        ratios[0] <= 3,
    )


def _spread_alone(items: Sequence[Item]) -> float:
    """p99 / p50 of calling the library on the same texts: the variation of the machine itself."""
    metrics = resolve(None)
    score_items(items, metrics)
    seconds = []
    for number in range(IN_WINDOW):
        started = time.perf_counter()
        score_items([items[number % len(items)]], metrics)
        seconds.append(time.perf_counter() - started)
    return percentile(seconds, 0.99) / percentile(seconds, 0.5)


def _flood(
    url: str, items: Sequence[Item], process: subprocess.Popen[str]
) -> Iterator[dict[str, object]]:
    # Few texts, so that what the metrics remember of each is there before the flood.
    bodies = _bodies(items)
    rate = [_rate(url, bodies) for _ in range(WARMING)][-1]
    warm = max(2.0, FLOOD_SECONDS / 4)
    at_a_rate(url, bodies, TIMES_FLOOD * rate, warm)
    before = _megabytes(process.pid)
    answers = at_a_rate(url, bodies, TIMES_FLOOD * rate, FLOOD_SECONDS)
    after = _megabytes(process.pid)
    counts = _statuses(answers)
    good = set(counts) <= {200, 429, 503} and process.poll() is None
    yield _row(
        f"answers to {TIMES_FLOOD:g}× that for {FLOOD_SECONDS:g} s: {dict(counts)}; others",
        sum(count for status, count in counts.items() if status not in (200, 429, 503)),
        "0",
        good,
    )
    yield _row(
        f"memory after the flood ({after:.0f} MB) / early in it ({before:.0f} MB)",
        after / before,
        "≤ 1.1",
        after / before <= 1.1,
    )
    again = _rate(url, bodies)
    yield _row(
        f"texts/s after it ({again:.0f}) / before", again / rate, "≥ 0.8", again / rate >= 0.8
    )


def _items(data: Path) -> list[Item]:
    """Outputs of one system for the test of 2020, each with its own graph."""
    folder = data / "webnlg2020"
    (graphs,) = (folder / "test").glob("*.xml")
    texts = sorted((folder / "systems").glob("*.txt"))[0]
    return list(open_source(graphs, format="webnlg", texts={texts.stem: texts}))


def _bodies(items: Sequence[Item]) -> list[bytes]:
    raw = ({"triples": item.triples, "text": item.text} for item in items)
    return [json.dumps(one, ensure_ascii=False).encode() for one in raw]


_MAIN = "from adequa.cli import main; main()"


@contextmanager
def _server() -> Iterator[tuple[str, subprocess.Popen[str]]]:
    command = [sys.executable, "-c", _MAIN, "serve", "--port", "0", "--jobs", str(JOBS)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip().removesuffix("/v1/openapi.json"), process
    finally:
        process.terminate()
        process.communicate(timeout=30)


def _megabytes(pid: int) -> float:
    """The unshared memory of a process and its children."""
    own = Path(f"/proc/{pid}")
    children = (own / "task" / str(pid) / "children").read_text().split()
    pages = [line for line in (own / "smaps_rollup").read_text().splitlines() if "Pss:" in line]
    mine = int(pages[0].split()[1]) / 1024
    return mine + sum(_megabytes(int(child)) for child in children)


def _statuses(answers: Sequence[Answer]) -> Counter[int]:
    return Counter(answer.status for answer in answers)


def _row(figure: str, value: object, target: str, reached: bool) -> dict[str, object]:
    return {"figure": figure, "value": value, "target": target, "reached": reached}
