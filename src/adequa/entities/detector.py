"""The detector: which entities of some triples a text mentions, where, and by which method.

*Adequacy* mode decides whether an entity is there with the right value; *mentions* mode finds every
span that refers to one, with an annotator's boundaries. Both begin with `find_cores`, which looks
for the most certain spans first: names, numbers and dates; misspelt names; values whose words are
in another order; weak names; and in mentions mode names that are spelt still more differently.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import attrgetter
from typing import Literal, NamedTuple

from adequa.caches import MEGABYTE, cached
from adequa.data import Item, Mention, Term, Triple
from adequa.entities.candidates import (
    Candidate,
    bag_candidates,
    choose,
    exact_candidates,
    fuzzy_candidates,
    says_so,
    stands_alone,
    value_candidates,
    weak_candidates,
)
from adequa.entities.graph import Graph, compile_graph
from adequa.entities.inflections import inflected_candidates
from adequa.entities.mentions import Judge, WeightsJudge, draw
from adequa.entities.names import WEAK
from adequa.text import Language, PreparedText, words_of

Mode = Literal["adequacy", "mentions"]
THRESHOLDS: Mapping[Mode, float] = {"adequacy": 0.25, "mentions": 0.4}
"""0.4 is the paper's (section 4.1); 0.25 excludes other people's names (docs/metrics/esa.md)."""

# Except where stated, there is no record of the data these were chosen on; kept for stable scores.
_LONG = 5
"""Words of a long value, which is looked for in any order before misspelt names."""
_MANY = 1000
"""With more spans, steps that compare all pairs are skipped; bounds the time."""
_OTHER_SPELLING = 0.001
"""Added to the distance of an entity whose label is spelt differently, if names clash."""
_SURE = 0.25
"""The distance up to which misspelt names come before weak names; adequacy's threshold."""
_FOREIGN = 0.1
"""The greatest distance in another language than English: endings are not misspellings there, and
Brunswick is not Bruntwick. Chosen by hand on the open part of bench/challenges/languages."""
_LEAST_WORDS: Mapping[Mode, float] = {"adequacy": 0.95, "mentions": 0.6}
"""The least share of a long value's words."""


@dataclass(frozen=True, slots=True)
class Search:
    """The limits of a search."""

    threshold: float
    """The greatest edit distance of a misspelt name."""
    words: float
    """The least share of a long value's words, in any order."""
    repeat_weak: bool
    """Whether to look for weak names of entities that are found already."""
    conversions: bool


def find_cores(graph: Graph, text: PreparedText, search: Search) -> list[Candidate]:
    """The spans that express entities of the graph."""
    taken = bytearray(len(text.string) + 1)
    entities, order = graph.entities, graph.order
    exact = exact_candidates(graph, text, weak=False)
    if graph.clashes:
        exact = _prefer_same_spelling(exact, graph, text)
    if text.language is not None:
        exact = [one for one in exact if entities[one.entity].kind != "boolean"]
        exact += inflected_candidates(graph, text, weak=False)
    elif graph.has_booleans:
        exact = [
            candidate
            for candidate in exact
            if entities[candidate.entity].kind != "boolean"
            or says_so(candidate, entities[candidate.entity], text)
        ]
    sure = exact
    if graph.has_values:
        sure = exact + value_candidates(graph, text, conversions=search.conversions)
    for number in graph.lists:
        bags = bag_candidates(number, graph, text, search.words)
        sure = sure + [bag for bag in bags if not _crosses(bag, sure)]
    found = choose(sure, taken, order)
    missing = _missing(found, graph)
    if not missing and not search.repeat_weak:
        return found  # most texts
    if len(found) < _MANY and not set(missing).isdisjoint(map(_entity_of, exact)):
        found += _split(found, missing, exact)
        missing = _missing(found, graph)
        shared = _share(found, missing, exact)
        found += [] if search.repeat_weak else shared
        missing = _missing(found, graph)  # `_share` changes `found` too
    if missing and text.language is not None:
        found += choose(inflected_candidates(graph, text, weak=True, only=missing), taken, order)
        missing = _missing(found, graph)
    for least in (_LONG, None, 0):  # long values in any order, misspelt names, shorter values
        if not missing:
            break
        if least is None:
            near = min(search.threshold, _SURE)
            values = _fuzzy(missing, graph, text, near, taken, search)
        else:
            values = [
                candidate
                for number in missing
                if entities[number].kind == "name" and len(entities[number].words) >= least
                for candidate in bag_candidates(number, graph, text, search.words)
            ]
        if values:
            found += choose(values, taken, order)
            missing = _missing(found, graph)
    if search.repeat_weak:
        found += choose(exact_candidates(graph, text, weak=True), taken, order)
    elif missing:
        weak = (
            candidate
            for candidate in weak_candidates(graph, text, missing)
            if candidate.tier == WEAK
            and stands_alone(candidate, entities[candidate.entity], text, taken)
        )
        found += choose(weak, taken, order)
    if not search.repeat_weak and (missing := _missing(found, graph)):
        found += _nested(found[:_MANY], missing, sure[:_MANY], graph, text)
    if search.threshold > _SURE and (missing := _missing(found, graph)):
        far = search.threshold
        found += choose(_fuzzy(missing, graph, text, far, taken, search), taken, order)
    return found


