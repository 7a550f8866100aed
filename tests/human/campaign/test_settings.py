"""A campaign's files: written, read back, and refused where they are wrong."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from adequa.data import Item, Triple
from adequa.errors import DataError
from adequa.human.campaign.model import Campaign, Eligibility, SampledText
from adequa.human.campaign.settings import (
    PRESETS,
    SPANS,
    is_campaign,
    questions_from_object,
    read_campaign,
    read_settings,
    write_campaign,
)

CAMPAIGN = Campaign(
    "ferries",
    "Ferries",
    (*PRESETS["webnlg2017"], *PRESETS["webnlg2020"], SPANS),
    instructions="Read the facts first.",
    eligibility=(Eligibility("english", "Do you read English daily?", ("yes", "no"), ("yes",)),),
    raters_per_text=2,
    seed=7,
)


def sampled(number: int, text: str = "The Alba sails to Oban.") -> SampledText:
    item = Item(f"Id{number}", (Triple("Alba", "port", "Oban"),), text, "T5", "Ship")
    cell = {"category": "Ship", "size": "1", "difficulty": "low"}
    return SampledText(item, "1", cell, {"semantics": 3.0} if number == 1 else {})


def test_a_campaign_comes_back_as_it_was_written(tmp_path):
    texts = [sampled(1), sampled(2, "")]
    assert not is_campaign(tmp_path)
    write_campaign(tmp_path, CAMPAIGN, texts)
    assert is_campaign(tmp_path)
    assert read_campaign(tmp_path) == (CAMPAIGN, texts)
    assert [text.is_shown for text in texts] == [True, False]
    with pytest.raises(DataError, match="is already a campaign"):
        write_campaign(tmp_path, CAMPAIGN, texts)


def test_the_lowest_score_is_that_of_the_scale():
    assert [question.lowest for question in CAMPAIGN.questions] == [1] * 3 + [0] * 5 + [None]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"version": 2}, "version 2"),
        ({"name": "../up"}, "name"),
        ({"title": " "}, "title"),
        ({"questions": []}, "asks nothing"),
        ({"questions": {}}, "not a list"),
        ({"questions": [{"kind": "stars"}]}, "'stars'"),
        ({"questions": [{"kind": "choice", "name": "a", "text": "?", "choices": []}]}, "no choice"),
        ({"questions": [{"kind": "slider", "name": "a", "text": "?", "low": 9, "high": 1}]}, "9"),
        ({"questions": [{"kind": "slider", "name": "a", "text": "?", "low": True}]}, "low"),
        ({"questions": [{"kind": "slider", "name": "a", "text": "?", "size": 1}]}, "'size'"),
        ({"questions": [{"kind": "spans", "name": "a", "text": "?"}]}, "nothing to mark"),
        ({"questions": [{"kind": "slider", "name": "a", "text": "?"}] * 2}, "twice"),
        ({"eligibility": [{"name": "a", "text": "?", "options": ["x"], "accepted": ["y"]}]}, "y"),
        ({"raters_per_text": 0}, "raters_per_text"),
        ({"texts_per_rater": 1.5}, "texts_per_rater"),
        ({"seed": -1}, "seed"),
        ({"colour": "red"}, "'colour'"),
    ],
)
def test_a_wrong_setting_is_named(tmp_path, change, problem):
    write_campaign(tmp_path, CAMPAIGN, [sampled(1)])
    path = tmp_path / "campaign.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(DataError, match=problem) as caught:
        read_settings(tmp_path)
    assert caught.value.path == path
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"task": ""}, "task"),
        ({"id": "Id9"}, "is about"),
        ({"cell": {"size": 1}}, "cell"),
        ({"control": {"semantics": "3"}}, "control"),
        ({"control": {"beauty": 3}}, "not asked"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_a_wrong_line_of_the_sample_is_named(tmp_path, row, problem):
    write_campaign(tmp_path, CAMPAIGN, [sampled(1)])
    path = tmp_path / "sample.jsonl"
    path.write_text(json.dumps(json.loads(path.read_text()) | row) + "\n")
    with pytest.raises(DataError, match=problem) as caught:
        read_campaign(tmp_path)
    assert (caught.value.path, caught.value.line) == (path, 1)


def test_files_of_unequal_length_and_no_files_are_errors(tmp_path):
    with pytest.raises(DataError, match="does not exist"):
        read_settings(tmp_path)
    write_campaign(tmp_path, CAMPAIGN, [sampled(1), sampled(2)])
    path = tmp_path / "sample.jsonl"
    path.write_text(path.read_text().splitlines(keepends=True)[0])
    with pytest.raises(DataError, match="1 lines for the 2 texts"):
        read_campaign(tmp_path)


def test_presets_are_campaigns(tmp_path):
    for name, questions in PRESETS.items():
        campaign = replace(CAMPAIGN, questions=questions)
        write_campaign(tmp_path / name, campaign, [])
        assert read_settings(tmp_path / name) == campaign


def test_severities_are_read_and_written_and_belong_to_marks() -> None:
    raw = {
        "name": "errors",
        "text": "Mark.",
        "kind": "spans",
        "labels": ["wrong"],
        "severities": ["minor", "major"],
    }
    (question,) = questions_from_object([raw])
    assert question.severities == ("minor", "major")
    for change, problem in (
        ({"labels": [], "omissions": True}, "has severities, but nothing to mark"),
        ({"severities": ["minor", "minor"]}, "the severity 'minor' occurs twice"),
        ({"severities": "minor"}, "'severities' is a string"),
        ({"severities": [""]}, "a severity of the question 'errors' is not a text"),
    ):
        with pytest.raises(DataError, match=problem):
            questions_from_object([raw | change])
