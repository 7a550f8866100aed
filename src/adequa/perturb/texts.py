"""Changes of a text whose graph stays: names, values, sentences, relations, negation, additions.

An operator takes a document, the knowledge of its corpus and a source of chance, and gives every
change of its kind that it finds. It leaves alone what it cannot be sure about, or says which facts
and words have become doubtful. A number or a date becomes one that the data does not have, and only
where it stands in a value of a triple.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import combinations, islice, pairwise
from random import Random

from adequa.data import Item, Mention, Triple
from adequa.perturb.documents import (
    TRUE,
    Change,
    Document,
    Edit,
    is_name,
    rewrite,
    share_words,
    values_of,
    words,
)
from adequa.perturb.knowledge import Knowledge, NamePool, same_label
from adequa.text import Span, is_symmetric, label_of

Facts = frozenset[Triple]
Operator = Callable[[Document, Knowledge, Random], Iterable[Change]]
"""Every change of one kind that a document allows."""

_MOST_NAMES = 12
"""Names of one text that are paired with each other, so that a list does not give thousands."""
_LAST_SIGNS = (".", "!", "?", '."', ".”", ".)")


def draw(
    operator: Operator, document: Document, knowledge: Knowledge, chance: Random
) -> Change | None:
    """One of the changes that a document allows, each as likely as the others."""
    found = operator(document, knowledge, chance)
    real = [change for change in found if change.apply(document.item) != document.item]
    return chance.choice(real) if real else None


# Names


def swap_entities(
    document: Document, knowledge: Knowledge, chance: Random, *, named: bool = True
) -> Iterator[Change]:
    """The names of two entities in each other's place, where that means something else.

    Each has one name in the text, and the names have no word in common. Unless `named`, values and
    other words for an entity are exchanged as well.
    """
    del knowledge
    spans = document.names if named else document.places
    once = sorted((entity, own[0]) for entity, own in spans.items() if len(own) == 1)
    if len(once) > _MOST_NAMES:
        once = sorted(chance.sample(once, _MOST_NAMES))
    for (one, first), (other, second) in combinations(once, 2):
        left, right = document.called(first), document.called(second)
        wrong = _no_longer_stated(document.triples, one, other)
        overlap = first[0] < second[1] and second[0] < first[1]
        if not wrong or overlap or share_words(f"{one} {left}", words(f"{other} {right}")):
            continue
        names = {first: right, second: left}
        edits = tuple(Edit(*span, document.fitted(span, name)) for span, name in names.items())
        text, after = rewrite(document.text, edits)
        yield Change(
            f"{left} and {right} exchanged",
            edits,
            facts=wrong,
            entities=frozenset({one, other}),
            before=tuple(sorted((first, second))),
            after=after,
            unclear=((0, len(text)),),
        )


def _no_longer_stated(triples: Iterable[Triple], one: str, other: str) -> Facts:
    """The facts that are wrong after the exchange; none where the exchange changes nothing."""
    turned = {one: other, other: one}
    touching = [triple for triple in triples if {triple.subject, triple.object} & turned.keys()]

    def swapped(end: str) -> str:
        return turned.get(end, end)

    stated = {
        _undirected(Triple(swapped(subject), predicate, swapped(value)))
        for subject, predicate, value in touching
    }
    return frozenset(triple for triple in touching if _undirected(triple) not in stated)


def _undirected(triple: Triple) -> Triple:
    """The same triple for both directions of a symmetric relation."""
    if is_symmetric(triple.predicate) and triple.object < triple.subject:
        return Triple(triple.object, triple.predicate, triple.subject)
    return triple


def rename_entity(document: Document, knowledge: Knowledge, chance: Random) -> Iterator[Change]:
    """The name of another entity of the same place in a triple, wherever the text has the name.

    It is taken from the other texts of the category, and has no word of this text or its data.
    """
    for entity, spans in sorted(document.names.items()):
        others = next(knowledge.names.others(document.item, entity))
        if others:
            yield _renamed(document, entity, spans, chance.choice(others))


def rename_mentions(document: Document, names: NamePool, chance: Random) -> Iterator[Change]:
    """One mention of an entity by another name, of the same place in a triple if possible."""
    values = {*values_of(document.item)}
    for one in document.mentions:
        written = document.text[one.start : one.end]
        if one.method != "name" or one.entity not in values or not is_name(written, one.entity):
            continue
        pools = names.others(document.item, one.entity)
        others = next((pool for pool in pools if pool), None)
        if others:
            yield _renamed(document, one.entity, [(one.start, one.end)], chance.choice(others))


def _renamed(document: Document, entity: str, spans: Sequence[Span], new: str) -> Change:
    edits = tuple(Edit(*span, document.fitted(span, new)) for span in spans)
    _, after = rewrite(document.text, edits)
    return Change(
        f"{document.called(spans[0])} becomes {new}",
        edits,
        facts=frozenset(one for one in document.triples if entity in (one.subject, one.object)),
        entities=frozenset({entity}),
        before=tuple(spans),
        after=after,
        unsupported=after,
    )


# Values


def change_number(document: Document, knowledge: Knowledge, chance: Random) -> Iterator[Change]:
    """A number that the data has becomes one that it does not have, not even rounded."""
    del knowledge
    return _revalued(document, other_numbers(document.item, chance))


def change_date(document: Document, knowledge: Knowledge, chance: Random) -> Iterator[Change]:
    """The day, month or year of a date that the data has becomes another."""
    del knowledge
    return _revalued(document, other_dates(document.item, chance))


def change_value(document: Document, knowledge: Knowledge, chance: Random) -> Iterator[Change]:
    """A number or a part of a date becomes another."""
    yield from change_number(document, knowledge, chance)
    yield from change_date(document, knowledge, chance)


def _revalued(document: Document, edits: Iterable[Edit]) -> Iterator[Change]:
    for edit in edits if document.sentences else ():
        _, after = rewrite(document.text, [edit])
        entities = {one.entity for one in document.inside(edit.start, edit.end)}
        facts = frozenset(one for one in document.triples if one.object in entities)
        again = any(len(document.mentioned(one)) > 1 for one in entities)
        yield Change(
            f"{document.text[edit.start : edit.end]} becomes {edit.new}",
            (edit,),
            facts=facts,
            # The right value still stands elsewhere, or whose value it was is not known.
            doubtful=facts if again else frozenset() if facts else frozenset(document.triples),
            entities=frozenset(entities),
            before=((edit.start, edit.end),),
            after=after,
            unsupported=after,
        )


# Sentences


def drop_sentence(
    document: Document, knowledge: Knowledge, chance: Random, *, certain: bool = True
) -> Iterator[Change]:
    """The text without one of its sentences, whose facts are then no longer stated.

    Where people have marked which sentence states which fact, they are known; elsewhere a fact is
    gone when the sentence alone names its object. If `certain`, a sentence is left alone when the
    rest still speaks of something that only this sentence names.
    """
    del knowledge, chance
    places = document.sentences
    for number, (start, end) in enumerate(places if len(places) > 1 else ()):
        last = number == len(places) - 1
        cut = (places[number - 1][1], end) if last else (start, places[number + 1][0])
        edit = Edit(*cut, "")
        lost = _lost(document, start, end)
        doubtful: Facts = frozenset()
        if len(document.facts) == len(places):
            kept = (one for place, one in enumerate(document.facts) if place != number)
            gone = document.facts[number].difference(*kept)
            objects = {one.object for one in gone}
        elif certain:
            left = words(rewrite(document.text, [edit])[0])
            gone = frozenset(one for one in document.triples if {one.subject, one.object} & lost)
            objects = {one.object for one in gone} & lost
            known = any(share_words(label_of(one).base, left) for one in objects)
            if not objects or known or _speaks_of(document, lost):
                continue
        else:
            gone, doubtful = _left_out(document, start, end)
            objects = {one.object for one in gone}
        yield Change(
            f"without the sentence about {', '.join(sorted(objects))}",
            (edit,),
            facts=gone,
            doubtful=doubtful,
            entities=frozenset(lost),
            before=((start, end),),
            supported=TRUE,
        )


def _lost(document: Document, start: int, end: int) -> set[str]:
    """The entities that are named between two places alone."""
    return {
        entity
        for entity in {one.entity for one in document.mentions if start <= one.start < end}
        if (named := document.named(entity)) and all(start <= one.start < end for one in named)
    }


def _speaks_of(document: Document, lost: set[str]) -> bool:
    """Whether the rest has a pronoun for a lost entity, or the object of one of its facts."""
    return any(len(document.named(one)) < len(document.mentioned(one)) for one in lost) or any(
        one.subject in lost and one.object not in lost and document.named(one.object)
        for one in document.triples
    )


def _left_out(document: Document, start: int, end: int) -> tuple[Facts, Facts]:
    """The facts that go with a stretch of the text, and those that may go with it."""
    touched = {one.entity for one in document.inside(start, end)}
    kept = {one.entity for one in document.mentions if one.end <= start or end <= one.start}
    gone = frozenset(one for one in document.triples if one.object in touched - kept)
    ends = {one: {one.subject, one.object} for one in document.triples if one not in gone}
    return gone, frozenset(one for one, own in ends.items() if own & touched or not own <= kept)


def cut_short(document: Document, knowledge: Knowledge, chance: Random) -> Iterator[Change]:
    """The text breaks off."""
    del knowledge
    text = document.text
    gaps = [match.start() for match in re.finditer(r"\s\S", text)]
    if len(gaps) < 6:
        return
    place = chance.choice(gaps[3:])
    gone, doubtful = _left_out(document, place, len(text))
    yield Change(
        "the text breaks off",
        (Edit(place, len(text), ""),),
        facts=gone,
        doubtful=doubtful,
        before=((place, len(text)),),
        disfluent=((text.rfind(" ", 0, place) + 1, place),),
        supported=TRUE,
    )


def add_sentence(
    document: Document, knowledge: Knowledge, chance: Random, *, anywhere: bool = False
) -> Iterator[Change]:
    """A sentence of another text of the category, about nothing that this one has.

    It comes last, or after a sentence drawn by chance.
    """
    item = document.item
    pool = knowledge.statements.get(item.category, [])
    end = len(item.text.rstrip())
    if not pool or not document.mentions or not item.text[:end].endswith(_LAST_SIGNS):
        return
    known = words(" ".join([*values_of(item), item.text]))
    for statement in chance.sample(pool, min(_TRIES, len(pool))):
        if not share_words(statement.entities, known):
            place = chance.choice(document.sentences)[1] if anywhere else end
            rest = place if anywhere else len(item.text)
            yield _added(document, Edit(place, rest, f" {statement.sentence}"), skip=1)
            return


def add_fluff(document: Document, phrase: str, *, sentence: bool, chance: Random) -> Change:
    """An unsupported sentence, or a tail after a comma, as language models add them."""
    _, end = chance.choice(document.sentences)
    if sentence:
        return _added(document, Edit(end, end, f" {phrase[:1].upper()}{phrase[1:]}"), skip=1)
    place = end - (document.text[end - 1 : end] in {".", "!"})
    return _added(document, Edit(place, place, f", {phrase}"), skip=2)


def add_background(document: Document, knowledge: Knowledge, chance: Random) -> Iterator[Change]:
    """Common knowledge that the data does not hold: the country after the town."""
    del chance
    text = document.text
    entities = {*values_of(document.item)}
    for one in document.mentions:
        after = text[one.end : one.end + 1]
        if after not in {"", " ", ".", ","}:
            continue
        for triple in knowledge.known.get(one.entity, ()):
            label = label_of(triple.object).base
            if (
                triple.subject == one.entity
                and triple.predicate in _LOCATIONS
                and not any(same_label(label, entity) for entity in entities)
                and label.casefold() not in text.casefold()
            ):
                edit = Edit(one.end, one.end, f", {label}{',' if after == ' ' else ''}")
                yield _added(document, edit, skip=2, length=len(label))


_LOCATIONS = ("country", "location", "isPartOf", "state", "city", "region")


def _added(document: Document, edit: Edit, *, skip: int, length: int | None = None) -> Change:
    """Words that the data does not support; `skip` characters before them are punctuation."""
    _, [(start, end)] = rewrite(document.text, [edit])
    span = (start + skip, end if length is None else start + skip + length)
    what = edit.new[skip:] if length is None else edit.new[skip : skip + length]
    kind = "sentence" if what.endswith(_LAST_SIGNS) else "phrase"
    # In the original nothing stood there, so there is no place to point at.
    return Change(f"one more {kind}: {what}", (edit,), after=(span,), unsupported=(span,))


# Relations


def change_relation(document: Document, knowledge: Knowledge, chance: Random) -> Iterator[Change]:
    """The words between two names state another relation than theirs."""
    for triple, first, second in _between(document):
        other = knowledge.other_predicate(triple, chance)
        pool = knowledge.middles.get((other or "", first.entity == triple.subject), ())
        old = document.text[first.end : second.start]
        new = chance.choice(pool) if pool else old
        if new.strip().casefold() == old.strip().casefold():
            continue
        edit = Edit(first.end, second.start, new)
        span = (first.end + 1, first.end + len(new) - 1)
        yield Change(
            f"“{old.strip()}” becomes “{new.strip()}”",
            (edit,),
            facts=frozenset({triple}),
            before=(edit[:2],),
            after=(span,),
            unsupported=(span,),
        )


def remove_relation(document: Document, knowledge: Knowledge, chance: Random) -> Iterator[Change]:
    """Two names side by side, or with the predicate as the data writes it: no statement."""
    del knowledge
    for triple, first, second in _between(document):
        bare = chance.random() >= 0.6
        new = chance.choice((" ", ", ", " the ", " is ")) if bare else f" {triple.predicate} "
        start, end = first.end, first.end + len(new)
        yield Change(
            f"nothing stated between {document.text[first.start : first.end]} and "
            f"{document.text[second.start : second.end]}",
            (Edit(start, second.start, new),),
            facts=frozenset({triple}),
            before=((start, second.start),),
            after=((start, end),),
            unclear=((start, end),),
            disfluent=((start, end + 1),),
            supported=TRUE,
        )


def _between(document: Document) -> Iterator[tuple[Triple, Mention, Mention]]:
    """Triples whose two ends stand next to each other, with a few words between."""
    mentions = sorted(document.mentions, key=lambda one: one.start)
    for triple in document.triples:
        ends = {triple.subject, triple.object}
        alike = [one for one in document.triples if {one.subject, one.object} == ends]
        for first, second in pairwise(mentions):
            between = document.text[first.end : second.start]
            if (
                {first.entity, second.entity} == ends
                and len(ends) == 2
                and len(alike) == 1
                and 4 < len(between) < 60
                and "." not in between
            ):
                yield triple, first, second
                break


_VERB = re.compile(r"(?<![\w'’-])(?:is|are|was|were|can|will)(?![\w'’-])")
_DENIED = re.compile(r"\b(?:not|no|never|neither|nor|without|cannot)\b|n['’]t\b", re.IGNORECASE)


def negate(
    document: Document, knowledge: Knowledge, chance: Random, *, adverbs: Sequence[str] = ("not",)
) -> Iterator[Change]:
    """A "not" after the first verb of a sentence that has a fact's object behind it; English."""
    del knowledge
    item = document.item
    objects = {one.object for one in item.triples}
    for start, end in document.sentences if document.is_english else ():
        verb = _VERB.search(item.text, start, end)
        if verb is None or _DENIED.search(item.text, start, end) or item.text[end - 1] == "?":
            continue
        if document.inside(*verb.span()):
            continue
        behind = [one for one in document.mentions if verb.end() <= one.start < end]
        denied = next((one.entity for one in behind if one.entity in objects), None)
        if denied is None:
            continue
        facts = frozenset(one for one in item.triples if one.object == denied)
        here = {one.entity for one in document.mentions if start <= one.start < end}
        near = frozenset(one for one in item.triples if {one.subject, one.object} & here)
        adverb = adverbs[0] if len(adverbs) == 1 else chance.choice(adverbs)
        after = ((verb.start(), verb.end() + 1 + len(adverb)),)
        yield Change(
            f"“{verb[0]}” denied",
            (Edit(verb.end(), verb.end(), f" {adverb}"),),
            facts=facts,
            doubtful=near - facts,
            before=(verb.span(),),
            after=after,
            unsupported=after,
        )


