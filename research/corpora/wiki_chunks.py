"""WikiChunks of paper 003: passages with the triples of their page whose object they mention."""

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
    """Triples by subject, in a temporary database, so that their number is not limited."""

    def __init__(self, triples: Iterable[Triple]) -> None:
        # An empty name is a temporary file that SQLite deletes when it is closed.
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
        """The distinct triples about a page, in their order."""
        found = self._connection.execute(
            "SELECT subject, predicate, object FROM facts WHERE page = ? ORDER BY rowid",
            (name_of(title),),
        )
        return list(dict.fromkeys(Triple(*row) for row in found))

    def close(self) -> None:
        """Delete the temporary file."""
        self._connection.close()


def wiki_chunks(
    passages: Iterable[Passage],
    triples: Facts | Iterable[Triple],
    aliases: Aliases | None = None,
    tally: CorpusTally | None = None,
) -> Iterator[Item]:
    """Passages with the triples about their page whose object, or an alias of it, they mention.

    A passage without triples is left out. Passages are streamed; those of a page should be
    adjacent, as in DPR's file, so that its triples are looked up once.
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
    # DBpedia distinguishes namesakes by a bracket, which texts do not have.
    names = [name, name.rpartition(" (")[0] if name.endswith(")") else ""]
    # A single character is too vague for an alias, though it may be an object: 7.
    names += [] if aliases is None else [one for one in aliases.of(entity) if len(one) > 1]
    return [tidy(one) for one in names if one]


def mentions_name(text: str, name: str) -> bool:
    """Whether a text has a name as whole words; case matters unless the name is lower-case.

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
    """The triples of a file: tab-separated subject, predicate, object, or any known format."""
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
