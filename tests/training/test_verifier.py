"""The figures on held-out data, against slow arithmetic."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from adequa.training.setup import spread
from adequa.training.verifier import HeldOutFigures


@given(st.integers(0, 500), st.integers(1, 50))
def test_places_are_spread(count: int, most: int) -> None:
    places = list(spread(count, most))
    assert len(places) <= most
    assert len(places) == count or len(places) > most / 2 - 1
    assert all(place < count for place in places)
    assert spread(4468, 750) == range(0, 4468, 6)  # as the shipped models were looked at


def test_what_is_seen_of_cases() -> None:
    seen = HeldOutFigures()
    tokens = np.array([[5.0, 0, 0], [-1.0, 0, 0], [0, 2.0, -3.0], [0, -2.0, -4.0]])
    labels = np.array([[1, -1, -1], [0, -1, -1], [-1, 1, 0], [-1, 0, 0]])
    seen.add("inverted", tokens, labels, 0.5, 0)
    seen.add("none", -tokens, labels, 2.0, 1)
    seen.add("dropped", tokens[:0], labels[:0], -9.0, -1)
    assert seen.figures() == {
        "auc_stated": 0.5,
        "auc_unsupported": 0.5,
        "auc_supported": 1.0,
        "accuracy_stated": 0.5,
        "accuracy_supported": 0.5,
        "found_inverted": 1.0,
        "found_none": 0.0,
    }
