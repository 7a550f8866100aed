"""The OpenAPI 3.1 document, put together from what stands beside each endpoint."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from adequa.__about__ import __version__
from adequa.web.api.endpoint import RESPONSES, Endpoint
from adequa.web.api.schemas import SCHEMAS
from adequa.web.api.settings import Settings

__all__ = ["PREFIX", "document"]

PREFIX = "/v1"
_ABOUT = (
    "Does a text say all and only what its data says? Scores, verdicts and the places they come "
    "from. Every refusal is an object `error` with a code, a message and a remedy."
)


def document(endpoints: Sequence[Endpoint], labels: Sequence[str], settings: Settings) -> Any:
    """What a server with these metrics and limits does."""
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in endpoints:
        methods = paths.setdefault(PREFIX + endpoint.path, {})
        methods[endpoint.method.lower()] = endpoint.operation
    described: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {"title": "adequa", "version": __version__, "description": _ABOUT},
        "paths": paths,
        "components": {"schemas": _schemas(labels, settings), "responses": dict(RESPONSES)},
    }
    if settings.token is not None:
        bearer = {"type": "http", "scheme": "bearer"}
        described["components"]["securitySchemes"] = {"token": bearer}
        described["security"] = [{"token": []}]
    return described


def _schemas(labels: Sequence[str], settings: Settings) -> dict[str, Any]:
    """The shapes with this server's names and limits in them."""
    schemas = copy.deepcopy(dict(SCHEMAS))
    schemas["MetricName"] = {"enum": list(labels)}
    schemas["ManyToScore"]["properties"]["items"]["maxItems"] = settings.max_items
    for name in ("Item", "OneToScore"):
        properties = schemas[name]["properties"]
        properties["text"]["maxLength"] = settings.max_text
        properties["triples"]["anyOf"][0]["maxItems"] = settings.max_triples
    return schemas
