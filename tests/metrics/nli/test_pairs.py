"""The two directions, with a model of plain Python: a sentence follows if its words are there."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.data import Item, Term, Triple
from adequa.metrics.nli.evidence import Evidence, Stretch
from adequa.metrics.nli.pairs import SupportedAnswer, _halves, own_facts, pair_evidence
from adequa.models.pairs import NliLabels

THREE = ("entailment", "neutral", "contradiction")
_SMALL = frozenset(("a", "and", "in", "is", "it", "of", "the", "to", "was", "which", "who"))


@dataclass
class Words:
    """Entailed if all words of the hypothesis are in the premise.

    Contradicted if all that lacks is a number, and the premise has another one.
    """

    labels: Sequence[str] = THREE
    limit: int = 10_000
    calls: list[list[tuple[str, str]]] = field(default_factory=list)

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[tuple[float, ...] | None]:
        self.calls.append(list(pairs))
        return [self._row(*pair) for pair in pairs]

    def _row(self, premise: str, hypothesis: str) -> tuple[float, ...] | None:
        if len(premise.split()) + len(hypothesis.split()) > self.limit:
            return None
        known, said = _words(premise), _words(hypothesis)
        lacking = said - known
        numbers = all(word.isdigit() for word in lacking) and any(map(str.isdigit, known - said))
        likely = {"entailment": 0.9 if not lacking else 0.1 if numbers else 0.2}
        if "contradiction" in self.labels:
            likely["contradiction"] = 0.04 if not lacking else 0.7 if numbers else 0.15
        rest = ({"neutral", "not_entailment"} & set(self.labels)).pop()
        likely[rest] = 1 - sum(likely.values())
        return tuple(likely[label] for label in self.labels)


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower())) - _SMALL


def _sentence(triple: Triple, terms: Mapping[str, Term]) -> str:
    return " ".join(triple) + "."


def _item(text: str, *facts: str) -> Item:
    return Item("1", tuple(Triple(*fact.split("|")) for fact in facts), text)


def _check(pairs: Words, *items: Item) -> list[Evidence]:
    labels = NliLabels.read("words", pairs.labels)
    return pair_evidence(pairs, labels, _sentence)(items)


PLACE, YEAR, OWNER = "Inn|located|Rome", "Inn|opened|1990", "Inn|owner|Ann"
GOOD = _item("The Inn is located in Rome. It opened in 1990.", PLACE, YEAR)


def _shown(item: Item, evidence: Evidence) -> list[tuple[str, str]]:
    return [(one.level, item.text[one.start : one.end]) for one in evidence.stretches]


def test_all_and_only() -> None:
    pairs = Words()
    (found,) = _check(pairs, GOOD)
    share = 0.9 / 0.96
    assert found.stated == pytest.approx((share, share))
    assert found.supported == pytest.approx(share)
    assert found.stretches == ()
    assert found.value == pytest.approx(share * share)
    graph = "Inn located Rome. Inn opened 1990."
    assert pairs.calls == [
        [
            (GOOD.text, "Inn located Rome."),
            (GOOD.text, "Inn opened 1990."),
            (graph, GOOD.text),
        ]
    ]


def test_an_omission() -> None:
    (found,) = _check(Words(), _item("The Inn is located in Rome.", PLACE, YEAR, OWNER))
    assert [one is not None and one > 0.5 for one in found.stated] == [True, False, False]
    assert found.supported is not None
    assert found.supported > 0.5
    assert found.value is not None
    assert found.value < 0.6


def test_a_sentence_that_nothing_supports() -> None:
    item = _item("The Inn is located in Rome. A cook sings there.", PLACE, YEAR)
    pairs = Words()
    (found,) = _check(pairs, item)
    assert _shown(item, found) == [("sentence", "A cook sings there.")]
    (stretch,) = found.stretches
    assert stretch.unsupported == pytest.approx(1 - 0.2 / 0.85)
    assert stretch.contradicted == pytest.approx(0.15 / 0.8)
    assert len(pairs.calls) == 2


def test_the_clause_that_fails_and_no_more() -> None:
    item = _item("Ann sings. The Inn opened in 1990, and it is a castle, in Rome.", PLACE, YEAR)
    pairs = Words()
    (found,) = _check(pairs, item)
    assert _shown(item, found) == [("sentence", "Ann sings."), ("clause", "and it is a castle,")]
    assert len(pairs.calls) == 3
    everything = [pair for call in pairs.calls for pair in call]
    assert len(set(everything)) == len(everything)


def test_a_sentence_none_of_whose_clauses_fails_alone() -> None:
    class Fussy(Words):
        def _row(self, premise: str, hypothesis: str) -> tuple[float, ...] | None:
            return (0.1, 0.8, 0.1) if hypothesis.count(",") > 1 else (0.9, 0.05, 0.05)

    item = _item("The Inn is in Rome, it is old, it is big.", PLACE)
    (found,) = _check(Fussy(), item)
    assert _shown(item, found) == [("sentence", item.text)]


def test_a_text_none_of_whose_sentences_fails_alone() -> None:
    class Fussy(Words):
        def _row(self, premise: str, hypothesis: str) -> tuple[float, ...] | None:
            return (0.1, 0.8, 0.1) if hypothesis.count(".") > 1 else (0.9, 0.05, 0.05)

    item = _item(" The Inn is in Rome. It is old.\n", PLACE)
    (found,) = _check(Fussy(), item)
    assert _shown(item, found) == [("text", item.text.strip())]
    (stretch,) = found.stretches
    assert found.supported is not None
    assert stretch.unsupported == pytest.approx(1 - found.supported)


def test_a_contradiction_is_distinguished() -> None:
    item = _item("The Inn opened in 1880.", PLACE, YEAR)
    (found,) = _check(Words(), item)
    (stretch,) = found.stretches
    assert stretch.contradicted is not None
    assert stretch.contradicted > 0.5
    assert stretch.fact == 1
    (found,) = _check(Words(labels=("entailment", "not_entailment")), item)
    (stretch,) = found.stretches
    assert (stretch.contradicted, stretch.fact) == (None, None)
    assert stretch.unsupported == pytest.approx(0.9)


def test_one_wrong_fact_among_many() -> None:
    """A model that is blind beside a long premise, and sees beside a short one."""

    class Blind(Words):
        def _row(self, premise: str, hypothesis: str) -> tuple[float, ...] | None:
            if hypothesis.startswith("Ann owns") and len(premise.split()) > 6:
                return 0.55, 0.4, 0.05
            return super()._row(premise, hypothesis)

    item = _item("A cook sings. Ann owns it since 1880.", PLACE, YEAR, OWNER)
    (found,) = _check(Blind(), item)
    assert ("sentence", "Ann owns it since 1880.") in _shown(item, found)


def test_own_facts() -> None:
    facts = ["Inn located Rome.", "Inn opened 1990.", "Inn owner Ann."]
    assert own_facts("The Inn, located in Rome, is Ann's.", facts) == [0, 2]
    assert own_facts("The Inn is old.", facts) == []
    assert own_facts("The Inn is old.", facts[:1]) == [0]
    assert own_facts("The Inn is old.", []) == []


@pytest.mark.parametrize(
    "labels", [*permutations(THREE), *permutations(("entailment", "not_entailment"))]
)
def test_the_order_of_labels_changes_nothing(labels: tuple[str, ...]) -> None:
    items = [GOOD, _item("The Inn opened in 1880. A cook sings, and it is big.", PLACE, YEAR)]
    reference = THREE if len(labels) == 3 else ("entailment", "not_entailment")
    assert _check(Words(labels=labels), *items) == _check(Words(labels=reference), *items)


VOCABULARY = ("Inn", "Rome.", "opened", "1990,", "in", "1880.", "Ann.", "is", "big", "who", "and")
ITEMS = st.lists(
    st.builds(
        lambda words, facts: _item(" ".join(words), *facts),
        st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=30),
        st.lists(st.sampled_from([PLACE, YEAR, OWNER]), min_size=1, max_size=6),
    ),
    max_size=4,
)


@given(items=ITEMS, limit=st.integers(3, 40))
def test_evidence_is_whole_and_independent_of_company(items: list[Item], limit: int) -> None:
    together = _check(Words(limit=limit), *items)
    assert together == [_check(Words(limit=limit), item)[0] for item in items]
    for item, found in zip(items, together, strict=True):
        assert len(found.stated) == len(item.triples)
        place = 0
        for one in found.stretches:
            assert place <= one.start < one.end <= len(item.text)
            assert one.unsupported is None or one.unsupported >= 0.5
            place = one.end
        unread = [*found.stated, found.supported, *(one.unsupported for one in found.stretches)]
        assert (found.value is None) == (None in unread)
        assert bool(found.stretches) == (found.supported is None or found.supported <= 0.5)


def test_windows_of_a_long_text() -> None:
    filler = [f"The Inn is located in Rome {number} times." for number in range(20)]
    text = " ".join([*filler[:13], "It opened in 1990.", *filler[13:], "A cook sings."])
    facts = [PLACE, YEAR, OWNER, *(f"Inn|times|{number}" for number in range(20))]
    item = _item(text, *facts)
    pairs = Words(limit=100)
    (found,) = _check(pairs, item)
    assert [one is not None and one > 0.5 for one in found.stated] == [
        fact != OWNER for fact in facts
    ]
    assert _shown(item, found) == [("sentence", "A cook sings.")]
    assert found.value is not None
    everything = [pair for call in pairs.calls for pair in call]
    assert len(set(everything)) == len(everything)
    assert found == _check(Words(), item)[0]


def test_a_long_graph_in_chunks() -> None:
    facts = [f"Inn|room|{number}" for number in range(60)]
    item = _item("The Inn has room 3. The Inn has room 41. A cook sings.", *facts, "Inn|has|it")
    pairs = Words(limit=40)
    (found,) = _check(pairs, item)
    assert found.supported is not None
    assert found.supported < 0.5
    assert ("sentence", "A cook sings.") in _shown(item, found)


def test_what_fits_in_no_way_is_none() -> None:
    long = "Inn|note|" + " ".join(f"word{number}" for number in range(50))
    item = _item("The Inn is located in Rome. It is big.", PLACE, long)
    (found,) = _check(Words(limit=30), item)
    assert found.stated[0] is not None
    assert found.stated[1] is None
    assert found.value is None
    assert [one.unsupported is None for one in found.stretches] == [True]
    assert _shown(item, found) == [("sentence", "It is big.")]


def test_what_was_read_settles_what_it_can() -> None:
    """A window that states a fact is enough; one that does not leaves it open."""
    heap = "X" * 20 + " " + " ".join(["heap"] * 15) + "."

    class Unread(Words):
        def _row(self, premise: str, hypothesis: str) -> tuple[float, ...] | None:
            if "X" * 20 in premise or "X" * 20 in hypothesis:
                return None
            return super()._row(premise, hypothesis)

    text = f"The Inn is located in Rome. {heap} The Inn is old. The Inn is big."
    (found,) = _check(Unread(), _item(text, PLACE, YEAR))
    assert found.stated[0] is not None
    assert found.stated[1] is None
    assert found.supported is not None
    assert found.supported < 0.5
    assert Stretch(text.index("X"), text.index(heap) + len(heap), "sentence", None) in (
        found.stretches
    )
    assert found.value is None


def test_a_sentence_longer_than_the_model_is_read_in_parts() -> None:
    words = " ".join(f"w{number}" for number in range(300))
    item = _item(f"Inn {words} Rome located.", PLACE, f"Inn|has|{words}")
    (found,) = _check(Words(limit=340), item)
    assert found.stated[0] is not None
    assert found.supported is not None
    assert found.value is not None


@given(st.lists(st.sampled_from(["Ann", "is", "big.", "and,", "who", "1"]), max_size=80))
def test_halves_share_or_touch_and_are_smaller(words: list[str]) -> None:
    text = " ".join(words)
    halves = _halves(text, (0, len(text)))
    if halves:
        (start, last), (first, end) = halves
        assert (start, end) == (0, len(text))
        assert 0 < first < end
        assert 0 < last < end
        assert not text[last:first].strip()
    else:
        assert len(words) <= 16


def test_two_sentences_are_read_whole() -> None:
    question = SupportedAnswer("Ann is big. Bob is, so to say, small.", (0, 37), ("a", "b"))
    _, parts = question.parts()
    assert [part.pair for part in parts] == [
        ("a b", "Ann is big."),
        ("a b", "Bob is, so to say, small."),
    ]


@pytest.mark.parametrize(
    ("row", "passes"),
    [((0.4, 0.35, 0.25), True), ((0.3, 0.1, 0.6), False), ((0.4, 0.4, 0.2), False)],
)
def test_a_check_passes_where_entailment_is_the_most_likely_label(
    row: tuple[float, ...], passes: bool
) -> None:
    class Fixed(Words):
        def _row(self, premise: str, hypothesis: str) -> tuple[float, ...] | None:
            return row

    (found,) = _check(Fixed(), GOOD)
    assert found.supported is not None
    assert (found.supported > 0.5) is passes
    assert all((one is not None and one > 0.5) is passes for one in found.stated)
    assert (not found.stretches) is passes


def test_a_value_has_a_floor() -> None:
    class Never(Words):
        def _row(self, premise: str, hypothesis: str) -> tuple[float, ...] | None:
            return 0.0, 1.0, 0.0

    (found,) = _check(Never(), GOOD)
    assert found.value == pytest.approx(1e-8)


def test_no_items_no_facts_no_text() -> None:
    assert _check(Words()) == []
    (found,) = _check(Words(), Item("1", (), "A cook sings."))
    assert found.stated == ()
    assert [one.level for one in found.stretches] == ["sentence"]
    (found,) = _check(Words(), _item("", PLACE))
    assert found.stretches == ()


def test_sentences_know_the_terms() -> None:
    seen = []

    def sentence(triple: Triple, terms: Mapping[str, Term]) -> str:
        seen.append((triple, terms))
        return "The Inn."

    item = Item("1", (Triple("a", "b", "c"),), "The Inn.", terms={"a": Term("Inn")})
    pair_evidence(Words(), NliLabels(0, 2, 1), sentence)([item])
    assert seen == [(item.triples[0], item.terms)]
