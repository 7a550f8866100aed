"""A small chat model behind OpenAI's API, for tests: it knows the facts by looking for their words.

`POST /v1/chat/completions` answers as a server does. `behaviour` replaces the answer: it gets the
handler and the request, and may be slow, broken, rude or hostile.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Behaviour = Callable[["Handler", dict[str, Any]], None]


def judge_plainly(asked: dict[str, Any]) -> dict[str, Any]:
    """Facts whose object is not in the text are omitted; the word "wrong" is unsupported."""
    shown = json.loads(asked["messages"][1]["content"])
    objects = [fact.split(" | ")[2].partition(" (at ")[0] for fact in shown["facts"]]
    text = shown["text"]
    omitted = [number for number, one in enumerate(objects, 1) if one not in text]
    if "may choose" in asked["messages"][0]["content"]:
        omitted = []
    errors = [{"quote": "wrong", "type": "unsupported", "fact": None, "why": "Nothing says so."}]
    found = errors if "wrong" in text else []
    return {"errors": found, "omitted": omitted, "score": 100 - 20 * len([*omitted, *found])}


class Handler(BaseHTTPRequestHandler):
    server: ChatServer

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.requests.append((self.path, dict(self.headers), asked))
        with suppress(OSError):  # the client went away, as it should
            self.server.behaviour(self, asked)

    def say(self, body: bytes, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def complete(self, content: Any, **choice: Any) -> None:
        """Answer as the API does, with what the model wrote."""
        if not isinstance(content, str):
            content = json.dumps(content)
        message = {"role": "assistant", "content": content, **choice.pop("message", {})}
        answer = {
            "choices": [{"index": 0, "message": message, "finish_reason": "stop", **choice}],
            "usage": self.server.usage,
        }
        self.say(json.dumps(answer).encode(), Content_Type="application/json")

    def log_message(self, *args: Any) -> None:
        pass


class ChatServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self.lock = threading.Lock()
        self.released = threading.Event()
        self.usage: Any = {"prompt_tokens": 100, "completion_tokens": 10}
        self.behaviour: Behaviour = lambda handler, asked: handler.complete(judge_plainly(asked))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def writes(self, content: Any, **choice: Any) -> None:
        """Let the model write the same to everybody."""
        self.behaviour = lambda handler, asked: handler.complete(content, **dict(choice))

    def handle_error(self, *args: Any) -> None:
        pass


@contextmanager
def chat_server() -> Iterator[ChatServer]:
    """A server that runs within the block."""
    from adequa import services

    services._HEALTH.clear()
    with ChatServer() as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield running
        finally:
            running.released.set()
            running.shutdown()
            thread.join()
