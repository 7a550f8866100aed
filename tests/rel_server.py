"""A small entity linker that speaks REL's HTTP API (van Hulst et al. 2020), for tests.

`POST /` with `{"text": …, "spans": [[start, length], …]}` answers with a list of
`[start, length, mention, title, ED confidence, MD confidence, tag]`; with spans given, only these
are linked. It knows the names it was made with, and links the longest name at each place.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class RelServer(ThreadingHTTPServer):
    """Links the names of a dictionary to titles of Wikipedia pages."""

    daemon_threads = True

    def __init__(self, titles: Mapping[str, str]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.titles = titles
        self.texts: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def link(self, text: str, spans: list[list[int]]) -> list[list[Any]]:
        names = sorted(self.titles, key=len, reverse=True)
        found = re.finditer("|".join(rf"\b{re.escape(name)}\b" for name in names), text)
        places = [[match.start(), len(match[0])] for match in found] if names else []
        return [
            [start, length, text[start : start + length], title.replace(" ", "_"), 0.9, 0.99, "LOC"]
            for start, length in spans or places
            if (title := self.titles.get(text[start : start + length])) is not None
        ]


class _Handler(BaseHTTPRequestHandler):
    server: RelServer

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.texts.append(asked["text"])
        body = json.dumps(self.server.link(asked["text"], asked["spans"])).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        pass


@contextmanager
def rel_server(titles: Mapping[str, str]) -> Iterator[RelServer]:
    """A server that runs within the block."""
    with RelServer(titles) as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield running
        finally:
            running.shutdown()
            thread.join()
