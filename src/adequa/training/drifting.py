"""What int8 costs: exported models against exact ones, on texts that are right and wrong."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from adequa.data import Item
from adequa.models.encoder import load_encoder
from adequa.models.verifier import Checked, load_verifier
from adequa.training.cases import Cases
from adequa.training.export import export
from adequa.training.exporting.drift import Drift, compare
from adequa.training.material import Knowledge, pairs_of

__all__ = ["measure_drift", "spoilt_items"]


def spoilt_items(items: Iterable[Item], count: int, seed: int = 0) -> list[Item]:
    """Items with the faults a verifier is trained on, so that every answer occurs."""
    pairs = pairs_of(items)
    cases = Cases(pairs, Knowledge([pair.triples for pair in pairs]), seed=seed)
    chosen = pairs[:: max(1, len(pairs) // count)][:count]
    drafts = [cases.case(number, pair).draft for number, pair in enumerate(chosen)]
    return [
        Item(str(number), tuple(draft.triples), draft.text) for number, draft in enumerate(drafts)
    ]


def measure_drift(
    folder: Path, checkpoints: Sequence[Path], items: Sequence[Item]
) -> dict[str, Drift]:
    """By output: how an exported folder differs from its checkpoints written exactly."""
    with tempfile.TemporaryDirectory() as place:
        exact = Path(place) / "exact"
        export(*checkpoints, out=exact, precision="fp32")
        found: dict[str, Drift] = {}
        if (exact / "encoder.onnx").is_file():
            found["similarity"] = compare(
                "similarity", *(_cosines(one, items) for one in (exact, folder))
            )
        if (exact / "verifier.onnx").is_file():
            before, after = (load_verifier(str(one)).verify(items) for one in (exact, folder))
            for name in ("stated", "unsupported", "disfluent", "supported"):
                exactly, smaller = _logits(before, name), _logits(after, name)
                known = np.isfinite(exactly)  # what is too long is so for both
                found[name] = compare(name, exactly[known], smaller[known])
    return found


def _cosines(folder: Path, items: Sequence[Item]) -> np.ndarray:
    encoder = load_encoder(str(folder))
    texts = encoder.encode([item.text for item in items])
    graphs = encoder.encode_graphs([(item.triples, item.terms) for item in items])
    return np.asarray((texts * graphs).sum(axis=1), dtype=np.float64)


def _logits(checks: Sequence[Checked], name: str) -> np.ndarray:
    """All answers of one kind, in the order of the items."""
    values: list[float | None] = []
    for check in checks:
        own = getattr(check, name)
        values += own if isinstance(own, tuple) else [own]
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
