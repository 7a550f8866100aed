"""Relations in our own words (data/*.txt, CC0): phrases, invented names, and other ways to claim.

`say` takes a phrase such as "was founded by {o}" and states, denies, doubts, limits or bounds it.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from adequa.perturb.claims import VERBS
from adequa.text import is_symmetric

DATA = Path(__file__).parent / "data"
Manner = Literal["stated", "denied", "doubted", "limited", "bounded"]
_GAP = re.compile(r"\{(?:(\w+)|(\d+)-(\d+)(,?))\}")


@dataclass(frozen=True)
class Phrase:
    """A relation in our own words."""

    id: str
    subject: str
    object: str
    names: tuple[str, ...]
    """The predicate as different data sets would write it."""
    inverse: tuple[str, ...]
    """The same for the relation from object to subject."""
    of_subject: tuple[str, ...]
    """Phrases after the subject's name: "was founded by {o}"."""
    of_object: tuple[str, ...]
    """Phrases after the object's name: "founded {s}"."""
    roles: tuple[str, ...]
    """The roles of the object: "founder"."""
    subject_roles: tuple[str, ...]

    @property
    def symmetric(self) -> bool:
        """Whether it holds in both directions."""
        return all(map(is_symmetric, self.names)) or self.names == self.inverse


@dataclass(frozen=True)
class NameType:
    """A type of things: nouns that refer back to one, and patterns of invented names."""

    nouns: tuple[str, ...]
    names: tuple[str, ...]


def _lines(name: str) -> list[str]:
    lines = (DATA / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def _parts(field: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in field.split(";") if part.strip())


@cache
def read_phrases() -> tuple[Phrase, ...]:
    """All relations of `phrases.txt`."""
    found = []
    for line in _lines("phrases"):
        name, types, *fields = line.split("|")
        subject, _, value = types.partition(">")
        found.append(Phrase(name, subject, value, *map(_parts, fields)))
    return tuple(found)


@cache
def read_overlaps() -> frozenset[frozenset[str]]:
    """Pairs of relations of which one may imply the other, so that neither is a near miss."""
    return frozenset(frozenset(line.split("/")) for line in _lines("overlaps"))


@cache
def read_types() -> Mapping[str, NameType]:
    """The types of `types.txt`."""
    rows = (line.split("|") for line in _lines("types") if not line.startswith("@"))
    return {name: NameType(_parts(nouns), _parts(names)) for name, nouns, names in rows}


@cache
def _lists() -> Mapping[str, tuple[str, ...]]:
    rows = (line[1:].split("|") for line in _lines("types") if line.startswith("@"))
    return {name: _parts(elements) for name, elements in rows}


@cache
def read_forms(name: Literal["verbs", "participles"]) -> Mapping[str, str]:
    """Verbs by their finite form: infinitives (`verbs`) or irregular participles."""
    own = dict(line.split() for line in _lines(name))
    return {**VERBS, **own} if name == "verbs" else own


def invent_name(kind: str, chance: random.Random) -> str:
    """An invented name of a type, or a value."""

    def expand(gap: re.Match[str]) -> str:
        if gap[2] is None:
            return chance.choice(_lists()[gap[1]])
        number = chance.randint(int(gap[2]), int(gap[3]))
        return f"{number:,}" if gap[4] else str(number)

    return _GAP.sub(expand, chance.choice(read_types()[kind].names))


# Manners

_BE = frozenset({"is", "are", "was", "were"})
_DENIED_BE = ("not", "not", "never", "no longer", "by no means")
_DENIED_PAST = (
    "did not {b}", "never {f}", "failed to {b}", "refused to {b}", "declined to {b}",
    "didn't {b}", "was not allowed to {b}", "decided not to {b}", "was unable to {b}",
    "gave up the idea to {b}", "came close but did not {b}",
)  # fmt: skip
_DENIED_PRESENT = (
    "does not {b}", "never {f}", "no longer {f}", "doesn't {b}", "refuses to {b}",
    "has stopped short of what it takes to {b}",
)  # fmt: skip
_DOUBTED: Mapping[str, Sequence[str]] = {
    "is": (
        "may be", "might be", "could be", "is said to be", "is rumoured to be", "is possibly",
        "is expected to be", "wants to be", "is allegedly", "hopes to be", "is likely to be",
        "may one day be",
    ),
    "was": (
        "may have been", "might have been", "was nearly", "was almost", "was supposed to be",
        "was allegedly", "was reportedly", "is thought to have been", "was possibly", "was to be",
        "would have been",
    ),
}  # fmt: skip
_DOUBTED_PAST = (
    "planned to {b}", "wanted to {b}", "hoped to {b}", "almost {f}", "allegedly {f}",
    "may have {p}", "is believed to have {p}", "was expected to {b}", "considered whether to {b}",
    "tried to {b}", "was asked to {b}", "intended to {b}",
)  # fmt: skip
_DOUBTED_PRESENT = (
    "plans to {b}", "wants to {b}", "hopes to {b}", "may {b}", "might {b}", "is expected to {b}",
    "allegedly {f}", "is thinking of whether to {b}", "could {b}", "is said to {b}",
)  # fmt: skip
_LIMITS = ("partly", "only in part", "hardly ever", "for the most part", "sometimes")
_LIMITS_VERB = ("partly", "hardly ever", "sometimes", "only occasionally")
_LIMITS_NAME = (
    "nobody and nothing but {}", "only {} and nobody else", "{} alone", "among several others {}",
    "two others besides {}",
)  # fmt: skip
_BOUNDS = (
    "at least", "more than", "up to", "fewer than", "no more than", "over", "less than", "at most",
    "barely half of",
)  # fmt: skip
_ON_NAME = 0.4
"""The share of limits that are put on the name and not on the verb."""


def say(words: str, manner: Manner, chance: random.Random) -> str:
    """A phrase as it is, or denied, doubted, limited or (before a number) bounded.

    >>> say("was founded by {o}", "stated", random.Random(0))
    'was founded by {o}'
    """
    first, _, rest = words.partition(" ")
    if manner == "denied":
        return f"{_deny(first, chance)} {rest}"
    if manner == "doubted":
        return f"{_doubt(first, chance)} {rest}"
    gap = "{o}" if "{o}" in words else "{s}"
    if manner == "bounded":
        return words.replace(gap, f"{chance.choice(_BOUNDS)} {gap}")
    if manner == "limited":
        if chance.random() < _ON_NAME:
            return words.replace(gap, chance.choice(_LIMITS_NAME).format(gap))
        if first in _BE:
            return f"{first} {chance.choice(_LIMITS)} {rest}"
        return f"{chance.choice(_LIMITS_VERB)} {words}"
    return words


def _deny(verb: str, chance: random.Random) -> str:
    if verb in _BE:
        return f"{verb} {chance.choice(_DENIED_BE)}"
    base = read_forms("verbs").get(verb)
    if base is None:
        return f"in no way {verb}"
    patterns = _DENIED_PRESENT if verb.endswith("s") else _DENIED_PAST
    return chance.choice(patterns).format(b=base, f=verb)


def _doubt(verb: str, chance: random.Random) -> str:
    if verb in _BE:
        return chance.choice(_DOUBTED["is" if verb in {"is", "are"} else "was"])
    base = read_forms("verbs").get(verb)
    if base is None:
        return f"supposedly {verb}"
    patterns = _DOUBTED_PRESENT if verb.endswith("s") else _DOUBTED_PAST
    participle = read_forms("participles").get(verb, verb)
    return chance.choice(patterns).format(b=base, f=verb, p=participle)
