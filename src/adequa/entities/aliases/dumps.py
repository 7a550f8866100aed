"""The names in a dump of DBpedia or Wikidata, compressed or not, read block by block.

N-Triples and N-Quads are parsed here with string methods rather than by pyoxigraph, because nearly
all lines of a dump have single spaces and say nothing about names: only their beginning and end are
examined. Other lines take a slower parser with the same result. Inside IRIs only characters that
could be mistaken for their end are refused. Turtle is left to pyoxigraph.
"""

from __future__ import annotations

import hashlib
import importlib
import io
import lzma
import re
import zlib
from collections.abc import Callable, Container, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple, cast
from urllib.parse import unquote

from adequa.entities.aliases.lookup import tidy
from adequa.errors import DataError

Statement = tuple[str, str, str, str, str]
"""Subject (`<iri>` or `_:label`), and without their marks predicate, object IRI, literal, language.

All are as in the file, with escapes; a missing part is "".
"""

_IRI = r"<[^<> \n]*>"
_BLANK = r"_:[^\s<>\"]+"
_SUBJECT = re.compile(rf"{_IRI}|{_BLANK}")
_PREDICATE = re.compile(_IRI)
_BEGINNING = re.compile(rf"[ \t]*({_IRI}|{_BLANK})[ \t]*({_IRI})[ \t]*")
_RESOURCE = re.compile(rf"{_IRI}|{_BLANK}(?<!\.)")
_KIND = re.compile(rf"(?:@([A-Za-z]+(?:-[A-Za-z0-9]+)*)|\^\^{_IRI})?")
_END = re.compile(rf"[ \t]*(?:(?:{_IRI}|{_BLANK}(?<!\.))[ \t]*)?\.[ \t]*(?:\#.*)?\r?")
_NOTHING = re.compile(r"[ \t]*(?:\#.*)?\r?")
_MARKS = (b"<", b'"', b"_")
_CACHED = 10_000
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.?))")
_CHARACTERS = dict(zip("tbnrf\"'\\", "\t\b\n\r\f\"'\\", strict=True))
_HALF = re.compile("[\ud800-\udfff]")


class NTriplesLines:
    """The statements with a wanted predicate and language."""

    def __init__(self, predicates: Container[str], is_wanted: Callable[[str], bool]) -> None:
        self._wanted = predicates
        self._is_wanted_language = is_wanted
        # By the bytes in the file; False means valid, but not wanted.
        self._predicates: dict[bytes, str | Literal[False]] = {}
        self._languages: dict[bytes, str | Literal[False]] = {}
        self.statements = 0
        """The number of statements, wanted or not."""

    def wanted(self, block: bytes) -> Iterator[tuple[int, Statement]]:
        """The statements of a UTF-8 block without a final newline, with line numbers from 1.

        A line that is not a statement raises a DataError with its number.
        """
        subject_before, subject, number = b"", "", 0
        predicates, languages = self._predicates, self._languages
        for number, line in enumerate(block.split(b"\n"), 1):
            parts = line.split(b" ", 2)
            if len(parts) == 3:
                first, second, value = parts
                predicate = predicates.get(second)
                if predicate is None:
                    predicate = self._predicate(second)
                if first != subject_before and predicate is not None:
                    subject_before, subject = first, first.decode()
                    if not _SUBJECT.fullmatch(subject):
                        subject_before, predicate = b"", None
                mark = value[:1]
                if predicate is False:
                    if value[-2:] == b" ." and mark in _MARKS:
                        continue
                elif predicate is not None and mark == b'"':
                    end = value.rfind(b'"')
                    suffix = value[end + 1 :]
                    language = languages.get(suffix)
                    if language is None:
                        language = self._language(suffix)
                    if language is False:
                        continue
                    if language is not None and _is_literal(value[: end + 1]):
                        yield number, (subject, predicate, "", value[1:end].decode(), language)
                        continue
                elif predicate is not None and mark == b"<" and value[-3:] == b"> .":
                    iri = value[1:-3]
                    if not (b" " in iri or b"<" in iri or b">" in iri):
                        yield number, (subject, predicate, iri.decode(), "", "")
                        continue
            statement = parse_line(line.decode())
            if statement is None:
                raise _complaint(line.decode(), number)
            if not statement[0]:
                self.statements -= 1  # a blank line or a comment
            elif statement[1] in self._wanted and self._is_wanted_language(statement[4]):
                yield number, statement
        self.statements += number

    def _predicate(self, written: bytes) -> str | Literal[False] | None:
        text = written.decode()
        if not _PREDICATE.fullmatch(text):
            return None
        answer: str | Literal[False] = text[1:-1] if text[1:-1] in self._wanted else False
        if len(self._predicates) < _CACHED:
            self._predicates[written] = answer
        return answer

    def _language(self, suffix: bytes) -> str | Literal[False] | None:
        text = suffix.decode()
        kind = _KIND.match(text)
        if kind is None or text[kind.end() :] != " .":
            return None
        language: str = kind[1] or ""
        answer: str | Literal[False] = language if self._is_wanted_language(language) else False
        if len(self._languages) < _CACHED:
            self._languages[suffix] = answer
        return answer


