"""Figures of the record reader on held-out records. Imports torch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

from adequa.models.records import RecordReader
from adequa.readers.records import read_record
from adequa.stats import area_under_curve
from adequa.training.torch_data import padded
from adequa.training.torch_networks import VerifierNetwork
from research.records.cases import DATA, Row, WrittenRecord, read_written, rows_of, split


class HeldOutText(NamedTuple):
    """The rows of a text; whether it is faithful, edited and still true, or wrong."""

    name: str
    kind: str
    of: int
    rows: tuple[Row, ...]


def read_held_out(reader: RecordReader, *more: Sequence[WrittenRecord]) -> list[HeldOutText]:
    """The texts of the held-out written records, and of more records."""
    records = [one for path in sorted(DATA.glob("*.jsonl")) for one in split(read_written(path))[1]]
    found = []
    for record in [*records, *(one for own in more for one in own)]:
        texts = [("faithful", of, text, ()) for of, text in enumerate(record.faithful)]
        texts += [(one.kind, one.of, one.text, one.spans) for one in record.wrong]
        texts += [("same", of, text, ()) for of, text, _ in record.same]
        for kind, of, text, spans in texts:
            item = read_record(record.record, text, id=record.id).item
            rows = tuple(row for _, row in rows_of(reader, item, spans))
            found.append(HeldOutText(record.id, kind, of, rows))
    return found


def logits_of(
    network: VerifierNetwork, rows: Sequence[Row], size: int = 4096
) -> list[tuple[float, np.ndarray]]:
    """For each row the logit of a fault, and those of its words."""
    order = sorted(range(len(rows)), key=lambda place: len(rows[place].ids))
    found: list[Any] = [None] * len(rows)
    while order:
        count = 1
        while count < len(order) and (count + 1) * len(rows[order[count]].ids) <= size:
            count += 1
        chosen, order = order[:count], order[count:]
        own = [rows[place] for place in chosen]
        with torch.inference_mode():
            tokens, pair = network.logits(
                padded([list(one.ids) for one in own]),
                padded([[1] * len(one.ids) for one in own]),
                padded([list(one.types) for one in own]),
            )
        for number, place in enumerate(chosen):
            words = tokens[number, list(rows[place].places), 1].numpy().copy()
            found[place] = float(pair[number]), words
    return found


def measure(network: VerifierNetwork, texts: Sequence[HeldOutText]) -> dict[str, float]:
    """How well wrong texts are told from faithful ones."""
    rows = [row for text in texts for row in text.rows]
    found = iter(logits_of(network, rows))
    by_name: dict[str, list[tuple[HeldOutText, list[tuple[float, np.ndarray]]]]] = {}
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
