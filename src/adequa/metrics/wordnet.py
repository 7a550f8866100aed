"""Synonyms from a WordNet folder: `index.*`, `data.*` and `*.exc` as Princeton writes them."""

from __future__ import annotations

import hashlib
import mmap
import os
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from adequa.errors import DataError, SettingError
from adequa.files import open_bytes

_PLACES = (
    "/usr/share/wordnet",
    "/usr/local/share/wordnet",
    "/usr/share/wordnet/dict",
    "/usr/local/WordNet-3.0/dict",
    "/opt/homebrew/opt/wordnet/dict",
)
_ENDINGS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "noun": (
        ("s", ""),
        ("ses", "s"),
        ("ves", "f"),
        ("xes", "x"),
        ("zes", "z"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("men", "man"),
        ("ies", "y"),
    ),
    "verb": (
        ("s", ""),
        ("ies", "y"),
        ("es", "e"),
        ("es", ""),
        ("ed", "e"),
        ("ed", ""),
        ("ing", "e"),
        ("ing", ""),
    ),
    "adj": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "adv": (),
}
"""Endings and what they stand for, by part of speech: WordNet's own rules of detachment."""

_FILES = tuple(f"{kind}.{part}" for part in _ENDINGS for kind in ("index", "data")) + tuple(
    f"{part}.exc" for part in _ENDINGS
)

_LONGEST = 100
"""Whatever is longer is no English word, and would only fill the memory."""


def find_wordnet(named: Path | None) -> Path:
    """The folder with WordNet's files: the one named, or the one this system has."""
    if named is not None:
        for folder in (named, named / "dict"):
            if _is_wordnet(folder):
                return folder
        missing = next(name for name in _FILES if not (named / name).is_file())
        raise SettingError(
            f"{named} is no WordNet folder: it has no {missing}; name the folder with "
            "index.noun, data.noun, noun.exc and so on (Debian: /usr/share/wordnet)"
        )
    for folder in _usual_places():
        if _is_wordnet(folder):
            return folder
    raise SettingError(
        "meteor needs WordNet and finds none: install it (Debian: apt install wordnet-base), or "
        "name its folder, meteor:wordnet=FOLDER, or do without, meteor:synonyms=false"
    )


def _usual_places() -> Iterator[Path]:
    if searched := os.environ.get("WNSEARCHDIR"):
        yield Path(searched)
    if home := os.environ.get("WNHOME"):
        yield Path(home) / "dict"
    yield from map(Path, _PLACES)


def _is_wordnet(folder: Path) -> bool:
    return all((folder / name).is_file() for name in _FILES)


def fingerprint(folder: Path) -> str:
    """The first 12 digits of the sha256 of the files that are used, and of no others."""
    digest = hashlib.sha256()
    for name in _FILES:
        digest.update(name.encode() + b"\0")
        with open_bytes(folder / name) as stream:
            while block := stream.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()[:12]


def open_wordnet(folder: Path) -> WordNet:
    """The WordNet of a folder, read once while its files stay as they are."""
    stamp = tuple(
        (status.st_mtime_ns, status.st_size)
        for status in ((folder / name).stat() for name in _FILES)
    )
    return _open(folder, stamp)


@lru_cache(maxsize=4)
def _open(folder: Path, stamp: object) -> WordNet:
    del stamp  # part of the key
    return WordNet(folder)


class WordNet:
    """Looks up words; safe to share between threads, for nothing changes after it is made."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._index = {part: self._lines(f"index.{part}") for part in _ENDINGS}
        self._exceptions = {part: self._lines(f"{part}.exc") for part in _ENDINGS}
        self._data = {part: _map(folder / f"data.{part}") for part in _ENDINGS}
        self._remembered = lru_cache(maxsize=1 << 16)(self._synonyms)

    def synonyms(self, word: str) -> frozenset[str]:
        """The one-word lemmas, as spelt in WordNet, of all senses of a word in lower case."""
        return frozenset() if len(word) > _LONGEST else self._remembered(word)

    def _lines(self, name: str) -> dict[bytes, bytes]:
        """The lines of a file by their first word, parsed when they are wanted."""
        with open_bytes(self._folder / name) as stream:
            raw = stream.read()
        # The licence at the top is indented.
        lines = (line for line in raw.splitlines() if line and not line.startswith(b" "))
        return {line.partition(b" ")[0]: line for line in lines}

    def _synonyms(self, word: str) -> frozenset[str]:
        found: set[str] = set()
        for part in _ENDINGS:
            for lemma in self._lemmas(word, part):
                for place in self._places(lemma, part):
                    found.update(self._members(part, place))
        return frozenset(found)

    def _lemmas(self, word: str, part: str) -> list[bytes]:
        """The base forms of an inflected word: from the exceptions, or by the rules."""
        form = _bytes(word)
        exception = self._exceptions[part].get(form)
        if exception is not None:
            forms = exception.split()[1:]
        else:
            forms = [
                _bytes(word.removesuffix(old) + new)
                for old, new in _ENDINGS[part]
                if word.endswith(old)
            ]
        index = self._index[part]
        return [lemma for lemma in dict.fromkeys([form, *forms]) if lemma in index]

    def _places(self, lemma: bytes, part: str) -> list[int]:
        """Where the senses of a lemma stand in the data file."""
        columns = self._index[part][lemma].split()
        try:
            senses = int(columns[2])
            places = [int(column) for column in columns[len(columns) - senses :]]
        except (IndexError, ValueError):
            places = []
        if not places:
            raise self._damaged(f"index.{part}", f"the line of {lemma.decode(errors='replace')!r}")
        return places

    def _members(self, part: str, place: int) -> list[str]:
        """The one-word lemmas of a sense, without the markers of an adjective's position."""
        data = self._data[part]
        end = data.find(b"\n", place)
        columns = data[place : end if end >= 0 else len(data)].split()
        try:
            count = int(columns[3], 16)
            words = [columns[4 + 2 * number].decode() for number in range(count)]
        except (IndexError, ValueError):
            words = []
        if not words or columns[0] != b"%08d" % place:
            raise self._damaged(f"data.{part}", f"what stands at byte {place}")
        return [word.partition("(")[0] for word in words if "_" not in word]

    def _damaged(self, name: str, what: str) -> DataError:
        return DataError(
            f"{what} is not as WordNet writes it",
            path=self._folder / name,
            remedy="install WordNet again",
        )


def _bytes(word: str) -> bytes:
    # A text made in Python can hold half of a surrogate pair, which is simply not in WordNet.
    return word.encode(errors="surrogatepass")


def _map(path: Path) -> bytes | mmap.mmap:
    """The bytes of a file, brought in as they are touched."""
    with open_bytes(path) as stream:
        try:
            return mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
        except (ValueError, OSError):  # empty, or a file system that cannot map
            stream.seek(0)
            return stream.read()
