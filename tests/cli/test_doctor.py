"""`adequa doctor` end to end."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from adequa.cli import app
from adequa.codec import item_to_object
from adequa.data import Item, Triple
from adequa.errors import DataError, UnknownName
from adequa.files import dump_line

FIRST = Item(
    "Id1",
    (Triple("Vexla", "harbour", "Ostrik"), Triple("Vexla", "mayor", "Runa_Teel")),
    "The harbour of Vexla is Ostrik. Runa Teel is its mayor.",
    system="T5",
    references=("Ostrik is the harbour of Vexla. Its mayor is Runa Teel.",),
)
SECOND = Item(
    "Id2",
    (Triple("Bruma", "mayor", "Sif_Ander"), Triple("Bruma", "population", "4310")),
    "Sif Ander is the mayor of Bruma. It has 4,310 people.",
    system="T5",
    references=("The mayor of Bruma is Sif Ander, and 4,310 people live there.",),
)


def write(path: Path, items: list[Item]) -> Path:
    path.write_text("".join(dump_line(item_to_object(item)) for item in items), encoding="utf-8")
    return path


@pytest.fixture
def towns(tmp_path: Path) -> Path:
    items = [replace(one, id=f"{one.id}-{place}") for place in range(15) for one in (FIRST, SECOND)]
    return write(tmp_path / "towns.jsonl", items)


def doctor(path: Path, *options: str) -> Result:
    return CliRunner().invoke(app, ["doctor", str(path), "-q", *options])


def test_tables_and_words(towns: Path) -> None:
    found = doctor(towns, "-m", "esa", "--examples", "1")
    assert found.exit_code == 0, found.output
    assert "What each metric sees" in found.stdout
    assert re.search(
        r"esa cannot see exchanged names \(0 of 30\), inverted arguments", found.stdout
    )
    assert "esa misses negate in T5: Id" in found.stdout
    assert "{+is not+}" in found.stdout


def test_json_holds_every_cell(towns: Path) -> None:
    options = (
        "-m",
        "esa",
        "-m",
        "chrf",
        "--perturb",
        "negate",
        "--perturb",
        "add-triple",
        "--json",
    )
    found = doctor(towns, *options, "--count", "7", "--max-items", "20", "--examples", "1")
    answer = json.loads(found.stdout)
    assert [(cell["perturbation"], cell["metric"]) for cell in answer["cells"]] == [
        ("add-triple", "esa"),
        ("add-triple", "chrf"),
        ("negate", "esa"),
        ("negate", "chrf"),
    ]
    negated = answer["cells"][3]
    assert negated["falls"]["count"] == negated["cases"] == 7
    assert negated["noticed"]["value"] is None
    assert answer["perturbations"][1]["items"] == 20
    assert answer["metrics"]["esa"].startswith("esa|")
    assert {one["metric"] for one in answer["missed"]} == {"esa", "chrf"}
    assert (
        found.stdout
        == doctor(towns, *options, "--count", "7", "--max-items", "20", "--examples", "1").stdout
    )


@pytest.mark.parametrize("form", ["markdown", "latex", "csv"])
def test_other_tables_into_a_file(towns: Path, tmp_path: Path, form: str) -> None:
    out = tmp_path / "doctor.txt"
    options = ("-m", "esa", "--perturb", "change-number", "--count", "3", "--table", form)
    found = doctor(towns, *options, "--out", str(out))
    assert found.exit_code == 0
    assert found.stdout == ""
    assert "change-number" in out.read_text(encoding="utf-8")


def test_pictures(towns: Path, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "pictures"
    found = doctor(towns, "-m", "esa", "--perturb", "negate", "--pictures", str(folder))
    assert found.exit_code == 0
    assert (folder / "noticed.svg").read_text(encoding="utf-8").startswith("<svg")
    assert "3 pictures" in found.stderr


def test_labels_give_a_threshold(towns: Path, tmp_path: Path) -> None:
    labels = tmp_path / "labels.csv"
    rows = [f"Id{one}-{place},T5,ok" for one in (1, 2) for place in range(15)]
    labels.write_text("id,system,label\n" + "\n".join(rows) + "\n")
    options = ("-m", "esa", "--perturb", "negate", "--labels", str(labels))
    found = doctor(towns, *options)
    assert "not enough labels to promise a risk of at most 0.05" in found.stdout
    answer = json.loads(doctor(towns, *options, "--risk", "0.5", "--json").stdout)
    assert answer["thresholds"][0]["recommended"]["threshold"] == 1.0
    assert answer["thresholds"][0]["recommended"]["coverage"]["count"] == 30


def test_texts_of_systems(towns: Path, tmp_path: Path) -> None:
    texts = tmp_path / "texts.txt"
    texts.write_text("Runa Teel is the mayor of Vexla, whose harbour is Ostrik.\n" * 30)
    found = doctor(towns, "--texts", f"new={texts}", "-m", "esa", "--perturb", "negate", "--json")
    answer = json.loads(found.stdout)
    assert answer["perturbations"][0]["allowed"] == 15  # the others' data is of another town


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (("--perturb", "negation"), UnknownName, "did you mean 'negate'"),
        (("--table", "html"), UnknownName, "there are: csv, json"),
        (("-m", "ess"), UnknownName, "did you mean 'esa'"),
        (("--labels", "none.jsonl"), DataError, "none.jsonl"),
        (("--out", "no/folder/x"), DataError, "cannot be written"),
    ],
)
def test_wrong_usage_is_reported_with_a_remedy(
    towns: Path, options: tuple[str, ...], error: type[Exception], message: str
) -> None:
    found = doctor(towns, "-m", "esa", "--perturb", "negate", *options)
    assert isinstance(found.exception, error)
    assert message in str(found.exception)


def test_a_risk_is_a_share(towns: Path) -> None:
    assert doctor(towns, "--risk", "5").exit_code == 2


@pytest.mark.parametrize(
    ("item", "message"),
    [
        (replace(FIRST, text=""), "no item can be changed in any of the ways asked for"),
        (replace(FIRST, text="Nothing."), "the doctor needs texts that name what their data has"),
        (replace(FIRST, triples=()), "one.jsonl:1: 'triples' is empty"),
    ],
    ids=["no text", "nothing said", "no data"],
)
def test_an_input_that_cannot_be_changed_is_an_error(
    tmp_path: Path, item: Item, message: str
) -> None:
    found = doctor(write(tmp_path / "one.jsonl", [item]), "-m", "esa")
    assert isinstance(found.exception, DataError)
    assert message in str(found.exception)


def test_one_item_is_enough(tmp_path: Path) -> None:
    found = doctor(write(tmp_path / "one.jsonl", [FIRST]), "-m", "esa")
    assert found.exit_code == 0, found.output
    assert "too few cases" in found.stdout


def test_records_and_their_coverage(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    rows = [
        {"input": {"hotel": name, "rooms": rooms, "stars": 4}, "output": f"{name}: {rooms} rooms."}
        for name, rooms in (("Seaview", 120), ("Hillside", 45))
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    found = doctor(path, "-m", "esa", "--perturb", "drop-triple", "--perturb", "change-date")
    assert found.exit_code == 0, found.output
    table = found.stdout.partition("What was changed")[0]
    assert "drop-triple" in table
    assert "change-date" not in table  # no item allows it, as the next table says
    assert "It complains of 2 of 2 unchanged texts." in found.stdout  # which say nothing of stars
    found = doctor(path, "-m", "esa", "--perturb", "drop-triple", "--coverage", "selected")
    assert "It complains of 0 of 2 unchanged texts." in found.stdout
