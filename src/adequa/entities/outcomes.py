"""Outcomes: who won, how it ended, and whose goal did it, in a record of two sides with a score.

Sides are `home` and `away` or the two objects of a list, each with a name and a number. A text may
say the outcome in many words; each is compared with the score. Goals are the objects of a list of
that name; with their minutes and sides the first and the winning one are known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cached_property
from typing import NamedTuple

from adequa.data import Mention
from adequa.entities.owners import OwnerFault, RowList, part_at
from adequa.entities.roles import Roles
from adequa.text import split_sentences, word_set
from adequa.text.values import ValueSpan
from adequa.text.values.units import lowered, words_of_key

_SIDES = {
    **dict.fromkeys(("home", "host", "hosts"), 0),
    **dict.fromkeys(("away", "guest", "guests", "visitor", "visitors"), 1),
}
_NAMING = word_set("team teams name club side match game fixture opponent player")
_SCORING = word_set("score scores goals goal points result final full time fulltime ft runs total")
_FINAL = word_set("final full fulltime ft")
_SCORE = re.compile(r"\s*([0-9]{1,3})\s*[-–:]\s*([0-9]{1,3})\s*")

_S = r"(?:\x01+|\x02+)"
_ADVERB = r"(?:\s(?:narrowly|comfortably|convincingly|easily|clearly|deservedly|also|then|just))?"
_BEAT = (
    r"(?:beat|beats|defeat(?:ed|s)|edg(?:ed|es)(?: past)?|overc[ao]mes?|outscored|downed|thrashed"
    r"|routed|hammered|stunned|upset|(?:eas|squeez|scrap)ed past|saw off|sees off"
    r"|(?:won|win|wins|triumphed|prevailed)(?: [0-9]+[-–][0-9]+)? (?:against|over))"
)
_BEATEN = r"(?:beaten|defeated|edged(?: out)?|thrashed|routed|hammered|stunned|upset|downed)"
_LOST = r"(?:lost|loses?|fell|falls|succumbed|went down)"
_REST = (
    r"(?=(?: the (?:match|game|tie|final|contest))?(?: (?:away|at|by|in|on|this|with|thanks|after"
    r"|here|[0-9]+[-–])|\s*(?:[.,;:!]|\Z)))"
)
_WON = (
    re.compile(rf"(?P<w>{_S}){_ADVERB}\s{_BEAT}\s(?:the |a |their |\w+ ){{0,2}}?(?P<l>{_S})"),
    re.compile(
        rf"(?P<l>{_S}){_ADVERB}\s{_LOST}(?: [0-9]+[-–][0-9]+)?(?: \w+){{0,3}}? (?:to|against)"
        rf" (?:the |\w+ ){{0,2}}?(?P<w>{_S})"
    ),
    re.compile(
        rf"(?P<l>{_S})\s(?:was|were|are|is|got|been)(?: \w+)? {_BEATEN}(?: [0-9]+[-–][0-9]+)? by"
        rf" (?:the |\w+ ){{0,2}}?(?P<w>{_S})"
    ),
    re.compile(rf"(?P<w>{_S}){_ADVERB}\s(?:won|wins?|triumphed|prevailed){_REST}(?P<l>)"),
    re.compile(rf"\b(?:win|victory|triumph) (?:for|of) (?:the )?(?P<w>{_S})(?P<l>)"),
    re.compile(rf"(?P<w>{_S})['’]s? (?:[\w-]+ ){{0,3}}(?:win|victory|triumph)\b(?P<l>)"),
    re.compile(rf"(?P<l>{_S}){_ADVERB}\s(?:lost|loses?|were beaten|was beaten){_REST}(?P<w>)"),
    re.compile(rf"\b(?:defeat|loss) (?:for|of) (?:the )?(?P<l>{_S})(?P<w>)"),
)
"""What says who won; in the text, the names of the two sides are \\x01 and \\x02."""
_DREW = re.compile(
    r"\b(?:drew(?! level| first)|(?:end|finish)(?:ed|s)? (?:in a (?:[0-9][-–][0-9] )?(?:draw|tie)"
    r"|level|all square)|[0-9]+[-–][0-9]+ draw|(?:a|goalless|scoreless) draw|shared the (?:points"
    r"|spoils)|played out a (?:[0-9][-–][0-9] )?draw)\b"
)
_OTHERWISE = re.compile(
    r"\b(?:not|never|nearly|almost|could|would|might|may|if|unless|last|previous\w*|next|former"
    r"|half-?time|half time|the break|interval|first half|second half|first leg|aggregate"
    r"|shoot-?out|penalt\w+|sets?|quarter|frame|toss|since|until|season|favou?rites?|expected"
    r"|would have|all-time|meeting)\b|n['’]t\b"
)
"""Words of a sentence that may speak of another match, or of a part of this one."""
_MANY = re.compile(
    r"\b(?:(?P<three>hat[- ]trick|(?:scor|nett?)(?:ed|ing) (?:three times|three goals|thrice)"
    r"|treble)|(?P<two>brace|(?:scor|nett)(?:ed|ing) (?:twice|two goals|both goals)))\b"
)
_WINNER = re.compile(
    r"\b(?:the |a late |late )(?:match[- ])?winner\b|\bwinning goal\b|\bdecisive goal\b"
)
_OPENER = re.compile(r"\bopen(?:ed|s|ing) the scoring\b|\bbroke the deadlock\b|\bthe opener\b")
_OF_GOALS = word_set("goal goals scorer scorers")


class Contest(NamedTuple):
    """Two sides, their score, and the facts of the score."""

    names: tuple[str, str]
    score: tuple[Decimal, Decimal]
    fact: int

    @property
    def winner(self) -> int | None:
        """The side that won; None for a draw."""
        return None if self.score[0] == self.score[1] else int(self.score[1] > self.score[0])

    @property
    def note(self) -> str:
        """The score in words."""
        one, other = self.names
        return f"the data has {one} {self.score[0]}, {other} {self.score[1]}"


def read_contest(roles: Roles, rows: Sequence[RowList]) -> Contest | None:
    """The two sides of a record and their final score; None where it has none, or several."""
    names: dict[int, set[str]] = {0: set(), 1: set()}
    scores: dict[frozenset[str], dict[int, int]] = {}
    written: list[tuple[Decimal, Decimal, int]] = []
    readings = roles.explainer.index.readings
    for place, (fact, path) in enumerate(zip(roles.facts, roles.paths, strict=True)):
        words = words_of_key(path)
        sides = {_SIDES[word] for word in words if word in _SIDES}
        rest = frozenset(word for word in words if word not in _SIDES and word not in _NAMING)
        if (match := _SCORE.fullmatch(fact.value)) and rest and rest <= _SCORING:
            written.append((Decimal(match[1]), Decimal(match[2]), place))
        elif len(sides) == 1 and readings[place].quantities and rest <= _SCORING:
            scores.setdefault(rest, {}).setdefault(sides.pop(), place)
        elif len(sides) == 1 and not rest and any(map(str.isalpha, fact.value)):
            names[sides.pop()].add(roles.triples[place].object)
    whole = {rest: own for rest, own in scores.items() if len(own) == 2}
    final = [own for rest, own in whole.items() if rest & _FINAL] or [*whole.values()]
    if len(final) == 1:
        places = final[0][0], final[0][1]
        one, other = (roles.triples[place].subject for place in places)
        first, second = (readings[place].quantities[0].value for place in places)
        if one != other:  # the reader has found whose score it is
            return Contest((one, other), (first, second), places[0])
        written = [(first, second, places[0])]
    if len(names[1]) == 1 and not names[0] and written:  # the record is named by its home side
        names[0].add(roles.triples[written[0][2]].subject)
    if len(names[0]) == len(names[1]) == 1 and names[0] != names[1] and len(written) == 1:
        first, second, place = written[0]
        return Contest((names[0].pop(), names[1].pop()), (first, second), place)
    return _contest_of_rows(roles, rows)


def _contest_of_rows(roles: Roles, rows: Sequence[RowList]) -> Contest | None:
    """Two objects of a list, each with a name and a score."""
    for one in rows:
        columns = [
            column
            for column in one.columns
            if column.words & _SCORING and column.words <= _SCORING and len(column.values) == 2
        ]
        if len(one.rows) != 2 or len(columns) != 1 or {*words_of_key(one.name)} & _OF_GOALS:
            continue
        values = columns[0].values
        subjects = [roles.triples[values[row][1]].subject for row in (0, 1)]
        if len({*subjects}) == 2:
            score = Decimal(str(values[0][0])), Decimal(str(values[1][0]))
            return Contest((subjects[0], subjects[1]), score, values[0][1])
    return None


class Goal(NamedTuple):
    """A goal: who scored it, for which side, and when."""

    names: frozenset[str]
    side: int | None
    minute: float


class OutcomeCheck:
    """Checks what a text says of the outcome of a contest and of its goals."""

    def __init__(
        self,
        roles: Roles,
        rows: Sequence[RowList],
        text: str,
        values: Sequence[ValueSpan],
        mentions: Sequence[Mention],
    ) -> None:
        self.roles, self.rows, self.text, self.lower = roles, rows, text, lowered(text)
        self.values = values
        self.mentions = sorted({(one.start, one.end, one.entity) for one in mentions})
        self.contest = read_contest(roles, rows)

    def faults(self) -> Iterator[OwnerFault]:
        """Every claim that the score or the goals contradict."""
        if self.contest is None:
            return
        for sentence in split_sentences(self.text):
            if not _OTHERWISE.search(self.lower, *sentence):
                yield from self._results(sentence, self.contest)
            yield from self._scorers(sentence, self.contest)

    def _results(self, sentence: tuple[int, int], contest: Contest) -> Iterator[OwnerFault]:
        masked = self._masked
        drawn = _DREW.search(self.lower, *sentence)
        if drawn is not None and contest.winner is not None:
            yield OwnerFault(*drawn.span(), "outcome", contest.note, contest.fact)
            return
        for pattern in _WON:
            for match in pattern.finditer(masked, *sentence):
                said = match["w"] or match["l"]
                winner = int(said[0] == "\x02") ^ int(not match["w"])
                if match["w"] and match["l"] and match["w"][0] == match["l"][0]:
                    continue
                if winner != contest.winner:
                    yield OwnerFault(*match.span(), "outcome", contest.note, contest.fact)
                    return

    @cached_property
    def _masked(self) -> str:
        """The text with \\x01 and \\x02 for the two sides, every other letter in its place."""
        assert self.contest is not None  # noqa: S101 - asked for only then
        letters = list(self.lower)
        for start, end, entity in self.mentions:
            if entity in self.contest.names:
                side = self.contest.names.index(entity)
                letters[start:end] = chr(side + 1) * (end - start)
        for match in _CALLED.finditer(self.lower):
            side = 0 if match["home"] else 1
            letters[match.start() : match.end()] = chr(side + 1) * len(match[0])
        return "".join(letters)

    @cached_property
    def _goals(self) -> list[Goal]:
        """The goals in the order of their minutes; empty where one has none."""
        contest = self.contest
        assert contest is not None  # noqa: S101 - asked for only then
        found: list[Goal] = []
        for own in self.rows:
            if not {*words_of_key(own.name.rpartition("/")[2])} & _OF_GOALS:
                continue
            minutes: Mapping[int, tuple[float, int]] = next(
                (one.values for one in own.columns if one.words & _MINUTES), {}
            )
            if len(minutes) != len(own.rows):
                return []
            for number, row in enumerate(own.rows):
                names = frozenset(self.roles.triples[fact].object for fact in row.facts)
                sides = [side for side, one in enumerate(contest.names) if one in names]
                side = sides[0] if len(sides) == 1 else None
                found.append(Goal(names, side, minutes[number][0]))
        main = self.roles.triples[0].subject
        if main in contest.names and any(goal.side is not None for goal in found):
            # The reader leaves out a side that is the name of the record.
            side = contest.names.index(main)
            found = [one if one.side is not None else one._replace(side=side) for one in found]
        return sorted(found, key=lambda goal: goal.minute)

    def _scorers(self, sentence: tuple[int, int], contest: Contest) -> Iterator[OwnerFault]:
        """Who is said to have scored how often, first, or last."""
        goals = self._goals
        if not goals:
            return
        for pattern, wanted in ((_MANY, None), (_OPENER, goals[0]), (_WINNER, self._decisive)):
            match = pattern.search(self.lower, *sentence)
            if match is None or (wanted is None and pattern is not _MANY):
                continue
            part = part_at(self.lower, match.start(), sentence, _CUT)
            said = [
                entity
                for start, _, entity in self.mentions
                if part[0] <= start < part[1] and any(entity in goal.names for goal in goals)
            ]
            people = {*said} - {*contest.names}
            if len(people) > 1 or not said:
                continue
            name = people.pop() if people else said[0]
            if wanted is not None:
                wrong = name not in wanted.names
                named = (one for one in wanted.names if any(map(str.isalpha, one)))
                scorer = ", ".join(sorted({*named} - {*contest.names})) or "another"
                note = f"the data has {scorer} in minute {wanted.minute:g}"
            else:
                count = sum(name in goal.names for goal in goals)
                wrong = count < (3 if match["three"] else 2)
                note = f"the data has {count} of {name}"
            if wrong:
                yield OwnerFault(*match.span(), "outcome", note)

    @property
    def _decisive(self) -> Goal | None:
        """The goal with which the winner went ahead for good."""
        contest, goals = self.contest, self._goals
        if contest is None or contest.winner is None or any(goal.side is None for goal in goals):
            return None
        score, last = [0, 0], None
        for goal in goals:
            assert goal.side is not None  # noqa: S101 - looked at above
            score[goal.side] += 1
            ahead = score[contest.winner] - score[1 - contest.winner]
            if goal.side == contest.winner and ahead == 1:
                last = goal
        return last if tuple(map(Decimal, score)) == contest.score else None


_CUT = re.compile(r"[;:()—]\s|,\s|\s(?:but|while|whereas|before|then|after)\s")
_MINUTES = word_set("minute minutes min elapsed")
_CALLED = re.compile(
    r"\bthe (?:(?P<home>hosts|home (?:side|team))|visitors|guests|away (?:side|team))\b"
)