def _is_literal(value: bytes) -> bool:
    """Whether a value in quotes has no unescaped quote inside."""
    if b"\\" in value:
        # Without pairs of backslashes, a backslash before a quote escapes it.
        value = value.replace(b"\\\\", b"").replace(b'\\"', b"")
    return len(value) > 1 and value.find(b'"', 1) == len(value) - 1


def parse_line(line: str) -> Statement | None:
    """The statement of any line; all "" for an empty line, None if it is not N-Triples."""
    beginning = _BEGINNING.match(line)
    if beginning is None:
        return ("", "", "", "", "") if _NOTHING.fullmatch(line) else None
    start = beginning.end()
    iri = literal = language = ""
    if line[start : start + 1] == '"':
        end = _closing_quote(line, start)
        kind = _KIND.match(line, end + 1)
        if end < 0 or kind is None:
            return None
        literal, language, end = line[start + 1 : end], kind[1] or "", kind.end()
    else:
        resource = _RESOURCE.match(line, start)
        if resource is None:
            return None
        end = resource.end()
        iri = resource[0][1:-1] if resource[0][0] == "<" else ""
    if not _END.fullmatch(line, end):
        return None
    return beginning[1], beginning[2][1:-1], iri, literal, language


def _closing_quote(line: str, start: int) -> int:
    """The end of the literal that begins at `start`; a loop, because a pattern could recurse."""
    end = line.find('"', start + 1)
    while end >= 0:
        first = end
        while line[first - 1] == "\\":
            first -= 1
        if (end - first) % 2 == 0:
            return end
        end = line.find('"', end + 1)
    return -1


def _complaint(line: str, number: int) -> DataError:
    shown = line[:60] + ("…" if len(line) > 60 else "")
    remedy = 'a line is <subject> <predicate> <object> . or … "literal"@en .'
    return DataError(f"is not N-Triples: {shown!r}", line=number, remedy=remedy)


def unescaped(text: str) -> str:
    """A text of the file with its escapes resolved."""
    if "\\" not in text:
        return text
    text = _ESCAPE.sub(_unescape, text)
    if _HALF.search(text):
        # Old writers escape a character beyond U+FFFF as two halves.
        try:
            text = text.encode("utf-16", "surrogatepass").decode("utf-16")
        except UnicodeDecodeError:
            raise DataError(
                "has half of a surrogate pair", remedy="repair the dump's encoding"
            ) from None
    return text


def _unescape(found: re.Match[str]) -> str:
    short, long, character = found.groups()
    if character is not None:
        if character not in _CHARACTERS:
            raise DataError(
                f"has an escape that does not exist: \\{character}", remedy="repair the line"
            )
        return _CHARACTERS[character]
    code = int(short or long, 16)
    if code > 0x10FFFF:
        raise DataError(f"has an escape beyond Unicode: {found[0]}", remedy="repair the line")
    return chr(code)


