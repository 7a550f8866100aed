"""Objects of a record's lists: who did what, when, and for which side.

What a text says together must stand together in one object: a name with its act, its minute, its
side, and the column that it stands in. The words for acts are those of matches; other lists are
checked by `roles`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from adequa.entities.owners import ClaimText, OwnerFault, RowList
from adequa.text import fold, starting_in, word_set
from adequa.text.values.units import words_of_key

_ACTS: Mapping[str, re.Pattern[str]] = {
    "goal": re.compile(
        r"\b(?:scor(?:ed|er|ers|ing|es)|goals?|net(?:ted|ting)|found the net|struck|strikes?"
        r"|equali[sz](?:ed|er|es|ing)|opener|doubled|converted|headed)\b"
    ),
    "card": re.compile(r"\b(?:cards?|book(?:ed|ings?)|caution(?:ed|s)?|sent off|yellows?)\b"),
    "subst": re.compile(
        r"\b(?:substitut\w+|replac\w+|c[ao]m(?:e|ing) (?:on|off)|brought on|off the bench"
        r"|introduc\w+)\b"
    ),
}
"""Words of texts about matches, by what the kind of an event has in the data."""
_LISTS = {
    "goal": word_set("goal goals scorer scorers"),
    "card": word_set("card cards booking bookings"),
    "subst": word_set("substitution substitutions subs"),
}
_MINUTE = re.compile(
    r"(?<![\w.+-])(?:(?P<a>[0-9]{1,3})(?:st|nd|rd|th)?(?:\s?\+\s?(?P<x>[0-9]{1,2}))?"
    r"(?:['’′](?:\s?\+\s?(?P<z>[0-9]{1,2}))?|[\s-]minutes?(?! (?:of|later|after|before|earlier)))"
    r"|minutes? (?P<b>[0-9]{1,3})(?:\s?\+\s?(?P<y>[0-9]{1,2}))?)"
)
_HALF = re.compile(
    r"\b(?:in|during|of|before|after|by|at) (?:the )?(?P<half>first|second|half[- ]?time|the break)"
    r"(?: half)?\b"
)
_OWN = re.compile(r"['’]s?\s(?:\w+\s){0,1}\Z")
_NUMBER = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "a single": 1, "only one": 1,
}  # fmt: skip
_THING = re.compile(
    r"\b(?:cards?|goals?|substitutions?|changes|substitutes|bookings|strikes|yellows?)\b"
)
_COUNT = rf"(?P<n>{'|'.join(_NUMBER)}|[1-9][0-9]?)"
_COUNTED = re.compile(
    rf"\b{_COUNT} (?P<more>more |further |additional )?"
    r"(?:(?P<what>yellow|red|total|different|other|late|early) )?"
    rf"(?P<thing>{_THING.pattern})"
)
_DID = re.compile(
    r"['’]s? (?:\w+ )?|,? (?:(?:also|then|and|each|both|only|who|players?) ){0,2}"
    r"(?:ma(?:de|king)|had|having|receiv(?:ed|ing)|scor(?:ed|ing)|s[ae]w|collect(?:ed|ing)"
    r"|picked up|were shown|was shown|us(?:ed|ing)|nett(?:ed|ing)|contribut(?:ed|ing)|got"
    r"|earn(?:ed|ing)|accumulat(?:ed|ing)|incurr(?:ed|ing))"
    r" (?:a total of |all |just |only |as many as )?"
)
"""What may stand between a side or a person and the number of what it did."""
_FOR = re.compile(r" (?:(?:each|made|issued|shown|given|handed out) )?(?:for|by|from|to) (?:the )?")
_AND = re.compile(r",? (?:and|&) ")
"""Between two who have a number together: "Ada and Boris scored two goals"."""
_SO_MANY = re.compile(rf",?(?: and| while| with|,) {_COUNT} (?:for|by|from|to) (?:the )?\Z")
"""A second number of the same: "nine changes for Jalapa and seven for Diriangén"."""
_GOALLESS = re.compile(
    r"\b(?:first half|both halves|each half|both (?:sides|teams)|half[- ]?time|the break"
    r"|the interval)\b[^.;:,()]{0,45}?"
    r"\b(?:goalless|scoreless|without (?:a goal|any goals)|0[-–]0|nil[-–]nil)(?![-–\w])"
)
_WHOLE = frozenset({0, 15, 45, 60, 90, 120})
"""Minutes that are said of lengths of time, too."""
_ABOUT = re.compile(
    r"\b(?:between|from|until|till|by|first|last|final|opening|before|after|around|about|within|past"
    r"|under|over|for|nearly|almost|approximately|every|remaining|than)\b[^.;]*\Z"
)
_RANGE = re.compile(r"\s?(?:[-–]|to |and |through |onwards)")
_INCLUDING = re.compile(rf"\bincluding {_COUNT} (?:each )?(?:for|by|from|to) (?:the )?\Z")
"""A number after its thing: "several substitutions, including four by Sweden"."""
_AS_WELL = re.compile(
    rf"(?: (?:ma(?:de|king)|had|having|with))? {_COUNT}(?: as well| too)?(?=[.,;]|\Z)"
)
"""A second number of the same, after its side: "and Spartak Nalchik five"."""
_PARTLY = re.compile(
    r"\b(?:hal(?:f|ves)|half-?time|minutes?|between|late|later|early|stages?|break|interval|after|before"
    r"|time|period)\b|[0-9]['’′]"
)
"""Words with which a number may be that of a part of the match."""


class _Named(NamedTuple):
    """A name in the text and the rows that have it, by column."""

    start: int
    end: int
    entity: str
    columns: Mapping[str, frozenset[int]]

    @property
    def rows(self) -> frozenset[int]:
        return frozenset().union(*self.columns.values())


class ObjectCheck:
    """Checks that what a text says together stands together in one object of a list."""

    def __init__(self, rows: RowList, text: ClaimText, entities: Sequence[str]) -> None:
        self.rows, self.text = rows, text
        self.names: dict[str, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
        self.kinds = self._kinds()
        owner = {fact: number for number, row in enumerate(rows.rows) for fact in row.facts}
        for key, values in rows.categories.items():
            if key in self.kinds:
                continue
            for fact, number in owner.items():
                if number in values and self._key(fact) == key:
                    self.names[entities[fact]][key].add(number)
        self.minutes = self._minutes()

    @cached_property
    def _sided(self) -> frozenset[str]:
        """The columns with so few names that they divide the rows: the two teams."""
        names: dict[str, set[str]] = defaultdict(set)
        for name, columns in self.names.items():
            for key in columns:
                names[key].add(name)
        count = len(self.rows.rows)
        return frozenset(
            key
            for key, found in names.items()
            if len(found) <= max(2, count / 4) and 2 * len(self.rows.categories[key]) > count
        )

    @cached_property
    def _by_last(self) -> dict[str, list[str]]:
        """The names by their last word: one person may be in the data in two spellings."""
        found: dict[str, list[str]] = defaultdict(list)
        for name in self.names:
            found[fold(name).split()[-1]].append(name)
        return found

    def _alike(self, start: int, end: int, entity: str) -> dict[str, frozenset[int]]:
        """The rows of a name by column, with those of names that the words may stand for too."""
        seen = fold(self.text.text[start:end]).split()
        own = fold(entity).split()
        found: dict[str, frozenset[int]] = {}
        for name in {entity, *self._by_last[own[-1]]}:
            other = fold(name).split()
            if name != entity and seen == own != other and other[0][:1] != own[0][:1]:
                continue
            for key, rows in self.names[name].items():
                found[key] = found.get(key, frozenset()) | rows
        return found

    def _key(self, fact: int) -> str:
        return self.text.keys[fact]

    def _kinds(self) -> dict[str, dict[str, frozenset[int]]]:
        """The columns with a few values that recur, with the rows of each value."""
        found: dict[str, dict[str, frozenset[int]]] = {}
        for key, values in self.rows.categories.items():
            rows: dict[str, set[int]] = defaultdict(set)
            for row, value in values.items():
                rows[value].add(row)
            if any(act in value for value in rows for act in _ACTS):
                found[key] = {value: frozenset(some) for value, some in rows.items()}
        if not found and (act := self._act_of_list):
            found[self.rows.name] = {act: frozenset(range(len(self.rows.rows)))}
        return found

    @cached_property
    def _known_acts(self) -> frozenset[str]:
        """What the list may have: what it is named after, or everything."""
        named = self.kinds.keys() == {self.rows.name}
        return frozenset({self._act_of_list or ""}) if named else frozenset(_ACTS)

    @cached_property
    def _act_of_list(self) -> str | None:
        """What was done in all objects of a list that is named after it: `goals`, `cards`."""
        words = {*words_of_key(self.rows.name.rpartition("/")[2])}
        return next((act for act, names in _LISTS.items() if words & names), None)

    def _minutes(self) -> dict[int, tuple[int, int]]:
        """The minute of each row, and the minutes added to it."""
        found: dict[int, tuple[int, int]] = {}
        for column in self.rows.columns:
            if column.words & _TIME_WORDS and not column.words & {"extra", "added", "stoppage"}:
                for row, (value, _) in column.values.items():
                    found.setdefault(row, (int(value), 0))
        for column in self.rows.columns:
            if column.words & {"extra", "added", "stoppage"}:
                for row, (value, _) in column.values.items():
                    if row in found:
                        found[row] = found[row][0], int(value)
        return found

    def faults(self) -> Iterator[OwnerFault]:
        """Names with an act, a minute, a half or a side that no object of theirs has."""
        if not self.kinds:
            return
        places = {
            (one.start, one.end, one.entity)
            for one in self.text.mentions
            if one.entity in self.names
        }
        mentions = [_Named(*one, self._alike(*one)) for one in sorted(places)]
        for sentence in self.text.sentences:
            inside = starting_in(mentions, *sentence)
            sides = [one for one in inside if self._sided.intersection(one.columns)]
            people = [one for one in inside if one not in sides]
            for place, one in enumerate(people):
                following = people[place + 1].start if place + 1 < len(people) else sentence[1]
                fault = self._fault(one, following, sentence, sides)
                if fault is not None:
                    yield fault
            yield from self._counts(sentence, sides, people)
            yield from self._times(sentence, people)
            yield from self._goalless(sentence)

    def _act_rows(self, act: str) -> frozenset[int]:
        return frozenset(
            row
            for values in self.kinds.values()
            for value, rows in values.items()
            if act in value
            for row in rows
        )

    def _act(self, one: _Named, following: int, sentence: tuple[int, int]) -> str | None:
        """What the words nearest to a name say that was done."""
        part = self.text.part_at(one.start, sentence)
        near: list[tuple[int, str]] = []
        for act, pattern in _ACTS.items():
            for match in pattern.finditer(
                self.text.lower, sentence[0], min(following, sentence[1])
            ):
                inside = part[0] <= match.start() < part[1]
                gap = (
                    one.start - match.end() if match.end() <= one.start else match.start() - one.end
                )
                if match.start() >= one.end and not inside:
                    continue
                near.append((gap + (0 if inside else 40), act))
        if not near:
            return None
        gap, act = min(near)
        return act if gap < 120 else None

    def _fault(
        self, one: _Named, following: int, sentence: tuple[int, int], sides: Sequence[_Named]
    ) -> OwnerFault | None:
        act = self._act(one, following, sentence)
        if act is not None and act not in self._known_acts:
            return None  # a list of goals says nothing about cards
        rows = one.rows
        lower = self.text.lower
        if act is not None:
            did = rows & self._act_rows(act)
            if not did and rows - frozenset().union(*map(self._act_rows, _ACTS)):
                return None  # an event of a kind that we do not know, which may be meant
            if not did:
                return self._told(one, one.end, sentence, f"no {act} of")
            rows = did
            if act == "goal":
                assists = [key for key in one.columns if "assist" in key.lower()]
                scored = rows - frozenset().union(*(one.columns[key] for key in assists), ())
                near = lower[max(sentence[0], one.start - 30) : min(one.end + 22, sentence[1])]
                helped = re.search(r"assist|set up|pass|cross|provid|feed|help", near)
                if assists and not scored and not helped:
                    return self._told(one, one.end, sentence, "no goal but an assist of")
        for side in sides:
            if self._belongs(one, side) and not side.rows & one.rows:
                return self._told(one, one.end, sentence, f"another side than {side.entity} for")
        minute = self._minute(one, following, sentence)
        if minute is not None and self.minutes:
            known = {self.minutes[row] for row in rows if row in self.minutes}
            if known and not any(_same_minute(minute[:2], other) for other in known):
                shown = ", ".join(f"{a}+{b}" if b else f"{a}" for a, b in sorted(known))
                what = f"{act} of" if act else ""
                start = min(one.start, minute[2])
                return self._told(
                    one, max(one.end, minute[3]), sentence, f"{shown} as the minute: {what}", start
                )
        return self._half(one, act, rows, sentence)

    def _half(
        self, one: _Named, act: str | None, rows: frozenset[int], sentence: tuple[int, int]
    ) -> OwnerFault | None:
        part = self.text.part_at(one.start, sentence)
        match = _HALF.search(self.text.lower, *part)
        known = [self.minutes[row][0] for row in rows if row in self.minutes]
        if match is None or act is None or not known or match["half"] not in ("first", "second"):
            return None
        if "half" not in match[0]:
            return None
        wanted = match["half"] == "first"
        if any((minute <= 45) == wanted for minute in known):
            return None
        other = ", ".join(map(str, sorted(known)))
        return self._told(one, one.end, sentence, f"minute {other} for the {act} of")

    def _belongs(self, one: _Named, side: _Named) -> bool:
        """Whether the text says that somebody belongs to a side."""
        lower = self.text.lower
        if side.end <= one.start:
            return _OWN.fullmatch(lower, side.end, one.start) is not None
        between = lower[one.end : side.start]
        return re.fullmatch(r"\s?\((?:for |of )?|\s(?:of|for|from)\s(?:the )?", between) is not None

    def _minute(
        self, one: _Named, following: int, sentence: tuple[int, int]
    ) -> tuple[int, int, int, int] | None:
        """The minute that is said of a name: after it, else just before it."""
        part = self.text.part_at(one.start, sentence)
        for low, high in (
            (one.end, min(following, sentence[1], one.end + 60)),
            (part[0], one.start),
        ):
            for match in _MINUTE.finditer(self.text.lower, low, high):
                minute = int(match["a"] or match["b"])
                extra = int(match["x"] or match["y"] or match["z"] or 0)
                return minute, extra, match.start(), match.end()
        return None

    def _told(
        self, one: _Named, end: int, sentence: tuple[int, int], what: str, start: int | None = None
    ) -> OwnerFault:
        begin = one.start if start is None else start
        first, last = self.text.claim_at(begin, end, sentence)
        return OwnerFault(first, last, "owner", f"the data has {what} {one.entity}")

    def _times(self, sentence: tuple[int, int], people: Sequence[_Named]) -> Iterator[OwnerFault]:
        """Minutes in which nothing of the kind happened, of clauses that name nobody."""
        if not self.minutes:
            return
        lower = self.text.lower
        for match in _MINUTE.finditer(lower, *sentence):
            minute = int(match["a"] or match["b"])
            extra = int(match["x"] or match["y"] or match["z"] or 0)
            part = self.text.part_at(match.start(), sentence)
            if minute in _WHOLE or starting_in(people, *part):
                continue
            if _ABOUT.search(lower, part[0], match.start()) or _RANGE.match(lower, match.end()):
                continue
            acts = {act for act, words in _ACTS.items() if words.search(lower, *part)}
            if len(acts) != 1:
                continue
            (act,) = acts
            rows = self._act_rows(act) & self.minutes.keys()
            if rows and not any(_same_minute((minute, extra), self.minutes[row]) for row in rows):
                start, end = self.text.claim_at(match.start(), match.end(), sentence)
                yield OwnerFault(start, end, "owner", f"the data has no {act} in this minute")

    def _goalless(self, sentence: tuple[int, int]) -> Iterator[OwnerFault]:
        """A first half that is said to have no goal."""
        match = _GOALLESS.search(self.text.lower, *sentence)
        early = [row for row in self._act_rows("goal") if self.minutes.get(row, (46, 0))[0] <= 45]
        if match is not None and early:
            minute = min(self.minutes[row][0] for row in early)
            note = f"the data has a goal in minute {minute}"
            yield OwnerFault(*match.span(), "outcome", note)

    def _counts(
        self, sentence: tuple[int, int], sides: Sequence[_Named], people: Sequence[_Named]
    ) -> Iterator[OwnerFault]:
        """Numbers of acts that neither the list nor a side of it has, nor those who are named."""
        yield from self._included(sentence, sides)
        for match in _COUNTED.finditer(self.text.lower, *sentence):
            if match["more"]:
                continue
            act = _act_of(match["thing"])
            rows = self._act_rows(act)
            if match["what"] in ("yellow", "red"):
                rows &= self._act_rows(match["what"]) or rows
            number, told = _number(match), False
            for count, one, span in self._tied(match, sides, people if act == "goal" else ()):
                fault = self._wrong_number(count, one, act, rows, span, sentence)
                told |= fault is not None
                if fault is not None:
                    yield fault
            if told:
                continue
            groups = [rows, *(rows & one.rows for one in (*sides, *people))]
            if people:
                groups.append(rows & frozenset().union(*(one.rows for one in people)))
            if not sides:
                groups += [rows & some for some in self._sides()]
            halves = [
                frozenset(row for row in some if (self.minutes.get(row, (0, 0))[0] <= 45) == first)
                for some in groups
                for first in (True, False)
            ]
            if number not in {len(some) for some in (*groups, *halves)} and rows:
                start, end = self.text.claim_at(match.start(), match.end(), sentence)
                note = f"the data has {len(rows)} ({act})"
                yield OwnerFault(start, end, "count", note)

    def _included(self, sentence: tuple[int, int], sides: Sequence[_Named]) -> Iterator[OwnerFault]:
        """Numbers of sides that follow their thing: "several changes, including four by Bryne"."""
        lower = self.text.lower
        for side in sides:
            match = _INCLUDING.search(lower, sentence[0], side.start)
            things = match and [*_THING.finditer(lower, sentence[0], match.start())]
            if not match or not things:
                continue
            act = _act_of(things[-1][0])
            rows = self._act_rows(act)
            first = _number(match), side, (match.start("n"), side.end)
            for number, one, span in (first, *self._again(match.end(), side.end, sides)):
                fault = self._wrong_number(number, one, act, rows, span, sentence)
                if fault is not None:
                    yield fault

    def _tied(
        self,
        match: re.Match[str],
        sides: Sequence[_Named],
        people: Sequence[_Named],
    ) -> Iterator[tuple[int, _Named, tuple[int, int]]]:
        """The numbers of one act that are said of a side or of somebody: how many, whose, where."""
        lower = self.text.lower
        before = (
            one
            for one in (*sides, *people)
            if one.end <= match.start()
            and _DID.fullmatch(lower, one.end, match.start())
            and not any(_AND.fullmatch(lower, other.end, one.start) for other in (*sides, *people))
        )
        after = (
            one
            for one in sides
            if one.start >= match.end()
            and _FOR.fullmatch(lower, match.end(), one.start)
            and lower[one.end : one.end + 1] not in ("'", "’")
        )
        own = next(before, None) or next(after, None)
        if own is None:
            return
        end = max(own.end, match.end())
        yield _number(match), own, (min(own.start, match.start()), end)
        yield from self._again(match.end(), end, sides)

    def _again(
        self, counted: int, end: int, sides: Sequence[_Named]
    ) -> Iterator[tuple[int, _Named, tuple[int, int]]]:
        """Numbers of the same act behind the first one: "and seven for Diriangén"."""
        for side in sides:
            if side.start < end:
                continue
            again = _SO_MANY.search(self.text.lower, counted, side.start) or _AS_WELL.match(
                self.text.lower, side.end
            )
            if again is not None:
                span = min(side.start, again.start("n")), max(side.end, again.end("n"))
                yield _number(again), side, span

    def _wrong_number(
        self,
        number: int,
        one: _Named,
        act: str,
        rows: frozenset[int],
        span: tuple[int, int],
        sentence: tuple[int, int],
    ) -> OwnerFault | None:
        """A number of acts that a side or somebody does not have.

        Fewer than the data has may be those of some minutes, and goals may not have counted.
        """
        done = rows & one.rows
        if act == "goal":
            helped = (columns for key, columns in one.columns.items() if "assist" in key.lower())
            done -= frozenset().union(*helped)
        if number == len(done) or not rows:
            return None
        if number < len(done) and (
            act == "goal" or _PARTLY.search(self.text.lower, *sentence) is not None
        ):
            return None
        start, end = self.text.claim_at(*span, sentence)
        return OwnerFault(start, end, "count", f"the data has {len(done)} ({act}) of {one.entity}")

    def _sides(self) -> list[frozenset[int]]:
        return [
            frozenset().union(*columns.values())
            for columns in self.names.values()
            if self._sided.intersection(columns)
        ]


def _act_of(thing: str) -> str:
    """The act that a counted thing stands for."""
    if thing.startswith(("goal", "stri")):
        return "goal"
    return "card" if thing.startswith(("ca", "bo", "ye")) else "subst"


def _number(match: re.Match[str]) -> int:
    return _NUMBER.get(match["n"]) or int(match["n"])


_TIME_WORDS = word_set("minute minutes elapsed min")


def _frozen(columns: Mapping[str, set[int]]) -> dict[str, frozenset[int]]:
    return {key: frozenset(rows) for key, rows in columns.items()}


def _same_minute(said: tuple[int, int], known: tuple[int, int]) -> bool:
    if said[1]:
        return said == known or said[0] + said[1] == sum(known)
    return said[0] in (known[0], sum(known))


def merge_faults(faults: Sequence[OwnerFault]) -> list[OwnerFault]:
    """One fault where several overlap: from the first beginning to the last end."""
    found: list[OwnerFault] = []
    for one in faults:
        if found and one.start < found[-1].end:
            found[-1] = found[-1]._replace(end=max(found[-1].end, one.end))
        else:
            found.append(one)
    return found
