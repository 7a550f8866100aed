"""Options that several commands share, and how they show progress."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

__all__ = ["Format", "Json", "Texts", "progress_bar"]

Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="NAME[:key=value,…]",
        help="The input's format and its options; recognised if not given. See `adequa formats`.",
    ),
]
Texts = Annotated[
    list[str] | None,
    typer.Option(
        "--texts",
        metavar="SYSTEM=FILE",
        help="A system's outputs: line i of FILE is the text of item i. Give it once a system.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
Input = Annotated[
    Path, typer.Argument(metavar="INPUT", help="A file or a folder in any known format.")
]


@contextmanager
def progress_bar(what: str, *, quiet: bool = False) -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr where it is a terminal; elsewhere a line every tenth of the way."""
    if quiet:
        yield lambda *_: None
    elif sys.stderr.isatty():
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
        )

        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
        )
        with Progress(*columns, console=Console(stderr=True)) as bar:
            task = bar.add_task(what, total=None)
            yield lambda done, total: bar.update(task, completed=done, total=total)
    else:
        shown = 0

        def tell(done: int, total: int) -> None:
            nonlocal shown
            tenth = 10 if total == 0 else 10 * done // total
            if tenth > shown:
                shown = tenth
                typer.echo(f"{what}: {done:,} of {total:,}", err=True)

        yield tell
