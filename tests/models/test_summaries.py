"""What follows from several facts: order, gaps, the ends and totals of columns, counts."""

from __future__ import annotations

from collections.abc import Sequence

from adequa.data import Triple
from adequa.models.summaries import Field, Owner, Part, Summaries

ROWS = (
    *(Triple("Ask", "weight_g", "300"), Triple("Ask", "built", "1990-05-01")),
    *(Triple("Lind", "weight_g", "240"), Triple("Lind", "built", "1990-05-13")),
    *(Triple("Elm", "weight_g", "60"), Triple("Elm", "built", "1989-01-01")),
    *(Triple("Ask", "state", "open"), Triple("Lind", "state", "open")),
    *(Triple("Elm", "state", "shut"), Triple("list", "price_eur", "12.5")),
    *(Triple("Ask", "opens", "08:00"), Triple("Ask", "closes", "17:30")),
)
PRICE, OPENS, CLOSES = 9, 10, 11


def said(
    named: Sequence[int] = (), owners: Sequence[str] = (), near: Sequence[int] = ()
) -> list[str]:
    """The summaries in words."""

    def word(part: Part) -> str:
        if isinstance(part, str):
            return part
        triple = ROWS[part.fact]
        if isinstance(part, Owner):
            return triple.subject
        return triple.predicate if isinstance(part, Field) else triple.object

    summaries = Summaries(ROWS, range(len(ROWS)))
    return [" ".join(map(word, line)) for line in summaries.lines(named, owners, near)]


def test_numbers_that_a_sentence_names_are_compared() -> None:
    assert said([2, 0]) == ["300 > 240 by 60 , 80 %"]


def test_numbers_of_other_units_and_equal_ones_are_not() -> None:
    assert said([0, PRICE]) == []
    assert said([0, 0]) == []


def test_dates_and_times_come_before_each_other() -> None:
    assert said([3, 1]) == ["1990-05-01 before 1990-05-13 by 12 days"]
    assert said([CLOSES, OPENS]) == ["08:00 before 17:30 by 570 minutes"]
    assert said([1, OPENS]) == []


def test_named_objects_are_ordered_by_a_near_field() -> None:
    assert said(owners=["Ask", "Elm"], near=[2])[0] == "weight_g : Ask 300 > Elm 60"


def test_a_near_column_has_its_ends_its_total_and_its_mean() -> None:
    assert said(near=[0]) == [
        "weight_g : most Ask 300 , least Elm 60 , sum 600 , mean 200 , of 3",
    ]
    assert said(near=[1]) == ["built : first Elm 1989-01-01 , last Lind 1990-05-13 , of 3"]
    assert said(near=[6]) == ["state : 2 open , 1 shut"]
    assert said(near=[PRICE]) == []  # a field of one object is no column
