"""Raters who always answer the same, whatever the text (paper 004, section 3).

A *pattern* is what a rater gave a text over all criteria, by the alphabet: "2-3-3". Of a rater with
more than `least` texts it is told whether all have one pattern, and how large the share of the most
common one is (*straight-lining*). Where most texts are good an honest rater has a large share too,
so the share of that pattern among the others' judgments of the same texts stands beside it, and who
answers as all others do is not reported.
On sliders a rater is near-constant whose values of each criterion lie within a twentieth of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from adequa.data import Rating
from adequa.errors import SettingError
from adequa.human.judgments import Key
from adequa.human.pages import Page, by_page
from adequa.human.scales import Scale

__all__ = ["LEAST", "NARROW", "STRAIGHT", "Pattern", "pattern_of", "patterns"]

LEAST = 10
"""The paper looks at raters with more answers than this."""
STRAIGHT = 0.9
"""From this share of one pattern on a rater is reported."""
NARROW = 0.05
"""Of a slider's range: a rater whose values never leave so small a part is near-constant."""


@dataclass(frozen=True, slots=True)
class Pattern:
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
) -> dict[str, Pattern]:
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
) -> Pattern:
    counts = Counter(texts.values())
    common = min(counts, key=lambda pattern: (-counts[pattern], pattern))
    others = sum(given[key].total() - 1 for key in texts)
    alike = sum(given[key][common] - (mine == common) for key, mine in texts.items())
    return Pattern(
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
