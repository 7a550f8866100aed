"""From a relation reader's logits to log-odds, in the `calibration.json` of weights.

The slope, and how much the verifier is heard beside the reader, are fitted by logistic regression
on the facts of held-out written groups. The offset is
chosen so that a stated share of faithful held-out texts is flagged: texts of which at least one
fact falls below the threshold of `nli`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from adequa.data import Item
from adequa.errors import DataError, SettingError
from adequa.metrics.nli import VERIFIER_LIMITS
from adequa.metrics.nli.signs import read_weighing
from adequa.training.export import seal, write_files
from adequa.training.setup import spread
from research.recipe.similarity import CALIBRATION, known_parts
from research.recipe.weights import fit_logistic
from research.relations.figures import NOTHING, Read, name_claim
from research.relations.groups import WrittenGroup

FLAGGED = 0.06
"""The share of faithful held-out texts that is flagged unless another is asked for; it was used in
the first trials, and there is no record of the data it was chosen on."""


@dataclass(frozen=True)
class RelationLine:
    """The line, and what it does on the data it was fitted on."""

    slope: float
    offset: float
    verifier: float
    """The weight of the verifier's log-odds."""
    flagged: float
    """The share of faithful texts that are flagged."""
    found: float
    """The share of facts that wrong texts do not state and that are flagged."""
    facts: int
    texts: int

    def as_object(self) -> dict[str, Any]:
        """The entry of `calibration.json`."""
        rounded = {name: round(getattr(self, name), 6) for name in ("slope", "offset", "verifier")}
        shares = {name: round(getattr(self, name), 4) for name in ("flagged", "found")}
        return {**rounded, "signs": {}, **shares, "facts": self.facts, "texts": self.texts}


Verify = Callable[[Sequence[Item]], Sequence[Sequence[float | None]]]
"""The verifier's log-odds of facts."""


def fit_line(
    read: Read,
    verify: Verify,
    groups: Sequence[WrittenGroup],
    items: Sequence[Item],
    *,
    flagged: float = FLAGGED,
    threshold: float | None = None,
) -> RelationLine:
    """Fit the line on held-out written groups and on other texts that state their graphs.

    Of `items` as many are taken as there are faithful written texts, so that both count alike.
    `threshold` is the probability below which a fact counts as not stated: that of `nli`, unless
    given.
    """
    if not 0 < flagged < 1:
        raise SettingError(f"flagged is {flagged}: give a share between 0 and 1")
    least = VERIFIER_LIMITS.stated if threshold is None else threshold

    def both(items: Sequence[Item]) -> Iterator[list[tuple[int, float, float]]]:
        """For each item the facts that both models read, with both answers."""
        logits = read([name_claim(item.text, item.triples) for item in items])
        for one, other in zip(logits, verify(items), strict=True):
            yield [
                (fact, logit, odds)
                for fact, (logit, odds) in enumerate(zip(one, other, strict=True))
                if logit is not None and odds is not None
            ]

    answers: list[tuple[float, float]] = []
    labels: list[int] = []
    faithful: list[list[tuple[float, float]]] = []
    for group in groups:
        texts: list[tuple[str, tuple[int, ...]]] = [(text, ()) for text in group.faithful]
        texts += [(one.text, one.facts) for one in group.wrong]
        items_of_group = [Item("", group.triples, text) for text, _ in texts]
        for (_, broken), own in zip(texts, both(items_of_group), strict=True):
            answers += [(logit, odds) for _, logit, odds in own]
            labels += [int(fact not in broken) for fact, _, _ in own]
            if not broken:
                faithful.append([(logit, odds) for _, logit, odds in own])
    if len({*labels}) < 2:
        raise DataError(
            "the written groups have no facts of both kinds", remedy="give held-out groups"
        )
    chosen = [items[place] for place in spread(len(items), len(faithful))]
    faithful += [[(logit, odds) for _, logit, odds in own] for own in both(chosen)]
    slope, verifier, _ = fit_logistic(np.array(answers), np.array(labels, dtype=float))
    if slope <= 0:
        raise DataError(
            "the reader's logits are not higher for stated facts", remedy="train it longer"
        )
    weights = np.array([slope, max(0.0, verifier)])
    lowest = np.array([min((weights @ one for one in own), default=NOTHING) for own in faithful])
    cut = float(np.quantile(lowest, flagged))
    wrong = np.array(answers)[np.array(labels) == 0] @ weights
    return RelationLine(
        slope=float(slope),
        offset=float(np.log(least / (1 - least))) - cut,
        verifier=float(weights[1]),
        flagged=float(np.mean(lowest < cut)),
        found=float(np.mean(wrong < cut)),
        facts=len(answers),
        texts=len(lowest),
    )


def write_line(folder: Path, line: RelationLine) -> dict[str, Any]:
    """Write the line into the `calibration.json` of a folder of weights.

    The rest of it is kept, except for the confidence of verdicts, which must be fitted again.
    """
    written = line.as_object()
    write_part(folder, relation=written, confidence=None)
    read_weighing.cache_clear()  # so that metrics of this process use the new fit
    return written


def write_part(folder: Path, **parts: Mapping[str, Any] | None) -> None:
    """Replace parts of the `nli` entry in the `calibration.json` of weights; None removes one."""
    known = known_parts(folder)
    if "nli" not in known:
        raise DataError(
            "has no fit of the verifier",
            path=folder / CALIBRATION,
            remedy="run adequa train weigh first",
        )
    changed = {**known["nli"], **parts}
    known["nli"] = {name: part for name, part in changed.items() if part is not None}
    text = json.dumps(known, ensure_ascii=False, indent=2)
    write_files(folder, {CALIBRATION: f"{text}\n".encode()})
    seal(folder)