def _prefer_same_spelling(
    exact: list[Candidate], graph: Graph, text: PreparedText
) -> list[Candidate]:
    """Of entities whose names differ only in spaces or case, prefer the text's spelling."""

    def same(one: Candidate) -> bool:
        return text.string[one.start : one.end] == graph.entities[one.entity].label.base

    further = _OTHER_SPELLING
    return [one if same(one) else one._replace(distance=one.distance + further) for one in exact]


_entity_of = attrgetter("entity")


def _missing(found: Iterable[Candidate], graph: Graph) -> list[int]:
    have = {*map(_entity_of, found)}
    count = len(graph.strings)
    return [number for number in range(count) if number not in have] if len(have) < count else []


def _fuzzy(
    missing: Iterable[int],
    graph: Graph,
    text: PreparedText,
    threshold: float,
    taken: bytearray,
    search: Search,
) -> list[Candidate]:
    found: list[Candidate] = []
    strict = not search.repeat_weak
    for number in missing:
        entity = graph.entities[number]
        if entity.kind in ("name", "list"):
            found += fuzzy_candidates(number, entity, text, threshold, taken, strict=strict)
    return found


def _crosses(bag: Candidate, others: Iterable[Candidate]) -> bool:
    """Whether a run of words overlaps a complete name in part."""
    return any(
        (other.start < bag.start < other.end or other.start < bag.end < other.end)
        for other in others
        if other.entity != bag.entity and other.tier == 0
    )


def _share(
    found: list[Candidate], missing: Iterable[int], exact: Iterable[Candidate]
) -> list[Candidate]:
    """Two entities with one name (`Aurakles`, and its alternative name) share its mentions."""
    wanted = set(missing)
    shared: list[Candidate] = []
    for other in exact:
        if other.entity not in wanted or other.tier > 1:
            continue
        same = [one for one in found if (one.start, one.end) == (other.start, other.end)]
        if not same:
            continue
        owned = [place for place, one in enumerate(found) if one.entity == same[0].entity]
        if len(owned) > 1:
            # Mentioned more than once: the last mention is the other entity's.
            later = max(owned, key=lambda place: found[place].start)
            twins = [twin for twin in exact if twin.entity == other.entity and twin.tier < 2]
            twin = next((twin for twin in twins if twin.start == found[later].start), other)
            if twin is not other or found[later].start == other.start:
                found[later] = twin
                wanted.discard(other.entity)
                continue
        if not other.tier:
            shared.append(other._replace(method="shared name"))
            wanted.discard(other.entity)
    return shared


def _nested(
    found: Iterable[Candidate],
    missing: Iterable[int],
    sure: Iterable[Candidate],
    graph: Graph,
    text: PreparedText,
) -> list[Candidate]:
    """Entities that are mentioned within another mention.

    An element of a list (`celery` among the ingredients), a place after a comma (`Madison County`
    in `Adams Township, Madison County`), a year within a date; not `Grozny` in `FC Terek Grozny`.
    """
    wanted = set(missing)
    inner: dict[int, Candidate] = {}
    for part in sure:
        if part.entity not in wanted or part.entity in inner or part.method == "words":
            continue
        for whole in found:
            if part.end <= whole.start or whole.end <= part.start:
                continue
            if not (whole.start <= part.start and part.end <= whole.end):
                # It extends beyond the other: `Pop rock` and `Rock music` in `pop rock music`.
                inner[part.entity] = part
                break
            if text.language is not None and part.method == "number" and part.end - part.start < 4:
                continue  # the day of a date is not another number
            owner = graph.entities[whole.entity]
            before = text.string[whole.start : part.start].rstrip(" \"'(")
            after = text.string[part.end : whole.end].lstrip(" \"')")
            rest = set(owner.words) - set(graph.entities[part.entity].words)
            if (
                owner.kind in ("list", "date")
                or (owner.string[:1] == '"' and after.startswith(","))
                or all(map(str.isdigit, rest))
                or len(owner.words) > _LONG
                or before.endswith(",")
                or part.method == "partial date"
                or any("name" in use.predicate.lower() for use in graph.entities[part.entity].uses)
            ):
                inner[part.entity] = part
                break
    for number in wanted - inner.keys():
        entity = graph.entities[number]
        if not (entity.words and entity.words[-1].isdigit()):
            continue
        words = words_of(entity.label.base)
        if len(words) > 1 and words[-1].isdigit():
            inner.update(_coordinated(number, words, text))
    return list(inner.values())


