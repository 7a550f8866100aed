"""Scores of runs and files into texts, and texts with ratings into a sample."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from adequa.analysis.correlate.model import MetricValues, RatedSample, Text, fields_of, meta_fields
from adequa.data import Item, Rating, Result
from adequa.errors import DataError, RunError, SettingError, UnknownName
from adequa.files import read_objects
from adequa.human.judgments import Key, averaged, gather, standardised
from adequa.readers.tables import read_table
from adequa.run import Run
from adequa.run.folder import MANIFEST

# ---
# Scores of others: JSON lines, CSV or TSV with id, system and a field a metric.
# ---

ID_PREFIX = "Id"
"""A number n is the entry `Id<n>`, as the ratings of 2020 have it."""

_DELIMITERS = {".csv": ",", ".tsv": "\t"}
_NAMES = ("id", "system")


class ScoreFile(NamedTuple):
    """The values of each metric by system and id, and the fields that hold no numbers."""

    metrics: tuple[str, ...]
    texts: Mapping[Key, Mapping[str, float | None]]
    left_out: tuple[str, ...]


def read_scores(path: Path, known_ids: Collection[str] = ()) -> ScoreFile:
    """Every field of numbers is a metric; an id that is not known becomes `Id<id>` where that is.

    A field in which nothing is a number is left out; one in which some values are and some are not
    is a DataError, and so is a value that is not finite and a second row of a text.
    """
    rows: dict[Key, Mapping[str, Any]] = {}
    places: dict[Key, int] = {}
    names: dict[str, None] = {}
    for line, row in _rows(path):
        key = _key(row, known_ids, path, line)
        if key in rows:
            raise DataError(
                f"has a second row of {key[1]!r} of {key[0]!r}; the first is in line {places[key]}",
                path=path,
                line=line,
                remedy="keep one row a system and id",
            )
        nested = row.get("scores")
        values = nested if isinstance(nested, dict) else row  # a line of a run
        rows[key] = {name: value for name, value in values.items() if name not in _NAMES}
        places[key] = line
        names.update(dict.fromkeys(rows[key]))
    if not rows:
        raise DataError("holds no scores", path=path, remedy="is it the right file?")
    metrics = [name for name in names if any(_is_number(row.get(name)) for row in rows.values())]
    if not metrics:
        raise DataError(
            "has no field of numbers", path=path, remedy="a row has an id, a system and scores"
        )
    texts = {
        key: {name: _value(row, name, path, places[key]) for name in metrics}
        for key, row in rows.items()
    }
    return ScoreFile(tuple(metrics), texts, tuple(name for name in names if name not in metrics))


def _rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    delimiter = _DELIMITERS.get(path.suffix.lower())
    if delimiter is not None:
        for line, cells in read_table(path, delimiter).rows:
            yield (
                line,
                {name: cell if name in _NAMES else _cell(cell) for name, cell in cells.items()},
            )
        return
    yield from read_objects(path, remedy='write {"id": …, "system": …}')


def _key(row: Mapping[str, Any], known_ids: Collection[str], path: Path, line: int) -> Key:
    identifier, system = row.get("id"), row.get("system", "")
    if type(identifier) is int:
        identifier = str(identifier)
    if type(identifier) is not str or not identifier:
        raise DataError(
            "has no 'id'", path=path, line=line, remedy="a row has an id, a system and scores"
        )
    if type(system) is not str:
        raise DataError(
            f"'system' is {system!r}, not a string", path=path, line=line, remedy="write its name"
        )
    if identifier not in known_ids and ID_PREFIX + identifier in known_ids:
        identifier = ID_PREFIX + identifier
    return system, identifier


def _cell(text: str) -> float | str | None:
    """The number a cell of a table holds; what is none stays text."""
    try:
        return float(text) if "_" not in text else text
    except ValueError:
        return text or None


def _is_number(value: object) -> bool:
    return type(value) in (int, float)


def _value(row: Mapping[str, Any], name: str, path: Path, line: int) -> float | None:
    value = row.get(name)
    if value is None:
        return None
    try:
        number = float(value) if _is_number(value) else math.nan
    except OverflowError:  # JSON has integers of any length
        number = math.inf
    if not math.isfinite(number):
        raise DataError(
            f"{name!r} is {value!r:.80}, not a finite number",
            path=path,
            line=line,
            remedy="leave out what has no score",
        )
    return number


_ENTITIES = ("esa", "esa_strict")


@dataclass(frozen=True)
class ScoreSource:
    """What all sources say of the texts."""

    texts: Mapping[Key, Text]
    """The wanted ones, or all."""
    measured: tuple[MetricValues, ...]
    found: int
    """How many texts the sources have."""
    example: str
    """The id of one of them, for complaints."""
    notes: tuple[str, ...]


@dataclass(slots=True)
class _Growing:
    scores: dict[str, float | None] = field(default_factory=dict)
    statistics: dict[str, tuple[float, ...]] = field(default_factory=dict)
    fields: dict[str, str] = field(default_factory=dict)
    undetected: int | None = None


def read_texts(
    runs: Sequence[Run],
    files: Sequence[Path],
    *,
    rated: Collection[Key],
    everything: bool = False,
    metrics: Sequence[str] = (),
    lower_is_better: Collection[str] = (),
) -> ScoreSource:
    """Read every source once; only rated texts are kept unless `everything` is wanted."""
    if not runs and not files:
        raise SettingError("there are no scores; name a run, or a file with --scores")
    identifiers = {identifier for _, identifier in rated}
    tables = [read_scores(path, identifiers) for path in files]
    names, measured = _names(runs, files, tables)
    wanted = _wanted(measured, metrics, lower_is_better)
    grown: dict[Key, _Growing] = {}
    every: set[Key] = set()
    for number, run in enumerate(runs):
        entities = _entity_label(run)
        for result in run.results():
            key = result.item.key
            every.add(key)
            if everything or key in rated:
                text = grown.setdefault(key, _Growing())
                text.fields = {**fields_of(result.item), **text.fields}
                if text.undetected is None and result.scores.get(entities or "") is not None:
                    text.undetected = _undetected(result, str(entities))
                _add(text, key, result.scores, names[number], wanted, str(run.path))
                for label, row in result.statistics.items():
                    text.statistics.setdefault(names[number].get(label, label), row)
    for number, (path, table) in enumerate(zip(files, tables, strict=True), len(runs)):
        every.update(table.texts)
        for key, scores in table.texts.items():
            if everything or key in rated:
                text = grown.setdefault(key, _Growing())
                _add(text, key, scores, names[number], wanted, str(path))
    notes = [
        f"{path.name}: no numbers, so no metrics: {', '.join(table.left_out)}"
        for path, table in zip(files, tables, strict=True)
        if table.left_out
    ]
    return ScoreSource(
        {
            key: Text(text.scores, text.statistics, text.fields, text.undetected)
            for key, text in grown.items()
        },
        tuple(wanted.values()),
        len(every),
        min((identifier for _, identifier in every), default=""),
        tuple(notes),
    )


def _names(
    runs: Sequence[Run], files: Sequence[Path], tables: Sequence[ScoreFile]
) -> tuple[list[dict[str, str]], dict[str, MetricValues]]:
    """What each source's labels are called: with its name where two mean different things."""
    sources: list[tuple[str, dict[str, tuple[str, MetricValues]]]] = []
    for run in runs:
        try:
            entries = {
                label: (
                    str(entry["signature"]),
                    MetricValues(
                        label,
                        bool(entry["higher_is_better"]),
                        (str(entry["name"]), dict(entry["settings"])),
                    ),
                )
                for label, entry in run.manifest["metrics"].items()
            }
        except (KeyError, TypeError, AttributeError, ValueError):
            raise RunError(
                f"{run.path / MANIFEST} does not describe the metrics; score again"
            ) from None
        sources.append((run.name, entries))
    for path, table in zip(files, tables, strict=True):
        sources.append(
            (path.stem, {name: (str(path), MetricValues(name)) for name in table.metrics})
        )
    meanings: dict[str, set[str]] = {}
    for _, entries in sources:
        for label, (signature, _) in entries.items():
            meanings.setdefault(label, set()).add(signature)
    names: list[dict[str, str]] = []
    measured: dict[str, MetricValues] = {}
    taken: dict[str, str] = {}
    for source, entries in sources:
        own: dict[str, str] = {}
        for label, (signature, one) in entries.items():
            name = label if len(meanings[label]) == 1 else f"{label}@{source}"
            if taken.setdefault(name, signature) != signature:
                raise SettingError(
                    f"two sources called {source!r} mean different things by {label!r}; "
                    "rename one of them"
                )
            own[label] = name
            measured.setdefault(name, MetricValues(name, one.higher_is_better, one.builder))
        names.append(own)
    return names, measured


