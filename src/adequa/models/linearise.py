"""A graph as one string, as every encoder and verifier of ours reads it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from adequa.data import Term, Triple
from adequa.entities.surface import label_of

__all__ = ["MARKERS", "linearise", "readable"]

MARKERS = ("[S]", "[P]", "[O]")
"""What stands before a subject, a predicate and an object."""

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SEPARATORS = re.compile(r"[\s_]+")
_ADDRESS = re.compile(r"^<?\w+://\S*[/#](?P<last>[^\s/#>]+)>?$")


def readable(triple: Triple, terms: Mapping[str, Term] | None = None) -> tuple[str, str, str]:
    """The three strings of a triple as words: no underscores, no camel case, labels for IRIs.

    >>> readable(Triple("Aarhus_Airport", "cityServed", '"Aarhus, Denmark"'))
    ('Aarhus Airport', 'city served', 'Aarhus, Denmark')
    """
    return (
        _entity(triple.subject, terms),
        _predicate(triple.predicate, terms),
        _entity(triple.object, terms),
    )


def linearise(triples: Iterable[Triple], terms: Mapping[str, Term] | None = None) -> str:
    """The graph with its markers, in the order of the triples.

    >>> linearise([Triple("Blue_Spice", "eatType", "pub")])
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
    address = _ADDRESS.match(string)
    words = _CAMEL.sub(" ", _SEPARATORS.sub(" ", address["last"] if address else string)).strip()
    return words if words.isupper() else words.lower()
