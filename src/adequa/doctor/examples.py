"""Cases that a metric missed, before and after, the change marked for a reader."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from adequa.doctor.examination import Examination
from adequa.doctor.model import Case
from adequa.entailment.segments import Span

__all__ = ["Missed", "marked", "missed_cases"]


@dataclass(frozen=True, slots=True)
class Missed:
    """A case that a metric did not see, with its two scores."""

    metric: str
    perturbation: str
    case: Case
    original: float | None
    changed: float | None

    def lines(self) -> list[str]:
        """The case for a reader: what stood there in [-…-], what stands there now in {+…+}."""
        item, case = self.case.original, self.case
        scores = " → ".join("–" if one is None else f"{one:.3f}" for one in self._scores)
        name = f"{item.system}: {item.id}" if item.system else item.id
        head = f"{self.metric} misses {self.perturbation} in {name} ({scores}): {case.what}"
        if case.changed.text != item.text:
            body = [
                f"  before: {marked(item.text, case.before, '[-', '-]')}",
                f"  after:  {marked(case.changed.text, case.after, '{+', '+}')}",
            ]
        else:
            old, new = item.triples, case.changed.triples
            body = [f"  text:   {item.text}"]
            body += [f"  before: [-{' | '.join(one)}-]" for one in old if one not in new]
            body += [f"  after:  {{+{' | '.join(one)}+}}" for one in new if one not in old]
        return [head, *body]

    @property
    def _scores(self) -> tuple[float | None, float | None]:
        return self.original, self.changed


def missed_cases(examination: Examination, count: int) -> list[Missed]:
    """At most so many a cell, in the order of the cells."""
    found: list[Missed] = []
    for made in examination.made:
        for metric in examination.signatures:
            cell = examination.cell(metric, made.perturbation.name)
            own = [
                Missed(metric, cell.perturbation, case, one.original, one.changed)
                for case, one in zip(made.cases, cell.seen, strict=True)
                if one.is_missed
            ]
            found += own[:count]
    return found


def marked(text: str, spans: Sequence[Span], opening: str, closing: str) -> str:
    """The text on one line, with marks around stretches.

    >>> marked("It is old.", [(3, 5)], "[-", "-]")
    'It [-is-] old.'
    """
    parts, place = [], 0
    for start, end in sorted(spans):
        parts += [text[place:start], opening, text[start:end], closing]
        place = end
    return " ".join("".join([*parts, text[place:]]).split())
