"""`adequa report`: runs as one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from adequa.cli.options import Json, Quiet, echo_json
from adequa.progress import progress_bar


def report(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN…", help="Folders that `adequa score` wrote.")
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="The file to write.")
    ] = Path("report.html"),
    title: Annotated[
        str | None, typer.Option(metavar="WORDS", help="The headline; without it the runs' names.")
    ] = None,
    baseline: Annotated[
        Path | None,
        typer.Option(
            metavar="RUN",
            help="An earlier run of the same systems: what got better or worse since, and which "
            "facts broke.",
        ),
    ] = None,
    max_items: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            help="About so many texts to read, whole inputs evenly chosen; numbers are of all.",
        ),
    ] = None,
    people: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="JSON on how metrics agree with people on your data, for the shipped figures.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace FILE.")] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write runs into one HTML file: systems side by side, and every text with its marks.

    The file needs nothing else, opens from disk and sends no request anywhere.

    Example: adequa report runs/new --baseline runs/old --out report.html
    """
    from adequa.report import write_report

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
        echo_json(
            {
                "path": str(written.path),
                "bytes": written.bytes,
                "systems": written.systems,
                "texts": written.texts,
                "shown_texts": written.shown_texts,
            }
        )
        return
    typer.echo(
        f"{written.path}: {written.texts:,} texts of {written.systems} "
        f"system{'' if written.systems == 1 else 's'}, {written.shown_texts:,} to read, "
        f"{written.bytes / 1e6:.1f} MB"
    )
