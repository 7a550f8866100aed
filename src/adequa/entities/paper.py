"""The detector of the paper that defined ESA, to reproduce its figures: `esa:detector=paper`.

Algorithm 1 (appendix A.2) with the additions of section 4.1: synonyms made by rule, dates, and
pronouns for the root of the graph; and where the caller has them, a dictionary of synonyms, the
mentions of an entity linker, and coreference for the pronouns. The distances printed in appendix
A.3 settle what the paper leaves open: both sides are lower-cased and lose their punctuation, but
the underscores of an entity stay and count ("Cyril Bruce." is 1/11 from `Cyril_Bruce`, "16,800" is
0 from `16800`, "185" is 1/4 from `185.0 (centimetres)`), and a distance is divided by the longer
length. A linked mention has the distance 0 and is preferred to an equal one of another method. The
authors' own dictionary was not published: without a linker or a dictionary "German" is not a
mention of `German_Empire`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from adequa.caches import MEGABYTE, cached
from adequa.data import Mention, Triple
from adequa.errors import SettingError
from adequa.text import Span
from adequa.text.values import Date, DateMatch, compare_dates, date_of, find_dates

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

MAX_WORDS = 40
"""The length of the longest n-gram: the longest entity of WebNLG has 26 words."""
MAX_CHARACTERS = 1000
"""A longer entity string is not looked for: edit distance is quadratic in the length."""

_STARTS_AT_ONCE = 2048  # n-grams are compared in chunks, so that a long text needs no large matrix
_CHARACTERS_KEPT = 4096  # larger graphs are prepared anew for each text
_PUNCTUATION = re.compile(r"[^\w\s]")
_WORD = re.compile(r"\S+")
_ENTITY_WORD = re.compile(r"[^\s_]+")
_BRACKETS = re.compile(r"\([^()]*\)")
_HEAD = re.compile(r"([^,]+),[\s_]")
_PRONOUN = re.compile(
    r"\b(?:he|him|his|himself|she|hers?|herself|it|its|itself"
    r"|they|them|their|theirs|themselves)\b",
    re.IGNORECASE,
)
_PRONOUN_DISTANCE = 1.0  # nothing of the entity's name is there: any other match is nearer


Resolve = Callable[[Sequence[Mention], Sequence[Span]], Mapping[Span, str]]
"""The entities of some pronouns, given the mentions without them; unknown ones are left out."""

Synonyms = Mapping[str, Sequence[str]]
"""Other names of entities, by entity."""


@dataclass(frozen=True)
class PaperDetector:
    """The paper's detector; its dictionary, linker and coreference are given to `detect`."""

    threshold: float = 0.4
    pronouns: bool = True
    """Whether the pronouns that nothing else resolves refer to the root of the graph."""
    dates: bool = True
    synonyms: bool = True
    """Whether the rules make synonyms; the dictionary is used in either case."""

    def __post_init__(self) -> None:
        _require_distance(self.threshold)

    def detect(
        self,
        triples: Sequence[Triple],
        text: str,
        *,
        dictionary: Synonyms | None = None,
        linked: Sequence[Mention] = (),
        resolve: Resolve | None = None,
    ) -> list[Mention]:
        """The mentions of all entities by all methods, without overlaps, in text order."""
        entities = tuple(
            dict.fromkeys(end for triple in triples for end in (triple.subject, triple.object))
        )
        others = tuple(tuple((dictionary or {}).get(entity, ())) for entity in entities)
        size = sum(map(len, entities)) + sum(len(name) for names in others for name in names)
        prepare = _prepared if size <= _CHARACTERS_KEPT else _prepare
        compiled, dated = prepare(entities, others, self.threshold, self.synonyms, self.dates)
        # Of equal mentions the first is kept: in appendix A.3 that of the linker.
        found = [*linked, *_matches(compiled, text, self.threshold)]
        if dated:
            found += _date_mentions(dated, text)
        if triples:
            found += self._pronouns(triples, text, found, resolve)
        return merge_mentions(found)

    def _pronouns(
        self,
        triples: Sequence[Triple],
        text: str,
        found: Sequence[Mention],
        resolve: Resolve | None,
    ) -> list[Mention]:
        """Pronouns by coreference, and the others as mentions of the root."""
        spans = [match.span() for match in _PRONOUN.finditer(text)]
        resolved = resolve(merge_mentions(found), spans) if resolve and spans else {}
        root = _root(triples) if self.pronouns else None
        mentions = []
        for span in spans:
            entity, method = resolved.get(span), "coreference"
            if entity is None:
                entity, method = root, "pronoun"
            if entity is not None:
                mentions.append(Mention(entity, *span, method, _PRONOUN_DISTANCE))
        return mentions


