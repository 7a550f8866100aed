"""A campaign under load: 200 raters at once against the real server, which is killed meanwhile.

For SQLite and, where the machine has it, PostgreSQL, one campaign of three phases: as fast as the
server lets 200 raters answer (its capacity); at half of that, for the times; and as fast as it
goes again until nothing is left, with the server killed by SIGKILL and started again in the middle.
Times are of this machine, where the raters' own process takes its share.
"""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Coroutine, Iterator, Sequence
from pathlib import Path

from adequa.data import Item, Triple
from adequa.human.campaign.model import Campaign, NothingLeft, Overview, SampledText
from adequa.human.campaign.settings import PRESETS, write_campaign
from adequa.human.campaign.store import CampaignStore
from bench.campaign_raters import Crowd, SimulatedRater
from bench.postgres import binaries, free_port, server

RATERS = 200
INPUTS, SYSTEMS, PER_TEXT = 120, 10, 3
WARM_UP_SECONDS, CAPACITY_SECONDS, HALF_SECONDS = 5.0, 8.0, 20.0
KILL_AFTER = 3.0
MOST_TIMES_MEDIAN = 10
CLAIM_MILLISECONDS = 10.0

Row = dict[str, object]


def measure(data: Path) -> list[Row]:
    """Lost or doubled answers, texts judged too often, unfilled cells, and times."""
    del data
    rows = _claims()
    with tempfile.TemporaryDirectory() as name:
        rows += _load("SQLite", Path(name) / "campaign", None)
        folder = binaries()
        if folder is None:
            sys.stderr.write("no PostgreSQL on this machine: left out\n")
            return rows
        with server(folder) as url:
            rows += _load("PostgreSQL", Path(name) / "other", url)
    return rows


def sample(inputs: int, systems: int) -> list[SampledText]:
    """Every system's text of every input, in five tasks by size and three cells per task."""
    return [
        SampledText(
            Item(
                f"Id{number}",
                tuple(Triple("Ferry", f"port{one}", "Oban") for one in range(number % 5 + 1)),
                f"Ferry {number} calls at Oban.",
                f"S{system}",
            ),
            f"{number % 5 + 1}",
            {"size": str(number % 5 + 1), "difficulty": str(number % 3)},
        )
        for number in range(inputs)
        for system in range(systems)
    ]


