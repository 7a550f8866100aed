"""Files scored in the background: from upload to download, cancel and delete."""

from __future__ import annotations

import errno
import json
import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from adequa.metrics import resolve
from adequa.readers import open_source
from adequa.run import open_run, score_run
from adequa.web.api.engine import ScoringEngine
from adequa.web.api.runs import LineIndex, RunProcess, Runs
from adequa.web.errors import Refusal

from ..conftest import JSON_LINES, LINE, SMALL, browse, over

XML = b"""<benchmark><entries>
<entry category="Ship" eid="Id1" size="1">
<modifiedtripleset><mtriple>MV_Alba | homePort | Oban</mtriple></modifiedtripleset>
<lex comment="good" lid="Id1">MV Alba sails from Oban.</lex>
<lex comment="good" lid="Id2">Oban has the MV Alba.</lex>
</entry></entries></benchmark>
"""
Finished = Callable[..., dict[str, Any]]


def _lines(count: int) -> bytes:
    raw = {"triples": [["MV_Alba", "homePort", "Oban"]], "text": "MV Alba sails from Oban."}
    return b"".join(json.dumps({"id": f"Id{n}", **raw}).encode() + b"\n" for n in range(count))


def test_from_upload_to_download(
    client: TestClient, finished: Finished, engine: ScoringEngine, tmp_path: Path
) -> None:
    body = _lines(130)
    run = finished(body, name="ferries.jsonl", metrics="esa")
    assert (run["status"], run["format"], run["metrics"]) == ("done", "jsonl", ["esa"])
    assert run["progress"] == {"done": 130, "total": 130}
    assert client.get("/v1/runs").json()["runs"] == [run]
    # The same bytes as on the command line.
    (tmp_path / "items.jsonl").write_bytes(body)
    own = score_run(
        open_source(tmp_path / "items.jsonl"), {"esa": engine.metrics["esa"]}, tmp_path / "own"
    )
    response = client.get(f"/v1/runs/{run['id']}/scores.jsonl")
    assert response.content == (tmp_path / "own" / "scores.jsonl").read_bytes()
    assert "attachment" in response.headers["content-disposition"]
    assert client.get(f"/v1/runs/{run['id']}/summary").json() == own.summary
    # Page by page the same again.
    pages = [
        client.get(f"/v1/runs/{run['id']}/scores", params={"offset": offset, "limit": 50}).json()
        for offset in (0, 50, 100, 150)
    ]
    assert [len(page["results"]) for page in pages] == [50, 50, 30, 0]
    assert all(page["total"] == 130 for page in pages)
    found = [result for page in pages for result in page["results"]]
    assert found == [json.loads(line) for line in response.content.splitlines()]


def test_the_format_is_recognised_or_given(client: TestClient, finished: Finished) -> None:
    run = finished(XML, name="test.xml", metrics="chrf")
    assert (run["status"], run["format"], run["progress"]["done"]) == ("done", "webnlg", 2)
    csv = b'id,triples,text\n1,MV_Alba | homePort | Oban,"From Oban."\n'
    run = finished(csv, name="no ending", format="csv", metrics="chrf")
    assert (run["status"], run["format"]) == ("done", "csv")


@pytest.mark.parametrize(
    ("body", "query", "words"),
    [
        (LINE + LINE, {}, "upload, line 2"),
        (b'{"id": "1", "text": "a"}\n', {"format": "jsonl"}, "no 'triples'"),
        (b"\xff\xfe\n", {"format": "jsonl"}, "UTF-16"),
        (b"not XML", {"format": "webnlg"}, ""),
        (
            b"<!DOCTYPE x [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><x>&a;</x>",
            {"format": "webnlg"},
            "",
        ),
    ],
    ids=["twice", "no triples", "UTF-16", "no XML", "a file of the server as entity"],
)
def test_an_error_in_a_file_has_its_place(
    client: TestClient, finished: Finished, tmp_path: Path, body: bytes, query: Any, words: str
) -> None:
    run = finished(body, metrics="chrf", **query)
    assert run["status"] == "failed"
    assert words in json.dumps(run["error"])
    assert str(tmp_path) not in json.dumps(run)
    assert "root:" not in json.dumps(run)
    response = client.get(f"/v1/runs/{run['id']}/scores")
    assert (response.status_code, response.json()["error"]["code"]) == (409, "not_done")


