"""A real server on a real port: slow clients, broken headers, many connections."""

from __future__ import annotations

import json
import select
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from adequa.web.api.app import api_app
from adequa.web.api.engine import ScoringEngine
from adequa.web.api.runs import Runs
from adequa.web.client import Client
from adequa.web.errors import log_failure
from adequa.web.limits import RequestLimits
from adequa.web.server import Connections, listen, most_connections, server_of, url_of

from .conftest import ONE, SMALL

BODY = json.dumps(ONE).encode()
HEAD = (
    b"POST /v1/score HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    b"Content-Length: %d\r\n\r\n"
)


@pytest.fixture(scope="module")
def served(engine: ScoringEngine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    settings = replace(SMALL, body_seconds=1.0, head_seconds=1.0)
    runs = Runs(tmp_path_factory.mktemp("runs"), engine.metrics, settings)
    app = api_app(engine, runs, settings=settings)
    ready = threading.Event()
    server = server_of(app, settings, started=ready.set)
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
        (b"GET /v1/health HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 40_000 + b"\r\n\r\n", b"4"),
        (b"GET /v1/health?" + b"a" * 40_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", b"4"),
        (HEAD.replace(b"%d", b"5\r\nContent-Length: 6") + b"hello", b"400"),
        (HEAD.replace(b"%d", b"5\r\nTransfer-Encoding: gzip") + b"hello", b"400"),
        (b"GET http://evil.example/v1/health HTTP/1.1\r\nHost: evil.example\r\n\r\n", b"421"),
        (b"GET /v1/../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n", b"404"),
    ],
    ids=[
        "TLS",
        "two hosts",
        "no host",
        "an endless head",
        "a long head",
        "a long address",
        "two lengths",
        "coded",
        "proxy",
        "dots",
    ],
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
        with pytest.raises(ServiceError, match="another one with port="):
            listen("127.0.0.1", bound.getsockname()[1])
        assert url_of(bound, "::1").startswith("http://[::1]:")
    with pytest.raises(ServiceError, match="give host="):
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


def _hello(limits: RequestLimits) -> Any:
    from starlette.requests import Request
    from starlette.responses import PlainTextResponse, Response
    from starlette.routing import Route

    from adequa.web.errors import respond
    from adequa.web.security import secured_app

    async def hello(request: Request) -> Response:
        if "fail" in request.query_params:
            raise RuntimeError(request.query_params["fail"])
        return PlainTextResponse("x" * int(request.query_params.get("size", "1")))

    routes = [Route("/", hello, methods=["GET", "POST"])]
    return secured_app(routes, limits=limits, answer=lambda _scope, refusal: respond(refusal))


@pytest.fixture
def small() -> Iterator[Callable[..., str]]:
    """Serves one page within limits; gives the address."""
    running = []

    def start(**limits: Any) -> str:
        bounds = RequestLimits(**limits)
        ready = threading.Event()
        server = server_of(_hello(bounds), bounds, started=ready.set)
        bound = listen("127.0.0.1", 0)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
        thread.start()
        running.append((server, thread, bound))
        assert ready.wait(30)
        return url_of(bound, "127.0.0.1")

    yield start
    for server, thread, bound in running:
        server.should_exit = True
        thread.join(30)
        bound.close()


GET = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"


def test_half_open_connections_make_room_for_others(small: Callable[..., str]) -> None:
    """More than may be open, none of which times out: the next request is served all the same."""
    url = small(connections=20, head_seconds=600.0, idle_seconds=600.0)
    with _connected(url) as rater:
        assert _is_answered(rater)
        half_open = [_connected(url) for _ in range(60)]
        for one in half_open:
            one.sendall(GET[:30])
        for _ in range(3):
            with _connected(url) as new:
                assert _is_answered(new)
        assert _is_answered(rater), "one that sent a request before stays"
        assert sum(map(_is_closed, half_open)) >= 40, "no more than 20 are open"
        for one in half_open:
            one.close()


def _is_closed(connection: socket.socket) -> bool:
    readable, _, _ = select.select([connection], [], [], 0)
    try:
        return bool(readable) and not connection.recv(1)
    except ConnectionResetError:
        return True


def _is_answered(connection: socket.socket) -> bool:
    connection.sendall(GET)
    answer = b""
    while not answer.endswith(b"\r\n\r\nx"):
        block = connection.recv(65536)
        if not block:
            return False
        answer += block
    return answer.startswith(b"HTTP/1.1 200")


def test_connections_give_way_in_turn() -> None:
    class Transport:
        closed = False

        def abort(self) -> None:
            self.closed = True

    class Connection:
        def __init__(self, address: str, *, is_proven: bool = False) -> None:
            self.address, self.is_proven, self.transport = address, is_proven, Transport()

    def opened(*connections: Any, most: int = 3, busy: int = 0) -> list[int]:
        table = Connections(most)
        for place, one in enumerate(connections):
            table.wait(one)
            if place < busy:
                table.serve(one)
            table.make_room()
        assert len(table) <= most
        return [place for place, one in enumerate(connections) if one.transport.closed]

    flood = [Connection("6") for _ in range(4)]
    assert opened(*flood) == [0], "the oldest"
    idle = Connection("6", is_proven=True)
    assert opened(idle, Connection("7"), Connection("6"), Connection("8")) == [1], (
        "not a proven one"
    )
    other, many = Connection("7"), [Connection("6") for _ in range(3)]
    assert opened(other, *many) == [1], "of the address with the most"
    proven = [Connection("7", is_proven=True) for _ in range(3)]
    assert opened(*proven, Connection("8")) == [0], "an idle one rather than the new one"
    assert opened(*[Connection("6") for _ in range(4)], busy=3) == [3], (
        "none that is being answered"
    )


def test_connections_are_bounded_by_the_files_of_the_process() -> None:
    resource = pytest.importorskip("resource", reason="limits of POSIX")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        for files, most in ((1024, 768), (300, 44), (100, 16)):
            resource.setrlimit(resource.RLIMIT_NOFILE, (files, hard))
            assert most_connections() == most
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_an_answer_that_is_not_read_is_given_up(small: Callable[..., str]) -> None:
    url = small(send_seconds=0.5, in_flight=1)
    size = 50_000_000
    stalled = _connected(url)
    with stalled:
        stalled.sendall(GET.replace(b"/ ", b"/?size=%d " % size))
        for pause in (0.5, 3.0):
            time.sleep(pause)
            _until(lambda: _status(url) == b"200")
        received = 0
        try:
            while block := stalled.recv(1 << 20):
                received += len(block)
        except ConnectionResetError:
            pass
        assert received < size


def _status(url: str) -> bytes:
    with _connected(url) as connection:
        connection.sendall(GET)
        return connection.recv(65536).split(b" ", 2)[1]


def test_requests_beyond_those_in_flight_are_refused(small: Callable[..., str]) -> None:
    assert _status(small(in_flight=0)) == b"503"


def test_nobody_waits_for_a_body_that_is_not_read(small: Callable[..., str]) -> None:
    url = small(head_seconds=600.0, idle_seconds=600.0)
    head = GET.replace(b"GET", b"POST").replace(b"\r\n\r\n", b"\r\nContent-Length: 9\r\n\r\n")
    with _connected(url) as connection:
        connection.sendall(head + b"123")
        assert b"connection: close" in _all(connection)
    with _connected(url) as connection:
        connection.sendall(head.replace(b"9", b"0"))
        assert b"connection: close" not in connection.recv(65536)


def test_what_a_request_brings_into_the_log_is_not_obeyed(
    small: Callable[..., str], capfd: pytest.CaptureFixture[str]
) -> None:
    url = small()
    with _connected(url) as connection:
        sent = b"GET /?fail=%1b%5b2J%0a::stop-commands::x HTTP/1.1"
        connection.sendall(sent + b"\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        assert _all(connection).startswith(b"HTTP/1.1 500")

    def fail() -> None:
        raise ValueError("\x1b[2J")

    try:
        fail()
    except ValueError:
        log_failure()
    written = capfd.readouterr().err
    assert written.count("\\u001b[2J") == 2, written
    assert "\x1b" not in written
    assert "\n::" not in written
