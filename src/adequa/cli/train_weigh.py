"""`adequa train weigh`: what logits and entities are worth to nli, on texts spoilt by us."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from adequa.cli.options import Format, Json, Quiet, echo_json, progress_bar

__all__ = ["weigh"]


def weigh(
    inputs: Annotated[
        list[Path],
        typer.Argument(metavar="INPUT…", help="Texts that say their graph, held out of training."),
    ],
    weights: Annotated[
        Path,
        typer.Option(
            "--weights",
            metavar="DIR",
            help="A folder of adequa export with a verifier; its calibration.json is written.",
        ),
    ],
    gold: Annotated[
        list[Path] | None,
        typer.Option(
            "--gold", metavar="PATH", help="The same texts with mentions that people marked."
        ),
    ] = None,
    composed: Annotated[
        float,
        typer.Option(
            "--composed", min=0, max=1, help="The share of cases put together from our own phrases."
        ),
    ] = 0.25,
    picture: Annotated[
        Path | None,
        typer.Option("--picture", metavar="FILE", help="Draw how reliable `stated` is, SVG."),
    ] = None,
    format: Format = None,  # noqa: A002
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Fit how nli weighs the verifier's logits and the entity detector's signs.

    Every text is spoilt in a known way, so that it is known which facts it states and which words
    the data supports; two logistic regressions are fitted on that. The table is out of fold. Needs
    no extra, and no labels: to calibrate on labels of your own, see adequa train calibrate.

    Example: adequa train weigh webnlg/dev --gold enriched/dev --weights my-weights
    """
    from adequa.errors import DataError
    from adequa.models.verifier import load_verifier
    from adequa.readers import open_source
    from adequa.tables import Cell, Table
    from adequa.training.exporting.folder import write_files
    from adequa.training.material import gather, pairs_of
    from adequa.training.pictures import reliability_picture
    from adequa.training.rated import known_parts, open_weights
    from adequa.training.weighing import fit_weighing, made_cases, write_weighing

    open_weights(weights)
    known_parts(weights)  # a broken file shows before the work, not after
    marked = gather(item for path in gold or () for item in open_source(path))
    pairs = pairs_of((item for path in inputs for item in open_source(path, format=format)), marked)
    verifier = load_verifier(str(weights))
    try:
        cases = made_cases(pairs, composed)
        with progress_bar("texts", quiet=quiet) as progress:
            fitted = fit_weighing(cases, verifier.verify, progress)
    except DataError as error:
        raise error.at(inputs[0]) from None
    source = ", ".join("/".join(path.absolute().parts[-2:]) for path in inputs)
    written = write_weighing(weights, fitted, f"{source}, {len(cases)} texts spoilt")
    if picture is not None:
        one = fitted["stated"]
        drawn = reliability_picture(
            one.before.bins,
            one.reliability.bins,
            "reliability of stated",
            f"calibration error {one.before.error:.3f} of the bare logits, "
            f"{one.reliability.error:.3f} weighed; {one.cases:,} facts",
        )
        write_files(picture.parent, {picture.name: drawn.encode()})
    if as_json:
        echo_json(written)
        return
    rows: list[list[Cell]] = [
        [name, one.cases, one.positive, one.reliability.error, one.reliability.brier]
        for name, one in fitted.items()
    ]
    columns = ["", "cases", "positive", "calibration error", "Brier score"]
    typer.echo(Table(f"{len(cases):,} texts, out of fold", columns, rows).text())
    rows = [
        [name, sign, value]
        for name, one in fitted.items()
        for sign, value in (
            ("logit", one.weigher.slope),
            *one.weigher.signs.items(),
            ("offset", one.weigher.offset),
        )
    ]
    typer.echo("\n" + Table("", ["", "evidence", "weight"], rows).text())
    typer.echo(f"written to {weights}", err=True)
