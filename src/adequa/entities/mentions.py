"""Mentions mode: every span that refers to an entity, with the boundaries an annotator would draw.

Names, numbers and dates give cores. Each core is kept or dropped and its ends are drawn, and
pronouns and nouns are resolved to entities. Each decision is a choice among options by a `Judge`.
An option is a list of features, which are plain strings; its score is the sum of their weights, and
its probability the softmax over the options of one choice. `adequa train mentions` learns the
weights; those shipped were learned on the train split of enriched WebNLG 1.6 (docs/mentions.md).
"""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple, Protocol

from adequa.entities import coreference
from adequa.entities.candidates import Candidate
from adequa.entities.coreference import Anaphor, History
from adequa.entities.graph import Entity, Graph
from adequa.entities.lexicon import ENTITY_TYPES
from adequa.text import PreparedText, word_set

DETERMINERS = {"the", "a", "an", "this", "that", "its", "his", "their", "both"}
_VERBS = word_set(
    "is was are were has have had can will be been and or who which that where in of on at by for "
    "with from to as but while whose when also located born died plays"
)
_POSSESSIVE = re.compile(r"\s?['’´`]s?(?![^\W_])")
_QUOTES = "\"“”'‘’`"
_WIDE = 3
"""The most adjectives and nouns between a determiner and a core."""


class Side(NamedTuple):
    """A possible begin or end of a mention, and its features."""

    offset: int
    features: Sequence[str]


def _word_at(text: PreparedText, offset: int, *, end: bool) -> int | None:
    """The word that begins or ends at an offset of the text."""
    places = text.ends if end else text.starts
    at = bisect_left(places, offset)
    return at if at < len(places) and places[at] == offset else None


def _shape(text: PreparedText, word: int) -> str:
    letter = text.string[text.starts[word]]
    return "upper" if letter.isupper() else "digit" if letter.isdigit() else "lower"


def _context(candidate: Candidate, entity: Entity, graph: Graph, text: PreparedText) -> list[str]:
    """Features of a core: of its entity, its name and the words on both sides."""
    first = _word_at(text, candidate.start, end=False)
    last = _word_at(text, candidate.end, end=True)
    features = [f"kind={entity.kind}", f"method={candidate.method}"]
    if last is not None and text.words[last] in entity.nouns:
        features.append("last:own noun")
    if entity.label.base[1:].islower():
        features.append("common noun")
    if entity.person:
        features.append("person")
    types = {use.type for use in entity.uses}
    features.extend(f"is={one}" for one in ENTITY_TYPES if one in types)
    if first is not None:
        features.append(f"core={_shape(text, first)}")
    if last is None or last + 1 >= len(text.words):
        features.append("next=END")
        return features
    gap = text.between(last, last + 1)
    following = text.words[last + 1]
    if "'" in gap or "’" in gap:
        features.append("next='s")
    elif gap.strip():
        features.append(f"next={gap.strip()[0]}")
    else:
        shape = _shape(text, last + 1)
        features += [f"next={following}", f"next:{shape}"]
        if following not in _VERBS:
            features += [f"next:content:{shape}", f"next:{following[-3:]}"]
            if following in graph.predicate_words:
                features.append("next:predicate")
            if following in entity.nouns:
                features.append("next:own noun")
    return features


def left_sides(
    candidate: Candidate, entity: Entity, graph: Graph, text: PreparedText, taken: bytearray
) -> list[Side]:
    """Possible begins of a mention: the core, a word before it or a determiner before that."""
    sides = [Side(candidate.start, ["none"])]
    first = _word_at(text, candidate.start, end=False)
    if first is None:
        return sides
    between: list[str] = []
    for word in range(first - 1, max(first - 2 - _WIDE, -1), -1):
        if taken[text.starts[word]]:
            break
        gap = text.between(word, word + 1)
        if gap.strip(" \"'“‘(,") or ("," in gap and not between):
            break
        string = text.words[word]
        if string in DETERMINERS:
            features = (
                _wide_features(string, word, between, entity, text)
                if between
                else _determiner_features(string, word, candidate, entity, graph, text)
            )
            sides.append(Side(text.starts[word], features))
            break
        if _shape(text, word) == "digit" or string in _VERBS:
            break
        if not between and not gap.strip():
            sides.append(Side(text.starts[word], _bare_features(string, word, entity, graph, text)))
        if _shape(text, word) != "lower":
            break
        between.append(string)
    return sides


