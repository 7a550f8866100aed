"""Records, the rows and JSON objects of users, as items.

`stream_json` reads the values of a JSON file of any size one at a time, and `RecordsReader` finds
the record and the text in each row or object: the facts of a record are read by
`adequa.readers.facts`, logs and chats by `adequa.readers.logs`.
"""

from __future__ import annotations

import codecs
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, NamedTuple

from adequa.codec import item_from_object
from adequa.data import UNNAMED, Item, Triple
from adequa.errors import DataError
from adequa.files import (
    MAX_LINE_BYTES,
    LineRange,
    lines,
    load_object,
    open_bytes,
    reject_constant,
    require_shallow,
)
from adequa.readers.base import PlacedItem, Reader, delimiter_of
from adequa.readers.facts import LeftOut, Number, RecordFacts, read_facts, say_scalar
from adequa.readers.logs import TEXTS, read_log
from adequa.readers.mapping import RecordMapping, find, load_mapping
from adequa.readers.tables import check_delimiter, plain_value, read_table
from adequa.settings import setting
from adequa.text.linearised import triples_from_object

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


def _number(text: str) -> Number | str:
    number = Number(text)
    return number if math.isfinite(number) else text  # 1e999 is too large for a float


DIGITS = json.JSONDecoder(
    parse_float=_number, parse_constant=reject_constant, object_pairs_hook=_unique
)
"""A number keeps its digits, so that 1.50 stays 1.50."""
decode_record = DIGITS.decode
"""The value of a string of JSON, whose numbers keep their digits."""


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
        key, after = DIGITS.raw_decode(text, start)
        begin = _skip(text, after)
        value, end = DIGITS.raw_decode(text, begin)
        yield key, JsonValue(line, value, text[begin:end])
        line += text.count("\n", start, end)


def elements(whole: JsonValue) -> Iterator[JsonValue]:
    """The values of a list, each with the line on which it begins."""
    line, _, text = whole
    end = 1
    while text[start := _skip(text, end)] != "]":
        line += text.count("\n", end, start)
        value, end = DIGITS.raw_decode(text, start)
        yield JsonValue(line, value, text[start:end])
        line += text.count("\n", start, end)


def _skip(text: str, position: int) -> int:
    return _BETWEEN.match(text, position).end()  # type: ignore[union-attr]


_DELIMITERS = {".tsv": "\t", ".tab": "\t"}
_HEAD = 50
"""Records at the beginning of a file by which the column of the text is found."""
_PROSE_WORDS = 6
_PROSE_SHARE = 0.6
"""A column is prose if so many of its cells have so many words and end like a sentence.

Chosen by hand: product names and enumerations stay below, one-sentence descriptions above.
"""


class _Row(NamedTuple):
    line: int
    value: Mapping[str, Any]
    key: str | None = None
    """The key of the record in an object of objects."""


class RecordReading(NamedTuple):
    """How a record was read: the item, its facts, and the column of its text if one was found."""

    item: Item
    facts: RecordFacts | None
    """None for an item with triples of its own."""
    text_column: str | None = None


