"""Where the members come from: shipped models, a user's own, the entity detector."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, fields, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from adequa.data import Item, Term, Triple
from adequa.errors import ModelError, UnknownName
from adequa.metrics.esa import EsaStrict
from adequa.metrics.sources import (
    Blend,
    Member,
    Members,
    RatingHead,
    Sources,
    _affirming,
    cosine_source,
    entity_source,
    has_words,
    model_digest,
    pair_source,
    read_blends,
    read_rating,
    read_verifier_output,
    verifier_source,
    weights_digest,
)
from adequa.models.encoder import load_encoder
from adequa.models.shipped import weights
from adequa.models.verifier import load_verifier
from adequa.models.wordpiece import WordPiece

from ..tiny_hub import write_classifier, write_encoder
from ..tiny_weights import WORDS, calibration, seal, write_weights

ITEMS = [
    Item("1", (Triple("Aarhus_Airport", "cityServed", "Aarhus"),), "Aarhus Airport serves Aarhus."),
    Item("2", (Triple("Bex", "country", "Vaudland"),), "The pub.", terms={"Bex": Term("Bex Town")}),
    Item("3", (Triple("Bex", "country", "Vaudland"),), "The pub."),
]
READER = WordPiece(WORDS)


@given(st.text())
@example(" \n\t")
@example("\u200b\u00ad\ufeff")
@example("\u0301\u0300")
@example("\ud800\ufffd\x85\x1f")
@example("É")
@example("।")
def test_a_text_has_words_where_a_model_reads_some(text: str) -> None:
    assert has_words(text) == bool(READER.pieces(text))


def test_weights_by_folder(tiny_weights: str) -> None:
    assert weights_digest(tiny_weights) == weights(tiny_weights).digest
    with pytest.raises(UnknownName, match="unknown weights"):
        weights_digest("v0")


def test_blends_of_every_part(tiny_weights: str) -> None:
    blends = read_blends(tiny_weights)
    assert blends is not None
    assert {part: set(blend.members) for part, blend in blends.items()} == {
        part: set(values["members"]) for part, values in calibration().items()
    }


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ({}, "has no part similarity"),
        ({"similarity": [1.0, 0.0]}, "has no part similarity"),
        ({"similarity": {"bi": {"slope": 1.0}}}, "has no members"),
    ],
)
def test_a_calibration_that_is_none(tmp_path: Path, content: object, problem: str) -> None:
    folder = write_weights(tmp_path / "weights")
    (folder / "calibration.json").write_text(json.dumps(content), encoding="utf-8")
    seal(folder)
    with pytest.raises(ModelError, match=rf"calibration\.json: {problem}"):
        read_blends(str(folder))


def test_a_rating_head_of_weights(tmp_path: Path, tiny_weights: str) -> None:
    assert read_rating(tiny_weights) is None
    head = {"state": [0.25, -1], "members": {"stated": 0.5}, "offset": 0.125}
    good, bad = (write_weights(tmp_path / name) for name in ("good", "bad"))
    for folder, rating in ((good, head), (bad, {**head, "offset": "high"})):
        content = json.dumps({"similarity": calibration(), "rating": rating})
        (folder / "calibration.json").write_text(content, encoding="utf-8")
        seal(folder)
    assert read_rating(str(good)) == RatingHead((0.25, -1.0), {"stated": 0.5}, 0.125)
    with pytest.raises(ModelError, match=r"calibration\.json: has no rating head"):
        read_rating(str(bad))


def test_weights_before_their_blend(tmp_path: Path) -> None:
    folder = write_weights(tmp_path / "weights")
    (folder / "calibration.json").unlink()
    seal(folder)
    assert read_blends(str(folder)) is None
    assert read_rating(str(folder)) is None


def test_cosines_are_those_of_the_encoder(tiny_weights: str) -> None:
    found = cosine_source(tiny_weights, 1)(ITEMS)
    encoder = load_encoder(tiny_weights)
    for item, cosine in zip(ITEMS, found, strict=True):
        text = encoder.encode([item.text])[0]
        graph = encoder.encode_graphs([(item.triples, item.terms)])[0]
        assert cosine == pytest.approx(float(text @ graph), abs=1e-6)
    assert found[1] != pytest.approx(found[2], abs=1e-4)  # a label is read in place of a name


def test_checks_are_those_of_the_verifier(tiny_weights: str) -> None:
    found = verifier_source(tiny_weights, 1)(ITEMS)
    alone = [load_verifier(tiny_weights).verify([item])[0] for item in ITEMS]
    for one, other in zip(found, alone, strict=True):
        assert one.stated == pytest.approx(other.stated, abs=1e-5)
        assert one.unsupported == pytest.approx(other.unsupported, abs=1e-5)
        assert one.supported == pytest.approx(other.supported, abs=1e-5)


def test_entities_are_those_of_esa_strict() -> None:
    nothing = Item("4", (Triple("[TABLECONTEXT]", "", "[TITLE]"),), "The pub.")
    found = entity_source([*ITEMS, nothing])
    assert found == [score.value for score in EsaStrict().score([*ITEMS, nothing])]
    assert found[0] == 1.0
    assert found[1] == 0.0
    assert found[3] is None


@pytest.mark.parametrize(
    ("labels", "column"),
    [
        (["anything"], 0),
        (["LABEL_0"], 0),
        (["LABEL_0", "LABEL_1"], 1),
        (["contradiction", "ENTAILMENT", "neutral"], 1),
        (["entailment", "not_entailment"], 0),
        (["hallucinated", "consistent"], 1),
    ],
)
def test_the_label_that_says_yes(labels: list[str], column: int) -> None:
    assert _affirming("model", labels) == column


@pytest.mark.parametrize("labels", [["good", "bad"], ["LABEL_0", "LABEL_1", "LABEL_2"]])
def test_which_label_says_yes_is_not_guessed(labels: list[str]) -> None:
    with pytest.raises(ModelError, match=rf"my-model: .*{', '.join(labels)}.*id2label"):
        _affirming("my-model", labels)


def test_a_local_model_is_known_by_its_files(tmp_path: Path) -> None:
    assert model_digest("someone/some-model") is None
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    before = model_digest(str(tmp_path))
    assert before == model_digest(str(tmp_path))
    (tmp_path / "config.json").write_text('{"hidden_size": 2}', encoding="utf-8")
    assert model_digest(str(tmp_path)) not in (None, before)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    root = tmp_path_factory.mktemp("others")
    return lambda name: root / name


@pytest.mark.filterwarnings("default")  # what others warn of is theirs
def test_an_encoder_of_others(folder: Callable[[str], Path]) -> None:
    model = write_encoder(folder("encoder"), markers=False)
    found = cosine_source("no such weights", 1, model)(ITEMS)
    assert len(found) == len(ITEMS)
    assert all(-1.0001 <= value <= 1.0001 for value in found)
    assert np.std(found) > 0


@pytest.mark.filterwarnings("default")
def test_a_cross_encoder_of_others(folder: Callable[[str], Path]) -> None:
    from adequa.models.hub import HubPairs

    model = write_classifier(folder("pairs"), "contradiction", "entailment", "neutral")
    long = Item("5", ITEMS[0].triples, "the pub " * 60)
    found = pair_source(model)([*ITEMS, long])
    (row,) = HubPairs(model).probabilities([(ITEMS[0].text, "Aarhus Airport city served Aarhus")])
    assert row is not None
    assert found[0] == pytest.approx(row[1], abs=1e-5)
    assert found[3] is None


# Members and their blend: by hand, and what must hold for any numbers


ITEM = Item("1", (Triple("Bex", "country", "Vaudland"),), "Bex is in Vaudland.")
NAMES = [field.name for field in fields(Members)]
FLOOR = 1e-4

logits = st.floats(-1e4, 1e4)
shares = st.floats(0, 1)
members_weights = st.builds(Member, st.floats(-1, 1), st.floats(0.01, 10), st.floats(0.01, 10))
blends = st.builds(
    Blend,
    st.dictionaries(st.sampled_from(NAMES), members_weights, min_size=1),
    st.floats(0.01, 5),
    st.floats(-5, 5),
)
everything = st.builds(Members, **dict.fromkeys(NAMES, shares))


def checked(**said: Any) -> Members:
    """What is made of a verifier's answer, where nothing else is asked."""
    answer = {"stated": (0.0,), "supported": 0.0, "unsupported": (0.0,), "disfluent": (0.0,)}
    (members,) = Sources(verifier=lambda _: [SimpleNamespace(**{**answer, **said})]).gather([ITEM])
    return members


