"""Relations: faithful texts against texts with exactly one relational fault, by kind of fault.

Reads `bench/challenges/relations`. The half `open` is for developing; `python -m bench relations
--half sealed` scores the other half and belongs to the end of a piece of work. A wrong text is
noticed when its verdict (`esa` and `nli` together) is not OK; `noticed` counts only groups whose
two faithful texts are OK, because a complaint about everything notices nothing. A pair is right
when the faithful text has the higher `nli` score than the wrong text that was made from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from adequa.data import Item, Result, Triple
from adequa.tables import Table
from bench.groups import Measured, figure_rows, read_groups, share, table_by_kind
from bench.joined import BOTH, judge_items

TARGETS = {"faithful texts OK": 0.90, "faults noticed": 0.55, "pair accuracy": 0.85}
"""The targets for the sealed half."""


class Fault(NamedTuple):
    """One wrong text: its kind, whether it can be counted, and its result."""

    kind: str
    in_clean_group: bool
    noticed: bool
    pair_right: bool


class Outcome(NamedTuple):
    """The verdicts of all texts of a half."""

    faithful: dict[str, list[bool]]
    """By style, whether each faithful text is OK."""
    faults: list[Fault]

    def figures(self) -> dict[str, float]:
        """The three figures that have a target."""
        texts = [ok for style in self.faithful.values() for ok in style]
        return {
            "faithful texts OK": share(texts),
            "faults noticed": share([fault.noticed for fault in _counted(self.faults)]),
            "pair accuracy": share([fault.pair_right for fault in self.faults]),
        }


def _counted(faults: Sequence[Fault]) -> list[Fault]:
    return [fault for fault in faults if fault.in_clean_group]


def items_of(groups: Sequence[dict[str, Any]]) -> list[Item]:
    """Every text of the groups as an item with an id that identifies it."""
    items = []
    for group in groups:
        triples = tuple(Triple(*triple) for triple in group["triples"])
        texts = {text["style"]: text["text"] for text in group["faithful"]}
        texts |= {f"wrong{number}": text["text"] for number, text in enumerate(group["wrong"])}
        items += [
            Item(id=f"{group['id']}/{name}", triples=triples, text=text)
            for name, text in texts.items()
        ]
    return items


def judge(groups: Sequence[dict[str, Any]]) -> Outcome:
    """Score every text and compare it with its label."""
    results = {result.item.id: result for result in judge_items(items_of(groups))[BOTH]}
    faithful: dict[str, list[bool]] = {"plain": [], "llm": []}
    faults = []
    for group in groups:
        fine = {style: _is_ok(results[f"{group['id']}/{style}"]) for style in faithful}
        for style, ok in fine.items():
            faithful[style].append(ok)
        for number, wrong in enumerate(group["wrong"]):
            result = results[f"{group['id']}/wrong{number}"]
            twin = results[f"{group['id']}/{wrong['of']}"]
            faults.append(
                Fault(
                    kind=wrong["kind"],
                    in_clean_group=all(fine.values()),
                    noticed=not _is_ok(result),
                    pair_right=(twin.scores["nli"] or 0.0) > (result.scores["nli"] or 0.0),
                )
            )
    return Outcome(faithful, faults)


def _is_ok(result: Result) -> bool:
    return result.verdict == "OK"


def table(outcome: Outcome) -> Table:
    """One row per kind of fault, and one for all."""
    shares = ", ".join(f"{style} {share(oks):.3f}" for style, oks in outcome.faithful.items())
    return table_by_kind(
        f"faithful texts OK: {shares}",
        outcome.faults,
        {
            "texts": len,
            "counted": lambda faults: len(_counted(faults)),
            "noticed": lambda faults: share([one.noticed for one in _counted(faults)]),
            "noticed of all": lambda faults: share([one.noticed for one in faults]),
            "pairs right": lambda faults: share([one.pair_right for one in faults]),
        },
    )


def measure_half(half: str) -> Measured:
    """The table and the figures of a half."""
    outcome = judge(read_groups("relations", half))
    return Measured(table(outcome), outcome.figures())


def measure(_data: Path) -> list[dict[str, object]]:
    """The three figures on the open half."""
    return figure_rows("relations", "open", measure_half("open").figures, TARGETS)
