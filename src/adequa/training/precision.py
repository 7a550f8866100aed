"""The precision that int8 costs: exported models against exact ones, on right and wrong texts."""

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
from adequa.perturb import Knowledge
from adequa.training.cases import Cases
from adequa.training.checkpoint import Array
from adequa.training.export import export
from adequa.training.setup import read_pairs

Run = Callable[[Mapping[str, Array]], Mapping[str, Array]]
"""A model: a function from named inputs to named outputs."""


@dataclass(frozen=True)
class Drift:
    """The agreement of two models on one kind of output: in order and in decisions."""

    cases: int
    correlation: float
    """Pearson's; 1 where both are constant and equal."""
    largest: float
    """The largest difference of one number."""
    flips: float | None
    """The share of logits on the other side of 0; None for outputs that are not logits."""


def drift(exact: Run, smaller: Run, inputs: Iterable[Mapping[str, Array]]) -> dict[str, Drift]:
    """Compare two models on batches, by the outputs that are used.

    Of an encoder `similarity`: the products of all pairs of vectors of a batch. Of a verifier
    `stated`, `unsupported`, `disfluent` and `pair`. A batch may mark where facts are read: `facts`,
    true at each [S]; without it all tokens of the graph count.
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
    """Compare the values of one output of two models."""
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


def perturbed_items(items: Iterable[Item], count: int, seed: int = 0) -> list[Item]:
    """At most `count` items with the faults of a verifier's training: every answer occurs."""
    pairs = read_pairs(list(items))
    cases = Cases(pairs, Knowledge.of(pairs), seed=seed)
    chosen = pairs[:: max(1, len(pairs) // count)][:count]
    made = [cases.case(number, pair).document for number, pair in enumerate(chosen)]
    return [Item(str(number), tuple(one.triples), one.text) for number, one in enumerate(made)]


def measure_drift(
    folder: Path, checkpoints: Sequence[Path], items: Sequence[Item]
) -> dict[str, Drift]:
    """By output: how an exported folder differs from its checkpoints in full precision."""
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
                known = np.isfinite(exactly)  # a text that is too long is so for both
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
