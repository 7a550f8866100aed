"""Pictures and worksheets of a paper into a folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from adequa.errors import DataError

__all__ = ["write_texts"]


def write_texts(files: Mapping[str, str], folder: Path, *, filled: str | None = None) -> list[Path]:
    """Write texts by file name, replacing those of an earlier run, and say where they are.

    People fill files whose name begins with `filled`: one that is not as we would write it stays.
    """
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            path = folder / name
            by_hand = filled is not None and name.startswith(filled)
            if by_hand and path.exists() and path.read_bytes() != content.encode("utf-8"):
                raise DataError(
                    "is there already and may have been filled",
                    path=path,
                    remedy="name another folder, or move it away",
                )
            path.write_text(content, encoding="utf-8", newline="\n")
            written.append(path)
    except OSError as error:
        raise DataError(
            f"cannot be written ({error.strerror})", path=folder, remedy="name another folder"
        ) from None
    return written
