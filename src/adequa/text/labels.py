"""Labels: entities, predicates and triples in readable words, and predicates in any spelling.

The table of symmetric predicates (paper 003, appendix C) has Wikidata's names as the paper lists
them, and DBpedia's names for the same relations.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from adequa.data import Term, Triple

_DATATYPE = re.compile(r'^"(?P<value>.*)"(?:\^\^\S+|@[A-Za-z][A-Za-z0-9-]*)$', re.DOTALL)
_BRACKET = re.compile(r"\s*\(([^()]*)\)\s*$")
_LEADING_BRACKET = re.compile(r"^\(([^()]*)\)\s*")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_CAMEL_AND_ACRONYMS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_ADDRESS = re.compile(r"^<?\w+://[^\s>]+>?$")
_LAST_OF_ADDRESS = re.compile(r"^<?\w+://\S*[/#](?P<last>[^\s/#>]+)>?$")
_SPACE = re.compile(r"[\s_]+")
_LOWER_CAMEL = re.compile(r"^[a-z]+(?:[A-Z][a-z0-9]+)+$")
_PREFIXED = re.compile(r"\w+:[^\s:]*")
_QUOTES = "\"'`“”‘’«» "

MARKERS = ("[S]", "[P]", "[O]")
"""The markers before a subject, a predicate and an object in a model's input."""


class Label(NamedTuple):
    """The readable parts of an entity's string."""

    string: str
    """The whole string with spaces for underscores, without outer quotes and datatype."""
    base: str
    """The string without the brackets at its end."""
    qualifier: str
    """The content of those brackets: a disambiguation or a unit."""


def split_camel(string: str, *, acronyms: bool = True) -> str:
    """Put spaces between the words of a camel-case name, by default also after an acronym.

    >>> split_camel("birthPlace"), split_camel("ICAOCode"), split_camel("ICAOCode", acronyms=False)
    ('birth Place', 'ICAO Code', 'ICAOCode')
    """
    return (_CAMEL_AND_ACRONYMS if acronyms else _CAMEL).sub(" ", string)


def label_of(entity: str) -> Label:
    """The readable parts of an entity as the data writes it.

    >>> label_of("Mermaid_(Train_song)")
    Label(string='Mermaid (Train song)', base='Mermaid', qualifier='Train song')
    >>> label_of('"52.0"(minutes)').base
    '52.0'
    """
    string = html.unescape(entity).strip() if "&" in entity else entity.strip()
    typed = _DATATYPE.match(string)
    if typed:
        string = typed["value"]
    if _ADDRESS.match(string):
        string = string.strip("<>")
        return Label(string, string, "")
    string = _SPACE.sub(" ", string).strip()
    if _LOWER_CAMEL.match(string):
        string = split_camel(string)
    bracket = _BRACKET.search(string)
    base, qualifier = string, ""
    if bracket and bracket.start():
        base, qualifier = string[: bracket.start()], bracket[1]
    base = base.strip(_QUOTES) or base
    if not qualifier:
        return Label(base, base, "")
    if _LOWER_CAMEL.match(qualifier):
        qualifier = split_camel(qualifier)
    return Label(f"{base} ({qualifier})", base, qualifier)


def readable(triple: Triple, terms: Mapping[str, Term] | None = None) -> tuple[str, str, str]:
    """The subject, predicate and object of a triple as readable words, with labels for IRIs.

    >>> readable(Triple("Aarhus_Airport", "cityServed", '"Aarhus, Denmark"'))
    ('Aarhus Airport', 'city served', 'Aarhus, Denmark')
    """
    return (
        _entity(triple.subject, terms),
        _predicate(triple.predicate, terms),
        _entity(triple.object, terms),
    )


def mark_triples(triples: Iterable[Triple], terms: Mapping[str, Term] | None = None) -> str:
    """Write triples as one string with markers, the input of our encoders and verifiers.

    >>> mark_triples([Triple("Blue_Spice", "eatType", "pub")])
    '[S] Blue Spice [P] eat type [O] pub'
    """
    return " ".join(
        f"{marker} {words}"
        for triple in triples
        for marker, words in zip(MARKERS, readable(triple, terms), strict=True)
    )


def _entity(string: str, terms: Mapping[str, Term] | None) -> str:
    term = terms.get(string) if terms else None
    return label_of(term.label if term is not None and term.label else string).string


def _predicate(string: str, terms: Mapping[str, Term] | None) -> str:
    term = terms.get(string) if terms else None
    if term is not None and term.label:
        return term.label
    address = _LAST_OF_ADDRESS.match(string)
    words = split_camel(_SPACE.sub(" ", address["last"] if address else string)).strip()
    return words if words.isupper() else words.lower()


def folded(predicate: str) -> str:
    """A predicate reduced to what all its spellings share.

    >>> folded("dbo:birthPlace") == folded("Birth_place") == folded("birth place")
    True
    """
    return "".join(sign for sign in local_name(predicate).casefold() if sign.isalnum())


def local_name(predicate: str) -> str:
    """The last part of an IRI or a prefixed name (dbo:spouse, wdt:P26), or the name itself."""
    bare = predicate.strip().strip("<>")
    if "://" in bare:
        return bare.rstrip("/#").replace("#", "/").rpartition("/")[2]
    return bare.partition(":")[2] if _PREFIXED.fullmatch(bare) else bare


def is_symmetric(predicate: str) -> bool:
    """Whether the predicate holds in both directions, however it is spelt.

    A double name such as `associatedBand/associatedMusicalArtist` is symmetric if both halves are.
    """
    names = [folded(name) for name in local_name(predicate).split("/")]
    return all(name in _symmetric() for name in names)


@cache
def _symmetric() -> frozenset[str]:
    source = files("adequa.text") / "resources" / "symmetric.tsv"
    rows = [line.split("\t") for line in source.read_text(encoding="utf-8").splitlines()[1:]]
    return frozenset(folded(cell) for row in rows for cell in row[:2] if cell)
