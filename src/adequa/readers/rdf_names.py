"""Readable strings for the terms of an RDF file, and what the strings do not say.

A label of the file is the best name of an IRI, its last part the second best, and a literal is
called by its value. Within an item two terms never share a string: the later one takes its next
best name.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import chain, count
from typing import Any, cast

from adequa.data import Term
from adequa.readers.rdf_labels import Labels
from adequa.readers.rdf_tokens import (
    check_iri,
    check_suffix,
    local_name,
    split_literal,
    split_unchecked,
)

__all__ = ["ItemNames", "Names"]

_XSD_STRING = "http://www.w3.org/2001/XMLSchema#string"
_CACHE_SIZE = 1 << 16


_new_term = partial(object.__new__, Term)
_slots: Any = Term
_set_label, _set_iri = _slots.label.__set__, _slots.iri.__set__
_set_datatype, _set_lang = _slots.datatype.__set__, _slots.lang.__set__


def _term(label: str | None, iri: str, lang: str | None) -> Term:
    """The same Term in a third of the time: a frozen dataclass sets its fields by their names."""
    term = _new_term()
    _set_label(term, label)
    _set_iri(term, iri)
    _set_datatype(term, None)
    _set_lang(term, lang)
    return term


class Names:
    """What the terms of a file would like to be called.

    With `check`, tokens come from nobody knows where, and an invalid one raises Suspect.
    """

    def __init__(self, labels: Labels, *, check: bool = False) -> None:
        self.labels = labels
        self._check = check
        self.split = split_unchecked if check else split_literal
        self.kinds = _Kinds(check=check)
        self._blank: dict[str, str] = {}
        self._known: dict[str, tuple[str, Term]] = {}

    def best(self, token: str) -> tuple[str, Term | None]:
        """The string a term would like, and what the string does not say.

        The literals of a kind share a term, and no two of them a value: so term and string
        together tell which literal it is.
        """
        if token[:1] == '"':
            value, suffix = self.split(token)
            return value, self.kinds[suffix]
        if self._check:
            return self._name(token)  # there is one item, which remembers
        known = self._known.get(token)
        if known is None:
            if len(self._known) >= _CACHE_SIZE:
                self._known.clear()
            known = self._known[token] = self._name(token)
        return known

    def split_checked(self, token: str) -> tuple[str, str]:
        """The value and the suffix of a literal, both valid."""
        value, suffix = self.split(token)
        self.kinds[suffix]
        return value, suffix

    def _name(self, token: str) -> tuple[str, Term]:
        if self._check and ">/<" not in token:
            check_iri(token)
            identifier = token[1:-1]
        else:
            identifier = self.identifier(token)
        label = self.labels.get(token)
        if label is not None:
            text, lang, _ = label
            return text, _term(text, identifier, lang)
        return self._last_part(token), _term(None, identifier, None)

    def forget(self, token: str) -> None:
        """Name a term anew when it is next met: it has got a label."""
        self._known.pop(token, None)

    def others(self, token: str) -> Iterator[tuple[str, Term]]:
        """Further strings for a term whose best one is taken, without end."""
        best, own = self.best(token)
        if token[0] == '"':
            lang, datatype = (own.lang, own.datatype) if own else (None, _XSD_STRING)
            term = Term(best, None, datatype, lang)
            suffix = f"@{lang}" if lang else f"^^<{datatype}>"
            strings = [f'"{best}"', f'"{best}"{suffix}']
        else:
            label = self.labels.get(token)
            term = Term(best, self.identifier(token), None, label.lang if label else None)
            strings = [
                self._last_part(token),
                self.identifier(token),
                f"<{self.identifier(token)}>",
            ]
        for string in chain(strings, (f"{strings[-1]} {number}" for number in count(2))):
            yield string, term

    def identifier(self, token: str) -> str:
        """What an IRI, a path or a blank node is called where nothing nicer will do."""
        if ">/<" in token:
            return token
        if token[0] == "_":
            # Parsers invent names for blank nodes; the order in which they are met is the file's.
            return self._blank.setdefault(token, f"_:b{len(self._blank)}")
        return token[1:-1]

    def _last_part(self, token: str) -> str:
        if ">/<" in token:
            parts = token[1:-1].split(">/<")
            return ".".join(self.best(f"<{part}>")[0] for part in parts)
        return self.identifier(token) if token[0] == "_" else local_name(token[1:-1])


class _Kinds(dict[str, "Term | None"]):
    """What stands behind the closing quote of a literal, as a term that all of its kind share."""

    def __init__(self, *, check: bool) -> None:
        self._check = check

    def __missing__(self, suffix: str) -> Term | None:
        written = check_suffix(suffix) if self._check else suffix
        kind: Term | None
        if written != suffix:
            kind = self[written]
        elif suffix.startswith("@"):
            kind = Term(lang=suffix[1:])
        else:
            kind = Term(datatype=suffix[3:-1]) if suffix else None
        self[suffix] = kind
        return kind


class ItemNames(dict[str, str]):
    """The string of each token of one item, found when it is first asked for.

    `owners` has what each string in use stands for beyond itself.
    """

    def __init__(self, names: Names) -> None:
        self._names = names
        self.kinds = names.kinds
        self.owners: dict[str, Term | None] = {}

    def __missing__(self, token: str) -> str:
        string, term = self._names.best(token)
        # No part of a triple is empty.
        if not string or self.owners.setdefault(string, term) is not term:
            others = self._names.others(token)
            string, term = next(other for other in others if other[0] not in self.owners)
            self.owners[string] = term
        self[token] = string
        return string

    def terms(self) -> dict[str, Term]:
        """What the strings do not say by themselves; to be asked when all are named."""
        for string in [string for string, term in self.owners.items() if term is None]:
            del self.owners[string]  # most have one, so that a copy would cost more
        return cast("dict[str, Term]", self.owners)
