"""`/v1/score`, and what a client may want to know before it asks: metrics, formats, health."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import fields
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from adequa import __version__
from adequa.codec import item_from_object
from adequa.data import Item
from adequa.errors import AdequaError, DataError, UnknownName
from adequa.run import describe_metrics
from adequa.strict_json import kind_of
from adequa.web.api.bodies import Bodies
from adequa.web.api.endpoint import Endpoint, json_of, ref
from adequa.web.api.scoring import ScoringEngine
from adequa.web.api.settings import ServerSettings
from adequa.web.errors import Refusal, refusal_of

_WRAPPER = {"items", "metrics"}
_FIELDS = tuple(field.name for field in fields(Item))
_KINDS = {"references": list, "terms": dict, "meta": dict}


class ScoreEndpoints:
    """The endpoints that score and describe the server."""

    def __init__(self, engine: ScoringEngine, settings: ServerSettings) -> None:
        self.engine, self.settings, self.bodies = engine, settings, Bodies(settings)
        self._described: list[dict[str, Any]] | None = None

    @property
    def endpoints(self) -> list[Endpoint]:
        """Each with its part of the OpenAPI document."""
        scored = {"anyOf": [ref("Result"), ref("Results")]}
        return [
            Endpoint(
                "POST",
                "/score",
                "score",
                "Judge one text, or many.\n\nOne item is answered with its result, "
                "`items` with `results` in their order.",
                self.score,
                {200: ("What the metrics say.", json_of(scored))},
                refusals=(408, 413, 415, 422, 500),
                body=json_of({"anyOf": [ref("OneToScore"), ref("ManyToScore")]}),
            ),
            Endpoint(
                "GET",
                "/metrics",
                "metrics",
                "The metrics of this server.",
                self.list_metrics,
                {200: ("In the order of their scores.", json_of(ref("Metrics")))},
            ),
            Endpoint(
                "GET",
                "/formats",
                "formats",
                "The formats of files that a run can be made of.",
                self.list_formats,
                {200: ("By name.", json_of(ref("Formats")))},
            ),
            Endpoint(
                "GET",
                "/health",
                "health",
                "Whether the server has room for more.",
                self.health,
                {200: ("It answers.", json_of(ref("Health")))},
            ),
        ]

    async def score(self, request: Request) -> Response:
        """Score what a body holds."""
        if self.engine.is_full:
            raise self.engine.full()  # before the body is read: a flood must cost little
        raw = await self.bodies.object(request)
        labels = chosen_labels(raw.pop("metrics", None), self.engine)
        items = self._items(raw) if "items" in raw else [self._item(raw, 1, "body")]
        lines = await awaited(request, self.engine.submit(items, labels), self.settings.seconds)
        if "items" not in raw:
            return Response(lines[0], media_type="application/json")
        body = b'{"results": [' + b", ".join(lines) + b"]}"
        return Response(body, media_type="application/json")

    async def list_metrics(self, _request: Request) -> Response:
        """The metrics, in the order of their scores."""
        if self._described is None:
            self._described = [
                {
                    "label": label,
                    "name": entry["name"],
                    "doc": self.engine.metrics[label].doc,
                    "needs_references": self.engine.metrics[label].needs_references,
                    **{
                        key: entry[key]
                        for key in ("signature", "higher_is_better", "best", "worst")
                    },
                }
                for label, entry in describe_metrics(self.engine.metrics).items()
            ]
        return JSONResponse({"metrics": self._described})

    async def list_formats(self, _request: Request) -> Response:
        """The formats of uploads."""
        from adequa.readers import TABLE, reader_class

        formats = [{"name": name, "doc": reader_class(name).doc} for name in TABLE]
        return JSONResponse({"formats": formats})

    async def health(self, _request: Request) -> Response:
        """Alive, and how busy."""
        return JSONResponse(
            {
                "status": "busy" if self.engine.is_full else "ok",
                "version": __version__,
                "workers": self.engine.workers,
                "waiting": self.engine.waiting,
            }
        )

    def _items(self, raw: Mapping[str, Any]) -> list[Item]:
        unknown = sorted(raw.keys() - _WRAPPER)
        if unknown:
            message = f"{unknown[0][:100]!r} stands beside 'items'"
            raise Refusal(422, "wrong_data", message, "put it into each item", where="body")
        given = raw["items"]
        if type(given) is not list:
            raise Refusal(422, "wrong_data", f"'items' is {kind_of(given)}, not a list")
        if not given:
            raise Refusal(422, "wrong_data", "'items' is empty", "send at least one")
        if len(given) > self.settings.max_items:
            raise Refusal(
                413,
                "too_many_items",
                f"{len(given)} items are more than {self.settings.max_items}",
                "send them in parts, or as a run: POST /v1/runs",
                where="items",
            )
        return [self._item(one, place + 1, f"items[{place}]") for place, one in enumerate(given)]

    def _item(self, raw: Any, number: int, where: str) -> Item:
        settings = self.settings
        if type(raw) is dict:
            raw = {"id": str(number), **raw}
            _check_kinds(raw, where)
        triples = raw.get("triples") if type(raw) is dict else None
        if type(triples) is list and len(triples) > settings.max_triples:
            raise _too_much(f"{len(triples)} triples", settings.max_triples, where)
        try:
            item = item_from_object(raw)
        except AdequaError as error:
            raise refusal_of(_for_body(error), where=where) from None
        if len(item.triples) > settings.max_triples:
            raise _too_much(f"{len(item.triples)} triples", settings.max_triples, where)
        for text in (item.text, *item.references):
            if len(text) > settings.max_text:
                raise _too_much(f"a text of {len(text)} characters", settings.max_text, where)
        return item


def _check_kinds(raw: Mapping[str, Any], where: str) -> None:
    """No field that a client may have misspelt; and what may be left out is null, not 0 or ""."""
    unknown = sorted(raw.keys() - _FIELDS)
    if unknown:
        message = f"there is no field {unknown[0][:100]!r}"
        remedy = f"there are: {', '.join(_FIELDS)}; put anything else into meta"
        raise Refusal(422, "wrong_data", message, remedy, where=where)
    for name, kind in _KINDS.items():
        value = raw.get(name)
        if value is not None and type(value) is not kind:
            wanted = kind_of(kind())
            message = f"{name!r} is {kind_of(value)}, not {wanted}"
            raise Refusal(422, "wrong_data", message, "leave it out if there is none", where=where)


def _for_body(error: AdequaError) -> AdequaError:
    """The id is not needed here, so no remedy shall ask for it."""
    if isinstance(error, DataError) and error.problem.startswith("has no "):
        return DataError(error.problem, remedy="an item needs 'triples' and 'text'")
    return error


def _too_much(what: str, most: int, where: str) -> Refusal:
    message = f"{what} is more than {most}"
    return Refusal(413, "item_too_large", message, "split the item", where=where)


def chosen_labels(given: Any, engine: ScoringEngine) -> list[str]:
    """The metrics a request asks for, in the server's order; settings are not for the network."""
    if given is None:
        return list(engine.metrics)
    if type(given) is not list or not given or any(type(one) is not str for one in given):
        message = "'metrics' is not a list of names"
        raise Refusal(422, "wrong_data", message, 'write ["esa"]', where="metrics")
    for label in given:
        if label in engine.metrics:
            continue
        if ":" in label or "=" in label:
            raise Refusal(
                422,
                "settings_refused",
                "a request cannot set a metric's settings",
                f"the server's metrics are: {', '.join(engine.metrics)}; others come with `-m` "
                "when it is started",
                where="metrics",
            )
        raise refusal_of(UnknownName("metric", label[:100], engine.metrics), where="metrics")
    if len(set(given)) < len(given):
        raise Refusal(422, "wrong_data", "'metrics' names one twice", "keep one", where="metrics")
    return [label for label in engine.metrics if label in given]


async def awaited(request: Request, future: Future[list[bytes]], seconds: float) -> Sequence[bytes]:
    """The lines; given up where they take too long or nobody waits for them any more."""
    scored = asyncio.wrap_future(future)
    gone = asyncio.ensure_future(_disconnected(request))
    both: set[asyncio.Future[Any]] = {scored, gone}
    try:
        await asyncio.wait(both, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        if scored.done():
            return scored.result()
        if gone.done():
            raise Refusal(400, "gone", "the client went away")
        raise Refusal(
            503,
            "timeout",
            f"it was not done in {seconds:g} seconds",
            "send fewer items at once, or start a run: POST /v1/runs",
            wait=seconds,
        )
    finally:
        gone.cancel()
        scored.cancel()


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
