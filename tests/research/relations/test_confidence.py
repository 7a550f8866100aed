"""The fit of how sure a verdict is: on made evidence, and on the held-out data where it is."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from adequa.data import Item, Triple
from adequa.errors import DataError
from adequa.metrics.nli import Nli
from adequa.metrics.nli.confidence import FEATURES, read_confidence
from research.relations.confidence import (
    ConfidenceFit,
    JudgedText,
    KnownText,
    confidence_picture,
    confidence_tables,
    count_alike,
    fit_confidence,
    fit_rising,
    judge_texts,
    read_known_texts,
    write_confidence,
)

LEAST, WORD = FEATURES.index("least fact above even"), FEATURES.index("weakest word above even")


def made(count: int = 600) -> list[JudgedText]:
    """Texts whose least fact tells whether they are right, and whose words tell the contrary."""
    chance = random.Random(5)
    texts = []
    for number in range(count):
        right = number % 2 == 0
        values = [0.0] * len(FEATURES)
        values[LEAST] = chance.gauss(2 if right else 0.5, 1)
        values[WORD] = chance.gauss(0 if right else 1, 1)
        known = KnownText(
            "few" if number % 6 == 0 else "many",
            str(number // 4),
            "" if right else "roles",
            Item(str(number), (Triple("a", "b", "c"),), "A text."),
        )
        texts.append(JudgedText(known, tuple(values), 0.9 if right else 0.4, values[LEAST] > 0.5))
    return texts


@pytest.fixture(scope="module")
def fit() -> ConfidenceFit:
    return fit_confidence(made())


def test_no_weight_is_negative(fit: ConfidenceFit) -> None:
    assert set(fit.model.weights) == {"least fact above even"}
    rows = np.array([[1.0, -1.0], [2.0, -2.0], [-1.0, 1.0], [-2.0, 2.0]] * 5)
    fitted = fit_rising(rows, (rows[:, 0] > 0).astype(float), np.ones(len(rows)))
    assert fitted[0] > 0
    assert fitted[1] == 0


def test_confidences_are_true_on_the_half_they_were_not_fitted_on(fit: ConfidenceFit) -> None:
    claimed, right = fit.confidences()
    assert fit.reliability().error < 0.08
    assert right[claimed > 0.8].mean() > right[claimed < 0.6].mean() + 0.15


def test_sources_count_alike() -> None:
    texts = made(60)
    shares = count_alike(texts)
    totals: Counter[str] = Counter()
    for one, share in zip(texts, shares, strict=True):
        totals[one.known.source] += share
    assert totals["few"] == pytest.approx(totals["many"]) == pytest.approx(30)


def test_the_limit_of_checked_facts_is_the_stated_trade_off() -> None:
    texts = [
        one._replace(least=number / 100, found_ok=True) for number, one in enumerate(made(100))
    ]
    checked = fit_confidence(texts, in_doubt=0.2).model.checked
    right = [one.least for one in texts if not one.known.kind]
    assert np.mean(np.array(right) < checked) == pytest.approx(0.2, abs=0.02)


def test_one_kind_of_text_is_not_enough() -> None:
    with pytest.raises(DataError, match="both kinds"):
        fit_confidence([one for one in made(100) if one.known.kind])


def test_tables_and_picture(fit: ConfidenceFit) -> None:
    shown = "\n".join(table.text() for table in confidence_tables(fit))
    for words in ("calibration error", "many", "of all OK", "least fact above even", "checked"):
        assert words in shown
    assert ET.fromstring(confidence_picture(fit)).tag.endswith("svg")


def test_the_model_is_added_to_the_calibration(tmp_path: Path, fit: ConfidenceFit) -> None:
    path = tmp_path / "calibration.json"
    with pytest.raises(DataError, match="adequa train weigh"):
        write_confidence(tmp_path, fit)
    path.write_text('{"nli": {"relation": 1}, "other": 2}', encoding="utf-8")
    (tmp_path / "manifest.json").write_text(
        '{"version": "test", "files": {}, "models": {}}', encoding="utf-8"
    )
    written = write_confidence(tmp_path, fit)
    known = json.loads(path.read_text(encoding="utf-8"))
    assert known == {"nli": {"relation": 1, "confidence": written}, "other": 2}
    model = read_confidence(str(tmp_path))
    assert model is not None
    assert model.weights == pytest.approx(fit.model.weights, abs=1e-6)


def test_permissive_texts_are_not_those_of_webnlg(data_dir: Path) -> None:
    texts = read_known_texts(data_dir, count=4, permissive=True)
    counts = Counter((one.source, bool(one.kind)) for one in texts)
    assert {source for source, _ in counts} == {"perturbed texts", "written groups", "Rel2Text dev"}
    assert counts["perturbed texts", True] == counts["perturbed texts", False] > 20


def test_texts_of_the_held_out_data(data_dir: Path) -> None:
    texts = read_known_texts(data_dir, count=4)
    counts = Counter((one.source, bool(one.kind)) for one in texts)
    for source in ("WebNLG dev", "written groups", "Rel2Text dev"):
        assert counts[source, True] == counts[source, False] > 20
    judged = judge_texts(Nli().weights, texts[::60])
    assert len(judged) > len(texts[::60]) // 2
    assert all(len(one.features) == len(FEATURES) for one in judged)
