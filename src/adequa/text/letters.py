"""Letters: without case and accents (`fold`), and by their sound in any script (`sounds_of`).

Two spellings of one name in two scripts have few letters in common, but nearly the same sounds:
Holberg and Хольберг. `sound_distance` compares them.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_LIGATURES = {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ł": "l", "ı": "i", "þ": "th"}


_MOST_LETTERS = 4096


class _Folded(dict[int, str]):
    """Folded letters by their code points, for `str.translate`; the first ones are kept."""

    def __missing__(self, code: int) -> str:
        folded = _fold_letter(chr(code))
        if len(self) < _MOST_LETTERS:
            self[code] = folded
        return folded


_FOLDED = _Folded()


def _fold_letter(letter: str) -> str:
    """One letter without its accent, always one character, so that offsets stay valid."""
    folded = letter.lower()
    if len(folded) != 1:
        folded = folded[:1]
    plain = unicodedata.normalize("NFKD", folded)[:1] or folded
    plain = _LIGATURES.get(plain, plain)[:1]
    return plain if plain.isalnum() == letter.isalnum() else letter


def fold(string: str) -> str:
    """Lower case without accents, character by character: offsets stay those of the string.

    >>> fold("Agremiação")
    'agremiacao'
    """
    if string.isascii():
        return string.lower()
    return string.translate(_FOLDED)


_CYRILLIC = re.compile("[\u0400-\u04ff]")
# Folded letters: й is и, ё is е.
_FROM_CYRILLIC = str.maketrans({
    "а": "a", "б": "b", "в": "v", "г": "g", "д": "d", "е": "e", "ж": "j", "з": "s", "и": "i",
    "к": "k", "л": "l", "м": "m", "н": "n", "о": "o", "п": "p", "р": "r", "с": "s", "т": "t",
    "у": "u", "ф": "f", "х": "h", "ц": "ts", "ч": "c", "ш": "s", "щ": "s", "ъ": "", "ы": "i",
    "ь": "", "э": "e", "ю": "u", "я": "a",
})  # fmt: skip
_LATIN = (
    ("igh", "ai"), ("gh", ""), ("shch", "s"), ("sch", "s"), ("tch", "c"), ("sh", "s"),
    ("zh", "j"), ("kh", "h"), ("ph", "f"),
    ("th", "t"), ("ck", "k"), ("qu", "kv"), ("tz", "ts"), ("ch", "c"), ("gn", "n"), ("oo", "u"),
    ("ee", "i"), ("ea", "i"), ("ou", "u"), ("x", "ks"), ("z", "s"), ("q", "k"), ("y", "i"),
)  # fmt: skip
_TWICE = re.compile(r"(.)\1+")
_SOFT_C = re.compile(r"c(?=[ei])")
_VARIANTS = (("w", "v"), ("w", "u"), ("h", "g"), ("h", ""), ("j", "i"), ("c", "k"), ("c", "h"),
             ("c", "s"), ("e", ""), ("g", "j"), ("a", "ei"), ("a", "e"), ("u", "a"),
             ("i", "ai"), ("o", "ou"))  # fmt: skip


@lru_cache(maxsize=8192)
def sounds_of(word: str) -> str:
    """A folded word by its sounds, in Latin letters whatever its script.

    >>> sounds_of("хольберг"), sounds_of("holberg"), sounds_of("фокс"), sounds_of("fox")
    ('holberg', 'holberg', 'foks', 'foks')
    """
    if _CYRILLIC.search(word):
        sounds = word.replace("дж", "j").translate(_FROM_CYRILLIC)
    else:
        sounds = word
        for letters, sound in _LATIN:
            sounds = sounds.replace(letters, sound)
        sounds = _SOFT_C.sub("s", sounds)
    return _TWICE.sub(r"\1", sounds)


_VOWELS = str.maketrans("", "", "aeiou")
_SAME_CONSONANTS = 0.5
"""How much a different vowel counts where all consonants agree: Шарлотта is Charlotte."""


def is_cyrillic(word: str) -> bool:
    """Whether a word has Cyrillic letters."""
    return _CYRILLIC.search(word) is not None


@lru_cache(maxsize=8192)
def sound_distance(one: str, other: str) -> float:
    """How differently two folded words sound, from 0 to 1: the edit distance of their sounds.

    >>> sound_distance("марлоу", "marlow"), sound_distance("венеция", "geneva") > 0.4
    (0.0, True)
    """
    from rapidfuzz.distance import Levenshtein  # for two scripts only

    first = sounds_of(one)
    best = 1.0
    for second in _spoken(other) if not is_cyrillic(other) else [sounds_of(other)]:
        distance = Levenshtein.normalized_distance(first, second)
        bare = first.translate(_VOWELS)
        if len(bare) > 1 and bare == second.translate(_VOWELS) and first[:1] == second[:1]:
            distance *= _SAME_CONSONANTS
        best = min(best, distance)
    return best


@lru_cache(maxsize=4096)
def _spoken(word: str) -> tuple[str, ...]:
    """The sounds of a Latin word in the languages that it may come from."""
    plain = [word, word.removesuffix("e") if len(word) > 3 else word]
    found = dict.fromkeys(sounds_of(one) for one in plain)
    for letters, sound in _VARIANTS:
        for known in [*found]:
            if letters in known:
                found[_TWICE.sub(r"\1", known.replace(letters, sound, 1))] = None
        if len(found) > _MOST_WAYS:
            break
    return tuple(found)


_MOST_WAYS = 40
"""Ways to pronounce a word that are tried; bounds the time."""
