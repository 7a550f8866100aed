"""A text prepared for matching: its letters and digits, folded, and where each word stands."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

__all__ = ["PreparedText", "fold", "key_of", "words_of"]

_WORD = re.compile(r"[^\W_]+")
_ENDS = re.compile(r"[.!?…]+[\"'”’)\]]*\s+|\n+")
_LIGATURES = {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ł": "l", "ı": "i", "þ": "th"}


@lru_cache(maxsize=4096)
def _fold_letter(letter: str) -> str:
    """One letter without its accent; as long as it was, so that offsets stay true."""
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
    return "".join([_fold_letter(letter) for letter in string])


def words_of(string: str) -> list[str]:
    """The folded words of a string: runs of letters and digits."""
    return _WORD.findall(fold(string))


def key_of(string: str) -> str:
    """What two strings must share to be the same name.

    >>> key_of("St. Louis, Missouri") == key_of("St Louis Missouri")
    True
    """
    return "".join(words_of(string))


class PreparedText:
    """The words of a text, and one string of them all in which a name is found by `str.find`.

    `starts_at` and `ends_at` say which word begins or ends at a place of the key, so a name that
    stands there as whole words is told from a part of a longer one.
    """

    __slots__ = (
        "_sentences",
        "ends",
        "ends_at",
        "folded",
        "key",
        "lower_cased",
        "places",
        "starts",
        "starts_at",
        "string",
        "words",
    )

    def __init__(self, string: str) -> None:
        self.string = string
        self.folded = folded = fold(string)
        self.words: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.places: list[int] = []
        self.starts_at: dict[int, int] = {}
        self.ends_at: dict[int, int] = {}
        place = 0
        for number, match in enumerate(_WORD.finditer(folded)):
            word = match[0]
            start = match.start()
            self.words.append(word)
            self.starts.append(start)
            self.ends.append(start + len(word))
            self.places.append(place)
            self.starts_at[place] = number
            place += len(word)
            self.ends_at[place] = number
        self.key = "".join(self.words)
        self.lower_cased = string.islower()
        self._sentences: list[int] | None = None

    @property
    def sentences(self) -> list[int]:
        """The number of the sentence each word stands in."""
        if self._sentences is None:
            ends = [match.start() for match in _ENDS.finditer(self.string)]
            numbers: list[int] = []
            sentence = 0
            for start in self.starts:
                while sentence < len(ends) and start > ends[sentence]:
                    sentence += 1
                numbers.append(sentence)
            self._sentences = numbers
        return self._sentences

    def between(self, first: int, last: int) -> str:
        """What stands between the end of one word and the start of another."""
        return self.string[self.ends[first] : self.starts[last]]
