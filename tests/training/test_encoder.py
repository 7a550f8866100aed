"""The batches of the encoder: always the same, of different graphs, with the mixture asked for."""

from __future__ import annotations

import numpy as np
import pytest

from adequa.training.encoder import MIXTURE, NEGATIVES, ContrastiveBatches, inversion_rate, recalls

from . import corpora

PAIRS = corpora.pairs()
KNOWN = corpora.knowledge()


def test_a_batch_is_always_the_same_and_its_graphs_differ() -> None:
    batches = ContrastiveBatches(PAIRS, KNOWN, size=6)
    for number in range(30):
        pairs, negatives = batches.batch(number)
        assert (pairs, negatives) == ContrastiveBatches(PAIRS, KNOWN, size=6).batch(number)
        graphs = [frozenset(pair.triples) for pair in pairs]
        assert len(set(graphs)) == len(graphs) <= 6
        sizes = [len(graph) for graph in graphs]
        assert max(sizes) - min(sizes) <= 2  # each within one of the first
        assert len(negatives) <= len(pairs)
    other = ContrastiveBatches(PAIRS, KNOWN, size=6, seed=1)
    assert batches.batch(0) != other.batch(0)


def test_the_mixture_is_what_is_made() -> None:
    alone = ContrastiveBatches(PAIRS, KNOWN, size=6, mixture={})
    assert alone.batch(0)[1] == []
    dropping = ContrastiveBatches(PAIRS, KNOWN, size=6, mixture={"dropped": 1.0})
    for number in range(20):
        pairs, negatives = dropping.batch(number)
        graphs = [set(pair.triples) for pair in pairs]
        assert all(any(set(one) < graph for graph in graphs) for one in negatives)
    assert set(MIXTURE) == set(NEGATIVES)


def test_recall_counts_a_tie_against_it() -> None:
    texts = np.eye(12)
    assert recalls(texts[:6], texts, range(6)) == {"r@1": 1.0, "r@10": 1.0}
    assert recalls(np.ones((2, 12)), texts, [0, 1]) == {"r@1": 0.0, "r@10": 0.0}
    graphs = np.array([[0.0] * 9 + [0.9, 1.0, 0.8]])
    assert recalls(graphs, texts, [9]) == {"r@1": 0.0, "r@10": 1.0}


def test_inversions() -> None:
    texts = np.array([[1.0, 0.0]] * 3)
    right = np.array([[0.9, 0.0], [0.5, 0.0], [0.5, 0.0]])
    wrong = np.array([[0.1, 0.0], [0.5, 0.0], [0.6, 0.0]])
    assert inversion_rate(texts, right, wrong) == pytest.approx(2 / 3)
