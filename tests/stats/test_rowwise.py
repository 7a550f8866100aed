"""Rows at once give what one after the other gives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.errors import UnknownName
from adequa.stats.correlations import COEFFICIENTS, rowwise_correlations


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[list[float]], list[list[float]]]:
    columns = draw(st.integers(1, 7))
    value = st.sampled_from([-3.0, 0.0, 0.5, 1.0, 2.0, 1e9, float("nan"), float("inf")])
    row = st.lists(value, min_size=columns, max_size=columns)
    first = draw(st.lists(row, min_size=1, max_size=4))
    count = draw(st.sampled_from([1, len(first)]))
    return first, draw(st.lists(row, min_size=count, max_size=count))


@pytest.mark.parametrize("name", COEFFICIENTS)
@given(tables())
def test_as_one_after_the_other(
    name: str, both: tuple[list[list[float]], list[list[float]]]
) -> None:
    first, second = both
    found = rowwise_correlations(first, second, name)
    for place, row in enumerate(first):
        expected = COEFFICIENTS[name](row, second[place if len(second) > 1 else 0])
        if expected is None:
            assert np.isnan(found[place])
        else:
            assert found[place] == pytest.approx(expected.value, abs=1e-9)


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_long_rows(name: str) -> None:
    random = np.random.default_rng(0)
    first, second = random.integers(0, 9, (3, 100)), random.integers(0, 9, 100)
    expected = [COEFFICIENTS[name](row, second).value for row in first]  # type: ignore[union-attr]
    assert rowwise_correlations(first, second, name) == pytest.approx(expected)
    assert rowwise_correlations(second, first, name) == pytest.approx(expected)


def test_what_cannot_be_paired() -> None:
    with pytest.raises(ValueError, match="cannot be paired"):
        rowwise_correlations([[1, 2, 3]], [[1, 2]], "pearson")
    with pytest.raises(ValueError, match="cannot be paired"):
        rowwise_correlations(np.ones((2, 3)), np.ones((3, 3)), "pearson")
    with pytest.raises(UnknownName, match="pearson"):
        rowwise_correlations([[1, 2, 3]], [[1, 2, 3]], "person")
