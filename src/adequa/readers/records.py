"""Records, the rows and JSON objects of users, as items.

`RecordMapping` says what the columns mean, `stream_json` reads the values of a JSON file of any
size one at a time, and `RecordsReader` flattens each record into triples.
"""

from __future__ import annotations

import codecs
import importlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, NamedTuple

from adequa.codec import item_from_object
from adequa.data import Item, Triple
from adequa.errors import DataError, UnknownName
from adequa.files import (
    MAX_LINE_BYTES,
    lines,
    load_object,
    open_bytes,
    read_text,
    reject_constant,
    require_shallow,
)
from adequa.readers.base import PlacedItem, Reader
from adequa.readers.tables import check_delimiter, plain_value, read_table
from adequa.settings import setting

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
    text = read_text(path)
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


JSON_LINES = (".jsonl", ".ndjson")
"""The endings of files with one value per line."""

RawDecode = Callable[[str, int], tuple[Any, int]]
"""`raw_decode` of a JSON decoder: the value that begins at a position, and its end."""

_PIECE_BYTES = 1 << 20
_SPACE = re.compile(r"[ \t\n\r]*")
_BETWEEN = re.compile(r"[ \t\n\r,:]*")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = dict(pairs)
    if len(names) < len(pairs):
        seen: set[str] = set()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise DataError(f"has the key {twice!r} twice", remedy="write the values as one list")
    return names


_literal = json.JSONDecoder(
    parse_float=str, parse_int=str, parse_constant=reject_constant, object_pairs_hook=_unique
)
"""A number becomes its text, so that 1.50 stays 1.50."""


class JsonValue(NamedTuple):
    """A value of a JSON file, its text, and the line on which it begins."""

    line: int
    value: Any
    text: str


def stream_json(path: Path, decode: RawDecode) -> Iterator[JsonValue]:
    """The elements of the list, or the consecutive objects, of a JSON file of any size.

    A file may be one line of many gigabytes. It is read in pieces and parsed at the speed of C;
    where a piece ends within a value, more is read. So only one value and one piece are in memory.
    """
    with open_bytes(path) as stream:
        window = _Window(stream, decode)
        try:
            yield from window.values()
        except DataError as error:
            raise error.at(path, window.line) from None


class _Window:
    """The part of a file that is read but not yet used, and the line on which it begins."""

    def __init__(self, stream: BinaryIO, decode: RawDecode) -> None:
        self.line = 1
        self._stream = stream
        self._decode = decode
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._text = ""
        self._position = 0

    def values(self) -> Iterator[JsonValue]:
        mark = self._peek()
        if mark == "[":
            yield from self._elements()
            if mark := self._peek():
                raise DataError(f"has {mark!r} after the end of the list")
            return
        if not mark:
            raise DataError("is empty", remedy="write one object per line")
        while mark := self._peek():
            if mark != "{":
                problem = f"has {mark!r} where an object should begin"
                raise DataError(problem, remedy="write a list of objects")
            yield self._value()

    def _elements(self) -> Iterator[JsonValue]:
        before = "["
        while True:
            self._advance(self._position + 1)  # past the bracket or comma
            mark = self._peek()
            if mark == "," or (mark == "]" and before == ","):
                raise DataError("has a comma too many", remedy="remove it")
            if mark and mark != "]":
                yield self._value()
                mark = self._peek()
            if not mark:
                raise DataError("has a list that is never closed", remedy="is the file cut off?")
            before = mark
            if mark == "]":
                self._advance(self._position + 1)
                return
            if mark != ",":
                raise DataError(f"has {mark!r} where ']' or a comma should be")

    def _peek(self) -> str:
        """The next character that is not a space, or "" at the end of the file."""
        while True:
            end = _SPACE.match(self._text, self._position).end()  # type: ignore[union-attr]
            self._advance(end)
            if end < len(self._text):
                return self._text[end]
            if not self._read():
                return ""

    def _value(self) -> JsonValue:
        while True:
            try:
                value, end = self._decode(self._text, self._position)
            except json.JSONDecodeError as error:
                if len(self._text) - self._position <= MAX_LINE_BYTES and self._read():
                    continue
                raise self._explain(error) from None
            except RecursionError:
                raise DataError("is nested too deeply", remedy="flatten the object") from None
            except ValueError:
                problem = "has a number that cannot be read (too many digits)"
                raise DataError(problem, remedy="write it as a string") from None
            if end == len(self._text) and self._text[-1] not in '}]"' and self._read():
                continue  # a number may go on in the next piece
            found = JsonValue(self.line, value, self._text[self._position : end])
            require_shallow(found.text, value)
            if "\\ud" in found.text or "\\uD" in found.text:
                load_object(found.text)  # which rejects half of a surrogate pair
            self._advance(end)
            return found

    def _explain(self, error: json.JSONDecodeError) -> DataError:
        line = self.line + self._text.count("\n", self._position, error.pos)
        if len(self._text) - self._position > MAX_LINE_BYTES:
            return DataError(
                f"begins a value longer than {MAX_LINE_BYTES >> 20} MB, or one that is not JSON"
                f" ({error.msg} on line {line})",
                remedy="write one object per line",
            )
        if error.msg.startswith("Invalid control") and self._text[error.pos] in "\r\n":
            problem = "has a string that is not closed"
            return DataError(problem, line=line, remedy="write newlines as \\n")
        if error.msg.startswith("Unterminated") or error.pos >= len(self._text.rstrip()):
            problem = "ends within a value that is never closed"
            return DataError(problem, line=line, remedy="is the file cut off?")
        return DataError(f"is not JSON ({error.msg})", line=line, remedy="correct it")

    def _advance(self, end: int) -> None:
        self.line += self._text.count("\n", self._position, end)
        self._position = end

    def _read(self) -> bool:
        """Read more, the more the longer the current value is; False at the end of the file."""
        rest = self._text[self._position :]
        raw = self._stream.read(max(_PIECE_BYTES, len(rest)))
        try:
            piece = self._decoder.decode(raw, final=not raw)
        except UnicodeDecodeError as error:
            line = self.line + rest.count("\n") + error.object.count(b"\n", 0, error.start)
            problem = f"is not UTF-8 ({error.object[error.start]:#04x})"
            raise DataError(problem, line=line, remedy="convert the file to UTF-8") from None
        if "\0" in piece:
            line = self.line + rest.count("\n") + piece.count("\n", 0, piece.index("\0"))
            raise DataError("has a NUL byte", line=line, remedy="is this a binary file?")
        if raw:
            self._text, self._position = rest + piece, 0
        return bool(raw)


