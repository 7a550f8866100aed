"""The detector: which entities of some triples a text mentions, where, and how.

*Adequacy* asks whether an entity is there with the right value; *mentions* looks for every span
that refers to one, drawn as an annotator would. Both stand on `cores`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, NamedTuple

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
)
from adequa.entities.graph import Graph, compile_graph
from adequa.entities.mentions import Judge, WeightsJudge, draw
from adequa.entities.names import WEAK
from adequa.text import PreparedText, words_of

# ---
# The engine both modes share: which spans of a text say an entity of the graph.
#
# Surest first: names, numbers and dates; then misspelt names; then values whose words stand in
# another order; then weak names; then, in mentions mode, what is spelt still further off.
# ---

_LONG = 5
_MANY = 1000
"""Beyond so many spans, what compares them all with each other is left out."""
_MISSPELT = 0.001
_SURE = 0.25


@dataclass(frozen=True, slots=True)
class Search:
    """How far to go."""

    threshold: float
    """The greatest edit distance of a misspelt name."""
    words: float
    """The least share of a long value's words, in any order."""
    repeat_weak: bool
    """Look for weak names also of entities found already."""
    conversions: bool


def find_cores(graph: Graph, text: PreparedText, search: Search) -> list[Candidate]:
    """The spans, not overlapping."""
    taken = bytearray(len(text.string) + 1)
    entities, order = graph.entities, graph.order
    exact = exact_candidates(graph, text, weak=False)
    if graph.clashes:
        exact = _spelt(exact, graph, text)
    if graph.has_booleans:
        exact = [
            candidate
            for candidate in exact
            if entities[candidate.entity].kind != "boolean"
            or says_so(candidate, entities[candidate.entity], text)
        ]
    sure = list(exact)
    if graph.has_values:
        sure += value_candidates(graph, text, conversions=search.conversions)
    for number in graph.lists:
        bags = bag_candidates(number, graph, text, search.words)
        sure += [bag for bag in bags if not _crosses(bag, sure)]
    found = choose(sure, taken, order)
    missing = _missing(found, graph)
    if missing and len(found) < _MANY:
        found += _split(found, missing, exact)
        missing = _missing(found, graph)
        shared = _share(found, missing, exact)
        found += [] if search.repeat_weak else shared
        missing = _missing(found, graph)
    for least in (_LONG, None, 0):  # long values in any order, what is misspelt, shorter values
        if not missing:
            break
        if least is None:
            near = min(search.threshold, _SURE)
            found += choose(_fuzzy(missing, graph, text, near, taken, search), taken, order)
        else:
            values = (
                candidate
                for number in missing
                if entities[number].kind == "name" and len(entities[number].words) >= least
                for candidate in bag_candidates(number, graph, text, search.words)
            )
            found += choose(values, taken, order)
        missing = _missing(found, graph)
    if search.repeat_weak:
        found += choose(exact_candidates(graph, text, weak=True), taken, order)
    elif missing:
        weak = (
            candidate
            for candidate in exact_candidates(graph, text, weak=True, only=missing)
            if candidate.tier == WEAK
            and stands_alone(candidate, entities[candidate.entity], text, taken)
        )
        found += choose(weak, taken, order)
    if not search.repeat_weak:
        missing = _missing(found, graph)
        if missing:
            found += _nested(found[:_MANY], missing, sure[:_MANY], graph, text)
    if search.threshold > _SURE:
        missing = _missing(found, graph)
        if missing:
            far = search.threshold
            found += choose(_fuzzy(missing, graph, text, far, taken, search), taken, order)
    return found


def _spelt(exact: list[Candidate], graph: Graph, text: PreparedText) -> list[Candidate]:
    """Of entities whose names differ in nothing but spaces or case, the one spelt as it stands."""
    return [
        candidate
        if text.string[candidate.start : candidate.end]
        == graph.entities[candidate.entity].label.base
        else candidate._replace(distance=candidate.distance + _MISSPELT)
        for candidate in exact
    ]


