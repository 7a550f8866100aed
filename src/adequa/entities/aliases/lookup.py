"""Other names of entities: a user's dictionary, or a file built from DBpedia and Wikidata dumps."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import closing
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any

from adequa.caches import MEGABYTE, Cache
from adequa.errors import DataError, SettingError


class Aliases(ABC):
    """Other names of entities, looked up one entity at a time."""

    @abstractmethod
    def of(self, entity: str) -> tuple[str, ...]:
        """The aliases of an entity without its own name, the best first, distinct in any case."""

    @abstractmethod
    def content_hash(self) -> str:
        """Twelve hexadecimal digits that change with any alias, for the signature of a metric."""


def tidy(text: str) -> str:
    """A text in composed Unicode with single spaces, stripped."""
    text = " ".join(text.split())
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def name_of(entity: str) -> str:
    """An entity's string as a name.

    >>> name_of("Aarhus_Airport"), name_of(" Aarhus  Airport")
    ('Aarhus Airport', 'Aarhus Airport')
    """
    return tidy(entity.replace("_", " "))


def distinct(texts: Iterable[str], *, but: str, limit: int | None = None) -> tuple[str, ...]:
    """The texts without the entity `but` and without those that differ in case only."""
    found: dict[str, str] = {}
    itself = name_of(but).casefold()
    for text in texts:
        if limit is not None and len(found) >= limit:
            break
        key = name_of(text).casefold()
        if key != itself:
            found.setdefault(key, text)
    return tuple(found.values())


LIMIT = 50
"""The most aliases of an entity from a built file: the last ones are the worst."""

_AGAIN = "build it again: adequa aliases build DUMP --out FILE"
_MAGIC = b"SQLite format 3\0"
_BUILT = (".sqlite", ".sqlite3", ".db")
_DUMPS = (".nt", ".nq", ".ttl", ".gz", ".bz2", ".xz", ".zst")


def open_aliases(path: Path | str, *, limit: int = LIMIT) -> Aliases:
    """The aliases of a file: SQLite by its first bytes, JSON and TSV by its suffix."""
    from adequa.files import open_bytes

    path = Path(path)
    suffix = path.suffix.lower()
    if suffix in _DUMPS:
        remedy = "build aliases of it first: adequa aliases build DUMP --out aliases.sqlite"
        raise DataError(f"has the ending of a dump ({suffix})", path=path, remedy=remedy)
    with open_bytes(path) as stream:
        built = stream.read(len(_MAGIC)) == _MAGIC
    if built:
        return AliasStore(path, limit=limit)
    if suffix in _BUILT:
        raise DataError("is not an SQLite file", path=path, remedy=_AGAIN)
    if suffix in (".tsv", ".txt"):
        return read_tsv(path)
    if suffix == ".json":
        return read_json(path)
    problem = f"has an ending ({suffix or 'none'}) that is not a format of aliases"
    remedy = "name it .tsv, .json, or .sqlite for what `adequa aliases build` writes"
    raise DataError(problem, path=path, remedy=remedy)


def require_some(path: Path, entities: Iterable[str], *, where: object) -> None:
    """Raise if a file has aliases for none of these entities, so that it would change nothing."""
    known = open_aliases(path)
    names = list(dict.fromkeys(entities))
    if not any(known.of(entity) for entity in names):
        example = f", such as {names[0]!r}" if names else ""
        problem = f"has no alias for any of the {len(names):,} entities of {where}"
        remedy = f"write its entities as the data does{example}"
        raise DataError(problem, path=path, remedy=remedy)


Entry = tuple[str, list[str]]


class Dictionary(Aliases):
    """Aliases in memory; an entity is found by its exact name, then by its name in any case."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._exact: dict[str, list[str]] = {}
        self._folded: dict[str, list[str]] = {}
        for entity, aliases in entries:
            name = name_of(entity)
            self._exact.setdefault(name, []).extend(aliases)
            self._folded.setdefault(name.casefold(), []).extend(aliases)

    def of(self, entity: str) -> tuple[str, ...]:
        """The aliases in the order of the file."""
        name = name_of(entity)
        texts = self._exact.get(name)
        if texts is None:
            texts = self._folded.get(name.casefold(), [])
        return distinct(texts, but=entity)

    def content_hash(self) -> str:
        """The hash of entities and aliases, independent of the file format."""
        return self._hash

    @cached_property
    def _hash(self) -> str:
        written = json.dumps(sorted(self._exact.items()), ensure_ascii=False)
        return hashlib.sha256(written.encode()).hexdigest()[:12]

    def __len__(self) -> int:
        return len(self._exact)


def read_tsv(path: Path) -> Dictionary:
    """Read `entity<TAB>alias[<TAB>alias…]` lines; blank lines and # comments are skipped."""
    from adequa.files import lines

    remedy = "write entity, a tab, alias, and further aliases after further tabs"

    def entries() -> Iterator[Entry]:
        for number, line in lines(path):
            if not line.strip() or line.startswith("#"):
                continue
            entity, *cells = line.split("\t")
            # Spreadsheets fill short rows with empty cells.
            aliases = [tidy(cell) for cell in cells if cell.strip()]
            if not entity.strip() or not aliases:
                problem = f"has no {'alias' if entity.strip() else 'entity'}"
                raise DataError(problem, path=path, line=number, remedy=remedy)
            yield entity, aliases

    return Dictionary(entries())


