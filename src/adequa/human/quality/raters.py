"""The quality of each rater, as a basis for a person's decision: nobody is excluded here.

Three signs are looked for, besides the competence that MACE estimates per criterion: wrong answers
to *control items*, whose right answer is known; *patterns* (paper 004, section 3); and *speed*. A
pattern is a rater's answer to a text over all criteria in alphabetical order, such as "2-3-3". A
rater with more than `least` texts is reported if all of them, or nearly all (*straight-lining*),
have one pattern. Where most texts are good, honest raters have a common pattern too, so its share
among the others' judgments of the same texts is reported beside it, and a rater who answers like
the others is not flagged.

A flag of kind competence is about its criterion; pattern, speed and controls concern all of a
rater's work, and so does straight-lining, which alone is only a hint. The paper kept raters who
were unreliable in a single criterion, so a flagged rater has an *extent*: all criteria, or some.
Where MACE trusts fewer than half of the raters of a criterion, it found no agreement to learn from,
and its competences flag nobody.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from adequa.data import Rating
from adequa.errors import DataError, SettingError, require_known
from adequa.human.judgments import (
    BINS,
    Key,
    Page,
    PageAnswers,
    Scale,
    by_criterion,
    by_page,
    key_of,
    once,
)
from adequa.human.mace import SPAMMER_COMPETENCE
from adequa.human.quality.criteria import Criterion, RaterStanding, standings, study_criterion

Controls = dict[str, dict[Key, float]]
"""The right value by criterion and text."""

FEWEST_CONTROLS = 3
"""Fewer answers to control items than this flag nobody; no record of the data it was chosen on."""
LEAST = 10
"""Raters need more texts than this to be flagged, as in paper 004."""
STRAIGHT = 0.9
"""The share of one pattern that flags a rater; no record of the data it was chosen on."""
NARROW = 0.05
"""The share of a slider that counts as constant; no record of the data it was chosen on."""
FLOOR = 3.0
"""Seconds; nobody reads data and a text and answers in less. No record of data."""
SHARE = 0.25
"""Of the campaign's median: four times as fast as the others. No record of data."""
FEWEST_PAGES = 3
"""Fewer timed pages than this flag nobody: one may have been opened on another device."""

_LOW = "low competence"
_ABOUT_ALL = ("pattern", "speed", "controls")


@dataclass(frozen=True, slots=True)
class ControlResult:
    """A rater's answers to control items; on a slider an answer within a bin's width is right."""

    answers: int
    right: int

    @property
    def accuracy(self) -> float:
        """The share of right answers."""
        return self.right / self.answers

    @property
    def reason(self) -> str:
        """Why a person should look at this rater; empty if nothing is odd."""
        if self.answers < FEWEST_CONTROLS or 2 * self.right >= self.answers:
            return ""
        return f"{self.right} of {self.answers} control items right"


def known_values(ratings: Iterable[Rating], given: Iterable[Rating] = ()) -> Controls:
    """The right values: those in a campaign's `meta.control`, and those of a file of ratings.

    Two different values for one text, or a file without any judged item, are a DataError.
    """
    found: Controls = {}
    judged: set[tuple[str, Key]] = set()
    for rating in ratings:
        judged.add((rating.criterion, key_of(rating)))
        if rating.meta.get("control") is not None:
            _add(found, rating, rating.meta["control"])
    known = list(given)
    for rating in known:
        _add(found, rating, rating.value)
    if known and not any((one.criterion, key_of(one)) in judged for one in known):
        raise DataError(
            "no control item is among the rated texts",
            remedy="write its system, id and criterion as in the ratings",
        )
    return found


def control_results(
    ratings: Iterable[Rating], controls: Controls, scales: Mapping[str, Scale]
) -> dict[str, ControlResult]:
    """The results of each rater who was shown a control item."""
    shown, right = Counter[str](), Counter[str]()
    for rating in ratings:
        value = controls.get(rating.criterion, {}).get(key_of(rating))
        if value is not None:
            shown[rating.rater] += 1
            right[rating.rater] += scales[rating.criterion].same(rating.value, value)
    return {rater: ControlResult(count, right[rater]) for rater, count in shown.items()}


