"""MACE, against a slow reading of the model, the authors' test sets and a simulated campaign."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adequa.errors import DataError, SettingError, UnknownName
from adequa.human.mace import METHODS, Mace, fit_mace
from bench.simulated_campaign import (
    EVEN,
    SKEWED,
    Rows,
    accuracy,
    authors_set,
    campaign,
    majority,
)

cells = st.dictionaries(
    st.tuples(st.sampled_from(["i1", "i2", "i3", "i4"]), st.sampled_from(["ann", "bob", "cy"])),
    st.sampled_from(["no", "yes", "maybe", None]),
    min_size=2,
).filter(lambda answers: any(answers.values()))
campaigns = cells.map(lambda answers: [(*cell, label) for cell, label in answers.items()])


def same(first: Mace, second: Mace) -> bool:
    """Bit for bit."""
    names = ("posteriors", "entropies", "competences", "strategies", "answers", "answered")
    return (
        (first.items, first.annotators, first.labels, first.log_likelihood)
        == (second.items, second.annotators, second.labels, second.log_likelihood)
    ) and all(getattr(first, name).tobytes() == getattr(second, name).tobytes() for name in names)


@settings(max_examples=25)
@given(campaigns, st.sampled_from(METHODS), st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_no_bit(rows: Rows, method: str, order: random.Random) -> None:
    shuffled = list(rows)
    order.shuffle(shuffled)
    controls = {"i1": "yes"}
    assert same(
        fit_mace(rows, method=method, controls=controls, restarts=2),
        fit_mace(shuffled, method=method, controls=controls, restarts=2),
    )


@settings(max_examples=25)
@given(campaigns, st.booleans())
def test_em_is_the_model_read_slowly(rows: Rows, controlled: bool) -> None:
    """At the estimates, likelihood and posteriors are sums over all labels and ways to answer."""
    controls = {"i2": "no"} if controlled else {}
    found = fit_mace(rows, method="em", controls=controls, restarts=2, tolerance=0, iterations=30)
    total = 0.0
    for row, item in enumerate(found.items):
        joint = []
        for truth in found.labels:
            chance = 1.0
            if item not in controls:
                chance = 1 / len(found.labels)
            elif controls[item] != truth:
                chance = 0.0
            for one, annotator, label in rows:
                if one == item and label is not None:
                    who, what = found.annotators.index(annotator), found.labels.index(label)
                    knows = found.competences[who]
                    chance *= knows * (label == truth) + (1 - knows) * found.strategies[who, what]
            joint.append(chance)
        total += math.log(sum(joint))
        posterior = [chance / sum(joint) for chance in joint]
        assert found.posteriors[row] == pytest.approx(posterior, abs=1e-9)
        entropy = -sum(chance * math.log(chance) for chance in posterior if chance)
        assert found.entropies[row] == pytest.approx(entropy, abs=1e-6)
    assert found.log_likelihood == pytest.approx(total)


@settings(max_examples=25)
@given(campaigns)
def test_the_variational_bound_never_falls(rows: Rows) -> None:
    bounds = [
        fit_mace(rows, restarts=1, iterations=count, tolerance=0).log_likelihood
        for count in (1, 2, 3, 5, 8, 13, 21)
    ]
    assert all(later >= earlier - 1e-9 for earlier, later in itertools.pairwise(bounds))


def test_the_variational_bound_is_below_the_marginal_likelihood() -> None:
    """One annotator, one item, two labels: any answer has probability 1/2 under a flat prior."""
    found = fit_mace(
        [("i", "ann", "a")], labels=["a", "b"], competence_prior=(1, 1), strategy_prior=1
    )
    assert -2 < found.log_likelihood <= math.log(1 / 2)


@pytest.mark.parametrize("method", METHODS)
def test_answers_that_are_missing(method: str) -> None:
    rows: Rows = [(f"i{n}", name, "ab"[n % 2]) for n in range(6) for name in ("ann", "bob", "cy")]
    found = fit_mace([*rows, ("i9", "ann", None), ("i0", "silent", None)], method=method)
    assert found.best_labels["i9"] is None
    assert found.posteriors[found.items.index("i9")] == pytest.approx([0.5, 0.5])
    assert found.entropies[found.items.index("i9")] == pytest.approx(math.log(2))
    assert found.competence["silent"] is None
    assert np.isnan(found.strategies[found.annotators.index("silent")]).all()
    assert "silent" not in found.spammers(below=1.1)
    assert found.answers.tolist() == [6, 6, 6, 0]
    assert [found.best_labels[f"i{n}"] for n in range(6)] == list("ababab")


@pytest.mark.parametrize("method", METHODS)
def test_control_items_decide_between_two_camps(method: str) -> None:
    """Two annotators against two, alike in everything but the control items."""
    rows: Rows = [
        (f"{n:02}", name, "ab"[(n * n // 3 + (name > "b")) % 2])
        for n in range(30)
        for name in ("a1", "a2", "b1", "b2")
    ]
    for camp in (0, 1):
        truth = {f"{n:02}": "ab"[(n * n // 3 + camp) % 2] for n in range(30)}
        controls = {item: truth[item] for item in list(truth)[:10]}
        found = fit_mace(rows, method=method, controls=controls)
        assert accuracy(found.best_labels, truth) == 1
        assert set(found.spammers()) == ({"a1", "a2"} if camp else {"b1", "b2"})
        controlled = [found.items.index(item) for item in controls]
        assert found.entropies[controlled].tolist() == [0.0] * 10


def test_control_items_nobody_judged_have_no_effect() -> None:
    rows: Rows = [("i", "ann", "a"), ("i", "bob", "b")]
    assert same(fit_mace(rows), fit_mace(rows, controls={"other": "a"}))


def test_priors_pull_where_answers_are_few() -> None:
    rows: Rows = [("i", "ann", "a"), ("i", "bob", "b")]
    trusting, doubting = (fit_mace(rows, competence_prior=prior) for prior in ((9, 1), (1, 9)))
    assert trusting.competences.min() > 0.7
    assert doubting.competences.max() < 0.3
    assert fit_mace(rows, strategy_prior=1000).strategies == pytest.approx(
        np.full((2, 2), 0.5), abs=0.01
    )


def test_more_restarts_are_never_less_likely() -> None:
    rows, _, _ = campaign(3, items=60, raters=9, spammers=4)
    likelihoods = [fit_mace(rows, method="em", restarts=n).log_likelihood for n in (1, 3, 9)]
    assert likelihoods == sorted(likelihoods)
    assert fit_mace(rows, method="em", seed=1, restarts=1).log_likelihood != likelihoods[0]


def test_wrong_settings_are_refused() -> None:
    rows: Rows = [("i", "ann", "a")]
    with pytest.raises(UnknownName, match="method"):
        fit_mace(rows, method="gibbs")
    with pytest.raises(DataError, match="'ann' judges item 'i' twice"):
        fit_mace([*rows, ("i", "ann", None)])
    with pytest.raises(DataError, match="no answer"):
        fit_mace([("i", "ann", None)])
    with pytest.raises(DataError, match="'a' is not one of the labels b, c"):
        fit_mace(rows, labels=["b", "c"])
    with pytest.raises(DataError, match="'z' is not one of the labels a, b"):
        fit_mace(rows, labels=["a", "b"], controls={"i": "z"})
    with pytest.raises(SettingError, match="pseudo-counts"):
        fit_mace(rows, competence_prior=(0, 1))
    with pytest.raises(SettingError, match="pseudo-counts"):
        fit_mace(rows, smoothing=float("nan"))
    with pytest.raises(SettingError, match="one start"):
        fit_mace(rows, restarts=0)
    with pytest.raises(SettingError, match="tolerance"):
        fit_mace(rows, tolerance=-1)


@pytest.mark.parametrize("shares", [EVEN, SKEWED])
def test_a_simulated_campaign(shares: Sequence[float]) -> None:
    rows, truth, spammers = campaign(11, shares=shares)
    found = fit_mace(rows, restarts=3)
    named = set(found.spammers())
    assert len(named & spammers) >= 0.95 * len(spammers)
    assert len(named - spammers) <= 0.05 * (60 - len(spammers))
    assert accuracy(found.best_labels, truth) > accuracy(majority(rows), truth) + 0.01
    # The strategies are found as well: rater 1 always says b, rater 13 too.
    for name in ("rater 1", "rater 13"):
        assert found.strategies[found.annotators.index(name)].argmax() == 1
    assert found.converged


@pytest.mark.data
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("name", "least"), [("rte", 0.92), ("temporal", 0.93), ("wsd", 0.98)])
def test_the_authors_test_sets(data_dir: Path, name: str, least: float, method: str) -> None:
    rows, truth = authors_set(data_dir / "mace", name)
    reached = accuracy(fit_mace(rows, method=method, restarts=5).best_labels, truth)
    assert reached >= max(least, accuracy(majority(rows), truth))