def likely(logit: float) -> float:
    return 1 / (1 + math.exp(-logit))


def test_members_by_hand() -> None:
    members = checked(
        stated=(2.0, -1.0), supported=3.0, unsupported=(-2.0, 0.5), disfluent=(-4.0, -4.0)
    )
    assert members.stated == pytest.approx(math.sqrt(likely(2) * likely(-1)))
    assert members.weakest == pytest.approx(likely(-1))
    assert members.worst_word == pytest.approx(likely(-0.5))
    assert members.supported == pytest.approx(likely(3))
    assert members.tokens == pytest.approx(math.sqrt(likely(2) * likely(-0.5)))
    assert members.fluent == pytest.approx(likely(4))
    assert (members.bi, members.cross, members.entities) == (None, None, None)
    assert members.rated is None  # no head was given


def test_the_relation_reader_answers_for_the_facts_it_reads() -> None:
    output = SimpleNamespace(
        stated=(2.0, 3.0), supported=0.0, unsupported=(-2.0,), disfluent=(-2.0,)
    )
    sources = Sources(verifier=lambda _: [output], relations=lambda _: [[0.1, None]])
    (members,) = sources.gather([ITEM])
    assert members.facts == pytest.approx(math.sqrt(0.1 * likely(3)))
    assert members.weakest_fact == pytest.approx(0.1)
    assert members.stated == pytest.approx(math.sqrt(likely(2) * likely(3)))


