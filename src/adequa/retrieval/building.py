"""Building an index: a stream in, bounded memory, and what a kill leaves can be continued.

The files grow by whole batches; the manifest says `building` until the last one stands. To resume,
the items are read from the beginning again, and must be those that are there already.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any, Literal, get_args

import numpy as np

from adequa.__about__ import __version__
from adequa.data import Item
from adequa.errors import DataError, SettingError
from adequa.retrieval.appending import Appender
from adequa.retrieval.encoding import Encoder, Kind, encode_items
from adequa.retrieval.folder import (
    FORMAT,
    GRAPH,
    ITEMS,
    MANIFEST,
    OFFSETS,
    SCALES,
    VECTORS,
    Index,
    item_line,
    open_index,
    read_manifest,
)
from adequa.retrieval.vectors import Stored, quantise
from adequa.run.folder import locked, write_json

__all__ = ["Numbers", "Progress", "build_index"]

Numbers = Literal["float32", "int8"]
Progress = Callable[[int], None]
"""Called with the items that are done."""

_FILES = (VECTORS, SCALES, ITEMS, OFFSETS, GRAPH)


def build_index(
    items: Iterable[Item],
    out: Path | str,
    encoder: Encoder,
    *,
    of: Kind = "texts",
    dtype: Numbers = "float32",
    approximate: bool = False,
    batch_size: int = 1024,
    resume: bool = False,
    force: bool = False,
    progress: Progress = lambda _done: None,
) -> Index:
    """Write the texts or the graphs of items to the folder `out`; empty texts are left out.

    `dtype="int8"` takes a quarter of the space; `approximate` adds a graph of neighbours (extra
    `retrieval`) for millions. Same items, same encoder: the same bytes.
    """
    out = Path(out)
    if of not in get_args(Kind):
        raise SettingError(f"an index is of texts or graphs, not {of!r}")
    if dtype not in get_args(Numbers):
        raise SettingError(f"vectors are float32 or int8, not {dtype!r}")
    if batch_size < 1:
        raise SettingError(f"a batch has one item or more, not {batch_size}")
    if approximate:
        from adequa.retrieval.approximate import check_installed

        check_installed()  # said now, not after hours of work
    plan = {
        "retrieval": FORMAT,
        "version": __version__,
        "status": "building",
        "of": of,
        "encoder": encoder.signature,
        "dtype": dtype,
        "approximate": approximate,
    }
    try:
        if _begin(out, plan, resume=resume, force=force):
            return open_index(out)
        wanted = (item for item in items if of == "graphs" or item.text.strip())
        with (out / ITEMS).open("ab+") as stream, locked(stream, out):
            count, dimension = _write(wanted, stream, out, encoder, of, dtype, batch_size, progress)
            _write_offsets(stream, out / OFFSETS)
        _finish(out, {**plan, "count": count, "dimension": dimension})
    except OSError as error:
        raise DataError(
            f"cannot be written ({error.strerror})", path=out, remedy="check the path and the disk"
        ) from None
    return open_index(out)


def _begin(out: Path, plan: dict[str, Any], *, resume: bool, force: bool) -> bool:
    """Make the folder, or look at what is in it; True where nothing is left to do."""
    if resume and (out / MANIFEST).is_file():
        begun = read_manifest(out)
        for name, value in plan.items():
            if name not in ("status", "version") and begun.get(name) != value:
                raise DataError(
                    f"was begun with another {name}: {begun.get(name)!r} then, {value!r} now",
                    path=out,
                    remedy="give the same, or --force to begin anew",
                )
        return bool(begun["status"] == "complete")
    if (out / MANIFEST).is_file():
        if not force:
            raise DataError(
                "is an index already", path=out, remedy="name another folder, or say --force"
            )
        # Removed rather than cut short: another process may have them mapped.
        for name in (MANIFEST, *_FILES):
            (out / name).unlink(missing_ok=True)
    elif out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise DataError(
            "is there and is no index", path=out, remedy="name a new or an empty folder"
        )
    out.mkdir(parents=True, exist_ok=True)
    write_json(out / MANIFEST, plan)
    return False


def _write(
    items: Iterator[Item],
    stream: IO[bytes],
    out: Path,
    encoder: Encoder,
    of: Kind,
    dtype: Numbers,
    batch_size: int,
    progress: Progress,
) -> tuple[int, int]:
    """Encode what is not there yet; gives how many items there are and the length of a vector."""
    first = next(items, None)
    if first is None:
        raise DataError(f"there are no {of} to index", path=out, remedy="is it the right input?")
    # The length of a vector is known once there is one.
    dimension = encode_items(encoder, [first], of).shape[1]
    items = chain([first], items)
    files = [Appender(out / VECTORS, dtype, dimension)]
    if dtype == "int8":
        files.append(Appender(out / SCALES, np.float32))
    try:
        count = _skip(items, stream, out, files)
        progress(count)
        while batch := list(islice(items, batch_size)):
            vectors = encode_items(encoder, batch, of)
            stream.write(b"".join(map(item_line, batch)))
            stream.flush()
            if dtype == "int8":
                rows, scales = quantise(vectors)
                files[0].append(rows)
                files[1].append(scales)
            else:
                files[0].append(vectors)
            count += len(batch)
            progress(count)
        os.fsync(stream.fileno())
        for file in files:
            file.finish()
    finally:
        for file in files:
            file.close()
    return count, dimension


def _skip(items: Iterator[Item], stream: IO[bytes], out: Path, files: Sequence[Appender]) -> int:
    """Pass over the items that all files have, cut off what only some have, and count them."""
    whole = min(file.rows for file in files)
    count = end = 0
    stream.seek(0)
    while count < whole and (line := stream.readline()).endswith(b"\n"):
        item = next(items, None)
        if item is None or item_line(item) != line:
            raise DataError(
                "was begun with other items",
                path=out / ITEMS,
                line=count + 1,
                remedy="give the same input, or --force to begin anew",
            )
        count += 1
        end += len(line)
    stream.truncate(end)
    for file in files:
        file.cut(count)
    return count


def _write_offsets(stream: IO[bytes], path: Path) -> None:
    path.unlink(missing_ok=True)
    offsets = Appender(path, np.uint64)
    end = 0
    offsets.append(np.array([0]))
    stream.seek(0)
    while lines := list(islice(stream, 4096)):
        ends = end + np.cumsum([len(line) for line in lines])
        offsets.append(ends)
        end = int(ends[-1])
    offsets.finish()


def _finish(out: Path, manifest: dict[str, Any]) -> None:
    if manifest["approximate"]:
        from adequa.retrieval.approximate import build_graph

        scales = np.load(out / SCALES, mmap_mode="r") if manifest["dtype"] == "int8" else None
        build_graph(Stored(np.load(out / VECTORS, mmap_mode="r"), scales), out / GRAPH)
    sizes = {name: (out / name).stat().st_size for name in _FILES if (out / name).exists()}
    write_json(out / MANIFEST, {**manifest, "status": "complete", "files": sizes})
