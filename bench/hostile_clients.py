"""Clients that mean harm: bodies that are slow to parse, and connections that send half a head.

The bodies go to `adequa serve` while another thread asks `/v1/health` again and again; the
half-open connections go to `adequa human serve`, which may have 1,024 open files, while raters sign
in. Times include what else the machine does.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import resource
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from adequa.human.campaign.model import Campaign
from adequa.human.campaign.settings import PRESETS, write_campaign
from bench.human_load import sample

NAMES = 80_000
HALF_OPEN = 1_100
FILES = 1_024
RATERS = 20
_MAIN = "from adequa.cli import main; main()"

Row = dict[str, object]


def measure(data: Path) -> list[Row]:
    """The times of answers, and the raters who were served."""
    del data
    with _started(["serve", "-m", "esa", "--api-only", "--jobs", "1", "--json"]) as started:
        rows = _bodies(str(started["url"]))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "campaign"
        write_campaign(folder, Campaign("load", "Load", PRESETS["webnlg2017"]), sample(20, 2))
        command = ["human", "serve", str(folder), "--raters", str(RATERS), "--json"]
        with _started(command, files=FILES) as started:
            rows += _half_open(dict(started["raters"]))  # type: ignore[call-overload]
    return rows


def _bodies(url: str) -> list[Row]:
    names = [f'"k{number}": 1' for number in range(NAMES)]
    twice = ("{" + ", ".join([*names, names[-1]]) + "}").encode()
    within = "{" + ", ".join([*names[: NAMES // 2], names[0]]) + "}"
    facts = " && ".join(["Aarhus_Airport | cityServed | Aarhus"] * 200_000)
    values = b'{"meta": {"a": [' + b",".join([b'"a"'] * 240_000) + b"]}}"
    rows = []
    for what, body in (
        (f"{NAMES:,} names, one of them twice", twice),
        (f"{NAMES // 2:,} names, one of them twice", within.encode()),
        ("200,000 triples in a string", json.dumps({"triples": facts, "text": "x"}).encode()),
        ("240,000 strings in a list", values),
    ):
        seconds, status, slowest = _answered(url, body)
        size = f"{len(body) / 1e6:.1f} MB: {what}"
        rows.append(_row(f"{size}: refused, after seconds", seconds, "≤ 1", seconds <= 1))
        rows[-1]["reached"] = seconds <= 1 and 400 <= status < 500
        health = f"{size}: slowest /v1/health meanwhile, ms"
        rows.append(_row(health, slowest * 1000, "≤ 100", slowest <= 0.1))
    return rows


def _answered(url: str, body: bytes) -> tuple[float, int, float]:
    """Seconds and status of an answer, and the slowest answer of /v1/health during that time."""
    over = threading.Event()
    times: list[float] = []

    def ask() -> None:
        connection = _connection(url)
        while not over.is_set():
            started = time.perf_counter()
            connection.request("GET", "/v1/health")
            connection.getresponse().read()
            times.append(time.perf_counter() - started)

    asking = threading.Thread(target=ask)
    asking.start()
    while len(times) < 20:
        time.sleep(0.01)
    times.clear()
    connection = _connection(url)
    started = time.perf_counter()
    connection.request("POST", "/v1/score", body, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    answer.read()
    seconds = time.perf_counter() - started
    over.set()
    asking.join()
    return seconds, answer.status, max(times)


def _half_open(links: dict[str, str]) -> list[Row]:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, 2 * HALF_OPEN), most))
    split = urlsplit(next(iter(links.values())))
    address = split.hostname or "", split.port or 80
    with contextlib.ExitStack() as stack:
        for _ in range(HALF_OPEN):
            half = stack.enter_context(socket.create_connection(address, timeout=30))
            half.sendall(b"GET / HTTP/1.1\r\nHost: local")
        served, slowest = 0, 0.0
        for link in links.values():
            started = time.perf_counter()
            served += _is_served(link)
            slowest = max(slowest, time.perf_counter() - started)
    figure = f"{HALF_OPEN:,} half-open connections, {FILES:,} files: raters served"
    return [
        _row(figure, f"{served} of {len(links)}", f"{len(links)}", served == len(links)),
        _row("slowest of their first pages, seconds", slowest, "≤ 5", slowest <= 5),
    ]


def _is_served(link: str) -> bool:
    """Whether a rater who opens their link gets a text."""
    connection = _connection(link)
    with contextlib.suppress(OSError, http.client.HTTPException), contextlib.closing(connection):
        connection.request("GET", urlsplit(link).path)
        response = connection.getresponse()
        response.read()
        cookie = (response.headers["set-cookie"] or "").partition(";")[0]
        connection.request("GET", "/text", headers={"Cookie": cookie})
        response = connection.getresponse()
        return response.status == 200 and b"The data" in response.read()
    return False


def _connection(url: str) -> http.client.HTTPConnection:
    split = urlsplit(url)
    return http.client.HTTPConnection(split.hostname or "", split.port, timeout=60)


@contextlib.contextmanager
def _started(words: list[str], files: int | None = None) -> Iterator[dict[str, object]]:
    """A server on a free port, with the JSON that it prints."""
    limit = (
        ""
        if files is None
        else f"import resource as r; r.setrlimit(r.RLIMIT_NOFILE, ({files}, {files})); "
    )
    command = [sys.executable, "-u", "-c", limit + _MAIN, *words, "--port", "0"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        if process.stdout is None:
            raise RuntimeError("the server has no output")
        lines: list[str] = []
        while not lines or lines[-1] != "}\n":
            lines.append(process.stdout.readline())
            if not lines[-1]:
                raise RuntimeError("the server did not start")
        printed = json.loads("".join(lines))
        _wait_for(next(iter(printed.values())))
        yield printed
    finally:
        process.kill()
        process.wait()


def _wait_for(url: str) -> None:
    # The links of a campaign are printed before it listens.
    for _ in range(300):
        connection = _connection(url)
        with contextlib.suppress(OSError), contextlib.closing(connection):
            connection.request("HEAD", "/")
            connection.getresponse()
            return
        time.sleep(0.1)


def _row(figure: str, value: object, target: str, reached: bool) -> Row:
    return {"figure": figure, "value": value, "target": target, "reached": reached}
