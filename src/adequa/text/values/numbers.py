"""Numbers and quantities in data values and in texts, and whether the two agree.

Texts are English unless a `Language` is given; data values are always read as English.

`hedge_at` reads the words around a number ("about", "just over"), and `interval_of` tells which
values of the data the number may stand for.

Hand-written: libraries such as `quantulum3` read numbers as floats, which lose the written decimals
(1.80) that rounding is judged by.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Context, Decimal
from functools import cache
from typing import Literal, NamedTuple

from adequa.text.languages import Language
from adequa.text.numerals import NumberWord
from adequa.text.values.units import UNITS, literal_of, lowered, match_unit, unit_named


class SpelledNumber(NamedTuple):
    """A number in words and its place in the text."""

    start: int
    end: int
    value: int
    ordinal: bool


_ONES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS = ("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen",
          "eighteen", "nineteen")  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SCALES = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9,
           "trillion": 10**12}  # fmt: skip
_ORDINALS = {"one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth",
             "nine": "ninth", "twelve": "twelfth"}  # fmt: skip


def _vocabulary() -> dict[str, tuple[str, int, bool]]:
    words = {word: ("one", n, False) for n, word in enumerate(_ONES)}
    words |= {word: ("ten", n, False) for n, word in enumerate(_TEENS, 10)}
    words |= {word: ("tens", 10 * n, False) for n, word in enumerate(_TENS, 2)}
    words |= {word: ("scale", n, False) for word, n in _SCALES.items()}
    for word, (kind, n, _) in list(words.items()):
        ordinal = _ORDINALS.get(word) or (word[:-1] + "ieth" if kind == "tens" else word + "th")
        if word != "zero":
            words[ordinal] = (kind, n, True)
    return words | {"dozen": ("dozen", 12, False), "a": ("a", 1, False)}


_VOCABULARY = _vocabulary()
_SMALL = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_TOKEN = re.compile(r"\w+")
_NUMBER_WORDS = frozenset(_VOCABULARY) - {"a"}  # "a" is one only before another of them
_ANY_WORD = (
    r"(?:a(?=\s{1,2}(?:dozen|hundred|thousand|million|billion|trillion)(?!\w))|"
    + "|".join(sorted((w for w in _VOCABULARY if w != "a"), key=len, reverse=True))
    + r")(?!\w)"
)
_WORD = re.compile(rf"(?<!\w){_ANY_WORD}")
_RUN = re.compile(rf"(?<!\w){_ANY_WORD}(?:(?:\s{{1,2}}|\s?-\s?)(?:and\s{{1,2}})?{_ANY_WORD})*")
_NOT_COUNTED = re.compile(r"(?<!\w)(?:half|no)[\s-]\Z")
_FRACTION = re.compile(
    r"[\s-]{1,2}(?:and\s{1,2}a\s{1,2})?(?:half|halves|quarters?|thirds"
    r"|(?:four|fif|six|seven|eigh|nin|ten|hundred|thousand)ths)(?!\w)"
)


_HALVES = re.compile(rf"(?<!\w)(?P<n>{'|'.join(_SMALL)}) and a half(?=\s[a-z])")


def _follows(previous: str, kind: str, glue: str) -> bool:
    """Whether a word continues the number that the previous word began."""
    if "and" in glue and previous != "scale":
        return False
    if kind == "one":
        return previous in ("tens", "scale")
    if kind in ("ten", "tens"):
        return previous == "scale"
    return kind in ("scale", "dozen") and "and" not in glue


def _spelt(
    lower: str,
    matches: Iterable[re.Match[str]],
    vocabulary: Mapping[str, NumberWord] = _VOCABULARY,
    follows: Callable[[str, str, str], bool] = _follows,
) -> list[SpelledNumber]:
    """The numbers in a run of number words: "two thousand and five", but "five" and "six"."""
    numbers: list[SpelledNumber] = []
    kind, start, end, total, current, limit, closed = "", 0, 0, 0, 0, 10**15, True
    for match in matches:
        this, value, ordinal = vocabulary[match[0]]
        more = not closed and follows(kind, this, lower[end : match.start()])
        if more and this == "scale":
            # Hundreds multiply what is below a hundred; the greater ones must come down.
            more = current < 100 if value == 100 else value < limit
            more = more and current > 0
        if not more:
            if not closed:
                numbers.append(SpelledNumber(start, end, total + current, False))
            start, total, current, limit = match.start(), 0, 0, 10**15
        if this == "scale":
            if value == 100:
                current = 100 * max(current, 1)
            else:
                total, current, limit = total + value * max(current, 1), 0, value
        else:
            current = current * value if this == "dozen" and current else current + value
        kind, end = this, match.end()
        closed = ordinal or this == "dozen"
        if closed:
            numbers.append(SpelledNumber(start, end, total + current, ordinal))
    if not closed:
        numbers.append(SpelledNumber(start, end, total + current, False))
    return numbers


def _find_runs(lower: str) -> Iterator[re.Match[str]]:
    """`_RUN.finditer`, which would try every character and not only whole words."""
    end = 0
    for word in _TOKEN.finditer(lower):
        if word.start() >= end and word[0] in _VOCABULARY:
            run = _RUN.match(lower, word.start())
            if run is not None:
                yield run
                end = run.end()


def spelt_numbers(lower: str) -> list[SpelledNumber]:
    """Every number in words of a lower-case text, except fractions, "half a dozen", "no one"."""
    if _NUMBER_WORDS.isdisjoint(_TOKEN.findall(lower)):
        return []
    found: list[SpelledNumber] = []
    for run in _find_runs(lower):
        numbers = _spelt(lower, _WORD.finditer(lower, run.start(), run.end()))
        skip = False
        for index, number in enumerate(numbers):
            following = numbers[index + 1] if index + 1 < len(numbers) else None
            # "one third" is a fraction; "one second" is a time.
            fraction = (
                following is not None
                and following.ordinal
                and not number.ordinal
                and lower[following.start : following.end] != "second"
            )
            refused = skip or fraction or _FRACTION.match(lower, number.end)
            skip, before = fraction, max(0, number.start - 6)
            if not refused and not _NOT_COUNTED.search(lower, before, number.start):
                found.append(number)
    return found


_ROOM: Mapping[str, tuple[str, ...]] = {
    "one": ("tens", "score", "hundreds", "scale"),
    "article": ("tens", "score", "hundreds", "scale"),
    "ten": ("score", "hundreds", "scale"),
    "tens": ("hundreds", "scale"),
    "score": ("hundreds", "scale"),
    "hundreds": ("scale",),
    "whole": ("hundreds", "scale"),
    "scale": ("one", "article", "ten", "tens", "score", "hundreds", "whole", "scale"),
}
"""After which kinds of words a word of another language continues a number; a score is French:
"quatre-vingt-douze". An article (un, ein) is a number only beside other number words."""


def _has_room(previous: str, kind: str, _glue: str) -> bool:
    return previous in _ROOM[kind]


class _NumberWords(dict[str, NumberWord]):
    """The number words of a language, with those that have the word for thousand in them."""

    def __init__(self, language: Language) -> None:
        super().__init__(language.number_words)
        self._thousand = language.thousand

    def __missing__(self, word: str) -> NumberWord:
        head, thousand, tail = word.partition(self._thousand) if self._thousand else ("", "", "")
        parts = [self.get(part, ("", 0, False)) for part in (head, tail)]
        known = all(part[1] for part, text in zip(parts, (head, tail), strict=True) if text)
        if not thousand or not known or not (head or tail):
            return ("", 0, False)
        value = 1000 * (parts[0][1] or 1) + parts[1][1]
        return ("whole" if tail else "hundreds", value, False)


@cache
def _words_of(language: Language) -> tuple[_NumberWords, re.Pattern[str], re.Pattern[str]]:
    """The number words of a language, and the patterns of a word and of a gap between two."""
    gap = rf"\s{{1,2}}(?:{language.glue}\s{{1,2}})?|\s?-\s?(?:{language.glue}-)?"
    token = re.compile(rf"(?<![^\W_])(?:{language.number_token})(?![^\W_])")
    return _NumberWords(language), token, re.compile(gap)


def _spelt_in(lower: str, language: Language) -> list[SpelledNumber]:
    """Every number in words of a lower-case text in another language than English."""
    vocabulary, token, gap = _words_of(language)
    found: list[SpelledNumber] = []
    run: list[re.Match[str]] = []

    def close() -> None:
        numbers = _spelt(lower, run, vocabulary, _has_room)
        found.extend(
            one for one in numbers if vocabulary[lower[one.start : one.end]][0] != "article"
        )
        run.clear()

    for match in token.finditer(lower):
        if not vocabulary[match[0]][0]:
            if run and match[0] != language.glue:
                close()
            continue
        if run and not gap.fullmatch(lower, run[-1].end(), match.start()):
            close()
        run.append(match)
    close()
    return found


class Quantity(NamedTuple):
    """A number with its decimals as written, and the canonical name of its unit, if any."""

    value: Decimal
    unit: str | None


class NumberSpan(NamedTuple):
    """A number in a text; `end` is the end of the number, `unit_end` the end of its unit."""

    start: int
    end: int
    unit_end: int
    readings: tuple[Quantity, ...]
    ordinal: bool
    words: bool


# Exact for every number read here (at most 40 digits), and independent of the caller's context.
_EXACT = Context(prec=100, traps=[])
_LONGEST = 40
_HALF = Decimal("0.5")
# One per cent covers the usual conversion factors (1 mile = 1.6 km). No record of the data these
# two were chosen on; kept for stable scores.
_TOLERANCE = 0.01
_DEGREES = 0.6


def is_same(value: Quantity, seen: Quantity) -> bool:
    """Whether two quantities are equal; a unit missing on one side is ignored."""
    return value.value == seen.value and _units_agree(value, seen)


def is_rounded(value: Quantity, seen: Quantity) -> bool:
    """Whether `seen` is `value` rounded to the places of `seen`, at least two significant digits.

    The final zeros of a whole number ("20,800") may come from rounding; those of "1.80" do not.
    """
    if not _units_agree(value, seen) or not seen.value:
        return False
    _, digits, exponent = seen.value.as_tuple()
    if not isinstance(exponent, int) or len(digits) < 2:
        return False
    place = exponent
    if exponent == 0:
        zeros = len(digits) - len("".join(map(str, digits)).rstrip("0"))
        place = min(zeros, len(digits) - 2)
    gap = _EXACT.subtract(value.value, seen.value).copy_abs()
    return gap <= _HALF.scaleb(place, _EXACT)


def is_converted(value: Quantity, seen: Quantity) -> bool:
    """Whether two quantities are equal in different units of one dimension."""
    first, second = UNITS.get(value.unit or ""), UNITS.get(seen.unit or "")
    if first is None or second is None or first == second or first.dimension != second.dimension:
        return False
    one, other = first.base(float(value.value)), second.base(float(seen.value))
    # One per cent of 300 kelvin would be three degrees: temperatures may differ by rounding only.
    is_temperature = first.dimension == "temperature"
    limit = _DEGREES if is_temperature else _TOLERANCE * max(abs(one), abs(other))
    return abs(one - other) <= limit < float("inf")


def _units_agree(value: Quantity, seen: Quantity) -> bool:
    """Whether the given units agree; `km` agrees with `km per sec`."""
    if value.unit is None or seen.unit is None or value.unit == seen.unit:
        return True
    # Pounds in data are money or mass; only the sign in the text distinguishes them.
    return value.unit.startswith(f"{seen.unit} per ") or {value.unit, seen.unit} == _POUNDS


# A chain is a run of numbers joined by punctuation only; ids, times, dates and ranges are chains
# too. It matches at any digit and is judged afterwards, which keeps the time linear.
_CHAIN = re.compile(
    r"[0-9]+(?:(?:[.,:/–—'’-]|[ \u00a0][–/:-][ \u00a0]|[ \u00a0],[ \u00a0](?=[0-9]{3}(?![0-9]))"
    r"|(?<!\b[12][0-9]{3})[ \u00a0]\.[ \u00a0]|[ \u00a0]?\.[ \u00a0](?=0{1,3}(?![0-9]))"
    r"|[\u00a0\u2009\u202f](?=[0-9]{3}(?![0-9])))[0-9]+)*"
)
# Other languages than English also write a plain space between thousands.
_SPACED_CHAIN = re.compile(
    _CHAIN.pattern.replace("|[\\u00a0\\u2009\\u202f](?=", r"|(?<![0-9]{4})[ \u00a0\u2009\u202f](?=")
)
_FIGURE = re.compile("[0-9]")
_POUNDS = {"pound", "pound sterling"}
_POINT_FIRST = re.compile(r"(?:\A|\s)\.\Z")
_SPACED_POINT = re.compile(r"\s?([.,])\s?")
_RANGE = re.compile(r"\s?[–—]\s?|\s-\s")
_LEADING_ZERO = re.compile(r"0[0-9]")
_ENGLISH = re.compile(
    r"([1-9][0-9]{0,2}(?:,[0-9]{3})+|[1-9][0-9]?(?:,[0-9]{2})+,[0-9]{3})(\.[0-9]+)?"
)
_CONTINENTAL = re.compile(
    r"([1-9][0-9]{0,2}(?:\.[0-9]{3})+),([0-9]+)|([1-9][0-9]{0,2}(?:\.[0-9]{3}){2,})"
)
_SPACES = re.compile(r"([1-9][0-9]{0,2}(?:[ \u00a0\u2009\u202f'’][0-9]{3})+)(?:[.,]([0-9]+))?")
_DECIMAL = re.compile(r"([0-9]+)([.,])([0-9]+)")


def _values(part: str, *, comma: bool = False) -> tuple[str, ...]:
    """The possible values of a number, as exact Decimal strings; none for ids and the like.

    With `comma` a comma before three figures may also be a decimal one.
    """
    if part.isdigit():
        return () if _LEADING_ZERO.match(part) else (part,)
    if comma and (match := _DECIMAL.fullmatch(part)) and match[2] == "," and len(match[3]) == 3:
        return (f"{match[1]}.{match[3]}", match[1] + match[3])
    part = _SPACED_POINT.sub(r"\1", part)
    if _LEADING_ZERO.match(part):
        return ()
    if match := _ENGLISH.fullmatch(part):
        return (part.replace(",", ""),)
    if match := _CONTINENTAL.fullmatch(part):
        whole = (match[1] or match[3]).replace(".", "")
        return (f"{whole}.{match[2]}" if match[2] else whole,)
    if match := _SPACES.fullmatch(part):
        whole = re.sub("[^0-9]", "", match[1])
        return (f"{whole}.{match[2]}" if match[2] else whole,)
    if match := _DECIMAL.fullmatch(part):
        plain = f"{match[1]}.{match[3]}"
        if match[1] != "0" and len(match[1]) <= 3 and len(match[3]) == 3:
            return (plain, match[1] + match[3])
        return () if match[2] == "," and len(match[3]) == 3 and match[1] != "0" else (plain,)
    return ()


_MONEY_CODES = (
    *("usd", "eur", "gbp", "aud", "cad", "inr", "jpy", "chf", "nok", "sek", "dkk", "pln", "czk"),
    *("huf", "nzd", "sgd", "hkd", "zar", "cny", "krw", "brl", "mxn", "ils"),
)
_MONEY_SIGN = re.compile(
    r"(?<![^\W_])(?:(?:us|a|au|c|ca|hk|s)?\$|[€£¥₹]"
    rf"|(?:{'|'.join(_MONEY_CODES)})(?=\s|\Z))\s?\Z"
)
_SIGN_WORDS = (*_MONEY_CODES, "minus", "negative")
_MINUS = re.compile(r"(?:(?:\A|(?<=[\s(]))[-−–]|(?<!\w)(?:minus|negative)\s{1,2})\Z")
_FREE_MINUS = re.compile(r"(?:\A|\s)[-−–]\s\Z")
_LETTERS_DASH = re.compile(r"[^\W\d_][a-zß-öø-ÿ][-–]\Z")


class _Left(NamedTuple):
    start: int
    signs: tuple[str, ...]
    currency: str | None


@cache
def _minus_of(language: Language) -> re.Pattern[str]:
    return re.compile(rf"(?:(?:\A|(?<=[\s(]))[-−–]|(?<!\w)(?:{language.minus})\s{{1,2}})\Z")


def _left(text: str, lower: str, start: int, language: Language | None) -> _Left | None:
    """The sign and currency before a number; None if the number is part of a name."""
    currency = None
    is_after_word = lower[start - 1 : start] == " " and start > 1 and text[start - 2].isalpha()
    if is_after_word and language is None and not lower.endswith(_SIGN_WORDS, 0, start - 1):
        return _Left(start, ("",), None)  # most numbers
    if money := _MONEY_SIGN.search(lower, max(0, start - 6), start):
        currency = unit_named(text[money.start() : start].strip())
        start = money.start()
    pattern = _MINUS if language is None else _minus_of(language)
    if minus := pattern.search(lower, max(0, start - 11), start):
        return _Left(minus.start(), ("-",), currency)
    if _FREE_MINUS.search(lower, max(0, start - 3), start):
        return _Left(start, ("", "-"), currency)
    before = text[start - 1] if start else " "
    further = text[start - 2] if start > 1 else " "
    glued = (
        before.isalnum()
        or before in ("_^@'’" if language is None else "_^@")
        or (
            before in "-–"
            and further != ")"
            and not _LETTERS_DASH.search(text, max(0, start - 3), start)
        )
        or (before == "." and not further.isalpha())
        or (before in "/\\" and not further.isspace())
    )
    return None if glued else _Left(start, ("",), currency)


_POWERS = {"hundred": 2, "thousand": 3, "million": 6, "billion": 9, "trillion": 12, "lakh": 5,
           "crore": 7, "mn": 6, "bn": 9, "m": 6, "k": 3, "b": 9}  # fmt: skip
_MAGNITUDE = re.compile(
    r"[\s-]{0,2}(hundred|thousand|million|billion|trillion|lakh|crore|mn|bn)(?!\w)"
)
_MONEY_MAGNITUDE = re.compile(r"\s?(mn|bn|m|k|b)(?!\w)")
_EXPONENT = re.compile(r"(?:\s?[x×*]\s?10\s?(?:\^|\*\*)?\s?|e)([+−-]?[0-9⁻⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3})(?!\w)")
_SUPERSCRIPTS = str.maketrans("−⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "--0123456789")
_ORDINAL_END = re.compile(r"\s?(st|nd|rd|th)(?!\w)")
_UNIT_GAP = re.compile(r"\s{0,2}(?P<open>\()\s?(?:in\s)?|\s?-\s?|\s{0,2}")
_CLOSE = re.compile(r"\s?\)")
_ORDINARY_END = re.compile(r"(?![^\W]|_|[/\\][^\W]|-(?![^\W\d_]{2}))")


@cache
def _magnitudes(language: Language) -> tuple[re.Pattern[str], list[int]]:
    """The pattern of "million" and the like, each in a group, and their powers of ten."""
    words = "|".join(f"({pattern})" for pattern in language.powers)
    return re.compile(rf"[\s\u00a0-]{{0,2}}(?:{words})(?![^\W_])"), [*language.powers.values()]


def _power_in(lower: str, end: int, language: Language) -> tuple[int, int]:
    pattern, powers = _magnitudes(language)
    match = pattern.match(lower, end)
    if match is None or match.lastindex is None:
        return 0, end
    return powers[match.lastindex - 1], match.end()


def _power(
    lower: str, end: int, currency: str | None, language: Language | None = None
) -> tuple[int, int]:
    """The power of ten that follows a number ("million", "x 10^6") and its end."""
    if language is not None and (found := _power_in(lower, end, language))[0]:
        return found
    power = 0
    if match := _EXPONENT.match(lower, end):
        digits = match[1].translate(_SUPERSCRIPTS)
        if digits.lstrip("+-").isdigit() and "-" not in digits[1:]:
            power, end = int(digits), match.end()
    match = _MAGNITUDE.match(lower, end)
    if match is None and currency:
        match = _MONEY_MAGNITUDE.match(lower, end)
    return (power + _POWERS[match[1]], match.end()) if match else (power, end)


def _unit(
    text: str, lower: str, end: int, language: Language | None = None
) -> tuple[str | None, int]:
    """The unit after a number, in brackets or not, and its end; the number's end without one."""
    gap = _UNIT_GAP.match(lower, end)
    position = gap.end() if gap else end
    found = match_unit(text, lower, position, glued=position == end, language=language)
    if found is None:
        return None, end
    if gap and gap["open"]:
        close = _CLOSE.match(lower, found[1])
        return (found[0], close.end()) if close else (None, end)
    return found


