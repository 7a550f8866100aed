"""`adequa templates` end to end."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from adequa.cli import main

FACTS = [
    ("Ada_Bell", "birthPlace", "Bexford", "Ada Bell was born in Bexford."),
    ("Bruno_Lenz", "birthPlace", "Lumenau", "Bruno Lenz was born in Lumenau."),
    ("Bruno_Lenz", "friend", "Carla", "He knows her."),
]

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def adequa(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    monkeypatch.chdir(tmp_path)
    lines = [
        json.dumps({"id": str(number), "triples": [fact], "text": text})
        for number, (*fact, text) in enumerate(FACTS)
    ]
    (tmp_path / "items.jsonl").write_text("\n".join(lines), encoding="utf-8")

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["adequa", "templates", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        code = ended.value.code
        return (code if isinstance(code, int) else 0, *capsys.readouterr())

    return run


@pytest.mark.parametrize("out", ["t.json", "t.tsv"])
def test_extract_check_list_and_show(adequa: Run, out: str) -> None:
    code, said, progress = adequa("extract", "items.jsonl", "--out", out)
    assert code == 0
    assert "<subject> was born in <object>." in said
    assert f"1 of 2 predicates have a template: {out}" in said
    assert "without a template: 1 (no text names both ends" in said
    assert "texts: 3 of 3" in progress
    code, said, progress = adequa("check", out, "items.jsonl", "--quiet")
    assert (code, progress) == (0, "")
    assert "all read well" in said
    assert "2 of 3 facts have a template (66.7 %)" in said
    assert "predicates without a template: friend" in said
    code, said, _ = adequa("list-missing", out, "items.jsonl", "-q")
    assert (code, said.split()[-2:]) == (0, ["friend", "1"])
    code, said, _ = adequa("show", out)
    assert code == 0
    assert said.splitlines()[-1].endswith("Alpha was born in Beta.")


def test_json(adequa: Run) -> None:
    code, said, _ = adequa("extract", "items.jsonl", "items.jsonl", "-o", "t.json", "--json", "-q")
    raw = json.loads(said)
    assert code == 0
    assert raw["out"] == "t.json"
    assert raw["found"]["birthPlace"]["support"] == 2
    assert list(raw["missing"]) == ["friend"]
    raw = json.loads(adequa("check", "t.json", "items.jsonl", "--json", "-q")[1])
    assert (raw["templates"], raw["facts"], raw["said"]) == (1, 3, 2)
    assert (raw["problems"], raw["missing"], raw["unused"]) == ([], {"friend": 1}, [])
    assert json.loads(adequa("list-missing", "t.json", "items.jsonl", "--json", "-q")[1]) == {
        "friend": 1
    }
    (row,) = json.loads(adequa("show", "t.json", "--json")[1])
    assert row["example"] == "Alpha was born in Beta."


def test_an_existing_file_is_not_replaced_unless_asked(adequa: Run, tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text("mine", encoding="utf-8")
    code, said, complaint = adequa("extract", "items.jsonl", "--out", "t.json")
    assert (code, said) == (2, "")
    assert "t.json: is there already; name another file, or give --force" in complaint
    assert adequa("extract", "items.jsonl", "--out", "t.json", "--force", "-q")[0] == 0
    assert "birthPlace" in (tmp_path / "t.json").read_text(encoding="utf-8")


def test_an_empty_extraction_is_reported_and_not_written(adequa: Run, tmp_path: Path) -> None:
    item = {"id": "1", "triples": [["a", "p", "b"]], "text": "x"}
    (tmp_path / "poor.jsonl").write_text(json.dumps(item), encoding="utf-8")
    code, said, _ = adequa("extract", "poor.jsonl", "--out", "t.json", "-q")
    assert code == 0
    assert said.startswith(
        "0 of 1 predicates have a template; nothing was written\nwithout a template: 1"
    )
    assert not (tmp_path / "t.json").exists()


def test_check_fails_where_a_template_reads_badly(adequa: Run, tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text('{"p": "<subject> is in in <object>."}', encoding="utf-8")
    code, said, _ = adequa("check", "t.json")
    assert code == 1
    assert "says 'in' twice" in said
    code, said, _ = adequa("check", "t.json", "--json")
    assert (code, json.loads(said)["problems"][0]["predicate"]) == (1, "p")


def test_the_shipped_templates(adequa: Run) -> None:
    assert adequa("check", "e2e")[0] == 0
    assert "Alpha is not family friendly and not for children." in adequa("show", "e2e")[1]
    code, _, complaint = adequa("list-missing", "e3e", "items.jsonl")
    assert (code, "did you mean 'e2e'" in complaint) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["extract", "absent.jsonl", "--out", "t.json"], "absent.jsonl: does not exist"),
        (["extract", "items.jsonl", "--out", "t.docx"], "unknown file ending '.docx'"),
        (["extract", "items.jsonl", "--format", "xml", "--out", "t.json"], "unknown format"),
        (["check", "items.jsonl"], "is not a format of templates"),
        (["show", "absent.tsv"], "absent.tsv: cannot be opened"),
        (["list-missing", "e2e"], "INPUT"),
    ],
)
def test_wrong_use(adequa: Run, arguments: list[str], message: str) -> None:
    code, said, complaint = adequa(*arguments)
    assert (code, said) == (2, "")
    assert message in complaint
    assert "Traceback" not in complaint


@pytest.mark.parametrize("command", ["extract", "check", "list-missing", "show"])
def test_help_has_an_example(adequa: Run, command: str) -> None:
    code, said, _ = adequa(command, "--help")
    assert code == 0
    assert f"Example: adequa templates {command} " in " ".join(said.split())
