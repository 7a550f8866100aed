"""The verifier: one pass where it fits, and all of a long text and a long graph where not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.data import Item, Term, Triple
from adequa.errors import SettingError
from adequa.models.verifier import Verifier, VerifierOutput, VerifierPair, load_verifier
from adequa.models.wordpiece import WordPiece

POSITIONS = 100
OBJECTS = ["pub", "city", "cafe", "aarhus", "airport", "the"]


class Looking:
    """Knows a triple is stated where its object stands in the text, and the other way round.

    A word right after the start or before the end of a text looks disfluent.
    """

    def __init__(self, reader: WordPiece) -> None:
        self.reader = reader
        self.lengths: list[int] = []

    def __call__(
        self, sequences: Sequence[Sequence[int]], types: Sequence[Sequence[int]]
    ) -> list[Mapping[str, Any]]:
        return [self._one(*pair) for pair in zip(sequences, types, strict=True)]

    def _one(self, ids: Sequence[int], types: Sequence[int]) -> Mapping[str, Any]:
        self.lengths.append(len(ids))
        edge = types.index(1)
        assert ids[0] == self.reader.start
        assert ids[edge - 1] == ids[-1] == self.reader.separator
        text = ids[1 : edge - 1]
        tokens = np.zeros((len(ids), 3), dtype=np.float32)
        objects = set()
        for place in range(edge, len(ids) - 1):
            if ids[place] == self.reader.markers[0]:
                subject = place
            if ids[place] == self.reader.markers[2]:
                objects.add(ids[place + 1])
                tokens[subject, 0] = 5 if ids[place + 1] in text else -5
        for place, number in enumerate(text, 1):
            tokens[place, 1] = -5 if number in objects else 5
            tokens[place, 2] = 5 if place in (1, len(text)) else -5
        supported = all(number in objects for number in text)
        return {
            "tokens": tokens,
            "pair": np.array([5 if supported else -5], dtype=np.float32),
            "state": np.full(4, len(text), dtype=np.float32),
        }


def _triple(object_: str) -> Triple:
    return Triple("a", "b", object_)


def _check(
    reader: WordPiece, text: str, triples: Sequence[Triple], positions: int
) -> VerifierOutput:
    looking = Looking(reader)
    (found,) = Verifier(reader, looking, positions=positions).verify([VerifierPair(text, triples)])
    assert max(looking.lengths) <= positions
    return found


def test_one_pass_answers_everything(reader: WordPiece) -> None:
    looking = Looking(reader)
    text = "the pub"
    triples = (_triple("pub"), _triple("city"))
    (found,) = Verifier(reader, looking).verify([Item("Id1", triples, text)])
    assert len(looking.lengths) == 1
    assert found.stated == (5, -5)
    assert [text[start:end] for start, end in found.offsets] == ["the", "pub"]
    assert found.unsupported == (5, -5)
    assert found.disfluent == (5, 5)
    assert found.supported == -5
    assert found.state.tolist() == [2] * 4


@given(
    st.lists(st.sampled_from([*OBJECTS, "city.", "0"]), max_size=150),
    st.lists(st.sampled_from(OBJECTS), max_size=40),
)
def test_a_long_text_and_graph_are_answered_as_if_they_fitted(
    reader: WordPiece, words: list[str], objects: list[str]
) -> None:
    text, triples = " ".join(words), [_triple(one) for one in objects]
    short = _check(reader, text, triples, POSITIONS)
    whole = _check(reader, text, triples, 4096)
    assert short.stated == whole.stated
    assert short.offsets == whole.offsets
    assert short.unsupported == whole.unsupported
    assert (short.supported or 0) <= (whole.supported or 0)


def rank_objects(pair: VerifierPair) -> Callable[[int, int], list[int]]:
    """The triples whose object stands in a part of the text."""

    def rank(start: int, end: int) -> list[int]:
        words = {*pair.text[start:end].replace(".", "").split()}
        return [number for number, one in enumerate(pair.triples) if one.object in words]

    return rank


def _wide(objects: Sequence[str]) -> list[Triple]:
    return [Triple("a " * 9, "b", one) for one in objects]


@given(
    st.lists(st.sampled_from([*OBJECTS, "city.", "0"]), max_size=300),
    st.lists(st.sampled_from(OBJECTS), unique=True),
    st.integers(0, 30),
)
def test_a_wide_graph_is_read_by_relevance_as_if_each_window_were_read_with_all_of_it(
    reader: WordPiece, words: list[str], objects: list[str], others: int
) -> None:
    """The slow oracle reads every window with every chunk; the ranking here loses nothing."""
    pair = VerifierPair(" ".join(words), _wide([*objects, *["[UNK]"] * others]))
    looking = Looking(reader)
    verifier = Verifier(reader, looking, positions=300)
    (slow,) = verifier.verify([pair])
    before = len(looking.lengths)
    (fast,) = verifier.verify([pair], relevance=rank_objects)
    assert (fast.stated, fast.unsupported) == (slow.stated, slow.unsupported)
    assert fast.offsets == slow.offsets
    assert max(looking.lengths[before:]) <= 300
    assert fast.passes == len(looking.lengths) - before


def test_triples_that_do_not_bear_on_a_window_support_none_of_its_words(reader: WordPiece) -> None:
    pair = VerifierPair("the pub", _wide(["pub", "the", *["city"] * 20]))

    def only_first(_: VerifierPair) -> Callable[[int, int], list[int]]:
        return lambda start, end: [0]

    verifier = Verifier(reader, Looking(reader), positions=POSITIONS)
    (found,) = verifier.verify([pair], relevance=only_first)
    assert found.unsupported == (5, -5)
    assert found.stated == (5, 5, *[-5] * 20)  # all of them are judged


@pytest.mark.parametrize(("text", "facts"), [(1, 2), (2, 1), (2, 2)])
def test_the_passes_of_a_wide_graph_are_linear_in_text_and_in_triples(
    reader: WordPiece, text: int, facts: int
) -> None:
    def passes(times: int, wide: int) -> int:
        pair = VerifierPair("the pub. " * 400 * times, _wide(["city"] * 400 * wide + ["pub"]))
        verifier = Verifier(reader, Looking(reader), positions=POSITIONS)
        return verifier.verify([pair], relevance=rank_objects)[0].passes

    assert passes(text, facts) <= max(text, facts) * passes(1, 1) + 1


def test_a_long_triple_of_a_wide_graph_has_passes_to_itself(reader: WordPiece) -> None:
    long = Triple("a " * 44, "b", "pub")
    text = "the " * 60 + "pub"
    pair = VerifierPair(text, [long, Triple("a " * 200, "b", "pub"), *_wide(["city"] * 9)])
    looking = Looking(reader)
    verifier = Verifier(reader, looking, positions=POSITIONS)
    (found,) = verifier.verify([pair], relevance=rank_objects)
    assert found.stated == (5, None, *[-5] * 9)
    assert max(looking.lengths) <= POSITIONS


def test_many_pairs_are_read_in_parts(reader: WordPiece, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = [VerifierPair("the pub", [_triple(one)]) for one in OBJECTS]
    calls: list[int] = []

    def run(
        sequences: Sequence[Sequence[int]], types: Sequence[Sequence[int]]
    ) -> list[Mapping[str, Any]]:
        calls.append(len(sequences))
        return Looking(reader)(sequences, types)

    verifier = Verifier(reader, run)
    together = verifier.verify(pairs)
    assert calls == [len(pairs)]
    monkeypatch.setattr("adequa.models.verifier._MOST_TOKENS", 20)
    apart = verifier.verify(pairs)
    assert len(calls) > 2
    assert [one.stated for one in apart] == [one.stated for one in together]


def test_the_edge_of_a_window_is_not_held_against_a_word(reader: WordPiece) -> None:
    text = " ".join(["the pub."] * 60)
    found = _check(reader, text, [_triple("pub")], POSITIONS)
    inside = found.disfluent[1:-1]
    assert sum(value > 0 for value in inside) == 0
    assert found.disfluent[0] == found.disfluent[-1] == 5


def test_a_text_is_supported_only_if_all_its_windows_are(reader: WordPiece) -> None:
    graph = [_triple("pub")]
    assert _check(reader, "pub " * 200, graph, POSITIONS).supported == 5
    assert _check(reader, "pub " * 200 + "city", graph, POSITIONS).supported == -5


def test_a_long_triple_has_a_pass_to_itself(reader: WordPiece) -> None:
    long = Triple("a " * 44, "b", "pub")
    found = _check(reader, "the " * 60 + "pub", [_triple("the"), long, _triple("city")], POSITIONS)
    assert found.stated == (5, 5, -5)
    assert found.supported is not None


def test_a_triple_that_fits_nowhere_is_not_judged(reader: WordPiece) -> None:
    endless = Triple("a " * 200, "b", "pub")
    text = "the pub"
    found = _check(reader, text, [endless, _triple("the")], POSITIONS)
    assert found.stated == (None, 5)
    # It might have been what supports these words.
    assert found.unsupported == (None, None)
    assert found.supported is None
    alone = _check(reader, text, [endless], POSITIONS)
    assert alone.stated == (None,)
    assert alone.disfluent == (5, 5)


def test_nothing_to_say_and_nothing_said(reader: WordPiece) -> None:
    found = _check(reader, "", [_triple("pub")], POSITIONS)
    assert (found.stated, found.offsets, found.unsupported) == ((-5,), (), ())
    assert _check(reader, "the pub", [], POSITIONS).unsupported == (5, 5)
    assert _check(reader, "", [_triple("pub")] * 60, POSITIONS).stated == (-5,) * 60
    assert Verifier(reader, Looking(reader)).verify([]) == []


def test_terms_reach_the_model(reader: WordPiece) -> None:
    pair = VerifierPair("the pub", [_triple("Q1")], {"Q1": Term(label="pub")})
    (found,) = Verifier(reader, Looking(reader)).verify([pair])
    assert found.stated == (5,)


def test_too_few_positions(reader: WordPiece) -> None:
    with pytest.raises(SettingError, match="positions is 20: give at least 96"):
        Verifier(reader, Looking(reader), positions=20)


def test_a_pair_does_not_depend_on_its_company(folder: Path) -> None:
    verifier = load_verifier(str(folder))
    pairs = [
        VerifierPair("the pub " * count, [_triple(one) for one in OBJECTS[: count % 5]])
        for count in (0, 1, 2, 5, 300, 3, 1)
    ]
    together = verifier.verify(pairs)
    for pair, found in zip(pairs, together, strict=True):
        (alone,) = verifier.verify([pair])
        assert found.stated == pytest.approx(alone.stated, abs=1e-5)
        assert found.unsupported == pytest.approx(alone.unsupported, abs=1e-5)
        assert found.disfluent == pytest.approx(alone.disfluent, abs=1e-5)
        assert found.supported == pytest.approx(alone.supported, abs=1e-5)
        np.testing.assert_allclose(found.state, alone.state, atol=1e-5)
        assert len(found.offsets) == len(found.unsupported) == len(found.disfluent)


def test_the_shipped_verifier() -> None:
    stated = Triple("Aarhus_Airport", "cityServed", "Aarhus")
    missing = Triple("Aarhus_Airport", "runwayLength", "2702.0")
    pair = VerifierPair("Aarhus Airport serves the city of Aarhus.", [stated, missing])
    (found,) = load_verifier().verify([pair])
    assert found.stated[0] is not None
    assert found.stated[1] is not None
    assert found.stated[0] > 0 > found.stated[1]
