"""Changes since a baseline: which systems got better or worse, and which facts broke."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from adequa.analysis import comparison
from adequa.data import Item, Result, Triple
from adequa.errors import RunError
from adequa.report.texts import VERDICTS, faulty_facts
from adequa.run import Run
from adequa.tables import digits_for

LEVEL = 0.95
TRIALS = 1000
"""Level and trials are the defaults of `adequa compare`."""
TEST: comparison.TestName = "bootstrap"
CORRECTION = "holm"
MOST_ROWS = 20
MOST_ITEMS = 10


@dataclass(frozen=True, slots=True)
class EarlierScore:
    """The results of a text in the baseline, without the text."""

    triples: tuple[Triple, ...]
    scores: Mapping[str, float | None]
    faults: frozenset[Triple]
    verdict: str | None


class Baseline:
    """The baseline's texts, by system and id."""

    def __init__(self) -> None:
        self._systems: dict[str, int] = {}
        self._known: dict[tuple[int, str], EarlierScore] = {}

    def add(self, system: int, result: Result) -> None:
        """Add a text of the baseline."""
        self._systems.setdefault(result.item.system, system)
        faults = frozenset(fact.triple for fact in faulty_facts(result))
        self._known[system, result.item.id] = EarlierScore(
            result.item.triples, result.scores, faults, result.verdict
        )

    def partner(self, name: str, *, single: bool) -> int | None:
        """The system of that name; if both runs have only one system, that one."""
        if name in self._systems:
            return self._systems[name]
        if single and len(self._systems) == 1:
            return next(iter(self._systems.values()))
        return None

    def get(self, system: int, item: Item) -> EarlierScore | None:
        """The same item in the baseline: same id, same triples in any order."""
        was = self._known.get((system, item.id))
        return was if was and sorted(was.triples) == sorted(item.triples) else None


