"""Changes of a graph whose text stays: a triple replaced, inverted, dropped or added.

An operator takes a document, the knowledge of its corpus and a source of chance, and gives every
change of its kind that it finds; see `adequa.perturb.texts`. For a graph without a text, as in the
contrastive training, give a document without mentions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from adequa.data import Item, Triple
from adequa.perturb.documents import (
    FALSE,
    TRUE,
    UNKNOWN,
    Change,
    Document,
    LabelledDocument,
    share_words,
    values_of,
    words,
)
from adequa.perturb.knowledge import Knowledge
from adequa.text import Span, is_symmetric, label_of
from adequa.text.values import date_of, quantity_of

_MOST_TRIPLES = 20
"""Triples of one graph that are tried, so that a large table does not give thousands of cases."""
_TRIES = 20


def inverse_of(triple: Triple, knowledge: Knowledge) -> Triple | None:
    """The triple with subject and object exchanged, where that is not true as well."""
    if is_symmetric(triple.predicate) or triple.subject == triple.object:
        return None
    new = triple._replace(subject=triple.object, object=triple.subject)
    return None if knowledge.holds(new) else new


def variant_of(triple: Triple, knowledge: Knowledge, chance: Random) -> Triple | None:
    """The triple with its subject, predicate or object replaced by another of the same type."""
    for part in chance.sample(("object", "predicate", "subject"), 3):
        if part == "predicate":
            name = knowledge.other_predicate(triple, chance)
        else:
            name = knowledge.another(
                triple.predicate,
                subject=part == "subject",
                instead=getattr(triple, part),
                chance=chance,
            )
        new = name and triple._replace(**{part: name})
        if isinstance(new, Triple) and not knowledge.holds(new):
            return new
    return None


def further_triple(graph: Sequence[Triple], knowledge: Knowledge, chance: Random) -> Triple | None:
    """A true triple about one of the graph's entities that the graph does not have."""
    entities = [end for triple in graph for end in (triple.subject, triple.object)]
    ends = {(triple.subject, triple.object) for triple in graph}
    for entity in chance.sample(entities, len(entities)):
        pool = knowledge.known.get(entity, [])
        for _ in range(3 if pool else 0):
            new = chance.choice(pool)
            if (new.subject, new.object) not in ends:
                return new
    return None


def replace_triple(document: Document, knowledge: Knowledge, chance: Random) -> Iterator[Change]:
    """One triple replaced by a variant: the hard negative of paper 003."""
    for place in _few_places(document.item, chance):
        new = variant_of(document.triples[place], knowledge, chance)
        if new is not None and new not in document.triples:
            yield _exchange(document, place, new, "instead of")


def invert_triple(
    document: Document, knowledge: Knowledge, chance: Random, *, named: bool = True
) -> Iterator[Change]:
    """A triple with subject and object exchanged; not where the relation holds both ways.

    If `named`, only where the text names both, the object is not a value, and no other triple has
    the same two ends.
    """
    item = document.item
    for place in _few_places(item, chance):
        triple = item.triples[place]
        new = inverse_of(triple, knowledge)
        if new is None or new in item.triples:
            continue
        ends = {triple.subject, triple.object}
        if named and (
            sum({one.subject, one.object} == ends for one in item.triples) > 1
            or not all(document.named(end) for end in ends)
            or _is_value(item, triple.object)
        ):
            continue
        yield _exchange(document, place, new, "turned round")


def drop_triple(
    document: Document, knowledge: Knowledge, chance: Random, *, named: bool = True
) -> Iterator[Change]:
    """The data without one triple, so that the text states more than its data.

    If `named`, only where the text names the triple's object, and no other triple has it.
    """
    del knowledge
    item = document.item
    for place in _few_places(item, chance) if len(item.triples) > 1 else ():
        triple = item.triples[place]
        rest = item.triples[:place] + item.triples[place + 1 :]
        left = {end for one in rest for end in (one.subject, one.object)}
        spans = document.spans(triple.object)
        if named:
            values = words(" ".join(label_of(end).string for end in left))
            shared = share_words(label_of(triple.object).base, values)
            if not spans or triple.object in left or shared:
                continue
        subject = () if triple.subject in left else document.spans(triple.subject)
        ends = {triple.subject, triple.object}
        # Another triple between the same two may mean the same.
        alike = any({one.subject, one.object} == ends for one in rest)
        whole: tuple[Span, ...] = ((0, len(item.text)),)
        yield Change(
            f"data without {' | '.join(triple)}",
            triples=rest,
            before=(*spans, *subject),
            after=(*spans, *subject),
            unsupported=() if alike else _mentioned(document, ends - left),
            unclear=whole if alike else _around(document, triple),
            supported=UNKNOWN if alike else FALSE,
        )


