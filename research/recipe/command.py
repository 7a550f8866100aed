"""`adequa train blend`, `weigh` and `mentions`: the recipe after encoder and verifier."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from adequa.cli.options import Format, Input, Json, Quiet, Texts, echo_json, flag, option
from adequa.files import errors_at
from adequa.progress import progress_bar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adequa.data import Item
    from adequa.entities import Judge, MentionAgreement


def blend(
    input_: Input,
    ratings: Annotated[Path, option("FILE", "Human ratings of the texts.", "--ratings")],
    weights: Annotated[
        Path,
        option(
            "DIR",
            "A folder of adequa export with both models; its calibration.json is written.",
            "--weights",
        ),
    ],
    criterion: Annotated[str, option("NAME", "The rated criterion.", "--criterion")] = "semantics",
    scale: Annotated[str, option("LOW,HIGH", "The ends of the rating scale.", "--scale")] = "1,3",
    texts: Texts = None,
    format: Format = None,  # noqa: A002
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Fit how similarity combines its models, from human ratings.

    Fits a linear layer on the verifier, which itself stays as it is, and the curve from the mean of
    all members to a value between 0 and 1. The table is out of fold: texts of one graph are judged
    by a layer that has seen none of them. Needs no extra.

    Example: adequa train blend test.xml --texts A=a.txt --ratings ratings.csv --weights my-weights
    """
    from adequa.readers import open_source, read_ratings
    from adequa.tables import Cell, Table
    from research.recipe.similarity import fit_similarity, open_weights, pair_ratings, rated_source

    try:
        lowest, highest = (float(end) for end in scale.split(","))
    except ValueError:
        raise typer.BadParameter(f"{scale!r} is not a scale; give two numbers, e.g. 1,3") from None
    open_weights(weights, "encoder", "verifier")
    items = list(open_source(input_, format=format, texts=texts or ()))
    rated = pair_ratings(items, read_ratings(ratings, items=items), criterion, lowest, highest)
    with progress_bar("texts", quiet=quiet) as progress:
        fitted = fit_similarity(weights, rated, rated_source(ratings, criterion), progress)
    if as_json:
        result = {"texts": fitted.texts, "blank": fitted.blank, "out_of_fold": fitted.figures}
        echo_json(result)
        return
    rows: list[list[Cell]] = [
        [name, one.get("pearson"), one.get("spearman")] for name, one in fitted.figures.items()
    ]
    title = f"{criterion} of {fitted.texts:,} texts, out of fold; parts: with {fitted.blank} blank"
    typer.echo(Table(title, ["", "Pearson", "Spearman"], rows).text())
    typer.echo(f"written to {weights}", err=True)


