"""Ratings, and the agreement of raters."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adequa.stats.agreement import (
    Ratings,
    TextMarks,
    _weighted_pairs,
    cohen_kappas,
    fleiss_kappa,
    gamma_agreement,
    krippendorff_alpha,
    percent_agreement,
)


def test_missing_ratings_are_dropped_but_their_items_and_raters_stay() -> None:
    ratings = Ratings.of("aabbc", ["x", "y", "x", "y", "z"], [2, 1, None, 1.5, math.nan])
    assert ratings.items == ("a", "b", "c")
    assert ratings.raters == ("x", "y", "z")
    assert ratings.categories == (1, 1.5, 2)
    assert ratings.item.tolist() == [0, 0, 1]
    assert ratings.rater.tolist() == [0, 1, 1]
    assert ratings.category.tolist() == [2, 0, 1]
    assert ratings.pairable().tolist() == [True, True, False]


def test_a_matrix_of_lists_and_of_numpy_are_the_same() -> None:
    listed = Ratings.from_matrix([[1, None], [3, 2]])
    array = Ratings.from_matrix(np.array([[1, np.nan], [3, 2]]))
    assert listed.categories == array.categories == (1, 2, 3)
    for one, other in zip(
        (listed.item, listed.rater, listed.category),
        (array.item, array.rater, array.category),
        strict=True,
    ):
        assert one.tolist() == other.tolist()


def test_numbers_come_before_labels() -> None:
    assert Ratings.from_matrix([["b", 10, "a", 9]]).categories == (9, 10, "a", "b")


def test_pairs_and_shared_items() -> None:
    ratings = Ratings.from_matrix([[1, 2, 3], [4, None, 5], [None, 6, None]])
    left, right = ratings.pairs()
    pairs = {
        (ratings.category[one] + 1, ratings.category[other] + 1)
        for one, other in zip(left, right, strict=True)
    }
    assert pairs == {(1, 2), (1, 3), (2, 3), (4, 5)}
    _, left, right = next(one for one in ratings.by_raters() if one[0] == (0, 2))
    shared = zip(ratings.category[left] + 1, ratings.category[right] + 1, strict=True)
    assert sorted(shared) == [(1, 3), (4, 5)]
    assert [pair for pair, _, _ in ratings.by_raters()] == [(0, 1), (0, 2), (1, 2)]
    assert list(Ratings.from_matrix([]).by_raters()) == []


def test_invalid_ratings_are_refused() -> None:
    with pytest.raises(ValueError, match="rater 'ann' has two ratings of item 'a'"):
        Ratings.of(["a", "a"], ["ann", "ann"], [1, 2])
    with pytest.raises(ValueError, match="zip"):
        Ratings.of(["a", "a"], ["ann"], [1, 2])
    with pytest.raises(ValueError, match="column for each rater"):
        Ratings.from_matrix([[1, 2], [1]])
    with pytest.raises(ValueError, match="infinite"):
        Ratings.from_matrix([[1, math.inf]])
    with pytest.raises(TypeError, match="number or a label"):
        Ratings.from_matrix([[1, (2,)]])  # type: ignore[list-item]


SCALES = ("nominal", "ordinal", "interval", "ratio")
WEIGHTS = ("none", "linear", "quadratic")
GAP = math.nan

# Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability", section C/D: four observers
# (rows) and twelve units, with gaps.
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, GAP, GAP, GAP],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, GAP, 3],
    [GAP, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, GAP],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, GAP],
]
UNITS = np.array(OBSERVERS).T

# The worked example of Wikipedia's "Fleiss' kappa": ten subjects, five categories, 14 raters.
SUBJECTS = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]

# Fleiss (1971), table 1: thirty patients, six raters each, five diagnoses; a word is a patient.
# Its totals are 26, 26, 30, 55 and 43, and kappa .430.
PATIENTS = """
00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 10050 11040 03300 10050 02031
00501 30012 51000 02040 10203 00006 01050 02013 20040 10041 05010 40002 02040 10500 00006
"""

cells = st.one_of(st.none(), st.integers(0, 4))
matrices = st.integers(2, 4).flatmap(
    lambda raters: st.lists(st.lists(cells, min_size=raters, max_size=raters), max_size=8)
)
scales = st.sampled_from(SCALES)
Rows = list[list[int | None]]


def spread(counts: list[list[int]]) -> list[list[int]]:
    """The ratings behind a table of items by categories; who gave which does not matter."""
    return [[k for k, count in enumerate(row) for _ in range(count)] for row in counts]


def table(counts: list[list[int]]) -> Ratings:
    """The ratings behind a contingency table of two raters."""
    return Ratings.from_matrix(
        [
            [first, second]
            for first, row in enumerate(counts)
            for second, count in enumerate(row)
            for _ in range(count)
        ]
    )


def long_form(rows: Rows) -> list[tuple[str, str, int | None]]:
    return [
        (f"item{i}", f"rater{j}", value)
        for i, row in enumerate(rows)
        for j, value in enumerate(row)
    ]


def columns(triples: list[tuple[str, str, int | None]]) -> Ratings:
    return Ratings.of(*([triple[k] for triple in triples] for k in range(3)))


@pytest.mark.parametrize(
    ("scale", "published"),
    [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)],
)
def test_alpha_of_krippendorff_2011(scale: str, published: float) -> None:
    found = krippendorff_alpha(Ratings.from_matrix(UNITS), scale)  # type: ignore[arg-type]
    assert found.value == pytest.approx(published, abs=0.0005)
    # Unit 12 has one value, which pairs with nothing: 40 of 41 values are pairable.
    assert (found.items, found.ratings, found.reason) == (11, 40, "")


def test_the_coincidences_of_krippendorff_2011() -> None:
    third = 1 / 3
    expected = [
        [7, 4 * third, third, third, 0],
        [4 * third, 10, 4 * third, third, 0],
        [third, 4 * third, 8, third, 0],
        [third, third, third, 4, 0],
        [0, 0, 0, 0, 3],
    ]
    ratings = Ratings.from_matrix(UNITS)
    _, low, high, weight = _weighted_pairs(ratings)
    half = np.zeros((len(ratings.categories),) * 2)
    np.add.at(half, (low, high), weight)
    found = half + half.T
    assert found == pytest.approx(np.array(expected))
    assert found.sum(axis=0) == pytest.approx([9, 13, 10, 5, 3])


def test_fleiss_kappa_of_the_worked_example() -> None:
    found = fleiss_kappa(Ratings.from_matrix(spread(SUBJECTS)))
    assert found.value == pytest.approx(0.210, abs=0.0005)
    assert found.observed == pytest.approx(1 - 0.378, abs=0.0005)
    assert found.expected == pytest.approx(1 - 0.213, abs=0.0005)
    assert (found.items, found.ratings) == (10, 140)


def test_fleiss_kappa_of_fleiss_1971() -> None:
    counts = [[int(digit) for digit in row] for row in PATIENTS.split()]
    assert [sum(column) for column in zip(*counts, strict=True)] == [26, 26, 30, 55, 43]
    found = fleiss_kappa(Ratings.from_matrix(spread(counts)))
    assert found.value == pytest.approx(0.430, abs=0.0005)
    assert (found.items, found.ratings) == (30, 180)


def test_fleiss_kappa_of_unequal_numbers_by_hand() -> None:
    # Agreement 1, 1/3 and 0; shares of "a": (1 + 1/3 + 1/2) / 3 = 11/18. The last item is alone.
    rows = [["a", "a", None], ["a", "b", "b"], [None, "a", "b"], ["b", None, None]]
    share = 11 / 18
    found = fleiss_kappa(Ratings.from_matrix(rows))
    assert found.value == pytest.approx(1 - (5 / 9) / (2 * share * (1 - share)))
    assert (found.items, found.ratings) == (3, 7)


@pytest.mark.parametrize(
    ("counts", "published"),
    [
        # The worked examples of Wikipedia's "Cohen's kappa": 50 proposals, and the two tables with
        # equal agreement and unequal margins.
        ([[20, 5], [10, 15]], 0.40),
        ([[45, 15], [25, 15]], 0.1304),
        ([[25, 35], [5, 35]], 0.2593),
    ],
)
def test_cohen_kappa_of_the_worked_examples(counts: list[list[int]], published: float) -> None:
    found = cohen_kappas(table(counts))[0, 1]
    assert found.value == pytest.approx(published, abs=0.00005)
    assert found.items == sum(map(sum, counts))


def test_weighted_kappa_by_hand() -> None:
    ratings = table([[2, 1, 1], [0, 2, 0], [0, 1, 1]])
    # Margins 4, 2, 2 and 2, 4, 2. Distances seen: 1 + 2 + 1 of 8 (squares 1 + 4 + 1); expected of
    # 64: 4·(4 + 2·2) + 2·(2 + 2) + 2·(2·2 + 4) (squares 4·(4 + 4·2) + 8 + 2·(4·2 + 4)).
    assert cohen_kappas(ratings, "linear")[0, 1].value == pytest.approx(1 - (4 / 8) / (56 / 64))
    assert cohen_kappas(ratings, "quadratic")[0, 1].value == pytest.approx(1 - (6 / 8) / (80 / 64))


def test_weights_go_by_the_values_also_where_one_is_missing() -> None:
    rows = [[1, 1], [1, 5], [2, 2], [5, 2]]
    # Distances seen 0, 4, 0, 3; expected of 1, 1, 2, 5 against 1, 5, 2, 2.
    everyone = [abs(one - other) for one in (1, 1, 2, 5) for other in (1, 5, 2, 2)]
    found = cohen_kappas(Ratings.from_matrix(rows), "linear")[0, 1]
    assert found.value == pytest.approx(1 - (7 / 4) / (sum(everyone) / 16))


def equal_shares(ratings: Ratings) -> dict[object, float]:
    return {
        pair: 100 * float((ratings.category[left] == ratings.category[right]).mean())
        for pair, left, right in ratings.by_raters()
    }


def test_pairs_of_raters() -> None:
    ratings = Ratings.of(
        ["a", "a", "a", "b", "b", "c", "c", "d"],
        ["ann", "bob", "cy", "ann", "bob", "ann", "bob", "dee"],
        ["x", "x", "y", "x", "y", "y", "y", "x"],
    )
    shares = equal_shares(ratings)
    assert list(shares) == [("ann", "bob"), ("ann", "cy"), ("bob", "cy")]
    assert list(shares.values()) == pytest.approx([200 / 3, 0, 0])
    # Two of five pairs are equal.
    assert percent_agreement(ratings) == pytest.approx(40)
    kappas = cohen_kappas(ratings)
    assert list(kappas) == list(shares)
    assert ("ann", "dee") not in kappas


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([], "no item has two"),
        ([[1, None], [GAP, 2]], "no item has two"),
        ([[1, 1], [1, 1], [2, None]], "all ratings are equal"),
    ],
)
def test_no_coefficient_is_none_with_a_reason(rows: Rows, reason: str) -> None:
    ratings = Ratings.from_matrix(rows)
    for scale in SCALES:
        found = krippendorff_alpha(ratings, scale, resamples=10)
        assert (found.value, found.interval) == (None, None)
        assert reason in found.reason
    assert fleiss_kappa(ratings).value is None
    assert reason in fleiss_kappa(ratings).reason
    for weights in WEIGHTS:
        assert all(found.value is None for found in cohen_kappas(ratings, weights).values())
    assert percent_agreement(ratings) == (100.0 if "equal" in reason else None)


def test_values_unsuitable_for_a_scale_are_refused() -> None:
    labels = Ratings.from_matrix([["low", "high"]])
    with pytest.raises(ValueError, match="'high' is not a number"):
        krippendorff_alpha(labels, "ordinal")
    with pytest.raises(ValueError, match="is not a number"):
        cohen_kappas(labels, "linear")
    with pytest.raises(ValueError, match="no negative value such as -1"):
        krippendorff_alpha(Ratings.from_matrix([[1, -1]]), "ratio")
    with pytest.raises(ValueError, match="unknown scale 'ordered'; there are nominal"):
        krippendorff_alpha(labels, "ordered")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="unknown weights 'square'"):
        cohen_kappas(labels, "square")  # type: ignore[arg-type]


def slow_alpha(rows: Rows, scale: str) -> float | None:
    """Krippendorff's definition, pair by pair."""
    units = [[value for value in row if value is not None] for row in rows]
    units = [unit for unit in units if len(unit) > 1]
    values = [value for unit in units for value in unit]
    if len(set(values)) < 2:
        return None
    counts = Counter(values)

    def distance(one: int, other: int) -> float:
        if one == other:
            return 0.0
        if scale == "nominal":
            return 1.0
        if scale == "interval":
            return (one - other) ** 2
        if scale == "ratio":
            return ((one - other) / (one + other)) ** 2
        low, high = sorted((one, other))
        between = sum(counts[value] for value in range(low, high + 1))
        return (between - (counts[low] + counts[high]) / 2) ** 2

    observed = sum(
        distance(one, other) / (len(unit) - 1)
        for unit in units
        for one, other in itertools.permutations(unit, 2)
    )
    expected = sum(distance(one, other) for one, other in itertools.permutations(values, 2))
    return 1 - (len(values) - 1) * observed / expected


