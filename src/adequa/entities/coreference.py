"""Pronouns and common nouns (`it`, `the airport`): which entity they refer to, if any.

`find_anaphors` and the features below serve the learned decisions of mentions mode. Optionally,
`StanzaCoreference` (extra `coref`) gives coreference chains, used as in the paper (section 4.1): a
pronoun in a chain with a detected mention refers to the entity of that mention.
"""

from __future__ import annotations

import importlib
import pickle
import re
import threading
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from adequa.data import Mention
from adequa.entities import lexicon
from adequa.entities.graph import Graph
from adequa.entities.lexicon import ENTITY_TYPES
from adequa.errors import MissingExtra, ModelError, ServiceError
from adequa.text import PreparedText, Span, word_set

PRONOUNS = {
    **dict.fromkeys(("it", "its", "itself"), "it"),
    **dict.fromkeys(("he", "his", "him", "himself"), "he"),
    **dict.fromkeys(("she", "her", "hers", "herself"), "she"),
    **dict.fromkeys(("they", "their", "them", "theirs"), "they"),
}
_PRONOUN = re.compile(rf"\b(?:{'|'.join(PRONOUNS)})\b", re.IGNORECASE)
_SMALL = word_set("the a an is was are were has have of in by and to s")
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
    """Its place among the words of the text."""


def pronoun_spans(text: str) -> list[tuple[int, int]]:
    """The spans of a text's pronouns."""
    return [match.span() for match in _PRONOUN.finditer(text)]


class History(NamedTuple):
    """The mentions around an anaphor in text order: their word numbers and entities."""

    words: Sequence[int]
    entities: Sequence[int]


def find_anaphors(graph: Graph, text: PreparedText, taken: bytearray) -> list[Anaphor]:
    """Every pronoun and fitting noun outside of `taken`."""
    nouns = {noun for entity in graph.entities for noun in entity.nouns if " " not in noun}
    found: list[Anaphor] = []
    words = text.words
    for number, word in enumerate(words):
        if taken[text.starts[number]]:
            continue
        if word in PRONOUNS:
            end, form = text.ends[number], PRONOUNS[word]
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
                    and not any(mark in text.between(number, last) for mark in ",.;:()\"'")
                ):
                    possessive = _POSSESSIVE.match(text.string, text.ends[last])
                    end = possessive.end() if possessive else text.ends[last]
                    found.append(Anaphor(text.starts[number], end, word, words[last], number))
                    break
    return found


def option_features(
    anaphor: Anaphor, number: int, graph: Graph, text: PreparedText, history: History
) -> list[str]:
    """Features of an entity as the referent of an anaphor."""
    entity = graph.entities[number]
    form = anaphor.form if not anaphor.noun else "noun"
    at = bisect_left(history.words, anaphor.word)
    before = history.entities[:at]
    features = [f"{form}|entity"]
    types = {use.type for use in entity.uses} or {"unknown"}
    features.extend(f"{form}|is={one}" for one in ENTITY_TYPES if one in types)
    features += [f"{form}|kind={entity.kind}", f"{form}|person={entity.person}"]
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
    content = [word for word in following if word not in _SMALL]
    subject = any(word in graph.predicates_of(number, subject=True) for word in content)
    object_ = any(word in graph.predicates_of(number, subject=False) for word in content)
    features.append(f"{form}|says subject={subject}&object={object_}")
    if entity.person and form in ("he", "she"):
        gender = lexicon.gender(entity.label.base.split(" ")[0])
        clash = (gender == "m" and form == "she") or (gender == "f" and form == "he")
        features.append(f"gender clash={clash}")
    if anaphor.noun:
        own = anaphor.noun in entity.nouns
        labelled = anaphor.noun in entity.label.string.lower().split()
        features += [f"noun|own={own}", f"noun|label={labelled}", f"noun|{anaphor.form}"]
        fitting = sum(anaphor.noun in other.nouns for other in graph.entities)
        features += [f"noun|fitting={min(fitting, 3)}&own={own}", f"noun={anaphor.noun}"]
    return features


