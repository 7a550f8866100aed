"""Means, significance groups and ranks of systems by human judgments, overall and by breakdowns.

Systems are compared by a rank test: those that share a letter do not differ. The intervals of means
and ranks come from a bootstrap over inputs: the texts of all systems on an input are drawn together
so that inputs that are hard for all of them do not blur their order. The order of the ratings has
no effect.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, count, product
from statistics import median
from typing import Any

import numpy as np
import numpy.typing as npt

from adequa import stats
from adequa.data import Item, Rating
from adequa.errors import DataError, SettingError, require_known
from adequa.fields import NO_VALUE, as_word, grouped, natural_order, require_few, seen_word
from adequa.human.judgments import by_criterion, one_each, standardised
from adequa.progress import Progress, silent
from adequa.tables import counted

Sample = Sequence[float] | Mapping[str, float]
"""A system's values: a list, or by the id of the text."""

TESTS: Mapping[str, Callable[[Sequence[float], Sequence[float]], stats.RankTest | None]] = {
    "rank-sum": stats.rank_sum,
    "signed-rank": stats.signed_rank,
}
_ITEM_FIELDS = ("category", "lang", "seen", "size")
_OTHER_NAMES = {"seen": ("seen", "type"), "size": ("size", "triplesize")}
"""Field names in the ratings of WebNLG 2017."""
_REFERENCE = "reference"
_LISTED = 5
"""Systems that a note lists by name."""
DATA = ("averaged", "single")
Matrix = npt.NDArray[np.float64]
Inputs = Mapping[tuple[str, str], str]
Texts = dict[str, dict[str, list[float]]]
"""Values by system and input."""


@dataclass(frozen=True, slots=True)
class GroupDifference:
    """Two systems, the one with the better mean first, and the result of their test."""

    first: str
    second: str
    p: float | None
    """None where the test is not defined, as for equal values."""
    corrected: float | None
    significant: bool
    values: int
    """Pairs of values for the signed-rank test, values of both for the rank-sum test."""


@dataclass(frozen=True, slots=True)
class Grouping:
    """Systems by their mean, the best first, with the tests of all pairs."""

    order: tuple[str, ...]
    means: Mapping[str, float]
    letters: Mapping[str, str]
    """Empty where there are more groups than letters."""
    differences: tuple[GroupDifference, ...]

    @property
    def alike(self) -> frozenset[frozenset[str]]:
        """The pairs of systems that do not differ significantly, as the letters show."""
        pairs = (pair for pair in self.differences if not pair.significant)
        return frozenset(frozenset((pair.first, pair.second)) for pair in pairs)


def significance_groups(
    samples: Mapping[str, Sample],
    *,
    test: str = "rank-sum",
    correction: str = "none",
    alpha: float = 0.05,
    lower_is_better: bool = False,
) -> Grouping:
    """Compare all pairs of systems, and give a common letter to those that do not differ.

    The signed-rank test takes values by the id of the text and pairs the texts of both systems;
    lists are paired by position. Equal means are ordered by name.

    >>> few = {"good": [3, 3, 2, 3, 3], "fair": [3, 2, 3, 3, 2], "bad": [1, 1, 2, 1, 1]}
    >>> significance_groups(few).letters
    {'good': 'a', 'fair': 'a', 'bad': 'b'}
    """
    _validate_test(test, correction=correction, alpha=alpha)
    if not samples:
        raise DataError("there is no system to compare", remedy="give the values of some systems")
    means = {name: _mean(name, sample) for name, sample in samples.items()}
    sign = 1 if lower_is_better else -1
    order = tuple(sorted(means, key=lambda name: (sign * means[name], name)))
    pairs = list(combinations(order, 2))
    sides = [_sides(samples[first], samples[second], test) for first, second in pairs]
    found = [TESTS[test](*side) if side[0] and side[1] else None for side in sides]
    p_values = [None if one is None else one.p for one in found]
    corrected = stats.adjust(p_values, correction)
    differences = tuple(
        GroupDifference(
            first=first,
            second=second,
            p=p,
            corrected=fair,
            significant=fair is not None and fair < alpha,
            values=len(side[0]) + (len(side[1]) if test == "rank-sum" else 0),
        )
        for (first, second), p, fair, side in zip(pairs, p_values, corrected, sides, strict=True)
    )
    places = {name: place for place, name in enumerate(order)}
    letters = stats.significance_letters(
        len(order),
        [(places[one.first], places[one.second]) for one in differences if one.significant],
    )
    shown = {} if letters is None else dict(zip(order, letters, strict=True))
    return Grouping(order, {name: means[name] for name in order}, shown, differences)


