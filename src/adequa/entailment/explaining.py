"""Why something is a finding, in a sentence for a person."""

from __future__ import annotations

import re
from collections.abc import Sequence

from adequa.data import Item, Mention, Triple
from adequa.entailment.evidence import Stretch
from adequa.wording.values import worded

__all__ = [
    "why_contradicted",
    "why_garbled",
    "why_missing",
    "why_unread_fact",
    "why_unread_text",
    "why_unsupported",
]

_LONGEST = 80
_ADDED = re.compile(r"^(?:,|\s\()\s*(?:in\s+)?$")
_NAME = re.compile(r"^[^\W\d_a-z]")
_VERBS = frozenset(
    {"is", "are", "was", "has", "can", "cannot", "does", "allows", "accepts", "offers", "serves"}
    | {"supports", "includes"}
)
"""How a predicate begins that says its fact without more words."""


def why_missing(item: Item, triple: Triple, stretch: Stretch | None = None) -> str:
    """Of a fact that the text does not state."""
    said = f"the text does not say that {_fact(item, triple)}"
    return said if stretch is None else f"{said}: it has {_quoted(item, stretch)} instead"


def why_contradicted(item: Item, stretch: Stretch, triple: Triple | None) -> str:
    """Of words that the data denies."""
    if triple is None:
        return f"the data says otherwise than {_quoted(item, stretch)}"
    return f"{_quoted(item, stretch)}: the data says that {_fact(item, triple)}"


def why_unsupported(item: Item, stretch: Stretch, mentions: Sequence[Mention]) -> str:
    """Of words about which the data says nothing; common knowledge is called so."""
    words = _quoted(item, stretch)
    before = [one for one in mentions if one.end <= stretch.start]
    near = max(before, key=lambda one: one.end, default=None)
    if (
        near is not None
        and _ADDED.match(item.text[near.end : stretch.start])
        and _NAME.match(item.text[stretch.start : stretch.end])
    ):
        name = item.text[near.start : near.end]
        return f"{words} is added to {name!r}: true or not, the data does not say it"
    return f"nothing in the data supports {words}"


def why_garbled(item: Item, stretch: Stretch) -> str:
    """Of words that are not well formed where they stand."""
    return f"{_quoted(item, stretch)} is garbled: what the text says there cannot be told"


def why_unread_fact(item: Item, triple: Triple) -> str:
    """Of a fact that could not be looked at."""
    return f"not checked: {_fact(item, triple)} is longer than the model can read"


def why_unread_text(item: Item, stretch: Stretch) -> str:
    """Of words that could not be looked at."""
    return f"not checked: {_quoted(item, stretch)} and its data are longer than the model can read"


def _fact(item: Item, triple: Triple) -> str:
    subject, predicate, value = (_short(part) for part in worded(triple, item.terms))
    if predicate.split(" ")[0] in _VERBS:
        return f"{subject} {predicate} {value}"
    return f"the {predicate} of {subject} is {value}"


def _quoted(item: Item, stretch: Stretch) -> str:
    return repr(_short(item.text[stretch.start : stretch.end]))


def _short(words: str) -> str:
    return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 1]}…"