def test_a_running_run_can_be_cancelled_twice(client: TestClient, tmp_path: Path) -> None:
    body = _lines(2000)
    first, second = (
        client.post("/v1/runs", content=body, headers=JSON_LINES).json()["id"] for _ in range(2)
    )
    for _ in range(2):
        for id_ in (second, first):
            response = client.post(f"/v1/runs/{id_}/cancel")
            assert (response.status_code, response.json()["status"]) == (200, "cancelled")
    assert client.get(f"/v1/runs/{first}/summary").status_code == 409
    for id_ in (first, second):
        assert client.delete(f"/v1/runs/{id_}").status_code == 204
        assert client.delete(f"/v1/runs/{id_}").status_code == 404
    assert list((tmp_path / "runs").iterdir()) == []
    third = client.post("/v1/runs", content=LINE, headers=JSON_LINES).json()["id"]
    assert over(client, third)["status"] == "done"
    response = client.post(f"/v1/runs/{third}/cancel")
    assert (response.status_code, response.json()["error"]["code"]) == (409, "over")


def test_a_running_one_may_be_deleted(client: TestClient, tmp_path: Path) -> None:
    id_ = client.post("/v1/runs", content=_lines(2000), headers=JSON_LINES).json()["id"]
    assert client.delete(f"/v1/runs/{id_}").status_code == 204
    assert client.get(f"/v1/runs/{id_}").status_code == 404
    assert list((tmp_path / "runs").iterdir()) == []


@pytest.mark.parametrize(
    "query", ["offset=-1", "offset=x", "limit=0", "limit=1001", "limit=1e2", "offset=" + "9" * 30]
)
def test_pages_that_are_none(client: TestClient, finished: Finished, query: str) -> None:
    id_ = finished(LINE, metrics="chrf")["id"]
    response = client.get(f"/v1/runs/{id_}/scores?{query}")
    assert (response.status_code, response.json()["error"]["code"]) == (400, "wrong_query")


def test_too_many_runs_are_refused(engine: ScoringEngine, tmp_path: Path) -> None:
    class Idle(Runs):
        def _work(self) -> None:
            return

    settings = replace(SMALL, waiting_runs=2, max_runs=3)
    runs = Idle(tmp_path, engine.metrics, settings)
    with browse(engine, runs, settings) as client:
        ids = [
            client.post("/v1/runs", content=LINE, headers=JSON_LINES).json()["id"] for _ in range(2)
        ]
        response = client.post("/v1/runs", content=LINE, headers=JSON_LINES)
        assert (response.status_code, response.json()["error"]["code"]) == (429, "too_many_waiting")
        assert response.headers["retry-after"]
        client.post(f"/v1/runs/{ids[0]}/cancel")
        assert client.post("/v1/runs", content=LINE, headers=JSON_LINES).status_code == 202
        client.post(f"/v1/runs/{ids[1]}/cancel")
        response = client.post("/v1/runs", content=LINE, headers=JSON_LINES)
        assert (response.status_code, response.json()["error"]["code"]) == (409, "too_many_runs")


def test_the_next_server_finds_them(
    client: TestClient, finished: Finished, engine: ScoringEngine, runs: Runs, tmp_path: Path
) -> None:
    done = finished(LINE, metrics="chrf")
    unfinished = client.post("/v1/runs", content=_lines(2000), headers=JSON_LINES).json()["id"]
    runs.close()
    (tmp_path / "runs" / "other").mkdir()
    again = Runs(tmp_path / "runs", engine.metrics, SMALL)
    assert [run["id"] for run in again.list()] == [done["id"], unfinished]
    assert again.get(done["id"]).object == done
    stopped = again.get(unfinished)
    assert stopped.status == "failed"
    assert stopped.error is not None
    assert stopped.error.code == "stopped"


