"""The content of the pages, access to them, and refusals."""

from __future__ import annotations

import html
import json
import re
import shutil
import time
from typing import Any

import pytest
from starlette.testclient import TestClient

from adequa.metrics import resolve
from adequa.readers import open_source
from adequa.report.page import asset
from adequa.run import score_run
from adequa.web.api.engine import ScoringEngine
from adequa.web.workbench.site import PAGES

from .conftest import HOSTILE, PAGE, Place

TOKEN = "a-token-that-is-long-enough"
FERRY = {"triples": "MV_Alba | homePort | Oban", "text": "MV Alba sails from Oban."}


def lines(count: int) -> bytes:
    return b"".join(
        b'{"id": "%d", "triples": [["Alba", "homePort", "Oban"]], "text": "Alba, of Oban."}\n' % one
        for one in range(count)
    )


LINES = lines(3)


def posted(place: Place, raw: Any, **headers: str) -> Any:
    return place.client.post("/live/score", json=raw, headers=place.form | headers)


def over(place: Place, id_: str) -> dict[str, Any]:
    for _ in range(300):
        run: dict[str, Any] = place.client.get(f"/v1/runs/{id_}").json()
        if run["status"] not in ("queued", "running"):
            return run
        time.sleep(0.05)
    raise AssertionError(run)


def test_the_home_page_lists_runs_and_campaigns(place, sample_run, campaign):
    page = place(sample_run, campaigns=(campaign,)).get("/").text
    assert "120 texts of 3 systems" in page
    assert "Texts about &lt;ferries&gt;" in page
    assert "6 texts, 12 judgments needed · not started" in page


def test_every_page_has_the_headers_and_no_inline_script(place, sample_run, campaign):
    here = place(sample_run, campaigns=(campaign,))
    run = here.id_of("sample")
    item = f"/runs/{run}/item?system=hasty&id=airport-1"
    paths = ["/", "/live", f"/runs/{run}", f"/runs/{run}/texts", item, "/nothing"]
    for path in paths:
        response = here.get(path)
        policy = response.headers["content-security-policy"]
        assert policy.startswith("default-src 'self'")
        assert "unsafe" not in policy
        assert response.headers["cache-control"] == "no-store"
        assert response.headers["referrer-policy"] == "no-referrer"
        assert "style=" not in response.text
        assert not re.search(r"\son\w+=", response.text)
        for kind in re.findall(r"<script([^>]*)>", response.text):
            assert 'src="/static/' in kind or 'type="application/json"' in kind
        assert not re.findall(r'(?:src|href|action)="(?!/|\?|#)', response.text)


def test_texts_that_are_not_scorable_are_explained(place, tmp_path):
    source = tmp_path / "items.jsonl"
    source.write_bytes(LINES)
    score_run(open_source(source), resolve(["esa", "chrf"]), tmp_path / "run")
    here = place(tmp_path / "run")
    page = here.get(f"/runs/{here.id_of('run')}").text
    assert "chrf: 3 of 3 texts are not scorable: no references." in page


def test_components_are_those_of_the_report(place):
    here = place()
    for name in PAGES.files:
        response = here.get(f"/static/{name}")
        assert response.content == PAGES.files[name]
        assert "immutable" in response.headers["cache-control"]
    assert PAGES.files["components.js"] == asset("components.js").encode()
    for wrong in ("nothing.js", "..%2fapp.py", "components.js%00", "people.json"):
        assert here.get(f"/static/{wrong}").status_code == 404


