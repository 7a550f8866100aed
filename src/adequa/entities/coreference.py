"""Pronouns by coreference: Stanza's chains (extra `coref`), of which the pronouns are kept.

As in the paper (section 4.1): a pronoun that stands in a chain with a detected mention refers to
the entity of that mention; what is left is the business of the heuristics.
"""

from __future__ import annotations

import importlib
import pickle
import re
import threading
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from adequa.data import Mention
from adequa.errors import MissingExtra, ModelError, ServiceError

Span = tuple[int, int]

_PROCESSORS = "tokenize,coref"
_PIPELINES: dict[tuple[str, str | None], Callable[[str], Any]] = {}
_LOADING = threading.Lock()

# What torch and Stanza raise for a text they cannot handle, a chain over two sentences among them.
_FAILURES = (
    *(ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError, OSError),
    *(RuntimeError, TypeError, ValueError),
)


@dataclass(frozen=True)
class StanzaCoreference:
    """Coreference by Stanza, from models on disk: nothing is ever downloaded.

    `pipeline` is any callable from a text to a document as Stanza makes it.
    """

    lang: str = "en"
    model_dir: str | None = None
    pipeline: Callable[[str], Any] | None = field(default=None, repr=False, compare=False)

    def chains(self, text: str) -> tuple[tuple[Span, ...], ...]:
        """Find the chains of spans that refer to one thing each, as offsets into the text."""
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
        # On a GPU sums come out in another order, and the same text with other chains.
        pipeline = stanza.Pipeline(
            lang,
            processors=_PROCESSORS,
            download_method=None,
            use_gpu=False,
            verbose=False,
            **place,
        )
    except ImportError as error:
        raise MissingExtra("coref", error.name or "transformers") from error
    except (OSError, ValueError, RuntimeError, LookupError, pickle.UnpicklingError) as error:
        raise ModelError(
            f"Stanza's coreference model for {lang!r} cannot be loaded "
            f"({type(error).__name__}: {str(error)[:300]}); {remedy}"
        ) from error
    # Of a language without the model Stanza loads the rest, and would find no chains for ever.
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
        start = _offset(words[0], "start_char")
        end = _offset(words[-1], "end_char")
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


# An article before, a possessive or full stop after: one phrase, whoever drew its boundaries.
_SLACK_BEFORE = 4
_SLACK_AFTER = 2
# What may follow a name in a phrase whose head the name is; a noun after it would be the head.
_AFTER_HEAD = re.compile(
    r"\s*[,(–—]|\s+(?:at|based|born|from|in|located|near|of|on|that|which|who)\b"
)


def resolve_pronouns(
    chains: Iterable[Sequence[Span]],
    mentions: Sequence[Mention],
    pronouns: Sequence[Span],
    text: str | None = None,
) -> dict[Span, str]:
    """Give each pronoun the entity of the nearest detected mention before it in its chain.

    Where none stands before, the nearest after it counts. With the text, a long phrase of a chain
    ("Aarhus, a city in Denmark") is also known by the mention it begins with.
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
    """Name the entity whose mention is this phrase, or its head."""
    start, end = span
    best: tuple[int, int, float, str] | None = None
    for mention in mentions[
        bisect_left(starts, start - _SLACK_BEFORE) : bisect_left(starts, start + _SLACK_BEFORE + 1)
    ]:
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
