"""The detector: what is found of some data in a text, case by case."""

from __future__ import annotations

import pickle
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.data import Item, Mention, Term, Triple
from adequa.entities.detector import Detector, Search, find_cores
from adequa.entities.graph import compile_graph
from adequa.text.words import PreparedText

ADEQUACY = Detector()
MENTIONS = Detector(mode="mentions")


def mentions(
    text: str, *triples: tuple[str, str, str], detector: Detector = ADEQUACY
) -> tuple[Mention, ...]:
    item = Item("1", tuple(Triple(*triple) for triple in triples), text)
    return detector.detect(item).mentions


def found(text: str, predicate: str, value: str, detector: Detector = ADEQUACY) -> set[str]:
    """How the value of a fact about Qqq is found in a text: the spans."""
    seen = mentions(text, ("Qqq", predicate, value), detector=detector)
    return {text[one.start : one.end] for one in seen if one.entity == value}


# The value's predicate, the value, a text that says it, and the words that do.
SAID = [
    # articles, brackets, camel case, accents, punctuation
    ("band", "The_Beatles", "It is by Beatles.", "Beatles"),
    ("band", "Beatles", "It is by The Beatles.", "Beatles"),
    ("song", "Mermaid_(Train_song)", "They sang Mermaid.", "Mermaid"),
    ("song", "Mermaid_(Train_song)", "It is the Train song Mermaid.", "Train song Mermaid"),
    ("work", "windowCleaning", "They do window cleaning.", "window cleaning"),
    ("work", "airDefence", "They do air-defence.", "air-defence"),
    ("city", "São_Paulo", "It is in Sao Paulo.", "Sao Paulo"),
    ("city", "Sao_Paulo", "It is in SÃO PAULO.", "SÃO PAULO"),
    ("city", "St._Louis,_Missouri", "It is in St Louis, Missouri.", "St Louis, Missouri"),
    ("leader", '"Ann Bell"@en', "Ann Bell leads.", "Ann Bell"),
    # comma heads
    ("place", "Adams_County,_Pennsylvania", "It is in Adams County.", "Adams County"),
    (
        "place",
        "Adams_County,_Pennsylvania",
        "It is in Adams County in Pennsylvania.",
        "Adams County in Pennsylvania",
    ),
    # plurals
    ("ingredient", "Tomato", "It has tomatoes.", "tomatoes"),
    ("ingredient", "Onions", "It has an onion.", "onion"),
    # demonyms, languages, peoples
    ("nationality", "United_States", "She is an American.", "American"),
    ("country", "Spain", "It is a Spanish dish.", "Spanish"),
    ("ethnicGroup", "Turkish_people", "They are Turkish.", "Turkish"),
    ("language", "English_language", "They speak English.", "English"),
    ("genre", "Soul_music", "She sings soul.", "soul"),
    # acronyms and abbreviations
    ("country", "United_States", "It is in the USA.", "USA"),
    ("country", "United_Kingdom", "It is in the UK.", "UK"),
    ("almaMater", "Massachusetts_Institute_of_Technology", "She went to MIT.", "MIT"),
    # surnames, clubs, words in another order
    ("author", "Ted_Willis", "Willis wrote it.", "Willis"),
    ("club", "A.C._Milan", "He plays for Milan.", "Milan"),
    ("club", "FC_Terek_Grozny", "He plays for Terek Grozny.", "Terek Grozny"),
    ("almaMater", "Aalborg_University", "At the University of Aalborg.", "University of Aalborg"),
    # misspelt
    ("author", "Ted_Willis", "Ted Wilis wrote it.", "Ted Wilis"),
    ("city", "Grozny", "It is in Groznyy.", "Groznyy"),
    # numbers
    ("population", "16800", "It has 16800 people.", "16800"),
    ("population", "16800", "It has 16,800 people.", "16,800"),
    ("population", "16800", "It has 16.8 thousand people.", "16.8 thousand"),
    ("population", "2500000", "It has 2.5 million people.", "2.5 million"),
    ("height", '"25.3"^^xsd:double', "It is 25.3 metres high.", "25.3"),
    ("runtime", '"52.0"(minutes)', "It runs 52 minutes.", "52"),
    ("share", '"12.5%"', "Water makes 12.5 percent.", "12.5"),
    ("share", '"12.5 percent"', "Water makes 12.5%.", "12.5"),
    ("rank", "3", "It was the third.", "third"),
    ("rank", "3", "It was 3rd.", "3rd"),
    ("children", "4", "She has four children.", "four"),
    ("temperature", "-5", "It is -5 degrees.", "-5"),
    # conversions
    ("length_(in_metres)", "1000", "It is 1 km long.", "1"),
    ("height", "1.78 (metres)", "She is 178 cm tall.", "178"),
    ("weight", "60.5 (kilograms)", "She weighs 60500 grams.", "60500"),
    ("length_(in_metres)", "610", "It is 2000 feet long.", "2000"),
    # partial dates and years
    ("birthDate", "1957-05-03", "She was born in 1957.", "1957"),
    ("birthDate", "1957-05-03", "She was born in May 1957.", "May 1957"),
    ("birthYear", "1957", "She was born on 3 May 1957.", "3 May 1957"),
    # truth values
    ("familyFriendly", "yes", "It is a family-friendly pub.", "family-friendly"),
    ("isFamilyFriendly", "true", "It is family friendly.", "family friendly"),
    # scripts, and letters of any size
    ("city", "Москва", "It is in москва.", "москва"),
    ("city", "東京", "It is in 東京 now.", "東京"),
    ("city", "القاهرة", "It is in القاهرة now.", "القاهرة"),
    ("leader", "Ted_Willis", "TED WILLIS LEADS.", "TED WILLIS"),
    ("leader", "Ted_Willis", "ted willis leads.", "ted willis"),
    # addresses
    ("leader", "http://dbpedia.org/resource/Ted_Willis", "By Ted Willis.", "Ted Willis"),
]


