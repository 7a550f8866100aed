"""The enriched corpus: what WebNLG has, and gold mentions with their offsets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import adequa
from adequa.codec import item_from_object, item_to_object
from adequa.data import Item, Mention
from adequa.errors import DataError
from adequa.readers.enriched import EnrichedReader, gold_mentions, letters, placement

LEX = """<lex comment="good" lid="Id1">
  <sortedtripleset><sentence ID="1"><striple>Vexla | in | Norn</striple></sentence>
    <sentence ID="2"/></sortedtripleset>
  <references>
    <reference entity="Vexla" number="1" tag="AGENT-1" type="name">Vexla</reference>
    <reference entity="Norn" number="2" tag="PATIENT-1" type="description">the land</reference>
    <reference entity="Norn" number="3" tag="PATIENT-1" type="name">Elsewhere</reference>
  </references>
  <text>Vexla is in the land .</text>
  <template>AGENT-1 is in PATIENT-1 .</template>
  <lexicalization>AGENT-1 VP be in PATIENT-1 .</lexicalization>
</lex>"""
FILE = f"""<?xml version="1.0"?><benchmark><entries><entry category="City" eid="Id7" size="1">
<originaltripleset><otriple>Vexla | in | Norn</otriple></originaltripleset>
<modifiedtripleset><mtriple>Vexla | in | Norn</mtriple></modifiedtripleset>
{LEX}
<entitymap><entity>AGENT-1 | Vexla</entity></entitymap></entry></entries></benchmark>"""


def read(folder: Path, text: str = FILE, *, bare: bool = False) -> list[Item]:
    path = folder / "a.xml"
    path.write_text(text, encoding="utf-8")
    return [placed.item for placed in EnrichedReader().read(path, bare=bare)]


def test_a_tree_is_recognised_and_named_like_the_plain_corpus(tmp_path: Path) -> None:
    for name in ("1triples", "2triples"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "City.xml").write_text(FILE, encoding="utf-8")
    source = adequa.read(tmp_path)
    assert source.format == "enriched"
    assert [item.id for item in source] == ["1triples/City/Id7/Id1", "2triples/City/Id7/Id1"]


def test_a_lex_is_an_item_with_its_annotations(tmp_path: Path) -> None:
    (item,) = read(tmp_path)
    assert (item.id, item.system, item.category) == ("Id7/Id1", "reference", "City")
    assert item.text == "Vexla is in the land ."
    assert dict(item.meta) == {
        "eid": "Id7",
        "size": 1,
        "lid": "Id1",
        "comment": "good",
        "originaltriplesets": [["Vexla | in | Norn"]],
        "sortedtripleset": [["Vexla | in | Norn"], []],
        "template": "AGENT-1 is in PATIENT-1 .",
        "lexicalization": "AGENT-1 VP be in PATIENT-1 .",
        "entitymap": ["AGENT-1 | Vexla"],
        "mentions": [
            {"entity": "Vexla", "text": "Vexla", "type": "name", "number": "1",
             "tag": "AGENT-1", "start": 0, "end": 5},
            {"entity": "Norn", "text": "the land", "type": "description", "number": "2",
             "tag": "PATIENT-1", "start": 12, "end": 20},
            {"entity": "Norn", "text": "Elsewhere", "type": "name", "number": "3",
             "tag": "PATIENT-1", "start": None, "end": None},
        ],
    }  # fmt: skip
    gold = (Mention("Vexla", 0, 5, "gold"), Mention("Norn", 12, 20, "gold"))
    assert gold_mentions(item) == gold
    assert placement([item]) == (2, 3)
    again = item_from_object(json.loads(json.dumps(item_to_object(item))))
    assert again == item
    assert gold_mentions(again) == gold


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [
        ("<text>Vexla is in the land .</text>", "", ""),
        ("<text>Vexla is in the land .</text>", "<text/>", ""),
        ("<template>AGENT-1 is in PATIENT-1 .</template>", "", "Vexla is in the land ."),
        (LEX[LEX.index("<references>") : LEX.index("<text>")], "", "Vexla is in the land ."),
        (LEX[LEX.index("<sorted") : LEX.index("<references>")], "", "Vexla is in the land ."),
    ],
)
def test_a_lex_may_lack_a_part(before: str, after: str, text: str, tmp_path: Path) -> None:
    assert before in FILE
    (item,) = read(tmp_path, FILE.replace(before, after))
    assert item.text == text
    assert isinstance(item.meta["mentions"], list)


def test_an_empty_text_is_no_reference(tmp_path: Path) -> None:
    empty = LEX.replace("Id1", "Id2").replace("Vexla is in the land .", "")
    first, second = read(tmp_path, FILE.replace(LEX, LEX + empty))
    assert first.references == ()
    assert second.references == ("Vexla is in the land .",)
    (whole,) = read(tmp_path, FILE.replace(LEX, LEX + empty), bare=True)
    assert (whole.id, whole.text, whole.references) == ("Id7", "", ("Vexla is in the land .",))


def test_what_is_unknown_is_kept(tmp_path: Path) -> None:
    text = FILE.replace("<lexicalization>", '<gloss a="1">so</gloss><lexicalization>')
    text = text.replace('ID="2"', 'ID="5"').replace('number="1"', 'number="1" start="x"')
    (item,) = read(tmp_path, text)
    assert item.meta["lex_elements"][0] == '<gloss a="1">so</gloss>'
    assert 'ID="5"' in item.meta["lex_elements"][1]
    assert item.meta["mentions"][0]["reference_start"] == "x"
    assert item.meta["mentions"][0]["start"] == 0


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("<lexicalization>", "<text>twice</text><lexicalization>", "two <text>"),
        ("<text>", '<text lang="en">', "attributes on <text>"),
        ("<text>", "loose <text>", "loose text at <references>: 'loose'"),
        ("<text>Vexla", "<text><b>Vexla</b>", "<text> holds <b>"),
        ("<reference entity", "<mention/><reference entity", "<references> holds <mention>"),
        (LEX, '<lex lid="Id1">A text.</lex>', "plain text.*'webnlg'"),
        (LEX, "", "no <lex>"),
    ],
)
def test_a_broken_lex_is_named(before: str, after: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=message) as caught:
        read(tmp_path, FILE.replace(before, after, 1))
    assert caught.value.line is not None
    assert caught.value.remedy


@pytest.mark.parametrize("mentions", [[{"entity": "Norn"}], ["Norn"], 7])
def test_mentions_of_another_kind_are_refused(mentions: object) -> None:
    item = Item("Id1", (), "", meta={"mentions": mentions})
    with pytest.raises(DataError, match="enriched corpus"):
        gold_mentions(item)


def test_an_item_without_annotation_has_no_gold() -> None:
    assert gold_mentions(Item("Id1", (), "")) == ()


@pytest.mark.data
def test_the_real_dev_split_is_placed(data_dir: Path) -> None:
    items = [placed.item for placed in EnrichedReader().read(data_dir / "enriched" / "dev")]
    assert len(items) == len({item.id for item in items}) == 2_268
    assert sum(not item.text for item in items) == 6
    assert placement(items).mentions == 9_842
    assert placement(items).placed >= 9_830
    for item in items:
        for mention in item.meta["mentions"]:
            if mention["start"] is not None:
                span = item.text[mention["start"] : mention["end"]]
                assert letters(span) == letters(mention["text"])


@pytest.mark.data
def test_the_real_train_split_is_placed(data_dir: Path) -> None:
    items = [placed.item for placed in EnrichedReader().read(data_dir / "enriched" / "train")]
    assert len(items) == len({item.id for item in items}) == 18_102
    assert all(item.text for item in items)
    assert placement(items).mentions == 78_595
    assert placement(items).placed >= 78_470
