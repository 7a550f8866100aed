"""The vectors of words, one byte a number: both shipped models read them from one table."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from adequa.errors import ModelError
from adequa.models.process import PerProcess

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["WordTable"]

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
