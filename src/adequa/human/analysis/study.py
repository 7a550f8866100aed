"""From judgments to the table: means, groups and ranks of systems, over all texts and by parts.

Systems are told apart by a test (`groups`); how far a mean and a rank can be trusted says the
bootstrap over inputs: all systems' texts of an input are drawn together, so what makes an input
hard for all of them does not blur their order. Nothing depends on the order of the ratings.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

import numpy as np
import numpy.typing as npt

from adequa.data import Item, Rating
from adequa.errors import DataError, SettingError, UnknownName
from adequa.fields import NO_VALUE, as_word, natural_order, seen_word
from adequa.human.analysis.groups import TESTS, Grouping, Sample, significance_groups
from adequa.human.judgments import by_criterion, one_each, standardised
from adequa.stats import CORRECTIONS, Interval, bootstrap_totals, percentile_interval

# ---
# By what judgments can be broken down: fields of the ratings, and of the items they speak of.
# ---

MOST_VALUES = 200
"""A breakdown into more parts than this is a slip."""

_ITEM_FIELDS = ("category", "lang", "seen", "size")
_OTHER_NAMES = {"seen": ("seen", "type"), "size": ("size", "triplesize")}
"""As the ratings of WebNLG 2017 call them."""
_REFERENCE = "reference"


@dataclass(frozen=True, slots=True)
class Fields:
    """What is known of rated texts, to be asked by the name of a field."""

    items: Mapping[tuple[str, str], Item]
    inputs: Mapping[str, Item]
    """An item of each input, whichever the system."""
    common: Mapping[str, Mapping[str, Any]]
    """By input what all ratings of it say alike: it holds for one that says less, too."""
    known: tuple[str, ...]

    @classmethod
    def of(cls, ratings: Sequence[Rating], items: Iterable[Item] = ()) -> Fields:
        """From the ratings and their items; items that no rating is of are a DataError."""
        by_key: dict[tuple[str, str], Item] = {}
        inputs: dict[str, Item] = {}
        for item in items:
            by_key[item.key] = item
            inputs.setdefault(item.id, item)
            if item.system == _REFERENCE:  # a text of an entry: the entry's id, then the text's
                inputs.setdefault(item.id.rpartition("/")[0], item)
        inputs.pop("", None)
        if inputs and not any(rating.id in inputs for rating in ratings):
            raise DataError(
                f"no rating is of these items: an id of a rating is {ratings[0].id!r}, of an item "
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
        """The ratings by the value of a field, numbers in their order; without one, last."""
        parts: dict[str, list[Rating]] = {}
        for rating in ratings:
            value = self.value(rating, field)
            parts.setdefault(NO_VALUE if value is None else value, []).append(rating)
        if set(parts) <= {NO_VALUE}:
            there = ", ".join(self.known) or "none"
            more = "" if self.inputs else f"; with --items also {', '.join(_ITEM_FIELDS)}, meta.KEY"
            raise SettingError(f"no rated text has a {field!r}; there are: {there}{more}")
        if len(parts) > MOST_VALUES:
            raise SettingError(
                f"{field} has {len(parts)} values, more than {MOST_VALUES}; "
                "break down by a field with fewer"
            )
        return {name: parts[name] for name in sorted(parts, key=natural_order)}

    def value(self, rating: Rating, field: str) -> str | None:
        """What a field says of a rated text; None where nothing is known."""
        found = self._raw(rating, field)
        return seen_word(found) if field == "seen" else as_word(found)

    def _raw(self, rating: Rating, field: str) -> Any:
        name = field.removeprefix("meta.")
        names = _OTHER_NAMES.get(field, (name,))
        for meta in (rating.meta, self.common.get(rating.id, {})):
            for one in names:
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
    """By system and id the input a text is of, which pairs the systems.

    It is the id, but for a human reference, which may have one of its own below the input's.
    """
    texts = {(rating.system, rating.id) for rating in ratings}
    inputs = {text for system, text in texts if system != _REFERENCE}
    return {
        (system, text): _input(text, inputs) if system == _REFERENCE else text
        for system, text in texts
    }


def _input(text: str, inputs: set[str]) -> str:
    parent = text.rpartition("/")[0]
    return parent if text not in inputs and parent in inputs else text


# ---
# Judgments made ready for an analysis: checked, completed, standardised where that is asked.
# ---

_LISTED = 5


def is_not_shown(rating: Rating) -> bool:
    """Whether nobody judged the text, and it has the lowest score for being empty."""
    return not rating.rater and bool(rating.meta.get("not_shown"))


def chosen(ratings: Iterable[Rating], criteria: Sequence[str] = ()) -> list[Rating]:
    """The ratings of some criteria, or of all, in an order that does not depend on the rows'."""
    kept = sorted(
        ratings, key=lambda one: (one.criterion, one.system, one.id, one.rater, one.value)
    )
    if not kept:
        raise DataError("there are no ratings", remedy="is it the right file?")
    there = {rating.criterion for rating in kept}
    for name in criteria:
        if name not in there:
            raise UnknownName("criterion", name, there)
    return [rating for rating in kept if not criteria or rating.criterion in criteria]


