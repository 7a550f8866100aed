"""The statements of an RDF file in any syntax of pyoxigraph, as N-Triples tokens.

pyoxigraph has no limits on nesting and entities. The guards here read the same bytes just ahead of
it, keep a few counters, and stop input that would crash it or fill the memory with a DataError.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple
from xml.parsers import expat

from pyoxigraph import RdfFormat, parse, serialize

from adequa.errors import DataError, SettingError, UnknownName

MAX_DEPTH = 250
"""How deeply objects or elements may be nested. No record of the data it was chosen on."""

_MAX_QUOTED = 500
_FREE_BYTES = 16 * 1024 * 1024
_AMPLIFICATION = 20


def _too_deep(line: int | None = None) -> DataError:
    problem = f"is nested more than {MAX_DEPTH} levels deep"
    return DataError(problem, line=line, remedy="flatten the data")


def _too_many_entities(line: int) -> DataError:
    problem = "has entities that multiply its size"
    return DataError(problem, line=line, remedy="write out what they stand for")


class TurtleGuard:
    """Turtle, TriG, N3: limits the number of `<<(`, which opens a triple about a triple.

    Closing marks are not counted, since a comment can contain them; so a file whose texts contain
    more than a few hundred `<<(` is rejected too.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._tail = b""
        self._count = 0

    def read(self, size: int = -1) -> bytes:
        """The next bytes, after checking them."""
        block = self._stream.read(size)
        seen = self._tail + block
        if self._count or b"<<(" in seen:
            self._count_marks(seen)
        # A mark of three bytes may span two blocks; a tail of two bytes never counts one twice.
        self._tail = seen[-2:]
        return block

    def _count_marks(self, seen: bytes) -> None:
        self._count += seen.count(b"<<(")
        if self._count > _MAX_QUOTED:
            raise DataError(
                f"has '<<(', which opens a triple about a triple, more than {_MAX_QUOTED} times",
                remedy="state the inner triples by themselves; in texts, write N-Triples",
            )


class LineGuard(TurtleGuard):
    """N-Triples and N-Quads: as Turtle, but counted per line."""

    def _count_marks(self, seen: bytes) -> None:
        first, *others = seen.split(b"\n")
        super()._count_marks(first)
        for line in others:
            self._count = 0
            super()._count_marks(line)


class JsonGuard:
    """JSON-LD: limits the nesting of objects and lists; brackets in strings do not count."""

    _MARKS = re.compile(rb'[\[\]{}"]')
    _STRING_MARKS = re.compile(rb'\\.?|"', re.DOTALL)

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._depth = 0
        self._in_string = False
        self._escaped = False

    def read(self, size: int = -1) -> bytes:
        """The next bytes, after checking them."""
        block = self._stream.read(size)
        position = 1 if self._escaped and block else 0
        self._escaped = self._escaped and not block
        while found := (self._STRING_MARKS if self._in_string else self._MARKS).search(
            block, position
        ):
            mark = found.group()
            position = found.end()
            if mark == b'"':
                self._in_string = not self._in_string
            elif self._in_string:
                self._escaped = mark == b"\\"  # the escaped character is in the next block
            else:
                self._depth += 1 if mark in b"[{" else -1
                if self._depth > MAX_DEPTH:
                    raise _too_deep()
        return block


