"""Build one SQLite file of aliases from dumps.

The names in the dumps are first stored in their order, without an index; then SQLite sorts them on
disk, and each entity's names are gathered from consecutive rows. So a large dump takes time and
disk, but no memory.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import secrets
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from adequa import __version__
from adequa.entities.aliases.dumps import LINK, REDIRECT, Dump, EntityNames, NameStatement
from adequa.entities.aliases.lookup import SCHEMA, VERSION, distinct, name_of
from adequa.errors import DataError, SettingError
from adequa.progress import Progress, silent

STORED = 250
"""The most aliases kept per entity: a hostile dump may have millions for one."""

MOST_CHARACTERS = 200
"""A longer name would not occur in a text."""

_encode = json.JSONEncoder(ensure_ascii=False).encode
_BATCH = 1000
_DOUBLINGS = 10  # chains of up to 1,024 redirects; the longest of Wikipedia have a handful
_LABEL_RANKS = 3  # ranks 0, 1 and 2 are labels: in the language, in none, of a variety
_REDIRECT_RANK = 3 * REDIRECT
_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*")
_BRACKETS = re.compile(r"\s*\([^()]*\)$")
_NOT_A_NAME = re.compile(
    r"(?:list|lists|outline|index|timeline) of |"
    r"(?:category|draft|file|help|mediawiki|module|portal|template|user|wikipedia)(?: talk)?:",
    re.IGNORECASE,
)

_STAGES = """
CREATE TABLE said (key TEXT, rank INTEGER, text TEXT);
CREATE TABLE redirect (source TEXT, target TEXT);
CREATE TABLE link (name TEXT, key TEXT);
CREATE TABLE names (name TEXT, rank INTEGER, entity INTEGER);
CREATE TABLE ids (key TEXT PRIMARY KEY, id INTEGER) WITHOUT ROWID;
"""
_CHAIN = """
CREATE TABLE chain (source TEXT PRIMARY KEY, target TEXT) WITHOUT ROWID;
INSERT INTO chain SELECT source, min(target) FROM redirect GROUP BY source ORDER BY source;
"""
# Each pass doubles the length of the chains followed.
_FOLLOW = """
UPDATE chain SET target = (SELECT next.target FROM chain next WHERE next.source = chain.target)
WHERE target IN (SELECT source FROM chain) AND target <> source
"""
_CIRCLES = """
CREATE TABLE circle AS SELECT source FROM chain WHERE target IN (SELECT source FROM chain)
"""
_CUT = "DELETE FROM chain WHERE source IN (SELECT source FROM circle)"
_WANTED = """
CREATE TABLE keep (key TEXT PRIMARY KEY) WITHOUT ROWID;
INSERT OR IGNORE INTO keep
SELECT coalesce(chain.target, said.key) FROM said LEFT JOIN chain ON chain.source = said.key
WHERE wanted(said.key) OR (said.rank < {label} AND wanted(said.text));
INSERT OR IGNORE INTO keep SELECT target FROM chain WHERE wanted(source) OR wanted(target);
INSERT OR IGNORE INTO keep SELECT key FROM link WHERE wanted(name);
"""
_GATHER = """
SELECT key, rank, text FROM (
    SELECT coalesce(chain.target, said.key) AS key,
           CASE WHEN chain.target IS NULL THEN said.rank ELSE {redirect} END AS rank, said.text
    FROM said LEFT JOIN chain ON chain.source = said.key
    UNION ALL SELECT target, {redirect}, source FROM chain
) {only}
ORDER BY key, rank, length(text), text
"""
_NAMES = """
INSERT INTO names SELECT link.name, 0, ids.id FROM link JOIN ids USING (key);
INSERT INTO names SELECT chain.source, 1, ids.id FROM chain JOIN ids ON ids.key = chain.target;
INSERT OR IGNORE INTO result.name SELECT name_of(name) AS name, rank, entity FROM names
ORDER BY name COLLATE NOCASE, rank, entity, name
"""


@dataclass
class BuildReport:
    """The counts of a build."""

    statements: int = 0
    entities: int = 0
    aliases: int = 0
    redirects: int = 0
    cycles: int = 0
    dangerous: int = 0
    unusable: int = 0
    sources: list[dict[str, Any]] = field(default_factory=list)


def build_aliases(
    dumps: Sequence[Path],
    out: Path,
    *,
    lang: str = "en",
    only: Iterable[str] | None = None,
    force: bool = False,
    progress: Progress = silent,
) -> BuildReport:
    """Write the aliases in the dumps to `out`, which appears whole or not at all.

    With `only`, those of the given entities. `progress` gets the bytes done and their total.
    """
    if not _LANGUAGE.fullmatch(lang):
        raise SettingError(f"{lang!r} is not a language; write its tag: en, de, pt-br")
    opened = [Dump(Path(path)) for path in dumps]
    if not opened:
        raise SettingError("there is no dump to build aliases of; name one or more")
    if out.exists() and not force:
        raise DataError(
            "is there already", path=out, remedy="name another file, or give force=True"
        )
    token = secrets.token_hex(4)
    staging, finished = (out.with_name(f".{out.name}.{token}.{part}") for part in ("stage", "new"))
    try:
        with contextlib.closing(_connect(staging)) as connection:
            connection.execute("ATTACH ? AS result", (str(finished),))
            connection.executescript("PRAGMA result.journal_mode = OFF;" + _STAGES)
            report = BuildReport()
            _take_in(connection, opened, EntityNames(lang), progress)
            _finish(connection, opened, report, lang, only)
        with finished.open("rb+") as stream:
            os.fsync(stream.fileno())
        finished.replace(out)
    except (sqlite3.Error, OSError) as error:
        problem = f"cannot be written ({getattr(error, 'strerror', None) or error})"
        remedy = "check the path and the space on its disk (and that of TMPDIR, for sorting)"
        raise DataError(problem, path=out, remedy=remedy) from None
    finally:
        for path in (staging, finished):
            path.unlink(missing_ok=True)
    return report


def read_entities(path: Path) -> list[str]:
    """The entities of a file, one per line; of a table, the first column; # begins a comment."""
    from adequa.files import lines

    cells = (line.split("\t")[0] for _, line in lines(path) if not line.startswith("#"))
    entities = [cell for cell in cells if cell.strip()]
    if not entities:
        raise DataError("names no entity", path=path, remedy="write one entity per line")
    return entities


