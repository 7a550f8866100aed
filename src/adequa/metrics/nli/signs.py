"""Signs: the entity detector's evidence on the facts and words of an item, and its weights.

Log-odds are a line over the verifier's logit, plus the weights of the signs: an object that the
text does not name makes it less likely that its fact is stated, a word that is part of a known name
more likely that it is supported. The weights are in the `nli` part of `calibration.json`, fitted by
`adequa train weigh` on the data named there (`fitted_on`); without that part only logits count.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, NamedTuple

from adequa.data import Item, Mention, Triple
from adequa.entities import EntityJudgment, JudgmentSettings, UnexplainedSpan, judge
from adequa.errors import ModelError
from adequa.metrics.sources import read_calibration
from adequa.text import label_of, split_camel, split_sentences
from adequa.text.values import say_date

FACT_SIGNS = (
    *("object missing", "object named"),
    *("subject missing", "subject unnamed", "subject implied"),
)
"""Signs for or against a fact being stated."""
WORD_SIGNS = ("mentioned", "unexplained")
"""Signs for or against a word being supported."""
WRONG_VALUE = "wrong value"
"""A number or date that the data has and the text does not, or the reverse. The detector compares
values, which a model that reads words often confuses, so its answer decides."""
_BELIEVED = 2.0
"""The least log-odds of that sign, whatever the model says; no record of the data it was chosen on,
kept for stable scores."""


@dataclass(frozen=True)
class Weigher:
    """Log-odds from a logit and signs."""

    slope: float = 1.0
    offset: float = 0.0
    signs: Mapping[str, float] = field(default_factory=dict)
    stated: bool = True
    """Whether it weighs that a fact is stated, or else that a word is unsupported."""

    def __call__(self, logit: float, signs: Iterable[str] = ()) -> float:
        """The log-odds.

        >>> Weigher(2.0, 0.5, {"object missing": -3.0})(1.0, ["object missing"])
        -0.5
        """
        known = [*signs]
        odds = self.slope * logit + self.offset + sum(self.signs.get(sign, 0.0) for sign in known)
        if WRONG_VALUE not in known:
            return odds
        return min(odds, -_BELIEVED) if self.stated else max(odds, _BELIEVED)


@dataclass(frozen=True)
class Weighing:
    """The weighers of facts and of words."""

    stated: Weigher = field(default_factory=Weigher)
    unsupported: Weigher = field(default_factory=lambda: Weigher(stated=False))
    relation: Weigher | None = None
    """Of the relation reader's logits; None for weights without one."""
    fitted_on: str | None = None


@lru_cache(maxsize=4)
def read_weighing(name: str) -> Weighing:
    """The weighing of some weights."""
    raw, place = read_calibration(name, "nli")
    if raw is None:
        return Weighing()
    try:
        return Weighing(
            _weigher(raw["stated"], FACT_SIGNS, stated=True),
            _weigher(raw["unsupported"], WORD_SIGNS, stated=False),
            _weigher(raw["relation"], (), stated=True) if "relation" in raw else None,
            raw.get("fitted_on"),
        )
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise ModelError(
            f"{place}: its nli part needs stated and unsupported with slope, offset and signs "
            f"({error!r}); make it with adequa train weigh"
        ) from None


def _weigher(raw: Mapping[str, Any], known: tuple[str, ...], *, stated: bool) -> Weigher:
    signs = {str(name): float(weight) for name, weight in raw.get("signs", {}).items()}
    weigher = Weigher(float(raw["slope"]), float(raw["offset"]), signs, stated)
    if not signs.keys() <= {*known}:
        raise ValueError(f"signs are {', '.join(known)}")
    if not all(map(math.isfinite, (weigher.slope, weigher.offset, *signs.values()))):
        raise ValueError("a number is not finite")
    if weigher.slope <= 0:
        raise ValueError("the slope is not above 0")
    return weigher


_SETTINGS = JudgmentSettings()
_VALUE = re.compile(r"^(?:yes|no|true|false|\W*)$", re.IGNORECASE)
_PRONOUN = "pronoun"
_VALUE_METHODS = frozenset({"number", "converted number", "date"})
_IMPLIED = re.compile(
    r"\W*(?:he|she|it|they|his|her|its|their|this|that|these|there)(?!\w)", re.IGNORECASE
)
"""The beginning of a text about something that it does not name."""
_CAPITALISED = re.compile(r"[^\W\d_a-z][^\W\d_]{2,}")
_SHORT_NAME = re.compile(
    r"(?<!\w)(?:(?:[Tt]he|[Tt]his) (?P<noun>[a-z]{4,})|(?P<name>[^\W\d_a-z][^\W\d_]{2,}))(?!\w)"
)
_ADJECTIVES = frozenset({
    "ancient", "black", "blue", "brown", "central", "chief", "civil", "early", "east", "eastern",
    "federal", "first", "former", "free", "general", "golden", "grand", "great", "green", "grey",
    "high", "imperial", "inner", "international", "last", "late", "little", "long", "lower",
    "main", "national", "north", "northern", "outer", "public", "quiet", "royal", "sacred",
    "second", "short", "silver", "small", "social", "south", "southern", "third", "united",
    "upper", "west", "western", "white", "wild", "young", "yellow",
})  # fmt: skip
"""Words of names that are not nouns: "the royal family" does not mean the Royal Theatre."""
_AFTER_HEAD = re.compile(r" (?:of|in|at|on|for|de|di|da|von|van) |[,(:]")
_LONGER = re.compile(r"[^\W_]{4,}")


