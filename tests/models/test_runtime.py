"""The runtime: order, company, threads, forks, and what is said of a broken model."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.errors import ModelError
from adequa.models.runtime import (
    Network,
    WordTable,
    batches,
    breaks_of,
    chunks,
    padded_length,
    windows,
)
from adequa.models.wordpiece import WordPiece

RANDOM = np.random.default_rng(3)
SEQUENCES = [
    RANDOM.integers(4, 80, size=length).tolist() for length in RANDOM.integers(2, 40, size=60)
]
TYPES = [[int(place > 4) for place in range(len(sequence))] for sequence in SEQUENCES]


@pytest.fixture
def network(folder: Path, table: WordTable) -> Network:
    return Network(folder / "verifier.onnx", table, outputs=("tokens", "pair", "state"), typed=True)


@given(st.lists(st.integers(1, 70), max_size=40), st.integers(1, 100), st.integers(1, 9))
def test_batches_hold_every_sequence_once_within_bounds(
    lengths: list[int], tokens: int, count: int
) -> None:
    found = list(batches(lengths, tokens, count))
    assert sorted(number for batch in found for number in batch) == list(range(len(lengths)))
    for batch in found:
        padded = {padded_length(lengths[number]) for number in batch}
        assert len(padded) == 1
        assert len(batch) == 1 or (len(batch) <= count and len(batch) * padded.pop() <= tokens)


@pytest.mark.parametrize("size", [1, 3, 64])
def test_results_are_in_order_and_independent_of_their_company(network: Network, size: int) -> None:
    together = replace(network, batch_size=size, batch_tokens=40 * size).run(SEQUENCES, TYPES)
    for sequence, types, found in zip(SEQUENCES, TYPES, together, strict=True):
        (alone,) = network.run([sequence], [types])
        assert found["tokens"].shape == (len(sequence), 3)
        assert found["pair"].shape == (1,)
        for name in network.outputs:
            np.testing.assert_allclose(found[name], alone[name], atol=1e-5)


def test_padding_counts_for_nothing(network: Network, table: WordTable) -> None:
    """Against the same arithmetic without padding."""
    sequence, types = SEQUENCES[0][:5], TYPES[0][:5]
    (found,) = network.run([sequence], [types])
    words = table.vectors(np.asarray(sequence))
    like = np.exp(words @ words.T)
    states = like / like.sum(axis=1, keepdims=True) @ words + np.asarray(types)[:, None]
    np.testing.assert_allclose(found["state"], states[0], atol=1e-4)


def test_nothing_in_nothing_out(network: Network) -> None:
    assert network.run([], []) == []


def test_threads_share_one_session(network: Network) -> None:
    expected = network.run(SEQUENCES, TYPES)
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: network.run(SEQUENCES, TYPES), range(8)):
            for one, other in zip(found, expected, strict=True):
                np.testing.assert_array_equal(one["tokens"], other["tokens"])
    assert network._session() is network._session()


_FORK = """
import os, sys
from adequa.models.encoder import load_encoder
encoder = load_encoder(sys.argv[1], threads=2)
before = encoder.encode(["the pub"] )
child = os.fork()
if child == 0:
    same = (encoder.encode(["the pub", "the city"])[0] == before[0]).all()
    os._exit(0 if same else 1)
