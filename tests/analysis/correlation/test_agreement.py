"""Each level against loops a reader can follow."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adequa.analysis.correlation.agreement import (
    LEVELS,
    Places,
    agreement_of,
    correlate_at,
    resample_at,
)
from adequa.errors import UnknownName
from adequa.stats import COEFFICIENTS, cluster_draws

Row = tuple[int, int, int, int]
ROWS = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3), st.integers(0, 3)),
    min_size=1,
    max_size=16,
    unique_by=lambda row: row[:2],
)
WAYS = st.tuples(st.sampled_from(LEVELS), st.sampled_from([*COEFFICIENTS]))


def slow(level: str, coefficient: str, rows: list[Row]) -> float | None:
    """Rows of input, system, score, rating; a row may stand several times."""
    function = COEFFICIENTS[coefficient]
    if level == "text":
        found = function([row[2] for row in rows], [row[3] for row in rows])
        return found.value if found else None
    if level == "system":
        names = sorted({row[1] for row in rows})
        means = [
            [
                # Whole numbers' means, tied where they are: rounding makes no difference.
                float(
                    Fraction(sum(some := [row[side] for row in rows if row[1] == name]), len(some))
                )
                for name in names
            ]
            for side in (2, 3)
        ]
        found = function(*means)
        return found.value if found else None
    place = 0 if level == "item" else 1
    values = []
    for name in sorted({row[place] for row in rows}):
        inside = [row for row in rows if row[place] == name]
        found = function([row[2] for row in inside], [row[3] for row in inside])
        values += [found.value] if found else []
    return float(np.mean(values)) if values else None


def columns(rows: list[Row]):
    table = np.array(rows, dtype=np.int64)
    _, inputs = np.unique(table[:, 0], return_inverse=True)
    places = Places(inputs, table[:, 1])
    return table[:, 2].astype(float), table[:, 3].astype(float), places


@given(ROWS, WAYS)
def test_coefficients(rows: list[Row], way: tuple[str, str]) -> None:
    first, second, places = columns(rows)
    found, expected = correlate_at(*way, first, second, places), slow(*way, rows)
    (row,) = agreement_of(*way, second, places)(first[None])
    if expected is None:
        assert found.value is None
        assert np.isnan(row)
    else:
        # Sums in another order differ by more than the default of 1e-12 where the value is 0.
        assert found.value == pytest.approx(expected, abs=1e-9)
        assert row == pytest.approx(expected, abs=1e-9)


@settings(max_examples=60)
@given(ROWS, WAYS)
def test_resamples(rows: list[Row], way: tuple[str, str]) -> None:
    level, coefficient = way
    first, second, places = columns(rows)
    draws = cluster_draws(len(set(places.inputs)), n=4, seed=2)
    found = resample_at(level, coefficient, first, second, places, draws)
    assert found is not None
    for value, drawn in zip(found, draws.astype(int), strict=True):
        if level == "item":  # each input's own coefficient, as often as it is drawn
            each = [
                slow(
                    "text",
                    coefficient,
                    [r for r, i in zip(rows, places.inputs, strict=True) if i == n],
                )
                for n in range(len(drawn))
            ]
            values = [one for one, times in zip(each, drawn, strict=True) for _ in range(times)]
            there = [one for one in values if one is not None]
            expected = float(np.mean(there)) if there else None
        else:
            copied = [
                row
                for row, place in zip(rows, places.inputs, strict=True)
                for _ in range(drawn[place])
            ]
            expected = slow(level, coefficient, copied) if copied else None
        if expected is not None and not (level != "item" and _few(level, rows, places, drawn)):
            # Near zero the two ways of summing differ by about 1e-12.
            assert value == pytest.approx(expected, abs=1e-9)


def _few(level: str, rows: list[Row], places: Places, drawn: np.ndarray) -> bool:
    """Copies of one or two texts are three pairs to a loop, and none to talk about."""
    groups: dict[int, int] = {}
    for row, place in zip(rows, places.inputs, strict=True):
        key = row[1] if level == "system-mean" else 0
        groups[key] = groups.get(key, 0) + int(drawn[place])
    return any(count < 3 for count in groups.values())


@given(ROWS, WAYS, st.randoms())
def test_the_order_of_rows_changes_nothing(rows: list[Row], way: tuple[str, str], random) -> None:
    shuffled = list(rows)
    random.shuffle(shuffled)
    one, other = (correlate_at(*way, *columns(some)) for some in (rows, shuffled))
    assert one.value == pytest.approx(other.value) if one.value is not None else other.value is None


def test_p_values_and_counts() -> None:
    random = np.random.default_rng(0)
    inputs, systems = np.repeat(np.arange(20), 5), np.tile(np.arange(5), 20)
    target = random.normal(size=100)
    scores = target + random.normal(size=100)
    places = Places(inputs, systems)
    text, item, mean, system = (
        correlate_at(level, "pearson", scores, target, places) for level in LEVELS
    )
    assert text.p is not None
    assert text.p < 1e-6
    assert (text.pairs, text.groups) == (100, None)
    assert item.p is not None
    assert item.p < 0.001
    assert (item.pairs, item.groups) == (100, 20)
    assert (mean.p, mean.groups) == (None, 5)
    assert system.pairs == 5


def test_an_unknown_level() -> None:
    places = Places(np.zeros(3, dtype=np.int64), np.zeros(3, dtype=np.int64))
    with pytest.raises(UnknownName, match="system-mean"):
        correlate_at("texts", "pearson", np.ones(3), np.ones(3), places)
