"""Weights under a name, for paper 003: what encodes, what scores pairs, what training left behind.

Nothing else of the paper's reproduction knows a model: tests give functions.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from adequa.data import Item
from adequa.errors import DataError, ModelError
from adequa.retrieval import Encoder, load_encoder
from adequa.retrieval.encoding import encode_items

if TYPE_CHECKING:
    from adequa.models.verifier import Checked, Verifier

__all__ = ["PARTS", "Model", "PairScores", "Values", "cosines", "cross_score", "load_model"]

Values: TypeAlias = list[float | None]
PairScores: TypeAlias = Callable[[Sequence[Item]], Mapping[str, Sequence[float | None]]]
"""Items in; for each of `PARTS` that there is, a value an item."""

PARTS = {"bi": "bi-encoder", "cross": "cross-encoder (verifier)", "similarity": "similarity"}
"""The paper's three scores, and what people read."""

LOGS = ("log.json", "training.json")
"""What training writes as it goes, if somebody put it into the weights' folder."""

_ENCODER, _VERIFIER = "encoder.onnx", "verifier.onnx"


@dataclass(frozen=True)
class Model:
    """One set of weights; `absent` says why a part has no scores."""

    name: str
    signature: str
    encoder: Encoder | None = None
    scores: PairScores | None = None
    log: Sequence[Mapping[str, object]] = ()
    absent: Mapping[str, str] = field(default_factory=dict)

    def parts(self, items: Sequence[Item]) -> dict[str, Values]:
        """The values of the parts there are."""
        if self.scores is not None:
            found = self.scores(items)
            return {part: list(found[part]) for part in PARTS if part in found}
        return {} if self.encoder is None else {"bi": cosines(self.encoder, items)}

    def reason(self, part: str) -> str:
        """Why it has no scores of a part."""
        return self.absent.get(part, "it gave no score")


def load_model(name: str, where: str) -> Model:
    """The weights of a version, of a folder that `adequa export` wrote, or `hub:MODEL`.

    A hub model and a folder without a verifier have a bi-encoder alone.
    """
    if where.startswith("hub:"):
        hub = load_encoder(where)
        return Model(name, hub.signature, hub, absent=_absent(where))
    from adequa.models.shipped import weights

    folder = weights(where)
    files = folder.manifest["files"]
    encoder = load_encoder(where) if _ENCODER in files else None
    signature = f"weights:{folder.version}|{folder.digest}"
    log = _read_log(folder.folder)
    if _VERIFIER not in files:
        return Model(name, signature, encoder, log=log, absent=_absent(where))
    from adequa.metrics import load_metric, names
    from adequa.models.verifier import load_verifier

    verifier = load_verifier(where)
    known = encoder is not None and "similarity" in names()
    metric = load_metric("similarity", weights=where) if known else None

    def scores(items: Sequence[Item]) -> dict[str, Values]:
        found = {"cross": _cross(verifier, items)}
        if encoder is not None:
            found["bi"] = cosines(encoder, items)
        if metric is not None:
            found["similarity"] = [score.value for score in metric.score(items)]
        return found

    absent: dict[str, str] = {} if encoder is not None else {"bi": f"{where} has no encoder"}
    if metric is None:
        absent["similarity"] = absent.get("bi", "there is no metric similarity")
    return Model(name, signature, encoder, scores, log, absent)


def _absent(where: str) -> dict[str, str]:
    return dict.fromkeys(("cross", "similarity"), f"{where} has no verifier")


def cosines(encoder: Encoder, items: Sequence[Item]) -> Values:
    """How near text and graph are, item by item; an empty text is near to nothing."""
    said = [item for item in items if item.text.strip() and item.triples]
    products: list[float] = []
    if said:
        graphs, texts = (encode_items(encoder, said, kind) for kind in ("graphs", "texts"))
        products = np.einsum("ij,ij->i", graphs, texts, dtype=np.float64).tolist()
    found = iter(products)
    return [next(found) if item.text.strip() and item.triples else 0.0 for item in items]


def _cross(verifier: Verifier, items: Sequence[Item]) -> Values:
    return [
        cross_score(checked) if item.text.strip() else 0.0
        for item, checked in zip(items, verifier.verify(items), strict=True)
    ]


def cross_score(checked: Checked) -> float | None:
    """One number of a verifier's answer: the mean of what is stated and of what is supported."""
    stated = [_probability(one) for one in checked.stated if one is not None]
    if checked.supported is None or not stated:
        return None
    return (sum(stated) / len(stated) + _probability(checked.supported)) / 2


def _probability(logit: float) -> float:
    return (1 + math.tanh(logit / 2)) / 2


def _read_log(folder: Path) -> list[Mapping[str, object]]:
    path = next((folder / name for name in LOGS if (folder / name).is_file()), None)
    if path is None:
        return []
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(f"{path}: is no JSON ({error}); take it out of the folder") from None
    lines = raw.get("log") if isinstance(raw, dict) else raw
    if not isinstance(lines, list) or not all(isinstance(line, dict) for line in lines):
        raise DataError(
            "is no log of training", path=path, remedy="it is a list of objects with a step each"
        )
    return lines
