"""Agreement with the gold, computed by hand on invented answers."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from adequa.data import Item, Triple, Verdict
from adequa.metrics import load_metric
from research.papers.nli.data import JudgedText, NliCorpus, Rule
from research.papers.nli.measures import NliAgreement, NliEvaluation, agreement, interval
from research.papers.nli.printed import against
from research.papers.nli.reproduction import SECTIONS
from research.papers.nli.setups import Answer, ScoredSetup, Setup

RULES = [Rule("semantics ≥ 2.5", 2.5), Rule("semantics ≥ 2.0", 2.0)]
RATINGS = (3.0, 2.5, 2.0, 1.0, 1.5, 3.0)
VERDICTS: tuple[Verdict | None, ...] = (
    *("OK", "omission", "OK", "hallucination+omission", "hallucination", None),
)
VALUES = (0.9, 0.4, 0.8, 0.1, 0.2, None)


def _rated() -> NliCorpus:
    judged = [
        JudgedText(
            Item(f"Id{number}", _graph(1 + number % 2), "A text.", "AB"[number % 2]),
            RATINGS[number],
        )
        for number in range(len(RATINGS))
    ]
    parts = {"systems": lambda one: one.item.system == "A"}
    return NliCorpus("webnlg", "WebNLG 2017", RULES, judged, parts, notes=["a note"])


def _graph(size: int) -> tuple[Triple, ...]:
    return tuple(Triple("Ann", "likes", str(number)) for number in range(size))


def _scored(
    verdicts: Sequence[Verdict | None] = VERDICTS, values: Sequence[float | None] = VALUES
) -> ScoredSetup:
    answers = [Answer(*pair) for pair in zip(values, verdicts, strict=True)]
    return ScoredSetup(Setup("backoff", "backoff", load_metric("nli")), answers)


def test_agreement() -> None:
    found = agreement(_rated().judged, VERDICTS, RULES[0])
    assert found == NliAgreement(both_ok=1, both_not=2, missed=1, alarms=1)
    assert found.texts == 5
    assert found.accuracy == pytest.approx(3 / 5)
    assert found.not_ok == pytest.approx(3 / 5)
    recall, precision, f1 = found.of(ok=False)
    assert (recall, precision) == (pytest.approx(2 / 3), pytest.approx(2 / 3))
    assert f1 == pytest.approx(2 / 3)
    assert found.of(ok=True) == (pytest.approx(1 / 2),) * 3
    assert NliAgreement().accuracy is None
    assert NliAgreement().of(ok=True) == (None, None, None)


def test_accuracy_in_a_table_and_in_records() -> None:
    section = SECTIONS["accuracy"](NliEvaluation(_rated(), [_scored()]))
    rows = {(row["setup"], row["OK is"]): row for row in section.records or ()}
    ours = rows["backoff", "semantics ≥ 2.5"]
    assert (ours["texts"], ours["unread"]) == (5, 1)
    assert ours["accuracy"] == pytest.approx(0.6)
    assert (ours["paper"], ours["against the paper"]) == (0.768, "different (lower)")
    assert ours["recall of not_OK"] == pytest.approx(2 / 3)
    # Of the pairs of a text that is OK and one that is not, one stands the wrong way round.
    assert ours["AUC"] == pytest.approx(5 / 6)
    # The second and third change places: 1 - 6 * 2 / (5 * 24).
    assert ours["Spearman, all"] == pytest.approx(0.9)
    assert (ours["texts, all"], ours["texts, systems"]) == (5, 3)
    assert ours["4-way accuracy"] is None
    assert rows["backoff", "semantics ≥ 2.0"]["accuracy"] == pytest.approx(4 / 5)
    assert rows["always OK", "semantics ≥ 2.5"]["accuracy"] == pytest.approx(1 / 2)
    assert "a note" in section.notes


def test_an_interval_of_graphs() -> None:
    whole = NliEvaluation(_rated(), [_scored()], seed=3)
    low, high = interval(whole, whole.scored[0], RULES[0]) or (None, None)
    # Texts with one graph are drawn together: of odd ones 1 of 2 is right, of even ones 2 of 3.
    assert (low, high) == (pytest.approx(1 / 2), pytest.approx(2 / 3))
    assert interval(whole, _scored([None] * 6), RULES[0]) is None


def test_the_four_results_against_ratings() -> None:
    (table,) = SECTIONS["confusion"](NliEvaluation(_rated(), [_scored()])).tables
    rows = {row["metric says"]: row for row in table.json_rows()}
    assert [rows[name]["texts"] for name in rows] == [2, 1, 1, 1, 1]
    assert rows["OK"]["semantics ≥ 2.5: OK"] == rows["OK"]["semantics ≥ 2.5: not_OK"] == 1
    assert rows["OK"]["semantics ≥ 2.0: OK"] == 2
    assert rows["OK"]["mean rating"] == pytest.approx(2.5)
    assert "unread" in rows


def test_the_four_results_against_the_script() -> None:
    errors = ((0, 0, 0), (0, 2, 0), (1, 0, 0), (0, 0, 1))
    judged = [
        JudgedText(
            Item(str(number), _graph(1), "A text.", "A"),
            errors={"added": added, "missing": missing, "valerr": wrong, "repeated": 0},
        )
        for number, (added, missing, wrong) in enumerate(errors)
    ]
    corpus = NliCorpus("e2e", "E2E", [Rule("no slot error")], judged)
    said: list[Verdict] = ["OK", "omission", "omission", "hallucination+omission"]
    whole = NliEvaluation(corpus, [_scored(said, [1.0, 0.5, 0.4, 0.1])])
    rows = {row["setup"]: row for row in SECTIONS["accuracy"](whole).records or ()}
    assert rows["backoff"]["accuracy"] == 1
    assert rows["backoff"]["4-way accuracy"] == pytest.approx(3 / 4)
    (table,) = SECTIONS["confusion"](whole).tables
    omission = {row["metric says"]: row for row in table.json_rows()}["omission"]
    assert (omission["gold omission"], omission["gold hallucination"]) == (1, 1)
    assert "mean rating" not in omission


def test_parts_and_systems() -> None:
    whole = NliEvaluation(_rated(), [_scored()])
    section = SECTIONS["parts"](whole)
    rows = {(row["part"], row["OK is"]): row for row in section.records or ()}
    single = rows["1 triple", "semantics ≥ 2.5"]
    assert (single["texts"], single["gold not_OK"]) == (3, pytest.approx(2 / 3))
    assert single["backoff: accuracy"] == pytest.approx(2 / 3)
    assert ("systems", "semantics ≥ 2.0") in rows
    section = SECTIONS["systems"](whole)
    assert [row["system"] for row in section.tables[0].json_rows()] == ["A", "B"]
    # Two systems say nothing of ranks.
    assert section.values["spearman_systems_1"][1] is None


def test_what_is_near_the_paper() -> None:
    assert against(None, 0.775) is against(0.775, None) is None
    assert against(0.77, 0.775) == "equal"
    assert against(0.79, 0.775) == "close"
    assert against(0.7, 0.775) == "different (lower)"
