"""How the records of a file are read: what becomes a fact, what is left out, and why."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from adequa.errors import DataError
from adequa.readers.facts import LeftOut, say_scalar
from adequa.readers.formats import Source
from adequa.readers.mapping import find
from adequa.readers.records import RecordReading, RecordsReader, text_candidates

MOST_RECORDS = 50
"""Records that are looked at: those by which the column of the text is found, too."""
_LONGEST = 40
_POSITION = re.compile(r"/\d+(?=/|$)")


@dataclass
class FieldUse:
    """A field of the records, list positions as `*`, and what becomes of it."""

    path: str
    role: str
    """`fact`, `name`, `thing` (named by this value), `row` (a thing without a name), `left out`."""
    detail: str
    """The predicate of a fact, or the reason why the field is left out."""
    count: int = 0
    examples: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Explanation:
    """The reading of the first records of a source."""

    records: int
    fields: tuple[FieldUse, ...]
    text_column: str | None
    """The column of the text where it was found or told, not by its name `text`."""
    subjects: tuple[str, ...]

    @property
    def facts(self) -> int:
        """The number of different fields that are facts."""
        return len({one.path for one in self.fields if one.role in ("fact", "thing")})

    @property
    def left_out(self) -> list[FieldUse]:
        """The fields that are not facts although they have a value."""
        return [one for one in self.fields if one.role == "left out" and one.detail != "empty"]

    def line(self) -> str:
        """The choices in one line."""
        parts = []
        if self.text_column is not None:
            parts.append(f"the text is {self.text_column!r}")
        names = [one.path.lstrip("/") for one in self.fields if one.role == "name"]
        parts.append(f"named by {', '.join(map(repr, names[:2]))}" if names else "without a name")
        parts.append("1 field is a fact" if self.facts == 1 else f"{self.facts} fields are facts")
        left = list(dict.fromkeys(one.path.rpartition("/")[2] for one in self.left_out))
        if left:
            more = f" and {len(left) - 4} more" if len(left) > 4 else ""
            parts.append(f"left out: {', '.join(left[:4])}{more}")
        return "records: " + "; ".join(parts)


def explain(source: Source, *, bare: bool = False) -> Explanation | None:
    """How the first records of a source are read; None if it has no records.

    `bare` explains records that have no text, too.
    """
    reader = source.reader
    if not isinstance(reader, RecordsReader):
        return None
    path = source.path
    if not path.is_file():
        return None
    placed = reader.readings(path, bare=bare or bool(source.texts))
    readings = [reading for _, reading in itertools.islice(placed, MOST_RECORDS)]
    if all(reading.facts is None for reading in readings):
        return None
    return explain_readings(readings)


@dataclass(frozen=True)
class Preview:
    """The beginning of a file as its uploader sees it: what to choose, and what comes of it."""

    format: str
    columns: tuple[str, ...] = ()
    """The columns of which one is the text and one may name the record; empty for items."""
    text: str | None = None
    candidates: tuple[str, ...] = ()
    """The columns that may be the text, where it is not clear which."""
    fields: tuple[FieldUse, ...] = ()
    subjects: tuple[str, ...] = ()


def preview(source: Source) -> Preview:
    """The preview of a file; a record without a text is shown too, so that one can be chosen."""
    reader = source.reader
    if not isinstance(reader, RecordsReader):
        return Preview(source.format)
    rows = reader.head(source.path)
    columns = tuple(dict.fromkeys(str(name) for row in rows for name in row))
    bare = False
    try:
        found = explain(source)
    except DataError:
        bare = True
        found = explain(source, bare=True)
    if found is None:
        return Preview(source.format)
    text = None if bare else found.text_column or find("text", columns)
    return Preview(
        source.format,
        columns,
        text=text,
        candidates=text_candidates(rows) if bare else (),
        fields=found.fields,
        subjects=found.subjects[:3],
    )


def explain_readings(readings: Iterable[RecordReading]) -> Explanation:
    """The fields of some records, in the order of their first use."""
    uses: dict[tuple[str, str, str], FieldUse] = {}
    subjects: dict[str, None] = {}
    count = 0
    column: str | None = None
    for reading in readings:
        count += 1
        column = column or reading.text_column
        if reading.facts is None:
            continue
        subjects[reading.facts.subject] = None
        for path, role, detail, example in _uses(reading):
            use = uses.setdefault((path, role, detail), FieldUse(path, role, detail))
            use.count += 1
            if len(use.examples) < 3 and example and example not in use.examples:
                use.examples.append(example)
    told = None if column is None or column.casefold() == "text" else column
    return Explanation(count, tuple(uses.values()), told, tuple(subjects))


def _uses(reading: RecordReading) -> Iterator[tuple[str, str, str, str]]:
    facts = reading.facts
    if facts is None:
        return
    if facts.subject_path is not None:
        yield _pattern(facts.subject_path), "name", "names the record", facts.subject
    subjects = {triple.subject for triple in facts.triples}
    for triple, path in zip(facts.triples, facts.paths, strict=True):
        role = "fact"
        if triple.object in subjects and triple.object != facts.subject:
            role = "row" if triple.object in facts.terms else "thing"
        yield _pattern(path), role, triple.predicate, _short(triple.object)
    for one in facts.left_out:
        yield _pattern(one.path), "left out", one.why, _example(one)


def _pattern(pointer: str) -> str:
    """A JSON pointer with `*` for the positions in lists."""
    return _POSITION.sub("/*", pointer)


def _example(one: LeftOut) -> str:
    value: Any = one.value
    if value is None or isinstance(value, dict | list):
        return ""
    return _short(say_scalar(value))


def _short(words: str) -> str:
    return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 1]}…"
