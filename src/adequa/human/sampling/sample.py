"""A sample for people: inputs drawn from the texts of runs, each with the text of every system.

As in paper 004: within each category and size the inputs are ranked by a score averaged over the
systems and cut into thirds, and equally many are drawn from each third. So the sample is balanced
over systems and contains texts with low, medium and high scores.

Every choice is a hash of the seed and the input's id: the sample is the same for any order of the
texts and on any machine.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from itertools import product
from pathlib import Path

from adequa.data import Item
from adequa.errors import DataError, SettingError, require_known
from adequa.fields import FIELDS, NO_VALUE, item_field, natural_order
from adequa.human.judgments import Key
from adequa.readers import open_source
from adequa.run import MANIFEST, SCORES, open_run

MOST_CELLS = 10_000
"""More cells than this mean a mistake in the fields; no record of the data it was chosen on."""
REFERENCE = "reference"
"""The system name under which human references join."""
SCORE = "score"
"""The name of the score level in a text's cell."""
_PREFERRED = ("similarity", "nli", "esa")
"""Scores that need no reference text, preferred in this order."""

Namer = Callable[[Item], str]
Scores = Mapping[Key, float | None]


@dataclass(frozen=True, slots=True)
class Pool:
    """The texts to draw from, each (system, id) once, and their scores by metric."""

    items: tuple[Item, ...]
    scores: Mapping[str, Scores]


def pool_texts(
    paths: Sequence[Path],
    *,
    format: str | None = None,  # noqa: A002
) -> Pool:
    """Read runs (folders of `adequa score`) and files of items, and join them by system and id.

    A text in several of them is one text with the scores of all; two different texts of one system
    and id are a DataError. A system without a name gets the name of its folder or file. `format` is
    the format of the files, recognised by default.
    """
    if not paths:
        raise SettingError("there is nothing to draw from; name a run or a file of items")
    items: dict[Key, Item] = {}
    origins: dict[Key, Path] = {}
    scores: dict[str, dict[Key, float | None]] = {}
    for path in paths:
        for item, given in _texts(path, format):
            key = item.key
            known = items.setdefault(key, item)
            if (known.text, sorted(known.triples)) != (item.text, sorted(item.triples)):
                raise DataError(
                    f"{key[1]!r} of {key[0]!r} differs from the text in {origins[key]}",
                    path=path,
                    remedy="rename the system in one of them, or name one run only",
                )
            origins.setdefault(key, path)
            for label, value in given.items():
                column = scores.setdefault(label, {})
                before = column.get(key)
                if before is not None and value not in (None, before):
                    raise DataError(
                        f"{key[1]!r} of {key[0]!r} has another {label} than in {origins[key]}",
                        path=path,
                        remedy="name one run of the two, or score again under another name",
                    )
                column[key] = value if before is None else before
    return Pool(tuple(items.values()), scores)


def _texts(path: Path, form: str | None) -> Iterator[tuple[Item, Mapping[str, float | None]]]:
    name = path.resolve().name if path.is_dir() else path.stem
    if not (path / MANIFEST).is_file():
        for item in open_source(path, format=form):
            yield _named(item, name), {}
        return
    for result in open_run(path).results():
        for label, value in result.scores.items():
            if value is not None and (type(value) not in (int, float) or not math.isfinite(value)):
                raise DataError(
                    f"has a score {label!r} that is not a number",
                    path=path / SCORES,
                    remedy="was the run edited? score again into a new folder",
                )
        yield _named(result.item, name), result.scores


def _named(item: Item, name: str) -> Item:
    return item if item.system else replace(item, system=name)


def of_systems(items: Sequence[Item], names: Iterable[str]) -> list[Item]:
    """The texts of the named systems, by default of all."""
    wanted = set(names)
    require_known("system", sorted(wanted), (item.system for item in items))
    return [item for item in items if not wanted or item.system in wanted]


def with_references(items: Sequence[Item]) -> list[Item]:
    """The texts, and the first human reference of each input as one more system."""
    if any(item.system == REFERENCE for item in items):
        raise SettingError(
            f"a system is already called {REFERENCE!r}; draw without references=True, or without it"
        )
    first: dict[str, Item] = {}
    for item in items:
        known = first.get(item.id)
        if item.references and (known is None or item.system < known.system):
            first[item.id] = item
    if not first:
        raise DataError("no text has a reference", remedy="draw without references=True")
    return [
        *items,
        *(replace(one, system=REFERENCE, text=one.references[0]) for one in first.values()),
    ]


def with_scores(pool: Pool, file: Path, name: str | None) -> Pool:
    """The pool with the scores of a file (id, system, `name`) in place of those of the runs."""
    from adequa.metrics.precomputed import Precomputed

    if name is None:
        raise SettingError(f'{file} needs the name of its field of scores; give score="NAME"')
    found = Precomputed(file=file, key=name).score(pool.items)
    column = {item.key: one.value for item, one in zip(pool.items, found, strict=True)}
    if all(value is None for value in column.values()):
        raise DataError(
            "has no score for any of the texts",
            path=file,
            remedy=f"write systems and ids like {pool.items[0].key}",
        )
    return Pool(pool.items, {name: column})


