"""The enriched WebNLG corpus: every mention of an entity annotated, here with its offsets."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from lxml import etree

from adequa.data import Item, Mention
from adequa.errors import DataError
from adequa.readers.placing import Reference, place
from adequa.readers.webnlg import WebNlgReader
from adequa.readers.webnlg_entry import unfold
from adequa.readers.webnlg_xml import Element, fail, refuse_text

__all__ = ["EnrichedReader", "Placement", "gold_mentions", "placement"]

_PARTS = {"sortedtripleset", "references", "text", "template", "lexicalization"}


@dataclass(frozen=True)
class EnrichedReader(WebNlgReader):
    """Reads the enriched corpus (v1.6) with the ids, fields and settings of the plain one.

    The text is `<text>`; a `<lex>` without one, or with an empty one, is an item with an empty
    text, so that ids and counts stay those of the corpus. `meta` also has `mentions`, a list of
    `{"entity", "text", "type", "number", "tag", "start", "end"}` with offsets into the item's text
    (both None where the annotated words cannot be found there), and where the file has them
    `template`, `lexicalization`, `sortedtripleset` (sentence by sentence, triples as written) and
    `entitymap`. Any other element of a `<lex>` is kept as the XML it was in `lex_elements`.
    """

    name: ClassVar[str] = "enriched"
    doc: ClassVar[str] = "enriched WebNLG XML: texts with gold mentions and their offsets"

    def _content(
        self, lexes: list[Element], file: Path
    ) -> tuple[tuple[str, ...], list[dict[str, Any]]]:
        texts = []
        rows = []
        for lex in lexes:
            parts, rest = _parts(lex, file)
            row: dict[str, Any] = dict(lex.items())
            text = _string(parts["text"], file) if "text" in parts else ""
            for name in ("template", "lexicalization"):
                if name in parts:
                    row[name] = _string(parts[name], file)
            if "sortedtripleset" in parts:
                row["sortedtripleset"] = _sentences(parts["sortedtripleset"], file, rest)
            references = _children(parts.get("references"), "reference", file)
            row["mentions"] = _mentions(references, text, row.get("template", ""), file)
            if rest:
                row["lex_elements"] = rest
            texts.append(text)
            rows.append(row)
        return tuple(texts), rows


def _parts(lex: Element, file: Path) -> tuple[dict[str, Element], list[str]]:
    """The parts of a `<lex>` by name, and what else it holds as the XML it was."""
    if not len(lex) and (lex.text or "").strip():
        fail(
            "<lex> holds plain text",
            file,
            lex,
            "is this WebNLG without annotation? read it with the format 'webnlg'",
        )
    parts: dict[str, Element] = {}
    rest: list[str] = []
    refuse_text(lex.text, lex, file)
    for child in lex:
        refuse_text(child.tail, child, file)
        if child.tag not in _PARTS:
            rest.append(_xml(child))
        elif child.tag in parts or child.keys():
            problem = "two" if child.tag in parts else "attributes on"
            fail(f"<lex> has {problem} <{child.tag}>", file, child, "keep one, without attributes")
        else:
            parts[child.tag] = child
    return parts, rest


def _children(parent: Element | None, tag: str, file: Path) -> list[Element]:
    if parent is None:
        return []
    refuse_text(parent.text, parent, file)
    for child in parent:
        refuse_text(child.tail, child, file)
        if child.tag != tag:
            fail(f"<{parent.tag}> holds <{child.tag}>, not <{tag}>", file, child, "remove it")
    children: list[Element] = parent[:]
    return children


def _string(element: Element, file: Path) -> str:
    if len(element):
        fail(f"<{element.tag}> holds <{element[0].tag}>, not only text", file, element, "remove it")
    return unfold(element.text)


def _sentences(element: Element, file: Path, rest: list[str]) -> list[list[str]]:
    sentences = _children(element, "sentence", file)
    if [dict(one.items()) for one in sentences] != [
        {"ID": str(number)} for number in range(1, len(sentences) + 1)
    ]:
        rest.append(_xml(element))  # what the attributes say is more than the order
    return [[_string(row, file) for row in _children(one, "striple", file)] for one in sentences]


def _mentions(
    references: list[Element], text: str, template: str, file: Path
) -> list[dict[str, Any]]:
    surfaces = [_string(reference, file) for reference in references]
    attributes = [dict(reference.items()) for reference in references]
    tags = [
        Reference(known.get("tag", ""), known.get("number", ""), surface)
        for known, surface in zip(attributes, surfaces, strict=True)
    ]
    return [
        {
            "entity": known.pop("entity", None),
            "text": reference.surface,
            "type": known.pop("type", None),
            "number": known.pop("number", None),
            "tag": known.pop("tag", None),
            "start": span[0] if span else None,
            "end": span[1] if span else None,
            **{f"reference_{name}": value for name, value in known.items()},
        }
        for known, reference, span in zip(
            attributes, tags, place(text, template, tags), strict=True
        )
    ]


def _xml(element: Element) -> str:
    return etree.tostring(element, encoding="unicode", with_tail=False)


class Placement(NamedTuple):
    """How many mentions have a place in their text, and how many there are."""

    placed: int
    mentions: int


def placement(items: Iterable[Item]) -> Placement:
    """Count the gold mentions of items, and those whose place in the text is known."""
    placed = mentions = 0
    for item in items:
        placed += len(gold_mentions(item))
        mentions += len(item.meta.get("mentions", ()))
    return Placement(placed, mentions)


def gold_mentions(item: Item) -> tuple[Mention, ...]:
    """The annotated mentions of an item whose place in the text is known, in file order.

    Works for items of the enriched reader, also after they went through JSON.
    """
    try:
        return tuple(
            Mention(mention["entity"], mention["start"], mention["end"], "gold")
            for mention in item.meta.get("mentions", ())
            if mention["start"] is not None
        )
    except (KeyError, TypeError):
        raise DataError(
            f"the mentions of item {item.id!r} are not those of the enriched corpus",
            remedy='a mention is {"entity", "text", "start", "end", …}',
        ) from None
