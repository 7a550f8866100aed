"""BLEU as NLTK computes it: NLTK is the oracle."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from nltk.translate.bleu_score import SmoothingFunction, corpus_bleu, sentence_bleu

import adequa
from adequa import Item, Triple
from adequa.errors import SettingError
from adequa.metrics.reference import SentenceBleu

TRIPLES = (Triple("s", "p", "o"),)

word_lists = st.lists(st.sampled_from(["a", "b", "c", "d", "e"]), max_size=14)
references = st.lists(word_lists.filter(bool), min_size=1, max_size=3)
pairs = st.tuples(word_lists, references)


def item_of(pair: tuple[list[str], list[list[str]]]) -> Item:
    text, own = pair
    return Item("1", TRIPLES, " ".join(text), references=tuple(map(" ".join, own)))


def smoothing_of(number: int) -> Any:
    return getattr(SmoothingFunction(), f"method{number}")


@pytest.mark.parametrize("smoothing", [0, 1, 2, 3, 4, 5, 7])
@settings(max_examples=40, deadline=None)
@given(pair=pairs)
def test_a_text_scores_as_in_nltk(smoothing: Any, pair: tuple[list[str], list[list[str]]]) -> None:
    metric = SentenceBleu(smoothing=smoothing, tokenize="whitespace")
    with _quiet():
        wanted = sentence_bleu(pair[1], pair[0], smoothing_function=smoothing_of(smoothing))
    assert metric.score([item_of(pair)])[0].value == pytest.approx(wanted, rel=1e-12, abs=1e-300)


@pytest.mark.parametrize("smoothing", [0, 1, 2, 3, 4])
@settings(max_examples=30, deadline=None)
@given(corpus=st.lists(pairs, min_size=1, max_size=6))
def test_a_corpus_scores_as_in_nltk(
    smoothing: Any, corpus: list[tuple[list[str], list[list[str]]]]
) -> None:
    metric = SentenceBleu(smoothing=smoothing, tokenize="whitespace")
    scores = metric.score([item_of(pair) for pair in corpus])
    totals = [sum(column) for column in zip(*(score.statistics for score in scores), strict=True)]
    with _quiet():
        wanted = corpus_bleu(
            [own for _, own in corpus],
            [text for text, _ in corpus],
            smoothing_function=smoothing_of(smoothing),
        )
    assert metric.corpus(totals) == pytest.approx(wanted, rel=1e-12, abs=1e-300)


@settings(max_examples=40, deadline=None)
@given(pair=pairs, weights=st.lists(st.floats(0, 1), min_size=1, max_size=5))
def test_weights_are_nltks(pair: tuple[list[str], list[list[str]]], weights: list[float]) -> None:
    assume(any(weights))
    metric = SentenceBleu(weights=tuple(weights), smoothing=1, tokenize="whitespace")
    with _quiet():
        wanted = sentence_bleu(pair[1], pair[0], tuple(weights), smoothing_function=smoothing_of(1))
    assert metric.score([item_of(pair)])[0].value == pytest.approx(wanted, rel=1e-12)


@given(text=st.lists(st.sampled_from(["a", "b"]), min_size=1, max_size=5))
def test_reweighing_is_nltks(text: list[str]) -> None:
    metric = SentenceBleu(smoothing=0, auto_reweigh=True, tokenize="whitespace")
    with _quiet():
        wanted = sentence_bleu([["a", "b", "a"]], text, auto_reweigh=True)
    found = metric.score([item_of((text, [["a", "b", "a"]]))])[0].value
    assert found == pytest.approx(wanted, rel=1e-12, abs=1e-300)


@contextmanager
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NLTK warns of every zero
        yield


def test_words_and_case_are_settings() -> None:
    item = Item("1", TRIPLES, "The pub, cheap.", references=("the pub , cheap .",))
    assert SentenceBleu(lowercase=True).score([item])[0].value == 1.0
    assert SentenceBleu(lowercase=True, tokenize="13a").score([item])[0].value == 1.0
    assert SentenceBleu().score([item])[0].value < 1.0  # type: ignore[operator]
    whitespace = SentenceBleu(lowercase=True, tokenize="whitespace").score([item])[0].value
    assert whitespace is not None
    assert whitespace < 1.0


def test_blank_references_are_none() -> None:
    items = [
        Item("1", TRIPLES, "a b c d", references=(" ", "")),
        Item("2", TRIPLES, "a b c d", references=("", "a b c d")),
        Item("3", TRIPLES, "", references=("a b c d",)),
    ]
    blank, one, empty = SentenceBleu().score(items)
    assert (blank.value, blank.reason) == (None, "no references")
    assert (one.value, empty.value) == (1.0, 0.0)


@pytest.mark.parametrize(
    "wrong",
    [
        {"smoothing": 6},
        {"weights": ()},
        {"weights": (0.5, math.nan)},
        {"weights": (-1.0,)},
        {"tokenize": "moses"},
        {"epsilon": -0.1},
        {"k": 0.0},
    ],
)
def test_settings_that_cannot_be_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(SettingError, match=next(iter(wrong))):
        SentenceBleu(**wrong)


def test_settings_are_written() -> None:
    metric = adequa.load_metric("bleu_nltk", weights="0.5+0.5", smoothing="1", lowercase="true")
    assert metric == SentenceBleu(weights=(0.5, 0.5), smoothing=1, lowercase=True)


@pytest.mark.data
def test_the_published_scores_of_2020_are_met(data_dir: Path) -> None:
    """Source: the column `bleu` of peers.jsonl, by NLTK 3.8 with its trained sentence splitter."""
    folder = data_dir / "webnlg2020"
    source = folder / "test" / "rdf-to-text-generation-test-data-with-refs-en.xml"
    systems = {name: folder / "systems" / f"{name}.txt" for name in ("bt5", "RALI", "NILC")}
    published = adequa.load_metric("precomputed", file=folder / "human" / "peers.jsonl", key="bleu")
    items = list(adequa.read(source, texts=systems))
    wanted = {
        item.key: score.value for item, score in zip(items, published.score(items), strict=True)
    }
    rated = [item for item in items if wanted[item.key] is not None]
    assert len(rated) == 3 * 90
    found = [score.value for score in SentenceBleu().score(rated)]
    same = [
        value == pytest.approx(wanted[item.key], abs=1e-9)
        for item, value in zip(rated, found, strict=True)
    ]
    assert sum(same) / len(same) > 0.94