def choose_score(pool: Pool, name: str | None) -> str:
    """The requested score; by default one that needs no reference, or else the first."""
    if not pool.scores:
        raise SettingError(
            "there are no scores for the levels: score the texts first (adequa score INPUT "
            "--out RUN) and name the run, give scores=…, or draw with levels=1"
        )
    require_known("score", [name] if name else [], pool.scores)
    return name or next(one for one in (*_PREFERRED, *pool.scores) if one in pool.scores)


def field_of(name: str) -> Namer:
    """A function that reads a field of an item as a word, `(none)` where it is missing."""
    read = item_field(name)
    return lambda item: read(item) or NO_VALUE


def task_namer(field: str | None) -> Namer:
    """A function that names an item's task; without a field there is one task for all."""
    if field is None:
        return lambda item: "all"  # noqa: ARG005
    if field == "size":
        return lambda item: f"{len(item.triples)} triple{'' if len(item.triples) == 1 else 's'}"
    return field_of(field)


def matching(items: Sequence[Item], conditions: Iterable[str]) -> list[Item]:
    """The items that fulfil the conditions `FIELD=VALUE` or `FIELD=LOW..HIGH`.

    Conditions on one field are alternatives, all fields must hold. A condition that no item
    fulfils is a DataError, because it must be a mistake.
    """
    wanted: dict[str, list[str]] = {}
    for condition in conditions:
        field, equals, value = condition.partition("=")
        if not equals or not field or not value:
            raise SettingError(
                f"{condition!r} is not a condition; write FIELD=VALUE or size=1..5, FIELD one of "
                f"{', '.join(FIELDS)}"
            )
        wanted.setdefault(field, []).append(value)
    kept = list(items)
    for field, values in wanted.items():
        read = field_of(field)
        there = {read(item) for item in items}
        for value in values:
            if not any(_holds(value, one) for one in there):
                listed = ", ".join(sorted(there, key=natural_order)[:20])
                more = " …" if len(there) > 20 else ""
                raise DataError(f"no text has {field}={value}", remedy=f"there are {listed}{more}")
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


@dataclass(frozen=True, slots=True)
class SampleCell:
    """The inputs that share the values of the fields, and the number drawn from them."""

    values: tuple[str, ...]
    inputs: int
    wanted: int
    drawn: int = 0
    blurred: bool = False
    """Equal scores lie on both sides of a border between levels, so chance decides there."""

    @property
    def is_short(self) -> bool:
        """Whether there are fewer inputs than wanted."""
        return self.inputs < self.wanted


@dataclass(frozen=True, slots=True)
class DrawnInput:
    """An input of the sample with the text of every system, in the order of the systems."""

    id: str
    cell: Mapping[str, str]
    texts: tuple[Item, ...]
    score: float | None = None
    """The mean over the systems; None without levels."""


@dataclass(frozen=True, slots=True)
class SampleExclusion:
    """The number of inputs that could not be drawn, by reason."""

    lacking: Mapping[str, int] = field(default_factory=dict)
    """By system: the inputs without its text."""
    incomplete: int = 0
    different: int = 0
    """Inputs with different data for different systems."""
    not_scorable: int = 0
    """Inputs without a score for any system."""


@dataclass(frozen=True, slots=True)
class Sample:
    """The drawn inputs, their cells, and what was left out."""

    by: tuple[str, ...]
    levels: tuple[str, ...]
    systems: tuple[str, ...]
    inputs: tuple[DrawnInput, ...]
    cells: tuple[SampleCell, ...]
    """Every combination of the values, including those without an input."""
    left_out: SampleExclusion
    partly_scored: int = 0
    """Inputs with a score for only some of the systems."""
    over: int = 0
    """Inputs dropped because of the maximum."""
    seed: int = 0


def level_names(count: int) -> tuple[str, ...]:
    """The names of `count` levels, the lowest first.

    >>> level_names(3)
    ('low', 'medium', 'high')
    """
    if count < 1:
        raise SettingError(f"the number of levels must be at least 1, not {count}")
    named = {1: ("all",), 2: ("low", "high"), 3: ("low", "medium", "high")}
    return named.get(count) or tuple(f"{number} of {count}" for number in range(1, count + 1))