def _bare_features(
    string: str, word: int, entity: Entity, graph: Graph, text: PreparedText
) -> list[str]:
    """Features of a word before the core without a determiner: `architect John Madin`."""
    features = ["bare", f"bare={string}", f"bare:{_shape(text, word)}"]
    features.append(f"bare:own={string in entity.nouns}")
    features.append(f"bare:predicate={string in graph.predicate_words}")
    features.append(f"bare:kind={entity.kind}&person={entity.person}")
    if word == 0 or text.sentences[word - 1] != text.sentences[word]:
        features.append("bare:first")
    return features


def _wide_features(
    determiner: str, word: int, between: Sequence[str], entity: Entity, text: PreparedText
) -> list[str]:
    nouns = sum(noun in entity.nouns for noun in between)
    return [
        *(f"wide{len(between)}", f"wide:{determiner}", f"wide:nouns={nouns}/{len(between)}"),
        *(f"wide:{noun}" for noun in between),
        *(f"wide:kind={entity.kind}", f"wide:core={_shape(text, word + len(between) + 1)}"),
    ]


def _determiner_features(
    determiner: str,
    word: int,
    candidate: Candidate,
    entity: Entity,
    graph: Graph,
    text: PreparedText,
) -> list[str]:
    context = _context(candidate, entity, graph, text)
    before = text.words[word - 1] if word and not text.between(word - 1, word).strip() else "START"
    features = [
        f"det={determiner}",
        *(f"det={determiner}&{feature}" for feature in context),
        *(f"det&{feature}" for feature in context),
        *(f"det={determiner}&before={before}", f"det&first={text.words[word + 1]}"),
        f"det&ends={text.string[candidate.start : candidate.end].lower()[-6:]}",
    ]
    if entity.label.base.lower().startswith("the "):
        features.append("det&own article")
    return features


def right_sides(
    candidate: Candidate, entity: Entity, graph: Graph, text: PreparedText, taken: bytearray
) -> list[Side]:
    """Possible ends of a mention: the core, or after a possessive, a unit or a noun."""
    end = candidate.end
    sides = [Side(end, ["none"])]
    if candidate.reach > end and entity.kind not in ("number", "date"):
        part = text.string[end : candidate.reach].strip(" ,")
        features = ["whole", f"whole:method={candidate.method}"]
        features.append(f"whole:comma={',' in text.string[end : candidate.reach]}")
        features.extend(f"whole:{use.predicate}:{use.is_subject}" for use in entity.uses)
        features.append(f"whole:again={text.string.count(part) > 1}")
        features.append(f"whole:literal={entity.string[:1] == _QUOTES[0]}")
        return [*sides, Side(candidate.reach, features)]
    if candidate.reach > end:
        unit = text.folded[end : candidate.reach].strip(" ()-")
        features = ["unit", f"unit={unit}", f"unit:own={bool(entity.label.qualifier)}"]
        features.append(f"unit:glued={text.string[end].isalnum()}")
        features.append(f"unit:predicate={any('(' in use.predicate for use in entity.uses)}")
        features.extend(f"unit:{use.predicate}" for use in entity.uses)
        return [*sides, Side(candidate.reach, features)]
    possessive = _POSSESSIVE.match(text.string, end)
    context = _context(candidate, entity, graph, text)
    last = _word_at(text, end, end=True)
    if possessive:
        features = ["'s", *(f"'s&{feature}" for feature in context if "next" not in feature)]
        if last is not None and last + 2 < len(text.words):
            after = text.words[last + 2]
            features.append("'s&after:predicate" if after in graph.predicate_words else "'s&after")
            if taken[text.starts[last + 2]]:
                features.append("'s&after:mention")
        return [*sides, Side(possessive.end(), features)]
    if last is None or last + 1 >= len(text.words) or taken[text.starts[last + 1]]:
        return sides
    gap = text.between(last, last + 1)
    following = text.words[last + 1]
    if gap.strip(" -") or entity.kind in ("date", "number"):
        return sides
    own = following in entity.nouns
    if own or following in graph.predicate_words or _shape(text, last + 1) == "upper":
        features = ["noun", f"noun={following}", f"noun:own={own}"]
        features.append(f"noun:{_shape(text, last + 1)}")
        features.append(f"noun:predicate={following in graph.predicate_words}")
        features.extend(f"noun&{feature}" for feature in context if "next" not in feature)
        sides.append(Side(text.ends[last + 1], features))
    return sides


