"""HTTP services that the user runs or pays for: one JSON request, its answer, and patience.

A service must not be able to delay a text of a corpus: the timeout covers the whole exchange (name
lookup, connection, every byte of the answer, every retry and the pause before it), and a service
that failed several times in a row is not asked for a while. Hand-written on `http.client`, because
the timeouts of `urllib` and `requests` are per read.
"""

from __future__ import annotations

import contextlib
import email.utils
import http.client
import json
import queue
import random
import socket
import threading
import time
import urllib.parse
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

from adequa.errors import ServiceError, SettingError

Question = TypeVar("Question")
Answer = TypeVar("Answer")

_LARGEST_ANSWER = 8 * 1024 * 1024
_CHUNK = 64 * 1024
_PAUSE = 0.05
_MOST_SAID = 200
"""Characters of a service's own explanation that an error repeats."""
_TRY_AGAIN = (408, 409, 425, 429)
"""Below 500, the statuses after which the same request may succeed later."""
_RUNNING = "check that it runs and that the URL is right"


class ServiceWarning(UserWarning):
    """A service failed, and texts that needed it are not scored."""


class _Passing(Exception):
    """A failure after which another attempt may succeed, `wait` seconds later at the earliest."""

    def __init__(
        self, problem: str, wait: float = 0.0, status: int | None = None, *, was_sent: bool = True
    ) -> None:
        super().__init__(problem)
        self.wait, self.status, self.was_sent = wait, status, was_sent


@dataclass
class _Health:
    failures: int = 0
    closed_until: float = 0.0
    busy_until: float = 0.0
    """As long as a service asked us to wait, no thread of this process asks it anything."""
    warned: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)


# One record per service and process, because metrics may be rebuilt at any time.
_HEALTH: dict[str, _Health] = {}


def _health(service: str) -> _Health:
    return _HEALTH.setdefault(service, _Health())


def worked(service: str) -> None:
    """Record a good answer, which resets failures and warnings."""
    health = _health(service)
    with health.lock:
        health.failures, health.closed_until, health.warned = 0, 0.0, False


def failed(service: str, give_up_after: int, give_up_seconds: float) -> int:
    """Record a failure; after `give_up_after` in a row the service is closed for a while.

    Returns the number of failures in a row.
    """
    health = _health(service)
    with health.lock:
        health.failures += 1
        if health.failures >= give_up_after:
            health.closed_until = time.monotonic() + give_up_seconds
        return health.failures


def require_open(service: str) -> None:
    """Raise ServiceError if the service is closed for now."""
    health = _health(service)
    if time.monotonic() < health.closed_until:
        raise ServiceError(
            service, f"gave up after {health.failures} failures in a row", f"{_RUNNING}, then retry"
        )


def degrade(error: ServiceError) -> str:
    """The reason for a score of None; warns once until the service works again."""
    health = _health(error.service)
    with health.lock:
        first, health.warned = not health.warned, True
    if first:
        warnings.warn(f"{error}; such texts are not scored", ServiceWarning, stacklevel=2)
    return str(error)


def require_url(url: str) -> urllib.parse.SplitResult:
    """Split the URL of a service; raises SettingError for anything else."""
    example = "write something like http://localhost:5555"
    try:
        parts = urllib.parse.urlsplit(url)
        port_is_possible = parts.port != 0
    except (ValueError, AttributeError, TypeError) as error:
        raise SettingError(f"{url!r} is not a URL ({error}); {example}") from None
    if parts.scheme not in ("http", "https") or not parts.hostname or not port_is_possible:
        raise SettingError(f"{url!r} is not an http or https URL; {example}")
    if any(character.isspace() or not character.isprintable() for character in url):
        raise SettingError(f"{url!r} has spaces or control characters in it; {example}")
    if parts.username is not None or parts.password is not None:
        raise SettingError(f"the URL of {parts.hostname!r} has a user name in it; {example}")
    return parts


