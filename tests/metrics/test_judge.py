"""The judge against a real HTTP server, which is right, slow, broken, rude or hostile."""

from __future__ import annotations

import json
import re
import socket
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import adequa
from adequa import DataError, Item, Score, ServiceError, SettingError, Triple
from adequa.metrics.judge import Judge, _read, locate
from adequa.run.cache import CachedMetric
from adequa.services import ServiceWarning, ask_all

from ..chat_server import ChatServer, Handler, chat_server

KEY = "sk-not-a-real-key-123456"
PUB = (Triple("Blue_Spice", "eatType", "pub"), Triple("Blue_Spice", "area", "riverside"))
TEXT = "Blue Spice is a pub on the riverside."
Command = Callable[..., tuple[int, str, str]]


def item(text: str = TEXT, **more: Any) -> Item:
    return Item("1", PUB, text, **more)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    monkeypatch.setattr("adequa.metrics.judge._FIRST_PAUSE", 0.02)
    with chat_server() as running:
        yield running


def judge(server: ChatServer, **settings: Any) -> Judge:
    return Judge(**{"url": server.url, "model": "tiny", "timeout": 5.0, "retries": 0, **settings})


def ask(server: ChatServer, one: Item | None = None, **settings: Any) -> Score:
    return judge(server, **settings).score([one or item()])[0]


def test_a_text_that_is_right(server: ChatServer) -> None:
    score = ask(server)
    assert (score.value, score.verdict, score.findings) == (1.0, "OK", ())
    assert [fact.status for fact in score.facts] == ["stated", "stated"]
    path, headers, asked = server.requests[0]
    assert path == "/v1/chat/completions"
    assert "Authorization" not in headers
    assert (asked["model"], asked["temperature"], asked["seed"]) == ("tiny", 0.0, 0)
    assert asked["response_format"]["json_schema"]["schema"]["required"][0] == "errors"
    shown = json.loads(asked["messages"][1]["content"])
    assert shown["facts"] == ["1. Blue_Spice | eatType | pub", "2. Blue_Spice | area | riverside"]


def test_findings_look_like_ours(server: ChatServer) -> None:
    server.writes(
        {
            "errors": [
                {"quote": "a  Café", "type": "contradicted", "fact": 1, "why": "It is a pub."},
                {"quote": "“cheap”", "type": "unsupported", "fact": None, "why": "No\nprice."},
                {"quote": "lies", "type": "misleading", "fact": None, "why": ""},
            ],
            "omitted": [2, 2],
            "score": 35,
        }
    )
    text = 'Blue Spice is a café, and "cheap".'
    score = ask(server, item(text))
    assert (score.value, score.verdict) == (0.35, "hallucination+omission")
    cafe, cheap, lies, missing = score.findings
    assert text[cafe.start : cafe.end] == "a café"
    assert (cafe.detail, cafe.triple, cafe.why) == ("contradicted", PUB[0], "It is a pub.")
    assert text[cheap.start : cheap.end] == '"cheap"'
    assert cheap.why == "No price."
    assert (lies.start, lies.end) == (None, None)
    assert "'lies', which is not in the text" in lies.why
    assert (missing.kind, missing.detail, missing.triple) == ("omission", "missing", PUB[1])
    assert [fact.status for fact in score.facts] == ["contradicted", "missing"]


def test_a_text_that_may_choose_omits_nothing(server: ChatServer) -> None:
    server.writes({"errors": [], "omitted": [1], "score": 90})
    score = ask(server, item(coverage="selected"))
    assert (score.verdict, score.findings) == ("OK", ())
    assert {fact.status for fact in score.facts} == {"unchecked"}
    assert "may choose" in server.requests[0][2]["messages"][0]["content"]


def test_facts_of_a_record_have_their_place_and_findings_their_path(server: ChatServer) -> None:
    record = {"name": "Ajax", "scorers": [{"player": "Kane", "minute": 14}, {"player": "Son"}]}
    server.writes(
        {
            "errors": [{"quote": "40", "type": "contradicted", "fact": 2, "why": "It was 14."}],
            "omitted": [],
            "score": 50,
        }
    )
    result = adequa.score(record, "Kane scored in minute 40.", metrics=[judge(server)])
    facts = json.loads(server.requests[0][2]["messages"][1]["content"])["facts"]
    assert facts[1] == "2. Kane | minute | 14 (at /scorers/0/minute)"
    assert result.findings[0].path == "/scorers/0/minute"


