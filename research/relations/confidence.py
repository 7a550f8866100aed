"""The fit of how sure a verdict is, on held-out texts with known faults.

The texts are those that may be chosen on: WebNLG dev (references, and the same changed by every
perturbation of `adequa.perturb`), the held-out written groups, and the answers to Rel2Text's dev
relations (right, corrupted, and with the triple turned round). The sources count alike, and of each
as many right texts are taken as wrong ones: a confidence is that of a text which is as likely right
as wrong before it is read. E2E has no part, because it tunes nothing but its own setting.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from adequa.charts import reliability_picture
from adequa.data import Item, Result, Triple
from adequa.errors import DataError
from adequa.metrics.esa import Esa
from adequa.metrics.nli import VERIFIER_LIMITS, Nli
from adequa.metrics.nli.confidence import FEATURES, Confidence, read_confidence, read_features
from adequa.metrics.nli.signs import read_signs
from adequa.metrics.nli.verdict import judge_evidence
from adequa.perturb import Knowledge, draw, draw_items, make_cases, named_perturbations
from adequa.perturb.claims import affirm, count_exactly
from adequa.perturb.documents import read_documents
from adequa.progress import Progress
from adequa.readers import open_source
from adequa.run import join
from adequa.stats.reliability import Reliability, reliability
from adequa.tables import Cell, Table
from adequa.text import is_symmetric
from research.recipe.weights import fit_logistic
from research.relations.calibration import write_part
from research.relations.groups import read_written
from research.relations.mixture import read_open_items
from research.relations.sources import read_rel2text

Vector = npt.NDArray[np.float64]
IN_DOUBT = 0.1
"""The share of right texts found OK that may have a fact in doubt: the stated trade-off behind the
limit `checked`. One in ten was chosen by hand, as what a reader will look at."""
_SEED = 11
_TRIED = 150
"""The WebNLG texts tried for each perturbation, some of which few texts allow."""
_BATCH = 128


class KnownText(NamedTuple):
    """A text of which it is known whether it has a fault."""

    source: str
    group: str
    """Texts of one group (one graph) are fitted on together, or measured together."""
    kind: str
    """The fault, or "" for a right text."""
    item: Item


def read_known_texts(data: Path, *, count: int = 40, permissive: bool = False) -> list[KnownText]:
    """All texts of a fit; `count` is the number of texts for each perturbation.

    With `permissive`, held-out texts of our own are perturbed, and not those of WebNLG.
    """
    if permissive:
        perturbed = _perturbed("perturbed texts", read_open_items(data, dev=True), count)
    else:
        perturbed = _perturbed("WebNLG dev", open_source(data / "webnlg2020" / "dev"), count)
    return [
        *_balanced(perturbed),
        *_balanced(_written()),
        *_balanced(_crowd(data / "relations")),
    ]


def _perturbed(source: str, items: Iterable[Item], count: int) -> list[KnownText]:
    """Right texts, some of them with more words for the same, and the same with one fault."""
    chosen = named_perturbations()
    drawn = draw_items(items, _TRIED * len(chosen), _SEED)
    found: dict[tuple[str, str, str], KnownText] = {}
    for number, perturbation in enumerate(chosen):
        (made,) = make_cases(drawn[number :: len(chosen)], [perturbation], count=count, seed=_SEED)
        documents = list(read_documents([one.original for one in made.cases]))
        knowledge = Knowledge.of(documents)
        for place, (case, document) in enumerate(zip(made.cases, documents, strict=True)):
            group = case.original.id.rsplit("/", 1)[0]
            operator = (affirm, count_exactly)[place % 2]
            chance = Random(f"{_SEED} {case.original.id}")  # noqa: S311
            same = draw(operator, document, knowledge, chance) if place % 4 < 2 else None
            right = case.original if same is None else same.apply(case.original)
            for kind, item in (("", right), (perturbation.name, case.changed)):
                one = KnownText(source, group, kind, item)
                found.setdefault((kind, item.text, str(item.triples)), one)
    return list(found.values())


def _written() -> list[KnownText]:
    found = []
    for number, group in enumerate(read_written(dev=True)):
        texts = [("", text) for text in group.faithful]
        texts += [(one.kind, one.text) for one in group.wrong]
        found += [
            KnownText("written groups", str(number), kind, Item(str(place), group.triples, text))
            for place, (kind, text) in enumerate(texts)
        ]
    return found


def _crowd(folder: Path) -> list[KnownText]:
    found = []
    for number, one in enumerate(read_rel2text(folder, "dev")):
        kind = "" if one.right else "corrupted"
        own = Item(str(number), (one.triple,), one.text)
        found.append(KnownText("Rel2Text dev", one.relation, kind, own))
        if one.right and not is_symmetric(one.relation):
            turned = Triple(one.tail, one.relation, one.head)
            other = Item(f"{number} turned", (turned,), one.text)
            found.append(KnownText("Rel2Text dev", one.relation, "turned round", other))
    return found


def _balanced(texts: Sequence[KnownText]) -> list[KnownText]:
    """As many right texts as wrong ones, evenly taken from all."""
    right = [one for one in texts if not one.kind]
    wrong = sorted((one for one in texts if one.kind), key=lambda one: one.kind)
    most = min(len(right), len(wrong))
    if not most:
        raise DataError("a source has no right or no wrong texts", remedy="give all research data")
    chosen = ([side[place * len(side) // most] for place in range(most)] for side in (right, wrong))
    return [one for pair in zip(*chosen, strict=True) for one in pair]


class JudgedText(NamedTuple):
    """A known text with its features and with the verdict of `esa` and `nli` together."""

    known: KnownText
    features: tuple[float, ...]
    least: float
    """The probability of the fact that is least likely stated."""
    found_ok: bool


def judge_texts(
    weights: str, texts: Sequence[KnownText], progress: Progress | None = None
) -> list[JudgedText]:
    """The texts that have a verdict and could be read, in their order."""
    nli, esa = Nli(weights=weights), Esa()
    ask = nli.evidence_source()
    found = []
    for first in range(0, len(texts), _BATCH):
        batch = texts[first : first + _BATCH]
        items = [one.item for one in batch]
        rows = zip(batch, ask(items), esa.score(items), strict=True)
        for known, evidence, entities in rows:
            signs = read_signs(known.item)
            features = read_features(known.item, evidence, signs, VERIFIER_LIMITS)
            own = judge_evidence("nli", known.item, evidence, signs.mentions, VERIFIER_LIMITS)
            joined = join(Result(known.item, {}), {"esa": entities, "nli": own})
            if features is not None and joined.verdict is not None:
                least = min(chance for chance in evidence.stated if chance is not None)
                found.append(JudgedText(known, features, least, joined.verdict == "OK"))
        if progress is not None:
            progress(first + len(batch), len(texts))
    return found


@dataclass(frozen=True)
class ConfidenceFit:
    """A model of confidence, and its figures on the halves that it was not fitted on."""

    model: Confidence
    texts: Sequence[JudgedText]
    chances: Sequence[float]
    """Out of fold: how likely each text has no fault."""

    def confidences(self) -> tuple[Vector, Vector]:
        """The confidence of each verdict, and whether it is right."""
        ok = np.array([one.found_ok for one in self.texts])
        right = np.array([not one.known.kind for one in self.texts])
        chances = np.array(self.chances)
        return np.where(ok, chances, 1 - chances), (ok == right).astype(np.float64)

    def reliability(self, inside: npt.NDArray[np.bool_] | None = None) -> Reliability:
        """Claimed confidence against the share of verdicts that are right, of all or some texts."""
        chosen = np.ones(len(self.texts), dtype=bool) if inside is None else inside
        claimed, right = (side[chosen] for side in self.confidences())
        return reliability(claimed, right, shares=count_alike(self.texts)[chosen])

    def as_object(self) -> dict[str, Any]:
        """The entry of `calibration.json`."""
        weights = {name: round(weight, 6) for name, weight in self.model.weights.items()}
        sources = sorted({one.known.source for one in self.texts})
        return {
            "weights": weights,
            "offset": round(self.model.offset, 6),
            "checked": round(self.model.checked, 4),
            "texts": len(self.texts),
            "reliability": self.reliability().as_object(),
            "fitted_on": f"{', '.join(sources)}: as many right texts as wrong ones",
        }


def fit_confidence(texts: Sequence[JudgedText], *, in_doubt: float = IN_DOUBT) -> ConfidenceFit:
    """Fit the model on all texts, and measure it on halves of the groups."""
    values = np.array([one.features for one in texts], dtype=np.float64)
    labels = np.array([float(not one.known.kind) for one in texts])
    if len(texts) < 2 * len(FEATURES) or labels.min() == labels.max():
        raise DataError("too few texts of both kinds for a fit", remedy="give all research data")
    shares = count_alike(texts)
    groups = {key: place for place, key in enumerate(dict.fromkeys(map(_group, texts)))}
    half = np.array([groups[_group(one)] % 2 == 0 for one in texts])
    chances = np.zeros(len(texts))
    for inside in (half, ~half):
        fitted = fit_rising(values[~inside], labels[~inside], shares[~inside])
        chances[inside] = _chances(values[inside], fitted)
    *weights, offset = fit_rising(values, labels, shares).tolist()
    least = [one.least for one in texts if one.found_ok and not one.known.kind]
    checked = min(float(np.quantile(least, in_doubt)) if least else 0.0, 0.99)
    known = {name: value for name, value in zip(FEATURES, weights, strict=True) if value}
    return ConfidenceFit(
        Confidence(known, offset, checked),
        texts,
        chances.tolist(),
    )


def count_alike(texts: Sequence[JudgedText]) -> Vector:
    """How much each text counts, so that the sources count alike."""
    counts = Counter(one.known.source for one in texts)
    return np.array([len(texts) / len(counts) / counts[one.known.source] for one in texts])


def _group(text: JudgedText) -> tuple[str, str]:
    return text.known.source, text.known.group


def fit_rising(values: Vector, labels: Vector, shares: Vector) -> Vector:
    """A logistic regression without negative weights: features that would get one are left out."""
    kept = np.ones(values.shape[1], dtype=bool)
    while True:
        fitted = fit_logistic(values[:, kept], labels, shares)
        if (fitted[:-1] >= 0).all():
            weights = np.zeros(values.shape[1] + 1)
            weights[:-1][kept], weights[-1] = fitted[:-1], fitted[-1]
            return weights
        places = np.flatnonzero(kept)
        kept[places[int(np.argmin(fitted[:-1]))]] = False


def _chances(values: Vector, weights: Vector) -> Vector:
    chances: Vector = 1 / (1 + np.exp(-(values @ weights[:-1] + weights[-1])))
    return chances


def write_confidence(folder: Path, fit: ConfidenceFit) -> Mapping[str, Any]:
    """Write the model into the `calibration.json` of some weights; the rest of it is kept."""
    written = fit.as_object()
    write_part(folder, confidence=written)
    read_confidence.cache_clear()  # so that metrics of this process use the new fit
    return written


# Presentation

_LEVELS = (0.5, 0.6, 0.7, 0.8, 0.9)


def confidence_tables(fit: ConfidenceFit) -> list[Table]:
    """The reliability by verdict and source, what a least confidence leaves, and the weights."""
    claimed, right = fit.confidences()
    ok = np.array([one.found_ok for one in fit.texts])
    shares = count_alike(fit.texts)
    sources = np.array([one.known.source for one in fit.texts])
    chosen = {"all": ok | ~ok, "OK": ok, "a fault": ~ok}
    chosen |= {source: sources == source for source in dict.fromkeys(sources.tolist())}
    rows: list[list[Cell]] = []
    for name, inside in chosen.items():
        if inside.any():
            means = (np.average(side[inside], weights=shares[inside]) for side in (claimed, right))
            found = fit.reliability(inside)
            rows.append([name, int(inside.sum()), *map(float, means), found.error, found.brier])
    columns = ["verdicts", "texts", "confidence", "right", "calibration error", "Brier score"]
    tables = [Table("on the half that was not fitted on", columns, rows)]
    rows = []
    for level in _LEVELS:
        inside = ok & (claimed >= level)
        share = float(shares[inside].sum() / shares[ok].sum()) if ok.any() else 0.0
        hits = float(np.average(right[inside], weights=shares[inside])) if inside.any() else None
        rows.append([f"{level:g}", int(inside.sum()), share, hits])
    tables.append(
        Table("OK verdicts by least confidence", ["from", "texts", "of all OK", "right"], rows)
    )
    rows = [[name, weight] for name, weight in fit.model.weights.items()]
    rows += [["offset", fit.model.offset], ["checked", fit.model.checked]]
    tables.append(Table("weights, fitted on all", ["feature", "weight"], rows))
    title = "share of texts found OK with a fact in doubt"
    rows = []
    for name, wrong in (("right texts", False), ("wrong texts", True)):
        own = [one for one in fit.texts if one.found_ok and bool(one.known.kind) == wrong]
        if own:
            doubted = sum(one.least < fit.model.checked for one in own)
            rows.append([name, doubted / len(own)])
    tables.append(Table(title, ["", "share"], rows))
    return tables


def confidence_picture(fit: ConfidenceFit) -> str:
    """The reliability diagram of OK verdicts and of faults, as SVG."""
    ok = np.array([one.found_ok for one in fit.texts])
    sides = {"OK": ok, "a fault": ~ok}
    whole = fit.reliability()
    return reliability_picture(
        {name: fit.reliability(inside).bins for name, inside in sides.items() if inside.any()},
        "reliability of the confidence of verdicts",
        f"calibration error {whole.error:.3f}, Brier score {whole.brier:.3f}; "
        f"{len(fit.texts):,} texts, each half by a model of the other",
    )
