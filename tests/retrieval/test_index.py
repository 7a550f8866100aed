"""An index on disk: built, opened, continued after a kill, and refused where it is not right."""

from __future__ import annotations

import json
import sys
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adequa.data import Item, Term, Triple
from adequa.errors import DataError, MissingExtra, ModelError, RunError, SettingError
from adequa.retrieval import Index, build_index, open_index, read_documents, read_entries, search
from adequa.retrieval.index import ITEMS, MANIFEST, VECTORS

KINDS = ["texts", "graphs"]


def _bytes(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("of", KINDS)
@pytest.mark.parametrize("dtype", ["float32", "int8"])
def test_each_finds_its_own(of: Any, dtype: Any, items: Any, words: Any, tmp_path: Path) -> None:
    build_index(items, tmp_path / "index", words, of=of, dtype=dtype, batch_size=7)
    index = open_index(tmp_path / "index")
    assert (len(index), index.of, index.vectors.rows.dtype) == (30, of, dtype)
    asked = [item.triples if of == "texts" else item.text for item in items]
    found = search(index, asked, words, k=3)
    assert [hits[0].item.id for hits in found] == [item.id for item in items]
    assert {hit.item.id for hit in found[4]} == {"Id3", "Id4", "Id5"}  # the same lake
    assert found[0][0].cosine == found[0][0].score > found[0][1].score


def test_items_come_back_as_far_as_a_search_needs_them(words: Any, tmp_path: Path) -> None:
    item = Item(
        "Ä/1",
        (Triple("x1", "p", "y\nz"),),
        "Ein Text\nmit Zeilen  ",
        "T5",
        "City",
        "de",
        ("left out",),
        {"x1": Term(label="Ümlaut")},
        {"left": "out"},
    )
    index = build_index([item, item], tmp_path / "index", words)
    assert index.item(1) == replace(item, references=(), meta={})
    (hit,) = search(index, ["text"], words, k=1)[0]
    assert hit.item.id == "Ä/1"


def test_labels_are_encoded_in_place_of_names(words: Any, tmp_path: Path) -> None:
    graph = Item("1", (Triple("Q1", "P2", "Q3"),), "", terms={"Q1": Term(label="Kestrel Bay")})
    index = build_index([graph], tmp_path / "index", words, of="graphs")
    (hit,) = search(index, ["Kestrel Bay"], words)[0]
    assert hit.cosine == pytest.approx((2 / 4) ** 0.5)


def test_empty_texts_are_left_out_and_nothing_is_an_error(
    items: Any, words: Any, tmp_path: Path
) -> None:
    index = build_index([Item("1", (), " "), items[0]], tmp_path / "index", words)
    assert [index.item(place).id for place in range(len(index))] == ["Id0"]
    with pytest.raises(DataError, match="no texts to index"):
        build_index([Item("1", (), "")], tmp_path / "none", words)


class Killed(Exception):
    pass


@pytest.mark.parametrize("dtype", ["float32", "int8"])
@pytest.mark.parametrize("torn", [False, True])
def test_a_killed_build_is_continued_to_the_same_bytes(
    torn: bool, dtype: Any, items: Any, words: Any, tmp_path: Path
) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    build_index(items, whole, words, dtype=dtype, batch_size=4)

    def until(count: int) -> Iterator[Item]:
        yield from items[:count]
        raise Killed

    with pytest.raises(Killed):
        build_index(until(14), broken, words, dtype=dtype, batch_size=4)
    if torn:
        with (broken / ITEMS).open("ab") as stream:
            stream.write(b'{"id": "half')
        with (broken / VECTORS).open("rb+") as stream:
            stream.truncate((broken / VECTORS).stat().st_size - 5)
    with pytest.raises(DataError, match=r"not finished; complete it with .* resume=True"):
        open_index(broken)
    words.batches.clear()
    build_index(items, broken, words, dtype=dtype, batch_size=4, resume=True)
    assert _bytes(broken) == _bytes(whole)
    assert sum(words.batches) == 1 + 30 - (11 if torn else 12)  # one to see its length
    words.batches.clear()
    assert len(build_index(items, broken, words, dtype=dtype, resume=True)) == 30
    assert words.batches == []  # it is complete


def test_batches_change_no_byte(items: Any, words: Any, tmp_path: Path) -> None:
    for size in (1, 8, 100):
        build_index(items, tmp_path / str(size), words, dtype="int8", batch_size=size)
    assert _bytes(tmp_path / "1") == _bytes(tmp_path / "8") == _bytes(tmp_path / "100")


def test_a_build_goes_on_only_with_the_same(items: Any, words: Any, tmp_path: Path) -> None:
    out = tmp_path / "index"
    with pytest.raises(Killed):
        build_index(_breaking(items), out, words, batch_size=4)
    with pytest.raises(DataError, match="begun with another dtype: 'float32' then, 'int8' now"):
        build_index(items, out, words, dtype="int8", resume=True)
    with pytest.raises(DataError, match=r"items.jsonl:1: was begun with other items"):
        build_index(items[1:], out, words, resume=True)
    with pytest.raises(DataError, match=r"items.jsonl:3: was begun with other items"):
        build_index(items[:2], out, words, resume=True)
    with pytest.raises(DataError, match="is already an index"):
        build_index(items, out, words)
    assert len(build_index(items[:5], out, words, force=True)) == 5


def _breaking(items: list[Item]) -> Iterator[Item]:
    yield from items[:8]
    raise Killed


def test_two_builds_do_not_meet_in_one_folder(items: Any, words: Any, tmp_path: Path) -> None:
    out = tmp_path / "index"

    def rival() -> Iterator[Item]:
        yield items[0]
        build_index(items, out, words, resume=True)

    with pytest.raises(RunError, match="being written by another process"):
        build_index(rival(), out, words)


def test_a_folder_of_something_else_is_left_alone(items: Any, words: Any, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    for target in (tmp_path, tmp_path / "notes.txt"):
        with pytest.raises(DataError, match="exists and is not an index"):
            build_index(items, target, words, force=True)
    assert (tmp_path / "notes.txt").read_text(encoding="utf-8") == "mine"


@pytest.fixture
def index(items: Any, words: Any, tmp_path: Path) -> Index:
    return build_index(items, tmp_path / "index", words, dtype="int8")


def test_another_encoder_is_refused(index: Index, words: Any) -> None:
    with pytest.raises(DataError, match=r"built with the encoder 'words\|dim.* not 'other\|dim"):
        search(index, ["x"], replace(words, name="other"))


def test_a_query_of_another_length_is_refused(index: Index) -> None:
    with pytest.raises(DataError, match="vectors of 256 numbers, the query of 3"):
        index.nearest(np.ones((1, 3), dtype=np.float32), 1)


@pytest.mark.parametrize("name", ["vectors.npy", "scales.npy", "items.jsonl", "offsets.npy"])
@pytest.mark.parametrize("harm", ["missing", "cut", "garbage"])
def test_a_broken_file_is_named(name: str, harm: str, index: Index, words: Any) -> None:
    file = index.path / name
    content = file.read_bytes()
    file.unlink()
    if harm != "missing":
        file.write_bytes(content[:-1] if harm == "cut" else b"?" * len(content))
    with pytest.raises(DataError, match=name + ".*build the index again"):
        open_index(index.path).item(0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"retrieval": 2}, "is of format 2, not 1"),
        ({"retrieval": None}, "is of format None"),
        ({"dimension": 3}, "do not match its manifest"),
        ({"count": 31}, "do not match its manifest"),
        ({"dtype": "float32"}, "do not match its manifest"),
    ],
)
def test_a_manifest_of_something_else(change: Any, message: str, index: Index) -> None:
    (index.path / MANIFEST).write_text(json.dumps({**index.manifest, **change}), encoding="utf-8")
    with pytest.raises(DataError, match=message):
        open_index(index.path)


