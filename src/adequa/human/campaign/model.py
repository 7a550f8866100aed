"""The nouns of a campaign: what people are asked, about which texts, and under which rules."""

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
    of the text with one of `labels` and, where `omissions` is set, tick the facts that the text
    leaves out. The value stored for spans is the number of marks.
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


# ---
# What a campaign's store says of raters, pages, rounds and progress.
# ---

Status = Literal["new", "eligible", "refused", "excluded"]
Outcome = Literal["stored", "already", "gone"]
Reason = Literal["finished task", "nothing left", "waiting", "new", "refused", "excluded"]


def name_of(number: int) -> str:
    """What a rater is called in links, tables and ratings."""
    return f"r{number:03d}"


@dataclass(frozen=True, slots=True)
class Rater:
    """One who answers; `external` is the id a crowdsourcing platform knows them by."""

    number: int
    name: str
    external: str | None
    status: Status
    task: str | None


@dataclass(frozen=True, slots=True)
class OwnSlot:
    """A slot in one rater's name: `state` is held, answered or void."""

    number: int
    text: int
    task: str
    state: str


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a rater is: in the task they work in, and in all."""

    task: str | None
    done: int
    limit: int
    """Of this task: the campaign's limit, or all the task's texts where they are fewer."""
    total_done: int


@dataclass(frozen=True, slots=True)
class Page:
    """A text in a rater's hands."""

    slot: int
    text: SampledText
    draft: Mapping[str, Any]
    """What the rater has entered so far, or their answer where they correct it."""
    progress: Progress
    seconds: float = 0.0
    """Spent on this text so far, on whatever device: a page counts on from here."""


@dataclass(frozen=True, slots=True)
class NothingLeft:
    """Why a rater gets no text now.

    `waiting`: others hold the last ones, which may come back. `new`: the questions of eligibility
    are not answered yet.
    """

    reason: Reason
    progress: Progress
    more: bool
    """Whether another task has texts for this rater."""


@dataclass(frozen=True, slots=True)
class AnswerTally:
    """Judgments needed, given and being given."""

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
    """A rater and what they did."""

    rater: Rater
    answers: int
    median_seconds: float | None
    last_seen: float | None
    """Seconds since the epoch; None for one who never came."""


@dataclass(frozen=True, slots=True)
class Overview:
    """How a campaign stands; answers of excluded raters do not count."""

    round: int
    total: AnswerTally
    tasks: Mapping[str, AnswerTally]
    systems: Mapping[str, AnswerTally]
    cells: tuple[CellTally, ...]
    raters: tuple[RaterTally, ...]
    not_shown: int
    """Empty texts: nobody is asked about them."""


@dataclass(frozen=True, slots=True)
class RoundReport:
    """What starting a round did."""

    round: int
    excluded: tuple[str, ...] = field(default=())
    set_aside: int = 0
    """Answers that no longer count."""
    returned: int = 0
    """Texts that the excluded held."""
    open: int = 0
    """Judgments this round has to fill."""
