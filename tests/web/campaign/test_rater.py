"""A rater's pages from welcome to end, without a script; texts in pieces, data as a drawing."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from adequa.data import Item, Term, Triple
from adequa.human.campaign.model import SampledText
from adequa.human.campaign.settings import PRESETS, SPANS
from adequa.web.campaign.rater import (
    Subject,
    answers_from_form,
    cleaned_draft,
    drawing,
    facts_by_subject,
    pieces,
    seconds_in,
    seconds_of,
    shown,
)
from adequa.web.limits import parse_form

from .conftest import FACTS

RIGHT = {"q:semantics": "3", "q:grammar": "2", "q:fluency": "1"}
Make = Callable[..., Any]


def client_of(place: Any, **options: Any) -> TestClient:
    return TestClient(place.app, **options)


def form_token(page: str) -> str:
    found = re.search(r'name="form_token" value="([^"]+)"', page)
    assert found is not None
    return found[1]


def slot_of(page: str) -> int:
    found = re.search(r'action="[^"]*/text/(\d+)"', page)
    assert found is not None
    return int(found[1])


def begun(place: Any, number: int = 1) -> tuple[TestClient, str]:
    """A rater who has signed in and begun, and the page of the first text."""
    client = client_of(place)
    page = client.get(place.rater_link(number)).text
    sent = {"form_token": form_token(page), "e:english": "yes"}
    return client, client.post("/begin", data=sent).text


def answered(client: TestClient, page: str, **changes: str) -> Any:
    sent = {"form_token": form_token(page), "seconds": "12.5", **RIGHT, **changes}
    return client.post(f"/text/{slot_of(page)}", data=sent)


def test_the_link_signs_in_and_leaves_the_address(place: Make) -> None:
    here = place()
    client = client_of(here, follow_redirects=False)
    response = client.get(here.rater_link(1))
    assert (response.status_code, response.headers["location"]) == (303, "/")
    cookie = response.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert here.rater_link(1).rpartition("/")[2] not in response.headers["set-cookie"]
    assert client.get("/").status_code == 200


def test_cookies_are_for_https_alone_where_the_address_is(place: Make) -> None:
    here = place(base_url="https://study.org/ferries")
    client = client_of(here, base_url="https://study.org", follow_redirects=False)
    response = client.get("/ferries" + here.rater_link(1))
    assert response.headers["location"] == "/ferries/"
    assert "; secure" in response.headers["set-cookie"].lower()
    assert "path=/ferries/" in response.headers["set-cookie"].lower()
    page = client.get("/ferries/").text
    assert 'action="/ferries/begin"' in page
    assert 'href="/ferries/static/campaign.css' in page
    assert client.get("/static/campaign.css").status_code == 200


def test_from_the_welcome_to_the_end(place: Make) -> None:
    here = place()
    client, page = begun(here)
    assert "Read the data first" in page
    assert "0 of 3" in page
    for done in (1, 2, 3):
        response = answered(client, page)
        assert response.status_code == 200
        page = response.text
        if done < 3:
            assert f"{done} of 3" in page
    assert "Thank you, this task is complete" in page
    assert "Continue with another task" in page
    ratings = list(here.store.ratings())
    assert len(ratings) == 9
    assert {(one.rater, one.seconds) for one in ratings} == {("r001", 12.5)}
    assert {(one.criterion, one.value) for one in ratings} == {
        ("semantics", 3),
        ("grammar", 2),
        ("fluency", 1),
    }
    page = client.post("/another", data={"form_token": form_token(page)}).text
    assert "0 of 2" in page


def test_an_ineligible_rater_is_thanked(place: Make) -> None:
    here = place()
    client = client_of(here)
    page = client.get(here.rater_link(1)).text
    sent = {"form_token": form_token(page)}
    again = client.post("/begin", data=sent)
    assert again.status_code == 422
    assert "Choose one." in again.text
    assert client.post("/begin", data={**sent, "e:english": "maybe"}).status_code == 400
    assert here.store.rater(1).status == "new"
    page = client.post("/begin", data={**sent, "e:english": "no"}).text
    assert "Thank you for your interest" in page
    assert "Thank you for your interest" in client.get("/text").text
    assert (
        "Thank you for your interest"
        in client.post("/begin", data={**sent, "e:english": "yes"}).text
    )


def test_the_welcome_is_shown_without_eligibility_questions(place: Make) -> None:
    here = place(rules={"eligibility": ()})
    client = client_of(here)
    page = client.get(here.rater_link(1)).text
    assert "Read the data first" in page
    assert "Up to <b>3</b> texts, one per page" in page
    assert "0 of 3" in client.post("/begin", data={"form_token": form_token(page)}).text
    assert "0 of 3" in client.get(here.rater_link(1)).text


def test_a_missing_answer_is_reported_beside_its_question(place: Make) -> None:
    client, page = begun(place())
    response = answered(client, page, **{"q:grammar": ""})
    assert response.status_code == 422
    assert '<p class="problem" id="problem-grammar" role="alert">Choose one.' in response.text
    assert '<p class="problem" id="problem-fluency" role="alert"></p>' in response.text
    assert re.search(r'name="q:semantics" value="3" checked', response.text)
    response = answered(client, page, **{"q:grammar": "4"})
    assert response.status_code == 422
    assert "choose one of 1, 2, 3" in response.text


def test_an_answer_sent_twice_is_stored_once(place: Make) -> None:
    here = place()
    client, page = begun(here)
    assert answered(client, page).status_code == 200
    assert answered(client, page).status_code == 200
    assert len(list(here.store.ratings())) == 3


def test_the_last_text_can_be_corrected(place: Make) -> None:
    here = place()
    client, first = begun(here)
    assert "/previous" not in first
    second = answered(client, first).text
    assert "/previous" in second
    back = client.get("/previous").text
    assert slot_of(back) == slot_of(first)
    assert "This is your last text" in back
    assert re.search(r'name="q:fluency" value="1" checked', back)
    wrong = answered(client, back, **{"q:fluency": "", "correcting": "1"})
    assert "This is your last text" in wrong.text
    onward = answered(client, back, **{"q:fluency": "3"})
    assert slot_of(onward.text) == slot_of(second)
    assert [one.value for one in here.store.ratings()] == [3, 2, 3]


def test_reload_and_another_device_go_on_with_the_same_text_and_draft(place: Make) -> None:
    here = place()
    client, page = begun(here)
    saved = client.post(
        f"/text/{slot_of(page)}/draft",
        json={"draft": {"grammar": 3, "other": 1}, "seconds": 30},
        headers={"x-form-token": form_token(page)},
    )
    assert saved.status_code == 204
    other = client_of(here)
    for again in (client.get("/text").text, other.get(here.rater_link(1)).text):
        assert slot_of(again) == slot_of(page)
        assert re.search(r'name="q:grammar" value="3" checked', again)
        assert 'data-seconds="30.0"' in again


def test_a_sign_of_life_keeps_the_text_and_the_draft(place: Make) -> None:
    now = 1e9
    here = place(clock=lambda: now)
    client, page = begun(here)
    headers = {"x-form-token": form_token(page)}
    path = f"/text/{slot_of(page)}/draft"
    client.post(path, json={"draft": {"grammar": 3}, "seconds": 30}, headers=headers)
    for _ in range(3):
        now += 1000
        assert client.post(path, json={}, headers=headers).status_code == 204
        assert here.store.return_stale() == 0
    assert dict(here.store.next_page(1).draft) == {"grammar": 3}
    now += 2000
    assert here.store.return_stale() == 1
    assert client.post(path, json={}, headers=headers).status_code == 409


def test_a_text_given_to_others_is_reported(place: Make) -> None:
    now = 1e9
    here = place(texts=("One text.",), clock=lambda: now, rules={"raters_per_text": 1})
    client, page = begun(here, 1)
    begun(here, 2)
    now += 4000
    third, other_page = begun(here, 3)
    assert answered(third, other_page).status_code == 200
    page_of_other = third.get("/text").text
    if "Thank you" not in page_of_other:
        answered(third, page_of_other)
    response = answered(client, page)
    assert response.status_code == 409
    assert "Continue with the next text" in response.text
    gone = client.post(
        f"/text/{slot_of(page)}/draft",
        json={"draft": {}, "seconds": 1},
        headers={"x-form-token": form_token(page)},
    )
    assert gone.status_code == 409


def test_when_others_hold_the_last_texts_one_waits(place: Make) -> None:
    here = place(texts=("One text.",), rules={"raters_per_text": 1})
    begun(here, 1)
    begun(here, 2)
    _, page = begun(here, 3)
    assert "Nothing to do at the moment" in page
    assert 'http-equiv="refresh"' in page


def test_an_excluded_rater_is_thanked(place: Make) -> None:
    here = place()
    client, page = begun(here)
    here.store.start_round(exclude=["r001"])
    assert "Your part in this campaign is over" in client.get("/text").text
    assert answered(client, page).status_code == 409


def test_the_open_link_creates_one_rater_per_id(place: Make) -> None:
    here = place(raters=0, joining=True)
    link = f"/join/{here.tokens.token('join')}"
    client = client_of(here)
    assert "Your identifier" in client.get(link).text
    assert client.get(link, params={"id": "x" * 201}).status_code == 422
    assert client.get(link, params={"id": "a\x00b"}).status_code == 422
    asked = client.get(link, params={"id": "worker-7 é"})
    assert 'value="worker-7 é"' in asked.text
    assert here.store.raters() == [], "looking at a link changes nothing"
    for wrong in ("", "  ", "x" * 201, "a\x00b"):
        assert client.post(link, data={"id": wrong}).status_code == 422
    joined = client.post(link, data={"id": "worker-7 é"})
    assert f"http://testserver{here.rater_link(1)}" in joined.text
    for _ in range(2):
        assert "Do you read English" in client.post(link, data={"id": "worker-7 é"}).text
        assert "Do you read English" in client.get(link, params={"id": "worker-7 é"}).text
        assert "Do you read English" in client.get(link).text
    assert [one.external for one in here.store.raters()] == ["worker-7 é"]
    client.post(link, data={"id": "worker-8"})
    assert [one.external for one in here.store.raters()] == ["worker-7 é", "worker-8"]
    assert client.get("/join/wrong", params={"id": "a"}).status_code == 404
    assert client.post("/join/wrong", data={"id": "a"}).status_code == 404
    closed = place(raters=0)
    assert client_of(closed).get(link, params={"id": "a"}).status_code == 404
    assert client_of(closed).post(link, data={"id": "a"}).status_code == 404


def test_an_id_alone_gives_nobody_the_session_of_its_rater(place: Make) -> None:
    here = place(raters=0, joining=True, rules={"eligibility": ()})
    link = f"/join/{here.tokens.token('join')}"
    first, second = client_of(here), client_of(here)
    assert first.post(link, data={"id": "student-17"}).status_code == 200
    answered(first, first.get("/text").text)
    (answer, *_) = here.store.ratings()
    taken = second.post(link, data={"id": "student-17"})
    assert taken.status_code == 409
    assert "has been used already" in taken.text
    assert "own link" in taken.text
    assert "/r/1-" not in taken.text
    second.get(link, params={"id": "student-17"})
    assert second.get("/text").status_code == 401
    assert second.get("/link").status_code == 401
    # The ways back: the same browser, or the rater's own link in any other.
    assert "MV Alba" in first.post(link, data={"id": "student-17"}).text
    page = first.get("/link").text
    own = re.findall(r"http://testserver(/r/[^<]+)", page)[0]
    assert "MV Alba" in second.get(own).text
    assert "MV Alba" in second.get(link, params={"id": "student-17"}).text
    assert next(here.store.ratings()) == answer
    headers = {"origin": "https://evil.org"}
    assert first.post(link, data={"id": "other"}, headers=headers).status_code == 403


def test_sliders_and_omissions_work_without_a_script_but_marks_say_they_do_not(
    place: Make, every_kind: Any
) -> None:
    here = place(questions=every_kind)
    client, page = begun(here)
    sent = {"q:DataCoverage": "40", "omitted:errors": "1"}
    response = answered(client, page, **sent)
    assert response.status_code == 422
    assert "Marking needs JavaScript" in response.text
    assert re.search(r'value="1" data-question="errors" checked', response.text)
    assert 'value="40"' in response.text
    marks = '[{"start": 4, "end": 9, "label": "not in the data"}]'
    response = answered(client, page, **sent, **{"marks:errors": marks})
    assert response.status_code == 200
    spans = next(one for one in here.store.ratings() if one.criterion == "errors")
    assert spans.value == 2
    assert spans.spans[1]["triple"] == ["MV_Alba", "builtIn", "1974"]


@pytest.mark.parametrize(
    "marks",
    [
        "{",
        "7",
        '[{"start": 0, "end": 9999, "label": "not in the data"}]',
        '[{"start": 3, "end": 3, "label": "not in the data"}]',
        '[{"start": 0, "end": 3, "label": "<b>"}]',
        '[{"start": 0.5, "end": 3, "label": "not in the data"}]',
    ],
)
def test_wrong_marks_are_refused_in_words(place: Make, every_kind: Any, marks: str) -> None:
    here = place(questions=every_kind)
    client, page = begun(here)
    response = answered(client, page, **{"q:DataCoverage": "40", "marks:errors": marks})
    assert response.status_code in (400, 422)
    assert "<b>" not in response.text.replace("<b>r001", "")
    assert not list(here.store.ratings())


@pytest.mark.parametrize(
    "text",
    [
        "x" * 30_000,
        "word " * 3000,
        "مرحبا بالعالم",
        "a\x00b\x1b[31m\r\n\u2028c",
        "😀" * 50,
        "<!-- --> </p></main> {{ 7 * 7 }} {% raise %}",
    ],
    ids=["one word", "long", "arabic", "control", "emoji", "markup"],
)
def test_hard_texts_are_shown(place: Make, every_kind: Any, text: str) -> None:
    _, page = begun(place(questions=every_kind, texts=(text,)))
    assert page.rstrip().endswith("</html>")
    assert "\x00" not in page
    assert "</main> {{" not in page
    assert page.count("</main>") == 1


QUESTIONS = (PRESETS["webnlg2017"][0], PRESETS["webnlg2020"][0], SPANS)


def test_a_whole_form() -> None:
    marks = "%5B%7B%22start%22%3A0%7D%5D"
    body = (
        f"q:semantics=3&q:DataCoverage=41,5&marks:errors={marks}&omitted:errors=0&omitted:errors=2"
    )
    raw, problems = answers_from_form(QUESTIONS, parse_form(body.encode()))
    assert problems == {}
    assert raw == {
        "semantics": 3.0,
        "DataCoverage": 41.5,
        "errors": {"marks": [{"start": 0}], "omitted": [0, 2]},
    }


def test_each_unanswered_question_gets_a_message() -> None:
    raw, problems = answers_from_form(QUESTIONS, parse_form(b"q:semantics=&q:DataCoverage=much"))
    assert raw == {"errors": {"marks": [], "omitted": []}}
    assert list(problems) == ["semantics", "DataCoverage", "errors"]
    assert "JavaScript" in problems["errors"]


@pytest.mark.parametrize("number", ["nan", "inf", "-inf", "1e999", "0x10", "1 2"])
def test_an_answer_must_be_a_number(number: str) -> None:
    raw, problems = answers_from_form(QUESTIONS[:1], {"q:semantics": [number]})
    assert raw == {}
    assert problems


def test_a_fact_that_is_none_is_none_of_the_data() -> None:
    fields = {"marks:errors": ["[]"], "omitted:errors": ["x", "-1", "٣", "9" * 30]}
    assert answers_from_form([SPANS], fields)[0]["errors"]["omitted"] == [-1] * 4


def test_a_draft_keeps_what_can_be_shown() -> None:
    mark = {"start": 1, "end": 4, "label": "not in the data"}
    wrong = [{**mark, "label": "bad"}, {**mark, "end": 1}, {**mark, "start": True}, {"start": 1}, 7]
    raw = {
        "semantics": 2,
        "DataCoverage": "50",
        "errors": {"marks": [mark, *wrong], "omitted": [1, -1, True, "2"]},
        "other": 1,
    }
    assert cleaned_draft(QUESTIONS, raw) == {
        "semantics": 2,
        "errors": {"marks": [mark], "omitted": [1]},
    }
    assert cleaned_draft(QUESTIONS, None) == {}


_JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
)


@given(st.dictionaries(st.sampled_from(["semantics", "DataCoverage", "errors"]), _JSON))
def test_no_draft_breaks_a_page(raw: dict[str, object]) -> None:
    draft = cleaned_draft(QUESTIONS, raw)
    assert cleaned_draft(QUESTIONS, draft) == draft


@pytest.mark.parametrize(
    ("given", "seconds"),
    [(3, 3), (2.5, 2.5), ("7.5", 7.5), (-1, 0), ("x", 0), (None, 0), (True, 0), ([], 0),
     (float("nan"), 0), (1e300, 86400), (10**400, 86400)],
)  # fmt: skip
def test_seconds(given: object, seconds: float) -> None:
    assert seconds_of(given) == seconds


def test_without_a_script_seconds_count_from_rendering() -> None:
    made = {"seconds": [""], "shown": ["100.0"], "before": ["5.0"]}
    assert seconds_in(made, 112.0) == 17
    assert seconds_in({**made, "seconds": ["3"]}, 112.0) == 3
    assert seconds_in({}, 112.0) == 0


# Pairs of texts, and severities of marks.


def test_two_texts_are_shown_in_both_orders_and_stored_in_one(place: Make) -> None:
    rival = {"systems": ["T5", "LSTM"], "text": "The second <b>text</b>."}
    texts = [
        SampledText(
            Item(f"Id{n}", FACTS, f"The first text {n}.", "T5 vs LSTM", meta={"rival": rival}),
            "pairs",
        )
        for n in range(2)
    ]
    here = place(PRESETS["preference"], texts, rules={"eligibility": ()})
    orders = set()
    for number in (1, 2):
        client = client_of(here)
        page = client.get(here.rater_link(number)).text
        assert "Up to <b>2</b> pairs of texts" in page, "the limit is 3, but there are only two"
        page = client.post("/begin", data={"form_token": form_token(page)}).text
        for _ in range(2):
            assert "The second &lt;b&gt;text&lt;/b&gt;." in page
            left_is_first = page.index("The first text") < page.index("The second")
            orders.add(left_is_first)
            values = re.findall(r'name="q:preference" value="(-?\d)"', page)
            assert values == (["1", "0", "-1"] if left_is_first else ["-1", "0", "1"])
            sent = {"form_token": form_token(page), "seconds": "5"}
            # Everybody prefers the first text, wherever it stands.
            sent["q:preference"] = values[0] if left_is_first else values[2]
            page = client.post(f"/text/{slot_of(page)}", data=sent).text
    assert orders == {True, False}
    ratings = list(here.store.ratings())
    assert [rating.value for rating in ratings] == [1.0] * 4
    assert {tuple(rating.meta["pair"]) for rating in ratings} == {("T5", "LSTM")}


def test_an_empty_text_loses_its_pair(place: Make) -> None:
    texts = [
        SampledText(
            Item(
                f"Id{number}",
                FACTS,
                first,
                "A vs B",
                meta={"rival": {"systems": ["A", "B"], "text": second}},
            ),
            "pairs",
        )
        for number, (first, second) in enumerate([("", "x"), ("x", " "), ("", "")])
    ]
    ratings = list(place(PRESETS["preference"], texts).store.ratings())
    assert [(rating.value, rating.rater) for rating in ratings] == [(-1, ""), (1, ""), (0, "")]


def test_a_mark_without_its_severity_is_asked_for_again(place: Make) -> None:
    here = place(PRESETS["error-types"], rules={"eligibility": ()})
    client = client_of(here)
    page = client.get(here.rater_link(1)).text
    page = client.post("/begin", data={"form_token": form_token(page)}).text
    assert "data-severities='[&#34;minor" in page or 'data-severities=\'["minor"' in page
    mark = {"start": 0, "end": 3, "label": "misleading", "severity": ""}
    sent = {"form_token": form_token(page), "seconds": "5"}
    answer = client.post(f"/text/{slot_of(page)}", data=sent | {"marks:errors": json.dumps([mark])})
    assert answer.status_code == 422
    assert "has a mark without a severity" in answer.text
    assert "misleading" in answer.text  # the mark is not lost
    sent["marks:errors"] = json.dumps([mark | {"severity": "major"}])
    assert client.post(f"/text/{slot_of(page)}", data=sent).status_code == 200
    (rating,) = here.store.ratings()
    assert rating.spans[0]["severity"] == "major"


@given(st.text(st.characters(), max_size=80))
def test_pieces_cover_the_text(text: str) -> None:
    made = pieces(text)
    assert "".join(text[piece.start : piece.end] for piece in made) == text
    assert [piece.start for piece in made[1:]] == [piece.end for piece in made[:-1]]
    assert all(len(piece.text) == piece.end - piece.start for piece in made)
    assert all(piece.is_word is bool(text[piece.start : piece.end].strip()) for piece in made)
    "".join(piece.text for piece in made).encode()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        (" \r\n ", []),
        ("It's a well-known 3.14, or 1.", ["It's", "a", "well-known", "3.14", ",", "or", "1", "."]),
        ("e\u0301te\u0301-la\u0300 👩‍👩‍👧!", ["e\u0301te\u0301-la\u0300", "👩‍👩‍👧", "!"]),
        ("🇩🇪🇫🇷 👍🏽", ["🇩🇪", "🇫🇷", "👍🏽"]),
        ("שלום עולם", ["שלום", "עולם"]),
        ("東京 ไทย", ["東", "京", "ไ", "ท", "ย"]),
        ("a\x00b", ["a", "\ufffd", "b"]),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    assert [piece.text for piece in pieces(text) if piece.is_word] == words


def test_what_a_page_cannot_hold_is_marked_and_as_long() -> None:
    assert shown("a\x00\ud800\x1bb\t\n") == "a\ufffd\ufffd\ufffdb\t\n"


def item(*triples: tuple[str, str, str], **terms: Term) -> Item:
    return Item("1", tuple(Triple(*triple) for triple in triples), "text", terms=terms)


def test_facts_stand_under_their_subjects_in_words() -> None:
    subjects = facts_by_subject(
        item(
            ("MV_Alba", "homePort", "Oban"),
            ("Oban", "is_part_of", "Q1"),
            ("MV_Alba", "http://x.org/o/builtIn", '"1974"'),
            Q1=Term(label="Argyll"),
        )
    )
    assert [subject.name for subject in subjects] == ["MV Alba", "Oban"]
    assert [(row.index, row.predicate, row.object) for row in subjects[0].rows] == [
        (0, "home port", "Oban"),
        (2, "built in", "1974"),
    ]
    assert subjects[1].rows[0].object == "Argyll"


def parsed(*triples: tuple[str, str, str]) -> ET.Element:
    return ET.fromstring(drawing(facts_by_subject(item(*triples)), 'The "data"'))


def boxes(svg: ET.Element, kind: str) -> list[ET.Element]:
    return svg.findall(f"rect[@class='{kind}']")


def test_the_drawing_has_a_box_a_thing_and_an_arrow_a_fact() -> None:
    svg = parsed(("A", "has", "B"), ("B", "has", "C & <D>"), ("A", "is", "E"), ("F", "is", "E"))
    assert [len(boxes(svg, kind)) for kind in ("root", "thing", "again")] == [2, 4, 0]
    assert len(svg.findall("path[@class='arrow']")) == 4
    assert "C & <D>" in [text.text for text in svg.findall("text")]


def test_no_two_boxes_meet() -> None:
    long = "A very long name of a thing that is written over several lines of its box indeed so"
    svg = parsed((long, "p", "B"), ("C", "p", long + "!"), *[("C", f"q{n}", "B") for n in range(9)])
    places = [
        tuple(float(rect.attrib[name]) for name in ("x", "y", "width", "height"))
        for rect in svg.findall("rect")
    ]
    for number, (x, y, width, height) in enumerate(places):
        assert x >= 0
        assert y >= 0
        for x2, y2, width2, height2 in places[:number]:
            apart = x + width <= x2 or x2 + width2 <= x or y + height <= y2 or y2 + height2 <= y
            assert apart


def test_circles_loops_repeats_and_long_chains_are_drawn() -> None:
    assert len(boxes(parsed(("A", "p", "B"), ("B", "p", "A")), "again")) == 1
    assert len(boxes(parsed(("A", "p", "A")), "again")) == 1
    assert len(parsed(("A", "p", "B"), ("A", "p", "B")).findall("path")) == 2
    chain = parsed(*[(f"N{number}", "next", f"N{number + 1}") for number in range(1500)])
    assert len(chain.findall("rect")) == 1501
    assert drawing([Subject("", ())], "nothing")
