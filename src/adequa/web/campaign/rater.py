"""A rater's pages: sign in, welcome, one text after another, the end; and the forms on them.

A text is shown with its data: facts by subject, a graph, and words to mark. The graph is a tree
drawn from left to right, each arrow on a line of its own, so that labels never overlap; a thing
that occurs again is in a dashed box. The style sheet has the colours.
"""

from __future__ import annotations

import math
import re
import textwrap
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any

from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from adequa.data import Item
from adequa.errors import DataError
from adequa.human.campaign.answers import WrongAnswer, is_finite, mark_fields
from adequa.human.campaign.model import Campaign, NothingLeft, Page, Question, Rater
from adequa.text import readable
from adequa.web.campaign.site import CampaignSite, client_address, rater_link
from adequa.web.errors import Refusal
from adequa.web.limits import Fields, parse_json_value, whole_number
from adequa.web.security import Session

_HIDDEN = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f\x80-\x9f\ud800-\udfff\ufffe\uffff]")
_JOINER, _SELECTORS = "\u200d", "\ufe00\ufe0e\ufe0f"
# Pixels, measured for the style sheet's font at its default size.
_CHARACTER, _LINE, _PAD, _ROW_GAP = 7.6, 18.0, 8.0, 14.0
_MOST_CHARACTERS = 26
_MOST_LINES = 4
_SHORTEST_ARROW = 60.0
_TIP = (
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" '
    'orient="auto"><path class="tip" d="M0 0L8 4L0 8z"/></marker></defs>'
)


@dataclass(frozen=True, slots=True)
class FactRow:
    """A fact in words; `index` is its place in the data."""

    index: int
    predicate: str
    object: str


@dataclass(frozen=True, slots=True)
class Subject:
    """A thing and its facts."""

    name: str
    rows: tuple[FactRow, ...]


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A word or a gap between two, with its Python offsets in the text."""

    start: int
    end: int
    text: str
    is_word: bool


def shown(text: str) -> str:
    """The text, of the same length, with a placeholder for characters a page cannot hold."""
    return _HIDDEN.sub("\ufffd", text)


def facts_by_subject(item: Item) -> list[Subject]:
    """The facts in words, under their subjects, in the order of the data."""
    found: dict[str, tuple[str, list[FactRow]]] = {}
    for index, triple in enumerate(item.triples):
        subject, predicate, value = (shown(part) for part in readable(triple, item.terms))
        _, rows = found.setdefault(triple.subject, (subject, []))
        rows.append(FactRow(index, predicate, value))
    return [Subject(name, tuple(rows)) for name, rows in found.values()]


def pieces(text: str) -> list[TextPiece]:
    """The text divided into words and gaps; a page counts from each piece's own offset.

    A page cannot count from the start of the text: browsers count UTF-16 units and fold line ends.
    A piece never begins with a combining mark, nor inside a flag or a joined emoji.

    >>> [piece.text for piece in pieces("Zoë’s ½ 東京.") if piece.is_word]
    ['Zoë’s', '½', '東', '京', '.']
    """
    made: list[TextPiece] = []
    for start, end in _clusters(text):
        cluster = text[start:end]
        # A word continues with a letter; scripts without spaces are divided by character.
        if made and _is_letter(made[-1].text[0]) and _is_letter(cluster[0]):
            last = made.pop()
            made.append(TextPiece(last.start, end, last.text + shown(cluster), last.is_word))
        else:
            made.append(TextPiece(start, end, shown(cluster), not cluster.isspace()))
    return _with_inner_marks(made)


def _clusters(text: str) -> Iterator[tuple[int, int]]:
    """Characters with their combining marks, close to Unicode's grapheme clusters."""
    start = 0
    for index in range(1, len(text) + 1):
        if index == len(text) or not _belongs(text, start, index):
            yield start, index
            start = index


