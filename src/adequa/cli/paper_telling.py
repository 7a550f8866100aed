"""How every `adequa paper` command prints what it found."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import typer

from adequa.cli.options import echo_json

__all__ = ["tell", "tell_section"]


class Told(Protocol):
    """A paper told again, or a section of one."""

    def text(self) -> str:
        """For a terminal."""

    def as_object(self) -> dict[str, object]:
        """For `--json`."""


def tell(reproduction: Told, written: Sequence[Path], *, as_json: bool) -> None:
    """The paper, and what was written of it."""
    if as_json:
        echo_json({**reproduction.as_object(), "written": [str(path) for path in written]})
        return
    typer.echo(reproduction.text())
    for path in written:
        typer.echo(f"written: {path}")


def tell_section(section: Told, *, as_json: bool) -> None:
    """A section alone."""
    if as_json:
        echo_json(section.as_object())
    else:
        typer.echo(section.text())