@dataclass(frozen=True)
class RecordsReader(Reader):
    """Reads each row or object as facts about its subject; its structure survives.

    A JSON file is a list of objects, consecutive objects, or one object of objects by id; an object
    with `triples` is read as an Item, a log of inputs and outputs or chats by its keys. A cell of a
    table may hold JSON. Null, empty and technical values are left out, and a number keeps its
    digits. `adequa convert --explain` shows which fields became facts.
    """

    name: ClassVar[str] = "records"
    doc: ClassVar[str] = "rows, JSON objects, logs and chats as facts about their subject"

    mapping: Path | None = setting(None, "a JSON or TOML file with the meaning of the columns")
    key: str | None = setting(None, "the column of the subject")
    id: str | None = setting(None, "the column of the id")
    text: str | None = setting(None, "the column of the text; found if it is the only prose")
    system: str | None = setting(None, "the column of the system")
    category: str | None = setting(None, "the column of the category")
    record: str | None = setting(None, "the column of the record, if it is not the whole row")
    keep: tuple[str, ...] = setting((), "technical fields that are facts; * is all of them")
    ignore: tuple[str, ...] = setting((), "fields that are not facts")
    delimiter: str | None = setting(None, "the character between two cells, by default , ; or tab")

    def __post_init__(self) -> None:
        if self.delimiter is not None:
            check_delimiter(self.name, self.delimiter)

    def read(self, path: Path, *, bare: bool = False) -> Iterator[PlacedItem]:
        """Stream the items; the id of a record without one is its number, counted from 1."""
        for place, _ in self.readings(path, bare=bare):
            yield place

    def has_lines(self, path: Path) -> bool:
        """Whether the file has one record per line."""
        is_json = path.suffix.lower() in JSON_LINES and self.delimiter is None
        return is_json and _first_line(path).startswith(("{", "["))

    def read_within(self, path: Path, within: LineRange, position: int) -> Iterator[PlacedItem]:
        """Stream the items of a part of a file of JSON lines."""
        for place, _ in self.readings(path, within=within, position=position):
            yield place

    def with_text(self, item: Item, text: str) -> Item:
        """The item with a text from another file."""
        return with_text(item, text, self._mapping())

    def head(self, path: Path) -> list[Mapping[str, Any]]:
        """The first rows or objects, as the file has them."""
        return [row.value for row in islice(self._rows(path, RecordMapping()), _HEAD)]

    def readings(
        self,
        path: Path,
        *,
        bare: bool = False,
        within: LineRange | None = None,
        position: int = 0,
    ) -> Iterator[tuple[PlacedItem, RecordReading]]:
        """The items together with how each record was read; `within` is for JSON lines."""
        mapping = self._mapping()
        rows = self._rows(path, mapping)
        head = list(islice(rows, _HEAD))  # the beginning of the file, for every part of it
        candidates = text_candidates([row.value for row in head])
        columns = RoleColumns(mapping, candidates, path)
        wanted = chain(head, rows) if within is None else _from_values(path, _lines(path, within))
        for number, row in enumerate(wanted, position + 1):
            try:
                reading = _read_row(row, columns, number, bare=bare)
            except DataError as error:
                raise error.at(path, row.line) from None
            yield PlacedItem(reading.item, path, row.line), reading

    def _mapping(self) -> RecordMapping:
        mapping = RecordMapping() if self.mapping is None else load_mapping(self.mapping)
        given: dict[str, Any] = {"id": self.id, "subject": self.key, "text": self.text}
        given |= {"system": self.system, "category": self.category, "record": self.record}
        given |= {"keep": mapping.keep + self.keep, "ignore": mapping.ignore + self.ignore}
        return replace(mapping, **{name: column for name, column in given.items() if column})

    def _rows(self, path: Path, mapping: RecordMapping) -> Iterator[_Row]:
        suffix = path.suffix.lower()
        first = _first_line(path)
        delimiter = self.delimiter or _DELIMITERS.get(suffix)
        if delimiter is None and suffix != ".csv" and first.startswith(("{", "[")):
            # In JSON lines each line is a record; elsewhere one object may hold many.
            return _from_json(path, keyed=first.startswith("{") and suffix not in JSON_LINES)
        if delimiter is None:
            delimiter = "\t" if suffix != ".csv" and "\t" in first else delimiter_of(first)
        return _from_table(path, delimiter, mapping)


def _first_line(path: Path) -> str:
    """The first line with something in it."""
    return next((line for _, line in lines(path) if line.strip()), "").lstrip()


def _from_table(path: Path, delimiter: str, mapping: RecordMapping) -> Iterator[_Row]:
    table = read_table(path, delimiter)
    for name in mapping.named():
        if name.partition(".")[0] not in table.columns and name not in table.columns:
            there = ", ".join(map(repr, table.columns))
            problem = f"has no column {name!r} (there are: {there[:200]})"
            raise DataError(problem, path=path, line=1, remedy="correct the mapping")
    for line, cells in table.rows:
        yield _Row(line, {name: _cell(value) for name, value in cells.items()})


def _cell(value: str) -> Any:
    """A cell of a table; JSON objects and lists in it are read."""
    if value[:1] not in ("{", "[") or value.rstrip()[-1:] not in ("}", "]"):
        return value
    try:
        found = DIGITS.decode(value)
    except (ValueError, RecursionError, DataError):
        return value
    return found if isinstance(found, dict | list) else value


def _from_json(path: Path, *, keyed: bool) -> Iterator[_Row]:
    located = _values(path)
    first = next(located, None)
    second = next(located, None)
    if keyed and first is not None and second is None and _is_keyed(first.value):
        for key, member in members(first):
            yield _Row(member.line, _content(path, member), key)
        return
    if keyed and first is not None and second is None and _is_wrapped(first.value):
        ((_, wrapped),) = members(first)
        yield from _from_values(path, elements(wrapped))
        return
    yield from _from_values(path, chain(filter(None, (first, second)), located))


def _from_values(path: Path, located: Iterable[JsonValue]) -> Iterator[_Row]:
    for one in located:
        yield _Row(one.line, _content(path, one))


