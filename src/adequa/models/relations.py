"""The relation reader: does a text state a relation between two things it names?

It is asked about one fact at a time. Placeholders stand for all names, one for the fact's subject
and one for its object, so that nothing but the words between them tells who did what to whom. A
quality that the text does not name ("moderate", or a yes) is asked about in its own words. The
reader says nothing of other facts whose ends the text does not name: that is for the entity
detector.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from adequa.data import Term, Triple
from adequa.errors import ModelError
from adequa.models.runtime import breaks_of
from adequa.models.shipped import DEFAULT, open_network, weights
from adequa.models.verifier import Run, Wording
from adequa.models.wordpiece import Piece, WordPiece
from adequa.text import is_symmetric, label_of, word_set
from adequa.text.values import is_quality, word_triple

PLACEHOLDERS = tuple(f"[unused{number}]" for number in range(19, 39))
"""Words that no text has: for the subject, the object, and others in the order of the text."""
_LONGEST = 200
"""Word pieces of a window; the reader was trained on at most 256 with the fact."""
_LONGEST_RELATION = 40
"""Word pieces of a relation that are read, so that what is asked never exceeds 512 pieces."""
_MOST_WINDOWS = 8
"""The most windows of a long text that are read for a fact; bounds the time."""
_BEFORE = 2
"""A window begins so many sentences before an end is named: a pronoun may refer to them."""


_INVERSE, _CLEARLY = 0.3, 2.0
"""How much a logit falls for each unit by which that of the inverse fact is higher than `_CLEARLY`
above it. Of nine settings on 190 held-out written groups and 128 WebNLG dev texts, where 7 % of the
right texts are flagged: wrong texts found .52 to .54, inverted triples .56 to .78."""
_DOUBTFUL = (-4.0, 2.0)
"""The logits between which the inverse is asked about. On the same texts the figures are the same
without these limits, which spare three in four of the questions."""
_OPEN = re.compile(
    r"(?: |^)(?:of|in|by|at|for|to|from|with|on|as|into|near|under|after|before|against|between|"
    r"over|through|via|about|within|than|until|since)$"
    r"|^(?:is|are|was|were|has|have|had|does|do|did|can|cannot|may|must|will)(?: |$)"
    r"|^[a-z]+ed$"
)
"""Relations that are a clause with their two ends: "educated at", "has part", "founded"."""
_YES_OR_NO = re.compile(r"(?:yes|no|true|false)$", re.IGNORECASE)
_VERBS = word_set(
    "accepts acts adjoins administers admits affects allows amends arranges begins binds borders "
    "brews carries catches cites commemorates comprises conducts connects constructs contains "
    "continues controls covers creates crosses defeats defines departs depends depicts detects "
    "develops directs discovers distributes drives eats edits employs encodes ends excludes "
    "extends feeds follows funds governs grows guards heads holds hosts illustrates implements "
    "includes infects influences inhibits insures introduces invents is joins leads lies links "
    "made maintains makes manages manufactures marries measures met narrates occupies offers "
    "omits opens operates orbits organises overlooks oversees owns paints pays performs plays "
    "powers precedes predates preserves produces protects publishes raises receives regulates "
    "repeals replaces represents requires resembles restores sells serves shows spans starts "
    "stops studies succeeds supersedes supervises supplies supports surrounds teaches translates "
    "treats underlies uses waters wins won writes wrote"
)
"""Verbs that a relation is called by, or begins with, in the present or an irregular past."""


def relation_words(relation: str) -> str:
    """A relation as it stands between its two ends: a noun says whose it is.

    In "Ada employer Lumen" either of the two may be the employer; that it is Lumen is plain in
    "Ada's employer is Lumen".

    >>> relation_words("employer"), relation_words("educated at"), relation_words("precedes")
    ("'s employer is", 'educated at', 'precedes')
    """
    words = relation.lower()
    if not words or _OPEN.search(words) or words.split(" ")[0] in _VERBS:
        return relation
    return f"'s {relation} is"


class NamedText(NamedTuple):
    """A text, a graph, and where the text names its entities: (start, end, entity), in order.

    Places do not overlap, but one place may name several entities.
    """

    text: str
    triples: Sequence[Triple]
    terms: Mapping[str, Term]
    names: Sequence[tuple[int, int, str]]


class RelationReader:
    """Logits that a text states facts; None for a fact with an end that the text does not name.

    A quality (`is_quality`) need not be named.
    """

    def __init__(self, reader: WordPiece, run: Run) -> None:
        self.reader = reader
        self.run = run
        if missing := [word for word in PLACEHOLDERS if word not in reader.ids]:
            raise ModelError(f"a vocabulary without {missing[0]} is not a relation reader's")
        self._subject, self._object, *self._others = (reader.ids[word] for word in PLACEHOLDERS)

    def read(
        self, texts: Sequence[NamedText], wording: Wording = word_triple
    ) -> list[list[float | None]]:
        """One logit per fact, in the order of the texts and their facts.

        Where a fact is in doubt, the reader is asked about its inverse too, which a text that
        turns the relation round states more clearly.
        """
        found = self._read_once(texts, wording)
        doubtful = {
            number: facts
            for number, (text, own) in enumerate(zip(texts, found, strict=True))
            if (
                facts := [fact for fact, logit in enumerate(own) if _is_doubtful(logit, text, fact)]
            )
        }
        turned = [_turn(texts[number], facts) for number, facts in doubtful.items()]
        for (number, facts), inverse in zip(
            doubtful.items(), self._read_once(turned, wording), strict=True
        ):
            for fact, other in zip(facts, inverse, strict=True):
                logit = found[number][fact]
                if logit is not None and other is not None:
                    found[number][fact] = logit - _INVERSE * max(0.0, other - logit - _CLEARLY)
        return found

    def _read_once(self, texts: Sequence[NamedText], wording: Wording) -> list[list[float | None]]:
        """The logit of each fact by itself."""
        asked = {
            (number, fact): own
            for number, text in enumerate(texts)
            for fact, own in enumerate(self.inputs(text, wording))
        }
        rows = [one for own in asked.values() for one in own]
        outputs = iter(
            self.run(
                [ids for ids, _ in rows],
                [[0] * mark + [1] * (len(ids) - mark) for ids, mark in rows],
            )
        )
        found: list[list[float | None]] = [[] for _ in texts]
        for (number, _), own in asked.items():
            logits = [float(next(outputs)["tokens"][mark, 0]) for _, mark in own]
            found[number].append(max(logits, default=None))
        return found

    def inputs(
        self, text: NamedText, wording: Wording = word_triple
    ) -> list[list[tuple[list[int], int]]]:
        """The inputs for each fact, one per window, and where in each the fact begins."""
        names = [
            (start, end, label_of(entity).string)
            for start, end, entity in text.names
            if not _YES_OR_NO.match(entity)  # the words tell it
        ]
        hidden = _hide(self.reader, text.text, names)
        found = []
        for one in text.triples:
            _, relation, value = wording(one, text.terms)
            triple = _by_labels(one)
            words = self.reader.numbers(relation_words(relation))
            graph = [self._subject, *words[:_LONGEST_RELATION]]
            places = hidden.places
            if triple.subject in places and triple.object not in places and is_quality(value):
                graph += self.reader.numbers(value)
                windows = _cover(len(hidden.pieces), hidden.breaks)
            else:
                windows = _windows(places, triple, len(hidden.pieces), hidden.breaks)
                graph.append(self._object)
            found.append(self._passes(triple, graph, hidden, windows))
        return found

    def _passes(
        self,
        triple: Triple,
        graph: Sequence[int],
        hidden: _HiddenText,
        windows: Sequence[tuple[int, int]],
    ) -> list[tuple[list[int], int]]:
        """The inputs for a fact, one per window, and where in each the fact begins."""
        ends = {triple.subject: self._subject, triple.object: self._object}
        # Where one place names both ends, it is for the one that is named less often.
        ends = {
            one: ends[one] for one in sorted(ends, key=lambda one: len(hidden.places.get(one, ())))
        }
        passes = []
        for start, end in windows:
            holders = dict(ends)
            free = iter(self._others)
            ids = [self.reader.start]
            for number, _, _, entities in hidden.pieces[start:end]:
                if not entities:
                    ids.append(number)
                    continue
                own = next((one for one in ends if one in entities), entities[0])
                if own not in holders:
                    holders[own] = next(free, number)
                ids.append(holders[own])
            ids.append(self.reader.separator)
            passes.append(([*ids, *graph, self.reader.separator], len(ids)))
        return passes


def _by_labels(triple: Triple) -> Triple:
    """A triple whose ends are called as a reader sees them: Lumen_Oy and "Lumen Oy" are one."""
    return triple._replace(
        subject=label_of(triple.subject).string, object=label_of(triple.object).string
    )


def _is_doubtful(logit: float | None, text: NamedText, fact: int) -> bool:
    low, high = _DOUBTFUL
    return (
        logit is not None and low < logit < high and not is_symmetric(text.triples[fact].predicate)
    )


def _turn(text: NamedText, facts: Sequence[int]) -> NamedText:
    """A text with the inverses of some of its facts."""
    chosen = (text.triples[fact] for fact in facts)
    return text._replace(triples=[Triple(one.object, one.predicate, one.subject) for one in chosen])


NamedPiece = tuple[int, int, int, tuple[str, ...]]
"""A piece with its place, and the entities where it stands for a whole name."""


class _HiddenText(NamedTuple):
    """The pieces of a text with one for each name, where sentences begin, and where names stand."""

    pieces: list[NamedPiece]
    breaks: list[int]
    places: dict[str, list[int]]


def _hide(reader: WordPiece, text: str, names: Sequence[tuple[int, int, str]]) -> _HiddenText:
    pieces = join_names(reader.pieces(text), names)
    sentences, _ = breaks_of(text, [(start, end) for _, start, end, _ in pieces])
    places: dict[str, list[int]] = {}
    for place, (*_, entities) in enumerate(pieces):
        for entity in entities:
            places.setdefault(entity, []).append(place)
    return _HiddenText(pieces, [0, *sentences], places)


def join_names(pieces: Sequence[Piece], names: Sequence[tuple[int, int, str]]) -> list[NamedPiece]:
    """The pieces of a text with one piece for each name."""
    called: dict[tuple[int, int], list[str]] = {}
    for start, end, entity in names:
        called.setdefault((start, end), []).append(entity)
    spans = list(called)
    found: list[NamedPiece] = []
    place = 0
    for number, start, end in pieces:
        while place < len(spans) and spans[place][1] <= start:
            place += 1
        if place == len(spans) or start < spans[place][0]:
            found.append((number, start, end, ()))
        elif not found or found[-1][1:3] != spans[place]:
            found.append((number, *spans[place], tuple(dict.fromkeys(called[spans[place]]))))
    return found


def _windows(
    places: Mapping[str, Sequence[int]], triple: Triple, count: int, breaks: Sequence[int]
) -> list[tuple[int, int]]:
    """The whole text, or for a long one the sentences up to each naming of an end of the fact.

    Only those with both ends, and of many those where the ends stand nearest to each other.
    `places` are the numbers of the pieces that name an entity. Only the surroundings of the end
    that is named less often are looked at, so that the cost does not grow with both.
    """
    both = [places.get(end, ()) for end in (triple.subject, triple.object)]
    if triple.subject == triple.object or not all(both) or both[0] == both[1]:
        return []
    if count <= _LONGEST:
        return [(0, count)]
    rare, common = sorted(both, key=len)
    found: dict[tuple[int, int], int] = {}
    for place in rare:
        near = common[
            bisect_left(common, place - _LONGEST) : bisect_right(common, place + _LONGEST)
        ]
        for last in {place, *near}:
            sentence = bisect_right(breaks, last)
            end = breaks[sentence] if sentence < len(breaks) else count
            start = max(breaks[max(0, sentence - 1 - _BEFORE)], end - _LONGEST)
            apart = min((abs(place - one) for one in near if start <= one < end), default=None)
            if apart is not None and start <= place < end:
                found[start, end] = min(apart, found.get((start, end), apart))
    return sorted(sorted(found, key=lambda window: (found[window], window))[:_MOST_WINDOWS])


def _cover(count: int, breaks: Sequence[int]) -> list[tuple[int, int]]:
    """The whole text, or for a long one as many sentences at a time as a window holds."""
    found: list[tuple[int, int]] = []
    start = 0
    while start < count and len(found) < _MOST_WINDOWS:
        end = count
        if count - start > _LONGEST:
            last = bisect_right(breaks, start + _LONGEST) - 1
            end = breaks[last] if last >= 0 and breaks[last] > start else start + _LONGEST
        found.append((start, end))
        start = end
    return found


@lru_cache(maxsize=4)
def load_relation_reader(name: str = DEFAULT, *, threads: int = 1) -> RelationReader | None:
    """The relation reader of shipped weights or of a folder, or None where they have none."""
    if "relations.onnx" not in weights(name).manifest["files"]:
        return None
    reader, network = open_network(name, "relations", ("tokens",), threads=threads, typed=True)
    return RelationReader(reader, network.run)