def test_every_source_has_its_member_and_is_asked_once() -> None:
    asked = []

    def source(value: float) -> Any:
        def give(items: Sequence[Item]) -> list[float]:
            asked.append(len(items))
            return [value] * len(items)

        return give

    sources = Sources(cosines=source(-0.5), cross=source(0.25), entities=source(1.0))
    assert sources.gather([ITEM] * 3) == [Members(bi=-0.5, cross=0.25, entities=1.0)] * 3
    assert asked == [3, 3, 3]
    assert sources.gather([]) == []
    assert asked == [3, 3, 3]
    assert Sources().gather([ITEM]) == [Members()]


def test_a_source_that_loses_an_item_is_found_out() -> None:
    with pytest.raises(ValueError, match="argument 2 is shorter"):
        Sources(cosines=lambda items: [0.5] * len(items), verifier=lambda _: []).gather([ITEM])


@given(st.lists(logits, min_size=1, max_size=8), st.integers(0, 7), st.floats(0, 100))
def test_a_surer_fact_never_lowers_and_a_surer_fault_never_raises(
    values: list[float], place: int, more: float
) -> None:
    place %= len(values)
    raised = [value + more * (number == place) for number, value in enumerate(values)]
    before, after = (
        checked(stated=tuple(row), supported=row[0], unsupported=tuple(row), disfluent=tuple(row))
        for row in (values, raised)
    )
    names = {"stated": 1, "weakest": 1, "supported": 1}
    for name, sign in {**names, "tokens": -1, "worst_word": -1, "fluent": -1}.items():
        low, high = (getattr(members, name) for members in (before, after)[::sign])
        assert 0 <= low <= high + 1e-12
        assert high <= 1


