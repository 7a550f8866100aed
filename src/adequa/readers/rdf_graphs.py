"""Statements gathered into graphs or subjects, and those made into items."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from adequa.data import Item, Triple
from adequa.errors import DataError
from adequa.readers.base import Placed
from adequa.readers.rdf_fold import Row, fold
from adequa.readers.rdf_labels import LABEL_PREDICATES, Labels
from adequa.readers.rdf_names import ItemNames, Names
from adequa.readers.rdf_parse import Statement
from adequa.readers.rdf_tokens import local_name, split_literal

__all__ = ["Graphs"]


class _Text(NamedTuple):
    subject: str
    literal: str


class Graphs:
    """The statements of a file by graph (or by subject), its labels and its texts."""

    def __init__(
        self,
        path: Path,
        *,
        text: str | None,
        by_subject: bool,
        label_lang: str,
        fold_blank: bool,
        streaming: bool,
        bare: bool,
    ) -> None:
        self._path = path
        self._text = None if text is None else text.strip().removeprefix("<").removesuffix(">")
        self._by_subject = by_subject
        self._fold_blank = fold_blank
        self._streaming = streaming
        self._bare = bare
        self._labels = Labels(label_lang)
        self._names = Names(self._labels)
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
        """Take in statements; the prefixes are those the file has declared so far."""
        last = ""
        for subject, predicate, value, graph in statements:
            known = self._predicates.get(predicate)
            if known is None and not self._meet(predicate, prefixes):
                self._add_text(graph, subject, value)
                continue
            # Of equal strings one is kept: there are millions.
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

    def _meet(self, predicate: str, prefixes: Mapping[str, str]) -> bool:
        """Whether a new predicate is that of facts and labels, and not that of the texts."""
        if self._text is not None and self._is_text(predicate[1:-1], prefixes):
            if self._text_predicate not in (None, predicate):
                raise DataError(
                    f"two properties are called {self._text!r}: "
                    f"{self._text_predicate} and {predicate}",
                    path=self._path,
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
            raise DataError(
                f"the text of {subject} is not a literal but {value}",
                path=self._path,
                remedy="name the property whose values are strings",
            )
        number = self._text_count = self._text_count + 1
        self._texts[number] = _Text(subject, value)
        self._texts_about.setdefault(subject, []).append(number)
        self._texts_in.setdefault(graph, []).append(number)

    def finished(self) -> Iterator[Placed]:
        """The items of all graphs but the one that was read last, which are then forgotten."""
        for key in [key for key in self._groups if key != self._latest]:
            yield from self._items(key, self._facts(key))
            del self._groups[key]

    def rest(self) -> Iterator[Placed]:
        """The items of all that is left; raises where a text belongs to none."""
        if self._text is not None and self._text_predicate is None:
            raise DataError(
                f"no statement has the property {self._text!r}",
                path=self._path,
                remedy="name the text's property by its IRI, prefixed name or last part",
            )
        if not self._has_facts:
            self._labels.clear()  # the file has nothing else: then they are the facts
        for key in self._subjects() if self._by_subject else self._groups:
            yield from self._items(key, self._reach(key) if self._by_subject else self._facts(key))
        for text in self._texts.values():
            raise DataError(
                f"the text of {text.subject} belongs to no item: it has no facts",
                path=self._path,
                remedy="state facts about it, or leave the text out",
            )

    def _facts(self, key: str) -> list[Row]:
        """What is said in a graph or of a subject, each once, without what only names things."""
        is_label = self._labels.is_label
        return [row for row in dict.fromkeys(self._groups[key]) if not is_label(*row)]

    def _subjects(self) -> Iterator[str]:
        """The subjects that are items: IRIs, then the blank nodes that no item would hold."""
        blank = [key for key in self._groups if key[0] == "_"]
        reached: set[str] = set()
        for key in self._groups:
            if key[0] != "_":
                yield key
                if blank:
                    reached.update(row[0] for row in self._reach(key))
        loose = [key for key in blank if key not in reached]
        inside = {row[2] for key in loose for row in self._groups[key] if row[2] != key}
        # Heads of trees first: what is still not reached then is a circle, begun anywhere.
        for key in chain((key for key in loose if key not in inside), loose):
            if key not in reached:
                reached.add(key)
                reached.update(row[0] for row in self._reach(key))
                yield key

    def _reach(self, key: str) -> list[Row]:
        """What is said of a subject and, through blank nodes, of the nodes it leads to."""
        rows = self._facts(key)
        seen = {key}
        for _, _, value in rows:
            if value[0] == "_" and value not in seen and value in self._groups:
                seen.add(value)
                rows.extend(self._facts(value))
        return rows

    def _items(self, key: str, rows: list[Row]) -> Iterator[Placed]:
        """The item of a graph or subject, or one for each of its texts; none without facts."""
        if not rows:
            return
        texts = self._take_texts(key)
        if self._text is not None and not texts:
            if self._by_subject or not key:
                return
            if not self._bare:
                raise DataError(
                    f"the graph {key} has no text",
                    path=self._path,
                    remedy=f"give it one with the property {self._text}",
                )
        if self._fold_blank:
            rows = fold(rows, self._labels)
        names = ItemNames(self._names)
        triples = tuple(Triple(names[row[0]], names[row[1]], names[row[2]]) for row in rows)
        terms, meta = names.terms(), self._meta(key, names)
        identifier = self._names.identifier(key) if key else self._path.stem
        if self._bare or not texts:
            references = tuple(value for value, _ in texts)
            item = Item(identifier, triples, "", references=references, terms=terms, meta=meta)
            yield Placed(item, self._path, 1)
            return
        for number, (value, lang) in enumerate(texts, 1):
            name = identifier if len(texts) == 1 else f"{identifier}/{number}"
            item = Item(name, triples, value, lang=lang, terms=terms, meta=meta)
            yield Placed(item, self._path, 1)

    def _take_texts(self, key: str) -> list[tuple[str, str | None]]:
        """The texts of an item, in file order: those about it, and those in it about no other."""
        numbers = set(self._texts_about.pop(key, ()))
        if not self._by_subject and (key or not self._streaming):
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
