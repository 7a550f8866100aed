"""Mentions of several methods, made into one list without overlaps, as the paper does it."""

from __future__ import annotations

from collections.abc import Iterable

from adequa.data import Mention

__all__ = ["merge"]


def merge(mentions: Iterable[Mention]) -> tuple[Mention, ...]:
    """Of mentions that overlap, those with the lowest distance; of equals, the longest.

    >>> short, long = Mention("a", 0, 3, "name"), Mention("b", 0, 9, "linker")
    >>> merge([short, long]) == (long,)
    True
    """
    kept: list[Mention] = []
    for mention in sorted(mentions, key=_rank):
        if all(mention.end <= other.start or other.end <= mention.start for other in kept):
            kept.append(mention)
    return tuple(sorted(kept, key=lambda mention: (mention.start, mention.end)))


def _rank(mention: Mention) -> tuple[float, int, int, str]:
    return mention.distance, mention.start - mention.end, mention.start, mention.entity
