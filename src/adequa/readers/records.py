"""Records, the rows and JSON objects of users, as items.

`RecordMapping` says what the columns mean, `values` splits a JSON file into its values, one at a
time, and `RecordsReader` flattens each record into triples.
"""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from adequa.codec import item_from_object
from adequa.data import Item, Triple
from adequa.errors import DataError, UnknownName
from adequa.files import MAX_LINE_BYTES, lines, load_object, reject_constant
from adequa.readers.base import PlacedItem, Reader
from adequa.readers.tables import check_delimiter, plain_value, read_table

_SUBJECTS = ("name", "title", "label")
_REFERENCES = ("references", "reference")
_EMPTY: Mapping[str, str] = {}


@dataclass(frozen=True)
class RecordMapping:
    """The column (or path, `address.city`) of each part of an item; None means by convention.

    The convention uses few columns, since a column it uses is no longer a fact: `id` is the id;
    `name`, else `title`, else `label`, else the id is the subject; `text` is the text; `reference`
    or `references` are the references; `system` is the system; case does not matter. There is no
    convention for the category, since it may be a fact.
    """

    id: str | None = None
    subject: str | None = None
    text: str | None = None
    references: tuple[str, ...] = ()
    system: str | None = None
    category: str | None = None
    ignore: tuple[str, ...] = ()
    """Columns that are not facts; they are kept in `meta`."""
    rename: Mapping[str, str] = field(default_factory=lambda: _EMPTY)
    """Predicates for columns; renaming a column also renames the columns nested in it."""

    @classmethod
    def from_object(cls, raw: Any) -> RecordMapping:
        """A mapping from a JSON or TOML object; raises on an unknown key or a wrong type."""
        if not isinstance(raw, Mapping):
            raise DataError("is not an object", remedy='write {"subject": "column", …}')
        known = {each.name for each in fields(cls)}
        given: dict[str, Any] = {}
        for name, value in raw.items():
            if name not in known:
                raise UnknownName("key of a mapping", str(name), known)
            if name == "rename":
                given[name] = _renames(value)
            elif name in ("ignore", "references"):
                given[name] = _columns(name, value)
            elif type(value) is str and value:
                given[name] = value
            else:
                raise DataError(f"{name!r} is not the name of a column", remedy="write a string")
        return cls(**given)

    def named(self) -> Iterator[str]:
        """All columns of the mapping, which a table must have."""
        single = (self.id, self.subject, self.text, self.system, self.category)
        yield from (name for name in single if name is not None)
        yield from self.references
        yield from self.ignore
        yield from self.rename

    def subject_candidates(self) -> tuple[str, ...]:
        """The columns that may have the subject, best first."""
        if self.subject is not None:
            return (self.subject,)
        return (*_SUBJECTS, self.id or "id")

    def reference_columns(self, present: Iterable[str]) -> list[str]:
        """The columns with references among those present."""
        present = list(present)
        found = (find(name, present) for name in self.references or _REFERENCES)
        return [name for name in found if name is not None]

    def ignores(self, path: str) -> bool:
        """Whether a path, or a column it is nested in, is ignored."""
        return any(_within(path, name) for name in self.ignore)

    def predicate(self, path: str) -> str:
        """The predicate of a path."""
        for name, predicate in self.rename.items():
            if _within(path, name):
                return predicate + path[len(name) :]
        return path


def find(name: str, present: Iterable[str]) -> str | None:
    """The column with that name, or else the first with that name in another case."""
    present = list(present)
    if name in present:
        return name
    return next((column for column in present if column.casefold() == name.casefold()), None)


def _within(path: str, name: str) -> bool:
    return path == name or path.startswith(name + ".")


def _columns(name: str, value: Any) -> tuple[str, ...]:
    if type(value) is str:
        value = [value]
    if type(value) is not list or not all(type(part) is str and part for part in value):
        raise DataError(f"{name!r} is not a list of columns", remedy='write ["one", "another"]')
    return tuple(value)