def prepared(
    ratings: Sequence[Rating],
    *,
    items: Iterable[Item] = (),
    lowest: float | None = None,
    data: str = "averaged",
    z: bool = False,
) -> tuple[list[Rating], list[str]]:
    """The ratings to compute with, and what a reader should know of them.

    `lowest` is the score of empty texts that nobody rated; which texts are empty say the items.
    """
    kept, notes = _without_controls(ratings)
    notes += _check_doubles(kept)
    if lowest is not None:
        filled = _filled(kept, items, lowest)
        notes.append(
            f"ratings of empty texts, which nobody gave, set to {lowest:g}: {len(filled):,}"
        )
        kept = sorted(
            [*kept, *filled], key=lambda one: (one.criterion, one.system, one.id, one.rater)
        )
    notes += _missing(kept)
    judged = any(rating.rater for rating in kept)
    if z and not all(rating.rater or is_not_shown(rating) for rating in kept):
        raise SettingError("--z standardises each rater's judgments; these are averages without")
    if data == "single" and not judged:
        raise SettingError("these are averages; single judgments have raters: use --data averaged")
    if data == "single" and any(map(is_not_shown, kept)):
        notes.append("a text that nobody was shown counts as one judgment, others as theirs")
    return (_standard(kept, notes) if z else kept), notes


def _without_controls(ratings: Sequence[Rating]) -> tuple[list[Rating], list[str]]:
    kept = [rating for rating in ratings if rating.meta.get("control") is None]
    if not kept:
        raise DataError("all ratings are of control items", remedy="give those of systems' texts")
    left_out = len(ratings) - len(kept)
    return kept, [f"ratings of control items, left out: {left_out:,}"] if left_out else []


def _check_doubles(ratings: Sequence[Rating]) -> list[str]:
    """Refuse averages beside what they may be the average of; tell of raters who judge twice."""
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
    said = "judgments that are a rater's second of the same text and criterion, and count"
    return [f"{said}: {twice:,}"] if twice else []


def _filled(ratings: Sequence[Rating], items: Iterable[Item], lowest: float) -> list[Rating]:
    known = list(items)
    if not known:
        raise SettingError("--lowest scores empty texts; --items must say which are empty")
    for rating in ratings:
        if rating.value < lowest:
            raise SettingError(
                f"--lowest {lowest:g} is not the lowest: {rating.criterion} of {rating.system!r} "
                f"on {rating.id!r} is {rating.value:g}"
            )
    there = {(one.criterion, one.system, one.id) for one in ratings}
    systems = {one.system for one in ratings}
    inputs = {one.id for one in ratings}
    empty = sorted(
        item.key
        for item in known
        if not item.text.strip() and item.system in systems and item.id in inputs
    )
    return [
        Rating(identifier, system, "", criterion, lowest, meta={"not_shown": "empty"})
        for criterion in sorted({one.criterion for one in ratings})
        for system, identifier in empty
        if (criterion, system, identifier) not in there
    ]


def _missing(ratings: Sequence[Rating]) -> list[str]:
    """Which systems have no rating of texts that others have one of."""
    inputs = entries(ratings)
    rated: dict[str, set[str]] = {}
    for (system, _), entry in inputs.items():
        rated.setdefault(system, set()).add(entry)
    every = set().union(*rated.values())
    lacking = [
        f"{system} {len(every) - len(texts):,}"
        for system, texts in sorted(rated.items())
        if len(texts) < len(every)
    ]
    if not lacking:
        return []
    more = f", and {len(lacking) - _LISTED} more systems" if len(lacking) > _LISTED else ""
    said = f"of {len(every):,} inputs these have no rating: {', '.join(lacking[:_LISTED])}{more}"
    return [f"{said}; means are of the others (--items and --lowest score empty texts)"]


