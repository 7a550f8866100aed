"""`adequa export`: checkpoints of training into the files a package ships."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from adequa.cli.options import Json, echo_json

if TYPE_CHECKING:
    from adequa.training.precision import Drift

DRIFT_ITEMS = 500


def export(
    checkpoint: Annotated[
        Path | None,
        typer.Argument(metavar="CHECKPOINT", help="The folder of an encoder or a verifier."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="DIR", help="The folder to write.", show_default=False),
    ] = None,
    encoder: Annotated[
        Path | None, typer.Option("--encoder", metavar="DIR", help="The folder of an encoder.")
    ] = None,
    verifier: Annotated[
        Path | None, typer.Option("--verifier", metavar="DIR", help="The folder of a verifier.")
    ] = None,
    precision: Annotated[
        str, typer.Option("--precision", metavar="NAME", help="int8, or fp32 for exact weights.")
    ] = "int8",
    keep: Annotated[
        list[str] | None,
        typer.Option(
            "--keep",
            metavar="LAYER",
            help="A linear layer that stays exact, such as 0.qkv or *.down; may be repeated.",
        ),
    ] = None,
    version: Annotated[
        str | None,
        typer.Option("--version", metavar="NAME", help="The version; else the folder's name."),
    ] = None,
    drift: Annotated[
        Path | None,
        typer.Option(
            "--drift",
            metavar="DEV",
            help="Measure on these items, right and wrong, how far int8 is from exact weights.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a model that is there.")] = False,
    as_json: Json = False,
) -> None:
    """Write trained models as ONNX files.

    Takes an encoder, a verifier or both, which share one table of words, and writes them with model
    cards and a manifest. Needs the extra train.

    Example: adequa export --encoder runs/encoder --verifier runs/verifier --out weights/v1
    """
    from adequa.errors import ModelError, SettingError
    from adequa.tables import Cell, Table
    from adequa.training import export as exporting
    from adequa.training.checkpoint import read_checkpoint

    if out is None:
        raise SettingError("where to? give --out DIR")
    for name, path in (("encoder", encoder), ("verifier", verifier)):
        if path is not None and (kind := read_checkpoint(path).kind) != name:
            raise ModelError(f"{path}: is of kind {kind}; give it as --{kind}")
    given = [path for path in (checkpoint, encoder, verifier) if path is not None]
    exported = exporting.export(
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
    rows: list[list[Cell]] = [
        [name, f"{file['size']:,}", file["sha256"][:12]] for name, file in files.items()
    ]
    rows.append(["all", f"{exported.size:,}", ""])
    title = f"version {exported.manifest['version']}"
    typer.echo(Table(title, ["file", "bytes", "sha256"], rows).text())
    if drifts:
        rows = [
            [name, f"{one.cases:,}", one.correlation, one.largest, one.flips]
            for name, one in drifts.items()
        ]
        columns = ["", "cases", "correlation", "largest difference", "flips"]
        typer.echo("\n" + Table("int8 against exact weights", columns, rows).text())
    typer.echo(f"written to {out}", err=True)


def _drifts(out: Path, given: list[Path], dev: Path | None) -> dict[str, Drift]:
    if dev is None:
        return {}
    from adequa.readers import open_source
    from adequa.training.precision import measure_drift, perturbed_items

    return measure_drift(out, given, perturbed_items(open_source(dev), DRIFT_ITEMS))
