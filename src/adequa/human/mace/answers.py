"""Judgments as MACE computes with them: coded, and sorted so that their order tells nothing."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from adequa.errors import DataError

__all__ = ["Answers", "as_numbers", "label_names"]

Integers = npt.NDArray[np.int64]


class Answers(NamedTuple):
    """The judgments as numbers, sorted by item and annotator; -1 in `known` is no control item."""

    item: Integers
    annotator: Integers
    label: Integers
    known: Integers
    shape: tuple[int, int, int]
    """Items, annotators, labels."""


def label_names(
    rows: Sequence[tuple[str, str, str | None]],
    controls: Mapping[str, str],
    labels: Sequence[str] | None,
) -> tuple[str, ...]:
    """The labels that occur, or all of `labels`; a DataError where one that occurs is missing."""
    used = {row[2] for row in rows if row[2] is not None}
    if not used:
        raise DataError("there is no answer to estimate from", remedy="give at least one judgment")
    used |= set(controls.values())
    if labels is None:
        return tuple(sorted(used))
    unknown = sorted(used - set(labels))
    if unknown:
        raise DataError(
            f"{unknown[0]!r} is none of the labels {', '.join(labels)}",
            remedy="correct the answer or the control item, or name all labels",
        )
    return tuple(sorted(set(labels)))


def as_numbers(
    rows: Sequence[tuple[str, str, str | None]],
    controls: Mapping[str, str],
    items: Sequence[str],
    annotators: Sequence[str],
    labels: Sequence[str],
) -> Answers:
    """The sorted rows as numbers; a DataError where an annotator judges an item twice."""
    for row, following in itertools.pairwise(rows):
        if row[:2] == following[:2]:
            raise DataError(
                f"annotator {row[1]!r} judges item {row[0]!r} twice", remedy="keep one of the two"
            )
    item_numbers = {name: number for number, name in enumerate(items)}
    annotator_numbers = {name: number for number, name in enumerate(annotators)}
    label_numbers = {name: number for number, name in enumerate(labels)}
    numbers = np.array(
        [
            (item_numbers[item], annotator_numbers[annotator], label_numbers[label])
            for item, annotator, label in rows
            if label is not None
        ],
        dtype=np.int64,
    )
    known = [label_numbers[controls[name]] if name in controls else -1 for name in items]
    return Answers(
        numbers[:, 0],
        numbers[:, 1],
        numbers[:, 2],
        np.array(known, dtype=np.int64),
        (len(items), len(annotators), len(labels)),
    )
