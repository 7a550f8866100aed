"""`adequa compare`: systems side by side, with significance."""

from __future__ import annotations

from typing import Annotated

import typer

from adequa.cli.options import Json, Out, Quiet, Runs, Seed, write_or_echo
from adequa.progress import progress_bar


def compare(
    runs: Runs,
    baseline: Annotated[
        str | None,
        typer.Option(metavar="SYSTEM", help="Compare each system with this one only."),
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric", "-m", metavar="NAME", help="A metric of the runs. Repeatable; default: all."
        ),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(metavar="FIELD", help="Break down by category, size, seen, lang or meta.KEY."),
    ] = None,
    test: Annotated[
        str, typer.Option(metavar="NAME", help="bootstrap, randomisation, or both.")
    ] = "bootstrap",
    n: Annotated[
        int | None,
        typer.Option(
            "--n",
            min=1,
            help="Number of trials; default: 1,000 for bootstrap (more for many pairs), 10,000 for "
            "randomisation.",
        ),
    ] = None,
    seed: Seed = 0,
    level: Annotated[
        float,
        typer.Option(help="Level of the intervals; a difference is significant if p < 1 - level."),
    ] = 0.95,
    correction: Annotated[
        str,
        typer.Option(metavar="NAME", help="holm, bonferroni, bh (false discovery rate) or none."),
    ] = "holm",
    pairs: Annotated[
        bool, typer.Option("--pairs", help="Show every pair, even if there are many.")
    ] = False,
    format: Annotated[  # noqa: A002
        str, typer.Option(metavar="NAME", help="text, markdown, latex, json or csv.")
    ] = "text",
    as_json: Json = False,
    out: Out = None,
    quiet: Quiet = False,
) -> None:
    """Compare systems, with significance.

    Shows values, differences, significance and effect sizes for the systems of one or several runs,
    paired by item.

    Example: adequa compare runs/all --baseline T5 --by category --test both
    """
    from adequa.analysis.comparison import FORMATS, render_comparison
    from adequa.analysis.comparison import compare as compare_runs
    from adequa.errors import UnknownName

    if as_json:
        format = "json"  # noqa: A001
    if format not in FORMATS:
        raise UnknownName("format", format, FORMATS)
    with progress_bar("comparing", quiet=quiet) as progress:
        comparison = compare_runs(
            runs,
            metrics=metric or None,
            baseline=baseline,
            by=by,
            test=test,
            n=n,
            seed=seed,
            level=level,
            correction=correction,
            progress=progress,
        )
    write_or_echo(render_comparison(comparison, format, every_pair=pairs), out)
