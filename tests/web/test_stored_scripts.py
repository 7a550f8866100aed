"""Stored scripts: every page of both servers, with markup in every field that a file can have.

The names of all elements and attributes of an answer are looked at, so it does not matter where a
value would break out: of a text, an attribute, a title, or a script of JSON. A page that is added
without being visited here fails the test.
"""

from __future__ import annotations

import html
import json
import re
import time
from collections.abc import Iterable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from adequa.data import Item, Triple
from adequa.human.campaign.model import AnswerChoice, Campaign, Eligibility, Question, SampledText
from adequa.human.campaign.settings import write_campaign
from adequa.metrics import resolve
from adequa.readers import open_source
from adequa.run import open_run, score_run
from adequa.web.api.engine import ScoringEngine
from adequa.web.api.runs import Runs
from adequa.web.limits import ServerSettings
from adequa.web.workbench.home import Workbench, open_campaign

from .conftest import InThread

PAGE = {"Accept": "text/html"}


def markup(field: str) -> str:
    """What a field would do if it were not escaped; its name shows where it appears."""
    ends = "\"'>--></script></style></title></textarea></svg>"
    return f"{ends}<hacked-{field} onhacked=1><img src=x onerror=hacked()>{{{{7*191}}}}"


class Elements(HTMLParser):
    """Collects what does not belong into a page of ours."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.wrong: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.wrong += [tag] if tag.startswith("hacked") else []
        self.wrong += [f"{tag} {name}" for name in given if name.startswith(("on", "style"))]
        self.wrong += [
            f"{tag} {name}={value[:40]}"
            for name, value in given.items()
            if name in ("href", "src", "action", "formaction")
            and re.match(r"\s*(x$|javascript:|data:|//|https?://(?!testserver|127\.))", value)
        ]


def visit(client: TestClient, path: str, **options: Any) -> str:
    """A page, in which nothing has broken out."""
    for _ in range(200):
        response = client.get(path, headers=PAGE, **options)
        if "waiting.js" not in response.text:
            break
        time.sleep(0.05)  # a run is being read, or a report written
    return looked_at(response)


def looked_at(response: Any) -> str:
    """The text of an answer, in which nothing has broken out."""
    text: str = response.text
    if "text/html" in response.headers.get("content-type", ""):
        elements = Elements()
        elements.feed(text)
        elements.close()
        assert not elements.wrong, response.url
        assert "1337" not in text, f"{response.url}: a value was taken for a template"
    return text


def shown(pages: Iterable[str]) -> set[str]:
    """The fields that are on a page."""
    found = re.findall(r"hacked-(\w+)", " ".join(map(html.unescape, pages)))
    return set(found)


def paths_of(app: Any) -> set[str]:
    """The addresses that a browser can open."""
    return {
        route.path
        for route in app.routes
        if "GET" in (route.methods or ()) and not route.path.startswith(("/v1", "/static"))
    }


FIELDS = ("subject", "predicate", "object", "text", "reference", "system", "category", "id")


def item(number: int, system: str) -> dict[str, Any]:
    return {
        "id": f"{number}{markup('id')}",
        "system": f"{system}{markup('system')}",
        "category": markup("category"),
        "triples": [
            [markup("subject"), markup("predicate"), markup("object")],
            [f"a{markup('subject')}", f"b{markup('predicate')}", f"c{markup('object')}"],
        ],
        "text": f"In 1974 {number} {markup('text')}",
        "references": [markup("reference")],
        "meta": {markup("key"): markup("meta")},
    }


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    questions = (
        Question(
            name="one",
            text=markup("question"),
            kind="choice",
            choices=tuple(AnswerChoice(value, markup("choice")) for value in (1.0, 2.0)),
        ),
        Question(
            name="two",
            text=markup("question"),
            kind="slider",
            low_label=markup("low"),
            high_label=markup("high"),
        ),
        Question(
            name="three",
            text=markup("question"),
            kind="spans",
            labels=(markup("label"),),
            severities=(markup("severity"),),
            omissions=True,
        ),
    )
    rules = Campaign(
        "name",
        markup("title"),
        questions,
        instructions=f"Read this.\n\n{markup('instructions')}",
        eligibility=(Eligibility("e", markup("eligibility"), ("yes", markup("option")), ("yes",)),),
        raters_per_text=1,
        texts_per_rater=1,
    )
    texts = []
    for number in range(3):
        raw = item(number, "T5")
        made = Item(
            raw["id"],
            tuple(Triple(*one) for one in raw["triples"]),
            raw["text"],
            raw["system"],
            raw["category"],
        )
        texts.append(SampledText(made, markup("task"), {"category": markup("cell")}))
    write_campaign(tmp_path / "campaign", rules, texts)
    return tmp_path / "campaign"


def test_pages_of_the_workbench(tmp_path: Path, campaign: Path) -> None:
    source = tmp_path / "items.jsonl"
    rows = [item(number, system) for number in range(3) for system in ("A", "B")]
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    label = 'x"<hacked-metric onhacked=1>'
    metrics = {"esa": resolve(["esa"])["esa"], label: resolve(["chrf"])["chrf"]}
    score_run(open_source(source), metrics, tmp_path / "run<hacked-folder onhacked=1>")
    engine = ScoringEngine(resolve(["esa"]), workers=1, make=InThread)
    settings = ServerSettings()
    opened = [open_run(tmp_path / "run<hacked-folder onhacked=1>")]
    runs = Runs(tmp_path / "kept", engine.metrics, settings, opened)
    workbench = Workbench(engine, runs, settings=settings, campaigns=[open_campaign(campaign)])
    engine.start()
    try:
        client = TestClient(workbench.app, base_url="http://127.0.0.1:8080")
        pages = _workbench_pages(client, workbench, str(runs.list()[0]["id"]))
    finally:
        workbench.close()
        runs.close()
        engine.close()
    wanted = {*FIELDS, "metric", "folder", "title", "task"} - {"reference"}
    assert wanted <= shown(pages), "a field is not shown, so nothing was tested"


def _workbench_pages(client: TestClient, workbench: Workbench, run: str) -> list[str]:
    (opened,) = re.findall(r'"/campaigns/([^"]+)"', client.get("/", headers=PAGE).text)
    one = {"system": f"A{markup('system')}", "id": f"0{markup('id')}"}
    given: dict[str, list[tuple[str, dict[str, str]]]] = {
        "/": [("/", {})],
        "/campaigns/{id}": [(f"/campaigns/{opened}", {}), (f"/campaigns/{markup('x')}", {})],
        "/in/{key}": [(f"/in/{markup('x')}", {})],
        "/live": [("/live", {}), ("/live", {"run": run, **one}), ("/live", {"run": markup("x")})],
        "/runs/{id}": [(f"/runs/{run}", {}), (f"/runs/{markup('x')}", {})],
        "/runs/{id}/texts": [
            (f"/runs/{run}/texts", {}),
            (f"/runs/{run}/texts", {"system": one["system"], "compare": f"B{markup('system')}"}),
            *((f"/runs/{run}/texts", {name: markup("x")}) for name in _FILTERS),
        ],
        "/runs/{id}/item": [
            (f"/runs/{run}/item", one),
            (f"/runs/{run}/item", {**one, "vs": f"B{markup('system')}"}),
            (f"/runs/{run}/item", {"system": markup("x"), "id": markup("x")}),
        ],
        "/runs/{id}/summary.json": [(f"/runs/{run}/summary.json", {})],
        "/runs/{id}/report.html": [(f"/runs/{run}/report.html", {})],
    }
    assert set(given) == paths_of(workbench.app)
    visits = [visited for every in given.values() for visited in every]
    return [visit(client, path, params=query) for path, query in visits]


_FILTERS = (
    "search",
    "system",
    "category",
    "verdict",
    "predicate",
    "size",
    "seen",
    "sort",
    "compare",
    "page",
)


def test_pages_of_a_campaign(campaign: Path) -> None:
    from adequa.human.campaign.store import CampaignStore
    from adequa.web.campaign.app import campaign_app
    from adequa.web.security import SignedTokens

    store, tokens = CampaignStore.open(campaign), SignedTokens(bytes(32))
    try:
        app = campaign_app(store, secret=bytes(32), joining=True)
        pages, visited = _rater_pages(app, tokens)
        more, others = _organiser_pages(app, tokens)
        assert visited | others == paths_of(app)
    finally:
        store.close()
    wanted = {*FIELDS, "question", "choice", "low", "high", "label", "severity", "title", "option"}
    wanted |= {"instructions", "eligibility", "task", "cell", "rater"}
    # Raters see neither systems nor references; ids and categories are in the organiser's tables.
    wanted -= {"reference", "id", "category"}
    assert wanted <= shown([*pages, *more]), "a field is not shown, so nothing was tested"
    hidden = {"system", "id", "category", "cell", "task"} & shown(pages)
    assert not hidden, "raters see what they must not"


def _rater_pages(app: Any, tokens: Any) -> tuple[list[str], set[str]]:
    client = TestClient(app)
    link = f"/join/{tokens.token('join')}"
    wrong = client.post(link, data={"id": markup("x") * 9})
    pages = [visit(client, link, params={"id": markup("rater")}), looked_at(wrong)]
    own = re.sub(r"[{}]", "", markup("rater"))[:60]
    joined = client.post(link, data={"id": own})
    assert joined.status_code == 200
    pages += [looked_at(joined), looked_at(TestClient(app).post(link, data={"id": own}))]
    pages += [visit(client, path) for path in ("/", "/link")]
    token = re.findall(r'name="form_token" value="([^"]+)"', pages[-2])[0]
    form = {"form_token": token}
    pages.append(looked_at(client.post("/begin", data=form)))
    pages.append(looked_at(client.post("/begin", data={**form, "e:e": "yes"})))
    slot = re.findall(r'/text/(\d+)"', pages[-1])[0]
    mark = {"start": 0, "end": 2, "label": markup("label"), "severity": markup("severity")}
    draft = {"one": markup("x"), "three": {"marks": [mark], "omitted": [0]}, markup("x"): 1}
    client.post(
        f"/text/{slot}/draft", json={"draft": draft, "seconds": 1}, headers={"x-form-token": token}
    )
    pages += [visit(client, path) for path in ("/text", f"/text/{slot}", f"/text/{markup('x')}")]
    answer = {**form, "q:one": markup("x"), "q:two": "50", "marks:three": json.dumps([mark])}
    pages.append(looked_at(client.post(f"/text/{slot}", data=answer)))
    pages.append(looked_at(client.post(f"/text/{slot}", data={**answer, "q:one": "1"})))
    pages += [visit(client, path) for path in ("/previous", f"/r/{markup('x')}")]
    visited = {"/", "/link", "/text", "/text/{slot}", "/previous", "/r/{token}", "/join/{token}"}
    return pages, visited


def _organiser_pages(app: Any, tokens: Any) -> tuple[list[str], set[str]]:
    client = TestClient(app)
    pages = [visit(client, f"/organise/{tokens.token('organiser')}")]
    paths = ["/organise", "/organise/raters", "/organise/round", "/organise/export/ratings.csv"]
    pages += [visit(client, path) for path in (*paths, f"/organise/{markup('x')}")]
    asked = {"exclude": ["r001", markup("x")], "sure": "1"}
    pages.append(visit(client, "/organise/round", params=asked))
    token = re.findall(r'name="form_token" value="([^"]+)"', pages[-1])[0]
    for sent in ({"round": "1", "exclude": markup("x")}, {"round": markup("x")}):
        pages.append(looked_at(client.post("/organise/round", data={"form_token": token, **sent})))
    counted = {"form_token": token, "count": markup("x")}
    pages.append(looked_at(client.post("/organise/raters", data=counted)))
    named = {"/organise/{token}", "/organise/export/{name}"}
    return pages, {*paths[:3], *named}


def test_what_breaks_out_is_noticed() -> None:
    """The test of the test: each way out is seen."""
    for page in (
        f"<p>{markup('text')}</p>",
        f'<a href="{markup("text")}">x</a>',
        f'<script type="application/json">{json.dumps(markup("text"))}</script>',
        f"<title>{markup('text')}</title>",
        '<a href="javascript:hacked()">x</a>',
    ):
        elements = Elements()
        elements.feed(page)
        assert elements.wrong
    elements = Elements()
    elements.feed(f'<p title="{html.escape(markup("text"))}">{html.escape(markup("text"))}</p>')
    assert not elements.wrong