# Numbers

_NUMBER = re.compile(
    r"(?<![\w°/:–-])(?<![\d)][.,])\d+(?:,\d{3})*(?:\.\d+)?(?![\w°]|[.,/:–-]\d|-?[A-Za-z])"
)
_YEAR = re.compile(r"1\d{3}|20[0-4]\d")
_DIGITS = re.compile(r"\d+(?:\.\d+)?")
_MOST_NUMBERS = 50
"""Numbers of one text that are tried; a table would give thousands."""
_TRIES = 20


def other_numbers(item: Item, generator: Random) -> list[Edit]:
    """Another number with as many digits, some of them drawn anew; a year keeps its century."""
    plain = (value.replace(",", "") for value in values_of(item))
    known = {Decimal(digits) for value in plain for digits in _DIGITS.findall(value)}
    dated = [match.span() for match in _find_dates(item.text)]
    ours = (
        match
        for match in _NUMBER.finditer(item.text)
        if _amount(match[0]) in known
        and not any(start < match.end() and match.start() < end for start, end in dated)
    )
    return [
        Edit(*match.span(), new)
        for match in islice(ours, _MOST_NUMBERS)
        if (new := _other_number(match[0], known, generator)) is not None
    ]


def _other_number(old: str, known: Iterable[Decimal], generator: Random) -> str | None:
    places = [place for place, character in enumerate(old) if character.isdigit()]
    if _YEAR.fullmatch(old):
        places = places[2:]
    for _ in range(_TRIES):
        new = list(old)
        for place in generator.sample(places, generator.randint(1, len(places))):
            new[place] = generator.choice("123456789")
        other = "".join(new)
        if not any(_may_be(value, other) for value in known):
            return other
    return None


