"""Evidence from the verifier: weighed, calibrated, and tried with what the data says instead."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.data import Item, Triple
from adequa.entities.credibility import Credibility
from adequa.metrics.nli.evidence import (
    _MOST_TRIED,
    _MOST_WORDS,
    Evidence,
    Reading,
    Stretch,
    VerifierEvidence,
    Word,
    _between,
    stretches,
    words_of,
)
from adequa.metrics.nli.signs import Weigher, Weighing
from adequa.metrics.nli.templates import Cues
from adequa.models.calibration import Calibration, Line
from adequa.models.records import SentenceReading
from adequa.models.relations import NamedText
from adequa.models.verifier import TextAndGraph, VerifierOutput
from adequa.readers.records import read_record

from .fakes import NO, YES, Verifier

COUNTRY = Triple("Velmora", "country", "Sarn")
LEADER = Triple("Velmora", "leader", "Ida_Thorvald")
FOUNDED = Triple("Velmora", "founded", "1733")
FACTS = (COUNTRY, LEADER, FOUNDED)
RIGHT = Item("1", FACTS, "Velmora is in the country Sarn, its leader Ida Thorvald, founded 1733.")
SURE, UNSURE = 1 / (1 + math.exp(-YES)), 1 / (1 + math.exp(-NO))


def check(item: Item, verifier: Verifier | None = None, **settings: object) -> Evidence:
    plain = {"entities": False, **settings}
    (found,) = VerifierEvidence(verifier or Verifier(), **plain)([item])  # type: ignore[arg-type]
    return found


def said(item: Item, evidence: Evidence) -> list[str]:
    return [item.text[one.start : one.end] for one in evidence.stretches]


def test_logits_are_probabilities_and_the_value_is_all_and_only() -> None:
    item = replace(RIGHT, text=RIGHT.text.replace("its ", ""))
    found = check(item)
    assert found.stated == pytest.approx((SURE,) * 3)
    assert found.stretches == ()
    assert found.supported == pytest.approx(SURE)
    assert found.value == pytest.approx(SURE * SURE)


def test_what_is_left_out_and_what_is_added() -> None:
    item = Item("1", FACTS[:2], "Velmora is in the country Sarn, by a large lake.")
    found = check(item)
    assert found.stated == pytest.approx((SURE, UNSURE))
    assert said(item, found) == ["by a large lake"]
    assert found.supported == pytest.approx(UNSURE)
    words = [SURE] * 7 + [UNSURE] * 3  # Velmora is in the country Sarn a · by large lake
    mean = math.prod(words) ** (1 / len(words))
    assert found.value == pytest.approx(math.sqrt(SURE * UNSURE) * mean)


def test_a_text_of_signs_adds_nothing() -> None:
    found = check(Item("1", (COUNTRY,), "…"))
    assert (found.stretches, found.supported) == ((), 1.0)
    assert found.value == pytest.approx(UNSURE)


def test_no_probability_makes_the_value_nothing() -> None:
    item = Item("1", (COUNTRY,), "Sarn")
    found = check(item, Verifier({"Sarn": -1000.0}))
    assert found.stated == (0.0,)
    assert found.value == pytest.approx(1e-4 * SURE)


def test_what_it_could_not_read_has_no_value() -> None:
    verifier = Verifier(unread=frozenset({"leader"}))
    found = check(RIGHT, verifier)
    assert found.stated == (pytest.approx(SURE), None, pytest.approx(SURE))
    assert found.stretches == (Stretch(0, len(RIGHT.text), "text", None),)
    assert (found.supported, found.value) == (None, None)
    assert len(verifier.calls) == 1  # nothing is known to be wrong, so nothing is tried
    calibrated = check(RIGHT, verifier, calibration=Calibration(Line(1.0, 0.0)))
    assert calibrated.stated == found.stated


def test_entities_are_weighed_only_where_they_are_asked() -> None:
    weighing = Weighing(
        Weigher(0.5, 0.0, {"object missing": -3.0, "object named": 1.0}),
        Weigher(0.5, 0.0, {"mentioned": -1.0, "unexplained": 2.0}),
    )
    item = Item("1", FACTS[:2], "Velmora in Sarn, in Bexhal")
    bare = check(item, weighing=weighing)
    found = check(item, weighing=weighing, entities=True)
    assert [math.log(one / (1 - one)) for one in bare.stated if one] == pytest.approx([2, -2])
    assert [math.log(one / (1 - one)) for one in found.stated if one] == pytest.approx([3, -5])
    assert said(item, found) == said(item, bare) == ["Bexhal"]
    assert bare.stretches[0].unsupported == pytest.approx(1 / (1 + math.exp(-2)))
    assert found.stretches[0].unsupported == pytest.approx(1 / (1 + math.exp(-4)))


def test_wrong_values_are_stretches_of_their_own() -> None:
    item = Item("1", (COUNTRY,), "Velmora in Sarn, built 1733")
    assert said(item, check(item)) == ["built 1733"]
    assert said(item, check(item, entities=True)) == ["built", "1733"]


def test_labels_calibrate_by_predicate() -> None:
    calibration = Calibration(Line(0.5, 0.0), groups={"leader": Line(1.0, -3.0)})
    found = check(RIGHT, calibration=calibration)
    odds = [math.log(one / (1 - one)) for one in found.stated if one]
    assert odds == pytest.approx([2, -1, 2])
    weighed = check(RIGHT, calibration=calibration, weighing=Weighing(stated=Weigher(offset=2.0)))
    odds = [math.log(one / (1 - one)) for one in weighed.stated if one]
    assert odds == pytest.approx([3, 0, 3])  # a calibration has the last word


def test_a_calibration_is_fitted_on_what_it_is_given() -> None:
    weighing = Weighing(Weigher(0.5, 1.0, {"object missing": -3.0}))
    items = [RIGHT, Item("2", FACTS[:2], "Velmora is in Sarn.")]
    plain = VerifierEvidence(Verifier(), weighing)
    odds = plain.log_odds(items)
    assert odds[1] == pytest.approx([0.5 * YES + 1, 0.5 * NO + 1 - 3])
    same = VerifierEvidence(Verifier(), weighing, Calibration(Line(1.0, 0.0)))
    for found, own in zip(same(items), odds, strict=True):
        assert found.stated == pytest.approx([1 / (1 + math.exp(-(one or 0))) for one in own])
    unread = VerifierEvidence(Verifier(unread=frozenset({"leader"})), weighing).log_odds(items[1:])
    assert unread[0][1] is None


def test_the_threshold_is_of_words() -> None:
    item = Item("1", (COUNTRY,), "Velmora in Sarn, a lake")
    assert said(item, check(item, threshold=SURE - 1e-6)) == ["lake"]
    assert check(item, threshold=SURE + 1e-6).stretches == ()


def test_a_wrong_value_contradicts_the_fact_that_it_keeps_out() -> None:
    item = Item("1", FACTS[:2], "Velmora, in Bexhal. Leader: Ida Thorvald")
    verifier = Verifier()
    found = check(item, verifier)
    (wrong,) = found.stretches
    assert item.text[wrong.start : wrong.end] == "Bexhal"
    assert (wrong.fact, wrong.contradicted) == (0, pytest.approx(SURE))
    assert verifier.calls[1] == ["Velmora, in Sarn. Leader: Ida Thorvald"]
    assert found.stated[0] == pytest.approx(UNSURE)  # what the text says now is what counts


def test_garbled_words_are_stretches_unless_they_are_unsupported_anyway() -> None:
    item = Item("1", (COUNTRY,), "Velmora country country in Sarn by lakes")
    plain = check(item)
    found = check(item, Verifier(garbled=frozenset({"country", "lakes"})))
    assert said(item, plain) == ["by lakes"]
    assert said(item, found) == ["country country", "by lakes"]
    assert [one.garbled for one in found.stretches] == [True, False]
    assert found.stretches[0].unsupported == pytest.approx(SURE)
    assert (found.stated, found.value) == (plain.stated, plain.value)


def test_numbers_are_tried_with_numbers() -> None:
    item = Item("1", (COUNTRY, FOUNDED), "Velmora in Bexhal, founded 1801")
    verifier = Verifier()
    found = check(item, verifier)
    assert verifier.calls[1] == [
        "Velmora in Sarn, founded 1801",
        "Velmora in Bexhal, founded 1733",
    ]
    assert [one.fact for one in found.stretches] == [0, 1]


def test_a_long_stretch_is_not_a_value() -> None:
    for words, calls in (("lake " * _MOST_WORDS, 2), ("lake " * (_MOST_WORDS + 1), 1)):
        verifier = Verifier()
        found = check(Item("1", (COUNTRY,), f"Velmora in {words}"), verifier)
        assert len(verifier.calls) == calls
        assert found.stretches[0].fact == (0 if calls == 2 else None)


def test_there_is_an_end_to_trying() -> None:
    names = [f"Land{one}{other}" for one in "abcdef" for other in "abcdef"]
    facts = tuple(Triple("Velmora", f"has{name}", name) for name in names)
    verifier = Verifier()
    check(Item("1", facts, "Velmora in Bexhal. Velmora in Quorra"), verifier)
    assert len(verifier.calls[1]) == _MOST_TRIED


def test_a_fact_denies_one_stretch_only() -> None:
    item = Item("1", (COUNTRY,), "Velmora in Bexhal. Velmora in Quorra")
    found = check(item)
    assert sorted(one.fact is None for one in found.stretches) == [False, True]


@pytest.mark.parametrize(
    ("before", "after", "denied"),
    [(NO, YES, True), (NO, 0.0, True), (NO, -0.1, False), (-1.0, 0.9, False), (-1.0, 1.1, True)],
)
def test_the_fact_must_become_stated_by_far(before: float, after: float, denied: bool) -> None:
    class Rising(Verifier):
        def _check(self, pair):  # type: ignore[no-untyped-def]
            found = super()._check(pair)
            logit = after if "Sarn" in pair.text else before
            return replace(found, stated=(logit,))

    found = check(Item("1", (COUNTRY,), "Velmora in Bexhal"), Rising())
    (wrong,) = found.stretches
    assert (wrong.fact == 0) == (wrong.contradicted is not None) == denied


def test_the_fact_that_rises_most_is_the_one_denied() -> None:
    facts = (COUNTRY, Triple("Velmora", "region", "Upper_Sarn"))
    found = check(Item("1", facts, "Velmora in Bexhal"), Verifier({"Sarn": 1.0}))
    assert [one.fact for one in found.stretches] == [1]


def test_items_are_asked_together_and_answered_one_by_one() -> None:
    wrong = Item("2", (COUNTRY,), "Velmora in Bexhal")
    items = [RIGHT, wrong, replace(wrong, id="3"), Item("4", (FOUNDED,), "Velmora in Bexhal")]
    verifier = Verifier()
    checker = VerifierEvidence(verifier, entities=False)
    found = checker(items)
    assert [len(call) for call in verifier.calls] == [4, 2]  # the last has a number to say
    assert found == [check(item) for item in items]
    assert checker([]) == []


WORDS = st.sampled_from(
    ["Velmora", "Sarn", "Bexhal", "Ida", "Thorvald", "1733", "1801", "is", "the", "lake", ".", ","]
)


@given(st.lists(WORDS, min_size=1), st.lists(st.sampled_from(FACTS), min_size=1, unique=True))
def test_evidence_is_of_the_item(words: list[str], facts: list[Triple]) -> None:
    item = Item("1", tuple(facts), " ".join(words))
    found = check(item, entities=True)
    assert len(found.stated) == len(facts)
    assert all(one is not None and 0 <= one <= 1 for one in found.stated)
    assert found.value is not None
    assert 0 < found.value <= 1
    end = -1
    for one in found.stretches:
        assert end < one.start < one.end <= len(item.text)
        assert one.unsupported is not None
        assert one.unsupported >= 0.5
        assert (one.fact is None) == (one.contradicted is None)
        assert one.fact is None or (found.stated[one.fact] or 0) < 0.5
        end = one.end


# From pieces to words, and from words to stretches a person would mark


DOUBTS = st.floats(0, 1)
TEXTS = st.lists(st.sampled_from(["Bex", "3.5", "is", "the", "of", "old", "pub", ",", ". ", "; "]))


def words(text: str, doubts: list[float]) -> list[Word]:
    """The words of a text with their doubts, in order."""
    found = [match.span() for match in re.finditer(r"[^\W_]+", text)]
    return [Word(*place, doubt) for place, doubt in zip(found, doubts, strict=True)]


def marked(text: str, doubts: list[float], threshold: float = 0.5) -> list[str]:
    found = stretches(text, words(text, doubts), threshold)
    return [text[one.start : one.end] for one in found]


def test_pieces_of_a_word_are_one_word_as_doubtful_as_the_worst() -> None:
    text = "Velmora, a town_7"
    offsets = [(0, 3), (3, 7), (7, 8), (9, 10), (11, 15), (15, 16), (16, 17)]
    found = words_of(text, offsets, [0.1, 0.9, 1.0, 0.2, 0.3, 1.0, 0.4])
    assert found == [(0, 7, 0.9), (9, 10, 0.2), (11, 15, 0.3), (16, 17, 0.4)]


def test_every_piece_has_its_doubt() -> None:
    with pytest.raises(ValueError, match="zip"):
        words_of("a b", [(0, 1), (2, 3)], [0.5])


@given(st.data())
def test_words_keep_all_letters_and_their_worst_doubt(data: st.DataObject) -> None:
    text = data.draw(st.text("ab1é文_,. \n", max_size=30))
    cuts = sorted({0, len(text), *data.draw(st.lists(st.integers(0, len(text))))})
    offsets = [
        (start + piece.start(), start + piece.end())
        for start, end in pairwise(cuts)
        for piece in re.finditer(r"[^\W_]+|[^\s\w]|_", text[start:end])
    ]
    doubts = [data.draw(DOUBTS) for _ in offsets]
    found = words_of(text, offsets, doubts)
    assert [text[one.start : one.end] for one in found] == re.findall(r"[^\W_]+", text)
    for one in found:
        inside = [
            doubt
            for (start, end), doubt in zip(offsets, doubts, strict=True)
            if one.start <= start and end <= one.end
        ]
        assert one.unsupported == max(inside)


@pytest.mark.parametrize(
    ("text", "doubts", "expected"),
    [
        ("Bex is a pub", [0, 0, 0, 0.4], []),
        ("Bex is a pub", [0, 0, 0, 0.5], ["pub"]),
        ("Bex is a pub", [0, 0, 0.9, 0.9], ["a pub"]),
        # Little words between two go along, and others where they are in doubt.
        ("inn of the king", [0.9, 0, 0, 0.9], ["inn of the king"]),
        ("inn beside king", [0.9, 0.1, 0.9], ["inn", "king"]),
        ("inn beside king", [0.9, 0.2, 0.9], ["inn beside king"]),
        ("inn of the of king", [0.9, 0, 0, 0, 0.9], ["inn", "king"]),
        # Never over the end of a sentence; a number and an address are no ends.
        ("old inn. Old king", [0, 0.9, 0.9, 0], ["inn", "Old"]),
        ("old inn; old king", [0, 0.9, 0.9, 0], ["inn", "old"]),
        ("old inn, old king", [0, 0.9, 0.9, 0], ["inn, old"]),
        ("It is 3.5 km", [0, 0, 0.9, 0.9, 0], ["3.5"]),
        ("See bex.example now", [0, 0.9, 0.9, 0], ["bex.example"]),
        ("", [], []),
    ],
)
def test_what_is_marked(text: str, doubts: list[float], expected: list[str]) -> None:
    assert marked(text, doubts) == expected


def test_a_stretch_is_as_sure_as_its_surest_word() -> None:
    (found,) = stretches("old inn", words("old inn", [0.6, 0.8]), 0.5)
    assert (found.level, found.unsupported, found.contradicted, found.fact) == (
        "span",
        0.8,
        None,
        None,
    )


def test_wrong_values_of_a_short_run_stand_apart() -> None:
    text = "born in Sarn in May 1733 and raised there"
    doubts = [0.9, 0.9, 0.9, 0.1, 0.9, 0.9, 0.1, 0.1, 0.1]
    own = words(text, doubts)

    def parts(*values: str) -> list[str]:
        places = [(text.index(value), text.index(value) + len(value)) for value in values]
        found = stretches(text, own, 0.5, places)
        return [text[one.start : one.end] for one in found]

    assert parts() == ["born in Sarn in May 1733"]
    assert parts("Sarn", "May 1733") == ["born in", "Sarn", "May 1733"]
    assert parts("1733") == ["born in Sarn in May", "1733"]
    assert parts("there") == parts()  # which nobody doubts
    long = "old " * 9 + "Sarn"
    (whole,) = stretches(long, words(long, [0.9] * 10), 0.5, [(36, 40)])
    assert (whole.start, whole.end) == (0, 40)  # a whole sentence is wrong, and not its names


@given(st.data(), TEXTS, st.floats(0.05, 1), st.floats(0.05, 1))
def test_stretches_hold_all_that_is_flagged_and_grow_as_the_threshold_falls(
    data: st.DataObject, parts: list[str], one: float, other: float
) -> None:
    text = " ".join(parts)
    own = [Word(*match.span(), data.draw(DOUBTS)) for match in re.finditer(r"[^\W_]+", text)]
    low, high = sorted((one, other))
    wide, narrow = stretches(text, own, low), stretches(text, own, high)
    for found, threshold in ((wide, low), (narrow, high)):
        flagged = [word for word in own if word.unsupported >= threshold]
        assert {stretch.start for stretch in found} <= {word.start for word in flagged}
        assert {stretch.end for stretch in found} <= {word.end for word in flagged}
        for word in flagged:
            assert sum(part.start <= word.start < word.end <= part.end for part in found) == 1
        for first, second in pairwise(found):
            assert first.end < second.start
        for part in found:
            assert not re.search(r"[.;] ", text[part.start : part.end])
    for part in narrow:
        assert any(more.start <= part.start and part.end <= more.end for more in wide)


PLACES = st.lists(st.integers(0, 30), unique=True, max_size=6).map(sorted)


@given(PLACES, PLACES)
def test_two_names_stand_nearest_where_looking_at_all_pairs_finds_them(
    ones: list[int], others: list[int]
) -> None:
    taken = {*ones}
    names = {
        "Velmora": [(3 * place, 3 * place + 2) for place in ones],
        "Sarn": [(3 * place, 3 * place + 1) for place in others if place not in taken],
    }
    pairs = [(one, other) for one in names["Velmora"] for other in names["Sarn"]]
    places = [(min(one[0], other[0]), max(one[1], other[1])) for one, other in pairs]
    slow = min(places, key=lambda place: place[1] - place[0], default=None)
    assert _between(COUNTRY, names) == slow


UNRELATED = tuple(Triple(f"Ubel{one}", "harbour", f"Omeg{one}") for one in "bcdefgh")


def test_facts_about_something_else_are_not_read_and_support_nothing() -> None:
    item = replace(RIGHT, text="Velmora is in the country Sarn, by a harbour.")
    wide = replace(item, triples=(*UNRELATED[:3], *item.triples, *UNRELATED[3:]))
    verifier = Verifier()
    bare, found = (check(one, verifier, entities=True) for one in (item, wide))
    assert found.stated[3:6] == bare.stated
    assert found.stated[:3] == pytest.approx((1 / (1 + math.exp(5)),) * 3)
    assert found.stated[6:] == pytest.approx((1 / (1 + math.exp(5)),) * 4)
    assert said(wide, found) == said(item, bare)
    assert (found.value or 0) < (bare.value or 0)
    assert "harbour" in said(wide, found)[-1]
    assert [one and one + 3 for one in (s.fact for s in bare.stretches)] == [
        one.fact for one in found.stretches
    ]


def test_relations_of_facts_about_something_else_are_not_read() -> None:
    item = replace(RIGHT, triples=(*UNRELATED, *RIGHT.triples))
    settings = {"entities": True, "weighing": Weighing(relation=Weigher())}
    found = check(item, **settings, read_relations=read_relations(leader=0.0))
    assert found.relations == (*[None] * len(UNRELATED), None, 0.5, None)


def test_the_log_odds_of_facts_about_something_else() -> None:
    item = replace(RIGHT, triples=(*UNRELATED, *RIGHT.triples))
    (found,) = VerifierEvidence(Verifier()).log_odds([item])
    (bare,) = VerifierEvidence(Verifier()).log_odds([RIGHT])
    assert found == [*[-5.0] * len(UNRELATED), *bare]


class InParts(Verifier):
    """A verifier that reads every item in several passes."""

    def __call__(self, pairs: Sequence[TextAndGraph]) -> list[VerifierOutput]:
        return [replace(one, passes=3) for one in super().__call__(pairs)]


def test_a_contradiction_in_a_long_text_is_looked_for_around_its_place() -> None:
    far = "Sarn is a country. " * 40
    text = f"{far}Velmora is in the country Sarn, founded 1812. {far}"
    item = replace(RIGHT, text=text)
    verifier = InParts()
    (found,) = VerifierEvidence(verifier, entities=False)([item])
    (place,) = (one for one in found.stretches if text[one.start : one.end] == "1812")
    assert place.fact == 2
    tried = verifier.calls[1]
    assert all("founded" in one and len(one) < 700 for one in tried)


class AboutATopic(Verifier):
    """Believes only facts whose subject the text names."""

    def __call__(self, pairs: Sequence[TextAndGraph]) -> list[VerifierOutput]:
        found = super().__call__(pairs)
        return [
            replace(
                one,
                stated=tuple(
                    logit if triple.subject in pair.text else NO
                    for logit, triple in zip(one.stated, pair.triples, strict=True)
                ),
            )
            for one, pair in zip(found, pairs, strict=True)
        ]


def test_a_text_that_means_its_subject_is_read_with_its_name_too() -> None:
    item = Item("1", (COUNTRY, LEADER), "The leader is Ida Thorvald.")
    verifier = AboutATopic()
    found = check(item, verifier, entities=True)
    assert verifier.calls[:2] == [[item.text], [f"Velmora: {item.text}"]]
    assert found.stated == pytest.approx((UNSURE, 0.5))  # the mean of -4 and 4
    (odds,) = VerifierEvidence(AboutATopic()).log_odds([item])
    assert odds == [NO, (YES + NO) / 2]


def test_a_text_with_another_name_for_its_subject_is_not_read_with_the_right_one() -> None:
    item = Item("1", (LEADER,), "Ida Thorvald is the leader of Brackenholt.")
    verifier = AboutATopic()
    assert check(item, verifier, entities=True).stated == pytest.approx((UNSURE,))
    assert not any(text.startswith("Velmora:") for call in verifier.calls for text in call)


def read_relations(
    **logits: float | None,
) -> Callable[[Sequence[NamedText]], list[list[float | None]]]:
    """A relation reader that has one logit per predicate."""
    return lambda texts: [
        [logits.get(triple.predicate) for triple in text.triples] for text in texts
    ]


def test_the_relation_reader_decides_about_the_facts_that_it_reads() -> None:
    weighing = Weighing(relation=Weigher())
    settings = {"entities": True, "weighing": weighing}
    item = replace(RIGHT, text=RIGHT.text.replace("its ", ""))
    plain = check(item, **settings)
    read = check(item, **settings, read_relations=read_relations(leader=-4.0, country=4.0))
    wrong, right = 1 / (1 + math.exp(4)), 1 / (1 + math.exp(-4))
    assert read.stated == pytest.approx((right, wrong, plain.stated[2]))
    (found,) = (one for one in read.stretches if one.fact == 1)
    assert found.level == "clause"
    assert item.text[found.start : found.end].endswith("Ida Thorvald")
    assert found.contradicted == pytest.approx(1 - wrong)
    assert (read.value or 0) < (plain.value or 0)


def test_the_verifier_is_heard_where_it_is_against_a_fact() -> None:
    settings = {"entities": True, "weighing": Weighing(relation=Weigher())}
    readers = {"read_relations": read_relations(leader=1.0, country=1.0)}
    item = replace(RIGHT, text=RIGHT.text.replace("its ", ""))
    found = check(item, **settings, **readers)
    odds = [math.log(one / (1 - one)) for one in found.stated[:2] if one]
    assert odds == pytest.approx([1.0, 1.0])  # it is for both
    against = check(item, Verifier({"Ida_Thorvald": -2.0}), **settings, **readers)
    odds = [math.log(one / (1 - one)) for one in against.stated[:2] if one]
    assert odds == pytest.approx([1.0, 1.0 - 0.35 * 2.0])


def test_readings_have_the_facts_as_both_models_read_them() -> None:
    shape = Triple("Velmora", "shape", "round")
    item = Item("1", (shape, COUNTRY, LEADER), "Velmora is round, in the country Sarn.")
    source = VerifierEvidence(
        Verifier(),
        Weighing(Weigher(0.5), relation=Weigher(2.0)),
        read_relations=read_relations(shape=3.0, country=-1.0),
    )
    ((first, second, third),) = source.readings([item])
    assert (first, second) == (Reading(3.0, YES / 2, "quality"), Reading(-1.0, YES / 2, "name"))
    assert third is None
    assert [one.added for one in (first, second) if one] == [0.4 * YES / 2 - 1.0, 0.0]
    assert replace(source, read_relations=None).readings([item]) == [[None] * 3]


@pytest.mark.parametrize(
    ("kind", "odds", "added"),
    [
        ("name", 2.0, 0.0),
        ("name", -2.0, -0.7),
        ("name", None, 0.0),
        ("value", 2.0, -1.0),
        ("value", -2.0, -1.7),
        ("quality", 2.0, -0.2),
        ("quality", -2.0, -1.8),
        ("quality", None, -1.0),
    ],
)
def test_what_is_added_to_the_relation_reader(
    kind: Literal["name", "value", "quality"], odds: float | None, added: float
) -> None:
    assert Reading(1.0, odds, kind).added == pytest.approx(added)


def test_of_an_attribute_the_verifier_is_heard_too() -> None:
    shape = Triple("Velmora", "shape", "round")
    item = Item("1", (shape, FOUNDED), "Velmora is round, since 1733.")
    settings = {"entities": True, "weighing": Weighing(relation=Weigher())}
    read = check(item, **settings, read_relations=read_relations(shape=-2.0, founded=-2.0))
    alone = 1 / (1 + math.exp(3.0))
    assert read.stated == pytest.approx((1 / (1 + math.exp(3.0 - 0.4 * YES)), alone))


def test_the_relation_reader_does_not_overrule_a_wrong_value() -> None:
    cues = Cues({"country": ("nation",)})
    settings = {"entities": True, "weighing": Weighing(relation=Weigher()), "cues": cues}
    read = check(RIGHT, **settings, read_relations=read_relations(country=4.0))
    assert read.stated[0] == check(RIGHT, **settings).stated[0]


def test_without_weights_for_it_the_relation_reader_is_not_asked() -> None:
    settings = {"entities": True, "read_relations": read_relations(leader=-4.0)}
    assert check(RIGHT, **settings) == check(RIGHT, entities=True)


def test_the_relation_reader_is_not_asked_about_records() -> None:
    item = read_record({"name": "Packlite", "colour": "blue"}, "Packlite is blue.", id="1").item
    asked: list[str] = []

    def read(texts: Sequence[NamedText]) -> list[list[float | None]]:
        asked.extend(text.text for text in texts)
        return [[-4.0] * len(text.triples) for text in texts]

    settings: Any = {"weighing": Weighing(relation=Weigher()), "read_relations": read}
    (evidence, other) = VerifierEvidence(Verifier(), **settings)([item, RIGHT])
    assert asked == [RIGHT.text]
    assert evidence.relations == ()
    assert other.relations != ()


def test_the_words_of_a_record_are_judged_by_its_values_not_by_the_verifier() -> None:
    record = {"name": "Packlite", "weight_g": 780, "colour": "blue"}
    source = VerifierEvidence(Verifier(), Weighing())

    def found(text: str) -> Evidence:
        (evidence,) = source([read_record(record, text, id="1").item])
        return evidence

    right = found("A splendid rucksack, the blue Packlite tips the scales at 0.78 kg.")
    assert right.stretches == ()
    wrong = found("The Packlite weighs 7.8 kg.")
    assert [one.note for one in wrong.stretches] == ["'7.8 kg': the data has weight_g '780'"]
    assert right.value is not None
    assert wrong.value is not None
    assert wrong.value < right.value


def test_words_that_the_record_reader_finds_against_a_fact(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    record = {"name": "Packlite", "weight_g": 780, "lining": "removable"}
    item = read_record(record, "The Packlite weighs 780 g. Its lining is sewn in.", id="1").item
    lining = next(at for at, one in enumerate(item.triples) if one.predicate == "lining")
    asked: list[NamedText] = []

    def read(texts: Sequence[NamedText]) -> list[list[SentenceReading]]:
        asked.extend(texts)
        words = ((27, 37, -3.0), (38, 40, -2.0), (41, 45, 2.0), (46, 48, 1.5))
        return [[SentenceReading(27, 49, lining, 4.0, -2.0, None, words)] for _ in texts]

    def found(limit: float) -> Evidence:
        model = Credibility({"rule reader": 1.0}, limit=limit)
        monkeypatch.setattr("adequa.metrics.nli.evidence.read_credibility", lambda: model)
        (evidence,) = VerifierEvidence(Verifier(), Weighing(), read_records=read)([item])
        return evidence

    (one,) = found(0.6).stretches
    assert item.text[one.start : one.end] == "Its lining is sewn in"
    assert one.note == "'sewn in': the data has lining 'removable' for Packlite"
    assert one.credible == pytest.approx(0.731, abs=0.001)
    assert found(0.8).stretches == ()  # it is too unlikely
    assert [item.text[start:end] for start, end, _ in asked[0].names] == ["Packlite", "780"]


def test_the_record_reader_is_asked_once_about_all_records_and_no_other_text() -> None:
    texts = ["The Packlite is blue.", "The Packlite is red."]
    record = {"name": "Packlite", "colour": "blue"}
    first, last = (read_record(record, text, id=text).item for text in texts)
    asked: list[list[str]] = []

    def read(named: Sequence[NamedText]) -> list[list[SentenceReading]]:
        asked.append([one.text for one in named])
        return [[] for _ in named]

    VerifierEvidence(Verifier(), Weighing(), read_records=read)([first, RIGHT, last])
    assert asked == [texts]


def test_a_fact_of_a_record_that_is_not_mentioned_is_not_read() -> None:
    verifier = Verifier()
    record = {"name": "Packlite", "weight_g": 780, "colour": "blue", "maker": "Hale"}
    item = read_record(record, "The Packlite is blue.", id="1").item
    asked: list[tuple[str, ...]] = []

    def verify(items: Sequence[Item]) -> list[VerifierOutput]:
        asked.extend(tuple(one.object for one in item.triples) for item in items)
        return verifier(items)

    (evidence,) = VerifierEvidence(verify, Weighing())([item])
    assert asked == [("blue",)]
    assert len(evidence.stated) == len(item.triples)


@dataclass
class Counted(Verifier):
    """Notes how many facts it is asked about, in a number of passes."""

    passes: int = 1
    facts: list[list[int]] = field(default_factory=list)

    def __call__(self, pairs: Sequence[TextAndGraph]) -> list[VerifierOutput]:
        self.facts.append([len(pair.triples) for pair in pairs])
        return [replace(one, passes=self.passes) for one in super().__call__(pairs)]


@pytest.mark.parametrize(("passes", "facts"), [(1, 3), (2, 1)])
def test_of_wide_data_only_the_facts_of_an_unnamed_subject_are_read_again(
    passes: int, facts: int
) -> None:
    triples = (Triple("Sarn", "capital", "Velmora"), LEADER, FOUNDED)
    item = Item("1", triples, "The capital is Velmora. Ida Thorvald leads it since 1733.")
    verifier = Counted(passes=passes)
    found = check(item, verifier, entities=True)
    assert verifier.calls[1] == [f"Sarn: {item.text}"]
    assert verifier.facts[:2] == [[3], [facts]]
    assert found.stated[0] == pytest.approx(SURE, abs=0.1)
