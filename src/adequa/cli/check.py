"""`adequa check`: one text in the terminal, with what it mentions, lacks and adds."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
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
    from adequa.data import Result

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
    from adequa.cli.reading import read_graph, read_text
    from adequa.codec import dump_line, result_to_object
    from adequa.metrics import resolve
    from adequa.scoring import score_items

    if triples == text == "-":
        raise typer.BadParameter("only one of TRIPLES and TEXT can be -")
    chosen = with_settings(
        resolve(metric or None), ignore=ignore, optional=optional, allowed=allowed, aliases=aliases
    )
    graph = read_graph(triples, format)
    item = replace(graph, text=read_text(text), lang=lang or graph.lang)
    (result,) = score_items([item], chosen)
    if as_json:
        typer.echo(dump_line(result_to_object(result)), nl=False)
    else:
        _print(result, color)
    if result.verdict != "OK":
        raise typer.Exit(NOT_OK)


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
