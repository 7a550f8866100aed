"""The examination: metrics score originals and changed copies, and their reactions are counted.

With labelled texts, also the score from which texts can be accepted with few bad ones among them.
The thresholds that are tried are set by the scores alone: those that accept about a tenth of the
texts, two tenths, and so on. Each gets an exact upper bound of its risk (Clopper and Pearson 1934)
at a level divided by their number (Bonferroni), so that all bounds hold at once, including that of
the one that is chosen.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice, pairwise
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from adequa.data import Finding, Item, Result, Score
from adequa.errors import DataError
from adequa.files import errors_at, read_objects
from adequa.metrics import Metric
from adequa.perturb import Perturbation, PerturbedCase, PerturbedSet
from adequa.progress import Progress, silent
from adequa.readers import read_table
from adequa.run import OVERRULED, LocalEngine, join, score_lines
from adequa.stats import Interval, superiority, wilson_interval
from adequa.text import Span


@dataclass(frozen=True, slots=True)
class Share:
    """A count out of a total."""

    count: int
    total: int

    def __str__(self) -> str:
        return f"{self.count:,} of {self.total:,}"

    @property
    def value(self) -> float | None:
        """The share; None if the total is 0."""
        return self.count / self.total if self.total else None

    @property
    def interval(self) -> Interval | None:
        """Wilson's 95 % interval."""
        return wilson_interval(self.count, self.total)


class Sensitivity(NamedTuple):
    """The reaction of one metric to one case; None where it has no score or verdict."""

    original: float | None
    changed: float | None
    loss: float | None
    """How much worse the changed copy scores, whichever direction is better; 0 is a tie."""
    noticed: bool | None
    """Whether the verdict has a fault of the right kind that the original's had not."""
    located: bool | None
    """Whether a finding is about the place of the change, and none on the original was."""

    @property
    def is_missed(self) -> bool:
        """Neither noticed nor located; for a metric without verdicts: the score did not fall."""
        if self.noticed is not None:
            return not (self.noticed or self.located)
        return self.loss is not None and self.loss <= 0


@dataclass(frozen=True)
class MetricCell:
    """One metric on one perturbation."""

    metric: str
    perturbation: str
    seen: tuple[Sensitivity, ...]
    """Aligned with the cases."""
    auc: float | None
    """How often an original scores better than a changed copy, over all pairs; a tie is half."""

    @property
    def _losses(self) -> list[float]:
        return [one.loss for one in self.seen if one.loss is not None]

    @property
    def falls(self) -> Share:
        """Cases in which the score is worse, of those with both scores."""
        return Share(sum(loss > 0 for loss in self._losses), len(self._losses))

    @property
    def ties(self) -> int:
        """Cases in which the score is the same."""
        return sum(loss == 0 for loss in self._losses)

    @property
    def change(self) -> float | None:
        """The mean of changed minus original, in the metric's own units."""
        pairs = [
            one.changed - one.original
            for one in self.seen
            if one.changed is not None and one.original is not None
        ]
        return fmean(pairs) if pairs else None

    @property
    def noticed(self) -> Share:
        """Of the cases on which the metric gives a verdict."""
        judged = [one.noticed for one in self.seen if one.noticed is not None]
        return Share(sum(judged), len(judged))

    @property
    def located(self) -> Share:
        """Of the cases on which the metric gives a verdict."""
        judged = [one.located for one in self.seen if one.located is not None]
        return Share(sum(judged), len(judged))

    @property
    def unscored(self) -> int:
        """Cases without a score for one of the two."""
        return len(self.seen) - len(self._losses)


@dataclass(frozen=True, slots=True)
class Alarms:
    """How often a metric complains about unchanged texts: an upper bound of its false alarms."""

    metric: str
    any: Share
    omission: Share
    hallucination: Share
    unscored: int
    score: float | None
    """The mean score of the unchanged texts."""


