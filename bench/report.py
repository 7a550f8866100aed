"""The report of the whole 2020 test, 16 systems: time, size and behaviour in a browser.

Scoring everything with the default metrics takes long, so the outputs for some graphs are: their
report against their scoring is the ratio. The report of all outputs is of a run with `esa` alone,
and its size with the default metrics is that of the smaller one, times as many texts.
"""

from __future__ import annotations

import json
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from adequa.codec import item_to_object
from adequa.files import dump_line
from adequa.metrics import DEFAULT, resolve
from adequa.readers import open_source
from adequa.report import write_report
from adequa.run import Run, score_run

NEEDS_DATA = True
GRAPHS = 125
"""2,000 texts of 16 systems."""
MOST_TIME = 0.10
MOST_BYTES = 40e6
MOST_BYTES_SMALL = 4e6
FIRST_CONTENT = 2.0
LONGEST_TASK = 200

_WATCH = """
window.tasks = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) window.tasks.push(entry.duration);
}).observe({ type: "longtask" });
"""


def measure(data: Path) -> list[dict[str, object]]:
    """Seconds, bytes, and measurements in Chromium."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        small, scoring = _score_some(data, folder)
        all_run = score_run(_source(data), resolve(["esa"]), folder / "all")
        few, writing = _timed([small], folder / "small.html")
        full, writing_all = _timed([all_run], folder / "all.html")
        rate = few.texts / scoring
        whole = few.bytes / few.texts * full.texts
        rows = [
            _row(
                f"writing the report of {few.texts:,} texts {writing:.1f} s / scoring them with "
                f"{', '.join(DEFAULT)} {scoring:.0f} s ({rate:.0f} texts/s)",
                writing / scoring,
                MOST_TIME,
            ),
            _row(
                f"writing the report of {full.texts:,} texts {writing_all:.1f} s / scoring them at "
                f"that rate {full.texts / rate:.0f} s",
                writing_all * rate / full.texts,
                MOST_TIME,
            ),
            _row(
                f"MB, {few.texts:,} texts, default metrics", few.bytes / 1e6, MOST_BYTES_SMALL / 1e6
            ),
            _row(f"MB, {full.texts:,} texts, esa", full.bytes / 1e6, MOST_BYTES / 1e6),
            _row(
                f"MB, {full.texts:,} texts, default metrics, as many times the smaller report",
                whole / 1e6,
                MOST_BYTES / 1e6,
            ),
        ]
        return rows + _browse(folder / "all.html")


def _row(figure: str, value: float, most: float) -> dict[str, object]:
    return {"figure": figure, "value": value, "target": f"≤ {most:g}", "reached": value <= most}


def _source(data: Path) -> Any:
    folder = data / "webnlg2020"
    (graphs,) = (folder / "test").glob("*.xml")
    texts = {path.stem: path for path in sorted((folder / "systems").glob("*.txt"))}
    return open_source(graphs, format="webnlg", texts=texts)


def _score_some(data: Path, folder: Path) -> tuple[Run, float]:
    """The outputs of every system for some graphs, scored on one core, and the seconds."""
    items = list(_source(data))
    ids = random.Random(7).sample(sorted({item.id for item in items}), GRAPHS)
    path = folder / "some.jsonl"
    chosen = (item for item in items if item.id in set(ids))
    path.write_text("".join(dump_line(item_to_object(item)) for item in chosen), encoding="utf-8")
    started = time.perf_counter()
    run = score_run(open_source(path), resolve(list(DEFAULT)), folder / "some")
    return run, time.perf_counter() - started


def _timed(runs: list[Run], out: Path) -> tuple[Any, float]:
    started = time.perf_counter()
    written = write_report(runs, out)
    return written, time.perf_counter() - started


def _browse(report: Path) -> list[dict[str, object]]:
    """First content, the longest task while scrolling and filtering, and the requests."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        chromium = None
    if chromium is None:
        sys.stderr.write("no playwright or no chromium: nothing is measured in a browser\n")
        value = "n/a: no playwright or no chromium"
        return [{"figure": "in Chromium", "value": value, "target": "–", "reached": False}]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        requests: list[str] = []
        page.on("request", lambda request: requests.append(request.url))
        page.add_init_script(_WATCH)
        page.goto(report.as_uri())
        page.wait_for_selector("body.ready")
        paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
        page.evaluate("window.tasks.length = 0")
        for step in _steps(page):
            step()
            page.wait_for_timeout(400)
        tasks = page.evaluate("window.tasks")
        browser.close()
    sys.stderr.write(f"tasks over 50 ms: {json.dumps(tasks)}\n")
    return [
        _row("seconds to first content, from disk", paint / 1000, FIRST_CONTENT),
        {
            "figure": "longest task while scrolling and filtering, ms",
            "value": float(max(tasks)) if tasks else "none over 50",
            "target": f"≤ {LONGEST_TASK}",
            "reached": max(tasks, default=0) <= LONGEST_TASK,
        },
        _row("requests, the file itself", float(len(requests)), 1),
    ]


def _steps(page: Any) -> list[Callable[[], object]]:
    """The actions of a reader: scrolling and filtering."""

    def scroll() -> None:
        for _ in range(30):
            page.mouse.wheel(0, 700)
            page.wait_for_timeout(25)

    def search() -> None:
        page.fill("[name=search]", "airport")
        page.wait_for_timeout(400)
        while page.inner_text("#count").startswith("searching"):
            page.wait_for_timeout(50)

    return [
        scroll,
        lambda: page.select_option("[name=verdict]", "fault"),
        lambda: page.select_option("[name=sort]", "worst:esa"),
        lambda: page.select_option("[name=system]", "NILC"),
        lambda: page.select_option("[name=compare]", "RALI"),
        scroll,
        lambda: page.click("[type=reset]"),
        search,
        lambda: page.click("#next"),
        scroll,
    ]
