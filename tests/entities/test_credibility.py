"""How likely findings on records are right, and which are dropped."""

from __future__ import annotations

import pytest

from adequa.entities import JudgmentSettings, judge, read_findings
from adequa.entities import credibility as module
from adequa.entities.credibility import Credibility, read_credibility, rule_of
from adequa.readers.records import read_record

RECORD = {
    "station": "Tolmin",
    "visitors": 4120,
    "staff": 36,
    "halls": [{"name": "Loka", "area_m2": 310}, {"name": "Brod", "area_m2": 275}],
}


def features(text: str) -> dict[str, float]:
    """The features of the first finding in a text about the record."""
    reader = read_findings(read_record(RECORD, text, id="1").item)
    return reader.read(reader.found[0])


def spans(text: str) -> list[float | None]:
    """The confidences of the findings that are kept."""
    judgment = judge(read_record(RECORD, text, id="1").item, JudgmentSettings())
    return [one.confidence for one in judgment.unexplained]


def test_a_value_beside_its_field() -> None:
    found = features("Tolmin had 4,210 visitors.")
    assert rule_of(found) == "rule number"
    assert found["counterpart"] == found["field named"] == 1
    assert found["near"] == found["digits exchanged"] == 1
    assert found["far"] == found["one digit differs"] == 0


def test_a_yes_or_no_beside_words_of_its_field() -> None:
    record = {"inn": "Lamsen", "pets": {"Rex": False}, "sauna_heated": False, "faults": 0}
    reader = read_findings(read_record(record, "Lamsen has a heated sauna.", id="1").item)
    (found,) = (reader.read(one) for one in reader.found)
    assert rule_of(found) == "rule truth"
    assert found["truth: of the record"] == found["field named"] == 1
    assert found["truth: one word"] == found["truth: a count of 0"] == found["below a key"] == 0


def test_one_digit() -> None:
    assert features("Tolmin had 4,150 visitors.")["one digit differs"] == 1


def test_a_number_that_two_others_of_the_text_make() -> None:
    text = "Tolmin had 98,761 visitors. It let 90,211 in at the door and 8,530 before."
    assert features(text)["calculated from text"] == 0
    assert features(text.replace("8,530", "8,550"))["calculated from text"] == 1


def test_a_long_number_that_nothing_makes() -> None:
    assert features("Tolmin had 98,761 visitors.")["not calculated"] == 1


def test_the_probability_and_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = "Tolmin had 4,210 visitors."
    others = {"rule role owner": -5.0, "rule field count": -5.0}
    weights = {"rule number": 0.0, "near": 2.0, **others}
    model = Credibility(weights, offset=-1.0, limit=0.6)
    monkeypatch.setattr(module, "read_credibility", lambda: model)
    assert spans(f"{wrong} ") == [pytest.approx(0.731059)]
    strict = Credibility(model.weights, model.offset, limit=0.8)
    monkeypatch.setattr(module, "read_credibility", lambda: strict)
    assert spans(f"{wrong}  ") == []  # other spaces: judgments are cached by text


def test_a_rule_that_the_model_does_not_know_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Credibility({"rule name": 0.0}, offset=-9.0, limit=0.9)
    monkeypatch.setattr(module, "read_credibility", lambda: model)
    assert spans("Tolmin had 4,210 visitors.   ") == [None]


def test_without_a_model_all_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "read_credibility", lambda: None)
    assert spans("Tolmin had 4,210 visitors.    ") == [None]


def test_the_model_of_the_package() -> None:
    model = read_credibility()
    assert model is not None
    assert 0 < model.limit < 1
    assert model.fitted_on.startswith("3146 records")
    known = features("Tolmin had 4,210 visitors.")
    unknown = features("Tolmin had 98,761 visitors.")
    first, second = model.chance(known), model.chance(unknown)
    assert first is not None
    assert second is not None
    assert first > model.limit
    assert first > second


def test_two_zeros_do_not_differ() -> None:
    reader = read_findings(read_record(RECORD, "Tolmin had 0 visitors.", id="1").item)
    assert all(reader.read(one) for one in reader.found)