def _is_keyed(value: Mapping[str, Any]) -> bool:
    """Whether an object is a collection of records by id, rather than a record of objects.

    The records of a collection have keys in common; the parts of a record have few or none.
    """
    inner = list(value.values())
    if not inner or not all(type(part) is dict for part in inner):
        return False
    if read_log(value, record=None, text=None, decode=DIGITS.raw_decode) is not None:
        return False
    texts = {"triples", *TEXTS}
    if all(texts & {key.casefold() for key in part} for part in inner):
        return True
    common = set(inner[0]).intersection(*inner[1:])
    return len(inner) > 1 and 2 * len(common) >= max(map(len, inner)) and "home" not in value


def _is_wrapped(value: Mapping[str, Any]) -> bool:
    """Whether an object is nothing but the name of a list of records: `{"matches": [{…}, {…}]}`."""
    (inner, *others) = value.values() or ((),)
    is_list = type(inner) is list and all(type(part) is dict for part in inner)
    return is_list and len(inner) > 1 and not others


def _values(path: Path) -> Iterator[JsonValue]:
    """The values of a JSON file; a file of JSON lines is split at its lines, which is faster."""
    if path.suffix.lower() not in JSON_LINES:
        return stream_json(path, DIGITS.raw_decode)
    return _lines(path, LineRange())


def _lines(path: Path, within: LineRange) -> Iterator[JsonValue]:
    for number, line in lines(path, within=within):
        if line.strip():
            try:
                yield JsonValue(number, load_object(line, decode=DIGITS.decode), line)
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


@dataclass(frozen=True)
class RoleColumns:
    """The mapping of a file, and the columns that may be its text."""

    mapping: RecordMapping
    candidates: tuple[str, ...] = ()
    """Best first; the first is taken if it is the only one or has a name that says so."""
    path: Path | None = None

    @property
    def text(self) -> str | None:
        """The column of the text where there is no `text`: told, or the only candidate."""
        if self.mapping.text or not self.candidates:
            return self.mapping.text
        known = [one for one in self.candidates if one.casefold() in TEXTS]
        if len(known) == 1:
            return known[0]
        return self.candidates[0] if len(self.candidates) == 1 else None

    def missing_text(self) -> DataError:
        """The error for a record without a text, with the argument that names its column."""
        if self.mapping.text:
            return DataError(f"has no {self.mapping.text!r}", remedy='an empty text is ""')
        problem = "has no 'text'"
        if self.candidates:
            problem += f"; it could be {' or '.join(map(repr, self.candidates))}"
        if self.path is None:
            return DataError(problem, remedy='add it; an empty text is ""')
        column = self.candidates[0] if self.candidates else "COLUMN"
        named = f'format="records:text={column}"'
        return DataError(problem, remedy=f"name its column: {named}; or give texts=…")


