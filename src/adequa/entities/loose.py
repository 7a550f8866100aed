"""Names that are misspelt, and long values whose words stand in another order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from adequa.entities.graph import Entity, Graph
from adequa.entities.matching import Candidate
from adequa.entities.name import Name
from adequa.entities.text import PreparedText
from adequa.entities.vocabulary import SMALL_WORDS

__all__ = ["bag_candidates", "fuzzy_candidates"]

_BREAK = re.compile(r"[();:!?\"“”]|^\..")  # no name goes on over these
_TYPING = 0.15
_SHORT_NAME, _SHORT_DISTANCE = 9, 0.2
_LIKE = 0.34
_LEAST_LIKENESS = 0.1
_GAP = 8
_MOST_WORDS = 60
_WORDS_COST = 0.25


def fuzzy_candidates(
    number: int,
    entity: Entity,
    text: PreparedText,
    threshold: float,
    taken: bytearray,
    *,
    strict: bool = False,
) -> list[Candidate]:
    """Runs of words within an edit distance of a name, away from what is already taken.

    `strict` wants each word of the name misspelt at most, and none replaced by another.
    """
    parts = [word for word in entity.words if word not in SMALL_WORDS]
    found: list[Candidate] = []
    for name in entity.spellings:
        length = len(name.key)
        longest = length / max(1 - threshold, _LEAST_LIKENESS)
        windows = _windows(text, length * (1 - threshold), longest, taken, name.key[:2])
        if not windows:
            continue
        strings = [text.key[window[0] : window[1]] for window in windows]
        for _, distance, at in process.extract_iter(
            name.key, strings, scorer=Levenshtein.normalized_distance, score_cutoff=threshold
        ):
            _, _, first, last = windows[at]
            words = text.words[first : last + 1]
            if strict and not distance and text.string[text.starts[first]].isupper():
                continue  # it stands there as it is, and was refused: York of New York
            if not _plausible(name, distance, words) or (strict and not _each(parts, words)):
                continue
            found.append(
                Candidate(text.starts[first], text.ends[last], number, name.tier, distance, "fuzzy")
            )
    return found


def _windows(
    text: PreparedText, least: float, most: float, taken: bytearray, letters: str
) -> list[tuple[int, int, int, int]]:
    """Runs of words as long as a name may be: place in the key, and first and last word.

    They begin with a letter of `letters`: a name is seldom misspelt at its beginning, and most of
    the time went into runs that begin with any other.
    """
    windows: list[tuple[int, int, int, int]] = []
    count = len(text.words)
    string, starts, ends, places = text.string, text.starts, text.ends, text.places
    words = text.words
    for first in range(count):
        if words[first][0] not in letters or taken[starts[first]]:
            continue
        begin = places[first]
        for last in range(first, count):
            if taken[starts[last]]:
                break
            if last > first:
                gap = string[ends[last - 1] : starts[last]]
                if gap != " " and _BREAK.search(gap):
                    break
            end = places[last] + len(words[last])
            if end - begin > most:
                break
            if end - begin >= least:
                windows.append((begin, end, first, last))
    return windows


def _each(parts: Sequence[str], words: Sequence[str]) -> bool:
    """Whether every word of a name has its like among some words; figures must be the same."""
    joined = "".join(words)
    return bool(parts) and all(
        part in words
        if part.isdigit()
        else any(
            Levenshtein.normalized_distance(part, word, score_cutoff=_LIKE) <= _LIKE
            for word in (*words, joined)
        )
        for part in parts
    )


def _plausible(name: Name, distance: float, words: Sequence[str]) -> bool:
    """Whether a run of words can be a misspelt name: it neither begins nor ends beside it."""
    first, last = words[0], words[-1]
    if first in SMALL_WORDS and not name.key.startswith(first):
        return False
    if last in SMALL_WORDS and not name.key.endswith(last):
        return False
    if len(name.key) < _SHORT_NAME and distance > _SHORT_DISTANCE:
        return False  # Kent is not Kant
    return distance <= _TYPING or first[0] == name.key[0]


def bag_candidates(entity: int, graph: Graph, text: PreparedText, least: float) -> list[Candidate]:
    """The run of words that has most of a long value's words, in whatever order."""
    bag = graph.remember("bags", _bags)[entity]
    places = [number for number, word in enumerate(text.words) if word in bag.stands_for]
    stands_for = bag.stands_for
    if bag.size < 2 or least * bag.letters > _letters(
        {part for place in places for part in stands_for[text.words[place]]}
    ):
        return []
    best = (1.0, 0.0, 0, 0)
    for start, first in enumerate(places):
        seen: set[str] = set()
        for step in range(start, min(len(places), start + _MOST_WORDS)):
            last = places[step]
            if last - places[max(step - 1, start)] > _GAP:
                break
            seen.update(stands_for[text.words[last]])
            share = min(1.0, _letters(seen) / bag.letters)
            if share < least:
                continue
            inside = text.words[first : last + 1]
            foreign = sum(
                len(word) > 1 and word not in SMALL_WORDS and word not in stands_for
                for word in inside
            )
            if bag.close and (foreign or len(inside) > bag.size + 2):
                continue  # two words far apart are no name
            cost = 0.4 * (1 - share) + 0.3 * foreign / len(inside) + 0.002 * len(inside)
            if cost < best[0]:
                best = (cost, share, first, last)
    cost, share, first, last = best
    if share < least or cost > _WORDS_COST:
        return []
    while first and text.words[first - 1] in stands_for:
        first -= 1
    while last + 1 < len(text.words) and text.words[last + 1] in stands_for:
        last += 1
    return [Candidate(text.starts[first], text.ends[last], entity, 0, cost, "words")]


class _Bag(NamedTuple):
    """The words of a value: how many, their letters, and which of them a text's word stands for."""

    size: int
    letters: int
    stands_for: dict[str, tuple[str, ...]]
    close: bool
    """A name of two words, which must not stand far apart."""


def _bags(graph: Graph) -> list[_Bag]:
    return [_bag(entity) for entity in graph.entities]


def _bag(entity: Entity) -> _Bag:
    wanted = {word for word in entity.words if word not in SMALL_WORDS}
    stands_for: dict[str, tuple[str, ...]] = {}
    for word in sorted(wanted):
        for ending in ("s", "es"):
            stands_for[word + ending] = (word,)
            if word.endswith(ending):
                stands_for[word.removesuffix(ending)] = (word,)
    stands_for.update(entity.short_forms)
    stands_for.update((word, (word,)) for word in wanted)
    close = len(wanted) == 2 and entity.kind != "list"
    return _Bag(len(wanted), _letters(wanted), stands_for, close)


def _letters(words: Iterable[str]) -> int:
    return sum(map(len, words))
