"""RDF terms: their N-Triples tokens, their labels, and readable strings for them.

A *token* is the N-Triples form of a term: `<iri>`, `_:label`, `"literal"@en`. Tokens written by
pyoxigraph are valid. Tokens cut from a file may be anything: one that is not plainly a valid IRI or
literal raises `Suspect`, and pyoxigraph then decides.

A term is called by its label in the file, else by the last part of its IRI; a literal by its value.
Within an item two terms never share a string: the later one gets its next best name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set
from itertools import chain, count
from typing import Any, NamedTuple, cast
from urllib.parse import unquote

from pyoxigraph import NamedNode, RdfFormat, parse

from adequa.data import Term

_IN_PATH = r"A-Za-z0-9._~!$&'()*+,;=:@/?\u00A0-\uD7FF\uF900-\uFDCF\uFDF0-\uFFEF-"
_PLAIN_IRI = re.compile(rf"<https?://[A-Za-z0-9.-]+/[{_IN_PATH}]*(?:\#[{_IN_PATH}]*)?>")
_VALUE = r'[^"\\\n\r]*'
_ESCAPED = r"""\\(?:[tbnrf"'\\]|u(?![Dd][89A-Fa-f])[0-9A-Fa-f]{4})"""
_PLAIN_LITERAL = re.compile(rf'"({_VALUE}(?:{_ESCAPED}{_VALUE})*)"(|[@^].*)')
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))")
_CHARACTERS = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}


class Suspect(Exception):
    """A token that may be invalid; caught by the reader, which then lets pyoxigraph decide."""


def split_literal(token: str) -> tuple[str, str]:
    """The value of a literal's token and its suffix, the part after the closing quote.

    >>> split_literal('"say \\\\"hi\\\\""@en')
    ('say "hi"', '@en')
    """
    end = token.rindex('"')
    value = token[1:end]
    return (_ESCAPE.sub(_unescape, value) if "\\" in value else value), token[end + 1 :]


def _unescape(found: re.Match[str]) -> str:
    short, long, character = found.groups()
    if character is not None:
        return _CHARACTERS.get(character, character)
    return chr(int(short or long, 16))


def split_unchecked(token: str) -> tuple[str, str]:
    """`split_literal` for a token that may be invalid; does not validate the suffix."""
    if "\\" not in token and token[:1] == '"' != token:
        end = token.rindex('"')
        value = token[1:end]
        if '"' not in value:
            return value, token[end + 1 :]
    if not _PLAIN_LITERAL.fullmatch(token):
        raise Suspect(token)
    return split_literal(token)


def check_iri(token: str) -> None:
    """Raise Suspect unless the token is a valid IRI."""
    if _PLAIN_IRI.fullmatch(token):
        return
    if not (token[:1] == "<" and token[-1:] == ">"):
        raise Suspect(token)
    try:
        NamedNode(token[1:-1])
    except ValueError:
        raise Suspect(token) from None


def check_suffix(suffix: str) -> str:
    """The suffix as pyoxigraph writes it (no `^^xsd:string`); raises Suspect if invalid."""
    try:
        statements = list(parse(f'<x:x> <x:x> ""{suffix} .', RdfFormat.N_TRIPLES))
    except (SyntaxError, MemoryError):
        raise Suspect(suffix) from None
    if len(statements) != 1:
        raise Suspect(suffix)
    return str(statements[0].object)[2:]


def local_name(iri: str) -> str:
    """The last part of an IRI, percent-decoded where that leaves it readable.

    >>> local_name("http://dbpedia.org/resource/Aarhus_Airport"), local_name("urn:isbn:0141439513")
    ('Aarhus_Airport', '0141439513')
    """
    trimmed = iri.rstrip("/#")
    for separator in "#/:":
        name = trimmed.rpartition(separator)[2]
        if name != trimmed and name:
            break
    else:
        return iri
    if "%" in name:
        decoded = unquote(name)
        # An undecodable byte becomes U+FFFD; a control character would break lines.
        if "\ufffd" not in decoded and decoded.isprintable():
            return decoded
    return name


