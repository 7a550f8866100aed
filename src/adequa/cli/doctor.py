"""`adequa doctor`: what each metric can and cannot see, on one's own data."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from adequa.cli.options import (
    Format,
    Input,
    Json,
    Metrics,
    Out,
    Quiet,
    TableForm,
    Texts,
    draw_pictures,
    write_or_echo,
)
from adequa.progress import progress_bar

if TYPE_CHECKING:
    from adequa.analysis.doctor.advice import Advice, LabelledText
    from adequa.metrics.base import Metric


def doctor(
    source: Input,
    texts: Texts = None,
    format: Format = None,  # noqa: A002
    metric: Metrics = None,
    perturb: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="drop-sentence, drop-triple, swap-entities, invert-triple, change-number, "
            "change-date, rename-entity, add-sentence, add-triple or negate. Repeatable; without "
            "it: all.",
        ),
    ] = None,
    count: Annotated[int, typer.Option(min=1, help="Cases of each perturbation, at most.")] = 200,
    max_items: Annotated[
        int, typer.Option(min=1, help="Items that are looked at, drawn from all.")
    ] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same cases.")] = 0,
    labels: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Texts that people labelled (JSON lines or CSV: id, system, label, which is ok, "
            "omission, hallucination, good, bad, 1 or 0): recommends a threshold a metric.",
        ),
    ] = None,
    risk: Annotated[
        float, typer.Option(help="With --labels: bad texts among the accepted, at most.")
    ] = 0.05,
    pictures: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Draw heat maps there, SVG and PNG.")
    ] = None,
    examples: Annotated[
        int, typer.Option(min=0, help="Show so many cases that each metric missed in each way.")
    ] = 0,
    table: TableForm = "text",
    as_json: Json = False,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Processes to use.")] = 1,
    out: Out = None,
    quiet: Quiet = False,
) -> None:
    """Change your own texts and data in known ways, and see which metric notices.

    A case is made only where it is sure to be wrong: the report says how many items allowed it.
    Every metric scores originals and changed copies; shares have 95 % intervals.

    Example: adequa doctor test.xml --texts T5=t5.txt -m esa -m nli --examples 2
    """
    from adequa.analysis.doctor.advice import read_labels
    from adequa.analysis.doctor.examination import examine, missed_cases
    from adequa.analysis.doctor.tables import FORMATS, render
    from adequa.errors import UnknownName
    from adequa.metrics import resolve
    from adequa.perturb import draw_items, make_cases, named_perturbations
    from adequa.readers import open_source

    form = "json" if as_json else table
    if form not in FORMATS:
        raise UnknownName("format", form, FORMATS)
    if not 0 < risk < 1:
        raise typer.BadParameter(f"--risk is between 0 and 1, not {risk:g}")
    perturbations = named_perturbations(perturb or ())
    metrics = resolve(metric or None)
    items = open_source(source, format=format, texts=texts or ())
    labelled = [] if labels is None else read_labels(labels, items)
    drawn = draw_items(items, max_items, seed)
    with progress_bar("changing", quiet=quiet) as progress:
        made = make_cases(drawn, perturbations, count=count, seed=seed, progress=progress)
    with progress_bar("scoring", quiet=quiet) as progress:
        examination = examine(made, metrics, jobs=jobs, progress=progress)
    written = render(
        examination,
        form,
        missed=missed_cases(examination, examples),
        advice=_advice(labelled, metrics, risk=risk, jobs=jobs),
    )
    if pictures is not None:
        from adequa.analysis.doctor.tables import doctor_pictures

        draw_pictures(doctor_pictures(examination), pictures)
    write_or_echo(written, out)


def _advice(
    labelled: list[LabelledText], metrics: Mapping[str, Metric], *, risk: float, jobs: int
) -> list[Advice]:
    from adequa.analysis.doctor.advice import advise
    from adequa.analysis.doctor.examination import score_all

    if not labelled:
        return []
    items, bad = [one.item for one in labelled], [one.bad for one in labelled]
    return [
        advise(
            label,
            [result.scores[label] for result in score_all(items, label, metric, jobs=jobs)],
            bad,
            higher_is_better=metric.higher_is_better,
            target=risk,
        )
        for label, metric in metrics.items()
    ]
