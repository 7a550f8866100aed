"""Files in, items out: one module per family of formats, found by name or by content."""

from adequa.readers.base import PlacedItem, Reader
from adequa.readers.formats import TABLE, Source, load_reader, open_source, reader_class

__all__ = ["TABLE", "PlacedItem", "Reader", "Source", "load_reader", "open_source", "reader_class"]
