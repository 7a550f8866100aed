"""The words of a text prepared for matching, and lists of English words that are not names.

Words are runs of letters and digits in lower case without accents; offsets stay those of the text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from functools import cache, cached_property
from importlib.resources import files
from itertools import accumulate

from adequa.text.languages import Language
from adequa.text.letters import fold
from adequa.text.sentences import simple_ends, word_set
from adequa.text.values.dates import DateSpan, find_dates
from adequa.text.values.numbers import NumberSpan, find_numbers
from adequa.text.values.spans import ValueSpan, find_values

_WORD = re.compile(r"[^\W_]+")
_WORDS_AND_GAPS = re.compile(r"([^\W_]+)")
# The same in ASCII, and faster. Only of other letters folding leaves a capital (𝑨).
_ASCII_WORDS_AND_GAPS = re.compile(r"([a-z0-9]+)")


def words_of(string: str) -> list[str]:
    """The folded words of a string: runs of letters and digits."""
    return _WORD.findall(fold(string))


def key_of(string: str) -> str:
    """The key that two spellings of one name share.

    >>> key_of("St. Louis, Missouri") == key_of("St Louis Missouri")
    True
    """
    return "".join(words_of(string))


class PreparedText:
    """The words of a text, and `key`, all of them joined, in which `str.find` finds a name.

    `starts_at` and `ends_at` give the word that begins or ends at a place of the key, so that
    whole words are distinguished from parts of longer ones.
    """

    def __init__(self, string: str, language: Language | None = None) -> None:
        self.string = string
        self.language = language
        """The language of the text; None for English."""
        self.folded = folded = fold(string)
        pattern = _ASCII_WORDS_AND_GAPS if string.isascii() else _WORDS_AND_GAPS
        parts = pattern.split(folded)  # a gap, a word, a gap, …, a word, a gap
        offsets = list(accumulate(map(len, parts)))
        self.starts = offsets[:-1:2]
        self.ends = offsets[1::2]
        self.words = words = parts[1::2]
        # The start of each word in the key, and the end of the last one.
        bounds = [0, *accumulate(map(len, words))]
        self.place_ends = bounds[1:]
        """The end of each word in the key."""
        bounds.pop()
        self.places = bounds
        """The start of each word in the key."""
        self.key = "".join(words)
        self.lower_cased = string.islower()

    @cached_property
    def ends_at(self) -> dict[int, int]:
        """The word that ends at a place of the key."""
        return {place: number for number, place in enumerate(self.place_ends)}

    @cached_property
    def starts_at(self) -> dict[int, int]:
        """The word that begins at a place of the key."""
        return {place: number for number, place in enumerate(self.places)}

    @cached_property
    def dates(self) -> list[DateSpan]:
        """The dates in the text."""
        return find_dates(self.string, self.language)

    @cached_property
    def numbers(self) -> list[NumberSpan]:
        """The numbers in the text."""
        return find_numbers(self.string, self.language)

    @cached_property
    def values(self) -> list[ValueSpan]:
        """Every value in the text: dates, times, numbers, shares and scores."""
        return find_values(
            self.string, dates=self.dates, numbers=self.numbers, language=self.language
        )

    @cached_property
    def sentences(self) -> list[int]:
        """The sentence number of each word, by the simple rule of `simple_ends`."""
        numbers: list[int] = []
        ends = simple_ends(self.string)
        for sentence, end in enumerate(ends):
            numbers += [sentence] * (bisect_right(self.starts, end) - len(numbers))
        return numbers + [len(ends)] * (len(self.starts) - len(numbers))

    @cached_property
    def different_words(self) -> frozenset[str]:
        """Each word once."""
        return frozenset(self.words)

    @cached_property
    def numbers_of(self) -> dict[str, list[int]]:
        """The numbers of the words by their letters, to look a word up instead of searching."""
        found: defaultdict[str, list[int]] = defaultdict(list)
        for number, word in enumerate(self.words):
            found[word].append(number)
        return dict(found)

    @cached_property
    def initials(self) -> str:
        """The first letters of the words."""
        return "".join([word[0] for word in self.words])

    def between(self, first: int, last: int) -> str:
        """The characters between the end of one word and the start of another."""
        return self.string[self.ends[first] : self.starts[last]]


SMALL_WORDS = word_set(
    "the of in and or for with to from on at an by as a is was are were has have had it its this "
    "that which who where be been he she they his her their also s"
)
"""Function words, which never make a name by themselves."""
CALENDAR = word_set(
    "january february march april may june july august september october november december "
    "jan feb mar apr jun jul aug sept sep oct nov dec "
    "monday tuesday wednesday thursday friday saturday sunday"
)
TITLES = word_set(
    "mr mrs ms dr sir lady lord prof professor president queen king prince princess chief "
    "justice minister prime governor mayor chairman emperor senator captain general colonel "
    "commander deputy vice secretary director manager coach saint"
)
GENERIC = TITLES | word_set(
    "tv id fc afc cf sc inc ltd co corp plc gmbh bsc msc ba ma bs ms mba phd md jr sr hq "
    "am pm ad bc bce ce usd eur gbp km kg cm mm ft sq sqkm isbn issn oclc lccn iata icao utc "
    "celsius fahrenheit kelvin iso bachelor master doctor science degree internet web "
    "old new house small large great big long short high low young father mother woman son "
    "daughter brother sister wife husband war peace game art music film book song day night "
    "today north south east west northern southern eastern western national international "
    "company group party army navy road street river lake sea mountain church school college "
    "hospital museum hotel park bridge tower building kids children family friendly "
    "club team league season island line airport university city county state country"
)


@cache
def common_words() -> frozenset[str]:
    """English words that texts write in lower case although their data does not have them."""
    source = files("adequa.text") / "resources" / "words.txt"
    lines = source.read_text(encoding="utf-8").splitlines()
    return frozenset(line for line in lines if line and not line.startswith("#"))