def _claims() -> list[Row]:
    """The store alone, on a sample of the paper's size."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "campaign"
        write_campaign(folder, _campaign(), sample(223, SYSTEMS))
        store = CampaignStore.open(folder)
        seconds = []
        for rater in store.add_raters(10):
            for _ in range(30):
                started = time.perf_counter()
                page = store.next_page(rater.number)
                seconds.append(time.perf_counter() - started)
                if not isinstance(page, NothingLeft):
                    raw = {question.name: 1 for question in store.campaign.questions}
                    store.answer(rater.number, page.slot, raw, 1.0)
        store.close()
    median = statistics.median(seconds) * 1000
    return [
        {
            "figure": f"handing out one of {223 * SYSTEMS:,} texts × {PER_TEXT}, store alone: ms",
            "value": median,
            "target": f"≤ {CLAIM_MILLISECONDS:g}",
            "reached": median <= CLAIM_MILLISECONDS,
        }
    ]


def _campaign() -> Campaign:
    return Campaign("load", "Load", PRESETS["webnlg2017"], raters_per_text=PER_TEXT)


def _load(name: str, folder: Path, url: str | None) -> list[Row]:
    write_campaign(folder, _campaign(), sample(INPUTS, SYSTEMS))
    port = free_port()
    questions = tuple(question.name for question in _campaign().questions)
    crowd = Crowd(port, questions)
    with contextlib.ExitStack() as stack:
        running = [stack.enter_context(_serving(folder, port, url))]
        raters = _raters(folder, crowd)
        # All begin at once, so the first of each come in step: let them spread first.
        capacity, _ = asyncio.run(_phase(crowd, raters, CAPACITY_SECONDS, WARM_UP_SECONDS))
        sys.stderr.write(f"{name}: {capacity:.0f} answers per second\n")
        crowd.period = RATERS / (capacity / 2)
        rate, times = asyncio.run(_phase(crowd, raters, HALF_SECONDS, WARM_UP_SECONDS))
        middle = _overview(folder, url)
        crowd.period = 0.0
        before: list[int] = []

        async def kill() -> None:
            await asyncio.sleep(KILL_AFTER)
            before.append(len(crowd.accepted))
            running[0].kill()
            running[0].wait()
            running[0] = stack.enter_context(_serving(folder, port, url, wait=False))

        asyncio.run(_phase(crowd, raters, None, meanwhile=kill()))
    sys.stderr.write(f"{name}: {crowd.retries} requests met no server and were sent again\n")
    for problem in crowd.problems[:5]:
        sys.stderr.write(f"{name}: {problem}\n")
    after = len(crowd.accepted) - before[0]
    killed: Row = {
        "figure": f"{name}: answers before and after the server was killed",
        "value": f"{before[0]:,} / {after:,}",
        "target": "some after",
        "reached": after > 0,
    }
    checks = _checks(name, folder, url, crowd, middle)
    return [*_times(name, capacity, rate, times), killed, *checks]


async def _phase(
    crowd: Crowd,
    raters: Sequence[SimulatedRater],
    seconds: float | None,
    warm_up: float = 0.0,
    meanwhile: Coroutine[object, object, None] | None = None,
) -> tuple[float, tuple[list[float], list[float]]]:
    """Let the raters work for a time or to the end: answers per second, and their times."""
    crowd.stopping = False
    work = [asyncio.create_task(rater.work()) for rater in raters]
    await asyncio.sleep(warm_up)
    crowd.answering.clear()
    crowd.showing.clear()
    started = time.perf_counter()
    if meanwhile is not None:
        await meanwhile
    if seconds is not None:
        await asyncio.sleep(seconds)
        crowd.stopping = True
    # An answer is two requests, and raters in step send many of one kind and then of the other.
    requests = len(crowd.answering) + len(crowd.showing)
    rate = requests / 2 / (time.perf_counter() - started)
    times = list(crowd.answering), list(crowd.showing)
    await asyncio.gather(*work)
    return rate, times


def _times(
    name: str, capacity: float, rate: float, times: tuple[list[float], list[float]]
) -> list[Row]:
    answering, showing = (sorted(one) for one in times)
    median, last = _at(answering, 0.5), _at(answering, 0.99)
    shown = f"{_at(showing, 0.5) * 1000:.0f} / {_at(showing, 0.99) * 1000:.0f}"
    return [
        {
            "figure": f"{name}: {RATERS} raters at once, answers per second",
            "value": capacity,
            "target": "–",
            "reached": True,
        },
        {
            "figure": f"{name}: an answer at half of that ({rate:.0f}/s), p50 / p99 in ms",
            "value": f"{median * 1000:.0f} / {last * 1000:.0f}",
            "target": f"p99 ≤ {MOST_TIMES_MEDIAN} × p50",
            "reached": last <= MOST_TIMES_MEDIAN * median,
        },
        {
            "figure": f"{name}: the next text at half of that, p50 / p99 in ms",
            "value": shown,
            "target": "–",
            "reached": True,
        },
    ]


def _checks(name: str, folder: Path, url: str | None, crowd: Crowd, middle: Overview) -> list[Row]:
    """The answers in the database against those that were confirmed to the raters."""
    store = CampaignStore.open(folder, url=url)
    found = Counter[tuple[int, str, str, str]]()
    values: dict[tuple[int, str, str, str], float] = {}
    for one in store.ratings():
        key = int(one.rater[1:]), one.system, one.id, one.criterion
        found[key] += 1
        values[key] = one.value
    told = {
        (rater, *_key(store, rater, slot), criterion): float(value)
        for (rater, slot), given in crowd.accepted.items()
        for criterion, value in given.items()
    }
    wrong = sum(values.get(key) != value or found[key] != 1 for key, value in told.items())
    wrong += len(values.keys() - told.keys())
    counts = Counter(
        (system, item) for _, system, item, criterion in found if criterion == "fluency"
    )
    overview = store.overview()
    store.close()
    # Cells differ in size by nothing here, so their shares may be compared.
    shares = [cell.tally.answered / cell.tally.needed for cell in middle.cells]
    least, most = min(shares), max(shares)
    return [
        _none(f"{name}: of {len(crowd.accepted):,} answers, lost, doubled or changed", wrong),
        _none(
            f"{name}: texts with more than {PER_TEXT} answers",
            sum(n > PER_TEXT for n in counts.values()),
        ),
        _none(f"{name}: judgments open at the end, server killed on the way", overview.total.open),
        _none(f"{name}: requests refused or broken", len(crowd.problems)),
        {
            "figure": f"{name}: least and most filled cell in the middle of the campaign",
            "value": f"{least:.0%} / {most:.0%}",
            "target": "least ≥ half of most",
            "reached": least >= most / 2,
        },
    ]


def _key(store: CampaignStore, rater: int, slot: int) -> tuple[str, str]:
    page = store.page(rater, slot)
    return ("", "") if page is None else page.text.item.key


def _none(figure: str, value: int) -> Row:
    return {"figure": figure, "value": value, "target": "0", "reached": value == 0}


def _at(values: Sequence[float], share: float) -> float:
    return values[min(len(values) - 1, int(share * len(values)))]


def _overview(folder: Path, url: str | None) -> Overview:
    store = CampaignStore.open(folder, url=url)
    seen = store.overview()
    store.close()
    return seen


def _raters(folder: Path, crowd: Crowd) -> list[SimulatedRater]:
    rows = [line.split("\t") for line in (folder / "links.tsv").read_text().splitlines()]
    links = [(who, link) for who, link in rows if who.startswith("r")]
    return [SimulatedRater(crowd, int(who[1:]), link) for who, link in links]


@contextlib.contextmanager
def _serving(
    folder: Path, port: int, url: str | None, *, wait: bool = True
) -> Iterator[subprocess.Popen[bytes]]:
    code = "from adequa.cli import main; main()"
    options = ["--raters", str(RATERS), "--port", str(port)]
    options += ["--database", url] if url else []
    command = [sys.executable, "-c", code, "human", "serve", str(folder), *options]
    with (folder / "server.log").open("ab") as log:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=log)
    try:
        while wait and not _answers(port):
            if process.poll() is not None:
                raise RuntimeError((folder / "server.log").read_text())
            time.sleep(0.1)
        yield process
    finally:
        process.kill()
        process.wait()


def _answers(port: int) -> bool:
    # The port is bound before the links are written: only a response says that it serves.
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    with contextlib.suppress(OSError), contextlib.closing(connection):
        connection.request("HEAD", "/")
        return connection.getresponse().status > 0
    return False
