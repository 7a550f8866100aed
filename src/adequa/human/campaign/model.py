"""The nouns of a campaign: questions, rules and texts; raters, their pages, and the progress."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from adequa.data import Item

QuestionKind = Literal["choice", "slider", "spans"]


@dataclass(frozen=True, slots=True)
class AnswerChoice:
    """One answer of a scale: the number that is stored and the words that are shown."""

    value: float
    label: str


@dataclass(frozen=True, slots=True)
class Question:
    """One criterion, asked of every text.

    A `choice` has `choices`; a `slider` goes from `low` to `high`; with `spans` people mark parts
    of the text with one of `labels`, say how bad each is where there are `severities`, and, where
    `omissions` is set, tick the facts that the text leaves out. The value stored for spans is the
    number of marks.
    """

    name: str
    text: str
    kind: QuestionKind
    choices: tuple[AnswerChoice, ...] = ()
    low: float = 0.0
    high: float = 100.0
    low_label: str = ""
    high_label: str = ""
    labels: tuple[str, ...] = ()
    severities: tuple[str, ...] = ()
    omissions: bool = False

    @property
    def lowest(self) -> float | None:
        """The value of an empty text, which nobody is shown; None for marks."""
        if self.kind == "choice":
            return min(choice.value for choice in self.choices)
        return self.low if self.kind == "slider" else None


@dataclass(frozen=True, slots=True)
class Eligibility:
    """A question asked once; raters without an accepted answer do not take part."""

    name: str
    text: str
    options: tuple[str, ...]
    accepted: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Campaign:
    """The questions and the rules by which texts are assigned; the texts are kept apart."""

    name: str
    title: str
    questions: tuple[Question, ...]
    instructions: str = ""
    eligibility: tuple[Eligibility, ...] = ()
    raters_per_text: int = 3
    texts_per_rater: int = 30
    """Per task."""
    return_after: int = 1800
    """Seconds after which a text whose rater is inactive returns to the pool."""
    seed: int = 0


@dataclass(frozen=True, slots=True)
class SampledText:
    """A text of the sample, with its task and the cell that it represents."""

    item: Item
    task: str
    cell: Mapping[str, str] = field(default_factory=dict)
    """The values of the fields the sample was drawn by: category, size, level of the score."""
    control: Mapping[str, float] = field(default_factory=dict)
    """The right answer by question, where it is known; no rater sees it."""

    @property
    def rival(self) -> str | None:
        """The text of another system that this one is compared with, in a campaign of pairs."""
        found = self.item.meta.get("rival")
        return str(found["text"]) if isinstance(found, Mapping) else None

    @property
    def is_shown(self) -> bool:
        """Whether people see the text; an empty one is not shown and gets the lowest score.

        Of a pair, the empty one loses.
        """
        return bool(self.item.text.strip()) and (self.rival is None or bool(self.rival.strip()))

    @property
    def pair(self) -> list[str] | None:
        """The two systems of a pair; a positive answer prefers the first."""
        found = self.item.meta.get("rival")
        return list(found["systems"]) if isinstance(found, Mapping) else None


Status = Literal["new", "eligible", "refused", "excluded"]
Outcome = Literal["stored", "already", "gone"]
Reason = Literal["finished task", "nothing left", "waiting", "new", "refused", "excluded"]


def name_of(number: int) -> str:
    """The name of a rater in links, tables and ratings."""
    return f"r{number:03d}"


@dataclass(frozen=True, slots=True)
class Rater:
    """A person who answers; `external` is their id on a crowdsourcing platform."""

    number: int
    name: str
    external: str | None
    status: Status
    task: str | None


@dataclass(frozen=True, slots=True)
class OwnSlot:
    """A slot of one rater: `state` is held, answered or void."""

    number: int
    text: int
    task: str
    state: str


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a rater: in their current task, and in total."""

    task: str | None
    done: int
    limit: int
    """For this task: the campaign's limit, or the number of the task's texts if lower."""
    total_done: int


@dataclass(frozen=True, slots=True)
class Page:
    """A text assigned to a rater."""

    slot: int
    text: SampledText
    draft: Mapping[str, Any]
    """What the rater has entered so far, or the answer that they correct."""
    progress: Progress
    seconds: float = 0.0
    """Time spent on this text so far, on all devices; a page continues from here."""


@dataclass(frozen=True, slots=True)
class NothingLeft:
    """Why a rater gets no text now.

    `waiting`: others hold the last ones, which may come back. `new`: the eligibility questions are
    not answered yet.
    """

    reason: Reason
    progress: Progress
    more: bool
    """Whether another task has texts for this rater."""


@dataclass(frozen=True, slots=True)
class AnswerTally:
    """The number of judgments needed, given, and in progress."""

    needed: int = 0
    answered: int = 0
    held: int = 0

    @property
    def open(self) -> int:
        """Judgments that nobody is working on."""
        return self.needed - self.answered - self.held


@dataclass(frozen=True, slots=True)
class CellTally:
    """A cell of the sample within its task, and its judgments."""

    task: str
    cell: Mapping[str, str]
    tally: AnswerTally


@dataclass(frozen=True, slots=True)
class RaterTally:
    """A rater with the number and speed of their answers."""

    rater: Rater
    answers: int
    median_seconds: float | None
    last_seen: float | None
    """Seconds since the epoch; None for a rater who never came."""


@dataclass(frozen=True, slots=True)
class Overview:
    """The progress of a campaign; answers of excluded raters do not count."""

    round: int
    total: AnswerTally
    tasks: Mapping[str, AnswerTally]
    systems: Mapping[str, AnswerTally]
    cells: tuple[CellTally, ...]
    raters: tuple[RaterTally, ...]
    not_shown: int
    """Empty texts, which nobody is asked about."""


@dataclass(frozen=True, slots=True)
class RoundReport:
    """The effects of starting a round."""

    round: int
    excluded: tuple[str, ...] = ()
    set_aside: int = 0
    """Answers that no longer count."""
    returned: int = 0
    """Texts that excluded raters held."""
    open: int = 0
    """Judgments this round has to fill."""
