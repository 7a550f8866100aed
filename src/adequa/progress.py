"""Progress of long work: what a function reports, and how a terminal shows it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = Callable[[int, int], None]
"""Called with the number of steps done and the number of steps in all."""


def silent(_done: int, _total: int) -> None:
    """Report nothing."""


@contextmanager
def progress_bar(what: str, *, quiet: bool = False) -> Iterator[Progress]:
    """A bar on stderr where it is a terminal; elsewhere one line for every tenth of the work."""
    if quiet:
        yield silent
    elif sys.stderr.isatty():
        from rich import progress as bars
        from rich.console import Console

        columns = (
            bars.TextColumn("{task.description}"),
            bars.BarColumn(),
            bars.MofNCompleteColumn(),
            bars.TimeRemainingColumn(),
        )
        with bars.Progress(*columns, console=Console(stderr=True)) as bar:
            task = bar.add_task(what, total=None)
            yield lambda done, total: bar.update(task, completed=done, total=total)
    else:
        shown = 0

        def report(done: int, total: int) -> None:
            nonlocal shown
            tenth = 10 if total == 0 else 10 * done // total
            if tenth > shown:
                shown = tenth
                sys.stderr.write(f"{what}: {done:,} of {total:,}\n")
                sys.stderr.flush()

        yield report
