"""The data of the ESA paper: outputs, ratings and published scores of a year, with our scores.

The folder of a year is `webnlg2020` or `webnlg2017` with `test/*.xml`, `systems/<SYSTEM>.txt` and
`human/`. Missing files are listed with the expected path, and the rest is reproduced without them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from adequa.data import Finding, Item
from adequa.entities.aliases.lookup import require_some
from adequa.errors import DataError, SettingError
from adequa.metrics import load_metric
from adequa.metrics.precomputed import finite_score, score_rows
from adequa.progress import Progress
from adequa.readers import open_source, read_ratings
from research.papers.esa.printed import SYSTEMS

YEARS = (2020, 2017)
BATCH = 256

Key = tuple[str, str]
"""System and id."""
Values = dict[Key, dict[str, float]]

_RATINGS = {2020: "averaged.jsonl", 2017: "all_data_final_averaged.csv"}
_PEERS = {
    "meteor": "METEOR",
    "bert-p": "BERT-score P",
    "bert-r": "BERT-score R",
    "bert-f1": "BERT-score F1",
    "bleurt": "BLEURT",
}
"""The rows of the tables by their key in `peers.jsonl`; the released file lacks some."""
_COLUMNS_2017 = {"bleu": "BLEU", "meteor": "METEOR", "ter": "TER"}
_REFERENCES = ("reference", "WebNLG-2020-reference")


@dataclass(frozen=True, slots=True)
class Output:
    """A text of a system with its ESA results and its BLEU."""

    item: Item
    esa: float
    strict: float
    undetected: tuple[str, ...]
    unexplained: tuple[Finding, ...]
    bleu: float | None = None
    bleu_statistics: tuple[float, ...] = ()


@dataclass
class EsaCorpus:
    """The data of a year: `values` has ratings and published scores by text and name."""

    year: int
    folder: Path
    items: list[Item] = field(default_factory=list)
    references: list[Item] = field(default_factory=list)
    values: Values = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)
    """Where `values` of a name come from, where that is not the ratings."""
    absent: list[str] = field(default_factory=list)
    outputs: list[Output] = field(default_factory=list)
    reference_outputs: list[Output] = field(default_factory=list)

    @property
    def systems(self) -> list[str]:
        """The systems with outputs, in the paper's order."""
        present = {output.item.system for output in self.outputs}
        return [system for system in SYSTEMS[self.year] if system in present]

    def outputs_of(self, system: str) -> list[Output]:
        """The texts of one system."""
        return [output for output in self.outputs if output.item.system == system]

    def rated(self, *, references: bool = False) -> Iterator[Output]:
        """The rated texts, with or without the human references."""
        every = [*self.outputs, *(self.reference_outputs if references else ())]
        return (output for output in every if output.item.key in self.values)


def read_corpus(folder: Path, year: int) -> EsaCorpus:
    """The data of a year in a folder."""
    if year not in YEARS:
        raise SettingError(f"the paper has the years 2020 and 2017, not {year}")
    corpus = EsaCorpus(year, folder / f"webnlg{year}")
    entries = _test_file(corpus)
    if entries is None:
        return corpus
    texts = {}
    for system in SYSTEMS[year]:
        path = corpus.folder / "systems" / f"{system}.txt"
        if path.is_file():
            texts[system] = path
        else:
            corpus.absent.append(f"outputs of {system}: {path} is missing")
    if texts:
        # The texts of one graph are adjacent, so that the graph is processed once.
        by_system: dict[str, list[Item]] = {}
        for item in open_source(entries, format="webnlg", texts=texts):
            # Garbled or about foreign names, a few texts look like another language.
            english = replace(item, lang="en")
            by_system.setdefault(item.system, []).append(english)
        corpus.items = [item for row in zip(*by_system.values(), strict=True) for item in row]
        _read_ratings(corpus)
    return corpus


def _test_file(corpus: EsaCorpus) -> Path | None:
    folder = corpus.folder / "test"
    found = sorted(folder.glob("*.xml"))
    if len(found) == 1:
        return found[0]
    count = f"{len(found)} XML files, not one" if found else "no XML file"
    corpus.absent.append(f"everything of {corpus.year}: {folder} has {count} of test entries")
    return None


