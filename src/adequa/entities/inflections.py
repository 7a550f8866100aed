"""Names in texts of other languages than English: inflected, translated in part, transliterated.

"Österreichs" is Österreich, "Ernsta Kolmana" is Ernst Kolman, "Мост Карстен" is Karsten Bridge and
"Хольбергом" is Holberg. `inflected_candidates` looks for the words of a name one by one, each with
the endings of the language, or by its sound where the script is another one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from adequa.entities import lexicon
from adequa.entities.candidates import Candidate
from adequa.entities.graph import Entity, Graph
from adequa.entities.names import ARTICLES, DERIVED, LEGAL, SMALL, WEAK
from adequa.text import (
    GENERIC,
    TITLES,
    Language,
    PreparedText,
    common_words,
    fold,
    is_cyrillic,
    sound_distance,
    words_of,
)
from adequa.text.values import find_numbers, is_same

# Chosen by hand on the open part of bench/challenges/languages.
_LEAST_STEM = 3
"""Letters of a stem at least; shorter names are not inflected."""
_INFLECTED = 0.02
"""The distance of an inflected word: a name as it is spelt is preferred."""
_SOUND = 0.26
"""The greatest distance of a word by its sound."""
_SHORT_SOUND = 0.2
"""The same for words of up to four letters."""
_SHORT = 4
_RELATED = 0.5
"""The share of letters that the name of a language has in common with its adjective."""
_LONGEST_ENDING = 4
"""Letters that may follow the beginning of a translated word."""
_RELATING = re.compile("language|country|nation|citizen")
"""Predicates whose objects are also named by an adjective."""
_GAP = re.compile(r"[\s\-–'’\"“”„«».]{0,3}\Z")


class _Token(NamedTuple):
    """A word of a name, folded, and how the words for it begin in the language."""

    word: str
    stems: tuple[str, ...] = ()


class _Form(NamedTuple):
    """The words of a name in one order."""

    tokens: tuple[_Token, ...]
    weak: bool = False
    """Whether it says so little that it counts only for an entity that is not found otherwise."""
    cased: bool = True
    """Whether its first word must have a capital letter."""
    loose: bool = False
    """Whether words of the same root count: švédsky for švédština."""


def inflected_candidates(
    graph: Graph, text: PreparedText, *, weak: bool, only: Iterable[int] | None = None
) -> list[Candidate]:
    """Occurrences of the names of entities in a text of another language."""
    language = text.language
    if language is None:
        return []
    forms = graph.derive(
        f"forms {language.code}", lambda own: [_forms(one, language) for one in own.entities]
    )
    found: list[Candidate] = []
    for number in range(len(graph.entities)) if only is None else only:
        for form in forms[number]:
            if form.weak == weak:
                found += _occurrences(number, form, text, language)
        if not weak:
            found += _measured(number, graph.entities[number], text)
    return found


def _forms(entity: Entity, language: Language) -> tuple[_Form, ...]:
    if entity.kind not in ("name", "list"):
        return ()
    loose = any(_RELATING.search(use.predicate.lower()) for use in entity.uses)
    found: dict[_Form, None] = {}
    for label in (entity.label.base, *entity.others):
        cased = label[:1].isupper() and not loose  # schwedisch, belge
        for form in _orders(tuple(words_of(label)), language):
            found[form._replace(cased=cased, loose=loose)] = None
    return tuple(found)


@lru_cache(maxsize=4096)
def _orders(words: tuple[str, ...], language: Language) -> tuple[_Form, ...]:
    if words[:1] and words[0] in ARTICLES and len(words) > 1:
        return (*_plain_orders(words, language), *_orders(words[1:], language))
    return _plain_orders(words, language)


def _plain_orders(words: tuple[str, ...], language: Language) -> tuple[_Form, ...]:
    """The name as it is, with its type before or after it, and weakly without the type."""
    if not words:
        return ()
    tokens = tuple(_Token(word, language.words_for(word)) for word in words)
    forms = [_Form(tokens)]
    own = [token for token in tokens if not _is_plain(token, language)]
    types = [token for token in tokens if token.stems]
    if own and len(own) < len(tokens) and sum(len(one.word) for one in own) > _LEAST_STEM:
        if len(types) == 1 and len(own) + 1 == len(tokens):
            forms += [_Form((*types, *own)), _Form((*own, *types))]
            joined = tuple(own[-1].word + stem for stem in types[0].stems)  # Karstenbrug
            forms.append(_Form((*own[:-1], _Token(f"{own[-1].word}{types[0].word}", joined))))
        if not own[0].word.isdigit():
            forms.append(_Form(tuple(own), weak=True))
    return tuple(forms)


def _is_plain(token: _Token, language: Language) -> bool:
    """Whether a word says what a thing is, and not which: bridge, mayor, of."""
    word = token.word
    plain = bool(token.stems) or word in SMALL or word in TITLES or word in LEGAL
    return plain or word.startswith(language.words_for("language") or ("\0",))


def _occurrences(
    number: int, form: _Form, text: PreparedText, language: Language
) -> Iterator[Candidate]:
    words = text.words
    for first in range(len(words) - len(form.tokens) + 1):
        distance = _distance(form.tokens[0], words[first], language, loose=form.loose)
        if distance is None:
            continue
        if form.cased and len(form.tokens) == 1 and not _has_capital(text, first):
            continue
        last, total = first, distance
        for token in form.tokens[1:]:
            step = _next(token, last, text, language, loose=form.loose)
            if step is None:
                break
            last, distance = step
            total += distance
        else:
            sounded = is_cyrillic(words[first]) != is_cyrillic(form.tokens[0].word)
            span = text.starts[first], text.ends[last]
            yield Candidate(
                *span,
                entity=number,
                tier=WEAK if form.weak else DERIVED,
                distance=min(total / len(form.tokens), 0.2),
                method="transliterated" if sounded else "inflected",
            )


def _has_capital(text: PreparedText, word: int) -> bool:
    letter = text.string[text.starts[word]]
    return text.lower_cased or letter.isupper() or letter.isdigit()


def _next(
    token: _Token, last: int, text: PreparedText, language: Language, *, loose: bool
) -> tuple[int, float] | None:
    """The word that continues a name: the next one, or the one after a small word."""
    for step in (1, 2):
        place = last + step
        if place >= len(text.words) or not _GAP.match(text.between(place - 1, place)):
            return None
        if ". " in text.between(place - 1, place) and len(text.words[place - 1]) > _SHORT:
            return None
        distance = _distance(token, text.words[place], language, loose=loose)
        if distance is not None:
            return place, distance
        if text.words[place] not in _small_words(language):
            return None
    return None


@cache
def _small_words(language: Language) -> frozenset[str]:
    return frozenset(word for one in language.frequent.split() for word in words_of(one))


def _distance(token: _Token, word: str, language: Language, *, loose: bool) -> float | None:
    """How far a word of a text is from a word of a name; None if it is another one."""
    if token.word == word:
        return 0.0
    if any(map(str.isdigit, token.word)):
        return None
    for stem in token.stems:
        if word.startswith(stem) and len(word) <= len(stem) + _LONGEST_ENDING:
            return _INFLECTED
    if is_cyrillic(word) != is_cyrillic(token.word):
        return _by_sound(token.word, word, language)
    if is_inflected(token.word, word, language):
        return _INFLECTED
    if loose and len(token.word) > _SHORT:
        least = max(_SHORT, round(_RELATED * len(token.word)))
        if word[:least] == token.word[:least]:
            return 2 * _INFLECTED
    return None


@lru_cache(maxsize=8192)
def is_inflected(name: str, word: str, language: Language) -> bool:
    """Whether a folded word is a form of a folded name.

    >>> from adequa.text import LANGUAGES
    >>> is_inflected("praha", "prahou", LANGUAGES["cs"])
    True
    """
    ending, dropped = _endings(language)
    least = min(_LEAST_STEM, len(name))
    if word[:least] != name[:least]:
        return False
    if len(name) > _SHORT and name[-2] in language.fleeting:
        short = name[:-2] + name[-1]
        if word.startswith(short) and ending.fullmatch(word, len(short)):
            return True
    for cut in range(len(name), least - 1, -1):
        if not dropped.fullmatch(name, cut):
            continue
        stem = name[:cut]
        for start in (stem, stem[:-1] + language.changes.get(stem[-1], stem[-1])):
            if word.startswith(start) and ending.fullmatch(word, len(start)):
                return True
    return False


@cache
def _endings(language: Language) -> tuple[re.Pattern[str], re.Pattern[str]]:
    return re.compile(language.ending), re.compile(language.dropped)


@lru_cache(maxsize=8192)
def _by_sound(name: str, word: str, language: Language) -> float | None:
    """The distance of a name and a word in two scripts, the word with or without its ending."""
    ending, _ = _endings(language)
    limit = _SOUND if len(name) > _SHORT else _SHORT_SOUND
    best = 1.0
    for cut in range(len(word), max(_LEAST_STEM, len(word) - _LONGEST_ENDING) - 1, -1):
        if cut == len(word) or ending.fullmatch(word, cut):
            best = min(best, sound_distance(word[:cut], name))
            if cut < len(word) and name[-1:] in "aeio":  # Вельду is Velda
                best = min(best, sound_distance(word[:cut], name[:-1]))
    return best if best <= limit else None


def _measured(number: int, entity: Entity, text: PreparedText) -> Iterator[Candidate]:
    """A value of several numbers and English words: "4.5 out of 5" in "4,5 von 5 Punkten"."""
    if entity.kind != "name" or not any(map(str.isdigit, entity.label.string)):
        return
    words = [word for word in words_of(entity.label.string) if word.isalpha()]
    if not words or any(word not in common_words() and word not in SMALL for word in words):
        return
    wanted = [span.readings[0] for span in find_numbers(entity.label.string)]
    spans = [span for span in text.numbers if not span.ordinal]
    for first in range(len(spans) - len(wanted) + 1):
        run = spans[first : first + len(wanted)]
        same = all(
            any(is_same(value, reading) for reading in span.readings)
            for value, span in zip(wanted, run, strict=True)
        )
        if wanted and same and not _ends(text.string[run[0].end : run[-1].start]):
            span = run[0].start, run[-1].end
            yield Candidate(*span, entity=number, tier=DERIVED, distance=0.0, method="number")


def _ends(between: str) -> bool:
    return re.search(r"[!?;]|\.\s", between) is not None


def untranslated(graph: Graph) -> set[str]:
    """The entities that a text of another language may call otherwise: English words and places.

    Only those without a label: nothing tells how steel or Germany are called there.
    """
    return {
        entity.string
        for entity in graph.entities
        if entity.kind in ("name", "list") and not entity.others and _is_english(entity)
    }


def _is_english(entity: Entity) -> bool:
    """Whether a label has nothing but English words, or is a country, a people or a language."""
    label = entity.label.base
    words = [word for word in words_of(label) if word not in SMALL]
    if not words or any(map(str.isdigit, label)):
        return False
    listed = lexicon.demonyms(label) or lexicon.place_of_demonym(label)
    if listed or lexicon.language_names(label):
        return True
    return label[1:].islower() and all(word in common_words() for word in words)


def strange_words(graph: Graph, text: PreparedText, words: Sequence[int]) -> Iterator[int]:
    """Of some words of a text, those that are not a form of a word of the data."""
    language = text.language
    if language is None:
        return
    known = graph.derive(f"words {language.code}", lambda own: _known(own, language))
    others = {*language.nouns.split(), *map(fold, language.calendar)}
    for word in words:
        written = text.words[word]
        if written in others or written in GENERIC or len(written) == 1:
            continue
        if not any(_distance(token, written, language, loose=True) is not None for token in known):
            yield word


def _known(graph: Graph, language: Language) -> list[_Token]:
    """The words of the data and of its labels, and the types of things in the language."""
    words = dict.fromkeys(graph.data_words)
    for entity in graph.entities:
        words.update(dict.fromkeys(word for other in entity.others for word in words_of(other)))
    return [_Token(word, language.words_for(word)) for word in words if len(word) > 1]
