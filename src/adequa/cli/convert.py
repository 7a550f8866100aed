"""`adequa convert`: any known format into the Item contract."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from adequa.cli.options import Format, Input, Texts, echo, echo_written, option


def convert(
    source: Input,
    texts: Texts = None,
    format: Format = None,  # noqa: A002
    out: Annotated[
        Path | None,
        option(
            "FILE",
            "A .jsonl, .csv, .tsv or .parquet file; JSON lines to stdout by default.",
            "--out",
            "-o",
        ),
    ] = None,
) -> None:
    """Write any known format as plain items.

    Shows the items as adequa reads them, in the Item contract.

    Example: adequa convert test.xml --texts T5=t5.txt --out items.jsonl
    """
    from adequa.codec import item_to_object
    from adequa.files import dump_line
    from adequa.readers import open_source

    opened = open_source(source, format=format, texts=texts or ())
    if out is None:
        for item in opened:
            echo(dump_line(item_to_object(item)), nl=False)
        return
    from adequa.readers import write_items

    write_items(opened, out)
    echo_written(out)
