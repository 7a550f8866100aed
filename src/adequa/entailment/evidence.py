"""What a model says of a text and its facts, before anything is decided."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from adequa.data import Item

__all__ = ["Checker", "Evidence", "Level", "Stretch"]

Level = Literal["text", "sentence", "clause", "span"]


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of the text that the data may not support."""

    start: int
    end: int
    level: Level
    unsupported: float | None
    """The probability that the data does not support it; None where it could not be read."""
    contradicted: float | None = None
    """The probability that the data says otherwise, where the model tells that apart."""
    fact: int | None = None
    """Which triple says otherwise, where that is known."""
    garbled: bool = False
    """Whether its words are not well formed, so that nobody can tell what they say."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The two directions of one item; probabilities, and None for what could not be read."""

    stated: tuple[float | None, ...]
    """How likely the text states each triple."""
    stretches: tuple[Stretch, ...]
    """Parts of the text, in its order and apart from each other, at the finest level there is."""
    supported: float | None
    """How likely the data supports the text as a whole."""
    value: float | None
    """All and only: from 0 to 1, for the score."""


Checker = Callable[[Sequence[Item]], "list[Evidence]"]
"""Asks a model about items that have triples and text; one answer an item, in their order."""
