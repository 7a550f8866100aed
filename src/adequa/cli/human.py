"""`adequa human`: an evaluation by people, from the sample to the tables."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from adequa.cli.options import (
    Format,
    Json,
    Out,
    Quiet,
    TableForm,
    draw_pictures,
    echo_json,
    write_or_echo,
)
from adequa.progress import progress_bar

if TYPE_CHECKING:
    from adequa.data import Item
    from adequa.web.campaign.server import Links

# ---
# `adequa human analyse`: judgments into means, groups and ranks of systems.
# ---


def analyse(
    ratings: Annotated[
        list[Path],
        typer.Argument(metavar="RATINGS…", help="Files of ratings, or folders of campaigns."),
    ],
    format: Annotated[  # noqa: A002
        str | None,
        typer.Option(
            metavar="NAME", help="long, webnlg2017 or webnlg2020; recognised if not given."
        ),
    ] = None,
    items: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="The rated items or a run of them, for --by and --lowest."
        ),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RATER", help="Leave out a rater, or those of a file: @FILE. Repeatable."
        ),
    ] = None,
    criterion: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only this criterion. Repeatable."),
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FIELD",
            help="Break down by type, size, category, seen, lang, meta.KEY. Repeatable.",
        ),
    ] = None,
    test: Annotated[
        str, typer.Option(metavar="NAME", help="rank-sum, or signed-rank for paired texts.")
    ] = "rank-sum",
    data: Annotated[
        str,
        typer.Option(metavar="KIND", help="averaged: a value a text; single: a value a judgment."),
    ] = "averaged",
    correction: Annotated[
        str,
        typer.Option(metavar="NAME", help="none, holm, bonferroni, bh (the false discovery rate)."),
    ] = "none",
    alpha: Annotated[
        float, typer.Option(help="Of the tests; the intervals hold 1 - alpha.")
    ] = 0.05,
    z: Annotated[
        bool, typer.Option("--z", help="Standardise the judgments of each rater.")
    ] = False,
    lowest: Annotated[
        float | None,
        typer.Option(metavar="VALUE", help="The score of empty texts that nobody rated."),
    ] = None,
    lower_is_better: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CRITERION",
            help="Less of it is better; a campaign's folder says that of its marks. Repeatable.",
        ),
    ] = None,
    n: Annotated[int, typer.Option("--n", min=1, help="Draws of the bootstrap.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same result.")] = 0,
    pictures: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Draw mean scores over each --by (without one: over the size), SVG and PNG.",
        ),
    ] = None,
    table: TableForm = "text",
    as_json: Json = False,
    out: Out = None,
    quiet: Quiet = False,
) -> None:
    """Means, significance groups and ranks of systems, by criterion.

    Systems that share a letter are not told apart by Wilcoxon's test.

    Example: adequa human analyse ratings.jsonl --by category --correction holm
    """
    from adequa.errors import UnknownName
    from adequa.human import gather, named_raters, rating_files
    from adequa.human.analysis import (
        FORMATS,
        AnalysisSettings,
        analysis_pictures,
        render_analysis,
    )
    from adequa.human.analysis import analyse as analyse_ratings

    form = "json" if as_json else table
    if form not in FORMATS:
        raise UnknownName("format", form, FORMATS)
    known = list(_items(ratings, items))
    excluded = named_raters(exclude or ())
    judgments = gather(
        rating_files(ratings), format=format, items=known if items else None, exclude=excluded
    )
    fields = list(by or ()) or (["size"] if pictures else [])
    rated = set(criterion or ()) or {rating.criterion for rating in judgments}
    lower = tuple(dict.fromkeys([*(lower_is_better or ()), *sorted(_marks(ratings) & rated)]))
    with progress_bar("analysing", quiet=quiet) as progress:
        analysis = analyse_ratings(
            judgments,
            items=known,
            criteria=criterion or (),
            by=fields,
            settings=AnalysisSettings(test, data, correction, alpha, z, n, seed, lower),
            lowest=lowest,
            excluded=excluded,
            progress=progress,
        )
    written = render_analysis(analysis, form)
    if pictures is not None:
        draw_pictures(analysis_pictures(analysis), pictures)
    write_or_echo(written, out)


def _marks(ratings: list[Path]) -> set[str]:
    """The questions of campaigns whose answer is a number of errors."""
    from adequa.human.campaign.settings import is_campaign, read_settings

    return {
        question.name
        for folder in ratings
        if is_campaign(folder)
        for question in read_settings(folder).questions
        if question.kind == "spans"
    }


def _items(ratings: list[Path], items: Path | None) -> Iterator[Item]:
    """The items that are named, or those of the campaigns."""
    from adequa.human.campaign.settings import ITEMS, is_campaign
    from adequa.readers import open_source
    from adequa.run import open_run
    from adequa.run.folder import MANIFEST

    if items is None:
        for folder in ratings:
            if is_campaign(folder) and (folder / ITEMS).is_file():
                yield from open_source(folder / ITEMS)
    elif (items / MANIFEST).is_file():
        yield from (result.item for result in open_run(items).results())
    else:
        yield from open_source(items)


# ---
# `adequa human quality`: which raters to look at before their judgments are used.
# ---


def quality(
    ratings: Annotated[
        list[Path],
        typer.Argument(
            metavar="RATINGS…", help="Files of single judgments, or folders of campaigns."
        ),
    ],
    format: Annotated[  # noqa: A002
        str | None,
        typer.Option(metavar="NAME", help="long, webnlg2017 or webnlg2020; recognised if absent."),
    ] = None,
    items: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The items that were judged, for their ids and texts."),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RATER",
            help="Leave out a rater and say what changes; repeatable; @FILE has one a line.",
        ),
    ] = None,
    criterion: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Look at this criterion only; repeatable."),
    ] = None,
    method: Annotated[
        str, typer.Option(metavar="NAME", help="Of MACE: vb (variational Bayes) or em.")
    ] = "vb",
    restarts: Annotated[int, typer.Option(min=1, help="Random starts of MACE.")] = 10,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same result.")] = 0,
    least: Annotated[
        int,
        typer.Option(min=0, help="Raters of so many texts or fewer are too new to be flagged."),
    ] = 10,
    floor: Annotated[
        float, typer.Option(metavar="SECONDS", help="A median page below this is too fast.")
    ] = 3.0,
    controls: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Right answers to some texts, as ratings in long form by anyone."
        ),
    ] = None,
    bins: Annotated[
        int,
        typer.Option(
            min=2,
            help="MACE compares labels: a slider (more than 10 different values) is cut into so"
            " many equal parts of its range.",
        ),
    ] = 5,
    details: Annotated[
        str | None,
        typer.Option(metavar="RATER", help="Show this rater's judgments beside the others'."),
    ] = None,
    table: Annotated[
        str, typer.Option(metavar="FORMAT", help="text, markdown, latex, csv (raters) or json.")
    ] = "text",
    as_json: Json = False,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="DIR",
            help="Also write report.txt, quality.json, raters.csv and the flagged.",
        ),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Report on raters: patterns, speed, competence (MACE), agreement.

    Nobody is excluded: a person reads the report, looks at a rater with --details, and runs it
    again with --exclude.

    Example: adequa human quality judgments.jsonl --exclude ann --exclude @spammers.txt
    """
    from adequa.errors import UnknownName
    from adequa.human import gather, named_raters, rating_files
    from adequa.human.quality import (
        FORMATS,
        QualitySettings,
        of_criteria,
        quality_report,
        write_quality_report,
    )
    from adequa.readers import open_source

    if table not in FORMATS:
        raise UnknownName("format", table, FORMATS)
    known = None if items is None else list(open_source(items))
    found = gather(rating_files(ratings), format=format, items=known)
    if not quiet:
        typer.echo(f"{len(found):,} ratings read; estimating whom to trust …", err=True)
    report = quality_report(
        of_criteria(found, criterion or ()),
        settings=QualitySettings(method, restarts, seed, least, floor, bins=bins),
        exclude=named_raters(exclude or ()),
        controls=() if controls is None else gather([controls], format="long"),
        rater=details,
        texts={item.key: item.text for item in known or ()},
    )
    words = ["adequa", "human", "quality", *map(str, ratings)]
    words += [] if format is None else ["--format", format]
    words += [] if items is None else ["--items", str(items)]
    words += [word for name in criterion or () for word in ("--criterion", name)]
    words += [] if controls is None else ["--controls", str(controls)]
    if out is not None:
        for path in write_quality_report(report, out, words):
            typer.echo(f"written: {path}", err=True)
    if as_json:
        table = "json"
    typer.echo(report.render(table, words))