def read_json(path: Path) -> Dictionary:
    """Read `{"entity": ["alias", …]}` or `{"entity": "alias"}`; an entity occurs once."""
    from adequa.files import kind_of, lines, read_dictionary

    text = "".join(line for _, line in lines(path, keep_ends=True))
    remedy = 'write {"entity": ["alias", …], …}'

    def entries() -> Iterator[Entry]:
        known, line_of = read_dictionary(text, remedy=remedy, twice="join its two lists")
        for entity, named in known.items():
            aliases = [named] if isinstance(named, str) else named
            if not isinstance(aliases, list):
                problem = f"the aliases of {entity!r} are {kind_of(named)}"
                raise DataError(problem, line=line_of(entity), remedy=remedy)
            for alias in aliases:
                if not isinstance(alias, str) or not alias.strip():
                    kind = "empty" if isinstance(alias, str) else kind_of(alias)
                    problem = f"an alias of {entity!r} is {kind}"
                    raise DataError(problem, line=line_of(entity), remedy=remedy)
            if not entity.strip():
                raise DataError("an entity is empty", line=line_of(entity), remedy=remedy)
            yield entity, [tidy(alias) for alias in aliases]

    try:
        return Dictionary(entries())
    except DataError as error:
        raise error.at(path) from None


VERSION = 1
"""The version of the tables; a file of another version has to be built again."""

# A name finds entities: 0 as its own name, 1 as one that redirects to it, 2 as its label. ASCII
# letters of either case are equal in the index; exact matches are selected after reading.
SCHEMA = """
CREATE TABLE {into}.meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE {into}.entity (id INTEGER PRIMARY KEY, key TEXT NOT NULL, aliases TEXT NOT NULL);
CREATE TABLE {into}.name (
    name TEXT NOT NULL COLLATE NOCASE, rank INTEGER NOT NULL, entity INTEGER NOT NULL,
    PRIMARY KEY (name, rank, entity)
) WITHOUT ROWID;
"""

_LABEL_RANK = 2
# Wikidata first, whose aliases people chose; of its items the oldest, which is better known.
_FIND = """
SELECT name.name, name.rank, entity.key, entity.aliases
FROM name JOIN entity ON entity.id = name.entity WHERE name.name = ?
ORDER BY name.rank, entity.key NOT GLOB 'Q[0-9]*', length(entity.key), entity.key
LIMIT 100
"""


class AliasStore(Aliases):
    """A built file, opened at the first lookup in each process."""

    def __init__(self, path: Path | str, *, limit: int = 50) -> None:
        if limit < 0:
            raise SettingError(f"the limit of aliases is 0 or more, not {limit}")
        self.path = Path(path).absolute()
        self.limit = limit
        self._start()
        self.facts = self._read_facts()

    def _start(self) -> None:
        self._connection: sqlite3.Connection | None = None
        self._process = 0
        self._lock = Lock()
        self._known: Cache[tuple[str, ...]] = Cache(8 * MEGABYTE)

    def __getstate__(self) -> dict[str, Any]:
        return {"path": self.path, "limit": self.limit, "facts": self.facts}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._start()

    def of(self, entity: str) -> tuple[str, ...]:
        """The aliases of the entity with this name, else with this redirect, else this label."""
        return self._known.get_or_make(entity, lambda: self._look_up(entity))

    def content_hash(self) -> str:
        """The hash of names and aliases, stored when the file was built."""
        return str(self.facts["content"])

    def _look_up(self, entity: str) -> tuple[str, ...]:
        name = name_of(entity)
        try:
            rows = self._query(_FIND, name)
        except UnicodeEncodeError:  # half of a surrogate pair, which no file can hold
            return ()
        rows = [row for row in rows if row[0] == name] or rows
        best = [row for row in rows if row[1] == rows[0][1]]
        if best and best[0][1] == _LABEL_RANK:
            # Many things are called Paris: use only the best one's names.
            best = best[:1]
        texts = [alias for row in best for alias in json.loads(row[3])]
        return distinct(texts, but=entity, limit=self.limit)

    def _query(self, statement: str, *values: str) -> list[tuple[Any, ...]]:
        with self._lock:
            try:
                return self._open().execute(statement, values).fetchall()
            except sqlite3.Error as error:
                raise self._broken(str(error)) from None

    def _open(self) -> sqlite3.Connection:
        # A connection must not be used in a forked process.
        if self._connection is None or self._process != os.getpid():
            self._connection = self._connect()
            self._process = os.getpid()
        return self._connection

    def _connect(self) -> sqlite3.Connection:
        address = f"{self.path.as_uri()}?mode=ro&immutable=1"
        return sqlite3.connect(address, uri=True, check_same_thread=False)

    def _read_facts(self) -> dict[str, Any]:
        try:
            # Closed at once, because a store that is only pickled needs no connection.
            with closing(self._connect()) as connection:
                pairs = connection.execute("SELECT key, value FROM meta").fetchall()
            facts = {key: json.loads(value) for key, value in pairs}
        except (sqlite3.Error, ValueError) as error:
            raise self._broken(str(error)) from None
        if facts.get("version") != VERSION or "content" not in facts:
            raise self._broken(f"version {facts.get('version')}, not {VERSION}")
        return facts

    def _broken(self, why: str) -> DataError:
        problem = f"is not a file of aliases that can be read ({why})"
        return DataError(problem, path=self.path, remedy=_AGAIN)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._connection is not None and self._process == os.getpid():
                self._connection.close()
            self._connection = None

    def __del__(self) -> None:
        # From Python 3.13 on, an unclosed connection is a warning.
        if getattr(self, "_lock", None) is not None:
            self.close()
