"""Porter's stemmer (1980), as published and with the later extensions that NLTK uses by default."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

_VOWELS = frozenset("aeiou")
Rules = Sequence[tuple[str, str]]

_PLURAL: Rules = (("sses", "ss"), ("ies", "i"), ("ss", "ss"), ("s", ""))
_DOUBLE: Rules = (
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("abli", "able"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
)
_DOUBLE_EXTENDED: Rules = (
    *((suffix, new) if suffix != "abli" else ("bli", "ble") for suffix, new in _DOUBLE),
    ("fulli", "ful"),
)
_TRIPLE: Rules = (
    ("icate", "ic"),
    ("ative", ""),
    ("alize", "al"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ful", ""),
    ("ness", ""),
)
_LAST = (
    *("al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent"),
    *("ion", "ou", "ism", "ate", "iti", "ous", "ive", "ize"),
)
_IRREGULAR_FORMS = (
    ("sky", "sky skies"),
    ("die", "dying"),
    ("lie", "lying"),
    ("tie", "tying"),
    ("inning", "inning innings"),
    ("outing", "outing outings"),
    ("canning", "canning cannings"),
    *((word, word) for word in ("news", "howe", "proceed", "exceed", "succeed")),
)
_IRREGULAR = {form: word for word, forms in _IRREGULAR_FORMS for form in forms.split()}
_LONGEST = 100
"""Whatever is longer is no English word, and would only fill the memory."""


def stem(word: str, *, extended: bool = False) -> str:
    """The stem of a word in lower case.

    >>> stem("relational"), stem("hopping"), stem("dying", extended=True)
    ('relat', 'hop', 'die')
    """
    return word if len(word) > _LONGEST else _stem(word, extended)


@lru_cache(maxsize=1 << 16)
def _stem(word: str, extended: bool) -> str:
    if extended:
        if word in _IRREGULAR:
            return _IRREGULAR[word]
        if len(word) <= 2:
            return word
    word = _plural(word, extended)
    word = _past(word, extended)
    word = _final_y(word, extended)
    word = _double(word, extended)
    word = _apply(_TRIPLE, word, lambda kept: _measure(kept) > 0)
    word = _last(word)
    return _tidy(word, extended)


def _shape(word: str) -> str:
    """The word in c and v: y is a vowel after a consonant."""
    shape = ""
    for letter in word:
        vowel = letter in _VOWELS or (letter == "y" and shape.endswith("c"))
        shape += "v" if vowel else "c"
    return shape


def _measure(word: str) -> int:
    return _shape(word).count("vc")


def _has_vowel(word: str) -> bool:
    return "v" in _shape(word)


def _ends_short(word: str, extended: bool) -> bool:
    """Whether it ends as in `-hop`: consonant, vowel, consonant other than w, x, y."""
    shape = _shape(word)
    return (shape.endswith("cvc") and word[-1] not in "wxy") or (extended and shape == "vc")


def _apply(rules: Rules, word: str, condition: Callable[[str], bool]) -> str:
    """The first suffix that is there decides, whether or not its condition holds."""
    for suffix, new in rules:
        if word.endswith(suffix):
            kept = word.removesuffix(suffix)
            return kept + new if condition(kept) else word
    return word


def _plural(word: str, extended: bool) -> str:
    if extended and len(word) == 4 and word.endswith("ies"):
        return word[:-1]
    return _apply(_PLURAL, word, lambda _: True)


def _past(word: str, extended: bool) -> str:
    if extended and word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        kept = word.removesuffix(suffix)
        if kept != word and _has_vowel(kept):
            return _mend(kept, extended)
    return word


def _mend(word: str, extended: bool) -> str:
    """Give back what the removal of -ed or -ing took too much or left too much."""
    if word.endswith(("at", "bl", "iz")):
        return word + "e"
    if len(word) > 1 and word[-1] == word[-2] and _shape(word)[-1] == "c":
        return word if word[-1] in "lsz" else word[:-1]
    return word + "e" if _measure(word) == 1 and _ends_short(word, extended) else word


def _final_y(word: str, extended: bool) -> str:
    if not word.endswith("y"):
        return word
    kept = word[:-1]
    change = len(kept) > 1 and _shape(kept)[-1] == "c" if extended else _has_vowel(kept)
    return kept + "i" if change else word


def _double(word: str, extended: bool) -> str:
    def long_enough(kept: str) -> bool:
        return _measure(kept) > 0

    if not extended:
        return _apply(_DOUBLE, word, long_enough)
    if word.endswith("alli") and long_enough(word[:-4]):
        return _double(word[:-2], extended)
    if word.endswith("logi"):
        return word[:-1] if long_enough(word[:-3]) else word
    return _apply(_DOUBLE_EXTENDED, word, long_enough)


def _last(word: str) -> str:
    for suffix in _LAST:
        if word.endswith(suffix):
            kept = word.removesuffix(suffix)
            removable = _measure(kept) > 1 and (suffix != "ion" or kept[-1] in "st")
            return kept if removable else word
    return word


def _tidy(word: str, extended: bool) -> str:
    if word.endswith("e"):
        kept = word[:-1]
        measure = _measure(kept)
        if measure > 1 or (measure == 1 and not _ends_short(kept, extended)):
            word = kept
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word
