"""The pictures are SVG that says what was measured."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest

from adequa.charts import curves_picture, reliability_picture
from adequa.stats.reliability import reliability

SVG = "{http://www.w3.org/2000/svg}"
LOG = [
    {"loss": 2.0, "grad_norm": 1.0, "learning_rate": 1e-4, "epoch": 0.1, "step": 10, "hits": 0.2},
    {"dev_r@1": 0.4, "step": 15, "epoch": 0.15},
    {"loss": 1.0, "learning_rate": 5e-5, "epoch": 0.2, "step": 20, "hits": 0.8},
    {"dev_r@1": 0.6, "step": 30, "epoch": 0.3},
    {"train_runtime": 9.0, "train_loss": 1.5, "step": 30},
]


def curves(picture: str) -> dict[str, list[tuple[float, float]]]:
    found = {}
    for line in ET.fromstring(picture).iter(f"{SVG}polyline"):
        title = line.find(f"{SVG}title")
        points = [tuple(map(float, point.split(","))) for point in line.attrib["points"].split()]
        found[title.text if title is not None else ""] = points
    return found


def test_curves_are_the_log() -> None:
    found = curves(curves_picture(LOG, "encoder & co"))
    assert set(found) == {"loss", "hits", "r@1"}
    (x1, y1), (x2, y2) = found["loss"]
    assert x1 < x2
    assert y1 < y2  # less is further down
    (_, low), (_, high) = found["r@1"]
    assert low > high
    assert curves_picture(LOG, "encoder & co") == curves_picture(LOG, "encoder & co")


@pytest.mark.parametrize("log", [[], LOG[1:2], [{"loss": float("nan"), "step": 10}]])
def test_a_log_that_has_hardly_begun_is_drawn(log: list[dict[str, float]]) -> None:
    picture = curves_picture(log, "begun")
    assert ET.fromstring(picture).tag == f"{SVG}svg"
    assert "nan" not in picture


def test_a_reliability_diagram() -> None:
    before = reliability([0.05, 0.95, 0.95, 0.55], [0, 1, 0, 1])
    after = reliability([0.1, 0.6, 0.6, 0.6], [0, 1, 0, 1])
    picture = reliability_picture(before.bins, after.bins, "stated <b>", "4 cases")
    assert ET.fromstring(picture).tag == f"{SVG}svg"
    assert len(re.findall('class="before"', picture)) == 3
    assert len(re.findall('class="calibrated"', picture)) == 2
