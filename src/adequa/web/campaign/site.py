"""The shared parts of a campaign's pages: the store, sessions, forms, rendering and links."""

from __future__ import annotations

import logging
import math
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar
from urllib.parse import urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from adequa.errors import ServiceError, SettingError
from adequa.files import open_private, write_errors
from adequa.human.campaign.database import StorageFull
from adequa.human.campaign.model import Question, Rater
from adequa.tables import counted, one_line
from adequa.web.errors import Refusal
from adequa.web.limits import Bodies, CampaignLimits, Fields, Throttle
from adequa.web.pages import Pages
from adequa.web.security import (
    FORM_TOKEN,
    Session,
    Sessions,
    SignedTokens,
    is_own_origin,
    no_form_token,
)

if TYPE_CHECKING:
    from adequa.human.campaign.store import CampaignStore

Given = ParamSpec("Given")
Answer = TypeVar("Answer")
LINKS_FILE = "links.tsv"
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Links:
    """Every login link of a campaign; each is a key."""

    organiser: str
    raters: dict[str, str]
    joining: str | None = None


def campaign_links(
    base_url: str, tokens: SignedTokens, raters: Sequence[Rater], *, joining: bool
) -> Links:
    """The links under an address."""
    base = base_url.rstrip("/")
    return Links(
        f"{base}/organise/{tokens.token('organiser')}",
        {rater.name: rater_link(base, tokens, rater.number) for rater in raters},
        f"{base}/join/{tokens.token('join')}?id=" if joining else None,
    )


def rater_link(base_url: str, tokens: SignedTokens, number: int) -> str:
    """The link of one rater under an address."""
    return f"{base_url.rstrip('/')}/r/{tokens.numbered('rater', number)}"


def write_links(folder: Path, links: Links) -> Path:
    """Write one line per link, readable by the owner only; an older file is replaced."""
    path = folder / LINKS_FILE
    rows = [("organiser", links.organiser), *links.raters.items()]
    rows += [("join", links.joining)] if links.joining else []
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    with write_errors(path, remedy="use a folder that you can write to"):
        try:
            with open_private(temporary) as file:
                file.writelines(f"{who}\t{link}\n" for who, link in rows)
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
    return path


def parse_base_url(url: str) -> str:
    """The address people use, without a trailing slash."""
    split = urlsplit(url)
    if split.scheme not in ("http", "https") or not split.netloc or split.query or split.fragment:
        raise SettingError(
            f"{url!r} is not a web address; give base_url=… as https://example.org or "
            "https://example.org/study"
        )
    return url.rstrip("/")


