"""A metric of another package: installed for real, found by its entry point, scored into a run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from adequa.metrics import load_metric
from adequa.settings import plain_settings

from ..tiny_weights import write_weights

PLUGIN = Path(__file__).resolve().parent.parent / "plugin"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The plug-in in a folder of its own, put there by pip (without a network)."""
    target = tmp_path_factory.mktemp("site")
    pytest.importorskip("hatchling", reason="the plug-in is built with hatchling: pip install it")
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--no-compile"]
    command = [sys.executable, "-m", "pip", "install", *options, "--target", str(target)]
    done = subprocess.run([*command, str(PLUGIN)], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return target


def run(installed: Path, code: str, cwd: Path) -> str:
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    return subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=cwd,
        env=environment,
    ).stdout  # fmt: skip


def test_an_installed_plugin_is_a_metric_like_any_other(installed: Path, tmp_path: Path) -> None:
    item = {"id": "1", "triples": [["s", "p", "o"]], "text": "a a b A"}
    (tmp_path / "items.jsonl").write_text(json.dumps(item))
    code = (
        "import sys; from adequa.cli import main\n"
        "sys.argv = ['adequa', 'score', 'items.jsonl', '-m', 'words', '-m',"
        " 'cased=words:lowercase=false', '--out', 'run', '--json', '--jobs', '2', '-q']\n"
        "if __name__ == '__main__': main()"
    )
    (tmp_path / "job.py").write_text(code)
    summary = json.loads(
        run(installed, "import runpy; runpy.run_path('job.py', run_name='__main__')", tmp_path)
    )
    metrics = summary["systems"][""]["metrics"]
    assert (metrics["words"]["mean"], metrics["cased"]["mean"]) == (0.5, 0.75)
    assert metrics["words"]["corpus"] == 0.5


def test_an_installed_plugin_is_listed(installed: Path, tmp_path: Path) -> None:
    code = (
        "import adequa, adequa.metrics as m\n"
        "print('words' in m.names(), adequa.load_metric('words').signature)"
    )
    assert run(installed, code, tmp_path).startswith("True words|lowercase:true|version:")


def test_a_plugin_that_is_no_metric_is_refused(tmp_path: Path) -> None:
    info = tmp_path / "bad-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: bad\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[adequa.metrics]\nbad = json:loads\n")
    code = (
        "import adequa\n"
        "try: adequa.load_metric('bad')\n"
        "except adequa.SettingError as error: print(error)"
    )
    assert "is not a subclass of adequa.Metric" in run(tmp_path, code, tmp_path)


def test_the_environment_names_the_weights_of_all_metrics(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = str(write_weights(tmp_path / "own"))
    monkeypatch.setenv("ADEQUA_WEIGHTS", own)
    for name in ("nli", "similarity", "fluency"):
        assert plain_settings(load_metric(name))["weights"] == own
        assert plain_settings(load_metric(name, weights="v3"))["weights"] == "v3"
    assert "0.25" in plain_settings(load_metric("bleu_nltk"))["weights"]
