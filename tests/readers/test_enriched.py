"""The enriched corpus: what WebNLG has, and gold mentions with their offsets."""

from __future__ import annotations

from pathlib import Path

import pytest

import adequa
from adequa.data import Mention
from adequa.errors import DataError
from adequa.readers.enriched import EnrichedReader, gold_mentions, placement

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


def test_a_lex_is_an_item_with_its_annotations(tmp_path: Path) -> None:
    path = tmp_path / "1triples" / "City.xml"
    path.parent.mkdir()
    path.write_text(FILE, encoding="utf-8")
    (tmp_path / "2triples").mkdir()
    (tmp_path / "2triples" / "City.xml").write_text(FILE, encoding="utf-8")
    source = adequa.read(tmp_path)
    assert source.format == "enriched"
    item = next(iter(source))
    assert item.id == "1triples/City/Id7/Id1"
    assert item.text == "Vexla is in the land ."
    first, second, third = item.meta["mentions"]
    assert first == {
        "entity": "Vexla", "number": "1", "tag": "AGENT-1", "type": "name", "text": "Vexla",
        "start": 0, "end": 5,
    }  # fmt: skip
    assert item.text[second["start"] : second["end"]] == "the land"
    assert (third["start"], third["end"]) == (None, None)
    assert item.meta["sortedtripleset"] == [["Vexla | in | Norn"], []]
    assert item.meta["template"] == "AGENT-1 is in PATIENT-1 ."
    assert item.meta["entitymap"] == ["AGENT-1 | Vexla"]
    assert gold_mentions(item) == (Mention("Vexla", 0, 5, "gold"), Mention("Norn", 12, 20, "gold"))
    assert placement([item]) == (2, 3)


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("<text>Vexla is in the land .</text>", "", "<lex> has no <text>"),
        ("<lexicalization>", "<gloss/><lexicalization>", "<lex> holds <gloss>"),
        ("<lexicalization>", "<text>twice</text><lexicalization>", "<lex> holds <text>"),
    ],
)
def test_a_broken_lex_is_named(before: str, after: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_text(FILE.replace(before, after), encoding="utf-8")
    with pytest.raises(DataError, match=message):
        list(EnrichedReader().read(path))


@pytest.mark.data
def test_the_real_dev_split_is_placed(data_dir: Path) -> None:
    items = list(adequa.read(data_dir / "enriched" / "dev"))
    assert len(items) == 2_268
    placed, there = placement(items)
    assert there == 9_842
    assert placed / there > 0.99
    for item in items:
        for mention in gold_mentions(item):
            assert item.text[mention.start : mention.end].strip()
