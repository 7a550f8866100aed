"""What is indexed and measured, out of each kind of input."""

from __future__ import annotations

from pathlib import Path

import pytest

from adequa.errors import DataError
from adequa.retrieval import read_documents, read_entries

ENTRIES = """<benchmark><entries>
<entry category="City" eid="Id1" size="1">
<modifiedtripleset><mtriple>Bex | country | Vaudland</mtriple></modifiedtripleset>
<lex lid="Id1"></lex><lex lid="Id2">Bex is in Vaudland.</lex><lex lid="Id3">In it is Bex.</lex>
</entry>
<entry category="City" eid="Id2" size="1">
<modifiedtripleset><mtriple>Ull | country | Norn</mtriple></modifiedtripleset>
<lex lid="Id1">Ull is in Norn.</lex></entry>
<entry category="City" eid="Id3" size="1">
<modifiedtripleset><mtriple>Orm | country | Norn</mtriple></modifiedtripleset>
<lex lid="Id1"> </lex></entry>
</entries></benchmark>"""
RESTAURANTS = """mr,ref
"name[Loch Fyne], area[riverside]",Loch Fyne is at the river.
"name[Bibimbap House], area[city centre]",Bibimbap House is in the centre.
"name[Loch Fyne], area[riverside]",By the river: Loch Fyne.
"""
LINES = """{"id": "1", "system": "a", "triples": [["s", "p", "o"]], "text": "S is o."}
{"id": "1", "system": "b", "triples": [["s", "p", "o"]], "text": ""}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "entries.xml").write_text(ENTRIES, encoding="utf-8")
    (tmp_path / "e2e.csv").write_text(RESTAURANTS, encoding="utf-8")
    (tmp_path / "items.jsonl").write_text(LINES, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_an_entry_is_a_graph_with_its_first_text() -> None:
    entries = read_entries("entries.xml")
    assert [(item.id, item.text) for item in entries] == [
        ("Id1", "Bex is in Vaudland."),
        ("Id2", "Ull is in Norn."),
    ]
    assert [item.text for item in read_entries("e2e.csv", format="e2e")] == [
        "Loch Fyne is at the river.",
        "Bibimbap House is in the centre.",
    ]


def test_other_items_are_taken_as_they_are() -> None:
    assert [(item.system, item.text) for item in read_entries("items.jsonl")] == [("a", "S is o.")]


def test_nothing_to_measure_on(folder: Path) -> None:
    (folder / "items.jsonl").write_text(LINES.splitlines()[1], encoding="utf-8")
    with pytest.raises(DataError, match=r"items.jsonl: has no texts"):
        read_entries("items.jsonl")


def test_texts_are_indexed_each_and_graphs_once() -> None:
    texts = [item.id for item in read_documents("entries.xml", "texts")]
    assert texts == ["Id1/Id1", "Id1/Id2", "Id1/Id3", "Id2/Id1", "Id3/Id1"]
    assert [item.id for item in read_documents("entries.xml", "graphs")] == ["Id1", "Id2", "Id3"]
    assert len(list(read_documents("items.jsonl", "graphs"))) == 2


def test_texts_need_no_triples_and_graphs_no_texts(folder: Path) -> None:
    (folder / "texts.txt").write_text("One text.\n\nAnother.\n", encoding="utf-8")
    found = [(item.id, item.text) for item in read_documents("texts.txt", "texts")]
    assert found == [("1", "One text."), ("3", "Another.")]
    (folder / "texts.jsonl").write_text('{"id": 7, "text": "One."}\n', encoding="utf-8")
    (item,) = read_documents("texts.jsonl", "texts")
    assert (item.id, item.text, item.triples) == ("7", "One.", ())
    (folder / "graphs.jsonl").write_text('{"id": 7, "triples": "s | p | o"}\n', encoding="utf-8")
    (item,) = read_documents("graphs.jsonl", "graphs")
    assert item.triples == (("s", "p", "o"),)
    (folder / "graphs.txt").write_text("s | p | o\n", encoding="utf-8")
    assert [item.id for item in read_documents("graphs.txt", "graphs", format="lines")] == ["1"]


def test_a_folder_of_files(folder: Path) -> None:
    (folder / "more").mkdir()
    for name in ("a", "b"):
        (folder / "more" / f"{name}.jsonl").write_text(
            f'{{"id": "{name}", "triples": "s | p | {name}", "text": "{name}."}}\n',
            encoding="utf-8",
        )
    for of in ("texts", "graphs"):
        assert [item.id for item in read_documents("more", of)] == ["a", "b"]


def test_wrong_lines_are_named(folder: Path) -> None:
    (folder / "bad.jsonl").write_text('{"id": "1", "text": "a"}\n{"id": "2"}\n', encoding="utf-8")
    with pytest.raises(DataError, match=r"bad.jsonl:2: has no 'text'"):
        list(read_documents("bad.jsonl", "texts"))
    (folder / "twice.jsonl").write_text('{"id": "1", "text": "a"}\n' * 2, encoding="utf-8")
    with pytest.raises(DataError, match=r"twice.jsonl:2:"):
        list(read_documents("twice.jsonl", "texts"))