# ---
# `adequa human sample`: from runs to a campaign that people can be asked.
# ---


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
    from adequa.human.campaign.settings import write_campaign
    from adequa.human.sampling import (
        campaign_name,
        choose_score,
        draw_sample,
        level_names,
        make_campaign,
        matching,
        needs,
        of_systems,
        pool_texts,
        render_sample,
        require_new_folder,
        sample_to_object,
        sampled_texts,
        task_namer,
        with_controls,
        with_references,
        with_scores,
    )

    if out is None and not dry_run:
        raise typer.BadParameter("give --out CAMPAIGN, or --dry-run")
    if out is not None and not dry_run:
        require_new_folder(out)
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
        pool = with_scores(pool, scores, score)
    label = choose_score(pool, score) if levels > 1 else None
    items = matching(of_systems(pool.items, systems or ()), where or ())
    drawn = draw_sample(
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
        echo_json(place | sample_to_object(drawn, texts, needed, score=label))
        return
    typer.echo(render_sample(drawn, texts, needed, score=label))
    if out is None or dry_run:
        typer.echo("\nnothing was written (--dry-run)")
    else:
        typer.echo(f"\nwritten to {out}: campaign.json, items.jsonl, sample.jsonl")
        typer.echo(f"next: adequa human serve {shlex.quote(str(out))}")


# ---
# `adequa human serve`: a campaign in the browser.
# ---

_PACKAGES = ("alembic", "jinja2", "sqlalchemy", "starlette", "uvicorn")


def serve(
    campaign: Annotated[
        Path, typer.Argument(metavar="CAMPAIGN", help="A folder that `adequa human sample` made.")
    ],
    raters: Annotated[
        int,
        typer.Option(min=0, max=100_000, help="How many raters there are to be; links for each."),
    ] = 0,
    database: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="postgresql://user:password@host/name; without it a file in the folder.",
        ),
    ] = None,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port to listen on; 0 takes a free one.")
    ] = 8000,
    base_url: Annotated[
        str | None,
        typer.Option(metavar="URL", help="The address people use, if a proxy stands before."),
    ] = None,
    join: Annotated[
        bool, typer.Option("--join", help="Give an open link too, by which anybody may join.")
    ] = False,
    behind_proxy: Annotated[
        bool,
        typer.Option("--behind-proxy", help="Believe the proxy about who asks, and over https."),
    ] = False,
    export: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the answers to .jsonl, .csv or factgenie.jsonl instead of serving.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Serve a campaign: raters answer by their own links, the organiser watches by another.

    The links are printed and kept in CAMPAIGN/links.tsv; each is a key, so send it to one person.

    Example: adequa human serve campaign --raters 12 --port 8000
    """
    from adequa.errors import MissingExtra

    for package in _PACKAGES:
        if find_spec(package) is None:
            raise MissingExtra("web", package)
    from adequa.human.campaign.store import CampaignStore
    from adequa.web.campaign import server as serving

    if base_url is not None:
        base_url = serving.checked_base_url(base_url)
    store = CampaignStore.open(campaign, url=database)
    try:
        if export is not None:
            from adequa.human.campaign.export import export as write

            lines = write(store, export)
            typer.echo(f"{lines:,} lines written to {export}", err=True)
            return
        from adequa.web.campaign.app import campaign_app
        from adequa.web.server import listen, url_of
        from adequa.web.tokens import SignedTokens, load_secret

        with listen(host, port) as bound:
            secret = load_secret(campaign)
            there = store.raters()
            there += store.add_raters(max(0, raters - len(there)))
            links = serving.links_of(
                base_url or url_of(bound, host), SignedTokens(secret), there, joining=join
            )
            file = serving.write_links(campaign, links)
            _show(links, file, as_json=as_json)
            _warn(host, base_url, behind_proxy=behind_proxy)
            app = campaign_app(store, secret=secret, base_url=base_url, joining=join)
            serving.run(app, bound, behind_proxy=behind_proxy)
    finally:
        store.close()


def _show(links: Links, file: Path, *, as_json: bool) -> None:
    if as_json:
        echo_json({"organiser": links.organiser, "raters": links.raters, "join": links.joining})
    else:
        typer.echo(f"organiser  {links.organiser}")
        if links.joining:
            typer.echo(f"join       {links.joining}")
        for rater, link in links.raters.items():
            typer.echo(f"{rater:<9}  {link}")
    typer.echo(f"The links are in {file} too. Stop with Ctrl-C; nothing is lost.", err=True)
    if not links.raters and not links.joining:
        typer.echo("There are no raters yet: give --raters N, or add them as organiser.", err=True)


def _warn(host: str, base_url: str | None, *, behind_proxy: bool) -> None:
    from adequa.web.server import is_loopback

    if not is_loopback(host):
        typer.echo(
            f"Warning: {host} can be reached from other machines, and this server speaks plain "
            "http: put it behind a proxy with TLS and give its address as --base-url, or links and "
            "answers can be read on the way.",
            err=True,
        )
    elif base_url is not None and base_url.startswith("https:") and not behind_proxy:
        typer.echo(
            "Note: without --behind-proxy all visitors count as one address in the limits.",
            err=True,
        )


human = typer.Typer(
    name="human",
    no_args_is_help=True,
    help="Ask people: draw a sample, collect judgments, look at the raters, make the tables.",
)
human.command()(analyse)
human.command()(quality)
human.command()(sample)
human.command()(serve)
