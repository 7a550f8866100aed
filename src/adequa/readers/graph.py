"""One graph as somebody gives it: a file, a string of triples, or something pasted into a page."""

from __future__ import annotations

import re
import tempfile
from itertools import islice
from pathlib import Path

from adequa.codec import item_from_object, load_object
from adequa.data import Item
from adequa.errors import DataError
from adequa.readers.formats import open_source
from adequa.text.linearised import parse_triples

_SEVERAL = "one text is checked; a corpus is scored: adequa score INPUT --out RUN"
_TURTLE = re.compile(
    r"@prefix\s|@base\s|prefix\s+\S*:\s*<|base\s*<|<[^\s<>|]*>\s+(<|a\s|[\w-]*:)|_:\w+\s",
    re.IGNORECASE,
)
"""How Turtle, TriG and N-Triples begin; linearised `<S> Alba <P> …` does not."""
_COMMENTS = re.compile(r"(\s*#[^\n]*\n)+")


def parse_graph(written: str) -> Item:
    """The one graph of a string in a linearised form, as an item without its text."""
    triples = parse_triples(written)
    lines = [line for line in written.splitlines() if line.strip()]
    if len(lines) > 1 and any(_count(line) > 1 for line in lines):
        raise DataError("holds several graphs, one a line", remedy=_SEVERAL)
    return Item("1", triples, "")


def _count(line: str) -> int:
    """How many triples a line has on its own; 0 where it is part of something longer."""
    try:
        return len(parse_triples(line))
    except DataError:
        return 0


def read_one(path: Path, format_: str | None = None) -> Item:
    """The one graph of a file, as an item without its text; several are an error."""
    source = open_source(path, format=format_)
    placed = list(islice(source.reader.read(path, bare=True), 2))
    if not placed:
        raise DataError("holds no items", path=path, remedy="is it the right file?")
    if len(placed) > 1:
        raise DataError(f"holds several items ({source.format})", path=path, remedy=_SEVERAL)
    return placed[0].item


def read_pasted(written: str) -> Item:
    """The one graph of a string in any form: linearised, JSON, Turtle, N-Triples, JSON-LD or XML.

    >>> read_pasted('<http://e.org/Alba> <http://e.org/port> "Oban" .').triples[0].object
    'Oban'
    """
    suffix = _suffix(_COMMENTS.sub("", written, count=1).strip())
    if suffix is None:
        return parse_graph(written)
    if suffix == ".json":
        raw = load_object(written)
        if "triples" in raw:
            return item_from_object({"id": "1", "text": "", **raw})
    with tempfile.TemporaryDirectory(prefix="adequa-pasted-") as folder:
        path = Path(folder) / f"pasted{suffix}"
        path.write_text(written, encoding="utf-8")
        try:
            return read_one(path)
        except DataError as error:
            # Nobody knows the file: the place is the line of what was pasted.
            raise DataError(error.problem, line=error.line, remedy=error.remedy) from None


def _suffix(start: str) -> str | None:
    """The ending of a file that would hold this; None where it is linearised."""
    if start.startswith(("{", "[")) and re.search(r'"@(id|context|graph)"\s*:', start):
        return ".jsonld"
    if start.startswith("{"):
        return ".json"
    if re.match(r"<\?xml|<!|<rdf:|<benchmark", start):
        return ".xml"
    return ".trig" if _TURTLE.match(start) else None
