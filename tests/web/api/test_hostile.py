"""More than fifty malicious requests, each with its answer."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from starlette.testclient import TestClient

from adequa.web.api.engine import ScoringEngine

from ..conftest import JSON_LINES, LINE, ONE

JSON = {"Content-Type": "application/json"}
DEEP = 50_000
SCRIPT = "<script>alert(1)</script>"
GOOD = json.dumps(ONE).encode()


class Hostile(NamedTuple):
    """A request, the status it gets, and a word of the reason."""

    name: str
    status: int
    code: str
    method: str = "POST"
    path: str = "/v1/score"
    body: Any = GOOD
    headers: dict[str, str] = JSON
    says: str = ""


def _pieces(*pieces: bytes) -> Iterator[bytes]:
    """A body without a length."""
    yield from pieces


def _item(**changes: Any) -> bytes:
    return json.dumps({**ONE, **changes}).encode()


def _with(**headers: str) -> dict[str, str]:
    return {**JSON, **{name.replace("_", "-"): value for name, value in headers.items()}}


REQUESTS = [
    # Sizes
    Hostile("a huge body", 413, "too_large", body=b" " * 300_000, says="195.3 KB"),
    Hostile("a length that is a lie", 413, "too_large", headers=_with(Content_Length="9" * 12)),
    Hostile("a length beyond all", 413, "too_large", headers=_with(Content_Length="9" * 40)),
    Hostile("a length below zero", 400, "wrong_length", headers=_with(Content_Length="-1")),
    Hostile("a length in words", 400, "wrong_length", headers=_with(Content_Length="many")),
    Hostile("a length in other digits", 400, "wrong_length", headers=_with(Content_Length="1_0")),
    Hostile(
        "huge and without a length",
        413,
        "too_large",
        body=lambda: _pieces(*[b" " * 1000] * 300),
    ),
    Hostile("many items", 413, "too_many_items", body=json.dumps({"items": [ONE] * 51}).encode()),
    Hostile("a long text", 413, "item_too_large", body=_item(text="a" * 5_001), says="5001"),
    Hostile("a long reference", 413, "item_too_large", body=_item(references=["a" * 5_001])),
    Hostile(
        "many triples",
        413,
        "item_too_large",
        body=_item(triples=[["a", "b", "c"]] * 10_000),
        says="10000 triples",
    ),
    Hostile(
        "many triples in a string",
        413,
        "item_too_large",
        body=_item(triples=" && ".join(["a | b | c"] * 10_000)),
    ),
    Hostile("long triples in a string", 413, "item_too_large", body=_item(triples="a" * 9_001)),
    Hostile(
        "long triples in a list",
        413,
        "item_too_large",
        body=_item(triples=[["a" * 4_000] * 3]),
        says="12000 characters of data",
    ),
    Hostile(
        "very many names",
        413,
        "too_many_names",
        body=b'{"meta": {' + b",".join([b'"a":1'] * 20_001) + b"}}",
    ),
    Hostile("very many values", 413, "too_many_values", body=_item(meta={"a": [1] * 60_001})),
    Hostile("a long head", 431, "head_too_large", headers=_with(X_Long="a" * 40_000)),
    # JSON that is none, or more than that
    Hostile("nothing", 400, "unreadable", body=b"", says="not JSON"),
    Hostile("no JSON", 400, "unreadable", body=b"triples=a&text=b"),
    Hostile("half of a JSON", 400, "unreadable", body=GOOD[:-5]),
    Hostile("two JSONs", 400, "unreadable", body=GOOD + GOOD),
    Hostile("deep lists", 400, "unreadable", body=b"[" * DEEP + b"]" * DEEP, says="nested"),
    Hostile("deep objects", 400, "unreadable", body=b'{"a":' * 15_000 + b"1" + b"}" * 15_000),
    Hostile("deep, if not very", 422, "too_deep", body=_item(meta=json.loads("[" * 40 + "]" * 40))),
    Hostile("NaN", 400, "unreadable", body=GOOD[:-1] + b', "meta": {"x": NaN}}', says="NaN"),
    Hostile("an infinity", 400, "unreadable", body=GOOD[:-1] + b', "meta": {"x": -Infinity}}'),
    Hostile("a long number", 400, "unreadable", body=b'{"id": ' + b"9" * 5000 + b"}"),
    Hostile("a name twice", 400, "unreadable", body=GOOD[:-1] + b', "text": "b"}', says="twice"),
    Hostile("broken UTF-8", 400, "unreadable", body=GOOD.replace(b"sails", b"s\xff\xfels")),
    Hostile("UTF-16", 400, "unreadable", body=GOOD.decode().encode("utf-16")),
    Hostile("a byte order mark", 400, "unreadable", body=b"\xef\xbb\xbf" + GOOD),
    Hostile("half a surrogate", 400, "unreadable", body=_item(text="\ud800"), says="surrogate"),
    # Shapes
    Hostile("a list", 422, "wrong_data", body=b"[]"),
    Hostile("a null", 422, "wrong_data", body=b"null"),
    Hostile("nothing in it", 422, "wrong_data", body=b"{}", says="'triples'"),
    Hostile("no items", 422, "wrong_data", body=b'{"items": []}'),
    Hostile("items that are none", 422, "wrong_data", body=b'{"items": [1, null]}', says="number"),
    Hostile("items in an object", 422, "wrong_data", body=b'{"items": {"0": 1}}'),
    Hostile("an item beside items", 422, "wrong_data", body=_item(items=[ONE])),
    Hostile("a text in a list", 422, "wrong_data", body=_item(text=["a"]), says="'text'"),
    Hostile("a number as text", 422, "wrong_data", body=_item(text=7)),
    Hostile("no triples", 422, "wrong_data", body=_item(triples=[]), says="empty"),
    Hostile("triples of two", 422, "wrong_data", body=_item(triples=[["a", "b"]])),
    Hostile("triples of numbers", 422, "wrong_data", body=_item(triples=[[1, 2, 3]])),
    Hostile("empty parts", 422, "wrong_data", body=_item(triples=[["", "", ""]])),
    Hostile("triples in no form", 422, "wrong_data", body=_item(triples="../../etc/passwd")),
    Hostile("an address as data", 422, "wrong_data", body=_item(triples="http://localhost:1/x")),
    Hostile("a list as id", 422, "wrong_data", body=_item(id=["x"])),
    Hostile("a misspelt field", 422, "wrong_data", body=_item(refrences=["a"]), says="references"),
    Hostile("false as meta", 422, "wrong_data", body=_item(meta=False)),
    Hostile("an object as paths", 422, "wrong_data", body=_item(paths={})),
    Hostile("a string as record", 422, "wrong_data", body=_item(record="a"), says="or a list"),
    # Metrics
    Hostile("a metric not here", 422, "unknown_name", body=_item(metrics=["bleu"]), says="esa"),
    Hostile(
        "a setting that names a file",
        422,
        "settings_refused",
        body=_item(metrics=["esa:aliases=/etc/passwd"]),
    ),
    Hostile("a model from afar", 422, "settings_refused", body=_item(metrics=["x=nli:model=a/b"])),
    Hostile("metrics in a string", 422, "wrong_data", body=_item(metrics="esa")),
    Hostile("a metric twice", 422, "wrong_data", body=_item(metrics=["esa", "esa"])),
    # Heads
    Hostile("another name", 421, "wrong_host", headers=_with(Host="attacker.example")),
    Hostile("a name that looks right", 421, "wrong_host", headers=_with(Host="localhost.evil.io")),
    Hostile("no name", 421, "wrong_host", headers=_with(Host="")),
    Hostile("another site", 403, "foreign_origin", headers=_with(Origin="https://evil.example")),
    Hostile("across sites", 403, "foreign_origin", headers=_with(Sec_Fetch_Site="cross-site")),
    Hostile("a form", 415, "wrong_content_type", headers={"Content-Type": "text/plain"}),
    Hostile("of no kind", 415, "wrong_content_type", headers={}),
    Hostile(
        "packed",
        415,
        "compressed",
        body=gzip.compress(GOOD),
        headers=_with(Content_Encoding="gzip"),
    ),
    # Methods and paths
    Hostile("a method nobody knows", 405, "method_not_allowed", method="BREW"),
    Hostile("deleting scores", 405, "method_not_allowed", method="DELETE"),
    Hostile("asking for scores", 405, "method_not_allowed", method="GET", body=None),
    Hostile("tracing", 405, "method_not_allowed", method="TRACE", body=None),
    Hostile("asking what may be asked", 405, "method_not_allowed", method="OPTIONS", body=None),
    Hostile("nowhere", 404, "not_found", path="/v1/nowhere"),
    Hostile("a slash more", 404, "not_found", path="/v1/score/"),
    Hostile("up and out", 404, "not_found", "GET", "/v1/runs/..%2f..%2fetc%2fpasswd", None),
    Hostile("a path as id", 404, "no_such_run", "GET", "/v1/runs/..%5c..%5cwindows", None),
    Hostile("a NUL as id", 404, "no_such_run", "GET", "/v1/runs/%00/summary", None),
    Hostile("a long id", 404, "no_such_run", "DELETE", "/v1/runs/" + "a" * 5000, None),
    Hostile("script as id", 404, "no_such_run", "GET", f"/v1/runs/{SCRIPT.replace('/', '')}", None),
    Hostile("cancelling nothing", 404, "no_such_run", "POST", "/v1/runs/0/cancel", b""),
    Hostile("a query nobody reads", 400, "wrong_query", "GET", "/v1/health?debug=1", None),
    # Uploads
    Hostile("an upload as a form", 415, "wrong_content_type", path="/v1/runs", body=LINE),
    Hostile("an empty upload", 422, "empty", path="/v1/runs", body=b"", headers=JSON_LINES),
    Hostile(
        "a large upload",
        413,
        "too_large",
        path="/v1/runs",
        body=lambda: _pieces(*[LINE * 100] * 60),
        headers=JSON_LINES,
    ),
    Hostile(
        "an unknown format",
        422,
        "unknown_name",
        path="/v1/runs?format=pickle",
        body=LINE,
        headers=JSON_LINES,
    ),
    Hostile(
        "a format that reads a file",
        422,
        "settings_refused",
        path="/v1/runs?format=webnlg:instance_types=/etc/passwd",
        body=LINE,
        headers=JSON_LINES,
    ),
    Hostile(
        "a format that reads a file, far behind",
        422,
        "wrong_query",
        path=f"/v1/runs?format=records:{',' * 990}mapping=/etc/passwd",
        body=LINE,
        headers=JSON_LINES,
    ),
    Hostile(
        "a mapping of ours",
        422,
        "settings_refused",
        path="/v1/runs?format=records:mapping=/etc/passwd",
        body=LINE,
        headers=JSON_LINES,
    ),
    Hostile(
        "a format twice",
        400,
        "wrong_query",
        path="/v1/runs?format=jsonl&format=csv",
        body=LINE,
        headers=JSON_LINES,
    ),
    Hostile(
        "a name without end",
        422,
        "wrong_query",
        path="/v1/runs?name=" + "a" * 201,
        body=LINE,
        headers=JSON_LINES,
    ),
    Hostile(
        "a zip",
        422,
        "wrong_data",
        path="/v1/runs?name=x.csv",
        body=b"PK\x03\x04" + b"\0" * 50,
        headers=JSON_LINES,
    ),
]


@pytest.mark.parametrize("hostile", REQUESTS, ids=lambda hostile: hostile.name)
def test_it_is_refused_with_a_reason(hostile: Hostile, client: TestClient, tmp_path: Path) -> None:
    body = hostile.body() if callable(hostile.body) else hostile.body
    response = client.request(hostile.method, hostile.path, content=body, headers=hostile.headers)
    error = response.json()["error"]
    assert (response.status_code, error["code"]) == (hostile.status, hostile.code), error
    assert set(error) == {"code", "message", "remedy", "where"}
    assert hostile.says in f"{error['message']} {error['remedy']}"
    assert len(response.content) < 2_000
    # Neither a place on the server nor a line of its code is told.
    assert str(tmp_path) not in response.text
    assert "Traceback" not in response.text
    assert response.headers["x-content-type-options"] == "nosniff"
    assert "access-control-allow-origin" not in response.headers
    # Nothing was kept, and the next request is served.
    assert list((tmp_path / "runs").glob("*")) == []
    assert client.post("/v1/score", json=ONE).status_code == 200


def test_there_are_fifty() -> None:
    assert len(REQUESTS) >= 50
    assert len({hostile.name for hostile in REQUESTS}) == len(REQUESTS)


def test_a_head_is_a_get_without_its_body(client: TestClient) -> None:
    response = client.head("/v1/health")
    assert (response.status_code, response.content) == (200, b"")


@pytest.mark.parametrize(
    "text",
    [SCRIPT, "\u0000\u0007", "\u202eevil", "{{7*7}}", "%n%s", "'; DROP TABLE runs;--", "\\u0022"],
)
def test_texts_are_returned_unchanged_and_as_json(client: TestClient, text: str) -> None:
    response = client.post("/v1/score", json={**ONE, "text": text, "id": text, "system": text})
    assert response.status_code == 200
    assert response.headers["content-type"] == "application/json"
    assert [response.json()[name] for name in ("text", "id", "system")] == [text] * 3


@pytest.mark.parametrize("name", [SCRIPT, "../../etc/cron.d/x.jsonl", "C:\\x.csv", "a\u0000b", "."])
def test_the_name_of_an_upload_is_only_shown(client: TestClient, tmp_path: Path, name: str) -> None:
    query = {"name": name, "format": "jsonl"}
    response = client.post("/v1/runs", content=LINE, params=query, headers=JSON_LINES)
    assert response.status_code == 202
    run = response.json()
    assert run["name"] == name
    files = [path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    assert all(file.parts[:2] == ("runs", run["id"]) for file in files)
    assert {file.stem for file in files if "input" in file.parts} == {"upload"}
    assert client.delete(f"/v1/runs/{run['id']}").status_code == 204
    assert list((tmp_path / "runs").iterdir()) == []


def test_the_engine_outlives_them_all(engine: ScoringEngine) -> None:
    assert engine.waiting == 0
