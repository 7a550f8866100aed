"""A dump, packed or not, as what it says about names; never more of it in memory than a block."""

from __future__ import annotations

import hashlib
import io
import lzma
import re
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

from adequa.aliases.naming import KINDS, Names, Said
from adequa.aliases.ntriples import Lines, parse_line
from adequa.errors import DataError

__all__ = ["MAX_LINE_BYTES", "Dump"]

MAX_LINE_BYTES = 8 << 20
"""No statement is nearly as long; a file without line ends must not fill the memory."""

_BLOCK_BYTES = 1 << 20
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_TURTLE = re.compile(r"(?:\s|#.*\n)*(?:@prefix|@base|prefix\s|base\s)", re.IGNORECASE)
_TURTLE_ENDINGS = {".ttl", ".turtle"}
_DAMAGED = (EOFError, OSError, lzma.LZMAError, zlib.error)


class _Counted(io.RawIOBase):
    """The bytes of a file as they are on disk, counted and hashed on their way to an unpacker."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.done = 0
        self.digest = hashlib.sha256()

    def readable(self) -> bool:
        """As io.RawIOBase asks."""
        return True

    def readinto(self, buffer: Any) -> int:
        """As io.RawIOBase asks."""
        block = self._stream.read(len(buffer))
        buffer[: len(block)] = block
        self.done += len(block)
        self.digest.update(block)
        return len(block)


class _Chained(io.RawIOBase):
    """A stream whose beginning was looked at, from its beginning."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head = io.BytesIO(head)
        self._rest = rest

    def readable(self) -> bool:
        """As io.RawIOBase asks."""
        return True

    def readinto(self, buffer: Any) -> int:
        """As io.RawIOBase asks."""
        block = self._head.read(len(buffer)) or self._rest.read(len(buffer))
        buffer[: len(block)] = block
        return len(block)


