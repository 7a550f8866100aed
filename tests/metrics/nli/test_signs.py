"""What the entity detector says of facts and words, and which sentence has a fact."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.data import Item, Mention, Term, Triple
from adequa.entities.unexplained import UnexplainedSpan
from adequa.errors import ModelError, UnknownName
from adequa.metrics.nli.signs import (
    FACT_SIGNS,
    WORD_SIGNS,
    WRONG_VALUE,
    Signs,
    SpanIndex,
    Weigher,
    Weighing,
    read_sentences,
    read_signs,
    read_weighing,
    sentence_of,
)

from ...tiny_weights import calibration, seal, write_weights

LEADER = Triple("Velmora", "leader", "Ida_Thorvald")
COUNTRY = Triple("Velmora", "country", "Sarn")


def of_fact(triple: Triple, text: str) -> set[str]:
    (found,) = read_signs(Item("1", (triple,), text)).facts
    assert len(found) == len(set(found))
    return {*found}


@pytest.mark.parametrize(
    ("triple", "text", "there", "not_there"),
    [
        (LEADER, "Ida Thorvald leads Velmora.", {"object named"}, {"object missing"}),
        (LEADER, "Velmora is a town.", {"object missing"}, {"object named", "subject missing"}),
        (LEADER, "Ida Thorvald is old.", {"object named", "subject unnamed"}, {"object missing"}),
        (LEADER, "Rain falls.", {"object missing", "subject unnamed"}, {"object named"}),
        (LEADER, "Ida Thorvald leads Otto Lind.", {"object named", "subject missing"}, ()),
        # A yes or no is said in words of its own: that it is not there says nothing.
        (Triple("Velmora", "walled", "yes"), "Velmora is a town.", (), {"object missing"}),
        (Triple("Velmora", "isTown", "false"), "Velmora is a village.", (), {"object missing"}),
        (Triple("Velmora", "isTown", "–"), "Velmora is a village.", (), {"object missing"}),
    ],
)
def test_signs_of_a_fact(triple: Triple, text: str, there: set[str], not_there: set[str]) -> None:
    found = of_fact(triple, text)
    assert found >= {*there}
    assert not found & {*not_there}


def test_facts_are_in_the_order_of_the_triples() -> None:
    item = Item("1", (LEADER, COUNTRY), "Velmora is a town in Sarn.")
    leader, country = read_signs(item).facts
    assert "object missing" in leader
    assert "object named" in country


def test_labels_stand_for_names() -> None:
    item = Item("1", (Triple("Velmora", "leader", "Q7"),), "Ida Thorvald leads Velmora.")
    labelled = Item("1", item.triples, item.text, terms={"Q7": Term("Ida Thorvald")})
    assert "object missing" in read_signs(item).facts[0]
    assert "object named" in read_signs(labelled).facts[0]


def named(text: str, *triples: Triple) -> list[tuple[str, str]]:
    item = Item("1", triples, text)
    return [(text[start:end], entity) for start, end, entity in read_signs(item).names(item)]


def test_one_place_may_name_a_day_and_its_year() -> None:
    day, year = Triple("Velmora", "opened", "1989-05-09"), Triple("Velmora", "openingYear", "1989")
    found = named("Velmora was opened on 9 May 1989.", day, year)
    assert {("9 May 1989", "1989-05-09"), ("9 May 1989", "1989")} <= {*found}


def test_an_adjective_may_name_a_language_and_its_country() -> None:
    language = Triple("Poland", "language", "Polish_language")
    citizen = Triple("Ada Thorn", "nationality", "Poland")
    found = named("Ada Thorn is of Polish nationality.", language, citizen)
    assert {("Polish", "Polish_language"), ("Polish", "Poland")} <= {*found}


def test_what_stands_behind_a_comma_in_a_name_is_named_too() -> None:
    state = Triple("Hale Hospital", "state", "Eastern_Province,_Sarnland")
    country = Triple("Hale Hospital", "country", "Sarnland")
    text = "Hale Hospital is in Eastern Province, Sarnland. Sarnland is warm."
    assert named(text, state, country)[1:] == [
        ("Eastern Province", "Eastern_Province,_Sarnland"),
        ("Sarnland", "Sarnland"),
        ("Sarnland", "Sarnland"),
    ]
    assert named(text, state)[1] == ("Eastern Province, Sarnland", "Eastern_Province,_Sarnland")


def test_a_number_or_date_that_is_not_there_is_a_wrong_value() -> None:
    founded = Triple("Velmora", "founded", "1733")
    born = Triple("Velmora", "opened", "1733-05-04")
    for triple in (founded, born, Triple("Velmora", "area", "12.5 km2")):
        assert WRONG_VALUE in of_fact(triple, "Velmora was founded long ago.")
        assert "object missing" not in of_fact(triple, "Velmora was founded long ago.")
    assert WRONG_VALUE not in of_fact(founded, "Velmora was founded in 1733.")
    assert WRONG_VALUE not in of_fact(born, "Velmora opened on 4 May 1733.")
    named = Triple("Velmora", "home of", "Velmora 04 Football Club")  # a name, with a number in it
    assert of_fact(named, "Velmora is old.") >= {"object missing"}


@pytest.mark.parametrize("text", ["It is old.", "Their leader is Ida.", " there she is"])
def test_a_text_may_speak_of_somebody_it_does_not_name(text: str) -> None:
    found = of_fact(COUNTRY, text)
    assert "subject implied" in found
    assert "subject missing" not in found


@pytest.mark.parametrize("text", ["Itta is old.", "Rain falls on it.", "Theirs is old."])
def test_a_text_that_does_not_begin_so_does_not(text: str) -> None:
    found = of_fact(COUNTRY, text)
    assert found & {"subject missing", "subject unnamed"}
    assert "subject implied" not in found


def test_signs_of_a_word() -> None:
    text = "Velmora is in Sarn. It was founded in 1733 by Otto Lind."
    signs = read_signs(Item("1", (COUNTRY,), text))

    def of(word: str) -> tuple[str, ...]:
        start = text.index(word)
        return signs.of_words([(start, start + len(word))])[0]

    assert of("Velmora") == of("Sarn") == ("mentioned",)
    assert of("Lind") == ("unexplained",)
    assert of("1733") == (WRONG_VALUE,)
    assert of("founded") == of("It") == ()  # a pronoun names nobody


def test_what_nothing_explains_weighs_more_than_a_mention() -> None:
    mention, span = Mention("Sarn", 0, 8, "exact"), UnexplainedSpan(5, 8, "name", None)
    signs = Signs(((),), (mention,), (span,))
    mentioned, unexplained = ("mentioned",), ("unexplained",)
    assert signs.of_words([(0, 4), (4, 6), (7, 9)]) == [mentioned, unexplained, unexplained]
    assert signs.of_words([(8, 9)]) == [()]  # right behind both
    pronoun = Mention("Sarn", 0, 2, "pronoun")
    assert Signs(((),), (pronoun,), ()).of_words([(0, 2)]) == [()]


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(1, 6)), max_size=6), st.data())
def test_spans_are_found_as_by_looking_at_each(
    spans: list[tuple[int, int]], data: st.DataObject
) -> None:
    places = [(start, start + length) for start, length in spans]
    index = SpanIndex(30, places)
    start = data.draw(st.integers(0, 25))
    end = start + data.draw(st.integers(1, 5))
    slow = [n for n, (first, last) in enumerate(places) if first < end and start < last]
    assert index.first(start, end) == (slow[0] if slow else None)
    assert index.overlaps(start, end) == bool(slow)


WORDS = ["Velmora", "Sarn", "leader", "town", "Ida Thorvald", "old. The", "country. A", "rains"]


@given(st.lists(st.sampled_from(WORDS), max_size=20), st.sampled_from([LEADER, COUNTRY]))
def test_the_sentence_of_a_fact_is_found_as_by_looking_at_each(
    words: list[str], triple: Triple
) -> None:
    text = " ".join(words)
    told = read_sentences(text, read_signs(Item("1", (LEADER, COUNTRY), text)).mentions)
    weights = [
        3 * (triple.object in one.names)
        + 2 * (triple.subject in one.names)
        + (triple.predicate[:4] in one.beginnings)
        for one in told
    ]
    slow = told[weights.index(max(weights))].place if any(weights) else None
    slow = told[0].place if slow is None and len(told) == 1 else slow
    assert sentence_of(triple, told) == slow == sentence_of(triple, [*told])


@given(st.text(max_size=60), st.integers(0, 60), st.integers(1, 10))
def test_signs_are_known_ones_whatever_the_text(text: str, start: int, length: int) -> None:
    signs = read_signs(Item("1", (LEADER, COUNTRY), text))
    assert {sign for own in signs.facts for sign in own} <= {*FACT_SIGNS, WRONG_VALUE}
    assert {*signs.of_words([(start, start + length)])[0]} <= {*WORD_SIGNS, WRONG_VALUE}


def place_of(triple: Triple, text: str) -> str | None:
    mentions = read_signs(Item("1", (triple,), text)).mentions
    found = sentence_of(triple, read_sentences(text, mentions))
    return None if found is None else text[slice(*found)]


def test_the_sentence_of_a_fact_has_its_object() -> None:
    text = "Velmora is a town. It is led by Ida Thorvald. Velmora is old."
    assert place_of(LEADER, text) == "It is led by Ida Thorvald."


def test_words_of_the_predicate_decide_between_equals() -> None:
    text = "Ida Thorvald likes Velmora. Ida Thorvald is the leader of Velmora."
    assert place_of(LEADER, text) == "Ida Thorvald is the leader of Velmora."
    camel = Triple("Velmora", "foundingYear", "1733")
    assert (
        place_of(camel, "In 1733 it rained. It was founded in 1733.") == "It was founded in 1733."
    )


def test_the_first_of_equals_and_none_where_nothing_is_known() -> None:
    text = "Velmora is old. Velmora is small."
    assert place_of(LEADER, text) == "Velmora is old."
    assert place_of(LEADER, "It rains. It snows.") is None
    assert place_of(LEADER, "It rains.") == "It rains."  # where else
    assert sentence_of(LEADER, []) is None


# How evidence is weighed, and what a calibration file may say of it


NUMBERS = st.floats(-50, 50)
STATED = {"slope": 1.5, "offset": -0.25, "signs": {"object missing": -2.0, "object named": 0.5}}
UNSUPPORTED = {"slope": 0.5, "offset": 0.125, "signs": {"mentioned": -1.0, "unexplained": 2.0}}
GOOD = {"stated": STATED, "unsupported": UNSUPPORTED}
Write = Callable[[object], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Weights whose `calibration.json` holds this; None leaves the file out."""

    def made(content: object) -> Path:
        folder = write_weights(tmp_path / "weights")
        path = folder / "calibration.json"
        if content is None:
            path.unlink()
        else:
            text = content if isinstance(content, str) else json.dumps(content)
            path.write_text(text, encoding="utf-8")
        seal(folder)
        return folder

    return made


