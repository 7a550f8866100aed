"""Entity linking: a client for a REL server (van Hulst et al. 2020) that the user runs.

The paper asks REL for the spans of a text that name a Wikipedia page, keeps those of the input's
entities as mentions (section 4.1), and counts the others as hallucinated (section 6.2, Table 4).

A service must not be able to delay a text of a corpus: the timeout covers the whole exchange (name
lookup, connection, every byte of the answer, every retry), and a service that failed several times
in a row is not asked for a while. Hand-written on `http.client`, because the timeouts of `urllib`
and `requests` are per read.
"""

from __future__ import annotations

import contextlib
import html
import http.client
import json
import math
import re
import socket
import threading
import time
import unicodedata
import urllib.parse
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from adequa.data import Mention
from adequa.errors import ServiceError, SettingError
from adequa.fields import grouped

_LARGEST_ANSWER = 8 * 1024 * 1024
_CHUNK = 64 * 1024
_PAUSE = 0.05
_RUNNING = "check that it runs and that the URL is right"


class ServiceWarning(UserWarning):
    """A service failed, and texts that needed it are not scored."""


class _Passing(Exception):
    """A failure after which another attempt may succeed."""


@dataclass
class _Health:
    failures: int = 0
    closed_until: float = 0.0
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


def failed(service: str, give_up_after: int, give_up_seconds: float) -> None:
    """Record a failure; after `give_up_after` in a row the service is closed for a while."""
    health = _health(service)
    with health.lock:
        health.failures += 1
        if health.failures >= give_up_after:
            health.closed_until = time.monotonic() + give_up_seconds


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


def post_json(url: str, payload: Mapping[str, Any], *, timeout: float, retries: int) -> Any:
    """Post JSON and return the parsed answer; all attempts together take `timeout` seconds."""
    parts = require_url(url)
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
    # Socket timeouts are per read and do not cover name lookup, so a slow service could take hours.
    # The exchange runs in its own thread; at the deadline its connection is cut and the thread left
    # to end by itself.
    exchange = _Exchange(parts, body, deadline)
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
        raise _Passing(f"the connection failed ({_named(exchange.failure)})") from exchange.failure
    if exchange.failure is not None:
        raise exchange.failure
    if exchange.status >= 500:
        raise _Passing(f"answered with status {exchange.status}")
    if 300 <= exchange.status < 400:
        problem = f"redirects to {exchange.location!r}, which is not followed"
        raise ServiceError(url, problem, "give the URL that answers")
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
                while len(self.answer) <= _LARGEST_ANSWER and (chunk := response.read(_CHUNK)):
                    self.answer += chunk
                # When reading in chunks, http.client does not report a truncated answer.
                if response.length and len(self.answer) <= _LARGEST_ANSWER:
                    raise http.client.IncompleteRead(b"", response.length)

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


_NOTHING = ("", "NIL")
_NOT_REL = "check that the URL is that of a REL server"


class Link(NamedTuple):
    """A span of the text and the title of the Wikipedia page it is about."""

    start: int
    end: int
    title: str
    confidence: float
    kind: str | None


@dataclass(frozen=True)
class RelClient:
    """A REL server; `timeout` is for a whole text."""

    url: str
    timeout: float = 10.0
    retries: int = 1
    give_up_after: int = 3
    give_up_seconds: float = 60.0

    def __post_init__(self) -> None:
        require_url(self.url)
        if not (self.timeout > 0 and math.isfinite(self.timeout)):
            raise SettingError(f"a timeout of {self.timeout!r} is not a time; give seconds above 0")
        if self.retries < 0 or self.give_up_after < 1 or not self.give_up_seconds >= 0:
            raise SettingError(
                "retries and give_up_seconds cannot be below 0, nor give_up_after below 1"
            )

    def link(self, text: str) -> tuple[Link, ...]:
        """The links of a text; raises ServiceError if there is no valid answer."""
        sent = _Sent(text)
        if not sent.text:
            return ()
        require_open(self.url)
        # With no spans REL finds the mentions itself. Both its first server and the later one,
        # where the path chooses a mode and / is the one for named entities, take these fields.
        request = {"text": sent.text, "spans": []}
        try:
            answer = post_json(self.url, request, timeout=self.timeout, retries=self.retries)
            links = self._links(answer, sent)
        except ServiceError:
            failed(self.url, self.give_up_after, self.give_up_seconds)
            raise
        worked(self.url)
        return links

    def _links(self, answer: Any, sent: _Sent) -> tuple[Link, ...]:
        if not isinstance(answer, list):
            raise ServiceError(self.url, "answered with JSON that is not a list", _NOT_REL)
        links: set[Link] = set()
        for position, row in enumerate(answer, start=1):
            try:
                link = _read_row(row, sent)
            except ValueError as error:
                problem = f"link {position} of its answer {error}"
                raise ServiceError(self.url, problem, _NOT_REL) from None
            if link is not None:
                links.add(link)
        return tuple(sorted(links, key=lambda link: (link[:4], link.kind or "")))


