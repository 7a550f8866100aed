"""`adequa formats`: the input formats and their options."""

from __future__ import annotations

import json
from dataclasses import asdict

import typer

from adequa.cli.options import Json

__all__ = ["formats"]


def formats(as_json: Json = False) -> None:
    """List the input formats, how they are recognised, and their options."""
    from adequa.readers import TABLE, reader_class
    from adequa.readers.recognise import SUFFIXES
    from adequa.settings import settings_of
    from adequa.tables import Table

    entries = [
        {
            "name": name,
            "doc": reader_class(name).doc,
            "endings": sorted(ending for ending, format_ in SUFFIXES.items() if format_ == name),
            "options": [asdict(setting) for setting in settings_of(reader_class(name))],
        }
        for name in TABLE
    ]
    if as_json:
        typer.echo(json.dumps(entries, ensure_ascii=False, indent=2))
        return
    rows = [[str(e["name"]), " ".join(map(str, e["endings"])), str(e["doc"])] for e in entries]  # type: ignore[call-overload]
    typer.echo(Table("Formats", ["format", "endings", "what it is"], rows).text())
    options = [
        [f"{entry['name']}:{option['name']}", option["type"], option["default"], option["doc"]]
        for entry in entries
        for option in entry["options"]  # type: ignore[attr-defined]
    ]
    typer.echo("\n" + Table("Options", ["option", "type", "default", "meaning"], options).text())
