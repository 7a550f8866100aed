"""Tokens: the strings N-Triples has for terms, `<iri>`, `_:label`, `"literal"@en`, taken apart.

Those pyoxigraph wrote can be trusted. Others may be anything: what is not plainly a valid IRI or
literal is `Suspect`, and then pyoxigraph has to have a look.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set
from functools import partial
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
    """A token that may or may not be valid; never seen outside, for pyoxigraph then decides."""


def split_literal(token: str) -> tuple[str, str]:
    """The value of a literal's token, and what follows the closing quote.

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
    """The same of a token that may be no literal; the suffix is still to be checked."""
    if "\\" not in token and token[:1] == '"' != token:
        end = token.rindex('"')
        value = token[1:end]
        if '"' not in value:
            return value, token[end + 1 :]
    if not _PLAIN_LITERAL.fullmatch(token):
        raise Suspect(token)
    return split_literal(token)


def check_iri(token: str) -> None:
    """Raise Suspect unless the token is an IRI."""
    if _PLAIN_IRI.fullmatch(token):
        return
    if not (token[:1] == "<" and token[-1:] == ">"):
        raise Suspect(token)
    try:
        NamedNode(token[1:-1])
    except ValueError:
        raise Suspect(token) from None


def check_suffix(suffix: str) -> str:
    """The suffix of a literal as pyoxigraph writes it (no `^^xsd:string`), or Suspect."""
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


# ---
# The names a file gives its terms, and which statements do no more than that.
# ---

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
"""Predicates whose literals may name their subject."""

_PURE_LABELS = frozenset(_PURE)
"""Those whose literals do nothing else."""


class TermLabel(NamedTuple):
    """A name, its language, and the predicate that gives it."""

    text: str
    lang: str | None
    predicate: str


# Label(…) is a Python function; this is the C function it calls.
_label = partial(tuple.__new__, TermLabel)


class TermLabels:
    """One chosen label a term: a pure label before a name, the wanted language before others."""

    def __init__(self, lang: str) -> None:
        self._lang = lang.lower()
        self._chosen: dict[str, TermLabel] = {}
        self._several: dict[str, list[TermLabel]] = {}

    def add(self, subject: str, predicate: str, text: str, suffix: str) -> bool:
        """Take notice of a label; False where it has no visible character, and so names nothing."""
        if not text or text.isspace():
            return False
        label = _label((text, suffix[1:].lower() if suffix[:1] == "@" else None, predicate))
        first = self._chosen.setdefault(subject, label)
        if first is not label:
            labels = self._several.setdefault(subject, [first])
            labels.append(label)
            # The order of the file decides among equals.
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
        """The terms that have a label."""
        return self._chosen.keys()

    def get(self, token: str) -> TermLabel | None:
        """The chosen label of a term, if it has one."""
        return self._chosen.get(token)

    def is_label(self, subject: str, predicate: str, value: str) -> bool:
        """Whether a statement, in tokens, only names its subject, and so is no fact about it."""
        if predicate not in LABEL_PREDICATES or value[0] != '"':
            return False
        chosen = self._chosen.get(subject)
        return chosen is not None and (
            predicate in _PURE_LABELS
            or predicate == chosen.predicate
            or split_literal(value)[0] == chosen.text
        )

    def not_chosen(self, strings: Mapping[str, str]) -> dict[str, list[dict[str, Any]]]:
        """The other labels of an item's terms, by string: other languages, for instance."""
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
        others = dict.fromkeys(
            (label.text, label.lang)
            for label in self._several[token]
            if label.predicate in predicates
        )
        others.pop((chosen.text, chosen.lang), None)
        return [{"label": text, "lang": lang} for text, lang in others]


# ---
# Readable strings for the terms of an RDF file, and what the strings do not say.
#
# A label of the file is the best name of an IRI, its last part the second best, and a literal is
# called by its value. Within an item two terms never share a string: the later one takes its next
# best name.
# ---

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


class TermNames:
    """What the terms of a file would like to be called.

    With `check`, tokens come from nobody knows where, and an invalid one raises Suspect.
    """

    def __init__(self, labels: TermLabels, *, check: bool = False) -> None:
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

    def __init__(self, names: TermNames) -> None:
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