_CHANGED = re.compile(r"&amp;|\s\s|[^\S ]|\A\s|\s\Z|[\ud800-\udfff]")


class _Sent:
    """The text as it is sent, and the original place of each character.

    REL replaces "&amp;" before counting, and its sentence splitter may change spaces; without
    either in the text its offsets are right.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts: Sequence[int] = range(len(text))
        self.ends: Sequence[int] = range(1, len(text) + 1)
        if _CHANGED.search(text):
            self._change()

    def _change(self) -> None:
        text, starts, ends = self.text, [], []
        characters: list[str] = []
        for found in re.finditer(r"\s+|&amp;|.", text, re.DOTALL):
            character = found[0]
            if character.isspace():
                if not characters or found.end() == len(text):
                    continue
                character = " "
            elif character == "&amp;":
                character = "&"
            elif "\ud800" <= character <= "\udfff":
                character = "\ufffd"  # half of a pair: JSON can carry it, few servers survive it
            characters.append(character)
            starts.append(found.start())
            ends.append(found.end())
        self.text, self.starts, self.ends = "".join(characters), starts, ends


def _read_row(row: Any, sent: _Sent) -> Link | None:
    """Read `[start, length, mention, title, ED confidence, MD confidence, tag]`, or its first four.

    REL's documentation calls the second value an end, but its code sends a length.
    """
    if not isinstance(row, list) or len(row) not in (4, 7):
        raise ValueError("is not a list of 4 or 7 values")
    start, length, mention, title, confidence, _, kind = (*row, 0.0, 0.0, None)[:7]
    if not _is(start, int) or not _is(length, int):
        raise ValueError("has no whole numbers for its place")
    if not _is(mention, str) or not _is(title, str):
        raise ValueError("has no strings for mention and title")
    if not _is(confidence, int | float) or not _is_finite(confidence):
        raise ValueError("has no number for its confidence")
    if not _is(kind, str | None):
        raise ValueError("has no string for its tag")
    end = start + length
    if not 0 <= start < end <= len(sent.text):
        raise ValueError(f"is outside the text ({start}, {length})"[:80])
    if "".join(sent.text[start:end].split()) != "".join(mention.split()):
        raise ValueError(f"is not where it says: {sent.text[start:end][:40]!r}, {mention[:40]!r}")
    if title.strip() in _NOTHING:
        return None
    while sent.text[start].isspace() and start < end - 1:
        start += 1
    while sent.text[end - 1].isspace() and start < end - 1:
        end -= 1
    known_kind = None if kind in (None, "", "NULL") else kind
    return Link(sent.starts[start], sent.ends[end - 1], title, float(confidence), known_kind)


def _is(value: Any, kind: Any) -> bool:
    # In Python True is an int.
    return isinstance(value, kind) and not isinstance(value, bool)


def _is_finite(value: int | float) -> bool:
    with contextlib.suppress(OverflowError):  # an int no float can hold
        return math.isfinite(value)
    return False


_RESOURCE = re.compile(r"<?https?://[^/]*/(?:resource|wiki|page)/([^>]*)>?", re.DOTALL)
_LITERAL = re.compile(r'"([^"]*)"(?:@[A-Za-z-]*|\^\^\S*)?', re.DOTALL)


def _title_key(name: str) -> str:
    """The title of a page without IRI, underscores, quotes and case of the first letter."""
    name = name.strip()
    for form in (_RESOURCE, _LITERAL):
        if found := form.fullmatch(name):
            name = found[1]
    with contextlib.suppress(UnicodeDecodeError):  # a per cent sign that encodes nothing
        name = urllib.parse.unquote(name, errors="strict")
    name = unicodedata.normalize("NFC", html.unescape(name).replace("’", "'"))
    name = " ".join(name.replace("_", " ").strip('"“” ').split())
    return name[:1].upper() + name[1:]


def linked_mentions(links: Iterable[Link], entities: Sequence[str]) -> list[Mention]:
    """The links to entities of the input, as mentions at distance 0."""
    named = grouped(dict.fromkeys(entities), _title_key)
    return [
        Mention(entity, link.start, link.end, "linker", 0.0)
        for link in links
        for entity in named.get(_title_key(link.title), ())
    ]


def foreign_links(links: Iterable[Link], entities: Sequence[str]) -> list[Link]:
    """The links to anything else: the paper's hallucinated entities."""
    known = {_title_key(entity) for entity in entities}
    return [link for link in links if _title_key(link.title) not in known]
