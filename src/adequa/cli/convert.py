"""`adequa convert`: any known format into the Item contract; `adequa formats`: what is known."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from adequa.cli import options
from adequa.cli.options import (
    Format,
    Json,
    Texts,
    argument,
    echo_json,
    echo_table,
    echo_written,
    flag,
    option,
)

if TYPE_CHECKING:
    from adequa.readers import Source
    from adequa.readers.explanation import FieldUse


def convert(
    source: Annotated[
        Path, argument("INPUT", "A file or a folder in any known format, or - for stdin.")
    ],
    texts: Texts = None,
    format: Format = None,  # noqa: A002
    coverage: options.Coverage = None,
    out: Annotated[
        Path | None,
        option(
            "FILE",
            "A .jsonl, .csv, .tsv or .parquet file; JSON lines to stdout by default.",
            "--out",
            "-o",
        ),
    ] = None,
    explain: Annotated[
        bool, flag("--explain", "Show which fields of records are facts, and why others are not.")
    ] = False,
    as_json: Annotated[bool, flag("--json", "Print the explanation as JSON.")] = False,
    quiet: options.Quiet = False,
) -> None:
    """Write any known format as plain items.

    Shows the items as adequa reads them: JSON lines with id, triples, text and what else is known.
    For records (tables, JSON, logs and chats), --explain shows what each field becomes instead.

    Example: adequa convert test.xml --texts T5=t5.txt --out items.jsonl

    Example: adequa convert products.csv --explain
    """
    from adequa.cli.options import source_path
    from adequa.codec import item_to_object
    from adequa.files import dump_line
    from adequa.readers import open_source

    if as_json and not explain:
        raise typer.BadParameter("--json goes with --explain; items are JSON lines anyway")
    with source_path(source) as path:
        opened = open_source(path, format=format, texts=texts or (), coverage=coverage)
        if explain:
            _show(opened, as_json=as_json)
            return
        options.echo_reading(opened, source, quiet=quiet)
        if out is None:
            for item in opened:
                options.echo(dump_line(item_to_object(item)), nl=False)
            return
        from adequa.readers import write_items

        write_items(opened, out)
    echo_written(out)


def _show(opened: Source, *, as_json: bool) -> None:
    from dataclasses import asdict

    from adequa.errors import DataError
    from adequa.readers.explanation import explain

    has_texts = True
    try:
        found = explain(opened)
    except DataError:
        # Of data without texts, which come later with --texts; any other error comes again.
        has_texts, found = False, explain(opened, bare=True)
    if found is None:
        problem = f"has no records, but items ({opened.format})"
        raise DataError(problem, path=opened.path, remedy="--explain is for tables, JSON and logs")
    if as_json:
        options.echo_json(asdict(found))
        return
    options.echo(f"{found.records} record{'' if found.records == 1 else 's'} looked at")
    options.echo(found.line() + "\n")
    rows = [_row(one) for one in sorted(found.fields, key=_is_left_out)]
    options.echo_table(["field", "becomes", "records", "examples"], rows)
    options.echo(
        "\nchange it: --format records:key=FIELD (the name), text=FIELD, keep=FIELD+FIELD, "
        "ignore=FIELD"
    )
    if not has_texts:
        options.echo("no text was found: name its column with text=FIELD, or give --texts")


def _is_left_out(one: FieldUse) -> bool:
    return one.role == "left out"


_BECOMES = {"thing": "a thing: ", "row": "a row of: ", "left out": "left out: ", "name": ""}


def _row(one: FieldUse) -> list[str]:
    return [
        one.path,
        _BECOMES.get(one.role, "fact: ") + one.detail,
        str(one.count),
        " · ".join(one.examples),
    ]


def formats(as_json: Json = False) -> None:
    """List the input formats and their options."""
    from adequa.readers import SPAN_FORMATS, format_names

    entries = [_describe(name) for name in format_names()]
    if as_json:
        echo_json(entries)
        return
    rows = [[entry["name"], " ".join(entry["endings"]), entry["doc"]] for entry in entries]
    echo_table(["format", "endings", "description"], rows, "Formats")
    rows = [
        [f"{entry['name']}:{option['name']}", option["type"], option["default"], option["doc"]]
        for entry in entries
        for option in entry["options"]
    ]
    echo_table(["option", "type", "default", "meaning"], rows, "Options", gap=True)
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
