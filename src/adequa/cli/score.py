"""`adequa score`: a corpus into a run folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from adequa.cli import options
from adequa.cli.options import argument, flag, option
from adequa.progress import progress_bar

_INTERRUPTED = 130


def score(
    source: Annotated[
        Path | None, argument("INPUT", "A file or a folder in any known format, or - for stdin.")
    ] = None,
    texts: options.Texts = None,
    metric: options.Metrics = None,
    out: Annotated[Path | None, option("RUN", "The run's folder.", "--out", "-o")] = None,
    format: options.Format = None,  # noqa: A002
    coverage: options.Coverage = None,
    ignore: options.IgnorePredicate = None,
    optional: options.OptionalPredicate = None,
    allowed: options.Allowed = None,
    aliases: options.Aliases = None,
    jobs: options.Jobs = 1,
    batch_size: Annotated[
        int, option(None, "Most items per batch; affects speed, never a score.", min=1)
    ] = 256,
    resume: Annotated[bool, flag("--resume", "Complete a run that was interrupted.")] = False,
    force: Annotated[bool, flag("--force", "Replace the run in RUN.")] = False,
    add: Annotated[Path | None, option("RUN", "Add metrics to a finished run instead.")] = None,
    cache: Annotated[
        Path | None, option("DIR", "Where expensive scores are kept between runs.")
    ] = None,
    no_cache: Annotated[bool, flag("--no-cache", "Neither read nor write the cache.")] = False,
    dry_run: Annotated[
        bool,
        flag("--dry-run", "Score nothing: show what metrics like judge would send, and the price."),
    ] = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Score a corpus into a run folder.

    The folder has manifest.json, scores.jsonl (one line per text) and summary.json.

    Example: adequa score test.xml --texts T5=t5.txt -m bleu -m chrf:word_order=0 --out runs/t5
    """
    from dataclasses import replace

    from adequa.cli.inputs import source_label, source_path
    from adequa.metrics import resolve
    from adequa.readers import open_source
    from adequa.run import add_metrics, default_folder, open_run, score_run, summary_table

    if (source is None) == (add is None):
        raise typer.BadParameter("give INPUT and --out, or --add RUN")
    if add is not None and (out or texts or format or coverage or resume or force):
        raise typer.BadParameter("--add can be combined with metrics, --jobs and --batch-size only")
    if source is not None and out is None and not dry_run:
        raise typer.BadParameter("give --out RUN, the folder the run is written to")
    chosen = options.with_settings(
        resolve(metric or None), ignore=ignore, optional=optional, allowed=allowed, aliases=aliases
    )
    folder = None if no_cache else cache or default_folder()
    try:
        with (
            source_path(source or Path()) as path,
            progress_bar("scoring", quiet=quiet) as progress,
        ):
            if dry_run:
                if add is not None:
                    items = [result.item for result in open_run(add).results()]
                else:
                    opened = open_source(path, format=format, texts=texts or (), coverage=coverage)
                    items = list(opened)
                for label, one in chosen.items():
                    told = one.preview(items) or "computed here; nothing is sent"
                    options.echo(f"{label}: {told}")
                return
            if add is not None:
                run = add_metrics(
                    open_run(add),
                    chosen,
                    jobs=jobs,
                    batch_size=batch_size,
                    cache=folder,
                    progress=progress,
                )
            elif source is not None and out is not None:
                opened = open_source(path, format=format, texts=texts or (), coverage=coverage)
                if path != source:
                    opened = replace(opened, label=source_label(source))
                options.echo_reading(opened, source, quiet=quiet)
                run = score_run(
                    opened,
                    chosen,
                    out,
                    jobs=jobs,
                    batch_size=batch_size,
                    resume=resume,
                    force=force,
                    cache=folder,
                    progress=progress,
                )
    except KeyboardInterrupt:
        hint = "continue with --resume"
        if add is not None:
            hint = "the run is as it was; repeat the command to continue"
        elif force:
            hint = "the old run is as it was; continue with --resume instead of --force"
        options.echo(f"adequa: interrupted; {hint}", err=True)
        raise typer.Exit(_INTERRUPTED) from None
    for label, one in chosen.items():
        if spent := one.expenses():
            options.echo(f"{label}: {spent}", err=True)
    if as_json:
        options.echo_json(run.summary)
        return
    options.echo(summary_table(run.summary, run.manifest).text())
    options.echo(
        f"\nwritten to {run.path}: scores.jsonl (one line per text), summary.json, manifest.json"
    )
