"""`adequa train calibrate`: logits into probabilities, by labels of one's own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from adequa.cli.options import Format, Json, Quiet, echo_json, progress_bar

if TYPE_CHECKING:
    from adequa.training.calibration import Calibrated
    from adequa.training.labelled import Ask

__all__ = ["calibrate"]


def calibrate(
    labelled: Annotated[
        Path,
        typer.Argument(
            metavar="LABELLED",
            help="Items in any known format with meta.label: 1 or 0, or a list with one for each "
            "triple.",
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out", "-o", metavar="FILE", help="The JSON file to write, or to add a head to."
        ),
    ],
    head: Annotated[
        str,
        typer.Option(
            "--head",
            metavar="NAME",
            help="What was labelled: stated (a triple by the text) or supported (the text by the "
            "graph).",
        ),
    ] = "stated",
    weights: Annotated[
        str | None,
        typer.Option(
            "--weights",
            metavar="NAME",
            help="The weights whose logits are calibrated: a version or a folder of adequa export.",
            show_default="the shipped ones",
        ),
    ] = None,
    templates: Annotated[
        str | None,
        typer.Option(
            "--templates",
            metavar="NAME",
            help="How predicates are said, as in nli:templates=…; a file or a shipped name.",
        ),
    ] = None,
    label: Annotated[
        str, typer.Option("--label", metavar="NAME", help="The field of meta that has the label.")
    ] = "label",
    logit: Annotated[
        str | None,
        typer.Option(
            "--logit", metavar="NAME", help="A field of meta that has the logit: no model is run."
        ),
    ] = None,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            metavar="NAME",
            help="platt (a line), or isotonic (steps; needs more cases).",
        ),
    ] = "platt",
    least: Annotated[
        int,
        typer.Option(
            "--least", min=1, help="A predicate with so many labels gets a line of its own."
        ),
    ] = 10,
    bins: Annotated[int, typer.Option("--bins", min=2, help="Bins of the reliability table.")] = 10,
    picture: Annotated[
        Path | None,
        typer.Option("--picture", metavar="FILE", help="Draw the reliability diagram, SVG."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a head that is there.")] = False,
    format: Format = None,  # noqa: A002
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Calibrate the verifier: what its logits are worth on your data.

    Reads labelled items, takes nli's log-odds, or those in the file, and fits probabilities:
    for all cases, and for each predicate with enough labels. The table shows claimed against true,
    for cases that the fit has not seen. Needs no extra.

    Example: adequa train calibrate labelled.jsonl --out calibration.json --picture reliability.svg
    """
    from adequa.errors import DataError, UnknownName
    from adequa.training.calibration import METHODS
    from adequa.training.calibration import calibrate as fit
    from adequa.training.exporting.folder import write_files
    from adequa.training.labelled import HEADS, read_labelled
    from adequa.training.pictures import reliability_picture

    for kind, name, known in (("head", head, HEADS), ("method", method, METHODS)):
        if name not in known:
            raise UnknownName(kind, name, known)
    there = _there(out)
    if head in there and not force:
        raise DataError(
            f"has a calibration of {head} already", path=out, remedy="name another file, or --force"
        )
    with progress_bar("items", quiet=quiet) as progress:
        cases = read_labelled(
            labelled,
            head="stated" if head == "stated" else "supported",
            label=label,
            logit=logit,
            ask=None if logit is not None else _asking(head, weights, templates),
            format=format,
            progress=progress,
        )
    try:
        calibrated = fit(
            cases, method="platt" if method == "platt" else "isotonic", least=least, bins=bins
        )
    except DataError as error:
        raise error.at(labelled) from None
    source = "/".join(labelled.absolute().parts[-2:])
    written = {**there, head: {**calibrated.as_object(), "on": source}}
    text = json.dumps(written, ensure_ascii=False, indent=2)
    write_files(out.parent, {out.name: f"{text}\n".encode()})
    if picture is not None:
        drawn = reliability_picture(
            calibrated.before.bins,
            calibrated.after.bins,
            f"reliability of {head}",
            f"calibration error {calibrated.before.error:.3f} before, "
            f"{calibrated.after.error:.3f} calibrated; {len(cases):,} cases",
        )
        write_files(picture.parent, {picture.name: drawn.encode()})
    if as_json:
        echo_json({"out": str(out), **written[head]})
        return
    _show(head, calibrated)
    typer.echo(f"written to {out}", err=True)


def _asking(head: str, weights: str | None, templates: str | None) -> Ask:
    """What nli would say before a calibration; of a text as a whole, the verifier alone."""
    from adequa.entailment.by_verifier import VerifierChecker
    from adequa.entailment.cues import shipped_cues
    from adequa.entailment.weighing import read_weighing
    from adequa.metrics.sources import check_source
    from adequa.models.shipped import DEFAULT
    from adequa.wording.collection import read_templates

    name = DEFAULT if weights is None else weights
    verify = check_source(name, 1, None if templates is None else read_templates(templates))
    if head == "stated":
        checker = VerifierChecker(verify, read_weighing(name), cues=shipped_cues(templates))
        return checker.log_odds
    return lambda items: [[one.supported] for one in verify(items)]


def _there(path: Path) -> dict[str, Any]:
    """What the file has already: other heads stay as they are."""
    from adequa.errors import DataError

    if path.is_dir() or not path.parent.is_dir():
        raise DataError(
            "cannot be written", path=path, remedy="give a file in a folder that exists"
        )
    if not path.exists():
        return {}
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"is no JSON ({error})", path=path, remedy="name another file") from None
    if not isinstance(read, dict):
        raise DataError("is no JSON object", path=path, remedy="name another file")
    return read


def _show(head: str, calibrated: Calibrated) -> None:
    from adequa.tables import Cell, Table

    before, after = calibrated.before, calibrated.after
    rows: list[list[Cell]] = [
        [f"{one.low:.2f}–{one.high:.2f}", *_cells(one), *_cells(other)]
        for one, other in zip(before.bins, after.bins, strict=True)
    ]
    columns = ["probability", "cases", "claimed", "true"]
    columns += [f"calibrated {name}" for name in columns[1:]]
    title = f"{head}: {calibrated.cases:,} cases, {calibrated.positive:,} of them positive"
    typer.echo(Table(title, columns, rows).text())
    rows = [
        ["before", before.error, before.brier],
        ["calibrated", after.error, after.brier],
    ]
    typer.echo("\n" + Table("", ["", "calibration error", "Brier score"], rows).text())
    if calibrated.counts:
        lines = calibrated.calibration.groups
        rows = [
            [name, count, lines[name].slope, lines[name].offset]
            for name, count in sorted(calibrated.counts.items(), key=lambda one: -one[1])
        ]
        typer.echo("\n" + Table("", ["predicate", "cases", "slope", "offset"], rows).text())


def _cells(one: Any) -> list[Any]:
    return [one.count, one.claimed if one.count else None, one.true if one.count else None]
