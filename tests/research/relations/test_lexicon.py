"""The lexicon: wordings of the training relations, near misses, and its file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from adequa.data import Item, Triple
from adequa.errors import DataError
from adequa.perturb import read_documents
from research.relations.lexicon import (
    build_lexicon,
    inverse_names,
    near_names,
    read_lexicon,
    read_synonyms,
    write_lexicon,
)

from .tiny import LEXICON, write_data


def vectors(*angles: float) -> np.ndarray:
    return np.array([[np.cos(one), np.sin(one)] for one in angles], dtype=np.float32)


def test_wordings_come_from_right_answers_and_single_triples(tmp_path: Path) -> None:
    data = write_data(tmp_path / "data")
    town = Item("1", (Triple("Vexla", "riverCrossed", "Kelda"),), "Kelda crosses Vexla.")
    lexicon = build_lexicon(
        data / "relations",
        list(read_documents([town])),
        lambda texts: vectors(*np.linspace(0, 3, len(texts))),
    )
    assert lexicon["author"].wordings == ("{o} wrote {s}.", "{s} is by {o}.")
    assert lexicon["author"].inverse == ("wrote", "author of")
    assert lexicon["river crossed"].wordings == ("{o} crosses {s}.",)
    assert "leader" in lexicon
    assert not {"crosses", "mouth", "use"} & lexicon.keys()


def test_near_names_are_alike_but_not_too_much() -> None:
    names = ["author", "writer", "critic", "editor", "painter", "author of", "mass"]
    # Cosines to the first: .99, .89, .88, .86, .85 (same word), .1.
    alike = vectors(0, 0.14, 0.47, 0.49, 0.53, 0.55, 1.47)
    assert near_names(names, alike)["author"] == ("painter",)


def test_the_two_nearest_names_are_left_out() -> None:
    names = [f"{letter * 5}" for letter in "abcde"]
    alike = vectors(0, 0.5, 0.52, 0.54, 0.56)
    assert near_names(names, alike)["aaaaa"] == ("ddddd", "eeeee")


def test_inverse_names_ignore_case() -> None:
    assert inverse_names("Author ") == ("wrote", "author of")
    assert inverse_names("unknown") == ()


def test_a_lexicon_can_be_written_and_read(tmp_path: Path) -> None:
    write_lexicon(tmp_path / "lexicon.json", LEXICON)
    assert read_lexicon(tmp_path / "lexicon.json") == LEXICON


@pytest.mark.parametrize("content", ["", "[{}]", '[{"name": 1}]', "3"])
def test_another_file_is_refused_with_a_remedy(tmp_path: Path, content: str) -> None:
    path = tmp_path / "lexicon.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(DataError, match="is not a lexicon"):
        read_lexicon(path)


def test_synonyms_are_other_names_and_names_of_the_inverse() -> None:
    found = read_synonyms()
    assert "born in" in found["birthPlace"].names
    assert "birthplace of" in found["birthPlace"].inverses
    assert not found["birthDate"].inverses
    assert all(own.names and relation not in own.names for relation, own in found.items())
