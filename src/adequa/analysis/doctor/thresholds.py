"""Acceptance thresholds: the score from which texts can be accepted with few bad ones among them.

The thresholds that are tried are set by the scores alone: those that accept about a tenth of the
texts, two tenths, and so on. Each gets an exact upper bound of its risk (Clopper and Pearson 1934)
at a level divided by their number (Bonferroni), so that all bounds hold at once, and so does that
of the one that is chosen.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from adequa.analysis.doctor.examination import Share
from adequa.data import Item
from adequa.errors import DataError
from adequa.files import errors_at, read_objects
from adequa.readers import read_table

_STEPS = 10
"""Thresholds that are tried, one per tenth of the texts; no record of the data it was chosen on."""


@dataclass(frozen=True, slots=True)
class AcceptanceThreshold:
    """The consequences of accepting texts from a score on."""

    threshold: float
    coverage: Share
    """The accepted among all labelled texts; a text without a score is not accepted."""
    risk: Share
    """The bad among the accepted."""
    bound: float
    """The upper bound of the risk; the bounds of all thresholds hold at once."""


@dataclass(frozen=True)
class Advice:
    """Thresholds of one metric, and the recommended one, if its risk is bounded."""

    metric: str
    higher_is_better: bool
    curve: tuple[AcceptanceThreshold, ...]
    """From the strictest threshold to the loosest."""
    chosen: AcceptanceThreshold | None
    likely: AcceptanceThreshold | None
    """The loosest threshold whose observed risk is low enough; its bound may not be."""
    labelled: int
    bad: int
    target: float
    level: float
    needed: int
    """How many accepted texts without a bad one it takes to bound the risk."""

    @property
    def why(self) -> str:
        """The recommendation in one sentence."""
        side = "≥" if self.higher_is_better else "≤"
        promise = f"a risk of at most {self.target:g} (at {self.level:.0%} confidence)"
        if self.chosen is not None:
            one = self.chosen
            return (
                f"accept where {self.metric} {side} {_plain(one.threshold)}: "
                f"{one.coverage.count:,} of {one.coverage.total:,} texts, of them "
                f"{one.risk.count:,} bad; the risk is below {one.bound:.3f}, so {promise} can be "
                "promised"
            )
        if self.likely is None:
            return (
                f"no threshold of {self.metric} keeps the risk at {self.target:g} on these labels"
            )
        one = self.likely
        most = max(step.risk.total for step in self.curve)
        reason = (
            f"it takes {self.needed:,} accepted texts without a bad one, and there are {most:,}"
            if most < self.needed
            else f"the risk may still be {one.bound:.3f}"
        )
        return (
            f"not enough labels to promise {promise} by {self.metric}: {reason}; as far as they "
            f"go, {self.metric} {side} {_plain(one.threshold)} accepts {one.coverage.count:,} of "
            f"{one.coverage.total:,} texts, of them {one.risk.count:,} bad"
        )


def advise(
    metric: str,
    scores: Sequence[float | None],
    bad: Sequence[bool],
    *,
    higher_is_better: bool = True,
    target: float = 0.05,
    level: float = 0.95,
) -> Advice:
    """The threshold with the greatest coverage whose bound of the risk is at most the target."""
    if len(scores) != len(bad):
        raise ValueError(f"{len(scores)} scores cannot be paired with {len(bad)} labels")
    known = [
        (score if higher_is_better else -score, fault)
        for score, fault in zip(scores, bad, strict=True)
        if score is not None
    ]
    steps = _steps([score for score, _ in known])
    curve = []
    for step in steps:
        faults = [fault for score, fault in known if score >= step]
        risk = Share(sum(faults), len(faults))
        bound = _upper(risk, 1 - (1 - level) / len(steps))
        threshold = step if higher_is_better else -step
        curve.append(AcceptanceThreshold(threshold, Share(len(faults), len(scores)), risk, bound))
    safe = [one for one in curve if one.bound <= target]
    likely = [one for one in curve if (one.risk.value or 0.0) <= target]
    alpha = (1 - level) / max(len(steps), 1)
    return Advice(
        metric,
        higher_is_better,
        tuple(curve),
        safe[-1] if safe else None,
        likely[-1] if likely else None,
        len(bad),
        sum(bad),
        target,
        level,
        math.ceil(math.log(alpha) / math.log1p(-target)),
    )


def _plain(threshold: float) -> str:
    """Without rounding: a text that just reaches the threshold must still reach it."""
    return f"{threshold:.6f}".rstrip("0").rstrip(".")


def _steps(scores: Sequence[float]) -> list[float]:
    """The scores that accept a tenth, two tenths, … of the texts; the strictest first."""
    ordered = sorted(scores, reverse=True)
    places = [math.ceil(len(ordered) * step / _STEPS) - 1 for step in range(1, _STEPS + 1)]
    return list(dict.fromkeys(ordered[place] for place in places if place >= 0))


def _upper(share: Share, level: float) -> float:
    """Clopper and Pearson's one-sided upper bound."""
    from scipy.special import betaincinv

    if share.count == share.total:
        return 1.0
    return float(betaincinv(share.count + 1, share.total - share.count, level))


