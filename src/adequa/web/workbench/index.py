"""The index of a run: where each text is in its file, and columns to filter and sort by.

Built in one pass over `scores.jsonl`; it takes some fifty bytes per text and holds no text, and 64
bytes per text in a temporary file for searches. Lines are read when a page shows them.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
import threading
import time
import weakref
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Generic, TypeVar
from urllib.parse import urlencode

import numpy as np
import numpy.typing as npt
from starlette.concurrency import run_in_threadpool

from adequa.caches import MEGABYTE, Cache
from adequa.codec import result_from_object, result_to_page
from adequa.data import judged_status
from adequa.errors import DataError
from adequa.files import FileVersion, file_version, load_object
from adequa.report.tallies import FactTally, Slices
from adequa.report.texts import FAULTS, TextColumns, input_hash, seen_name, worst_first
from adequa.run import Run
from adequa.web.api.engine import stopping
from adequa.web.api.runs import open_served
from adequa.web.limits import whole_number

_KINDS = {"system": "I", "verdict": "B", "category": "I", "size": "H", "seen": "B"}
_KINDS |= {"missing": "H", "unsupported": "H", "faults": "I", "fault_ends": "Q"}
_KINDS |= {"inputs": "Q", "names": "Q"}
_EVERY = 2_000
"""Lines between two reports of progress."""
_REMEDY = "if the run was edited, score again into a new folder"
_INDEX_BYTES = 512 * MEGABYTE
"""Ten million texts at some fifty bytes each."""
_CHOICE_BYTES = 64 * MEGABYTE
"""Eight million rows in all selections together."""
_LONGEST = 300
_SIGNATURE_BITS = 512
"""Texts of the research data with their triples have some 250 different triples of letters."""
_ROWS_AT_ONCE = 1 << 18
_VERDICTS: Mapping[str, tuple[int, ...]] = {
    "OK": (1,),
    "fault": (2, 3, 4),
    "omission": (2, 4),
    "hallucination": (3, 4),
    "hallucination+omission": (4,),
    "none": (0,),
}
"""The codes of `adequa.report.texts.VERDICTS` by the name in the address."""

Numbers = npt.NDArray[Any]
T = TypeVar("T")


@dataclass(frozen=True)
class RunIndex:
    """The columns of a run, one value per text; codes refer to the tuples of names."""

    path: Path
    version: FileVersion
    labels: tuple[str, ...]
    higher: Mapping[str, bool]
    """By metric, whether higher is better."""
    systems: tuple[str, ...]
    categories: tuple[str, ...]
    slices: Slices
    predicates: Mapping[str, FactTally]
    at_fault: tuple[str, ...]
    """The predicates of facts that are missing or contradicted."""
    starts: Numbers
    """Byte offsets, with one more at the end."""
    system: Numbers
    verdict: Numbers
    category: Numbers
    size: Numbers
    seen: Numbers
    missing: Numbers
    unsupported: Numbers
    faults: Numbers
    """Codes of predicates in `at_fault`, text after text."""
    fault_ends: Numbers
    inputs: Numbers
    """A hash of id and triples, the same for the same input of two systems."""
    names: Numbers
    """A hash of system and id, which together are unique."""
    scores: Mapping[str, Numbers]
    confidence: Numbers
    signatures: TextSignatures

    @property
    def count(self) -> int:
        """The number of texts."""
        return len(self.system)

    def line(self, row: int) -> dict[str, Any]:
        """The line of a text, validated, without the fields no page shows."""
        start, end = int(self.starts[row]), int(self.starts[row + 1])
        with self.path.open("rb") as stream:
            stream.seek(start)
            raw = stream.read(end - start)
        try:
            found = result_to_page(result_from_object(load_object(raw.decode())))
        except (DataError, UnicodeDecodeError, TypeError, ValueError):
            raise DataError(
                "has changed since it was opened", path=self.path, line=row + 1, remedy=_REMEDY
            ) from None
        found.pop("statistics", None)
        return {"system": "", "category": "", "lang": "", "references": []} | found

    def find(self, system: str, id_: str) -> int | None:
        """The row of a system's text by the id of its input."""
        for row in np.flatnonzero(self.names == _name_hash(system, id_)):
            line = self.line(int(row))
            if line["system"] == system and line["id"] == id_:
                return int(row)
        return None

    def beside(self, row: int) -> dict[str, int]:
        """The rows of all systems on the input of a text, by system, in the run's order."""
        rows = np.flatnonzero(self.inputs == self.inputs[row])
        return {self.systems[int(self.system[one])]: int(one) for one in rows}

    def partners(self, system: str) -> dict[int, int]:
        """The rows of a system's texts by the hash of their input."""
        rows = np.flatnonzero(self.system == self.systems.index(system))
        return {int(key): int(row) for key, row in zip(self.inputs[rows], rows, strict=True)}


