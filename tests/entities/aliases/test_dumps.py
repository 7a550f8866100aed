"""Our reading of N-Triples, beside pyoxigraph's."""

from __future__ import annotations

import pyoxigraph
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.entities.aliases.dumps import (
    KINDS,
    LABEL,
    LINK,
    OTHER,
    REDIRECT,
    EntityNames,
    NameStatement,
    NTriplesLines,
    entity_key,
    parse_line,
    unescaped,
)
from adequa.errors import DataError

WANTED = "http://www.w3.org/2000/01/rdf-schema#label"


def everything() -> NTriplesLines:
    return NTriplesLines(KINDS, lambda _: True)


_words = st.text(
    st.characters(codec="utf-8", exclude_characters="\x00"), max_size=12
) | st.sampled_from(["\\", '\\"', '"', "\\\\", ' "@en . ', "a\nb", "\r"])
_iris = st.sampled_from(["http://x/a", "http://x/é#b", "urn:y"])
_literals = st.builds(pyoxigraph.Literal, _words) | st.builds(
    lambda text, lang: pyoxigraph.Literal(text, language=lang),
    _words,
    st.sampled_from(["en", "de", "en-gb"]),
)
_quads = st.builds(
    pyoxigraph.Quad,
    st.builds(pyoxigraph.NamedNode, _iris) | st.just(pyoxigraph.BlankNode("b")),
    st.builds(pyoxigraph.NamedNode, st.sampled_from([WANTED, "http://x/other"])),
    st.builds(pyoxigraph.NamedNode, _iris) | _literals | st.just(pyoxigraph.BlankNode("c")),
)


@given(st.lists(_quads, min_size=1, max_size=6), st.sampled_from([" ", "\t", "  "]))
def test_what_pyoxigraph_writes_is_read_back(quads: list[pyoxigraph.Quad], space: str) -> None:
    written = [str(quad) for quad in quads]
    if space != " ":
        # Only between the terms: the object begins after the second space.
        split = [line.split(" ", 2) for line in written]
        written = [f"{space.join(parts)}{space}.{space}# and" for parts in split]
    else:
        written = [f"{line} ." for line in written]
    lines = everything()
    found = list(lines.wanted("\n".join(written).encode()))
    assert lines.statements == len(quads)
    expected = []
    for number, quad in enumerate(quads, 1):
        iri = text = language = ""
        if isinstance(quad.object, pyoxigraph.NamedNode):
            iri = quad.object.value
        elif isinstance(quad.object, pyoxigraph.Literal):
            text, language = quad.object.value, quad.object.language or ""
        if quad.predicate.value == WANTED:
            expected.append((number, (str(quad.subject), WANTED, iri, text, language)))
    plain = [(number, (*one[:3], unescaped(one[3]), one[4])) for number, one in found]
    # A blank node as object says no name; both roads leave it empty, if they show it at all.
    assert [one for one in plain if any(one[1][2:])] == [one for one in expected if any(one[1][2:])]


@given(st.text(max_size=30) | st.text('<>"\\ ._:@ab#\t\r', max_size=30))
def test_any_line_is_a_statement_or_an_error(line: str) -> None:
    line = line.replace("\n", "")
    if parse_line(line) is not None:
        assert len(list(everything().wanted(line.encode()))) <= 1
        return
    try:
        assert list(everything().wanted(line.encode())) == []  # of no interest, and not looked into
    except DataError as error:
        assert error.line == 1  # noqa: PT017


@pytest.mark.parametrize(
    "line",
    [
        f'<http://x/a> <{WANTED}> "a" ',
        f'<http://x/a> <{WANTED}> "a" . x',
        f'<http://x/a> <{WANTED}> "a"b" .',
        f'<http://x/a> <{WANTED}> "a\\" .',
        f'<http://x/a> <{WANTED}> "a"@ .',
        f"<http://x/a> <{WANTED}> <http://x/b c> .",
        f'http://x/a <{WANTED}> "a" .',
        f'<http://x/a> {WANTED} "a" .',
        "<http://x/a> <http://x/p> .",
        "<http://x/a> <http://x/p> <http://x/b>",
        "anything",
    ],
)
def test_broken_lines(line: str) -> None:
    good = f'<http://x/a> <{WANTED}> "a"@en .'
    with pytest.raises(DataError) as caught:
        list(everything().wanted(f"{good}\n\n# comment\n{line}\n{good}".encode()))
    assert caught.value.line == 4
    assert "is not N-Triples" in str(caught.value)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", ("", "", "", "", "")),
        ("  # said", ("", "", "", "", "")),
        ('<a><b>"c"@en.', ("<a>", "b", "", "c", "en")),
        ('_:a <b> "c"^^<d> <graph> . # <', ("_:a", "b", "", "c", "")),
        ("<a> <b> _:c .\r", ("<a>", "b", "", "", "")),
        ("<a> <b> _:c.", ("<a>", "b", "", "", "")),
    ],
)
def test_other_ways_to_write_a_line(line: str, expected: tuple[str, ...]) -> None:
    assert parse_line(line) == expected


