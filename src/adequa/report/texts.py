"""The data blocks of the page: compact records of texts in chunks, and columns to filter by.

A block is JSON or numbers, deflated, in base64. An input (triples, references, category) is stored
once for all systems. Records are lists, whose order `unpackLine` in `assets/report.js` knows:

input    id, category, language, triples, references
text     text, mentions, facts, findings, verdicts by metric, reasons of metrics that did not score,
         faults
mention  entity, start, end, method, distance
fact     triple, status, confidence, start, end
finding  metric, kind, detail, triple, entity, start, end, confidence, why
fault    kind, why, metric

An entity or a triple of the input is stored as its number there, any other as itself.
"""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from array import array
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from adequa.data import Fact, Result, Triple, judged_status

CHUNK = 96
"""Records per chunk; there is no record of why it is 96."""
VERDICTS = (None, "OK", "omission", "hallucination", "hallucination+omission")
STATUSES = ("unchecked", "stated", "missing", "contradicted", "left out")
SEEN = (None, "seen", "unseen")
FAULTS = ("missing", "contradicted")
MOST_WORST = 8
"""Texts at the top of a page, the worst first: about one screen."""
_COMPRESSION = 9

Numbers = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class WorstText:
    """One of the first texts that a page shows; each fault is kind, reason and metric."""

    system: int
    id: str
    text: str
    verdict: str | None
    confidence: float | None
    faults: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class PackedTexts:
    """The data blocks of the page."""

    inputs: tuple[str, ...]
    texts: tuple[str, ...]
    index: str
    """Columns by name, each a typed array (kind and packed bytes), and the names they count."""
    text_count: int
    input_count: int
    worst: tuple[WorstText, ...]


def worst_first(
    *, verdict: Numbers, missing: Numbers, unsupported: Numbers, confidence: Numbers
) -> Numbers:
    """The keys of the order in which texts are shown, as those of `badness` in `choosing.js`.

    Texts with a fault come first, with the most faults on top and of equals the surest; then the OK
    ones, the least sure first; then those without a verdict.
    """
    sure = np.nan_to_num(confidence.astype(np.float64), nan=1.0)
    faults = missing.astype(np.float64) + unsupported
    return np.select([verdict > 1, verdict == 1], [-faults - sure, 1 + sure], 3.0)


class TextColumns:
    """Columns of numbers to filter and sort texts by; categories and predicates become codes."""

    def __init__(self, labels: Sequence[str], kinds: Mapping[str, str], score_kind: str) -> None:
        self.columns: dict[str, array[int]] = {name: array(kind) for name, kind in kinds.items()}
        self.scores: dict[str, array[float]] = {label: array(score_kind) for label in labels}
        self.confidence: array[float] = array(score_kind)
        self.categories: dict[str, int] = {}
        self.predicates: dict[str, int] = {}
        """The predicates of facts that are missing or contradicted."""

    def append(self, **values: int) -> None:
        """Add a value to each named column; a column's largest number stands for all above it."""
        for name, value in values.items():
            column = self.columns[name]
            column.append(min(value, 256**column.itemsize - 1))

    def add_input(self, category: str | None, size: int, meta: Mapping[str, Any]) -> None:
        """Add the category, the size and the kind (seen or unseen) of an input."""
        code = self.categories.setdefault(category or "", len(self.categories))
        self.append(category=code, size=size, seen=SEEN.index(seen_name(meta)))

    def add_text(
        self,
        *,
        system: int,
        verdict: str | None,
        at_fault: Sequence[str],
        unsupported: int,
        scores: Mapping[str, float | None],
        confidence: float | None,
    ) -> None:
        """Add a text; `at_fault` has the predicate of each missing or contradicted fact."""
        code = VERDICTS.index(verdict)
        self.append(system=system, verdict=code, missing=len(at_fault), unsupported=unsupported)
        for name in dict.fromkeys(at_fault):
            self.append(faults=self.predicates.setdefault(name, len(self.predicates)))
        self.append(fault_ends=len(self.columns["faults"]))
        for label, column in self.scores.items():
            value = scores.get(label)
            column.append(float("nan") if value is None else value)
        self.confidence.append(float("nan") if confidence is None else confidence)

    def worst(self, systems: Container[int]) -> list[int]:
        """The rows of the texts of some systems that have a fault, the worst first."""
        names = ("verdict", "missing", "unsupported")
        numbers = {name: np.asarray(self.columns[name]) for name in names}
        keys = worst_first(**numbers, confidence=np.asarray(self.confidence))
        faulty = np.flatnonzero(numbers["verdict"] > 1)
        rows: list[int] = faulty[np.argsort(keys[faulty], kind="stable")].tolist()
        chosen = (row for row in rows if self.columns["system"][row] in systems)
        return list(islice(chosen, MOST_WORST))


_KINDS = {"category": "H", "size": "H", "seen": "B", "system": "H", "input": "I", "verdict": "B"}
_KINDS |= {"missing": "H", "unsupported": "H", "broken": "H", "mended": "H"}
_KINDS |= {"fault_ends": "I", "faults": "H"}


def faulty_facts(result: Result) -> list[Fact]:
    """The facts that are contradicted, or missing where the text had to state them."""
    coverage = result.item.coverage
    return [fact for fact in result.facts if judged_status(fact.status, coverage) in FAULTS]