@pytest.mark.parametrize(("predicate", "value", "text", "span"), SAID)
def test_values_that_are_found(predicate: str, value: str, text: str, span: str) -> None:
    assert found(text, predicate, value) == {span}


DATES = [
    *("3 May 1957", "May 3, 1957", "May 3rd, 1957", "3rd of May 1957", "3rd May, 1957"),
    *("1957-05-03", "03/05/1957", "05/03/1957", "3.5.1957", "May 3 1957", "3 may 1957"),
    *("3-May-1957", "1957 May 3"),
]


@pytest.mark.parametrize("date", DATES)
@pytest.mark.parametrize("value", ["1957-05-03", '"1957-05-03"^^xsd:date'])
def test_dates_in_many_forms(value: str, date: str) -> None:
    assert found(f"Born on {date}, she lived.", "birthDate", value) == {date}


NOT_SAID = [
    # day and month confused, other dates
    ("birthDate", "1957-05-03", "She was born on 5 March 1957."),
    ("birthDate", "1957-05-03", "She was born on March 5, 1957."),
    ("birthDate", "1957-05-03", "She was born on 1957-03-05."),
    ("birthDate", "1957-05-03", "She was born on 3 May 1956."),
    ("birthDate", "1957-05-03", "She was born in May 1958."),
    ("birthYear", "1957", "She was born in 1975."),
    # other numbers
    ("population", "16800", "It has 16,000 people."),
    ("population", "16800", "It has 168000 people."),
    ("population", "16800", "It has 16.8 million people."),
    ("children", "4", "She has five children."),
    ("height", "1.78 (metres)", "She is 187 cm tall."),
    # other names
    ("author", "Ted_Willis", "Taylor Willis wrote it."),
    ("author", "Ted_Willis", "Ted Hughes wrote it."),
    ("crewMember", "Alan_Shepard", "Alan Bean was aboard."),
    ("country", "United_States", "It told us so."),
    ("country", "Iraq", "It is in Iran."),
    ("country", "Austria", "It is in Australia."),
    ("country", "North_Korea", "It is in South Korea."),
    ("city", "Bucharest", "It is in Budapest."),
    ("city", "New_York", "It is in York."),
    ("city", "Москва", "It is in Киев."),
    ("mission", "Apollo_12", "It was Apollo 13."),
    ("familyFriendly", "yes", "It is nice."),
    ("author", "Ted_Willis", ""),
    ("author", "Ted_Willis", "  \n "),
]


