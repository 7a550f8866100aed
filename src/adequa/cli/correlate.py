"""`adequa correlate`: each metric against each human criterion."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from adequa.cli.options import Json, Out, Quiet, TableForm, json_text, write_or_echo
from adequa.progress import progress_bar


def correlate(
    runs: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[RUN]…", help="Folders that `adequa score` wrote; none with --scores."
        ),
    ] = None,
    ratings: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE", help="What people said: a file, or a campaign's folder. Repeatable."
        ),
    ] = None,
    ratings_format: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="long, webnlg2017, webnlg2020; recognised if not given."),
    ] = None,
    scores: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Scores of others: JSONL, CSV or TSV with id, system, a field a metric. "
            "Repeatable.",
        ),
    ] = None,
    criterion: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A criterion; give it once each. Without it: all."),
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric", "-m", metavar="NAME", help="A metric; give it once each. Without it: all."
        ),
    ] = None,
    lower_is_better: Annotated[
        list[str] | None,
        typer.Option(
            metavar="METRIC", help="An error rate of a score file; runs know theirs. Repeatable."
        ),
    ] = None,
    level: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="text (pooled; default), item (within inputs; with pairwise accuracy), "
            "system-mean (within systems), system (means; with soft accuracy). Repeatable.",
        ),
    ] = None,
    coefficient: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="pearson, spearman (default: both), kendall. Repeatable."
        ),
    ] = None,
    subset: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="all (default), undetected>=1, undetected>=2: entities that esa does not find. "
            "Repeatable.",
        ),
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FIELD=VALUE",
            help="Only these texts: category, size, lang, seen or meta.KEY. Values of one field "
            "are alternatives, fields add up. Repeatable.",
        ),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(metavar="RATER", help="Without this rater, or those of @FILE. Repeatable."),
    ] = None,
    exclude_system: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Without this system. Repeatable.")
    ] = None,
    references: Annotated[
        bool, typer.Option("--references", help="Keep human texts, which are left out otherwise.")
    ] = False,
    z: Annotated[bool, typer.Option("--z", help="Standardise the ratings of each rater.")] = False,
    n: Annotated[int, typer.Option("--n", min=1, help="Resamples and permutations.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same result.")] = 0,
    confidence: Annotated[float, typer.Option(help="Of the intervals.")] = 0.95,
    against: Annotated[
        str | None,
        typer.Option(metavar="METRIC", help="Do the others agree better with people than this?"),
    ] = None,
    ceiling: Annotated[
        bool | None,
        typer.Option(
            "--ceiling/--no-ceiling",
            help="One rater against the others; without it: where there are single judgments.",
        ),
    ] = None,
    matrix: Annotated[
        bool, typer.Option("--matrix", help="Everything with everything, as a table.")
    ] = False,
    ranking: Annotated[
        bool, typer.Option("--ranking", help="Systems on the rated and on all texts.")
    ] = False,
    pictures: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write the matrices as heat maps (SVG).")
    ] = None,
    png: Annotated[bool, typer.Option("--png", help="Heat maps as PNG, too (extra png).")] = False,
    table: TableForm = "text",
    as_json: Json = False,
    out: Out = None,
    quiet: Quiet = False,
) -> None:
    """Say how well each metric agrees with people.

    Each metric of runs and score files against each criterion, with intervals from resampled
    inputs; on single judgments also how well one rater agrees with the others.

    Example: adequa correlate runs/all --ratings judgments.jsonl --level text --level system
    """
    from adequa.analysis.correlation import (
        FORMATS,
        Options,
        draw_matrices,
        render_study,
        study_to_object,
    )
    from adequa.analysis.correlation import correlate as study_of
    from adequa.errors import SettingError, UnknownName
    from adequa.human import named_raters, rating_files

    if table not in FORMATS:
        raise UnknownName("table", table, FORMATS)
    if png and pictures is None:
        raise SettingError("--png is of the pictures; name their folder with --pictures")
    defaults = Options()
    options = Options(
        levels=tuple(dict.fromkeys(level or defaults.levels)),
        coefficients=tuple(dict.fromkeys(coefficient or defaults.coefficients)),
        subsets=tuple(dict.fromkeys(subset or defaults.subsets)),
        n=n,
        seed=seed,
        confidence=confidence,
    )
    with progress_bar("correlating", quiet=quiet) as progress:
        study = study_of(
            runs or (),
            rating_files(ratings or ()),
            scores=scores or (),
            ratings_format=ratings_format,
            criteria=criterion or (),
            metrics=metric or (),
            lower_is_better=lower_is_better or (),
            options=options,
            where=where or (),
            exclude=named_raters(exclude or ()),
            exclude_systems=exclude_system or (),
            references=references,
            z=z,
            against=against,
            ceiling=ceiling,
            with_matrix=matrix or pictures is not None,
            ranking=ranking,
            progress=progress,
        )
    if pictures is not None:
        for path in draw_matrices(study, pictures, png=png):
            typer.echo(f"written: {path}", err=True)
    write_or_echo(json_text(study_to_object(study)) if as_json else render_study(study, table), out)
