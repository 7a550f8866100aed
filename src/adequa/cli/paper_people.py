"""`adequa paper correlations` and `adequa paper human`: metrics against people, and people."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from adequa.cli.options import Json, Quiet, progress_bar
from adequa.cli.paper_telling import tell

__all__ = ["correlations", "human"]

Pictures = Annotated[
    Path | None,
    typer.Option("--pictures", "--out", "-o", metavar="DIR", help="Write the pictures there."),
]


def correlations(
    data: Annotated[
        Path,
        typer.Option(
            "--data", metavar="DIR", help="The folder that holds webnlg2020 and webnlg2017."
        ),
    ],
    year: Annotated[str, typer.Option(metavar="YEAR", help="2020, 2017 or both.")] = "both",
    detector: Annotated[
        str, typer.Option(metavar="NAME", help="adequa, or paper: its Algorithm 1.")
    ] = "adequa",
    seed: Annotated[int, typer.Option(min=0, help="Of the intervals' resamples.")] = 0,
    pictures: Pictures = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Every metric and criterion against every other (Faille, Gatt and Gardent 2021).

    Tables 2, 3 and 7 to 22 whole, the paper's row above ours, each cell marked: = rounds to the
    same, ~ within 0.02, ≠ differs; with what explains the differences, and a heat map a table.

    Example: adequa paper correlations --data data --year 2017 --pictures pictures
    """
    from adequa.errors import UnknownName
    from adequa.papers.correlations import reproduce_correlations
    from adequa.papers.esa import write_files
    from adequa.papers.esa_data import YEARS

    years = {"both": YEARS, **{str(one): (one,) for one in YEARS}}
    if year not in years:
        raise UnknownName("year", year, years)
    reproduction = reproduce_correlations(
        data,
        years[year],
        detector=detector,
        seed=seed,
        progress=lambda what: progress_bar(what, quiet=quiet),
    )
    written = [] if pictures is None else write_files(reproduction, pictures)
    tell(reproduction, written, as_json=as_json)


def human(
    data: Annotated[
        Path, typer.Option("--data", metavar="DIR", help="The folder that holds webnlg2017.")
    ],
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="SECTION", help="This section and no other. Repeatable."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of Table 1's resamples.")] = 0,
    pictures: Pictures = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Human evaluation of WebNLG 2017 (Shimorina, Gardent and others 2018).

    Tables 1 to 3, Figures 1 to 7 and what the text says of them, each number marked equal, close
    or different. Table 1 on all texts scores some 17,000 of them, which takes minutes. Sections:
    sample, table1, table1_all, tables2_3, groups, figures1_3, figures4_7.

    Example: adequa paper human --data data --only tables2_3 --only figures1_3 --pictures pictures
    """
    from adequa.papers.human import reproduce_human
    from adequa.papers.joint import write_pictures

    reproduction = reproduce_human(
        data,
        only=only or (),
        seed=seed,
        progress=lambda what: progress_bar(what, quiet=quiet),
    )
    written = [] if pictures is None else write_pictures(reproduction, pictures)
    tell(reproduction, written, as_json=as_json)
