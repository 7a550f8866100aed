"""The names that a text may use for an entity, derived from its label, in tiers of certainty.

Tiers: 0 the name itself in any punctuation; 1 names that are hardly ambiguous (a demonym, the head
of `Adams_County,_Pennsylvania`, the singular of a plural); 2 weak names (a surname, an acronym, a
part with most of its words); 3 any other part, for further mentions of entities found otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from adequa.entities import lexicon
from adequa.text import TITLES, Label, key_of, word_set, words_of

NAME, DERIVED, WEAK, PART = 0, 1, 2, 3
"""The tiers."""
SHORT = 3
"""Letters of the longest name that counts as short: acronyms and codes."""
YEAR = 4
"""Digits of a year."""
ARTICLES = word_set("the a an")
SMALL = ARTICLES | word_set(
    "of in and for on at to de la le du des del der di da do dos von van den el al by with from e y"
)
AMBIGUOUS = word_set("it he she us is was be as so no not may can see")
"""Names that are also common words."""
# Last words of a label that texts often omit.
LOOSE_ENDS = word_set(
    "language languages people music sauce dish cuisine food river city town county state province "
    "region district island islands album film song band novel book magazine journal newspaper "
    "company group records ethnic americans soup bread cake salad architecture style postcode area "
    "league division time zone cars car automobile engine asteroid party family game series"
)
CLUB_WORDS = word_set(
    "fc ac afc cf sc as ss us acf ssc cd ca fk nk sk sv vfl vfb tsv fsv asd ssd bk if ifk pfc cfc "
    "rcd ud club football futbol calcio sportiva associazione societa deportivo agremiacao esporte "
    "clube sporting athletic athletikos unione srl spa nfc sfc lfc afs soccer"
)
LEGAL = word_set("inc ltd llc plc corp co gmbh ag sa nv limited company")
# Words of many organisations, buildings and institutions.
GENERIC = word_set(
    "university institute college school academy airport international regional national stadium "
    "museum hospital building hall tower church street road avenue bridge station center centre "
    "park association federation organisation organization foundation society technology science "
    "technical council committee department monument memorial township republic kingdom empire "
    "people press publishers publishing entertainment studios pictures network corporation motors "
    "division series championship cup award prize medal jr sr ii"
)
# `Alba_County` is also the county of Alba.
TURNED = word_set("county township city district province region state island")
OFFICES = word_set(
    "president chancellor premier king queen emperor monarch governor mayor minister secretary "
    "chairman speaker ambassador"
)
_SAYING_LITTLE = SMALL | LOOSE_ENDS | CLUB_WORDS | LEGAL | TURNED | GENERIC
NUMERALS = {"ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii"}


class Name(NamedTuple):
    """A string that may name an entity."""

    key: str
    tier: int
    method: str
    cased: bool = False
    """Requires a capital letter, if the text has any: `US` is not `us`."""
    one_word: bool = False
    """Never matches two words of a text: `Pakistanis` is not `Pakistan, is`."""


def named(string: str, tier: int, method: str) -> Name:
    """A string as a name; one in capitals or like a common word requires a capital letter."""
    key = key_of(string)
    capitals = sum(map(str.isupper, string)) if string.isupper() else 0
    short = 2 <= capitals == len(key) or key in SMALL or key in AMBIGUOUS
    one_word = " " not in string and len(key) < 5
    return Name(key, tier, method, cased=short and key.isalpha(), one_word=one_word)


def proper(string: str, tier: int, method: str) -> Name:
    """A proper name of its own, such as a demonym; a short one requires a capital letter."""
    key = key_of(string)
    return Name(key, tier, method, cased=len(key) <= SHORT + 1, one_word=" " not in string)


def says_little(word: str) -> bool:
    """Whether a word occurs in many names and so identifies none."""
    return word in _SAYING_LITTLE or (word.isdigit() and len(word) == YEAR)


def core_names(folded: Sequence[str]) -> Iterator[Name]:
    """The name of a club or company without words such as F.C. or Ltd."""
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
    """The initials of a name's capitalised words, and of all its words."""
    capitals = [word for word in words if word[0].isupper() or word[0].isdigit()]
    if len(capitals) > 1:
        every = ("".join(word[0] for word in some) for some in (capitals, words))
        for initials in filter(str.isalpha, dict.fromkeys(every)):
            yield Name(key_of(initials), WEAK, "acronym", cased=True, one_word=True)


def is_name(words: Sequence[str]) -> bool:
    """Whether all words are capitalised, except small ones."""
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
            # Only words that identify little may be left out: `Acharya Institute`, `Ajax`.
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


_CAPITAL = re.compile(r"[^\W_]+(?:['’.&-][^\W_]+)*\.?")
_OFFSET = re.compile(r"(?:UTC|GMT)\s?[+−-]0?(\d{1,2}):00")
_NUMBERS = "one two three four five six seven eight nine ten eleven twelve"
_DIGITS = {str(number): word for number, word in enumerate(_NUMBERS.split(), 1)}
_PLACING = (" at ", " in ")
_FEW = 6
"""Alternative names tried for each part of a label, which bounds the number of names."""
_MOST_WORDS = 60
"""A longer label is a text, whose parts do not name it."""
_SENTENCE = 5
"""Words of the longest label that may begin with a preposition and still be a name."""