LABEL, NAME, OTHER, NICK, REDIRECT, LINK = range(6)
"""Kinds of statements about names; the lower, the better the name."""

_WIKIDATA = "http://www.wikidata.org/prop/direct/"
KINDS = {
    "http://www.w3.org/2000/01/rdf-schema#label": LABEL,
    "http://www.w3.org/2004/02/skos/core#prefLabel": LABEL,
    "http://schema.org/name": LABEL,
    "https://schema.org/name": LABEL,
    "http://xmlns.com/foaf/0.1/name": NAME,
    f"{_WIKIDATA}P1448": NAME,  # official name
    "http://www.w3.org/2004/02/skos/core#altLabel": OTHER,
    "http://schema.org/alternateName": OTHER,
    "https://schema.org/alternateName": OTHER,
    "http://dbpedia.org/ontology/alias": OTHER,
    f"{_WIKIDATA}P1813": OTHER,  # short name
    "http://xmlns.com/foaf/0.1/nick": NICK,
    f"{_WIKIDATA}P742": NICK,  # pseudonym
    f"{_WIKIDATA}P1449": NICK,  # nickname
    "http://dbpedia.org/ontology/wikiPageRedirects": REDIRECT,
    "http://schema.org/about": LINK,  # a Wikipedia page and its Wikidata item
    "http://www.w3.org/2002/07/owl#sameAs": LINK,  # a DBpedia resource and its Wikidata item
}
"""The predicates of names."""

_RESOURCE_NAMING = re.compile(r"https?://(?:[a-z-]+\.)?dbpedia\.org/resource/(.+)")
_ITEM = re.compile(r"https?://www\.wikidata\.org/entity/(Q[0-9]+)")
_PAGE = re.compile(r"https?://([a-z-]+)\.wikipedia\.org/wiki/(.+)")


class NameStatement(NamedTuple):
    """`text` names `entity` with a rank; for REDIRECT and LINK, the key `text` refers to it."""

    kind: int
    entity: str
    rank: int
    text: str


class EntityNames:
    """The names of entities in one language, from statements."""

    def __init__(self, lang: str) -> None:
        self._lang = lang.lower()
        self._last: tuple[str, str | None] = ("", None)

    def preference(self, language: str) -> int | None:
        """0 for the language itself, 1 for none or all, 2 for a variety ("en-gb"), else None."""
        language = language.lower()
        if language in (self._lang, "", "mul"):
            return 0 if language == self._lang else 1
        return 2 if language.startswith(f"{self._lang}-") else None

    def of(self, statement: Statement) -> NameStatement | None:
        """The name in a statement, if it is of an entity and in the language."""
        subject, predicate, iri, literal, language = statement
        kind = KINDS.get(predicate)
        if kind is None or subject[0] != "<":
            return None
        if kind >= REDIRECT:
            return self._linked(kind, unescaped(subject[1:-1]), unescaped(iri)) if iri else None
        preference = self.preference(language)
        if preference is None or not literal:
            return None
        if subject != self._last[0]:  # dumps group statements by subject
            self._last = subject, entity_key(unescaped(subject[1:-1]))
        entity, text = self._last[1], tidy(unescaped(literal))
        return NameStatement(kind, entity, 3 * kind + preference, text) if entity and text else None

    def _linked(self, kind: int, subject: str, target: str) -> NameStatement | None:
        entity = entity_key(target)
        if kind == REDIRECT:
            source = entity_key(subject)
        elif not _ITEM.fullmatch(target):
            return None
        elif page := _PAGE.fullmatch(subject):
            source = _decoded(page[2]) if page[1] == self._lang else None
        else:  # a DBpedia resource, or an item that became another one
            known = _RESOURCE_NAMING.fullmatch(subject) or _ITEM.fullmatch(subject)
            source = entity_key(subject) if known else None
        return NameStatement(kind, entity, 0, source) if source and entity else None


