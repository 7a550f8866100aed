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
_ATTRIBUTES = ("entity", "type", "number", "tag")


@dataclass(frozen=True)
class EnrichedReader(WebNlgReader):
    """Reads the enriched corpus (v1.6) with the ids, fields and settings of the plain one.

    The text is `<text>`; a `<lex>` without one, or with an empty one, is an item with an empty
    text, so that ids and counts stay those of the corpus. `meta` also has `mentions`, a list of
    `{"entity", "text", "type", "number", "tag", "start", "end"}` with offsets into the item's text
    (both None where the annotated words cannot be found there), and where the file has them
    `template`, `lexicalization`, `sortedtripleset` (a list of `{"ID", "triples"}`, a sentence each,
    triples as written) and `entitymap`.
    """

    name: ClassVar[str] = "enriched"
    doc: ClassVar[str] = "enriched WebNLG XML: texts with gold mentions and their offsets"

    def _content(
        self, lexes: list[Element], file: Path
    ) -> tuple[tuple[str, ...], list[dict[str, Any]]]:
        texts = []
        rows = []
        for lex in lexes:
            parts = _parts(lex, file)
            row: dict[str, Any] = dict(lex.items())
            text = _string(parts.pop("text", None), file)
            references = parts.pop("references", None)
            sentences = parts.pop("sortedtripleset", None)
            for name, part in parts.items():
                row[name] = part if name == "lex_elements" else _string(part, file)
            if sentences is not None:
                row["sortedtripleset"] = _sentences(sentences, file)
            row["mentions"] = _mentions(references, text, row.get("template", ""), file)
            texts.append(text)
            rows.append(row)
        return tuple(texts), rows
