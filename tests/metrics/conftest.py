"""Fixtures of the metrics: a WordNet of a dozen senses, written by hand, and tiny models."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ..tiny_weights import write_weights

SENSES = {
    "noun": [
        ["dog", "domestic_dog", "Canis_familiaris"],
        ["city", "metropolis", "urban_center"],
        ["car", "auto", "automobile"],
        ["pub", "saloon", "public_house"],
        ["goose"],
        ["Paris", "City_of_Light"],
    ],
    "verb": [["build", "construct", "make"], ["buy", "purchase"], ["run", "operate"]],
    "adj": [["big", "large(a)"], ["good", "well(p)", "fine"], ["asleep(p)", "at_peace"]],
    "adv": [["quickly", "rapidly", "fast"], ["well", "good"]],
}
EXCEPTIONS = {
    "noun": "geese goose\n",
    "verb": "bought buy\nbuilt build\nran run\n",
    "adj": "better good well\n",
    "adv": "best well\n",
}
LETTERS = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}
LICENCE = "  1 This WordNet was made for a test and says nothing about English.  \n"


def write_wordnet(folder: Path) -> Path:
    """The files a WordNet folder has, with the places of the senses where they are."""
    folder.mkdir(parents=True, exist_ok=True)
    for part, senses in SENSES.items():
        letter, data = LETTERS[part], LICENCE
        places: dict[str, list[str]] = {}
        for words in senses:
            place = len(data)
            listed = " ".join(f"{word} 0" for word in words)
            data += f"{place:08d} 03 {letter} {len(words):02x} {listed} 000 | a test  \n"
            for word in words:
                places.setdefault(word.partition("(")[0].lower(), []).append(f"{place:08d}")
        index = "".join(
            f"{word} {letter} {len(own)} 0 {len(own)} 0 {' '.join(own)}  \n"
            for word, own in sorted(places.items())
        )
        (folder / f"data.{part}").write_bytes(data.encode())
        (folder / f"index.{part}").write_bytes((LICENCE + index).encode())
        (folder / f"{part}.exc").write_bytes(EXCEPTIONS[part].encode())
    return folder


@pytest.fixture(scope="session")
def tiny_weights(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Weights of a few hundred numbers, for the tests that do not change them."""
    return str(write_weights(tmp_path_factory.mktemp("models") / "weights"))


@pytest.fixture
def tiny_wordnet(tmp_path: Path) -> Path:
    """A WordNet folder of our own."""
    return write_wordnet(tmp_path / "wordnet")


@pytest.fixture(scope="session")
def shared_wordnet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same, once for all tests that do not change it."""
    return write_wordnet(tmp_path_factory.mktemp("wordnet"))


@pytest.fixture(scope="session")
def system_wordnet() -> Path:
    """The real one, where this system has it."""
    from adequa.errors import SettingError
    from adequa.metrics.tokens import find_wordnet

    try:
        return find_wordnet(None)
    except SettingError as error:
        pytest.skip(f"no WordNet here: {error}")


@pytest.fixture(scope="session")
def nltk_wordnet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Path], Any]]:
    """NLTK's reader of a WordNet folder, the oracle."""
    import nltk
    from nltk.corpus import WordNetCorpusReader

    class Reader(WordNetCorpusReader):
        def map_wn(self, version: str = "wordnet") -> None:
            """It would look for another WordNet, to map senses between versions."""

    allowed = tmp_path_factory.mktemp("nltk")

    @cache
    def read(folder: Path) -> Any:
        copy = allowed / folder.name
        copy.mkdir(exist_ok=True)
        for file in folder.iterdir():
            if file.is_file():
                (copy / file.name).write_bytes(file.read_bytes())
        names = "".join(f"{number:02d}\tname{number}\t1\n" for number in range(45))
        (copy / "lexnames").write_text(names)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it says that it knows no other languages
            return Reader(str(copy), None)

    before = list(nltk.data.path)
    nltk.data.path.append(str(allowed))  # NLTK reads from where it was told to, and nowhere else
    yield read
    nltk.data.path[:] = before
