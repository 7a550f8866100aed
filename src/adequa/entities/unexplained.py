"""Names, numbers and dates of a text that nothing in the data explains: hallucinated entities.

Names are recognised by capital letters. In a text without capitals, unknown words count as a name
only beside a known given name or place; numbers and dates are found in any text. The first word of
a sentence counts only if another capitalised word or a verb follows.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, NamedTuple

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from adequa.caches import MEGABYTE, cached
from adequa.data import Mention, Triple
from adequa.entities import lexicon
from adequa.entities.graph import Graph
from adequa.entities.inflections import strange_words
from adequa.entities.values import DataValues
from adequa.text import (
    CALENDAR,
    GENERIC,
    PreparedText,
    clauses_around,
    common_words,
    fold,
    key_of,
    sentence_at,
    word_set,
    words_of,
)
from adequa.text.values import (
    UNITS,
    Date,
    DateMatch,
    Quantity,
    ValueSpan,
    compare_dates,
    find_dates,
    find_numbers,
    is_converted,
    is_rounded,
    is_same,
    quote_value,
)

_DIGIT = re.compile(r"\d")
_DIGITS = re.compile(r"\d+")
_RUN_GAP = re.compile(r"^(?:[ \t]|[ \t]?[-–'’&.][ \t]?|\.[ \t])$")
_SAYING = {"is", "was", "are", "were", "has", "had", "plays", "played", "and", "died", "lives"}
_NEAR = 0.2
"""The edit distance up to which a word is a misspelling of a word of the data.

