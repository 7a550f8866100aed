"""The sample of a study: texts with the scores of runs and files, joined with ratings.

Scores come from runs and from score files (JSON lines, CSV or TSV with `id`, `system` and one field
per metric); ratings are averaged to one value per text and criterion. Texts are joined by system
and id, and can be chosen by their fields or by the number of undetected entities.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from adequa.data import Item, Rating, Result
from adequa.errors import DataError, RunError, SettingError, require_known
from adequa.fields import as_word, grouped, item_field, seen_word
from adequa.files import errors_at
from adequa.human.judgments import Key, gather, standardised
from adequa.metrics import Metric
from adequa.metrics.precomputed import finite_score, score_rows
from adequa.run import MANIFEST, Run

ALL = "all"
REFERENCES = ("WebNLG-2020-reference", "reference")
"""Human texts among the systems; the papers leave them out of correlations."""

_ENTITIES = ("esa", "esa_strict")
_NAMED = ("category", "size", "lang")
_UNDETECTED = re.compile(r"undetected>=(\d{1,6})")

Vector = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]
Where = Mapping[str, frozenset[str]]


@dataclass(slots=True)
class Text:
    """The scores of a text and the fields it can be chosen by; filled while sources are read."""

    scores: dict[str, float | None] = field(default_factory=dict)
    statistics: dict[str, tuple[float, ...]] = field(default_factory=dict)
    fields: dict[str, str] = field(default_factory=dict)
    """category, size, lang, seen and meta.KEY, as written after `--where`."""
    undetected: int | None = None
    """The entities of the input that `esa` does not find in the text; None without `esa`."""


@dataclass(frozen=True, slots=True)
class MetricValues:
    """A metric under its name in the study."""

    name: str
    higher_is_better: bool = True
    metric: Metric | None = None
    """The metric itself, which may define a corpus value; None for score files."""


@dataclass(frozen=True, slots=True)
class RatedSample:
    """Rated texts with their scores: one row per text, ascending by input and system."""

    keys: tuple[Key, ...]
    inputs: Codes
    """The number of each text's input; texts on one input are drawn together."""
    systems: Codes
    system_names: tuple[str, ...]
    metrics: Mapping[str, Vector]
    """NaN where a metric did not score a text."""
    criteria: Mapping[str, Vector]
    """NaN where a text was not rated by the criterion."""
    undetected: Vector

    def __len__(self) -> int:
        return len(self.keys)

    def only(self, chosen: npt.NDArray[np.bool_]) -> RatedSample:
        """The chosen texts; inputs and systems keep their numbers."""
        return replace(
            self,
            keys=tuple(key for key, kept in zip(self.keys, chosen, strict=True) if kept),
            inputs=self.inputs[chosen],
            systems=self.systems[chosen],
            metrics={name: values[chosen] for name, values in self.metrics.items()},
            criteria={name: values[chosen] for name, values in self.criteria.items()},
            undetected=self.undetected[chosen],
        )


class ScoreFile(NamedTuple):
    """The values of each metric by system and id, and the names of the fields without numbers."""

    metrics: tuple[str, ...]
    texts: Mapping[Key, Mapping[str, float | None]]
    left_out: tuple[str, ...]


def read_scores(path: Path, known_ids: Collection[str] = ()) -> ScoreFile:
    """Read a score file, in which every field of numbers is a metric.

    An unknown id becomes `Id<id>` where that is known. A field without any number is left out; a
    field that mixes numbers with other values is a DataError, and so are values that are not finite
    and a second row for a text.
    """
    texts: dict[Key, dict[str, float | None]] = {}
    rows: dict[Key, tuple[int, Mapping[str, Any]]] = {}
    for key, (line, row) in score_rows(path, known_ids).items():
        nested = row.get("scores")
        rows[key] = line, nested if isinstance(nested, dict) else row  # a line of a run
    found = {name: None for _, row in rows.values() for name in row if name not in ("id", "system")}
    metrics = [
        name
        for name in found
        if any(type(row.get(name)) in (int, float) for _, row in rows.values())
    ]
    if not metrics:
        raise DataError(
            "has no field of numbers", path=path, remedy="a row has an id, a system and scores"
        )
    for key, (line, row) in rows.items():
        with errors_at(path, line):
            texts[key] = {name: finite_score(name, row.get(name)) for name in metrics}
    return ScoreFile(tuple(metrics), texts, tuple(name for name in found if name not in metrics))


@dataclass(frozen=True)
class ScoreSource:
    """The texts of all sources with their scores."""

    texts: Mapping[Key, Text]
    """The rated texts, or all where everything was requested."""
    measured: tuple[MetricValues, ...]
    found: int
    example: str
    """The id of one of them, for error messages."""
    notes: tuple[str, ...]


