"""Figures of the record reader on held-out records."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from adequa.models.records import RecordReader
from adequa.readers.records import read_record
from adequa.stats import area_under_curve
from research.records.cases import DATA, Row, read_written, rows_of, split


class HeldOutText(NamedTuple):
    """The rows of a text; whether it is faithful, edited and still true, or wrong."""

    name: str
    kind: str
    of: int
    rows: tuple[Row, ...]


def read_held_out(reader: RecordReader, count: int) -> list[HeldOutText]:
    """The texts of about `count` of the held-out written records."""
    records = [one for path in sorted(DATA.glob("*.jsonl")) for one in split(read_written(path))[1]]
    found = []
    for record in records[:: max(1, len(records) // count)]:
        texts = [("faithful", of, text, ()) for of, text in enumerate(record.faithful)]
        texts += [(one.kind, one.of, one.text, one.spans) for one in record.wrong]
        texts += [("same", of, text, ()) for of, text, _ in record.same]
        for kind, of, text, spans in texts:
            item = read_record(record.record, text, id=record.id).item
            rows = tuple(row for _, row in rows_of(reader, item, spans))
            found.append(HeldOutText(record.id, kind, of, rows))
    return found


RowLogits = tuple[float, NDArray[np.float32]]
"""Of a row: the logit of a fault, and those of its words."""


def measure(
    read: Callable[[Sequence[Row]], Sequence[RowLogits]], texts: Sequence[HeldOutText]
) -> dict[str, float]:
    """How well wrong texts are told from faithful ones, by sentences and by their worst words."""
    found = iter(read([row for text in texts for row in text.rows]))
    by_name: dict[str, list[tuple[HeldOutText, list[RowLogits]]]] = {}
    for text in texts:
        by_name.setdefault(text.name, []).append((text, [next(found) for _ in text.rows]))
    result: dict[str, float] = {}
    for way, score in (("fault", lambda one: one[0]), ("words", lambda one: float(one[1].max()))):
        clean, bad, same, pairs, placed = [], [], [], [], []
        for own in by_name.values():
            right = {
                text.of: max(map(score, read)) for text, read in own if text.kind == "faithful"
            }
            clean += right.values()
            for text, read in own:
                worst = max(map(score, read))
                if text.kind == "same":
                    same.append(worst)
                elif text.kind != "faithful":
                    bad.append(worst)
                    pairs.append(worst > right[text.of])
                    best = max(range(len(read)), key=lambda n: score(read[n]))
                    labels = text.rows[best].labels
                    placed.append(bool(labels[int(read[best][1].argmax())]))
        labels = [0] * len(clean) + [1] * len(bad)
        result[f"{way}_auc"] = round(float(area_under_curve(labels, clean + bad)), 3)
        result[f"{way}_pairs"] = round(float(np.mean(pairs)), 3)
        for share in (0.05, 0.1, 0.2):
            limit = float(np.quantile(clean, 1 - share))
            result[f"{way}_at_{share}"] = round(float(np.mean([one > limit for one in bad])), 3)
            hit = [one > limit and at for one, at in zip(bad, placed, strict=True)]
            result[f"{way}_placed_{share}"] = round(float(np.mean(hit)), 3)
            if same and share == 0.1:
                result[f"{way}_same"] = round(float(np.mean([one > limit for one in same])), 3)
    return result
