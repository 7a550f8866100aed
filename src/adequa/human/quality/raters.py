"""How far to trust each rater, as a report on which a person decides: it excludes nobody.

As JSON (`adequa.human.quality.report`; a value that cannot be told is null):

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
     "change": null or, with excluded raters, see `adequa.human.quality.exclusion`;
     "details": null or, of one rater, see `adequa.human.quality.exclusion`}

A flag of `kind` competence is about its criterion; those of kind pattern, speed and controls are
about all of a rater's work, and so is straight-lining, which alone is no more than a hint. The
paper kept raters who were unreliable in one criterion alone, so what a rater is flagged for is told
by its *extent*: in all criteria, or in some. Where MACE trusts fewer than half of the raters of a
criterion, it has found nothing that they agree on, and its competences flag nobody.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from adequa.data import Rating
from adequa.errors import DataError, SettingError, UnknownName
from adequa.human.judgments import BINS, Key, Page, PageAnswers, Scale, by_criterion, by_page, once
from adequa.human.mace import SPAMMER_COMPETENCE
from adequa.human.quality.criteria import Criterion, Estimates, RaterStanding, standings, study

# ---
# Control items: texts of which the right answer is known, and who found it.
#
# They come in a file of their own, in the long form of ratings, whose raters do not matter; or from
# a campaign, as ratings with the right value in `meta` under `control`.
# ---

Controls = dict[str, dict[Key, float]]
"""The right value by criterion and text."""

FEWEST = 3
"""Answers to control items below which nobody is reported for them."""


@dataclass(frozen=True, slots=True)
class ControlResult:
    """How a rater answered control items; on a slider right is what lies within a bin's width."""

    answers: int
    right: int

    @property
    def accuracy(self) -> float:
        """The share of right answers."""
        return self.right / self.answers

    @property
    def reason(self) -> str:
        """Why a person should look at this rater, in words; empty where nothing is odd."""
        if self.answers < FEWEST or 2 * self.right >= self.answers:
            return ""
        return f"{self.right} of {self.answers} control items right"


def known_values(ratings: Iterable[Rating], given: Iterable[Rating] = ()) -> Controls:
    """The right values: those that ratings carry, and those of a file of control items.

    Two different values of one text, or a file of which no item was judged, are a DataError.
    """
    found: Controls = {}
    judged: set[tuple[str, Key]] = set()
    for rating in ratings:
        judged.add((rating.criterion, (rating.system, rating.id)))
        if rating.meta.get("control") is not None:
            _add(found, rating, rating.meta["control"])
    known = list(given)
    for rating in known:
        _add(found, rating, rating.value)
    if known and not any((one.criterion, (one.system, one.id)) in judged for one in known):
        raise DataError(
            "no control item is among the rated texts",
            remedy="its system, id and criterion are written as in the ratings",
        )
    return found


def checked(
    ratings: Iterable[Rating], controls: Controls, scales: Mapping[str, Scale]
) -> dict[str, ControlResult]:
    """How each rater who met a control item answered them."""
    found: dict[str, list[bool]] = {}
    for rating in ratings:
        right = controls.get(rating.criterion, {}).get((rating.system, rating.id))
        if right is not None:
            met = scales[rating.criterion].same(rating.value, right)
            found.setdefault(rating.rater, []).append(met)
    return {rater: ControlResult(len(answers), sum(answers)) for rater, answers in found.items()}


