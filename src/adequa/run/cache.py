"""A content-addressed cache of the scores of expensive metrics, behind the metric interface.

The key is everything that can change a score: the signature of the metric (settings, weights,
version) and the fields of the item it `reads`. The metric gets an item with no other fields, so
nothing else can change its score.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import MISSING, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adequa.codec import item_to_object, score_from_object, score_to_object
from adequa.data import Item, Score
from adequa.errors import DataError, RunError
from adequa.files import dump_line, load_object
from adequa.metrics import Metric

if TYPE_CHECKING:
    import sqlite3

_CHUNK = 500
_BUSY_SECONDS = 60.0


def default_folder() -> Path:
    """`$ADEQUA_CACHE`, or the folder for caches of the operating system."""
    if named := os.environ.get("ADEQUA_CACHE"):
        return Path(named)
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    return base / "adequa"


@dataclass(frozen=True)
class CachedMetric:
    """A metric whose scores are kept in a cache."""

    metric: Metric
    folder: Path

    def score(self, items: Sequence[Item]) -> list[Score]:
        """Look up known scores, compute the others once, and store them."""
        shown = [self._shown(item) for item in items]
        signature = self.metric.signature
        keys = [_key(signature, item) for item in shown]
        with self._store() as store:
            known = _look_up(store, keys)
        pairs = zip(keys, shown, strict=True)
        unknown = {key: item for key, item in pairs if key not in known}
        if unknown:
            # Not inside of the block: an OSError of the metric is not one of the cache.
            scores = self.metric.score(list(unknown.values()))
            fresh = dict(zip(unknown, scores, strict=True))
            with self._store() as store, store:
                store.executemany(
                    "INSERT OR REPLACE INTO scores VALUES (?, ?)",
                    (
                        (key, dump_line(score_to_object(score)))
                        for key, score in fresh.items()
                        if not score.is_passing
                    ),
                )
            known.update(fresh)
        return [known[key] for key in keys]

    @contextmanager
    def _store(self) -> Iterator[sqlite3.Connection]:
        import sqlite3

        path = self.folder / "scores.sqlite"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(path, timeout=_BUSY_SECONDS)) as store:
                store.execute("PRAGMA journal_mode=WAL")
                store.execute("PRAGMA synchronous=NORMAL")
                store.execute(
                    "CREATE TABLE IF NOT EXISTS scores (key BLOB PRIMARY KEY, score TEXT NOT NULL)"
                    " WITHOUT ROWID"
                )
                yield store
        except (sqlite3.Error, OSError) as error:
            raise RunError(
                f"the cache {path} cannot be used ({error}); delete it, or give cache=None"
            ) from None

    def _shown(self, item: Item) -> Item:
        hidden: dict[str, Any] = {"id": "", "triples": (), "text": ""}
        for field in fields(Item):
            if field.default_factory is not MISSING:
                hidden[field.name] = field.default_factory()
            elif field.default is not MISSING:
                hidden[field.name] = field.default
        reads = self.metric.reads
        return replace(item, **{name: part for name, part in hidden.items() if name not in reads})


def _key(signature: str, item: Item) -> bytes:
    """A list in JSON, so that no end of a signature can pass for the beginning of an item."""
    written = json.dumps([signature, item_to_object(item)], ensure_ascii=False)
    return hashlib.sha256(written.encode(errors="surrogatepass")).digest()


def _look_up(store: sqlite3.Connection, keys: Iterable[bytes]) -> dict[bytes, Score]:
    wanted = list(dict.fromkeys(keys))
    found: dict[bytes, Score] = {}
    for start in range(0, len(wanted), _CHUNK):
        chunk = wanted[start : start + _CHUNK]
        marks = ",".join("?" * len(chunk))
        rows = store.execute(f"SELECT key, score FROM scores WHERE key IN ({marks})", chunk)  # noqa: S608
        for key, text in rows:
            # SQLite keeps a value of any type in any column.
            with suppress(DataError, TypeError):  # a damaged row is scored again
                found[key] = score_from_object(load_object(text))
    return found
