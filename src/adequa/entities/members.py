"""Members: what a text has in place of one of a few values that a field can have.

- a status: an order that is "delivered" where the data has `shipped`;
- a man for a woman, where the data has the sex of one person;
- a name with another number: "type 1 diabetes" for `type 2 diabetes`;
- the quantity of a named object: "three desk lamps" for `{name: desk lamp, qty: 1}`;
- none of a list that is not empty: "no known allergies";
- a bound that the only value of its kind does not keep: "costs under €2,500" for `price_eur: 2899`;
- a word among the members of a list that is not one of them: "black, navy and white";
- two names whose roles a verb exchanges: "Sprig is acquiring Fjell" for `acquirer: Fjell`;
- the winner of the data as the one who was beaten: "Brisco defeated Lind" for `winner: Lind`;
- a number of entries that is higher than that of the list: "in four colours" for three;
- another abbreviation than that of a field: "with UPS" for `carrier: DHL`;
- the value of another field beside a verb: "grossed $4.2 million" for the value of `budget_usd`;
- the value of a field beside the words of another of its kind: "adults pay £7" for `child: 7`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import NamedTuple

from adequa.entities.fields import FieldCheck, noun_of
from adequa.entities.owners import OwnerFault, part_at
from adequa.entities.roles import _kind, stem_of
from adequa.text import SMALL_WORDS, starting_in, word_set
from adequa.text.values import UNITS, Quantity, ValueSpan
from adequa.text.values.units import CURRENCIES, parts_of_key, unit_in, words_of_key

_STATUS_KEYS = word_set("status state stage phase decision outcome condition")
_STATUSES = (
    (
        "pending/awaiting/not yet started/queued",
        "processing/processed/in preparation/being prepared",
        "shipped/dispatched/in transit/on its way/sent/en route",
        "delivered/handed over", "cancelled/canceled", "returned/sent back", "refunded",
    ),
    ("open/unresolved/unsolved", "in progress/being worked on", "closed/resolved/fixed/solved"),
    ("paid/settled/paid in full", "unpaid/outstanding/overdue", "partially paid"),
    ("on time/punctual", "delayed/late", "cancelled/canceled", "boarding", "departed", "landed"),
    ("draft", "published/live", "archived/withdrawn", "retracted"),
    ("accepted/approved/granted", "rejected/declined/denied/refused/turned down",
     "under review/pending"),
    ("planned/scheduled", "ongoing/in progress/under way/running", "suspended/paused/on hold",
     "completed/finished/complete"),
    ("passed", "failed"),
    ("active/operational/in operation/in service/in use", "inactive/decommissioned/retired",
     "out of service/out of order/broken"),
    ("married", "divorced", "widowed", "unmarried/single"),
    ("available/free/for sale", "reserved/on hold", "sold", "adopted", "rented/let", "unavailable"),
    ("partially refunded", "refunded/fully refunded"),
    ("pending approval/awaiting approval", "completed/closed/approved/concluded"),
)  # fmt: skip
"""What a status can be, in sets of which only one holds; spellings of one are divided by /."""
_SEX_KEYS = word_set("sex gender")
_MALE = r"m[ae]n|boys?|gentlem[ae]n|males?"
_FEMALE = r"wom[ae]n|girls?|lad(?:y|ies)|females?"
_SEXES = {
    **dict.fromkeys(("m", "male", "man", "boy"), _FEMALE),
    **dict.fromkeys(("f", "female", "woman", "girl"), _MALE),
}
"""Of each sex the words for the other."""
_NOT = re.compile(
    r"\b(?:not|no|never|nor|neither|without|than|if|unless|would|could|may|might|will|once|until"
    r"|before|cannot|instead|previously|to be|yet to|should|expected)\b|n['’]t\b"
)
_SOME = re.compile(r"\b(?:one|two|three|four|some|others?|most|none|all|both|each|many|rest)\b")
_COUNTS = word_set("qty quantity count number pieces pcs units copies amount")
_NUMBERED = re.compile(r"(?<![\w.,:/-])[0-9]{1,4}(?![\w:/-]|[.,][0-9])")
_LETTERS = re.compile(r"[^\W\d_]{3,}")
_ABBREVIATION = re.compile(r"[A-Z]{2,5}")
_COMMON = word_set(
    "gps led usb tv pc eu us uk usa un uae vat id ceo cfo cto wc hd uhd ssd ram cpu gpu suv atm pin"
    " faq diy vip pdf url gmt utc cet bst est pst am pm ad bc bmi dna iq it hr pr ai api abs rpm"
)
"""Abbreviations that texts add without meaning a value of the data."""
_MAKERS = word_set(
    "carrier provider operator airline brand manufacturer maker company bank network publisher"
    " label agency courier sponsor broadcaster channel supplier vendor"
)
"""Words of keys whose values are names of firms."""
_BY = re.compile(r"\b(?:with|by|via|from|through|on|at)\s(?:the\s)?\Z")
_BOUND = re.compile(
    r"\b(?:(?P<over>well over|over|more than|above|exceed(?:s|ed|ing)|upwards of)"
    r"|(?P<under>under|less than|below|fewer than))\s(?:[a-z]{1,3}\s)?[$£€¥]?\Z"
)
_COMPARED = re.compile(
    r"\b(?:than (?:the|its|that|those|last|in)|more expensive|cheaper|per|each|every|saves?"
    r"|discount|ago|later|earlier|within|after|before|for the (?:first|last)|since|until|away|left"
    r"|aged?|old|combined|together|total|between|from)\b"
)
_NEAR_BOUND, _LEAST_BOUND = 0.1, 100
"""How near a value must be for a bound to be about it, and the least bound without a unit: smaller
numbers are near each other by chance."""
_BOUND_APART = re.compile(
    r"\b(?:than (?:the|its|that|those|last|in)|per|each|every|saves?|discount|later|earlier|away"
    r"|combined|together|total|between|difference|averag\w*|if|would|could|target|limit|goal|not"
    r"|never|no)\b|n['’]t\b"
)
_SLACK = 0.002
"""By how much a value may miss a bound."""
_SPOKEN = (
    ("weigh(?:s|ed|ing)?|weight of", "weight mass"),
    ("gross(?:ed|es|ing)|earn(?:ed|s|ing)|took in|revenue of", "gross revenue earnings income"),
    ("budget of|made for", "budget"),
    ("employ(?:s|ed|ing)|workforce of|staff of", "employees staff workforce headcount"),
    ("rated|rating of", "rating"),
    ("runtime of|runs for|running time of|lasts|lasted|duration of", "runtime duration"),
    ("seats|capacity of", "capacity seats"),
    ("area of|covers", "area"),
    ("population of", "population"),
    ("departs?(?: at)?|departed at|leaves at|left at|takes off at", "departure depart departs dep"),
    ("arriv(?:es|ed|ing)(?: at)?|arrival at|lands at|landed at", "arrival arrive arrives arr"),
    ("opens? at|opened at|open from", "open opens opening"),
    ("closes? at|closed at", "close closes closing"),
    ("start(?:s|ed|ing) at|begins at|began at", "start starts begin begins"),
    ("ends at|ended at|finish(?:es|ed) at", "end ends finish"),
    ("born (?:in|on)", "birth born birthdate dob"),
    ("died (?:in|on)", "death died deathdate"),
    ("founded in|established in|founded on", "founded established foundation founding"),
    ("released (?:in|on)|release date of", "release released"),
    ("published (?:in|on)", "published publication"),
    ("height of|stands", "height"), ("length of", "length"), ("width of", "width"),
    ("depth of", "depth"), ("altitude of|elevation of", "altitude elevation"),
    ("deposit of", "deposit"), ("salary of", "salary"), ("battery of", "battery"),
)  # fmt: skip
"""Words before a value, and the words of the keys that they speak of."""
_PRICES = ("costs?|priced at|price of|sells for|sold for|charges", "price cost fee fare")
"""The same for prices, of which a record often has several kinds."""
_VERBS = tuple(
    (
        re.compile(rf"\b(?:{said})\s(?:about |some |a |at |around |only |just )?[$£€¥]?\Z"),
        word_set(keys),
    )
    for said, keys in _SPOKEN
)
_SPEAKING = tuple(
    (re.compile(rf"\b(?:{said})\b"), word_set(keys)) for said, keys in (*_SPOKEN, _PRICES)
)
_LONGEST_VERB = 32
_ITEM = r"[^\W\d_][\w'’-]*(?: [\w'’-]+){0,2}"
_LISTED = re.compile(rf"{_ITEM}(?:, {_ITEM}){{0,12}},? (?:and|or) {_ITEM}")
"""Things that are enumerated; the first and the last may have words of their sentence. Without a
bound, a long list with commas alone would be read again from each of its words."""
_AFTER_LIST = re.compile(r"\s*(?:[.,;:!?)]|\Z)|\s(?:for|in|on|at|as|with)\b")
_PAIRS = (
    ("acquirer buyer purchaser", "target acquired", "acquir|bought|buy|t[ao]k(?:e|es|ing) over"),
    ("seller vendor supplier issuer biller", "buyer customer client recipient",
     "bill|invoic|sold .{0,30}? to|sell .{0,30}? to|suppl"),
    ("winner champion", "loser runnerup opponent", "beat|defeat|overc[ao]me|edged|won against"),
    ("sender shipper from", "recipient receiver consignee to", "sent .{0,30}? to|paid .{0,20}? to"),
    ("lender creditor", "borrower debtor", "lent|lend|loan"),
    ("landlord lessor owner", "tenant lessee", "rent(?:s|ed)? .{0,30}? to|let .{0,30}? to|leas"),
    ("employer", "employee applicant", "hir|employ"),
    ("plaintiff claimant", "defendant", "su(?:ed|es|ing) |took .{0,30}? to court"),
    ("supervisor advisor teacher mentor", "student pupil mentee", "supervis|taught|teach|advis"),
)  # fmt: skip
"""Who does something, to whom, by the words of keys, and how a text says it in the active voice."""
_PASSIVE = re.compile(r".*\b(?:is|are|was|were|been|being|be|got)\s(?:\w+\s)?\w+(?<!ing)\b.*", re.S)


class MemberCheck(FieldCheck):
    """Checks the values of a text that stand for another member of a small set."""

    def faults(self) -> list[OwnerFault]:
        """Every fault, in order."""
        found = [*self._numbered(), *self._abbreviations(), *self._listed(), *self._pairs()]
        found += self._winners()
        for sentence in self.sentences:
            found += self._statuses(sentence)
            found += self._sexes(sentence)
            found += self._quantities(sentence)
            found += self._empty_lists(sentence)
            found += self._bounds(sentence)
            found += self._verbs(sentence)
            found += self._twins(sentence)
            found += self._too_many(sentence)
        return sorted(found)

    def _statuses(self, sentence: tuple[int, int]) -> Iterator[OwnerFault]:
        for place, own, other in self._known_statuses:
            match = other.search(self.lower, *sentence)
            if match is None or own.search(self.lower, *sentence):
                continue
            if not self._is_said_of(place, sentence, match):
                continue
            measured = (one for one in self.values if any(own.unit for own in one.quantities))
            if any(0 <= match.start() - one.end < 2 for one in measured):
                continue  # "$89 was refunded" speaks of a part
            before = (max(sentence[0], match.start() - 30), match.end())
            if not _NOT.search(self.lower, *before) and not _SOME.search(self.lower, *before):
                yield self._fault(match.start("said"), match.end("said"), "member", place)

    @cached_property
    def _known_statuses(self) -> list[tuple[int, re.Pattern[str], re.Pattern[str]]]:
        """The facts that are a status, with what says it and what says another."""
        found = []
        for place in self.roles.fields_with(_STATUS_KEYS):
            value = self.roles.facts[place].value.replace("_", " ").strip().lower()
            if (patterns := _other_statuses(value)) is not None:
                found.append((place, *patterns))
        return found

    def _is_said_of(self, place: int, sentence: tuple[int, int], match: re.Match[str]) -> bool:
        """Whether a status is said of the object of a fact; other objects may have that status."""
        if self.roles.counts[self.roles.facts[place].key] == 1:
            # What has rows is spoken of by naming them: "the order of two lamps was delivered".
            return not re.search("/[0-9]", self.roles.paths[place]) or self._is_of(place, sentence)
        named = {
            pointer
            for one in starting_in(self._ordered, sentence[0], match.start())
            for pointer in self.roles.names.get(one.entity, ())
        }
        return named == {self.roles.paths[place].rpartition("/")[0]}

    def _sexes(self, sentence: tuple[int, int]) -> Iterator[OwnerFault]:
        known = self._sex
        if len(known) != 1:
            return
        other = _SEXES.get(self.roles.facts[known[0]].value.strip().lower())
        if other is None:
            return
        pattern = rf"\b(?:(?:the|an?|this|old|is an?)[\s-](?:\w+[\s-])??)(?P<said>{other})\b(?! of)"
        match = re.compile(pattern).search(self.lower, *sentence)
        if match is not None and not _NOT.search(self.lower, sentence[0], match.start()):
            yield self._fault(match.start("said"), match.end("said"), "member", known[0])

    @cached_property
    def _sex(self) -> list[int]:
        return self.roles.fields_with(_SEX_KEYS)

    def _numbered(self) -> Iterator[OwnerFault]:
        """A name of the data with another number."""
        known = {end.lower() for triple in self.roles.triples for end in triple}
        whole = " ".join(sorted(known))
        for place, fact in enumerate(self.roles.facts):
            numbers = [*_NUMBERED.finditer(fact.value)]
            words = _LETTERS.findall(fact.value)
            if len(numbers) != 1 or not words or len(fact.value) > 40:
                continue
            reading = self.roles.explainer.index.readings[place]
            if reading.quantities or reading.dates or reading.clocks:
                continue
            number = numbers[0]
            before, after = fact.value[: number.start()].lower(), fact.value[number.end() :].lower()
            if before not in self.lower or after not in self.lower:
                continue  # most facts
            for match in re.finditer(
                rf"(?<!\w){re.escape(before)}(?P<said>[0-9]{{1,4}}){re.escape(after)}"
                r"(?![\w-]|[.,][0-9])",
                self.lower,
            ):
                if match["said"] in self._plain_numbers:
                    continue
                if match["said"] != number[0] and match[0] not in whole:
                    yield self._fault(match.start(), match.end(), "member", place)

    @cached_property
    def _plain_numbers(self) -> frozenset[str]:
        """The whole numbers of the data, which may be that of a name: `bike: 8`."""
        return frozenset(fact.value for fact in self.roles.facts if fact.value.isdigit())

    def _quantities(self, sentence: tuple[int, int]) -> Iterator[OwnerFault]:
        """A number right before the name of an object that has another quantity."""
        numbers = {
            span.end: span
            for span in starting_in(self.values, *sentence)
            if span.kind == "number" and span.hedge == "none" and len(span.quantities) == 1
        }
        for mention in starting_in(self._ordered, *sentence):
            gap = self.lower[max(0, mention.start - 4) : mention.start]
            span = numbers.get(mention.start - (len(gap) - len(gap.rstrip())))
            places = self._quantity_of.get(mention.entity, ())
            if span is None or len(places) != 1 or span.quantities[0].unit:
                continue
            if self._numbers[places[0]] != span.quantities[0].value:
                yield self._fault(span.start, mention.end, "count", places[0])

    @cached_property
    def _quantity_of(self) -> dict[str, list[int]]:
        """Of each named object the facts that say how many of it there are."""
        found: dict[str, list[int]] = {}
        for place in self._numbers:
            words = words_of_key(parts_of_key(self.roles.facts[place].key)[-1])
            if words and words[-1] in _COUNTS:
                found.setdefault(self.roles.triples[place].subject, []).append(place)
        return found

    def _empty_lists(self, sentence: tuple[int, int]) -> Iterator[OwnerFault]:
        """None of what a list of words has."""
        for key, place in self._word_lists.items():
            noun = noun_of(key)
            if noun is None or noun.states:
                continue
            pattern = _none_in_list(noun.head)
            match = pattern.search(self.lower, *sentence)
            if match is not None and not _OTHER.search(self.lower, *sentence):
                yield self._fault(match.start(), match.end(), "none", place)

    @cached_property
    def _word_lists(self) -> dict[str, int]:
        """The lists of plain words by key, each with its first fact."""
        found: dict[str, int] = {}
        for place, path in enumerate(self.roles.paths):
            parent, _, last = path.rpartition("/")
            if last.isdigit() and parent and not any(map(str.isdigit, parent.split("/"))):
                found.setdefault(parent.rpartition("/")[2], place)
        return found

    def _listed(self) -> Iterator[OwnerFault]:
        """Something that is enumerated with two members of a list and is not one of them."""
        lists: dict[str, dict[str, int]] = {}
        for place, path in enumerate(self.roles.paths):
            parent, _, last = path.rpartition("/")
            value = self.roles.facts[place].value.lower().replace("_", " ")
            if last.isdigit() and any(map(str.isalpha, value)):
                lists.setdefault(parent, {})[value] = place
        lists = {parent: own for parent, own in lists.items() if len(own) > 1}
        if not lists:
            return
        known = " ".join(
            f"{fact.key} {fact.value}".lower().replace("_", " ") for fact in self.roles.facts
        )
        for match in _LISTED.finditer(self.lower):
            if not _AFTER_LIST.match(self.lower, match.end()):
                continue
            items = [*re.finditer(r"[^,]+?(?=, |,? (?:and|or) |\Z)", match[0])]
            said = [(one, re.sub(r"^(?:,? ?(?:and |or )?)", "", one[0])) for one in items]
            for own in lists.values():
                right = [word for _, word in said if self._member_of(word, own)]
                wrong = [
                    (one, word)
                    for number, (one, word) in enumerate(said)
                    if not self._member_of(word, own)
                    and number > 0
                    and (number + 1 < len(said) or " " not in word)
                    and not any(one in known for one in word.split() if one not in SMALL_WORDS)
                ]
                if len(right) < 2 or len(right) + len(wrong) < len(said) or len(wrong) != 1:
                    continue
                start = match.start() + wrong[0][0].end() - len(wrong[0][1])
                if not _NOT.search(self.lower, max(0, match.start() - 20), start):
                    place = next(iter(own.values()))
                    yield self._fault(start, start + len(wrong[0][1]), "member", place)

    def _member_of(self, word: str, members: Mapping[str, int]) -> bool:
        """Whether something that is enumerated is a member; at the ends it has other words too."""
        return any(
            word == one or word.endswith(f" {one}") or word.startswith(f"{one} ") for one in members
        )

    def _pairs(self) -> Iterator[OwnerFault]:
        """A verb between two names that has them the other way round."""
        for agents, patients, verbs in _ROLES:
            doing, done = (self._only_name(words) for words in (agents, patients))
            if doing is None or done is None or doing[1] == done[1]:
                continue
            ends = [one for one in self._ordered if one.entity in (doing[1], done[1])]
            for first, second in pairwise(ends):
                if (first.entity, second.entity) != (done[1], doing[1]):
                    continue
                match = verbs.search(self.lower, first.end, second.start)
                between = self.lower[first.end : second.start]
                if match is None or "." in between or len(between) > _LONGEST_ROLE:
                    continue
                if " by " in between or _PASSIVE.fullmatch(self.lower, first.end, second.start):
                    continue
                if not _NOT.search(self.lower, first.end, second.start):
                    yield self._fault(first.start, second.end, "role", doing[0])

    def _winners(self) -> Iterator[OwnerFault]:
        """The winner of the data as somebody who lost."""
        winner = self._only_name(_WINNERS)
        for one in self._ordered if winner is not None else ():
            assert winner is not None  # noqa: S101 - there is nothing to go through without one
            if one.entity != winner[1]:
                continue
            before = _BEAT.search(self.lower, max(0, one.start - _LONGEST_ROLE), one.start)
            after = _BEATEN.match(self.lower, one.end)
            span = (before.start(), one.end) if before else (one.start, after.end() if after else 0)
            clause = (max(0, span[0] - _LONGEST_ROLE), span[1])
            if (before or after) and not _NOT_LOST.search(self.lower, *clause):
                yield self._fault(*span, "role", winner[0])

    def _only_name(self, words: frozenset[str]) -> tuple[int, str] | None:
        """The only fact whose field has one of some words and whose value is a name."""
        places = [
            place
            for place, path in enumerate(self.roles.paths)
            if words.intersection(words_of_key(path))
            and self.roles.facts[place].value[:1].isupper()
            and not self.roles.explainer.index.readings[place].quantities
        ]
        return (places[0], self.roles.triples[places[0]].object) if len(places) == 1 else None

    def _too_many(self, sentence: tuple[int, int]) -> Iterator[OwnerFault]:
        """More entries than a list has."""
        for span in starting_in(self.values, *sentence):
            if span.kind != "number" or span.hedge != "none" or len(span.quantities) != 1:
                continue
            after = _NEXT_NOUN.match(self.lower, span.end)
            before = self.lower[max(sentence[0], span.begin - 12) : span.begin]
            if after is None or span.quantities[0].unit or not _COUNTED.search(before):
                continue
            stem = stem_of(after["noun"].replace("colour", "color"))
            size = self._sizes.get(stem)
            if size is None or span.quantities[0].value <= size:
                continue
            if not _OTHER.search(self.lower, *sentence):
                note = f"the data has {size} of them"
                yield OwnerFault(span.start, after.end(), "count", note)

    @cached_property
    def _sizes(self) -> dict[str, int]:
        """How many entries each list has, by the stem of its noun; none where two lists have it."""
        found: dict[str, set[str]] = {}
        for name, members in self._entries.items():
            noun = noun_of(name)
            if noun is not None and not noun.states:
                found.setdefault(noun.head, set()).update(members)
        numbered = {
            noun.head
            for place in self._numbers
            if (noun := noun_of(self.roles.facts[place].key)) is not None
        }
        return {
            stem: len(own)
            for stem, own in found.items()
            if stem not in numbered and len({one.rpartition("/")[0] for one in own}) == 1
        }

    def _bounds(self, sentence: tuple[int, int]) -> Iterator[OwnerFault]:
        """A bound that the only value of its dimension, or the only one near it, does not keep."""
        for span in starting_in(self.values, *sentence):
            match = _BOUND.search(self.lower, sentence[0], span.start)
            if match is None or not span.quantities or span.range:
                continue
            place = self._bounded(span, sentence)
            if place is None:
                continue
            value = self._base(self.roles.explainer.index.readings[place].quantities[0])
            bound = self._base(span.quantities[0])
            beyond = (value - bound) * (1 if match["under"] else -1)
            if beyond > _SLACK * abs(bound):
                yield self._fault(match.start(), span.end, "bound", place)

    def _bounded(self, span: ValueSpan, sentence: tuple[int, int]) -> int | None:
        """The number of the data that a bound is about."""
        seen = span.quantities[0]
        unit = UNITS.get(seen.unit or "")
        kind = "" if unit is None else "money" if unit.name in CURRENCIES else unit.dimension
        readings = self.roles.explainer.index.readings
        places = [
            place
            for one in ((kind,) if kind else ("", "count"))
            for place in self._by_kind.get(one, [])
            if unit is None or self._dimension(readings[place].quantities[0]) == unit.dimension
        ]
        if kind == "share":
            return None
        alone = unit is not None and len(places) == 1
        compared = _COMPARED.search(self.lower, *sentence) is not None
        if alone and not compared and self._is_spoken_of(places[0], sentence):
            return places[0]
        bound = self._base(seen)
        near = [
            place
            for place in places
            if abs(self._base(readings[place].quantities[0]) - bound) <= _NEAR_BOUND * abs(bound)
        ]
        apart = _BOUND_APART.search(self.lower, *part_at(self.lower, span.start, sentence, _CLAUSE))
        if len(near) != 1 or apart or (unit is None and seen.value < _LEAST_BOUND):
            return None
        rows = self._named_rows(sentence)
        path = self.roles.paths[near[0]].rpartition("/")[0]
        return near[0] if not rows or path in rows else None

    def _base(self, quantity: Quantity) -> float:
        unit = UNITS.get(quantity.unit or "")
        return float(quantity.value) if unit is None else unit.base(float(quantity.value))

    def _dimension(self, quantity: Quantity) -> str | None:
        unit = UNITS.get(quantity.unit or "")
        return None if unit is None else unit.dimension

    def _is_spoken_of(self, place: int, sentence: tuple[int, int]) -> bool:
        """Whether a sentence names a field, or has words that speak of it."""
        words = self.roles.field_words[place]
        said = self.lower[slice(*sentence)]
        named = self.roles.stems[place] & self._stems(sentence)
        spoken = any(words & keys and one.search(said) for one, keys in _SPEAKING)
        return bool(named or spoken) and self._is_of(place, sentence)

    def _verbs(self, sentence: tuple[int, int]) -> Iterator[OwnerFault]:
        """The value of another field after words that speak of a field."""
        index = self.roles.explainer.index
        for span in starting_in(self.values, *sentence):
            if span.kind in ("ordinal", "ratio", "share") or span.range:
                continue
            start = max(sentence[0], span.start - _LONGEST_VERB)
            spoken = (own for one, own in _VERBS if one.search(self.lower, start, span.start))
            keys = next(spoken, None)
            if keys is None:
                continue
            comparable = {place for place, _ in index.comparable(span)}
            own = [place for place in self.roles.fields_with(keys) if place in comparable]
            said = {fact for one in index.explain(span, self.text) for fact in one.facts}
            if len(own) != 1 or not said or own[0] in said or not self._is_of(own[0], sentence):
                continue
            yield self._fault(span.begin, span.end, "field", own[0])

    def _twins(self, sentence: tuple[int, int]) -> Iterator[OwnerFault]:
        """The value of a field in a clause that names only another field of its kind."""
        named = [*self._twins_named(sentence)] if self._twin_words else []
        if not named or "respectively" in self.lower[slice(*sentence)]:
            return
        index = self.roles.explainer.index
        spans = starting_in(self.values, *sentence)
        for span in spans:
            if span.kind in ("ordinal", "ratio", "share") or span.range or span.hedge != "none":
                continue
            supports = index.explain(span, self.text)
            said = {fact for one in supports for fact in one.facts}
            alike = self._twin_words.keys() & said
            kinds = {self._twin_words[place].kind for place in alike}
            if alike != said or len(kinds) != 1 or any(one.how != "same" for one in supports):
                continue
            part = part_at(self.lower, span.start, sentence, _CLAUSE)
            near = [
                one
                for one in starting_in(named, *part)
                if self._twin_words[one.place].kind in kinds
            ]
            places = {one.place for one in near}
            if len(places) != 1 or places & said:
                continue
            before = part_at(self.lower, max(part[0] - 2, sentence[0]), sentence, _CLAUSE)
            listed = any(one.place in said for one in starting_in(named, *before))
            if listed and not starting_in(self.values, *before):
                continue  # "net and gross are 1,360 and 1,632"
            own = min(near, key=lambda one: abs(one.start - span.start))
            between = min(own.end, span.end), max(own.start, span.begin)
            others = [
                one
                for one in starting_in(spans, *between)
                if one.start != span.start and not self._is_in_name(one)
            ]
            if others or _TWINS_APART.search(self.lower, *part):
                continue
            bare = not span.clocks and not any(one.unit for one in span.quantities)
            after = own.start > span.start or not _LINK.fullmatch(self.lower, *between)
            if bare and after:
                continue  # "three of seventeen visitors made an offer"
            yield self._fault(span.begin, span.end, "field", own.place)

    @cached_property
    def _twin_words(self) -> dict[int, _Twin]:
        """The words that only one of several fields of a kind has: `net`, `gross`; by fact."""
        kinds: dict[str, list[int]] = {}
        readings = self.roles.explainer.index.readings
        for place, (path, reading) in enumerate(zip(self.roles.paths, readings, strict=True)):
            if any(map(str.isdigit, path.split("/"))) or self._is_repeated(place):
                continue
            if reading.clocks or reading.dates:
                kinds.setdefault("clock" if reading.clocks else "date", []).append(place)
        for kind, places in self._by_kind.items():
            kinds[f"number {kind}"] = [
                place
                for place in places
                if not any(map(str.isdigit, self.roles.paths[place].split("/")))
                and not self._is_repeated(place)
            ]
        found: dict[int, _Twin] = {}
        for kind, places in kinds.items():
            words = {place: self._words_of(place) for place in places}
            shared = Counter(word for own in words.values() for word in own)
            for place, own in words.items() if len(places) > 1 else ():
                alone = frozenset(word for word in own if shared[word] == 1)
                if alone:
                    found[place] = _Twin(kind, alone)
        return found

    def _is_in_name(self, span: ValueSpan) -> bool:
        return any(
            one.start < span.start and span.end <= one.end
            for one in starting_in(self._ordered, max(0, span.start - _LONGEST_ROLE), span.start)
        )

    def _is_repeated(self, place: int) -> bool:
        return self.roles.counts[self.roles.facts[place].key] > 1

    def _words_of(self, place: int) -> frozenset[str]:
        """The words by which a text can name a field; "check-in" is one of them."""
        words = words_of_key(parts_of_key(self.roles.facts[place].key)[-1])
        long = [word for word in words if len(word) > 2 and unit_in(word) is None]
        if len(words) == 2 and len(words[1]) <= 3 and len(long) == 1 + (words[1] == "out"):
            return frozenset({f"{words[0]}-{words[1]}"})
        return frozenset(_one_of(word) for word in long if word not in _UNNAMED)

    def _twins_named(self, sentence: tuple[int, int]) -> Iterator[_FieldWord]:
        """The places of a sentence that name one of several fields of a kind."""
        places: dict[str, set[int]] = {}
        for place, twin in self._twin_words.items():
            for word in twin.words:
                places.setdefault(word, set()).add(place)
        for match in _TWIN_WORD.finditer(self.lower, *sentence):
            word = match[0]
            stem = word.replace(" ", "-") if match["two"] else _one_of(word)
            for place in sorted(places.get(stem, ())):
                yield _FieldWord(match.start(), match.end(), place)

    @cached_property
    def _by_kind(self) -> dict[str, list[int]]:
        """The facts that are a number, by what they measure."""
        found: dict[str, list[int]] = {}
        for place in self._numbers:
            kind = _kind(self.roles.facts[place], self.roles.explainer.index.readings[place])
            found.setdefault(kind or "", []).append(place)
        return found

    def _abbreviations(self) -> Iterator[OwnerFault]:
        """Another abbreviation after "with" or "by" than the only one of the data."""
        known = [
            place
            for place in self.roles.fields_with(_MAKERS)
            if _ABBREVIATION.fullmatch(self.roles.facts[place].value)
        ]
        if len(known) != 1 or self.roles.facts[known[0]].value in self.text:
            return
        whole = " ".join(fact.value for fact in self.roles.facts)
        for match in re.finditer(r"(?<![\w-])[A-Z]{2,5}(?![\w-])", self.text):
            usual = match[0].lower() in _COMMON or match[0] in whole
            if not usual and _BY.search(self.lower, max(0, match.start() - 12), match.start()):
                yield self._fault(*match.span(), "member", known[0])


_WINNERS = word_set("winner champion victor")
_BEAT = re.compile(
    r"(?<!be )(?<!was )(?<!were )(?<!been )\b(?:beat|beats|beating|defeat(?:ed|s|ing)|overc[ao]me|"
    r"edged(?: out| past)?|thrashed|knocked out|saw off|eliminated|won against|victory over)"
    r"\s(?:the |a |an )?(?:[\w-]+ (?:seed |placed |ranked )?){0,2}\Z"
)
_BEATEN = re.compile(
    r"\s(?:lost|fell|succumbed|went down|was (?:beaten|defeated|knocked out|eliminated)(?: by)?"
    r"|was the (?:loser|runner-up)|(?:came|finished) second)\b(?! (?:the (?:first|opening)|one))"
)
"""What says that a name lost: verbs before it, and behind it."""
_NOT_LOST = re.compile(
    r"\b(?:not|never|nearly|almost|without|would|could|set|sets|leg|game|frame|round|half|first|last"
    r"|previous\w*|season|year|then|earlier|before|who|which|if)\b|n['’]t\b"
)


class _Twin(NamedTuple):
    """One of several fields of a kind, and the words that only it has."""

    kind: str
    words: frozenset[str]


class _FieldWord(NamedTuple):
    """A place of a text that names a field."""

    start: int
    end: int
    place: int


_CLAUSE = re.compile(
    r"[;:()—–]\s?|,\s|\s(?:and|but|while|whereas|although|though|then|which|where|when|who|or)\s"
)
_TWIN_WORD = re.compile(
    r"(?<![\w-])[^\W\d_]+(?:(?P<two>[- ](?:in|out|on|off|up|down)\b)|(?![\w-]))"
)
_LINK = re.compile(
    r"\s(?:\w+\s)?(?:of|is|was|are|were|stands at|stood at|amounts to|reached|totals)\s"
)
"""Between a field and a number that is said to be its value."""
_UNNAMED = word_set(
    "the and for per date time times day days hour hours minute minutes second seconds week weeks "
    "month months year years number num count value info data unit qty place places at in on of by"
    " to from"
)
"""Words of keys that texts have beside values of other fields, too."""
_PLURALS = {"children": "child", "kids": "child", "men": "man", "women": "woman"}
_TWINS_APART = re.compile(
    r"\b(?:than|more|less|fewer|plus|minus|including|includes?|excluding|before|after|until|since"
    r"|from|between|total\w*|altogether|combined|together|sum|of which|out of|instead|compared"
    r"|against|versus|difference|both|not|no|never|without|would|if|up to|as|per|each|every)\b"
)
"""Words of a clause whose value may be another's, or calculated."""
_ROLES = tuple(
    (word_set(one), word_set(other), re.compile(rf"\b(?:{verbs})")) for one, other, verbs in _PAIRS
)
_LONGEST_ROLE = 60
_NEXT_NOUN = re.compile(r"\s(?:[a-z]+ed\s|different\s)?(?P<noun>[a-z]{4,}s)\b")
_COUNTED = re.compile(
    r"(?:\A|[.!?]\s|\b(?:in|of|with|has|have|had|are|were|lists?|the|all|its)\s)\Z"
)
_OTHER = re.compile(r"\b(?:other|further|additional|more|else|besides|new)\b")


