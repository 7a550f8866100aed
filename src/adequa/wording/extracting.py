"""Templates from training data: the best of what its texts of one fact say.

Every text whose graph is one triple, and which names both of its ends once, is a *pattern* (see
`patterns`). For each predicate one plain pattern is chosen, by vote:

1. A fact has one vote, shared by its texts, so that a fact with many texts is not heard more often.
2. A vote counts for a pattern as far as the two are alike: the square of the overlap (Dice) of
   their words and pairs of neighbouring words, places among them. So the same words count 1, a
   variation most of it, and `The capital of <object> is <subject>` little for `The capital of
   <subject> is <object>`. `The novel <subject> was written by <object>` also counts as if it did
   not say what the subject is.
3. The predicate's name votes like half a fact, for patterns that have its words. It decides where
   there are few facts and is not heard where there are many.
4. The score is the mean of the votes, from 0 to 1, and a twentieth less where the verb after a name
   is a plural. The best score wins; of equals the shortest, then the first in the alphabet.

`the` before a place stays where three quarters of the names that stood there had it.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from adequa.data import Item, Triple
from adequa.entities.detector import Detector
from adequa.entities.vocabulary import SMALL_WORDS
from adequa.metrics.stemmer import stem
from adequa.models.linearise import readable
from adequa.wording.collection import Row, Templates, collect, fold_predicate
from adequa.wording.patterns import Pattern, pattern_of
from adequa.wording.templates import OBJECT, SUBJECT, Template

__all__ = ["Extracted", "Extraction", "extract"]

_MOST_TEXTS = 5000
"""Of a predicate, the texts that are looked at: more would not change the choice."""
_MOST_CANDIDATES, _MOST_VOICES = 200, 1000
_SHARE_WITH_ARTICLE = 0.75
_NAME_WEIGHT = 0.5
_PLURAL_WEIGHT = 0.95
_PLURALS = frozenset(("are", "were", "have"))
_PLACES = frozenset((SUBJECT, OBJECT))
_MOST_NOUNS = 3
_EMPTY_WORDS = frozenset(("the", "a", "an", "is", "are", "was", "were", "be", "been", "'s"))
_THE = re.compile(rf"\bthe (?={SUBJECT}|{OBJECT})", re.IGNORECASE)
_TITLE = re.compile(r"(?<=\S )[A-Z][a-z]+\b")
_WORD = re.compile(r"[^\W_]+")

Key = tuple[str, ...]
Features = Counter[str | tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Extracted:
    """The template of a predicate and what speaks for it."""

    predicate: str
    template: Template
    support: int
    """The facts with a text in these very words."""
    facts: int
    """The facts that had a vote."""
    score: float
    share: float | None
    """Of the predicate's other texts of one fact, those with all of its words; None without any."""


@dataclass(frozen=True)
class Extraction:
    """What was found, the predicates in alphabetical order, and which predicates have nothing."""

    found: tuple[Extracted, ...]
    missing: Mapping[str, str]
    """The predicates without a template, each with the reason."""

    @property
    def templates(self) -> Templates:
        """The templates for a metric or a file."""
        return collect(Row(one.predicate, one.template.string) for one in self.found)


@dataclass
class _Texts:
    """What the texts of one predicate say."""

    predicate: str
    words: frozenset[str]
    patterns: list[tuple[Triple, Pattern]] = field(default_factory=list)
    texts: int = 0


def extract(items: Iterable[Item], progress: Callable[[int], None] = lambda _: None) -> Extraction:
    """The best template of each predicate, from texts that say one fact; `progress` hears counts.

    A text of several facts says none of them alone: a predicate with such texts only is missing.
    """
    detector = Detector(mode="adequacy")
    known: dict[str, _Texts] = {}
    for done, item in enumerate(items, 1):
        for triple in item.triples:
            key = fold_predicate(triple.predicate)
            if key not in known:
                name = readable(triple, item.terms)[1]
                words = frozenset(_WORD.findall(name.lower()))
                known[key] = _Texts(triple.predicate, words)
        if len(item.triples) == 1 and item.text.strip():
            texts = known[fold_predicate(item.triples[0].predicate)]
            texts.texts += 1
            if texts.texts <= _MOST_TEXTS and (pattern := pattern_of(item, detector)):
                texts.patterns.append((item.triples[0], pattern))
        progress(done)
    found: list[Extracted] = []
    missing: dict[str, str] = {}
    for texts in sorted(known.values(), key=lambda one: one.predicate):
        best = _best(texts) if texts.patterns else None
        if best is not None:
            found.append(best)
        elif not texts.texts:
            missing[texts.predicate] = "no text says this fact alone"
        elif not texts.patterns:
            missing[texts.predicate] = "no text names both ends, each once, as the data does"
        else:
            missing[texts.predicate] = "no text is plain: other names, figures or sentences in all"
    return Extraction(tuple(found), missing)


