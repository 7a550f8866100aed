"""The export of checkpoints into a folder of weights: ONNX files, cards and a manifest.

`measure_drift` compares the outputs of an int8 export with those in full precision.
"""

from __future__ import annotations

import importlib
import io
import json
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from adequa.data import Item
from adequa.errors import DataError, ModelError, SettingError
from adequa.files import replacing, write_errors
from adequa.models import VerifierOutput, load_encoder, load_verifier
from adequa.models.relations import PLACEHOLDERS
from adequa.models.wordpiece import MARKERS
from adequa.perturb import Knowledge
from adequa.settings import file_hash
from adequa.training.onnx import (
    CONFIG,
    HEADS,
    READERS,
    TRAINING,
    VOCABULARY,
    WEIGHTS,
    WORDS,
    Array,
    Checkpoint,
    build_encoder,
    build_verifier,
    kept_layers,
    load_onnx,
    quantise_rows,
    read_checkpoint,
)
from adequa.training.setup import read_pairs
from adequa.training.verifier import Cases

# Model cards

_USE = {
    "encoder": "Turns a graph or a text into a vector; the product of two vectors says how much "
    "they say the same.",
    "verifier": "Reads a text and a graph together: which triples the text states, which of its "
    "words the graph does not support, which are not fluent, and whether the graph supports the "
    "whole text.",
}
_USE["relations"] = (
    "Reads a text and one fact, with placeholders for all names: whether the words between the "
    "fact's ends state its relation."
)
_USE["records"] = (
    "Reads a sentence of a text about a record and one fact, with placeholders for the names and "
    "numbers that both have: whether the sentence contradicts the fact, and which words do."
)
_SECTIONS = ("base", "licence", "data", "recipe", "seed", "commit", "figures", "limits")
_NOT_STATED = "not stated"


def card_fields(checkpoint: Checkpoint, precision: str, kept: tuple[str, ...]) -> dict[str, Any]:
    """The card as data: the training record, and how the model was exported."""
    known = {name: checkpoint.training.get(name, _NOT_STATED) for name in _SECTIONS}
    more = {name: value for name, value in checkpoint.training.items() if name not in known}
    return {
        "kind": checkpoint.kind,
        "use": _USE[checkpoint.kind],
        "layers": checkpoint.layers,
        "hidden": checkpoint.hidden,
        "precision": precision,
        "kept": list(kept),
        **known,
        **more,
    }


def render_card(version: str, fields: Mapping[str, Any]) -> str:
    """The card as a page of Markdown.

    >>> print(render_card("v1", {"kind": "encoder", "use": "Compares.", "seed": 7}))
    # encoder v1
    <BLANKLINE>
    Compares.
    <BLANKLINE>
    ## Seed
    <BLANKLINE>
    7
    <BLANKLINE>
    """
    lines = [f"# {fields['kind']} {version}", "", str(fields["use"]), ""]
    small = {
        name: fields[name] for name in ("layers", "hidden", "precision", "kept") if fields.get(name)
    }
    if small:
        lines += ["## Form", "", *_lines(small), ""]
    for name, value in fields.items():
        if name not in ("kind", "use", *small, "kept"):
            lines += [f"## {_title(name)}", "", *_lines(value), ""]
    return "\n".join(lines)


def _title(name: str) -> str:
    words = name.replace("_", " ")
    return words[:1].upper() + words[1:]


def _lines(value: Any, depth: int = 0) -> list[str]:
    """Any JSON as lists within lists; an object in a list is one line."""
    margin = "  " * depth
    if isinstance(value, Mapping):
        pairs = [(f"{margin}- {name}:", inner) for name, inner in value.items()]
    elif isinstance(value, list) and value:
        pairs = [(f"{margin}-", inner) for inner in value]
    else:
        return [f"{margin}{_plain(value)}"]
    lines: list[str] = []
    for head, inner in pairs:
        if head.endswith("-") and isinstance(inner, Mapping) and inner:
            fields = "; ".join(f"{name}: {_plain(one)}" for name, one in inner.items())
            lines.append(f"{head} {fields}")
        elif isinstance(inner, (Mapping, list)) and inner:
            lines += [head, *_lines(inner, depth + 1)]
        else:
            lines.append(f"{head} {_plain(inner)}")
    return lines


