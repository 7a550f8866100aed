"""`adequa metrics`: the metrics with their weights and licences."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from adequa.cli import main
from adequa.metrics import registry as metrics
from adequa.models import shipped

from ..tiny_weights import write_weights

Run = Callable[..., str]
USERS = {
    "fluency": "adequa.metrics.similarity:Fluency",
    "nli": "adequa.metrics.nli.metric:Nli",
    "similarity": "adequa.metrics.similarity:Similarity",
}


@pytest.fixture
def adequa(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(metrics, "TABLE", {**metrics.TABLE, **USERS})

    def run(*arguments: str) -> str:
        monkeypatch.setattr(sys, "argv", ["adequa", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        assert not ended.value.code
        return str(capsys.readouterr().out)

    return run


@pytest.fixture
def two_versions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package that ships v2, of two licences, and v3."""
    for name in ("v2", "v3"):
        place = write_weights(tmp_path / name) / "manifest.json"
        said = json.loads(place.read_text(encoding="utf-8"))
        said["version"] = name
        licence = {"base": "Apache-2.0", "data": ["CC BY-NC-SA 4.0 (texts MIT; data: CC0)"]}
        said["models"]["verifier"]["licence"] = licence
        place.write_text(json.dumps(said), encoding="utf-8")
    monkeypatch.setattr(shipped, "_shipped", lambda: tmp_path)
    return tmp_path


LICENCE = "encoder: MIT; verifier: base Apache-2.0, data CC BY-NC-SA 4.0 (texts MIT; data: CC0)"


def test_the_list_ends_with_the_licence_of_the_weights(adequa: Run, two_versions: Path) -> None:
    said = adequa("metrics")
    lines = "weights v3:\n  " + LICENCE.replace("; v", "\n  v") + "\n"
    assert said.count(lines) == 1  # once, though three metrics use them
    assert all(len(line) <= 120 for line in said.splitlines())
    assert "weights v2" not in said


def test_a_metric_shows_its_weights(adequa: Run, two_versions: Path) -> None:
    size = sum(path.stat().st_size for path in (two_versions / "v3").iterdir())
    size -= (two_versions / "v3" / "manifest.json").stat().st_size
    for name in USERS:
        said = adequa("metrics", name)
        shown = f"weights: v3 of v2, v3, {size / 1e6:.1f} MB; licence: {LICENCE}\n"
        assert said.endswith(shown)
        assert f"|weights_hash:{shipped.weights('v3').digest}|" in said


def test_as_json(adequa: Run, two_versions: Path) -> None:
    entries = {entry["name"]: entry for entry in json.loads(adequa("metrics", "--json"))}
    with_weights = {name for name, entry in entries.items() if entry["weights"]}
    assert with_weights == set(USERS)  # and not bleu_nltk, whose setting of that name is another
    assert entries["similarity"]["weights"]["licence"] == LICENCE
    assert entries["similarity"]["weights"]["versions"] == ["v2", "v3"]


def test_an_installation_without_weights_still_lists_its_metrics(
    adequa: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shipped, "_shipped", lambda: tmp_path / "nothing")
    assert "weights" not in adequa("metrics")
    said = adequa("metrics", "similarity")
    assert "signature: depends on" in said
    assert "licence" not in said


def test_the_licence_of_the_shipped_weights(adequa: Run) -> None:
    assert "CC BY-NC-SA 4.0" in adequa("metrics", "similarity")


class Broken:
    """An entry point of a package that cannot be imported."""

    name, value, dist = "broken", "broken_package:Metric", None

    def load(self) -> object:
        raise ImportError("no module named broken_dependency")


def test_a_broken_plugin_leaves_the_others(
    adequa: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(metrics, "_entry_points", lambda: {"broken": Broken()})
    monkeypatch.setattr(sys, "argv", ["adequa", "metrics"])
    with pytest.raises(SystemExit) as ended:
        main()
    said = capsys.readouterr()
    assert not ended.value.code
    assert "chrf" in said.out
    assert "left out: the metric 'broken' of the package 'broken_package' failed" in said.err
    monkeypatch.setattr(sys, "argv", ["adequa", "metrics", "broken"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert "ImportError: no module named broken_dependency" in capsys.readouterr().err
