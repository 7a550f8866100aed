"""WordNet from a folder: NLTK's reader is the oracle."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from adequa.errors import DataError, SettingError
from adequa.metrics import wordnet
from adequa.metrics.wordnet import find_wordnet, fingerprint, open_wordnet

WORDS = (
    *("dog", "dogs", "city", "cities", "cars", "goose", "geese", "paris", "pubs", "built"),
    *("builds", "building", "bought", "making", "ran", "runs", "bigger", "biggest", "better"),
    *("best", "well", "asleep", "quickly", "fine", "nothing", "", "domestic_dog", "\ud800", "é"),
)


def synonyms_by(oracle: Any, word: str) -> frozenset[str]:
    lemmas = (lemma.name() for sense in oracle.synsets(word) for lemma in sense.lemmas())
    return frozenset(lemma for lemma in lemmas if "_" not in lemma)


def test_synonyms_of_inflected_words(shared_wordnet: Path) -> None:
    known = open_wordnet(shared_wordnet).synonyms
    assert known("cities") == {"city", "metropolis"}
    assert known("bought") == {"buy", "purchase"}
    assert known("geese") == {"goose"}
    assert known("larger") == {"big", "large"}
    assert known("well") == {"good", "well", "fine"}
    assert known("better") == {"good", "well", "fine"}
    assert known("paris") == {"Paris"}
    assert known("automobiles") == {"car", "auto", "automobile"}
    assert known("nothing") == frozenset()
    assert known("x" * 1000) == frozenset()


@pytest.mark.parametrize("word", [word for word in WORDS if word != "\ud800"])
def test_our_own_wordnet_as_nltk_reads_it(
    word: str, shared_wordnet: Path, nltk_wordnet: Callable[[Path], Any]
) -> None:
    assert open_wordnet(shared_wordnet).synonyms(word) == synonyms_by(
        nltk_wordnet(shared_wordnet), word
    )


def test_half_a_character_is_in_no_wordnet(shared_wordnet: Path) -> None:
    assert open_wordnet(shared_wordnet).synonyms("\ud800s") == frozenset()


def test_the_real_wordnet_as_nltk_reads_it(
    system_wordnet: Path, nltk_wordnet: Callable[[Path], Any]
) -> None:
    oracle, known = nltk_wordnet(system_wordnet), open_wordnet(system_wordnet).synonyms
    lines = (system_wordnet / "index.noun").read_text().splitlines()[40::400]
    lines += (system_wordnet / "index.verb").read_text().splitlines()[40::60]
    lines += (system_wordnet / "index.adj").read_text().splitlines()[40::100]
    roots = [line.split(" ", 1)[0] for line in lines]
    for root in roots:
        for ending in ("", "s", "es", "ed", "ing", "er"):
            assert known(root + ending) == synonyms_by(oracle, root + ending)


def test_threads_share_one(shared_wordnet: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(lambda _: open_wordnet(shared_wordnet).synonyms("cities"), range(64)))
    assert found == {frozenset({"city", "metropolis"})}


def test_a_wordnet_that_changes_is_read_again(tiny_wordnet: Path) -> None:
    before = fingerprint(tiny_wordnet)
    assert open_wordnet(tiny_wordnet).synonyms("mice") == frozenset()
    with (tiny_wordnet / "noun.exc").open("a") as stream:
        stream.write("mice dog\n")
    assert open_wordnet(tiny_wordnet).synonyms("mice") == {"dog"}
    assert fingerprint(tiny_wordnet) != before


def test_a_fingerprint_is_of_wordnets_files_alone(tiny_wordnet: Path) -> None:
    before = fingerprint(tiny_wordnet)
    (tiny_wordnet / "README").write_text("not ours")
    assert fingerprint(tiny_wordnet) == before


def test_where_it_is_looked_for(
    tiny_wordnet: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wordnet, "_PLACES", ())
    monkeypatch.delenv("WNSEARCHDIR", raising=False)
    monkeypatch.delenv("WNHOME", raising=False)
    with pytest.raises(SettingError, match=r"wordnet-base.*meteor:wordnet=.*synonyms=false"):
        find_wordnet(None)
    monkeypatch.setenv("WNSEARCHDIR", str(tiny_wordnet))
    assert find_wordnet(None) == tiny_wordnet
    monkeypatch.delenv("WNSEARCHDIR")
    (tmp_path / "home").mkdir()
    tiny_wordnet.rename(tmp_path / "home" / "dict")
    monkeypatch.setenv("WNHOME", str(tmp_path / "home"))
    assert find_wordnet(None) == tmp_path / "home" / "dict"
    assert find_wordnet(tmp_path / "home") == tmp_path / "home" / "dict"
    with pytest.raises(SettingError, match=r"is no WordNet folder: it has no index\.noun"):
        find_wordnet(tmp_path)


@pytest.mark.parametrize(
    ("name", "old", "new", "named"),
    [
        ("index.noun", b"dog n 1 0 1 0 ", b"dog n 1 0 1 0 9", "data.noun"),
        ("index.noun", b"dog n 1 0 1 0 ", b"dog n 1 0 1 0 -", "data.noun"),
        ("index.noun", b"dog n 1 0 1 0 ", b"dog n 1 0 1 0 x", "index.noun"),
        ("index.noun", b"dog n 1 0", b"dog n many 0", "index.noun"),
        ("index.noun", b"dog n 1 0 1 0 ", b"dog n 0 0 1 0 ", "index.noun"),
        ("data.noun", b" 03 n 03 dog", b" 03 n zz dog", "data.noun"),
        ("data.noun", b" 03 n 03 dog", b" 03 n 33 dog", "data.noun"),
        ("data.noun", b"dog 0", b"\xff\xfeg 0", "data.noun"),
        ("data.noun", b"  1 This", b"  This", "data.noun"),
    ],
)
def test_damage_is_named(name: str, old: bytes, new: bytes, named: str, tiny_wordnet: Path) -> None:
    path = tiny_wordnet / name
    assert old in path.read_bytes()
    path.write_bytes(path.read_bytes().replace(old, new, 1))
    with pytest.raises(DataError, match=rf"{named}: .* not as WordNet writes it; install"):
        open_wordnet(tiny_wordnet).synonyms("dogs")


def test_an_empty_file_is_damage_too(tiny_wordnet: Path) -> None:
    (tiny_wordnet / "data.noun").write_bytes(b"")
    with pytest.raises(DataError, match=r"data\.noun"):
        open_wordnet(tiny_wordnet).synonyms("dog")