def post_json(
    url: str,
    payload: Mapping[str, Any],
    *,
    timeout: float,
    retries: int,
    pause: float = _PAUSE,
    secret: str = "",
    before_repeat: Callable[[], str] | None = None,
) -> Any:
    """Post JSON and return the parsed answer; all attempts and pauses take `timeout` seconds.

    The pause before the next attempt doubles each time, or is what the service asks for
    (`Retry-After`). `secret` is sent as a bearer token, and taken out of whatever comes back.
    `before_repeat` is asked before a request is repeated that the service may have worked on,
    because it was sent and no status came back; what it returns is a reason not to.
    """
    parts = require_url(url)
    body = json.dumps(payload).encode("ascii")
    deadline = time.monotonic() + timeout
    attempt = 0
    while True:
        _await_turn(url, deadline)
        try:
            return _parsed(url, _within(deadline, url, timeout, _Exchange(parts, body, secret)))
        except _Passing as error:
            attempt += 1
            # Half of it by chance: threads that failed together do not come back together.
            own = pause * 2 ** (attempt - 1) * random.uniform(0.5, 1.0)  # noqa: S311
            wait = max(own, error.wait)
            if attempt > retries or time.monotonic() + wait >= deadline:
                asked = f", and asks to wait {error.wait:g} s" if error.wait else ""
                problem = f"{error}{asked}"
                raise ServiceError(url, problem, _RUNNING, error.status) from error.__cause__
            if before_repeat is not None and error.was_sent and error.status is None:
                refused = before_repeat()
                if refused:
                    raise ServiceError(url, f"{error}, and {refused}", _RUNNING) from None
            if error.wait:
                health = _health(url)
                health.busy_until = max(health.busy_until, time.monotonic() + error.wait)
        time.sleep(wait)


def ask_all(
    ask: Callable[[Question], Answer], questions: Sequence[Question], *, at_once: int
) -> list[Answer]:
    """The answers in the order of the questions, asked in several threads; raises the first error.

    Threads of our own instead of a pool, whose end would wait for every answer: after an error or
    Ctrl-C those under way are left to themselves.
    """
    if at_once == 1 or len(questions) == 1:
        return [ask(question) for question in questions]
    answers: dict[int, Answer] = {}
    waiting = iter(enumerate(questions))
    done: queue.SimpleQueue[tuple[int, Answer] | BaseException] = queue.SimpleQueue()
    turn, is_over = threading.Lock(), threading.Event()

    def work() -> None:
        while not is_over.is_set():
            with turn:
                place, question = next(waiting, (None, None))
            if place is None:
                return
            try:
                done.put((place, ask(cast("Question", question))))
            except BaseException as error:  # noqa: BLE001 - raised again below
                done.put(error)

    for _ in range(min(at_once, len(questions))):
        threading.Thread(target=work, name="adequa-asking", daemon=True).start()
    try:
        while len(answers) < len(questions):
            found = done.get()
            if isinstance(found, BaseException):
                raise found
            answers[found[0]] = found[1]
    finally:
        is_over.set()
    return [answers[place] for place in range(len(questions))]


def _await_turn(url: str, deadline: float) -> None:
    """Wait until the service may be asked again."""
    wait = _health(url).busy_until - time.monotonic()
    if wait > 0:
        if time.monotonic() + wait >= deadline:
            raise ServiceError(url, f"asks to wait {wait:.0f} s", "ask it less, or later", 429)
        time.sleep(wait)


def _within(deadline: float, url: str, timeout: float, exchange: _Exchange) -> bytes:
    # Socket timeouts are per read and do not cover name lookup, so a slow service could take hours.
    # The exchange runs in its own thread; at the deadline its connection is cut and the thread left
    # to end by itself.
    exchange.deadline = deadline
    thread = threading.Thread(target=exchange.run, name="adequa-service", daemon=True)
    thread.start()
    thread.join(max(0.0, deadline - time.monotonic()))
    late = thread.is_alive()
    if late:
        exchange.cut()
        thread.join(0.05)
    if late or isinstance(exchange.failure, TimeoutError):
        raise ServiceError(url, f"did not answer within {timeout:g} s", "raise its timeout")
    if isinstance(exchange.failure, http.client.HTTPException | OSError | ValueError):
        problem = f"the connection failed ({_named(exchange.failure)})"
        raise _Passing(problem, was_sent=exchange.connection is not None) from exchange.failure
    if exchange.failure is not None:
        raise exchange.failure
    status = exchange.status
    if status >= 500 or status in _TRY_AGAIN:
        wait = _seconds(exchange.retry_after)
        raise _Passing(f"answered with status {status}{exchange.said}", wait, status)
    if 300 <= status < 400:
        problem = f"redirects to {exchange.location!r}, which is not followed"
        raise ServiceError(url, problem, "give the URL that answers", status)
    if status != 200:
        problem = f"answered with status {status}{exchange.said}"
        raise ServiceError(url, problem, _RUNNING, status)
    if len(exchange.answer) > _LARGEST_ANSWER:
        raise ServiceError(url, f"answered with more than {_LARGEST_ANSWER} bytes", _RUNNING)
    return bytes(exchange.answer)


