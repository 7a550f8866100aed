"""Parts of a name that stand for all of it: surnames, acronyms, a club without its F.C."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from adequa.entities import lexicon
from adequa.entities.name import (
    CLUB_WORDS,
    DERIVED,
    LEGAL,
    NAME,
    NUMERALS,
    PART,
    SHORT,
    SMALL,
    WEAK,
    YEAR,
    Name,
    says_little,
)
from adequa.entities.text import key_of, words_of
from adequa.entities.vocabulary import TITLES

__all__ = ["acronyms", "core_names", "is_name", "part_names"]


def core_names(folded: Sequence[str]) -> Iterator[Name]:
    """A club or company without the words that say it is one."""
    *start, last = folded  # a letter at the end is a division's: Serie C
    rest = [word for word in start if word not in CLUB_WORDS and (len(word) > 1 or word.isdigit())]
    dotted = len(last) == 1 and bool(start) and len(start[-1]) == 1  # F.C.
    if last not in CLUB_WORDS and not dotted:
        rest.append(last)
    without_year = [word for word in rest if not (word.isdigit() and len(word) == YEAR)]
    for core in (rest, without_year) if len(rest) < len(folded) else ():
        if core and len(core) < len(folded) and len("".join(core)) > SHORT:
            yield Name("".join(core), DERIVED if len(folded) - len(core) < 3 else WEAK, "core")
    without_legal = [word for word in folded if word not in LEGAL]
    if without_legal and len(without_legal) < len(folded):
        yield Name("".join(without_legal), DERIVED, "core")


def acronyms(words: Sequence[str]) -> Iterator[Name]:
    """The initials of a name's words, of the capital ones alone and of all."""
    capitals = [word for word in words if word[0].isupper() or word[0].isdigit()]
    if len(capitals) > 1:
        initials = "".join(word[0] for word in capitals)
        if len(initials) > 1 and initials.isalpha():
            yield Name(key_of(initials), WEAK, "acronym", cased=True, one_word=True)
        all_initials = "".join(word[0] for word in words)
        if all_initials != initials and all_initials.isalpha():
            yield Name(key_of(all_initials), WEAK, "acronym", cased=True, one_word=True)


def is_name(words: Sequence[str]) -> bool:
    """Capitalised throughout, small words apart."""
    big = [word for word in words if word.lower() not in SMALL]
    return bool(big) and all(word[0].isupper() or word[0].isdigit() for word in big)


def part_names(
    words: Sequence[str], folded: Sequence[str], *, person: bool, place: bool
) -> Iterator[Name]:
    """Runs of a name's words: `Acharya Institute`, `Aldrin`."""
    spoken = [words_of(word) for word in words]
    count = len(spoken)
    if count < 2 or count > 12:
        return
    small = [len(part) == 1 and part[0] in SMALL for part in spoken]
    if person:
        suffix = spoken[-1][-1:] in (["jr"], ["sr"], ["ii"], ["iii"], ["iv"])
        last = count - 2 if suffix and count > 2 else count - 1
        if last >= 1:
            yield Name("".join(spoken[0] + spoken[last]), DERIVED, "part")
            if len(spoken[0][0]) > 1:  # H. Brookfield
                yield Name(spoken[0][0][0] + "".join(spoken[last]), DERIVED, "initial", cased=True)
            middle = [part for part in spoken[1:last] if len("".join(part)) > 1]
            if middle and len(middle) < last - 1:
                yield Name(_joined([spoken[0], *middle, spoken[last]]), NAME, "name")
            if suffix:
                yield Name(_joined(spoken[: last + 1]), DERIVED, "part")
            # Surnames of several words keep their small ones: `de Boer`.
            start = last
            while start > 1 and small[start - 1]:
                start -= 1
            if start < last:
                yield Name(_joined(spoken[start : last + 1]), WEAK, "surname", cased=True)
            if spoken[last][-1] not in NUMERALS:
                yield Name("".join(spoken[last]), WEAK, "surname", cased=True)
            if spoken[0][0] not in TITLES:
                yield Name("".join(spoken[0]), WEAK, "given name", cased=True)
        return
    whole = sum(map(len, folded))
    plain = [len(part) == 1 and says_little(part[0]) for part in spoken]
    for length in range(count - 1, 0, -1):
        for start in range(count - length + 1):
            end = start + length
            if small[start] or small[end - 1]:
                continue
            key = _joined(spoken[start:end])
            if len(key) <= SHORT or key.isdigit():
                continue
            # The words left out must be the ones that tell little: `Acharya Institute`, `Ajax`.
            rest_is_plain = all(plain[:start]) and all(plain[end:])
            head = start == 0 and length > 1 and len(key) * 2 >= whole
            sure = not all(plain[start:end]) and (head or (rest_is_plain and not place))
            written = " ".join(words[start:end])
            if sure and length < 3:
                sure = not (lexicon.demonyms(written) or lexicon.place_of_demonym(written))
            if end == count and start == 1 and lexicon.place_of_demonym(words[0]):
                sure = not all(plain[start:end])  # `Malay` of `Malaysian_Malay`
            if end == count and any(map(str.isdigit, key)) and not key.isdigit():
                sure = True  # a model: `AC-130` of `Lockheed_AC-130`
            if length == 1 and end == count and written.isupper() and not plain[start]:
                sure = True
            yield Name(key, WEAK if sure else PART, "part", cased=True)


def _joined(parts: Sequence[Sequence[str]]) -> str:
    return "".join(word for part in parts for word in part)
