"""`adequa formats`: the input formats and their options."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import typer

from adequa.cli.options import Json, echo_json


def formats(as_json: Json = False) -> None:
    """List the input formats and their options."""
    from adequa.readers import TABLE
    from adequa.tables import Cell, Table

    entries = [_describe(name) for name in TABLE]
    if as_json:
        echo_json(entries)
        return
    rows: list[list[Cell]] = [
        [entry["name"], " ".join(entry["endings"]), entry["doc"]] for entry in entries
    ]
    typer.echo(Table("Formats", ["format", "endings", "what it is"], rows).text())
    options: list[list[Cell]] = [
        [f"{entry['name']}:{option['name']}", option["type"], option["default"], option["doc"]]
        for entry in entries
        for option in entry["options"]
    ]
    typer.echo("\n" + Table("Options", ["option", "type", "default", "meaning"], options).text())


def _describe(name: str) -> dict[str, Any]:
    from adequa.readers import reader_class
    from adequa.readers.formats import SUFFIXES
    from adequa.settings import settings_of

    reader = reader_class(name)
    return {
        "name": name,
        "doc": reader.doc,
        "endings": sorted(ending for ending, known in SUFFIXES.items() if known == name),
        "options": [asdict(setting) for setting in settings_of(reader)],
    }
