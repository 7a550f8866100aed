"""The organiser's pages: progress, links, rounds and exports."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import re
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from starlette.testclient import TestClient

Make = Callable[..., Any]
VALUES = {"semantics": 3, "grammar": 2, "fluency": 1}


@pytest.fixture
def here(place: Make) -> Any:
    """A campaign in which two raters have answered a text each."""
    here = place(texts=("One text.", "", "Another."), joining=True)
    for number in (1, 2):
        here.store.judge_eligibility(number, {"english": "yes"})
        page = here.store.next_page(number)
        here.store.answer(number, page.slot, VALUES, 10.0 * number)
        here.store.next_page(number)
    return here


@pytest.fixture
def client(here: Any) -> TestClient:
    client = TestClient(here.app)
    client.get(here.organiser_link)
    return client


def form_token(client: TestClient) -> str:
    return str(
        re.findall(r'name="form_token" value="([^"]+)"', client.get("/organise/raters").text)[0]
    )


def test_progress_by_task_system_cell_and_rater(client: TestClient) -> None:
    page = client.get("/organise").text
    assert "<b>2</b> of 8 judgments" in page
    assert "<b>2</b> in progress" in page
    assert "<b>2</b> empty texts" in page
    for words in ("small", "T5", "LSTM", "Ship · 0", "r001", "10 s", "20 s", "never", "Round 1"):
        assert words in page
    assert '<meta http-equiv="refresh" content="30">' in page
    assert "adequa human quality" in page


def test_links_lead_where_they_say(here: Any, client: TestClient) -> None:
    page = client.get("/organise/raters").text
    links = re.findall(r'<code class="link">([^<]+)</code>', page)
    assert f"http://testserver{here.rater_link(2)}" in links
    assert TestClient(here.app).get(links[1]).status_code == 200
    assert any("/join/" in link for link in links)


def test_raters_are_added(here: Any, client: TestClient) -> None:
    sent = {"form_token": form_token(client), "count": "2"}
    assert "r005" in client.post("/organise/raters", data=sent).text
    for count in ("0", "-1", "x", "1001", "", "1e3", "٣"):
        assert client.post("/organise/raters", data={**sent, "count": count}).status_code == 400
    assert len(here.store.raters()) == 5


def test_a_round_is_confirmed_before_it_begins(here: Any, client: TestClient) -> None:
    assert 'value="r001"' in client.get("/organise/round").text
    sure = client.get("/organise/round", params={"exclude": "r001", "sure": "1"}).text
    assert "Start round 2?" in sure
    assert "<b>r001</b>, 1 answer" in sure
    assert here.store.overview().round == 1
    sent = {"form_token": form_token(client), "round": "1", "exclude": "r001"}
    page = client.post("/organise/round", data=sent).text
    assert "Round 2 has started" in page
    assert "Excluded: r001" in page
    assert client.post("/organise/round", data=sent).status_code == 409, "sent twice"
    assert here.store.overview().round == 2
    assert here.store.rater(1).status == "excluded"
    unknown = client.post("/organise/round", data={**sent, "round": "2", "exclude": "r099"})
    assert unknown.status_code == 400
    assert "r099" in unknown.text


def test_exports_are_what_was_answered(here: Any, client: TestClient) -> None:
    response = client.get("/organise/export/ratings.jsonl")
    assert response.headers["content-disposition"] == 'attachment; filename="ferries-ratings.jsonl"'
    rows = [json.loads(line) for line in response.text.splitlines()]
    assert sum(row["rater"] != "" for row in rows) == 6
    assert {row["criterion"]: row["value"] for row in rows if row["rater"] == "r001"} == VALUES
    assert all(row["value"] == 1 for row in rows if row["rater"] == "")
    table = list(csv.DictReader(io.StringIO(client.get("/organise/export/ratings.csv").text)))
    assert len(table) == len(rows)
    facts = client.get("/organise/export/factgenie.jsonl").text.splitlines()
    assert len(facts) == 2
    assert client.get("/organise/export/other").status_code == 404
    here.store.start_round(exclude=["r001"])
    without = client.get("/organise/export/ratings.jsonl").text
    assert "r001" not in without
    assert "r001" in client.get("/organise/export/ratings.jsonl?every=1").text


def test_an_empty_campaign_has_an_overview(place: Make) -> None:
    here = place(texts=("",), raters=0)
    client = TestClient(here.app)
    assert "No raters yet" in client.get(here.organiser_link).text
    assert client.get("/organise/round").status_code == 200


def test_confirmations_at_the_same_moment_start_one_round(here: Any, client: TestClient) -> None:
    sent = {"form_token": form_token(client), "round": "1", "exclude": "r001"}
    overview, together = here.store.overview, threading.Barrier(8, timeout=20)

    def seen_together() -> Any:
        found = overview()
        together.wait()
        return found

    here.store.overview = seen_together  # each request looks before any of them begins
    cookies = dict(client.cookies)

    def confirm(_number: int) -> int:
        own = TestClient(here.app, cookies=cookies)
        with contextlib.suppress(threading.BrokenBarrierError):
            return own.post("/organise/round", data=sent).status_code
        return 0

    with ThreadPoolExecutor(8) as pool:
        codes = sorted(pool.map(confirm, range(8)))
    here.store.overview = overview
    assert codes == [200, *[409] * 7]
    assert here.store.overview().round == 2
    assert client.post("/organise/round", data={**sent, "round": "x"}).status_code == 400
