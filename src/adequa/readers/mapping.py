"""What the columns of a record mean: by convention, or by a small mapping file."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from adequa.codec import load_object
from adequa.errors import DataError, UnknownName
from adequa.readers.base import lines

__all__ = ["RecordMapping", "find", "load_mapping"]

_SUBJECTS = ("name", "title", "label")
_REFERENCES = ("references", "reference")
_EMPTY: Mapping[str, str] = {}


@dataclass(frozen=True)
class RecordMapping:
    """Which column (or path, `address.city`) has which part of an item; None: by convention.

    The convention takes no more than it must, since a column it takes is no fact any more: `id` is
    the id, `name`, else `title`, else `label`, else the id is the subject, `text` the text,
    `reference` or `references` the references, and `system` the system; capitals do not matter.
    There is no convention for a category: it may well be a fact.
    """

    id: str | None = None
    subject: str | None = None
    text: str | None = None
    references: tuple[str, ...] = ()
    system: str | None = None
    category: str | None = None
    ignore: tuple[str, ...] = ()
    """Columns that are no facts; they are kept in `meta`."""
    rename: Mapping[str, str] = field(default_factory=lambda: _EMPTY)
    """Predicates for columns; a column that is renamed takes what is nested in it along."""

    @classmethod
    def from_object(cls, raw: Any) -> RecordMapping:
        """A mapping from its JSON or TOML; an unknown key or a wrong type raises."""
        if not isinstance(raw, Mapping):
            raise DataError("is not an object", remedy='write {"subject": "column", …}')
        known = {each.name for each in fields(cls)}
        values: dict[str, Any] = {}
        for name, value in raw.items():
            if name not in known:
                raise UnknownName("key of a mapping", str(name), known)
            if name == "rename":
                values[name] = _renames(value)
            elif name in ("ignore", "references"):
                values[name] = _columns(name, value)
            elif type(value) is str and value:
                values[name] = value
            else:
                raise DataError(f"{name!r} is not the name of a column", remedy="write a string")
        return cls(**values)

    def named(self) -> Iterator[str]:
        """The columns the mapping names, for a table that must have them."""
        single = (self.id, self.subject, self.text, self.system, self.category)
        yield from (name for name in single if name is not None)
        yield from self.references
        yield from self.ignore
        yield from self.rename

    def subject_candidates(self) -> tuple[str, ...]:
        """Where the subject may be, best first."""
        if self.subject is not None:
            return (self.subject,)
        return (*_SUBJECTS, self.id or "id")

    def reference_columns(self, present: Iterable[str]) -> list[str]:
        """The columns that hold references, of those that are present."""
        present = list(present)
        found = (find(name, present) for name in self.references or _REFERENCES)
        return [name for name in found if name is not None]

    def ignores(self, path: str) -> bool:
        """Whether a path, or what it is nested in, is to be no fact."""
        return any(_within(path, name) for name in self.ignore)

    def predicate(self, path: str) -> str:
        """The predicate for a path."""
        for name, predicate in self.rename.items():
            if _within(path, name):
                return predicate + path[len(name) :]
        return path


def find(name: str, present: Iterable[str]) -> str | None:
    """The column of that name, or the first that differs from it by capitals alone."""
    present = list(present)
    if name in present:
        return name
    return next((column for column in present if column.casefold() == name.casefold()), None)


def _within(path: str, name: str) -> bool:
    return path == name or path.startswith(name + ".")


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
    """Read a mapping file: JSON, or TOML where Python has a reader for it."""
    text = "\n".join(line for _, line in lines(path))
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
