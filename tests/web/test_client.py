"""The client: results as in the library, our own errors, and retries."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

import adequa
from adequa.codec import result_to_object
from adequa.data import Item, Triple
from adequa.web import client as module
from adequa.web.client import Client

Answer = tuple[int, dict[str, str], bytes]
FACTS = [("MV_Alba", "homePort", "Oban")]


class Server(HTTPServer):
    """Gives prepared answers, and keeps what it was asked."""

    answers: list[Answer]
    asked: list[tuple[str, str, dict[str, str], bytes]]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def _answer(self) -> None:
        server = self.server
        assert isinstance(server, Server)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        server.asked.append((self.command, self.path, dict(self.headers), body))
        status, headers, answer = server.answers.pop(0)
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(answer))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer)
        if headers.get("Connection") == "hang up":
            self.close_connection = True

    do_GET = do_POST = do_DELETE = _answer  # noqa: N815

    def log_message(self, *_: Any) -> None:
        return


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server(("127.0.0.1", 0), Handler)
    server.answers, server.asked = [], []
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def client(server: Server) -> Iterator[Client]:
    client = Client(f"http://127.0.0.1:{server.server_port}", token="secret", timeout=10)
    yield client
    client.close()


def _said(text: str) -> bytes:
    result = adequa.score(FACTS, text, metrics=["esa"])
    return json.dumps(result_to_object(result)).encode()


def _error(code: str) -> bytes:
    raw = {"code": code, "message": "too much", "remedy": "send less", "where": "items[3]"}
    return json.dumps({"error": raw}).encode()


def test_a_score_is_what_the_library_gives(client: Client, server: Server) -> None:
    server.answers.append((200, {}, _said("From Oban.")))
    result = client.score(FACTS, "From Oban.", metrics=["esa"])
    assert result == adequa.score(FACTS, "From Oban.", metrics=["esa"])
    ((method, path, headers, body),) = server.asked
    assert (method, path, headers["Authorization"]) == ("POST", "/v1/score", "Bearer secret")
    assert json.loads(body)["triples"] == [["MV_Alba", "homePort", "Oban"]]
    assert "secret" not in repr(client)


def test_items_are_asked_for_in_batches(client: Client, server: Server) -> None:
    results = b'{"results": [' + _said("a") + b"]}"
    server.answers += [(200, {}, results)] * 3
    items = [Item(str(number), (Triple(*FACTS[0]),), "a") for number in range(3)]
    assert len(list(client.evaluate(items, batch=1))) == 3
    assert len(server.asked) == 3


def test_it_waits_and_asks_again_where_the_server_is_busy(
    client: Client, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []
    monkeypatch.setattr(module.time, "sleep", waited.append)
    server.answers += [(503, {"Retry-After": "7"}, _error("busy"))] * 2
    server.answers.append((200, {}, b'{"status": "ok"}'))
    assert client.health() == {"status": "ok"}
    assert waited == [7, 7]


def test_it_gives_up_in_the_end(
    client: Client, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module.time, "sleep", lambda _seconds: None)
    server.answers += [(503, {"Retry-After": "1"}, _error("busy"))] * 6
    with pytest.raises(adequa.ServiceError, match=r"items\[3\]: too much \(503\); send less"):
        client.health()


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ((422, {}, _error("wrong_data")), r"too much \(422\); send less"),
        ((404, {}, b"<html>nginx</html>"), "answered 404"),
        ((500, {}, b'{"error": 3}'), "answered 500"),
        ((200, {}, b"<html>"), "not JSON"),
        ((200, {}, b"\xff"), "not JSON"),
    ],
)
def test_errors_are_ours(client: Client, server: Server, answer: Answer, words: str) -> None:
    server.answers.append(answer)
    with pytest.raises(adequa.ServiceError, match=words):
        client.health()


def test_a_connection_that_was_closed_meanwhile_is_opened_anew(
    client: Client, server: Server
) -> None:
    server.answers += [(200, {"Connection": "hang up"}, b"{}"), (200, {}, b"{}")]
    assert client.health() == {}
    assert client.health() == {}


def test_nobody_there() -> None:
    with pytest.raises(adequa.ServiceError, match="cannot be reached"):
        Client("http://127.0.0.1:9", timeout=5).health()


@pytest.mark.parametrize("url", ["", "127.0.0.1:8080", "file:///etc/passwd", "http://"])
def test_addresses_that_are_none(url: str) -> None:
    with pytest.raises(adequa.SettingError, match="is not an address"):
        Client(url)


def test_a_file_that_is_not_there(client: Client, tmp_path: Path) -> None:
    with pytest.raises(adequa.DataError, match="cannot be read"):
        client.start_run(tmp_path / "none.jsonl")


def test_ids_stay_within_the_path(client: Client, server: Server) -> None:
    server.answers.append((404, {}, _error("no_such_run")))
    ask: Callable[[str], object] = client.run
    with pytest.raises(adequa.ServiceError):
        ask("../health?x=1")
    assert server.asked[0][1] == "/v1/runs/..%2Fhealth%3Fx%3D1"


def _late(server: Server, monkeypatch: pytest.MonkeyPatch, *, cut: bool = False) -> None:
    """The first request is answered; the next is heard, but then not answered in time or at all."""
    server.answers += [(200, {}, b'{"runs": []}'), (200, {}, b"{}"), (200, {}, b"{}")]
    answer = Handler._answer
    first: list[int] = []

    def once(handler: Handler) -> None:
        if not first:
            first.append(1)
            answer(handler)
            return
        body = handler.rfile.read(int(handler.headers.get("Content-Length", 0)))
        server.asked.append((handler.command, handler.path, {}, body))
        if not cut:
            time.sleep(1.0)
        handler.close_connection = True

    for method in ("do_GET", "do_POST"):
        monkeypatch.setattr(Handler, method, once)


def test_what_timed_out_is_not_sent_again(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "items.jsonl"
    path.write_text("{}\n")
    _late(server, monkeypatch)
    with Client(f"http://127.0.0.1:{server.server_port}", timeout=0.4) as client:
        assert client.runs() == []
        with pytest.raises(adequa.ServiceError, match="may have been started"):
            client.start_run(path)
    time.sleep(1.0)
    assert [method for method, *_ in server.asked] == ["GET", "POST"]


def test_a_run_is_not_started_again_when_the_connection_breaks(
    client: Client, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "items.jsonl"
    path.write_text("{}\n")
    _late(server, monkeypatch, cut=True)
    assert client.runs() == []
    with pytest.raises(adequa.ServiceError, match="may have been started"):
        client.start_run(path)
    assert [method for method, *_ in server.asked] == ["GET", "POST"]


def test_what_changes_nothing_is_asked_again_when_a_kept_connection_breaks(
    client: Client, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    _late(server, monkeypatch, cut=True)
    assert client.runs() == []
    with pytest.raises(adequa.ServiceError, match="broke the connection"):
        client.score(FACTS, "From Oban.")
    assert [method for method, *_ in server.asked] == ["GET", "POST", "POST"]
