"""Long inputs in parts that a model can take: nothing is cut off, and no sentence needlessly."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence

_ENDS = frozenset(".!?…。！？\n")
_CLOSING = frozenset("\"'”’»)]")


def windows(
    count: int, size: int, *, overlap: int = 0, breaks: Sequence[Collection[int]] = ()
) -> list[tuple[int, int]]:
    """Stretches of at most `size` that cover 0 to `count`, and share about `overlap` each.

    `breaks` are the places where a stretch would best begin, the best kind first; a kind is taken
    when it has a place in the second half of a stretch. An empty input is one empty stretch.

    >>> windows(10, 6, overlap=1, breaks=[{4, 8}])
    [(0, 4), (3, 8), (7, 10)]
    """
    if size < 1 or not 0 <= overlap <= size // 4:
        raise ValueError(f"windows of {size} cannot overlap by {overlap}")
    ordered = [sorted(kind) for kind in breaks]
    found: list[tuple[int, int]] = []
    start = 0
    while True:
        end = min(start + size, count)
        if end < count:
            end = _best(ordered, start + (size + 1) // 2, end, last=True) or end
        found.append((start, end))
        if end >= count:
            return found
        start = _best(ordered, end - overlap, end - 1, last=False) or end - overlap


def _best(kinds: Sequence[Sequence[int]], low: int, high: int, *, last: bool) -> int | None:
    """The last or first place from `low` to `high` of the best kind that has one."""
    for places in kinds:
        first, after = bisect_left(places, low), bisect_right(places, high)
        if first < after:
            return places[after - 1 if last else first]
    return None


def chunks(lengths: Sequence[int], size: int) -> list[tuple[int, ...]]:
    """Which things stay together, in order, so that no company is longer than `size`.

    A thing that is longer by itself is in none of them.

    >>> chunks([3, 2, 9, 4], 6)
    [(0, 1), (3,)]
    """
    found: list[tuple[int, ...]] = []
    company: list[int] = []
    room = size
    for number, length in enumerate(lengths):
        if length > size:
            continue
        if length > room:
            found.append(tuple(company))
            company, room = [], size
        company.append(number)
        room -= length
    return [*found, tuple(company)] if company else found


def breaks_of(text: str, offsets: Sequence[tuple[int, int]]) -> tuple[list[int], list[int]]:
    """The numbers of the pieces that begin a sentence, and of those that begin a word."""
    sentences: list[int] = []
    words: list[int] = []
    ended = False
    for number, (start, end) in enumerate(offsets):
        spaced = number > 0 and start > offsets[number - 1][1]
        if spaced:
            words.append(number)
            between = text[offsets[number - 1][1] : start]
            if ended or "\n" in between:
                sentences.append(number)
        piece = text[start:end]
        ended = piece in _ENDS or (ended and not spaced and piece in _CLOSING)
    return sentences, words
