"""The line from a relation reader's logits to log-odds, in the `calibration.json` of weights.

Its slope is fitted by logistic regression on the facts of held-out written groups. Its offset is
chosen so that a stated share of faithful held-out texts is flagged: texts of which at least one
fact falls below the threshold of `nli`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
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
    flagged: float
    """The share of faithful texts that are flagged."""
    found: float
    """The share of facts that wrong texts do not state and that are flagged."""
    facts: int
    texts: int

    def as_object(self) -> dict[str, Any]:
        """The entry of `calibration.json`."""
        rounded = {name: round(getattr(self, name), 6) for name in ("slope", "offset")}
        shares = {name: round(getattr(self, name), 4) for name in ("flagged", "found")}
        return {**rounded, "signs": {}, **shares, "facts": self.facts, "texts": self.texts}


def fit_line(
    read: Read,
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
    logits: list[float] = []
    labels: list[int] = []
    lowest: list[float] = []
    for group in groups:
        texts: list[tuple[str, tuple[int, ...]]] = [(text, ()) for text in group.faithful]
        texts += [(one.text, one.facts) for one in group.wrong]
        outputs = read([name_claim(text, group.triples) for text, _ in texts])
        for (_, broken), own in zip(texts, outputs, strict=True):
            known = [(fact, logit) for fact, logit in enumerate(own) if logit is not None]
            logits += [logit for _, logit in known]
            labels += [int(fact not in broken) for fact, _ in known]
            if not broken:
                lowest.append(min((logit for _, logit in known), default=NOTHING))
    if len({*labels}) < 2:
        raise DataError(
            "the written groups have no facts of both kinds", remedy="give held-out groups"
        )
    chosen = [items[place] for place in spread(len(items), len(lowest))]
    lowest += [
        min((logit for logit in own if logit is not None), default=NOTHING)
        for own in read([name_claim(item.text, item.triples) for item in chosen])
    ]
    slope = float(fit_logistic(np.array(logits)[:, None], np.array(labels, dtype=float))[0])
    if slope <= 0:
        raise DataError(
            "the reader's logits are not higher for stated facts", remedy="train it longer"
        )
    cut = float(np.quantile(lowest, flagged))
    wrong = [logit for logit, label in zip(logits, labels, strict=True) if not label]
    return RelationLine(
        slope=slope,
        offset=float(np.log(least / (1 - least))) - slope * cut,
        flagged=float(np.mean(np.array(lowest) < cut)),
        found=float(np.mean(np.array(wrong) < cut)),
        facts=len(logits),
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