def greedy_matches(
    entities: Sequence[str] | Mapping[str, Sequence[str]], text: str, threshold: float
) -> list[Mention]:
    """Algorithm 1 alone: repeatedly, the nearest pair of n-gram and entity is a mention.

    A mapping gives the strings of each entity. Of equally near pairs the one with more words is
    taken, then the earlier one, then the first entity.
    """
    _require_distance(threshold)
    strings = (
        entities.items()
        if isinstance(entities, Mapping)
        else ((entity, (entity,)) for entity in entities)
    )
    found = _matches(_compile(strings, threshold), text, threshold)
    return sorted(found, key=lambda mention: mention.start)


class _Compiled(NamedTuple):
    """Some entities, prepared for matching in any number of texts."""

    names: list[str]
    """The entity of each string."""
    strings: list[str]
    longest: int
    """Words of the longest n-gram."""
    lengths: npt.NDArray[np.bool_]
    """For each number of characters, whether such an n-gram can be near enough to a string."""


def _prepare(
    entities: tuple[str, ...],
    others: tuple[tuple[str, ...], ...],
    threshold: float,
    synonyms: bool,
    dates: bool,
) -> tuple[_Compiled, list[tuple[str, Date]]]:
    """The strings of a graph's entities, and those entities that are dates."""
    forms = (
        (entity, (*(_synonyms(entity) if synonyms else (entity,)), *names))
        for entity, names in zip(entities, others, strict=True)
    )
    return _compile(forms, threshold), _dated(entities) if dates else []


# The texts of all systems refer to the same graphs: WebNLG's tests have fewer than 2,000.
_prepared = cached(16 * MEGABYTE, size_of=lambda one: 500 + 300 * len(one[0].strings))(_prepare)


def _compile(entities: Iterable[tuple[str, Sequence[str]]], threshold: float) -> _Compiled:
    import numpy as np

    names: list[str] = []
    strings: list[str] = []
    words = 0
    for entity, forms in entities:
        for form in forms:
            string = _normalised(form).strip("_ ") if len(form) <= MAX_CHARACTERS else ""
            if string:
                names.append(entity)
                strings.append(string)
                words = max(words, sum(1 for _ in _ENTITY_WORD.finditer(form)))
    # A distance is at least the difference of the lengths over the longer one; the 1e-9 is for
    # rounding, since whatever passes here is measured anyway.
    measures = np.array(sorted({len(string) for string in strings}), dtype=np.float64)
    longest = max(map(len, strings), default=0)
    limit = int(min(longest / max(1 - threshold, 1e-3), 4 * MAX_CHARACTERS)) + 1
    grams = np.arange(1, limit + 1, dtype=np.float64)[:, None]
    gaps = np.abs(grams - measures) / np.maximum(grams, measures)
    possible = np.zeros(limit + 2, dtype=np.bool_)  # nothing of length 0, nor above the limit
    possible[1:-1] = (gaps <= threshold + 1e-9).any(axis=1)
    return _Compiled(names, strings, min(words + 1, MAX_WORDS), possible)


def _synonyms(entity: str) -> tuple[str, ...]:
    """The entity, without what is in brackets, and what is before a comma: the paper's rules."""
    bare = _BRACKETS.sub("", entity)
    head = _HEAD.match(bare)
    names = [entity, bare]
    if head and not entity.startswith('"'):
        names.append(head.group(1))
    return tuple(dict.fromkeys(names))


def _normalised(string: str) -> str:
    lower = string.lower()
    return lower if lower.isalnum() else _PUNCTUATION.sub("", lower)


