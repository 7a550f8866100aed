"""The engine both modes share: which spans of a text say an entity of the graph.

Surest first: names, numbers and dates; then misspelt names; then values whose words stand in
another order; then weak names; then, in mentions mode, what is spelt still further off.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from adequa.entities.graph import Graph
from adequa.entities.matching import (
    Candidate,
    bag_candidates,
    choose,
    exact_candidates,
    fuzzy_candidates,
    value_candidates,
)
from adequa.entities.text import PreparedText

__all__ = ["Search", "find_cores"]

_FUZZY_NAMES = 3
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
    entities = graph.entities
    exact = exact_candidates(graph, text)
    sure = [candidate for candidate in exact if candidate.tier < 2]
    if graph.has_values:
        sure += value_candidates(graph, text, conversions=search.conversions)
    for number in graph.lists:
        sure += bag_candidates(number, graph, text, search.words)
    found = choose(sure, taken)
    missing = _missing(found, graph)
    if missing:
        found += _split(found, missing, exact, taken)
        missing = _missing(found, graph)
    if missing:
        near = min(search.threshold, _SURE)
        found += choose(_fuzzy(missing, graph, text, near, taken), taken)
        missing = _missing(found, graph)
    if missing:
        bags = (
            candidate
            for number in missing
            if entities[number].kind == "name"
            for candidate in bag_candidates(number, graph, text, search.words)
        )
        found += choose(bags, taken)
    have = {candidate.entity for candidate in found}
    weak = (
        candidate
        for candidate in exact
        if candidate.tier == 2 and (search.repeat_weak or candidate.entity not in have)
    )
    found += choose(weak, taken)
    if search.threshold > _SURE:
        missing = _missing(found, graph)
        if missing:
            found += choose(_fuzzy(missing, graph, text, search.threshold, taken), taken)
    return found


def _missing(found: Iterable[Candidate], graph: Graph) -> list[int]:
    have = {candidate.entity for candidate in found}
    return [number for number in range(len(graph.entities)) if number not in have]


def _fuzzy(
    missing: Iterable[int], graph: Graph, text: PreparedText, threshold: float, taken: bytearray
) -> list[Candidate]:
    found: list[Candidate] = []
    for number in missing:
        entity = graph.entities[number]
        if entity.kind in ("name", "list"):
            found += fuzzy_candidates(number, entity.spellings, text, threshold, taken)
    return found


def _split(
    found: list[Candidate], missing: Iterable[int], exact: Iterable[Candidate], taken: bytearray
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
                    found[place] = head
                    parts.append(part)
                    wanted.discard(part.entity)
                    break
    return parts
