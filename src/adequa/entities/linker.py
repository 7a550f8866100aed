"""Entity linking: a client for a REL server (van Hulst et al. 2020) that the user runs.

The paper asks REL for the spans of a text that name a Wikipedia page, keeps those of the input's
entities as mentions (section 4.1), and counts the others as hallucinated (section 6.2, Table 4).
"""

from __future__ import annotations

import contextlib
import html
import math
import re
import unicodedata
import urllib.parse
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from adequa.data import Mention
from adequa.errors import ServiceError, SettingError
from adequa.fields import grouped
from adequa.services import failed, post_json, require_open, require_url, worked

_NOTHING = ("", "NIL")
_NOT_REL = "check that the URL is that of a REL server"


class Link(NamedTuple):
    """A span of the text and the title of the Wikipedia page it is about."""

    start: int
    end: int
    title: str
    confidence: float
    kind: str | None


@dataclass(frozen=True)
class RelClient:
    """A REL server; `timeout` is for a whole text."""

    url: str
    timeout: float = 10.0
    retries: int = 1
    give_up_after: int = 3
    give_up_seconds: float = 60.0

    def __post_init__(self) -> None:
        require_url(self.url)
        if not (self.timeout > 0 and math.isfinite(self.timeout)):
            raise SettingError(f"a timeout of {self.timeout!r} is not a time; give seconds above 0")
        if self.retries < 0 or self.give_up_after < 1 or not self.give_up_seconds >= 0:
            raise SettingError(
                "retries and give_up_seconds cannot be below 0, nor give_up_after below 1"
            )

    def link(self, text: str) -> tuple[Link, ...]:
        """The links of a text; raises ServiceError if there is no valid answer."""
        sent = _Sent(text)
        if not sent.text:
            return ()
        require_open(self.url)
        # With no spans REL finds the mentions itself. Both its first server and the later one,
        # where the path chooses a mode and / is the one for named entities, take these fields.
        request = {"text": sent.text, "spans": []}
        try:
            answer = post_json(self.url, request, timeout=self.timeout, retries=self.retries)
            links = self._links(answer, sent)
        except ServiceError:
            failed(self.url, self.give_up_after, self.give_up_seconds)
            raise
        worked(self.url)
        return links

    def _links(self, answer: Any, sent: _Sent) -> tuple[Link, ...]:
        if not isinstance(answer, list):
            raise ServiceError(self.url, "answered with JSON that is not a list", _NOT_REL)
        links: set[Link] = set()
        for position, row in enumerate(answer, start=1):
            try:
                link = _read_row(row, sent)
            except ValueError as error:
                problem = f"link {position} of its answer {error}"
                raise ServiceError(self.url, problem, _NOT_REL) from None
            if link is not None:
                links.add(link)
        return tuple(sorted(links, key=lambda link: (link[:4], link.kind or "")))


_CHANGED = re.compile(r"&amp;|\s\s|[^\S ]|\A\s|\s\Z|[\ud800-\udfff]")


class _Sent:
    """The text as it is sent, and the original place of each character.

    REL replaces "&amp;" before counting, and its sentence splitter may change spaces; without
    either in the text its offsets are right.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts: Sequence[int] = range(len(text))
        self.ends: Sequence[int] = range(1, len(text) + 1)
        if _CHANGED.search(text):
            self._change()

    def _change(self) -> None:
        text, starts, ends = self.text, [], []
        characters: list[str] = []
        for found in re.finditer(r"\s+|&amp;|.", text, re.DOTALL):
            character = found[0]
            if character.isspace():
                if not characters or found.end() == len(text):
                    continue
                character = " "
            elif character == "&amp;":
                character = "&"
            elif "\ud800" <= character <= "\udfff":
                character = "\ufffd"  # half of a pair: JSON can carry it, few servers survive it
            characters.append(character)
            starts.append(found.start())
            ends.append(found.end())
        self.text, self.starts, self.ends = "".join(characters), starts, ends


def _read_row(row: Any, sent: _Sent) -> Link | None:
    """Read `[start, length, mention, title, ED confidence, MD confidence, tag]`, or its first four.

    REL's documentation calls the second value an end, but its code sends a length.
    """
    if not isinstance(row, list) or len(row) not in (4, 7):
        raise ValueError("is not a list of 4 or 7 values")
    start, length, mention, title, confidence, _, kind = (*row, 0.0, 0.0, None)[:7]
    if not _is(start, int) or not _is(length, int):
        raise ValueError("has no whole numbers for its place")
    if not _is(mention, str) or not _is(title, str):
        raise ValueError("has no strings for mention and title")
    if not _is(confidence, int | float) or not _is_finite(confidence):
        raise ValueError("has no number for its confidence")
    if not _is(kind, str | None):
        raise ValueError("has no string for its tag")
    end = start + length
    if not 0 <= start < end <= len(sent.text):
        raise ValueError(f"is outside the text ({start}, {length})"[:80])
    if "".join(sent.text[start:end].split()) != "".join(mention.split()):
        raise ValueError(f"is not where it says: {sent.text[start:end][:40]!r}, {mention[:40]!r}")
    if title.strip() in _NOTHING:
        return None
    while sent.text[start].isspace() and start < end - 1:
        start += 1
    while sent.text[end - 1].isspace() and start < end - 1:
        end -= 1
    known_kind = None if kind in (None, "", "NULL") else kind
    return Link(sent.starts[start], sent.ends[end - 1], title, float(confidence), known_kind)


def _is(value: Any, kind: Any) -> bool:
    # In Python True is an int.
    return isinstance(value, kind) and not isinstance(value, bool)


def _is_finite(value: int | float) -> bool:
    with contextlib.suppress(OverflowError):  # an int no float can hold
        return math.isfinite(value)
    return False


_RESOURCE = re.compile(r"<?https?://[^/]*/(?:resource|wiki|page)/([^>]*)>?", re.DOTALL)
_LITERAL = re.compile(r'"([^"]*)"(?:@[A-Za-z-]*|\^\^\S*)?', re.DOTALL)


def _title_key(name: str) -> str:
    """The title of a page without IRI, underscores, quotes and case of the first letter."""
    name = name.strip()
    for form in (_RESOURCE, _LITERAL):
        if found := form.fullmatch(name):
            name = found[1]
    with contextlib.suppress(UnicodeDecodeError):  # a per cent sign that encodes nothing
        name = urllib.parse.unquote(name, errors="strict")
    name = unicodedata.normalize("NFC", html.unescape(name).replace("’", "'"))
    name = " ".join(name.replace("_", " ").strip('"“” ').split())
    return name[:1].upper() + name[1:]


def linked_mentions(links: Iterable[Link], entities: Sequence[str]) -> list[Mention]:
    """The links to entities of the input, as mentions at distance 0."""
    named = grouped(dict.fromkeys(entities), _title_key)
    return [
        Mention(entity, link.start, link.end, "linker", 0.0)
        for link in links
        for entity in named.get(_title_key(link.title), ())
    ]


def foreign_links(links: Iterable[Link], entities: Sequence[str]) -> list[Link]:
    """The links to anything else: the paper's hallucinated entities."""
    known = {_title_key(entity) for entity in entities}
    return [link for link in links if _title_key(link.title) not in known]
