"""`adequa human analyse` end to end."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from adequa.cli import main
from adequa.human.campaign.model import Campaign, Question
from adequa.human.campaign.settings import campaign_to_object
from research.papers.human.printed import HUMAN


class Done(NamedTuple):
    code: int
    out: str
    err: str


Analyse = Callable[..., Done]


@pytest.fixture
def analyse(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Analyse:
    def call(*arguments: str | Path) -> Done:
        monkeypatch.setattr(sys, "argv", ["adequa", "human", "analyse", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        code = ended.value.code
        return Done(code if isinstance(code, int) else 0, *capsys.readouterr())

    return call


def rows() -> list[dict[str, Any]]:
    return [
        {
            "id": f"Id{number}",
            "system": system,
            "rater": rater,
            "criterion": criterion,
            "value": value + number % 2,
        }
        for system, value in (("T5", 2), ("LSTM", 0))
        for number in range(8)
        for rater in ("ann", "bob", "eve")
        for criterion in ("fluency", "semantics")
    ]


def write(path: Path, objects: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(one) + "\n" for one in objects), encoding="utf-8")
    return path


@pytest.fixture
def ratings(tmp_path: Path) -> Path:
    return write(tmp_path / "ratings.jsonl", rows())


@pytest.fixture
def items(tmp_path: Path) -> Path:
    objects = [
        {
            "id": f"Id{number}",
            "system": system,
            "category": "City" if number % 2 else "Food",
            "triples": [["Bex", "country", "Vaudland"]] * (1 + number % 3),
            "text": "Bex is in Vaudland.",
        }
        for system in ("T5", "LSTM")
        for number in range(9)
    ]
    objects[-1]["text"] = ""
    return write(tmp_path / "items.jsonl", objects)


def test_default_output(analyse: Analyse, ratings: Path) -> None:
    done = analyse(ratings)
    assert done.code == 0
    assert done.out.startswith("fluency\nsystem")
    assert "rank-sum test" in done.out
    assert "analysing: 1 of 1" in done.err


def test_options_reach_the_analysis(analyse: Analyse, ratings: Path, items: Path) -> None:
    done = analyse(
        *(ratings, "--items", items, "--by", "category", "--by", "size", "--criterion", "fluency"),
        *("--test", "signed-rank", "--correction", "holm", "--alpha", "0.1", "--n", "30"),
        *("--seed", "7", "--exclude", "eve", "--json", "-q"),
    )
    assert done.err == ""
    said = json.loads(done.out)
    assert said["settings"] == {
        "test": "signed-rank",
        "data": "averaged",
        "correction": "holm",
        "alpha": 0.1,
        "z": False,
        "n": 30,
        "seed": 7,
        "lower_is_better": [],
    }
    assert said["excluded"] == ["eve"]
    assert list(said["means"]) == ["fluency"]
    assert list(said["by"]["category"]) == ["City", "Food"]
    assert list(said["by"]["size"]) == ["1", "2", "3"]
    assert said["counts"]["fluency"]["T5"]["judgments"] == 16


def test_a_campaign_brings_its_items(analyse: Analyse, tmp_path: Path, items: Path) -> None:
    folder = tmp_path / "campaign"
    write(folder / "ratings.jsonl", rows())
    marks = Question("fluency", "Mark what is not fluent.", "spans", labels=("halting",))
    settings = campaign_to_object(Campaign("towns", "Towns", (marks,)))
    (folder / "campaign.json").write_text(json.dumps(settings))
    (folder / "items.jsonl").write_bytes(items.read_bytes())
    said = json.loads(analyse(folder, "--by", "category", "--json", "-q").out)
    assert set(said["by"]["category"]) == {"City", "Food"}
    assert said["settings"]["lower_is_better"] == ["fluency"], "marks are of errors"
    means = [*said["means"]["fluency"].values()]
    assert means == sorted(means)


def test_empty_texts_are_filled(analyse: Analyse, ratings: Path, items: Path) -> None:
    more = {"id": "Id8", "system": "T5", "rater": "ann", "criterion": "fluency", "value": 3}
    write(ratings, [*rows(), more])
    done = analyse(ratings, "--items", items, "--lowest", "0", "--json", "-q")
    said = json.loads(done.out)
    assert said["counts"]["fluency"]["LSTM"] == {"texts": 9, "judgments": 24, "not_shown": 1}


def test_raters_of_a_file_are_left_out(analyse: Analyse, ratings: Path, tmp_path: Path) -> None:
    (tmp_path / "raters.txt").write_text("eve\nbob\n")
    done = analyse(ratings, "--exclude", f"@{tmp_path / 'raters.txt'}", "--json", "-q")
    assert json.loads(done.out)["excluded"] == ["bob", "eve"]


def test_pictures(analyse: Analyse, ratings: Path, items: Path, tmp_path: Path) -> None:
    done = analyse(ratings, "--items", items, "--pictures", tmp_path / "new" / "pictures")
    assert done.code == 0
    names = {path.name for path in (tmp_path / "new" / "pictures").iterdir()}
    assert {"fluency-by-size.svg", "semantics-by-size.svg"} <= names
    assert ": 2 pictures" in done.err
    assert "fluency by size" in done.out


@pytest.mark.parametrize(
    ("form", "beginning"),
    [("markdown", "**fluency**"), ("latex", r"\begin{table}"), ("csv", "by,value,criterion")],
)
def test_formats(analyse: Analyse, ratings: Path, form: str, beginning: str) -> None:
    assert analyse(ratings, "--table", form).out.startswith(beginning)


def test_out_writes_a_file(analyse: Analyse, ratings: Path, tmp_path: Path) -> None:
    done = analyse(ratings, "--out", tmp_path / "table.txt", "-q")
    assert (done.out, done.err) == ("", "")
    assert (tmp_path / "table.txt").read_text(encoding="utf-8").startswith("fluency\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--table", "html"], "unknown format 'html'"),
        (["--criterion", "fluencey"], "did you mean 'fluency'?"),
        (["--exclude", "mallory"], "unknown rater 'mallory'"),
        (["--by", "category"], "with --items also category"),
        (["--test", "t"], "unknown test 't'"),
        (["--data", "mean"], "unknown kind of data"),
        (["--correction", "tukey"], "unknown correction"),
        (["--alpha", "5"], "alpha must lie between 0 and 1"),
        (["--lowest", "1"], "which show which are empty"),
        (["--items", "nowhere.jsonl"], "nowhere.jsonl"),
        (["--out", "no/such/folder/file"], "cannot be written"),
        (["--test", "signed-rank", "--data", "single"], "use --data averaged"),
    ],
)
def test_wrong_use_is_one_line(
    analyse: Analyse, ratings: Path, arguments: list[str], words: str
) -> None:
    done = analyse(ratings, *arguments, "-q")
    assert done.code == 2
    assert words in done.err
    assert len(done.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"value": float("nan")}, "NaN is not"),
        ({"value": "good"}, "not a finite number"),
        ({"id": ""}, "'id' is empty"),
        ({"rater": ""}, "names no rater"),
    ],
)
def test_wrong_ratings_are_refused(
    analyse: Analyse, tmp_path: Path, row: dict[str, Any], words: str
) -> None:
    made = rows()
    made[3].update(row)
    done = analyse(write(tmp_path / "wrong.jsonl", made), "-q")
    assert done.code == 2
    assert words in done.err


def test_missing_files_and_folders_are_reported(analyse: Analyse, tmp_path: Path) -> None:
    assert "nowhere.jsonl" in analyse(tmp_path / "nowhere.jsonl").err
    done = analyse(tmp_path)
    assert done.code == 2
    assert "ratings.jsonl" in done.err


def test_the_same_file_twice_is_refused(analyse: Analyse, ratings: Path) -> None:
    done = analyse(ratings, ratings, "-q")
    assert done.code == 2
    assert "give each file once" in done.err


@pytest.mark.data
def test_tables_2_and_3_of_paper_004(analyse: Analyse, data_dir: Path) -> None:
    file = data_dir / "webnlg2017" / "human" / "all_data_final_averaged.csv"
    said = json.loads(analyse(file, "--by", "type", "--json", "-q", "--n", "50").out)
    for (criterion, part), systems in HUMAN.items():
        found = said if part is None else said["by"]["type"][part]
        for system, row in systems.items():
            assert round(found["means"][criterion][system], 2) == pytest.approx(row.mean)
