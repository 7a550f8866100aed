"""The nouns of a campaign: what people are asked, about which texts, and under which rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from adequa.data import Item

__all__ = ["Campaign", "Choice", "Eligibility", "Question", "QuestionKind", "SampledText"]

QuestionKind = Literal["choice", "slider", "spans"]


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer of a scale: the number that is stored and the words that are shown."""

    value: float
    label: str


@dataclass(frozen=True, slots=True)
class Question:
    """One criterion, asked of every text.

    A `choice` has `choices`; a `slider` goes from `low` to `high`; with `spans` people mark parts
    of the text with one of `labels` and, where `omissions` is set, tick the facts that the text
    leaves out. The value stored for spans is the number of marks.
    """

    name: str
    text: str
    kind: QuestionKind
    choices: tuple[Choice, ...] = ()
    low: float = 0.0
    high: float = 100.0
    low_label: str = ""
    high_label: str = ""
    labels: tuple[str, ...] = ()
    omissions: bool = False

    @property
    def lowest(self) -> float | None:
        """What a text gets that nobody is shown because it is empty; None for marks."""
        if self.kind == "choice":
            return min(choice.value for choice in self.choices)
        return self.low if self.kind == "slider" else None


@dataclass(frozen=True, slots=True)
class Eligibility:
    """A question asked once; who does not give an accepted answer takes no part."""

    name: str
    text: str
    options: tuple[str, ...]
    accepted: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Campaign:
    """What is asked and the rules of handing out; the texts are beside it."""

    name: str
    title: str
    questions: tuple[Question, ...]
    instructions: str = ""
    eligibility: tuple[Eligibility, ...] = ()
    raters_per_text: int = 3
    texts_per_rater: int = 30
    """In one task."""
    return_after: int = 1800
    """Seconds after which a text whose rater shows no sign of life returns to the pool."""
    seed: int = 0


@dataclass(frozen=True, slots=True)
class SampledText:
    """A text of the sample: the task it is handed out in and the cell it stands for."""

    item: Item
    task: str
    cell: Mapping[str, str] = field(default_factory=dict)
    """Category, size and level of the score, or whatever the sample was drawn by."""
    control: Mapping[str, float] = field(default_factory=dict)
    """The right answer by question, where it is known; no rater sees it."""

    @property
    def is_shown(self) -> bool:
        """An empty text is shown to nobody and gets the lowest score."""
        return bool(self.item.text.strip())
