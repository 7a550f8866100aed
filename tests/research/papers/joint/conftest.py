"""The tiny challenges with training data, for paper 003."""

from __future__ import annotations

import json
from pathlib import Path

import pytest


@pytest.fixture
def corpus(challenges: Path) -> Path:
    """The challenges, and training data: as many airports again, and a table."""
    test = challenges / "webnlg2020" / "test" / "test.xml"
    for split, name in (("train", "Glimmer_Bay"), ("dev", "Thistle_Bay")):
        path = challenges / "webnlg2020" / split / "1triples" / "Airport.xml"
        path.parent.mkdir(parents=True)
        text = test.read_text(encoding="utf-8").replace("Kestrel_Bay", name)
        path.write_text(text.replace("Kestrel Bay", name.replace("_", " ")), encoding="utf-8")
    table = {"id": "1", "triples": [["Blue_Door", "eatType", "pub"]], "text": "Blue Door: a pub."}
    (challenges / "dart").mkdir()
    (challenges / "dart" / "tables.jsonl").write_text(json.dumps(table) + "\n", encoding="utf-8")
    return challenges