class XmlGuard:
    """RDF/XML: well-formed, not nested too deeply, no entities that multiply or point outside.

    Entities that abbreviate namespaces are common and allowed. expat finds them, and reports the
    line of malformed XML.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._depth = 0
        self._bytes = 0
        self._expanded = 0
        self._longest_entity = 0
        self._finished = False
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.EntityDeclHandler = self._declare

    def read(self, size: int = -1) -> bytes:
        """The next bytes, after checking them."""
        block = self._stream.read(size)
        if self._finished:
            return block
        self._finished = not block
        try:
            self._parser.Parse(block, self._finished)
        except expat.ExpatError as error:
            message = expat.ErrorString(error.code)
            if "amplification" in message:
                raise _too_many_entities(error.lineno) from None
            problem = f"is not well-formed XML ({message})"
            remedy = "repair the XML at this place; is the file cut off?"
            raise DataError(problem, line=error.lineno, remedy=remedy) from None
        except (LookupError, ValueError) as error:  # an encoding unknown to Python or expat
            problem = f"declares an encoding that cannot be read ({error})"
            remedy = "convert the file to UTF-8, and declare that"
            raise DataError(problem, line=1, remedy=remedy) from None
        self._bytes += len(block)
        self._expanded += block.count(b"&") * self._longest_entity
        if self._expanded > _FREE_BYTES + _AMPLIFICATION * self._bytes:
            # Newer versions of expat have a limit of their own, but a later one.
            raise _too_many_entities(self._parser.CurrentLineNumber)
        return block

    def _start(self, _name: str, _attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise _too_deep(self._parser.CurrentLineNumber)

    def _end(self, _name: str) -> None:
        self._depth -= 1

    def _declare(self, name: str, _is_parameter: bool, value: str | None, *_place: object) -> None:
        if value is None or "&" in value:
            what = "stands for another file" if value is None else "is made of other entities"
            problem = f"the entity {name!r} {what}"
            remedy = "write out what it stands for; such entities are not expanded"
            raise DataError(problem, line=self._parser.CurrentLineNumber, remedy=remedy)
        self._longest_entity = max(self._longest_entity, len(value.encode()))


Statement = tuple[str, str, str, str]
"""The tokens of subject, predicate, object and graph; the default graph is ""."""


class _Syntax(NamedTuple):
    format: RdfFormat
    guard: type[TurtleGuard | JsonGuard | XmlGuard]
    suffixes: tuple[str, ...]


SYNTAXES: Mapping[str, _Syntax] = {
    "jsonld": _Syntax(RdfFormat.JSON_LD, JsonGuard, (".jsonld", ".json")),
    "n3": _Syntax(RdfFormat.N3, TurtleGuard, (".n3",)),
    "nquads": _Syntax(RdfFormat.N_QUADS, LineGuard, (".nq",)),
    "ntriples": _Syntax(RdfFormat.N_TRIPLES, LineGuard, (".nt",)),
    "rdfxml": _Syntax(RdfFormat.RDF_XML, XmlGuard, (".rdf", ".owl", ".xml")),
    "trig": _Syntax(RdfFormat.TRIG, TurtleGuard, (".trig",)),
    "turtle": _Syntax(RdfFormat.TURTLE, TurtleGuard, (".ttl",)),
}
"""Every syntax by its name in the setting `syntax`."""

_BLOCK_STATEMENTS = 1000

_PLACE = re.compile(r"^Parser error (?:at|between) line[^:]*: |^at \d+\.\.\d+: ")
_REMEDIES = (
    ("LoadDocumentCallback", "nothing is fetched: put the @context into the file"),
    ("No scheme found", "write absolute IRIs, or give the base: rdf:base=http://example.org/"),
    ("UTF-8", "convert the file to UTF-8"),
    ("utf-8", "convert the file to UTF-8"),
    ("variables", "N3 variables and rules are not facts: leave them out"),
)


def syntax_of(path: Path, name: str | None) -> str:
    """The syntax of a file: the given one, or the one of its ending."""
    if name is not None:
        if name not in SYNTAXES:
            raise UnknownName("RDF syntax", name, SYNTAXES)
        return name
    suffix = path.suffix.lower()
    for syntax, (_, _, suffixes) in SYNTAXES.items():
        if suffix in suffixes:
            return syntax
    problem = f"has an ending ({suffix or 'none'}) of no known RDF syntax"
    raise DataError(problem, path=path, remedy=f"name it: rdf:syntax={'|'.join(SYNTAXES)}")


def parse_statements(
    stream: BinaryIO, syntax: str, base: str | None
) -> Iterator[tuple[list[Statement], Mapping[str, str]]]:
    """The statements of a stream in blocks, each with the prefixes declared so far.

    Nothing is fetched. Errors have the line, but not the file.
    """
    form, guard, _ = SYNTAXES[syntax]
    try:
        parser: Any = parse(guard(stream), form, base_iri=base)  # type: ignore[arg-type]
    except ValueError as error:
        raise SettingError(f"rdf:base is not an IRI: {error}") from None
    prefixes: dict[str, str] = {}
    size = 1  # in RDF/XML the prefixes are known only while the parser is inside the root
    while True:
        try:
            # Serialising many statements at once is far cheaper than fetching the parts of each.
            written = serialize(islice(parser, size), format=RdfFormat.N_QUADS)
        except (SyntaxError, ValueError, MemoryError) as error:
            raise _explain(error) from None
        except OSError as error:
            raise DataError(f"cannot be read ({error.strerror})") from None
        if not written:
            return
        prefixes.update(parser.prefixes)
        yield [_split(line) for line in written.decode().split(" .\n")[:-1]], prefixes
        size = _BLOCK_STATEMENTS


def _split(line: str) -> tuple[str, str, str, str]:
    """The tokens of a line written by pyoxigraph."""
    subject, predicate, value = line.split(" ", 2)
    if subject.startswith("<<") or value.startswith("<<"):
        problem = "has a triple about a triple (RDF-star), which no text can be checked against"
        raise DataError(problem, remedy="state the inner triple by itself, or leave it out")
    end = value.find(" ", value.rindex('"') if value[0] == '"' else 0)
    if end < 0:
        return subject, predicate, value, ""
    return subject, predicate, value[:end], value[end + 1 :]


def _explain(error: Exception) -> DataError:
    """The error of pyoxigraph as a DataError, with the line if it reports one."""
    if isinstance(error, MemoryError):
        problem = "has a term or statement of more than 16 MB"
        return DataError(problem, remedy="is a quote or bracket never closed?")
    line = error.lineno if isinstance(error, SyntaxError) else None
    message = _PLACE.sub("", error.msg if isinstance(error, SyntaxError) else str(error))
    default = "repair it here, or name the right syntax: rdf:syntax=…"
    remedy = next((remedy for sign, remedy in _REMEDIES if sign in message), default)
    return DataError(f"cannot be read as RDF ({message[:300]})", line=line, remedy=remedy)