def test_runs_that_the_server_was_started_with(engine: ScoringEngine, tmp_path: Path) -> None:
    (tmp_path / "items.jsonl").write_bytes(_lines(3))
    score_run(open_source(tmp_path / "items.jsonl"), resolve(["chrf"]), tmp_path / "ferries")
    runs = Runs(tmp_path / "kept", engine.metrics, SMALL, [open_run(tmp_path / "ferries")])
    with browse(engine, runs, SMALL) as client:
        (run,) = client.get("/v1/runs").json()["runs"]
        assert (run["name"], run["status"], run["opened"]) == ("ferries", "done", True)
        assert str(tmp_path) not in json.dumps(run)
        page = client.get(f"/v1/runs/{run['id']}/scores?limit=2").json()
        assert [len(page["results"]), page["total"]] == [2, 3]
        response = client.delete(f"/v1/runs/{run['id']}")
        assert (response.status_code, response.json()["error"]["code"]) == (409, "opened")
        assert (tmp_path / "ferries" / "scores.jsonl").is_file()


def test_a_run_that_takes_too_long_or_is_ended_early(tmp_path: Path) -> None:
    (tmp_path / "items.jsonl").write_bytes(_lines(5))
    plan = (tmp_path / "items.jsonl", "jsonl", resolve(["chrf"]), tmp_path / "out")
    error = RunProcess(*plan).run(0.0, lambda *_: None)
    assert error is not None
    assert error.code == "timeout"
    ended = RunProcess(*plan)
    ended.end()
    assert ended.run(60, lambda *_: None) is None
    assert not (tmp_path / "out").exists()


def test_ids_are_never_used_as_paths(runs: Runs) -> None:
    for id_ in ("", ".", "..", "../..", "/etc"):
        with pytest.raises(Refusal):
            runs.get(id_)


@pytest.mark.parametrize("count", [0, 1, 7])
@pytest.mark.parametrize(
    ("offset", "limit"), [(0, 1), (0, 100), (3, 2), (6, 5), (7, 1), (10**9, 9)]
)
def test_a_page_is_a_slice_of_the_lines(
    tmp_path: Path, count: int, offset: int, limit: int
) -> None:
    path = tmp_path / "scores.jsonl"
    lines = [("é" * number).encode() for number in range(count)]
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    assert LineIndex().page(path, offset, limit) == (count, lines[offset : offset + limit])


def test_a_file_that_changed_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "scores.jsonl"
    path.write_bytes(b"a\nb\n")
    lines = LineIndex(max_bytes=250)
    assert lines.page(path, 1, 1) == (2, [b"b"])
    path.write_bytes(b"a\nb\nc\n")
    assert lines.page(path, 2, 1) == (3, [b"c"])
    other = tmp_path / "other.jsonl"
    other.write_bytes(b"z\n")
    assert lines.page(other, 0, 9) == (1, [b"z"])
    assert lines.page(path, 0, 1) == (3, [b"a"])


