"""What a sample is drawn from: the texts of runs and of files of items, with their scores."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from adequa.data import Item
from adequa.errors import DataError, SettingError, UnknownName
from adequa.human.judgments import Key
from adequa.readers import open_source
from adequa.run import MANIFEST, SCORES, open_run

REFERENCE = "reference"
"""The system that human references join as."""
_PREFERRED = ("similarity", "nli", "esa")
_APART = "give the system another name in one of them, or name one run only"

Scores = Mapping[Key, float | None]


@dataclass(frozen=True, slots=True)
class Pool:
    """Texts, each (system, id) once, and the scores that came with them by metric."""

    items: tuple[Item, ...]
    scores: Mapping[str, Scores]


def pool_texts(
    paths: Sequence[Path],
    *,
    format: str | None = None,  # noqa: A002
) -> Pool:
    """Read runs (folders of `adequa score`) and files of items, and join them by system and id.

    A text that several have is one text, with the scores of all; two texts of one system and id
    are a DataError. A system without a name gets that of its folder or file. `format` is that of
    the files, recognised if not given.
    """
    if not paths:
        raise SettingError("there is nothing to draw from; name a run or a file of items")
    items: dict[Key, Item] = {}
    origins: dict[Key, Path] = {}
    scores: dict[str, dict[Key, float | None]] = {}
    for path in paths:
        for item, said in _texts(path, format):
            key = item.key
            known = items.setdefault(key, item)
            if (known.text, sorted(known.triples)) != (item.text, sorted(item.triples)):
                raise DataError(
                    f"{key[1]!r} of {key[0]!r} is not the text that {origins[key]} has",
                    path=path,
                    remedy=_APART,
                )
            origins.setdefault(key, path)
            for label, value in said.items():
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
                    f"has a score {label!r} that is no number",
                    path=path / SCORES,
                    remedy="was the run edited? score again into a new folder",
                )
        yield _named(result.item, name), result.scores


def _named(item: Item, name: str) -> Item:
    return item if item.system else replace(item, system=name)


def of_systems(items: Sequence[Item], names: Iterable[str]) -> list[Item]:
    """The texts of these systems; of all where none is named."""
    there, wanted = {item.system for item in items}, set(names)
    for name in sorted(wanted - there):
        raise UnknownName("system", name, there)
    return [item for item in items if not wanted or item.system in wanted]


def with_references(items: Sequence[Item]) -> list[Item]:
    """The texts, and the first human reference of each input as one more system."""
    if any(item.system == REFERENCE for item in items):
        raise SettingError(
            f"a system is called {REFERENCE!r} already; draw without --references, or without it"
        )
    first: dict[str, Item] = {}
    for item in items:
        known = first.get(item.id)
        if item.references and (known is None or item.system < known.system):
            first[item.id] = item
    if not first:
        raise DataError("no text has a reference", remedy="draw without --references")
    return [
        *items,
        *(replace(one, system=REFERENCE, text=one.references[0]) for one in first.values()),
    ]


def read_scores(pool: Pool, file: Path, name: str | None) -> Pool:
    """The pool with the scores of a file (id, system, `name`) in place of those of the runs."""
    from adequa.metrics.precomputed import Precomputed

    if name is None:
        raise SettingError(f"which scores of {file}? name the field: --score NAME")
    found = Precomputed(file=file, key=name).score(pool.items)
    column = {item.key: one.value for item, one in zip(pool.items, found, strict=True)}
    if all(value is None for value in column.values()):
        raise DataError(
            "has no score of any text",
            path=file,
            remedy=f"its systems and ids are written like {pool.items[0].key}",
        )
    return Pool(pool.items, {name: column})


def choose_score(pool: Pool, name: str | None) -> str:
    """The score asked for; else one that needs no reference, else the first there is."""
    if not pool.scores:
        raise SettingError(
            "there are no scores to cut into levels: score the texts first (adequa score INPUT "
            "--out RUN) and name the run, give --scores FILE, or draw with --levels 1"
        )
    if name is not None and name not in pool.scores:
        raise UnknownName("score", name, pool.scores)
    return name or next(one for one in (*_PREFERRED, *pool.scores) if one in pool.scores)