def keep_features(
    candidate: Candidate, graph: Graph, text: PreparedText, *, before: int, others: int
) -> list[str]:
    """Features of a core being a mention; `before` counts earlier cores of its entity."""
    entity, method = graph.entities[candidate.entity], candidate.method
    context = _context(candidate, entity, graph, text)
    features = ["keep", *context, f"tier={candidate.tier}"]
    features += [f"{method}&before={min(before, 2)}", f"{method}&others={min(others, 2)}"]
    features.append(f"{method}&length={min((candidate.end - candidate.start) // 4, 5)}")
    features.append(f"{method}&distance={int(candidate.distance * 10)}")
    if entity.person:
        features.append(f"{method}&person")
    first = _word_at(text, candidate.start, end=False)
    opening = text.string[max(candidate.start - 2, 0) : candidate.start]
    closing = text.string[candidate.end : candidate.end + 3]
    literal = entity.string[:1] == '"'
    for mark in _QUOTES:
        if mark in opening:
            features.append(f"quoted&{literal}")
            if mark in closing:
                features.append(f"quoted whole&{method}")
    if "(" in opening:
        features.append("in brackets")
    features.extend(f"use={use.predicate}" for use in entity.uses)
    if literal:
        features.append("literal")
    if first:
        gap = text.between(first - 1, first)
        if not gap.strip():
            features.append(f"previous={text.words[first - 1]}")
            features.append(f"previous:{_shape(text, first - 1)}&{method}")
        elif "," in gap:
            features.append("previous:,")
    features.extend(f"{method}&{feature}" for feature in context if feature.startswith("next"))
    return features


Weights = Mapping[str, float]


def probabilities(weights: Weights, options: Sequence[Iterable[str]]) -> list[float]:
    """The probability of each option.

    >>> probabilities({"good": 1.0}, [["good"], []])[0] > 0.7
    True
    """
    get = weights.get
    scores = [sum([get(feature, 0.0) for feature in option]) for option in options]
    top = max(scores)
    powers = [math.exp(score - top) for score in scores]
    total = sum(powers)
    return [power / total for power in powers]


@cache
def load_weights(name: str = "mentions") -> Mapping[str, Weights]:
    """The shipped weights, by decision."""
    source = files("adequa.entities") / "resources" / f"{name}.json"
    loaded: dict[str, dict[str, float]] = json.loads(source.read_text(encoding="utf-8"))["weights"]
    return loaded


_REMEMBERED = 40
"""The most mentions before an anaphor that are considered; bounds the time."""


class Option(NamedTuple):
    """An option of a decision: the resulting span and entity, and its features."""

    start: int
    end: int
    entity: int | None
    features: Sequence[str]


class Judge(Protocol):
    """Makes the decisions `keep`, `left`, `right` and `anaphor`."""

    def decide(self, decision: str, options: Sequence[Option]) -> int:
        """The index of the chosen option."""


