"""`adequa human analyse`: judgments into means, groups and ranks of systems."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from adequa.cli.options import Json, Quiet, progress_bar
from adequa.cli.writing import Out, TableForm, draw_pictures, write_or_echo

if TYPE_CHECKING:
    from adequa.data import Item

__all__ = ["analyse"]


def analyse(
    ratings: Annotated[
        list[Path],
        typer.Argument(metavar="RATINGS…", help="Files of ratings, or folders of campaigns."),
    ],
    format: Annotated[  # noqa: A002
        str | None,
        typer.Option(
            metavar="NAME", help="long, webnlg2017 or webnlg2020; recognised if not given."
        ),
    ] = None,
    items: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="The rated items or a run of them, for --by and --lowest."
        ),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RATER", help="Leave out a rater, or those of a file: @FILE. Repeatable."
        ),
    ] = None,
    criterion: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only this criterion. Repeatable."),
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FIELD",
            help="Break down by type, size, category, seen, lang, meta.KEY. Repeatable.",
        ),
    ] = None,
    test: Annotated[
        str, typer.Option(metavar="NAME", help="rank-sum, or signed-rank for paired texts.")
    ] = "rank-sum",
    data: Annotated[
        str,
        typer.Option(metavar="KIND", help="averaged: a value a text; single: a value a judgment."),
    ] = "averaged",
    correction: Annotated[
        str,
        typer.Option(metavar="NAME", help="none, holm, bonferroni, bh (the false discovery rate)."),
    ] = "none",
    alpha: Annotated[
        float, typer.Option(help="Of the tests; the intervals hold 1 - alpha.")
    ] = 0.05,
    z: Annotated[
        bool, typer.Option("--z", help="Standardise the judgments of each rater.")
    ] = False,
    lowest: Annotated[
        float | None,
        typer.Option(metavar="VALUE", help="The score of empty texts that nobody rated."),
    ] = None,
    lower_is_better: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CRITERION",
            help="Less of it is better; a campaign's folder says that of its marks. Repeatable.",
        ),
    ] = None,
    n: Annotated[int, typer.Option("--n", min=1, help="Draws of the bootstrap.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same result.")] = 0,
    pictures: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Draw mean scores over each --by (without one: over the size), SVG and PNG.",
        ),
    ] = None,
    table: TableForm = "text",
    as_json: Json = False,
    out: Out = None,
    quiet: Quiet = False,
) -> None:
    """Means, significance groups and ranks of systems, by criterion.

    Systems that share a letter are not told apart by Wilcoxon's test.

    Example: adequa human analyse ratings.jsonl --by category --correction holm
    """
    from adequa.errors import UnknownName
    from adequa.human.analysis import analyse as analysed
    from adequa.human.analysis_model import Settings
    from adequa.human.analysis_tables import FORMATS, render
    from adequa.human.judgments import gather
    from adequa.human.sources import named_raters, rating_files

    form = "json" if as_json else table
    if form not in FORMATS:
        raise UnknownName("format", form, FORMATS)
    known = list(_items(ratings, items))
    excluded = named_raters(exclude or ())
    judgments = gather(
        rating_files(ratings), format=format, items=known if items else None, exclude=excluded
    )
    fields = list(by or ()) or (["size"] if pictures else [])
    rated = set(criterion or ()) or {rating.criterion for rating in judgments}
    lower = tuple(dict.fromkeys([*(lower_is_better or ()), *sorted(_marks(ratings) & rated)]))
    with progress_bar("analysing", quiet=quiet) as progress:
        analysis = analysed(
            judgments,
            items=known,
            criteria=criterion or (),
            by=fields,
            settings=Settings(test, data, correction, alpha, z, n, seed, lower),
            lowest=lowest,
            excluded=excluded,
            progress=progress,
        )
    written = render(analysis, form)
    if pictures is not None:
        from adequa.human.analysis_pictures import analysis_pictures

        draw_pictures(analysis_pictures(analysis), pictures)
    write_or_echo(written, out)


def _marks(ratings: list[Path]) -> set[str]:
    """The questions of campaigns whose answer is a number of errors."""
    from adequa.human.campaign.folder import is_campaign, read_settings

    return {
        question.name
        for folder in ratings
        if is_campaign(folder)
        for question in read_settings(folder).questions
        if question.kind == "spans"
    }


def _items(ratings: list[Path], items: Path | None) -> Iterator[Item]:
    """The items that are named, or those of the campaigns."""
    from adequa.human.campaign.folder import ITEMS, is_campaign
    from adequa.readers import open_source
    from adequa.run import open_run
    from adequa.run.folder import MANIFEST

    if items is None:
        for folder in ratings:
            if is_campaign(folder) and (folder / ITEMS).is_file():
                yield from open_source(folder / ITEMS)
    elif (items / MANIFEST).is_file():
        yield from (result.item for result in open_run(items).results())
    else:
        yield from open_source(items)
