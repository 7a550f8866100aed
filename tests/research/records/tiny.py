"""A small written record."""

from __future__ import annotations

import json
from pathlib import Path

RECORD = {
    "inn": "Lamsen",
    "sauna": False,
    "rooms": [{"name": "Ask", "view": "lake"}, {"name": "Bjørk", "view": "yard"}],
    "price": 90,
}
TEXT = "Lamsen has no sauna. Ask looks onto the lake, and a night costs 90."


def write(path: Path, **more: object) -> Path:
    lines = {
        "id": "1",
        "record": RECORD,
        "faithful": [TEXT, "There is no sauna at Lamsen."],
        "wrong": [
            {"of": 0, "old": "has no sauna", "new": "has a sauna", "kind": "polarity"},
            {"of": 0, "old": "lake", "new": "yard", "kind": "wrong_owner"},
        ],
        "same": [{"of": 1, "old": "There is no sauna", "new": "You will find no sauna"}],
        **more,
    }
    path.write_text(json.dumps(lines) + "\n", encoding="utf-8")
    return path
