"""WebNLG XML: every release, every odd corner, nothing lost, and errors that name the line."""

from __future__ import annotations

import dataclasses
import json
import pickle
import socket
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adequa.codec import item_from_object, item_to_object
from adequa.data import Item, Triple
from adequa.errors import DataError, SettingError
from adequa.readers import webnlg as webnlg_xml
from adequa.readers.base import PlacedItem
from adequa.readers.webnlg import WebNlgReader

SETS = """<originaltripleset><otriple>Vexla | in | "Norn"@en</otriple></originaltripleset>
<originaltripleset><otriple>Vexla | land | Norn</otriple></originaltripleset>
<modifiedtripleset>
  <mtriple>Vexla | country | Norn</mtriple>
  <mtriple>Norn | capital | "Old Vexla, 'the &lt;first&gt;'"</mtriple>
</modifiedtripleset>"""
LEX = """<lex comment="good" lid="Id1">Vexla is in Norn.</lex>
<lex comment="toFix" lid="Id2">Norn &amp; Vexla – “both”.</lex>"""
ENTRY = f"""<entry category="City" eid="Id7" shape="(X (X))" shape_type="chain" size="2">
{SETS}
{LEX}
</entry>"""


def document(*entries: str) -> str:
    head = "<?xml version='1.0' encoding='utf-8'?>"
    lines = [head, "<benchmark>", "<entries>", *entries, "</entries>", "</benchmark>", ""]
    return "\n".join(lines)


def write(folder: Path, text: str | bytes, name: str = "test.xml") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def read(path: Path, *, bare: bool = False, **settings: object) -> list[Item]:
    reader = WebNlgReader(**settings)  # type: ignore[arg-type]
    return [placed.item for placed in reader.read(path, bare=bare)]


def test_each_lex_is_an_item(tmp_path: Path) -> None:
    path = write(tmp_path, document(ENTRY))
    placed = list(WebNlgReader().read(path))
    assert [(one.path, one.line) for one in placed] == [(path, 4), (path, 4)]
    assert all(type(one) is PlacedItem for one in placed)
    first, second = (one.item for one in placed)
    assert first == Item(
        "Id7/Id1",
        (
            Triple("Vexla", "country", "Norn"),
            Triple("Norn", "capital", "\"Old Vexla, 'the <first>'\""),
        ),
        "Vexla is in Norn.",
        system="reference",
        category="City",
        references=("Norn & Vexla – “both”.",),
        meta={
            "eid": "Id7",
            "size": 2,
            "shape": "(X (X))",
            "shape_type": "chain",
            "lid": "Id1",
            "comment": "good",
            "originaltriplesets": [['Vexla | in | "Norn"@en'], ["Vexla | land | Norn"]],
        },
    )
    assert second.id == "Id7/Id2"
    assert second.references == ("Vexla is in Norn.",)
    assert second.meta["comment"] == "toFix"
    assert first.triples is second.triples


def test_bare_gives_an_item_an_entry(tmp_path: Path) -> None:
    path = write(tmp_path, document(ENTRY, ENTRY.replace("Id7", "Id8").replace(LEX, "")))
    first, second = read(path, bare=True)
    assert (first.id, first.text, first.system) == ("Id7", "", "")
    assert first.references == ("Vexla is in Norn.", "Norn & Vexla – “both”.")
    assert "lid" not in first.meta
    assert first.meta["shape"] == "(X (X))"
    assert (second.id, second.references) == ("Id8", ())


def test_the_original_triples_can_be_chosen(tmp_path: Path) -> None:
    item = read(write(tmp_path, document(ENTRY)), tripleset="original")[0]
    assert item.triples == (Triple("Vexla", "in", '"Norn"@en'),)
    assert item.meta["originaltriplesets"] == [["Vexla | land | Norn"]]
    assert item.meta["modifiedtriplesets"] == [
        ["Vexla | country | Norn", "Norn | capital | \"Old Vexla, 'the <first>'\""]
    ]


def test_a_tree_is_named_by_its_files_and_sorted_by_number(tmp_path: Path) -> None:
    for name in (
        "10triples/City.xml",
        "2triples/Food.xml",
        "2triples/City.xml",
        "1triples/City_allSolutions.xml",
        "3triples/Food.xml",
        "3triples/Food_allSolutions.xml",
        "3triples/Upper.XML",
    ):
        write(tmp_path, document(ENTRY), name)
    write(tmp_path, b"\x00\x05\x16\x07", "2triples/._City.xml")
    write(tmp_path, "not data", "2triples/notes.txt")
    assert [item.id for item in read(tmp_path, bare=True)] == [
        "1triples/City/Id7",
        "2triples/City/Id7",
        "2triples/Food/Id7",
        "3triples/Food/Id7",
        "3triples/Food_allSolutions/Id7",
        "3triples/Upper/Id7",
        "10triples/City/Id7",
    ]
    assert read(tmp_path)[0].id == "1triples/City/Id7/Id1"