def test_weights_that_say_nothing_leave_the_logit() -> None:
    assert Weigher()(2.5, [*FACT_SIGNS, *WORD_SIGNS]) == 2.5
    assert Weighing() == Weighing(Weigher(), Weigher(stated=False), None)


@given(NUMBERS, NUMBERS, NUMBERS, NUMBERS)
def test_a_sign_is_added_once_to_a_line(slope: float, offset: float, sign: float, x: float) -> None:
    weigher = Weigher(slope, offset, {"mentioned": sign})
    assert weigher(x) == pytest.approx(slope * x + offset)
    assert weigher(x, ["mentioned"]) == pytest.approx(weigher(x) + sign)
    assert weigher(x, ["unexplained"]) == weigher(x)


@given(NUMBERS)
def test_a_wrong_value_is_believed_whatever_the_model_says(logit: float) -> None:
    stated, unsupported = Weigher(), Weigher(stated=False)
    assert stated(logit, [WRONG_VALUE]) <= min(logit, -1)
    assert unsupported(logit, [WRONG_VALUE]) >= max(logit, 1)
    signed = Weigher(signs={"mentioned": -40.0}, stated=False)
    assert signed(logit, ["mentioned", WRONG_VALUE]) >= 1


def test_what_a_calibration_says(write: Write) -> None:
    folder = write({"similarity": calibration(), "nli": {**GOOD, "fitted_on": "towns/dev"}})
    found = read_weighing(str(folder))
    assert found.stated == Weigher(1.5, -0.25, {"object missing": -2.0, "object named": 0.5})
    signs = {"mentioned": -1.0, "unexplained": 2.0}
    assert found.unsupported == Weigher(0.5, 0.125, signs, stated=False)
    assert found.fitted_on == "towns/dev"