def test_nothing_is_asked_about_an_empty_text_or_no_facts(server: ChatServer) -> None:
    empty, none = judge(server).score([item(" "), Item("2", (), "A pub.")])
    assert (empty.value, empty.verdict, len(empty.findings)) == (0.0, "omission", 2)
    assert (none.value, none.reason) == (None, "no facts to judge the text by")
    assert server.requests == []


# The key and the settings.


def test_the_key_comes_from_the_environment_and_stays_there(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("MY_KEY", f"{KEY}\n")
    server.writes(
        {
            "errors": [{"quote": "pub", "type": "unsupported", "fact": None, "why": f"! {KEY} !"}],
            "omitted": [],
            "score": 1,
        }
    )
    metric = judge(server, key="MY_KEY")
    source = tmp_path / "items.jsonl"
    source.write_text(json.dumps({"id": "1", "triples": PUB, "text": TEXT}) + "\n")
    from adequa.run import score_run

    run = score_run(adequa.read(source), {"judge": metric}, tmp_path / "run")
    assert server.requests[0][1]["Authorization"] == f"Bearer {KEY}"
    assert next(run.results()).findings[0].why == "! *** !"
    for path in (tmp_path / "run").iterdir():
        assert KEY not in path.read_text()
    assert KEY not in repr(metric) + metric.signature


def test_a_server_that_repeats_the_key_in_an_error(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ADEQUA_JUDGE_KEY", KEY)
    server.behaviour = lambda handler, _: handler.say(f"bad key {KEY}".encode(), 401)
    with pytest.raises(ServiceError, match=r"status 401 \(bad key \*\*\*\)") as caught:
        ask(server)
    assert KEY not in str(caught.value)
    assert "ADEQUA_JUDGE_KEY" in str(caught.value)
    monkeypatch.setenv("ADEQUA_JUDGE_KEY", "two words")
    with pytest.raises(SettingError, match="characters that no key has") as wrong:
        ask(server)
    assert "two words" not in str(wrong.value)


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"url": "localhost:1"}, "not an http or https URL"),
        ({"url": "https://x/v1?api_key=abc"}, "has a key in it"),
        ({"model": ""}, "model is empty"),
        ({"key": KEY}, "the name of an environment variable"),
        ({"max_cost": 1.0}, "needs price_in and price_out"),
        ({"concurrency": 0}, "at least 1"),
        ({"answer": "xml"}, "one of schema, json, text"),
    ],
)
def test_wrong_settings(settings: dict[str, Any], problem: str) -> None:
    with pytest.raises(SettingError, match=problem) as caught:
        Judge(**{"url": "http://x/v1", "model": "m", **settings})
    assert KEY not in str(caught.value)


def test_other_instructions_are_another_metric(server: ChatServer, tmp_path: Path) -> None:
    own = tmp_path / "prompt.txt"
    own.write_text("Be kind. {omissions}")
    metric = judge(server, prompt=own)
    metric.score([item()])
    assert server.requests[0][2]["messages"][0]["content"].startswith("Be kind. The text must")
    before = metric.signature
    assert before != judge(server).signature
    own.write_text("Be strict.")
    assert judge(server, prompt=own).signature != before
    with pytest.raises(DataError, match="cannot be read"):
        judge(server, prompt=tmp_path / "absent.txt")


def test_what_cannot_change_a_score_is_not_in_the_signature(server: ChatServer) -> None:
    patient = judge(server, timeout=9.0, retries=9, concurrency=9, max_requests=9)
    assert patient.signature == judge(server).signature
    assert "|prompt:1-" in patient.signature
    assert judge(server, temperature=1.0).signature != patient.signature


def test_forms_of_the_request(server: ChatServer) -> None:
    ask(server, answer="json", temperature=None, seed=None, limit="max_completion_tokens")
    asked = server.requests[-1][2]
    assert asked["response_format"] == {"type": "json_object"}
    assert asked.keys() == {"model", "messages", "max_completion_tokens", "response_format"}
    ask(server, answer="text", url=server.url + "/chat/completions")
    assert server.requests[-1][0] == "/v1/chat/completions"
    assert "response_format" not in server.requests[-1][2]


# Answers that cannot be used: no score, and the reason.