def _suffix_of(digits: str) -> str:
    if digits[-2:] in ("11", "12", "13"):
        return "th"
    return {"1": "st", "2": "nd", "3": "rd"}.get(digits[-1], "th")


def _numeral(
    text: str,
    lower: str,
    values: tuple[str, ...],
    left: _Left,
    end: int,
    language: Language | None = None,
) -> NumberSpan | None:
    ordinal = _ORDINAL_END.match(lower, end)
    if language is not None:
        ordinal = re.compile(rf"(?:{language.day_end})(?!\w)").match(lower, end)
        ordinal = None if ordinal and ordinal[0] == "." else ordinal  # the end of a sentence
    if ordinal and values[-1].isdigit() and (language or _suffix_of(values[-1]) == ordinal[1]):
        quantity = Quantity(Decimal(values[-1]), None)
        return NumberSpan(left.start, ordinal.end(), ordinal.end(), (quantity,), True, False)
    power, end = _power(lower, end, left.currency, language)
    if power and language is not None and (half := _half_of(language).match(lower, end)):
        values, end = tuple(str(Decimal(value) + _HALF) for value in values), half.end()
    unit, unit_end = _unit(text, lower, end, language)
    if unit_end == end and not _ORDINARY_END.match(text, end):
        return None
    if language is not None and (below := _below_of(language).match(lower, unit_end)):
        left, unit_end = left._replace(signs=("-",)), below.end()
    after = text[unit_end : unit_end + 2]
    if unit_end > end and after[:1] == "/" and after[1:].isdigit():
        return None
    readings = tuple(
        Quantity(Decimal(f"{sign}{value}E{power}"), left.currency or unit)
        for value in values
        for sign in left.signs
    )
    return NumberSpan(left.start, end, unit_end, readings, False, False)


