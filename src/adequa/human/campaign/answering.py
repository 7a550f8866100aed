"""Answers and drafts within a transaction: stored once, corrected by their rater alone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from adequa.human.campaign.claiming import Plan, is_number, locked_rater, reclaim
from adequa.human.campaign.records import Outcome, OwnSlot
from adequa.human.campaign.tables import answers, history, raters, slots, sql, visits

__all__ = ["keep_draft", "own_slot_of", "store_answer", "text_of"]

_TEXT = sql.select(slots.c.text).where(slots.c.number == sql.bindparam("slot_"))
_OWN = (
    sql.select(slots.c.number, slots.c.text, slots.c.task, slots.c.state)
    .where(slots.c.text == sql.bindparam("text_"), slots.c.rater == sql.bindparam("rater_"))
    .with_for_update()
)
_ANSWERED = (
    sql.update(slots).where(slots.c.number == sql.bindparam("slot_")).values(state="answered")
)
_SEEN = sql.update(raters).where(raters.c.number == sql.bindparam("rater_"))
_ALIVE = sql.update(slots).where(slots.c.number == sql.bindparam("slot_"))
_NEW_ANSWER = sql.insert(answers)
_SECONDS = sql.select(visits.c.seconds).where(
    visits.c.rater == sql.bindparam("rater_"), visits.c.text == sql.bindparam("text_")
)
_KEEP = sql.update(visits).where(
    visits.c.rater == sql.bindparam("rater_"), visits.c.text == sql.bindparam("text_")
)


def text_of(connection: sql.Connection, slot: int) -> int | None:
    """The position of the text a slot is of; it never changes."""
    if not is_number(slot):
        return None
    return connection.execute(_TEXT, {"slot_": slot}).scalar()


def own_slot_of(connection: sql.Connection, rater: int, text: int) -> OwnSlot | None:
    """The slot of a text that is this rater's, whichever of its slots they were handed first."""
    row = connection.execute(_OWN, {"text_": text, "rater_": rater}).one_or_none()
    return None if row is None else OwnSlot(*row)


def store_answer(
    connection: sql.Connection,
    plan: Plan,
    number: int,
    text: int,
    values: Mapping[str, Any],
    seconds: float,
    now: float,
) -> Outcome:
    """Store a checked answer to a text the rater holds, held or answered before."""
    rater = locked_rater(connection, number)
    if rater is None or rater.status != "eligible":
        return "gone"
    own = own_slot_of(connection, number, text)
    if own is not None and own.state == "answered":
        return _correct(connection, own.number, json.dumps(values), seconds, now)
    slot = reclaim(connection, plan, rater, text, now) if own is None else own.number
    if slot is None:
        return "gone"
    row = {
        "slot": slot,
        "text": text,
        "rater": number,
        "given": json.dumps(values),
        "seconds": max(seconds, _seconds_so_far(connection, number, text)),
        "at": now,
    }
    connection.execute(_NEW_ANSWER, row)
    connection.execute(_ANSWERED, {"slot_": slot, "rater": number, "seen": now})
    connection.execute(_SEEN, {"rater_": number, "seen": now})
    return "stored"


def keep_draft(
    connection: sql.Connection,
    plan: Plan,
    number: int,
    slot: int,
    draft: str,
    seconds: float,
    now: float,
) -> bool:
    """Keep what a rater has entered so far, as a sign of life; False where the text is gone."""
    rater = locked_rater(connection, number)
    text = text_of(connection, slot)
    if rater is None or rater.status != "eligible" or text is None:
        return False
    own = own_slot_of(connection, number, text)
    connection.execute(_SEEN, {"rater_": number, "seen": now})
    if own is not None and own.state == "answered":
        return True
    if own is None:
        holds = sql.select(slots.c.number).where(slots.c.rater == number, slots.c.state == "held")
        if connection.execute(holds).first() is not None:
            return False
        if reclaim(connection, plan, rater, text, now) is None:
            return False
    else:
        connection.execute(_ALIVE, {"slot_": own.number, "seen": now})
    longest = max(seconds, _seconds_so_far(connection, number, text))
    connection.execute(_KEEP, {"rater_": number, "text_": text, "draft": draft, "seconds": longest})
    return True


def _correct(
    connection: sql.Connection, slot: int, given: str, seconds: float, now: float
) -> Outcome:
    was = connection.execute(sql.select(answers).where(answers.c.slot == slot)).one()
    if was.given == given:
        return "already"
    row = {"slot": slot, "given": was.given, "seconds": was.seconds, "at": was.at}
    connection.execute(sql.insert(history), row)
    connection.execute(
        sql.update(answers)
        .where(answers.c.slot == slot)
        .values(given=given, seconds=max(seconds, was.seconds), at=now)
    )
    return "stored"


def _seconds_so_far(connection: sql.Connection, rater: int, text: int) -> float:
    return connection.execute(_SECONDS, {"rater_": rater, "text_": text}).scalar() or 0.0
