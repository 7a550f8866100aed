"""A sample for people: inputs drawn from cells, each with the text of every system.

As in paper 004: within each category and size the inputs are ranked by a score averaged over the
systems and cut into thirds, and as many are drawn from each third. So the sample is balanced over
systems, and texts of low, medium and high scores are all in it.

Every choice is a hash of the seed and the input's id: the sample is the same for any order of the
texts, and on any machine.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from itertools import product

from adequa.data import Item
from adequa.errors import DataError, SettingError
from adequa.fields import FIELDS, NO_VALUE, item_field, natural_order
from adequa.human.judgments import Key

# ---
# What a sample is drawn by: conditions on the fields of items, and the names of tasks.
# ---

Namer = Callable[[Item], str]


def field_of(name: str) -> Namer:
    """Reads a field of an item as a word, which it always is."""
    read = item_field(name)
    return lambda item: read(item) or NO_VALUE


def task_namer(field: str | None) -> Namer:
    """The name of the task an item is handed out in: one task for all where there is no field."""
    if field is None:
        return lambda item: "all"  # noqa: ARG005
    if field == "size":
        return lambda item: f"{len(item.triples)} triple{'' if len(item.triples) == 1 else 's'}"
    return field_of(field)


def matching(items: Sequence[Item], conditions: Iterable[str]) -> list[Item]:
    """The items of which all `FIELD=VALUE` or `FIELD=LOW..HIGH` hold; of one field, any.

    A condition that holds of no item is a DataError, for it is a slip.
    """
    wanted: dict[str, list[str]] = {}
    for condition in conditions:
        field, equals, value = condition.partition("=")
        if not equals or not field or not value:
            raise SettingError(
                f"{condition!r} is no condition; write FIELD=VALUE or size=1..5, FIELD one of "
                f"{', '.join(FIELDS)}"
            )
        wanted.setdefault(field, []).append(value)
    kept = list(items)
    for field, values in wanted.items():
        read = field_of(field)
        there = {read(item) for item in items}
        for value in values:
            if not any(_holds(value, one) for one in there):
                raise DataError(
                    f"no text has {field}={value}",
                    remedy=f"there are {_listed(sorted(there, key=natural_order))}",
                )
        fitting = {one for one in there if any(_holds(value, one) for value in values)}
        kept = [item for item in kept if read(item) in fitting]
    if not kept:
        raise DataError("no text fulfils all conditions", remedy="give fewer of them")
    return kept


def _holds(wanted: str, value: str) -> bool:
    low, dots, high = wanted.partition("..")
    if dots:
        try:
            return float(low) <= float(value) <= float(high)
        except ValueError:
            pass  # words may have two dots
    return value == wanted


def _listed(values: Sequence[str], most: int = 20) -> str:
    return ", ".join(values[:most]) + (" …" if len(values) > most else "")


MOST_CELLS = 10_000
SCORE = "score"
"""What a text's cell calls the level of its input's score."""


@dataclass(frozen=True, slots=True)
class SampleCell:
    """The inputs that share the values of the fields, and how many of them were drawn."""

    values: tuple[str, ...]
    inputs: int
    wanted: int
    drawn: int = 0
    blurred: bool = False
    """A border between two levels runs through equal scores, so that chance decides there."""

    @property
    def is_short(self) -> bool:
        """There are fewer inputs than were wanted."""
        return self.inputs < self.wanted


@dataclass(frozen=True, slots=True)
class DrawnInput:
    """An input of the sample with the text of every system, in the order of the systems."""

    id: str
    cell: Mapping[str, str]
    texts: tuple[Item, ...]
    score: float | None = None
    """The mean over the systems; None where there are no levels."""


@dataclass(frozen=True, slots=True)
class SampleExclusion:
    """How many inputs could not be drawn at all, and why."""

    lacking: Mapping[str, int] = field(default_factory=dict)
    """By system: the inputs it has no text of."""
    incomplete: int = 0
    """Inputs that some system has no text of."""
    different: int = 0
    """Inputs whose data are not the same for all systems."""
    not_scorable: int = 0
    """Inputs for which no system's text has a score."""


@dataclass(frozen=True, slots=True)
class Sample:
    """What was drawn, from which cells, and what was not."""

    by: tuple[str, ...]
    levels: tuple[str, ...]
    systems: tuple[str, ...]
    inputs: tuple[DrawnInput, ...]
    cells: tuple[SampleCell, ...]
    """Every combination of the values there are, also those without an input."""
    left_out: SampleExclusion
    partly_scored: int = 0
    """Inputs whose mean is over fewer systems than that of others."""
    over: int = 0
    """Drawn, but beyond the most that were asked for."""
    seed: int = 0


