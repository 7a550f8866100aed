"""The items of tables (CSV, TSV, Parquet) and of pandas and polars frames.

Parquet files are measured by their page headers before anything is decompressed.
"""

from __future__ import annotations

import csv
import random
import string
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from adequa.data import Item, Result, Term, Triple
from adequa.errors import DataError, SettingError, UnknownName
from adequa.readers import load_reader, open_source
from adequa.readers.tables import (
    BrokenPage,
    CsvReader,
    ParquetReader,
    TsvReader,
    _struct,
    items_from_frame,
    items_to_frame,
    measure_pages,
    read_table,
    results_to_frame,
    write_items,
)

HEADER = b"id,triples,text\n"
GOOD = b'a,"[[""A"",""p"",""B""]]",One.\n'
FORMATS = ("jsonl", "csv", "tsv", "parquet")

# No NUL: a table of text cannot hold it. No lone surrogates: no file can.
text = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"))
name = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), min_size=1)
value = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | text,
    lambda parts: st.lists(parts, max_size=2) | st.dictionaries(text, parts, max_size=2),
    max_leaves=4,
)
terms = st.builds(Term, *[st.none() | name] * 4)
items = st.lists(
    st.builds(
        Item,
        id=name,
        triples=st.lists(st.builds(Triple, name, name, name), min_size=1, max_size=3).map(tuple),
        text=text,
        system=text,
        category=st.none() | name,
        lang=st.none() | name,
        references=st.lists(text, max_size=3).map(tuple),
        terms=st.dictionaries(text, terms, max_size=2),
        meta=st.dictionaries(text, value, max_size=2),
    ),
    max_size=4,
)


def read(path: Path, *, bare: bool = False) -> list[Item]:
    reader = load_reader(path.suffix[1:])
    return [place.item for place in reader.read(path, bare=bare)]


