"""Parts of long inputs: all of it, nothing too long, cut where it hurts least."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.models.windows import breaks_of, chunks, windows
from adequa.models.wordpiece import WordPiece


@given(
    count=st.integers(0, 200),
    size=st.integers(1, 40),
    share=st.floats(0, 0.25),
    breaks=st.lists(st.sets(st.integers(1, 200)), max_size=2),
)
def test_windows_cover_everything_in_order(
    count: int, size: int, share: float, breaks: list[set[int]]
) -> None:
    overlap = min(int(size * share), size // 4)
    found = windows(count, size, overlap=overlap, breaks=breaks)
    assert found[0][0] == 0
    assert found[-1][1] == count
    assert all(end - start <= size for start, end in found)
    for (start, end), (later, _) in pairwise(found):
        assert start < later <= end
        assert end - later <= overlap


def test_a_sentence_is_a_better_place_to_cut_than_a_word() -> None:
    assert windows(12, 8, breaks=[{5}, {3, 5, 6, 7}]) == [(0, 5), (5, 12)]
    assert windows(12, 8, breaks=[{3}, {3, 5, 7}]) == [(0, 7), (7, 12)]
    assert windows(12, 8) == [(0, 8), (8, 12)]


def test_too_much_overlap_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="cannot overlap"):
        windows(10, 4, overlap=2)


@given(st.lists(st.integers(1, 12), max_size=20), st.integers(1, 12))
def test_chunks_hold_everything_that_fits(lengths: list[int], size: int) -> None:
    found = chunks(lengths, size)
    assert [one for chunk in found for one in chunk] == [
        number for number, length in enumerate(lengths) if length <= size
    ]
    assert all(0 < sum(lengths[one] for one in chunk) <= size for chunk in found)


def test_sentences_and_words(reader: WordPiece) -> None:
    text = 'The pub (3.5). "A city." The cafe\nserves'
    offsets = [(start, end) for _, start, end in reader.pieces(text)]
    sentences, words = breaks_of(text, offsets)
    assert [text[offsets[one][0] :][:4] for one in sentences] == ['"A c', "The ", "serv"]
    assert [text[slice(*offsets[one])] for one in words] == [
        *("pub", "(", '"', "city", "The", "cafe", "serve")
    ]