def level_names(count: int) -> tuple[str, ...]:
    """The names of so many levels, the lowest first.

    >>> level_names(3)
    ('low', 'medium', 'high')
    """
    if count < 1:
        raise SettingError(f"there is at least 1 level, not {count}")
    named = {1: ("all",), 2: ("low", "high"), 3: ("low", "medium", "high")}
    return named.get(count) or tuple(f"{number} of {count}" for number in range(1, count + 1))


def draw(
    items: Iterable[Item],
    scores: Mapping[Key, float | None] | None = None,
    *,
    by: Sequence[str] = ("category", "size"),
    levels: Sequence[str] = ("low", "medium", "high"),
    per_cell: int = 1,
    most: int | None = None,
    seed: int = 0,
) -> Sample:
    """Draw `per_cell` inputs of each level of each cell; with `most`, at most so many in all.

    A score that is None or not there enters no mean, so a system without scores (human references)
    leaves the levels as they are. The levels of a cell differ by at most one input, and a cell
    that is short gives all it has.
    """
    _check(by, levels, per_cell, most)
    inputs, systems = _inputs(items)
    complete, left_out = _complete(inputs, systems, by)
    means: dict[str, float] = {}
    partly_scored = 0
    if len(levels) > 1:
        means, partly_scored = _means(complete, scores)
        left_out = replace(left_out, not_scorable=len(complete) - len(means))
        complete = {one: texts for one, texts in complete.items() if one in means}
    members = _members(complete, by)
    cells: list[SampleCell] = []
    found: list[tuple[int, int, int, str]] = []
    for values in _combinations(members, by):
        cell = SampleCell(values, len(members.get(values, ())), per_cell * len(levels))
        drawn, blurred = _draw_cell(members.get(values, ()), means, len(levels), per_cell, seed)
        found += [(len(cells), rank, level, one) for rank, (level, one) in enumerate(drawn)]
        cells.append(replace(cell, blurred=blurred))
    # The first of every cell come before the second of any.
    kept = sorted(found, key=lambda one: (one[1], _chance(seed, "most", one[3])))[:most]
    counts = Counter(number for number, *_ in kept)
    return Sample(
        tuple(by),
        tuple(levels),
        tuple(systems),
        tuple(
            DrawnInput(
                one,
                dict(zip(by, cells[number].values, strict=True))
                | ({SCORE: levels[level]} if len(levels) > 1 else {}),
                tuple(complete[one][system] for system in systems),
                means.get(one),
            )
            for number, _, level, one in sorted(kept, key=lambda one: (one[0], one[2], one[3]))
        ),
        tuple(replace(cell, drawn=counts[number]) for number, cell in enumerate(cells)),
        left_out,
        partly_scored,
        len(found) - len(kept),
        seed,
    )


def _check(by: Sequence[str], levels: Sequence[str], per_cell: int, most: int | None) -> None:
    if len(set(by)) != len(by):
        raise SettingError(f"a field stands twice in {', '.join(by)}; name each once")
    if not levels or len(set(levels)) != len(levels):
        raise SettingError(f"levels have different names, not {', '.join(levels) or 'none'}")
    for what, number in (("inputs a level", per_cell), ("most inputs", most)):
        if number is not None and number < 1:
            raise SettingError(f"the number of {what} is at least 1, not {number}")


def _inputs(items: Iterable[Item]) -> tuple[dict[str, dict[str, Item]], list[str]]:
    """The texts of each input by system, and the systems."""
    inputs: dict[str, dict[str, Item]] = {}
    for item in items:
        texts = inputs.setdefault(item.id, {})
        if item.system in texts:
            raise DataError(f"{item.id!r} of {item.system!r} is there twice", remedy="keep one")
        texts[item.system] = item
    if not inputs:
        raise DataError("there are no texts to draw from", remedy="give a run or a file of items")
    return inputs, sorted({system for texts in inputs.values() for system in texts})


