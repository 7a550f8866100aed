"""Judgments of people: reading, averaging, standardising, and the scale and pages they belong to.

MACE, the kappas, nominal alpha and patterns only know whether two answers are equal. On a scale of
a few points the values themselves are the labels. On a slider two people hardly ever give the same
number, so its range is cut into equal bins, and the label of a value is the middle of its bin.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from adequa.data import Item, Rating
from adequa.errors import DataError, SettingError, require_known
from adequa.fields import grouped
from adequa.files import lines
from adequa.readers import read_ratings

Key = tuple[str, str]
"""System and id of a text, as `Item.key`."""


def key_of(rating: Rating) -> Key:
    """The system and id of the rated text."""
    return rating.system, rating.id


def gather(
    paths: Iterable[Path | str],
    *,
    format: str | None = None,  # noqa: A002
    items: Iterable[Item] | None = None,
    exclude: Iterable[str] = (),
) -> list[Rating]:
    """Read the ratings of some files in order, without those of the raters in `exclude`."""
    known = None if items is None else list(items)
    ratings = [
        rating for path in paths for rating in read_ratings(path, format=format, items=known)
    ]
    return without(ratings, exclude)


def without(ratings: Sequence[Rating], raters: Iterable[str]) -> list[Rating]:
    """The ratings of all other raters; naming a rater without ratings is an UnknownName."""
    excluded = set(raters)
    require_known("rater", sorted(excluded), (rating.rater for rating in ratings if rating.rater))
    left = [rating for rating in ratings if rating.rater not in excluded]
    if not left:
        raise DataError("no rating is left", remedy="exclude fewer raters")
    return left


def by_criterion(ratings: Iterable[Rating]) -> dict[str, list[Rating]]:
    """The ratings of each criterion, criteria in the order of their first rating."""
    return grouped(ratings, lambda rating: rating.criterion)


def averaged(ratings: Iterable[Rating]) -> dict[str, dict[Key, float]]:
    """The mean rating of each text by criterion, over all its ratings.

    >>> averaged([Rating("Id1", "T5", rater, "fluency", n) for rater, n in (("a", 1), ("b", 2))])
    {'fluency': {('T5', 'Id1'): 1.5}}
    """
    return {
        criterion: {
            key: sum(rating.value for rating in given) / len(given)
            for key, given in grouped(part, key_of).items()
        }
        for criterion, part in by_criterion(ratings).items()
    }


def one_each(ratings: Iterable[Rating]) -> tuple[list[Rating], int]:
    """Single judgments, without a rater's second judgment of a text, and the number dropped.

    Averages and texts that nobody was shown have no rater; they are left out and not counted.
    """
    single = [rating for rating in ratings if rating.rater]
    kept = grouped(single, lambda one: (one.criterion, one.rater, one.system, one.id))
    return [given[0] for given in kept.values()], len(single) - len(kept)


def standardised(ratings: Iterable[Rating]) -> list[Rating]:
    """Each value as its distance from its rater's mean of the criterion in standard deviations.

    The values of a rater who always gives the same answer become zero. Ratings without a rater,
    such as averages and texts that nobody was shown, are left out.
    """
    kept = [rating for rating in ratings if rating.rater]
    own = grouped(kept, lambda rating: (rating.rater, rating.criterion))
    scales = {key: _scale([one.value for one in found]) for key, found in own.items()}
    standard = []
    for rating in kept:
        mean, deviation = scales[rating.rater, rating.criterion]
        distance = rating.value - mean
        standard.append(replace(rating, value=distance / deviation if deviation else 0.0))
    return standard


def _scale(values: Sequence[float]) -> tuple[float, float]:
    mean = sum(values) / len(values)
    if max(values) == min(values):
        return mean, 0.0
    return mean, (sum((value - mean) ** 2 for value in values) / (len(values) - 1)) ** 0.5


def rating_files(paths: Iterable[Path]) -> list[Path]:
    """The files of ratings; for the folder of a campaign, its `ratings.jsonl`."""
    files = []
    for path in paths:
        file = path / "ratings.jsonl" if path.is_dir() else path
        if path.is_dir() and not file.is_file():
            kind = "campaign without" if (path / "campaign.json").is_file() else "folder without"
            raise DataError(
                f"is a {kind} ratings.jsonl",
                path=path,
                remedy="export the campaign's answers first, or name the file of ratings",
            )
        files.append(file)
    return files


@dataclass(frozen=True, slots=True)
class Preference:
    """Two systems compared by people, text by text: the mean of a text's answers decides it."""

    criterion: str
    first: str
    second: str
    texts: int
    answers: int
    wins: int
    """Texts of the first that people prefer."""
    ties: int
    mean: float
    """The mean over the texts; positive: the first is preferred."""
    p: float | None
    """The sign test (binomial, two-sided) over texts that are not a tie."""

    @property
    def losses(self) -> int:
        """Texts of the second that people prefer."""
        return self.texts - self.wins - self.ties