@cache
def _half_of(language: Language) -> re.Pattern[str]:
    """The pattern of "and a half" after "one million"; it matches nothing if there is none."""
    return re.compile(rf"(?:{language.and_a_half})(?!\w)" if language.and_a_half else r"(?!)")


@cache
def _below_of(language: Language) -> re.Pattern[str]:
    return re.compile(rf"\s(?:{language.below_zero})(?!\w)")


def _numerals(text: str, lower: str, language: Language | None = None) -> list[NumberSpan]:
    spans: list[NumberSpan] = []
    position = 0
    chains = _CHAIN if language is None else _SPACED_CHAIN
    comma = language is not None
    while match := chains.search(text, position):
        position = match.end()
        chain = match[0]
        if _POINT_FIRST.match(text, max(match.start() - 2, 0), match.start()) and chain.isdigit():
            left = _Left(match.start() - 1, ("",), None)  # .88 square kilometres
            figures = (f"0.{chain[:_LONGEST]}",)
            if span := _numeral(text, lower, figures, left, match.end(), language):
                spans.append(span)
                position = max(position, span.unit_end)
            continue
        few = len(chain) <= 2 * _LONGEST
        before = _left(text, lower, match.start(), language) if few else None
        if before is None:
            continue
        left = before
        parts = [chain]
        if len(chain) > 1 and (dash := _RANGE.search(chain)):
            parts = [chain[: dash.start()], chain[dash.end() :]]
            # A season (2014–15) or a shortened range is not two numbers.
            if len(dash[0]) == 1 and len(parts[1]) < len(parts[0]):
                continue
        values = [_values(part, comma=comma) if len(part) <= _LONGEST else () for part in parts]
        if not all(values):
            continue
        if len(parts) == 2:
            readings = tuple(Quantity(Decimal(left.signs[0] + value), None) for value in values[0])
            end = match.start() + len(parts[0])
            spans.append(NumberSpan(left.start, end, end, readings, False, False))
            left = _Left(match.end() - len(parts[1]), ("",), None)
        if span := _numeral(text, lower, values[-1], left, match.end(), language):
            spans.append(span)
            position = max(position, span.unit_end)
    return spans