def _connect(path: Path) -> sqlite3.Connection:
    # No transaction is rolled back: an unfinished file is deleted.
    connection = sqlite3.connect(path, isolation_level=None)
    for pragma in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -65536"):
        connection.execute(f"PRAGMA {pragma}")
    return connection


def _take_in(
    connection: sqlite3.Connection, dumps: list[Dump], names: EntityNames, progress: Progress
) -> None:
    total = sum(dump.size for dump in dumps)
    before = 0
    for dump in dumps:
        connection.execute("BEGIN")

        def advance(done: int, before: int = before) -> None:
            progress(before + done, total)

        for block in dump.statements_about_names(names, advance):
            _put_down(connection, block)
        connection.execute("COMMIT")
        before += dump.size
    progress(total, total)


def _put_down(connection: sqlite3.Connection, block: list[NameStatement]) -> None:
    literals = [said[1:] for said in block if said.kind < REDIRECT]
    redirects = [(said.text, said.entity) for said in block if said.kind == REDIRECT]
    links = [(said.text, said.entity) for said in block if said.kind == LINK]
    connection.executemany("INSERT INTO said VALUES (?, ?, ?)", literals)
    connection.executemany("INSERT INTO redirect VALUES (?, ?)", redirects)
    connection.executemany("INSERT INTO link VALUES (?, ?)", links)