def _may_be(value: Decimal, written: str) -> bool:
    """Whether a number is the value, or the value rounded."""
    amount, digits = _amount(written), written.replace(",", "")
    decimals = len(digits.partition(".")[2])
    zeros = 0 if decimals else len(digits) - len(digits.rstrip("0"))
    return abs(value - amount) * 2 <= Decimal(10) ** (zeros - decimals)


def _amount(written: str) -> Decimal:
    return Decimal(written.replace(",", ""))


# Dates

_MONTH = "|".join(calendar.month_name[1:])
_DAY = r"(?P<day>\d\d?(?:st|nd|rd|th)?)"
_BEFORE = r"(?:[Ii]n|[Ss]ince|[Ff]rom|[Uu]ntil|[Bb]y|of|year)"
_SHAPES = (
    re.compile(r"(?<![\w-])(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)(?![\w-])"),
    re.compile(rf"\b(?P<month>{_MONTH}) {_DAY}\b(?:,? (?P<year>\d{{4}})\b)?"),
    re.compile(rf"\b{_DAY}(?: of)? (?P<month>{_MONTH})\b(?:,? (?P<year>\d{{4}})\b)?"),
    re.compile(rf"\b(?P<month>{_MONTH}),? (?P<year>\d{{4}})\b"),
    re.compile(rf"\b{_BEFORE} (?P<year>1\d{{3}}|20[0-4]\d)(?![,.]\d|[\w–/-])"),
)
_ISO = _SHAPES[0]
_PARTS = ("year", "month", "day")
_FARTHEST = 30
"""Years by which a year is moved at the most: near enough to be plausible."""
_LEAP = 2000
_LAST_YEAR = 9999
Parts = tuple[int | None, int | None, int | None]


