"""Table 1 of paper 004: systems ranked by METEOR, TER and BLEU, on the sample and on all texts.

A system has a range of ranks: from one more than the number of systems that are significantly
better to the number of systems that are not significantly worse. Two systems are compared by the
paired bootstrap over the entries.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import numpy.typing as npt

from adequa.data import Score
from adequa.stats import (
    Aggregate,
    bootstrap_p,
    bootstrap_totals,
    mean_of,
    rowwise,
    significance_letters,
    spearman,
)
from adequa.tables import Cell, Column, Table
from research.papers.esa.data import Key
from research.papers.human.data import FILE_SCALES, METEOR_1_5, OWN, SCALES, HumanStudy
from research.papers.human.printed import METRICS, PrintedRank, alike
from research.papers.section import Section, counts, mark

Matrix = npt.NDArray[np.float64]
Found = Mapping[str, Mapping[str, Mapping[str, "RankedPlace"]]]
"""Places by metric, reading and system."""

ALPHA = 0.05
RESAMPLES = 1000
CLOSE: Mapping[str, float] = {"bleu": 1.0, "meteor": 0.02, "ter": 0.02}
"""The distance at which a value is close to the printed one; chosen by hand, no record of data."""
LOWER_IS_BETTER = frozenset({"ter"})

FILE_MEAN = "mean of the file's text scores"
OWN_MEAN = "mean of our text scores"
OWN_MEAN_1_5 = "mean of our text scores, weights of METEOR 1.5"
OWN_CORPUS = "our corpus score"


@dataclass(frozen=True, slots=True)
class RankedPlace:
    """A system's value, its first and last possible rank, and its groups."""

    value: float
    low: int
    high: int
    group: str


def rank_systems(
    samples: Mapping[str, Matrix],
    aggregate: Aggregate,
    *,
    lower_is_better: bool = False,
    n: int = 1000,
    seed: int = 0,
) -> dict[str, RankedPlace]:
    """The systems by value, best first; the rows of all samples are the same entries.

    >>> from adequa.stats import mean_of
    >>> few = {"good": np.ones((9, 1)), "bad": np.arange(9.0)[:, None] / 9}
    >>> {name: (place.low, place.group) for name, place in rank_systems(few, mean_of(9)).items()}
    {'good': (1, 'a'), 'bad': (2, 'b')}
    """
    values = {name: float(aggregate(rows.sum(axis=0)[None])[0]) for name, rows in samples.items()}
    sign = -1.0 if lower_is_better else 1.0
    order = sorted(values, key=lambda name: (-sign * values[name], name))
    drawn = {name: aggregate(bootstrap_totals(samples[name], n=n, seed=seed)) for name in order}
    different = []
    for one, other in combinations(range(len(order)), 2):
        first, second = order[one], order[other]
        p = bootstrap_p(drawn[first] - drawn[second], values[first] - values[second])
        if p is not None and p < ALPHA:
            different.append((one, other))
    letters = significance_letters(len(order), different) or [""] * len(order)
    return {
        name: RankedPlace(
            values[name],
            1 + sum(worse == place for _, worse in different),
            len(order) - sum(better == place for better, _ in different),
            letters[place],
        )
        for place, name in enumerate(order)
    }


def table_1(study: HumanStudy, seed: int = 0) -> Section:
    """The rankings on the sample under each reading next to the paper's."""
    found = {
        name: _readings(study, name, seed, everywhere=False) for name in ("meteor", "ter", "bleu")
    }
    return _section("table1", "on the sample", found)


def table_1_all(study: HumanStudy, seed: int = 0) -> Section:
    """The rankings on all texts, or on those of some entries; the paper prints only the groups."""
    found = {
        name: _readings(study, name, seed, everywhere=True) for name in ("meteor", "ter", "bleu")
    }
    few = study.most_entries is not None
    where = f"on the texts of {len(study.entries):,} entries" if few else "on all texts"
    section = _section("table1_all", where, found)
    values = {name: _moved(study, name, readings) for name, readings in found.items()}
    return replace(section, values={f"moved_{name}": one for name, one in values.items()})


