"""The statements of an RDF file in any syntax of pyoxigraph, as N-Triples tokens.

pyoxigraph has no limits on nesting and entities. The guards here read the same bytes just ahead of
it, keep a few counters, and stop input that would crash it or fill the memory with a DataError.

Plain N-Triples files that are read as one graph have a fast path (`Suspect` and below), because
pyoxigraph parses a line faster than Python can fetch its parts. Three valid tokens with single
spaces between them are a valid line, so lines are split at spaces, and each distinct token is
validated once. Lines of any other shape are parsed by pyoxigraph. A token that is not plainly
valid, a blank node, and a file with nothing but labels raise `Suspect`; the reader then reads the
whole file the ordinary way. A test compares the two ways.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple
from xml.parsers import expat

from pyoxigraph import RdfFormat, parse, serialize

from adequa.data import Item, Triple
from adequa.errors import DataError, SettingError, UnknownName
from adequa.files import MAX_LINE_BYTES, open_bytes
from adequa.readers.rdf.terms import (
    LABEL_PREDICATES,
    ItemNames,
    Suspect,
    TermLabels,
    TermNames,
    check_iri,
)

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


_BLOCK_BYTES = 64 * 1024
_LABEL_MARKS = [(token, f" {token} ".encode()) for token in sorted(LABEL_PREDICATES)]

_triple = partial(tuple.__new__, Triple)
"""Triple(…) without the Python-level constructor of a named tuple; called once per statement."""


def read_as_one_graph(path: Path, label_lang: str) -> Item | None:
    """All triples of the file as one item without a text; None for an empty file."""
    graph = _Graph(label_lang)
    with open_bytes(path) as stream:
        for block in _blocks(stream, path):
            graph.find_labels(block)
    with open_bytes(path) as stream:
        for block in _blocks(stream, path):
            graph.add(block)
    return graph.item(path.stem)


def _blocks(stream: BinaryIO, path: Path) -> Iterator[bytes]:
    """The file in blocks of whole lines."""
    try:
        while block := stream.read(_BLOCK_BYTES):
            block += stream.readline(MAX_LINE_BYTES)
            yield block if block.endswith(b"\n") else block + b"\n"
    except OSError as error:
        raise DataError(f"cannot be read ({error.strerror})", path=path) from None


class _Graph:
    """The facts of a file, collected block by block."""

    def __init__(self, label_lang: str) -> None:
        self._labels = TermLabels(label_lang)
        self._names = TermNames(self._labels, check=True)
        self._strings = ItemNames(self._names)
        self._predicates: dict[str, str] = {}
        self._facts: list[Triple] = []
        self._last = "", ""
        self._begun: set[str] = set()
        self._start = 0
        self._repeats = False
        self._empty = True

    def find_labels(self, block: bytes) -> None:
        """Collect the labels of a block."""
        for predicate, mark in _LABEL_MARKS:
            pieces = block.split(mark)
            if len(pieces) == 1:
                continue
            for before, behind in pairwise(piece.decode(errors="replace") for piece in pieces):
                subject = before[before.rfind("\n") + 1 :]
                # Otherwise it is inside a literal, or the value is an IRI and not a label.
                if behind[:1] == '"' and " " not in subject:
                    value = behind[: behind.find(" .\n")]
                    self._labels.add(subject, predicate, *self._names.split_checked(value))

    def add(self, block: bytes) -> None:
        """Add the statements of a block."""
        self._empty = False
        lines = _plain_lines(block)
        try:
            self._add_lines(_parsed_lines(block) if lines is None else lines)
        except (IndexError, ValueError):
            raise Suspect from None  # a line in fewer than three pieces

    def _add_lines(self, lines: Iterable[str]) -> None:
        strings, predicates, facts = self._strings, self._predicates, self._facts
        owners, kinds = strings.owners, strings.kinds
        last, name = self._last
        for line in lines:
            subject, predicate, token = line.split(" ", 2)
            relation = predicates.get(predicate)
            if relation is None:
                relation = self._relation(subject, predicate, token)
                if relation is None:
                    continue
            if subject != last:
                if subject[0] != "<":
                    raise Suspect(subject)
                self._begin(subject)
                last, name = subject, strings[subject]
            if token[0] == '"' and "\\" not in token:
                # The same as `strings[token]`, which would remember the token; few literals repeat.
                end = token.rindex('"')
                value = token[1:end]
                kind = kinds[token[end + 1 :]]
                if not value or '"' in value or owners.setdefault(value, kind) is not kind:
                    value = strings[token]
            else:
                value = strings[token]
            facts.append(_triple((name, relation, value)))
        self._last = last, name

    def _begin(self, subject: str | None) -> None:
        """Find out whether a statement may occur twice.

        One set per run of statements about a subject is faster than a set of all triples, as long
        as no subject comes back later.
        """
        if not self._repeats:
            latest = self._facts[self._start :]
            self._repeats = subject in self._begun or len(set(latest)) < len(latest)
            self._start = len(self._facts)
            if subject is not None:
                self._begun.add(subject)

    def _relation(self, subject: str, predicate: str, token: str) -> str | None:
        """The string of a new predicate; None if the statement is only a label."""
        if self._labels.is_label(subject, predicate, token):
            return None
        if subject[0] != "<" or predicate[0] != "<":
            raise Suspect
        _ = self._strings[subject]  # the term that comes first gets the better name
        string = self._strings[predicate]
        if predicate not in LABEL_PREDICATES:
            self._predicates[predicate] = string
        return string

    def item(self, identifier: str) -> Item | None:
        """The facts as an item; None for an empty file."""
        if self._empty:
            return None
        if not self._predicates:
            raise Suspect  # nothing but labels: the ordinary way then treats them as facts
        for token in self._labels.tokens() - self._strings.keys():
            check_iri(token)
        others = self._labels.not_chosen(self._strings)
        meta = {"labels": others} if others else {}
        self._begin(None)
        facts = tuple(dict.fromkeys(self._facts) if self._repeats else self._facts)
        return Item(identifier, facts, "", terms=self._strings.terms(), meta=meta)


def _plain_lines(block: bytes) -> list[str] | None:
    """The lines of a block without their ends; None if one has another shape."""
    try:
        lines = block.decode().split(" .\n")
    except UnicodeDecodeError:
        return None
    together = "".join(lines)
    if lines.pop() or together[:1] == "#" or any(mark in together for mark in "\n\r\t"):
        return None
    return lines


def _parsed_lines(block: bytes) -> Iterator[str]:
    """The lines of a block as pyoxigraph writes them; Suspect where it finds an error."""
    try:
        for statements, _ in parse_statements(io.BytesIO(block), "ntriples", None):
            for subject, predicate, value, _ in statements:
                if predicate in LABEL_PREDICATES:
                    raise Suspect(predicate)  # the first pass may have missed it
                yield f"{subject} {predicate} {value}"
    except DataError:
        raise Suspect from None