def _standard(ratings: Sequence[Rating], notes: list[str]) -> list[Rating]:
    """Standardised by rater; what nobody was shown is worth what the lowest answers are."""
    given = [rating for rating in ratings if rating.rater]
    if not given:
        raise SettingError("--z standardises each rater's judgments; nobody was shown a text here")
    scaled = standardised(given)
    lowest: dict[str, float] = {}
    for rating in ratings:
        lowest[rating.criterion] = min(rating.value, lowest.get(rating.criterion, rating.value))
    worth: dict[str, list[float]] = {}
    for raw, standard in zip(given, scaled, strict=True):
        if raw.value == lowest[raw.criterion]:
            worth.setdefault(raw.criterion, []).append(standard.value)
    unseen = [rating for rating in ratings if not rating.rater]
    if unseen:
        notes.append("texts that nobody was shown have the mean z of the lowest answers")
    for rating in unseen:
        values = worth.get(rating.criterion)
        if values is None:
            raise SettingError(
                f"no judgment of {rating.criterion} is as low as the texts that nobody was shown: "
                "what they are worth in z is not known; leave --z"
            )
        scaled.append(replace(rating, value=sum(values) / len(values)))
    return sorted(scaled, key=lambda one: (one.criterion, one.system, one.id, one.rater))


# ---
# What an analysis of judgments says, without a word on how it is shown.
# ---


@dataclass(frozen=True, slots=True)
class AnalysisSettings:
    """How systems were compared."""

    test: str = "rank-sum"
    data: str = "averaged"
    """`averaged`: a value a text, the mean of its judgments; `single`: a value a judgment."""
    correction: str = "none"
    alpha: float = 0.05
    """Of the tests; the intervals hold 1 - alpha."""
    z: bool = False
    """Whether judgments were standardised by rater."""
    n: int = 1000
    seed: int = 0
    lower_is_better: tuple[str, ...] = ()
    """Criteria of which less is better, such as the number of errors marked."""


@dataclass(frozen=True, slots=True)
class SystemScore:
    """One system by one criterion."""

    criterion: str
    system: str
    mean: float
    median: float
    texts: int
    judgments: int | None
    """None where only averages are known."""
    not_shown: int
    """Texts that nobody was shown, because they are empty: they have the lowest score."""
    interval: Interval | None
    """Of the mean, by drawing inputs; None below two of them."""
    rank: int
    """1 is the best mean; equal means share the better rank."""
    ranks: tuple[int, int] | None
    """From which to which rank the system comes when inputs are drawn."""


@dataclass(frozen=True, slots=True)
class Part:
    """All systems on all texts, or on those that share a value of a breakdown."""

    name: str | None
    scores: tuple[SystemScore, ...]
    """Criterion by criterion, the best mean first."""
    groups: Mapping[str, Grouping]
    """By criterion."""

    def of(self, criterion: str) -> list[SystemScore]:
        """The systems by one criterion, the highest mean first; none where nothing was rated."""
        return [score for score in self.scores if score.criterion == criterion]


@dataclass(frozen=True, slots=True)
class Analysis:
    """Means, groups and ranks of systems, by criterion, over all texts and by parts of them."""

    criteria: tuple[str, ...]
    systems: tuple[str, ...]
    settings: AnalysisSettings
    excluded: tuple[str, ...]
    """Raters that were left out."""
    overall: Part
    by: Mapping[str, tuple[Part, ...]]
    notes: tuple[str, ...] = ()


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
    settings: AnalysisSettings = AnalysisSettings(),  # noqa: B008 - frozen
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


def _check(settings: AnalysisSettings) -> None:
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


def _remarks(overall: Part, systems: Sequence[str], settings: AnalysisSettings) -> list[str]:
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
    settings: AnalysisSettings,
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


def _sample(texts: Mapping[str, Sequence[float]], settings: AnalysisSettings) -> Sample:
    """What the test takes: values, or for pairs one value an input."""
    if settings.test == "signed-rank":
        return {entry: math.fsum(values) / len(values) for entry, values in texts.items()}
    return _flat(texts)


def _is_better(mean: float, other: float, lower_is_better: bool) -> bool:
    return mean < other if lower_is_better else mean > other


def _drawn(
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
