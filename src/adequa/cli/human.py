"""`adequa human`: a human evaluation from the sample to the result tables.

The commands in the order of a campaign: sample, serve, quality, analyse.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from adequa.cli import options
from adequa.cli.options import argument, flag, group, option
from adequa.progress import progress_bar

if TYPE_CHECKING:
    from adequa.data import Item
    from adequa.web.campaign import Links

human = group("human", "Run a human evaluation, start to finish.")

Criterion = Annotated[list[str] | None, option("NAME", "Only this criterion. Repeatable.")]
Exclude = Annotated[
    list[str] | None, option("RATER", "Leave out a rater, or those listed in @FILE. Repeatable.")
]


@human.command()
def sample(
    runs: Annotated[
        list[Path], argument("RUN…", "Folders written by `adequa score`, or files of items.")
    ],
    out: Annotated[
        Path | None, option("CAMPAIGN", "The campaign's new folder.", "--out", "-o")
    ] = None,
    score: Annotated[
        str | None,
        option(
            "NAME",
            "The score that defines the levels; default: the first of similarity, nli, esa or "
            "the run's first metric.",
        ),
    ] = None,
    scores: Annotated[
        Path | None,
        option("FILE", "Read --score from FILE (id, system, NAME) instead of the runs."),
    ] = None,
    by: Annotated[
        str,
        option(
            "FIELD,…",
            "Fields that define the cells: category, size, seen, lang or meta.KEY; or none.",
        ),
    ] = "category,size",
    levels: Annotated[
        int, option(None, "Score levels per cell: 3 is low, medium, high.", min=1)
    ] = 3,
    per_cell: Annotated[int, option(None, "Inputs per level and cell.", min=1)] = 1,
    where: Annotated[
        list[str] | None,
        option(
            "FIELD=VALUE", "Draw only from matching inputs: size=1..5, category=City. Repeatable."
        ),
    ] = None,
    systems: Annotated[
        list[str] | None, option("NAME", "Only texts of this system. Repeatable.")
    ] = None,
    references: Annotated[
        bool, flag("--references", "Add the first human reference as a system.")
    ] = False,
    most: Annotated[int | None, option("N", "At most N inputs in total.", "--max", min=1)] = None,
    tasks: Annotated[str, option("FIELD", "One task per value of this field; or none.")] = "size",
    questions: Annotated[
        str | None,
        option(
            "NAME",
            "webnlg2017 (the default), webnlg2020, spans, error-types, preference (the default "
            "of --pairs) or FILE.json.",
        ),
    ] = None,
    spans: Annotated[bool, flag("--spans", "Also let raters mark error spans.")] = False,
    pairs: Annotated[
        bool,
        flag("--pairs", "Show the texts of two systems side by side, and ask which is better."),
    ] = False,
    title: Annotated[str | None, option(None, "The title that raters see.")] = None,
    name: Annotated[str | None, option(None, "A short name; default: the folder's name.")] = None,
    instructions: Annotated[
        Path | None, option("FILE", "Instructions that raters read first.")
    ] = None,
    eligibility: Annotated[
        Path | None, option("FILE.json", "Questions that decide who takes part.")
    ] = None,
    raters: Annotated[int, option(None, "Raters per text.")] = 3,
    limit: Annotated[int, option(None, "Maximum number of texts per rater and task.")] = 30,
    return_after: Annotated[
        int, option(None, "Seconds until an unanswered text is given to another rater.")
    ] = 1800,
    controls: Annotated[Path | None, option("FILE", "Known correct ratings, in long form.")] = None,
    format: options.Format = None,  # noqa: A002
    seed: options.Seed = 0,
    dry_run: Annotated[
        bool, flag("--dry-run", "Show the sample without writing anything.")
    ] = False,
    as_json: options.Json = False,
) -> None:
    """Draw a sample of texts and create a campaign.

    Inputs are drawn from cells (category × size × score level), each with the texts of all systems.
    The folder has campaign.json, items.jsonl and sample.jsonl.

    Example: adequa human sample runs/all --score meteor --where size=1..5 --out campaigns/may
    """
    from adequa.human import sampling
    from adequa.human.campaign.settings import write_campaign

    if out is None and not dry_run:
        raise typer.BadParameter("give --out CAMPAIGN, or --dry-run")
    if pairs and spans:
        raise typer.BadParameter(
            "with --pairs raters choose between two texts, with --spans they mark one; keep one"
        )
    if out is not None and not dry_run:
        sampling.require_new_folder(out)
    campaign = sampling.make_campaign(
        sampling.campaign_name(out) if name is None else name,
        title=title,
        questions=questions or ("preference" if pairs else "webnlg2017"),
        spans=spans,
        instructions=instructions,
        eligibility=eligibility,
        raters_per_text=raters,
        texts_per_rater=limit,
        return_after=return_after,
        seed=seed,
    )
    if pairs:
        sampling.require_symmetric(campaign.questions)
    task = sampling.task_namer(None if tasks == "none" else tasks)
    pool = sampling.pool_texts(runs, format=format)
    if scores is not None:
        pool = sampling.with_scores(pool, scores, score)
    label = sampling.choose_score(pool, score) if levels > 1 else None
    items = sampling.matching(sampling.of_systems(pool.items, systems or ()), where or ())
    drawn = sampling.draw_sample(
        sampling.with_references(items) if references else items,
        None if label is None else pool.scores[label],
        by=() if by == "none" else tuple(one.strip() for one in by.split(",")),
        levels=sampling.level_names(levels),
        per_cell=per_cell,
        most=most,
        seed=seed,
    )
    texts = (sampling.paired_texts if pairs else sampling.sampled_texts)(drawn, task)
    if controls is not None:
        texts = sampling.with_controls(texts, controls, pool.items, campaign.questions, task)
    needed = sampling.needs(texts, campaign)
    if out is not None and not dry_run:
        write_campaign(out, campaign, texts)
    if as_json:
        place = {"campaign": None if out is None or dry_run else str(out)}
        options.echo_json(place | sampling.sample_to_object(drawn, texts, needed, score=label))
        return
    options.echo(sampling.render_sample(drawn, texts, needed, score=label))
    if out is None or dry_run:
        options.echo("\nnothing was written (--dry-run)")
    else:
        options.echo(f"\nwritten to {out}: campaign.json, items.jsonl, sample.jsonl")
        options.echo(f"next: adequa human serve {shlex.quote(str(out))}")


@human.command()
def serve(
    campaign: Annotated[Path, argument("CAMPAIGN", "A folder written by `adequa human sample`.")],
    raters: Annotated[
        int, option(None, "Number of raters; each gets a link.", min=0, max=100_000)
    ] = 0,
    database: Annotated[
        str | None,
        option(
            "URL", "postgresql://user:password@host/name; default: an SQLite file in the folder."
        ),
    ] = None,
    host: options.Host = "127.0.0.1",
    port: options.Port = 8000,
    base_url: Annotated[
        str | None, option("URL", "The public address, if the server is behind a proxy.")
    ] = None,
    join: Annotated[
        bool, flag("--join", "Also create an open link that lets anybody join.")
    ] = False,
    behind_proxy: options.BehindProxy = False,
    export: Annotated[
        Path | None,
        option(
            "FILE",
            "Write the answers to a .jsonl, .csv or factgenie.jsonl file instead of serving.",
        ),
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Serve a campaign in the browser.

    Raters and the organiser have their own links, which are printed and kept in CAMPAIGN/links.tsv.
    A link gives access without a password, so send each to one person only.

    Example: adequa human serve campaign --raters 12 --port 8000
    """
    from adequa.errors import require_packages

    require_packages("web", "alembic", "jinja2", "sqlalchemy", "starlette", "uvicorn")
    from adequa.human.campaign.store import CampaignStore
    from adequa.web.campaign import campaign_app, campaign_links, parse_base_url, write_links

    if base_url is not None:
        base_url = parse_base_url(base_url)
    store = CampaignStore.open(campaign, url=database)
    try:
        if export is not None:
            from adequa.human.campaign import export_answers as write

            options.echo_written(export, f": {write(store, export):,} lines")
            return
        from adequa.web.limits import CampaignLimits
        from adequa.web.security import SignedTokens, load_secret
        from adequa.web.server import listen, server_of, url_of

        with listen(host, port) as bound:
            secret = load_secret(campaign)
            there = store.raters()
            there += store.add_raters(max(0, raters - len(there)))
            links = campaign_links(
                base_url or url_of(bound, host), SignedTokens(secret), there, joining=join
            )
            file = write_links(campaign, links)
            _show_links(links, file, as_json=as_json)
            _warn_about_network(host, base_url, behind_proxy=behind_proxy)
            limits = CampaignLimits()
            app = campaign_app(store, secret=secret, base_url=base_url, joining=join, limits=limits)
            server_of(app, limits, behind_proxy=behind_proxy).run(sockets=[bound])
    finally:
        store.close()


