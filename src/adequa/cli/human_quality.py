"""`adequa human quality`: which raters to look at before their judgments are used."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from adequa.cli.options import Json, Quiet

__all__ = ["quality"]


def quality(
    ratings: Annotated[
        list[Path],
        typer.Argument(
            metavar="RATINGS…", help="Files of single judgments, or folders of campaigns."
        ),
    ],
    format: Annotated[  # noqa: A002
        str | None,
        typer.Option(metavar="NAME", help="long, webnlg2017 or webnlg2020; recognised if absent."),
    ] = None,
    items: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The items that were judged, for their ids and texts."),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RATER",
            help="Leave out a rater and say what changes; repeatable; @FILE has one a line.",
        ),
    ] = None,
    criterion: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Look at this criterion only; repeatable."),
    ] = None,
    method: Annotated[
        str, typer.Option(metavar="NAME", help="Of MACE: vb (variational Bayes) or em.")
    ] = "vb",
    restarts: Annotated[int, typer.Option(min=1, help="Random starts of MACE.")] = 10,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same result.")] = 0,
    least: Annotated[
        int,
        typer.Option(min=0, help="Raters of so many texts or fewer are too new to be flagged."),
    ] = 10,
    floor: Annotated[
        float, typer.Option(metavar="SECONDS", help="A median page below this is too fast.")
    ] = 3.0,
    controls: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Right answers to some texts, as ratings in long form by anyone."
        ),
    ] = None,
    bins: Annotated[
        int,
        typer.Option(
            min=2,
            help="MACE compares labels: a slider (more than 10 different values) is cut into so"
            " many equal parts of its range.",
        ),
    ] = 5,
    details: Annotated[
        str | None,
        typer.Option(metavar="RATER", help="Show this rater's judgments beside the others'."),
    ] = None,
    table: Annotated[
        str, typer.Option(metavar="FORMAT", help="text, markdown, latex, csv (raters) or json.")
    ] = "text",
    as_json: Json = False,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="DIR",
            help="Also write report.txt, quality.json, raters.csv and the flagged.",
        ),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Report on raters: patterns, speed, competence (MACE), agreement.

    Nobody is excluded: a person reads the report, looks at a rater with --details, and runs it
    again with --exclude.

    Example: adequa human quality judgments.jsonl --exclude ann --exclude @spammers.txt
    """
    from adequa.errors import UnknownName
    from adequa.human.judgments import gather
    from adequa.human.quality import Settings, chosen
    from adequa.human.quality_report import make_report, write_report
    from adequa.human.quality_tables import FORMATS
    from adequa.human.sources import named_raters, rating_files
    from adequa.readers import open_source

    if table not in FORMATS:
        raise UnknownName("format", table, FORMATS)
    known = None if items is None else list(open_source(items))
    found = gather(rating_files(ratings), format=format, items=known)
    if not quiet:
        typer.echo(f"{len(found):,} ratings read; estimating whom to trust …", err=True)
    report = make_report(
        chosen(found, criterion or ()),
        settings=Settings(method, restarts, seed, least, floor, bins=bins),
        exclude=named_raters(exclude or ()),
        controls=() if controls is None else gather([controls], format="long"),
        rater=details,
        texts={item.key: item.text for item in known or ()},
    )
    words = ["adequa", "human", "quality", *map(str, ratings)]
    words += [] if format is None else ["--format", format]
    words += [] if items is None else ["--items", str(items)]
    words += [word for name in criterion or () for word in ("--criterion", name)]
    words += [] if controls is None else ["--controls", str(controls)]
    if out is not None:
        for path in write_report(report, out, words):
            typer.echo(f"written: {path}", err=True)
    if as_json:
        table = "json"
    typer.echo(report.written(table, words))
