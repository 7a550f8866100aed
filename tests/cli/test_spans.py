"""`adequa spans` end to end."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from adequa.readers import open_source
from adequa.run import score_run
from tests.conftest import Words

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold.jsonl"
    rows = [
        {
            "id": f"Id{number // 2}",
            "system": "AB"[number % 2],
            "annotator": person,
            "spans": [{"start": 0, "end": 1}] if number % 3 else [],
        }
        for number in range(1, 10)
        for person in ("ann", "bob")
    ]
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
    return path


def test_a_run_against_people(
    command: Command, gold: Path, items_file: Callable[[int], Path], tmp_path: Path
) -> None:
    run = tmp_path / "run"
    score_run(open_source(items_file(10)), {"words": Words()}, run)
    code, out, _ = command("spans", str(run), "--gold", str(gold), "--n", "20")
    assert code == 0
    assert out.startswith("Items: is anything wrong?")
    assert "one person" in out
    code, out, _ = command(
        *("spans", str(run), "--gold", str(gold), "--n", "20", "--json"),
        *("--kinds", "omission", "--kinds", "hallucination"),
    )
    assert code == 0
    ours = json.loads(out)["detectors"]["run"]
    assert ours["auc"]["value"] is not None
    for score in ("words", "confidence"):
        assert command("spans", str(run), "--gold", str(gold), "--n", "9", "--score", score)[0] == 0
    code, _, err = command("spans", str(run), "--gold", str(gold), "--score", "bleu")
    assert code == 2
    assert "unknown score 'bleu'" in err
    assert ours["pairs"] == 18
    assert ours["flagged"]["value"] > 0
    assert ours["spans"]["detector"] == 0


def test_errors_and_tables(command: Command, gold: Path, tmp_path: Path) -> None:
    errors = tmp_path / "errors.jsonl"
    code, out, err = command(
        *("spans", str(gold), "--gold", str(gold), "--n", "20", "--table", "markdown"),
        *("--errors", str(errors), "--no-baselines", "--by", "system"),
    )
    assert code == 0
    assert out.startswith("**Items: is anything wrong?**")
    assert "everything marked" not in out
    assert "gold: ann" in out
    assert f"written to {errors}" in err
    first = json.loads(errors.read_text(encoding="utf-8").splitlines()[0])
    assert first["outcome"] == "right"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "name their file with --gold"),
        (("--gold", "absent.jsonl"), "does not exist"),
        (("--gold", "GOLD", "--gold-format", "xml"), "unknown format of spans"),
        (("--gold", "GOLD", "--table", "xml"), "unknown table"),
        (("nowhere", "--gold", "GOLD"), "does not exist"),
    ],
)
def test_wrong_use(command: Command, gold: Path, arguments: tuple[str, ...], message: str) -> None:
    given = [str(gold) if one == "GOLD" else one for one in arguments]
    code, _, err = command("spans", *given)
    assert code == 2
    assert message in err
