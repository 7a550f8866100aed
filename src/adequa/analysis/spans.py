"""Error spans of detectors against those that people marked, and people against each other.

Every figure is taken over *pairs*: a text as a detector marked it, against the same text as one
person marked it. A text that two people read is two pairs, so nobody's marks are merged or voted
on. The people's own row takes one person as the detector and another one of the same text as the
person, in both directions.

- *Items*: accuracy is the share of pairs in which detector and person agree whether anything is
  wrong; kappa (Cohen's) corrects it for chance; AUC is the chance that the detector's score is
  higher for a text in which the person marked something than for one in which nothing is marked.
- *Characters*: precision, recall and F1 of the marked characters, pooled over all pairs; the mean
  F1 is over pairs, and is 1 for a pair in which both mark nothing. Kappa as above, by character;
  Mathet et al.'s gamma (2015), which also aligns the spans, is in the package pygamma-agreement.
- *Spans*: a detector's span is right if it shares a character with any of the person's, and a
  person's span is found if it shares one with any of the detector's.

The intervals are percentiles of resampled *records*: the texts about one record are not
independent.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from adequa import stats
from adequa.data import ErrorSpan, Marking, Result
from adequa.errors import DataError, RunError, SettingError, require_known
from adequa.files import as_list
from adequa.readers import read_markings
from adequa.run import MANIFEST, Run, open_run
from adequa.tables import Cell, Column, Table, render_tables, rounded

Matrix = npt.NDArray[np.float64]
Vector = npt.NDArray[np.float64]
Key = tuple[str, str]
"""The system and id of a text."""

PEOPLE = "one person"
EVERYTHING, NOTHING = "everything marked", "nothing marked"
GROUPS = ("annotator", "domain", "system", "type")
KINDS = ("hallucination", "omission")
CONFIDENCE = "confidence"
"""The score that is the confidence of a run's verdict."""
MOST_ROWS = 12
"""Groups with more members, such as hundreds of crowd workers, are in JSON only."""


class Estimate(NamedTuple):
    """A value, None if it is not defined, with its interval."""

    value: float | None
    interval: stats.Interval | None = None


@dataclass(frozen=True, slots=True)
class SpanAgreement:
    """One detector against people, over some of the pairs."""

    detector: str
    group: str
    """The member of the group, such as a domain; "" for all pairs."""
    pairs: int
    texts: int
    records: int
    spans: int
    """Of the detector."""
    marked: int
    """Spans of the people."""
    figures: Mapping[str, Estimate]


@dataclass(frozen=True, slots=True)
class TypeShare:
    """The spans of one type that overlap with the other side's."""

    detector: str
    type: str
    spans: int
    characters: int
    by_span: float
    by_character: float


@dataclass(frozen=True, slots=True)
class SpanError:
    """One span of a detector or a person, and whether the other side marked it too."""

    detector: str
    annotator: str
    system: str
    id: str
    outcome: str
    """Of a detector's span, `right` or `false alarm`; of a person's, `found` or `miss`."""
    span: ErrorSpan
    words: str | None


@dataclass(frozen=True, slots=True)
class SpanStudy:
    """All figures of detectors against people."""

    overall: tuple[SpanAgreement, ...]
    groups: Mapping[str, tuple[SpanAgreement, ...]]
    found_types: tuple[TypeShare, ...]
    """By people's type: how much of it a detector finds."""
    right_types: tuple[TypeShare, ...]
    """By a detector's type: how much of it people marked."""
    people: int
    n: int
    seed: int
    confidence: float
    notes: tuple[str, ...] = ()
    errors: tuple[SpanError, ...] = ()


class _Pair(NamedTuple):
    """A text as a detector marked it, and as a person marked it."""

    key: Key
    domain: str
    detector: Marking
    person: Marking
    length: int | None


