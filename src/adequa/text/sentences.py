"""The sentences and clauses of an English text, by rules, for human and machine-written text.

Spans are start and end offsets. They are in order, do not overlap and together cover every
character that is not a space; splitting a span again leaves it whole. Hand-written because NLTK's
Punkt relies on capital letters, which the outputs of many systems lack, and gives no clauses.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Protocol, TypeVar

Span = tuple[int, int]


def word_set(words: str) -> frozenset[str]:
    """The words of a list that is written as one string with spaces."""
    return frozenset(words.split())


_END = re.compile(r"[.!?…]+|[。！？]+|\n")
_WIDE = frozenset("。！？")
# A full stop without a space after it, except in an address or a name such as Node.js.
_BEFORE_GLUED = re.compile(r"[(\"“]?(?:[A-Za-z][a-z]{2,}|\d+)[)\"”]?\.")
_AFTER_GLUED = re.compile(r"[A-Z][a-z]*[\s,]")
_CLOSING = re.compile(r"[\"'”’»)\]}]+|(?:\s+(?:''|[)\]}”»]))+")
_QUOTE_APART = re.compile(r"\s+\"(?=\s|$)")
_LAST_WORD = re.compile(r"[^\s(\[{\"'“‘«/–—,;:]+$")
_NEXT_WORD = re.compile(r"[\s\"'`“”‘’«»(\[{*#–—-]*(?P<word>\w[\w.]*)?")
_INITIALS = re.compile(r"(?:[^\W\d_](?:\.[^\W\d_])*|ph\.d|b\.sc|m\.sc)\Z", re.IGNORECASE)
_UNIT = re.compile(r"(?:\w/[^\W\d_]|\d\s?[a-zµ])$")
"""The end of a number with a unit of one letter, which is not an initial: 20 km/h, 3 m."""
_HOUR = re.compile(r"(?:(?<![\w.])[ap]\.m|\d\s+[AP]\.M)$")
"""An hour, and not the initials of Robert A.M. Stern."""
_SPACE = re.compile(r"\s*")
_LETTER = re.compile(r"[^\W\d_]")
_LINE_BREAK = re.compile(r"\s*\n\s*")
_CAPITAL = re.compile(r"[A-ZÀ-ÖØ-Þ]")
_ITEM = re.compile(r"[-–—*•·‣#]+\s|\(?\d{1,3}[.)]\s")
_LOOK_BACK = 40

# Abbreviations before a name or a number: they never end a sentence.
_BEFORE = word_set(
    "adm approx apt brig ca capt cf col dept dr e.g est fig figs fr ft gen gov hon i.e lt maj "
    "mr mrs ms mt mts op opp pp pres prof rep rev sen sgt ste supt univ viz vol vols vs"
)
# Abbreviations that may end a sentence, depending on the next word.
_EITHER = word_set(
    "a.m al am apr assn assoc aug ave blvd bros cie co corp dec div esp etc ext feat feb inc "
    "inf int jan jr jul jun ltd mar math no nos nov oct p.m phd phys pl proc rd sci sep sept sq "
    "sr st syst"
)
_STARTERS = word_set(
    "a additionally although an and as at both but for he her his however i in it its on she "
    "since some that the their there these they this those we when while with you"
)
_AFTER_HOUR = word_set(
    "mon monday tue tuesday wed wednesday thu thursday fri friday sat saturday sun sunday "
    "eastern central mountain pacific gmt utc cet cest bst est edt cst pst et"
)
"""Capitalised words that may follow on "5 p.m." in the same sentence."""
LONGEST_SENTENCE = 1_000
"""Characters; a longer one is read in parts, so that the time of a text without full stops grows
with its length and not with its square. The longest sentence of 60,000 texts of ours has 621."""
_LONG_WORD = 5
"""A capitalised word with more letters is not an abbreviation."""


def split_sentences(text: str) -> list[Span]:
    """The spans of a text's sentences, without the space around them.

    Lower-cased and tokenised text is split too. A full stop after an initial, an abbreviation or
    the number of a list item does not end a sentence; the end of a line does, unless the next line
    begins in lower case. A sentence of more than `LONGEST_SENTENCE` characters is divided.

    >>> split_sentences("Dr. J. Lee paid $1.50. He left .")
    [(0, 22), (23, 32)]
    """
    return [*_split(text)[0]]


def sentence_at(text: str, place: int) -> Span:
    """The sentence that a place lies in or before; the last one behind all of them.

    >>> sentence_at("One is. Two are.", 9)
    (8, 16)
    """
    spans, ends = _split(text)
    return spans[min(bisect_right(ends, place), len(spans) - 1)]


# The values and mentions of a text ask for its sentences one after the other.
@lru_cache(maxsize=4)
def _split(text: str) -> tuple[tuple[Span, ...], tuple[int, ...]]:
    """The spans of the sentences, and their ends."""
    last = max((match.start() for match in re.finditer(r"\w", text)), default=-1)
    cuts: list[int] = []
    start = len(text) - len(text.lstrip())
    place = start
    while (match := _END.search(text, place)) is not None and match.start() < last:
        end, place = match.end(), match.end()
        if parts := [*divide_long(text, start, match.start())]:
            cuts += parts
            start = parts[-1]
        if match[0] == "\n":
            end = match.start()
        elif match[0][0] not in _WIDE:
            end = place = _past_closing(text, start, match.end())
            if end < len(text) and not text[end].isspace() and not _glued(text, start, end):
                continue
        if end <= last and _LETTER.search(text, start, end) and _ends(text, start, match, end):
            cuts.append(end)
            start = place = _SPACE.match(text, end).end()  # type: ignore[union-attr]
    cuts += divide_long(text, start, len(text))
    spans = tuple(_trimmed(text, 0, len(text), cuts))
    return spans, tuple(end for _, end in spans)


def divide_long(text: str, start: int, end: int) -> Iterator[int]:
    """Where the parts of a span begin that is longer than a sentence may be, at spaces if it can.

    >>> text = "many words " * 200
    >>> [*divide_long(text, 0, len(text))]
    [995, 1991]
    """
    while end - start > LONGEST_SENTENCE:
        space = text.rfind(" ", start + LONGEST_SENTENCE // 2, start + LONGEST_SENTENCE)
        start = space + 1 if space >= 0 else start + LONGEST_SENTENCE
        yield start


class _Started(Protocol):
    @property
    def start(self) -> int: ...


Started = TypeVar("Started", bound=_Started)


def starting_in(spans: Sequence[Started], start: int, end: int) -> Sequence[Started]:
    """Those of some spans in order that begin in a part of the text."""
    first = bisect_left(spans, start, key=lambda one: one.start)
    return spans[first : bisect_left(spans, end, first, key=lambda one: one.start)]


# It begins with a set of characters, which `re` looks for much faster than for a look-behind.
_SIMPLE_END = re.compile(r"[.!?…\n](?:(?<=\n)\n*|(?<!\n)(?<![.!?…][.!?…])[.!?…]*[\"'”’)\]]*\s+)")


def simple_ends(text: str) -> list[int]:
    """The offsets of full stops before a space and of line ends, abbreviations included.

    The detector of `adequa.entities` numbers sentences this way. Its mention weights were learned
    with this rule, and `esa` finds repetitions and names with it: `split_sentences` would change
    scores.
    """
    return [match.start() for match in _SIMPLE_END.finditer(text)]


def _past_closing(text: str, start: int, end: int) -> int:
    """The offset after the quotes and brackets that close behind a sentence's end."""
    while found := _CLOSING.match(text, end):
        end = found.end()
    # A quote between spaces, as tokenisers write it, closes if one is open.
    if text.count('"', start, end) % 2 and (found := _QUOTE_APART.match(text, end)):
        end = found.end()
    return end


