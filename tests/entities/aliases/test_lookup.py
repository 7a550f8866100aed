"""Aliases a user wrote down."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.entities.aliases.lookup import Dictionary, open_aliases
from adequa.errors import DataError


def written(tmp_path: Path, name: str, text: str | bytes) -> Path:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_tsv(tmp_path: Path) -> None:
    text = "# places\n\nKestrel_Bay\tthe Bay\tKB\t\r\nLumen Air\tLumen\n"
    text += "Kestrel Bay\tTHE BAY\tOld Bay\n"
    aliases = open_aliases(written(tmp_path, "a.tsv", text))
    assert aliases.of("Kestrel_Bay") == ("the Bay", "KB", "Old Bay")
    assert aliases.of("kestrel bay") == ("the Bay", "KB", "Old Bay")
    assert aliases.of("Lumen_Air") == ("Lumen",)
    assert aliases.of("Nowhere") == ()


def test_json_says_the_same_as_tsv(tmp_path: Path) -> None:
    table = open_aliases(written(tmp_path, "a.txt", "Bex\tBecs\nVaud\tWaadt\tPays de Vaud\n"))
    value = {"Bex": "Becs", "Vaud": ["Waadt", "Pays de Vaud"]}
    named = open_aliases(written(tmp_path, "a.json", json.dumps(value)))
    for entity in ("Bex", "Vaud"):
        assert table.of(entity) == named.of(entity) != ()
    assert table.content_hash() == named.content_hash()
    assert table.content_hash() != Dictionary([("Bex", ["Becs"])]).content_hash()


def test_an_entity_is_no_alias_of_itself(tmp_path: Path) -> None:
    aliases = open_aliases(
        written(tmp_path, "a.tsv", "Kestrel_Bay\tkestrel bay\tKestrel_Bay\tKB\n")
    )
    assert aliases.of("Kestrel_Bay") == ("KB",)


@pytest.mark.parametrize(
    ("name", "text", "place", "said"),
    [
        ("a.tsv", "Bex\tBecs\nVaud\n", ":2:", "has no alias; write entity, a tab"),
        ("a.tsv", "Bex\tBecs\n\tVaud\n", ":2:", "has no entity"),
        ("a.tsv", b"Bex\tBecs\nVaud\tW\xe4\n", ":2:", "is not UTF-8"),
        ("a.json", '{"Bex": ["Becs"],\n"Vaud" ["Waadt"]}', ":2:", "is not JSON"),
        ("a.json", '{"Bex": ["Becs"],\n"Vaud": 3}', ":2:", "the aliases of 'Vaud' are a number"),
        ("a.json", '{\n"Bex": ["Becs", null]}', ":2:", "an alias of 'Bex' is null"),
        ("a.json", '{\n"Bex": ["Becs", " "]}', ":2:", "an alias of 'Bex' is empty"),
        ("a.json", '{\n"": ["Becs"]}', ":2:", "an entity is empty"),
        ("a.json", '{"Bex": "a",\n"Bex": "b"}', ":2:", "names 'Bex' twice"),
        ("a.json", '["Bex"]', ":1:", "is a list, not an object"),
        ("a.json", '{"Bex": NaN}', "", "NaN is not a JSON number"),
        ("a.json", "[" * 100_000, "", "is nested too deeply"),
        ("a.json", '{"Bex": "\\ud800"}', "", "surrogate"),
        ("a.csv", "Bex,Becs\n", "", "has an ending (.csv) that is not a format of aliases"),
        ("a.nt.gz", "", "", "adequa aliases build"),
        ("a.sqlite", "Bex\tBecs\n", "", "is not an SQLite file; build it again"),
    ],
)
def test_wrong_files(tmp_path: Path, name: str, text: str | bytes, place: str, said: str) -> None:
    path = written(tmp_path, name, text)
    with pytest.raises(DataError) as caught:
        open_aliases(path)
    message = str(caught.value)
    assert message.startswith(f"{path}{place}")
    assert said in message
    assert caught.value.remedy


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be opened"):
        open_aliases(tmp_path / "a.tsv")


@given(st.dictionaries(st.text(max_size=8), st.lists(st.text(max_size=8), max_size=5), max_size=5))
def test_what_any_dictionary_answers(entries: dict[str, list[str]]) -> None:
    aliases = Dictionary(entries.items())
    for entity, texts in entries.items():
        found = aliases.of(entity)
        assert set(found) <= {text for values in entries.values() for text in values}
        folded = [" ".join(text.replace("_", " ").split()).casefold() for text in found]
        assert " ".join(entity.replace("_", " ").split()).casefold() not in folded
        assert len(found) == len(set(found))
        assert len(found) <= len(texts) or len(entries) > 1
    assert pickle.loads(pickle.dumps(aliases)).content_hash() == aliases.content_hash()
