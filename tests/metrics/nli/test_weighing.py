"""How evidence is weighed, and what a calibration file may say of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.errors import ModelError, UnknownName
from adequa.metrics.nli.signs import (
    FACT_SIGNS,
    WORD_SIGNS,
    WRONG_VALUE,
    Weigher,
    Weighing,
    read_weighing,
)

from ...tiny_weights import calibration, seal, write_weights

NUMBERS = st.floats(-50, 50)
STATED = {"slope": 1.5, "offset": -0.25, "signs": {"object missing": -2.0, "object named": 0.5}}
UNSUPPORTED = {"slope": 0.5, "offset": 0.125, "signs": {"mentioned": -1.0, "unexplained": 2.0}}
GOOD = {"stated": STATED, "unsupported": UNSUPPORTED}
Write = Callable[[object], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Weights whose `calibration.json` holds this; None leaves the file out."""

    def made(content: object) -> Path:
        folder = write_weights(tmp_path / "weights")
        path = folder / "calibration.json"
        if content is None:
            path.unlink()
        else:
            text = content if isinstance(content, str) else json.dumps(content)
            path.write_text(text, encoding="utf-8")
        seal(folder)
        return folder

    return made


def test_weights_that_say_nothing_leave_the_logit() -> None:
    assert Weigher()(2.5, [*FACT_SIGNS, *WORD_SIGNS]) == 2.5
    assert Weighing() == Weighing(Weigher(), Weigher(stated=False), None)


@given(NUMBERS, NUMBERS, NUMBERS, NUMBERS)
def test_a_sign_is_added_once_to_a_line(slope: float, offset: float, sign: float, x: float) -> None:
    weigher = Weigher(slope, offset, {"mentioned": sign})
    assert weigher(x) == pytest.approx(slope * x + offset)
    assert weigher(x, ["mentioned"]) == pytest.approx(weigher(x) + sign)
    assert weigher(x, ["unexplained"]) == weigher(x)


@given(NUMBERS)
def test_a_wrong_value_is_believed_whatever_the_model_says(logit: float) -> None:
    stated, unsupported = Weigher(), Weigher(stated=False)
    assert stated(logit, [WRONG_VALUE]) <= min(logit, -1)
    assert unsupported(logit, [WRONG_VALUE]) >= max(logit, 1)
    signed = Weigher(signs={"mentioned": -40.0}, stated=False)
    assert signed(logit, ["mentioned", WRONG_VALUE]) >= 1


def test_what_a_calibration_says(write: Write) -> None:
    folder = write({"similarity": calibration(), "nli": {**GOOD, "fitted_on": "towns/dev"}})
    found = read_weighing(str(folder))
    assert found.stated == Weigher(1.5, -0.25, {"object missing": -2.0, "object named": 0.5})
    signs = {"mentioned": -1.0, "unexplained": 2.0}
    assert found.unsupported == Weigher(0.5, 0.125, signs, stated=False)
    assert found.fitted_on == "towns/dev"


@pytest.mark.parametrize("content", [None, {}, {"similarity": {}}, {"nli": None}])
def test_weights_without_a_weighing(write: Write, content: object) -> None:
    assert read_weighing(str(write(content))) == Weighing()


def changed(part: str, **values: Any) -> dict[str, Any]:
    return {**GOOD, part: {**GOOD[part], **values}}


@pytest.mark.parametrize(
    "wrong",
    [
        [],
        "stated",
        {"stated": STATED},
        {**GOOD, "unsupported": None},
        {**GOOD, "stated": {"offset": 0.0, "signs": {}}},
        changed("stated", slope="steep"),
        changed("stated", slope=0.0),
        changed("unsupported", slope=-1.0),
        changed("stated", offset=float("nan")),
        changed("stated", offset=10**400),
        changed("stated", signs={"object missing": float("inf")}),
        changed("stated", signs={"mentioned": 1.0}),  # that is of words
        changed("unsupported", signs={"object named": 1.0}),  # and that of facts
        changed("stated", signs=None),
        changed("stated", signs=["object missing"]),
    ],
)
def test_a_broken_weighing_names_file_and_remedy(write: Write, wrong: object) -> None:
    folder = write({"nli": wrong})
    with pytest.raises(ModelError) as raised:
        read_weighing(str(folder))
    assert str(folder / "calibration.json") in str(raised.value)
    assert "adequa train weigh" in str(raised.value)


def test_files_that_are_no_calibration(write: Write) -> None:
    folder = write("{")
    with pytest.raises(ModelError, match=r"calibration\.json: is not JSON"):
        read_weighing(str(folder))
    with pytest.raises(UnknownName, match="nowhere"):
        read_weighing("nowhere")
