"""Significance letters: two systems that share one cannot be told apart."""

from __future__ import annotations

import string
from collections.abc import Iterable

__all__ = ["significance_letters"]

_LETTERS = string.ascii_lowercase + string.ascii_uppercase
_TOO_MANY = 500
"""Odd patterns of differences make very many groups; past this the display helps nobody."""


def significance_letters(count: int, different: Iterable[tuple[int, int]]) -> list[str] | None:
    """A string of letters for each of `count` systems, best first; `different` are index pairs.

    The compact letter display of Piepho (2004): start with one group of all, split every group that
    holds two different systems, and drop a group that lies within another. None where the letters
    do not suffice.

    >>> significance_letters(4, [(0, 2), (0, 3), (1, 3)])
    ['a', 'ab', 'bc', 'c']
    """
    groups = [frozenset(range(count))] if count else []
    for one, other in sorted({(min(pair), max(pair)) for pair in different}):
        if one == other:
            raise ValueError("a system does not differ from itself")
        split: list[frozenset[int]] = []
        for group in groups:
            if one in group and other in group:
                split += [group - {one}, group - {other}]
            else:
                split.append(group)
        groups = _without_parts(split)
        if len(groups) > _TOO_MANY:
            return None
    groups.sort(key=sorted)
    if len(groups) > len(_LETTERS):
        return None
    return [
        "".join(letter for letter, group in zip(_LETTERS, groups, strict=False) if system in group)
        for system in range(count)
    ]


def _without_parts(groups: list[frozenset[int]]) -> list[frozenset[int]]:
    kept: list[frozenset[int]] = []
    for group in sorted(set(groups), key=len, reverse=True):
        if not any(group < larger for larger in kept):
            kept.append(group)
    return kept
