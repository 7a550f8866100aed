"""The texts of paper 002 with their gold: human ratings, or the slot errors of E2E's script.

WebNLG: `webnlg2017/human/all_data_final_averaged.csv`, the texts as shown to the raters, including
human references. E2E: `e2e/systems/*.tsv`. Missing files are listed with the expected path.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from adequa.data import Item, Triple, Verdict
from adequa.errors import DataError
from adequa.readers import open_source, read_ratings
from adequa.retrieval import read_entries
from adequa.text.linearised import parse_triples
from research.papers.nli.printed import Dataset

TRAIN = Path("webnlg2020", "train")
_RATINGS = Path("webnlg2017", "human", "all_data_final_averaged.csv")
_ERRORS = ("added", "missing", "valerr", "repeated")


@dataclass(frozen=True, slots=True)
class JudgedText:
    """A text with its rating of semantics from 1 to 3, or with its slot errors."""

    item: Item
    rating: float | None = None
    errors: Mapping[str, int] = field(default_factory=dict)

    @property
    def words(self) -> str:
        """The judgment in words."""
        if self.rating is not None:
            return f"semantics {self.rating:.2f}"
        found = [f"{name} {count}" for name, count in self.errors.items() if count]
        return ", ".join(found) or "no slot errors"

    @property
    def result(self) -> Verdict | None:
        """The script's answer as one of four verdicts; None for a rating, which has no kind.

        As in the paper, a wrong value is both an omission and a hallucination.
        """
        if self.rating is not None:
            return None
        added = bool(self.errors["added"] or self.errors["valerr"])
        omitted = bool(self.errors["missing"] or self.errors["valerr"])
        if added:
            return "hallucination+omission" if omitted else "hallucination"
        return "omission" if omitted else "OK"


@dataclass(frozen=True, slots=True)
class Rule:
    """When a judged text is OK: from a rating upwards, or without slot errors."""

    words: str
    least: float | None = None

    def __call__(self, one: JudgedText) -> bool:
        """Whether the text is OK."""
        if one.rating is None:
            return not any(one.errors.values())
        return self.least is None or one.rating >= self.least


@dataclass(frozen=True)
class NliCorpus:
    """A data set: its texts, its rules for OK (the paper's first), and its parts."""

    name: Dataset
    title: str
    rules: Sequence[Rule]
    judged: Sequence[JudgedText] = ()
    parts: Mapping[str, Callable[[JudgedText], bool]] = field(default_factory=dict)
    absent: Sequence[str] = ()
    notes: Sequence[str] = ()

    @property
    def items(self) -> list[Item]:
        """The items of the texts."""
        return [one.item for one in self.judged]

    def sampled(self, count: int | None, seed: int) -> NliCorpus:
        """The data set with a random sample of `count` texts, in order."""
        if count is None or count >= len(self.judged):
            return self
        chance = random.Random(f"{seed}/{self.name}")  # noqa: S311
        places = sorted(chance.sample(range(len(self.judged)), count))
        chosen = [self.judged[place] for place in places]
        note = f"a sample of {count:,} of {len(self.judged):,} texts, drawn with seed {seed}"
        return replace(self, judged=chosen, notes=[*self.notes, note])


def read_dataset(data: Path, name: Dataset) -> NliCorpus:
    """A data set from a folder."""
    return DATASETS[name](data)


def _webnlg(data: Path) -> NliCorpus:
    rules = [Rule(f"semantics ≥ {least}", least) for least in (2.5, 2.0)]
    title = "WebNLG 2017"
    path = data / _RATINGS
    if not path.is_file():
        return NliCorpus("webnlg", title, rules, absent=[f"{title}: {path} is missing"])
    judged = [
        JudgedText(
            Item(
                rating.id,
                parse_triples(str(rating.meta["mr"])),
                str(rating.meta["text"]),
                rating.system,
                category=str(rating.meta.get("category", "")) or None,
                lang="en",
                meta={"type": rating.meta.get("type")},
            ),
            rating.value,
        )
        for rating in read_ratings(path, items=_entries(path))
        if rating.criterion == "semantics"
    ]
    parts: dict[str, Callable[[JudgedText], bool]] = {
        "systems": lambda one: one.item.system != "reference",
        "human references": lambda one: one.item.system == "reference",
        "seen categories": lambda one: one.item.meta["type"] == "seen",
        "unseen categories": lambda one: one.item.meta["type"] == "unseen",
    }
    graphs = _train_graphs(data)
    leak = (
        "WebNLG v3.0 train, from which templates are extracted and on which the verifier was "
        "trained, contains entries of the 2017 test set"
    )
    absent = []
    if graphs is None:
        absent = [f"which rated graphs are in WebNLG train: {data / TRAIN} is missing"]
    else:
        parts["graph in WebNLG train"] = lambda one: frozenset(one.item.triples) in graphs
        parts["graph not in it"] = lambda one: frozenset(one.item.triples) not in graphs
        rated = {frozenset(one.item.triples) for one in judged}
        leak += f": {len(rated & graphs)} of the {len(rated)} rated graphs are in it"
    return NliCorpus("webnlg", title, rules, judged, parts, absent, [leak])


def _entries(ratings: Path) -> list[Item] | None:
    """The test entries, if the files that number the rated ones are not next to the ratings."""
    if all(ratings.with_name(name).is_file() for name in ("sample-ids.txt", "MRs.txt")):
        return None
    folder = ratings.parent.parent / "test"
    found = sorted(folder.glob("*.xml"))
    if len(found) != 1:
        raise DataError(
            f"has {len(found)} XML files of test entries, not one, to number the ratings",
            path=folder,
            remedy=f"put one there, or sample-ids.txt and MRs.txt next to {ratings.name}",
        )
    return list(open_source(found[0]))


def _train_graphs(data: Path) -> set[frozenset[Triple]] | None:
    path = data / TRAIN
    return {frozenset(item.triples) for item in read_entries(path)} if path.is_dir() else None


def _e2e(data: Path) -> NliCorpus:
    rules = [Rule("no slot error")]
    folder = data / "e2e" / "systems"
    files = sorted(folder.glob("*.tsv"))
    if not files:
        absent = f"E2E: {folder} has no outputs of systems (SYSTEM.tsv)"
        return NliCorpus("e2e", "E2E", rules, absent=[absent])
    judged = []
    for path in files:
        for item in open_source(path, format="e2e"):
            for name in _ERRORS:
                if name not in item.meta:
                    raise DataError(
                        f"has no column {name!r}",
                        path=path,
                        line=1,
                        remedy="is it a file of the challenge?",
                    )
            judged.append(JudgedText(item, errors={name: item.meta[name] for name in _ERRORS}))
    notes = ["the gold is the challenge's script for slot errors, which makes errors, not people"]
    return NliCorpus("e2e", "E2E", rules, judged, notes=notes)


DATASETS: Mapping[Dataset, Callable[[Path], NliCorpus]] = {"webnlg": _webnlg, "e2e": _e2e}


def single_facts(data: Path) -> list[Item]:
    """The training texts for the extraction of templates; empty if they are missing."""
    path = data / TRAIN
    if not path.is_dir():
        return []
    alone = path / "1triples"
    return [
        item for item in open_source(alone if alone.is_dir() else path) if len(item.triples) == 1
    ]