def weigh(
    inputs: Annotated[
        list[Path],
        typer.Argument(
            metavar="INPUT…", help="Texts that state their graph, held out of training."
        ),
    ],
    weights: Annotated[
        Path,
        option(
            "DIR",
            "A folder of adequa export with a verifier; its calibration.json is written.",
            "--weights",
        ),
    ],
    gold: Annotated[
        list[Path] | None, option("PATH", "The same texts with annotated mentions.", "--gold")
    ] = None,
    composed: Annotated[
        float,
        option(None, "The share of cases composed of our own phrases.", "--composed", min=0, max=1),
    ] = 0.25,
    picture: Annotated[
        Path | None, option("FILE", "Draw the reliability of `stated` as SVG.", "--picture")
    ] = None,
    format: Format = None,  # noqa: A002
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Fit how nli combines the verifier and the entity detector.

    Every text is changed in a known way, so that it is known which facts it states and which words
    the data supports; two logistic regressions are fitted on that. The table is out of fold. Needs
    no extra, and no labels: to calibrate on labels of your own, see adequa train calibrate.

    Example: adequa train weigh webnlg/dev --gold enriched/dev --weights my-weights
    """
    from adequa.charts import reliability_picture
    from adequa.models import load_verifier
    from adequa.perturb import read_marks
    from adequa.readers import open_source
    from adequa.tables import Cell, Table
    from adequa.training.export import write_files
    from adequa.training.setup import read_pairs
    from research.recipe.similarity import known_parts, open_weights
    from research.recipe.weights import fit_weighing, made_cases, write_weighing

    open_weights(weights, "verifier")
    known_parts(weights)  # a broken file fails before the work, not after
    marked = {item.text: read_marks(item) for path in gold or () for item in open_source(path)}
    items = [item for path in inputs for item in open_source(path, format=format)]
    pairs = read_pairs(items, marked=marked)
    verifier = load_verifier(str(weights))
    with errors_at(inputs[0]):
        cases = made_cases(pairs, composed)
        with progress_bar("texts", quiet=quiet) as progress:
            fitted = fit_weighing(cases, verifier.verify, progress)
    source = ", ".join("/".join(path.absolute().parts[-2:]) for path in inputs)
    written = write_weighing(weights, fitted, f"{source}, {len(cases)} texts changed")
    if picture is not None:
        one = fitted["stated"]
        drawn = reliability_picture(
            {"before": one.before.bins, "calibrated": one.reliability.bins},
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


_FIGURES = ("precision", "recall", "F1")


def mentions(
    gold: Annotated[
        Path, typer.Argument(metavar="GOLD", help="Texts with gold mentions: the enriched corpus.")
    ],
    out: Annotated[Path, option("FILE", "The JSON file of weights to write.", "--out", "-o")],
    penalty: Annotated[
        float, option(None, "The L2 penalty: more keeps weights nearer to 0.", min=0)
    ] = 0.5,
    no_adjust: Annotated[
        bool,
        flag(
            "--no-adjust",
            "Leave out the manual adjustments for the enriched corpus, whose splits were "
            "annotated differently; recommended for any other corpus.",
        ),
    ] = False,
    evaluate: Annotated[
        Path | None,
        option(
            "DEV",
            "Other texts with gold mentions: compare the new weights, and the shipped ones, "
            "with them.",
            "--evaluate",
        ),
    ] = None,
    format: Format = None,  # noqa: A002
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Fit the entity detector's acceptance of mentions.

    Runs the detector over texts whose mentions are marked and learns its decisions: which names are
    mentions, where a mention begins and ends, whom a pronoun or noun stands for. The weights are
    for mentions mode; adequacy mode, which esa uses by default, has none. Needs no extra. In
    Python, Detector(mode="mentions", judge=WeightsJudge(read_weights(FILE))) uses them.

    Example: adequa train mentions enriched/train --out weights.json --evaluate enriched/dev
    """
    from adequa.entities import WeightsJudge, gold_spans
    from adequa.errors import DataError
    from adequa.readers import open_source
    from research.recipe.mentions import read_weights, train_mentions, write_weights

    if out.is_dir() or not out.parent.is_dir():  # fails before minutes of work
        raise DataError("cannot be written", path=out, remedy="give a file in a folder that exists")
    items = list(open_source(gold, format=format))
    others = [] if evaluate is None else list(open_source(evaluate, format=format))
    with errors_at(evaluate or Path()):
        for item in others:
            gold_spans(item)
    with errors_at(gold), progress_bar("texts", quiet=quiet) as progress:
        weights = train_mentions(
            items,
            penalty=penalty,
            adjust=not no_adjust,
            progress=lambda done: progress(done, len(items)),
        )
    write_weights(weights, out, _origin(gold, len(items), penalty, adjusted=not no_adjust))
    written = read_weights(out)
    counts = {decision: len(table) for decision, table in written.items()}
    agreements: dict[str, MentionAgreement] = {}
    if evaluate is not None:
        for name, judge in (("new", WeightsJudge(written)), ("shipped", WeightsJudge())):
            with errors_at(evaluate):
                agreements[name] = _agreement(others, judge, f"texts, {name} weights", quiet)
    if as_json:
        result = {
            "out": str(out),
            "texts": len(items),
            "weights": counts,
            **{name: agreement.figures() for name, agreement in agreements.items()},
        }
        echo_json(result)
        return
    _show_mentions(len(items), counts, agreements)
    typer.echo(f"written to {out}", err=True)


def _origin(gold: Path, texts: int, penalty: float, *, adjusted: bool) -> str:
    """The origin of weights, without the folders of this machine."""
    name = "/".join(gold.absolute().parts[-2:])
    return f"{name}, {texts} texts, penalty {penalty:g}, {'' if adjusted else 'not '}adjusted"


def _agreement(items: Sequence[Item], judge: Judge, what: str, quiet: bool) -> MentionAgreement:
    from adequa.entities import Detector, evaluate_mentions

    detector = Detector(mode="mentions", judge=judge)
    with progress_bar(what, quiet=quiet) as progress:
        evaluated = evaluate_mentions(
            items,
            lambda item: detector.detect(item).mentions,
            lambda done: progress(done, len(items)),
        )
    return evaluated.agreement


def _show_mentions(
    texts: int, counts: dict[str, int], agreements: dict[str, MentionAgreement]
) -> None:
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


COMMANDS = (weigh, blend, mentions)
