"""The data of paper 003: corpora of graphs and texts, and rated texts."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from adequa.data import Item
from adequa.files import lines, load_object
from adequa.metrics import load_metric
from adequa.perturb.paraphrases import read_properties
from adequa.progress import Progress, silent
from adequa.readers import open_source
from adequa.retrieval import read_entries
from research.corpora.derived import Statistics, statistics, to_wikidata
from research.papers.esa.data import BATCH, read_corpus
from research.papers.joint.models import PARTS, Model, Values
from research.papers.section import Shown

NO_WEIGHTS = "no weights given; use --weights NAME=FOLDER"
T = TypeVar("T")
_CRITERIA = {2020: ("Correctness", "DataCoverage", "Relevance"), 2017: ("Semantics",)}
_PEERS_2017 = ("BLEU", "METEOR", "TER")

_FILES = {"DART": Path("dart", "tables.jsonl"), "Quintd": Path("quintd", "wikidata-dev.jsonl")}
_SPLITS = {"train": "WebNLG train", "dev": "WebNLG dev", "test": "WebNLG test"}


@dataclass(frozen=True)
class JointCorpus:
    """The counts of a corpus for Table 1, and a sample of it for Figure 2."""

    statistics: Statistics
    sample: Sequence[Item]


@dataclass(frozen=True)
class RatedTexts:
    """The rated system texts of a year, aligned with ratings and published scores."""

    year: int
    items: Sequence[Item]
    criteria: Mapping[str, Values]
    given: Mapping[str, Values]


class Reservoir:
    """A uniform random sample of a stream of items."""

    def __init__(self, size: int, seed: int) -> None:
        self.size = size
        self.items: list[Item] = []
        self._chance = random.Random(seed)  # noqa: S311

    def through(self, items: Iterable[Item]) -> Iterator[Item]:
        """The same items, sampled while they pass."""
        for number, item in enumerate(items):
            if number < self.size:
                self.items.append(item)
            elif (place := self._chance.randrange(number + 1)) < self.size:
                self.items[place] = item
            yield item


def spread(items: Sequence[T], count: int | None) -> list[T]:
    """`count` items at even distances."""
    if count is None or count >= len(items):
        return list(items)
    return [items[place * len(items) // count] for place in range(count)]


@dataclass
class JointStudy:
    """The data and models; data that several sections need is read and scored once.

    `corpora` are further corpora by name, `mapping` maps DBpedia properties to Wikidata properties,
    `pool` limits the candidates of retrieval, and `sample` the pairs per corpus in Figure 2.
    """

    data: Path
    models: Sequence[Model] = ()
    corpora: Mapping[str, Path] = field(default_factory=dict)
    mapping: Path | None = None
    pool: int | None = None
    sample: int = 1000
    seed: int = 0
    shown: Shown | None = None
    absent: list[str] = field(default_factory=list)
    _measures: dict[int, dict[str, Values]] = field(default_factory=dict, repr=False)
    _rated: dict[int, RatedTexts | None] = field(default_factory=dict, repr=False)

    def show(self, title: str) -> AbstractContextManager[Progress]:
        """A progress bar, if wanted."""
        return self.shown(title) if self.shown else nullcontext(silent)

    @cached_property
    def entries(self) -> Mapping[str, list[Item]]:
        """The available splits of WebNLG, with one text per graph."""
        found = {}
        for split in _SPLITS:
            path = self.data / "webnlg2020" / split
            files = sorted(path.glob("*.xml"))
            path = files[0] if len(files) == 1 else path
            if path.exists():
                found[split] = read_entries(path)
            else:
                self.absent.append(f"WebNLG {split}: {path} is missing")
        return found

    @cached_property
    def test_texts(self) -> list[Item]:
        """Every text of the test set, several per graph."""
        files = sorted((self.data / "webnlg2020" / "test").glob("*.xml"))
        return list(open_source(files[0])) if len(files) == 1 else []

    def wikidata(self, split: str) -> list[Item]:
        """The entries of a split whose properties are all mapped, with Wikidata names."""
        properties = None if self.mapping is None else read_properties(self.mapping)
        return list(to_wikidata(self.entries.get(split, ()), properties))

    @cached_property
    def counted(self) -> Mapping[str, JointCorpus]:
        """Every available corpus, counted and sampled."""
        found = {
            name: self._count(self.entries[split])
            for split, name in _SPLITS.items()
            if split in self.entries
        }
        if wikidata := self.wikidata("train"):
            found["WebNLG-WD"] = self._count(wikidata)
        for name, inside in _FILES.items():
            path = self.data / inside
            if path.is_file():
                found[name] = self._count(open_source(path))
            else:
                self.absent.append(f"{name}: {path} is missing")
        found |= {name: self._count(open_source(path)) for name, path in self.corpora.items()}
        return found

    def _count(self, items: Iterable[Item]) -> JointCorpus:
        reservoir = Reservoir(self.sample, self.seed)
        return JointCorpus(statistics(reservoir.through(items)), reservoir.items)

    def rated(self, year: int) -> RatedTexts | None:
        """The rated texts of a year without human references; None if there are none."""
        if year not in self._rated:
            corpus = read_corpus(self.data, year)
            items = [item for item in corpus.items if item.key in corpus.values]
            rows = [corpus.values[item.key] for item in items]
            self.absent += [f"{year}, {one}" for one in corpus.absent]
            given: dict[str, Values] = (
                {name: [row.get(name) for row in rows] for name in _PEERS_2017}
                if year == 2017
                else self._peers(items)
            )
            criteria = {name: [row.get(name) for row in rows] for name in _CRITERIA[year]}
            self._rated[year] = RatedTexts(year, items, criteria, given) if items else None
        return self._rated[year]

    def _peers(self, items: Sequence[Item]) -> dict[str, Values]:
        """The scores of every metric in the file of peers."""
        path = self.data / "webnlg2020" / "human" / "peers.jsonl"
        if not path.is_file() or not items:
            return {}
        first = load_object(next(line for _, line in lines(path) if line.strip()))
        metrics = {
            name: load_metric("precomputed", file=path, key=name)
            for name in first
            if name not in ("id", "system")
        }
        return {
            name: [score.value for score in metric.score(items)] for name, metric in metrics.items()
        }

    def measures(self, year: int) -> dict[str, Values]:
        """Our scores and the published scores of the rated texts of a year, by name."""
        rated = self.rated(year)
        if rated is None:
            return {}
        if year not in self._measures:
            found: dict[str, Values] = {}
            for model in self.models:
                parts = self.score(model, rated.items, f"{model.name}, rated texts of {year}")
                found |= {self.label(part, model): values for part, values in parts.items()}
            for name in ("esa", "esa_strict"):
                found[name] = [score.value for score in load_metric(name).score(rated.items)]
            self._measures[year] = {**found, **rated.given}
        return self._measures[year]

    def without_scores(self, found: Collection[str]) -> list[str]:
        """One note per part of a model without scores."""
        notes = [
            f"n/a: {self.label(part, model)}: {model.reason(part)}"
            for model in self.models
            for part in PARTS
            if self.label(part, model) not in found
        ]
        return notes if self.models else [f"n/a: our models: {NO_WEIGHTS}"]

    def label(self, part: str, model: Model) -> str:
        """The row label of a part of a model; the first model is not named."""
        return PARTS[part] if model is self.models[0] else f"{PARTS[part]}, {model.name}"

    def score(self, model: Model, items: Sequence[Item], title: str) -> dict[str, Values]:
        """The scores of all parts of a model, batch by batch."""
        found: dict[str, Values] = {}
        with self.show(title) as advance:
            for start in range(0, len(items), BATCH):
                batch = items[start : start + BATCH]
                for part, values in model.parts(batch).items():
                    found.setdefault(part, []).extend(values)
                advance(start + len(batch), len(items))
        return found
