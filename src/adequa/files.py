"""Files and JSON: strict input, output that appears whole or not at all, and the folder lock."""

from __future__ import annotations

import contextlib
import errno
import json
import math
import os
import platform
import re
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import IO, Any, BinaryIO, NamedTuple, NoReturn

from adequa.errors import DataError, RunError

MAX_LINE_BYTES = 64 * 1024 * 1024
"""A longer line is rejected before it fills the memory. No record of the data it was chosen on."""
MAX_DEPTH = 100
"""Levels of lists and objects in a JSON value. A bound of our own, because that of the interpreter
depends on who calls: a value could be read and then not be sent to another process, or not be read
again. The deepest record of the research data has 7 levels."""
LOCK = ".adequa.lock"
"""The file in a folder that is being written; its content says by whom."""
_BLOCK = 1 << 20
_URL = re.compile(r"([a-z][a-z0-9+.-]+):/+(?=[^/])")
"""An address, also after `Path` has made one slash of two; a drive of Windows has one letter."""
_LOOK_SECONDS = 0.1
"""Between two looks at a lock that another process holds."""

_FOREIGN_MARKS = {
    b"\xff\xfe\x00\x00": "UTF-32",
    b"\x00\x00\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
    b"\x1f\x8b": "gzip",
    b"PK\x03\x04": "zip",
    b"BZh": "bzip2",
    b"\x28\xb5\x2f\xfd": "zstd",
}
"""The first bytes of files in other encodings, and of compressed files."""


class FileVersion(NamedTuple):
    """A file and its state: another version means that its content may have changed."""

    path: str
    node: int
    bytes: int
    modified: int


def as_list(given: Any) -> list[Any]:
    """Several things as a list; a path, or another thing that is not several, as a list of one.

    >>> as_list("runs/a"), as_list(["runs/a", "runs/b"])
    (['runs/a'], ['runs/a', 'runs/b'])
    """
    single = isinstance(given, str | Path) or not isinstance(given, Iterable)
    return [given] if single else list(given)


def url_of(path: Path) -> str | None:
    """The address of a file on an object store that a path is; None for a path."""
    written = path.as_posix()
    return _URL.sub(r"\1://", written, count=1) if _URL.match(written) else None


def file_version(path: Path) -> FileVersion:
    """The current version of a file."""
    status = path.stat()
    return FileVersion(str(path), status.st_ino, status.st_size, status.st_mtime_ns)


def open_bytes(path: Path) -> BinaryIO:
    """Open a file for reading, or raise a DataError with the reason; a UTF-8 mark is skipped."""
    try:
        stream = path.open("rb")
    except OSError as error:
        remedies = {
            errno.ENOENT: "check the spelling of the path",
            errno.EISDIR: "name a file of the folder",
            errno.EACCES: "you do not have permission to read it",
        }
        remedy = remedies.get(error.errno or 0, "check the path")
        raise DataError.of_file(error, path, "opened", remedy) from None
    try:
        head = stream.read(4)
    except OSError as error:
        stream.close()
        raise DataError.of_file(error, path) from None
    for mark, kind in _FOREIGN_MARKS.items():
        if head.startswith(mark):
            stream.close()
            if kind.startswith("UTF"):
                remedy = f"convert it: iconv -f {kind} -t UTF-8"
                raise DataError(f"is {kind}, not UTF-8", path=path, line=1, remedy=remedy)
            raise DataError(f"is compressed ({kind})", path=path, remedy="decompress it first")
    stream.seek(3 if head.startswith(b"\xef\xbb\xbf") else 0)
    return stream


class LineRange(NamedTuple):
    """A part of a file that begins and ends at the end of a line; by default, all of it."""

    start: int = 0
    """The first byte."""
    stop: int | None = None
    """The byte after the last one; None for the end of the file."""
    line: int = 0
    """The number of lines before it."""


_WHOLE = LineRange()