_, status = os.waitpid(child, 0)
encoder.encode(["the city"])
sys.exit(os.waitstatus_to_exitcode(status))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing forks here")
def test_a_forked_child_loads_its_own(folder: Path) -> None:
    command = [sys.executable, "-W", "ignore", "-c", _FORK, str(folder)]
    done = subprocess.run(command, timeout=60, check=False, capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_missing_model(network: Network, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"none\.onnx: there is no such model; reinstall adequa"):
        replace(network, path=tmp_path / "none.onnx").run(SEQUENCES, TYPES)


def test_a_broken_model(
    network: Network, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "broken.onnx"
    path.write_bytes(network.path.read_bytes()[:200])
    with pytest.raises(ModelError, match=r"broken\.onnx: cannot be loaded .*export the model"):
        replace(network, path=path).run(SEQUENCES, TYPES)
    assert capfd.readouterr() == ("", "")


def test_a_model_with_other_inputs_or_outputs(network: Network, folder: Path) -> None:
    with pytest.raises(ModelError, match="reads mask, words and gives vector, where mask, types"):
        replace(network, path=folder / "encoder.onnx").run(SEQUENCES, TYPES)
    with pytest.raises(ModelError, match=r"pair, state, tokens, where .* and verdict are needed"):
        replace(network, outputs=("verdict",)).run(SEQUENCES, TYPES)


@pytest.mark.parametrize(
    ("how", "problem"),
    [
        ("not finite", "'vector' holds numbers that are not finite"),
        ("shape", r"'vector' has the shape .* for \(1, 8\)"),
        ("failing", "fails on 1 × 8 words"),
    ],
)
def test_a_model_that_misbehaves(
    tmp_path: Path,
    table: WordTable,
    write_onnx: Callable[[Path, str], Path],
    how: str,
    problem: str,
) -> None:
    network = Network(write_onnx(tmp_path / "model.onnx", how), table, outputs=("vector",))
    with pytest.raises(ModelError, match=rf"model\.onnx: {problem}"):
        network.run([[1, 2, 3]])


def test_vectors_are_rows_times_scales(tmp_path: Path) -> None:
    rows = np.array([[1, -127], [3, 4], [0, 0]], dtype=np.int8)
    np.savez(tmp_path / "words.npz", rows=rows, scales=np.array([0.5, 2, 1], dtype=np.float32))
    table = WordTable.read(tmp_path / "words.npz")
    found = table.vectors(np.array([[1, 0], [2, 1]]))
    assert found.dtype == np.float32
    assert found.tolist() == [[[6.0, 8.0], [0.5, -63.5]], [[0.0, 0.0], [6.0, 8.0]]]
    assert len(table) == 3


def test_a_file_is_read_once(folder: Path) -> None:
    assert WordTable.read(folder / "words.npz") is WordTable.read(str(folder / "words.npz"))


@pytest.mark.parametrize("how", ["missing", "broken", "other names", "other types", "scales"])
def test_what_is_no_table(tmp_path: Path, how: str) -> None:
    path = tmp_path / "words.npz"
    rows, scales = np.ones((3, 2), dtype=np.int8), np.ones(3, dtype=np.float32)
    if how == "broken":
        path.write_bytes(b"PK\x03\x04 and then nothing")
    elif how == "other names":
        np.savez(path, table=rows)
    elif how == "other types":
        np.savez(path, rows=rows.astype(np.float32), scales=scales)
    elif how == "scales":
        np.savez(path, rows=rows, scales=scales[:2])
    with pytest.raises(ModelError, match=r"words\.npz: .*; give the words\.npz the model was"):
        WordTable.read(path)


@given(
    count=st.integers(0, 200),
    size=st.integers(1, 40),
    share=st.floats(0, 0.25),
    breaks=st.lists(st.sets(st.integers(1, 200)), max_size=2),
)
def test_windows_cover_everything_in_order(
    count: int, size: int, share: float, breaks: list[set[int]]
) -> None:
    overlap = min(int(size * share), size // 4)
    found = windows(count, size, overlap=overlap, breaks=breaks)
    assert found[0][0] == 0
    assert found[-1][1] == count
    assert all(end - start <= size for start, end in found)
    for (start, end), (later, _) in pairwise(found):
        assert start < later <= end
        assert end - later <= overlap


def test_a_sentence_is_a_better_place_to_cut_than_a_word() -> None:
    assert windows(12, 8, breaks=[{5}, {3, 5, 6, 7}]) == [(0, 5), (5, 12)]
    assert windows(12, 8, breaks=[{3}, {3, 5, 7}]) == [(0, 7), (7, 12)]
    assert windows(12, 8) == [(0, 8), (8, 12)]


def test_too_much_overlap_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="cannot overlap"):
        windows(10, 4, overlap=2)


@given(st.lists(st.integers(1, 12), max_size=20), st.integers(1, 12))
def test_chunks_hold_everything_that_fits(lengths: list[int], size: int) -> None:
    found = chunks(lengths, size)
    assert [one for chunk in found for one in chunk] == [
        number for number, length in enumerate(lengths) if length <= size
    ]
    assert all(0 < sum(lengths[one] for one in chunk) <= size for chunk in found)


def test_sentences_and_words(reader: WordPiece) -> None:
    text = 'The pub (3.5). "A city." The cafe\nserves'
    offsets = [(start, end) for _, start, end in reader.pieces(text)]
    sentences, words = breaks_of(text, offsets)
    assert [text[offsets[one][0] :][:4] for one in sentences] == ['"A c', "The ", "serv"]
    assert [text[slice(*offsets[one])] for one in words] == [
        *("pub", "(", '"', "city", "The", "cafe", "serve")
    ]
