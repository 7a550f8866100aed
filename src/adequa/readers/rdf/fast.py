"""A file of plain N-Triples as one graph, several times faster than by parsing it.

pyoxigraph reads a line faster than Python can ask it for the parts. But three valid tokens with
single spaces between them are a valid line, and cutting lines at their spaces is quick; a token is
checked once, not each time it occurs. Labels are looked for beforehand, so that each statement can
become a triple at once.

Lines of any other shape are parsed by pyoxigraph. At a token that is not plainly valid, at a blank
node, and in a file of nothing but labels, `Suspect` is raised, and the whole file is to be read the
ordinary way; a test holds the two ways against each other.
"""

from __future__ import annotations

import gc
import io
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
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

# Triple(…) is a Python function; this is the C function it calls.
_triple = partial(tuple.__new__, Triple)


def read_as_one_graph(path: Path, label_lang: str) -> Item | None:
    """All triples of the file as one item without a text; None where it has none."""
    with _collector_paused():
        graph = _Graph(label_lang)
        with open_bytes(path) as stream:
            for block in _blocks(stream, path):
                graph.find_labels(block)
        with open_bytes(path) as stream:
            for block in _blocks(stream, path):
                graph.add(block)
        item = graph.item(path.stem)
        del graph  # before the collector gets to see it
        return item


def _blocks(stream: BinaryIO, path: Path) -> Iterator[bytes]:
    """The file in pieces of whole lines."""
    try:
        while block := stream.read(_BLOCK_BYTES):
            block += stream.readline(MAX_LINE_BYTES)
            yield block if block.endswith(b"\n") else block + b"\n"
    except OSError as error:
        raise DataError(f"cannot be read ({error.strerror})", path=path) from None


class _Graph:
    """The facts of a file, as far as it was read."""

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
        """Note the labels a block gives."""
        for predicate, mark in _LABEL_MARKS:
            pieces = block.split(mark)
            if len(pieces) == 1:
                continue
            for before, behind in pairwise(piece.decode(errors="replace") for piece in pieces):
                subject = before[before.rfind("\n") + 1 :]
                # Else it is somewhere inside a text, or an IRI that is no label.
                if behind[:1] == '"' and " " not in subject:
                    value = behind[: behind.find(" .\n")]
                    self._labels.add(subject, predicate, *self._names.split_checked(value))

    def add(self, block: bytes) -> None:
        """Take in the statements of a block."""
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
                # As `strings` would have it, but that remembers tokens, and few come again.
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
        """Notice whether a statement may have been made twice.

        A set of all triples would tell, but one for each row of statements about a subject is
        quicker, as long as none of the subjects comes back.
        """
        if not self._repeats:
            latest = self._facts[self._start :]
            self._repeats = subject in self._begun or len(set(latest)) < len(latest)
            self._start = len(self._facts)
            if subject is not None:
                self._begun.add(subject)

    def _relation(self, subject: str, predicate: str, token: str) -> str | None:
        """The string of a new predicate; None where the statement is only a label."""
        if self._labels.is_label(subject, predicate, token):
            return None
        if subject[0] != "<" or predicate[0] != "<":
            raise Suspect
        _ = self._strings[subject]  # the first come is the first served
        string = self._strings[predicate]
        if predicate not in LABEL_PREDICATES:
            self._predicates[predicate] = string
        return string

    def item(self, identifier: str) -> Item | None:
        """What was read, if anything."""
        if self._empty:
            return None
        if not self._predicates:
            raise Suspect  # nothing but labels: then they are facts, but that is not known before
        for token in self._labels.tokens() - self._strings.keys():
            check_iri(token)
        others = self._labels.not_chosen(self._strings)
        meta = {"labels": others} if others else {}
        self._begin(None)
        facts = tuple(dict.fromkeys(self._facts) if self._repeats else self._facts)
        return Item(identifier, facts, "", terms=self._strings.terms(), meta=meta)


def _plain_lines(block: bytes) -> list[str] | None:
    """The lines of a block without their ends; None where one has another shape."""
    try:
        lines = block.decode().split(" .\n")
    except UnicodeDecodeError:
        return None
    together = "".join(lines)
    if lines.pop() or together[:1] == "#" or any(mark in together for mark in "\n\r\t"):
        return None
    return lines


def _parsed_lines(block: bytes) -> Iterator[str]:
    """The same by pyoxigraph; what is wrong with the block is found by the ordinary way."""
    try:
        for statements, _ in parse_statements(io.BytesIO(block), "ntriples", None):
            for subject, predicate, value, _ in statements:
                if predicate in LABEL_PREDICATES:
                    raise Suspect(predicate)  # it may not have been found beforehand
                yield f"{subject} {predicate} {value}"
    except DataError:
        raise Suspect from None


@contextmanager
def _collector_paused() -> Iterator[None]:
    # Triples hold no cycles, but the collector would visit each of them again and again.
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