def read_texts(
    runs: Sequence[Run],
    files: Sequence[Path],
    *,
    rated: Collection[Key],
    everything: bool = False,
    metrics: Sequence[str] = (),
    lower_is_better: Collection[str] = (),
) -> ScoreSource:
    """Read every source once; only rated texts are kept unless `everything` is set."""
    if not runs and not files:
        raise SettingError("there are no scores; name a run, or a file with scores=…")
    identifiers = {identifier for _, identifier in rated}
    tables = [read_scores(path, identifiers) for path in files]
    names, measured = _names(runs, files, tables)
    wanted = _wanted(measured, metrics, lower_is_better)
    found: dict[Key, Text] = {}
    every: set[Key] = set()
    for number, run in enumerate(runs):
        entities = _entity_label(run)
        for result in run.results():
            key = result.item.key
            every.add(key)
            if everything or key in rated:
                text = found.setdefault(key, Text())
                text.fields = {**fields_of(result.item), **text.fields}
                if text.undetected is None and result.scores.get(entities or "") is not None:
                    text.undetected = _undetected(result, str(entities))
                _add(text, key, result.scores, names[number], wanted, source=str(run.path))
                for label, row in result.statistics.items():
                    text.statistics.setdefault(names[number].get(label, label), row)
    for number, (path, table) in enumerate(zip(files, tables, strict=True), len(runs)):
        every.update(table.texts)
        for key, scores in table.texts.items():
            if everything or key in rated:
                text = found.setdefault(key, Text())
                _add(text, key, scores, names[number], wanted, source=str(path))
    notes = [
        f"{path.name}: fields without numbers are not metrics: {', '.join(table.left_out)}"
        for path, table in zip(files, tables, strict=True)
        if table.left_out
    ]
    return ScoreSource(
        texts=found,
        measured=tuple(wanted.values()),
        found=len(every),
        example=min((identifier for _, identifier in every), default=""),
        notes=tuple(notes),
    )


