"""The same facts in other words: other names throughout, other ways to write a predicate.

None of it makes a text right or wrong. It keeps the verifier from knowing names and predicates by
heart, and teaches it to read whatever a user's data calls them.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from adequa.data import Triple
from adequa.entities.surface import label_of
from adequa.training.drafts import Draft
from adequa.training.material import Knowledge, Pair, same_label
from adequa.training.wikidata import shipped_properties
from adequa.wording.folding import folded
from adequa.wording.templates import OBJECT, SUBJECT, Template

__all__ = ["middles_of", "phrases_of", "rename", "reword"]

Phrases = Mapping[str, Sequence[Template]]
_LONGEST = 70
"""Letters of a sentence, without its names, that still says one fact."""
_SHORTEST = 4
_ENDS = re.compile(f"({SUBJECT}|{OBJECT})")


def rename(draft: Draft, knowledge: Knowledge, chance: random.Random) -> bool:
    """One entity gets another's name, in the text and in the graph."""
    for triple in chance.sample(draft.triples, len(draft.triples)):
        subject = chance.random() < 0.5
        old = triple.subject if subject else triple.object
        new = knowledge.another(triple.predicate, subject=subject, instead=old, chance=chance)
        places = draft.of(old)
        label = label_of(old).base
        if (
            new is None
            or not places
            or any(draft.text[one.start : one.end] != label for one in places)
            or any(same_label(new, one) for one in draft.entities())
            or draft.text.count(label) != len(places)
        ):
            continue
        word = label_of(new).base
        for place in sorted(places, key=lambda one: -one.start):
            written = draft.write(place.start, place.end, word)
            written.entity = new
            draft.spans.append(written)
        draft.triples = [_renamed(one, old, new) for one in draft.triples]
        draft.said = tuple(frozenset(_renamed(one, old, new) for one in two) for two in draft.said)
        return True
    return False


def _renamed(triple: Triple, old: str, new: str) -> Triple:
    subject, predicate, value = triple
    return Triple(new if subject == old else subject, predicate, new if value == old else value)


def phrases_of(pairs: Iterable[Pair]) -> dict[str, list[Template]]:
    """Sentences that say one triple, by predicate, with places for its two ends."""
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for pair in pairs:
        if len(pair.triples) != 1 or len(pair.spans) != 2:
            continue
        (triple,) = pair.triples
        (one, start, end), (other, begin, stop) = pair.spans
        if {one, other} != {triple.subject, triple.object} or end > begin or one == other:
            continue
        text = pair.text
        first, last = (SUBJECT, OBJECT) if one == triple.subject else (OBJECT, SUBJECT)
        words = f"{text[:start]}{first}{text[end:begin]}{last}{text[stop:]}"
        if len(words) <= _LONGEST + len(SUBJECT) + len(OBJECT) and words.count("<") == 2:
            found[triple.predicate][words] = None
    return {name: [Template(words) for words in known] for name, known in found.items()}


def middles_of(phrases: Phrases) -> dict[tuple[str, bool], list[str]]:
    """The words between the ends of a predicate, by predicate and by whether the subject leads."""
    found: dict[tuple[str, bool], list[str]] = defaultdict(list)
    for predicate, templates in phrases.items():
        for template in templates:
            before, first, between, _, after = _ENDS.split(template.string)
            if before in {"", "The "} and after in {"", "."} and len(between) > _SHORTEST:
                found[predicate, first == SUBJECT].append(between)
    return dict(found)


def reword(draft: Draft, phrases: Phrases, chance: random.Random) -> None:
    """Predicates as Wikidata calls them, or as sentences put them; no two triples become one."""
    wikidata = chance.random() < 0.5
    properties = shipped_properties()
    for number, triple in enumerate(draft.triples):
        known = properties.get(folded(triple.predicate)) if wikidata else None
        new = triple
        if known is not None and not known.inverse:
            new = triple._replace(predicate=known.label)
        elif triple.predicate in phrases and chance.random() < 0.6:
            template = chance.choice(phrases[triple.predicate])
            ends = (label_of(end).base for end in (triple.subject, triple.object))
            new = Triple(*template.parts(*ends))
        if new not in draft.triples:
            draft.triples[number] = new