def _worded(text: str, lower: str, language: Language | None = None) -> list[NumberSpan]:
    spans = [] if language is None else _parts_in(text, lower, language)
    spelt = spelt_numbers(lower) if language is None else _spelt_in(lower, language)
    for start, end, value, ordinal in spelt:
        exact = Decimal(value)
        if (
            language is not None
            and value >= 1000
            and (half := _half_of(language).match(lower, end))
        ):
            # "one million and a half": half of the last scale
            scale = next(
                one for one in (10**12, 10**9, 10**6, 1000) if value % one == 0 or one == 1000
            )
            exact, end = exact + Decimal(scale) / 2, half.end()
        unit, unit_end = (None, end) if ordinal else _unit(text, lower, end, language)
        quantity = Quantity(exact, unit)
        spans.append(NumberSpan(start, end, unit_end, (quantity,), ordinal, True))
    for match in _HALVES.finditer(lower) if language is None and "and a half" in lower else ():
        unit, unit_end = _unit(text, lower, match.end())
        if unit is not None:  # "two and a half hours", but not "two and a half of them"
            exact = _SMALL.index(match["n"]) + 1 + _HALF
            quantity = Quantity(exact, unit)
            spans.append(NumberSpan(match.start(), match.end(), unit_end, (quantity,), False, True))
    return spans