def names_of(
    label: Label, *, aliases: Sequence[str] = (), person: bool = False, place: bool = False
) -> tuple[Name, ...]:
    """Every name of an entity, the most certain first, each key once.

    >>> [name.key for name in names_of(Label("Soul music", "Soul music", "")) if name.tier < 2]
    ['soulmusic', 'soul']
    """
    known: dict[str, Name] = {}
    for name in _names(label, aliases, person=person, place=place):
        if len(name.key) > 1 or (name.key and name.tier == NAME):
            before = known.get(name.key)
            if before is None or name.tier < before.tier:
                known[name.key] = name
    return tuple(sorted(known.values(), key=lambda name: name.tier))


def _names(label: Label, aliases: Sequence[str], *, person: bool, place: bool) -> Iterator[Name]:
    folded = words_of(label.base)
    if len(folded) > _SENTENCE and folded[0] in ("in", "at", "on"):
        yield named("".join(folded[1:]), NAME, "name")  # an address, not a name with "in"
    else:
        for string in (label.string, label.base):
            yield named(string, NAME, "name")
    if not label.base.isascii():  # an encoding may lose letters: Binali Yldrm
        rest = "".join(filter(str.isascii, label.base))
        if len(rest) * 3 > len(label.base) * 2:
            yield named(rest, DERIVED, "name")
    for alias in aliases:
        yield named(alias, NAME, "alias")
    if "(" in label.base:
        without = re.sub(r"\s*\([^()]*\)", "", label.base)
        yield named(without, NAME, "name")
        yield from _around_comma(without)
    words = _CAPITAL.findall(label.base)
    if not words or len(words) > _MOST_WORDS:
        return
    yield from _spelled(label.base, NAME)
    if folded[0] in ARTICLES and len(folded) > 1:
        yield named("".join(folded[1:]), NAME, "name")
    if label.qualifier:
        if " " in label.qualifier:  # the Train song Mermaid; but not "singer Andra"
            yield named(f"{label.qualifier} {label.base}", NAME, "name")
        for word in ("in", "in the", "of", "the", "a"):
            yield named(f"{label.base} {word} {label.qualifier}", NAME, "name")
    yield from _geography(label.base)
    yield from _without_loose_end(label.base)
    yield from _turned(label.base)
    yield from _verbal(folded)
    yield from _before_of(label.base)
    yield from _without_place(label.base)
    yield from _around_comma(label.base)
    yield from _numbers(folded)
    key = "".join(folded)
    if len(key) > 3 and key.endswith("s"):
        yield Name(key[:-1], DERIVED, "singular")
    capitalised = is_name(words)
    if not person and capitalised:
        yield from core_names(folded)
    yield from acronyms(words)
    if capitalised:
        yield from part_names(words, folded, person=person, place=place)


def _spelled(string: str, tier: int) -> Iterator[Name]:
    """The name with words replaced by their abbreviations or longer forms."""
    words = words_of(string.replace("&", " & "))
    if "&" in string:
        yield named(string.replace("&", " and "), tier, "name")
        yield named(string.replace("&", " "), tier, "name")
    if " and " in string:
        yield named(string.replace(" and ", " & "), tier, "name")
    if offset := _OFFSET.fullmatch(string):
        yield named(f"UTC {offset[1]}", tier, "name")
    if any(word.isdigit() for word in words):
        yield Name("".join(_DIGITS.get(word, word) for word in words), tier, "name")
    parts = string.split(" ")
    for count in (2, 1):
        if len(parts) > count:
            for other in lexicon.other_names(" ".join(parts[:count]))[:_FEW]:
                yield named(" ".join([other, *parts[count:]]), tier, "name")
            for other in lexicon.other_names(" ".join(parts[-count:]))[:_FEW]:
                yield named(" ".join([*parts[:-count], other]), tier, "name")
    for preposition in _PLACING:
        if preposition in string:
            for other in (*_PLACING, " "):
                yield named(string.replace(preposition, other, 1), tier, "name")
    for place, word in enumerate(words):
        for variant in lexicon.word_variants(word):
            variant_key = key_of(variant)
            if variant_key and variant_key != word:
                key = "".join([*words[:place], variant_key, *words[place + 1 :]])
                yield Name(key, tier if len(words) > 1 else WEAK, "abbreviation")


def _geography(string: str) -> Iterator[Name]:
    for other in lexicon.other_names(string):
        if not other.lower().startswith("the "):  # a determiner is added where the text has one
            yield named(other, NAME, "alias")
    yield from (proper(demonym, DERIVED, "demonym") for demonym in lexicon.demonyms(string))
    yield from (proper(other, DERIVED, "language") for other in lexicon.language_names(string))
    yield from (proper(acronym, NAME, "acronym") for acronym in lexicon.acronyms(string))
    for place in lexicon.place_of_demonym(string):
        for other in (place, *lexicon.other_names(place), *lexicon.demonyms(place)):
            if not other.lower().startswith("the "):
                yield proper(other, DERIVED, "demonym")


