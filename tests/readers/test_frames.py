"""pandas and polars frames in and out."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from adequa.data import Item, Result, Term, Triple
from adequa.errors import DataError, SettingError, UnknownName
from adequa.readers.tables import (
    CsvReader,
    ParquetReader,
    items_from_frame,
    items_to_frame,
    results_to_frame,
)

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
        (frame_with(triples=["A | p | B", "A"]), "row 2 of the frame: 'A' is no form"),
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
    Result(ITEMS[0], {"esa": 0.5, "bleu": None}, verdict="omission"),
    Result(ITEMS[1], {"esa": 1.0, "late": 0.25}),
]


@pytest.mark.parametrize("library", LIBRARIES)
def test_results_have_a_column_a_metric(library: Any) -> None:
    frame = results_to_frame(iter(RESULTS), library)
    assert list(frame.columns) == [
        *("id", "system", "category", "text", "triples"),
        *("esa", "bleu", "late", "verdict"),
    ]
    rows = frame.rows() if library == "polars" else frame.replace({np.nan: None}).values.tolist()
    triples = '[["Mill Inn", "near", "a \\"b\\", [c]"], ["Mill Inn", "in", "Ely"]]'
    assert [tuple(row) for row in rows] == [
        ("1", "mine", "Food", ITEMS[0].text, triples, 0.5, None, None, "omission"),
        ("2", None, None, "", '[["Ö", "p", "1.50"]]', 1.0, None, 0.25, None),
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