def entity_key(iri: str) -> str | None:
    """The key of an IRI: DBpedia's name, Wikidata's number, elsewhere the last part.

    >>> entity_key("http://dbpedia.org/resource/AC/DC"), entity_key("http://example.org/a#b%20c")
    ('AC/DC', 'b c')
    """
    resource = _RESOURCE_NAMING.fullmatch(iri)
    if resource is not None:
        return _decoded(resource[1])
    if "wikidata.org/" in iri or "wikipedia.org/" in iri:
        item = _ITEM.fullmatch(iri)
        return item[1] if item else None
    return _decoded(re.split("[/#]", iri.rstrip("/#"))[-1]) or None


def _decoded(name: str) -> str:
    if "%" in name:
        decoded = unquote(name)
        # An undecodable byte becomes U+FFFD.
        if "\ufffd" not in decoded and decoded.isprintable():
            name = decoded
    return tidy(name)


MAX_LINE_BYTES = 8 << 20
"""Bounds the memory for a file without line ends; no statement is nearly as long."""

_BLOCK_BYTES = 1 << 20
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_TURTLE = re.compile(r"(?:\s|#.*\n)*(?:@prefix|@base|prefix\s|base\s)", re.IGNORECASE)
_TURTLE_ENDINGS = {".ttl", ".turtle"}
_DAMAGED = (EOFError, OSError, lzma.LZMAError, zlib.error)


class _Stream(io.RawIOBase):
    """A stream of the blocks that a function returns for the number of bytes wanted."""

    def __init__(self, read: Callable[[int], bytes]) -> None:
        self._read_block = read

    def readable(self) -> bool:
        """As io.RawIOBase asks."""
        return True

    def readinto(self, buffer: Any) -> int:
        """As io.RawIOBase asks."""
        block = self._read_block(len(buffer))
        buffer[: len(block)] = block
        return len(block)


