"""`adequa human quality` end to end."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

import pytest

from adequa.cli import main


class Done(NamedTuple):
    code: int
    out: str
    err: str


Call = Callable[..., Done]


@pytest.fixture
def quality(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    def call(*arguments: str | Path) -> Done:
        words = ["adequa", "human", "quality", *map(str, arguments)]
        monkeypatch.setattr(sys, "argv", words)
        with pytest.raises(SystemExit) as ended:
            main()
        code = ended.value.code
        return Done(code if isinstance(code, int) else 0, *capsys.readouterr())

    return call


def rows(*, control: bool = False) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    for text in range(15):
        for rater in ("ann", "bob", "cy", "spam"):
            value = 3 if rater == "spam" else text % 3 + 1
            row: dict[str, object] = {
                "id": f"Id{text}",
                "system": "A",
                "rater": rater,
                "criterion": "fluency",
                "value": value,
                "seconds": 9,
            }
            if control and text < 4:
                row["meta"] = {"control": text % 3 + 1}
            found.append(row)
    return found


def write(path: Path, objects: Iterable[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in objects), encoding="utf-8")
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write(tmp_path / "ratings.jsonl", rows())


def test_the_report(quality: Call, file: Path) -> None:
    done = quality(file)
    assert done.code == 0
    assert done.out.startswith("60 ratings of 15 texts by 4 raters")
    assert f"adequa human quality {file} --exclude spam" in done.out
    assert "60 ratings read" in done.err
    assert quality(file, "--quiet").err == ""


def test_the_command_it_ends_with_works(quality: Call, file: Path, tmp_path: Path) -> None:
    assert "Without 1 rater" in quality(file, "--exclude", "spam").out
    done = quality(file, "--out", tmp_path / "out", "-q")
    assert "flagged.txt" in done.err
    again = quality(file, "--exclude", f"@{tmp_path / 'out' / 'flagged.txt'}", "--json")
    assert json.loads(again.out)["excluded"] == ["spam"]


def test_a_campaigns_folder_with_its_own_controls(quality: Call, tmp_path: Path) -> None:
    write(tmp_path / "ratings.jsonl", rows(control=True))
    (tmp_path / "campaign.json").write_text("{}")
    found = json.loads(quality(tmp_path, "--json").out)
    assert found["raters"]["spam"]["controls"] == {"answers": 4, "right": 1, "accuracy": 0.25}
    assert found["raters"]["ann"]["controls"]["accuracy"] == 1


def test_controls_of_a_file(quality: Call, file: Path, tmp_path: Path) -> None:
    known = [{**row, "rater": ""} for row in rows()[::4][:3]]
    done = quality(file, "--controls", write(tmp_path / "known.jsonl", known))
    assert "controls" in done.out
    assert "3/3" in done.out
    other = write(tmp_path / "other.jsonl", [{**known[0], "id": "elsewhere"}])
    done = quality(file, "--controls", other)
    assert done.code == 2
    assert "no control item is among the rated texts" in done.err


def test_details_with_texts(quality: Call, file: Path, tmp_path: Path) -> None:
    items = write(
        tmp_path / "items.jsonl",
        [{"id": "Id0", "system": "A", "triples": [["a", "b", "c"]], "text": "Its own text."}],
    )
    done = quality(file, "--details", "spam", "--items", items)
    assert done.out.startswith("Rater spam: always 3")
    assert "Its own text." in done.out
    assert quality(file, "--details", "spamm").code == 2


def test_forms(quality: Call, file: Path) -> None:
    assert quality(file, "--table", "csv").out.startswith("rater,texts,pattern")
    assert json.loads(quality(file, "--table", "json").out)["settings"]["bins"] == 5
    assert quality(file, "--table", "html").code == 2


def test_the_same_seed_gives_the_same_bytes(quality: Call, file: Path, tmp_path: Path) -> None:
    turned = write(tmp_path / "turned.jsonl", reversed(rows()))
    first = quality(file, "--json", "--seed", "3").out
    assert first == quality(turned, "--json", "--seed", "3").out


def row(**changed: object) -> dict[str, object]:
    return {**rows()[0], **changed}


@pytest.mark.parametrize(
    ("objects", "said"),
    [
        ([], "holds no ratings"),
        ([row(rater="")], "names its rater"),
        ([row(value=float("nan"))], "wrong.jsonl:1:"),
        ([row(value="high")], "wrong.jsonl:1: 'value' is a string"),
        ([row(), row(value=3)], "twice and differently"),
        ([row(seconds=-2)], "took -2 seconds"),
        ([row(value=1e300)], "too large for a rating"),
    ],
)
def test_wrong_input_is_reported(
    quality: Call, tmp_path: Path, objects: list[dict[str, object]], said: str
) -> None:
    done = quality(write(tmp_path / "wrong.jsonl", objects))
    assert done.code == 2
    assert "Traceback" not in done.err
    assert said in done.err
    assert done.out == ""


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--exclude", "nobody"], "unknown rater 'nobody'"),
        (["--exclude", "@absent.txt"], "absent.txt"),
        (["--criterion", "grammar"], "unknown criterion 'grammar'"),
        (["--method", "gibbs"], "unknown method 'gibbs'"),
        (["--floor", "-1"], "floor"),
        (["--format", "odd"], "unknown format"),
        (["--items", "absent.jsonl"], "absent.jsonl"),
    ],
)
def test_wrong_usage_is_reported(quality: Call, file: Path, options: list[str], said: str) -> None:
    done = quality(file, *options)
    assert done.code == 2
    assert said in done.err
    assert "Traceback" not in done.err


def test_one_rater_and_no_file(quality: Call, tmp_path: Path) -> None:
    alone = write(tmp_path / "alone.jsonl", [one for one in rows() if one["rater"] == "ann"])
    done = quality(alone)
    assert done.code == 0
    assert "no text has two answers" in done.out
    assert quality(tmp_path / "absent.jsonl").code == 2
    assert quality(tmp_path / "absent.jsonl").err.count("\n") == 1


@pytest.mark.data
def test_the_campaign_of_2017(quality: Call, data_dir: Path) -> None:
    path = data_dir / "webnlg2017" / "human" / "all_data_final_scores_anonymised.csv"
    done = quality(path, "--restarts", "1", "--quiet")
    assert done.code == 0
    assert done.out.startswith("17,751 ratings of 2,037 texts by 253 raters")
    assert "579 ratings without a rater" in done.out
    assert max(map(len, done.out.splitlines()[:-1])) <= 120