def other_dates(item: Item, generator: Random) -> list[Edit]:
    """Another day, month or year in a date; a year after "in", "since" and such is a date too."""
    values = [value.replace("_", " ").strip('"') for value in values_of(item)]
    known = [_parts(match) for value in values for match in _find_dates(value)]
    known += [(int(value), None, None) for value in values if re.fullmatch(r"\d{4}", value)]
    found = []
    for match in _find_dates(item.text):
        if not any(_agree(date, _parts(match)) for date in known):
            continue
        for part in _PARTS:
            new = _other_part(match, part, generator)
            if new is not None and not any(_agree(date, new[1]) for date in known):
                found.append(Edit(*match.span(part), new[0]))
    return found


def _find_dates(text: str) -> Iterator[re.Match[str]]:
    """The dates of a text, longer shapes first, none within another."""
    taken: list[tuple[int, int]] = []
    for shape in _SHAPES:
        for match in shape.finditer(text):
            if not any(start < match.end() and match.start() < end for start, end in taken):
                taken.append(match.span())
                yield match


def _parts(match: re.Match[str]) -> Parts:
    groups = match.groupdict()
    return _whole(groups.get("year")), _month(groups.get("month")), _whole(groups.get("day"))


def _whole(written: str | None) -> int | None:
    return int(re.sub(r"\D", "", written)) if written else None