def _wanted(
    measured: Mapping[str, MetricValues], metrics: Sequence[str], lower_is_better: Collection[str]
) -> dict[str, MetricValues]:
    for name in (*metrics, *lower_is_better):
        if name not in measured:
            raise UnknownName("metric", name, measured)
    chosen = list(dict.fromkeys(metrics)) or list(measured)
    return {
        name: MetricValues(name, False, measured[name].builder)
        if name in lower_is_better
        else measured[name]
        for name in chosen
    }


def _add(
    text: _Growing,
    key: Key,
    scores: Mapping[str, float | None],
    names: Mapping[str, str],
    wanted: Mapping[str, MetricValues],
    source: str,
) -> None:
    for label, value in scores.items():
        name = names.get(label, label)
        if name not in wanted:
            continue
        known = text.scores.get(name)
        if known is not None and value is not None and known != value:
            raise DataError(
                f"{source}: {name} of {key[1]!r} of {key[0]!r} is {value}, and {known} elsewhere",
                remedy="give one of the two",
            )
        text.scores[name] = value if known is None else known


def _entity_label(run: Run) -> str | None:
    """The run's metric that says which entities are not named."""
    entries = run.manifest["metrics"]
    return next(
        (label for name in _ENTITIES for label in entries if entries[label]["name"] == name), None
    )


