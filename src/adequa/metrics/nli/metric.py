"""Omissions and hallucinations by entailment (Dušek and Kasner 2020), fact by fact, span by span.

The text must entail every fact, or it omits it; the facts must entail the text, or it hallucinates.
By default the verifier of the package answers both at once; any model for natural language
inference can take its place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from adequa.data import Item, Score
from adequa.errors import DataError, SettingError
from adequa.metrics.base import (
    ENGLISH,
    Metric,
    make_paths,
    require_predicates,
    require_valid,
    unknown_language,
)
from adequa.metrics.nli.confidence import Confidence, read_confidence, read_features
from adequa.metrics.nli.evidence import EvidenceSource, VerifierEvidence
from adequa.metrics.nli.relevance import with_facts
from adequa.metrics.nli.signs import read_signs, read_weighing
from adequa.metrics.nli.templates import Cues, Templates, read_templates, shipped_cues
from adequa.metrics.nli.verdict import CLASSES, VerdictLimits, judge_evidence, nothing_said
from adequa.metrics.sources import (
    has_words,
    model_digest,
    record_source,
    relation_source,
    verifier_source,
    weights_digest,
)
from adequa.settings import content_hash, setting

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from adequa.models import Calibration

_NO_DATA = "no triples to compare the text with"
VERIFIER_LIMITS = VerdictLimits(stated=0.2, unsupported=0.85)
"""The defaults of `threshold` and `doubt`, chosen on the WebNLG dev texts so that a fault is missed
rather than a right text blamed (docs/metrics/nli.md, "threshold and doubt"). For any other model
the paper's rule holds: a check passes where entailment is the most likely label."""