def _moved(
    study: HumanStudy, name: str, everywhere: Mapping[str, Mapping[str, RankedPlace]]
) -> tuple[str, Cell]:
    """The systems whose rank differs between the sample and all texts."""
    printed = "none" if name == "meteor" else "one place at most"
    words = f"{name.upper()}, changes of rank from the sample to all texts (paper: {printed})"
    few = _readings(study, name, everywhere=False, n=1)  # for the order alone
    reading = next(
        (one for one in (OWN_CORPUS, OWN_MEAN) if one in everywhere and one in few), None
    )
    if reading is None:
        return words, None
    order = list(few[reading])
    moved = [
        f"{system} {order.index(system) + 1} to {place}"
        for place, system in enumerate(everywhere[reading], 1)
        if system in order and order.index(system) + 1 != place
    ]
    return words, ", ".join(moved) or "none"


def _readings(
    study: HumanStudy, name: str, seed: int = 0, *, everywhere: bool, n: int = RESAMPLES
) -> dict[str, dict[str, RankedPlace]]:
    found: dict[str, dict[str, RankedPlace]] = {}
    lower = name in LOWER_IS_BETTER
    systems = study.systems
    if not everywhere:
        ids = sorted({entry for system, entry in study.values if system in systems})
        given = {
            system: _column(
                [study.values[system, entry][name] * FILE_SCALES[name] for entry in ids]
            )
            for system in systems
        }
        found[FILE_MEAN] = rank_systems(
            given, mean_of(len(ids)), lower_is_better=lower, n=n, seed=seed
        )
    scores = study.scores(name, everywhere=everywhere)
    metric = study.metric(name)
    if not scores or metric is None:
        return found
    rows = _complete(study, scores)
    found[OWN_MEAN] = _ranked_means(rows, SCALES[name], lower_is_better=lower, n=n, seed=seed)
    if name == "meteor":
        weighted = _complete(study, study.scores(METEOR_1_5, everywhere=everywhere))
        found[OWN_MEAN_1_5] = _ranked_means(
            weighted, SCALES[METEOR_1_5], lower_is_better=lower, n=n, seed=seed
        )
    if all(score.statistics for some in rows.values() for score in some):
        scale = SCALES[name]

        def corpus(totals: Sequence[float]) -> float | None:
            value = metric.corpus(totals)
            return value * scale if isinstance(value, float) else None

        statistics = {
            system: np.array([score.statistics for score in some], dtype=np.float64)
            for system, some in rows.items()
        }
        found[OWN_CORPUS] = rank_systems(
            statistics, rowwise(corpus), lower_is_better=lower, n=n, seed=seed
        )
    return found


def _complete(study: HumanStudy, scores: Mapping[Key, Score]) -> dict[str, list[Score]]:
    """The scores of each system for the entries that have a score of every system."""
    known = [system for system in study.systems if any(system == one for one, _ in scores)]
    ids = [
        entry
        for entry in sorted({entry for _, entry in scores})
        if all(_value(scores.get((system, entry))) is not None for system in known)
    ]
    return {system: [scores[system, entry] for entry in ids] for system in known}


def _ranked_means(
    rows: Mapping[str, Sequence[Score]], scale: float, *, lower_is_better: bool, n: int, seed: int
) -> dict[str, RankedPlace]:
    means = {
        system: _column([score.value * scale for score in some if score.value is not None])
        for system, some in rows.items()
    }
    entries = max(map(len, rows.values()), default=0)
    return rank_systems(means, mean_of(entries), lower_is_better=lower_is_better, n=n, seed=seed)


def _value(score: Score | None) -> float | None:
    return None if score is None else score.value


def _column(values: Sequence[float]) -> Matrix:
    return np.array(values, dtype=np.float64)[:, None]


