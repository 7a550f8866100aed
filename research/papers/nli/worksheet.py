"""The re-examination of the metric's errors: worksheets to fill in by reading.

A sheet has ids but no texts, so that it can be kept and shared; `read_cases` adds the texts.
"""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from adequa.data import Finding, Item
from adequa.errors import DataError
from adequa.readers import Row, read_table
from adequa.tables import Cell, Column, Table, one_line
from research.papers.nli.data import DATASETS, JudgedText, NliCorpus, read_dataset
from research.papers.nli.printed import EXAMINED, REASONS, REEXAMINED, Dataset
from research.papers.nli.setups import Answer, ScoredSetup
from research.papers.section import Section

COLUMNS = (
    *("dataset", "setup", "system", "id", "gold", "gold says", "metric says", "score", "findings"),
    *("judgment", "why"),
)
JUDGMENTS = ("metric right", "people right", "unclear")
"""The possible judgments; for E2E, `people` stands for its script."""

_PLACE = re.compile(r"(\d+)-(\d+)")
_REMEDY = "complete a file written by `adequa paper nli --worksheet`"


@dataclass(frozen=True, slots=True)
class Sheet:
    """The settings of a worksheet: setup, number of errors, sample of texts, and seed."""

    setup: str = "templates"
    count: int = EXAMINED
    sample: int | None = None
    seed: int = 0


def worksheet(corpus: NliCorpus, scored: ScoredSetup, sheet: Sheet) -> str:
    """The texts on which metric and gold differ by the paper's rule, as TSV.

    The random order covers all texts, so that other weights leave most of a sheet unchanged.
    """
    rule = corpus.rules[0]
    errors = [
        (one, answer)
        for one, answer in zip(corpus.judged, scored.answers, strict=True)
        if answer.verdict is not None and rule(one) != (answer.verdict == "OK")
    ]
    errors.sort(key=lambda pair: _draw(pair[0].item, sheet.seed))
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter="\t", lineterminator="\n")
    writer.writerow(COLUMNS)
    for one, answer in errors[: sheet.count]:
        cells = _cells(corpus, scored.setup.name, one, answer)
        writer.writerow([one_line(cell) for cell in cells])
    return stream.getvalue()


def _draw(item: Item, seed: int) -> bytes:
    return hashlib.sha256("\0".join((str(seed), *item.key)).encode()).digest()


def _cells(corpus: NliCorpus, setup: str, one: JudgedText, answer: Answer) -> list[str]:
    return [
        *(corpus.name, setup, one.item.system, one.item.id, one.words),
        *("OK" if corpus.rules[0](one) else "not_OK", str(answer.verdict)),
        "" if answer.value is None else f"{answer.value:.3f}",
        "; ".join(_place(one.item, finding) for finding in answer.findings),
        *("", ""),
    ]


def _place(item: Item, finding: Finding) -> str:
    """A finding without text: the number of a fact, or offsets."""
    if finding.kind == "omission" and finding.triple is not None:
        return f"fact {item.triples.index(finding.triple) + 1} {finding.detail}"
    return f"{finding.start}-{finding.end} {finding.detail}"


def summarise_worksheet(path: Path) -> Section:
    """How often the metric was right, and why, in a completed worksheet."""
    kinds: dict[tuple[Dataset, str], Counter[str]] = {}
    reasons: dict[str, Counter[str]] = {}
    for row, judgment in _read(path):
        kind = f"gold {row.cells['gold says']}, metric {row.cells['metric says']}"
        kinds.setdefault((_dataset(row.cells), kind), Counter())[judgment] += 1
        why = one_line(row.cells["why"]).partition(":")[0].strip()
        if judgment and why:
            reasons.setdefault(why, Counter())[judgment] += 1
    rows: list[list[Cell]] = []
    notes = []
    for dataset in dict.fromkeys(name for name, _ in kinds):
        own = {kind: counts for (name, kind), counts in kinds.items() if name == dataset}
        rows += [[dataset, kind, *_counts(own[kind]), None] for kind in sorted(own)]
        total = sum(own.values(), Counter[str]())
        rows.append([dataset, "all", *_counts(total), 100 * REEXAMINED[dataset] / EXAMINED])
        notes.append(f"the paper's reasons on {dataset}: {REASONS[dataset]}")
    columns: list[str | Column] = [
        *("data set", "errors", *JUDGMENTS, "not judged"),
        *(Column("% metric right", 1), Column("paper's %", 1)),
    ]
    tables = [Table(f"Summary of {path.name}", columns, rows)]
    whys: list[list[Cell]] = [
        [why, *(counts[name] for name in JUDGMENTS)]
        for why, counts in sorted(reasons.items(), key=lambda one: (-one[1].total(), one[0]))
    ]
    tables.append(Table("Reasons (the part before a colon)", ["why", *JUDGMENTS], whys))
    return Section("worksheet", tables, notes=notes)


