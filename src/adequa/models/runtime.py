"""The one place where a model runs: ONNX, on the CPU, in any thread or process.

A result must not depend on its company (contract: 1e-4). So a sequence is padded to a length that
follows from its own alone, the next multiple of eight, and runs with others of that length: what a
batch changes is only how many there are.
"""

from __future__ import annotations

import importlib
import os
import threading
import zipfile
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from adequa.errors import ModelError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# ---
# What is loaded once in a process, by whichever thread needs it first.
# ---

Value = TypeVar("Value")


class PerProcess(Generic[Value]):
    """Values by key, each made once; a forked child starts with none of them, or with all.

    What owns threads cannot be used in a child, and what is merely memory can.
    """

    def __init__(self, *, inherited: bool) -> None:
        self._inherited = inherited
        self._left: list[dict[Hashable, Value]] = []
        self._made: dict[Hashable, Value] = {}
        self._lock = threading.Lock()
        if hasattr(os, "register_at_fork"):  # not on Windows, where nothing forks
            os.register_at_fork(after_in_child=self._start_child)

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The value of a key; threads that want the same one wait for it."""
        with self._lock:
            if key not in self._made:
                self._made[key] = make()
            return self._made[key]

    def _start_child(self) -> None:
        self._lock = threading.Lock()  # another thread of the parent may have held the old one
        if not self._inherited:
            # Kept all the same: what is freed would wait for its threads, which are not there.
            self._left.append(self._made)
            self._made = {}


# ---
# The vectors of words, one byte a number: both shipped models read them from one table.
# ---

_REMEDY = "give the words.npz the model was exported with"
_TABLES: PerProcess[WordTable] = PerProcess(inherited=True)


class WordTable:
    """A row of small whole numbers and a scale for every word of the vocabulary."""

    def __init__(self, rows: NDArray[np.int8], scales: NDArray[np.float32]) -> None:
        if rows.dtype != "int8" or rows.ndim != 2 or scales.shape != rows.shape[:1]:
            raise ModelError(
                f"rows of {rows.dtype} {rows.shape} with scales {scales.shape} are no word table"
            )
        self.rows = rows
        self.scales: NDArray[np.float32] = scales.astype("float32").reshape(-1, 1)

    @classmethod
    def read(cls, path: Path | str) -> WordTable:
        """The table of a file; one that was read before is not read again."""
        place = Path(path).resolve()
        return _TABLES.get(place, lambda: cls._load(place))

    @classmethod
    def _load(cls, path: Path) -> WordTable:
        import numpy as np

        try:
            # Opened here: of a file that is no archive numpy would leave one open.
            with path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
                return cls(file["rows"], file["scales"])
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, TypeError) as error:
            raise ModelError(f"{path}: cannot be read as word vectors ({error}); {_REMEDY}") from (
                None
            )
        except ModelError as error:
            raise ModelError(f"{path}: {error}; {_REMEDY}") from None

    def __len__(self) -> int:
        return len(self.rows)

    def vectors(self, ids: NDArray[np.int64]) -> NDArray[np.float32]:
        """The vectors of words by their numbers; the shape of the numbers, and one axis more."""
        return self.rows[ids] * self.scales[ids]


_STEP = 8
_RETRY = "reinstall adequa, or export the model again"
_SESSIONS: PerProcess[Any] = PerProcess(inherited=False)


@dataclass(frozen=True)
class Network:
    """An ONNX file that reads word vectors; it is loaded by the first run in each process.

    Inputs are `words`, `mask` and, with `typed`, `types`; an output with an axis of positions is
    given without its padding.
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
            feed = self._feed(batch, sequences, types)
            values = self._run(feed)
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
        mask = np.zeros(shape, dtype=np.int64)
        kinds = np.zeros(shape, dtype=np.int64)
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
        except Exception as error:  # onnxruntime has a dozen errors and no tree
            raise ModelError(
                f"{self.path}: fails on {shape[0]} × {shape[1]} words ({_short(error)}); {_RETRY}"
            ) from error
        for name, value in zip(self.outputs, values, strict=True):
            if value.shape[:1] != shape[:1] or (value.ndim > 2 and value.shape[1] != shape[1]):
                raise ModelError(
                    f"{self.path}: {name!r} has the shape {value.shape} for {shape}; {_RETRY}"
                )
        return values

    def _outputs(
        self, values: Sequence[NDArray[np.float32]], row: int, length: int
    ) -> Mapping[str, NDArray[np.float32]]:
        import numpy as np

        found = {}
        for name, value in zip(self.outputs, values, strict=True):
            # A copy: a view would keep the whole batch in memory.
            own = (value[row, :length] if value.ndim > 2 else value[row]).copy()
            if not np.isfinite(own).all():
                raise ModelError(
                    f"{self.path}: {name!r} holds numbers that are not finite; {_RETRY}"
                )
            found[name] = own
        return found

    def _session(self) -> Any:
        key = self.path.resolve(), self.threads
        session = _SESSIONS.get(key, lambda: _load(*key))
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
    """The length a sequence runs at, whatever runs beside it."""
    return -(-length // _STEP) * _STEP


def batches(lengths: Sequence[int], tokens: int, count: int) -> Iterator[list[int]]:
    """Numbers of sequences of one padded length, the longest first, within both bounds.

    >>> list(batches([5, 20, 8, 3], tokens=16, count=9))
    [[1], [0, 2], [3]]
    """
    order = sorted(range(len(lengths)), key=lambda number: -padded_length(lengths[number]))
    for length, group in groupby(order, key=lambda number: padded_length(lengths[number])):
        numbers = list(group)
        most = max(1, min(count, tokens // max(1, length)))
        for start in range(0, len(numbers), most):
            yield numbers[start : start + most]


def _load(path: Path, threads: int) -> Any:
    onnxruntime = importlib.import_module("onnxruntime")  # it has no types
    if not path.is_file():
        raise ModelError(f"{path}: there is no such model; {_RETRY}")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.enable_mem_pattern = False  # a plan for every shape would fill the memory
    options.log_severity_level = 4  # what goes wrong is raised, and a library does not print
    # Idle threads that spin would take the cores of other processes.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # as above
        raise ModelError(f"{path}: cannot be loaded ({_short(error)}); {_RETRY}") from error


def _short(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error)[:300]}"


def _listed(names: Sequence[str] | set[str]) -> str:
    return ", ".join(sorted(names)) or "nothing"
