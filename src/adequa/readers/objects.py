"""JSON lines as plain objects, for files that hold no items: ratings, scores, labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from adequa.codec import load_object
from adequa.errors import DataError
from adequa.readers.base import lines

__all__ = ["read_objects"]


def read_objects(
    path: Path, *, remedy: str = "write {…}"
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The objects of a file with their lines; blank lines are passed over, all else is an error."""
    for number, line in lines(path):
        if not line or line.isspace():
            continue
        try:
            row = load_object(line)
        except DataError as error:
            raise error.at(path, number) from None
        if not isinstance(row, dict):
            raise DataError("is not an object", path=path, line=number, remedy=remedy)
        yield number, row
