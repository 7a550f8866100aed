"""One graph in every form that somebody may paste."""

from __future__ import annotations

import json

import pytest

from adequa.errors import DataError
from adequa.readers.formats import parse_graph, read_pasted

TRIPLES = (("Alba", "port", "Oban"), ("Alba", "built", "1974"))
PREFIX = "http://example.org/"
FORMS = {
    "bars": "Alba | port | Oban\nAlba | built | 1974",
    "markers": "<S> Alba <P> port <O> Oban <S> Alba <P> built <O> 1974",
    "json": json.dumps(TRIPLES),
    "item": json.dumps({"triples": TRIPLES, "text": "not this one"}),
    "attributes": "name[Alba], port[Oban], built[1974]",
    "turtle": f'@prefix : <{PREFIX}> .\n:Alba :port :Oban ; :built "1974" .',
    "sparql": f'# a comment\nPREFIX e: <{PREFIX}>\ne:Alba e:port e:Oban ; e:built "1974" .',
    "ntriples": (
        f'<{PREFIX}Alba> <{PREFIX}port> <{PREFIX}Oban> .\n<{PREFIX}Alba> <{PREFIX}built> "1974" .'
    ),
    "jsonld": json.dumps(
        {
            "@id": f"{PREFIX}Alba",
            f"{PREFIX}port": {"@id": f"{PREFIX}Oban"},
            f"{PREFIX}built": "1974",
        }
    ),
    "xml": (
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
        f'xmlns:e="{PREFIX}"><rdf:Description rdf:about="{PREFIX}Alba">'
        f'<e:port rdf:resource="{PREFIX}Oban"/><e:built>1974</e:built>'
        "</rdf:Description></rdf:RDF>"
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_triples(form):
    assert sorted(read_pasted(FORMS[form]).triples) == sorted(TRIPLES)


def test_a_nested_object_is_read_as_a_record():
    item = read_pasted('{"name": "Alba", "port": "Oban"}')
    assert [triple.object for triple in item.triples if triple.predicate == "port"] == ["Oban"]


@pytest.mark.parametrize(
    ("written", "line", "words"),
    [
        ("", None, "has no triples"),
        ("Alba sails", None, "no form of triples"),
        ("@prefix : <http://e.org/> .\n:Alba :port", 2, ""),
        ('{"triples": 3}', None, "triples"),
        ('{"triples": [', None, "is not JSON"),
        ("<!DOCTYPE html><html></html>", None, "neither WebNLG nor RDF/XML"),
    ],
)
def test_what_cannot_be_read_is_told_without_a_file_nobody_knows(written, line, words):
    with pytest.raises(DataError) as told:
        read_pasted(written)
    assert told.value.path is None
    assert words in told.value.problem
    assert line is None or told.value.line == line


def test_several_graphs_are_refused():
    with pytest.raises(DataError, match="several graphs"):
        parse_graph("A | p | B && B | p | C\nD | p | E")
    with pytest.raises(DataError, match="several items"):
        read_pasted("@prefix : <http://e.org/> .\n:g { :a :p :b }\n:h { :a :p :c }")
