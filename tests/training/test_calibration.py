"""Calibration against known truths: labels drawn from a line, steps by a slow oracle."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.data import Triple
from adequa.errors import DataError, SettingError
from adequa.metrics.nli.evidence import VerifierEvidence
from adequa.models.calibration import Calibration, Line
from adequa.models.verifier import Verifier
from adequa.models.wordpiece import WordPiece
from adequa.stats.reliability import reliability
from adequa.training.calibration import (
    LabelledCase,
    calibrate,
    fit_isotonic,
    fit_platt,
    read_labelled,
)

from . import bases

SCORES = st.lists(st.tuples(st.integers(-4, 4), st.integers(0, 1)), min_size=1, max_size=25)


def drawn(slope: float, offset: float, count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    numbers = np.random.default_rng(seed)
    logits = numbers.normal(0, 3, count)
    chances = 1 / (1 + np.exp(-(slope * logits + offset)))
    return logits, (numbers.random(count) < chances).astype(int)


def test_a_line_is_found_again() -> None:
    logits, labels = drawn(0.7, -1.2, 20_000)
    slope, offset = fit_platt(logits, labels)
    assert slope == pytest.approx(0.7, abs=0.03)
    assert offset == pytest.approx(-1.2, abs=0.06)


def test_a_line_is_the_best_one() -> None:
    from scipy.optimize import minimize

    logits, labels = drawn(2.0, 0.5, 60)
    positive = labels.sum()
    targets = np.where(labels, (positive + 1) / (positive + 2), 1 / (60 - positive + 2))

    def loss(line: np.ndarray) -> float:
        odds = line[0] * logits + line[1]
        return float(np.logaddexp(0, odds).sum() - targets @ odds)

    best = minimize(loss, [0.0, 0.0], tol=1e-10).x
    assert fit_platt(logits, labels) == pytest.approx(best, abs=1e-3)


@given(st.lists(st.integers(-900, 900), min_size=2, max_size=20), st.integers(0, 2**20))
def test_a_line_stays_finite_whatever_the_labels(logits: list[int], bits: int) -> None:
    labels = [bits >> place & 1 for place in range(len(logits))]
    assert all(map(math.isfinite, fit_platt(logits, labels)))


def slow_steps(cases: list[tuple[int, int]]) -> dict[int, float]:
    """The rising fit by its definition: the largest over what is below of the least mean above."""
    places = sorted({logit for logit, _ in cases})

    def mean(low: int, high: int) -> float:
        inside = [label for logit, label in cases if low <= logit <= high]
        return sum(inside) / len(inside)

    return {
        place: max(
            min(mean(low, high) for high in places if high >= place)
            for low in places
            if low <= place
        )
        for place in places
    }


@given(SCORES)
def test_steps_are_the_best_rising_ones(cases: list[tuple[int, int]]) -> None:
    points = fit_isotonic([logit for logit, _ in cases], [label for _, label in cases])
    means = slow_steps(cases)
    odds = Calibration(points=points)._odds(np.array(sorted(means), dtype=float)).tolist()
    assert odds == sorted(odds)
    values = [means[place] for place in sorted(means)]
    for one, other, below, above in zip(odds, odds[1:], values, values[1:], strict=False):
        if below == above:
            assert one == other  # the same step
    if len(set(values)) == 1:
        share = sum(label for _, label in cases)
        assert odds[0] == pytest.approx(
            math.log((share + 0.5) / (len(cases) - share + 0.5)), abs=1e-5
        )


def test_calibrated_probabilities_are_what_they_say() -> None:
    logits, labels = drawn(0.4, 1.0, 4000, seed=3)
    cases = [
        LabelledCase(float(logit), int(label), item=str(number // 2))
        for number, (logit, label) in enumerate(zip(logits, labels, strict=True))
    ]
    for method in ("platt", "isotonic"):
        found = calibrate(cases, method=method)  # type: ignore[arg-type]
        assert found.before.error > 0.1
        assert found.after.error < 0.03
        assert found.after.brier < found.before.brier
        again = Calibration.from_object(json.loads(json.dumps(found.as_object())))
        expected = found.calibration.probabilities(logits)
        np.testing.assert_allclose(again.probabilities(logits), expected, atol=1e-5)


def test_a_predicate_has_its_own_line_as_far_as_labels_say_so() -> None:
    logits, labels = drawn(1.0, 0.0, 1000, seed=1)
    shifted, known = drawn(1.0, 3.0, 1000, seed=2)
    cases = [
        LabelledCase(float(one), int(two), "country")
        for one, two in zip(logits, labels, strict=True)
    ]
    cases += [
        LabelledCase(float(one), int(two), "eatType")
        for one, two in zip(shifted, known, strict=True)
    ]
    cases += [LabelledCase(-1.0, 1, "rare")] * 3
    found = calibrate(cases)
    assert found.counts == {"country": 1000, "eatType": 1000}
    chances = found.calibration.probabilities([0.0] * 3, ["country", "eatType", "rare"])
    assert chances[0] == pytest.approx(0.5, abs=0.06)
    assert chances[1] == pytest.approx(0.95, abs=0.03)
    assert chances[2] == found.calibration.probabilities([0.0])[0]
    few = calibrate([*cases[:1000], *[LabelledCase(-1.0, 1, "rare")] * 12])
    assert found.after.error < 0.03
    # A dozen labels move a predicate, but not to the end.
    before, after = few.calibration.probabilities([-1.0, -1.0], ["", "rare"])
    assert 0.25 < before < 0.35 < after < 0.95


def test_too_few_or_wrong_labels() -> None:
    with pytest.raises(DataError, match="3 cases, 1 of them positive: too few"):
        calibrate([LabelledCase(1.0, 1), LabelledCase(0.0, 0), LabelledCase(0.5, 0)])
    with pytest.raises(DataError, match="too few"):
        calibrate([LabelledCase(float(number), 1) for number in range(50)])
    turned = [LabelledCase(float(number), int(number < 25)) for number in range(50)]
    for method in ("platt", "isotonic"):
        with pytest.raises(DataError, match="labels run against the logits"):
            calibrate(turned, method=method)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="0 or 1"):
        fit_platt([1.0], [2])


def test_a_case_that_counts_twice_is_like_two_cases() -> None:
    once = reliability([0.1, 0.7, 0.7, 0.75], [0, 1, 1, 0])
    twice = reliability([0.1, 0.7, 0.75], [0, 1, 0], shares=[1, 2, 1])
    assert twice.error == pytest.approx(once.error)
    assert twice.brier == pytest.approx(once.brier)
    pairs = zip(once.bins, twice.bins, strict=True)
    assert all(one.claimed == pytest.approx(other.claimed) for one, other in pairs)


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 1)), min_size=1, max_size=40))
def test_every_case_is_in_one_bin(cases: list[tuple[float, int]]) -> None:
    chances = [chance for chance, _ in cases]
    labels = [label for _, label in cases]
    found = reliability(chances, labels, bins=4)
    assert sum(one.count for one in found.bins) == len(cases)
    for one in found.bins:
        inside = [
            chance for chance in chances if one.low <= chance < one.high or chance == one.high == 1
        ]
        assert one.count == len(inside)
        if inside:
            assert one.claimed == pytest.approx(sum(inside) / len(inside))
    assert 0 <= found.error <= 1
    assert abs(sum(chances) - sum(labels)) / len(cases) <= found.error + 1e-9


@pytest.mark.parametrize(
    "raw",
    [
        [],
        {},
        {"method": "guess"},
        {"method": "platt", "slope": 1.0},
        {"method": "isotonic", "points": [[1.0, 0.0], [1.0, 2.0]]},
        {"method": "isotonic", "points": []},
        {"method": "platt", "slope": 1.0, "offset": 0.0, "groups": {"x": 1}},
    ],
)
def test_what_is_no_calibration(raw: object) -> None:
    with pytest.raises(DataError, match="calibration"):
        Calibration.from_object(raw)


def test_a_calibration_without_anything_is_the_logistic_function() -> None:
    chances = Calibration().probabilities([-800.0, 0.0, 800.0])
    assert chances.tolist() == pytest.approx([0.0, 0.5, 1.0])
    assert Calibration(Line(2.0, -2.0)).probabilities([1.0]).tolist() == [0.5]


LINES = [
    {"id": "1", "triples": [["a", "p", "b"], ["a", "q", "c"]], "text": "a b"}
    | {"meta": {"label": [1, 0], "logit": [2.5, None]}},
    {"id": "2", "triples": [["a", "p", "b"]], "text": "a", "meta": {"label": False, "logit": -1}},
    {"id": "3", "triples": [["a", "p", "b"]], "text": "a", "meta": {"logit": 7}},
]


def write(path: Path, lines: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_labels_of_triples_in_a_file(tmp_path: Path) -> None:
    path = write(tmp_path / "x.jsonl", LINES)
    found = read_labelled(path, logit="logit")
    assert [(one.logit, one.label, one.group) for one in found] == [(2.5, 1, "p"), (-1.0, 0, "p")]
    assert found[0].item != found[1].item


def test_labels_of_texts_in_a_table(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    rows = ["id,triples,text,truth,score"]
    rows += [f'{number},"[[""a"",""p"",""b""]]",a,{said},{number}.5' for number, said in
             enumerate(["yes", "", "0"])]  # fmt: skip
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    found = read_labelled(path, head="supported", label="truth", logit="score")
    assert [(one.logit, one.label, one.group) for one in found] == [(0.5, 1, ""), (2.5, 0, "")]


def test_logits_of_a_verifier(tmp_path: Path) -> None:
    def run(ids: list[list[int]], types: list[list[int]]) -> list[dict[str, np.ndarray]]:
        """The logit of a token is its place; of a pair the number of its tokens."""
        return [
            {
                "tokens": np.repeat(np.arange(len(row), dtype=float)[:, None], 3, axis=1),
                "pair": np.array([float(len(row))]),
                "state": np.zeros(4),
            }
            for row in ids
        ]

    reader = WordPiece(bases.vocabulary())
    verifier = Verifier(reader, run)
    path = write(tmp_path / "x.jsonl", LINES)
    found = read_labelled(path, ask=VerifierEvidence(verifier.verify, entities=False).log_odds)
    triples = [Triple("a", "p", "b"), Triple("a", "q", "c")]
    places = reader.encode_pair("a b", triples).subjects
    assert [one.logit for one in found] == [*map(float, places), 3.0]
    assert [one.label for one in found] == [1, 0, 0]
    (pair,) = read_labelled(
        write(tmp_path / "y.jsonl", LINES[1:]),
        head="supported",
        ask=lambda items: [[one.supported] for one in verifier.verify(items)],
    )
    assert pair.logit == len(reader.encode_pair("a", triples[:1]).ids)


@pytest.mark.parametrize(
    ("meta", "message"),
    [
        ({"label": [1], "logit": [1, 2]}, r"x.jsonl:1: meta.label has 1 values where 2"),
        ({"label": 1, "logit": [1, 2]}, "give a list with one for each triple"),
        ({"label": [1, 2], "logit": [1, 2]}, "give 0, 1 or null"),
        ({"label": [1, 0], "logit": [1, "x"]}, "give a number or null"),
        ({"logit": [1, 2]}, "has no labels"),
    ],
)
def test_wrong_labels(meta: dict[str, object], message: str, tmp_path: Path) -> None:
    path = write(tmp_path / "x.jsonl", [{**LINES[0], "meta": meta}])
    with pytest.raises(DataError, match=message):
        read_labelled(path, logit="logit")
    with pytest.raises(SettingError, match="either the field that has the logits or a function"):
        read_labelled(path)
