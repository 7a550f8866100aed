"""The RDF reader: named graphs, or subjects, as items.

`Graphs` collects the statements by graph or subject and builds the items. `fold` first replaces
blank nodes by paths, so that a fact is about something a text can name: in
`:pub :address [ :city "Cambridge" ]` the node in brackets becomes the predicate `address.city`, and
a list becomes one fact per member.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

from adequa.data import Item, Triple
from adequa.errors import DataError, SettingError
from adequa.files import open_bytes
from adequa.readers.base import PlacedItem, Reader
from adequa.readers.rdf.parser import Statement, parse_statements, read_as_one_graph, syntax_of
from adequa.readers.rdf.terms import (
    LABEL_PREDICATES,
    ItemNames,
    Suspect,
    TermLabels,
    TermNames,
    local_name,
    split_literal,
)
from adequa.settings import setting

Row = tuple[str, str, str]
"""The tokens of a subject, a predicate (or a path of several) and an object."""

_MAX_PARTS = 16
_RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_LIST_STEPS = frozenset({f"<{_RDF}first>", f"<{_RDF}rest>"})
_REST, _NIL = f"<{_RDF}rest>", f"<{_RDF}nil>"


def fold(rows: Iterable[Row], labels: TermLabels) -> list[Row]:
    """The rows with each blank node that is the object of one row replaced by its own rows.

    A node that has a label, is empty, shared, too deep or part of a cycle remains. A path is
    written `<p>/<q>`, as in SPARQL.
    """
    rows = list(rows)
    uses = Counter(value for _, _, value in rows if value[0] == "_")
    if not uses:
        return rows
    inner: dict[str, list[Row]] = {}
    outer = []
    for row in rows:
        subject = row[0]
        if uses.get(subject) == 1 and labels.get(subject) is None:
            inner.setdefault(subject, []).append(row)
        else:
            outer.append(row)
    folded: list[Row] = []
    _unfold(outer, inner, folded)
    while inner:  # cycles of blank nodes that no other node leads to
        _unfold(inner.pop(next(iter(inner))), inner, folded)
    return list(dict.fromkeys(folded))  # a list may contain a member twice


def _unfold(rows: list[Row], inner: dict[str, list[Row]], folded: list[Row]) -> None:
    waiting = rows[::-1]  # a stack: nesting may exceed Python's recursion limit
    while waiting:
        subject, path, value = waiting.pop()
        nested = inner.pop(value, None)
        if nested is None:
            folded.append((subject, path, value))
        elif path.count(">/<") + 1 >= _MAX_PARTS:
            folded.append((subject, path, value))
            waiting.extend(reversed(nested))
        else:
            nested.sort(key=lambda row: row[1] == _REST)  # a list begins with its first member
            waiting.extend(
                (subject, path if step in _LIST_STEPS else f"{path}/{step}", end)
                for _, step, end in reversed(nested)
                if not (step == _REST and end == _NIL)
            )


class _Text(NamedTuple):
    subject: str
    literal: str


class Graphs:
    """The statements of a file by graph or by subject, with its labels and texts."""

    def __init__(self, reader: RdfReader, path: Path, *, bare: bool) -> None:
        self._reader, self._path, self._bare = reader, path, bare
        text = reader.text
        self._text = None if text is None else text.strip().removeprefix("<").removesuffix(">")
        self._by_subject = reader.group == "subject"
        self._labels = TermLabels(reader.label_lang)
        self._names = TermNames(self._labels)
        self._groups: dict[str, list[Row]] = {}
        self._latest = ""
        self._graphs_of: dict[str, dict[str, None]] = {}
        self._predicates: dict[str, str] = {}
        self._has_facts = False
        self._text_predicate: str | None = None
        self._text_count = 0
        self._texts: dict[int, _Text] = {}
        self._texts_about: dict[str, list[int]] = {}
        self._texts_in: dict[str, list[int]] = {}

    def add(self, statements: Iterable[Statement], prefixes: Mapping[str, str]) -> None:
        """Add statements; `prefixes` are those declared so far."""
        last = ""
        for subject, predicate, value, graph in statements:
            known = self._predicates.get(predicate)
            if known is None and not self._add_predicate(predicate, prefixes):
                self._add_text(graph, subject, value)
                continue
            # Share equal strings: there are millions.
            last = last if subject == last else subject
            key = subject if self._by_subject else graph
            self._groups.setdefault(key, []).append((last, known or predicate, value))
            self._latest = key
            if predicate in LABEL_PREDICATES and value[0] == '"':
                self._labels.add(subject, predicate, *split_literal(value))
                self._names.forget(subject)
            else:
                self._has_facts = True
            if graph and self._by_subject:
                self._graphs_of.setdefault(subject, {})[graph] = None

    def _add_predicate(self, predicate: str, prefixes: Mapping[str, str]) -> bool:
        """Register a new predicate; False if it is the predicate of the texts."""
        if self._text is not None and self._is_text(predicate[1:-1], prefixes):
            if self._text_predicate not in (None, predicate):
                raise DataError(
                    f"two properties are called {self._text!r}: "
                    f"{self._text_predicate} and {predicate}",
                    remedy="write the whole IRI: rdf:text=http://…",
                )
            self._text_predicate = predicate
            return False
        self._predicates[predicate] = predicate
        return True

    def _is_text(self, iri: str, prefixes: Mapping[str, str]) -> bool:
        wanted = str(self._text)
        prefix, colon, name = wanted.partition(":")
        if not colon:
            return local_name(iri) == wanted
        return iri == wanted or (prefix in prefixes and prefixes[prefix] + name == iri)

    def _add_text(self, graph: str, subject: str, value: str) -> None:
        if value[0] != '"':
            problem = f"the text of {subject} is {value}, not a literal"
            raise DataError(problem, remedy="name the property whose values are strings")
        number = self._text_count = self._text_count + 1
        self._texts[number] = _Text(subject, value)
        self._texts_about.setdefault(subject, []).append(number)
        self._texts_in.setdefault(graph, []).append(number)

    def finished(self) -> Iterator[PlacedItem]:
        """The items of all graphs but the last one read; their statements are then freed."""
        for key in [key for key in self._groups if key != self._latest]:
            yield from self._items(key, self._facts(key))
            del self._groups[key]

    def rest(self) -> Iterator[PlacedItem]:
        """The remaining items; raises if a text belongs to none of them."""
        if self._text is not None and self._text_predicate is None:
            remedy = "name the text's property by its IRI, prefixed name or last part"
            raise DataError(f"no statement has the property {self._text!r}", remedy=remedy)
        if not self._has_facts:
            self._labels.clear()  # the file has nothing else, so the labels are its facts
        for key in self._subjects() if self._by_subject else self._groups:
            yield from self._items(key, self._reach(key) if self._by_subject else self._facts(key))
        for text in self._texts.values():
            raise DataError(
                f"the text of {text.subject} belongs to no item, since there are no facts about it",
                remedy="state facts about it, or leave the text out",
            )

    def _facts(self, key: str) -> list[Row]:
        """The distinct facts of a graph or subject, without labels."""
        is_label = self._labels.is_label
        return [row for row in dict.fromkeys(self._groups[key]) if not is_label(*row)]

    def _subjects(self) -> Iterator[str]:
        """The subjects that become items: IRIs, then blank nodes that no other item contains."""
        blank = [key for key in self._groups if key[0] == "_"]
        reached: set[str] = set()
        for key in self._groups:
            if key[0] != "_":
                yield key
                if blank:
                    reached.update(row[0] for row in self._reach(key))
        loose = [key for key in blank if key not in reached]
        inside = {row[2] for key in loose for row in self._groups[key] if row[2] != key}
        # Roots of trees first; what is then not reached is a cycle, entered at its first node.
        for key in chain((key for key in loose if key not in inside), loose):
            if key not in reached:
                reached.add(key)
                reached.update(row[0] for row in self._reach(key))
                yield key

    def _reach(self, key: str) -> list[Row]:
        """The facts about a subject and about the blank nodes it leads to."""
        rows = self._facts(key)
        seen = {key}
        for _, _, value in rows:
            if value[0] == "_" and value not in seen and value in self._groups:
                seen.add(value)
                rows.extend(self._facts(value))
        return rows

    def _items(self, key: str, rows: list[Row]) -> Iterator[PlacedItem]:
        """The item of a graph or subject, or one item per text; none without facts."""
        if not rows:
            return
        texts = self._take_texts(key)
        if self._text is not None and not texts:
            if self._by_subject or not key:
                return
            if not self._bare:
                problem = f"the graph {key} has no text"
                raise DataError(problem, remedy=f"give it one with the property {self._text}")
        if self._reader.blank == "fold":
            rows = fold(rows, self._labels)
        names = ItemNames(self._names)
        triples = tuple(Triple(names[row[0]], names[row[1]], names[row[2]]) for row in rows)
        terms, meta = names.terms(), self._meta(key, names)
        identifier = self._names.identifier(key) if key else self._path.stem
        if self._bare or not texts:
            references = tuple(value for value, _ in texts)
            item = Item(identifier, triples, "", references=references, terms=terms, meta=meta)
            yield PlacedItem(item, self._path, 1)
            return
        for number, (value, lang) in enumerate(texts, 1):
            name = identifier if len(texts) == 1 else f"{identifier}/{number}"
            item = Item(name, triples, value, lang=lang, terms=terms, meta=meta)
            yield PlacedItem(item, self._path, 1)

    def _take_texts(self, key: str) -> list[tuple[str, str | None]]:
        """The texts of an item in file order: those about it, or in it and about no other item."""
        numbers = set(self._texts_about.pop(key, ()))
        if not self._by_subject and (key or not self._reader.contiguous):
            numbers.update(
                number
                for number in self._texts_in.pop(key, ())
                if number in self._texts and self._texts[number].subject not in self._groups
            )
        found = [self._texts.pop(number) for number in sorted(numbers & self._texts.keys())]
        pairs = (split_literal(text.literal) for text in found)
        return [(value, suffix[1:] if suffix[:1] == "@" else None) for value, suffix in pairs]

    def _meta(self, key: str, strings: Mapping[str, str]) -> dict[str, Any]:
        meta: dict[str, Any] = {}
        if key in self._graphs_of:
            meta["graphs"] = [self._names.identifier(graph) for graph in self._graphs_of[key]]
        if labels := self._labels.not_chosen(strings):
            meta["labels"] = labels
        return meta


@dataclass(frozen=True)
class RdfReader(Reader):
    """Reads Turtle, TriG, N-Triples, N-Quads, RDF/XML, JSON-LD and N3 (its facts, not its rules).

    docs/formats.md describes items, names, blank nodes, texts and memory.
    """

    name: ClassVar[str] = "rdf"
    doc: ClassVar[str] = "RDF: Turtle, TriG, N-Triples, N-Quads, RDF/XML, JSON-LD, N3"

    syntax: str | None = setting(
        None, "jsonld, n3, nquads, ntriples, rdfxml, trig or turtle; by default by ending"
    )
    text: str | None = setting(
        None, "the property of the text: its IRI, prefixed name or last part"
    )
    group: Literal["graph", "subject"] = setting(
        "graph", "one item per named graph, or per subject"
    )
    label_lang: str = setting("en", "the preferred language of labels, as a tag")
    base: str | None = setting(None, "the IRI against which relative IRIs are resolved")
    blank: Literal["fold", "keep"] = setting("fold", "fold blank nodes into paths, or keep them")
    contiguous: bool = setting(
        False, "the statements of each graph are adjacent: stream graph by graph"
    )

    def __post_init__(self) -> None:
        if self.group not in ("graph", "subject"):
            raise SettingError(f"rdf:group is graph or subject, not {self.group!r}")
        if self.blank not in ("fold", "keep"):
            raise SettingError(f"rdf:blank is fold or keep, not {self.blank!r}")
        if self.contiguous and self.group == "subject":
            problem = "streams graphs and cannot be combined with group=subject"
            raise SettingError(f"rdf:contiguous {problem}")

    def read(self, path: Path, *, bare: bool = False) -> Iterator[PlacedItem]:
        """The items in the order in which their graphs or subjects first occur."""
        syntax = syntax_of(path, self.syntax)
        if syntax == "ntriples" and self.group == "graph" and not (self.text or self.base):
            try:
                item = read_as_one_graph(path, self.label_lang)
            except Suspect:
                pass
            else:
                if item is not None:
                    yield PlacedItem(item, path, 1)
                return
        graphs = Graphs(self, path, bare=bare)
        try:
            with open_bytes(path) as stream:
                for statements, prefixes in parse_statements(stream, syntax, self.base):
                    graphs.add(statements, prefixes)
                    if self.contiguous:
                        yield from graphs.finished()
            yield from graphs.rest()
        except DataError as error:
            raise error.at(path) from None
