"""The campaign of 2017 for paper 004: judgments, published scores, and our scores of the texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from adequa.data import Item, Rating, Score
from adequa.errors import AdequaError, DataError
from adequa.metrics import Metric, resolve
from adequa.readers import read_ratings
from research.papers.esa.data import EsaCorpus, Key, given_2017, read_corpus
from research.papers.human.printed import METRICS
from research.papers.section import Shown, require_folder

AUTOMATIC = ("bleu", "meteor", "ter")
REFERENCE = "reference"
METEOR_1_5 = "meteor 1.5"
"""Our METEOR with the weights of the Java program that the challenge used."""

SCALES: Mapping[str, float] = {"bleu": 1.0, "meteor": 1.0, METEOR_1_5: 1.0, "ter": 0.01}
"""The factors from our scores to those of the paper."""
FILE_SCALES: Mapping[str, float] = {"bleu": 100.0, "meteor": 1.0, "ter": 0.01}
"""The factors from the scores of the file to those of the paper."""

OWN: Mapping[str, str] = {
    # The challenge's script had three columns of references and counted empty ones.
    "bleu": "bleu:lowercase=true,pad_references=3",
    "meteor": "meteor",
    # The English weights of METEOR 1.5 (Denkowski and Lavie 2014), "rank"; without its paraphrases
    # and its lower weight of function words.
    METEOR_1_5: "meteor:alpha=0.85,beta=0.2,gamma=0.6",
    "ter": "ter:normalized=true",
}
_MOST_REFERENCES = 3
_BATCH = 512


@dataclass
class HumanStudy:
    """The data of the folder; scores are computed when a section needs them, and only once."""

    folder: Path
    averages: Sequence[Rating]
    judgments: Sequence[Rating]
    corpus: EsaCorpus
    progress: Shown | None = None
    most_entries: int | None = None
    """Where all entries are scored: only so many, spread evenly."""
    absent: list[str] = field(default_factory=list)
    _scores: dict[tuple[str, bool], dict[Key, Score]] = field(default_factory=dict)

    @cached_property
    def values(self) -> dict[Key, dict[str, float]]:
        """The average ratings and the file's BLEU, METEOR and TER, by text."""
        found: dict[Key, dict[str, float]] = {}
        path = self.folder / "all_data_final_averaged.csv"
        for rating in self.averages:
            row = found.setdefault((rating.system, rating.id), {})
            row[rating.criterion] = rating.value
            given = given_2017(rating.meta, path)
            row.update({name.lower(): value for name, value in given.items()})
        return found

    @cached_property
    def systems(self) -> list[str]:
        """Those of the nine systems of Table 1 that were rated."""
        rated = {system for system, _ in self.values}
        return [system for system in METRICS["meteor"] if system in rated]

    def metric(self, name: str) -> Metric | None:
        """Our own BLEU, METEOR or TER; None and a note if it cannot run (no WordNet)."""
        try:
            return next(iter(resolve([OWN[name]]).values()))
        except AdequaError as error:
            self._miss(f"our own {name}: {error}")
            return None

    def items(self, *, everywhere: bool) -> list[Item]:
        """The systems' texts of the sample or of all entries, with at most three references."""
        if not self.corpus.items:
            self._miss(*self.corpus.absent)
        chosen = set(self.entries) if everywhere else set()
        return [
            replace(item, references=item.references[:_MOST_REFERENCES])
            for item in self.corpus.items
            if (item.id in chosen if everywhere else item.key in self.values)
        ]

    @cached_property
    def entries(self) -> list[str]:
        """The entries, at most `most_entries` of them."""
        ids = list(dict.fromkeys(item.id for item in self.corpus.items))
        count = min(self.most_entries or len(ids), len(ids))
        return [ids[place * len(ids) // count] for place in range(count)]

    def scores(self, name: str, *, everywhere: bool) -> dict[Key, Score]:
        """Our own scores of the systems' texts; empty if there are no texts or no metric."""
        if (name, everywhere) not in self._scores:
            metric, items = self.metric(name), self.items(everywhere=everywhere)
            self._scores[name, everywhere] = {} if metric is None else self._score(metric, items)
        return self._scores[name, everywhere]

    def _score(self, metric: Metric, items: Sequence[Item]) -> dict[Key, Score]:
        title = f"{metric.name} of {len(items):,} texts"
        shown = self.progress(title) if self.progress else nullcontext(lambda *_: None)
        found: dict[Key, Score] = {}
        with shown as advance:
            for start in range(0, len(items), _BATCH):
                batch = items[start : start + _BATCH]
                found |= {
                    item.key: score for item, score in zip(batch, metric.score(batch), strict=True)
                }
                advance(len(found), len(items))
        return found

    def _miss(self, *what: str) -> None:
        self.absent += [one for one in what if one not in self.absent]


def read_human_study(
    data: Path, progress: Shown | None = None, most_entries: int | None = None
) -> HumanStudy:
    """The campaign in `data`/webnlg2017; only the averages are required."""
    require_folder(data, "webnlg2017")
    folder = data / "webnlg2017" / "human"
    averages = folder / "all_data_final_averaged.csv"
    if not averages.is_file():
        raise DataError(
            "is missing",
            path=averages,
            remedy="get it from the challenge's release of human evaluation data",
        )
    corpus = read_corpus(data, 2017)
    sampled = all((folder / name).is_file() for name in ("sample-ids.txt", "MRs.txt"))
    items = None if sampled else corpus.items
    judgments = folder / "all_data_final_scores_anonymised.csv"
    study = HumanStudy(
        folder,
        list(read_ratings(averages, items=items)),
        list(read_ratings(judgments, items=items)) if judgments.is_file() else [],
        corpus,
        progress,
        most_entries,
    )
    if not judgments.is_file():
        study.absent.append(f"single judgments: {judgments} is missing")
    return study