def compare_spans(
    detectors: Run | Path | str | Sequence[Run | Path | str],
    gold: Path | str | Sequence[Path | str],
    *,
    format: str | None = None,  # noqa: A002
    gold_format: str | None = None,
    kinds: Sequence[str] = ("hallucination",),
    metrics: Sequence[str] = (),
    score: str | None = None,
    by: Sequence[str] = GROUPS,
    baselines: bool = True,
    with_errors: bool = False,
    n: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
) -> SpanStudy:
    """Compare the spans of runs and of other detectors' files with those that people marked.

    Without detectors, only people are compared. `kinds` are the kinds or details of a run's
    findings that count; each of `metrics` is a detector of its own, with its findings and its
    verdicts, instead of the run as a whole; texts that it did not score are left out. `score` takes
    a metric's score, or the confidence of the verdict, for the AUC instead of the
    confidences of the findings. All detectors are compared on the texts that each has marked.
    """
    stats.require_draws(n, seed, confidence)
    require_known("group", by, GROUPS)
    if not gold:
        raise SettingError("there are no people's spans; name their file with gold=…")
    people = [one for path in as_list(gold) for one in read_markings(path, format=gold_format)]
    texts = _Texts.of(people)
    named: dict[str, dict[Key, Marking]] = {}
    notes: list[str] = []
    for source in as_list(detectors):
        read = _read_detector(source, format, kinds=kinds, metrics=metrics, score=score)
        for name, markings in read.items():
            label = name if name not in named else f"{name} ({source})"
            named[label], unmatched = texts.match(markings)
            if not named[label]:
                _raise_unmatched(label, markings, texts)
            if unmatched:
                notes.append(f"{label}: texts that no person marked are left out: {unmatched:,}")
    common = set(texts.people)
    for found in named.values():
        common &= found.keys()
    missing = len(texts.people) - len(common)
    if not common:
        raise DataError("no text has been marked by all detectors", remedy="compare fewer at once")
    if missing:
        notes.append(f"texts of people that a detector did not read are left out: {missing:,}")
    texts.learn(named.values())
    texts.check(named.values())
    rows = {name: texts.pairs(markings, common) for name, markings in named.items()}
    if (between := texts.pairs_of_people(common)) and len(between) > 1:
        rows[PEOPLE] = between
    else:
        notes.append("no text was read by two people, so they cannot be compared")
    if baselines:
        rows |= texts.baselines(common)
    draw = _Bootstrap(n, seed, confidence)
    groups = {
        name: tuple(
            draw.agreement(detector, member, pairs)
            for detector, every in rows.items()
            if detector not in (EVERYTHING, NOTHING)
            for member, pairs in _grouped(every, name)
        )
        for name in by
        if name != "type"
    }
    shown = [name for name in rows if name not in (EVERYTHING, NOTHING)]
    return SpanStudy(
        overall=tuple(draw.agreement(name, "", pairs) for name, pairs in rows.items()),
        groups={name: found for name, found in groups.items() if _varies(found)},
        found_types=_types(rows, shown, of_person=True) if "type" in by else (),
        right_types=_types(rows, list(named), of_person=False) if "type" in by else (),
        people=len({one.marker for one in people}),
        n=n,
        seed=seed,
        confidence=confidence,
        notes=tuple(dict.fromkeys(notes)),
        errors=tuple(_errors(rows, named)) if with_errors else (),
    )


