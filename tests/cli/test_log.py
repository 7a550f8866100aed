"""`adequa log`: what a tracker is given. The trackers themselves are used where installed."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any

import pytest

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, command: Command) -> Path:
    source = tmp_path / "items.jsonl"
    texts = ("Osterine has a density of 2.31.", "Osterine.", "", "2.31 is the density of osterine.")
    lines = [
        {"id": str(n), "system": "T5 (é)", "triples": [["Osterine", "density", "2.31"]], "text": t}
        for n, t in enumerate(texts)
    ]
    source.write_text("".join(json.dumps(one) + "\n" for one in lines))
    out = tmp_path / "run"
    assert command("score", str(source), "-m", "esa", "--out", str(out))[0] == 0
    return out


class Recorder:
    """A tracker that keeps what it is given: the part of each API that is used."""

    id = "abc"

    def __init__(self) -> None:
        self.seen: dict[str, Any] = {"files": []}

    def keep(self, name: str) -> Callable[..., Any]:
        def kept(*arguments: Any, **named: Any) -> Any:
            self.seen[name] = named or arguments[0]
            return self

        return kept

    def add_file(self, path: str) -> None:
        assert Path(path).is_file()
        self.seen["files"].append(Path(path).name)

    def __enter__(self) -> Recorder:
        return self

    def __exit__(
        self, kind: type | None, error: Exception | None, trace: TracebackType | None
    ) -> None:
        self.seen["closed"] = True


def test_mlflow_gets_figures_parameters_and_files(
    run: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder, module = Recorder(), ModuleType("mlflow")
    for name in ("set_experiment", "start_run", "log_params", "log_metrics"):
        setattr(module, name, recorder.keep(name))
    module.log_artifact = recorder.add_file  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "mlflow", module)
    code, _, told = command("log", str(run), "--to", "mlflow", "--project", "webnlg")
    assert code == 0
    assert "logged to mlflow" in told
    seen = recorder.seen
    assert (seen["set_experiment"], seen["start_run"]) == ("webnlg", {"run_name": "run"})
    assert seen["log_metrics"]["T5 _é_/esa/mean"] == pytest.approx(0.625)
    assert seen["log_metrics"]["T5 _é_/verdict/OK"] == 0.5
    assert seen["log_metrics"]["T5 _é_/esa/ESA_C"] == pytest.approx(0.625)
    assert seen["log_params"]["signature esa"].startswith("esa|")
    assert len(seen["log_params"]["sha256 1"]) == 64
    assert seen["files"] == ["manifest.json", "summary.json"]
    assert seen["closed"]


def test_wandb_gets_the_texts_only_if_asked_to(
    run: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder, module = Recorder(), ModuleType("wandb")
    module.init = recorder.keep("init")  # type: ignore[attr-defined]
    recorder.log = recorder.keep("log")  # type: ignore[attr-defined]
    recorder.log_artifact = recorder.keep("log_artifact")  # type: ignore[attr-defined]
    module.Artifact = lambda name, type: recorder  # type: ignore[attr-defined]  # noqa: A006
    monkeypatch.setitem(sys.modules, "wandb", module)
    assert command("log", str(run), "--to", "wandb", "--name", "mine", "--texts")[0] == 0
    assert recorder.seen["init"]["name"] == "mine"
    assert recorder.seen["log"]["T5 (é)/esa/mean"] == pytest.approx(0.625)
    assert recorder.seen["files"] == ["manifest.json", "summary.json", "scores.jsonl"]


def test_what_is_missing_is_said(
    run: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mlflow", None)
    code, _, told = command("log", str(run), "--to", "mlflow")
    assert (code, "pip install mlflow" in told) == (2, True)
    broken = ModuleType("mlflow")
    broken.start_run = lambda run_name: 1 / 0  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "mlflow", broken)
    code, _, told = command("log", str(run), "--to", "mlflow")
    assert (code, "mlflow: ZeroDivisionError: division by zero" in told) == (2, True)
    code, _, told = command("log", str(run), "--to", "comet")
    assert (code, "there are: mlflow, wandb" in told) == (2, True)


def test_mlflow_itself(
    run: Path, command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    mlflow = pytest.importorskip("mlflow", reason="mlflow is not installed")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri((tmp_path / "tracking").as_uri())
    assert command("log", str(run), "--to", "mlflow", "--project", "webnlg", "--texts")[0] == 0
    client = mlflow.MlflowClient()
    experiment = client.get_experiment_by_name("webnlg")
    (logged,) = client.search_runs([experiment.experiment_id])
    assert logged.data.metrics["T5 _é_/esa/mean"] == pytest.approx(0.625)
    assert logged.data.params["signature esa"].startswith("esa|")
    assert len(client.list_artifacts(logged.info.run_id)) == 3


def test_wandb_itself(
    run: Path, command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("wandb", reason="wandb is not installed")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_SILENT", "true")
    assert command("log", str(run), "--to", "wandb", "--project", "webnlg")[0] == 0
    assert list((tmp_path / "wandb").glob("offline-run-*/*.wandb"))
