"""The items to index, and the graphs and texts to measure recall on, from any known format."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path

from adequa.codec import item_from_object
from adequa.data import Item
from adequa.errors import DataError
from adequa.files import lines, load_object
from adequa.readers import PlacedItem, Source, open_source, unique
from adequa.readers.formats import files_of
from adequa.retrieval.encoders import Kind

_TEXTS = ".txt"
_FIELDS = {field.name for field in fields(Item)}
_SEVERAL_TEXTS = {"webnlg", "enriched", "e2e"}
"""Formats in which a graph has several texts, each of them an item."""


def read_documents(path: Path | str, of: Kind, *, format: str | None = None) -> Iterator[Item]:  # noqa: A002
    """The items to index: every text, or every distinct graph.

    Texts need no triples: a `.txt` file has one text per line, and a JSONL file may leave the
    triples out. Graphs need no texts.
    """
    path = Path(path)
    if of == "texts" and format is None and path.suffix.lower() == _TEXTS:
        return _text_lines(path)
    if of == "texts" and format is None and _has_texts_alone(path):
        return (place.item for place in unique(_texts_of_jsonl(path)))
    source = open_source(path, format=format)
    if of == "graphs":
        return (place.item for place in unique(_graphs(source)))
    return iter(source)


def read_entries(path: Path | str, *, format: str | None = None) -> list[Item]:  # noqa: A002
    """Pairs of a graph and a text to measure recall on.

    In a format with several texts per graph (WebNLG, E2E) an entry is a graph with its first
    non-empty text; in other formats every item is an entry. Entries without a text are left out,
    since they cannot be found.
    """
    source = open_source(path, format=format)
    first = next(iter(source))
    if source.format in _SEVERAL_TEXTS and first.system == "reference":
        graphs = (place.item for place in unique(_graphs(source)))
        entries = [
            replace(item, text=text, references=())
            for item in graphs
            if (text := next(filter(str.strip, item.references), ""))
        ]
    else:
        entries = [item for item in source if item.text.strip()]
    if not entries:
        raise DataError("has no texts", path=path, remedy="is it the right input?")
    return entries


def _graphs(source: Source) -> Iterator[PlacedItem]:
    if source.path.is_file() or source.reader.takes_folders:
        return source.reader.read(source.path, bare=True)
    files = files_of(source.path, source.format)
    return itertools.chain.from_iterable(source.reader.read(file, bare=True) for file in files)


def _text_lines(path: Path) -> Iterator[Item]:
    for number, line in lines(path):
        if line.strip():
            yield Item(str(number), (), line)


def _has_texts_alone(path: Path) -> bool:
    """Whether the first line of a JSONL file is an item without triples."""
    if path.suffix.lower() != ".jsonl" or not path.is_file():
        return False
    try:
        raw = load_object(next((line for _, line in lines(path) if line.strip()), ""))
    except DataError:  # the reader of the format reports it
        return False
    return isinstance(raw, dict) and "text" in raw and raw.keys() <= _FIELDS - {"triples"}


def _texts_of_jsonl(path: Path) -> Iterator[PlacedItem]:
    for number, line in lines(path):
        if line.strip():
            try:
                yield PlacedItem(_text_item(load_object(line)), path, number)
            except DataError as error:
                raise error.at(path, number) from None


def _text_item(raw: object) -> Item:
    if isinstance(raw, dict) and "triples" not in raw:
        # The contract requires triples, so it is validated with a placeholder.
        return replace(item_from_object({**raw, "triples": [["–", "–", "–"]]}), triples=())
    return item_from_object(raw)