def test_texts_are_filtered_sorted_and_paged_on_the_server(place, sample_run):
    here = place(sample_run)
    run = here.id_of("sample")
    page = here.get(f"/runs/{run}/texts").text
    assert "120 texts, 1 to 50 shown" in page
    assert page.count("<article") == 50
    assert "101 to 120 shown" in here.get(f"/runs/{run}/texts?page=3").text
    assert "101 to 120 shown" in here.get(f"/runs/{run}/texts?page=999").text
    assert "1 to 50 shown" in here.get(f"/runs/{run}/texts?page=-1").text
    page = here.get(f"/runs/{run}/texts?system=hasty&verdict=fault&sort=worst:esa").text
    cards = json.loads(html.unescape(re.findall(r'id="cards">(.*?)</script>', page)[0]))
    assert {line["system"] for (line,) in cards} == {"hasty"}
    scores = [line["scores"]["esa"] for (line,) in cards]
    assert scores == sorted(scores)
    assert "statistics" not in cards[0][0]
    has_link = "Least sure first" in here.get(f"/runs/{run}").text
    assert has_link == (cards[0][0]["confidence"] is not None)
    page = here.get(f"/runs/{run}/texts?system=hasty&compare=careful").text
    cards = json.loads(re.findall(r'id="cards">(.*?)</script>', page)[0])
    assert all([line["system"] for line in pair] == ["hasty", "careful"] for pair in cards)
    assert "No text matches the filters" in here.get(f"/runs/{run}/texts?search=no+such+words").text


def test_one_text_by_its_address(place, sample_run):
    here = place(sample_run)
    run = here.id_of("sample")
    page = here.get(f"/runs/{run}/item?system=dreamer&id=airport-2&vs=careful")
    cards = json.loads(re.findall(r'id="cards">(.*?)</script>', page.text)[0])
    assert [[line["system"] for line in lines] for lines in cards] == [
        ["dreamer", "careful"],
        ["hasty"],
    ]
    assert ">none<" in page.text
    same = here.get(f"/runs/{run}/item?system=dreamer&id=airport-2&vs=dreamer")
    assert same.status_code == 200
    for query in ("", "?system=dreamer", "?system=dreamer&id=none", "?system=x&id=airport-2"):
        assert here.get(f"/runs/{run}/item{query}").status_code == 404


@pytest.mark.parametrize("id_", ["x", "0123456789abcdef", "..%2f..%2fetc", "%00", "é"])
def test_runs_that_are_not_there(place, id_):
    here = place()
    for path in ("", "/texts", "/item", "/summary.json", "/report.html"):
        response = here.get(f"/runs/{id_}{path}")
        assert response.status_code == 404
        assert "<h1>Not found</h1>" in response.text


def test_hostile_texts_are_shown_and_not_executed(place, hostile_run):
    here = place(hostile_run)
    run = here.id_of("run")
    links = re.findall(r'href="(/runs/[^"]*item[^"]*)"', here.get(f"/runs/{run}/texts").text)
    pages = ["/", f"/runs/{run}", f"/runs/{run}/texts", html.unescape(links[0])]
    pages += [f"/runs/{run}/texts?search={HOSTILE}&system={HOSTILE}&sort={HOSTILE}"]
    for path in pages:
        response = here.get(path)
        assert response.status_code == 200
        assert "<script>window" not in response.text
        assert "<img src=x" not in response.text
    prefilled = here.get("/live", params={"run": run, "system": "T5", "id": f"a/b?c=d&e#{HOSTILE}"})
    assert "&lt;img src=x" in prefilled.text
    assert "<img src=x" not in prefilled.text


def test_the_live_page_judges_any_form(place):
    here = place()
    said = posted(here, FERRY).json()
    assert (said["verdict"], said["scores"]) == ("OK", {"esa": 1.0})
    turtle = "@prefix : <http://e.org/> . :MV_Alba :homePort :Oban ; :built 1974 ."
    said = posted(here, {"triples": turtle, "text": FERRY["text"], "metrics": ["esa"]}).json()
    assert said["verdict"] == "omission"
    assert said["terms"]["Oban"]["iri"] == "http://e.org/Oban"
    assert posted(here, FERRY | {"text": ""}).json()["scores"] == {"esa": 0.0}


