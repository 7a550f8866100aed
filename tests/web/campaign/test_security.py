"""Hostile requests: texts of other raters, forged forms, floods, and what errors reveal."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from starlette.testclient import TestClient

from adequa.errors import ServiceError
from adequa.web.limits import CampaignLimits, Rate

Make = Callable[..., Any]
ANSWER = {"q:semantics": "3", "q:grammar": "2", "q:fluency": "1", "seconds": "1"}


def signed_in(here: Any, number: int) -> tuple[TestClient, str, int]:
    """A client, its form token, and the number of the slot it holds."""
    client = TestClient(here.app)
    page = client.get(here.rater_link(number)).text
    token = re.findall(r'name="form_token" value="([^"]+)"', page)[0]
    page = client.post("/begin", data={"form_token": token, "e:english": "yes"}).text
    return client, token, int(re.findall(r'/text/(\d+)"', page)[0])


def test_nothing_is_shown_without_a_link(place: Make) -> None:
    here = place()
    client = TestClient(here.app)
    for path in ("/", "/text", "/previous", "/text/1", "/link", "/organise", "/organise/raters"):
        response = client.get(path)
        assert response.status_code == 401
        assert "MV Alba" not in response.text
    for path in ("/begin", "/another", "/text/1", "/text/1/draft", "/organise/raters"):
        assert client.post(path, data={}).status_code == 401
    assert client.get("/organise/export/ratings.jsonl").status_code == 401


def test_a_rater_sees_no_other_ones_text(place: Make) -> None:
    here = place()
    first, token, _ = signed_in(here, 1)
    _, _, others = signed_in(here, 2)
    assert first.get(f"/text/{others}").status_code == 404
    sent = {"form_token": token, **ANSWER}
    response = first.post(f"/text/{others}", data={**sent, "q:fluency": ""})
    assert response.status_code == 404
    assert first.post(f"/text/{others}", data=sent).status_code == 409
    draft = {"json": {"draft": {}, "seconds": 1}, "headers": {"x-form-token": token}}
    assert first.post(f"/text/{others}/draft", **draft).status_code == 409
    for slot in (0, 10**6, 2**31, 10**40, "9" * 5000, "1_0", "%D9%A3"):
        assert first.get(f"/text/{slot}").status_code == 404
        assert first.post(f"/text/{slot}", data=sent).status_code in (404, 409)
    assert first.get("/text/-1").status_code == 404
    assert first.get("/text/x").status_code == 404
    assert not list(here.store.ratings())


def test_a_session_of_one_role_is_not_accepted_for_the_other(place: Make) -> None:
    here = place()
    client, token, _ = signed_in(here, 1)
    assert client.get("/organise").status_code == 401
    assert client.get("/organise/export/ratings.csv").status_code == 401
    assert (
        client.post("/organise/raters", data={"form_token": token, "count": 5}).status_code == 401
    )
    assert client.get("/organise/" + here.tokens.numbered("rater", 1)).status_code == 404
    cookie = next(iter(client.cookies.jar))
    client.cookies.set(cookie.name.replace("rater", "organiser"), cookie.value)
    assert client.get("/organise").status_code == 401
    organiser = TestClient(here.app)
    assert organiser.get(here.organiser_link).status_code == 200
    assert organiser.get("/text").status_code == 401
    assert organiser.get("/r/" + here.tokens.token("organiser")).status_code == 404


def test_forms_of_others_are_refused(place: Make) -> None:
    here = place()
    client, token, slot = signed_in(here, 1)
    _, foreign, _ = signed_in(here, 2)
    sent = {"form_token": token, **ANSWER}
    path = f"/text/{slot}"
    for wrong in ("", "x", foreign, "é"):
        assert client.post(path, data={**sent, "form_token": wrong}).status_code == 403
    assert client.post(path, data=ANSWER).status_code == 403
    for headers in (
        {"origin": "https://evil.org"},
        {"origin": "null", "sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ):
        assert client.post(path, data=sent, headers=headers).status_code == 403
    assert (
        client.post(path + "/draft", json={}, headers={"x-form-token": foreign}).status_code == 403
    )
    assert client.post(path, json=sent).status_code == 415
    assert client.post(path, content=b"x").status_code == 415
    assert not list(here.store.ratings())
    own = {"origin": "http://testserver", "sec-fetch-site": "same-origin"}
    assert client.post(path, data=sent, headers=own).status_code == 200
    assert list(here.store.ratings())


def test_forged_and_foreign_cookies_are_nobody(place: Make) -> None:
    here = place()
    client, _, _ = signed_in(here, 1)
    cookie = next(iter(client.cookies.jar))
    for value in (cookie.value.replace("1-", "2-", 1), cookie.value[:-1], "x", "1", "a" * 5000):
        other = TestClient(here.app, cookies={cookie.name: value})
        assert other.get("/text").status_code == 401


def test_texts_data_and_ids_are_shown_not_run(place: Make) -> None:
    text = "<script>alert(1)</script><img src=x onerror=alert(1)> \" ' &amp;"
    here = place(texts=(text,), joining=True, rules={"title": "<b>Title</b>", "eligibility": ()})
    client = TestClient(here.app)
    page = client.get(here.rater_link(1)).text
    token = re.findall(r'name="form_token" value="([^"]+)"', page)[0]
    page += client.post("/begin", data={"form_token": token}).text
    link, evil = f"/join/{here.tokens.token('join')}", "<script>x</script>"
    page += client.get(link, params={"id": evil}).text
    page += TestClient(here.app).post(link, data={"id": evil}).text
    page += TestClient(here.app).post(link, data={"id": evil}).text
    client.get(here.organiser_link)
    page += client.get("/organise").text + client.get("/organise/raters").text
    assert "&lt;script&gt;alert(1)" in page
    assert "&lt;script&gt;x" in page
    assert "<script>" not in page
    assert "<img" not in page
    assert "<b>Title" not in page
    assert not re.search(r"<[^>]*\s(style|on\w+)=", page), "nothing inline, which CSP would block"


def test_every_response_carries_its_headers(place: Make) -> None:
    here = place()
    client, _, _ = signed_in(here, 1)
    responses = [client.get(path) for path in ("/text", "/nowhere", "/text/99", "/r/x", "/begin")]
    responses += [client.get("/static/campaign.css"), client.delete("/text")]
    for response in responses:
        policy = response.headers["content-security-policy"]
        assert policy.startswith("default-src 'self';")
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["referrer-policy"] == "no-referrer"
        kept = "immutable" if "css" in response.headers["content-type"] else "no-store"
        assert kept in response.headers["cache-control"]


def test_wrong_links_are_counted_by_address(place: Make) -> None:
    here = place(limits=CampaignLimits(wrong_links=Rate(3, 0.01)))
    client = TestClient(here.app)
    assert client.get(here.rater_link(1)).status_code == 200
    wrong = ["/r/1-x", "/organise/x", "/join/x", f"/r/{here.tokens.numbered('rater', 999)}"]
    assert [client.get(path).status_code for path in wrong] == [404, 404, 404, 429]
    refused = client.get(here.rater_link(1))
    assert refused.status_code == 429
    assert int(refused.headers["retry-after"]) > 0
    assert client.get("/").status_code == 200, "who is signed in goes on"
    elsewhere = TestClient(here.app, client=("10.0.0.9", 1))
    assert elsewhere.get(here.rater_link(1)).status_code == 200


def test_answers_and_drafts_are_counted_by_rater(place: Make) -> None:
    here = place(limits=CampaignLimits(answers=Rate(3, 0.01), drafts=Rate(2, 0.01)))
    client, token, slot = signed_in(here, 1)  # beginning is the first
    codes = [client.post(f"/text/{slot}", data={"form_token": token}).status_code for _ in range(3)]
    assert codes == [422, 422, 429]
    sent = {"json": {"draft": {}, "seconds": 1}, "headers": {"x-form-token": token}}
    codes = [client.post(f"/text/{slot}/draft", **sent).status_code for _ in range(3)]
    assert codes == [204, 204, 429]
    other, token, slot = signed_in(here, 2)
    assert other.post(f"/text/{slot}", data={"form_token": token, **ANSWER}).status_code == 200


def test_joins_are_counted_by_address(place: Make) -> None:
    here = place(joining=True, limits=CampaignLimits(joins=Rate(2, 0.01)))
    client = TestClient(here.app)
    link = f"/join/{here.tokens.token('join')}"
    assert [client.post(link, data={"id": name}).status_code for name in "abc"] == [200, 200, 429]


def test_bodies_beyond_the_limit_are_refused(place: Make) -> None:
    here = place(limits=CampaignLimits(max_body=2000))
    client, token, slot = signed_in(here, 1)
    sent = {"form_token": token, **ANSWER, "padding": "x" * 3000}
    assert client.post(f"/text/{slot}", data=sent).status_code == 413
    headers = {"content-type": "application/x-www-form-urlencoded"}
    chunks = (b"x" * 1000 for _ in range(5))
    assert client.post(f"/text/{slot}", content=chunks, headers=headers).status_code == 413


@pytest.mark.parametrize("body", [b"", b"%ff=1", b"\xff\xfe", b"=&=&", b"form_token"])
def test_broken_forms_are_refused(place: Make, body: bytes) -> None:
    here = place()
    client, _, slot = signed_in(here, 1)
    headers = {"content-type": "application/x-www-form-urlencoded"}
    response = client.post(f"/text/{slot}", content=body, headers=headers)
    assert response.status_code in (400, 403)


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b"null", b"{", b"[" * 100_000, b'{"draft": {"grammar": NaN}, "seconds": -1}',
     b'{"draft": [1], "seconds": "x"}', b'{"draft": {"grammar": {"a": [[[]]]}}, "seconds": 1e400}',
     b'{"draft": {"grammar": 1%s}, "seconds": 1%s}' % (b"0" * 299, b"0" * 299),
     b'{"draft": {"grammar": 1%s}, "seconds": 1}' % (b"0" * 400)],
)  # fmt: skip
def test_broken_drafts_break_nothing(place: Make, body: bytes) -> None:
    here = place()
    client, token, slot = signed_in(here, 1)
    headers = {"content-type": "application/json", "x-form-token": token}
    response = client.post(f"/text/{slot}/draft", content=body, headers=headers)
    assert response.status_code in (204, 400, 422)
    assert client.get("/text").status_code == 200


def test_an_unreachable_database_is_reported(
    place: Make, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    here = place()
    client, _, _ = signed_in(here, 1)

    def away(*_args: Any, **_options: Any) -> None:
        raise ServiceError("the database", "refused the connection of hunter2")

    monkeypatch.setattr(here.store, "next_page", away)
    response = client.get("/text")
    assert (response.status_code, response.headers["retry-after"]) == (503, "10")
    assert "hunter2" not in response.text
    assert "hunter2" in caplog.text


def test_errors_tell_nothing_of_the_inside(place: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    here = place()
    client, _, _ = signed_in(here, 1)
    quiet = TestClient(here.app, cookies=client.cookies, raise_server_exceptions=False)

    def fail(*_args: Any, **_options: Any) -> None:
        raise RuntimeError("password=hunter2 at /srv/inside")

    monkeypatch.setattr(here.store, "next_page", fail)
    response = quiet.get("/text")
    assert response.status_code == 500
    assert "hunter2" not in response.text
    assert "Traceback" not in response.text
    assert "default-src 'self'" in response.headers["content-security-policy"]
    for method, path, status in (
        ("GET", "/nowhere", 404),
        ("GET", "/static/../app.py", 404),
        ("GET", "/static/%2e%2e%2fapp.py", 404),
        ("DELETE", "/text", 405),
        ("PUT", "/text/1", 405),
        ("HEAD", "/text/999", 404),
        ("BREW", "/", 405),
        ("OPTIONS", "/begin", 405),
        ("GET", "/text/", 404),
    ):
        response = quiet.request(method, path)
        assert response.status_code == status, (method, path)
        assert response.headers["content-type"].startswith("text/html")
    assert quiet.head("/", follow_redirects=False).status_code == 303


def test_a_full_disk_is_reported_and_recovered_from(place: Make) -> None:
    """SQLite's own bound on the size of a file stands for the end of the disk."""
    import sqlalchemy

    here = place()
    client, token, slot = signed_in(here, 1)
    database, store_answer = here.store._database, here.store.answer
    with database.writing() as connection:
        connection.exec_driver_sql("CREATE TABLE filler (x)")
        limit = connection.exec_driver_sql("PRAGMA page_count").scalar()

    def bound(connection: Any, _record: Any, _proxy: Any) -> None:
        connection.execute(f"PRAGMA max_page_count = {limit}").close()

    def long_answer(*args: Any, **options: Any) -> Any:
        with database.writing() as connection:
            connection.exec_driver_sql("INSERT INTO filler VALUES (zeroblob(100000))")
        return store_answer(*args, **options)

    sqlalchemy.event.listen(database._engine, "checkout", bound)
    here.store.answer = long_answer
    sent = {"form_token": token, **ANSWER}
    response = client.post(f"/text/{slot}", data=sent)
    assert response.status_code == 507
    assert "disk of the server is full" in response.text
    assert response.headers["retry-after"]
    assert not list(here.store.ratings())
    limit = 10**6
    assert client.post(f"/text/{slot}", data=sent).status_code == 200, "no restart is needed"
    assert list(here.store.ratings())