@cache
def _parts_of(language: Language) -> tuple[re.Pattern[str], list[str]]:
    parts = "|".join(f"({pattern})" for pattern in language.parts)
    powers = "|".join(language.powers)
    return re.compile(rf"(?<!\w)(?:{parts})(?=(?:{powers})(?!\w))"), [*language.parts.values()]


def _parts_in(text: str, lower: str, language: Language) -> list[NumberSpan]:
    """Parts of a million and the like: "eine halbe Million", "driekwart miljoen"."""
    pattern, values = _parts_of(language)
    spans: list[NumberSpan] = []
    for match in pattern.finditer(lower):
        power, end = _power_in(lower, match.end(), language)
        unit, unit_end = _unit(text, lower, end, language)
        value = Decimal(values[(match.lastindex or 1) - 1]).scaleb(power)
        quantity = Quantity(Decimal(int(value)), unit)
        spans.append(NumberSpan(match.start(), end, unit_end, (quantity,), False, True))
    return spans


def find_numbers(text: str, language: Language | None = None) -> list[NumberSpan]:
    """Every number of a text, in figures and words, without overlaps, in order."""
    lower = lowered(text)
    spans = _numerals(text, lower, language)
    worded = _worded(text, lower, language)
    if not worded:
        return spans
    kept: list[NumberSpan] = []
    ordered = sorted(spans + worded)
    if language is not None:  # "un cuarto de millón" is longer than "un cuarto"
        ordered.sort(key=lambda span: (span.start, -span.unit_end))
    for span in ordered:
        # "million" in "3 million", "second" in "five second" belong to the first number.
        if not kept or span.start >= kept[-1].unit_end:
            kept.append(span)
    return kept