def members(whole: JsonValue) -> Iterator[tuple[str, JsonValue]]:
    """The values of an object by key, each with the line on which its key begins."""
    line, _, text = whole
    end = 1
    while True:
        start = _skip(text, end)
        if text[start] == "}":
            return
        line += text.count("\n", end, start)
        key, after = _literal.raw_decode(text, start)
        begin = _skip(text, after)
        value, end = _literal.raw_decode(text, begin)
        yield key, JsonValue(line, value, text[begin:end])
        line += text.count("\n", start, end)


def _skip(text: str, position: int) -> int:
    return _BETWEEN.match(text, position).end()  # type: ignore[union-attr]


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

    mapping: Path | None = setting(None, "a JSON or TOML file with the meaning of the columns")
    key: str | None = setting(None, "the column of the subject")
    id: str | None = setting(None, "the column of the id")
    text: str | None = setting(None, "the column of the text")
    system: str | None = setting(None, "the column of the system")
    category: str | None = setting(None, "the column of the category")
    delimiter: str | None = setting(None, "the character between two cells, if not a comma or tab")

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
        given: dict[str, Any] = {"id": self.id, "subject": self.key, "text": self.text}
        given |= {"system": self.system, "category": self.category}
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
            problem = f"has no column {name!r} (there are: {there[:200]})"
            raise DataError(problem, path=path, line=1, remedy="correct the mapping")
    for line, cells in table.rows:
        yield _Record(line, cells)


def _from_json(path: Path, *, keyed: bool) -> Iterator[_Record]:
    located = _values(path)
    first = next(located, None)
    second = next(located, None)
    if keyed and first is not None and second is None:
        inner = first.value.values()
        if inner and all(type(value) is dict for value in inner):
            for key, member in members(first):
                yield _Record(member.line, _content(path, member), key)
            return
    for one in chain((one for one in (first, second) if one is not None), located):
        yield _Record(one.line, _content(path, one))


def _values(path: Path) -> Iterator[JsonValue]:
    """The values of a JSON file; a file of JSON lines is split at its lines, which is faster."""
    if path.suffix.lower() not in JSON_LINES:
        yield from stream_json(path, _literal.raw_decode)
        return
    for number, line in lines(path):
        if line.strip():
            try:
                yield JsonValue(number, load_object(line, decode=_literal.decode), line)
            except DataError as error:
                raise error.at(path, number) from None


def _content(path: Path, located: JsonValue) -> dict[str, Any]:
    if type(located.value) is not dict:
        remedy = "a record is an object"
        raise DataError("is not an object", path=path, line=located.line, remedy=remedy)
    return load_object(located.text) if _is_item(located.value) else located.value


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
        remedy = 'name its column (records:text=COLUMN) or give --texts; an empty text is ""'
        raise DataError(f"has no {mapping.text or 'text'!r}", remedy=remedy)
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
    problem = "has no name, title, label or id for its subject"
    raise DataError(problem, remedy="name the column: records:key=COLUMN")


def _ignored(
    cells: Mapping[str, list[str]], mapping: RecordMapping, taken: set[str | None]
) -> dict[str, Any]:
    return {
        path: found[0] if len(found) == 1 else found
        for path, found in cells.items()
        if path not in taken and mapping.ignores(path)
    }
