"""Labels by identifier, `P47<TAB>shares border with` or a JSON object: what dumps leave out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from adequa.codec import load_object
from adequa.errors import DataError
from adequa.readers.base import lines

__all__ = ["last_part", "read_labels"]


def last_part(iri: str) -> str:
    """What an IRI ends in, or a name as it is.

    >>> last_part("http://www.wikidata.org/entity/Q40"), last_part("P47")
    ('Q40', 'P47')
    """
    if "://" not in iri:
        return iri
    return iri.rstrip("/#").replace("#", "/").rpartition("/")[2] or iri


def read_labels(path: Path) -> dict[str, str]:
    """Identifiers, as IRIs or bare, to labels; a second label for one is an error."""
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