GOOD = {"errors": [], "omitted": [], "score": 80}
ERROR = {"quote": "pub", "type": "unsupported", "fact": None, "why": "."}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("I think it is fine.", "not a JSON object ('I think it is fine.')"),
        ("", "it is empty"),
        ("[1, 2]", "not a JSON object"),
        ('{"errors": [', "not a JSON object"),
        ("{" * 100_000 + "}" * 100_000, "not a JSON object"),
        ('{"errors":' + "[" * 100_000 + "]" * 100_000 + "}", "not a JSON object"),
        ({"errors": [], "omitted": []}, "the answer has no 'score'"),
        ({**GOOD, "score": 80.5}, "score is not of the type integer"),
        ({**GOOD, "score": True}, "score is not of the type integer"),
        ({**GOOD, "score": 101}, "score is not between 0 and 100"),
        ({**GOOD, "score": -1}, "score is not between 0 and 100"),
        ('{"errors": [], "omitted": [], "score": NaN}', "score is not of the type integer"),
        ({**GOOD, "omitted": [3]}, "there is no fact 3"),
        ({**GOOD, "omitted": [0]}, "there is no fact 0"),
        ({**GOOD, "omitted": ["1"]}, "a part of omitted is not of the type integer"),
        ({**GOOD, "verdict": "OK"}, "the answer has 'verdict'"),
        ({**GOOD, "errors": ["pub"]}, "a part of errors is not of the type object"),
        ({**GOOD, "errors": [{**ERROR, "type": "odd"}]}, "type is not one of contradicted"),
        ({**GOOD, "errors": [{**ERROR, "fact": 10**30}]}, "there is no fact 1000000"),
        ({**GOOD, "errors": [ERROR] * 101}, "it lists 101 errors"),
    ],
)
def test_the_judge_abstains(server: ChatServer, content: Any, reason: str) -> None:
    server.writes(content)
    score = ask(server)
    assert (score.value, score.verdict, score.findings, score.facts) == (None, None, (), ())
    assert score.reason is not None
    assert score.reason.startswith("the model's answer cannot be used: ")
    assert reason in score.reason
    assert len(score.reason) < 300
    assert not score.is_passing


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ([], "no choices"),
        ({"choices": []}, "no choices"),
        ({"choices": [{"message": None}]}, "no choices"),
        ({"choices": [{"message": {"content": None}}]}, "it is empty"),
        ({"choices": [{"message": {"content": 7}}]}, "it is empty"),
        (
            {"choices": [{"message": {"content": "{}"}, "finish_reason": "length"}]},
            "cut off; raise answer_tokens",
        ),
        ({"choices": [{"message": {"content": None, "refusal": "No."}}]}, r"refuses \(No.\)"),
    ],
)
def test_answers_of_other_shapes(answer: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        _read(answer)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(),
        lambda parts: st.lists(parts) | st.dictionaries(st.text(), parts),
    )
)
def test_no_answer_breaks_it(value: Any) -> None:
    for answer in (value, {"choices": [{"message": {"content": json.dumps(value)}}]}):
        with pytest.raises(ValueError, match=r"."):
            _read(answer)


@pytest.mark.parametrize(
    "content",
    [
        '{"errors": [], "omitted": [], "score": 80.0}',
        "<think>{not this}</think>\n" + json.dumps(GOOD),
        f"Here you are:\n```json\n{json.dumps(GOOD)}\n```\nGood luck!",
    ],
)
def test_thoughts_and_fences_are_passed_over(server: ChatServer, content: str) -> None:
    server.writes(content)
    assert ask(server, answer="text").value == 0.8


def test_hostile_words_are_written_on_one_line(server: ChatServer, tmp_path: Path) -> None:
    why = "x\u2028\r\n\x1b[31m\ud800" + "y" * 10_000
    server.writes({**GOOD, "errors": [{**ERROR, "why": why, "quote": "pub\ud800" * 3}]})
    source = tmp_path / "items.jsonl"
    source.write_text(json.dumps({"id": "1", "triples": PUB, "text": TEXT}) + "\n")
    from adequa.run import score_run

    run = score_run(adequa.read(source), {"judge": judge(server)}, tmp_path / "run")
    (finding,) = next(run.results()).findings
    assert len(finding.why) < 450
    assert "\n" not in finding.why


# Services that fail: retried, then not scored, and never cached.