def preferences(ratings: Iterable[Rating]) -> list[Preference]:
    """The pairs of systems of a campaign of pairs, by criterion; empty for other ratings."""
    from scipy.stats import binomtest

    paired = [one for one in ratings if isinstance(one.meta.get("pair"), list)]
    found = []
    for (criterion, first, second), given in sorted(
        grouped(paired, lambda one: (one.criterion, *one.meta["pair"])).items()
    ):
        means = [fmean(one.value for one in own) for own in grouped(given, key_of).values()]
        wins, ties = sum(mean > 0 for mean in means), sum(mean == 0 for mean in means)
        decided = len(means) - ties
        found.append(
            Preference(
                criterion=criterion,
                first=first,
                second=second,
                texts=len(means),
                answers=len(given),
                wins=wins,
                ties=ties,
                mean=fmean(means),
                p=float(binomtest(wins, decided).pvalue) if decided else None,
            )
        )
    return found


def named_raters(values: Iterable[str]) -> list[str]:
    """Names as given, and for `@FILE` the names in the file, one per line.

    A name that begins with @ is written with two: `@@ann`.
    """
    names: list[str] = []
    for value in values:
        if value.startswith("@@"):
            names.append(value[1:])
        elif value.startswith("@") and len(value) > 1:
            names += [line for _, line in lines(Path(value[1:])) if line.strip()]
        else:
            names.append(value)
    return sorted(set(names))


def shell_command(words: Sequence[str]) -> str:
    """A command quoted for a shell, with control characters in names escaped."""

    def escaped(character: str) -> str:
        if character.isprintable():
            return f"\\{character}" if character in "\\'" else character
        return f"\\U{ord(character):08x}"

    return " ".join(
        shlex.quote(word) if word.isprintable() else f"$'{''.join(map(escaped, word))}'"
        for word in words
    )


BINS = 5
"""Bins of a slider; no record of the data it was chosen on."""
MOST_LABELS = 10
"""A criterion with more distinct values than this is a slider: WebNLG 2017 has 3, 2020 has 101."""
_LARGEST = 1e100
"""The squares of larger values overflow."""


@dataclass(frozen=True, slots=True)
class Scale:
    """The lowest and highest value given, and the number of bins; 0 for no bins.

    >>> slider = Scale.of(range(101), bins=5)
    >>> slider.label(0), slider.label(20), slider.label(100)
    ('10', '30', '90')
    >>> Scale.of([1, 2, 3, 2]).label(2.0)
    '2'
    """

    low: float
    high: float
    bins: int = 0

    @classmethod
    def of(cls, values: Iterable[float], *, bins: int = BINS) -> Scale:
        """The scale on which these values were given."""
        if bins < 2:
            raise SettingError("a slider needs at least two bins")
        different = set(values)
        if any(abs(value) > _LARGEST for value in different):
            raise DataError(
                f"the value {max(different, key=abs):g} is too large for a rating",
                remedy="correct it, or leave it out",
            )
        slides = len(different) > MOST_LABELS
        return cls(min(different), max(different), bins if slides else 0)

    @property
    def step(self) -> float:
        """The width of a bin; 0 without bins."""
        return (self.high - self.low) / self.bins if self.bins else 0.0

    def label(self, value: float) -> str:
        """The value, or the middle of its bin; values outside belong to the outermost bin."""
        if not self.bins:
            return f"{value:.6g}"
        place = min(max(int((value - self.low) / self.step), 0), self.bins - 1)
        return f"{self.low + (place + 0.5) * self.step:.6g}"

    def same(self, one: float, other: float) -> bool:
        """Whether two values are equal, or on a slider at most a bin's width apart."""
        return abs(one - other) <= self.step


Page = dict[str, Rating]
"""A rater's answers about one text: one rating per criterion, in alphabetical order."""


class PageAnswers(NamedTuple):
    """Sorted ratings, one per rater, text and criterion, and the numbers left out."""

    ratings: list[Rating]
    repeated: int
    """Ratings given twice with the same value; one of the two is kept."""
    contradicted: int
    """Ratings of pages that a rater filled twice and differently; none of them is kept."""
    nameless: int
    """Averages and texts that nobody was shown, which have no rater."""


def once(ratings: Iterable[Rating]) -> PageAnswers:
    """Single judgments, independent of the order of the rows.

    Where a rater judged a text twice and differently, both pages are left out, because it is not
    known which of the two is right.
    """
    every = sorted(ratings, key=_order)
    people = [rating for rating in every if rating.rater]
    if not people:
        raise DataError(
            "no rating names its rater", remedy="give single judgments instead of averages"
        )
    whole: list[Rating] = []
    dropped = 0
    for page in grouped(people, lambda one: (one.rater, one.system, one.id)).values():
        own = by_criterion(page)
        if any(len({one.value for one in given}) > 1 for given in own.values()):
            dropped += len(page)
        else:
            whole += [given[0] for given in own.values()]
    if not whole:
        raise DataError(
            "every text was judged twice and differently by its rater",
            remedy="keep one judgment per rater, text and criterion",
        )
    return PageAnswers(whole, len(people) - len(whole) - dropped, dropped, len(every) - len(people))


def by_page(ratings: Iterable[Rating]) -> dict[str, dict[Key, Page]]:
    """The pages by rater and text, in the order of the ratings."""
    return {
        rater: {
            key: {rating.criterion: rating for rating in page}
            for key, page in grouped(own, key_of).items()
        }
        for rater, own in grouped(ratings, lambda rating: rating.rater).items()
    }


def _order(rating: Rating) -> tuple[str, str, str, str, float, float]:
    seconds = -1.0 if rating.seconds is None else rating.seconds
    return rating.rater, rating.system, rating.id, rating.criterion, rating.value, seconds