@pytest.mark.parametrize(
    ("raw", "status", "where"),
    [
        ({"triples": "nothing of the kind", "text": ""}, 422, "triples"),
        ({"triples": "", "text": "x"}, 422, "triples"),
        ({"triples": "@prefix : <http://e.org/> .\n:a :b", "text": ""}, 422, "triples"),
        ({"triples": [["a", "b", "c"]], "text": ""}, 422, "triples"),
        ({"triples": "a | b | c"}, 422, "text"),
        ({"triples": "a | b | c", "text": "x" * 30_000}, 413, "text"),
        ({"triples": "a | b | c\n" * 2_000, "text": ""}, 413, "triples"),
        ({"triples": "a | b | c", "text": "", "metrics": ["nli"]}, 422, "metrics"),
        ({"triples": "a | b | c", "text": "", "metrics": []}, 422, "metrics"),
        ({"triples": "a | b | c", "text": "", "format": "/etc/passwd"}, 422, None),
    ],
)
def test_errors_of_the_live_page_name_their_field(place, raw, status, where):
    response = posted(place(), raw)
    error = response.json()["error"]
    assert (response.status_code, error["where"]) == (status, where)
    assert "adequa-pasted" not in response.text


def test_a_line_of_what_was_pasted_is_named(place):
    raw = {"triples": "@prefix : <http://e.org/> .\n\n:a :b", "text": ""}
    assert posted(place(), raw).json()["error"]["message"].startswith("line 3 ")


def test_what_a_page_sends_needs_the_sessions_form_token(place):
    here = place()
    form = here.form  # and the cookie with it
    assert here.client.post("/live/score", json=FERRY, headers=form).status_code == 200
    for wrong in ({}, {"X-Form-Token": "x" * 32}, {"X-Form-Token": ""}, {"X-Form-Token": "é" * 9}):
        sent = {name: value.encode() for name, value in wrong.items()}
        assert here.client.post("/live/score", json=FERRY, headers=sent).status_code == 403
        # The session of a browser binds the API as well: no other page may use it.
        assert here.client.post("/v1/score", json=FERRY, headers=sent).status_code == 403
        assert here.client.delete("/v1/runs/x", headers=sent).status_code == 403
    elsewhere = form | {"Origin": "http://evil.example"}
    assert here.client.post("/live/score", json=FERRY, headers=elsewhere).status_code == 403
    other = form | {"Sec-Fetch-Site": "cross-site"}
    assert here.client.post("/live/score", json=FERRY, headers=other).status_code == 403
    here.client.cookies.clear()
    assert here.client.post("/live/score", json=FERRY, headers=form).status_code == 403
    assert here.client.post("/v1/score", json=FERRY).status_code == 200  # a program


def test_another_sessions_form_token_is_not_good_enough(place):
    here = place()
    stolen = here.form
    here.client.cookies.clear()
    assert here.form != stolen
    assert here.client.post("/live/score", json=FERRY, headers=stolen).status_code == 403


def test_with_a_token_a_browser_signs_in_by_the_link(place, sample_run):
    here = place(sample_run, token=TOKEN)
    run = here.id_of("sample")
    for path in ("/", "/live", f"/runs/{run}", f"/runs/{run}/texts", f"/runs/{run}/report.html"):
        response = here.get(path)
        assert response.status_code == 401
        assert "sample" not in response.text
        assert "open the link" in response.text
    assert here.get("/v1/runs").status_code == 401
    assert here.get("/static/workbench.css").status_code == 200
    assert here.get("/in/wrong").status_code == 404
    assert TOKEN not in here.workbench.access.first_page
    response = here.get(here.workbench.access.first_page, follow_redirects=False)
    assert (response.status_code, response.headers["location"]) == (303, "/")
    cookie = response.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "sample" in here.get("/").text
    assert posted(here, FERRY).status_code == 200
    assert here.client.get("/v1/runs").status_code == 200
    assert here.client.post("/v1/score", json=FERRY).status_code == 403
    with TestClient(here.app, base_url="http://127.0.0.1:8080") as program:
        bearer = {"Authorization": f"Bearer {TOKEN}"}
        assert program.post("/v1/score", json=FERRY, headers=bearer).status_code == 200


def test_guessing_links_is_slowed_down(place):
    here = place(token=TOKEN)
    statuses = [here.get(f"/in/{number}").status_code for number in range(22)]
    assert statuses == [404] * 20 + [429] * 2
    last = here.get("/in/again")
    assert int(last.headers["retry-after"]) > 0


