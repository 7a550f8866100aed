"""`adequa doctor`: which errors each metric notices on one's own data."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from adequa.cli import options
from adequa.cli.options import option
from adequa.progress import progress_bar

if TYPE_CHECKING:
    from adequa.analysis.doctor import Advice, LabelledText
    from adequa.metrics import Metric


def doctor(
    source: options.Input,
    texts: options.Texts = None,
    format: options.Format = None,  # noqa: A002
    coverage: Annotated[
        str,
        option(
            "all|selected",
            "all: a text must say every fact, also about a record, or no omission could be "
            "noticed; selected: it may choose.",
        ),
    ] = "all",
    metric: options.Metrics = None,
    perturb: Annotated[
        list[str] | None,
        option(
            "NAME",
            "drop-sentence, drop-triple, swap-entities, invert-triple, change-number, "
            "change-date, rename-entity, add-sentence, add-triple, negate, doubt, "
            "state-opposite, bound-number or restrict. Repeatable; default: all.",
        ),
    ] = None,
    count: Annotated[int, option(None, "Maximum number of cases per perturbation.", min=1)] = 200,
    max_items: Annotated[
        int, option(None, "Maximum number of items to use, drawn at random.", min=1)
    ] = 1000,
    seed: options.Seed = 0,
    labels: Annotated[
        Path | None,
        option(
            "FILE",
            "Labelled texts, to recommend a threshold for each metric. JSON lines or CSV with "
            "id, system and label: ok, omission, hallucination, good, bad, 1 or 0.",
        ),
    ] = None,
    risk: Annotated[
        float, option(None, "With --labels: the largest share of bad texts among those accepted.")
    ] = 0.05,
    pictures: Annotated[
        Path | None, option("DIR", "Write heat maps to DIR, as SVG and PNG.")
    ] = None,
    examples: Annotated[
        int, option(None, "Show up to this many missed cases per metric and perturbation.", min=0)
    ] = 0,
    table: options.TableForm = "text",
    as_json: options.Json = False,
    jobs: options.Jobs = 1,
    out: options.Out = None,
    quiet: options.Quiet = False,
) -> None:
    """Inject errors into your data; see which metric notices.

    Texts or data are changed in known ways, only where the result is certain to be wrong; the
    report says how many items allowed it. Every metric scores the originals and the changed copies;
    shares have 95 % intervals.

    Example: adequa doctor test.xml --texts T5=t5.txt -m esa -m nli --examples 2
    """
    from adequa.analysis.doctor import FORMATS, examine, missed_cases, read_labels, render
    from adequa.errors import require_known
    from adequa.metrics import resolve
    from adequa.perturb import draw_items, make_cases, named_perturbations
    from adequa.readers import open_source, parse_coverage

    form = "json" if as_json else table
    require_known("format", [form], FORMATS)
    if not 0 < risk < 1:
        raise typer.BadParameter(f"--risk must be between 0 and 1, not {risk:g}")
    perturbations = named_perturbations(perturb or ())
    metrics = resolve(metric or None)
    items = open_source(source, format=format, texts=texts or (), coverage=parse_coverage(coverage))
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
        from adequa.analysis.doctor import doctor_pictures

        options.write_pictures(doctor_pictures(examination), pictures)
    options.write_or_echo(written, out)


def _advice(
    labelled: list[LabelledText], metrics: Mapping[str, Metric], *, risk: float, jobs: int
) -> list[Advice]:
    from adequa.analysis.doctor import advise, score_all

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
