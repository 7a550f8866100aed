"""`adequa spans`: the error spans of detectors against those that people marked."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from adequa.cli import options
from adequa.cli.options import argument, flag, option


def spans(
    detectors: Annotated[
        list[Path] | None,
        argument(
            "RUN…",
            "Folders written by `adequa score`, or files with the spans of other detectors; "
            "without any, people are compared with each other.",
        ),
    ] = None,
    gold: Annotated[
        list[Path] | None, option("FILE", "The spans that people marked. Repeatable.", "--gold")
    ] = None,
    format_: Annotated[
        str | None,
        option(
            "NAME",
            "The format of the detectors' files: spans, lettucedetect, factgenie, labelstudio, "
            "d2t-eval or long; detected by default.",
            "--format",
        ),
    ] = None,
    gold_format: Annotated[
        str | None, option("NAME", "The format of the people's files; detected by default.")
    ] = None,
    kinds: Annotated[
        list[str] | None,
        option(
            "KIND",
            "The findings of a run that count: a kind (hallucination, the default; omission "
            "flags a text but marks nothing) or a detail (contradicted). Repeatable.",
        ),
    ] = None,
    metric: Annotated[
        list[str] | None,
        option(
            "NAME",
            "Only the findings and the verdict of this metric. Repeatable: each is compared.",
            "--metric",
            "-m",
        ),
    ] = None,
    score: Annotated[
        str | None,
        option(
            "NAME",
            "The score behind the AUC: a metric, or confidence for that of the verdict; by "
            "default the sum of the findings' confidences.",
        ),
    ] = None,
    by: Annotated[
        list[str] | None,
        option("NAME", "annotator, domain, system or type. Repeatable; default: all."),
    ] = None,
    errors: Annotated[
        Path | None,
        option("FILE", "Also write every span and whether the other side has it, as JSON lines."),
    ] = None,
    baselines: Annotated[
        bool,
        flag(
            "--baselines/--no-baselines",
            "Also show what marking everything, and marking nothing, would give.",
        ),
    ] = True,
    n: Annotated[int, option(None, "Number of resamples.", min=1)] = 1000,
    seed: options.Seed = 0,
    confidence: Annotated[float, option(None, "Level of the intervals.")] = 0.95,
    table: Annotated[str, option("NAME", "text, markdown or latex.")] = "text",
    as_json: options.Json = False,
    out: options.Out = None,
) -> None:
    """Compare error spans with those that people marked.

    Precision, recall and F1 by character and by span, and whether a text is flagged where people
    marked anything, with intervals from resampled records; people are compared with each other in
    the same way.

    Example: adequa spans runs/weather --gold marked.jsonl
    """
    from adequa.analysis import spans as study_of
    from adequa.errors import require_known
    from adequa.files import dump_line

    require_known("table", [table], study_of.FORMS)
    study = study_of.compare_spans(
        detectors or (),
        gold or (),
        format=format_,
        gold_format=gold_format,
        kinds=tuple(dict.fromkeys(kinds or ("hallucination",))),
        metrics=tuple(dict.fromkeys(metric or ())),
        score=score,
        by=tuple(dict.fromkeys(by or study_of.GROUPS)),
        baselines=baselines,
        with_errors=errors is not None,
        n=n,
        seed=seed,
        confidence=confidence,
    )
    if errors is not None:
        lines = (dump_line(study_of.error_to_object(one)) for one in study.errors)
        options.write_file(errors, "".join(lines))
        options.echo_written(errors, f": {len(study.errors):,} spans")
    shown = (
        options.json_text(study_of.spans_to_object(study))
        if as_json
        else study_of.render_spans(study, table)
    )
    options.write_or_echo(shown, out)
