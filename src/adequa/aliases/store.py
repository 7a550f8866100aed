"""Aliases in the SQLite file that `adequa aliases build` writes."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any

from adequa.aliases.base import Aliases, distinct, name_of
from adequa.errors import DataError, SettingError

__all__ = ["SCHEMA", "VERSION", "Store"]

VERSION = 1
"""Of the tables; a file of another version has to be built again."""

# A name finds entities: 0 as its own name, 1 as one that redirects to it, 2 as its label. ASCII
# letters of either case are equal to the index; which are truly equal is seen when it is read.
SCHEMA = """
CREATE TABLE {into}.meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE {into}.entity (id INTEGER PRIMARY KEY, key TEXT NOT NULL, aliases TEXT NOT NULL);
CREATE TABLE {into}.name (
    name TEXT NOT NULL COLLATE NOCASE, rank INTEGER NOT NULL, entity INTEGER NOT NULL,
    PRIMARY KEY (name, rank, entity)
) WITHOUT ROWID;
"""

_LABEL_RANK = 2
_CACHED_ENTITIES = 4096
# Wikidata first, whose aliases people chose; of its items the older one, which is better known.
_FIND = """
SELECT name.name, name.rank, entity.key, entity.aliases
FROM name JOIN entity ON entity.id = name.entity WHERE name.name = ?
ORDER BY name.rank, entity.key NOT GLOB 'Q[0-9]*', length(entity.key), entity.key
LIMIT 100
"""


class Store(Aliases):
    """A built file, opened when it is first asked, in each process by itself."""

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
        self._known: Callable[[str], tuple[str, ...]] = lru_cache(_CACHED_ENTITIES)(self._look_up)

    def __getstate__(self) -> dict[str, Any]:
        return {"path": self.path, "limit": self.limit, "facts": self.facts}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._start()

    def of(self, entity: str) -> tuple[str, ...]:
        """The aliases of whom the string is the own name, else a redirect, else the label."""
        return self._known(entity)

    def content_hash(self) -> str:
        """The hash that was taken of the names and aliases when the file was built."""
        return str(self.facts["content"])

    def _look_up(self, entity: str) -> tuple[str, ...]:
        name = name_of(entity)
        try:
            rows = self._query(_FIND, name)
        except UnicodeEncodeError:  # half of a surrogate pair: no file has such a name
            return ()
        rows = [row for row in rows if row[0] == name] or rows
        best = [row for row in rows if row[1] == rows[0][1]]
        if best and best[0][1] == _LABEL_RANK:
            # Many things are called Paris: the names of them all would be those of none.
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
        # A connection must not be carried into a forked process.
        if self._connection is None or self._process != os.getpid():
            self._connection = self._connect()
            self._process = os.getpid()
        return self._connection

    def _connect(self) -> sqlite3.Connection:
        address = f"{self.path.as_uri()}?mode=ro&immutable=1"
        return sqlite3.connect(address, uri=True, check_same_thread=False)

    def _read_facts(self) -> dict[str, Any]:
        try:
            # Closed at once: who only pickles this into other processes needs no connection.
            with closing(self._connect()) as connection:
                pairs = connection.execute("SELECT key, value FROM meta").fetchall()
            facts = {key: json.loads(value) for key, value in pairs}
        except (sqlite3.Error, ValueError) as error:
            raise self._broken(str(error)) from None
        if facts.get("version") != VERSION or "content" not in facts:
            raise self._broken(f"version {facts.get('version')}, not {VERSION}")
        return facts

    def _broken(self, why: str) -> DataError:
        return DataError(
            f"is not a file of aliases that can be read ({why})",
            path=self.path,
            remedy="build it again: adequa aliases build DUMP --out FILE",
        )

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            if self._connection is not None and self._process == os.getpid():
                self._connection.close()
            self._connection = None

    def __del__(self) -> None:
        # From Python 3.13 a connection that nobody closed is a warning.
        if getattr(self, "_lock", None) is not None:
            self.close()