@pytest.mark.parametrize(("predicate", "value", "text"), NOT_SAID)
def test_values_that_are_not_found(predicate: str, value: str, text: str) -> None:
    assert found(text, predicate, value) == set()


def entities(text: str, *triples: tuple[str, str, str], detector: Detector = ADEQUACY) -> set[str]:
    return {mention.entity for mention in mentions(text, *triples, detector=detector)}


def test_a_name_within_a_name() -> None:
    club = ("FC_Terek_Grozny", "ground", "Grozny")
    assert entities("FC Terek Grozny plays.", club) == {"FC_Terek_Grozny"}
    assert entities("FC Terek Grozny plays in Grozny.", club) == {"FC_Terek_Grozny", "Grozny"}
    place = ("Abilene,_Texas", "isPartOf", "Texas")
    assert entities("Abilene, Texas, is old.", place) == {"Abilene,_Texas", "Texas"}
    assert entities("Abilene is old.", place) == {"Abilene,_Texas"}


def test_a_thing_of_a_list() -> None:
    soup = '"Celery, salt, pepper and cream"'
    facts = ("Soup", "ingredient", "Celery"), ("Soup", "ingredients", soup)
    assert entities("Soup has celery, salt, pepper and cream.", *facts) == {"Soup", "Celery", soup}
    assert entities("Soup has celery.", *facts) == {"Soup", "Celery"}


def test_conversions_are_a_choice() -> None:
    exact = Detector(conversions=False)
    assert found("It is 1 km long.", "length_(in_metres)", "1000", exact) == set()
    assert found("It is 1000 m long.", "length_(in_metres)", "1000", exact) == {"1000"}
    (method,) = {
        one.method
        for one in mentions("It is 1 km long.", ("Qqq", "length_(in_metres)", "1000"))
        if one.entity == "1000"
    }
    assert method == "converted number"


def test_the_threshold_is_a_choice() -> None:
    assert found("By Ted Wilis.", "author", "Ted_Willis", Detector(threshold=0.0)) == set()
    assert found("By Ted Wilis.", "author", "Ted_Willis", Detector(threshold=0.2)) == {"Ted Wilis"}
    (mention,) = mentions("By Ted Wilis.", ("Qqq", "author", "Ted_Willis"))
    assert mention.method == "fuzzy"
    assert mention.distance == pytest.approx(1 / 9, abs=1e-6)


def test_labels_and_aliases() -> None:
    address = "http://www.wikidata.org/entity/Q64"
    item = Item("1", (Triple("Qqq", "city", address),), "It is in Berlin.")
    assert ADEQUACY.detect(item).found == set()
    labelled = Item("1", item.triples, item.text, terms={address: Term(label="Berlin")})
    assert ADEQUACY.detect(labelled).found == {address}
    assert ADEQUACY.detect(item, {address: ["Berlin"]}).found == {address}


def test_mentions_mode_draws_wider_and_finds_pronouns() -> None:
    text = "The Acharya Institute is old. It is in Leeds. The institute has 200 staff."
    facts = ("Acharya_Institute", "city", "Leeds"), ("Acharya_Institute", "staff", "200")
    spans = [text[one.start : one.end] for one in mentions(text, *facts, detector=MENTIONS)]
    assert spans[:3] == ["The Acharya Institute", "It", "Leeds"]
    assert "200" in " ".join(spans)
    narrow = [text[one.start : one.end] for one in mentions(text, *facts)]
    assert narrow == ["Acharya Institute", "Leeds", "200"]


def test_no_triples_no_mentions() -> None:
    assert mentions("Ann Bell was born on 3 May 1957.") == ()
    assert mentions("It is old.", detector=MENTIONS) == ()


FACTS = (
    Triple("Ann_Bell", "birthPlace", "Abilene,_Texas"),
    Triple("Abilene,_Texas", "population", "16800"),
    Triple("Ann_Bell", "birthDate", "1957-05-03"),
    Triple("Ann_Bell", "likes", '"celery, Añb, 😀 and 3 m"'),
)
PIECES = st.sampled_from(
    [
        *("Ann", "Bell", "abilene", "Texas", "16,800", "3 May 1957", "it", "the", "She", "'s"),
        *("\u0301", "\u202e", "\u200d", "مرحبا", "שלום", "😀", "👩\u200d👩", "é", "\ud800", "\x00"),
        *(",", ".", " ", "\n", "1", "ﬁ", "İ", "ß", "½", "²", "٣", "Ⅷ"),
    ]
)
STRINGS = st.text() | st.lists(PIECES, max_size=20).map("".join)


