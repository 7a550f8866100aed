"""A small server with a cheap metric, in this process."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from adequa.data import Item
from adequa.metrics import Metric, resolve
from adequa.web.api.app import api_app
from adequa.web.api.engine import ScoringEngine, scored_lines
from adequa.web.api.runs import Runs
from adequa.web.limits import ServerSettings

SMALL = ServerSettings(
    max_body=200_000,
    max_upload=300_000,
    max_items=50,
    max_text=5_000,
    max_triples=100,
    max_data=9_000,
    max_keys=20_000,
    max_values=60_000,
    body_seconds=2.0,
)
ONE = {"triples": [["MV_Alba", "homePort", "Oban"]], "text": "MV Alba sails from Oban."}
LINE = b'{"id": "1", "triples": [["MV_Alba", "homePort", "Oban"]], "text": "From Oban."}\n'
JSON_LINES = {"Content-Type": "application/x-ndjson"}


class InThread:
    """A worker in the calling thread, for metrics that no other process can load; never ended."""

    def __init__(self, metrics: Mapping[str, Metric]) -> None:
        self.metrics = metrics

    def start(self) -> None:
        pass

    def score(self, items: Sequence[Item], labels: Sequence[str], _seconds: float) -> list[bytes]:
        return scored_lines(items, self.metrics, labels)

    def close(self) -> None:
        pass


@pytest.fixture(scope="session")
def engine() -> Iterator[ScoringEngine]:
    engine = ScoringEngine(resolve(["esa", "chrf"]), workers=2, make=InThread)
    engine.start()
    yield engine
    engine.close()


@pytest.fixture
def runs(tmp_path: Path, engine: ScoringEngine) -> Iterator[Runs]:
    runs = Runs(tmp_path / "runs", engine.metrics, SMALL)
    yield runs
    runs.close()


@pytest.fixture
def client(engine: ScoringEngine, runs: Runs) -> Iterator[TestClient]:
    with browse(engine, runs, SMALL) as client:
        yield client


def browse(
    engine: ScoringEngine, runs: Runs, settings: ServerSettings, **options: Any
) -> TestClient:
    app = api_app(engine, runs, settings=settings)
    options.setdefault("base_url", "http://localhost:8080")
    return TestClient(app, raise_server_exceptions=False, **options)


@pytest.fixture
def finished(client: TestClient) -> Callable[..., dict[str, Any]]:
    """Uploads a file and gives its run when it is over."""

    def upload(body: bytes, **query: str) -> dict[str, Any]:
        response = client.post("/v1/runs", content=body, params=query, headers=JSON_LINES)
        assert response.status_code == 202, response.text
        return over(client, response.json()["id"])

    return upload


def over(client: TestClient, id_: str) -> dict[str, Any]:
    for _ in range(600):
        run: dict[str, Any] = client.get(f"/v1/runs/{id_}").json()
        if run["status"] not in ("queued", "running"):
            return run
        time.sleep(0.1)
    raise AssertionError(run)
