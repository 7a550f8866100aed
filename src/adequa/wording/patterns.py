"""A text of one fact with places for its two names: what a template is made of."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from adequa.data import Item, Mention, Triple
from adequa.entities.anaphora import PRONOUNS
from adequa.entities.detector import Detector
from adequa.entities.surface import label_of
from adequa.entities.text import key_of
from adequa.entities.units import lowered, match_unit, unit_named
from adequa.entities.vocabulary import CALENDAR, SMALL_WORDS, common_words
from adequa.readers.enriched import gold_mentions
from adequa.wording.templates import OBJECT, SUBJECT

__all__ = ["Pattern", "pattern_of"]

_LONGEST = 18
"""Words and places of a pattern that says one fact and nothing else."""
_SAYS_THE_NAME = {
    *("abbreviation", "acronym", "alias", "comma head", "core", "date", "name", "number", "period"),
}
"""How a mention must have been found if the data's own name can stand in its place."""
_TOKEN = re.compile(rf"{SUBJECT}|{OBJECT}|[^\W_]+(?:[-.'’][^\W_]+)*|['’]s?(?![^\W_])")
_ARTICLE_BEFORE = re.compile(r"^(?:the|an?) ", re.IGNORECASE)
_POSSESSIVE_AFTER = re.compile(r"\s?['’´`]s?$")
_POSSESSIVE = re.compile(r"(?<=>)\s?['’´`](?:s\b)?(?=\s)")
_QUOTED = re.compile(r"[\"'“”‘’«»]\s?(<\w+>)\s?[.,]?[\"'“”‘’«»](?!s\b)")
_MEASURE = re.compile(r"^[\d.,]+\s?(?P<unit>[^\d\W].*)$")
_NEXT_SENTENCE = re.compile(r"[.!?…]+\s+\S")
_UNPLAIN = re.compile(r"[\"“”«»()\[\]{}:;!?…/~&%*=]|\s-|-\s")
_GLUED = re.compile(r"[^\W_]<|>[^\W_]")
_UNWANTED = frozenset(
    (  # noqa: SIM905
        "this these those we our you your i my not never approximately roughly around nearly almost"
    ).split()
)
"""Words that point elsewhere, deny, or hedge."""
_NO_WORDS = frozenset(("the", "a", "in", "of", "and", "at", "on", "'s"))


@dataclass(frozen=True)
class Pattern:
    """A text whose subject and object are places."""

    string: str

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """Its words and places, as they are written."""
        return tuple(_TOKEN.findall(self.string))

    @cached_property
    def key(self) -> tuple[str, ...]:
        """What patterns share that say the same: no case, no points, no `the` before a name."""
        words = [
            "a" if word == "an" else word.replace("’", "'")
            for word in (token.lower() for token in self.tokens)
        ]
        following = [*words[1:], ""]
        return tuple(
            word
            for word, after in zip(words, following, strict=True)
            if word != "the" or after not in (SUBJECT, OBJECT)
        )

    @property
    def words(self) -> tuple[str, ...]:
        """The key without its places."""
        return tuple(word for word in self.key if word not in (SUBJECT, OBJECT))

    def is_plain(self, allowed: frozenset[str]) -> bool:
        """Whether it can be a template: one short sentence, without other names or figures.

        No pronoun, no hedge, no digit and no word that may be a name; those of `allowed`, the
        predicate's own, may stand in it all the same.
        """
        words = {*self.words}
        if (
            len(self.key) > _LONGEST
            or words <= _NO_WORDS
            or _NEXT_SENTENCE.search(self.string)
            or _UNPLAIN.search(self.string)
            or _GLUED.search(self.string)
            or words & (PRONOUNS.keys() | _UNWANTED | CALENDAR) - allowed
        ):
            return False
        return all(
            token in (SUBJECT, OBJECT)
            or token.lower() in allowed
            or _is_word(token, first=number == 0)
            for number, token in enumerate(self.tokens)
        )


def _is_word(token: str, *, first: bool) -> bool:
    lower = token.lower()
    if any(sign.isdigit() for sign in token):
        return False
    return token == lower or (first and (lower in SMALL_WORDS or lower in common_words()))


def pattern_of(item: Item, detector: Detector) -> Pattern | None:
    """The pattern of a text of one fact; None where it does not name both ends, each once.

    The ends are where people have marked them, and else where the detector finds them. Another
    name for an end ("American" for the United States) makes no pattern: the data's own name could
    not stand there.
    """
    (triple,) = item.triples
    text = item.text
    if triple.subject == triple.object or "<" in text:
        return None
    marked = bool(item.meta.get("mentions"))
    mentions = gold_mentions(item) if marked else detector.detect(item).mentions
    ends = [
        [mention for mention in mentions if mention.entity == end]
        for end in (triple.subject, triple.object)
    ]
    if any(len(found) != 1 or not _fits(found[0], text) for found in ends):
        return None
    (subject,), (value,) = ends
    stops = {SUBJECT: _span(subject, text), OBJECT: _span(value, text)}
    stops[OBJECT] = (stops[OBJECT][0], _unit_end(triple, text, stops[OBJECT][1]))
    first, last = sorted(stops, key=stops.__getitem__)
    (start, end), (begin, stop) = stops[first], stops[last]
    if end > begin:
        return None
    return Pattern(_tidy(f"{text[:start]}{first}{text[end:begin]}{last}{text[stop:]}"))


def _fits(mention: Mention, text: str) -> bool:
    """Whether the data's name for an entity could stand in place of a mention."""
    start, end = _span(mention, text)
    label = label_of(mention.entity)
    if key_of(text[start:end]) in (key_of(label.string), key_of(label.base)):
        return True
    if mention.method == "gold":
        return label.base[:1].isdigit()
    return mention.method in _SAYS_THE_NAME and not mention.distance


def _span(mention: Mention, text: str) -> tuple[int, int]:
    """Where a name stands, without an article before it and a possessive after it."""
    start, end = mention.start, mention.end
    words = text[start:end]
    own = label_of(mention.entity).string
    article = _ARTICLE_BEFORE.match(words)
    if article and not own.lower().startswith(article[0].lower()):
        start = start + article.end()
    possessive = _POSSESSIVE_AFTER.search(text[start:end])
    if possessive and not _POSSESSIVE_AFTER.search(own):
        end = start + possessive.start()
    return start, end


def _unit_end(triple: Triple, text: str, end: int) -> int:
    """Where the object ends with the unit that its value brings along."""
    label = label_of(triple.object)
    measure = _MEASURE.match(label.base)
    unit = label.qualifier or (measure["unit"] if measure else "")
    if not unit or unit_named(unit) is None:
        return end
    begin = end + (text[end : end + 1] in (" ", "-"))
    found = match_unit(text, lowered(text), begin, glued=begin == end)
    return found[1] if found else end


def _tidy(string: str) -> str:
    """A pattern with single spaces, no quotes around places, and one full stop at its end."""
    string = _QUOTED.sub(r"\1", " ".join(string.split()))
    string = _POSSESSIVE.sub("'s", string).rstrip(" .!…")
    return f"{string[:1].upper()}{string[1:]}."