def _missing(found: Iterable[Candidate], graph: Graph) -> list[int]:
    have = {candidate.entity for candidate in found}
    return [number for number in range(len(graph.entities)) if number not in have]


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
    """Whether a loose run of words cuts through a name that stands there whole."""
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
        same = [
            place
            for place, candidate in enumerate(found)
            if candidate.start == other.start and candidate.end == other.end
        ]
        if not same:
            continue
        owner = found[same[0]].entity
        if sum(candidate.entity == owner for candidate in found) > 1:
            # Said more than once: the later one is the other entity's.
            later = max(
                (place for place, candidate in enumerate(found) if candidate.entity == owner),
                key=lambda place: found[place].start,
            )
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
    """What stands within another mention and is said by it all the same.

    A thing of a list (`celery` among the ingredients), a place after a comma (`Madison County` in
    `Adams Township, Madison County`), a year within a date. `Grozny` in `FC Terek Grozny` is not.
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
                # It goes beyond the other: `Pop rock` and `Rock music` in `pop rock music`.
                inner[part.entity] = part
                break
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
        words = words_of(graph.entities[number].label.base)
        if len(words) > 1 and words[-1].isdigit():
            inner.update(_coordinated(number, words, text))
    return list(inner.values())


def _coordinated(number: int, words: list[str], text: PreparedText) -> dict[int, Candidate]:
    """`Shenzhou 6` in `Shenzhou 10 and 6`."""
    *stem, figure = words
    for place, word in enumerate(text.words):
        if word != figure or text.words[place - 1 : place] not in (["and"], ["or"]):
            continue
        before = text.words[max(place - 2 - len(stem), 0) : place]
        if all(part in before for part in stem):
            span = text.starts[place], text.ends[place]
            return {number: Candidate(*span, number, 1, 0.1, "coordinated")}
    return {}


def _split(
    found: list[Candidate], missing: Iterable[int], exact: Iterable[Candidate]
) -> list[Candidate]:
    """`Abilene, Texas` says Texas too, where the data has Texas for itself."""
    wanted = set(missing)
    parts: list[Candidate] = []
    for part in exact:
        if part.entity not in wanted or part.tier:
            continue
        for place, whole in enumerate(found):
            if whole.start < part.start and part.end == whole.end and whole.method == "name":
                head = next(
                    (
                        other
                        for other in exact
                        if other.entity == whole.entity
                        and other.start == whole.start
                        and other.end < part.start
                        and other.method in ("comma head", "name")
                    ),
                    None,
                )
                if head is not None:
                    found[place] = head._replace(reach=whole.end)
                    parts.append(part)
                    wanted.discard(part.entity)
                    break
    return parts


Mode = Literal["adequacy", "mentions"]
THRESHOLDS: Mapping[Mode, float] = {"adequacy": 0.25, "mentions": 0.4}
_COMPILED = 2048


class Detection(NamedTuple):
    """What was found in one text."""

    graph: Graph
    text: PreparedText
    mentions: tuple[Mention, ...]

    @property
    def found(self) -> set[str]:
        """The entities with a mention."""
        return {mention.entity for mention in self.mentions}


@dataclass(frozen=True)
class Detector:
    """Finds mentions; compiles the triples once and uses them for every system's text."""

    mode: Mode = "adequacy"
    threshold: float | None = None
    conversions: bool = True
    judge: Judge = field(default_factory=WeightsJudge)

    def detect(
        self,
        item: Item,
        aliases: Mapping[str, Sequence[str]] | None = None,
    ) -> Detection:
        """The mentions of an item's entities in its text, in text order."""
        terms: tuple[tuple[str, Term], ...] = ()
        if item.terms:
            labelled = [(name, term) for name, term in item.terms.items() if term.label]
            terms = tuple(sorted(labelled, key=lambda pair: pair[0]))
        others = (
            tuple((entity, tuple(names)) for entity, names in aliases.items()) if aliases else ()
        )
        graph = _compiled(item.triples, terms, others)
        text = PreparedText(item.text)
        threshold = THRESHOLDS[self.mode] if self.threshold is None else self.threshold
        if self.mode == "adequacy":
            search = Search(threshold, 0.95, repeat_weak=False, conversions=self.conversions)
            spans = find_cores(graph, text, search)
            spans.sort()
        else:
            search = Search(threshold, 0.6, repeat_weak=True, conversions=self.conversions)
            spans = draw(find_cores(graph, text, search), graph, text, self.judge, anaphors=True)
        return Detection(graph, text, tuple([_mention(span, graph) for span in spans]))


def _mention(span: Candidate, graph: Graph) -> Mention:
    return Mention(
        graph.entities[span.entity].string,
        span.start,
        span.end,
        span.method,
        round(span.distance, 6) if span.distance else 0.0,
    )


@lru_cache(maxsize=_COMPILED)
def _compiled(
    triples: tuple[Triple, ...],
    terms: tuple[tuple[str, Term], ...],
    aliases: tuple[tuple[str, tuple[str, ...]], ...],
) -> Graph:
    return compile_graph(triples, dict(terms), dict(aliases))
