"""How a campaign stands, and its judgments in the long form, read from the database."""

from __future__ import annotations

import json
import statistics
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator
from typing import Any

from adequa.data import Rating
from adequa.human.campaign.answers import spans_of, value_of
from adequa.human.campaign.claiming import Plan, rater_of
from adequa.human.campaign.records import CellTally, Overview, RaterTally, Tally, name_of
from adequa.human.campaign.tables import answers, campaign, raters, slots, sql

__all__ = ["look_over", "ratings_of"]

_BATCH = 1000


def look_over(connection: sql.Connection, plan: Plan) -> Overview:
    """Totals of judgments by task, system, cell and rater."""
    query = (
        sql.select(slots.c.text, slots.c.state, sql.func.count())
        .where(slots.c.state != "void")
        .group_by(slots.c.text, slots.c.state)
    )
    counts = [(text, state, count) for text, state, count in connection.execute(query)]
    layout = plan.layout
    cells = _tallies((layout.cells[text], state, count) for text, state, count in counts)
    return Overview(
        round=connection.execute(sql.select(campaign.c.round)).scalar_one(),
        total=_tallies(("", state, count) for _, state, count in counts).get("", Tally()),
        tasks=_tallies((layout.tasks[text], state, count) for text, state, count in counts),
        systems=_tallies((layout.systems[text], state, count) for text, state, count in counts),
        cells=tuple(
            CellTally(task, json.loads(cell), tally) for (task, cell), tally in cells.items()
        ),
        raters=_raters(connection),
        not_shown=sum(not text.is_shown for text in plan.texts),
    )


def ratings_of(connection: sql.Connection, plan: Plan, *, every: bool = False) -> Iterator[Rating]:
    """The judgments by text and rater; with `every`, also those that no longer count."""
    states = ("answered", "void") if every else ("answered",)
    query = (
        sql.select(
            answers.c.text,
            answers.c.rater,
            answers.c.given,
            answers.c.seconds,
            slots.c.round,
            slots.c.state,
        )
        .join(slots, slots.c.number == answers.c.slot)
        .where(slots.c.state.in_(states))
        .order_by(answers.c.text, answers.c.rater)
    )
    empty = (number for number, text in enumerate(plan.texts) if not text.is_shown)
    following = next(empty, None)
    streaming = connection.execution_options(yield_per=_BATCH)
    for text, rater, values, seconds, round_, state in streaming.execute(query):
        while following is not None and following < text:
            yield from _not_shown(plan, following)
            following = next(empty, None)
        yield from _answer(plan, text, rater, json.loads(values), seconds, round_, state)
    while following is not None:
        yield from _not_shown(plan, following)
        following = next(empty, None)


def _answer(
    plan: Plan,
    text: int,
    rater: int,
    values: dict[str, Any],
    seconds: float,
    round_: int,
    state: str,
) -> Iterator[Rating]:
    sampled = plan.texts[text]
    for question in plan.campaign.questions:
        meta: dict[str, Any] = {}
        if question.name in sampled.control:
            meta["control"] = sampled.control[question.name]
        if state == "void":
            meta["excluded"] = True
        value = values[question.name]
        yield Rating(
            id=sampled.item.id,
            system=sampled.item.system,
            rater=name_of(rater),
            criterion=question.name,
            value=value_of(value),
            seconds=round(seconds, 3),
            round=str(round_),
            spans=spans_of(value, sampled.item),
            meta=meta,
        )


def _not_shown(plan: Plan, text: int) -> Iterator[Rating]:
    item = plan.texts[text].item
    for question in plan.campaign.questions:
        if question.lowest is not None:
            meta = {"not_shown": "empty"}
            yield Rating(item.id, item.system, "", question.name, question.lowest, meta=meta)


def _tallies(counts: Iterable[tuple[Any, str, int]]) -> dict[Any, Tally]:
    """By key, in the order the keys come."""
    found: dict[Hashable, Counter[str]] = defaultdict(Counter)
    for key, state, count in counts:
        found[key][state] += count
    return {
        key: Tally(states.total(), states["answered"], states["held"])
        for key, states in found.items()
    }


def _raters(connection: sql.Connection) -> tuple[RaterTally, ...]:
    seconds: dict[int, list[float]] = defaultdict(list)
    for rater, spent in connection.execute(sql.select(answers.c.rater, answers.c.seconds)):
        seconds[rater].append(spent)
    return tuple(
        RaterTally(
            rater_of(row),
            len(seconds[row.number]),
            statistics.median(seconds[row.number]) if seconds[row.number] else None,
            row.seen,
        )
        for row in connection.execute(sql.select(raters).order_by(raters.c.number))
    )
