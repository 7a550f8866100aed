"""`adequa serve` end to end: started, used, stopped, and refused."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from adequa.cli import app
from adequa.data import Item, Triple
from adequa.errors import AdequaError, ServiceError
from adequa.human.campaign.model import Campaign, SampledText
from adequa.human.campaign.settings import PRESETS, write_campaign
from adequa.metrics import resolve
from adequa.readers import open_source
from adequa.run import score_run
from adequa.web.client import Client

TOKEN = "0123456789abcdef-own"
LINE = '{"id": "1", "triples": [["MV_Alba", "homePort", "Oban"]], "text": "From Oban."}\n'
Start = Callable[..., tuple[str, subprocess.Popen[str]]]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts the command and waits for its address."""
    started: list[subprocess.Popen[str]] = []

    def run(*arguments: str) -> tuple[str, subprocess.Popen[str]]:
        code = "from adequa.cli import main; main()"
        process = subprocess.Popen(
            [sys.executable, "-c", code, "serve", "--port", "0", "--jobs", "1", *arguments],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, process.communicate()[1]
        return line.strip().removesuffix("/v1/openapi.json"), process

    yield run
    for process in started:
        process.kill()
        process.communicate()


def _run_folder(folder: Path) -> Path:
    (folder / "items.jsonl").write_text(LINE, encoding="utf-8")
    score_run(open_source(folder / "items.jsonl"), resolve(["chrf"]), folder / "ferries")
    return folder / "ferries"


def test_it_scores_keeps_runs_and_stops(start: Start, tmp_path: Path) -> None:
    folder = _run_folder(tmp_path)
    arguments = ("-m", "esa", "--folder", "kept", str(folder))
    url, process = start(*arguments)
    with Client(url) as client:
        assert client.score("MV_Alba | homePort | Oban", "From Oban.").scores == {"esa": 0.5}
        run = client.wait(client.start_run(tmp_path / "items.jsonl").id, every=0.1)
        assert [one.name for one in client.runs()] == ["ferries", "items.jsonl"]
        again = ["serve", "-m", "chrf", "--port", "0", "--folder", str(tmp_path / "kept")]
        second = CliRunner().invoke(app, again)
        assert "another process" in str(second.exception)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode in (0, -signal.SIGINT, 130), said
    assert "Traceback" not in said
    url, _ = start(*arguments)
    with Client(url) as client:
        assert client.run(run.id) == run


@pytest.mark.skipif(os.name == "nt", reason="signals are not what they are here")
def test_workers_end_with_a_server_that_is_killed(start: Start) -> None:
    _, process = start("-m", "chrf")
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    if not children.exists():
        pytest.skip("this system does not list a process's children")
    workers = [int(child) for child in children.read_text().split()]
    assert workers
    process.kill()
    process.communicate(timeout=60)
    ends = time.monotonic() + 20
    while any(_lives(worker) for worker in workers):
        assert time.monotonic() < ends, "a worker outlived its server"
        time.sleep(0.1)


def _lives(pid: int) -> bool:
    try:
        return bool(Path(f"/proc/{pid}/cmdline").read_bytes())
    except OSError:
        return False


def test_another_host_needs_a_token(start: Start, tmp_path: Path) -> None:
    (tmp_path / "token").write_text(TOKEN + "\nnot this\n", encoding="utf-8")
    url, _ = start("-m", "chrf", "--host", "0.0.0.0", "--token-file", "token")
    local = url.replace("0.0.0.0", "127.0.0.1")
    with Client(local, token=TOKEN) as client:
        assert client.health()["status"] == "ok"
    with Client(local) as client, pytest.raises(ServiceError, match=r"\(401\)"):
        client.health()


def test_json_for_machines(start: Start) -> None:
    _, process = start("-m", "chrf", "--json")
    assert process.stdout is not None
    rest = [process.stdout.readline() for _ in range(7)]
    raw = json.loads("{" + "".join(rest))
    assert raw["url"].startswith("http://127.0.0.1:")
    assert (raw["metrics"], raw["jobs"]) == (["chrf"], 1)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--host", "0.0.0.0"], "needs a token"),
        (["--host", "no-such-host.invalid", "--token-file", "good"], "is unknown"),
        (["--token-file", "none"], "none: cannot be read; name a file with a token"),
        (["--token-file", "short"], "not a token of 16 or more characters"),
        (["--max-body", "much"], "'much' is not a size"),
        (["-m", "esaa"], "did you mean 'esa'"),
        (["nowhere"], "nowhere is not a folder"),
        (["--folder", "good"], "good is not a folder"),
    ],
)
def test_what_cannot_be_served(
    arguments: list[str], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good").write_text(TOKEN, encoding="utf-8")
    (tmp_path / "short").write_text("short", encoding="utf-8")
    result = CliRunner().invoke(app, ["serve", "--port", "0", *arguments])
    assert isinstance(result.exception, AdequaError), result.output
    assert words in str(result.exception)


def test_help_shows_an_example() -> None:
    result = CliRunner().invoke(app, ["serve", "--help"])
    assert result.exit_code == 0
    assert "Example: adequa serve" in result.output


def _page(opener: urllib.request.OpenerDirector, url: str) -> str:
    request = urllib.request.Request(url, headers={"Accept": "text/html"})
    with opener.open(request, timeout=30) as response:
        return str(response.read().decode())


def test_pages_of_runs_and_campaigns_by_the_printed_link(start: Start, tmp_path: Path) -> None:
    (tmp_path / "token").write_text(TOKEN + "\n", encoding="utf-8")
    item = Item("Id1", (Triple("MV_Alba", "homePort", "Oban"),), "MV Alba of Oban.", "T5")
    rules = Campaign("ferries", "Ferries, judged", PRESETS["webnlg2017"], raters_per_text=1)
    write_campaign(tmp_path / "study", rules, [SampledText(item, "1")])
    folder = _run_folder(tmp_path)
    link, _ = start("-m", "chrf", "--token-file", "token", str(folder), str(tmp_path / "study"))
    assert "/in/" in link
    assert TOKEN not in link
    known = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    page = _page(known, link)
    assert "ferries" in page
    assert "Ferries, judged" in page
    stranger = urllib.request.build_opener()
    with pytest.raises(urllib.error.HTTPError, match="401"):
        _page(stranger, link.partition("/in/")[0])


def test_the_api_alone(start: Start) -> None:
    url, _ = start("-m", "chrf", "--api-only")
    assert json.loads(_page(urllib.request.build_opener(), f"{url}/v1/health"))["status"] == "ok"
    for path in ("/", "/live", "/static/live.js"):
        with pytest.raises(urllib.error.HTTPError, match="404"):
            _page(urllib.request.build_opener(), url + path)