def write(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("ending", FORMATS)
@given(written=items)
@settings(
    deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_what_is_written_is_read(tmp_path: Path, ending: str, written: list[Item]) -> None:
    path = tmp_path / f"items.{ending}"
    write_items(written, path)
    assert read(path) == written
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("ending", FORMATS)
def test_a_text_keeps_its_line_ends_quotes_and_spaces(tmp_path: Path, ending: str) -> None:
    texts = ['say "so"', '"', "a\nb", "a\r\nb", "a\rb", " a\t", "a,b", "\u2028", "\ufeff", ""]
    written = [Item(str(n), (Triple("A", "p", "B"),), said) for n, said in enumerate(texts)]
    path = tmp_path / f"items.{ending}"
    write_items(written, path)
    assert [item.text for item in read(path)] == texts


def test_an_empty_category_is_an_absent_one(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    write_items([Item("1", (Triple("A", "p", "B"),), "", category="", lang="")], path)
    assert read(path) == [Item("1", (Triple("A", "p", "B"),), "")]


def test_a_failed_write_leaves_what_was_there(tmp_path: Path) -> None:
    item = Item("1", (Triple("A", "p", "B"),), "One.")
    for ending in FORMATS:
        path = write(tmp_path / f"items.{ending}", b"old")
        for bad in (
            Item("2", item.triples, "\ud800"),
            Item("2", item.triples, "", meta={"x": float("nan")}),
            Item("2", item.triples, "", meta={"x": object()}),
        ):
            with pytest.raises(DataError, match="items"):
                write_items([item, bad], path)
            assert path.read_bytes() == b"old"
    assert len(list(tmp_path.iterdir())) == len(FORMATS)


def test_a_nul_is_refused_where_it_could_not_be_read(tmp_path: Path) -> None:
    item = Item("1", (Triple("A", "p", "B"),), "a\0b")
    with pytest.raises(DataError, match=r"NUL.*write \.jsonl"):
        write_items([item], tmp_path / "items.csv")
    write_items([item], tmp_path / "items.parquet")
    assert read(tmp_path / "items.parquet") == [item]


def test_where_and_how_to_write_must_make_sense(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match=r"'\.xlsx'"):
        write_items([], tmp_path / "items.xlsx")
    with pytest.raises(DataError, match="cannot be written"):
        write_items([], tmp_path / "absent" / "items.csv")


def test_columns_in_any_order_and_unknown_ones_in_meta(tmp_path: Path) -> None:
    path = write(
        tmp_path / "items.csv",
        b"\xef\xbb\xbftext,score,id,meta,triples,category,references\r\n"
        b'"One,\r\ntwo.",0.50,007,"{""seen"": true}",A | p | B && C | q | D,,\r\n'
        b"\r\n"
        b',,8,,"[[""A"", ""p"", ""B""]]",Inn,"[""One."", ""Two.""]"\r\n',
    )
    first, second = list(CsvReader().read(path))
    assert (first.line, second.line) == (2, 5)
    assert first.item == Item(
        "007",
        (Triple("A", "p", "B"), Triple("C", "q", "D")),
        "One,\r\ntwo.",
        meta={"seen": True, "score": "0.50"},
    )
    assert second.item.text == ""
    assert second.item.category == "Inn"
    assert second.item.references == ("One.", "Two.")
    assert second.item.meta == {}


def test_bare_needs_no_text(tmp_path: Path) -> None:
    path = write(tmp_path / "items.tsv", b"id\ttriples\n1\tA | p | B\n")
    assert read(path, bare=True) == [Item("1", (Triple("A", "p", "B"),), "")]
    with pytest.raises(DataError, match="no column 'text'"):
        read(path)


def test_a_tsv_may_be_raw(tmp_path: Path) -> None:
    path = write(tmp_path / "items.tsv", b'id\ttriples\ttext\n1\tA | p | B\t"Off" the wall\n')
    with pytest.raises(DataError, match="quote inside a quoted cell"):
        read(path)
    (place,) = TsvReader(quotes=False).read(path)
    assert place.item.text == '"Off" the wall'


def test_a_csv_may_have_another_delimiter(tmp_path: Path) -> None:
    path = write(tmp_path / "items.csv", b"id;triples;text\n1;A | p | B;One, two.\n")
    for named in (None, "csv:delimiter=;"):
        (item,) = open_source(path, format=named)
        assert (item.triples, item.text) == ((Triple("A", "p", "B"),), "One, two.")
    with pytest.raises(SettingError, match="one character"):
        CsvReader(delimiter=";;")


WRONG_CSV = {
    "empty": (b"", None, "is empty"),
    "blank": (b"\n \n", None, "is empty"),
    "no text": (b"key,triples\n", 1, "no column 'text' (there are: 'key', 'triples')"),
    "no triples": (b"id,text\n", 1, "no column 'triples'"),
    "capitals": (b"id,Triples,text\n", 1, "no column 'triples'"),
    "twice": (b"id,triples,text,id\n", 1, "column 'id' twice"),
    "unnamed": (b",id,triples,text\n", 1, "column 1 has no name"),
    "few": (HEADER + GOOD + b"b,A | p | B\n", 3, "has 2 cells for 3 columns"),
    "many": (HEADER + b"b,A | p | B,One, two.\n", 2, "has 4 cells for 3 columns"),
    "unclosed": (HEADER + GOOD + b'b,A | p | B,"One\n' + GOOD * 3, 3, "never closed"),
    "unclosed, plain after": (HEADER + b'b,A | p | B,"One\nc,A | p | B,Two\n', 2, "never closed"),
    "unclosed at end": (HEADER + b'"', 2, "never closed"),
    "stray quote": (HEADER + b'b,A | p | B,"One" two\n', 2, "quote inside a quoted cell"),
    "return": (HEADER + b"b,A | p | B,One\rtwo\n", 2, "carriage return outside quotes"),
    "old ends": (b"id,triples,text\ra,A | p | B,One\r", 1, "carriage return"),
    "nul": (HEADER + b"b,A | p | B,\0\n", 2, "NUL"),
    "latin": (HEADER + b"b,A | p | B,Caf\xe9\n", 2, "not UTF-8 (0xe9"),
    "utf-16": (HEADER.decode().encode("utf-16"), 1, "is UTF-16"),
    "no id here": (HEADER + b",A | p | B,One\n", 2, "has no 'id'"),
    "no triples here": (HEADER + b"b,,One\n", 2, "has no 'triples'"),
    "bad triples": (HEADER + b"b,A | p,One\n", 2, "has 2 parts, not 3"),
    "empty triples": (HEADER + b"b,[],One\n", 2, "'triples' is empty"),
    "deep": (HEADER + b"b," + b"[" * 50_000 + b",One\n", 2, "nested too deeply"),
    "nan": (b'id,triples,text,meta\nb,A | p | B,One,{"a": NaN}\n', 2, "NaN is not a JSON"),
    "bad list": (
        b"id,triples,text,references\nb,A | p | B,One,Two\n",
        2,
        "'references' is not JSON",
    ),
    "not a list": (b'id,triples,text,references\nb,A | p | B,One,"""x"""\n', 2, "list of strings"),
    "bad terms": (b"id,triples,text,terms\nb,A | p | B,One,[1]\n", 2, "'terms' is a list"),
    "bad meta": (b"id,triples,text,meta\nb,A | p | B,One,[1]\n", 2, "'meta' is a list"),
    "clash": (
        b'id,triples,text,meta,x\nb,A | p | B,One,"{""x"": 1}",2\n',
        2,
        "inside and outside of",
    ),
}


@pytest.mark.parametrize("case", WRONG_CSV)
def test_what_is_wrong_with_a_csv_is_said(tmp_path: Path, case: str) -> None:
    content, line, problem = WRONG_CSV[case]
    path = write(tmp_path / "items.csv", content)
    with pytest.raises(DataError) as caught:
        read(path)
    assert problem in str(caught.value)
    assert (caught.value.path, caught.value.line) == (path, line)
    assert "\n" not in str(caught.value)


def test_a_row_is_bounded_even_where_its_lines_are_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adequa.readers.tables.MAX_LINE_BYTES", 1 << 20)
    path = write(tmp_path / "items.csv", HEADER + b'"' + b"short\n" * 200_000)
    with pytest.raises(DataError, match="longer than 1 MB; is a quote never closed") as caught:
        read(path)
    assert caught.value.line == 2


def test_a_cell_may_be_large(tmp_path: Path) -> None:
    # Larger than the csv module allows by itself.
    said = "x" * 300_000
    write_items([Item("1", (Triple("A", "p", "B"),), said)], tmp_path / "items.csv")
    assert read(tmp_path / "items.csv")[0].text == said


cell = st.text(st.sampled_from('ab,"\n\r\té '), max_size=6)


@given(rows=st.lists(st.lists(cell, min_size=3, max_size=3), max_size=4))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_rows_are_those_of_a_whole_file_read_with_quotes(
    tmp_path: Path, rows: list[list[str]]
) -> None:
    path = tmp_path / "table.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, quoting=csv.QUOTE_ALL).writerows([["a", "b", "c"], *rows])
    table = read_table(path, ",")
    assert table.columns == ("a", "b", "c")
    assert [list(row.cells.values()) for row in table.rows] == rows


@given(content=st.binary() | st.text(st.sampled_from(string.printable)).map(str.encode))
@settings(
    deadline=None, max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_bytes_are_items_or_a_data_error(tmp_path: Path, content: bytes) -> None:
    for ending, head in (
        ("csv", HEADER),
        ("tsv", HEADER.replace(b",", b"\t")),
        ("parquet", b"PAR1"),
    ):
        for prefix in (b"", head):
            path = write(tmp_path / f"any.{ending}", prefix + content)
            places = set()
            try:
                places = {place.path for place in load_reader(ending).read(path)}
            except DataError as error:
                places = {error.path}
            assert places <= {path}


def parquet_file(path: Path, **columns: Any) -> Path:
    parquet.write_table(pa.table(columns), path)
    return path


def test_parquet_lists_may_be_native(tmp_path: Path) -> None:
    path = parquet_file(
        tmp_path / "items.parquet",
        id=[1, 2],
        triples=[[["A", "p", "B"]], [["C", "q", "D"], ["E", "r", "F"]]],
        text=[b"One.", b""],
        references=[["Two.", "Three."], None],
        meta=[{"seen": True, "note": None}, {"seen": None, "note": "x"}],
        score=[0.5, float("nan")],
        day=pa.array([0, None], pa.date32()),
    )
    first, second = (place.item for place in ParquetReader().read(path))
    assert first == Item(
        "1",
        (Triple("A", "p", "B"),),
        "One.",
        references=("Two.", "Three."),
        meta={"seen": True, "score": 0.5, "day": "1970-01-01"},
    )
    assert second.references == ()
    assert second.meta == {"note": "x"}
    assert len(second.triples) == 2


def test_parquet_is_read_beyond_one_batch(tmp_path: Path) -> None:
    written = [Item(str(n), (Triple("A", "p", str(n)),), f"{n}.") for n in range(2500)]
    write_items(written, tmp_path / "items.parquet")
    placed = list(ParquetReader().read(tmp_path / "items.parquet"))
    assert [place.item for place in placed] == written
    assert [place.line for place in placed] == list(range(1, 2501))


def test_what_is_wrong_with_a_parquet_file_is_said(tmp_path: Path) -> None:
    path = tmp_path / "items.parquet"
    write_items([Item("1", (Triple("A", "p", "B"),), "One.")], path)
    whole = path.read_bytes()
    for content in (b"", b"id,triples", b"PAR1", whole[:-20], whole[: len(whole) // 2]):
        with pytest.raises(DataError, match="Parquet"):
            read(write(path, content))
    with pytest.raises(DataError, match="no column 'text'"):
        read(parquet_file(path, id=["1"], triples=["A | p | B"]))
    parquet_file(path, id=["1", "2"], triples=["A | p | B"] * 2, text=["One.", None])
    with pytest.raises(DataError, match="has no 'text'") as caught:
        read(path)
    assert caught.value.line == 2
    table = pa.Table.from_arrays([pa.array(["1"])] * 2, names=["id", "id"])
    parquet.write_table(table, path)
    with pytest.raises(DataError, match="'id' twice"):
        read(path)
    parquet_file(path, id=["1"], triples=["A | p | B"], text=["x"], odd=[float("inf")])
    with pytest.raises(DataError, match="'odd' is infinite"):
        read(path)
    parquet_file(path, id=["1"], triples=["A | p | B"], text=[b"\xff"])
    with pytest.raises(DataError, match="'text' is not UTF-8"):
        read(path)


def test_without_pyarrow_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    from adequa.errors import MissingExtra

    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r"adequa\[parquet\]"):
        write_items([], tmp_path / "items.parquet")
    with pytest.raises(MissingExtra, match=r"adequa\[parquet\]"):
        read(write(tmp_path / "items.parquet", b"PAR1"))


ITEMS = [
    Item(
        "1",
        (Triple("Mill Inn", "near", 'a "b", [c]'), Triple("Mill Inn", "in", "Ely")),
        "Mill Inn\r\nis in Ely.",
        "mine",
        "Food",
        "en",
        ("One.", ""),
        {"Ely": Term(label="Ely", datatype="x")},
        {"seen": False, "nested": {"a": [1, None]}},
    ),
    Item("2", (Triple("Ö", "p", "1.50"),), ""),
]
LIBRARIES = ["pandas", "polars"]


@pytest.mark.parametrize("library", LIBRARIES)
def test_items_round_trip(library: Any) -> None:
    frame = items_to_frame(ITEMS, library)
    assert type(frame).__module__.startswith(library)
    assert items_from_frame(frame) == ITEMS
    assert items_from_frame(items_to_frame([], library)) == []


def test_what_a_frame_writes_our_readers_read(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    items_to_frame(ITEMS, "pandas").to_csv(path, index=False, lineterminator="\n")
    assert [place.item for place in CsvReader().read(path)] == ITEMS
    items_to_frame(ITEMS, "polars").write_csv(path)
    assert [place.item for place in CsvReader().read(path)] == ITEMS
    path = tmp_path / "items.parquet"
    items_to_frame(ITEMS, "pandas").to_parquet(path)
    assert [place.item for place in ParquetReader().read(path)] == ITEMS
    # pandas hands lists back as arrays.
    native = pd.DataFrame(
        {"id": ["1"], "triples": [[["A", "p", "B"]]], "text": ["x"], "references": [["y", "z"]]}
    )
    native.to_parquet(path)
    (item,) = items_from_frame(pd.read_parquet(path))
    assert item == Item("1", (Triple("A", "p", "B"),), "x", references=("y", "z"))


def test_a_frame_of_the_users_own() -> None:
    frame = pd.DataFrame(
        {
            "id": [1, 2],
            "triples": [[("A", "p", "B")], "C | q | D && E | r | F"],
            "text": ["One.", ""],
            "category": ["Food", np.nan],
            "score": [0.5, np.nan],
            "count": pd.array([3, None], dtype="Int64"),
            "when": pd.to_datetime(["2020-02-29", None]),
            "flag": [np.bool_(True), None],
        },
        index=["x", "x"],
    )
    first, second = items_from_frame(frame)
    assert first == Item(
        "1",
        (Triple("A", "p", "B"),),
        "One.",
        category="Food",
        meta={"score": 0.5, "count": 3, "when": "2020-02-29T00:00:00", "flag": True},
    )
    assert second == Item("2", (Triple("C", "q", "D"), Triple("E", "r", "F")), "")


def test_a_polars_frame_of_the_users_own() -> None:
    frame = pl.DataFrame(
        {
            "id": [1, 2],
            "triples": [[["A", "p", "B"]], [["C", "q", "D"], ["E", "r", "F"]]],
            "text": ["One.", ""],
            "category": ["Food", None],
            "score": [0.5, None],
        }
    )
    first, second = items_from_frame(frame)
    assert first == Item(
        "1", (Triple("A", "p", "B"),), "One.", category="Food", meta={"score": 0.5}
    )
    assert second == Item("2", (Triple("C", "q", "D"), Triple("E", "r", "F")), "")


def test_a_frame_without_texts_may_be_bare() -> None:
    frame = pl.DataFrame({"id": ["1"], "triples": ["A | p | B"]})
    assert items_from_frame(frame, bare=True) == [Item("1", (Triple("A", "p", "B"),), "")]
    with pytest.raises(DataError, match="no column 'text'"):
        items_from_frame(frame)


def frame_with(**columns: Any) -> pd.DataFrame:
    good = {"id": ["1", "2"], "triples": ["A | p | B"] * 2, "text": ["x", "y"]}
    return pd.DataFrame({**good, **columns})


@pytest.mark.parametrize(
    ("frame", "problem"),
    [
        (frame_with(text=["x", None]), "row 2 of the frame: has no 'text'"),
        (frame_with(id=["1", np.nan]), "row 2 of the frame: has no 'id'"),
        (frame_with(id=[1.0, 1.5]), "row 1 of the frame: 'id' is a number"),
        (frame_with(triples=["A | p | B", "A"]), "row 2 of the frame: 'A' is not a known form"),
        (frame_with(odd=[1, object()]), "row 2 of the frame: the cell 'odd' has the type object"),
        (frame_with(odd=[1.0, float("inf")]), "row 2 of the frame: the cell 'odd' is infinite"),
        (frame_with().rename(columns={"text": "id"}), "the column 'id' twice"),
        (pl.DataFrame({"id": ["1"]}).lazy(), "LazyFrame is not a pandas or polars DataFrame"),
        ([{"id": "1"}], "builtins.list is not"),
        (None, "is not a pandas or polars DataFrame"),
    ],
)
def test_what_is_wrong_with_a_frame_is_said(frame: Any, problem: str) -> None:
    with pytest.raises(DataError) as caught:
        items_from_frame(frame)
    assert problem in str(caught.value)


RESULTS = [
    Result(ITEMS[0], {"esa": 0.5, "bleu": None}, verdict="omission", confidence=0.75),
    Result(ITEMS[1], {"esa": 1.0, "late": 0.25}),
]


@pytest.mark.parametrize("library", LIBRARIES)
def test_results_have_a_column_a_metric(library: Any) -> None:
    frame = results_to_frame(iter(RESULTS), library)
    assert list(frame.columns) == [
        *("id", "system", "category", "text", "triples"),
        *("esa", "bleu", "late", "verdict", "confidence", "findings"),
    ]
    rows = frame.rows() if library == "polars" else frame.replace({np.nan: None}).values.tolist()
    triples = '[["Mill Inn", "near", "a \\"b\\", [c]"], ["Mill Inn", "in", "Ely"]]'
    assert [tuple(row) for row in rows] == [
        ("1", "mine", "Food", ITEMS[0].text, triples, 0.5, None, None, "omission", 0.75, "[]"),
        ("2", None, None, "", '[["Ö", "p", "1.50"]]', 1.0, None, 0.25, None, None, "[]"),
    ]
    assert str(frame["bleu"].dtype).lower() == "float64"
    assert len(results_to_frame([], library)) == 0


def test_names_that_cannot_be() -> None:
    with pytest.raises(SettingError, match="has the name of another column, 'text'"):
        results_to_frame([Result(ITEMS[0], {"text": 1.0})])
    with pytest.raises(UnknownName, match="did you mean 'pandas'"):
        items_to_frame(ITEMS, "panda")


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_library_that_is_not_there_is_named(
    library: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(SettingError, match=f"pip install {library}"):
        items_to_frame(ITEMS, library)


@pytest.mark.parametrize(("mine", "other"), [("pandas", "polars"), ("polars", "pandas")])
def test_a_frame_of_one_library_does_not_load_the_other(mine: str, other: str) -> None:
    program = (
        "import sys\n"
        "from adequa.data import Item, Triple\n"
        "from adequa.readers.tables import items_from_frame, items_to_frame\n"
        "assert not {'pandas', 'polars'} & sys.modules.keys()\n"
        f"frame = items_to_frame([Item('1', (Triple('A', 'p', 'B'),), 'x')], {mine!r})\n"
        "assert len(items_from_frame(frame)) == 1\n"
        f"sys.exit({other!r} in sys.modules)\n"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


FACT = '[["A", "p", "B"]]'


def _table(texts: list[str], **more: Any) -> pa.Table:
    ids = [str(number) for number in range(len(texts))]
    return pa.table({"id": ids, "triples": [FACT] * len(texts), "text": texts, **more})


def _measured(path: Path) -> Any:
    with path.open("rb") as stream:
        return measure_pages(stream, parquet.ParquetFile(path).metadata)


@pytest.mark.parametrize("compression", ["none", "snappy", "zstd", "gzip"])
@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("use_dictionary", [True, False])
def test_the_largest_page_is_found(
    tmp_path: Path, compression: str, version: str, use_dictionary: bool
) -> None:
    path = tmp_path / "items.parquet"
    texts = ["short", "x" * 3_000_000, *["y" * number for number in range(2000)]]
    options = {"data_page_version": version, "use_dictionary": use_dictionary}
    parquet.write_table(_table(texts), path, compression=compression, row_group_size=700, **options)
    assert 3_000_000 < _measured(path).bytes < 8_000_000
    assert len(list(open_source(path))) == len(texts)


def test_a_small_file_with_a_huge_cell_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "items.parquet"
    monkeypatch.setattr("adequa.readers.tables._MOST_PAGE_BYTES", 4 << 20)
    for use_dictionary in (True, False):
        parquet.write_table(
            _table(["a", "x" * (16 << 20)]), path, compression="zstd", use_dictionary=use_dictionary
        )
        assert path.stat().st_size < 100_000
        with monkeypatch.context() as unread:
            unread.setattr(parquet.ParquetFile, "iter_batches", None)
            with pytest.raises(DataError, match="has a page of 16 MB"):
                list(open_source(path))


def test_cells_that_share_their_content_are_read_few_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "items.parquet"
    parquet.write_table(_table(["x" * 500_000] * 3000), path, use_dictionary=["text"])
    assert path.stat().st_size < 200_000
    monkeypatch.setattr("adequa.readers.tables._MOST_PAGE_BYTES", 4 << 20)
    sizes = []
    read = parquet.ParquetFile.iter_batches

    def reading(file: Any, batch_size: int) -> Any:
        sizes.append(batch_size)
        return read(file, batch_size=batch_size)

    monkeypatch.setattr(parquet.ParquetFile, "iter_batches", reading)
    next(iter(open_source(path)))
    assert sizes == [8]


def test_long_lists_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "items.parquet"
    lists = pa.array([[None] * 100_000], pa.list_(pa.string()))
    parquet.write_table(_table(["a"], references=lists), path)
    assert path.stat().st_size < 10_000
    assert _measured(path).values == 100_000
    monkeypatch.setattr("adequa.readers.tables._MOST_PAGE_VALUES", 50_000)
    with pytest.raises(DataError, match="100,000 values in lists"):
        list(open_source(path))


def test_damaged_files_are_data_errors(tmp_path: Path) -> None:
    path = tmp_path / "items.parquet"
    parquet.write_table(_table(["a", "b"]), path)
    whole = path.read_bytes()
    # Not in the footer, at which pyarrow itself may crash.
    end = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
    chance, refused = random.Random(1), 0
    for _ in range(200):
        broken = bytearray(whole)
        for _ in range(chance.randint(1, 8)):
            broken[chance.randrange(4, end)] = chance.randrange(256)
        path.write_bytes(broken)
        try:
            list(open_source(path))
        except DataError:
            refused += 1
    assert refused > 50


@given(st.binary(max_size=200))
def test_any_bytes_are_a_struct_or_broken(raw: bytes) -> None:
    try:
        fields, end = _struct(raw, 0, 0)
    except (BrokenPage, IndexError):
        return
    assert end > 0
    assert isinstance(fields, dict)
