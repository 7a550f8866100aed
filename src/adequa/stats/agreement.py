"""Agreement of raters beyond chance: Krippendorff's alpha, kappas, percentages, gamma of spans.

Hand-written because the package `krippendorff` is under the GPL; the tests have the published
examples.

Each coefficient is 1 - observed / expected *disagreement*: 1 for raters who agree on everything, 0
for agreement by chance, below 0 for less. They differ in their definition of chance:

- *Alpha* (Krippendorff 2011) draws two of all the pairable ratings, without putting the first back.
  Any number of raters and gaps; nominal, ordinal, interval and ratio scales.
- *Cohen's kappa* (1960; weighted 1968) draws one rating from each of two raters' own.
- *Fleiss' kappa* (1971) draws two from the shares of the categories.
- *Gamma* (Mathet et al. 2015), for marked spans, draws marks of other texts to other places.

A rating is pairable if its item has another. A coefficient is None, with a reason, if nothing is
pairable or if all ratings are equal, which does not show whether raters can tell items apart.
Missing ratings are ignored.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from numbers import Real
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from adequa.stats.resampling import Interval, bootstrap_interval

Vector = npt.NDArray[np.float64]
Matrix = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]
RaterPair = tuple[Hashable, Hashable]


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """The ratings as codes of item, rater and value, sorted so that row order has no effect.

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
        """From three columns with one row per rating; None and NaN are missing ratings.

        A rater's second rating of an item, columns of unequal length and infinite values are
        ValueErrors.
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
        """From a matrix with one row per item and one column per rater, numbered from 0.

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
                message = f"the label {category!r} is not a number; labels are nominal only"
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
        raise ValueError("an infinite value is not a rating")
    return not math.isnan(value)


Scale = Literal["nominal", "ordinal", "interval", "ratio"]
Weights = Literal["none", "linear", "quadratic"]

_SCALES = ("nominal", "ordinal", "interval", "ratio")
_WEIGHTS = ("none", "linear", "quadratic")
_NOTHING_SHARED = "no item has two ratings"
_NO_VARIATION = "all ratings are equal"


@dataclass(frozen=True, slots=True)
class Agreement:
    """A coefficient, or None and the reason, with its two disagreements and the size of the data.

    Disagreements are means over pairs of ratings: of 0 and 1 on a nominal scale, so that
    1 - observed is the share of equal pairs, otherwise of the distances that the scale defines.
    """

    value: float | None
    items: int
    """The number of items with two ratings or more; the others do not count."""
    ratings: int
    """The number of ratings of these items."""
    observed: float | None = None
    expected: float | None = None
    interval: Interval | None = None
    reason: str = ""


def krippendorff_alpha(
    ratings: Ratings,
    scale: Scale = "nominal",
    *,
    resamples: int = 0,
    seed: int = 0,
    level: float = 0.95,
) -> Agreement:
    """Krippendorff's alpha; with `resamples`, a percentile interval by resampling items.

    Distances are squared: of ranks (ordinal, those of the pairable ratings), of values (interval),
    of values over their sum (ratio, for which a negative value is a ValueError). Resamples in which
    all ratings are equal have no alpha and are left out of the interval; one item has no interval.

    >>> ratings = Ratings.from_matrix([[1, 1], [2, 2], [3, 2]])
    >>> round(krippendorff_alpha(ratings, "ordinal").value, 3)
    0.778
    """
    _require_choice("scale", scale, _SCALES)
    numbers = np.zeros(len(ratings.categories)) if scale == "nominal" else ratings.numbers()
    if scale == "ratio" and (numbers < 0).any():
        raise ValueError(f"a ratio scale has no negative value such as {numbers.min():g}")
    row, low, high, weight = _weighted_pairs(ratings)
    pairable = ratings.pairable()
    items, count = len(np.unique(ratings.item[pairable])), int(pairable.sum())
    if not items:
        return Agreement(None, items, count, reason=_NOTHING_SHARED)
    size = len(ratings.categories)
    found, column = np.unique(low * size + high, return_inverse=True)
    column = column.reshape(-1)
    low, high = found // size, found % size

    def disagreements(totals: Matrix) -> tuple[Vector, Vector]:
        pairs, counts = totals[:, : len(found)], totals[:, len(found) :]
        whole = counts.sum(axis=1)
        if scale == "nominal":
            observed = pairs @ (low != high).astype(np.float64)
            expected = (counts * (whole[:, None] - counts)).sum(axis=1)
        elif scale == "ratio":
            observed = pairs @ _ratio(numbers[low], numbers[high])
            expected = np.zeros(len(totals))
            for code, number in enumerate(numbers):
                expected += counts[:, code] * (counts @ _ratio(number, numbers))
        else:
            # The rank of a category is the mean of the ranks that its ratings share.
            ranks = np.cumsum(counts, axis=1) - counts / 2
            places = ranks if scale == "ordinal" else np.broadcast_to(numbers, counts.shape)
            observed = (pairs * (places[:, low] - places[:, high]) ** 2).sum(axis=1)
            mean = (counts * places).sum(axis=1) / whole
            expected = 2 * whole * (counts * (places - mean[:, None]) ** 2).sum(axis=1)
        varied = (counts > 0).sum(axis=1) > 1
        # Each pair is two coincidences, c-k and k-c.
        return 2 * observed / whole, np.where(varied, expected / (whole * (whole - 1)), np.nan)

    def alphas(totals: Matrix) -> Vector:
        observed, expected = disagreements(totals)
        return 1 - observed / expected

    totals = np.bincount(column, weights=weight, minlength=len(found))
    marginals = np.bincount(ratings.category[pairable], minlength=size)
    observed, expected = disagreements(np.concatenate([totals, marginals])[None])
    if not np.isfinite(expected[0]):
        return Agreement(None, items, count, float(observed[0]), 0.0, reason=_NO_VARIATION)
    interval = None
    if resamples:
        statistics = np.zeros((len(ratings.items), len(found) + size))
        np.add.at(statistics, (row, column), weight)
        spots = ratings.item[pairable], len(found) + ratings.category[pairable]
        np.add.at(statistics, spots, 1)
        statistics = statistics[np.unique(row)]
        interval = bootstrap_interval(statistics, alphas, n=resamples, seed=seed, level=level)
    return _agreement(items, count, float(observed[0]), float(expected[0]), interval)