def _coordinated(number: int, words: list[str], text: PreparedText) -> dict[int, Candidate]:
    """`Shenzhou 6` in `Shenzhou 10 and 6`."""
    *stem, figure = words
    for place in text.numbers_of.get(figure, ()):
        if text.words[place - 1 : place] not in (["and"], ["or"]):
            continue
        before = text.words[max(place - 2 - len(stem), 0) : place]
        if all(part in before for part in stem):
            span = text.starts[place], text.ends[place]
            found = Candidate(*span, entity=number, tier=1, distance=0.1, method="coordinated")
            return {number: found}
    return {}


def _split(
    found: list[Candidate], missing: Iterable[int], exact: Iterable[Candidate]
) -> list[Candidate]:
    """`Abilene, Texas` mentions Texas too, if Texas is an entity of its own."""
    wanted = set(missing)
    parts: list[Candidate] = []
    for part in exact:
        if part.entity not in wanted or part.tier:
            continue
        for place, whole in enumerate(found):
            if whole.start < part.start and part.end == whole.end and whole.method == "name":
                heads = (
                    other
                    for other in exact
                    if (other.entity, other.start) == (whole.entity, whole.start)
                    and other.end < part.start
                    and other.method in ("comma head", "name")
                )
                if (head := next(heads, None)) is not None:
                    found[place] = head._replace(reach=whole.end)
                    parts.append(part)
                    wanted.discard(part.entity)
                    break
    return parts


class Detection(NamedTuple):
    """The mentions found in one text."""

    graph: Graph
    text: PreparedText
    mentions: tuple[Mention, ...]

    @property
    def found(self) -> set[str]:
        """The entities that are mentioned."""
        return {mention.entity for mention in self.mentions}


@dataclass(frozen=True)
class Detector:
    """Finds mentions; compiles the triples once and uses them for every system's text."""

    mode: Mode = "adequacy"
    threshold: float | None = None
    conversions: bool = True
    judge: Judge | None = None
    """Draws the spans of mentions mode; by default with the shipped weights."""

    @cached_property
    def search(self) -> Search:
        """The limits by which it looks for entities."""
        return Search(
            threshold=THRESHOLDS[self.mode] if self.threshold is None else self.threshold,
            words=_LEAST_WORDS[self.mode],
            repeat_weak=self.mode == "mentions",
            conversions=self.conversions,
        )

    def detect(
        self,
        item: Item,
        aliases: Mapping[str, Sequence[str]] | None = None,
        language: Language | None = None,
    ) -> Detection:
        """The mentions of an item's entities in its text, in text order.

        `language` is that of the text, None for English.
        """
        terms: tuple[tuple[str, Term], ...] = ()
        if item.terms:
            labelled = [(name, term) for name, term in item.terms.items() if term.label]
            terms = tuple(sorted(labelled, key=lambda pair: pair[0]))
        others: tuple[tuple[str, tuple[str, ...]], ...] = ()
        if aliases:
            others = tuple((entity, tuple(names)) for entity, names in aliases.items())
        if item.terms and (labels := _labels(item, "en" if language is None else language.code)):
            others = tuple({**dict(others), **_joined(dict(others), labels)}.items())
        graph = _compiled(item.triples, terms, others)
        text = PreparedText(item.text, language)
        search = self.search
        if language is not None and self.threshold is None:
            search = replace(search, threshold=_FOREIGN)
        spans = sorted(find_cores(graph, text, search))
        if self.mode == "mentions":
            spans = draw(spans, graph, text, self.judge or WeightsJudge(), anaphors=True)
        return Detection(graph, text, _mentions(spans, graph.strings))


def _labels(item: Item, code: str) -> dict[str, str]:
    """The names of the item's terms in a language."""
    return {name: term.labels[code] for name, term in item.terms.items() if code in term.labels}


def _joined(
    aliases: Mapping[str, tuple[str, ...]], labels: Mapping[str, str]
) -> dict[str, tuple[str, ...]]:
    return {name: (*aliases.get(name, ()), label) for name, label in labels.items()}


def _mentions(spans: Iterable[Candidate], strings: Sequence[str]) -> tuple[Mention, ...]:
    return tuple(
        [
            Mention(strings[entity], start, end, method, round(distance, 6) if distance else 0.0)
            for start, end, entity, _, distance, method, _ in spans
        ]
    )


# The texts of all systems refer to the same graphs: WebNLG's tests have fewer than 2,000.
@cached(96 * MEGABYTE, size_of=Graph.estimated_bytes)
def _compiled(
    triples: tuple[Triple, ...],
    terms: tuple[tuple[str, Term], ...],
    aliases: tuple[tuple[str, tuple[str, ...]], ...],
) -> Graph:
    return compile_graph(triples, dict(terms), dict(aliases))