class WeightsJudge:
    """Decides by weights: the shipped ones, or those that `adequa train mentions` wrote."""

    def __init__(self, weights: Mapping[str, Weights] | None = None) -> None:
        self._weights = weights

    def decide(self, decision: str, options: Sequence[Option]) -> int:
        """The index of the most probable option."""
        known = load_weights() if self._weights is None else self._weights
        weights = known.get(decision, {})  # none, if the corpus was too small: the first option
        chances = probabilities(weights, [option.features for option in options])
        return chances.index(max(chances))


def draw(
    cores: Sequence[Candidate], graph: Graph, text: PreparedText, judge: Judge, *, anaphors: bool
) -> list[Candidate]:
    """The mentions of cores and anaphors, in text order."""
    taken = bytearray(len(text.string) + 1)
    kept = _keep(sorted(cores), graph, text, judge)
    for core in kept:
        taken[core.start : core.end] = b"\1" * (core.end - core.start)
    drawn: list[Candidate] = []
    for core in kept:
        if not drawn or core.start >= drawn[-1].end:  # `Texas` within `Abilene, Texas`
            mention = _draw(core, graph, text, taken, judge)
            taken[mention.start : mention.end] = b"\1" * (mention.end - mention.start)
            drawn.append(mention)
    if anaphors:
        drawn += _resolve(drawn, graph, text, taken, judge)
    return sorted(drawn)


def _keep(
    cores: Sequence[Candidate], graph: Graph, text: PreparedText, judge: Judge
) -> list[Candidate]:
    kept: list[Candidate] = []
    seen: Counter[int] = Counter()
    all_of = Counter(core.entity for core in cores)
    for core in cores:
        before, others = seen[core.entity], all_of[core.entity] - 1
        features = keep_features(core, graph, text, before=before, others=others)
        options = [
            Option(core.start, core.end, core.entity, features),
            Option(core.start, core.end, None, []),
        ]
        if judge.decide("keep", options) == 0:
            kept.append(core)
            seen[core.entity] += 1
    return kept


def _draw(
    core: Candidate, graph: Graph, text: PreparedText, taken: bytearray, judge: Judge
) -> Candidate:
    entity = graph.entities[core.entity]
    right = right_sides(core, entity, graph, text, taken)
    if len(right) > 1:
        options = [Option(core.start, side.offset, core.entity, side.features) for side in right]
        core = core._replace(end=right[judge.decide("right", options)].offset)
    left = left_sides(core, entity, graph, text, taken)
    if len(left) > 1:
        options = [Option(side.offset, core.end, core.entity, side.features) for side in left]
        core = core._replace(start=left[judge.decide("left", options)].offset)
    return core


def _resolve(
    drawn: Sequence[Candidate], graph: Graph, text: PreparedText, taken: bytearray, judge: Judge
) -> list[Candidate]:
    pairs = sorted((bisect_left(text.starts, core.start), core.entity) for core in drawn)
    found: list[Candidate] = []
    for anaphor in coreference.find_anaphors(graph, text, taken):
        at = bisect_left(pairs, (anaphor.word, -1))
        near = pairs[max(at - _REMEMBERED, 0) : at + 3]
        history = History([word for word, _ in near], [entity for _, entity in near])
        entity = _referent(anaphor, graph, text, history, judge)
        if entity is not None:
            method = "noun" if anaphor.noun else "pronoun"
            span = anaphor.start, anaphor.end
            found.append(Candidate(*span, entity=entity, tier=2, distance=0.0, method=method))
            insort(pairs, (anaphor.word, entity))
    return found


def _referent(
    anaphor: Anaphor, graph: Graph, text: PreparedText, history: History, judge: Judge
) -> int | None:
    none = coreference.none_features(anaphor, text, history)
    options = [Option(anaphor.start, anaphor.end, None, none)]
    for number, entity in enumerate(graph.entities):
        if anaphor.noun and anaphor.noun not in entity.nouns:
            continue
        if entity.kind in ("date", "number", "boolean"):
            continue
        features = coreference.option_features(anaphor, number, graph, text, history)
        options.append(Option(anaphor.start, anaphor.end, number, features))
    return options[judge.decide("anaphor", options)].entity if len(options) > 1 else None