@given(STRINGS)
def test_any_text_has_its_mentions_inside(text: str) -> None:
    for detector in (ADEQUACY, MENTIONS):
        for mention in detector.detect(Item("1", FACTS, text)).mentions:
            assert 0 <= mention.start < mention.end <= len(text)
            assert 0 <= mention.distance <= 1


@given(st.text(max_size=20), st.text(max_size=20), st.text(max_size=20), STRINGS)
def test_any_data_with_any_text(subject: str, predicate: str, value: str, text: str) -> None:
    item = Item("1", (Triple(subject, predicate, value),), text + " " + value)
    for detector in (ADEQUACY, MENTIONS):
        detection = detector.detect(item)
        assert detection.found <= {subject, value}
        assert all(0 <= one.start < one.end <= len(item.text) for one in detection.mentions)


def test_a_copy_detects_the_same() -> None:
    item = Item("1", FACTS, "Ann Bell was born on 3 May 1957 in Abilene. She likes celery.")
    for detector in (ADEQUACY, MENTIONS):
        copy = pickle.loads(pickle.dumps(detector))
        assert copy.detect(item).mentions == detector.detect(item).mentions


ADEQUACY_SEARCH = Search(0.25, 0.95, repeat_weak=False, conversions=True)
MENTIONS_SEARCH = Search(0.4, 0.6, repeat_weak=True, conversions=True)


def cores(
    triples: list[tuple[str, str, str]], string: str, search: Search = ADEQUACY_SEARCH
) -> set[tuple[str, str]]:
    graph = compile_graph([Triple(*triple) for triple in triples], {}, {})
    return {
        (graph.entities[one.entity].string, string[one.start : one.end])
        for one in find_cores(graph, PreparedText(string), search)
    }


@pytest.mark.parametrize(
    ("triples", "string", "found"),
    [
        (
            [("Abilene,_Texas", "isPartOf", "Texas")],
            "Abilene, Texas, is old.",
            {("Abilene,_Texas", "Abilene"), ("Texas", "Texas")},
        ),
        (
            [("Abilene,_Texas", "leader", "Ann_Bell")],
            "Abilene, Texas, is led by Ann Bell.",
            {("Abilene,_Texas", "Abilene, Texas"), ("Ann_Bell", "Ann Bell")},
        ),
        (
            [("FC_Terek_Grozny", "ground", "Grozny")],
            "FC Terek Grozny plays.",
            {("FC_Terek_Grozny", "FC Terek Grozny")},
        ),
        (
            [("Soup", "with", '"Celery, salt, cream"'), ("Soup", "has", "Celery")],
            "Soup has celery, salt and cream.",
            {
                ("Soup", "Soup"),
                ('"Celery, salt, cream"', "celery, salt and cream"),
                ("Celery", "celery"),
            },
        ),
        (
            [("Aurakles", "alternativeName", '"Aurakles"')],
            "Aurakles is there.",
            {("Aurakles", "Aurakles"), ('"Aurakles"', "Aurakles")},
        ),
        (
            [("Shenzhou_10", "with", "Shenzhou_6")],
            "These are Shenzhou 10 and 6.",
            {("Shenzhou_10", "Shenzhou 10"), ("Shenzhou_6", "6")},
        ),
        (
            [("Play", "author", "Ted_Willis")],
            "Ted Willis wrote the play. Willis was old.",
            {("Play", "play"), ("Ted_Willis", "Ted Willis")},  # weak names only where needed
        ),
    ],
)
def test_cores(
    triples: list[tuple[str, str, str]], string: str, found: set[tuple[str, str]]
) -> None:
    assert cores(triples, string) == found


def test_weak_names_again_for_mentions() -> None:
    text = "Ted Willis wrote the play. Willis was old."
    found = cores([("Play", "author", "Ted_Willis")], text, MENTIONS_SEARCH)
    assert ("Ted_Willis", "Willis") in found


