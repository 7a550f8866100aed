"""Who rated what how: the table under agreement and every other look at raters."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["RaterPair", "Ratings"]

Vector = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]
RaterPair = tuple[Hashable, Hashable]


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """Who gave which item which value, coded; sorted, so that no result depends on row order.

    >>> ratings = Ratings.of(["a", "a", "b"], ["ann", "bob", "ann"], [1, 2, None])
    >>> ratings.items, ratings.raters, ratings.categories
    (('a', 'b'), ('ann', 'bob'), (1, 2))
    """

    items: tuple[Any, ...]
    raters: tuple[Any, ...]
    categories: tuple[Any, ...]
    """The values that occur, in order: numbers by size, then labels by alphabet."""
    item: Codes
    """Of each rating, the place of its item in `items`; so too the next two."""
    rater: Codes
    category: Codes

    @classmethod
    def of(
        cls,
        items: Iterable[Hashable],
        raters: Iterable[Hashable],
        values: Iterable[float | str | None],
    ) -> Ratings:
        """From three columns, a row a rating; None and NaN are gaps.

        A rater's second rating of an item is a ValueError: which of the two counts is not ours to
        say. So are columns of unequal length and an infinite value.
        """
        rows = list(zip(items, raters, values, strict=True))
        every_item, items_coded = _coded([row[0] for row in rows])
        every_rater, raters_coded = _coded([row[1] for row in rows])
        present = np.array([_is_present(row[2]) for row in rows], dtype=bool)
        kept = [row[2] for row, is_there in zip(rows, present, strict=True) if is_there]
        categories, category = _coded(kept)
        item, rater = items_coded[present], raters_coded[present]
        order = np.lexsort((rater, item))
        item, rater, category = item[order], rater[order], category[order]
        twice = np.flatnonzero((np.diff(item) == 0) & (np.diff(rater) == 0))
        if len(twice):
            who, what = every_rater[rater[twice[0]]], every_item[item[twice[0]]]
            raise ValueError(f"rater {who!r} has two ratings of item {what!r}")
        return cls(every_item, every_rater, categories, item, rater, category)

    @classmethod
    def from_matrix(cls, matrix: Iterable[Iterable[float | str | None]]) -> Ratings:
        """From a matrix, a row an item, a column a rater, both named by their number from 0.

        >>> Ratings.from_matrix([[1, 1], [2, float("nan")]]).raters
        (0, 1)
        """
        rows = [list(row) for row in matrix]
        if len({len(row) for row in rows}) > 1:
            raise ValueError("the rows of a matrix have a column for each rater; these differ")
        cells = [(i, j, cell) for i, row in enumerate(rows) for j, cell in enumerate(row)]
        return cls.of(*([cell[k] for cell in cells] for k in range(3)))

    def numbers(self) -> Vector:
        """The categories as numbers; a label among them is a ValueError."""
        for category in self.categories:
            if isinstance(category, str):
                message = f"the label {category!r} is no number; labels are nominal only"
                raise ValueError(message)  # noqa: TRY004 - the type is allowed, not for this
        return np.array(self.categories, dtype=np.float64)

    def pairable(self) -> npt.NDArray[np.bool_]:
        """Which ratings are of an item with another."""
        each = np.bincount(self.item, minlength=len(self.items))
        mask: npt.NDArray[np.bool_] = each[self.item] > 1
        return mask

    def pairs(self) -> tuple[Codes, Codes]:
        """The places of every two ratings of an item, each pair once."""
        lefts, rights = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
        most = int(np.bincount(self.item).max()) if len(self.item) else 0
        for apart in range(1, most):
            left = np.flatnonzero(self.item[apart:] == self.item[:-apart])
            lefts.append(left)
            rights.append(left + apart)
        return np.concatenate(lefts), np.concatenate(rights)

    def shared(self, first: Hashable, second: Hashable) -> tuple[Codes, Codes]:
        """The places of two raters' ratings of the items that both rated."""
        for name in (first, second):
            if name not in self.raters:
                raise ValueError(f"there is no rater {name!r}")
        one, other = (
            np.flatnonzero(self.rater == self.raters.index(name)) for name in (first, second)
        )
        _, left, right = np.intersect1d(
            self.item[one], self.item[other], assume_unique=True, return_indices=True
        )
        return one[left], other[right]

    def by_raters(self) -> Iterator[tuple[RaterPair, Codes, Codes]]:
        """Every two raters who share an item, with the places of their ratings of shared items."""
        left, right = self.pairs()
        key = self.rater[left] * len(self.raters) + self.rater[right]
        order = np.argsort(key, kind="stable")
        starts = np.flatnonzero(np.diff(key[order], prepend=-1))
        for places in np.split(order, starts[1:]) if len(order) else []:
            first, second = self.rater[left[places[0]]], self.rater[right[places[0]]]
            yield (self.raters[first], self.raters[second]), left[places], right[places]


def _coded(labels: Sequence[Any]) -> tuple[tuple[Any, ...], Codes]:
    names = tuple(sorted(set(labels), key=lambda label: (isinstance(label, str), label)))
    code = {name: place for place, name in enumerate(names)}
    return names, np.array([code[label] for label in labels], dtype=np.int64)


def _is_present(value: object) -> bool:
    if value is None:
        return False
    if isinstance(value, str):
        return True
    if not isinstance(value, Real):
        raise TypeError(f"a rating is a number or a label, not {value!r}")
    if math.isinf(value):
        raise ValueError("an infinite value is no rating")
    return not math.isnan(value)