def _no_room(*_args: Any, **_options: Any) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_is_answered_and_the_queue_goes_on(
    client: TestClient, finished: Finished, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from adequa.web.api import runs as module

    monkeypatch.setattr(module, "_RETRY_SECONDS", 0.05)
    with monkeypatch.context() as full:
        full.setattr(module, "write_json", _no_room)
        response = client.post("/v1/runs", content=LINE, headers=JSON_LINES)
        assert (response.status_code, response.json()["error"]["code"]) == (507, "disk_full")
        assert response.headers["retry-after"]
        assert list((tmp_path / "runs").iterdir()) == [], "nothing is left of the upload"
    # Full from the moment it is queued: it is scored all the same, and its state written later.
    first = client.post("/v1/runs", content=LINE, headers=JSON_LINES).json()["id"]
    with monkeypatch.context() as full:
        full.setattr(module, "write_json", _no_room)
        assert over(client, first)["status"] == "done"
    assert finished(LINE)["status"] == "done", "the queue goes on"
    state = tmp_path / "runs" / first / "run.json"
    for _ in range(200):
        if json.loads(state.read_text())["status"] == "done":
            break
        time.sleep(0.05)
    assert json.loads(state.read_text())["status"] == "done"


def test_an_upload_that_does_not_fit_is_refused(
    client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as full:
        full.setattr("adequa.web.api.app.RunEndpoints._save", _no_room)
        response = client.post("/v1/runs", content=LINE, headers=JSON_LINES)
        assert (response.status_code, response.json()["error"]["code"]) == (507, "disk_full")
    with monkeypatch.context() as full:
        full.setattr("pathlib.Path.mkdir", _no_room)
        assert client.post("/v1/runs", content=LINE, headers=JSON_LINES).status_code == 507
    assert list((tmp_path / "runs").glob("*")) == []
    assert client.post("/v1/runs", content=LINE, headers=JSON_LINES).status_code == 202


def test_a_run_whose_process_cannot_start_does_not_stop_the_queue(
    client: TestClient, finished: Finished, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_args: Any) -> None:
        raise OSError(errno.EAGAIN, "Resource temporarily unavailable")

    with monkeypatch.context() as out_of_processes:
        out_of_processes.setattr(RunProcess, "run", fail)
        run = finished(LINE)
    assert (run["status"], run["error"]["code"]) == ("failed", "internal")
    assert finished(LINE)["status"] == "done"


def _cut(scores: Path) -> None:
    scores.write_bytes(scores.read_bytes()[:-40])


def _shorten(scores: Path) -> None:
    scores.write_bytes(b"".join(scores.read_bytes().splitlines(keepends=True)[:2]))


def _delete(scores: Path) -> None:
    shutil.rmtree(scores.parent)


def _unfinish(scores: Path) -> None:
    manifest = scores.with_name("manifest.json")
    manifest.write_text(manifest.read_text().replace('"complete"', '"running"'))


@pytest.mark.parametrize(
    ("damage", "code"),
    [
        (_cut, "damaged"),
        (_shorten, "damaged"),
        (_unfinish, "damaged"),
        (_delete, "gone"),
        (lambda scores: scores.unlink(), "gone"),
    ],
    ids=["cut", "shortened", "not finished", "deleted", "without scores"],
)
def test_a_run_that_is_not_whole_is_refused(
    client: TestClient, finished: Finished, tmp_path: Path, damage: Any, code: str
) -> None:
    id_ = finished(_lines(3), metrics="chrf")["id"]
    addresses = [f"/v1/runs/{id_}/{name}" for name in ("scores", "scores.jsonl", "summary")]
    assert [client.get(one).status_code for one in addresses] == [200] * 3
    damage(tmp_path / "runs" / id_ / "scored" / "scores.jsonl")
    for address in addresses:
        response = client.get(address)
        assert (response.status_code, response.json()["error"]["code"]) == (410, code)
    assert client.get(f"/v1/runs/{id_}").status_code == 200
    assert client.delete(f"/v1/runs/{id_}").status_code == 204


def test_a_run_that_ended_before_its_state_was_written_is_found(
    finished: Finished, engine: ScoringEngine, runs: Runs, tmp_path: Path
) -> None:
    done = finished(LINE, metrics="chrf")
    runs.close()
    state = tmp_path / "runs" / done["id"] / "run.json"
    state.write_text(state.read_text().replace('"done"', '"running"', 1))
    assert Runs(tmp_path / "runs", engine.metrics, SMALL).get(done["id"]).status == "done"