def _add(found: Controls, rating: Rating, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or value - value != 0:
        raise DataError(
            f"the control value of {rating.id!r} of {rating.system!r} is {value!r:.80}",
            remedy="write a number",
        )
    texts = found.setdefault(rating.criterion, {})
    if texts.setdefault((rating.system, rating.id), float(value)) != value:
        raise DataError(
            f"the control item {rating.id!r} of {rating.system!r} has two right values for"
            f" {rating.criterion!r}",
            remedy="keep one",
        )


# ---
# Raters who always answer the same, whatever the text (paper 004, section 3).
#
# A *pattern* is what a rater gave a text over all criteria, by the alphabet: "2-3-3". Of a rater
# with more than `least` texts it is told whether all have one pattern, and how large the share of
# the most common one is (*straight-lining*). Where most texts are good an honest rater has a large
# share too, so the share of that pattern among the others' judgments of the same texts stands
# beside it, and who answers as all others do is not reported. On sliders a rater is near-constant
# whose values of each criterion lie within a twentieth of it.
# ---

LEAST = 10
"""The paper looks at raters with more answers than this."""
STRAIGHT = 0.9
"""From this share of one pattern on a rater is reported."""
NARROW = 0.05
"""Of a slider's range: a rater whose values never leave so small a part is near-constant."""


@dataclass(frozen=True, slots=True)
class AnswerPattern:
    """What a rater answers most."""

    texts: int
    common: str
    """The most common pattern, the first by the alphabet of equals."""
    share: float
    """Of the rater's texts with it."""
    others: float | None
    """Of the others' judgments of the same texts; None where nobody else judged them."""
    spread: float
    """The widest range of a criterion the rater used, as a share of the whole range."""
    enough: bool
    """Whether the rater has more texts than are needed to tell."""

    @property
    def constant(self) -> bool:
        """Whether enough texts all have one pattern, or on sliders nearly one."""
        return self.enough and self.spread <= NARROW

    @property
    def reason(self) -> str:
        """Why a person should look at this rater, in words; empty where nothing is odd."""
        if not self.enough or (self.others is not None and self.others >= self.share):
            return ""
        beside = "; nobody else judged them"
        if self.others is not None:
            beside = f"; others there {self.others:.0%}"
        if self.spread == 0:
            return f"always {self.common} ({self.texts} texts{beside})"
        if self.spread <= NARROW:
            return f"nearly always {self.common}: within {self.spread:.0%} of the scale"
        if self.share >= STRAIGHT:
            return f"{self.common} in {self.share:.0%} of {self.texts} texts{beside}"
        return ""


def patterns(
    ratings: Sequence[Rating], scales: Mapping[str, Scale], *, least: int = LEAST
) -> dict[str, AnswerPattern]:
    """What each rater answers most, by rater; one rating a rater, text and criterion.

    >>> given = [Rating(f"Id{n}", "T5", "ann", "fluency", 2) for n in range(11)]
    >>> patterns(given, {"fluency": Scale(1, 3)})["ann"].reason
    'always 2 (11 texts; nobody else judged them)'
    """
    if least < 0:
        raise SettingError("the least number of texts that tell a pattern is 0 or more")
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
    """A page as one word, an answer that was not given as "·"."""
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
    used: dict[str, list[float]] = {}
    for page in pages:
        for criterion, rating in page.items():
            used.setdefault(criterion, []).append(rating.value)
    return max(
        (max(values) - min(values)) / (scales[criterion].high - scales[criterion].low or 1.0)
        for criterion, values in used.items()
    )


# ---
# Raters who are too fast to have read what they judge.
#
# The seconds of a page stand on each of its ratings and count once. A rater whose median page takes
# less than a floor, or than a share of the whole campaign's median page, is reported. Where a
# campaign did not record its seconds a rater is neither fast nor slow.
# ---

FLOOR = 3.0
"""Seconds: nobody reads data and a text and answers in less."""
SHARE = 0.25
"""Of the campaign's median: four times as fast as the others."""
FEWEST_PAGES = 3
"""One page may have been opened, left and taken up again on another device."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How long a rater stays on a page."""

    pages: int
    """With recorded seconds."""
    median: float | None
    """Seconds of a page; None where none were recorded."""
    campaign: float | None
    """The same over the pages of all raters."""
    reason: str = ""
    """Why a person should look at this rater, in words; empty where nothing is odd."""


def paces(
    ratings: Sequence[Rating], *, floor: float = FLOOR, share: float = SHARE
) -> dict[str, Pace]:
    """The pace of each rater, by rater.

    >>> given = [Rating(f"Id{n}", "T5", "ann", "fluency", 2, seconds=1.5) for n in range(4)]
    >>> paces(given)["ann"].reason
    'a page in 1.5 s (median of 4), below 3 s'
    """
    if not (floor >= 0 and 0 <= share < 1):
        raise SettingError(
            "a floor of seconds is 0 or more, a share of the median from 0 to below 1"
        )
    for rating in ratings:
        if rating.seconds is not None and rating.seconds < 0:
            raise DataError(
                f"rater {rating.rater!r} took {rating.seconds:g} seconds for {rating.id!r} of"
                f" {rating.system!r}",
                remedy="leave out seconds that were not recorded",
            )
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
        said = f"a page in {middle:.3g} s (median of {len(values)})"
        if middle < floor:
            reason = f"{said}, below {floor:g} s"
        elif middle < share * whole:
            reason = f"{said}, the campaign's is {whole:.3g} s"
    return Pace(len(values), middle, whole, reason)


_LOW = "low competence"
_ABOUT_ALL = ("pattern", "speed", "controls")


@dataclass(frozen=True, slots=True)
class QualitySettings:
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
    pattern: AnswerPattern
    pace: Pace
    checked: ControlResult | None
    """How control items were answered; None of who met none."""
    standings: Mapping[str, RaterStanding]
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
    settings: QualitySettings

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
    settings: QualitySettings | None = None,
    controls: Iterable[Rating] = (),
) -> Quality:
    """Look at every rater; the order of the ratings changes nothing.

    `controls` are ratings of texts whose right value is known, whoever gave them.
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
