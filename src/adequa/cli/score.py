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
    shard: Annotated[
        str | None, option("I/N", "Score part I of N only; join them with `adequa merge`.")
    ] = None,
    engine: Annotated[str, option("local|ray", "Who runs the jobs: processes, or Ray.")] = "local",
    address: Annotated[
        str | None, option("ADDRESS", "The Ray cluster; by default, a new one on this machine.")
    ] = None,
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
    from adequa.run import add_metrics, default_folder, open_run, score_run, score_shard

    if (source is None) == (add is None):
        raise typer.BadParameter("give INPUT and --out, or --add RUN")
    if add is not None and (out or texts or format or coverage or resume or force or shard):
        raise typer.BadParameter("--add can be combined with metrics, --jobs and --batch-size only")
    if shard is not None and (force or jobs > 1 or engine != "local" or str(source) == "-"):
        raise typer.BadParameter(
            "--shard scores one part in one process, and continues it if it was begun: it cannot "
            "be combined with --force, --jobs, --engine or stdin"
        )
    number, count = _parse_shard(shard) if shard is not None else (0, 0)
    where = options.choose_engine(engine, jobs=jobs, address=address)
    if source is not None and out is None:
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
            if add is not None:
                run = add_metrics(
                    open_run(add),
                    chosen,
                    engine=where,
                    batch_size=batch_size,
                    cache=folder,
                    progress=progress,
                )
            elif source is not None and out is not None:
                opened = open_source(path, format=format, texts=texts or (), coverage=coverage)
                if path != source:
                    opened = replace(opened, label=source_label(source))
                options.echo_reading(opened, source, quiet=quiet)
                if shard is not None:
                    parts = score_shard(
                        opened,
                        chosen,
                        out,
                        number=number,
                        count=count,
                        batch_size=batch_size,
                        cache=folder,
                        progress=progress,
                        waiting=lambda who: options.echo(f"adequa: {who}", err=True),
                    )
                    whole = sum(part.is_whole for part in parts)
                    done = f"{whole:,} of {len(parts):,} shards are complete"
                    options.echo(
                        f"{done}; join them with: adequa merge {out}"
                        if parts
                        else f"{out} is complete"
                    )
                    return
                run = score_run(
                    opened,
                    chosen,
                    out,
                    engine=where,
                    batch_size=batch_size,
                    resume=resume,
                    force=force,
                    cache=folder,
                    progress=progress,
                )
    except KeyboardInterrupt:
        hint = "continue with --resume"
        if shard is not None:
            hint = "repeat the command to continue"
        elif add is not None:
            hint = "the run is as it was; repeat the command to continue"
        elif force:
            hint = "the old run is as it was; continue with --resume instead of --force"
        options.echo(f"adequa: interrupted; {hint}", err=True)
        raise typer.Exit(_INTERRUPTED) from None
    options.echo_run(run, as_json=as_json)


def _parse_shard(written: str) -> tuple[int, int]:
    number, _, count = written.partition("/")
    if number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count):
        return int(number), int(count)
    raise typer.BadParameter(f"--shard {written!r} is not I/N with I from 1 to N, as in 3/16")