def quantity_of(string: str) -> Quantity | None:
    """The quantity of a data value, or None if it is more than a number and its unit."""
    value, datatype = literal_of(string)
    value = value.replace("_", " ").removeprefix("+")
    if len(value) > 100 or _FIGURE.search(value) is None:
        return None
    spans = find_numbers(value)
    if len(spans) != 1:
        return None
    span = spans[0]
    if span.start or span.unit_end != len(value) or span.ordinal or span.words:
        return None
    quantity = span.readings[0]
    if quantity.unit is None and datatype:
        return quantity._replace(unit=unit_named(datatype))
    return quantity


# How exactly a text gives a number: rounded, "about", "just over", "nearly", "more than" ---------

Hedge = Literal[
    "none", "about", "just over", "over", "at least", "just under", "under", "at most", "either"
]
"""`either` is "over" or "under", which may also mean during or below: exact values count too."""


class Interval(NamedTuple):
    """The least and greatest value that a number may stand for, ends included."""

    low: float
    high: float

    def holds(self, value: float) -> bool:
        """Whether the value is in it."""
        return self.low <= value <= self.high


_BEFORE: dict[Hedge, str] = {
    "just over": (
        r"(?:just|a\slittle|a\sbit|slightly|a\stouch|a\sshade|marginally|barely)\s"
        r"(?:over|above|more\sthan|longer\sthan|higher\sthan|greater\sthan|past|beyond)"
        r"|a\sgood|(?:shortly|soon|just)\safter|little\smore\sthan|not\smuch\smore\sthan"
    ),
    "just under": (
        r"(?:just|a\slittle|a\sbit|slightly|a\stouch|a\sshade|marginally)\s"
        r"(?:under|below|less\sthan|fewer\sthan|shorter\sthan|lower\sthan|short\sof|shy\sof)"
        r"|(?:shortly|just)\sbefore|nearly|almost|not\squite|approaching|nearing|close\sto|practically"
    ),
    "at least": r"at\sleast|no\s(?:fewer|less)\sthan|not\sless\sthan|≥\s?|a\sminimum\sof|minimum",
    "at most": (
        r"at\smost|no\smore\sthan|not\smore\sthan|(?<!add\s)(?<!adds\s)(?<!added\s)(?<!adding\s)up\sto|as\s(?:many|much|high|long)\sas|≤\s?"
        r"|a\smaximum\sof|maximum"
    ),
    "over": (
        r"(?:well\s)?more\sthan|well\s(?:over|above)"
        r"|exceeding|exceeds?|exceeded|surpass(?:es|ed|ing)|upwards\sof|in\sexcess\sof|>\s?"
    ),
    "under": r"(?:well\s)?(?:less|fewer)\sthan|well\s(?:under|below)|<\s?",
    "either": (
        r"(?<!turned\s)(?<!turns\s)over|above|under|below|beyond|(?:greater|longer|higher|older|better|larger|bigger|shorter"
        r"|lower|younger|smaller|warmer|colder)\sthan"
    ),
    "about": (
        r"about|around|roughly|approximately|approx\.?|circa|c\.|ca\.|some|an?\sestimated|~\s?|≈\s?"
        r"|in\sthe\sregion\sof|on\sthe\sorder\sof|near"
    ),
}
_HEDGE = re.compile(
    r"(?<!\w)(?:"
    + "|".join(f"(?P<{name.replace(' ', '_')}>{words})" for name, words in _BEFORE.items())
    + r")\s?(?:an?\s(?=\d))?[$€£]?\Z"
)
_HEDGE_ENDS = (
    *("over", "above", "than", "past", "beyond", "good", "after", "under", "below", "of", "before"),
    *("nearly", "almost", "quite", "approaching", "nearing", "to", "practically", "least", "≥"),
    *("minimum", "most", "as", "≤", "maximum", "exceeding", "exceed", "exceeds", "exceeded"),
    *("surpasses", "surpassed", "surpassing", ">", "<", "about", "around", "roughly", "near"),
    *("approximately", "approx", "approx.", "circa", "c.", "ca.", "some", "estimated", "~", "≈"),
)
"""How the words of `_BEFORE` end, without which `_HEDGE` need not be tried."""
_AFTER = re.compile(r"\s?(?P<at_least>\+|or\smore|or\sabove|plus)(?!\w)|\s?(?P<about>or\sso|-odd)")
_WINDOW = 32
_NEGATION = re.compile(
    r"(?:(?<!\w)(?:no|not|nobody|none|never|without|cannot|neither)(?!\w)|n['’]t(?!\w))"
)
_NEGATED: dict[str, Hedge] = {"over": "at most", "under": "at least"}


