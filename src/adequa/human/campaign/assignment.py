"""Assignment of texts to raters: choosing, claiming and returning slots, and further rounds.

`choose` picks the next text of a rater, in this order of preference: the system the rater has had
least, so that each rater sees an equal share of systems; an input the rater has not seen; the cell
filled least; and chance, by seed, rater and text. A rater works on one task at a time and begins
with the one that needs most. `Assignment` does the rest within a transaction.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from adequa.errors import DataError, require_known
from adequa.human.campaign import model
from adequa.human.campaign.database import campaign, raters, slots, sql, visits


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
    def of(cls, texts: Sequence[model.SampledText], raters_per_text: int) -> Layout:
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

    campaign: model.Campaign
    texts: Sequence[model.SampledText]
    layout: Layout

    def limit(self, task: str) -> int:
        """How many texts of a task a rater may answer."""
        return min(self.campaign.texts_per_rater, self.layout.shown.get(task, 0))


def rater_of(row: Any) -> model.Rater:
    """A rater from a row of the table."""
    return model.Rater(row.number, model.name_of(row.number), row.external, row.status, row.task)


def is_number(given: int) -> bool:
    """Whether a rater or slot can have this number; databases have no larger ones."""
    return 0 < given < 2**31


class RoundStarted(DataError):
    """Another round has been started since the one that a request was about."""

    def __init__(self, now: int) -> None:
        self.now = now
        super().__init__(f"round {now} has been started in the meantime", remedy="look again")

    def __reduce__(self) -> tuple[object, ...]:
        return RoundStarted, (self.now,)


@dataclass(frozen=True, slots=True)
class Assignment:
    """The assignment of texts within one transaction, at one moment in seconds."""

    connection: sql.Connection
    plan: Plan
    now: float = 0.0

    def rater(self, number: int) -> model.Rater | None:
        """A rater, locked against other requests until the transaction ends."""
        if not is_number(number):
            return None
        row = self.connection.execute(_RATER, {"rater_": number}).one_or_none()
        return None if row is None else rater_of(row)

    def slots_of(self, number: int) -> list[model.OwnSlot]:
        """All slots that a rater holds or has answered, including those that no longer count."""
        return [
            model.OwnSlot(*row) for row in self.connection.execute(_OWN, {"rater_": number}).all()
        ]

    def progress(self, task: str | None, own: Sequence[model.OwnSlot]) -> model.Progress:
        """The progress of a rater, in a task and in total."""
        done = Counter(slot.task for slot in own if slot.state != "held")
        if task is None:
            return model.Progress(None, 0, self.plan.campaign.texts_per_rater, done.total())
        return model.Progress(task, done[task], self.plan.limit(task), done.total())

    def hand_out(
        self, rater: model.Rater, *, another_task: bool = False
    ) -> model.Page | model.NothingLeft:
        """The text the rater holds, or else the next one, or else the reason why there is none."""
        plan, own = self.plan, self.slots_of(rater.number)
        if rater.status != "eligible":
            return model.NothingLeft(rater.status, self.progress(rater.task, own), more=False)
        held = next((slot for slot in own if slot.state == "held"), None)
        if held is not None:
            self._hold(held.number, rater.number)
            self.mark_seen(rater.number, task=held.task)
            return self.page(rater.number, held, self.progress(held.task, own))
        self.return_stale()
        had = {slot.text for slot in own}
        done = Counter(slot.task for slot in own)
        task = rater.task
        claimed = None
        if task is not None and done[task] < plan.limit(task):
            claimed = self._claim(rater.number, task, had)
        others: list[str] = []
        if claimed is None:
            # One at a time: of many who begin at once, each must see which tasks the others took.
            self.connection.execute(_CAMPAIGN)
            everywhere = neediest(plan.layout, self._open(), had)
            others = [one for one in everywhere if one != task and done[one] < plan.limit(one)]
            for one in others if rater.task is None or another_task else ():
                claimed = self._claim(rater.number, one, had)
                if claimed is not None:
                    task = one
                    break
        self.mark_seen(rater.number, task=task)
        progress = self.progress(task, own)
        if claimed is None:
            return model.NothingLeft(self._reason(progress, had), progress, more=bool(others))
        return self.page(rater.number, claimed, progress)

    def page(self, rater: int, slot: model.OwnSlot, progress: model.Progress) -> model.Page:
        """A text with what the rater has entered so far; the first view creates the visit."""
        visit, text = self.visit(rater, slot.text), self.plan.texts[slot.text]
        if visit is None:
            row = {"rater": rater, "text": slot.text, "draft": "{}", "seconds": 0.0}
            self.connection.execute(_NEW_VISIT, row)
            return model.Page(slot.number, text, {}, progress)
        return model.Page(slot.number, text, json.loads(visit.draft), progress, visit.seconds)

    def reclaim(self, rater: model.Rater, text: int) -> int | None:
        """An open slot of a text that the rater had and that was returned, if there is one."""
        if rater.status != "eligible" or self.visit(rater.number, text) is None:
            return None
        own, task = self.slots_of(rater.number), self.plan.texts[text].task
        if sum(slot.task == task for slot in own) >= self.plan.limit(task):
            return None
        number = self._open_slot(text)
        if number is not None and not any(slot.state == "held" for slot in own):
            self._hold(number, rater.number)
        return number

    def return_stale(self) -> int:
        """Return to the pool the slots held without recent activity; the number returned."""
        before = self.now - self.plan.campaign.return_after
        numbers = self.connection.execute(_STALE, {"before_": before}).scalars().all()
        if numbers:
            stale = sql.update(slots).where(slots.c.number.in_(numbers))
            self.connection.execute(stale.values(state="open", rater=None, seen=None))
        return len(numbers)

    def mark_seen(self, rater: int, **more: str | None) -> None:
        """Record that a rater was active; `more` are further columns of the rater."""
        self.connection.execute(_SEEN, {"rater_": rater, "seen": self.now, **more})

    def visit(self, rater: int, text: int) -> Any:
        """The draft and the seconds of a rater on a text; None if they never saw it."""
        return self.connection.execute(_VISIT, {"rater_": rater, "text_": text}).first()

    def _claim(self, rater: int, task: str, had: Collection[int]) -> model.OwnSlot | None:
        layout, seed, open_slots = self.plan.layout, self.plan.campaign.seed, self._open(task)
        locked: set[int] = set()
        choose_next = partial(choose, layout, open_slots, had, seed=seed, rater=rater)
        while (text := choose_next(without=locked)) is not None:
            number = self._open_slot(text)
            if number is not None:
                self._hold(number, rater)
                return model.OwnSlot(number, text, task, "held")
            locked.add(text)  # others are claiming its last slots
        return None

    def _open(self, task: str | None = None) -> Mapping[int, int]:
        query, given = (_OPEN, {}) if task is None else (_OPEN_IN_TASK, {"task_": task})
        return {text: count for text, count in self.connection.execute(query, given)}  # noqa: C416

    def _open_slot(self, text: int) -> int | None:
        return self.connection.execute(_OPEN_SLOT, {"text_": text}).scalar()

    def _hold(self, number: int, rater: int) -> None:
        self.connection.execute(_HOLD, {"slot_": number, "rater": rater, "seen": self.now})

    def _reason(self, progress: model.Progress, had: Collection[int]) -> model.Reason:
        if progress.task is not None and progress.done >= progress.limit:
            return "finished task"
        query = sql.select(slots.c.text).where(slots.c.state != "answered", slots.c.state != "void")
        if progress.task is not None:
            query = query.where(slots.c.task == progress.task)
        # Texts that are open now were being claimed by others a moment ago, or are the rater's own.
        with_others = set(self.connection.execute(query).scalars()) - set(had)
        return "waiting" if with_others else "nothing left"

    def add_slots(self, places: Iterable[tuple[int, int]], round_: int) -> None:
        """Create open slots for texts and places."""
        rows = [
            {"text": text, "task": self.plan.texts[text].task, "place": place}
            | {"round": round_, "state": "open"}
            for text, place in places
        ]
        if rows:
            self.connection.execute(sql.insert(slots), rows)

    def begin_round(self, exclude: Sequence[str], *, after: int | None = None) -> model.RoundReport:
        """Exclude raters by name and open new slots in place of their answers, which are void.

        With `after`, only if that is the current round, so that a request sent twice, also at the
        same moment, starts one round.
        """
        execute = self.connection.execute
        # Raters are locked before the campaign, as in `hand_out`: two must not wait for each other.
        numbers = self._numbers(exclude)
        current = execute(sql.select(campaign.c.round).with_for_update()).scalar_one()
        if after is not None and after != current:
            raise RoundStarted(current)
        round_ = current + 1
        execute(sql.update(raters).where(raters.c.number.in_(numbers)).values(status="excluded"))
        theirs = slots.c.rater.in_(numbers)
        gaps = execute(
            sql.select(slots.c.text, slots.c.place)
            .where(theirs, slots.c.state == "answered")
            .order_by(slots.c.text, slots.c.place)
        ).all()
        execute(sql.update(slots).where(theirs, slots.c.state == "answered").values(state="void"))
        held = sql.update(slots).where(theirs, slots.c.state == "held")
        returned = execute(held.values(state="open", rater=None, seen=None)).rowcount
        execute(sql.update(slots).where(slots.c.state == "open").values(round=round_))
        self.add_slots([(text, place) for text, place in gaps], round_)
        execute(sql.update(campaign).values(round=round_))
        still_open = sql.select(sql.func.count()).select_from(slots).where(slots.c.state == "open")
        return model.RoundReport(
            round_,
            excluded=tuple(model.name_of(number) for number in numbers),
            set_aside=len(gaps),
            returned=returned,
            open=execute(still_open).scalar_one(),
        )

    def _numbers(self, names: Sequence[str]) -> list[int]:
        """The numbers of raters, locked against their requests."""
        query = sql.select(raters.c.number).order_by(raters.c.number)
        by_name = {
            model.name_of(number): number for number in self.connection.execute(query).scalars()
        }
        require_known("rater", names, by_name)
        numbers = sorted({by_name[name] for name in names})
        self.connection.execute(query.where(raters.c.number.in_(numbers)).with_for_update()).all()
        return numbers
