"""Figures of the record reader on held-out records."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from adequa.models.records import RecordReader
from adequa.readers.records import read_record
from adequa.stats import area_under_curve
from adequa.text import Span
from research.records.cases import Row, named_text, together_row
from research.records.written import DATA, overlap, read_parts


class HeldOutText(NamedTuple):
    """The rows of a text that are asked about; a row of a wrong sentence is `wrong`."""

    name: str
    kind: str
    """`faithful`, `same` (edited, and still true), or the kind of its fault."""
    of: int
    rows: tuple[Row, ...]
    together: tuple[Row, ...]
    """Rows with several facts."""


def read_held_out(reader: RecordReader, count: int) -> list[HeldOutText]:
    """The texts of about `count` of the held-out written records."""
    records = [one for path in sorted(DATA.glob("*.jsonl")) for one in read_parts(path)[1]]
    found = []
    for record in records[:: max(1, len(records) // count)]:
        texts: list[tuple[str, int, str, Sequence[Span]]]
        texts = [("faithful", of, text, ()) for of, text in enumerate(record.faithful)]
        texts += [(one.kind, one.of, one.text, one.spans) for one in record.wrong]
        texts += [("same", of, text, ()) for of, text, _ in record.same]
        for kind, of, text, spans in texts:
            item = read_record(record.record, text, id=record.id).item
            opened = reader.open(named_text(item))
            rows, together = [], []
            for sentence in opened.sentences:
                wrong = any(overlap(sentence.place, span) for span in spans)
                for fact in opened.rank(sentence):
                    ids, mark = opened.input(sentence, fact)
                    rows.append(Row(tuple(ids), mark, wrong))
                if opened.rank(sentence, 1):
                    together.append(together_row(opened, sentence)._replace(wrong=wrong))
            found.append(HeldOutText(record.id, kind, of, tuple(rows), tuple(together)))
    return found


def measure(
    read: Callable[[Sequence[Row]], Sequence[float]], texts: Sequence[HeldOutText]
) -> dict[str, float]:
    """How well wrong texts are told from faithful ones by their worst sentence and fact.

    Figures that begin with `together` are those of sentences with several facts.
    """
    own = _figures(read, texts, [text.rows for text in texts])
    both = _figures(read, texts, [text.together for text in texts])
    return own | {f"together_{name}": value for name, value in both.items()}


def _figures(
    read: Callable[[Sequence[Row]], Sequence[float]],
    texts: Sequence[HeldOutText],
    rows: Sequence[Sequence[Row]],
) -> dict[str, float]:
    logits = iter(read([row for own in rows for row in own]))
    worst: dict[tuple[str, str, int], float] = {}
    judged = []
    for text, asked in zip(texts, rows, strict=True):
        own = [(next(logits), row.wrong) for row in asked]
        most, at_fault = max(own, default=(-30.0, False))
        judged.append((text, most, at_fault))
        if text.kind == "faithful":
            worst[text.name, text.kind, text.of] = most
    clean = [most for text, most, _ in judged if text.kind == "faithful"]
    wrong = [one for one in judged if one[0].kind not in ("faithful", "same")]
    labels = [0] * len(clean) + [1] * len(wrong)
    area = area_under_curve(labels, [*clean, *(most for _, most, _ in wrong)])
    pairs = [most > worst[text.name, "faithful", text.of] for text, most, _ in wrong]
    found = {"auc": area or 0.0, "pairs": float(np.mean(pairs))}
    for share in (0.05, 0.1, 0.2):
        limit = float(np.quantile(clean, 1 - share))
        found[f"at_{share}"] = float(np.mean([most > limit for _, most, _ in wrong]))
        found[f"placed_{share}"] = float(np.mean([most > limit and at for _, most, at in wrong]))
    limit = float(np.quantile(clean, 0.9))
    same = [most > limit for text, most, _ in judged if text.kind == "same"]
    found["same_at_0.1"] = float(np.mean(same)) if same else 0.0
    kinds: dict[str, list[bool]] = defaultdict(list)
    for text, most, _ in wrong:
        kinds[text.kind].append(most > limit)
    found |= {f"{kind}_at_0.1": float(np.mean(own)) for kind, own in sorted(kinds.items())}
    return {name: round(value, 3) for name, value in found.items()}
