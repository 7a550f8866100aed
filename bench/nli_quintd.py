"""`nli` and `esa` on 300 texts of large language models (Quintd's dev texts), against a reading.

The reading is `docs/readings/quintd-dev.tsv`: for each text the spans that its data contradicts or
does not cover, or a row without offsets where there are none. An item is flagged when its verdict
has `hallucination`; its signal is the sum of the confidences of its hallucination findings, each
without one counting 1; characters are those of the findings with offsets.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from adequa.data import Item, Result
from adequa.errors import DataError
from adequa.readers import open_source
from adequa.stats import area_under_curve
from bench.joined import BOTH, judge_items

NEEDS_DATA = True
READING = Path(__file__).resolve().parents[1] / "docs" / "readings" / "quintd-dev.tsv"
TARGETS = {"accuracy": 0.72, "AUC": 0.75, "character F1": 0.45}
KINDS = ("incorrect", "not_checkable")

Key = tuple[str, str]
Span = tuple[int, int]
Marks = Mapping[Key, Sequence[Span]]


class Judged(NamedTuple):
    """The findings in one text."""

    key: Key
    flagged: bool
    signal: float
    spans: tuple[Span, ...]


class Agreement(NamedTuple):
    """Agreement with a reading, by items and by characters."""

    accuracy: float
    area: float | None
    precision: float
    recall: float
    f1: float


def measure(data: Path) -> list[dict[str, object]]:
    """Agreement by metric, over all texts and system by system."""
    marks = read_marks(READING)
    items = list(open_source(data / "quintd" / "wikidata-dev.jsonl"))
    sides = {
        side: [judged(result) for result in results] for side, results in judge_items(items).items()
    }
    sides["every character"] = [everything(item) for item in items]
    rows: list[dict[str, object]] = []
    for side, texts in sides.items():
        rows += _rows(side, agree(texts, marks))
        for system in sorted({item.system for item in items}):
            one = agree([text for text in texts if text.key[0] == system], marks)
            rows.append(_row(f"{side}, {system}: accuracy / AUC / character F1", _shown(one)))
    return rows


def read_marks(path: Path) -> dict[Key, list[Span]]:
    """The marked spans of every text that was read, possibly none."""
    marks: dict[Key, list[Span]] = {}
    with path.open(encoding="utf-8", newline="") as stream:
        for line, row in enumerate(csv.DictReader(stream, delimiter="\t"), 2):
            spans = marks.setdefault((row["system"], row["id"]), [])
            if not row["kind"]:
                continue
            if row["kind"] not in KINDS or not row["start"].isdigit() or not row["end"].isdigit():
                raise DataError(
                    f"is no mark: {row['kind']!r} from {row['start']!r} to {row['end']!r}",
                    path=path,
                    line=line,
                    remedy=f"a kind is one of {', '.join(KINDS)}, with the offsets of its span",
                )
            spans.append((int(row["start"]), int(row["end"])))
    return marks


def judged(result: Result) -> Judged:
    """The findings of a result."""
    found = result.unsupported
    return Judged(
        result.item.key,
        "hallucination" in (result.verdict or ""),
        sum(1.0 if one.confidence is None else one.confidence for one in found),
        tuple((one.start, one.end) for one in found if one.start is not None and one.end),
    )


def everything(item: Item) -> Judged:
    """Every character of a text, as a baseline."""
    return Judged(item.key, True, 1.0, ((0, len(item.text)),))


def agree(texts: Sequence[Judged], marks: Marks) -> Agreement:
    """The agreement of findings with marks; every text must have been read."""
    labels = [bool(marks[text.key]) for text in texts]
    right = sum(text.flagged == label for text, label in zip(texts, labels, strict=True))
    both = ours = theirs = 0
    for text in texts:
        found, gold = _characters(text.spans), _characters(marks[text.key])
        both += len(found & gold)
        ours += len(found)
        theirs += len(gold)
    return Agreement(
        right / len(texts),
        area_under_curve([int(label) for label in labels], [text.signal for text in texts]),
        both / ours if ours else 0.0,
        both / theirs if theirs else 0.0,
        2 * both / (ours + theirs) if ours + theirs else 0.0,
    )


def _characters(spans: Iterable[Span]) -> set[int]:
    return {place for start, end in spans for place in range(start, end)}


def _rows(side: str, one: Agreement) -> list[dict[str, object]]:
    precise = f"character F1 (precision {one.precision:.3f}, recall {one.recall:.3f})"
    measured = {"accuracy": one.accuracy, "AUC": one.area, precise: one.f1}
    rows = []
    for (name, value), target in zip(measured.items(), TARGETS.values(), strict=True):
        row = _row(f"{side}: {name}", "–" if value is None else value)
        if side == BOTH:
            row |= {"target": f"≥ {target:g}", "reached": value is not None and value >= target}
        rows.append(row)
    return rows


def _row(figure: str, value: object) -> dict[str, object]:
    return {"figure": figure, "value": value, "target": "–", "reached": True}


def _shown(one: Agreement) -> str:
    area = "–" if one.area is None else f"{one.area:.3f}"
    return f"{one.accuracy:.3f} / {area} / {one.f1:.3f}"