@dataclass
class CampaignSite:
    """One campaign being served."""

    store: CampaignStore
    tokens: SignedTokens
    limits: CampaignLimits = field(default_factory=CampaignLimits)
    base_url: str | None = None
    """The address people use, if it is not the one of this process."""
    is_open: bool = False
    """Whether new raters may join by the open link."""
    clock: Callable[[], float] = time.time

    def __post_init__(self) -> None:
        split = urlsplit(self.base_url or "")
        self.root = split.path.rstrip("/")
        self.is_secure = split.scheme == "https"
        path = self.root + "/"
        self.raters = Sessions(self.tokens, "rater", is_numbered=True, path=path)
        self.organisers = Sessions(self.tokens, "organiser", path=path)
        self.bodies = Bodies(self.limits, remedy="reload the page and enter less")
        self.wrong_links = Throttle(self.limits.wrong_links)
        self.joins = Throttle(self.limits.joins)
        self.answers = Throttle(self.limits.answers)
        self.drafts = Throttle(self.limits.drafts)

    async def call(
        self, function: Callable[Given, Answer], *args: Given.args, **options: Given.kwargs
    ) -> Answer:
        """Call a method of the store, which waits for its database, off the event loop."""
        try:
            return await run_in_threadpool(function, *args, **options)
        except ServiceError as error:
            _LOG.error("%s", one_line(str(error)))
            if isinstance(error, StorageFull):
                message = "the disk of the server is full, so this was not saved"
                remedy = "what you saved before is safe: keep this page open and send it again soon"
                raise Refusal(507, "disk_full", message, remedy, wait=60) from None
            message = "the database of this campaign cannot be reached at the moment"
            remedy = "all saved answers are safe; try again soon"
            raise Refusal(503, "unavailable", message, remedy, wait=10) from None

    def page(self, template: str, status: int = 200, **values: Any) -> Response:
        """A rendered page."""
        common = {"root": self.root, "title": self.store.campaign.title}
        return Response(PAGES.render(template, **(common | values)), status, media_type="text/html")

    def message(
        self,
        heading: str,
        *paragraphs: str,
        status: int = 200,
        onward: tuple[str, str] | None = None,
    ) -> Response:
        """A page that only shows a message, optionally with a link onwards."""
        shown = {"heading": heading, "paragraphs": paragraphs, "onward": onward}
        return self.page("message.html", status, **shown)

    def refuse(self, refusal: Refusal) -> Response:
        """The answer to a refused request, as a page."""
        paragraphs = refusal.paragraphs
        if refusal.code == "internal":
            paragraphs = ["An error occurred on the server. All saved answers are safe."]
            paragraphs.append("Try again.")
        response = self.message(refusal.heading, *paragraphs, status=refusal.status)
        response.headers.update(refusal.headers)
        return response

    def to(self, path: str) -> Response:
        """A redirect to another page of this campaign."""
        return RedirectResponse(self.root + path, 303)

    def sign_in(self, sessions: Sessions, path: str, number: int = 0) -> Response:
        """A redirect with the session's cookie, so that no later address contains the link."""
        response = self.to(path)
        sessions.begin(response, secure=self.is_secure, number=number)
        return response

    def session(self, request: Request, sessions: Sessions) -> Session:
        """The session of a request; refused if nobody is signed in."""
        session = sessions.find(request.cookies)
        if session is None:
            whose = "personal" if sessions is self.raters else "organiser's"
            message = "this browser is not signed in"
            raise Refusal(401, "no_session", message, f"open your {whose} link")
        return session

    def wrong_link(self, address: str) -> Refusal:
        """Count a wrong link and return its refusal."""
        self.wrong_links.take(address)
        remedy = "copy the whole link and try again"
        return Refusal(404, "wrong_link", "this link is not valid", remedy)

    async def form(self, request: Request, sessions: Sessions, session: Session) -> Fields:
        """The fields of a form that a page of ours sent within this session."""
        fields = await self.bodies.form(request)
        self._require_own(request, sessions, session, (fields.get("form_token") or [""])[-1])
        return fields

    async def json(
        self,
        request: Request,
        sessions: Sessions,
        session: Session,
        read: Callable[[dict[str, Any]], Answer],
    ) -> Answer:
        """What `read` makes of the JSON that a script of ours sent within this session."""
        self._require_own(request, sessions, session, request.headers.get(FORM_TOKEN, ""))
        return await self.bodies.json(request, read)

    def require_own_origin(self, request: Request) -> None:
        """Refuse a request that a page of another site sends."""
        if not is_own_origin(request.headers, self.base_url):
            raise no_form_token()

    def _require_own(
        self, request: Request, sessions: Sessions, session: Session, token: str
    ) -> None:
        self.require_own_origin(request)
        if not sessions.is_form_token(session, token):
            raise no_form_token()


def client_address(request: Request) -> str:
    """The address that wrong links and joins are counted by."""
    return request.client.host if request.client else "unknown"


def _number(value: float) -> str:
    """A number as people write it: 3, not 3.0."""
    return str(int(value)) if float(value).is_integer() else repr(float(value))


def _step(question: Question) -> str:
    """The step of a slider: 1 if the range has ten whole numbers or more, else a hundredth."""
    whole = question.low.is_integer() and question.high.is_integer()
    distance = question.high - question.low
    return "1" if whole and distance >= 10 else repr(distance / 100)


def _duration(seconds: float | None) -> str:
    if seconds is None:
        return "–"
    if seconds < 10:
        return f"{seconds:.1f} s"
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def _ago(seconds: float | None) -> str:
    """How long ago, in the largest unit that fits."""
    if seconds is None:
        return "never"
    for unit, size in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= size:
            return f"{counted(math.floor(seconds / size), unit)} ago"
    return "now"


def _percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "–"


PAGES = Pages(
    package="adequa.web.campaign",
    static=("campaign.css", "campaign.js", "marks.js"),
    filters={"number": _number, "duration": _duration, "ago": _ago, "percent": _percent},
    values={"step": _step},
)