def _read_detector(
    source: Run | Path | str,
    format_: str | None,
    *,
    kinds: Sequence[str],
    metrics: Sequence[str],
    score: str | None,
) -> dict[str, list[Marking]]:
    """The markings of a source by the name of the detector; a file may have several."""
    if not isinstance(source, Run):
        path = Path(source)
        if not (path / MANIFEST).is_file():
            found: dict[str, list[Marking]] = {}
            for one in read_markings(path, format=format_, predicted=True):
                name = f"{path.stem}: {one.marker}" if one.marker else path.stem
                found.setdefault(name, []).append(one)
            return {path.stem: next(iter(found.values()))} if len(found) == 1 else found
    run = open_run(source)
    labels = list(run.manifest["metrics"])
    require_known("metric", metrics, labels)
    require_known("score", [score] if score else [], [*labels, CONFIDENCE])
    entry = run.manifest["metrics"].get(score) or {}
    sign = -1.0 if entry.get("higher_is_better", True) else 1.0
    details: set[str] = set()
    markings: dict[str | None, list[Marking]] = {metric: [] for metric in metrics or (None,)}
    for result in run.results():
        details |= {part for one in result.findings for part in (one.kind, one.detail)}
        for metric, marked in markings.items():
            if metric is not None and result.scores.get(metric) is None:
                continue  # an abstention does not say that nothing is wrong
            marking = marking_of(result, kinds=kinds, metric=metric)
            if score == CONFIDENCE:
                marking = replace(marking, score=_doubt(result))
            elif score is not None:
                value = result.scores.get(score)
                marking = replace(marking, score=math.nan if value is None else sign * value)
            marked.append(marking)
    require_known("kind of finding", kinds, details | set(KINDS))
    for metric, marked in markings.items():
        if not marked:
            things = "items" if metric is None else f"items that {metric} has scored"
            raise RunError(f"{run.path} has no {things}; there is nothing to compare")
    if len(markings) == 1:
        return {run.name: next(iter(markings.values()))}
    return {f"{run.name}: {metric}": marked for metric, marked in markings.items()}


def _doubt(result: Result) -> float:
    """How likely the text has a fault; a confidence says how likely its verdict is right."""
    if result.confidence is None:
        return math.nan
    return 1 - result.confidence if result.verdict == "OK" else result.confidence


def marking_of(
    result: Result, *, kinds: Collection[str] = ("hallucination",), metric: str | None = None
) -> Marking:
    """The findings of a result that count, as spans.

    A finding without offsets marks nothing, but the text is flagged. Omissions may flag a text, if
    `kinds` has them, but never mark a span: nothing in the text is wrong.
    """
    counted = [
        one
        for one in (*result.missing, *result.unsupported)
        if (one.kind in kinds or one.detail in kinds)
        and (metric is None or metric in one.metric.split("+"))
    ]
    verdict = result.verdict if metric is None else result.verdicts.get(metric)
    spans = tuple(
        ErrorSpan(one.start, one.end, one.detail, one.confidence, one.why)
        for one in counted
        if one.kind != "omission" and one.start is not None and one.end is not None
        if one.start < one.end
    )
    return Marking(
        id=result.item.id,
        system=result.item.system,
        marker="",
        spans=spans,
        text=result.item.text,
        domain=result.item.category,
        flagged=bool(counted) or any(kind in (verdict or "") for kind in kinds),
        score=sum(1.0 if one.confidence is None else one.confidence for one in counted),
    )


def _raise_unmatched(name: str, markings: Sequence[Marking], texts: _Texts) -> None:
    system, identifier = next(iter(texts.people))
    first = markings[0]
    raise DataError(
        f"{name}: no text has been marked by people: it has {first.id!r} of {first.system!r}, "
        f"the people {identifier!r} of {system!r}",
        remedy="use the same ids and systems, or give the texts",
    )


