"""What a source of aliases is, and how names are made comparable."""

from __future__ import annotations

import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Iterable

__all__ = ["Aliases", "distinct", "name_of", "tidy"]


class Aliases(ABC):
    """Other names of entities, looked up one entity at a time."""

    @abstractmethod
    def of(self, entity: str) -> tuple[str, ...]:
        """The aliases of an entity without itself, the best first, none twice whatever its case."""

    @abstractmethod
    def content_hash(self) -> str:
        """Twelve digits that change when an alias does, for the signature of a metric."""


def tidy(text: str) -> str:
    """A text in composed Unicode, with single spaces and none around it."""
    text = " ".join(text.split())
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def name_of(entity: str) -> str:
    """An entity's string as a name.

    >>> name_of("Aarhus_Airport"), name_of(" Aarhus  Airport")
    ('Aarhus Airport', 'Aarhus Airport')
    """
    return tidy(entity.replace("_", " "))


def distinct(texts: Iterable[str], *, but: str, limit: int | None = None) -> tuple[str, ...]:
    """The first of each text, whatever its case, without the entity `but` itself."""
    found: dict[str, str] = {}
    itself = name_of(but).casefold()
    for text in texts:
        if limit is not None and len(found) >= limit:
            break
        key = name_of(text).casefold()
        if key != itself:
            found.setdefault(key, text)
    return tuple(found.values())
