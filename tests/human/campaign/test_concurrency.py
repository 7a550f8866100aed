"""Threads and processes at once on one database: never over N, never twice, nothing lost."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from adequa.human.campaign.model import NothingLeft, Page
from adequa.human.campaign.store import CampaignStore

from .conftest import sample

WORKER = str(Path(__file__).with_name("worker.py"))


def start(folder: Path, url: str | None, **settings: object) -> subprocess.Popen[str]:
    command = [sys.executable, WORKER, str(folder), url or "", json.dumps(settings)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def finished(processes: list[subprocess.Popen[str]]) -> list[list[object]]:
    outcomes = []
    for process in processes:
        out, _ = process.communicate(timeout=120)
        assert process.returncode == 0
        outcomes += json.loads(out)
    return outcomes


def check(store: CampaignStore, outcomes: list[list[object]], needed: int) -> None:
    """Every answer that was said to be stored is there, once, and no other."""
    stored = {
        (rater, system, name): value
        for rater, system, name, value, outcome in outcomes
        if outcome != "gone"
    }
    times = Counter(
        (rater, system, name) for rater, system, name, _, o in outcomes if o == "stored"
    )
    assert set(times.values()) <= {1}
    ratings = [one for one in store.ratings(every=True) if one.rater]
    found = {(int(one.rater[1:]), one.system, one.id): int(one.value) for one in ratings}
    assert len(found) == len(ratings)
    assert found == stored
    counts = Counter((one.system, one.id) for one in store.ratings() if one.rater)
    assert max(counts.values()) <= needed


def test_processes_that_open_a_new_campaign_at_once_share_it_well(make_campaign, database):
    folder = make_campaign(sample(9, 3, tasks=2), raters_per_text=2)
    numbers = [[1, 4, 7], [2, 5, 8], [3, 6, 9]]
    outcomes = finished(
        [start(folder, database, raters=raters, clock=0, threads=3) for raters in numbers]
    )
    store = CampaignStore.open(folder, url=database)
    check(store, outcomes, 2)
    total = store.overview().total
    assert (total.needed, total.answered, total.held) == (52, 52, 0)
    assert {outcome for *_, outcome in outcomes} <= {"stored", "already"}
    store.close()


def test_texts_taken_back_at_any_moment_are_neither_lost_nor_judged_too_often(
    make_campaign, database
):
    folder = make_campaign(sample(9, 3), raters_per_text=2, return_after=10)
    # One clock is an hour ahead: that process takes back whatever the others hold.
    fast = start(folder, database, raters=[1, 2, 3, 4], clock=3600, threads=4)
    slow = start(folder, database, raters=[5, 6, 7, 8], clock=0, threads=4)
    outcomes = finished([fast, slow])
    store = CampaignStore.open(folder, url=database)
    check(store, outcomes, 2)
    total = store.overview().total
    assert (total.needed, total.answered) == (52, 52)
    store.close()


def test_a_round_may_begin_while_people_answer(make_campaign, database):
    folder = make_campaign(sample(8, 3), raters_per_text=3, texts_per_rater=12)
    store = CampaignStore.open(folder, url=database)
    store.add_raters(10)
    outcomes: list[list[object]] = []

    def work(rater: int) -> None:
        while isinstance(page := store.next_page(rater), Page):
            outcome = store.answer(rater, page.slot, {"sense": 1}, 1.0)
            outcomes.append([rater, *page.text.item.key, 1, outcome])
            if rater == 1 and store.rater(1).status == "eligible" and len(outcomes) > 20:
                began.set()

    began = threading.Event()

    def exclude() -> None:
        began.wait(10)
        store.start_round(exclude=["r001", "r002"])

    with ThreadPoolExecutor(9) as threads:
        list(threads.map(lambda rater: exclude() if rater == 0 else work(rater), range(9)))
    check(store, outcomes, 3)
    for rater in (9, 10):
        work(rater)
    assert {one.rater for one in store.ratings()} & {"r001", "r002"} == set()
    assert all(
        text.needed == 3 * 8 - 3 * (name == "S0") for name, text in store.overview().systems.items()
    )
    store.close()


def test_one_rater_on_many_devices_at_once_holds_one_text(make_campaign, database):
    store = CampaignStore.open(make_campaign(sample(8, 3)), url=database)
    store.join("x")
    with ThreadPoolExecutor(8) as threads:
        pages = list(threads.map(lambda _: store.next_page(1), range(16)))
        assert not any(isinstance(page, NothingLeft) for page in pages)
        (slot,) = {page.slot for page in pages}
        values = [{"sense": 1}] * 16
        outcomes = list(threads.map(lambda raw: store.answer(1, slot, raw, 1.0), values))
        assert Counter(outcomes) == {"stored": 1, "already": 15}
        joined = set(threads.map(lambda _: store.join("y").number, range(16)))
        assert len(joined) == 1
    store.close()


def test_many_who_begin_at_once_are_spread_over_the_tasks(make_campaign, database):
    store = CampaignStore.open(make_campaign(sample(12, 2, tasks=4)), url=database)
    together = threading.Barrier(12)

    def begin(rater: int) -> None:
        together.wait(10)
        assert isinstance(store.next_page(rater), Page)

    with ThreadPoolExecutor(12) as threads:
        list(threads.map(begin, [rater.number for rater in store.add_raters(12)]))
    counts = Counter(rater.task for rater in store.raters())
    store.close()
    assert len(counts) == 4
    assert max(counts.values()) - min(counts.values()) <= 1