def _belongs(text: str, start: int, index: int) -> bool:
    here, before = text[index], text[index - 1]
    if before.isspace():
        return here.isspace()
    if here.isspace():
        return False
    if unicodedata.category(here)[0] == "M" or here == _JOINER or here in _SELECTORS:
        return True
    if _is_flag(here) and _is_flag(before):
        return (index - start) % 2 == 1
    return before == _JOINER or "\U0001f3fb" <= here <= "\U0001f3ff"


def _is_flag(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _is_letter(character: str) -> bool:
    # Other letters (Lo) of Arabic, Hebrew or the scripts of India do form words.
    return character.isalnum() and not (
        "\u2e80" <= character <= "\ua4cf"
        or "\uf900" <= character <= "\ufaff"
        or "\U00020000" <= character <= "\U0003ffff"
        or "\u0e00" <= character <= "\u0eff"
    )


def _with_inner_marks(made: list[TextPiece]) -> list[TextPiece]:
    """Join words around an apostrophe, a hyphen or a decimal point into one piece."""
    joined: list[TextPiece] = []
    for piece in made:
        if len(joined) > 1 and joined[-1].text in ("'", "’", "-", ".", ",", "·"):
            around = _base(joined[-2].text), piece.text[0]
            joins = str.isdigit if joined[-1].text in (".", ",") else _is_letter
            if all(_is_letter(one) and joins(one) for one in around):
                mark, word = joined.pop(), joined.pop()
                piece = TextPiece(word.start, piece.end, word.text + mark.text + piece.text, True)
        joined.append(piece)
    return joined


def _base(word: str) -> str:
    """The last character that is not a combining mark."""
    return next((one for one in reversed(word) if unicodedata.category(one)[0] != "M"), word[0])


@dataclass(slots=True, eq=False)
class _Node:
    """A box; `predicate` labels the arrow that leads to it, "" for a root."""

    lines: list[str]
    predicate: str
    repeated: bool
    children: list[_Node]
    x: float = 0.0
    y: float = 0.0
    room: float = 0.0
    """The height of its subtree."""

    @property
    def width(self) -> float:
        return max(_width(line) for line in self.lines) * _CHARACTER + 2 * _PAD

    @property
    def height(self) -> float:
        return len(self.lines) * _LINE + _PAD


def drawing(subjects: list[Subject], title: str) -> str:
    """An SVG of the facts with escaped labels; one per page, because its marker has an id."""
    roots = _trees(subjects)
    columns, level = [], roots
    while level:
        columns.append(level)
        level = [child for node in level for child in node.children]
    x = 1.0
    for depth, column in enumerate(columns):
        label = max(_width(node.predicate) for node in column) * _CHARACTER * 0.96
        arrow = 0.0 if depth == 0 else max(_SHORTEST_ARROW, label + 44)
        for node in column:
            node.x = x + arrow
        x = column[0].x + max(node.width for node in column)
    bottom = 8.0  # room for the label of the first arrow
    for root in roots:
        bottom = _place(root, bottom) + _ROW_GAP
    parts = []
    for root in roots:
        for node in _in_order(root):
            parts += [_arrow(node, child) for child in node.children]
            parts.append(_box(node, is_root=node is root))
    width, height = x + 1, bottom - _ROW_GAP + 1
    size = f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}"'
    head = f'<svg class="graph" {size} role="img" aria-label="{escape(title)}">{_TIP}'
    return "\n".join([head, *parts, "</svg>"])


def _trees(subjects: list[Subject]) -> list[_Node]:
    by_name = {subject.name: subject for subject in subjects}
    objects = {row.object for subject in subjects for row in subject.rows}
    drawn: set[str] = set()

    def grow(root: str) -> _Node:
        drawn.add(root)
        tree = _Node(_wrapped(root), "", False, [])
        waiting = [(tree, root)]
        while waiting:
            parent, name = waiting.pop()
            for row in by_name[name].rows:
                again = row.object in drawn
                child = _Node(_wrapped(row.object), row.predicate, again, [])
                parent.children.append(child)
                if row.object in by_name and not again:
                    drawn.add(row.object)
                    waiting.append((child, row.object))
        return tree

    first = [name for name in by_name if name not in objects]
    # A cycle has no root: a subject that is in no tree yet begins another one.
    return [grow(name) for name in (*first, *by_name) if name not in drawn]