def build_index(run: Run, progress: Callable[[float], None] = lambda share: None) -> RunIndex:  # noqa: ARG005
    """Read a run once; `progress` is called with the share that is done."""
    metrics = run.manifest["metrics"]
    growing = _Growing(tuple(metrics))
    path = run.scores_path
    version = file_version(path)
    with path.open("rb") as stream:
        for number, raw in enumerate(stream, start=1):
            try:
                growing.add(load_object(raw.decode()), len(raw))
            except (DataError, UnicodeDecodeError, TypeError, ValueError, KeyError, AttributeError):
                raise DataError(
                    "breaks the contract", path=path, line=number, remedy=_REMEDY
                ) from None
            if number % _EVERY == 0:
                progress(growing.starts[-1] / max(1, version.bytes))
    made = growing.made
    return RunIndex(
        path=path,
        version=version,
        labels=tuple(metrics),
        higher={label: bool(one["higher_is_better"]) for label, one in metrics.items()},
        systems=tuple(growing.systems),
        categories=tuple(made.categories),
        slices=growing.slices,
        predicates=growing.predicates,
        at_fault=tuple(made.predicates),
        starts=_numbers(growing.starts),
        scores={label: _numbers(column) for label, column in made.scores.items()},
        confidence=_numbers(made.confidence),
        signatures=growing.signatures,
        **{name: _numbers(column) for name, column in made.columns.items()},
    )


class TextSignatures:
    """Which triples of letters each text has, as bits in a temporary file.

    A text that lacks one of a search does not have the words: of texts of some hundred letters, one
    in a hundred has all those of an eight-letter word by chance, and only such texts are read.
    """

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(prefix="adequa-search-")  # noqa: SIM115
        weakref.finalize(self, self._file.close)
        self._count = 0

    def add(self, parts: Iterable[str]) -> None:
        """Add the next text."""
        self._file.write(_signature("\n".join(parts)))
        self._count += 1

    def may_have(self, wanted: str) -> Numbers:
        """For each text, whether it can have the words."""
        mask = np.ones(self._count, dtype=bool)
        bits = np.frombuffer(_signature(wanted), dtype=np.uint64)
        if self._count and bits.any():
            self._file.flush()
            shape = (self._count, len(bits))
            known = np.memmap(self._file, dtype=np.uint64, mode="r", shape=shape)
            for start in range(0, self._count, _ROWS_AT_ONCE):
                block = known[start : start + _ROWS_AT_ONCE]
                mask[start : start + len(block)] = ((block & bits) == bits).all(axis=1)
        return mask


def _signature(string: str) -> bytes:
    letters = np.frombuffer(string.casefold().encode("utf-8", "replace"), dtype=np.uint8)
    bits = np.zeros(_SIGNATURE_BITS, dtype=np.uint8)
    if len(letters) > 2:
        wide = letters.astype(np.uint32)
        triples = wide[:-2] << 16 | wide[1:-1] << 8 | wide[2:]
        mixed = triples * np.uint32(2_654_435_761)  # the golden ratio, as in Knuth's hash
        bits[mixed >> np.uint32(32 - _SIGNATURE_BITS.bit_length() + 1)] = 1
    return np.packbits(bits).tobytes()


