"""`adequa human sample`: from runs to a campaign that people can be asked."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from adequa.cli.options import Format, Json, echo_json

__all__ = ["sample"]


def sample(
    runs: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN…", help="Folders that `adequa score` wrote, or files of items."
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="CAMPAIGN", help="The campaign's new folder."),
    ] = None,
    score: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The score whose levels are drawn from; without it similarity, nli, esa, or the "
            "run's first.",
        ),
    ] = None,
    scores: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Take --score from this file (id, system, NAME), not the runs."
        ),
    ] = None,
    by: Annotated[
        str,
        typer.Option(
            metavar="FIELD,…", help="Cells: category, size, seen, lang or meta.KEY; or none."
        ),
    ] = "category,size",
    levels: Annotated[
        int, typer.Option(min=1, help="Parts of a cell by score: 3 is low, medium, high.")
    ] = 3,
    per_cell: Annotated[int, typer.Option(min=1, help="Inputs of each level of each cell.")] = 1,
    where: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FIELD=VALUE",
            help="Draw from these only: size=1..5, category=City. Repeatable.",
        ),
    ] = None,
    systems: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Draw texts of this system only. Repeatable."),
    ] = None,
    references: Annotated[
        bool, typer.Option("--references", help="The first human reference joins as a system.")
    ] = False,
    most: Annotated[
        int | None, typer.Option("--max", metavar="N", min=1, help="At most N inputs in all.")
    ] = None,
    tasks: Annotated[
        str, typer.Option(metavar="FIELD", help="A task a value: size, another field, or none.")
    ] = "size",
    questions: Annotated[
        str, typer.Option(metavar="NAME", help="webnlg2017, webnlg2020, spans or FILE.json.")
    ] = "webnlg2017",
    spans: Annotated[
        bool, typer.Option("--spans", help="Let people mark errors in the text, too.")
    ] = False,
    title: Annotated[str | None, typer.Option(help="What raters see as the title.")] = None,
    name: Annotated[
        str | None, typer.Option(help="A short name; without it that of the folder.")
    ] = None,
    instructions: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A text that raters read first.")
    ] = None,
    eligibility: Annotated[
        Path | None,
        typer.Option(metavar="FILE.json", help="Questions that decide who takes part."),
    ] = None,
    raters: Annotated[int, typer.Option(help="Judgments of each text.")] = 3,
    limit: Annotated[int, typer.Option(help="Texts a rater may judge in one task.")] = 30,
    return_after: Annotated[
        int, typer.Option(help="Seconds after which a text that a rater left goes to another.")
    ] = 1800,
    controls: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Ratings in the long form that are known to be right."),
    ] = None,
    format: Format = None,  # noqa: A002
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same sample.")] = 0,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the sample and write nothing.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Draw a sample of texts for people to judge, and make a campaign of it.

    Inputs are drawn from cells (category × size × level of a score), each with the text of every
    system. The folder has campaign.json, items.jsonl and sample.jsonl.

    Example: adequa human sample runs/all --score meteor --where size=1..5 --out campaigns/may
    """
    from adequa.human.campaign.folder import write_campaign
    from adequa.human.sampling import draw, level_names
    from adequa.human.sampling_campaign import campaign_name, check_new, make_campaign
    from adequa.human.sampling_fields import matching, task_namer
    from adequa.human.sampling_plan import needs, sampled_texts, with_controls
    from adequa.human.sampling_pool import (
        choose_score,
        of_systems,
        pool_texts,
        read_scores,
        with_references,
    )
    from adequa.human.sampling_tables import render, to_object

    if out is None and not dry_run:
        raise typer.BadParameter("give --out CAMPAIGN, or --dry-run")
    if out is not None and not dry_run:
        check_new(out)
    campaign = make_campaign(
        campaign_name(out) if name is None else name,
        title=title,
        questions=questions,
        spans=spans,
        instructions=instructions,
        eligibility=eligibility,
        raters_per_text=raters,
        texts_per_rater=limit,
        return_after=return_after,
        seed=seed,
    )
    task = task_namer(None if tasks == "none" else tasks)
    pool = pool_texts(runs, format=format)
    if scores is not None:
        pool = read_scores(pool, scores, score)
    label = choose_score(pool, score) if levels > 1 else None
    items = matching(of_systems(pool.items, systems or ()), where or ())
    drawn = draw(
        with_references(items) if references else items,
        None if label is None else pool.scores[label],
        by=() if by == "none" else tuple(one.strip() for one in by.split(",")),
        levels=level_names(levels),
        per_cell=per_cell,
        most=most,
        seed=seed,
    )
    texts = sampled_texts(drawn, task)
    if controls is not None:
        texts = with_controls(texts, controls, pool.items, campaign.questions, task)
    needed = needs(texts, campaign)
    if out is not None and not dry_run:
        write_campaign(out, campaign, texts)
    if as_json:
        place = {"campaign": None if out is None or dry_run else str(out)}
        echo_json(place | to_object(drawn, texts, needed, score=label))
        return
    typer.echo(render(drawn, texts, needed, score=label))
    if out is None or dry_run:
        typer.echo("\nnothing was written (--dry-run)")
    else:
        typer.echo(f"\nwritten to {out}: campaign.json, items.jsonl, sample.jsonl")
        typer.echo(f"next: adequa human serve {shlex.quote(str(out))}")