@given(st.integers(1, 20), st.floats(-1e4, -20))
def test_one_sure_fault_does_not_outweigh_all_else(count: int, logit: float) -> None:
    members = checked(stated=(logit, *[1e4] * (count - 1)))
    assert members.stated == pytest.approx(FLOOR ** (1 / count))
    assert checked(supported=logit).supported < FLOOR  # which is no mean, and has no floor


def test_what_is_not_known_of_a_part_is_not_known_of_the_whole() -> None:
    members = checked(stated=(2.0, None), supported=None, unsupported=(None, None))
    assert (members.stated, members.supported, members.tokens) == (None, None, None)
    assert members.fluent == 0.5
    assert (members.weakest, members.worst_word) == (None, None)
    nothing = checked(unsupported=(), disfluent=())
    facts = {"stated": 0.5, "weakest": 0.5, "facts": 0.5, "weakest_fact": 0.5}
    assert nothing == Members(**facts, supported=0.5)


@given(blends, everything, st.data())
def test_a_blend_rises_with_each_member(blend: Blend, members: Members, data: Any) -> None:
    name = data.draw(st.sampled_from(sorted(blend.members)))
    more = replace(members, **{name: data.draw(st.floats(getattr(members, name), 1))})
    low, high = blend(members), blend(more)
    assert low is not None
    assert high is not None
    assert 0 <= low <= high + 1e-12
    assert high <= 1
    if getattr(more, name) - getattr(members, name) > 0.01:
        assert blend.mean(members) < blend.mean(more)  # type: ignore[operator]


@given(blends, everything, st.data())
def test_a_blend_has_no_value_where_a_member_is_missing(
    blend: Blend, members: Members, data: Any
) -> None:
    for name in NAMES:
        without = replace(members, **{name: None})
        if name in blend.members:
            assert blend(without) is None
        else:
            assert blend(without) == blend(members)


def test_a_blend_by_hand() -> None:
    blend = Blend({"bi": Member(0.5, 0.1, 1.0), "stated": Member(0.8, 0.2, 3.0)}, 2.0, -0.5)
    members = Members(bi=0.6, stated=0.4, supported=0.0)
    assert blend.mean(members) == pytest.approx((1 * 1 + 3 * -2) / 4)
    assert blend(members) == pytest.approx(likely(2 * -1.25 - 0.5))


def written(blend: Blend) -> dict[str, Any]:
    return {
        "members": {name: asdict(member) for name, member in blend.members.items()},
        "slope": blend.slope,
        "offset": blend.offset,
    }


@given(blends)
def test_a_blend_is_read_as_it_was_written(blend: Blend) -> None:
    assert Blend.read({**written(blend), "fitted_on": "a test"}, "here") == blend


GOOD = {"mean": 0.0, "spread": 1.0, "weight": 1.0}


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"members": None}, "AttributeError"),
        ({"members": {"bi": {"mean": 0.0, "weight": 1.0}}}, "KeyError"),
        ({"members": {"bi": {**GOOD, "mean": "high"}}}, "ValueError"),
        ({"members": {"bi": {**GOOD, "mean": None}}}, "TypeError"),
        ({"slope": []}, "TypeError"),
        ({"members": {}}, "its members are none"),
        ({"members": {"bleu": GOOD}}, "its members are bleu; there are bi, cross"),
        ({"members": {"bi": {**GOOD, "spread": 0.0}}}, "spreads must be above 0"),
        ({"members": {"bi": {**GOOD, "spread": math.nan}}}, "finite"),
        ({"members": {"bi": {**GOOD, "weight": -1.0}}}, "weights not below"),
        ({"members": {"bi": {**GOOD, "weight": 0.0}}}, "weights not below"),
        ({"slope": -1.0}, "slope"),
        ({"offset": math.inf}, "finite"),
    ],
)
def test_a_blend_that_is_none(changed: dict[str, Any], problem: str) -> None:
    values = {"members": {"bi": GOOD}, "slope": 1.0, "offset": 0.0}
    assert Blend.read(values, "place")
    with pytest.raises(ModelError, match=rf"^place: .*{problem}"):
        Blend.read({**values, **changed}, "place")


