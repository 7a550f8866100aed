"""`adequa gate`: thresholds on a run, for CI."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from adequa.cli.options import (
    Json,
    Metrics,
    Seed,
    argument,
    echo,
    echo_json,
    flag,
    json_text,
    option,
    write_file,
)

if TYPE_CHECKING:
    from adequa.analysis.gate import Gate
    from adequa.run import Run


def gate(
    runs: Annotated[
        list[Path],
        argument("RUN…", "Folders written by `adequa score`, or files to score with -m first."),
    ],
    at_most: Annotated[
        list[str] | None,
        option(
            "MEASURE=VALUE",
            "Upper limit: omission, hallucination, not-ok, METRIC.omission (shares "
            "of the texts), missing, contradicted (shares of the facts), unscored, unsure (OK "
            "verdicts below --min-confidence), or a metric's mean. Repeatable.",
            "--max",
        ),
    ] = None,
    at_least: Annotated[
        list[str] | None, option("MEASURE=VALUE", "Lower limit. Repeatable.", "--min")
    ] = None,
    baseline: Annotated[
        Path | None, option("RUN", "An earlier run of the same items, for --no-worse.")
    ] = None,
    no_worse: Annotated[
        list[str] | None,
        option(
            "METRIC[=LOSS]",
            "Must not be significantly worse than the baseline, paired by item; with LOSS, "
            "the interval must also exclude a greater loss. Repeatable.",
        ),
    ] = None,
    system: Annotated[
        list[str] | None, option("NAME", "A system to test. Repeatable; default: all.")
    ] = None,
    min_confidence: Annotated[
        float | None,
        option(
            None,
            "The confidence below which an OK verdict counts as unsure; default: 0.8.",
        ),
    ] = None,
    level: Annotated[float, option(None, "Level of the confidence intervals.")] = 0.95,
    strict: Annotated[
        bool, flag("--strict", "Also fail when there is not enough data to decide.")
    ] = False,
    seed: Seed = 0,
    metric: Metrics = None,
    junit: Annotated[Path | None, option("FILE", "Also write JUnit XML to FILE.")] = None,
    markdown: Annotated[
        Path | None,
        option("FILE", "Append a Markdown summary to FILE (such as $GITHUB_STEP_SUMMARY)."),
    ] = None,
    sarif: Annotated[
        Path | None, option("FILE", "Also write SARIF to FILE, for code scanning.")
    ] = None,
    github: Annotated[bool, flag("--github", "Also print annotations for GitHub Actions.")] = False,
    as_json: Json = False,
) -> None:
    """Test a run against limits, for CI.

    Exit code 1 if it fails. A limit is compared with the confidence interval of the measure: pass,
    fail, or not enough data. The last fails only if the value itself breaks the limit, or with
    --strict. A file is scored into a temporary folder, with the cache.

    Example: adequa gate runs/new --max omission=0.05 --min esa=0.95 --baseline runs/old
    --no-worse nli
    """
    from adequa.analysis import gate as gates

    limits = [
        gates.parse_limit(bound, written)
        for bound, given in (("max", at_most), ("min", at_least), ("no-worse", no_worse))
        for written in given or ()
    ]
    if len(runs) > 1 and (junit or sarif or as_json):
        raise typer.BadParameter("--junit, --sarif and --json are about one run; name one")
    is_open = True
    for path in runs:
        with _opened(path, metric) as run:
            answer = gates.evaluate_gate(
                run,
                limits,
                baseline=baseline,
                systems=system or (),
                min_confidence=min_confidence,
                level=level,
                strict=strict,
                seed=seed,
            )
            if sarif is not None:
                write_file(sarif, json_text(gates.gate_sarif(answer, run)) + "\n")
        is_open &= answer.is_open
        if junit is not None:
            write_file(junit, gates.gate_junit(answer))
        if markdown is not None:
            write_file(markdown, gates.gate_markdown(answer), append=True)
        if as_json:
            echo_json(gates.gate_to_object(answer))
        else:
            _print(answer, str(path) if len(runs) > 1 else "")
        if github:
            lines = gates.gate_github(answer)
            if lines:
                typer.echo(lines, err=as_json)  # commands on purpose; what they quote is escaped
    if not is_open:
        raise typer.Exit(1)


def _print(answer: Gate, heading: str) -> None:
    from adequa.analysis.gate import gate_table
    from adequa.tables import one_line

    if heading:
        echo(f"{one_line(heading)}\n")
    echo(gate_table(answer).text())
    for result in answer.results:
        if answer.stops(result):
            head = f"{result.system or '(unnamed)'}: {result.limit}: {result.why}"
            echo(f"\n{one_line(head)}")
            for example in result.listed:
                echo(f"  {one_line(example)}")
    for note in answer.notes:
        echo(f"note: {one_line(note)}")
    echo("\nthe gate is open" if answer.is_open else "\nthe gate is closed")


@contextmanager
def _opened(path: Path, metric: list[str] | None) -> Iterator[Run]:
    """The run in a folder; a file is scored first, into a folder that is there for the block."""
    from tempfile import TemporaryDirectory

    from adequa.metrics import resolve
    from adequa.readers import open_source
    from adequa.run import MANIFEST, default_folder, open_run, score_run

    if path.is_dir() and (not metric or (path / MANIFEST).exists()):
        if metric:
            raise typer.BadParameter(f"-m scores files; {path} is a run, which has its metrics")
        yield open_run(path)
        return
    chosen = resolve(metric or None)
    with TemporaryDirectory(prefix="adequa-") as folder:
        yield score_run(open_source(path), chosen, Path(folder) / "run", cache=default_folder())