class _Counted:
    """The bytes of a file, counted and hashed on their way to a decompressor."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.done = 0
        self.digest = hashlib.sha256()

    def read(self, size: int) -> bytes:
        """The next block."""
        block = self._stream.read(size)
        self.done += len(block)
        self.digest.update(block)
        return block


class Dump:
    """One file; after `statements_about_names` is exhausted, `facts` describes it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.statements = 0
        self._digest = ""
        self._line = 0
        try:
            self.size = path.stat().st_size
        except OSError as error:
            raise DataError.of_file(error, path, remedy="check the path") from None
        if path.is_dir():
            raise DataError("is a folder", path=path, remedy="name the dumps in it")

    @property
    def facts(self) -> dict[str, Any]:
        """The metadata for the built file."""
        read = {"sha256": self._digest, "statements": self.statements}
        return {"name": self.path.name, "bytes": self.size, **read}

    def statements_about_names(
        self, names: EntityNames, progress: Callable[[int], None]
    ) -> Iterator[list[NameStatement]]:
        """The names in the dump, one list per block; `progress` gets the bytes done."""
        try:
            with self.path.open("rb") as file:
                counted = _Counted(file)
                with _unpacked(io.BufferedReader(_Stream(counted.read), _BLOCK_BYTES)) as stream:
                    for statements in self._read(stream, names):
                        yield statements
                        progress(counted.done)
                    while counted.read(_BLOCK_BYTES):  # the rest that a decompressor did not read
                        pass
                self._digest = counted.digest.hexdigest()
        except DataError as error:
            raise error.at(self.path) from None
        except _DAMAGED as error:
            problem = f"cannot be read further ({getattr(error, 'strerror', None) or error})"
            remedy = "is it damaged, or not wholly downloaded?"
            raise self._at(DataError(problem, remedy=remedy), self._line + 1) from None

    def _read(self, stream: BinaryIO, names: EntityNames) -> Iterator[list[NameStatement]]:
        head = stream.read(_BLOCK_BYTES).removeprefix(_BYTE_ORDER_MARK)
        begun = io.BytesIO(head)
        chained = _Stream(lambda size: begun.read(size) or stream.read(size))
        whole = cast(BinaryIO, io.BufferedReader(chained, _BLOCK_BYTES))
        if self._is_turtle(head):
            yield from self._read_turtle(whole, names)
            return
        lines = NTriplesLines(KINDS, lambda language: names.preference(language) is not None)
        for block in self._blocks(whole):
            said = []
            try:
                for number, statement in lines.wanted(block):
                    here = number
                    if (one := names.of(statement)) is not None:
                        said.append(one)
            except DataError as error:
                raise self._at(error, self._line + (error.line or here)) from None
            self._line += block.count(b"\n") + 1
            self.statements = lines.statements
            yield said

    def _is_turtle(self, head: bytes) -> bool:
        """Whether it needs a Turtle parser; DBpedia's .ttl files are in fact N-Triples."""
        text = head.decode(errors="replace")
        if _TURTLE.match(text):
            return True
        endings = {ending.lower() for ending in self.path.suffixes[-2:]}
        return bool(endings & _TURTLE_ENDINGS) and any(
            parse_line(line) is None for line in text.split("\n")[:1000][:-1]
        )

    def _blocks(self, stream: BinaryIO) -> Iterator[bytes]:
        """The file in blocks of whole lines, without the final newline."""
        left = b""
        while raw := stream.read(_BLOCK_BYTES):
            block, newline, rest = raw.rpartition(b"\n")
            if newline:
                yield self._checked(left + block)
                left = rest
            else:
                left += rest
            if len(left) > MAX_LINE_BYTES:
                problem = f"is longer than {MAX_LINE_BYTES >> 20} MB"
                remedy = "is it N-Triples, with one statement per line?"
                raise self._at(DataError(problem, remedy=remedy), self._line + 1)
        if left:
            yield self._checked(left)

    def _checked(self, raw: bytes) -> bytes:
        try:
            raw.decode()
        except UnicodeDecodeError as error:
            problem = f"is not UTF-8 (byte {raw[error.start]:#04x})"
            line = self._line + raw.count(b"\n", 0, error.start) + 1
            raise self._at(DataError(problem, remedy="convert the file to UTF-8"), line) from None
        return raw

    def _read_turtle(self, stream: BinaryIO, names: EntityNames) -> Iterator[list[NameStatement]]:
        from adequa.readers.rdf.parser import parse_statements
        from adequa.readers.rdf.terms import split_literal

        for block, _ in parse_statements(stream, "turtle", None):
            said = []
            for subject, predicate, value, _graph in block:
                iri, text, language = "", "", ""
                if value[0] == "<":
                    iri = value[1:-1]
                elif value[0] == '"':
                    text, suffix = split_literal(value)
                    text = text.replace("\\", "\\\\")  # as a line of N-Triples has it
                    language = suffix[1:] if suffix[:1] == "@" else ""
                statement = subject, predicate[1:-1], iri, text, language
                if (one := names.of(statement)) is not None:
                    said.append(one)
            self.statements += len(block)
            yield said

    def _at(self, error: DataError, line: int) -> DataError:
        return DataError(error.problem, path=self.path, line=line, remedy=error.remedy)


_PACKED = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bz2",
    b"\xfd7zXZ\x00": "lzma",
    b"\x28\xb5\x2f\xfd": "compression.zstd",
}


def _unpacked(stream: io.BufferedReader) -> BinaryIO:
    """The decompressed stream, by its first bytes."""
    head = stream.peek(6)[:6]
    if head.startswith(b"PK\x03\x04"):
        raise DataError("is packed as zip", remedy="unpack it first")
    module = next((name for mark, name in _PACKED.items() if head.startswith(mark)), None)
    if module is None:
        return stream
    try:
        return cast(BinaryIO, importlib.import_module(module).open(stream))
    except ImportError:
        problem = "is packed as zstd, which Python reads from version 3.14 on"
        raise DataError(problem, remedy="unpack it first: zstd -d FILE") from None
