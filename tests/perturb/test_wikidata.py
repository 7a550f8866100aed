"""DBpedia's properties to Wikidata's."""

from __future__ import annotations

from pathlib import Path

import pytest

from adequa.data import Item, Triple
from adequa.errors import DataError
from adequa.perturb.rewording import Property, read_properties, shipped_properties, to_wikidata
from adequa.text.predicates import folded
from research.corpora.derived import CorpusTally

BORN = Triple("Ida", "birthPlace", "Tarnova")
GENRE = Triple("Polka", "musicSubgenre", "Ilm polka")
ODD = Triple("Ida", "shoeSize", "39")


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_items_are_renamed_turned_or_left_out() -> None:
    tally = CorpusTally()
    items = [Item("1", (BORN, GENRE), "x", meta={"a": 1}), Item("2", (BORN, ODD), "y")]
    (item,) = to_wikidata(items, tally=tally)
    assert item == Item(
        "1",
        (Triple("Ida", "place of birth", "Tarnova"), Triple("Ilm polka", "subclass of", "Polka")),
        "x",
        meta={"a": 1, "dbpedia": [list(BORN), list(GENRE)]},
    )
    assert (tally.kept, tally.left_out) == (1, {"shoeSize": 1})


def test_spelling_does_not_matter() -> None:
    named = [
        Item("1", (Triple("Ida", name, "Tarnova"),), "")
        for name in (
            "birth place",
            "Birth_Place",
            "dbo:birthPlace",
            "http://dbpedia.org/ontology/birthPlace",
        )
    ]
    renamed = [item.triples[0].predicate for item in to_wikidata(named)]
    assert renamed == ["place of birth"] * 4


def test_what_is_shipped_is_sound() -> None:
    shipped = shipped_properties()
    assert len(shipped) > 100
    assert all(one.id.startswith("P") and one.id[1:].isdigit() for one in shipped.values())
    labels: dict[str, str] = {}
    for one in shipped.values():
        assert labels.setdefault(one.id, one.label) == one.label
    assert len(set(labels.values())) == len(labels)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (
            "a.tsv",
            "label\tdbpedia\tinverse\twikidata\nsize\tshoeSize\t\tP1\npart of\thasPart\tyes\t\n",
        ),
        (
            "a.json",
            """{"shoeSize": {"label": "size", "wikidata": "P1"},
                "hasPart": {"label": "part of", "inverse": true}}""",
        ),
    ],
)
def test_a_mapping_of_ones_own(name: str, content: str, tmp_path: Path) -> None:
    assert read_properties(write(tmp_path / name, content)) == {
        folded("shoeSize"): Property("size", "P1"),
        folded("hasPart"): Property("part of", inverse=True),
    }


def test_the_shortest_mappings(tmp_path: Path) -> None:
    wanted = {"shoesize": Property("size")}
    assert read_properties(write(tmp_path / "a.tsv", "dbpedia\tlabel\nshoeSize\tsize\n")) == wanted
    assert read_properties(write(tmp_path / "a.json", '{"shoeSize": "size"}')) == wanted


@pytest.mark.parametrize(
    ("name", "content", "says", "line"),
    [
        ("a.tsv", "dbpedia\twikidata\nx\tP1\n", "has no column 'label'", 1),
        ("a.tsv", "dbpedia\tlabel\nx\ty\nz\t\n", "has no label", 3),
        ("a.tsv", "dbpedia\tlabel\n-\ty\n", "has no name", 2),
        ("a.tsv", "dbpedia\tlabel\nx\ty\nX\tz\n", "maps 'X' a second time", 3),
        ("a.tsv", "dbpedia\tlabel\tinverse\nx\ty\tmaybe\n", "has 'maybe' for 'inverse'", 2),
        ("a.json", "[]", "is not an object", None),
        ("a.json", '{"x": 1}', "has no label", None),
        ("a.json", '{"x": {"label": "y", "inverse": 1}}', "for 'inverse'", None),
        ("a.json", "{", "is not JSON", None),
    ],
)  # fmt: skip
def test_a_wrong_mapping_is_said(
    name: str, content: str, says: str, line: int | None, tmp_path: Path
) -> None:
    path = write(tmp_path / name, content)
    with pytest.raises(DataError, match=says) as caught:
        read_properties(path)
    assert (caught.value.path, caught.value.line) == (path, line)
    assert caught.value.remedy
