"""Faults made on the side of the text: names, numbers, dates, sentences, negation, additions."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from adequa.perturb.drafts import FALSE, TRUE, UNKNOWN, Draft, DraftSpan
from adequa.perturb.pairs import Knowledge, same_label
from adequa.text.labels import label_of
from adequa.text.predicates import is_symmetric

_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August"),
    *("September", "October", "November", "December"),
)
_MONTH = re.compile("|".join(_MONTHS))
_DIGIT = re.compile(r"\d")
_VERB = re.compile(r"\b(?:is|was|are|were|has|can|will|did|does)\b")
_PRONOUNS = {"he", "she", "it", "his", "her", "hers", "its", "they", "their", "him", "them"}
_PLACES = ("country", "location", "isPartOf", "state", "city", "region")


def swap_name(draft: Draft, knowledge: Knowledge, chance: random.Random) -> bool:
    """Another name of the same type wherever the text has one of its names."""
    numbered = list(enumerate(draft.triples))
    for number, triple in chance.sample(numbered, len(numbered)):
        if draft.stated[number] != TRUE:
            continue
        subject = chance.random() < 0.3
        old = triple.subject if subject else triple.object
        new = knowledge.another(triple.predicate, subject=subject, instead=old, chance=chance)
        places = _named(draft, old)
        if new is None or not places or new in draft.entities() or _DIGIT.search(old):
            continue
        label = label_of(new).base
        if label.casefold() in draft.text.casefold():
            continue
        _write(draft, places, label)
        _unstate(draft, {old})
        return True
    return False


def wrong_value(draft: Draft, knowledge: Knowledge, chance: random.Random) -> bool:
    """One digit of a number or date changed, or its month."""
    del knowledge
    valued = [place for place in draft.spans if _DIGIT.search(draft.text[place.start : place.end])]
    if not valued:
        return False
    chosen = chance.choice(valued)
    entity = chosen.entity or ""
    old = draft.text[chosen.start : chosen.end]
    month = _MONTH.search(old)
    if month and chance.random() < 0.4:
        others = [name for name in _MONTHS if name != month[0]]
        new = old[: month.start()] + chance.choice(others) + old[month.end() :]
    else:
        place = chance.choice([match.start() for match in _DIGIT.finditer(old)])
        digits = [digit for digit in "123456789" if digit != old[place]]
        new = old[:place] + chance.choice(digits) + old[place + 1 :]
    elsewhere = [place for place in draft.of(entity) if place is not chosen]
    written = draft.write(chosen.start, chosen.end, new)
    draft.unsupported.append(written)
    draft.supported = FALSE
    _unstate(draft, {entity}, UNKNOWN if elsewhere else FALSE)
    return True


def exchange_names(draft: Draft, knowledge: Knowledge, chance: random.Random) -> bool:
    """Subject and object of a triple change places in the text."""
    del knowledge
    for number in chance.sample(range(len(draft.triples)), len(draft.triples)):
        triple = draft.triples[number]
        one, other = draft.of(triple.subject), draft.of(triple.object)
        if (
            draft.stated[number] != TRUE
            or is_symmetric(triple.predicate)
            or len(one) != 1
            or len(other) != 1
            or max(one[0].start, other[0].start) < min(one[0].end, other[0].end)
        ):
            continue
        first, second = sorted((one[0], other[0]), key=lambda place: place.start)
        left = draft.text[first.start : first.end]
        right = draft.text[second.start : second.end]
        if {left.casefold(), right.casefold()} & _PRONOUNS:
            continue
        draft.write(second.start, second.end, left)  # the later one first: nothing moves
        draft.write(first.start, first.end, right)
        draft.supported = FALSE
        draft.unclear.append(DraftSpan(0, len(draft.text)))
        _unstate(draft, {triple.subject, triple.object})
        draft.stated[number] = FALSE
        return True
    return False


def wrong_relation(draft: Draft, knowledge: Knowledge, chance: random.Random) -> bool:
    """The words between two names say another relation than theirs."""
    for number, first, second in _between(draft, chance):
        triple = draft.triples[number]
        other = knowledge.other_predicate(triple, chance)
        forward = first.entity == triple.subject
        pool = knowledge.middles.get((other or "", forward), ())
        old = draft.text[first.end : second.start]
        new = chance.choice(pool) if pool else old
        if new.strip().casefold() == old.strip().casefold():
            continue
        written = draft.write(first.end, second.start, new)
        draft.unsupported.append(DraftSpan(written.start + 1, written.end - 1))
        draft.supported = FALSE
        draft.stated[number] = FALSE
        return True
    return False


def unsay(draft: Draft, knowledge: Knowledge, chance: random.Random) -> bool:
    """Two names side by side, or the predicate as the data writes it: that says nothing."""
    del knowledge
    for number, first, second in _between(draft, chance):
        raw = draft.triples[number].predicate
        new = f" {raw} " if chance.random() < 0.6 else chance.choice((" ", ", ", " the ", " is "))
        written = draft.write(first.end, second.start, new)
        draft.disfluent.append(DraftSpan(written.start, max(second.start, written.end) + 1))
        draft.unclear.append(DraftSpan(written.start, written.end))
        draft.stated[number] = FALSE
        return True
    return False


def _between(draft: Draft, chance: random.Random) -> Iterator[tuple[int, DraftSpan, DraftSpan]]:
    """Stated triples whose two ends stand next to each other, with words between."""
    spans = sorted(draft.spans, key=lambda place: place.start)
    for number in chance.sample(range(len(draft.triples)), len(draft.triples)):
        triple = draft.triples[number]
        ends = {triple.subject, triple.object}
        if draft.stated[number] != TRUE or len(ends) < 2:
            continue
        alike = [one for one in draft.triples if {one.subject, one.object} == ends]
        for first, second in pairwise(spans):
            words = draft.text[first.end : second.start]
            if (
                {first.entity, second.entity} == ends
                and len(alike) == 1
                and 4 < len(words) < 60
                and "." not in words
            ):
                yield number, first, second
                break


def drop_sentence(draft: Draft, knowledge: Knowledge, chance: random.Random) -> bool:
    """A sentence less: its facts are no longer stated."""
    del knowledge
    sentences = draft.sentences()
    if len(sentences) < 2:
        return False
    number = chance.randrange(len(sentences))
    gone, said = sentences[number], draft.said
    _lose(draft, gone.start, min(len(draft.text), gone.end + 1))
    draft.text = draft.text.rstrip()
    if len(said) == len(sentences):  # who is said where is known: no guess by names
        kept = frozenset().union(*(one for place, one in enumerate(said) if place != number))
        draft.stated = [TRUE if triple in kept else FALSE for triple in draft.triples]
        draft.said = said[:number] + said[number + 1 :]
    return True


def cut_short(draft: Draft, knowledge: Knowledge, chance: random.Random) -> bool:
    """The text breaks off."""
    del knowledge
    words = [match.start() for match in re.finditer(r"\s\S", draft.text)]
    if len(words) < 6:
        return False
    place = chance.choice(words[3:])
    _lose(draft, place, len(draft.text))
    last = draft.text.rfind(" ") + 1
    draft.disfluent.append(DraftSpan(last, len(draft.text)))
    return True


def _lose(draft: Draft, start: int, end: int) -> None:
    inside = [place for place in draft.spans if place.start < end and place.end > start]
    touched = {place.entity for place in inside}
    kept = {place.entity for place in draft.spans if place not in inside}
    draft.write(start, end, "")
    for places in (draft.spans, draft.unsupported, draft.unclear, draft.disfluent):
        places[:] = [place for place in places if place.end <= len(draft.text)]
    for number, triple in enumerate(draft.triples):
        if draft.stated[number] != TRUE:
            continue
        ends = {triple.subject, triple.object}
        if triple.object in touched and triple.object not in kept:
            draft.stated[number] = FALSE
        elif ends & touched or not ends <= kept:
            draft.stated[number] = UNKNOWN


def add_sentence(
    draft: Draft, sentences: Sequence[tuple[str, frozenset[str]]], chance: random.Random
) -> bool:
    """A sentence about something else, at the end or between two others."""
    for _ in range(5 if sentences else 0):
        sentence, entities = chance.choice(sentences)
        if entities & draft.entities() == entities:
            continue
        places = draft.sentences()
        where = chance.choice(places)
        foreign = draft.write(where.end, where.end, f" {sentence}")
        foreign.start += 1
        draft.unsupported.append(foreign)
        draft.supported = FALSE
        return True
    return False


def add_fluff(draft: Draft, phrase: str, sentence: bool, chance: random.Random) -> None:
    """What a language model would add: a sentence, or a tail behind a comma."""
    where = chance.choice(draft.sentences())
    if sentence:
        added = draft.write(where.end, where.end, f" {phrase[:1].upper()}{phrase[1:]}")
        added.start += 1
    else:
        full_stop = draft.text[where.end - 1 : where.end] in {".", "!"}
        place = where.end - full_stop
        added = draft.write(place, place, f", {phrase}")
        added.start += 2
    draft.unsupported.append(added)
    draft.supported = FALSE


def add_background(draft: Draft, knowledge: Knowledge, chance: random.Random) -> bool:
    """What everyone knows and the data does not hold: the country after the town."""
    for place in chance.sample(draft.spans, len(draft.spans)):
        pool = [
            triple.object
            for triple in knowledge.known.get(place.entity or "", ())
            if triple.subject == place.entity and triple.predicate in _PLACES
        ]
        if not pool or draft.text[place.end : place.end + 1] not in {"", " ", ".", ","}:
            continue
        label = label_of(chance.choice(pool)).base
        known = any(same_label(label, one) for one in draft.entities())
        if known or label.casefold() in draft.text.casefold():
            continue
        comma = "," if draft.text[place.end : place.end + 1] == " " else ""
        added = draft.write(place.end, place.end, f", {label}{comma}")
        draft.unsupported.append(DraftSpan(added.start + 2, added.start + 2 + len(label)))
        draft.supported = FALSE
        return True
    return False


def negate(draft: Draft, knowledge: Knowledge, chance: random.Random) -> bool:
    """The verb of a sentence denied."""
    del knowledge
    verbs = list(_VERB.finditer(draft.text))
    if not verbs:
        return False
    verb = chance.choice(verbs)
    if any(place.start <= verb.start() < place.end for place in draft.spans):
        return False
    word = chance.choice(("not", "not", "never", "no longer"))
    sentence = next(one for one in draft.sentences() if verb.start() < one.end)
    added = draft.write(verb.end(), verb.end(), f" {word}")
    draft.unsupported.append(DraftSpan(verb.start(), added.end))
    draft.supported = FALSE
    after = [
        place for place in draft.spans if added.end <= place.start < sentence.end + len(word) + 1
    ]
    denied = after[0].entity if after else None
    for number, triple in enumerate(draft.triples):
        if draft.stated[number] == TRUE:
            sure = len(draft.triples) == 1 or triple.object == denied
            draft.stated[number] = FALSE if sure else UNKNOWN
    return True


def _named(draft: Draft, entity: str) -> list[DraftSpan]:
    return [
        place
        for place in draft.of(entity)
        if draft.text[place.start : place.end].casefold() not in _PRONOUNS
    ]


def _write(draft: Draft, places: Sequence[DraftSpan], new: str) -> None:
    for place in sorted(places, key=lambda one: -one.start):
        draft.unsupported.append(draft.write(place.start, place.end, new))
    draft.supported = FALSE


def _unstate(draft: Draft, entities: set[str], label: int = FALSE) -> None:
    """Triples about these are not said any more."""
    for number, triple in enumerate(draft.triples):
        if draft.stated[number] == TRUE and entities & {triple.subject, triple.object}:
            draft.stated[number] = label
