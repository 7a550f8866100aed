"""What a campaign's store says of raters, pages, rounds and progress."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from adequa.human.campaign.model import SampledText

__all__ = [
    "CellTally",
    "Nothing",
    "Outcome",
    "Overview",
    "OwnSlot",
    "Page",
    "Progress",
    "Rater",
    "RaterTally",
    "Reason",
    "RoundReport",
    "Status",
    "Tally",
    "name_of",
]

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
class Nothing:
    """Why a rater gets no text now.

    `waiting`: others hold the last ones, which may come back. `new`: the questions of eligibility
    are not answered yet.
    """

    reason: Reason
    progress: Progress
    more: bool
    """Whether another task has texts for this rater."""


@dataclass(frozen=True, slots=True)
class Tally:
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
    tally: Tally


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
    total: Tally
    tasks: Mapping[str, Tally]
    systems: Mapping[str, Tally]
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
