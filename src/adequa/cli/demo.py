"""`adequa demo`: the main job on the built-in sample."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from adequa.cli.options import progress_bar

__all__ = ["demo"]


def demo(
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="RUN", help="The run's folder.")
    ] = Path("demo-run"),
    force: Annotated[bool, typer.Option("--force", help="Replace the run in RUN.")] = False,
) -> None:
    """Score the built-in sample (forty small graphs, three systems) and explain the result."""
    from adequa.metrics import DEFAULT, resolve
    from adequa.readers import open_source
    from adequa.run import score_run
    from adequa.run.summary import summary_table
    from adequa.sample import sample_path

    metrics = resolve([*DEFAULT, "bleu", "chrf", "ter"])
    with progress_bar("scoring the sample") as progress:
        run = score_run(open_source(sample_path()), metrics, out, force=force, progress=progress)
    typer.echo(summary_table(run.summary, run.manifest).text())
