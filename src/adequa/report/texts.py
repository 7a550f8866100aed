"""What the page needs of each text: compact records in chunks, and columns to filter and sort by.

An input (triples, references, category) stands once for all systems. Records are lists, whose order
`unpackLine` in `assets/report.js` knows:

input    id, category, language, triples, references
text     text, mentions, facts, findings, verdicts by metric, reasons of what was not scorable
mention  entity, start, end, method, distance
fact     triple, status, confidence, start, end
finding  metric, kind, detail, triple, entity, start, end, confidence, why

An entity or a triple is a number where the input has it, else itself.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from adequa.data import Result, Triple
from adequa.report.page import Chunks, pack, pack_numbers

CHUNK = 96
VERDICTS = (None, "OK", "omission", "hallucination", "hallucination+omission")
STATUSES = ("unchecked", "stated", "missing", "contradicted")
SEEN = (None, "seen", "unseen")
_FAULTS = ("missing", "contradicted")


@dataclass(frozen=True, slots=True)
class PackedTexts:
    """The data blocks of the page."""

    inputs: tuple[str, ...]
    texts: tuple[str, ...]
    index: str
    """Columns by name, each a typed array (kind and packed bytes), and the names they count."""
    text_count: int
    input_count: int


class Texts:
    """Takes results one by one; memory holds packed chunks and numbers."""

    def __init__(self, labels: Sequence[str], *, kept: int | None, total: int) -> None:
        self._labels = tuple(labels)
        self._kept, self._total = kept, total
        self._inputs = Chunks(CHUNK)
        self._texts = Chunks(CHUNK)
        self._numbers: dict[tuple[str, tuple[Triple, ...]], int | None] = {}
        self._ids: list[str] = []
        self._categories: dict[str, int] = {}
        self._predicates: dict[str, int] = {}
        self._columns = {
            "category": array("H"),
            "size": array("H"),
            "seen": array("B"),
            "system": array("H"),
            "input": array("I"),
            "verdict": array("B"),
            "missing": array("H"),
            "unsupported": array("H"),
            "broken": array("H"),
            "mended": array("H"),
            "fault_ends": array("I"),
            "faults": array("H"),
        }
        self._scores = {label: array("f") for label in self._labels}

    def add(self, system: int, result: Result, broken: int = 0, mended: int = 0) -> None:
        """A text of a system; one whose input was not chosen is left out."""
        number = self._input(result)
        if number is None:
            return
        triples = {triple: place for place, triple in enumerate(result.item.triples)}
        entities = _entities(result.item.triples)
        self._texts.add(_text_record(result, triples, entities))
        columns = self._columns
        columns["system"].append(system)
        columns["input"].append(number)
        columns["verdict"].append(VERDICTS.index(result.verdict))
        columns["missing"].append(_bounded(sum(fact.status in _FAULTS for fact in result.facts)))
        columns["unsupported"].append(_bounded(len(result.unsupported)))
        columns["broken"].append(_bounded(broken))
        columns["mended"].append(_bounded(mended))
        faults = dict.fromkeys(
            fact.triple.predicate for fact in result.facts if fact.status in _FAULTS
        )
        columns["faults"].extend(_number(self._predicates, name) for name in faults)
        columns["fault_ends"].append(len(columns["faults"]))
        for label, column in self._scores.items():
            value = result.scores.get(label)
            column.append(float("nan") if value is None else value)

    def _input(self, result: Result) -> int | None:
        """The number of the text's input; None where it was not chosen for the page."""
        item = result.item
        key = item.id, item.triples
        if key in self._numbers:
            return self._numbers[key]
        if not self._is_chosen(len(self._numbers)):
            self._numbers[key] = None
            return None
        number = self._numbers[key] = len(self._ids)
        self._ids.append(item.id)
        self._inputs.add(
            [item.id, item.category, item.lang, list(item.triples), list(item.references)]
        )
        columns = self._columns
        columns["category"].append(_number(self._categories, item.category or ""))
        columns["size"].append(_bounded(len(item.triples)))
        columns["seen"].append(SEEN.index(seen_name(item.meta)))
        return number

    def _is_chosen(self, met: int) -> bool:
        """Evenly over all inputs: neither the first ones nor the worst ones stand for the rest."""
        if self._kept is None or self._kept >= self._total:
            return True
        return met * self._kept // self._total != (met + 1) * self._kept // self._total

    def finish(self) -> PackedTexts:
        """All of it, packed."""
        kinds = {"B": "u1", "H": "u2", "I": "u4"}
        columns: dict[str, list[str]] = {
            name: [kinds[column.typecode], pack_numbers(column, kinds[column.typecode])]
            for name, column in self._columns.items()
        }
        scores = {
            label: ["f4", pack_numbers(column, "f4")] for label, column in self._scores.items()
        }
        index = {
            "chunk": CHUNK,
            "ids": self._ids,
            "categories": list(self._categories),
            "predicates": list(self._predicates),
            "columns": columns,
            "scores": scores,
        }
        return PackedTexts(
            self._inputs.finish(),
            self._texts.finish(),
            pack(index),
            len(self._columns["system"]),
            len(self._ids),
        )


def seen_name(meta: Mapping[str, Any]) -> str | None:
    """Whether the training data of the systems had such inputs, where the data says so."""
    seen = meta.get("seen")
    if isinstance(seen, bool):
        return "seen" if seen else "unseen"
    return seen if seen in SEEN else None


def _entities(triples: Sequence[Triple]) -> dict[str, int]:
    """Subjects and objects by the number the page gives them: in the order of the triples."""
    ends = dict.fromkeys(end for one in triples for end in (one.subject, one.object))
    return {entity: place for place, entity in enumerate(ends)}


def _text_record(
    result: Result, triples: Mapping[Triple, int], entities: Mapping[str, int]
) -> list[Any]:
    return [
        result.item.text,
        [
            [entities.get(one.entity, one.entity), one.start, one.end, one.method, one.distance]
            for one in result.mentions
        ],
        [
            [
                triples.get(one.triple, one.triple),
                STATUSES.index(one.status),
                _short(one.confidence),
                one.start,
                one.end,
            ]
            for one in result.facts
        ],
        [
            [
                one.metric,
                int(one.kind == "hallucination"),
                one.detail,
                None if one.triple is None else triples.get(one.triple, one.triple),
                None if one.entity is None else entities.get(one.entity, one.entity),
                one.start,
                one.end,
                _short(one.confidence),
                one.why,
            ]
            for one in result.findings
        ],
        dict(result.verdicts),
        dict(result.reasons),
    ]


def _short(value: float | None) -> float | None:
    """Three digits are more than anybody reads of a confidence."""
    return None if value is None else round(value, 3)


def _bounded(count: int) -> int:
    return min(count, 65_535)


def _number(names: dict[str, int], name: str) -> int:
    """The number of a name; past what a column can hold, all names share the last."""
    return _bounded(names.setdefault(name, len(names)))