No record of the data it was chosen on; kept for stable scores. With it 97 of 100 unexplained spans
of WebNLG 2020 systems are right, and 1.0 % of the human dev texts have one (docs/results.md).
"""
_LEAST_NEAR = 5
"""Letters of the shortest word that may be misspelt: Iran is not Iraq."""
_FAR = 0.6
"""The edit distance up to which an entity is reported as the nearest one; affects messages only."""
_YEAR = 4
_WORD_BYTES = 150
_TABLES = (
    *(lexicon.other_names, lexicon.demonyms, lexicon.language_names),
    *(lexicon.acronyms, lexicon.place_of_demonym, lexicon.word_variants),
)
_LONGEST = 12
"""Words of a label that are looked up in the tables."""


_SPOKEN = {
    "ar": "arabic", "bg": "bulgarian", "cs": "czech", "da": "danish", "de": "german",
    "el": "greek", "en": "english", "es": "spanish", "et": "estonian", "fi": "finnish",
    "fr": "french", "ga": "irish", "he": "hebrew", "hi": "hindi", "hr": "croatian",
    "hu": "hungarian", "is": "icelandic", "it": "italian", "ja": "japanese", "ko": "korean",
    "lt": "lithuanian", "lv": "latvian", "nl": "dutch", "no": "norwegian", "pl": "polish",
    "pt": "portuguese", "ro": "romanian", "ru": "russian", "sk": "slovak", "sl": "slovene",
    "sr": "serbian", "sv": "swedish", "tr": "turkish", "uk": "ukrainian", "zh": "chinese",
    "ger": "german", "fra": "french", "fre": "french", "ita": "italian", "esp": "spanish",
    "ned": "dutch", "sui": "swiss", "aut": "austrian", "gbr": "british", "usa": "american",
    "swe": "swedish", "nor": "norwegian", "den": "danish", "pol": "polish", "cze": "czech",
}  # fmt: skip
"""The names of languages by their codes, and of teams by those of their countries."""


class UnexplainedSpan(NamedTuple):
    """A span that the data does not explain, and the nearest entity of the data."""

    start: int
    end: int
    kind: str
    """`name`, `number`, `date`, `time`; `truth` for a yes that is denied and the reverse;
    `comparison` for "fell from 109 to 112"."""
    nearest: str | None
    """The entity of the data that it stands for or is nearest to, of the same kind."""
    triple: Triple | None = None
    """The triple that has the nearest entity, where the text speaks of that."""
    note: str = ""
    """A sentence about it, where there is more to say than what the data has."""
    focus: tuple[int, int] | None = None
    """The wrong words, where the span has the words that claim them too."""
    rule: str = ""
    """The check that found it, where that is not its kind."""
    confidence: float | None = None
    """How likely it is a fault, where that is known."""

    @property
    def place(self) -> tuple[int, int]:
        """Where the wrong words are."""
        return self.focus or (self.start, self.end)

    def reason(self, text: str) -> str:
        """A sentence about it."""
        seen = text[slice(*self.place)]
        if self.note:
            return self.note
        if self.triple is not None and self.kind == "name":
            value = quote_value(self.triple.object, seen)
            return (
                f"{seen!r} comes from nothing in the data: it has {self.triple.predicate} {value}"
            )
        if self.triple is not None:
            value = quote_value(self.triple.object, seen)
            return f"{seen!r}: the data has {self.triple.predicate} {value}"
        if self.nearest is not None and self.kind != "name":
            return f"{seen!r}: the data has {quote_value(self.nearest, seen)}"
        nearest = "" if self.nearest is None else f"; the nearest is {self.nearest!r}"
        return f"{seen!r} comes from nothing in the data{nearest}"


def find_unexplained(
    graph: Graph,
    text: PreparedText,
    mentions: Sequence[Mention],
    allowed: Iterable[str] = (),
    values: DataValues | None = None,
) -> list[UnexplainedSpan]:
    """Every span of the text that neither a mention nor a word of the data explains.

    `values` are those of the data where they are known; without them numbers and dates are
    compared with single values only.
    """
    is_record = values is not None and values.is_record
    if not (allowed or is_record or text.language) and _says_nothing_else(text, mentions):
        return []  # most texts
    covered = _covered(text, mentions, allowed)
    found: list[UnexplainedSpan] = []
    if values is not None and values.is_record:
        names = [one for one in mentions if one.method not in _VALUE_METHODS]
        found += _values_of_record(text, _covered(text, names, allowed), values)
        for span in text.values:
            covered[span.start : span.end] = b"\1" * (span.end - span.start)
    elif _has_free_digit(text.string, covered):
        plain = [*_dates(graph, text, covered), *_numbers(graph, text, covered)]
        found += plain if values is None else _not_derived(plain, text, values)
    # A text in capitals throughout distinguishes names no better than one without capitals.
    one_case = text.lower_cased or text.string.isupper()
    if text.language is not None:
        return sorted([*found, *_foreign_names(graph, text, covered)], key=lambda span: span[:2])
    strange = (_small_names if one_case else _names)(graph, text, covered)
    if not found and not strange:
        return []
    if values is not None and values.is_record:
        written = {part for fact in values.facts for part in (fact.value, fact.key.split(".")[-1])}
        codes = {part for part in written if _CODE.fullmatch(part)}
        strange = [
            one._replace(triple=values.named_by(one.start, text.string))
            for one in strange
            if not _is_ordinary(one, text, codes)
        ]
    return sorted([*found, *strange], key=lambda span: span[:2])


# Words with a capital, and figures with what follows them; in ASCII, which is faster, and beyond.
_ASCII_TELLING = re.compile(r"[A-Z0-9]\w*", re.ASCII)
_TELLING = re.compile(r"[^\W_a-z]\w*")


def _says_nothing_else(text: PreparedText, mentions: Sequence[Mention]) -> bool:
    """Whether the words beside the mentions have no figures, and only common ones have capitals."""
    if text.lower_cased or text.string.isupper():
        return False
    string, parts, end = text.string, [], 0
    for mention in mentions:
        if mention.start < end:
            return False  # they overlap, or are not in order
        parts.append(string[end : mention.start])
        end = mention.end
    parts.append(string[end:])
    rest = "_".join(parts)  # which counts as a letter: part of a word is not a common word
    telling = (_ASCII_TELLING if rest.isascii() else _TELLING).findall(rest)
    return common_words().issuperset(map(fold, telling))


def _has_free_digit(string: str, covered: bytearray) -> bool:
    """Whether there are figures outside of what is covered."""
    for match in _DIGITS.finditer(string):
        if covered.find(0, match.start(), match.end()) >= 0:
            return True
    return False


def _covered(text: PreparedText, mentions: Iterable[Mention], allowed: Iterable[str]) -> bytearray:
    """The characters of mentions and of allowed phrases."""
    covered = bytearray(len(text.string) + 1)
    for mention in mentions:
        start, end = mention.start, mention.end
        covered[start:end] = b"\1" * (end - start)
    for phrase in allowed:
        _cover(phrase, text, covered)
    return covered


_CODE = re.compile(r"[A-Z]{2,3}(?:[-_/][A-Z]{2,3})?|[a-z]{2,3}(?:[-_][A-Z]{2})?")
_ACRONYM = re.compile(r"[A-Z]{2,4}|[A-Z][a-z]?[A-Z]\w?|[A-Z][a-z]-[A-Z][a-z]")
_ORDINARY = word_set(
    "sun moon earth christmas eve easter wi-fi internet english roman arabic valentine new year "
    "beaufort celsius fahrenheit richter full hd europe european asia asian africa african nordic "
    "scandinavian arctic antarctic atlantic pacific mediterranean dear mr mrs ms dr sir "
    "madam grand prix"
)
_AIRPORT = 3
_CODED = {"switzerland": "CH", "spain": "ES", "germany": "DE", "croatia": "HR", "britain": "UK"}
"""Countries whose codes begin with another letter than their English name."""


def _is_ordinary(span: UnexplainedSpan, text: PreparedText, codes: Collection[str]) -> bool:
    """Whether the name is of a kind that texts about records add: abbreviations, days, countries.

    A name stands for its code: Ethiopian for ET, Swiss for CHF, Copenhagen for CPH.
    """
    written = text.string[span.start : span.end]
    words = words_of(written)
    last = written.rpartition(" ")[2]
    if _ACRONYM.fullmatch(written) or _ORDINARY.issuperset(words):
        return True
    if _ACRONYM.fullmatch(last) and common_words().issuperset(words[:-1]):
        return True  # "No IP rating"
    if all(word.removesuffix("s") in CALENDAR for word in words):
        return True
    before = text.string[: span.start].rstrip()
    if len(words) == 1 and (not before or before[-1] in ".!?;:\n"):
        return not _is_known_name(words[0])
    if any(len(code) == _AIRPORT and code[0] == written[0] for code in codes):
        return True  # Nairobi for NBO
    places = lexicon.place_of_demonym(written)
    if places and len(words) == 1:
        return True  # the Swiss franc, a Chinese elm: as often known as made up
    parts = {part for code in codes for part in re.split(r"[-_/]", code)}
    if any(_abbreviates(part, name) for name in (written, *places) for part in parts):
        return True
    if not (lexicon.demonyms(written) or places):
        return False
    first = {_CODED.get(name.lower(), name[:1].upper()) for name in (written, *places)}
    return any(part.startswith(tuple(first)) for part in parts)


def _abbreviates(code: str, name: str) -> bool:
    """Whether a code has the first letter of a name and others of it in order: CPH, pt."""
    letters = iter(name.lower())
    first = code[:1].lower() == name[:1].lower()
    return first and all(letter in letters for letter in code.lower())


_VALUE_METHODS = frozenset(
    ("number", "rounded number", "converted number", "date", "partial date", "share", "time")
)
"""Methods of mentions that are values; all others are names."""


_CALENDAR_UNITS = frozenset({None, "day", "week", "month", "year", "decade", "century"})
"""Numbers in words with these units, or none, may count anything: "three weeks stayed dry"."""
_THAN = re.compile(r" (?:less|more|fewer|longer|shorter|earlier|later) than\b")
_DAYS_AND = re.compile(r"\b(?:days?|weeks?|months?|years?) and \Z")
_UNCHECKED = re.compile(
    r"\b(?:[Tt]here (?:is|are|was|were) no|[Nn]o)\b[^.;,]{0,50}\b(?:in the (?:data|record)"
    r"|(?:is|are|was|were) (?:given|recorded|known|mentioned|stated|available))\b"
    r"|\bpossible\b"
)
"""What a text says to be unknown or only possible has no value in the data."""


_DERIVED_WHOLE = re.compile(
    r"\b(?:that|those|these|them|this|loss|gain|rise|range|difference|allowed|peak|rest|others?|what"
    r"|increase|drop|fall|way|time|of it)\b"
)


def _can_check_share(span: ValueSpan, text: PreparedText) -> bool:
    """Whether a share is not one of what the text itself has derived: "half of that loss"."""
    sentence = sentence_at(text.string, span.start)
    start, end = clauses_around(text.string, span.start, span.end, sentence)
    clause = text.string[start:end].lower()
    return not span.words or _DERIVED_WHOLE.search(clause) is None


def _values_of_record(
    text: PreparedText, named: bytearray, values: DataValues
) -> list[UnexplainedSpan]:
    """The values of a text about a record that neither a fact nor several facts explain.

    Ordinals, multiples and numbers in words are not judged: "the first of two" says little.
    """
    unknown: list[ValueSpan] = []
    known: set[str] = set()
    for span in text.values:
        unit = any(one.unit not in _CALENDAR_UNITS and one.value != 1 for one in span.quantities)
        counted = span.words and span.kind == "number" and (not unit or span.range)
        if span.words and _THAN.match(text.string, span.end):
            continue
        if span.words and _DAYS_AND.search(text.string, max(0, span.begin - 12), span.begin):
            continue
        if counted or span.kind in ("ordinal", "ratio") or named.find(1, span.start, span.end) >= 0:
            continue
        if span.kind == "share" and not _can_check_share(span, text):
            continue
        if _UNCHECKED.search(text.string, max(0, span.start - 60), span.end + 40):
            continue
        if _PER.search(text.string, max(0, span.begin - 8), span.begin):
            continue  # "litres per 100 km"
        if _LIMIT.search(text.string, max(0, span.begin - 60), span.begin):
            continue  # "no song reaches 100,000"
        middle = span.kind == "time" and _MIDDLE.fullmatch(text.string, span.begin, span.end)
        if middle and _BOUND.search(text.string, max(0, span.begin - 8), span.begin):
            continue  # "half of the calls came before midnight"
        if values.explain(span, text.string):
            known.add(text.string[span.start : span.end])
        else:
            unknown.append(span)
    found: list[UnexplainedSpan] = []
    for span in unknown:
        if text.string[span.start : span.end] in known:
            continue  # explained at another place
        kind = span.kind if span.kind in ("date", "time") else "number"
        triple = values.nearest(span, text.string)
        if not values.explainer.is_checkable(span, text.string):
            continue
        if triple is None and kind == "time":
            continue  # the end of an hour that is counted: "between 8 and 9 a.m."
        if span.kind == "share" and not values.explainer.can_check_share(span, text.string):
            continue
        nearest = None if triple is None else triple.object
        found.append(UnexplainedSpan(span.begin, span.end, kind, nearest, triple))
    return found


_PER = re.compile(r"\bper \Z")
_LIMIT = re.compile(
    r"\b(?:[Nn]either|[Nn]o|[Nn]one|[Nn]ever|[Nn]obody|[Nn]othing|not)\b[^.;,]*"
    r"\b(?:reach\w*|pass\w*|top\w*|touch\w*)(?: even)? \Z"
)
"""What nothing reaches is a limit that the writer chose."""
_MIDDLE = re.compile(r"(?:noon|midday|midnight)")
_BOUND = re.compile(r"\b(?:before|after|past|until|till) \Z")


def _not_derived(
    spans: Sequence[UnexplainedSpan], text: PreparedText, values: DataValues
) -> list[UnexplainedSpan]:
    """The spans that do not follow from the values of the data in another form either."""
    if not spans:
        return []
    kept: list[UnexplainedSpan] = []
    ends = [one.end for one in text.values]  # the values are in order and apart
    for span in spans:
        place = bisect_right(ends, span.start)
        seen = text.values[place] if place < len(ends) else None
        if seen is None or seen.start >= span.end or not values.explain(seen, text.string):
            kept.append(span)
    return kept


def _cover(phrase: str, text: PreparedText, covered: bytearray) -> None:
    key = key_of(phrase)
    at = text.key.find(key) if key else -1
    while at >= 0:
        first, last = text.starts_at.get(at), text.ends_at.get(at + len(key))
        if first is not None and last is not None:
            start, end = text.starts[first], text.ends[last]
            covered[start:end] = b"\1" * (end - start)
        at = text.key.find(key, at + 1)


class _Values(NamedTuple):
    """The dates, quantities and figures in the data."""

    dates: tuple[tuple[Date, str], ...]
    quantities: tuple[tuple[Quantity, str], ...]
    digits: frozenset[str]


def _values(graph: Graph) -> _Values:
    dates: list[tuple[Date, str]] = []
    quantities: list[tuple[Quantity, str]] = []
    digits: set[str] = set()
    for entity in graph.entities:
        if entity.date is not None:
            dates.append((entity.date, entity.string))
        if entity.quantity is not None:
            quantities.append((entity.quantity, entity.string))
        for source in (entity.label.string, *(use.predicate for use in entity.uses)):
            if _DIGIT.search(source):
                digits.update(word for word in words_of(source) if _DIGIT.search(word))
                for span in find_dates(source):
                    dates += [(reading, entity.string) for reading in span.readings]
                for number in find_numbers(source):
                    quantities += [(reading, entity.string) for reading in number.readings]
    return _Values(tuple(dates), tuple(quantities), frozenset(digits))


def _dates(graph: Graph, text: PreparedText, covered: bytearray) -> list[UnexplainedSpan]:
    found: list[UnexplainedSpan] = []
    values: _Values | None = None
    for span in text.dates:
        if covered.find(1, span.start, span.end) >= 0:
            continue
        values = values or graph.derive("values", _values)
        words = words_of(text.string[span.start : span.end])
        explained = any(
            compare_dates(date, reading) is not DateMatch.CONFLICT
            for date, _ in values.dates
            for reading in span.readings
        ) or (len(words) == 1 and _known_digits(words[0], values))
        if not explained and not span.readings[0].month:
            continue  # a bare year may be a number, which `_numbers` decides
        if not explained:
            nearest = next((entity for date, entity in values.dates if date.month), None)
            found.append(UnexplainedSpan(span.start, span.end, "date", nearest))
        covered[span.start : span.end] = b"\1" * (span.end - span.start)
    return found


def _known_digits(word: str, values: _Values) -> bool:
    # A year within a longer figure is known; the 0 in 560090 does not explain a 0.
    return word in values.digits or (
        len(word) >= _YEAR and any(word in digits for digits in values.digits)
    )


def _numbers(graph: Graph, text: PreparedText, covered: bytearray) -> list[UnexplainedSpan]:
    found: list[UnexplainedSpan] = []
    for span in text.numbers:
        if span.words or span.ordinal or covered.find(1, span.start, span.end) >= 0:
            continue
        values = graph.derive("values", _values)
        written = key_of(text.string[span.start : span.end])
        explained = _known_digits(written, values) or any(
            is_same(value, reading) or is_rounded(value, reading) or is_converted(value, reading)
            for value, _ in values.quantities
            for reading in span.readings
        )
        covered[span.start : span.unit_end] = b"\1" * (span.unit_end - span.start)
        if not explained:
            nearest = _nearest_number(span.readings[0], values)
            found.append(UnexplainedSpan(span.start, span.unit_end, "number", nearest))
    return found


def _nearest_number(seen: Quantity, values: _Values) -> str | None:
    def gap(pair: tuple[Quantity, str]) -> float:
        value, other = float(pair[0].value), float(seen.value)
        return abs(value - other) / max(abs(value), abs(other), 1e-9)

    alike = [pair for pair in values.quantities if _is_alike(pair[0], seen)]
    return min(alike, key=gap)[1] if alike else None


def _is_alike(value: Quantity, seen: Quantity) -> bool:
    """Whether two quantities can stand for one another: a length is not a price."""
    own, other = UNITS.get(value.unit or ""), UNITS.get(seen.unit or "")
    return own is None or other is None or own.dimension == other.dimension


def _names(graph: Graph, text: PreparedText, covered: bytearray) -> list[UnexplainedSpan]:
    string, starts, ends, words = text.string, text.starts, text.ends, text.words
    capitals = [
        number
        for number, start in enumerate(starts)
        if not covered[start] and string[start].isupper()
    ]
    if not capitals:
        return []
    found: list[UnexplainedSpan] = []
    explained = _remembering(graph)
    common = common_words()
    for run in _runs(capitals, text):
        if common.issuperset(words[run[0] : run[-1] + 1]):
            continue
        strange = [word for word in run if not explained(words[word])]
        if strange and strange[0] == run[0] and words[run[0]] in common:
            strange = strange[1:]
        if common.issuperset([words[word] for word in strange]):
            continue
        opening = run[0] == 0 or text.sentences[run[0]] != text.sentences[run[0] - 1]
        if opening and strange == [run[0]] == run and not _opens(text, run[0]):
            continue
        # The name is the part of the run that is not in the data: United States, not United.
        foreign = [word for word in run if words[word] not in graph.data_words]
        first = foreign[0] if not (opening and foreign[0] == run[0]) else strange[0]
        start, end = starts[first], ends[foreign[-1]]
        if end - start < 3 and not string[start:end].isupper():
            continue
        found.append(UnexplainedSpan(start, end, "name", _nearest_name(string[start:end], graph)))
    return found


def _runs(numbers: Sequence[int], text: PreparedText) -> list[list[int]]:
    """Adjacent words of one sentence, as in a name of several words."""
    runs: list[list[int]] = []
    last = -2
    for number in numbers:
        before, last = last, number
        if (
            before == number - 1
            and _RUN_GAP.match(text.between(number - 1, number))
            and text.sentences[number - 1] == text.sentences[number]
        ):
            runs[-1].append(number)
        else:
            runs.append([number])
    return runs


def _foreign_names(graph: Graph, text: PreparedText, covered: bytearray) -> list[UnexplainedSpan]:
    """Names in a text of another language: words with a capital that no word of the data explains.

    The first word of a sentence never counts. Where every noun has a capital, only given names and
    places that the tables have do, with the words beside them.
    """
    string, starts = text.string, text.starts
    if text.language is None or text.lower_cased or string.isupper():
        return []
    first = {0, *(n for n in range(1, len(starts)) if text.sentences[n] != text.sentences[n - 1])}
    capitals = [
        number
        for number, start in enumerate(starts)
        if number not in first and not covered[start] and string[start].isupper()
    ]
    found: list[UnexplainedSpan] = []
    for run in _runs([*strange_words(graph, text, capitals)], text):
        start, end = starts[run[0]], text.ends[run[-1]]
        if end - start < 3 or string[start - 2 : start] in _OPENED:
            continue
        if text.language.capital_nouns:
            written = [string[starts[number] : text.ends[number]] for number in run]
            if not any(lexicon.gender(one) or lexicon.demonyms(one) for one in written[:1]):
                continue
        found.append(UnexplainedSpan(start, end, "name", _nearest_name(string[start:end], graph)))
    return found


_OPENED = (": ", "„", "« ", "– ", "— ")
"""After these a capital letter may begin a sentence."""


def _small_names(graph: Graph, text: PreparedText, covered: bytearray) -> list[UnexplainedSpan]:
    """Names in a text without capitals: unknown words beside a given name or a place."""
    words = text.words
    explained = _remembering(graph)
    strange = [
        number
        for number, word in enumerate(words)
        if not covered[text.starts[number]]
        and word.isalpha()
        and len(word) > 2
        and word not in common_words()
        and not explained(word)
    ]
    found: list[UnexplainedSpan] = []
    for run in _runs(strange, text):
        if any(_is_known_name(words[number]) for number in run):
            start, end = text.starts[run[0]], text.ends[run[-1]]
            nearest = _nearest_name(text.string[start:end], graph)
            found.append(UnexplainedSpan(start, end, "name", nearest))
    return found


def _is_known_name(word: str) -> bool:
    return bool(lexicon.gender(word) or lexicon.demonyms(word) or lexicon.place_of_demonym(word))


def _opens(text: PreparedText, word: int) -> bool:
    """Whether a sentence's first word is a name: a verb or a possessive follows."""
    string = text.words[word]
    if word + 1 >= len(text.words) or string.endswith(("ing", "ed", "ly")):
        return False
    gap = text.between(word, word + 1)
    if text.words[word + 1] == "t":  # "Don't"
        return False
    return "'" in gap or "’" in gap or (gap.isspace() and text.words[word + 1] in _SAYING)