def _section(key: str, where: str, found: Found) -> Section:
    everywhere = key == "table1_all"
    tables = [_readings_table(found, where, everywhere=everywhere)]
    records: list[dict[str, object]] = []
    for name, readings in found.items():
        for reading, places in readings.items():
            records += [
                _record(name, reading, system, place, METRICS[name].get(system))
                for system, place in places.items()
            ]
        if readings:
            reading, places = list(readings.items())[-1]
            tables.append(_places_table(name, where, reading, places, everywhere=everywhere))
    java = (
        "the paper's METEOR is that of the Java program 1.5 over the whole sample; NLTK's weights "
        "give values almost twice as high, because they hardly punish disorder (gamma 0.5, beta 3, "
        "against 0.6 and 0.2): with the weights of METEOR 1.5 ours come near. The rest is due to "
        "its table of paraphrases and lower weight of function words, which we do not have, and to "
        "scoring the sample as one text: the file's scores are the Java program's, and their mean "
        "is higher than the paper's value too"
    )
    own = [OWN[name] for name in (*found, METEOR_1_5)]
    notes = [f"our own: {', '.join(own)}; at most three references", java]
    if not everywhere:
        notes.append(
            "the paper's BLEU and TER are corpus scores, which fit better than means of texts; "
            "if a text has fewer than three references, BLEU counts empty ones, as the challenge's "
            "script did: UIT-VNU-HCM has 2.0 without and 5.4 with them, and 5.25 in the paper"
        )
    if not any(readings for readings in found.values()):
        notes = ["n/a: no texts to score; see the list of missing data"]
    return Section(key, tables, {}, notes, records)


def _readings_table(found: Found, where: str, *, everywhere: bool) -> Table:
    rows: list[list[Cell]] = []
    for name, readings in found.items():
        for reading, places in readings.items():
            paper = METRICS[name]
            shared = [system for system in paper if system in places]
            values = [places[system].value for system in shared]
            order = spearman(values, [paper[system].value for system in shared])
            groups = {
                system: paper[system].all if everywhere else paper[system].sample
                for system in shared
            }
            pairs = len(shared) * (len(shared) - 1) // 2
            unequal = alike(groups) ^ alike({system: places[system].group for system in shared})
            row: list[Cell] = [name, reading]
            if not everywhere:
                marks = counts(
                    mark(places[system].value, paper[system].value, close=CLOSE[name])
                    for system in shared
                )
                far = [abs(places[system].value - paper[system].value) for system in shared]
                ranges = sum(
                    (places[system].low, places[system].high)
                    == (paper[system].low, paper[system].high)
                    for system in shared
                )
                row += [
                    marks["equal"],
                    marks["close"],
                    marks["different"],
                    sum(far) / len(far),
                    ranges,
                ]
            rows.append(
                [*row, f"{pairs - len(unequal)} of {pairs}", order.value if order else None]
            )
    columns: list[str | Column] = ["metric", "reading"]
    if not everywhere:
        columns += ["equal", "close", "different", "mean |difference|", "equal rank ranges"]
    columns += ["equal pairs of groups", Column("Spearman with the paper's sample", 2)]
    return Table(f"Table 1, {where}: which reading fits", columns, rows)


def _places_table(
    name: str, where: str, reading: str, places: Mapping[str, RankedPlace], *, everywhere: bool
) -> Table:
    rows: list[list[Cell]] = []
    for system, printed in METRICS[name].items():
        place = places.get(system)
        ours: list[Cell] = (
            [None, None, None]
            if place is None
            else [_range(place.low, place.high), place.value, place.group]
        )
        group = printed.all if everywhere else printed.sample
        theirs: list[Cell] = (
            [] if everywhere else [_range(printed.low, printed.high), printed.value]
        )
        value = None if place is None else place.value
        marked: list[Cell] = [] if everywhere else [mark(value, printed.value, close=CLOSE[name])]
        rows.append([system, *theirs, group, *ours, *marked])
    columns: list[str | Column] = ["system"]
    columns += [] if everywhere else ["paper's rank", Column("paper's value", 2)]
    columns += ["paper's groups", "rank", Column("value", 2), "groups"]
    columns += [] if everywhere else ["value is"]
    return Table(f"Table 1, {name.upper()} {where}: {reading}", columns, rows)


def _range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}-{high}"


def _record(
    name: str, reading: str, system: str, place: RankedPlace, printed: PrintedRank | None
) -> dict[str, object]:
    return {
        "metric": name,
        "reading": reading,
        "system": system,
        "value": place.value,
        "rank": [place.low, place.high],
        "group": place.group,
        "paper": None if printed is None else printed._asdict(),
        "distance": None if printed is None else abs(place.value - printed.value),
    }


def corpus_values(study: HumanStudy, name: str) -> dict[str, float]:
    """Our score of each system on the sample: at corpus level, or else the mean."""
    readings = _readings(study, name, everywhere=False, n=1)  # for the values alone
    places = readings.get(OWN_CORPUS) or readings.get(OWN_MEAN) or {}
    return {system: place.value for system, place in places.items()}