class Dump:
    """One file; once `said` was read to its end, `facts` tells what it was."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.statements = 0
        self._digest = ""
        self._line = 0
        try:
            self.size = path.stat().st_size
        except OSError as error:
            raise DataError(
                f"cannot be read ({error.strerror})", path=path, remedy="check the path"
            ) from None
        if path.is_dir():
            raise DataError("is a folder", path=path, remedy="name the dumps in it")

    @property
    def facts(self) -> dict[str, Any]:
        """For the metadata of what is built."""
        return {
            "name": self.path.name,
            "bytes": self.size,
            "sha256": self._digest,
            "statements": self.statements,
        }

    def said(self, names: Names, tell: Callable[[int], None]) -> Iterator[list[Said]]:
        """What the dump says about names, a list a block; `tell` hears how many bytes are done."""
        try:
            with self.path.open("rb") as file:
                counted = _Counted(file)
                with _unpacked(io.BufferedReader(counted, _BLOCK_BYTES)) as stream:
                    for said in self._read(stream, names):
                        yield said
                        tell(counted.done)
                    while counted.read(_BLOCK_BYTES):  # what an unpacker saw no need to read
                        pass
                self._digest = counted.digest.hexdigest()
        except DataError as error:
            raise error.at(self.path) from None
        except _DAMAGED as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise DataError(
                f"cannot be read further ({reason})",
                path=self.path,
                line=self._line + 1,
                remedy="is it damaged, or not wholly downloaded?",
            ) from None

    def _read(self, stream: BinaryIO, names: Names) -> Iterator[list[Said]]:
        head = stream.read(_BLOCK_BYTES).removeprefix(_BYTE_ORDER_MARK)
        whole = cast(BinaryIO, io.BufferedReader(_Chained(head, stream), _BLOCK_BYTES))
        if self._is_turtle(head):
            yield from self._read_turtle(whole, names)
            return
        lines = Lines(KINDS, lambda language: names.preference(language) is not None)
        for block in self._blocks(whole):
            said = []
            try:
                for number, statement in lines.wanted(block):
                    here = number
                    one = names.of(statement)
                    if one is not None:
                        said.append(one)
            except DataError as error:
                raise self._at(error, self._line + (error.line or here)) from None
            self._line += block.count(b"\n") + 1
            self.statements = lines.statements
            yield said

    def _is_turtle(self, head: bytes) -> bool:
        """Whether only a parser can read it; the .ttl files of DBpedia are N-Triples in truth."""
        text = head.decode(errors="replace")
        if _TURTLE.match(text):
            return True
        endings = {ending.lower() for ending in self.path.suffixes[-2:]}
        return bool(endings & _TURTLE_ENDINGS) and any(
            parse_line(line) is None for line in text.split("\n")[:1000][:-1]
        )

    def _blocks(self, stream: BinaryIO) -> Iterator[bytes]:
        """The file in pieces that end where a line ends, without the newline there."""
        left = b""
        while raw := stream.read(_BLOCK_BYTES):
            block, newline, rest = raw.rpartition(b"\n")
            if newline:
                yield self._checked(left + block)
                left = rest
            else:
                left += rest
            if len(left) > MAX_LINE_BYTES:
                problem = DataError(
                    f"is longer than {MAX_LINE_BYTES >> 20} MB",
                    remedy="is it N-Triples, a statement a line?",
                )
                raise self._at(problem, self._line + 1)
        if left:
            yield self._checked(left)

    def _checked(self, raw: bytes) -> bytes:
        try:
            raw.decode()
        except UnicodeDecodeError as error:
            problem = DataError(
                f"is not UTF-8 (byte {raw[error.start]:#04x})", remedy="convert the file to UTF-8"
            )
            line = self._line + raw.count(b"\n", 0, error.start) + 1
            raise self._at(problem, line) from None
        return raw

    def _read_turtle(self, stream: BinaryIO, names: Names) -> Iterator[list[Said]]:
        from adequa.readers.rdf_parse import parse_statements
        from adequa.readers.rdf_tokens import split_literal

        for block, _ in parse_statements(stream, "turtle", None):
            said = []
            for subject, predicate, value, _graph in block:
                iri, text, language = "", "", ""
                if value[0] == "<":
                    iri = value[1:-1]
                elif value[0] == '"':
                    text, suffix = split_literal(value)
                    text = text.replace("\\", "\\\\")  # as a line of N-Triples has it
                    language = suffix[1:] if suffix[:1] == "@" else ""
                one = names.of((subject, predicate[1:-1], iri, text, language))
                if one is not None:
                    said.append(one)
            self.statements += len(block)
            yield said

    def _at(self, error: DataError, line: int) -> DataError:
        return DataError(error.problem, path=self.path, line=line, remedy=error.remedy)


def _unpacked(stream: io.BufferedReader) -> BinaryIO:
    """The stream, through the unpacker its first bytes ask for."""
    head = stream.peek(6)[:6]
    if head.startswith(b"\x1f\x8b"):
        import gzip

        return cast(BinaryIO, gzip.GzipFile(fileobj=stream))
    if head.startswith(b"BZh"):
        import bz2

        return cast(BinaryIO, bz2.BZ2File(stream))
    if head.startswith(b"\xfd7zXZ\x00"):
        return cast(BinaryIO, lzma.LZMAFile(stream))
    if head.startswith(b"\x28\xb5\x2f\xfd"):
        return _unpacked_zstd(stream)
    if head.startswith(b"PK\x03\x04"):
        raise DataError("is packed as zip", remedy="unpack it first")
    return stream


def _unpacked_zstd(stream: io.BufferedReader) -> BinaryIO:
    import importlib

    try:
        zstd = importlib.import_module("compression.zstd")
    except ImportError:
        raise DataError(
            "is packed as zstd, which Python reads from version 3.14 on",
            remedy="unpack it first: zstd -d FILE",
        ) from None
    return cast(BinaryIO, zstd.ZstdFile(stream))
