"""The OpenAPI document is complete and correct."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from starlette.routing import Route
from starlette.testclient import TestClient

from adequa.web.api.app import api_app
from adequa.web.api.engine import ScoringEngine
from adequa.web.api.runs import Runs

from ..conftest import SMALL


def _described(client: TestClient) -> dict[str, Any]:
    document: dict[str, Any] = client.get("/v1/openapi.json").json()
    return document


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for inner in value.values():
            yield from _references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _references(inner)


def test_every_route_is_described_and_the_other_way_round(
    client: TestClient, engine: ScoringEngine, runs: Runs
) -> None:
    routes = {
        (route.path, method)
        for route in api_app(engine, runs, settings=SMALL).routes
        if isinstance(route, Route)
        for method in (route.methods or set()) - {"HEAD"}
    }
    paths = _described(client)["paths"]
    described = {(path, method.upper()) for path, methods in paths.items() for method in methods}
    assert described == routes
    assert len(routes) >= 12


def test_every_reference_leads_somewhere(client: TestClient) -> None:
    document = _described(client)
    for reference in set(_references(document)):
        found: Any = document
        for part in reference.removeprefix("#/").split("/"):
            found = found[part]


def test_parameters_of_a_path_are_described(client: TestClient) -> None:
    for path, methods in _described(client)["paths"].items():
        for operation in methods.values():
            placed = {one["name"] for one in operation["parameters"] if one["in"] == "path"}
            assert placed == set(re.findall(r"\{(\w+)\}", path))


def test_names_are_unique_and_limits_are_this_servers(client: TestClient) -> None:
    document = _described(client)
    names = [
        operation["operationId"]
        for methods in document["paths"].values()
        for operation in methods.values()
    ]
    assert len(set(names)) == len(names)
    schemas = document["components"]["schemas"]
    assert schemas["MetricName"] == {"enum": ["esa", "chrf"]}
    assert schemas["ManyToScore"]["properties"]["items"]["maxItems"] == SMALL.max_items
    assert schemas["Item"]["properties"]["text"]["maxLength"] == SMALL.max_text
