"""The claims of docs/results.md: every figure has one, and a stale one is noticed."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from bench.claims import (
    PAGE,
    ROOT,
    Claim,
    ClaimError,
    Comparison,
    agrees,
    check_claims,
    figure_lines,
    main,
    numbers_in,
    read_claims,
    renewed,
    require_written,
    run_command,
    update,
    value_at,
)

ROWS = """# Results

A mean of .5 stands in
the text.

| figure | target | ours | command |
| --- | --- | --- | --- |
| Recall, exact | at least .9 | .912 / .913 | `adequa mentions` |
| Speed | 3× | 2.5× | `python -m bench x` |

| other | table |
| --- | --- |
| Recall of others | .1 |
"""
FOUND = {
    "exact": {"precision": 0.9118, "recall": 0.9131},
    "rows": [
        {"system": "a", "year": 2017, "wrong": 1},
        {"system": "b, c", "year": 2017, "wrong": "1,002"},
        {"system": "a", "year": 2020, "wrong": None},
    ],
}


def claim(**values: object) -> Claim:
    standard: dict[str, object] = {
        "figure": "Recall",
        "written": ".912 / .913",
        "command": "adequa x",
        "where": ("exact/precision", "exact/recall"),
        "tolerance": None,
        "skip": "",
    }
    return Claim(**{**standard, **values})  # type: ignore[arg-type]


def test_every_figure_of_the_page_has_a_claim_that_fits_it() -> None:
    page, claims = PAGE.read_text(encoding="utf-8"), read_claims()
    for one in claims:
        require_written(one, page)
        begins = ("adequa ", "python -m bench ", "python -m research.", "pytest ")
        tests = one.command.startswith("pytest ") and not one.where
        assert bool(one.skip) or tests or len(one.numbers) == len(one.where), one.figure
        assert bool(one.skip) or one.command.startswith(begins), one.figure
        assert one.skip != "speed" or not one.command or one.tolerance, one.figure
    without = [
        line
        for line in figure_lines(page)
        if not any(line.startswith(f"| {one.figure}") for one in claims)
    ]
    assert without == [], "add a line to bench/claims.tsv, or the reason why there is none"


def test_the_files_of_the_commands_exist() -> None:
    parts = {part for one in read_claims() for part in one.command.split()}
    files = [part for part in parts if part.startswith(("tests/", "docs/"))]
    assert files
    assert [one for one in files if not (ROOT / one).exists()] == []


def test_places() -> None:
    assert value_at(FOUND, "exact/recall") == 0.9131
    assert value_at(FOUND, "exact/recall *100") == pytest.approx(91.31)
    assert value_at(FOUND, "rows[system=b, c]/wrong") == 1002
    assert value_at(FOUND, "rows[system=a][year=2017]/wrong") == 1
    assert value_at(FOUND, "rows[system~c]/year + exact/recall") == 2017.9131
    assert value_at(FOUND, "sum rows[year=2017]/wrong") == 1003
    assert value_at(FOUND, "sum rows[year=2017]/wrong /2") == 501.5
    assert value_at([{"figure": "x: y", "value": 2}], "[figure=x: y]/value") == 2
    for where in (
        "exact/f1",
        "rows[year=2017]/wrong",
        "rows[system=z]/wrong",
        "sum rows[year=1]/x",
    ):
        with pytest.raises(ClaimError, match="values at"):
            value_at(FOUND, where)
    with pytest.raises(ClaimError, match="is not a number"):
        value_at(FOUND, "rows[year=2020]/wrong")


def test_numbers_agree_within_half_of_their_last_digit() -> None:
    assert numbers_in("**13,229** and .5 %, 2 of −6.10") == ["13,229", ".5", "2", "−6.10"]
    assert agrees("13,229", 13229, None)
    assert agrees("−6.10", -6.104, None)
    assert not agrees("−6.10", -6.106, None)
    assert agrees("2.0", 2.4, 0.5)


def test_the_page_must_say_it() -> None:
    require_written(claim(), ROWS)
    require_written(claim(figure="text: mean", written=".5 stands in the text"), ROWS)
    with pytest.raises(ClaimError, match=r"does not say '\.92'"):
        require_written(claim(written=".92"), ROWS)
    with pytest.raises(ClaimError, match="does not say"):
        require_written(claim(figure="text: mean", written=".6 stands"), ROWS)
    with pytest.raises(ClaimError, match=r"0 rows of results\.md begin with 'Precision'"):
        require_written(claim(figure="Precision"), ROWS)


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The commands that were run; `broken` fails, the others find the same."""
    commands: list[str] = []

    def run(command: str, data: Path) -> object:
        commands.append(command)
        if command == "broken":
            raise ClaimError("exit 2: no data")
        return FOUND

    monkeypatch.setattr("bench.claims.run_command", run)
    return commands