def _matches(compiled: _Compiled, text: str, threshold: float) -> list[Mention]:
    """The greedy choice of Algorithm 1.

    An n-gram is used once, so only its nearest entity matters; going through the n-grams from the
    nearest and leaving out what overlaps is the same as looking for the minimum again and again.
    """
    import numpy as np
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cdist

    words = [match.span() for match in _WORD.finditer(text)]
    if not words or not compiled.strings:
        return []
    pieces = [_normalised(text[start:end]) for start, end in words]
    clean = " ".join(pieces)
    sizes = np.fromiter(map(len, pieces), dtype=np.int64, count=len(pieces))
    ends = np.cumsum(sizes + 1) - 1
    starts = ends - sizes
    parts = []
    for first in range(0, len(words), _STARTS_AT_ONCE):
        begin, size = _ngrams(starts, ends, compiled, first)
        bounds = zip(starts[begin].tolist(), ends[begin + size - 1].tolist(), strict=True)
        ngrams = [clean[start:end] for start, end in bounds]
        if not ngrams:
            continue
        # Repeated n-grams, as in hostile texts, are measured once.
        known: dict[str, int] = {}
        which = [known.setdefault(ngram, len(known)) for ngram in ngrams]
        distances = cdist(
            list(known),
            compiled.strings,
            scorer=Levenshtein.normalized_distance,
            score_cutoff=threshold,
            dtype=np.float64,
        )
        nearest = distances.argmin(axis=1)
        least = distances[np.arange(len(known)), nearest]
        keep = np.flatnonzero(least[which] <= threshold)
        index = np.asarray(which)[keep]
        parts.append((least[index], size[keep], begin[keep], nearest[index]))
    if not parts:
        return []
    least, size, begin, nearest = (np.concatenate(part) for part in zip(*parts, strict=True))
    order = np.lexsort((begin, -size, least))
    taken = bytearray(len(words))
    found = []
    for distance, count, start, string in zip(
        *(column[order].tolist() for column in (least, size, begin, nearest)), strict=True
    ):
        if 1 not in taken[start : start + count]:
            taken[start : start + count] = b"\1" * count
            span = words[start][0], words[start + count - 1][1]
            found.append(Mention(compiled.names[string], *span, "string", distance))
    return found


def _ngrams(
    starts: npt.NDArray[np.int64], ends: npt.NDArray[np.int64], compiled: _Compiled, first: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The first word and the number of words of a chunk's n-grams whose length may do."""
    import numpy as np

    begin = np.arange(first, min(first + _STARTS_AT_ONCE, len(starts)))[:, None]
    size = np.arange(min(compiled.longest, len(starts)), 0, -1)[None, :]
    last = begin + size - 1
    inside = last < len(starts)
    length = ends[np.minimum(last, len(starts) - 1)] - starts[begin]
    possible = inside & compiled.lengths[np.minimum(length, len(compiled.lengths) - 1)]
    rows, columns = np.nonzero(possible)
    return begin[rows, 0], size[0, columns]


def _dated(entities: Sequence[str]) -> list[tuple[str, Date]]:
    values = ((entity, date_of(entity)) for entity in entities)
    return [(entity, value) for entity, value in values if value is not None]


def _date_mentions(dated: Sequence[tuple[str, Date]], text: str) -> list[Mention]:
    return [
        Mention(entity, span.start, span.end, "date")
        for span in find_dates(text)
        for entity, value in dated
        if any(compare_dates(value, reading) is DateMatch.SAME for reading in span.readings)
    ]


def _root(triples: Sequence[Triple]) -> str:
    """The subject that is not an object; of several the one with most triples, then the first."""
    objects = {triple.object for triple in triples}
    outgoing = Counter(triple.subject for triple in triples)
    return max(outgoing, key=lambda subject: (subject not in objects, outgoing[subject]))


def merge_mentions(mentions: Sequence[Mention], *, by_name: bool = False) -> list[Mention]:
    """Of overlapping mentions the nearest, then the longest, then the first; in text order.

    Equal mentions keep their order, or with `by_name` the first entity by name is taken.

    >>> short, long = Mention("a", 0, 3, "name"), Mention("b", 0, 9, "linker")
    >>> merge_mentions([short, long]) == [long]
    True
    """

    def rank(mention: Mention) -> tuple[float, int, int, str]:
        name = mention.entity if by_name else ""
        return mention.distance, mention.start - mention.end, mention.start, name

    taken = bytearray(max((mention.end for mention in mentions), default=0))
    kept = []
    for mention in sorted(mentions, key=rank):
        if 1 not in taken[mention.start : mention.end]:
            taken[mention.start : mention.end] = b"\1" * (mention.end - mention.start)
            kept.append(mention)
    return sorted(kept, key=lambda mention: mention.start)


def _require_distance(threshold: float) -> None:
    if not 0 <= threshold <= 1:
        raise SettingError(
            f"threshold is {threshold}; it is a normalised edit distance, from 0 to 1"
        )
