"""Assignment of texts to raters: choosing, claiming and returning slots, and further rounds.

`choose` picks the next text of a rater, in this order of preference: the system the rater has had
least, so that each rater sees an equal share of systems; an input the rater has not seen; the cell
filled least; and chance, by seed, rater and text. A rater works on one task at a time and begins
with the one that needs most. The functions with a connection work within its transaction.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from adequa.errors import UnknownName
from adequa.human.campaign.database import campaign, raters, slots, sql, visits
from adequa.human.campaign.model import (
    Campaign,
    NothingLeft,
    OwnSlot,
    Page,
    Progress,
    Rater,
    Reason,
    RoundReport,
    SampledText,
    name_of,
)


@dataclass(frozen=True, slots=True)
class Layout:
    """The facts about the texts that assignment needs; positions are those of the sample."""

    systems: tuple[str, ...]
    inputs: tuple[str, ...]
    tasks: tuple[str, ...]
    cells: tuple[tuple[str, str], ...]
    """Task and cell: a cell with texts of two tasks is filled in each."""
    needed: Mapping[tuple[str, str], int]
    """The number of judgments by cell."""
    shown: Mapping[str, int]
    """The number of texts by task, in the order of the sample."""

    @classmethod
    def of(cls, texts: Sequence[SampledText], raters_per_text: int) -> Layout:
        """The layout of a sample."""
        cells = tuple((text.task, json.dumps(dict(text.cell), sort_keys=True)) for text in texts)
        shown = [position for position, text in enumerate(texts) if text.is_shown]
        needed = Counter(cells[position] for position in shown)
        return cls(
            tuple(text.item.system for text in texts),
            tuple(text.item.id for text in texts),
            tuple(text.task for text in texts),
            cells,
            {cell: count * raters_per_text for cell, count in needed.items()},
            Counter(texts[position].task for position in shown),
        )


def choose(
    layout: Layout,
    open_slots: Mapping[int, int],
    had: Collection[int],
    *,
    seed: int,
    rater: int,
    without: Collection[int] = (),
) -> int | None:
    """The text this rater gets next, or None if no open text is left for them.

    `open_slots` counts the open judgments of the task by text, `had` are the texts the rater
    answered or holds in any task, `without` those that are locked at this moment.
    """
    candidates = [text for text in open_slots if text not in had and text not in without]
    if not candidates:
        return None
    systems = Counter(layout.systems[text] for text in had)
    least = min(systems[layout.systems[text]] for text in candidates)
    candidates = [text for text in candidates if systems[layout.systems[text]] == least]
    inputs = {layout.inputs[text] for text in had}
    candidates = [text for text in candidates if layout.inputs[text] not in inputs] or candidates
    still_open: Counter[tuple[str, str]] = Counter()
    for text, count in open_slots.items():
        still_open[layout.cells[text]] += count
    share = {cell: count / layout.needed[cell] for cell, count in still_open.items()}
    most = max(share[layout.cells[text]] for text in candidates)
    candidates = [text for text in candidates if share[layout.cells[text]] == most]
    return min(candidates, key=lambda text: (_chance(seed, rater, text), text))


def neediest(layout: Layout, open_slots: Mapping[int, int], had: Collection[int]) -> list[str]:
    """The tasks with a text for this rater, the one with the largest share of open ones first."""
    still_open: Counter[str] = Counter()
    possible = set()
    for text, count in open_slots.items():
        still_open[layout.tasks[text]] += count
        if text not in had:
            possible.add(layout.tasks[text])
    tasks = [task for task in layout.shown if task in possible]
    # Each text needs the same number of judgments, so the share of texts is that of judgments.
    return sorted(tasks, key=lambda task: -still_open[task] / layout.shown[task])


def _chance(seed: int, rater: int, text: int) -> bytes:
    return hashlib.blake2b(f"{seed} {rater} {text}".encode(), digest_size=8).digest()


# Statements are built once, because building them takes as long as running them.
_OWN = sql.select(slots.c.number, slots.c.text, slots.c.task, slots.c.state).where(
    slots.c.rater == sql.bindparam("rater_")
)
_RATER = sql.select(raters).where(raters.c.number == sql.bindparam("rater_")).with_for_update()
_CAMPAIGN = sql.select(campaign.c.number).with_for_update()
_SEEN = sql.update(raters).where(raters.c.number == sql.bindparam("rater_"))
_HOLD = sql.update(slots).where(slots.c.number == sql.bindparam("slot_")).values(state="held")
_VISIT = sql.select(visits.c.draft, visits.c.seconds).where(
    visits.c.rater == sql.bindparam("rater_"), visits.c.text == sql.bindparam("text_")
)
_NEW_VISIT = sql.insert(visits)
_OPEN = (
    sql.select(slots.c.text, sql.func.count()).where(slots.c.state == "open").group_by(slots.c.text)
)
_OPEN_IN_TASK = _OPEN.where(slots.c.task == sql.bindparam("task_"))
_OPEN_SLOT = (
    sql.select(slots.c.number)
    .where(slots.c.text == sql.bindparam("text_"), slots.c.state == "open")
    .order_by(slots.c.number)
    .limit(1)
    .with_for_update(skip_locked=True)
)
# Locked first, and without waiting: two that return slots at once must not wait for each other.
_STALE = (
    sql.select(slots.c.number)
    .where(slots.c.state == "held", slots.c.seen < sql.bindparam("before_"))
    .with_for_update(skip_locked=True)
)


@dataclass(frozen=True, slots=True)
class Plan:
    """The parts of a campaign that do not change while people answer."""

    campaign: Campaign
    texts: Sequence[SampledText]
    layout: Layout

    def limit(self, task: str) -> int:
        """How many texts of a task a rater may answer."""
        return min(self.campaign.texts_per_rater, self.layout.shown.get(task, 0))


def rater_of(row: Any) -> Rater:
    """A rater from a row of the table."""
    return Rater(row.number, name_of(row.number), row.external, row.status, row.task)


def is_number(given: int) -> bool:
    """Whether a rater or slot can have this number; databases have no larger ones."""
    return 0 < given < 2**31


def locked_rater(connection: sql.Connection, number: int) -> Rater | None:
    """A rater, locked against other requests until the transaction ends."""
    if not is_number(number):
        return None
    row = connection.execute(_RATER, {"rater_": number}).one_or_none()
    return None if row is None else rater_of(row)


def own_slots(connection: sql.Connection, number: int) -> list[OwnSlot]:
    """All slots that a rater holds or has answered, including those that no longer count."""
    return [OwnSlot(*row) for row in connection.execute(_OWN, {"rater_": number}).all()]


def progress_of(plan: Plan, task: str | None, own: Sequence[OwnSlot]) -> Progress:
    """The progress of a rater, in a task and in total."""
    done = Counter(slot.task for slot in own if slot.state != "held")
    if task is None:
        return Progress(None, 0, plan.campaign.texts_per_rater, done.total())
    return Progress(task, done[task], plan.limit(task), done.total())


def hand_out(
    connection: sql.Connection,
    plan: Plan,
    rater: Rater,
    now: float,
    *,
    another_task: bool = False,
) -> Page | NothingLeft:
    """The text the rater holds, or else the next one, or else the reason why there is none."""
    own = own_slots(connection, rater.number)
    if rater.status != "eligible":
        return NothingLeft(rater.status, progress_of(plan, rater.task, own), more=False)
    held = next((slot for slot in own if slot.state == "held"), None)
    if held is not None:
        _hold(connection, held.number, rater.number, now)
        mark_seen(connection, rater.number, now, task=held.task)
        return page_of(connection, plan, rater.number, held, progress_of(plan, held.task, own))
    return_stale(connection, now - plan.campaign.return_after)
    had = {slot.text for slot in own}
    done = Counter(slot.task for slot in own)
    task = rater.task
    claimed = None
    if task is not None and done[task] < plan.limit(task):
        claimed = _claim(connection, plan, rater.number, task, had, now)
    others: list[str] = []
    if claimed is None:
        # One at a time: of many who begin at once, each must see which tasks the others took.
        connection.execute(_CAMPAIGN)
        everywhere = neediest(plan.layout, _open(connection), had)
        others = [one for one in everywhere if one != task and done[one] < plan.limit(one)]
        for one in others if rater.task is None or another_task else ():
            claimed = _claim(connection, plan, rater.number, one, had, now)
            if claimed is not None:
                task = one
                break
    mark_seen(connection, rater.number, now, task=task)
    progress = progress_of(plan, task, own)
    if claimed is None:
        return NothingLeft(_reason(connection, progress, had), progress, more=bool(others))
    return page_of(connection, plan, rater.number, claimed, progress)


def page_of(
    connection: sql.Connection, plan: Plan, rater: int, slot: OwnSlot, progress: Progress
) -> Page:
    """A text with what the rater has entered so far; the first view creates the visit."""
    visit = visit_of(connection, rater, slot.text)
    text = plan.texts[slot.text]
    if visit is None:
        row = {"rater": rater, "text": slot.text, "draft": "{}", "seconds": 0.0}
        connection.execute(_NEW_VISIT, row)
        return Page(slot.number, text, {}, progress)
    return Page(slot.number, text, json.loads(visit.draft), progress, visit.seconds)


def reclaim(
    connection: sql.Connection,
    plan: Plan,
    rater: Rater,
    text: int,
    now: float,
) -> int | None:
    """An open slot of a text that the rater had and that was returned, if there is one."""
    if rater.status != "eligible" or visit_of(connection, rater.number, text) is None:
        return None
    own, task = own_slots(connection, rater.number), plan.texts[text].task
    if sum(slot.task == task for slot in own) >= plan.limit(task):
        return None
    number = _open_slot(connection, text)
    if number is not None and not any(slot.state == "held" for slot in own):
        _hold(connection, number, rater.number, now)
    return number


def return_stale(connection: sql.Connection, before: float) -> int:
    """Return to the pool the slots held without activity since `before`; the number returned."""
    numbers = connection.execute(_STALE, {"before_": before}).scalars().all()
    if numbers:
        connection.execute(
            sql.update(slots)
            .where(slots.c.number.in_(numbers))
            .values(state="open", rater=None, seen=None)
        )
    return len(numbers)


def _claim(
    connection: sql.Connection,
    plan: Plan,
    rater: int,
    task: str,
    had: Collection[int],
    now: float,
) -> OwnSlot | None:
    open_slots = _open(connection, task)
    locked: set[int] = set()
    seed = plan.campaign.seed
    while True:
        text = choose(plan.layout, open_slots, had, seed=seed, rater=rater, without=locked)
        if text is None:
            return None
        number = _open_slot(connection, text)
        if number is not None:
            break
        locked.add(text)  # others are claiming its last slots
    _hold(connection, number, rater, now)
    return OwnSlot(number, text, task, "held")


def _open(connection: sql.Connection, task: str | None = None) -> Mapping[int, int]:
    if task is None:
        rows = connection.execute(_OPEN).all()
    else:
        rows = connection.execute(_OPEN_IN_TASK, {"task_": task}).all()
    return {text: count for text, count in rows}  # noqa: C416


def _open_slot(connection: sql.Connection, text: int) -> int | None:
    return connection.execute(_OPEN_SLOT, {"text_": text}).scalar()


def _hold(connection: sql.Connection, number: int, rater: int, now: float) -> None:
    connection.execute(_HOLD, {"slot_": number, "rater": rater, "seen": now})


def mark_seen(connection: sql.Connection, rater: int, now: float, **more: str | None) -> None:
    """Record that a rater was active; `more` are further columns of the rater."""
    connection.execute(_SEEN, {"rater_": rater, "seen": now, **more})


def visit_of(connection: sql.Connection, rater: int, text: int) -> Any:
    """The draft and the seconds of a rater on a text; None if they never saw it."""
    return connection.execute(_VISIT, {"rater_": rater, "text_": text}).first()


def _reason(connection: sql.Connection, progress: Progress, had: Collection[int]) -> Reason:
    if progress.task is not None and progress.done >= progress.limit:
        return "finished task"
    query = sql.select(slots.c.text).where(slots.c.state != "answered", slots.c.state != "void")
    if progress.task is not None:
        query = query.where(slots.c.task == progress.task)
    # Texts that are open now were being claimed by others a moment ago, or are the rater's own.
    with_others = set(connection.execute(query).scalars()) - set(had)
    return "waiting" if with_others else "nothing left"


def add_slots(
    connection: sql.Connection, plan: Plan, places: Iterable[tuple[int, int]], round_: int
) -> int:
    """Create open slots for texts and places; the number created."""
    rows = [
        {
            "text": text,
            "task": plan.texts[text].task,
            "place": place,
            "round": round_,
            "state": "open",
        }
        for text, place in places
    ]
    if rows:
        connection.execute(sql.insert(slots), rows)
    return len(rows)


def begin_round(connection: sql.Connection, plan: Plan, exclude: Sequence[str]) -> RoundReport:
    """Exclude raters by name and open new slots in place of their answers, which are void."""
    # Raters are locked before the campaign, as in `hand_out`: two must not wait for each other.
    numbers = _numbers(connection, exclude)
    locked = sql.select(campaign.c.round).with_for_update()
    round_ = connection.execute(locked).scalar_one() + 1
    connection.execute(
        sql.update(raters).where(raters.c.number.in_(numbers)).values(status="excluded")
    )
    theirs = slots.c.rater.in_(numbers)
    gaps = connection.execute(
        sql.select(slots.c.text, slots.c.place)
        .where(theirs, slots.c.state == "answered")
        .order_by(slots.c.text, slots.c.place)
    ).all()
    connection.execute(
        sql.update(slots).where(theirs, slots.c.state == "answered").values(state="void")
    )
    returned = connection.execute(
        sql.update(slots)
        .where(theirs, slots.c.state == "held")
        .values(state="open", rater=None, seen=None)
    ).rowcount
    connection.execute(sql.update(slots).where(slots.c.state == "open").values(round=round_))
    add_slots(connection, plan, [(text, place) for text, place in gaps], round_)
    connection.execute(sql.update(campaign).values(round=round_))
    still_open = sql.select(sql.func.count()).select_from(slots).where(slots.c.state == "open")
    return RoundReport(
        round_,
        tuple(name_of(number) for number in numbers),
        len(gaps),
        returned,
        connection.execute(still_open).scalar_one(),
    )


def _numbers(connection: sql.Connection, names: Sequence[str]) -> list[int]:
    """The numbers of raters, locked against their requests."""
    query = sql.select(raters.c.number).order_by(raters.c.number)
    by_name = {name_of(number): number for number in connection.execute(query).scalars()}
    for name in names:
        if name not in by_name:
            raise UnknownName("rater", name, by_name)
    numbers = sorted({by_name[name] for name in names})
    locked = query.where(raters.c.number.in_(numbers)).with_for_update()
    connection.execute(locked).all()
    return numbers