def test_a_forged_cookie_is_nobody(place):
    here = place(token=TOKEN)
    name = here.workbench.access.sessions.cookie_name
    for value in ("", "o-1-2-3", "o-9999999999-aa-" + "a" * 32, "x" * 5000, "o"):
        here.client.cookies.clear()
        here.client.cookies.set(name, value)
        assert here.get("/").status_code == 401


def test_another_name_is_not_answered(place):
    response = place().client.get("/", headers=PAGE | {"Host": "evil.example"})
    assert response.status_code == 421
    assert "set-cookie" not in response.headers


def test_from_upload_to_download(place):
    here = place()
    headers = here.form | {"Content-Type": "application/octet-stream"}
    name = "../../etc/<b>ferries</b>.jsonl"
    started = here.client.post("/v1/runs", params={"name": name}, content=LINES, headers=headers)
    assert started.status_code == 202
    run = started.json()["id"]
    waiting = here.get(f"/runs/{run}")
    assert "&lt;b&gt;ferries" in waiting.text
    assert over(here, run)["status"] == "done"
    page = here.get(f"/runs/{run}").text
    for file in ("report.html", "scores.jsonl", "summary.json"):
        assert f"/{file}" in page
    assert "Delete this run" in page
    scores = here.client.get(f"/v1/runs/{run}/scores.jsonl")
    assert len(scores.text.splitlines()) == 3
    summary = here.get(f"/runs/{run}/summary.json")
    assert summary.json()["items"] == 3
    assert f'filename="summary-{run}.json"' in summary.headers["content-disposition"]
    assert here.client.delete(f"/v1/runs/{run}", headers=here.form).status_code == 204
    assert here.get(f"/runs/{run}").status_code == 404


def test_the_report_is_written_once_and_downloaded(place, sample_run):
    here = place(sample_run)
    run = here.id_of("sample")
    first = here.get(f"/runs/{run}/report.html")
    for _ in range(100):
        if "attachment" in first.headers.get("content-disposition", ""):
            break
        assert "is being written" in first.text
        first = here.get(f"/runs/{run}/report.html")
    assert first.headers["content-disposition"] == f'attachment; filename="report-{run}.html"'
    assert "Adequacy of sample" in first.text
    assert "default-src" in first.headers["content-security-policy"]
    began = time.perf_counter()
    assert here.get(f"/runs/{run}/report.html").content == first.content
    assert time.perf_counter() - began < 1
    assert not (sample_run / "report.html").exists()


def test_a_failed_run_shows_the_reason(place):
    here = place()
    headers = here.form | {"Content-Type": "application/octet-stream"}
    wrong = LINES + b"{]\n"
    query = {"name": "f.jsonl", "format": "jsonl"}
    started = here.client.post("/v1/runs", params=query, content=wrong, headers=headers)
    run = started.json()["id"]
    assert over(here, run)["status"] == "failed"
    page = here.get(f"/runs/{run}").text
    assert "is not JSON" in page
    assert "line 4" in page
    assert "Suggestion" in page
    assert "failed" in here.get("/").text
    for path in ("texts", "report.html", "summary.json"):
        assert here.get(f"/runs/{run}/{path}").status_code == 409


def test_a_cancelled_run_is_shown_as_cancelled(place):
    here = place()
    headers = here.form | {"Content-Type": "application/octet-stream"}
    started = here.client.post("/v1/runs", content=lines(20_000), headers=headers)
    run = started.json()["id"]
    cancelled = here.client.post(f"/v1/runs/{run}/cancel", headers=here.form)
    assert cancelled.status_code != 409, "twenty thousand texts were scored before the next request"
    assert "was cancelled" in here.get(f"/runs/{run}").text


def test_a_damaged_run_is_reported(place, tmp_path, sample_run):
    shutil.copytree(sample_run, tmp_path / "damaged")
    here = place(tmp_path / "damaged")
    run = here.id_of("damaged")
    scores = tmp_path / "damaged" / "scores.jsonl"
    lines = scores.read_text().splitlines(keepends=True)
    scores.write_text("".join(['{"id": 1}\n', *lines[1:]]))
    response = here.get(f"/runs/{run}/texts")
    assert response.status_code == 410
    assert "damaged or incomplete" in response.text
    assert str(tmp_path) not in response.text
    scores.write_text("".join(lines)[:-20])
    for path in ("", "/texts", "/item?system=hasty&id=airport-1", "/summary.json", "/report.html"):
        response = here.get(f"/runs/{run}{path}")
        assert response.status_code == 410, path
        assert "damaged or incomplete" in response.text