@dataclass(frozen=True)
class Examination:
    """The results: metrics by perturbations, and the cases they were measured on."""

    made: tuple[PerturbedSet, ...]
    cells: tuple[MetricCell, ...]
    """One cell per perturbation and metric, perturbation by perturbation."""
    alarms: tuple[Alarms, ...]
    signatures: Mapping[str, str]
    originals: int
    """How many items were changed in some way."""

    @property
    def metrics(self) -> list[str]:
        """The labels of the rows, including that of all metrics together."""
        return list(dict.fromkeys(cell.metric for cell in self.cells))

    def cell(self, metric: str, perturbation: str) -> MetricCell:
        """The cell of a metric and a perturbation."""
        for cell in self.cells:
            if (cell.metric, cell.perturbation) == (metric, perturbation):
                return cell
        raise KeyError((metric, perturbation))


TOGETHER = "(together)"
"""The label of all verdicts joined as in a run; it has no score."""

TIE = 1e-4
"""Smaller differences are ties, as a share of the metric's range: an item's score may depend on its
batch by as much."""


def examine(
    made: Sequence[PerturbedSet],
    metrics: Mapping[str, Metric],
    *,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Examination:
    """Score the cases and their originals with every metric.

    Where two metrics or more give verdicts, the joined verdict is examined as well.
    """
    cases = [case for one in made for case in one.cases]
    if not cases:
        raise DataError(
            "no item can be changed in any of the ways asked for",
            remedy="the doctor needs texts that name what their data has; see `adequa mentions`",
        )
    originals = list({case.original.key: case.original for case in cases}.values())
    asked = [*originals, *(case.changed for case in cases)]
    total = len(asked) * len(metrics)
    results: dict[str, list[Result]] = {}
    for number, (label, metric) in enumerate(metrics.items()):
        step = _shifted(progress, number * len(asked), total)
        results[label] = score_all(asked, label, metric, jobs=jobs, progress=step)
    if sum(any(one.verdict for one in own) for own in results.values()) > 1:
        results[TOGETHER] = _joined(results)
    return _counted(made, originals, results, metrics)


def score_all(
    items: Sequence[Item],
    label: str,
    metric: Metric,
    *,
    jobs: int = 1,
    progress: Progress | None = None,
) -> list[Result]:
    """The results of one metric alone; they do not depend on the number of jobs."""
    engine = LocalEngine(jobs)
    return score_lines(items, {label: metric}, engine=engine, progress=progress or silent)


def _shifted(progress: Progress | None, start: int, total: int) -> Progress | None:
    if progress is None:
        return None
    return lambda done, _: progress(start + done, total)


def _joined(results: Mapping[str, list[Result]]) -> list[Result]:
    """The results as in a run with all metrics."""

    def score(label: str, one: Result) -> Score:
        return Score(
            one.scores[label],
            facts=one.facts,
            findings=one.findings,
            verdict=one.verdict,
            confidence=one.confidence,
        )

    return [
        join(Result(row[0].item, {}), dict(zip(results, map(score, results, row), strict=True)))
        for row in zip(*results.values(), strict=True)
    ]


def _counted(
    made: Sequence[PerturbedSet],
    originals: Sequence[Item],
    results: Mapping[str, list[Result]],
    metrics: Mapping[str, Metric],
) -> Examination:
    places = {item.key: place for place, item in enumerate(originals)}
    bounds = accumulate((len(one.cases) for one in made), initial=len(originals))
    cells = [
        _cell(
            label,
            one,
            [own[places[case.original.key]] for case in one.cases],
            own[first:last],
            metrics.get(label),
        )
        for one, (first, last) in zip(made, pairwise(bounds), strict=True)
        for label, own in results.items()
    ]
    alarms = [_alarms(label, own[: len(originals)]) for label, own in results.items()]
    return Examination(
        tuple(made),
        tuple(cells),
        tuple(alarms),
        {label: metric.signature for label, metric in metrics.items()},
        len(originals),
    )


def _cell(
    label: str,
    made: PerturbedSet,
    originals: Sequence[Result],
    changed: Sequence[Result],
    metric: Metric | None,
) -> MetricCell:
    seen = tuple(
        _seen(label, made.perturbation, case, one, other, metric)
        for case, one, other in zip(made.cases, originals, changed, strict=True)
    )
    pairs = [
        (one.original, one.changed)
        for one in seen
        if one.original is not None and one.changed is not None
    ]
    auc = superiority([pair[0] for pair in pairs], [pair[1] for pair in pairs])
    if auc is not None and metric is not None and not metric.higher_is_better:
        auc = 1 - auc
    return MetricCell(label, made.perturbation.name, seen, auc)


def _seen(
    label: str,
    perturbation: Perturbation,
    case: PerturbedCase,
    original: Result,
    changed: Result,
    metric: Metric | None,
) -> Sensitivity:
    before, after = original.scores.get(label), changed.scores.get(label)
    loss = None
    if metric is not None and before is not None and after is not None:
        loss = before - after if metric.higher_is_better else after - before
        width = abs(metric.best - metric.worst)
        if abs(loss) <= TIE * (width if math.isfinite(width) else 1.0):
            loss = 0.0
    if original.verdict is None or changed.verdict is None:
        return Sensitivity(before, after, loss, None, None)
    new = perturbation.kinds & _faults(changed) - _faults(original)
    located = any(case.points_at(one) for one in _open(changed)) and not any(
        case.points_at(one, original=True) for one in _open(original)
    )
    return Sensitivity(before, after, loss, bool(new), located)


def _open(result: Result) -> Iterator[Finding]:
    return (one for one in result.findings if one.detail not in (OVERRULED, "unchecked"))


def _faults(result: Result) -> set[str]:
    return set((result.verdict or "").split("+"))


def _alarms(label: str, results: Sequence[Result]) -> Alarms:
    judged = [_faults(result) for result in results if result.verdict is not None]
    scores = [score for result in results if (score := result.scores.get(label)) is not None]
    return Alarms(
        label,
        Share(sum(faults != {"OK"} for faults in judged), len(judged)),
        Share(sum("omission" in faults for faults in judged), len(judged)),
        Share(sum("hallucination" in faults for faults in judged), len(judged)),
        sum(label in result.reasons for result in results),
        fmean(scores) if scores else None,
    )


@dataclass(frozen=True, slots=True)
class MissedCase:
    """A case that a metric missed, with its two scores."""

    metric: str
    perturbation: str
    case: PerturbedCase
    original: float | None
    changed: float | None

    def lines(self) -> list[str]:
        """The case for a reader: old words in [-…-], new words in {+…+}."""
        item, case = self.case.original, self.case
        both = (self.original, self.changed)
        scores = " → ".join("–" if one is None else f"{one:.3f}" for one in both)
        name = f"{item.system}: {item.id}" if item.system else item.id
        head = f"{self.metric} misses {self.perturbation} in {name} ({scores}): {case.change.what}"
        if case.changed.text != item.text:
            body = [
                f"  before: {marked(item.text, case.change.before, '[-', '-]')}",
                f"  after:  {marked(case.changed.text, case.change.after, '{+', '+}')}",
            ]
        else:
            old, new = item.triples, case.changed.triples
            body = [f"  text:   {item.text}"]
            body += [f"  before: [-{' | '.join(one)}-]" for one in old if one not in new]
            body += [f"  after:  {{+{' | '.join(one)}+}}" for one in new if one not in old]
        return [head, *body]


def missed_cases(examination: Examination, count: int) -> list[MissedCase]:
    """At most `count` missed cases per cell, in the order of the cells."""
    found: list[MissedCase] = []
    for made in examination.made:
        for metric in examination.signatures:
            cell = examination.cell(metric, made.perturbation.name)
            pairs = zip(made.cases, cell.seen, strict=True)
            found += [
                MissedCase(metric, cell.perturbation, case, one.original, one.changed)
                for case, one in islice((pair for pair in pairs if pair[1].is_missed), count)
            ]
    return found


def marked(text: str, spans: Sequence[Span], opening: str, closing: str) -> str:
    """The text on one line, with marks around spans.

    >>> marked("It is old.", [(3, 5)], "[-", "-]")
    'It [-is-] old.'
    """
    parts, place = [], 0
    for start, end in sorted(spans):
        parts += [text[place:start], opening, text[start:end], closing]
        place = end
    return " ".join("".join([*parts, text[place:]]).split())


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
