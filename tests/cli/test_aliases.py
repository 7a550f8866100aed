"""`adequa aliases` end to end."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

BAY = "<http://dbpedia.org/resource/Kestrel_Bay>"
ALIAS = "<http://dbpedia.org/ontology/alias>"
LINES = f"""{BAY} {ALIAS} "The Bay"@en .
{BAY} {ALIAS} "K"@en .
<http://dbpedia.org/resource/Lumen_Air> {ALIAS} "Lumen"@en .
<http://dbpedia.org/resource/KB> <http://dbpedia.org/ontology/wikiPageRedirects> {BAY} .
"""

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def adequa(command: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dump.nt.gz").write_bytes(gzip.compress(LINES.encode()))
    return command


def test_build_and_show(adequa: Run) -> None:
    code, said, progress = adequa("aliases", "build", "dump.nt.gz", "--out", "a.sqlite")
    assert code == 0
    assert "3 aliases of 2 entities from 4 statements: a.sqlite" in said
    assert "left out: 1 dangerous aliases" in said
    assert "bytes read" in progress
    code, said, _ = adequa("aliases", "show", "a.sqlite", "Kestrel Bay", "Nowhere")
    assert code == 0
    assert [line.split("  ")[-1].strip() for line in said.splitlines()[-3:]] == [
        "The Bay",
        "KB",
        "–",
    ]
    code, said, _ = adequa("aliases", "show", "a.sqlite", "Kestrel_Bay", "Nowhere", "--json")
    assert json.loads(said) == {"Kestrel_Bay": ["The Bay", "KB"], "Nowhere": []}


def test_only_force_and_json(adequa: Run, tmp_path: Path) -> None:
    (tmp_path / "only.txt").write_text("Lumen_Air\n", encoding="utf-8")
    build = ("aliases", "build", "dump.nt.gz", "--out", "a.sqlite", "--only", "only.txt")
    code, said, progress = adequa(*build, "--json", "--quiet")
    assert (code, progress) == (0, "")
    assert json.loads(said)["entities"] == 1
    code, said, complaint = adequa(*build)
    assert (code, said) == (2, "")
    assert complaint.strip() == (
        "adequa: a.sqlite: is there already; name another file, or give --force"
    )
    assert adequa(*build, "--force", "-q")[0] == 0


def test_errors_name_the_place(adequa: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.nt").write_text("nonsense\n", encoding="utf-8")
    code, said, complaint = adequa("aliases", "build", "bad.nt", "--out", "a.sqlite", "-q")
    assert (code, said) == (2, "")
    assert complaint.startswith("adequa: bad.nt:1: is not N-Triples")
    assert not (tmp_path / "a.sqlite").exists()
    assert adequa("aliases", "show", "absent.tsv", "Bex")[0] == 2
