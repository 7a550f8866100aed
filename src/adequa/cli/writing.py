"""Where a command's results go: to stdout, to a file, into a folder of pictures."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

__all__ = ["Out", "TableForm", "draw_pictures", "write_or_echo"]

Out = Annotated[
    Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write there, not to stdout.")
]
TableForm = Annotated[str, typer.Option(metavar="NAME", help="text, markdown, latex or csv.")]


def write_or_echo(written: str, out: Path | None) -> None:
    """The results to a file, or to stdout where none is named."""
    from adequa.errors import DataError

    if out is None:
        typer.echo(written)
        return
    try:
        out.write_text(written + "\n", encoding="utf-8", newline="\n")
    except OSError as error:
        raise DataError(
            f"cannot be written ({error.strerror})", path=out, remedy="name another file"
        ) from None


def draw_pictures(pictures: Mapping[str, str], folder: Path) -> None:
    """Each picture as SVG, and as PNG where that can be rendered; says on stderr where they are."""
    from adequa.errors import DataError, MissingExtra
    from adequa.pictures.saving import save_picture

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(
            f"cannot be made ({error.strerror})", path=folder, remedy="name another folder"
        ) from None
    missing: MissingExtra | None = None
    for name, svg in pictures.items():
        save_picture(svg, folder / f"{name}.svg")
        try:
            save_picture(svg, folder / f"{name}.png")
        except MissingExtra as error:
            missing = error
    if missing is not None:
        typer.echo(f"SVG only: {missing}", err=True)
    typer.echo(f"{len(pictures)} pictures in {folder}", err=True)
