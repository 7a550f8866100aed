"""Signs: the entity detector's evidence on the facts and words of an item, and its weights.

Log-odds are a line over the verifier's logit, plus the weights of the signs: an object that the
text does not name makes it less likely that its fact is stated, a word that is part of a known name
more likely that it is supported. The weights are in the `nli` part of `calibration.json`, fitted by
`adequa train weigh` on the data named there (`fitted_on`); without that part only logits count.
"""

from __future__ import annotations

import math
import re
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, NamedTuple

from adequa.data import Item, Mention, Triple
from adequa.entities import EntityJudgment, JudgmentSettings, UnexplainedSpan, judge
from adequa.entities.lexicon import demonyms
from adequa.errors import ModelError
from adequa.metrics.sources import read_calibration
from adequa.models import NamedText
from adequa.text import label_of, split_camel, split_sentences
from adequa.text.values import is_value

FACT_SIGNS = (
    *("object missing", "object named"),
    *("subject missing", "subject unnamed", "subject implied"),
)
"""Signs for or against a fact being stated."""
UNNAMED_SUBJECT = frozenset({"subject unnamed", "subject implied"})
"""The text may be about the subject all the same: no other name stands in its place."""
WORD_SIGNS = ("mentioned", "unexplained")
"""Signs for or against a word being supported."""
WRONG_VALUE = "wrong value"
"""A number or date that the data has and the text does not, or the reverse, or a yes that the text
denies. The detector compares values, which a model that reads words often confuses, so its answer
decides."""
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
_LANGUAGE = "language"
_VALUE_METHODS = frozenset({"number", "converted number", "date", "time", "range"})
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


class SpanIndex:
    """Spans of a text, to ask which of them a part of it overlaps without looking at all."""

    def __init__(self, length: int, spans: Sequence[tuple[int, int]]) -> None:
        self._first = array("i", [0]) * (length + 1)
        """For each character, the number of the first span that has it, from 1; 0 for none."""
        for number in range(len(spans), 0, -1):
            self.mark(*spans[number - 1], number)

    def mark(self, start: int, end: int, number: int) -> None:
        """Give the characters of a span its number."""
        self._first[start:end] = array("i", [number]) * (end - start)

    def first(self, start: int, end: int) -> int | None:
        """The place in the list of the first span that overlaps the characters, or None."""
        number = min(filter(None, self._first[start:end]), default=None)
        return None if number is None else number - 1

    def overlaps(self, start: int, end: int) -> bool:
        """Whether a span has one of the characters."""
        return any(self._first[start:end])


@dataclass(frozen=True, slots=True)
class Signs:
    """The signs of an item."""

    facts: tuple[tuple[str, ...], ...]
    """The signs of each triple."""
    mentions: tuple[Mention, ...]
    unexplained: tuple[UnexplainedSpan, ...]

    def of_words(self, places: Sequence[tuple[int, int]]) -> list[tuple[str, ...]]:
        """The signs of words of the text."""
        length = max((end for _, end in places), default=0)
        kinds = [
            ("unexplained",) if one.kind == "name" else (WRONG_VALUE,) for one in self.unexplained
        ]
        unexplained = SpanIndex(length, _places(self.unexplained, length))
        named = SpanIndex(length, _places(self._named(), length))
        found: list[tuple[str, ...]] = []
        for start, end in places:
            odd = unexplained.first(start, end)
            if odd is not None:
                found.append(kinds[odd])
            else:
                found.append(("mentioned",) if named.overlaps(start, end) else ())
        return found

    def _named(self) -> list[Mention]:
        """The mentions that are not pronouns."""
        return [one for one in self.mentions if _PRONOUN not in one.method]

    def names(self, item: Item) -> tuple[tuple[int, int, str], ...]:
        """The places of names and values, in order: (start, end, entity).

        They do not overlap, but one place may name several entities: 9 May 1989 the day and the
        year, "Polish" the language and the country. In "Eastern Province, Sri Lanka" the country
        is named too, if the data has it. A capitalised word that only one entity has in its name
        stands for it: "Anna" for Anna Lind. So does such a word after an article: "the choir" for
        the Saint Bega Choir.
        """
        found: list[tuple[int, int, str]] = []
        entities = dict.fromkeys(end for one in item.triples for end in (one.subject, one.object))
        by_base = {label_of(entity).base: entity for entity in entities}
        for one in sorted(self.mentions, key=lambda mention: (mention.start, -mention.end)):
            if _PRONOUN in one.method:
                continue
            if found and one.start < found[-1][1]:
                if (one.start, one.end) == found[-1][:2]:
                    found.append((one.start, one.end, one.entity))
                continue
            head, comma, tail = item.text[one.start : one.end].rpartition(", ")
            whole = by_base.get(tail, one.entity)
            if comma and whole != one.entity:
                place = one.start + len(head)
                found += [(one.start, place, one.entity), (place + 2, one.end, whole)]
                continue
            found.append((one.start, one.end, one.entity))
            if one.method == _LANGUAGE:
                word = item.text[one.start : one.end]
                places = (base for base in by_base if word in demonyms(base))
                found += [(one.start, one.end, by_base[base]) for base in places]
        owners: dict[str, set[str]] = {}
        for entity in entities:
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
        return tuple(sorted(found, key=lambda name: name[:2]))

    def as_text_has_it(self, item: Item) -> Item:
        """The item with the numbers and dates of its text in the text's spelling.

        The detector decides whether 1,325 is 1325.0; the model decides whose value it is.
        """
        written = {
            one.entity: item.text[one.start : one.end]
            for one in reversed(self.mentions)
            if one.method in _VALUE_METHODS and is_value(one.entity)
        }
        if not written:
            return item
        triples = tuple(
            one._replace(object=written.get(one.object, one.object)) for one in item.triples
        )
        return item if triples == item.triples else replace(item, triples=triples)


