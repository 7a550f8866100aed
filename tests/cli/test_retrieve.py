"""`adequa retrieve` end to end."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from adequa.cli import main

ENCODER = """
import re, zlib
import numpy as np

class Words:
    signature = "words|version:1"

    def encode(self, texts):
        rows = np.zeros((len(texts), 256))
        for row, text in zip(rows, texts):
            for word in re.findall(r"[^\\W_]+", text.lower()):
                row[zlib.crc32(word.encode()) % 256] += 1
        return rows

    def encode_graphs(self, graphs):
        return self.encode([" ".join(map(" ".join, triples)) for triples, _ in graphs])

words = Words()
other = Words()
other.signature = "other|version:1"

def length(pairs):
    return [len(pair.text) for pair in pairs]
"""
ENTRY = """<entry category="City" eid="Id{number}" size="1">
<modifiedtripleset><mtriple>{name} | country | {land}</mtriple></modifiedtripleset>
<lex lid="Id1">{name} is in the country {land}.</lex><lex lid="Id2">{land} has it.</lex></entry>"""
TOWNS = [("Bex", "Vaudland"), ("Ull", "Norn"), ("Orm", "Norn"), ("Kest", "Vexland")]

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def adequa(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "words_of_a_test", raising=False)
    (tmp_path / "words_of_a_test.py").write_text(ENCODER, encoding="utf-8")
    for name, towns in (("test", TOWNS[:2]), ("train", TOWNS[2:])):
        entries = "".join(
            ENTRY.format(number=number, name=town, land=land)
            for number, (town, land) in enumerate(towns, 1)
        )
        (tmp_path / f"{name}.xml").write_text(
            f"<benchmark><entries>{entries}</entries></benchmark>", encoding="utf-8"
        )

    def run(
        command: str, *arguments: str, encoder: str = "words_of_a_test:words"
    ) -> tuple[int, str, str]:
        words = ["adequa", "retrieve", command, *arguments, "--encoder", encoder]
        monkeypatch.setattr(sys, "argv", words)
        with pytest.raises(SystemExit) as ended:
            main()
        code = ended.value.code
        return (code if isinstance(code, int) else 0, *capsys.readouterr())

    return run


def test_graphs_find_texts(adequa: Run) -> None:
    code, said, progress = adequa("index", "train.xml", "--out", "texts.index")
    assert code == 0
    assert said == "4 texts by words|version:1: texts.index\n"
    assert "indexing: 4 of 4" in progress
    code, said, _ = adequa("search", "texts.index", "Kest | country | Vexland", "-k", "2")
    assert code == 0
    lines = said.splitlines()
    assert lines[0].split() == ["score", "id", "text"]
    assert lines[2].endswith("Id2/Id1  Kest is in the country Vexland.")
    assert len(lines) == 4


def test_texts_find_graphs_as_json_and_from_a_file(adequa: Run, tmp_path: Path) -> None:
    code, said, progress = adequa(
        "index", "test.xml", "--of", "graphs", "--out", "g", "--vectors", "int8", "-q", "--json"
    )
    assert (code, progress) == (0, "")
    facts = json.loads(said)
    assert (facts["count"], facts["of"], facts["dtype"]) == (2, "graphs", "int8")
    (tmp_path / "query.txt").write_text("Ull lies in Norn.\n", encoding="utf-8")
    code, said, _ = adequa("search", "g", "query.txt", "--json")
    again = json.loads(said)["hits"][0]
    assert again["id"] == "Id2"
    assert again["score"] > again["cosine"]  # the entities were looked at
    code, said, _ = adequa("search", "g", "query.txt", "--json", "--rerank", "0")
    found = json.loads(said)
    assert found["of"] == "graphs"
    first, second = found["hits"]
    assert (first["rank"], first["id"], first["triples"]) == (
        1,
        "Id2",
        [["Ull", "country", "Norn"]],
    )
    assert first["score"] == first["cosine"] > second["score"]
    code, said, _ = adequa("search", "g", "Bex | country | Vaudland", "--as", "triples", "-k", "1")
    assert "Bex | country | Vaudland" in said
    assert "1.000" in said


def test_a_second_look(adequa: Run) -> None:
    adequa("index", "test.xml", "--out", "t", "-q")
    arguments = ("search", "t", "Ull | country | Norn", "--json", "--rerank", "3")
    _, said, _ = adequa(*arguments, "--scorer", "words_of_a_test:length", "--weight", "-1")
    hits = json.loads(said)["hits"]
    assert hits[0]["text"] == "Norn has it."
    assert hits[0]["score"] == pytest.approx(hits[0]["cosine"] - len("Norn has it."), abs=1e-5)
    _, said, _ = adequa(*arguments)
    assert json.loads(said)["hits"][0]["text"] == "Ull is in the country Norn."


def test_the_contract_of_evaluate(adequa: Run) -> None:
    code, said, progress = adequa("evaluate", "test.xml", "--pool", "train.xml", "--json")
    assert code == 0
    full = {"r@1": 1.0, "r@5": 1.0, "r@10": 1.0, "mrr": 1.0, "queries": 2, "pool": 4}
    assert json.loads(said) == {"graph_to_text": full, "text_to_graph": full}
    assert "encoding and ranking: 12 of 12" in progress
    code, said, progress = adequa("evaluate", "test.xml", "--rerank", "2", "-q")
    assert (code, progress) == (0, "")
    assert "2 queries, 2 candidates" in said
    assert said.splitlines()[-1].split() == ["text", "to", "graph", *["1.000"] * 4]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["index", "absent.xml", "--out", "i"], "absent.xml: does not exist"),
        (["index", "test.xml", "--out", "test.xml"], "test.xml: exists and is not an index"),
        (["index", "test.xml"], "--out"),
        (["search", "absent", "x"], "absent: is not an index"),
        (["search", "i", "nonsense"], "TRIPLES"),
        (["search", "i", "a | b | c", "-k", "0"], "-k"),
        (["search", "i", "a", "--as", "text", "--rerank", "2"], "for queries that are graphs"),
        (["search", "i", "a | b | c", "--rerank", "2", "--scorer", "x"], "unknown scorer 'x'"),
        (["evaluate", "absent.xml"], "absent.xml: does not exist"),
        (["evaluate", "test.xml", "--pool", "absent.xml"], "absent.xml: does not exist"),
    ],
)
def test_wrong_use_is_exit_code_2(arguments: list[str], message: str, adequa: Run) -> None:
    adequa("index", "test.xml", "--out", "i", "-q")
    code, said, complaint = adequa(*arguments)
    assert (code, said) == (2, "")
    assert message in complaint
    assert "Traceback" not in complaint


def test_wrong_encoders(adequa: Run) -> None:
    adequa("index", "test.xml", "--out", "i", "-q")
    code, _, complaint = adequa("search", "i", "a | b | c", encoder="words_of_a_test:other")
    assert code == 2
    assert "was built with the encoder 'words|version:1', not 'other|version:1'" in complaint
    for name in ("words_of_a_test:absent", "absent_words:x", ":x"):
        code, _, complaint = adequa("search", "i", "a | b | c", encoder=name)
        assert code == 2
        assert "package.module:attribute" in complaint
    code, _, complaint = adequa("search", "i", "a | b | c", encoder="words_of_a_test")
    assert code == 2
    assert "unknown weights (and no folder of that name) 'words_of_a_test'" in complaint


def test_force_and_resume(adequa: Run) -> None:
    build = ("index", "test.xml", "--out", "i", "-q")
    assert adequa(*build)[0] == 0
    assert "replace it with --force" in adequa(*build)[2]
    assert adequa(*build, "--resume")[0] == 0
    assert adequa(*build, "--force")[0] == 0


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys, adequa.cli\n"
        "sys.argv = ['adequa', 'retrieve', 'evaluate', '--help']\n"
        "try:\n    adequa.cli.main()\nexcept SystemExit:\n    pass\n"
        "sys.exit(', '.join({'scipy', 'numpy', 'lxml', 'usearch'} & set(sys.modules)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert "how often the right text" in done.stdout
    assert (done.returncode, done.stderr) == (0, "")
