"""`adequa train blend`: one value that agrees with people, of what the models say."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from adequa.cli.options import Format, Input, Json, Quiet, Texts, echo_json, progress_bar

__all__ = ["blend"]


def blend(
    input_: Input,
    ratings: Annotated[
        Path, typer.Option("--ratings", metavar="FILE", help="What people said of the texts.")
    ],
    weights: Annotated[
        Path,
        typer.Option(
            "--weights",
            metavar="DIR",
            help="A folder of adequa export with both models; its calibration.json is written.",
        ),
    ],
    criterion: Annotated[
        str, typer.Option("--criterion", metavar="NAME", help="Of the ratings.")
    ] = "semantics",
    scale: Annotated[
        str, typer.Option("--scale", metavar="LOW,HIGH", help="The ends of the rating scale.")
    ] = "1,3",
    texts: Texts = None,
    format: Format = None,  # noqa: A002
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Fit how similarity weighs its models, by ratings of people.

    Fits a linear layer on the verifier, which itself stays as it is, and the curve from the mean of
    all members to a value between 0 and 1. The table is out of fold: texts of one graph are judged
    by a layer that has seen none of them. Needs no extra.

    Example: adequa train blend test.xml --texts A=a.txt --ratings ratings.csv --weights my-weights
    """
    from adequa.readers import open_source
    from adequa.readers.ratings import read_ratings
    from adequa.tables import Cell, Table
    from adequa.training.rated import fit_similarity, open_weights, pair_ratings, rated_source

    try:
        lowest, highest = (float(end) for end in scale.split(","))
    except ValueError:
        raise typer.BadParameter(f"{scale!r} is no scale: give two numbers, 1,3") from None
    open_weights(weights)
    items = list(open_source(input_, format=format, texts=texts or ()))
    rated = pair_ratings(items, read_ratings(ratings, items=items), criterion, lowest, highest)
    with progress_bar("texts", quiet=quiet) as progress:
        fitted = fit_similarity(weights, rated, rated_source(ratings, criterion), progress)
    if as_json:
        result = {
            "texts": fitted.texts,
            "blank": fitted.blank,
            "out_of_fold": fitted.figures,
        }
        echo_json(result)
        return
    rows: list[list[Cell]] = [
        [name, one.get("pearson"), one.get("spearman")] for name, one in fitted.figures.items()
    ]
    title = f"{criterion} of {fitted.texts:,} texts, out of fold; parts: with {fitted.blank} blank"
    typer.echo(Table(title, ["", "Pearson", "Spearman"], rows).text())
    typer.echo(f"written to {weights}", err=True)
