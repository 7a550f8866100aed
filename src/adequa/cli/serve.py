"""`adequa serve`: the workbench and the HTTP API."""

from __future__ import annotations

from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from adequa.cli.options import Json, Metrics, echo_json

_PACKAGES = ("jinja2", "starlette", "uvicorn")


def serve(
    runs: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[RUN|CAMPAIGN]...",
            help="Runs and campaigns to be looked at, as `adequa score` and `human sample` wrote.",
        ),
    ] = None,
    metric: Metrics = None,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port to listen on; 0 takes a free one.")
    ] = 8080,
    token_file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Its first line must be sent along; needed beyond loopback."
        ),
    ] = None,
    max_body: Annotated[
        str, typer.Option(metavar="SIZE", help="The largest request to score.")
    ] = "8MB",
    max_upload: Annotated[
        str, typer.Option(metavar="SIZE", help="The largest file to score in the background.")
    ] = "512MB",
    max_items: Annotated[int, typer.Option(min=1, help="Items a request.")] = 1000,
    timeout: Annotated[float, typer.Option(min=1.0, help="Seconds a request.")] = 60.0,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Processes that score.")] = 2,
    folder: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where runs are kept; without it till the server ends."),
    ] = None,
    api_only: Annotated[
        bool, typer.Option("--api-only", help="Serve the API without the pages.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Serve the workbench, pages and HTTP API: look at runs, try texts, score files.

    POST /v1/score judges texts, POST /v1/runs scores a file, /v1/openapi.json describes all of it.
    Only this machine can ask, unless --host says otherwise: then a token is needed, and browsers
    come in by the link that is printed.

    Example: adequa serve runs/t5 campaign -m esa -m nli --port 8080
    """
    from adequa.errors import MissingExtra

    for package in _PACKAGES:
        if find_spec(package) is None:
            raise MissingExtra("web", package)
    from adequa.human.campaign.settings import is_campaign
    from adequa.metrics import resolve
    from adequa.run import open_run
    from adequa.web.api import Runs, ScoringEngine, api_app
    from adequa.web.limits import ServerSettings, bytes_of
    from adequa.web.server import (
        hosts_of,
        is_loopback,
        kept_folder,
        listen,
        read_token,
        server_of,
        url_of,
    )
    from adequa.web.workbench import Workbench, open_campaign

    settings = ServerSettings(
        token=read_token(host, token_file),
        hosts=hosts_of(host),
        max_body=bytes_of(max_body),
        max_upload=bytes_of(max_upload),
        max_items=max_items,
        seconds=timeout,
    )
    of_people = [] if api_only else [path for path in runs or () if is_campaign(path)]
    opened = [open_run(path) for path in runs or () if path not in of_people]
    campaigns = [open_campaign(path) for path in of_people]
    chosen = resolve(metric or None)
    with ExitStack() as stack:
        bound = stack.enter_context(listen(host, port))
        keep = stack.enter_context(kept_folder(folder))
        engine = ScoringEngine(
            chosen, workers=jobs, waiting=max(settings.waiting, max_items), seconds=timeout
        )
        stack.callback(engine.close)
        typer.echo(f"loading {', '.join(chosen)} …", err=True)
        engine.start()
        kept = Runs(keep, chosen, settings, opened)
        stack.callback(kept.close)
        address = start = url_of(bound, host)
        if api_only:
            start, app = f"{address}/v1/openapi.json", api_app(engine, kept, settings=settings)
        else:
            workbench = Workbench(engine, kept, settings=settings, campaigns=campaigns)
            stack.callback(workbench.close)
            start, app = address + workbench.access.first_page, workbench.app

        def say() -> None:
            if as_json:
                echo_json({"url": address, "start": start, "metrics": list(chosen), "jobs": jobs})
            else:
                typer.echo(start)
            typer.echo("Stop with Ctrl-C.", err=True)
            if not is_loopback(host):
                typer.echo(
                    f"Warning: {host} can be reached from other machines, and this server speaks "
                    "plain http: put it behind a proxy with TLS that passes Host on, or the token "
                    "and all texts can be read on the way.",
                    err=True,
                )

        server_of(app, started=say).run(sockets=[bound])
