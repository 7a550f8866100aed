"""What changed since the baseline, as the template takes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adequa.report.changes import Changed, ChangeTests, changed_score
from adequa.report.figures import digits_for
from adequa.report.items import VERDICTS

__all__ = ["changes_view"]

MOST_ROWS = 20
MOST_ITEMS = 10


def changes_view(
    changed: Mapping[int, Changed], tests: ChangeTests, names: Mapping[int, str]
) -> dict[str, Any]:
    """A system a part: the paired tests, verdicts then and now, facts that broke, items to read."""
    return {
        "trials": tests.trials,
        "systems": [_system(number, one, tests, names) for number, one in changed.items()],
        "notes": tests.notes,
    }


def _system(
    number: int, changed: Changed, tests: ChangeTests, names: Mapping[int, str]
) -> dict[str, Any]:
    rows = []
    for measure, pair in zip(tests.measures, tests.pairs[number], strict=True):
        differences = changed.differences.get(measure.name, [])
        better, worse, same = changed_score(differences, higher_is_better=measure.higher_is_better)
        significance = next(iter(pair.tests.values()))
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
                "outcome": "no significant change"
                if pair.winner is None
                else "better"
                if pair.winner == pair.first
                else "worse",
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


def _worst(changed: Changed, tests: ChangeTests) -> list[tuple[str, str, float]]:
    """Metric, item and difference of those that lost most by the first metric that has any."""
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