def test_a_stale_figure_is_noticed_and_a_command_runs_once(ran: list[str]) -> None:
    claims = [
        claim(),
        claim(written=".913", where=("exact/precision",)),
        claim(where=("exact/precision",)),
        claim(command="broken"),
        claim(figure="Speed", written="2.5×", where=("exact/recall",), skip="speed"),
        claim(figure="Speed", written="", where=(), skip="longer than ten minutes"),
    ]
    found = [(one.state, one.said) for one in check_claims(claims, Path("d"), ROWS)]
    assert found == [
        ("equal", "0.9118 / 0.9131"),
        ("stale", "0.9118"),
        ("stale", "2 numbers, but 1 places"),
        ("stale", "exit 2: no data"),
        ("skipped", "speed"),
        ("skipped", "longer than ten minutes"),
    ]
    assert ran == ["adequa x", "broken"]
    speeds = list(check_claims(claims[4:], Path("d"), ROWS, speed=True))
    assert [one.state for one in speeds] == ["stale", "skipped"]


def test_a_command_that_fails_runs_once(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []

    def run(command: str, data: Path) -> object:
        ran.append(command)
        raise ClaimError("exit 2: no data")

    monkeypatch.setattr("bench.claims.run_command", run)
    found = [one.said for one in check_claims([claim(), claim()], Path("d"), ROWS)]
    assert (found, ran) == (["exit 2: no data"] * 2, ["adequa x"])


def test_what_was_kept_is_not_measured_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ran: list[str]
) -> None:
    monkeypatch.setattr("bench.claims.commit_of", lambda: "0123456789")
    claims = [claim(), claim(command="broken")]
    first = list(check_claims(claims, Path("d"), ROWS, keep=tmp_path / "kept"))
    monkeypatch.setattr("bench.claims.commit_of", lambda: "later")
    assert list(check_claims(claims, Path("d"), ROWS, keep=tmp_path / "kept")) == first
    assert ran == ["adequa x", "broken", "broken"]
    assert first[0].commit == "0123456"
    list(check_claims([claim(command="adequa y")], Path("d"), ROWS, keep=tmp_path / "kept"))
    assert ran[3:] == ["adequa y"]


def test_measured_numbers_are_written_as_those_before_them() -> None:
    assert renewed("| 13,229 and **.842** |", [1234.6, 1.0]) == "| 1,235 and **1.000** |"
    assert renewed("−6.10 (.5–.7)", [6.104, 0.44, -0.06]) == "6.10 (.4–−.1)"


def test_stale_figures_are_replaced_in_the_page_and_in_the_table() -> None:
    page = ROWS.replace(
        "| Recall, exact | at least .9 | .912 / .913 | `adequa mentions` |",
        "| Recall, exact | .912 / .913 | .912 / .913 | `adequa mentions` | 1e4bca8 |",
    )
    text = claim(figure="text: mean", written="of .5 stands in the text", where=("a",))
    stale = [
        Comparison(claim(), "stale", "", (0.92, 0.93), "abcdef0"),
        Comparison(claim(figure="Speed", written="2.5×"), "equal", "", (2.6,)),
        Comparison(claim(figure="Speed", written="2.5×"), "stale", "exit 2"),
        Comparison(text, "stale", "", (0.62,)),
    ]
    table = (
        "Recall\t.912 / .913\tadequa x\nRecall\t.912\t\ntext: mean\tof .5 stands in the text\t\n"
    )
    new, claims = update(stale, page, table)
    assert "| .912 / .913 | .920 / .930 | `adequa mentions` | abcdef0 |" in new
    assert "A mean of .6 stands in\nthe text." in new
    assert "| Speed | 3× | 2.5× |" in new
    assert claims.splitlines() == [
        "Recall\t.920 / .930\tadequa x",
        "Recall\t.912\t",
        "text: mean\tof .6 stands in the text\t",
    ]