def text_candidates(rows: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """The columns that may be the text of records that have no `text`, best first.

    >>> text_candidates([{"name": "Alba", "blurb": "Alba is a quiet village by the sea."}])
    ('blurb',)
    """
    rows = [row for row in rows if not _is_item(row)]
    columns = list(dict.fromkeys(str(name) for row in rows for name in row))
    if not rows or find("text", columns):
        return ()
    known = [name for name in columns if name.casefold() in TEXTS and _all_strings(rows, name)]
    known.sort(key=lambda name: TEXTS.index(name.casefold()))
    prose = [name for name in columns if name not in known and _is_prose(rows, name)]
    return (*known, *prose)


def _all_strings(rows: Sequence[Mapping[str, Any]], name: str) -> bool:
    return all(isinstance(row.get(name, ""), str) for row in rows)


def _is_prose(rows: Sequence[Mapping[str, Any]], name: str) -> bool:
    cells = [row[name] for row in rows if name in row]
    said = [
        isinstance(cell, str)
        and len(cell.split()) >= _PROSE_WORDS
        and cell.rstrip().endswith((".", "!", "?", ".”", '."', "…", "。"))
        for cell in cells
    ]
    return bool(said) and sum(said) >= _PROSE_SHARE * len(rows)


def _read_row(row: _Row, columns: RoleColumns, number: int, *, bare: bool) -> RecordReading:
    mapping = columns.mapping
    if _is_item(row.value):
        return RecordReading(item_from_object(row.value, bare=bare, position=number), None)
    log = read_log(row.value, record=mapping.record, text=mapping.text, decode=DIGITS.raw_decode)
    if log is None:
        return _read_flat(row, columns, number, bare=bare)
    if log.text is None and not bare:
        raise columns.missing_text()
    envelope = {
        name: part for name, part in row.value.items() if name not in log.used and part is not None
    }
    named = {
        role: _take(envelope, column)
        for role, column in (
            ("id", mapping.id or "id"),
            ("system", mapping.system or "system"),
            ("category", mapping.category or "category"),
            ("lang", "lang"),
        )
    }
    if named["system"] is None and mapping.system is None:
        named["system"] = _take(envelope, "model")  # what a log calls the writer of its texts
    references = _references(envelope, mapping)
    coverage = envelope.pop("coverage", None)
    if coverage not in (None, "all", "selected"):
        raise DataError(f"'coverage' is {coverage!r}", remedy='write "all" or "selected"')
    meta = envelope.pop("meta", None) or {}
    if not isinstance(meta, dict):
        raise DataError("'meta' is not an object")
    text = log.text or ""
    reading = read_record(
        log.record, "" if bare else text, mapping=mapping, id=named["id"] or row.key or str(number)
    )
    kept = {} if not bare or log.text is None else {"text": log.text}
    item = replace(
        reading.item,
        system=named["system"] or "",
        category=named["category"],
        lang=named["lang"],
        references=references,
        meta={**reading.item.meta, **meta, **envelope, **kept},
        coverage=coverage or reading.item.coverage,
    )
    return reading._replace(item=item)


def _take(envelope: dict[str, Any], column: str) -> str | None:
    """Remove the value of a column and give it as a string; None if there is none."""
    key = find(column, envelope)
    if key is None or isinstance(envelope[key], dict | list):
        return None
    value = envelope.pop(key)
    return _written(value) or None


def _written(value: Any) -> str:
    """A value of a role as it is written; a text keeps its spaces."""
    if value is None:
        return ""
    return value if isinstance(value, str) else say_scalar(value)


def _references(envelope: dict[str, Any], mapping: RecordMapping) -> tuple[str, ...]:
    found: list[str] = []
    for name in mapping.reference_columns(envelope):
        value = envelope.pop(name)
        parts = value if isinstance(value, list) else [value]
        found += [_written(part) for part in parts if part is not None and part != ""]
    return tuple(found)


def read_record(
    record: Any,
    text: str,
    *,
    mapping: RecordMapping | None = None,
    id: str = "1",  # noqa: A002
    key: str | None = None,
) -> RecordReading:
    """The item of a record all of whose fields are data, and how it was read.

    A list of triples stays what it is.
    """
    record = plain_value(record, "record", nulls=True)
    if _is_item({"triples": record}) and all(len(part) == 3 for part in record):
        return RecordReading(Item(id, triples_from_object(record), text), None)
    if not isinstance(record, dict | list):
        raise DataError("is not a record", remedy="a record is a JSON object or a list of objects")
    facts = read_facts(record, mapping=mapping, text=text, key=key)
    triples, paths = facts.triples, facts.paths
    if not triples:
        if facts.subject_path is None:
            raise DataError("has no facts", remedy="a text without data cannot be judged")
        # A name without other facts states itself, as in an attribute list.
        name = facts.subject_path.rpartition("/")[2]
        triples, paths = (Triple(facts.subject, name, facts.subject),), (facts.subject_path,)
    item = Item(
        id,
        triples,
        text,
        terms=facts.terms,
        meta=_ignored(facts.left_out),
        record=record,
        paths=paths,
        coverage="selected",
    )
    return RecordReading(item, facts)


def _ignored(left_out: Iterable[LeftOut]) -> dict[str, Any]:
    """The fields that the user ignores, by their path without positions."""
    found: dict[str, list[Any]] = {}
    for one in left_out:
        if one.why == "ignored":
            keys = [part for part in one.path.split("/")[1:] if not part.isdigit()]
            found.setdefault(".".join(keys), []).append(one.value)
    return {path: values[0] if len(values) == 1 else values for path, values in found.items()}


def read_object(
    raw: Any, *, position: int, bare: bool = False, mapping: RecordMapping | None = None
) -> Item:
    """The item of one JSON object: with `triples`, with a `record`, or of a log or a chat.

    >>> read_object({"input": {"name": "Alba", "port": "Oban"}, "output": "Alba."}, position=1).text
    'Alba.'
    """
    mapping = mapping or RecordMapping()
    if type(raw) is not dict or "triples" in raw or not _is_log(raw, mapping):
        return item_from_object(raw, bare=bare, position=position)
    return _read_row(_Row(position, raw), RoleColumns(mapping), position, bare=bare).item


def _is_log(raw: Mapping[str, Any], mapping: RecordMapping) -> bool:
    found = read_log(raw, record=mapping.record, text=mapping.text, decode=DIGITS.raw_decode)
    return found is not None


def read_data(raw: Any) -> Item:
    """The item, without a text, of one JSON value that is data: a record, or a log with one.

    The texts of a row are not data: what is checked against it comes from elsewhere.
    """
    if isinstance(raw, dict):
        if _is_item(raw):
            return item_from_object({"text": "", **raw}, position=1)
        log = read_log(raw, record=None, text=None, decode=DIGITS.raw_decode)
        if log is not None:
            return read_record(log.record, "").item
        texts = {"text", "reference", "references"}
        raw = {key: part for key, part in raw.items() if key.casefold() not in texts}
    return read_record(raw, "").item


def parse_record(written: str) -> Item:
    """The item, without a text, of a record in JSON; numbers keep their digits."""
    return read_data(load_object(written, decode=DIGITS.decode))


def with_text(item: Item, text: str, mapping: RecordMapping | None = None) -> Item:
    """An item with its text; the facts of a record are read again, as they depend on the text.

    A record without a name may be named by what its text says, and an id is a fact where the text
    says it.
    """
    if item.record is None:
        return replace(item, text=text)
    unnamed = item.terms.get(item.id)
    key = item.id if unnamed is not None and unnamed.datatype == UNNAMED else None
    read = read_record(item.record, text, mapping=mapping, id=item.id, key=key).item
    return replace(item, text=text, triples=read.triples, paths=read.paths, terms=read.terms)


def from_record(
    record: Mapping[str, Any],
    text: str | None = None,
    *,
    mapping: RecordMapping | Mapping[str, Any] | None = None,
) -> Item:
    """An item from a dict with the columns of a row; `text` is the text of one without.

    >>> from_record({"name": "Blue Spice", "food": ["Thai", "tea"]}, "A place.").triples[1]
    Triple(subject='Blue Spice', predicate='food', object='tea')
    """
    if mapping is None:
        mapping = RecordMapping()
    elif not isinstance(mapping, RecordMapping):
        mapping = RecordMapping.from_object(mapping)
    if not isinstance(record, Mapping):
        raise DataError("the record is not a mapping", remedy="give a dict")
    cells = {str(key): plain_value(value, str(key), nulls=True) for key, value in record.items()}
    row = _Row(1, cells)
    if text is None:
        candidates = text_candidates([row.value])
        return _read_flat(row, RoleColumns(mapping, candidates), 1, bare=False).item
    return _read_flat(row, RoleColumns(mapping), 1, bare=True, text=text).item


def _read_flat(
    row: _Row, columns: RoleColumns, number: int, *, bare: bool, text: str | None = None
) -> RecordReading:
    """The item of a row that has the text and the id beside the facts."""
    mapping = columns.mapping
    data = dict(row.value)
    if "" in data:
        raise DataError("has an empty key", remedy="name it")
    text_column = columns.text or "text"
    named = {
        role: _pull(data, column, keep=column == mapping.subject)
        for role, column in (
            ("id", mapping.id or "id"),
            ("text", text_column),
            ("system", mapping.system or "system"),
            ("category", mapping.category),
        )
    }
    if mapping.id and not named["id"]:
        raise DataError(f"has no {mapping.id!r} for its id", remedy="fill it")
    own = named["text"]
    if own is None and not bare:
        raise columns.missing_text()
    references = _references(data, mapping)
    said = text if text is not None else "" if bare or own is None else own
    reading = read_record(
        data,
        said,
        mapping=mapping,
        id=named["id"] or row.key or str(number),
        key=row.key or named["id"],
    )
    item = replace(
        reading.item,
        system=named["system"] or "",
        category=named["category"] or None,
        references=(*references, own) if bare and own else references,
    )
    return RecordReading(item, reading.facts, text_column if own is not None else None)


def _pull(data: dict[str, Any], column: str | None, *, keep: bool) -> str | None:
    """The single value of a column or path, which is no longer data; None if there is none."""
    if column is None:
        return None
    parts = [column] if find(column, data) else column.split(".")
    inside: Any = data
    for part in parts[:-1]:
        key = find(part, inside) if isinstance(inside, Mapping) else None
        if key is None or not isinstance(inside[key], dict):
            return None
        inside[key] = dict(inside[key])  # the caller's record stays as it is
        inside = inside[key]
    key = find(parts[-1], inside)
    if key is None:
        return None
    value = inside[key]
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, dict | list):
        raise DataError(f"has {len(value)} values for {column!r}, not one")
    if not keep:
        del inside[key]
    return None if value is None else _written(value)
