"""What a gate asks and what it says, without a word on how that is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from adequa.stats.means import Interval

__all__ = ["Check", "Gate", "Limit", "Outcome"]

Outcome = Literal["pass", "fail", "not enough data"]


@dataclass(frozen=True, slots=True)
class Limit:
    """A bound that a measure may not break: at most (`max`), at least (`min`), or the baseline's.

    With `no-worse` the value is the loss that is tolerated.
    """

    bound: Literal["max", "min", "no-worse"]
    measure: str
    value: float = 0.0

    def __str__(self) -> str:
        if self.bound == "no-worse":
            loss = f" by more than {self.value:g}" if self.value else ""
            return f"{self.measure} no worse than the baseline{loss}"
        return f"{self.measure} {'≤' if self.bound == 'max' else '≥'} {self.value:g}"


@dataclass(frozen=True, slots=True)
class Check:
    """One limit held against one system.

    The outcome is about what the interval allows; `is_broken` is about the number as it was seen.
    """

    system: str
    limit: Limit
    outcome: Outcome
    is_broken: bool
    value: float | None
    interval: Interval | None
    items: int
    """How many items, or facts, the number is of."""
    why: str
    baseline: float | None = None
    p: float | None = None
    examples: tuple[str, ...] = ()
    """Items behind a broken limit, the first of them."""
    more: int = 0
    """How many such items there are beyond the examples."""


@dataclass(frozen=True, slots=True)
class Gate:
    """All checks of a run; what has no interval narrow enough fails only where it is `strict`."""

    run: str
    checks: tuple[Check, ...]
    level: float
    strict: bool = False
    notes: tuple[str, ...] = ()

    def stops(self, check: Check) -> bool:
        """Whether a check by itself closes the gate."""
        if check.outcome == "not enough data":
            return self.strict or check.is_broken
        return check.outcome == "fail"

    @property
    def is_open(self) -> bool:
        """Whether the run may pass."""
        return not any(self.stops(check) for check in self.checks)