@settings(max_examples=60, deadline=None)
@given(matrices, scales)
def test_alpha_is_that_of_the_slow_definition(rows: Rows, scale: str) -> None:
    found = krippendorff_alpha(Ratings.from_matrix(rows), scale).value  # type: ignore[arg-type]
    expected = slow_alpha(rows, scale)
    assert (found is None) == (expected is None)
    if expected is not None:
        assert found == pytest.approx(expected, abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(matrices, st.sampled_from(WEIGHTS))
def test_kappas_are_those_of_every_pair_of_ratings(rows: Rows, weights: str) -> None:
    power = {"none": 0, "linear": 1, "quadratic": 2}[weights]

    def distance(one: int, other: int) -> int:
        return 0 if one == other else abs(one - other) ** power

    found = cohen_kappas(Ratings.from_matrix(rows), weights)  # type: ignore[arg-type]
    width = len(rows[0]) if rows else 0
    for first, second in itertools.combinations(range(width), 2):
        shared = [(r[first], r[second]) for r in rows if None not in (r[first], r[second])]
        assert ((first, second) in found) == bool(shared)
        if not shared:
            continue
        observed = sum(distance(*pair) for pair in shared) / len(shared)  # type: ignore[arg-type]
        drawn = [distance(one, other) for one, _ in shared for _, other in shared]  # type: ignore[arg-type]
        expected = sum(drawn) / len(drawn)
        value = found[first, second].value
        assert value == (pytest.approx(1 - observed / expected) if expected else None)


@settings(max_examples=40, deadline=None)
@given(matrices, scales, st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(rows: Rows, scale: str, shuffler: random.Random) -> None:
    triples = long_form(rows)
    shuffled = list(triples)
    shuffler.shuffle(shuffled)
    one, other = columns(triples), columns(shuffled)
    # Equal to the last digit, intervals too.
    assert krippendorff_alpha(one, scale, resamples=20) == krippendorff_alpha(  # type: ignore[arg-type]
        other,
        scale,  # type: ignore[arg-type]
        resamples=20,
    )
    assert fleiss_kappa(one) == fleiss_kappa(other)
    assert cohen_kappas(one) == cohen_kappas(other)
    assert equal_shares(one) == equal_shares(other)
    assert percent_agreement(one) == percent_agreement(other)


@settings(max_examples=40, deadline=None)
@given(matrices, st.permutations(range(4)), st.permutations("vwxyz"))
def test_names_of_raters_and_labels_do_not_matter(
    rows: Rows, raters: list[int], labels: list[str]
) -> None:
    triples = long_form(rows)
    plain = columns(triples)
    renamed = Ratings.of(
        [item for item, _, _ in triples],
        [raters[int(rater[-1])] for _, rater, _ in triples],
        [None if value is None else labels[value] for _, _, value in triples],
    )

    def same(one: float | None, other: float | None) -> bool:
        return one == other or (None not in (one, other) and math.isclose(one, other, abs_tol=1e-9))  # type: ignore[arg-type]

    for measure in (krippendorff_alpha, fleiss_kappa):
        assert same(measure(renamed).value, measure(plain).value)
    assert same(percent_agreement(renamed), percent_agreement(plain))
    for (first, second), found in cohen_kappas(plain).items():
        names = sorted((raters[int(first[-1])], raters[int(second[-1])]))  # type: ignore[index]
        assert same(cohen_kappas(renamed)[tuple(names)].value, found.value)  # type: ignore[index]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 9), min_size=2, max_size=8), st.integers(2, 4))
def test_perfect_agreement_is_one(values: list[int], raters: int) -> None:
    ratings = Ratings.from_matrix([[value] * raters for value in values])
    expected = 1.0 if len(set(values)) > 1 else None
    assert {krippendorff_alpha(ratings, scale).value for scale in SCALES} == {expected}
    assert fleiss_kappa(ratings).value == expected
    for weights in WEIGHTS:
        assert {found.value for found in cohen_kappas(ratings, weights).values()} == {expected}
    assert percent_agreement(ratings) == 100


def test_independent_ratings_agree_no_more_than_chance() -> None:
    drawn = np.random.default_rng(7).choice([1, 2, 3], size=(3000, 4), p=[0.2, 0.3, 0.5])
    ratings = Ratings.from_matrix(drawn)
    for scale in SCALES:
        found = krippendorff_alpha(ratings, scale, resamples=200)
        assert found.value == pytest.approx(0, abs=0.03)
        assert found.interval is not None
        assert found.interval[0] < found.value < found.interval[1]
        assert found.interval[1] - found.interval[0] < 0.06
    assert fleiss_kappa(ratings).value == pytest.approx(0, abs=0.03)
    assert all(abs(kappa.value or 0) < 0.08 for kappa in cohen_kappas(ratings).values())


@pytest.mark.parametrize("scale", SCALES)
def test_the_interval_is_that_of_resampled_items(scale: str) -> None:
    ratings = Ratings.from_matrix(UNITS)
    found = krippendorff_alpha(ratings, scale, resamples=300, seed=3)  # type: ignore[arg-type]
    generator = np.random.default_rng(3)
    rows: Rows = [[None if math.isnan(x) else int(x) for x in row] for row in UNITS[:11]]
    alphas = [
        slow_alpha([rows[place] for place in generator.integers(0, 11, size=11)], scale)
        for _ in range(300)
    ]
    defined = [alpha for alpha in alphas if alpha is not None]
    assert found.interval == pytest.approx(tuple(np.quantile(defined, [0.025, 0.975])))
    assert found == krippendorff_alpha(ratings, scale, resamples=300, seed=3)  # type: ignore[arg-type]
    assert krippendorff_alpha(ratings, scale).interval is None  # type: ignore[arg-type]


def test_one_item_has_a_coefficient_but_no_interval() -> None:
    found = krippendorff_alpha(Ratings.from_matrix([[1, 2]]), "interval", resamples=10)
    assert (found.value, found.interval, found.items) == (0.0, None, 1)


# Gamma: marked spans.


def _permuted(one: list[Any], other: list[Any]) -> float:
    """The least disorder of two readers by trying all alignments."""
    best = float(len(one) + len(other))
    size = min(len(one), len(other))
    for many in range(1, size + 1):
        for mine in itertools.combinations(one, many):
            for theirs in itertools.permutations(other, many):
                cost = float(len(one) + len(other) - 2 * many)
                for (start, end, kind), (begin, stop, type_) in zip(mine, theirs, strict=True):
                    whole = end - start + stop - begin
                    apart = (abs(start - begin) + abs(end - stop)) / whole
                    cost += apart**2 + (kind != type_)
                best = min(best, cost)
    return best


marks = st.lists(
    st.tuples(st.integers(0, 40), st.integers(1, 20), st.sampled_from("ab")).map(
        lambda one: (one[0], one[0] + one[1], one[2])
    ),
    max_size=4,
)


@given(marks, marks)
def test_the_best_alignment_is_that_of_all_alignments(one: Any, other: Any) -> None:
    from adequa.stats.agreement import _disorder

    assert _disorder(one, other) == pytest.approx(_permuted(one, other))
    assert _disorder(one, other) == pytest.approx(_disorder(other, one))
    assert _disorder(one, one) == 0


def test_gamma_of_equal_shifted_and_unrelated_marks() -> None:
    chance = np.random.default_rng(3)

    def text(noise: int | None) -> TextMarks:
        own = [(int(at), int(at) + 12, "a") for at in chance.integers(0, 380, 3)]
        if noise is None:
            other = [(int(at), int(at) + 12, "a") for at in chance.integers(0, 380, 3)]
        else:
            other = [(start + noise, end + noise, kind) for start, end, kind in own]
        return TextMarks(400, [own, other])

    equal, near, far = (
        gamma_agreement([text(noise) for _ in range(40)], seed=1).value for noise in (0, 3, None)
    )
    assert equal == 1.0
    assert near is not None
    assert far is not None
    assert 0.85 < near < 1.0
    assert abs(far) < 0.1


def test_gamma_takes_types_and_what_only_one_marked_into_account() -> None:
    one = [(0, 10, "a"), (50, 60, "b")]
    texts = [
        TextMarks(200, [one, other])
        for other in (one, [(0, 10, "b"), (50, 60, "b")], [(0, 10, "a")], [])
    ]
    values = [gamma_agreement([text] * 3).value for text in texts]
    assert values[0] == 1.0
    assert all(first > second for first, second in itertools.pairwise(values))  # type: ignore[operator]
    assert gamma_agreement(texts).value == gamma_agreement(texts).value
    assert gamma_agreement(texts, seed=1).value != gamma_agreement(texts).value


def test_gamma_without_pairs_or_marks_has_a_reason() -> None:
    alone = gamma_agreement([TextMarks(9, [[(0, 3, "a")]])])
    assert (alone.value, alone.reason != "") == (None, True)
    nothing = gamma_agreement([TextMarks(9, [[], []])])
    assert (nothing.value, nothing.reason) == (None, "nothing is marked")
