"""`adequa derive` as a user meets it."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

ITEMS = [
    {"id": "1", "triples": [["Ida", "birthPlace", "Tarnova"]], "text": "Ida is from Tarnova."},
    {"id": "2", "triples": [["Ida", "spouse", "Otto"]], "text": "Ida is married to Otto."},
    {"id": "3", "triples": [["Ida", "shoeSize", "39"]], "text": "Her shoes are size 39."},
]
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def adequa(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Run) -> Run:
    monkeypatch.chdir(tmp_path)
    content = "\n".join(json.dumps(item) for item in ITEMS)
    Path("items.jsonl").write_text(content, encoding="utf-8")
    return partial(command, "derive")


def written(name: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in Path(name).read_text(encoding="utf-8").splitlines()]


def test_inverted(adequa: Run) -> None:
    code, out, err = adequa("inverted", "items.jsonl", "--out", "out.jsonl")
    assert (code, err) == (0, "")
    assert out == "2 of 3 texts: out.jsonl\nleft out: 1 (symmetric predicate)\n"
    assert [(row["id"], row["triples"]) for row in written("out.jsonl")] == [
        ("1", [["Ida", "birthPlace", "Tarnova"]]),
        ("1/inverted", [["Tarnova", "birthPlace", "Ida"]]),
        ("3", [["Ida", "shoeSize", "39"]]),
        ("3/inverted", [["39", "shoeSize", "Ida"]]),
    ]


def test_wikidata_with_the_shipped_mapping(adequa: Run) -> None:
    code, out, _ = adequa("wikidata", "items.jsonl", "--out", "out.jsonl", "--json")
    assert code == 0
    assert json.loads(out) == {"out": "out.jsonl", "kept": 2, "left_out": {"shoeSize": 1}}
    assert [row["triples"] for row in written("out.jsonl")] == [
        [["Ida", "place of birth", "Tarnova"]],
        [["Ida", "spouse", "Otto"]],
    ]


def test_wikidata_with_ones_own(adequa: Run) -> None:
    Path("own.json").write_text('{"shoeSize": "size"}', encoding="utf-8")
    arguments = ("wikidata", "items.jsonl", "--mapping", "own.json", "--out", "out.jsonl")
    code, out, _ = adequa(*arguments)
    assert code == 0
    assert out.splitlines()[0] == "1 of 3 texts: out.jsonl"
    Path("own.json").write_text("[]", encoding="utf-8")
    code, out, err = adequa(*arguments)
    assert (code, out) == (2, "")
    assert err == 'adequa: own.json: is not an object; {"birthPlace": "place of birth"}\n'


def test_chunks(adequa: Run) -> None:
    page = "id\ttext\ttitle\n7\tIda was born in Tarnova . She left .\tIda\n"
    Path("pages.tsv").write_text(page, encoding="utf-8")
    Path("aliases.tsv").write_text("Tarnova\tTarn\n", encoding="utf-8")
    Path("facts.tsv").write_text("Ida\tplace of birth\tTarnova\n", encoding="utf-8")
    code, out, _ = adequa(
        *("chunks", "pages.tsv", "--triples", "facts.tsv", "--aliases", "aliases.tsv"),
        *("--words", "6", "--out", "out.jsonl"),
    )
    assert code == 0
    assert out == "1 of 2 passages: out.jsonl\nleft out: 1 (no object mentioned)\n"
    assert written("out.jsonl") == [
        {
            "id": "7/1",
            "triples": [["Ida", "place of birth", "Tarnova"]],
            "text": "Ida was born in Tarnova .",
            "meta": {"title": "Ida"},
        }
    ]


def test_statistics(adequa: Run) -> None:
    code, out, _ = adequa("statistics", "items.jsonl", "--json")
    assert code == 0
    assert json.loads(out) == {
        "pairs": 3,
        "texts": 3,
        "graphs": 3,
        "properties": 3,
        "entities": 4,
    }
    code, out, _ = adequa("statistics", "items.jsonl")
    heading, _, counts = out.splitlines()
    assert heading.split() == ["pairs", "texts", "graphs", "properties", "entities"]
    assert counts.split() == [*"33334"]


def test_many_reasons_are_summed(adequa: Run) -> None:
    rows = [{"id": str(n), "triples": [["a", f"odd{n}", "b"]], "text": ""} for n in range(14)]
    rows.append({"id": "x", "triples": [["a", "spouse", "b"]], "text": ""})
    Path("many.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    _, out, _ = adequa("wikidata", "many.jsonl", "--out", "out.jsonl")
    assert out.splitlines()[-1] == "left out: 4 (4 other reasons)"


def test_a_wrong_input_leaves_no_file(adequa: Run) -> None:
    code, out, err = adequa("inverted", "absent.jsonl", "--out", "out.jsonl")
    assert (code, out) == (2, "")
    assert "does not exist" in err
    assert not Path("out.jsonl").exists()
