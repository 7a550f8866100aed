"""Where each text of a run lies in its file, and the numbers to filter and sort by.

One pass over `scores.jsonl`; memory holds some fifty bytes a text, and never a text. Lines are read
from the file when a page shows them.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from adequa.codec import load_object, result_from_object, result_to_object
from adequa.errors import DataError
from adequa.report.items import SEEN, VERDICTS, seen_name
from adequa.run import Run
from adequa.run.folder import SCORES

__all__ = ["FactCounts", "RunIndex", "build_index"]

_FAULTS = ("missing", "contradicted")
_MOST = 0xFFFF
_EVERY = 2_000
"""Lines between two signs of progress."""
_REMEDY = "was the run edited? score again into a new folder"

Numbers = npt.NDArray[Any]


@dataclass(slots=True)
class FactCounts:
    """The facts of one predicate, by what became of them."""

    facts: int = 0
    missing: int = 0
    contradicted: int = 0


@dataclass(frozen=True)
class RunIndex:
    """A run's columns, a value a text; codes count the names beside them."""

    path: Path
    labels: tuple[str, ...]
    higher: Mapping[str, bool]
    """By metric, whether more is better."""
    systems: tuple[str, ...]
    categories: tuple[str, ...]
    predicates: Mapping[str, FactCounts]
    starts: Numbers
    """Byte offsets; one more than there are texts."""
    system: Numbers
    verdict: Numbers
    category: Numbers
    size: Numbers
    seen: Numbers
    missing: Numbers
    unsupported: Numbers
    faults: Numbers
    """Codes of predicates at fault, of one text after the other."""
    fault_ends: Numbers
    inputs: Numbers
    """A hash of id and triples: the same for the same input of two systems."""
    names: Numbers
    """A hash of system and id, which are unique together."""
    scores: Mapping[str, Numbers]

    @property
    def count(self) -> int:
        """How many texts there are."""
        return len(self.system)

    def line(self, row: int) -> dict[str, Any]:
        """A text as its line has it, checked against the contract, without what no page shows."""
        start, end = int(self.starts[row]), int(self.starts[row + 1])
        with self.path.open("rb") as stream:
            stream.seek(start)
            raw = stream.read(end - start)
        try:
            found = result_to_object(result_from_object(load_object(raw.decode())))
        except (DataError, UnicodeDecodeError, TypeError, ValueError):
            raise DataError(
                "has changed since it was opened", path=self.path, line=row + 1, remedy=_REMEDY
            ) from None
        found.pop("statistics", None)
        return {"system": "", "category": "", "lang": "", "references": []} | found

    def find(self, system: str, id_: str) -> int | None:
        """The row of a system's text by the id of its input."""
        for row in np.flatnonzero(self.names == _hash(system, id_)):
            line = self.line(int(row))
            if line["system"] == system and line["id"] == id_:
                return int(row)
        return None

    def beside(self, row: int) -> dict[str, int]:
        """The rows of all systems on the input of a text, by system, in the run's order."""
        rows = np.flatnonzero(self.inputs == self.inputs[row])
        return {self.systems[int(self.system[one])]: int(one) for one in rows}

    def partners(self, system: str) -> dict[int, int]:
        """By the hash of the input, the row of a system's text on it."""
        rows = np.flatnonzero(self.system == self.systems.index(system))
        return {int(key): int(row) for key, row in zip(self.inputs[rows], rows, strict=True)}


def build_index(run: Run, progress: Callable[[float], None] = lambda share: None) -> RunIndex:  # noqa: ARG005
    """Read a run once; `progress` is told the share that is done."""
    growing = _Growing(tuple(run.manifest["metrics"]))
    path = run.path / SCORES
    whole = max(1, path.stat().st_size)
    with path.open("rb") as stream:
        for number, raw in enumerate(stream, start=1):
            try:
                growing.add(load_object(raw.decode()), len(raw))
            except (DataError, UnicodeDecodeError, TypeError, ValueError, KeyError, AttributeError):
                raise DataError(
                    "breaks the contract", path=path, line=number, remedy=_REMEDY
                ) from None
            if number % _EVERY == 0:
                progress(growing.starts[-1] / whole)
    higher = {
        label: bool(one["higher_is_better"]) for label, one in run.manifest["metrics"].items()
    }
    return growing.finish(path, higher)


class _Growing:
    """The columns while they are filled."""

    def __init__(self, labels: Sequence[str]) -> None:
        self.labels = tuple(labels)
        self.starts = array("Q", [0])
        self.systems: dict[str, int] = {}
        self.categories: dict[str, int] = {}
        self.predicates: dict[str, FactCounts] = {}
        self.codes: dict[str, int] = {}
        self.columns = {
            "system": array("I"),
            "verdict": array("B"),
            "category": array("I"),
            "size": array("H"),
            "seen": array("B"),
            "missing": array("H"),
            "unsupported": array("H"),
            "faults": array("I"),
            "fault_ends": array("Q"),
            "inputs": array("Q"),
            "names": array("Q"),
        }
        self.scores = {label: array("d") for label in labels}

    def add(self, raw: Mapping[str, Any], length: int) -> None:
        """The next line."""
        columns, system, triples = self.columns, raw.get("system", ""), raw["triples"]
        self.starts.append(self.starts[-1] + length)
        columns["system"].append(self.systems.setdefault(system, len(self.systems)))
        columns["verdict"].append(VERDICTS.index(raw["verdict"]))
        category = raw.get("category") or ""
        columns["category"].append(self.categories.setdefault(category, len(self.categories)))
        columns["size"].append(min(len(triples), _MOST))
        columns["seen"].append(SEEN.index(seen_name(raw.get("meta", {}))))
        columns["unsupported"].append(
            min(sum(one["kind"] == "hallucination" for one in raw["findings"]), _MOST)
        )
        columns["missing"].append(min(self._add_facts(raw["facts"]), _MOST))
        columns["inputs"].append(_hash(raw["id"], *(part for triple in triples for part in triple)))
        columns["names"].append(_hash(system, raw["id"]))
        for label, column in self.scores.items():
            value = raw["scores"].get(label)
            column.append(float("nan") if value is None else value)

    def _add_facts(self, facts: Sequence[Mapping[str, Any]]) -> int:
        """How many are at fault."""
        at_fault: dict[int, None] = {}
        count = 0
        for fact in facts:
            predicate, status = fact["triple"][1], fact["status"]
            if predicate not in self.predicates:
                self.codes[predicate] = len(self.codes)
                self.predicates[predicate] = FactCounts()
            counts = self.predicates[predicate]
            counts.facts += 1
            if status in _FAULTS:
                count += 1
                setattr(counts, status, getattr(counts, status) + 1)
                at_fault[self.codes[predicate]] = None
        self.columns["faults"].extend(at_fault)
        self.columns["fault_ends"].append(len(self.columns["faults"]))
        return count

    def finish(self, path: Path, higher: Mapping[str, bool]) -> RunIndex:
        """All columns, as arrays."""
        return RunIndex(
            path,
            self.labels,
            higher,
            tuple(self.systems),
            tuple(self.categories),
            self.predicates,
            _numbers(self.starts),
            scores={label: _numbers(column) for label, column in self.scores.items()},
            **{name: _numbers(column) for name, column in self.columns.items()},
        )


def _numbers(column: array[Any]) -> Numbers:
    return np.frombuffer(column, dtype=column.typecode) if column else np.array([], column.typecode)


def _hash(*parts: str) -> int:
    digest = hashlib.blake2b("\0".join(parts).encode("utf-8", "replace"), digest_size=8)
    return int.from_bytes(digest.digest(), "little")
