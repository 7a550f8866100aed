"""Originals and changed copies through the metrics, and what they make of the difference."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from statistics import fmean

from adequa.codec import load_object, result_from_object
from adequa.data import Finding, Item, Result, Score
from adequa.doctor.cases import Made
from adequa.doctor.examination import Alarms, Cell, Examination, Seen, Share
from adequa.doctor.model import Case, Perturbation
from adequa.errors import DataError
from adequa.joining import OVERRULED, join
from adequa.metrics.base import Metric
from adequa.run.engine import encoded_batches
from adequa.stats.effects import superiority

__all__ = ["TOGETHER", "examine", "score_all"]

TOGETHER = "(together)"
"""The label of all verdicts joined as a run joins them; it has no score."""

TIE = 1e-4
"""Of a metric's range: an item's score is the same in any batch to that, so less is no change."""

_BATCH = 64
Progress = Callable[[int, int], None]


def examine(
    made: Sequence[Made],
    metrics: Mapping[str, Metric],
    *,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Examination:
    """Have every metric judge the cases and their originals.

    A metric that gives verdicts is asked for them; where two do, so are both together.
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
    said: dict[str, list[Result]] = {}
    for number, (label, metric) in enumerate(metrics.items()):
        said[label] = score_all(
            asked,
            label,
            metric,
            jobs=jobs,
            progress=_shifted(progress, number * len(asked), total),
        )
    if sum(any(result.verdict for result in results) for results in said.values()) > 1:
        said[TOGETHER] = _joined(said)
    return _counted(made, originals, said, metrics)


def score_all(
    items: Sequence[Item],
    label: str,
    metric: Metric,
    *,
    jobs: int = 1,
    progress: Progress | None = None,
) -> list[Result]:
    """What one metric says of items, alone; with a job or several, the same."""
    found: list[Result] = []
    bare = (Result(item, {}) for item in items)
    for _, lines in encoded_batches(bare, {label: metric}, batch_size=_BATCH, jobs=jobs):
        found += [
            result_from_object(load_object(line)) for line in lines.decode().split("\n") if line
        ]
        if progress is not None:
            progress(len(found), len(items))
    return found


def _shifted(progress: Progress | None, start: int, total: int) -> Progress | None:
    if progress is None:
        return None
    return lambda done, _: progress(start + done, total)


def _joined(said: Mapping[str, list[Result]]) -> list[Result]:
    """The results as a run with all the metrics has them."""
    rows: Iterator[tuple[Result, ...]] = zip(*said.values(), strict=True)
    return [
        join(
            Result(row[0].item, {}),
            {
                label: Score(
                    one.scores[label],
                    facts=one.facts,
                    findings=one.findings,
                    verdict=one.verdict,
                )
                for label, one in zip(said, row, strict=True)
            },
        )
        for row in rows
    ]


def _counted(
    made: Sequence[Made],
    originals: Sequence[Item],
    said: Mapping[str, list[Result]],
    metrics: Mapping[str, Metric],
) -> Examination:
    places = {item.key: place for place, item in enumerate(originals)}
    bounds = [len(originals)]
    for one in made:
        bounds.append(bounds[-1] + len(one.cases))
    cells = [
        _cell(
            label,
            one,
            [results[places[case.original.key]] for case in one.cases],
            results[first:last],
            metrics.get(label),
        )
        for one, (first, last) in zip(made, pairwise(bounds), strict=True)
        for label, results in said.items()
    ]
    alarms = [_alarms(label, results[: len(originals)]) for label, results in said.items()]
    return Examination(
        tuple(made),
        tuple(cells),
        tuple(alarms),
        {label: metric.signature for label, metric in metrics.items()},
        len(originals),
    )


def _cell(
    label: str,
    made: Made,
    originals: Sequence[Result],
    changed: Sequence[Result],
    metric: Metric | None,
) -> Cell:
    seen = tuple(
        _seen(label, made.perturbation, case, one, other, metric)
        for case, one, other in zip(made.cases, originals, changed, strict=True)
    )
    pairs = [
        (one.original, one.changed)
        for one in seen
        if one.original is not None and one.changed is not None
    ]
    better, worse = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    auc = superiority(better, worse) if pairs else None
    if auc is not None and metric is not None and not metric.higher_is_better:
        auc = 1 - auc
    return Cell(label, made.perturbation.name, seen, auc)


def _seen(
    label: str,
    perturbation: Perturbation,
    case: Case,
    original: Result,
    changed: Result,
    metric: Metric | None,
) -> Seen:
    before, after = original.scores.get(label), changed.scores.get(label)
    loss = None
    if metric is not None and before is not None and after is not None:
        loss = before - after if metric.higher_is_better else after - before
        width = abs(metric.best - metric.worst)
        if abs(loss) <= TIE * (width if math.isfinite(width) else 1.0):
            loss = 0.0
    if original.verdict is None or changed.verdict is None:
        return Seen(before, after, loss, None, None)
    new = perturbation.kinds & _faults(changed) - _faults(original)
    located = any(case.points_at(one) for one in _open(changed)) and not any(
        case.points_at(one, original=True) for one in _open(original)
    )
    return Seen(before, after, loss, bool(new), located)


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
