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
from adequa.models import NamedText
from research.relations.calibration import RelationLine, fit_line, write_line
from research.relations.groups import WrittenGroup, WrongText

LINE = RelationLine(slope=0.5, offset=-1.0, flagged=0.06, found=0.4, facts=10, texts=5)


def group(number: int) -> WrittenGroup:
    ann, bo = f"Ann{'abcdefghij'[number % 10]}", f"Bo{'klmnopqrst'[number % 10]}"
    triple = Triple(ann, "boss", bo)
    faithful = tuple(f"{bo} is the {word} of {ann}." for word in ("boss", "chief", "head"))
    wrong = (WrongText(f"{bo} is not the boss of {ann}.", 0, (0,), "negation"),)
    return WrittenGroup((triple,), faithful, wrong)


GROUPS = [group(number) for number in range(10)]
ITEMS = [Item(str(n), group(n).triples, f"{group(n).faithful[0]} Really.") for n in range(10)]


def read(texts: Sequence[NamedText]) -> list[list[float | None]]:
    """Logits around 2 for faithful texts and around -1 for denied ones."""
    return [
        [random.Random(one.text).gauss(-1 if " not " in one.text else 2, 1) for _ in one.triples]
        for one in texts
    ]


@pytest.mark.parametrize("flagged", [0.05, 0.2])
def test_the_stated_share_of_faithful_texts_is_flagged(flagged: float) -> None:
    line = fit_line(read, GROUPS, ITEMS, flagged=flagged)
    assert line.flagged == pytest.approx(flagged, abs=0.03)
    assert line.slope > 0
    assert (line.facts, line.texts) == (40, 40)


def test_more_flagged_texts_mean_more_faults_found() -> None:
    few, many = (fit_line(read, GROUPS, ITEMS, flagged=one) for one in (0.05, 0.3))
    assert few.found <= many.found
    assert few.offset > many.offset


def test_the_threshold_lies_at_the_cut() -> None:
    low, high = (fit_line(read, GROUPS, ITEMS, threshold=one) for one in (0.2, 0.5))
    assert high.offset - low.offset == pytest.approx(math.log(4))


def test_shares_and_readers_without_sense_are_refused() -> None:
    with pytest.raises(SettingError, match="flagged"):
        fit_line(read, GROUPS, ITEMS, flagged=1.0)
    with pytest.raises(DataError, match="both kinds"):
        fit_line(lambda texts: [[None] for _ in texts], GROUPS, ITEMS)
    with pytest.raises(DataError, match="not higher"):
        fit_line(lambda texts: [[-one for one in own] for own in read(texts)], GROUPS, ITEMS)


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
