"""`adequa formats`: the input formats and their options."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from adequa.cli.options import Json, echo_json, echo_table


def formats(as_json: Json = False) -> None:
    """List the input formats and their options."""
    from adequa.readers import SPAN_FORMATS, format_names

    entries = [_describe(name) for name in format_names()]
    if as_json:
        echo_json(entries)
        return
    rows = [[entry["name"], " ".join(entry["endings"]), entry["doc"]] for entry in entries]
    echo_table(["format", "endings", "description"], rows, "Formats")
    options = [
        [f"{entry['name']}:{option['name']}", option["type"], option["default"], option["doc"]]
        for entry in entries
        for option in entry["options"]
    ]
    echo_table(["option", "type", "default", "meaning"], options, "Options", gap=True)
    marked = [[name, doc] for name, doc in SPAN_FORMATS.items()]
    echo_table(["format", "description"], marked, "Error spans, for adequa spans", gap=True)


def _describe(name: str) -> dict[str, Any]:
    from adequa.readers import SUFFIXES, reader_class
    from adequa.settings import settings_of

    reader = reader_class(name)
    return {
        "name": name,
        "doc": reader.doc,
        "endings": sorted(ending for ending, known in SUFFIXES.items() if known == name),
        "options": [asdict(setting) for setting in settings_of(reader)],
    }