@dataclass(frozen=True)
class Nli(Metric):
    """The facts that the text states, and the words that the data supports."""

    name: ClassVar[str] = "nli"
    doc: ClassVar[str] = "does the text say all facts and only facts: omissions, hallucinations"
    limits: ClassVar[str] = (
        "It overlooks some wrong relations between the right names, and some negations and doubts; "
        "it does not calculate, knows nothing of the world, and is made for English."
    )
    best: ClassVar[float] = 1.0
    worst: ClassVar[float] = 0.0
    expensive: ClassVar[bool] = True
    languages: ClassVar[frozenset[str] | None] = ENGLISH
    reads: ClassVar[tuple[str, ...]] = ("triples", "text", "terms", "lang", "paths", "coverage")

    model: str | None = setting(
        None,
        "a model for natural language inference instead of the verifier: a folder "
        "(transformers or ONNX) or a name on the hub",
    )
    revision: str | None = setting(None, "the revision of a model on the hub")
    weights: str = setting("v3", "shipped weights by version, or a folder that adequa export wrote")
    templates: str | None = setting(
        None, "how predicates are said: `e2e`, or a JSON or TSV file of templates"
    )
    calibration: Path | None = setting(
        None, "what `adequa train calibrate` wrote, for the verifier's probabilities"
    )
    threshold: float | None = setting(
        None, "from which probability on a fact counts as stated; none is 0.2, for the verifier"
    )
    doubt: float | None = setting(
        None, "from which probability on words count as unsupported; none is 0.85, for the verifier"
    )
    entities: bool = setting(True, "let the verifier use the entity detector's evidence")
    ignore: tuple[str, ...] = setting((), "predicates whose triples are left out altogether")
    optional: tuple[str, ...] = setting((), "predicates whose facts may be left out")
    allowed: Path | None = setting(None, "a file of phrases, one per line, that a text may add")
    threads: int = setting(1, "threads for each run of the verifier", at_least=1)

    def __post_init__(self) -> None:
        require_valid(self)
        self._set_limits()
        require_predicates(self, "ignore", "optional")
        make_paths(self, "calibration", "allowed")
        if self.model is None:
            if self.revision is not None:
                raise SettingError(f"{self.name}:revision goes with model, a name of the hub")
            weights_digest(self.weights)
            self._calibrated()
        elif self.calibration is not None:
            raise SettingError(f"{self.name}:calibration is for the verifier, not for a model")
        self._limits()  # a wrong file shows before the first text
        self._templates()

    def _set_limits(self) -> None:
        """The verifier's limits, which say nothing about the probabilities of another model."""
        defaults = {"threshold": VERIFIER_LIMITS.stated, "doubt": VERIFIER_LIMITS.unsupported}
        for name, default in defaults.items():
            value = getattr(self, name)
            if self.model is not None and value is not None:
                raise SettingError(
                    f"{self.name}:{name} is for the verifier; a check of a model passes where "
                    f"entailment is its most likely label: leave {name} out"
                )
            if value is not None and not 0 < value < 1:
                raise SettingError(f"{self.name}:{name} is between 0 and 1, not {value}")
            if self.model is None and value is None:
                object.__setattr__(self, name, default)

    def score(self, items: Sequence[Item]) -> list[Score]:
        """One score per item: value, facts, findings and the paper's four-way verdict."""
        if self.ignore:
            items = [self._without_ignored(item) for item in items]
        # Another model may know other languages than the verifier.
        unknown = [unknown_language(self, item) if self.model is None else None for item in items]
        readable = [
            bool(item.triples) and has_words(item.text) and reason is None
            for item, reason in zip(items, unknown, strict=True)
        ]
        asked = [item for item, can in zip(items, readable, strict=True) if can]
        found = iter(self.evidence_source()(asked) if asked else [])
        limits, model = self._limits(), self._confidence()
        scores = []
        for item, can, reason in zip(items, readable, unknown, strict=True):
            if not item.triples or reason is not None:
                scores.append(Score(None, reason=reason or _NO_DATA))
            elif not can:
                scores.append(nothing_said(self.name, item))
            else:
                signs, evidence = read_signs(item), next(found)
                score = judge_evidence(self.name, item, evidence, signs.mentions, limits)
                if model is not None and score.verdict is not None:
                    features = read_features(item, evidence, signs, limits)
                    score = replace(score, confidence=model.sure(score.verdict, features))
                scores.append(score)
        return scores

    def _without_ignored(self, item: Item) -> Item:
        kept = (n for n, one in enumerate(item.triples) if one.predicate not in self.ignore)
        return with_facts(item, [*kept])

    def _confidence(self) -> Confidence | None:
        """The model of how sure a verdict is: it was fitted with the verifier and the entities."""
        return read_confidence(self.weights) if self.model is None and self.entities else None

    def _limits(self) -> VerdictLimits:
        from adequa.entities import read_phrases

        allowed = () if self.allowed is None else read_phrases(self.allowed)
        optional, model = frozenset(self.optional), self._confidence()
        if self.threshold is None or self.doubt is None:
            return VerdictLimits(optional=optional, allowed=allowed)
        checked = 0.0 if model is None else model.checked
        return VerdictLimits(self.threshold, self.doubt, optional, allowed, checked)

    def corpus(self, totals: Sequence[float]) -> dict[str, float]:
        """The shares of the four results, of facts that are not stated, of unsupported letters."""
        *texts, facts, missing, contradicted, unsupported, letters = totals
        shares = (number / sum(texts) for number in texts)
        values: dict[str, float] = dict(zip(CLASSES, shares, strict=True))
        values["not_OK"] = 1 - values["OK"]
        if facts:
            values["facts omitted"] = missing / facts
            values["facts contradicted"] = contradicted / facts
        if letters:
            values["text unsupported"] = unsupported / letters
        return values

    def provenance(self) -> Mapping[str, object]:
        """The content of weights or model, of the templates and of the calibration."""
        provenance: dict[str, object] = {}
        if self.model is None:
            provenance["weights_hash"] = weights_digest(self.weights)
        elif (digest := model_digest(self.model)) is not None:
            provenance["model_hash"] = digest
        templates = self._templates()
        provenance["templates_hash"] = "backoff" if templates is None else templates.digest
        if self.calibration is not None:
            provenance["calibration_hash"] = content_hash(self.calibration)
        if self.allowed is not None:
            provenance["allowed"] = content_hash(self.allowed)
        if self.model is None and (cues := self._cues()) is not None:
            provenance["cues_hash"] = cues.digest
        return provenance

    def _templates(self) -> Templates | None:
        return None if self.templates is None else read_templates(self.templates)

    def _cues(self) -> Cues | None:
        return None if self.templates is None else shipped_cues(self.templates)

    def _calibrated(self) -> Calibration | None:
        if self.calibration is None:
            return None
        status = self.calibration.stat() if self.calibration.is_file() else None
        return _read_calibration(self.calibration, status and status.st_mtime_ns)

    def evidence_source(self) -> EvidenceSource:
        """Ask the verifier or the model about items with triples and words."""
        if self.model is not None:
            from adequa.metrics.nli.pairs import pair_evidence
            from adequa.models import NliLabels, open_pairs

            pairs = open_pairs(self.model, self.revision)
            known = self._templates() or Templates()
            return pair_evidence(pairs, NliLabels.of(pairs), known.sentence)
        limits = self._limits()
        return VerifierEvidence(
            verifier_source(self.weights, self.threads, self._templates()),
            read_weighing(self.weights),
            self._calibrated(),
            limits.unsupported,
            limits.stated,
            self.entities,
            self._cues(),
            relation_source(self.weights, self.threads) if self.entities else None,
            self._encode if self.entities else None,
            record_source(self.weights, self.threads) if self.entities else None,
        )

    def _encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of texts by the encoder of the weights."""
        from adequa.models import load_encoder

        return load_encoder(self.weights, threads=self.threads).encode(texts)


@lru_cache(maxsize=8)
def _read_calibration(path: Path, _: int | None) -> Calibration:
    """The head `stated` of a calibration file."""
    import json

    from adequa.models import Calibration

    remedy = "give what adequa train calibrate wrote"
    try:
        return Calibration.from_object(json.loads(path.read_text(encoding="utf-8"))["stated"])
    except OSError as error:
        raise DataError.of_file(error, path, remedy=remedy) from None
    except (ValueError, KeyError, TypeError) as error:
        problem = f"has no calibration of stated ({error!r})"
        raise DataError(problem, path=path, remedy=remedy) from None
    except DataError as error:
        raise DataError(error.problem, path=path, remedy=remedy) from None
