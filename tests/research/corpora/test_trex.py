"""T-REx: documents to sentences with triples."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adequa.data import Item, Term, Triple
from adequa.errors import DataError
from adequa.readers import open_source
from adequa.readers.formats import recognise
from research.corpora.trex import TrexReader, read_labels

ENTITY = "http://www.wikidata.org/entity/"
PROPERTY = "http://www.wikidata.org/prop/direct/"
TEXT = "Tarnova lies on the Ilm. It is wet. It borders Weststadt since 1911."
LINKER, COREFERENCE = "Wikidata_Spotlight_Entity_Linker", "Simple_Coreference"
DATE = "1911-01-01T00:00:00Z^^http://www.w3.org/2001/XMLSchema#dateTime"


def mention(uri: str, form: str, annotator: str = LINKER, after: int = 0) -> dict[str, Any]:
    start = TEXT.index(form, after)
    return {
        "uri": uri,
        "boundaries": [start, start + len(form)],
        "surfaceform": form,
        "annotator": annotator,
    }


TOWN = mention(ENTITY + "Q1", "Tarnova")
PRONOUN = mention(ENTITY + "Q1", "It", COREFERENCE, after=30)
RIVER, NEIGHBOUR = mention(ENTITY + "Q2", "Ilm"), mention(ENTITY + "Q3", "Weststadt")
YEAR = mention(DATE, "1911", "Date_Linker")


def triple(subject: Any, predicate: str, value: Any, sentence: int) -> dict[str, Any]:
    return {
        "subject": subject,
        "predicate": {
            "uri": PROPERTY + predicate,
            "boundaries": None,
            "surfaceform": None,
            "annotator": "SPOAligner",
        },
        "object": value,
        "sentence_id": sentence,
        "dependency_path": None,
        "confidence": None,
        "annotator": "SPOAligner",
    }


DOCUMENT: dict[str, Any] = {
    "docid": ENTITY + "Q1",
    "title": "Tarnova, Upper Ilm",
    "uri": ENTITY + "Q1",
    "text": TEXT,
    "sentences_boundaries": [[0, 24], [25, 35], [36, 68]],
    "words_boundaries": [[0, 7], [8, 12], [36, 38]],
    "entities": [TOWN, RIVER, PRONOUN, NEIGHBOUR, YEAR],
    "triples": [
        triple(PRONOUN, "P47", NEIGHBOUR, 2),
        triple(TOWN, "P206", RIVER, 0),
        triple(PRONOUN, "P571", YEAR, 2),
        triple(PRONOUN, "P47", NEIGHBOUR, 2),
    ],
}


def write(path: Path, *documents: Any) -> Path:
    path.write_text(json.dumps(list(documents)), encoding="utf-8")
    return path


def read(path: Path, *, bare: bool = False, labels: Path | None = None) -> list[Item]:
    return [place.item for place in TrexReader(labels=labels).read(path, bare=bare)]


def test_a_sentence_with_triples_is_an_item(tmp_path: Path) -> None:
    path = write(tmp_path / "re-nlg_0-1.json", DOCUMENT)
    assert recognise(path) == "trex"
    first, second = open_source(path)
    assert (first.id, second.id) == ("Q1/0", "Q1/2")
    assert first.text == "Tarnova lies on the Ilm."
    assert second.text == "It borders Weststadt since 1911."
    assert first.triples == (Triple("Tarnova, Upper Ilm", "P206", "Ilm"),)
    # Once, though two aligners found it; the title stands for "It".
    assert second.triples == (
        Triple("Tarnova, Upper Ilm", "P47", "Weststadt"),
        Triple("Tarnova, Upper Ilm", "P571", "1911-01-01T00:00:00Z"),
    )
    assert second.terms["Weststadt"] == Term(iri=ENTITY + "Q3")
    assert second.terms["1911-01-01T00:00:00Z"] == Term(
        datatype="http://www.w3.org/2001/XMLSchema#dateTime"
    )


def test_nothing_of_a_sentence_is_lost(tmp_path: Path) -> None:
    document = {**DOCUMENT, "source": "by hand"}
    _, item = read(write(tmp_path / "a.json", document))
    assert item.meta["source"] == "by hand"
    assert (item.meta["docid"], item.meta["title"]) == (DOCUMENT["docid"], DOCUMENT["title"])
    assert (item.meta["sentence"], item.meta["start"], item.meta["end"]) == (2, 36, 68)
    assert item.meta["entities"] == [PRONOUN, NEIGHBOUR, YEAR]
    assert item.meta["words"] == [[36, 38]]
    assert [one["predicate"]["uri"][-4:] for one in item.meta["triples"]] == [
        "/P47",
        "P571",
        "/P47",
    ]
    for one in item.meta["entities"]:
        start, end = (edge - item.meta["start"] for edge in one["boundaries"])
        assert item.text[start:end] == one["surfaceform"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("labels.tsv", f"# comment\nP47\tshares border with\n{ENTITY}Q3\tWeststadt am Ilm\n\n"),
        ("labels.json", '{"P47": "shares border with", "Q3": "Weststadt am Ilm"}'),
    ],
)
def test_labels_come_from_a_file(name: str, content: str, tmp_path: Path) -> None:
    labels = tmp_path / name
    labels.write_text(content, encoding="utf-8")
    path = write(tmp_path / "a.json", DOCUMENT)
    source = open_source(path, format=f"trex:labels={labels}")
    assert Triple("Tarnova, Upper Ilm", "shares border with", "Weststadt am Ilm") in {
        triple for item in source for triple in item.triples
    }
    assert labels in source.files


def test_without_a_title_a_name_of_the_text_is_taken_and_no_pronoun(tmp_path: Path) -> None:
    document = {**DOCUMENT, "title": None}
    _, second = read(write(tmp_path / "a.json", document))
    assert second.triples[0].subject == "Tarnova"
    document = {**document, "entities": []}
    _, second = read(write(tmp_path / "a.json", document))
    assert second.triples[0] == Triple("Q1", "P47", "Weststadt")


def test_bare_sentences_are_references(tmp_path: Path) -> None:
    first, _ = read(write(tmp_path / "a.json", DOCUMENT), bare=True)
    assert (first.text, first.references) == ("", ("Tarnova lies on the Ilm.",))


def test_documents_one_after_another(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    other = {**DOCUMENT, "docid": ENTITY + "Q9", "triples": []}
    path.write_text(f"{json.dumps(other)}\n{json.dumps(DOCUMENT)}\n", encoding="utf-8")
    assert recognise(path) == "trex"
    assert [place.line for place in TrexReader().read(path)] == [2, 2]


def change(key: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda document: document.__setitem__(key, value)


BAD: list[tuple[Callable[[dict[str, Any]], None], str]] = [
    (lambda document: document.pop("docid"), "has no 'docid'"),
    (change("docid", ""), "'docid' is empty"),
    (change("text", None), "'text' is null, not a string"),
    (lambda document: document.pop("sentences_boundaries"), "has no 'sentences_boundaries'"),
    (change("sentences_boundaries", [[0, 24], [25, 35], [36, 69]]), "pair, number 2"),
    (change("sentences_boundaries", [[9, 2]]), "pair, number 0"),
    (change("sentences_boundaries", [[0, 24]]), "triple 1 has no sentence (2 of 1)"),
    (change("words_boundaries", {}), "'words_boundaries' is an object"),
    (change("triples", {}), "'triples' is not a list of objects"),
    (change("entities", [1]), "'entities' is not a list of objects"),
    (lambda document: document["triples"][1].pop("sentence_id"), "triple 2 has no sentence"),
    (lambda document: document["triples"][1].update(sentence_id=True), "triple 2 has no sentence"),
    (lambda document: document["triples"][1].update(object="Ilm"), "a triple's 'object' is"),
    (lambda document: document["triples"][1]["subject"].update(uri=None), "'uri' is null"),
]


@pytest.mark.parametrize(("spoil", "says"), BAD, ids=[says for _, says in BAD])
def test_an_error_names_its_line(
    spoil: Callable[[dict[str, Any]], None], says: str, tmp_path: Path
) -> None:
    document = copy.deepcopy(DOCUMENT)
    spoil(document)
    path = write(tmp_path / "a.json", document)
    with pytest.raises(DataError) as caught:
        read(path)
    assert says in str(caught.value)
    assert (caught.value.path, caught.value.line) == (path, 1)


def test_a_list_of_anything_but_objects_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("[1, 2]", encoding="utf-8")
    with pytest.raises(DataError, match=r"a\.json:1: is a number, not an object"):
        read(path)


@pytest.mark.parametrize(
    ("name", "content", "says", "line"),
    [
        ("a.tsv", "P1\tone\nP2\n", "is not an identifier and a label", 2),
        ("a.tsv", "P1\tone\nP1\ttwo\n", "has a second label for 'P1'", 2),
        ("a.json", "[]", "is not an object of labels", None),
        ("a.json", '{"P1": 1}', "is not an object of labels", None),
        ("a.json", "{", "is not JSON", None),
    ],
)
def test_wrong_labels(name: str, content: str, says: str, line: int | None, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    with pytest.raises(DataError, match=says) as caught:
        read_labels(path)
    assert (caught.value.path, caught.value.line) == (path, line)
