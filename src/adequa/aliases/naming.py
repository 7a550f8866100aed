"""What the statements of a dump say about the names of entities."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import unquote

from adequa.aliases.base import tidy
from adequa.aliases.ntriples import Statement, unescaped

__all__ = ["KINDS", "LABEL", "LINK", "REDIRECT", "Names", "Said", "entity_key"]

LABEL, NAME, OTHER, NICK, REDIRECT, LINK = range(6)
"""What a statement says of its subject; the lower, the better the name."""

_WIKIDATA = "http://www.wikidata.org/prop/direct/"
KINDS = {
    "http://www.w3.org/2000/01/rdf-schema#label": LABEL,
    "http://www.w3.org/2004/02/skos/core#prefLabel": LABEL,
    "http://schema.org/name": LABEL,
    "https://schema.org/name": LABEL,
    "http://xmlns.com/foaf/0.1/name": NAME,
    f"{_WIKIDATA}P1448": NAME,  # official name
    "http://www.w3.org/2004/02/skos/core#altLabel": OTHER,
    "http://schema.org/alternateName": OTHER,
    "https://schema.org/alternateName": OTHER,
    "http://dbpedia.org/ontology/alias": OTHER,
    f"{_WIKIDATA}P1813": OTHER,  # short name
    "http://xmlns.com/foaf/0.1/nick": NICK,
    f"{_WIKIDATA}P742": NICK,  # pseudonym
    f"{_WIKIDATA}P1449": NICK,  # nickname
    "http://dbpedia.org/ontology/wikiPageRedirects": REDIRECT,
    "http://schema.org/about": LINK,  # a Wikipedia page and its Wikidata item
    "http://www.w3.org/2002/07/owl#sameAs": LINK,  # a DBpedia resource and its Wikidata item
}
"""The predicates that name something."""

_RESOURCE = re.compile(r"https?://(?:[a-z-]+\.)?dbpedia\.org/resource/(.+)")
_ITEM = re.compile(r"https?://www\.wikidata\.org/entity/(Q[0-9]+)")
_PAGE = re.compile(r"https?://([a-z-]+)\.wikipedia\.org/wiki/(.+)")


class Said(NamedTuple):
    """That `text` names `entity`, with a rank; for REDIRECT and LINK, that key `text` means it."""

    kind: int
    entity: str
    rank: int
    text: str


class Names:
    """What statements say about the names of entities in one language."""

    def __init__(self, lang: str) -> None:
        self._lang = lang.lower()
        self._last: tuple[str, str | None] = ("", None)

    def preference(self, language: str) -> int | None:
        """Best a name in the very language; then in none or all; then of a variety ("en-gb")."""
        if language == self._lang:
            return 0
        language = language.lower()
        if language == self._lang:
            return 0
        if language in ("", "mul"):
            return 1
        return 2 if language.startswith(f"{self._lang}-") else None

    def of(self, statement: Statement) -> Said | None:
        """What is said, if it is about an entity and in the language."""
        subject, predicate, iri, literal, language = statement
        kind = KINDS.get(predicate)
        if kind is None or subject[0] != "<":
            return None
        if kind >= REDIRECT:
            return self._linked(kind, unescaped(subject[1:-1]), unescaped(iri)) if iri else None
        preference = self.preference(language)
        if preference is None or not literal:
            return None
        if subject != self._last[0]:  # dumps say all of a subject at once
            self._last = subject, entity_key(unescaped(subject[1:-1]))
        entity, text = self._last[1], tidy(unescaped(literal))
        return Said(kind, entity, 3 * kind + preference, text) if entity and text else None

    def _linked(self, kind: int, subject: str, target: str) -> Said | None:
        entity = entity_key(target)
        if kind == REDIRECT:
            source = entity_key(subject)
        elif not _ITEM.fullmatch(target):
            return None
        elif page := _PAGE.fullmatch(subject):
            source = _decoded(page[2]) if page[1] == self._lang else None
        else:  # a DBpedia resource, or an item that became another one
            known = _RESOURCE.fullmatch(subject) or _ITEM.fullmatch(subject)
            source = entity_key(subject) if known else None
        return Said(kind, entity, 0, source) if source and entity else None


def entity_key(iri: str) -> str | None:
    """How data call a thing: its name at DBpedia, its number at Wikidata, the last part elsewhere.

    >>> entity_key("http://dbpedia.org/resource/AC/DC"), entity_key("http://example.org/a#b%20c")
    ('AC/DC', 'b c')
    """
    resource = _RESOURCE.fullmatch(iri)
    if resource is not None:
        return _decoded(resource[1])
    if "wikidata.org/" in iri or "wikipedia.org/" in iri:
        item = _ITEM.fullmatch(iri)
        return item[1] if item else None
    return _decoded(re.split("[/#]", iri.rstrip("/#"))[-1]) or None


def _decoded(name: str) -> str:
    if "%" in name:
        decoded = unquote(name)
        # An undecodable byte becomes U+FFFD.
        if "\ufffd" not in decoded and decoded.isprintable():
            name = decoded
    return tidy(name)