@cache
def _hedge_of(language: Language) -> re.Pattern[str]:
    words = (f"(?P<{name.replace(' ', '_')}>{own})" for name, own in language.hedges.items())
    return re.compile(rf"(?<!\w)(?:{'|'.join(words)})\s?[$€£]?\s?\Z")


def hedge_at(
    lower: str, start: int, end: int, language: Language | None = None
) -> tuple[Hedge, int]:
    """The hedge of a number at a place of a lower-case text, and the start of its words.

    >>> hedge_at("nearly 30 g", 7, 11)
    ('just under', 0)
    """
    first = max(0, start - _WINDOW)
    before = None
    if language is not None:
        before = _hedge_of(language).search(lower, first, start)
    elif lower[first:start].rstrip("$€£").rstrip().endswith(_HEDGE_ENDS):
        before = _HEDGE.search(lower, first, start)
    if before:
        # Only the hedge that touches the number counts; a longer one begins further left.
        name = next(name for name, words in before.groupdict().items() if words)
        hedge: Hedge = name.replace("_", " ")  # type: ignore[assignment]
        if hedge in _NEGATED and _NEGATION.search(
            lower, max(0, before.start() - _WINDOW), before.start()
        ):
            hedge = _NEGATED[hedge]  # "nobody may order more than six"
        return hedge, before.start()
    after = _AFTER.match(lower, end)
    if after:
        return ("at least" if after["at_least"] else "about"), start
    return "none", start