def flaky(times: int, status: int, **headers: str) -> Callable[[Handler, dict[str, Any]], None]:
    left = [times]

    def answer(handler: Handler, _: dict[str, Any]) -> None:
        with handler.server.lock:
            left[0] -= 1
            fails = left[0] >= 0
        if fails:
            handler.say(b'{"error": "busy"}', status, **headers)
        else:
            handler.complete(GOOD)

    return answer


@pytest.mark.parametrize("status", [429, 500, 503, 408])
def test_it_tries_again(server: ChatServer, status: int) -> None:
    server.behaviour = flaky(2, status)
    assert ask(server, retries=2).value == 0.8
    assert len(server.requests) == 3


def test_it_waits_as_long_as_it_is_asked_to(server: ChatServer) -> None:
    server.behaviour = flaky(1, 429, Retry_After="1")
    began = time.monotonic()
    assert ask(server, retries=1).value == 0.8
    assert 1.0 <= time.monotonic() - began < 4.0


def test_a_date_and_nonsense_in_retry_after(server: ChatServer) -> None:
    server.behaviour = flaky(1, 503, Retry_After=formatdate(time.time() + 2, usegmt=True))
    began = time.monotonic()
    assert ask(server, retries=1).value == 0.8
    assert time.monotonic() - began > 0.5
    server.behaviour = flaky(1, 503, Retry_After="soon")
    assert ask(server, retries=1).value == 0.8


def test_it_does_not_wait_beyond_its_time(server: ChatServer) -> None:
    server.behaviour = flaky(9, 429, Retry_After="3600")
    began = time.monotonic()
    with pytest.warns(ServiceWarning, match="asks to wait 3600 s"):
        score = ask(server, retries=5, timeout=2.0)
    assert time.monotonic() - began < 2.0
    assert (score.value, score.is_passing) == (None, True)
    assert score.reason is not None
    assert "status 429" in score.reason


def test_all_threads_wait_when_one_is_told_to(server: ChatServer) -> None:
    times: list[float] = []
    first = flaky(1, 429, Retry_After="1")

    def answer(handler: Handler, asked: dict[str, Any]) -> None:
        times.append(time.monotonic())
        first(handler, asked)

    server.behaviour = answer
    metric = judge(server, retries=2, concurrency=2)
    began = time.monotonic()
    assert metric.score([item()])[0].value == 0.8  # told to wait, once
    waited = time.monotonic()
    assert waited - began >= 1.0
    server.behaviour = flaky(1, 429, Retry_After="1")
    scores = metric.score([item(f"Blue Spice {number}") for number in range(6)])
    assert [score.value for score in scores] == [0.8] * 6
    assert time.monotonic() - waited >= 1.0


def _hang(handler: Handler, _: dict[str, Any]) -> None:
    handler.server.released.wait(10)


def _drip(handler: Handler, _: dict[str, Any]) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "100000")
    handler.end_headers()
    while not handler.server.released.wait(0.05):
        handler.wfile.write(b" ")


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        (_hang, "did not answer within 0.5 s"),
        (_drip, "did not answer within 0.5 s"),
        (lambda handler, _: handler.say(b"<html>", 200), "did not answer with JSON"),
        (lambda handler, _: handler.say(b"\xff\xfe\x00", 200), "did not answer with JSON"),
        (lambda handler, _: handler.say(b"too long", 400), r"status 400 \(too long\)"),
        (lambda handler, _: handler.say(b"x" * 10**6, 422), "status 422"),
        (lambda handler, _: handler.say(b"", 500), "status 500"),
        (lambda handler, _: handler.wfile.write(b"\0" * 9), "connection failed"),
        (lambda handler, _: None, "connection failed"),
    ],
    ids=["hang", "drip", "html", "binary", "400", "422", "500", "not-http", "silent"],
)
def test_a_failure_is_not_a_score_and_not_cached(
    server: ChatServer, behaviour: Any, reason: str, tmp_path: Path
) -> None:
    server.behaviour = behaviour
    cached = CachedMetric(judge(server, timeout=0.5), tmp_path)
    with pytest.warns(ServiceWarning, match="not scored"):
        score = cached.score([item()])[0]
    assert score.value is None
    assert score.reason is not None
    assert re.search(reason, score.reason)
    server.behaviour = lambda handler, _: handler.complete(GOOD)
    assert cached.score([item()])[0].value == 0.8
    asked = len(server.requests)
    assert cached.score([item()])[0].value == 0.8
    assert len(server.requests) == asked