def _glued(text: str, start: int, end: int) -> bool:
    """Whether a full stop ends a sentence although the next one follows without a space."""
    token = text[max(start, end - _LOOK_BACK) : end].rsplit(maxsplit=1)[-1]
    return bool(_BEFORE_GLUED.fullmatch(token) and _AFTER_GLUED.match(text, end))


def _ends(text: str, start: int, match: re.Match[str], end: int) -> bool:
    """Whether the sentence that begins at `start` ends at the match."""
    mark = match[0]
    if mark[0] in _WIDE:
        return True
    following = _NEXT_WORD.match(text, end)
    word = (following["word"] or "") if following else ""
    small = word[:1].islower()
    if mark == "\n":
        return not small or _new_paragraph(text, end)
    if "\n" in text[end : end + 2] and not small:
        return True
    cased = _CAPITAL.search(text, start, end) is not None
    if mark[0] == "…" or mark.startswith(".."):
        return not small
    if mark[0] != ".":
        return not (small and cased)
    return _period_ends(text, start, match.start(), word, cased=cased)


def _period_ends(text: str, start: int, stop: int, word: str, *, cased: bool) -> bool:
    look = text[max(start, stop - _LOOK_BACK) : stop].rstrip()
    found = _LAST_WORD.search(look)
    before = found[0] if found else ""
    lower = before.lower()
    starts = word.lower().rstrip(".") in _STARTERS and (word[:1].isupper() or not cased)
    starts = starts and not (len(word) == 2 and word.endswith("."))
    if lower in _BEFORE:
        return False
    if lower in ("no", "nos"):
        return not word[:1].isdigit()
    if word[:1].isupper() and _HOUR.search(look):
        return word.lower().rstrip(".") not in _AFTER_HOUR
    unit = _UNIT.search(look) and not (cased and word[:1].islower())
    if lower in _EITHER or (_INITIALS.match(before) and not unit):
        return starts
    if not word[:1].islower() or not cased:
        return True
    if word.rstrip(".") in _STARTERS:
        return True
    return not before[:1].isdigit() and (before.islower() or len(before) > _LONG_WORD)


