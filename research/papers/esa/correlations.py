"""Correlations of ESA with ratings and other metrics: Tables 2, 3 and 7 to 22 of paper 001."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from adequa.errors import AdequaError, UnknownName
from adequa.metrics import resolve
from adequa.stats import COEFFICIENTS, Correlation, complete_pairs
from adequa.tables import Cell, Column, Table
from research.papers.correlations.printed import HUMAN_CRITERIA
from research.papers.esa.data import EsaCorpus, Output
from research.papers.esa.printed import CORRELATIONS, RATED_TEXTS, SUBSETS, TABLE_NUMBERS
from research.papers.section import Section

UNCERTAIN = 0.01
"""Coefficients with a p-value of at least this are in brackets, as in the paper."""

SYSTEMS_ONLY = "systems"

_OWN_2020 = {
    "BLEU": "bleu",
    "BLEU NLTK": "bleu_nltk",
    "METEOR": "meteor",  # where no file has it
    "chrF++": "chrf",
    "TER": "ter",
}
_ADAPTED = (
    "give a metric, such as --column "
    '\'{name}=evaluate:module=bertscore,key={key},arguments={{"lang": "en"}}\' '
    "(extra hf, and the package bert-score)"
)
_KEYS = {"BERT-score P": "precision", "BERT-score R": "recall", "BERT-score F1": "f1"}
_MEASURES = ("esa", "strict")


Given = Mapping[str, str]
"""Metrics that a user gives for rows of the tables, as `NAME:key=value`."""


def correlations(corpus: EsaCorpus, given: Given | None = None) -> Section:
    """Each metric and criterion with `esa` and `esa_strict`, by coefficient and subset."""
    year = corpus.year
    outputs = list(corpus.rated(references=year == 2017))
    if not outputs:
        return Section("correlations", notes=["n/a: no rated texts; see the list of missing data"])
    columns = metric_columns(corpus, outputs, given)
    subsets = subsets_of(outputs, year)
    records: list[dict[str, object]] = []
    tables = []
    for coefficient in COEFFICIENTS:
        rows: list[list[Cell]] = []
        for name, column in columns.values.items():
            row: list[Cell] = [name]
            for subset, chosen in subsets.items():
                printed = CORRELATIONS[year].get((coefficient, subset), {}).get(name)
                row += [] if subset == SYSTEMS_ONLY else [_two_digits(printed)]
                for measure in _MEASURES:
                    values = [getattr(outputs[place], measure) for place in chosen]
                    pairs = complete_pairs(values, [column[place] for place in chosen])
                    found = COEFFICIENTS[coefficient](*pairs)
                    row.append(_shown(found))
                    records.append(
                        {
                            "coefficient": coefficient,
                            "subset": subset,
                            "with": name,
                            "measure": "esa" if measure == "esa" else "esa_strict",
                            "value": found.value if found else None,
                            "p": found.p if found else None,
                            "texts": len(pairs[0]),
                            "paper": printed,
                            "paper_table": TABLE_NUMBERS[year].get((coefficient, subset)),
                            "from": columns.sources.get(name),
                            "reason": columns.explanations.get(name) if found is None else None,
                        }
                    )
            rows.append(row)
        tables.append(Table(_title(coefficient, year, subsets), _headings(subsets), rows))
    tables.append(columns.table(year))
    notes = _notes(corpus, columns.explanations)
    return Section("correlations", tables, _means(records), notes, records)


class MetricColumns(NamedTuple):
    """The values of the texts for each row of the tables."""

    values: dict[str, list[float | None]]
    sources: dict[str, str]
    """Where the values of a row come from."""
    reasons: dict[str, str]
    """Why a row is empty."""
    remedies: dict[str, str]
    """What fills an empty row, where that is known."""

    @property
    def explanations(self) -> dict[str, str]:
        """Why a row is empty, and what fills it."""
        return {
            name: "; ".join(filter(None, (reason, self.remedies.get(name))))
            for name, reason in self.reasons.items()
        }

    def table(self, year: int) -> Table:
        """Where each row comes from or why it is empty, and how many texts have a value."""
        origins = self.sources | {name: f"n/a: {why}" for name, why in self.reasons.items()}
        rows: list[list[Cell]] = [
            [name, origins.get(name), sum(value is not None for value in values)]
            for name, values in self.values.items()
        ]
        return Table(f"Where the values come from, {year}", ["row", "from", "texts"], rows)


def require_columns(years: Iterable[int], given: Given) -> None:
    """Raise for a metric given for a row that no table of these years has."""
    known = [
        name
        for year in years
        for name in CORRELATIONS[year]["pearson", "all"]
        if name not in HUMAN_CRITERIA
    ]
    for name in given:
        if name not in known:
            raise UnknownName("row of the correlation tables", name, known)


def metric_columns(
    corpus: EsaCorpus, outputs: Sequence[Output], given: Given | None = None
) -> MetricColumns:
    """The rows of the tables: by the metric given for it, from the files, or our own."""
    found = MetricColumns({}, {}, {}, {})
    for name in CORRELATIONS[corpus.year]["pearson", "all"]:
        read = [corpus.values[output.item.key].get(name) for output in outputs]
        written = (given or {}).get(name)
        if written is None and any(value is not None for value in read):
            found.values[name] = read
            found.sources[name] = corpus.sources.get(name, "the ratings")
            continue
        written = written or (_OWN_2020.get(name) if corpus.year == 2020 else None)
        found.values[name] = [None] * len(outputs)
        if written is None:
            found.reasons[name] = "the data has no values for it"
            if key := _KEYS.get(name):
                found.reasons[name] = (
                    "of BERT-score, the released scores have F1 only"
                    if "BERT-score F1" in corpus.sources
                    else "the released scores have no BERT-score"
                )
                found.remedies[name] = _ADAPTED.format(name=name, key=key)
            continue
        try:
            metric = next(iter(resolve([written]).values()))
            scores = metric.score([output.item for output in outputs])
        except AdequaError as error:  # METEOR without WordNet
            if name in (given or {}):
                raise
            found.reasons[name] = str(error)
            continue
        found.values[name] = [score.value for score in scores]
        found.sources[name] = f"our own, {metric.signature}"
        if name in (given or {}):
            found.sources[name] = f"given: {metric.signature}"
    return found


def subsets_of(outputs: Sequence[Output], year: int) -> dict[str, list[int]]:
    """The positions of the texts of each subset."""
    subsets = {
        subset: [place for place, output in enumerate(outputs) if len(output.undetected) >= least]
        for least, subset in enumerate(SUBSETS)
    }
    if year == 2017:
        subsets[SYSTEMS_ONLY] = [
            place for place, output in enumerate(outputs) if output.item.system != "reference"
        ]
    return subsets


def _title(coefficient: str, year: int, subsets: Mapping[str, Sequence[int]]) -> str:
    numbers = [str(TABLE_NUMBERS[year][coefficient, subset]) for subset in SUBSETS]
    counts = [
        f"{subset} {len(places):,} texts"
        + (f" (paper {RATED_TEXTS[year][subset]:,})" if subset in RATED_TEXTS[year] else "")
        for subset, places in subsets.items()
    ]
    return f"Tables {', '.join(numbers)}, {year}: {coefficient.title()}; {'; '.join(counts)}"


def _headings(subsets: Mapping[str, object]) -> list[str | Column]:
    headings: list[str | Column] = ["with"]
    for subset in subsets:
        names = (*(() if subset == SYSTEMS_ONLY else ("paper",)), *_MEASURES)
        headings += [Column(f"{subset} {name}", align="right") for name in names]
    return headings


def _two_digits(value: float | None) -> str | None:
    return None if value is None else f"{value:.2f}"


def _shown(found: Correlation | None) -> str | None:
    if found is None:
        return None
    return f"{found.value:.2f}" if found.p < UNCERTAIN else f"({found.value:.2f})"


def _means(records: Sequence[Mapping[str, object]]) -> dict[str, tuple[str, Cell]]:
    """The mean over the human criteria of adequacy, all texts."""
    means: dict[str, tuple[str, Cell]] = {}
    criteria = ("Correctness", "DataCoverage", "Relevance", "Semantics")
    for coefficient in ("pearson", "spearman"):
        for measure in ("esa", "esa_strict"):
            values = [
                one["value"]
                for one in records
                if (one["coefficient"], one["measure"]) == (coefficient, measure)
                and one["subset"] == "all"
                and one["with"] in criteria
            ]
            numbers = [value for value in values if isinstance(value, float)]
            words = f"mean {coefficient.title()} of {measure} with the criteria of adequacy"
            mean = sum(numbers) / len(numbers) if numbers else None
            means[f"mean_{coefficient}_{measure}"] = (f"{words}, all texts", mean)
    return means


def _notes(corpus: EsaCorpus, reasons: Mapping[str, str]) -> list[str]:
    notes = [f"n/a: {name}: {reason}" for name, reason in reasons.items()]
    notes.append(f"in brackets: p is {UNCERTAIN} or more")
    if corpus.year == 2020:
        rated = {identifier for _, identifier in corpus.values}
        notes += [
            f"{len(rated)} of the 178 rated entries are public; the paper uses all of them",
            "released scores are FactSpotter's, on the test references, not the paper's own",
        ]
    else:
        notes += [
            "the texts include human references (2,230, as in the captions), except 'systems'",
            "in the file BLEU, METEOR and TER of human references are 1",
            "Table 10 (Spearman) nearly equals Table 11, so it is almost certainly Kendall's",
        ]
    return notes
