"""`adequa gate`: thresholds on a run, for CI."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from adequa.cli.options import Json, echo_json


def gate(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A folder that `adequa score` wrote.")],
    at_most: Annotated[
        list[str] | None,
        typer.Option(
            "--max",
            metavar="MEASURE=VALUE",
            help="At most so much: omission, hallucination, not-ok, METRIC.omission (shares of the "
            "texts), missing, contradicted (shares of the facts), unscored, or a metric's mean. "
            "Repeatable.",
        ),
    ] = None,
    at_least: Annotated[
        list[str] | None,
        typer.Option("--min", metavar="MEASURE=VALUE", help="At least so much. Repeatable."),
    ] = None,
    baseline: Annotated[
        Path | None,
        typer.Option(metavar="RUN", help="An earlier run of the same items, for --no-worse."),
    ] = None,
    no_worse: Annotated[
        list[str] | None,
        typer.Option(
            metavar="METRIC[=LOSS]",
            help="Not significantly worse than the baseline, paired by item; with LOSS, the "
            "interval must also exclude a greater loss. Repeatable.",
        ),
    ] = None,
    system: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Judge this system only. Repeatable; without it: each."),
    ] = None,
    level: Annotated[float, typer.Option(help="Of the confidence intervals.")] = 0.95,
    strict: Annotated[
        bool, typer.Option("--strict", help="Stop also where there is not enough data to say.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same result.")] = 0,
    junit: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write JUnit XML there as well.")
    ] = None,
    markdown: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Append a Markdown summary there (such as $GITHUB_STEP_SUMMARY)."
        ),
    ] = None,
    github: Annotated[
        bool, typer.Option("--github", help="Print annotation lines for GitHub Actions as well.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Hold a run against limits; exit code 1 where it does not pass.

    A limit is judged with the confidence interval of what was measured: pass, fail, or not enough
    data. The last stops only where the number itself breaks the limit, or with --strict.

    Example: adequa gate runs/new --max omission=0.05 --min esa=0.95 --baseline runs/old
    --no-worse nli
    """
    from adequa.analysis.gate import (
        evaluate_gate,
        gate_github,
        gate_junit,
        gate_markdown,
        gate_table,
        gate_to_object,
        parse_limit,
    )
    from adequa.errors import DataError

    limits = [
        parse_limit(bound, written)
        for bound, given in (("max", at_most), ("min", at_least), ("no-worse", no_worse))
        for written in given or ()
    ]
    answer = evaluate_gate(
        run,
        limits,
        baseline=baseline,
        systems=system or (),
        level=level,
        strict=strict,
        seed=seed,
    )
    for path, content, mode in (
        (junit, gate_junit(answer), "w"),
        (markdown, gate_markdown(answer), "a"),
    ):
        if path is None:
            continue
        try:
            with path.open(mode, encoding="utf-8", newline="\n") as stream:
                stream.write(content)
        except OSError as error:
            raise DataError(
                f"cannot be written ({error.strerror})", path=path, remedy="name another file"
            ) from None
    if as_json:
        echo_json(gate_to_object(answer))
    else:
        typer.echo(gate_table(answer).text())
        for result in answer.results:
            if answer.stops(result):
                typer.echo(f"\n{result.system or '(unnamed)'}: {result.limit}: {result.why}")
                for example in result.listed:
                    typer.echo(f"  {example}")
        for note in answer.notes:
            typer.echo(f"note: {note}")
        typer.echo("\nthe gate is open" if answer.is_open else "\nthe gate is closed")
    if github:
        lines = gate_github(answer)
        if lines:
            typer.echo(lines, err=as_json)
    if not answer.is_open:
        raise typer.Exit(1)
