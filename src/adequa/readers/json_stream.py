"""The objects of a JSON file of any size, read in pieces: a list on one line, or one after another.

`json_values` goes line by line and keeps each value's text. Here a file may be one line of many
gigabytes: a piece is parsed at the speed of C, and where it ends within an object, more is read.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from adequa.codec import load_object
from adequa.codec.values import reject_constant
from adequa.errors import DataError
from adequa.readers.base import MAX_LINE_BYTES, open_bytes

__all__ = ["objects"]

_PIECE_BYTES = 1 << 20
_SPACE = re.compile(r"[ \t\n\r]*")
_decode = json.JSONDecoder(parse_constant=reject_constant).raw_decode


def objects(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a list, or of a file of objects, each with the line on which it begins."""
    with open_bytes(path) as stream:
        scanner = _Scanner(stream)
        try:
            yield from scanner.objects()
        except DataError as error:
            raise error.at(path, scanner.line) from None


class _Scanner:
    """A window on the file: what was read and not yet used, and the line it begins on."""

    def __init__(self, stream: BinaryIO) -> None:
        self.line = 1
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._window = ""
        self._position = 0

    def objects(self) -> Iterator[tuple[int, dict[str, Any]]]:
        listed = self._peek() == "["
        if listed:
            self._position += 1
        elif not self._peek():
            raise DataError("is empty", remedy="write a list of objects, or one object a line")
        first = True
        while sign := self._peek():
            if listed and sign == "]":
                self._position += 1
                if self._peek():
                    raise DataError(f"has {self._peek()!r} after the end of the list")
                return
            if listed and not first:
                if sign != ",":
                    raise DataError(f"has {sign!r} between two objects, not a comma")
                self._position += 1
                sign = self._peek()
            if sign != "{":
                raise DataError(
                    f"has {sign!r} where an object should begin", remedy="write a list of objects"
                )
            first = False
            yield self.line, self._object()
        if listed:
            raise DataError("ends before its list does", remedy="is the file cut off?")

    def _peek(self) -> str:
        """The next sign that is no space, or "" at the end of the file."""
        while True:
            end = _SPACE.match(self._window, self._position).end()  # type: ignore[union-attr]
            self._advance(end)
            if end < len(self._window):
                return self._window[end]
            if not self._read():
                return ""

    def _object(self) -> dict[str, Any]:
        while True:
            try:
                value, end = _decode(self._window, self._position)
            except json.JSONDecodeError as error:
                if len(self._window) - self._position <= MAX_LINE_BYTES and self._read():
                    continue
                raise self._explain(error) from None
            except RecursionError:
                raise DataError("is nested too deeply", remedy="flatten the object") from None
            except ValueError:
                raise DataError(
                    "has a number that cannot be read (too many digits)",
                    remedy="write it as a string",
                ) from None
            text = self._window[self._position : end]
            if "\\ud" in text or "\\uD" in text:
                load_object(text)  # which refuses half of a surrogate pair
            self._advance(end)
            return value  # type: ignore[no-any-return]

    def _explain(self, error: json.JSONDecodeError) -> DataError:
        line = self.line + self._window.count("\n", self._position, error.pos)
        if len(self._window) - self._position > MAX_LINE_BYTES:
            return DataError(
                f"begins an object longer than {MAX_LINE_BYTES >> 20} MB, or one that is not JSON"
                f" ({error.msg} on line {line})",
                remedy="is it a list of documents?",
            )
        remedy = "is the file cut off?" if error.pos >= len(self._window.rstrip()) else "correct it"
        return DataError(f"is not JSON ({error.msg})", line=line, remedy=remedy)

    def _advance(self, end: int) -> None:
        self.line += self._window.count("\n", self._position, end)
        self._position = end

    def _read(self) -> bool:
        """Widen the window, the more the wider it is; False at the end of the file."""
        rest = self._window[self._position :]
        raw = self._stream.read(max(_PIECE_BYTES, len(rest)))
        try:
            piece = self._decoder.decode(raw, final=not raw)
        except UnicodeDecodeError as error:
            line = self.line + rest.count("\n") + error.object.count(b"\n", 0, error.start)
            raise DataError(
                f"is not UTF-8 ({error.object[error.start]:#04x})",
                line=line,
                remedy="convert the file to UTF-8",
            ) from None
        if "\0" in piece:
            line = self.line + rest.count("\n") + piece.count("\n", 0, piece.index("\0"))
            raise DataError("has a NUL byte", line=line, remedy="is this a binary file?")
        self._window, self._position = rest + piece, 0
        return bool(raw)