def _renames(value: Any) -> Mapping[str, str]:
    if type(value) is not dict or not all(
        type(part) is str and part for pair in value.items() for part in pair
    ):
        raise DataError("'rename' is not an object of strings", remedy='{"column": "predicate"}')
    return dict(value)


def load_mapping(path: Path) -> RecordMapping:
    """Read a mapping file: JSON, or TOML from Python 3.11 on."""
    text = "\n".join(line for _, line in lines(path))
    try:
        raw = _load_toml(text) if path.suffix.lower() == ".toml" else load_object(text)
        return RecordMapping.from_object(raw)
    except DataError as error:
        raise error.at(path) from None


def _load_toml(text: str) -> Any:
    try:
        tomllib = importlib.import_module("tomllib")
    except ImportError:
        raise DataError("is TOML, which needs Python 3.11", remedy="write it as JSON") from None
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"is not TOML ({error})", remedy="correct it, or write JSON") from None


Located = tuple[int, str]
"""The line on which a JSON value begins, and its text."""

JSON_LINES = (".jsonl", ".ndjson")
"""The endings of files with one value per line."""

_MARK = re.compile(r'["\[\]{},]')
_STRING_MARK = re.compile(r'"|\\.')
_MAX_DEPTH = 500


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = dict(pairs)
    if len(names) < len(pairs):
        seen: set[str] = set()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise DataError(f"has the key {twice!r} twice", remedy="write the values as one list")
    return names


_decode_literal = json.JSONDecoder(
    parse_float=str, parse_int=str, parse_constant=reject_constant, object_pairs_hook=_unique
).decode


def load_literal(text: str) -> Any:
    """Parse one JSON value; a number becomes its text, so that 1.50 stays 1.50."""
    return load_object(text, decode=_decode_literal)


def values(path: Path) -> Iterator[Located]:
    """The values of a JSON file one at a time: the elements of a list, or consecutive values.

    Brackets are counted outside of strings to find the end of a value, so that only one value is in
    memory. A file with an ending of JSON lines is split at its lines, which is faster.
    """
    rest = lines(path)
    if path.suffix.lower() in JSON_LINES:
        yield from (pair for pair in rest if pair[1].strip())
        return
    first = next((pair for pair in rest if pair[1].strip()), None)
    if first is None:
        raise DataError("is empty", path=path, remedy="write one object per line")
    numbered = chain([first], rest)
    try:
        if first[1].lstrip().startswith("["):
            yield from _inside(numbered, "]")
        else:
            yield from _sequence(numbered)
    except DataError as error:
        raise error.at(path, 1) from None


def members(located: Located) -> Iterator[Located]:
    """The members of an object, each as an object with one key."""
    start, text = located
    numbered = enumerate(text.split("\n"), start)
    for line, member in _inside(numbered, "}"):
        yield line, "{" + member + "}"