def _counts(found: Mapping[str, int]) -> list[Cell]:
    judged = sum(found[name] for name in JUDGMENTS)  # unclear ones too, as the paper's 100 errors
    rate = 100 * found[JUDGMENTS[0]] / judged if judged else None
    return [*(found[name] for name in JUDGMENTS), found[""], rate]


def _read(path: Path) -> Iterator[tuple[Row, str]]:
    """The rows of a sheet with their judgments; "" if not judged."""
    table = read_table(path, "\t")
    for column in COLUMNS:
        if column not in table.columns:
            raise DataError(f"has no column {column!r}", path=path, line=1, remedy=_REMEDY)
    for row in table.rows:
        if row.cells["dataset"] not in DATASETS:
            problem = f"the data set is {row.cells['dataset']!r:.60}"
            raise DataError(problem, path=path, line=row.line, remedy=_REMEDY)
        judgment = " ".join(row.cells["judgment"].lower().split())
        if judgment and judgment not in JUDGMENTS:
            raise DataError(
                f"the judgment is {judgment!r:.60}",
                path=path,
                line=row.line,
                remedy=f"write {', '.join(JUDGMENTS)}, or leave it empty",
            )
        yield row, judgment


@dataclass(frozen=True)
class WorksheetCase:
    """A row of a sheet with its item."""

    cells: Mapping[str, str]
    item: Item

    @property
    def words(self) -> list[str]:
        """The words of the text that the findings mark."""
        places = _PLACE.findall(self.cells["findings"])
        return [self.item.text[int(start) : int(end)] for start, end in places]

    def text(self) -> str:
        """For a terminal."""
        cells = self.cells
        lines = [
            f"{cells['dataset']} {cells['system']} {cells['id']}",
            f"  gold {cells['gold says']} ({cells['gold']})",
            f"  metric {cells['metric says']} ({cells['score']})",
            *(
                f"  {number}. {' | '.join(triple)}"
                for number, triple in enumerate(self.item.triples, 1)
            ),
            f"  text: {self.item.text}",
            f"  findings: {cells['findings'] or 'none'}",
            *([f"  words: {' / '.join(self.words)}"] if self.words else []),
            *([f"  {cells['judgment']}: {cells['why']}"] if cells["judgment"] else []),
        ]
        return "\n".join(map(one_line, lines))

    def as_object(self) -> dict[str, object]:
        """For `--json`."""
        triples = [list(triple) for triple in self.item.triples]
        return {**self.cells, "triples": triples, "text": self.item.text, "words": self.words}


def read_cases(path: Path, data: Path) -> list[WorksheetCase]:
    """The rows of a sheet with the items of a data folder."""
    known: dict[str, dict[tuple[str, str], Item]] = {}
    found = []
    for row, _ in _read(path):
        name = _dataset(row.cells)
        if name not in known:
            known[name] = {item.key: item for item in read_dataset(data, name).items}
        item = known[name].get((row.cells["system"], row.cells["id"]))
        if item is None:
            raise DataError(
                f"there is no text {row.cells['id']!r} of {row.cells['system']!r} in {data}",
                path=path,
                line=row.line,
                remedy="name the folder that the sheet was made from",
            )
        found.append(WorksheetCase(row.cells, item))
    return found


def _dataset(cells: Mapping[str, str]) -> Dataset:
    return "e2e" if cells["dataset"] == "e2e" else "webnlg"