def lines(
    path: Path,
    *,
    keep_ends: bool = False,
    is_bounded: bool = True,
    within: LineRange = _WHOLE,
) -> Iterator[tuple[int, str]]:
    """The lines of a UTF-8 file, counted from 1, without their line end (`\\n` or `\\r\\n`).

    Nothing else ends a line: a text may contain U+2028, a form feed or a lone carriage return. With
    `keep_ends` the line end is kept, for formats in which a text may span lines. Without
    `is_bounded` a line may have any length, for files that adequa itself wrote.
    """
    with open_bytes(path) as stream:
        if within.start:
            stream.seek(within.start)
        number, left = within.line, math.inf if within.stop is None else within.stop - stream.tell()
        while left > 0 and (raw := stream.readline(MAX_LINE_BYTES + 1 if is_bounded else -1)):
            number += 1
            left -= len(raw)
            if is_bounded and len(raw) > MAX_LINE_BYTES:
                problem = f"is longer than {MAX_LINE_BYTES >> 20} MB"
                raise DataError(problem, path=path, line=number, remedy="write one item per line")
            try:
                text = raw.decode()
            except UnicodeDecodeError as error:
                problem = f"is not UTF-8 ({raw[error.start]:#04x} at byte {error.start + 1})"
                remedy = "convert the file to UTF-8"
                raise DataError(problem, path=path, line=number, remedy=remedy) from None
            if not keep_ends and text.endswith("\n"):
                text = text[:-2] if text.endswith("\r\n") else text[:-1]
            if "\0" in text:
                remedy = "is this a binary file?"
                raise DataError("has a NUL byte", path=path, line=number, remedy=remedy)
            yield number, text