def draw_sample(
    items: Iterable[Item],
    scores: Mapping[Key, float | None] | None = None,
    *,
    by: Sequence[str] = ("category", "size"),
    levels: Sequence[str] = ("low", "medium", "high"),
    per_cell: int = 1,
    most: int | None = None,
    seed: int = 0,
) -> Sample:
    """Draw `per_cell` inputs of each level of each cell, and at most `most` in all.

    Missing scores do not enter a mean, so a system without scores (human references) does not
    change the levels. The levels of a cell differ by at most one input, and a cell with too few
    inputs gives all it has.
    """
    _validate(by, levels, per_cell, most)
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
        drawn, blurred = _draw_cell(
            members.get(values, ()), means, levels=len(levels), per_cell=per_cell, seed=seed
        )
        found += [(len(cells), rank, level, one) for rank, (level, one) in enumerate(drawn)]
        cells.append(replace(cell, blurred=blurred))
    # The first input of every cell comes before the second of any.
    kept = sorted(found, key=lambda one: (one[1], _chance(seed, "most", one[3])))[:most]
    counts = Counter(number for number, *_ in kept)
    return Sample(
        by=tuple(by),
        levels=tuple(levels),
        systems=tuple(systems),
        inputs=tuple(
            DrawnInput(
                one,
                dict(zip(by, cells[number].values, strict=True))
                | ({SCORE: levels[level]} if len(levels) > 1 else {}),
                tuple(complete[one][system] for system in systems),
                means.get(one),
            )
            for number, _, level, one in sorted(kept, key=lambda one: (one[0], one[2], one[3]))
        ),
        cells=tuple(replace(cell, drawn=counts[number]) for number, cell in enumerate(cells)),
        left_out=left_out,
        partly_scored=partly_scored,
        over=len(found) - len(kept),
        seed=seed,
    )


def _validate(by: Sequence[str], levels: Sequence[str], per_cell: int, most: int | None) -> None:
    if len(set(by)) != len(by):
        raise SettingError(f"a field is named twice in {', '.join(by)}; name each once")
    if not levels or len(set(levels)) != len(levels):
        raise SettingError(f"levels need different names, not {', '.join(levels) or 'none'}")
    for what, number in (("inputs per level", per_cell), ("inputs in all", most)):
        if number is not None and number < 1:
            raise SettingError(f"the number of {what} must be at least 1, not {number}")


def _inputs(items: Iterable[Item]) -> tuple[dict[str, dict[str, Item]], list[str]]:
    """The texts of each input by system, and the systems."""
    inputs: dict[str, dict[str, Item]] = {}
    for item in items:
        texts = inputs.setdefault(item.id, {})
        if item.system in texts:
            raise DataError(f"{item.id!r} of {item.system!r} occurs twice", remedy="keep one")
        texts[item.system] = item
    if not inputs:
        raise DataError("there are no texts to draw from", remedy="give a run or a file of items")
    return inputs, sorted({system for texts in inputs.values() for system in texts})


def _complete(
    inputs: Mapping[str, Mapping[str, Item]], systems: Sequence[str], by: Sequence[str]
) -> tuple[dict[str, Mapping[str, Item]], SampleExclusion]:
    """The inputs with a text of every system from the same data, and a count of the rest."""
    absent = {s: sum(1 for texts in inputs.values() if s not in texts) for s in systems}
    lacking = {system: count for system, count in absent.items() if count}
    whole = {one: texts for one, texts in sorted(inputs.items()) if len(texts) == len(systems)}
    if not whole:
        worst = ", ".join(f"{system} lacks {count:,}" for system, count in lacking.items())
        raise DataError(
            f"no input has a text of every system: of {len(inputs):,} inputs, {worst}",
            remedy="use the same ids in all files, or choose fewer systems",
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
            "no input has the same data for every system", remedy="give the texts of one data set"
        )
    return same, SampleExclusion(lacking, len(inputs) - len(whole), len(whole) - len(same))


def _means(
    inputs: Mapping[str, Mapping[str, Item]], scores: Mapping[Key, float | None] | None
) -> tuple[dict[str, float], int]:
    """The mean score of each input, and the number of means over fewer systems than others."""
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
            "no input has a score", remedy="use the systems and ids of the texts in the scores"
        )
    if len(means) > 1 and len(set(means.values())) == 1:
        raise DataError(
            f"the score of every input is {next(iter(means.values())):g}",
            remedy="choose a score that differs between inputs, or draw with one level",
        )
    return means, len(scored) - scored.count(max(scored))


def _members(
    inputs: Mapping[str, Mapping[str, Item]], by: Sequence[str]
) -> dict[tuple[str, ...], list[str]]:
    readers = [field_of(name) for name in by]
    members: dict[tuple[str, ...], list[str]] = {}
    for one, texts in inputs.items():
        item = next(iter(texts.values()))
        members.setdefault(tuple(read(item) for read in readers), []).append(one)
    for place, name in enumerate(by):
        if {values[place] for values in members} == {NO_VALUE}:
            raise DataError(f"no input has a {name}", remedy=f"leave {name} out of by=…")
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
    members: Sequence[str], means: Mapping[str, float], *, levels: int, per_cell: int, seed: int
) -> tuple[list[tuple[int, str]], bool]:
    """The level and id of each input drawn from a cell, and whether the cell is blurred."""
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
    """A sort key that orders ids at random, differently for every seed and purpose."""
    return blake2b(f"{seed} {purpose} {one}".encode("utf-8", "surrogatepass")).digest()