def _new_paragraph(text: str, end: int) -> bool:
    """Whether an empty line follows, or an item of a list."""
    gap = _LINE_BREAK.match(text, end)
    return gap is not None and (gap[0].count("\n") > 1 or bool(_ITEM.match(text, gap.end())))


_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_KEPT = re.compile(r'"[^"]*"|“[^”]*”|«[^»]*»|\([^()]*\)|\[[^\[\]]*\]')
_DAY_OR_MONTH = re.compile(rf"(?:\d|\b{_MONTH})\s*$", re.IGNORECASE)
_NUMBER = re.compile(r"\s*\d")
_NAME_BEFORE = re.compile(r"(?<![\w'’])[A-ZÀ-ÖØ-Þ][\w'’.-]*\s*$")
_NAME_AFTER = re.compile(r"\s*[A-ZÀ-ÖØ-Þ]")
_BREAK = re.compile(r"[,;](?=\s)|\s[–—]+(?=\s)|\s--(?=\s)")
_PREPOSITION = r"(?:in|of|for|at|by|on|to|from|with|through|under|during|after|before|among)"
_VERB = r"(?:is|was|are|were|has|had|have|can|will)"
_RELATIVE = re.compile(
    rf"(?<=\s)(?:(?:{_PREPOSITION}\s+)?(?:which|whom|whose)|who|where|that\s+{_VERB}"
    r"|(?:and|but|while|whereas|although)\s+(?:(?:also|then|later|now)\s+)?"
    rf"(?:{_VERB}|it|he|she|they"
    # "and the inn is", and not "and the inn"
    rf"|(?:its|his|her|their|there|the)(?=(?:\s+[^\s,;]+){{1,6}}?\s+{_VERB}\s)))(?=\s)",
    re.IGNORECASE,
)
_PARTICIPLE = re.compile(
    r"(?<=\s)(?:(?:located|situated|based|born|founded|established|built|constructed|designed"
    r"|written|created|composed|produced|directed|published|released|led|owned|operated|made)"
    rf"\s+(?:as|near|{_PREPOSITION})|known|called|named|starring|serving|featuring|including"
    r"|containing|consisting|measuring|offering|covering|having|belonging|bordering|playing"
    r"|working|living)(?=\s)",
    re.IGNORECASE,
)
_WORD_BEFORE = re.compile(r"(?P<word>\S+)\s+$")
# After one of these words a participle belongs to the verb, a noun or a list of participles.
_BINDING = word_set(
    "a an and are as be been being best better by for get gets got had has have in is it its "
    "largely most mostly not now of often or the to was well were who which"
)


