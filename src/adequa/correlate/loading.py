"""Scores of runs and files into texts, and texts with ratings into a sample."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from adequa.correlate.filters import fields_of
from adequa.correlate.model import Measured, Sample, Text
from adequa.correlate.score_files import ScoreFile, read_scores
from adequa.data import Result
from adequa.errors import DataError, RunError, SettingError, UnknownName
from adequa.human.judgments import Key
from adequa.run import Run
from adequa.run.folder import MANIFEST

__all__ = ["Scored", "make_sample", "read_texts"]

_ENTITIES = ("esa", "esa_strict")


@dataclass(frozen=True)
class Scored:
    """What all sources say of the texts."""

    texts: Mapping[Key, Text]
    """The wanted ones, or all."""
    measured: tuple[Measured, ...]
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
) -> Scored:
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
    return Scored(
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
) -> tuple[list[dict[str, str]], dict[str, Measured]]:
    """What each source's labels are called: with its name where two mean different things."""
    sources: list[tuple[str, dict[str, tuple[str, Measured]]]] = []
    for run in runs:
        try:
            entries = {
                label: (
                    str(entry["signature"]),
                    Measured(
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
        sources.append((path.stem, {name: (str(path), Measured(name)) for name in table.metrics}))
    meanings: dict[str, set[str]] = {}
    for _, entries in sources:
        for label, (signature, _) in entries.items():
            meanings.setdefault(label, set()).add(signature)
    names: list[dict[str, str]] = []
    measured: dict[str, Measured] = {}
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
            measured.setdefault(name, Measured(name, one.higher_is_better, one.builder))
        names.append(own)
    return names, measured


def _wanted(
    measured: Mapping[str, Measured], metrics: Sequence[str], lower_is_better: Collection[str]
) -> dict[str, Measured]:
    for name in (*metrics, *lower_is_better):
        if name not in measured:
            raise UnknownName("metric", name, measured)
    chosen = list(dict.fromkeys(metrics)) or list(measured)
    return {
        name: Measured(name, False, measured[name].builder)
        if name in lower_is_better
        else measured[name]
        for name in chosen
    }


def _add(
    text: _Growing,
    key: Key,
    scores: Mapping[str, float | None],
    names: Mapping[str, str],
    wanted: Mapping[str, Measured],
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
    measured: Sequence[Measured],
    criteria: Mapping[str, Mapping[Key, float]],
) -> Sample:
    """The texts that are rated and scored, ascending by input and system."""
    rated = {key for values in criteria.values() for key in values}
    keys = sorted((key for key in texts if key in rated), key=lambda key: (key[1], key[0]))
    inputs = {name: place for place, name in enumerate(sorted({key[1] for key in keys}))}
    systems = {name: place for place, name in enumerate(sorted({key[0] for key in keys}))}

    def column(values: Sequence[float | None]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        return np.array([np.nan if value is None else value for value in values], dtype=np.float64)

    return Sample(
        tuple(keys),
        np.array([inputs[key[1]] for key in keys], dtype=np.int64),
        np.array([systems[key[0]] for key in keys], dtype=np.int64),
        tuple(systems),
        {one.name: column([texts[key].scores.get(one.name) for key in keys]) for one in measured},
        {name: column([values.get(key) for key in keys]) for name, values in criteria.items()},
        column([texts[key].undetected for key in keys]),
    )
