"""Readers turn files into items and ratings; one module per family of formats.

Readers that load a library (`webnlg`, `enriched`, `rdf`) are imported when they are used.
"""

from adequa.readers.base import PlacedItem, Reader, SeenKeys, place_items, unique
from adequa.readers.formats import (
    SUFFIXES,
    Source,
    format_names,
    load_reader,
    open_source,
    parse_coverage,
    parse_graph,
    read_one,
    read_pasted,
    reader_class,
    recognise,
)
from adequa.readers.ratings import read_ratings
from adequa.readers.spans import FORMATS as SPAN_FORMATS
from adequa.readers.spans import read_markings
from adequa.readers.tables import Row, read_table, write_items

__all__ = [
    "SPAN_FORMATS",
    "SUFFIXES",
    "PlacedItem",
    "Reader",
    "Row",
    "SeenKeys",
    "Source",
    "format_names",
    "load_reader",
    "open_source",
    "parse_coverage",
    "parse_graph",
    "place_items",
    "read_markings",
    "read_one",
    "read_pasted",
    "read_ratings",
    "read_table",
    "reader_class",
    "recognise",
    "unique",
    "write_items",
]