def _finish(
    connection: sqlite3.Connection,
    dumps: list[Dump],
    report: BuildReport,
    lang: str,
    only: Iterable[str] | None,
) -> None:
    connection.executescript(SCHEMA.format(into="result") + "BEGIN;" + _CHAIN)
    for _ in range(_DOUBLINGS):
        if connection.execute(_FOLLOW).rowcount == 0:
            break
    connection.execute(_CIRCLES)
    report.cycles = connection.execute(_CUT).rowcount
    (report.redirects,) = connection.execute("SELECT count(*) FROM chain").fetchone()
    if only is not None:
        wanted = {name_of(entity).casefold() for entity in only}
        connection.create_function(
            "wanted", 1, lambda text: name_of(text).casefold() in wanted, deterministic=True
        )
        for statement in _WANTED.format(label=_LABEL_RANKS).split(";"):
            connection.execute(statement)
    kept = "" if only is None else "WHERE key IN (SELECT key FROM keep)"
    rows = connection.execute(_GATHER.format(redirect=_REDIRECT_RANK, only=kept))
    _write_entities(connection, rows, report)
    connection.create_function("name_of", 1, name_of, deterministic=True)
    for statement in _NAMES.split(";"):
        connection.execute(statement)
    report.statements = sum(dump.statements for dump in dumps)
    report.sources = [dump.facts for dump in dumps]
    facts = {
        "version": VERSION,
        "adequa": __version__,
        "lang": lang,
        "content": _content(connection),
        **vars(report),
    }
    connection.executemany(
        "INSERT INTO result.meta VALUES (?, ?)",
        [(key, json.dumps(value, ensure_ascii=False)) for key, value in sorted(facts.items())],
    )
    connection.execute("COMMIT")


def _write_entities(
    connection: sqlite3.Connection, rows: Iterable[tuple[str, int, str]], report: BuildReport
) -> None:
    entities: list[tuple[int, str, str]] = []
    names: list[tuple[str, int, int]] = []

    def write() -> None:
        connection.executemany("INSERT INTO result.entity VALUES (?, ?, ?)", entities)
        connection.executemany(
            "INSERT INTO ids (id, key) VALUES (?, ?)", (one[:2] for one in entities)
        )
        connection.executemany("INSERT INTO names VALUES (?, ?, ?)", names)
        entities.clear()
        names.clear()

    for number, (key, group) in enumerate(groupby(rows, key=itemgetter(0)), 1):
        label: str | None = None
        texts: list[str] = []
        name = name_of(key)
        for rank, text in _usable(name, group, report):
            if label is None and rank < _LABEL_RANKS:
                label = text
            # Half of them may turn out to be the same in another case.
            if len(texts) < 2 * STORED:
                texts.append(text)
        aliases = distinct(texts, but=key, limit=STORED)
        report.entities += 1
        report.aliases += len(aliases)
        entities.append((number, key, _encode(aliases)))
        names.append((name, 0, number))
        if label is not None and label != name:
            names.append((label, 2, number))
        if len(entities) >= _BATCH:
            write()
    write()


def _usable(
    name: str, group: Iterable[tuple[str, int, str]], report: BuildReport
) -> Iterator[tuple[int, str]]:
    """The texts of one entity that are usable as names; the others are counted."""
    last: str | None = None
    for _, rank, text in group:
        if text == last:
            continue
        last = text
        if rank == _REDIRECT_RANK:
            # The title of a page; texts do not repeat its brackets.
            text = _BRACKETS.sub("", name_of(text))
        titled = rank == _REDIRECT_RANK and _NOT_A_NAME.match(text)
        if titled or len(text) > MOST_CHARACTERS or not text.isprintable():
            report.unusable += 1
        elif text != name and _is_dangerous(text):
            report.dangerous += 1
        else:
            yield rank, text


def _is_dangerous(text: str) -> bool:
    """Whether a name is one character or has no letter ("1984"), and so is too ambiguous."""
    return sum(map(str.isalnum, text)) < 2 or not any(map(str.isalpha, text))


def _content(connection: sqlite3.Connection) -> str:
    digest = hashlib.sha256()
    for query in (
        "SELECT key, aliases FROM result.entity ORDER BY id",
        "SELECT * FROM result.name",
    ):
        for row in connection.execute(query):
            digest.update("\0".join(map(str, row)).encode() + b"\n")
    return digest.hexdigest()[:12]
