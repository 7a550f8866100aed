"""`adequa serve`: the workbench and the HTTP API."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

from adequa.cli import options
from adequa.cli.options import argument, flag, option


def serve(
    runs: Annotated[
        list[Path] | None,
        argument(
            "[RUN|CAMPAIGN]...",
            "Runs and campaigns to show: folders of `adequa score` and `adequa human sample`.",
        ),
    ] = None,
    metric: options.Metrics = None,
    host: options.Host = "127.0.0.1",
    port: options.Port = 8080,
    token_file: Annotated[
        Path | None,
        option("FILE", "A file whose first line is the access token; required unless local."),
    ] = None,
    max_body: Annotated[str, option("SIZE", "The largest request body.")] = "8MB",
    max_upload: Annotated[
        str, option("SIZE", "The largest file upload, scored in the background.")
    ] = "512MB",
    max_items: Annotated[int, option(None, "Maximum number of items per request.", min=1)] = 1000,
    timeout: Annotated[float, option(None, "Time limit per request in seconds.", min=1.0)] = 60.0,
    jobs: Annotated[int, option(None, "Number of scoring processes.", "--jobs", "-j", min=1)] = 2,
    folder: Annotated[
        Path | None, option("DIR", "Where runs are kept; by default they are deleted on exit.")
    ] = None,
    behind_proxy: options.BehindProxy = False,
    api_only: Annotated[bool, flag("--api-only", "Serve the API without the pages.")] = False,
    as_json: options.Json = False,
) -> None:
    """Serve the workbench and the HTTP API.

    The workbench shows runs, checks texts and scores files in the browser. POST /v1/score scores
    texts, POST /v1/runs scores a file, and /v1/openapi.json describes the API. The server accepts
    local connections only, unless --host is given: then a token is required, and browsers log in
    with the link that is printed.

    Example: adequa serve runs/t5 campaign -m esa -m nli --port 8080
    """
    from adequa.errors import require_packages

    require_packages("web", "jinja2", "starlette", "uvicorn")
    from adequa.human.campaign.settings import is_campaign
    from adequa.metrics import resolve
    from adequa.run import open_run
    from adequa.web import server
    from adequa.web.api import Runs, ScoringEngine, api_app
    from adequa.web.limits import ServerSettings, bytes_of
    from adequa.web.workbench import Workbench, open_campaign

    settings = ServerSettings(
        token=server.read_token(host, token_file),
        hosts=server.hosts_of(host),
        max_body=bytes_of(max_body),
        max_upload=bytes_of(max_upload),
        max_items=max_items,
        seconds=timeout,
    )
    campaign_paths = [] if api_only else [path for path in runs or () if is_campaign(path)]
    opened = [open_run(path) for path in runs or () if path not in campaign_paths]
    campaigns = [open_campaign(path) for path in campaign_paths]
    chosen = resolve(metric or None)
    with ExitStack() as stack:
        bound = stack.enter_context(server.listen(host, port))
        keep = stack.enter_context(server.kept_folder(folder))
        engine = ScoringEngine(
            chosen, workers=jobs, waiting=max(settings.waiting, max_items), seconds=timeout
        )
        stack.callback(engine.close)
        options.echo(f"loading {', '.join(chosen)} …", err=True)
        engine.start()
        kept = Runs(keep, chosen, settings, opened)
        stack.callback(kept.close)
        address = start = server.url_of(bound, host)
        if api_only:
            start, app = f"{address}/v1/openapi.json", api_app(engine, kept, settings=settings)
        else:
            workbench = Workbench(engine, kept, settings=settings, campaigns=campaigns)
            stack.callback(workbench.close)
            start, app = address + workbench.access.first_page, workbench.app

        def announce() -> None:
            if as_json:
                options.echo_json(
                    {"url": address, "start": start, "metrics": list(chosen), "jobs": jobs}
                )
            else:
                options.echo(start)
            options.echo("Stop with Ctrl-C.", err=True)
            if not server.is_loopback(host):
                options.echo(
                    f"Warning: {host} can be reached from other machines, and this server uses "
                    "plain HTTP: put it behind a TLS proxy that forwards the Host header; "
                    "otherwise the token and all texts can be intercepted.",
                    err=True,
                )

        served = server.server_of(app, settings, started=announce, behind_proxy=behind_proxy)
        served.run(sockets=[bound])
