"""`adequa human serve`: links, exports, a real server, and errors."""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from adequa.cli import app
from adequa.data import Item, Triple
from adequa.errors import AdequaError
from adequa.human.campaign.model import Campaign, SampledText
from adequa.human.campaign.settings import PRESETS, write_campaign


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    item = Item("Id1", (Triple("Alba", "port", "Oban"),), "The Alba sails from Oban.", "T5")
    campaign = Campaign("ferries", "Ferries", PRESETS["webnlg2017"], raters_per_text=1)
    texts = [SampledText(item, "1"), SampledText(Item("Id2", item.triples, "", "T5"), "1")]
    write_campaign(tmp_path / "campaign", campaign, texts)
    return tmp_path / "campaign"


@dataclass
class Done:
    """What a command came to, in this process: a second saved each time."""

    code: int
    words: str


def run(*arguments: object) -> Done:
    result = CliRunner().invoke(app, ["human", "serve", *map(str, arguments)])
    if isinstance(result.exception, AdequaError):
        return Done(2, str(result.exception))
    return Done(result.exit_code, result.output)


@pytest.fixture
def serving(folder: Path) -> Iterator[Any]:
    """Starts the command and reads its first line of JSON."""
    started: list[subprocess.Popen[str]] = []

    def start(*arguments: object) -> tuple[subprocess.Popen[str], dict[str, Any]]:
        code = "from adequa.cli import main; main()"
        process = subprocess.Popen(
            [sys.executable, "-u", "-c", code, "human", "serve", str(folder), "--port", "0",
             "--json", *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )  # fmt: skip
        started.append(process)
        assert process.stdout is not None
        lines = []
        while not lines or lines[-1] != "}\n":
            lines.append(process.stdout.readline())
            assert lines[-1], process.stderr.read() if process.stderr else ""
        return process, json.loads("".join(lines))

    yield start
    for process in started:
        process.kill()
        process.communicate()


def opened(link: str, form: bytes | None = None) -> tuple[str, str]:
    """The address and the page a link or a form leads to, in a browser that keeps cookies."""
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    with browser.open(link, form, timeout=20) as page:
        return page.url, page.read().decode()


def test_it_serves_and_the_links_stay_the_same(folder: Path, serving: Any) -> None:
    process, links = serving("--raters", 2, "--join")
    assert list(links["raters"]) == ["r001", "r002"]
    address, page = opened(links["raters"]["r002"])
    assert address.endswith("/")
    assert "r002" in page
    assert "Round 1" in opened(links["organiser"])[1]
    key = links["join"].partition("?")[0]
    assert 'value="worker"' in opened(links["join"] + "worker")[1]
    assert "/r/3-" in opened(key, b"id=worker")[1]
    file = folder / "links.tsv"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    rows = dict(line.split("\t") for line in file.read_text().splitlines())
    assert rows == {"organiser": links["organiser"], "join": links["join"], **links["raters"]}
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert "Traceback" not in errors
    assert links["organiser"].rpartition("/")[2] not in errors

    _, again = serving("--raters", 2, "--base-url", "https://study.org/ferries/")
    tails = [one["raters"]["r001"].rpartition("/")[2] for one in (links, again)]
    assert tails[0] == tails[1]
    assert again["raters"]["r001"].startswith("https://study.org/ferries/r/1-")
    assert list(again["raters"]) == ["r001", "r002", "r003"]
    assert again["join"] is None


def test_exports_without_serving(folder: Path, tmp_path: Path) -> None:
    for name, lines in (("ratings.jsonl", 3), ("ratings.csv", 4), ("factgenie.jsonl", 0)):
        done = run(folder, "--export", tmp_path / name)
        assert done.code == 0, done.words
        assert len((tmp_path / name).read_text().splitlines()) == lines
    done = run(folder, "--export", tmp_path / "ratings.xls")
    assert done.code == 2
    assert ".csv, .jsonl" in done.words


def test_a_port_in_use_is_reported(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = run(folder, "--port", taken.getsockname()[1])
    assert done.code == 2
    assert "choose another one with port=" in done.words


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--host", "no.such.host.invalid"], "host=…"),
        (["--base-url", "study.org"], "base_url=…"),
        (["--base-url", "https://study.org/?a=1"], "base_url=…"),
        (["--database", "mysql://a:secret@b/c"], "postgresql://"),
        (["--raters", "-1"], "--raters"),
    ],
)
def test_wrong_usage_is_reported(folder: Path, arguments: list[str], words: str) -> None:
    done = run(folder, *arguments)
    assert done.code == 2
    assert words in done.words
    assert "secret" not in done.words


def test_a_folder_without_a_campaign_is_refused(tmp_path: Path) -> None:
    done = run(tmp_path)
    assert done.code == 2
    assert "adequa human sample" in done.words


def test_an_open_host_is_warned_of(serving: Any) -> None:
    process, links = serving("--host", "0.0.0.0")
    assert "No raters yet" in opened(links["organiser"].replace("0.0.0.0", "127.0.0.1"))[1]
    process.send_signal(signal.SIGINT)
    errors = process.communicate(timeout=20)[1]
    assert "TLS" in errors
    assert "no raters yet" in errors


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="needs a user who is not root")
def test_a_folder_that_cannot_be_written(folder: Path) -> None:
    folder.chmod(0o500)
    done = run(folder)
    assert done.code == 2
    folder.chmod(0o700)


def test_a_missing_extra_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adequa.errors.find_spec", lambda _name: None)
    done = run(folder)
    assert done.code == 2
    assert "adequa[web]" in done.words
