"""`adequa train`: learns what the shipped models and weights are made of."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from adequa.cli.options import Format, Json, Quiet, echo_json, progress_bar
from adequa.cli.train_blend import blend
from adequa.cli.train_calibrate import calibrate
from adequa.cli.train_models import encoder, verifier
from adequa.cli.train_weigh import weigh

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adequa.data import Item
    from adequa.entities.evaluation import Agreement
    from adequa.entities.mentions import Judge

__all__ = ["train"]

_FIGURES = ("precision", "recall", "F1")

train = typer.Typer(
    name="train",
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Train what adequa ships, on your own data.",
)


@train.callback()
def _training() -> None:
    """Train what adequa ships, on your own data."""


for command in (encoder, verifier, weigh, calibrate, blend):
    train.command()(command)


@train.command()
def mentions(
    gold: Annotated[
        Path,
        typer.Argument(metavar="GOLD", help="Texts with gold mentions: the enriched corpus."),
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="The JSON file of weights to write.")
    ],
    penalty: Annotated[
        float, typer.Option(min=0, help="The L2 penalty: more keeps weights nearer to 0.")
    ] = 0.5,
    no_adjust: Annotated[
        bool,
        typer.Option(
            "--no-adjust",
            help="Leave out what is added by hand for the enriched corpus, whose splits were "
            "annotated differently: wise for any other corpus.",
        ),
    ] = False,
    evaluate: Annotated[
        Path | None,
        typer.Option(
            "--evaluate",
            metavar="DEV",
            help="Other texts with gold mentions: compare the new weights, and the shipped ones, "
            "with them.",
        ),
    ] = None,
    format: Format = None,  # noqa: A002
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Learn how annotators draw mentions.

    Runs the detector over texts whose mentions are marked and learns its decisions: which names are
    mentions, where a mention begins and ends, whom a pronoun or noun stands for. The weights are
    for mentions mode; adequacy mode, which esa uses by default, has none. Needs no extra. In
    Python, Detector(mode="mentions", judge=WeightsJudge(read_weights(FILE))) uses them.

    Example: adequa train mentions enriched/train --out weights.json --evaluate enriched/dev
    """
    from adequa.entities.evaluating import gold_spans
    from adequa.entities.mentions import WeightsJudge
    from adequa.errors import DataError
    from adequa.readers import open_source
    from adequa.training.mentions import read_weights, train_mentions, write_weights

    if out.is_dir() or not out.parent.is_dir():  # said now, not after minutes of work
        raise DataError("cannot be written", path=out, remedy="give a file in a folder that exists")
    items = list(open_source(gold, format=format))
    others = [] if evaluate is None else list(open_source(evaluate, format=format))
    try:
        for item in others:
            gold_spans(item)
    except DataError as error:
        raise error.at(evaluate or "") from None
    try:
        with progress_bar("texts", quiet=quiet) as progress:
            weights = train_mentions(
                items,
                penalty=penalty,
                adjust=not no_adjust,
                progress=lambda done: progress(done, len(items)),
            )
    except DataError as error:
        raise error.at(gold) from None
    write_weights(weights, out, _origin(gold, len(items), penalty, adjusted=not no_adjust))
    written = read_weights(out)
    counts = {decision: len(table) for decision, table in written.items()}
    agreements: dict[str, Agreement] = {}
    if evaluate is not None:
        for name, judge in (("new", WeightsJudge(written)), ("shipped", WeightsJudge())):
            try:
                agreements[name] = _agreement(others, judge, f"texts, {name} weights", quiet)
            except DataError as error:
                raise error.at(evaluate) from None
    if as_json:
        result = {
            "out": str(out),
            "texts": len(items),
            "weights": counts,
            **{name: agreement.figures() for name, agreement in agreements.items()},
        }
        echo_json(result)
        return
    _show(len(items), counts, agreements)
    typer.echo(f"written to {out}", err=True)


def _origin(gold: Path, texts: int, penalty: float, *, adjusted: bool) -> str:
    """Where weights come from, without the folders of the machine they were made on."""
    name = "/".join(gold.absolute().parts[-2:])
    return f"{name}, {texts} texts, penalty {penalty:g}, {'' if adjusted else 'not '}adjusted"


def _agreement(items: Sequence[Item], judge: Judge, what: str, quiet: bool) -> Agreement:
    from adequa.entities.detector import Detector
    from adequa.entities.evaluating import evaluate_mentions

    detector = Detector(mode="mentions", judge=judge)
    with progress_bar(what, quiet=quiet) as progress:
        evaluated = evaluate_mentions(
            items,
            lambda item: detector.detect(item).mentions,
            lambda done: progress(done, len(items)),
        )
    return evaluated.agreement


def _show(texts: int, counts: dict[str, int], agreements: dict[str, Agreement]) -> None:
    from adequa.tables import Cell, Table

    rows: list[list[Cell]] = [[decision, count] for decision, count in counts.items()]
    typer.echo(Table(f"learned from {texts:,} texts", ["decision", "weights"], rows).text())
    if not agreements:
        return
    new, shipped = agreements["new"], agreements["shipped"]
    rows = [
        [name, mine.precision, mine.recall, mine.f1, theirs.precision, theirs.recall, theirs.f1]
        for name, mine, theirs in (
            ("exact", new.exact, shipped.exact),
            ("lenient", new.lenient, shipped.lenient),
            ("entities", new.entities, shipped.entities),
        )
    ]
    title = f"compared with {new.exact.gold:,} mentions in {new.texts:,} texts"
    columns = ["", *(f"{kind}{name}" for kind in ("", "shipped ") for name in _FIGURES)]
    typer.echo("\n" + Table(title, columns, rows).text())
