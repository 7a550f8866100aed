"""A fast path for plain N-Triples files that are read as one graph.

pyoxigraph parses a line faster than Python can fetch its parts. Three valid tokens with single
spaces between them are a valid line, so lines are split at spaces, and each distinct token is
validated once. Labels are collected in a first pass, so that each statement becomes a triple at
once.

Lines of any other shape are parsed by pyoxigraph. A token that is not plainly valid, a blank node,
and a file with nothing but labels raise `Suspect`; the reader then reads the whole file the
ordinary way. A test compares the two ways.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO

from adequa.data import Item, Triple
from adequa.errors import DataError
from adequa.files import MAX_LINE_BYTES, open_bytes
from adequa.readers.rdf.parser import parse_statements
from adequa.readers.rdf.terms import (
    LABEL_PREDICATES,
    ItemNames,
    Suspect,
    TermLabels,
    TermNames,
    check_iri,
)

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
