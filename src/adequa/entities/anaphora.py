"""Pronouns and common nouns (`it`, `the airport`): which entity they stand for, if any."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from adequa.entities import lexicon
from adequa.entities.graph import Graph
from adequa.text import PreparedText

PRONOUNS = {
    **dict.fromkeys(("it", "its", "itself"), "it"),
    **dict.fromkeys(("he", "his", "him", "himself"), "he"),
    **dict.fromkeys(("she", "her", "hers", "herself"), "she"),
    **dict.fromkeys(("they", "their", "them", "theirs"), "they"),
}
_PRONOUN = re.compile(rf"\b(?:{'|'.join(PRONOUNS)})\b", re.IGNORECASE)
_SMALL = frozenset("the a an is was are were has have of in by and to s".split())  # noqa: SIM905
_POINTERS = {"the", "this", "that", "these", "those"}
_POSSESSIVE = re.compile(r"\s?['’´`]s?(?![^\W_])")


class Anaphor(NamedTuple):
    """A pronoun, or a determiner with a noun that fits an entity."""

    start: int
    end: int
    form: str
    """The pronoun's class, or the determiner."""
    noun: str
    word: int
    """Where it stands among the words."""


def pronoun_spans(text: str) -> list[tuple[int, int]]:
    """Where the pronouns of a text stand."""
    return [match.span() for match in _PRONOUN.finditer(text)]


class History(NamedTuple):
    """The mentions around an anaphor: places among the words, and entities, in text order."""

    words: Sequence[int]
    entities: Sequence[int]


def anaphors(graph: Graph, text: PreparedText, taken: bytearray) -> list[Anaphor]:
    """Every pronoun and every fitting noun that no name has taken."""
    nouns = {noun for entity in graph.entities for noun in entity.nouns if " " not in noun}
    found: list[Anaphor] = []
    words = text.words
    for number, word in enumerate(words):
        if taken[text.starts[number]]:
            continue
        if word in PRONOUNS:
            end = text.ends[number]
            form = PRONOUNS[word]
            possessive = _POSSESSIVE.match(text.string, end) if word == "it" else None
            if possessive:  # it is, or a misspelt its
                end, form = possessive.end(), "it's"
            found.append(Anaphor(text.starts[number], end, form, "", number))
        elif word in _POINTERS and number + 1 < len(words):
            for last in (number + 2, number + 1):
                if (
                    last < len(words)
                    and words[last] in nouns
                    and taken.find(1, text.starts[number], text.ends[last]) < 0
                ):
                    inner = text.between(number, last)
                    if any(mark in inner for mark in ",.;:()\"'"):
                        continue
                    end = text.ends[last]
                    possessive = _POSSESSIVE.match(text.string, end)
                    if possessive:
                        end = possessive.end()
                    found.append(Anaphor(text.starts[number], end, word, words[last], number))
                    break
    return found


def option_features(
    anaphor: Anaphor, number: int, graph: Graph, text: PreparedText, history: History
) -> list[str]:
    """What speaks for an entity being what an anaphor stands for."""
    entity = graph.entities[number]
    form = anaphor.form if not anaphor.noun else "noun"
    at = bisect_left(history.words, anaphor.word)
    before = history.entities[:at]
    features = [f"{form}|entity"]
    kinds = {use.kind for use in entity.uses} or {"-"}
    features.extend(f"{form}|is={kind}" for kind in sorted(kinds))
    features.append(f"{form}|kind={entity.kind}")
    features.append(f"{form}|person={entity.person}")
    features.append(f"{form}|root={number == graph.root}")
    recent = list(dict.fromkeys(reversed(before)))
    rank = recent.index(number) if number in recent else None
    features.append(f"{form}|rank={'none' if rank is None else min(rank, 3)}")
    subjects = sum(use.is_subject for use in entity.uses)
    features.append(f"{form}|subject={min(subjects, 2)}")
    features.append(f"{form}|seen={min(before.count(number), 2)}")
    features.extend(_sentence_features(form, number, anaphor, text, history, at))
    features.extend(_link_features(form, number, graph, history, at))
    following = text.words[anaphor.word + 1 : anaphor.word + 6]
    said = [word for word in following if word not in _SMALL]
    subject = any(word in graph.predicates_of(number, subject=True) for word in said)
    object_ = any(word in graph.predicates_of(number, subject=False) for word in said)
    features.append(f"{form}|says subject={subject}&object={object_}")
    if entity.person and form in ("he", "she"):
        gender = lexicon.gender(entity.label.base.split(" ")[0])
        clash = (gender == "m" and form == "she") or (gender == "f" and form == "he")
        features.append(f"gender clash={clash}")
    if anaphor.noun:
        features.append(f"noun|own={anaphor.noun in entity.nouns}")
        features.append(f"noun|label={anaphor.noun in entity.label.string.lower().split()}")
        features.append(f"noun|{anaphor.form}")
        fitting = sum(anaphor.noun in other.nouns for other in graph.entities)
        features.append(f"noun|fitting={min(fitting, 3)}&own={anaphor.noun in entity.nouns}")
        features.append(f"noun={anaphor.noun}")
    return features


def none_features(anaphor: Anaphor, text: PreparedText, history: History) -> list[str]:
    """What speaks for an anaphor standing for no entity of the data."""
    form = anaphor.form if not anaphor.noun else "noun"
    features = [f"none|{form}"]
    if anaphor.noun:
        features += [f"none|{anaphor.form}", f"none|noun={anaphor.noun}"]
    following = anaphor.word + (2 if anaphor.noun or anaphor.form == "it's" else 1)
    if following < len(text.words):
        features.append(f"none|{form}|next={text.words[following]}")
        if anaphor.noun:
            gap = text.between(following - 1, following)
            features.append(f"none|noun|gap={gap.strip()[:1]}")
    if anaphor.word:
        features.append(f"none|{form}|previous={text.words[anaphor.word - 1]}")
    features.append(f"none|{form}|first={not history.words or history.words[0] > anaphor.word}")
    return features


def _sentence_features(
    form: str, number: int, anaphor: Anaphor, text: PreparedText, history: History, at: int
) -> list[str]:
    sentences = text.sentences
    here = sentences[anaphor.word]
    features = []
    first_here = next(
        (
            entity
            for word, entity in zip(history.words[:at], history.entities[:at], strict=True)
            if sentences[word] == here
        ),
        None,
    )
    first_before = next(
        (
            entity
            for word, entity in zip(history.words[:at], history.entities[:at], strict=True)
            if sentences[word] == here - 1
        ),
        None,
    )
    if first_here is not None:
        features.append(f"{form}|first here={first_here == number}")
    else:
        features.append(f"{form}|first before={first_before == number}")
    if at and history.entities[at - 1] == number:
        close = sentences[history.words[at - 1]] == here
        features.append(f"{form}|last here={close}")
    return features


def _link_features(form: str, number: int, graph: Graph, history: History, at: int) -> list[str]:
    """Whether the data relates the entity to what is mentioned next."""
    features = []
    for step, other in enumerate(history.entities[at : at + 2]):
        if other == number:
            features.append(f"{form}|next{step}=same")
        elif (number, other) in graph.links:
            features.append(f"{form}|next{step}=object")
        elif (other, number) in graph.links:
            features.append(f"{form}|next{step}=subject")
        else:
            features.append(f"{form}|next{step}=no")
    return features