def _plain(value: Any) -> str:
    if value is None or value in ([], {}):
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.6g}" if isinstance(value, float) else " ".join(str(value).split())


# The folder of a version of weights

MANIFEST = "manifest.json"
_FORMAT = 1


def word_table(table: Array) -> bytes:
    """The content of `words.npz`: a row of int8 and a scale for each word."""
    rows, scales = quantise_rows(table)
    stream = io.BytesIO()
    np.savez_compressed(stream, rows=rows, scales=scales)
    return stream.getvalue()


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a folder; empty where there is none yet."""
    path = folder / MANIFEST
    if not path.exists():
        return {}
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(f"{path}: cannot be read ({error})") from None
    if not (isinstance(read, dict) and isinstance(read.get("models"), dict)):
        raise ModelError(f"{path}: is not a manifest of weights")
    return read


def write_files(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files, each completely or not at all."""
    with write_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            with replacing(folder / name) as stream:
                stream.write(content)


def seal(
    folder: Path, *, version: str | None = None, models: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Write the manifest of all files in the folder, and return it.

    Call it again after adding a file such as `calibration.json`: version and cards stay unless
    given.
    """
    before = read_manifest(folder)
    names = sorted(
        path.name
        for path in folder.iterdir()
        if path.is_file() and path.name != MANIFEST and not path.name.startswith(".")
    )
    manifest = {
        "format": _FORMAT,
        "version": version or before.get("version") or folder.absolute().name,
        "files": {
            name: {"sha256": file_hash(folder / name), "size": (folder / name).stat().st_size}
            for name in names
        },
        "models": {**before.get("models", {}), **(models or {})},
    }
    text = json.dumps(manifest, ensure_ascii=False, indent=2)
    write_files(folder, {MANIFEST: f"{text}\n".encode()})
    return manifest


_BUILDERS = {"encoder": build_encoder, "verifier": build_verifier} | dict.fromkeys(
    READERS, build_verifier
)
_SHARED = ("words.npz", "vocabulary.txt")
_ROUNDED = 0.01
"""How far a word vector may differ from itself after it was rounded to 8 bits."""


@dataclass(frozen=True)
class ExportResult:
    """The exported folder and its manifest."""

    folder: Path
    manifest: dict[str, Any]

    @property
    def size(self) -> int:
        """Bytes of all files in the manifest."""
        return sum(file["size"] for file in self.manifest["files"].values())


def export(
    *checkpoints: Path | str,
    out: Path | str,
    precision: str = "int8",
    keep: Sequence[str] = (),
    version: str | None = None,
    force: bool = False,
) -> ExportResult:
    """Write an encoder, a verifier or both, with the word table they share, cards and manifest.

    `keep` names linear layers that stay exact (`0.qkv`, `*.down`). The version is the folder's name
    unless given. A folder may get its second model later, if both have the same words.
    """
    folder = Path(out)
    if not checkpoints:
        raise SettingError("there is nothing to export: give a checkpoint")
    if folder.exists() and not folder.is_dir():
        raise DataError("is a file", path=folder, remedy="give a folder")
    read: dict[str, Checkpoint] = {}
    for path in checkpoints:
        checkpoint = read_checkpoint(Path(path))
        if checkpoint.kind in read:
            raise ModelError(f"{path}: is a second {checkpoint.kind}; give one of each kind")
        read[checkpoint.kind] = checkpoint
    _require_same_words(list(read.values()))
    one = next(iter(read.values()))
    table = _with_placeholders(folder, read)
    shared = dict(zip(_SHARED, (word_table(table), one.vocabulary), strict=True))
    _require_room(folder, read, shared, force=force)
    label = version or folder.absolute().name
    files = dict(shared)
    models = {}
    for kind, checkpoint in read.items():
        files[f"{kind}.onnx"] = _BUILDERS[kind](checkpoint, precision, keep)
        kept = tuple(sorted(kept_layers(checkpoint, keep))) if precision == "int8" else ()
        models[kind] = card_fields(checkpoint, precision, kept)
        files[f"{kind}.md"] = render_card(label, models[kind]).encode()
    write_files(folder, files)
    return ExportResult(folder, seal(folder, version=label, models=models))


def _with_placeholders(folder: Path, read: Mapping[str, Checkpoint]) -> Array:
    """The word table that all models share, with the placeholders of the readers.

    No other model has them among its words, so they may be added to models that are there already.
    """
    table: Array = next(iter(read.values()))[WORDS]
    reader = next((read[kind] for kind in READERS if kind in read), None)
    if reader is None:
        return table
    words = reader.vocabulary.decode().splitlines()
    own = [words.index(word) for word in PLACEHOLDERS]
    there = folder / _SHARED[0]
    before = read_manifest(folder).get("models", {})
    if len(read) == 1 and there.is_file() and before:
        with np.load(there) as content:
            table = content["rows"] * content["scales"][:, None]
        others = {*READERS} & {*before} - {*read}
        if others and not np.allclose(table[own], reader[WORDS][own], atol=_ROUNDED):
            raise ModelError(
                f"{reader.folder}: has other placeholders than the {min(others)} in {folder}; "
                "train one from the other"
            )
    table = table.copy()
    table[own] = reader[WORDS][own]
    return table


def _require_same_words(checkpoints: Sequence[Checkpoint]) -> None:
    """Refuse models with different word tables: they share one, so training must not change it."""
    first = checkpoints[0]
    for other in checkpoints[1:]:
        if other.vocabulary != first.vocabulary:
            raise ModelError(f"{other.folder}: has another vocabulary than {first.folder}")
        changed = int(_different(first, other).sum())
        if changed:
            raise ModelError(
                f"{other.folder}: has other vectors than {first.folder} for {changed:,} words; "
                "train both with frozen word vectors"
            )


def _different(one: Checkpoint, other: Checkpoint) -> Array:
    """Which words have different vectors; placeholders and role markers are of one model each."""
    differs: Array = (one[WORDS] != other[WORDS]).any(axis=1)
    if not {*READERS}.isdisjoint((one.kind, other.kind)):
        words = one.vocabulary.decode().splitlines()
        differs[[words.index(word) for word in (*PLACEHOLDERS, *MARKERS)]] = False
    return differs


def _require_room(
    folder: Path, read: dict[str, Checkpoint], shared: dict[str, bytes], *, force: bool
) -> None:
    """Refuse to replace a model without `force`, or the words of a model that stays."""
    there = read_manifest(folder).get("models", {})
    for kind in read:
        if (kind in there or (folder / f"{kind}.onnx").exists()) and not force:
            raise DataError(
                f"has the {kind} already",
                path=folder,
                remedy="name another folder, or give force=True",
            )
    if not set(there) - set(read) or set(read) <= {*READERS}:
        return
    for name, content in shared.items():
        path = folder / name
        if path.is_file() and path.read_bytes() != content:
            raise DataError(
                "belongs to the model that stays, and the new one has another",
                path=path,
                remedy="export both into a new folder",
            )


_MATRICES = {
    "qkv.query": "attention.self.query",
    "qkv.key": "attention.self.key",
    "qkv.value": "attention.self.value",
    "mix": "attention.output.dense",
    "up": "intermediate.dense",
    "down": "output.dense",
}
"""The matrices of a block: their names in an exported file, and BERT's."""


def restore(folder: Path, kind: str, out: Path) -> Path:
    """Write the checkpoint of an exported model, to train it on; int8 weights stay rounded.

    The opposite of `export`: what a training of `kind` starts from where only weights that were
    exported are at hand.
    """
    onnx = load_onnx()
    manifest = read_manifest(folder)
    if kind not in manifest.get("models", {}):
        known = ", ".join(manifest.get("models", {})) or "none"
        raise ModelError(f"{folder}: has no {kind}; it has: {known}")
    card = manifest["models"][kind]
    model = onnx.load(str(folder / f"{kind}.onnx"))
    arrays = {one.name: onnx.numpy_helper.to_array(one) for one in model.graph.initializer}
    told = {
        (node.op_type, one.name): onnx.helper.get_attribute_value(one)
        for node in model.graph.node
        for one in node.attribute
    }
    vocabulary = (folder / _SHARED[1]).read_bytes()
    with np.load(folder / _SHARED[0]) as content:
        words = content["rows"].astype(np.float32) * content["scales"][:, None]
    weights = _restore_weights(arrays, int(card["layers"]))
    weights[WORDS] = words
    config = {
        "model_type": "bert",
        "hidden_act": "gelu",
        "hidden_size": int(card["hidden"]),
        "num_hidden_layers": int(card["layers"]),
        "num_attention_heads": told["MultiHeadAttention", "num_heads"],
        "intermediate_size": len(weights["encoder.layer.0.intermediate.dense.bias"]),
        "max_position_embeddings": len(weights["embeddings.position_embeddings.weight"]),
        "type_vocab_size": len(weights["embeddings.token_type_embeddings.weight"]),
        "vocab_size": len(words),
        "layer_norm_eps": told["LayerNormalization", "epsilon"],
        "pad_token_id": 0,
    }
    own = {
        name.removeprefix("head."): np.ascontiguousarray(
            array.T if name.endswith("weight") else array
        )
        for name, array in arrays.items()
        if name.startswith("head.")
    }
    save = importlib.import_module("safetensors.numpy").save
    files = {
        CONFIG: json.dumps(config, indent=2).encode(),
        WEIGHTS: save(weights, metadata={"format": "pt"}),
        VOCABULARY: vocabulary,
        TRAINING: json.dumps(card, ensure_ascii=False, indent=2).encode(),
    }
    write_files(out, files | ({HEADS: save(own)} if own else {}))
    return out


def _restore_weights(arrays: Mapping[str, Array], layers: int) -> dict[str, Array]:
    """The weights of BERT by its own names, from the constants of an exported file."""
    places = arrays["positions"]
    kinds = arrays.get("kinds", np.zeros((2, places.shape[1]), np.float32))
    weights = {name: array for name, array in arrays.items() if ".LayerNorm." in name}
    weights["embeddings.position_embeddings.weight"] = places
    weights["embeddings.token_type_embeddings.weight"] = kinds
    for layer in range(layers):
        block = f"encoder.layer.{layer}"
        for short, name in _MATRICES.items():
            matrix = arrays[f"{layer}.{short}.weight"].astype(np.float32)
            matrix = matrix * arrays.get(f"{layer}.{short}.scales", np.float32(1))
            weights[f"{block}.{name}.weight"] = np.ascontiguousarray(matrix.T)
        thirds = np.split(arrays[f"{layer}.qkv.bias"], 3)
        for name, bias in zip(("query", "key", "value"), thirds, strict=True):
            weights[f"{block}.attention.self.{name}.bias"] = np.ascontiguousarray(bias)
        weights[f"{block}.intermediate.dense.bias"] = arrays[f"{layer}.up.bias"]
        for name in ("attention.output", "output"):
            weights[f"{block}.{name}.dense.bias"] = arrays[f"{block}.{name}.bias"]
    return weights


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


def compare_outputs(name: str, before: Array, after: Array) -> Drift:
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
            found["similarity"] = compare_outputs(
                "similarity", *(_cosines(one, items) for one in (exact, folder))
            )
        if (exact / "verifier.onnx").is_file():
            before, after = (load_verifier(str(one)).verify(items) for one in (exact, folder))
            for name in ("stated", "unsupported", "disfluent", "supported"):
                exactly, smaller = _logits(before, name), _logits(after, name)
                known = np.isfinite(exactly)  # a text that is too long is so for both
                found[name] = compare_outputs(name, exactly[known], smaller[known])
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