def add_triple(document: Document, knowledge: Knowledge, chance: Random) -> Iterator[Change]:
    """One more fact about a subject that the text names, of a kind that similar entities have.

    Neither data nor text has a word of the new object.
    """
    item = document.item
    known = words(" ".join([*values_of(item), item.text]))
    subjects = sorted({one.subject for one in item.triples if document.named(one.subject)})
    for subject in chance.sample(subjects, len(subjects)):
        own = sorted({one.predicate for one in item.triples if one.subject == subject})
        beside = (one for predicate in own for one in knowledge.beside.get(predicate, ()))
        pool = [one for one in beside if one.predicate not in own]
        for one in chance.sample(pool, min(_TRIES, len(pool))):
            if not share_words(label_of(one.object).base, known):
                yield _addition(document, Triple(subject, one.predicate, one.object))
                return


def add_further_triple(
    document: Document, knowledge: Knowledge, chance: Random
) -> Iterator[Change]:
    """One more true fact about an entity, so that the text states less than its data."""
    new = further_triple(document.triples, knowledge, chance)
    if new is not None:
        yield _addition(document, new)


def _addition(document: Document, new: Triple) -> Change:
    return Change(
        f"data with {' | '.join(new)} as well",
        triples=(*document.triples, new),
        facts=frozenset({new}),
        entities=frozenset({new.object}),
        supported=TRUE,
    )


def add_unstated_triples(labelled: LabelledDocument, knowledge: Knowledge, chance: Random) -> None:
    """Add one to three triples that a labelled text does not state: further, varied or inverted."""
    for _ in range(chance.choice((1, 1, 2, 3))):
        new = _unstated(labelled, knowledge, chance)
        if new is not None and new not in labelled.triples and new not in labelled.gone:
            labelled.triples.append(new)
            labelled.stated.append(FALSE)


def _unstated(labelled: LabelledDocument, knowledge: Knowledge, chance: Random) -> Triple | None:
    way = chance.choice(("further", "further", "varied", "varied", "inverted"))
    if way == "further":
        new = further_triple(labelled.triples, knowledge, chance)
        # A further fact may happen to be stated: one of its ends must not be in the text.
        ends = () if new is None else (new.subject, new.object)
        return None if all(_is_there(end, labelled) for end in ends) else new
    triple = chance.choice(labelled.triples)
    if way == "inverted":
        return inverse_of(triple, knowledge)
    return variant_of(triple, knowledge, chance)


def _is_there(entity: str, labelled: LabelledDocument) -> bool:
    label = label_of(entity).base.casefold()
    return entity in labelled.entities() or label in labelled.text.casefold()


def _few_places(item: Item, chance: Random) -> list[int]:
    """The places of the triples to try, in order: all, or some where there are very many."""
    count = len(item.triples)
    return sorted(chance.sample(range(count), min(count, _MOST_TRIPLES)))


def _is_value(item: Item, entity: str) -> bool:
    """Whether it could not be a subject: a number, a date, or a string in quotes."""
    string = label_of(entity).string
    term = item.terms.get(entity)
    return (
        entity.startswith('"')
        or (term is not None and term.datatype is not None)
        or quantity_of(string) is not None
        or date_of(string) is not None
    )


def _exchange(document: Document, place: int, new: Triple, how: str) -> Change:
    """A triple that gives way to another."""
    old = document.triples[place]
    triples = (*document.triples[:place], new, *document.triples[place + 1 :])
    left = {end for triple in triples for end in (triple.subject, triple.object)}
    spans = document.spans(old.subject, old.object)
    what = f"data with {' | '.join(new)}, {how}"
    return Change(
        what if how == "turned round" else f"{what} {' | '.join(old)}",
        triples=triples,
        facts=frozenset({old, new}),
        before=spans,
        after=spans,
        unsupported=_mentioned(document, {old.subject, old.object} - left),
        unclear=_around(document, old),
    )


def _mentioned(document: Document, entities: set[str]) -> tuple[Span, ...]:
    return tuple((one.start, one.end) for one in document.mentions if one.entity in entities)


def _around(document: Document, old: Triple) -> tuple[Span, ...]:
    """The sentences whose words may state a triple that is gone; all where it is not located."""
    ends = [*document.mentioned(old.subject), *document.mentioned(old.object)]
    return tuple(
        (start, end)
        for start, end in document.sentences
        if not ends or any(start <= one.start < end for one in ends)
    )