@dataclass(slots=True)
class ChangedText:
    """The changes of one system's texts since the baseline."""

    before: int
    """The number of the baseline's system."""
    paired: int = 0
    unpaired: int = 0
    differences: dict[str, list[tuple[float, str]]] = field(default_factory=dict)
    """By metric: now minus then, and the item, where both are scored."""
    verdicts: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Verdicts then and now; "" for none."""
    broken: Counter[Triple] = field(default_factory=Counter)
    """Facts that are missing or contradicted now and were not then."""
    mended: Counter[Triple] = field(default_factory=Counter)
    broken_in: dict[Triple, str] = field(default_factory=dict)
    """The first item each broke in."""

    def add(self, result: Result, was: EarlierScore | None) -> tuple[int, int]:
        """Add a text; returns how many of its facts broke, and how many were mended."""
        if was is None:
            self.unpaired += 1
            return 0, 0
        self.paired += 1
        self.verdicts[was.verdict or "", result.verdict or ""] += 1
        for label, value in result.scores.items():
            old = was.scores.get(label)
            if value is not None and old is not None:
                # Six decimals, as in the run, so that rounding errors are not changes.
                change = round(value - old, 6)
                self.differences.setdefault(label, []).append((change, result.item.id))
        faults = {fact.triple for fact in faulty_facts(result)}
        known = {fact.triple for fact in result.facts}
        broken, mended = faults - was.faults, (was.faults & known) - faults
        self.broken.update(sorted(broken))
        self.mended.update(sorted(mended))
        for triple in broken:
            self.broken_in.setdefault(triple, result.item.id)
        return len(broken), len(mended)


def changed_score(
    differences: Sequence[tuple[float, str]], *, higher_is_better: bool
) -> tuple[int, int, int]:
    """The number of items that got better, got worse, and stayed the same."""
    sign = 1 if higher_is_better else -1
    better = sum(sign * change > 0 for change, _ in differences)
    worse = sum(sign * change < 0 for change, _ in differences)
    return better, worse, len(differences) - better - worse


@dataclass(frozen=True, slots=True)
class ChangeTests:
    """The paired tests of each system against its baseline."""

    measures: tuple[comparison.Measure, ...]
    pairs: Mapping[int, tuple[comparison.SystemPair, ...]]
    """By system: one pair per measure, with the current system first, the baseline second."""
    trials: int
    notes: tuple[str, ...]


def paired_tests(
    runs: Sequence[Run], baseline: Run, partners: Mapping[int, int], *, seed: int = 0
) -> ChangeTests:
    """Test each system against its partner; the numbers are those of `collect`.

    P-values are corrected over the systems, for each measure.
    """
    if not partners:
        raise RunError(
            f"{baseline.path} has none of the systems of the runs; name a baseline with the same "
            "systems, or runs with one system each"
        )
    aligned = comparison.load_systems([baseline, *runs])
    # Systems are numbered as they are met, here as in `collect`.
    names = [system.name for system in aligned.systems]
    wanted = {number: (names[number], names[old]) for number, old in partners.items()}
    yardsticks, notes = comparison.choose_yardsticks(aligned, None)
    # A correction for m pairs finds nothing unless m / (trials + 1) is below 1 - LEVEL.
    trials = max(TRIALS, math.ceil(2 * len(wanted) / (1 - LEVEL)))
    procedure = comparison.Procedure((TEST,), {TEST: trials}, seed, LEVEL)
    found: dict[int, list[comparison.SystemPair]] = {number: [] for number in wanted}
    for yardstick in yardsticks:
        samples = {system.name: yardstick.sample(system, None) for system in aligned.systems}
        _, pairs = comparison.measure_systems(yardstick, samples, list(wanted.values()), procedure)
        judged = comparison.correct_pairs(
            pairs, yardstick.measure, correction=CORRECTION, alpha=1 - LEVEL
        )
        for number, pair in zip(wanted, judged, strict=True):
            found[number].append(pair)
    return ChangeTests(
        tuple(one.measure for one in yardsticks),
        {number: tuple(pairs) for number, pairs in found.items()},
        trials,
        tuple(notes),
    )


def changes_view(
    changed: Mapping[int, ChangedText], tests: ChangeTests, names: Mapping[int, str]
) -> dict[str, Any]:
    """One part per system: paired tests, verdicts then and now, broken facts, items to read."""
    return {
        "trials": tests.trials,
        "systems": [_system(number, one, tests, names) for number, one in changed.items()],
        "notes": tests.notes,
    }


def _system(
    number: int, changed: ChangedText, tests: ChangeTests, names: Mapping[int, str]
) -> dict[str, Any]:
    rows = []
    for measure, pair in zip(tests.measures, tests.pairs[number], strict=True):
        differences = changed.differences.get(measure.name, [])
        better, worse, same = changed_score(differences, higher_is_better=measure.higher_is_better)
        significance = next(iter(pair.tests.values()))
        outcomes = {None: "no significant change", pair.first: "better", pair.second: "worse"}
        rows.append(
            {
                "measure": measure.name,
                "kind": measure.kind,
                "higher": measure.higher_is_better,
                "digits": digits_for([pair.first_value, pair.second_value]),
                "before": pair.second_value,
                "now": pair.first_value,
                "difference": pair.difference,
                "interval": pair.interval,
                "p": significance.corrected,
                "items": pair.items,
                "outcome": outcomes[pair.winner],
                "better": better,
                "worse": worse,
                "same": same,
            }
        )
    order = [verdict or "" for verdict in (*VERDICTS[1:], None)]
    seen = [one for one in order if any(one in pair for pair in changed.verdicts)]
    broken = sorted(changed.broken.items(), key=lambda pair: (-pair[1], pair[0]))
    return {
        "number": number,
        "name": names[number],
        "before": names[changed.before],
        "paired": changed.paired,
        "unpaired": changed.unpaired,
        "rows": rows,
        "verdicts": seen,
        "moves": [[changed.verdicts[then, now] for now in seen] for then in seen],
        "broken": [
            (triple, count, changed.broken_in[triple]) for triple, count in broken[:MOST_ROWS]
        ],
        "broken_count": sum(changed.broken.values()),
        "broken_facts": len(broken),
        "mended_count": sum(changed.mended.values()),
        "items": _worst(changed, tests),
    }


def _worst(changed: ChangedText, tests: ChangeTests) -> list[tuple[str, str, float]]:
    """Metric, item and difference of the largest losses, by the first metric with a loss."""
    for measure in tests.measures:
        sign = 1 if measure.higher_is_better else -1
        lost = [
            (sign * change, item)
            for change, item in changed.differences.get(measure.name, [])
            if sign * change < 0
        ]
        if lost:
            return [(measure.name, item, sign * loss) for loss, item in sorted(lost)[:MOST_ITEMS]]
    return []