def _complete(
    inputs: Mapping[str, Mapping[str, Item]], systems: Sequence[str], by: Sequence[str]
) -> tuple[dict[str, Mapping[str, Item]], SampleExclusion]:
    """The inputs that every system has a text of, from the same data, and a count of the rest."""
    absent = {s: sum(1 for texts in inputs.values() if s not in texts) for s in systems}
    lacking = {system: count for system, count in absent.items() if count}
    whole = {one: texts for one, texts in sorted(inputs.items()) if len(texts) == len(systems)}
    if not whole:
        worst = ", ".join(f"{system} lacks {count:,}" for system, count in lacking.items())
        raise DataError(
            f"no input has a text of every system: of {len(inputs):,} inputs, {worst}",
            remedy="are the ids of all the same? choose fewer with --systems",
        )
    readers = [field_of(name) for name in by]
    same = {
        one: texts
        for one, texts in whole.items()
        if len({tuple(sorted(item.triples)) for item in texts.values()}) == 1
        and all(len({read(item) for item in texts.values()}) == 1 for read in readers)
    }
    if not same:
        raise DataError(
            "no input has the same data for every system",
            remedy="are these texts of one data set?",
        )
    return same, SampleExclusion(lacking, len(inputs) - len(whole), len(whole) - len(same))


def _means(
    inputs: Mapping[str, Mapping[str, Item]], scores: Mapping[Key, float | None] | None
) -> tuple[dict[str, float], int]:
    """The mean score of each input that has one, and how many of them are of fewer systems."""
    if scores is None:
        raise SettingError(
            "levels need scores: score the texts first (adequa score), or draw with one level"
        )
    means: dict[str, float] = {}
    scored: list[int] = []
    for one, texts in inputs.items():
        found = [scores.get((system, one)) for system in sorted(texts)]
        values = [value for value in found if value is not None]
        for value in values:
            if not math.isfinite(value):
                raise DataError(f"{one!r} has the score {value}", remedy="write a finite number")
        if values:
            means[one] = math.fsum(values) / len(values)
            scored.append(len(values))
    if not means:
        raise DataError(
            "no input has a score",
            remedy="do the systems and ids of the scores match those of the texts?",
        )
    if len(means) > 1 and len(set(means.values())) == 1:
        raise DataError(
            f"the score of every input is {next(iter(means.values())):g}",
            remedy="choose a score that tells them apart, or draw with one level",
        )
    return means, len(scored) - scored.count(max(scored))


def _members(
    inputs: Mapping[str, Mapping[str, Item]], by: Sequence[str]
) -> dict[tuple[str, ...], list[str]]:
    """The inputs of each cell that has any."""
    readers = [field_of(name) for name in by]
    members: dict[tuple[str, ...], list[str]] = {}
    for one, texts in inputs.items():
        item = next(iter(texts.values()))
        members.setdefault(tuple(read(item) for read in readers), []).append(one)
    for place, name in enumerate(by):
        if {values[place] for values in members} == {NO_VALUE}:
            others = [one for one in by if one != name] or ["size"]
            raise DataError(
                f"no input has a {name}", remedy=f"draw without: --by {','.join(others)}"
            )
    return members


def _combinations(
    members: Mapping[tuple[str, ...], Sequence[str]], by: Sequence[str]
) -> list[tuple[str, ...]]:
    axes = [
        sorted({values[place] for values in members}, key=natural_order) for place in range(len(by))
    ]
    count = math.prod(map(len, axes))
    if count > MOST_CELLS:
        raise SettingError(
            f"{' × '.join(by)} makes {count:,} cells, more than {MOST_CELLS:,}; "
            "draw by fields with fewer values"
        )
    return list(product(*axes))


def _draw_cell(
    members: Sequence[str], means: Mapping[str, float], levels: int, per_cell: int, seed: int
) -> tuple[list[tuple[int, str]], bool]:
    """Level and id of what a cell gives, in a random order of the levels; and if it is blurred."""
    ranked = sorted(members, key=lambda one: (means.get(one, 0.0), _chance(seed, "rank", one)))
    borders = [(2 * level * len(ranked) + levels) // (2 * levels) for level in range(levels + 1)]
    drawn: list[tuple[int, int, str]] = []
    for level in range(levels):
        part = sorted(
            ranked[borders[level] : borders[level + 1]], key=lambda one: _chance(seed, "draw", one)
        )
        drawn += [(turn, level, one) for turn, one in enumerate(part[:per_cell])]
    drawn.sort(key=lambda one: (one[0], _chance(seed, "turn", one[2])))
    blurred = any(
        0 < border < len(ranked) and means.get(ranked[border - 1]) == means.get(ranked[border])
        for border in borders
    )
    return [(level, one) for _, level, one in drawn], blurred and levels > 1


def _chance(seed: int, purpose: str, one: str) -> bytes:
    """A random order of the ids, another one for every seed and purpose."""
    return blake2b(f"{seed} {purpose} {one}".encode("utf-8", "surrogatepass")).digest()
