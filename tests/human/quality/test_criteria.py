"""One criterion over all raters."""

from __future__ import annotations

import pytest

from adequa.data import Rating
from adequa.human.judgments import Scale
from adequa.human.quality.criteria import standings, study_criterion, study_spans

# Krippendorff's worked example: rows are raters, a dot is no rating (alpha .743, .815, .849).
WORKED = (
    "1 2 3 3 2 1 4 1 2 . . .",
    "1 2 3 3 2 2 4 1 2 5 . 3",
    ". 3 3 3 2 3 4 2 2 5 1 .",
    "1 2 3 3 2 4 4 1 2 5 1 .",
)


def matrix(*rows: str) -> list[Rating]:
    return [
        Rating(f"Id{place:02}", "T5", name, "fluency", float(value))
        for name, row in zip("abcdefgh", rows, strict=False)
        for place, value in enumerate(row.split())
        if value != "."
    ]


def looked(*rows: str, controls: dict[tuple[str, str], float] | None = None):
    return study_criterion(
        "fluency",
        matrix(*rows),
        Scale(1, 5),
        controls=controls or {},
        restarts=2,
    )


def test_alpha_is_krippendorffs():
    found = looked(*WORKED)
    assert {name: round(one.value, 3) for name, one in found.alpha.items()} == {
        "nominal": 0.743,
        "ordinal": 0.815,
        "interval": 0.849,
    }
    assert (found.texts, found.raters, found.ratings) == (12, 4, 41)
    assert found.pairs == (6, 6)


def test_the_mean_kappa_is_weighed_by_shared_texts():
    found = looked("1 1 2 2", "1 1 2 1", "1 2 . .")
    # a-b .5 of four texts; a-c and b-c 0 of two: c says 2 where they say 1.
    assert found.cohen == pytest.approx((0.5 * 4 + 0 * 2 + 0 * 2) / 8)


def test_texts_on_which_all_agree_are_not_contested():
    found = looked("1 2 3 1", "1 2 3 2", "1 2 3 3")
    assert [one.key[1] for one in found.contested] == ["Id03"]
    assert found.contested[0].values == (1, 2, 3)
    assert found.contested[0].entropy > 0


def test_no_competence_without_company_or_variation():
    alone = looked("1 2 3 . .", ". . . 1 2")
    assert (alone.competence, alone.reason) == ({}, "no text has two answers")
    equal = looked("2 2 2", "2 2 2")
    assert (equal.competence, equal.reason) == ({}, "all answers are equal")
    assert equal.alpha["nominal"].value is None
    one = looked("1 2 3 1 . .", "1 2 3 1 . .", ". . . . 3 3")
    assert sorted(one.competence) == ["a", "b"]


def test_controls_hold_the_labels():
    found = looked("1 2", "2 1", controls={("T5", "Id00"): 2, ("T5", "Id01"): 1})
    assert found.competence["b"] > found.competence["a"]
    assert [one.entropy for one in found.contested] == [0, 0]


def test_half_of_the_raters_must_be_trusted():
    found = looked(*WORKED)
    assert found.is_reliable(0.25)
    assert not found.is_reliable(1.0)
    assert found.doubted(1.0) == 4


def test_a_rater_beside_the_others():
    found = standings(matrix("1 2 3 1", "2 3 3 .", "2 3 2 ."))
    one = found["a"]
    assert (one.answers, one.shared, one.mean) == (4, 3, 1.75)
    assert one.bias == pytest.approx((-1 - 1 + 0.5) / 3)
    assert one.deviation == pytest.approx((1 + 1 + 0.5) / 3)
    assert one.agreement == pytest.approx(0.5)
    alone = standings(matrix("1 2"))["a"]
    assert (alone.shared, alone.agreement, alone.bias, alone.deviation) == (0, None, None, None)
    assert standings(matrix("2 2 2", "1 2 3"))["a"].agreement is None


def test_texts_whose_names_run_together_stay_apart():
    rows = [
        Rating(text, system, rater, "fluency", value)
        for system, text, value in (("a", "b c", 1), ("a b", "c", 3), ("d", "e", 2))
        for rater in ("ann", "bob")
    ]
    found = study_criterion("fluency", rows, Scale(1, 3), controls={}, restarts=1)
    assert found.texts == 3
    assert found.contested == ()


def marked(rater: str, *spans: tuple[int, int, str, str], text: str = "Id1") -> Rating:
    found = tuple(
        {"start": start, "end": end, "label": label, "severity": severity, "text": "…"}
        for start, end, label, severity in spans
    )
    left_out = {"triple": ["a", "b", "c"], "label": "omission"}
    return Rating(text, "T5", rater, "errors", len(found), spans=(*found, left_out))


def test_marked_spans_are_compared_by_character() -> None:
    ratings = [
        marked("a", (0, 10, "wrong", "minor"), (20, 24, "new", "major")),
        marked("b", (4, 10, "wrong", "major"), (20, 24, "wrong", "major")),
        marked("a", text="Id2"),
        marked("b", text="Id2"),
        marked("a", (0, 5, "wrong", "minor"), text="Id3"),  # nobody else read it
    ]
    found = study_spans(ratings, {("T5", "Id1"): "x" * 60})
    assert found is not None
    assert (found.marks, found.pairs) == (5, 2)
    assert found.f1 == pytest.approx(2 * 10 / (14 + 10))
    assert found.typed_f1 == pytest.approx(2 * 6 / (14 + 10))
    assert found.severity == pytest.approx(4 / 10)
    assert found.gamma.value is not None
    assert 0 < found.gamma.value < 1
    assert found.gamma.items == 2


def test_a_criterion_without_marks_has_no_spans() -> None:
    assert looked(*WORKED).spans is None
    assert study_spans([marked("a"), marked("b")], {}) is None
    one = study_spans([marked("a", (0, 3, "x", "minor"))], {})
    assert one is not None
    assert (one.f1, one.gamma.value, one.severity) == (None, None, None)
