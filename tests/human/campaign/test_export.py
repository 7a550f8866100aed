"""Exports say what was answered, in each form."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from adequa.errors import DataError, UnknownName
from adequa.human.campaign.settings import OWN_FILES, PRESETS, SPANS
from adequa.human.campaign.store import CampaignStore, export_answers, export_lines, format_of
from adequa.readers.ratings import read_ratings

from .conftest import QUESTION, sample

QUESTIONS = (QUESTION, PRESETS["webnlg2020"][0], SPANS)


@pytest.fixture
def store(make_campaign):
    opened = CampaignStore.open(make_campaign(sample(2, 2), questions=QUESTIONS))
    for rater in opened.add_raters(2):
        for _ in range(2):
            page = opened.next_page(rater.number)
            marks = [{"start": 0, "end": 5, "label": "contradicts the data"}]
            raw = {
                "sense": 2,
                "DataCoverage": 12.5,
                "errors": {"marks": marks, "omitted": [0]},
            }
            opened.answer(rater.number, page.slot, raw, 1.25)
    yield opened
    opened.close()


@pytest.mark.parametrize("name", ["ratings.jsonl", "ratings.csv"])
def test_the_long_form_is_read_back_as_it_was(store, tmp_path, name):
    path = tmp_path / name
    written = export_answers(store, path)
    ratings = list(store.ratings())
    assert list(read_ratings(path)) == ratings
    assert written == len(ratings) + name.endswith("csv")
    assert [one.name for one in tmp_path.iterdir() if one.is_file()] == [name]


def test_excluded_raters_are_left_out_unless_requested(store, tmp_path):
    store.start_round(exclude=["r001"])
    export_answers(store, tmp_path / "a.jsonl")
    export_answers(store, tmp_path / "b.jsonl", every=True)
    few, all_ = (list(read_ratings(tmp_path / name)) for name in ("a.jsonl", "b.jsonl"))
    assert {one.rater for one in few} == {"", "r002"}
    assert {one.rater for one in all_} == {"", "r001", "r002"}


def test_factgenie_gets_a_record_an_annotated_output(store, tmp_path):
    export_answers(store, tmp_path / "factgenie.jsonl")
    records = [json.loads(line) for line in (tmp_path / "factgenie.jsonl").read_text().splitlines()]
    assert len(records) == 4
    record = records[0]
    assert record["annotations"] == [{"start": 0, "text": "Ferry", "type": 1}]
    categories = [one["name"] for one in record["metadata"]["annotation_span_categories"]]
    assert categories == ["not in the data", "contradicts the data"]
    assert record["metadata"]["annotator_id"] in ("r001", "r002")
    assert record["options"] == [{"label": "sense", "index": 1, "value": "yes"}]
    assert record["sliders"] == [{"label": "DataCoverage", "value": 12.5}]
    assert record["text_fields"][0]["value"].endswith("| port | Oban")
    for one in records:
        index, system = one["example_idx"], one["setup_id"]
        (text,) = (text for text in store.texts if text.item.key == (system, one["metadata"]["id"]))
        assert one["output"] == text.item.text
        assert text.item.id == f"Id{index}"


def test_the_format_follows_the_name_and_no_export_is_half_written(store, tmp_path):
    assert format_of(tmp_path / "x.factgenie.jsonl") == "factgenie"
    with pytest.raises(UnknownName, match=r"\.csv"):
        export_answers(store, tmp_path / "x.txt")
    with pytest.raises(UnknownName, match="factgenie"):
        export_lines(store, "xml")
    with pytest.raises(DataError, match="cannot be written"):
        export_answers(store, tmp_path / "nowhere" / "x.csv")


@pytest.mark.parametrize("name", OWN_FILES)
def test_no_file_of_the_campaign_is_replaced(store, tmp_path, name):
    target = store.folder / name
    before = target.read_bytes() if target.exists() else None
    link = tmp_path / "link.jsonl"
    link.symlink_to(target)
    for path in (target, store.folder / "." / ".." / store.folder.name / name, link):
        with pytest.raises(DataError, match="campaign itself"):
            export_answers(store, path, "jsonl")
    assert (target.read_bytes() if target.exists() else None) == before
    export_answers(store, store.folder / "ratings.jsonl")
    export_answers(store, store.folder / "ratings.jsonl")


def test_a_csv_export_opens_as_text_and_is_read_back(make_campaign, tmp_path):
    texts = sample(1, 2)
    evil = replace(texts[1].item, id="=1+1", system="@x", text="- one")
    opened = CampaignStore.open(make_campaign([replace(texts[1], item=evil)]))
    (rater,) = opened.add_raters(1)
    opened.answer(rater.number, opened.next_page(rater.number).slot, {"sense": 2}, 1.0)
    export_answers(opened, tmp_path / "ratings.csv")
    assert "'=1+1,'@x,r001" in (tmp_path / "ratings.csv").read_text()
    assert list(read_ratings(tmp_path / "ratings.csv")) == list(opened.ratings())
    opened.close()
