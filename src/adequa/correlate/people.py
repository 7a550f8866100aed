"""Ratings into one value a text and criterion, and what must not be mixed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from adequa.correlate.filters import meta_fields
from adequa.data import Item, Rating
from adequa.errors import DataError, UnknownName
from adequa.human.judgments import Key, averaged, gather, standardised
from adequa.run import Run

__all__ = ["REFERENCES", "choose_criteria", "drop_systems", "means", "rated_fields", "read_people"]

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
