"""WebNLG-WD: items whose DBpedia properties are renamed to Wikidata's by a mapping file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from adequa.codec import load_object
from adequa.data import Item, Triple
from adequa.errors import DataError
from adequa.readers.base import lines
from adequa.readers.rows import read_table
from adequa.training.derived import Tally
from adequa.wording.folding import folded

__all__ = ["Property", "read_properties", "shipped_properties", "to_wikidata"]

_INVERSE = {"": False, "no": False, "false": False, "yes": True, "true": True}


@dataclass(frozen=True, slots=True)
class Property:
    """A property of Wikidata; `inverse`: its subject is DBpedia's object."""

    label: str
    id: str = ""
    inverse: bool = False


@cache
def shipped_properties() -> Mapping[str, Property]:
    """The mapping that comes along: common properties whose meaning is the same in both."""
    with as_file(files("adequa.training") / "resources" / "wikidata.tsv") as path:
        return read_properties(path)


def read_properties(path: Path) -> dict[str, Property]:
    """A mapping by folded name from TSV (`dbpedia`, `label`, also `wikidata`, `inverse`) or JSON.

    JSON is `{"birthPlace": "place of birth"}`, or an object in place of the label that has the
    columns of the table: `{"label": "subclass of", "wikidata": "P279", "inverse": true}`.
    """
    properties: dict[str, Property] = {}
    rows = _from_json(path) if path.suffix.lower() == ".json" else _from_table(path)
    for line, name, raw in rows:
        try:
            found = _property(raw)
            if not folded(name):
                _refuse("has no name of a DBpedia property")
            if properties.setdefault(folded(name), found) != found:
                _refuse(f"maps {name!r} a second time, and differently")
        except DataError as error:
            raise error.at(path, line) from None
    return properties


def _refuse(problem: str) -> None:
    raise DataError(problem, remedy="correct the mapping")


def _from_table(path: Path) -> Iterator[tuple[int | None, str, Any]]:
    table = read_table(path, "\t", quotes=False)
    for column in ("dbpedia", "label"):
        if column not in table.columns:
            raise DataError(
                f"has no column {column!r}",
                path=path,
                line=1,
                remedy="its first line is: dbpedia, label, and if need be wikidata, inverse",
            )
    for line, cells in table.rows:
        yield line, cells["dbpedia"], cells


def _from_json(path: Path) -> Iterator[tuple[int | None, str, Any]]:
    try:
        raw = load_object("\n".join(line for _, line in lines(path)))
    except DataError as error:
        raise error.at(path) from None
    if type(raw) is not dict:
        raise DataError("is not an object", path=path, remedy='{"birthPlace": "place of birth"}')
    yield from ((None, name, value) for name, value in raw.items())


def _property(raw: Any) -> Property:
    cells = {"label": raw} if type(raw) is str else raw
    label = cells.get("label") if isinstance(cells, Mapping) else None
    if type(label) is not str or not label.strip():
        raise DataError("has no label of a Wikidata property", remedy="write it, or drop the line")
    inverse = cells.get("inverse", "")
    if type(inverse) is str and inverse.strip().casefold() in _INVERSE:
        inverse = _INVERSE[inverse.strip().casefold()]
    if type(inverse) is not bool:
        raise DataError(f"has {inverse!r:.20} for 'inverse'", remedy="write yes, no or nothing")
    return Property(label.strip(), str(cells.get("wikidata") or "").strip(), inverse)


def to_wikidata(
    items: Iterable[Item],
    properties: Mapping[str, Property] | None = None,
    tally: Tally | None = None,
) -> Iterator[Item]:
    """The items all of whose predicates are mapped, renamed; `meta.dbpedia` has their triples.

    `tally` counts the others by the first predicate that is not mapped.
    """
    properties = shipped_properties() if properties is None else properties
    tally = Tally() if tally is None else tally
    for item in items:
        known = [properties.get(folded(triple.predicate)) for triple in item.triples]
        if None in known:
            tally.left_out[item.triples[known.index(None)].predicate] += 1
            continue
        tally.kept += 1
        triples = tuple(
            Triple(triple.object, one.label, triple.subject)
            if one.inverse
            else Triple(triple.subject, one.label, triple.object)
            for triple, one in zip(item.triples, known, strict=True)
            if one is not None
        )
        original = [list(triple) for triple in item.triples]
        yield replace(item, triples=triples, meta={**item.meta, "dbpedia": original})
