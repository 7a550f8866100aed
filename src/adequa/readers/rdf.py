"""RDF in any of its syntaxes: named graphs, or subjects, as items."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Literal

from adequa.errors import DataError, SettingError
from adequa.readers.base import Placed, Reader, open_bytes
from adequa.readers.rdf_cut import read_as_one_graph
from adequa.readers.rdf_graphs import Graphs
from adequa.readers.rdf_parse import parse_statements, syntax_of
from adequa.readers.rdf_tokens import Suspect

__all__ = ["RdfReader"]


@dataclass(frozen=True)
class RdfReader(Reader):
    """Reads Turtle, TriG, N-Triples, N-Quads, RDF/XML, JSON-LD and N3 (its facts, not its rules).

    **Items.** A named graph is an item, its IRI the id; the statements outside of named graphs are
    one more, with the name of the file, without its ending, as the id. With `group=subject` an
    item is a subject and whatever its blank nodes say, over all graphs; `meta.graphs` has their
    names.

    **Strings.** An IRI is called by its label (`rdfs:label`, `skos:prefLabel`, else `foaf:name`,
    `schema:name`, `dcterms:title`), wherever it stands in the file, or else by its last part
    (`Aarhus_Airport`); a literal by its value. `terms` keeps IRI, datatype and language, and
    `meta.labels` the labels not chosen. A string means one term within an item: the second term
    that wants it is called by its last part, its whole IRI, or, a literal, by its value in quotes.
    A statement that only gives the label is no fact, unless the file has nothing else. A statement
    made twice is one fact.

    **Blank nodes.** One that is the object of a single statement is folded into a path:
    `:pub :address [ :city "Cambridge" ]` is the fact *pub · address.city · Cambridge*, and a list
    repeats its predicate. One with a label is called by it. Any other is `_:b0`, `_:b1`, …, in the
    order of the file, whatever the file calls it.

    **Texts.** With `text`, the statements with that property are not facts but texts: of the named
    graph they are about, else of the graph they are in (with `group=subject`: of their subject).
    Several texts of one item are the items `<id>/1`, `<id>/2`, …, in file order. A named graph
    without a text is an error; the default graph, or a subject, without one is no item.

    **Memory.** A label may stand anywhere in a file, and a graph may be spread over it, so a file
    is held in memory, at some 200 bytes a statement. With `contiguous` a graph is let go when the
    next one begins; labels and texts then have to come before the graph ends, and a graph that
    comes back is refused as a second item of its id.

    Triples about triples (RDF-star) are an error.
    """

    name: ClassVar[str] = "rdf"
    doc: ClassVar[str] = "RDF: Turtle, TriG, N-Triples, N-Quads, RDF/XML, JSON-LD, N3"

    syntax: str | None = field(
        default=None,
        metadata={
            "doc": "jsonld, n3, nquads, ntriples, rdfxml, trig or turtle; else by the ending"
        },
    )
    text: str | None = field(
        default=None,
        metadata={"doc": "the property that has the text: its IRI, prefixed name or last part"},
    )
    group: Literal["graph", "subject"] = field(
        default="graph", metadata={"doc": "what an item is: a named graph, or a subject"}
    )
    label_lang: str = field(
        default="en", metadata={"doc": "the language of the labels to prefer, as a tag"}
    )
    base: str | None = field(
        default=None, metadata={"doc": "the IRI against which relative IRIs are resolved"}
    )
    blank: Literal["fold", "keep"] = field(
        default="fold", metadata={"doc": "what to do with blank nodes: fold into paths, or keep"}
    )
    contiguous: bool = field(
        default=False,
        metadata={"doc": "the statements of a graph stand together: stream graph by graph"},
    )

    def __post_init__(self) -> None:
        if self.group not in ("graph", "subject"):
            raise SettingError(f"rdf:group is graph or subject, not {self.group!r}")
        if self.blank not in ("fold", "keep"):
            raise SettingError(f"rdf:blank is fold or keep, not {self.blank!r}")
        if self.contiguous and self.group == "subject":
            raise SettingError("rdf:contiguous streams graphs; it does not go with group=subject")

    def read(self, path: Path, *, bare: bool = False) -> Iterator[Placed]:
        """The items, in the order in which their graphs or subjects are first met."""
        syntax = syntax_of(path, self.syntax)
        if syntax == "ntriples" and self.group == "graph" and not (self.text or self.base):
            try:
                item = read_as_one_graph(path, self.label_lang)
            except Suspect:
                pass
            else:
                if item is not None:
                    yield Placed(item, path, 1)
                return
        graphs = Graphs(
            path,
            text=self.text,
            by_subject=self.group == "subject",
            label_lang=self.label_lang,
            fold_blank=self.blank == "fold",
            streaming=self.contiguous,
            bare=bare,
        )
        with open_bytes(path) as stream:
            try:
                for statements, prefixes in parse_statements(stream, syntax, self.base):
                    graphs.add(statements, prefixes)
                    if self.contiguous:
                        yield from graphs.finished()
            except DataError as error:
                raise error.at(path) from None
        yield from graphs.rest()