def test_a_file_alone_in_its_folder_is_a_single_file(tmp_path: Path) -> None:
    write(tmp_path, document(ENTRY))
    assert [item.id for item in read(tmp_path)] == ["Id7/Id1", "Id7/Id2"]


TRANSLATED = document(
    f"""<entry category="City" eid="1" size="2">{SETS}
    <lex comment="good" lang="" lid="Id1">One.</lex><lex lang="" lid="Id2">Two.</lex>
    <lex comment="good" lang="br" lid="Id1">Unan.</lex>
    <lex comment="" lang="br" lid="Id3">Tri.</lex>
    <dbpedialinks><dbpedialink direction="en2br">Norn | sameAs | Nørn</dbpedialink></dbpedialinks>
    <links><link>Norn | includes | n</link></links></entry>"""
)


def test_translations_share_lids_and_are_told_apart(tmp_path: Path) -> None:
    path = write(tmp_path, TRANSLATED)
    items = read(path)
    assert [(item.id, item.lang, item.references) for item in items] == [
        ("1/Id1", None, ("Two.",)),
        ("1/Id2", None, ("One.",)),
        ("1/Id1/br", "br", ("Tri.",)),
        ("1/Id3", "br", ("Unan.",)),
    ]
    assert items[2].meta["lid"] == "Id1"
    assert items[0].meta["dbpedialinks"] == [{"direction": "en2br", "text": "Norn | sameAs | Nørn"}]
    assert items[0].meta["links"] == ["Norn | includes | n"]
    assert [item.id for item in read(path, lang="br")] == ["1/Id1/br", "1/Id3"]
    assert [item.id for item in read(path, lang="")] == ["1/Id1", "1/Id2"]
    (bare,) = read(path, lang="br", bare=True)
    assert (bare.lang, bare.references) == ("br", ("Unan.", "Tri."))
    with pytest.raises(DataError, match="no text in the language 'ru'"):
        read(path, lang="ru")


def test_what_is_unknown_is_kept(tmp_path: Path) -> None:
    text = document(ENTRY).replace("<mtriple>", '<mtriple id="1">', 1)
    text = text.replace('eid="Id7"', 'eid="Id7" seen="yes" source="x" lid="odd"')
    text = text.replace('lid="Id1"', 'lid="Id1" rater="9" shape="round"')
    text = text.replace("</entry>", "<note k='v'>a <b>c</b></note><links>loose</links></entry>")
    item = read(write(tmp_path, text), unseen=("City",))[0]
    assert item.meta["entry_seen"] == "yes"
    assert item.meta["seen"] is False
    assert item.meta["entry_lid"] == "odd"
    assert item.meta["lid"] == "Id1"
    assert item.meta["source"] == "x"
    assert item.meta["rater"] == "9"
    assert item.meta["shape"] == "(X (X))"
    assert item.meta["lex_shape"] == "round"
    triples, note, links = item.meta["elements"]
    assert '<mtriple id="1">Vexla | country | Norn</mtriple>' in triples
    assert note == '<note k="v">a <b>c</b></note>'
    assert links == "<links>loose</links>"


def test_texts_stay_as_they_are_but_for_layout(tmp_path: Path) -> None:
    entry = ENTRY.replace("Vexla is in Norn.", " kept \t")
    entry = entry.replace("Norn &amp; Vexla – “both”.", "\n      A text,\n      on lines.\n    ")
    spaces, lines = read(write(tmp_path, document(entry)))
    assert spaces.text == " kept \t"
    assert lines.text == "A text,\n      on lines."


def test_an_empty_text_is_a_text_but_no_reference(tmp_path: Path) -> None:
    entry = ENTRY.replace(">Vexla is in Norn.</lex>", "/>").replace("City", "")
    empty, full = read(write(tmp_path, document(entry)))
    assert (empty.text, empty.references) == ("", ("Norn & Vexla – “both”.",))
    assert full.references == ()


def test_comments_and_cdata_are_read_as_xml_says(tmp_path: Path) -> None:
    entry = ENTRY.replace("Vexla is", "Vex<!-- so -->la<?go on?> <![CDATA[<is> &]]>")
    entry = entry.replace("<mtriple>", "<!-- first --><mtriple>")
    assert read(write(tmp_path, document(entry)))[0].text == "Vexla <is> & in Norn."