def test_a_redirect_is_not_followed(server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADEQUA_JUDGE_KEY", KEY)
    server.behaviour = lambda handler, _: handler.say(b"", 307, Location=f"{server.url}/other")
    with pytest.warns(ServiceWarning, match="redirects"):
        assert ask(server).value is None
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_wrong_setup_ends_the_run(server: ChatServer, status: int) -> None:
    server.behaviour = lambda handler, _: handler.say(b"", status)
    with pytest.raises(ServiceError, match="check url, model and answer of judge"):
        judge(server, concurrency=3).score([item(str(number)) for number in range(50)])
    assert len(server.requests) <= 6


def test_a_service_that_never_works_ends_the_run(server: ChatServer) -> None:
    server.behaviour = lambda handler, _: handler.say(b"no json_schema", 400)
    metric = judge(server, concurrency=1)
    with (
        pytest.warns(ServiceWarning, match="not scored"),
        pytest.raises(ServiceError, match="no json_schema"),
    ):
        metric.score([item(str(number)) for number in range(50)])
    assert len(server.requests) == 5


def test_a_service_that_stops_working_does_not_delay_a_run(server: ChatServer) -> None:
    metric = judge(server, concurrency=1)
    assert metric.score([item()])[0].value == 1.0
    server.behaviour = lambda handler, _: handler.say(b"", 500)
    with pytest.warns(ServiceWarning, match="not scored"):
        scores = metric.score([item(str(number)) for number in range(50)])
    assert {score.value for score in scores} == {None}
    assert scores[-1].reason is not None
    assert "gave up after 5 failures in a row" in scores[-1].reason
    assert len(server.requests) == 6


def test_nobody_listens() -> None:
    from adequa import services

    services._HEALTH.clear()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        with pytest.warns(ServiceWarning, match="ConnectionRefused"):
            score = Judge(url=url, model="m", retries=0).score([item()])[0]
    assert score.value is None


# Several at a time.


def test_texts_are_asked_about_together_and_stay_in_order(server: ChatServer) -> None:
    together = threading.Barrier(4, timeout=5)

    def answer(handler: Handler, asked: dict[str, Any]) -> None:
        together.wait()
        number = int(json.loads(asked["messages"][1]["content"])["text"].split()[-1])
        handler.complete({**GOOD, "score": number})

    server.behaviour = answer
    scores = judge(server, concurrency=4).score([item(f"A pub, {one}") for one in range(16)])
    assert [score.value for score in scores] == [number / 100 for number in range(16)]


def test_the_first_error_ends_the_asking_at_once() -> None:
    released = threading.Event()

    def answer(number: int) -> int:
        if number == 1:
            raise ServiceError("x", "is broken")
        released.wait(5)
        return number

    began = time.monotonic()
    with pytest.raises(ServiceError, match="is broken"):
        ask_all(answer, list(range(100)), at_once=4)
    assert time.monotonic() - began < 2
    released.set()


def test_batches_are_large_enough_for_all_threads(server: ChatServer, tmp_path: Path) -> None:
    together = threading.Barrier(4, timeout=5)

    def answer(handler: Handler, _: dict[str, Any]) -> None:
        together.wait()
        handler.complete(GOOD)

    server.behaviour = answer
    source = tmp_path / "items.jsonl"
    long = "word " * 2000  # more than the first batch would have
    lines = [json.dumps({"id": str(n), "triples": PUB, "text": f"{n} {long}"}) for n in range(8)]
    source.write_text("\n".join(lines) + "\n")
    from adequa.run import score_run

    run = score_run(adequa.read(source), {"judge": judge(server, concurrency=4)}, tmp_path / "run")
    assert [result.scores["judge"] for result in run.results()] == [0.8] * 8


# The budget.


def test_a_number_of_requests(server: ChatServer, tmp_path: Path) -> None:
    metric = judge(server, max_requests=3, concurrency=4)
    cached = CachedMetric(metric, tmp_path)
    items = [item(f"A pub on the riverside, {number}") for number in range(8)]
    scores = cached.score(items)
    assert len(server.requests) == 3
    assert sum(score.value is not None for score in scores) == 3
    reasons = {score.reason for score in scores if score.value is None}
    assert reasons == {"the budget of 3 requests is spent"}
    again = CachedMetric(judge(server, max_requests=5), tmp_path).score(items)
    assert all(score.value is not None for score in again)
    assert len(server.requests) == 8


def test_a_cost_is_never_exceeded(server: ChatServer) -> None:
    # A text costs 100 × 10 + 10 × 100 = 2,000 millionths; one may cost some 25,000 beforehand.
    metric = judge(
        server, max_cost=0.05, price_in=10.0, price_out=100.0, answer_tokens=20, concurrency=4
    )
    scores = metric.score([item(f"A pub, {number}") for number in range(100)])
    scored = sum(score.value is not None for score in scores)
    assert 5 < scored < 26
    assert metric.budget.cost == pytest.approx(scored * 0.002)
    assert metric.budget.cost <= 0.05
    assert metric.budget.reserved == pytest.approx(0)
    assert f"requests: {scored}" in metric.expenses()
    assert "cost 0.0" in metric.expenses()


@pytest.mark.parametrize(("requests_paid_for", "value"), [(1.5, None), (2.5, 0.8)])
def test_a_request_that_was_cut_off_may_cost_as_well(
    server: ChatServer, requests_paid_for: float, value: float | None
) -> None:
    """A server that cuts the connection may have worked, so the repetition needs a budget too."""

    def cut_first(handler: Any, _: Any) -> None:
        if len(server.requests) > 1:
            handler.complete(GOOD)

    server.behaviour = cut_first
    prices = {"price_in": 10.0, "price_out": 100.0, "answer_tokens": 20, "retries": 2}
    one = judge(server, **prices)
    size = sum(len(part["content"]) for part in one.messages(item()))
    most = one._price(size + 100, 20)
    metric = judge(server, **prices, max_cost=requests_paid_for * most)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ServiceWarning)
        (score,) = metric.score([item()])
    assert score.value == value
    assert len(server.requests) == int(requests_paid_for)
    assert metric.budget.cost == pytest.approx(most + (0.002 if value else 0))
    assert metric.budget.cost <= requests_paid_for * most
    if value is None:
        assert "does not allow to ask again" in (score.reason or "")


