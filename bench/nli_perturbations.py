"""What `nli` notices when a `dev` text loses a sentence, or has one number, date or name changed.

Every figure is over all items; in brackets stand those of the two halves of the entries (see
`bench.dev_cases`): half a may serve for calibration, half b is then untouched.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from adequa.data import Item, Result
from bench.dev_cases import (
    KINDS,
    ChangedText,
    ShortenedText,
    change_texts,
    dev_items,
    drop_sentences,
    half_of,
    sample,
)
from bench.joined import BOTH, judge_items

NEEDS_DATA = True
COUNT = 1_000
SEED = 7
OMITTED, KEPT = 0.93, 0.05
FOUND, UNCHANGED = 0.90, 0.05
SIDES = ("nli", BOTH)


class Case(NamedTuple):
    """A fact, a changed span or a text of an item, and whether `nli` reported it."""

    identifier: str
    reported: bool


def measure(data: Path) -> list[dict[str, object]]:
    """The shares of changes that are reported, and of unchanged texts and facts that are."""
    items = dev_items(data)
    rows = list(_omissions(drop_sentences(items, COUNT, SEED)))
    for kind in KINDS:
        rows += _changes(kind, change_texts(kind, items, COUNT, SEED))
    rows += _unchanged(sample(items, COUNT, SEED))
    return rows


def _omissions(cases: Sequence[ShortenedText]) -> Iterator[dict[str, object]]:
    judged = judge_items([case.item for case in cases])
    for side in SIDES:
        gone: list[Case] = []
        kept: list[Case] = []
        named: list[Case] = []
        for case, result in zip(cases, judged[side], strict=True):
            for fact in result.facts:
                reported = fact.status in ("missing", "contradicted")
                one = Case(case.item.id, reported)
                (gone if fact.triple in case.gone else kept).append(one)
                if fact.triple not in case.gone | case.nameless:
                    named.append(one)
        texts = f"{len(cases):,} texts"
        yield _row(f"{side}: omitted facts reported, {texts}", gone, OMITTED)
        yield _row(f"{side}: kept facts reported as omitted, {texts}", kept, KEPT, most=True)
        yield _row(f"{side}: of these, those whose entities are still named", named)


def _changes(kind: str, cases: Sequence[ChangedText]) -> Iterator[dict[str, object]]:
    judged = judge_items([case.item for case in cases])
    for side in SIDES:
        found = [
            Case(case.item.id, _points_at(result, case.start, case.end))
            for case, result in zip(cases, judged[side], strict=True)
        ]
        yield _row(f"{side}: changed {kind} flagged at its place", found, FOUND)


def _unchanged(items: Sequence[Item]) -> Iterator[dict[str, object]]:
    judged = judge_items(items)
    for side in SIDES:
        flagged = [Case(result.item.id, bool(result.unsupported)) for result in judged[side]]
        yield _row(f"{side}: unchanged texts flagged at all", flagged, UNCHANGED, most=True)


def _points_at(result: Result, start: int, end: int) -> bool:
    return any(
        finding.start is not None
        and finding.end is not None
        and finding.start < end
        and start < finding.end
        for finding in result.unsupported
    )


def _row(
    figure: str, cases: Sequence[Case], target: float | None = None, *, most: bool = False
) -> dict[str, object]:
    value, first, second = _share(cases, "ab"), _share(cases, "a"), _share(cases, "b")
    shown: dict[str, object] = {"target": "–", "reached": True}
    if target is not None:
        reached = value <= target if most else value >= target
        shown = {"target": f"{'≤' if most else '≥'} {target:g}", "reached": reached}
    name = f"{figure}, n = {len(cases):,} (a {first:.3f}, b {second:.3f})"
    return {"figure": name, "value": value, **shown}


def _share(cases: Sequence[Case], halves: str) -> float:
    reported = [case.reported for case in cases if half_of(case.identifier) in halves]
    return sum(reported) / len(reported) if reported else 0.0
