"""Tokens: the strings N-Triples has for terms, `<iri>`, `_:label`, `"literal"@en`, taken apart.

Those pyoxigraph wrote can be trusted. Others may be anything: what is not plainly a valid IRI or
literal is `Suspect`, and then pyoxigraph has to have a look.
"""

from __future__ import annotations

import re
from urllib.parse import unquote

from pyoxigraph import NamedNode, RdfFormat, parse

__all__ = [
    "Suspect",
    "check_iri",
    "check_suffix",
    "local_name",
    "split_literal",
    "split_unchecked",
]

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
