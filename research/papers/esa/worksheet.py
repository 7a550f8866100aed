"""The manual check of section 5.2: worksheets to fill in, and the summary of a completed one.

`worksheets` covers the systems that the paper checked, with their texts. `flag_sample` covers all
systems and has ids but no texts, so that it can be kept and shared; `show_flags` adds the texts.
"""

from __future__ import annotations

import csv
import hashlib
import io
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

from adequa.data import Item
from adequa.errors import DataError
from adequa.metrics import load_metric
from adequa.progress import Progress, silent
from adequa.readers import read_table
from adequa.tables import Cell, Column, Table, one_line
from research.papers.esa.data import BATCH, Detection, EsaCorpus, Key, Output
from research.papers.esa.printed import CHECKED_SYSTEMS
from research.papers.section import Section

COLUMNS = ("system", "id", "flagged", "start", "end", "judgment", "note", "triples", "text")
SAMPLE_COLUMNS = ("system", "id", "entity", "flags", "judgment", "note")
"""`flags` is the number of all flags of the system, of which the sheet has a sample."""
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


def flag_sample(
    items: Sequence[Item],
    count: int,
    *,
    seed: int,
    detection: Detection | None = None,
    progress: Progress = silent,
) -> str:
    """A random sample of up to `count` undetected entities of every system, as TSV.

    The random order covers all possible flags, so that another detector leaves most of a sheet
    unchanged.
    """
    esa = load_metric("esa", **(detection or {}))
    flags: dict[str, list[tuple[str, str]]] = {}
    for start in range(0, len(items), BATCH):
        batch = items[start : start + BATCH]
        for item, score in zip(batch, esa.score(batch), strict=True):
            flags.setdefault(item.system, []).extend(
                (item.id, one.entity)
                for one in score.findings
                if one.kind == "omission" and one.entity
            )
        progress(start + len(batch), len(items))
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter="\t", lineterminator="\n")
    writer.writerow(SAMPLE_COLUMNS)
    for system in sorted(flags):
        every = sorted(flags[system], key=lambda flag: _draw(system, *flag, seed=seed))
        for identifier, entity in every[:count]:
            cells = [system, identifier, entity, str(len(every)), "", ""]
            writer.writerow([one_line(cell) for cell in cells])
    return stream.getvalue()


def _draw(*flag: str, seed: int) -> bytes:
    return hashlib.sha256("\0".join((str(seed), *flag)).encode()).digest()


def show_flags(path: Path, items: Sequence[Item]) -> Iterator[str]:
    """The rows of a sample with their triples and texts."""
    known: dict[Key, Item] = {item.key: item for item in items}
    for line, cells in read_table(path, "\t").rows:
        item = known.get((cells["system"], cells["id"]))
        if item is None:
            raise DataError(
                f"there is no text {cells['id']!r} of {cells['system']!r} in the data",
                path=path,
                line=line,
                remedy="name the folder that the sheet was made from",
            )
        judgment = f" [{cells['judgment']}] {cells['note']}" if cells["judgment"] else ""
        lines = [
            f"{item.system} {item.id}: {cells['entity']}{judgment}",
            *(f"  {' | '.join(triple)}" for triple in item.triples),
            f"  text: {item.text}",
        ]
        yield "\n".join(map(one_line, lines))


def summarise_worksheet(path: Path) -> Section:
    """The rate of false positives of each system in a completed worksheet."""
    counts: dict[str, dict[str, int]] = {}
    texts: dict[str, dict[str, bool]] = {}
    flags: dict[str, int] = {}
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
        if "flags" in cells:
            try:
                flags[system] = int(cells["flags"])
            except ValueError:
                problem = f"the number of flags is {cells['flags']!r:.60}"
                raise DataError(problem, path=path, line=line, remedy="draw a new sheet") from None
        row = counts.setdefault(system, dict.fromkeys((*JUDGMENTS, ""), 0))
        row[judgment] += 1
        if judgment in ("right", "wrong"):
            known = texts.setdefault(system, {})
            known[cells["id"]] = known.get(cells["id"], False) or judgment == "wrong"
    return _summary(path, counts, texts, flags)


def _summary(
    path: Path,
    counts: dict[str, dict[str, int]],
    texts: dict[str, dict[str, bool]],
    flags: dict[str, int],
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
    tables = [Table(f"Summary of {path.name}", columns, rows)]
    return Section("worksheet", tables, _shares(counts, flags), notes=[note])


def _shares(
    counts: dict[str, dict[str, int]], flags: dict[str, int]
) -> dict[str, tuple[str, Cell]]:
    """The share of wrong flags over systems, and over all flags with its 95 % interval.

    Every system has its own sample, so its share counts by the number of all its flags. The
    standard error is that of a stratified sample; one more wrong and one more right flag per system
    keep a system without wrong flags from having none.
    """
    shares, weights, variances = [], [], []
    for system, total in flags.items():
        judged = counts[system]["right"] + counts[system]["wrong"]
        if not judged:
            continue
        shares.append(counts[system]["wrong"] / judged)
        weights.append(total)
        cautious = (counts[system]["wrong"] + 1) / (judged + 2)
        unread = 1 - judged / total if total else 0.0
        variances.append(unread * cautious * (1 - cautious) / judged)
    if not shares or not sum(weights):
        return {}
    every = sum(weights)
    over_all = sum(weight * share for weight, share in zip(weights, shares, strict=True)) / every
    error = sum((w / every) ** 2 * v for w, v in zip(weights, variances, strict=True)) ** 0.5
    return {
        "wrong_by_system": ("% wrong, mean of the systems", 100 * sum(shares) / len(shares)),
        "wrong_of_all": (f"% wrong of all {every:,} flags (estimate)", 100 * over_all),
        "wrong_of_all_low": ("  95 % interval from", 100 * max(0.0, over_all - 1.96 * error)),
        "wrong_of_all_high": ("  to", 100 * min(1.0, over_all + 1.96 * error)),
    }


def _line(row: dict[str, int]) -> list[Cell]:
    judged = row["right"] + row["wrong"]
    rate = 100 * row["wrong"] / judged if judged else None
    return [row["right"], row["wrong"], row["unclear"], row[""], rate]


def _text_rate(known: dict[str, bool]) -> list[Cell]:
    return [len(known), 100 * sum(known.values()) / len(known) if known else None]
