"""What int8 costs: exported models against exact ones, on texts that are right and wrong."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from adequa.data import Item
from adequa.errors import DataError
from adequa.models.encoder import load_encoder
from adequa.models.verifier import VerifierOutput, load_verifier
from adequa.perturb.pairs import Knowledge, pairs_of
from adequa.training.cases import Cases
from adequa.training.checkpoint import Array
from adequa.training.export import export

# ---
# How far a smaller model has drifted from the exact one, on the same inputs.
# ---

Run = Callable[[Mapping[str, Array]], Mapping[str, Array]]
"""A model: named inputs to named outputs."""


@dataclass(frozen=True)
class Drift:
    """Two models on one kind of output: do they order alike, and do they decide alike?"""

    cases: int
    correlation: float
    """Pearson's; 1 where both are constant and equal."""
    largest: float
    """The largest difference of one number."""
    flips: float | None
    """The share of logits on the other side of 0; none where an output is no logit."""


def drift(exact: Run, smaller: Run, inputs: Iterable[Mapping[str, Array]]) -> dict[str, Drift]:
    """Compare two models on batches, by what is read of them.

    Of an encoder `similarity`: the products of all pairs of vectors of a batch. Of a verifier
    `stated`, `unsupported`, `disfluent` and `pair`. A batch may say where facts are read: `facts`,
    true at each [S]; else all tokens of the graph count.
    """
    seen: dict[str, list[tuple[Array, Array]]] = {}
    for batch in inputs:
        given = {name: array for name, array in batch.items() if name != "facts"}
        before, after = _read(batch, exact(given)), _read(batch, smaller(given))
        for name, values in before.items():
            seen.setdefault(name, []).append((values, after[name]))
    if not seen:
        raise DataError("there are no inputs to compare two models on", remedy="give some batches")
    return {
        name: compare(
            name,
            np.concatenate([first for first, _ in pairs]),
            np.concatenate([second for _, second in pairs]),
        )
        for name, pairs in seen.items()
    }


def _read(batch: Mapping[str, Array], outputs: Mapping[str, Array]) -> dict[str, Array]:
    if "vector" in outputs:
        vectors = np.asarray(outputs["vector"], dtype=np.float64)
        pairs = np.triu_indices(len(vectors), k=1)
        return {"similarity": (vectors @ vectors.T)[pairs]}
    mask = np.asarray(batch["mask"], dtype=bool)
    graph = np.asarray(batch["types"]) == 1
    tokens = np.asarray(outputs["tokens"], dtype=np.float64)
    facts = np.asarray(batch.get("facts", graph), dtype=bool)
    return {
        "stated": tokens[mask & facts, 0],
        "unsupported": tokens[mask & ~graph, 1],
        "disfluent": tokens[mask & ~graph, 2],
        "pair": np.asarray(outputs["pair"], dtype=np.float64)[:, 0],
    }


def compare(name: str, before: Array, after: Array) -> Drift:
    """The numbers of one output by two models, side by side."""
    if len(before) < 2:
        raise DataError(
            f"of {name!r} there are {len(before)} values, too few for a correlation",
            remedy="give batches of several items",
        )
    spread = float(np.std(before) * np.std(after))
    together = float(np.mean((before - before.mean()) * (after - after.mean())))
    same = bool(np.array_equal(before, after))
    return Drift(
        cases=len(before),
        correlation=1.0 if same else together / spread if spread > 0 else 0.0,
        largest=float(np.abs(before - after).max()),
        flips=float(np.mean((before > 0) != (after > 0))) if name != "similarity" else None,
    )


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


def _logits(checks: Sequence[VerifierOutput], name: str) -> np.ndarray:
    """All answers of one kind, in the order of the items."""
    values: list[float | None] = []
    for check in checks:
        own = getattr(check, name)
        values += own if isinstance(own, tuple) else [own]
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
