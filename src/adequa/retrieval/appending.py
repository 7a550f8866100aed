"""NumPy files that grow row by row, and whose whole rows survive a kill."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from adequa.errors import DataError

__all__ = ["Appender"]

_HEADER = 128
"""Bytes before the first row: enough for any shape, so that it can be rewritten in its place."""


class Appender:
    """An `.npy` file of rows; its header says how many once it is closed."""

    def __init__(self, path: Path, dtype: npt.DTypeLike, width: int | None = None) -> None:
        self._path = path
        self._dtype = np.dtype(dtype)
        self._width = width
        self._stream = path.open("rb+" if path.exists() else "xb+")
        self._row = self._dtype.itemsize * (1 if width is None else width)
        size = self._stream.seek(0, os.SEEK_END)
        self.rows = max(0, size - _HEADER) // self._row
        if size >= _HEADER and not self._is_own_header():
            self._stream.close()
            raise DataError("was begun with other vectors", path=path, remedy="say --force")
        self.cut(self.rows)

    def cut(self, rows: int) -> None:
        """Keep the first rows only."""
        self.rows = rows
        self._stream.truncate(_HEADER + rows * self._row)
        self._write_header(0)
        self._stream.seek(0, os.SEEK_END)

    def append(self, rows: npt.NDArray[Any]) -> None:
        """Add rows at the end."""
        self._stream.write(np.ascontiguousarray(rows, dtype=self._dtype).tobytes())
        self._stream.flush()
        self.rows += len(rows)

    def finish(self) -> None:
        """Write how many there are, and close the file."""
        self._write_header(self.rows)
        self._stream.flush()
        os.fsync(self._stream.fileno())
        self.close()

    def close(self) -> None:
        """Let go of the file as it is; it can be opened again and continued."""
        self._stream.close()

    def _is_own_header(self) -> bool:
        self._stream.seek(0)
        try:
            np.lib.format.read_magic(self._stream)
            shape, _, dtype = np.lib.format.read_array_header_1_0(self._stream)
        except ValueError:
            return False
        return bool(dtype == self._dtype and shape[1:] == self._shape(0)[1:])

    def _write_header(self, rows: int) -> None:
        self._stream.seek(0)
        self._stream.write(self._header(rows))

    def _header(self, rows: int) -> bytes:
        written = repr(
            {"descr": self._dtype.str, "fortran_order": False, "shape": self._shape(rows)}
        )
        begin = np.lib.format.magic(1, 0) + (_HEADER - 10).to_bytes(2, "little")
        return begin + written.encode().ljust(_HEADER - 11) + b"\n"

    def _shape(self, rows: int) -> tuple[int, ...]:
        return (rows,) if self._width is None else (rows, self._width)
