"""Aliases that a user wrote down: TSV or JSON."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from adequa.aliases.base import Aliases, distinct, name_of, tidy
from adequa.errors import DataError

__all__ = ["Dictionary", "read_json", "read_tsv"]

Entry = tuple[str, list[str]]


class Dictionary(Aliases):
    """Aliases held in memory; an entity is found by its name, and then by its name in any case."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._exact: dict[str, list[str]] = {}
        self._folded: dict[str, list[str]] = {}
        for entity, aliases in entries:
            name = name_of(entity)
            self._exact.setdefault(name, []).extend(aliases)
            self._folded.setdefault(name.casefold(), []).extend(aliases)

    def of(self, entity: str) -> tuple[str, ...]:
        """The aliases in the order of the file."""
        name = name_of(entity)
        texts = self._exact.get(name)
        if texts is None:
            texts = self._folded.get(name.casefold(), [])
        return distinct(texts, but=entity)

    def content_hash(self) -> str:
        """Of the entities and aliases, whatever the form of their file."""
        return self._hash

    @cached_property
    def _hash(self) -> str:
        written = json.dumps(sorted(self._exact.items()), ensure_ascii=False)
        return hashlib.sha256(written.encode()).hexdigest()[:12]

    def __len__(self) -> int:
        return len(self._exact)


def read_tsv(path: Path) -> Dictionary:
    """`entity<TAB>alias[<TAB>alias…]` a line; blank lines and those that begin with # are not."""
    from adequa.readers.base import lines

    def entries() -> Iterator[Entry]:
        for number, line in lines(path):
            if not line.strip() or line.startswith("#"):
                continue
            entity, *cells = line.split("\t")
            # Spreadsheets fill short rows with empty cells.
            aliases = [tidy(cell) for cell in cells if cell.strip()]
            if not entity.strip() or not aliases:
                what = "alias" if entity.strip() else "entity"
                raise DataError(
                    f"has no {what}",
                    path=path,
                    line=number,
                    remedy="write entity, a tab, alias, and further aliases after further tabs",
                )
            yield entity, aliases

    return Dictionary(entries())


def read_json(path: Path) -> Dictionary:
    """`{"entity": ["alias", …]}`, or `{"entity": "alias"}`; an entity stands once."""
    from adequa.codec.values import kind_of, load_object
    from adequa.readers.base import lines

    text = "".join(line for _, line in lines(path, keep_ends=True))
    remedy = 'write {"entity": ["alias", …], …}'

    def line_of(entity: str) -> int | None:
        found = text.rfind(json.dumps(entity, ensure_ascii=False))
        return None if found < 0 else text.count("\n", 0, found) + 1

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        known: dict[str, Any] = {}
        for key, value in pairs:
            if key in known:
                raise DataError(
                    f"names {key!r} twice", line=line_of(key), remedy="join its two lists"
                )
            known[key] = value
        return known

    def decode(written: str) -> Any:
        try:
            return json.loads(written, object_pairs_hook=once)
        except json.JSONDecodeError as error:
            raise DataError(
                f"is not JSON ({error.msg} at column {error.colno})",
                line=error.lineno,
                remedy=remedy,
            ) from None

    def entries(value: Any) -> Iterator[Entry]:
        if not isinstance(value, dict):
            raise DataError(f"is {kind_of(value)}, not an object", line=1, remedy=remedy)
        for entity, named in value.items():
            aliases = [named] if isinstance(named, str) else named
            if not isinstance(aliases, list):
                problem = f"the aliases of {entity!r} are {kind_of(named)}"
                raise DataError(problem, line=line_of(entity), remedy=remedy)
            for alias in aliases:
                if not isinstance(alias, str) or not alias.strip():
                    kind = "empty" if isinstance(alias, str) else kind_of(alias)
                    problem = f"an alias of {entity!r} is {kind}"
                    raise DataError(problem, line=line_of(entity), remedy=remedy)
            if not entity.strip():
                raise DataError("an entity is empty", line=line_of(entity), remedy=remedy)
            yield entity, [tidy(alias) for alias in aliases]

    try:
        return Dictionary(entries(load_object(text, decode=decode)))
    except DataError as error:
        raise error.at(path) from None
