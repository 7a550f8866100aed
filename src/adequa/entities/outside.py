"""Asking a service outside this process: one JSON answer within a time, or a ServiceError.

A corpus has thousands of texts, so that a service must not be able to hold one of them up: the time
is for the whole exchange (names looked up, connection, every byte of the answer, every retry), and
a service that failed some times in a row is left alone for a while.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import threading
import time
import urllib.parse
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from adequa.errors import ServiceError, SettingError

__all__ = [
    "ServiceWarning",
    "check_open",
    "check_url",
    "degrade",
    "failed",
    "post_json",
    "worked",
]

_LARGEST_ANSWER = 8 * 1024 * 1024
_CHUNK = 64 * 1024
_PAUSE = 0.05
_RUNNING = "check that it runs and that the URL is right"


class ServiceWarning(UserWarning):
    """A service failed, and texts that needed it are not scored."""


class _Passing(Exception):
    """A failure that another attempt may mend."""


@dataclass
class _Health:
    failures: int = 0
    closed_until: float = 0.0
    warned: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)


# One record a service and process: metrics are rebuilt at will, and must not ask anew each time.
_HEALTH: dict[str, _Health] = {}


def _health(service: str) -> _Health:
    return _HEALTH.setdefault(service, _Health())


def worked(service: str) -> None:
    """Note a good answer: the count of failures starts again, and so do the warnings."""
    health = _health(service)
    with health.lock:
        health.failures, health.closed_until, health.warned = 0, 0.0, False


def failed(service: str, give_up_after: int, give_up_seconds: float) -> None:
    """Note a failure; with the last one allowed in a row, close the service for a while."""
    health = _health(service)
    with health.lock:
        health.failures += 1
        if health.failures >= give_up_after:
            health.closed_until = time.monotonic() + give_up_seconds


def check_open(service: str) -> None:
    """Raise at once where a service has been given up for now."""
    health = _health(service)
    if time.monotonic() < health.closed_until:
        raise ServiceError(
            service, f"gave up after {health.failures} failures in a row", f"{_RUNNING}, then retry"
        )


def degrade(error: ServiceError) -> str:
    """Give the reason for a score of None, and warn of it once until the service works again."""
    health = _health(error.service)
    with health.lock:
        first, health.warned = not health.warned, True
    if first:
        warnings.warn(f"{error}; such texts are not scored", ServiceWarning, stacklevel=2)
    return str(error)


def check_url(url: str) -> urllib.parse.SplitResult:
    """Split the URL of a service; raises SettingError for what cannot be one."""
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


def post_json(url: str, payload: Mapping[str, Any], *, timeout: float, retries: int) -> Any:
    """Post JSON and return the parsed answer; all attempts together take `timeout` seconds."""
    parts = check_url(url)
    body = json.dumps(payload).encode("ascii")
    deadline = time.monotonic() + timeout
    attempt = 0
    while True:
        try:
            return _parsed(url, _within(deadline, url, timeout, parts, body))
        except _Passing as error:
            attempt += 1
            if attempt > retries or time.monotonic() + _PAUSE * attempt >= deadline:
                raise ServiceError(url, str(error), _RUNNING) from error.__cause__
        time.sleep(_PAUSE * attempt)


def _within(
    deadline: float, url: str, timeout: float, parts: urllib.parse.SplitResult, body: bytes
) -> bytes:
    # Timeouts of sockets are per read and do not cover the look-up of names, so that a service that
    # drips could hold a text for hours. The exchange runs in a thread of its own; at the deadline
    # its connection is cut and the thread left to end by itself.
    exchange = _Exchange(parts, body, deadline)
    thread = threading.Thread(target=exchange.run, name="adequa-service", daemon=True)
    thread.start()
    thread.join(max(0.0, deadline - time.monotonic()))
    if thread.is_alive():
        exchange.cut()
        thread.join(0.05)
        raise ServiceError(url, f"did not answer within {timeout:g} s", "raise its timeout")
    if isinstance(exchange.failure, TimeoutError):
        raise ServiceError(url, f"did not answer within {timeout:g} s", "raise its timeout")
    if isinstance(exchange.failure, http.client.HTTPException | OSError | ValueError):
        raise _Passing(f"the connection failed ({_named(exchange.failure)})") from exchange.failure
    if exchange.failure is not None:
        raise exchange.failure
    if exchange.status >= 500:
        raise _Passing(f"answered with status {exchange.status}")
    if 300 <= exchange.status < 400:
        raise ServiceError(
            url,
            f"redirects to {exchange.location!r}, which is not followed",
            "give the URL that answers",
        )
    if exchange.status != 200:
        raise ServiceError(url, f"answered with status {exchange.status}", _RUNNING)
    if len(exchange.answer) > _LARGEST_ANSWER:
        raise ServiceError(url, f"answered with more than {_LARGEST_ANSWER} bytes", _RUNNING)
    return bytes(exchange.answer)


def _named(error: BaseException) -> str:
    text = str(error)[:200]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


class _Exchange:
    """One request and its answer, for a thread of its own."""

    def __init__(self, parts: urllib.parse.SplitResult, body: bytes, deadline: float) -> None:
        self.parts = parts
        self.body = body
        self.deadline = deadline
        self.connection: http.client.HTTPConnection | None = None
        self.was_cut = False
        self.failure: BaseException | None = None
        self.status = 0
        self.location = ""
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
            connection.request("POST", target, self.body, headers)
            with contextlib.closing(connection.getresponse()) as response:
                self.status = response.status
                self.location = response.getheader("Location", "")[:200]
                if self.status != 200:
                    return
                while len(self.answer) <= _LARGEST_ANSWER:
                    chunk = response.read(_CHUNK)
                    if not chunk:
                        break
                    self.answer += chunk
                else:
                    return
                # Asked for so many bytes, http.client keeps quiet about an answer that broke off.
                if response.length:
                    raise http.client.IncompleteRead(b"", response.length)

    def cut(self) -> None:
        """Wake the thread from whatever read it hangs in."""
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
