"""Fixtures shared by all tests."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import hypothesis
import pytest

from adequa.data import Fact, Finding, Item, Mention, Score
from adequa.metrics.base import Metric

ROOT = Path(__file__).resolve().parent.parent

# No deadlines, for a busy machine is no failure; and in CI the same examples every time, so that a
# change is judged by what it changes. New examples are looked for on developers' machines.
hypothesis.settings.register_profile(
    "adequa", deadline=None, derandomize=bool(os.environ.get("CI"))
)
hypothesis.settings.load_profile("adequa")


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The research data; tests that need it skip where it is not."""
    folder = Path(os.environ.get("ADEQUA_DATA", ROOT.parent / "shared" / "data"))
    if not (folder / "README.md").is_file():
        pytest.skip(f"the research data is not at {folder}; set ADEQUA_DATA to run this test")
    return folder


@dataclass(frozen=True)
class Words(Metric):
    """A cheap metric with every kind of evidence, for tests of what stands around metrics."""

    name: ClassVar[str] = "words"
    doc: ClassVar[str] = "words of the text"
    best: ClassVar[float] = 1000.0
    worst: ClassVar[float] = 0.0

    factor: float = 1.0

    def score(self, items: Sequence[Item]) -> list[Score]:
        return [self._one(item) for item in items]

    def _one(self, item: Item) -> Score:
        if item.text == "unscorable":
            return Score(None, reason="a test said so")
        words = len(item.text.split())
        missing = tuple(
            Finding(self.name, "omission", "missing", "not found", triple=triple)
            for triple in item.triples
            if triple.object not in item.text
        )
        return Score(
            words * self.factor,
            statistics=(float(words), 1.0),
            mentions=(Mention(item.triples[0].subject, 0, min(3, len(item.text)), "test", 0.1),),
            facts=tuple(Fact(triple, "stated", 0.5) for triple in item.triples),
            findings=missing,
            verdict="omission" if missing else "OK",
        )

    def corpus(self, totals: Sequence[float]) -> float:
        return totals[0] / totals[1]


@pytest.fixture
def words() -> Words:
    return Words()


def item_objects(count: int) -> list[dict[str, object]]:
    """Plain items of two systems, all different."""
    return [
        {
            "id": f"Id{number // 2}",
            "system": "AB"[number % 2],
            "category": ["Airport", "Café"][number % 3 == 0],
            "triples": [[f"Entity_{number}", "count", str(number)]],
            "text": " ".join(["word"] * (number % 7)) + f" {number if number % 3 else ''}",
            "references": [f"word word {number}"],
            "meta": {"seen": number % 4 == 0},
        }
        for number in range(count)
    ]


@pytest.fixture
def items_file(tmp_path: Path) -> Callable[[int], Path]:
    """Writes that many items to a JSONL file."""

    def write(count: int) -> Path:
        path = tmp_path / f"items-{count}.jsonl"
        lines = (json.dumps(raw, ensure_ascii=False) for raw in item_objects(count))
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path

    return write


@pytest.fixture
def command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Runs `adequa` with arguments; returns the exit code, stdout and stderr."""
    from adequa.cli import main

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["adequa", *arguments])
        # As in a process of its own, which has loaded no other command.
        monkeypatch.setattr(sys.modules["adequa.cli.app"], "_loaded", {})
        with pytest.raises(SystemExit) as ended:
            main()
        code = ended.value.code
        return (code if isinstance(code, int) else 0, *capsys.readouterr())

    return run
