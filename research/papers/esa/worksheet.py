"""The manual check of section 5.2: worksheets to fill in, and the summary of a completed one."""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

from adequa.errors import DataError
from adequa.readers import read_table
from adequa.tables import Cell, Column, Table, one_line
from research.papers.esa.data import EsaCorpus, Output
from research.papers.esa.printed import CHECKED_SYSTEMS
from research.papers.section import Section

COLUMNS = ("system", "id", "flagged", "start", "end", "judgment", "note", "triples", "text")
JUDGMENTS = ("right", "wrong", "unclear")
"""The possible judgments of a flag; `wrong` is a false positive."""

_FILES = ("worksheet-undetected.tsv", "worksheet-unexplained.tsv")


def worksheets(corpus: EsaCorpus, texts: int, seed: int) -> dict[str, str]:
    """Both worksheets by file name: all flags of a sample of flagged texts of each system."""
    return {
        name: _worksheet(corpus, texts, seed, undetected=undetected)
        for name, undetected in zip(_FILES, (True, False), strict=True)
    }


def _worksheet(corpus: EsaCorpus, texts: int, seed: int, *, undetected: bool) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter="\t", lineterminator="\n")
    writer.writerow(COLUMNS)
    for system in CHECKED_SYSTEMS:
        flagged = [
            output
            for output in corpus.outputs_of(system)
            if (output.undetected if undetected else output.unexplained)
        ]
        # One seed per system, so that a missing system does not change the others.
        chooser = random.Random(f"{seed}/{system}/{undetected}")  # noqa: S311
        chosen = chooser.sample(flagged, min(texts, len(flagged)))
        for output in chosen:
            writer.writerows(_rows(output, undetected=undetected))
    return stream.getvalue()


def _rows(output: Output, *, undetected: bool) -> Iterator[list[str]]:
    item = output.item
    flags: Sequence[tuple[str, int | None, int | None]] = (
        [(entity, None, None) for entity in output.undetected]
        if undetected
        else [(item.text[one.start : one.end], one.start, one.end) for one in output.unexplained]
    )
    triples = " && ".join(" | ".join(triple) for triple in item.triples)
    for flagged, start, end in flags:
        place = ["" if one is None else str(one) for one in (start, end)]
        # A tab or line end in a cell would be quoted, and few spreadsheets unquote TSV.
        cells = [item.system, item.id, flagged, *place, "", "", triples, item.text]
        yield [one_line(cell) for cell in cells]


def summarise_worksheet(path: Path) -> Section:
    """The rate of false positives of each system in a completed worksheet."""
    counts: dict[str, dict[str, int]] = {}
    texts: dict[str, dict[str, bool]] = {}
    table = read_table(path, "\t")
    for column in ("system", "id", "judgment"):
        if column not in table.columns:
            raise DataError(
                f"has no column {column!r}",
                path=path,
                line=1,
                remedy="complete a file written by `adequa paper esa --out`",
            )
    for line, cells in table.rows:
        system, judgment = cells["system"], cells["judgment"].strip().lower()
        if judgment and judgment not in JUDGMENTS:
            raise DataError(
                f"the judgment is {judgment!r:.60}",
                path=path,
                line=line,
                remedy=f"write {', '.join(JUDGMENTS)}, or leave it empty",
            )
        row = counts.setdefault(system, dict.fromkeys((*JUDGMENTS, ""), 0))
        row[judgment] += 1
        if judgment in ("right", "wrong"):
            known = texts.setdefault(system, {})
            known[cells["id"]] = known.get(cells["id"], False) or judgment == "wrong"
    return _summary(path, counts, texts)


def _summary(
    path: Path, counts: dict[str, dict[str, int]], texts: dict[str, dict[str, bool]]
) -> Section:
    rows: list[list[Cell]] = []
    everything = dict.fromkeys((*JUDGMENTS, ""), 0)
    for system, row in counts.items():
        rows.append([system, *_line(row), *_text_rate(texts.get(system, {}))])
        rows[-1].append(CHECKED_SYSTEMS.get(system))
        everything = {name: everything[name] + row[name] for name in everything}
    together = {
        f"{system}/{name}": wrong
        for system, known in texts.items()
        for name, wrong in known.items()
    }
    rows.append(["all", *_line(everything), *_text_rate(together), None])
    columns: list[str | Column] = [
        *("system", "right", "wrong", "unclear", "not judged", Column("% wrong", 1)),
        *("texts", Column("% of texts with a wrong flag", 1), "paper's % wrong"),
    ]
    note = "the paper's: undetected entities that are in the text (section 5.2)"
    return Section("worksheet", [Table(f"Summary of {path.name}", columns, rows)], notes=[note])


def _line(row: dict[str, int]) -> list[Cell]:
    judged = row["right"] + row["wrong"]
    rate = 100 * row["wrong"] / judged if judged else None
    return [row["right"], row["wrong"], row["unclear"], row[""], rate]


def _text_rate(known: dict[str, bool]) -> list[Cell]:
    return [len(known), 100 * sum(known.values()) / len(known) if known else None]
