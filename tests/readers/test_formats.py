"""Recognised formats, sources of items, and single graphs."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import adequa
from adequa.data import Item, Triple
from adequa.errors import DataError, SettingError, UnknownName
from adequa.readers import format_names, open_source, reader_class
from adequa.readers.base import PlacedItem, unique
from adequa.readers.formats import parse_graph, read_pasted, recognise

GRAPHS = '{"id": "a", "triples": [["s", "p", "o"]]}\n{"id": "b", "triples": [["s", "p", "q"]]}\n'


def write(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    ("name", "content", "wanted"),
    [
        ("a.jsonl", '{"id": "1", "triples": []}', "jsonl"),
        ("a.jsonl", '{"name": "Blue Spice", "eatType": "pub"}', "records"),
        ("a.jsonl", "{broken", "jsonl"),
        ("a.ndjson", '{"triples": 1}', "jsonl"),
        ("a.json", "[]", "records"),
        ("a.csv", "id,triples,text\n", "csv"),
        ("a.CSV", '"id","text","triples"\r\n', "csv"),
        ("a.csv", "name,area\n", "records"),
        ("a.csv", "\ufeffmr,ref\n", "e2e"),
        ("a.tsv", "MR\toutput\tadded\n", "e2e"),
        ("a.tsv", "id\ttriples\ttext\n", "tsv"),
        ("a.xml", "<benchmark><entries/></benchmark>", "webnlg"),
        ("a.xml", "<benchmark><entries><entry><lex><references/></lex>", "enriched"),
        ("a.xml", '<rdf:RDF xmlns:rdf="x">', "rdf"),
        ("a.ttl", "", "rdf"),
        ("a.txt", "s | p | o", "lines"),
        ("a.parquet", b"PAR1", "parquet"),
    ],
)
def test_a_format_is_recognised(
    name: str, content: str | bytes, wanted: str, tmp_path: Path
) -> None:
    assert recognise(write(tmp_path / name, content)) == wanted


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.docx", "x", "of no known format; name the format"),
        ("noending", "x", "of no known format"),
        ("a.xml", "<html/>", "neither WebNLG nor RDF/XML"),
        ("a.csv", "a\0".encode("utf-16"), "is UTF-16, not UTF-8"),
    ],
)
def test_what_is_not_recognised_is_said(
    name: str, content: str | bytes, message: str, tmp_path: Path
) -> None:
    with pytest.raises(DataError, match=message):
        recognise(write(tmp_path / name, content))


def test_a_path_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="does not exist"):
        adequa.read(tmp_path / "absent.jsonl")
    with pytest.raises(DataError, match="does not exist"):
        adequa.read(tmp_path / "absent.jsonl", format="jsonl")


def test_a_format_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="did you mean 'webnlg'"):
        adequa.read(write(tmp_path / "a.xml", ""), format="webnlgg")


@pytest.mark.parametrize("name", format_names())
def test_every_reader_says_what_it_is(name: str) -> None:
    reader = reader_class(name)
    assert reader.name == name
    assert reader.doc


def test_a_folder_is_read_file_after_file(tmp_path: Path) -> None:
    for name in ("b", "a"):
        row = {"id": name, "triples": [["s", "p", "o"]], "text": name}
        write(tmp_path / "corpus" / f"{name}.jsonl", json.dumps(row))
    write(tmp_path / "corpus" / "README.md", "no data")
    assert [item.id for item in adequa.read(tmp_path / "corpus")] == ["a", "b"]


def test_a_folder_of_several_formats_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", '{"triples": 1}')
    write(tmp_path / "b.ttl", "")
    with pytest.raises(DataError, match="several formats"):
        adequa.read(tmp_path)


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="without files of a known format"):
        adequa.read(tmp_path)


def test_a_source_can_be_read_again(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", '{"id": "1", "triples": [["s", "p", "o"]], "text": "t"}')
    source = adequa.read(path)
    assert list(source) == list(source) == [Item("1", (Triple("s", "p", "o"),), "t")]
    assert source.count() == 1


def test_files_beside_the_input_count_as_input(tmp_path: Path) -> None:
    entry = '<entry category="C" eid="Id1" size="1"><modifiedtripleset><mtriple>a | b | c</mtriple>'
    lex = '</modifiedtripleset><lex lid="Id1">t</lex></entry>'
    xml = f"<benchmark><entries>{entry}{lex}</entries></benchmark>"
    path = write(tmp_path / "test.xml", xml)
    types = write(tmp_path / "test-instance-types.json", '{"Id1": "type3"}')
    source = adequa.read(path)
    assert next(iter(source)).meta["seen"] is False
    assert source.files == [path, types]
    assert set(adequa.read(tmp_path).files) == {path, types}


def test_an_input_without_items_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds no items"):
        list(adequa.read(write(tmp_path / "a.jsonl", "\n\n")))


@pytest.mark.parametrize(
    "content", ["one\ntwo\n", "one\ntwo", "one\r\ntwo\r\n", "\ufeffone\ntwo"], ids=repr
)
def test_line_i_is_the_text_of_item_i(content: str, tmp_path: Path) -> None:
    graphs = write(tmp_path / "graphs.jsonl", GRAPHS)
    texts = write(tmp_path / "t5.txt", content)
    source = open_source(graphs, texts=[f"T5={texts}", f"other={texts}"])
    assert [(item.system, item.id, item.text) for item in source] == [
        ("T5", "a", "one"),
        ("T5", "b", "two"),
        ("other", "a", "one"),
        ("other", "b", "two"),
    ]
    assert texts in source.files


def test_a_text_in_the_file_gives_way_and_is_remembered(tmp_path: Path) -> None:
    graphs = write(tmp_path / "g.jsonl", GRAPHS.replace("]]}", ']], "text": "old", "system": "S"}'))
    texts = write(tmp_path / "t5.txt", "one\ntwo\n")
    first = next(iter(adequa.read(graphs, texts={"T5": texts})))
    assert (first.text, first.system, first.meta) == ("one", "T5", {"text": "old"})


def test_one_graph_twice_cannot_take_a_line_each(tmp_path: Path) -> None:
    graph = '{"id": "a", "system": "%s", "triples": [["s", "p", "o"]], "text": ""}\n'
    graphs = write(tmp_path / "g.jsonl", graph % "A" + graph % "B")
    with pytest.raises(DataError, match=r"g\.jsonl:2: the id 'a' was used before"):
        list(adequa.read(graphs, texts={"T5": write(tmp_path / "t.txt", "one\ntwo\n")}))


def test_odd_characters_do_not_end_a_line(tmp_path: Path) -> None:
    graphs = write(tmp_path / "graphs.jsonl", GRAPHS)
    texts = write(tmp_path / "t.txt", "a\u2028b\x0bc\x85d\re\n\n")
    assert [item.text for item in adequa.read(graphs, texts={"T": texts})] == [
        "a\u2028b\x0bc\x85d\re",
        "",
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("one\n", r"t\.txt:2: has 1 line for 2 items: 1 line too few"),
        ("", r"t\.txt:1: has 0 lines for 2 items: 2 lines too few"),
        ("one\ntwo\nthree", r"t\.txt:3: has 3 lines for 2 items: 1 line too many"),
        ("one\ntwo\n\n", r"t\.txt:3: has 3 lines for 2 items: 1 line too many"),
    ],
)
def test_unequal_lengths_are_refused_at_once(content: str, message: str, tmp_path: Path) -> None:
    graphs = write(tmp_path / "graphs.jsonl", GRAPHS)
    source = adequa.read(graphs, texts={"T": write(tmp_path / "t.txt", content)})
    with pytest.raises(DataError, match=message):
        next(iter(source))


@pytest.mark.parametrize("pairs", [["=f"], ["a=f", "a=g"], ["T5="]])
def test_texts_are_named_once_each(pairs: list[str], tmp_path: Path) -> None:
    graphs = write(tmp_path / "graphs.jsonl", GRAPHS)
    with pytest.raises((SettingError, DataError)):
        list(open_source(graphs, texts=pairs))


def placed(keys: Iterable[tuple[str, str]]) -> list[PlacedItem]:
    return [
        PlacedItem(Item(name, (Triple("s", "p", "o"),), "", system=system), Path("f"), line)
        for line, (system, name) in enumerate(keys, 1)
    ]


@given(st.lists(st.tuples(st.sampled_from("AB"), st.integers(0, 30).map(str)), max_size=30))
def test_uniqueness_is_what_a_set_says(keys: list[tuple[str, str]]) -> None:
    seen: set[tuple[str, str]] = set()
    first_twice = next((n for n, key in enumerate(keys, 1) if key in seen or seen.add(key)), None)
    if first_twice is None:
        assert list(unique(placed(keys))) == placed(keys)
    else:
        with pytest.raises(DataError) as caught:
            list(unique(placed(keys)))
        assert caught.value.line == first_twice


def test_uniqueness_of_many_keys() -> None:
    many = placed(("S", str(number)) for number in range(20_000))
    assert sum(1 for _ in unique(many)) == 20_000
    with pytest.raises(DataError, match="'17' of system 'S' was used before"):
        list(unique([*many, *placed([("S", "17")])]))


TRIPLES = (("Alba", "port", "Oban"), ("Alba", "built", "1974"))
PREFIX = "http://example.org/"
FORMS = {
    "bars": "Alba | port | Oban\nAlba | built | 1974",
    "markers": "<S> Alba <P> port <O> Oban <S> Alba <P> built <O> 1974",
    "json": json.dumps(TRIPLES),
    "item": json.dumps({"triples": TRIPLES, "text": "not this one"}),
    "attributes": "name[Alba], port[Oban], built[1974]",
    "turtle": f'@prefix : <{PREFIX}> .\n:Alba :port :Oban ; :built "1974" .',
    "sparql": f'# a comment\nPREFIX e: <{PREFIX}>\ne:Alba e:port e:Oban ; e:built "1974" .',
    "ntriples": (
        f'<{PREFIX}Alba> <{PREFIX}port> <{PREFIX}Oban> .\n<{PREFIX}Alba> <{PREFIX}built> "1974" .'
    ),
    "jsonld": json.dumps(
        {
            "@id": f"{PREFIX}Alba",
            f"{PREFIX}port": {"@id": f"{PREFIX}Oban"},
            f"{PREFIX}built": "1974",
        }
    ),
    "xml": (
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
        f'xmlns:e="{PREFIX}"><rdf:Description rdf:about="{PREFIX}Alba">'
        f'<e:port rdf:resource="{PREFIX}Oban"/><e:built>1974</e:built>'
        "</rdf:Description></rdf:RDF>"
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_triples(form):
    assert sorted(read_pasted(FORMS[form]).triples) == sorted(TRIPLES)


def test_a_nested_object_is_read_as_a_record():
    item = read_pasted('{"name": "Alba", "port": "Oban"}')
    assert [triple.object for triple in item.triples if triple.predicate == "port"] == ["Oban"]


@pytest.mark.parametrize(
    ("written", "line", "words"),
    [
        ("", None, "has no triples"),
        ("Alba sails", None, "not a known form of triples"),
        ("@prefix : <http://e.org/> .\n:Alba :port", 2, ""),
        ('{"triples": 3}', None, "triples"),
        ('{"triples": [', None, "is not JSON"),
        ("<!DOCTYPE html><html></html>", None, "neither WebNLG nor RDF/XML"),
    ],
)
def test_what_cannot_be_read_is_told_without_a_file_nobody_knows(written, line, words):
    with pytest.raises(DataError) as told:
        read_pasted(written)
    assert told.value.path is None
    assert words in told.value.problem
    assert line is None or told.value.line == line


def test_several_graphs_are_refused():
    with pytest.raises(DataError, match="several graphs"):
        parse_graph("A | p | B && B | p | C\nD | p | E")
    with pytest.raises(DataError, match="several items"):
        read_pasted("@prefix : <http://e.org/> .\n:g { :a :p :b }\n:h { :a :p :c }")


def test_an_input_that_changes_while_it_is_read_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl"
    line = '{"id": "%d", "triples": [["a", "b", "c"]], "text": "x"}\n'
    path.write_text("".join(line % number for number in range(10)))
    items = open_source(path).placed()
    next(items)
    with path.open("a") as stream:
        stream.write(line % 10)
    with pytest.raises(DataError, match=r"items\.jsonl: changed while it was read; wait until"):
        list(items)
    assert open_source(path).count() == 11


def test_a_folder_that_gets_a_file_while_it_is_read_is_an_error(tmp_path: Path) -> None:
    line = '{"id": "%d", "triples": [["a", "b", "c"]], "text": "x"}\n'
    (tmp_path / "a.jsonl").write_text(line % 1)
    items = open_source(tmp_path).placed()
    (tmp_path / "b.jsonl").write_text(line % 2)
    with pytest.raises(DataError, match=r"b\.jsonl: changed while it was read"):
        list(items)


@pytest.mark.skipif(os.name == "nt", reason="pipes of POSIX")
def test_a_pipe_is_named(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.jsonl"
    os.mkfifo(pipe)
    for form in (None, "jsonl"):
        with pytest.raises(DataError, match="is a pipe or a device, which can be read only once"):
            open_source(pipe, format=form)
