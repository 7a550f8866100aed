"""Another round: answers of excluded raters no longer count, and new slots fill the gaps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from adequa.errors import UnknownName
from adequa.human.campaign.claiming import Plan
from adequa.human.campaign.records import RoundReport, name_of
from adequa.human.campaign.tables import campaign, raters, slots, sql

__all__ = ["add_slots", "begin_round"]


def add_slots(
    connection: sql.Connection, plan: Plan, places: Iterable[tuple[int, int]], round_: int
) -> int:
    """Make open slots for texts and places; how many."""
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
    """Exclude raters by name and open what their answers had filled."""
    # Raters before the campaign, as where a rater begins: two must not wait for each other.
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
    """The numbers of raters, locked so that no request of theirs is being served."""
    query = sql.select(raters.c.number).order_by(raters.c.number)
    by_name = {name_of(number): number for number in connection.execute(query).scalars()}
    for name in names:
        if name not in by_name:
            raise UnknownName("rater", name, by_name)
    numbers = sorted({by_name[name] for name in names})
    locked = query.where(raters.c.number.in_(numbers)).with_for_update()
    connection.execute(locked).all()
    return numbers
