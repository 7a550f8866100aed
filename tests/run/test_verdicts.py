"""The rule that joins the scores of several metrics into one result."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.data import Fact, Finding, Item, Mention, Result, Score, Triple, Verdict
from adequa.run.verdicts import join, join_verdicts

T1, T2 = Triple("Ada", "born in", "Oslo"), Triple("Ada", "employer", "Lumen")
ITEM = Item("1", (T1, T2), "a text")
VERDICTS: list[Verdict] = ["OK", "omission", "hallucination", "hallucination+omission"]

findings = st.builds(
    Finding,
    st.sampled_from(["x", "y", "z"]),
    st.sampled_from(["omission", "hallucination"]),
    st.just("detail"),
    st.sampled_from(["why", "because"]),
    triple=st.sampled_from([None, T1, T2]),
    entity=st.sampled_from([None, None, "Ada", "Oslo"]),
    start=st.sampled_from([None, 0, 2]),
    confidence=st.sampled_from([None, 0.2, 0.9]),
)
scores = st.builds(
    Score,
    value=st.none() | st.floats(0, 1),
    mentions=st.lists(
        st.builds(Mention, st.sampled_from("ab"), st.integers(0, 2), st.just(3), st.just("m"))
    ).map(tuple),
    facts=st.lists(
        st.builds(
            Fact,
            st.sampled_from([T1, T2]),
            st.sampled_from(["stated", "missing", "unchecked"]),
            st.sampled_from([None, 0.5, 0.95]),
        )
    ).map(tuple),
    findings=st.lists(findings, max_size=4).map(tuple),
    verdict=st.sampled_from([None, *VERDICTS]),
    confidence=st.sampled_from([None, 0.2, 0.75, 0.9]),
)


@given(scores, scores, scores)
def test_joining_is_associative(a: Score, b: Score, c: Score) -> None:
    at_once = join(Result(ITEM, {}), {"a": a, "b": b, "c": c})
    one_by_one = join(join(join(Result(ITEM, {}), {"a": a}), {"b": b}), {"c": c})
    assert one_by_one == at_once


@pytest.mark.parametrize(("first", "second"), [*itertools.product(VERDICTS, VERDICTS)])
def test_a_verdict_has_every_fault(first: Verdict, second: Verdict) -> None:
    joined = join_verdicts([first, second])
    assert joined in VERDICTS
    for fault in ("omission", "hallucination"):
        assert (fault in joined) == (fault in first or fault in second)


def test_without_verdicts_there_is_no_joined_verdict() -> None:
    assert join_verdicts([]) is None
    assert join(Result(ITEM, {}), {"a": Score(0.5)}).verdict is None


def test_metrics_that_agree_make_one_finding() -> None:
    first = Finding("esa", "omission", "missing", "no c", triple=T1, confidence=0.4)
    second = Finding("nli", "omission", "missing", "not entailed", triple=T1, confidence=0.7)
    other = Finding("nli", "omission", "missing", "not entailed", triple=T2)
    result = join(
        Result(ITEM, {}),
        {"esa": Score(0.5, findings=(first,)), "nli": Score(0.1, findings=(second, other))},
    )
    assert [(one.metric, one.confidence, one.why) for one in result.findings] == [
        ("esa+nli", 0.7, "no c"),
        ("nli", None, "not entailed"),
    ]
    assert result.missing == result.findings
    assert result.unsupported == ()


def test_a_checked_fact_beats_an_unchecked_one() -> None:
    result = join(
        Result(ITEM, {}),
        {
            "a": Score(1, facts=(Fact(T1, "unchecked"),)),
            "b": Score(1, facts=(Fact(T1, "missing"),)),
        },
    )
    assert [fact.status for fact in result.facts] == ["missing"]


def test_what_could_not_be_scored_keeps_its_reason() -> None:
    result = join(Result(ITEM, {}), {"a": Score(None, reason="no references"), "b": Score(None)})
    assert result.scores == {"a": None, "b": None}
    assert result.reasons == {"a": "no references", "b": "not scorable"}


def _absent(entity: str) -> Score:
    """What esa says of an entity that the text does not name."""
    finding = Finding("esa", "omission", "missing", "no mention", entity=entity)
    facts = (Fact(T1, "missing"), Fact(T2, "unchecked"))
    return Score(0.5, facts=facts, findings=(finding,), verdict="omission")


def _read(first: float, second: float) -> Score:
    facts = (Fact(T1, "stated", first), Fact(T2, "stated", second))
    return Score(0.9, facts=facts, verdict="OK")


def test_an_entity_that_is_not_named_is_overruled_by_its_facts() -> None:
    result = join(Result(ITEM, {}), {"esa": _absent("Oslo"), "nli": _read(0.95, 0.5)})
    assert result.verdict == "OK"
    (finding,) = result.findings
    assert (finding.detail, finding.confidence) == ("overruled", 0.05)
    assert result.verdicts == {"esa": "omission", "nli": "OK"}
    assert result.facts[0] == Fact(T1, "stated", 0.95)


@pytest.mark.parametrize(
    ("entity", "read"),
    [("Oslo", _read(0.6, 0.99)), ("Ada", _read(0.99, 0.6)), ("nobody", _read(0.99, 0.99))],
)
def test_facts_in_doubt_overrule_nothing(entity: str, read: Score) -> None:
    result = join(Result(ITEM, {}), {"esa": _absent(entity), "nli": read})
    assert result.verdict == "omission"
    assert result.findings[0].detail == "missing"


@pytest.mark.parametrize(("chance", "detail"), [(0.6, "overruled"), (0.4, "missing")])
def test_a_quality_need_only_be_stated_more_likely_than_not(chance: float, detail: str) -> None:
    fact = Triple("Inn", "dogs allowed", "yes")
    read = Score(0.9, facts=(Fact(fact, "stated", chance),), verdict="OK")
    result = join(
        Result(Item("1", (fact,), "Dogs may come."), {}), {"esa": _absent("yes"), "nli": read}
    )
    assert result.findings[0].detail == detail


def test_one_open_omission_is_enough() -> None:
    both = replace(
        _absent("Oslo"), findings=(*_absent("Oslo").findings, *_absent("Lumen").findings)
    )
    result = join(Result(ITEM, {}), {"esa": both, "nli": _read(0.95, 0.5)})
    assert result.verdict == "omission"


def test_a_fact_that_nobody_has_spoken_of_is_not_stated() -> None:
    half = Score(0.9, facts=(Fact(T1, "stated", 0.99),), verdict="OK")
    result = join(Result(ITEM, {}), {"esa": replace(_absent("Ada"), facts=()), "half": half})
    assert result.verdict == "omission"
    assert join(result, {"nli": _read(0.99, 0.99)}).verdict == "OK"


@pytest.mark.parametrize(
    ("first", "second", "verdict", "confidence"),
    [
        (("OK", 0.9), ("OK", 0.7), "OK", 0.7),
        (("OK", 0.9), ("omission", 0.6), "omission", 0.6),
        (("omission", 0.6), ("hallucination", 0.8), "hallucination+omission", 0.8),
        (("OK", 0.9), ("OK", None), "OK", 0.9),
        (("OK", 0.9), ("omission", None), "omission", 0.1),  # only the unsure metric sees it
        (("OK", None), ("omission", None), "omission", None),
        (("OK", 0.9), (None, None), "OK", 0.9),
    ],
)
def test_a_joined_verdict_is_as_sure_as_the_metric_that_doubts_most(
    first: tuple[Verdict, float | None],
    second: tuple[Verdict | None, float | None],
    verdict: Verdict,
    confidence: float | None,
) -> None:
    parts = {
        label: Score(0.5, verdict=one[0], confidence=one[1])
        for label, one in (("a", first), ("b", second))
    }
    for order in (parts, dict(reversed(parts.items()))):
        result = join(Result(ITEM, {}), order)
        assert (result.verdict, result.confidence) == (verdict, confidence)


def test_a_fact_in_doubt_beats_one_that_nobody_read() -> None:
    doubtful = Fact(T1, "unchecked", 0.4)
    scores = {"esa": Score(1, facts=(Fact(T1, "missing"),)), "nli": Score(1, facts=(doubtful,))}
    result = join(Result(ITEM, {}), scores)
    assert result.facts == result.doubtful == (doubtful,)
    unread = join(Result(ITEM, {}), {"esa": Score(1, facts=(Fact(T1, "unchecked"),))})
    assert unread.doubtful == ()


def test_facts_and_findings_of_a_record_have_their_pointers() -> None:
    item = replace(ITEM, record={"b": "c", "d": "Lumen"}, paths=("/b", "/d"), coverage="selected")
    given = Score(
        0.5,
        facts=(Fact(T1, "missing"), Fact(T2, "unchecked")),
        findings=(
            Finding("x", "omission", "missing", "why", T1),
            Finding("x", "omission", "missing", "why", entity="Lumen"),
            Finding("x", "hallucination", "unsupported", "why", start=0, end=1),
        ),
    )
    result = join(Result(item, {}), {"x": given})
    assert [fact.path for fact in result.facts] == ["/b", "/d"]
    assert [one.path for one in result.findings] == ["/b", "/d", None]
    assert [fact.triple for fact in result.left_out] == [T1]
    plain = join(Result(ITEM, {}), {"x": given})
    assert {fact.path for fact in plain.facts} == {None}
