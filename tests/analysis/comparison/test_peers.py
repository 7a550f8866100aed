"""Against sacrebleu's own paired tests, on the built-in sample."""

from __future__ import annotations

from pathlib import Path

import pytest
from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.significance import PairedTest

from adequa.analysis.comparison import compare
from adequa.cli.demo import sample_path
from adequa.metrics import resolve
from adequa.readers import open_source
from adequa.run import open_run, score_run


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
