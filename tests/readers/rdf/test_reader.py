"""RDF in its syntaxes: graphs and subjects to items, terms to readable strings and back."""

from __future__ import annotations

import contextlib
import gc
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import adequa
from adequa.codec import item_from_object, item_to_object
from adequa.data import Item, Term, Triple
from adequa.errors import DataError, SettingError, UnknownName
from adequa.files import dump_line, load_object
from adequa.readers import load_reader
from adequa.readers.rdf import parser as rdf_parser
from adequa.readers.rdf.parser import MAX_DEPTH
from adequa.readers.rdf.reader import RdfReader
from adequa.readers.rdf.terms import local_name

XSD = "http://www.w3.org/2001/XMLSchema#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
PREFIXES = f"""
@prefix : <http://example.org/> .
@prefix rdfs: <{RDFS}> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> .
@prefix dct: <http://purl.org/dc/terms/> .
"""

Read = Callable[..., list[Item]]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Items of a file with a name and a content."""

    def read(name: str, content: str | bytes, *, bare: bool = False, **options: Any) -> list[Item]:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return [placed.item for placed in RdfReader(**options).read(path, bare=bare)]

    return read


def facts(item: Item) -> list[tuple[str, ...]]:
    return [tuple(triple) for triple in item.triples]


TRIPLES = f"""\
<http://example.org/Old_Mill> <http://example.org/builtIn> "1802"^^<{XSD}gYear> .
<http://example.org/Old_Mill> <http://example.org/motto> "Wasser ist Kraft"@de .
<http://example.org/Old_Mill> <http://example.org/river> <http://example.org/Ahr> .
<http://example.org/Ahr> <{RDFS}label> "the Ahr"@en .
"""
SAME_GRAPH = {
    "mill.nt": TRIPLES,
    "mill.nq": TRIPLES,
    "mill.ttl": f"""{PREFIXES}
        :Old_Mill :builtIn "1802"^^<{XSD}gYear> ; :motto "Wasser ist Kraft"@de ; :river :Ahr .
        :Ahr rdfs:label "the Ahr"@en .""",
    "mill.n3": f"""{PREFIXES}
        :Old_Mill :builtIn "1802"^^<{XSD}gYear> ; :motto "Wasser ist Kraft"@de ; :river :Ahr .
        :Ahr rdfs:label "the Ahr"@en .""",
    "mill.trig": f"""{PREFIXES}
        {{ :Old_Mill :builtIn "1802"^^<{XSD}gYear> ; :motto "Wasser ist Kraft"@de ; :river :Ahr . }}
        :Ahr rdfs:label "the Ahr"@en .""",
    "mill.rdf": f"""<?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE rdf:RDF [<!ENTITY xsd "{XSD}">]>
        <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:rdfs="{RDFS}"
                 xmlns="http://example.org/">
          <rdf:Description rdf:about="http://example.org/Old_Mill">
            <builtIn rdf:datatype="&xsd;gYear">1802</builtIn>
            <motto xml:lang="de">Wasser ist Kraft</motto>
            <river><rdf:Description rdf:about="http://example.org/Ahr">
              <rdfs:label xml:lang="en">the Ahr</rdfs:label></rdf:Description></river>
          </rdf:Description>
        </rdf:RDF>""",
    "mill.jsonld": f"""{{
        "@context": {{"@vocab": "http://example.org/", "label": "{RDFS}label"}},
        "@id": "http://example.org/Old_Mill",
        "builtIn": {{"@value": "1802", "@type": "{XSD}gYear"}},
        "motto": {{"@value": "Wasser ist Kraft", "@language": "de"}},
        "river": {{"@id": "http://example.org/Ahr",
                   "label": {{"@value": "the Ahr", "@language": "en"}}}}}}""",
}


@pytest.mark.parametrize("name", SAME_GRAPH)
def test_every_syntax_gives_the_same_item(read: Read, name: str) -> None:
    (item,) = read(name, SAME_GRAPH[name])
    assert (item.id, item.text, item.meta) == ("mill", "", {})
    assert set(facts(item)) == {
        ("Old_Mill", "builtIn", "1802"),
        ("Old_Mill", "motto", "Wasser ist Kraft"),
        ("Old_Mill", "river", "the Ahr"),
    }
    assert item.terms == {
        "Old_Mill": Term(iri="http://example.org/Old_Mill"),
        "builtIn": Term(iri="http://example.org/builtIn"),
        "1802": Term(datatype=f"{XSD}gYear"),
        "motto": Term(iri="http://example.org/motto"),
        "Wasser ist Kraft": Term(lang="de"),
        "river": Term(iri="http://example.org/river"),
        "the Ahr": Term("the Ahr", "http://example.org/Ahr", lang="en"),
    }


def test_the_syntax_can_be_named(read: Read, tmp_path: Path) -> None:
    assert len(read("mill", TRIPLES, syntax="ntriples")) == 1
    with pytest.raises(DataError, match=r"mill: has an ending \(none\) .* rdf:syntax=jsonld"):
        list(RdfReader().read(tmp_path / "mill"))
    with pytest.raises(UnknownName, match="did you mean 'turtle'"):
        read("mill", "", syntax="turtel")


def test_the_format_is_recognised(tmp_path: Path) -> None:
    path = tmp_path / "mill.xml"
    path.write_text(SAME_GRAPH["mill.rdf"], encoding="utf-8")
    (item,) = adequa.read(path)
    assert len(item.triples) == 3


def test_a_named_graph_is_an_item(read: Read) -> None:
    quads = """\