def fleiss_kappa(ratings: Ratings) -> Agreement:
    """Fleiss' kappa of nominal values.

    Items may have different numbers of ratings: an item then counts once, however many it has, in
    the agreement and in the shares of the categories alike (Gwet 2014); items of one rating do not
    count. With equal numbers that is Fleiss' own.

    >>> round(fleiss_kappa(Ratings.from_matrix([[1, 1, 1], [2, 2, 1], [2, 2, 2]])).value, 3)
    0.55
    """
    pairable = ratings.pairable()
    items, item = np.unique(ratings.item[pairable], return_inverse=True)
    if not len(items):
        return Agreement(None, 0, 0, reason=_NOTHING_SHARED)
    size = len(ratings.categories)
    cells = item.reshape(-1) * size + ratings.category[pairable]
    counts = np.bincount(cells, minlength=len(items) * size).reshape(len(items), size)
    each = counts.sum(axis=1)
    equal = (counts * (counts - 1)).sum(axis=1) / (each * (each - 1))
    shares = (counts / each[:, None]).mean(axis=0)
    expected = float((shares * (1 - shares)).sum()) if (shares > 0).sum() > 1 else 0.0
    return _agreement(len(items), int(each.sum()), float((1 - equal).mean()), expected)


def cohen_kappas(ratings: Ratings, weights: Weights = "none") -> dict[RaterPair, Agreement]:
    """Cohen's kappa of every two raters who share an item, in their order; others have no entry.

    Linear and quadratic weights go by the distance of the values themselves, not of their places
    among those that happen to occur: 1 and 3 are two apart, also where nobody gave a 2.

    >>> ratings = Ratings.from_matrix([[1, 1], [1, 1], [2, 2], [3, 2]])
    >>> round(cohen_kappas(ratings)[0, 1].value, 3)
    0.6
    """
    _require_choice("weights", weights, _WEIGHTS)
    numbers = np.zeros(len(ratings.categories)) if weights == "none" else ratings.numbers()
    return {
        pair: _kappa(ratings.category[left], ratings.category[right], numbers, weights)
        for pair, left, right in ratings.by_raters()
    }


def percent_agreement(ratings: Ratings) -> float | None:
    """The percentage of equal pairs among all pairs of ratings of one item; None of no pairs.

    >>> percent_agreement(Ratings.from_matrix([[1, 1], [2, 1], [2, 2], [3, 3]]))
    75.0
    """
    left, right = ratings.pairs()
    equal = ratings.category[left] == ratings.category[right]
    return 100 * float(equal.mean()) if len(equal) else None


class TextMarks(NamedTuple):
    """A text of so many characters, and what each of its readers marked: start, end and type."""

    length: int
    readers: Sequence[Sequence[tuple[int, int, str]]]


