"""Requests that schemathesis makes of the OpenAPI document: each answer must be as it says."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from adequa.metrics import resolve
from adequa.web.api.app import api_app
from adequa.web.api.engine import InThread, ScoringEngine
from adequa.web.api.runs import Runs
from adequa.web.limits import ServerSettings

schemathesis = pytest.importorskip(
    "schemathesis", reason="pip install schemathesis to test the API against its description"
)

EXAMPLES = int(os.environ.get("ADEQUA_SCHEMATHESIS_EXAMPLES", "40"))


METRICS = resolve(["chrf"])
# Room for every upload: how many may wait is tested elsewhere.
SETTINGS = ServerSettings(hosts=("localhost", "testserver"), waiting_runs=10**6, max_runs=10**6)


class _Unscored(Runs):
    """What an upload holds is judged later, and is no part of an answer."""

    def _work(self) -> None:
        return


ENGINE = ScoringEngine(METRICS, make=InThread)
RUNS = _Unscored(Path("filled-in-below"), METRICS, SETTINGS)
# By itself schemathesis does not count 413 as a refusal.
REFUSALS = ["400", "404", "405", "413", "415", "422"]
CONFIG = schemathesis.Config.from_dict(
    {"checks": {"negative_data_rejection": {"expected-statuses": REFUSALS}}}
)
DESCRIPTION = schemathesis.openapi.from_asgi(
    "/v1/openapi.json", api_app(ENGINE, RUNS, settings=SETTINGS), config=CONFIG
)


@schemathesis.serializer("application/x-ndjson")
def _as_it_is(_context: Any, value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode(errors="replace")


@pytest.fixture(scope="module", autouse=True)
def _served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    RUNS.folder = tmp_path_factory.mktemp("runs")
    ENGINE.start()
    yield
    ENGINE.close()
    RUNS.close()


@DESCRIPTION.parametrize()
@hypothesis.settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=list(hypothesis.HealthCheck),
)
def test_answers_are_as_described(case: Any) -> None:
    excluded = []
    if case.operation.definition.raw["operationId"] == "startRun":
        # That an upload is not empty, and of the format its name tells, no schema can say.
        excluded.append(schemathesis.checks.positive_data_acceptance)
    case.call_and_validate(excluded_checks=excluded)