def _month(written: str | None) -> int | None:
    if not written:
        return None
    return int(written) if written.isdigit() else list(calendar.month_name).index(written)


def _agree(date: Parts, other: Parts) -> bool:
    """Whether two dates may be the same day: the parts that both have are equal."""
    both = [(one, two) for one, two in zip(date, other, strict=True) if one and two]
    return bool(both) and all(one == two for one, two in both)


def _other_part(match: re.Match[str], part: str, generator: Random) -> tuple[str, Parts] | None:
    """Another value of a part, as that part was written, and the date that it makes."""
    year, month, day = _parts(match)
    if not match.groupdict().get(part) or month not in (None, *range(1, 13)):
        return None
    width = 2 if _ISO.fullmatch(match[0]) else 1
    if part == "year" and year:
        year += generator.choice((-1, 1)) * generator.randint(1, _FARTHEST)
        new = f"{year:04}"
        if not 0 < year <= _LAST_YEAR:
            return None
    elif part == "month" and month:
        month = generator.choice([other for other in range(1, 13) if other != month])
        new = f"{month:02}" if match[part].isdigit() else calendar.month_name[month]
    else:
        day = generator.choice([other for other in range(1, 29) if other != day])
        new = f"{day:0{width}}" + ("" if match[part].isdigit() else _ordinal(day))
    if month and day and day > calendar.monthrange(year or _LEAP, month)[1]:
        return None
    return new, (year, month, day)


def _ordinal(day: int) -> str:
    return "th" if 10 < day < 20 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
