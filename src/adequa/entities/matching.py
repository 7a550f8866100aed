"""Where the names of a graph stand in a text as they are: candidates, then a choice."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from adequa.entities.graph import Entity, Graph
from adequa.entities.name import Name
from adequa.entities.text import PreparedText
from adequa.entities.vocabulary import SMALL_WORDS, TITLES, common_words

__all__ = ["Candidate", "choose", "exact_candidates", "says_so", "stands_alone"]

_LEAST_PLURAL = 3
_ENDINGS = ("es", "ly")
_COMPOUND = {"new", "north", "south", "east", "west", "fort", "san", "saint", "lake", "port"}
_PLURAL = 0.02
_WEIGHT = (1.0, 0.95, 0.4, 0.3)
_ABBREVIATION = 4
_NEGATIONS = {"not", "no", "non", "never", "isn", "aren", "doesn", "don", "t", "without", "un"}


class Candidate(NamedTuple):
    """A span that may mention an entity."""

    start: int
    end: int
    entity: int
    tier: int
    distance: float
    method: str
    reach: int = 0
    """Where the span may end as well: after the unit of a number, or after `, Texas`."""


def exact_candidates(
    graph: Graph, text: PreparedText, *, weak: bool, only: Iterable[int] | None = None
) -> list[Candidate]:
    """Every place where a sure name of an entity stands as whole words, or every weak one."""
    found: list[Candidate] = []
    key = text.key
    entities = graph.entities
    for number in range(len(entities)) if only is None else only:
        entity = entities[number]
        for name in entity.weak_names if weak else entity.sure_names:
            if name.key in key:
                _add_occurrences(name, number, text, found)
    return found


def _add_occurrences(name: Name, entity: int, text: PreparedText, found: list[Candidate]) -> None:
    key, length = text.key, len(name.key)
    starts_at, ends_at = text.starts_at, text.ends_at
    at = key.find(name.key)
    while at >= 0:
        first = starts_at.get(at)
        if first is not None:
            end = at + length
            last = ends_at.get(end)
            distance = 0.0
            if last is None and length > _LEAST_PLURAL:
                # A plural, or an adverb: the word goes on by an s, by es or ly.
                last = ends_at.get(end + 1)
                if last is None or key[end] != "s":
                    last = ends_at.get(end + 2) if key[end : end + 2] in _ENDINGS else None
                distance = _PLURAL
            if last is not None and (first == last or _holds(name, first, last, text)):
                start, stop = text.starts[first], text.ends[last]
                string = text.string
                if first == last and _within(name, first, text):
                    at = key.find(name.key, at + 1)
                    continue
                if string[stop : stop + 1] == ")" and "(" in string[start:stop]:
                    stop += 1
                if (
                    not name.cased
                    or text.lower_cased
                    or string[start].isupper()
                    or string[start].isdigit()
                    or string[start + 1 : start + 2] == "."
                ):
                    found.append(Candidate(start, stop, entity, name.tier, distance, name.method))
        at = key.find(name.key, at + 1)


def _within(name: Name, word: int, text: PreparedText) -> bool:
    """Whether one word is a part of another name: `York` of New York, `It` of no acronym."""
    string, start = text.string, text.starts[word]
    if name.method == "acronym" and name.one_word:
        return not text.lower_cased and not string[start : text.ends[word]].isupper()
    return (
        word > 0
        and text.words[word - 1] in _COMPOUND
        and string[start - 1] in " -"
        and string[start].isupper()
        and string[text.starts[word - 1]].isupper()
    )


def _holds(name: Name, first: int, last: int, text: PreparedText) -> bool:
    """Whether words that spell a name together can be that name: no sentence ends among them."""
    for word in range(first, last):
        gap = text.between(word, word + 1)
        if name.one_word and (gap.isspace() or "," in gap):
            return False
        if name.one_word and name.method == "acronym" and gap not in (".", "", ". ", "&"):
            return False
        # After a long word a full stop with a space ends a sentence; St. Louis goes on.
        if len(gap) > 1 and gap[0] in ".!?" and len(text.words[word]) > _ABBREVIATION:
            return False
    return True


def says_so(candidate: Candidate, entity: Entity, text: PreparedText) -> bool:
    """Whether a truth value is said as it is: `not family friendly` says no."""
    first = bisect_left(text.starts, candidate.start)
    negated = not _NEGATIONS.isdisjoint(text.words[max(first - 4, 0) : first])
    return negated == (entity.label.string.casefold() in ("no", "false"))


def stands_alone(
    candidate: Candidate, entity: Entity, text: PreparedText, taken: bytearray
) -> bool:
    """Whether a weak name is not a part of another name: `Alan` of Alan Bean is no Alan Shepard."""
    if candidate.method in ("head", "abbreviation"):
        return True  # a title or a synonym, which may well stand before a name
    if not text.lower_cased and text.string[candidate.start].islower():
        return True
    first = bisect_left(text.starts, candidate.start)
    last = bisect_left(text.ends, candidate.end)
    for word, near in ((first - 1, first), (last + 1, last)):
        if not 0 <= word < len(text.words) or text.words[word] in entity.words:
            continue
        if taken[text.starts[word]]:
            continue  # American Bean: the word beside it is spoken for
        gap = text.between(min(word, near), max(word, near))
        if candidate.method == "given name" and word > near and gap == " ":
            # Grigory negovmin: a surname that is none of the entity's, capital or not.
            following = text.words[word]
            if (
                following.isalpha()
                and following not in SMALL_WORDS
                and following not in common_words()
            ):
                return False
        initial = candidate.method != "acronym" and len(text.words[min(word, near)]) < 3
        joined = gap == " " or (gap == ". " and initial)
        if gap in (".", "-") or (joined and _names_something(text, word)):
            return False
    return True


def _names_something(text: PreparedText, word: int) -> bool:
    """Whether a word beside a name looks like a part of one: a figure, a capital mid-sentence."""
    string = text.words[word]
    if string in SMALL_WORDS or string in TITLES:
        return False
    if text.lower_cased:
        return string.isdigit() or string not in common_words()
    if word == 0 or text.sentences[word - 1] != text.sentences[word]:
        return string not in common_words() and text.string[text.starts[word]].isupper()
    return string.isdigit() or text.string[text.starts[word]].isupper()


def choose(
    candidates: Iterable[Candidate], taken: bytearray, order: Sequence[int] | None = None
) -> list[Candidate]:
    """Candidates that do not overlap, the best first; marks what they take.

    `order` ranks the entities for equal candidates, so that the order of triples decides nothing.
    """
    chosen: list[Candidate] = []

    def rank(candidate: Candidate) -> tuple[float, int, int, int]:
        length = candidate.end - candidate.start
        value = length * (1 - 2 * candidate.distance) * _WEIGHT[candidate.tier]
        if candidate.method in ("demonym", "singular"):
            value *= 0.9  # Spanish is the language before it is Spain, or one of the Spanish
        entity = candidate.entity if order is None else order[candidate.entity]
        return -value, candidate.tier, candidate.start, entity

    for candidate in sorted(candidates, key=rank):
        if taken.find(1, candidate.start, candidate.end) < 0:
            taken[candidate.start : candidate.end] = b"\1" * (candidate.end - candidate.start)
            chosen.append(candidate)
    return chosen