_GOOD = frozenset({"ok", "good", "1", "true", "yes"})
_FAULTS = frozenset({"omission", "hallucination", "contradiction"})
_BAD = frozenset({"bad", "not ok", "0", "false", "no"}) | _FAULTS
_DELIMITERS = {".csv": ",", ".tsv": "\t"}
_FORM = "a label is ok, omission, hallucination, hallucination+omission, good or bad, 1 or 0"


class LabelledText(NamedTuple):
    """An item, and whether a person found a fault in its text."""

    item: Item
    bad: bool


def read_labels(path: Path, items: Iterable[Item]) -> list[LabelledText]:
    """The labels of a file (JSON lines, CSV or TSV with id, label and perhaps system), joined.

    Every label must have its item; without a system its id must be one system's alone.
    """
    written: dict[tuple[str | None, str], tuple[int, bool]] = {}
    for number, row in _rows(path):
        with errors_at(path, number):
            key, bad = _parsed(row)
        if key in written:
            raise DataError(
                f"labels {key[1]!r} again (first on line {written[key][0]})",
                path=path,
                line=number,
                remedy="keep one label per text",
            )
        written[key] = number, bad
    if not written:
        raise DataError("has no labels", path=path, remedy="check that it is the right file")
    found: dict[tuple[str | None, str], list[Item]] = defaultdict(list)
    for item in items:
        for key in ((item.system, item.id), (None, item.id)):
            if key in written:
                found[key].append(item)
    labelled = []
    for key, (number, bad) in written.items():
        with errors_at(path, number):
            labelled.append(LabelledText(_only(key, found.get(key, [])), bad))
    return labelled


def _only(key: tuple[str | None, str], items: list[Item]) -> Item:
    if not items:
        of = f" of the system {key[0]!r}" if key[0] is not None else ""
        raise DataError(
            f"labels {key[1]!r}{of}, which the input does not have",
            remedy="use the ids and systems of the input; see `adequa convert`",
        )
    if len(items) > 1:
        raise DataError(
            f"labels {key[1]!r}, which {len(items)} systems have", remedy="add the field system"
        )
    return items[0]


def _rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    delimiter = _DELIMITERS.get(path.suffix.lower())
    if not delimiter:
        return read_objects(path)
    return ((row.line, row.cells) for row in read_table(path, delimiter).rows)


def _parsed(row: Mapping[str, Any]) -> tuple[tuple[str | None, str], bool]:
    for name in ("id", "label"):
        if name not in row:
            raise DataError(f"has no {name}", remedy="a label has id, label, system")
    system, identifier = row.get("system"), row["id"]
    if not isinstance(identifier, str) or not isinstance(system, str | None):
        raise DataError("id and system must be strings", remedy="quote both")
    label = str(row["label"]).strip().lower()
    if label in _GOOD:
        return (system, identifier), False
    if label in _BAD or set(label.split("+")) <= _FAULTS:
        return (system, identifier), True
    raise DataError(f"{label!r} is not a label", remedy=_FORM)
