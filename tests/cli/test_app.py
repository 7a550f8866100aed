"""The table of commands: lazy, complete, with summaries that fit, also without a checkout."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from adequa import checkout
from adequa.cli import app
from adequa.cli import main as run_main
from adequa.cli.app import COMMANDS, GROUPS, as_flags, options_of

ROOT = Path(__file__).resolve().parents[2]
MOST_MODULES = 71
"""The modules of adequa in which `adequa score` of the sample may run a function; 45 before values,
relevance, confidence, relations, plans and shards of runs had modules of their own, 68 before plain
fields, members and outcomes of records had."""

_TRACE = """
import sys
from pathlib import Path

ran = set()


def record(frame, event, argument):
    code = frame.f_code
    # Only functions are optimised code objects; the bodies of modules and classes are not.
    if event == "call" and code.co_flags & 1 and PACKAGE in Path(code.co_filename).parents:
        ran.add(code.co_filename)


import adequa.cli

PACKAGE = Path(adequa.__file__).parent
sys.setprofile(record)
try:
    adequa.cli.main()
finally:
    sys.setprofile(None)
    imported = [name for name in sys.modules if name.split(".")[0] == "adequa"]
    print(len(imported), "modules imported,", len(ran), "run", file=sys.stderr)
    print(*sorted(imported), file=sys.stderr)
    print(*sorted(ran), file=sys.stderr)
"""


def run_python(
    code: str, *arguments: str, cwd: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        check=False,
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, **environment},
    )


def test_scoring_the_sample_runs_few_modules_and_imports_one_command(tmp_path: Path) -> None:
    sample = ROOT / "src" / "adequa" / "sample" / "items.jsonl"
    done = run_python(
        _TRACE, "score", str(sample), "-m", "esa", "-m", "nli", "-q", "--no-cache",
        "--out", str(tmp_path / "run"),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    counts, imported, ran = done.stderr.splitlines()[-3:]
    commands = {name for name in imported.split() if name.startswith("adequa.cli.")}
    assert commands == {f"adequa.cli.{name}" for name in ("app", "options", "score")}
    assert int(counts.split()[-2]) <= MOST_MODULES, f"{counts}\n{ran}"


def test_help_imports_no_command() -> None:
    code = (
        "import sys\nfrom adequa.cli import main\n"
        "try:\n    main()\nfinally:\n"
        "    print(*[name for name in sys.modules if name.startswith('adequa.cli.')])"
    )
    done = run_python(code, "--help")
    assert done.stdout.splitlines()[-1] == "adequa.cli.app"
    for task, commands in GROUPS.items():
        lines = "".join(f"  {name:<9}  {summary}\n" for name, summary in commands.items())
        assert f"\n{task}:\n{lines}" in done.stdout


@pytest.mark.parametrize("columns", ["60", "80", "100"])
def test_no_summary_is_cut_or_broken(columns: str) -> None:
    done = run_python("from adequa.cli import main; main()", "--help", COLUMNS=columns)
    for name, summary in COMMANDS.items():
        assert re.search(rf"^  {name} +{re.escape(summary)}$", done.stdout, re.MULTILINE), name


def test_summaries_fit_and_are_the_first_line_of_the_help() -> None:
    commands = get_command(app).commands  # type: ignore[attr-defined]
    assert list(commands) == list(COMMANDS)
    for name, command in commands.items():
        assert command.help.partition("\n")[0] == COMMANDS[name]
        assert len(COMMANDS[name]) <= 80 - 14
        for inner, nested in getattr(command, "commands", {}).items():
            first = nested.help.partition("\n")[0]
            assert nested.get_short_help_str(80 - 6 - len(inner)) == first, (name, inner)


def test_shells_complete_the_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_TYPER_COMPLETE_TESTING", "True")
    monkeypatch.setenv("_ADEQUA_COMPLETE", "complete_bash")
    for typed, found in (
        ("adequa s", ["score", "serve", "spans"]),
        ("adequa human q", ["quality"]),
        ("adequa metrics e", ["esa", "esa_strict", "evaluate"]),
        ("adequa score items.jsonl -m n", ["nli"]),
        ("adequa convert items.jsonl --format w", ["webnlg"]),
    ):
        monkeypatch.setenv("COMP_WORDS", typed)
        monkeypatch.setenv("COMP_CWORD", str(len(typed.split()) - 1))
        done = CliRunner().invoke(app, [], prog_name="adequa")
        assert done.stdout.split() == found


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package alone, as a wheel installs it: without the folder `research` beside it."""
    site = tmp_path_factory.mktemp("lib") / "site-packages"
    unneeded = shutil.ignore_patterns("weights", "__pycache__")
    shutil.copytree(Path(checkout.__file__).parent, site / "adequa", ignore=unneeded)
    return site


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ("paper esa --data data", "adequa paper"),
        ("derive inverted webnlg --out inverted.jsonl", "adequa derive"),
        ("train blend test.xml --ratings ratings.csv", "adequa train blend"),
        ("train weigh webnlg/dev", "adequa train weigh"),
        ("train mentions gold --out weights.json", "adequa train mentions"),
    ],
)
def test_without_a_checkout_research_commands_say_where_to_find_them(
    arguments: str, name: str, installed: Path
) -> None:
    code = "import sys; sys.argv[0] = 'adequa'; from adequa.cli import main; main()"
    done = run_python(code, *arguments.split(), PYTHONPATH=str(installed), cwd=installed)
    assert done.returncode == 2
    assert f"adequa: {name} is not part of the installed package" in done.stderr
    assert "clone the repository" in done.stderr