def _place(root: _Node, top: float) -> float:
    """Place the children beside their parent without overlap; returns the bottom."""
    order = _in_order(root)
    for node in reversed(order):
        below = sum(child.room + _ROW_GAP for child in node.children) - _ROW_GAP
        node.room = max(node.height, below)
    root.y = top + root.room / 2
    for node in order:
        below = sum(child.room + _ROW_GAP for child in node.children) - _ROW_GAP
        start = node.y - below / 2
        for child in node.children:
            child.y = start + child.room / 2
            start += child.room + _ROW_GAP
    return top + root.room


def _in_order(root: _Node) -> list[_Node]:
    """Each node before its children; not recursive, as a chain may be a thousand facts long."""
    order, waiting = [], [root]
    while waiting:
        node = waiting.pop()
        order.append(node)
        waiting += reversed(node.children)
    return order


def _arrow(node: _Node, child: _Node) -> str:
    x1, x2 = node.x + node.width, child.x
    bend = x1 + 36 if x2 - x1 > 72 else (x1 + x2) / 2
    middle = (bend + x2) / 2
    path = f"M{x1:.1f} {node.y:.1f}C{bend:.1f} {node.y:.1f} {x1:.1f} {child.y:.1f} {bend:.1f} "
    return (
        f'<path class="arrow" d="{path}{child.y:.1f}H{x2 - 1:.1f}" marker-end="url(#tip)"/>'
        f'<text class="predicate" x="{middle - 6:.1f}" y="{child.y - 6:.1f}" '
        f'text-anchor="middle">{escape(child.predicate)}</text>'
    )


def _box(node: _Node, *, is_root: bool) -> str:
    kind = "again" if node.repeated else "root" if is_root else "thing"
    top = node.y - node.height / 2
    words = "".join(
        f'<text x="{node.x + node.width / 2:.1f}" y="{top + (row + 0.95) * _LINE:.1f}" '
        f'text-anchor="middle">{escape(line)}</text>'
        for row, line in enumerate(node.lines)
    )
    return (
        f'<rect class="{kind}" x="{node.x:.1f}" y="{top:.1f}" width="{node.width:.1f}" '
        f'height="{node.height:.1f}" rx="6"/>{words}'
    )


def _wrapped(name: str) -> list[str]:
    lines = textwrap.wrap(name, _MOST_CHARACTERS) or ["—"]
    if len(lines) > _MOST_LINES:
        lines = [*lines[: _MOST_LINES - 1], lines[_MOST_LINES - 1] + " …"]
    return lines


def _width(text: str) -> int:
    """The width in columns; wide characters take two."""
    return sum(2 if unicodedata.east_asian_width(one) in "WF" else 1 for one in text)


_HEARTBEAT_SECONDS = 60
"""Between two heartbeats of a page that is in view."""
_LONGEST_ID = 200
_LONGEST_SECONDS = 24 * 3600.0
_NO_SUCH_TEXT = Refusal(404, "no_such_text", "this text is not assigned to you")
_ENDS = {
    "finished task": (
        "Thank you, this task is complete",
        "You have answered all the texts that one person may answer in this task.",
    ),
    "nothing left": ("Thank you, that was everything", "There are no more texts for you."),
    "waiting": (
        "Nothing to do at the moment",
        "The last texts are with other people. If one becomes available, it appears on this page.",
    ),
}


