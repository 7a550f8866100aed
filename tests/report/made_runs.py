"""Random but reproducible runs with every field that a line of a run can have."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

HOSTILE = "</script><script>window.hacked = true</script><img src=x onerror='window.hacked=true'>"
VERDICTS = ("OK", "omission", "hallucination", "hallucination+omission", None)
STATUSES = ("stated", "missing", "contradicted", "unchecked")
METRICS = {"esa": True, "ter": False}


def made_lines(
    seed: int, systems: Iterable[str] = ("Anna", "Bert"), inputs: int = 12
) -> list[dict[str, Any]]:
    """Lines of a run: every input with every system."""
    chance = random.Random(seed)
    graphs = random.Random(11)
    lines = []
    for number in range(inputs):
        triples = [
            [f"Ferry_{number}", graphs.choice(("port", "owner", "builtIn")), f"value {one}"]
            for one in range(1 + number % 4)
        ]
        lines += [_line(chance, number, system, triples) for system in systems]
    return lines


def _line(
    chance: random.Random, number: int, system: str, triples: list[list[str]]
) -> dict[str, Any]:
    text = f"🛳 Ferry {number} sails to the port of value 0 with joy."
    start = text.index("Ferry")
    statuses = [chance.choice(STATUSES) for _ in triples]
    findings = [
        {
            "metric": "esa",
            "kind": "omission",
            "detail": status,
            "triple": triple,
            "entity": None,
            "start": None,
            "end": None,
            "confidence": None,
            "why": f"the text does not say {triple[1]}",
        }
        for triple, status in zip(triples, statuses, strict=True)
        if status in ("missing", "contradicted")
    ]
    if chance.random() < 0.5:
        joy = text.index("with joy")
        findings.append(
            {
                "metric": "esa",
                "kind": "hallucination",
                "detail": "unsupported",
                "triple": None,
                "entity": None,
                "start": joy,
                "end": joy + chance.choice((4, 8)),
                "confidence": 0.75,
                "why": "nothing in the data supports it",
            }
        )
    scored = chance.random() > 0.1
    verdict = chance.choice(VERDICTS)
    return {
        "id": f"Id{number}",
        "system": system,
        "category": ("Ferry", "Port", "Lake")[number % 3],
        "lang": "en",
        "triples": triples,
        "text": text,
        "references": [f"The ferry {number} sails."],
        "meta": {"seen": number % 2 == 0},
        "scores": {
            "esa": round(chance.random(), 6) if scored else None,
            "ter": round(100 * chance.random(), 6),
        },
        "mentions": [
            {
                "entity": f"Ferry_{number}",
                "start": start,
                "end": start + len(f"Ferry {number}"),
                "method": "name",
                "distance": 0.0,
            }
        ],
        "facts": [
            {"triple": triple, "status": status, "confidence": 0.5, "start": None, "end": None}
            for triple, status in zip(triples, statuses, strict=True)
        ],
        "findings": findings,
        "verdicts": {} if verdict is None else {"esa": verdict},
        "verdict": verdict,
        "confidence": None if verdict is None else number * 37 % 100 / 100,
        **({} if scored else {"reasons": {"esa": "a test said so"}}),
    }


def write_lines(folder: Path, lines: list[dict[str, Any]]) -> Path:
    """A finished run with these lines."""
    folder.mkdir(parents=True)
    (folder / "scores.jsonl").write_text(
        "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8"
    )
    metrics = {
        label: {
            "name": label,
            "settings": {},
            "higher_is_better": higher,
            "signature": f"{label}|version:0",
            "best": 1.0 if higher else 0.0,
            "worst": 0.0 if higher else "inf",
        }
        for label, higher in METRICS.items()
    }
    manifest = {
        "version": "0.1.0",
        "status": "complete",
        "created": "2026-01-02T03:04:05+00:00",
        "inputs": {"files": [{"path": "/somewhere/else/items.jsonl", "sha256": "ab" * 32}]},
        "metrics": metrics,
        "counts": {"items": len(lines)},
    }
    (folder / "manifest.json").write_text(json.dumps(manifest))
    systems = dict.fromkeys(line["system"] for line in lines)
    (folder / "summary.json").write_text(json.dumps({"systems": {name: {} for name in systems}}))
    return folder
