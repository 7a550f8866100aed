"""Figures against gold mentions, by hand."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.entities.evaluation import MentionCounts, NamedSpan, agree, mention_key


def spans(*pairs: tuple[str, str], kind: str = "") -> list[NamedSpan]:
    return [NamedSpan(entity, text, kind) for entity, text in pairs]


def test_what_counts_is_letters_and_digits() -> None:
    assert mention_key("the São-Paulo's ") == mention_key("THE SAO PAULOS") == "thesaopaulos"
    assert mention_key("Straße") == "strasse"
    assert mention_key("…") == ""


def test_exact_lenient_and_entities() -> None:
    found = spans(("a", "The Ann"), ("a", "Ann Belle"), ("b", "Leeds"), ("c", "Norn"))
    gold = spans(("a", "the Ann"), ("a", "Ann Bell"), ("b", "Hull"), ("d", "Ilm"))
    agreement = agree([(found, gold)])
    assert (agreement.exact.precision, agreement.exact.recall) == (1 / 4, 1 / 4)
    assert (agreement.lenient.precision, agreement.lenient.recall) == (2 / 4, 2 / 4)
    assert (agreement.entities.precision, agreement.entities.recall) == (2 / 3, 2 / 3)
    assert agreement.exact.f1 == pytest.approx(1 / 4)


def test_each_gold_mention_is_used_once() -> None:
    agreement = agree([(spans(("a", "it"), ("a", "it"), ("a", "it")), spans(("a", "It")))])
    assert agreement.exact.precision == pytest.approx(1 / 3)
    assert agreement.exact.recall == 1.0


def test_by_type_and_texts_without_gold() -> None:
    gold = [NamedSpan("a", "it", "pronoun"), NamedSpan("a", "Ann", "name")]
    agreement = agree([(spans(("a", "It")), gold), (spans(("a", "Ann")), [])])
    assert (agreement.texts, agreement.not_annotated) == (1, 1)
    figures = agreement.figures()
    assert figures["by_type"] == {
        "name": {"recall": 0.0, "gold": 1},
        "pronoun": {"recall": 1.0, "gold": 1},
    }
    assert figures["mentions"] == {"gold": 2, "found": 1}


def test_nothing_is_no_number() -> None:
    assert MentionCounts().figures() == {"precision": None, "recall": None, "f1": None}
    assert MentionCounts(0, 2, 0, 2).f1 == 0.0
    assert agree([]).exact.precision is None


SPANS = st.lists(
    st.builds(NamedSpan, st.sampled_from("ab"), st.sampled_from(["Ann", "ann", "Bell", "it"])),
    max_size=6,
)


@given(st.lists(st.tuples(SPANS, SPANS), max_size=3))
def test_the_multiset_of_a_plain_count(
    pairs: list[tuple[list[NamedSpan], list[NamedSpan]]],
) -> None:
    agreement = agree(pairs)
    right = sum(
        (
            Counter((span.entity, span.text.lower()) for span in found)
            & Counter((span.entity, span.text.lower()) for span in gold)
        ).total()
        for found, gold in pairs
    )
    annotated = [pair for pair in pairs if pair[1]]
    assert agreement.exact.right_found == agreement.exact.right_gold == right
    assert agreement.exact.found == sum(len(found) for found, _ in annotated)
    assert agreement.exact.gold == sum(len(gold) for _, gold in annotated)
    assert agreement.lenient.right_gold >= right
    assert sum(counts.right_gold for counts in agreement.by_type.values()) == right