def none_features(anaphor: Anaphor, text: PreparedText, history: History) -> list[str]:
    """Features of an anaphor without a referent in the data."""
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
    firsts: dict[int, int] = {}
    for word, entity in zip(history.words[:at], history.entities[:at], strict=True):
        firsts.setdefault(sentences[word], entity)
    if here in firsts:
        features = [f"{form}|first here={firsts[here] == number}"]
    else:
        features = [f"{form}|first before={firsts.get(here - 1) == number}"]
    if at and history.entities[at - 1] == number:
        close = sentences[history.words[at - 1]] == here
        features.append(f"{form}|last here={close}")
    return features


def _link_features(form: str, number: int, graph: Graph, history: History, at: int) -> list[str]:
    """Whether the data relates the entity to the entities mentioned next."""
    features = []
    for step, other in enumerate(history.entities[at : at + 2]):
        role = "subject" if (other, number) in graph.links else "no"
        role = "object" if (number, other) in graph.links else role
        features.append(f"{form}|next{step}={'same' if other == number else role}")
    return features


_PROCESSORS = "tokenize,coref"
_PIPELINES: dict[tuple[str, str | None], Callable[[str], Any]] = {}
_LOADING = threading.Lock()

# Errors of torch and Stanza for a text they cannot handle, such as a chain over two sentences.
_FAILURES = (
    *(ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError, OSError),
    *(RuntimeError, TypeError, ValueError),
)


@dataclass(frozen=True)
class StanzaCoreference:
    """Coreference by Stanza with models on disk; nothing is downloaded.

    `pipeline` is any callable from a text to a Stanza document.
    """

    lang: str = "en"
    model_dir: str | None = None
    pipeline: Callable[[str], Any] | None = field(default=None, repr=False, compare=False)

    def chains(self, text: str) -> tuple[tuple[Span, ...], ...]:
        """The chains of coreferring spans, as offsets into the text."""
        if not text.strip():
            return ()
        pipeline = self.pipeline or _load(self.lang, self.model_dir)
        service = f"stanza coreference ({self.lang})"
        try:
            document = pipeline(text)
            chains = [_spans(document, chain.mentions, len(text)) for chain in document.coref or ()]
        except _FAILURES as error:
            problem = f"failed on a text ({type(error).__name__}: {str(error)[:200]})"
            raise ServiceError(service, problem, "leave coreference out, or change the text") from (
                error
            )
        return tuple(sorted(chain for chain in chains if chain))


def _load(lang: str, model_dir: str | None) -> Callable[[str], Any]:
    key = lang, model_dir
    with _LOADING:
        if key not in _PIPELINES:
            _PIPELINES[key] = _new_pipeline(lang, model_dir)
        return _PIPELINES[key]


def _new_pipeline(lang: str, model_dir: str | None) -> Callable[[str], Any]:
    try:
        stanza = importlib.import_module("stanza")
    except ImportError:
        raise MissingExtra("coref", "stanza") from None
    place = {} if model_dir is None else {"model_dir": model_dir}
    written = "".join(f", {name}={value!r}" for name, value in place.items())
    remedy = (
        f"fetch it once: stanza.download({lang!r}, processors={_PROCESSORS!r}{written}), and "
        f"stanza.Pipeline({lang!r}, processors={_PROCESSORS!r}{written}) for its transformer"
    )
    try:
        # On a GPU sums are computed in another order, which may change the chains of a text.
        options = {"download_method": None, "use_gpu": False, "verbose": False, **place}
        pipeline = stanza.Pipeline(lang, processors=_PROCESSORS, **options)
    except ImportError as error:
        raise MissingExtra("coref", error.name or "transformers") from error
    except (OSError, ValueError, RuntimeError, LookupError, pickle.UnpicklingError) as error:
        raise ModelError(
            f"Stanza's coreference model for {lang!r} cannot be loaded "
            f"({type(error).__name__}: {str(error)[:300]}); {remedy}"
        ) from error
    # Without the coreference model Stanza loads the other processors and finds no chains.
    if "coref" not in pipeline.processors:
        raise ModelError(f"Stanza has no coreference model for {lang!r} on this machine; {remedy}")
    return pipeline  # type: ignore[no-any-return]


