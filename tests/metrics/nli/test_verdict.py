"""From evidence to a score: statuses, findings, the four results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.data import Finding, Item, Mention, Score, Term, Triple
from adequa.metrics.nli.evidence import Evidence, Stretch
from adequa.metrics.nli.verdict import (
    CLASSES,
    VerdictLimits,
    judge_evidence,
    nothing_said,
    why_contradicted,
    why_missing,
    why_unread_fact,
    why_unread_text,
    why_unsupported,
)

COUNTRY = Triple("Velmora", "country", "Sarn")
LEADER = Triple("Velmora", "leader", "Ida_Thorvald")
TEXT = "Velmora is old. It is in Sarn. Ida Thorvald leads it by a lake."
ITEM = Item("1", (COUNTRY, LEADER), TEXT)
MENTIONS = (
    Mention("Velmora", 0, 7, "exact"),
    Mention("Sarn", 25, 29, "exact"),
    Mention("Ida_Thorvald", 31, 43, "exact"),
)
LAKE = Stretch(53, 62, "span", 0.8)


def judged(
    stated: tuple[float | None, ...] = (0.9, 0.9),
    stretches: tuple[Stretch, ...] = (),
    value: float | None = 0.7,
    limits: VerdictLimits | None = None,
) -> Score:
    evidence = Evidence(stated, stretches, None if value is None else 0.5, value)
    return judge_evidence("nli", ITEM, evidence, MENTIONS, limits or VerdictLimits())


def test_all_is_well() -> None:
    score = judged((0.9, 0.95))
    assert (score.value, score.verdict, score.findings, score.reason) == (0.7, "OK", (), None)
    assert [(fact.status, fact.confidence) for fact in score.facts] == [
        ("stated", 0.9),
        ("stated", 0.95),
    ]
    said = [TEXT[fact.start : fact.end] for fact in score.facts]
    assert said == ["It is in Sarn.", "Ida Thorvald leads it by a lake."]
    assert score.statistics == (1, 0, 0, 0, 2, 0, 0, 0, len(TEXT))


def test_a_fact_that_is_missing() -> None:
    score = judged((0.9, 0.25))
    fact = score.facts[1]
    assert (fact.status, fact.confidence, fact.start, fact.end) == ("missing", 0.75, None, None)
    (finding,) = score.findings
    assert (finding.metric, finding.kind, finding.detail) == ("nli", "omission", "missing")
    assert (finding.triple, finding.confidence, finding.start) == (LEADER, 0.75, None)
    assert "Ida Thorvald" in finding.why
    assert score.verdict == "omission"
    assert score.statistics == (0, 1, 0, 0, 2, 1, 0, 0, len(TEXT))


def test_words_without_support() -> None:
    score = judged(stretches=(LAKE,))
    (finding,) = score.findings
    assert finding == Finding(
        "nli",
        "hallucination",
        "unsupported",
        "nothing in the data supports 'by a lake'",
        start=53,
        end=62,
        confidence=0.8,
    )
    assert score.verdict == "hallucination"
    assert score.statistics == (0, 0, 1, 0, 2, 0, 0, 9, len(TEXT))


def test_words_that_are_garbled() -> None:
    score = judged(stretches=(replace(LAKE, garbled=True),))
    (finding,) = score.findings
    assert (finding.kind, finding.detail, finding.confidence) == ("hallucination", "garbled", 0.8)
    assert finding.why.startswith("'by a lake' is garbled")
    strict = judged(stretches=(replace(LAKE, garbled=True),), limits=VerdictLimits(0.5, 0.95))
    assert strict.findings == ()
    assert score.verdict == "hallucination"


def test_words_that_the_data_denies() -> None:
    denied = Stretch(25, 29, "span", 0.8, contradicted=0.9, fact=0)
    score = judged((0.1, 0.9), (denied,))
    fact = score.facts[0]
    assert (fact.status, fact.confidence, fact.start, fact.end) == ("contradicted", 0.9, 25, 29)
    omission, hallucination = score.findings
    assert (omission.kind, omission.detail, omission.triple) == (
        "omission",
        "contradicted",
        COUNTRY,
    )
    assert omission.why.endswith("it has 'Sarn' instead")
    assert (hallucination.detail, hallucination.triple) == ("contradicted", COUNTRY)
    assert (hallucination.start, hallucination.end, hallucination.confidence) == (25, 29, 0.8)
    assert score.verdict == "hallucination+omission"
    assert score.statistics == (0, 0, 0, 1, 2, 0, 1, 4, len(TEXT))


@pytest.mark.parametrize(
    "stretch",
    [
        Stretch(25, 29, "span", 0.8, contradicted=0.4, fact=0),
        Stretch(25, 29, "span", 0.8, contradicted=None, fact=None),
    ],
)
def test_what_is_hardly_denied_is_missing_and_unsupported(stretch: Stretch) -> None:
    score = judged((0.1, 0.9), (stretch,))
    assert score.facts[0].status == "missing"
    assert [finding.detail for finding in score.findings] == ["missing", "unsupported"]


def test_a_model_may_deny_without_a_fact() -> None:
    score = judged(stretches=(Stretch(25, 29, "clause", 0.8, contradicted=0.9),))
    (finding,) = score.findings
    assert (finding.detail, finding.triple) == ("contradicted", None)


def test_words_between_two_names_are_not_a_value_instead_of_another() -> None:
    score = judged((0.1, 0.9), (Stretch(0, 29, "clause", 0.9, contradicted=0.9, fact=0),))
    missing, wrong = (finding.why for finding in score.findings)
    assert missing.endswith(f"{TEXT[:29]!r} says something else")
    assert wrong.startswith(f"{TEXT[:29]!r} does not say that ")


def test_a_stretch_below_the_limit_is_none() -> None:
    assert judged(stretches=(Stretch(53, 62, "span", 0.4),)).verdict == "OK"
    assert judged(stretches=(Stretch(53, 62, "span", 0.5),)).verdict == "hallucination"


def test_limits_move_both_sides() -> None:
    strict = judged(stretches=(LAKE,), limits=VerdictLimits(0.95, 0.85))
    assert [fact.status for fact in strict.facts] == ["missing", "missing"]
    assert strict.verdict == "omission"
    assert judged((0.3, 0.3), limits=VerdictLimits(0.3, 0.5)).verdict == "OK"


def test_a_fact_that_could_not_be_read() -> None:
    score = judged((None, 0.9), (Stretch(0, len(TEXT), "text", None),), None)
    assert [fact.status for fact in score.facts] == ["unchecked", "stated"]
    assert score.facts[0].confidence is None
    kinds = [(one.kind, one.detail, one.confidence, one.triple) for one in score.findings]
    assert kinds == [
        ("omission", "unchecked", None, COUNTRY),
        ("hallucination", "unchecked", None, None),
    ]
    assert (score.findings[1].start, score.findings[1].end) == (0, len(TEXT))
    assert all("not checked" in one.why for one in score.findings)
    # It may be well, or not: no value, no verdict, and nothing that counts in a corpus.
    assert (score.value, score.verdict, score.statistics) == (None, None, ())
    assert score.reason == "part of it is longer than the model can read"


def test_what_was_read_may_still_be_wrong() -> None:
    score = judged((None, 0.1), (Stretch(0, len(TEXT), "text", None),), None)
    assert (score.value, score.verdict) == (None, "omission")
    assert score.reason == "part of it is longer than the model can read"
    assert score.statistics == (
        0,
        1,
        0,
        0,
        1,
        1,
        0,
        0,
        len(TEXT),
    )  # the unread fact is counted nowhere


@pytest.mark.parametrize("text", ["", " \n"])
def test_an_empty_text_states_nothing_and_adds_nothing(text: str) -> None:
    score = nothing_said("nli", Item("1", (COUNTRY, LEADER), text))
    assert (score.value, score.verdict, score.reason) == (0.0, "omission", None)
    assert [(fact.triple, fact.status, fact.confidence) for fact in score.facts] == [
        (COUNTRY, "missing", 1.0),
        (LEADER, "missing", 1.0),
    ]
    assert [(one.kind, one.detail, one.triple) for one in score.findings] == [
        ("omission", "missing", COUNTRY),
        ("omission", "missing", LEADER),
    ]
    assert score.statistics == (0, 1, 0, 0, 2, 2, 0, 0, len(text))


@pytest.mark.parametrize(("omitted", "added"), [*product((False, True), repeat=2)])
def test_the_four_results(omitted: bool, added: bool) -> None:
    score = judged((0.1 if omitted else 0.9, 0.9), (LAKE,) if added else ())
    wanted = "+".join(["hallucination"] * added + ["omission"] * omitted) or "OK"
    assert score.verdict == wanted
    assert score.statistics[: len(CLASSES)] == tuple(float(name == wanted) for name in CLASSES)


CHANCES = st.none() | st.floats(0, 1)


@given(st.tuples(CHANCES, CHANCES), CHANCES, st.none() | st.integers(0, 1), CHANCES)
def test_findings_and_verdict_agree(
    stated: tuple[float | None, float | None],
    doubt: float | None,
    fact: int | None,
    denied: float | None,
) -> None:
    stretch = Stretch(53, 62, "span", doubt, denied, fact)
    whole = None not in (*stated, doubt)
    score = judged(stated, (stretch,), 0.5 if whole else None)
    sure = [one for one in score.findings if one.detail != "unchecked"]
    kinds = {one.kind for one in sure}
    assert [fact.triple for fact in score.facts] == [COUNTRY, LEADER]
    assert (score.value is None) == (score.reason is not None)
    if score.verdict is None:
        assert not sure
        assert score.findings
    else:
        assert {name for name in score.verdict.split("+") if name != "OK"} == kinds
        assert sum(score.statistics[:4]) == 1
    for one in score.findings:
        assert (one.confidence is None) == (one.detail == "unchecked")
        assert one.why
    omitted = {one.triple for one in score.findings if one.kind == "omission"}
    assert omitted == {one.triple for one in score.facts if one.status != "stated"}


# Why something is a finding, in a sentence for a person


EXPLAINING_COUNTRY = Triple("Velmora_(town)", "countryName", "Sarn")


def item_of(text: str, triple: Triple = EXPLAINING_COUNTRY) -> Item:
    return Item("1", (triple,), text)


def stretch_of(text: str, words: str) -> Stretch:
    start = text.index(words)
    return Stretch(start, start + len(words), "span", 0.9)


@pytest.mark.parametrize(
    ("triple", "expected"),
    [
        (Triple("Velmora", "countryName", "Sarn"), "the country name of Velmora is Sarn"),
        (Triple("Velmora", "birthDate", "1733-05-04"), "the birth date of Velmora is 4 May 1733"),
        (Triple("Velmora", "isPartOf", "Sarn"), "Velmora is part of Sarn"),
        (Triple("Old_Inn", "familyFriendly", "no"), "Old Inn is not family friendly"),
        (Triple("Old_Inn", "hasParking", "yes"), "Old Inn has parking"),
        (Triple("Old_Inn", "hasParking", "no"), "Old Inn does not have parking"),
        (Triple("Old_Inn", "servesBeer", "true"), "Old Inn serves beer"),
        (Triple("Old_Inn", "supportsCards", "yes"), "Old Inn supports cards"),
        (Triple("Old_Inn", "includesBreakfast", "yes"), "Old Inn includes breakfast"),
        (Triple("Old_Inn", "canSwim", "false"), "Old Inn cannot swim"),
        (Triple("Old_Inn", "revenue", "98500000.0"), "the revenue of Old Inn is 98,500,000"),
        (Triple("Old_Inn", "walk", "18.0 minutes"), "the walk of Old Inn is 18 minutes"),
        (Triple("Old_Inn", "net", "10.0.10.0 LAN"), "the net of Old Inn is 10.0.10.0 LAN"),
    ],
)
def test_a_fact_in_words(triple: Triple, expected: str) -> None:
    item = item_of("", triple)
    assert why_missing(item, triple) == f"the text does not say that {expected}"


def test_labels_stand_for_names() -> None:
    triple = Triple("Q1", "P2", "Q3")
    terms = {"Q1": Term("Velmora"), "P2": Term("country"), "Q3": Term("Sarn")}
    said = why_missing(Item("1", (triple,), "", terms=terms), triple)
    assert said == "the text does not say that the country of Velmora is Sarn"


def test_what_the_text_has_instead() -> None:
    text = "Velmora is in Bexhal."
    stretch = stretch_of(text, "Bexhal")
    triple = Triple("Velmora", "country", "Sarn")
    item = item_of(text, triple)
    assert why_missing(item, triple, stretch).endswith("is Sarn: it has 'Bexhal' instead")
    assert why_contradicted(item, stretch, triple) == (
        "'Bexhal': the data says that the country of Velmora is Sarn"
    )
    assert why_contradicted(item, stretch, None) == "the data says otherwise than 'Bexhal'"


@pytest.mark.parametrize(
    ("text", "words", "added"),
    [
        ("Velmora, Sarn", "Sarn", True),
        ("Velmora, in Sarn", "Sarn", True),
        ("Velmora (Sarn)", "Sarn", True),
        ("Velmora, Österland", "Österland", True),
        ("Velmora in Sarn", "Sarn", False),
        ("Velmora, old", "old", False),
        ("Velmora, 1733", "1733", False),
        ("Velmora is old. Sarn", "Sarn", False),
    ],
)
def test_common_knowledge_is_called_so(text: str, words: str, added: bool) -> None:
    mentions = [Mention("Velmora", 0, 7, "exact")]
    said = why_unsupported(item_of(text), stretch_of(text, words), mentions)
    if added:
        assert said == f"{words!r} is added to 'Velmora': true or not, the data does not say it"
    else:
        assert said == f"nothing in the data supports {words!r}"
    bare = why_unsupported(item_of(text), stretch_of(text, words), [])
    assert bare == f"nothing in the data supports {words!r}"


def test_only_what_stands_before_counts() -> None:
    text = "Sarn, Velmora"
    mention = Mention("Velmora", 6, 13, "exact")
    said = why_unsupported(item_of(text), stretch_of(text, "Sarn"), [mention])
    assert said == "nothing in the data supports 'Sarn'"
    text = "Velmora, Sarn, is near Tarnova"
    mentions = [Mention("Velmora", 0, 7, "exact"), Mention("Tarnova", 23, 30, "exact")]
    said = why_unsupported(item_of(text), stretch_of(text, "Sarn"), mentions)
    assert said.startswith("'Sarn' is added to 'Velmora'")


def test_what_could_not_be_read() -> None:
    item = item_of("Velmora is old.", Triple("Velmora", "country", "Sarn"))
    assert why_unread_fact(item, item.triples[0]) == (
        "not checked: the country of Velmora is Sarn is longer than the model can read"
    )
    assert why_unread_text(item, Stretch(0, 15, "text", None)) == (
        "not checked: 'Velmora is old.' and its data are longer than the model can read"
    )


@given(st.text(min_size=1))
def test_words_of_the_text_are_quoted_in_one_line(text: str) -> None:
    item, stretch = item_of(text * 100), Stretch(0, 100 * len(text), "text", 0.9)
    for why in (
        why_unsupported(item, stretch, []),
        why_unread_text(item, stretch),
        why_contradicted(item, stretch, None),
        why_missing(item, EXPLAINING_COUNTRY, stretch),
    ):
        assert why.isprintable()
        assert len(why) < 1200  # an escape may take ten letters


def test_long_values_are_shortened() -> None:
    long = Triple("Velmora", "motto", "word " * 400)
    assert len(why_missing(item_of("", long), long)) < 200
    assert "…" in why_unread_fact(item_of("", long), long)


def test_a_fact_between_stated_and_missing_is_unchecked() -> None:
    score = judged((0.9, 0.4), limits=VerdictLimits(stated=0.2, checked=0.6))
    sure, doubtful = score.facts
    assert (sure.status, doubtful.status, doubtful.confidence) == ("stated", "unchecked", 0.4)
    assert TEXT[doubtful.start : doubtful.end] == "Ida Thorvald leads it by a lake."
    assert (score.verdict, score.value, score.findings) == ("OK", 0.7, ())
    plain = judged((0.9, 0.4), limits=VerdictLimits(stated=0.2))
    assert score.statistics == plain.statistics  # a fact in doubt was read


def test_an_empty_text_is_surely_an_omission() -> None:
    score = nothing_said("nli", replace(ITEM, text=""))
    assert (score.verdict, score.confidence) == ("omission", 1.0)


class Looked(list[Mention]):
    """Mentions that are looked up, not gone through."""

    def __iter__(self) -> Iterator[Mention]:
        raise AssertionError("all mentions are looked at for one stretch")


def test_the_mention_before_a_stretch_is_looked_up() -> None:
    text = "Velmora, Sarn, is near Tarnova, Orrin"
    ends = [("Mora", 3, 7), ("Velmora", 0, 7), ("Tarnova", 23, 30)]
    mentions = Looked(Mention(name, start, end, "exact") for name, start, end in ends)
    said = why_unsupported(item_of(text), stretch_of(text, "Sarn"), mentions)
    assert said.startswith("'Sarn' is added to 'mora'")  # of those that end there, the first
    said = why_unsupported(item_of(text), stretch_of(text, "Orrin"), mentions)
    assert said.startswith("'Orrin' is added to 'Tarnova'")
