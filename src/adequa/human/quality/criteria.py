"""One criterion over all raters: their agreement, their competence by MACE, the contested texts.

Methods that compare labels (MACE, nominal alpha, the kappas, percentages) use the values of a short
scale and the bins of a slider; ordinal and interval alpha use the values themselves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from adequa import stats
from adequa.data import Rating
from adequa.fields import grouped
from adequa.human.judgments import Key, Scale, key_of
from adequa.human.mace import fit_mace

ITERATIONS = 500
"""The limit for MACE: on WebNLG 2017 its default of 200 is too low for one of three criteria."""


@dataclass(frozen=True, slots=True)
class ContestedText:
    """A text on which raters differ, with the entropy of its label by MACE (in nats)."""

    key: Key
    entropy: float
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class SpanFigures:
    """How well raters agree on what they marked, over the pairs of raters of each text."""

    marks: int
    pairs: int
    """Of raters who read the same text."""
    f1: float | None
    """2 × characters that both marked / characters that either marked; None if nobody marked."""
    typed_f1: float | None
    """The same, counting only characters that both marked with the same type."""
    gamma: stats.Agreement
    """Place and type of the marks, corrected for chance."""
    severity: float | None
    """The share of characters that both marked, to which both gave the same severity."""


def study_spans(
    ratings: Sequence[Rating], texts: Mapping[Key, str], *, seed: int = 0
) -> SpanFigures | None:
    """The agreement on marks; None if the ratings have none.

    A text that is not given ends with its last mark.
    """
    if not any("start" in span for rating in ratings for span in rating.spans):
        return None
    both = typed = whole = severe = 0
    pairs = marked = 0
    continua = []
    for key, given in grouped(ratings, key_of).items():
        spans = [[one for one in rating.spans if "start" in one] for rating in given]
        marked += sum(map(len, spans))
        end = max((one["end"] for own in spans for one in own), default=0)
        continua.append(
            stats.TextMarks(
                len(texts.get(key, "")) or end,
                [[(one["start"], one["end"], _type(one)) for one in own] for own in spans],
            )
        )
        read = [
            {place: one for one in own for place in range(one["start"], one["end"])}
            for own in spans
        ]
        for first, second in combinations(read, 2):
            shared = first.keys() & second.keys()
            pairs += 1
            both += len(shared)
            whole += len(first) + len(second)
            typed += sum(_type(first[place]) == _type(second[place]) for place in shared)
            severe += sum(
                first[place].get("severity") == second[place].get("severity") for place in shared
            )
    asks = any("severity" in span for rating in ratings for span in rating.spans)
    return SpanFigures(
        marks=marked,
        pairs=pairs,
        f1=2 * both / whole if whole else None,
        typed_f1=2 * typed / whole if whole else None,
        gamma=stats.gamma_agreement(continua, seed=seed),
        severity=severe / both if asks and both else None,
    )


def _type(span: Mapping[str, Any]) -> str:
    return str(span.get("label", span.get("type", "")))


@dataclass(frozen=True, slots=True)
class Criterion:
    """A criterion over all raters."""

    name: str
    scale: Scale
    texts: int
    raters: int
    ratings: int
    alpha: Mapping[str, stats.Agreement]
    """Krippendorff's, nominal, ordinal and interval."""
    fleiss: stats.Agreement
    cohen: float | None
    """The mean over pairs of raters, weighted by the texts they share."""
    pairs: tuple[int, int]
    """The number of pairs of raters with a Cohen's kappa, and of pairs who share a text."""
    percent: float | None
    competence: Mapping[str, float]
    """By rater, for those who share a text with another; empty without MACE."""
    contested: tuple[ContestedText, ...]
    """The texts with different answers, the most contested first."""
    converged: bool = True
    reason: str = ""
    """Why competence could not be estimated."""
    spans: SpanFigures | None = None
    """Of a criterion that is answered by marking."""

    def doubted(self, below: float) -> int:
        """The number of raters with a competence below the threshold."""
        return sum(value < below for value in self.competence.values())

    def is_reliable(self, below: float) -> bool:
        """Whether MACE trusts at least half of the raters; otherwise its estimates mean little."""
        return bool(self.competence) and 2 * self.doubted(below) <= len(self.competence)


@dataclass(frozen=True, slots=True)
class RaterStanding:
    """A rater compared with the others on one criterion, over the texts that others judged too."""

    answers: int
    shared: int
    mean: float
    """The mean of all the rater's values."""
    agreement: float | None
    """Pearson correlation with the mean of the others; None below three texts or if constant."""
    bias: float | None
    """The mean difference from the others; positive: the rater gives higher values."""
    deviation: float | None
    """The mean absolute difference from the others."""


