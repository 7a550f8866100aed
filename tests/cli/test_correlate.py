"""`adequa correlate` end to end."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from adequa.cli import main


class Done(NamedTuple):
    code: int
    out: str
    err: str


Correlate = Callable[..., Done]


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    random = np.random.default_rng(0)
    ratings, scores = [], []
    for number in range(10):
        for system in "ABCD":
            quality = float(random.normal())
            name = {"id": f"Id{number}", "system": system}
            scores.append({**name, "good": quality, "noise": float(random.normal())})
            for rater in ("r1", "r2"):
                value = quality + float(random.normal())
                ratings.append({**name, "rater": rater, "criterion": "fluency", "value": value})
    paths = tmp_path / "ratings.jsonl", tmp_path / "scores.jsonl"
    for path, rows in zip(paths, (ratings, scores), strict=True):
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return paths


@pytest.fixture
def correlate(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Correlate:
    def call(*arguments: str | Path) -> Done:
        monkeypatch.setattr(sys, "argv", ["adequa", "correlate", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        code = ended.value.code
        return Done(code if isinstance(code, int) else 0, *capsys.readouterr())

    return call


def test_default_output(correlate: Correlate, files: tuple[Path, Path]) -> None:
    done = correlate("--ratings", files[0], "--scores", files[1], "--n", "50")
    assert done.code == 0
    assert done.out.startswith("Pearson, texts of all systems in one pool (n = 40;")
    assert "one rater" in done.out
    assert "correlating: 2 of 2" in done.err


def test_a_campaigns_folder_stands_for_its_ratings_and_raters_may_be_in_a_file(
    correlate: Correlate, files: tuple[Path, Path], tmp_path: Path
) -> None:
    (tmp_path / "out.txt").write_text("r1\n", encoding="utf-8")
    given = ["--scores", files[1], "--n", "50", "-q", "--json"]
    whole = json.loads(correlate("--ratings", tmp_path, *given).out)
    assert whole == json.loads(correlate("--ratings", files[0], *given).out)
    some = json.loads(
        correlate("--ratings", tmp_path, *given, "--exclude", f"@{tmp_path}/out.txt").out
    )
    assert some["results"][0]["value"] != whole["results"][0]["value"]


def test_json_alone_on_stdout(correlate: Correlate, files: tuple[Path, Path]) -> None:
    asked = ["--level", "system", "--level", "item", "--coefficient", "kendall", "--json", "-q"]
    done = correlate("--ratings", files[0], "--scores", files[1], "--n", "50", *asked)
    assert (done.code, done.err) == (0, "")
    found = json.loads(done.out)
    assert {row["coefficient"] for row in found["results"]} == {"kendall", "acc_eq", "spa"}
    assert found["comparisons"] is None


def test_files_and_pictures(correlate: Correlate, files: tuple[Path, Path], tmp_path: Path) -> None:
    out, pictures = tmp_path / "table.md", tmp_path / "pictures"
    given = ["--ratings", files[0], "--scores", files[1], "--n", "50", "-q"]
    done = correlate(*given, "--table", "markdown", "--out", out, "--pictures", pictures)
    assert (done.code, done.out) == (0, "")
    assert out.read_text(encoding="utf-8").startswith("**Pearson")
    assert [path.name for path in sorted(pictures.iterdir())] == [
        "pearson-text-all.svg",
        "spearman-text-all.svg",
    ]
    assert done.err.count("written to ") == 2
    done = correlate(*given, "--json", "--out", out)
    assert json.loads(out.read_text(encoding="utf-8"))["n"] == 40


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--table", "html"], "unknown table 'html'"),
        (["--png"], "--pictures"),
        (["--level", "texts"], "did you mean 'text'"),
        (["--ceiling", "--exclude", "r1"], "single judgments"),
        (["-m", "best"], "unknown metric 'best'"),
        (["--confidence", "95"], "between 0 and 1"),
        (["--out", "/nowhere/at/all"], "cannot be written"),
        (["--scores", "/nowhere.jsonl"], "nowhere.jsonl"),
        (["--ratings", "/nowhere.jsonl"], "nowhere.jsonl"),
        (["/nowhere"], "is not a folder"),
    ],
)
def test_wrong_use(
    correlate: Correlate, files: tuple[Path, Path], given: list[str], said: str
) -> None:
    done = correlate("--ratings", files[0], "--scores", files[1], "--n", "20", "-q", *given)
    assert done.code == 2
    assert said in done.err
    assert done.err.startswith("adequa: ")
    assert done.out == ""


def test_without_ratings_or_scores(correlate: Correlate, files: tuple[Path, Path]) -> None:
    assert "there are no ratings" in correlate("--scores", files[1]).err
    assert "there are no scores" in correlate("--ratings", files[0]).err
    done = correlate("--ratings", files[1], "--scores", files[1])
    assert (done.code, "holds scores, not ratings" in done.err) == (2, True)


def test_help_has_an_example(correlate: Correlate) -> None:
    assert "Example: adequa correlate" in correlate("--help").out
