"""KELM and TeKGen: the forms of their releases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from adequa.data import Item, Triple
from adequa.errors import DataError
from adequa.readers import open_source
from adequa.readers.formats import recognise
from research.corpora.kelm import KelmReader, TekgenReader

TRIPLES = [
    ["Ilse Varga", "member of sports team", "FC Tarn"],
    ["Ilse Varga", "FC Tarn", "end time", "01 January 1983"],
]
LINE = {
    "triples": TRIPLES,
    "serialized_triples": "Ilse Varga member of sports team FC Tarn, end time 01 January 1983.",
    "gen_sentence": "Ilse Varga played for FC Tarn until 1983.",
}


def write(path: Path, *rows: Any) -> Path:
    path.write_text("\n".join(json.dumps(row) for row in rows) + "\n", encoding="utf-8")
    return path


def read(reader: KelmReader | TekgenReader, path: Path, *, bare: bool = False) -> list[Item]:
    return [place.item for place in reader.read(path, bare=bare)]


def test_a_qualifier_joins_the_predicate_and_is_kept_as_it_was(tmp_path: Path) -> None:
    path = write(tmp_path / "corpus.jsonl", LINE, LINE)
    first, second = read(KelmReader(), path)
    assert (first.id, second.id) == ("corpus/1", "corpus/2")
    assert first.text == LINE["gen_sentence"]
    assert first.triples == (
        Triple("Ilse Varga", "member of sports team", "FC Tarn"),
        Triple("Ilse Varga", "FC Tarn end time", "01 January 1983"),
    )
    assert first.meta == {
        "serialized_triples": LINE["serialized_triples"],
        "qualified": [TRIPLES[1]],
    }


def test_qualifiers_may_be_dropped(tmp_path: Path) -> None:
    alone = {**LINE, "triples": TRIPLES[1:]}
    path = write(tmp_path / "corpus.jsonl", alone, LINE)
    (item,) = read(KelmReader(qualified="drop"), path)
    assert item.id == "corpus/2"
    assert item.triples == (Triple(*TRIPLES[0]),)
    assert item.meta["qualified"] == [TRIPLES[1]]


def test_tekgen_is_json_that_is_named_tsv(tmp_path: Path) -> None:
    row = {"triples": TRIPLES[:1], "serialized_triples": "…", "sentence": "She was at FC Tarn."}
    path = write(tmp_path / "quadruples-test.tsv", row)
    assert recognise(path) == "tekgen"
    (item,) = open_source(path)
    assert (item.id, item.text) == ("quadruples-test/1", "She was at FC Tarn.")
    (bare,) = read(TekgenReader(), path, bare=True)
    assert (bare.text, bare.references) == ("", ("She was at FC Tarn.",))


def test_what_a_model_wrote_is_no_reference(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", LINE, {"triples": TRIPLES})
    first, second = read(KelmReader(), path, bare=True)
    assert (first.text, first.references) == ("", ())
    assert first.meta["gen_sentence"] == LINE["gen_sentence"]
    assert second.text == ""


def test_both_are_recognised(tmp_path: Path) -> None:
    assert recognise(write(tmp_path / "a.jsonl", LINE)) == "kelm"
    assert recognise(write(tmp_path / "b.jsonl", {"triples": [], "sentence": ""})) == "tekgen"
    item = {"id": "1", "triples": [], "sentence": "", "text": ""}
    assert recognise(write(tmp_path / "c.jsonl", item)) == "jsonl"


def test_a_folder_of_splits_has_no_id_twice(tmp_path: Path) -> None:
    row = {"triples": TRIPLES[:1], "sentence": "She was at FC Tarn."}
    for split in ("train", "test"):
        write(tmp_path / f"quadruples-{split}.tsv", row, row)
    assert [item.id for item in open_source(tmp_path)] == [
        "quadruples-test/1",
        "quadruples-test/2",
        "quadruples-train/1",
        "quadruples-train/2",
    ]


BAD = [
    ({"gen_sentence": "x"}, "has no 'triples'"),
    ({**LINE, "triples": []}, "'triples' is empty"),
    ({**LINE, "triples": "a b c"}, "'triples' is a string, not a list"),
    ({**LINE, "triples": [["a", "b"]]}, "triple 1 does not have three or more parts"),
    ({**LINE, "triples": [["a", "b", 3]]}, "triple 1 has a part that is empty or not a string"),
    ({**LINE, "triples": [["a", "b", "c"], ["a", "", "c"]]}, "triple 2 has a part"),
    ({**LINE, "gen_sentence": None}, "'gen_sentence' is null, not a string"),
    ({"triples": TRIPLES}, "'gen_sentence' is missing"),
]


@pytest.mark.parametrize(("row", "says"), BAD, ids=[says for _, says in BAD])
def test_an_incomplete_line_is_an_error_or_skipped(
    row: dict[str, Any], says: str, tmp_path: Path
) -> None:
    path = write(tmp_path / "a.jsonl", LINE, row, LINE)
    with pytest.raises(DataError, match="incomplete=skip") as caught:
        read(KelmReader(), path)
    assert says in str(caught.value)
    assert (caught.value.path, caught.value.line) == (path, 2)
    assert [item.id for item in read(KelmReader(incomplete="skip"), path)] == ["a/1", "a/3"]


@pytest.mark.parametrize(
    ("reader", "line"),
    [
        (KelmReader(incomplete="skip"), '{"reference": "a b c", "candidate": "A text."}'),
        (TekgenReader(incomplete="skip"), "Ilse Varga member of FC Tarn\tShe was at FC Tarn."),
    ],
)
def test_the_first_release_is_recognised_and_rejected(
    reader: KelmReader | TekgenReader, line: str, tmp_path: Path
) -> None:
    path = tmp_path / "old.tsv"
    path.write_text(line, encoding="utf-8")
    with pytest.raises(DataError, match="use the release of 2021"):
        read(reader, path)


def test_broken_json_is_never_skipped(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(LINE) + '\n{"triples": [\n', encoding="utf-8")
    with pytest.raises(DataError, match="is not JSON") as caught:
        read(KelmReader(incomplete="skip"), path)
    assert caught.value.line == 2