def _validate_test(test: str, *, correction: str, alpha: float) -> None:
    require_known("test", [test], TESTS)
    require_known("correction", [correction], stats.CORRECTIONS)
    if not 0 < alpha < 1:
        raise SettingError(f"alpha must lie between 0 and 1 (0.05), not {alpha}")


def _as_list(sample: Sample) -> list[float]:
    return list(sample.values()) if isinstance(sample, Mapping) else list(sample)


def _mean(name: str, sample: Sample) -> float:
    values = _as_list(sample)
    if not values:
        raise DataError(f"the system {name!r} has no values", remedy="leave it out")
    if not all(math.isfinite(value) for value in values):
        raise DataError(f"a value of {name!r} is not a finite number", remedy="leave it out")
    # math.fsum does not depend on the order of the values, so ranks do not either.
    return math.fsum(values) / len(values)


def _sides(first: Sample, second: Sample, test: str) -> tuple[list[float], list[float]]:
    if test == "rank-sum":
        return _as_list(first), _as_list(second)
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        shared = [text for text in first if text in second]
        return [first[text] for text in shared], [second[text] for text in shared]
    one, other = _as_list(first), _as_list(second)
    if len(one) != len(other):
        raise DataError(
            f"{len(one)} values cannot be paired with {len(other)}",
            remedy="give the values by the id of the text, or use the rank-sum test",
        )
    return one, other


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields of rated texts, from the ratings and from their items."""

    items: Mapping[tuple[str, str], Item]
    inputs: Mapping[str, Item]
    """One item per input, of any system."""
    common: Mapping[str, Mapping[str, Any]]
    """By input: the fields on which all its ratings agree, which hold for every rating of it."""
    known: tuple[str, ...]

    @classmethod
    def of(cls, ratings: Sequence[Rating], items: Iterable[Item] = ()) -> Fields:
        """The fields of ratings and their items; items without any rating are a DataError."""
        by_key: dict[tuple[str, str], Item] = {}
        inputs: dict[str, Item] = {}
        for item in items:
            by_key[item.key] = item
            inputs.setdefault(item.id, item)
            if item.system == _REFERENCE:  # its id is the entry's id, then the text's
                inputs.setdefault(item.id.rpartition("/")[0], item)
        inputs.pop("", None)
        if inputs and not any(rating.id in inputs for rating in ratings):
            raise DataError(
                f"the ratings are not of these items: a rating has id {ratings[0].id!r}, an item "
                f"{next(iter(inputs))!r}",
                remedy="give the items that were rated",
            )
        common: dict[str, dict[str, Any]] = {}
        for rating in ratings:
            there = common.get(rating.id)
            if there is None:
                common[rating.id] = dict(rating.meta)
            elif rating.meta:
                for name in [name for name in there if rating.meta.get(name) != there[name]]:
                    del there[name]
        names = {name for rating in ratings for name in rating.meta if name}
        if inputs:
            names |= set(_ITEM_FIELDS)
            names |= {f"meta.{name}" for item in inputs.values() for name in item.meta}
        return cls(by_key, inputs, common, tuple(sorted(names)))

    def split(self, ratings: Iterable[Rating], field: str) -> dict[str, list[Rating]]:
        """The ratings by the value of a field, in natural order; those without a value last."""
        parts = grouped(ratings, lambda rating: self.value(rating, field) or NO_VALUE)
        if set(parts) <= {NO_VALUE}:
            there = ", ".join(self.known) or "none"
            more = "" if self.inputs else f"; with items=… also {', '.join(_ITEM_FIELDS)}, meta.KEY"
            raise SettingError(f"no rated text has a {field!r}; there are: {there}{more}")
        require_few(field, len(parts))
        return {name: parts[name] for name in sorted(parts, key=natural_order)}

    def value(self, rating: Rating, field: str) -> str | None:
        """The value of a field of a rated text; None where unknown."""
        found = self._raw(rating, field)
        return seen_word(found) if field == "seen" else as_word(found)

    def _raw(self, rating: Rating, field: str) -> Any:
        name = field.removeprefix("meta.")
        names = _OTHER_NAMES.get(field, (name,))
        for meta, one in product((rating.meta, self.common.get(rating.id, {})), names):
            if meta.get(one) is not None:
                return meta[one]
        if field == "round" and rating.round is not None:
            return rating.round
        item = self.items.get((rating.system, rating.id)) or self.inputs.get(rating.id)
        if item is None:
            return None
        if field == "size":
            return len(item.triples)
        if field in ("category", "lang"):
            return getattr(item, field)
        return item.meta.get(name)


def entries(ratings: Iterable[Rating]) -> dict[tuple[str, str], str]:
    """The input of each text, by system and id, which pairs the systems.

    It is the id, except for human references, whose id may be below that of the input.
    """
    found = {(rating.system, rating.id): rating.id for rating in ratings}
    inputs = {text for system, text in found if system != _REFERENCE}
    for system, text in found:
        parent = text.rpartition("/")[0]
        if system == _REFERENCE and text not in inputs and parent in inputs:
            found[system, text] = parent
    return found


def _order(rating: Rating) -> tuple[str, str, str, str]:
    return rating.criterion, rating.system, rating.id, rating.rater


def is_not_shown(rating: Rating) -> bool:
    """Whether an empty text got the lowest score without being shown to anybody."""
    return not rating.rater and bool(rating.meta.get("not_shown"))


def select_criteria(ratings: Iterable[Rating], criteria: Sequence[str] = ()) -> list[Rating]:
    """The ratings of the named criteria, by default all, sorted."""
    kept = sorted(ratings, key=lambda one: (*_order(one), one.value))
    if not kept:
        raise DataError("there are no ratings", remedy="name a file of ratings")
    require_known("criterion", criteria, (rating.criterion for rating in kept))
    return [rating for rating in kept if not criteria or rating.criterion in criteria]


def prepare(
    ratings: Sequence[Rating],
    *,
    items: Iterable[Item] = (),
    lowest: float | None = None,
    data: str = "averaged",
    z: bool = False,
) -> tuple[list[Rating], list[str]]:
    """The ratings to compute with, and notes on them.

    `lowest` is the score of empty texts that nobody rated; the items tell which texts are empty.
    """
    kept, notes = _without_controls(ratings)
    notes += _validate_doubles(kept)
    if lowest is not None:
        filled = _filled(kept, items, lowest)
        notes.append(
            f"ratings of empty texts, not shown to anybody, set to {lowest:g}: {len(filled):,}"
        )
        kept = sorted([*kept, *filled], key=_order)
    notes += _missing(kept)
    judged = any(rating.rater for rating in kept)
    if z and not all(rating.rater or is_not_shown(rating) for rating in kept):
        raise SettingError(
            "z=True standardises each rater's judgments, but these are averages without raters"
        )
    if data == "single" and not judged:
        raise SettingError(
            'these are averages without raters, not single judgments; use data="averaged"'
        )
    if data == "single" and any(map(is_not_shown, kept)):
        notes.append("a text that nobody was shown counts as one judgment")
    return (_standard(kept, notes) if z else kept), notes


def _without_controls(ratings: Sequence[Rating]) -> tuple[list[Rating], list[str]]:
    kept = [rating for rating in ratings if rating.meta.get("control") is None]
    if not kept:
        raise DataError(
            "all ratings are of control items", remedy="give ratings of the systems' texts"
        )
    left_out = len(ratings) - len(kept)
    return kept, [f"ratings of control items, left out: {left_out:,}"] if left_out else []


def _validate_doubles(ratings: Sequence[Rating]) -> list[str]:
    """Refuse averages mixed with single judgments; note judgments that repeat another."""
    keys = Counter((one.criterion, one.system, one.id) for one in ratings)
    for rating in ratings:
        if not rating.rater and keys[rating.criterion, rating.system, rating.id] > 1:
            raise DataError(
                f"the {rating.criterion} of {rating.system!r} on {rating.id!r} has several ratings "
                "and one of them names no rater",
                remedy="give averages or single judgments, not both, and each file once",
            )
    twice = one_each(ratings)[1]
    judgments = sum(bool(rating.rater) for rating in ratings)
    if twice and 2 * twice >= judgments:
        raise DataError(
            f"{twice:,} of {judgments:,} judgments repeat one of the same rater on the same text",
            remedy="give each file once",
        )
    note = "judgments that repeat the rater, text and criterion of another, all counted"
    return [f"{note}: {twice:,}"] if twice else []


def _filled(ratings: Sequence[Rating], items: Iterable[Item], lowest: float) -> list[Rating]:
    known = list(items)
    if not known:
        raise SettingError(
            "lowest=… scores empty texts; name the items with items=…, which show which are empty"
        )
    for rating in ratings:
        if rating.value < lowest:
            raise SettingError(
                f"lowest={lowest:g} is not the lowest: {rating.criterion} of {rating.system!r} "
                f"on {rating.id!r} is {rating.value:g}"
            )
    there = {(one.criterion, one.system, one.id) for one in ratings}
    systems = {one.system for one in ratings}
    inputs = {one.id for one in ratings}
    rated = [item for item in known if item.system in systems and item.id in inputs]
    empty = sorted(item.key for item in rated if not item.text.strip())
    return [
        Rating(identifier, system, "", criterion, lowest, meta={"not_shown": "empty"})
        for criterion in sorted({one.criterion for one in ratings})
        for system, identifier in empty
        if (criterion, system, identifier) not in there
    ]


def _missing(ratings: Sequence[Rating]) -> list[str]:
    """A note on systems without ratings for inputs that other systems have ratings for."""
    rated = {(system, entry) for (system, _), entry in entries(ratings).items()}
    every = {entry for _, entry in rated}
    lacking = [
        f"{system} {len(every) - texts:,}"
        for system, texts in sorted(Counter(system for system, _ in rated).items())
        if texts < len(every)
    ]
    if not lacking:
        return []
    more = f", and {len(lacking) - _LISTED} more systems" if len(lacking) > _LISTED else ""
    note = f"inputs without a rating, of {len(every):,}: {', '.join(lacking[:_LISTED])}{more}"
    return [f"{note}; means are over the others (empty texts count with items and a lowest value)"]


def _standard(ratings: Sequence[Rating], notes: list[str]) -> list[Rating]:
    """Standardised by rater; texts that nobody was shown get the mean of the lowest answers."""
    given = [rating for rating in ratings if rating.rater]
    if not given:
        raise SettingError(
            "z=True standardises each rater's judgments, but nobody was shown a text here"
        )
    scaled = standardised(given)
    lowest = {
        name: min(rating.value for rating in part) for name, part in by_criterion(ratings).items()
    }
    worth = by_criterion(
        standard
        for raw, standard in zip(given, scaled, strict=True)
        if raw.value == lowest[raw.criterion]
    )
    unseen = [rating for rating in ratings if not rating.rater]
    if unseen:
        notes.append("texts that nobody was shown have the mean z of the lowest answers")
    for rating in unseen:
        values = [one.value for one in worth.get(rating.criterion, ())]
        if not values:
            raise SettingError(
                f"no judgment of {rating.criterion} is as low as the texts that nobody was "
                "shown, so they cannot be standardised; leave out z=True"
            )
        scaled.append(replace(rating, value=sum(values) / len(values)))
    return sorted(scaled, key=_order)


@dataclass(frozen=True, slots=True)
class AnalysisSettings:
    """The settings of an analysis."""

    test: str = "rank-sum"
    data: str = "averaged"
    """`averaged`: one value per text, the mean of its judgments; `single`: one per judgment."""
    correction: str = "none"
    alpha: float = 0.05
    """The level of the tests; intervals cover 1 - alpha."""
    z: bool = False
    n: int = 1000
    seed: int = 0
    lower_is_better: tuple[str, ...] = ()
    """Criteria where lower is better, such as the number of marked errors."""


_DEFAULT_SETTINGS = AnalysisSettings()


@dataclass(frozen=True, slots=True)
class SystemScore:
    """One system by one criterion."""

    criterion: str
    system: str
    mean: float
    median: float
    texts: int
    judgments: int | None
    """None for averages."""
    not_shown: int
    """The number of empty texts, which nobody was shown and which have the lowest score."""
    interval: stats.Interval | None
    """Of the mean, by resampling inputs; None below two inputs."""
    rank: int
    """1 is the best mean; equal means share the better rank."""
    ranks: tuple[int, int] | None
    """The interval of the rank, by resampling inputs."""


@dataclass(frozen=True, slots=True)
class Part:
    """All systems on all texts, or on those with one value of a breakdown."""

    name: str | None
    scores: tuple[SystemScore, ...]
    """Criterion by criterion, the best mean first."""
    groups: Mapping[str, Grouping]

    def of(self, criterion: str) -> list[SystemScore]:
        """The systems by one criterion, the best mean first; empty if it was not rated."""
        return [score for score in self.scores if score.criterion == criterion]


@dataclass(frozen=True, slots=True)
class Analysis:
    """Means, groups and ranks of systems by criterion, over all texts and by breakdowns."""

    criteria: tuple[str, ...]
    systems: tuple[str, ...]
    settings: AnalysisSettings
    excluded: tuple[str, ...]
    overall: Part
    by: Mapping[str, tuple[Part, ...]]
    notes: tuple[str, ...] = ()


def analyse(
    ratings: Iterable[Rating],
    *,
    items: Iterable[Item] = (),
    criteria: Sequence[str] = (),
    by: Sequence[str] = (),
    settings: AnalysisSettings = _DEFAULT_SETTINGS,
    lowest: float | None = None,
    excluded: Sequence[str] = (),
    progress: Progress = silent,
) -> Analysis:
    """Analyse judgments; `excluded` names raters whose ratings were already left out.

    `by` are fields of the ratings or of the items: type, size, category, seen, meta.KEY. `lowest`
    is the score of empty texts that nobody rated; the items tell which texts are empty.

    >>> rated = [Rating("Id1", "T5", "ann", "fluency", 3), Rating("Id2", "T5", "ann", "fluency", 2)]
    >>> analyse(rated).overall.scores[0].mean
    2.5
    """
    _validate(settings)
    known = list(items)
    kept = select_criteria(ratings, criteria)
    kept, notes = prepare(kept, items=known, lowest=lowest, data=settings.data, z=settings.z)
    inputs = entries(kept)
    fields = Fields.of(kept, known)
    parts = {field: fields.split(kept, field) for field in dict.fromkeys(by)}
    total = 1 + sum(map(len, parts.values()))
    done = count(1)
    progress(0, total)
    names = tuple(dict.fromkeys(criteria)) or tuple(by_criterion(kept))
    require_known("criterion", settings.lower_is_better, names)

    def part(value: str | None, some: Sequence[Rating]) -> Part:
        found = _part(value, some, names, inputs, settings)
        progress(next(done), total)
        return found

    overall = part(None, kept)
    broken = {
        field: tuple(part(value, some) for value, some in values.items())
        for field, values in parts.items()
    }
    systems = tuple(sorted({rating.system for rating in kept}))
    return Analysis(
        criteria=names,
        systems=systems,
        settings=settings,
        excluded=tuple(sorted(set(excluded))),
        overall=overall,
        by=broken,
        notes=(*notes, *_closing_notes(overall, systems, settings)),
    )


def _validate(settings: AnalysisSettings) -> None:
    require_known("kind of data", [settings.data], DATA)
    _validate_test(settings.test, correction=settings.correction, alpha=settings.alpha)
    stats.require_draws(settings.n, settings.seed)
    if settings.test == "signed-rank" and settings.data == "single":
        raise SettingError(
            "the signed-rank test pairs texts, and single judgments cannot be paired; "
            'use data="averaged", or test="rank-sum"'
        )


def _closing_notes(overall: Part, systems: Sequence[str], settings: AnalysisSettings) -> list[str]:
    if len(systems) == 1:
        return [f"there is only one system, {systems[0]}: nothing to compare"]
    undefined = sum(
        pair.p is None for grouping in overall.groups.values() for pair in grouping.differences
    )
    if not undefined:
        return []
    why = "they share no text, or all values are equal"
    return [f"the {settings.test} test is not defined for {counted(undefined, 'pair')}: {why}"]


def _part(
    name: str | None,
    ratings: Sequence[Rating],
    criteria: Sequence[str],
    inputs: Inputs,
    settings: AnalysisSettings,
) -> Part:
    scores: list[SystemScore] = []
    groups = {}
    rated = by_criterion(ratings)
    for criterion in criteria:
        if criterion not in rated:
            continue
        found = rated[criterion]
        texts = _texts(found, inputs, settings.data)
        samples = {system: _sample(values, settings) for system, values in texts.items()}
        lower = criterion in settings.lower_is_better
        sign = -1 if lower else 1
        groups[criterion] = significance_groups(
            samples,
            test=settings.test,
            correction=settings.correction,
            alpha=settings.alpha,
            lower_is_better=lower,
        )
        drawn = _intervals(texts, settings, lower_is_better=lower)
        means = groups[criterion].means
        for system in groups[criterion].order:
            own = [rating for rating in found if rating.system == system]
            interval, ranks = drawn.get(system, (None, None))
            scores.append(
                SystemScore(
                    criterion=criterion,
                    system=system,
                    mean=means[system],
                    median=float(median(_flat(texts[system]))),
                    texts=len(texts[system]),
                    judgments=sum(bool(one.rater) for one in own) or None,
                    not_shown=sum(map(is_not_shown, own)),
                    interval=interval,
                    rank=1 + sum(sign * mean > sign * means[system] for mean in means.values()),
                    ranks=ranks,
                )
            )
    return Part(name, tuple(scores), groups)


def _texts(ratings: Iterable[Rating], inputs: Inputs, data: str) -> Texts:
    """The values of each system by input, inputs sorted; for averages one value per text."""
    judged: dict[str, dict[str, dict[str, list[float]]]] = {}
    for rating in ratings:
        entry = inputs[rating.system, rating.id]
        texts = judged.setdefault(rating.system, {}).setdefault(entry, {})
        texts.setdefault(rating.id, []).append(rating.value)

    def values(texts: Mapping[str, list[float]]) -> list[float]:  # references may have several
        return (
            _flat(texts)
            if data == "single"
            else [math.fsum(one) / len(one) for one in texts.values()]
        )

    return {
        system: {entry: values(found[entry]) for entry in sorted(found)}
        for system, found in sorted(judged.items())
    }


def _flat(texts: Mapping[str, Sequence[float]]) -> list[float]:
    return [value for values in texts.values() for value in values]


def _sample(texts: Mapping[str, Sequence[float]], settings: AnalysisSettings) -> Sample:
    """The values for the test: all values, or for pairs one value per input."""
    if settings.test == "signed-rank":
        return {entry: math.fsum(values) / len(values) for entry, values in texts.items()}
    return _flat(texts)


def _intervals(
    texts: Texts, settings: AnalysisSettings, *, lower_is_better: bool
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
    totals = stats.bootstrap_totals(np.hstack([sums, counts]), n=settings.n, seed=settings.seed)
    drawn = totals[:, len(systems) :]
    # A system without a drawn input has neither mean nor rank.
    means = np.where(drawn > 0, totals[:, : len(systems)] / np.maximum(drawn, 1), np.nan)
    level = 1 - settings.alpha
    found = {}
    for column, system in enumerate(systems):
        some = len(texts[system]) > 1
        interval = stats.percentile_interval(means[:, column], level) if some else None
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
    # Equal means may differ in their last digits by the order of summation.
    slack = 1e-9 * max(1.0, float(np.nanmax(np.abs(means))))
    best = 1 + (others > mine + slack).sum(axis=1)
    worst = 1 + (others >= mine - slack).sum(axis=1)
    low = np.quantile(best, alpha / 2, method="lower")
    high = np.quantile(worst, 1 - alpha / 2, method="higher")
    return int(low), int(high)
