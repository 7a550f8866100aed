"""WebNLG XML: the releases of 2017, v2, v3.0 and 2023, as one file or a tree of files.

`files` lists the files of a path, `elements` parses one of them safely (no DTD, no entities, no
network), `entries` reads what an `<entry>` says, and `WebNlgReader` turns each text into an item.
The enriched corpus shares all of this; see `enriched.py`.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Literal, NamedTuple, NoReturn, TypeAlias

from lxml import etree

from adequa.data import Item, Triple
from adequa.errors import DataError, SettingError
from adequa.files import load_object, open_bytes, read_text
from adequa.readers.base import PlacedItem, Reader, files_inside
from adequa.settings import setting

Element: TypeAlias = Any
"""An lxml element; the published type stubs are incomplete."""

WHOLE_BYTES = 32 * 1024 * 1024
"""Up to this size a file is parsed at once, which is faster; larger files entry by entry.

The largest file of the releases of 2017 and 2020 has 2 MB."""

_SAFE: dict[str, Any] = {
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "huge_tree": False,
    "remove_blank_text": True,
    "remove_comments": True,
    "remove_pis": True,
}
_NUMBER = re.compile(r"([0-9]+)")
_SHAPE = "WebNLG XML is <benchmark><entries><entry>…; is this another format?"


def fail(problem: str, path: Path, element: Element, remedy: str) -> NoReturn:
    """Raise a DataError at an element.

    Beyond line 65,535 libxml2 knows only the lines of texts, so the line is then that of the first
    text inside the element.
    """
    raise DataError(problem, path=path, line=element.sourceline, remedy=remedy)


def files(path: Path) -> Iterator[tuple[str, Path]]:
    """The XML files of a path, each with the prefix of its ids, in a fixed order.

    In a tree the prefix is the relative path of the file (`2triples/Airport/`), without the
    `_allSolutions` that v3.0 adds to some names. A single file, or the only file of a folder, has
    no prefix. Hidden files are skipped.
    """
    if not path.is_dir():
        yield "", path
        return
    try:
        inside = [file for file in files_inside(path) if file.suffix.lower() == ".xml"]
        found = [file for file in inside if not file.name.startswith(".")]
    except OSError as error:
        problem = f"cannot be listed ({error.strerror})"
        raise DataError(problem, path=path, remedy="check its permissions") from None
    if not found:
        raise DataError("has no XML file", path=path, remedy="name the folder of a WebNLG release")
    if len(found) == 1 and found[0].parent == path:
        yield "", found[0]
        return
    names = {file: file.relative_to(path).with_suffix("").as_posix() for file in found}
    taken = set(names.values())
    for file in sorted(found, key=lambda file: _natural(names[file])):
        name = names[file]
        short = name.removesuffix("_allSolutions")
        yield f"{name if short in taken else short}/", file


def _natural(name: str) -> list[list[tuple[int, str]]]:
    # Sorts 10triples after 2triples, and compares the parts of a path one by one.
    return [
        [(int(piece), "") if piece.isdecimal() else (-1, piece) for piece in _NUMBER.split(part)]
        for part in name.split("/")
    ]


def elements(path: Path) -> Iterator[tuple[Element, bool]]:
    """The `<entry>` elements of one file in order; each is valid only until the next one.

    The flag is True where triples may have attributes.
    """
    with open_bytes(path) as stream:
        start = stream.tell()
        try:
            size = stream.seek(0, io.SEEK_END) - start
            stream.seek(start)
            if size <= WHOLE_BYTES:
                yield from _parse_whole(stream.read(), path)
            else:
                yield from _parse_stream(stream, start, path)
        except etree.XMLSyntaxError as error:
            raise _syntax_error(error, path) from None
        except OSError as error:
            raise DataError(f"cannot be read ({error.strerror})", path=path) from None


def _parse_whole(data: bytes, path: Path) -> Iterator[tuple[Element, bool]]:
    root: Element = etree.fromstring(data, etree.XMLParser(**_SAFE))
    _check_root(root, path)
    for group in _children(root, "entries", path):
        children = _children(group, "entry", path)
        attributed = _IN_ENTRIES.check(group, path)
        for element in children:
            yield element, attributed


def _parse_stream(stream: BinaryIO, start: int, path: Path) -> Iterator[tuple[Element, bool]]:
    # Check the root first, so that a huge file of another format is rejected at once.
    for _, root in etree.iterparse(stream, events=("start",), **_SAFE):
        _check_root(root, path)
        break
    stream.seek(start)
    parser: Any = etree.iterparse(stream, events=("end",), tag="entry", **_SAFE)
    for _, element in parser:
        group = element.getparent()
        if group.tag != "entries":
            fail(f"<{group.tag}> holds <entry>, not <entries>", path, element, _SHAPE)
        while (before := element.getprevious()) is not None:
            _check_child(before, "entry", path)
            group.remove(before)
        yield element, _IN_ENTRY.check(element, path)
        element.clear(keep_tail=True)
    for group in _children(parser.root, "entries", path):
        _children(group, "entry", path)


def _check_root(root: Element, path: Path) -> None:
    if root.getroottree().docinfo.internalDTD is not None:
        fail("declares a DTD", path, root, "remove <!DOCTYPE …>: entities are not expanded")
    if root.tag != "benchmark":
        fail(f"the root is <{root.tag}>, not <benchmark>", path, root, _SHAPE)


def _children(parent: Element, tag: str, path: Path) -> list[Element]:
    refuse_text(parent.text, parent, path)
    children: list[Element] = parent[:]
    for child in children:
        _check_child(child, tag, path)
    return children


def _check_child(child: Element, tag: str, path: Path) -> None:
    if child.tag != tag:
        fail(f"<{child.getparent().tag}> holds <{child.tag}>, not <{tag}>", path, child, _SHAPE)
    if child.tail:
        refuse_text(child.tail, child, path)


def refuse_text(text: str | None, element: Element, path: Path) -> None:
    """Raise where there is text between elements, since no field would keep it."""
    if text and not text.isspace():
        problem = f"there is loose text at <{element.tag}>: {text.strip()[:40]!r}"
        fail(problem, path, element, "put it into an element or remove it")


class _Census:
    """Finds content that no field of an item would keep.

    One XPath query per file: visiting every node in Python takes as long as parsing the file. Steps
    without predicates are the fast ones.
    """

    def __init__(self, below: str) -> None:
        sets = {f"{below}originaltripleset": "otriple", f"{below}modifiedtripleset": "mtriple"}
        texts = " | ".join([f"{below}text()", *(f"{a}/text()" for a in sets)])
        attributes = " | ".join(f"{a}/@* | {a}/*/@*" for a in sets)
        expected = [f"{below}*", *(f"{a}/{triple}" for a, triple in sets.items())]
        if below:
            expected.append("*")
        counts = " + ".join(f"count({a})" for a in expected)
        self._plain: Any = etree.XPath(f"not({texts} | {attributes}) and count(.//*) = {counts}")
        self._texts: Any = etree.XPath(texts)
        self._attributes: Any = etree.XPath(attributes)
        self._unexpected: Any = etree.XPath(
            " | ".join(f"{a}/*[not(self::{sets[a]})] | {a}/*/*" for a in sets)
        )

    def check(self, context: Element, path: Path) -> bool:
        """Raise where content would be lost; True where triples have attributes."""
        if self._plain(context):
            return False
        for text in self._texts(context):
            refuse_text(text, text.getparent(), path)
        for element in self._unexpected(context):
            problem = f"<{element.getparent().tag}> holds an unexpected <{element.tag}>"
            fail(problem, path, element, "a tripleset may hold triples, and a triple only text")
        return bool(self._attributes(context))


_IN_ENTRIES = _Census("*/")
_IN_ENTRY = _Census("")

_ENCODING_REMEDY = "convert the file to UTF-8, or declare its encoding in the first line"
_REMEDIES = {
    etree.ErrorTypes.ERR_DOCUMENT_EMPTY: "is it XML, and is it complete?",
    etree.ErrorTypes.ERR_TAG_NOT_FINISHED: "the file is cut off: copy or download it again",
    etree.ErrorTypes.ERR_INVALID_ENCODING: _ENCODING_REMEDY,
    etree.ErrorTypes.ERR_UNSUPPORTED_ENCODING: _ENCODING_REMEDY,
    etree.ErrorTypes.ERR_INVALID_CHAR: "remove the control character; is this a binary file?",
    etree.ErrorTypes.ERR_UNDECLARED_ENTITY: "write the character itself, and &amp; for '&'",
}


def _syntax_error(error: Any, path: Path) -> DataError:
    message, line, code = error.msg, error.lineno, error.code
    if not line and error.error_log:
        # While streaming, libxml2 may report the end of the file and only log the cause.
        cause = error.error_log[-1]
        message, line, code = cause.message, cause.line, cause.type
    reason = re.split(r", line \d+, column|, see |, use |, try ", message or "cannot be parsed")[0]
    return DataError(
        f"is not well-formed XML ({reason.strip()})",
        path=path,
        line=line or 1,
        remedy=_REMEDIES.get(code, "repair the XML at this place"),
    )


Tripleset: TypeAlias = Literal["modified", "original"]

_TRIPLES = {"originaltripleset", "modifiedtripleset"}
_LISTS = {"dbpedialinks": "dbpedialink", "links": "link", "entitymap": "entity"}
_OURS = {"lid", "comment", "seen", "instance_type", "elements", "mentions", "sortedtripleset"}
_OURS |= {"template", "lexicalization", "originaltriplesets", "modifiedtriplesets", *_LISTS}
_COUNTS = {str(number): number for number in range(1000)}


class WebNlgEntry(NamedTuple):
    """One set of triples and the `<lex>` elements with its texts."""

    eid: str
    line: int
    category: str | None
    triples: tuple[Triple, ...]
    meta: dict[str, Any]
    lexes: list[Element]


def entries(path: Path, tripleset: Tripleset) -> Iterator[WebNlgEntry]:
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
            remedy = f'add the triples, or read the other set: format="webnlg:tripleset={other}"'
            fail(f"<entry> has no triple in a <{chosen}>", path, element, remedy)
        yield WebNlgEntry(eid, element.sourceline, category, triples, meta, lexes)


def _triples(rows: list[str], element: Element, path: Path) -> tuple[Triple, ...]:
    triples = tuple(map(_split, rows))
    if None in triples:
        place = triples.index(None)
        problem = f"{rows[place].strip()[:80]!r} is not 'subject | predicate | object'"
        remedy = "write three non-empty parts with ' | ' between them and nowhere else"
        fail(problem, path, element[place], remedy)
    return triples  # type: ignore[return-value]


@lru_cache(maxsize=4096)
def _split(row: str) -> Triple | None:
    # A corpus repeats its facts, so remembering them saves time and memory.
    parts = [part.strip() for part in row.split(" | ")]
    return Triple(*parts) if len(parts) == 3 and all(parts) else None


def _keep(element: Element, meta: dict[str, Any]) -> None:
    """Keep an element that has no field of its own: as a list if it is one, else as XML."""
    rows = _plain_list(element) if element.tag in _LISTS and element.tag not in meta else None
    if rows is not None:
        meta[element.tag] = rows
    else:
        text = etree.tostring(element, encoding="unicode", with_tail=False)
        meta.setdefault("elements", []).append(text)


def _plain_list(element: Element) -> list[Any] | None:
    """The rows of `<links><link …>…</links>`; None if it holds anything but rows of text."""
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
    """A text as in the file, without the indentation around a text on lines of its own.

    >>> unfold(" kept. "), unfold("\\n    A text.\\n  ")
    (' kept. ', 'A text.')
    """
    if text is None:
        return ""
    if "\n" in text and (text.lstrip(" \t").startswith("\n") or text.rstrip(" \t").endswith("\n")):
        return text.strip()
    return text


InstanceTypes: TypeAlias = Mapping[str, Mapping[str, object]]
"""From the id of an entry to the fields of `meta` for its type."""

_MARK = "instance-types"
_MEANINGS: InstanceTypes = {
    "type1": {"seen": True, "instance_type": "seen"},
    "type2": {"seen": False, "instance_type": "unseen_entities"},
    "type3": {"seen": False, "instance_type": "unseen_categories"},
}
_REMEDY = 'write one object: {"Id1": "type1", "Id2": "type3", …}'


def find_instance_types(file: Path) -> Path | None:
    """The `*instance-types*.json` next to a file; of several, the one with the file's name."""
    found = sorted(file.parent.glob(f"*{_MARK}*.json"))
    if len(found) < 2:
        return found[0] if found else None
    heads = {path: path.name.partition(_MARK)[0] for path in found}
    fitting = [path for path in found if file.name.startswith(heads[path])]
    if not fitting:
        problem = f"has {len(found)} files of instance types next to it, none with a matching name"
        raise DataError(problem, path=file, remedy="name the right one: instance_types=FILE")
    return max(fitting, key=lambda path: len(heads[path]))


