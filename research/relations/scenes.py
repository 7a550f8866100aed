"""Texts composed of our own phrases: small graphs of invented things, told with one fault at most.

A scene has one to six facts around one or two main entities. It is told plainly, one sentence per
fact, or freely: two facts per sentence, with pronouns, participles, relative clauses and inverse
wordings. The twins of a group are told by the same random draws, so that they differ in the fault
alone; where the graph can have the same fault, they make a quad.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from adequa.data import Triple
from adequa.perturb import FALSE, TRUE
from research.relations.groups import (
    QUAD,
    Group,
    Name,
    RelationText,
    exchange_ends,
    fill,
    make_quad,
    shift_names,
)
from research.relations.phrases import (
    Manner,
    Phrase,
    invent_name,
    read_overlaps,
    read_phrases,
    read_types,
    say,
)

Style = Literal["plain", "free"]
FAULTS: Mapping[str, float] = {
    "exchange": 22, "turn": 16, "near": 18, "denied": 11, "doubted": 11, "limited": 8,
    "stranger": 10, "same": 6,
}  # fmt: skip
"""The faults and their weights: names exchanged, a fact turned round, a near miss, another manner,
a fact given to another entity; `same` has none, and two tellings. The weights here and the shares
below were set by hand; there is no record of the data they were chosen on."""
_LINKED, _SECOND = 0.5, 0.35
"""The shares of scenes with a fact about an object, and with a second main entity."""
_NESTED = 0.6
"""The share of sentences that take a fact about their last name as a relative clause."""
_MOST_FACTS = 6
_VALUES = frozenset({"year", "number"})
_ARTICLES = frozenset({"the", "of", "The"})
_END = re.compile(r"\{([so])\}")
_END_OF_SENTENCE = re.compile(r"\{o(\d+)\}$")


@dataclass(frozen=True)
class SceneFact:
    """A phrase between two entities, and the manner in which it is claimed."""

    phrase: Phrase
    subject: str
    object: str
    manner: Manner = "stated"

    def triple(self, chance: random.Random) -> Triple:
        """The fact as data, sometimes by a name of the inverse relation."""
        if self.phrase.inverse and chance.random() < 0.2:
            return Triple(self.object, chance.choice(self.phrase.inverse), self.subject)
        return Triple(self.subject, chance.choice(self.phrase.names), self.object)

    @property
    def key(self) -> tuple[str, str, str]:
        """What it states, in whichever words."""
        return self.phrase.id, self.subject, self.object


@dataclass(frozen=True)
class Scene:
    """Facts in the order in which they are told, their triples, and the types of the entities."""

    facts: tuple[SceneFact, ...]
    triples: tuple[Triple, ...]
    kinds: Mapping[str, str]


class SceneMaker:
    """Draws scenes and makes groups of them."""

    def __init__(self, phrases: Sequence[Phrase] | None = None) -> None:
        self._of: dict[str, list[Phrase]] = defaultdict(list)
        self._alike: dict[tuple[str, str], list[Phrase]] = defaultdict(list)
        for one in read_phrases() if phrases is None else phrases:
            self._of[one.subject].append(one)
            self._alike[one.subject, one.object].append(one)
        self._kinds = sorted(self._of)

    def make(self, chance: random.Random) -> Group | None:
        """A group, or None where the drawn scene does not allow the drawn fault."""
        scene = self.scene(chance)
        if scene is None:
            return None
        style: Style = chance.choice(("plain", "free", "free"))
        fault = chance.choices(list(FAULTS), list(FAULTS.values()))[0]
        if fault == "exchange":
            return _exchange(scene, style, chance)
        seed = chance.random()
        first = tell(scene.facts, scene.kinds, style, random.Random(seed))  # noqa: S311
        if fault == "same":
            style = chance.choice(("plain", "free"))
            second = tell(scene.facts, scene.kinds, style, chance)
            right = (TRUE,) * len(scene.facts)
            texts = (
                RelationText(text, scene.triples, right, names) for text, names in (first, second)
            )
            return Group("made_same", tuple(texts))
        place = chance.randrange(len(scene.facts))
        changed = self._change(scene, place, fault, chance)
        if changed is None:
            return None
        facts = (*scene.facts[:place], changed, *scene.facts[place + 1 :])
        second = tell(facts, scene.kinds, style, random.Random(seed))  # noqa: S311
        turned = _turned(scene.triples[place], changed, fault, chance)
        return _twins(f"made_{fault}", scene.triples, place, turned, (first, second))

    def scene(self, chance: random.Random) -> Scene | None:
        """A scene, or None where names that differ enough were not found."""
        kinds: dict[str, str] = {}

        def new(kind: str) -> str:
            for _ in range(20):
                name = invent_name(kind, chance)
                words = {*name.split()} - _ARTICLES
                if not any(words & {*known.split()} for known in kinds):
                    kinds[name] = kind
                    return name
            raise LookupError

        kind = chance.choice(self._kinds)
        try:
            main = new(kind)
            count = min(chance.choice((1, 1, 2, 2, 3, 3, 4, 5)), len(self._of[kind]))
            facts = [
                SceneFact(one, main, new(one.object))
                for one in chance.sample(self._of[kind], count)
            ]
            linked = [one for one in facts if one.phrase.object in self._of]
            if linked and chance.random() < _LINKED:
                value = chance.choice(linked)
                phrase = chance.choice(self._of[value.phrase.object])
                facts.append(SceneFact(phrase, value.object, new(phrase.object)))
            if chance.random() < _SECOND:  # another of the same kind, with the same relations
                second = new(kind)
                own = [one for one in facts if one.subject == main]
                chosen = chance.sample(own, min(len(own), chance.choice((1, 1, 2))))
                facts += [SceneFact(one.phrase, second, new(one.phrase.object)) for one in chosen]
        except LookupError:
            return None
        facts = facts[:_MOST_FACTS]
        facts = chance.sample(facts, len(facts))
        used = {end for one in facts for end in (one.subject, one.object)}
        return Scene(
            tuple(facts),
            tuple(one.triple(chance) for one in facts),
            {name: own for name, own in kinds.items() if name in used},
        )

    def _change(
        self, scene: Scene, place: int, fault: str, chance: random.Random
    ) -> SceneFact | None:
        """The fact with the fault, or None where it does not allow it."""
        fact = scene.facts[place]
        phrase = fact.phrase
        if fault == "turn":
            value = phrase.object in _VALUES and chance.random() < 0.8
            unlike = phrase.subject != phrase.object and chance.random() < 0.5
            if phrase.symmetric or value or unlike:
                return None
            return replace(fact, subject=fact.object, object=fact.subject)
        if fault == "near":
            taken = {one.phrase.id for one in scene.facts}
            near = [
                one
                for one in self._alike[phrase.subject, phrase.object]
                if one.id not in taken and frozenset((one.id, phrase.id)) not in read_overlaps()
            ]
            return replace(fact, phrase=chance.choice(near)) if near else None
        if fault == "stranger":
            others = [
                name
                for name, kind in scene.kinds.items()
                if kind == phrase.subject and name not in (fact.subject, fact.object)
            ]
            changed = replace(fact, subject=chance.choice(others)) if others else fact
            return None if changed.key in {one.key for one in scene.facts} else changed
        if fault == "limited" and phrase.object in _VALUES:
            return replace(fact, manner="bounded") if phrase.object == "number" else None
        manners: Mapping[str, Manner] = {one: one for one in ("denied", "doubted", "limited")}
        return replace(fact, manner=manners[fault])


def _turned(triple: Triple, changed: SceneFact, fault: str, chance: random.Random) -> Triple | None:
    """The triple that the faulty text states instead; None where no triple can."""
    if changed.manner != "stated":
        return None
    if fault == "turn":
        return Triple(triple.object, triple.predicate, triple.subject)
    return changed.triple(chance)


Told = tuple[str, tuple[Name, ...]]
"""A text and its names."""


def _twins(
    kind: str, triples: tuple[Triple, ...], place: int, turned: Triple | None, told: Sequence[Told]
) -> Group:
    """A faithful and a faulty text, with the graph and with the graph of the faulty one."""
    graphs = [triples]
    if turned is not None and turned not in triples:
        graphs.append((*triples[:place], turned, *triples[place + 1 :]))
    texts = [
        RelationText(
            text,
            graph,
            tuple(
                FALSE if fact == place and number != side else TRUE for fact in range(len(graph))
            ),
            names,
        )
        for number, (text, names) in enumerate(told)
        for side, graph in enumerate(graphs)
    ]
    pairs = QUAD if len(graphs) == 2 else ((0, 1),)
    return Group(kind, tuple(texts), tuple(((one, place), (two, place)) for one, two in pairs))


def _exchange(scene: Scene, style: Style, chance: random.Random) -> Group | None:
    """Two names exchanged in the text, mostly of one type."""
    kinds = scene.kinds
    names = list(kinds)
    pairs = [
        (one, other)
        for number, one in enumerate(names)
        for other in names[number + 1 :]
        if kinds[one] == kinds[other] or chance.random() < 0.1
    ]
    if not pairs:
        return None
    pair = chance.choice(pairs)
    text, places = tell(scene.facts, kinds, style, chance)
    symmetric = {
        one.predicate
        for one, fact in zip(scene.triples, scene.facts, strict=True)
        if fact.phrase.symmetric
    }
    stated = {
        (one.predicate, one.subject, one.object) for one in exchange_ends(scene.triples, *pair)
    }
    stated |= {(name, two, one) for name, one, two in stated if name in symmetric}
    broken = [(one.predicate, one.subject, one.object) not in stated for one in scene.triples]
    called = {name: name for name in pair}
    return make_quad("made_exchange", text, places, scene.triples, called, broken)


# Telling


def tell(
    facts: Sequence[SceneFact], kinds: Mapping[str, str], style: Style, chance: random.Random
) -> Told:
    """The facts as a text; the draws do not depend on what is told, so that twins stay twins."""
    by_subject: dict[str, list[int]] = defaultdict(list)
    for number, one in enumerate(facts):
        by_subject[one.subject].append(number)
    gaps = {f"s{number}": one.subject for number, one in enumerate(facts)}
    gaps |= {f"o{number}": one.object for number, one in enumerate(facts)}
    pronoun = chance.choice(("he", "she"))
    text, last = "", ""
    names: tuple[Name, ...] = ()
    size = 1 if style == "plain" else 2
    told: set[int] = set()
    for subject, numbers in by_subject.items():
        for first in range(0, len(numbers), size):
            draws = [chance.random() for _ in range(7)]
            called = _back_reference(kinds[subject], pronoun, draws) if last == subject else None
            own = [(number, facts[number]) for number in numbers[first : first + size]]
            own = [one for one in own if one[0] not in told]
            inner = random.Random(chance.random())  # noqa: S311
            if not own:
                continue
            sentence = _sentence(own, called, style, draws, inner)
            told |= {number for number, _ in own}
            ending = _END_OF_SENTENCE.search(sentence)
            if ending and style == "free" and draws[6] < _NESTED:
                named = facts[int(ending[1])].object
                linked = [one for one in by_subject.get(named, ()) if one not in told]
                if linked:
                    told.add(linked[0])
                    person = kinds[named] == "person"
                    sentence += _clause(linked[0], facts[linked[0]], person=person, chance=inner)
            words, places = fill(sentence, gaps)
            words = f"{words[:1].upper()}{words[1:]}."
            start = len(text) + bool(text)
            text = f"{text} {words}" if text else words
            names += shift_names(places, start)
            last = subject
    return text, names


def _clause(number: int, fact: SceneFact, *, person: bool, chance: random.Random) -> str:
    """A fact about the last name of a sentence, as its relative clause."""
    phrase = fact.phrase
    if phrase.roles and fact.manner == "stated" and chance.random() < 0.3:
        return f", whose {chance.choice(phrase.roles)} is {{o{number}}}"
    words = say(chance.choice(phrase.of_subject), fact.manner, chance)
    return f", {'who' if person else 'which'} {_numbered(words, number)}"


def _numbered(words: str, fact: int) -> str:
    """The words with the number of their fact in the gaps."""
    return _END.sub(rf"{{\g<1>{fact}}}", words)


def _back_reference(kind: str, pronoun: str, draws: Sequence[float]) -> str | None:
    """A pronoun or a noun for the subject of the sentence before, or None for its name."""
    if draws[0] >= 0.55:
        return None
    if kind == "person":
        return pronoun
    nouns = read_types()[kind].nouns
    return _pick(nouns, draws[1] / 0.3) if nouns and draws[1] < 0.3 else "it"


def _pick(options: Sequence[str], draw: float) -> str:
    return options[int(draw * len(options))]


def _sentence(
    own: Sequence[tuple[int, SceneFact]],
    called: str | None,
    style: Style,
    draws: Sequence[float],
    chance: random.Random,
) -> str:
    """One fact, or two about one subject; gaps have the number of their fact: {s0}, {o0}."""
    picks = [chance.random() for _ in range(3)]
    number, fact = own[0]
    phrase, stated = fact.phrase, fact.manner == "stated"
    subject = called or f"{{s{number}}}"

    if len(own) == 1:
        if phrase.of_object and (called or style == "free") and draws[2] < 0.35:
            words = say(_pick(phrase.of_object, picks[0]), fact.manner, chance)
            words = words.replace("{s}", _OBJECT_FORMS.get(called, called)) if called else words
            return f"{{o{number}}} {_numbered(words, number)}"
        if called and phrase.roles and stated and draws[2] < 0.5:
            own_word = _POSSESSIVES.get(called, "its")
            return f"{{o{number}}} is {own_word} {_pick(phrase.roles, picks[0])}"
        if phrase.roles and stated and draws[2] > 0.8:
            return _with_role(_pick(phrase.roles, picks[0]), number, called, picks[1])
        words = say(_pick(phrase.of_subject, picks[0]), fact.manner, chance)
        return f"{subject} {_numbered(words, number)}"
    other_number, other = own[1]
    first = _numbered(say(_pick(phrase.of_subject, picks[0]), fact.manner, chance), number)
    second = say(_pick(other.phrase.of_subject, picks[1]), other.manner, chance)
    second = _numbered(second, other_number)
    person = phrase.subject == "person"
    if draws[3] < 0.35:
        return f"{subject} {first} and {second}"
    if draws[3] < 0.6 and not called:
        return f"{subject}, {'who' if person else 'which'} {first}, {second}"
    if draws[3] < 0.8 and first.startswith("was ") and stated:
        return f"{first[4:]}, {subject} {second}"
    if not called and phrase.roles and stated:
        return f"{subject}, whose {_pick(phrase.roles, picks[2])} is {{o{number}}}, {second}"
    return f"{subject} {second}; {'the same person' if person else 'it'} {first}"


_POSSESSIVES = {"he": "his", "she": "her"}
_OBJECT_FORMS = {"he": "him", "she": "her"}


def _with_role(role: str, number: int, called: str | None, draw: float) -> str:
    """The fact by the role of its object: "Acme's founder is Ann"."""
    subject, value = f"{{s{number}}}", f"{{o{number}}}"
    if called:
        return f"{_POSSESSIVES.get(called, 'its')} {role} is {value}"
    patterns = (
        f"the {role} of {subject} is {value}",
        f"{subject}'s {role} is {value}",
        f"{value} is the {role} of {subject}",
    )
    return _pick(patterns, draw)