def _seconds(retry_after: str) -> float:
    """The seconds of a Retry-After header, a number or a date (RFC 9110); 0 for anything else."""
    try:
        return max(0.0, float(int(retry_after)))
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(retry_after).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return 0.0


def _named(error: BaseException) -> str:
    text = str(error)[:200]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


class _Exchange:
    """One request and its answer, for a thread of its own."""

    def __init__(self, parts: urllib.parse.SplitResult, body: bytes, secret: str) -> None:
        self.parts = parts
        self.body = body
        self.secret = secret
        self.deadline = 0.0
        self.connection: http.client.HTTPConnection | None = None
        self.was_cut = False
        self.failure: BaseException | None = None
        self.status = 0
        self.location = ""
        self.retry_after = ""
        self.said = ""
        """What came with a status that is not 200, in a few words."""
        self.answer = bytearray()

    def run(self) -> None:
        try:
            self._ask()
        except Exception as error:  # noqa: BLE001 - raised again in the thread that asked
            self.failure = error

    def _ask(self) -> None:
        secure = self.parts.scheme == "https"
        kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        # The port is always given: without one, http.client looks for it in an IPv6 address.
        port = self.parts.port or (443 if secure else 80)
        left = max(0.001, self.deadline - time.monotonic())
        connection = kind(self.parts.hostname or "", port, timeout=left)
        with contextlib.closing(connection):
            connection.connect()
            self.connection = connection
            if self.was_cut:
                return
            target = urllib.parse.quote(self.parts.path or "/", safe="/%:@!$&'()*+,;=~")
            if self.parts.query:
                target += "?" + urllib.parse.quote(self.parts.query, safe="/%:@!$&'()*+,;=~?")
            headers = {"Content-Type": "application/json", "Accept": "application/json"}
            if self.secret:
                headers["Authorization"] = f"Bearer {self.secret}"
            connection.request("POST", target, self.body, headers)
            with contextlib.closing(connection.getresponse()) as response:
                self.status = response.status
                self.location = response.getheader("Location", "")[:200]
                self.retry_after = response.getheader("Retry-After", "")[:100]
                if self.status != 200:
                    said = self._hidden(response.read(_CHUNK)).decode(errors="replace")
                    words = " ".join(said.split())[:_MOST_SAID]
                    self.said = f" ({words})" if words else ""
                    return
                while len(self.answer) <= _LARGEST_ANSWER and (chunk := response.read(_CHUNK)):
                    self.answer += chunk
                # When reading in chunks, http.client does not report a truncated answer.
                if response.length and len(self.answer) <= _LARGEST_ANSWER:
                    raise http.client.IncompleteRead(b"", response.length)
                self.answer = self._hidden(self.answer)

    def _hidden(self, answer: bytes | bytearray) -> bytearray:
        """What a service sent, without the secret that it was sent itself."""
        return bytearray(answer.replace(self.secret.encode(), b"***") if self.secret else answer)

    def cut(self) -> None:
        """Interrupt the thread's current read."""
        self.was_cut = True
        sock = self.connection.sock if self.connection is not None else None
        if sock is not None:
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)


def _parsed(url: str, answer: bytes) -> Any:
    try:
        return json.loads(answer, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise ServiceError(url, f"did not answer with JSON ({_named(error)})", _RUNNING) from None


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is not JSON")
