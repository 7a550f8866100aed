"""Metrics that see one thing alone get exactly the table they deserve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import ClassVar

import pytest

from adequa.analysis.doctor.examination import (
    TOGETHER,
    Examination,
    MetricCell,
    Sensitivity,
    Share,
    examine,
    marked,
    missed_cases,
    score_all,
)
from adequa.analysis.doctor.presentation import conclusions, doctor_pictures, render
from adequa.data import Finding, Item, Score
from adequa.errors import DataError
from adequa.metrics.base import Metric
from adequa.perturb import PERTURBATIONS, PerturbedSet, make_cases, named_perturbations

from ...perturb.towns import TOWNS

COUNT = 30
ITEMS = [replace(one, id=f"{one.id}-{number}") for number in range(COUNT) for one in TOWNS]


class Fake(Metric):
    """What the fakes share."""

    doc: ClassVar[str] = "a fake"
    best: ClassVar[float] = 1.0
    worst: ClassVar[float] = 0.0


@dataclass(frozen=True)
class Deny(Fake):
    """Sees a "not", and where."""

    name: ClassVar[str] = "deny"

    def score(self, items: Sequence[Item]) -> list[Score]:
        return [self._one(item.text.find(" not ")) for item in items]

    def _one(self, place: int) -> Score:
        if place < 0:
            return Score(1.0, verdict="OK")
        found = Finding("deny", "hallucination", "denied", "", start=place, end=place + 4)
        return Score(0.5, findings=(found,), verdict="hallucination")


@dataclass(frozen=True)
class Count(Fake):
    """Sees how many triples there are, fewer being better, and gives no verdict."""

    name: ClassVar[str] = "count"
    best: ClassVar[float] = 0.0
    worst: ClassVar[float] = 100.0

    def score(self, items: Sequence[Item]) -> list[Score]:
        return [Score(float(len(item.triples))) for item in items]


@dataclass(frozen=True)
class Grumble(Fake):
    """Complains of everything, and never says where."""

    name: ClassVar[str] = "grumble"

    def score(self, items: Sequence[Item]) -> list[Score]:
        return [Score(0.0, verdict="hallucination+omission") for _ in items]


@dataclass(frozen=True)
class Astray(Fake):
    """Sees a sentence too many, and points at the first word."""

    name: ClassVar[str] = "astray"

    def score(self, items: Sequence[Item]) -> list[Score]:
        found = Finding("astray", "hallucination", "unsupported", "", start=0, end=1)
        known = {one.text for one in ITEMS}
        return [
            Score(0.0, findings=(found,), verdict="hallucination")
            if item.text not in known
            else Score(1.0, verdict="OK")
            for item in items
        ]


@dataclass(frozen=True)
class Silent(Fake):
    """Cannot say."""

    name: ClassVar[str] = "silent"

    def score(self, items: Sequence[Item]) -> list[Score]:
        return [Score(None, reason="it is silent") for _ in items]


@cache
def cases_of(names: tuple[str, ...], count: int) -> tuple[PerturbedSet, ...]:
    return tuple(make_cases(ITEMS, named_perturbations(names), count=count, seed=0))


def examined(*metrics: Metric, names: Sequence[str] = (), count: int = COUNT) -> Examination:
    return examine(cases_of(tuple(names), count), {one.name: one for one in metrics})


def test_a_metric_that_sees_negation_sees_nothing_else() -> None:
    found = examined(Deny())
    assert found.metrics == ["deny"]
    for name in PERTURBATIONS:
        cell = found.cell("deny", name)
        assert len(cell.seen) == COUNT
        if name == "negate":
            assert cell.falls == cell.noticed == cell.located == Share(COUNT, COUNT)
            assert (cell.ties, cell.change, cell.auc) == (0, -0.5, 1.0)
        else:
            assert cell.falls == cell.noticed == cell.located == Share(0, COUNT)
            assert (cell.ties, cell.change, cell.auc) == (COUNT, 0.0, 0.5)
    assert found.alarms[0].any == Share(0, found.originals)
    assert found.alarms[0].score == 1.0


def test_less_may_be_better_and_a_verdict_may_be_missing() -> None:
    found = examined(Count())
    dropped, added = found.cell("count", "drop-triple"), found.cell("count", "add-triple")
    assert (added.falls, added.ties, added.change) == (Share(COUNT, COUNT), 0, 1.0)
    assert (dropped.falls, dropped.ties, dropped.change) == (Share(0, COUNT), 0, -1.0)
    assert added.auc is not None
    assert added.auc > 0.5
    assert dropped.auc is not None
    assert dropped.auc < 0.5
    assert added.noticed == added.located == Share(0, 0)
    assert found.alarms[0].any == Share(0, 0)


def test_what_complains_of_everything_notices_nothing() -> None:
    found = examined(Grumble())
    assert all(cell.noticed == cell.located == Share(0, COUNT) for cell in found.cells)
    alarms = found.alarms[0]
    assert alarms.any == alarms.omission == alarms.hallucination
    assert alarms.any == Share(found.originals, found.originals)


def test_right_for_the_wrong_place() -> None:
    cell = examined(Astray(), names=["add-sentence"]).cell("astray", "add-sentence")
    assert cell.noticed == Share(COUNT, COUNT)
    assert cell.located == Share(0, COUNT)


def test_unscorable_texts_are_counted_and_have_no_score() -> None:
    found = examined(Silent(), names=["negate"])
    cell = found.cell("silent", "negate")
    assert (cell.unscored, cell.falls, cell.ties) == (COUNT, Share(0, 0), 0)
    assert cell.change is None
    assert cell.auc is None
    assert found.alarms[0].unscored == found.originals
    assert "too few cases to say whether silent can see negation" in conclusions(found)[0]


def test_two_that_judge_are_asked_together() -> None:
    found = examined(Deny(), Astray(), Count(), names=["negate"])
    assert found.metrics == ["deny", "astray", "count", TOGETHER]
    cell = found.cell(TOGETHER, "negate")
    assert cell.noticed == cell.located == Share(COUNT, COUNT)
    assert cell.falls == Share(0, 0)
    assert set(found.signatures) == {"deny", "astray", "count"}
    assert conclusions(found)[-1].startswith("The joined verdict can see negation (")
    with pytest.raises(KeyError):
        found.cell("nobody", "negate")


def test_a_change_of_nearly_nothing_is_a_tie() -> None:
    @dataclass(frozen=True)
    class Noise(Fake):
        name: ClassVar[str] = "noise"

        def score(self, items: Sequence[Item]) -> list[Score]:
            return [Score(0.5 + 0.00005 * (" not " in item.text)) for item in items]

    cell = examined(Noise(), names=["negate"]).cell("noise", "negate")
    assert (cell.falls, cell.ties) == (Share(0, COUNT), COUNT)


def test_no_case_is_an_error_with_a_remedy() -> None:
    made = make_cases([Item("a", (), "")], named_perturbations(), count=3, seed=0)
    with pytest.raises(DataError, match="no item can be changed"):
        examine(made, {"deny": Deny()})


def test_progress_runs_to_its_end() -> None:
    made = make_cases(ITEMS, named_perturbations(["negate"]), count=4, seed=0)
    told: list[tuple[int, int]] = []
    examine(made, {"deny": Deny(), "count": Count()}, progress=lambda *now: told.append(now))
    assert told == sorted(told)
    assert {(8, 16), (16, 16)} <= set(told)


def test_lines_within_texts_do_not_matter() -> None:
    item = replace(ITEMS[0], text="One\u2028two\x85three\nfour")
    (result,) = score_all([item], "deny", Deny())
    assert result.item == item


def test_in_words() -> None:
    found = examined(Deny())
    (deny,) = conclusions(found)
    assert deny.startswith("deny cannot see lost sentences (0 of 30), facts that the data does")
    assert "inverted arguments (0 of 30)" in deny
    assert deny.endswith(
        f"deny can see negation (30 of 30). It complains of 0 of {found.originals} unchanged texts."
    )
    (count,) = conclusions(examined(Count(), names=["add-triple", "drop-triple"]))
    assert count == (
        "count cannot see facts that the data does not have (0 of 30). count can see facts that "
        "the text leaves out (30 of 30). It gives no verdicts: a case counts where the score falls."
    )
    (astray,) = conclusions(examined(Astray(), names=["add-sentence"]))
    assert "seldom points at the right place of added sentences (0 of 30)" in astray


@pytest.mark.parametrize(
    ("noticed", "total", "words"),
    [
        (0, 3, "too few"),
        (0, 8, "seems unable to see"),
        (0, 200, "cannot see"),
        (100, 200, "can see only in part"),
        (8, 8, "seems able to see"),
        (200, 200, "m can see"),
    ],
)
def test_the_words_follow_the_interval(noticed: int, total: int, words: str) -> None:
    found = examined(Deny(), names=["negate"])
    seen = tuple(
        Sensitivity(1.0, 1.0, 0.0, place < noticed, place < noticed) for place in range(total)
    )
    cell = MetricCell("m", "negate", seen, 0.5)
    alarms = replace(found.alarms[0], metric="m")
    found = replace(found, cells=(cell,), alarms=(alarms,), signatures={"m": "m"})
    assert words in conclusions(found)[0]


def test_a_score_that_falls_where_the_verdict_stays_is_reported() -> None:
    found = examined(Deny(), names=["negate"])
    cell = MetricCell("deny", "negate", (Sensitivity(1.0, 0.5, 0.5, False, False),) * 30, 1.0)
    (words,) = conclusions(replace(found, cells=(cell,)))
    assert "Its score falls where its verdict stays: negation (30 of 30)." in words


def test_examples_show_what_was_missed() -> None:
    found = examined(Deny(), Count(), names=["negate", "invert-triple"], count=5)
    missed = missed_cases(found, 2)
    assert [(one.metric, one.perturbation) for one in missed] == [
        *[("deny", "invert-triple")] * 2,
        *[("count", "invert-triple")] * 2,
        *[("count", "negate")] * 2,
    ]
    head, text, before, after = missed[0].lines()
    assert head.startswith("deny misses invert-triple in T5: Id")
    assert "(1.000 → 1.000)" in head
    assert text.startswith("  text:   ")
    assert before.startswith("  before: [-")
    assert after.startswith("  after:  {+")
    assert "{+is not+}" in missed[-1].lines()[2] or "{+was not+}" in missed[-1].lines()[2]
    assert missed_cases(found, 0) == []
    assert marked("a\nb c", [(0, 1), (4, 5)], "<", ">") == "<a> b <c>"


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "csv", "json"])
def test_every_form_is_the_same_every_time(form: str) -> None:
    one, other = (
        render(found, form, missed=missed_cases(found, 1))
        for found in (examined(Deny(), Count()), examined(Deny(), Count()))
    )
    assert one == other
    assert "invert-triple" in one


def test_there_is_one_heat_map_per_measure() -> None:
    pictures = doctor_pictures(examined(Deny(), Count()))
    assert set(pictures) == {"score-falls", "noticed", "right-place"}
    assert "negate, deny: 1.00" in pictures["noticed"]
    assert "count" not in pictures["noticed"]
    assert set(doctor_pictures(examined(Count()))) == {"score-falls"}


def test_processes_change_nothing() -> None:
    from adequa.metrics import resolve

    made = make_cases(ITEMS, named_perturbations(["negate", "add-triple"]), count=40, seed=0)
    assert examine(made, resolve(["esa"]), jobs=2) == examine(made, resolve(["esa"]), jobs=1)


def test_references_travel_along() -> None:
    from adequa.metrics import resolve

    items = [replace(one, references=(one.text,)) for one in ITEMS]
    made = make_cases(items, named_perturbations(["negate", "invert-triple"]), count=9, seed=0)
    found = examine(made, resolve(["bleu", "ter"]))
    for metric in ("bleu", "ter"):  # of which the second is better when it is lower
        assert found.cell(metric, "negate").falls == Share(9, 9)
        assert found.cell(metric, "invert-triple").ties == 9
        assert found.cell(metric, "negate").auc == 1.0
