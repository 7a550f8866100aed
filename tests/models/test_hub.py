"""Models of others, on tiny random ones."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adequa.data import Triple
from adequa.errors import MissingExtra, ModelError
from adequa.models import hub
from adequa.models.hub import HubEncoder, HubPairs

from ..tiny_hub import write_classifier, write_encoder

pytestmark = pytest.mark.filterwarnings("default")  # what others warn of is theirs
TEXTS = ["the pub", "Aarhus Airport serves the city.", ""]
GRAPH = ((Triple("Aarhus_Airport", "cityServed", "Aarhus"),), None)


@pytest.fixture
def classifier(tmp_path: Path) -> Callable[..., str]:
    """Writes a classifier of random numbers with labels."""
    return lambda *labels, **settings: write_classifier(
        tmp_path / "-".join(labels), *labels, **settings
    )


@pytest.fixture
def sentences(tmp_path: Path) -> Callable[[bool], str]:
    """Writes an encoder of random numbers, with or without our markers in its vocabulary."""
    return lambda markers: write_encoder(tmp_path / f"encoder-{markers}", markers=markers)


def test_an_encoder_of_others(sentences: Callable[[bool], str]) -> None:
    encoder = HubEncoder(sentences(False))
    found = encoder.encode(TEXTS)
    assert found.dtype == np.float32
    assert found.shape == (3, 16)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)
    alone = np.concatenate([encoder.encode([text]) for text in TEXTS])
    np.testing.assert_allclose(found, alone, atol=1e-5)
    assert encoder.encode([]).shape[0] == 0


def test_a_long_text_is_not_cut_off(sentences: Callable[[bool], str]) -> None:
    encoder = HubEncoder(sentences(False))
    long = "the pub " * 100
    first, second, glued = encoder.encode([long + "city", long + "cafe", "x" * 90 + "." * 90])
    assert np.abs(first - second).max() > 1e-4
    assert np.isfinite(glued).all()


def test_a_graph_has_markers_where_the_model_knows_them(
    sentences: Callable[[bool], str],
) -> None:
    for known, words in (
        (True, "[S] Aarhus Airport [P] city served [O] Aarhus"),
        (False, "Aarhus Airport city served Aarhus"),
    ):
        encoder = HubEncoder(sentences(known))
        np.testing.assert_allclose(
            encoder.encode_graphs([GRAPH]), encoder.encode([words]), atol=1e-6
        )


def test_labels_are_read_from_the_model(classifier: Callable[..., str]) -> None:
    pairs = [("the pub", "a city"), ("the cafe is a pub", "pub"), ("", "")]
    scorer = HubPairs(classifier("entailment", "neutral", "contradiction"), batch_size=2)
    assert scorer.labels == ("entailment", "neutral", "contradiction")
    found = scorer.probabilities(pairs)
    for pair, row in zip(pairs, found, strict=True):
        assert row is not None
        assert sum(row) == pytest.approx(1, abs=1e-5)
        assert scorer.probabilities([pair])[0] == pytest.approx(row, abs=1e-5)
    assert HubPairs(classifier("contradiction", "entailment")).labels[1] == "entailment"


def test_a_single_label_and_labels_that_do_not_exclude_each_other(
    classifier: Callable[..., str],
) -> None:
    (row,) = HubPairs(classifier("alike")).probabilities([TEXTS[:2]])  # type: ignore[list-item]
    assert row is not None
    assert len(row) == 1
    assert 0 < row[0] < 1
    several = classifier("a", "b", problem_type="multi_label_classification")
    (row,) = HubPairs(several).probabilities([("the pub", "city")])
    assert row is not None
    assert sum(row) != pytest.approx(1, abs=1e-6)


def test_a_pair_that_is_too_long_is_not_scored(classifier: Callable[..., str]) -> None:
    scorer = HubPairs(classifier("a", "b"))
    found = scorer.probabilities([("the pub " * 30, "city"), ("the", "pub")])
    assert found[0] is None
    assert found[1] is not None


def test_a_model_without_a_classifier_is_refused_and_nothing_printed(
    sentences: Callable[[bool], str], capfd: pytest.CaptureFixture[str]
) -> None:
    whole = sentences(False)
    folder = Path(whole).parent / "base"
    capfd.readouterr()
    HubEncoder(whole).encode(TEXTS)
    with pytest.raises(ModelError, match="is not a classifier of texts: it lacks classifier"):
        HubPairs(str(folder)).probabilities([("a", "b")])
    assert capfd.readouterr() == ("", "")


def test_a_model_that_is_not_there(tmp_path: Path) -> None:
    pytest.importorskip("sentence_transformers", reason="the extra hf is not installed")
    (tmp_path / "empty").mkdir()
    for make in (HubEncoder, HubPairs):
        with pytest.raises(ModelError, match=r"empty at main cannot be loaded .*local folder"):
            make(str(tmp_path / "empty"), "main")._loaded()


@pytest.mark.parametrize("make", [HubEncoder, HubPairs])
def test_without_the_extra_the_error_names_it(
    make: type[HubEncoder] | type[HubPairs], monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(MissingExtra, match=r"adequa\[hf\]"):
        make("anything")._loaded()
    assert hub._MODELS._made.get(("encoder", "anything", None, "cpu")) is None