def _add(found: Controls, rating: Rating, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or value - value != 0:
        raise DataError(
            f"the control value of {rating.id!r} of {rating.system!r} is {value!r:.80}",
            remedy="write a number",
        )
    texts = found.setdefault(rating.criterion, {})
    if texts.setdefault(key_of(rating), float(value)) != value:
        raise DataError(
            f"the control item {rating.id!r} of {rating.system!r} has two right values for"
            f" {rating.criterion!r}",
            remedy="keep one",
        )


@dataclass(frozen=True, slots=True)
class AnswerPattern:
    """A rater's most common answer."""

    texts: int
    common: str
    """The most common pattern, the alphabetically first of equals."""
    share: float
    others: float | None
    """Its share among the others' judgments of the same texts; None if nobody else judged them."""
    spread: float
    """The widest range the rater used of a criterion, as a share of its whole range."""
    enough: bool

    @property
    def constant(self) -> bool:
        """Whether enough texts have one pattern, or nearly one on sliders."""
        return self.enough and self.spread <= NARROW

    @property
    def reason(self) -> str:
        """Why a person should look at this rater; empty if nothing is odd."""
        if not self.enough or (self.others is not None and self.others >= self.share):
            return ""
        known = "nobody else judged them" if self.others is None else f"others: {self.others:.0%}"
        if self.spread == 0:
            return f"always {self.common} ({self.texts} texts; {known})"
        if self.spread <= NARROW:
            return f"nearly always {self.common}: within {self.spread:.0%} of the scale"
        if self.share >= STRAIGHT:
            return f"{self.common} in {self.share:.0%} of {self.texts} texts; {known}"
        return ""


def patterns(
    ratings: Sequence[Rating], scales: Mapping[str, Scale], *, least: int = LEAST
) -> dict[str, AnswerPattern]:
    """The most common answer of each rater; one rating per rater, text and criterion.

    >>> given = [Rating(f"Id{n}", "T5", "ann", "fluency", 2) for n in range(11)]
    >>> patterns(given, {"fluency": Scale(1, 3)})["ann"].reason
    'always 2 (11 texts; nobody else judged them)'
    """
    if least < 0:
        raise SettingError("the number of texts needed for a pattern must be 0 or more")
    pages = by_page(ratings)
    written = {
        rater: {key: pattern_of(page, scales) for key, page in texts.items()}
        for rater, texts in pages.items()
    }
    given: dict[Key, Counter[str]] = {}
    for texts in written.values():
        for key, pattern in texts.items():
            given.setdefault(key, Counter())[pattern] += 1
    return {
        rater: _pattern(texts, given, _spread(pages[rater].values(), scales), least)
        for rater, texts in written.items()
    }


def pattern_of(page: Page, scales: Mapping[str, Scale]) -> str:
    """A page as one word, with "·" for a missing answer."""
    return "-".join(
        scales[criterion].label(page[criterion].value) if criterion in page else "·"
        for criterion in sorted(scales)
    )


def _pattern(
    texts: Mapping[Key, str], given: Mapping[Key, Counter[str]], spread: float, least: int
) -> AnswerPattern:
    counts = Counter(texts.values())
    common = min(counts, key=lambda pattern: (-counts[pattern], pattern))
    others = sum(given[key].total() - 1 for key in texts)
    alike = sum(given[key][common] - (mine == common) for key, mine in texts.items())
    return AnswerPattern(
        texts=len(texts),
        common=common,
        share=counts[common] / len(texts),
        others=alike / others if others else None,
        spread=spread,
        enough=len(texts) > least,
    )


def _spread(pages: Iterable[Page], scales: Mapping[str, Scale]) -> float:
    spreads = []
    for criterion, given in by_criterion(one for page in pages for one in page.values()).items():
        values, scale = [one.value for one in given], scales[criterion]
        spreads.append((max(values) - min(values)) / (scale.high - scale.low or 1.0))
    return max(spreads)


@dataclass(frozen=True, slots=True)
class Pace:
    """The time a rater spends on a page."""

    pages: int
    """The number of pages with recorded seconds."""
    median: float | None
    """The median seconds per page; None if not recorded."""
    campaign: float | None
    """The median over the pages of all raters."""
    reason: str = ""
    """Why a person should look at this rater; empty if nothing is odd."""


def paces(
    ratings: Sequence[Rating], *, floor: float = FLOOR, share: float = SHARE
) -> dict[str, Pace]:
    """The pace of each rater, by rater.

    >>> given = [Rating(f"Id{n}", "T5", "ann", "fluency", 2, seconds=1.5) for n in range(4)]
    >>> paces(given)["ann"].reason
    '1.5 s per page (median of 4), below 3 s'
    """
    if not (floor >= 0 and 0 <= share < 1):
        raise SettingError(
            "the floor of seconds must be 0 or more, the share of the median from 0 to below 1"
        )
    for rating in ratings:
        if rating.seconds is not None and rating.seconds < 0:
            raise DataError(
                f"rater {rating.rater!r} took {rating.seconds:g} seconds for {rating.id!r} of"
                f" {rating.system!r}",
                remedy="leave out seconds that were not recorded",
            )
    # The seconds of a page are stored on each of its ratings and count once.
    seconds = {
        rater: [
            max(known)
            for page in texts.values()
            if (known := [one.seconds for one in page.values() if one.seconds is not None])
        ]
        for rater, texts in by_page(ratings).items()
    }
    every = sorted(value for values in seconds.values() for value in values)
    whole = median(every) if every else None
    return {rater: _pace(values, whole, floor, share) for rater, values in seconds.items()}


def _pace(values: Sequence[float], whole: float | None, floor: float, share: float) -> Pace:
    if not values or whole is None:
        return Pace(0, None, whole)
    middle = median(values)
    reason = ""
    if len(values) >= FEWEST_PAGES:
        pace = f"{middle:.3g} s per page (median of {len(values)})"
        if middle < floor:
            reason = f"{pace}, below {floor:g} s"
        elif middle < share * whole:
            reason = f"{pace}, the campaign's median is {whole:.3g} s"
    return Pace(len(values), middle, whole, reason)


@dataclass(frozen=True, slots=True)
class QualitySettings:
    """The settings of the report, named like the options of the command."""

    method: str = "vb"
    restarts: int = 10
    seed: int = 0
    least: int = LEAST
    floor: float = FLOOR
    share: float = SHARE
    bins: int = BINS
    below: float = SPAMMER_COMPETENCE

    def __post_init__(self) -> None:
        if not 0 <= self.below <= 1:
            raise SettingError("the competence below which a rater is reported must be from 0 to 1")


@dataclass(frozen=True, slots=True)
class Flag:
    """A reason to look at a rater; without a criterion it concerns all their work."""

    kind: str
    reason: str
    criterion: str | None = None


@dataclass(frozen=True, slots=True)
class RaterQuality:
    """All findings on one rater."""

    name: str
    pattern: AnswerPattern
    pace: Pace
    controls: ControlResult | None
    """None if the rater was shown no control item."""
    standings: Mapping[str, RaterStanding]
    competence: Mapping[str, float]
    flags: tuple[Flag, ...]
    of: int
    """The number of criteria with reliable competences."""

    @property
    def doubted(self) -> tuple[str, ...]:
        """The criteria in which MACE does not trust the rater."""
        return tuple(flag.criterion for flag in self.flags if flag.criterion is not None)

    @property
    def alone(self) -> bool:
        """Whether nobody else judged any of the rater's texts."""
        return not any(stands.shared for stands in self.standings.values())

    @property
    def extent(self) -> str:
        """`all` or `some` criteria; empty without a flag."""
        if not self.flags:
            return ""
        whole = any(flag.kind in _ABOUT_ALL for flag in self.flags)
        return "all" if whole or len(self.doubted) == self.of else "some"

    @property
    def reasons(self) -> tuple[str, ...]:
        """The reasons of the flags, those about competence as one."""
        reasons = [flag.reason for flag in self.flags if flag.criterion is None]
        if self.doubted:
            many = "all" if len(self.doubted) == self.of else f"{len(self.doubted)} of"
            names = f": {', '.join(self.doubted)}" if len(self.doubted) < min(self.of, 3) else ""
            reasons.append(f"low competence in {many} {self.of}{names}" if self.of > 1 else _LOW)
        return tuple(reasons)


@dataclass(frozen=True, slots=True)
class Quality:
    """The quality of all raters and criteria."""

    raters: tuple[RaterQuality, ...]
    """Those flagged in all criteria first, then by the number of criteria."""
    criteria: tuple[Criterion, ...]
    ratings: tuple[Rating, ...]
    """The ratings used: one per rater, text and criterion, sorted."""
    notes: tuple[str, ...]
    settings: QualitySettings

    @property
    def flagged(self) -> tuple[RaterQuality, ...]:
        """The raters with a flag."""
        return tuple(rater for rater in self.raters if rater.flags)

    @property
    def in_all(self) -> tuple[str, ...]:
        """The candidates for exclusion: flagged in all criteria, on texts that others judged."""
        return tuple(
            rater.name for rater in self.raters if rater.extent == "all" and not rater.alone
        )


def of_criteria(ratings: Sequence[Rating], criteria: Iterable[str]) -> list[Rating]:
    """The ratings of the named criteria, by default all."""
    wanted = set(criteria)
    require_known("criterion", sorted(wanted), (rating.criterion for rating in ratings))
    return [rating for rating in ratings if not wanted or rating.criterion in wanted]


def assess_raters(
    ratings: Iterable[Rating],
    *,
    settings: QualitySettings | None = None,
    controls: Iterable[Rating] = (),
    texts: Mapping[Key, str] | None = None,
) -> Quality:
    """Assess every rater; the order of the ratings has no effect.

    `controls` are ratings with the right values of texts, whoever gave them; `texts` are the texts
    that were marked, if any were.
    """
    settings = settings or QualitySettings()
    every = list(ratings)
    single = once(every)
    known = known_values(every, controls)
    parts = dict(sorted(by_criterion(single.ratings).items()))
    scales = {
        name: Scale.of((one.value for one in part), bins=settings.bins)
        for name, part in parts.items()
    }
    mace = {name: getattr(settings, name) for name in ("method", "restarts", "seed")}
    criteria = tuple(
        study_criterion(name, part, scales[name], controls=known.get(name, {}), texts=texts, **mace)
        for name, part in parts.items()
    )
    placed = {name: standings(part) for name, part in parts.items()}
    answered = control_results(single.ratings, known, scales)
    pace = paces(single.ratings, floor=settings.floor, share=settings.share)
    reliable = {one.name for one in criteria if one.is_reliable(settings.below)}
    raters = []
    for name, pattern in patterns(single.ratings, scales, least=settings.least).items():
        stands = {one: found[name] for one, found in placed.items() if name in found}
        competence = {one.name: one.competence[name] for one in criteria if name in one.competence}
        seen = answered.get(name)
        doubts = {one: value for one, value in competence.items() if one in reliable}
        raters.append(
            RaterQuality(
                name=name,
                pattern=pattern,
                pace=pace[name],
                controls=seen,
                standings=stands,
                competence=competence,
                flags=_flags(pattern, pace[name], seen, stands, doubts, settings),
                of=len(reliable),
            )
        )
    raters.sort(
        key=lambda one: (("all", "some", "").index(one.extent), -len(one.doubted), one.name)
    )
    notes = _notes(single, criteria, raters, settings)
    return Quality(tuple(raters), criteria, tuple(single.ratings), notes, settings)


def _flags(
    pattern: AnswerPattern,
    pace: Pace,
    answered: ControlResult | None,
    stands: Mapping[str, RaterStanding],
    competence: Mapping[str, float],
    settings: QualitySettings,
) -> tuple[Flag, ...]:
    whole = {
        "pattern" if pattern.constant else "straight-lining": pattern.reason,
        "speed": pace.reason,
        "controls": answered.reason if answered else "",
    }
    flags = [Flag(kind, reason) for kind, reason in whole.items() if reason]
    flags += [
        Flag("competence", f"competence {value:.2f} in {stands[name].answers} answers", name)
        for name, value in competence.items()
        if value < settings.below and stands[name].answers > settings.least
    ]
    return tuple(flags)


def _notes(
    single: PageAnswers,
    criteria: Sequence[Criterion],
    raters: Sequence[RaterQuality],
    settings: QualitySettings,
) -> tuple[str, ...]:
    notes: list[str] = []
    few = sum(not rater.pattern.enough for rater in raters)
    counts = {
        "ratings were given twice by the same rater for the same text, with the same value; one of"
        " each counts": single.repeated,
        "ratings are of texts that a rater judged twice and differently; none of them counts": (
            single.contradicted
        ),
        "ratings without a rater (averages, and texts that nobody was shown) are left out": (
            single.nameless
        ),
        f"of {len(raters)} raters judged at most {settings.least} texts: too few to flag a pattern"
        " or a competence": few,
    }
    notes += [f"{count} {note}" for note, count in counts.items() if count]
    notes += [
        f"{rater.name} judged only texts that nobody else judged: without {rater.name} they have"
        " no answer; texts that were scored without being shown look the same"
        for rater in raters
        if rater.flags and rater.alone and len(raters) > 1
    ]
    if all(rater.pace.median is None for rater in raters):
        notes.append("seconds were not recorded, so speed is not assessed")
    sliders = [one for one in criteria if one.scale.bins]
    if sliders:
        notes.append(
            f"sliders ({', '.join(one.name for one in sliders)}): MACE, patterns, kappas, percent"
            f" and nominal alpha use {settings.bins} equal bins, each named by its middle"
        )
    for one in criteria:
        if one.reason:
            notes.append(f"{one.name}: no competence can be estimated: {one.reason}")
            continue
        if not one.converged:
            notes.append(f"{one.name}: MACE did not converge; try more restarts or another seed")
        if not one.is_reliable(settings.below):
            low = one.doubted(settings.below)
            notes.append(
                f"{one.name}: MACE trusts only {len(one.competence) - low} of"
                f" {len(one.competence)} raters; the criterion is in doubt rather than the"
                " raters, so it flags nobody"
            )
    return tuple(notes)