# The shares below were chosen by hand on the open part of bench/challenges/records.
_ABOUT = 0.1
"""How far "about 9" may be off: a number of one significant digit; else one unit of its last."""
_JUST = 0.1
"""How far "just over 400" may be off."""
_JUST_SMALL = 0.3
"""The same for a number of one digit: 48 cm are not "almost a metre"."""
_MORE = 0.2
"""How far "more than 420" may be off; "more than 400" may be up to 500."""
_TINY = 1e-9


def interval_of(seen: Decimal, hedge: Hedge = "none") -> Interval:
    """The values that a number may stand for: rounded to its last digit, or as the hedge says.

    The final zeros of a whole number may come from rounding, as in "20,800"; two digits always
    count, so that "20,000" is not 24,000. A value of exactly the number is never "more than" it;
    "at least" and "at most" name a limit, which the data has as it is.

    >>> interval_of(Decimal("20800")).holds(20_849), interval_of(Decimal("1.5")).holds(1.56)
    (True, False)
    """
    number = float(seen)
    if math.isinf(number):  # "1e871": no data has it
        return Interval(number, number)
    digits, place = _precision(seen)
    half = 0.5 * 10.0**place
    size = abs(number)
    step = 10.0**place
    least = _TINY * max(size, 1.0)
    if hedge == "none":
        return Interval(number - half - least, number + half + least)
    if hedge == "about":
        if seen != seen.to_integral_value():  # "about 20.60" has three digits, not four
            step = 10.0 ** _precision(seen.normalize())[1]
        wide = max(_ABOUT * size, half) if digits < 2 else step
        return Interval(number - wide - least, number + wide + least)
    if hedge in ("at least", "at most"):
        return Interval(number - half - least, number + half + least)
    just = max(min(step, _JUST_SMALL * size), _JUST * size)
    far = 10.0 ** math.floor(math.log10(size)) if digits < 2 and size else max(step, _MORE * size)
    spans: dict[str, Interval] = {
        "just over": Interval(number + least, number + just),
        "over": Interval(number + least, number + far),
        "just under": Interval(number - just, number - least),
        "under": Interval(number - far, number - least),
        "either": Interval(number - far, number + far),
    }
    return spans[hedge]


def _precision(seen: Decimal) -> tuple[int, int]:
    """The number of significant digits, and the power of ten of the last one."""
    _, digits, exponent = seen.as_tuple()
    if not isinstance(exponent, int):
        return 1, 0
    figures = "".join(map(str, digits)).lstrip("0") or "0"
    if exponent < 0:
        return len(figures), exponent
    zeros = len(figures) - len(figures.rstrip("0")) if figures != "0" else 0
    significant = len(figures) - zeros
    return significant, exponent + min(zeros, max(len(figures) - 2, 0))
