"""`adequa human serve`: a campaign in the browser."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from adequa.cli.options import Json, echo_json

if TYPE_CHECKING:
    from adequa.web.campaign.serving import Links

__all__ = ["serve"]

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
    from adequa.human.campaign.store import Store
    from adequa.web.campaign import serving

    if base_url is not None:
        base_url = serving.checked_base_url(base_url)
    store = Store.open(campaign, url=database)
    try:
        if export is not None:
            from adequa.human.campaign.exporting import export as write

            lines = write(store, export)
            typer.echo(f"{lines:,} lines written to {export}", err=True)
            return
        from adequa.web.campaign.app import campaign_app
        from adequa.web.campaign.tokens import Tokens, load_secret
        from adequa.web.listening import listen, url_of

        with listen(host, port) as bound:
            secret = load_secret(campaign)
            there = store.raters()
            there += store.add_raters(max(0, raters - len(there)))
            links = serving.links_of(
                base_url or url_of(bound, host), Tokens(secret), there, joining=join
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
    from adequa.web.listening import is_loopback

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