def study_criterion(
    name: str,
    ratings: Sequence[Rating],
    scale: Scale,
    *,
    controls: Mapping[Key, float],
    texts: Mapping[Key, str] | None = None,
    method: str = "vb",
    restarts: int = 10,
    seed: int = 0,
) -> Criterion:
    """Study one criterion; `ratings` are sorted, one per rater and text.

    `texts` are those that were marked, where they are known.
    """
    by_text = grouped(ratings, key_of)
    company = {one.rater for given in by_text.values() if len(given) > 1 for one in given}
    labels = {scale.label(rating.value) for rating in ratings}
    equal = "all answers are equal" if len(labels) == 1 else ""
    reason = equal if company else "no text has two answers"
    competence: dict[str, float] = {}
    contested: list[ContestedText] = []
    converged = True
    if not reason:
        found = fit_mace(
            [(_name(one.system, one.id), one.rater, scale.label(one.value)) for one in ratings],
            method=method,
            restarts=restarts,
            seed=seed,
            iterations=ITERATIONS,
            controls={_name(*key): scale.label(value) for key, value in controls.items()},
        )
        converged = found.converged
        competence = {
            rater: float(value)
            for rater, value in zip(found.annotators, found.competences, strict=True)
            if rater in company
        }
        entropies = dict(zip(found.items, found.entropies.tolist(), strict=True))
        contested = [
            ContestedText(key, entropies[_name(*key)], tuple(sorted(one.value for one in given)))
            for key, given in by_text.items()
            if len({scale.label(one.value) for one in given}) > 1
        ]
        # Entropies are sums of logarithms: smaller differences are rounding errors.
        contested.sort(key=lambda one: (-round(one.entropy, 9), one.key))
    coded, plain = table(ratings, scale), table(ratings, None)
    cohen, pairs = _mean_kappa(coded)
    return Criterion(
        name=name,
        scale=scale,
        texts=len(by_text),
        raters=len({rating.rater for rating in ratings}),
        ratings=len(ratings),
        alpha=agreement(coded, plain),
        fleiss=stats.fleiss_kappa(coded),
        cohen=cohen,
        pairs=pairs,
        percent=stats.percent_agreement(coded),
        competence=competence,
        contested=tuple(contested),
        converged=converged,
        reason=reason,
        spans=study_spans(ratings, texts or {}, seed=seed),
    )


def agreement(coded: stats.Ratings, plain: stats.Ratings) -> dict[str, stats.Agreement]:
    """Krippendorff's alpha of labels (nominal) and of values (ordinal, interval)."""
    return {
        "nominal": stats.krippendorff_alpha(coded, "nominal"),
        "ordinal": stats.krippendorff_alpha(plain, "ordinal"),
        "interval": stats.krippendorff_alpha(plain, "interval"),
    }


def standings(ratings: Sequence[Rating]) -> dict[str, RaterStanding]:
    """Each rater compared with the others; `ratings` of one criterion, one per rater and text."""
    totals = {
        key: (sum(one.value for one in given), len(given))
        for key, given in grouped(ratings, key_of).items()
    }
    mine = grouped(ratings, lambda rating: rating.rater)
    return {rater: _standing(given, totals) for rater, given in mine.items()}


def _standing(given: Sequence[Rating], totals: Mapping[Key, tuple[float, int]]) -> RaterStanding:
    pairs = [
        (one.value, (total - one.value) / (count - 1))
        for one in given
        for total, count in [totals[key_of(one)]]
        if count > 1
    ]
    own, others = [one for one, _ in pairs], [other for _, other in pairs]
    found = stats.pearson(own, others)
    apart = [one - other for one, other in pairs]
    return RaterStanding(
        answers=len(given),
        shared=len(pairs),
        mean=sum(one.value for one in given) / len(given),
        agreement=None if found is None else found.value,
        bias=sum(apart) / len(apart) if apart else None,
        deviation=sum(map(abs, apart)) / len(apart) if apart else None,
    )


def table(ratings: Sequence[Rating], scale: Scale | None) -> stats.Ratings:
    """The ratings as a table of values, or of labels where a scale is given."""
    return stats.Ratings.of(
        map(key_of, ratings),
        [one.rater for one in ratings],
        [one.value if scale is None else scale.label(one.value) for one in ratings],
    )


def _mean_kappa(coded: stats.Ratings) -> tuple[float | None, tuple[int, int]]:
    every = stats.cohen_kappas(coded).values()
    known = [(one.value, one.items) for one in every if one.value is not None]
    if not known:
        return None, (0, len(every))
    weight = sum(items for _, items in known)
    return sum(value * items for value, items in known) / weight, (len(known), len(every))


def _name(system: str, identifier: str) -> str:
    """A text's name for MACE; the length keeps ("a", "b c") apart from ("a b", "c")."""
    return f"{len(system)} {system} {identifier}"