@dataclass(frozen=True, slots=True)
class Signs:
    """The signs of an item."""

    facts: tuple[tuple[str, ...], ...]
    """The signs of each triple."""
    mentions: tuple[Mention, ...]
    unexplained: tuple[UnexplainedSpan, ...]

    def of_word(self, start: int, end: int) -> tuple[str, ...]:
        """The signs of a word of the text."""
        for one in self.unexplained:
            if one.start < end and start < one.end:
                return ("unexplained",) if one.kind == "name" else (WRONG_VALUE,)
        named = (one for one in self.mentions if _PRONOUN not in one.method)
        mentioned = any(one.start < end and start < one.end for one in named)
        return ("mentioned",) if mentioned else ()

    def names(self, item: Item) -> tuple[tuple[int, int, str], ...]:
        """The places of names and values, in order and without overlap: (start, end, entity).

        A capitalised word that only one entity has in its name stands for it: "Anna" for Anna Lind.
        So does such a word after an article: "the choir" for the Saint Bega Choir.
        """
        found: list[tuple[int, int, str]] = []
        for one in sorted(self.mentions, key=lambda mention: (mention.start, -mention.end)):
            if _PRONOUN not in one.method and (not found or one.start >= found[-1][1]):
                found.append((one.start, one.end, one.entity))
        owners: dict[str, set[str]] = {}
        for entity in {end for one in item.triples for end in (one.subject, one.object)}:
            base = label_of(entity).base
            words = {*_CAPITALISED.findall(base)}
            for word in words | {noun.lower() for noun in words & _nouns(base)} - _ADJECTIVES:
                owners.setdefault(word, set()).add(entity)
        taken = [False] * len(item.text)
        for start, end, _ in found:
            taken[start:end] = [True] * (end - start)
        for match in _SHORT_NAME.finditer(item.text):
            word = match["name"] or match["noun"]
            named = owners.get(word, set())
            end = match.end()
            start = end - len(word)
            if len(named) == 1 and not any(taken[start:end]):
                found.append((start, end, next(iter(named))))
        return tuple(sorted(found))

    def as_text_has_it(self, item: Item) -> Item:
        """The item with the numbers and dates of its text in the text's spelling.

        The detector decides whether 1,325 is 1325.0; the model decides whose value it is.
        """
        written = {
            one.entity: item.text[one.start : one.end]
            for one in reversed(self.mentions)
            if one.method in _VALUE_METHODS and _is_value(one.entity)
        }
        if not written:
            return item
        triples = tuple(
            one._replace(object=written.get(one.object, one.object)) for one in item.triples
        )
        return item if triples == item.triples else replace(item, triples=triples)


def _nouns(name: str) -> set[str]:
    """The words of a name that may say what it names.

    The last one before a preposition, and the first of two: Diocese of Emley, Lake Sorrel.
    """
    head = _AFTER_HEAD.split(name)[0].split()
    return {*head[-1:], *(head[:1] if len(head) == 2 else ())}


def read_signs(item: Item) -> Signs:
    """The signs of an item, by the detector with its default settings."""
    judgment = judge(item, _SETTINGS)
    return Signs(
        tuple(_fact(triple, judgment) for triple in item.triples),
        judgment.mentions,
        judgment.unexplained,
    )


def _fact(triple: Triple, judgment: EntityJudgment) -> tuple[str, ...]:
    found: list[str] = []
    if triple.object in judgment.missing:
        if _is_value(triple.object):
            found.append(WRONG_VALUE)
        elif not _VALUE.match(triple.object):
            found.append("object missing")
    elif triple.object in judgment.entities:
        found.append("object named")
    if triple.subject in judgment.missing:
        found.append(_absence(judgment))
    return tuple(found)


def _absence(judgment: EntityJudgment) -> str:
    """How a subject is not named: by a pronoun, not at all, or by another name."""
    if _IMPLIED.match(judgment.item.text):
        return "subject implied"
    replaced = any(one.kind == "name" for one in judgment.unexplained)
    return "subject missing" if replaced else "subject unnamed"


def _is_value(entity: str) -> bool:
    """Whether an object is a number or a date, which the detector reads better than a model."""
    label = label_of(entity).base
    letters = sum(map(str.isalpha, label))
    return any(map(str.isdigit, label)) and (
        letters < sum(map(str.isdigit, label)) or say_date(label) != label
    )


class Sentence(NamedTuple):
    """The place of a sentence, the entities it names, and the beginnings of its longer words."""

    place: tuple[int, int]
    names: frozenset[str]
    beginnings: frozenset[str]


def read_sentences(text: str, mentions: Sequence[Mention]) -> list[Sentence]:
    """The sentences of a text, prepared for any number of facts."""
    return [
        Sentence(
            (start, end),
            frozenset(one.entity for one in mentions if start <= one.start < end),
            frozenset(word[:4] for word in _LONGER.findall(text[start:end].casefold())),
        )
        for start, end in split_sentences(text)
    ]


def sentence_of(triple: Triple, told: Sequence[Sentence]) -> tuple[int, int] | None:
    """The sentence with most of a fact: its object, its subject, words of its predicate."""
    best: tuple[int, tuple[int, int]] | None = None
    predicate = split_camel(triple.predicate, acronyms=False).replace("_", " ").casefold()
    words = {word[:4] for word in _LONGER.findall(predicate)}
    for one in told:
        weight = 3 * (triple.object in one.names) + 2 * (triple.subject in one.names)
        weight += len(words & one.beginnings)
        if weight and (best is None or weight > best[0]):
            best = weight, one.place
    if best is not None:
        return best[1]
    return told[0].place if len(told) == 1 else None
