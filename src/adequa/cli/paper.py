"""`adequa paper`: a paper's tables and pictures side by side with ours."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from adequa.cli.options import Json, progress_bar

__all__ = ["paper"]

paper = typer.Typer(
    name="paper",
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Tell a paper's tables and pictures again, side by side with its numbers.",
)


@paper.callback()
def _papers() -> None:
    """Tell a paper's tables and pictures again, side by side with its numbers."""


@paper.command()
def esa(
    data: Annotated[
        Path | None,
        typer.Option(
            "--data", metavar="DIR", help="The folder that holds webnlg2020 and webnlg2017."
        ),
    ] = None,
    year: Annotated[str, typer.Option(metavar="YEAR", help="2020, 2017 or both.")] = "both",
    detector: Annotated[
        str, typer.Option(metavar="NAME", help="adequa, or paper: its Algorithm 1.")
    ] = "adequa",
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="DIR", help="Write Figure 3 and the worksheets there."),
    ] = None,
    worksheet: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Summarise a filled worksheet, and do no more."),
    ] = None,
    sample: Annotated[int, typer.Option(min=1, help="Texts a system in the worksheets.")] = 20,
    seed: Annotated[int, typer.Option(min=0, help="Of that sample.")] = 0,
    as_json: Json = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Entity-based semantic adequacy (Faille, Gatt and Gardent 2021).

    Tables 1 to 4 and 7 to 22, Figures 2 and 3, the cases of section 6.2 and the worksheets for the
    manual check of section 5.2. What is not in DIR is marked n/a, with the path expected.

    Example: adequa paper esa --data data --year 2020 --out esa-2020
    """
    from adequa.errors import UnknownName
    from adequa.papers.esa import reproduce_esa, write_files
    from adequa.papers.esa_data import YEARS
    from adequa.papers.esa_worksheet import summarise_worksheet

    if (data is None) == (worksheet is None):
        raise typer.BadParameter("give --data DIR, or --worksheet FILE")
    if worksheet is not None:
        section = summarise_worksheet(worksheet)
        typer.echo(_dump(section.as_object()) if as_json else section.text())
        return
    years = {"both": YEARS, **{str(one): (one,) for one in YEARS}}
    if year not in years:
        raise UnknownName("year", year, years)
    reproduction = reproduce_esa(
        data or Path(),
        years[year],
        detector=detector,
        sample=sample,
        seed=seed,
        progress=lambda what: progress_bar(what, quiet=quiet),
    )
    written = [] if out is None else write_files(reproduction, out)
    if as_json:
        typer.echo(_dump({**reproduction.as_object(), "written": [str(path) for path in written]}))
        return
    typer.echo(reproduction.text())
    for path in written:
        typer.echo(f"written: {path}")


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
