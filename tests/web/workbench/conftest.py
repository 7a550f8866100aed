"""A workbench with a cheap metric, a scored run, and a campaign with answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from adequa.cli.demo import sample_path
from adequa.data import Item, Triple
from adequa.human.campaign.model import Campaign, SampledText
from adequa.human.campaign.settings import PRESETS, write_campaign
from adequa.metrics import resolve
from adequa.readers import open_source
from adequa.run import open_run, score_run
from adequa.web.api.engine import ScoringEngine
from adequa.web.api.runs import Runs
from adequa.web.limits import ServerSettings
from adequa.web.workbench.home import Workbench, open_campaign

from ..conftest import InThread

HOSTILE = "</script><script>window.hacked = true</script><img src=x onerror='window.hacked=true'>"
PAGE = {"Accept": "text/html"}
Make = Callable[..., "Place"]


@pytest.fixture(scope="session")
def engine() -> Iterator[ScoringEngine]:
    engine = ScoringEngine(resolve(["esa"]), workers=1, make=InThread)
    engine.start()
    yield engine
    engine.close()


@pytest.fixture(scope="session")
def sample_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built-in sample, scored: 120 texts of three systems."""
    folder = tmp_path_factory.mktemp("runs") / "sample"
    score_run(open_source(sample_path()), resolve(["esa"]), folder)
    return folder


@pytest.fixture(scope="session")
def hostile_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose every string would like to be a script."""
    folder = tmp_path_factory.mktemp("hostile")
    raw = {
        "id": f"a/b?c=d&e#{HOSTILE}",
        "system": HOSTILE,
        "category": HOSTILE,
        "triples": [[HOSTILE, HOSTILE, "Oban"]],
        "text": f"Oban 🛳 {HOSTILE}",
        "references": [HOSTILE],
    }
    lines = [raw, raw | {"system": "T5"}]
    (folder / "items.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines))
    score_run(open_source(folder / "items.jsonl"), resolve(["esa"]), folder / "run")
    return folder / "run"


@dataclass
class Place:
    """A workbench, and a browser without scripts before it."""

    workbench: Workbench
    runs: Runs
    client: TestClient

    @property
    def app(self) -> Any:
        return self.workbench.app

    def id_of(self, name: str) -> str:
        return next(str(raw["id"]) for raw in self.runs.list() if raw["name"] == name)

    def get(self, path: str, **options: Any) -> Any:
        return self.client.get(path, headers=PAGE, **options)

    @property
    def form(self) -> dict[str, str]:
        """The header that a page's script sends along."""
        page = self.get("/").text
        return {"X-Form-Token": page.partition('data-form-token="')[2].partition('"')[0]}


@pytest.fixture
def place(tmp_path: Path, engine: ScoringEngine) -> Iterator[Make]:
    """Makes a workbench with these runs and campaigns open."""
    made: list[Place] = []

    def make(
        *folders: Path,
        campaigns: tuple[Path, ...] = (),
        engine: ScoringEngine = engine,
        **settings: Any,
    ) -> Place:
        chosen = ServerSettings(**settings)
        runs = Runs(
            tmp_path / f"kept-{len(made)}",
            engine.metrics,
            chosen,
            [open_run(folder) for folder in folders],
        )
        opened = [open_campaign(folder) for folder in campaigns]
        workbench = Workbench(engine, runs, settings=chosen, campaigns=opened)
        client = TestClient(
            workbench.app, base_url="http://127.0.0.1:8080", raise_server_exceptions=False
        )
        made.append(Place(workbench, runs, client))
        return made[-1]

    yield make
    for one in made:
        one.workbench.close()
        one.runs.close()


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    """A campaign of six texts for two raters each; nobody has begun."""
    facts = (Triple("MV_Alba", "homePort", "Oban"),)
    texts = [
        SampledText(Item(f"Id{number}", facts, f"Alba {number}, of Oban.", system), "ships")
        for number in range(3)
        for system in ("T5", "LSTM")
    ]
    rules = Campaign("ferries", "Texts about <ferries>", PRESETS["webnlg2017"], raters_per_text=2)
    write_campaign(tmp_path / "campaign", rules, texts)
    return tmp_path / "campaign"