class _Value:
    """The current value, collected line by line."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self.start: int | None = None
        self._pieces: list[str] = []
        self._size = 0

    def add(self, number: int, piece: str) -> None:
        if self.start is None:
            if not piece.strip():
                return
            self.start = number
        self._pieces.append(piece)
        self._size += len(piece) + 1
        if self._size > MAX_LINE_BYTES:
            raise DataError(
                f"begins a value longer than {MAX_LINE_BYTES >> 20} MB",
                line=self.start,
                remedy="write one object per line",
            )

    def take(self) -> Located:
        """The value; starts the next one."""
        taken = self.start or 1, "\n".join(self._pieces).strip()
        self.clear()
        return taken


def _inside(numbered: Iterable[Located], closing: str) -> Iterator[Located]:
    """The parts of one list or object between its commas; the text begins with its bracket."""
    value = _Value()
    last = ""
    begin = number = 0
    for number, line, position, mark, depth in _scan(numbered):
        if last == closing:
            _only_space(line[begin:], number, "after the end")
        elif mark == "":
            value.add(number, line[begin:])
        elif depth == 1 and mark in ("[", "{"):
            begin = position + 1
        elif (depth == 1 and mark == ",") or depth == 0:
            if depth == 0 and mark != closing:
                raise DataError(f"has {mark!r} where {closing!r} should be", line=number)
            value.add(number, line[begin:position])
            if value.start is not None:
                yield value.take()
            elif mark == "," or last == ",":
                raise DataError("has a comma too many", line=number, remedy="remove it")
            last = mark
            begin = position + 1
        begin = begin if mark else 0
    if last != closing:
        raise _cut_off(value.start or number)


def _sequence(numbered: Iterable[Located]) -> Iterator[Located]:
    """Consecutive objects, with or without line ends between them."""
    value = _Value()
    opened = False
    begin = 0
    for number, line, position, mark, depth in _scan(numbered):
        if not opened:
            before = line[begin:position] if mark == "{" else line[begin:]
            _only_space(before, number, "where an object should begin")
            opened, begin = mark == "{", position
        elif mark == "":
            value.add(number, line[begin:])
        elif depth == 0:
            value.add(number, line[begin : position + 1])
            opened, begin = False, position + 1
            yield value.take()
        begin = begin if mark else 0
    if opened:
        raise _cut_off(value.start or 1)


def _scan(numbered: Iterable[Located]) -> Iterator[tuple[int, str, int, str, int]]:
    """Each bracket and comma outside of strings: its line, position, and the depth after it.

    The end of a line is an empty mark. In JSON a string cannot span lines.
    """
    depth = 0
    for number, line in numbered:
        position = 0
        while token := _MARK.search(line, position):
            mark, position = token[0], token.end()
            if mark == '"':
                position = _string_end(line, position, number)
                continue
            depth += (mark in "[{") - (mark in "]}")
            if depth > _MAX_DEPTH:
                raise DataError("is nested too deeply", line=number, remedy="flatten the object")
            yield number, line, position - 1, mark, depth
        yield number, line, len(line), "", depth


def _string_end(line: str, position: int, number: int) -> int:
    while token := _STRING_MARK.search(line, position):
        position = token.end()
        if token[0] == '"':
            return position
    raise DataError("has a string that is not closed", line=number, remedy="write newlines as \\n")


def _only_space(text: str, number: int, where: str) -> None:
    if text.strip():
        raise DataError(f"has {text.strip()[:20]!r} {where}", line=number)


def _cut_off(number: int) -> DataError:
    return DataError(
        "begins a value that is never closed", line=number, remedy="is the file cut off?"
    )


_DELIMITERS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}


class _Record(NamedTuple):
    line: int
    value: Mapping[str, Any]
    key: str | None = None
    """The key of the record in an object of objects."""


@dataclass(frozen=True)
class RecordsReader(Reader):
    """Reads each row or object as triples about its subject.

    Nesting becomes paths (`address.city`), a list repeats its predicate, null and empty values are
    left out, and a number keeps its digits. A JSON file is a list of objects, consecutive objects,
    or one object of objects by id; an object with `triples` is read as an Item.
    """

    name: ClassVar[str] = "records"
    doc: ClassVar[str] = "rows and JSON objects as facts about their subject"

    mapping: Path | None = field(
        default=None, metadata={"doc": "a JSON or TOML file with the meaning of the columns"}
    )
    key: str | None = field(default=None, metadata={"doc": "the column of the subject"})
    id: str | None = field(default=None, metadata={"doc": "the column of the id"})
    text: str | None = field(default=None, metadata={"doc": "the column of the text"})
    system: str | None = field(default=None, metadata={"doc": "the column of the system"})
    category: str | None = field(default=None, metadata={"doc": "the column of the category"})
    delimiter: str | None = field(
        default=None, metadata={"doc": "the character between two cells, if not a comma or tab"}
    )

    def __post_init__(self) -> None:
        if self.delimiter is not None:
            check_delimiter(self.name, self.delimiter)

    def read(self, path: Path, *, bare: bool = False) -> Iterator[PlacedItem]:
        """Stream the items; the id of a record without one is its number, counted from 1."""
        mapping = self._mapping()
        for number, record in enumerate(self._records(path, mapping), 1):
            try:
                if _is_item(record.value):
                    item = item_from_object(record.value, bare=bare)
                else:
                    item = _item(record.value, mapping, record.key, str(number), bare=bare)
            except DataError as error:
                raise error.at(path, record.line) from None
            yield PlacedItem(item, path, record.line)

    def _mapping(self) -> RecordMapping:
        mapping = RecordMapping() if self.mapping is None else load_mapping(self.mapping)
        given: dict[str, Any] = {
            "id": self.id,
            "subject": self.key,
            "text": self.text,
            "system": self.system,
            "category": self.category,
        }
        return replace(mapping, **{name: column for name, column in given.items() if column})

    def _records(self, path: Path, mapping: RecordMapping) -> Iterator[_Record]:
        suffix = path.suffix.lower()
        first = next((line for _, line in lines(path) if line.strip()), "").lstrip()
        delimiter = self.delimiter or _DELIMITERS.get(suffix)
        if delimiter is None and first.startswith(("{", "[")):
            # In JSON lines each line is a record; elsewhere one object may hold many.
            return _from_json(path, keyed=first.startswith("{") and suffix not in JSON_LINES)
        return _from_table(path, delimiter or ("\t" if "\t" in first else ","), mapping)


def _from_table(path: Path, delimiter: str, mapping: RecordMapping) -> Iterator[_Record]:
    table = read_table(path, delimiter)
    for name in mapping.named():
        if name not in table.columns:
            there = ", ".join(map(repr, table.columns))
            raise DataError(
                f"has no column {name!r} (there are: {there[:200]})",
                path=path,
                line=1,
                remedy="correct the mapping",
            )
    for line, cells in table.rows:
        yield _Record(line, cells)


def _from_json(path: Path, *, keyed: bool) -> Iterator[_Record]:
    located = values(path)
    first = next(located, None)
    second = next(located, None)
    if first is not None and second is None and keyed:
        whole = _load(path, first)
        if whole and all(type(value) is dict for value in whole.values()):
            for member in members(first):
                ((key, value),) = _load(path, member).items()
                yield _Record(member[0], value, key)
            return
    for place in chain((pair for pair in (first, second) if pair is not None), located):
        yield _Record(place[0], _load(path, place))


def _load(path: Path, located: Located) -> dict[str, Any]:
    line, text = located
    try:
        value = load_literal(text)
        if type(value) is dict and _is_item(value):
            value = load_object(text)
    except DataError as error:
        raise error.at(path, line) from None
    if type(value) is not dict:
        raise DataError("is not an object", path=path, line=line, remedy="a record is an object")
    return value


def _is_item(value: Mapping[str, Any]) -> bool:
    """Whether a record has triples and is therefore read as an Item."""
    triples = value.get("triples")
    return type(triples) is list and bool(triples) and type(triples[0]) is list


def from_record(
    record: Mapping[str, Any],
    text: str | None = None,
    *,
    mapping: RecordMapping | Mapping[str, Any] | None = None,
) -> Item:
    """An item from a dict; `text` is the text of a record without one.

    >>> from_record({"name": "Blue Spice", "food": ["Thai", "tea"]}, "A place.").triples[1]
    Triple(subject='Blue Spice', predicate='food', object='tea')
    """
    if mapping is None:
        mapping = RecordMapping()
    elif not isinstance(mapping, RecordMapping):
        mapping = RecordMapping.from_object(mapping)
    if not isinstance(record, Mapping):
        raise DataError("the record is not a mapping", remedy="give a dict")
    if text is None:
        return _item(record, mapping, None, "1", bare=False)
    return replace(_item(record, mapping, None, "1", bare=True), text=text)


def _item(
    record: Mapping[str, Any],
    mapping: RecordMapping,
    key: str | None,
    number: str,
    *,
    bare: bool,
) -> Item:
    if "" in record:
        raise DataError("has an empty key", remedy="name it")
    facts = [
        fact
        for name, value in record.items()
        for fact in _flatten(plain_value(value, str(name)), str(name))
    ]
    cells: dict[str, list[str]] = {}
    for path, value in facts:
        cells.setdefault(path, []).append(value)
    roles = {
        role: find(column, cells) if column else None
        for role, column in (
            ("id", mapping.id or "id"),
            ("text", mapping.text or "text"),
            ("system", mapping.system or "system"),
            ("category", mapping.category),
        )
    }
    named = {role: _single(cells, path) for role, path in roles.items()}
    identifier = named["id"] or key or number
    if mapping.id and not named["id"]:
        raise DataError(f"has no {mapping.id!r} for its id", remedy="fill it")
    subject_path, subject = _subject(cells, mapping, key)
    references = mapping.reference_columns(cells)
    taken = {subject_path, *roles.values(), *references}
    triples = tuple(
        Triple(subject, mapping.predicate(path), value)
        for path, value in facts
        if value and path not in taken and not mapping.ignores(path)
    )
    if not triples:
        if subject_path in (None, roles["id"]):
            raise DataError("has no facts", remedy="a text without data cannot be judged")
        # A name without other facts states itself, as in an attribute list.
        triples = (Triple(subject, mapping.predicate(str(subject_path)), subject),)
    text = named["text"]
    if text is None and not bare:
        raise DataError(
            f"has no {mapping.text or 'text'!r}",
            remedy='name its column (records:text=COLUMN) or give --texts; an empty text is ""',
        )
    texts = [value for path in references for value in cells[path] if value]
    return Item(
        identifier,
        triples,
        "" if bare or text is None else text,
        named["system"] or "",
        named["category"] or None,
        references=(*texts, text) if bare and text else tuple(texts),
        meta=_ignored(cells, mapping, taken),
    )


def _flatten(value: Any, path: str) -> Iterator[tuple[str, str]]:
    """Every value with its path, including empty strings, since a text may be empty."""
    if isinstance(value, dict):
        for name, part in value.items():
            if not name:
                raise DataError(f"has an empty key in {path!r}", remedy="name it")
            yield from _flatten(part, f"{path}.{name}")
    elif isinstance(value, list):
        for part in value:
            yield from _flatten(part, path)
    elif isinstance(value, bool):
        yield path, "true" if value else "false"
    elif value is not None:
        yield path, str(value)


def _single(cells: Mapping[str, list[str]], path: str | None) -> str | None:
    if path is None:
        return None
    if len(cells[path]) > 1:
        raise DataError(f"has {len(cells[path])} values for {path!r}, not one")
    return cells[path][0]


def _subject(
    cells: Mapping[str, list[str]], mapping: RecordMapping, key: str | None
) -> tuple[str | None, str]:
    for name in mapping.subject_candidates():
        path = find(name, cells)
        value = _single(cells, path)
        if value:
            return path, value
    if mapping.subject is not None:
        raise DataError(f"has no {mapping.subject!r} for its subject", remedy="fill it")
    if key:
        return None, key
    raise DataError(
        "has no name, title, label or id for its subject",
        remedy="name the column: records:key=COLUMN",
    )


def _ignored(
    cells: Mapping[str, list[str]], mapping: RecordMapping, taken: set[str | None]
) -> dict[str, Any]:
    return {
        path: found[0] if len(found) == 1 else found
        for path, found in cells.items()
        if path not in taken and mapping.ignores(path)
    }