@dataclass(frozen=True, slots=True)
class _Texts:
    """The texts that people marked: their markings, and what is known of each text."""

    people: Mapping[Key, Sequence[Marking]]
    texts: dict[Key, str]
    domains: dict[Key, str]

    @classmethod
    def of(cls, markings: Iterable[Marking]) -> _Texts:
        people: dict[Key, list[Marking]] = {}
        for one in markings:
            people.setdefault(_key(one), []).append(one)
        found = cls(people, {}, {})
        found.learn([{key: one} for key, every in people.items() for one in every])
        return found

    def learn(self, sources: Iterable[Mapping[Key, Marking]]) -> None:
        """Take over texts and domains, and check that all sources have the same text."""
        for source in sources:
            for key, one in source.items():
                if key not in self.people:
                    continue
                if one.domain is not None:
                    self.domains.setdefault(key, one.domain)
                if one.text is not None and one.text != self.texts.setdefault(key, one.text):
                    raise DataError(
                        f"the text {key[1]!r} of {key[0]!r} differs between two files, so their "
                        "offsets do not fit each other",
                        remedy="mark the same texts",
                    )

    def check(self, sources: Iterable[Mapping[Key, Marking]]) -> None:
        """Raise unless all spans lie within their texts, as far as these are known."""
        people = ({key: one} for key, every in self.people.items() for one in every)
        for source in (*sources, *people):
            for key, one in source.items():
                text = self.texts.get(key)
                if text is not None and any(span.end > len(text) for span in one.spans):
                    raise DataError(
                        f"a span of {one.marker or 'a detector'} ends after the {len(text)} "
                        f"characters of the text {key[1]!r} of {key[0]!r}",
                        remedy="are these the spans of these texts?",
                    )

    def match(self, markings: Sequence[Marking]) -> tuple[dict[Key, Marking], int]:
        """The markings by the key of the people's text, and how many have none.

        A marking whose system and id nobody has marked is taken by its text, if it has that.
        """
        by_text: dict[str, list[Key]] = {}
        for key, text in self.texts.items():
            by_text.setdefault(text, []).append(key)
        found: dict[Key, Marking] = {}
        unmatched = 0
        for one in markings:
            known = one.id and _key(one) in self.people
            keys = [_key(one)] if known else by_text.get(one.text or "", [])
            found.update((key, one) for key in keys)
            unmatched += not keys
        return found, unmatched

    def _pair(self, key: Key, detector: Marking, person: Marking) -> _Pair:
        text = self.texts.get(key)
        length = None if text is None else len(text)
        return _Pair(key, self.domains.get(key, ""), detector, person, length)

    def pairs(self, markings: Mapping[Key, Marking], common: Collection[Key]) -> list[_Pair]:
        """A detector against each person, text by text."""
        return [
            self._pair(key, markings[key], person)
            for key, every in self.people.items()
            if key in common
            for person in every
        ]

    def pairs_of_people(self, common: Collection[Key]) -> list[_Pair]:
        """Each person against each other person of the same text, in both directions."""
        return [
            self._pair(key, one, other)
            for key, every in self.people.items()
            if key in common
            for one in every
            for other in every
            if one is not other
        ]

    def baselines(self, common: Collection[Key]) -> dict[str, list[_Pair]]:
        """A detector that marks every character, and one that marks nothing."""
        nothing = {key: Marking(key[1], key[0], NOTHING) for key in common}
        rows = {NOTHING: self.pairs(nothing, common)}
        if all(key in self.texts for key in common):
            everything = {
                key: replace(
                    nothing[key],
                    spans=(ErrorSpan(0, len(self.texts[key])),) if self.texts[key] else (),
                    flagged=True,
                )
                for key in common
            }
            rows = {EVERYTHING: self.pairs(everything, common), **rows}
        return rows


def _key(one: Marking) -> Key:
    return one.system, one.id or (one.text or "")


def _grouped(pairs: Sequence[_Pair], name: str) -> list[tuple[str, list[_Pair]]]:
    read: Callable[[_Pair], str] = {
        "annotator": lambda pair: pair.person.marker,
        "domain": lambda pair: pair.domain,
        "system": lambda pair: pair.key[0],
    }[name]
    members: dict[str, list[_Pair]] = {}
    for pair in pairs:
        members.setdefault(read(pair), []).append(pair)
    return sorted(members.items())


def _varies(found: Sequence[SpanAgreement]) -> bool:
    return len({one.group for one in found}) > 1


_COLUMNS = (
    *("pairs", "agreed", "flagged", "marked", "length", "ours_read", "theirs_read"),
    *("both", "ours", "theirs", "f1", "right", "spans", "found", "gold"),
)
"""The statistics of a pair, which are additive over pairs."""


def _statistics(pair: _Pair) -> list[float]:
    ours, theirs = _characters(pair.detector.spans), _characters(pair.person.spans)
    both, total = len(ours & theirs), len(ours) + len(theirs)
    flagged, marked = pair.detector.is_flagged, pair.person.is_flagged
    known = pair.length is not None
    return [
        *(1, flagged == marked, flagged, marked),
        *((pair.length or 0, len(ours), len(theirs)) if known else (0, 0, 0)),
        *(both, len(ours), len(theirs), 2 * both / total if total else 1.0),
        sum(_touches(span, theirs) for span in pair.detector.spans),
        len(pair.detector.spans),
        sum(_touches(span, ours) for span in pair.person.spans),
        len(pair.person.spans),
    ]


