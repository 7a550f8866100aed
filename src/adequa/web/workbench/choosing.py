"""Which texts of a run a page shows, and in which order: what stands in its address."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any
from urllib.parse import urlencode

import numpy as np

from adequa.codec import load_object
from adequa.errors import DataError
from adequa.web.workbench.index import Numbers, RunIndex

__all__ = ["Choice", "Chosen", "choose"]

_LONGEST = 300
_VERDICTS: Mapping[str, tuple[int, ...]] = {
    "OK": (1,),
    "fault": (2, 3, 4),
    "omission": (2, 4),
    "hallucination": (3, 4),
    "hallucination+omission": (4,),
    "none": (0,),
}
"""By the name in the address, the codes of `adequa.report.items.VERDICTS`."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Filters and order, each "" where it was not chosen; the report's addresses have the same."""

    search: str = ""
    system: str = ""
    compare: str = ""
    verdict: str = ""
    category: str = ""
    size: str = ""
    seen: str = ""
    predicate: str = ""
    sort: str = ""

    @classmethod
    def read(cls, query: Mapping[str, str]) -> Choice:
        """From the query of an address; what is unknown there is nothing to us."""
        given = {one.name: query.get(one.name, "") for one in fields(cls)}
        return cls(**given | {"search": given["search"][:_LONGEST].strip()})

    def query(self, **changes: object) -> str:
        """As an address has it, with what is to be different."""
        values = asdict(self) | changes
        return urlencode({name: value for name, value in values.items() if value not in ("", None)})

    @property
    def is_narrow(self) -> bool:
        """Whether any text may be left out."""
        return replace(self, sort="", compare="") != Choice()


@dataclass(frozen=True, slots=True)
class Chosen:
    """Rows in their order, and how far a search came."""

    rows: Numbers
    searched: int | None = None
    """Texts that were searched before time was up; None where all were."""


def choose(index: RunIndex, choice: Choice, *, seconds: float = 20.0) -> Chosen:
    """The rows that pass every filter, in the chosen order; a search stops after `seconds`."""
    rows = np.flatnonzero(_mask(index, choice))
    searched = None
    if choice.search:
        rows, searched = _search(index, rows, choice.search, seconds)
    return Chosen(_sorted(index, rows, choice), searched)


def _mask(index: RunIndex, choice: Choice) -> Numbers:
    mask = np.ones(index.count, dtype=bool)
    if choice.system:
        mask &= index.system == _code(index.systems, choice.system)
    if choice.verdict:
        mask &= np.isin(index.verdict, _VERDICTS.get(choice.verdict, ()))
    if choice.category:
        mask &= index.category == _code(index.categories, choice.category)
    if choice.size:
        digits = choice.size.isascii() and choice.size.isdecimal() and len(choice.size) < 7
        mask &= index.size == (int(choice.size) if digits else -1)
    if choice.seen:
        mask &= index.seen == {"seen": 1, "unseen": 2}.get(choice.seen, 255)
    if choice.predicate:
        places = np.flatnonzero(index.faults == _code(index.predicates, choice.predicate))
        with_fault = np.zeros(index.count, dtype=bool)
        with_fault[np.searchsorted(index.fault_ends, places, side="right")] = True
        mask &= with_fault
    return mask


def _code(names: Iterable[str], name: str) -> int:
    return next((code for code, known in enumerate(names) if known == name), -1)


def _search(
    index: RunIndex, rows: Numbers, words: str, seconds: float
) -> tuple[Numbers, int | None]:
    """Those of the rows that have the words in their text, id or data."""
    wanted = words.casefold()
    # A bar may be one of those between the parts of a triple, which the file does not have.
    longest = max((part.strip() for part in wanted.split("|")), key=len)
    written = json.dumps(longest, ensure_ascii=False)[1:-1]
    ends = time.monotonic() + seconds
    found: list[int] = []
    with index.path.open("rb", buffering=1 << 20) as stream:
        for place, row in enumerate(rows.tolist()):
            if place % 256 == 0 and time.monotonic() > ends:
                return np.array(found, dtype=rows.dtype), place
            start = int(index.starts[row])
            stream.seek(start)
            line = stream.read(int(index.starts[row + 1]) - start)
            # Most lines do not have the words anywhere: only the others are worth parsing.
            if _may_have(line, written) and _has(line.decode("utf-8", "replace"), wanted):
                found.append(row)
    return np.array(found, dtype=rows.dtype), None


def _may_have(line: bytes, written: str) -> bool:
    if b"\\u" in line:
        return True
    if line.isascii():
        return written.encode() in line.lower()
    return written in line.decode("utf-8", "replace").casefold()


def _has(line: str, wanted: str) -> bool:
    try:
        raw: dict[str, Any] = load_object(line)
    except DataError:
        return False
    parts = [raw["id"], raw["text"], *(" | ".join(triple) for triple in raw["triples"])]
    return any(wanted in part.casefold() for part in parts)


def _sorted(index: RunIndex, rows: Numbers, choice: Choice) -> Numbers:
    """What has no value comes last; equals stay in the order of the file."""
    by, _, label = choice.sort.partition(":")
    sign = 1.0 if index.higher.get(label, True) else -1.0
    if by == "missing":
        keys = -index.missing[rows].astype(np.float64)
    elif by == "unsupported":
        keys = -index.unsupported[rows].astype(np.float64)
    elif label not in index.scores:
        return rows
    elif by == "worst":
        keys = sign * index.scores[label][rows]
    elif by == "best":
        keys = -sign * index.scores[label][rows]
    elif by == "apart" and choice.compare in index.systems:
        partners = index.partners(choice.compare)
        others = np.array([partners.get(int(key), -1) for key in index.inputs[rows]], dtype=int)
        scores = index.scores[label]
        apart = np.abs(scores[rows] - scores[others])
        keys = np.where(others < 0, np.nan, -apart)
    else:
        return rows
    sorted_: Numbers = rows[np.argsort(keys, kind="stable")]  # NaN last
    return sorted_