class _Words(NamedTuple):
    """The words of the data, by the ways in which a word of a text can come from them."""

    known: frozenset[str]
    longer: frozenset[str]
    """Those of more than three letters."""
    lengths: tuple[int, ...]
    """Their lengths, in order."""
    joined: str
    """The longer ones, one per line, to look for parts of words in all of them at once."""
    figures: str
    """Those with a digit, likewise."""


_MOST_EXPLAINED = 500
"""Words that are kept with a graph; the texts of all systems repeat them."""


def _remembering(graph: Graph) -> Callable[[str], bool]:
    """`_explained` for the words of the texts about a graph."""
    known = graph.derive("explained words", _nothing_explained)

    def explained(word: str) -> bool:
        found = known.get(word)
        if found is None:
            found = _explained(word, graph)
            if len(known) < _MOST_EXPLAINED:
                known[word] = found
        return found

    return explained


def _nothing_explained(_: Graph) -> dict[str, bool]:
    return {}


def _explained(word: str, graph: Graph) -> bool:
    """Whether a word comes from the data, possibly misspelt or inflected."""
    if word in graph.data_words or word in CALENDAR or word in GENERIC or len(word) == 1:
        return True
    words = graph.derive("known", _known_words)
    known = words.known
    if word in known:
        return True
    if _DIGIT.search(word):
        return word in words.figures
    for ending in ("s", "es", "n", "an", "ian", "ese", "ish", "i"):
        if word.endswith(ending) and word.removesuffix(ending) in known:
            return True
    if len(word) > 3 and (word in words.joined or _has_part(word, words)):
        return True
    distance = Levenshtein.normalized_distance
    near = len(word) >= _LEAST_NEAR
    return near and process.extractOne(word, known, scorer=distance, score_cutoff=_NEAR) is not None