_IN_WORDS = frozenset({_PRONOUN, "truth value", "predicate"})
"""How the detector finds what a text says in words of its own, which the record reader reads."""


def hidden_names(item: Item, mentions: Iterable[Mention]) -> NamedText:
    """A text about a record with the names and values that the record reader need not read."""
    shown = tuple(one for one in mentions if one.method not in _IN_WORDS)
    return NamedText(item.text, item.triples, item.terms, Signs((), shown, ()).names(item))


def _nouns(name: str) -> set[str]:
    """The words of a name that may say what it names.

    The last one before a preposition, and the first of two: Diocese of Emley, Lake Sorrel.
    """
    head = _AFTER_HEAD.split(name)[0].split()
    return {*head[-1:], *(head[:1] if len(head) == 2 else ())}


def _places(spans: Iterable[Mention | UnexplainedSpan], length: int) -> list[tuple[int, int]]:
    """The places of spans within a text of some length."""
    places = (
        one.place if isinstance(one, UnexplainedSpan) else (one.start, one.end) for one in spans
    )
    return [(min(start, length), min(end, length)) for start, end in places]


def read_signs(item: Item) -> Signs:
    """The signs of an item, by the detector with its default settings."""
    judgment = judge(item, _SETTINGS)
    missing, known = frozenset(judgment.missing), frozenset(judgment.entities)
    absence = _absence(judgment)
    denied = {one.triple for one in judgment.unexplained if one.kind == "truth"}
    return Signs(
        tuple(
            (WRONG_VALUE,) if triple in denied else _fact(triple, missing, known, absence)
            for triple in item.triples
        ),
        judgment.mentions,
        judgment.unexplained,
    )


def _fact(
    triple: Triple, missing: frozenset[str], known: frozenset[str], absence: str
) -> tuple[str, ...]:
    found: list[str] = []
    if triple.object in missing:
        if is_value(triple.object):
            found.append(WRONG_VALUE)
        elif not _VALUE.match(triple.object):
            found.append("object missing")
    elif triple.object in known:
        found.append("object named")
    if triple.subject in missing:
        found.append(absence)
    return tuple(found)


def _absence(judgment: EntityJudgment) -> str:
    """How a subject is not named: by a pronoun, not at all, or by another name."""
    if _IMPLIED.match(judgment.text):
        return "subject implied"
    replaced = any(one.kind == "name" for one in judgment.unexplained)
    return "subject missing" if replaced else "subject unnamed"


class Sentence(NamedTuple):
    """The place of a sentence, the entities it names, and the beginnings of its longer words."""

    place: tuple[int, int]
    names: frozenset[str]
    beginnings: frozenset[str]


class Sentences(tuple[Sentence, ...]):
    """The sentences of a text, and the numbers of those that have a name or a beginning."""

    names: Mapping[str, Sequence[int]]
    beginnings: Mapping[str, Sequence[int]]

    def __new__(cls, sentences: Iterable[Sentence] = ()) -> Sentences:
        """Index the sentences."""
        made = super().__new__(cls, sentences)
        names: dict[str, list[int]] = {}
        beginnings: dict[str, list[int]] = {}
        for number, one in enumerate(made):
            for found, words in ((names, one.names), (beginnings, one.beginnings)):
                for word in words:
                    found.setdefault(word, []).append(number)
        made.names, made.beginnings = names, beginnings
        return made


def read_sentences(text: str, mentions: Sequence[Mention]) -> Sentences:
    """The sentences of a text, prepared for any number of facts."""
    ordered = sorted(mentions, key=lambda one: one.start)
    starts = [one.start for one in ordered]
    return Sentences(
        Sentence(
            (start, end),
            frozenset(
                one.entity for one in ordered[bisect_left(starts, start) : bisect_left(starts, end)]
            ),
            frozenset(word[:4] for word in _LONGER.findall(text[start:end].casefold())),
        )
        for start, end in split_sentences(text)
    )


def sentence_of(triple: Triple, sentences: Sequence[Sentence]) -> tuple[int, int] | None:
    """The sentence with most of a fact: its object, its subject, words of its predicate."""
    told = sentences if isinstance(sentences, Sentences) else Sentences(sentences)
    predicate = split_camel(triple.predicate, acronyms=False).replace("_", " ").casefold()
    weights: Counter[int] = Counter()
    for word in {word[:4] for word in _LONGER.findall(predicate)}:
        weights.update(told.beginnings.get(word, ()))
    for entity, weight in ((triple.object, 3), (triple.subject, 2)):
        for number in told.names.get(entity, ()):
            weights[number] += weight
    if weights:
        return told[max(weights, key=lambda number: (weights[number], -number))].place
    return told[0].place if len(told) == 1 else None
