"""Handing out within a transaction: claiming an open slot, holding it and giving it back."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from adequa.human.campaign.handing_out import Layout, choose, neediest
from adequa.human.campaign.model import Campaign, SampledText
from adequa.human.campaign.records import (
    Nothing,
    OwnSlot,
    Page,
    Progress,
    Rater,
    Reason,
    name_of,
)
from adequa.human.campaign.tables import campaign, raters, slots, sql, visits

__all__ = [
    "Plan",
    "hand_out",
    "is_number",
    "locked_rater",
    "own_slots",
    "page_of",
    "progress_of",
    "rater_of",
    "reclaim",
    "return_stale",
]


# Statements are built once: putting them together costs as much as running them.
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
# Locked first, and without waiting: two that return at once must not wait for each other.
_STALE = (
    sql.select(slots.c.number)
    .where(slots.c.state == "held", slots.c.seen < sql.bindparam("before_"))
    .with_for_update(skip_locked=True)
)


@dataclass(frozen=True, slots=True)
class Plan:
    """What does not change while people answer."""

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
    """Whether a rater or slot can have this number: databases know no greater ones."""
    return 0 < given < 2**31


def locked_rater(connection: sql.Connection, number: int) -> Rater | None:
    """A rater, of whom nobody else serves a request until the transaction ends."""
    if not is_number(number):
        return None
    row = connection.execute(_RATER, {"rater_": number}).one_or_none()
    return None if row is None else rater_of(row)


def own_slots(connection: sql.Connection, number: int) -> list[OwnSlot]:
    """All slots a rater holds or has answered, also those that no longer count."""
    return [OwnSlot(*row) for row in connection.execute(_OWN, {"rater_": number}).all()]


def progress_of(plan: Plan, task: str | None, own: Sequence[OwnSlot]) -> Progress:
    """How far a rater is."""
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
) -> Page | Nothing:
    """The text the rater holds, else the next one, else why there is none."""
    own = own_slots(connection, rater.number)
    if rater.status != "eligible":
        return Nothing(rater.status, progress_of(plan, rater.task, own), more=False)
    held = next((slot for slot in own if slot.state == "held"), None)
    if held is not None:
        _hold(connection, held.number, rater.number, now)
        _seen(connection, rater.number, held.task, now)
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
        # One after another: of many who begin at once each is to see where the others went.
        connection.execute(_CAMPAIGN)
        everywhere = neediest(plan.layout, _open(connection), had)
        others = [one for one in everywhere if one != task and done[one] < plan.limit(one)]
        for one in others if rater.task is None or another_task else ():
            claimed = _claim(connection, plan, rater.number, one, had, now)
            if claimed is not None:
                task = one
                break
    _seen(connection, rater.number, task, now)
    progress = progress_of(plan, task, own)
    if claimed is None:
        return Nothing(_reason(connection, progress, had), progress, more=bool(others))
    return page_of(connection, plan, rater.number, claimed, progress)


def page_of(
    connection: sql.Connection, plan: Plan, rater: int, slot: OwnSlot, progress: Progress
) -> Page:
    """A text with what the rater entered about it so far; who sees it has visited it."""
    visit = connection.execute(_VISIT, {"rater_": rater, "text_": slot.text}).first()
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
    """A slot of a text that the rater had and that went back, where one is still open."""
    visit = connection.execute(_VISIT, {"rater_": rater.number, "text_": text}).first()
    if rater.status != "eligible" or visit is None:
        return None
    own, task = own_slots(connection, rater.number), plan.texts[text].task
    if sum(slot.task == task for slot in own) >= plan.limit(task):
        return None
    number = _open_slot(connection, text)
    if number is not None and not any(slot.state == "held" for slot in own):
        _hold(connection, number, rater.number, now)
    return number


def return_stale(connection: sql.Connection, before: float) -> int:
    """Give back to the pool what is held without a sign of life since a moment."""
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
        locked.add(text)  # others are taking its last slots at this moment
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


def _seen(connection: sql.Connection, rater: int, task: str | None, now: float) -> None:
    connection.execute(_SEEN, {"rater_": rater, "task": task, "seen": now})


def _reason(connection: sql.Connection, progress: Progress, had: Collection[int]) -> Reason:
    if progress.task is not None and progress.done >= progress.limit:
        return "finished task"
    query = sql.select(slots.c.text).where(slots.c.state != "answered", slots.c.state != "void")
    if progress.task is not None:
        query = query.where(slots.c.task == progress.task)
    # What is open now was being claimed by others a moment ago, or is the rater's own.
    with_others = set(connection.execute(query).scalars()) - set(had)
    return "waiting" if with_others else "nothing left"
