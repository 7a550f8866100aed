"""The models of paper 003: an encoder, scores of pairs, and the log of training.

The rest of the reproduction only sees `Model`, so tests pass plain functions.
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
"""From items to one value per item for each available part of `PARTS`."""

PARTS = {"bi": "bi-encoder", "cross": "cross-encoder (verifier)", "similarity": "similarity"}
"""The three scores of the paper, and their names in tables."""

LOGS = ("log.json", "training.json")
"""The names of training logs in a folder of weights."""

_ENCODER = "encoder.onnx"
_NEEDED = {
    _ENCODER: "encoder",
    "verifier.onnx": "verifier",
    "calibration.json": "calibration; adequa train blend makes it",
}


@dataclass(frozen=True)
class Model:
    """One set of weights; `absent` has the reasons for parts without scores."""

    name: str
    signature: str
    encoder: Encoder | None = None
    scores: PairScores | None = None
    log: Sequence[Mapping[str, object]] = ()
    absent: Mapping[str, str] = field(default_factory=dict)

    def parts(self, items: Sequence[Item]) -> dict[str, Values]:
        """The values of the available parts."""
        if self.scores is not None:
            found = self.scores(items)
            return {part: list(found[part]) for part in PARTS if part in found}
        return {} if self.encoder is None else {"bi": cosines(self.encoder, items)}

    def reason(self, part: str) -> str:
        """The reason why a part has no scores."""
        return self.absent.get(part, "it gave no score")


def load_model(name: str, where: str) -> Model:
    """The weights of a version, of a folder that `adequa export` wrote, or `hub:MODEL`.

    The scores are those of the metric `similarity`; without verifier or calibration, cosines.
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
    """The cosine of text and graph of each item; 0 for an empty text."""
    filled = [item for item in items if item.text.strip() and item.triples]
    products: list[float] = []
    if filled:
        graphs, texts = (encode_items(encoder, filled, kind) for kind in ("graphs", "texts"))
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
        raise ModelError(f"{path}: is not JSON ({error}); remove it from the folder") from None
    # A training.json describes a training and may contain the log.
    lines = raw.get("log", []) if isinstance(raw, dict) else raw
    if not isinstance(lines, list) or not all(isinstance(line, dict) for line in lines):
        raise DataError(
            "is not a training log", path=path, remedy="a log is a list of objects with a step each"
        )
    return lines
