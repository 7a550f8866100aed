"""Control items, patterns, speed, and the flags of raters."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adequa.data import Rating
from adequa.errors import AdequaError, DataError, SettingError, UnknownName
from adequa.human.judgments import Scale, gather
from adequa.human.quality.raters import (
    AnswerPattern,
    ControlResult,
    Pace,
    Quality,
    QualitySettings,
    assess_raters,
    control_results,
    known_values,
    of_criteria,
    paces,
    patterns,
)
from adequa.human.quality.report import quality_to_object
from bench.simulated_campaign import campaign


def rating(text: str, rater: str, value: float, control: object = None) -> Rating:
    meta = {} if control is None else {"control": control}
    return Rating(text, "T5", rater, "fluency", value, meta=meta)


def test_from_the_ratings_themselves_and_from_a_file():
    rows = [rating("a", "ann", 1, 3), rating("b", "ann", 2)]
    known = known_values(rows, [rating("b", "anyone", 2)])
    assert known == {"fluency": {("T5", "a"): 3, ("T5", "b"): 2}}
    assert control_results(rows, known, {"fluency": Scale(1, 3)}) == {"ann": ControlResult(2, 1)}
    assert known_values([rating("b", "ann", 2)]) == {}


def test_on_a_slider_a_bins_width_is_near_enough():
    rows = [rating("a", "ann", 61, 80), rating("b", "ann", 59, 80)]
    found = control_results(rows, known_values(rows), {"fluency": Scale(0, 100, 5)})["ann"]
    assert (found.right, found.accuracy) == (1, 0.5)


def test_more_wrong_than_right_is_reported_from_three_answers_on():
    assert ControlResult(2, 0).reason == ""
    assert ControlResult(4, 2).reason == ""
    assert ControlResult(3, 1).reason == "1 of 3 control items right"


def test_wrong_control_items_are_refused():
    with pytest.raises(DataError, match="two right values"):
        known_values([rating("a", "ann", 1, 3), rating("a", "bob", 1, 2)])
    with pytest.raises(DataError, match="among the rated texts"):
        known_values([rating("a", "ann", 1)], [rating("b", "", 1)])
    for value in ("3", True, math.nan, math.inf):
        with pytest.raises(DataError, match="control value"):
            known_values([rating("a", "ann", 1, value)])


SHORT = {name: Scale(1, 3) for name in ("fluency", "grammar", "semantics")}
SLIDER = {"fluency": Scale(0, 100, 5)}


def judged(rater: str, *answers: str) -> list[Rating]:
    """Each text as "fluency-grammar-semantics"."""
    return [
        Rating(f"Id{number}", "T5", rater, name, float(value))
        for number, answer in enumerate(answers)
        for name, value in zip(SHORT, answer.split("-"), strict=True)
        if value != "x"
    ]


def slid(rater: str, *values: float) -> list[Rating]:
    return [Rating(f"Id{n}", "T5", rater, "fluency", value) for n, value in enumerate(values)]


def test_always_the_same_pattern_needs_more_than_ten_texts():
    for count, reason in ((10, ""), (11, "always 2-3-3 (11 texts; nobody else judged them)")):
        found = patterns(judged("ann", *["2-3-3"] * count), SHORT)["ann"]
        assert found.reason == reason
        assert found.constant == bool(reason)
    assert patterns(judged("ann", *["2-3-3"] * 3), SHORT, least=2)["ann"].constant


def test_a_share_of_one_pattern_stands_beside_that_of_the_others():
    ann = judged("ann", *["3-3-3"] * 19, "1-1-1")
    bob = judged("bob", *["3-3-3"] * 5, *["1-2-3"] * 15)
    found = patterns([*ann, *bob], SHORT)
    assert found["ann"] == AnswerPattern(20, "3-3-3", 0.95, 0.25, 1.0, True)
    assert found["ann"].reason == "3-3-3 in 95% of 20 texts; others: 25%"
    assert not found["ann"].constant
    assert found["bob"].reason == ""


def test_who_answers_as_all_others_do_is_not_reported():
    both = [*judged("ann", *["3-3-3"] * 20), *judged("bob", *["3-3-3"] * 20)]
    assert [one.reason for one in patterns(both, SHORT).values()] == ["", ""]


def test_an_answer_that_was_not_given_is_shown():
    found = patterns(judged("ann", "1-x-3"), SHORT)["ann"]
    assert found.common == "1-·-3"


def test_of_equally_common_patterns_the_first_by_the_alphabet():
    assert patterns(judged("ann", "2-2-2", "1-1-1"), SHORT)["ann"].common == "1-1-1"


def test_near_constant_sliders():
    close = slid("ann", *[50 + number % 5 for number in range(20)])
    found = patterns(close, SLIDER)["ann"]
    assert found.constant
    assert found.reason == "nearly always 50: within 4% of the scale"
    wide = slid("ann", *[41, *[50] * 19])
    assert not patterns(wide, SLIDER)["ann"].constant
    assert "50 in 100% of 20 texts" in patterns(wide, SLIDER)["ann"].reason


def test_a_negative_number_of_texts_is_refused():
    with pytest.raises(SettingError, match="0 or more"):
        patterns(judged("ann", "1-1-1"), SHORT, least=-1)


def timed(rater: str, *seconds: float | None) -> list[Rating]:
    """A page of two questions for each."""
    return [
        Rating(f"Id{number}", "T5", rater, name, 2, seconds=value)
        for number, value in enumerate(seconds)
        for name in ("fluency", "grammar")
    ]


def test_a_page_counts_once_and_the_median_tells():
    found = paces([*timed("ann", 1, 2, 2.5), *timed("bob", 20, 30, 40, 50)])
    assert found["ann"] == Pace(3, 2, 20, "2 s per page (median of 3), below 3 s")
    assert found["bob"] == Pace(4, 35, 20)


def test_a_share_of_the_campaigns_median():
    rows = [*timed("ann", 5, 6, 7), *timed("bob", *[40] * 9)]
    assert paces(rows)["ann"].reason == "6 s per page (median of 3), the campaign's median is 40 s"
    assert paces(rows, share=0.1)["ann"].reason == ""


def test_two_pages_tell_nothing():
    assert paces(timed("ann", 0.1, 0.2))["ann"].reason == ""


def test_not_recorded_is_not_fast():
    found = paces([*timed("ann", None, None, None), *timed("bob", None, 4, 5, 6)])
    assert found["ann"] == Pace(0, None, 5)
    assert found["bob"] == Pace(3, 5, 5)
    assert paces(timed("ann", None))["ann"] == Pace(0, None, None)


def test_impossible_times_and_limits_are_refused():
    with pytest.raises(DataError, match="'ann' took -1 seconds"):
        paces(timed("ann", -1))
    for wrong in ({"floor": -1}, {"floor": math.nan}, {"share": 1}, {"share": -0.1}):
        with pytest.raises(SettingError, match="floor"):
            paces(timed("ann", 1), **wrong)


CRITERIA = ("fluency", "grammar", "semantics")
QUICK = QualitySettings(restarts=2)

judgments = st.lists(
    st.builds(
        Rating,
        id=st.sampled_from(["Id1", "Id2", "Id3"]),
        system=st.sampled_from(["good", "bad"]),
        rater=st.sampled_from(["ann", "bob", "cy", ""]),
        criterion=st.sampled_from(["fluency", "grammar"]),
        value=st.sampled_from([1.0, 2.0, 3.0]) | st.floats(0, 100),
        seconds=st.none() | st.floats(0, 60),
        meta=st.just({}),
    ),
    min_size=4,
    max_size=40,
)


def answers(truth: int, offset: int = 0) -> dict[str, int]:
    """Three values that depend on the text alone."""
    return {name: (truth + offset + place) % 3 + 1 for place, name in enumerate(CRITERIA)}


def page(text: int, rater: str, values: dict[str, int], seconds: float | None = 20) -> list[Rating]:
    return [
        Rating(f"Id{text}", "AB"[text % 2], rater, name, value, seconds=seconds)
        for name, value in values.items()
    ]


def good(*raters: str, texts: int = 30) -> list[Rating]:
    return [one for n in range(texts) for who in raters for one in page(n, who, answers(n * n))]


def by_name(quality: Quality):
    return {rater.name: rater for rater in quality.raters}


def test_each_kind_of_odd_rater_is_flagged_with_its_reason():
    generator = random.Random(3)
    ratings = good("ann", "bob", "cy", "dee")
    for n in range(30):
        ratings += page(n, "always", dict.fromkeys(CRITERIA, 3))
        ratings += page(n, "fast", answers(n * n), seconds=1)
        ratings += page(n, "guess", {name: generator.randint(1, 3) for name in CRITERIA})
        ratings += page(n, "one", {**answers(n * n), "grammar": generator.randint(1, 3)})
    controls = [one for n in range(4) for one in page(n, "", answers(n * n))]
    found = assess_raters(ratings, settings=QUICK, controls=controls)
    raters = by_name(found)
    assert {rater.name for rater in found.flagged} == {"always", "fast", "guess", "one"}
    assert raters["always"].reasons[0] == "always 3-3-3 (30 texts; others: 0%)"
    assert raters["fast"].reasons == ("1 s per page (median of 30), below 3 s",)
    assert "low competence in all 3" in raters["guess"].reasons
    assert raters["one"].reasons == ("low competence in 1 of 3: grammar",)
    assert set(found.in_all) == {"always", "fast", "guess"}
    assert raters["one"].extent == "some"
    assert found.raters[3].name == "one"
    assert raters["ann"].controls is not None
    assert raters["ann"].controls.accuracy == 1
    assert "4 of 12 control items right" in raters["always"].reasons  # each text has one 3


def test_few_answers_flag_no_competence_but_are_noted():
    ratings = good("ann", "bob", "cy") + [
        one for n in range(5) for one in page(n, "new", answers(n * n, 1))
    ]
    found = assess_raters(ratings, settings=QUICK)
    assert by_name(found)["new"].flags == ()
    assert by_name(found)["new"].competence["fluency"] < 0.5
    assert "1 of 4 raters judged at most 10 texts" in " ".join(found.notes)
    assert by_name(assess_raters(ratings, settings=QualitySettings(restarts=2, least=4)))[
        "new"
    ].flags


def test_a_rater_of_texts_that_nobody_else_judged():
    ratings = good("ann", "bob") + [
        one for n in range(50, 65) for one in page(n, "nobody", dict.fromkeys(CRITERIA, 1), None)
    ]
    found = assess_raters(ratings, settings=QUICK)
    alone = by_name(found)["nobody"]
    assert alone.alone
    assert alone.competence == {}
    assert alone.extent == "all"
    assert found.in_all == ()
    assert any(note.startswith("nobody judged only texts") for note in found.notes)


def test_a_criterion_on_which_nobody_agrees_flags_nobody():
    generator = random.Random(1)
    ratings = [
        Rating(f"Id{n}", "A", f"r{who}", "noise", generator.randint(1, 3))
        for n in range(60)
        for who in range(6)
    ]
    found = assess_raters(ratings, settings=QUICK)
    assert found.flagged == ()
    assert any("the criterion is in doubt rather than the raters" in note for note in found.notes)


def test_a_simulated_campaign_is_seen_through():
    simulated = campaign(5, items=1000, raters=30, spammers=10)
    found = assess_raters(
        [
            Rating(item, "A", who, "label", float("abc".index(str(label))))
            for item, who, label in simulated.rows
        ],
        settings=QUICK,
    )
    named = set(found.in_all)
    assert len(named & simulated.spammers) >= 9
    assert len(named - simulated.spammers) <= 1


@settings(max_examples=40)
@given(judgments, st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(rows: list[Rating], order: random.Random) -> None:
    def written(ratings: list[Rating]) -> str:
        try:
            found = assess_raters(ratings, settings=QualitySettings(restarts=1, least=0))
        except AdequaError as error:  # the same for any order, too
            return str(error)
        return json.dumps(quality_to_object(found), allow_nan=False)

    shuffled = list(rows)
    order.shuffle(shuffled)
    assert written(rows) == written(shuffled)


def test_one_rater_only():
    found = assess_raters(good("ann"), settings=QUICK)
    assert found.flagged == ()
    assert "no text has two answers" in " ".join(found.notes)
    assert found.criteria[0].alpha["nominal"].reason == "no item has two ratings"
    json.dumps(quality_to_object(found), allow_nan=False)


def test_all_answers_equal():
    rows = [
        one for n in range(20) for who in "ab" for one in page(n, who, dict.fromkeys(CRITERIA, 3))
    ]
    found = assess_raters(rows, settings=QUICK)
    assert found.flagged == ()
    assert "all answers are equal" in " ".join(found.notes)
    written = quality_to_object(found)
    assert written["criteria"]["fluency"]["alpha"] == {
        "nominal": None,
        "ordinal": None,
        "interval": None,
    }


def test_criteria_are_chosen_by_name():
    rows = good("ann", "bob", texts=2)
    assert {one.criterion for one in of_criteria(rows, ["grammar"])} == {"grammar"}
    assert of_criteria(rows, []) == rows
    with pytest.raises(UnknownName, match=r"grammer.*did you mean 'grammar'"):
        of_criteria(rows, ["grammer"])


def test_wrong_settings_are_refused():
    with pytest.raises(SettingError, match="from 0 to 1"):
        QualitySettings(below=2)
    with pytest.raises(UnknownName, match="method"):
        assess_raters(good("ann", "bob"), settings=QualitySettings(method="gibbs"))
    with pytest.raises(SettingError, match="two bins"):
        assess_raters(good("ann", "bob"), settings=QualitySettings(bins=1))


@pytest.mark.data
def test_the_judgments_of_2017(data_dir: Path) -> None:
    path = data_dir / "webnlg2017" / "human" / "all_data_final_scores_anonymised.csv"
    found = assess_raters(gather([path]), settings=QUICK)
    written = quality_to_object(found)
    assert len(found.raters) == 253
    # 193 empty texts were shown to nobody, and one page was judged twice.
    assert len(found.ratings) == 3 * (6_111 - 193 - 1)
    assert any(note.startswith("3 ratings were given twice") for note in found.notes)
    assert {
        name: round(one["alpha"]["ordinal"], 2) for name, one in written["criteria"].items()
    } == {
        "fluency": 0.42,
        "grammar": 0.32,
        "semantics": 0.53,
    }
    assert len(found.in_all) < 20


@pytest.mark.data
def test_the_judgments_of_2020(data_dir: Path) -> None:
    found = assess_raters(
        gather([data_dir / "webnlg2020" / "human" / "judgments.jsonl"]), settings=QUICK
    )
    assert len(found.raters) == 85
    assert [one.scale.bins for one in found.criteria] == [5] * 5
    assert {one.name for one in found.criteria if not one.is_reliable(found.settings.below)} == {
        "Fluency",
        "TextStructure",
    }
    assert "en_worker_10" in found.in_all
