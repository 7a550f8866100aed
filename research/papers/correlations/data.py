"""The values behind the tables of correlations: one row per text, one column per measure.

The column BLEU of the 2017 file does not reproduce the paper's BLEU cells. A search over variants
of BLEU found one that does: NLTK's with smoothing 3, split at spaces, of the text as shown in the
campaign against only the first sampled reference (`gold-sample-reference0.lex`), and 1 for human
references. The TER of human references is 1 in the file; the paper on the campaign says 0, which
fits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from adequa.data import Item
from adequa.errors import DataError
from adequa.files import lines
from adequa.metrics import load_metric
from adequa.progress import Progress
from adequa.readers import read_ratings
from research.papers.correlations.printed import ESA
from research.papers.esa.correlations import SYSTEMS_ONLY, Given, metric_columns, subsets_of
from research.papers.esa.data import (
    Detection,
    EsaCorpus,
    Key,
    Output,
    read_corpus,
    score_corpus,
)

Columns = Mapping[str, Sequence[float | None]]

FILE = "as in the file"
PAPER = "BLEU of one reference, TER 0"

_REFERENCE = "reference"


@dataclass(frozen=True)
class CorrelationStudy:
    """The rated texts of a year: `columns` by reading and name, and positions by subset."""

    year: int
    columns: Mapping[str, Columns]
    """One reading of the values, or for 2017 two: `FILE` and `PAPER`."""
    subsets: Mapping[str, Sequence[int]]
    references: int
    """The number of human references among the texts."""
    ids: Sequence[str]
    """The entry of each text."""
    absent: Sequence[str]
    reasons: Mapping[str, str]
    """Why a column is empty."""
    signature: str
    sources: Mapping[str, str] = field(default_factory=dict)
    """Where the values of a column come from."""

    @property
    def reading(self) -> str:
        """The reading used in the tables."""
        return PAPER if PAPER in self.columns else FILE


def read_rated(data: Path, year: int) -> EsaCorpus:
    """The rated texts of a year; missing files are listed in `absent`."""
    whole = read_corpus(data, year)
    rated = [item for item in whole.items if item.key in whole.values]
    return replace(whole, items=rated, absent=list(whole.absent))


def score_study(
    corpus: EsaCorpus, detection: Detection, progress: Progress, given: Given | None = None
) -> CorrelationStudy:
    """The rated texts of a year with their scores."""
    year = corpus.year
    signature = load_metric("esa", **detection).signature
    if not corpus.items:
        return CorrelationStudy(year, {FILE: {}}, {}, 0, (), corpus.absent, {}, signature)
    score_corpus(corpus, detection, progress)
    outputs = list(corpus.rated(references=year == 2017))
    found = metric_columns(corpus, outputs, given)
    columns = found.values
    columns[ESA] = [output.esa for output in outputs]
    readings: dict[str, Columns] = {FILE: columns}
    if year == 2017:
        bleu = _bleu_of_one_reference(corpus)
        if bleu is not None:
            human = [output.item.system == _REFERENCE for output in outputs]
            ter = [
                0.0 if is_human else value
                for value, is_human in zip(columns["TER"], human, strict=True)
            ]
            one_reference = [bleu.get(output.item.key) for output in outputs]
            readings[PAPER] = {**columns, "BLEU": one_reference, "TER": ter}
    return CorrelationStudy(
        year,
        readings,
        _subsets(outputs, year),
        sum(output.item.system == _REFERENCE for output in outputs),
        [output.item.id for output in outputs],
        corpus.absent,
        found.explanations,
        signature,
        found.sources,
    )


def _subsets(outputs: Sequence[Output], year: int) -> dict[str, Sequence[int]]:
    """The three subsets of the paper, and for 2017 each of them without human references."""
    subsets: dict[str, Sequence[int]] = dict(subsets_of(outputs, year))
    systems = frozenset(subsets.pop(SYSTEMS_ONLY, ()))
    for name, places in list(subsets.items()) if year == 2017 else ():
        subsets[without_references(name)] = [place for place in places if place in systems]
    return subsets


def without_references(subset: str) -> str:
    """The name of a subset without human references.

    >>> without_references("all")
    'all, systems'
    """
    return f"{subset}, {SYSTEMS_ONLY}"


def _bleu_of_one_reference(corpus: EsaCorpus) -> dict[Key, float | None] | None:
    """The reconstructed BLEU of the rated texts of 2017; None without the files of the sample."""
    folder = corpus.folder / "human"
    numbers, first = folder / "sample-ids.txt", folder / "gold-sample-reference0.lex"
    if not (numbers.is_file() and first.is_file()):
        corpus.absent.append(f"the paper's BLEU of 2017: {first} or {numbers.name} is missing")
        return None
    ids = [f"Id{number.strip()}" for _, number in lines(numbers) if number.strip()]
    texts = [text for _, text in lines(first)]
    if len(texts) != len(ids):
        raise DataError(
            f"has {len(texts)} references for the {len(ids)} ids of {numbers.name}",
            path=first,
            line=min(len(texts), len(ids)) + 1,
            remedy="line i of one belongs to line i of the other",
        )
    references = dict(zip(ids, texts, strict=True))
    shown = {
        (rating.system, rating.id): str(rating.meta.get("text", ""))
        for rating in read_ratings(folder / "all_data_final_averaged.csv")
    }
    items = [
        Item(identifier, (), text, system=system, references=(references[identifier],))
        for (system, identifier), text in shown.items()
        if identifier in references
    ]
    metric = load_metric("bleu_nltk", smoothing=3, tokenize="whitespace", lowercase=True)
    return {
        item.key: 1.0 if item.system == _REFERENCE else score.value
        for item, score in zip(items, metric.score(items), strict=True)
    }