def _undetected(result: Result, label: str) -> int:
    # Overruled ones are counted: the paper knows no facts that could speak for an entity.
    return sum(
        finding.kind == "omission"
        and finding.entity is not None
        and label in finding.metric.split("+")
        for finding in result.findings
    )


def make_sample(
    texts: Mapping[Key, Text],
    measured: Sequence[MetricValues],
    criteria: Mapping[str, Mapping[Key, float]],
) -> RatedSample:
    """The texts that are rated and scored, ascending by input and system."""
    rated = {key for values in criteria.values() for key in values}
    keys = sorted((key for key in texts if key in rated), key=lambda key: (key[1], key[0]))
    inputs = {name: place for place, name in enumerate(sorted({key[1] for key in keys}))}
    systems = {name: place for place, name in enumerate(sorted({key[0] for key in keys}))}

    def column(values: Sequence[float | None]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        return np.array([np.nan if value is None else value for value in values], dtype=np.float64)

    return RatedSample(
        tuple(keys),
        np.array([inputs[key[1]] for key in keys], dtype=np.int64),
        np.array([systems[key[0]] for key in keys], dtype=np.int64),
        tuple(systems),
        {one.name: column([texts[key].scores.get(one.name) for key in keys]) for one in measured},
        {name: column([values.get(key) for key in keys]) for name, values in criteria.items()},
        column([texts[key].undetected for key in keys]),
    )


# ---
# Ratings into one value a text and criterion, and what must not be mixed.
# ---

REFERENCES = ("WebNLG-2020-reference", "reference")
"""Human texts among the systems; the papers leave them out of correlations."""

_NAMED = ("category", "size", "lang")


def read_people(
    paths: Sequence[Path],
    *,
    format: str | None = None,  # noqa: A002
    runs: Sequence[Run] = (),
    exclude: Iterable[str] = (),
    z: bool = False,
) -> list[Rating]:
    """The ratings in an order that does not depend on that of the rows."""
    items = _items(runs) if any(map(_needs_items, paths)) and runs else None
    ratings = gather(paths, format=format, items=items, exclude=exclude)
    ratings.sort(key=lambda one: (one.criterion, one.id, one.system, one.rater, one.value))
    _check(ratings)
    if z:
        ratings = standardised(ratings)
        if not ratings:
            raise DataError(
                "averages cannot be standardised by rater",
                path=paths[0],
                remedy="give the single judgments, or leave out --z",
            )
    return ratings


def _needs_items(path: Path) -> bool:
    """Whether ids must be found by triples: the 2017 tables without the sample's files."""
    beside = [path.with_name(name).is_file() for name in ("sample-ids.txt", "MRs.txt")]
    return path.suffix.lower() == ".csv" and not all(beside)


def _items(runs: Sequence[Run]) -> Iterator[Item]:
    return (result.item for run in runs for result in run.results())


def _check(ratings: Iterable[Rating]) -> None:
    """An average is one a text and criterion, and does not stand beside what it is the mean of."""
    counts: dict[tuple[str, str, str], list[int]] = {}
    for rating in ratings:
        count = counts.setdefault((rating.criterion, rating.system, rating.id), [0, 0])
        count[bool(rating.rater)] += 1
    for (criterion, system, identifier), (averages, singles) in counts.items():
        where = f"{criterion} of {identifier!r} of {system!r}"
        if averages > 1:
            raise DataError(
                f"{where} has {averages} averages", remedy="keep one, or name who gave each value"
            )
        if averages and singles:
            raise DataError(
                f"{where} has an average and single judgments", remedy="give one of the two files"
            )


def drop_systems(
    ratings: Sequence[Rating], excluded: Collection[str], *, references: bool
) -> tuple[list[Rating], list[str]]:
    """The ratings of the other systems, and a note where human references were left out."""
    there = {rating.system for rating in ratings}
    for name in sorted(set(excluded) - there):
        raise UnknownName("rated system", name, there)
    left_out = set(excluded)
    humans = [] if references else sorted(there & set(REFERENCES) - left_out)
    left_out.update(humans)
    kept = [rating for rating in ratings if rating.system not in left_out]
    if not kept:
        raise DataError(
            "no rating is left",
            remedy="exclude fewer systems, or keep human texts with --references",
        )
    notes = []
    for name in humans:
        texts = len({rating.id for rating in ratings if rating.system == name})
        notes.append(f"{name}: {texts:,} human texts are left out (--references keeps them)")
    return kept, notes


def choose_criteria(ratings: Sequence[Rating], wanted: Sequence[str]) -> list[str]:
    """The criteria asked for, or all by alphabet."""
    there = sorted({rating.criterion for rating in ratings})
    for name in wanted:
        if name not in there:
            raise UnknownName("criterion", name, there)
    return list(dict.fromkeys(wanted)) or there


def means(ratings: Iterable[Rating], criteria: Sequence[str]) -> dict[str, dict[Key, float]]:
    """The mean of each text by criterion, in the order of the criteria."""
    found = averaged(ratings)
    return {criterion: found[criterion] for criterion in criteria}


def rated_fields(ratings: Iterable[Rating]) -> dict[Key, dict[str, str]]:
    """What the ratings' file says of each text, as after `--where`."""
    found: dict[Key, dict[str, str]] = {}
    for rating in ratings:
        key = rating.system, rating.id
        if key not in found:
            fields = meta_fields(rating.meta)
            named = {name: fields[f"meta.{name}"] for name in _NAMED if f"meta.{name}" in fields}
            found[key] = {**fields, **named}
    return found
