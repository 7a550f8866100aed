"""From pieces to words, and from words to stretches a person would mark."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.metrics.nli.evidence import Word, stretches, words_of

DOUBTS = st.floats(0, 1)
TEXTS = st.lists(st.sampled_from(["Bex", "3.5", "is", "the", "of", "old", "pub", ",", ". ", "; "]))


def words(text: str, doubts: list[float]) -> list[Word]:
    """The words of a text with their doubts, in order."""
    found = [match.span() for match in re.finditer(r"[^\W_]+", text)]
    return [Word(*place, doubt) for place, doubt in zip(found, doubts, strict=True)]


def marked(text: str, doubts: list[float], threshold: float = 0.5) -> list[str]:
    found = stretches(text, words(text, doubts), threshold)
    return [text[one.start : one.end] for one in found]


def test_pieces_of_a_word_are_one_word_as_doubtful_as_the_worst() -> None:
    text = "Velmora, a town_7"
    offsets = [(0, 3), (3, 7), (7, 8), (9, 10), (11, 15), (15, 16), (16, 17)]
    found = words_of(text, offsets, [0.1, 0.9, 1.0, 0.2, 0.3, 1.0, 0.4])
    assert found == [(0, 7, 0.9), (9, 10, 0.2), (11, 15, 0.3), (16, 17, 0.4)]


def test_every_piece_has_its_doubt() -> None:
    with pytest.raises(ValueError, match="zip"):
        words_of("a b", [(0, 1), (2, 3)], [0.5])


@given(st.data())
def test_words_keep_all_letters_and_their_worst_doubt(data: st.DataObject) -> None:
    text = data.draw(st.text("ab1é文_,. \n", max_size=30))
    cuts = sorted({0, len(text), *data.draw(st.lists(st.integers(0, len(text))))})
    offsets = [
        (start + piece.start(), start + piece.end())
        for start, end in pairwise(cuts)
        for piece in re.finditer(r"[^\W_]+|[^\s\w]|_", text[start:end])
    ]
    doubts = [data.draw(DOUBTS) for _ in offsets]
    found = words_of(text, offsets, doubts)
    assert [text[one.start : one.end] for one in found] == re.findall(r"[^\W_]+", text)
    for one in found:
        inside = [
            doubt
            for (start, end), doubt in zip(offsets, doubts, strict=True)
            if one.start <= start and end <= one.end
        ]
        assert one.unsupported == max(inside)


@pytest.mark.parametrize(
    ("text", "doubts", "expected"),
    [
        ("Bex is a pub", [0, 0, 0, 0.4], []),
        ("Bex is a pub", [0, 0, 0, 0.5], ["pub"]),
        ("Bex is a pub", [0, 0, 0.9, 0.9], ["a pub"]),
        # Little words between two go along, and others where they are in doubt.
        ("inn of the king", [0.9, 0, 0, 0.9], ["inn of the king"]),
        ("inn beside king", [0.9, 0.1, 0.9], ["inn", "king"]),
        ("inn beside king", [0.9, 0.2, 0.9], ["inn beside king"]),
        ("inn of the of king", [0.9, 0, 0, 0, 0.9], ["inn", "king"]),
        # Never over the end of a sentence; a number and an address are no ends.
        ("old inn. Old king", [0, 0.9, 0.9, 0], ["inn", "Old"]),
        ("old inn; old king", [0, 0.9, 0.9, 0], ["inn", "old"]),
        ("old inn, old king", [0, 0.9, 0.9, 0], ["inn, old"]),
        ("It is 3.5 km", [0, 0, 0.9, 0.9, 0], ["3.5"]),
        ("See bex.example now", [0, 0.9, 0.9, 0], ["bex.example"]),
        ("", [], []),
    ],
)
def test_what_is_marked(text: str, doubts: list[float], expected: list[str]) -> None:
    assert marked(text, doubts) == expected


def test_a_stretch_is_as_sure_as_its_surest_word() -> None:
    (found,) = stretches("old inn", words("old inn", [0.6, 0.8]), 0.5)
    assert (found.level, found.unsupported, found.contradicted, found.fact) == (
        "span",
        0.8,
        None,
        None,
    )


def test_wrong_values_of_a_short_run_stand_apart() -> None:
    text = "born in Sarn in May 1733 and raised there"
    doubts = [0.9, 0.9, 0.9, 0.1, 0.9, 0.9, 0.1, 0.1, 0.1]
    own = words(text, doubts)

    def parts(*values: str) -> list[str]:
        places = [(text.index(value), text.index(value) + len(value)) for value in values]
        found = stretches(text, own, 0.5, places)
        return [text[one.start : one.end] for one in found]

    assert parts() == ["born in Sarn in May 1733"]
    assert parts("Sarn", "May 1733") == ["born in", "Sarn", "May 1733"]
    assert parts("1733") == ["born in Sarn in May", "1733"]
    assert parts("there") == parts()  # which nobody doubts
    long = "old " * 9 + "Sarn"
    (whole,) = stretches(long, words(long, [0.9] * 10), 0.5, [(36, 40)])
    assert (whole.start, whole.end) == (0, 40)  # a whole sentence is wrong, and not its names


@given(st.data(), TEXTS, st.floats(0.05, 1), st.floats(0.05, 1))
def test_stretches_hold_all_that_is_flagged_and_grow_as_the_threshold_falls(
    data: st.DataObject, parts: list[str], one: float, other: float
) -> None:
    text = " ".join(parts)
    own = [Word(*match.span(), data.draw(DOUBTS)) for match in re.finditer(r"[^\W_]+", text)]
    low, high = sorted((one, other))
    wide, narrow = stretches(text, own, low), stretches(text, own, high)
    for found, threshold in ((wide, low), (narrow, high)):
        flagged = [word for word in own if word.unsupported >= threshold]
        assert {stretch.start for stretch in found} <= {word.start for word in flagged}
        assert {stretch.end for stretch in found} <= {word.end for word in flagged}
        for word in flagged:
            assert sum(part.start <= word.start < word.end <= part.end for part in found) == 1
        for first, second in pairwise(found):
            assert first.end < second.start
        for part in found:
            assert not re.search(r"[.;] ", text[part.start : part.end])
    for part in narrow:
        assert any(more.start <= part.start and part.end <= more.end for more in wide)
