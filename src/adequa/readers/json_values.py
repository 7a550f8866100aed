"""The values of a JSON file one at a time: JSON lines, values one after another, or one long list.

Only the value in hand is held. Its text is found by counting brackets, which needs no more than
strings told from the rest, and is then parsed as strictly as everything else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from adequa.codec import load_object, reject_constant
from adequa.errors import DataError
from adequa.readers.base import MAX_LINE_BYTES, lines

Located = tuple[int, str]
"""The line on which a value begins, and its text."""

JSON_LINES = (".jsonl", ".ndjson")
"""The endings of files with a value on each line."""

_MARK = re.compile(r'["\[\]{},]')
_STRING_MARK = re.compile(r'"|\\.')
_MAX_DEPTH = 500


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = dict(pairs)
    if len(names) < len(pairs):
        seen: set[str] = set()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise DataError(f"has the key {twice!r} twice", remedy="write the values as one list")
    return names


_decode_literal = json.JSONDecoder(
    parse_float=str, parse_int=str, parse_constant=reject_constant, object_pairs_hook=_unique
).decode


def load_literal(text: str) -> Any:
    """Parse one JSON value; a number becomes its text as written, so 1.50 stays 1.50."""
    return load_object(text, decode=_decode_literal)


def values(path: Path) -> Iterator[Located]:
    """The values of a file: the elements where it is a list, else the values one after another.

    A file that calls itself JSON lines is taken at its word, which spares the search.
    """
    rest = lines(path)
    if path.suffix.lower() in JSON_LINES:
        yield from (pair for pair in rest if pair[1].strip())
        return
    first = next((pair for pair in rest if pair[1].strip()), None)
    if first is None:
        raise DataError("is empty", path=path, remedy="write one object a line")
    numbered = chain([first], rest)
    try:
        if first[1].lstrip().startswith("["):
            yield from _inside(numbered, "]")
        else:
            yield from _sequence(numbered)
    except DataError as error:
        raise error.at(path, 1) from None


def members(located: Located) -> Iterator[Located]:
    """The members of an object, each as an object of its own with one key."""
    start, text = located
    numbered = enumerate(text.split("\n"), start)
    for line, member in _inside(numbered, "}"):
        yield line, "{" + member + "}"


class _Value:
    """The value in hand, line by line."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self.start: int | None = None
        self._pieces: list[str] = []
        self._size = 0

    def add(self, number: int, piece: str) -> None:
        if self.start is None:
            if not piece.strip():
                return
            self.start = number
        self._pieces.append(piece)
        self._size += len(piece) + 1
        if self._size > MAX_LINE_BYTES:
            raise DataError(
                f"begins a value longer than {MAX_LINE_BYTES >> 20} MB",
                line=self.start,
                remedy="write one object a line",
            )

    def take(self) -> Located:
        """The value, and room for the next."""
        taken = self.start or 1, "\n".join(self._pieces).strip()
        self.clear()
        return taken


def _inside(numbered: Iterable[Located], closing: str) -> Iterator[Located]:
    """What stands between the commas of one list or object, whose bracket comes first."""
    value = _Value()
    last = ""
    begin = number = 0
    for number, line, position, mark, depth in _scan(numbered):
        if last == closing:
            _only_space(line[begin:], number, "after the end")
        elif mark == "":
            value.add(number, line[begin:])
        elif depth == 1 and mark in ("[", "{"):
            begin = position + 1
        elif (depth == 1 and mark == ",") or depth == 0:
            if depth == 0 and mark != closing:
                raise DataError(f"has {mark!r} where {closing!r} should be", line=number)
            value.add(number, line[begin:position])
            if value.start is not None:
                yield value.take()
            elif mark == "," or last == ",":
                raise DataError("has a comma too many", line=number, remedy="take it out")
            last = mark
            begin = position + 1
        begin = begin if mark else 0
    if last != closing:
        raise _cut_off(value.start or number)


def _sequence(numbered: Iterable[Located]) -> Iterator[Located]:
    """Objects one after another, whatever the line ends between them."""
    value = _Value()
    opened = False
    begin = 0
    for number, line, position, mark, depth in _scan(numbered):
        if not opened:
            before = line[begin:position] if mark == "{" else line[begin:]
            _only_space(before, number, "where an object should begin")
            opened, begin = mark == "{", position
        elif mark == "":
            value.add(number, line[begin:])
        elif depth == 0:
            value.add(number, line[begin : position + 1])
            opened, begin = False, position + 1
            yield value.take()
        begin = begin if mark else 0
    if opened:
        raise _cut_off(value.start or 1)


def _scan(numbered: Iterable[Located]) -> Iterator[tuple[int, str, int, str, int]]:
    """Each bracket and comma outside strings: its line, position, and the depth after it.

    The end of a line comes as an empty mark. No string spans lines: JSON does not allow it.
    """
    depth = 0
    for number, line in numbered:
        position = 0
        while token := _MARK.search(line, position):
            mark, position = token[0], token.end()
            if mark == '"':
                position = _string_end(line, position, number)
                continue
            depth += (mark in "[{") - (mark in "]}")
            if depth > _MAX_DEPTH:
                raise DataError("is nested too deeply", line=number, remedy="flatten the object")
            yield number, line, position - 1, mark, depth
        yield number, line, len(line), "", depth


def _string_end(line: str, position: int, number: int) -> int:
    while token := _STRING_MARK.search(line, position):
        position = token.end()
        if token[0] == '"':
            return position
    raise DataError("has a string that is not closed", line=number, remedy="write newlines as \\n")


def _only_space(text: str, number: int, where: str) -> None:
    if text.strip():
        raise DataError(f"has {text.strip()[:20]!r} {where}", line=number)


def _cut_off(number: int) -> DataError:
    return DataError(
        "begins a value that is never closed", line=number, remedy="is the file cut off?"
    )