def split_clauses(text: str, start: int, end: int) -> list[Span]:
    """The spans of a sentence's clauses, each of at least two words.

    Split at commas, semicolons and dashes, before relative clauses and participles, and before
    "and is"; never in a number, a date, quotes or brackets, nor between two names ("Rome, Italy").

    >>> text = "Rome, Italy, which is old, has 1,200 bars."
    >>> [text[start:end] for start, end in split_clauses(text, 0, len(text))]
    ['Rome, Italy,', 'which is old,', 'has 1,200 bars.']
    """
    kept = [match.span() for match in _KEPT.finditer(text, start, end)]
    places = [
        place
        for place in sorted(set(_clause_starts(text, start, end)))
        if start < place < end and not any(first < place < last for first, last in kept)
    ]
    parts = _trimmed(text, start, end, places)
    found: list[Span] = []
    opened: int | None = None
    for first, last in parts:
        opened = first if opened is None else opened
        if count_words(text[opened:last]) > 1:
            found.append((opened, last))
            opened = None
    if opened is not None:  # a single last word belongs to the clause before it
        first = found.pop()[0] if found else opened
        found.append((first, parts[-1][1]))
    return found


def clauses_around(text: str, start: int, end: int, sentence: Span) -> Span:
    """The clauses of a sentence that a span lies in, without the punctuation around them.

    >>> text = "It was built in 1990, and it is 5 m high."
    >>> text[slice(*clauses_around(text, 16, 20, (0, len(text))))]
    'It was built in 1990'
    """
    parts = [one for one in _clauses(text, *sentence) if one[0] < end and start < one[1]]
    first = min(start, *(one[0] for one in parts), start)
    last = max(end, *(one[1] for one in parts), end)
    while last > end and text[last - 1] in " ,;:.!?–—-":
        last -= 1
    return first, last


@lru_cache(maxsize=4)
def _clauses(text: str, start: int, end: int) -> tuple[Span, ...]:
    """As `split_clauses`: the spans of a sentence are looked at one after the other."""
    return tuple(split_clauses(text, start, end))


def _clause_starts(text: str, start: int, end: int) -> Iterable[int]:
    for match in _BREAK.finditer(text, start, end):
        before, after = text[max(start, match.start() - _LOOK_BACK) : match.start()], match.end()
        dated = _DAY_OR_MONTH.search(before) and _NUMBER.match(text, after, end)
        named = _NAME_BEFORE.search(before) and _NAME_AFTER.match(text, after, end)
        if match[0] != "," or not (dated or named):
            yield match.end()
    for match in _RELATIVE.finditer(text, start + 1, end):
        yield match.start()
    for match in _PARTICIPLE.finditer(text, start + 1, end):
        before = text[max(start, match.start() - _LOOK_BACK) : match.start()]
        word = _WORD_BEFORE.search(before)
        if word and word["word"].lower() not in _BINDING and not word["word"].endswith("ly"):
            yield match.start()


def count_words(text: str) -> int:
    """The number of strings between spaces with a letter or a digit."""
    return sum(1 for word in text.split() if any(map(str.isalnum, word)))


def _trimmed(text: str, start: int, end: int, cuts: Iterable[int]) -> list[Span]:
    """The spans between the cuts, without the space around them."""
    found: list[Span] = []
    first = start
    for last in (*cuts, end):
        part = text[first:last]
        if bare := part.strip():
            left = first + len(part) - len(part.lstrip())
            found.append((left, left + len(bare)))
        first = last
    return found