def test_two_of_one_name_have_one_each_where_it_stands_twice() -> None:
    graph = compile_graph([Triple("Leeds", "p", "leeds")], {}, {})
    text = PreparedText("Leeds, then leeds.")
    found = {(one.entity, one.start) for one in find_cores(graph, text, ADEQUACY_SEARCH)}
    assert found == {(0, 0), (1, 12)}


TEXTS = st.lists(
    st.sampled_from(["Ann", "Bell", "Abilene", "Texas", ",", ".", "1957", "in", "celery", "salt"]),
    max_size=12,
).map(" ".join)
DATA = [("Ann_Bell", "birthPlace", "Abilene,_Texas"), ("Texas", "has", '"celery, salt, 1957"')]


@given(TEXTS)
def test_for_mentions_no_two_cores_share_a_place(string: str) -> None:
    graph = compile_graph([Triple(*triple) for triple in DATA], {}, {})
    found = sorted(find_cores(graph, PreparedText(string), MENTIONS_SEARCH))
    assert all(left.end <= right.start for left, right in pairwise(found))


def entities_in(triples: str, text: str, mode: str = "adequacy") -> set[str]:
    item = Item("1", tuple(Triple(*one.split("|")) for one in triples.split(";")), text)
    return Detector(mode=mode).detect(item).found  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("triples", "text", "missing"),
    [
        ("Institute_of_Technology|city|Leeds", "It is in Leeds.", {"Institute_of_Technology"}),
        (
            "Flight|crew|Alan_Bean;Alan_Bean|nationality|United_States",
            "The flight had American Bean aboard.",
            set(),
        ),
        (
            "Ann_Bell|almaMater|University_of_Wisconsin",
            "Ann Bell went to UW. Rain fell.",
            set(),
        ),
        ("Pub|familyFriendly|no", "The pub is family friendly.", {"no"}),
        ("Pub|familyFriendly|no", "The pub is not family friendly.", set()),
        ("Pub|familyFriendly|yes", "The pub is family friendly.", set()),
        ("Pub|familyFriendly|yes", "The pub is not family friendly.", {"yes"}),
        ("Ann_Bell|birthPlace|York", "Ann Bell was born in New York.", {"York"}),
        ("School|founder|École_Ouest_Étienne", "The school was founded by the ÉOÉ.", set()),
        ("Ship|crew|Apollo_12", "The ship met Apollo 11.", {"Apollo_12"}),
        ("Town|zone|UTC+01:00", "The town keeps UTC+1.", set()),
        ("Firm|income|3200000 (pounds)", "The firm has an income of £3,200,000.", set()),
    ],
)
def test_adequacy(triples: str, text: str, missing: set[str]) -> None:
    wanted = {end for one in triples.split(";") for end in (one.split("|")[0], one.split("|")[2])}
    assert wanted - entities_in(triples, text) == missing


def test_mentions_never_overlap() -> None:
    item = Item("1", (Triple("Ann_Bell", "year", "1957"),), "Bell The 1957")
    mentions = Detector(mode="mentions").detect(item).mentions
    for one, other in pairwise(mentions):
        assert one.end <= other.start


@pytest.mark.parametrize("mode", ["adequacy", "mentions"])
def test_runs_of_full_stops_and_many_mentions_end(mode: str) -> None:
    assert entities_in("Foo|p|Bar", "Foo " + "." * 50_000 + "Bar", mode) == {"Foo", "Bar"}
    assert entities_in("Aarhus|p|Bar", "Aarhus is it. " * 5_000 + "Bar", mode) == {
        "Aarhus",
        "Bar",
    }


def test_a_text_of_marks_has_no_sentences() -> None:
    assert PreparedText("... ").sentences == []


def test_an_entity_of_very_many_words_is_compiled() -> None:
    assert entities_in("Ab_" * 10_000 + "|p|Bar", "Bar") == {"Bar"}


def test_the_order_of_triples_decides_nothing() -> None:
    one = "Aarhus|name|University_of_Texas"
    other = "Texas_University|city|Texas_University"
    text = "has May University May of celery University"
    assert entities_in(f"{one};{other}", text, "mentions") == entities_in(
        f"{other};{one}", text, "mentions"
    )
