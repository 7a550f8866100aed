"""A sentence with places for subject and object, one for a predicate."""

from __future__ import annotations

import re
from dataclasses import dataclass

from adequa.errors import SettingError
from adequa.wording.values import Worded

__all__ = ["BACKOFF", "OBJECT", "PREDICATE", "SUBJECT", "Template"]

SUBJECT, PREDICATE, OBJECT = "<subject>", "<predicate>", "<object>"
BACKOFF = f"The {PREDICATE} of {SUBJECT} is {OBJECT}."
"""What says any fact, after the paper."""

_PLACE = re.compile(r"<(subject|predicate|object)>")
_ANY_PLACE = re.compile(r"<[^\W\d]\w*>")
_FIRST = re.compile(r"^(\w+(?: not| no longer)?) (?=\S)")
_ARTICLE = re.compile(r"\b(?P<article>an?|the) $", re.IGNORECASE)
_NEXT = re.compile(r" (?P<word>[^\W\d_]+)(?![^\W_])")
_OWN_ARTICLE = re.compile(r"^(?:an?|the) ", re.IGNORECASE)
_SOUNDS_OPEN = re.compile(
    r"(?!(?i:eu|uni(?!n)|us[aeu]|ut[ei]|uk|ugan|one\b|once\b)|U(?![a-z]))"
    r"[aeiouAEIOUÀ-ÅÈ-ÏÒ-ÖÙ-Üà-åè-ïò-öù-ü]"
    r"|(?i:hour|honest|honou?r|heir)|[FHLMNRSX](?![a-z])|8|1[18](?:th)?\b"
)
"""How a word begins that has `an` before it: an apple, an hour, an MP, and a unit, a European."""


@dataclass(frozen=True, slots=True)
class Template:
    """`<subject> is located in <object>.`; one without `<object>` says the value itself."""

    string: str

    def __post_init__(self) -> None:
        counts = {place: self.string.count(place) for place in (SUBJECT, PREDICATE, OBJECT)}
        if counts[SUBJECT] != 1 or max(counts.values()) > 1:
            raise SettingError(
                f"the template {self.string!r} needs {SUBJECT} once and {OBJECT} at most once"
            )
        unknown = [place for place in _ANY_PLACE.findall(self.string) if place not in counts]
        if unknown:
            raise SettingError(
                f"the template {self.string!r} has a place {unknown[0]}: "
                f"the places are {SUBJECT} and {OBJECT}"
            )

    def fill(self, subject: str, value: str, predicate: str = "") -> str:
        """The sentence for a fact; what a name holds is never taken for a place.

        >>> Template("<subject> is a <object> in the city.").fill("The Inn", "Italian restaurant")
        'The Inn is an Italian restaurant in the city.'
        >>> Template("<subject> is near the <object> shop.").fill("Bex", "The Old Shop")
        'Bex is near The Old Shop.'
        """
        return "".join(self.pieces(subject, value, predicate))

    def pieces(self, subject: str, value: str, predicate: str = "") -> list[str]:
        """The sentence cut at its names: words, name, words, name, words.

        The article before a name is the one it needs, and goes where the name brings its own; so
        does the word after a name that ends in it, and a full stop after a name that has one.
        """
        names = {"subject": subject, "predicate": predicate, "object": value}
        pieces = _PLACE.split(self.string)
        places = pieces[1::2]
        for at, place in enumerate(places):
            before, _, after = pieces[2 * at : 2 * at + 3]
            name = names[place]
            pieces[2 * at : 2 * at + 3] = [_before(before, name), name, _after(after, name)]
        if "predicate" in places:
            at = 2 * places.index("predicate")
            pieces[at : at + 3] = ["".join(pieces[at : at + 3])]
        return pieces

    def parts(self, subject: str, value: str) -> Worded:
        """The fact as the verifier reads it: what comes first, the words, what comes last.

        >>> Template("<object> is led by <subject>.").parts("Ann", "Rome")
        ('Rome', 'is led by', 'Ann')
        >>> Template("<subject> is not for families.").parts("The Inn", "no")
        ('The Inn', 'is not', 'for families')
        >>> Template("The <subject> has a mass of <object>.").parts("Moon", "7 kilograms")
        ('Moon', 'has a mass of', '7 kilograms')
        """
        pieces = self.pieces(subject, value)
        pieces[0] = _ARTICLE.sub("", pieces[0])
        words = " ".join(" ".join(pieces[::2]).split()).rstrip(" .")
        if len(pieces) > 3:
            return pieces[1], words, pieces[3]
        found = _FIRST.match(words)
        cut = found.end() if found else 0
        return subject, words[:cut].strip() or "is", words[cut:].strip()


def _before(before: str, name: str) -> str:
    """The words before a name with the article that it needs, or none where it has its own."""
    found = _ARTICLE.search(before)
    if found is None:
        return before
    article = found["article"]
    if _OWN_ARTICLE.match(name):
        return before[: found.start()]
    if article.lower() == "the":
        return before
    return f"{before[: found.start()]}{article[0]}{'n' if _SOUNDS_OPEN.match(name) else ''} "


def _after(after: str, name: str) -> str:
    """The words after a name without the word or the full stop that it ends in."""
    if after.startswith(".") and name.endswith("."):
        return after[1:]
    found = _NEXT.match(after)
    words = name.casefold().split()
    return after[found.end() :] if found and words[-1:] == [found["word"].casefold()] else after