def _one_of(word: str) -> str:
    """A noun without the ending of its plural, and a verb without its -s."""
    word = _PLURALS.get(word, word)
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


@lru_cache(maxsize=256)
def _none_in_list(head: str) -> re.Pattern[str]:
    thing = rf"{re.escape(head)}\w{{0,5}}"
    end = r"(?=\s*(?:[.,;:!?)]|\Z)|\s(?:and|but|are|is|were|was)\b)"
    return re.compile(rf"\b(?:no|without any|without)\s(?:known |recorded |listed )?{thing}{end}")


@lru_cache(maxsize=512)
def _other_statuses(value: str) -> tuple[re.Pattern[str], re.Pattern[str]] | None:
    """What says a status, and what says another of its set; None for one that is in no set."""
    own: set[str] = set()
    others: set[str] = set()
    for known in _STATUSES:
        members = [one.split("/") for one in known]
        if any(value in spellings for spellings in members):
            for spellings in members:
                (own if value in spellings else others).update(spellings)
    others -= own
    if not own or not others:
        return None
    words, other = (
        "|".join(map(re.escape, sorted(some, key=len, reverse=True))) for some in (own, others)
    )
    verbs = (
        r"is|are|was|were|has been|have been|had been|remains?|stays?|got|been|runs|running"
        r"|departs|departed|leaves|left|arrives|arrived"  # "on time"
    )
    return (
        re.compile(rf"\b(?:{words})\b"),
        re.compile(
            rf"\b(?:{verbs})(?: still| now| already| currently| being| since| just)*\s"
            rf"(?P<said>(?:{other}))\b(?![-\w])"
        ),
    )
