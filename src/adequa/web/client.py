"""A thin client of the HTTP API, on the standard library alone.

>>> client = Client("http://127.0.0.1:8080")
>>> client.score("Blue_Spice | eatType | pub", "Blue Spice is a pub.").verdict  # doctest: +SKIP
'OK'
"""

from __future__ import annotations

import http.client
import itertools
import json
import selectors
import socket
import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from adequa.codec import item_to_object, result_from_object
from adequa.data import Item, Result
from adequa.errors import DataError, ServiceError, SettingError
from adequa.files import load_object

_OVER = ("done", "failed", "cancelled")
_PAGE = 500
_SCORE, _RUNS = "/v1/score", "/v1/runs"


@dataclass(frozen=True)
class RemoteRun:
    """A run of a server, as of the last request."""

    id: str
    name: str
    status: str
    done: int
    total: int | None
    error: Mapping[str, Any] | None = None

    @property
    def is_over(self) -> bool:
        """Whether the run has ended."""
        return self.status in _OVER


@dataclass(frozen=True)
class Client:
    """A client of the server at `url`; if it is busy, waits and tries again up to `retries` times.

    Safe to use from several threads.
    """

    url: str
    token: str | None = field(default=None, repr=False)
    timeout: float = 120.0
    retries: int = 5
    _idle: deque[http.client.HTTPConnection] = field(
        default_factory=deque, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        split = urlsplit(self.url)
        if split.scheme not in ("http", "https") or not split.hostname:
            raise SettingError(f"{self.url!r} is not an address; write http://127.0.0.1:8080")

    def score(
        self,
        triples: str | Iterable[Sequence[str]],
        text: str,
        *,
        references: Sequence[str] = (),
        metrics: Sequence[str] | None = None,
        lang: str | None = None,
    ) -> Result:
        """Score one text, as `adequa.score` does."""
        raw: dict[str, Any] = {
            "triples": triples if isinstance(triples, str) else [list(one) for one in triples],
            "text": text,
            "lang": lang,
            "references": list(references),
        }
        return result_from_object(self._posted(raw, metrics))

    def evaluate(
        self, items: Iterable[Item], *, metrics: Sequence[str] | None = None, batch: int = 100
    ) -> Iterator[Result]:
        """The results of items, in their order, requested in batches."""
        objects = map(item_to_object, items)
        while waiting := list(itertools.islice(objects, batch)):
            found = self._posted({"items": waiting}, metrics)["results"]
            yield from map(result_from_object, found)

    def metrics(self) -> list[dict[str, Any]]:
        """The metrics of the server."""
        return list(self._json("GET", "/v1/metrics")["metrics"])

    def health(self) -> dict[str, Any]:
        """Whether the server has room for more requests."""
        return dict(self._json("GET", "/v1/health"))

    def runs(self) -> list[RemoteRun]:
        """All runs, the newest last."""
        return [_run(raw) for raw in self._json("GET", _RUNS)["runs"]]

    def run(self, id_: str) -> RemoteRun:
        """The current state of a run."""
        return _run(self._json("GET", _of(id_)))

    def start_run(
        self,
        path: Path | str,
        *,
        format: str | None = None,  # noqa: A002
        metrics: Sequence[str] | None = None,
        name: str | None = None,
    ) -> RemoteRun:
        """Score a file on the server; its format is recognised or given."""
        path = Path(path)
        try:
            body = path.read_bytes()
        except OSError as error:
            raise DataError.of_file(error, path) from None
        labels = None if metrics is None else ",".join(metrics)
        query = {"name": name or path.name, "format": format, "metrics": labels}
        given = {key: value for key, value in query.items() if value is not None}
        address = f"{_RUNS}?{urlencode(given)}"
        return _run(self._json("POST", address, body, "application/octet-stream"))

    def wait(self, id_: str, *, every: float = 0.5) -> RemoteRun:
        """Wait until a run is over."""
        while not (run := self.run(id_)).is_over:
            time.sleep(every)
        return run

    def cancel(self, id_: str) -> RemoteRun:
        """Cancel a run."""
        return _run(self._json("POST", f"{_of(id_)}/cancel", b""))

    def delete(self, id_: str) -> None:
        """Delete a run with all its files."""
        self._request("DELETE", _of(id_))

    def summary(self, id_: str) -> dict[str, Any]:
        """The summary of a run."""
        return dict(self._json("GET", f"{_of(id_)}/summary"))

    def results(self, id_: str) -> Iterator[Result]:
        """All results of a run, fetched page by page."""
        offset = 0
        while True:
            page = self._json("GET", f"{_of(id_)}/scores?offset={offset}&limit={_PAGE}")
            yield from map(result_from_object, page["results"])
            offset += len(page["results"])
            if offset >= page["total"] or not page["results"]:
                return

    def close(self) -> None:
        """Close the idle connections; the next request opens another."""
        while self._idle:
            self._idle.pop().close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def _posted(self, raw: dict[str, Any], metrics: Sequence[str] | None) -> Any:
        if metrics is not None:
            raw["metrics"] = list(metrics)
        body = json.dumps(raw, ensure_ascii=False).encode()
        return self._json("POST", _SCORE, body, "application/json")

    def _json(
        self, method: str, address: str, body: bytes | None = None, kind: str | None = None
    ) -> Any:
        try:
            return load_object(self._request(method, address, body, kind).decode())
        except (DataError, UnicodeDecodeError):
            raise self._failure("sent an answer that is not JSON") from None

    def _request(
        self, method: str, address: str, body: bytes | None = None, kind: str | None = None
    ) -> bytes:
        headers = {} if kind is None else {"Content-Type": kind}
        if self.token is not None:
            headers["Authorization"] = f"Bearer {self.token}"
        for attempt in range(self.retries + 1):
            status, wait, answer = self._once(method, address, body, headers)
            if status < 400:
                return answer
            if status not in (429, 503) or wait is None or attempt == self.retries:
                break
            time.sleep(min(wait, 30.0))
        raise self._refusal(status, answer)

    def _once(
        self, method: str, address: str, body: bytes | None, headers: Mapping[str, str]
    ) -> tuple[int, float | None, bytes]:
        """One request; a kept connection that the server has closed is replaced.

        Sent again is only what the server certainly did not take up, or what changes nothing there:
        a request that has timed out may have been carried out.
        """
        may_repeat = method == "GET" or address == _SCORE
        while True:
            connection, is_new = self._open_connection()
            try:
                connection.request(method, address, body, dict(headers))
                response = connection.getresponse()
                answer = response.read()
            except (OSError, http.client.HTTPException) as error:
                connection.close()
                is_cut = isinstance(error, ConnectionError | http.client.HTTPException)
                if may_repeat and is_cut and not is_new:
                    continue
                raise self._failure(_broken(error), _remedy(method, address)) from None
            self._idle.append(connection)
            wait = response.headers.get("Retry-After", "")
            return response.status, float(wait) if wait.isdecimal() else None, answer

    def _open_connection(self) -> tuple[http.client.HTTPConnection, bool]:
        """A kept connection that the server has not closed, or a new one; and whether it is new."""
        while True:
            try:
                connection = self._idle.pop()
            except IndexError:
                break
            # Nothing is expected of the server now: anything to read is the end of the connection.
            if connection.sock is not None and not _is_readable(connection.sock):
                return connection, False
            connection.close()
        connection = self._connection()
        try:
            connection.connect()
        except (OSError, http.client.HTTPException) as error:
            raise self._failure(f"cannot be reached ({_words(error)})") from None
        return connection, True

    def _connection(self) -> http.client.HTTPConnection:
        split = urlsplit(self.url)
        is_safe = split.scheme == "https"
        kind = http.client.HTTPSConnection if is_safe else http.client.HTTPConnection
        return kind(split.hostname or "", split.port, timeout=self.timeout)

    def _refusal(self, status: int, answer: bytes) -> ServiceError:
        try:
            error = json.loads(answer)["error"]
            where = f"{error['where']}: " if error["where"] else ""
            return self._failure(f"{where}{error['message']} ({status})", error["remedy"])
        except (ValueError, KeyError, TypeError):
            return self._failure(f"answered {status}")

    def _failure(self, problem: str, remedy: str | None = None) -> ServiceError:
        return ServiceError(self.url, problem, remedy or "is it the address of `adequa serve`?")


def _is_readable(connection: socket.socket) -> bool:
    with selectors.DefaultSelector() as selector:
        selector.register(connection, selectors.EVENT_READ)
        return bool(selector.select(0))


def _words(error: Exception) -> str:
    return str(error) or type(error).__name__


def _broken(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "did not answer in time"
    return f"broke the connection ({_words(error)})"


def _remedy(method: str, address: str) -> str:
    if method == "POST" and address.startswith(f"{_RUNS}?"):
        return "the run may have been started: look at runs() before you start it again"
    return "try again, with a longer timeout if it was too short"


def _of(id_: str) -> str:
    return f"{_RUNS}/{quote(id_, safe='')}"


def _run(raw: Mapping[str, Any]) -> RemoteRun:
    known = {name: raw[name] for name in ("id", "name", "status", "error")}
    return RemoteRun(**known, done=raw["progress"]["done"], total=raw["progress"]["total"])