<http://e.org/a> <http://e.org/p> "1" <http://e.org/g1> .
<http://e.org/a> <http://e.org/p> "2" <http://e.org/g2> .
<http://e.org/a> <http://e.org/p> "3" .
<http://e.org/a> <http://e.org/p> "4" <http://e.org/g1> .
<http://e.org/a> <http://e.org/p> "5" _:g3 .
"""
    items = read("four.nq", quads)
    assert [(item.id, [triple.object for triple in item.triples]) for item in items] == [
        ("http://e.org/g1", ["1", "4"]),
        ("http://e.org/g2", ["2"]),
        ("four", ["3"]),
        ("_:b0", ["5"]),
    ]


def test_a_statement_made_twice_is_one_fact(read: Read) -> None:
    line = '<http://e.org/a> <http://e.org/p> "1" .\n'
    other = '<http://e.org/b> <http://e.org/p> "1" .\n'
    for content in (line * 2, line + other + line):
        assert len(read("a.nt", content)[0].triples) == len(set(content.splitlines()))
        assert read("a.nt", content) == read("a.nq", content)


class TestLabels:
    def test_the_best_label_names_the_term(self, read: Read) -> None:
        (item,) = read(
            "a.ttl",
            PREFIXES
            + """
            :a :p :b , :c , :d . :p rdfs:label "beside" .
            :b rdfs:label "Wien"@de , "Vienna"@en-GB , "VIE" . :c skos:prefLabel "Sea"@en .
            :d foaf:name "Dora" .
            """,
        )
        assert facts(item) == [
            ("a", "beside", "Vienna"),
            ("a", "beside", "Sea"),
            ("a", "beside", "Dora"),
        ]
        assert item.terms["Vienna"] == Term("Vienna", "http://example.org/b", lang="en-gb")
        assert item.meta == {
            "labels": {"Vienna": [{"label": "Wien", "lang": "de"}, {"label": "VIE", "lang": None}]}
        }

    def test_the_language_is_a_setting(self, read: Read) -> None:
        text = PREFIXES + ':a :p :b . :b rdfs:label "Vienna"@en , "Wien"@de .'
        assert facts(read("a.ttl", text, label_lang="de")[0]) == [("a", "p", "Wien")]

    def test_labels_serve_all_graphs(self, read: Read) -> None:
        text = PREFIXES + ':g { :a :p :b } :labels { :b rdfs:label "Bea" }'
        (item,) = read("a.trig", text)
        assert (item.id, facts(item)) == ("http://example.org/g", [("a", "p", "Bea")])

    def test_a_name_beside_a_label_is_a_fact_unless_it_says_the_same(self, read: Read) -> None:
        text = ':b rdfs:label "Book 1" ; dct:title "Dune" . :c rdfs:label "C" ; foaf:name "C" .'
        (item,) = read("a.ttl", f"{PREFIXES} {text} :c :p :b .")
        assert facts(item) == [("Book 1", "title", "Dune"), ("C", "p", "Book 1")]

    def test_labels_are_facts_where_there_are_no_others(self, read: Read) -> None:
        for name in ("a.ttl", "a.nt"):
            text = f'<http://example.org/b> <{RDFS}label> "Bea" .\n'
            (item,) = read(name, text)
            assert facts(item) == [("b", "label", "Bea")]

    def test_an_invisible_label_names_nothing(self, read: Read) -> None:
        (item,) = read("a.ttl", PREFIXES + ':a :p :b . :b rdfs:label " " .')
        assert facts(item) == [("a", "p", "b"), ("b", "label", " ")]

    @pytest.mark.parametrize(
        ("iri", "name"),
        [
            ("http://e.org/resource/Aarhus_Airport", "Aarhus_Airport"),
            ("http://e.org/x#Y", "Y"),
            ("http://e.org/a/", "a"),
            ("http://e.org/x#", "x"),
            ("http://e.org", "e.org"),
            ("urn:isbn:12", "12"),
            ("http://e.org/Caf%C3%A9", "Café"),
            ("http://e.org/100%25%FF", "100%25%FF"),
            ("http://e.org/a%0Ab", "a%0Ab"),
            ("x:", "x:"),
        ],
    )
    def test_the_last_part_of_an_iri(self, iri: str, name: str) -> None:
        assert local_name(iri) == name


class TestClashes:
    def test_two_terms_never_share_a_string(self, read: Read) -> None:
        text = f"""
            :x :p <http://other.org/x> , "x" , "x"@en , "x"^^<{XSD}token> , "" .
            :l1 rdfs:label "Leo" . :l2 rdfs:label "Leo" . :l1 :p :l2 .
        """
        (item,) = read("a.ttl", PREFIXES + text)
        assert facts(item) == [
            ("x", "p", "http://other.org/x"),
            ("x", "p", '"x"'),
            ("x", "p", '"x"@en'),
            ("x", "p", f'"x"^^<{XSD}token>'),
            ("x", "p", '""'),
            ("Leo", "p", "l2"),
        ]
        assert item.terms["http://other.org/x"] == Term("x", "http://other.org/x")
        assert item.terms['"x"@en'] == Term("x", lang="en")
        assert item.terms['""'] == Term("", datatype=f"{XSD}string")
        assert item.terms["l2"] == Term("Leo", "http://example.org/l2")

    def test_items_do_not_mind_each_other(self, read: Read) -> None:
        text = PREFIXES + ":g { :x :p 1 } :h { <http://other.org/x> :p 1 }"
        assert [item.triples[0].subject for item in read("a.trig", text)] == ["x", "x"]

    def test_even_a_malicious_literal_is_told_apart(self, read: Read) -> None:
        iri = "http://e.org/x"
        values = ["x", iri, f"<{iri}>", f"<{iri}> 2"]
        text = "".join(f'<http://e.org/s> <http://e.org/p> "{value}" .\n' for value in values)
        (item,) = read("a.nt", text + f"<http://e.org/s> <http://e.org/p> <{iri}> .\n")
        assert item.triples[-1].object == f"<{iri}> 3"
        assert item.terms[f"<{iri}> 3"] == Term("x", iri)


class TestBlankNodes:
    def test_they_are_folded_into_paths(self, read: Read) -> None:
        text = ':pub :address [ :city "Ely" ; :geo [ :lat 52.4 ] ] ; :days ("Mon" "Tue" "Mon") .'
        (item,) = read("a.ttl", PREFIXES + text)
        assert facts(item) == [
            ("pub", "address.city", "Ely"),
            ("pub", "address.geo.lat", "52.4"),
            ("pub", "days", "Mon"),
            ("pub", "days", "Tue"),
        ]
        path = "<http://example.org/address>/<http://example.org/city>"
        assert item.terms["address.city"] == Term(iri=path)

    def test_one_with_a_label_is_called_by_it(self, read: Read) -> None:
        (item,) = read("a.ttl", PREFIXES + ':b :by [ foaf:name "Ann Lee" ; :born 1970 ] .')
        assert sorted(facts(item)) == [("Ann Lee", "born", "1970"), ("b", "by", "Ann Lee")]
        assert item.terms["Ann Lee"] == Term("Ann Lee", "_:b0")

    def test_what_cannot_be_folded_stays(self, read: Read) -> None:
        text = ":a :p _:shared ; :q _:shared ; :r [] . _:shared :s 1 . _:c :t _:d . _:d :t _:c ."
        (item,) = read("a.ttl", PREFIXES + text)
        assert facts(item) == [
            ("a", "p", "_:b0"),
            ("a", "q", "_:b0"),
            ("a", "r", "_:b1"),
            ("_:b0", "s", "1"),
            ("_:b2", "t.t", "_:b2"),
        ]

    def test_they_can_be_kept(self, read: Read) -> None:
        (item,) = read("a.ttl", PREFIXES + ':pub :at [ :city "Ely" ] .', blank="keep")
        assert sorted(facts(item)) == [("_:b0", "city", "Ely"), ("pub", "at", "_:b0")]

    def test_their_names_are_the_same_each_time(self, read: Read) -> None:
        text = PREFIXES + ":a :p [] , [] . [] :q :b . <http://e.org/c> :p _:given ."
        assert read("a.ttl", text) == read("a.ttl", text)

    def test_deep_nesting_does_not_multiply(self, read: Read) -> None:
        depth = 20_000
        text = ":a :p " + "[ :p 1 ; :p " * depth + "2" + " ]" * depth + " ."
        (item,) = read("a.ttl", PREFIXES + text)
        assert len(item.triples) == depth + 1 + depth // 16
        assert max(len(triple.predicate) for triple in item.triples) == 16 * 2 - 1


class TestSubjects:
    def test_a_subject_is_an_item_with_its_blank_nodes(self, read: Read) -> None:
        text = """
            :g { :pub :address [ :city "Ely" ] . :bar :near :pub . } :pub :stars 3 .
            _:x :p _:y . _:y :q 1 . :pub rdfs:label "The Pub" . :z rdfs:label "only named" .
            _:m :o _:n . _:n :o _:m .
        """
        items = read("a.trig", PREFIXES + text, group="subject")
        assert {item.id: sorted(facts(item)) for item in items} == {
            "http://example.org/pub": [
                ("The Pub", "address.city", "Ely"),
                ("The Pub", "stars", "3"),
            ],
            "http://example.org/bar": [("bar", "near", "The Pub")],
            "_:b0": [("_:b0", "p.q", "1")],
            "_:b1": [("_:b1", "o.o", "_:b1")],
        }
        assert items[0].meta["graphs"] == ["http://example.org/g"]

    def test_their_texts_are_their_own(self, read: Read) -> None:
        text = ':a :p 1 ; :says "A."@en . :b :p 2 . :c :p 3 ; :says "C1" , "C2" .'
        items = read("a.ttl", PREFIXES + text, group="subject", text="says")
        assert [(item.id[-3:], item.text, item.lang) for item in items] == [
            ("g/a", "A.", "en"),
            ("c/1", "C1", None),
            ("c/2", "C2", None),
        ]


class TestTexts:
    GRAPHS = PREFIXES + (
        ':g1 { :a :p 1 . :a :text "inside" } :g2 { :b :p 2 }'
        ':g2 :text "about" , "again" ; :made 2024 .'
    )

    @pytest.mark.parametrize("text", ["text", ":text", "http://example.org/text"])
    def test_a_property_has_them(self, read: Read, text: str) -> None:
        items = read("a.trig", self.GRAPHS, text=text)
        assert [(item.id, item.text) for item in items] == [
            ("http://example.org/g1", "inside"),
            ("http://example.org/g2/1", "about"),
            ("http://example.org/g2/2", "again"),
        ]
        assert facts(items[0]) == [("a", "p", "1")]

    def test_bare_items_have_them_as_references(self, read: Read) -> None:
        items = read("a.trig", self.GRAPHS, text="text", bare=True)
        assert [(item.text, item.references) for item in items] == [
            ("", ("inside",)),
            ("", ("about", "again")),
        ]

    def test_rdf_xml_prefixes_are_known(self, read: Read) -> None:
        content = SAME_GRAPH["mill.rdf"].replace("xmlns=", 'xmlns:e="http://example.org/" xmlns=')
        (item,) = read("mill.rdf", content, text="e:motto")
        assert (item.text, item.lang, len(item.triples)) == ("Wasser ist Kraft", "de", 2)

    @pytest.mark.parametrize(
        ("graphs", "text", "message"),
        [
            (":g { :a :p 1 } :h { :b :p 2 } :g :text 'x' .", "text", "graph <.*h> has no text"),
            (":a :p 1 .", "nothing", "no statement has the property 'nothing'"),
            (":a :p 1 .", "x:p", "no statement has the property 'x:p'"),
            (":a :text :b .", "text", "is <http://example.org/b>, not a literal"),
            (":a :p 1 ; :t 'x' ; <http://o.org/t> 'y' .", "t", "two properties are called 't'"),
            (":a :p 1 . :g { :b :text 'x' }", "text", "belongs to no item"),
        ],
    )
    def test_mistakes_are_named(self, read: Read, graphs: str, text: str, message: str) -> None:
        with pytest.raises(DataError, match=message):
            read("a.trig", PREFIXES + graphs, text=text)


class TestContiguous:
    def test_graphs_are_let_go_one_by_one(self, tmp_path: Path) -> None:
        path = tmp_path / "a.nq"
        path.write_text(
            "".join(
                f'<http://e.org/s> <http://e.org/p> "{number}" <http://e.org/g{number}> .\n'
                for number in range(5000)
            )
            + "broken\n"
        )
        items = RdfReader(contiguous=True).read(path)
        assert next(items).item.id == "http://e.org/g0"
        with pytest.raises(DataError, match=":5001: "):
            list(items)

    def test_it_gives_the_same_items(self, read: Read) -> None:
        text = TestTexts.GRAPHS.replace(":g2 :text", "} :g2 { :g2 :text").replace(
            "2024 .", "2024 }"
        )
        text = PREFIXES + ":g1 { :a :p 1 . :a :text 'inside' } :g2 { :b :p 2 . :g2 :text 'x' }"
        assert read("a.trig", text, text="text", contiguous=True) == read(
            "a.trig", text, text="text"
        )

    def test_a_text_that_comes_too_late_is_an_error(self, read: Read) -> None:
        quads = "".join(
            f'<http://e.org/s> <http://e.org/p> "{number}" <http://e.org/g> .\n'
            f'<http://e.org/g> <http://e.org/text> "{number}" <http://e.org/g> .\n'
            for number in range(2)
        )
        late = '<http://e.org/g> <http://e.org/text> "late" .\n'
        other = quads.replace("/g>", "/h>") * 600
        with pytest.raises(DataError, match=r"text of <http://e.org/g> belongs to no item"):
            read("a.nq", quads + other + late, text="text", contiguous=True)

    def test_subjects_do_not_stream(self) -> None:
        with pytest.raises(SettingError, match="cannot be combined with group=subject"):
            load_reader("rdf", contiguous="yes", group="subject")


BROKEN: dict[str, tuple[str, str | bytes, int | None, str]] = {
    "a line": ("a.nt", f"{TRIPLES}<http://e.org/a .\n", 5, "cannot be read as RDF"),
    "a line of quads": ("a.nq", f"{TRIPLES}<http://e.org/a .\n", 5, "cannot be read as RDF"),
    "Turtle": ("a.ttl", "\n\n:a :b :c .", 3, "prefix"),
    "cut off": ("a.ttl", f"{PREFIXES}:a :b", 7, "cannot be read as RDF"),
    "UTF-8": ("a.nt", TRIPLES.encode() + b'<http://a/> <http://b/> "\xff" .', 5, "UTF-8"),
    "UTF-16": ("a.ttl", PREFIXES.encode("utf-16"), 1, "is UTF-16, not UTF-8"),
    "relative IRI": ("a.ttl", "<a> <b> <c> .", 1, "rdf:base="),
    "space in an IRI": ("a.nt", '<http://e.org/a b> <http://e.org/p> "x" .', 1, "IRI"),
    "percent": ("a.nt", f'{TRIPLES}<http://e.org/%zz> <http://e.org/p> "x" .', 5, "percent"),
    "literal subject": ("a.nt", f'{TRIPLES}"Wasser" <http://e.org/p> "x" .\n', 5, "subject"),
    "literal predicate": ("a.nt", f'{TRIPLES}<http://e.org/a> "x" "x" .\n', 5, "predicate"),
    "language": (
        "a.nt",
        f'{TRIPLES}<http://e.org/a> <http://e.org/p> "x"@toolonglang .\n',
        5,
        "RDF",
    ),
    "datatype": ("a.nt", f'{TRIPLES}<http://e.org/a> <http://e.org/p> "x"^^<int> .\n', 5, "scheme"),
    "surrogate": ("a.nt", f'{TRIPLES}<http://e.org/a> <http://e.org/p> "\\uD800" .\n', 5, "D800"),
    "label of a bad IRI": ("a.nt", f'{TRIPLES}<http://e.org/%> <{RDFS}label> "x" .\n', 5, "IRI"),
    "no dot": ("a.nt", f"{TRIPLES}<http://e.org/a> <http://e.org/p> <http://e.org/b>\n", 6, "dot"),
    "remote context": ("a.jsonld", '{"@context": "https://schema.org/"}', None, "not|nothing is"),
    "JSON": ("a.jsonld", '{"@id":\n', 2, "cannot be read as RDF"),
    "deep JSON": ("a.jsonld", '{"http://p":' * 5000 + "1" + "}" * 5000, None, "levels deep"),
    "deep list": ("a.jsonld", "[" * 5000, None, "levels deep"),
    "XML": ("a.rdf", "<?xml version='1.0'?>\n<a><b></a>", 2, "not well-formed XML .mismatched"),
    "no XML": ("a.rdf", "", 1, "no element found"),
    "no RDF": ("a.rdf", "<a/>", None, "namespaces"),
    "Latin XML": ("a.rdf", b"<?xml version='1.0' encoding='latin1'?><a/>", None, "UTF-8"),
    "odd XML": ("a.rdf", b"<?xml version='1.0' encoding='klingon'?><a/>", 1, "encoding .*klingon"),
    "wide XML": ("a.rdf", b"<?xml version='1.0' encoding='big5'?><a/>", 1, "multi-byte encodings"),
    "deep XML": ("a.rdf", "<a>" * 5000, 1, "levels deep"),
    "RDF-star": ("a.ttl", "<x:a> <x:b> <<( <x:a> <x:b> <x:c> )>> .", None, "triple about a triple"),
    "RDF-star line": ("a.nt", "<x:a> <x:b> <<( <x:a> <x:b> <x:c> )>> .", None, "RDF-star"),
    "deep RDF-star": ("a.ttl", "<x:a> <x:b> " + "<<( <x:a> #)>>\n<x:b> " * 90_000, None, "'<<\\('"),
    "deep line": ("a.nt", "<x:a> <x:b> " + "<<( <x:a> <x:b> " * 90_000, None, "'<<\\('"),
    "a quote never closed": ("a.ttl", "<x:a> <x:b> '''" + "x" * 20_000_000, None, "16 MB"),
    "N3 rules": ("a.n3", "@prefix : <x:> . ?a :b :c .", None, "variables"),
    "a NUL": ("a.ttl", b"\0\0\0\0", 1, "cannot be read as RDF"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_files_are_named(read: Read, case: str) -> None:
    name, content, line, message = BROKEN[case]
    with pytest.raises(DataError, match=message) as caught:
        read(name, content)
    assert caught.value.path is not None
    assert caught.value.path.name == name
    assert caught.value.line == line
    assert caught.value.remedy
    assert "\n" not in str(caught.value)


ENTITIES = "".join(
    f'<!ENTITY e{number} "{f"&e{number - 1};" * 10 if number else "ha" * 50}">'
    for number in range(12)
)


@pytest.mark.parametrize(
    ("declarations", "body", "message"),
    [
        (ENTITIES, "&e11;", "'e1' is made of other entities"),
        ('<!ENTITY e SYSTEM "secret.txt">', "&e;", "'e' stands for another file"),
        ('<!ENTITY % e SYSTEM "secret.txt"> %e;', "", "'e' stands for another file"),
        (f'<!ENTITY e "{"ha" * 50_000}">', "&e;" * 50_000, "multiply its size"),
        ("", "&e;", "undefined entity"),
    ],
)
def test_entities_neither_multiply_nor_fetch(
    read: Read, tmp_path: Path, declarations: str, body: str, message: str
) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    document = f"""<!DOCTYPE r [{declarations}]>
        <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e.org/">
        <rdf:Description rdf:about="http://e.org/a"><e:p>{body}</e:p></rdf:Description>
        </rdf:RDF>"""
    with pytest.raises(DataError, match=message):
        read("a.rdf", document)


def test_nothing_is_fetched(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    with pytest.raises(DataError, match="put the @context into the file"):
        read("a.jsonld", '{"@context": "http://127.0.0.1/c", "@id": "x:a", "p": 1}')
    document = SAME_GRAPH["mill.rdf"].replace("[<!E", 'SYSTEM "http://127.0.0.1/d" [<!E')
    assert len(read("a.rdf", document)) == 1


def test_brackets_in_strings_are_no_nesting(read: Read) -> None:
    text = "[{" * 2 * MAX_DEPTH + '\\"' + "[{" * MAX_DEPTH + "\\\\"
    content = f'{{"@id": "http://e.org/a", "http://e.org/p": "{text}"}}'
    (item,) = read("a.jsonld", content)
    assert item.triples[0].object == text.replace('\\"', '"').replace("\\\\", "\\")
    lines = '<http://e.org/a> <http://e.org/p> "cout<<(1)"^^<x:code> .\n' * (2 * MAX_DEPTH)
    assert len(read("a.nt", lines.replace("^^", "\t^^"))[0].triples) == 1


def test_settings_are_checked() -> None:
    with pytest.raises(SettingError, match="one of graph, subject"):
        load_reader("rdf", group="grpah")
    with pytest.raises(SettingError, match="graph or subject"):
        RdfReader(group="grpah")  # type: ignore[arg-type]
    with pytest.raises(SettingError, match="fold or keep"):
        RdfReader(blank="drop")  # type: ignore[arg-type]


def test_the_base_is_a_setting(read: Read) -> None:
    (item,) = read("a.ttl", "<a> <b> <c> .", base="http://e.org/x/")
    assert item.terms["a"] == Term(iri="http://e.org/x/a")
    with pytest.raises(SettingError, match="rdf:base is not an IRI"):
        read("a.ttl", "", base="a b")


def test_a_file_without_statements_has_no_items(read: Read) -> None:
    for name in ("a.ttl", "a.nt", "a.nq", "a.trig"):
        assert read(name, "# nothing\n") == read(name, "") == []


# What stands below holds the two ways of reading N-Triples against each other, and against what
# was written.

QUIET = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
IRIS = st.builds(
    "http://{}.org/{}".format,
    st.sampled_from(["a", "b"]),
    st.text(st.sampled_from("abcXYZ_-.~!$'()*,;=:@/?#é中%20"), max_size=5)
    .filter(lambda text: text.count("#") < 2)
    .map(lambda text: text.replace("%", "%2F")),
) | st.sampled_from(["urn:x:a", "mailto:a@b.org", f"{RDFS}label", f"{RDFS}comment", f"{XSD}date"])
TEXTS = st.text(
    st.characters(exclude_categories=["Cs"]) | st.sampled_from('"\\<>_:@^. \n\r\t#'), max_size=8
) | st.sampled_from(["a", "label", "http://a.org/a", '"a"', "_:b0"])
LITERALS = st.one_of(
    st.tuples(TEXTS, st.just(""), st.just("")),
    st.tuples(TEXTS, st.just(""), st.sampled_from(["en", "de", "en-GB"])),
    st.tuples(TEXTS, st.sampled_from([f"{XSD}date", "http://a.org/T", "urn:t"]), st.just("")),
)
STATEMENTS = st.lists(st.tuples(IRIS, IRIS, IRIS | LITERALS), min_size=1, max_size=12)

TWO_EMPTY = [("urn:a", "urn:p", ("", "", "")), ("urn:a", "urn:p", ("", "", "en-GB"))]


def written(term: Any, *, escape: bool) -> str:
    if isinstance(term, str):
        return f"<{term}>"
    value, datatype, lang = term
    marks = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r"}
    text = "".join(marks.get(mark, mark) for mark in value)
    if escape:
        text = "".join(
            mark if mark.isascii() else f"\\u{ord(mark):04X}" if ord(mark) < 65536 else mark
            for mark in text
        )
    return f'"{text}"' + (f"@{lang}" if lang else f"^^<{datatype}>" if datatype else "")


def understood(string: str, item: Item) -> Any:
    term = item.terms.get(string, Term())
    if term.iri is not None:
        return term.iri
    value = string if term.label is None else term.label
    datatype = "" if term.datatype == f"{XSD}string" else term.datatype or ""
    return value, datatype, term.lang or ""


@QUIET
@example(statements=TWO_EMPTY, escape=True, end="\n")
@given(statements=STATEMENTS, escape=st.booleans(), end=st.sampled_from(["\n", "", "\r\n"]))
def test_what_is_written_is_read(
    read: Read, statements: list[tuple[Any, Any, Any]], escape: bool, end: str
) -> None:
    lines = [" ".join(written(term, escape=escape) for term in row) + " ." for row in statements]
    content = "\n".join(lines) + end
    (item,) = read("a.nt", content)
    assert [item] == read("a.nq", content)
    expected = {
        tuple(term if isinstance(term, str) else (*term[:2], term[2].lower()) for term in statement)
        for statement in statements
    }
    found = {tuple(understood(string, item) for string in triple) for triple in item.triples}
    labels = {row for row in expected - found if row[1] == f"{RDFS}label"}
    assert found == expected - labels
    assert len(item.triples) == len(found)
    assert item_from_object(load_object(dump_line(item_to_object(item)))) == item


PIECES = st.sampled_from(
    [
        *(
            "<http://a.org/a>",
            "<http://a.org/p>",
            "<urn:x>",
            "<b>",
            "<http://a.org/ >",
            "_:b",
            "_:",
        ),
        *(f"<{RDFS}label>", '"x"', '"x"@en', '"x"@EN', '"x"@', f'"1"^^<{XSD}int>', '"', '""'),
        *(f'"x"^^<{XSD}string>', '"\\u00e9"', '"\\x"', "<<(", ")>>", "\\", ".", "..", "#", "é"),
        *(" ", " ", " ", "  ", "\t", "\n", " .\n", " .\n", ".\n", "\r\n", "\0"),
    ]
)
LINES = st.builds(
    "{} {} {} .\n".format,
    st.sampled_from(["<http://a.org/a>", "<http://a.org/b>"]),
    st.sampled_from(["<http://a.org/p>", f"<{RDFS}label>"]),
    st.sampled_from(["<http://a.org/a>", '"x"', '"x"@en', f'"a > <{RDFS}label> b"']),
)


@settings(
    deadline=None, max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(parts=st.lists(PIECES | LINES, max_size=12))
def test_the_quick_way_takes_and_refuses_what_the_other_does(read: Read, parts: list[str]) -> None:
    content = "".join(parts)
    outcomes = []
    for name in ("a.nt", "a.nq"):
        try:
            outcomes.append(read(name, content))
        except DataError as error:
            outcomes.append((error.problem, error.line))
    if outcomes[0] != outcomes[1]:
        # Only N-Quads has a fourth term.
        assert "must be followed by a dot" in str(outcomes[0])


@QUIET
@given(
    content=st.binary(max_size=60) | st.sampled_from([c.encode() for c in SAME_GRAPH.values()]),
    name=st.sampled_from(list(SAME_GRAPH)),
    cut=st.integers(0, 400),
    junk=st.binary(max_size=3),
)
def test_any_bytes_are_items_or_an_error(
    read: Read, content: bytes, name: str, cut: int, junk: bytes
) -> None:
    for options in ({}, {"group": "subject"}, {"text": "motto"}):
        with contextlib.suppress(DataError):
            for item in read(name, content[:cut] + junk + content[cut + len(junk) :], **options):
                assert item.triples
                assert all(isinstance(triple, Triple) and all(triple) for triple in item.triples)


def test_blocks_do_not_show(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [
        f'<http://e.org/s{n % 7}> <http://e.org/p{n % 3}> "{n % 5}"@en .\n'
        f'<http://e.org/s{n % 7}> <{RDFS}label> "s {n % 7}" .\n'
        f"<http://e.org/s{n % 7}> <http://e.org/q> <http://e.org/s{n % 11}> .\n"
        for n in range(100)
    ]
    expected = read("a.nq", "".join(lines))
    for size in (1, 100, 1000):
        monkeypatch.setattr(rdf_parser, "_BLOCK_BYTES", size)
        assert read("a.nt", "".join(lines)) == expected


def test_the_collector_is_left_as_it_was(read: Read) -> None:
    assert gc.isenabled()
    read("a.nt", TRIPLES)
    with pytest.raises(DataError):
        read("a.nt", TRIPLES + "broken\n")
    assert gc.isenabled()
    gc.disable()
    try:
        read("a.nt", TRIPLES)
        assert not gc.isenabled()
    finally:
        gc.enable()
