"""The enriched corpus: what WebNLG has, and gold mentions with their offsets."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import adequa
from adequa.codec import item_from_object, item_to_object
from adequa.data import Item, Mention
from adequa.errors import DataError
from adequa.readers import enriched as placing
from adequa.readers.enriched import (
    EnrichedReader,
    Reference,
    gold_mentions,
    letters,
    place,
)

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


def placement(items: Iterable[Item]) -> tuple[int, int]:
    """The number of gold mentions with a known place, and of all gold mentions."""
    items = list(items)
    mentions = sum(len(item.meta["mentions"]) for item in items)
    return sum(len(gold_mentions(item)) for item in items), mentions


@pytest.mark.data
def test_the_real_dev_split_is_placed(data_dir: Path) -> None:
    items = [placed.item for placed in EnrichedReader().read(data_dir / "enriched" / "dev")]
    assert len(items) == len({item.id for item in items}) == 2_268
    assert sum(not item.text for item in items) == 6
    placed, mentions = placement(items)
    assert mentions == 9_842
    assert placed >= 9_830
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
    placed, mentions = placement(items)
    assert mentions == 78_595
    assert placed >= 78_470


def spans(text: str, template: str, *pairs: tuple[str, str]) -> list[str | None]:
    references = [
        Reference(tag, str(number), surface) for number, (tag, surface) in enumerate(pairs, 1)
    ]
    return [
        None if span is None else text[slice(*span)] for span in place(text, template, references)
    ]


@pytest.mark.parametrize(
    ("text", "template", "pairs", "wanted"),
    [
        (
            "Vexla Airport serves Vexla,Norn.",
            "AGENT-1 serves PATIENT-1 .",
            [("AGENT-1", "Vexla Airport"), ("PATIENT-1", "Vexla , Norn")],
            ["Vexla Airport", "Vexla,Norn"],
        ),
        (
            "He left. Later he, a poet, died.",
            "AGENT-1 left . Later AGENT-1 , a poet , died .",
            [("AGENT-1", "He"), ("AGENT-1", "he")],
            ["He", "he"],
        ),
        (
            "Norn's king rules the U.S.",
            "AGENT-1 king rules PATIENT-1",
            [("AGENT-1", "Norn 's"), ("PATIENT-1", "the U.S.")],
            ["Norn's", "the U.S."],
        ),
        (
            'Zoë is nicknamed "Zo" (a pun).',
            "AGENT-1 is nicknamed PATIENT-1 ( BRIDGE-1 ) .",
            [("AGENT-1", "Zoë"), ("PATIENT-1", "`` Zo ''"), ("BRIDGE-1", "( a pun )")],
            ["Zoë", '"Zo"', "(a pun)"],
        ),
        # A letter that folds into two.
        ("Große Straße!", "AGENT-1 AGENT-2", [("AGENT-1", "GROSSE")], ["Große"]),
        # The text has words the template lacks.
        (
            "The city has a runway, and it is in Norn.",
            "AGENT-1 is in PATIENT-1 .",
            [("AGENT-1", "it"), ("PATIENT-1", "Norn")],
            ["it", "Norn"],
        ),
        # A tag sticks to a word; another has a typing error.
        (
            "Norn, number 7, is wet.",
            "AGENT-1, number,PATIENT-q) is BRIDGE-1",
            [("AGENT-1", "Norn"), ("PATIENT-q", "7"), ("BRIDGE-1", "wet")],
            ["Norn", "7", "wet"],
        ),
        # Not inside another word, and not where it could be either of two.
        ("The architect left.", "AGENT-1 left", [("AGENT-1", "it")], [None]),
        ("it or it", "", [("AGENT-1", "it")], [None]),
        ("A text.", "AGENT-1 is a text .", [("AGENT-1", "Another thing")], [None]),
        # Without a template the words must stand there once, and be free.
        ("A text.", "", [("AGENT-1", "text")], ["text"]),
        ("West Norn", "AGENT-1", [("AGENT-1", "West Norn"), ("X", "Norn")], ["West Norn", None]),
        ("A text.", "AGENT-1 .", [("AGENT-1", "…")], [None]),
        ("A text.", "AGENT-1 .", [("AGENT-1", "")], [None]),
        ("", "AGENT-1 .", [("AGENT-1", "text")], [None]),
        ("A text.", "AGENT-1 text .", [], []),
    ],
)
def test_words_are_placed(
    text: str, template: str, pairs: list[tuple[str, str]], wanted: list[str | None]
) -> None:
    assert spans(text, template, *pairs) == wanted


def test_a_tag_is_not_the_beginning_of_another() -> None:
    pairs = [("PATIENT-1", "one"), ("PATIENT-10", "ten")]
    assert spans("ten and one", "PATIENT-10 and PATIENT-1", *pairs) == ["one", "ten"]


def test_numbers_tell_which_of_equal_tags_is_annotated() -> None:
    references = [Reference("AGENT-1", "2", "Norn")]
    assert place("Norn is Norn.", "AGENT-1 is AGENT-1 .", references) == [(8, 12)]


def test_a_text_no_one_annotated_is_not_aligned() -> None:
    text = "word " * placing.MAX_LENGTH
    assert place(text, text, [Reference("AGENT-1", "1", "word")]) == [None]


names = st.lists(st.text("abcéßΣ '.1İ", min_size=1, max_size=8), min_size=1, max_size=6)


@given(names, names, st.text(max_size=40))
def test_a_span_holds_the_letters_of_its_words(
    surfaces: list[str], fillers: list[str], noise: str
) -> None:
    references = [
        Reference(f"AGENT-{number}", str(number), surface)
        for number, surface in enumerate(surfaces, 1)
    ]
    pairs = list(zip(references, fillers, strict=False))
    template = " ".join(f"{reference.tag} {filler}" for reference, filler in pairs)
    filled = " ".join(f"{reference.surface} {filler}" for reference, filler in pairs)
    for text in (filled, noise, filled + noise):
        found = place(text, template, references)
        last = 0
        for span in sorted(span for span in found if span):
            assert span[0] >= last
            last = span[1]
        for span, reference in zip(found, references, strict=True):
            if span is not None:
                assert letters(text[slice(*span)]) == letters(reference.surface) != ""


@given(st.lists(st.sampled_from(["Norn", "the king", "A. B.", "7,5"]), min_size=1, max_size=5))
def test_every_surface_of_a_faithful_template_is_placed(surfaces: list[str]) -> None:
    references = [
        Reference("AGENT-1", str(number), surface) for number, surface in enumerate(surfaces, 1)
    ]
    text = " and ".join(surfaces)
    found = place(text, " and ".join("AGENT-1" for _ in surfaces), references)
    assert [text[slice(*span)] if span else None for span in found] == surfaces
