"""The statements of an RDF file, in any syntax pyoxigraph reads, as strings.

A term is the string N-Triples has for it (a *token*): `<iri>`, `_:label`, `"literal"@en`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from pyoxigraph import RdfFormat, parse, serialize

from adequa.errors import DataError, SettingError, UnknownName
from adequa.readers.rdf_guard import JsonGuard, LineGuard, TurtleGuard, XmlGuard

__all__ = ["SYNTAXES", "Statement", "parse_statements", "syntax_of"]

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
"""Every syntax by the name the setting `syntax` has for it."""

_BLOCK_STATEMENTS = 1000

_PLACE = re.compile(r"^Parser error (?:at|between) line[^:]*: |^at \d+\.\.\d+: ")
_REMEDIES = (
    ("LoadDocumentCallback", "nothing is fetched: put the @context into the file"),
    ("No scheme found", "write absolute IRIs, or give the base: rdf:base=http://example.org/"),
    ("UTF-8", "convert the file to UTF-8"),
    ("utf-8", "convert the file to UTF-8"),
    ("variables", "N3's variables and rules are no facts: leave them out"),
)


def syntax_of(path: Path, name: str | None) -> str:
    """The syntax of a file: the one that was named, else the one its ending tells."""
    if name is not None:
        if name not in SYNTAXES:
            raise UnknownName("RDF syntax", name, SYNTAXES)
        return name
    suffix = path.suffix.lower()
    for syntax, (_, _, suffixes) in SYNTAXES.items():
        if suffix in suffixes:
            return syntax
    raise DataError(
        f"has an ending ({suffix or 'none'}) that says no RDF syntax",
        path=path,
        remedy=f"name it: rdf:syntax={'|'.join(SYNTAXES)}",
    )


def parse_statements(
    stream: BinaryIO, syntax: str, base: str | None, *, before: int = 0
) -> Iterator[tuple[list[Statement], Mapping[str, str]]]:
    """The statements of a stream in blocks, each with the prefixes that were declared by then.

    Nothing the stream names is ever fetched. It begins after `before` lines of its file; errors
    name the line, but not the file.
    """
    form, guard, _ = SYNTAXES[syntax]
    try:
        parser: Any = parse(guard(stream), form, base_iri=base)  # type: ignore[arg-type]
    except ValueError as error:
        raise SettingError(f"rdf:base is no IRI: {error}") from None
    prefixes: dict[str, str] = {}
    size = 1  # RDF/XML knows its prefixes only as long as the parser is inside the root
    while True:
        try:
            # Asking once for the lines of many statements is far cheaper than asking each
            # statement for its parts.
            written = serialize(islice(parser, size), format=RdfFormat.N_QUADS)
        except (SyntaxError, ValueError, MemoryError) as error:
            raise _explain(error, before) from None
        except OSError as error:
            raise DataError(f"cannot be read ({error.strerror})") from None
        if not written:
            return
        prefixes.update(parser.prefixes)
        yield [_split(line) for line in written.decode().split(" .\n")[:-1]], prefixes
        size = _BLOCK_STATEMENTS


def _split(line: str) -> tuple[str, str, str, str]:
    """The tokens of a line as pyoxigraph writes it."""
    subject, predicate, value = line.split(" ", 2)
    if subject.startswith("<<") or value.startswith("<<"):
        raise DataError(
            "has a triple about a triple (RDF-star), which no text can be checked against",
            remedy="state the inner triple by itself, or leave it out",
        )
    end = value.find(" ", value.rindex('"') if value[0] == '"' else 0)
    if end < 0:
        return subject, predicate, value, ""
    return subject, predicate, value[:end], value[end + 1 :]


def _explain(error: Exception, before: int) -> DataError:
    """What pyoxigraph complained about, in one line, with the line where it knows one."""
    if isinstance(error, MemoryError):
        return DataError(
            "has a term or statement of more than 16 MB",
            line=before + 1 if before else None,
            remedy="is a quote or bracket never closed?",
        )
    line = error.lineno if isinstance(error, SyntaxError) else None
    message = _PLACE.sub("", error.msg if isinstance(error, SyntaxError) else str(error))
    remedy = next((remedy for sign, remedy in _REMEDIES if sign in message), None)
    return DataError(
        f"cannot be read as RDF ({message[:300]})",
        line=None if line is None else before + line,
        remedy=remedy or "repair it here, or name the right syntax: rdf:syntax=…",
    )
