"""`adequa compare`: systems side by side, with significance."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from adequa.cli.options import Json, Out, Quiet, write_or_echo
from adequa.progress import progress_bar


def compare(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN…", help="Folders that `adequa score` wrote.")
    ],
    baseline: Annotated[
        str | None,
        typer.Option(metavar="SYSTEM", help="Compare each system with this one only."),
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            "-m",
            metavar="NAME",
            help="A metric of the runs; give it once a metric. Without it: all.",
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
            help="Trials; without it 1,000 (bootstrap; more for many pairs) or 10,000.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same result.")] = 0,
    level: Annotated[
        float, typer.Option(help="Of the intervals; a winner's p is below 1 - level.")
    ] = 0.95,
    correction: Annotated[
        str,
        typer.Option(metavar="NAME", help="holm, bonferroni, bh (the false discovery rate), none."),
    ] = "holm",
    pairs: Annotated[bool, typer.Option("--pairs", help="Show every pair, however many.")] = False,
    format: Annotated[  # noqa: A002
        str, typer.Option(metavar="NAME", help="text, markdown, latex, json or csv.")
    ] = "text",
    as_json: Json = False,
    out: Out = None,
    quiet: Quiet = False,
) -> None:
    """Compare the systems of one or several runs.

    Values, differences, significance and effect sizes, paired item by item.

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