@pytest.mark.parametrize("encoding", ["iso-8859-1", "utf-8-sig", "ascii"])
def test_a_declared_encoding_is_followed(encoding: str, tmp_path: Path) -> None:
    declared = encoding.removesuffix("-sig")
    text = document(ENTRY.replace("Vexla is", "Véxla is").replace("– “both”", "both"))
    raw = text.replace("'utf-8'", f"'{declared}'").encode(encoding, "xmlcharrefreplace")
    assert read(write(tmp_path, raw))[0].text == "Véxla is in Norn."


def types_file(folder: Path, name: str = "test-instance-types.json", **types: str) -> Path:
    return write(folder, json.dumps(types), name)


def test_instance_types_say_what_was_seen(tmp_path: Path) -> None:
    entries = [ENTRY.replace("Id7", f"Id{number}") for number in (1, 2, 3)]
    path = write(tmp_path, document(*entries))
    types_file(tmp_path, Id1="type1", Id2="type2", Id3="type3")
    wanted = [(True, "seen"), (False, "unseen_entities"), (False, "unseen_categories")]
    items = read(path, bare=True)
    assert [(item.meta["seen"], item.meta["instance_type"]) for item in items] == wanted
    other = types_file(tmp_path / "other", Id1="type3", Id2="type3", Id3="type3")
    assert not any(item.meta["seen"] for item in read(path, instance_types=other))
    items = read(path, unseen=("Food",))
    assert all(item.meta["seen"] is True and "instance_type" not in item.meta for item in items)


def test_of_several_files_of_types_the_one_named_like_the_data_is_taken(tmp_path: Path) -> None:
    path = write(tmp_path, document(ENTRY), "rdf-test-data-en.xml")
    types_file(tmp_path, "rdf-test-instance-types.json", Id7="type2")
    types_file(tmp_path, "parsing-instance-types.json", Id7="type1")
    assert read(path)[0].meta["instance_type"] == "unseen_entities"
    with pytest.raises(DataError, match="2 files of instance types"):
        read(write(tmp_path, document(ENTRY), "mine.xml"))


@pytest.mark.parametrize(
    ("types", "message"),
    [
        ("", "is not JSON"),
        ("[]", "is not a JSON object"),
        ('{"Id7": "type4"}', "the instance type of 'Id7' is not type1"),
        ('{"Id7": 1}', "the instance type of 'Id7' is not type1"),
        (b'{"Id7": "\xff"}', "is not UTF-8"),
        ('{"Id1": "type1"}', "test.xml:4: the entry 'Id7' has no instance type"),
    ],
)
def test_wrong_instance_types_are_named(types: str | bytes, message: str, tmp_path: Path) -> None:
    path = write(tmp_path, document(ENTRY))
    write(tmp_path, types, "test-instance-types.json")
    with pytest.raises(DataError, match=message) as caught:
        read(path)
    assert caught.value.remedy


def test_settings_are_checked(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="modified or original, not 'both'"):
        WebNlgReader(tripleset="both")  # type: ignore[arg-type]
    with pytest.raises(SettingError, match="not both"):
        WebNlgReader(instance_types=tmp_path, unseen=("City",))
    with pytest.raises(DataError, match="cannot be opened"):
        read(write(tmp_path, document(ENTRY)), instance_types=tmp_path / "none.json")


BOMB = "<!DOCTYPE b [<!ENTITY a 'aaaaaaaaaa'>" + "".join(
    f"<!ENTITY {name} '{f'&{before};' * 10}'>"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)
