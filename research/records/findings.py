"""The fit of how credible a finding on a record is, on records with faithful and wrong texts.

Every finding of the rules and every addition is a case; it is right if its clause overlaps with a
fault. On records that the rules were developed on they are right more often than on others, so a
fit needs records that they were not developed on. Each kind of fault counts alike, however many
texts have it. Figures are out of fold: each record is judged by a model that was fitted without it.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from adequa.data import Item
from adequa.entities import credibility, read_findings
from adequa.errors import DataError
from adequa.metrics.nli.additions import Encode, find_additions
from adequa.metrics.nli.contradictions import RULE, RULES, UNSUPPORTED, find_contradictions
from adequa.metrics.sources import ReadRecords
from adequa.progress import Progress
from adequa.readers.records import read_record
from adequa.tables import Cell, Table
from adequa.text import Span
from research.recipe.weights import fit_logistic
from research.records.cases import named_text
from research.records.written import DATA, WrittenRecord, overlap, read_parts, read_written

Vector = npt.NDArray[np.float64]
DEVELOPED = frozenset("stuv")
"""Written records on which rules were mended, so that they are right there more often."""
RECORDS = tuple(str(path) for path in sorted(DATA.glob("*.jsonl")) if path.stem not in DEVELOPED)
"""The written records on which no rule was developed."""
OUT = Path(credibility.__file__).parent / "resources" / credibility.RESOURCE
CLEAN = 0.87
"""The share of faithful texts that must be without a finding, out of fold."""
PENALTY = 3.0
"""The L2 penalty of the features."""
LEAST = 12
"""The findings of a rule from which on it is rated; with fewer all its findings are kept."""
UNRATED = frozenset({
    "rule object owner", "rule object count", "rule series extreme", "rule series range",
    "rule category category", "rule trend comparison", "rule name",
})  # fmt: skip
"""Rules whose findings are all kept. Of matches and series of weather the written records have few,
and on other records their rules are seldom right. Unknown names: in samples of the written records
25 were at a fault, and true texts about seven records had one, of which six had causes that were
mended (ids that are names, pairs of codes, continents, forms of address)."""
FAITHFUL = 0.4
"""How much the faithful texts count; the wrong ones have the rest."""
LATER = frozenset({"ze", "zf", "zg", "zh"})
"""The files that were written after the shipped record reader was trained."""
READER = tuple(
    str(path) if path.stem in LATER else f"{path}:held" for path in sorted(DATA.glob("*.jsonl"))
)
"""Written records that the record reader was not trained on."""
READER_LIMIT, SUPPORT_LIMIT = 0.55, 0.55
"""The probabilities below which its contradictions, and clauses that the facts do not support, are
dropped. Out of fold on every fourth or fifth of these records, beside the rules with their limit:
.836 of the faithful texts clean, .364 of the faults noticed, .250 at their place; without it .861,
.295 and .194; with .5 and .5 .816, .388 and .263. The reader before it, of six layers and single
facts, had .836, .349 and .238 on the same texts."""
_FOLDS = 10


class Case(NamedTuple):
    """A finding, and whether it is right."""

    features: Mapping[str, float]
    right: bool

    @property
    def rule(self) -> str:
        """The rule that found it."""
        return credibility.rule_of(self.features)


class JudgedText(NamedTuple):
    """A text with its findings."""

    source: str
    group: str
    """Its record."""
    kind: str
    """The kind of its fault; empty for a faithful text."""
    cases: tuple[Case, ...]


def read_groups(place: str) -> Iterator[WrittenRecord]:
    """The records of a file with their texts; a suffix takes a part of its lines.

    `:odd` and `:even` take every second line, counted from 0; `:held` those on which no model is
    trained.
    """
    name, _, part = place.partition(":")
    if part not in ("", "even", "odd", "held"):
        raise DataError(
            f"{part!r} is not a part of a file", remedy="give FILE:odd, FILE:even or FILE:held"
        )
    try:
        records = read_parts(Path(name))[1] if part == "held" else read_written(Path(name))
    except OSError as error:
        raise DataError.of_file(error, name, remedy="give a file of records") from None
    if part in ("even", "odd"):
        records = records[("even", "odd").index(part) :: 2]
    yield from records


def find_cases(encode: Encode, item: Item, faults: Sequence[Span] = ()) -> tuple[Case, ...]:
    """The findings of the rules in a text about a record, before any is dropped."""
    reader = read_findings(item)
    found = [(reader.claim_at(one), reader.read(one)) for one in reader.found]
    for one in find_additions(item, reader.mentions, encode):
        if not any(overlap((one.start, one.end), place) for place, _ in found):
            found.append(((one.start, one.end), one.features))
    return tuple(
        Case(features, any(overlap(place, fault) for fault in faults)) for place, features in found
    )


def find_readings(read: ReadRecords, item: Item, faults: Sequence[Span] = ()) -> tuple[Case, ...]:
    """The contradictions that the record reader finds in a text, before any is dropped."""
    (readings,) = read([named_text(item)])
    return tuple(
        Case(one.features, any(overlap((one.start, one.end), fault) for fault in faults))
        for one in find_contradictions(item, readings)
    )


def judge_file(
    place: str,
    find: Callable[[Item, Sequence[Span]], tuple[Case, ...]],
    *,
    progress: Progress | None = None,
) -> list[JudgedText]:
    """What is found in all texts of a file."""
    groups = [*read_groups(place)]
    found = []
    for number, group in enumerate(groups):
        texts: list[tuple[str, str, Sequence[Span]]]
        texts = [("", text, ()) for text in group.faithful]
        texts += [("", text, ()) for _, text, _ in group.same]
        texts += [(one.kind, one.text, one.spans) for one in group.wrong]
        for kind, text, faults in texts:
            item = read_record(group.record, text, id=group.id).item
            found.append(JudgedText(place, group.id, kind, find(item, faults)))
        if progress is not None:
            progress(number + 1, len(groups))
    return found


def fit_reader(
    texts: Sequence[JudgedText], model: credibility.Credibility
) -> credibility.Credibility:
    """A model with the weights of what the record reader finds, and their limits."""
    weights = dict(model.weights)
    for rule in RULES:
        cases = [case for text in texts for case in text.cases if case.rule == rule]
        if len({case.right for case in cases}) < 2:
            raise DataError(
                "the records have no right or no wrong contradiction", remedy="give more records"
            )
        names = sorted({name for case in cases for name in case.features if name != rule})
        values = np.array([[case.features.get(name, 0.0) for name in names] for case in cases])
        labels = np.array([float(case.right) for case in cases])
        fitted = fit_logistic(values, labels, penalties=[PENALTY] * len(names))
        weights |= dict(zip(names, fitted.tolist(), strict=False))
        weights[rule] = float(fitted[-1]) - model.offset
    return replace(
        model,
        weights=weights,
        limits={**model.limits, RULE: READER_LIMIT, UNSUPPORTED: SUPPORT_LIMIT},
        fitted_on=f"{model.fitted_on}; the reader: {_describe(texts)}",
    )


class Point(NamedTuple):
    """The figures at one limit."""

    limit: float
    clean: float
    noticed: float
    placed: float


@dataclass(frozen=True)
class FindingsFit:
    """A model of credibility, and the chances of the cases out of fold."""

    model: credibility.Credibility
    texts: Sequence[JudgedText]
    chances: Sequence[Sequence[float]]
    """Out of fold, of each case of each text."""

    def point(self, limit: float) -> Point:
        """The figures with a limit, out of fold; those of wrong texts are means over kinds."""
        clean: list[bool] = []
        noticed: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
        for text, chances in zip(self.texts, self.chances, strict=True):
            kept = [one.right for one, own in zip(text.cases, chances, strict=True) if own >= limit]
            if text.kind:
                noticed[text.kind].append((bool(kept), any(kept)))
            else:
                clean.append(not kept)
        means = [np.mean(own, axis=0) for own in noticed.values()]
        both = np.mean(means, axis=0) if means else (0.0, 0.0)
        return Point(limit, float(np.mean(clean)) if clean else 0.0, *map(float, both))

    def limit_for(self, clean: float) -> float:
        """The lowest limit, in thousandths, that leaves a share of the true texts clean."""
        pairs = zip(self.texts, self.chances, strict=True)
        most = sorted(max(own, default=0.0) for text, own in pairs if not text.kind)
        allowed = math.ceil(clean * len(most) - 1e-9)  # the texts that must be below the limit
        return math.floor(most[allowed - 1] * 1000 + 1) / 1000 if allowed > 0 else 0.0

    def as_object(self) -> dict[str, Any]:
        """The content of `credibility.json`."""
        return {
            "weights": {name: round(one, 4) for name, one in self.model.weights.items()},
            "offset": round(self.model.offset, 4),
            "limit": round(self.model.limit, 3),
            "limits": dict(self.model.limits),
            "fitted_on": self.model.fitted_on,
            "out_of_fold": {
                name: {key: round(value, 3) for key, value in self.point(limit)._asdict().items()}
                for name, limit in (("all findings", 0.0), ("with the limit", self.model.limit))
            },
        }


def fit_findings(texts: Sequence[JudgedText], *, clean: float = CLEAN) -> FindingsFit:
    """Fit the model, and choose the limit out of fold."""
    counts = Counter(case.rule for text in texts for case in text.cases)
    rated = {rule for rule, count in counts.items() if count >= LEAST} - UNRATED
    cases = [(text, case) for text in texts for case in text.cases if case.rule in rated]
    if len({case.right for _, case in cases}) < 2:
        raise DataError("the records have no right or no wrong finding", remedy="give more records")
    names = sorted({name for _, case in cases for name in case.features})
    penalties = [PENALTY] * len(names)
    values = np.array([[case.features.get(name, 0.0) for name in names] for _, case in cases])
    labels = np.array([float(case.right) for _, case in cases])
    shares = _shares(texts, [text.kind for text, _ in cases])
    groups = {key: n for n, key in enumerate(sorted({(text.source, text.group) for text in texts}))}
    fold = np.array([groups[text.source, text.group] % _FOLDS for text, _ in cases])
    chances = np.zeros(len(cases))
    for number in range(_FOLDS):
        inside = fold == number
        if inside.any():
            rest = fit_logistic(values[~inside], labels[~inside], shares[~inside], penalties)
            chances[inside] = _chances(values[inside], rest)
    fitted = fit_logistic(values, labels, shares, penalties)
    weights = dict(zip(names, fitted.tolist(), strict=False))
    model = credibility.Credibility(weights, float(fitted[-1]), 0.0, _describe(texts))
    own = iter(chances.tolist())
    fit = FindingsFit(
        model,
        texts,
        [[next(own) if case.rule in rated else 1.0 for case in text.cases] for text in texts],
    )
    limit = fit.limit_for(clean)
    if fit.point(limit).clean < clean:
        raise DataError(
            f"no limit leaves {clean:.0%} of the faithful texts without a finding",
            remedy="give a lower --clean",
        )
    return replace(fit, model=replace(model, limit=limit))


def _shares(texts: Sequence[JudgedText], kinds: Sequence[str]) -> Vector:
    """How much the cases of texts of some kinds count: each kind of fault as much as any other."""
    counts = Counter(text.kind for text in texts)
    faults = max(1, len(counts) - ("" in counts))
    of_kind = {
        kind: (1 - FAITHFUL) / faults / count if kind else FAITHFUL / count
        for kind, count in counts.items()
    }
    shares = np.array([of_kind[kind] for kind in kinds])
    return np.asarray(shares * len(shares) / shares.sum())


def _chances(values: Vector, weights: Vector) -> Vector:
    odds = np.clip(values @ weights[:-1] + weights[-1], -30, 30)
    chances: Vector = 1 / (1 + np.exp(-odds))
    return chances


def _describe(texts: Sequence[JudgedText]) -> str:
    """The sources of a fit."""
    sources = dict.fromkeys(Path(one.source).name for one in texts)
    groups = len({(one.source, one.group) for one in texts})
    return f"{groups} records ({', '.join(sources)})"


# Presentation

_SHOWN = (0.0, 0.7, 0.75, 0.8, 0.84, 0.86, 0.88, 0.9, 0.92, 0.95)
"""The shares of clean texts in the table of limits."""


def findings_tables(fit: FindingsFit) -> list[Table]:
    """The figures by limit, the findings of each rule, and the weights."""
    shown = dict.fromkeys(fit.point(fit.limit_for(least)) for least in _SHOWN)
    faithful = sum(not one.kind for one in fit.texts)
    title = f"out of fold, {faithful} faithful and {len(fit.texts) - faithful} wrong texts"
    tables = [
        Table(title, ["limit", "clean", "noticed", "at the place"], [[*one] for one in shown])
    ]
    rows: list[list[Cell]] = []
    known = [
        (text, case, chance)
        for text, own in zip(fit.texts, fit.chances, strict=True)
        for case, chance in zip(text.cases, own, strict=True)
    ]
    for rule in sorted({case.rule for _, case, _ in known}):
        row: list[Cell] = [rule.removeprefix("rule ")]
        for limit in (0.0, fit.model.limit):
            own = [
                (text, one) for text, one, chance in known if one.rule == rule and chance >= limit
            ]
            row += [
                sum(not text.kind for text, _ in own),
                len(own),
                sum(one.right for _, one in own) / len(own) if own else None,
            ]
        rows.append(row)
    columns = ["rule", "in faithful", "all", "right", "kept in faithful", "kept", "right of kept"]
    tables.append(Table("findings out of fold", columns, rows))
    rows = [[name, weight] for name, weight in fit.model.weights.items()]
    rows += [["offset", fit.model.offset], ["limit", fit.model.limit]]
    tables.append(Table("weights, fitted on all", ["feature", "weight"], rows))
    return tables
