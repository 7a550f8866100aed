"""T-REx: abstracts of Wikipedia and the triples of Wikidata found in them.

Elsahar, Vougiouklis, Remaci, Gravier, Hare, Laforest and Simperl (2018), "T-REx: A Large Scale
Alignment of Natural Language with Knowledge Base Triples", LREC. The corpus has identifiers without
labels; `read_labels` reads them from a file (`P47<TAB>shares border with`, or a JSON object).
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from adequa.data import Item, Term, Triple
from adequa.errors import DataError
from adequa.files import kind_of, lines, load_object, reject_constant
from adequa.readers import PlacedItem, Reader
from adequa.readers.records import stream_json

_decode = json.JSONDecoder(parse_constant=reject_constant).raw_decode


def last_part(iri: str) -> str:
    """The last part of an IRI; any other name unchanged.

    >>> last_part("http://www.wikidata.org/entity/Q40"), last_part("P47")
    ('Q40', 'P47')
    """
    if "://" not in iri:
        return iri
    return iri.rstrip("/#").replace("#", "/").rpartition("/")[2] or iri


def read_labels(path: Path) -> dict[str, str]:
    """The labels by identifier, which may be an IRI in the file; a second label is an error."""
    labels: dict[str, str] = {}
    for line, identifier, label in _pairs(path):
        key = last_part(identifier)
        if labels.setdefault(key, label) != label:
            raise DataError(
                f"has a second label for {key!r}", path=path, line=line, remedy="keep one"
            )
    return labels


def _pairs(path: Path) -> Iterator[tuple[int | None, str, str]]:
    if path.suffix.lower() == ".json":
        try:
            raw = load_object("\n".join(line for _, line in lines(path)))
        except DataError as error:
            raise error.at(path) from None
        if type(raw) is not dict or not all(type(one) is str and one for one in raw.values()):
            remedy = '{"P47": "shares border with"}'
            raise DataError("is not an object of labels", path=path, remedy=remedy)
        yield from ((None, identifier, label) for identifier, label in raw.items())
        return
    for number, line in lines(path):
        if not line.strip() or line.startswith("#"):
            continue
        cells = line.split("\t")
        if len(cells) != 2 or not all(cell.strip() for cell in cells):
            raise DataError(
                "is not an identifier and a label",
                path=path,
                line=number,
                remedy="write two cells with a tab between them",
            )
        yield number, cells[0].strip(), cells[1].strip()


_REMEDY = "is it T-REx's JSON?"
_OWN = frozenset(("text", "sentences_boundaries", "words_boundaries", "entities", "triples"))


@dataclass(frozen=True)
class TrexReader(Reader):
    """Reads each sentence with a triple as an item, `<document>/<sentence>` from 0.

    A triple of the file has identifiers and words of the text. Its strings are the first available
    of: the label in `labels`, the title for the entity of the page, the words of the text unless
    they are a pronoun, the identifier. `terms` keeps the identifiers, and `meta` the rest: offsets
    there count from the beginning of the document, and the sentence begins at `start`.
    """

    name: ClassVar[str] = "trex"
    doc: ClassVar[str] = "T-REx: abstracts of Wikipedia, and triples of Wikidata by sentence"

    labels: Path | None = field(
        default=None,
        metadata={"doc": "labels of properties and entities by identifier (P47, Q40): TSV or JSON"},
    )

    def read(self, path: Path, *, bare: bool = False) -> Iterator[PlacedItem]:
        """Stream the items, holding one document at a time."""
        labels = {} if self.labels is None else read_labels(self.labels)
        for line, raw, _ in stream_json(path, _decode):
            try:
                for item in _Document(raw, labels).items(bare=bare):
                    yield PlacedItem(item, path, line)
            except DataError as error:
                raise error.at(path, line) from None


class _Document:
    """One object of the file; the fields that are used are validated."""

    def __init__(self, raw: Any, labels: Mapping[str, str]) -> None:
        if type(raw) is not dict:
            raise DataError(f"is {kind_of(raw)}, not an object", remedy=_REMEDY)
        self._labels = labels
        self._identifier = last_part(_string(raw, "docid"))
        self._text = _string(raw, "text", empty=True)
        self._sentences = _spans(raw, "sentences_boundaries", len(self._text))
        self._entities = _objects(raw, "entities") if "entities" in raw else []
        self._triples = _objects(raw, "triples")
        self._rest = {name: value for name, value in raw.items() if name not in _OWN}
        self._names = self._known_names(raw)
        self._inside = self._by_sentence(
            (entity.get("boundaries"), entity) for entity in self._entities
        )
        words = raw.get("words_boundaries")
        if words is not None and type(words) is not list:
            raise DataError(f"'words_boundaries' is {kind_of(words)}, not a list")
        self._words = self._by_sentence(zip(words, words, strict=True)) if words else None

    def _by_sentence(self, placed: Iterable[tuple[Any, Any]]) -> dict[int, list[Any]]:
        """The elements inside each sentence, by their span."""
        order = sorted(range(len(self._sentences)), key=lambda number: self._sentences[number])
        starts = [self._sentences[number][0] for number in order]
        inside: dict[int, list[Any]] = {}
        for span, one in placed:
            if not _within(span, 0, len(self._text)):
                continue
            number = order[bisect_right(starts, span[0]) - 1] if starts else 0
            if starts and _within(span, *self._sentences[number]):
                inside.setdefault(number, []).append(one)
        return inside

    def _known_names(self, raw: Mapping[str, Any]) -> dict[str, str]:
        names: dict[str, str] = {}
        title = raw.get("title")
        for key in ("uri", "docid"):
            uri = raw.get(key)
            if type(uri) is str and type(title) is str and title:
                names.setdefault(uri, title)
        for entity in self._entities:
            uri, form = entity.get("uri"), entity.get("surfaceform")
            # A pronoun is not a name; it comes from the coreference annotator.
            is_name = "oref" not in str(entity.get("annotator"))
            if type(uri) is str and type(form) is str and form and is_name:
                names.setdefault(uri, form)
        return names

    def items(self, *, bare: bool) -> Iterator[Item]:
        by_sentence: dict[int, list[Mapping[str, Any]]] = {}
        for position, triple in enumerate(self._triples, 1):
            number = triple.get("sentence_id")
            if type(number) is not int or not 0 <= number < len(self._sentences):
                raise DataError(
                    f"triple {position} has no sentence ({number!r:.20} of {len(self._sentences)})",
                    remedy="a 'sentence_id' counts the 'sentences_boundaries' from 0",
                )
            by_sentence.setdefault(number, []).append(triple)
        for number in sorted(by_sentence):
            yield self._item(number, by_sentence[number], bare=bare)

    def _item(self, number: int, found: Sequence[Mapping[str, Any]], *, bare: bool) -> Item:
        start, end = self._sentences[number]
        text = self._text[start:end]
        terms: dict[str, Term] = {}
        triples = [self._triple(triple, terms) for triple in found]
        meta = {
            **self._rest,
            "sentence": number,
            "start": start,
            "end": end,
            "entities": self._inside.get(number, []),
            "triples": list(found),
        }
        if self._words is not None:
            meta["words"] = self._words.get(number, [])
        return Item(
            f"{self._identifier}/{number}",
            tuple(dict.fromkeys(triples)),  # two aligners may find the same
            "" if bare else text,
            references=(text,) if bare else (),
            terms=terms,
            meta=meta,
        )

    def _triple(self, raw: Mapping[str, Any], terms: dict[str, Term]) -> Triple:
        parts = {}
        for role in ("subject", "predicate", "object"):
            part = raw.get(role)
            if type(part) is not dict:
                raise DataError(f"a triple's {role!r} is {kind_of(part)}, not an object")
            parts[role] = part
        return Triple(
            self._entity(parts["subject"], terms),
            self._property(parts["predicate"]),
            self._entity(parts["object"], terms),
        )

    def _entity(self, part: Mapping[str, Any], terms: dict[str, Term]) -> str:
        uri = _string(part, "uri")
        value, typed, datatype = uri.rpartition("^^")
        if typed and value:
            terms.setdefault(value, Term(datatype=datatype.strip("<>")))
            return value
        form = part.get("surfaceform")
        name = (
            self._labels.get(last_part(uri))
            or self._names.get(uri)
            or (form if type(form) is str and "oref" not in str(part.get("annotator")) else "")
            or last_part(uri)
        )
        terms.setdefault(name, Term(iri=uri))
        return name

    def _property(self, part: Mapping[str, Any]) -> str:
        identifier = last_part(_string(part, "uri"))
        form = part.get("surfaceform")
        return self._labels.get(identifier) or (form if type(form) is str else "") or identifier


def _within(span: Any, start: int, end: int) -> bool:
    return (
        type(span) is list
        and len(span) == 2
        and all(type(edge) is int for edge in span)
        and start <= span[0] <= span[1] <= end
    )


def _string(raw: Mapping[str, Any], name: str, *, empty: bool = False) -> str:
    value = raw.get(name)
    if type(value) is not str or not (value or empty):
        found = f"{name!r} is {'empty' if value == '' else kind_of(value)}, not a string"
        raise DataError(found if name in raw else f"has no {name!r}", remedy=_REMEDY)
    return value


def _objects(raw: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    value = raw.get(name)
    if type(value) is not list or not all(type(one) is dict for one in value):
        found = f"{name!r} is not a list of objects" if name in raw else f"has no {name!r}"
        raise DataError(found, remedy=_REMEDY)
    return value


def _spans(raw: Mapping[str, Any], name: str, length: int) -> list[list[int]]:
    value = raw.get(name)
    if type(value) is not list:
        found = f"{name!r} is {kind_of(value)}, not a list" if name in raw else f"has no {name!r}"
        raise DataError(found, remedy=_REMEDY)
    for number, span in enumerate(value):
        if not _within(span, 0, length):
            raise DataError(
                f"{name!r} has a pair, number {number}, that is not [start, end] inside the text",
                remedy="offsets count characters, from 0",
            )
    return value