_PURE = (
    "<http://www.w3.org/2000/01/rdf-schema#label>",
    "<http://www.w3.org/2004/02/skos/core#prefLabel>",
)
_NAMES = (
    "<http://xmlns.com/foaf/0.1/name>",
    "<http://schema.org/name>",
    "<https://schema.org/name>",
    "<http://purl.org/dc/terms/title>",
    "<http://purl.org/dc/elements/1.1/title>",
)
_RANK = {predicate: rank for rank, predicate in enumerate((*_PURE, *_NAMES))}

LABEL_PREDICATES = frozenset(_RANK)
"""Predicates whose literals may be a label of their subject."""

_PURE_LABELS = frozenset(_PURE)
"""Predicates whose literals are labels and nothing else."""


class TermLabel(NamedTuple):
    """A label, its language, and its predicate."""

    text: str
    lang: str | None
    predicate: str


class TermLabels:
    """The chosen label of each term: pure labels before names, the wanted language first."""

    def __init__(self, lang: str) -> None:
        self._lang = lang.lower()
        self._chosen: dict[str, TermLabel] = {}
        self._several: dict[str, list[TermLabel]] = {}

    def add(self, subject: str, predicate: str, text: str, suffix: str) -> bool:
        """Add a label; False if it has no visible character and is therefore ignored."""
        if not text or text.isspace():
            return False
        label = TermLabel(text, suffix[1:].lower() if suffix[:1] == "@" else None, predicate)
        first = self._chosen.setdefault(subject, label)
        if first is not label:
            labels = self._several.setdefault(subject, [first])
            labels.append(label)
            # Among equals the first in the file wins.
            self._chosen[subject] = min(labels, key=self._preference)
        return True

    def _preference(self, label: TermLabel) -> tuple[bool, int, int]:
        if label.lang == self._lang:
            language = 0
        elif label.lang is not None and label.lang.startswith(f"{self._lang}-"):
            language = 1
        else:
            language = 2 if label.lang is None else 3
        return label.predicate not in _PURE_LABELS, language, _RANK[label.predicate]

    def clear(self) -> None:
        """Forget all labels."""
        self._chosen.clear()
        self._several.clear()

    def tokens(self) -> Set[str]:
        """The tokens of the terms that have a label."""
        return self._chosen.keys()

    def get(self, token: str) -> TermLabel | None:
        """The chosen label of a term, or None."""
        return self._chosen.get(token)

    def is_label(self, subject: str, predicate: str, value: str) -> bool:
        """Whether a statement, in tokens, only gives a label and is therefore not a fact."""
        if predicate not in LABEL_PREDICATES or value[0] != '"':
            return False
        chosen = self._chosen.get(subject)
        return chosen is not None and (
            predicate in _PURE_LABELS
            or predicate == chosen.predicate
            or split_literal(value)[0] == chosen.text
        )

    def not_chosen(self, strings: Mapping[str, str]) -> dict[str, list[dict[str, Any]]]:
        """The other labels of an item's terms, by string, such as other languages."""
        if not self._several:
            return {}
        return {
            string: others
            for token, string in strings.items()
            if token in self._several and (others := self._others(token))
        }

    def _others(self, token: str) -> list[dict[str, Any]]:
        chosen = self._chosen[token]
        predicates = {*_PURE_LABELS, chosen.predicate}
        labels = (label for label in self._several[token] if label.predicate in predicates)
        others = dict.fromkeys((label.text, label.lang) for label in labels)
        others.pop((chosen.text, chosen.lang), None)
        return [{"label": text, "lang": lang} for text, lang in others]


_XSD_STRING = "http://www.w3.org/2001/XMLSchema#string"
_CACHE_SIZE = 1 << 16
"""Terms whose names are remembered; all are forgotten when there are more."""


