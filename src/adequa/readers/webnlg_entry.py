"""What an `<entry>` of the WebNLG family says, whatever its texts look like."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from lxml import etree

from adequa.data import Triple
from adequa.readers.webnlg_xml import Element, elements, fail

__all__ = ["Entry", "Tripleset", "entries", "unfold"]

Tripleset: TypeAlias = Literal["modified", "original"]

_TRIPLES = {"originaltripleset", "modifiedtripleset"}
_LISTS = {"dbpedialinks": "dbpedialink", "links": "link", "entitymap": "entity"}
_OURS = {"lid", "comment", "seen", "instance_type", "elements", "mentions", "sortedtripleset"}
_OURS |= {"template", "lexicalization", "originaltriplesets", "modifiedtriplesets", *_LISTS}
_COUNTS = {str(number): number for number in range(1000)}


class Entry(NamedTuple):
    """One set of triples, and the `<lex>` elements with the texts written for it."""

    eid: str
    line: int
    category: str | None
    triples: tuple[Triple, ...]
    meta: dict[str, Any]
    lexes: list[Element]


def entries(path: Path, tripleset: Tripleset) -> Iterator[Entry]:
    """The entries of one file, in order."""
    chosen = f"{tripleset}tripleset"
    for element, attributed in elements(path):
        meta: dict[str, Any] = dict(element.items())
        eid = meta.get("eid")
        if not eid:
            fail("<entry> has no eid", path, element, 'write <entry eid="Id1" …>')
        if not _OURS.isdisjoint(meta):
            meta = {f"entry_{name}" if name in _OURS else name: meta[name] for name in meta}
        category = meta.pop("category", None)
        if "size" in meta:
            meta["size"] = _COUNTS.get(meta["size"], meta["size"])
        triples: tuple[Triple, ...] = ()
        lexes = []
        for child in element[:]:
            tag = child.tag
            if tag == "lex":
                lexes.append(child)
            elif tag in _TRIPLES:
                rows = [triple.text or "" for triple in child[:]]
                if tag == chosen and not triples:
                    triples = _triples(rows, child, path)
                elif (others := f"{tag}s") in meta:
                    meta[others].append(rows)
                else:
                    meta[others] = [rows]
                if attributed and (child.keys() or any(triple.keys() for triple in child)):
                    _keep(child, meta)
            else:
                _keep(child, meta)
        if not triples:
            other = "original" if tripleset == "modified" else "modified"
            fail(
                f"<entry> has no triple in a <{chosen}>",
                path,
                element,
                f"add the triples, or read the other set with tripleset={other}",
            )
        yield Entry(eid, element.sourceline, category, triples, meta, lexes)


def _triples(rows: list[str], element: Element, path: Path) -> tuple[Triple, ...]:
    triples = tuple(map(_split, rows))
    if None in triples:
        place = triples.index(None)
        fail(
            f"{rows[place].strip()[:80]!r} is not 'subject | predicate | object'",
            path,
            element[place],
            "write three non-empty parts with ' | ' between them and nowhere else",
        )
    return triples  # type: ignore[return-value]


@lru_cache(maxsize=4096)
def _split(row: str) -> Triple | None:
    # A corpus says the same facts again and again: remembering them saves time and memory.
    parts = [part.strip() for part in row.split(" | ")]
    return Triple(*parts) if len(parts) == 3 and all(parts) else None


def _keep(element: Element, meta: dict[str, Any]) -> None:
    """Keep an element that has no field of its own: as a list where it is one, else as XML."""
    rows = _plain_list(element) if element.tag in _LISTS and element.tag not in meta else None
    if rows is not None:
        meta[element.tag] = rows
    else:
        text = etree.tostring(element, encoding="unicode", with_tail=False)
        meta.setdefault("elements", []).append(text)


def _plain_list(element: Element) -> list[Any] | None:
    """The rows of `<links><link …>…</links>`; None when it holds more than rows of text."""
    if element.keys() or (element.text or "").strip():
        return None
    rows: list[Any] = []
    for child in element:
        attributes = dict(child.items())
        if (
            child.tag != _LISTS[element.tag]
            or len(child)
            or "text" in attributes
            or (child.tail or "").strip()
        ):
            return None
        text = child.text or ""
        rows.append({**attributes, "text": text} if attributes else text)
    return rows


def unfold(text: str | None) -> str:
    """A text as the file has it, but for the layout around one that stands on lines of its own.

    >>> unfold(" kept. "), unfold("\\n    A text.\\n  ")
    (' kept. ', 'A text.')
    """
    if text is None:
        return ""
    if "\n" in text and (text.lstrip(" \t").startswith("\n") or text.rstrip(" \t").endswith("\n")):
        return text.strip()
    return text
