"""The line from a relation reader's logits to log-odds, in the `calibration.json` of weights.

Its slope is fitted by logistic regression on the facts of held-out texts. Its offset is chosen so
that a stated share of the right ones is flagged: texts of which at least one fact falls below the
threshold of `nli`. The texts are those of held-out written groups, WebNLG dev (with one triple
inverted where they are wrong) and the answers to Rel2Text's dev relations, which no model has seen;
the three count alike.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from adequa.data import Item, Triple
from adequa.errors import DataError, SettingError
from adequa.metrics.nli import VERIFIER_LIMITS
from adequa.metrics.nli.evidence import Reading
from adequa.metrics.nli.signs import read_weighing
from adequa.perturb import draw_items, make_cases, named_perturbations
from adequa.readers import open_source
from adequa.text import is_symmetric
from adequa.training.export import seal, write_files
from adequa.training.setup import spread
from research.recipe.similarity import CALIBRATION, known_parts
from research.recipe.weights import fit_logistic
from research.relations.figures import NOTHING
from research.relations.groups import WrittenGroup, read_written
from research.relations.sources import read_rel2text

Read = Callable[[Sequence[Item]], Sequence[Sequence[Reading | None]]]
"""The facts of items as relation reader and verifier read them (`VerifierEvidence.readings`)."""

FLAGGED = 0.07
"""The share of right held-out texts that is flagged unless another is asked for."""
_BATCH = 128


class LabelledText(NamedTuple):
    """A held-out text, and the numbers of the facts that it does not state."""

    source: str
    item: Item
    unstated: frozenset[int] = frozenset()


@dataclass(frozen=True)
class RelationLine:
    """The line, and what it does on the data it was fitted on."""

    slope: float
    offset: float
    flagged: float
    """The share of right texts that are flagged."""
    found: float
    """The share of facts that wrong texts do not state and that are flagged."""
    facts: int
    texts: int

    def as_object(self) -> dict[str, Any]:
        """The entry of `calibration.json`."""
        rounded = {name: round(getattr(self, name), 6) for name in ("slope", "offset")}
        shares = {name: round(getattr(self, name), 4) for name in ("flagged", "found")}
        return {**rounded, "signs": {}, **shares, "facts": self.facts, "texts": self.texts}


def read_labelled_texts(
    data: Path, *, count: int = 600, permissive: bool = False
) -> list[LabelledText]:
    """The texts of a fit, about `count` right ones of each source at the most.

    With `permissive`, WebNLG, which may not be used commercially, is left out.
    """
    groups = read_written(dev=True)
    faithful = sum(len(group.faithful) for group in groups)
    most = max(1, len(groups) * count // max(faithful, 1))
    return [
        *written_texts([groups[place] for place in spread(len(groups), most)]),
        *([] if permissive else _inverted(data / "webnlg2020" / "dev", count)),
        *_crowd(data / "relations"),
    ]


def written_texts(groups: Sequence[WrittenGroup]) -> list[LabelledText]:
    """The texts of written groups."""
    return [
        LabelledText("written groups", Item("", group.triples, text), frozenset(unstated))
        for group in groups
        for text, unstated in (
            *((text, ()) for text in group.faithful),
            *((one.text, one.facts) for one in group.wrong),
        )
    ]


def _inverted(folder: Path, count: int) -> list[LabelledText]:
    """References with their graphs, and with a triple of it turned round."""
    items = draw_items(open_source(folder), count, 0)
    (made,) = make_cases(items, named_perturbations(["invert-triple"]), count=count, seed=0)
    found = [LabelledText("WebNLG dev", item) for item in items]
    for case in made.cases:
        known = frozenset(case.original.triples)
        changed = (n for n, one in enumerate(case.changed.triples) if one not in known)
        found.append(LabelledText("WebNLG dev", case.changed, frozenset(changed)))
    return found


def _crowd(folder: Path) -> list[LabelledText]:
    """Right and wrong answers of crowd workers, and right ones with the triple turned round."""
    found = []
    for one in read_rel2text(folder, "dev"):
        facts = [(one.triple, frozenset[int]() if one.right else frozenset({0}))]
        if one.right and not is_symmetric(one.relation):
            facts.append((Triple(one.tail, one.relation, one.head), frozenset({0})))
        found += [
            LabelledText("Rel2Text dev", Item("", (triple,), one.text), unstated)
            for triple, unstated in facts
        ]
    return found


def rate_known_texts(*, most: int = 250, count: int = 100) -> list[tuple[Item, float]]:
    """Held-out texts that may be used commercially, each with the share of it that is right.

    They stand for people's ratings where none may be used: the texts of `most` written groups, and
    copies of their faithful texts with one change, `count` of each kind. All texts of one group
    share an id.
    """
    groups = read_written(dev=True)
    rated, faithful = [], []
    for number in spread(len(groups), most):
        for place, one in enumerate(written_texts([groups[number]])):
            item = replace(one.item, id=str(number), system=f"written{place}")
            rated.append((item, 1 - len(one.unstated) / len(item.triples)))
            if not one.unstated:
                faithful.append(item)
    for made in make_cases(faithful, named_perturbations(), count=count, seed=0):
        for case in made.cases:
            name = f"{made.perturbation.name}-{case.original.system}"
            facts = len({*case.original.triples, *case.changed.triples})
            share = max(1, len(case.change.facts)) / max(2, facts)  # of an addition, one more
            rated.append((replace(case.changed, system=name), 1 - share))
    return rated


def fit_line(
    read: Read,
    texts: Sequence[LabelledText],
    *,
    flagged: float = FLAGGED,
    threshold: float | None = None,
) -> RelationLine:
    """Fit the line on texts of known labels, of which all sources count alike.

    `threshold` is the probability below which a fact counts as not stated: that of `nli`, unless
    given. The slope is that of facts whose object is a name.
    """
    if not 0 < flagged < 1:
        raise SettingError(f"flagged is {flagged}: give a share between 0 and 1")
    least = VERIFIER_LIMITS.stated if threshold is None else threshold
    read_all = [
        own
        for first in range(0, len(texts), _BATCH)
        for own in read([one.item for one in texts[first : first + _BATCH]])
    ]
    facts = [
        (text.source, fact not in text.unstated, reading)
        for text, own in zip(texts, read_all, strict=True)
        for fact, reading in enumerate(own)
        if reading is not None
    ]
    if len({stated for _, stated, _ in facts}) < 2:
        raise DataError("the texts have no facts of both kinds", remedy="give held-out groups")
    slope = _fit_slope(facts)
    if slope <= 0:
        raise DataError(
            "the reader's logits are not higher for stated facts", remedy="train it longer"
        )

    def odds(reading: Reading) -> float:
        return slope * reading.relation + reading.added

    right = [
        (text.source, min((odds(one) for one in own if one is not None), default=NOTHING))
        for text, own in zip(texts, read_all, strict=True)
        if not text.unstated
    ]
    lowest = np.array([one for _, one in right])
    shares = _shares([source for source, _ in right])
    cut = _quantile(lowest, shares, flagged)
    wrong = [odds(one) for _, stated, one in facts if not stated]
    return RelationLine(
        slope=slope,
        offset=float(np.log(least / (1 - least))) - cut,
        flagged=float(shares @ (lowest < cut) / shares.sum()),
        found=float(np.mean(np.array(wrong) < cut)),
        facts=len(facts),
        texts=len(right),
    )


def _fit_slope(facts: Sequence[tuple[str, bool, Reading]]) -> float:
    """What the reader's logit is worth; of each source, stated and other facts count alike."""
    chosen = [one for one in facts if one[2].kind == "name"] or facts
    labels = np.array([stated for _, stated, _ in chosen], dtype=float)
    shares = _shares([(source, stated) for source, stated, _ in chosen])
    logits = np.array([[one.relation] for *_, one in chosen])
    return float(fit_logistic(logits, labels, shares)[0])


def _shares(kinds: Sequence[object]) -> npt.NDArray[np.float64]:
    """How much each row counts where all kinds count alike: 1 in the mean."""
    counts = Counter(kinds)
    return np.array([len(kinds) / len(counts) / counts[kind] for kind in kinds])


def _quantile(
    values: npt.NDArray[np.float64], shares: npt.NDArray[np.float64], level: float
) -> float:
    """The value below which a share of the rows lies."""
    order = np.argsort(values)
    below = np.cumsum(shares[order]) / shares.sum()
    return float(values[order][min(int(np.searchsorted(below, level)), len(values) - 1)])


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
