"""Whether templates read well, and what they say of some data."""

from __future__ import annotations

import pytest

from adequa.data import Item, Term, Triple
from adequa.metrics.nli.extraction import examples, review
from adequa.metrics.nli.templates import Templates


@pytest.mark.parametrize(
    ("template", "problem"),
    [
        ("<subject> is in <object>.", None),
        ("<subject> is in in <object>.", "says 'in' twice"),
        ("<subject> is in <object>", "has no full stop"),
        ("the home of <subject> is <object>.", "begins with a small letter"),
        ("<subject> is in <object> .", "has a stray sign or space"),
        ("<subject> is Alpha <object>.", None),
        ("<subject> alpha is <object>!", None),
        ("Is <subject> in <object>?", None),
    ],
)
def test_what_reads_badly(template: str, problem: str | None) -> None:
    (example,) = review(Templates.of({"p": template})).examples
    assert example.problem == problem


def test_the_first_bad_fact_is_shown_and_names_may_repeat() -> None:
    known = Templates.of(
        {"home": "<subject> lives in in-town <object>.", "near": "<subject> is near <object>."}
    )
    facts = [("Ada", "near", "Baden_Baden"), ("Ada", "home", "Bex"), ("In_near", "near", "Bex")]
    items = [Item(str(n), (Triple(*fact),), "") for n, fact in enumerate(facts)]
    checked = review(known, items)
    assert [one.sentence for one in checked.examples] == [
        "Ada lives in in-town Bex.",
        "Ada is near Baden Baden.",
    ]
    assert checked.problems == []
    assert (checked.facts, checked.said, checked.missing, checked.unused) == (3, 3, {}, [])


def test_a_fact_that_reads_badly_is_found() -> None:
    known = Templates.of({"near": "Near is <subject> <object>."})
    items = [
        Item(str(n), (Triple(name, "near", "Bex"),), "") for n, name in enumerate(["Ada", "Is"])
    ]
    (example,) = review(known, items).problems
    assert (example.sentence, example.problem) == ("Near is Is Bex.", "says 'is' twice")


def test_coverage() -> None:
    known = Templates.of(
        {
            "home": {"Bex": "<subject> is in Bex."},
            "near": "<subject> is near <object>.",
            "*": "<subject>, <predicate>: <object>.",
        }
    )
    triples = [Triple("Ada", "home", "Bex"), Triple("Ada", "home", "Rom"), Triple("Ada", "P9", "Q")]
    terms = {"P9": Term(label="Near")}
    checked = review(known, [Item("1", tuple(triples), "", terms=terms)])
    assert (checked.facts, checked.said, checked.missing) == (3, 2, {"home": 1})
    assert [row.predicate for row in checked.unused] == ["*"]
    assert review(known).unused == []


def test_examples_are_filled_with_values_or_made_up_names() -> None:
    known = Templates.of(
        {"open": {"no": "<subject> is not open: <object>.", "*": "<subject> opens <object>."}}
    )
    sentences = [one.sentence for one in examples(known)]
    assert sentences == ["Alpha is not open: no.", "Alpha opens Beta."]
