"""Other names of entities: a user's dictionary, or a file built from DBpedia and Wikidata dumps."""

from __future__ import annotations

from pathlib import Path

from adequa.aliases.base import Aliases
from adequa.errors import DataError

__all__ = ["LIMIT", "Aliases", "open_aliases"]

LIMIT = 50
"""The most aliases an entity gets from a built file: the last ones are the worst."""

_MAGIC = b"SQLite format 3\0"
_BUILT = (".sqlite", ".sqlite3", ".db")
_DUMPS = (".nt", ".nq", ".ttl", ".gz", ".bz2", ".xz", ".zst")


def open_aliases(path: Path | str, *, limit: int = LIMIT) -> Aliases:
    """The aliases of a file: SQLite by its first bytes, JSON and TSV by its ending."""
    from adequa.readers.base import open_bytes

    path = Path(path)
    suffix = path.suffix.lower()
    if suffix in _DUMPS:
        raise DataError(
            f"has the ending of a dump ({suffix})",
            path=path,
            remedy="build aliases of it first: adequa aliases build DUMP --out aliases.sqlite",
        )
    with open_bytes(path) as stream:
        built = stream.read(len(_MAGIC)) == _MAGIC
    if built:
        from adequa.aliases.store import Store

        return Store(path, limit=limit)
    if suffix in _BUILT:
        raise DataError(
            "is not an SQLite file",
            path=path,
            remedy="build it again: adequa aliases build DUMP --out FILE",
        )
    if suffix in (".tsv", ".txt"):
        from adequa.aliases.dictionary import read_tsv

        return read_tsv(path)
    if suffix == ".json":
        from adequa.aliases.dictionary import read_json

        return read_json(path)
    raise DataError(
        f"has an ending ({suffix or 'none'}) that says no form of aliases",
        path=path,
        remedy="name it .tsv, .json, or .sqlite for what `adequa aliases build` writes",
    )
