"""The explanation of how records are read."""

from __future__ import annotations

from pathlib import Path

from adequa.readers import open_source
from adequa.readers.explanation import explain

TABLE = """sku,product_name,weight_g,url,blurb
P-28,Pack 28,780,https://e.org/1,"The Pack 28 weighs 780 grams, which is little."
P-40,Pack 40,990,https://e.org/2,"The Pack 40 weighs 990 grams, which is more."
"""


def test_fields_and_what_becomes_of_them(tmp_path: Path) -> None:
    path = tmp_path / "products.csv"
    path.write_text(TABLE)
    found = explain(open_source(path))
    assert found is not None
    assert found.line() == (
        "records: the text is 'blurb'; named by 'product_name'; 2 fields are facts; left out: url"
    )
    assert [(one.path, one.role, one.detail, one.count) for one in found.fields] == [
        ("/product_name", "name", "names the record", 2),
        ("/sku", "fact", "sku", 2),
        ("/weight_g", "fact", "weight_g", 2),
        ("/url", "left out", "an address", 2),
    ]
    assert found.fields[2].examples == ["780", "990"]


def test_rows_are_one_field(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"name": "A", "days": [{"day": 1, "t": 3}, {"day": 2, "t": 4}], "text": "A."}')
    found = explain(open_source(path))
    assert found is not None
    assert [(one.path, one.role) for one in found.fields] == [
        ("/name", "name"),
        ("/days/*", "row"),
        ("/days/*/day", "fact"),
        ("/days/*/t", "fact"),
    ]
    assert found.text_column is None


def test_items_have_no_explanation(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"triples": [["A", "p", "B"]], "text": "A."}')
    assert explain(open_source(path)) is None
