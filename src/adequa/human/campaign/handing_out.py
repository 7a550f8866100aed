"""Which text a rater gets next: pure functions of what is open and what the rater has had.

In this order: the system the rater has had least, so that each rater sees an equal share of
systems; an input the rater has not seen; the cell filled least; and chance, by seed, rater and
text. A rater works in one task at a time and begins with the one that needs most.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from adequa.human.campaign.model import SampledText

__all__ = ["Layout", "choose", "neediest"]


@dataclass(frozen=True, slots=True)
class Layout:
    """What handing out needs to know of the texts; positions are those of the sample."""

    systems: tuple[str, ...]
    inputs: tuple[str, ...]
    tasks: tuple[str, ...]
    cells: tuple[tuple[str, str], ...]
    """Task and cell: a cell that lies in two tasks is filled in each."""
    needed: Mapping[tuple[str, str], int]
    """Judgments by cell."""
    shown: Mapping[str, int]
    """Texts by task, in the order of the sample."""

    @classmethod
    def of(cls, texts: Sequence[SampledText], raters_per_text: int) -> Layout:
        """The layout of a sample."""
        cells = tuple((text.task, json.dumps(dict(text.cell), sort_keys=True)) for text in texts)
        shown = [position for position, text in enumerate(texts) if text.is_shown]
        needed = Counter(cells[position] for position in shown)
        return cls(
            tuple(text.item.system for text in texts),
            tuple(text.item.id for text in texts),
            tuple(text.task for text in texts),
            cells,
            {cell: count * raters_per_text for cell, count in needed.items()},
            Counter(texts[position].task for position in shown),
        )


def choose(
    layout: Layout,
    open_slots: Mapping[int, int],
    had: Collection[int],
    *,
    seed: int,
    rater: int,
    without: Collection[int] = (),
) -> int | None:
    """The text this rater gets next, or None where no open text is left for them.

    `open_slots` counts by text the open judgments of the task, `had` are the texts the rater
    answered or holds in any task, `without` those that cannot be had at this moment.
    """
    candidates = [text for text in open_slots if text not in had and text not in without]
    if not candidates:
        return None
    systems = Counter(layout.systems[text] for text in had)
    least = min(systems[layout.systems[text]] for text in candidates)
    candidates = [text for text in candidates if systems[layout.systems[text]] == least]
    inputs = {layout.inputs[text] for text in had}
    candidates = [text for text in candidates if layout.inputs[text] not in inputs] or candidates
    still_open: Counter[tuple[str, str]] = Counter()
    for text, count in open_slots.items():
        still_open[layout.cells[text]] += count
    share = {cell: count / layout.needed[cell] for cell, count in still_open.items()}
    most = max(share[layout.cells[text]] for text in candidates)
    candidates = [text for text in candidates if share[layout.cells[text]] == most]
    return min(candidates, key=lambda text: (_chance(seed, rater, text), text))


def neediest(layout: Layout, open_slots: Mapping[int, int], had: Collection[int]) -> list[str]:
    """The tasks with a text for this rater, the one with the largest share of open ones first."""
    still_open: Counter[str] = Counter()
    possible = set()
    for text, count in open_slots.items():
        still_open[layout.tasks[text]] += count
        if text not in had:
            possible.add(layout.tasks[text])
    tasks = [task for task in layout.shown if task in possible]
    # The number of judgments is the same for each text, so texts may stand for them.
    return sorted(tasks, key=lambda task: -still_open[task] / layout.shown[task])


def _chance(seed: int, rater: int, text: int) -> bytes:
    return hashlib.blake2b(f"{seed} {rater} {text}".encode(), digest_size=8).digest()
