"""Groups of systems, against what defines them."""

from __future__ import annotations

from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.errors import DataError, SettingError, UnknownName
from adequa.human.analysis.study import TESTS, significance_groups
from adequa.stats import CORRECTIONS, adjust, rank_sum, signed_rank

TEXTS = 12
values = st.integers(1, 3).map(float)
systems = st.dictionaries(
    st.sampled_from("ABCDE"),
    st.lists(values, min_size=TEXTS, max_size=TEXTS).map(
        lambda found: {f"Id{number}": value for number, value in enumerate(found)}
    ),
    min_size=2,
)


@given(systems, st.sampled_from(sorted(TESTS)), st.sampled_from(sorted(CORRECTIONS)))
def test_two_systems_share_a_letter_unless_the_test_tells_them_apart(
    samples: dict[str, dict[str, float]], test: str, correction: str
) -> None:
    found = significance_groups(samples, test=test, correction=correction)
    plain = rank_sum if test == "rank-sum" else signed_rank
    pairs = list(combinations(found.order, 2))
    tests = [plain([*samples[one].values()], [*samples[other].values()]) for one, other in pairs]
    corrected = adjust([None if one is None else one.p for one in tests], correction)
    for (one, other), p in zip(pairs, corrected, strict=True):
        shares = bool(set(found.letters[one]) & set(found.letters[other]))
        assert shares == (p is None or p >= 0.05) == (frozenset((one, other)) in found.alike)


@given(systems, st.sampled_from(sorted(TESTS)), st.randoms(), st.integers(-9, 9))
def test_neither_the_order_of_rows_nor_a_constant_changes_a_group(
    samples: dict[str, dict[str, float]], test: str, random: Random, constant: int
) -> None:
    found = significance_groups(samples, test=test)
    moved = {}
    for name in random.sample(sorted(samples), len(samples)):
        rows = [(text, value + constant) for text, value in samples[name].items()]
        random.shuffle(rows)
        moved[name] = dict(rows)
    again = significance_groups(moved, test=test)
    assert again.letters == found.letters
    assert again.order == found.order
    assert [one.p for one in again.differences] == [one.p for one in found.differences]


def test_the_signed_rank_test_pairs_by_text() -> None:
    first = {f"Id{number}": float(number) for number in range(12)}
    second = {text: value - 0.1 * (1 + value) for text, value in first.items()}
    backwards = dict(reversed(second.items()))
    found = significance_groups({"A": first, "B": backwards}, test="signed-rank")
    assert found.letters == {"A": "a", "B": "b"}
    assert significance_groups({"A": first, "B": backwards}).letters == {"A": "a", "B": "a"}
    without_one = {text: value for text, value in second.items() if text != "Id3"}
    pair = significance_groups({"A": first, "B": without_one}, test="signed-rank").differences[0]
    assert pair.values == 11


def test_texts_that_no_two_systems_share_tell_nothing() -> None:
    found = significance_groups({"A": {"Id1": 3.0}, "B": {"Id2": 1.0}}, test="signed-rank")
    assert found.letters == {"A": "a", "B": "a"}
    assert found.differences[0].p is None


def test_equal_means_are_ordered_by_name_and_one_system_is_a_group() -> None:
    assert significance_groups({"B": [1, 3], "A": [2, 2]}).order == ("A", "B")
    assert significance_groups({"A": [1]}).letters == {"A": "a"}


def test_constant_values_share_a_letter() -> None:
    found = significance_groups({"A": [2, 2, 2], "B": [2, 2, 2]}, correction="holm")
    assert found.letters == {"A": "a", "B": "a"}


def test_what_cannot_be_grouped_is_refused() -> None:
    with pytest.raises(DataError, match="no system"):
        significance_groups({})
    with pytest.raises(DataError, match="'B' has no values"):
        significance_groups({"A": [1], "B": []})
    with pytest.raises(DataError, match="not a finite number"):
        significance_groups({"A": [1], "B": [float("nan")]})
    with pytest.raises(DataError, match="cannot be paired"):
        significance_groups({"A": [1, 2], "B": [1]}, test="signed-rank")
    with pytest.raises(UnknownName, match="did you mean 'rank-sum'"):
        significance_groups({"A": [1]}, test="ranksum")
    with pytest.raises(UnknownName, match="correction"):
        significance_groups({"A": [1]}, correction="tukey")
    with pytest.raises(SettingError, match="alpha"):
        significance_groups({"A": [1]}, alpha=5)