def _read_ratings(corpus: EsaCorpus) -> None:
    path = corpus.folder / "human" / _RATINGS[corpus.year]
    if not path.is_file():
        corpus.absent.append(f"human ratings: {path} is missing")
        return
    entries = {item.id: item for item in corpus.items}
    sampled = path.with_name("sample-ids.txt").is_file() and path.with_name("MRs.txt").is_file()
    ratings = read_ratings(path, items=None if sampled else corpus.items)
    references: dict[Key, Item] = {}
    for rating in ratings:
        key = rating.system, rating.id
        if rating.system in _REFERENCES:
            if corpus.year == 2020:
                continue  # left out in the paper
            if rating.id in entries:
                text = str(rating.meta.get("text", ""))
                references[key] = replace(entries[rating.id], system=rating.system, text=text)
        row = corpus.values.setdefault(key, {})
        row[_criterion(rating.criterion)] = rating.value
        if corpus.year == 2017:
            row.update(given_2017(rating.meta, path))
            corpus.sources |= dict.fromkeys(_COLUMNS_2017.values(), f"human/{path.name}")
    corpus.references = list(references.values())
    if corpus.year == 2020:
        _read_peers(corpus)


def _criterion(name: str) -> str:
    return name[:1].upper() + name[1:]


def given_2017(meta: Mapping[str, object], path: Path) -> dict[str, float]:
    """BLEU, METEOR and TER from a row of the campaign's file."""
    try:
        return {name: float(str(meta[column])) for column, name in _COLUMNS_2017.items()}
    except (KeyError, ValueError) as error:
        raise DataError(
            f"has a row without a number for bleu, meteor or ter ({error})",
            path=path,
            remedy="is it the file of the challenge?",
        ) from None


def _read_peers(corpus: EsaCorpus) -> None:
    path = corpus.folder / "human" / "peers.jsonl"
    if not path.is_file():
        names = ", ".join(_PEERS.values())
        corpus.absent.append(f"released scores ({names}): {path} is missing")
        return
    rated = {item.key for item in corpus.items if item.key in corpus.values}
    entries = {identifier for _, identifier in rated}
    for key, (line, row) in score_rows(path, entries).items():
        for column, name in _PEERS.items():
            if key not in rated or column not in row:
                continue
            try:
                value = finite_score(column, row[column])
            except DataError as error:
                raise error.at(path, line) from None
            if value is not None:
                corpus.values[key][name] = value
                corpus.sources[name] = f"released: human/{path.name}, {column}"


Detection = Mapping[str, Any]
"""Settings of `esa` that concern its detector: detector, aliases, linker, coreference."""


def require_effect(corpora: Sequence[EsaCorpus], detection: Detection) -> None:
    """Raise if the aliases of the settings are not those of any entity of the data."""
    aliases = detection.get("aliases")
    items = [item for corpus in corpora for item in corpus.items]
    if aliases is not None and items:
        ends = (end for item in items for one in item.triples for end in (one.subject, one.object))
        where = " and ".join(str(corpus.folder) for corpus in corpora)
        try:
            require_some(Path(aliases), ends, where=where)
        except DataError as error:  # `paper all` shows papers whose data is missing as n/a
            raise SettingError(str(error)) from None


def score_corpus(corpus: EsaCorpus, detection: Detection, progress: Progress) -> None:
    """Add the outputs: ESA of every text, and BLEU of those with references."""
    bleu = bleu_of(corpus.year)
    total = len(corpus.items) + len(corpus.references)
    for items, target in (
        (corpus.items, corpus.outputs),
        (corpus.references, corpus.reference_outputs),
    ):
        for start in range(0, len(items), BATCH):
            batch = items[start : start + BATCH]
            target += _score(batch, detection, bleu)
            progress(len(corpus.outputs) + len(corpus.reference_outputs), total)


def bleu_of(year: int) -> str:
    """The settings of BLEU; most outputs of 2017 are lower-cased, but not its references."""
    return "bleu:lowercase=true" if year == 2017 else "bleu"


def _score(items: Sequence[Item], detection: Detection, bleu: str) -> Iterator[Output]:
    from adequa.metrics import resolve

    columns = [
        load_metric("esa", **detection).score(items),
        load_metric("esa_strict", **detection).score(items),
        next(iter(resolve([bleu]).values())).score(items),
    ]
    for item, esa, strict, overlap in zip(items, *columns, strict=True):
        if esa.value is None or strict.value is None:
            # A graph of the challenges always has entities.
            raise DataError(f"the entry {item.id!r} cannot be scored: {esa.reason}")
        yield Output(
            item,
            esa.value,
            strict.value,
            tuple(one.entity for one in esa.findings if one.kind == "omission" and one.entity),
            tuple(one for one in esa.findings if one.detail.startswith("unexplained ")),
            overlap.value,
            overlap.statistics,
        )
