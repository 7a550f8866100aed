"""The API from a client's point of view."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import pytest
from starlette.testclient import TestClient

import adequa
from adequa.codec import result_to_object
from adequa.data import Item, Score, Triple
from adequa.errors import ModelError
from adequa.metrics.base import Metric
from adequa.web.api.engine import ScoringEngine
from adequa.web.api.runs import Runs
from adequa.web.limits import ServerSettings, bytes_of

from ..conftest import ONE, SMALL, InThread, browse

TOKEN = "a-token-of-our-own"


class Moody(Metric):
    """Does what the text says."""

    name: ClassVar[str] = "moody"
    doc: ClassVar[str] = "…"
    best: ClassVar[float] = 1.0
    worst: ClassVar[float] = 0.0

    def score(self, items: Sequence[Item]) -> list[Score]:
        for item in items:
            if item.text == "slow":
                time.sleep(1.0)
            if item.text == "fail":
                raise ModelError("/secret/place/model.onnx: is broken")
        return [Score(0.5) for _ in items]


def test_one_text_is_answered_as_the_library_does(client: TestClient) -> None:
    response = client.post("/v1/score", json=ONE)
    assert response.status_code == 200
    result = adequa.score(ONE["triples"], str(ONE["text"]), metrics=["esa", "chrf"])
    assert response.json() == json.loads(json.dumps(result_to_object(result)))


def test_many_are_answered_in_their_order(client: TestClient) -> None:
    items = [{**ONE, "id": f"Id{number}", "meta": {"n": number}} for number in range(40)]
    results = client.post("/v1/score", json={"items": items}).json()["results"]
    assert [result["id"] for result in results] == [f"Id{number}" for number in range(40)]
    assert [result["meta"]["n"] for result in results] == list(range(40))


def test_items_without_an_id_are_numbered(client: TestClient) -> None:
    results = client.post("/v1/score", json={"items": [ONE, ONE]}).json()["results"]
    assert [result["id"] for result in results] == ["1", "2"]


def test_a_request_may_choose_of_the_servers_metrics(client: TestClient) -> None:
    response = client.post("/v1/score", json={**ONE, "metrics": ["chrf"]})
    assert list(response.json()["scores"]) == ["chrf"]
    response = client.post("/v1/score", json={**ONE, "metrics": ["chrf", "esa"]})
    assert list(response.json()["scores"]) == ["esa", "chrf"]


@pytest.mark.parametrize(
    "triples",
    ["MV_Alba | homePort | Oban", "[S] MV_Alba [P] homePort [O] Oban", [["MV_Alba", "p", "Oban"]]],
)
def test_triples_in_the_forms_that_are_read_elsewhere(client: TestClient, triples: Any) -> None:
    response = client.post("/v1/score", json={**ONE, "triples": triples})
    assert response.json()["scores"]["esa"] == 1.0


def test_an_empty_text_is_a_text(client: TestClient) -> None:
    response = client.post("/v1/score", json={**ONE, "text": ""})
    assert (response.json()["scores"]["esa"], response.json()["verdict"]) == (0.0, "omission")


def test_the_server_tells_of_itself(client: TestClient) -> None:
    metrics = client.get("/v1/metrics").json()["metrics"]
    assert [metric["label"] for metric in metrics] == ["esa", "chrf"]
    assert metrics[1]["needs_references"]
    formats = {entry["name"] for entry in client.get("/v1/formats").json()["formats"]}
    assert {"jsonl", "webnlg", "csv"} <= formats
    health = client.get("/v1/health").json()
    assert (health["status"], health["waiting"], health["workers"]) == ("ok", 0, 2)


def test_a_token_is_asked_for(engine: ScoringEngine, runs: Runs) -> None:
    settings = replace(SMALL, token=TOKEN)
    with browse(engine, runs, settings, base_url="http://scores.example") as client:
        for sent in ("", "Bearer", "Bearer wrong", f"Basic {TOKEN}", TOKEN, f"Bearer {TOKEN}x"):
            response = client.get("/v1/health", headers={"Authorization": sent})
            assert response.status_code == 401, sent
            assert response.json()["error"]["code"] == "no_token"
            assert response.headers["www-authenticate"] == "Bearer"
        right = {"Authorization": f"Bearer {TOKEN}"}
        assert client.get("/v1/health", headers=right).status_code == 200
        assert client.post("/v1/score", json=ONE, headers=right).status_code == 200
        assert client.get("/v1/openapi.json", headers=right).json()["security"]
    assert TOKEN not in repr(settings)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:8080", "[::1]:8080", "LOCALHOST:1"])
def test_names_of_this_machine_are_answered(client: TestClient, host: str) -> None:
    assert client.get("/v1/health", headers={"Host": host}).status_code == 200


def test_pages_of_our_own_may_ask(client: TestClient) -> None:
    own = {"Origin": "http://localhost:8080", "Sec-Fetch-Site": "same-origin"}
    assert client.post("/v1/score", json=ONE, headers=own).status_code == 200


def test_a_request_that_takes_too_long_is_refused(runs: Runs) -> None:
    engine = ScoringEngine({"moody": Moody()}, make=InThread)
    engine.start()
    with browse(engine, runs, replace(SMALL, seconds=0.2)) as client:
        response = client.post("/v1/score", json={**ONE, "text": "slow"})
        assert (response.status_code, response.json()["error"]["code"]) == (503, "timeout")
        assert response.headers["retry-after"] == "1"
        time.sleep(1.0)
        assert client.post("/v1/score", json=ONE).status_code == 200
    engine.close()


def test_a_metric_that_fails_tells_the_log_and_not_the_client(
    runs: Runs, capsys: pytest.CaptureFixture[str]
) -> None:
    engine = ScoringEngine({"moody": Moody()}, make=InThread)
    engine.start()
    with browse(engine, runs, SMALL) as client:
        response = client.post("/v1/score", json={**ONE, "text": "fail"})
        assert (response.status_code, response.json()["error"]["code"]) == (500, "cannot_score")
        assert "secret" not in response.text
        assert client.post("/v1/score", json=ONE).status_code == 200
    engine.close()
    assert "/secret/place" in capsys.readouterr().err


def test_a_full_server_refuses_before_it_reads(runs: Runs) -> None:
    engine = ScoringEngine({"moody": Moody()}, make=InThread, waiting=0)
    engine.start()
    with browse(engine, runs, SMALL) as client:
        response = client.post("/v1/score", content=b"not even JSON")
        assert (response.status_code, response.json()["error"]["code"]) == (503, "busy")
        assert int(response.headers["retry-after"]) >= 1
        assert client.get("/v1/health").json()["status"] == "busy"
    engine.close()


def test_too_many_at_once_are_refused(engine: ScoringEngine, runs: Runs) -> None:
    with browse(engine, runs, replace(SMALL, in_flight=0)) as client:
        response = client.get("/v1/health")
        assert (response.status_code, response.json()["error"]["code"]) == (503, "busy")


def test_bodies_of_all_requests_together_have_a_bound(engine: ScoringEngine, runs: Runs) -> None:
    with browse(engine, runs, replace(SMALL, bodies=50)) as client:
        response = client.post("/v1/score", json=ONE)
        assert (response.status_code, response.json()["error"]["code"]) == (503, "busy")
        response = client.post(
            "/v1/score", content=b"{}", headers={"Content-Type": "application/json"}
        )
        assert response.status_code == 422


@pytest.mark.parametrize("text", ["", "MB", "-1", "8 parsecs", "1.5MB", "9" * 20])
def test_sizes_that_are_none(text: str) -> None:
    with pytest.raises(adequa.SettingError, match="is not a size"):
        bytes_of(text)


def test_the_default_limits_are_those_of_the_command_line() -> None:
    settings = ServerSettings()
    assert (settings.max_body, settings.max_items, settings.seconds) == (8 << 20, 1000, 60.0)


def test_results_are_told_to_the_current_span(client: TestClient, engine: ScoringEngine) -> None:
    pytest.importorskip("opentelemetry.sdk", reason="opentelemetry-sdk is not installed")
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    from adequa.web.api.app import trace_results

    kept = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    lines = engine.submit(
        [Item("1", (Triple("A", "b", "C"),), "A b D4.")], ["esa", "chrf"]
    ).result()
    with provider.get_tracer("test").start_as_current_span("POST /score"):
        trace_results(lines * 30)
    trace_results(lines)  # without a span nothing happens
    (span,) = kept.get_finished_spans()
    assert span.attributes["adequa.items"] == 30
    assert span.attributes["adequa.verdicts.hallucination+omission"] == 30
    assert len(span.events) == 40
    esa, chrf = span.events[:2]
    assert esa.name == "gen_ai.evaluation.result"
    assert esa.attributes["gen_ai.evaluation.name"] == "esa"
    assert esa.attributes["gen_ai.evaluation.score.value"] == 0.5
    assert esa.attributes["gen_ai.evaluation.score.label"] == "hallucination+omission"
    assert "D4" in esa.attributes["gen_ai.evaluation.explanation"]
    assert "gen_ai.evaluation.score.value" not in chrf.attributes  # it was not scorable


def test_spans_by_hand() -> None:
    """The part of OpenTelemetry's interface that is used, where it is not installed."""
    from types import ModuleType

    from adequa.web.api.app import trace_results

    class Span:
        def __init__(self) -> None:
            self.attributes: dict[str, Any] = {}
            self.events: list[tuple[str, dict[str, Any]]] = []

        def is_recording(self) -> bool:
            return True

        def set_attribute(self, name: str, value: Any) -> None:
            self.attributes[name] = value

        def add_event(self, name: str, attributes: dict[str, Any]) -> None:
            self.events.append((name, attributes))

    span, module = Span(), ModuleType("opentelemetry.trace")
    module.get_current_span = lambda: span  # type: ignore[attr-defined]
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "opentelemetry.trace", module)
        line = {"id": "1", "scores": {"esa": 1.0, "nli": None}, "verdicts": {"esa": "OK"}}
        trace_results([json.dumps(line | {"verdict": None, "findings": []}).encode()])
    assert span.attributes["adequa.verdicts.none"] == 1
    assert [event["gen_ai.evaluation.name"] for _, event in span.events] == ["esa", "nli"]
    assert "gen_ai.evaluation.explanation" not in span.events[0][1]