@pytest.mark.parametrize("content", [None, {}, {"similarity": {}}, {"nli": None}])
def test_weights_without_a_weighing(write: Write, content: object) -> None:
    assert read_weighing(str(write(content))) == Weighing()


def changed(part: str, **values: Any) -> dict[str, Any]:
    return {**GOOD, part: {**GOOD[part], **values}}


@pytest.mark.parametrize(
    "wrong",
    [
        [],
        "stated",
        {"stated": STATED},
        {**GOOD, "unsupported": None},
        {**GOOD, "stated": {"offset": 0.0, "signs": {}}},
        changed("stated", slope="steep"),
        changed("stated", slope=0.0),
        changed("unsupported", slope=-1.0),
        changed("stated", offset=float("nan")),
        changed("stated", offset=10**400),
        changed("stated", signs={"object missing": float("inf")}),
        changed("stated", signs={"mentioned": 1.0}),  # that is of words
        changed("unsupported", signs={"object named": 1.0}),  # and that of facts
        changed("stated", signs=None),
        changed("stated", signs=["object missing"]),
    ],
)
def test_a_broken_weighing_names_file_and_remedy(write: Write, wrong: object) -> None:
    folder = write({"nli": wrong})
    with pytest.raises(ModelError) as raised:
        read_weighing(str(folder))
    assert str(folder / "calibration.json") in str(raised.value)
    assert "adequa train weigh" in str(raised.value)


def test_files_that_are_no_calibration(write: Write) -> None:
    folder = write("{")
    with pytest.raises(ModelError, match=r"calibration\.json: is not JSON"):
        read_weighing(str(folder))
    with pytest.raises(UnknownName, match="nowhere"):
        read_weighing("nowhere")


@pytest.mark.parametrize(
    ("value", "text", "said"),
    [
        ("07:30", "Lumen opens at 7:30 a.m.", "7:30 a.m."),
        ("07:30–16:00", "Lumen is open from 7:30 a.m. to 4 p.m.", "7:30 a.m. to 4 p.m."),
    ],
)
def test_the_verifier_is_shown_times_and_ranges_as_the_text_has_them(
    value: str, text: str, said: str
) -> None:
    item = Item("1", (Triple("Lumen", "opens", value),), text)
    assert read_signs(item).as_text_has_it(item).triples[0].object == said