class TermNames:
    """The preferred strings of a file's terms.

    With `check`, tokens are validated, and an invalid one raises Suspect.
    """

    def __init__(self, labels: TermLabels, *, check: bool = False) -> None:
        self.labels = labels
        self._check = check
        self.split = split_unchecked if check else split_literal
        self.kinds = _Kinds(check=check)
        self._blank: dict[str, str] = {}
        self._known: dict[str, tuple[str, Term]] = {}

    def best(self, token: str) -> tuple[str, Term | None]:
        """The preferred string of a term, and the Term with what the string leaves out.

        Literals with the same datatype or language share one Term object, so string and Term
        together identify a literal.
        """
        if token[:1] == '"':
            value, suffix = self.split(token)
            return value, self.kinds[suffix]
        if self._check:
            return self._name(token)  # there is one item, and it remembers its strings
        known = self._known.get(token)
        if known is None:
            if len(self._known) >= _CACHE_SIZE:
                self._known.clear()
            known = self._known[token] = self._name(token)
        return known

    def split_checked(self, token: str) -> tuple[str, str]:
        """The value and the suffix of a literal, both validated."""
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
            return text, Term(label=text, iri=identifier, lang=lang)
        return self._last_part(token), Term(iri=identifier)

    def forget(self, token: str) -> None:
        """Forget the name of a term that has just got a label."""
        self._known.pop(token, None)

    def others(self, token: str) -> Iterator[tuple[str, Term]]:
        """Further strings for a term whose preferred one is taken; endless."""
        best, own = self.best(token)
        if token[0] == '"':
            lang, datatype = (own.lang, own.datatype) if own else (None, _XSD_STRING)
            term = Term(label=best, datatype=datatype, lang=lang)
            suffix = f"@{lang}" if lang else f"^^<{datatype}>"
            strings = [f'"{best}"', f'"{best}"{suffix}']
        else:
            label = self.labels.get(token)
            lang = label.lang if label else None
            term = Term(label=best, iri=self.identifier(token), lang=lang)
            identifier = self.identifier(token)
            strings = [self._last_part(token), identifier, f"<{identifier}>"]
        for string in chain(strings, (f"{strings[-1]} {number}" for number in count(2))):
            yield string, term

    def identifier(self, token: str) -> str:
        """The identifier of an IRI, a path or a blank node, used when no better name is free."""
        if ">/<" in token:
            return token
        if token[0] == "_":
            # Parsers invent names for blank nodes; their order is that of the file.
            return self._blank.setdefault(token, f"_:b{len(self._blank)}")
        return token[1:-1]

    def _last_part(self, token: str) -> str:
        if ">/<" in token:
            parts = token[1:-1].split(">/<")
            return ".".join(self.best(f"<{part}>")[0] for part in parts)
        return self.identifier(token) if token[0] == "_" else local_name(token[1:-1])


class _Kinds(dict[str, "Term | None"]):
    """The shared Term of all literals with the same suffix (language or datatype)."""

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
    """The string of each token of one item, chosen at its first use.

    `owners` maps each string in use to its Term, or None where the string says everything.
    """

    def __init__(self, names: TermNames) -> None:
        self._names = names
        self.kinds = names.kinds
        self.owners: dict[str, Term | None] = {}

    def __missing__(self, token: str) -> str:
        string, term = self._names.best(token)
        # A part of a triple must not be empty.
        if not string or self.owners.setdefault(string, term) is not term:
            others = self._names.others(token)
            string, term = next(other for other in others if other[0] not in self.owners)
            self.owners[string] = term
        self[token] = string
        return string

    def terms(self) -> dict[str, Term]:
        """The `terms` of the item; call it last, since it empties the table of owners."""
        # In place: most strings have a Term, and a copy would cost more.
        for string in [string for string, term in self.owners.items() if term is None]:
            del self.owners[string]
        return cast("dict[str, Term]", self.owners)