def test_a_command_is_run_as_it_is_written(tmp_path: Path) -> None:
    code = "import json, sys; print(json.dumps(sys.argv[1:])); sys.exit(1)"
    (path, out) = run_command(f'python -c "{code}" DATA/test.xml OUT', tmp_path)
    assert path == f"{tmp_path}/test.xml"
    assert out.endswith("out")
    with pytest.raises(ClaimError, match="exit 3: wrong"):
        run_command("python -c \"import sys; sys.stderr.write('wrong'); sys.exit(3)\"", tmp_path)
    with pytest.raises(ClaimError, match="no JSON"):
        run_command('python -c "print(1, 2)"', tmp_path)


def test_commands_in_a_row_share_a_folder(tmp_path: Path) -> None:
    first = "import sys; open(sys.argv[1], 'w').write('[7]')"
    second = "import sys; print(open(sys.argv[1]).read())"
    command = f'python -c "{first}" OUT && python -c "{second}" OUT'
    assert run_command(command, tmp_path) == [7]
    with pytest.raises(ClaimError, match="exit 4"):
        run_command(f'python -c "import sys; sys.exit(4)" && {command}', tmp_path)


def test_tests_are_counted_and_must_pass(tmp_path: Path) -> None:
    def written(name: str, body: str) -> str:
        path = tmp_path / name
        path.write_text(f"import pytest\n{body}\n", encoding="utf-8")
        return f"pytest {path} --rootdir {tmp_path}"

    skipped = "def test_c():\n    pytest.skip('x')"
    good = written("test_good.py", f"def test_a(): pass\ndef test_b(): pass\n{skipped}")
    assert run_command(good, tmp_path) == {"passed": 2, "skipped": 1, "failed": 0}
    (same,) = check_claims([claim(command=good, where=())], tmp_path, ROWS)
    assert (same.state, same.said) == ("equal", "no failure")
    with pytest.raises(ClaimError, match="exit 1: 1 failed"):
        run_command(written("test_bad.py", "def test_a(): assert False"), tmp_path)
    with pytest.raises(ClaimError, match="no test ran, 1 were skipped"):
        run_command(written("test_skipped.py", skipped), tmp_path)


def test_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--list", "--only", "Mentions on enriched"]) == 0
    assert "adequa mentions DATA/enriched/dev --json" in capsys.readouterr().out
    found = json.loads('{"exact": {"precision": 0.912, "recall": 0.9}}')
    monkeypatch.setattr("bench.claims.run_command", lambda command, data: found)
    assert main(["--only", "Mentions on enriched", "--data", str(tmp_path)]) == 1
    said = capsys.readouterr()
    assert "1 stale" in said.out
    assert "0.912 / 0.900" in said.out
    assert "stale: Mentions on enriched dev" in said.err
    found["exact"]["recall"] = 0.913
    assert main(["--only", "Mentions on enriched", "--data", str(tmp_path)]) == 0
    assert "equal: Mentions on enriched dev" in capsys.readouterr().err
    for wrong in (["--only", "nothing has this"], ["--data", str(tmp_path / "absent")]):
        with pytest.raises(SystemExit):
            main(wrong)
    monkeypatch.setattr(sys, "argv", ["bench", "claims", "--list", "--only", "Mentions on"])
    from bench.__main__ import main as bench_main

    assert bench_main() == 0