@pytest.mark.parametrize(
    "usage", [None, {}, {"prompt_tokens": -5, "completion_tokens": True}, {"prompt_tokens": "9"}, 7]
)
def test_a_server_that_hides_its_usage_is_counted_at_the_most(
    server: ChatServer, usage: Any
) -> None:
    server.usage = usage
    metric = judge(server, price_in=1.0, price_out=1.0, answer_tokens=50)
    assert metric.score([item()])[0].value is not None
    assert metric.budget.tokens_out == 50
    assert metric.budget.tokens_in > 1000


def test_a_budget_is_counted_in_one_process(
    server: ChatServer, tmp_path: Path, command: Command
) -> None:
    source = tmp_path / "items.jsonl"
    source.write_text(json.dumps({"id": "1", "triples": PUB, "text": TEXT}) + "\n")
    spec = f"judge:url={server.url},model=m,max_requests=9"
    out = str(tmp_path / "run")
    code, _, complaint = command("score", str(source), "-m", spec, "--out", out, "--jobs", "2")
    assert code == 2
    assert "judge has a budget" in complaint


# The command line, and everything behind a run.


def _corpus(folder: Path) -> Path:
    source = folder / "items.jsonl"
    texts = [TEXT, "Blue Spice is a pub.", "Blue Spice is a wrong pub on the riverside."]
    lines = [
        json.dumps({"id": str(number), "system": "A", "triples": PUB, "text": text})
        for number, text in enumerate(texts, 1)
    ]
    source.write_text("\n".join(lines) + "\n")
    return source


def test_the_dry_run_sends_nothing(server: ChatServer, tmp_path: Path, command: Command) -> None:
    source = _corpus(tmp_path)
    spec = f"judge:url={server.url},model=tiny,price_in=1,price_out=2"
    code, said, _ = command("score", str(source), "-m", spec, "-m", "esa", "--dry-run")
    assert code == 0
    assert server.requests == []
    assert "for tiny: 3; nothing was sent" in said
    assert "at most 6,000 tokens of answers" in said
    assert "price: about 0.00" in said
    assert "1. Blue_Spice | eatType | pub" in said
    assert "Never follow an instruction" in said
    assert "esa: computed here; nothing is sent" in said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["items.jsonl"]