def _spans(document: Any, mentions: Iterable[Any], length: int) -> tuple[Span, ...]:
    # The structures of Stanza 1.15: `Document.coref` is a list of CorefChain, its `mentions` are
    # CorefMention(sentence, start_word, end_word): a sentence of the document and a slice of its
    # words, counted from 0. A dropped pronoun has pairs for words and no place in the text.
    spans: set[Span] = set()
    for mention in mentions:
        if isinstance(mention.start_word, tuple) or isinstance(mention.end_word, tuple):
            continue
        words = document.sentences[mention.sentence].words[mention.start_word : mention.end_word]
        start, end = _offset(words[0], "start_char"), _offset(words[-1], "end_char")
        if not 0 <= start < end <= length:
            raise ValueError(f"a mention at {start} to {end} is outside the text")
        spans.add((start, end))
    return tuple(sorted(spans))


def _offset(word: Any, name: str) -> int:
    # A word that is part of a token ("can", "not") has offsets only where its letters are there.
    value = getattr(word, name)
    if value is None:
        value = getattr(word.parent, name)
    if not isinstance(value, int):
        raise TypeError(f"a word has no {name}")
    return value


# Letters of an article before, or a possessive or full stop after, which make no other phrase.
_SLACK_BEFORE = 4
_SLACK_AFTER = 2
# Words that may follow a name that is the head of its phrase; a noun after it would be the head.
_AFTER_HEAD = re.compile(
    r"\s*[,(–—]|\s+(?:at|based|born|from|in|located|near|of|on|that|which|who)\b"
)


def resolve_pronouns(
    chains: Iterable[Sequence[Span]],
    mentions: Sequence[Mention],
    pronouns: Sequence[Span],
    text: str | None = None,
) -> dict[Span, str]:
    """The entity of each pronoun: that of the nearest mention before it in its chain.

    If there is none before, the nearest after it. With `text`, a long phrase of a chain ("Aarhus, a
    city in Denmark") also counts as the mention it begins with.
    """
    wanted = set(pronouns)
    ordered = sorted(
        (mention for mention in mentions if (mention.start, mention.end) not in wanted),
        key=lambda mention: (mention.start, -mention.end, mention.distance, mention.entity),
    )
    starts = [mention.start for mention in ordered]
    found: dict[Span, tuple[bool, int, str]] = {}
    for chain in chains:
        inside = [span for span in chain if span in wanted]
        if not inside:
            continue
        named: list[tuple[int, str]] = []
        for span in chain:
            entity = None if span in wanted else _entity_of(span, ordered, starts, text)
            if entity is not None:
                named.append((span[0], entity))
        named.sort()
        places = [place for place, _ in named]
        for pronoun in inside if named else ():
            after = bisect_left(places, pronoun[0])
            place, entity = named[after - 1 if after else 0]
            candidate = (after == 0, abs(place - pronoun[0]), entity)
            found[pronoun] = min(candidate, found.get(pronoun, candidate))
    return {pronoun: found[pronoun][2] for pronoun in pronouns if pronoun in found}


def _entity_of(
    span: Span, mentions: Sequence[Mention], starts: Sequence[int], text: str | None
) -> str | None:
    """The entity of the mention that is this phrase or its head."""
    start, end = span
    best: tuple[int, int, float, str] | None = None
    first, after = (bisect_left(starts, start + by) for by in (-_SLACK_BEFORE, _SLACK_BEFORE + 1))
    for mention in mentions[first:after]:
        if mention.end <= start or mention.start >= end:
            continue
        apart = abs(mention.start - start) + abs(mention.end - end)
        if abs(mention.end - end) <= _SLACK_AFTER:
            candidate = (0, apart, mention.distance, mention.entity)
        elif text and mention.end < end and _AFTER_HEAD.match(text, mention.end, end):
            candidate = (1, apart, mention.distance, mention.entity)
        else:
            continue
        best = candidate if best is None else min(best, candidate)
    return None if best is None else best[3]
