"""Faults of language that leave the facts alone: what a rater calls not fluent."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Callable, Sequence

from adequa.perturb.drafts import Draft, DraftSpan

_WORD = re.compile(r"\w+(?:['’]\w+)?")
_LITTLE = {
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


def make_noise(draft: Draft, chance: random.Random) -> bool:
    """One or a few slips; names, numbers and dates stay whole."""
    done = False
    for _ in range(chance.choice((1, 1, 2, 4))):
        slip = chance.choice(_SLIPS)
        free = [
            match
            for match in _WORD.finditer(draft.text)
            if not any(
                place.start < match.end() and match.start() < place.end
                for place in [*draft.spans, *draft.unsupported]
            )
        ]
        if free:
            done = slip(draft, free, chance) or done
    return done


Words = Sequence["re.Match[str]"]


def _leave_out(draft: Draft, words: Words, chance: random.Random) -> bool:
    """A little word is missing; its neighbours are where it shows."""
    little = [word for word in words if word[0].casefold() in _LITTLE]
    if not little:
        return False
    word = chance.choice(little)
    draft.write(word.start(), min(len(draft.text), word.end() + 1), "")
    after = _WORD.match(draft.text, word.start())
    if after:
        draft.disfluent.append(DraftSpan(after.start(), after.end()))
    return True


def _confuse(draft: Draft, words: Words, chance: random.Random) -> bool:
    """A wrong form or preposition."""
    known = [word for word in words if word[0] in _CONFUSED]
    if not known:
        return False
    word = chance.choice(known)
    new = chance.choice(_CONFUSED[word[0]])
    draft.disfluent.append(draft.write(word.start(), word.end(), new))
    return True


def _stutter(draft: Draft, words: Words, chance: random.Random) -> bool:
    """A word or a few said twice."""
    word = chance.choice(words)
    end = word.end()
    for _ in range(chance.choice((0, 0, 1, 3))):
        following = _WORD.search(draft.text, end)
        end = following.end() if following else end
    said = draft.text[word.start() : end]
    again = draft.write(end, end, f" {said}")
    draft.disfluent.append(DraftSpan(again.start + 1, again.end))
    return True


def _swap_words(draft: Draft, words: Words, chance: random.Random) -> bool:
    """Two neighbours in the wrong order."""
    beside = [
        (one, other) for one, other in itertools.pairwise(words) if other.start() == one.end() + 1
    ]
    if not beside:
        return False
    one, other = chance.choice(beside)
    draft.disfluent.append(draft.write(one.start(), other.end(), f"{other[0]} {one[0]}"))
    return True


_SLIPS: Sequence[Callable[[Draft, Words, random.Random], bool]] = (
    _leave_out,
    _leave_out,
    _confuse,
    _confuse,
    _stutter,
    _swap_words,
)
