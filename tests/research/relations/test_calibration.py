"""The line: its slope from labelled facts, its offset from the share of texts to be flagged."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from adequa.data import Item, Triple
from adequa.errors import DataError, SettingError
from adequa.metrics.nli.evidence import Reading
from research.relations.calibration import (
    LabelledText,
    RelationLine,
    fit_line,
    write_line,
    written_texts,
)
from research.relations.groups import WrittenGroup, WrongText

LINE = RelationLine(slope=0.5, offset=-1.0, flagged=0.06, found=0.4, facts=10, texts=5)


def group(number: int) -> WrittenGroup:
    ann, bo = f"Ann{'abcdefghij'[number % 10]}", f"Bo{'klmnopqrst'[number % 10]}"
    triple = Triple(ann, "boss", bo)
    faithful = tuple(f"{bo} is the {word} of {ann}." for word in ("boss", "chief", "head"))
    wrong = (WrongText(f"{bo} is not the boss of {ann}.", 0, (0,), "negation"),)
    return WrittenGroup((triple,), faithful, wrong)


TEXTS = [
    *written_texts([group(number) for number in range(10)]),
    *(
        LabelledText("others", Item("", group(n).triples, f"{group(n).faithful[0]} Really."))
        for n in range(10)
    ),
]


def read(items: Sequence[Item], sign: int = 1, verifier: float = 0.0) -> list[list[Reading | None]]:
    """Logits around 2 for faithful texts and around -1 for denied ones."""
    found: list[list[Reading | None]] = []
    for item in items:
        denied = " not " in item.text
        logit = random.Random(item.text).gauss(-1 if denied else 2, 1)
        odds = verifier if denied else 0.0
        found.append([Reading(sign * logit, odds, "name") for _ in item.triples])
    return found


@pytest.mark.parametrize("flagged", [0.05, 0.2])
def test_the_stated_share_of_right_texts_is_flagged(flagged: float) -> None:
    line = fit_line(read, TEXTS, flagged=flagged)
    assert line.flagged == pytest.approx(flagged, abs=0.05)
    assert line.slope > 0
    assert (line.facts, line.texts) == (50, 40)


def test_more_flagged_texts_mean_more_faults_found() -> None:
    few, many = (fit_line(read, TEXTS, flagged=one) for one in (0.05, 0.3))
    assert few.found <= many.found
    assert few.offset > many.offset


def test_the_threshold_lies_at_the_cut() -> None:
    low, high = (fit_line(read, TEXTS, threshold=one) for one in (0.2, 0.5))
    assert high.offset - low.offset == pytest.approx(math.log(4))


def test_a_verifier_that_is_against_what_is_not_stated_finds_more() -> None:
    plain = fit_line(read, TEXTS)
    helped = fit_line(lambda items: read(items, verifier=-9.0), TEXTS)
    assert helped.found > plain.found
    assert (helped.slope, helped.offset) == (plain.slope, plain.offset)


def test_the_sources_count_alike() -> None:
    """A quarter of all is half of the ten texts of a source that has a hundred beside it."""
    (triple,) = group(0).triples
    logits = {**{f"low {n}": float(n) for n in range(10)}, "high": 20.0, "wrong": -1.0}
    texts = [LabelledText("low", Item("", (triple,), f"low {n}")) for n in range(10)]
    texts += [LabelledText("high", Item("", (triple,), "high"))] * 100
    texts.append(LabelledText("high", Item("", (triple,), "wrong"), frozenset({0})))
    line = fit_line(
        lambda items: [[Reading(logits[item.text], 0.0, "name")] for item in items],
        texts,
        flagged=0.25,
    )
    assert line.flagged == pytest.approx(0.25, abs=0.05)
    assert 4 <= (math.log(0.25) - line.offset) / line.slope <= 5


def test_shares_and_readers_without_sense_are_refused() -> None:
    with pytest.raises(SettingError, match="flagged"):
        fit_line(read, TEXTS, flagged=1.0)
    with pytest.raises(DataError, match="both kinds"):
        fit_line(lambda items: [[None] for _ in items], TEXTS)
    with pytest.raises(DataError, match="not higher"):
        fit_line(lambda items: read(items, sign=-1), TEXTS)


def test_the_line_is_added_to_the_calibration(tmp_path: Path) -> None:
    path = tmp_path / "calibration.json"
    old = {"nli": {"stated": 1, "confidence": "of another line"}, "other": 2}
    path.write_text(json.dumps(old), encoding="utf-8")
    written = write_line(tmp_path, LINE)
    known = json.loads(path.read_text(encoding="utf-8"))
    assert known == {"nli": {"stated": 1, "relation": written}, "other": 2}
    assert (written["slope"], written["offset"], written["signs"]) == (0.5, -1.0, {})
    manifest = json.loads((tmp_path / "manifest.json").read_text(encoding="utf-8"))
    assert "calibration.json" in manifest["files"]


def test_the_verifier_is_fitted_first(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="adequa train weigh"):
        write_line(tmp_path, LINE)
