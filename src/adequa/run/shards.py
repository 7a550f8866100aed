"""Shards: the parts that a run is scored in, in any process on any machine that sees its folder.

A shard is a byte range of the input at line ends where each line is an item, and a range of items
elsewhere (`plan_shards`). Its lines are appended to a file of its own, which is renamed when it is
whole (`Part`): a shard that was killed continues when it is scored again, and one that is whole is
left as it is. Each has the hash of its items, so that every planned item is there once.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Protocol

from adequa.codec import item_fields, item_to_object, result_from_object
from adequa.data import Coverage, Result
from adequa.errors import DataError, RunError
from adequa.files import (
    LineRange,
    decode_own,
    divide_lines,
    dump_line,
    errors_at,
    lines,
    load_object,
    locked,
    sync_folder,
    write_json,
)
from adequa.readers import Source
from adequa.run.folder import read_json
from adequa.run.summary import Tally
from adequa.settings import file_hash

_PATIENCE = 60.0
"""Seconds that the lock of a shard is waited for: whoever is killed leaves workers that end a
moment later, and those of a lost machine keep it until the file system notices."""
_EVIDENCE = {"mentions", "facts", "findings", "verdicts", "verdict"}
"""What every line has beside its item and its scores."""


@dataclass(frozen=True)
class ItemList:
    """The number of items, and a hash of all of them in their order."""

    items: int
    sha256: str


class ItemHash:
    """Counts and hashes items one after the other."""

    def __init__(self) -> None:
        self._count = 0
        self._digest = hashlib.sha256()

    def add(self, written: bytes) -> None:
        """The next item, as `write_item` writes it."""
        self._count += 1
        self._digest.update(written)

    @property
    def total(self) -> ItemList:
        """All of them, in their order."""
        return ItemList(self._count, self._digest.hexdigest())


def write_item(raw: Mapping[str, Any]) -> bytes:
    """An item as it is hashed: a line of JSON, from its JSON object."""
    return dump_line(raw).encode()


@dataclass(frozen=True)
class Shard:
    """A part of the items of a run: the `number`th of `count`, counted from 1."""

    number: int
    count: int
    first: int
    """The number of items before it."""
    items: int
    sha256: str
    within: LineRange | None = None
    """Its part of the input; None if the input must be read from its beginning."""

    @property
    def name(self) -> str:
        """For its files."""
        return f"{self.number:0{len(str(self.count))}}-of-{self.count}"

    @property
    def list(self) -> ItemList:
        """Its items."""
        return ItemList(self.items, self.sha256)


class Feed(Protocol):
    """What shards read their items from; it can be sent to another process."""

    @property
    def bytes(self) -> int:
        """About the size of the input."""

    def divide(self, count: int) -> list[LineRange] | None:
        """The parts that `within` can read; None if items are read from the beginning only."""

    def items(self) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """Each item as a JSON object, with its line."""

    def results(self) -> Iterator[Result]:
        """What is to be scored, from the beginning."""

    def within(self, part: LineRange, position: int) -> Iterator[Result]:
        """What is to be scored of a part, before which there are `position` items."""


@dataclass(frozen=True)
class SourceFeed:
    """The items of an input."""

    source: Source
    coverages: set[Coverage] = field(default_factory=set)
    """Those of the items that were read by `items`."""

    @property
    def bytes(self) -> int:
        """The size of all files."""
        return sum(path.stat().st_size for path in self.source.files)

    def divide(self, count: int) -> list[LineRange] | None:
        """By lines, where each is an item."""
        return self.source.divide(count)

    def items(self) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """All items, checked for unique ids."""
        for place in self.source.placed():
            self.coverages.add(place.item.coverage)
            yield place.line, item_to_object(place.item)

    def results(self) -> Iterator[Result]:
        """Items without scores."""
        return (Result(place.item, {}) for place in self.source.placed())

    def within(self, part: LineRange, position: int) -> Iterator[Result]:
        """Items of a part, without scores."""
        return (Result(item, {}) for item in self.source.within(part, position))


@dataclass(frozen=True)
class LinesFeed:
    """The lines of a run, which have scores already."""

    path: Path

    @property
    def bytes(self) -> int:
        """The size of the file."""
        return self.path.stat().st_size

    def divide(self, count: int) -> list[LineRange]:
        """By lines."""
        return divide_lines(self.path, count)

    def items(self) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """The items of the lines."""
        return ((number, item_fields(raw)) for number, raw in self._objects(LineRange()))

    def results(self) -> Iterator[Result]:
        """All results."""
        return self.within(LineRange(), 0)

    def within(self, part: LineRange, position: int) -> Iterator[Result]:  # noqa: ARG002
        """The results of a part."""
        for number, raw in self._objects(part):
            with errors_at(self.path, number):
                result = result_from_object(raw)
            yield result

    def _objects(self, part: LineRange) -> Iterator[tuple[int, dict[str, Any]]]:
        for number, line in lines(self.path, is_bounded=False, within=part):
            with errors_at(self.path, number):
                raw = load_object(line, decode=decode_own)
            yield number, raw


def plan_shards(feed: Feed, count: int) -> tuple[ItemList, list[Shard]]:
    """All items of a feed, and the shards they fall into; some are empty if there are few items."""
    parts = feed.divide(count) if count > 1 else None
    if parts is not None:
        ends: list[float] = [part.line for part in parts[1:]]
    else:
        total = sum(1 for _ in feed.items()) if count > 1 else 0
        ends = [number * total // count for number in range(1, count)]
    whole, own = ItemHash(), ItemHash()
    shards: list[Shard] = []

    def close() -> None:
        number = len(shards) + 1
        first = sum((shards[-1].first, shards[-1].items)) if shards else 0
        within = None if parts is None else parts[number - 1]
        shards.append(Shard(number, count, first, own.total.items, own.total.sha256, within))

    for position, (line, raw) in enumerate(feed.items(), 1):
        while len(shards) < len(ends) and (position if parts is None else line) > ends[len(shards)]:
            close()
            own = ItemHash()
        written = write_item(raw)
        whole.add(written)
        own.add(written)
    while len(shards) < count:
        close()
        own = ItemHash()
    return whole.total, shards


def planned_shards(manifest: Mapping[str, Any]) -> list[Shard]:
    """The shards that a manifest plans; none in that of a complete run or an earlier version."""
    entries = manifest.get("shards") or []
    try:
        return _shards(entries)
    except (KeyError, TypeError):
        raise RunError(
            "the shards of the manifest were edited; force=True replaces the run"
        ) from None


def _shards(entries: Any) -> list[Shard]:
    return [
        Shard(
            number=number,
            count=len(entries),
            first=raw["first"],
            items=raw["items"],
            sha256=raw["sha256"],
            within=LineRange(raw["start"], raw["stop"], raw["line"]) if "start" in raw else None,
        )
        for number, raw in enumerate(entries, 1)
    ]


@dataclass(frozen=True)
class Part:
    """The files of a shard in the folder `shards` of a run."""

    folder: Path
    shard: Shard

    @property
    def path(self) -> Path:
        """The lines; the file is there as soon as it is whole."""
        return self.folder / f"{self.shard.name}.jsonl"

    @property
    def begun(self) -> Path:
        """The lines so far."""
        return self.folder / f"{self.shard.name}.jsonl.part"

    @property
    def is_whole(self) -> bool:
        """Whether all lines are there."""
        return self.path.is_file()

    @property
    def _account(self) -> Path:
        return self.folder / f"{self.shard.name}.json"

    def locked(self) -> contextlib.AbstractContextManager[None]:
        """Hold the files against a second process with the same shard, which may be ending."""
        return locked(self.folder, name=f"{self.shard.name}.lock", seconds=_PATIENCE)

    def keep_lines(self, labels: frozenset[str]) -> tuple[ItemHash, Tally]:
        """Cut off an incomplete last line; the items of the other lines, and their tally.

        Raises a RunError if a line is not one of these metrics.
        """
        kept, tally = ItemHash(), Tally()
        if not self.begun.exists():
            return kept, tally
        with write_errors(self.folder):
            _cut(self.begun)
        for number, line in lines(self.begun, is_bounded=False):
            try:
                raw = load_object(line, decode=decode_own)
                is_line = raw.keys() >= _EVIDENCE and raw["scores"].keys() == labels
            except (DataError, TypeError, KeyError, AttributeError):
                is_line = False
            if not is_line:
                raise damaged(self.begun, number)
            kept.add(write_item(item_fields(raw)))
            tally.add(raw)
        return kept, tally

    @contextlib.contextmanager
    def appending(self) -> Iterator[IO[bytes]]:
        """The stream for further lines, without a buffer; on the disk at the end."""
        with write_errors(self.folder):
            stream = self.begun.open("ab", buffering=0)
        with stream:
            yield stream
            with write_errors(self.folder):
                os.fsync(stream.fileno())

    def complete(self, tally: Tally, seconds: float) -> None:
        """Rename the lines, which are all there, and note what they are."""
        with write_errors(self.folder):
            account = {
                "items": self.shard.sha256,
                "bytes": self.begun.stat().st_size,
                "sha256": file_hash(self.begun),
                "seconds": round(seconds, 3),
                "tally": tally.object(),
            }
            write_json(self._account, account)
            self.begun.replace(self.path)
            sync_folder(self.folder)

    def copy(self, target: IO[bytes], digest: hashlib._Hash) -> tuple[Tally, float]:
        """Append the lines to a file and to a hash; their tally, and the seconds they took."""
        account = read_json(self._account)
        own = hashlib.sha256()
        with self.path.open("rb") as stream:
            while block := stream.read(1 << 20):
                own.update(block)
                digest.update(block)
                target.write(block)
        known = account.get("sha256"), account.get("items")
        if known != (own.hexdigest(), self.shard.sha256):
            again = f"delete it, and score the shard {self.shard.number}/{self.shard.count} again"
            raise RunError(f"{self.path} was damaged or edited; {again}")
        return Tally(account["tally"]), account["seconds"]


def append(stream: IO[bytes], data: bytes, folder: Path) -> None:
    """Write all bytes; a RunError if the disk is full."""
    with write_errors(folder):
        left = memoryview(data)
        while left:
            left = left[stream.write(left) :]


@contextlib.contextmanager
def write_errors(folder: Path) -> Iterator[None]:
    """Turn the OSError of a write into a RunError with the remedy."""
    try:
        yield
    except OSError as error:
        raise RunError(
            f"{folder} cannot be written ({error.strerror or error}); what was scored is kept: "
            "make room or change the permissions, then repeat the command, with resume=True "
            "unless it added metrics or scored a shard"
        ) from None


def damaged(path: Path, line: int | None = None) -> RunError:
    """The error of a file with lines that are not those of its plan."""
    place = path if line is None else f"{path}:{line}"
    return RunError(f"{place} was damaged or edited; force=True replaces the run")


def _cut(path: Path) -> None:
    """Cut off an incomplete last line."""
    with path.open("rb+") as stream:
        end = stream.seek(0, os.SEEK_END)
        while end:
            start = max(end - (1 << 20), 0)
            stream.seek(start)
            found = stream.read(end - start).rfind(b"\n")
            if found >= 0:
                end = start + found + 1
                break
            end = start
        stream.truncate(end)
