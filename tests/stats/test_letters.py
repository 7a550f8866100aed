"""Significance letters, against their defining property."""

from __future__ import annotations

from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.stats.significance import significance_letters

SYSTEMS = 6
pairs = st.sets(st.sampled_from(list(combinations(range(SYSTEMS), 2))))


@given(pairs)
def test_two_systems_share_a_letter_unless_they_differ(different: set[tuple[int, int]]) -> None:
    letters = significance_letters(SYSTEMS, different)
    assert letters is not None
    for one, other in combinations(range(SYSTEMS), 2):
        assert bool(set(letters[one]) & set(letters[other])) == ((one, other) not in different)


@given(pairs, st.randoms())
def test_the_order_of_the_pairs_does_not_matter(
    different: set[tuple[int, int]], random: Random
) -> None:
    shuffled = [pair[::-1] for pair in different]
    random.shuffle(shuffled)
    assert significance_letters(SYSTEMS, shuffled) == significance_letters(SYSTEMS, different)


def test_no_difference_is_one_letter_and_all_differences_are_as_many() -> None:
    assert significance_letters(3, []) == ["a", "a", "a"]
    assert significance_letters(3, combinations(range(3), 2)) == ["a", "b", "c"]
    assert significance_letters(0, []) == []


def test_too_many_groups_have_no_letters() -> None:
    assert significance_letters(60, combinations(range(60), 2)) is None
    # Twenty separate pairs split the whole into 2^20 groups.
    assert significance_letters(40, [(2 * k, 2 * k + 1) for k in range(20)]) is None


def test_a_system_does_not_differ_from_itself() -> None:
    with pytest.raises(ValueError, match="itself"):
        significance_letters(2, [(1, 1)])
