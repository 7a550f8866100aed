"""Comparisons of systems, and the same numbers from other programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.significance import PairedTest

from adequa.analysis.comparison import Comparison, SystemExclusion, SystemPair, compare
from adequa.cli.demo import sample_path
from adequa.data import Item, Result, Score, Triple
from adequa.errors import DataError, RunError, SettingError, UnknownName
from adequa.metrics import resolve
from adequa.metrics.base import Metric
from adequa.readers import open_source
from adequa.run import Run, open_run, score_run
from adequa.stats import Moments, adjust, cliffs_delta, paired_d, rowwise

from ...stats.paired import approximate_randomisation, paired_bootstrap
from .conftest import EDITS, PLAIN, WriteRun, result

COUNT = 40


def noisy(seed: int, shift: float) -> list[float]:
    values = np.random.default_rng(seed).random(COUNT) / 2 + shift
    return [round(float(value), 6) for value in values]


SCORES = {"low": noisy(1, 0.0), "mid": noisy(2, 0.02), "high": noisy(3, 0.3)}


def three_systems() -> list[Result]:
    return [
        result(system, number, {"good": value}, category=["Airport", "City"][number % 2])
        for system, values in SCORES.items()
        for number, value in enumerate(values)
    ]


def only(comparison: Comparison, first: str, second: str) -> SystemPair:
    (pair,) = (
        pair for pair in comparison.overall.pairs if (pair.first, pair.second) == (first, second)
    )
    return pair


def test_means_are_tested_as_the_pure_functions_do(write_run: WriteRun) -> None:
    run = write_run(three_systems())
    found = compare([run], test="both", n=500, seed=4)
    assert [(pair.first, pair.second) for pair in found.overall.pairs] == [
        ("low", "mid"),
        ("low", "high"),
        ("mid", "high"),
    ]
    pair = only(found, "low", "high")
    low, high = SCORES["low"], SCORES["high"]
    drawn = paired_bootstrap(low, high, n=500, seed=4)
    assert pair.difference == pytest.approx(drawn.difference)
    assert pair.interval == pytest.approx(drawn.interval)
    assert pair.wins == drawn.wins
    assert pair.tests["bootstrap"].p == drawn.p
    swapped = approximate_randomisation(low, high, n=500, seed=4)
    assert pair.tests["randomisation"].p == swapped.p
    assert pair.paired_d == pytest.approx(paired_d(low, high))
    assert pair.cliffs_delta == pytest.approx(cliffs_delta(low, high))
    assert (pair.items, pair.left_out) == (COUNT, SystemExclusion())


def test_values_are_means_with_students_interval(write_run: WriteRun) -> None:
    found = compare([write_run(three_systems())])
    value = {value.system: value for value in found.overall.values}["mid"]
    moments = Moments.of(SCORES["mid"])
    assert value.value == pytest.approx(moments.mean)
    assert value.interval == pytest.approx(moments.interval())
    assert (value.items, value.not_scorable) == (COUNT, 0)


def test_p_values_are_corrected_over_the_pairs_of_a_metric(write_run: WriteRun) -> None:
    run = write_run(three_systems())
    for correction in ("holm", "bh", "none"):
        pairs = compare([run], correction=correction).overall.pairs
        expected = adjust([pair.tests["bootstrap"].p for pair in pairs], correction)
        assert [pair.tests["bootstrap"].corrected for pair in pairs] == expected


def test_letters_and_winners_follow_the_direction(write_run: WriteRun) -> None:
    for higher, best in ((True, "high"), (False, "low")):
        metrics = {"good": {**PLAIN, "higher_is_better": higher}}
        found = compare([write_run(three_systems(), f"run-{higher}", metrics)])
        groups = {value.system: value.group for value in found.overall.values}
        assert groups["low"] == groups["mid"] != groups["high"]
        assert groups[best] == "a"
        assert only(found, "low", "high").winner == best
        assert only(found, "low", "mid").winner is None


def test_both_tests_must_agree_on_a_winner(write_run: WriteRun) -> None:
    # Five items, all better: the bootstrap is sure, but of 2^5 ways to swap two are as extreme.
    results = [
        result(system, number, {"good": number / 10 + better})
        for system, better in (("one", 0.5), ("other", 0.0))
        for number in range(5)
    ]
    run = write_run(results)
    assert compare([run], test="bootstrap").overall.pairs[0].winner == "one"
    found = compare([run], test="both").overall.pairs[0]
    assert found.tests["randomisation"].p == 2 / 32
    assert found.winner is None


def test_a_baseline_is_compared_with_each(write_run: WriteRun) -> None:
    found = compare([write_run(three_systems())], baseline="low")
    assert [(pair.first, pair.second) for pair in found.overall.pairs] == [
        ("mid", "low"),
        ("high", "low"),
    ]
    assert found.overall.pairs[1].winner == "high"
    assert {value.system: value.group for value in found.overall.values} == {
        "low": None,
        "mid": "",
        "high": "*",
    }


def corpus_results() -> tuple[list[Result], dict[str, np.ndarray]]:
    generator = np.random.default_rng(7)
    rows = {
        system: np.column_stack(
            [generator.integers(0, most, COUNT), generator.integers(5, 12, COUNT)]
        ).astype(float)
        for system, most in (("careful", 4), ("sloppy", 8))
    }
    results = [
        result(system, number, {"ter": round(100 * row[0] / row[1], 6)}, {"ter": row.tolist()})
        for system, matrix in rows.items()
        for number, row in enumerate(matrix)
    ]
    return results, rows


def test_a_corpus_value_is_compared_and_not_the_mean(write_run: WriteRun) -> None:
    results, rows = corpus_results()
    run = write_run(results, metrics={"ter": EDITS})
    found = compare([run], test="both", n=300, seed=2)
    rate = rowwise(lambda totals: 100 * totals[0] / totals[1])
    drawn = paired_bootstrap(rows["careful"], rows["sloppy"], rate, n=300, seed=2)
    swapped = approximate_randomisation(rows["careful"], rows["sloppy"], rate, n=300, seed=2)
    (pair,) = found.overall.pairs
    assert found.measures[0].kind == "corpus"
    assert pair.first_value == pytest.approx(drawn.first)
    assert pair.difference == pytest.approx(drawn.difference)
    assert pair.interval == pytest.approx(drawn.interval)
    assert pair.tests["bootstrap"].p == drawn.p
    assert pair.tests["randomisation"].p == swapped.p
    assert pair.winner == "careful", "fewer edits are better"
    value = found.overall.values[0]
    assert value.value == pytest.approx(drawn.first)
    assert value.interval is not None
    assert value.interval[0] < drawn.first < value.interval[1]


def test_a_metric_that_cannot_be_built_is_compared_by_its_mean(write_run: WriteRun) -> None:
    results, rows = corpus_results()
    found = compare([write_run(results, metrics={"ter": {**EDITS, "name": "gone"}})])
    assert found.measures[0].kind == "mean"
    sloppy = rows["sloppy"]
    expected = (100 * sloppy[:, 0] / sloppy[:, 1]).mean()
    assert found.overall.values[1].value == pytest.approx(expected, abs=1e-6)


@dataclass(frozen=True)
class Parts(Metric):
    """A metric whose corpus value has two named parts."""

    name: ClassVar[str] = "parts"
    doc: ClassVar[str] = "for a test"
    best: ClassVar[float] = 1.0
    worst: ClassVar[float] = 0.0

    def score(self, items: Sequence[Item]) -> list[Score]:
        return [Score(0.5, statistics=(1.0, 2.0, 4.0)) for _ in items]

    def corpus(self, totals: Sequence[float]) -> dict[str, float]:
        return {"precision": totals[0] / totals[1], "recall": totals[0] / totals[2]}


class PartsRun(Run):
    """A run whose metric is the one above."""

    def metrics(self) -> dict[str, Metric]:
        return {"good": Parts()}


def test_parts_of_a_corpus_value_are_compared_when_asked_for(write_run: WriteRun) -> None:
    results = [
        result(system, number, {"good": 0.5}, {"good": (1.0, size, 4.0)})
        for system, size in (("one", 2.0), ("other", 4.0))
        for number in range(10)
    ]
    run = open_run(write_run(results))
    parts = PartsRun(run.path, run.manifest)
    assert [measure.kind for measure in compare([parts]).measures] == ["mean"]
    found = compare([parts], metrics=["good.precision", "good.recall", "good"])
    assert [measure.name for measure in found.measures] == [
        "good.precision",
        "good.recall",
        "good",
    ]
    assert [pair.difference for pair in found.overall.pairs] == pytest.approx([0.25, 0, 0])
    with pytest.raises(UnknownName, match=r"good\.recall"):
        compare([parts], metrics=["good.recal"])


def test_only_what_both_have_is_paired(write_run: WriteRun) -> None:
    other = (Triple("Another", "data", "set"),)
    results = [
        *(result("one", number, {"good": number / 10}) for number in range(8)),
        result("one", 8, {"good": None}),
        result("two", 0, {"good": 0.5}),
        result("two", 1, {"good": None}),
        result("two", 2, {"good": 0.1}, triples=other),
        *(result("two", number, {"good": 0.0}) for number in (3, 4, 5, 8, 20, 21)),
    ]
    (pair,) = compare([write_run(results)]).overall.pairs
    # Items 0, 3, 4, 5 are left: 6 and 7 are of one, 20 and 21 of two, 1 and 8 have no score.
    assert pair.left_out == SystemExclusion(
        only_first=2, only_second=2, not_scorable=2, different_triples=1
    )
    assert pair.items == 4
    assert pair.left_out.total == 7
    assert pair.first_value == pytest.approx((0 + 0.3 + 0.4 + 0.5) / 4)
    assert pair.second_value == pytest.approx(0.5 / 4)


def test_the_order_of_the_lines_does_not_matter(write_run: WriteRun) -> None:
    results = three_systems()
    shuffled = [results[place] for place in np.random.default_rng(0).permutation(len(results))]
    shuffled.sort(key=lambda one: list(SCORES).index(one.item.system))
    there = compare([write_run(results, "a")], n=50)
    back = compare([write_run(shuffled, "b")], n=50)
    for one, other in zip(there.overall.pairs, back.overall.pairs, strict=True):
        assert one.difference == pytest.approx(other.difference)
        assert one.first_value == pytest.approx(other.first_value)


def test_the_same_system_of_two_runs_is_named_by_its_run(write_run: WriteRun) -> None:
    runs = [
        write_run([result("T5", number, {"good": value}) for number in range(3)], name)
        for name, value in (("old/run", 0.2), ("new/run", 0.3))
    ]
    found = compare(runs)
    assert found.systems == ("T5@old/run", "T5@new/run")
    assert found.overall.pairs[0].difference == pytest.approx(-0.1)


def test_systems_of_two_runs_keep_their_names_and_a_nameless_one_gets_its_runs(
    write_run: WriteRun,
) -> None:
    named = write_run([result("T5", 1, {"good": 0.1})], "first")
    nameless = write_run([result("", 1, {"good": 0.2})], "second")
    assert compare([named, nameless]).systems == ("T5", "second")


def test_one_system_alone_has_values_and_no_pairs(write_run: WriteRun) -> None:
    found = compare([write_run([result("T5", n, {"good": n / 9}) for n in range(9)])])
    assert found.overall.pairs == ()
    assert found.overall.values[0].value == pytest.approx(4 / 9)
    assert found.overall.values[0].group is None


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        ("category", ["Airport", "City"]),
        ("size", ["1", "2", "10"]),
        ("seen", ["seen", "unseen", "(none)"]),
        ("lang", ["de", "en"]),
        ("meta.shape", ['["a", 1]', "chain", "(none)"]),
    ],
)
def test_slices(write_run: WriteRun, by: str, expected: list[str]) -> None:
    metas = [{"seen": True, "shape": "chain"}, {"seen": False, "shape": ["a", 1]}, {}]
    results = [
        result(
            system,
            number,
            {"good": number / 30},
            category=["Airport", "City"][number % 2],
            lang=["en", "de"][number % 2],
            meta=metas[number % 3],
            triples=tuple(Triple("s", "p", str(k)) for k in range([1, 2, 10][number % 3])),
        )
        for system in ("one", "two")
        for number in range(30)
    ]
    found = compare([write_run(results)], by=by)
    assert [one.name for one in found.slices] == expected
    assert sum(one.pairs[0].items for one in found.slices) == 30
    assert found.overall.pairs[0].items == 30


def test_a_slice_is_compared_as_if_it_were_all(write_run: WriteRun) -> None:
    results = three_systems()
    airports = [one for one in results if one.item.category == "Airport"]
    sliced = compare([write_run(results, "all")], by="category", n=200)
    alone = compare([write_run(airports, "airports")], n=200)
    assert sliced.slices[0].pairs == alone.overall.pairs
    assert sliced.slices[0].values == alone.overall.values


def test_the_seed_decides(write_run: WriteRun) -> None:
    run = write_run(three_systems())
    assert compare([run], seed=3) == compare([run], seed=3)
    first, second = (compare([run], seed=seed) for seed in (3, 5))
    assert first.overall.pairs != second.overall.pairs


def test_trials_grow_with_the_pairs_or_a_note_warns(
    write_run: WriteRun,
) -> None:
    results = [
        result(f"S{system}", number, {"good": (number + system) / 40})
        for system in range(9)
        for number in range(6)
    ]
    run = write_run(results)
    assert compare([run]).trials == {"bootstrap": 1440}
    assert compare([run], baseline="S0").trials == {"bootstrap": 1000}
    few = compare([run], n=100)
    assert few.trials == {"bootstrap": 100}
    assert "too few for 36 pairs" in few.notes[0]
    assert not any(pair.winner for pair in few.overall.pairs)
    assert compare([run], n=100, correction="none").notes == ()


def test_progress_reaches_its_end(write_run: WriteRun) -> None:
    steps: list[tuple[int, int]] = []
    run = write_run(three_systems())
    compare([run], test="both", n=9, by="category", progress=lambda *step: steps.append(step))
    assert steps[0] == (0, 9)
    assert steps[-1] == (9, 9)
    assert steps == sorted(steps)


def test_metrics_of_some_runs_only(write_run: WriteRun) -> None:
    more = {"good": PLAIN, "other": PLAIN}
    first = write_run([result("a", n, {"good": 0.1, "other": 0.2}) for n in range(4)], "a", more)
    second = write_run([result("b", n, {"good": 0.3}) for n in range(4)], "b")
    found = compare([first, second])
    (good, other) = found.overall.pairs
    assert (good.measure, good.items) == ("good", 4)
    assert (other.measure, other.items, other.difference) == ("other", 0, None)
    assert other.left_out.not_scorable == 4
    assert other.tests["bootstrap"].p is None


def test_metrics_of_different_meaning_are_not_compared(write_run: WriteRun) -> None:
    runs = [
        write_run(
            [result(name, n, {"good": 0.1, "same": 0.2}) for n in range(3)],
            name,
            {"good": {**PLAIN, "signature": signature}, "same": PLAIN},
        )
        for name, signature in (("a", "good|x:1|version:1"), ("b", "good|x:2|version:1"))
    ]
    with pytest.raises(RunError, match="compute 'good' differently"):
        compare(runs)
    assert compare(runs, metrics=["same"]).overall.pairs[0].items == 3


def test_another_version_is_noted(write_run: WriteRun) -> None:
    runs = [
        write_run(
            [result(f"s{version}", n, {"good": 0.1}) for n in range(3)],
            f"run{version}",
            {"good": {**PLAIN, "signature": f"good|version:{version}"}},
        )
        for version in (1, 2)
    ]
    assert compare(runs).notes[0].startswith("good: the versions differ")


def test_wrong_settings_are_refused_in_one_line(write_run: WriteRun, tmp_path: Path) -> None:
    run = write_run(three_systems())
    for settings, error, words in [
        ({"metrics": ["god"]}, UnknownName, "did you mean 'good'"),
        ({"baseline": "hihg"}, UnknownName, "did you mean 'high'"),
        ({"by": "categories"}, UnknownName, "did you mean 'category'"),
        ({"by": "meta."}, UnknownName, "unknown breakdown"),
        ({"by": "meta.nothing"}, SettingError, "no item has a meta.nothing"),
        ({"test": "t"}, UnknownName, "randomisation"),
        ({"correction": "hlm"}, UnknownName, "holm"),
        ({"n": 0}, SettingError, "at least 1"),
        ({"seed": -1}, SettingError, "not be negative"),
        ({"level": 95}, SettingError, "between 0 and 1"),
    ]:
        with pytest.raises(error, match=words):
            compare([run], **settings)  # type: ignore[arg-type]
    with pytest.raises(SettingError, match="no run"):
        compare([])
    with pytest.raises(RunError, match="named twice"):
        compare([run, tmp_path / "run" / ".." / "run"])
    with pytest.raises(RunError, match="nothing to compare"):
        compare([write_run([], "empty")])


def test_too_many_slices_are_refused(write_run: WriteRun) -> None:
    results = [result("a", n, {"good": 0.1}, category=f"c{n}") for n in range(201)]
    with pytest.raises(SettingError, match="201 values"):
        compare([write_run(results)], by="category")


@pytest.mark.parametrize(
    ("results", "words"),
    [
        ([result("a", 1, {"good": 0.1}), result("a", 1, {"good": 0.2})], "twice"),
        (
            [
                result("a", 1, {"good": 0.1}, {"good": (1, 2)}),
                result("a", 2, {"good": 0.1}, {"good": (1,)}),
            ],
            "1 statistics for one item and 2 for another",
        ),
    ],
)
def test_an_edited_run_is_refused(write_run: WriteRun, results: list[Result], words: str) -> None:
    with pytest.raises(DataError, match=words):
        compare([write_run(results)])


def test_scores_that_are_not_numbers_are_refused(write_run: WriteRun) -> None:
    run = write_run([result("a", 1, {"good": 0.125})])
    path = run / "scores.jsonl"
    path.write_text(path.read_text().replace("0.125", '"much"'))
    with pytest.raises(DataError, match="not a number"):
        compare([run])


def test_a_manifest_without_metrics_is_refused(write_run: WriteRun) -> None:
    run = write_run([result("a", 1, {"good": 0.1})], metrics={"good": "yes"})
    with pytest.raises(RunError, match="does not describe the metrics"):
        compare([run])


def test_statistics_that_begin_or_end_late_count_for_their_items(write_run: WriteRun) -> None:
    results = [
        result(system, number, {"ter": 10.0}, {"ter": (1.0, 10.0)} if 1 <= number <= 3 else None)
        for system in ("a", "b")
        for number in range(5)
    ]
    found = compare([write_run(results, metrics={"ter": EDITS})])
    assert found.overall.pairs[0].items == 3
    assert found.overall.values[0].not_scorable == 2
    assert found.overall.values[0].value == pytest.approx(10)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("peers") / "run"
    metrics = resolve(["bleu:pad_references=3", "chrf:pad_references=3"])
    return score_run(open_source(sample_path()), metrics, folder).path


@pytest.mark.parametrize(("kind", "test"), [("bs", "bootstrap"), ("ar", "randomisation")])
def test_values_are_sacrebleus_and_p_comes_near(run: Path, kind: str, test: str) -> None:
    items = [result.item for result in open_run(run).results()]
    systems: dict[str, list[str]] = {}
    references: dict[str, tuple[str, ...]] = {}
    for item in items:
        systems.setdefault(item.system, []).append(item.text)
        references[item.id] = (*item.references, *[""] * 3)[:3]
    assert all(len(item.references) <= 3 for item in items)
    tested, scores = PairedTest(
        list(systems.items()),
        {"BLEU": BLEU(), "chrF2++": CHRF(word_order=2)},
        references=[list(stream) for stream in zip(*references.values(), strict=True)],
        test_type=kind,
        n_samples=1000,
    )()
    assert tested is not None
    baseline = next(iter(systems))
    found = compare([run], baseline=baseline, test=test, n=1000, correction="none")
    values = {(value.measure, value.system): value for value in found.overall.values}
    p = {(pair.measure, pair.first): pair.tests[test].p for pair in found.overall.pairs}
    for place, system in enumerate(systems):
        for measure, name in (("bleu", "BLEU"), ("chrf", "chrF2++")):
            theirs, ours = scores[name][place], values[measure, system]
            assert ours.value == pytest.approx(theirs.score, abs=1e-6)
            if test == "bootstrap":
                low, high = ours.interval or pytest.fail("no interval")
                assert (high - low) / 2 == pytest.approx(theirs.ci, abs=0.6)
            if system != baseline and test == "randomisation":
                assert p[measure, system] == pytest.approx(theirs.p_value, abs=0.05)
            elif system != baseline:
                # Theirs follows a Moses script, which counts one side only: up to half of ours.
                ours_p = p[measure, system]
                assert ours_p is not None
                assert theirs.p_value - 0.02 <= ours_p <= 3 * theirs.p_value + 0.02
