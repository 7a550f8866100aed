"""Arguments that are a file, `-` for stdin, or the value itself: one graph, one text, a corpus."""

from __future__ import annotations

import contextlib
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from adequa.data import Item
    from adequa.errors import DataError

_CORPUS = "to score a corpus, use: adequa score INPUT --out RUN"
_TRIPLES_IN_ANY_FORM = {".txt", ".json"}
"""Endings of files that may hold linearised triples, as may files with an unknown ending."""


def read_graph(argument: str, format_: str | None, *, name: str = "TRIPLES") -> Item:
    """The graph that the argument of that name gives, as an item without text."""
    from adequa.errors import DataError
    from adequa.readers import SUFFIXES, read_one

    path = _path(argument)
    if path is None or not path.is_file():
        if path is not None and path.is_dir():
            raise DataError("is a folder", path=path, remedy=_CORPUS)
        return _parse(_read(argument, path), path, name)
    if format_ is None and path.suffix.lower() in _TRIPLES_IN_ANY_FORM | (
        {path.suffix.lower()} - SUFFIXES.keys()
    ):
        try:
            return _parse(_read(argument, path), path, name)
        except DataError:
            if path.suffix.lower() != ".json":
                raise
    return read_one(path, format_)


@contextlib.contextmanager
def source_path(argument: Path) -> Iterator[Path]:
    """The path that INPUT names; for `-`, a pipe or an address, a copy of it, for the block.

    A source is read more than once, and its format is recognised by its content.
    """
    from adequa.errors import DataError
    from adequa.files import url_of

    if url := url_of(argument):
        from adequa.run import local_input

        with local_input(url) as path:
            yield path
        return

    is_stdin = str(argument) == "-"
    if not is_stdin and (not argument.exists() or argument.is_file() or argument.is_dir()):
        yield argument
        return
    label = source_label(argument)
    try:
        content = sys.stdin.buffer.read() if is_stdin else argument.read_bytes()
    except OSError as error:
        raise DataError.of_file(error, label) from None
    if not content.strip():
        raise DataError(f"{label} is empty", remedy="pipe a file into the command")
    with tempfile.TemporaryDirectory(prefix="adequa-stdin-") as folder:
        path = Path(folder) / f"stdin{_ending(content)}"
        path.write_bytes(content)
        try:
            yield path
        except DataError as error:
            if error.path != path:
                raise
            # The user does not know the copy.
            problem, line, remedy = error.problem, error.line, error.remedy
            raise DataError(problem, path=label, line=line, remedy=remedy) from None


def source_label(argument: Path) -> str:
    """What INPUT is called in messages and manifests."""
    from adequa.files import url_of

    return "stdin" if str(argument) == "-" else url_of(argument) or str(argument)


def _ending(content: bytes) -> str:
    """The ending of a file with such content."""
    head = content.lstrip(b"\xef\xbb\xbf \t\r\n")[: 1 << 16].decode("utf-8", errors="replace")
    first = head.split("\n", 1)[0]
    if content.startswith(b"PAR1"):
        return ".parquet"
    if head.startswith("<"):
        return ".xml"
    if head.startswith("{"):
        return ".jsonl" if first.rstrip().endswith("}") else ".json"
    if head.startswith("["):
        return ".json"
    return ".tsv" if "\t" in first else ".csv"


def _parse(written: str, path: Path | None, name: str) -> Item:
    from adequa.errors import DataError
    from adequa.readers import parse_graph, read_pasted

    is_record = re.match(r"\s*(\{|\[\s*\{)", written) is not None
    try:
        return read_pasted(written) if is_record else parse_graph(written)
    except DataError as error:
        raise _with_place(error, path, name) from None


def _with_place(error: DataError, path: Path | None, name: str) -> DataError:
    if path is not None:
        return error.at(path)
    from adequa.errors import DataError

    return DataError(f"{name}: {error.problem}", line=error.line, remedy=error.remedy)


def read_text(argument: str) -> str:
    """The text that an argument gives: the content of a file or of stdin, or the argument."""
    path = _path(argument)
    if path is not None and path.is_dir():
        path = None  # a folder called "docs" does not keep "docs" from being a text
    text = _read(argument, path)
    if path is None and argument != "-":
        return text
    return text[:-2] if text.endswith("\r\n") else text.removesuffix("\n")


def _path(argument: str) -> Path | None:
    """The path that an argument names, or None; raises if it looks like a file but is absent."""
    from adequa.errors import DataError
    from adequa.readers import SUFFIXES

    if not argument or argument == "-":
        return None
    path = Path(argument)
    try:
        if path.exists():
            return path
    except (OSError, ValueError):  # too long for a file name, or with a NUL
        return None
    one_word = not any(one.isspace() or one == "|" for one in argument)
    if one_word and path.suffix.lower() in SUFFIXES:
        raise DataError("does not exist", path=path, remedy="check the spelling of the path")
    return None


def _read(argument: str, path: Path | None) -> str:
    """The content that an argument stands for."""
    from adequa.errors import DataError
    from adequa.files import lines

    if path is not None and path.is_file():
        return "".join(line for _, line in lines(path, keep_ends=True))
    try:
        if path is not None:  # a pipe can be read once and cannot be rewound
            return path.read_bytes().decode("utf-8-sig")
        if argument == "-":
            return sys.stdin.buffer.read().decode("utf-8-sig")
        argument.encode()  # bytes that are not UTF-8 arrive as lone surrogates
    except OSError as error:
        raise DataError(f"cannot be read ({error.strerror})", path=path) from None
    except UnicodeError:
        name = "stdin" if argument == "-" else "an argument"
        raise DataError(f"{path or name} is not UTF-8", remedy="convert it to UTF-8") from None
    return argument
