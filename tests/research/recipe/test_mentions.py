"""Mentions learned from annotated texts, and weights learned from choices."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from adequa.data import Item, Triple
from adequa.entities.detector import Detector
from adequa.entities.mentions import Option, probabilities
from research.recipe.mentions import OptionChoice, collect, learn, train_mentions, write_weights

PLACES = ["Norn", "Leeds", "Hull", "Oslo", "Aarhus"]
TEMPLATES = [
    "The Vexla Institute is in {0}. It is old.",
    "{0}'s centre is big, and the Vexla Institute is in it.",
]


def annotated(number: int, place: str, spans: Sequence[tuple[str, str]], text: str) -> Item:
    """An item with gold mentions, each the first of its words after the one before."""
    gold, at = [], 0
    for entity, span in spans:
        start = text.index(span, at)
        at = start + len(span)
        gold.append({"entity": entity, "start": start, "end": at, "text": span})
    triples = (Triple("Vexla_Institute", "city", place),)
    return Item(str(number), triples, text, meta={"mentions": gold})


def corpus(article: bool) -> list[Item]:
    """Ten texts by an annotator who marks determiners and possessives, or by one who does not."""
    items = []
    name = "he Vexla Institute" if article else "Vexla Institute"
    for number, place in enumerate(PLACES):
        first = "T" + name if article else name
        second = "t" + name if article else name
        spans = [("Vexla_Institute", first), (place, place), ("Vexla_Institute", "It")]
        items.append(annotated(2 * number, place, spans, TEMPLATES[0].format(place)))
        owner = f"{place}'s" if article else place
        spans = [(place, owner), ("Vexla_Institute", second), (place, "it")]
        items.append(annotated(2 * number + 1, place, spans, TEMPLATES[1].format(place)))
    return items


class Learned:
    """Decides by given weights."""

    def __init__(self, weights: Mapping[str, Mapping[str, float]]) -> None:
        self.weights = weights

    def decide(self, decision: str, options: Sequence[Option]) -> int:
        features = [option.features for option in options]
        chances = probabilities(self.weights.get(decision, {}), features)
        return chances.index(max(chances))


@pytest.mark.parametrize("article", [True, False])
def test_ten_texts_are_learned_by_heart(article: bool) -> None:
    items = corpus(article)
    weights = train_mentions(items, penalty=0.01)
    detector = Detector(mode="mentions", judge=Learned(weights))
    for item in items:
        expected = [(one["entity"], one["start"], one["end"]) for one in item.meta["mentions"]]
        found = detector.detect(item).mentions
        assert [(one.entity, one.start, one.end) for one in found] == expected


def test_every_decision_is_collected_with_the_annotators_answer() -> None:
    done: list[int] = []
    items = corpus(article=True)
    choices = collect(items, done.append)
    assert done == list(range(1, 11))
    assert set(choices) == {"keep", "left", "right", "anaphor"}
    assert {choice.right for choice in choices["keep"]} == {0}
    assert 1 in {choice.right for choice in choices["left"]}
    for choice in (choice for table in choices.values() for choice in table):
        assert 0 <= choice.right < len(choice.options)


def test_a_mention_without_a_place_says_nothing_of_what_is_none() -> None:
    item = corpus(article=True)[0]
    unplaced = [{**one, "start": None, "end": None} for one in item.meta["mentions"]]
    choices = collect([Item("1", item.triples, item.text, meta={"mentions": unplaced})])
    assert not choices.get("keep")
    assert not choices.get("anaphor")


def test_weights_are_written_as_they_are_read(tmp_path: Path) -> None:
    file = tmp_path / "weights.json"
    write_weights({"left": {"b": 1.23456, "a": -2.0, "weak": 0.01}}, file, "a test")
    read = json.loads(file.read_text(encoding="utf-8"))
    assert read == {"origin": "a test", "weights": {"left": {"a": -2.0, "b": 1.235}}}
    before = file.read_bytes()
    write_weights({"left": {"a": -2.0, "b": 1.23456, "weak": 0.01}}, file, "a test")
    assert file.read_bytes() == before


def test_the_right_option_becomes_the_likeliest() -> None:
    choices = [
        OptionChoice([["short", "first"], ["long"]], 1),
        OptionChoice([["short"], ["long", "first"]], 1),
        OptionChoice([["middle"], ["short"], ["long"]], 2),
        OptionChoice([["middle"], ["short"]], 0),
    ] * 5
    weights = learn(choices)
    assert weights["long"] > weights["middle"] > weights["short"]
    for options, right in choices:
        chances = probabilities(weights, options)
        assert chances.index(max(chances)) == right


def test_with_little_penalty_chances_are_shares() -> None:
    choices = [OptionChoice([["a"], ["b"]], 0)] * 30 + [OptionChoice([["a"], ["b"]], 1)] * 10
    weights = learn(choices, penalty=1e-6)
    assert probabilities(weights, [["a"], ["b"]]) == pytest.approx([0.75, 0.25], abs=1e-3)


def test_the_penalty_draws_to_nought_and_rare_features_are_left_out() -> None:
    choices = [OptionChoice([["a"], ["b"]], 0)] * 20 + [OptionChoice([["rare"], ["b"]], 0)] * 4
    loose, tight = learn(choices, penalty=0.1), learn(choices, penalty=100.0)
    assert 0 < tight["a"] < loose["a"]
    assert set(loose) == {"a", "b"}
    assert set(learn(choices, least=1)) == {"a", "b", "rare"}


def test_the_same_choices_give_the_same_weights() -> None:
    choices = [OptionChoice([["a", "x"], ["b"], ["c", "x"]], number % 3) for number in range(30)]
    assert learn(choices) == learn(choices)
