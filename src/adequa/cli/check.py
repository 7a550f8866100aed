"""`adequa check`: one text in the terminal, with what it mentions, lacks and adds."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from adequa.cli.options import (
    Aliases,
    Allowed,
    Format,
    IgnorePredicate,
    Json,
    Metrics,
    OptionalPredicate,
    with_settings,
)

if TYPE_CHECKING:
    from adequa.data import Item, Result
    from adequa.errors import DataError

__all__ = ["check"]

NOT_OK = 1


def check(
    triples: Annotated[
        str,
        typer.Argument(
            metavar="TRIPLES",
            help="The data: a file, - for stdin, or a string like 'Blue_Spice | eatType | pub'.",
        ),
    ],
    text: Annotated[
        str, typer.Argument(metavar="TEXT", help="The text: a file, - for stdin, or the string.")
    ],
    metric: Metrics = None,
    ignore: IgnorePredicate = None,
    optional: OptionalPredicate = None,
    allowed: Allowed = None,
    aliases: Aliases = None,
    lang: Annotated[
        str | None, typer.Option("--lang", metavar="TAG", help="The language of the text.")
    ] = None,
    format: Format = None,  # noqa: A002
    color: Annotated[
        bool | None,
        typer.Option("--color/--no-color", help="Colour; by itself only on a terminal."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Check one text against its data.

    Shows what the text mentions, what is missing and what nothing in the data explains. Exit code
    1 when the verdict is not OK. Triples are separated by newlines or ' && '.

    Example: adequa check "Blue_Spice | eatType | pub && Blue_Spice | area | riverside" "A pub."
    """
    from adequa.codec import dump_line, result_to_object
    from adequa.metrics import resolve
    from adequa.scoring import score_items

    if triples == text == "-":
        raise typer.BadParameter("only one of TRIPLES and TEXT can be -")
    chosen = with_settings(
        resolve(metric or None), ignore=ignore, optional=optional, allowed=allowed, aliases=aliases
    )
    graph = _read_graph(triples, format)
    item = replace(graph, text=_read_text(text), lang=lang or graph.lang)
    (result,) = score_items([item], chosen)
    if as_json:
        typer.echo(dump_line(result_to_object(result)), nl=False)
    else:
        _print(result, color)
    if result.verdict != "OK":
        raise typer.Exit(NOT_OK)


def _read_graph(argument: str, format_: str | None) -> Item:
    """The one graph that TRIPLES gives, as an item without its text."""
    from adequa.errors import DataError
    from adequa.readers import open_source
    from adequa.readers.recognise import SUFFIXES

    path = _path(argument)
    if path is None or not path.is_file():
        if path is not None and path.is_dir():
            raise DataError("is a folder", path=path, remedy=_CORPUS)
        return _parse_graph(_read(argument, path), path)
    if format_ is None and path.suffix.lower() in _TRIPLES_IN_ANY_FORM | (
        {path.suffix.lower()} - SUFFIXES.keys()
    ):
        try:
            return _parse_graph(_read(argument, path), path)
        except DataError:
            if path.suffix.lower() != ".json":
                raise
    source = open_source(path, format=format_)
    placed = list(islice(source.reader.read(path, bare=True), 2))
    if not placed:
        raise DataError("holds no items", path=path, remedy="is it the right file?")
    if len(placed) > 1:
        raise DataError(f"holds several items ({source.format})", path=path, remedy=_CORPUS)
    return placed[0].item


_CORPUS = "one text is checked; a corpus is scored: adequa score INPUT --out RUN"
_TRIPLES_IN_ANY_FORM = {".txt", ".json"}
"""Endings of files that may hold linearised triples; others without a format may too."""


def _parse_graph(written: str, path: Path | None) -> Item:
    from adequa.data import Item
    from adequa.errors import DataError
    from adequa.readers.linearised import parse_triples

    try:
        triples = parse_triples(written)
    except DataError as error:
        raise _placed(error, path) from None
    lines = [line for line in written.splitlines() if line.strip()]
    if len(lines) > 1 and any(_count(line) > 1 for line in lines):
        raise _placed(DataError("holds several graphs, one a line", remedy=_CORPUS), path)
    return Item("1", triples, "")


def _placed(error: DataError, path: Path | None) -> DataError:
    if path is not None:
        return error.at(path)
    from adequa.errors import DataError

    return DataError(f"TRIPLES: {error.problem}", line=error.line, remedy=error.remedy)


def _count(line: str) -> int:
    """How many triples a line has on its own; 0 where it is part of something longer."""
    from adequa.errors import DataError
    from adequa.readers.linearised import parse_triples

    try:
        return len(parse_triples(line))
    except DataError:
        return 0


def _read_text(argument: str) -> str:
    path = _path(argument)
    if path is not None and path.is_dir():
        path = None  # "docs" may be a text
    text = _read(argument, path)
    if path is None and argument != "-":
        return text
    return text[:-2] if text.endswith("\r\n") else text.removesuffix("\n")


def _path(argument: str) -> Path | None:
    """The path that an argument names; None for a string, and an error for a file that is not."""
    from adequa.errors import DataError
    from adequa.readers.recognise import SUFFIXES

    if not argument or argument == "-":
        return None
    path = Path(argument)
    try:
        if path.exists():
            return path
    except (OSError, ValueError):  # longer than a name can be, or with a NUL
        return None
    one_word = not any(one.isspace() or one == "|" for one in argument)
    if one_word and path.suffix.lower() in SUFFIXES:
        raise DataError("does not exist", path=path, remedy="check the spelling of the path")
    return None


def _read(argument: str, path: Path | None) -> str:
    """What an argument stands for: a file's content, stdin's, or itself."""
    from adequa.errors import DataError
    from adequa.readers.base import lines

    if path is not None and path.is_file():
        return "".join(line for _, line in lines(path, keep_ends=True))
    try:
        if path is not None:  # a pipe can be read only once, and not sought in
            return path.read_bytes().decode("utf-8-sig")
        if argument == "-":
            return sys.stdin.buffer.read().decode("utf-8-sig")
        argument.encode()  # bytes that are not UTF-8 come as halves of surrogate pairs
    except OSError as error:
        raise DataError(f"cannot be read ({error.strerror})", path=path) from None
    except UnicodeError:
        name = "stdin" if argument == "-" else "an argument"
        raise DataError(f"{path or name} is not UTF-8", remedy="convert it to UTF-8") from None
    return argument


def _print(result: Result, color: bool | None) -> None:
    from adequa.cli.showing import show

    dumb = os.environ.get("TERM") in ("dumb", "unknown")
    if color is None:
        color = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and not dumb
    if not color:
        typer.echo("".join(piece.text for piece in show(result)), nl=False)
        return
    from rich.console import Console
    from rich.text import Text

    unicode = (sys.stdout.encoding or "").lower().startswith("utf")
    console = Console(
        force_terminal=True,
        no_color=False,
        color_system="standard" if dumb else "auto",
        highlight=False,
    )
    written = Text()
    for piece in show(result, brackets=not unicode):
        written.append(piece.text, piece.style)
    console.print(written, soft_wrap=True, end="")