@dataclass(frozen=True)
class RaterPages:
    """Everything under a rater's link."""

    site: CampaignSite

    @property
    def routes(self) -> list[Route]:
        """The routes of the pages."""
        return [
            Route("/", self.home),
            Route("/r/{token}", self.sign_in),
            Route("/join/{token}", self.ask_identifier),
            Route("/join/{token}", self.join, methods=["POST"]),
            Route("/link", self.own_link),
            Route("/begin", self.begin, methods=["POST"]),
            Route("/another", self.another, methods=["POST"]),
            Route("/text", self.next_text),
            Route("/previous", self.previous),
            Route("/text/{slot}", self.text, methods=["GET"]),
            Route("/text/{slot}", self.answer, methods=["POST"]),
            Route("/text/{slot}/draft", self.draft, methods=["POST"]),
        ]

    async def sign_in(self, request: Request) -> Response:
        """Sign in by a rater's link, which then leaves the address bar."""
        site, address = self.site, client_address(request)
        site.wrong_links.require(address)
        number = site.tokens.number("rater", request.path_params["token"])
        if number is None or await site.call(site.store.rater, number) is None:
            raise site.wrong_link(address)
        return site.sign_in(site.raters, "/", number)

    async def ask_identifier(self, request: Request) -> Response:
        """The open link: ask for an external id, or go on if this browser has joined already.

        Opening it changes nothing, so a mail program that looks at a link takes nobody's id.
        """
        self._require_join_link(request)
        external = request.query_params.get("id", "").strip()
        joined = await self._joined(request)
        if joined is not None and external in ("", joined.external):
            return self.site.to("/")
        return self._identifier_page(request, external, _problem_of(external))

    async def join(self, request: Request) -> Response:
        """Become the rater of an external id.

        The id is not a secret, so it is not enough to come back: that takes the cookie of the
        browser that joined, or the rater's own link.
        """
        site = self.site
        address = self._require_join_link(request)
        site.require_own_origin(request)
        fields = await site.bodies.form(request)
        external = (fields.get("id") or [""])[-1].strip()
        problem = _problem_of(external) if external else "Enter your identifier."
        if problem:
            return self._identifier_page(request, external, problem)
        site.joins.allow(address)
        rater, is_new = await site.call(site.store.join, external)
        joined = await self._joined(request)
        if joined is not None and joined.number == rater.number:
            return site.to("/")
        if not is_new:
            return self._identifier_page(request, external, is_taken=True)
        return site.sign_in(site.raters, "/link", rater.number)

    async def own_link(self, request: Request) -> Response:
        """The rater's own link, to continue in another browser."""
        _, rater = await self._rater(request)
        base = self.site.base_url or str(request.base_url)
        return self.site.page("link.html", link=rater_link(base, self.site.tokens, rater.number))

    def _require_join_link(self, request: Request) -> str:
        """The address of a visitor who has the open link; refused without it."""
        site, address = self.site, client_address(request)
        site.wrong_links.require(address)
        if not site.is_open or not site.tokens.is_token("join", request.path_params["token"]):
            raise site.wrong_link(address)
        return address

    async def _joined(self, request: Request) -> Rater | None:
        """The rater of this browser, if they came by the open link."""
        session = self.site.raters.find(request.cookies)
        if session is None:
            return None
        rater = await self.site.call(self.site.store.rater, session.number)
        return rater if rater is not None and rater.external is not None else None

    def _identifier_page(
        self, request: Request, external: str, problem: str = "", *, is_taken: bool = False
    ) -> Response:
        return self.site.page(
            "join.html",
            409 if is_taken else 422 if problem else 200,
            token=request.path_params["token"],
            external=shown(external[:_LONGEST_ID]),
            problem=problem,
            is_taken=is_taken,
        )

    async def home(self, request: Request) -> Response:
        """The page for a rater's status: welcome, the texts, or why there are none."""
        session, rater = await self._rater(request)
        if rater.status == "new" or (rater.status == "eligible" and rater.task is None):
            return self._welcome(session, rater, {}, {})
        if rater.status == "eligible":
            return self.site.to("/text")
        if rater.status == "refused":
            return self.site.message(
                "Thank you for your interest",
                "By your answers to the first questions you cannot take part in this campaign. "
                "There is nothing more for you to do here.",
            )
        return self.site.message(
            "Thank you", "Your part in this campaign is over. There is nothing more for you to do."
        )

    async def begin(self, request: Request) -> Response:
        """Take the answers to the eligibility questions of the welcome page."""
        session, rater = await self._rater(request)
        fields = await self.site.form(request, self.site.raters, session)
        if rater.status != "new":
            return self.site.to("/text")
        asked = self.site.store.campaign.eligibility
        given = {
            one.name: fields[f"e:{one.name}"][-1] for one in asked if f"e:{one.name}" in fields
        }
        problems = {one.name: "Choose one." for one in asked if one.name not in given}
        if problems:
            return self._welcome(session, rater, given, problems)
        self.site.answers.allow(rater.number)
        try:
            judged = await self.site.call(self.site.store.judge_eligibility, rater.number, given)
        except DataError:
            message = "this is not one of the possible answers"
            raise Refusal(400, "wrong_answer", message, "reload the page") from None
        return self.site.to("/text" if judged.status == "eligible" else "/")

    async def another(self, request: Request) -> Response:
        """Continue with another task."""
        session, number = self._session(request)
        await self.site.form(request, self.site.raters, session)
        self.site.answers.allow(number)
        await self.site.call(self.site.store.next_page, number, another_task=True)
        return self.site.to("/text")

    async def next_text(self, request: Request) -> Response:
        """The text assigned to the rater, or a new one, or the end."""
        session, number = self._session(request)
        page = await self.site.call(self.site.store.next_page, number)
        if isinstance(page, Page):
            return self._text(session, page)
        if page.reason not in _ENDS:
            return self.site.to("/")
        return self._end(session, page)

    async def previous(self, request: Request) -> Response:
        """The last answered text, to correct it."""
        session, number = self._session(request)
        page = await self.site.call(self.site.store.previous, number)
        return self.site.to("/text") if page is None else self._text(session, page, correcting=True)

    async def text(self, request: Request) -> Response:
        """The address of a form, opened or reloaded: back to the current text."""
        _, number = self._session(request)
        if await self.site.call(self.site.store.page, number, _slot(request)) is None:
            raise _NO_SUCH_TEXT
        return self.site.to("/text")

    async def answer(self, request: Request) -> Response:
        """Store the answers to one text; sent twice, they are stored once."""
        session, number = self._session(request)
        store, slot = self.site.store, _slot(request)
        fields = await self.site.form(request, self.site.raters, session)
        self.site.answers.allow(number)
        raw, problems = await run_in_threadpool(answers_from_form, store.campaign.questions, fields)
        seconds = seconds_in(fields, self.site.clock())
        if not problems:
            try:
                outcome = await self.site.call(store.answer, number, slot, raw, seconds)
            except WrongAnswer as error:
                problems = {error.question: f"This answer {_without_name(error)}."}
            else:
                return self.site.to("/text") if outcome != "gone" else self._gone()
        page = await self.site.call(store.page, number, slot)
        if page is None:
            raise _NO_SUCH_TEXT
        entered = {"given": raw, "problems": problems, "seconds": seconds}
        return self._text(session, page, correcting="correcting" in fields, **entered)

    async def draft(self, request: Request) -> Response:
        """Save the draft; a request without one is a heartbeat and leaves the draft alone."""
        session, number = self._session(request)
        self.site.drafts.allow(number)
        store, slot = self.site.store, _slot(request)

        def read(sent: Mapping[str, Any]) -> tuple[dict[str, Any] | None, float]:
            draft = cleaned_draft(store.campaign.questions, sent.get("draft"))
            return draft if "draft" in sent else None, seconds_of(sent.get("seconds"))

        draft, seconds = await self.site.json(request, self.site.raters, session, read)
        if draft is None:
            held = await self.site.call(store.page, number, slot)
            return Response(status_code=409 if held is None else 204)
        kept = await self.site.call(store.save_draft, number, slot, draft, seconds)
        return Response(status_code=204 if kept else 409)

    def _session(self, request: Request) -> tuple[Session, int]:
        session = self.site.session(request, self.site.raters)
        return session, session.number

    async def _rater(self, request: Request) -> tuple[Session, Rater]:
        session, number = self._session(request)
        rater = await self.site.call(self.site.store.rater, number)
        if rater is None:
            message = "this browser is not signed in"
            raise Refusal(401, "no_session", message, "open your personal link again")
        return session, rater

    def _welcome(
        self, session: Session, rater: Rater, given: Mapping[str, str], problems: Mapping[str, str]
    ) -> Response:
        campaign, texts = self.site.store.campaign, self.site.store.texts
        sizes = Counter(one.task for one in texts if one.is_shown)
        return self.site.page(
            "welcome.html",
            422 if problems else 200,
            rater=rater,
            instructions=shown(campaign.instructions).strip(),
            eligibility=campaign.eligibility,
            limit=min(campaign.texts_per_rater, max(sizes.values(), default=0)),
            noun="pairs of texts" if any(one.pair for one in texts) else "texts",
            given=given,
            problems=problems,
            form_token=self.site.raters.form_token(session),
        )

    def _text(self, session: Session, page: Page, **entered: Any) -> Response:
        values = text_values(self.site.store.campaign, page, **entered)
        return self.site.page(
            "text.html",
            422 if values["problems"] else 200,
            shown_at=round(self.site.clock(), 1),
            form_token=self.site.raters.form_token(session),
            **values,
        )

    def _end(self, session: Session, end: NothingLeft) -> Response:
        heading, words = _ENDS[end.reason]
        return self.site.page(
            "done.html",
            heading=heading,
            paragraphs=[words],
            more=end.more,
            refresh=30 if end.reason == "waiting" else 0,
            total_done=end.progress.total_done,
            can_go_back=end.progress.total_done > 0,
            form_token=self.site.raters.form_token(session),
        )

    def _gone(self) -> Response:
        return self.site.message(
            "This text has been answered by others",
            "You were away for a long time, so the text was given to other people and now has all "
            "the answers it needs. Sorry, yours could not be kept. All your earlier answers are "
            "safe.",
            status=409,
            onward=("/text", "Continue with the next text"),
        )


