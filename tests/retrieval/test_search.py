"""A second look: entity evidence, metrics as scorers, and the order they give."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from adequa.data import Item, Triple
from adequa.errors import SettingError, UnknownName
from adequa.metrics import load_metric
from adequa.retrieval import (
    Reranker,
    build_index,
    entity_evidence,
    load_scorer,
    metric_scorer,
    search,
)

GRAPH = (Triple("Norn_Castle", "country", "Vexland"), Triple("Norn_Castle", "built", "1761"))


def evidence(text: str) -> float:
    return entity_evidence([Item("1", GRAPH, text)])[0]


def test_evidence_falls_with_what_is_missing_and_what_is_foreign() -> None:
    full = evidence("Norn Castle, in Vexland, was built in 1761.")
    less = evidence("Norn Castle is in Vexland.")
    more = evidence("Norn Castle, in Vexland, was built in 1761 by Ulla Brandt.")
    assert full == 1
    assert less == pytest.approx(2 / 3)
    assert less < more < full
    assert evidence("The river Tarn ends at Kestrel Bay.") < evidence("Nothing is said here.")
    assert -1 <= evidence("") <= 0
    assert entity_evidence([]) == []


@pytest.fixture
def texts() -> list[Item]:
    return [
        Item("wrong", (), "Norn Castle country country castle built Vexland built"),
        Item("right", (), "In Vexland stands the castle of Norn; it is from 1761, a Norn Castle."),
        Item("far", (), "Something else entirely."),
    ]


def test_search_ranks_the_first_few_again(texts: Any, words: Any, tmp_path: Path) -> None:
    index = build_index(texts, tmp_path / "index", words)
    plain = search(index, [GRAPH], words)[0]
    again = search(index, [GRAPH], words, rerank=Reranker(entity_evidence, 2, 5.0))[0]
    assert [hit.item.id for hit in plain] == ["wrong", "right", "far"]
    assert [hit.item.id for hit in again] == ["right", "wrong", "far"]
    assert again[0].score == pytest.approx(again[0].cosine + 5.0)
    assert again[2] == plain[2]  # not among the first two
    # With -k 1 the second of the encoder still has its chance.
    best = search(index, [GRAPH], words, k=1, rerank=Reranker(entity_evidence, 2, 5.0))[0]
    assert best == again[:1]


def test_like_cannot_be_ranked_again(texts: Any, words: Any, tmp_path: Path) -> None:
    index = build_index(texts, tmp_path / "index", words)
    with pytest.raises(SettingError, match="only for queries that are graphs"):
        search(index, ["a text"], words, rerank=Reranker(entity_evidence))
    assert search(index, [texts[2].text, GRAPH], words)[0][0].item.id == "far"


def test_a_metric_scores_pairs() -> None:
    items = [Item("1", GRAPH, "Norn Castle is in Vexland, since 1761."), Item("2", GRAPH, "")]
    assert metric_scorer(load_metric("esa"))(items) == [1.0, 0.0]
    assert load_scorer("esa:threshold=0.3")(items) == [1.0, 0.0]
    assert load_scorer("entities") is entity_evidence
    assert load_scorer("adequa.retrieval:entity_evidence") is entity_evidence


def test_unknown_scorers_and_unfit_metrics() -> None:
    with pytest.raises(UnknownName, match="unknown scorer 'entitys': did you mean 'entities'"):
        load_scorer("entitys")
    with pytest.raises(SettingError, match="cannot be loaded"):
        load_scorer("absent.module:name")
    with pytest.raises(SettingError, match="bleu needs references"):
        load_scorer("bleu")
    with pytest.raises(SettingError, match="at least 1"):
        Reranker(entity_evidence, 0)
    with pytest.raises(SettingError, match="not nan"):
        Reranker(entity_evidence, weight=float("nan"))


def test_a_scorer_that_loses_a_pair_is_a_fault() -> None:
    with pytest.raises(ValueError, match="shorter"):
        Reranker(lambda pairs: []).blend([Item("1", GRAPH, "x")], [0.5])