def _has_part(word: str, words: _Words) -> bool:
    """Whether a longer word of the data is part of a word."""
    for length in words.lengths:
        if length > len(word):
            break
        for start in range(len(word) - length + 1):
            if word[start : start + length] in words.longer:
                return True
    return False


def _known_words(graph: Graph) -> _Words:
    known = set(graph.data_words)
    for entity in graph.entities:
        known |= _related_words(entity.label.string)
        known.update(name.key for name in (*entity.sure_names, *entity.weak_names))
        known.update(word for noun in entity.nouns for word in words_of(noun))
    longer = frozenset(word for word in known if len(word) > 3)
    return _Words(
        frozenset(known),
        longer,
        tuple(sorted({*map(len, longer)})),
        "\n".join(longer),
        "\n".join(filter(_DIGIT.search, known)),
    )


@cached(8 * MEGABYTE, size_of=lambda words: _WORD_BYTES * len(words))
def _related_words(string: str) -> frozenset[str]:
    """Words explained by a label: demonyms, short forms and the places of demonyms."""
    known: set[str] = set()
    label = re.sub("[,()>|]", " ", string).split()  # `nl>en` are two languages
    known.update(_SPOKEN[word.lower()] for word in label if word.lower() in _SPOKEN)
    if not string.isascii():  # a wrong encoding may lose letters: Yldrm
        known.update("".join(filter(str.isascii, word)).lower() for word in label)
    for length in (1, 2, 3, 4):
        for start in range(min(len(label), _LONGEST) - length + 1):
            phrase = " ".join(label[start : start + length])
            for table in _TABLES if lexicon.is_listed(phrase) else ():
                for other in table(phrase):
                    known.update(words_of(other))
                    known.add(key_of(other))
    return frozenset(known)


def words_of_record(record: Any) -> frozenset[str]:
    """The words of a record, also of fields that are not facts, and the languages of its codes.

    An id may be a name: `{"id": "Pim"}`.
    """
    words = words_of(json.dumps(record, ensure_ascii=False, default=str))
    return frozenset([*words, *(_SPOKEN[word] for word in words if word in _SPOKEN)])


def _nearest_name(string: str, graph: Graph) -> str | None:
    """The entity with the most similar name, the first of equals."""
    strings, folded = graph.derive("names", _folded_names)
    found = process.extractOne(
        fold(string), folded, scorer=Levenshtein.normalized_distance, score_cutoff=_FAR
    )
    return None if found is None else strings[found[2]]


def _folded_names(graph: Graph) -> tuple[list[str], list[str]]:
    """The entities that are names, and their folded labels."""
    names = [entity for entity in graph.entities if entity.kind in ("name", "list")]
    return [one.string for one in names], [fold(one.label.base) for one in names]
