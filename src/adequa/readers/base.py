"""What a reader is, and how every reader opens its file."""

from __future__ import annotations

import errno
from abc import ABC, abstractmethod
from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, NamedTuple

from adequa.codec import load_object
from adequa.data import Item
from adequa.errors import DataError

MAX_LINE_BYTES = 64 * 1024 * 1024
"""A line longer than this is refused before it fills the memory."""

_FOREIGN_MARKS = {
    b"\xff\xfe\x00\x00": "UTF-32",
    b"\x00\x00\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}

_PACKED = {b"\x1f\x8b": "gzip", b"PK\x03\x04": "zip", b"BZh": "bzip2", b"\x28\xb5\x2f\xfd": "zstd"}


class PlacedItem(NamedTuple):
    """An item and where it stands, so that a later complaint can name the place."""

    item: Item
    path: Path
    line: int


@dataclass(frozen=True)
class Reader(ABC):
    """A file format: a frozen dataclass whose fields are its options.

    `read` streams; it keeps every string as the file has it, and whatever it knows beyond the
    fields of an Item goes into `meta`. With `bare`, one item a graph is wanted, in file order and
    without its text (the texts come from elsewhere, line by line): `text` is then "". Human texts
    the file has for the graph are its `references`; a system's text is kept in `meta`.
    """

    name: ClassVar[str]
    doc: ClassVar[str]
    takes_folders: ClassVar[bool] = False
    """Whether `read` takes a folder whole; otherwise a folder is read file after file."""

    @abstractmethod
    def read(self, path: Path, *, bare: bool = False) -> Iterator[PlacedItem]:
        """The items of `path`, in file order."""

    def companions(self, path: Path) -> list[Path]:  # noqa: ARG002
        """Files beside `path` that the items depend on too, for the manifest's hashes."""
        return []


def open_bytes(path: Path) -> BinaryIO:
    """Open a file for reading, or say in one line why it cannot be; a UTF-8 mark is skipped."""
    try:
        stream = path.open("rb")
    except OSError as error:
        remedies = {
            errno.ENOENT: "check the spelling of the path",
            errno.EISDIR: "name a file of the folder",
            errno.EACCES: "you have no right to read it",
        }
        remedy = remedies.get(error.errno or 0, "check the path")
        raise DataError(f"cannot be opened ({error.strerror})", path=path, remedy=remedy) from None
    try:
        head = stream.read(4)
    except OSError as error:
        stream.close()
        raise DataError(f"cannot be read ({error.strerror})", path=path) from None
    for mark, encoding in _FOREIGN_MARKS.items():
        if head.startswith(mark):
            stream.close()
            raise DataError(
                f"is {encoding}, not UTF-8",
                path=path,
                line=1,
                remedy=f"convert it: iconv -f {encoding} -t UTF-8",
            )
    for mark, packing in _PACKED.items():
        if head.startswith(mark):
            stream.close()
            raise DataError(f"is packed ({packing})", path=path, remedy="unpack it first")
    stream.seek(3 if head.startswith(b"\xef\xbb\xbf") else 0)
    return stream


def lines(path: Path, *, keep_ends: bool = False) -> Iterator[tuple[int, str]]:
    """The lines of a UTF-8 file, counted from 1, without their line end (`\\n` or `\\r\\n`).

    Only those end a line: a text may hold U+2028, a form feed or a lone carriage return. With
    `keep_ends` the end stays, for formats in which a text may span lines.
    """
    with open_bytes(path) as stream:
        number = 0
        while raw := stream.readline(MAX_LINE_BYTES + 1):
            number += 1
            if len(raw) > MAX_LINE_BYTES:
                raise DataError(
                    f"is longer than {MAX_LINE_BYTES >> 20} MB",
                    path=path,
                    line=number,
                    remedy="is it one item a line?",
                )
            try:
                text = raw.decode()
            except UnicodeDecodeError as error:
                raise DataError(
                    f"is not UTF-8 ({error.object[error.start]:#04x} at byte {error.start + 1})",
                    path=path,
                    line=number,
                    remedy="convert the file to UTF-8",
                ) from None
            if not keep_ends and text.endswith("\n"):
                text = text[:-2] if text.endswith("\r\n") else text[:-1]
            if "\0" in text:
                raise DataError(
                    "has a NUL byte", path=path, line=number, remedy="is this a binary file?"
                )
            yield number, text


# ---
# A corpus names each text once: the check, in sixteen bytes an item.
# ---


class SeenKeys:
    """A set of 64-bit hashes in one flat array: a million cost 16 MB where a set costs 100.

    Two of n keys share a hash with probability n² / 2⁶⁵: one in a hundred thousand million for a
    million items.
    """

    def __init__(self) -> None:
        self._table = array("q", bytes(8 << 12))
        self._count = 0

    def add(self, key: object) -> bool:
        """Whether the key is new."""
        table = self._table
        mask = len(table) - 1
        value = hash(key) or 1  # 0 marks a free place
        slot = value & mask
        while found := table[slot]:
            if found == value:
                return False
            slot = (slot + 1) & mask
        table[slot] = value
        self._count += 1
        if self._count * 4 > len(table) * 3:
            self._grow()
        return True

    def __len__(self) -> int:
        return self._count

    def _grow(self) -> None:
        old = self._table
        self._table = array("q", bytes(16 * len(old)))
        table, mask = self._table, len(self._table) - 1
        for value in old:
            if value:
                slot = value & mask
                while table[slot]:
                    slot = (slot + 1) & mask
                table[slot] = value


def unique(placed: Iterable[PlacedItem]) -> Iterator[PlacedItem]:
    """The same items; the second of one (system, id) is a DataError at its place."""
    seen = SeenKeys()
    for place in placed:
        if not seen.add(place.item.key):
            system, identifier = place.item.key
            of = f" of system {system!r}" if system else ""
            raise DataError(
                f"the id {identifier!r}{of} was used before",
                path=place.path,
                line=place.line,
                remedy="an id names one text of a system: number them",
            )
        yield place


# ---
# JSON lines as plain objects, for files that hold no items: ratings, scores, labels.
# ---


def read_objects(
    path: Path, *, remedy: str = "write {…}"
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The objects of a file with their lines; blank lines are passed over, all else is an error."""
    for number, line in lines(path):
        if not line or line.isspace():
            continue
        try:
            row = load_object(line)
        except DataError as error:
            raise error.at(path, number) from None
        if not isinstance(row, dict):
            raise DataError("is not an object", path=path, line=number, remedy=remedy)
        yield number, row