class Texts:
    """Packs results one by one; memory holds packed chunks and numbers."""

    def __init__(self, labels: Sequence[str], *, chosen: Container[int] | None = None) -> None:
        self._chosen = chosen
        self._inputs = Chunks(CHUNK)
        self._texts = Chunks(CHUNK)
        self._numbers: dict[int, int] = {}
        self._ids: list[str] = []
        self._columns = TextColumns(labels, _KINDS, "f")

    def add(self, system: int, result: Result, broken: int = 0, mended: int = 0) -> None:
        """Add a text of a system, unless its input was not chosen for the page."""
        number = self._input(result)
        if number is None:
            return
        triples = {triple: place for place, triple in enumerate(result.item.triples)}
        ends = dict.fromkeys(end for one in triples for end in (one.subject, one.object))
        entities = {entity: place for place, entity in enumerate(ends)}
        self._texts.add(_text_record(result, triples, entities))
        self._columns.append(input=number, broken=broken, mended=mended)
        self._columns.add_text(
            system=system,
            verdict=result.verdict,
            at_fault=[fact.triple.predicate for fact in faulty_facts(result)],
            unsupported=len(result.unsupported),
            scores=result.scores,
            confidence=result.confidence,
        )

    def _input(self, result: Result) -> int | None:
        """The number of the text's input; None where it was not chosen for the page."""
        item = result.item
        key = input_hash(item.id, item.triples)
        if key in self._numbers:
            return self._numbers[key]
        if self._chosen is not None and key not in self._chosen:
            return None
        number = self._numbers[key] = len(self._ids)
        self._ids.append(item.id)
        self._inputs.add(
            [item.id, item.category, item.lang, list(item.triples), list(item.references)]
        )
        self._columns.add_input(item.category, len(item.triples), item.meta)
        return number

    def finish(self, shown: Container[int]) -> PackedTexts:
        """All of it, packed; the worst are of the systems that are shown."""
        made = self._columns
        index = {
            "chunk": CHUNK,
            "ids": self._ids,
            "categories": list(made.categories),
            "predicates": list(made.predicates),
            "columns": {name: _packed_column(column) for name, column in made.columns.items()},
            "scores": {label: _packed_column(column) for label, column in made.scores.items()},
            "confidence": _packed_column(made.confidence),
        }
        texts = self._texts.finish()
        return PackedTexts(
            inputs=self._inputs.finish(),
            texts=texts,
            index=pack(index),
            text_count=len(made.columns["system"]),
            input_count=len(self._ids),
            worst=tuple(self._worst(row, texts) for row in made.worst(shown)),
        )

    def _worst(self, row: int, texts: Sequence[str]) -> WorstText:
        record = unpack(texts[row // CHUNK])[row % CHUNK]
        made, confidence = self._columns.columns, self._columns.confidence[row]
        return WorstText(
            system=made["system"][row],
            id=self._ids[made["input"][row]],
            text=record[0],
            verdict=VERDICTS[made["verdict"][row]],
            confidence=None if np.isnan(confidence) else confidence,
            faults=tuple(map(tuple, record[-1])),
        )


def input_hash(id_: str, triples: Iterable[Iterable[str]]) -> int:
    """A number for an input, the same for all systems."""
    parts = (id_, *(part for triple in triples for part in triple))
    digest = hashlib.blake2b("\0".join(parts).encode("utf-8", "replace"), digest_size=8)
    return int.from_bytes(digest.digest(), "little")


def seen_name(meta: Mapping[str, Any]) -> str | None:
    """Whether the systems' training data had such inputs; None where unknown."""
    seen = meta.get("seen")
    if isinstance(seen, bool):
        return "seen" if seen else "unseen"
    return seen if seen in SEEN else None


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
                STATUSES.index(judged_status(one.status, result.item.coverage)),
                *(_short(one.confidence), one.start, one.end),
            ]
            for one in result.facts
        ],
        [
            [
                *(one.metric, int(one.kind == "hallucination"), one.detail),
                None if one.triple is None else triples.get(one.triple, one.triple),
                None if one.entity is None else entities.get(one.entity, one.entity),
                *(one.start, one.end, _short(one.confidence), one.why),
            ]
            for one in result.findings
        ],
        dict(result.verdicts),
        dict(result.reasons),
        [[one.kind, one.why, one.metric] for one in result.faults],
    ]


def _short(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def pack(value: Any) -> str:
    """A JSON value for a data block of the page: base64 of raw deflate of UTF-8.

    >>> unpack(pack({"text": "</script>"}))
    {'text': '</script>'}
    """
    written = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return _deflated(written.encode("utf-8"))


def _packed_column(column: array[Any]) -> list[str]:
    kind = {"B": "u1", "H": "u2", "I": "u4", "f": "f4"}[column.typecode]
    return [kind, _deflated(np.asarray(column, dtype=f"<{kind}").tobytes())]


def _deflated(raw: bytes) -> str:
    # Raw, for the browser's "deflate-raw"; a header could differ between machines.
    deflate = zlib.compressobj(_COMPRESSION, zlib.DEFLATED, -zlib.MAX_WBITS)
    return base64.b64encode(deflate.compress(raw) + deflate.flush()).decode("ascii")


def unpack(packed: str) -> Any:
    """The JSON value of a packed block, for readers without a browser."""
    return json.loads(zlib.decompress(base64.b64decode(packed), -zlib.MAX_WBITS))


class Chunks:
    """Records packed in chunks, so that one can be read without unpacking all."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._open: list[Any] = []
        self._packed: list[str] = []

    def add(self, record: Any) -> None:
        """Add a record."""
        self._open.append(record)
        if len(self._open) == self._size:
            self._close()

    def finish(self) -> tuple[str, ...]:
        """All chunks; record n is in chunk n // size."""
        if self._open:
            self._close()
        return tuple(self._packed)

    def _close(self) -> None:
        self._packed.append(pack(self._open))
        self._open = []