STATE = np.array([1.0, -2.0], dtype=np.float32)
HEAD = RatingHead((0.1, 0.05), {"stated": 0.5, "weakest": -0.25}, 0.2)


def test_a_rating_by_hand() -> None:
    assert HEAD(STATE, Members(stated=0.8, weakest=0.4)) == pytest.approx(0.2 + 0.4 - 0.1)


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=2), shares, st.floats(-1e6, 1e6))
def test_a_rating_is_from_0_to_1(state: list[float], share: float, offset: float) -> None:
    head = replace(HEAD, offset=offset)
    rating = head(np.array(state, dtype=np.float32), Members(stated=share, weakest=share))
    assert rating is not None
    assert 0 <= rating <= 1


def test_a_rating_stays_within_its_scale() -> None:
    sure = Members(stated=1.0, weakest=0.0)
    assert replace(HEAD, offset=3.0)(STATE, sure) == 1.0
    assert replace(HEAD, offset=-3.0)(STATE, sure) == 0.0


def test_there_is_no_rating_where_a_member_is_missing() -> None:
    assert HEAD(STATE, Members(stated=0.8)) is None
    assert HEAD(STATE, Members(stated=0.8, weakest=0.4, tokens=None)) is not None


@pytest.mark.parametrize("size", [0, 1, 3])
def test_a_head_of_another_verifier(size: int) -> None:
    with pytest.raises(ModelError, match=f"states of 2 numbers, not {size}.*another verifier"):
        HEAD(np.ones(size, dtype=np.float32), Members(stated=0.8, weakest=0.4))


def test_a_source_of_checks_with_a_head_has_ratings() -> None:
    answers = [
        SimpleNamespace(
            stated=(logit,), supported=0.0, unsupported=(1.0,), disfluent=(0.0,), state=STATE
        )
        for logit in (2.0, None)
    ]
    first, second = Sources(verifier=lambda _: answers, rating=HEAD).gather([ITEM, ITEM])
    assert first.rated == HEAD(STATE, first)
    assert first.rated is not None
    assert replace(first, rated=None) == read_verifier_output(answers[0])
    assert second.rated is None
    assert read_verifier_output(answers[0], Members(bi=0.3)).bi == 0.3


def test_a_head_is_read_as_it_was_written() -> None:
    values = {**asdict(HEAD), "state": list(HEAD.state), "fitted_on": "a test", "texts": 3}
    assert RatingHead.read(values, "here") == HEAD


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"state": None}, "TypeError"),
        ({"state": 1.0}, "TypeError"),
        ({"state": [0.1, "much"]}, "ValueError"),
        ({"state": [[0.1]]}, "TypeError"),
        ({"members": ["stated"]}, "AttributeError"),
        ({"members": {"stated": None}}, "TypeError"),
        ({"members": {"bleu": 1.0}}, "members other than bi, cross"),
        ({"members": {"stated": math.inf}}, "not finite"),
        ({"state": [math.nan]}, "not finite"),
        ({"offset": -math.inf}, "not finite"),
        ({"offset": 10**400}, "OverflowError"),
        ({"offset": {}}, "TypeError"),
    ],
)
def test_a_head_that_is_none(changed: dict[str, Any], problem: str) -> None:
    values = {"state": [0.1], "members": {"stated": 1.0}, "offset": 0.0}
    assert RatingHead.read(values, "place")
    with pytest.raises(ModelError, match=rf"^place: .*{problem}"):
        RatingHead.read({**values, **changed}, "place")


@pytest.mark.parametrize("values", [{}, [], 1.0, "head", {"state": [], "members": {}}])
def test_what_is_no_head_at_all(values: Any) -> None:
    with pytest.raises(ModelError, match=r"^place: has no rating head.*adequa train blend"):
        RatingHead.read(values, "place")
