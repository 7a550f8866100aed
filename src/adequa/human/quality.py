"""How far to trust each rater, as a report on which a person decides: it excludes nobody.

As JSON (`adequa.human.quality_object`; a value that cannot be told is null):

    {"raters": {rater: {
        "texts": 30, "flags": [{"kind", "criterion", "reason"}],
        "pattern": {"common": "2-3-3", "share", "others", "spread"},
        "speed": {"pages", "median", "campaign"},
        "controls": {"answers", "right", "accuracy"},               null without control items
        "criteria": {criterion: {"answers", "shared", "mean", "competence", "agreement", "bias",
                                 "deviation"}}}},
     "criteria": {criterion: {
        "texts", "raters", "ratings", "scale": {"low", "high", "bins"},
        "alpha": {"nominal", "ordinal", "interval"}, "fleiss", "cohen": {"mean", "pairs", "of"},
        "percent", "competence": {"below", "median", "converged", "reason"},
        "contested": [{"system", "id", "entropy", "values"}]}},     the first twenty
     "flagged": {rater: {"extent": "all"|"some", "criteria": […], "reasons": […]}},
     "excluded": [rater…], "notes": ["…"], "settings": {…},
     "change": null or, with excluded raters, see `adequa.human.changes`;
     "details": null or, of one rater, see `adequa.human.details`}

A flag of `kind` competence is about its criterion; those of kind pattern, speed and controls are
about all of a rater's work, and so is straight-lining, which alone is no more than a hint. The
paper kept raters who were unreliable in one criterion alone, so what a rater is flagged for is told
by its *extent*: in all criteria, or in some. Where MACE trusts fewer than half of the raters of a
criterion, it has found nothing that they agree on, and its competences flag nobody.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from adequa.data import Rating
from adequa.errors import SettingError, UnknownName
from adequa.human.controls import Checked, checked, known_values
from adequa.human.criteria import Criterion, Estimates, Standing, standings, study
from adequa.human.judgments import by_criterion
from adequa.human.mace import SPAMMER_COMPETENCE
from adequa.human.pages import Once, once
from adequa.human.patterns import LEAST, Pattern, patterns
from adequa.human.scales import BINS, Scale
from adequa.human.speed import FLOOR, SHARE, Pace, paces

__all__ = ["Flag", "Quality", "RaterQuality", "Settings", "assess", "chosen"]

_LOW = "low competence"
_ABOUT_ALL = ("pattern", "speed", "controls")


@dataclass(frozen=True, slots=True)
class Settings:
    """What the report is made with; the names are those of the command's options."""

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
            raise SettingError("the competence below which a rater is reported is from 0 to 1")


@dataclass(frozen=True, slots=True)
class Flag:
    """Something odd about a rater, in words; without a criterion it is about all they did."""

    kind: str
    reason: str
    criterion: str | None = None


@dataclass(frozen=True, slots=True)
class RaterQuality:
    """What is known of one rater."""

    name: str
    pattern: Pattern
    pace: Pace
    checked: Checked | None
    """How control items were answered; None of who met none."""
    standings: Mapping[str, Standing]
    competence: Mapping[str, float]
    flags: tuple[Flag, ...]
    of: int
    """How many criteria can tell."""

    @property
    def doubted(self) -> tuple[str, ...]:
        """The criteria in which MACE does not trust the rater."""
        return tuple(flag.criterion for flag in self.flags if flag.criterion is not None)

    @property
    def alone(self) -> bool:
        """Whether nobody else judged any of the rater's texts: excluded, they have no answer."""
        return not any(stands.shared for stands in self.standings.values())

    @property
    def extent(self) -> str:
        """Whether the flags are about all criteria or some; empty without a flag."""
        if not self.flags:
            return ""
        whole = any(flag.kind in _ABOUT_ALL for flag in self.flags)
        return "all" if whole or len(self.doubted) == self.of else "some"

    @property
    def reasons(self) -> tuple[str, ...]:
        """The flags in words, those about competence as one."""
        said = [flag.reason for flag in self.flags if flag.criterion is None]
        if self.doubted:
            many = "all" if len(self.doubted) == self.of else f"{len(self.doubted)} of"
            names = f": {', '.join(self.doubted)}" if len(self.doubted) < min(self.of, 3) else ""
            said.append(f"low competence in {many} {self.of}{names}" if self.of > 1 else _LOW)
        return tuple(said)


@dataclass(frozen=True, slots=True)
class Quality:
    """The report."""

    raters: tuple[RaterQuality, ...]
    """Those flagged in all criteria first, then those in some, the most criteria first."""
    criteria: tuple[Criterion, ...]
    ratings: tuple[Rating, ...]
    """What it was made from: one a rater, text and criterion, sorted."""
    notes: tuple[str, ...]
    settings: Settings

    @property
    def flagged(self) -> tuple[RaterQuality, ...]:
        """The raters with a flag."""
        return tuple(rater for rater in self.raters if rater.flags)

    @property
    def in_all(self) -> tuple[str, ...]:
        """The raters to think of excluding first: flags about all criteria, texts others judged."""
        return tuple(
            rater.name for rater in self.raters if rater.extent == "all" and not rater.alone
        )


