"""The client for a REL server, against a real server that behaves and misbehaves."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa import services as outside
from adequa.data import Mention
from adequa.entities.linker import (
    Link,
    RelClient,
    _Sent,
    foreign_links,
    linked_mentions,
)
from adequa.errors import ServiceError, SettingError
from adequa.services import ServiceWarning, degrade

TEXT = "Aarhus Airport serves the city of Aarhus in Norway."
# As a REL server answers: start, length, mention, title, ED and MD confidence, tag.
GOOD = [
    [34, 6, "Aarhus", "Aarhus", 0.41, 0.99, "LOC"],
    [0, 14, "Aarhus Airport", "Aarhus_Airport", 0.87, 0.98, "ORG"],
    [44, 6, "Norway", "Norway", 0.9, 0.99, "LOC"],
]
TIMEOUT = 0.4

Behaviour = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.requests.append((self.path, json.loads(body)))
        with contextlib.suppress(OSError):  # the client went away, as it should
            self.server.behaviour(self)

    def answer(self, body: bytes, status: int = 200, length: int | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: list[tuple[str, Any]] = []
        self.released = threading.Event()
        self.behaviour: Behaviour = lambda handler: handler.answer(json.dumps(GOOD).encode())

    def handle_error(self, *args: Any) -> None:
        pass

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/api"

    def says(self, value: Any) -> None:
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.behaviour = lambda handler: handler.answer(body)


@pytest.fixture
def server() -> Iterator[Server]:
    outside._HEALTH.clear()
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.released.set()
        running.shutdown()
        thread.join()


def client(server: Server, **settings: Any) -> RelClient:
    return RelClient(server.url, **{"timeout": TIMEOUT, "retries": 0, **settings})


def test_links_are_read_in_the_order_of_the_text(server: Server) -> None:
    links = client(server).link(TEXT)
    assert links == (
        Link(0, 14, "Aarhus_Airport", 0.87, "ORG"),
        Link(34, 40, "Aarhus", 0.41, "LOC"),
        Link(44, 50, "Norway", 0.9, "LOC"),
    )
    assert [TEXT[link.start : link.end] for link in links] == ["Aarhus Airport", "Aarhus", "Norway"]
    assert server.requests == [("/api", {"text": TEXT, "spans": []})]


def test_short_rows_nothing_found_and_repetitions(server: Server) -> None:
    server.says([[34, 6, "Aarhus", "Aarhus"], [0, 6, "Aarhus", "NIL"], [34, 6, "Aarhus", "Aarhus"]])
    assert client(server).link(TEXT) == (Link(34, 40, "Aarhus", 0.0, None),)
    server.says([[34, 6, "Aarhus", "Aarhus", 0, 0, "NULL"]])
    assert client(server).link(TEXT) == (Link(34, 40, "Aarhus", 0.0, None),)
    server.says([])
    assert client(server).link(TEXT) == ()


def test_an_empty_text_is_not_sent(server: Server) -> None:
    assert client(server).link("") == client(server).link(" \n\t") == ()
    assert server.requests == []


def test_what_rel_would_change_is_changed_before_and_mapped_back(server: Server) -> None:
    text = "  Marks &amp;  Spencer\n\nis in\tLeeds \ud800 "
    server.says([[0, 15, "Marks & Spencer", "Marks_&_Spencer"], [22, 6, "Leeds ", "Leeds"]])
    store, city = client(server).link(text)
    assert server.requests[0][1]["text"] == "Marks & Spencer is in Leeds \ufffd"
    assert text[store.start : store.end] == "Marks &amp;  Spencer"
    assert text[city.start : city.end] == "Leeds"


@given(st.text(alphabet=st.sampled_from(list("ab &;amp\n\t\u00a0\U0001f600\ud800")), max_size=60))
def test_every_sent_character_has_its_place(text: str) -> None:
    sent = _Sent(text)
    assert len(sent.text) == len(sent.starts) == len(sent.ends)
    assert sent.text == sent.text.strip()
    assert "\ud800" not in sent.text
    assert "  " not in sent.text
    end_before = 0
    for character, start, end in zip(sent.text, sent.starts, sent.ends, strict=True):
        original = text[start:end]
        assert not text[end_before:start].strip()
        assert original == character or original.isspace() or original in ("&amp;", "\ud800")
        end_before = end
    assert not text[end_before:].strip()


def test_a_megabyte_is_sent_in_bounded_time(server: Server) -> None:
    server.says([])
    assert client(server, timeout=5.0).link("a  \ud800b&amp;" * 100_000) == ()


def _hang(handler: Handler) -> None:
    handler.server.released.wait(10)


def _drip_headers(handler: Handler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    while not handler.server.released.wait(0.05):
        handler.wfile.write(b"a")


def _drip_body(handler: Handler) -> None:
    handler.answer(b"[", length=100_000)
    while not handler.server.released.wait(0.05):
        handler.wfile.write(b" ")


def _die(handler: Handler) -> None:
    handler.answer(json.dumps(GOOD).encode()[:40], length=400)


def _die_in_a_chunk(handler: Handler) -> None:
    handler.protocol_version = "HTTP/1.1"
    handler.close_connection = True
    handler.send_response(200)
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    handler.wfile.write(b"ff\r\n[[0, 14")


def _flood(handler: Handler) -> None:
    handler.send_response(200)
    handler.end_headers()
    while not handler.server.released.is_set():
        handler.wfile.write(b" " * 1_000_000)


@pytest.mark.parametrize(
    ("behaviour", "problem"),
    [
        (_hang, "did not answer within 0.4 s"),
        (_drip_headers, "did not answer within 0.4 s"),
        (_drip_body, "did not answer within 0.4 s"),
        (_die, "the connection failed .IncompleteRead"),
        (_die_in_a_chunk, "the connection failed .IncompleteRead"),
        (lambda handler: None, "the connection failed .RemoteDisconnected"),
        (lambda handler: handler.wfile.write(b"\0" * 100), "the connection failed .BadStatusLine"),
        (lambda handler: handler.answer(b"oops", 500), "answered with status 500"),
        (lambda handler: handler.answer(b"[]", 422), "answered with status 422"),
        (lambda handler: handler.answer(b"[]", 204), "answered with status 204"),
    ],
    ids=[
        *("hang", "drip-headers", "drip-body", "die", "die-in-chunk", "silent", "binary"),
        *("500", "422", "204"),
    ],
)
def test_a_broken_server_is_an_error_within_the_time(
    server: Server, behaviour: Behaviour, problem: str
) -> None:
    server.behaviour = behaviour
    # A server that fails at once has time for it on a busy machine; only a slow one is cut off.
    limit = TIMEOUT if "did not answer" in problem else 20 * TIMEOUT
    began = time.monotonic()
    with pytest.raises(ServiceError, match=problem) as caught:
        client(server, timeout=limit).link(TEXT)
    assert time.monotonic() - began < limit + 2
    assert caught.value.service == server.url
    assert caught.value.remedy


def test_an_answer_without_end_is_cut_off(server: Server) -> None:
    server.behaviour = _flood
    with pytest.raises(ServiceError, match="more than 8388608 bytes"):
        client(server, timeout=8.0).link(TEXT)


def test_nobody_listens() -> None:
    outside._HEALTH.clear()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(ServiceError, match=r"ConnectionRefusedError.*check that it runs"):
            RelClient(url, timeout=TIMEOUT).link(TEXT)


def test_a_redirect_is_not_followed(server: Server) -> None:
    def redirect(handler: Handler) -> None:
        handler.send_response(307)
        handler.send_header("Location", f"{server.url}/elsewhere")
        handler.end_headers()

    server.behaviour = redirect
    with pytest.raises(ServiceError, match=r"redirects to .*elsewhere.*, which is not followed"):
        client(server).link(TEXT)
    assert [path for path, _ in server.requests] == ["/api"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>busy</html>",
        b"[[0, 14",
        b"[NaN]",
        b"\xff\xfe\xff",
        b"[" * 100_000,
        b"[" + b"9" * 10_000 + b"]",
        b"HTTP/1.0 400 Bad Request\r\n\r\n[]",  # what REL sends when it fails halfway
    ],
)
def test_what_is_not_json_is_an_error(server: Server, body: bytes) -> None:
    server.says(body)
    with pytest.raises(ServiceError, match=r"did not answer with JSON|link 1 of its answer is not"):
        client(server).link(TEXT)


ROW = GOOD[1]


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ({}, "not a list"),
        (None, "not a list"),
        ("Aarhus", "not a list"),
        ([{"mention": "Aarhus"}], "is not a list of 4 or 7 values"),
        ([ROW[:5]], "is not a list of 4 or 7 values"),
        ([[ROW]], "is not a list of 4 or 7 values"),
        ([["0", *ROW[1:]]], "no whole numbers"),
        ([[0.0, *ROW[1:]]], "no whole numbers"),
        ([[False, *ROW[1:]]], "no whole numbers"),
        ([[0, 14, None, *ROW[3:]]], "no strings"),
        ([[*ROW[:3], 7, *ROW[4:]]], "no strings"),
        ([[*ROW[:4], "high", 1, "ORG"]], "no number for its confidence"),
        ([[*ROW[:4], 10**400, 1, "ORG"]], "no number for its confidence"),
        ([[*ROW[:4], 1, 1, ["ORG"]]], "no string for its tag"),
        ([[-1, *ROW[1:]]], "is outside the text"),
        ([[0, 0, "", "Aarhus"]], "is outside the text"),
        ([[34, -6, "", "Aarhus"]], "is outside the text"),
        ([[0, 10**9, *ROW[2:]]], "is outside the text"),
        ([[1, *ROW[1:]]], "link 1 of its answer is not where it says"),
        ([ROW, [33, 6, "Aarhus", "Aarhus"]], "link 2 of its answer is not where it says"),
    ],
)
def test_an_answer_of_the_wrong_shape_is_an_error(
    server: Server, answer: Any, problem: str
) -> None:
    server.says(answer)
    with pytest.raises(ServiceError, match=problem):
        client(server).link(TEXT)


def test_a_passing_failure_is_tried_again(server: Server) -> None:
    failures = iter([503])

    def behave(handler: Handler) -> None:
        status = next(failures, 200)
        handler.answer(json.dumps(GOOD).encode(), status)

    server.behaviour = behave
    assert len(client(server, retries=1).link(TEXT)) == 3
    assert len(server.requests) == 2


def test_retries_share_the_time(server: Server) -> None:
    server.behaviour = _hang
    began = time.monotonic()
    with pytest.raises(ServiceError, match="did not answer"):
        client(server, retries=9).link(TEXT)
    assert time.monotonic() - began < TIMEOUT + 2
    assert len(server.requests) == 1


def test_after_three_failures_it_is_left_alone_for_a_while(server: Server) -> None:
    server.says(b"nonsense")
    for _ in range(3):
        with pytest.raises(ServiceError, match="did not answer with JSON"):
            client(server, give_up_seconds=0.3).link(TEXT)
    server.says(GOOD)
    with pytest.raises(ServiceError, match="gave up after 3 failures in a row"):
        client(server, give_up_seconds=0.3).link(TEXT)  # another client of the same server
    assert len(server.requests) == 3
    time.sleep(0.35)
    assert len(client(server).link(TEXT)) == 3


def test_a_good_answer_between_starts_the_count_again(server: Server) -> None:
    for body in (b"x", b"x", b"[]", b"x", b"x", b"[]"):
        server.says(body)
        if body == b"[]":
            assert client(server).link(TEXT) == ()
        else:
            with pytest.raises(ServiceError, match="did not answer with JSON"):
                client(server).link(TEXT)


def test_degrading_warns_once_and_gives_the_reason(server: Server) -> None:
    error = ServiceError(server.url, "answered with status 500", "check it")
    with pytest.warns(ServiceWarning, match="status 500; check it; such texts are not scored"):
        assert degrade(error) == str(error)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert degrade(ServiceError(server.url, "other")) == f"{server.url}: other"
    client(server).link(TEXT)
    with pytest.warns(ServiceWarning):  # it had worked again in between
        degrade(error)


@pytest.mark.parametrize(
    "url",
    [
        *("", "localhost:5555", "ftp://localhost/", "file:///etc/passwd", "http://", "http:///api"),
        *("http://localhost:port", "http://localhost:99999", "http://localhost:0", "http://[::1"),
        *("http://me:secret@localhost", "http://local host", "http://localhost/\r\nHost: evil"),
    ],
)
def test_a_url_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(SettingError) as caught:
        RelClient(url)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "settings",
    [
        *({"timeout": 0}, {"timeout": float("nan")}, {"timeout": float("inf")}, {"retries": -1}),
        *({"give_up_after": 0}, {"give_up_seconds": float("nan")}),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(SettingError):
        RelClient("http://localhost:5555", **settings)


def test_links_to_entities_of_the_input_are_mentions_and_the_others_foreign(
    server: Server,
) -> None:
    links = client(server).link(TEXT)
    entities = ["Aarhus_Airport", "Aarhus", "Denmark"]
    assert linked_mentions(links, entities) == [
        Mention("Aarhus_Airport", 0, 14, "linker", 0.0),
        Mention("Aarhus", 34, 40, "linker", 0.0),
    ]
    assert foreign_links(links, entities) == [Link(44, 50, "Norway", 0.9, "LOC")]


@pytest.mark.parametrize(
    ("title", "entity"),
    [
        ("St._Louis,_Missouri", "St. Louis, Missouri"),
        ("EBay", "eBay"),
        ("Agremiação_Sportiva_Arapiraquense", "Agremia%C3%A7%C3%A3o_Sportiva_Arapiraquense"),
        ("Alvinegro", '"Alvinegro"'),
        ("Alvinegro", '"alvinegro"@en'),
        ("AC/DC", "http://dbpedia.org/resource/AC/DC"),
        ("AC/DC", "<http://dbpedia.org/resource/AC/DC>"),
        ("Marks_&amp;_Spencer", "Marks_%26_Spencer"),
        ("Zoë", "Zoe\u0308"),
        ("100%_Pure", "100%_Pure"),
    ],
)
def test_names_of_one_page_are_the_same(title: str, entity: str) -> None:
    link = Link(0, 1, title, 1.0, None)
    assert [mention.entity for mention in linked_mentions([link], [entity])] == [entity]
    assert foreign_links([link], [entity]) == []


@pytest.mark.parametrize(
    ("title", "entity"), [("Aarhus", "Aarhus_Airport"), ("%E8", "%E9"), ("Java", "JAVA")]
)
def test_names_of_two_pages_are_not(title: str, entity: str) -> None:
    link = Link(0, 1, title, 1.0, None)
    assert linked_mentions([link], [entity]) == []
    assert foreign_links([link], [entity]) == [link]


@given(st.lists(st.text(max_size=8), max_size=5), st.lists(st.text(max_size=8), max_size=5))
def test_every_link_is_a_mention_or_foreign(titles: list[str], entities: list[str]) -> None:
    links = [Link(at, at + 1, title, 1.0, None) for at, title in enumerate(titles)]
    mentioned = {mention.start for mention in linked_mentions(links, entities)}
    foreign = {link.start for link in foreign_links(links, entities)}
    assert mentioned | foreign == set(range(len(titles)))
    assert not mentioned & foreign
