"""`adequa report`: runs as one HTML file; `adequa log`: a run to an experiment tracker."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from adequa.cli.options import Json, Quiet, Runs, argument, echo, echo_json, flag, option
from adequa.progress import progress_bar


def report(
    runs: Runs,
    out: Annotated[Path, option("FILE", "The file to write.", "--out", "-o")] = Path("report.html"),
    title: Annotated[
        str | None, option("TEXT", "The headline; by default the runs' names.")
    ] = None,
    baseline: Annotated[
        Path | None,
        option(
            "RUN",
            "An earlier run of the same systems: shows what got better or worse since, and "
            "which facts are newly missing.",
        ),
    ] = None,
    max_items: Annotated[
        int | None,
        option(
            "N",
            "Include about N texts, as whole inputs chosen by hash; the figures cover all. "
            "Default: all, or 20,000 of more than 100,000.",
            min=0,
        ),
    ] = None,
    people: Annotated[
        Path | None,
        option(
            "FILE",
            "JSON: how metrics agree with people on your data, instead of the shipped figures.",
        ),
    ] = None,
    force: Annotated[bool, flag("--force", "Replace FILE.")] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write runs into one HTML file.

    It shows the systems side by side and every text with its marks. The file is self-contained,
    opens from disk and sends no requests.

    Example: adequa report runs/new --baseline runs/old --out report.html
    """
    from adequa.report import write_report
    from adequa.tables import counted

    with progress_bar("reading", quiet=quiet) as progress:
        written = write_report(
            runs,
            out,
            title=title,
            baseline=baseline,
            max_items=max_items,
            people=people,
            force=force,
            progress=progress,
        )
    if as_json:
        echo_json(asdict(written) | {"path": str(written.path)})
        return
    faulty = "" if written.faulty_texts is None else f", {written.faulty_texts:,} with a fault"
    some = written.shown_texts < written.texts
    echo(
        f"{written.path}: {counted(written.texts, 'text')} of {counted(written.systems, 'system')}"
        f"{faulty}{f'; the file has {written.shown_texts:,} of them' if some else ''} "
        f"({written.bytes / 1e6:.1f} MB)"
    )


def log(
    run: Annotated[Path, argument("RUN", "A folder written by `adequa score`.")],
    to: Annotated[str, option("NAME", "mlflow or wandb.")],
    name: Annotated[
        str | None, option("NAME", "The name of the run there; default: that of the folder.")
    ] = None,
    project: Annotated[
        str | None, option("NAME", "The experiment (MLflow) or project (Weights & Biases).")
    ] = None,
    texts: Annotated[bool, flag("--texts", "Also upload scores.jsonl, with all texts.")] = False,
) -> None:
    """Log a run to MLflow or Weights & Biases.

    Per system and metric the mean and the corpus values, the shares of verdicts and of texts that
    are not scorable; as parameters the version, the inputs with their hashes and the signatures of
    the metrics; as files manifest.json and summary.json. The address and the key are those that the
    tracker reads from its environment (MLFLOW_TRACKING_URI, WANDB_API_KEY, WANDB_MODE).

    Example: adequa log runs/t5 --to mlflow --project webnlg
    """
    from adequa.run import log_run, open_run

    figures = log_run(open_run(run), to, name=name, project=project, texts=texts)
    echo(f"logged to {to}: {len(figures):,} figures", err=True)
