"""`adequa correlate`: each metric against each human criterion."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from adequa.cli import options
from adequa.cli.options import argument, flag, option
from adequa.progress import progress_bar


def correlate(
    runs: Annotated[
        list[Path] | None,
        argument("[RUN]…", "Folders written by `adequa score`; optional with --scores."),
    ] = None,
    ratings: Annotated[
        list[Path] | None,
        option("FILE", "Human ratings: a file or a campaign's folder. Repeatable."),
    ] = None,
    ratings_format: options.RatingsFormat = None,
    scores: Annotated[
        list[Path] | None,
        option(
            "FILE",
            "Scores of other metrics: JSONL, CSV or TSV with id, system and one field per "
            "metric. Repeatable.",
        ),
    ] = None,
    criterion: Annotated[
        list[str] | None, option("NAME", "A criterion. Repeatable; default: all.")
    ] = None,
    metric: Annotated[
        list[str] | None, option("NAME", "A metric. Repeatable; default: all.", "--metric", "-m")
    ] = None,
    lower_is_better: Annotated[
        list[str] | None,
        option("METRIC", "A metric of a score file where lower is better. Repeatable."),
    ] = None,
    level: Annotated[
        list[str] | None,
        option(
            "NAME",
            "text (all texts pooled; default), item (within each input, with pairwise "
            "accuracy), system-mean (within each system), system (system means, with soft "
            "pairwise accuracy). Repeatable.",
        ),
    ] = None,
    coefficient: Annotated[
        list[str] | None, option("NAME", "pearson, spearman (default: both), kendall. Repeatable.")
    ] = None,
    subset: Annotated[
        list[str] | None,
        option(
            "NAME",
            "all (default), undetected>=1 or undetected>=2: texts with that many entities "
            "that esa does not find. Repeatable.",
        ),
    ] = None,
    where: Annotated[
        list[str] | None,
        option(
            "FIELD=VALUE",
            "Only texts with this category, size, lang, seen or meta.KEY. Values of one field "
            "are alternatives; all fields must match. Repeatable.",
        ),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        option("RATER", "Leave out a rater, or those listed in @FILE. Repeatable."),
    ] = None,
    exclude_system: Annotated[
        list[str] | None, option("NAME", "Leave out a system. Repeatable.")
    ] = None,
    references: Annotated[
        bool, flag("--references", "Keep human references, which are left out by default.")
    ] = False,
    z: Annotated[bool, flag("--z", "Standardise each rater's ratings.")] = False,
    n: Annotated[int, option(None, "Number of resamples and permutations.", min=1)] = 1000,
    seed: options.Seed = 0,
    confidence: Annotated[float, option(None, "Level of the intervals.")] = 0.95,
    against: Annotated[
        str | None, option("METRIC", "Test the other metrics against this one.")
    ] = None,
    ceiling: Annotated[
        bool | None,
        flag(
            "--ceiling/--no-ceiling",
            "Also correlate each rater with the others; default: if ratings are per rater.",
        ),
    ] = None,
    matrix: Annotated[
        bool, flag("--matrix", "Also print the matrix of all metrics and criteria.")
    ] = False,
    ranking: Annotated[
        bool, flag("--ranking", "Also rank the systems on the rated and on all texts.")
    ] = False,
    pictures: Annotated[
        Path | None, option("DIR", "Write the matrices as heat maps (SVG).")
    ] = None,
    png: Annotated[bool, flag("--png", "Also write heat maps as PNG (extra: png).")] = False,
    table: options.TableForm = "text",
    as_json: options.Json = False,
    out: options.Out = None,
    quiet: options.Quiet = False,
) -> None:
    """Correlate metrics with human ratings.

    Each metric of runs and score files is compared with each criterion, with intervals from
    resampled inputs; if there is one rating per rater, raters are compared with each other too.

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
    from adequa.errors import SettingError, require_known
    from adequa.human import named_raters, rating_files

    require_known("table", [table], FORMATS)
    if png and pictures is None:
        raise SettingError("--png needs --pictures DIR")
    defaults = Options()
    chosen = Options(
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
            options=chosen,
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
            options.echo_written(path)
    options.write_or_echo(
        options.json_text(study_to_object(study)) if as_json else render_study(study, table), out
    )