def gamma_agreement(texts: Sequence[TextMarks], *, samples: int = 30, seed: int = 0) -> Agreement:
    """The gamma of marked spans (Mathet, Widlöcher and Métivier 2015), over pairs of readers.

    Marks of two readers are aligned so that the disorder is least: two aligned marks cost what they
    differ in place and in type, a mark without a partner costs 1. Gamma is 1 minus this disorder
    over that expected by chance: 1 for equal marks, 0 for chance. For two readers the best
    alignment is an assignment problem, so pairs are solved exactly and summed. By chance, a
    reader's marks meet those of some reader of another text, moved to a random place.

    >>> one = TextMarks(90, [[(0, 9, "a"), (50, 60, "b")], [(0, 9, "a"), (50, 60, "b")]])
    >>> gamma_agreement([one]).value
    1.0
    """
    chance = np.random.default_rng(seed)
    observed = expected = 0.0
    shared = [text for text in texts if len(text.readers) > 1]
    count = sum(len(marks) for text in shared for marks in text.readers)
    if not shared:
        return Agreement(None, 0, 0, reason=_NOTHING_SHARED)
    if not count:
        return Agreement(None, len(shared), 0, reason="nothing is marked")
    for place, text in enumerate(shared):
        others = [one for spot, one in enumerate(shared) if spot != place] or [text]
        for first, second in combinations(range(len(text.readers)), 2):
            one = text.readers[first]
            observed += _disorder(one, text.readers[second])
            for _ in range(samples):
                other = others[int(chance.integers(len(others)))]
                marks = other.readers[int(chance.integers(len(other.readers)))]
                moved = _moved(marks, int(chance.integers(max(1, text.length))), text.length)
                expected += _disorder(one, moved) / samples
    return _agreement(len(shared), count, observed / count, expected / count)


def _disorder(one: Sequence[tuple[int, int, str]], other: Sequence[tuple[int, int, str]]) -> float:
    """The cost of the best alignment: `d_pos + d_cat` of partners, 1 for each mark without one."""
    alone = float(len(one) + len(other))
    if not one or not other:
        return alone
    from scipy.optimize import linear_sum_assignment

    gains = np.zeros((len(one), len(other)))
    for row, (start, end, kind) in enumerate(one):
        for column, (begin, stop, type_) in enumerate(other):
            apart = (abs(start - begin) + abs(end - stop)) / (end - start + stop - begin)
            gains[row, column] = max(0.0, 2 - apart**2 - (kind != type_))
    rows, columns = linear_sum_assignment(gains, maximize=True)
    return alone - float(gains[rows, columns].sum())


def _moved(
    marks: Sequence[tuple[int, int, str]], by: int, length: int
) -> list[tuple[int, int, str]]:
    """Marks at other places of a text; one beyond its end begins again at its beginning."""
    moved = []
    for start, end, kind in marks:
        begin = (start + by) % max(1, length)
        moved.append((begin, begin + end - start, kind))
    return moved


def _kappa(one: Codes, other: Codes, numbers: Vector, weights: Weights) -> Agreement:
    shared = len(one)
    codes, coded = np.unique(np.concatenate([one, other]), return_inverse=True)
    coded = coded.reshape(-1)
    table = np.zeros((len(codes), len(codes)))
    np.add.at(table, (coded[:shared], coded[shared:]), 1)
    if weights == "none":
        distances = 1 - np.eye(len(codes))
    else:
        distances = np.abs(numbers[codes][:, None] - numbers[codes])
        distances = distances**2 if weights == "quadratic" else distances
    observed = float((table * distances).sum()) / shared
    expected = float(table.sum(axis=1) @ distances @ table.sum(axis=0)) / shared**2
    return _agreement(shared, 2 * shared, observed, expected)


def _agreement(
    items: int, ratings: int, observed: float, expected: float, interval: Interval | None = None
) -> Agreement:
    if not expected > 0:
        return Agreement(None, items, ratings, observed, expected, reason=_NO_VARIATION)
    return Agreement(1 - observed / expected, items, ratings, observed, expected, interval)


def _ratio(one: Vector | float, other: Vector) -> Vector:
    """Squared difference over squared sum; two zeros are equal."""
    whole = one + other
    quotient: Vector = (one - other) / np.where(whole > 0, whole, 1)
    return quotient**2


def _weighted_pairs(ratings: Ratings) -> tuple[Codes, Codes, Codes, Vector]:
    """Of each pair: its item, its lower and its higher category, and 1 / (ratings - 1)."""
    left, right = ratings.pairs()
    item, one, other = ratings.item[left], ratings.category[left], ratings.category[right]
    each = np.bincount(ratings.item, minlength=len(ratings.items))
    return item, np.minimum(one, other), np.maximum(one, other), 1 / (each[item] - 1)


def _require_choice(what: str, given: str, known: Sequence[str]) -> None:
    if given not in known:
        raise ValueError(f"unknown {what} {given!r}; there are {', '.join(known)}")
