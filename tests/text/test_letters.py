"""Letters without accents, and words by their sound."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.text.letters import _fold_letter, fold, is_cyrillic, sound_distance, sounds_of


def test_folding_keeps_offsets() -> None:
    assert fold("Straße Łódź") == "strase lodz"
    assert len(fold("İstanbul ﬁ")) == len("İstanbul ﬁ")


@given(st.text())
def test_a_string_is_folded_letter_by_letter(string: str) -> None:
    assert fold(string) == "".join(map(_fold_letter, string))


@pytest.mark.parametrize(
    ("name", "word"),
    [("holberg", "хольберг"), ("fox", "фокс"), ("marlow", "марлоу"), ("charlotte", "шарлотта"),
     ("whitmore", "уитмор"), ("bright", "брайт"), ("james", "джеимс"), ("hamburg", "гамбург")],
)  # fmt: skip
def test_one_name_in_two_scripts_sounds_alike(name: str, word: str) -> None:
    assert sound_distance(word, name) <= 0.26


@pytest.mark.parametrize(
    ("name", "word"), [("geneva", "лозанна"), ("martin", "генрих"), ("holberg", "зоммер")]
)
def test_other_names_do_not(name: str, word: str) -> None:
    assert sound_distance(word, name) > 0.5


def test_scripts() -> None:
    assert is_cyrillic("мост")
    assert not is_cyrillic("most")
    assert sounds_of("сс") == sounds_of("s")
