"""The XML of the WebNLG family: the files of a tree, and the `<entry>` elements of a file.

No DTD, no entity, no network: a file is text, not a program. What an entry says is read in
`webnlg_entry`; what a `<lex>` becomes is the business of each reader.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, TypeAlias

from lxml import etree

from adequa.errors import DataError
from adequa.readers.base import open_bytes

__all__ = ["Element", "elements", "fail", "files", "refuse_text"]

Element: TypeAlias = Any
"""An lxml element; the published stubs promise less than lxml keeps."""

WHOLE_BYTES = 32 * 1024 * 1024
"""Up to this size a file is parsed at once, which is faster; above, entry by entry."""

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
    """Complain about an element where it stands.

    Beyond line 65,535 libxml2 knows only the lines of texts, so the line is that of the first one
    inside the element.
    """
    raise DataError(problem, path=path, line=element.sourceline, remedy=remedy)


def files(path: Path) -> Iterator[tuple[str, Path]]:
    """The XML files of a path, each with the prefix of its ids, in a fixed order.

    In a tree the prefix is the file's relative path (`2triples/Airport/`), without the
    `_allSolutions` that v3.0 adds to some names; a file alone, or alone in its folder, has none.
    Hidden files are not data.
    """
    if not path.is_dir():
        yield "", path
        return
    try:
        found = [
            file
            for file in path.rglob("*")
            if file.suffix.lower() == ".xml" and not file.name.startswith(".") and file.is_file()
        ]
    except OSError as error:
        raise DataError(
            f"cannot be listed ({error.strerror})", path=path, remedy="check its rights"
        ) from None
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
    # 10triples comes after 2triples; the parts of a path are compared one by one.
    return [
        [(int(piece), "") if piece.isdecimal() else (-1, piece) for piece in _NUMBER.split(part)]
        for part in name.split("/")
    ]


def elements(path: Path) -> Iterator[tuple[Element, bool]]:
    """The `<entry>` elements of one file in order, each used up before the next comes.

    The flag says that triples may carry attributes.
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
    # The root first and alone: a huge file of another format is refused at once.
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
    """Raise where words stand between elements: no field would keep them."""
    if text and not text.isspace():
        fail(
            f"there is loose text at <{element.tag}>: {text.strip()[:40]!r}",
            path,
            element,
            "put it into an element of its own or remove it",
        )


class _Census:
    """Looks for what no field of an item would keep.

    In C and a file at a time: asking every node of a corpus in Python takes as long as parsing it.
    Steps without predicates are the fast ones.
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
        """Raise where something would get lost; True when triples carry attributes."""
        if self._plain(context):
            return False
        for text in self._texts(context):
            refuse_text(text, text.getparent(), path)
        for element in self._unexpected(context):
            fail(
                f"<{element.getparent().tag}> holds an unexpected <{element.tag}>",
                path,
                element,
                "a tripleset holds triples, and a triple only text",
            )
        return bool(self._attributes(context))


_IN_ENTRIES = _Census("*/")
_IN_ENTRY = _Census("")

_ENCODING_REMEDY = "convert the file to UTF-8, or declare its encoding in the first line"
_REMEDIES = {
    etree.ErrorTypes.ERR_DOCUMENT_EMPTY: "is it XML, and was it written to the end?",
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
