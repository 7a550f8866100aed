"""Yes and no: truth values of the data in all spellings, and whether a text says the same.

A field such as `waterproof: yes`, `petsAllowed: N` or `chatbot: DISABLED` is a quality that holds
or not (`claim_of`). `find_polarity` finds where a text speaks of the quality, and whether it
affirms or denies it: "not waterproof", "without cutlery", "no pets", "lactose-free", "unpaid".
`find_contradictions` does that for all facts of some data.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from adequa.text.languages import Language
from adequa.text.letters import fold
from adequa.text.sentences import sentence_at, split_clauses, split_sentences, word_set
from adequa.text.values.facts import ValueFact
from adequa.text.values.units import lowered, parts_of_key, unit_of_key, words_of_key


class Claim(NamedTuple):
    """A quality that a fact affirms or denies."""

    things: tuple[str, ...]
    """The words that name the thing or the quality; a text has all of them."""
    states: tuple[str, ...]
    """Words such as "allowed" or "included", which a text may leave out or replace."""
    holds: bool
    contrary: tuple[str, ...] = ()
    """Words that deny the quality by themselves: "disabled" for enabled."""
    above: tuple[str, ...] = ()
    """Of a mere state, the words of the key above: `battery.present`."""


class Contradiction(NamedTuple):
    """A place where a text denies what a fact affirms, or the reverse."""

    fact: int
    start: int
    end: int


class Polarity(NamedTuple):
    """A place where a text affirms or denies a quality."""

    start: int
    end: int
    affirmed: bool


_YES = word_set("yes true y on ja si oui")
_NO = word_set("no false n off nein non")
_TRUTHS = _YES | _NO | {"1", "0"}
_LETTERS_ELSEWHERE = word_set("flag sex gender grade group class type code result category blood")
"""Keys whose N or Y is a letter, not a truth value."""
# The negative first: a status and what it denies.
_OPPOSITES = {
    "disabled": "enabled", "inactive": "active", "unavailable": "available", "closed": "open",
    "excluded": "included", "offline": "online", "unpaid": "paid", "unsold": "sold",
    "out of stock": "in stock", "not available": "available", "not requested": "requested",
    "not tracked": "tracked", "not included": "included", "rejected": "accepted",
    "unverified": "verified", "incomplete": "complete",
}  # fmt: skip
_POSITIVES = {positive: negative for negative, positive in _OPPOSITES.items()}
_AUXILIARIES = word_set(
    "is are was were has have had can does did contains contain includes include accepts accept "
    "allows allow offers offer supports support with the a an for of to over from in"
)
_STATES = word_set(
    "allowed accepted included offered available active used present required enabled detected "
    "access supported needed possible provided permitted done installed reached changed updated"
)
_EXISTING = word_set("present included available installed provided offered")
"""States that say that there is what the key above names: `battery.present`."""
_ADJECTIVE = re.compile(
    r"(?:able|ible|ed|ic|al|ive|proof|free|ful|ous|friendly|safe|less|ary|ent|ant|ian|lost|met"
    r"|open|sold|paid|ready|new|shut|ing)$"
)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_NEGATORS = word_set(
    "not no non never without none neither nor nobody cannot lacks lack lacking lacked missing "
    "absent nothing excluding except unable isn't aren't wasn't weren't doesn't don't didn't "
    "hasn't haven't can't won't couldn't excludes failed fails fail hardly avoids"
)
_STOPS = frozenset(",;:.!?()—")
_CLAUSE = word_set("but while although whereas though however and")
_EXISTS = word_set(
    "has have had with contains contain contained offers offer offered includes include included "
    "comes there provides provided featuring features feature equipped"
)
_COMPLEMENT = word_set("with by until before after more only than")
_AWAY = word_set("for of to by in on at as hard")
_WEAK_EXISTS = word_set("is was are available allowed accepted required")
"""Words that affirm a thing only where no state of it is asked for."""
_PREFIXES = ("un", "non", "in", "im", "dis", "ir", "de")
_BEFORE, _AFTER, _WIDEST = 9, 5, 12
"""How many words before and after a quality a negation may be, and how many words the parts of a
quality may be apart; chosen on the open part of bench/challenges/records."""
_LEAST_STEM = 3
_LEAST_BARE = 5
"""Letters of a word that names a quality without any verb beside it."""
_LEAST_JOINED = 8
"""The same for several words together: `card_slot`."""
_POSSIBLE = word_set(
    "optional optionally possible foreseen planned available would could can may might if should "
    "instead rather unless until target limit threshold required free only but except before still "
    "yet outstanding pending due awaiting await awaits scheduled"
)


_IS_OFF = re.compile(r"\b(?:switched|turned|shut|left|ruled|called|crossed) (?:off|out)\b")
"""What denies a quality after it: "the alarm is switched off"."""
_IS_ON = re.compile(r"\b(?:switched|turned) on\b")
_SHORT_TRUTHS = frozenset("01YNyn")
"""Truth values of one character, which a list of codes may have as well: N, NE, E."""


def truth_of(key: str, value: str) -> bool | None:
    """Whether a value is a yes or a no, in any spelling; None if it is neither.

    1 and 0 are truth values only of a field that is named by an adjective: `organic`, `is_open`.

    >>> truth_of("waterproof", "Y"), truth_of("organic", "0"), truth_of("children", "0")
    (True, False, None)
    """
    word = value.strip().strip("\"'").casefold()
    if word not in _TRUTHS:
        return None
    names = words_of_key(parts_of_key(key)[-1])
    if word in ("1", "0"):
        plain = names and (names[0] in _AUXILIARIES or _ADJECTIVE.search(names[-1]))
        return word == "1" if plain and not names[-1].endswith("s") else None
    if len(word) == 1 and (_LETTERS_ELSEWHERE & {*names} or not names):
        return None
    return word in _YES


@lru_cache(maxsize=4096)
def claim_of(key: str, value: str) -> Claim | None:
    """What a fact affirms or denies; None if it is not a truth value or a status with an opposite.

    >>> claim_of("petsAllowed", "no")[:3]
    (('pets',), ('allowed',), False)
    """
    truth = truth_of(key, value)
    status = ""
    if truth is None:
        status = " ".join(words_of_key(value)) if len(value) < 24 else ""
        if status not in _OPPOSITES and status not in _POSITIVES:
            return None
    parts = parts_of_key(key)
    names = [word for word in words_of_key(parts[-1]) if not word.isdigit()]
    if len(names) > 1 and unit_of_key(key) is not None:
        names = names[:-1]  # `rain_mm: 0` is no rain
    if truth is None:
        if status in _OPPOSITES:
            positive = _OPPOSITES[status]
            return _claim([*names, *positive.split()], holds=False, contrary=status)
        words = [*names, *status.split()]
        return _claim(words, holds=True, contrary=_POSITIVES[status]) if names else None
    claim = _claim(names, holds=truth)
    if claim is not None and len(parts) > 1 and _EXISTING.issuperset(claim.things):
        above = tuple(word for word in words_of_key(parts[-2]) if not word.isdigit())
        return claim._replace(above=above)
    return claim


def _claim(names: list[str], *, holds: bool, contrary: str = "") -> Claim | None:
    words = [word for word in names if word not in _AUXILIARIES and len(word) > 1]
    states = tuple(word for word in words if word in _STATES)
    things = tuple(word for word in words if word not in _STATES)
    if not things:
        things, states = states, ()
    things = tuple(word for word in things if word not in ("status", "availability", "state"))
    against = (contrary,) if contrary and " " not in contrary else ()
    return Claim(things, states, holds, against) if things else None


def read_claims(facts: Sequence[ValueFact]) -> dict[int, Claim]:
    """The claims of some facts by their place; 1 and N only where a field has nothing else."""
    values: dict[str, set[str]] = defaultdict(set)
    is_single: dict[str, bool] = {}
    for fact in facts:
        values[fact.key].add(fact.value)
        is_single[fact.key] = fact.key not in is_single
    found = {
        place: claim
        for place, fact in enumerate(facts)
        if fact.value not in _SHORT_TRUTHS or values[fact.key] <= _SHORT_TRUTHS
        if (claim := claim_of(fact.key, fact.value)) is not None
    }
    for place, fact in enumerate(facts):
        # `capsizes: 0` denies what it counts, if nothing else has the field.
        if place not in found and fact.value == "0" and values[fact.key] == {"0"}:
            none = claim_of(fact.key, "no") if is_single[fact.key] else None
            if none is not None and min(map(len, none.things)) > _LEAST_BARE:
                found[place] = none
    return found


def find_contradictions(
    facts: Sequence[ValueFact],
    text: str,
    claims: Mapping[int, Claim] | None = None,
    language: Language | None = None,
    *,
    bare: bool = False,
) -> list[Contradiction]:
    """Where a text denies a quality that the data affirms, or the reverse, and never agrees.

    With `bare`, naming what the data denies affirms it in a sentence without any negation or
    possibility: "won after overtime".

    Where some objects have a quality and others do not, only sentences count that name one of the
    objects and no other.
    """
    claims = read_claims(facts) if claims is None else claims
    sides: dict[str, set[bool]] = defaultdict(set)
    groups: dict[str, set[str]] = defaultdict(set)
    for place, claim in claims.items():
        sides[_field(facts[place])].add(claim.holds)
        groups[_field(facts[place])].add(facts[place].group)
    found: list[Contradiction] = []
    said: dict[Claim, list[Polarity]] = {}  # the rows of a list have the same claims
    named: dict[tuple[str, int], set[str]] = {}
    names: dict[str, list[str]] = {}
    for place, claim in claims.items():
        field = _field(facts[place])
        if claim not in said:
            said[claim] = find_polarity(text, claim, language, bare=bare and not claim.holds)
        polarities = said[claim]
        if polarities and len(sides[field]) > 1:
            names = names or _names(facts)
            for one in polarities:
                if (field, one.start) not in named:
                    named[field, one.start] = _named_around(text, one, groups[field], names)
            own = {facts[place].group}
            polarities = [one for one in polarities if named[field, one.start] == own]
            # "Four of the five are organic" speaks of no single one.
            polarities = [one for one in polarities if not _SOME_OF.search(text, 0, one.start)]
        polarities = [one for one in polarities if not _EXCEPT.match(text, one.end)]
        if polarities and all(one.affirmed != claim.holds for one in polarities):
            found.append(Contradiction(place, polarities[0].start, polarities[0].end))
    return found


_SOME_OF = re.compile(
    r"\b(?:[0-9]+|one|two|three|four|five|six|seven|eight|nine|ten|most|some|many|half|none|all but"
    r" \w+) of (?:the|them|these|those|its|their)\b[^.;:!?]{0,60}\Z",
    re.IGNORECASE,
)
_EXCEPT = re.compile(
    r"[^.;:!?]{0,30}\bbut not\b|[^.;:!?,]{0,20}\b(?:is|are|was|were|comes?) free\b"
)
"""After a quality: "required for tango but not for beginners"; free is what costs nothing."""


def _field(fact: ValueFact) -> str:
    return parts_of_key(fact.key)[-1]


def _names(facts: Sequence[ValueFact]) -> dict[str, list[str]]:
    """The texts that each group of facts has, in lower case."""
    names: dict[str, list[str]] = defaultdict(list)
    for fact in facts:
        if 2 < len(fact.value) < 40 and not fact.value.isdigit():
            names[fact.group].append(fact.value.replace("_", " ").lower())
        names[fact.group].append(fact.group.replace("_", " ").lower())
    return names


def _named_around(
    text: str, place: Polarity, groups: set[str], names: Mapping[str, Sequence[str]]
) -> set[str]:
    """The groups of facts that the clause around a place names; else those of its sentence."""
    start, end = sentence_at(text, place.start)
    clauses = [one for one in split_clauses(text, start, end) if one[0] <= place.start < one[1]]
    for first, last in (*clauses, (start, end)):
        part = text[first:last].lower()
        named = {group for group in groups if any(name in part for name in names.get(group, ()))}
        if named:
            return named
    return set()


def is_readable(claim: Claim, language: Language) -> bool:
    """Whether the words for the quality of a claim are known in a language.

    >>> from adequa.text.languages import LANGUAGES
    >>> is_readable(claim_of("rainExpected", "yes"), LANGUAGES["de"])
    True
    """
    return any(language.words_for(thing) for thing in claim.things)


def _polarity_in(text: str, claim: Claim, language: Language) -> list[Polarity]:
    """Where a text in another language affirms or denies the quality of a claim.

    A negation anywhere in the clause denies it. The words for a quality are those of its first
    word that has any: a family-friendly place is for families in all languages.
    """
    known = (stems for thing in claim.things if (stems := language.words_for(thing)))
    stems, negator = next(known, ()), _negator(language)
    contrary = language.words_for("dry") if "rain" in claim.things else ()
    others = {*language.clause.split()}
    found: list[Polarity] = []
    lower, folded = lowered(text), fold(text)
    for start, end in split_sentences(text):
        words = [(match.start(), match.end()) for match in _PLAIN_WORD.finditer(lower, start, end)]
        for place, (first, last) in enumerate(words):
            if not folded.startswith((*stems, *contrary), first):
                continue
            low = high = place
            while low and not _STOPS.intersection(lower[words[low - 1][1] : words[low][0]]):
                if lower[slice(*words[low - 1])] in others or place - low >= _BEFORE:
                    break
                low -= 1
            while high + 1 < len(words) and high - place < _AFTER:
                gap = lower[words[high][1] : words[high + 1][0]]
                if _STOPS.intersection(gap) or lower[slice(*words[high + 1])] in others:
                    break
                high += 1
            no = [
                word
                for word in words[low : high + 1]
                if word != (first, last) and negator.fullmatch(lower, *word)
            ]
            if no and contrary and folded.startswith(contrary, first):
                continue  # "not dry" says little
            no += [(first, last)] if contrary and folded.startswith(contrary, first) else []
            spoken = [(first, last), *no]
            begin, finish = min(one[0] for one in spoken), max(one[1] for one in spoken)
            found.append(Polarity(begin, finish, not no))
    return found


_PLAIN_WORD = re.compile(r"[^\W_]+")


@cache
def _negator(language: Language) -> re.Pattern[str]:
    return re.compile(language.negators)


def find_polarity(
    text: str, claim: Claim, language: Language | None = None, *, bare: bool = False
) -> list[Polarity]:
    """Where a text affirms or denies the quality of a claim, one place per sentence."""
    if language is not None:
        return _polarity_in(text, claim, language)
    negative = _POSITIVES.get(claim.things[-1], "") if len(claim.things) > 1 else ""
    if negative.isalpha():  # `cafe_open` is denied by "the café was closed"
        turned = Claim((*claim.things[:-1], negative), claim.states, not claim.holds)
        others = [
            one._replace(affirmed=not one.affirmed) for one in _polarity(text, turned, bare=False)
        ]
        return [*_polarity(text, claim, bare=bare), *others]
    found = _polarity(text, claim, bare=bare)
    if not found and claim.above:
        return _polarity(text, Claim(claim.above, claim.things, claim.holds), bare=False)
    return found


def _polarity(text: str, claim: Claim, *, bare: bool) -> list[Polarity]:
    lower = _plain(lowered(text))
    bare_text = lower.replace("-", "")
    if not all(any(one in bare_text for one in _forms(thing)) for thing in claim.things):
        return []
    found: list[Polarity] = []
    for start, end in split_sentences(text):
        words = _words_in(lower, start, end, claim)
        plain = bare and not any(word in _NEGATORS or word in _POSSIBLE for word, _, _ in words)
        if place := _read(words, lower, claim, bare=plain):
            found.append(place)
            # A sentence may speak of it twice: "irrigation is foreseen, yet none took place".
            parts = [
                [word for word in words if first <= word[1] < last]
                for first, last in split_clauses(text, start, end)
            ]
            again = [_read(part, lower, claim) for part in parts] if len(parts) > 1 else []
            found += [one for one in again if one is not None and one.affirmed != place.affirmed]
    return found


def _plain(text: str) -> str:
    """A text without accents, with the same offsets: keys are written without them."""
    if text.isascii():
        return text
    return "".join(unicodedata.normalize("NFD", letter)[0] for letter in text)


def _words_in(lower: str, start: int, end: int, claim: Claim) -> list[tuple[str, int, int]]:
    """The words of a sentence; a word with a hyphen is one word where a thing is: "run-off"."""
    found: list[tuple[str, int, int]] = []
    stems = tuple(_stem(thing) for thing in claim.things)
    for match in _WORD.finditer(lower, start, end):
        word = match[0].replace("’", "'")
        if found and lower[found[-1][2] : match.start()] == "-":
            joined = found[-1][0] + word
            if joined.startswith(stems) and not found[-1][0].startswith(stems):
                found[-1] = (joined, found[-1][1], match.end())
                continue
        found.append((word, match.start(), match.end()))
    return found


def _read(
    words: list[tuple[str, int, int]], text: str, claim: Claim, *, bare: bool = False
) -> Polarity | None:
    anchors: list[int] = []
    negative = False
    for thing in claim.things:
        place, denied = _find(thing, words)
        if place is None:
            return None
        anchors.append(place)
        negative = negative or denied
    stated = [place for state in claim.states if (place := _find(state, words)[0]) is not None]
    between = range(min(anchors + stated), max(anchors + stated))
    if stated and any(words[place][0] in ("but", "while", "whereas") for place in between):
        stated = []
    first, last = min(anchors + stated), max(anchors + stated)
    if last - first > _WIDEST or max(anchors) - min(anchors) > len(anchors) + 2:
        return None
    low, high = _clause(words, text, first, last)
    before = [words[place][0] for place in range(max(low, first - _BEFORE), first)]
    inside = [words[place][0] for place in range(first, last)]
    after = [words[place][0] for place in range(last + 1, min(high, last + 1 + _AFTER))]
    denied = any(word in _NEGATORS for word in (*before, *inside))
    denied = denied or "rather than" in " ".join(before[-3:])
    denied = denied or _IS_OFF.search(" ".join((*inside, words[last][0], *after))) is not None
    if not stated and not denied:
        denied = any(word in _NEGATORS for word in after)
    glued = text[words[last][2] : words[last][2] + 5]
    if "free" not in claim.things:
        freed = "free" in before and ("of" in before or "from" in before)
        denied = denied or freed or glued in ("-free", " free")
    around = (*before, *inside, *after)
    denied = denied or any(word in claim.contrary for word in around)
    if denied and after[:1] and after[0] in _COMPLEMENT:
        return None  # "not washed with hot water" may deny the water only
    denied = denied != negative  # "not unpaid" is paid
    adjective = bool(claim.states and stated) or _ADJECTIVE.search(claim.things[-1]) is not None
    signs = _EXISTS if claim.states else _EXISTS | _WEAK_EXISTS
    beside = " ".join((*inside, words[last][0], *after))
    switched = _IS_OFF.search(beside) or _IS_ON.search(beside)
    if (
        claim.states
        and not stated
        and not switched
        and not any(word in claim.contrary for word in around)
    ):
        # "the bathing limit" says nothing about `bathingPermitted`, "no bathing" does.
        close = (*before[-2:], *inside) if denied else before[-3:]
        if not (_NEGATORS if denied else _EXISTS).intersection(close):
            return None
    plain = bare and (
        all(len(thing) >= _LEAST_BARE for thing in claim.things)
        or (len(claim.things) > 1 and len("".join(claim.things)) >= _LEAST_JOINED)
    )
    done = words[max(anchors)][0]  # "the lens can be shifted": `lens_shift`
    if done.endswith("ed") and not claim.things[-1].endswith("ed"):
        adjective = adjective or bool({"be", "is", "are", "was", "were"} & {*before[-3:], *inside})
    weak = not (denied or adjective or plain or switched)
    if weak and not signs.intersection([*before, *inside, *after]):
        return None
    if claim.states and not stated and not denied and _AWAY.intersection(before[-2:]):
        return None  # "with four bays for hard drives" says nothing about `drives_included`
    # The place has the words that affirm or deny: "not waterproof", "is required".
    told = _NEGATORS if denied else signs if not adjective else frozenset()
    reach = [n for n in range(max(low, first - _BEFORE), first) if words[n][0] in told]
    begin = (reach[0] if denied else reach[-1]) if reach else first
    finish = last
    if not reach and not any(word in told for word in inside):
        places = range(last + 1, min(high, last + 1 + _AFTER))
        later = next((n for n in places if words[n][0] in told), last - 1)
        finish = min(later + 1, high - 1)
    return Polarity(words[begin][1], words[max(finish, last)][2], not denied)


def _find(thing: str, words: list[tuple[str, int, int]]) -> tuple[int | None, bool]:
    """The place of a word in any form, and whether it is there with a negating prefix."""
    stem = _stem(thing)
    for form in _forms(thing):
        for place, (word, _, _) in enumerate(words):
            if word.startswith(form) and len(word) <= len(thing) + 4:
                return place, False
    for place, (word, _, _) in enumerate(words):
        for prefix in _PREFIXES:
            if word.startswith(prefix + stem) and not thing.startswith(prefix):
                return place, True
    return None, False


_OTHER_WORDS = {
    "elevator": ("lift",), "lift": ("elevator",), "wifi": ("wireless internet",),
    "television": ("tv",), "tv": ("television",), "bicycle": ("bike",), "bike": ("bicycle",),
    "freezable": ("frozen",), "breakable": ("broken",), "photography": ("photo",),
    "vaccinated": ("vaccination",), "insured": ("insurance",), "refundable": ("refund",),
    "parking": ("car park", "park"),
}  # fmt: skip
"""Things by another name, and forms of verbs that no ending makes."""
_MADE_OF = ("ability", "ship", "ation", "ment", "able", "ible", "er", "or", "ion", "ance", "ence")
"""Endings that make a noun or an adjective of a verb: smoker, sponsorship, washable."""


@lru_cache(maxsize=4096)
def _forms(thing: str) -> tuple[str, ...]:
    """What a word for a thing begins with: its stem, the verb it is made of, and other names."""
    found = [_stem(thing)]
    for ending in _MADE_OF:
        if thing.endswith(ending) and len(thing) - len(ending) >= _LEAST_VERB:
            found.append(thing[: -len(ending)])
            break
    if thing.endswith("y") and len(thing) > _LEAST_STEM - 1:
        found.append(f"{thing[:-1]}ies")
    return (*found, *_OTHER_WORDS.get(thing, ()))


_LEAST_VERB = 4


def _stem(word: str) -> str:
    for ending in ("ness", "ing", "ies", "ed", "es", "s", "e", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= _LEAST_STEM:
            return word[: -len(ending)]
    return word


def _clause(words: list[tuple[str, int, int]], text: str, first: int, last: int) -> tuple[int, int]:
    """The words of the clause around some words: up to punctuation, "but" or "and"."""
    low = first
    while low > 0 and not _STOPS.intersection(text[words[low - 1][2] : words[low][1]]):
        if words[low - 1][0] in _CLAUSE:
            break
        low -= 1
    high = last + 1
    while high < len(words) and not _STOPS.intersection(text[words[high - 1][2] : words[high][1]]):
        if words[high][0] in _CLAUSE:
            break
        high += 1
    return low, high