def text_values(
    campaign: Campaign,
    page: Page,
    *,
    correcting: bool = False,
    given: Mapping[str, Any] | None = None,
    problems: Mapping[str, str] | None = None,
    seconds: float | None = None,
) -> dict[str, Any]:
    """The values of the page of one text; questions show the draft or the given answers."""
    item, questions, rival = page.text.item, campaign.questions, page.text.rival
    texts = [item.text] if rival is None else [item.text, rival]
    if rival is not None and page.slot % 2:
        # Every second person sees the two texts the other way round; what is stored is the same.
        texts.reverse()
        questions = tuple(map(_mirrored, questions))
    subjects = facts_by_subject(item)
    marking = any(question.labels for question in questions)
    return {
        "slot": page.slot,
        "progress": page.progress,
        "seconds": round(page.seconds if seconds is None else seconds, 1),
        "beat": max(2, min(_HEARTBEAT_SECONDS, campaign.return_after // 3)),
        "questions": questions,
        "omission_questions": [question for question in questions if question.omissions],
        "draft": cleaned_draft(questions, page.draft if given is None else given),
        "problems": problems or {},
        "correcting": correcting,
        "can_go_back": not correcting and page.progress.total_done > 0,
        "subjects": subjects,
        # The labels are escaped in `drawing`.
        "graph": Markup(drawing(subjects, "The data as a graph")),  # noqa: S704
        "lang": item.lang,
        "texts": [shown(text) for text in texts],
        "marking": marking,
        "pieces": pieces(item.text) if marking else (),
        "instructions": shown(campaign.instructions).strip(),
    }


def _mirrored(question: Question) -> Question:
    """The question with its answers in the same order, and their values exchanged."""
    choices = tuple(replace(choice, value=-choice.value) for choice in question.choices)
    return replace(question, choices=choices)


def _problem_of(external: str) -> str:
    if len(external) > _LONGEST_ID or not external.isprintable():
        return f"Use at most {_LONGEST_ID} letters, digits and symbols."
    return ""


def _slot(request: Request) -> int:
    slot = whole_number(request.path_params["slot"])
    if slot is None:
        raise _NO_SUCH_TEXT
    return slot


def _without_name(error: WrongAnswer) -> str:
    problem = error.problem.removeprefix(f"{error.question!r} ")
    return f"{problem}: {error.remedy}" if error.remedy else problem


def answers_from_form(
    questions: Iterable[Question], fields: Fields
) -> tuple[dict[str, Any], dict[str, str]]:
    """The answers by question, and a message for each question that lacks one."""
    raw: dict[str, Any] = {}
    problems: dict[str, str] = {}
    for question in questions:
        name = question.name
        if question.kind == "spans":
            marks = _marks(question, fields, problems)
            places = (whole_number(one) for one in fields.get(f"omitted:{name}", ()))
            # No data has a fact at -1, so a wrong place is refused with the answer.
            omitted = [-1 if place is None else place for place in places]
            raw[name] = {"marks": marks, "omitted": omitted}
            continue
        given = (fields.get(f"q:{name}") or [""])[-1].strip()
        number = _number(given)
        if number is not None:
            raw[name] = number
        elif given:
            problems[name] = "This is not a number."
        else:
            problems[name] = "Choose one." if question.kind == "choice" else "Set a value."
    return raw, problems


def _marks(question: Question, fields: Fields, problems: dict[str, str]) -> Any:
    if not question.labels:
        return []
    # Left empty by the server and filled by the script: "[]" means no marks, "" no script.
    given = (fields.get(f"marks:{question.name}") or [""])[-1]
    if not given:
        problems[question.name] = "Marking needs JavaScript: turn it on and reload the page."
        return []
    return parse_json_value(given.encode("utf-8", "replace"))


def cleaned_draft(questions: Iterable[Question], raw: object) -> dict[str, Any]:
    """The parts of a draft that can be shown again; the rest is dropped."""
    given: Mapping[Any, Any] = raw if isinstance(raw, Mapping) else {}
    draft: dict[str, Any] = {}
    for question in questions:
        value: Any = given.get(question.name)
        if question.kind != "spans":
            if is_finite(value):
                draft[question.name] = value
        elif isinstance(value, Mapping):
            marks, omitted = value.get("marks"), value.get("omitted")
            draft[question.name] = {
                "marks": [one for one in _list(marks) if _is_mark(question, one)],
                "omitted": [one for one in _list(omitted) if type(one) is int and one >= 0],
            }
    return draft


def seconds_of(given: object) -> float:
    """Seconds on a page as sent, limited to a day, since a clock may be wrong."""
    number = _number(given) if isinstance(given, str) else given
    if not isinstance(number, int | float) or isinstance(number, bool) or number != number:
        return 0.0
    return float(min(max(0.0, number), _LONGEST_SECONDS))


def seconds_in(fields: Fields, now: float) -> float:
    """Seconds on a page as its script counted them; without a script, since it was rendered."""
    given, made, before = (
        (fields.get(name) or [""])[-1] for name in ("seconds", "shown", "before")
    )
    if given:
        return seconds_of(given)
    since = _number(made)
    return seconds_of(seconds_of(before) + (seconds_of(now - since) if since else 0.0))


def _is_mark(question: Question, mark: object) -> bool:
    return (
        isinstance(mark, Mapping)
        and set(mark) == mark_fields(question)
        and type(mark["start"]) is int
        and type(mark["end"]) is int
        and 0 <= mark["start"] < mark["end"]
        and mark["label"] in question.labels
        and mark.get("severity", "") in ("", *question.severities)
    )


def _list(value: object) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else ()


def _number(given: str) -> float | None:
    try:
        number = float(given.replace(",", "."))
    except ValueError:
        return None
    return number if math.isfinite(number) else None