def _characters(spans: Iterable[ErrorSpan]) -> set[int]:
    return {place for span in spans for place in range(span.start, span.end)}


def _touches(span: ErrorSpan, characters: Collection[int]) -> bool:
    return any(place in characters for place in range(span.start, span.end))


def figures_of(totals: Matrix) -> dict[str, Vector]:
    """The figures from totals of the statistics, one row per resample; NaN if not defined."""
    sums = dict(zip(_COLUMNS, totals.T, strict=True))
    pairs, both, ours, theirs = (sums[name] for name in ("pairs", "both", "ours", "theirs"))
    precision, recall = _ratio(sums["right"], sums["spans"]), _ratio(sums["found"], sums["gold"])
    accuracy = _ratio(sums["agreed"], pairs)
    flagged, marked = _ratio(sums["flagged"], pairs), _ratio(sums["marked"], pairs)
    ours_share = _ratio(sums["ours_read"], sums["length"])
    theirs_share = _ratio(sums["theirs_read"], sums["length"])
    alike = 1 - ours_share - theirs_share + 2 * _ratio(both, sums["length"])
    return {
        "accuracy": accuracy,
        "kappa": _kappa(accuracy, flagged, marked),
        "flagged": flagged,
        "marked": marked,
        "precision": _ratio(both, ours),
        "recall": _ratio(both, theirs),
        "f1": _ratio(2 * both, ours + theirs),
        "mean_f1": _ratio(sums["f1"], pairs),
        "character_kappa": _kappa(alike, ours_share, theirs_share),
        "span_precision": precision,
        "span_recall": recall,
        "span_f1": _ratio(2 * precision * recall, precision + recall),
    }


def _ratio(one: Vector, other: Vector) -> Vector:
    found: Vector = np.full(len(one), np.nan)
    np.divide(one, other, out=found, where=other > 0)
    return found


def _kappa(observed: Vector, one: Vector, other: Vector) -> Vector:
    """SpanAgreement beyond chance, given the shares that both sides mark."""
    chance = one * other + (1 - one) * (1 - other)
    return 1 - _ratio(1 - observed, 1 - chance)


@dataclass(frozen=True, slots=True)
class _Bootstrap:
    """The figures of pairs with their intervals over records."""

    n: int
    seed: int
    level: float

    def agreement(self, detector: str, group: str, pairs: Sequence[_Pair]) -> SpanAgreement:
        records: dict[str, int] = {}
        places = [records.setdefault(pair.key[1], len(records)) for pair in pairs]
        rows = np.array([_statistics(pair) for pair in pairs], dtype=np.float64)
        by_record = np.zeros((len(records), rows.shape[1]))
        np.add.at(by_record, places, rows)
        total = by_record.sum(axis=0)
        observed = figures_of(total[None])
        labels = np.array([pair.person.is_flagged for pair in pairs])
        signals = np.array([pair.detector.signal for pair in pairs])
        scored = ~np.isnan(signals)  # a metric may not have scored all texts
        area = stats.area_under_curve(labels[scored], signals[scored])
        drawn: dict[str, Vector] = {}
        if len(records) > 1:
            drawn = figures_of(stats.bootstrap_totals(by_record, n=self.n, seed=self.seed))
            counts = stats.cluster_counts(places, n=self.n, seed=self.seed)
            drawn["auc"] = stats.resampled_areas(labels[scored], signals[scored], counts[:, scored])
        figures = {
            name: self._estimate(float(one[0]), drawn, name) for name, one in observed.items()
        }
        figures["auc"] = self._estimate(np.nan if area is None else area, drawn, "auc")
        sums = dict(zip(_COLUMNS, total, strict=True))
        return SpanAgreement(
            detector=detector,
            group=group,
            pairs=len(pairs),
            texts=len({pair.key for pair in pairs}),
            records=len(records),
            spans=int(sums["spans"]),
            marked=int(sums["gold"]),
            figures=figures,
        )

    def _estimate(self, value: float, drawn: Mapping[str, Vector], name: str) -> Estimate:
        if not np.isfinite(value):
            return Estimate(None)
        interval = stats.percentile_interval(drawn[name], self.level) if name in drawn else None
        return Estimate(value, interval)


