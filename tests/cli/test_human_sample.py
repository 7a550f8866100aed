"""`adequa human sample` end to end."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from adequa.cli import main
from adequa.human.campaign.settings import is_campaign, read_campaign
from adequa.metrics import resolve
from adequa.readers import open_source
from adequa.run import score_run


class Done(NamedTuple):
    code: int
    out: str
    err: str


Draw = Callable[..., Done]

CATEGORIES = ("Pier", "Ship")


def objects(systems: str = "AB") -> list[dict[str, Any]]:
    """Six inputs of each category and size but one, which has two; B is silent once."""
    found = []
    for number in range(24):
        category, size = CATEGORIES[number % 2], 1 + number // 2 % 2
        if (category, size) == ("Ship", 2) and number > 10:
            continue
        words = " ".join(["word"] * (number % 7 + 1))
        found += [
            {
                "id": f"Id{number}",
                "system": system,
                "category": category,
                "triples": [["Alba", f"port{place}", "Oban"] for place in range(size)],
                "text": "" if (system, number) == ("B", 3) else f"{words} {system} {number}",
                "references": [f"word word {number}", "another"],
                "meta": {"shape": "chain" if number % 4 else "star"},
            }
            for system in systems
        ]
    return found


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sample")
    source = open_source(write(folder / "items.jsonl", objects()))
    return score_run(source, resolve(["chrf", "bleu"]), folder / "run").path


@pytest.fixture
def draw(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Draw:
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str | Path) -> Done:
        monkeypatch.setattr(sys, "argv", ["adequa", "human", "sample", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        code = ended.value.code
        return Done(code if isinstance(code, int) else 0, *capsys.readouterr())

    return call


def test_from_a_run_to_a_campaign(draw: Draw, run: Path, tmp_path: Path) -> None:
    done = draw(run, "--out", "may one", "--per-cell", "2", "--limit", "10", "--seed", "3")
    assert (done.code, done.err) == (0, "")
    for said in (
        "category  size 1  size 2",
        "Pier      6/6     6/6",
        "Ship      6/6     2/6*",
        "* category Ship, size 2: 6 wanted, 2 inputs available",
        "equal parts of a cell by chrf",
        "20 inputs × 2 systems = 40 texts (seed 3)",
        "1 triple       12     24     24         72                  8",
        "2 triples       8     16     15         45                  5",
        "117 judgments, by at least 8 raters who work on every task, or 13 who work on one each.",
        "not shown and get the lowest score: B 1.",
        "written to may one: campaign.json, items.jsonl, sample.jsonl",
        "next: adequa human serve 'may one'",
    ):
        assert said in done.out
    campaign, texts = read_campaign(tmp_path / "may one")
    assert (campaign.name, campaign.title, campaign.seed) == ("may-one", "may-one", 3)
    assert (campaign.raters_per_text, campaign.texts_per_rater) == (3, 10)
    assert [question.name for question in campaign.questions] == ["semantics", "grammar", "fluency"]
    assert Counter(text.task for text in texts) == {"1 triple": 24, "2 triples": 16}
    assert Counter(text.item.system for text in texts) == {"A": 20, "B": 20}
    assert {tuple(text.cell) for text in texts} == {("category", "size", "score")}


def test_json_has_all_of_it(draw: Draw, run: Path) -> None:
    done = draw(run, "--dry-run", "--json", "--score", "bleu", "--references", "--max", "10")
    said = json.loads(done.out)
    assert (said["campaign"], said["score"], said["levels"]) == (
        None,
        "bleu",
        ["low", "medium", "high"],
    )
    assert said["systems"] == ["A", "B", "reference"]
    assert (said["inputs"], said["texts"]) == (10, 30)
    assert said["left_out"]["over_max"] == 1
    assert [one["cell"] for one in said["unfilled"]] == [{"category": "Ship", "size": "2"}]
    assert len(said["sample"]) == 10
    assert sum(task["judgments"] for task in said["tasks"]) == said["judgments"]
    assert said["raters"]["one_task"] >= said["raters"]["every_task"] >= 3


def test_the_same_command_writes_the_same_bytes(draw: Draw, run: Path, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in (run / "scores.jsonl").read_text().splitlines()]
    scores = write(
        tmp_path / "s.jsonl",
        [{"id": row["id"], "system": row["system"], "mine": row["scores"]["chrf"]} for row in rows],
    )
    backwards = write(tmp_path / "items.jsonl", objects()[::-1])
    assert draw(run, "--score", "chrf", "--out", "one", "--name", "x").code == 0
    assert draw(backwards, "--scores", scores, "--score", "mine", "--out", "two").code == 0
    for name in ("items.jsonl", "sample.jsonl"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_a_file_of_items_without_scores_and_other_fields(draw: Draw, tmp_path: Path) -> None:
    items = write(tmp_path / "items.jsonl", objects("A"))
    done = draw(items, "--levels", "1", "--by", "meta.shape", "--tasks", "none", "--out", "c")
    assert done.code == 0
    assert "meta.shape  available  drawn\n" in done.out
    assert "chain              14  1/1" in done.out
    assert "by at least 3 raters.\n" in done.out
    _, texts = read_campaign(tmp_path / "c")
    assert {text.task for text in texts} == {"all"}
    everything = draw(items, "--levels", "1", "--by", "none", "--per-cell", "5", "--dry-run")
    assert "5 inputs × 1 system = 5 texts" in everything.out
    assert "nothing was written (--dry-run)" in everything.out


def test_a_system_without_a_name_gets_that_of_its_file(draw: Draw, tmp_path: Path) -> None:
    rows = [{**row, "system": ""} for row in objects("A")]
    first, second = write(tmp_path / "T5.jsonl", rows), write(tmp_path / "GPT.jsonl", rows)
    said = json.loads(draw(first, second, "--levels", "1", "--dry-run", "--json").out)
    assert said["systems"] == ["GPT", "T5"]


def test_conditions_and_systems_narrow_the_sample(draw: Draw, run: Path) -> None:
    conditions = ("--where", "size=1..1", "--where", "category=Ship", "--where", "category=Pier")
    done = draw(run, *conditions, "--systems", "B", "--dry-run", "--json")
    said = json.loads(done.out)
    assert said["systems"] == ["B"]
    assert [one["cell"]["size"] for one in said["cells"]] == ["1", "1"]


def test_questions_eligibility_and_instructions(draw: Draw, run: Path, tmp_path: Path) -> None:
    asked = [{"name": "beauty", "text": "How beautiful?", "kind": "slider", "low": 1, "high": 7}]
    write(tmp_path / "asked.json", [{"questions": asked}])
    once = {"name": "english", "text": "English?", "options": ["yes", "no"], "accepted": ["yes"]}
    (tmp_path / "who.json").write_text(json.dumps([once]), encoding="utf-8")
    (tmp_path / "how.txt").write_text("Read.\n\nJudge.\n", encoding="utf-8")
    done = draw(
        *(run, "--out", "c", "--questions", "asked.json", "--spans", "--title", "Which is best?"),
        *("--name", "best", "--instructions", "how.txt", "--eligibility", "who.json"),
        *("--raters", "5", "--return-after", "60"),
    )
    assert done.code == 0
    campaign, _ = read_campaign(tmp_path / "c")
    assert [question.name for question in campaign.questions] == ["beauty", "errors"]
    assert (campaign.name, campaign.title) == ("best", "Which is best?")
    assert campaign.instructions == "Read.\n\nJudge."
    assert campaign.eligibility[0].accepted == ("yes",)
    assert (campaign.raters_per_text, campaign.return_after) == (5, 60)


def control(one: str, system: str = "A", value: float = 3, criterion: str = "semantics") -> Any:
    return {"id": one, "system": system, "rater": "", "criterion": criterion, "value": value}


def test_controls_join_with_their_answers(draw: Draw, run: Path, tmp_path: Path) -> None:
    drawn = json.loads(draw(run, "--dry-run", "--json").out)["sample"]
    inside = drawn[0]["id"]
    outside = next(row["id"] for row in objects() if row["id"] not in {one["id"] for one in drawn})
    known = write(tmp_path / "known.jsonl", [control(inside), control(outside, "B", 1)])
    made = write(tmp_path / "made.jsonl", [{**objects("C")[0], "id": "X1"}])
    with known.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(control("X1", "C", 2)) + "\n")
    systems = ("--systems", "A", "--systems", "B")
    done = draw(run, made, *systems, "--controls", known, "--out", "c")
    assert done.code == 0
    assert "3 control items, 2 of them outside the sample" in done.out
    _, texts = read_campaign(tmp_path / "c")
    controls = {
        text.item.key: (dict(text.control), dict(text.cell)) for text in texts if text.control
    }
    assert controls[("A", inside)] == ({"semantics": 3.0}, drawn[0]["cell"])
    assert controls[("B", outside)] == ({"semantics": 1.0}, {"control": "yes"})
    assert controls[("C", "X1")] == ({"semantics": 2.0}, {"control": "yes"})
    assert len(texts) == 2 * len(drawn) + 2


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (control("Id99"), "'Id99' of 'A' is not among the texts"),
        (control("Id3", "B"), "'Id3' of 'B' is empty and not shown to anybody"),
        (
            control("Id0", value=2.5),
            "'Id0' of 'A' has 2.5 for 'semantics', which is not on the scale",
        ),
        (control("Id0", criterion="beauty"), "'Id0' of 'A' is about 'beauty', which is not asked"),
    ],
)
def test_a_wrong_control_is_named(
    draw: Draw, run: Path, tmp_path: Path, row: dict[str, Any], problem: str
) -> None:
    known = write(tmp_path / "known.jsonl", [row])
    done = draw(run, "--controls", known, "--out", "c")
    assert (done.code, done.out) == (2, "")
    assert f"known.jsonl: the control item {problem}" in done.err
    assert not (tmp_path / "c").exists()


def test_two_right_answers_are_an_error(draw: Draw, run: Path, tmp_path: Path) -> None:
    known = write(tmp_path / "known.jsonl", [control("Id0", value=1), control("Id0", value=2)])
    assert "two right values" in draw(run, "--controls", known, "--dry-run").err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--score", "bleus"], "unknown score 'bleus': did you mean 'bleu'? there are: bleu, chrf"),
        (["--by", "colour"], "unknown field 'colour'"),
        (["--by", "lang,size"], "no input has a lang; leave lang out of --by"),
        (["--where", "size"], "not a condition"),
        (["--where", "size=9"], "no text has size=9; there are 1, 2"),
        (["--where", "size=1", "--where", "meta.shape=tree"], "no text has meta.shape=tree"),
        (["--systems", "C"], "unknown system 'C'"),
        (["--tasks", "colour"], "unknown field 'colour'"),
        (["--questions", "webnlg"], "unknown set of questions 'webnlg'"),
        (["--questions", "none.json"], "none.json: cannot be opened"),
        (["--eligibility", "none.json"], "none.json: cannot be opened"),
        (["--name", "../up"], "has the name '../up'"),
        (["--raters", "0"], "'raters_per_text' is 0"),
        (["--scores", "none.jsonl"], "give --score NAME"),
        (["--scores", "none.jsonl", "--score", "x"], "none.jsonl: cannot be opened"),
        (["no/such/run"], "does not exist"),
        (["--controls", "none.jsonl"], "none.jsonl: cannot be opened"),
    ],
)
def test_wrong_use_is_one_line(
    draw: Draw, run: Path, tmp_path: Path, arguments: list[str], words: str
) -> None:
    done = draw(run, "--out", "c", *arguments)
    assert (done.code, done.out) == (2, "")
    assert words in done.err
    assert done.err.count("\n") == 1
    assert not (tmp_path / "c").exists()


def test_existing_files_are_not_replaced(draw: Draw, run: Path, tmp_path: Path) -> None:
    assert "give --out CAMPAIGN" in draw(run).err
    assert draw(run, "--out", "c").code == 0
    assert is_campaign(tmp_path / "c")
    assert "is already a campaign" in draw(run, "--out", "c").err
    assert "already exists" in draw(run, "--out", run).err
    (tmp_path / "file").write_text("x")
    assert "already exists" in draw(run, "--out", "file").err


def test_missing_scores_and_categories_are_reported_with_a_remedy(
    draw: Draw, tmp_path: Path
) -> None:
    items = write(tmp_path / "items.jsonl", objects())
    assert "--levels 1" in draw(items, "--dry-run").err
    bare = [{name: row[name] for name in row if name != "category"} for row in objects()]
    done = draw(write(tmp_path / "bare.jsonl", bare), "--levels", "1", "--dry-run")
    assert "no input has a category; leave category out of --by" in done.err
    plain = [{name: row[name] for name in row if name != "references"} for row in objects()]
    done = draw(
        write(tmp_path / "plain.jsonl", plain), "--references", "--levels", "1", "--dry-run"
    )
    assert "no text has a reference" in done.err


def test_two_texts_of_one_system_and_id_are_an_error(draw: Draw, run: Path, tmp_path: Path) -> None:
    other = [{**row, "text": "Something else."} for row in objects("A")]
    done = draw(run, write(tmp_path / "other.jsonl", other), "--dry-run")
    assert "differs from the text in" in done.err
    same = draw(run, write(tmp_path / "same.jsonl", objects()), "--dry-run")
    assert same.code == 0
    references = [{**row, "system": "reference"} for row in objects("A")]
    human = write(tmp_path / "human.jsonl", references)
    assert "already called 'reference'" in draw(run, human, "--references", "--dry-run").err


def test_pairs_from_the_sample_to_the_table(tmp_path: Path, command: Any) -> None:
    source = tmp_path / "items.jsonl"
    lines = [
        {
            "id": f"Id{n}",
            "system": system,
            "triples": [["Osterine", "density", "2.31"]],
            "text": f"{system}: osterine {n}.",
        }
        for n in range(4)
        for system in ("b", "a", "c")
    ]
    source.write_text("".join(json.dumps(one) + "\n" for one in lines))
    folder = tmp_path / "campaign"
    plan = ("--by", "none", "--levels", "1", "--per-cell", "4", "--tasks", "none")
    code, _, told = command("human", "sample", str(source), *plan, "--pairs", "--out", str(folder))
    assert code == 0, told
    settings = json.loads((folder / "campaign.json").read_text())
    assert [one["name"] for one in settings["questions"]] == ["preference"]
    drawn = [json.loads(line) for line in (folder / "items.jsonl").read_text().splitlines()]
    assert {one["system"] for one in drawn} == {"a vs b", "a vs c", "b vs c"}
    assert len(drawn) == 12
    one = next(one for one in drawn if one["system"] == "a vs c")
    assert one["text"].startswith("a: ")
    assert one["meta"]["rival"]["text"].startswith("c: ")
    ratings = [
        {
            "id": one["id"],
            "system": one["system"],
            "rater": "r1",
            "criterion": "preference",
            "value": 1,
            "meta": {"pair": one["meta"]["rival"]["systems"]},
        }
        for one in drawn
    ]
    (folder / "ratings.jsonl").write_text("".join(json.dumps(one) + "\n" for one in ratings))
    code, said, told = command("human", "analyse", str(folder), "--quiet")
    assert code == 0, told
    assert "first better" in said
    code, said, _ = command("human", "analyse", str(folder), "--quiet", "--json")
    assert [one["wins"] for one in json.loads(said)["preferences"]] == [4, 4, 4]
    code, _, told = command(
        *("human", "sample", str(source), *plan, "--pairs", "--questions", "webnlg2017"),
        "--dry-run",
    )
    assert (code, "is not about two texts" in told) == (2, True)
    both = ("--pairs", "--spans", "--dry-run")
    code, _, told = command("human", "sample", str(source), *plan, *both)
    assert (code, "keep one" in told) == (2, True)
