"""Recall: ranks that can be told by hand, ties, duplicates, and a slow oracle."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from adequa.data import Item, Triple
from adequa.errors import DataError, SettingError
from adequa.retrieval import Recall, Reranker, evaluate
from adequa.retrieval.search import ranks_of

FULL = {"r@1": 1.0, "r@5": 1.0, "r@10": 1.0, "mrr": 1.0}


def test_figures() -> None:
    assert Recall((1, 2, 6, 11), 20).figures() == {
        "r@1": 0.25,
        "r@5": 0.5,
        "r@10": 0.75,
        "mrr": round((1 + 1 / 2 + 1 / 6 + 1 / 11) / 4, 6),
        "queries": 4,
        "pool": 20,
    }


def test_both_directions_and_the_pool(items: Any, words: Any) -> None:
    seen: list[tuple[int, int]] = []
    found = evaluate(items[:10], items[10:], words, progress=lambda *step: seen.append(step))
    assert list(found) == ["graph_to_text", "text_to_graph"]
    for recall in found.values():
        assert recall.figures() == {**FULL, "queries": 10, "pool": 30}
    assert seen[-1] == (80, 80)
    assert seen == sorted(seen)


def _graph(number: int, text: str, object_: str = "x") -> Item:
    return Item(str(number), (Triple("s", "p", object_), Triple("t", "q", object_)), text)


def test_a_tie_is_no_hit(words: Any) -> None:
    # To a bag of words these texts are the same, and so are the graphs.
    items = [_graph(1, "one two"), _graph(2, "two one", "X")]
    for recall in evaluate(items, [], words).values():
        assert recall.ranks == (2, 2)


def test_what_says_the_same_is_right_too(words: Any) -> None:
    one = _graph(1, "one two")
    turned = Item("2", one.triples[::-1], "one two")
    for recall in evaluate([one], [turned], words).values():
        assert (recall.ranks, recall.pool) == ((1,), 2)


def _slow_rank(scores: Sequence[float], right: set[int]) -> int:
    best = max(scores[place] for place in right)
    return 1 + sum(score >= best - 1e-6 for place, score in enumerate(scores) if place not in right)


@given(
    arrays(np.float32, (6, 3), elements=st.sampled_from([-1.0, 0.0, 1.0])),
    arrays(np.float32, (6, 3), elements=st.sampled_from([-1.0, 0.0, 1.0])),
    st.lists(st.sampled_from(["a", "b", "c"]), min_size=6, max_size=6),
    st.integers(1, 6),
)
def test_ranks_are_those_of_the_slow_way(
    asked: np.ndarray, found: np.ndarray, texts: list[str], queries: int
) -> None:
    items = [_graph(number, text) for number, text in enumerate(texts)]
    slow = [
        _slow_rank(
            (asked[query] @ found.T).tolist(),
            {place for place, text in enumerate(texts) if text == texts[query]},
        )
        for query in range(queries)
    ]
    assert ranks_of(items, queries, asked, found, "texts") == slow
    # A scorer without an opinion changes nothing, however many it is asked about.
    for top in (1, 3, 9):
        nobody = Reranker(lambda pairs: [0.5] * len(pairs), top)
        assert ranks_of(items, queries, asked, found, "texts", rerank=nobody) == slow


@pytest.mark.parametrize(("top", "rank"), [(1, 3), (2, 3), (3, 1), (9, 1)])
def test_a_second_look_is_at_the_first_few_only(top: int, rank: int) -> None:
    texts = ["right", "wrong", "bad", "worse"]
    items = [_graph(number, text) for number, text in enumerate(texts)]
    found = np.array([[0.7], [0.9], [0.8], [0.1]], dtype=np.float32)
    asked = np.ones((1, 1), dtype=np.float32)

    def scorer(pairs: Sequence[Item]) -> list[float]:
        assert all(pair.triples == items[0].triples for pair in pairs)
        return [float(pair.text == "right") for pair in pairs]

    rerank = Reranker(scorer, top, weight=0.25)
    assert ranks_of(items, 1, asked, found, "texts", rerank=rerank) == [rank]
    light = Reranker(scorer, top, weight=0.15)
    assert ranks_of(items, 1, asked, found, "texts", rerank=light) == [2 if rank == 1 else 3]


def test_pairs_of_the_other_direction(items: Any, words: Any) -> None:
    seen: list[Item] = []

    def scorer(pairs: Sequence[Item]) -> list[float]:
        seen.extend(pairs)
        return [0.0] * len(pairs)

    evaluate(items[:1], items[1:3], words, rerank=Reranker(scorer, 3))
    to_text, to_graph = seen[:3], seen[3:]
    assert {pair.triples for pair in to_text} == {items[0].triples}
    assert {pair.text for pair in to_text} == {item.text for item in items[:3]}
    assert {pair.text for pair in to_graph} == {items[0].text}
    assert {pair.triples for pair in to_graph} == {item.triples for item in items[:3]}


def test_wrong_input_says_so(items: Any, words: Any) -> None:
    with pytest.raises(DataError, match="no queries"):
        evaluate([], items, words)
    with pytest.raises(DataError, match="the item 'x' has no text"):
        evaluate(items, [Item("x", items[0].triples, "")], words)
    with pytest.raises(DataError, match="the item 'x' has no triples"):
        evaluate([Item("x", (), "a text")], items, words)
    with pytest.raises(SettingError, match="number of vectors does not match"):
        ranks_of(items, 1, np.ones((1, 2)), np.ones((2, 2)), "texts")