@pytest.mark.parametrize("raw", [b"[]", b"{", b"\xff", b'{"status": "complete"}'])
def test_no_manifest_at_all(raw: bytes, index: Index) -> None:
    (index.path / MANIFEST).write_bytes(raw)
    with pytest.raises(DataError, match="is not the manifest of an index"):
        open_index(index.path)
    with pytest.raises(DataError, match=r"is not an index: it has no manifest.json"):
        open_index(index.path.parent)


def test_wrong_settings_say_so(index: Index, items: Any, words: Any, tmp_path: Path) -> None:
    for more in ({"of": "cats"}, {"dtype": "int4"}, {"batch_size": 0}):
        with pytest.raises(SettingError):
            build_index(items, tmp_path / "other", words, **more)
    assert not (tmp_path / "other").exists()
    with pytest.raises(SettingError, match="at least 1"):
        search(index, ["x"], words, k=0)
    with pytest.raises(SettingError, match="a list"):
        search(index, "x", words)
    with pytest.raises(SettingError, match="no triples"):
        search(index, [()], words)
    assert search(index, [], words) == []


def test_an_encoder_that_lies_is_found_out(items: Any, words: Any, tmp_path: Path) -> None:
    class Short(type(words)):  # type: ignore[misc]
        def encode(self, texts: Any) -> Any:
            return super().encode(texts)[1:]

    class Endless(type(words)):  # type: ignore[misc]
        def encode(self, texts: Any) -> Any:
            return super().encode(texts) * np.inf

    with pytest.raises(ModelError, match="one row each"), np.errstate(all="ignore"):
        build_index(items, tmp_path / "short", Short())
    with pytest.raises(ModelError, match="not finite"), np.errstate(all="ignore"):
        build_index(items, tmp_path / "endless", Endless())


def test_memory_does_not_grow_with_the_items(words: Any, tmp_path: Path) -> None:
    peaks = []
    for count in (500, 4000):
        tracemalloc.start()
        made = (Item(str(number), (), f"text {number}") for number in range(count))
        build_index(made, tmp_path / str(count), words, batch_size=100)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.5 * peaks[0]


def test_the_graph_of_neighbours_finds_what_comparing_all_finds(
    items: Any, words: Any, tmp_path: Path
) -> None:
    pytest.importorskip("usearch", reason="the extra 'retrieval' is not installed")
    index = build_index(items, tmp_path / "index", words, dtype="int8", approximate=True)
    queries = [item.triples for item in items]
    near, all_ = (search(index, queries, words, k=3, exact=exact) for exact in (None, True))
    for ours, theirs in zip(near, all_, strict=True):
        assert ours[0].item == theirs[0].item
        assert [hit.cosine for hit in ours] == pytest.approx([hit.cosine for hit in theirs])
    again = build_index(items, tmp_path / "again", words, dtype="int8", approximate=True)
    assert _bytes(again.path) == _bytes(index.path)
    assert len(search(index, queries[:1], words, k=100)[0]) == 30

    graph = index.path / "graph.usearch"
    graph.write_bytes(b"?" * graph.stat().st_size)
    with pytest.raises(DataError, match="is not the graph of this index"):
        search(open_index(index.path), queries, words)


def test_without_usearch_the_extra_is_named(
    items: Any, words: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "usearch.index", None)
    with pytest.raises(MissingExtra, match=r"adequa\[retrieval\]"):
        build_index(items, tmp_path / "index", words, approximate=True)
    assert not (tmp_path / "index").exists()


# What is indexed and measured, out of each kind of input


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
