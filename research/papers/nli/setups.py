"""The setups that score a data set: the verifier or a model, with backoff or templates."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adequa.data import Finding, Item, Result, Triple, Verdict
from adequa.metrics import Metric, load_metric
from adequa.metrics.nli import write_templates
from adequa.metrics.nli.extraction import extract
from adequa.progress import Progress, silent
from adequa.run import LocalEngine, score_lines, with_cache
from research.papers.nli.data import TRAIN, NliCorpus, single_facts
from research.papers.nli.printed import Wording
from research.papers.section import Shown

_KEY = "nli"
_TEMPLATES = "templates-webnlg.json"


@dataclass(frozen=True, slots=True)
class Answer:
    """The metric's result for a text; None if it could not be read."""

    value: float | None
    verdict: Verdict | None
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class Setup:
    """A metric with a name for tables."""

    name: str
    wording: Wording
    metric: Metric

    @property
    def signature(self) -> str:
        """The metric's signature with the file name of the templates instead of their path."""
        whole = self.metric.signature
        templates = getattr(self.metric, "templates", None)
        return whole.replace(templates, Path(templates).name) if templates else whole


@dataclass(frozen=True)
class ScoredSetup:
    """The answers of a setup, aligned with the texts of the corpus."""

    setup: Setup
    answers: Sequence[Answer]


@dataclass(frozen=True)
class SetupScoring:
    """The models and weights, and how to run them; `jobs` and `cache` do not change answers."""

    models: Sequence[str] = ()
    weights: str | None = None
    jobs: int = 1
    cache: Path | None = None
    progress: Shown | None = None

    def show(self, title: str) -> AbstractContextManager[Progress]:
        """A progress bar, if wanted."""
        return self.progress(title) if self.progress else nullcontext(silent)

    def score(self, corpus: NliCorpus, setup: Setup) -> ScoredSetup:
        """The answers of a setup."""
        with self.show(f"{corpus.title}, {setup.name}") as advance:
            metrics = with_cache({_KEY: setup.metric}, self.cache)
            engine = LocalEngine(self.jobs)
            results = score_lines(corpus.items, metrics, engine=engine, progress=advance)
        return ScoredSetup(setup, [_answer(result) for result in results])


def _answer(result: Result) -> Answer:
    return Answer(result.scores[_KEY], result.verdicts.get(_KEY), result.findings)


def setups(corpus: NliCorpus, scoring: SetupScoring, templates: Path | None) -> list[Setup]:
    """Backoff and templates with the verifier, then with each model.

    `templates` are those of WebNLG; without them there is only the backoff. Each model scores one
    item here, so that a model that cannot be used fails before the others run.
    """
    worded: dict[Wording, str | None] = {"backoff": None}
    if corpus.name == "e2e":
        worded["templates"] = "e2e"
    elif templates is not None:
        worded["templates"] = str(templates)
    given: dict[str, Any] = {} if scoring.weights is None else {"weights": scoring.weights}
    found = [
        Setup(wording, wording, load_metric("nli", templates=file, **given))
        for wording, file in worded.items()
    ]
    for model in scoring.models:
        name = Path(model).resolve().name if Path(model).is_dir() else model
        of_model = [
            Setup(f"{name}, {wording}", wording, load_metric("nli", model=model, templates=file))
            for wording, file in worded.items()
        ]
        of_model[0].metric.score([Item("probe", (Triple("Ann", "home", "Rome"),), "Ann is here.")])
        found += of_model
    return found


def write_extracted(
    data: Path, folder: Path, scoring: SetupScoring
) -> tuple[Path | None, list[str]]:
    """Extract templates from WebNLG's training data into a folder; None without that data."""
    items = single_facts(data)
    if not items:
        return None, [f"n/a: templates: {data / TRAIN} is missing or has no texts of one fact"]
    with scoring.show("extracting templates") as advance:
        found = extract(items, lambda done: advance(done, len(items)))
    if not found.found:
        return None, [f"n/a: templates: no text of {data / TRAIN} gives one"]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / _TEMPLATES
    write_templates(found.templates, path, force=True)
    return path, [f"templates: {len(found.found)} predicates of {TRAIN.as_posix()}"]
