"""The store of a campaign, used by one person and by many at once."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from adequa.errors import AdequaError, DataError, ServiceError, UnknownName
from adequa.human.campaign.model import Eligibility, NothingLeft, Page
from adequa.human.campaign.settings import SPANS
from adequa.human.campaign.store import CampaignStore

from .conftest import QUESTION, sample


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def opened(make_campaign, database, clock):
    """Opens a store on a new campaign; closed after the test."""
    stores = []

    def open_store(texts, **fields):
        stores.append(CampaignStore.open(make_campaign(texts, **fields), url=database, clock=clock))
        return stores[-1]

    yield open_store
    for store in stores:
        store.close()


def work(
    store: CampaignStore, number: int, most: int = 1000, **options: bool
) -> NothingLeft | None:
    """Answer what comes until nothing does, or so many."""
    for _ in range(most):
        page = store.next_page(number, **options)
        if isinstance(page, NothingLeft):
            return page
        assert store.answer(number, page.slot, {"sense": 1}, 2.0) == "stored"
    return None


def test_a_rater_gets_every_text_once_and_a_text_no_more_than_n_raters(opened):
    store = opened(sample(4, 2), raters_per_text=2)
    raters = store.add_raters(3)
    assert [rater.name for rater in raters] == ["r001", "r002", "r003"]
    assert [work(store, rater.number).reason for rater in raters[:2]] == ["finished task"] * 2
    assert work(store, raters[2].number).reason == "nothing left"
    ratings = list(store.ratings())
    counts = Counter((rating.system, rating.id) for rating in ratings if rating.rater)
    assert set(counts.values()) == {2}
    assert len(counts) == 7
    assert max(Counter((one.system, one.id, one.rater) for one in ratings).values()) == 1
    (empty,) = (one for one in ratings if not one.rater)
    assert (empty.system, empty.id, empty.value) == ("S0", "Id3", 1.0)
    assert empty.meta == {"not_shown": "empty"}


def test_a_held_text_comes_back_until_it_is_answered(opened):
    store = opened(sample(4, 2))
    (rater,) = store.add_raters(1)
    page = store.next_page(rater.number)
    assert isinstance(page, Page)
    assert page.draft == {}
    assert store.save_draft(rater.number, page.slot, {"sense": 2, "note": "\0 \ud800"}, 4.5)
    again = store.next_page(rater.number)
    assert again == store.page(rater.number, page.slot)
    assert again.draft == {"sense": 2, "note": "\0 \ud800"}
    assert (again.slot, again.seconds) == (page.slot, 4.5)
    assert store.save_draft(rater.number, page.slot, {}, 1.0)  # a second device, later
    assert store.answer(rater.number, page.slot, {"sense": 2}, 2.0) == "stored"
    (rating,) = (one for one in store.ratings() if one.rater)
    assert (rating.value, rating.seconds, rating.round, rating.rater) == (2.0, 4.5, "1", "r001")


def test_answers_are_idempotent_and_corrections_keep_what_was(opened):
    store = opened(sample(4, 2))
    (rater,) = store.add_raters(1)
    assert store.previous(rater.number) is None
    slot = store.next_page(rater.number).slot
    outcomes = [store.answer(rater.number, slot, {"sense": 1}, 3.0) for _ in range(3)]
    assert outcomes == ["stored", "already", "already"]
    following = store.next_page(rater.number)
    page = store.previous(rater.number)
    assert (page.slot, page.draft, page.seconds) == (slot, {"sense": 1.0}, 3.0)
    assert store.save_draft(rater.number, slot, {"sense": 2}, 5.0)
    assert store.answer(rater.number, slot, {"sense": 2}, 8.0) == "stored"
    assert [one.value for one in store.ratings() if one.rater] == [2.0]
    assert store.next_page(rater.number).slot == following.slot
    assert store.overview().total.answered == 1


def test_a_rater_meets_only_their_own(opened):
    store = opened(sample(4, 2))
    first, second = store.add_raters(2)
    slot = store.next_page(first.number).slot
    assert store.page(second.number, slot) is None
    assert store.answer(second.number, slot, {"sense": 1}, 1.0) == "gone"
    assert not store.save_draft(second.number, slot, {}, 1.0)
    for number, other in (
        (first.number, 10**6),
        (first.number, 10**30),
        (99, slot),
        (10**30, slot),
    ):
        assert store.page(number, other) is None
        assert store.answer(number, other, {"sense": 1}, 1.0) == "gone"
        assert not store.save_draft(number, other, {}, 1.0)
    assert store.rater(99) is store.rater(10**30) is None
    with pytest.raises(DataError, match="no rater 99"):
        store.next_page(99)


def test_wrong_answers_and_drafts_are_refused_and_change_nothing(opened):
    store = opened(sample(4, 2))
    (rater,) = store.add_raters(1)
    slot = store.next_page(rater.number).slot
    with pytest.raises(DataError, match="sense"):
        store.answer(rater.number, slot, {"sense": 9}, 1.0)
    with pytest.raises(DataError, match="time"):
        store.answer(rater.number, slot, {"sense": 1}, float("nan"))
    for draft in ({"x": float("nan")}, {"x": object()}):
        with pytest.raises(DataError, match="not JSON"):
            store.save_draft(rater.number, slot, draft, 1.0)
    assert store.page(rater.number, slot).draft == {}


def test_a_text_without_a_sign_of_life_returns_to_the_pool(opened, clock):
    store = opened(sample(1, 2), raters_per_text=1, return_after=100)
    first, second = store.add_raters(2)
    slot = store.next_page(first.number).slot
    assert store.next_page(second.number).reason == "waiting"
    clock.now += 90
    assert store.save_draft(first.number, slot, {"sense": 2}, 1.0)
    clock.now += 90
    assert store.return_stale() == 0
    assert store.next_page(second.number).reason == "waiting"
    clock.now += 11
    page = store.next_page(second.number)
    assert page.slot == slot
    assert page.draft == {}
    assert store.answer(first.number, slot, {"sense": 1}, 1.0) == "gone"
    assert not store.save_draft(first.number, slot, {}, 1.0)
    clock.now += 101
    assert store.return_stale() == 1
    # Late, but nobody else has it: stored.
    assert store.answer(first.number, slot, {"sense": 1}, 1.0) == "stored"
    assert store.answer(second.number, slot, {"sense": 1}, 1.0) == "gone"
    assert store.answer(first.number, slot, {"sense": 1}, 1.0) == "already"
    assert store.next_page(second.number).reason == "nothing left"


def test_a_draft_wakes_a_text_that_had_gone_back(opened, clock):
    store = opened(sample(2, 2), raters_per_text=2, return_after=100)
    (first,) = store.add_raters(1)
    page = store.next_page(first.number)
    clock.now += 101
    assert store.return_stale() == 1
    assert store.save_draft(first.number, page.slot, {"sense": 2}, 9.0)
    assert store.overview().total.held == 1
    assert store.next_page(first.number).text == page.text
    assert store.next_page(first.number).draft == {"sense": 2}


def test_a_late_answer_does_not_break_the_limit(opened, clock):
    store = opened(sample(5, 1), raters_per_text=1, return_after=100, texts_per_rater=1)
    (rater,) = store.add_raters(1)
    late = store.next_page(rater.number)
    clock.now += 101
    store.return_stale()
    # Others hold all four; one who does not hold that text is sent away, and its text is free.
    held = {other.name: store.next_page(other.number).text for other in store.add_raters(4)}
    away = next(name for name, text in held.items() if text != late.text)
    assert store.start_round(exclude=[away]).returned == 1
    now = store.next_page(rater.number)
    assert now.text == held[away]
    assert store.answer(rater.number, now.slot, {"sense": 1}, 1.0) == "stored"
    clock.now += 101
    assert store.return_stale() == 3
    assert store.answer(rater.number, late.slot, {"sense": 1}, 1.0) == "gone"
    assert not store.save_draft(rater.number, late.slot, {}, 1.0)
    assert store.next_page(rater.number).reason == "finished task"


def test_a_task_at_a_time_up_to_the_limit_and_another_if_asked_for(opened):
    store = opened(sample(9, 2, tasks=3), texts_per_rater=4)
    (rater,) = store.add_raters(1)
    tasks = []
    for _ in range(3):
        nothing = work(store, rater.number)
        assert nothing.reason == "finished task"
        assert (nothing.progress.done, nothing.progress.limit) == (4, 4)
        tasks.append(nothing.progress.task)
        page = store.next_page(rater.number, another_task=True)
        assert isinstance(page, Page) is nothing.more is (len(tasks) < 3)
    assert sorted(tasks) == ["task 0", "task 1", "task 2"]
    assert nothing.progress.total_done == 12
    assert page == replace(nothing, more=False)


def test_who_asks_for_another_task_first_finishes_this_one(opened):
    store = opened(sample(9, 2, tasks=3), texts_per_rater=4)
    (rater,) = store.add_raters(1)
    work(store, rater.number, 2, another_task=True)
    assert store.next_page(rater.number, another_task=True).progress.done == 2


def test_raters_begin_where_most_is_needed(opened):
    store = opened(sample(9, 2, tasks=3))
    for rater in store.add_raters(6):
        assert isinstance(store.next_page(rater.number), Page)
    tasks = Counter(rater.task for rater in store.raters())
    assert tasks == {"task 0": 2, "task 1": 2, "task 2": 2}


def test_eligibility_is_judged_once(opened):
    asked = (Eligibility("english", "Do you read English?", ("yes", "no"), ("yes",)),)
    store = opened(sample(2, 2), eligibility=asked)
    first, second = store.add_raters(2)
    assert first.status == "new"
    assert store.next_page(first.number).reason == "new"
    with pytest.raises(DataError, match="english"):
        store.judge_eligibility(first.number, {"english": "perhaps"})
    with pytest.raises(DataError, match="english"):
        store.judge_eligibility(first.number, {})
    assert store.judge_eligibility(first.number, {"english": "yes"}).status == "eligible"
    assert store.judge_eligibility(second.number, {"english": "no"}).status == "refused"
    assert store.judge_eligibility(second.number, {"english": "yes"}).status == "refused"
    assert isinstance(store.next_page(first.number), Page)
    assert store.next_page(second.number).reason == "refused"
    with pytest.raises(DataError, match="no rater 9"):
        store.judge_eligibility(9, {"english": "yes"})


def test_who_joins_twice_is_the_same(opened):
    store = opened(sample(2, 2))
    first, is_new = store.join("5f2b")
    assert is_new
    assert store.join("5f2b") == (first, False)
    assert store.join("5F2B")[0].number != first.number
    assert first.external == "5f2b"
    with pytest.raises(DataError, match="empty"):
        store.join(" ")
    with pytest.raises(DataError):
        store.add_raters(-1)


def test_another_round_fills_exactly_the_gaps(opened):
    store = opened(sample(4, 2), raters_per_text=2)
    first, second, third = store.add_raters(3)
    work(store, first.number)
    work(store, second.number, 4)
    held = store.next_page(second.number).slot
    with pytest.raises(UnknownName, match="r009"):
        store.start_round(exclude=["r001", "r009"])
    assert store.overview().round == 1
    report = store.start_round(exclude=["r001"])
    assert (report.round, report.excluded, report.set_aside, report.open) == (2, ("r001",), 7, 9)
    assert store.next_page(first.number).reason == "excluded"
    assert store.previous(first.number) is None
    assert store.answer(first.number, 1, {"sense": 2}, 1.0) == "gone"
    assert store.next_page(second.number).slot == held
    work(store, second.number)
    work(store, third.number)
    assert store.overview().total.open == 0
    kept = list(store.ratings())
    assert {one.rater for one in kept} == {"", "r002", "r003"}
    assert Counter(one.round for one in kept) == {"1": 5, "2": 9, None: 1}
    every = list(store.ratings(every=True))
    assert sum(bool(one.meta.get("excluded")) for one in every) == 7
    report = store.start_round(exclude=["r001", "r003"])
    assert (report.round, report.set_aside, report.open) == (3, 7, 7)
    work(store, store.add_raters(1)[0].number)
    counts = Counter((one.system, one.id) for one in store.ratings() if one.rater)
    assert set(counts.values()) == {2}


def test_an_excluded_raters_held_text_is_free_at_once(opened):
    store = opened(sample(1, 2), raters_per_text=1)
    first, second = store.add_raters(2)
    slot = store.next_page(first.number).slot
    assert store.start_round(exclude=["r001"]).returned == 1
    assert store.answer(first.number, slot, {"sense": 1}, 1.0) == "gone"
    assert store.page(first.number, slot) is None
    assert isinstance(store.next_page(second.number), Page)


def test_the_overview_adds_up(opened, clock):
    store = opened(sample(6, 2, tasks=2, cells=3))
    raters = store.add_raters(3)
    work(store, raters[0].number, 3)
    store.next_page(raters[1].number)
    seen = store.overview()
    assert (seen.total.needed, seen.total.answered, seen.total.held) == (33, 3, 1)
    assert seen.total.open == 29
    assert seen.not_shown == 1
    for tallies in (seen.tasks.values(), seen.systems.values(), [one.tally for one in seen.cells]):
        assert sum(one.needed for one in tallies) == 33
        assert sum(one.answered for one in tallies) == 3
        assert sum(one.held for one in tallies) == 1
    assert [one.answers for one in seen.raters] == [3, 0, 0]
    assert [one.median_seconds for one in seen.raters] == [2.0, None, None]
    assert [one.last_seen for one in seen.raters] == [clock.now, clock.now, None]


def test_spans_and_controls_come_out_in_the_ratings(opened):
    texts = [replace(text, control={"sense": 2.0}) for text in sample(1, 2)]
    store = opened(texts, questions=(QUESTION, SPANS))
    (rater,) = store.add_raters(1)
    page = store.next_page(rater.number)
    marks = [{"start": 0, "end": 5, "label": "not in the data"}]
    raw = {"sense": 1, "errors": {"marks": marks, "omitted": [0]}}
    assert store.answer(rater.number, page.slot, raw, 1.0) == "stored"
    assert store.previous(rater.number).draft == raw
    sense, errors = (one for one in store.ratings() if one.rater)
    assert (sense.value, sense.meta, sense.spans) == (1.0, {"control": 2.0}, ())
    assert (errors.value, errors.meta) == (2.0, {})
    assert errors.spans[0] == marks[0] | {"text": "Ferry"}
    assert errors.spans[1] == {"triple": ["Ferry_0", "port", "Oban"], "label": "omission"}
    assert [one.criterion for one in store.ratings() if not one.rater] == ["sense"]


def test_a_store_is_found_again_as_it_was_left(make_campaign, database):
    folder = make_campaign(sample(4, 2))
    store = CampaignStore.open(folder, url=database)
    (rater,) = store.add_raters(1)
    page = store.next_page(rater.number)
    store.close()
    store = CampaignStore.open(folder, url=database)
    assert store.next_page(rater.number) == page
    assert store.overview().total.needed == 21
    store.close()


def test_a_database_of_other_texts_is_refused(make_campaign, database):
    folder = make_campaign(sample(4, 2))
    CampaignStore.open(folder, url=database).close()
    settings = folder / "campaign.json"
    was = settings.read_text()
    for change in ({"raters_per_text": 4}, {"questions": [], "title": "x"}):
        raw = json.loads(was) | change
        raw["questions"] = raw["questions"] or [
            {"name": "other", "text": "?", "kind": "slider"},
        ]
        settings.write_text(json.dumps(raw))
        with pytest.raises(DataError, match="was created for"):
            CampaignStore.open(folder, url=database)
    settings.write_text(json.dumps(json.loads(was) | {"title": "Another", "texts_per_rater": 2}))
    CampaignStore.open(folder, url=database).close()


def test_a_file_that_is_not_a_database_is_an_error_on_one_line(make_campaign):
    folder = make_campaign(sample(2, 2))
    (folder / "campaign.db").write_text("These are notes, not a database. " * 99)
    with pytest.raises(ServiceError, match="not a database"):
        CampaignStore.open(folder)


@pytest.mark.parametrize(
    "url",
    [
        "mysql://me:hush@host/name",
        "hush",
        "postgresql://me:hush@host:port/x",
        "postgresql://me:hush@127.0.0.1:9/name",
        "sqlite://",
    ],
)
def test_a_wrong_address_is_an_error_that_keeps_the_password(make_campaign, url):
    pytest.importorskip("psycopg", reason="pip install 'adequa[postgres]'")
    folder = make_campaign(sample(2, 2))
    with pytest.raises(AdequaError) as caught:
        CampaignStore.open(folder, url=url)
    assert "hush" not in str(caught.value)
    error = caught.value
    assert error.__cause__ is None
    assert error.__context__ is None or error.__suppress_context__


@pytest.mark.parametrize(
    ("package", "extra"), [("psycopg", "postgres"), ("sqlalchemy", "web"), ("alembic", "web")]
)
def test_a_missing_package_names_its_extra(make_campaign, package, extra):
    code = (
        f"import sys; sys.modules[{package!r}] = None\n"
        "from adequa.errors import MissingExtra\n"
        "try:\n"
        "    from adequa.human.campaign.store import CampaignStore\n"
        "    CampaignStore.open(sys.argv[1], url=sys.argv[2] or None)\n"
        "except MissingExtra as error:\n"
        "    print(error)\n"
    )
    url = "postgresql://me@127.0.0.1:9/name" if package == "psycopg" else ""
    command = [sys.executable, "-c", code, str(make_campaign(sample(2, 2))), url]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert f"adequa[{extra}]" in said


@pytest.mark.skipif(sys.platform == "win32", reason="files have other rights there")
def test_the_file_is_for_the_owners_eyes(make_campaign):
    folder = make_campaign(sample(2, 2))
    store = CampaignStore.open(folder)
    store.add_raters(1)
    modes = {path.name: path.stat().st_mode & 0o077 for path in folder.glob("campaign.db*")}
    store.close()
    assert set(modes) >= {"campaign.db", "campaign.db-wal"}
    assert not any(modes.values())


def test_the_package_and_the_campaigns_files_do_not_load_the_database():
    code = (
        "import sys, adequa, adequa.cli.app, adequa.human.campaign.settings, "
        "adequa.human.campaign.model\n"
        "sys.exit('sqlalchemy' in sys.modules or 'alembic' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_where_every_text_is_empty_there_is_nothing_to_hand_out(make_campaign):
    store = CampaignStore.open(make_campaign(sample(1, 1)))
    (rater,) = store.add_raters(1)
    assert store.next_page(rater.number).reason == "nothing left"
    assert store.overview().total.needed == 0
    assert [rating.rater for rating in store.ratings()] == [""]
    store.close()


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
        joined = Counter(threads.map(lambda _: store.join("y"), range(16)))
        assert len({rater.number for rater, _ in joined}) == 1
        assert sorted(joined.values()) == [1, 15], "one of them is new"
    store.close()


def test_raters_who_begin_at_once_are_spread_over_the_tasks(make_campaign, database):
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
