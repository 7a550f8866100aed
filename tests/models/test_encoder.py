"""The encoder: one space, one length, whatever the batch and however long the text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.data import Term, Triple
from adequa.errors import ModelError, SettingError
from adequa.models import encoder as room
from adequa.models.encoder import ShippedEncoder, load_encoder
from adequa.models.wordpiece import WordPiece

TEXTS = ["the pub", "Aarhus Airport serves the city of Aarhus.", "", "the pub", "文本 cafés"]
GRAPHS = [
    ((Triple("Aarhus_Airport", "cityServed", "Aarhus"),), None),
    ((), None),
    ((Triple("Q1", "is", "pub"),), {"Q1": Term(label="the cafe")}),
]


class Counting:
    """Counts words instead of understanding them, and remembers what it was asked."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.asked: list[Sequence[int]] = []

    def __call__(self, sequences: Sequence[Sequence[int]]) -> list[Mapping[str, Any]]:
        self.asked += sequences
        rows = [np.bincount(sequence, minlength=self.size) for sequence in sequences]
        return [{"vector": (row / np.linalg.norm(row)).astype(np.float32)} for row in rows]


def test_rows_have_length_one_and_do_not_depend_on_their_company(folder: Path) -> None:
    encoder = load_encoder(str(folder))
    for found, alone in (
        (encoder.encode(TEXTS), [encoder.encode([text]) for text in TEXTS]),
        (encoder.encode_graphs(GRAPHS), [encoder.encode_graphs([graph]) for graph in GRAPHS]),
    ):
        assert found.dtype == np.float32
        np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)
        np.testing.assert_allclose(found, np.concatenate(alone), atol=1e-5)
    assert encoder.encode([]).shape[0] == 0
    assert load_encoder(str(folder)) is encoder


def test_a_text_and_a_graph_are_asked_about_once(reader: WordPiece) -> None:
    run = Counting(len(reader))
    encoder = ShippedEncoder(reader, run)
    encoder.encode(TEXTS)
    assert len(run.asked) == len(set(TEXTS))
    first = encoder.encode_graphs(GRAPHS)
    asked = len(run.asked)
    np.testing.assert_array_equal(encoder.encode_graphs(GRAPHS[::-1]), first[::-1])
    assert len(run.asked) == asked
    # The same string with another label is another graph.
    encoder.encode_graphs([(GRAPHS[2][0], None)])
    assert len(run.asked) == asked + 1


def test_the_cache_of_graphs_is_bounded(reader: WordPiece, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_GRAPH_BYTES", 3000)
    encoder = ShippedEncoder(reader, Counting(len(reader)))
    encoder.encode_graphs([((Triple(str(number), "b", "c"),), None) for number in range(9)])
    assert 0 < len(encoder._graphs) < 9
    assert encoder._graphs.bytes <= 3000


@given(st.lists(st.sampled_from(["the", "pub.", "cafe", "aarhus", "文"]), max_size=60))
def test_a_long_text_is_read_whole(reader: WordPiece, words: list[str]) -> None:
    run = Counting(len(reader))
    text = " ".join(words)
    (row,) = ShippedEncoder(reader, run, positions=12).encode([text])
    assert [number for part in run.asked for number in part[1:-1]] == reader.numbers(text)
    assert all(len(part) <= 12 for part in run.asked)
    assert np.linalg.norm(row) == pytest.approx(1, abs=1e-5)


def test_a_long_graph_is_read_triple_by_triple(reader: WordPiece) -> None:
    run = Counting(len(reader))
    triples = tuple(Triple("the pub", "city", str(number)) for number in range(6))
    ShippedEncoder(reader, run, positions=18).encode_graphs([(triples, None)])
    assert len(run.asked) == 3
    assert all(part[1] == reader.markers[0] for part in run.asked)


def test_a_model_that_reads_next_to_nothing(reader: WordPiece) -> None:
    with pytest.raises(SettingError, match="positions is 3"):
        ShippedEncoder(reader, Counting(3), positions=3)


def test_a_folder_without_an_encoder(tmp_path: Path) -> None:
    with pytest.raises(ModelError):
        load_encoder(str(tmp_path))


def test_the_shipped_encoder() -> None:
    encoder = load_encoder()
    texts = encoder.encode(["Aarhus Airport serves Aarhus.", "The pub sells cheap fish."])
    graph = encoder.encode_graphs([GRAPHS[0]])
    right, wrong = (texts @ graph.T).ravel()
    assert right > wrong + 0.2