def chosen(ratings: Sequence[Rating], criteria: Iterable[str]) -> list[Rating]:
    """The ratings of some criteria, or all where none is named."""
    wanted = set(criteria)
    there = {rating.criterion for rating in ratings}
    for name in sorted(wanted - there):
        raise UnknownName("criterion", name, there)
    return [rating for rating in ratings if not wanted or rating.criterion in wanted]


def assess(
    ratings: Iterable[Rating],
    *,
    settings: Settings | None = None,
    controls: Iterable[Rating] = (),
) -> Quality:
    """Look at every rater; the order of the ratings changes nothing.

    `controls` are ratings of texts whose right value is known, whoever gave them.
    """
    settings = settings or Settings()
    every = list(ratings)
    single = once(every)
    known = known_values(every, controls)
    parts = dict(sorted(by_criterion(single.ratings).items()))
    scales = {
        name: Scale.of((one.value for one in part), bins=settings.bins)
        for name, part in parts.items()
    }
    estimates = Estimates(settings.method, settings.restarts, settings.seed)
    criteria = tuple(
        study(name, part, scales[name], controls=known.get(name, {}), estimates=estimates)
        for name, part in parts.items()
    )
    placed = {name: standings(part) for name, part in parts.items()}
    answered = checked(single.ratings, known, scales)
    pace = paces(single.ratings, floor=settings.floor, share=settings.share)
    telling = {one.name for one in criteria if one.tells(settings.below)}
    raters = []
    for name, pattern in patterns(single.ratings, scales, least=settings.least).items():
        stands = {one: found[name] for one, found in placed.items() if name in found}
        competence = {one.name: one.competence[name] for one in criteria if name in one.competence}
        seen = answered.get(name)
        doubts = {one: value for one, value in competence.items() if one in telling}
        flags = _flags(pattern, pace[name], seen, stands, doubts, settings)
        raters.append(
            RaterQuality(name, pattern, pace[name], seen, stands, competence, flags, len(telling))
        )
    raters.sort(
        key=lambda one: (("all", "some", "").index(one.extent), -len(one.doubted), one.name)
    )
    notes = _notes(single, criteria, raters, settings)
    return Quality(tuple(raters), criteria, tuple(single.ratings), notes, settings)


def _flags(
    pattern: Pattern,
    pace: Pace,
    answered: Checked | None,
    stands: Mapping[str, Standing],
    competence: Mapping[str, float],
    settings: Settings,
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
    single: Once,
    criteria: Sequence[Criterion],
    raters: Sequence[RaterQuality],
    settings: Settings,
) -> tuple[str, ...]:
    """What a reader of the figures has to know."""
    notes = []
    if single.repeated:
        notes.append(
            f"{single.repeated} ratings were given twice by the same rater for the same text, with"
            " the same value; one of each counts"
        )
    if single.contradicted:
        notes.append(
            f"{single.contradicted} ratings are of texts that a rater judged twice and differently;"
            " none of them counts"
        )
    if single.nameless:
        notes.append(
            f"{single.nameless} ratings without a rater (averages, and texts that nobody was shown)"
            " are left out"
        )
    few = sum(not rater.pattern.enough for rater in raters)
    if few:
        notes.append(
            f"{few} of {len(raters)} raters judged at most {settings.least} texts: too few to flag"
            " a pattern or a competence"
        )
    notes += [
        f"{rater.name} judged only texts that nobody else judged: without {rater.name} they have"
        " no answer; texts that were scored without being shown look like this"
        for rater in raters
        if rater.flags and rater.alone and len(raters) > 1
    ]
    if all(rater.pace.median is None for rater in raters):
        notes.append("seconds were not recorded, so that nobody is fast or slow")
    sliders = [one for one in criteria if one.scale.bins]
    if sliders:
        notes.append(
            f"sliders ({', '.join(one.name for one in sliders)}): MACE, patterns, kappas, percent"
            f" and nominal alpha see {settings.bins} equal bins, each named by its middle"
        )
    for one in criteria:
        if one.reason:
            notes.append(f"{one.name}: no competence can be estimated: {one.reason}")
            continue
        if not one.converged:
            notes.append(f"{one.name}: MACE had not come to rest; try more or other restarts")
        if not one.tells(settings.below):
            low = one.doubted(settings.below)
            notes.append(
                f"{one.name}: MACE trusts only {len(one.competence) - low} of"
                f" {len(one.competence)} raters: doubt the criterion before the raters; it flags"
                " nobody"
            )
    return tuple(notes)