def _show_links(links: Links, file: Path, *, as_json: bool) -> None:
    if as_json:
        options.echo_json(
            {"organiser": links.organiser, "raters": links.raters, "join": links.joining}
        )
    else:
        options.echo(f"organiser  {links.organiser}")
        if links.joining:
            options.echo(f"join       {links.joining}")
        for rater, link in links.raters.items():
            options.echo(f"{rater:<9}  {link}")
    options.echo(f"The links are also in {file}. Stop with Ctrl-C; answers are saved.", err=True)
    if not links.raters and not links.joining:
        hint = "give --raters N, or add them on the organiser's page."
        options.echo(f"There are no raters yet: {hint}", err=True)


def _warn_about_network(host: str, base_url: str | None, *, behind_proxy: bool) -> None:
    from adequa.web.server import is_loopback

    if not is_loopback(host):
        options.echo(
            f"Warning: {host} can be reached from other machines, and this server uses plain "
            "HTTP: put it behind a TLS proxy and give its address as --base-url; otherwise links "
            "and answers can be intercepted.",
            err=True,
        )
    elif base_url is not None and base_url.startswith("https:") and not behind_proxy:
        note = "Note: without --behind-proxy, rate limits treat all visitors as one address."
        options.echo(note, err=True)


@human.command()
def quality(
    ratings: Annotated[
        list[Path], argument("RATINGS…", "Files of single judgments, or folders of campaigns.")
    ],
    format: options.RatingsFormat = None,  # noqa: A002
    items: Annotated[
        Path | None, option("FILE", "The rated items, for their ids and texts.")
    ] = None,
    exclude: Exclude = None,
    criterion: Criterion = None,
    method: Annotated[str, option("NAME", "Method of MACE: vb (variational Bayes) or em.")] = "vb",
    restarts: Annotated[int, option(None, "Random restarts of MACE.", min=1)] = 10,
    seed: options.Seed = 0,
    least: Annotated[
        int, option(None, "Raters with this many texts or fewer are not flagged.", min=0)
    ] = 10,
    floor: Annotated[
        float,
        option("SECONDS", "A rater whose median time per page is lower is flagged as too fast."),
    ] = 3.0,
    controls: Annotated[
        Path | None, option("FILE", "Correct answers for some texts, as ratings in long form.")
    ] = None,
    bins: Annotated[
        int,
        option(
            None,
            "MACE compares labels: a slider (more than 10 different values) is divided into "
            "this many equal parts.",
            min=2,
        ),
    ] = 5,
    details: Annotated[
        str | None, option("RATER", "Show this rater's judgments next to those of the others.")
    ] = None,
    table: Annotated[
        str, option("FORMAT", "text, markdown, latex, csv (raters) or json.")
    ] = "text",
    as_json: options.Json = False,
    out: Annotated[
        Path | None,
        option(
            "DIR",
            "Also write report.txt, quality.json, raters.csv and flagged raters to DIR.",
            "--out",
            "-o",
        ),
    ] = None,
    quiet: options.Quiet = False,
) -> None:
    """Report on raters: patterns, speed, competence (MACE), agreement.

    No rater is excluded automatically: read the report, inspect a rater with --details, then run it
    again with --exclude.

    Example: adequa human quality judgments.jsonl --exclude ann --exclude @spammers.txt
    """
    from adequa.errors import require_known
    from adequa.human import gather, named_raters, rating_files
    from adequa.human.quality import (
        FORMATS,
        QualitySettings,
        of_criteria,
        quality_report,
        write_quality_report,
    )
    from adequa.readers import open_source

    require_known("format", [table], FORMATS)
    known = None if items is None else list(open_source(items))
    found = gather(rating_files(ratings), format=format, items=known)
    if not quiet:
        options.echo(f"{len(found):,} ratings read; estimating competence …", err=True)
    report = quality_report(
        of_criteria(found, criterion or ()),
        settings=QualitySettings(
            method=method, restarts=restarts, seed=seed, least=least, floor=floor, bins=bins
        ),
        exclude=named_raters(exclude or ()),
        controls=() if controls is None else gather([controls], format="long"),
        rater=details,
        texts={item.key: item.text for item in _items(ratings, items)},
    )
    words = ["adequa", "human", "quality", *map(str, ratings)]
    given = [("format", format), ("items", items), *(("criterion", one) for one in criterion or ())]
    for name, value in [*given, ("controls", controls)]:
        words += [] if value is None else [f"--{name}", str(value)]
    if out is not None:
        for path in write_quality_report(report, out, words):
            options.echo_written(path)
    if as_json:
        table = "json"
    options.echo(report.render(table, words))


