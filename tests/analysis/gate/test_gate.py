"""Each outcome on runs whose truth is known."""

from __future__ import annotations

import pytest

from adequa.analysis.gate import Limit, judge, parse_limit
from adequa.errors import RunError, SettingError, UnknownName

from .known_runs import line


def outcome(gate):
    (check,) = gate.checks
    return check.outcome, gate.is_open


@pytest.mark.parametrize(
    ("faulty", "of", "limit", "expected", "is_open"),
    [
        (0, 100, 0.05, "pass", True),
        (30, 100, 0.05, "fail", False),
        (0, 10, 0.05, "not enough data", True),  # nothing seen, little asked
        (1, 10, 0.05, "not enough data", False),  # the number itself is past the limit
        (5, 100, 0.05, "not enough data", True),
        (100, 100, 1.0, "pass", True),
        (0, 100, 0.0, "pass", True),  # none at all is about the texts at hand
        (1, 100, 0.0, "fail", False),
    ],
)
def test_rates_are_judged_by_their_interval(write_run, faulty, of, limit, expected, is_open):
    run = write_run("new", [1] * faulty + [0] * (of - faulty))
    gate = judge(run, [Limit("max", "omission", limit)])
    assert outcome(gate) == (expected, is_open)
    (check,) = gate.checks
    assert check.value == faulty / of
    assert check.items == of


def test_strict_stops_where_there_is_not_enough_data(write_run):
    run = write_run("new", [0] * 10)
    assert not judge(run, [Limit("max", "omission", 0.05)], strict=True).is_open


@pytest.mark.parametrize(
    ("limit", "expected"), [(0.9, "pass"), (0.97, "fail"), (0.95, "not enough data")]
)
def test_means_are_judged_by_students_interval(write_run, limit, expected):
    run = write_run("new", [0, 1] * 50)  # esa 1 and .9: .95 ± .01
    assert outcome(judge(run, [Limit("min", "esa", limit)]))[0] == expected


def test_facts_are_counted_one_by_one_and_resampled_by_text(write_run):
    run = write_run("new", [0, 1] * 50)
    gate = judge(run, [Limit("max", "missing", 0.2)])
    (check,) = gate.checks
    assert (check.value, check.items, check.outcome) == (0.125, 400, "pass")
    # 50 of 100 texts have one: the share's deviation is a quarter of a coin's, .0125.
    assert check.interval[1] - check.interval[0] == pytest.approx(4 * 0.0125, abs=0.008)


def test_a_metric_by_itself_and_all_faults_together(write_run):
    run = write_run("new", [1] * 50 + [0] * 50)
    limits = [Limit("max", name, 0.2) for name in ("esa.omission", "nli.omission", "not-ok")]
    assert [check.value for check in judge(run, limits).checks] == [0, 0.5, 0.5]


def test_what_cannot_be_scored_is_left_out_told_and_can_be_limited(write_run):
    run = write_run("new", [0, 0, 0], esa=[1.0, None, 1.0])
    mean, unscored = judge(run, [Limit("min", "esa", 0.5), Limit("max", "unscored", 0.1)]).checks
    assert mean.items == 2
    assert "1 say nothing about it" in mean.why
    assert unscored.value == pytest.approx(1 / 3)
    assert unscored.examples == ("Id1: esa: no triples",)


def test_nothing_to_go_by_closes_the_gate(write_run):
    run = write_run("new", [0, 0], esa=[None, None])
    gate = judge(run, [Limit("min", "esa", 0.5)])
    assert outcome(gate) == ("not enough data", False)


def test_examples_name_the_items_and_the_facts(write_run):
    run = write_run("new", [2] * 30)
    (check,) = judge(run, [Limit("max", "missing", 0.1)]).checks
    assert check.examples[0] == "Id0: Ferry_0 | fact0 | value 0; Ferry_0 | fact1 | value 1"
    assert (len(check.examples), check.more) == (10, 20)


def test_no_worse_passes_a_run_that_is_the_same_and_stops_one_that_lost(write_run):
    old = write_run("old", [0] * 40)
    same, worse = write_run("same", [0] * 40), write_run("worse", [2] * 40)
    limit = [Limit("no-worse", "nli")]
    assert outcome(judge(same, limit, baseline=old)) == ("pass", True)
    gate = judge(worse, limit, baseline=old)
    assert outcome(gate) == ("fail", False)
    (check,) = gate.checks
    assert (check.value, check.baseline) == (0.5, 1.0)
    assert outcome(judge(old, limit, baseline=worse)) == ("pass", True)  # better is no worse


def test_a_tolerated_loss_must_be_excluded_by_the_interval(write_run):
    old = write_run("old", [0] * 100)
    new = write_run("new", [1] * 10 + [0] * 90)  # nli loses .025 in the mean
    cases = {0.1: "pass", 0.025: "not enough data", 0.001: "fail"}
    for loss, expected in cases.items():
        gate = judge(new, [Limit("no-worse", "nli", loss)], baseline=old)
        assert outcome(gate)[0] == expected, loss


def test_a_lost_system_is_told(write_run):
    one = write_run("one", [0])
    two = write_run("two", [0], system="other")
    assert judge(one, [Limit("no-worse", "nli")], baseline=two).checks  # one each: the same
    both = write_run("both", [0], more=[line(7, system="B", esa=1.0, missing=0, facts=4)])
    with pytest.raises(RunError, match="has no system 'T5'"):
        judge(both, [Limit("no-worse", "nli")], baseline=two)


def test_systems_are_judged_each_or_as_named(write_run):
    rows = [line(n, system="B", esa=1.0, missing=4, facts=4) for n in range(50)]
    run = write_run("new", [0] * 100, more=rows)
    limit = [Limit("max", "omission", 0.05)]
    assert [check.outcome for check in judge(run, limit).checks] == ["pass", "fail"]
    assert judge(run, limit, systems=["T5"]).is_open
    with pytest.raises(UnknownName, match="'T6'"):
        judge(run, limit, systems=["T6"])


def test_wrong_use_is_told(write_run):
    run = write_run("new", [0])
    with pytest.raises(SettingError, match="no limit"):
        judge(run, [])
    with pytest.raises(SettingError, match="--baseline"):
        judge(run, [Limit("no-worse", "nli")])
    with pytest.raises(UnknownName, match="omision"):
        judge(run, [Limit("max", "omision", 0.1)])
    with pytest.raises(SettingError, match="confidence"):
        judge(run, [Limit("max", "omission", 0.1)], level=95)


@pytest.mark.parametrize("written", ["omission", "=0.1", "omission=", "omission=few", "esa=nan"])
def test_a_limit_without_a_number_is_refused(written):
    with pytest.raises(SettingError):
        parse_limit("max", written)


def test_limits_are_read_as_they_are_typed():
    assert parse_limit("max", "omission=0.05") == Limit("max", "omission", 0.05)
    assert parse_limit("no-worse", "nli") == Limit("no-worse", "nli", 0.0)
    assert parse_limit("no-worse", "nli=.01") == Limit("no-worse", "nli", 0.01)
    with pytest.raises(SettingError):
        parse_limit("no-worse", "nli=-1")
