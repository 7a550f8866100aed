"""WikiChunks-style pairs: passages, and the triples of their page whose object they mention."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from adequa.data import Item, Triple
from adequa.entities.aliases.lookup import Aliases, name_of, tidy
from adequa.errors import DataError
from adequa.files import lines
from adequa.readers import load_reader, recognise
from research.corpora.derived import CorpusTally
from research.corpora.passages import Passage

_BATCH_TRIPLES = 10_000


class Facts:
    """Triples by subject, in a temporary file of their own, so that there may be any number."""

    def __init__(self, triples: Iterable[Triple]) -> None:
        # The empty name is SQLite's for a file that it deletes when it is closed.
        self._connection = sqlite3.connect("", isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = OFF")
        self._connection.execute("PRAGMA synchronous = OFF")
        self._connection.execute(
            "CREATE TABLE facts (page TEXT, subject TEXT, predicate TEXT, object TEXT)"
        )
        rows = ((name_of(triple.subject), *triple) for triple in triples)
        self._connection.execute("BEGIN")
        while batch := list(islice(rows, _BATCH_TRIPLES)):
            self._connection.executemany("INSERT INTO facts VALUES (?, ?, ?, ?)", batch)
        self._connection.execute("COMMIT")
        self._connection.execute("CREATE INDEX pages ON facts (page)")

    def of(self, title: str) -> list[Triple]:
        """The triples about a page, each once, in the order they came."""
        found = self._connection.execute(
            "SELECT subject, predicate, object FROM facts WHERE page = ? ORDER BY rowid",
            (name_of(title),),
        )
        return list(dict.fromkeys(Triple(*row) for row in found))

    def close(self) -> None:
        """Give the space back."""
        self._connection.close()


def wiki_chunks(
    passages: Iterable[Passage],
    triples: Facts | Iterable[Triple],
    aliases: Aliases | None = None,
    tally: CorpusTally | None = None,
) -> Iterator[Item]:
    """Passages with the triples about their page whose object, or an alias of it, they mention.

    A passage without any is left out. Passages are streamed, and those of a page should follow
    one another, as they do in DPR's file: its triples are then looked up once.
    """
    tally = CorpusTally() if tally is None else tally
    facts = triples if isinstance(triples, Facts) else Facts(triples)
    page: str | None = None
    known: list[tuple[Triple, list[str]]] = []
    try:
        for passage in passages:
            if passage.title != page:
                page = passage.title
                known = [(triple, _names(triple.object, aliases)) for triple in facts.of(page)]
            text = tidy(passage.text)
            low = text.casefold()
            found = tuple(
                triple
                for triple, names in known
                if any(_mentioned(name, text, low) for name in names)
            )
            if not found:
                tally.left_out["no object mentioned" if known else "no triple about it"] += 1
                continue
            tally.kept += 1
            meta = {"title": passage.title, **passage.meta}
            yield Item(passage.id, found, passage.text, meta=meta)
    finally:
        if facts is not triples:
            facts.close()


def _names(entity: str, aliases: Aliases | None) -> list[str]:
    name = name_of(entity).strip('"')
    # DBpedia tells namesakes apart by a bracket that no text has.
    names = [name, name.rpartition(" (")[0] if name.endswith(")") else ""]
    # One sign says nothing as an alias, though it may well be the object: 7.
    names += [] if aliases is None else [one for one in aliases.of(entity) if len(one) > 1]
    return [tidy(one) for one in names if one]


def mentions_name(text: str, name: str) -> bool:
    """Whether a name stands in a text as words of its own; a name in small letters in any case.

    >>> mentions_name("Association football is a sport.", "association football")
    True
    >>> mentions_name("They were reading.", "Reading"), mentions_name("Romeo", "Rome")
    (False, False)
    """
    text = tidy(text)
    return _mentioned(tidy(name), text, text.casefold())


def _mentioned(name: str, text: str, low: str) -> bool:
    if name == name.lower():
        name, text = name.casefold(), low
    start = text.find(name) if name else -1
    while start >= 0:
        end = start + len(name)
        begins = start == 0 or not (text[start - 1].isalnum() and name[0].isalnum())
        ends = end == len(text) or not (text[end].isalnum() and name[-1].isalnum())
        if begins and ends:
            return True
        start = text.find(name, start + 1)
    return False


def read_triples(path: Path) -> Iterator[Triple]:
    """The triples of a file: subject, predicate, object with tabs, or any format adequa reads."""
    name = recognise(path)
    if path.suffix.lower() != ".tsv" or name != "records":
        for place in load_reader(name).read(path, bare=True):
            yield from place.item.triples
        return
    for number, line in lines(path):
        if not line or line.isspace():
            continue
        cells = line.split("\t")
        if len(cells) != 3 or not all(cells):
            raise DataError(
                "is not subject, predicate, object",
                path=path,
                line=number,
                remedy="write three cells with tabs between them",
            )
        yield Triple(*cells)