def _best(texts: _Texts) -> Extracted | None:
    per_fact = Counter(fact for fact, _ in texts.patterns)
    voices: dict[Key, float] = defaultdict(float)
    sayers: dict[Key, set[Triple]] = defaultdict(set)
    for fact, pattern in texts.patterns:
        voices[pattern.key] += 1 / per_fact[fact]
        sayers[pattern.key].add(fact)
    plain = {pattern.key for _, pattern in texts.patterns if pattern.is_plain(texts.words)}
    ranked = sorted(voices, key=lambda key: (-voices[key], key))
    stems = {stem(word) for word in texts.words}
    heard = [(_features_heard(key, stems), voices[key]) for key in ranked[:_MOST_VOICES]]
    total = sum(weight for _, weight in heard) + _NAME_WEIGHT
    candidates = []
    for key in [key for key in ranked if key in plain][:_MOST_CANDIDATES]:
        own = _features(key)
        votes = sum(
            weight * max(_likeness(own, other) for other in said) ** 2 for said, weight in heard
        )
        named = len(stems & {stem(word) for word in key}) / max(len(stems), 1)
        score = (votes + _NAME_WEIGHT * named) / total
        if any(one in _PLACES and verb in _PLURALS for one, verb in pairwise(key)):
            score *= _PLURAL_WEIGHT
        candidates.append((-round(score, 6), len(key), key))
    if not candidates:
        return None
    score, _, key = min(candidates)
    template = _written(key, texts)
    return Extracted(
        texts.predicate, template, len(sayers[key]), len(per_fact), -score, _share(key, texts)
    )


def _features(key: Key) -> Features:
    """The words of a pattern and the pairs of neighbours, its two borders among them."""
    return Counter([*key, *pairwise(["", *key, ""])])


def _features_heard(key: Key, own: set[str]) -> list[Features]:
    """The features of a pattern as it is, and without nouns put before a name."""
    kept: list[str] = []
    for word in key:
        if word in _PLACES:
            at = len(kept)
            while at > max(len(kept) - _MOST_NOUNS, 0) and _is_noun(kept[at - 1], own):
                at -= 1
            if at < len(kept) and (at == 0 or kept[at - 1] == "the"):
                del kept[max(at - 1, 0) :]
        kept.append(word)
    bare = tuple(kept)
    return [_features(key)] if bare == key else [_features(key), _features(bare)]


def _is_noun(word: str, own: set[str]) -> bool:
    """Whether a word can be left out before a name: no small word, and none of the predicate."""
    return (
        word not in SMALL_WORDS and word not in _PLACES and word != "'s" and stem(word) not in own
    )


def _likeness(one: Features, other: Features) -> float:
    common = sum(min(count, other[feature]) for feature, count in one.items())
    return 2 * common / (sum(one.values()) + sum(other.values()))


def _written(key: Key, texts: _Texts) -> Template:
    """The pattern as most texts write it, with `the` only before places that as a rule have it.

    Commas around names go, and words of a predicate in camel case lose their capitals: nothing
    says that they are names.
    """
    same = [
        (fact, pattern)
        for fact, pattern in texts.patterns
        if pattern.key == key and pattern.is_plain(texts.words)
    ]
    forms = Counter(_THE.sub("", pattern.string).replace(",", "") for _, pattern in same)
    string = min(forms, key=lambda form: (-forms[form], len(form), form))
    for place in (SUBJECT, OBJECT):
        with_article: dict[str, list[bool]] = defaultdict(list)
        for fact, pattern in same:
            name = fact.subject if place == SUBJECT else fact.object
            with_article[name].append(f"the {place}" in pattern.string.lower())
        shares = [sum(flags) / len(flags) for flags in with_article.values()]
        if sum(shares) / len(shares) >= _SHARE_WITH_ARTICLE:
            string = string.replace(place, f"the {place}")
    if " " not in texts.predicate:
        string = _TITLE.sub(lambda word: word[0].lower(), string)
    return Template(string[:1].upper() + string[1:])


def _share(key: Key, texts: _Texts) -> float | None:
    """The share of the other texts that have all words of a pattern, whatever their form."""
    words = {stem(word) for word in key if word not in _EMPTY_WORDS}
    others = [pattern.key for _, pattern in texts.patterns if pattern.key != key]
    if not others:
        return None
    return sum(words <= {stem(word) for word in other} for other in others) / len(others)