class _Growing:
    """The columns while they are being filled."""

    def __init__(self, labels: Sequence[str]) -> None:
        self.starts = array("Q", [0])
        self.systems: dict[str, int] = {}
        self.slices = Slices()
        self.predicates: dict[str, FactTally] = {}
        self.made = TextColumns(labels, _KINDS, "d")
        self.signatures = TextSignatures()

    def add(self, raw: Mapping[str, Any], length: int) -> None:
        """Add the next line."""
        made, system, triples = self.made, raw.get("system", ""), raw["triples"]
        category, meta = raw.get("category") or None, raw.get("meta", {})
        self.starts.append(self.starts[-1] + length)
        self.signatures.add(_searched_parts(raw))
        made.append(
            inputs=input_hash(raw["id"], triples),
            names=_name_hash(system, raw["id"]),
        )
        made.add_input(category, len(triples), meta)
        values = category, str(len(triples)), seen_name(meta)
        self.slices.add(values, raw["verdict"], raw["scores"])
        coverage = raw.get("coverage")
        facts = [
            (fact["triple"][1], judged_status(fact["status"], coverage)) for fact in raw["facts"]
        ]
        for predicate, status in facts:
            self.predicates.setdefault(predicate, FactTally()).add(status)
        made.add_text(
            system=self.systems.setdefault(system, len(self.systems)),
            verdict=raw["verdict"],
            at_fault=[predicate for predicate, status in facts if status in FAULTS],
            unsupported=sum(one["kind"] == "hallucination" for one in raw["findings"]),
            scores=raw["scores"],
            confidence=raw.get("confidence"),
        )


def _numbers(column: array[Any]) -> Numbers:
    return np.frombuffer(column, dtype=column.typecode) if column else np.array([], column.typecode)


def _name_hash(system: str, id_: str) -> int:
    return input_hash(system, [[id_]])


@dataclass(frozen=True, slots=True)
class TextSelection:
    """Filters and order of a page, as in its address; "" means not selected.

    The addresses of the report use the same names.
    """

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
    def read(cls, query: Mapping[str, str]) -> TextSelection:
        """Read the query of an address; unknown names are ignored."""
        given = {one.name: query.get(one.name, "") for one in fields(cls)}
        return cls(**given | {"search": given["search"][:_LONGEST].strip()})

    def query(self, **changes: object) -> str:
        """The query of an address, with changes."""
        values = asdict(self) | changes
        return urlencode({name: value for name, value in values.items() if value not in ("", None)})

    @property
    def is_narrow(self) -> bool:
        """Whether a filter is set."""
        return replace(self, sort="", compare="") != TextSelection()


@dataclass(frozen=True, slots=True)
class SelectedTexts:
    """Rows in their order, and how far a search got."""

    rows: Numbers
    searched: int | None = None
    """The number of texts searched before the time ran out; None if all were."""


def choose(index: RunIndex, choice: TextSelection, *, seconds: float = 20.0) -> SelectedTexts:
    """The rows that pass every filter, in order; a search stops after `seconds`."""
    rows = np.flatnonzero(_mask(index, choice))
    searched = None
    if choice.search:
        rows, searched = _search(index, rows, choice.search, seconds)
    return SelectedTexts(_sorted(index, rows, choice), searched)


def _mask(index: RunIndex, choice: TextSelection) -> Numbers:
    mask = np.ones(index.count, dtype=bool)
    if choice.system:
        mask &= index.system == _code(index.systems, choice.system)
    if choice.verdict:
        mask &= np.isin(index.verdict, _VERDICTS.get(choice.verdict, ()))
    if choice.category:
        mask &= index.category == _code(index.categories, choice.category)
    if choice.size:
        size = whole_number(choice.size)
        mask &= index.size == (-1 if size is None else size)
    if choice.seen:
        mask &= index.seen == _code(("", "seen", "unseen"), choice.seen)
    if choice.predicate:
        places = np.flatnonzero(index.faults == _code(index.at_fault, choice.predicate))
        with_fault = np.zeros(index.count, dtype=bool)
        with_fault[np.searchsorted(index.fault_ends, places, side="right")] = True
        mask &= with_fault
    return mask


def _code(names: Iterable[str], name: str) -> int:
    return next((code for code, known in enumerate(names) if known == name), -1)


