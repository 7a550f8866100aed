"""Progress of long work: what a function reports, and how a terminal shows it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = Callable[[int, int], None]
"""Called with the number of steps done and the number of steps in all."""


_SECONDS = 10.0
"""Between two lines of progress where it is not a terminal."""


def silent(_done: int, _total: int) -> None:
    """Report nothing."""


def in_notebook() -> bool:
    """Whether this runs in the kernel of a notebook, where IPython is imported already."""
    ipython = sys.modules.get("IPython")
    shell = getattr(ipython, "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"


def _notebook_bar(what: str) -> Progress:
    """A bar that a notebook updates in place."""
    display = sys.modules["IPython"].display
    shown = display.display(display.HTML(f"{what}…"), display_id=True)

    def report(done: int, total: int) -> None:
        bar = f'<progress value="{done}" max="{total}"></progress>'
        shown.update(display.HTML(f"{what} {bar} {done:,} of {total:,}"))

    return report


@contextmanager
def progress_bar(what: str, *, quiet: bool = False) -> Iterator[Progress]:
    """A bar on stderr where it is a terminal, or in the notebook.

    Elsewhere one line for every tenth of the work, and one every ten seconds where that takes long.
    """
    if quiet:
        yield silent
    elif in_notebook():
        yield _notebook_bar(what)
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
        shown, last = 0, time.monotonic()

        def report(done: int, total: int) -> None:
            nonlocal shown, last
            tenth, now = 10 if total == 0 else 10 * done // total, time.monotonic()
            if tenth > shown or now - last >= _SECONDS:
                shown, last = tenth, now
                sys.stderr.write(f"{what}: {done:,} of {total:,}\n")
                sys.stderr.flush()

        yield report
