"""A campaign on a port: its links in a file for the organiser's eyes, and the server."""

from __future__ import annotations

import os
import secrets
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from adequa.errors import DataError, SettingError
from adequa.web.tokens import SignedTokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.applications import Starlette

    from adequa.human.campaign.model import Rater

LINKS_FILE = "links.tsv"


@dataclass(frozen=True, slots=True)
class Links:
    """Every way into a campaign; each is a key."""

    organiser: str
    raters: dict[str, str]
    joining: str | None = None


def links_of(
    base_url: str, tokens: SignedTokens, raters: Sequence[Rater], *, joining: bool
) -> Links:
    """The links under an address."""
    base = base_url.rstrip("/")
    return Links(
        f"{base}/organise/{tokens.of_organiser}",
        {rater.name: f"{base}/r/{tokens.of_rater(rater.number)}" for rater in raters},
        f"{base}/join/{tokens.of_joining}?id=" if joining else None,
    )


def write_links(folder: Path, links: Links) -> Path:
    """Who and link, a line each, readable by the owner only; what stood there is replaced."""
    path = folder / LINKS_FILE
    rows = [("organiser", links.organiser), *links.raters.items()]
    rows += [("join", links.joining)] if links.joining else []
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{who}\t{link}\n" for who, link in rows)
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise DataError(
            f"cannot be written ({error.strerror})",
            path=path,
            remedy="serve a folder that you may write to",
        ) from None
    return path


def checked_base_url(url: str) -> str:
    """The address people use, as far as it can be one."""
    split = urlsplit(url)
    if split.scheme not in ("http", "https") or not split.netloc or split.query or split.fragment:
        raise SettingError(
            f"--base-url is {url!r}, which is no address: write https://example.org or "
            "https://example.org/study"
        )
    return url.rstrip("/")


def run(app: Starlette, bound: socket.socket, *, behind_proxy: bool = False) -> None:
    """Serve until stopped.

    Behind a proxy the addresses it names are believed, if it runs on this machine or is named in
    the environment's FORWARDED_ALLOW_IPS.
    """
    import uvicorn

    config = uvicorn.Config(
        app,
        # An access log would hold the links.
        access_log=False,
        log_level="warning",
        proxy_headers=behind_proxy,
        server_header=False,
        lifespan="off",
        timeout_graceful_shutdown=10,
    )
    uvicorn.Server(config).run(sockets=[bound])
