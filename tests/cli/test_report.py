"""`adequa report`: the file and the output."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from adequa.cli import app
from adequa.errors import AdequaError


@pytest.fixture
def run(items_file, tmp_path):
    folder = tmp_path / "run"
    found = CliRunner().invoke(
        app, ["score", str(items_file(6)), "-m", "esa", "--out", str(folder)]
    )
    assert found.exit_code == 0, found.output
    return folder


def report(*options):
    return CliRunner().invoke(app, ["report", *map(str, options)])


def test_it_writes_the_file_and_reports_its_content(run, tmp_path):
    out = tmp_path / "report.html"
    found = report(run, "--out", out, "--title", "Six texts", "--quiet")
    assert found.exit_code == 0, found.output
    assert f"{out}: 6 texts of " in found.stdout
    assert "<title>Six texts</title>" in out.read_text(encoding="utf-8")
    again = report(run, "--out", out)
    assert isinstance(again.exception, AdequaError)
    assert "force=True" in str(again.exception)


def test_json_and_a_baseline(run, tmp_path):
    import shutil

    old = tmp_path / "old"
    shutil.copytree(run, old)
    out = tmp_path / "report.html"
    found = report(run, "--baseline", old, "--out", out, "--json", "--quiet")
    assert found.exit_code == 0, found.output
    said = json.loads(found.stdout)
    assert said["bytes"] == out.stat().st_size
    assert (said["texts"], said["shown_texts"]) == (6, 12)
    assert 'id="changes"' in out.read_text(encoding="utf-8")


def test_a_folder_without_a_run_is_an_error(tmp_path):
    found = report(tmp_path, "--out", tmp_path / "report.html")
    assert isinstance(found.exception, AdequaError)
    assert "is not a run" in str(found.exception)
    assert not (tmp_path / "report.html").exists()


def test_help_has_an_example():
    assert "Example: adequa report" in report("--help").stdout
