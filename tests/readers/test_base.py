"""Files with one item per line."""

from __future__ import annotations

from pathlib import Path

import pytest

from adequa.data import Triple
from adequa.errors import DataError
from adequa.readers import open_source
from adequa.readers.base import LinesReader


def test_the_line_is_the_id(tmp_path: Path) -> None:
    path = tmp_path / "graphs.txt"
    path.write_bytes("A | p | B<br>A | q | C\r\n[S] D [P] r [O] É".encode())
    placed = list(LinesReader().read(path, bare=True))
    assert [(place.item.id, place.line, place.item.text) for place in placed] == [
        ("1", 1, ""),
        ("2", 2, ""),
    ]
    assert placed[0].item.triples == (Triple("A", "p", "B"), Triple("A", "q", "C"))
    assert placed[1].item.triples == (Triple("D", "r", "É"),)


def test_without_texts_it_says_how_to_give_them(tmp_path: Path) -> None:
    path = tmp_path / "graphs.txt"
    path.write_text("A | p | B\n")
    with pytest.raises(DataError, match=r"texts=\{system: file\}"):
        list(LinesReader().read(path))


@pytest.mark.parametrize("line", ["", "words", "A | p", "[S] A"])
def test_a_line_that_is_no_graph_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "graphs.txt"
    path.write_text(f"A | p | B\n{line}\nC | q | D\n")
    with pytest.raises(DataError) as caught:
        list(LinesReader().read(path, bare=True))
    assert (caught.value.path, caught.value.line) == (path, 2)


def test_texts_come_line_by_line(tmp_path: Path) -> None:
    graphs, texts = tmp_path / "graphs.txt", tmp_path / "mine.txt"
    graphs.write_text("A | p | B\nC | q | D\n")
    texts.write_text("One.\n")
    with pytest.raises(DataError, match="1 line too few"):
        list(open_source(graphs, texts={"mine": texts}))
    texts.write_text("One.\n\n")
    assert [item.text for item in open_source(graphs, texts={"mine": texts})] == ["One.", ""]


@pytest.mark.data
def test_the_sample_of_2017(data_dir: Path) -> None:
    folder = data_dir / "webnlg2017" / "human"
    items = [place.item for place in LinesReader().read(folder / "MRs.txt", bare=True)]
    assert len(items) == 223
    written = (folder / "MRs.txt").read_text(encoding="utf-8").splitlines()
    assert ["<br>".join(" | ".join(t) for t in item.triples) for item in items] == written
