"""Slips of language that leave the facts alone: words a rater would call not fluent."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Callable, Sequence

from adequa.perturb.documents import LabelledDocument, LabelledSpan

_WORD = re.compile(r"\w+(?:['’]\w+)?")
_FUNCTION_WORDS = {
    *("a", "an", "the", "is", "was", "are", "were", "of", "in", "by", "at", "to", "and", "with"),
    *("which", "that", "who", "its", "his", "her", "for", "from", "on", "as", "it", "he", "she"),
}
_CONFUSED = {
    "is": ("are", "be", "is is"),
    "are": ("is",),
    "was": ("were", "is was"),
    "were": ("was",),
    "has": ("have",),
    "have": ("has",),
    "a": ("an", "the a"),
    "an": ("a",),
    "the": ("the the", "a"),
    "in": ("on in", "of"),
    "of": ("in of", "of of"),
    "by": ("of",),
    "born": ("birth",),
    "located": ("location",),
    "its": ("their", "his"),
    "his": ("its", "her"),
    "her": ("his", "its"),
}


def add_slips(labelled: LabelledDocument, chance: random.Random) -> bool:
    """Make one to four slips; names, numbers and dates stay whole."""
    done = False
    for _ in range(chance.choice((1, 1, 2, 4))):
        slip = chance.choice(_SLIPS)
        free = [
            match
            for match in _WORD.finditer(labelled.text)
            if not any(
                place.start < match.end() and match.start() < place.end
                for place in [*labelled.spans, *labelled.unsupported]
            )
        ]
        if free:
            done = slip(labelled, free, chance) or done
    # A slip at the edge of a marked stretch may leave nothing but a space of it.
    for marked in (labelled.unsupported, labelled.disfluent):
        marked[:] = [one for one in marked if labelled.text[one.start : one.end].strip()]
    return done


Words = Sequence["re.Match[str]"]


def _leave_out(labelled: LabelledDocument, words: Words, chance: random.Random) -> bool:
    """Leave out a function word; the word after it is marked."""
    function_words = [word for word in words if word[0].casefold() in _FUNCTION_WORDS]
    if not function_words:
        return False
    word = chance.choice(function_words)
    labelled.write(word.start(), min(len(labelled.text), word.end() + 1), "")
    after = _WORD.match(labelled.text, word.start())
    if after:
        labelled.disfluent.append(LabelledSpan(after.start(), after.end()))
    return True


def _confuse(labelled: LabelledDocument, words: Words, chance: random.Random) -> bool:
    """Write a wrong form or preposition."""
    known = [word for word in words if word[0] in _CONFUSED]
    if not known:
        return False
    word = chance.choice(known)
    new = chance.choice(_CONFUSED[word[0]])
    labelled.disfluent.append(labelled.write(word.start(), word.end(), new))
    return True


def _stutter(labelled: LabelledDocument, words: Words, chance: random.Random) -> bool:
    """Repeat a word or a few."""
    word = chance.choice(words)
    end = word.end()
    for _ in range(chance.choice((0, 0, 1, 3))):
        following = _WORD.search(labelled.text, end)
        end = following.end() if following else end
    repeated = labelled.text[word.start() : end]
    again = labelled.write(end, end, f" {repeated}")
    labelled.disfluent.append(LabelledSpan(again.start + 1, again.end))
    return True


def _swap_words(labelled: LabelledDocument, words: Words, chance: random.Random) -> bool:
    """Exchange two neighbouring words."""
    beside = [
        (one, other) for one, other in itertools.pairwise(words) if other.start() == one.end() + 1
    ]
    if not beside:
        return False
    one, other = chance.choice(beside)
    labelled.disfluent.append(labelled.write(one.start(), other.end(), f"{other[0]} {one[0]}"))
    return True


_SLIPS: Sequence[Callable[[LabelledDocument, Words, random.Random], bool]] = (
    _leave_out,
    _leave_out,
    _confuse,
    _confuse,
    _stutter,
    _swap_words,
)
