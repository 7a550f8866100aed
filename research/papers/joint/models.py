"""Weights under a name, for paper 003: what encodes, what scores pairs, what training left behind.

Nothing else of the paper's reproduction knows a model: tests give functions.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import numpy as np

from adequa.data import Item
from adequa.errors import DataError, ModelError
from adequa.retrieval import Encoder, encode_items, load_encoder

Values: TypeAlias = list[float | None]
PairScores: TypeAlias = Callable[[Sequence[Item]], Mapping[str, Sequence[float | None]]]
"""Items in; for each of `PARTS` that exists, one value per item."""

PARTS = {"bi": "bi-encoder", "cross": "cross-encoder (verifier)", "similarity": "similarity"}
"""The paper's three scores, and what people read."""

LOGS = ("log.json", "training.json")
"""What training writes as it goes, if somebody put it into the weights' folder."""

_ENCODER = "encoder.onnx"
_NEEDED = {
    _ENCODER: "encoder",
    "verifier.onnx": "verifier",
    "calibration.json": "calibration; adequa train blend makes it",
}


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

    The scores are those of the metric `similarity`. What has an encoder alone, or no calibration,
    has cosines.
    """
    if where.startswith("hub:"):
        hub = load_encoder(where)
        return Model(name, hub.signature, hub, absent=_absent(f"{where} has no verifier"))
    from adequa.models import weights

    folder = weights(where)
    signature = f"weights:{folder.version}|{folder.digest}"
    encoder = load_encoder(where) if _ENCODER in folder.manifest["files"] else None
    log = _read_log(folder.folder)
    for file, what in _NEEDED.items():
        if file not in folder.manifest["files"]:
            return Model(
                name, signature, encoder, log=log, absent=_absent(f"{where} has no {what}")
            )
    return Model(name, signature, encoder, _pair_scores(where), log)


def _pair_scores(where: str) -> PairScores:
    from adequa.metrics.similarity import Similarity

    metric = Similarity(weights=where)

    def scores(items: Sequence[Item]) -> dict[str, Values]:
        parts = metric.parts(items)
        return {"bi": parts["bi"], "cross": parts["cross"], "similarity": parts["ensemble"]}

    return scores


def _absent(reason: str) -> dict[str, str]:
    return dict.fromkeys(PARTS, reason)


def cosines(encoder: Encoder, items: Sequence[Item]) -> Values:
    """How near text and graph are, item by item; an empty text is near to nothing."""
    said = [item for item in items if item.text.strip() and item.triples]
    products: list[float] = []
    if said:
        graphs, texts = (encode_items(encoder, said, kind) for kind in ("graphs", "texts"))
        products = np.einsum("ij,ij->i", graphs, texts, dtype=np.float64).tolist()
    found = iter(products)
    return [next(found) if item.text.strip() and item.triples else 0.0 for item in items]


def _read_log(folder: Path) -> list[Mapping[str, object]]:
    path = next((folder / name for name in LOGS if (folder / name).is_file()), None)
    if path is None:
        return []
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(f"{path}: is no JSON ({error}); take it out of the folder") from None
    # A training.json tells how it was done; the log may be in it.
    lines = raw.get("log", []) if isinstance(raw, dict) else raw
    if not isinstance(lines, list) or not all(isinstance(line, dict) for line in lines):
        raise DataError(
            "is no log of training", path=path, remedy="it is a list of objects with a step each"
        )
    return lines
