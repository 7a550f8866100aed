"""A run that is really killed; `bench/kill_resume.py` does it two hundred times."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

COMMAND = [sys.executable, "-c", "from adequa.cli import main; main()", "score"]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_killed_run_resumes_to_the_same_bytes(
    jobs: str, items_file: Callable[[int], Path], tmp_path: Path
) -> None:
    options = [str(items_file(3_000)), "-m", "chrf", "--batch-size", "5", "--quiet", "--no-cache"]
    subprocess.run([*COMMAND, *options, "--out", str(tmp_path / "whole")], check=True)
    scores = tmp_path / "killed" / "scores.jsonl"
    out = ["--out", str(tmp_path / "killed"), "--jobs", jobs]
    with subprocess.Popen([*COMMAND, *options, *out]) as process:
        deadline = time.monotonic() + 60
        while not (scores.is_file() and scores.stat().st_size) and time.monotonic() < deadline:
            time.sleep(0.01)
        process.kill()
    wanted = (tmp_path / "whole" / "scores.jsonl").read_bytes()
    assert 0 < scores.stat().st_size < len(wanted)
    subprocess.run([*COMMAND, *options, *out, "--resume"], check=True)
    assert scores.read_bytes() == wanted
