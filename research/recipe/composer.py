"""Texts composed of our own phrases, for records and entries of other kinds than WebNLG's.

Every phrase states one slot of a record, or something that no slot has, as language models tend to
add; so the label of each word is known. The phrases are in `resources`: venues and products as
attribute lists, and encyclopaedia entries in the style of Wikidata. Part of the recipe of the
shipped weights; used by `adequa train verifier --composed`.

The probabilities in this module have no record of the data they were chosen on; they are kept so
that the same seed gives the same documents.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from adequa.data import Triple
from adequa.perturb import FALSE, TRUE, Knowledge, LabelledDocument, LabelledSpan
from adequa.text import label_of
from adequa.text.values import say_date

_FILES = ("venues.json", "people_places.json", "works.json")
_PLACE = re.compile(r"\{(\w+)\}")
_FIRST_LETTER = re.compile(r"[^\W\d_]")
_POOLS: Mapping[str, tuple[tuple[str, bool], ...]] = {
    "person": (("birthPlace", True), ("leader", False), ("director", False), ("author", False)),
    "city": (("birthPlace", False), ("capital", False), ("cityServed", False)),
    "country": (("country", False), ("nationality", False)),
}
"""The predicates whose values are names of a kind, and whether as subject."""
_CAPITALS = re.compile(r"^[A-Z][\w.'’-]+(?: [A-Z][\w.'’-]*){0,4}$")


class Phrases(NamedTuple):
    """The wordings of a slot: after `is`, after the subject, or as a sentence."""

    nouns: tuple[str, ...]
    verbs: tuple[str, ...]
    sentences: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Slot:
    """A predicate by its names, and the phrases of its values; "" has those for any value."""

    names: tuple[str, ...]
    values: tuple[str, ...]
    phrases: Mapping[str, Phrases]

    def of(self, value: str) -> Phrases:
        """The phrases that state this value."""
        return self.phrases[value] if value in self.phrases else self.phrases[""]


@dataclass(frozen=True)
class Domain:
    """A kind of record: its subjects, slots and unsupported phrases (fluff)."""

    subjects: tuple[str, ...]
    person: bool
    slots: tuple[Slot, ...]
    fluff: Mapping[str, tuple[str, ...]]
    """Phrases that no slot supports: verbs, sentences, and tails behind a comma."""


@cache
def read_domains() -> tuple[Domain, ...]:
    """All domains of `resources`."""
    found: list[Domain] = []
    for name in _FILES:
        raw = (files("research.recipe") / "resources" / name).read_text(encoding="utf-8")
        found += [_domain(one) for one in json.loads(raw)["domains"]]
    return tuple(found)


def _domain(raw: Mapping[str, Any]) -> Domain:
    slots = []
    for slot in raw["slots"].values():
        own = slot["values"] if isinstance(slot["values"], dict) else {}
        phrases = {value: _phrases(said) for value, said in own.items()}
        if not own or slot.get("vp"):
            phrases[""] = _phrases(slot)
        values = tuple(own) or tuple(slot["values"])
        slots.append(Slot(tuple(slot["names"]), values, phrases))
    fluff = {kind: tuple(raw["fluff"].get(kind, ())) for kind in ("vp", "s", "tail")}
    person = raw.get("pronoun") == "person"
    return Domain(tuple(raw["subjects"]), person, tuple(slots), fluff)


def _phrases(raw: Mapping[str, Any]) -> Phrases:
    return Phrases(*(tuple(raw.get(kind, ())) for kind in ("np", "vp", "s")))


@dataclass
class _Statement:
    """A fact of the text: its wording, and whether the graph supports it."""

    phrases: Phrases
    value: str
    whole: bool
    """Whether the graph supports none of it, rather than all but the value."""
    wrong: bool


@dataclass
class Composer:
    """Composes records and texts; the same random state gives the same document."""

    knowledge: Knowledge
    domains: Sequence[Domain] = field(default_factory=read_domains)

    def __post_init__(self) -> None:
        self._pools = {
            kind: sorted(
                {
                    label
                    for place in places
                    for name in self.knowledge.fillers.get(place, ())
                    if _CAPITALS.match(label := label_of(name).base)
                }
            )
            or [kind.title()]
            for kind, places in _POOLS.items()
        }

    def compose(self, chance: random.Random) -> LabelledDocument:
        """A text and a graph, with their labels."""
        domain = chance.choice(self.domains)
        name = self._value(chance.choice(domain.subjects), chance)
        slots = chance.sample(domain.slots, min(len(domain.slots), chance.randint(1, 8)))
        slots += [chance.choice(slots) for _ in range(chance.choice((0, 0, 0, 1, 2)))]
        faulty = chance.random() < 0.55
        triples: list[Triple] = []
        stated: list[int] = []
        said: list[_Statement] = []
        used: set[tuple[Slot, str]] = set()
        for slot in slots:
            value = self._value(chance.choice(slot.values), chance)
            if any(one is slot for one, _ in used) and (
                (slot, value) in used or slot.phrases.keys() != {""}
            ):
                continue
            used.add((slot, value))
            fate = chance.choice(_FATES) if faulty and chance.random() < 0.45 else "right"
            other = value
            if fate == "contradicted":
                other = self._value(chance.choice(slot.values), chance)
                if _near(other, value) or (slot, other) in used:
                    fate, other = "right", value
                used.add((slot, other))
            if fate != "unsupported":
                triples.append(Triple(_written(name, chance), chance.choice(slot.names), other))
                stated.append(TRUE if fate == "right" else FALSE)
            if fate != "missing":
                own = slot.of(value)
                whole = fate == "unsupported" or value in slot.phrases
                said.append(_Statement(own, value, whole, fate != "right"))
        if not triples:  # a graph without triples is useless for training: keep the first fact
            said[0].wrong = False
            predicate = chance.choice(slots[0].names)
            triples.append(Triple(_written(name, chance), predicate, said[0].value))
            stated.append(TRUE)
        document = LabelledDocument("", triples, stated, [])
        _Writer(document, domain, name, self, chance).write_all(said, faulty=faulty)
        return document

    def fluff(self, chance: random.Random) -> tuple[str, bool]:
        """A sentence or a tail that no data supports, and whether it is a sentence."""
        domain = chance.choice(self.domains)
        sentence = chance.random() < 0.6
        phrase = chance.choice(domain.fluff["s" if sentence else "tail"])
        pronoun = ("he", "his") if domain.person else ("it", "its")
        words = {"s": pronoun[0], "it": pronoun[0], "its": pronoun[1]}
        return self.filled(phrase, words, chance), sentence

    def filled(self, phrase: str, words: Mapping[str, str], chance: random.Random) -> str:
        """A phrase with its places filled, from the words or from the pools."""
        return _PLACE.sub(
            lambda place: words.get(place[1]) or say_date(self._value(f"@{place[1]}", chance)),
            phrase,
        )

    def _value(self, value: str, chance: random.Random) -> str:
        if not value.startswith("@"):
            return value
        kind = value[1:]
        if kind == "year":
            return str(chance.randint(1780, 2023))
        if kind == "date":
            month, day = chance.randint(1, 12), chance.randint(1, 28)
            return f"{chance.randint(1850, 2023)}-{month:02}-{day:02}"
        if kind == "number":
            return f"{chance.choice((chance.randint(2, 99), chance.randint(100, 9_999_999))):,}"
        return chance.choice(self._pools.get(kind) or [kind])


_PRONOUNS = {"": ("it", "its"), "female": ("she", "her"), "male": ("he", "his")}
_FATES = ("missing", "missing", "unsupported", "contradicted", "contradicted")


def _near(one: str, other: str) -> bool:
    """Whether one value may imply the other, as `short film` does `film`."""
    one, other = one.casefold(), other.casefold()
    return one in other or other in one


def _written(name: str, chance: random.Random) -> str:
    """A name as data writes it."""
    return name.replace(" ", "_") if chance.random() < 0.5 else name


class _Writer:
    """The text of a document, sentence by sentence, with its spans."""

    def __init__(
        self,
        document: LabelledDocument,
        domain: Domain,
        name: str,
        composer: Composer,
        chance: random.Random,
    ) -> None:
        self.document, self.domain, self.name = document, domain, name
        self.composer, self.chance = composer, chance
        known = {triple.object.casefold() for triple in document.triples}
        kinds = [one for one in ("female", "male") if one in known] or ["female", "male"]
        self.pronoun = _PRONOUNS[chance.choice(kinds)] if domain.person else _PRONOUNS[""]
        self.named = False

    def write_all(self, said: Sequence[_Statement], *, faulty: bool) -> None:
        """Write all statements, and sometimes fluff between them."""
        chance, fluff = self.chance, self.domain.fluff
        waiting = list(said)
        extra = chance.choice((1, 1, 2, 3)) if faulty and chance.random() < 0.6 else 0
        while waiting or extra:
            take = waiting[: chance.choice((1, 1, 2, 2, 3))]
            added = extra and (not waiting or chance.random() < 0.5)
            if take:
                waiting = waiting[len(take) :]
                self._sentence(take)
                if added and fluff["tail"] and chance.random() < 0.4:
                    self._tail(chance.choice(fluff["tail"]))
                    extra -= 1
            elif fluff["s"]:
                self._own(chance.choice(fluff["s"]), wrong=True)
                extra -= 1
            else:
                break
            if added and extra and fluff["s"] and chance.random() < 0.5:
                self._own(chance.choice(fluff["s"]), wrong=True)
                extra -= 1
        if not self.document.text:
            self._add(f"{self.name}.")

    def _sentence(self, take: Sequence[_Statement]) -> None:
        """A few facts in one sentence, or one fact in a sentence of its own."""
        first, *others = take
        chance, nouns = self.chance, first.phrases.nouns
        verbs = [one.phrases.verbs or [f"is {noun}" for noun in one.phrases.nouns] for one in take]
        if not all(verbs) or (len(take) == 1 and first.phrases.sentences and chance.random() < 0.5):
            for one, known in zip(take, verbs, strict=True):
                phrases = one.phrases.sentences or [f"{{s}} {verb}" for verb in known]
                self._own(chance.choice(phrases), wrong=one.wrong, one=one)
            return
        self._space()
        self._subject()
        gaps = [" ", *[", "] * len(others)]
        if others:
            gaps[-1] = " and "
        if nouns and chance.random() < 0.5:
            aside = bool(others) and chance.random() < 0.4
            self._add(", " if aside else " is ")
            self._phrase(chance.choice(nouns), first)
            if others:
                gaps[1] = ", " if aside else chance.choice((" and ", " that ", " which "))
        else:
            self._add(" ")
            self._phrase(chance.choice(verbs[0]), first)
        for gap, one, known in zip(gaps[1:], others, verbs[1:], strict=True):
            self._add(gap)
            self._phrase(chance.choice(known), one)
        self._stop()

    def _subject(self) -> None:
        """The name, or a pronoun once it is named."""
        if self.named and self.chance.random() < 0.6:
            self._add(self.pronoun[0].title())
            return
        place = self._add(self.name)
        place.entity = self.name
        self.document.spans.append(place)
        self.named = True

    def _phrase(self, phrase: str, one: _Statement) -> LabelledSpan:
        """Write a phrase with its value, and mark what is wrong with it."""
        words = {"s": self._who(), "it": self.pronoun[0], "its": self.pronoun[1]}
        parts = phrase.split("{o}")
        start = len(self.document.text)
        for number, part in enumerate(parts):
            if number:
                value = self._add(_spoken(one.value, self.chance))
                value.entity = one.value
                self.document.spans.append(value)
                if one.wrong and not one.whole:
                    self.document.unsupported.append(LabelledSpan(value.start, value.end))
            rest = self.composer.filled(part, words, self.chance)
            twice = rest.startswith(".") and self.document.text.endswith(".")
            self._add(rest[twice:])
        whole = LabelledSpan(start, len(self.document.text))
        if one.wrong:
            self.document.supported = FALSE
            if one.whole or len(parts) == 1:
                self.document.unsupported.append(whole)
        return whole

    def _own(self, phrase: str, *, wrong: bool, one: _Statement | None = None) -> None:
        """A sentence by itself, which begins with a capital."""
        self._space()
        said = one or _Statement(Phrases((), (), ()), "", whole=True, wrong=wrong)
        place = self._phrase(phrase, said)
        text = self.document.text
        letter = _FIRST_LETTER.search(text, place.start)
        if letter and letter.start() == place.start:
            self.document.text = text[: place.start] + letter[0].upper() + text[place.start + 1 :]
        self._stop()
        if "{s}" in phrase:
            self.named = True

    def _tail(self, phrase: str) -> None:
        """Write a phrase after a comma; a full stop that belongs to a name stays."""
        end = len(self.document.text)
        if self.document.text.endswith(".") and all(one.end < end for one in self.document.spans):
            self.document.text = self.document.text[:-1]
            for place in self.document.places():  # a sentence that ended in this full stop
                place.end = min(place.end, len(self.document.text))
        self._add(", ")
        self._phrase(phrase, _Statement(Phrases((), (), ()), "", whole=True, wrong=True))
        self._stop()

    def _stop(self) -> None:
        """The end of a sentence, unless its last word has a full stop already."""
        if not self.document.text.endswith((".", "!", "?")):
            self._add(".")

    def _who(self) -> str:
        return self.pronoun[0] if self.named and self.chance.random() < 0.3 else self.name

    def _space(self) -> None:
        if self.document.text:
            self._add(" ")

    def _add(self, words: str) -> LabelledSpan:
        start = len(self.document.text)
        self.document.text += words
        return LabelledSpan(start, len(self.document.text))


def _spoken(value: str, chance: random.Random) -> str:
    """A value as it is worded in a text: dates mostly in words."""
    said = say_date(value)
    if said != value and chance.random() < 0.4:
        day, month, year = said.split(" ")
        return f"{month} {day}, {year}"
    return said if chance.random() < 0.95 else value
