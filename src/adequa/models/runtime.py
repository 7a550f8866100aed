"""How models run: ONNX sessions on the CPU, word vectors, batches, and windows of long inputs.

A result must not depend on the other items of its batch (contract: 1e-4). So a sequence is padded
to the next multiple of eight of its own length and runs only with others of that padded length.
"""

from __future__ import annotations

import importlib
import os
import threading
import zipfile
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from adequa.errors import ModelError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Value = TypeVar("Value")


class PerProcess(Generic[Value]):
    """Values by key, each made once per process; a forked child inherits all of them or none.

    Sessions own threads, which a child does not have; plain memory can be inherited.
    """

    def __init__(self, *, inherited: bool) -> None:
        self._inherited = inherited
        self._left: list[dict[Hashable, Value]] = []
        self._made: dict[Hashable, Value] = {}
        self._lock = threading.Lock()
        if hasattr(os, "register_at_fork"):  # not on Windows, where nothing forks
            os.register_at_fork(after_in_child=self._start_child)

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The value of a key; threads that need the same one wait for it."""
        with self._lock:
            if key not in self._made:
                self._made[key] = make()
            return self._made[key]

    def _start_child(self) -> None:
        self._lock = threading.Lock()  # another thread of the parent may have held the old one
        if not self._inherited:
            # Kept alive: freeing a session would wait for its threads, which do not exist here.
            self._left.append(self._made)
            self._made = {}


_REMEDY = "give the words.npz the model was exported with"
_TABLES: PerProcess[WordTable] = PerProcess(inherited=True)


class WordTable:
    """The vectors of a vocabulary, shared by the shipped models: int8 rows with a scale each."""

    def __init__(self, rows: NDArray[np.int8], scales: NDArray[np.float32]) -> None:
        if rows.dtype != "int8" or rows.ndim != 2 or scales.shape != rows.shape[:1]:
            raise ModelError(
                f"rows of {rows.dtype} {rows.shape} with scales {scales.shape} are not a word table"
            )
        self.rows = rows
        self.scales: NDArray[np.float32] = scales.astype("float32").reshape(-1, 1)

    @classmethod
    def read(cls, path: Path | str) -> WordTable:
        """The table of a file, which is read once per process."""
        place = Path(path).resolve()
        return _TABLES.get(place, lambda: cls._load(place))

    @classmethod
    def _load(cls, path: Path) -> WordTable:
        import numpy as np

        try:
            # Opened here, because numpy leaves a file open that is not an archive.
            with path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
                return cls(file["rows"], file["scales"])
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, TypeError) as error:
            problem = f"cannot be read as word vectors ({error})"
            raise ModelError(f"{path}: {problem}; {_REMEDY}") from None
        except ModelError as error:
            raise ModelError(f"{path}: {error}; {_REMEDY}") from None

    def __len__(self) -> int:
        return len(self.rows)

    def vectors(self, ids: NDArray[np.int64]) -> NDArray[np.float32]:
        """The vectors of word numbers, with one axis more than the numbers."""
        return self.rows[ids] * self.scales[ids]


_STEP = 8
_RETRY = "reinstall adequa, or export the model again"
_SESSIONS: PerProcess[Any] = PerProcess(inherited=False)


@dataclass(frozen=True)
class Network:
    """An ONNX file with word vectors as input, loaded by the first run in each process.

    Inputs are `words`, `mask` and, with `typed`, `types`; an output with an axis of positions is
    returned without its padding.
    """

    path: Path
    table: WordTable
    outputs: tuple[str, ...]
    typed: bool = False
    pad: int = 0
    threads: int = 1
    batch_tokens: int = 768
    batch_size: int = 64

    def run(
        self, sequences: Sequence[Sequence[int]], types: Sequence[Sequence[int]] | None = None
    ) -> list[Mapping[str, NDArray[np.float32]]]:
        """The outputs for each sequence of word numbers, in the order of the sequences."""
        found: list[Mapping[str, NDArray[np.float32]]] = [{}] * len(sequences)
        lengths = [len(sequence) for sequence in sequences]
        for batch in batches(lengths, self.batch_tokens, self.batch_size):
            values = self._run(self._feed(batch, sequences, types))
            for row, number in enumerate(batch):
                found[number] = self._outputs(values, row, lengths[number])
        return found

    def _feed(
        self,
        batch: Sequence[int],
        sequences: Sequence[Sequence[int]],
        types: Sequence[Sequence[int]] | None,
    ) -> dict[str, NDArray[Any]]:
        import numpy as np

        shape = len(batch), padded_length(len(sequences[batch[0]]))
        ids = np.full(shape, self.pad, dtype=np.int64)
        mask, kinds = np.zeros((2, *shape), dtype=np.int64)
        for row, number in enumerate(batch):
            length = len(sequences[number])
            ids[row, :length] = sequences[number]
            mask[row, :length] = 1
            if types is not None:
                kinds[row, :length] = types[number]
        feed: dict[str, NDArray[Any]] = {"words": self.table.vectors(ids), "mask": mask}
        return {**feed, "types": kinds} if self.typed else feed

    def _run(self, feed: dict[str, NDArray[Any]]) -> list[NDArray[np.float32]]:
        session = self._session()
        shape = feed["mask"].shape
        try:
            values: list[NDArray[np.float32]] = session.run(list(self.outputs), feed)
        except Exception as error:  # onnxruntime has a dozen errors without a common base
            raise ModelError(
                f"{self.path}: fails on {shape[0]} × {shape[1]} words ({short_error(error)}); "
                f"{_RETRY}"
            ) from error
        for name, value in zip(self.outputs, values, strict=True):
            if value.shape[:1] != shape[:1] or (value.ndim > 2 and value.shape[1] != shape[1]):
                problem = f"{name!r} has the shape {value.shape} for {shape}"
                raise ModelError(f"{self.path}: {problem}; {_RETRY}")
        return values

    def _outputs(
        self, values: Sequence[NDArray[np.float32]], row: int, length: int
    ) -> Mapping[str, NDArray[np.float32]]:
        import numpy as np

        found = {}
        for name, value in zip(self.outputs, values, strict=True):
            # A copy, because a view would keep the whole batch in memory.
            own = (value[row, :length] if value.ndim > 2 else value[row]).copy()
            if not np.isfinite(own).all():
                problem = f"{name!r} holds numbers that are not finite"
                raise ModelError(f"{self.path}: {problem}; {_RETRY}")
            found[name] = own
        return found

    def _session(self) -> Any:
        key = self.path.resolve(), self.threads
        session = _SESSIONS.get(key, lambda: open_session(*key, remedy=_RETRY))
        wanted = {"words", "mask", "types"} if self.typed else {"words", "mask"}
        has = {one.name for one in session.get_inputs()}
        gives = {one.name for one in session.get_outputs()}
        if has != wanted or not gives.issuperset(self.outputs):
            raise ModelError(
                f"{self.path}: reads {_listed(has)} and gives {_listed(gives)}, where "
                f"{_listed(wanted)} and {_listed(self.outputs)} are needed; {_RETRY}"
            )
        return session


def padded_length(length: int) -> int:
    """The length of a sequence with its padding."""
    return -(-length // _STEP) * _STEP


def batches(lengths: Sequence[int], tokens: int, count: int) -> Iterator[list[int]]:
    """Batches of sequences with one padded length, the longest first, within both bounds.

    >>> list(batches([5, 20, 8, 3], tokens=16, count=9))
    [[1], [0, 2], [3]]
    """
    order = sorted(range(len(lengths)), key=lambda number: -padded_length(lengths[number]))
    for length, group in groupby(order, key=lambda number: padded_length(lengths[number])):
        numbers = list(group)
        most = max(1, min(count, tokens // max(1, length)))
        for start in range(0, len(numbers), most):
            yield numbers[start : start + most]


def open_session(path: Path, threads: int, *, remedy: str) -> Any:
    """An onnxruntime session on the CPU; `remedy` completes the message of an error."""
    onnxruntime = importlib.import_module("onnxruntime")  # it has no types
    if not path.is_file():
        raise ModelError(f"{path}: there is no such model; {remedy}")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.enable_mem_pattern = False  # a plan for every shape would fill the memory
    options.log_severity_level = 4  # errors are raised; a library does not print
    # Spinning idle threads would take the cores of other processes.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # as above
        raise ModelError(f"{path}: cannot be loaded ({short_error(error)}); {remedy}") from error


def short_error(error: BaseException) -> str:
    """The type and the first 300 characters of a foreign error."""
    return f"{type(error).__name__}: {str(error)[:300]}"


def _listed(names: Sequence[str] | set[str]) -> str:
    return ", ".join(sorted(names)) or "nothing"


_ENDS = frozenset(".!?…。！？\n")
_CLOSING = frozenset("\"'”’»)]")


def windows(
    count: int, size: int, *, overlap: int = 0, breaks: Sequence[Collection[int]] = ()
) -> list[tuple[int, int]]:
    """Windows of at most `size` that cover 0 to `count`, with about `overlap` in common.

    `breaks` are good places to begin a window, in kinds, the best first; a kind is used if it has a
    place in the second half of a window. An empty input is one empty window.

    >>> windows(10, 6, overlap=1, breaks=[{4, 8}])
    [(0, 4), (3, 8), (7, 10)]
    """
    if size < 1 or not 0 <= overlap <= size // 4:
        raise ValueError(f"windows of {size} cannot overlap by {overlap}")
    ordered = [sorted(kind) for kind in breaks]
    found: list[tuple[int, int]] = []
    start = 0
    while True:
        end = min(start + size, count)
        if end < count:
            end = _best(ordered, start + (size + 1) // 2, end, last=True) or end
        found.append((start, end))
        if end >= count:
            return found
        start = _best(ordered, end - overlap, end - 1, last=False) or end - overlap


def _best(kinds: Sequence[Sequence[int]], low: int, high: int, *, last: bool) -> int | None:
    """The last or first place from `low` to `high` of the best kind that has one."""
    for places in kinds:
        first, after = bisect_left(places, low), bisect_right(places, high)
        if first < after:
            return places[after - 1 if last else first]
    return None


def chunks(lengths: Sequence[int], size: int) -> list[tuple[int, ...]]:
    """Numbers of consecutive things grouped so that no group is longer than `size`.

    A thing that is longer by itself is in no group.

    >>> chunks([3, 2, 9, 4], 6)
    [(0, 1), (3,)]
    """
    found: list[tuple[int, ...]] = []
    group: list[int] = []
    room = size
    for number, length in enumerate(lengths):
        if length > size:
            continue
        if length > room:
            found.append(tuple(group))
            group, room = [], size
        group.append(number)
        room -= length
    return [*found, tuple(group)] if group else found


def breaks_of(text: str, offsets: Sequence[tuple[int, int]]) -> tuple[list[int], list[int]]:
    """The numbers of the word pieces that begin a sentence, and of those that begin a word.

    Sentences end at any full stop here, not as in `adequa.text`: a window may be cut after an
    abbreviation, and the scores of long texts depend on the windows.
    """
    sentences: list[int] = []
    words: list[int] = []
    ended = False
    for number, (start, end) in enumerate(offsets):
        spaced = number > 0 and start > offsets[number - 1][1]
        if spaced:
            words.append(number)
            between = text[offsets[number - 1][1] : start]
            if ended or "\n" in between:
                sentences.append(number)
        piece = text[start:end]
        ended = piece in _ENDS or (ended and not spaced and piece in _CLOSING)
    return sentences, words
