"""`adequa score`: a corpus into a run folder; `adequa merge`: the run of its shards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from adequa.cli import options
from adequa.cli.options import argument, flag, option
from adequa.progress import progress_bar

if TYPE_CHECKING:
    from adequa.data import Item
    from adequa.metrics import Metric
    from adequa.readers import Source


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
    if (source is None) == (add is None):
        raise typer.BadParameter("give INPUT and --out, or --add RUN")
    if add is not None and (out or texts or format or coverage or resume or force or shard):
        raise typer.BadParameter("--add can be combined with metrics, --jobs and --batch-size only")
    if source is not None and out is None and not dry_run:
        raise typer.BadParameter("give --out RUN, the folder the run is written to")
    if shard is not None and (force or jobs > 1 or engine != "local" or str(source) == "-"):
        raise typer.BadParameter(
            "--shard scores one part in one process, and continues it if it was begun: it cannot "
            "be combined with --force, --jobs, --engine or stdin"
        )
    from adequa.files import url_of
    from adequa.metrics import resolve
    from adequa.run import default_folder, open_run

    if engine == "ray" and out is not None and url_of(out):
        raise typer.BadParameter("the actors of Ray need a shared folder; for a store use --shard")

    chosen = options.with_settings(
        resolve(metric or None), ignore=ignore, optional=optional, allowed=allowed, aliases=aliases
    )
    settings: dict[str, Any] = {
        "batch_size": batch_size,
        "cache": None if no_cache else cache or default_folder(),
    }
    if shard is None:
        settings["engine"] = options.choose_engine(engine, jobs=jobs, address=address)
    try:
        with progress_bar("scoring", quiet=quiet) as progress:
            settings["progress"] = progress
            if dry_run:
                if add is not None:
                    _preview(chosen, [result.item for result in open_run(add).results()])
                elif source is not None:
                    with _opened(source, format, texts, coverage, quiet=quiet) as opened:
                        _preview(chosen, list(opened))
                return
            if add is not None:
                from adequa.run import add_metrics

                run = add_metrics(open_run(add), chosen, **settings)
                options.echo_run(run, as_json=as_json)
            elif source is not None and out is not None:
                with _opened(source, format, texts, coverage, quiet=quiet) as opened:
                    if shard is not None:
                        _score_shard(opened, chosen, out, shard, settings)
                        return
                    from adequa.run import score_run

                    with options.run_folder(out) as folder:
                        settings |= {"resume": resume, "force": force}
                        run = score_run(opened, chosen, folder, **settings)
                        options.echo_run(run, as_json=as_json, place=out)
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
    for label, one in chosen.items():
        if spent := one.expenses():
            options.echo(f"{label}: {spent}", err=True)


def _preview(chosen: Mapping[str, Metric], items: Sequence[Item]) -> None:
    """What each metric would send for the items."""
    for label, one in chosen.items():
        told = one.preview(items) or "computed here; nothing is sent"
        options.echo(f"{label}: {told}")


@contextmanager
def _opened(
    named: Path, format_: str | None, texts: list[str] | None, coverage: str | None, *, quiet: bool
) -> Iterator[Source]:
    """The source of INPUT, which may be a path, stdin, or a file on a store."""
    from adequa.cli.options import source_label, source_path
    from adequa.readers import open_source

    with source_path(named) as path:
        opened = open_source(path, format=format_, texts=texts or (), coverage=coverage)
        if path != named:
            opened = replace(opened, label=source_label(named))
        options.echo_reading(opened, named, quiet=quiet)
        yield opened


def _score_shard(
    opened: Source, chosen: Mapping[str, Metric], out: Path, shard: str, settings: dict[str, Any]
) -> None:
    from adequa.files import url_of
    from adequa.run import score_shard

    number, count = _parse_shard(shard)
    name = f"{number:0{len(str(count))}}-of-{count}"
    with options.run_folder(out, shard=name) as folder:
        parts = score_shard(
            opened,
            chosen,
            folder,
            number=number,
            count=count,
            waiting=lambda who: options.echo(f"adequa: {who}", err=True),
            **settings,
        )
    url = url_of(out)
    if not parts:
        options.echo(f"{url or out} is complete")
        return
    whole = sum(part.is_whole for part in parts)
    done = f"shard {shard} is" if url else f"{whole:,} of {count:,} shards are"
    options.echo(f"{done} complete; join them with: adequa merge {url or out}")


def _parse_shard(written: str) -> tuple[int, int]:
    number, _, count = written.partition("/")
    if number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count):
        return int(number), int(count)
    raise typer.BadParameter(f"--shard {written!r} is not I/N with I from 1 to N, as in 3/16")


def merge(
    run: Annotated[Path, argument("RUN", "The folder that `adequa score --shard` wrote.")],
    as_json: options.Json = False,
) -> None:
    """Join the shards of a run.

    Every planned item must be there once; a shard that is missing is named. The run is equal, byte
    for byte, to one that was scored without shards.

    Example: adequa merge runs/t5
    """
    from adequa.run import merge_run

    with options.run_folder(run) as folder:
        options.echo_run(merge_run(folder), as_json=as_json, place=run)
