"""`adequa export`: trained checkpoints into ONNX files that metrics can use."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from adequa.cli.options import Json, argument, echo_json, echo_table, echo_written, flag, option

if TYPE_CHECKING:
    from adequa.training.export import Drift

DRIFT_ITEMS = 500
"""Items on which drift is measured; no record of why there are 500."""


def export(
    checkpoint: Annotated[
        Path | None, argument("CHECKPOINT", "The checkpoint of an encoder or a verifier.")
    ] = None,
    out: Annotated[
        Path | None, option("DIR", "The folder to write.", "--out", "-o", show_default=False)
    ] = None,
    encoder: Annotated[Path | None, option("DIR", "The checkpoint of an encoder.")] = None,
    verifier: Annotated[Path | None, option("DIR", "The checkpoint of a verifier.")] = None,
    precision: Annotated[str, option("NAME", "int8, or fp32 for full precision.")] = "int8",
    keep: Annotated[
        list[str] | None,
        option("LAYER", "A linear layer to keep in fp32, such as 0.qkv or *.down. Repeatable."),
    ] = None,
    version: Annotated[str | None, option("NAME", "The version; default: the name of DIR.")] = None,
    drift: Annotated[
        Path | None,
        option(
            "DEV", "Measure on these items, original and perturbed, how int8 differs from fp32."
        ),
    ] = None,
    force: Annotated[bool, flag("--force", "Replace an existing model.")] = False,
    as_json: Json = False,
) -> None:
    """Write trained models as ONNX files.

    Takes an encoder, a verifier or both (they share one word embedding table) and writes them with
    model cards and a manifest. Needs the extra train.

    Example: adequa export --encoder runs/encoder --verifier runs/verifier --out weights/v1
    """
    from adequa.errors import ModelError, SettingError
    from adequa.training import export as models
    from adequa.training.onnx import read_checkpoint

    if out is None:
        raise SettingError("no output folder; give --out DIR")
    for name, path in (("encoder", encoder), ("verifier", verifier)):
        if path is not None and (kind := read_checkpoint(path).kind) != name:
            raise ModelError(f"{path}: is a checkpoint of kind {kind}; give it as --{kind}")
    given = [path for path in (checkpoint, encoder, verifier) if path is not None]
    exported = models.export(
        *given, out=out, precision=precision, keep=keep or (), version=version, force=force
    )
    files = exported.manifest["files"]
    drifts = _drifts(out, given, drift)
    if as_json:
        result = {"out": str(out), "version": exported.manifest["version"], "files": files}
        if drifts:
            result["drift"] = {name: asdict(one) for name, one in drifts.items()}
        echo_json(result)
        return
    rows = [[name, f"{file['size']:,}", file["sha256"][:12]] for name, file in files.items()]
    rows.append(["total", f"{exported.size:,}", ""])
    title = f"version {exported.manifest['version']}"
    echo_table(["file", "bytes", "sha256"], rows, title)
    if drifts:
        drift_rows = [
            [name, f"{one.cases:,}", one.correlation, one.largest, one.flips]
            for name, one in drifts.items()
        ]
        columns = ["", "cases", "correlation", "largest difference", "flips"]
        echo_table(columns, drift_rows, "int8 compared with fp32", gap=True)
    echo_written(out)


def _drifts(out: Path, given: list[Path], dev: Path | None) -> dict[str, Drift]:
    if dev is None:
        return {}
    from adequa.readers import open_source
    from adequa.training.export import measure_drift, perturbed_items

    return measure_drift(out, given, perturbed_items(open_source(dev), DRIFT_ITEMS))