@human.command()
def analyse(
    ratings: Annotated[
        list[Path], argument("RATINGS…", "Files of ratings, or folders of campaigns.")
    ],
    format: options.RatingsFormat = None,  # noqa: A002
    items: Annotated[
        Path | None, option("FILE", "The rated items, or a run of them; for --by and --lowest.")
    ] = None,
    exclude: Exclude = None,
    criterion: Criterion = None,
    by: Annotated[
        list[str] | None,
        option("FIELD", "Break down by type, size, category, seen, lang, meta.KEY. Repeatable."),
    ] = None,
    test: Annotated[str, option("NAME", "rank-sum, or signed-rank for paired texts.")] = "rank-sum",
    data: Annotated[
        str, option("KIND", "averaged: one value per text; single: one value per judgment.")
    ] = "averaged",
    correction: Annotated[
        str, option("NAME", "none, holm, bonferroni or bh (false discovery rate).")
    ] = "none",
    alpha: Annotated[
        float, option(None, "Level of the tests; intervals have level 1 - alpha.")
    ] = 0.05,
    z: Annotated[bool, flag("--z", "Standardise each rater's judgments.")] = False,
    lowest: Annotated[
        float | None, option("VALUE", "The score for empty texts without ratings.")
    ] = None,
    lower_is_better: Annotated[
        list[str] | None,
        option(
            "CRITERION", "A criterion where lower is better; known for error marks. Repeatable."
        ),
    ] = None,
    n: Annotated[int, option(None, "Bootstrap samples.", min=1)] = 1000,
    seed: options.Seed = 0,
    pictures: Annotated[
        Path | None,
        option("DIR", "Write plots of mean scores by each --by field (default: size) to DIR."),
    ] = None,
    table: options.TableForm = "text",
    as_json: options.Json = False,
    out: options.Out = None,
    quiet: options.Quiet = False,
) -> None:
    """Compute means, significance groups and ranks of systems.

    Results are per criterion. Systems that share a letter do not differ significantly by Wilcoxon's
    test.

    Example: adequa human analyse ratings.jsonl --by category --correction holm
    """
    from adequa.errors import require_known
    from adequa.human import gather, named_raters, preferences, rating_files
    from adequa.human.analysis import (
        FORMATS,
        AnalysisSettings,
        analysis_pictures,
        render_analysis,
        render_preferences,
    )
    from adequa.human.analysis import analyse as analyse_ratings

    form = "json" if as_json else table
    require_known("format", [form], FORMATS)
    known = list(_items(ratings, items))
    excluded = named_raters(exclude or ())
    judgments = gather(
        rating_files(ratings), format=format, items=known if items else None, exclude=excluded
    )
    pairs = preferences(judgments)
    if pairs:
        options.write_or_echo(render_preferences(pairs, form), out)
        return
    fields = list(by or ()) or (["size"] if pictures else [])
    rated = set(criterion or ()) or {rating.criterion for rating in judgments}
    lower = tuple(dict.fromkeys([*(lower_is_better or ()), *sorted(_marks(ratings) & rated)]))
    with progress_bar("analysing", quiet=quiet) as progress:
        analysis = analyse_ratings(
            judgments,
            items=known,
            criteria=criterion or (),
            by=fields,
            settings=AnalysisSettings(
                test=test,
                data=data,
                correction=correction,
                alpha=alpha,
                z=z,
                n=n,
                seed=seed,
                lower_is_better=lower,
            ),
            lowest=lowest,
            excluded=excluded,
            progress=progress,
        )
    written = render_analysis(analysis, form)
    if pictures is not None:
        options.write_pictures(analysis_pictures(analysis), pictures)
    options.write_or_echo(written, out)


def _marks(ratings: list[Path]) -> set[str]:
    """The questions of campaigns that are answered by marking errors."""
    from adequa.human.campaign.settings import is_campaign, read_settings

    return {
        question.name
        for folder in ratings
        if is_campaign(folder)
        for question in read_settings(folder).questions
        if question.kind == "spans"
    }


def _items(ratings: list[Path], items: Path | None) -> Iterator[Item]:
    """The items of --items, or else those of the campaigns."""
    from adequa.human.campaign.settings import ITEMS, is_campaign
    from adequa.readers import open_source
    from adequa.run import MANIFEST, open_run

    if items is None:
        for folder in ratings:
            if is_campaign(folder) and (folder / ITEMS).is_file():
                yield from open_source(folder / ITEMS)
    elif (items / MANIFEST).is_file():
        yield from (result.item for result in open_run(items).results())
    else:
        yield from open_source(items)
