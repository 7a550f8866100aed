"""A real server on a real port: slow clients, broken headers, many connections."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from adequa.web.api.app import api_app
from adequa.web.api.engine import ScoringEngine
from adequa.web.api.runs import Runs
from adequa.web.client import Client
from adequa.web.server import listen, server_of, url_of

from .conftest import ONE, SMALL

BODY = json.dumps(ONE).encode()
HEAD = (
    b"POST /v1/score HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    b"Content-Length: %d\r\n\r\n"
)


@pytest.fixture(scope="module")
def served(engine: ScoringEngine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    settings = replace(SMALL, body_seconds=1.0)
    runs = Runs(tmp_path_factory.mktemp("runs"), engine.metrics, settings)
    app = api_app(engine, runs, settings=settings)
    ready = threading.Event()
    server = server_of(app, head_seconds=1.0, started=ready.set)
    with listen("127.0.0.1", 0) as bound:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
        thread.start()
        assert ready.wait(30)
        yield url_of(bound, "127.0.0.1")
        server.should_exit = True
        thread.join(30)
    runs.close()
    assert not thread.is_alive()


def _connected(url: str) -> socket.socket:
    host, _, port = url.removeprefix("http://").partition(":")
    return socket.create_connection((host, int(port)), timeout=20)


def _all(connection: socket.socket) -> bytes:
    """Whatever comes until the server hangs up."""
    received = b""
    while block := connection.recv(65536):
        received += block
    return received


def test_a_request_over_the_wire(served: str) -> None:
    with _connected(served) as connection:
        connection.sendall(HEAD % len(BODY) + BODY)
        answer = connection.recv(65536)
    assert answer.startswith(b"HTTP/1.1 200")
    assert b"\r\nserver:" not in answer.lower()


@pytest.mark.parametrize(
    "sent",
    [b"", b"POST /v1/score HT", b"GET /v1/health HTTP/1.1\r\nHost: localhost\r\nX-Slow: "],
    ids=["nothing", "half a line", "half a head"],
)
def test_a_missing_request_head_times_out(served: str, sent: bytes) -> None:
    started = time.monotonic()
    with _connected(served) as connection:
        connection.sendall(sent)
        assert _all(connection) == b""
    assert time.monotonic() - started < 15


def test_a_head_that_trickles_is_not_waited_for_either(served: str) -> None:
    with _connected(served) as connection:
        connection.sendall(b"GET /v1/health HTTP/1.1\r\n")
        assert any(_is_refused(connection) for _ in range(75))


def _is_refused(connection: socket.socket) -> bool:
    time.sleep(0.2)
    try:
        connection.sendall(b"X-Slow: 1\r\n")
    except OSError:
        return True
    return False


def test_a_second_request_head_times_out_too(served: str) -> None:
    with _connected(served) as connection:
        connection.sendall(HEAD % len(BODY) + BODY)
        time.sleep(0.2)
        connection.sendall(b"POST /v1/sc")
        assert _all(connection).count(b"HTTP/1.1") == 1


def test_a_missing_body_times_out(served: str) -> None:
    with _connected(served) as connection:
        connection.sendall(HEAD % len(BODY) + BODY[:10])
        answer = _all(connection)
    assert answer.startswith(b"HTTP/1.1 408")
    assert b"too_slow" in answer


def test_a_client_that_hangs_up_is_forgotten(served: str, engine: ScoringEngine) -> None:
    for sent in (HEAD % len(BODY) + BODY[:10], HEAD % len(BODY) + BODY):
        with _connected(served) as connection:
            connection.sendall(sent)
    _until(lambda: engine.waiting == 0)
    assert Client(served).health()["status"] == "ok"


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", b"400"),
        (b"GET /v1/health HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", b"400"),
        (b"GET /v1/health HTTP/1.1\r\n\r\n", b"400"),
        (b"GET /v1/health HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 200_000, b"400"),
        (HEAD.replace(b"%d", b"5\r\nContent-Length: 6") + b"hello", b"400"),
        (HEAD.replace(b"%d", b"5\r\nTransfer-Encoding: gzip") + b"hello", b"400"),
        (b"GET http://evil.example/v1/health HTTP/1.1\r\nHost: evil.example\r\n\r\n", b"421"),
        (b"GET /v1/../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n", b"404"),
    ],
    ids=["TLS", "two hosts", "no host", "a long head", "two lengths", "coded", "proxy", "dots"],
)
def test_malicious_headers_are_refused(served: str, sent: bytes, status: bytes) -> None:
    with _connected(served) as connection:
        try:
            connection.sendall(sent)
            answer = connection.recv(65536)
        except ConnectionResetError:  # hung up before all of it was sent
            answer = b"HTTP/1.1 " + status
    assert answer.startswith(b"HTTP/1.1 " + status), answer


def test_two_requests_in_one_breath_are_both_answered(served: str) -> None:
    one = HEAD % len(BODY) + BODY
    with _connected(served) as connection:
        connection.sendall(
            one + one.replace(b"localhost\r\n", b"localhost\r\nConnection: close\r\n")
        )
        assert _all(connection).count(b"HTTP/1.1 200") == 2


def test_many_clients_at_once_each_get_their_own(served: str) -> None:
    client = Client(served)

    def ask(number: int) -> bool:
        result = client.score([("MV_Alba", "homePort", f"Port_{number}")], f"At Port {number}.")
        return result.item.triples[0].object == f"Port_{number}" and result.scores["esa"] == 0.5

    with ThreadPoolExecutor(16) as pool:
        assert all(pool.map(ask, range(200)))


def test_a_port_that_is_taken_and_a_host_that_is_not() -> None:
    from adequa.errors import ServiceError

    with listen("127.0.0.1", 0) as bound:
        with pytest.raises(ServiceError, match="another --port"):
            listen("127.0.0.1", bound.getsockname()[1])
        assert url_of(bound, "::1").startswith("http://[::1]:")
    with pytest.raises(ServiceError, match="--host"):
        listen("no-such-host.invalid", 0)


def test_answers_are_not_held_back(served: str) -> None:
    """Without TCP_NODELAY each answer would wait some 40 ms for an acknowledgement."""
    client = Client(served)
    client.health()
    times = []
    for _ in range(20):
        started = time.perf_counter()
        client.health()
        times.append(time.perf_counter() - started)
    assert min(times) < 0.035


def _until(reached: Callable[[], bool]) -> None:
    ends = time.monotonic() + 20
    while not reached():
        assert time.monotonic() < ends
        time.sleep(0.05)


def test_uploads_from_the_client(served: str, tmp_path: Path) -> None:
    client = Client(served)
    path = tmp_path / "ferries.jsonl"
    raw = [{"id": str(number), **ONE} for number in range(12)]
    path.write_text("".join(json.dumps(one) + "\n" for one in raw), encoding="utf-8")
    run = client.wait(client.start_run(path, metrics=["chrf"]).id, every=0.1)
    assert (run.status, run.done, run.total, run.name) == ("done", 12, 12, "ferries.jsonl")
    assert [result.item.id for result in client.results(run.id)] == [str(n) for n in range(12)]
    assert client.summary(run.id)["items"] == 12
    assert run in client.runs()
    client.delete(run.id)
    assert run.id not in [one.id for one in client.runs()]
    going = client.start_run(path)
    assert client.cancel(going.id).is_over
    client.delete(going.id)
