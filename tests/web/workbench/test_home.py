"""Campaigns in the workbench are read-only in every state."""

from __future__ import annotations

import pytest

from adequa.errors import DataError
from adequa.human.campaign.store import CampaignStore
from adequa.web.workbench.home import open_campaign


def answered(folder, count):
    store = CampaignStore.open(folder)
    store.add_raters(2)
    for _ in range(count):
        page = store.next_page(1)
        given = {one.name: one.choices[0].value for one in store.campaign.questions}
        store.answer(1, page.slot, given, 3.0)
    store.close()


def test_before_it_begins_the_samples_numbers_are_shown(place, campaign):
    opened = open_campaign(campaign)
    assert opened.progress().overview is None
    assert (opened.needed, dict(opened.systems)) == (12, {"T5": 3, "LSTM": 3})
    page = place(campaigns=(campaign,)).get(f"/campaigns/{opened.id}").text
    assert "Not started" in page
    assert "adequa human serve campaign" in page
    assert not (campaign / "campaign.db").exists()


def test_progress_is_read_and_nothing_written(place, campaign):
    answered(campaign, 2)
    before = (campaign / "campaign.db").read_bytes()
    here = place(campaigns=(campaign,))
    assert "2 of 12 judgments" in here.get("/").text
    page = here.get(f"/campaigns/{open_campaign(campaign).id}").text
    assert "<strong>2</strong> of 12 judgments (17 %)" in page
    assert "2 of 12" in page
    assert (campaign / "campaign.db").read_bytes() == before
    assert str(campaign.parent) not in page


def test_no_link_of_the_campaign_is_shown(place, campaign):
    answered(campaign, 1)
    (campaign / "links.tsv").write_text("organiser\thttp://127.0.0.1:8000/organise/secret\n")
    here = place(campaigns=(campaign,))
    assert "secret" not in here.get(f"/campaigns/{open_campaign(campaign).id}").text


def test_a_database_of_other_files_is_reported(place, campaign):
    (campaign / "campaign.db").write_bytes(b"no database at all" * 100)
    progress = open_campaign(campaign).progress()
    assert progress.problem == "its database does not match these files"
    here = place(campaigns=(campaign,))
    assert "does not match these files" in here.get("/").text


def test_a_folder_without_a_campaign_is_refused(place, tmp_path):
    with pytest.raises(DataError, match="adequa human sample"):
        open_campaign(tmp_path)
    assert place().get("/campaigns/0123456789abcdef").status_code == 404