def _names(
    runs: Sequence[Run], files: Sequence[Path], tables: Sequence[ScoreFile]
) -> tuple[list[dict[str, str]], dict[str, MetricValues]]:
    """The names of each source's labels, with the source where two labels differ in meaning."""
    sources: list[tuple[str, dict[str, tuple[str, MetricValues]]]] = []
    for run in runs:
        try:
            metrics = run.metrics()
            entries = {
                label: (
                    str(entry["signature"]),
                    MetricValues(label, bool(entry["higher_is_better"]), metrics.get(label)),
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
                    f"two sources called {source!r} compute {label!r} differently; "
                    "rename one of them"
                )
            own[label] = name
            measured.setdefault(name, replace(one, name=name))
        names.append(own)
    return names, measured


def _wanted(
    measured: Mapping[str, MetricValues], metrics: Sequence[str], lower_is_better: Collection[str]
) -> dict[str, MetricValues]:
    require_known("metric", (*metrics, *lower_is_better), measured)
    chosen = list(dict.fromkeys(metrics)) or list(measured)
    return {
        name: replace(measured[name], higher_is_better=False)
        if name in lower_is_better
        else measured[name]
        for name in chosen
    }


def _add(
    text: Text,
    key: Key,
    scores: Mapping[str, float | None],
    names: Mapping[str, str],
    wanted: Mapping[str, MetricValues],
    *,
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
    """The label of the run's metric that finds undetected entities."""
    entries = run.manifest["metrics"]
    return next(
        (label for name in _ENTITIES for label in entries if entries[label]["name"] == name), None
    )


def _undetected(result: Result, label: str) -> int:
    # Overruled findings count too: the paper has no facts that could clear an entity.
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
    """The texts that are both rated and scored, ascending by input and system."""
    rated = {key for values in criteria.values() for key in values}
    keys = sorted((key for key in texts if key in rated), key=lambda key: (key[1], key[0]))
    inputs = {name: place for place, name in enumerate(sorted({key[1] for key in keys}))}
    systems = {name: place for place, name in enumerate(sorted({key[0] for key in keys}))}

    def column(values: Sequence[float | None]) -> Vector:
        return np.array([np.nan if value is None else value for value in values], dtype=np.float64)

    return RatedSample(
        keys=tuple(keys),
        inputs=np.array([inputs[key[1]] for key in keys], dtype=np.int64),
        systems=np.array([systems[key[0]] for key in keys], dtype=np.int64),
        system_names=tuple(systems),
        metrics={
            one.name: column([texts[key].scores.get(one.name) for key in keys]) for one in measured
        },
        criteria={
            name: column([values.get(key) for key in keys]) for name, values in criteria.items()
        },
        undetected=column([texts[key].undetected for key in keys]),
    )


def read_people(
    paths: Sequence[Path],
    *,
    format: str | None = None,  # noqa: A002
    runs: Sequence[Run] = (),
    exclude: Iterable[str] = (),
    z: bool = False,
) -> list[Rating]:
    """Read ratings, sorted so that the order of the rows has no effect."""
    items = None
    if runs and any(map(_needs_items, paths)):
        items = (result.item for run in runs for result in run.results())
    ratings = gather(paths, format=format, items=items, exclude=exclude)
    ratings.sort(key=lambda one: (one.criterion, one.id, one.system, one.rater, one.value))
    _validate(ratings)
    if z:
        ratings = standardised(ratings)
        if not ratings:
            raise DataError(
                "averages cannot be standardised by rater",
                path=paths[0],
                remedy="give the single judgments, or leave out z=True",
            )
    return ratings


def _needs_items(path: Path) -> bool:
    """Whether ids must be found by triples: WebNLG 2017 tables without the files of the sample."""
    beside = [path.with_name(name).is_file() for name in ("sample-ids.txt", "MRs.txt")]
    return path.suffix.lower() == ".csv" and not all(beside)


def _validate(ratings: Iterable[Rating]) -> None:
    """Refuse two averages of one text, and averages mixed with single judgments."""
    texts = grouped(ratings, lambda one: (one.criterion, one.system, one.id))
    for (criterion, system, identifier), found in texts.items():
        averages = sum(not rating.rater for rating in found)
        singles = len(found) - averages
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
    require_known("rated system", sorted(excluded), there)
    left_out = set(excluded)
    humans = [] if references else sorted(there & set(REFERENCES) - left_out)
    left_out.update(humans)
    kept = [rating for rating in ratings if rating.system not in left_out]
    if not kept:
        raise DataError(
            "no rating is left",
            remedy="exclude fewer systems, or keep human texts with references=True",
        )
    notes = []
    for name in humans:
        texts = len({rating.id for rating in ratings if rating.system == name})
        notes.append(f"{name}: {texts:,} human texts are left out unless references are asked for")
    return kept, notes


def rated_fields(ratings: Iterable[Rating]) -> dict[Key, dict[str, str]]:
    """The fields of each text in the ratings' file, as written after `--where`."""
    found: dict[Key, dict[str, str]] = {}
    for rating in ratings:
        key = rating.system, rating.id
        if key not in found:
            fields = meta_fields(rating.meta)
            named = {name: fields[f"meta.{name}"] for name in _NAMED if f"meta.{name}" in fields}
            found[key] = {**fields, **named}
    return found


def validate_subset(name: str) -> None:
    """Raise a SettingError for an unknown subset."""
    if name != ALL and not _UNDETECTED.fullmatch(name):
        raise SettingError(f"a subset must be all, undetected>=1, undetected>=2, …, not {name!r}")


def take_subset(sample: RatedSample, name: str) -> RatedSample:
    """The texts of a subset; texts without a count of entities are only in `all`."""
    if name == ALL:
        return sample
    validate_subset(name)
    if not np.isfinite(sample.undetected).any():
        raise SettingError(
            f"the subset {name} needs the undetected entities of texts, and no run has esa; "
            "add it: adequa score --add RUN -m esa"
        )
    found = _UNDETECTED.fullmatch(name)
    least = int(found[1]) if found else 0
    chosen: npt.NDArray[np.bool_] = sample.undetected >= least
    if not chosen.any():
        raise DataError(f"no text is in the subset {name}", remedy="choose another subset")
    return sample.only(chosen)


def parse_where(conditions: Iterable[str]) -> Where:
    """Conditions by field: the values of one field are alternatives, all fields must hold."""
    wanted: dict[str, set[str]] = {}
    for condition in conditions:
        name, equals, value = condition.partition("=")
        if not equals or not name:
            raise SettingError(f"where=… takes FIELD=VALUE (category=Airport), not {condition!r}")
        wanted.setdefault(name, set()).add(value)
    return {name: frozenset(values) for name, values in wanted.items()}


def fields_of(item: Item) -> dict[str, str]:
    """The fields an item can be chosen by, as written after `--where`."""
    read = {name: item_field(name)(item) for name in ("category", "lang", "size")}
    fields = {name: word for name, word in read.items() if word is not None}
    return {**fields, **meta_fields(item.meta)}


def meta_fields(meta: Mapping[str, object]) -> dict[str, str]:
    """The plain values of an item's `meta`, as meta.KEY, and whether it was seen."""
    fields = {
        f"meta.{key}": word
        for key, value in meta.items()
        if isinstance(value, str | int | float) and (word := as_word(value)) is not None
    }
    seen = seen_word(meta.get("seen"))
    return fields if seen is None else {**fields, "seen": seen}


def validate_where(where: Where, known: Iterable[Mapping[str, str]]) -> None:
    """Raise a SettingError, which lists what exists, for a field or value that no text has."""
    there: dict[str, set[str]] = {}
    for fields in known:
        for name, value in fields.items():
            there.setdefault(name, set()).add(value)
    for name, values in where.items():
        if name not in there:
            raise SettingError(
                f"no rated text has a field {name!r}; there are: {', '.join(sorted(there))}"
            )
        for value in sorted(values - there[name]):
            listed = sorted(there[name])
            more = ", …" if len(listed) > 20 else ""
            raise SettingError(
                f"no rated text has {name}={value}; there are: {', '.join(listed[:20])}{more}"
            )