def _search(
    index: RunIndex, rows: Numbers, words: str, seconds: float
) -> tuple[Numbers, int | None]:
    """The rows that contain the words in their text, id or data."""
    wanted = words.casefold()
    rows = rows[index.signatures.may_have(wanted)[rows]]
    # A bar may separate the parts of a triple, and the file has no such bars.
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
            # Most lines do not contain the words, so only the others are parsed.
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
    return any(wanted in part.casefold() for part in _searched_parts(raw))


def _searched_parts(raw: Mapping[str, Any]) -> list[str]:
    return [raw["id"], raw["text"], *(" | ".join(triple) for triple in raw["triples"])]


def _sorted(index: RunIndex, rows: Numbers, choice: TextSelection) -> Numbers:
    """Sort rows; those without a value come last, equal ones stay in file order."""
    by, _, label = (choice.sort or "faults").partition(":")
    sign = 1.0 if index.higher.get(label, True) else -1.0
    if by == "faults":
        names = ("verdict", "missing", "unsupported", "confidence")
        keys = worst_first(**{name: getattr(index, name)[rows] for name in names})
    elif by in ("missing", "unsupported"):
        keys = -getattr(index, by)[rows].astype(np.float64)
    elif by == "unsure":
        keys = index.confidence[rows]
    elif label not in index.scores:
        return rows
    elif by in ("worst", "best"):
        keys = (sign if by == "worst" else -sign) * index.scores[label][rows]
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


@dataclass
class BackgroundTask(Generic[T]):
    """Work that goes on in a thread; `share` is how much of it is done."""

    share: float = 0.0
    future: Future[T] = field(default_factory=Future)

    async def wait(self, seconds: float) -> T | BackgroundTask[T]:
        """The result, or the task itself if it takes longer."""
        await asyncio.wait([asyncio.wrap_future(self.future)], timeout=seconds)
        return self.future.result() if self.future.done() else self


class Indexes:
    """The indexes of the runs last viewed and the texts last selected, within bounds of memory.

    Safe to use from any thread; one run is read at a time, in the background.
    """

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, "index")
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._reading: dict[FileVersion, BackgroundTask[RunIndex]] = {}
        self._known: Cache[RunIndex] = Cache(_INDEX_BYTES)
        self._chosen: Cache[SelectedTexts] = Cache(_CHOICE_BYTES)

    async def get(self, folder: Path, *, wait: float = 1.5) -> RunIndex | BackgroundTask[RunIndex]:
        """The index of a run, or its progress if it takes longer than `wait` seconds."""
        run = await run_in_threadpool(open_served, folder)
        version = file_version(run.scores_path)
        known = self._known.get(version)
        if known is not None:
            return known
        with self._lock:
            reading = self._reading.get(version)
            if reading is None:
                # One that is too large for the cache stays until another run is read.
                self._reading = {
                    key: one for key, one in self._reading.items() if not one.future.done()
                }
                reading = self._reading[version] = BackgroundTask()
                reading.future = self._pool.submit(self._build, version, run, reading)
        return await reading.wait(wait)

    def _build(self, version: FileVersion, run: Run, reading: BackgroundTask[RunIndex]) -> RunIndex:
        is_too_large = False
        try:
            index = self._known.put(version, _read(run, reading, self._closed))
            is_too_large = version not in self._known
            return index
        finally:
            if not is_too_large:
                with self._lock:
                    self._reading.pop(version, None)

    def choose(self, index: RunIndex, choice: TextSelection) -> SelectedTexts:
        """The selected rows, remembered so that turning a page does not search again."""
        return self._chosen.get_or_make((index.version, choice), lambda: choose(index, choice))

    def close(self) -> None:
        """Stop reading: a large run would delay the end of the server."""
        self._closed.set()
        self._pool.shutdown(wait=False, cancel_futures=True)


def _read(run: Run, reading: BackgroundTask[RunIndex], closed: threading.Event) -> RunIndex:
    def tell(share: float) -> None:
        reading.share = share
        if closed.is_set():
            raise stopping()

    return build_index(run, tell)
