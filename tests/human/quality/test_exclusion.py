"""What becomes of the figures without some raters."""

from __future__ import annotations

from adequa.data import Rating
from adequa.human.quality.report import changes, figures, moved


def rows(rater: str, *values: float, criterion: str = "fluency") -> list[Rating]:
    """Texts in turn of systems A and B."""
    return [Rating(f"Id{n}", "AB"[n % 2], rater, criterion, v) for n, v in enumerate(values)]


def test_figures_and_orders_side_by_side():
    left = [*rows("ann", 1, 3, 1, 3), *rows("bob", 1, 3, 2, 3)]
    full = [*left, *rows("spam", 3, 1, 3, 1), *rows("spam2", 3, 1, 3, 1, 2)]
    found = changes(figures(full), figures(left))["fluency"]
    assert found["ratings"] == [17, 8]
    assert found["texts"] == [5, 4]
    assert found["alone"] == [1, 0]
    assert found["percent"] == [100 * 7 / 24, 75.0]
    assert found["alpha"]["nominal"][1] > 0 > found["alpha"]["nominal"][0]
    assert found["order"] == {"before": ["A", "B"], "after": ["B", "A"]}
    assert found["means"]["B"] == [2.0, 3.0]
    assert moved(found) == ["B 2 → 1", "A 1 → 2"]


def test_a_criterion_and_a_system_without_an_answer_left():
    left = [Rating("Id0", "A", "ann", "fluency", 1)]
    full = [*left, *rows("bob", 2, 2), *rows("bob", 3, 3, criterion="grammar")]
    found = changes(figures(full), figures(left))
    assert found["grammar"]["texts"] == [2, None]
    assert found["grammar"]["alpha"]["nominal"] == [None, None]
    assert moved(found["fluency"]) == ["A 2 → 1", "B has no answer left"]
    assert moved(found["grammar"]) == ["A has no answer left", "B has no answer left"]


def test_the_mean_of_a_system_is_of_its_texts():
    """One text with three answers counts as much as one with a single answer."""
    given = [Rating("x", "A", who, "fluency", 3) for who in "abc"]
    given.append(Rating("y", "A", "a", "fluency", 1))
    assert figures(given)["fluency"].means == {"A": 2.0}
