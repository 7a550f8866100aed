"""`adequa compare`: systems side by side, with significance."""

from __future__ import annotations

from typing import Annotated

from adequa.cli.options import Json, Out, Quiet, Runs, Seed, flag, option, write_or_echo
from adequa.progress import progress_bar


def compare(
    runs: Runs,
    baseline: Annotated[
        str | None, option("SYSTEM", "Compare each system with this one only.")
    ] = None,
    metric: Annotated[
        list[str] | None,
        option("NAME", "A metric of the runs. Repeatable; default: all.", "--metric", "-m"),
    ] = None,
    by: Annotated[
        str | None, option("FIELD", "Break down by category, size, seen, lang or meta.KEY.")
    ] = None,
    test: Annotated[str, option("NAME", "bootstrap, randomisation, or both.")] = "bootstrap",
    n: Annotated[
        int | None,
        option(
            None,
            "Number of trials; default: 1,000 for bootstrap (more for many pairs), 10,000 for "
            "randomisation.",
            min=1,
        ),
    ] = None,
    seed: Seed = 0,
    level: Annotated[
        float, option(None, "Level of the intervals; a difference is significant if p < 1 - level.")
    ] = 0.95,
    correction: Annotated[
        str, option("NAME", "holm, bonferroni, bh (false discovery rate) or none.")
    ] = "holm",
    pairs: Annotated[bool, flag("--pairs", "Show every pair, even if there are many.")] = False,
    format: Annotated[  # noqa: A002
        str, option("NAME", "text, markdown, latex, json or csv.")
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
    from adequa.errors import require_known

    if as_json:
        format = "json"  # noqa: A001
    require_known("format", [format], FORMATS)
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