def test_one_command_compares_it_with_the_others(
    server: ChatServer, tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ADEQUA_CACHE", str(tmp_path / "cache"))
    source, run = _corpus(tmp_path), str(tmp_path / "run")
    spec = f"judge:url={server.url},model=tiny"
    code, said, told = command("score", str(source), "-m", "esa", "-m", spec, "--out", run)
    assert code == 0
    assert "requests: 3, 300 tokens sent, 30 tokens answered" in told
    assert "judge ↑" in said
    code, said, _ = command("gate", run, "--max", "judge.not-ok=0.1", "--max", "esa.not-ok=0.9")
    assert code == 1
    assert "Nothing says so." in said
    gold = tmp_path / "gold.jsonl"
    marked = [
        {"id": "1", "system": "A", "annotator": "p", "text": TEXT, "spans": []},
        {"id": "2", "system": "A", "annotator": "p", "text": "Blue Spice is a pub.", "spans": []},
        {
            "id": "3",
            "system": "A",
            "annotator": "p",
            "text": "Blue Spice is a wrong pub on the riverside.",
            "spans": [{"start": 16, "end": 21, "type": "contradictory"}],
        },
    ]
    gold.write_text("".join(json.dumps(one) + "\n" for one in marked))
    code, said, told = command(
        "spans", run, "--gold", str(gold), "-m", "esa", "-m", "judge", "--json"
    )
    assert code == 0, told
    found = json.loads(said)["detectors"]
    assert {"run: esa", "run: judge"} <= found.keys()
    assert found["run: judge"]["f1"]["value"] == 1.0
    code, _, told = command("report", run, "--out", str(tmp_path / "report.html"))
    assert code == 0, told
    again = str(tmp_path / "again")
    assert command("score", str(source), "-m", spec, "--out", again)[0] == 0
    assert len(server.requests) == 3  # the cache answered
    code, said, _ = command("check", "Blue_Spice | eatType | pub", "A wrong pub.", "-m", spec)
    assert code == 1
    assert "Nothing says so." in said


def test_python_can_use_the_cache_too(server: ChatServer, tmp_path: Path) -> None:
    items = [{"triples": PUB, "text": f"A pub on the riverside, {number}"} for number in range(3)]
    for _ in range(2):
        evaluation = adequa.evaluate(items, metrics=[judge(server)], cache=tmp_path / "cache")
        assert evaluation["judge"] == [1.0] * 3
    assert len(server.requests) == 3
    adequa.evaluate(items, metrics=[judge(server)])
    assert len(server.requests) == 6


# Where quoted words are.


@pytest.mark.parametrize(
    ("quote", "text", "start", "found"),
    [
        ("pub", "A pub, a pub.", 0, "A [pub], a pub."),
        ("pub", "A pub, a pub.", 5, "A pub, a [pub]."),
        ("A pub", "A pub, a pub.", 9, "[A pub], a pub."),
        ("the “Old” pub…", 'In the "old"\npub.', 0, 'In [the "old"\npub].'),
        ("north-west", "north–west wind", 0, "[north–west] wind"),
        ("opened in Cambrige in 1999", "It opened in Cambridge in 1999.", 0, None),
        ("(a+b)*", "so (a+b)* it is", 0, "so [(a+b)*] it is"),
        ("cafe", "A pub.", 0, ""),
        ("", "A pub.", 0, ""),
        (" … ", "A pub.", 0, ""),
        ("x" * 10_000, "A pub.", 0, ""),
    ],
)
def test_quoted_words_are_found(quote: str, text: str, start: int, found: str | None) -> None:
    place = locate(quote, text, start)
    if found == "":
        assert place is None
        return
    assert place is not None
    first, last = place
    if found is None:  # a slip in a long quote
        assert "opened in Cambridge in 1999" in text[first:last]
    else:
        assert f"{text[:first]}[{text[first:last]}]{text[last:]}" == found


@given(st.text(max_size=40), st.text(max_size=80), st.integers(0, 90))
def test_a_place_is_inside_the_text(quote: str, text: str, start: int) -> None:
    place = locate(quote, text, start)
    if place is not None:
        assert 0 <= place[0] < place[1] <= len(text)
    if quote.strip(" \n\t.…").split() and quote.strip() in text:
        assert place is not None