def divide_lines(path: Path, count: int) -> list[LineRange]:
    """The ranges of about equal size that a file falls into; some are empty if it has few lines."""
    size = path.stat().st_size
    ranges: list[LineRange] = []
    start = line = 0
    with path.open("rb") as stream:
        for number in range(1, count + 1):
            stop = max(start, number * size // count)
            stream.seek(start)
            before = line
            left = stop - start
            last = b"\n"  # a range may begin here: the file does, or the range before has ended
            while left and (block := stream.read(min(left, _BLOCK))):
                line += block.count(b"\n")
                left, last = left - len(block), block[-1:]
            while last != b"\n" and (rest := stream.readline(_BLOCK)):
                last = rest[-1:]
                line += last == b"\n"
            line += last != b"\n"  # the last line of the file, without an end
            stop = stream.tell()
            ranges.append(LineRange(start, stop, before))
            start = stop
    return ranges


def reject_constant(name: str) -> NoReturn:
    """For `parse_constant` of a decoder: NaN and Infinity are not JSON."""
    raise DataError(f"{name} is not a JSON number", remedy="write null or leave the field out")


def reject_repeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """For `object_pairs_hook` of a decoder: a name that occurs twice has no one meaning."""
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise DataError(f"has {twice[:100]!r} twice in one object", remedy="keep one")
    return found


_decode = json.JSONDecoder(object_pairs_hook=reject_repeated, parse_constant=reject_constant).decode
decode_own = json.JSONDecoder(parse_constant=reject_constant).decode
"""For `load_object` on lines that adequa itself wrote: a little faster, repeated names pass."""
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def load_object(line: str, *, decode: Callable[[str], Any] = _decode) -> Any:
    """Parse one JSON value, strictly.

    No NaN, no lone surrogates, no name twice in one object, at most `MAX_DEPTH` levels.
    """
    try:
        value = decode(line)
    except json.JSONDecodeError as error:
        if line.startswith("\ufeff"):
            remedy = "remove it; were two files joined here?"
            raise DataError("begins with a byte order mark", remedy=remedy) from None
        problem = f"is not JSON ({error.msg} at column {error.colno})"
        raise DataError(problem, remedy="write one object per line") from None
    except RecursionError:
        raise DataError("is nested too deeply", remedy="flatten the object") from None
    except ValueError:
        problem = "has a number that cannot be read (too many digits)"
        raise DataError(problem, remedy="write it as a string") from None
    require_shallow(line, value)
    if "\\ud" in line or "\\uD" in line:
        # Lone surrogates can be parsed but not written; reject them now, not at the end of a run.
        try:
            _encode(value).encode()
        except UnicodeEncodeError:
            problem = "has half of a surrogate pair (\\ud800–\\udfff)"
            raise DataError(problem, remedy="repair the text's encoding") from None
    return value


def require_shallow(written: str, value: Any) -> None:
    """Raise a DataError if a JSON value, given as text too, has more than `MAX_DEPTH` levels."""
    is_suspect = written.count("[") + written.count("{") > MAX_DEPTH
    if is_suspect and is_deeper(value, MAX_DEPTH):
        problem = f"is nested too deeply, more than {MAX_DEPTH} levels"
        raise DataError(problem, remedy="flatten the object")


def is_deeper(value: Any, most: int) -> bool:
    """Whether a JSON value has lists and objects on more than `most` levels."""
    level = [value] if type(value) in (dict, list) else []
    for _ in range(most):
        level = [
            inner
            for one in level
            for inner in (one.values() if type(one) is dict else one)
            if type(inner) in (dict, list)
        ]
        if not level:
            return False
    return True


def dump_line(value: Mapping[str, Any]) -> str:
    """One line of JSON, newline included; NaN is a ValueError."""
    return _encode(value) + "\n"


def kind_of(value: Any) -> str:
    """The type of a JSON value, for a message."""
    names = {dict: "an object", list: "a list", str: "a string", bool: "true or false"}
    return "null" if value is None else names.get(type(value), "a number")


def read_text(path: Path) -> str:
    """The text of a UTF-8 file, with `\\n` between its lines."""
    return "\n".join(line for _, line in lines(path))


def read_json(path: Path) -> Any:
    """The JSON value of a file; a DataError names the file."""
    with errors_at(path):
        return load_object(read_text(path))


def read_objects(
    path: Path, *, remedy: str = "write {…}"
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The JSON objects of a file, one per line, with their line numbers; skips blank lines."""
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


def read_dictionary(
    text: str, *, remedy: str, twice: str = "keep one"
) -> tuple[dict[str, Any], Callable[..., int | None]]:
    """A JSON object in which no name occurs twice, and a function for the line of a name.

    The function takes the names on the way to a value. Errors have a line, but no path.
    """

    def line_of(*names: str) -> int | None:
        at = -1
        for name in names:
            at = max(at, text.find(json.dumps(name, ensure_ascii=False), at + 1))
        return None if at < 0 else text.count("\n", 0, at) + 1

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        known: dict[str, Any] = {}
        for name, value in pairs:
            if name in known:
                raise DataError(f"names {name!r} twice", line=line_of(name, name), remedy=twice)
            known[name] = value
        return known

    def decode(written: str) -> Any:
        try:
            return json.loads(written, object_pairs_hook=once, parse_constant=reject_constant)
        except json.JSONDecodeError as error:
            problem = f"is not JSON ({error.msg} at column {error.colno})"
            raise DataError(problem, line=error.lineno, remedy=remedy) from None

    raw = load_object(text, decode=decode)
    if not isinstance(raw, dict):
        raise DataError(f"is {kind_of(raw)}, not an object", line=1, remedy=remedy)
    return raw, line_of


@contextlib.contextmanager
def write_errors(path: Path, *, remedy: str = "check the path") -> Iterator[None]:
    """Turn the OSError of a write into a DataError that names the path."""
    try:
        yield
    except OSError as error:
        problem = f"cannot be written ({error.strerror or error})"
        raise DataError(problem, path=path, remedy=remedy) from None


def open_private(path: Path) -> IO[str]:
    """Create a text file that only its owner can read; a FileExistsError if it exists."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    return os.fdopen(descriptor, "w", encoding="utf-8", newline="\n")


@contextlib.contextmanager
def errors_at(path: Path, line: int | None = None) -> Iterator[None]:
    """Give the DataErrors of a block a place, unless they have one."""
    try:
        yield
    except DataError as error:
        raise error.at(path, line) from None


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A stream whose content replaces `path` at the end; after an error the old file remains."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with temporary.open("xb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Write an indented JSON file; a kill in the middle leaves the old one."""
    # One fixed name, not `replacing`: what a kill leaves is overwritten by the next attempt.
    temporary = path.with_name(path.name + ".new")
    with temporary.open("w", encoding="utf-8", newline="\n") as stream:
        json.dump(value, stream, ensure_ascii=False, allow_nan=False, indent=2)
        stream.write("\n")
        stream.flush()
        os.fsync(stream.fileno())
    temporary.replace(path)


def sync_folder(folder: Path) -> None:
    """Wait until the names of files in a folder are on the disk, where the system can say so."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def locked(
    folder: Path,
    *,
    name: str = LOCK,
    is_shared: bool = False,
    seconds: float = 0.0,
    waiting: Callable[[str], None] | None = None,
) -> Iterator[None]:
    """Hold a folder against other writers; a folder that is absent is made.

    Take it before the first look at the folder and keep it until the last rename. A second process
    gets a RunError that names the first. The system frees the lock however the process ends; a
    folder that was made and stayed empty is removed.

    Any number of processes can hold a folder with `is_shared`, while no other does: each writes
    files of its own there, which it locks by another `name`. A lock that is held is waited for, as
    many `seconds`; `waiting` is told once who holds it.
    """
    made = [one for one in (folder, *folder.parents) if not one.exists()]
    with _lock_file(folder, name, is_shared=is_shared, seconds=seconds, waiting=waiting) as stream:
        path = folder / name
        try:
            since = datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M:%S UTC")
            holder = {"pid": os.getpid(), "host": platform.node(), "since": since}
            with contextlib.suppress(OSError):  # on a full disk the lock holds without a name
                stream.truncate(0)
                stream.seek(0)
                stream.write(dump_line(holder).encode())
            yield
        finally:
            with contextlib.suppress(OSError):
                if (
                    is_shared
                ):  # the last holder removes the file; an error means that there are others
                    _lock(stream, is_shared=False)
                if os.path.samestat(os.fstat(stream.fileno()), path.stat()):
                    path.unlink()
            for one in made:
                with contextlib.suppress(OSError):
                    one.rmdir()


def _lock_file(
    folder: Path,
    name: str,
    *,
    is_shared: bool,
    seconds: float,
    waiting: Callable[[str], None] | None,
) -> BinaryIO:
    """The lock file of a folder, open and locked; raises a RunError if another process has it."""
    # The standard library rather than portalocker: two calls, and no dependency.
    path = folder / name
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    until = time.monotonic() + seconds
    while True:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            stream = os.fdopen(os.open(path, flags, 0o666), "r+b", buffering=0)
        except FileNotFoundError:
            continue  # its last holder removed the empty folder in this moment
        except (FileExistsError, NotADirectoryError):
            raise RunError(f"{folder} is not a folder; name another one") from None
        except OSError as error:
            problem = f"{folder} cannot be written ({error.strerror})"
            raise RunError(f"{problem}; check its permissions, or name another folder") from None
        try:
            _lock(stream, is_shared=is_shared)
            if os.path.samestat(os.fstat(stream.fileno()), path.stat()):
                return stream  # type: ignore[return-value,unused-ignore]
        except FileNotFoundError:
            pass  # the last holder removed the file between our opening and locking it
        except OSError as error:
            refusal = _refusal(folder, stream, error)
            if error.errno not in _HELD or time.monotonic() >= until:
                raise refusal from None
            if waiting is not None:
                waiting(str(refusal))
                waiting = None
            time.sleep(_LOOK_SECONDS)
        stream.close()


_HELD = (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK)
"""The errors of a lock that another process holds."""
_SLOTS = 1024
"""On Windows, where a lock is never shared: of so many bytes, a sharing process locks one."""


def _lock(stream: IO[bytes], *, is_shared: bool) -> None:
    if os.name == "nt":
        import msvcrt

        first = 1 << 30  # beyond the content, which others may read
        slot = secrets.randbelow(_SLOTS) if is_shared else 0
        stream.seek(first + slot)
        msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1 if is_shared else _SLOTS)  # type: ignore[attr-defined,unused-ignore]
        stream.seek(0)
    else:
        import fcntl

        fcntl.flock(stream, (fcntl.LOCK_SH if is_shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)


def _refusal(folder: Path, stream: IO[bytes], error: OSError) -> RunError:
    """Why a folder cannot be locked: who has it, or that its file system has no locks."""
    with stream:
        if error.errno not in _HELD:
            reason = f"{folder} cannot be locked ({error.strerror})"
            return RunError(f"{reason}; name a folder on another disk")
        try:
            stream.seek(0)
            holder = json.loads(stream.read(4096))
            who = f" (process {holder['pid']} on {holder['host']}, since {holder['since']})"
        except (OSError, ValueError, TypeError, KeyError):
            who = ""  # it was locked in this moment
    return RunError(f"{folder} is being written by another process{who}; wait for it to end")