def read_instance_types(path: Path) -> InstanceTypes:
    """Read and validate a file of instance types."""
    try:
        raw = load_object(read_text(path))
    except DataError as error:
        raise error if error.path else DataError(error.problem, path=path, remedy=_REMEDY) from None
    if type(raw) is not dict:
        raise DataError("is not a JSON object", path=path, remedy=_REMEDY)
    for name, value in raw.items():
        if type(value) is not str or value not in _MEANINGS:
            problem = f"the instance type of {name!r} is not type1, type2 or type3"
            raise DataError(problem, path=path, remedy=_REMEDY)
    return {name: _MEANINGS[value] for name, value in raw.items()}


@dataclass(frozen=True)
class WebNlgReader(Reader):
    """Reads one item per `<lex>`, or with `bare` one item per entry.

    The `references` of an item are the other non-empty texts of its entry in the same language.
    Everything beyond the fields of an Item is in `meta`: `eid`, `lid`, `size`, `shape`,
    `shape_type`, `comment`; the triplesets not used as `triples`, as written, in
    `originaltriplesets` and `modifiedtriplesets`; `dbpedialinks` and `links`; `seen` and
    `instance_type`; any other attribute under its name, and any other element as XML in `elements`.
    """

    name: ClassVar[str] = "webnlg"
    doc: ClassVar[str] = "WebNLG XML (2017, v2, v3.0, 2023), a file or a folder"
    takes_folders: ClassVar[bool] = True

    tripleset: Literal["modified", "original"] = setting(
        "modified", "which triples to use; of several original sets the first"
    )
    lang: str | None = setting(None, "keep only the texts of this language, e.g. ru")
    instance_types: Path | None = setting(
        None,
        "JSON from eid to type1, type2 or type3 (seen, unseen entities, unseen category)"
        "; by default the *instance-types*.json next to a single file",
    )
    unseen: tuple[str, ...] = setting(
        (), "categories that count as unseen, for data without instance types"
    )

    def __post_init__(self) -> None:
        if self.tripleset not in ("modified", "original"):
            raise SettingError(
                f"{self.name}:tripleset is modified or original, not {self.tripleset!r}"
            )
        if self.instance_types is not None and self.unseen:
            raise SettingError(f"{self.name} takes instance_types or unseen, not both; drop one")

    def read(self, path: Path, *, bare: bool = False) -> Iterator[PlacedItem]:
        """Stream the items; the line of an item is where its entry begins."""
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
                    yield PlacedItem(self._bare_item(entry, identifier, file), file, entry.line)
                elif items := self._items(entry, identifier, file):
                    wordless = False
                    yield from items
        if not found:
            raise DataError("has no <entry>", path=path, remedy="is it the right file?")
        if wordless:
            remedy = "check the lang attributes of its <lex>, or leave the setting out"
            raise DataError(f"has no text in the language {self.lang!r}", path=path, remedy=remedy)

    def companions(self, path: Path) -> list[Path]:
        """The file of instance types next to a single file."""
        if self.unseen or self.instance_types is not None:
            return []
        alone = [file for prefix, file in files(path) if not prefix]
        return [beside for file in alone if (beside := find_instance_types(file)) is not None]

    def _types_beside(self, file: Path, prefix: str) -> InstanceTypes | None:
        if prefix or self.unseen:
            return None
        beside = find_instance_types(file)
        return None if beside is None else read_instance_types(beside)

    def _items(self, entry: WebNlgEntry, identifier: str, file: Path) -> list[PlacedItem]:
        _, line, category, triples, meta, lexes = entry
        if not lexes:
            problem = "<entry> has no <lex>, so there is no text to judge"
            remedy = "give the texts of a system: texts={system: file}"
            raise DataError(problem, path=file, line=line, remedy=remedy)
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
            item = Item(
                id=f"{identifier}/{names[place]}",
                triples=triples,
                text=text,
                system="reference",
                category=category,
                lang=lang or None,
                references=texts[:place] + texts[place + 1 :]
                if alike
                else _others(texts, langs, place),
                meta=own,
            )
            items.append(PlacedItem(item, file, line))
        return items

    def _bare_item(self, entry: WebNlgEntry, identifier: str, file: Path) -> Item:
        texts, rows = self._content(entry.lexes, file)
        references = tuple(
            text
            for text, row in zip(texts, rows, strict=True)
            if text and (self.lang is None or self.lang == row.get("lang", ""))
        )
        return Item(
            id=identifier,
            triples=entry.triples,
            text="",
            category=entry.category,
            lang=self.lang or None,
            references=references,
            meta=entry.meta,
        )

    def _content(
        self, lexes: list[Element], file: Path
    ) -> tuple[tuple[str, ...], list[dict[str, Any]]]:
        """The text and the other fields of each `<lex>`; overridden for the enriched corpus."""
        for lex in lexes:
            if len(lex):
                remedy = "is this the enriched corpus? read it with the format 'enriched'"
                fail(f"<lex> holds <{lex[0].tag}>, not only text", file, lex, remedy)
        texts = tuple([unfold(lex.text) for lex in lexes])
        return texts, [dict(lex.items()) for lex in lexes]


def _names(
    rows: list[dict[str, Any]], langs: list[str], lexes: list[Element], file: Path
) -> list[str]:
    """A unique name for each text of an entry; translations share one `lid`.

    The first text is named by its `lid`, a later one by its `lid` and its language (`Id1/ru`), so
    names do not depend on the language that is read.
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
    """The other non-empty texts of an entry in the language of the text at `place`."""
    return tuple(
        text
        for other, text in enumerate(texts)
        if other != place and text and langs[other] == langs[place]
    )


def _type_of(identifier: str, types: InstanceTypes, file: Path, line: int) -> Mapping[str, object]:
    if identifier not in types:
        problem = f"the entry {identifier!r} has no instance type"
        remedy = "name the JSON file that belongs to this XML: instance_types=FILE"
        raise DataError(problem, path=file, line=line, remedy=remedy)
    return types[identifier]