def test_an_unknown_command_is_wrong_use(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["adequa", "scor"])
    with pytest.raises(SystemExit) as ended:
        run_main()
    assert ended.value.code == 2
    assert "score" in capsys.readouterr().err


def test_every_command_prints_through_the_function_that_escapes() -> None:
    """Annotations of `gate --github` are commands on purpose, and escape what they quote."""
    calls = [
        path.name
        for path in (ROOT / "src" / "adequa" / "cli").glob("*.py")
        for _ in re.findall(r"typer\.echo\(|(?<![.\w])print\(", path.read_text(encoding="utf-8"))
    ]
    assert sorted(calls) == ["app.py", "gate.py", "options.py"]  # the first prints our version


def test_an_error_does_not_steer_the_terminal() -> None:
    code = "from adequa.cli import main; main()"
    found = run_python(code, "score", "no\x1b[2Jsuch", "--out", "x")
    assert found.returncode == 2
    assert "no\\u001b[2Jsuch" in found.stderr


def test_a_warning_of_ours_is_one_line(tmp_path: Path) -> None:
    source = tmp_path / "items.jsonl"
    source.write_text('{"id": "1", "triples": [["A", "b", "C"]], "text": "A b C."}\n')
    code = "from adequa.cli import main; main()"
    judge = "judge:url=http://127.0.0.1:9/v1,model=x,retries=0"
    found = run_python(code, "score", str(source), "-m", judge, "--out", str(tmp_path / "run"))
    assert found.returncode == 0
    (line,) = [one for one in found.stderr.splitlines() if "not scored" in one]
    assert line.startswith("adequa: http://127.0.0.1:9/v1/chat/completions: the connection failed")


def _library_texts() -> Iterator[tuple[str, str]]:
    """The sentences in the library's code outside docstrings, with … where a value is filled in."""
    package = ROOT / "src" / "adequa"
    for path in sorted(package.rglob("*.py")):
        place = path.relative_to(package)
        if place.parts[0] == "cli":
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        skipped = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                skipped.update(map(id, node.values))
            parts = node.values if isinstance(node, ast.JoinedStr) else [node]
            values = [part.value if isinstance(part, ast.Constant) else "…" for part in parts]
            is_text = any(isinstance(part, ast.Constant) for part in parts)
            if is_text and id(node) not in skipped and all(isinstance(one, str) for one in values):
                text = "".join(map(str, values))
                if " " in text:
                    yield f"{place}:{node.lineno}", text


def test_the_library_speaks_of_arguments_and_the_command_line_of_options() -> None:
    """Whole commands may be named anywhere, options without their command only by a command."""
    programs = rf"(adequa ({'|'.join(COMMANDS)})|pip|python -m|openssl|iconv|zstd)\b.*"
    options, arguments = options_of([get_command(app)]), []
    for place, text in _library_texts():
        bare = re.sub(programs, "", text)
        assert not re.search(r"(?<![\w-])--?[a-z]", bare), f"{place} names an option: {text}"
        for found in re.finditer(r"(?<![\w(])[a-z_]+=(?:True|False|None)", bare):
            assert as_flags(found[0], options) != found[0], f"{place}: no command has {found[0]}"
            arguments.append(found[0])
    assert len(arguments) > 20


def test_an_error_of_a_command_names_its_options_only(tmp_path: Path) -> None:
    code = "from adequa.cli import main; main()"
    row = "Alba,Alba is a small town by the sea.,The old harbour of Alba is on the sea."
    (tmp_path / "a.csv").write_text(f"name,first note,second note\n{row}\n")
    found = run_python(code, "score", "a.csv", "--out", "run", cwd=tmp_path)
    assert "name its column: --format 'records:text=first note'; or give --texts" in found.stderr
    (tmp_path / "a.xml").write_text("<benchmark><entries><entry/></entries></benchmark>")
    found = run_python(code, "score", "a.xml", "--out", "run", cwd=tmp_path)
    assert 'write <entry eid="Id1" …>' in found.stderr