def test_a_run_with_deleted_files_is_reported(place, tmp_path, sample_run):
    shutil.copytree(sample_run, tmp_path / "gone")
    here = place(tmp_path / "gone")
    shutil.rmtree(tmp_path / "gone")
    assert "gone" in here.get("/").text
    for path in ("", "/texts", "/item?system=hasty&id=airport-1"):
        response = here.get(f"/runs/{here.id_of('gone')}{path}")
        assert response.status_code == 410
        assert "no longer exist" in response.text


def test_a_run_that_takes_long_to_read_shows_how_far_it_is(place, sample_run, monkeypatch):
    from adequa.web.workbench import index as indexes

    def slow(run: Any, tell: Any) -> Any:
        tell(0.25)
        time.sleep(2.5)
        return original(run)

    original = indexes.build_index
    monkeypatch.setattr(indexes, "build_index", slow)
    here = place(sample_run)
    run = here.id_of("sample")
    page = here.get(f"/runs/{run}/texts").text
    assert "Reading sample" in page
    assert 'http-equiv="refresh"' in page
    assert 'value="0.25"' in page
    while "Reading sample" in page:
        page = here.get(f"/runs/{run}/texts").text
    assert "120 texts" in page


def test_programs_get_errors_as_json(place):
    response = place().client.get("/runs/x")
    assert response.json()["error"]["code"] == "no_such_run"
    assert place().client.post("/live").status_code == 405


def test_no_script_makes_markup_of_strings():
    for name in PAGES.files:
        if name.endswith(".js"):
            script = PAGES.files[name].decode()
            for wrong in ("innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval("):
                assert wrong not in script, name
            assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", script), name


def test_a_file_is_previewed_before_it_is_sent(place):
    here = place()
    headers = here.form | {"Content-Type": "application/octet-stream"}
    said = "This is a sentence about A."
    table = f"name,url,one,two\nA,https://e.org/,{said},{said}\n"

    def ask(content, **query):
        given = {"name": "a.csv"} | query
        return here.client.post("/preview", params=given, content=content, headers=headers)

    first = ask(table).json()
    assert first["columns"] == ["name", "url", "one", "two"]
    assert (first["text"], first["candidates"]) == (None, ["one", "two"])
    second = ask(table, format="records:text=two").json()
    assert (second["text"], second["subjects"]) == ("two", ["A"])
    uses = {one["path"]: (one["role"], one["detail"]) for one in second["fields"]}
    assert uses == {
        "/name": ("name", "names the record"),
        "/one": ("fact", "one"),
        "/url": ("left out", "an address"),
    }
    cut = ask(table + 'B,"', cut="1", format="records:text=two")
    assert cut.json()["text"] == "two"
    items = '[{"name": "A", "p": 1, "text": "A."}, {"name": "B", "p": 2, "te'
    assert ask(items, name="a.json", cut="1").json()["subjects"] == ["A"]
    assert ask(LINES, name="a.jsonl").json()["columns"] == []
    wrong = ask("name\n", format="records:mapping=/etc/passwd")
    assert wrong.json()["error"]["code"] == "settings_refused"
    assert ask("x" * 300_000).status_code == 413
    refused = here.client.post("/preview", content=table, headers={"Content-Type": "text/csv"})
    assert refused.status_code == 403


def test_the_pages_say_who_gets_the_texts(place):
    assert "Nothing leaves this server." in place().get("/live").text
    asking = ScoringEngine(resolve(["esa", "judge:url=https://llm.example.org/v1,model=large"]))
    here = place(engine=asking)
    for path in ("/", "/live"):
        page = here.get(path).text
        assert "judge sends data and texts to llm.example.org. Nothing else leaves" in page
        assert 'value="esa" checked>' in page
        assert 'value="judge">' in page, "a model that costs money is asked only by choice"
