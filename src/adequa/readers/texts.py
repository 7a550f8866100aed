"""Line-aligned system outputs: line i is the text of item i."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from adequa.errors import DataError, SettingError
from adequa.readers.base import Placed, lines

__all__ = ["align", "check_lengths", "count_lines", "parse_texts"]


def parse_texts(pairs: Iterable[str]) -> dict[str, Path]:
    """`SYSTEM=FILE` as the command line takes it; a plain FILE is named by its stem."""
    texts: dict[str, Path] = {}
    for pair in pairs:
        system, equals, file = pair.partition("=")
        path = Path(file if equals else pair)
        system = system.strip() if equals else path.stem
        if not system or not str(path):
            raise SettingError(f"--texts {pair!r} is not SYSTEM=FILE")
        if system in texts:
            raise SettingError(f"--texts names the system {system!r} twice; rename one")
        texts[system] = path
    return texts


def count_lines(path: Path) -> int:
    """How many lines there are, whether or not the last one ends; reads all, so all errors show."""
    number = 0
    for number, _ in lines(path):  # noqa: B007
        pass
    return number


def check_lengths(path: Path, found: int, wanted: int) -> None:
    """Raise where a file has not one line an item; says how many are too few or too many."""
    if found == wanted:
        return
    few = found < wanted
    difference = abs(found - wanted)
    noun = "line" if difference == 1 else "lines"
    raise DataError(
        f"has {found} lines for {wanted} items: {difference} {noun} too {'few' if few else 'many'}",
        path=path,
        line=min(found, wanted) + 1,
        remedy="line i is the text of item i; an empty text is an empty line",
    )


def align(items: Iterable[Placed], system: str, path: Path) -> Iterator[Placed]:
    """Each item with the line of `path` at its place as its text, under the name of the system."""
    for placed, (number, text) in zip(items, lines(path), strict=True):
        yield Placed(replace(placed.item, system=system, text=text), path, number)