def _without_loose_end(string: str) -> Iterator[Name]:
    """`Soul_music` without music, `Turkish_people` without people."""
    words = string.split()
    ending = words[-1].lower()
    while len(words) > 1 and words[-1].lower() in LOOSE_ENDS:
        words.pop()
        rest = " ".join(words)
        if words[-1].lower() not in SMALL:
            yield named(rest, DERIVED, "head")
        if ending in ("people", "cuisine"):
            for place in lexicon.place_of_demonym(rest):
                for other in (place, *lexicon.demonyms(place)):
                    yield proper(other, DERIVED, "demonym")


def _turned(string: str) -> Iterator[Name]:
    """`Alba_County` as the county of Alba."""
    words = string.partition(",")[0].split()
    if len(words) > 1 and words[-1].lower() in TURNED:
        rest = " ".join(words[:-1])
        yield named(f"{words[-1]} of {rest}", NAME, "name")
        yield named(f"{words[-1]} of the {rest}", NAME, "name")
        yield named(rest, WEAK, "part")


def _verbal(folded: Sequence[str]) -> Iterator[Name]:
    """`Singing` as sing or singer, `Banking` as bank."""
    last = folded[-1]
    if last.endswith("ing") and len(last) > _SENTENCE:
        stem = "".join([*folded[:-1], last[:-3]])
        for ending in ("", "er", "ers", "s", "ed"):
            yield Name(stem + ending, WEAK, "part", one_word=True)


def _without_place(string: str) -> Iterator[Name]:
    """`United_States_invasion_of_Panama` as the invasion of Panama."""
    words = string.split(" ")
    for count in (2, 1):
        if len(words) > count and words[count][:1].islower() and words[count] not in SMALL:
            head = " ".join(words[:count])
            rest = words[count:]
            if all(map(says_little, rest)):
                continue
            if lexicon.demonyms(head) or lexicon.place_of_demonym(head):
                yield named(" ".join(rest), DERIVED, "head")


def _before_of(string: str) -> Iterator[Name]:
    """`Felipe_VI_of_Spain` as Felipe VI, `President_of_the_United_States` as the President."""
    for word in (" of ", " in "):
        head, of, rest = string.partition(word)
        if of and head[:1].isupper() and rest.removeprefix("the ")[:1].isupper():
            titled = head.lower() in OFFICES or lexicon.place_of_demonym(head)
            tier = DERIVED if " " in head else WEAK if titled else PART
            yield named(head, tier, "head")
            if head.endswith("s"):
                yield named(head[:-1], tier, "head")


def _around_comma(string: str) -> Iterator[Name]:
    """`Adams_County,_Pennsylvania` as Adams County, and Adams County in Pennsylvania."""
    head, comma, rest = string.partition(",")
    if not comma or not head.strip() or any(character.isdigit() for character in head):
        return
    rest = rest.strip()
    if rest.count(",") + rest.count(" and ") > 1 or len(head) > 40:
        return  # a list, not a place in a place
    yield named(head, DERIVED, "comma head")
    for word in ("in", "of", "in the", "in the state of"):
        yield named(f"{head} {word} {rest}", NAME, "name")
    yield named(f"{rest} {head}", DERIVED, "name")
    inner, comma, outer = rest.partition(",")
    if comma:
        for word in ("", "in"):
            yield named(f"{head} {word} {inner}", DERIVED, "comma head")
            yield named(f"{head} {word} {outer}", DERIVED, "comma head")
            yield named(f"{head} {word} {inner} in {outer}", NAME, "name")
    for other in (*lexicon.other_names(rest), *lexicon.demonyms(rest)[:2]):
        yield named(f"{head} {other}", NAME, "name")


def _numbers(folded: Sequence[str]) -> Iterator[Name]:
    """`1634: The Ram Rebellion` without its number, `2014–15 Serie C` with its years at the end."""
    count = sum(1 for _ in takewhile(str.isdigit, folded))
    if 0 < count < len(folded):
        rest, digits = "".join(folded[count:]), "".join(folded[:count])
        yield Name(rest, WEAK, "part")
        years = [digits]
        if count == 2 and len(folded[0]) == 4 and len(folded[1]) == 2:
            years.append(f"{folded[0]}{folded[0][:2]}{folded[1]}")  # 2014-2015
        for year in years:
            yield Name(year + rest, NAME, "name")
            for link in ("", "in", "inthe", "season", "inthe", "duringthe"):
                yield Name(rest + link + year, NAME, "name")
            for link in ("seasonof", "seasonofthe", "seasonin", "seasoninthe"):
                yield Name(year + link + rest, NAME, "name")
    if len(folded) > 1 and folded[-1].isdigit():
        yield Name("".join(folded[:-1]), PART, "part")
