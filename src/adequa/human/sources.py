"""Ratings and names of raters as a command line gives them, and a command line to give back."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path

from adequa.errors import DataError
from adequa.readers.base import lines

__all__ = ["command", "named_raters", "rating_files"]


def rating_files(paths: Iterable[Path]) -> list[Path]:
    """The files of ratings; a campaign's folder stands for the `ratings.jsonl` in it."""
    files = []
    for path in paths:
        if not path.is_dir():
            files.append(path)
            continue
        if not (path / "ratings.jsonl").is_file():
            kind = "campaign without" if (path / "campaign.json").is_file() else "folder without"
            raise DataError(
                f"is a {kind} ratings.jsonl",
                path=path,
                remedy="export the campaign's answers first, or name the file of ratings",
            )
        files.append(path / "ratings.jsonl")
    return files


def named_raters(values: Iterable[str]) -> list[str]:
    """Names as given, and for `@FILE` those of the file, one a line, blank lines left out.

    A name that begins with @ is given with two: `@@ann`.
    """
    names: list[str] = []
    for value in values:
        if value.startswith("@@"):
            names.append(value[1:])
        elif value.startswith("@") and len(value) > 1:
            names += [line for _, line in lines(Path(value[1:])) if line.strip()]
        else:
            names.append(value)
    return sorted(set(names))


def command(words: Sequence[str]) -> str:
    """A command as a shell reads it, also where a name holds what no terminal should be sent."""
    return " ".join(
        shlex.quote(word)
        if word.isprintable()
        else "$'" + "".join(_shell_character(one) for one in word) + "'"
        for word in words
    )


def _shell_character(character: str) -> str:
    if character.isprintable():
        return f"\\{character}" if character in "\\'" else character
    return f"\\U{ord(character):08x}"