def _types(
    rows: Mapping[str, Sequence[_Pair]], names: Sequence[str], *, of_person: bool
) -> tuple[TypeShare, ...]:
    """Per type of one side, the share that the other side marked too."""
    found = []
    for name in names:
        counts: dict[str, list[int]] = {}
        for pair in rows[name]:
            one, other = (pair.person, pair.detector) if of_person else (pair.detector, pair.person)
            theirs = _characters(other.spans)
            for span in one.spans:
                count = counts.setdefault(span.type or "(none)", [0, 0, 0, 0])
                shared = sum(place in theirs for place in range(span.start, span.end))
                for place, add in enumerate((1, span.end - span.start, shared > 0, shared)):
                    count[place] += add
        found += [
            TypeShare(name, kind, spans, size, hit / spans, shared / size)
            for kind, (spans, size, hit, shared) in sorted(counts.items())
        ]
    return tuple(found)


def _errors(
    rows: Mapping[str, Sequence[_Pair]], detectors: Mapping[str, Mapping[Key, Marking]]
) -> Iterator[SpanError]:
    """Every span of both sides, in the order of the people's file."""
    for name in detectors:
        for pair in rows[name]:
            ours, theirs = _characters(pair.detector.spans), _characters(pair.person.spans)
            text = pair.detector.text if pair.detector.text is not None else pair.person.text
            sides = (
                (pair.detector.spans, theirs, "right", "false alarm"),
                (pair.person.spans, ours, "found", "miss"),
            )
            for spans, others, shared, alone in sides:
                for span in spans:
                    yield SpanError(
                        detector=name,
                        annotator=pair.person.marker,
                        system=pair.key[0],
                        id=pair.key[1],
                        outcome=shared if _touches(span, others) else alone,
                        span=span,
                        words=None if text is None else text[span.start : span.end],
                    )


FORMS = ("text", "markdown", "latex")
_ITEMS = {"accuracy": "accuracy", "kappa": "kappa", "auc": "AUC"}
_CHARACTERS = {"precision": "precision", "recall": "recall", "f1": "F1", "mean_f1": "mean F1"}
_SPANS = {"span_precision": "precision", "span_recall": "recall", "span_f1": "F1"}
_WITH_INTERVAL = {"accuracy", "auc", "f1", "mean_f1", "span_f1"}
_SHORT = {
    "accuracy": "accuracy",
    "auc": "AUC",
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
    "mean_f1": "mean F1",
    "span_f1": "span F1",
}


def render_spans(study: SpanStudy, form: str = "text") -> str:
    """The tables of a study with its notes."""
    level = f"{study.confidence:.0%}".replace("%", " %")
    tables = [
        _overall("Items: is anything wrong?", study, _ITEMS, level),
        _overall("Characters", study, {**_CHARACTERS, "character_kappa": "kappa"}, level),
        _overall("Spans (right if they share a character)", study, _SPANS, level, counts=True),
    ]
    skipped = []
    for name, rows in study.groups.items():
        if len({row.group for row in rows}) > MOST_ROWS:
            skipped.append(name)
            continue
        tables.append(_group_table(name, rows))
    if study.found_types:
        tables.append(_type_table("By people's type: what is found", study.found_types))
    if study.right_types:
        tables.append(_type_table("By the detector's type: what is right", study.right_types))
    notes = [*study.notes, *(f"too many for a table: {name}; the JSON has it" for name in skipped)]
    notes.append(f"[…]: {level} of {study.n:,} resamples of records")
    return render_tables(tables, notes, form, forms=FORMS)