BROKEN: dict[str, tuple[str | bytes, str, int]] = {
    "an empty file": ("", "not well-formed XML .Document is empty", 1),
    "no XML at all": ("subject,text\n", "not well-formed XML .Start tag expected", 1),
    "another root": ("<rdf>\n</rdf>", "the root is <rdf>, not <benchmark>", 1),
    "a foreign namespace": ("<benchmark xmlns='urn:x'/>", "the root is", 1),
    "no entries": ("<benchmark>\n<entry/></benchmark>", "<benchmark> holds <entry>", 2),
    "no entry": ("<benchmark><entries/></benchmark>", "has no <entry>", 0),
    "another element": (document("<item/>"), "<entries> holds <item>", 4),
    "cut off": (document(ENTRY)[:300], "not well-formed XML", 7),
    "cut off in a tag": (document(ENTRY)[:60], "not well-formed XML", 3),
    "wrong bytes": (document(ENTRY).encode("latin-1", "replace").replace(b"is in", b"\xff"),
                    "not well-formed XML .Invalid bytes|not proper UTF-8", 11),
    "UTF-16": (document(ENTRY).encode("utf-16"), "is UTF-16, not UTF-8", 1),
    "an unknown encoding": (document(ENTRY).replace("utf-8", "klingon"), "ncoding", 1),
    "NUL": (document(ENTRY).replace("is in", "is\0in"), "not well-formed XML", 11),
    "an unknown entity": (document(ENTRY).replace("is in", "is&nbsp;in"), "nbsp", 11),
    "half a surrogate": (document(ENTRY).replace("is in", "&#xd800;"), "not well-formed", 11),
    "a bomb in a text": (BOMB + "]><benchmark>&i;</benchmark>", "mplification|DTD", 1),
    "a bomb in an attribute": (BOMB + "]><benchmark a='&i;'/>", "mplification|DTD|loop", 1),
    "an external entity": (
        "<!DOCTYPE b [<!ENTITY a SYSTEM 'file:///etc/hostname'>]><benchmark>&a;</benchmark>",
        "declares a DTD", 1),
    "an external DTD": (
        "<!DOCTYPE benchmark SYSTEM 'http://127.0.0.1:9/x.dtd'><benchmark/>", "declares a DTD", 1),
    "deep nesting": ("<benchmark>" + "<a>" * 100_000, "not well-formed XML .Excessive depth", 1),
    "a huge text": (f"<benchmark>{'x' * 11_000_000}</benchmark>", "not well-formed XML", 1),
    "no eid": (document(ENTRY.replace('eid="Id7"', "")), "<entry> has no eid", 4),
    "an empty eid": (document(ENTRY.replace("Id7", "")), "<entry> has no eid", 4),
    "no lid": (document(ENTRY.replace('lid="Id2"', "")), "<lex> has no lid", 12),
    "no lex": (document(ENTRY.replace(LEX, "")), "no <lex>.*texts=", 4),
    "markup in a lex": (document(ENTRY.replace("Vexla is", "<b>Vexla</b> is")),
                        "<lex> holds <b>, not only text.*'enriched'", 11),
    "no triples": (document(ENTRY.replace(SETS, "")), "no triple in a <modifiedtripleset>", 4),
    "no modified set": (document(ENTRY.replace("modified", "other")), "tripleset=original", 4),
    "two parts": (document(ENTRY.replace("Vexla | country | N", "Vexla | N")),
                  "'Vexla | Norn' is not 'subject | predicate | object'", 8),
    "four parts": (document(ENTRY.replace("country | N", "country | a | N")), "is not 'subject", 8),
    "an empty part": (document(ENTRY.replace("Vexla | country", " | country")), "is not 'subj", 8),
    "an empty triple": (document(ENTRY.replace("Vexla | country | Norn", "")), "is not 'subj", 8),
    "text between triples": (document(ENTRY.replace("</mtriple>\n  <", "</mtriple> so\n  <")),
                             "loose text at <mtriple>: 'so'", 8),
    "text in an entry": (document(ENTRY.replace("<lex", "so <lex", 1)), "loose text", 7),
    "text after an entry": (document(ENTRY + "so"), "loose text at <entry>: 'so'", 4),
    "text before an entry": (document("so" + ENTRY), "loose text at <entries>: 'so'", 3),
    "a triple in a triple": (document(ENTRY.replace("country | N", "country | <b/>N")),
                             "<mtriple> holds an unexpected <b>", 8),
    "a stranger in a set": (document(ENTRY.replace("<mtriple>", "<otriple/><mtriple>", 1)),
                            "<modifiedtripleset> holds an unexpected <otriple>", 8),
}  # fmt: skip


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("name", BROKEN)
def test_broken_files_are_named_by_line_and_remedy(
    name: str, streamed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        pytest.fail("a file was read over the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    if streamed:
        monkeypatch.setattr(webnlg_xml, "WHOLE_BYTES", 0)
    text, message, line = BROKEN[name]
    path = write(tmp_path, text)
    with pytest.raises(DataError, match=message) as caught:
        read(path)
    assert caught.value.path == path
    assert (caught.value.line or 0) == line
    assert caught.value.remedy
    assert "\n" not in str(caught.value)


def test_a_folder_without_xml_and_a_missing_file_are_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="has no XML file"):
        read(tmp_path)
    with pytest.raises(DataError, match="cannot be opened"):
        read(tmp_path / "none.xml")


def test_a_large_file_is_streamed_to_the_same_items(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = [ENTRY.replace("Id7", f"Id{number}") for number in range(300)]
    path = write(tmp_path, document(*entries) + "<!-- end -->")
    whole = list(WebNlgReader().read(path))
    monkeypatch.setattr(webnlg_xml, "WHOLE_BYTES", 0)
    assert list(WebNlgReader().read(path)) == whole
    assert len(whole) == 600


texts = st.text(st.characters(exclude_categories=["Cs", "Cc", "Cn"]), max_size=30)
names = st.text("abc_É'\"&<>,.()1", min_size=1, max_size=8)


@given(triples=st.lists(st.tuples(names, names, names), min_size=1), sentences=st.lists(texts))
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_file_gives_back_what_was_written(
    tmp_path: Path, triples: list[tuple[str, str, str]], sentences: list[str]
) -> None:
    def escape(text: str) -> str:
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")

    rows = "".join(f"<mtriple>{escape(' | '.join(row))}</mtriple>" for row in triples)
    lexes = "".join(
        f'<lex lid="Id{number}">{escape(text)}</lex>' for number, text in enumerate(sentences)
    )
    entry = f'<entry eid="Id1"><modifiedtripleset>{rows}</modifiedtripleset>{lexes}</entry>'
    path = write(tmp_path, document(entry))
    (item,) = read(path, bare=True)
    assert item.triples == tuple(Triple(*row) for row in triples)
    assert item.references == tuple(filter(None, sentences))
    if sentences:
        assert [item.text for item in read(path)] == sentences


def test_items_survive_json_and_pickle(tmp_path: Path) -> None:
    for item in read(write(tmp_path, TRANSLATED)):
        assert item_from_object(json.loads(json.dumps(item_to_object(item)))) == item
        assert pickle.loads(pickle.dumps(item)) == item


def test_an_item_that_was_read_is_frozen(tmp_path: Path) -> None:
    for item in read(write(tmp_path, TRANSLATED)):
        fields = {field.name: getattr(item, field.name) for field in dataclasses.fields(Item)}
        assert type(item) is Item
        assert item == Item(**fields)
        assert repr(item) == repr(Item(**fields))
        assert replace(item, text="new") == Item(**{**fields, "text": "new"})
        with pytest.raises(AttributeError):
            item.text = "new"  # type: ignore[misc]


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "entries", "texts"),
    [
        ("webnlg2020/train", 13_229, 35_415),
        ("webnlg2020/dev", 1_669, 4_468),
        ("webnlg2020/test", 1_779, 5_150),
        ("webnlg2020/test/rdf-to-text-generation-test-data-with-refs-en.xml", 1_779, 5_150),
        ("webnlg2017/test/testdata_with_lex.xml", 1_862, 4_928),
    ],
)
def test_the_real_files_have_the_published_counts(
    name: str, entries: int, texts: int, data_dir: Path
) -> None:
    bare = read(data_dir / name, bare=True)
    assert len(bare) == len({item.id for item in bare}) == entries
    items = read(data_dir / name)
    assert len(items) == len({item.id for item in items}) == texts
    assert sum(len(item.references) for item in bare) == texts
    assert all(len(item.triples) == item.meta["size"] for item in bare)
    assert all(item.text == item.text.strip() != "" for item in items)
    assert {item.system for item in items} == {"reference"}
    if "triples" in items[0].id:
        parts = {tuple(item.id.split("/")[:2]) for item in items}
        assert {f"{size}triples" for size in range(1, 8)} == {folder for folder, _ in parts}
        assert {name for _, name in parts} == {item.category for item in items}


@pytest.mark.data
def test_the_real_instance_types_are_found(data_dir: Path) -> None:
    path = data_dir / "webnlg2020/test/rdf-to-text-generation-test-data-with-refs-en.xml"
    items = read(path, bare=True)
    assert [item.id for item in items] == [f"Id{number}" for number in range(1, 1_780)]
    counts = Counter(item.meta["instance_type"] for item in items)
    assert sum(counts.values()) == 1_779
    assert counts["unseen_categories"] == 896
    unseen = [item for item in items if item.category in {"Film", "MusicalWork", "Scientist"}]
    assert {item.meta["instance_type"] for item in unseen} == {"unseen_categories"}
    assert sum(item.meta["seen"] for item in items) == counts["seen"]


@pytest.mark.data
def test_the_real_test_of_2017_keeps_all_original_triples(data_dir: Path) -> None:
    path = data_dir / "webnlg2017/test/testdata_with_lex.xml"
    unseen = ("Artist", "Athlete", "CelestialBody", "MeanOfTransportation", "Politician")
    items = read(path, bare=True, unseen=unseen)
    assert sum(len(item.meta["originaltriplesets"]) for item in items) == 2_586
    assert sum(item.meta["seen"] for item in items) == 971
