"""What the columns of a user's records mean, as the user tells it or by convention."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from adequa.errors import DataError, UnknownName
from adequa.files import load_object, read_text

_REFERENCES = ("references", "reference")
_EMPTY: Mapping[str, str] = {}


@dataclass(frozen=True)
class RecordMapping:
    """The column (or path, `address.city`) of each part of an item; None means by convention.

    By convention `id` is the id, `text` the text, `reference` or `references` the references and
    `system` the system; case does not matter. There is no convention for the category, since it
    may be a fact. What names the record is found by `adequa.readers.facts`.
    """

    id: str | None = None
    subject: str | None = None
    text: str | None = None
    references: tuple[str, ...] = ()
    system: str | None = None
    category: str | None = None
    record: str | None = None
    """The column with the record, where it is not the whole row."""
    ignore: tuple[str, ...] = ()
    """Fields that are not facts; they are kept in `meta`."""
    keep: tuple[str, ...] = ()
    """Fields that are facts although they look technical; `*` keeps all of them."""
    rename: Mapping[str, str] = field(default_factory=lambda: _EMPTY)
    """Predicates for columns; renaming a column also renames the columns nested in it."""

    @classmethod
    def from_object(cls, raw: Any) -> RecordMapping:
        """A mapping from a JSON or TOML object; raises on an unknown key or a wrong type."""
        if not isinstance(raw, Mapping):
            raise DataError("is not an object", remedy='write {"subject": "column", …}')
        known = {each.name for each in fields(cls)}
        given: dict[str, Any] = {}
        for name, value in raw.items():
            if name not in known:
                raise UnknownName("key of a mapping", str(name), known)
            if name == "rename":
                given[name] = _renames(value)
            elif name in ("ignore", "keep", "references"):
                given[name] = _columns(name, value)
            elif type(value) is str and value:
                given[name] = value
            else:
                raise DataError(f"{name!r} is not the name of a column", remedy="write a string")
        return cls(**given)

    def named(self) -> Iterator[str]:
        """All columns of the mapping, which a table must have."""
        single = (self.id, self.subject, self.text, self.system, self.category, self.record)
        yield from (name for name in single if name is not None)
        yield from self.references
        yield from self.ignore
        yield from (name for name in self.keep if name != "*")
        yield from self.rename

    def reference_columns(self, present: Iterable[str]) -> list[str]:
        """The columns with references among those present."""
        present = list(present)
        found = (find(name, present) for name in self.references or _REFERENCES)
        return [name for name in found if name is not None]

    def ignores(self, path: str) -> bool:
        """Whether a path, or a field it is nested in, is ignored."""
        return any(_matches(path, name) for name in self.ignore)

    def keeps(self, path: str) -> bool:
        """Whether a path, or a field it is nested in, is always a fact."""
        return any(name == "*" or _matches(path, name) for name in self.keep)

    def predicate(self, path: str) -> str | None:
        """The predicate that a path was renamed to."""
        for name, predicate in self.rename.items():
            if within(path, name):
                return predicate + path[len(name) :].replace(".", " ")
        return None


def find(name: str, present: Iterable[str]) -> str | None:
    """The column with that name, or else the first with that name in another case."""
    present = list(present)
    if name in present:
        return name
    return next((column for column in present if column.casefold() == name.casefold()), None)


def within(path: str, name: str) -> bool:
    """Whether a dotted path is a field or lies in it."""
    return path == name or path.startswith(name + ".")


def _matches(path: str, name: str) -> bool:
    """Whether a path lies in the field; a name without a dot is a field at any depth."""
    return within(path, name) or ("." not in name and name in path.split("."))


def _columns(name: str, value: Any) -> tuple[str, ...]:
    if type(value) is str:
        value = [value]
    if type(value) is not list or not all(type(part) is str and part for part in value):
        raise DataError(f"{name!r} is not a list of columns", remedy='write ["one", "another"]')
    return tuple(value)


def _renames(value: Any) -> Mapping[str, str]:
    if type(value) is not dict or not all(
        type(part) is str and part for pair in value.items() for part in pair
    ):
        raise DataError("'rename' is not an object of strings", remedy='{"column": "predicate"}')
    return dict(value)


def load_mapping(path: Path) -> RecordMapping:
    """Read a mapping file: JSON, or TOML from Python 3.11 on."""
    text = read_text(path)
    try:
        raw = _load_toml(text) if path.suffix.lower() == ".toml" else load_object(text)
        return RecordMapping.from_object(raw)
    except DataError as error:
        raise error.at(path) from None


def _load_toml(text: str) -> Any:
    try:
        tomllib = importlib.import_module("tomllib")
    except ImportError:
        raise DataError("is TOML, which needs Python 3.11", remedy="write it as JSON") from None
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"is not TOML ({error})", remedy="correct it, or write JSON") from None
