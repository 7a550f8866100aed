"""One rater beside the others."""

from __future__ import annotations

import pytest

from adequa.data import Rating
from adequa.errors import UnknownName
from adequa.human.quality.raters import QualitySettings, assess_raters
from adequa.human.quality.report import details


def rating(text: str, rater: str, value: float, **more: object) -> Rating:
    return Rating(text, "A", rater, "fluency", value, **more)


@pytest.fixture
def quality():
    return assess_raters(
        [
            rating("near", "ann", 2, seconds=4, meta={"text": "told beside it"}),
            rating("near", "bob", 2),
            rating("far", "ann", 1),
            rating("far", "bob", 3),
            rating("far", "cy", 3),
            rating("own", "ann", 3),
        ],
        settings=QualitySettings(restarts=1),
    )


def test_the_furthest_from_the_others_comes_first(quality):
    found = details(quality, "ann", {("A", "own"): "given"})
    assert [(one.key[1], one.apart, one.text) for one in found.judged] == [
        ("far", 1.0, None),
        ("near", 0.0, "told beside it"),
        ("own", None, "given"),
    ]
    assert found.judged[0].others == ({"fluency": 3.0}, {"fluency": 3.0})
    assert found.to_object()["judgments"][1] == {
        "system": "A",
        "id": "near",
        "values": {"fluency": 2},
        "others": [{"fluency": 2}],
        "apart": 0.0,
        "seconds": 4,
        "text": "told beside it",
    }


def test_a_rater_who_is_not_there(quality):
    with pytest.raises(UnknownName, match="did you mean 'ann'"):
        details(quality, "anna")
