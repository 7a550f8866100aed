"""Arguments that are a file, `-` for stdin, or the value itself: one graph, one text, a corpus."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from adequa.data import Item
    from adequa.errors import DataError
    from adequa.readers import Source

_CORPUS = "to score a corpus, use: adequa score INPUT --out RUN"
_TRIPLES_IN_ANY_FORM = {".txt", ".json"}
"""Endings of files that may hold linearised triples, as may files with an unknown ending."""
_ENDINGS = {b"{": ".jsonl", b"[": ".json", b"<": ".xml"}
"""The ending of a file by the first character of its content, where that says enough."""


@contextmanager
def open_input(
    path: Path,
    *,
    form: str | None,
    texts: Iterable[str],
    coverage: str | None,
) -> Iterator[Source]:
    """The corpus that the argument INPUT names; stdin (`-`) and pipes are copied to a file first.

    A corpus is read several times, and a pipe can be read once.
    """
    import shutil
    import tempfile
    from dataclasses import replace

    from adequa.errors import DataError
    from adequa.readers import open_source

    is_stdin = str(path) == "-"
    if not is_stdin and (not path.exists() or path.is_file() or path.is_dir()):
        yield open_source(path, format=form, texts=texts, coverage=coverage)
        return
    label = "stdin" if is_stdin else str(path)
    with tempfile.TemporaryDirectory(prefix="adequa-input-") as folder:
        copy = Path(folder) / "input"
        try:
            with copy.open("wb") as stream:
                if is_stdin:
                    shutil.copyfileobj(sys.stdin.buffer, stream)
                else:
                    with path.open("rb") as pipe:
                        shutil.copyfileobj(pipe, stream)
            copy = copy.rename(copy.with_suffix(_ending(copy, form)))
        except OSError as error:
            raise DataError.of_file(error, label) from None
        try:
            source = open_source(copy, format=form, texts=texts, coverage=coverage)
            yield replace(source, label=label)
        except DataError as error:
            if error.path != copy:
                raise
            # The user does not know the copy.
            raise DataError(
                error.problem, path=label, line=error.line, remedy=error.remedy
            ) from None


def _ending(copy: Path, format_: str | None) -> str:
    """The ending of the name for a copy: that of the format, or what its content begins with."""
    from adequa.errors import DataError
    from adequa.readers import SUFFIXES

    if format_ is not None:
        name = format_.partition(":")[0].strip()
        return next((ending for ending, known in SUFFIXES.items() if known == name), "")
    with copy.open("rb") as stream:
        first = stream.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    if first not in _ENDINGS:
        problem = "the format of stdin is not known"
        raise DataError(problem, remedy="name it: --format NAME")
    return _ENDINGS[first]


def read_graph(argument: str, format_: str | None) -> Item:
    """The graph that the argument TRIPLES gives, as an item without text."""
    from adequa.errors import DataError
    from adequa.readers import SUFFIXES, read_one

    path = _path(argument)
    if path is None or not path.is_file():
        if path is not None and path.is_dir():
            raise DataError("is a folder", path=path, remedy=_CORPUS)
        return _parse(_read(argument, path), path)
    if format_ is None and path.suffix.lower() in _TRIPLES_IN_ANY_FORM | (
        {path.suffix.lower()} - SUFFIXES.keys()
    ):
        try:
            return _parse(_read(argument, path), path)
        except DataError:
            if path.suffix.lower() != ".json":
                raise
    return read_one(path, format_)


def _parse(written: str, path: Path | None) -> Item:
    from adequa.errors import DataError
    from adequa.readers import parse_graph

    try:
        return parse_graph(written)
    except DataError as error:
        raise _with_place(error, path) from None


def _with_place(error: DataError, path: Path | None) -> DataError:
    if path is not None:
        return error.at(path)
    from adequa.errors import DataError

    return DataError(f"TRIPLES: {error.problem}", line=error.line, remedy=error.remedy)


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
