"""Figures against gold mentions, by hand."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.data import Item, Mention, Triple
from adequa.entities.evaluation import (
    MentionCounts,
    NamedSpan,
    agree,
    evaluate_mentions,
    find_disagreements,
    mention_detector,
    mention_key,
    write_predictions,
)
from adequa.errors import DataError
from adequa.readers import open_source


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


def test_figures_without_counts_are_none() -> None:
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


TRIPLES = (Triple("Vexla", "in", "Norn"),)


def _gold(entity: str, text: str, kind: str = "name") -> dict[str, str]:
    return {"entity": entity, "text": text, "type": kind}


def _item(text: str, *gold: dict[str, str], name: str = "1triples/City/Id1/Id1") -> Item:
    return Item(name, TRIPLES, text, meta={"mentions": list(gold)})


ITEMS = [
    _item("The Vexla is in Norn.", _gold("Vexla", "The Vexla"), _gold("Norn", "Norn")),
    _item("It is.", _gold("Vexla", "It", "pronoun"), name="2"),
    _item("", name="3"),
]


def _words(item: Item) -> list[Mention]:
    """Finds the bare names, and the last word of a text as a mention of Norn."""
    found = [
        Mention(name, item.text.index(name), item.text.index(name) + len(name), "name")
        for name in ("Vexla", "Norn")
        if name in item.text
    ]
    if item.text == "It is.":
        found.append(Mention("Norn", 3, 5, "noun"))
    return found


def test_figures_and_predictions() -> None:
    done: list[int] = []
    agreement, predictions = evaluate_mentions(iter(ITEMS), _words, done.append)
    assert done == [1, 2, 3]
    assert (agreement.exact.gold, agreement.exact.found, agreement.exact.right_gold) == (3, 3, 1)
    assert agreement.exact.precision == agreement.exact.recall == pytest.approx(1 / 3)
    assert agreement.by_type["name"].recall == 0.5
    assert agreement.by_type["pronoun"].recall == 0
    assert [prediction.item.id for prediction in predictions] == [item.id for item in ITEMS]


def test_every_text_has_its_line(tmp_path: Path) -> None:
    path = tmp_path / "found.jsonl"
    path.write_text("old", encoding="utf-8")
    write_predictions(evaluate_mentions(ITEMS, _words).predictions, path)
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert lines[0] == {
        "id": "1triples/City/Id1/Id1",
        "mentions": [
            {"entity": "Vexla", "text": "Vexla", "start": 4, "end": 9},
            {"entity": "Norn", "text": "Norn", "start": 16, "end": 20},
        ],
    }
    assert lines[2] == {"id": "3", "mentions": []}
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_cannot_be_written_whole_is_not_written(tmp_path: Path) -> None:
    broken = Item("4", TRIPLES, "\ud800", meta={"mentions": []})
    predictions = evaluate_mentions([*ITEMS, broken], lambda item: []).predictions
    torn = [*predictions[:3], predictions[3]._replace(mentions=(Mention("Norn", 0, 1, "name"),))]
    path = tmp_path / "found.jsonl"
    path.write_text("old", encoding="utf-8")
    with pytest.raises(DataError, match="surrogate"):
        write_predictions(torn, path)
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(DataError, match="cannot be written"):
        write_predictions(predictions, tmp_path / "absent" / "found.jsonl")


def test_disagreements_are_sorted_into_kinds() -> None:
    predictions = evaluate_mentions(ITEMS, _words).predictions
    kinds = {one.kind: one for one in find_disagreements(predictions, 10)}
    assert set(kinds) == {"boundary: lacks the", "missed: pronoun, subject", "extra: noun"}
    assert kinds["boundary: lacks the"].examples == (
        "1triples/City/Id1/Id1: Vexla as 'Vexla' for 'The Vexla'",
    )
    assert len(find_disagreements(predictions, 2)) == 2
    assert find_disagreements(predictions, 0) == []


@pytest.mark.parametrize(
    "item",
    [Item("1", TRIPLES, "Vexla"), Item("1", TRIPLES, "", meta={"mentions": [{"entity": "x"}]})],
)
def test_items_without_gold_are_refused(item: Item) -> None:
    with pytest.raises(DataError, match=r"no gold mentions.*enriched"):
        evaluate_mentions([item], _words)


def test_a_corpus_without_a_mention_is_refused() -> None:
    with pytest.raises(DataError, match="no gold mentions to compare"):
        evaluate_mentions([_item("Vexla.")], _words)


@pytest.mark.parametrize("detector", ["adequa", "paper"])
@pytest.mark.parametrize("threshold", [None, 0.2])
def test_the_detectors_by_name(detector: str, threshold: float | None) -> None:
    detect = mention_detector(detector, "mentions", threshold)  # type: ignore[arg-type]
    assert {one.entity for one in detect(ITEMS[0])} == {"Vexla", "Norn"}


@pytest.mark.data
def test_the_detector_on_the_real_dev_split(data_dir: Path) -> None:
    items = open_source(data_dir / "enriched" / "dev")
    agreement, predictions = evaluate_mentions(items, mention_detector())
    assert len(predictions) == agreement.texts + agreement.not_annotated == 2_268
    assert agreement.exact.f1 is not None
    assert agreement.exact.f1 > 0.85
    for item, mentions in predictions:
        for one in mentions:
            assert 0 <= one.start < one.end <= len(item.text)
