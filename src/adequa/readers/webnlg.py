"""WebNLG XML: the releases of 2017, v2, v3.0 and 2023, a file or a tree of files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Literal

from adequa.data import Item
from adequa.errors import DataError, SettingError
from adequa.readers.base import Placed, Reader
from adequa.readers.quick import quick_item
from adequa.readers.webnlg_entry import Entry, entries, unfold
from adequa.readers.webnlg_types import InstanceTypes, find_instance_types, read_instance_types
from adequa.readers.webnlg_xml import Element, fail, files

__all__ = ["WebNlgReader"]

_placed = partial(tuple.__new__, Placed)
"""`Placed(…)` without the detour through its keywords."""


@dataclass(frozen=True)
class WebNlgReader(Reader):
    """Reads entry by entry: an item a `<lex>`, or with `bare` an item a set of triples.

    An item's `references` are the other texts of its entry in the same language, as far as they
    are not empty. What an entry says beyond the fields of an Item is in `meta`: `eid`, `lid`,
    `size`, `shape`, `shape_type`, `comment`; the triplesets that are not `triples`, as written,
    in `originaltriplesets` and `modifiedtriplesets`; `dbpedialinks` and `links`; `seen` and
    `instance_type`; any other attribute under its name, and any other element as the XML it was in
    `elements`.
    """

    name: ClassVar[str] = "webnlg"
    doc: ClassVar[str] = "WebNLG XML (2017, v2, v3.0, 2023), a file or a folder"
    takes_folders: ClassVar[bool] = True

    tripleset: Literal["modified", "original"] = field(
        default="modified", metadata={"doc": "which triples to use; of several originals the first"}
    )
    lang: str | None = field(
        default=None, metadata={"doc": "keep only the texts of this language, e.g. ru"}
    )
    instance_types: Path | None = field(
        default=None,
        metadata={
            "doc": "JSON from eid to type1, type2 or type3 (seen, unseen entities, unseen category)"
            "; by default the *instance-types*.json beside a single file"
        },
    )
    unseen: tuple[str, ...] = field(
        default=(),
        metadata={"doc": "categories that count as unseen, for data without instance types"},
    )

    def __post_init__(self) -> None:
        if self.tripleset not in ("modified", "original"):
            raise SettingError(
                f"{self.name}:tripleset is modified or original, not {self.tripleset!r}"
            )
        if self.instance_types is not None and self.unseen:
            raise SettingError(f"{self.name} takes instance_types or unseen, not both; drop one")

    def read(self, path: Path, *, bare: bool = False) -> Iterator[Placed]:
        """Stream the items; the line of each is where its entry begins."""
        given = None if self.instance_types is None else read_instance_types(self.instance_types)
        found = False
        wordless = True
        for prefix, file in files(path):
            types = self._types_beside(file, prefix) if given is None else given
            for entry in entries(file, self.tripleset):
                found = True
                identifier = prefix + entry.eid
                if types is not None:
                    entry.meta.update(_type_of(identifier, types, file, entry.line))
                elif self.unseen:
                    entry.meta["seen"] = entry.category not in self.unseen
                if bare:
                    wordless = False
                    yield Placed(self._bare_item(entry, identifier, file), file, entry.line)
                elif items := self._items(entry, identifier, file):
                    wordless = False
                    yield from items
        if not found:
            raise DataError("has no <entry>", path=path, remedy="is it the right file?")
        if wordless:
            raise DataError(
                f"has no text in the language {self.lang!r}",
                path=path,
                remedy="look at the lang attributes of its <lex>, or leave the setting out",
            )

    def companions(self, path: Path) -> list[Path]:
        """The instance types found beside a file that stands alone."""
        if self.unseen or self.instance_types is not None:
            return []
        alone = [file for prefix, file in files(path) if not prefix]
        return [beside for file in alone if (beside := find_instance_types(file)) is not None]

    def _types_beside(self, file: Path, prefix: str) -> InstanceTypes | None:
        if prefix or self.unseen:
            return None
        beside = find_instance_types(file)
        return None if beside is None else read_instance_types(beside)

    def _items(self, entry: Entry, identifier: str, file: Path) -> list[Placed]:
        _, line, category, triples, meta, lexes = entry
        if not lexes:
            raise DataError(
                "<entry> has no <lex>, so there is no text to judge",
                path=file,
                line=line,
                remedy="give the texts of a system: --texts SYSTEM=FILE",
            )
        texts, rows = self._content(lexes, file)
        langs = [row.pop("lang", "") for row in rows]
        names = _names(rows, langs, lexes, file)
        alike = all(texts) and not any(langs)
        items = []
        for place, text in enumerate(texts):
            lang = langs[place]
            if self.lang is not None and self.lang != lang:
                continue
            row = rows[place]
            own = meta | row
            if len(own) < len(meta) + len(row):
                own = meta | {f"lex_{name}" if name in meta else name: row[name] for name in row}
            item = quick_item(
                f"{identifier}/{names[place]}",
                triples,
                text,
                "reference",
                category,
                lang or None,
                texts[:place] + texts[place + 1 :] if alike else _others(texts, langs, place),
                own,
            )
            items.append(_placed((item, file, line)))
        return items

    def _bare_item(self, entry: Entry, identifier: str, file: Path) -> Item:
        texts, rows = self._content(entry.lexes, file)
        references = tuple(
            text
            for text, row in zip(texts, rows, strict=True)
            if text and (self.lang is None or self.lang == row.get("lang", ""))
        )
        lang = self.lang or None
        return Item(
            identifier, entry.triples, "", "", entry.category, lang, references, meta=entry.meta
        )

    def _content(
        self, lexes: list[Element], file: Path
    ) -> tuple[tuple[str, ...], list[dict[str, Any]]]:
        """The text of each `<lex>` and what else it says; formats with more inside override it."""
        for lex in lexes:
            if len(lex):
                fail(
                    f"<lex> holds <{lex[0].tag}>, not only text",
                    file,
                    lex,
                    "is this the enriched corpus? read it with the format 'enriched'",
                )
        texts = tuple([unfold(lex.text) for lex in lexes])
        return texts, [dict(lex.items()) for lex in lexes]


def _names(
    rows: list[dict[str, Any]], langs: list[str], lexes: list[Element], file: Path
) -> list[str]:
    """The texts of an entry by name; where there are translations, one `lid` stands for several.

    The first is named by its `lid`, a later one by its `lid` and its language (`Id1/ru`): names
    stay unique, and the same whatever language is asked for.
    """
    lids: list[str] = [row.get("lid", "") for row in rows]
    if not all(lids):
        fail("<lex> has no lid", file, lexes[lids.index("")], 'write <lex lid="Id1">')
    if not any(langs):
        return lids
    return [
        f"{lid}/{lang}" if lang and lid in lids[:place] else lid
        for place, (lid, lang) in enumerate(zip(lids, langs, strict=True))
    ]


def _others(texts: tuple[str, ...], langs: list[str], place: int) -> tuple[str, ...]:
    """The other texts of an entry in the language of the one at `place`, without empty ones."""
    return tuple(
        text
        for other, text in enumerate(texts)
        if other != place and text and langs[other] == langs[place]
    )


def _type_of(identifier: str, types: InstanceTypes, file: Path, line: int) -> Mapping[str, object]:
    if identifier not in types:
        raise DataError(
            f"the entry {identifier!r} has no instance type",
            path=file,
            line=line,
            remedy="name the JSON file that belongs to this XML: instance_types=FILE",
        )
    return types[identifier]