def test_escapes() -> None:
    assert unescaped(r"Caf\u00E9 \U0001F600 \"a\" \\u0041 \t") == 'Café 😀 "a" \\u0041 \t'
    assert unescaped(r"\uD83D\uDE00") == "😀"
    for wrong in (r"\uD83D", r"\x41", r"\u12", "\\U00110000", "\\"):
        with pytest.raises(DataError):
            unescaped(wrong)


def test_escapes_without_end_take_little_time_and_stack() -> None:
    long = '\\"' * 1_000_000
    ((_, one),) = everything().wanted(f'<http://x/a> <{WANTED}> "{long}"@en .'.encode())
    assert one[3] == long
    assert parse_line(f'<http://x/a>\t<{WANTED}> "{long} .') is None


@pytest.mark.parametrize(
    ("iri", "key"),
    [
        ("http://dbpedia.org/resource/Kestrel_Bay", "Kestrel_Bay"),
        ("http://de.dbpedia.org/resource/Caf%C3%A9_(Bar)", "Café_(Bar)"),
        ("http://dbpedia.org/resource/100%25_Wolf", "100%_Wolf"),
        ("http://dbpedia.org/resource/%FF", "%FF"),
        ("http://www.wikidata.org/entity/Q42", "Q42"),
        ("http://www.wikidata.org/entity/P31", None),
        ("https://en.wikipedia.org/wiki/Bex", None),
        ("http://example.org/things/a-b/", "a-b"),
        ("http://", "http:"),
        ("", None),
    ],
)
def test_keys(iri: str, key: str | None) -> None:
    assert entity_key(iri) == key


def test_languages_and_links() -> None:
    names = EntityNames("en")
    item = "http://www.wikidata.org/entity/Q7"
    about, same = "http://schema.org/about", "http://www.w3.org/2002/07/owl#sameAs"
    alternative = "http://schema.org/alternateName"

    def said(subject: str, predicate: str, iri: str = "", text: str = "", lang: str = "") -> object:
        return names.of((f"<{subject}>", predicate, iri, text, lang))

    assert said(item, WANTED, text="Bay", lang="en") == NameStatement(LABEL, "Q7", 0, "Bay")
    assert said(item, WANTED, text="Bay", lang="mul") == NameStatement(LABEL, "Q7", 1, "Bay")
    assert said(item, WANTED, text="Bay", lang="EN-gb") == NameStatement(LABEL, "Q7", 2, "Bay")
    assert said(item, WANTED, text="Bucht", lang="de") is None
    assert said(item, WANTED, text="enx", lang="enx") is None
    assert said(item, WANTED, text=" ", lang="en") is None
    assert said(item, WANTED, iri="http://x/a") is None
    assert said(item, alternative, text=" the  Bay ") == NameStatement(
        OTHER, "Q7", 3 * OTHER + 1, "the Bay"
    )
    page = "https://en.wikipedia.org/wiki/Kestrel_Bay"
    assert said(page, about, item) == NameStatement(LINK, "Q7", 0, "Kestrel_Bay")
    assert said(page.replace("en.", "de."), about, item) is None
    assert said(page, WANTED, text="Kestrel Bay", lang="en") is None
    resource = "http://dbpedia.org/resource/Kestrel_Bay"
    assert said(resource, same, item) == NameStatement(LINK, "Q7", 0, "Kestrel_Bay")
    assert said(item.replace("Q7", "Q9"), same, item) == NameStatement(LINK, "Q7", 0, "Q9")
    assert said("http://x/a", same, item) is None
    assert said(resource, same, "http://x/a") is None
    redirects = "http://dbpedia.org/ontology/wikiPageRedirects"
    old = resource.replace("Bay", "B%C3%A9")
    assert said(old, redirects, resource) == NameStatement(REDIRECT, "Kestrel_Bay", 0, "Kestrel_Bé")
