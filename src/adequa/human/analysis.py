"""From judgments to the table: means, groups and ranks of systems, over all texts and by parts.

Systems are told apart by a test (`groups`); how far a mean and a rank can be trusted says the
bootstrap over inputs: all systems' texts of an input are drawn together, so what makes an input
hard for all of them does not blur their order. Nothing depends on the order of the ratings.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import median

import numpy as np
import numpy.typing as npt

from adequa.data import Item, Rating
from adequa.errors import SettingError, UnknownName
from adequa.human.analysis_input import chosen, is_not_shown, prepared
from adequa.human.analysis_model import Analysis, Part, Settings, SystemScore
from adequa.human.fields import Fields, entries
from adequa.human.groups import TESTS, Sample, significance_groups
from adequa.human.judgments import by_criterion
from adequa.stats.corrections import CORRECTIONS
from adequa.stats.intervals import percentile_interval
from adequa.stats.resampling import bootstrap_totals

__all__ = ["DATA", "analyse"]

DATA = ("averaged", "single")

Matrix = npt.NDArray[np.float64]
Vector = npt.NDArray[np.float64]
Inputs = Mapping[tuple[str, str], str]
Texts = dict[str, dict[str, list[float]]]
"""Values by system and input."""


def analyse(
    ratings: Iterable[Rating],
    *,
    items: Iterable[Item] = (),
    criteria: Sequence[str] = (),
    by: Sequence[str] = (),
    settings: Settings = Settings(),  # noqa: B008 - frozen
    lowest: float | None = None,
    excluded: Sequence[str] = (),
    progress: Callable[[int, int], None] = lambda done, total: None,  # noqa: ARG005
) -> Analysis:
    """Analyse judgments; `excluded` names raters whose ratings were left out already.

    `by` are fields of the ratings or of the items: type, size, category, seen, meta.KEY. `lowest`
    is the score of empty texts that nobody rated, which the items tell.

    >>> rated = [Rating("Id1", "T5", "ann", "fluency", 3), Rating("Id2", "T5", "ann", "fluency", 2)]
    >>> analyse(rated).overall.scores[0].mean
    2.5
    """
    _check(settings)
    known = list(items)
    kept = chosen(ratings, criteria)
    kept, notes = prepared(kept, items=known, lowest=lowest, data=settings.data, z=settings.z)
    inputs = entries(kept)
    fields = Fields.of(kept, known)
    parts = {field: fields.split(kept, field) for field in dict.fromkeys(by)}
    steps = 1 + sum(map(len, parts.values()))
    progress(0, steps)
    names = tuple(criteria) or tuple(by_criterion(kept))
    for name in settings.lower_is_better:
        if name not in names:
            raise UnknownName("criterion", name, names)
    overall = _part(None, kept, names, inputs, settings)
    done = 1
    progress(done, steps)
    broken: dict[str, tuple[Part, ...]] = {}
    for field, values in parts.items():
        some = []
        for value, ratings_there in values.items():
            some.append(_part(value, ratings_there, names, inputs, settings))
            done += 1
            progress(done, steps)
        broken[field] = tuple(some)
    systems = tuple(sorted({rating.system for rating in kept}))
    return Analysis(
        tuple(dict.fromkeys(names)),
        systems,
        settings,
        tuple(sorted(set(excluded))),
        overall,
        broken,
        (*notes, *_remarks(overall, systems, settings)),
    )


def _check(settings: Settings) -> None:
    if settings.test not in TESTS:
        raise UnknownName("test", settings.test, TESTS)
    if settings.data not in DATA:
        raise UnknownName("kind of data", settings.data, DATA)
    if settings.correction not in CORRECTIONS:
        raise UnknownName("correction", settings.correction, CORRECTIONS)
    if not 0 < settings.alpha < 1:
        raise SettingError(f"alpha lies between 0 and 1 (0.05), not {settings.alpha}")
    if settings.n < 1:
        raise SettingError(f"the number of draws is at least 1, not {settings.n}")
    if settings.seed < 0:
        raise SettingError(f"a seed is not negative; {settings.seed} is")
    if settings.test == "signed-rank" and settings.data == "single":
        raise SettingError(
            "the signed-rank test pairs texts, and single judgments are no pairs; "
            "use --data averaged, or --test rank-sum"
        )


def _remarks(overall: Part, systems: Sequence[str], settings: Settings) -> list[str]:
    if len(systems) == 1:
        return [f"there is one system, {systems[0]}: nothing to compare"]
    silent = sum(
        pair.p is None for grouping in overall.groups.values() for pair in grouping.differences
    )
    if not silent:
        return []
    why = "they share no text, or all values are equal"
    return [f"of {silent:,} pairs the {settings.test} test can say nothing: {why}"]


def _part(
    name: str | None,
    ratings: Sequence[Rating],
    criteria: Sequence[str],
    inputs: Inputs,
    settings: Settings,
) -> Part:
    scores: list[SystemScore] = []
    groups = {}
    rated = by_criterion(ratings)
    for criterion in dict.fromkeys(criteria):
        if criterion not in rated:
            continue
        found = rated[criterion]
        texts = _texts(found, inputs, settings.data)
        samples = {system: _sample(values, settings) for system, values in texts.items()}
        less = criterion in settings.lower_is_better
        groups[criterion] = significance_groups(
            samples,
            test=settings.test,
            correction=settings.correction,
            alpha=settings.alpha,
            lower_is_better=less,
        )
        drawn = _drawn(texts, settings, lower_is_better=less)
        means = groups[criterion].means
        for system in groups[criterion].order:
            own = [rating for rating in found if rating.system == system]
            interval, ranks = drawn.get(system, (None, None))
            scores.append(
                SystemScore(
                    criterion,
                    system,
                    means[system],
                    float(median(_flat(texts[system]))),
                    len(texts[system]),
                    sum(bool(one.rater) for one in own) or None,
                    sum(map(is_not_shown, own)),
                    interval,
                    1 + sum(_is_better(mean, means[system], less) for mean in means.values()),
                    ranks,
                )
            )
    return Part(name, tuple(scores), groups)


def _texts(ratings: Iterable[Rating], inputs: Inputs, data: str) -> Texts:
    """The values of each system by input, inputs in order; with averages one value a text."""
    judged: dict[str, dict[str, dict[str, list[float]]]] = {}
    for rating in ratings:
        entry = inputs[rating.system, rating.id]
        texts = judged.setdefault(rating.system, {}).setdefault(entry, {})
        texts.setdefault(rating.id, []).append(rating.value)
    return {
        system: {entry: _values(found[entry].values(), data) for entry in sorted(found)}
        for system, found in sorted(judged.items())
    }


def _values(texts: Iterable[Sequence[float]], data: str) -> list[float]:
    """Of the texts of one input; several are human references of one entry."""
    if data == "single":
        return [value for text in texts for value in text]
    return [math.fsum(text) / len(text) for text in texts]


def _flat(texts: Mapping[str, Sequence[float]]) -> list[float]:
    return [value for values in texts.values() for value in values]


def _sample(texts: Mapping[str, Sequence[float]], settings: Settings) -> Sample:
    """What the test takes: values, or for pairs one value an input."""
    if settings.test == "signed-rank":
        return {entry: math.fsum(values) / len(values) for entry, values in texts.items()}
    return _flat(texts)


def _is_better(mean: float, other: float, lower_is_better: bool) -> bool:
    return mean < other if lower_is_better else mean > other


def _drawn(
    texts: Texts, settings: Settings, *, lower_is_better: bool
) -> dict[str, tuple[tuple[float, float] | None, tuple[int, int] | None]]:
    """The intervals of means and ranks, from inputs drawn with replacement."""
    systems = list(texts)
    every = sorted({entry for found in texts.values() for entry in found})
    if len(every) < 2:
        return {}
    places = {entry: place for place, entry in enumerate(every)}
    sums, counts = np.zeros((2, len(every), len(systems)))
    for column, system in enumerate(systems):
        for entry, values in texts[system].items():
            sums[places[entry], column] = math.fsum(values)
            counts[places[entry], column] = len(values)
    totals = bootstrap_totals(np.hstack([sums, counts]), n=settings.n, seed=settings.seed)
    count = totals[:, len(systems) :]
    # A system none of whose inputs was drawn has no mean, and no rank.
    means = np.where(count > 0, totals[:, : len(systems)] / np.maximum(count, 1), np.nan)
    level = 1 - settings.alpha
    found = {}
    for column, system in enumerate(systems):
        some = len(texts[system]) > 1
        interval = percentile_interval(means[:, column], level) if some else None
        goodness = -means if lower_is_better else means
        found[system] = interval, _rank_range(goodness, column, settings.alpha)
    return found


def _rank_range(means: Matrix, column: int, alpha: float) -> tuple[int, int] | None:
    own = means[:, column]
    there = np.isfinite(own)
    if not there.any():
        return None
    others = np.delete(means[there], column, axis=1)
    mine = own[there][:, None]
    # Equal means in sums of another order differ in their last digits.
    slack = 1e-9 * max(1.0, float(np.nanmax(np.abs(means))))
    best = 1 + (others > mine + slack).sum(axis=1)
    worst = 1 + (others >= mine - slack).sum(axis=1)
    low = np.quantile(best, alpha / 2, method="lower")
    high = np.quantile(worst, 1 - alpha / 2, method="higher")
    return int(low), int(high)
