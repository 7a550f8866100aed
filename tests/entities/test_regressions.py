"""Cases that were wrong once, each with what is right."""

from __future__ import annotations

from itertools import pairwise

import pytest

from adequa import Item, Triple
from adequa.entities.detector import Detector
from adequa.text.words import PreparedText


def found(triples: str, text: str, mode: str = "adequacy") -> set[str]:
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
    assert wanted - found(triples, text) == missing


def test_mentions_never_overlap() -> None:
    item = Item("1", (Triple("Ann_Bell", "year", "1957"),), "Bell The 1957")
    mentions = Detector(mode="mentions").detect(item).mentions
    for one, other in pairwise(mentions):
        assert one.end <= other.start


@pytest.mark.parametrize("mode", ["adequacy", "mentions"])
def test_runs_of_full_stops_and_many_mentions_end(mode: str) -> None:
    assert found("Foo|p|Bar", "Foo " + "." * 50_000 + "Bar", mode) == {"Foo", "Bar"}
    assert found("Aarhus|p|Bar", "Aarhus is it. " * 5_000 + "Bar", mode) == {"Aarhus", "Bar"}


def test_a_text_of_marks_has_no_sentences() -> None:
    assert PreparedText("... ").sentences == []


def test_an_entity_of_very_many_words_is_compiled() -> None:
    assert found("Ab_" * 10_000 + "|p|Bar", "Bar") == {"Bar"}


def test_the_order_of_triples_decides_nothing() -> None:
    one = "Aarhus|name|University_of_Texas"
    other = "Texas_University|city|Texas_University"
    text = "has May University May of celery University"
    assert found(f"{one};{other}", text, "mentions") == found(f"{other};{one}", text, "mentions")
