"""Records: faithful texts against texts with exactly one fault, by kind of fault.

Reads `bench/challenges/records`. The half `open` is for developing; `python -m bench records --half
sealed` scores the other half and belongs to the end of a piece of work; `--half marked` scores
longer texts with one to four faults each, `--half further` and `--half fresh` records that were
written later to see whether the rules hold on new domains, `--half everyday` short texts about
orders, hotels, matches and the like. Findings are those of `esa`
and `nli` together, of the kind hallucination: texts select from their record, so what they leave
out is not a fault. A fault is noticed when its text has a finding, and at the right place when a
finding overlaps with the wrong words. `of clean` counts only faults whose faithful text, from which
the wrong one was made, has no finding, because a complaint about everything notices nothing.

`--findings FILE` writes every finding and every fault as JSON lines, for reading them one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from adequa.data import Finding, Item, Result
from adequa.readers.records import read_record
from adequa.tables import Table
from bench.groups import Measured, figure_rows, read_groups, share, table_by_kind
from bench.joined import BOTH, judge_items

TARGETS = {"faithful texts clean": 0.90, "faults noticed": 0.70, "at the right place": 0.60}
"""The targets for the sealed half."""


class Fault(NamedTuple):
    """One wrong text: its kind and what was found in it."""

    kind: str
    twin_clean: bool
    """Whether the faithful text from which it was made has no finding."""
    noticed: bool
    placed: bool


class Outcome(NamedTuple):
    """The findings in all texts of a half."""

    clean: list[bool]
    """Of each faithful text, whether it has no finding."""
    faults: list[Fault]
    details: list[dict[str, Any]]
    """What was found in each text, for reading."""

    def figures(self) -> dict[str, float]:
        """The three figures that have a target."""
        return {
            "faithful texts clean": share(self.clean),
            "faults noticed": share([fault.noticed for fault in self.faults]),
            "at the right place": share([fault.placed for fault in self.faults]),
        }


def items_of(groups: Sequence[dict[str, Any]]) -> list[Item]:
    """Every text of the groups as an item with an id that identifies it."""
    return [
        replace(
            read_record(group["record"], text, id=f"{group['id']}/{name}").item,
            category=group["domain"],
        )
        for group in groups
        for name, text in _texts(group)
    ]


def _texts(group: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for number, text in enumerate(group["faithful"]):
        yield str(number), text
    for number, wrong in enumerate(group["wrong"]):
        yield f"wrong{number}", wrong["text"]


def judge(groups: Sequence[dict[str, Any]]) -> Outcome:
    """Score every text and compare its findings with its label."""
    results = {result.item.id: result for result in judge_items(items_of(groups))[BOTH]}
    outcome = Outcome([], [], [])
    for group in groups:
        clean = []
        for number in range(len(group["faithful"])):
            result = results[f"{group['id']}/{number}"]
            clean.append(not result.unsupported)
            outcome.details.append(_detail(result, None))
        outcome.clean.extend(clean)
        for number, wrong in enumerate(group["wrong"]):
            result = results[f"{group['id']}/wrong{number}"]
            outcome.details.append(_detail(result, wrong))
            outcome.faults.append(
                Fault(
                    kind=wrong["kind"],
                    twin_clean=clean[wrong["of"]],
                    noticed=bool(result.unsupported),
                    placed=any(_overlaps(one, wrong) for one in result.unsupported),
                )
            )
    return outcome


def _overlaps(finding: Finding, wrong: dict[str, Any]) -> bool:
    if finding.start is None or finding.end is None:
        return False
    spans = wrong.get("spans", [wrong])  # the part `marked` has texts with several faults
    return any(finding.start < one["end"] and one["start"] < finding.end for one in spans)


def _detail(result: Result, wrong: dict[str, Any] | None) -> dict[str, Any]:
    """The findings of a text with their words, and its fault."""
    text = result.item.text
    return {
        "id": result.item.id,
        "domain": result.item.category,
        "kind": wrong and wrong["kind"],
        "fault": wrong and text[wrong["start"] : wrong["end"]],
        "reason": wrong and wrong["why"],
        "placed": wrong and any(_overlaps(one, wrong) for one in result.unsupported),
        "findings": [
            {
                "metric": one.metric,
                "detail": one.detail,
                "words": None if one.start is None else text[one.start : one.end],
                "why": one.why,
                "at_fault": bool(wrong and _overlaps(one, wrong)),
            }
            for one in result.unsupported
        ],
        "text": text,
    }


def table(outcome: Outcome) -> Table:
    """One row per kind of fault, and one for all."""

    def of_clean(faults: Sequence[Fault]) -> list[Fault]:
        return [fault for fault in faults if fault.twin_clean]

    return table_by_kind(
        f"faithful texts without a finding: {share(outcome.clean):.3f} of {len(outcome.clean)}",
        outcome.faults,
        {
            "texts": len,
            "noticed": lambda faults: share([one.noticed for one in faults]),
            "at the place": lambda faults: share([one.placed for one in faults]),
            "twin clean": lambda faults: len(of_clean(faults)),
            "noticed of clean": lambda faults: share([one.noticed for one in of_clean(faults)]),
        },
    )


def measure_half(half: str) -> Measured:
    """The table, the figures and the findings of a half."""
    outcome = judge(read_groups("records", half))
    return Measured(table(outcome), outcome.figures(), outcome.details)


def measure(_data: Path) -> list[dict[str, object]]:
    """The three figures on the open half."""
    return figure_rows("records", "open", measure_half("open").figures, TARGETS)