def _overall(
    title: str, study: SpanStudy, names: Mapping[str, str], level: str, *, counts: bool = False
) -> Table:
    columns: dict[str | Column, Callable[[SpanAgreement], Cell]] = {
        "detector": lambda one: one.detector
    }
    if names is _ITEMS:
        columns |= {"texts": lambda one: one.texts, "pairs": lambda one: one.pairs}
        columns["flagged"] = lambda one: one.figures["flagged"].value
        columns["by people"] = lambda one: one.figures["marked"].value
    if counts:
        columns["spans"] = lambda one: one.spans
        columns["of people"] = lambda one: one.marked
    for name, heading in names.items():
        columns[heading] = lambda one, name=name: one.figures[name].value  # type: ignore[misc]
        if name in _WITH_INTERVAL:
            columns[Column(f"{heading} [{level}]", align="left")] = (
                lambda one, name=name: _shown(one.figures[name].interval)  # type: ignore[misc]
            )
    return Table.of(title, study.overall, columns)


def _shown(interval: stats.Interval | None) -> str | None:
    return None if interval is None else f"[{interval[0]:.3f}, {interval[1]:.3f}]"


def _group_table(name: str, rows: Sequence[SpanAgreement]) -> Table:
    columns: dict[str | Column, Callable[[SpanAgreement], Cell]] = {
        "detector": lambda one: one.detector,
        name: lambda one: one.group or "–",
        "pairs": lambda one: one.pairs,
        "by people": lambda one: one.figures["marked"].value,
    }
    for figure, heading in _SHORT.items():
        columns[heading] = lambda one, figure=figure: one.figures[figure].value  # type: ignore[misc]
    return Table.of(f"By {name}", rows, columns)


def _type_table(title: str, rows: Sequence[TypeShare]) -> Table:
    columns: dict[str | Column, str | Callable[[TypeShare], Cell]] = {
        "detector": "detector",
        "type": "type",
        "spans": "spans",
        "characters": "characters",
        "by span": "by_span",
        "by character": "by_character",
    }
    return Table.of(title, rows, columns)


def spans_to_object(study: SpanStudy) -> dict[str, Any]:
    """The study as JSON, with all intervals."""
    return {
        "interval": {"confidence": study.confidence, "n": study.n, "seed": study.seed},
        "people": study.people,
        "detectors": {one.detector: _object(one) for one in study.overall},
        "by": {
            name: _nested(rows, lambda one: one.group, _object)
            for name, rows in study.groups.items()
        },
        "types": {
            "found": _nested(study.found_types, lambda one: one.type, _type_object),
            "right": _nested(study.right_types, lambda one: one.type, _type_object),
        },
        "notes": list(study.notes),
    }


def _nested(
    rows: Iterable[Any], member: Callable[[Any], str], value: Callable[[Any], dict[str, Any]]
) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        found.setdefault(row.detector, {})[member(row)] = value(row)
    return found


def _object(one: SpanAgreement) -> dict[str, Any]:
    counts = {name: getattr(one, name) for name in ("pairs", "texts", "records")}
    return {
        **counts,
        "spans": {"detector": one.spans, "people": one.marked},
        **{
            name: {
                "value": rounded(found.value),
                "low": rounded(found.interval[0]) if found.interval else None,
                "high": rounded(found.interval[1]) if found.interval else None,
            }
            for name, found in one.figures.items()
        },
    }


def _type_object(one: TypeShare) -> dict[str, Any]:
    return {
        "spans": one.spans,
        "characters": one.characters,
        "by_span": rounded(one.by_span),
        "by_character": rounded(one.by_character),
    }


def error_to_object(one: SpanError) -> dict[str, Any]:
    """A span and its outcome, for a line of JSON."""
    return {
        "detector": one.detector,
        "system": one.system,
        "id": one.id,
        "annotator": one.annotator,
        "outcome": one.outcome,
        "start": one.span.start,
        "end": one.span.end,
        "type": one.span.type,
        "words": one.words,
        "why": one.span.why,
    }
