"""Passages: DPR's table, JSON lines, and pieces of so many words."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.data import Item, Triple
from adequa.errors import DataError, SettingError
from adequa.readers import load_reader, open_source
from adequa.readers.formats import recognise
from research.corpora.passages import Passage, PassagesReader, chunks

TABLE = 'id\ttext\ttitle\n1\t"The ""Ilm"" is a river."\tIlm (river)\n2\tIt is long.\tIlm (river)\n'


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_a_table_as_dpr_has_it(tmp_path: Path) -> None:
    path = write(tmp_path / "psgs.tsv", TABLE)
    assert recognise(path) == "passages"
    assert list(PassagesReader().passages(path)) == [
        Passage("1", "Ilm (river)", 'The "Ilm" is a river.', 2),
        Passage("2", "Ilm (river)", "It is long.", 3),
    ]
    title = (Triple("Ilm (river)", "title", "Ilm (river)"),)
    assert list(open_source(path)) == [
        Item("1", title, 'The "Ilm" is a river.'),
        Item("2", title, "It is long."),
    ]


def test_quotes_may_be_signs_like_others(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tsv", 'id\ttext\ttitle\n1\t"Ilm" is a river.\tIlm\n')
    (passage,) = PassagesReader(quotes=False).passages(path)
    assert passage.text == '"Ilm" is a river.'
    with pytest.raises(DataError, match="quote"):
        list(PassagesReader().passages(path))


def test_json_lines_keep_what_else_they_have(tmp_path: Path) -> None:
    line = '{"_id": 7, "title": "Ilm", "text": "", "metadata": {"url": "x"}}'
    path = write(tmp_path / "a.jsonl", line + "\n\n")
    assert recognise(path) == "passages"
    (passage,) = PassagesReader().passages(path)
    assert passage == Passage("7", "Ilm", "", 1, {"metadata": {"url": "x"}})


def test_a_page_is_cut_into_pieces(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", '{"id": "p", "title": "T", "text": " a b  c\\nd e "}')
    reader = load_reader("passages", words="2")
    assert [(place.item.id, place.item.text) for place in reader.read(path)] == [
        ("p/1", "a b"),
        ("p/2", "c\nd"),
        ("p/3", "e"),
    ]
    with pytest.raises(SettingError, match="words is 1 or more"):
        load_reader("passages", words="0")


@given(st.text(alphabet="ab \n", max_size=60), st.integers(1, 7))
def test_pieces_hold_every_word_once_in_order(text: str, words: int) -> None:
    pieces = list(chunks(text, words))
    assert [word for piece in pieces for word in piece.split()] == text.split()
    assert all(piece in text for piece in pieces)
    assert all(len(piece.split()) == words for piece in pieces[:-1])
    assert all(1 <= len(piece.split()) <= words for piece in pieces)


@pytest.mark.parametrize(
    ("name", "content", "says", "line"),
    [
        ("a.tsv", "id\ttitle\n1\tT\n", "has no 'text'", 2),
        ("a.tsv", "id\ttext\ttitle\n1\tx\n", "has 2 cells for 3 columns", 2),
        ("a.tsv", "id\ttext\ttitle\n\tx\tT\n", "'id' is empty", 2),
        ("a.tsv", "id\ttext\ttitle\n1\tx\t\n", "'title' is empty", 2),
        ("a.jsonl", '{"text": "x", "title": "T"}', "has no 'id'", 1),
        ("a.jsonl", '{"id": "1", "title": "T", "text": null}', "'text' is null", 1),
        ("a.jsonl", '{"id": "1", "title": "T", "text": "x"}\n[]', "is a list, not an object", 2),
        ("a.jsonl", "{", "is not JSON", 1),
    ],
)
def test_what_is_wrong_is_said(
    name: str, content: str, says: str, line: int, tmp_path: Path
) -> None:
    path = write(tmp_path / name, content)
    with pytest.raises(DataError, match=says) as caught:
        list(PassagesReader().read(path))
    assert (caught.value.path, caught.value.line) == (path, line)
